//! Placement games in which moves claim cells: the common part of the checks of such games.

use rustc_hash::FxHashMap;

use super::{Checked, Checker, reject};
use bouton_base::id::Id;
use bouton_grounding::{FALSE, FluentId, FormulaNode, Ground, Subject, Values};

/// The cells that can be claimed.
pub(super) struct ClaimableCells {
    /// By cell: its value if it is free, and its value if each player has it.
    pub cells: FxHashMap<FluentId, (u8, [u8; 2])>,
}

impl Checker<'_> {
    pub(super) fn fluent_name(&self, ground: &Ground, id: FluentId) -> String {
        if id.index() < ground.fluents.len() { ground.fluents.show(self.rules, id) } else { id.to_string() }
    }

    /// Checks that every move claims one free cell, that the player to move may claim any free cell, and that the game
    /// is over if no cell is free.
    pub(super) fn check_claimable_cells(
        &mut self,
        ground: &mut Ground,
        position: &[u8],
    ) -> Checked<ClaimableCells> {
        let turn = ground.fluents.turn();
        let possible = ground.delete_relaxation(position);
        let mut claims: FxHashMap<FluentId, (u8, [Option<u8>; 2])> = FxHashMap::default();
        let moves = self.checked_board_moves(ground, &possible, turn)?;
        for (player, of) in (0..).zip(&moves).flat_map(|(player, own)| own.iter().map(move |of| (player, of)))
        {
            let name = &of.name;
            let claimed = of.updates.keys().filter(|(fluent, _)| of.writes.contains(fluent));
            let (cell, value) = match claimed.collect::<Vec<_>>()[..] {
                [&claim] => claim,
                [] => return reject(format!("`{name}` does not claim a cell")),
                _ => return reject(format!("`{name}` does more than claim a cell")),
            };
            let free = match ground.formulas.node(of.legal) {
                FormulaNode::Lit(subject, values) => match ground.formulas.subject(*subject).0 {
                    Subject::Fluent(fluent) if *fluent == cell => {
                        only(values & possible.values[cell.index()])
                    }
                    _ => None,
                },
                _ => None,
            };
            let Some(free) = free.filter(|free| *free != value) else {
                return reject(format!("`{name}` is not legal just where its cell is free"));
            };
            let known = claims.entry(cell).or_insert((free, [None; 2]));
            let mine: &mut Option<u8> = &mut known.1[player];
            if known.0 != free || mine.is_some_and(|mine| mine != value) {
                return reject(format!("`{name}` claims in another way than other moves"));
            }
            *mine = Some(value);
        }
        let mut cells = FxHashMap::default();
        let mut taken = Vec::new();
        for (cell, (free, players)) in claims {
            let [Some(first), Some(second)] = players else {
                let cell = self.fluent_name(ground, cell);
                return reject(format!("only one player can claim `{cell}`"));
            };
            taken.push(ground.literal(cell, !(1 << free)));
            if first == second {
                let cell = self.fluent_name(ground, cell);
                return reject(format!("the state does not show who claimed `{cell}`"));
            }
            cells.insert(cell, (free, [first, second]));
        }
        let full = ground.formulas.and(taken);
        let still = ground.formulas.and_not(full, ground.over);
        if still != FALSE && !self.is_unsatisfiable(ground, still, &possible)? {
            return reject("the rules alone do not show that the game is over where all cells are claimed");
        }
        Ok(ClaimableCells { cells })
    }
}

/// Returns the only value of a set of one value.
fn only(values: Values) -> Option<u8> {
    (values.count_ones() == 1).then(|| values.trailing_zeros() as u8)
}
