//! Pairings: pairs of cells such that every line of a player contains one, from the start or after a few moves.
//!
//! Technique: the lines are read off the ends that are good for the player, as the sets of cells that he must have;
//! then pairs are chosen for one line after the other, the line with the fewest free cells first, with backtracking.
//! If there are no such pairs, a few plies are searched: all moves of the opponent, and those of the holder first that
//! leave the fewest lines open.
//! Cost: exponential in the worst case, so the number of steps is limited; a counting bound shows that pairs cannot
//! serve all lines. Not taken: matching of lines with two cells of their own (Hall), which finds fewer pairings, as
//! one pair may serve several lines.

use bouton_base::rational::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_grounding::{
    ActionMaker, FluentId, Formula, FormulaEvaluator, FormulaNode, Ground, Subject, Values,
};
use bouton_rules::MoveInstance;

/// The maximal number of pairs tried in one position: in the start position, and (`MAX_STEPS_AFTER_MOVES`) after moves.
const MAX_STEPS_AT_START: u64 = 100_000;
const MAX_STEPS_AFTER_MOVES: u64 = 1000;
/// The maximal number of pairs tried in all positions together.
const MAX_TOTAL_STEPS: u64 = 400_000;
/// The search depth in plies.
const MAX_PLIES: u32 = 3;

/// An opening: some moves and the pairs after them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProposedOpening {
    /// The moves of both players.
    pub moves: Vec<MoveInstance>,
    pub pairs: Vec<(FluentId, FluentId)>,
}

/// Returns openings, one for each way of the opponent to begin, with pairs of cells that stop him, so that no end
/// gives `holder` less than a draw. `None` if no such pairs are found.
pub fn find_openings(ground: &Ground, position: &[u8], holder: u32) -> Option<Vec<ProposedOpening>> {
    let other = 1 - holder.min(1);
    let turn = ground.fluents.turn();
    let claims_one =
        |of: &bouton_grounding::Action| of.updates.iter().filter(|of| of.fluent != turn).count() == 1;
    if !ground.actions.iter().all(claims_one) {
        return None;
    }
    let claimed = claimed_values(ground, other);
    let mut lines: Vec<Vec<FluentId>> = Vec::new();
    for end in ground.ends.iter().filter(|end| end.payoffs[holder as usize] < Rational::default()) {
        lines.extend(lines_of(ground, end.when, &claimed)?);
    }
    for line in &mut lines {
        line.sort_unstable();
    }
    lines.sort_unstable();
    lines.dedup();
    let mut plan = OpeningSearch { ground, holder, claimed, lines, steps: MAX_TOTAL_STEPS };
    let lines = plan.open(position);
    // Each ply can remove at most the lines through one cell.
    if exceeds_pair_capacity(&lines, MAX_PLIES as usize * most_through(&lines, 1)) {
        return None;
    }
    if let Some(pairs) = plan.pairs(position, MAX_STEPS_AT_START) {
        return Some(vec![ProposedOpening { moves: Vec::new(), pairs }]);
    }
    (1..=MAX_PLIES).find_map(|plies| {
        let mut found = Vec::new();
        plan.search(position, plies, &mut Vec::new(), &mut found).then_some(found)
    })
}

/// The search for openings.
struct OpeningSearch<'g> {
    ground: &'g Ground,
    holder: u32,
    /// The value that a cell has after a claim by the opponent, by cell.
    claimed: FxHashMap<FluentId, u8>,
    /// The opponent's lines.
    lines: Vec<Vec<FluentId>>,
    /// The number of remaining steps.
    steps: u64,
}

