//! DISTANCE: a lower bound of the moves in which a single player can win.
//!
//! A pattern merges the values of each fluent into classes, and gives each combination of classes that play reaches a
//! number of moves. The checker grounds the rules and tests each number against those after each move: it falls by no
//! more than the move costs, and is 0 where the game may be won (Culberson and Schaeffer 1998: pattern databases; Korf
//! and Felner 2002: the sum over patterns, if a move costs one in one of them at most). So the sum is a lower bound. The
//! checker then visits the positions in which the moves made and this bound stay below the claim; none is won. Without
//! patterns, it visits all positions up to that depth.

use super::codec::{lemma_form, record};

/// The data of a DISTANCE lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DistanceLemma {
    /// No play wins in fewer moves.
    pub least: u64,
    /// The fluents that patterns divide into classes; for a pattern, all others have one class.
    pub classes: Vec<PatternClasses>,
    /// The moves that cost one in a pattern; all others are free there.
    pub costs: Vec<PatternCost>,
    /// The fewest moves that cost one from a combination of classes to a win, by pattern.
    pub distances: Vec<PatternDistance>,
}

/// The classes of a fluent in a pattern.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PatternClasses {
    pub pattern: u32,
    /// Fluents are numbered as the state declares them: cell by cell, a cell that holds a set element by element.
    pub fluent: u32,
    /// The class of each value, by the value's number.
    pub classes: Vec<u8>,
}

/// A move that costs one in a pattern: in the positions in which a fluent has one of some values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PatternCost {
    pub pattern: u32,
    /// Moves are numbered as they are grounded: as declared, arguments in order.
    pub action: u32,
    pub fluent: u32,
    pub values: Vec<u8>,
}

/// The distance of a combination of classes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PatternDistance {
    pub pattern: u32,
    /// The class of each fluent that the pattern divides, in order of the fluents.
    pub classes: Vec<u8>,
    pub least: u64,
}

record!(PatternClasses { pattern, fluent, classes });
record!(PatternCost { pattern, action, fluent, values });
record!(PatternDistance { pattern, classes, least });

lemma_form!(DistanceLemma {
    statement "" least,
    in_order "class" classes,
    in_order "cost" costs,
    in_order "at" distances
});
