//! Patterns in small tables of numbers, as a person would write them below the table.
//!
//! A pattern found here fits every given case and says nothing about others: it is *observed*, never proved.
//!
//! *Invariant:* this module knows no games: cases are tuples of integers, or words, with a class or a number, and the
//! order of cases matters only for sequences.

#![forbid(unsafe_code)]

pub mod automaton_learning;
pub mod automaton_text;
pub mod classes;
pub mod formulas;
pub mod sequences;
pub mod terms;
