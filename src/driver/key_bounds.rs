//! The ways out for a number that is no key, in the words of the text: a condition of the move that holds it, or a count
//! from 1.

use super::condition_values::scope_before;
use super::effect_cases::case_of;
use super::faults::effects;
use super::load::GameSource;
use super::out_of_range::declared_bound;
use super::undefined_terms::{UndefinedKind, UndefinedTerm};
use bouton_base::source::Span;
use bouton_rules::{
    Arith, Binder, Block, Expr, ExprKind, KeyDomain, Move, Pattern, Rules, StmtKind, Type, Value, VarId,
};
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

/// The loop of a move with the filter that keeps a key of its effect among the keys, for a key that reads the name of the
/// loop: `for j in Spot where j < 4 { ... }`. The name comes first.
pub(super) fn filtered_loop(
    text: &GameSource,
    rules: &Rules,
    fault: &Fault,
    term: &UndefinedTerm,
) -> Option<(String, String)> {
    let MoveInstance::Move(id, _) = fault.play.as_deref()? else { return None };
    let mv = &rules.moves[*id];
    let (key, domain) =
        key_at(rules, mv, fault.span, term.span).filter(|_| term.kind == UndefinedKind::Key)?;
    let Type::Int(low, high) = domain.ty else { return None };
    let number: i64 = term.reason.split(' ').next()?.parse().ok()?;
    let (header, var) = loop_around(text, &mv.body, fault.span)?;
    let is_var = |kind: &ExprKind| matches!(kind, ExprKind::Var(of) if *of == var);
    if !rules.mentions(key, &is_var) || header.len() > 60 {
        return None;
    }
    let is_step = |wanted: Arith| match &*key.kind {
        ExprKind::Arith { op, left, right, .. } => {
            *op == wanted && is_var(&left.kind) && right.constant() == Some(&Value::Int(1))
        }
        _ => false,
    };
    let name = mv.vars[var].name.clone();
    let filter = match number > high {
        true if is_step(Arith::Add) => format!("{name} < {high}"),
        true => format!("{} <= {high}", text.words(key.span)),
        false if is_step(Arith::Sub) => format!("{name} > {low}"),
        false => format!("{} >= {low}", text.words(key.span)),
    };
    Some((name, format!("{header} where {filter} {{ ... }}")))
}

/// The head of the innermost loop around an effect, without a filter, and its variable.
fn loop_around(text: &GameSource, block: &Block, place: Span) -> Option<(String, VarId)> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::For(binders, inner) => {
            if !stmt.span.covers(place) {
                return None;
            }
            loop_around(text, inner, place).or_else(|| {
                let [Binder { pattern: Pattern::Var(var), condition: None, .. }] = binders[..] else {
                    return None;
                };
                let start = inner.stmts.first()?.span.start.checked_sub(stmt.span.start)?;
                let head =
                    text.sources.slice(stmt.span).get(..start as usize)?.trim_end().strip_suffix('{')?;
                Some((head.split_whitespace().collect::<Vec<_>>().join(" "), var))
            })
        }
        StmtKind::If(_, yes, no) => loop_around(text, yes, place).or_else(|| loop_around(text, no, place)),
        StmtKind::Then(inner) => loop_around(text, inner, place),
        _ => None,
    })
}

/// The words of the number `f` in the key `f + 1`, where the keys count from 0 and `f` is the number of those before it.
pub(super) fn count_of_keys_from_zero(
    text: &GameSource,
    rules: &Rules,
    fault: &Fault,
    term: &UndefinedTerm,
) -> Option<String> {
    let MoveInstance::Move(id, _) = fault.play.as_deref()? else { return None };
    let (key, domain) = key_at(rules, &rules.moves[*id], fault.span, term.span)?;
    let ExprKind::Arith { op: Arith::Add, left, right, .. } = &*key.kind else { return None };
    let ExprKind::Field(field, _) = &*left.kind else { return None };
    let (Type::Int(0, high), Type::Int(0, most)) = (&domain.ty, &rules.fields[*field].ty) else {
        return None;
    };
    let is_count = right.constant() == Some(&Value::Int(1)) && *most == high + 1;
    let is_passed = term.reason.starts_with(&format!("{most} is no key"));
    (is_count && is_passed && left.span.is_placed()).then(|| text.words(left.span))
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
    fn a_loop_that_leaves_the_keys_is_filtered() {
        let of = |looped: &str| {
            help(&format!(
                "state {{ at[j: 1..4]: 0..2 = 0; n: 0..3 = 0; }} move shift() as \"s\" {{ n += 1; {looped} }} end {{ when n = 3 \
                 => draw; }}"
            ))
        };
        let told = of("for j in 1..4 { at[j] := at[j + 1]; }");
        let wanted = "if the effect is not meant for each `j`, write `for j in 1..4 where j < 4 { ... }`; if it does \
                      something else there, separate the cases by `if ... { ... } else { ... }`";
        assert_eq!(told, wanted);
        let told = of("for j in 1..4 { at[j] := at[j - 1]; }");
        assert!(told.contains("write `for j in 1..4 where j > 1 { ... }`"), "{told}");
        let told = of("then { for j in 1..4 { at[j + n] := 1; } }");
        assert!(told.contains("write `for j in 1..4 where j + n <= 4 { ... }`"), "{told}");
        assert_eq!(of("for j in 1..4 where j < 4 { at[j] := at[j + 1]; }"), "");
        assert!(!of("for j in 1..4 where j > 1 { at[j] := at[j + 1]; }").contains("for each"));
    }

    #[test]
    fn a_count_of_keys_from_zero_is_told() {
        let of = |keys: &str| {
            help(&format!(
                "state {{ at[j: {keys}]: 0..2 = 0; n: 0..4 = 0; }} move add() as \"a\" {{ when n < 4; at[n + 1] := 1; n += 1; }} \
                 end {{ when n = 4 => draw; }}"
            ))
        };
        let told = of("0..3");
        assert!(
            told.starts_with("the keys count from 0: for the next one, write `n` in place of `n + 1`; "),
            "{told}"
        );
        assert!(!of("0..2").contains("count from 0"));
        assert_eq!(of("1..4"), "");
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
