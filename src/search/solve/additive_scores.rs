//! Games with additive scores (Dots and Boxes): the remaining score of a position does not depend on the scores so far,
//! so positions need not be distinguished by them.
//!
//! Technique: dynamic programming over a dense index. The index of a position consists of its bits without the scores
//! (`tallies`). By index, a table holds the score difference that the players still gain under optimal play; it is
//! filled from one end to the other, if moves lead to greater indices only, or to smaller ones only. The first player
//! wins if he can make the final difference greater than 0. The moves are bitsliced gates for many indices at once
//! (`filling`); otherwise the interpreter or machine code expands the position of each index.
//! Source: Bellman, "Dynamic programming" (1957); Barker and Korf, "Solving Dots-and-Boxes" (2012), for the scores.
//! Cost: three bytes for each combination of the bits, reachable or not, and all moves of each once.
//! *Invariants:* an entry is known only if the entries of all its moves are. A known entry also holds the most that
//! each player can still score on any path from it, so the solver gives no value for a position from which a score
//! might leave its range, which the table cannot see.

use bouton_base::rational::Rational;

use self::bitsliced_fill::BitslicedFill;
use self::score_slots::ScoreSlots;
use self::table::{RemainingScore, ScoreTable};
use super::extract::{SearchEngine, SearchInterrupted, SolutionBuilder};
use super::graph_labelling::REQUESTED_REASON;
use super::leaf_value::{LeafValues, SearchObjective};
use super::solver::{SolveRequest, Solver};
use super::{Inapplicable, Solution, alphabeta};
use crate::game::CompiledMachine;
use crate::game::explore::FaultyPosition;
use bouton_backend::{PositionRef, Status};
use bouton_base::id::Id;
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_circuit::{Circuit, ControlId, Position, SlotId};
use bouton_lower::EndingOutcome;

mod bitsliced_fill;
mod score_slots;
mod table;

/// The maximal number of index bits of a table, those of the control included.
const MAX_INDEX_BITS: u32 = 28;
/// The number of entries between two checks of the limits.
const POLL_INTERVAL: u64 = 1 << 14;

/// A position that this method can solve, with the analysis of its game.
struct AdditiveGame<'g> {
    machine: &'g CompiledMachine,
    from: Position,
    sum: Rational,
    tallies: ScoreSlots,
    numbers: ScorelessIndex,
    score_sign: i64,
}

/// Checks that this method can solve a position; the error is the reason why not, in one sentence.
fn check_applicable<'g>(request: &SolveRequest<'g>) -> Result<AdditiveGame<'g>, Inapplicable> {
    let &SolveRequest { game, state, options, limits, .. } = request;
    if options.count_plies {
        return Err("this method does not count plies".into());
    }
    let (machine, from, sum) = alphabeta::value_search_input(game, state, options)?;
    let circuit = machine.runner().circuit();
    let highest = |verdict: &EndingOutcome| {
        if let EndingOutcome::Best(highest) = verdict { Some(*highest) } else { None }
    };
    let mut endings = machine.lowered().endings.iter().map(|ending| highest(&ending.verdict));
    let way = match endings.next().flatten() {
        Some(first) if endings.all(|other| other == Some(first)) => {
            if first {
                1
            } else {
                -1
            }
        }
        _ => return Err("this method is for games that the scores of two players decide".into()),
    };
    let tallies = ScoreSlots::of(circuit).ok_or("the scores do more than add up")?;
    let controls = circuit.controls.len();
    let fits =
        |numbers: &ScorelessIndex| numbers.bits() + controls.next_power_of_two().ilog2() <= MAX_INDEX_BITS;
    let numbers = ScorelessIndex::of(circuit, &tallies).filter(fits);
    let numbers = numbers.ok_or("too many combinations of bits for one table")?;
    match limits.check_held(ScoreTable::bytes(numbers.bits(), controls)) {
        Some(hit) => Err(hit.into()),
        None => Ok(AdditiveGame { machine, from, sum, tallies, numbers, score_sign: way }),
    }
}

impl AdditiveGame<'_> {
    fn controls(&self) -> usize {
        self.machine.runner().circuit().controls.len()
    }

    /// The number of entries for all controls together.
    fn count(&self) -> u64 {
        (self.controls() as u64) << self.numbers.bits()
    }
}

/// One table of the remaining scores.
pub struct Scores;

