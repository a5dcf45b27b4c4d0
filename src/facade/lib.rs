//! Bouton reads the rules of a finite game and determines who wins.
//!
//! ```
//! use bouton::{Project, SolveOptions};
//!
//! fn main() -> Result<(), bouton::Error> {
//!     let game = Project::open("games/nim.bou")?.set("heaps", "[3, 4, 5]").load()?;
//!     let solution = game.solve(&SolveOptions::default())?;
//!     assert_eq!(solution.winner(), Some("First"));
//!     assert_eq!(solution.best_moves(), ["1-2"]);
//!     Ok(())
//! }
//! ```
//!
//! A [`Project`] is a file of rules with the settings of its parameters. Loading it gives a [`Game`], compiled to
//! machine code, with [`Position`]s to play from and to solve. A [`Solution`] has the value, the best moves, and a
//! [`Certificate`] that [`verify`] checks by other code than the solvers'. Everything that fails gives an [`Error`];
//! mistakes in rules come with diagnostics as the command `bouton` prints them.
//!
//! The functions do by default as the commands do, give the same results at any number of threads, and serialise them
//! to the same JSON. They block; [`Limits`] end them, and a [`CancelToken`] cancels them from another thread.
//!
//! The command needs more crates than the library. A program that uses only the library turns them off:
//!
//! ```toml
//! bouton = { path = "../bouton", default-features = false }
//! ```

#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

mod certificate;
mod document;
mod error;
#[cfg(feature = "explorer")]
#[doc(hidden)]
#[path = "../explorer/mod.rs"]
pub mod explorer;
mod game;
mod limits;
mod project;
mod solution;
mod solve;
mod value;

pub use bouton_search::solve::positions::Positions;
pub use certificate::{Certificate, Verdict, verify};
pub use document::Document;
pub use error::{Diagnostic, Error, Limit};
pub use game::{Game, Move, Position, Turn};
pub use limits::{CancelToken, Limits, Progress};
pub use project::Project;
pub use solution::{MoveValue, Solution, Status, Strategy};
pub use solve::SolveOptions;
pub use value::{Number, Outcome, Value};

/// The page `docs/library.md` and the README, whose examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../../docs/library.md")]
#[doc = include_str!("../../README.md")]
struct Pages;
