//! Pairings: pairs of cells such that every line of a player contains one, from the beginning or after a few moves.
//!
//! Technique: the lines are read off the ends that are good for the player, as the sets of cells he must have; then pairs
//! are chosen for one line after the other, those with fewest pairs left first, with backtracking. Where there are no such
//! pairs, a few plies are searched: the other player's moves all, the holder's those first that spoil most lines.
//! Cost: exponential in the worst case, so it gives up after a number of steps; that pairs are too few to serve all lines
//! is seen by counting. Not taken: matching of lines with two cells of their own (Hall), which finds fewer pairings, as
//! one pair may serve several lines.

use num_rational::Rational64;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::id::Id;
use crate::ground::{FluentId, Formula, Ground, Maker, Node, Reading, Subject, Values};
use crate::rules::Play;

/// After so many choices of pairs in one position the search gives up: where that is all there is, and after moves.
const STEPS: u64 = 100_000;
const STEPS_AFTER: u64 = 1000;
/// After so many choices in all positions together it gives up.
const ALL_STEPS: u64 = 400_000;
/// How many plies are searched.
const PLIES: u32 = 3;

/// Moves and the pairs after them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// The moves, of both players.
    pub moves: Vec<Play>,
    /// The pairs.
    pub pairs: Vec<(FluentId, FluentId)>,
}

/// Beginnings, one for each way the other player may begin, with pairs of cells that stop him, who then gets no end that
/// gives `holder` less than a draw. None where no such pairs are found.
pub fn beginnings(ground: &Ground, position: &[u8], holder: u32) -> Option<Vec<Beginning>> {
    let other = 1 - holder.min(1);
    let turn = ground.fluents.turn();
    let claims_one =
        |of: &crate::ground::Action| of.becomes.iter().filter(|of| of.fluent != turn).count() == 1;
    if !ground.actions.iter().all(claims_one) {
        return None;
    }
    let claimed = claimed_values(ground, other);
    let mut lines: Vec<Vec<FluentId>> = Vec::new();
    for end in ground.ends.iter().filter(|end| end.payoffs[holder as usize] < Rational64::default()) {
        lines.extend(lines_of(ground, end.when, &claimed)?);
    }
    for line in &mut lines {
        line.sort_unstable();
    }
    lines.sort_unstable();
    lines.dedup();
    let mut plan = Plan { ground, holder, claimed, lines, steps: ALL_STEPS };
    let lines = plan.open(position);
    // What each ply can take away are the lines through a cell.
    if are_too_many(&lines, PLIES as usize * most_through(&lines, 1)) {
        return None;
    }
    if let Some(pairs) = plan.pairs(position, STEPS) {
        return Some(vec![Beginning { moves: Vec::new(), pairs }]);
    }
    (1..=PLIES).find_map(|plies| {
        let mut found = Vec::new();
        plan.search(position, plies, &mut Vec::new(), &mut found).then_some(found)
    })
}

/// The search for beginnings.
struct Plan<'g> {
    ground: &'g Ground,
    holder: u32,
    /// By cell: the value that it has when the other player claimed it.
    claimed: FxHashMap<FluentId, u8>,
    /// The other player's lines.
    lines: Vec<Vec<FluentId>>,
    /// How many choices are left.
    steps: u64,
}

impl Plan<'_> {
    fn is_free(&self, position: &[u8], cell: FluentId) -> bool {
        position[cell.index()] == self.ground.initial[cell.index()]
    }

    /// The lines that the other player can still have, as their free cells.
    fn open(&self, position: &[u8]) -> Vec<Vec<FluentId>> {
        let his = |cell: &FluentId| self.claimed.get(cell) == Some(&position[cell.index()]);
        let open = |line: &&Vec<FluentId>| line.iter().all(|cell| self.is_free(position, *cell) || his(cell));
        let free = |line: &Vec<FluentId>| -> Vec<FluentId> {
            line.iter().copied().filter(|cell| self.is_free(position, *cell)).collect()
        };
        let mut lines: Vec<Vec<FluentId>> = self.lines.iter().filter(open).map(free).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Pairs of free cells that serve all lines.
    fn pairs(&mut self, position: &[u8], steps: u64) -> Option<Vec<(FluentId, FluentId)>> {
        let lines = self.open(position);
        if lines.iter().any(|line| line.len() < 2) || are_too_many(&lines, 0) {
            // That was looked at, too.
            self.steps = self.steps.saturating_sub(1 + lines.len() as u64 / 8);
            return None;
        }
        let allowed = steps.min(self.steps);
        let mut search = Search { lines: &lines, mates: FxHashMap::default(), steps: allowed };
        let found = search.run();
        self.steps -= allowed - search.steps;
        found.then(|| {
            let mut pairs: Vec<(FluentId, FluentId)> =
                search.mates.iter().map(|(&a, &b)| (a, b)).filter(|(a, b)| a < b).collect();
            pairs.sort_unstable();
            pairs
        })
    }

    /// Whether pairs are found after at most so many plies, whatever the other player does.
    fn search(
        &mut self,
        position: &[u8],
        plies: u32,
        made: &mut Vec<Play>,
        found: &mut Vec<Beginning>,
    ) -> bool {
        let ground = self.ground;
        let mut reading = Reading::new(&ground.formulas, position);
        if let Some(end) = ground.ends.iter().find(|end| reading.holds(end.when)) {
            found.push(Beginning { moves: made.clone(), pairs: Vec::new() });
            return end.payoffs[self.holder as usize] >= Rational64::default();
        }
        if let Some(pairs) = self.pairs(position, STEPS_AFTER) {
            found.push(Beginning { moves: made.clone(), pairs });
            return true;
        }
        if plies == 0 || self.steps == 0 {
            return false;
        }
        let mover = u32::from(position[ground.fluents.turn().index()]);
        let own = mover == self.holder;
        let mut moves = Vec::new();
        for action in ground.actions.iter().filter(|action| action.maker == Maker::Player(mover)) {
            if reading.holds(action.legal) {
                let after = ground.after(&mut reading, position, action);
                moves.push((if own { self.open(&after).len() } else { 0 }, &action.play, after));
            }
        }
        moves.sort_by_key(|(left, _, _)| *left);
        for (_, play, after) in moves {
            let before = found.len();
            made.push(play.clone());
            let kept = self.search(&after, plies - 1, made, found);
            made.pop();
            match (own, kept) {
                (true, true) => return true,
                (true, false) => found.truncate(before),
                (false, true) => {}
                (false, false) => return false,
            }
        }
        !own
    }
}

