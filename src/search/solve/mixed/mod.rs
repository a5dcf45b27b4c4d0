//! Mixed strategies: games in which players choose simultaneously or do not see everything.
//!
//! *Invariants:* all arithmetic that a result rests on is exact, over rationals of any length; floating point only
//! proposes strategies. A value is exact if a strategy of each player guarantees it against every reply, and otherwise
//! lies between the two guarantees.

mod approximate;
pub mod beliefs;
mod best_responses;
pub mod bimatrix;
mod common_interest;
pub mod dictionary;
mod dominated_actions;
mod double_oracle;
pub mod game_tree;

pub mod hidden;
pub mod matrix_game;
pub mod numbers;
mod plan_equilibria;
pub mod play;
pub mod program;
mod recursive;
pub mod regret_matching;
mod sequence_equilibrium;
pub mod sequence_form;
pub mod simultaneous;
mod sure_win;
mod tree_builder;
mod weighted_tree;
