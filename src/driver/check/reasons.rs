//! The reasons behind end rules that hold at once, and behind invariants that fail: the elements and values
//! with which they do.

use super::late_rules::is_stuck;
use crate::load::GameSource;
use bouton_rules::{
    Binder, DefId, Domain, EndRule, Expr, ExprKind, Invariant, Pattern, Quant, Rules, Type, Value, VarId,
    Vars,
};
use bouton_search::game::{Game, State};

/// The maximal length of a term that is shown.
const MAX_WORDS: usize = 40;

/// The expression with a value in the place of the variables of a pattern.
fn bound(expr: &Expr, pattern: &Pattern, value: &Value) -> Expr {
    let constant = Expr::new(ExprKind::Const(value.clone()), Type::Error, expr.span);
    expr.clone().with(pattern.clone(), constant)
}

/// The body of an expression behind `let`s, and the place that it has in the text.
pub(super) fn inner(expr: &Expr) -> &Expr {
    match &*expr.kind {
        ExprKind::Let(_, _, body) => inner(body),
        _ => expr,
    }
}

/// The same `let`s around another body.
pub(super) fn around(expr: &Expr, body: &Expr) -> Expr {
    match &*expr.kind {
        ExprKind::Let(pattern, value, rest) => around(rest, body).with(pattern.clone(), value.clone()),
        _ => body.clone(),
    }
}

/// The negation of an expression behind its own `let`s, which stand behind those of another one.
fn negated(outer: &Expr, expr: &Expr) -> Expr {
    let body = inner(expr);
    let not = Expr::new(ExprKind::Not(body.clone()), Type::Bool, body.span);
    around(outer, &around(expr, &not))
}

/// The maximal number of definitions that are followed, each called by the one before it.
pub(super) const MAX_DEPTH: usize = 3;

/// The first name that stands for an argument of a call.
const FIRST_ARGUMENT: u32 = 1 << 20;

/// The body of a definition with the arguments of a call in the place of its parameters; `None` if it has no
/// body of its own in the text. The arguments are named apart first, since they may use the names of the parameters.
pub(super) fn unfolded(rules: &Rules, id: DefId, args: &[Expr]) -> Option<Expr> {
    let def = &rules.defs[id];
    if def.group.is_some() || def.uses_me || !def.span.is_placed() || !def.body.span.is_placed() {
        return None;
    }
    let named: Vec<VarId> = (FIRST_ARGUMENT..).take(args.len()).map(VarId).collect();
    let params = def.params.iter().zip(&named).zip(args).rev();
    let body = params.fold(def.body.clone(), |body, ((param, name), arg)| {
        let name = Expr::new(ExprKind::Var(*name), arg.ty.clone(), arg.span);
        body.with(Pattern::Var(*param), name)
    });
    let args = named.iter().zip(args).rev();
    Some(args.fold(body, |body, (name, arg)| body.with(Pattern::Var(*name), arg.clone())))
}

fn is_call(expr: &Expr) -> bool {
    matches!(&*expr.kind, ExprKind::Call(..))
}

/// The elements and values with which a rule holds in a position, as words; `None` if there is nothing to tell.
pub fn witness(text: &GameSource, game: &Game, state: &State, rule: &EndRule) -> Option<String> {
    let mut found =
        HoldingRule { text, game, state, vars: &rule.vars, depth: 0, told: Vec::new(), left: 2_000 };
    match &rule.binder {
        None => found.look(&rule.condition)?,
        Some(binder) => found.look_at_elements(std::slice::from_ref(binder), &rule.condition)?,
    }
    (!found.told.is_empty()).then(|| found.told.join(", "))
}

