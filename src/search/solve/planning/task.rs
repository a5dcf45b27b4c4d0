//! The planning task of a position: the grounded rules with the fluents and moves that matter.

use super::super::{Inapplicable, SolveRequest};
use bouton_base::id::Id;
use bouton_base::rational::Rational;
use bouton_grounding::{Action, Formula, Ground, Values, ground};
use bouton_rules::{Actor, OutcomeExpr, OutcomeKind, Rules};

/// A planning task: reach a win from a position in as few moves as possible.
pub struct PlanningTask {
    pub ground: Ground,
    /// The moves that may ever be legal.
    pub actions: Vec<Action>,
    /// The number of each of them among all grounded moves.
    pub action_numbers: Vec<u32>,
    /// Holds in the positions that are won.
    pub win: Formula,
    /// The position, by fluent.
    pub start: Vec<u8>,
    /// The values that each fluent may have in reachable positions.
    pub possible: Vec<Values>,
}

/// Returns the reason why rules are no puzzle: one player who wants to win, without chance.
pub fn misfit(rules: &Rules) -> Option<&'static str> {
    if rules.players().len() != 1 || rules.moves.iter().any(|of| of.chance) {
        return Some("a plan needs one player and no chance");
    }
    if rules.has_hidden_information() {
        return Some("a plan needs a position that the player sees");
    }
    if rules.phases.iter().any(|phase| matches!(phase.actor, Actor::Each | Actor::Chance)) {
        return Some("a plan needs a player who moves in turn");
    }
    if !rules.repeats.is_empty() || rules.ends.iter().any(|end| matches!(end.outcome, OutcomeExpr::Draw)) {
        return Some("a plan needs a game that is won or lost, without draws");
    }
    let payoffs =
        rules.ends.iter().any(|end| matches!(end.outcome, OutcomeExpr::Payoff(_) | OutcomeExpr::ByScore(..)));
    payoffs.then_some("a plan needs a game that is won or lost, without payoffs")
}

impl PlanningTask {
    /// Grounds the rules of a position.
    pub fn new(request: &SolveRequest<'_>) -> Result<PlanningTask, Inapplicable> {
        let &SolveRequest { game, state, limits, .. } = request;
        if let Some(reason) = misfit(&game.rules) {
            return Err(reason.into());
        }
        let mut ground = ground(&game.rules, limits).map_err(|refusal| match limits.check() {
            Some(hit) => hit.into(),
            None => Inapplicable::from(format!("the rules cannot be grounded: {refusal}")),
        })?;
        let cells = game.cells(state);
        let start =
            ground.fluents.position(&cells).ok_or("the position has a value that no fluent can hold")?;
        let one = Rational::from_integer(1);
        let wins = ground.ends.iter().filter(|end| end.payoffs.first().is_some_and(|payoff| *payoff >= one));
        let wins: Vec<Formula> = wins.map(|end| end.when).collect();
        if ground.ends.iter().any(|end| end.kind == OutcomeKind::Payoff) {
            return Err("a plan needs a game that is won or lost, without payoffs".into());
        }
        let win = ground.formulas.or(wins);
        let relaxed = ground.delete_relaxation(&start);
        let live = (0..).zip(&relaxed.actions).filter(|(_, live)| **live);
        let action_numbers: Vec<u32> = live.map(|(number, _)| number).collect();
        let actions = action_numbers.iter().map(|number| ground.actions[*number as usize].clone()).collect();
        let mut possible = relaxed.values;
        // Values of fluents that stay are known.
        possible.iter_mut().zip(&start).for_each(|(values, value)| *values |= 1 << value);
        Ok(PlanningTask { ground, actions, action_numbers, win, start, possible })
    }

    /// Returns true if some move may change the fluent.
    pub fn changes(&self, fluent: usize) -> bool {
        self.possible[fluent].count_ones() > 1
    }

    /// Returns the number of fluents.
    pub fn fluents(&self) -> usize {
        self.start.len()
    }

    /// Returns the index of the field of a fluent.
    pub fn field(&self, fluent: usize) -> usize {
        self.ground.fluents.get(Id::new(fluent)).field.index()
    }
}
