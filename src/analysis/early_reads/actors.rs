//! The players who may make a move where a part of it stands, and those who choose at the same time.

use super::Reader;
use crate::move_terms::{is_choice_of_a_player, same};
use bouton_rules::{Actor, Block, Effect, EffectOp, Expr, ExprKind, FieldId, Move, Rules, StmtKind, Value};
use bouton_rules::{MOVER, PLAYER};

/// A set of players, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Players(u64);

impl Players {
    pub const ALL: Players = Players(u64::MAX);

    /// The players that an expression for an actor may give.
    fn named_by(actor: &Expr) -> Players {
        match actor.constant() {
            Some(Value::Set(members)) => {
                Players(members.iter().fold(0, |all, member| all | Players::one(member).0))
            }
            Some(player) => Players::one(player),
            None => Players::ALL,
        }
    }

    fn one(player: &Value) -> Players {
        match player {
            Value::Sym(PLAYER, number) if *number < 64 => Players(1 << number),
            _ => Players::ALL,
        }
    }

    /// The players who may make a move.
    pub fn of(mv: &Move, rules: &Rules) -> Players {
        let in_phases = mv.phases.iter().fold(0, |all, phase| {
            all | match &rules.phases[*phase].actor {
                Actor::Player(actor) => Players::named_by(actor).0,
                _ => Players::ALL.0,
            }
        });
        let by = mv.by.as_ref().map_or(Players::ALL, Players::named_by);
        Players(by.0 & if mv.phases.is_empty() { Players::ALL.0 } else { in_phases })
    }

    /// Those for whom a condition may hold (or fail, if `holds` is false) when they move.
    pub fn if_known(self, condition: &Expr, holds: bool) -> Players {
        let is_actor = |term: &Expr| {
            matches!(&*term.kind, ExprKind::Me) || matches!(&*term.kind, ExprKind::Field(MOVER, _))
        };
        let narrowed = |players: Players| match holds {
            true => Players(self.0 & players.0),
            false => Players(self.0 & !players.0),
        };
        let is_player = |term: &Expr| matches!(term.constant(), Some(Value::Sym(PLAYER, 0..64)));
        match (&*condition.kind, holds) {
            (ExprKind::Equal(a, b), _) if is_actor(a) && is_player(b) => narrowed(Players::named_by(b)),
            (ExprKind::Equal(a, b), _) if is_actor(b) && is_player(a) => narrowed(Players::named_by(a)),
            (ExprKind::Not(inner), _) => self.if_known(inner, !holds),
            (ExprKind::And(parts), true) | (ExprKind::Or(parts), false) => {
                parts.iter().fold(self, |players, part| players.if_known(part, holds))
            }
            (ExprKind::And(parts), false) | (ExprKind::Or(parts), true) => {
                Players(parts.iter().fold(0, |all, part| all | self.if_known(part, holds).0))
            }
            _ => self,
        }
    }

    /// Those of whom the conditions of a stage let move.
    pub fn who_may(self, stage: &Block) -> Players {
        stage.stmts.iter().fold(self, |players, stmt| match &stmt.kind {
            StmtKind::Require(condition) => players.if_known(condition, true),
            _ => players,
        })
    }

    /// Returns true if the player who moves may be one of these, as far as a key tells.
    pub fn may_be(self, key: &Expr) -> bool {
        match key.constant() {
            Some(player) => self.0 & Players::one(player).0 != 0,
            None => true,
        }
    }
}

/// The fields in whose cells players set their choices at the same time as the player of a move, and these players.
pub(super) fn set_at_once(mv: &Move, rules: &Rules) -> Vec<(FieldId, Players)> {
    let is_at_once = |mv: &Move| {
        !mv.phases.is_empty() && mv.phases.iter().all(|p| matches!(rules.phases[*p].actor, Actor::Each))
    };
    let mut found = Vec::new();
    if is_at_once(mv) && rules.players().len() > 1 {
        for other in rules.moves.iter().filter(|other| mv.phases.iter().any(|p| other.phases.contains(p))) {
            let players = Players::of(other, rules).who_may(&other.body);
            own_cells(&other.body, &mut |field| found.push((field, players)));
        }
    }
    found
}

/// Visits the fields whose cell of the player who moves the first stage sets.
fn own_cells(stage: &Block, visit: &mut dyn FnMut(FieldId)) {
    for stmt in &stage.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) if effect.op == EffectOp::Set && is_of_the_mover(effect) => {
                visit(effect.field);
            }
            StmtKind::If(_, yes, no) => [yes, no].into_iter().for_each(|block| own_cells(block, visit)),
            StmtKind::For(_, block) => own_cells(block, visit),
            _ => {}
        }
    }
}

fn is_of_the_mover(effect: &Effect) -> bool {
    effect.keys.iter().any(|key| matches!(&*key.kind, ExprKind::Me))
}

