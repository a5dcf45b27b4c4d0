//! Lambda search: moves that threaten to win by moves that threaten, on top of [df-pn](super::dfpn).
//!
//! Technique: an attack of order 1 consists of moves after which the attacker would win at once if the other side passed;
//! one of order n of moves after which he would win by an attack of order n - 1. So its tree is narrow, and what wins in it
//! is a win. Attacks are tried for both sides where the search begins, and for who is to move wherever it comes to,
//! again and again: with the more positions, the more the position has cost without them.
//! Source: Thomsen, "Lambda-search in game trees - with application to Go" (2000); with df-pn: Yoshizoe, Kishimoto,
//! Mueller, "Lambda depth-first proof number search and its application to Go" (2007).
//! Cost: a search of a lower order for each move of the attacker.
//! Invariant: that somebody passes only says which moves the attacker tries. Against his moves all moves of the other side
//! are searched, so an attack that succeeds is a complete proof by the rules, also where passing is forbidden and where
//! having to move is a disadvantage. One that fails answers nothing.
//! Dual lambda search lets who attacks also answer: where the other side threatens to win at once, moves that threaten
//! nothing belong to the attack, too. Soeda, Kaneko, Tanaka, "Dual lambda search and Shogi endgames" (2005), who have
//! threats of any order of the other side; here they are those of order 1, since an answer to others is found by the
//! search of all moves as well.
//! Not taken: leaving out moves that do not touch what is threatened, which would need Thomsen's condition that nobody is
//! worse off for having the move. So there is no condition to be checked: no answer rests on a pass.

use super::dfpn::{Dfpn, Kind, key};
use crate::solve::telling::Halted;

/// An attack may take this part of the positions that were looked at for a position, and is tried again when that has
/// become more than it took.
const PART: u64 = 8;
/// What an attack may take at least, by its order, and how many positions must have been looked at before.
const LEAST: [(u64, u64); 2] = [(100, 0), (1_000, 1_000)];
/// How many orders of attacks there are at most.
pub(super) const ORDERS: usize = 3;
/// How many it may take where the search begins, by its order.
const AT_ONCE: [u64; ORDERS] = [1_000, 10_000, 100_000];

impl Dfpn<'_> {
    /// The answer, if one side has an attack at once.
    pub(super) fn by_threats_at_once(&mut self, root: &[u64], t: i32) -> Result<Option<bool>, Halted> {
        for (order, most) in (1..).zip(AT_ONCE).take(self.orders(1)) {
            for attacker in [true, false] {
                if self.attack(root, t, (order, attacker), most)? == Some(true) {
                    return Ok(Some(attacker));
                }
            }
        }
        Ok(None)
    }

    /// The answer, if who is to move has an attack.
    pub(super) fn by_threats(&mut self, at: &[u64], t: i32) -> Result<Option<bool>, Halted> {
        let attacker = self.eyes.is_first(at[self.eyes.size()] as u32);
        let spent = self.table.spent(key(at, Kind::Whole));
        for (order, (least, from)) in (1..).zip(LEAST).take(self.orders(0)) {
            let before = self.table.spent(key(at, Kind::Threats(order, attacker)));
            let due = spent >= from && (before == 0 || spent / PART >= before);
            if due && self.attack(at, t, (order, attacker), least.max(spent / PART))? == Some(true) {
                return Ok(Some(attacker));
            }
        }
        Ok(None)
    }

    /// How many orders of attacks are tried; so many more where there is time. Where the rules do not show at once which
    /// moves threaten, attacks cost too much to be tried everywhere.
    fn orders(&self, more: usize) -> usize {
        match self.tuning.threats {
            0 => 0,
            _ if !self.eyes.hinted => more,
            orders => orders + more,
        }
    }

    /// Whether an attack succeeds; none where that takes too many positions.
    fn attack(
        &mut self,
        at: &[u64],
        t: i32,
        (order, attacker): (u32, bool),
        most: u64,
    ) -> Result<Option<bool>, Halted> {
        let question = self.question(t, Kind::Threats(order, attacker))?;
        let (depth, until) = (self.depth, self.until);
        self.until = until.min(self.eyes.nodes.saturating_add(most));
        let answer = self.run(at, question);
        self.until = until;
        match answer {
            Ok(yes) => Ok(Some(yes == attacker)),
            Err(Halted::Long) => {
                self.depth = depth;
                Ok(None)
            }
            Err(halted) => Err(halted),
        }
    }

    /// Of the moves of the attacker, given one after another, puts those first after which something is threatened; gives
    /// how many these are, or none where an attack of a lower order succeeds at once. The last look was at the position.
    pub(super) fn threatening(
        &mut self,
        at: &[u64],
        moves: &mut [u64],
        (t, order, attacker): (i32, u32, bool),
    ) -> Result<Option<usize>, Halted> {
        let (size, hints) = (self.eyes.size(), std::mem::take(&mut self.eyes.hints));
        if order > 1 {
            let lower = self.question(t, Kind::Threats(order - 1, attacker))?;
            if self.run(at, lower)? == attacker {
                return Ok(None);
            }
        }
        // Who is threatened himself may have to answer first.
        let answers = self.tuning.dual && self.would_win(at, t, (0, !attacker))?;
        let mut kept = 0;
        for (place, hint) in hints.iter().enumerate() {
            let from = place * (size + 1);
            let child = moves[from..=from + size].to_vec();
            let again = self.eyes.is_first(child[size] as u32) == attacker;
            let threatens = match order {
                _ if again || answers => true,
                1 if self.eyes.hinted => *hint > 0,
                _ => self.would_win(&child, t, (order - 1, attacker))?,
            };
            if threatens {
                moves.copy_within(from..=from + size, kept * (size + 1));
                kept += 1;
            }
        }
        self.eyes.hints = hints;
        Ok(Some(kept))
    }

    /// Whether a side would win by an attack of this order if who is to move passed.
    fn would_win(&mut self, at: &[u64], t: i32, (order, attacker): (u32, bool)) -> Result<bool, Halted> {
        let Some(mut passed) = self.eyes.passed(at) else { return Ok(false) };
        let depth = self.depth;
        let answer = match order {
            0 => self.eyes.answered(&mut passed, t).map(|answer| answer == Some(attacker)),
            _ => {
                let question = self.question(t, Kind::Threats(order, attacker))?;
                self.run(&passed, question).map(|yes| yes == attacker)
            }
        };
        match answer {
            // Play never comes to where somebody has passed; that rules have no meaning there is nobody's mistake.
            Err(Halted::Broken(_) | Halted::Wrong(_)) => {
                self.depth = depth;
                Ok(false)
            }
            answer => answer,
        }
    }
}
