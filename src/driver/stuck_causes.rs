//! Likely causes of positions in which nobody can move, in what the conditions ask: a point that nothing leads on from,
//! a condition about the place that a move leaves, a field that moves only take from.

use super::condition_values::{formula_at, scope_before, scope_of_call};
use super::excluded_moves::ExcludingCondition;
use super::faults::effects;
use super::load::GameSource;
use super::strong_guards::has_move;
use super::stuck::Cause;
use super::undefined_terms::Scope;
use bouton_base::source::Span;
use bouton_rules::{
    BoardFn, BoardId, EffectOp, Expr, ExprKind, FieldId, Move, Pattern, StmtKind, Type, Value, VarId,
};
use bouton_search::game::{Game, State};

/// The first cause that one of the conditions shows.
pub(super) fn cause(
    text: &GameSource,
    game: &Game,
    state: &State,
    conditions: &[ExcludingCondition],
) -> Option<Cause> {
    conditions.iter().filter(|condition| !condition.is_later).find_map(|condition| {
        let mv = game.rules.moves.iter().find(|mv| mv.span == condition.of)?;
        let formula = formula_at(mv, condition)?;
        let asked = Asked { text, game, state, mv, condition, formula };
        asked
            .end_of_the_way()
            .or_else(|| asked.place_that_is_left())
            .or_else(|| asked.field_only_taken_from())
    })
}

/// A condition that excludes the moves of its kind.
struct Asked<'a> {
    text: &'a GameSource,
    game: &'a Game,
    state: &'a State,
    mv: &'a Move,
    condition: &'a ExcludingCondition,
    formula: &'a Expr,
}

