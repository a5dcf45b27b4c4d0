//! The reasons behind end rules that hold at once or never: the elements and values that make a rule hold in the first
//! position, and the part that no explored position satisfies.

use super::late_rules::is_stuck;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{
    Binder, Domain, EndRule, Expr, ExprKind, Fold, Invariant, Pattern, Quant, Type, Value, Vars,
};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, State};

/// The maximal number of explored positions that are looked at.
const MAX_POSITIONS: u32 = 5_000;
/// The maximal number of evaluations for a reason.
const MAX_EVALUATIONS: usize = 200_000;
/// The maximal number of values of a term that are listed.
const MAX_VALUES: usize = 6;
/// The maximal length of a term that is shown.
const MAX_WORDS: usize = 40;

/// The expression with a value in the place of the variables of a pattern.
fn bound(expr: &Expr, pattern: &Pattern, value: &Value) -> Expr {
    let constant = Expr::new(ExprKind::Const(value.clone()), Type::Error, expr.span);
    expr.clone().with(pattern.clone(), constant)
}

/// The body of an expression behind `let`s, and the place that it has in the text.
fn inner(expr: &Expr) -> &Expr {
    match &*expr.kind {
        ExprKind::Let(_, _, body) => inner(body),
        _ => expr,
    }
}

/// The same `let`s around another body.
fn around(expr: &Expr, body: &Expr) -> Expr {
    match &*expr.kind {
        ExprKind::Let(pattern, value, rest) => around(rest, body).with(pattern.clone(), value.clone()),
        _ => body.clone(),
    }
}

/// The elements and values with which a rule holds in a position, as words; `None` if there is nothing to tell.
pub fn witness(text: &GameSource, game: &Game, state: &State, rule: &EndRule) -> Option<String> {
    let mut found = HoldingRule { text, game, state, vars: &rule.vars, told: Vec::new(), left: 2_000 };
    match &rule.binder {
        None => found.look(&rule.condition)?,
        Some(binder) => found.look_at_elements(std::slice::from_ref(binder), &rule.condition)?,
    }
    (!found.told.is_empty()).then(|| found.told.join(", "))
}

/// The elements and values with which an invariant is false in a position, as words: those of the first part of a
/// conjunction that is false, and of `all` or `no`.
pub fn refuter(text: &GameSource, game: &Game, state: &State, invariant: &Invariant) -> Option<String> {
    let mut found = HoldingRule { text, game, state, vars: &invariant.vars, told: Vec::new(), left: 2_000 };
    let mut formula = &invariant.value;
    while let ExprKind::And(parts) = &*formula.kind {
        let mut parts = parts.iter();
        formula = parts.find(|part| !found.holds(part))?;
    }
    match &*formula.kind {
        ExprKind::Quant(Quant::All, binders, body) => {
            let negated = Expr::new(ExprKind::Not(body.clone()), Type::Bool, body.span);
            found.look_at_elements(binders, &negated)?;
        }
        ExprKind::Quant(Quant::No, binders, body) => found.look_at_elements(binders, body)?,
        _ => {
            let negated = Expr::new(ExprKind::Not(formula.clone()), Type::Bool, formula.span);
            found.look(&negated)?;
        }
    }
    (!found.told.is_empty()).then(|| found.told.join(", "))
}

/// The values in a position of the sides of a rule that compares, as words; sides that the drawing of the position shows
/// are left out.
pub fn values_of_sides(text: &GameSource, game: &Game, state: &State, rule: &EndRule) -> Option<String> {
    let mut found = HoldingRule { text, game, state, vars: &rule.vars, told: Vec::new(), left: 10 };
    let (ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b)) = &*rule.condition.kind
    else {
        return None;
    };
    let is_drawn = |side: &Expr| matches!(*side.kind, ExprKind::Field(..));
    if rule.binder.is_some() || is_drawn(a) || is_drawn(b) {
        return None;
    }
    found.look_at_sides(&rule.condition, &rule.condition)?;
    (!found.told.is_empty()).then(|| found.told.join(", "))
}

/// The words that tell why a formula holds in a position.
struct HoldingRule<'a> {
    text: &'a GameSource,
    game: &'a Game,
    state: &'a State,
    vars: &'a Vars,
    told: Vec<String>,
    /// The number of evaluations that are left.
    left: usize,
}

