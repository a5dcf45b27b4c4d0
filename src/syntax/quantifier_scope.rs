//! W0120: a quantifier whose body includes a condition that does not mention its variable, and an implication that
//! includes another.

use super::ast::{BinaryOp, Binder, Expr, ExprKind, File, Pattern, Quantifier};
use super::visit;
use crate::diag::{Code, Diagnostic};
use bouton_base::source::Sources;

/// Finds the quantifiers of a file that a reader is likely to end too early.
pub(super) fn check(sources: &Sources, file: &File) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    visit::expressions(file, &mut |expr| visit_expr(sources, expr, &mut Vec::new(), &mut found));
    found
}

/// Visits one expression; `bound` are the variables of the quantifiers whose bodies begin here.
fn visit_expr<'t>(sources: &Sources, expr: &'t Expr, bound: &mut Vec<&'t str>, found: &mut Vec<Diagnostic>) {
    let known = bound.len();
    found.extend(implication_in_another(sources, expr));
    let body = match &*expr.kind {
        ExprKind::Quant(
            Quantifier::Some | Quantifier::All | Quantifier::No | Quantifier::One,
            binders,
            body,
        ) => {
            bound.extend(binders.iter().flat_map(|binder| names(&binder.pattern)));
            found.extend(captured_condition(sources, expr, binders, body, bound));
            Some(body)
        }
        _ => None,
    };
    visit::children(expr, &mut |inner| match body {
        Some(body) if std::ptr::eq(inner, body) => visit_expr(sources, inner, bound, found),
        _ => visit_expr(sources, inner, &mut Vec::new(), found),
    });
    bound.truncate(known);
}

/// Finds `a implies b and c implies d`, which is `a implies (b and c implies d)`: a reader takes it for two conditions.
fn implication_in_another(sources: &Sources, expr: &Expr) -> Option<Diagnostic> {
    let ExprKind::Binary(BinaryOp::Implies, first, rest) = &*expr.kind else { return None };
    let ExprKind::Binary(BinaryOp::Implies, middle, last) = &*rest.kind else { return None };
    let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) = &*middle.kind else {
        return None;
    };
    if holds_damage(expr) {
        return None;
    }
    let word = if *op == BinaryOp::And { "and" } else { "or" };
    let words = |expr: &Expr| sources.slice(expr.span);
    let title =
        format!("`{word}` binds tighter than `implies`, so the second `implies` is part of the first");
    let found =
        Diagnostic::new(Code::W0120, title, rest.span, "all of this follows from the first condition");
    Some(found.label(first.span, "the first condition").help(format!(
        "write `({} implies {}) {word} ({} implies {})` for two rules, or brackets around `{}`",
        words(first),
        words(left),
        words(right),
        words(last),
        words(rest),
    )))
}

fn captured_condition(
    sources: &Sources,
    quant: &Expr,
    binders: &[Binder],
    body: &Expr,
    bound: &[&str],
) -> Option<Diagnostic> {
    let ExprKind::Binary(op, left, right) = &*body.kind else { return None };
    let word = match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Implies => "implies",
        BinaryOp::Iff => "iff",
        _ => return None,
    };
    let own: Vec<&str> = binders.iter().flat_map(|binder| names(&binder.pattern)).collect();
    if mentions(right, bound) || !mentions(left, &own) || holds_damage(body) {
        return None;
    }
    let head = bouton_base::source::Span { end: left.span.end, ..quant.span };
    let binder = bouton_base::source::Span { end: body.span.start, ..quant.span };
    let (head, binder) = (sources.slice(head), sources.slice(binder).trim_end());
    let (whole, tail) = (sources.slice(body.span), sources.slice(right.span));
    let title = format!("the quantifier takes in `{word} {tail}` as well");
    let found = Diagnostic::new(Code::W0120, title, right.span, "this does not speak of the variable").label(
        bouton_base::source::Span { end: quant.span.start + 1, ..quant.span },
        "the quantifier begins here",
    );
    Some(found.help(format!("write `({head}) {word} {tail}`, or `{binder} ({whole})`")))
}

/// The variables that a pattern binds.
fn names(pattern: &Pattern) -> Vec<&str> {
    match pattern {
        Pattern::Name(name) => vec![&name.text],
        Pattern::Tuple(patterns, _) => patterns.iter().flat_map(names).collect(),
    }
}

fn mentions(expr: &Expr, words: &[&str]) -> bool {
    if expr.as_name().is_some_and(|name| words.contains(&name)) {
        return true;
    }
    let mut any = false;
    visit::children(expr, &mut |inner| any = any || mentions(inner, words));
    any
}

fn holds_damage(expr: &Expr) -> bool {
    let mut any = matches!(*expr.kind, ExprKind::Error);
    visit::children(expr, &mut |inner| any = any || holds_damage(inner));
    any
}

#[cfg(test)]
mod tests {
    use bouton_base::source::Sources;

    fn warned(expr: &str) -> Vec<String> {
        let mut sources = Sources::new();
        let file = sources.add("text", format!("def f(c: T) = {expr};"));
        let parsed = crate::parse(&sources, file);
        parsed.diagnostics.iter().map(|d| format!("{} {}", d.code, sources.slice(d.span()))).collect()
    }

    #[test]
    fn only_foreign_conditions_are_told() {
        assert_eq!(warned("some g in S: n[g] = 1 and rests > 0"), ["W0120 rests > 0"]);
        assert_eq!(warned("all g in S: g = 1 implies c = 2"), ["W0120 c = 2"]);
        assert!(warned("(some g in S: n[g] = 1) and rests > 0").is_empty());
        assert!(warned("some g in S: (n[g] = 1 and rests > 0)").is_empty());
        assert!(warned("some g in S: n[g] = 1 and g > 0").is_empty());
        assert!(warned("some g in S: all h in S: n[g] = h and g > 0").is_empty());
        assert!(warned("count g in S: n[g] = 1 and rests > 0").is_empty());
    }

    #[test]
    fn an_implication_in_another_is_told() {
        assert_eq!(
            warned("c = 1 implies c < 2 and c = 3 implies c > 2"),
            ["W0120 c < 2 and c = 3 implies c > 2"]
        );
        assert!(warned("(c = 1 implies c < 2) and (c = 3 implies c > 2)").is_empty());
        assert!(warned("c = 1 implies (c < 2 and c = 3 implies c > 2)").is_empty());
        assert!(warned("c = 1 implies c = 2 implies c = 3").is_empty());
    }
}
