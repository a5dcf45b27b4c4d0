//! Lambda search: attacks by sequences of threats, on top of [df-pn](super::dfpn).
//!
//! Technique: an attack of order 1 consists of moves after which the attacker would win at once if the other side
//! passed; an attack of order n consists of moves after which he would win by an attack of order n - 1. So its tree is
//! narrow, and a win in it is a win. The search tries attacks for both sides at its root, and for the side to move at
//! every position that it reaches, repeatedly: the budget of an attack grows with the effort already spent on the
//! position without attacks.
//! Source: Thomsen, "Lambda-search in game trees - with application to Go" (2000); with df-pn: Yoshizoe, Kishimoto,
//! Mueller, "Lambda depth-first proof number search and its application to Go" (2007).
//! Cost: a search of a lower order for each move of the attacker.
//! Invariant: passes only select the moves that the attacker tries. Against his moves, the search covers all moves of
//! the other side, so a successful attack is a complete proof by the rules, also where passing is illegal and where the
//! obligation to move is a disadvantage (zugzwang). A failed attack answers nothing.
//! Dual lambda search lets the attacker also answer: if the other side threatens to win at once, moves that threaten
//! nothing belong to the attack, too. Soeda, Kaneko, Tanaka, "Dual lambda search and Shogi endgames" (2005), use
//! threats of any order of the other side; here they are those of order 1, since the search of all moves finds answers
//! to the others as well.
//! Not taken: pruning of moves that do not affect the threat, which would need Thomsen's condition that the right to
//! move is never a disadvantage. So there is no condition to check: no answer rests on a pass.

use super::dfpn::{Dfpn, TreeKind, key};
use crate::solve::extract::SearchInterrupted;

/// The divisor of the attack budget: an attack may expand this fraction of the positions already spent on a position,
/// and the search retries it when that fraction exceeds the cost of the last attempt.
const ATTACK_BUDGET_DIVISOR: u64 = 8;
/// By order: the minimal budget of an attack in positions, and the effort that a position needs before the first
/// attempt.
const MIN_ATTACK_BUDGETS: [(u64, u64); 2] = [(100, 0), (1_000, 1_000)];
/// The maximal order of attacks.
pub(super) const MAX_THREAT_ORDER: usize = 3;
/// The budget of an attack at the root in positions, by order.
const ROOT_ATTACK_BUDGETS: [u64; MAX_THREAT_ORDER] = [1_000, 10_000, 100_000];

/// An attack by threats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ThreatAttack {
    pub order: u32,
    /// True if the first player attacks.
    pub attacker: bool,
}

