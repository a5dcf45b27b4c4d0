//! Floor 3: `grammar/bouton.pest` turns a text into an AST with spans; what is damaged is diagnosed and left out.
//!
//! *Invariant:* knows no types; every text, however damaged, gives a tree and a list of diagnostics.

pub mod ast;
mod build;
mod dump;
mod format;
mod grammar;
mod lex;
mod limits;
mod offsets;
mod parse;
mod print;
mod reach;
mod repair;
pub mod walk;
mod words;

pub use dump::{dump, dump_expr};
pub use format::format;
pub use parse::{NotText, Parsed, decode, parse, parse_effects, parse_expr, parse_type};
pub use print::{print, print_claim, print_expr};