impl HoldingRule<'_> {
    fn value(&mut self, expr: &Expr) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        self.game.machine.eval(self.state, expr).ok()?
    }

    fn holds(&mut self, expr: &Expr) -> bool {
        self.value(expr) == Some(Value::Bool(true))
    }

    /// Looks at a formula that holds, whose `let`s bind the elements.
    fn look(&mut self, formula: &Expr) -> Option<()> {
        match &*inner(formula).kind {
            ExprKind::Quant(Quant::Some, binders, body) => {
                let binders: Vec<Binder> =
                    binders.iter().map(|binder| self.binder_in(formula, binder)).collect();
                self.look_at_elements(&binders, &around(formula, body))
            }
            // A part about legal moves says nothing of the values of the position.
            ExprKind::Or(parts) => {
                for part in parts.iter().filter(|part| !self.game.rules.mentions(part, &is_stuck)) {
                    let part = around(formula, part);
                    if self.holds(&part) {
                        return self.look(&part);
                    }
                }
                Some(())
            }
            ExprKind::Not(negated) => match &*negated.kind {
                ExprKind::Equal(..) | ExprKind::Less(..) | ExprKind::LessEqual(..) | ExprKind::In(..) => {
                    self.look_at_sides(formula, negated)
                }
                _ => Some(()),
            },
            ExprKind::Equal(..) | ExprKind::Less(..) | ExprKind::LessEqual(..) | ExprKind::In(..) => {
                self.look_at_sides(formula, inner(formula))
            }
            _ => Some(()),
        }
    }

    /// The binder with the `let`s of a formula around its terms.
    fn binder_in(&self, formula: &Expr, binder: &Binder) -> Binder {
        Binder {
            pattern: binder.pattern.clone(),
            domain: match &binder.domain {
                Domain::Set(set) => Domain::Set(around(formula, set)),
                fixed => fixed.clone(),
            },
            condition: binder.condition.as_ref().map(|condition| around(formula, condition)),
        }
    }

    /// Tells the first elements for which a formula holds.
    fn look_at_elements(&mut self, binders: &[Binder], body: &Expr) -> Option<()> {
        let Some((binder, rest)) = binders.split_first() else { return self.look(body) };
        let elements: Vec<Value> = match &binder.domain {
            Domain::Fixed(values) => values.to_vec(),
            Domain::Set(set) => self.value(set)?.as_set()?.to_vec(),
        };
        for element in elements {
            let in_scope = |expr: &Expr| bound(expr, &binder.pattern, &element);
            if let Some(condition) = &binder.condition
                && !self.holds(&in_scope(condition))
            {
                continue;
            }
            let rest: Vec<Binder> = rest
                .iter()
                .map(|other| Binder {
                    pattern: other.pattern.clone(),
                    domain: match &other.domain {
                        Domain::Set(set) => Domain::Set(in_scope(set)),
                        fixed => fixed.clone(),
                    },
                    condition: other.condition.as_ref().map(in_scope),
                })
                .collect();
            let body = in_scope(body);
            let holds = match rest.is_empty() {
                true => self.holds(&body),
                false => {
                    let all = ExprKind::Quant(Quant::Some, rest.clone(), body.clone());
                    self.holds(&Expr::new(all, Type::Bool, body.span))
                }
            };
            if holds {
                if let Pattern::Var(var) = binder.pattern
                    && let Some(var) = self.vars.get(var)
                {
                    self.told.push(format!("{} = {}", var.name, self.game.rules.show(&element)));
                }
                return self.look_at_elements(&rest, &body);
            }
            self.left.checked_sub(1)?;
        }
        Some(())
    }

    /// Tells the value of the sides of a comparison that are no constants.
    fn look_at_sides(&mut self, formula: &Expr, comparison: &Expr) -> Option<()> {
        let (ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) | ExprKind::In(a, b)) =
            &*comparison.kind
        else {
            return Some(());
        };
        for side in [a, b] {
            let is_known = matches!(*side.kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::SetOf(_));
            if is_known || !side.span.is_placed() {
                continue;
            }
            let words = words(self.text, side.span);
            let value = self.value(&around(formula, side))?;
            let shown = self.game.rules.show(&value);
            if words.chars().count() <= MAX_WORDS && shown.chars().count() <= MAX_WORDS && words != shown {
                self.told.push(format!("`{words}` is {shown}"));
            }
        }
        Some(())
    }
}

fn words(text: &GameSource, span: Span) -> String {
    text.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The part of a condition that no position satisfies.
pub struct NeverHolds {
    pub span: Span,
    pub label: String,
    pub help: Option<String>,
}

/// Returns the part of the condition of a rule that none of the explored positions satisfies, if it is not the whole, or
/// if more is known of it; `None` if that is not known. The game runs on a machine that stops at the limits of the
/// exploration.
pub fn never_holds(text: &GameSource, game: &Game, seen: &Explored, rule: &EndRule) -> Option<NeverHolds> {
    if seen.visited > MAX_POSITIONS || seen.visited < 2 {
        return None;
    }
    let states: Vec<State> = (0..seen.visited).map(|at| seen.arena.state(at)).collect();
    let mut search = PartSearch { text, game, states, rule, left: MAX_EVALUATIONS };
    search.part_of(&rule.condition)
}

/// A search for a part of a condition that no position satisfies.
struct PartSearch<'a> {
    text: &'a GameSource,
    game: &'a Game,
    states: Vec<State>,
    rule: &'a EndRule,
    /// The number of evaluations that are left.
    left: usize,
}

