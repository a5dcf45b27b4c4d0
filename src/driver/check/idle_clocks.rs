//! End rules that ask for a number which no move of an endless loop changes, although other moves count it: a
//! clock that only some moves advance.

use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{EffectOp, Expr, ExprKind, FieldId, Move, Rules, Type};
use bouton_syntax::diag::Diagnostic;

/// A comparison of an end rule with a number that only moves outside of a loop count.
struct IdleClock {
    span: Span,
    /// The words of the effect that counts.
    counting: String,
    /// The name of the field.
    field: String,
}

/// Tells first of an end rule that the moves of a loop never come nearer to, where no other cause is known.
pub(super) fn explain(text: &GameSource, rules: &Rules, moves: &[&Move], found: Diagnostic) -> Diagnostic {
    let rest = found.help.clone().filter(|help| help.starts_with("if play may come back"));
    let (Some(rest), Some(clock)) = (rest, find(text, rules, moves)) else { return found };
    let mut names: Vec<String> = Vec::new();
    for mv in moves.iter().filter(|mv| !mv.chance) {
        let name = format!("`{}`", mv.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (IdleClock { span, counting, field }, [first, others @ ..]) = (clock, &names[..]) else {
        return found;
    };
    let (who, leave) = match others {
        [] => (first.clone(), "leaves"),
        _ => (format!("{} and {}", names[..names.len() - 1].join(", "), names[names.len() - 1]), "leave"),
    };
    let asked = text.words(span);
    found.label(span, format!("no move of the loop changes `{field}`")).help(format!(
        "the rule `{asked}` would end it, and {who} {leave} `{field}` alone: if these turns count as well, write \
         `{counting}` in {who}; otherwise, {rest}"
    ))
}

/// Finds the first comparison of an end rule with a number that all effects move to one side, and no move of the loop.
fn find(text: &GameSource, rules: &Rules, moves: &[&Move]) -> Option<IdleClock> {
    let counted = |field: FieldId| {
        let of = &rules.fields[field];
        let all: Vec<_> = rules.moves.iter().flat_map(|mv| effects(&mv.body)).collect();
        let own: Vec<_> = all.iter().filter(|(effect, _)| effect.field == field).collect();
        let (first, place) = own.first()?;
        let is_one_way = own.iter().all(|(effect, _)| effect.op == first.op)
            && matches!(first.op, EffectOp::Add | EffectOp::Subtract)
            && first.value.constant().is_some();
        let is_left_alone =
            moves.iter().all(|mv| effects(&mv.body).iter().all(|(effect, _)| effect.field != field));
        let is_number = matches!(of.ty, Type::Int(..)) && of.keys.is_empty() && of.span.is_placed();
        let words = text.words(*place);
        (is_number && is_one_way && is_left_alone && place.is_placed() && words.len() < 60)
            .then(|| (format!("{};", words.trim_end_matches(';')), of.name.clone()))
    };
    rules.ends.iter().find_map(|rule| {
        let part = match &*rule.condition.kind {
            ExprKind::Equal(..) | ExprKind::LessEqual(..) | ExprKind::Less(..) => &rule.condition,
            _ => return None,
        };
        let (counting, field) = counted(compared_field(part)?)?;
        part.span.is_placed().then_some(IdleClock { span: part.span, counting, field })
    })
}

/// The field without keys that a comparison has on one side, if the other is a constant.
fn compared_field(comparison: &Expr) -> Option<FieldId> {
    let (ExprKind::Equal(a, b) | ExprKind::LessEqual(a, b) | ExprKind::Less(a, b)) = &*comparison.kind else {
        return None;
    };
    let field = match (a.constant().is_some(), b.constant().is_some()) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    match &*field.kind {
        ExprKind::Field(id, _) => Some(*id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_clock_that_a_loop_leaves_alone_is_named() {
        let help = |go: &str, end: &str| {
            let rest = format!(
                "board C = graph {{ line a - b - c; }}; state {{ here: C = a; clock: 0..4 = 0; mark: bool = false; }} move go(to: C) as \
                 \"{{to}}\" {{ when to in here.neighbors; here := to; {go} }} move wait() as \"wait\" {{ when not mark; mark := \
                 true; clock += 1; }} end {{ when {end} => A wins; when stuck => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("", "clock = 4");
        let wanted = "the rule `clock = 4` would end it, and `go` leaves `clock` alone: if these turns count as well, write \
                      `clock += 1;` in `go`; otherwise, if play may come back";
        assert!(told.starts_with(wanted), "{told}");
        assert!(help("", "clock >= 4").starts_with("the rule `clock >= 4` would end it"));
        // Another rule decides first, or nothing counts.
        assert!(!help("", "mark and here = c and clock = 4").contains("would end it"));
        assert!(help("clock += 1;", "clock = 4").is_empty());
    }

    #[test]
    fn an_invariant_comes_before_the_loop() {
        let rest = "state { n[k: 1..2]: 0..3 = 1; } move take(k: 1..2) as \"t{k}\" { when n[k] > 0; n[k] -= 1; } move roll() as \
                    \"r\" { when n[1] > 0 and n[2] < 3; n[2] += 1; } play normal; invariant n[1] + n[2] <= 2;";
        let source = format!("game \"Six\";\nplayers A, B;\n{rest}\n");
        let limits = bouton_base::limits::Limits::default();
        let progress = &bouton_base::limits::NoProgress;
        let options = crate::check::CheckOptions { explore: 1_000, limits: &limits, progress };
        let mut text = crate::load::GameSource::from_string("game.bou", &source);
        let found = crate::check::check(&mut text, &options).diagnostics;
        let codes: Vec<Code> = found.iter().map(|found| found.code).collect();
        assert!(codes.contains(&Code::E0505), "{codes:?}");
        assert_eq!(codes.first(), Some(&Code::E0504));
    }
}
