//! Lints of the weights of chance events that are no proportions of one whole: W0325.

use super::analyzer::Analyzer;
use super::locals::Locals;
use super::symbols::SymbolKind;
use bouton_base::rational::Rational;
use bouton_base::source::Span;
use bouton_rules::{ArmPattern, Block, Expr, ExprKind, Move, PhaseId, StmtKind, Value, VarId};
use bouton_syntax::ast::{self, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::visit;

/// The most instances of an event whose weights are computed one by one.
const INSTANCES: i64 = 1000;

/// An event of a throw, with the number of its instances.
struct WeighedEvent<'r> {
    event: &'r Move,
    /// The greatest weight of an instance.
    weight: Rational,
    /// The sum of the weights of its instances.
    total: Rational,
    instances: i64,
}

impl<'a> Analyzer<'a> {
    /// W0325: fractions below 1 that do not sum to 1, and percentages beside fractions.
    pub fn weights_of_throws(&mut self) {
        let phases: Vec<PhaseId> = self.rules.phases.ids().collect();
        for phase in phases {
            let found = weighed_events(self.rules.moves.iter().filter(|mv| mv.phases.contains(&phase)))
                .and_then(|events| fractions_without_a_whole(&events).or_else(|| mixed_units(&events)));
            if let Some(found) = found
                && !self.diagnostics.iter().any(|d| d.code == found.code && found.span().covers(d.span()))
            {
                self.report(found);
            }
        }
    }

    /// W0325: events that never happen, since their weight is 0. A parameter may switch events off.
    pub fn events_without_weight(&mut self) {
        let mut told = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::Move(declared) = &item.kind else { continue };
            let written = declared.body.stmts.iter().find_map(|stmt| match &stmt.kind {
                ast::StmtKind::Weight(weight) => Some(weight),
                _ => None,
            });
            let Some(written) = written.filter(|_| own && declared.chance) else { continue };
            let Some(event) = self.rules.moves.iter().find(|event| event.span == declared.name.span) else {
                continue;
            };
            let is_told = |found: &Diagnostic| found.code == Code::W0325 && written.span.covers(found.span());
            if self.diagnostics.iter().any(is_told) {
                continue;
            }
            let (Some(weight), [param]) = (&event.weight, &event.params[..]) else { continue };
            if weight.constant().is_some()
                || param.values.len() as i64 > INSTANCES
                || self.depends_on_a_parameter(written)
            {
                continue;
            }
            let is_none = |value: &&Value| {
                value_with(weight, param.var, value)
                    .and_then(|weight| weight.as_ratio())
                    .is_some_and(|of| of.is_zero())
            };
            let none: Vec<&Value> = param.values.iter().filter(is_none).collect();
            let [first, rest @ ..] = &none[..] else { continue };
            if none.len() == param.values.len() {
                continue;
            }
            let (name, number) = (&event.name, none.len());
            let first = format!("`{name}({})`", self.rules.show(first));
            let title = match rest {
                [] => format!("{first} never happens: its weight is 0"),
                [second] => {
                    let second = format!("`{name}({})`", self.rules.show(second));
                    format!("{first} and {second} never happen: their weight is 0")
                }
                _ => format!(
                    "{number} of the {} events `{name}` never happen: their weight is 0",
                    param.values.len()
                ),
            };
            let param = &event.vars[param.var].name;
            let help = format!(
                "give them a weight above 0; what cannot happen is left out of the values of `{param}`, or ruled out by `when`"
            );
            let found = Diagnostic::new(Code::W0325, title, written.span, "0 for some of these events");
            told.push(found.help(help));
        }
        told.into_iter().for_each(|found| self.report(found));
    }

    /// W0325: a name in a weight for a fraction such as 1 / 3, which is 0 there: only the weight itself is exact.
    pub(super) fn floored_fractions(&mut self, weight: &ast::Expr) {
        let mut names = Vec::new();
        collect_names(weight, &mut names);
        for (name, span) in names {
            let Some(key) = self.find(name, span) else { continue };
            let item = match &self.symbols[key].kind {
                SymbolKind::Def { item, .. } | SymbolKind::Const { item, .. } => *item,
                _ => continue,
            };
            let (word, body) = match &item.kind {
                ItemKind::Def { formals: None, body, .. } => ("definition", body),
                ItemKind::Const { keys, value, .. } if keys.is_empty() => ("constant", value),
                _ => continue,
            };
            let Some([floored, exact]) = self.with_and_without_fractions(body) else { continue };
            let one = Rational::from_integer(1);
            if floored == exact || !exact.is_positive() || exact >= one {
                continue;
            }
            if self
                .diagnostics
                .iter()
                .any(|d| d.code == Code::W0325 && d.labels.iter().any(|l| l.span == body.span))
            {
                continue;
            }
            let title = format!("`{name}` is {floored} here, not {exact}: a {word} divides to whole numbers");
            let found = Diagnostic::new(Code::W0325, title, span, format!("{floored}"));
            let written = bouton_syntax::print_expr(body);
            self.report(found.label(body.span, "rounded down").help(format!(
                "write `{written}` in the weight itself, where `/` is exact; or whole numbers, since weights are \
                 proportions: 1 and 2 for one third and two thirds"
            )));
        }
    }

    /// The value of a constant term with whole quotients and with exact ones; `None` if it has none.
    fn with_and_without_fractions(&mut self, body: &ast::Expr) -> Option<[Rational; 2]> {
        if !divides(body) {
            return None;
        }
        let trial = self.begin_trial()?;
        let values = [false, true].map(|exact| {
            let mut locals = Locals::constant();
            locals.exact = exact;
            self.expr(body, None, &mut locals).constant().and_then(Value::as_ratio)
        });
        let is_sound = self.end_trial(trial);
        let [floored, exact] = values;
        Some([floored.filter(|_| is_sound)?, exact?])
    }
}

