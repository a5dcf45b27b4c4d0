//! What is noted of each position while it is explored: raw findings, put into words afterwards.
//!
//! A finding is noted once for each place of the text, at the nearest position that shows it; the others are counted.

use std::ops::ControlFlow;

use num_rational::Rational64;
use rustc_hash::FxHashMap;

use super::always::Always;
use super::ends;
use super::loops::Graph;
use crate::base::limits::{LimitHit, Limits, Patience};
use crate::game::explore::{BrokenKind, Visit, Visitor};
use crate::game::{Fault, Game, Play, State, Turn};
use crate::rules::Value;
use crate::source::Span;

/// What was found at a position.
#[derive(Clone, Debug)]
pub enum What {
    /// The rules have no meaning there.
    Fault(Fault),
    /// Nobody can move and the game is not over.
    Stuck,
    /// An invariant does not hold.
    Invariant(usize),
    /// Payoffs that do not cancel: their sum.
    OddSum(Rational64, Vec<Rational64>),
    /// Two end rules hold: the first, the other, what each gives.
    TwoAnswers { first: usize, other: usize, taken: String, passed_over: String },
    /// Two moves with one name.
    Twins(String, Play, Play),
}

/// A finding with the nearest position that shows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// What.
    pub what: What,
    /// Where.
    pub at: u32,
    /// In how many positions.
    pub count: u64,
}

/// The steps that writing the name of a move counts as.
const NAME_STEPS: u64 = 16;

/// The visitor of a check.
pub struct Watch<'a> {
    game: &'a Game,
    /// Asked for each move: a position may have very many.
    patience: Patience,
    /// The findings, in the order they were met.
    pub found: Vec<Found>,
    /// The graph of the positions, for loops; none where endless play needs no rule.
    pub graph: Option<Graph>,
    /// Which moves were legal somewhere.
    pub legal: Vec<bool>,
    /// Whether a pass was.
    pub passed: bool,
    /// Which end rules decided somewhere.
    pub ended: Vec<bool>,
    /// For each player, the most moves he could choose from.
    pub choices: Vec<usize>,
    /// The conditions that held everywhere so far.
    pub always: Always,
    /// The limit that was reached while a position was looked at.
    pub limit: Option<LimitHit>,
    /// How many positions were finished.
    pub terminal: u64,
    keys: FxHashMap<Key, usize>,
    payoffs: bool,
    /// Which end rules decided where no other gave another answer. A rule that never did is a special case of a later
    /// one, which is then meant as the default.
    alone: Vec<bool>,
}

/// What makes two findings one.
type Key = (u8, Option<Span>, usize);

