//! Strategies that a person can remember: detectors propose them, and only those that the checker accepts are reported.
//!
//! Source: the reply theorem (DETECTORS: every such strategy is a set of positions and an answer to each move).
//! Cost: grounding the rules, and a check of each move for each proposal; positions are not enumerated.
//! Invariant: the checker accepted every reported strategy, so a detector can be wrong without harm.
//! Not taken: remoteness and the values of other moves, which a strategy does not give.

use num_rational::Rational64;

use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_base::limits::{LimitHit, Limits};
use bouton_certificates::{Certificate, Claim, Lemma, PayoffBound, PositionKey, Tier};
use bouton_checker::{Verdict, Verifier};
use bouton_grounding::{FluentId, Ground, ground};
use bouton_reference::Interpreter;
use bouton_report::page::Overlay;
use bouton_rules::{MoveInstance, Value as Cell, keys_of};
use bouton_search::game::{Game, State};
use bouton_search::solve::certify::{header, key};
use bouton_search::solve::{Method, Solution, Status, Value, ValueKind, WrittenMove};

mod automaton;
mod pairing;
mod parity;
mod product;
mod quotients;
mod steal;
pub mod strategy_player;
mod sums;
mod symmetry;

use strategy_player::{StrategyInvariant, StrategyPlayer};

/// The maximal number of proposals to check.
const MAX_PROPOSALS: usize = 64;

/// A grounded game, with all that every detector needs.
struct StrategySearch<'g> {
    game: &'g Game,
    state: &'g State,
    limits: &'g Limits,
    verifier: Verifier<'g>,
    ground: Ground,
    position: Vec<u8>,
    interpreter: Interpreter,
    /// The key of the position to solve; `None` for the first position.
    start: Option<PositionKey>,
}

/// A strategy with its description.
struct StrategyDescription {
    /// The method that found it.
    method: Method,
    /// The value that it gives.
    value: Value,
    /// The strategy in a sentence, without its full stop.
    how: String,
    /// The reason why it works, likewise.
    why: String,
    /// The first moves by which it may begin.
    best: Vec<WrittenMove>,
    /// The lemmas that the checker accepted.
    lemmas: Vec<Lemma>,
    /// The drawing over the board.
    overlay: Overlay,
    /// The invariant that its moves restore.
    invariant: StrategyInvariant,
}

impl StrategyDescription {
    /// A strategy that names no move, draws nothing and has no invariant.
    fn without_moves(
        method: Method,
        value: Value,
        how: String,
        why: impl Into<String>,
        lemmas: Vec<Lemma>,
    ) -> StrategyDescription {
        let (drawn, kept) = (Overlay::None, StrategyInvariant::Unspecified);
        StrategyDescription {
            method,
            value,
            how,
            why: why.into(),
            best: Vec::new(),
            lemmas,
            overlay: drawn,
            invariant: kept,
        }
    }
}

/// A strategy that the checker accepted.
#[derive(Clone, Debug)]
pub struct AcceptedStrategy {
    /// The solution that it gives.
    pub solution: Solution,
    /// The strategy in a sentence, without its full stop.
    pub how: String,
    /// The reason why it works, likewise.
    pub why: String,
    /// The drawing over the board.
    pub overlay: Overlay,
    /// True if it names the moves to play.
    pub names_moves: bool,
    /// A player that follows the strategy, if it has an invariant.
    pub strategy_player: Option<StrategyPlayer>,
}

/// Searches for a strategy of this kind; the solution is unknown, with the reason, if the checker accepts none.
pub fn solve(game: &Game, state: &State, method: Method, limits: &Limits) -> Solution {
    let tried = || StrategySearch::new(game, state, limits).and_then(|trial| trial.by(method));
    match cancel::run_within(limits, tried).unwrap_or_else(|hit| Err(NoStrategy::Limit(hit))) {
        Ok(remembered) => remembered.solution,
        Err(why) => why.solution(method),
    }
}

