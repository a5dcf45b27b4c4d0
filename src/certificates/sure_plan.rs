//! SURE-PLAN: a plan that gives its player a payoff in every play, where something is hidden from him.
//!
//! The checker follows the positions that the player holds possible, ply by ply: after each ply, the positions in which
//! he saw the same moves and observations. Where he chooses, the plan names one of his moves, which he makes in all of
//! them; of the others and of chance the checker makes all moves. Sets of one ply with the same positions are one, since
//! what can follow is the same.

use super::PayoffBound;
use super::codec::lemma_form;

/// The data of a SURE-PLAN lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SurePlanLemma {
    /// The bound that the plan guarantees in every play.
    pub bound: PayoffBound,
    /// For each set of possible positions in which the holder chooses, in the order of their discovery, the number of his
    /// move among his moves there, from 0.
    pub choices: Vec<u32>,
}

lemma_form!(SurePlanLemma { statement "" bound, records "" choices });
