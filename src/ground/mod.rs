//! Floor 6: rules written out without variables: every instance of every move, with when it is legal and what it
//! changes, and every result with when it comes, as formulas over the fluents of the state.
//!
//! This is what symmetries, pairings, sums and other structure are found in, and what the checker looks into where it
//! accepts a claim without going through all positions. It is therefore made from the definition: what an operator gives
//! for values is asked of `reference`, and `tests/language/ground.rs` compares the two on plays of all games.
//!
//! *Invariants:* no position is looked at; what is not written out (chance, history, `prefer`, what grows too large) is
//! refused, never left out; a renaming of fluents makes the formulas of the renamed rules.

use std::sync::Arc;

use num_rational::Rational64;

use crate::base::cancel;
use crate::base::id::Id;
use crate::base::limits::Limits;
use crate::define_id;
use crate::rules::{Expr, ExprKind, OutcomeKind, Play, Rules, Value};
use crate::source::Span;

mod apart;
mod binders;
mod ends;
mod eval;
mod fluents;
mod formula;
mod goals;
mod heaps;
mod joint;
mod judge;
mod lockstep;
mod moves;
mod obligations;
mod possible;
mod product;
mod rename;
mod term;
mod types;

pub use apart::{Apart, BoardMove, Component};
pub use fluents::{Fluent, Fluents};
pub use formula::{
    FALSE, Formula, Formulas, NameId, Node, Reading, Subject, SubjectId, TRUE, Values, all, numbers,
};
pub use joint::{Joint, Step, after};
pub use obligations::{Obligation, missed, obligations};
pub use possible::{Possible, Relaxed};
pub use product::{Part, Parted, Product};
pub use rename::Renaming;
pub use types::{Type, Types, Unfit};

define_id!(FluentId, "v", "A variable of the state.");

/// A game written out.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The rules.
    pub rules: Arc<Rules>,
    /// What a position is made of.
    pub fluents: Fluents,
    /// The formulas that the rest speaks in.
    pub formulas: Formulas,
    /// All moves that can ever be legal: those of the first player, in the order of the definition, then the next.
    pub actions: Vec<Action>,
    /// The results, no two at once. A move is legal only where none has come.
    pub ends: Vec<End>,
    /// When one of the results has come.
    pub over: Formula,
    /// When the rules have no meaning: a move at fault is legal, an end gives no result, or a phase does not say who
    /// acts. [`FALSE`] for sound rules where that shows without play.
    pub fault: Formula,
    /// The value numbers of the first position, by fluent.
    pub initial: Vec<u8>,
}

/// Who makes a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Maker {
    /// This player.
    Player(u32),
    /// All players at once.
    All,
}

/// A move with its arguments.
#[derive(Clone, Debug)]
pub struct Action {
    /// Whose it is.
    pub maker: Maker,
    /// The move.
    pub play: Play,
    /// When it is legal, but for the end of the game: turn, phase and all conditions. A move at fault counts as legal.
    pub legal: Formula,
    /// When it is legal and the rules give it no meaning.
    pub fault: Formula,
    /// What it makes of the fluents that it may change, in their order; all others stay.
    pub becomes: Vec<Becomes>,
}

/// What a move makes of a fluent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Becomes {
    /// The fluent.
    pub fluent: FluentId,
    /// Its values after the move, by number, each with when it is this one in terms of the position before the move.
    /// Where the move is legal and not at fault one of them holds.
    pub values: Vec<(u8, Formula)>,
}

/// A result.
#[derive(Clone, Debug)]
pub struct End {
    /// What each player gets.
    pub payoffs: Vec<Rational64>,
    /// How it is told.
    pub kind: OutcomeKind,
    /// When it comes.
    pub when: Formula,
}

/// Why a game is not written out.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// The reason, as a sentence without its stop.
    pub reason: String,
    /// The place in the rules.
    pub span: Option<Span>,
}

impl Refusal {
    fn new(reason: impl Into<String>, span: Option<Span>) -> Refusal {
        Refusal { reason: reason.into(), span }
    }
}

/// Writes a game out.
pub fn ground(rules: &Arc<Rules>, limits: &Limits) -> Result<Ground, Refusal> {
    ground_within(rules, limits, eval::MOST_WORK)
}

/// The same where no more than so many parts of formulas are looked at: some 4,000,000 take seconds.
pub fn ground_within(rules: &Arc<Rules>, limits: &Limits, work: u64) -> Result<Ground, Refusal> {
    let written = cancel::run_within(limits, || written_out(rules, limits, work));
    written.unwrap_or_else(|hit| Err(Refusal::new(hit.to_string(), None)))
}

fn written_out(rules: &Arc<Rules>, limits: &Limits, work: u64) -> Result<Ground, Refusal> {
    if let Some(forbid) = rules.forbids.first() {
        return Err(Refusal::new("`forbid repeat` looks at the past", Some(forbid.span)));
    }
    if let Some(repeat) = rules.repeats.iter().find(|repeat| repeat.count.is_some()) {
        return Err(Refusal::new("`repeat` with a number looks at the past", Some(repeat.span)));
    }
    if let Some(chance) = rules.moves.iter().find(|of| of.chance) {
        return Err(Refusal::new("chance is not written out", Some(chance.span)));
    }
    let mut grounder = eval::Grounder::new(rules, limits, work)?;
    let acting = grounder.acting()?;
    let mut actions = grounder.actions(&acting)?;
    let free = grounder.formulas.or(actions.iter().map(|action| action.legal));
    // Nobody is stuck where the phase does not say who acts: that is a fault.
    let free = grounder.formulas.or([free, acting.nobody]);
    let stuck = grounder.formulas.not(free);
    if asks_players(rules) {
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
    let wrong = formulas.without(wrong, over);
    let fault = formulas.or([wrong, unclear]);
    let cells: Vec<Value> = rules.fields.iter().flat_map(|field| field.init.iter().cloned()).collect();
    let initial = grounder
        .fluents
        .position(&cells)
        .ok_or_else(|| Refusal::new("its first position holds what it cannot hold", None))?;
    grounder.check()?;
    let eval::Grounder { mut formulas, fluents, .. } = grounder;
    formulas.unbound();
    Ok(Ground { rules: rules.clone(), fluents, formulas, actions, ends, over, fault, initial })
}

/// Whether it is asked of a player whether he could move.
fn asks_players(rules: &Rules) -> bool {
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
    /// The position after a move in a position where it is legal.
    pub fn after(&self, reading: &mut Reading, position: &[u8], action: &Action) -> Vec<u8> {
        let mut after = position.to_vec();
        for becomes in &action.becomes {
            if let Some((value, _)) = becomes.values.iter().find(|(_, when)| reading.holds(*when)) {
                after[becomes.fluent.index()] = *value;
            }
        }
        after
    }
}
