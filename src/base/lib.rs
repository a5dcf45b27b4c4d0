//! Ids, maps keyed by ids, places in source files, limits of long work, hash tables of keys, random numbers.
//!
//! *Invariant:* this crate knows neither games nor languages.

pub mod automaton;
pub mod bits;
pub mod cancel;
pub mod clock;
#[allow(unsafe_code)]
pub mod heap;
pub mod id;
pub mod index_table;
#[allow(unsafe_code)]
pub mod key_table;
pub mod limits;
pub mod linear;
pub mod random;
pub mod rational;
pub mod source;
pub mod words;