impl Solver for Scores {
    fn name(&self) -> &'static str {
        "scores"
    }

    fn description(&self) -> &'static str {
        "one table of the remaining scores, where scores only add up"
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        check_applicable(request).map(|_| ())
    }

    fn picked_reason(&self) -> Option<&'static str> {
        Some(
            "the positions are too many to list, but scores only add up, so one table of the remaining scores \
             decides",
        )
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        let &SolveRequest { game, options, limits, progress, .. } = request;
        let mut solution = Solution::unknown(self.name(), REQUESTED_REASON, "");
        let fit = match check_applicable(request) {
            Ok(fit) => fit,
            Err(reason) => {
                let (limit, reason) = (limits.check(), Some(reason.to_string()));
                return Ok(Solution { limit, reason, ..solution });
            }
        };
        progress.phase("filling the table");
        let (from, sum, margin) = (fit.from.clone(), fit.sum.clone(), options.margin);
        let asked = SearchObjective::of(fit.machine, game, options, false);
        match FilledScoreTable::fill(fit, asked, limits, progress) {
            Ok(search) => {
                let mut teller = SolutionBuilder {
                    game,
                    search,
                    sum,
                    margin,
                    plies: false,
                    before: Vec::new(),
                    value_nodes: u64::MAX,
                };
                teller.solve(&from, options, true, &mut solution)?;
                solution.positions = teller.search.looked;
            }
            Err(hit) => {
                solution.reason = Some(hit.to_string());
                solution.limit = Some(hit);
            }
        }
        Ok(solution)
    }
}

/// The bijection between the bits of positions, except the scores, and dense indices.
#[derive(Clone, Debug)]
struct ScorelessIndex {
    /// The bits of slots, from the lowest bit of an index up.
    slots: Vec<(SlotId, u32)>,
    /// Runs of bits: their word, the lowest bit there, that bit in the index, and their number.
    runs: Vec<(usize, u32, u32, u32)>,
}

impl ScorelessIndex {
    /// Returns `None` if a slot is wider than a word.
    fn of(circuit: &Circuit, tallies: &ScoreSlots) -> Option<ScorelessIndex> {
        let (mut slots, mut runs) = (Vec::new(), Vec::<(usize, u32, u32, u32)>::new());
        for (id, slot) in circuit.layout.slots.entries() {
            if tallies.slots.contains(&id) {
                continue;
            }
            let &[maybe] = slot.maybe.words() else { return None };
            for bit in (0..slot.width()).filter(|bit| maybe >> bit & 1 == 1) {
                let (word, from) = (slot.word as usize, slot.bit + bit);
                match runs.last_mut() {
                    Some((of, first, _, many)) if *of == word && *first + *many == from => *many += 1,
                    _ => runs.push((word, from, slots.len() as u32, 1)),
                }
                slots.push((id, bit));
            }
        }
        Some(ScorelessIndex { slots, runs })
    }

    fn bits(&self) -> u32 {
        self.slots.len() as u32
    }

    fn number(&self, words: &[u64]) -> u64 {
        let part = |&(word, from, to, many): &(usize, u32, u32, u32)| {
            (words[word] >> from & u64::MAX >> (u64::BITS - many)) << to
        };
        self.runs.iter().fold(0, |number, run| number | part(run))
    }

    /// Writes the words of an index, with scores of 0.
    fn position(&self, number: u64, words: &mut [u64]) {
        words.fill(0);
        for &(word, from, to, many) in &self.runs {
            words[word] |= (number >> to & u64::MAX >> (u64::BITS - many)) << from;
        }
    }
}

/// The filled table as a search engine.
struct FilledScoreTable<'a> {
    fit: AdditiveGame<'a>,
    worth: LeafValues<'a>,
    limits: &'a Limits,
    table: ScoreTable,
    /// The number of known entries.
    looked: u64,
}

