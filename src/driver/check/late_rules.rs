//! End rules that are noticed a ply late: W0535.
//!
//! End rules are tested after the turn has passed, so `mover` in them is the player who moves next. A rule such as
//! `when line(mover) => mover wins` is late if some position, in which play goes on, satisfies it with the player who
//! has just moved as `mover`: the rule did not hold in the position before, where that player was the mover, so this
//! move made it true. Rules that mention `stuck` are left out, since `mover` is meant there as the player to move.

use bouton_base::limits::LimitHit;
use bouton_rules::{ExprKind, MOVER, OutcomeExpr, Rules, Value};
use bouton_search::game::explore::VisitedPosition;
use bouton_search::game::{Game, ToMove};

use super::ends;

/// The rules that may be late, with the player of the last move of each position.
#[derive(Debug)]
pub struct LateRules {
    /// The indices of the rules that mention `mover` and were not found to be late so far.
    remaining: Vec<usize>,
    /// The player who made the last move of a shortest play to each position, by its index.
    last_movers: Vec<Option<u32>>,
}

/// A rule that is true of the player who has just moved, while play goes on.
#[derive(Clone, Copy, Debug)]
pub struct LateRule {
    /// The index of the rule.
    pub rule: usize,
    /// The player who has just moved.
    pub player: u32,
    /// The player to move.
    pub mover: u32,
}

impl LateRules {
    /// The rules of a game that may be late.
    pub fn new(rules: &Rules) -> LateRules {
        let is_candidate = |index: &usize| {
            let rule = &rules.ends[*index];
            let names_mover = |expr| rules.mentions(expr, &is_mover);
            let of_mover = match &rule.outcome {
                OutcomeExpr::Player(player, _) => names_mover(player),
                _ => false,
            };
            of_mover && names_mover(&rule.condition) && !rules.mentions(&rule.condition, &is_stuck)
        };
        let remaining = match rules.players().len() {
            0 | 1 => Vec::new(),
            _ => (0..rules.ends.len()).filter(is_candidate).collect(),
        };
        LateRules { remaining, last_movers: Vec::new() }
    }

    /// Finds the rules that are late in this position, each once.
    pub fn evaluate(&mut self, game: &Game, visit: &VisitedPosition<'_>) -> Result<Vec<LateRule>, LimitHit> {
        let mut found = Vec::new();
        if self.remaining.is_empty() {
            return Ok(found);
        }
        // An event of chance comes after the move: its rules see the player to move next as well.
        let mover = match (visit.turn, game.machine.read(visit.state, MOVER, 0)) {
            (ToMove::Player(mover), _) => *mover,
            (ToMove::Chance, Value::Sym(_, mover)) => mover,
            _ => return Ok(found),
        };
        if let ToMove::Player(_) = visit.turn {
            for &next in visit.next {
                let next = next as usize;
                if next >= self.last_movers.len() {
                    self.last_movers.resize(next + 1, None);
                }
                self.last_movers[next].get_or_insert(mover);
            }
        }
        let last = self.last_movers.get(visit.index as usize).copied().flatten();
        let Some(player) = last.filter(|player| *player != mover) else { return Ok(found) };
        let Some(state) = game.machine.with_mover(visit.state, player) else { return Ok(found) };
        let mut stopped = None;
        self.remaining.retain(|&rule| {
            match ends::answers(game, &state, &game.rules.ends[rule]) {
                Ok(answers) if answers.is_empty() => return true,
                Ok(_) => found.push(LateRule { rule, player, mover }),
                Err(hit) => stopped = Some(hit),
            }
            false
        });
        stopped.map_or(Ok(found), Err)
    }

    /// The number of bytes held.
    pub fn held_bytes(&self) -> u64 {
        (self.last_movers.capacity() * size_of::<Option<u32>>()) as u64
    }
}

/// Returns true for `mover`.
pub fn is_mover(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Field(field, _) if *field == MOVER)
}

/// Returns true if an expression asks for legal moves.
pub fn is_stuck(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Stuck | ExprKind::StuckPlayer(_))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn chance_after_the_move_hides_no_late_rule() {
        let count = |end: &str| {
            let rest = format!(
                "phases {{ roll by chance; go; }} state {{ n[p: Player]: 0..6 = 0; die: 1..2 = 1; }}
                 chance throw(d: 1..2) in roll as \"({{d}})\" {{ die := d; continue go; }}
                 move walk() in go as \"walk\" {{ n[me] := min(6, n[me] + die); next opponent; }}
                 end {{ {end} }}"
            );
            findings_of_two(&rest, Code::W0535).len()
        };
        assert_eq!(count("when n[mover] = 6 => mover wins;"), 1);
        assert_eq!(count("for p in Player when n[p] = 6 => p wins;"), 0);
        assert_eq!(count("when n[other(mover)] = 6 => other(mover) wins;"), 0);
    }
}