impl<'r> Reader<'r, '_> {
    /// Returns true for a read of the cell in which another player sets a choice at the same time, below the effect that
    /// sets the own one: `pick[me] := k; if k > pick[opponent] ...`.
    pub(super) fn is_choice_at_once(&self, effect: &Effect, terms: &[&Expr]) -> bool {
        let is_set = self.at_once.iter().any(|(field, players)| {
            *field == effect.field && (players.0.count_ones() > 1 || players.0 & self.players.0 == 0)
        });
        is_set
            && !self.keeps
            && is_choice_of_a_player(effect)
            && is_of_the_mover(effect)
            && terms.iter().zip(&effect.keys).all(|(term, of)| match &*of.kind {
                ExprKind::Me => self.is_another_player(term),
                _ => same(term, of),
            })
    }

    /// Returns true for `opponent`, `other(me)`, and a player who cannot be the one who moves.
    fn is_another_player(&self, term: &Expr) -> bool {
        match &*term.kind {
            ExprKind::Table(_, keys) => match &keys[..] {
                [key] => {
                    let is_named = matches!(&*key.kind, ExprKind::Var(_)) && self.names.len() > 1;
                    matches!(&*key.kind, ExprKind::Me) || is_named
                }
                _ => false,
            },
            _ => term.constant().is_some() && !self.players.may_be(term),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn cells_of_two_players_differ() {
        let count = |by: &str, body: &str| {
            let text = format!(
                "game \"Hunt\"; players Cat, Mouse; board Cell = strip(5);
                 state {{ place[p: Player]: Cell = match p {{ Cat => a1, Mouse => e1 }}; fled: set of Cell = {{}}; }}
                 move go(to: Cell) {by} as \"{{to}}\" {{ when to in place[me].neighbors; {body} }}
                 end {{ when #fled > 3 => draw; when place[Cat] = place[Mouse] => Cat wins; when stuck => draw; }}"
            );
            found(&text, Code::W0313).len()
        };
        let flee = "place[me] := to; fled |= { place[Cat] };";
        assert_eq!(count("", flee), 1);
        assert_eq!(count("by Cat", flee), 1);
        assert_eq!(count("by Mouse", flee), 0);
        assert_eq!(count("", &format!("when me = Mouse; {flee}")), 0);
        assert_eq!(count("", &format!("when me != Cat and to != a1; {flee}")), 0);
        assert_eq!(count("", &format!("when me = Mouse or to != a1; {flee}")), 1);
        for (body, warnings) in [
            ("if me = Mouse { fled |= { place[Cat] }; }", 0),
            ("if me = Cat { fled |= { place[Cat] }; }", 1),
            ("if me = Cat { fled |= { to }; } else { fled |= { place[Cat] }; }", 0),
            ("if me = Mouse and place[Cat] = a1 { fled |= { to }; }", 0),
            ("fled |= if me = Mouse then { place[Cat] } else {};", 0),
            ("fled |= if me = Mouse then {} else { place[Cat] };", 1),
        ] {
            assert_eq!(count("", &format!("place[me] := to; {body}")), warnings, "{body}");
        }
    }

    #[test]
    fn choices_at_once_are_not_seen() {
        let titles = |phase: &str, body: &str| {
            let text = format!(
                "game \"Show\"; players A, B; phases {{ choose{phase}; }}
                 state {{ pick[p: Player]: 0..2 = 0; won[p: Player]: 0..4 = 0; round: 0..4 = 0; }}
                 def beats(p: Player) = pick[other(p)] = 1;
                 move show(k: 1..2) in choose as \"{{k}}\" {{ {body} then {{ round := min(4, round + 1); }} }}
                 end {{ when round = 4 => payoff p: won[p] - won[other(p)]; when pick[A] = 0 and round > 5 => draw; }}"
            );
            found(&text, Code::W0313).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let branch = "this `if` reads the `pick` of another player, who sets it at the same time";
        let effect = "this effect reads the `pick` of another player, who sets it at the same time";
        for (body, title) in [
            ("pick[me] := k; if k > pick[opponent] { won[me] += 1; }", branch),
            ("pick[me] := k; if pick[other(me)] < k { won[me] += 1; }", branch),
            ("pick[me] := k; if beats(me) { won[me] += 1; }", branch),
            ("pick[me] := k; won[me] += if k > pick[opponent] then 1 else 0;", effect),
        ] {
            assert_eq!(titles(" by each", body), [title], "{body}");
            assert_eq!(titles("", body), [""; 0], "{body}");
        }
        for body in [
            "pick[me] := k; then { if pick[me] > pick[opponent] { won[me] += 1; } }",
            "if k > pick[opponent] { won[me] += 1; } pick[me] := k;",
            "pick[me] := 1; if k > pick[opponent] { won[me] += 1; }",
            "pick[me] := k; if won[opponent] < 2 { won[me] += 1; }",
        ] {
            assert_eq!(titles(" by each", body), [""; 0], "{body}");
        }
    }

    #[test]
    fn moves_of_one_player_meet_those_of_the_other() {
        let count = |phases: &str, set: &str| {
            let text = format!(
                "game \"Hide\"; players A, B; phases {{ {phases} }}
                 state {{ spot[p: Player]: 0..2 = 0; won: 0..4 = 0; round: 0..4 = 0; }}
                 move hide(k: 1..2) in choose by A as \"h{{k}}\" {{ {set} then {{ round := min(4, round + 1); }} }}
                 move seek(k: 1..2) in choose by B as \"s{{k}}\" {{ spot[me] := k; if spot[A] = k {{ won += 1; }} }}
                 end {{ when round = 4 and won > 2 => B wins; when round = 4 => A wins; }}"
            );
            found(&text, Code::W0313).len()
        };
        assert_eq!(count("choose by each;", "spot[me] := k;"), 1);
        assert_eq!(count("choose by each;", "when k < 3;"), 0);
        assert_eq!(count("choose;", "spot[me] := k;"), 0);
    }
}
