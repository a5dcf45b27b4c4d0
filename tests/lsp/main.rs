//! The language server as an editor sees it: messages of JSON-RPC, over channels and over the binary's standard input
//! and output.

mod client;
mod edits;
mod features;
mod games;
mod libraries;
mod protocol;
mod stdio;
