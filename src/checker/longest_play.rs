//! The length of the longest play in a visited graph; it exists if and only if play is finite.

use super::visit::VisitedGraph;
use super::{Checked, Checker};

/// A position that can recur.
struct Cycle(u32);

impl Checker<'_> {
    /// Returns the maximal length of play from each position, as [`longest_plays`] does; rejects play that comes back
    /// for this reason.
    pub(super) fn finite_plays(
        &self,
        walk: &VisitedGraph,
        rank: &dyn Fn(u32) -> Option<u64>,
        reason: &str,
    ) -> Checked<Vec<u64>> {
        longest_plays(walk, rank).or_else(|Cycle(at)| self.reject_node(walk, at, reason))
    }

    /// Rejects the step in a visited position.
    pub(super) fn reject_node<T>(
        &self,
        walk: &VisitedGraph,
        at: u32,
        reason: impl Into<String>,
    ) -> Checked<T> {
        self.reject_at(&self.interpreter.unpack(walk.key(at)), reason)
    }
}

/// Returns the maximal length of play from each position, in plies. Where `rank` gives a number for a successor, that
/// number is trusted; the caller compares it with the result for the position itself.
///
/// *Cost:* linear in moves. Depth first without recursion, since plays can be long.
fn longest_plays(walk: &VisitedGraph, rank: &dyn Fn(u32) -> Option<u64>) -> Result<Vec<u64>, Cycle> {
    const NEW: u64 = u64::MAX;
    const OPEN: u64 = u64::MAX - 1;
    let mut longest = vec![NEW; walk.len()];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..walk.len() as u32 {
        if longest[root as usize] != NEW {
            continue;
        }
        longest[root as usize] = OPEN;
        path.push((root, 0));
        while let Some((at, done)) = path.last_mut() {
            if let Some(&to) = walk.next(*at).get(*done) {
                *done += 1;
                if rank(to).is_some() {
                    continue;
                }
                match longest[to as usize] {
                    NEW => {
                        longest[to as usize] = OPEN;
                        path.push((to, 0));
                    }
                    OPEN => return Err(Cycle(to)),
                    _ => {}
                }
            } else {
                let plies = |&to: &u32| rank(to).unwrap_or(longest[to as usize]);
                let most = walk.next(*at).iter().map(plies).max();
                longest[*at as usize] = most.map_or(0, |most| most.saturating_add(1)).min(OPEN - 1);
                path.pop();
            }
        }
    }
    Ok(longest)
}
