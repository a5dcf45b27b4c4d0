//! Floor 10: structure of games that strategies are made of, found in rules that are written out.
//!
//! *Invariants:* what is found here is a proposal: a claim made of it goes through the checker, which knows nothing of
//! this room. A detector that does not apply says why.

pub mod absorption;
pub mod answers;
mod automorphisms;
pub mod exchange;
pub mod mirror;
pub mod orbits;
pub mod pairing;
pub mod parametric;
pub mod parity;
pub mod periods;
pub mod prover;
pub mod quotients;
pub mod stealing;
pub mod sums;
pub mod symmetry;