/// Searches for a strategy of any kind that gives the value, the kinds with the shortest descriptions first.
pub fn find_any(game: &Game, state: &State, limits: &Limits) -> Option<AcceptedStrategy> {
    let tried = || {
        let trial = StrategySearch::new(game, state, limits).ok()?;
        let methods = Method::ALL.into_iter().filter(|method| method.is_strategy());
        let solved = |found: &AcceptedStrategy| found.solution.status == Status::Solved;
        let mut in_time = methods.take_while(|_| limits.check().is_none());
        in_time.find_map(|method| trial.by(method).ok().filter(solved))
    };
    cancel::run_within(limits, tried).ok()?
}

/// The bound of a game that is not solved: the payoff that a player can secure, without the moves.
pub fn stealing_bound(game: &Game, state: &State, limits: &Limits) -> Option<Solution> {
    let tried = || StrategySearch::new(game, state, limits).ok()?.by(Method::Steal).ok();
    let found = cancel::run_within(limits, tried).ok()??.solution;
    Some(found).filter(|found| found.status == Status::Bounded)
}

/// The reason why there is no strategy.
enum NoStrategy {
    Reason(String),
    Limit(LimitHit),
}

impl NoStrategy {
    fn solution(self, method: Method) -> Solution {
        match self {
            NoStrategy::Reason(reason) => Solution::unknown(method.name(), "", reason),
            NoStrategy::Limit(hit) => {
                Solution { limit: Some(hit), ..Solution::unknown(method.name(), "", hit.to_string()) }
            }
        }
    }
}

impl<'g> StrategySearch<'g> {
    fn new(game: &'g Game, state: &'g State, limits: &'g Limits) -> Result<Self, NoStrategy> {
        let ground = ground(&game.rules, limits)
            .map_err(|refusal| NoStrategy::Reason(format!("the rules cannot be written out: {refusal}")))?;
        let position = ground
            .fluents
            .position(&game.cells(state))
            .ok_or_else(|| NoStrategy::Reason("the position has a value that no fluent can hold".into()))?;
        let interpreter = Interpreter::new(game.rules.clone());
        let first = PositionKey(interpreter.pack(&interpreter.initial()));
        let key = key(game, &interpreter, state).map_err(|why| NoStrategy::Reason(why.to_string()))?;
        let start = Some(key).filter(|key| *key != first);
        let verifier = Verifier::new(&game.rules);
        Ok(StrategySearch { game, state, limits, verifier, ground, position, interpreter, start })
    }

    /// Searches for a strategy of this kind.
    fn by(&self, method: Method) -> Result<AcceptedStrategy, NoStrategy> {
        match method {
            Method::Pairing => self.by_pairing(),
            Method::Automaton => self.by_automaton(),
            Method::Nim => self.by_sum(),
            Method::Product => self.by_product(),
            Method::Parity => self.by_parity(),
            Method::Steal => self.by_stealing(),
            _ => self.by_symmetry(),
        }
    }

    /// Checks the proposals in order until the checker accepts one; `none` is the error if there is no proposal.
    fn first<P>(
        &self,
        proposals: impl IntoIterator<Item = P>,
        none: &str,
        claimed: impl Fn(&P) -> (Claim, Vec<Lemma>),
    ) -> Result<(P, Vec<Lemma>), NoStrategy> {
        let mut nothing = NoStrategy::Reason(none.into());
        for proposal in proposals.into_iter().take(MAX_PROPOSALS) {
            let (claim, lemmas) = claimed(&proposal);
            match self.check(claim, &lemmas) {
                Ok(()) => return Ok((proposal, lemmas)),
                Err(NoStrategy::Limit(hit)) => return Err(NoStrategy::Limit(hit)),
                Err(reason) => nothing = reason,
            }
        }
        Err(nothing)
    }

    /// Checks a claim; the error is the checker's reason.
    fn check(&self, claim: Claim, lemmas: &[Lemma]) -> Result<(), NoStrategy> {
        let tier = lemmas.iter().map(Lemma::tier).max().unwrap_or(Tier::Explicit);
        let header = header(&self.game.rules, self.start.clone(), claim, tier);
        let certificate = Certificate { header, lemmas: lemmas.to_vec(), text: None };
        match self.verifier.verify(&certificate, self.limits, None) {
            Verdict::Accepted(_) => Ok(()),
            Verdict::Rejected(rejection) => Err(NoStrategy::Reason(rejection.to_string())),
            Verdict::Limit(hit) => Err(NoStrategy::Limit(hit)),
        }
    }