/// By cell: the value that it gets by a move of this player.
pub fn claimed_values(ground: &Ground, player: u32) -> FxHashMap<FluentId, u8> {
    let own = |action: &&crate::ground::Action| action.maker == Maker::Player(player);
    let turn = ground.fluents.turn();
    let becomes = ground.actions.iter().filter(own).flat_map(|action| &action.becomes);
    becomes
        .filter(|becomes| becomes.fluent != turn && becomes.values.len() == 1)
        .map(|becomes| (becomes.fluent, becomes.values[0].0))
        .collect()
}

/// Sets of cells one of which the player has wherever the formula holds; none where that cannot be read off.
fn lines_of(
    ground: &Ground,
    formula: Formula,
    claimed: &FxHashMap<FluentId, u8>,
) -> Option<Vec<Vec<FluentId>>> {
    let cell = |part: &Formula| -> Option<FluentId> {
        let Node::Lit(subject, values) = ground.formulas.node(*part) else { return None };
        let Subject::Fluent(cell) = ground.formulas.subject(*subject).0 else { return None };
        let value: Values = 1 << claimed.get(cell)?;
        (*values == value).then_some(*cell)
    };
    match ground.formulas.node(formula) {
        Node::False => Some(Vec::new()),
        Node::Or(parts) => {
            let mut lines = Vec::new();
            for part in parts.iter() {
                lines.extend(lines_of(ground, *part, claimed)?);
            }
            Some(lines)
        }
        Node::And(parts) => {
            let own: Vec<FluentId> = parts.iter().filter_map(cell).collect();
            // Any part that gives lines will do; the cells that are needed in any case are a line, too.
            let inside = parts.iter().filter_map(|part| lines_of(ground, *part, claimed)).next();
            match (own.len() > 1, inside) {
                (true, _) => Some(vec![own]),
                (false, inside) => inside,
            }
        }
        Node::True | Node::Lit(..) | Node::Name(..) => None,
    }
}

/// Whether there are more lines, but for so many of them, than pairs of their cells can serve.
fn are_too_many(lines: &[Vec<FluentId>], but_for: usize) -> bool {
    let cells: FxHashSet<FluentId> = lines.iter().flatten().copied().collect();
    lines.len().saturating_sub(but_for) > most_through(lines, 2) * (cells.len() / 2)
}

/// The most lines through a cell, or through two.
fn most_through(lines: &[Vec<FluentId>], cells: usize) -> usize {
    let mut through: FxHashMap<(FluentId, FluentId), usize> = FxHashMap::default();
    for line in lines {
        for (place, &one) in line.iter().enumerate() {
            let others = if cells == 1 { &line[place..=place] } else { &line[place + 1..] };
            others.iter().for_each(|&other| *through.entry((one, other)).or_default() += 1);
        }
    }
    through.into_values().max().unwrap_or(0)
}

struct Search<'l> {
    lines: &'l [Vec<FluentId>],
    mates: FxHashMap<FluentId, FluentId>,
    steps: u64,
}

impl Search<'_> {
    fn run(&mut self) -> bool {
        let Some(line) = self.narrowest() else { return true };
        let free: Vec<FluentId> =
            self.lines[line].iter().copied().filter(|cell| !self.mates.contains_key(cell)).collect();
        let mut pairs: Vec<(usize, FluentId, FluentId)> = Vec::new();
        for (i, &a) in free.iter().enumerate() {
            for &b in &free[i + 1..] {
                // A pair that serves more lines leaves more cells to the others.
                let serves = self.open().filter(|line| line.contains(&a) && line.contains(&b)).count();
                pairs.push((usize::MAX - serves, a, b));
            }
        }
        pairs.sort_unstable();
        for (_, a, b) in pairs {
            if self.steps == 0 {
                return false;
            }
            self.steps -= 1;
            self.mates.insert(a, b);
            self.mates.insert(b, a);
            if self.run() {
                return true;
            }
            self.mates.remove(&a);
            self.mates.remove(&b);
        }
        false
    }

    /// The lines without a pair.
    fn open(&self) -> impl Iterator<Item = &Vec<FluentId>> {
        self.lines.iter().filter(|line| !self.is_served(line))
    }

    fn is_served(&self, line: &[FluentId]) -> bool {
        let cells: FxHashSet<&FluentId> = line.iter().collect();
        line.iter().any(|cell| self.mates.get(cell).is_some_and(|mate| cells.contains(mate)))
    }

    /// The line without a pair that has fewest free cells.
    fn narrowest(&self) -> Option<usize> {
        let free = |line: &[FluentId]| line.iter().filter(|cell| !self.mates.contains_key(cell)).count();
        let open = (0..self.lines.len()).filter(|&line| !self.is_served(&self.lines[line]));
        open.min_by_key(|&line| (free(&self.lines[line]), line))
    }
}
