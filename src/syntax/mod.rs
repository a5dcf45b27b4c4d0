//! Syntax: `grammar/bouton.pest` turns source text into an AST with spans; damaged parts are diagnosed and omitted.
//!
//! *Invariant:* this module knows no types. Every file, however damaged, gives a tree and a list of diagnostics.

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
