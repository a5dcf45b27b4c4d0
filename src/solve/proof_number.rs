//! The proof-number family: "is it worth at least t?" is answered where the fewest positions have to be found to stand
//! well, until two bounds meet.
//!
//! Technique: [PNS and PN²](pns) hold the tree, [df-pn](dfpn) goes depth first with a table. What the first player gets
//! at least and at most is closed in on by a series of such questions; df-pn keeps what was proved between them.
//! Source: Allis, van der Meulen, van den Herik (1994); Kishimoto, Winands, Mueller, Saito, "Game-tree search using proof
//! numbers: the first twenty years" (2012).
//! Cost: small where one side can force matters, so that few moves lead far.
//! Invariant: an answer rests on ends of the game; a limit gives bounds or nothing.

use num_rational::Rational64;

use self::dfpn::Dfpn;
use self::numbers::{INFINITE, Together};
use self::pns::Pns;
use self::question::{Eyes, Halted};
use self::telling::Teller;
use super::alphabeta::{self, ENDLESS, Fit};
use super::choice::ASKED;
use super::stakes;
use super::transpositions::{GREATEST, LEAST};
use super::{Bounds, Method, Options, Solution, Status};
use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::Position;
use crate::game::explore::Broken;
use crate::game::{Game, State};

mod dfpn;
pub mod numbers;
mod pns;
mod question;
mod table;
mod telling;
pub mod tree;

/// What a search holds where no limit says how much it may.
const BYTES: u64 = 1 << 30;

/// The numbers of a position that was never looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Initial {
    /// 1 and 1.
    #[default]
    One,
    /// 1 for the mover to have his way, and for the other side so many as there are moves. The position is looked at for
    /// that, so one that is decided by a move is known to be.
    Mobility,
}

/// What may be chosen in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// How the numbers of moves are put together.
    pub together: Together,
    /// The numbers that positions begin with.
    pub initial: Initial,
    /// Of df-pn: a move is searched until it takes this part more than the next best.
    pub epsilon: (u32, u32),
}

impl Tuning {
    /// What a method takes where nothing else is said.
    pub fn of(method: Method) -> Tuning {
        match method {
            Method::Dfpn => Tuning { together: Together::Weak, initial: Initial::One, epsilon: (1, 4) },
            _ => Tuning { together: Together::Sum, initial: Initial::One, epsilon: (0, 1) },
        }
    }

    /// The phi and delta at which a move is left, as the mover sees them: where the position itself is left, where the
    /// next best move is better, and where all moves together, of which the others have so much, are too much.
    fn thresholds(&self, (phi, delta): (u32, u32), second: u32, beside: u64) -> (u32, u32) {
        let (part, whole) = self.epsilon;
        let more = u64::from(second) + u64::from(second) * u64::from(part) / u64::from(whole.max(1)) + 1;
        let phi = more.min(u64::from(phi)) as u32;
        let delta = if delta == INFINITE { INFINITE } else { (u64::from(delta) - beside) as u32 };
        (phi, delta)
    }
}

/// What answers questions about positions.
trait Prover<'a> {
    /// Whether the first player gets at least `t`.
    fn ask(&mut self, at: &Position, t: i32) -> Result<bool, Halted>;

    /// What looks at positions.
    fn eyes(&mut self) -> &mut Eyes<'a>;

    /// The most bytes held.
    fn held_bytes(&self) -> u64;

    /// The positions on the way of a search that ended early, from where it began.
    fn way(&self) -> Vec<Position>;

    /// What a position is worth between these bounds, closed in on as far as limits allow.
    fn close_in(&mut self, at: &Position, (low, high): &mut (i32, i32)) -> Result<(), Halted> {
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
}

/// Solves a position by a method of this family; or says why it cannot.
pub fn solve(
    game: &Game,
    state: &State,
    (method, tuning): (Method, Tuning),
    options: &Options,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Solution, Box<Broken>> {
    let nothing = Solution::unknown(method.name(), ASKED, "");
    let Fit { machine, from, measure, sum } = match alphabeta::fits(game, state, options, limits) {
        Ok(fit) => fit,
        Err(reason) => return Ok(Solution { limit: limits.check(), reason: Some(reason), ..nothing }),
    };
    let most = limits.memory_bytes.map_or(BYTES, |bytes| bytes - bytes / 16);
    let eyes = Eyes::new((machine, &game.rules, options.margin), (&from, measure), (limits, progress));
    let prover: Option<Box<dyn Prover<'_> + '_>> = match method {
        Method::Pns | Method::Pn2 => Some(Box::new(Pns::new(eyes, tuning, method == Method::Pn2, most))),
        _ => Dfpn::new(eyes, tuning, most).map(|dfpn| Box::new(dfpn) as Box<dyn Prover<'_>>),
    };
    let Some(prover) = prover else {
        let hit = LimitHit::Memory;
        return Ok(Solution { limit: Some(hit), reason: Some(hit.to_string()), ..nothing });
    };
    let within = |n: i64| n.clamp(i64::from(LEAST), i64::from(GREATEST)) as i32;
    let range = stakes::range(&game.rules).filter(|_| !options.margin);
    let wide = range.map_or((LEAST, GREATEST), |(low, high)| {
        (within(low.floor().to_integer()), within(high.ceil().to_integer()))
    });
    progress.phase("searching");
    let mut solution = Solution { reason: None, ..nothing };
    let mut teller = Teller { game, prover, sum, margin: options.margin, range: wide, before: Vec::new() };
    let mut bounds = wide;
    let result = match teller.prover.close_in(&from, &mut bounds) {
        Ok(()) => teller.tell(&from, bounds.0, options, &mut solution),
        Err(halted) => {
            if bounds != wide {
                solution.status = Status::Bounded;
                let known =
                    |bound: i32, none: i32| (bound != none).then(|| Rational64::from(i64::from(bound)));
                solution.bounds =
                    Some(Bounds { low: known(bounds.0, LEAST), high: known(bounds.1, GREATEST) });
            }
            Err(halted)
        }
    };
    if let Err(halted) = result {
        teller.give_up(halted, &mut solution)?;
    }
    solution.positions = teller.prover.eyes().nodes;
    solution.memory_bytes = teller.prover.held_bytes();
    Ok(solution)
}
