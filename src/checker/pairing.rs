//! The check of PAIRING: on the grounded rules.
//!
//! A move claims a free cell for its player and does nothing else, and any free cell may be claimed. When the opponent
//! is to move, no pair has one cell of his and one free cell: this holds at the start, and again after his claim of a
//! cell and the holder's claim of its mate, or of any cell if the mate is the holder's. So the opponent never has both
//! cells of a pair, and every end with less than the holder's bound needs both cells of one. If the pairs hold only
//! after some opening moves, the check follows all ways of the opponent to begin.

use rustc_hash::{FxHashMap, FxHashSet};

use super::placement::ClaimableCells;
use super::{Checked, Checker, Fact, PayoffSum, reject};
use bouton_base::id::Id;
use bouton_certificates::PayoffBound;
use bouton_certificates::pairing::{PairingLemma, PairingOpening};
use bouton_grounding::{
    ActionMaker, FluentId, Formula, FormulaEvaluator, FormulaNode, Ground, Subject, ThreeValuedEvaluator,
};
use bouton_reference::State;

impl Checker<'_> {
    /// Proves that the holder can force the bound by replying within pairs.
    pub(super) fn pairing(&mut self, start: &State, pairing: &PairingLemma) -> Checked<Fact> {
        let mut ground = self.faultless_ground()?;
        self.holder_of_two(&pairing.bound)?;
        let position = self.fluent_position(&ground, start)?;
        let claims = self.check_claimable_cells(&mut ground, &position)?;
        let all: Vec<&PairingOpening> = pairing.openings.iter().collect();
        self.check_openings(&ground, &claims, &position, (&all, 0), &pairing.bound)?;
        let mut sum = PayoffSum::default();
        ground.ends.iter().for_each(|end| sum.record(&end.payoffs));
        Ok(Fact::Bound { bound: pairing.bound.clone(), plies: None, sum })
    }

    /// Checks that the holder keeps his bound from a position that the first `made` moves of these openings lead to.
    fn check_openings(
        &mut self,
        ground: &Ground,
        claims: &ClaimableCells,
        position: &[u8],
        (beginnings, made): (&[&PairingOpening], usize),
        bound: &PayoffBound,
    ) -> Checked<()> {
        self.step_done()?;
        let holder = bound.holder.unwrap_or(0);
        let mut reading = FormulaEvaluator::new(&ground.formulas, position);
        let ends_here = |beginning: &&PairingOpening| beginning.moves.len() == made;
        if let Some(end) = ground.ends.iter().find(|end| reading.holds(end.when)) {
            if end.payoffs[holder as usize] < bound.payoff {
                return reject("a beginning ends the game and gives the holder less");
            }
            return match beginnings {
                [] => Ok(()),
                [only] if ends_here(only) && only.pairs.is_empty() => Ok(()),
                _ => reject("a beginning goes on after the game is over"),
            };
        }
        if beginnings.iter().any(ends_here) {
            return match beginnings {
                [only] => self.paired(ground, claims, position, &only.pairs, bound),
                _ => reject("a beginning goes on where another one ends"),
            };
        }
        let mover = u32::from(position[ground.fluents.turn().index()]);
        let mut followed = 0;
        for action in ground.actions.iter().filter(|action| action.maker == ActionMaker::Player(mover)) {
            if !reading.holds(action.legal) {
                continue;
            }
            let name = self.interpreter.call_form(&action.play);
            let with: Vec<&PairingOpening> =
                beginnings.iter().copied().filter(|beginning| beginning.moves[made] == name).collect();
            if with.is_empty() && mover == holder {
                continue;
            }
            followed += with.len();
            let after = ground.successor(&mut reading, position, action);
            self.check_openings(ground, claims, &after, (&with, made + 1), bound)?;
            if mover == holder {
                break;
            }
        }
        if followed == 0 || followed != beginnings.len() {
            return reject("a beginning is missing or not one of legal moves, or the holder has two");
        }
        Ok(())
    }

    /// Checks that replies within these pairs keep the bound from a position on.
    fn paired(
        &self,
        ground: &Ground,
        claims: &ClaimableCells,
        position: &[u8],
        pairs: &[(u32, u32)],
        bound: &PayoffBound,
    ) -> Checked<()> {
        let holder = bound.holder.unwrap_or(0);
        let other = 1 - holder as usize;
        let mut paired = FxHashSet::default();
        let pairs: Vec<[FluentId; 2]> =
            pairs.iter().map(|(one, mate)| [FluentId(*one), FluentId(*mate)]).collect();
        for &cell in pairs.iter().flatten() {
            if !claims.cells.contains_key(&cell) {
                return reject(format!("`{}` is no cell that a move claims", self.fluent_name(ground, cell)));
            }
            if !paired.insert(cell) {
                return reject(format!("`{}` is in two pairs", self.fluent_name(ground, cell)));
            }
        }
        let his = |cell: FluentId| position[cell.index()] == claims.cells[&cell].1[other];
        let free = |cell: FluentId| position[cell.index()] == claims.cells[&cell].0;
        let open = pairs.iter().filter(|[a, b]| his(*a) && free(*b) || his(*b) && free(*a)).count();
        let moves_first = u32::from(position[ground.fluents.turn().index()]) == holder;
        if open > usize::from(moves_first) || pairs.iter().any(|[a, b]| his(*a) && his(*b)) {
            return reject("the other player has a pair, or one cell of it while the mate is free");
        }
        let possible = ground.delete_relaxation(position);
        let evaluator = ground.relaxed_evaluator(&possible);
        let known = FxHashMap::default();
        let mut needs = PairRequirement { ground, evaluator, claims, pairs: &pairs, player: other, known };
        for end in &ground.ends {
            if end.payoffs[holder as usize] < bound.payoff && !needs.pair(end.when) {
                return reject("an end that gives the holder less does not need both cells of a pair");
            }
        }
        Ok(())
    }
}

