//! Strategies a person can remember: proposed by detectors, and said only where the checker accepts them.
//!
//! Source: the reply theorem (DETECTORS: every such strategy is a set of positions and an answer to each move).
//! Cost: writing the rules out, and a check of each move for each proposal; positions are not gone through.
//! Invariant: what is said was accepted by the checker, so a detector can be wrong without harm.
//! Not taken: remoteness and the values of other moves, which a strategy does not tell.

use num_rational::Rational64;

use crate::base::id::Id;
use crate::base::limits::{LimitHit, Limits};
use crate::cert::mirror::Image;
use crate::cert::{Bound, Certificate, Claim, Key, Lemma, Mirror, Pairing, Tier};
use crate::detect::mirror::{Proposal, proposals};
use crate::detect::pairing::pairs;
use crate::game::{Game, State};
use crate::ground::{FluentId, Ground, Renaming, ground};
use crate::reference::Interpreter;
use crate::report::page::Overlay;
use crate::rules::{Play, Value as Cell, keys_of};
use crate::solve::certify::{header, key};
use crate::solve::{Made, Method, Solution, Status, Value, ValueKind};
use crate::verify::{Verdict, verify};

mod quotients;
mod sums;

/// No more proposals are checked.
const MOST_PROPOSALS: usize = 64;

/// A game written out, with what every detector needs of it.
struct Trial<'g> {
    game: &'g Game,
    state: &'g State,
    limits: &'g Limits,
    method: Method,
    ground: Ground,
    position: Vec<u8>,
    interpreter: Interpreter,
    /// The position spoken of; none for the first.
    start: Option<Key>,
}

/// A strategy that the checker accepted.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// What it gives.
    pub solution: Solution,
    /// The strategy in a sentence, without its stop.
    pub how: String,
    /// Why it works, likewise.
    pub why: String,
    /// What it draws over the board.
    pub drawn: Overlay,
}

/// Looks for a strategy of this kind; unknown where none is accepted, with the reason.
pub fn solve(game: &Game, state: &State, method: Method, limits: &Limits) -> Solution {
    match found(game, state, method, limits) {
        Ok(remembered) => remembered.solution,
        Err(why) => why.solution(method),
    }
}

/// Looks for a strategy of any kind, the shortest to tell first.
pub fn any(game: &Game, state: &State, limits: &Limits) -> Option<Remembered> {
    let methods = Method::ALL.into_iter().filter(|method| method.is_strategy());
    methods.filter_map(|method| found(game, state, method, limits).ok()).next()
}

fn found(game: &Game, state: &State, method: Method, limits: &Limits) -> Result<Remembered, Nothing> {
    let trial = Trial::new(game, state, method, limits)?;
    match method {
        Method::Pairing => trial.by_pairing(),
        Method::Nim => trial.by_sum(),
        _ => trial.by_symmetry(),
    }
}

/// Why there is no strategy.
enum Nothing {
    Reason(String),
    Limit(LimitHit),
}

impl Nothing {
    fn solution(self, method: Method) -> Solution {
        match self {
            Nothing::Reason(reason) => Solution::unknown(method.name(), "", reason),
            Nothing::Limit(hit) => {
                Solution { limit: Some(hit), ..Solution::unknown(method.name(), "", hit.to_string()) }
            }
        }
    }
}

impl<'g> Trial<'g> {
    fn new(game: &'g Game, state: &'g State, method: Method, limits: &'g Limits) -> Result<Self, Nothing> {
        let ground = ground(&game.rules, limits)
            .map_err(|refusal| Nothing::Reason(format!("the rules cannot be written out: {refusal}")))?;
        let position = ground
            .fluents
            .position(&game.cells(state))
            .ok_or_else(|| Nothing::Reason("the position holds what no fluent can hold".into()))?;
        let interpreter = Interpreter::new(game.rules.clone());
        let first = Key(interpreter.pack(&interpreter.initial()));
        let start =
            Some(key(game, &interpreter, state).map_err(Nothing::Reason)?).filter(|key| *key != first);
        Ok(Trial { game, state, limits, method, ground, position, interpreter, start })
    }

    /// The checker's word on a claim; the error is its reason.
    fn check(&self, claim: Claim, lemmas: &[Lemma]) -> Result<(), Nothing> {
        let tier = lemmas.iter().map(Lemma::tier).max().unwrap_or(Tier::Explicit);
        let header = header(&self.game.rules, self.start.clone(), claim, tier);
        let certificate = Certificate { header, lemmas: lemmas.to_vec(), text: None };
        match verify(&self.game.rules, &certificate, self.limits, None) {
            Verdict::Accepted(_) => Ok(()),
            Verdict::Rejected(rejection) => Err(Nothing::Reason(rejection.to_string())),
            Verdict::Limit(hit) => Err(Nothing::Limit(hit)),
        }
    }

    /// Answers that are mirror images.
    fn by_symmetry(&self) -> Result<Remembered, Nothing> {
        let none = "no symmetry of the board keeps this position, or one that a move leads to";
        let mut nothing = Nothing::Reason(none.into());
        for proposal in proposals(&self.ground, &self.position).into_iter().take(MOST_PROPOSALS) {
            let bound = Bound { holder: Some(proposal.holder), payoff: Rational64::from_integer(1) };
            let opening = proposal.opening.as_ref().map(|play| self.interpreter.call_form(play));
            let lemmas = vec![Lemma::Mirror(Mirror::new(bound, opening, images(&proposal.renaming)))];
            match self.check(Claim::Wins { player: proposal.holder, plies: None }, &lemmas) {
                Ok(()) => return Ok(self.mirrored(&proposal, lemmas)),
                Err(Nothing::Limit(hit)) => return Err(Nothing::Limit(hit)),
                Err(reason) => nothing = reason,
            }
        }
        Err(nothing)
    }

