//! Detectors of structure for strategies and proofs, in grounded rules.
//!
//! *Invariants:* a result of a detector is only a proposal: every claim based on it goes through the checker, which
//! does not depend on this module. A detector that does not apply returns the reason.

#![forbid(unsafe_code)]

pub mod absorption;
pub mod answers;
mod automorphisms;
pub mod chance;
pub mod decomposition;
pub mod exchange;
pub mod mirror;
pub mod pairing;
pub mod parametric;
pub mod parity;
pub mod periods;
pub mod prover;
pub mod quotients;
pub mod stealing;
pub mod sums;
pub mod symmetry;