impl OpeningSearch<'_> {
    fn is_free(&self, position: &[u8], cell: FluentId) -> bool {
        position[cell.index()] == self.ground.initial[cell.index()]
    }

    /// Returns the lines that the opponent can still complete, as their free cells.
    fn open(&self, position: &[u8]) -> Vec<Vec<FluentId>> {
        let his = |cell: &FluentId| self.claimed.get(cell) == Some(&position[cell.index()]);
        let open = |line: &&Vec<FluentId>| {
            cancel::step();
            line.iter().all(|cell| self.is_free(position, *cell) || his(cell))
        };
        let free = |line: &Vec<FluentId>| -> Vec<FluentId> {
            line.iter().copied().filter(|cell| self.is_free(position, *cell)).collect()
        };
        let mut lines: Vec<Vec<FluentId>> = self.lines.iter().filter(open).map(free).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Searches for pairs of free cells that serve all lines.
    fn pairs(&mut self, position: &[u8], steps: u64) -> Option<Vec<(FluentId, FluentId)>> {
        let lines = self.open(position);
        if lines.iter().any(|line| line.len() < 2) || exceeds_pair_capacity(&lines, 0) {
            // This check costs steps, too.
            self.steps = self.steps.saturating_sub(1 + lines.len() as u64 / 8);
            return None;
        }
        let allowed = steps.min(self.steps);
        let mut search = PairingSearch { lines: &lines, mates: FxHashMap::default(), steps: allowed };
        let found = search.run();
        self.steps -= allowed - search.steps;
        found.then(|| {
            let mut pairs: Vec<(FluentId, FluentId)> =
                search.mates.iter().map(|(&a, &b)| (a, b)).filter(|(a, b)| a < b).collect();
            pairs.sort_unstable();
            pairs
        })
    }

    /// Returns true if pairs exist after at most `plies` plies, for all moves of the opponent.
    fn search(
        &mut self,
        position: &[u8],
        plies: u32,
        made: &mut Vec<MoveInstance>,
        found: &mut Vec<ProposedOpening>,
    ) -> bool {
        let ground = self.ground;
        let mut reading = FormulaEvaluator::new(&ground.formulas, position);
        if let Some(end) = ground.ends.iter().find(|end| reading.holds(end.when)) {
            found.push(ProposedOpening { moves: made.clone(), pairs: Vec::new() });
            return end.payoffs[self.holder as usize] >= Rational::default();
        }
        if let Some(pairs) = self.pairs(position, MAX_STEPS_AFTER_MOVES) {
            found.push(ProposedOpening { moves: made.clone(), pairs });
            return true;
        }
        if plies == 0 || self.steps == 0 {
            return false;
        }
        let mover = u32::from(position[ground.fluents.turn().index()]);
        let own = mover == self.holder;
        let mut moves = Vec::new();
        for action in ground.actions.iter().filter(|action| action.maker == ActionMaker::Player(mover)) {
            if reading.holds(action.legal) {
                let after = ground.successor(&mut reading, position, action);
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

/// Returns the value that a cell gets by a move of this player, by cell.
pub fn claimed_values(ground: &Ground, player: u32) -> FxHashMap<FluentId, u8> {
    let own = |action: &&bouton_grounding::Action| action.maker == ActionMaker::Player(player);
    let turn = ground.fluents.turn();
    let becomes = ground.actions.iter().filter(own).flat_map(|action| &action.updates);
    becomes
        .filter(|becomes| becomes.fluent != turn && becomes.values.len() == 1)
        .map(|becomes| (becomes.fluent, becomes.values[0].0))
        .collect()
}

/// Returns sets of cells such that the player has all cells of at least one set wherever the formula holds; `None` if
/// the formula does not show such sets.
fn lines_of(
    ground: &Ground,
    formula: Formula,
    claimed: &FxHashMap<FluentId, u8>,
) -> Option<Vec<Vec<FluentId>>> {
    let cell = |part: &Formula| -> Option<FluentId> {
        let FormulaNode::Lit(subject, values) = ground.formulas.node(*part) else { return None };
        let Subject::Fluent(cell) = ground.formulas.subject(*subject).0 else { return None };
        let value: Values = 1 << claimed.get(cell)?;
        (*values == value).then_some(*cell)
    };
    match ground.formulas.node(formula) {
        FormulaNode::False => Some(Vec::new()),
        FormulaNode::Or(parts) => {
            let mut lines = Vec::new();
            for part in parts.iter() {
                lines.extend(lines_of(ground, *part, claimed)?);
            }
            Some(lines)
        }
        FormulaNode::And(parts) => {
            let own: Vec<FluentId> = parts.iter().filter_map(cell).collect();
            // Any part that gives lines is enough; the cells that are needed in any case are a line, too.
            let inside = parts.iter().filter_map(|part| lines_of(ground, *part, claimed)).next();
            match (own.len() > 1, inside) {
                (true, _) => Some(vec![own]),
                (false, inside) => inside,
            }
        }
        FormulaNode::True | FormulaNode::Lit(..) | FormulaNode::Name(..) => None,
    }
}

/// Returns true if there are more lines, apart from `but_for` of them, than pairs of their cells can serve.
fn exceeds_pair_capacity(lines: &[Vec<FluentId>], but_for: usize) -> bool {
    let cells: FxHashSet<FluentId> = lines.iter().flatten().copied().collect();
    lines.len().saturating_sub(but_for) > most_through(lines, 2) * (cells.len() / 2)
}

/// Returns the maximal number of lines through a cell, or through two.
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

struct PairingSearch<'l> {
    lines: &'l [Vec<FluentId>],
    mates: FxHashMap<FluentId, FluentId>,
    steps: u64,
}

impl PairingSearch<'_> {
    fn run(&mut self) -> bool {
        let Some(line) = self.narrowest() else { return true };
        let free: Vec<FluentId> =
            self.lines[line].iter().copied().filter(|cell| !self.mates.contains_key(cell)).collect();
        let mut pairs: Vec<(usize, FluentId, FluentId)> = Vec::new();
        for (i, &a) in free.iter().enumerate() {
            for &b in &free[i + 1..] {
                cancel::step();
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

    /// Iterates over the lines without a pair.
    fn open(&self) -> impl Iterator<Item = &Vec<FluentId>> {
        self.lines.iter().filter(|line| !self.is_served(line))
    }

    fn is_served(&self, line: &[FluentId]) -> bool {
        let cells: FxHashSet<&FluentId> = line.iter().collect();
        line.iter().any(|cell| self.mates.get(cell).is_some_and(|mate| cells.contains(mate)))
    }

    /// Returns the line without a pair that has the fewest free cells.
    fn narrowest(&self) -> Option<usize> {
        let free = |line: &[FluentId]| line.iter().filter(|cell| !self.mates.contains_key(cell)).count();
        let open = (0..self.lines.len()).filter(|&line| !self.is_served(&self.lines[line]));
        open.min_by_key(|&line| (free(&self.lines[line]), line))
    }
}
