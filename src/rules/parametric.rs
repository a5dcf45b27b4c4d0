//! Parametric rules (rules in which some parameters are still names) and winning strategies for all of their values at
//! once.
//!
//! Moves are *schemes*: the bounds of their choices, their conditions and their changes are linear terms over the
//! parameters, the counters of the position and the choices. Terms refer to variables by number, in blocks: see
//! [`PARAM_BASE`] and the others.

use std::ops::RangeInclusive;

use bouton_base::automaton::Automaton;
use bouton_base::linear::Linear;

/// The number of the first parameter.
pub const PARAM_BASE: u32 = 0;
/// The number of the first counter, that is, of the first field that holds a whole number.
pub const COUNTER_BASE: u32 = 1000;
/// The number of the first quotient of a plan.
pub const QUOTIENT_BASE: u32 = 2000;
/// The number of the first remainder: if a divisibility condition of a lost position fails, the remainder of its term,
/// at the index of the condition.
pub const REMAINDER_BASE: u32 = 2500;
/// The number of the first choice of a move.
pub const CHOICE_BASE: u32 = 3000;
/// The number of the first coordinate of a cell.
pub const COORDINATE_BASE: u32 = 4000;

/// Rules for all values of some parameters. There are two players who alternate; the first begins, and a player who
/// cannot move loses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParametricRules {
    /// The ranges of the parameters that are still names.
    pub params: Vec<ParamRange>,
    /// The largest coordinate on each axis, all beginning at 1; empty if the state has no set of cells.
    pub board: Vec<Linear>,
    /// True if all cells are in the set initially, false if none is. A cell is *changed* if it differs from its initial
    /// state.
    pub initially_full: bool,
    /// The whole numbers of the state.
    pub counters: Vec<Counter>,
    /// The moves, the same for both players.
    pub moves: Vec<MoveScheme>,
}

/// A parameter, or an element of a list parameter, with its range of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamRange {
    pub param: String,
    /// The index of the element, from 1, if the parameter is a list.
    pub element: Option<u32>,
    /// The least value.
    pub low: i128,
    /// The greatest value; `None` if unbounded.
    pub high: Option<i128>,
}

/// Returns the first `most` combinations of values from these ranges, in lexicographic order: the last parameter varies
/// fastest.
pub fn first_values(ranges: impl Iterator<Item = RangeInclusive<i128>>, most: usize) -> Vec<Vec<i128>> {
    ranges.fold(vec![Vec::new()], |all, range| {
        let longer = |values: &Vec<i128>| {
            let values = values.clone();
            range.clone().map(move |value| values.iter().copied().chain([value]).collect())
        };
        all.iter().flat_map(longer).take(most).collect()
    })
}

/// A whole number of the state, with its range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The least value.
    pub low: Linear,
    /// The greatest value.
    pub high: Linear,
    /// The initial value.
    pub initial: Linear,
}

/// A move for all values of its choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveScheme {
    /// The name of the move in the rules.
    pub name: String,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
    /// The least and the greatest value of each choice; these may depend on parameters.
    pub choices: Vec<(Linear, Linear)>,
    /// The move is legal if all these terms are at most 0...
    pub guards: Vec<Linear>,
    /// ... no cell of these areas has changed...
    pub untouched: Vec<Area>,
    /// ... and every cell of these areas has.
    pub touched: Vec<Area>,
    /// The cells that the move changes.
    pub changed: Vec<Area>,
    /// The new values of counters, by the index of the counter.
    pub counters: Vec<(u32, Linear)>,
}

/// An argument of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A whole number.
    Number(Linear),
    /// A cell by its coordinates.
    Cell(Vec<Linear>),
    /// A value, as printed.
    Word(String),
}

/// The box of all cells between two corners, corners included; empty if a coordinate of the first is larger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Area {
    /// The least coordinates.
    pub low: Vec<Linear>,
    /// The greatest coordinates.
    pub high: Vec<Linear>,
}

/// An atomic condition on parameters or positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// The term is at most 0.
    AtMost(Linear),
    /// The term is 0.
    Zero(Linear),
    /// The remainder of the term modulo the number is one of these residues, in order.
    Residue(Linear, u32, Vec<u32>),
    /// The second term, over parameters alone, divides the first (true) or does not (false).
    Multiple(Linear, Linear, bool),
}

impl Atom {
    /// Returns true if the condition holds for these values of the parameters; see [`holds`](Self::holds).
    pub fn holds_of(&self, values: &[i128]) -> bool {
        let place = |var: u32| usize::try_from(var.checked_sub(PARAM_BASE)?).ok();
        self.holds(&|var| values.get(place(var)?).copied())
    }

    /// Returns true if the condition holds for these values; false if a variable has no value or a number overflows.
    pub fn holds(&self, value: &dyn Fn(u32) -> Option<i128>) -> bool {
        let of = |term: &Linear| term.value(value);
        match self {
            Atom::AtMost(term) => of(term).is_some_and(|value| value <= 0),
            Atom::Zero(term) => of(term) == Some(0),
            Atom::Residue(term, modulus, residues) => {
                let rest = of(term).and_then(|value| value.checked_rem_euclid(i128::from(*modulus)));
                rest.is_some_and(|rest| residues.iter().any(|residue| i128::from(*residue) == rest))
            }
            Atom::Multiple(term, by, divides) => {
                let rest = of(by).filter(|by| *by > 0).and_then(|by| of(term)?.checked_rem_euclid(by));
                rest.is_some_and(|rest| (rest == 0) == *divides)
            }
        }
    }
}

/// A move with terms for its choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemeInstance {
    pub scheme: u32,
    /// The terms of the choices.
    pub choices: Vec<Linear>,
}

/// The winner for some values of the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WinnerCase {
    /// The values: all of these conditions hold.
    pub when: Vec<Atom>,
    /// True if the first player wins, false if the second does.
    pub first_player_wins: bool,
}

/// A winning strategy for all values of the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParametricStrategy {
    /// A set of lost positions: the player to move loses where all conditions of `lost` hold. From each other position,
    /// one of the replies leads to a lost one.
    LostPositions {
        /// The conditions of a lost position.
        lost: Vec<Atom>,
        /// The replies: the move to make where the condition holds.
        replies: Vec<(Atom, SchemeInstance)>,
        /// The ranking function: every move decreases it.
        ranking: Linear,
    },
    /// A pairing (symmetry) strategy: after an opening, or at once, each move is answered by its image.
    Mirror {
        /// Floored quotients of terms by numbers, as variables for other terms.
        quotients: Vec<(Linear, u32)>,
        /// The first move, if the strategy begins.
        opening: Option<SchemeInstance>,
        /// The image of a cell by its coordinates.
        image: Vec<Linear>,
        /// The answer to each scheme. Its choices are terms over those of the answered move.
        answers: Vec<SchemeInstance>,
    },
    /// A row of cells and a finite automaton that accepts the lost rows. It reads the cells from left to right, 1 for a
    /// changed cell and 0 for another.
    RowAutomaton {
        /// Accepts the rows in which the player to move loses.
        lost: Automaton,
    },
}
