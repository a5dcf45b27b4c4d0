//! Floor 3: `grammar/bouton.pest` turns a text into an AST with spans; what is damaged is diagnosed and left out.
//!
//! *Invariant:* knows no types; every text, however damaged, gives a tree and a list of diagnostics.

pub mod ast;