/// Collects the names in an expression, with their places.
pub(super) fn collect_names<'e>(expr: &'e ast::Expr, found: &mut Vec<(&'e str, Span)>) {
    if let Some(name) = expr.as_name() {
        found.push((name, expr.span));
    }
    visit::children(expr, &mut |part| collect_names(part, found));
}

/// Returns true if an expression has a quotient.
fn divides(expr: &ast::Expr) -> bool {
    let mut found = matches!(&*expr.kind, ast::ExprKind::Binary(ast::BinaryOp::Divide, ..));
    visit::children(expr, &mut |part| found |= divides(part));
    found
}

/// The events with their weights, if all weights are constants and all instances are possible in every position.
fn weighed_events<'r>(moves: impl Iterator<Item = &'r Move>) -> Option<Vec<WeighedEvent<'r>>> {
    moves
        .map(|event| {
            let is_always_possible = !has_condition(&event.body);
            let sizes = event.params.iter().map(|param| param.values.len() as i64);
            let instances = sizes.fold(1i64, i64::saturating_mul);
            let (weight, total) = weight_and_total(event, instances)?;
            let is_counted = event.chance && event.by.is_none() && is_always_possible && weight.is_positive();
            is_counted.then_some(WeighedEvent { event, weight, total, instances })
        })
        .collect()
}

/// Returns true if a condition may rule out the event in some positions, in any of its blocks.
fn has_condition(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Require(_) | StmtKind::Let(..) => true,
        StmtKind::Then(inner) | StmtKind::For(_, inner) => has_condition(inner),
        StmtKind::If(_, yes, no) => has_condition(yes) || has_condition(no),
        _ => false,
    })
}

/// The greatest weight of an instance of an event, and the sum of all; `None` if a weight depends on the position.
fn weight_and_total(event: &Move, instances: i64) -> Option<(Rational, Rational)> {
    let weight = event.weight.as_ref()?;
    if let Some(weight) = weight.constant().and_then(Value::as_ratio) {
        let total = &weight * &Rational::from_integer(instances);
        return Some((weight, total));
    }
    let [param] = &event.params[..] else { return None };
    if instances > INSTANCES {
        return None;
    }
    let weights: Option<Vec<Rational>> =
        param.values.iter().map(|value| value_with(weight, param.var, value)?.as_ratio()).collect();
    let weights = weights?;
    let mut total = Rational::from_integer(0);
    for weight in &weights {
        total += weight.clone();
    }
    Some((weights.into_iter().max()?, total))
}

/// The value of a term of one variable that only compares it and chooses by `if` or `match`.
fn value_with(term: &Expr, var: VarId, value: &Value) -> Option<Value> {
    let of = |term| value_with(term, var, value);
    let order = |a, b| match (of(a)?, of(b)?) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        _ => None,
    };
    Some(match &*term.kind {
        ExprKind::Const(constant) => constant.clone(),
        ExprKind::Var(other) if *other == var => value.clone(),
        ExprKind::Equal(a, b) => Value::Bool(of(a)? == of(b)?),
        ExprKind::Less(a, b) => Value::Bool(order(a, b)?.is_lt()),
        ExprKind::LessEqual(a, b) => Value::Bool(order(a, b)?.is_le()),
        ExprKind::If(condition, yes, no) => match of(condition)? {
            Value::Bool(true) => of(yes)?,
            Value::Bool(false) => of(no)?,
            _ => return None,
        },
        ExprKind::Match(matched, arms) => {
            let matched = of(matched)?;
            let fits = |pattern: &ArmPattern| match pattern {
                ArmPattern::Any => Some(true),
                ArmPattern::Value(value) => Some(*value.constant()? == matched),
                ArmPattern::OneOf(set) => match set.constant()? {
                    Value::Set(values) => Some(values.contains(&matched)),
                    _ => None,
                },
                ArmPattern::Tuple(_) => None,
            };
            for arm in arms {
                if fits(&arm.pattern)? {
                    return of(&arm.value);
                }
            }
            return None;
        }
        _ => return None,
    })
}

