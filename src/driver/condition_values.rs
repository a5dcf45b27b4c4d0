//! The values of the terms that a condition compares, where it does not hold: those of the moves that it excludes, and
//! those of an end rule.

use std::collections::HashMap;

use super::excluded_moves::ExcludingCondition;
use super::load::GameSource;
use super::undefined_terms::Scope;
use bouton_base::source::Span;
use bouton_rules::{Def, EndRule, Expr, ExprKind, Move, StmtKind, Type, Value};
use bouton_search::game::{Game, State};

/// The maximal number of values that are listed for a term.
const MAX_VALUES: usize = 3;
/// The maximal number of terms that are told.
const MAX_TERMS: usize = 3;
/// The maximal length of a term that is shown.
const MAX_WORDS: usize = 40;

/// The maximal number of letters of all values, above which none is told twice.
const MAX_VALUE_LETTERS: usize = 30;

/// A term of a comparison with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ValuedTerm {
    words: String,
    value: String,
    /// The name of the definition that the term stands in.
    within: Option<String>,
}

/// Returns the values that the terms of a condition have for the moves that it excludes, as words; `None` if there is
/// nothing to tell.
pub(super) fn values_in(
    text: &GameSource,
    game: &Game,
    state: &State,
    condition: &ExcludingCondition,
) -> Option<String> {
    let mv = game.rules.moves.iter().find(|mv| mv.span == condition.of)?;
    if condition.is_later || condition.is_undefined {
        return None;
    }
    let formula = formula_at(mv, condition)?;
    let of_example = |args: &Vec<Value>| {
        let scope = scope_before(game, state, mv, condition.span, args);
        let mut told = Vec::new();
        Terms { text, scope, within: None }.compared(formula, true, &mut told);
        without_repeated(told)
    };
    let all: Vec<Vec<ValuedTerm>> = condition.examples.iter().map(of_example).collect();
    let first = all.first()?;
    let lists: Vec<(&ValuedTerm, Vec<&str>)> = first
        .iter()
        .map(|term| {
            let is_same = |other: &&ValuedTerm| other.words == term.words && other.within == term.within;
            let mut values: Vec<&str> = Vec::new();
            for other in all.iter().flatten().filter(is_same) {
                if !values.contains(&other.value.as_str()) {
                    values.push(&other.value);
                }
            }
            (term, values)
        })
        .collect();
    let varying = lists.iter().filter(|(_, values)| values.len() > 1).count();
    let listed: Vec<String> = lists
        .iter()
        .filter(|(_, values)| values.len() <= MAX_VALUES)
        .take(MAX_TERMS)
        .map(|(term, values)| shown(term, &alternatives(values)))
        .collect();
    // Several terms that vary are told for one move, where they belong together.
    if varying > 1 || listed.is_empty() {
        let args = condition.examples.first()?.iter().zip(&mv.params);
        let names: Vec<String> = args
            .map(|(value, param)| format!("{} = {}", mv.vars[param.var].name, game.rules.show(value)))
            .collect();
        let terms: Vec<String> = first.iter().take(MAX_TERMS).map(|term| shown(term, &term.value)).collect();
        if terms.is_empty() || names.is_empty() {
            return None;
        }
        return Some(format!("with {}, {}", names.join(" and "), terms.join(", ")));
    }
    (!listed.is_empty()).then(|| listed.join(", "))
}

/// Returns the values of the terms that the definition behind an end rule compares, as words.
pub(super) fn values_in_end(text: &GameSource, game: &Game, state: &State, rule: &EndRule) -> Option<String> {
    if rule.binder.is_some() || !matches!(*rule.condition.kind, ExprKind::Call(..)) {
        return None;
    }
    let scope = Scope { game, state, values: HashMap::new(), unknown: Vec::new(), me: None, ring: None };
    let mut told = Vec::new();
    Terms { text, scope, within: None }.compared(&rule.condition, true, &mut told);
    let terms: Vec<String> = told.iter().take(MAX_TERMS).map(|term| shown(term, &term.value)).collect();
    (!terms.is_empty()).then(|| terms.join(", "))
}

/// The names of a move and their values before a statement.
pub(super) fn scope_before<'g>(
    game: &'g Game,
    state: &'g State,
    mv: &Move,
    place: Span,
    args: &[Value],
) -> Scope<'g> {
    let mut scope = Scope::of(game, state, mv, args);
    for stmt in mv.body.stmts.iter().take_while(|stmt| stmt.span != place) {
        if let StmtKind::Let(pattern, value) = &stmt.kind {
            scope.bind(pattern, value);
        }
    }
    scope
}

