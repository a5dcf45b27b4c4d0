//! Finds a position at the end of a sheet in which a role has no goal or several, near a position.

use std::ops::ControlFlow;

use super::diagnostics::loose_goals;
use crate::load::GameSource;
use bouton_base::limits::{Limits, NoProgress};
use bouton_search::game::explore::{VisitedPosition, Visitor, explore};
use bouton_search::game::{Game, State, ToMove};
use bouton_syntax::diag::Diagnostic;

/// The maximal number of positions to look at.
const MAX_POSITIONS: u64 = 10_000;

/// Keeps the first loose end.
struct LooseEnd {
    /// The index of the first end rule for such positions.
    first: usize,
    found: Option<State>,
}

impl Visitor for LooseEnd {
    fn visit(&mut self, visit: &VisitedPosition<'_>) -> ControlFlow<()> {
        match visit.turn {
            ToMove::Terminal(outcome) if outcome.rule >= self.first => {
                self.found = Some(visit.state.clone());
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The warning W0715 if a role of a sheet has no goal or several at one of the first ends after `state`. It looks at as
/// many positions as `limits` allow, and at most 10,000.
pub fn loose_end(text: &GameSource, game: &Game, state: &State, limits: &Limits) -> Option<Diagnostic> {
    let first = text.gdl_names()?.loose_ends.first;
    let positions = limits.positions.map_or(MAX_POSITIONS, |most| most.min(MAX_POSITIONS));
    let limits = Limits { positions: Some(positions), ..limits.clone() };
    let mut ends = LooseEnd { first, found: None };
    explore(&game.with_limits(&limits), std::slice::from_ref(state), &limits, &NoProgress, &mut ends);
    ends.found.map(|end| loose_goals(text, game, &end))
}
