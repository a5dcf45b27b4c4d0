//! The ways out for a number that is no key, in the words of the text: a condition of the move that holds it, or a count
//! from 1.

use super::condition_values::scope_before;
use super::effect_cases::case_of;
use super::faults::effects;
use super::load::GameSource;
use super::out_of_range::declared_bound;
use super::undefined_terms::{UndefinedKind, UndefinedTerm};
use bouton_base::source::Span;
use bouton_rules::{Arith, Expr, ExprKind, KeyDomain, Move, Rules, Type, Value};
use bouton_search::game::{Fault, Game, MoveInstance, State};

/// The condition of the move that keeps the number of an undefined term among the keys, in the words of the text.
pub(super) fn condition(
    text: &GameSource,
    game: &Game,
    state: &State,
    fault: &Fault,
    term: &UndefinedTerm,
) -> Option<String> {
    if ![UndefinedKind::Key, UndefinedKind::CountFromZero].contains(&term.kind) {
        return None;
    }
    let MoveInstance::Move(id, args) = fault.play.as_deref()? else { return None };
    let mv = &game.rules.moves[*id];
    let (key, domain) = key_at(&game.rules, mv, fault.span, term.span)?;
    let Type::Int(low, high) = domain.ty else { return None };
    let Value::Int(number) = scope_before(game, state, mv, fault.span, args).value(key)? else { return None };
    // A condition of the move reads the position before it.
    let prefix = match mv.body.stmts.iter().any(|stmt| stmt.span == fault.span) {
        true => String::new(),
        false => case_of(mv, fault.span)?.prefix(text)?,
    };
    let words = text.words(key.span);
    let formula = match (number > high, below(text, &game.rules, key, high)) {
        (true, Some(below)) => below,
        (true, None) => format!("{words} <= {high}"),
        (false, _) => format!("{words} >= {low}"),
    };
    (formula.len() <= 60).then(|| format!("when {prefix}{formula};"))
}

/// The words `f < bound` for the key `f + 1`, where the bound is that of the field as well.
fn below(text: &GameSource, rules: &Rules, key: &Expr, high: i64) -> Option<String> {
    let ExprKind::Arith { op: Arith::Add, left, right, .. } = &*key.kind else { return None };
    let ExprKind::Field(id, _) = &*left.kind else { return None };
    let field = &rules.fields[*id];
    let is_bound =
        right.constant() == Some(&Value::Int(1)) && matches!(field.ty, Type::Int(_, top) if top == high);
    let bound = declared_bound(text, field.span, true).unwrap_or(high.to_string());
    (is_bound && left.span.is_placed()).then(|| format!("{} < {bound}", text.words(left.span)))
}

/// The place of a term of the effect of a fault that counts from 0 where the elements of a list count from 1.
pub(super) fn counts_from_zero(rules: &Rules, term: &UndefinedTerm) -> bool {
    if !matches!(term.kind, UndefinedKind::List(_)) || !term.reason.starts_with("this is 0,") {
        return false;
    }
    let mut all = rules.moves.iter().flat_map(|mv| effects(&mv.body));
    all.any(|(effect, _)| {
        part_at(&effect.value, term.span).is_some_and(|index| {
            let is_plain = matches!(*index.kind, ExprKind::Field(..) | ExprKind::Var(_));
            is_plain && index.ty.interval().is_some_and(|(low, _)| low == 0)
        })
    })
}

/// The key at a place in the effect of a fault, with its domain.
fn key_at<'r>(
    rules: &'r Rules,
    mv: &'r Move,
    effect: Span,
    place: Span,
) -> Option<(&'r Expr, &'r KeyDomain)> {
    let (effect, _) = effects(&mv.body).into_iter().find(|(_, at)| *at == effect)?;
    let of = |keys: &'r [Expr], domains: &'r [KeyDomain]| {
        keys.iter().zip(domains).find(|(key, _)| key.span == place)
    };
    of(&effect.keys, &rules.fields[effect.field].keys).or_else(|| key_in(rules, &effect.value, &of))
}

type KeyFinder<'f, 'r> = &'f dyn Fn(&'r [Expr], &'r [KeyDomain]) -> Option<(&'r Expr, &'r KeyDomain)>;

fn key_in<'r>(rules: &'r Rules, expr: &'r Expr, of: KeyFinder<'_, 'r>) -> Option<(&'r Expr, &'r KeyDomain)> {
    let mut found = match &*expr.kind {
        ExprKind::Field(id, keys) => of(keys, &rules.fields[*id].keys),
        ExprKind::Table(id, keys) => of(keys, &rules.tables[*id].keys),
        _ => None,
    };
    expr.each_part(&mut |part| found = found.or_else(|| key_in(rules, part, of)));
    found
}

fn part_at(expr: &Expr, place: Span) -> Option<&Expr> {
    if expr.span == place {
        return Some(expr);
    }
    let mut found = None;
    expr.each_part(&mut |part| found = found.or_else(|| part_at(part, place)));
    found
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn help(rest: &str) -> String {
        let found = findings_of_two(rest, Code::E0330).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn the_condition_that_holds_a_key_is_written_out() {
        let of = |guard: &str, effect: &str| {
            help(&format!(
                "param size: 1..4 = 2; state {{ top[i: 1..2]: 0..size = 0; at[i: 1..2, j: 1..size]: Player? = none; n: 0..9 = 0; }} \
                 move put(i: 1..2) as \"{{i}}\" {{ when n < 9; {guard} n += 1; {effect} if top[i] < size {{ top[i] += 1; }} }} \
                 end {{ when n = 9 => draw; when stuck => draw; }}"
            ))
        };
        let told = of("", "at[i, top[i] + 1] := me;");
        assert!(told.ends_with("if it is illegal, write `when top[i] < size;`"), "{told}");
        let told = of("", "if i = 1 { at[i, top[i] + 1] := me; }");
        assert!(told.ends_with("if it is illegal, write `when i = 1 implies top[i] < size;`"), "{told}");
        let told = of("let to = i + 1;", "at[to, 1] := me;");
        assert!(told.ends_with("if it is illegal, write `when to <= 2;`"), "{told}");
        let told = of("", "at[i, top[i]] := me;");
        assert!(told.starts_with("the keys count from 1: for the first, write `top[i] + 1`"), "{told}");
        assert_eq!(of("when top[i] < size;", "at[i, top[i] + 1] := me;"), "");
    }

    #[test]
    fn an_index_that_counts_from_zero_is_told() {
        let of = |index: &str| {
            help(&format!(
                "const worth = [3, 1, 2]; state {{ lot: 0..3 = 0; got[p: Player]: 0..9 = 0; }} move take() as \"t\" {{ when lot < 3; \
                 got[me] += worth[{index}]; lot += 1; }} end {{ when lot = 3 => draw; }}"
            ))
        };
        assert!(
            of("lot").starts_with("the elements of a list count from 1: for the first, write `lot + 1`"),
            "{}",
            of("lot")
        );
        assert!(of("lot * 2").starts_with("give the list an element"), "{}", of("lot * 2"));
        assert_eq!(of("lot + 1"), "");
    }
}
