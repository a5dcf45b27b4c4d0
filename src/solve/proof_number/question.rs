//! A question about positions, "does the first player get at least t?", as an And-Or tree that a search may look into.
//!
//! Technique: a position is looked at together with the ends that its moves may bring, so that what is decided by one
//! move has no tree. The mover is answered by one move; moves that end the game against him are left out.
//! Invariant: an answer rests on ends of the game alone, so it is right however a search comes to the position.

use rustc_hash::FxHashMap;

use crate::base::limits::{LimitHit, Limits, Progress};
use crate::circuit::{ControlId, Position};
use crate::exec::{Ahead, Ending, Runner, Status as Stands};
use crate::game::CompiledMachine;
use crate::rules::Rules;
use crate::solve::measure::{Measure, Step};
use crate::solve::stakes;
use crate::solve::transpositions::{GREATEST, LEAST};

/// How many positions are looked at between two looks at the limits.
const GLANCE: u64 = 1 << 10;

/// Why a search ended early.
pub enum Halted {
    /// A limit was reached.
    Limit(LimitHit),
    /// The positions that telling of best moves may take were looked at.
    Enough,
    /// The rules have no meaning in this position.
    Broken(Position),
    /// It was not the right method, in one sentence.
    Wrong(String),
    /// A move did not raise the measure. There is a new one now, and the question is to be asked again.
    Learned,
}

/// What is seen of a position.
pub enum Seen {
    /// The answer.
    Answered(bool),
    /// So many moves have to be searched.
    Open(usize),
}

/// Looks at positions of one game, and counts them.
pub struct Eyes<'a> {
    /// The game.
    pub machine: &'a CompiledMachine,
    runner: &'a dyn Runner,
    rules: &'a Rules,
    margin: bool,
    /// With margins: which way scores are better.
    pub way: Option<i64>,
    /// By number of the end, what its scores are worth.
    worth: Vec<FxHashMap<Box<[i64]>, i32>>,
    measure: Measure,
    /// The limits of the work.
    pub limits: &'a Limits,
    progress: &'a dyn Progress,
    ahead: Ahead,
    here: Position,
    /// By control: whether the first player acts.
    first: Vec<bool>,
    /// How many positions were looked at, and how many may be.
    pub nodes: u64,
    /// See [`nodes`](Self::nodes).
    pub most: u64,
}