impl Asked<'_> {
    /// A point of a graph without neighbours, whose neighbours the condition asks for.
    fn end_of_the_way(&self) -> Option<Cause> {
        let args = self.condition.examples.first()?;
        let scope = scope_before(self.game, self.state, self.mv, self.condition.span, args);
        let (span, board, point) = without_neighbors(&scope, self.formula)?;
        let of = &self.game.rules.boards[board];
        let members = &self.game.rules.enums[of.cells].members;
        let here = members.get(point as usize)?;
        let mut before = (0u32..).zip(members).filter(|(other, _)| of.neighbors(*other).contains(&point));
        let (_, from) = before.next()?;
        let help = format!(
            "lines lead to `{here}`, and none leads on: write `{from} - {here}` in `{}` if the line goes both ways",
            of.name
        );
        Some(match self.arrow(span, from, here) {
            Some(arrow) => Cause { span: arrow, label: format!("goes to `{here}` only, not back"), help },
            None => Cause { span, label: format!("this is `{here}`, from which no line leads on"), help },
        })
    }

    /// The place of `from -> to` in the text.
    fn arrow(&self, near: Span, from: &str, to: &str) -> Option<Span> {
        let file = near.file;
        let all = &self.text.sources.get(file).text;
        all.match_indices("->").find_map(|(at, arrow)| {
            let before = all[..at].trim_end();
            let after = &all[at + arrow.len()..];
            let begin = before.strip_suffix(from)?;
            let gap = after.len() - after.trim_start().len();
            let rest = after.trim_start().strip_prefix(to)?;
            let is_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            if is_name(begin.chars().next_back()) || is_name(rest.chars().next()) {
                return None;
            }
            let end = at + arrow.len() + gap + to.len();
            Some(Span::new(file, begin.len(), end))
        })
    }

    /// A condition about the place that the move leaves, where none asks about the place that it goes to.
    fn place_that_is_left(&self) -> Option<Cause> {
        let rules = &self.game.rules;
        let (id, _) = rules.moves.entries().find(|(_, mv)| mv.span == self.mv.span)?;
        let stmts = &self.mv.body.stmts;
        stmts.iter().take_while(|stmt| stmt.span != self.condition.span).find_map(|stmt| {
            let StmtKind::Let(Pattern::Var(var), value) = &stmt.kind else { return None };
            let is_asked = stmts.iter().any(|other| match &other.kind {
                StmtKind::Require(formula) => names(formula, *var),
                _ => false,
            });
            let (field, declared) = rules.fields.entries().find(|(field, declared)| {
                let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if of == field);
                declared.keys.is_empty()
                    && declared.ty.present() == self.mv.vars[*var].ty.base()
                    && [value, self.formula].iter().all(|term| rules.mentions(term, &is_it))
            })?;
            if is_asked || !matches!(*declared.ty.present(), Type::Sym(_)) || !stmt.span.is_placed() {
                return None;
            }
            let mut changed = (**rules).clone();
            let place = stmts.iter().position(|other| other.span == self.condition.span)?;
            let StmtKind::Require(condition) = &mut changed.moves[id].body.stmts[place].kind else { return None };
            put(condition, self.formula.span, false, &|part| {
                let field_in = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == field);
                let is_it = match &*part.kind {
                    ExprKind::Present(inner) => field_in(&inner.kind),
                    kind => field_in(kind),
                };
                is_it.then_some(ExprKind::Var(*var))
            });
            let (left, name) = (&declared.name, &self.mv.vars[*var].name);
            let words = self.text.words(self.formula.span);
            let meant = with_name(&words, left, name)?;
            has_move(changed, self.game, self.state).then(|| Cause {
                span: stmt.span,
                label: format!("no condition asks about `{name}`"),
                help: format!(
                    "`{words}` asks about `{left}` before the move: if it should ask about `{name}`, write `{meant}`, with \
                     which there would be a move here"
                ),
            })
        })
    }

    /// Returns true if a condition of the move holds the cell of a variable below something.
    fn holds_below(&self, field: FieldId, var: VarId) -> bool {
        let is_cell = |low: &Expr| match &*low.kind {
            ExprKind::Field(of, keys) => {
                *of == field
                    && matches!(&keys[..], [key] if matches!(*key.kind, ExprKind::Var(v) if v == var))
            }
            _ => false,
        };
        let is_bound = |part: &Expr| match &*part.kind {
            ExprKind::Less(low, _) | ExprKind::LessEqual(low, _) => is_cell(low),
            _ => false,
        };
        self.mv.body.stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Require(condition) => match &*condition.kind {
                ExprKind::And(parts) => parts.iter().any(is_bound),
                _ => is_bound(condition),
            },
            _ => false,
        })
    }

    /// A field with keys that moves only take from, where the move takes from one key and holds another below a bound.
    fn field_only_taken_from(&self) -> Option<Cause> {
        let rules = &self.game.rules;
        let all: Vec<_> = rules.moves.iter().flat_map(|mv| effects(&mv.body)).collect();
        let own = effects(&self.mv.body);
        own.iter().find_map(|(effect, place)| {
            let field = effect.field;
            let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == field);
            let of_field = all.iter().filter(|(other, _)| other.field == field);
            let [key] = &effect.keys[..] else { return None };
            let ExprKind::Var(taken) = *key.kind else { return None };
            if !of_field.clone().all(|(other, _)| other.op == EffectOp::Subtract)
                || !rules.mentions(self.formula, &is_field)
                || !place.is_placed()
            {
                return None;
            }
            let other = self.mv.params.iter().map(|param| param.var).find(|var| {
                *var != taken
                    && self.mv.vars[*var].ty == self.mv.vars[taken].ty
                    && self.holds_below(field, *var)
            })?;
            let words = self.text.words(*place);
            let (_, amount) = words.trim_end_matches(';').split_once("-=")?;
            let name = &rules.fields[field].name;
            let [from, to] = [taken, other].map(|var| format!("{name}[{}]", self.mv.vars[var].name));
            Some(Cause {
                span: *place,
                label: format!("`{name}` is only ever taken from"),
                help: format!(
                    "if what leaves `{from}` comes to `{to}`, the effect `{to} += {};` is missing",
                    amount.trim()
                ),
            })
        })
    }
}

/// Returns true if an expression has a variable of the move.
fn names(expr: &Expr, var: VarId) -> bool {
    let mut found = matches!(*expr.kind, ExprKind::Var(of) if of == var);
    expr.each_part(&mut |part| found |= names(part, var));
    found
}

/// Puts other terms in the part of an expression at a place.
fn put(expr: &mut Expr, place: Span, is_inside: bool, new: &dyn Fn(&Expr) -> Option<ExprKind>) {
    let is_inside = is_inside || expr.span == place;
    match new(expr).filter(|_| is_inside) {
        Some(kind) => *expr.kind = kind,
        None => expr.each_part_mut(&mut |part| put(part, place, is_inside, new)),
    }
}

/// The words with a name in the place of another.
fn with_name(words: &str, old: &str, new: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = String::new();
    let mut rest = words;
    let mut is_changed = false;
    while let Some(at) = rest.find(old) {
        let (before, after) = (&rest[..at], &rest[at + old.len()..]);
        let is_whole = !before.ends_with(|c| is_name(c) || c == '.') && !after.starts_with(is_name);
        found.push_str(before);
        found.push_str(if is_whole { new } else { old });
        is_changed |= is_whole;
        rest = after;
    }
    found.push_str(rest);
    is_changed.then_some(found)
}

