//! Bouton: a language for the rules of finite games, and a solver that says, with proof, who wins.
//!
//! The rooms and their floors are told in `docs/architecture.md`; `tests/layering.rs` holds them to it.

// Machine code is called in one room; large tables and the count of memory are in another. All three say so.
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
