//! The check of PAIRING: on the rules written out.
//!
//! A move claims a free cell for its maker and does nothing else, and any free cell may be claimed. Where the other player
//! is to move, no pair has one cell of his and one that is free: so the pairs stand in the beginning, and so they do again
//! after his claim of a cell and the holder's of its mate, or of any cell where the mate is the holder's. Then the other
//! player never has both cells of a pair, without which no end comes that gives the holder less than his bound.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Proven, Stop, Sum};
use crate::base::id::Id;
use crate::cert::pairing::Pairing;
use crate::ground::{FALSE, FluentId, Formula, Ground, Maker, Node, Reading, Subject, TRUE, Values};
use crate::reference::State;

/// How cells are claimed.
pub(super) struct Claims {
    /// By cell: the values when it is free and when each player has it.
    pub cells: FxHashMap<FluentId, (u8, [u8; 2])>,
}

impl Checker<'_> {
    /// The holder makes sure of the bound by answering within pairs.
    pub(super) fn pairing(&mut self, start: &State, pairing: &Pairing) -> Result<Proven, Stop> {
        let mut ground = self.written_out()?;
        let holder = self.of_two(&pairing.bound)?;
        let other = 1 - holder as usize;
        let position = self.numbered(&ground, start)?;
        if Reading::new(&ground.formulas, &position).holds(ground.over) {
            return self.reject("the game is over where it begins");
        }
        let claims = self.claims(&mut ground, &position)?;
        let mut paired = FxHashSet::default();
        let mut pairs = Vec::new();
        for (one, mate) in &pairing.pairs {
            let pair = [FluentId(*one), FluentId(*mate)];
            for cell in pair {
                if !claims.cells.contains_key(&cell) {
                    return self
                        .reject(format!("`{}` is no cell that is claimed", self.fluent(&ground, cell)));
                }
                if !paired.insert(cell) {
                    return self.reject(format!("`{}` is in two pairs", self.fluent(&ground, cell)));
                }
            }
            pairs.push(pair);
        }
        let his = |cell: FluentId| position[cell.index()] == claims.cells[&cell].1[other];
        let free = |cell: FluentId| position[cell.index()] == claims.cells[&cell].0;
        let open = pairs.iter().filter(|[a, b]| his(*a) && free(*b) || his(*b) && free(*a)).count();
        let moves_first = u32::from(position[ground.fluents.turn().index()]) == holder;
        if open > usize::from(moves_first) || pairs.iter().any(|[a, b]| his(*a) && his(*b)) {
            return self.reject("the other player has a pair, or one cell of it while the mate is free");
        }
        let mut sum = Sum::default();
        for end in ground.ends.clone() {
            sum.meet(&end.payoffs);
            if end.payoffs[holder as usize] < pairing.bound.payoff
                && !needs_pair(&ground, end.when, &claims, &pairs, other)
            {
                return self.reject("an end that gives the holder less does not need both cells of a pair");
            }
        }
        Ok(Proven::Bound { bound: pairing.bound, plies: None, sum })
    }

    fn fluent(&self, ground: &Ground, id: FluentId) -> String {
        if id.index() < ground.fluents.len() { ground.fluents.show(self.rules, id) } else { id.to_string() }
    }

    /// That every move claims one free cell, that all free cells may be claimed by whoever is to move, and that the game
    /// is over where none is free.
    fn claims(&mut self, ground: &mut Ground, position: &[u8]) -> Result<Claims, Stop> {
        let turn = ground.fluents.turn();
        let possible = ground.possible(position);
        let mut claims: FxHashMap<FluentId, (u8, [Option<u8>; 2])> = FxHashMap::default();
        for number in 0..ground.actions.len() {
            if !possible.actions[number] {
                continue;
            }
            self.looked += 1;
            let action = ground.actions[number].clone();
            let name = self.interpreter.call_form(&action.play);
            let Maker::Player(player) = action.maker else { return self.reject("players move at once") };
            let mut claimed = None;
            let mut passes_on = false;
            for becomes in &action.becomes {
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
            let legal = ground.formulas.assuming(action.legal, turn, player as u8);
            let free = match legal.map(|legal| ground.formulas.node(legal).clone()) {
                Some(Node::Lit(subject, values)) => match ground.formulas.subject(subject).0 {
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
                let cell = self.fluent(ground, cell);
                return self.reject(format!("only one player can claim `{cell}`"));
            };
            let size = ground.fluents.get(cell).values.len();
            let subject = ground.formulas.fluent(cell, size);
            taken.push(ground.formulas.lit(subject, !(1 << free)));
            if first == second {
                let cell = self.fluent(ground, cell);
                return self.reject(format!("that `{cell}` is claimed does not say by whom"));
            }
            cells.insert(cell, (free, [first, second]));
        }
        let full = ground.formulas.and(taken);
        if ground.formulas.without(full, ground.over) != FALSE {
            return self.reject("that the game is over where all is claimed does not show");
        }
        Ok(Claims { cells })
    }
}

/// The only value of a set of them.
fn only(values: Values) -> Option<u8> {
    (values.count_ones() == 1).then(|| values.trailing_zeros() as u8)
}

/// The value that a fluent gets wherever the move is legal, where that is always the same.
fn under(ground: &mut Ground, legal: Formula, values: &[(u8, Formula)]) -> Option<u8> {
    let mut there = values.iter().filter(|(_, when)| ground.formulas.and([legal, *when]) != FALSE);
    let (value, _) = there.next()?;
    there.next().is_none().then_some(*value)
}

/// Whether a formula holds only where this player has both cells of a pair.
fn needs_pair(
    ground: &Ground,
    formula: Formula,
    claims: &Claims,
    pairs: &[[FluentId; 2]],
    player: usize,
) -> bool {
    let needs = |part: &Formula| needs_pair(ground, *part, claims, pairs, player);
    match ground.formulas.node(formula) {
        Node::False => true,
        Node::Or(parts) => parts.iter().all(needs),
        Node::And(parts) => {
            let own: FxHashSet<FluentId> =
                parts.iter().filter_map(|part| claimed_by(ground, *part, claims, player)).collect();
            pairs.iter().any(|pair| pair.iter().all(|cell| own.contains(cell))) || parts.iter().any(needs)
        }
        Node::True | Node::Lit(..) | Node::Name(..) => false,
    }
}

/// The cell that a literal says this player has.
fn claimed_by(ground: &Ground, formula: Formula, claims: &Claims, player: usize) -> Option<FluentId> {
    let Node::Lit(subject, values) = ground.formulas.node(formula) else { return None };
    let Subject::Fluent(cell) = ground.formulas.subject(*subject).0 else { return None };
    let (_, players) = claims.cells.get(cell)?;
    (*values == 1 << players[player]).then_some(*cell)
}