fn sum_of(events: &[WeighedEvent<'_>]) -> Rational {
    let mut sum = Rational::from_integer(0);
    for event in events {
        sum += event.total.clone();
    }
    sum
}

fn fractions_without_a_whole(events: &[WeighedEvent<'_>]) -> Option<Diagnostic> {
    let one = Rational::from_integer(1);
    let (first, sum) = (events.first()?, sum_of(events));
    if sum == one || !events.iter().all(|event| event.weight < one) {
        return None;
    }
    let number = events.iter().map(|event| event.instances).fold(0, i64::saturating_add);
    if number == 1 {
        return None;
    }
    let title = format!("the weights of these {number} events sum to {sum}, not to 1");
    let weight = first.event.weight.as_ref()?;
    let label = match first.instances {
        1 => String::new(),
        _ if weight.constant().is_none() => "the weights of these events".to_owned(),
        n => format!("the weight of each of {n} events"),
    };
    let mut found = Diagnostic::new(Code::W0325, title, weight.span, label);
    for event in &events[1..] {
        found = found.label(event.event.weight.as_ref()?.span, "");
    }
    let share = first.weight.checked_div(&sum)?;
    Some(found.help(format!(
        "weights are proportions, so an event of weight {} comes with the probability {share}: let the fractions sum to 1",
        first.weight
    )))
}

/// Percentages beside fractions, which together are one whole.
fn mixed_units(events: &[WeighedEvent<'_>]) -> Option<Diagnostic> {
    let one = Rational::from_integer(1);
    let (percentages, fractions): (Vec<_>, Vec<_>) = events.iter().partition(|event| event.weight > one);
    let (percentage, fraction) = (percentages.first()?, fractions.first()?);
    if fractions.iter().any(|event| event.weight == one)
        || percentages.iter().any(|of| !of.weight.is_integer())
    {
        return None;
    }
    let hundredth = Rational::new(1, 100);
    let mut whole = Rational::from_integer(0);
    for event in events {
        whole += if event.weight > one { &event.total * &hundredth } else { event.total.clone() };
    }
    if whole != one {
        return None;
    }
    let (weight, other) = (percentage.event.weight.as_ref()?, fraction.event.weight.as_ref()?);
    let title = format!(
        "the weight {} stands beside the weight {}: weights are proportions",
        percentage.weight, fraction.weight
    );
    let share = percentage.weight.checked_div(&sum_of(events))?;
    let found =
        Diagnostic::new(Code::W0325, title, weight.span, format!("comes with the probability {share}"));
    let right = &percentage.weight * &hundredth;
    Some(
        found
            .label(other.span, "a fraction of 1")
            .help(format!("for percent write the fraction: `weight {right};`")),
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(declared: &str, weight: &str) -> Vec<String> {
        let text = format!(
            "game \"Throws\"; players A, B; phases {{ setup throw by chance; act; }} {declared}
             state {{ die: 1..3 = 1; left: 0..5 = 5; }}
             chance roll(d: 1..3) in throw {{ weight {weight}; die := d; continue act; }}
             move take(k: 1..3) in act {{ when k <= die and k <= left; left -= k; }}
             end {{ when left = 0 => mover loses; when stuck => mover loses; }}"
        );
        found(&text, Code::W0325).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn fractions_in_definitions_are_rounded() {
        let weight = "if d = 1 then p else 1 - p";
        for (declared, word) in [("def p = 1 / 3;", "definition"), ("const p = 1 / 3;", "constant")] {
            let title = format!("`p` is 0 here, not 1/3: a {word} divides to whole numbers");
            assert_eq!(titles(declared, weight), [title]);
        }
        assert_eq!(titles("def p = 4 / 2;", "d * p"), [""; 0]);
        assert_eq!(titles("const p = 7 / 2;", "d * p"), [""; 0]);
        assert_eq!(titles("def p = 0.5;", "if d = 1 then p else p / 2"), [""; 0]);
    }

    #[test]
    fn events_of_no_weight_never_happen() {
        let two = "`roll(2)` and `roll(3)` never happen: their weight is 0";
        assert_eq!(titles("", "if d = 1 then 1 else 0"), [two]);
        assert_eq!(titles("", "match d { 2 => 0, _ => 1 }"), ["`roll(2)` never happens: its weight is 0"]);
        assert_eq!(titles("", "if d = 1 then 2 else 1"), [""; 0]);
        let fair = "param fair: bool = false; def face = if fair then 1 else 0;";
        assert_eq!(titles(fair, "if d = 1 then 1 else face"), [""; 0]);
    }

    #[test]
    fn weights_of_arms_sum_to_one() {
        let of_arms = |last: &str| format!("match d {{ 1 => 0.25, 2 => 0.5, 3 => {last} }}");
        assert_eq!(titles("", &of_arms("0.3")), ["the weights of these 3 events sum to 21/20, not to 1"]);
        assert_eq!(titles("", &of_arms("0.25")), [""; 0]);
        assert_eq!(titles("", "match d { { 1, 2 } => 0.25, _ => 0.5 }"), [""; 0]);
        assert_eq!(titles("", "match d { { 1, 2 } => 0.25, _ => 0.4 }").len(), 1);
        assert_eq!(titles("", "match d { 1 => 2, _ => 1 }"), [""; 0]);
    }
}
