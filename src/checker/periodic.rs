//! The check of PERIODIC: on the source of the rules for every row, on the grounded rules of all short rows, and by
//! arithmetic.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use bouton_base::rational::Rational;
use rustc_hash::FxHashSet;

use super::{Checked, Checker, Fact, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::{Claim, PayoffBound, PeriodicLemma};
use bouton_grounding::{FALSE, FluentId, Formula, Ground};
use bouton_reference::{Interpreter, State};
use bouton_rules::Rules;
use bouton_rules::parametric::ParametricRules;

/// The reason why a source has no such rules, as a sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct FamilyError(pub String);

/// A source of rules with different values of a parameter.
pub trait RulesFamily {
    /// Returns the rules with this value.
    fn rules(&self, param: &str, value: i64) -> Result<Arc<Rules>, FamilyError>;
    /// Returns the number of cells to either side of its own cell that a move depends on, if the source is uniform in
    /// the length of the row, which is the parameter. It is read off the source, in which the length is still
    /// symbolic.
    fn window(&self, param: &str) -> Result<u32, FamilyError>;
    /// Returns the rules with these settings, each `name=value`.
    fn instance(&self, settings: &[String]) -> Result<Arc<Rules>, FamilyError>;
    /// Returns the schema of the rules in which these parameters stay symbolic; the others have their values.
    fn schema(&self, free: &[String]) -> Result<ParametricRules, FamilyError>;
}

/// The maximal length of rows whose values are computed.
const MAX_ROW_LENGTH: u64 = 20_000;

/// The maximal window of a move.
const MAX_WINDOW: u32 = 24;

impl Checker<'_> {
    /// Proves that the values have the period from `from` on, for every length of the row.
    ///
    /// A move is determined by the distances of its cell from both ends of the row, as far as its window reaches. A
    /// block lies within that distance of the cell, so its distances from the ends, up to twice the window, determine
    /// whether and how it can be filled; and rows of up to four times the window plus one cell contain all these
    /// cases.
    pub(super) fn periodic(&mut self, _: &State, periodic: &PeriodicLemma) -> Checked<Fact> {
        let family = self.family.ok_or("it is for rows of every length, and one row is given")?;
        // The neighbours of a block tell its places apart, also for a move that does not look at them.
        let window = family.window(&periodic.param)?.max(1);
        reject_if(window > MAX_WINDOW, format_args!("a move looks {window} cells far"))?;
        let (lengths, last) = (periodic.digits.len() as u64, periodic.digits.last().copied().unwrap_or(0));
        if last == 0 || lengths > u64::from(2 * window + 1) || periodic.digits.iter().any(|&digit| digit > 7)
        {
            return reject("the digits of lengths are not those of a game, or longer than a move looks");
        }
        let anywhere = periodic.digits.iter().all(|digit| [0, 7].contains(digit));
        reject_if(periodic.from == 0 && !anywhere, "the period would have to begin at 1 or later")?;
        for cells in 1..=i64::from(4 * window + 1) {
            let rules = family
                .rules(&periodic.param, cells)
                .or_else(|reason| reject(format!("a row of {cells}: {reason}")))?;
            self.row(&rules, cells as u32, &periodic.digits)?;
        }
        self.period(periodic)?;
        let PeriodicLemma { param, from, period, .. } = periodic.clone();
        Ok(Fact::Claim(Claim::Period { param, from, period }))
    }

    /// Checks that in a row of this many cells the moves of both players are exactly to fill a block of free cells, of
    /// each length with a digit and at every place where the neighbours of the block are as the digit says.
    fn row(&mut self, rules: &Arc<Rules>, cells: u32, digits: &[u32]) -> Checked<()> {
        let step = format!("{}, a row of {cells}", self.step);
        let step = std::mem::replace(&mut self.step, step);
        let mut of_row = Checker {
            rules,
            family: None,
            grounded: &OnceCell::new(),
            interpreter: Interpreter::new(rules.clone()).within(self.limits),
            limits: self.limits,
            step: String::new(),
            visited: 0,
        };
        of_row.fills_blocks(cells, digits)?;
        self.visited += of_row.visited;
        self.step = step;
        Ok(())
    }

    fn fills_blocks(&mut self, cells: u32, digits: &[u32]) -> Checked<()> {
        let mut ground = self.faultless_ground()?;
        let turn = ground.fluents.turn();
        let phase = ground.fluents.phase();
        let position = ground.initial.clone();
        let possible = ground.delete_relaxation(&position);
        let one = Rational::from_integer(1);
        for holder in 0..2 {
            let bound = PayoffBound { holder: Some(holder), payoff: one.clone() };
            self.holder_of_two(&bound)?;
            self.check_ends_when_stuck(&mut ground, &possible, 1 - holder, &bound)?;
        }
        let board: Vec<FluentId> =
            ground.fluents.iter().map(|(id, _)| id).filter(|id| *id != turn && *id != phase).collect();
        let free = position[board.first().map_or(0, |cell| cell.index())];
        let alike = board
            .iter()
            .all(|&cell| position[cell.index()] == free && ground.fluents.get(cell).values.len() == 2);
        reject_if(board.len() != cells as usize || !alike, "it is not a row of free cells")?;
        for moves in self.checked_board_moves(&mut ground, &possible, turn)? {
            // The conditions under which a block may be filled, by its first cell and its length.
            let mut fillable: BTreeMap<(usize, usize), Formula> = BTreeMap::new();
            for of in moves {
                let mut block: Vec<FluentId> = of.writes.iter().copied().collect();
                block.sort_unstable();
                let fills = |cell: &FluentId| of.updates.get(&(*cell, 1 - free)) == Some(&of.legal);
                let adjacent = block.windows(2).all(|pair| pair[1].index() == pair[0].index() + 1);
                let only = of.updates.len() == block.len();
                if block.is_empty() || !adjacent || !only || !block.iter().all(fills) {
                    return reject("a move does not just fill a block of free cells");
                }
                let first = board.iter().position(|cell| *cell == block[0]).unwrap_or_default();
                let before = fillable.entry((first, block.len())).or_insert(FALSE);
                *before = ground.formulas.or([*before, of.legal]);
            }
            for first in 0..board.len() {
                for length in 1..=board.len() - first {
                    let digit = digits.get(length - 1).copied().unwrap_or(0);
                    let when = fillable.remove(&(first, length)).unwrap_or(FALSE);
                    let block = RowBlock { board: &board, free, first, length };
                    reject_if(
                        !block.follows(&mut ground, when, digit)?,
                        "not just blocks of these lengths may be filled, each as its digit says",
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Checks that the values follow from each other, and that they repeat long enough to repeat forever: if g(n + p)
    /// = g(n) for n0 <= n < 2 n0 + p + k, where k is the longest block, then it holds for all n >= n0. For a move from
    /// n + p leaves two rows, at least one of which has at least n0 + p cells, and p may be subtracted from it; and
    /// conversely. If a move may depend on a row that is left being empty, n0 has to be at least 1, so that none becomes
    /// empty by this.
    fn period(&mut self, periodic: &PeriodicLemma) -> Checked<()> {
        let (from, period) = (u64::from(periodic.from), u64::from(periodic.period));
        let longest = periodic.digits.len() as u64;
        let end = 2 * from + period + longest;
        reject_if(period == 0 || end + period > MAX_ROW_LENGTH, "the period is 0, or too long to compute")?;
        if periodic.values.len() as u64 != from + period {
            return reject("the values are not those up to the first period");
        }
        let mut values: Vec<u32> = Vec::new();
        for n in 0..(end + period) as usize {
            self.tick()?;
            let mut options = FxHashSet::default();
            for (length, digit) in (1..).zip(&periodic.digits) {
                let Some(left) = n.checked_sub(length) else { continue };
                // The rows that are left: none, one, or two.
                options.extend((left == 0 && digit & 1 > 0).then_some(0));
                options.extend((left > 0 && digit & 2 > 0).then(|| values[left]));
                if digit & 4 > 0 {
                    options.extend((1..=left / 2).map(|a| values[a] ^ values[left - a]));
                }
            }
            values.push((0..).find(|value| !options.contains(value)).unwrap_or_default());
            if periodic.values.get(n).is_some_and(|listed| *listed != values[n]) {
                return reject(format!("the value of a row of {n} is {}", values[n]));
            }
            let before = n.checked_sub(period as usize).filter(|before| *before as u64 >= from);
            if before.is_some_and(|before| values[before] != values[n]) {
                return reject(format!(
                    "a row of {n} is not worth what one {period} shorter is, which would have to hold up to {end}"
                ));
            }
        }
        self.visited += end + period;
        Ok(())
    }
}

/// A block of a row.
struct RowBlock<'c> {
    /// The cells of the row.
    board: &'c [FluentId],
    /// The value of a free cell.
    free: u8,
    first: usize,
    length: usize,
}

impl RowBlock<'_> {
    /// Returns true if the condition is that all cells of the block are free and as many of its neighbours as the digit
    /// says.
    fn follows(&self, ground: &mut Ground, when: Formula, digit: u32) -> Checked<bool> {
        let cells = &self.board[self.first..self.first + self.length];
        let all_free: Vec<Formula> = cells.iter().map(|&cell| ground.literal(cell, 1 << self.free)).collect();
        let all_free = ground.formulas.and(all_free);
        let left = self.first.checked_sub(1).map(|cell| self.board[cell]);
        let right = self.board.get(self.first + self.length).copied();
        let neighbours: Vec<FluentId> = left.into_iter().chain(right).collect();
        for chosen in 0..1u32 << neighbours.len() {
            let mut here = when;
            for (place, &cell) in neighbours.iter().enumerate() {
                let value = if chosen >> place & 1 == 1 { self.free } else { 1 - self.free };
                let substituted = ground.formulas.substitute(here, cell, value);
                here = substituted.ok_or("a move depends on a recursive definition")?;
            }
            let may_fill = digit >> chosen.count_ones() & 1 == 1;
            if here != if may_fill { all_free } else { FALSE } {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
