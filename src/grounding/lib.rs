//! Grounding. Rules without variables: every instance of every move with its precondition and effects, and
//! every result with its condition, as formulas over the fluents of the state.
//!
//! The detectors of symmetries, pairings, sums and other structure read this form, and so does the checker where it
//! accepts a claim without a search of all positions. The form therefore follows the definition: `reference` evaluates
//! operators on values, and `tests/language/ground.rs` compares the two on playouts of all games. Since the checker
//! trusts this crate, it has nothing that searches for structure: decompositions are found in `detect`.
//!
//! *Invariants:* grounding visits no position; it rejects rules that it cannot express (chance, history, `prefer`,
//! rules that grow too large) and drops no part of any; a renaming of fluents maps the formulas to those of the renamed
//! rules.

#![forbid(unsafe_code)]

use std::sync::Arc;

use bouton_base::rational::Rational;

use bouton_base::cancel;
use bouton_base::define_id;
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, MoveInstance, OutcomeKind, Rules, Value};

mod binders;
mod delete_relaxation;
mod ends;
mod eval;
mod fluents;
mod formula;
mod goals;
mod moves;
mod pairwise_reachability;
mod renaming;
mod term;
mod three_valued;

pub use delete_relaxation::DeleteRelaxation;
pub use fluents::{Fluent, Fluents};
pub use formula::{
    FALSE, Formula, FormulaEvaluator, FormulaNode, Formulas, NameId, Subject, SubjectId, TRUE, Values,
    all_values, value_numbers,
};
pub use pairwise_reachability::{PairwiseReachability, Transition, values_after};
pub use renaming::Renaming;
pub use three_valued::{ThreeValued, ThreeValuedEvaluator};

define_id!(FluentId, "v", "A variable of the state.");

/// A grounded game.
#[derive(Clone, Debug)]
pub struct Ground {
    pub rules: Arc<Rules>,
    /// The fluents that make up a position.
    pub fluents: Fluents,
    /// The table of the formulas that all other fields refer to.
    pub formulas: Formulas,
    /// All moves that can ever be legal, by player and within a player in the order of the definition.
    pub actions: Vec<Action>,
    /// The results, of which at most one holds in a position. A move is legal only where none holds.
    pub ends: Vec<GroundEnd>,
    /// Holds where one of the results does.
    pub over: Formula,
    /// Holds where the rules have no meaning: a move with a fault is legal, an end gives no result, or a phase names
    /// no single player. [`FALSE`] for sound rules whose soundness shows without a search.
    pub fault: Formula,
    /// The value numbers of the initial position, by fluent.
    pub initial: Vec<u8>,
}

/// The player or players that make a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ActionMaker {
    Player(u32),
    /// All players at once.
    All,
}

/// A ground action: a move with its arguments.
#[derive(Clone, Debug)]
pub struct Action {
    /// The player or players that make it.
    pub maker: ActionMaker,
    pub play: MoveInstance,
    /// Holds where the move is legal, the end of the game aside: turn, phase and all conditions. A move with a fault
    /// counts as legal.
    pub legal: Formula,
    /// Holds where the move is legal and the rules give it no meaning.
    pub fault: Formula,
    /// The effects on the fluents that the move may change, in the order of the fluents; all others stay.
    pub updates: Vec<FluentUpdate>,
}

/// The effect of a move on one fluent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FluentUpdate {
    pub fluent: FluentId,
    /// The possible values after the move, by number, each with the condition on the position before the move. Where
    /// the move is legal and has no fault, exactly one condition holds.
    pub values: Vec<(u8, Formula)>,
}

/// A result.
#[derive(Clone, Debug)]
pub struct GroundEnd {
    /// The payoff of each player.
    pub payoffs: Vec<Rational>,
    pub kind: OutcomeKind,
    /// Holds in the positions with this result.
    pub when: Formula,
}

/// The reason why a game has no grounded form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct GroundingError {
    /// A sentence without a full stop.
    pub reason: String,
    pub span: Option<Span>,
}

impl GroundingError {
    fn new(reason: impl Into<String>, span: Option<Span>) -> GroundingError {
        GroundingError { reason: reason.into(), span }
    }
}

