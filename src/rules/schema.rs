//! Rules in which some parameters are still names, and plans for all of their values at once.
//!
//! Moves are *schemes*: bounds of their choices, conditions and changes as linear terms over the parameters, the counters
//! of the position and the choices. Terms speak of variables by number, in blocks: see [`PARAM`] and the others.

use std::ops::RangeInclusive;

use crate::base::automaton::Automaton;
use crate::base::linear::Linear;

/// Parameters have the numbers from here on.
pub const PARAM: u32 = 0;
/// Counters, that is fields that hold a whole number.
pub const COUNTER: u32 = 1000;
/// Quotients of a plan.
pub const QUOTIENT: u32 = 2000;
/// What is left of what a condition of a lost position divides, where it does not hold: by the place of the condition.
pub const REST: u32 = 2500;
/// The choices of a move.
pub const CHOICE: u32 = 3000;
/// The coordinates of a cell.
pub const PLACE: u32 = 4000;

/// Rules for all values of some parameters. There are two players, the first begins, they take turns, and who cannot move
/// loses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schema {
    /// The parameters that are still names.
    pub over: Vec<Ranged>,
    /// The largest coordinate on each axis, all beginning at 1; empty where the state has no set of cells.
    pub board: Vec<Linear>,
    /// Whether all cells are in the set at first; else none is. A cell is *changed* where it is not as at first.
    pub full: bool,
    /// The whole numbers that the state has.
    pub counters: Vec<Counter>,
    /// The moves, the same for both players.
    pub moves: Vec<Scheme>,
}

/// A parameter, or an element of one that is a list, with the values it may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranged {
    /// The parameter.
    pub param: String,
    /// Which element, from 1, where it is a list.
    pub element: Option<u32>,
    /// The least value.
    pub low: i128,
    /// The greatest; none: there is none.
    pub high: Option<i128>,
}

/// The first of all that parameters may be together, the last parameter changing first: at most so many.
pub fn first_values(ranges: impl Iterator<Item = RangeInclusive<i128>>, most: usize) -> Vec<Vec<i128>> {
    ranges.fold(vec![Vec::new()], |all, range| {
        let longer = |values: &Vec<i128>| {
            let values = values.clone();
            range.clone().map(move |value| values.iter().copied().chain([value]).collect())
        };
        all.iter().flat_map(longer).take(most).collect()
    })
}

/// A whole number that changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The least it may be.
    pub low: Linear,
    /// The greatest.
    pub high: Linear,
    /// What it is at first.
    pub first: Linear,
}

/// A move for all values of its choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheme {
    /// The name of the move in the rules.
    pub name: String,
    /// Its arguments in order.
    pub arguments: Vec<Argument>,
    /// The least and the greatest value of each choice; these may speak of parameters.
    pub choices: Vec<(Linear, Linear)>,
    /// It is legal where all these are at most 0...
    pub guards: Vec<Linear>,
    /// ... no cell of these has changed...
    pub untouched: Vec<Area>,
    /// ... and every cell of these has.
    pub touched: Vec<Area>,
    /// The cells that it changes.
    pub changed: Vec<Area>,
    /// What counters become.
    pub counters: Vec<(u32, Linear)>,
}

/// An argument of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A whole number.
    Number(Linear),
    /// A cell by its coordinates.
    Cell(Vec<Linear>),
    /// A value, as it is shown.
    Word(String),
}

/// All cells between two corners, themselves included; none where a coordinate of the first is larger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Area {
    /// The least coordinates.
    pub low: Vec<Linear>,
    /// The greatest.
    pub high: Vec<Linear>,
}

/// What parameters, or positions, may satisfy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// The term is at most 0.
    AtMost(Linear),
    /// The term is 0.
    Zero(Linear),
    /// The term leaves one of these residues, in order, by this modulus.
    Residue(Linear, u32, Vec<u32>),
    /// The second term, which speaks of parameters alone, divides the first; or, false, it does not.
    Multiple(Linear, Linear, bool),
}

impl Atom {
    /// Whether it holds for these values of the parameters, as [`holds`](Self::holds).
    pub fn holds_of(&self, values: &[i128]) -> bool {
        let place = |var: u32| usize::try_from(var.checked_sub(PARAM)?).ok();
        self.holds(&|var| values.get(place(var)?).copied())
    }

    /// Whether it holds for these values; not where a variable has none, or a number is too large.
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

/// A move with its choices as terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The scheme.
    pub scheme: u32,
    /// What is chosen.
    pub choices: Vec<Linear>,
}

/// Who wins for some values of the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Which: all of these hold.
    pub when: Vec<Atom>,
    /// Whether who begins wins; else the other does.
    pub begins: bool,
}

/// How a game is won for all values of its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plan {
    /// Positions that are lost for whoever is to move: all of these hold. In each other position, one of the replies leads
    /// to such a one.
    Lost {
        /// What holds in them.
        lost: Vec<Atom>,
        /// When which move.
        replies: Vec<(Atom, Instance)>,
        /// What every move makes smaller.
        measure: Linear,
    },
    /// After an opening, or at once, each move is answered by its image.
    Mirror {
        /// Terms divided by a number and rounded down, for other terms to speak of.
        quotients: Vec<(Linear, u32)>,
        /// The first move.
        opening: Option<Instance>,
        /// The image of a cell by its coordinates.
        image: Vec<Linear>,
        /// The answer to each scheme; its choices are terms over those of the move that is answered.
        answers: Vec<Instance>,
    },
    /// The cells are a row: which rows are lost for whoever is to move tells an automaton that reads the cells from left
    /// to right, 1 where a cell has changed and 0 where not.
    Row {
        /// It says yes of what is lost.
        lost: Automaton,
    },
}
