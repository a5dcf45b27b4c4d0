//! Questions to the planner, and its answers.

use super::super::budget::UserLimits;
use super::super::strategy::AcceptedStrategy;
use bouton_base::limits::{Limits, Progress};
use bouton_search::game::{Game, State};
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver};

/// The routes to an answer by any method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Route {
    /// Few positions are listed; otherwise strategies come first, and then the methods take turns.
    #[default]
    Any,
    /// First the graph, whose labels count plies.
    GraphFirst,
    /// Only the graph, whose values of all positions are needed.
    GraphOnly,
}

/// The quantity to determine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Goal {
    /// The value.
    #[default]
    Value,
    /// The value with moves to play, and a strategy in words if there is one.
    Play,
    /// The nimber.
    Nimber,
}

/// A position to solve, with the method and the limits that the user set.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub game: &'a Game,
    pub state: &'a State,
    pub options: &'a SolveOptions,
    pub limits: &'a Limits,
    /// The requested method.
    pub method: &'static dyn Solver,
    pub route: Route,
    pub goal: Goal,
    /// The number of plies within which a win is wanted; `None` for perfect play of any length.
    pub within: Option<u32>,
    /// True if the user requested a certificate.
    pub certificate: bool,
    /// The description of the universe to solve; `None` for the reachable positions.
    pub universe: Option<&'a str>,
    pub user_limits: UserLimits,
}

impl<'a> Question<'a> {
    /// A question for the value by any method on any route; the limits count as set by the user.
    pub fn new(game: &'a Game, state: &'a State, options: &'a SolveOptions, limits: &'a Limits) -> Self {
        Question {
            game,
            state,
            options,
            limits,
            method: &Auto,
            route: Route::Any,
            goal: Goal::Value,
            within: None,
            certificate: false,
            universe: None,
            user_limits: UserLimits::Time,
        }
    }

    pub(super) fn request<'r>(&'r self, progress: &'r dyn Progress) -> SolveRequest<'r> {
        SolveRequest::new(self.game, self.state, self.options, self.limits, progress)
    }

    /// The route. A table of all positions stores no moves that a certificate could name.
    pub(super) fn route(&self) -> Route {
        if self.certificate && self.options.strong { Route::GraphOnly } else { self.route }
    }

    /// Returns true if any solver may answer.
    pub(super) fn is_open(&self) -> bool {
        self.method.is(&Auto) && self.universe.is_none() && !self.options.strong
    }

    /// Returns true if a strategy, which has no values of moves and no margin, is an answer.
    pub(super) fn accepts_strategy(&self) -> bool {
        let SolveOptions { all_moves, margin, count_plies, .. } = *self.options;
        self.is_open() && self.route() != Route::GraphOnly && !all_moves && !margin && !count_plies
    }
}

/// A solution, with a strategy in words that gives its value if one is known.
pub struct Answer {
    pub solution: Solution,
    pub strategy: Option<AcceptedStrategy>,
}

impl Answer {
    /// Withdraws the value if the checker accepted a claim that excludes it.
    pub(super) fn without_contradiction(self) -> Answer {
        match &self.strategy {
            Some(found) if found.contradicts(&self.solution) => {
                let Solution { method, why, .. } = &self.solution;
                let claim = found.proof.claim();
                let reason = format!(
                    "a bug of bouton: `{method}` computes a value, but the checker accepted that {claim}"
                );
                Solution::unknown(method, why, reason).into()
            }
            _ => self,
        }
    }
}

impl From<Solution> for Answer {
    fn from(solution: Solution) -> Answer {
        Answer { solution, strategy: None }
    }
}

impl From<AcceptedStrategy> for Answer {
    fn from(found: AcceptedStrategy) -> Answer {
        Answer { solution: found.solution.clone(), strategy: Some(found) }
    }
}