/// Grounds a game.
pub fn ground(rules: &Arc<Rules>, limits: &Limits) -> Result<Ground, GroundingError> {
    ground_with_work_limit(rules, limits, eval::DEFAULT_WORK_LIMIT)
}

/// Grounds a game and visits at most `work` parts of formulas: some 4,000,000 take seconds.
pub fn ground_with_work_limit(
    rules: &Arc<Rules>,
    limits: &Limits,
    work: u64,
) -> Result<Ground, GroundingError> {
    let written = cancel::run_within(limits, || ground_rules(rules, limits, work));
    written.unwrap_or_else(|hit| Err(GroundingError::new(hit.to_string(), None)))
}

fn ground_rules(rules: &Arc<Rules>, limits: &Limits, work: u64) -> Result<Ground, GroundingError> {
    if let Some(forbid) = rules.forbids.first() {
        return Err(GroundingError::new("`forbid repeat` depends on the history", Some(forbid.span)));
    }
    if let Some(repeat) = rules.repeats.iter().find(|repeat| repeat.count.is_some()) {
        return Err(GroundingError::new("`repeat` with a number depends on the history", Some(repeat.span)));
    }
    if let Some(chance) = rules.moves.iter().find(|of| of.chance) {
        return Err(GroundingError::new("grounding does not support chance", Some(chance.span)));
    }
    let mut grounder = eval::Grounder::new(rules, limits, work)?;
    let acting = grounder.acting()?;
    let mut actions = grounder.actions(&acting)?;
    let free = grounder.formulas.or(actions.iter().map(|action| action.legal));
    // No player is stuck where the phase names no single player: that is a fault.
    let free = grounder.formulas.or([free, acting.nobody]);
    let stuck = grounder.formulas.not(free);
    if uses_stuck_player(rules) {
        grounder.stuck_players = Some(grounder.stuck_players(&actions));
    }
    grounder.passes(&acting, &mut actions, stuck)?;
    grounder.stuck = Some(stuck);
    grounder.forget_calls();
    let (ends, unclear) = grounder.ends()?;
    let formulas = &mut grounder.formulas;
    let over = formulas.or(ends.iter().map(|end| end.when));
    for action in &mut actions {
        action.fault = formulas.and([action.legal, action.fault]);
    }
    let wrong = formulas.or(actions.iter().map(|action| action.fault).chain([acting.nobody]));
    let wrong = formulas.and_not(wrong, over);
    let fault = formulas.or([wrong, unclear]);
    let cells: Vec<Value> = rules.fields.iter().flat_map(|field| field.init.iter().cloned()).collect();
    let initial = grounder
        .fluents
        .position(&cells)
        .ok_or_else(|| GroundingError::new("its first position holds what it cannot hold", None))?;
    grounder.check()?;
    let eval::Grounder { mut formulas, fluents, .. } = grounder;
    formulas.clear_work_limit();
    Ok(Ground { rules: rules.clone(), fluents, formulas, actions, ends, over, fault, initial })
}

/// Returns true if some condition uses `stuck(p)`.
fn uses_stuck_player(rules: &Rules) -> bool {
    fn asks(expr: &Expr) -> bool {
        let mut found = matches!(&*expr.kind, ExprKind::StuckPlayer(_));
        expr.each_part(&mut |part| found |= asks(part));
        found
    }
    let passes = rules.pass.iter().filter_map(|pass| pass.condition.as_ref());
    let ends = rules.ends.iter().map(|end| &end.condition);
    passes.chain(ends).chain(rules.defs.iter().map(|def| &def.body)).any(asks)
}

impl Ground {
    /// Returns the formula that a fluent has one of these values.
    pub fn literal(&mut self, fluent: FluentId, values: Values) -> Formula {
        let subject = self.formulas.fluent(fluent, self.fluents.get(fluent).values.len());
        self.formulas.lit(subject, values)
    }

    /// Returns the successor of a position by a move that is legal in it.
    pub fn successor(&self, reading: &mut FormulaEvaluator, position: &[u8], action: &Action) -> Vec<u8> {
        let mut after = position.to_vec();
        for becomes in &action.updates {
            if let Some((value, _)) = becomes.values.iter().find(|(_, when)| reading.holds(*when)) {
                after[becomes.fluent.index()] = *value;
            }
        }
        after
    }
}

#[cfg(test)]
mod tests;
