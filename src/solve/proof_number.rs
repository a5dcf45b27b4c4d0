//! The proof-number search family: PNS, PN², df-pn, df-pn+, PDS, PN*, lambda search. It answers the question "does the
//! first player get at least t?" by expanding the positions that need the fewest further proofs, until the lower and
//! the upper bound meet.
//!
//! Technique: PNS and PN² (`pns`) hold the tree in memory; df-pn, PDS and PN* (`dfpn`) search depth first with a
//! transposition table. A series of such questions narrows the bounds of the first player's payoff; the table keeps
//! proved bounds between questions.
//! Source: Allis, van der Meulen, van den Herik (1994); Kishimoto, Winands, Mueller, Saito, "Game-tree search using
//! proof numbers: the first twenty years" (2012).
//! Cost: small where one side can force matters, so that the branching factor is low.
//! Invariant: an answer rests on terminals and, where positions repeat, on the payoff that the rules give to infinite
//! play; a limit gives bounds or nothing.

use num_rational::Rational64;

use self::deepening::Deepening;
use self::dfpn::Dfpn;
use self::numbers::Together;
use self::pns::Pns;
use self::question::Eyes;
use super::alphabeta::by_values;
use super::choice::ASKED;
use super::measure::Measure;
use super::stakes::{self, Unsettled};
use super::telling::{Halted, Searching, Teller};
use super::transpositions::{GREATEST, LEAST};
use super::worth::Asked;
use super::{Method, Options, Solution};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::Position;
use crate::game::explore::Broken;
use crate::game::{CompiledMachine, Game, State};

pub mod deepening;
mod dfpn;
pub mod numbers;
mod pns;
mod question;
mod table;
mod threats;
pub mod tree;
mod way;
mod widening;

/// The memory budget of a search in bytes if no limit is set.
const BYTES: u64 = 1 << 30;

/// The initial proof and disproof numbers of a position that is not expanded yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Initial {
    /// 1 and 1.
    #[default]
    One,
    /// For df-pn: 1 and 1 after a move that threatens to win at once, where the rules show such moves; any other move
    /// costs its mover more.
    Threats,
    /// As [`Threats`](Self::Threats), and the worse the rules' `evaluate` rates the position after a move for its
    /// mover, the more the move costs.
    Guesses,
    /// 1 for the mover to prove his goal, and the number of moves for the other side. The search expands the position
    /// for that, so a position that one move decides is answered at once.
    Mobility,
}

/// The reason shown when the planner picks df-pn by itself.
pub const PICKED: &str = "the positions are too many to list them all, and may come back, so a search by proof numbers \
                          decides";

/// The reason why df-pn+ does not apply: it needs an evaluation.
const NO_GUESSES: &str = "the rules have no `evaluate` that guesses what positions are worth";

/// The parameters of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// The rule that combines the numbers of moves.
    pub together: Together,
    /// The initial numbers of positions.
    pub initial: Initial,
    /// For depth-first searches: the thresholds that end the search of a move.
    pub deepening: Deepening,
    /// The fraction by which thresholds rise there (1 + epsilon).
    pub epsilon: (u32, u32),
    /// For PNS, delayed evaluation: true if the search detects a terminal only when it expands the terminal itself, not
    /// when it expands the position before.
    pub delayed: bool,
    /// For df-pn: the highest order of the threat attacks (lambda search) below the root, where one more order is
    /// tried; 0 for none.
    pub threats: usize,
    /// For attacks: true if the attacker may answer a threat of the other side by a move that threatens nothing (dual
    /// lambda search).
    pub dual: bool,
    /// For df-pn: the search considers one unrefuted move plus this fraction of the others (focused df-pn); `None` for
    /// all.
    pub width: Option<(u32, u32)>,
    /// For df-pn with initial numbers by evaluation (df-pn+): true if the penalty of a move is an edge cost that
    /// applies at each visit, not only part of the initial numbers.
    pub costs: bool,
    /// For df-pn: true if passes before the search take a decisive evaluation for an answer (pseudo-proof iteration).
    pub widening: bool,
}

