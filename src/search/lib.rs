//! Search: games as graphs of positions, and the solvers that label them.

#![forbid(unsafe_code)]

pub mod game;
pub mod solve;
