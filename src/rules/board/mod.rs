//! Boards: cells with names, directions, and constant tables of all that rules ask about them.

use super::{EnumId, Type};

/// A direction. The members of the enum `Dir` are those of the game's boards, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Dir {
    N,
    NE,
    E,
    SE,
    S,
    SW,
    W,
    NW,
    U,
    D,
}

/// A board. Cells are numbered from 0 in their order: a1, b1, ..., a2, ...
#[derive(Clone, Debug)]
pub struct Board {
    /// Its name.
    pub name: String,
    /// The enum whose members are its cells.
    pub cells: EnumId,
    /// The enum of its sides, once `sides(B)` was asked for.
    pub sides: Option<EnumId>,
    /// The enum of its edges, once `edges(B)` was asked for.
    pub edges: Option<EnumId>,
    /// The type of `.col`, `.row`: the bounds of the whole board.
    pub col: Type,
    /// See `col`.
    pub row: Type,
}