impl Tuning {
    /// The defaults of a method.
    pub fn of(method: Method) -> Tuning {
        let plain = Tuning {
            together: Together::Weak,
            initial: Initial::Threats,
            deepening: Deepening::NextBest,
            epsilon: (1, 4),
            delayed: false,
            threats: 0,
            dual: false,
            width: None,
            costs: false,
            widening: false,
        };
        match method {
            Method::Dfpn => plain,
            Method::DfpnPlus => Tuning { initial: Initial::Guesses, ..plain },
            Method::Widening => Tuning { widening: true, ..plain },
            Method::Focused => Tuning { width: Some((1, 4)), ..plain },
            Method::Lambda => Tuning { threats: 2, ..plain },
            Method::DualLambda => Tuning { threats: 2, dual: true, ..plain },
            Method::Pds => Tuning { deepening: Deepening::Both, ..plain },
            Method::PnStar => Tuning { deepening: Deepening::Proof, ..plain },
            _ => Tuning { together: Together::Sum, initial: Initial::One, ..plain },
        }
    }
}

/// A search that answers questions about positions.
trait Prover<'a> {
    /// Returns true if the first player gets at least `t`.
    fn ask(&mut self, at: &Position, t: i32) -> Result<bool, Halted>;

    /// Searches a position although its answer is known, so that the answers of the moves that it rests on become
    /// known.
    fn again(&mut self, _at: &Position, _t: i32) -> Result<(), Halted> {
        Ok(())
    }

    /// Returns the answer if it is known without a search.
    fn knows(&self, _at: &Position, _t: i32) -> Option<bool> {
        None
    }

    /// Returns the approximate number of positions that the search expanded for its knowledge of this one; 0 if it
    /// keeps no count.
    fn spent(&self, _at: &Position) -> u64 {
        0
    }

    /// The expander of positions.
    fn eyes(&self) -> &Eyes<'a>;

    /// The expander of positions, mutable.
    fn eyes_mut(&mut self) -> &mut Eyes<'a>;

    /// The peak memory in bytes.
    fn held_bytes(&self) -> u64;

    /// The path of a search that ended early, from its root.
    fn way(&self) -> Vec<Position>;
}

impl<'a> Searching for Box<dyn Prover<'a> + 'a> {
    fn machine(&self) -> &CompiledMachine {
        self.eyes().worth.asked.machine
    }

    fn limits(&self) -> &Limits {
        self.eyes().limits
    }

    fn nodes(&self) -> u64 {
        self.eyes().nodes
    }

    fn stop_at(&mut self, nodes: u64) {
        self.eyes_mut().most = nodes;
    }

    fn held_bytes(&self) -> u64 {
        self.as_ref().held_bytes()
    }

    fn way_up(&self) -> Option<i64> {
        self.eyes().worth.way
    }

    fn range(&self) -> (i32, i32) {
        self.eyes().worth.asked.range
    }

    fn endless(&self) -> Option<i32> {
        self.eyes().endless()
    }

    fn way(&self) -> Vec<Position> {
        self.as_ref().way()
    }

    fn value(&mut self, at: &Position, (low, high): &mut (i32, i32)) -> Result<(), Halted> {
        let mut step = 1;
        while low < high {
            // While one bound is unknown, the distance to the known one doubles with each question.
            let t = match (*low == LEAST, *high == GREATEST) {
                (true, true) => 0,
                (true, false) => high.saturating_sub(step - 1).max(LEAST + 1),
                (false, true) => low.saturating_add(step).min(GREATEST),
                (false, false) => *low + (*high - *low + 1) / 2,
            };
            step = step.saturating_mul(2);
            if self.ask(at, t)? {
                *low = t;
            } else {
                *high = t - 1;
            }
        }
        Ok(())
    }

    fn again(&mut self, at: &Position, maximises: bool, value: i32) -> Result<(), Halted> {
        let t = if maximises { value } else { value + 1 };
        let (least, greatest) = self.range();
        if t > least && t <= greatest { self.as_mut().again(at, t) } else { Ok(()) }
    }

    fn surely_keeps(&self, to: &Position, maximises: bool, value: i32) -> Option<u64> {
        let known = self.knows(to, if maximises { value } else { value + 1 })?;
        (known == maximises).then(|| self.spent(to))
    }

    fn keeps(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, Halted> {
        let t = if maximises { value } else { value + 1 };
        let (least, greatest) = self.range();
        // A value beyond the range of all terminals needs no search.
        let yes = if t <= least { true } else { t <= greatest && self.ask(to, t)? };
        Ok(yes == maximises)
    }
}

