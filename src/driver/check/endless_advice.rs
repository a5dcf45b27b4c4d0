//! Likely mistakes behind a play that never ends: an effect that forgets what a set held, `mod` before `*` without
//! brackets.

use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{Arith, Effect, EffectOp, Expr, ExprKind, Move, Rules, StmtKind, Type};

/// A place that is likely to be why a play never ends, with a label and the help.
pub struct LoopCause {
    pub span: Span,
    pub label: &'static str,
    pub help: String,
}

/// Returns the likely cause of a loop of these moves.
pub fn cause(text: &GameSource, rules: &Rules, moves: &[&Move]) -> Option<LoopCause> {
    moves
        .iter()
        .find_map(|mv| forgotten_set(text, rules, mv))
        .or_else(|| mod_before_product(text, rules, moves))
}

/// An effect that puts another set in the place of the one that a field holds.
fn forgotten_set(text: &GameSource, rules: &Rules, mv: &Move) -> Option<LoopCause> {
    let is_cause = |effect: &Effect| {
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(id, _) if *id == effect.field);
        let is_set = matches!(rules.fields[effect.field].ty.base(), Type::Set(_));
        is_set
            && effect.op == EffectOp::Set
            && effect.value.constant().is_none()
            && !rules.mentions(&effect.value, &is_field)
    };
    let (effect, place) = effects(&mv.body).into_iter().find(|(effect, _)| is_cause(effect))?;
    let name = &rules.fields[effect.field].name;
    let (target, _) = text.sources.slice(place).split_once(":=")?;
    let target = target.trim();
    Some(LoopCause {
        span: place,
        label: "forgets what it held before",
        help: format!("`:=` replaces all of `{name}`: to add to it, write `{target} |= ...;`"),
    })
}

/// A product whose first factor is a `mod` without brackets, in the moves or in a definition.
fn mod_before_product(text: &GameSource, rules: &Rules, moves: &[&Move]) -> Option<LoopCause> {
    let mut terms: Vec<&Expr> = rules.defs.iter().map(|def| &def.body).collect();
    for mv in moves {
        terms.extend(mv.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Require(e) | StmtKind::Let(_, e) => Some(e),
            StmtKind::Effect(effect) => Some(&effect.value),
            _ => None,
        }));
    }
    while let Some(term) = terms.pop() {
        if let Some(found) = remainder_of_product(text, term) {
            return Some(found);
        }
        term.each_part(&mut |part| terms.push(part));
    }
    None
}

/// The cause, if a term is `x mod a * b` without brackets, or `x mod a * b + c`.
fn remainder_of_product(text: &GameSource, term: &Expr) -> Option<LoopCause> {
    let product = match &*term.kind {
        ExprKind::Arith { op: Arith::Add | Arith::Sub, left, .. } => left,
        _ => term,
    };
    let ExprKind::Arith { op: Arith::Mul, left: remainder, .. } = &*product.kind else { return None };
    let ExprKind::Arith { op: Arith::Mod, left: number, .. } = &*remainder.kind else { return None };
    let words = |span: Span| text.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_bare = term.span.is_placed()
        && term.span.start == remainder.span.start
        && remainder.span.end < product.span.end;
    let whole = words(term.span);
    let (value, divisor) = whole.split_once(" mod ").filter(|_| is_bare && whole.len() < 80)?;
    (value == words(number.span)).then(|| LoopCause {
        span: term.span,
        label: "`mod` and `*` bind alike, from the left",
        help: format!("if the remainder by all that follows is meant, write `{value} mod ({divisor})`"),
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn sets_are_added_to() {
        let help = |effect: &str| {
            let rest = format!(
                "state {{ eaten: set of 1..3 = {{}}; }} move eat(k: 1..3) as \"{{k}}\" {{ when k not in eaten; {effect} }} play \
                 normal;"
            );
            findings_of_two(&rest, Code::E0505)
                .into_iter()
                .next()
                .and_then(|found| found.help)
                .unwrap_or_default()
        };
        assert!(help("eaten := { k };").contains("`eaten |= ...;`"), "{}", help("eaten := { k };"));
        assert!(help("eaten |= { k };").is_empty());
    }
}
