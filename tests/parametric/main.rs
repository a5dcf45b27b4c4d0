//! Proofs for all values of the parameters: the prover, the reading of sources, plans and their certificates.

mod arithmetic;
mod games;
mod generated;
mod rows;
mod sizes;