/// Returns the payoff of infinite play to the first player; or the reason why it is unknown, in one sentence.
fn endless(game: &Game, options: &Options, sum: Rational64) -> Result<i32, String> {
    let payoffs = match stakes::endless(&game.rules) {
        _ if options.margin => None,
        Ok(payoffs) => payoffs.filter(|payoffs| payoffs.iter().sum::<Rational64>() == sum),
        Err(Unsettled::Reason(reason)) => return Err(format!("{MAY_COME_BACK}, and {reason}")),
        Err(Unsettled::Limit(hit)) => return Err(hit.to_string()),
    };
    let first = payoffs.and_then(|payoffs| payoffs.first().copied()).filter(Rational64::is_integer);
    let first = first.and_then(|first| i32::try_from(first.to_integer()).ok());
    let first = first.filter(|first| (LEAST + 1..GREATEST).contains(first));
    first.ok_or_else(|| {
        format!("{MAY_COME_BACK}, and no `repeat` rule says in whole numbers what that is worth")
    })
}

/// The reason why infinite play needs a payoff.
const MAY_COME_BACK: &str = "no measure was found that play always raises, so positions may come back";

/// Checks that df-pn can solve a position; the error is the reason why not, in one sentence.
pub fn fits(game: &Game, state: &State, options: &Options, limits: &Limits) -> Result<(), String> {
    Fit::of(game, state, options, limits).map(|_| ())
}

/// The data that these methods need about a position.
struct Fit<'g> {
    machine: &'g CompiledMachine,
    from: Position,
    sum: Rational64,
    measure: Option<Measure>,
    endless: Result<i32, String>,
}

impl<'g> Fit<'g> {
    fn of(game: &'g Game, state: &State, options: &Options, limits: &Limits) -> Result<Fit<'g>, String> {
        let (machine, from, sum) = by_values(game, state, options)?;
        let measure = Measure::of(machine.runner(), &from, limits);
        let endless = endless(game, options, sum);
        match (&measure, &endless, limits.check()) {
            (None, _, Some(hit)) => Err(hit.to_string()),
            (None, Err(reason), None) => Err(reason.clone()),
            _ => Ok(Fit { machine, from, sum, measure, endless }),
        }
    }
}

/// Solves a position by a method of this family, with best moves and a principal variation if `moves` is true. If it
/// cannot, the solution holds the reason.
pub fn solve(
    game: &Game,
    state: &State,
    (method, tuning, moves): (Method, Tuning, bool),
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    let nothing = Solution::unknown(method.name(), ASKED, "");
    let guesses = tuning.widening || tuning.initial == Initial::Guesses;
    if guesses && game.rules.evaluate.is_none() {
        return Ok(Solution { reason: Some(NO_GUESSES.into()), ..nothing });
    }
    let refused =
        |reason: String| Solution { limit: limits.check(), reason: Some(reason), ..nothing.clone() };
    let Fit { machine, from, sum, measure, endless } = match Fit::of(game, state, options, limits) {
        Ok(fit) => fit,
        Err(reason) => return Ok(refused(reason)),
    };
    let most = limits.memory_bytes.map_or(BYTES, |bytes| bytes - bytes / 16);
    let asked = Asked::of(machine, &game.rules, options, false);
    let mut eyes = Eyes::new(asked, (&from, measure, endless), (limits, progress));
    eyes.guesses = guesses.then_some(game);
    let search: Option<Box<dyn Prover<'_> + '_>> = match method {
        Method::Pns | Method::Pn2 => Some(Box::new(Pns::new(eyes, tuning, method == Method::Pn2, most))),
        _ => Dfpn::new(eyes, tuning, most).map(|dfpn| Box::new(dfpn) as Box<dyn Prover<'_>>),
    };
    let Some(search) = search else {
        let hit = LimitHit::Memory;
        return Ok(Solution { limit: Some(hit), reason: Some(hit.to_string()), ..nothing });
    };
    progress.phase("searching");
    let mut solution = nothing;
    let mut teller = Teller { game, search, sum, margin: options.margin, plies: false, before: Vec::new() };
    teller.solve(&from, options, moves, &mut solution)?;
    Ok(solution)
}
