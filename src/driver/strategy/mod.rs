//! Strategies that a person can remember: detectors propose them, and only those that the checker accepts are reported.
//!
//! Source: the reply theorem (DETECTORS: every such strategy is a set of positions and an answer to each move).
//! Cost: grounding the rules, and a check of each move for each proposal; positions are not enumerated.
//! Invariant: the checker accepted every reported strategy, so a detector can be wrong without harm.
//! Not taken: remoteness and the values of other moves, which a strategy does not give.

use bouton_base::rational::Rational;

use super::agreement::contradicts;
use super::solvers::STRATEGIES;
use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_certificates::{Certificate, Claim, Convention, Lemma, PayoffBound, PositionKey, Tier};
use bouton_checker::{Accepted, Verdict, Verifier};
use bouton_detect::sums::is_impartial;
use bouton_grounding::{FluentId, Formula, FormulaEvaluator, Ground, ground};
use bouton_reference::Interpreter;
use bouton_report::page::Overlay;
use bouton_report::solve::StrategyStatement;
use bouton_rules::{MoveInstance, Value as Cell, keys_of};
use bouton_search::game::explore::FaultyPosition;
use bouton_search::game::{Game, State};
use bouton_search::solve::certify::{header, key};
use bouton_search::solve::{
    Inapplicable, Solution, SolveRequest, Solver, Status, Value, ValueKind, WrittenMove,
};

pub mod automaton;
pub mod pairing;
pub mod parity;
pub mod permutation;
pub mod product;
mod quotients;
pub mod steal;
pub mod strategy_player;
pub mod sums;
pub mod symmetry;

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

/// A certificate, without a copy of the source, that the checker accepted.
#[derive(Clone, Debug)]
pub struct CheckedProof {
    certificate: Certificate,
    accepted: Accepted,
}

impl CheckedProof {
    /// The accepted claim in words.
    pub fn claim(&self) -> &str {
        &self.accepted.claim
    }

    /// The verdict on a certificate, if it says the same as the accepted one.
    pub fn verdict_on(&self, certificate: &Certificate) -> Option<&Accepted> {
        let Certificate { header, lemmas, .. } = &self.certificate;
        (*header == certificate.header && *lemmas == certificate.lemmas).then_some(&self.accepted)
    }
}

/// A strategy with its description.
struct StrategyDescription {
    /// The value that it gives.
    value: Value,
    /// The strategy in a sentence, without its full stop.
    how: String,
    /// The reason why it works, likewise.
    why: String,
    /// The first moves by which it may begin.
    best: Vec<WrittenMove>,
    /// The proof that the checker accepted.
    proof: CheckedProof,
    /// The drawing over the board.
    overlay: Overlay,
    /// The invariant that its moves restore.
    invariant: StrategyInvariant,
}