impl<'a> Eyes<'a> {
    /// Eyes for play from a position, in which the measure rises.
    pub fn new(
        (machine, rules, margin): (&'a CompiledMachine, &'a Rules, bool),
        (from, measure): (&Position, Measure),
        (limits, progress): (&'a Limits, &'a dyn Progress),
    ) -> Eyes<'a> {
        let runner = machine.runner();
        let first = runner.circuit().controls.ids().map(|id| machine.actor(id) == 0).collect();
        Eyes {
            machine,
            runner,
            rules,
            margin,
            way: None,
            worth: Vec::new(),
            measure,
            limits,
            progress,
            ahead: Ahead::default(),
            here: from.clone(),
            first,
            nodes: 0,
            most: u64::MAX,
        }
    }

    /// Whether the first player moves in positions of a control.
    pub fn is_first(&self, control: u32) -> bool {
        self.first[control as usize]
    }

    /// How many words a state has.
    pub fn size(&self) -> usize {
        self.here.words.len()
    }

    /// Looks at the position whose words, with its control behind them, begin at a place; appends those of the moves that
    /// have to be searched. Who asks holds so many bytes.
    pub fn look(&mut self, out: &mut Vec<u64>, at: usize, t: i32, held_bytes: u64) -> Result<Seen, Halted> {
        self.count(held_bytes)?;
        let size = self.size();
        self.here.control = ControlId(out[at + size] as u32);
        self.here.words.copy_from_slice(&out[at..at + size]);
        match self.runner.ahead(&self.here, &mut self.ahead) {
            Ok(Stands::Over(end)) => return Ok(Seen::Answered(self.worth(end.ending, &end.scores)? >= t)),
            Ok(Stands::Open) if !self.ahead.is_empty() => {}
            _ => return Err(Halted::Broken(self.here.clone())),
        }
        let first = self.is_first(self.here.control.0);
        let before = out.len();
        let ahead = std::mem::take(&mut self.ahead);
        let mut answered = false;
        for (index, child) in ahead.children.words.chunks_exact(size + 1).enumerate() {
            match ahead.end(index) {
                None => out.extend_from_slice(child),
                Some((ending, scores)) => {
                    if (self.worth(ending, scores)? >= t) == first {
                        answered = true;
                        break;
                    }
                }
            }
        }
        self.ahead = ahead;
        let open = (out.len() - before) / (size + 1);
        if answered || open == 0 {
            out.truncate(before);
            return Ok(Seen::Answered(answered == first));
        }
        Ok(Seen::Open(open))
    }

    /// What an end is worth, in whole numbers.
    fn worth(&mut self, ending: u32, scores: &[i64]) -> Result<i32, Halted> {
        let index = ending as usize;
        if let Some(&worth) = self.worth.get(index).and_then(|known| known.get(scores)) {
            return Ok(worth);
        }
        let outcome = self.machine.outcome(&Ending { ending, scores: scores.to_vec() });
        let number = if self.margin {
            let (way, differences) =
                stakes::margins(self.rules, std::slice::from_ref(&outcome)).map_err(Halted::Wrong)?;
            if self.way.replace(way).is_some_and(|old| old != way) {
                return Err(Halted::Wrong("the game has both a highest and a lowest score".into()));
            }
            differences[0][0]
        } else {
            outcome.payoffs[0]
        };
        let whole = number.is_integer().then(|| i32::try_from(number.to_integer()).ok()).flatten();
        let worth = whole.filter(|n| (LEAST + 1..GREATEST).contains(n)).ok_or_else(|| {
            Halted::Wrong("this method needs payoffs that are whole numbers and not too large".into())
        })?;
        self.worth.resize(self.worth.len().max(index + 1), FxHashMap::default());
        self.worth[index].insert(scores.into(), worth);
        Ok(worth)
    }

    /// Makes sure that a move does not come back to a position, so that the search ends: none where the measure rises;
    /// else the controls since it last rose, among which the new one may not be. Positions are words with their controls
    /// behind them; `turns` are those controls before the first.
    pub fn follow(&mut self, from: &[u64], to: &[u64], turns: u64) -> Result<u64, Halted> {
        let size = self.size();
        let (here, there) = (from[size], to[size]);
        match self.measure.step(&from[..size], &to[..size]) {
            Step::Up => Ok(0),
            Step::Level => {
                let seen = turns | 1u64.checked_shl(here as u32).unwrap_or(!0);
                let again = there >= 64 || here >= 64 || seen >> there & 1 == 1;
                if again { Err(Halted::Wrong(super::ENDLESS.into())) } else { Ok(seen) }
            }
            Step::Wrong => {
                let learned = self.measure.learn(&position(from), &position(to));
                Err(if learned { Halted::Learned } else { Halted::Wrong(super::ENDLESS.into()) })
            }
        }
    }

    /// One more position, unless a limit is reached.
    fn count(&mut self, held_bytes: u64) -> Result<(), Halted> {
        if self.nodes >= self.most {
            return Err(Halted::Enough);
        }
        if self.limits.positions.is_some_and(|most| self.nodes >= most) {
            return Err(Halted::Limit(LimitHit::Positions));
        }
        if self.nodes.is_multiple_of(GLANCE) {
            if let Some(hit) = self.limits.check_held(held_bytes) {
                return Err(Halted::Limit(hit));
            }
            self.progress.positions(self.nodes, held_bytes);
        }
        self.nodes += 1;
        Ok(())
    }
}

/// A position from its words with its control behind them.
pub fn position(at: &[u64]) -> Position {
    let (&control, words) = at.split_last().expect("a control is there");
    Position { control: ControlId(control as u32), words: words.into() }
}

/// The words of a position with its control behind them.
pub fn words(at: &Position) -> Vec<u64> {
    at.words.iter().copied().chain([u64::from(at.control.0)]).collect()
}