    fn mirrored(&self, proposal: &Proposal, lemmas: Vec<Lemma>) -> Remembered {
        let players = self.game.rules.players();
        let one = Rational64::from_integer(1);
        let payoffs = (0..players.len()).map(|p| if p == proposal.holder as usize { one } else { -one });
        let made = |play: &Play| {
            let written = self.game.machine.written(self.state, play).unwrap_or_default();
            Made { play: play.clone(), written }
        };
        let best: Vec<Made> = proposal.opening.iter().map(made).collect();
        let name = &players[proposal.holder as usize];
        let begins = match best.first() {
            Some(opening) => format!("{name} begins with {} and from then on answers", opening.written),
            None => format!("{name} answers"),
        };
        let pairs: Vec<(FluentId, FluentId)> = (0..proposal.renaming.fluents.len())
            .map(|from| (FluentId::new(from), proposal.renaming.fluents[from]))
            .filter(|(from, to)| from < to)
            .collect();
        let how = format!("{begins} each move by its image ({})", self.told(&pairs));
        let why = "image and move never meet, so there is always an answer".to_owned();
        let value = Value { payoffs: payoffs.collect(), kind: ValueKind::Win(proposal.holder) };
        self.solved(value, (how, why), best, lemmas, Overlay::Mirror(self.cells(&pairs)))
    }

    /// Answers within pairs, by which either player keeps the other from winning.
    fn by_pairing(&self) -> Result<Remembered, Nothing> {
        let players = self.game.rules.players();
        if players.len() != 2 {
            return Err(Nothing::Reason("pairing is for two players".into()));
        }
        let mut lemmas = Vec::new();
        let mut all = Vec::new();
        for holder in 0..2 {
            let pairs = pairs(&self.ground, &self.position, holder).ok_or_else(|| {
                let name = &players[1 - holder as usize];
                Nothing::Reason(format!("no pairs of cells were found that stop all lines of {name}"))
            })?;
            let bound = Bound { holder: Some(holder), payoff: Rational64::default() };
            lemmas.push(Lemma::Pairing(Pairing {
                bound,
                pairs: pairs.iter().map(|(one, other)| (one.0, other.0)).collect(),
            }));
            all = pairs;
        }
        let value = Value { payoffs: vec![Rational64::default(); 2], kind: ValueKind::Draw };
        self.check(Claim::Value(value.payoffs.clone()), &lemmas)?;
        let how = format!("who is given one cell of a pair takes the other ({})", self.told(&all));
        let why = "every line has a pair, so nobody completes one".to_owned();
        Ok(self.solved(value, (how, why), Vec::new(), lemmas, Overlay::Pairs(self.cells(&all))))
    }

    fn solved(
        &self,
        value: Value,
        (how, why): (String, String),
        best: Vec<Made>,
        lemmas: Vec<Lemma>,
        drawn: Overlay,
    ) -> Remembered {
        let solution = Solution {
            status: Status::Solved,
            value: Some(value),
            best_moves: best.clone(),
            line: best,
            reason: None,
            strategy: lemmas,
            ..Solution::unknown(self.method.name(), &format!("{how}: {why}"), "")
        };
        Remembered { solution, how, why, drawn }
    }

    /// A fluent by what it is about: an element, a cell of a board, or a cell of a field.
    fn name(&self, id: FluentId) -> String {
        let fluent = self.ground.fluents.get(id);
        let field = &self.game.rules.fields[fluent.field];
        match (&fluent.element, &keys_of(&field.keys, fluent.cell)[..]) {
            (Some(element), _) => self.game.rules.show(element),
            (None, [key @ Cell::Sym(..)]) => self.game.rules.show(key),
            (None, _) => self.ground.fluents.show(&self.game.rules, id),
        }
    }

    /// The first of some pairs of fluents.
    fn told(&self, pairs: &[(FluentId, FluentId)]) -> String {
        let pair =
            |(one, other): &(FluentId, FluentId)| format!("{} and {}", self.name(*one), self.name(*other));
        let rest = if pairs.len() > TOLD { ", ..." } else { "" };
        format!("{}{rest}", pairs.iter().take(TOLD).map(pair).collect::<Vec<_>>().join(", "))
    }

    /// Pairs of fluents as cells of the panel that is drawn first: those of the field of the first pair.
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

/// The images that are not as they were.
fn images(renaming: &Renaming) -> Vec<Image> {
    let identity = Renaming::identity(renaming);
    let moved = |fluent: &usize| {
        renaming.fluents[*fluent] != identity.fluents[*fluent]
            || renaming.values[*fluent] != identity.values[*fluent]
    };
    let image = |fluent: usize| Image {
        from: fluent as u32,
        to: renaming.fluents[fluent].0,
        values: renaming.values[fluent].clone(),
    };
    (0..renaming.fluents.len()).filter(moved).map(image).collect()
}

/// How many pairs are told.
const TOLD: usize = 4;