impl StrategyDescription {
    /// A strategy that names no move, draws nothing and has no invariant.
    fn without_moves(
        value: Value,
        how: String,
        why: impl Into<String>,
        proof: CheckedProof,
    ) -> StrategyDescription {
        let (drawn, kept) = (Overlay::None, StrategyInvariant::Unspecified);
        StrategyDescription {
            value,
            how,
            why: why.into(),
            best: Vec::new(),
            proof,
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
    /// True if it is a rule that a person could remember, and no list of about as many values as there are positions.
    pub is_rule: bool,
    /// The proof that the checker accepted.
    pub proof: CheckedProof,
    /// A player that follows the strategy, if it has an invariant.
    pub strategy_player: Option<StrategyPlayer>,
}

impl AcceptedStrategy {
    /// The strategy as a sentence, with the name of its kind.
    pub fn statement(&self) -> StrategyStatement {
        let kind = self.solution.method;
        StrategyStatement {
            kind,
            statement: format!("{}: {}", self.how, self.why),
            names_moves: self.names_moves,
        }
    }

    /// Returns true if the accepted claim excludes this solution of the same position.
    pub fn contradicts(&self, solution: &Solution) -> bool {
        contradicts(&self.proof.certificate.header.claim, solution)
    }
}

/// A solver that looks for a strategy of one kind, which can be stated as a whole, without positions.
pub struct StrategySolver {
    name: &'static str,
    description: &'static str,
    search: fn(&StrategySearch<'_>) -> Result<AcceptedStrategy, Inapplicable>,
}

impl StrategySolver {
    /// Searches for a strategy of this kind.
    pub fn find(
        &self,
        game: &Game,
        state: &State,
        limits: &Limits,
    ) -> Result<AcceptedStrategy, Inapplicable> {
        cancel::run_within(limits, || self.find_in(&StrategySearch::new(game, state, limits)?))?
    }

    fn find_in(&self, search: &StrategySearch<'_>) -> Result<AcceptedStrategy, Inapplicable> {
        let mut found = (self.search)(search)?;
        found.solution.method = self.name;
        Ok(found)
    }
}

impl Solver for StrategySolver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    /// The search itself shows whether there is a strategy.
    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        match request.options.margin {
            true => Err("a strategy as a whole shows who wins, not by how much: leave `--margin` out".into()),
            false => Ok(()),
        }
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        let found =
            self.applies(request).and_then(|()| self.find(request.game, request.state, request.limits));
        Ok(match found {
            Ok(found) => found.solution,
            Err(reason) => Solution::inapplicable(self.name, "", reason),
        })
    }
}

/// Searches for a strategy of any kind, the kinds with the shortest descriptions first: one that gives the value, or else
/// one that gives a bound.
pub fn find_best(game: &Game, state: &State, limits: &Limits) -> Option<AcceptedStrategy> {
    let tried = || {
        let search = StrategySearch::new(game, state, limits).ok()?;
        let mut bounded = None;
        for solver in STRATEGIES {
            if limits.check().is_some() {
                break;
            }
            match solver.find_in(&search) {
                Ok(found) if found.solution.status == Status::Solved => return Some(found),
                Ok(found) => bounded = bounded.or(Some(found)),
                Err(_) => {}
            }
        }
        bounded
    };
    cancel::run_within(limits, tried).ok()?
}

/// Returns true if every position has a nimber, by the rules alone: both players have the same moves, and the player who
/// cannot move loses.
pub fn has_nimbers(game: &Game, limits: &Limits) -> bool {
    let found = || ground(&game.rules, limits).is_ok_and(|ground| is_impartial(&ground));
    Convention::of(&game.rules) == Convention::Normal && cancel::run_within(limits, found).unwrap_or(false)
}

impl<'g> StrategySearch<'g> {
    fn new(game: &'g Game, state: &'g State, limits: &'g Limits) -> Result<Self, Inapplicable> {
        let ground = ground(&game.rules, limits)
            .map_err(|refusal| format!("the rules cannot be written out: {refusal}"))?;
        let position = ground
            .fluents
            .position(&game.cells(state))
            .ok_or("the position has a value that no fluent can hold")?;
        let interpreter = Interpreter::new(game.rules.clone());
        let first = PositionKey(interpreter.pack(&interpreter.initial()));
        let key = key(game, &interpreter, state).map_err(|why| why.to_string())?;
        let start = Some(key).filter(|key| *key != first);
        let verifier = Verifier::new(&game.rules);
        Ok(StrategySearch { game, state, limits, verifier, ground, position, interpreter, start })
    }

    /// Checks the proposals in order until the checker accepts one; `none` is the error if there is no proposal.
    fn first<P>(
        &self,
        proposals: impl IntoIterator<Item = P>,
        none: &str,
        claimed: impl Fn(&P) -> (Claim, Vec<Lemma>),
    ) -> Result<(P, CheckedProof), Inapplicable> {
        let mut nothing = none.into();
        for proposal in proposals.into_iter().take(MAX_PROPOSALS) {
            let (claim, lemmas) = claimed(&proposal);
            match self.check(claim, lemmas) {
                Ok(proof) => return Ok((proposal, proof)),
                Err(hit @ Inapplicable::Limit(_)) => return Err(hit),
                Err(reason) => nothing = reason,
            }
        }
        Err(nothing)
    }

    /// Checks a claim; the error is the checker's reason.
    fn check(&self, claim: Claim, lemmas: Vec<Lemma>) -> Result<CheckedProof, Inapplicable> {
        let tier = lemmas.iter().map(Lemma::tier).max().unwrap_or(Tier::Explicit);
        let header = header(&self.game.rules, self.start.clone(), claim, tier);
        let certificate = Certificate { header, lemmas, text: None };
        match self.verifier.verify(&certificate, self.limits, None) {
            Verdict::Accepted(accepted) => Ok(CheckedProof { certificate, accepted }),
            Verdict::Rejected(rejection) => Err(rejection.to_string().into()),
            Verdict::Limit(hit) => Err(hit.into()),
        }
    }

    /// The bound of a win of `holder`.
    fn win(holder: u32) -> PayoffBound {
        PayoffBound { holder: Some(holder), payoff: Rational::from_integer(1) }
    }