/// The names of a definition and their values in a call.
pub(super) fn scope_of_call<'g>(scope: &Scope<'g>, def: &Def, args: &[Expr]) -> Option<Scope<'g>> {
    let args: Vec<Value> = args.iter().map(|arg| scope.value(arg)).collect::<Option<_>>()?;
    let values = def.params.iter().copied().zip(args).collect();
    let (game, state, me) = (scope.game, scope.state, scope.me.clone());
    Some(Scope { game, state, values, unknown: Vec::new(), me, ring: None })
}

/// The formula of a condition, or the part of it that excludes the moves.
pub(super) fn formula_at<'r>(mv: &'r Move, condition: &ExcludingCondition) -> Option<&'r Expr> {
    let stmt = mv.body.stmts.iter().find(|stmt| stmt.span == condition.span)?;
    let StmtKind::Require(formula) = &stmt.kind else { return None };
    match &*formula.kind {
        ExprKind::And(parts) => parts.iter().find(|part| part.span == condition.place).or(Some(formula)),
        _ => Some(formula),
    }
}

/// The terms without those in definitions whose value stands beside a term of the condition itself: these are its
/// arguments, read again.
fn without_repeated(told: Vec<ValuedTerm>) -> Vec<ValuedTerm> {
    let is_given = |value: &str| told.iter().any(|term| term.within.is_none() && term.value == value);
    let is_repeated = |term: &ValuedTerm| term.within.is_some() && is_given(&term.value);
    if told.iter().map(|term| term.value.chars().count()).sum::<usize>() <= MAX_VALUE_LETTERS {
        return told;
    }
    told.iter().filter(|term| !is_repeated(term)).cloned().collect()
}

fn shown(term: &ValuedTerm, values: &str) -> String {
    match &term.within {
        Some(name) => format!("`{}` in `{name}` is {values}", term.words),
        None => format!("`{}` is {values}", term.words),
    }
}

/// `a`, `a or b`, `a, b or c`.
fn alternatives(values: &[&str]) -> String {
    match values {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => values.join(""),
    }
}

/// A reader of the terms of a formula.
struct Terms<'a, 'g> {
    text: &'a GameSource,
    scope: Scope<'g>,
    within: Option<String>,
}

impl Terms<'_, '_> {
    /// Collects the terms of the comparisons because of which a formula does not have the wanted value.
    fn compared(&self, formula: &Expr, wanted: bool, found: &mut Vec<ValuedTerm>) {
        match &*formula.kind {
            ExprKind::Not(inner) => self.compared(inner, !wanted, found),
            ExprKind::And(parts) if wanted => {
                let holds = |part: &&Expr| self.scope.value(part) == Some(Value::Bool(true));
                if let Some(part) = parts.iter().find(|part| !holds(part)) {
                    self.compared(part, true, found);
                }
            }
            ExprKind::Or(parts) if wanted => parts.iter().for_each(|part| self.compared(part, true, found)),
            ExprKind::Or(parts) => {
                let holds = |part: &&Expr| self.scope.value(part) == Some(Value::Bool(true));
                if let Some(part) = parts.iter().find(holds) {
                    self.compared(part, false, found);
                }
            }
            ExprKind::Implies(given, then) if wanted => {
                self.compared(given, false, found);
                self.compared(then, true, found);
            }
            ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => {
                [a, b].into_iter().for_each(|side| self.tell(side, found));
            }
            ExprKind::In(a, set) => {
                self.tell(a, found);
                if set.constant().is_none() {
                    self.tell(set, found);
                }
            }
            ExprKind::Call(id, args) if formula.ty == Type::Bool => {
                let def = &self.scope.game.rules.defs[*id];
                let is_plain = def.group.is_none() && def.span.is_placed() && self.within.is_none();
                if let Some(scope) = scope_of_call(&self.scope, def, args).filter(|_| is_plain) {
                    let within = Some(def.name.clone());
                    Terms { text: self.text, scope, within }.compared(&def.body, wanted, found);
                }
            }
            _ => {}
        }
    }

