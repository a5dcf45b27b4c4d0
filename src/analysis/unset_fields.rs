//! W0410 for fields that no effect changes: constants, and those that rules read and that a move was to fill.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{Block, EnumKind, Expr, ExprKind, FieldId, OutcomeExpr, PLAYER, StmtKind, Type, Value};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// W0410 for a field without effects.
    pub(super) fn unset_field(&self, id: FieldId) -> Diagnostic {
        let field = &self.rules.fields[id];
        let (name, span) = (&field.name, field.span);
        let label = "no effect changes it";
        let is_turn = matches!(name.as_str(), "turn" | "current" | "player" | "to_move" | "whose_turn")
            && *field.ty.present() == Type::Sym(PLAYER);
        let constant =
            Diagnostic::new(Code::W0410, format!("`{name}` never changes: make it a `const`"), span, label);
        if is_turn {
            return constant.help(
                "players take turns by themselves: leave the field out; in a move `me` is the player who moves, \
                 elsewhere `mover` is the player to move",
            );
        }
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == id);
        let reader = match self.empty_at_first(id) {
            Some(empty) => self.reader_of(&is_field).zip(Some(empty)),
            // What is asked to be left was to be spent, and a place that steps begin at was to be left.
            None => self
                .reader_of(&|kind| {
                    asks_for_some(kind, id) || bounds_a_choice(kind, id) || is_a_start(kind, id)
                })
                .zip(Some("as at first".to_owned())),
        };
        if let Some(((reader, place), empty)) = reader {
            let title = format!("`{name}` never changes, although {reader} reads it");
            let found = Diagnostic::new(Code::W0410, title, span, label).label(place, "read here");
            return found.help(format!(
                "an effect on `{name}` is missing in a move, or names another field; if it is always {empty}, \
                 `const ... = ...;` costs no bits"
            ));
        }
        constant.help(format!(
            "if a move is to change it, an effect on `{name}` is missing, or names another field; if it stays, \
             `const ... = ...;` costs no bits"
        ))
    }

    /// The value of all cells at first, in words, if it is one that a move was to change: nothing, 0, an empty set,
    /// or the first member of an enum.
    fn empty_at_first(&self, id: FieldId) -> Option<String> {
        let field = &self.rules.fields[id];
        let first = field.init.first().filter(|first| field.init.iter().all(|value| value == *first))?;
        let is_first_member = |of: &bouton_rules::EnumId| self.rules.enums[*of].kind == EnumKind::User;
        match first {
            Value::None => Some("`none`".to_owned()),
            Value::Int(0) => Some("0".to_owned()),
            Value::Bool(false) => Some("`false`".to_owned()),
            Value::Set(elements) if elements.is_empty() => Some("`{}`".to_owned()),
            Value::Sym(of, 0) if is_first_member(of) => Some(format!("`{}`", self.rules.show(first))),
            _ => None,
        }
    }

    /// The move or the rule of the end that reads a field, in words, and the place of its condition or `let`.
    fn reader_of(&self, is_it: &dyn Fn(&ExprKind) -> bool) -> Option<(String, Span)> {
        let of_move = self.rules.moves.iter().find_map(|of| {
            let place = self.guard_with(&of.body, is_it)?;
            Some((format!("`{}`", of.name), place))
        });
        of_move.or_else(|| {
            self.rules.ends.iter().filter(|rule| rule.span.is_placed()).find_map(|rule| {
                let of_outcome = match &rule.outcome {
                    OutcomeExpr::Player(winner, _) => self.rules.mentions(winner, is_it),
                    OutcomeExpr::Payoff(of) | OutcomeExpr::ByScore(of, _) => {
                        of.values.iter().any(|value| self.rules.mentions(value, is_it))
                    }
                    OutcomeExpr::Draw | OutcomeExpr::SinglePlayer(_) => false,
                };
                let reads = of_outcome || self.rules.mentions(&rule.condition, is_it);
                reads.then(|| ("a rule of the end".to_owned(), rule.span))
            })
        })
    }

    /// The place of the first condition or `let` of a block that reads a field.
    fn guard_with(&self, block: &Block, is_it: &dyn Fn(&ExprKind) -> bool) -> Option<Span> {
        block.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Require(condition) => {
                self.rules.mentions(condition, is_it).then_some(condition.span).filter(|at| at.is_placed())
            }
            StmtKind::Let(_, term) => {
                self.rules.mentions(term, is_it).then_some(term.span).filter(|at| at.is_placed())
            }
            StmtKind::Then(inner) | StmtKind::For(_, inner) => self.guard_with(inner, is_it),
            StmtKind::If(condition, yes, no) => match self.rules.mentions(condition, is_it) {
                true => Some(condition.span).filter(|at| at.is_placed()),
                false => self.guard_with(yes, is_it).or_else(|| self.guard_with(no, is_it)),
            },
            _ => None,
        })
    }
}

/// Returns true for `f > 0`, `f >= 1`, and `f = 0` or `f != 0`, where `f` is a field, or its size if it is a set;
/// and for `f = {}`.
fn asks_for_some(kind: &ExprKind, id: FieldId) -> bool {
    let is_itself = |side: &Expr| matches!(&*side.kind, ExprKind::Field(of, _) if *of == id);
    let is_field = |side: &Expr| match &*side.kind {
        ExprKind::Card(set) => is_itself(set),
        _ => is_itself(side),
    };
    let is = |side: &Expr, n: i64| match side.constant() {
        Some(Value::Set(elements)) => n == 0 && elements.is_empty(),
        of => of.and_then(Value::as_int) == Some(n),
    };
    match kind {
        ExprKind::Less(low, of) => is(low, 0) && is_field(of),
        ExprKind::LessEqual(low, of) => is(low, 1) && is_field(of),
        ExprKind::Equal(a, b) => is(a, 0) && is_field(b) || is(b, 0) && is_field(a),
        _ => false,
    }
}

