//! Floor 1: patterns in small tables of numbers: what a person would write under the table.
//!
//! A pattern found here fits every case it was shown and says nothing of others: it is *observed*, never proved.
//!
//! *Invariant:* knows no games: cases are tuples of whole numbers, or words, with a class or a number, and order of cases
//! does not matter but for sequences.

pub mod automata;
pub mod classes;
pub mod formulas;
pub mod readings;
pub mod sequences;
pub mod terms;
