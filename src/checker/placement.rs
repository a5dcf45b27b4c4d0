//! Placement games in which moves claim cells: the common part of the checks of such games.

use rustc_hash::FxHashMap;

use super::{CheckError, Checker};
use bouton_base::id::Id;
use bouton_grounding::{ActionMaker, FALSE, FluentId, Formula, FormulaNode, Ground, Subject, TRUE, Values};

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
    ) -> Result<ClaimableCells, CheckError> {
        let turn = ground.fluents.turn();
        let possible = ground.delete_relaxation(position);
        let mut claims: FxHashMap<FluentId, (u8, [Option<u8>; 2])> = FxHashMap::default();
        for number in 0..ground.actions.len() {
            if !possible.actions[number] {
                continue;
            }
            self.visited += 1;
            let action = ground.actions[number].clone();
            let name = self.interpreter.call_form(&action.play);
            let ActionMaker::Player(player) = action.maker else {
                return self.reject("players move simultaneously");
            };
            let mut claimed = None;
            let mut passes_on = false;
            for becomes in &action.updates {
                if possible.values[becomes.fluent.index()].count_ones() == 1 {
                    continue;
                }
                let always = match becomes.values[..] {
                    [(value, TRUE)] => Some(value),
                    _ => None,
                };
                if becomes.fluent == turn && always == Some(1 - player as u8) {
                    passes_on = true;
                    continue;
                }
                let value = always.or_else(|| under(ground, action.legal, &becomes.values));
                match (claimed, value) {
                    (None, Some(value)) => claimed = Some((becomes.fluent, value)),
                    _ => return self.reject(format!("`{name}` does more than claim a cell")),
                }
            }
            let Some((cell, value)) = claimed.filter(|_| passes_on) else {
                return self.reject(format!("`{name}` does not claim a cell and pass the turn on"));
            };
            if ground.formulas.substitute(action.legal, turn, 1 - player as u8) != Some(FALSE) {
                return self.reject(format!("`{name}` may be made out of turn"));
            }
            let legal = ground.formulas.substitute(action.legal, turn, player as u8);
            let free = match legal.map(|legal| ground.formulas.node(legal).clone()) {
                Some(FormulaNode::Lit(subject, values)) => match ground.formulas.subject(subject).0 {
                    Subject::Fluent(of) if *of == cell => only(values & possible.values[cell.index()]),
                    _ => None,
                },
                _ => None,
            };
            let Some(free) = free.filter(|free| *free != value) else {
                return self.reject(format!("`{name}` is not legal just where its cell is free"));
            };
            let known = claims.entry(cell).or_insert((free, [None; 2]));
            let mine = &mut known.1[player as usize];
            if known.0 != free || mine.is_some_and(|mine| mine != value) {
                return self.reject(format!("`{name}` claims in another way than other moves"));
            }
            *mine = Some(value);
        }
        let mut cells = FxHashMap::default();
        let mut taken = Vec::new();
        for (cell, (free, players)) in claims {
            let [Some(first), Some(second)] = players else {
                let cell = self.fluent_name(ground, cell);
                return self.reject(format!("only one player can claim `{cell}`"));
            };
            let size = ground.fluents.get(cell).values.len();
            let subject = ground.formulas.fluent(cell, size);
            taken.push(ground.formulas.lit(subject, !(1 << free)));
            if first == second {
                let cell = self.fluent_name(ground, cell);
                return self.reject(format!("the state does not show who claimed `{cell}`"));
            }
            cells.insert(cell, (free, [first, second]));
        }
        let full = ground.formulas.and(taken);
        let still = ground.formulas.and_not(full, ground.over);
        if still != FALSE && !self.is_unsatisfiable(ground, still, &possible)? {
            return self
                .reject("the rules alone do not show that the game is over where all cells are claimed");
        }
        Ok(ClaimableCells { cells })
    }
}

/// Returns the only value of a set of one value.
fn only(values: Values) -> Option<u8> {
    (values.count_ones() == 1).then(|| values.trailing_zeros() as u8)
}

/// Returns the value that a fluent gets wherever the move is legal, if it is always the same.
fn under(ground: &mut Ground, legal: Formula, values: &[(u8, Formula)]) -> Option<u8> {
    let mut there = values.iter().filter(|(_, when)| ground.formulas.and([legal, *when]) != FALSE);
    let (value, _) = there.next()?;
    there.next().is_none().then_some(*value)
}