impl PartSearch<'_> {
    /// The formula that a part of the condition holds for some element of the binder of the rule.
    fn for_some(&self, part: &Expr) -> Expr {
        match &self.rule.binder {
            None => part.clone(),
            Some(binder) => Expr::new(
                ExprKind::Quant(Quant::Some, vec![binder.clone()], part.clone()),
                Type::Bool,
                part.span,
            ),
        }
    }

    /// Returns true if a formula holds in some position; `None` if that is not known.
    fn is_possible(&mut self, formula: &Expr) -> Option<bool> {
        for state in &self.states {
            self.left = self.left.checked_sub(1)?;
            if self.game.machine.eval(state, formula).ok()? == Some(Value::Bool(true)) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The part of a formula that never holds.
    fn part_of(&mut self, formula: &Expr) -> Option<NeverHolds> {
        match &*formula.kind {
            ExprKind::And(parts) => {
                for part in parts {
                    let of_rule = self.for_some(part);
                    if part.span.is_placed() && !self.is_possible(&of_rule)? {
                        let whole =
                            NeverHolds { span: part.span, label: "never true".to_owned(), help: None };
                        return self.part_of(part).or(Some(whole));
                    }
                }
                None
            }
            ExprKind::Quant(Quant::All, binders, body) => self.part_of_all(binders, body),
            ExprKind::Equal(a, b) if self.rule.binder.is_none() => match (a.constant(), b.constant()) {
                (None, Some(wanted)) => self.values_of(a, wanted),
                (Some(wanted), None) => self.values_of(b, wanted),
                _ => None,
            },
            _ => None,
        }
    }

    /// The elements of `all` for which its body never holds, or that it holds for each alone.
    fn part_of_all(&mut self, binders: &[Binder], body: &Expr) -> Option<NeverHolds> {
        let [binder] = binders else { return None };
        let Pattern::Var(var) = binder.pattern else { return None };
        let name = self.rule.vars.get(var)?.name.clone();
        let span = body.span;
        if !span.is_placed() {
            return None;
        }
        let some = ExprKind::Quant(Quant::Some, vec![binder.clone()], body.clone());
        let some = self.for_some(&Expr::new(some, Type::Bool, span));
        if !self.is_possible(&some)? {
            let label = format!("never true, for no `{name}`");
            return Some(NeverHolds { span, label, help: None });
        }
        let Domain::Fixed(elements) = &binder.domain else { return self.most_at_once(binder, &name, body) };
        if binder.condition.is_some() {
            return None;
        }
        let mut never = Vec::new();
        for element in elements.iter() {
            let of_element = self.for_some(&bound(body, &binder.pattern, element));
            if !self.is_possible(&of_element)? {
                never.push(self.game.rules.show(element));
            }
        }
        if never.is_empty() {
            return Some(NeverHolds {
                span,
                label: format!("true for each `{name}` in some position, and never for all at once"),
                help: Some("if one is enough, write `some` in place of `all`".to_owned()),
            });
        }
        let more = if never.len() > 3 { ", ..." } else { "" };
        never.truncate(3);
        Some(NeverHolds {
            span,
            label: format!("never true for {name} = {}{more}", never.join(", ")),
            help: None,
        })
    }

    /// The greatest number of elements for which a formula holds at once, if the number of elements is always the same.
    fn most_at_once(&mut self, binder: &Binder, name: &str, body: &Expr) -> Option<NeverHolds> {
        if self.rule.binder.is_some() {
            return None;
        }
        let count = |of: &Expr| {
            let kind = ExprKind::Fold(Fold::Count, vec![binder.clone()], of.clone());
            Expr::new(kind, Type::Int(0, i64::from(u32::MAX)), body.span)
        };
        let all = count(&Expr::new(ExprKind::Const(Value::Bool(true)), Type::Bool, body.span));
        let fitting = count(body);
        let (mut total, mut most) = (None, 0);
        for state in &self.states {
            self.left = self.left.checked_sub(2)?;
            let (Value::Int(here), Value::Int(fit)) =
                (self.game.machine.eval(state, &all).ok()??, self.game.machine.eval(state, &fitting).ok()??)
            else {
                return None;
            };
            if *total.get_or_insert(here) != here {
                return None;
            }
            most = most.max(fit);
        }
        let label = format!("true for at most {most} of the {} `{name}` at once", total?);
        Some(NeverHolds { span: body.span, label, help: None })
    }

    /// The values that a term has, if these are few and the one that is asked for is not among them.
    fn values_of(&mut self, term: &Expr, wanted: &Value) -> Option<NeverHolds> {
        let mut values: Vec<Value> = Vec::new();
        for state in &self.states {
            self.left = self.left.checked_sub(1)?;
            let Some(value) = self.game.machine.eval(state, term).ok()? else { continue };
            if !values.contains(&value) {
                values.push(value);
            }
            if values.len() > MAX_VALUES {
                return None;
            }
        }
        if values.is_empty() || values.contains(wanted) || !term.span.is_placed() {
            return None;
        }
        values.sort();
        let shown: Vec<String> = values.iter().map(|value| self.game.rules.show(value)).collect();
        let words = words(self.text, term.span);
        let label = match &shown[..] {
            [only] => format!("`{words}` is {only} in every position"),
            [first @ .., last] => format!(
                "`{words}` is {} or {last}, and never {}",
                first.join(", "),
                self.game.rules.show(wanted)
            ),
            [] => return None,
        };
        Some(NeverHolds { span: term.span, label, help: None })
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::{Code, Diagnostic};

    use crate::check::testing::findings_of_two;

    fn labels(found: &[Diagnostic]) -> String {
        found
            .iter()
            .flat_map(|found| found.labels.iter().map(|label| label.text.as_str()))
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn the_values_of_a_rule_that_holds_at_once_are_told() {
        let label = |rule: &str| {
            let rest = format!(
                "board Cell = strip(3); state {{ at[c: Cell]: Player? = if c = b1 then A else none; n: 0..3 = 2; }} move put(c: Cell) \
                 as \"{{c}}\" {{ when at[c] = none; at[c] := me; n := 3; }} end {{ {rule} when stuck => draw; }}"
            );
            labels(&findings_of_two(&rest, Code::W0534))
        };
        let of = |more: &str| format!("this rule holds in the first position{more}");
        assert_eq!(
            label("for p in Player when #{ c in Cell where at[c] = p } < 1 => p loses;"),
            of(": p = B, `#{ c in Cell where at[c] = p }` is 0")
        );
        assert_eq!(label("when n < 3 => draw;"), of(": `n` is 2"));
        assert_eq!(
            label("for p in Player when some c in Cell where c.col = 2: at[c] = p => p wins;"),
            of(": p = A, c = b1, `at[c]` is A")
        );
    }

    #[test]
    fn the_elements_that_refute_an_invariant_are_told() {
        let label = |invariant: &str| {
            let rest = format!(
                "state {{ n[i: 1..3]: 0..3 = 0; k: 0..5 = 0; }} move go(i: 2..3) as \"{{i}}\" {{ when k < 3; n[i] := 2; k += 1; \
                 }} end {{ when k = 3 => draw; }} invariant {invariant};"
            );
            labels(&findings_of_two(&rest, Code::E0504))
        };
        assert_eq!(label("all i in 1..3: n[i] = 0"), "false here: i = 2, `n[i]` is 2");
        assert_eq!(label("no i in 1..3: n[i] = 2"), "false here: i = 2, `n[i]` is 2");
        assert_eq!(label("k < 4 and all i in 1..3: n[i] < 2"), "false here: i = 2, `n[i]` is 2");
        assert_eq!(label("k < 4 and n[2] + n[3] < 2"), "false here: `n[2] + n[3]` is 2");
        assert_eq!(label("k < 1"), "here: 1 on the left, 1 on the right");
    }

    #[test]
    fn the_part_that_never_holds_is_told() {
        let label = |condition: &str| {
            let rest = format!(
                "state {{ n[i: 1..2]: 0..3 = 0; k: 0..5 = 0; }} move go(i: 1..2) as \"{{i}}\" {{ when n[i] = 0; n[i] := i; n[3 - i] := \
                 0; k += 1; then {{ ensure k < 5; }} }} end {{ when {condition} => draw; when stuck => mover loses; }}"
            );
            labels(&findings_of_two(&rest, Code::W0532))
        };
        assert_eq!(label("k > 1 and n[1] = 3"), "decides no position; `n[1]` is 0 or 1, and never 3");
        assert_eq!(
            label("all i in 1..2: n[i] > 0"),
            "decides no position; true for each `i` in some position, and never for all at once"
        );
        assert_eq!(label("all i in 1..2: n[i] > 1"), "decides no position; never true for i = 1");
    }
}
