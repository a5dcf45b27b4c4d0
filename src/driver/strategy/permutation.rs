//! Puzzles whose moves exchange a hole with a thing beside it: half of all arrangements cannot be reached.
//!
//! Technique: random plays show which cells exchange their contents with the hole; two colours for the cells such that
//! each exchange changes the colour complete the proposal.
//! Source: Johnson and Story, "Notes on the 15 puzzle" (1879).

use rustc_hash::FxHashMap;

use super::{AcceptedStrategy, Inapplicable, StrategySearch, StrategySolver};
use bouton_base::id::Id;
use bouton_base::random::SplitMix;
use bouton_certificates::{Claim, Lemma, PermutationLemma};
use bouton_grounding::{FluentId, FormulaEvaluator};

/// Parities of permutations.
pub const PERMUTATION: StrategySolver = StrategySolver {
    name: "permutation",
    description: "a parity of arrangements that no move changes: the puzzle cannot be solved",
    search: |search| search.by_permutation(),
};

/// The number of moves of a random play for each cell.
const MOVES_PER_CELL: usize = 64;

impl StrategySearch<'_> {
    /// Finds a field whose cells hold different things, one of them a hole, and colours for its cells.
    pub(super) fn by_permutation(&self) -> Result<AcceptedStrategy, Inapplicable> {
        if self.game.rules.players().len() != 1 {
            return Err("a puzzle has one player".into());
        }
        let mut fields: Vec<Vec<FluentId>> = Vec::new();
        for (id, fluent) in self.ground.fluents.iter() {
            match fields.last_mut() {
                Some(last) if self.ground.fluents.get(last[0]).field == fluent.field => last.push(id),
                _ => fields.push(vec![id]),
            }
        }
        let mut nothing = "no field has cells that hold different things".into();
        for cells in fields.into_iter().filter(|cells| cells.len() > 2 && self.holds_different(cells)) {
            let Some((hole, colours)) = self.colours(&cells) else { continue };
            let coloured = cells.iter().zip(colours).map(|(fluent, colour)| (fluent.0, colour)).collect();
            let lemma = PermutationLemma { bound: Self::lost(), hole: u32::from(hole), cells: coloured };
            match self.check(Claim::Unsolvable, vec![Lemma::Permutation(lemma)]) {
                Ok(proof) => {
                    let field = self.ground.fluents.get(cells[0]).field;
                    let name = &self.game.rules.fields[field].name;
                    let why = format!(
                        "each move exchanges two cells of `{name}`, so it changes the parity of their order and the \
                         colour of the hole's cell, as on a chessboard; together these never change, and every win \
                         has the other parity"
                    );
                    return Ok(self.unsolvable(why, proof));
                }
                Err(hit @ Inapplicable::Limit(_)) => return Err(hit),
                Err(reason) => nothing = reason,
            }
        }
        Err(nothing)
    }

    fn holds_different(&self, cells: &[FluentId]) -> bool {
        let mut held: Vec<u8> = cells.iter().map(|fluent| self.position[fluent.index()]).collect();
        held.sort_unstable();
        held.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Returns the value that takes part in each exchange of a random play, and the colours of the cells.
    fn colours(&self, cells: &[FluentId]) -> Option<(u8, Vec<u8>)> {
        let mut random = SplitMix::new(1);
        let mut position = self.position.clone();
        let mut exchanges: Vec<(usize, usize)> = Vec::new();
        // By value: the number of exchanges that it took part in.
        let mut moved: FxHashMap<u8, usize> = FxHashMap::default();
        for _ in 0..MOVES_PER_CELL * cells.len() {
            let mut reading = FormulaEvaluator::new(&self.ground.formulas, &position);
            if reading.holds(self.ground.over) {
                position.clone_from(&self.position);
                continue;
            }
            let legal: Vec<_> =
                self.ground.actions.iter().filter(|action| reading.holds(action.legal)).collect();
            let made = legal.get((random.word() % legal.len().max(1) as u64) as usize)?;
            let after = self.ground.successor(&mut reading, &position, made);
            let changed: Vec<usize> = (0..cells.len())
                .filter(|cell| position[cells[*cell].index()] != after[cells[*cell].index()])
                .collect();
            match changed[..] {
                [] => {}
                [one, other] => {
                    exchanges.push((one, other));
                    for cell in [one, other] {
                        *moved.entry(position[cells[cell].index()]).or_default() += 1;
                    }
                }
                _ => return None,
            }
            position = after;
        }
        let hole = moved.into_iter().find(|(_, count)| *count == exchanges.len()).map(|(value, _)| value)?;
        let mut colours = vec![None; cells.len()];
        colours[exchanges.first()?.0] = Some(0u8);
        for _ in 0..cells.len() {
            for &(one, other) in &exchanges {
                for (from, to) in [(one, other), (other, one)] {
                    if let (Some(colour), None) = (colours[from], colours[to]) {
                        colours[to] = Some(1 - colour);
                    }
                }
            }
        }
        Some((hole, colours.into_iter().map(|colour| colour.unwrap_or(0)).collect()))
    }
}