/// The elements and values with which an invariant is false in a position, as words: those of the first part of a
/// conjunction that is false, and of `all` or `no`.
pub fn refuter(text: &GameSource, game: &Game, state: &State, invariant: &Invariant) -> Option<String> {
    let mut found =
        HoldingRule { text, game, state, vars: &invariant.vars, depth: 0, told: Vec::new(), left: 2_000 };
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
    let mut found = HoldingRule { text, game, state, vars: &rule.vars, depth: 0, told: Vec::new(), left: 10 };
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
    /// The number of calls of definitions that were followed.
    depth: usize,
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
            ExprKind::Quant(Quant::All, binders, body) if self.depth > 0 || is_call(body) => {
                let [binder] = &binders[..] else { return Some(()) };
                let binder = self.binder_in(formula, binder);
                self.look_at_each(&binder, &around(formula, body))
            }
            ExprKind::Call(id, args) => {
                let Some(body) = unfolded(&self.game.rules, *id, args) else { return Some(()) };
                let vars = std::mem::replace(&mut self.vars, &self.game.rules.defs[*id].vars);
                self.depth += 1;
                let looked = match self.depth <= MAX_DEPTH {
                    true => self.look(&around(formula, &body)),
                    false => Some(()),
                };
                self.depth -= 1;
                self.vars = vars;
                looked
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
            ExprKind::Not(negated) => self.look_at_false(formula, negated),
            ExprKind::Equal(..) | ExprKind::Less(..) | ExprKind::LessEqual(..) | ExprKind::In(..) => {
                self.look_at_sides(formula, inner(formula))
            }
            _ => Some(()),
        }
    }

    /// Looks at a formula that is false, behind the `let`s of the negation.
    fn look_at_false(&mut self, negation: &Expr, formula: &Expr) -> Option<()> {
        let not = |part: &Expr| Expr::new(ExprKind::Not(part.clone()), Type::Bool, part.span);
        match &*formula.kind {
            ExprKind::Equal(..) | ExprKind::Less(..) | ExprKind::LessEqual(..) | ExprKind::In(..) => {
                self.look_at_sides(negation, formula)
            }
            ExprKind::Not(holds) => self.look(&around(negation, holds)),
            ExprKind::And(parts) => {
                for part in parts {
                    let part = around(negation, &not(part));
                    if self.holds(&part) {
                        return self.look(&part);
                    }
                }
                Some(())
            }
            ExprKind::Quant(quant @ (Quant::All | Quant::No), binders, body) => {
                let binders: Vec<Binder> =
                    binders.iter().map(|binder| self.binder_in(negation, binder)).collect();
                let body = if *quant == Quant::All { not(body) } else { body.clone() };
                self.look_at_elements(&binders, &around(negation, &body))
            }
            ExprKind::Call(id, args) if self.depth < MAX_DEPTH => {
                let Some(body) = unfolded(&self.game.rules, *id, args) else { return Some(()) };
                let vars = std::mem::replace(&mut self.vars, &self.game.rules.defs[*id].vars);
                self.depth += 1;
                let looked = self.look(&negated(negation, &body));
                self.depth -= 1;
                self.vars = vars;
                looked
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

    /// Tells the first element of `all`, and why the body holds for it.
    fn look_at_each(&mut self, binder: &Binder, body: &Expr) -> Option<()> {
        let elements: Vec<Value> = match &binder.domain {
            Domain::Fixed(values) => values.to_vec(),
            Domain::Set(set) => self.value(set)?.as_set()?.to_vec(),
        };
        let Pattern::Var(var) = binder.pattern else { return Some(()) };
        let name = &self.vars.get(var)?.name;
        for element in elements {
            let in_scope = |expr: &Expr| bound(expr, &binder.pattern, &element);
            if binder.condition.as_ref().is_none_or(|condition| self.holds(&in_scope(condition))) {
                self.told
                    .push(format!("for each `{name}`; with {name} = {}", self.game.rules.show(&element)));
                return self.look(&in_scope(body));
            }
        }
        self.told.push(format!("there is no `{name}`, so `all` is true"));
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
            let words = self.text.words(side.span);
            let value = self.value(&around(formula, side))?;
            let shown = self.game.rules.show(&value);
            if words.chars().count() <= MAX_WORDS && shown.chars().count() <= MAX_WORDS && words != shown {
                self.told.push(format!("`{words}` is {shown}"));
            }
        }
        Some(())
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
    fn the_definitions_of_a_rule_that_holds_at_once_are_looked_into() {
        let rest = "state { n[t: 1..2, h: 1..2]: 0..2 = h; k: 0..1 = 0; } \
                    def pure(t: 1..2) = some h in 1..2: n[t, h] = 1; \
                    move go() as \"go\" { when k = 0; k := 1; } end { when all i in 1..2: pure(i) => draw; }";
        let told = "this rule holds in the first position: for each `i`; with i = 1, h = 1, `n[t, h]` is 1";
        assert_eq!(labels(&findings_of_two(rest, Code::W0534)), told);
    }

    #[test]
    fn the_elements_that_refute_an_invariant_are_told() {
        let label = |invariant: &str| {
            let rest = format!(
                "state {{ n[i: 1..3]: 0..3 = 0; k: 0..5 = 0; }} move go(i: 2..3) as \"{{i}}\" {{ when k < 3; n[i] := 2; k += 1; \
                 }} end {{ when k = 3 => draw; }} invariant {invariant};"
            );
            let found = findings_of_two(&rest, Code::E0504);
            found.first().map(|found| found.labels[0].text.clone()).unwrap_or_default()
        };
        assert_eq!(label("all i in 1..3: n[i] = 0"), "false here: i = 2, `n[i]` is 2");
        assert_eq!(label("no i in 1..3: n[i] = 2"), "false here: i = 2, `n[i]` is 2");
        assert_eq!(label("k < 4 and all i in 1..3: n[i] < 2"), "false here: i = 2, `n[i]` is 2");
        assert_eq!(label("k < 4 and n[2] + n[3] < 2"), "false here: `n[2] + n[3]` is 2");
        assert_eq!(label("not (k > 0)"), "here: 0 on the left, 1 on the right");
        assert_eq!(label("k < 1"), "here: 1 on the left, 1 on the right");
    }

    #[test]
    fn the_definition_of_an_invariant_is_looked_into() {
        let label = |definition: &str| {
            let rest = format!(
                "state {{ n[i: 1..3]: 0..3 = 0; k: 0..5 = 0; }} def kept = {definition}; move go(i: 2..3) as \"{{i}}\" {{ when k < 3; \
                 n[i] := 2; k += 1; }} end {{ when k = 3 => draw; }} invariant kept;"
            );
            let found = findings_of_two(&rest, Code::E0504);
            found.first().map(|found| found.labels[0].text.clone()).unwrap_or_default()
        };
        assert_eq!(label("n[1] + n[2] + n[3] = 0"), "false here: `n[1] + n[2] + n[3]` is 2");
        assert_eq!(label("all i in 1..3: n[i] < 2"), "false here: i = 2, `n[i]` is 2");
        assert_eq!(label("k < 4 and n[2] + n[3] < 2"), "false here: `n[2] + n[3]` is 2");
    }
}