    fn tell(&self, side: &Expr, found: &mut Vec<ValuedTerm>) {
        let side = match &*side.kind {
            ExprKind::Present(inner) => inner,
            _ => side,
        };
        let is_known = matches!(*side.kind, ExprKind::Var(_) | ExprKind::SetOf(_) | ExprKind::Range(..));
        if is_known || !side.span.is_placed() {
            return;
        }
        let words = self.text.words(side.span);
        let Some(value) = self.scope.value(side) else { return };
        let value = match &value {
            Value::Set(elements) if elements.is_empty() => "empty".to_owned(),
            value => self.scope.game.rules.show(value),
        };
        let is_short = words.chars().count() <= MAX_WORDS && value.chars().count() <= MAX_WORDS;
        let term = ValuedTerm { words, value, within: self.within.clone() };
        if is_short && term.words != term.value && !found.contains(&term) {
            found.push(term);
        }
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::{findings, findings_of_two};

    #[test]
    fn the_values_that_exclude_a_move_are_told() {
        let label = |condition: &str| {
            let rest = format!(
                "param most: 0..4 = 0; state {{ n: 0..9 = 0; own[p: Player]: 0..4 = most; }} def far(x: 0..9, y: 0..9) = x > y + n; \
                 move go(k: 2..3) as \"{{k}}\" {{ when n < 9 and {condition}; n += k; }} move back() as \"n\" {{ when n = 9; n := 0; }} \
                 end {{ when n = 8 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0501);
            let labels = found.first().map(|found| found.labels.clone()).unwrap_or_default();
            labels.get(1).map(|label| label.text.clone()).unwrap_or_default()
        };
        let start = "this does not hold for any of the 2 moves `go`";
        let left = "this does not hold for any of the 2 of the 2 moves `go` that the conditions before leave";
        let told = label("own[me] >= k - 1");
        assert!(told.starts_with(start) || told.starts_with(left), "{told}");
        assert!(told.contains("`own[me]` is 0"), "{told}");
        let told = label("n + k not in { 2, 3 }");
        assert!(told.ends_with(": `n + k` is 2 or 3"), "{told}");
        let told = label("far(k, 7)");
        assert!(told.ends_with(": `y + n` in `far` is 7"), "{told}");
    }

    #[test]
    fn long_values_are_told_once() {
        let rest = "board Cell = strip(4); enum Kind { rooklet, bishoplet } record Man(owner: Player, kind: Kind); state { on[c: \
                    Cell]: Man? = if c = a1 then Man(A, rooklet) else Man(B, bishoplet); } def mine(s: Cell, p: Player) = on[s] = \
                    Man(p, rooklet); move go(from: Cell, to: Cell) as \"{from}{to}\" { when on[from] = Man(me, rooklet) and from != \
                    to; when on[to] = none or mine(to, me); on[to] <- on[from]; } end { when on[a1] = none => draw; }";
        let found = findings_of_two(rest, Code::E0501);
        let labels = found.first().map(|found| found.labels.clone()).unwrap_or_default();
        let told = labels.iter().map(|label| label.text.as_str()).find(|text| text.contains("`on[to]` is"));
        let told = told.unwrap_or_default();
        let wanted = "`on[to]` is Man(B, bishoplet), `Man(p, rooklet)` in `mine` is Man(A, rooklet)";
        assert!(told.ends_with(wanted), "{told} {labels:?}");
    }

    #[test]
    fn terms_that_vary_together_are_told_for_one_move() {
        let rest = "player A; state { at[i: 1..3]: 0..3 = i; } move put(a: 1..3, b: 1..3) as \"{a}{b}\" { when at[a] < 3; \
                    when at[a] = at[b] + 3 or at[b] > 2 * at[a] + 1; at[b] += 1; } end { when at[1] = 3 => win; }";
        let found = findings(rest, Code::E0501);
        let labels: Vec<&str> = found
            .first()
            .map(|found| found.labels.iter().map(|l| l.text.as_str()).collect())
            .unwrap_or_default();
        assert!(
            labels.iter().any(|text| text.contains(": with a = 1 and b = 1, `at[a]` is 1")),
            "{labels:?}"
        );
    }

    #[test]
    fn the_values_in_the_definition_of_an_end_are_told() {
        let rest = "state { n: 0..9 = 2; } def over = n = 9; move take() as \"t\" { when n > 0; n -= 1; } \
                    end { when over => draw; }";
        let found = findings_of_two(rest, Code::E0501);
        let told = found.first().map(|found| found.labels[0].text.clone()).unwrap_or_default();
        assert_eq!(told, "this rule does not hold here: `n` in `over` is 0");
    }
}