impl<'a> FilledScoreTable<'a> {
    /// Fills the table for moves that lead to greater indices; if that leaves the position unknown, for the other
    /// direction.
    fn fill(
        fit: AdditiveGame<'a>,
        asked: SearchObjective<'a>,
        limits: &'a Limits,
        progress: &dyn Progress,
    ) -> Result<FilledScoreTable<'a>, LimitHit> {
        if limits.positions.is_some_and(|most| fit.count() > most) {
            return Err(LimitHit::Positions);
        }
        let filling = BitslicedFill::of(&fit);
        let table = ScoreTable::new(fit.numbers.bits(), fit.controls());
        let mut filled = FilledScoreTable { fit, worth: LeafValues::new(asked), limits, table, looked: 0 };
        for up in [true, false] {
            filled.looked = match &filling {
                Some(filling) => filling.run(up, &mut filled.table, limits, progress)?,
                None => filled.run(up, progress)?,
            };
            if filled.remaining_score(&filled.fit.from).is_some() {
                break;
            }
        }
        Ok(filled)
    }

    /// Fills the table entry by entry, for moves that lead to greater indices (`up`) or to smaller ones. Returns the
    /// number of known entries.
    fn run(&mut self, up: bool, progress: &dyn Progress) -> Result<u64, LimitHit> {
        let AdditiveGame { machine, numbers, tallies, score_sign: way, .. } = &self.fit;
        let (runner, held, limits) = (machine.runner(), self.held_bytes(), self.limits);
        let (circuit, sites) = (runner.circuit(), runner.sites());
        let size = circuit.layout.words as usize;
        let (mut words, mut records) = (vec![0; size], Vec::new());
        let (mut looked, controls) = (0, circuit.controls.len());
        let count = self.fit.count();
        for step in 0..count {
            let place = if up { count - 1 - step } else { step };
            let (number, control) = (place / controls as u64, (place % controls as u64) as usize);
            if step % POLL_INTERVAL == 0 {
                if let Some(hit) = limits.check() {
                    return Err(hit);
                }
                progress.positions(step, held);
            }
            numbers.position(number, &mut words);
            records.clear();
            let id = ControlId(control as u32);
            let rest = match runner.records(PositionRef { control: id, words: &words }, &mut records) {
                Err(_) => None,
                Ok(Status::Over(_)) => Some(RemainingScore { difference: 0, max_scores: [0; 2] }),
                Ok(Status::Open) => {
                    let first = machine.actor(id) == 0;
                    let children = records.chunks_exact(size + 1).map(|record| {
                        let (to, words) = (sites[record[0] as u32 as usize].0, &record[1..]);
                        let next = numbers.number(words);
                        let (there, here) = ((next, to), (number, control as u32));
                        let known = if up { there > here } else { there < here };
                        let rest = known.then(|| self.table.get(to as usize, next)).flatten();
                        rest.and_then(|rest| tallies.add(words, rest, *way))
                    });
                    best(children, first)
                }
            };
            looked += u64::from(rest.is_some());
            self.table.set(control, number, rest);
        }
        Ok(looked)
    }

    fn remaining_score(&self, at: &Position) -> Option<RemainingScore> {
        self.table.get(at.control.index(), self.fit.numbers.number(&at.words))
    }

    /// Returns the value of a position to the first player.
    fn worth(&mut self, at: &Position) -> Result<i32, SearchInterrupted> {
        let scores = self.fit.tallies.scores(&at.words);
        let most = self.fit.tallies.max_scores;
        let Some(rest) = self.remaining_score(at) else {
            return Err(SearchInterrupted::NotApplicable(
                "the bits do not give the order of positions".into(),
            ));
        };
        if (0..2).any(|player| scores[player] + i64::from(rest.max_scores[player]) > most[player]) {
            return Err(SearchInterrupted::NotApplicable(
                "a score may leave its range, which this method does not support".into(),
            ));
        }
        let difference = self.fit.score_sign * (scores[0] - scores[1]) + i64::from(rest.difference);
        if self.worth.asked.margin {
            return Ok(difference as i32);
        }
        let (better, worse) = (difference.max(0), (-difference).max(0));
        let scores = if self.fit.score_sign > 0 { [better, worse] } else { [worse, better] };
        Ok(self.worth.of(0, &scores)?)
    }
}

/// Returns the best remaining score for the player to move; `None` if that of a move is unknown, or there is no move.
fn best(children: impl Iterator<Item = Option<RemainingScore>>, first: bool) -> Option<RemainingScore> {
    let mut all: Option<RemainingScore> = None;
    for child in children {
        let child = child?;
        all = Some(all.map_or(child, |best| {
            let (a, b) = (best.difference, child.difference);
            let most = [0, 1].map(|player| best.max_scores[player].max(child.max_scores[player]));
            RemainingScore { difference: if first { a.max(b) } else { a.min(b) }, max_scores: most }
        }));
    }
    all
}

impl ScoreSlots {
    /// Returns the scores of both players.
    fn scores(&self, words: &[u64]) -> [i64; 2] {
        self.places.map(|(word, bit, mask)| (words[word] >> bit & mask) as i64)
    }

    /// Adds the gains of a move to a remaining score; `None` if a sum is too large for the table.
    #[inline]
    fn add(&self, words: &[u64], rest: RemainingScore, way: i64) -> Option<RemainingScore> {
        let gains = self.scores(words);
        let difference = i64::from(rest.difference) + way * (gains[0] - gains[1]);
        let most = [0, 1].map(|player| i64::from(rest.max_scores[player]) + gains[player]);
        let fits = most.iter().all(|&most| most <= i64::from(i8::MAX));
        fits.then(|| RemainingScore { difference: difference as i8, max_scores: most.map(|most| most as u8) })
    }
}

impl SearchEngine for FilledScoreTable<'_> {
    fn machine(&self) -> &CompiledMachine {
        self.fit.machine
    }

    fn limits(&self) -> &Limits {
        self.limits
    }

    fn nodes(&self) -> u64 {
        self.looked
    }

    fn set_node_limit(&mut self, _nodes: u64) {}

    fn held_bytes(&self) -> u64 {
        self.table.held_bytes()
    }

    fn score_sign(&self) -> Option<i64> {
        Some(self.fit.score_sign)
    }

    fn range(&self) -> (i32, i32) {
        self.worth.asked.range
    }

    fn value(&mut self, at: &Position, bounds: &mut (i32, i32)) -> Result<(), SearchInterrupted> {
        let value = self.worth(at)?;
        *bounds = (value, value);
        Ok(())
    }

    fn keeps_value(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, SearchInterrupted> {
        let worth = self.worth(to)?;
        Ok(if maximises { worth >= value } else { worth <= value })
    }

    fn re_search(&mut self, _at: &Position, _maximises: bool, _value: i32) -> Result<(), SearchInterrupted> {
        Ok(())
    }

    fn known_to_keep_value(&self, _to: &Position, _maximises: bool, _value: i32) -> Option<u64> {
        None
    }

    fn path(&self) -> Vec<Position> {
        Vec::new()
    }
}