impl<'a> Watch<'a> {
    /// Nothing met yet. The game is asked of each position: on a machine that stops where exploring does, at these limits.
    pub fn new(game: &'a Game, limits: &Limits) -> Watch<'a> {
        let rules = &game.rules;
        let players = rules.players().len();
        let needs_repeat = players > 1 && rules.repeats.is_empty() && rules.forbids.is_empty();
        Watch {
            game,
            patience: Patience::within(limits),
            found: Vec::new(),
            graph: needs_repeat.then(Graph::default),
            legal: vec![false; rules.moves.len()],
            passed: false,
            ended: vec![false; rules.ends.len()],
            choices: vec![0; players],
            always: Always::new(rules),
            limit: None,
            terminal: 0,
            keys: FxHashMap::default(),
            payoffs: ends::has_payoffs(rules),
            alone: vec![false; rules.ends.len()],
        }
    }

    fn note(&mut self, key: Key, at: u32, what: impl FnOnce() -> What) {
        match self.keys.get(&key) {
            Some(&known) => self.found[known].count += 1,
            None => {
                self.keys.insert(key, self.found.len());
                self.found.push(Found { what: what(), at, count: 1 });
            }
        }
    }

    fn look(&mut self, visit: &Visit<'_>) -> Result<(), LimitHit> {
        self.invariants(visit.index, visit.state)?;
        if let Turn::Over(outcome) = visit.turn {
            self.over(visit.index, visit.state, outcome)?;
        } else {
            self.moves(visit)?;
        }
        // Finished positions count as well: a condition that fails there alone is what makes the mover stuck.
        self.always.look(self.game, visit.state)
    }

    fn invariants(&mut self, at: u32, state: &State) -> Result<(), LimitHit> {
        let game = self.game;
        for (place, invariant) in game.rules.invariants.iter().enumerate() {
            if game.machine.eval(state, &invariant.value)? != Some(Value::Bool(true)) {
                self.note((0, Some(invariant.span), place), at, || What::Invariant(place));
            }
        }
        Ok(())
    }

    fn over(&mut self, at: u32, state: &State, outcome: &crate::game::Outcome) -> Result<(), LimitHit> {
        self.terminal += 1;
        if let Some(ended) = self.ended.get_mut(outcome.rule) {
            *ended = true;
        }
        if self.payoffs
            && let Some(sum) = ends::odd_sum(outcome)
        {
            self.note((1, None, outcome.rule), at, || What::OddSum(sum, outcome.payoffs.clone()));
        }
        // Once it is known of a rule what it does beside others it is not asked again: that is the costly part.
        let rule = outcome.rule;
        let known = self.keys.get(&(2, None, rule)).copied();
        if let Some(known) = known
            && self.alone[rule]
        {
            self.found[known].count += 1;
            return Ok(());
        }
        match ends::other_answer(self.game, state, outcome)? {
            Some((other, taken, passed_over)) => {
                self.note((2, None, rule), at, || What::TwoAnswers { first: rule, other, taken, passed_over })
            }
            None => self.alone.get_mut(rule).into_iter().for_each(|alone| *alone = true),
        }
        Ok(())
    }

    /// Whether a finding is worth telling once all positions were seen.
    pub fn is_meant(&self, found: &Found) -> bool {
        matches!(found.what, What::TwoAnswers { first, .. } if !self.alone[first])
    }

    fn moves(&mut self, visit: &Visit<'_>) -> Result<(), LimitHit> {
        let mut each: Vec<Vec<&Play>> = vec![Vec::new(); self.choices.len()];
        for successor in visit.successors {
            match &successor.play {
                Play::Joint(parts) => {
                    for (player, play) in parts {
                        each[*player as usize].push(play);
                        self.seen(play);
                    }
                }
                play => {
                    if let Turn::Player(player) = visit.turn {
                        each[*player as usize].push(play);
                    }
                    self.seen(play);
                }
            }
        }
        for (player, mut plays) in each.into_iter().enumerate() {
            plays.sort_unstable();
            plays.dedup();
            self.choices[player] = self.choices[player].max(plays.len());
        }
        self.twins(visit)
    }

    fn seen(&mut self, play: &Play) {
        match play {
            Play::Move(id, _) => self.legal[id.0 as usize] = true,
            Play::Pass => self.passed = true,
            Play::Joint(_) => {}
        }
    }

    /// W0540: two moves of one position that are written alike.
    fn twins(&mut self, visit: &Visit<'_>) -> Result<(), LimitHit> {
        let mut names: FxHashMap<String, &Play> = FxHashMap::default();
        for successor in visit.successors {
            if self.patience.spend(NAME_STEPS) {
                return Err(self.patience.hit().unwrap_or(LimitHit::Time));
            }
            let name = self.game.machine.written(visit.state, &successor.play)?;
            if let Some(other) = names.insert(name.clone(), &successor.play) {
                let (one, two) = (other.clone(), successor.play.clone());
                let key = (3, None, kind(&one) * (self.legal.len() + 2) + kind(&two));
                self.note(key, visit.index, || What::Twins(name, one, two));
                break;
            }
        }
        Ok(())
    }
}

/// A number for each kind of move, so that twins of one kind are told once.
fn kind(play: &Play) -> usize {
    match play {
        Play::Move(id, _) => id.0 as usize + 2,
        Play::Pass => 1,
        Play::Joint(_) => 0,
    }
}

impl Visitor for Watch<'_> {
    fn visit(&mut self, visit: &Visit<'_>) -> ControlFlow<()> {
        if let Some(graph) = &mut self.graph {
            graph.push(visit.next, *visit.turn == Turn::Chance);
        }
        match self.look(visit) {
            Ok(()) => ControlFlow::Continue(()),
            Err(hit) => {
                self.limit = Some(hit);
                ControlFlow::Break(())
            }
        }
    }

    fn broken(&mut self, index: u32, broken: &BrokenKind) -> ControlFlow<()> {
        match broken {
            BrokenKind::Fault(fault) => {
                self.note((4, Some(fault.span), 0), index, || What::Fault(fault.clone()));
            }
            BrokenKind::Stuck => self.note((5, None, 0), index, || What::Stuck),
        }
        if let Some(graph) = &mut self.graph {
            graph.push(&[], false);
        }
        ControlFlow::Continue(())
    }

    fn held_bytes(&self, extra: usize) -> u64 {
        self.graph.as_ref().map_or(0, |g| g.held_bytes() + extra as u64 * 64)
    }
}
