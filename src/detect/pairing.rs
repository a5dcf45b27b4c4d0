//! Pairings: pairs of cells such that every line of a player contains one.
//!
//! Technique: the lines are read off the ends that are good for the player, as the sets of cells he must have; then pairs
//! are chosen for one line after the other, those with fewest pairs left first, with backtracking.
//! Cost: exponential in the worst case, so it gives up after a number of steps. Not taken: matching of lines with two
//! cells of their own (Hall), which finds fewer pairings, as one pair may serve several lines.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::{FluentId, Formula, Ground, Node, Subject, Values};

/// After so many choices the search gives up.
const STEPS: u64 = 100_000;

/// Pairs of cells that stop the other player, who then gets no end that gives `holder` less than a draw. None where no
/// such pairs are found.
pub fn pairs(ground: &Ground, position: &[u8], holder: u32) -> Option<Vec<(FluentId, FluentId)>> {
    let zero = num_rational::Rational64::default();
    let other = 1 - holder.min(1);
    let claimed = claimed_values(ground, other);
    let free = |cell: &FluentId| position[cell.0 as usize] == ground.initial[cell.0 as usize];
    let mut lines: Vec<Vec<FluentId>> = Vec::new();
    for end in ground.ends.iter().filter(|end| end.payoffs[holder as usize] < zero) {
        lines.extend(lines_of(ground, end.when, &claimed)?);
    }
    for line in &mut lines {
        line.retain(free);
        line.sort_unstable();
    }
    lines.sort_unstable();
    lines.dedup();
    if lines.iter().any(|line| line.len() < 2) {
        return None;
    }
    let mut search = Search { lines: &lines, mates: FxHashMap::default(), steps: STEPS };
    search.run().then(|| {
        let mut pairs: Vec<(FluentId, FluentId)> =
            search.mates.iter().map(|(&a, &b)| (a, b)).filter(|(a, b)| a < b).collect();
        pairs.sort_unstable();
        pairs
    })
}

/// By cell: the value that it gets by a move of this player.
fn claimed_values(ground: &Ground, player: u32) -> FxHashMap<FluentId, u8> {
    let own = |action: &&crate::ground::Action| action.maker == crate::ground::Maker::Player(player);
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