    /// The value of a win of `holder`.
    fn won(&self, holder: u32) -> Value {
        let one = Rational::from_integer(1);
        let payoffs = (0..self.game.rules.players().len())
            .map(|p| if p == holder as usize { one.clone() } else { -one.clone() });
        Value { payoffs: payoffs.collect(), kind: ValueKind::Win(holder) }
    }

    /// The bound of a puzzle that cannot be solved.
    fn lost() -> PayoffBound {
        PayoffBound { holder: None, payoff: Rational::from_integer(-1) }
    }

    /// The grounded rules with the condition that the game is won by its only player.
    fn ground_with_win(&self) -> (Ground, Formula) {
        let one = Rational::from_integer(1);
        let mut ground = self.ground.clone();
        let wins = ground.ends.iter().filter(|end| end.payoffs.first() >= Some(&one));
        let wins: Vec<Formula> = wins.map(|end| end.when).collect();
        let win = ground.formulas.or(wins);
        (ground, win)
    }

    /// The result for a puzzle that cannot be solved.
    fn unsolvable(&self, why: String, proof: CheckedProof) -> AcceptedStrategy {
        let value = Value { payoffs: vec![-Rational::from_integer(1)], kind: ValueKind::Unsolvable };
        let mut accepted = self.accept(StrategyDescription::without_moves(value, NO_WIN.into(), why, proof));
        accepted.is_rule = false;
        accepted
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

    /// The moves of a position that has not ended, each with the position after it.
    fn moves_from<'a>(&'a self, position: &'a [u8]) -> impl Iterator<Item = (&'a MoveInstance, Vec<u8>)> {
        let mut reading = FormulaEvaluator::new(&self.ground.formulas, position);
        self.ground.actions.iter().filter_map(move |action| {
            let is_legal = reading.holds(action.legal);
            is_legal.then(|| (&action.play, self.ground.successor(&mut reading, position, action)))
        })
    }

    /// The position after a move of the position to solve.
    fn after(&self, play: &MoveInstance) -> Option<Vec<u8>> {
        self.moves_from(&self.position).find(|(made, _)| *made == play).map(|(_, after)| after)
    }

    /// Returns true if nobody can move after this move.
    fn leaves_no_move(&self, play: &MoveInstance) -> bool {
        self.after(play).is_some_and(|after| self.moves_from(&after).next().is_none())
    }

    fn accept(&self, told: StrategyDescription) -> AcceptedStrategy {
        let StrategyDescription { value, mut how, mut why, best, proof, overlay: drawn, invariant: kept } =
            told;
        let answers = matches!(
            kept,
            StrategyInvariant::Image(_) | StrategyInvariant::Answers(_) | StrategyInvariant::Pairs(_)
        );
        if let (ValueKind::Win(holder), [opening], true) = (&value.kind, &best[..], answers)
            && self.leaves_no_move(&opening.play)
        {
            how = format!("{} begins with {}", self.player(*holder), opening.written);
            why = "that leaves no move, and the game is over".to_owned();
        }
        let opening = best.first().map(|made| made.play.clone());
        let keeper = StrategyPlayer::new(&self.ground, kept, &value, opening);
        let solution = Solution {
            status: Status::Solved,
            value: Some(value),
            best_moves: best.clone(),
            line: best,
            reason: None,
            strategy: proof.certificate.lemmas.clone(),
            ..Solution::unknown("", &format!("{how}: {why}"), "")
        };
        let tells_moves =
            !matches!(solution.strategy[..], [Lemma::Steal(_) | Lemma::Exchange(_) | Lemma::Product(_)]);
        AcceptedStrategy {
            solution,
            how,
            why,
            overlay: drawn,
            names_moves: tells_moves,
            is_rule: true,
            proof,
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
        listed(pairs.iter().map(|(one, other)| (self.name(*one), self.name(*other))))
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

/// The statement about a puzzle that cannot be solved.
const NO_WIN: &str = "no play leads to a win";

/// Lists the first of some pairs of names.
fn listed(pairs: impl Iterator<Item = (String, String)>) -> String {
    let mut pairs = pairs.map(|(one, other)| format!("{one} and {other}"));
    let first: Vec<String> = pairs.by_ref().take(MAX_LISTED_PAIRS).collect();
    let rest = if pairs.next().is_some() { ", ..." } else { "" };
    format!("{}{rest}", first.join(", "))
}

/// The maximal number of pairs to list.
const MAX_LISTED_PAIRS: usize = 4;