/// The search for the pair of cells that an end needs.
struct PairRequirement<'c> {
    ground: &'c Ground,
    evaluator: ThreeValuedEvaluator<'c>,
    claims: &'c ClaimableCells,
    pairs: &'c [[FluentId; 2]],
    player: usize,
    /// The answers so far: formulas share parts.
    known: FxHashMap<Formula, bool>,
}

impl PairRequirement<'_> {
    /// Returns true if the formula may hold only where this player has both cells of a pair.
    fn pair(&mut self, formula: Formula) -> bool {
        if let Some(&known) = self.known.get(&formula) {
            return known;
        }
        let ground = self.ground;
        let needs = !self.evaluator.may_hold(formula)
            || match ground.formulas.node(formula) {
                FormulaNode::False => true,
                FormulaNode::Or(parts) => parts.iter().all(|part| self.pair(*part)),
                FormulaNode::And(parts) => {
                    let own: FxHashSet<FluentId> =
                        parts.iter().filter_map(|part| self.claimed(*part)).collect();
                    self.pairs.iter().any(|pair| pair.iter().all(|cell| own.contains(cell)))
                        || parts.iter().any(|part| self.pair(*part))
                }
                FormulaNode::True | FormulaNode::Lit(..) | FormulaNode::Name(..) => false,
            };
        self.known.insert(formula, needs);
        needs
    }

    /// Returns the cell that this player has where the literal holds.
    fn claimed(&self, formula: Formula) -> Option<FluentId> {
        let FormulaNode::Lit(subject, values) = self.ground.formulas.node(formula) else { return None };
        let Subject::Fluent(cell) = self.ground.formulas.subject(*subject).0 else { return None };
        let (_, players) = self.claims.cells.get(cell)?;
        (*values == 1 << players[self.player]).then_some(*cell)
    }
}
