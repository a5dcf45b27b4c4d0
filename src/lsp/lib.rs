//! The language server of `.bou` files: the analyses of the compiler for editors, by the Language Server Protocol.
//!
//! A change analyses its document anew as a whole, which takes milliseconds, so nothing is incremental. Lexical features
//! (folding, completion, signatures) read tokens and work on any text; the others read the index that analysis makes,
//! also beside errors. `check`'s exploration of positions, solving and tests run on threads of their own and are
//! cancelled by the next change.
//!
//! *Invariants:* a message, however malformed, is answered with an error and never ends the server. This crate opens no
//! files (`project` reads libraries) and knows no transport: it talks through the channels of a [`Connection`].

#![forbid(unsafe_code)]

mod actions;
mod built_ins;
mod commands;
mod completion;
mod context;
mod diagnostics;
mod documents;
mod edits;
mod hints;
mod hover;
mod keywords;
mod navigation;
mod positions;
mod rename;
mod requests;
mod semantic_tokens;
mod server;
mod signatures;
mod snapshot;
mod symbols;
mod tasks;
mod uris;

pub use lsp_server::{Connection, Message};
pub use server::{Ending, serve};
