//! Proofs for all values of the parameters: the prover, the reading of texts, plans and their certificates.

mod arithmetic;
mod games;
mod generated;
mod rows;