impl Dfpn<'_> {
    /// Returns the answer if one side has a successful attack at the root.
    pub(super) fn root_attack_answer(
        &mut self,
        root: &[u64],
        t: i32,
    ) -> Result<Option<bool>, SearchInterrupted> {
        for (order, most) in (1..).zip(ROOT_ATTACK_BUDGETS).take(self.orders(1)) {
            for attacker in [true, false] {
                if self.attack(root, t, ThreatAttack { order, attacker }, most)? == Some(true) {
                    return Ok(Some(attacker));
                }
            }
        }
        Ok(None)
    }

    /// Returns the answer if the side to move has a successful attack.
    pub(super) fn attack_answer(&mut self, at: &[u64], t: i32) -> Result<Option<bool>, SearchInterrupted> {
        let attacker = self.eyes.is_first(at[self.eyes.size()] as u32);
        let spent = self.table.effort(key(at, TreeKind::AllMoves));
        for (order, (least, from)) in (1..).zip(MIN_ATTACK_BUDGETS).take(self.orders(0)) {
            let attack = ThreatAttack { order, attacker };
            let before = self.table.effort(key(at, TreeKind::Threats(attack)));
            let due = spent >= from && (before == 0 || spent / ATTACK_BUDGET_DIVISOR >= before);
            let most = least.max(spent / ATTACK_BUDGET_DIVISOR);
            if due && self.attack(at, t, attack, most)? == Some(true) {
                return Ok(Some(attacker));
            }
        }
        Ok(None)
    }

    /// Returns the highest order of attacks to try, `more` of them added at the root. If the rules give no threat
    /// hints, attacks are too expensive to try everywhere.
    fn orders(&self, more: usize) -> usize {
        match self.tuning.threat_order {
            0 => 0,
            _ if !self.eyes.has_hints => more,
            orders => orders + more,
        }
    }

    /// Returns true if an attack succeeds; `None` if it exceeds its budget of positions.
    fn attack(
        &mut self,
        at: &[u64],
        t: i32,
        attack: ThreatAttack,
        most: u64,
    ) -> Result<Option<bool>, SearchInterrupted> {
        let question = self.question(t, TreeKind::Threats(attack))?;
        let (depth, until) = (self.depth, self.attack_limit);
        self.attack_limit = until.min(self.eyes.nodes.saturating_add(most));
        let answer = self.run(at, question);
        self.attack_limit = until;
        match answer {
            Ok(yes) => Ok(Some(yes == attack.attacker)),
            Err(SearchInterrupted::LocalBudgetExhausted) => {
                self.depth = depth;
                Ok(None)
            }
            Err(halted) => Err(halted),
        }
    }

    /// Moves those moves of the attacker to the front after which he threatens something; returns their number, or
    /// `None` if an attack of a lower order succeeds at once. The last expansion must be that of the position.
    pub(super) fn partition_threats(
        &mut self,
        at: &[u64],
        moves: &mut [u64],
        t: i32,
        attack: ThreatAttack,
    ) -> Result<Option<usize>, SearchInterrupted> {
        let ThreatAttack { order, attacker } = attack;
        let lower = |order| ThreatAttack { order, ..attack };
        let (size, hints) = (self.eyes.size(), std::mem::take(&mut self.eyes.hints));
        if order > 1 {
            let question = self.question(t, TreeKind::Threats(lower(order - 1)))?;
            if self.run(at, question)? == attacker {
                return Ok(None);
            }
        }
        // A side that is under threat may need to answer first.
        let answers = self.tuning.dual_threats
            && self.would_win(at, t, ThreatAttack { order: 0, attacker: !attacker })?;
        let mut kept = 0;
        for (place, hint) in hints.iter().enumerate() {
            let from = place * (size + 1);
            let child = moves[from..=from + size].to_vec();
            let again = self.eyes.is_first(child[size] as u32) == attacker;
            let threatens = match order {
                _ if again || answers => true,
                1 if self.eyes.has_hints => *hint > 0,
                _ => self.would_win(&child, t, lower(order - 1))?,
            };
            if threatens {
                moves.copy_within(from..=from + size, kept * (size + 1));
                kept += 1;
            }
        }
        self.eyes.hints = hints;
        Ok(Some(kept))
    }

    /// Returns true if a side would win by an attack of this order if the side to move passed.
    fn would_win(&mut self, at: &[u64], t: i32, attack: ThreatAttack) -> Result<bool, SearchInterrupted> {
        let attacker = attack.attacker;
        let Some(mut passed) = self.eyes.after_pass(at) else { return Ok(false) };
        let depth = self.depth;
        let answer = match attack.order {
            0 => self.eyes.answer_by_expansion(&mut passed, t).map(|answer| answer == Some(attacker)),
            _ => {
                let question = self.question(t, TreeKind::Threats(attack))?;
                self.run(&passed, question).map(|yes| yes == attacker)
            }
        };
        match answer {
            // A position after a pass need not occur in play, so a fault of the rules there is no error.
            Err(SearchInterrupted::RulesFault(_) | SearchInterrupted::NotApplicable(_)) => {
                self.depth = depth;
                Ok(false)
            }
            answer => answer,
        }
    }
}