/// The first place in a formula that asks for the neighbours of a point which has none, with the point.
fn without_neighbors(scope: &Scope<'_>, formula: &Expr) -> Option<(Span, BoardId, u32)> {
    match &*formula.kind {
        ExprKind::Quant(..) | ExprKind::Fold(..) | ExprKind::Collect(..) | ExprKind::Let(..) => None,
        ExprKind::Board(BoardFn::Neighbors, board, args) => {
            let point = args.first()?;
            let is_empty = scope.value(formula)?.as_set()?.is_empty();
            match scope.value(point)? {
                Value::Sym(_, index) if is_empty && formula.span.is_placed() => {
                    Some((formula.span, *board, index))
                }
                _ => None,
            }
        }
        ExprKind::Call(id, args) => {
            let def = &scope.game.rules.defs[*id];
            args.iter().find_map(|arg| without_neighbors(scope, arg)).or_else(|| {
                let inner = scope_of_call(scope, def, args).filter(|_| def.group.is_none())?;
                without_neighbors(&inner, &def.body)
            })
        }
        _ => {
            let mut found = None;
            formula.each_part(&mut |part| found = found.take().or_else(|| without_neighbors(scope, part)));
            found
        }
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::{Code, Diagnostic};

    use crate::check::testing::{findings, findings_of_two};

    fn told(found: Vec<Diagnostic>) -> (Vec<String>, String) {
        let first = found.into_iter().next();
        let labels = |found: &Diagnostic| found.labels.iter().map(|label| label.text.clone()).collect();
        first.map(|found| (labels(&found), found.help.clone().unwrap_or_default())).unwrap_or_default()
    }

    #[test]
    fn a_line_that_goes_one_way_is_named() {
        let of = |line: &str| {
            told(findings_of_two(
                &format!(
                    "board Place = graph {{ a - b; {line}; }} state {{ at: Place = a; n: 0..3 = 0; }} \
                     def near(s: Place, t: Place) = t in s.neighbors; \
                     move go(t: Place) as \"{{t}}\" {{ when near(at, t) and n < 3; at := t; n += 1; }} \
                     end {{ when n = 3 => draw; }}"
                ),
                Code::E0501,
            ))
        };
        let (labels, help) = of("b -> c");
        assert!(labels.iter().any(|label| label == "goes to `c` only, not back"), "{labels:?}");
        assert!(help.starts_with("lines lead to `c`, and none leads on: write `b - c` in `Place`"), "{help}");
        assert_eq!(of("b - c"), (vec![], String::new()));
    }

    #[test]
    fn a_condition_about_the_place_that_is_left_is_named() {
        let of = |asked: &str| {
            told(findings(
                &format!(
                    "player S; board Cell = strip(4); state {{ at: Cell = a1; shut: set of Cell = {{ b1 }}; }} \
                     def free(c: Cell) = c not in shut; move on() as \"on\" {{ let to = at + E; when free({asked}); at := to; }} \
                     move jump() as \"j\" {{ when at = a1; at := b1; }} end {{ when at = d1 => win; }}"
                ),
                Code::E0501,
            ))
        };
        let (labels, help) = of("at");
        assert!(labels.iter().any(|label| label == "no condition asks about `to`"), "{labels:?}");
        assert!(help.contains("if it should ask about `to`, write `free(to)`"), "{help}");
        assert_eq!(of("to"), (vec![], String::new()));
    }

    #[test]
    fn a_field_that_is_only_taken_from_is_named() {
        let of = |effect: &str| {
            told(findings(
                &format!(
                    "player S; state {{ n[i: 1..2]: 0..2 = 1; }} move pour(a: 1..2, b: 1..2) as \"{{a}}{{b}}\" {{ when a != b \
                     and n[a] > 0 and n[b] < 2; n[a] -= 1; {effect} }} end {{ when n[1] = 2 => win; }}"
                ),
                Code::E0501,
            ))
        };
        let (labels, help) = of("");
        assert!(labels.iter().any(|label| label == "`n` is only ever taken from"), "{labels:?}");
        assert!(
            help.starts_with("if what leaves `n[a]` comes to `n[b]`, the effect `n[b] += 1;` is missing"),
            "{help}"
        );
        assert_eq!(of("n[b] += 1;"), (vec![], String::new()));
        let hit = "player S; state { n[i: 1..2]: 0..2 = 1; } move hit(a: 1..2, b: 1..2) as \"{a}{b}\" { when a != b and n[a] > 0 \
                   and n[b] > 0; n[b] -= 1; } end { when n[1] = 2 => win; }";
        let (labels, help) = told(findings(hit, Code::E0501));
        assert!(
            labels.iter().all(|label| !label.contains("only ever")) && !help.contains("missing"),
            "{help}"
        );
    }
}