    /// The bound of a win of `holder`.
    fn win(holder: u32) -> PayoffBound {
        PayoffBound { holder: Some(holder), payoff: Rational64::from_integer(1) }
    }

    /// The value of a win of `holder`.
    fn won(&self, holder: u32) -> Value {
        let one = Rational64::from_integer(1);
        let payoffs =
            (0..self.game.rules.players().len()).map(|p| if p == holder as usize { one } else { -one });
        Value { payoffs: payoffs.collect(), kind: ValueKind::Win(holder) }
    }

    fn player(&self, player: u32) -> &str {
        self.game.rules.players().get(player as usize).map_or("?", String::as_str)
    }

    /// The player to move.
    fn mover(&self) -> u32 {
        u32::from(self.position[self.ground.fluents.turn().index()])
    }

    fn made(&self, play: &MoveInstance) -> WrittenMove {
        let written = self.game.machine.notation(self.state, play).unwrap_or_default();
        WrittenMove { play: play.clone(), written }
    }

    fn accept(&self, told: StrategyDescription) -> AcceptedStrategy {
        let StrategyDescription { method, value, how, why, best, lemmas, overlay: drawn, invariant: kept } =
            told;
        let opening = best.first().map(|made| made.play.clone());
        let keeper = StrategyPlayer::new(&self.ground, kept, &value, opening);
        let solution = Solution {
            status: Status::Solved,
            value: Some(value),
            best_moves: best.clone(),
            line: best,
            reason: None,
            strategy: lemmas,
            ..Solution::unknown(method.name(), &format!("{how}: {why}"), "")
        };
        let tells_moves =
            !matches!(solution.strategy[..], [Lemma::Steal(_) | Lemma::Exchange(_) | Lemma::Product(_)]);
        AcceptedStrategy {
            solution,
            how,
            why,
            overlay: drawn,
            names_moves: tells_moves,
            strategy_player: keeper,
        }
    }

    /// The name of a fluent: of its element, of its cell of a board, or of its cell of a field.
    fn name(&self, id: FluentId) -> String {
        let fluent = self.ground.fluents.get(id);
        let field = &self.game.rules.fields[fluent.field];
        match (&fluent.element, &keys_of(&field.keys, fluent.cell)[..]) {
            (Some(element), _) => self.game.rules.show(element),
            (None, [key @ Cell::Sym(..)]) => self.game.rules.show(key),
            (None, _) => self.ground.fluents.show(&self.game.rules, id),
        }
    }

    /// Lists the first of some pairs of fluents.
    fn list_pairs(&self, pairs: &[(FluentId, FluentId)]) -> String {
        let pair =
            |(one, other): &(FluentId, FluentId)| format!("{} and {}", self.name(*one), self.name(*other));
        let rest = if pairs.len() > MAX_LISTED_PAIRS { ", ..." } else { "" };
        format!("{}{rest}", pairs.iter().take(MAX_LISTED_PAIRS).map(pair).collect::<Vec<_>>().join(", "))
    }

    /// Pairs of fluents as cells of the first panel of the drawing: those in the field of the first pair.
    fn cells(&self, pairs: &[(FluentId, FluentId)]) -> Vec<(u32, u32)> {
        let Some((first, _)) = pairs.first() else { return Vec::new() };
        let field = self.ground.fluents.get(*first).field;
        let place = |id: FluentId| {
            let fluent = self.ground.fluents.get(id);
            let keys = keys_of(&self.game.rules.fields[field].keys, fluent.cell);
            match (&fluent.element, &keys[..]) {
                (Some(Cell::Sym(_, member)), _) | (None, [Cell::Sym(_, member)]) => *member,
                (Some(_), _) => {
                    let own = self.ground.fluents.of_cell(self.ground.fluents.cell(field, fluent.cell));
                    own.take_while(|other| *other < id).count() as u32
                }
                (None, _) => fluent.cell as u32,
            }
        };
        let own = |id: FluentId| self.ground.fluents.get(id).field == field;
        let drawn = pairs.iter().filter(|(one, other)| own(*one) && own(*other));
        drawn.map(|(one, other)| (place(*one), place(*other))).collect()
    }
}

/// The maximal number of pairs to list.
const MAX_LISTED_PAIRS: usize = 4;
