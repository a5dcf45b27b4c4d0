//! Bouton: a language for the rules of finite games, and a solver that says, with proof, who wins.
//!
//! `docs/architecture.md` describes the modules and their layers; `tests/layering.rs` enforces them.

// Unsafe code calls machine code, and lies in large tables and the memory counter. Each of the three allows it
// explicitly.
#![deny(unsafe_code)]

pub mod analyze;
pub mod base;
pub mod cert;
pub mod circuit;
pub mod cli;
pub mod detect;
pub mod diag;
pub mod driver;
pub mod exec;
pub mod game;
pub mod ground;
pub mod lower;
pub mod opt;
pub mod patterns;
pub mod reference;
pub mod report;
pub mod rules;
pub mod solve;
pub mod source;
pub mod syntax;
pub mod verify;
