//! MIRROR: a strategy that replies to each move with its image under a symmetry of the board, with or without an
//! opening move.
//!
//! The certificate lists no positions. The checker grounds the rules and verifies for every move that may ever be
//! legal: its image is a move of the holder; neither touches a fluent that the other reads or changes, so that the
//! image is legal when it is needed and both together leave the board symmetric; and some fluent changes in one
//! direction only, so that play is finite. Then the opponent is the first player without a move (the strategy of
//! Tweedledum and Tweedledee: Berlekamp, Conway and Guy 1982).

use super::PayoffBound;
use super::codec::{lemma_form, record};

/// The data of a MIRROR lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MirrorLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The holder's first move, as `name(arguments)`, if he begins.
    pub opening: Option<String>,
    /// The images of the fluents that the symmetry moves or changes, in order. Fluents are numbered as the state
    /// declares them: cell by cell, a cell that holds a set element by element.
    pub images: Vec<FluentImage>,
}

/// The image of a fluent under a renaming.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FluentImage {
    pub from: u32,
    /// The fluent that it maps to.
    pub to: u32,
    /// The value number that each value number maps to.
    pub values: Vec<u8>,
}

record!(FluentImage { from, to, values });

lemma_form!(MirrorLemma { statement "" bound, record "" opening, in_order "" images });
