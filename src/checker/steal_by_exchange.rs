//! The check of STEAL by exchange: on the grounded rules.
//!
//! A move claims a free cell and does nothing else. The *goal* of a player is the condition that keeps the opponent
//! below the bound; for either player to move, it needs cells that he has and none that the opponent has, so a claim
//! never destroys the player's own goal, nor does it reach the opponent's: no position satisfies both goals, and all
//! other ends come with the last free cell. The players may change places.
//!
//! Suppose that the opponent could keep the holder below his bound. Then the holder, moving second from the same
//! board, could reach his goal. So let him claim any cell and then play as if that one were free; where he should
//! claim it, he claims any other. In the imagined play he has one cell less than in the real one. If the opponent
//! reached his goal, he would have reached it in the imagined play, too, which ends with the holder's goal alone.
//! Where the imagined play ends, so does the real one, and not with the opponent's goal: the holder gets his bound
//! after all (John Nash 1949; Hales and Jewett 1963).

use rustc_hash::FxHashSet;

use super::placement::ClaimableCells;
use super::{Checked, Checker, reject};
use bouton_base::id::Id;
use bouton_certificates::PayoffBound;
use bouton_certificates::mirror::FluentImage;
use bouton_grounding::{FALSE, Formula, FormulaEvaluator, FormulaNode, Ground, Renaming, Subject};

impl Checker<'_> {
    /// Proves that the holder, who is to move, does at least as well as the second player, and so can force the bound.
    pub(super) fn steal_by_exchange(
        &mut self,
        mut ground: Ground,
        position: &[u8],
        bound: &PayoffBound,
        images: &[FluentImage],
    ) -> Checked<()> {
        let claims = self.check_claimable_cells(&mut ground, position)?;
        if FormulaEvaluator::new(&ground.formulas, position).holds(ground.over) {
            return reject("the game is over where it begins");
        }
        let renaming = self.permutation(&ground, images)?;
        self.changes_places(&ground, &claims, &renaming)?;
        let possible = ground.delete_relaxation(position);
        for end in ground.ends.clone() {
            if !ground.relaxed_evaluator(&possible).may_hold(end.when) {
                continue;
            }
            match end.payoffs.iter().filter(|payoff| **payoff >= bound.payoff).count() {
                0 => return reject("an end gives neither player as much as the bound"),
                1 => {}
                _ if self.comes_last(&mut ground, &claims, end.when) => {}
                _ => {
                    return reject("an end that is enough for both may come before all cells are claimed");
                }
            }
        }
        let goals = ground.goals(bound.payoff.clone());
        for (player, goal) in goals.into_iter().enumerate() {
            let mut favour =
                ClaimMonotonicity { ground: &ground, claims: &claims, player, seen: FxHashSet::default() };
            if !favour.holds(goal, true) {
                let (name, other) = (self.player(player as u32), self.player(1 - player as u32));
                let what = format!(
                    "the rules alone do not show that another cell never hurts {name}, nor helps {other}"
                );
                return reject(what);
            }
        }
        let [first, second] = goals;
        if !ground.formulas.are_equivalent_renamed(&[(first, second), (second, first)], &renaming) {
            return reject("the players do not play for the same where they change places");
        }
        Ok(())
    }

    /// Checks that the renaming exchanges the players on the claimable cells and fixes all else. So it keeps the board:
    /// a cell that can be claimed is free.
    fn changes_places(&self, ground: &Ground, claims: &ClaimableCells, renaming: &Renaming) -> Checked<()> {
        let turn = ground.fluents.turn();
        for (id, fluent) in ground.fluents.iter() {
            let (to, values) = (renaming.fluents[id.index()], &renaming.values[id.index()]);
            let there = |value: u8| values.get(usize::from(value)).copied();
            let is_image = match (claims.cells.get(&id), claims.cells.get(&to)) {
                (Some((free, [first, second])), Some((free_there, [first_there, second_there]))) => {
                    there(*free) == Some(*free_there)
                        && there(*first) == Some(*second_there)
                        && there(*second) == Some(*first_there)
                }
                (None, None) if id == turn => to == turn && values[..] == [1, 0],
                (None, None) => {
                    to == id && (0..fluent.values.len() as u8).all(|value| there(value) == Some(value))
                }
                _ => false,
            };
            if !is_image {
                let what = self.fluent_name(ground, id);
                return reject(format!("at `{what}` the players do not just change places"));
            }
        }
        Ok(())
    }

    /// Returns true if a formula holds only where every cell is claimed.
    fn comes_last(&self, ground: &mut Ground, claims: &ClaimableCells, formula: Formula) -> bool {
        claims.cells.iter().all(|(cell, (free, _))| {
            let is_free = ground.literal(*cell, 1 << free);
            ground.formulas.and([formula, is_free]) == FALSE
        })
    }
}

/// The effect of claims on the goal of this player.
struct ClaimMonotonicity<'f> {
    ground: &'f Ground,
    claims: &'f ClaimableCells,
    player: usize,
    /// The formulas visited so far, each as it is (true) or negated (false).
    seen: FxHashSet<(Formula, bool)>,
}

impl ClaimMonotonicity<'_> {
    /// Returns true if the formula is monotone in claims: its truth value `holds` persists when the player claims a
    /// cell, and no claim of the opponent produces it.
    fn holds(&mut self, formula: Formula, holds: bool) -> bool {
        if !self.seen.insert((formula, holds)) {
            return true;
        }
        match self.ground.formulas.node(formula) {
            FormulaNode::False | FormulaNode::True => true,
            FormulaNode::And(parts) | FormulaNode::Or(parts) => {
                parts.iter().all(|&part| self.holds(part, holds))
            }
            // A least fixpoint is monotone if its body is.
            FormulaNode::Name(name, named) => {
                self.holds(self.ground.formulas.definition(*name), holds == *named)
            }
            FormulaNode::Lit(subject, values) => {
                let Subject::Fluent(cell) = self.ground.formulas.subject(*subject).0 else { return false };
                let Some((free, players)) = self.claims.cells.get(cell) else {
                    return *cell != self.ground.fluents.turn();
                };
                let says = |value: u8| (values >> value & 1 == 1) == holds;
                let (own, other) = (says(players[self.player]), says(players[1 - self.player]));
                let free = says(*free);
                (!free || own) && (!other || free)
            }
        }
    }
}
