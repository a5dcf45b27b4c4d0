//! Finders of decompositions: positions as sums of independent components, and as games played in step.
//!
//! Nothing here is trusted: `checker` tests a decomposition by code of its own (`checker/components.rs`,
//! `checker/product.rs`), which follows the definitions of these modules and shares no line with them.

use bouton_base::limits::LimitHit;

mod component_types;
mod conjunctive_compound;
mod decomposer;
mod factorization;
mod heaps;

pub use component_types::{ComponentType, ComponentTypes};
pub use decomposer::{BoardMove, Component, Decomposer, Region, board_moves};
pub use factorization::{ComponentAction, FactoredMove, Factorization, ONE_GAME, factorize};

/// The reason why there is no decomposition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotApplicable {
    /// A sentence without a full stop.
    #[error("{0}")]
    Reason(String),
    /// A limit was reached first.
    #[error("{0}")]
    Limit(LimitHit),
}

impl From<&str> for NotApplicable {
    fn from(reason: &str) -> NotApplicable {
        NotApplicable::Reason(reason.into())
    }
}

impl From<String> for NotApplicable {
    fn from(reason: String) -> NotApplicable {
        NotApplicable::Reason(reason)
    }
}
