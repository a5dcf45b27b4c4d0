//! The proof-number family: "is it worth at least t?" is answered where the fewest positions have to be found to stand
//! well, until two bounds meet.
//!
//! Technique: PNS and PN² (`pns`) hold the tree; df-pn, PDS and PN* (`dfpn`) go depth first with a table. What the first
//! player gets at least and at most is closed in on by a series of such questions; what was proved with a table is kept
//! between them.
//! Source: Allis, van der Meulen, van den Herik (1994); Kishimoto, Winands, Mueller, Saito, "Game-tree search using proof
//! numbers: the first twenty years" (2012).
//! Cost: small where one side can force matters, so that few moves lead far.
//! Invariant: an answer rests on ends of the game, and where positions come back on what the rules say of play without
//! end; a limit gives bounds or nothing.

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

/// What a search holds where no limit says how much it may.
const BYTES: u64 = 1 << 30;

/// The numbers of a position that was never looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Initial {
    /// 1 and 1.
    #[default]
    One,
    /// Of df-pn: 1 and 1 after a move that threatens to win at once, where the rules show which do; any other counts
    /// more for who makes it.
    Threats,
    /// The same, and more for a move the less the rules guess that the position after it is worth to who makes it, where
    /// they have an `evaluate`.
    Guesses,
    /// 1 for the mover to have his way, and for the other side so many as there are moves. The position is looked at for
    /// that, so one that is decided by a move is known to be.
    Mobility,
}

/// Why df-pn where it was not asked for.
pub const PICKED: &str = "the positions are too many to list them all, and may come back, so a search by proof numbers \
                          decides";

/// Why df-pn cannot go by guesses.
const NO_GUESSES: &str = "the rules have no `evaluate` that guesses what positions are worth";

/// What may be chosen in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// How the numbers of moves are put together.
    pub together: Together,
    /// The numbers that positions begin with.
    pub initial: Initial,
    /// Of searches depth first: how long a move is searched.
    pub deepening: Deepening,
    /// By which part thresholds rise there.
    pub epsilon: (u32, u32),
    /// Of PNS: whether a move that ends the game is known to when its position is expanded, not before (delayed
    /// evaluation).
    pub delayed: bool,
    /// Of df-pn: up to which order attacks by threats are tried; 0: none.
    pub threats: usize,
    /// Of attacks: whether who attacks may answer a threat of the other side by a move that threatens nothing.
    pub dual: bool,
    /// Of df-pn: of the moves that are not refuted, one and this part of the others are looked at; none: all.
    pub width: Option<(u32, u32)>,
    /// Of df-pn that begins with guesses: whether what a move counts more for them is what it costs each time, not only
    /// at first.
    pub costs: bool,
    /// Of df-pn: whether what the rules guess counts as an answer in passes before, where it says much.
    pub widening: bool,
}

impl Tuning {
    /// What a method takes where nothing else is said.
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

/// What answers questions about positions.
trait Prover<'a> {
    /// Whether the first player gets at least `t`.
    fn ask(&mut self, at: &Position, t: i32) -> Result<bool, Halted>;

    /// Searches a position though the answer is known, so that the answers of its moves are known that it rests on.
    fn again(&mut self, _at: &Position, _t: i32) -> Result<(), Halted> {
        Ok(())
    }

    /// The answer, if it is known without a search.
    fn knows(&self, _at: &Position, _t: i32) -> Option<bool> {
        None
    }

    /// About how many positions were looked at for what is known of this one, if that is kept.
    fn spent(&self, _at: &Position) -> u64 {
        0
    }

    /// What looks at positions.
    fn eyes(&self) -> &Eyes<'a>;

    /// See [`eyes`](Self::eyes).
    fn eyes_mut(&mut self) -> &mut Eyes<'a>;

    /// The most bytes held.
    fn held_bytes(&self) -> u64;

    /// The positions on the way of a search that ended early, from where it began.
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
            // Where nothing is known on one side, one looks further and further.
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
        // What no end can bring needs no search.
        let yes = if t <= least { true } else { t <= greatest && self.ask(to, t)? };
        Ok(yes == maximises)
    }
}

/// What the first player gets from play without end; or why nobody knows, in one sentence.
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

/// Why play without end has to be worth something.
const MAY_COME_BACK: &str = "no measure was found that play always raises, so positions may come back";

/// Whether df-pn can solve a position; or why not, in one sentence.
pub fn fits(game: &Game, state: &State, options: &Options, limits: &Limits) -> Result<(), String> {
    Fit::of(game, state, options, limits).map(|_| ())
}

/// What these methods need to know of a position.
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

/// Solves a position by a method of this family, with best moves and best play where `moves` says so; or says why it
/// cannot.
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