/// Returns true for `k <= f` and `k < f`, where `f` is a field and k a number that the move chooses.
fn bounds_a_choice(kind: &ExprKind, id: FieldId) -> bool {
    let (ExprKind::Less(low, high) | ExprKind::LessEqual(low, high)) = kind else { return false };
    let is_field = matches!(&*high.kind, ExprKind::Field(of, keys) if *of == id && !keys.is_empty());
    is_field && matches!(&*low.kind, ExprKind::Var(_))
}

/// Returns true for `f + d` and `f.neighbors`, where `f` is a field with a cell.
fn is_a_start(kind: &ExprKind, id: FieldId) -> bool {
    let is_field = |of: &Expr| {
        let mut of = of;
        while let ExprKind::Present(inner) = &*of.kind {
            of = inner;
        }
        matches!(&*of.kind, ExprKind::Field(of, _) if *of == id)
    };
    matches!(kind, ExprKind::Board(_, _, args) if args.first().is_some_and(is_field))
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn title(field: &str, guard: &str, end: &str) -> String {
        let text = format!(
            "game \"Dig\"; players A, B; board C = strip(5); enum Stage {{ low, high }}
             state {{ used: set of C = {{}}; {field} }}
             move go(c: C) as \"{{c}}\" {{ when c not in used and ({guard}); used |= {{ c }}; }}
             end {{ {end} when stuck => mover loses; }}"
        );
        let mut found = found(&text, Code::W0410);
        assert!(found.len() == 1, "{found:?}");
        found.remove(0).title
    }

    #[test]
    fn empty_fields_lack_an_effect() {
        let missing = "`gone` never changes, although `go` reads it";
        assert_eq!(title("gone: set of C = {};", "c not in gone", ""), missing);
        assert_eq!(title("gone: C? = none;", "c != gone", ""), missing);
        assert_eq!(title("gone[c: C]: bool = false;", "not gone[c]", ""), missing);
        assert_eq!(title("gone: 0..4 = 0;", "gone < 3", ""), missing);
        let rule = "`gone` never changes, although a rule of the end reads it";
        assert_eq!(title("gone: Player? = none;", "#used < 9", "when #used = 5 => gone loses;"), rule);
        assert_eq!(title("gone: 0..4 = 0;", "#used < 9", "when #used = 5 => payoff p: gone;"), rule);
    }

    #[test]
    fn stocks_and_first_members_lack_an_effect() {
        let missing = "`gone` never changes, although `go` reads it";
        assert_eq!(title("gone[p: Player]: 0..4 = 4;", "gone[me] > 0", ""), missing);
        assert_eq!(title("gone: 0..4 = 4;", "gone != 0", ""), missing);
        assert_eq!(title("gone: Stage = low;", "gone != high", ""), missing);
        assert_eq!(
            title("gone: 0..4 = 0;", "#used < 9); let far = #used + gone; when (far < 9", ""),
            missing
        );
        let constant = "`gone` never changes: make it a `const`";
        assert_eq!(title("gone: Stage = high;", "gone != low", ""), constant);
        assert_eq!(title("gone: 0..4 = 4;", "gone > 1", ""), constant);
    }

    #[test]
    fn stocks_that_bound_a_choice_and_starts_of_steps_lack_an_effect() {
        let missing = "`gone` never changes, although `go` reads it";
        assert_eq!(title("gone: C = a1;", "c in gone.neighbors", ""), missing);
        assert_eq!(title("gone: C? = a1;", "c in gone.neighbors", ""), missing);
        let constant = "`gone` never changes: make it a `const`";
        assert_eq!(title("gone: C = a1;", "c != gone", ""), constant);
        let of_stock = |field: &str, guard: &str| {
            let text = format!(
                "game \"Pay\"; players A, B; state {{ chest: 0..9 = 0; {field} }}
                 move pay(k: 1..3) as \"{{k}}\" {{ when {guard} and chest + k <= 9; chest += k; }}
                 play normal;"
            );
            found(&text, Code::W0410).remove(0).title
        };
        let missing = "`gone` never changes, although `pay` reads it";
        assert_eq!(of_stock("gone[p: Player]: 0..6 = 4;", "k <= gone[me]"), missing);
        assert_eq!(of_stock("gone: 0..6 = 4;", "k <= gone"), constant);
        assert_eq!(of_stock("gone[p: Player]: 0..6 = 4;", "gone[me] <= k"), constant);
    }

    #[test]
    fn other_fields_are_constants() {
        let constant = "`gone` never changes: make it a `const`";
        assert_eq!(title("gone: set of C = { a1 };", "c not in gone", ""), constant);
        assert_eq!(title("gone: 0..4 = 3;", "#used <= gone", ""), constant);
        assert_eq!(title("gone[c: C]: bool = c = a1;", "not gone[c]", ""), constant);
        assert_eq!(title("gone: 0..4 = 0;", "#used < 9", ""), constant);
    }
}
