//! Syntax: `grammar/bouton.pest` turns source text into an AST with spans; damaged parts are diagnosed and omitted.
//!
//! *Invariant:* this module knows no types. Every file, however damaged, gives a tree and a list of diagnostics.

#![forbid(unsafe_code)]

pub mod ast;
mod build;
pub mod diag;
mod document;
mod dump;
mod format;
mod grammar;
pub mod keywords;
pub mod lex;
mod limits;
mod offsets;
mod parse;
mod print;
mod quantifier_scope;
mod repair;
pub mod visit;
mod visit_mut;

pub use document::{Encoding, guess_encoding};
pub use dump::{dump, dump_expr};
pub use format::format;
pub use parse::{InvalidUtf8, Parsed, decode, parse, parse_effects, parse_expr, parse_type};
pub use print::{print, print_claim, print_comparison, print_effect, print_expr};
pub use repair::foreign_value;
