//! Effects that a move without effects is likely to lack: on a field that it reads and that nothing changes, or one that
//! the other moves count.

use super::dead_rules::statement_mentions;
use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{
    Effect, EffectOp, Expr, ExprKind, FieldId, MOVER, Move, PHASE, Rules, Stmt, StmtKind, Type,
};

/// An effect that a move is likely to lack.
pub(super) struct MissingEffect {
    pub(super) labels: Vec<(Span, String)>,
    pub(super) help: String,
}

/// The effect that a move without effects is likely to lack, if the rules show one.
pub(super) fn cause(text: &GameSource, rules: &Rules, mv: &Move) -> Option<MissingEffect> {
    unset_field(rules, mv).or_else(|| counted_by_others(text, rules, mv))
}

fn fields(rules: &Rules) -> impl Iterator<Item = FieldId> {
    rules.fields.entries().map(|(id, _)| id).filter(|id| *id != MOVER && *id != PHASE)
}

/// Returns true if an effect of some move changes the field.
fn is_set(rules: &Rules, id: FieldId) -> bool {
    let of_field = |kind: &StmtKind| matches!(kind, StmtKind::Effect(effect) if effect.field == id);
    rules.moves.iter().any(|mv| mv.body.any(&of_field))
}

/// Returns true if an end rule reads a field that no move sets.
pub(super) fn ends_read_unset_field(rules: &Rules) -> bool {
    let is_read = |id: FieldId| {
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == id);
        rules.ends.iter().any(|rule| rules.mentions(&rule.condition, &is_field))
    };
    fields(rules).any(|id| rules.fields[id].span.is_placed() && is_read(id) && !is_set(rules, id))
}

/// A field that the move reads and that no move sets.
fn unset_field(rules: &Rules, mv: &Move) -> Option<MissingEffect> {
    let reads = |id: FieldId| {
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == id);
        mv.body.any(&|kind| statement_mentions(rules, kind, &is_field))
    };
    let id =
        fields(rules).find(|id| rules.fields[*id].span.is_placed() && reads(*id) && !is_set(rules, *id))?;
    let field = &rules.fields[id];
    let name = &field.name;
    Some(MissingEffect {
        labels: vec![(field.span, format!("no effect changes `{name}`"))],
        help: format!(
            "`{}` reads `{name}`, which never changes: an effect on it is missing in a move",
            mv.name
        ),
    })
}

/// A number or a truth value that an end rule reads and that all other moves in place of this one change alike.
pub(super) fn counted_by_others(text: &GameSource, rules: &Rules, mv: &Move) -> Option<MissingEffect> {
    let by_same = |other: &Move| match (&mv.by, &other.by) {
        (None, None) => true,
        (Some(one), Some(other)) => one.constant().is_some() && one.constant() == other.constant(),
        _ => false,
    };
    let shares_phase =
        |other: &Move| mv.phases.is_empty() || mv.phases.iter().any(|phase| other.phases.contains(phase));
    let others: Vec<&Move> = rules
        .moves
        .iter()
        .filter(|other| !other.chance && other.span != mv.span && by_same(other) && shares_phase(other))
        .collect();
    let counts = |other: &Move, id: FieldId| -> Option<(EffectOp, Span)> {
        let of_field: Vec<(&Effect, Span)> =
            effects(&other.body).into_iter().filter(|(effect, _)| effect.field == id).collect();
        let [(effect, place)] = of_field[..] else { return None };
        let is_step = match effect.op {
            EffectOp::Add | EffectOp::Subtract => true,
            EffectOp::Set => *effect.value.ty.base() == Type::Bool,
            _ => false,
        };
        let is_count = is_step && effect.keys.is_empty() && effect.value.constant().is_some();
        let whole = other
            .body
            .stmts
            .iter()
            .find(|stmt| stmt.span == place || is_of_maker(stmt) && stmt.span.covers(place))?;
        (is_count && whole.span.is_placed()).then_some((effect.op, whole.span))
    };
    let is_awaited = |id: FieldId| {
        let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == id);
        rules.ends.iter().any(|rule| rules.mentions(&rule.condition, &is_field))
    };
    fields(rules).filter(|id| is_awaited(*id)).find_map(|id| {
        if effects(&mv.body).iter().any(|(effect, _)| effect.field == id) {
            return None;
        }
        let places: Vec<(EffectOp, Span)> =
            others.iter().map(|other| counts(other, id)).collect::<Option<_>>()?;
        let (op, place) = *places.first()?;
        let words = |span: Span| text.words(span);
        if places.iter().any(|(other, at)| *other != op || words(*at) != words(place)) {
            return None;
        }
        let name = &rules.fields[id].name;
        let who = match &others[..] {
            [only] => format!("`{}` has", only.name),
            _ => "the other moves have".to_owned(),
        };
        let (label, also) = match op {
            EffectOp::Set => ("an end rule asks for it", "play may end after this move as well"),
            _ => ("counts towards the end", "this move counts as well"),
        };
        Some(MissingEffect {
            labels: vec![(place, label.to_owned())],
            help: format!(
                "{who} `{}`, an end rule reads `{name}`, and `{}` leaves it as it is: if {also}, write the same effect here",
                words(place),
                mv.name
            ),
        })
    })
}

/// Returns true for `if me = A { ... }` with a single effect.
fn is_of_maker(stmt: &Stmt) -> bool {
    let StmtKind::If(condition, yes, no) = &stmt.kind else { return false };
    let ExprKind::Equal(a, b) = &*condition.kind else { return false };
    let is_maker = |e: &Expr| matches!(*e.kind, ExprKind::Me);
    let is_of_one = is_maker(a) && b.constant().is_some() || is_maker(b) && a.constant().is_some();
    is_of_one
        && no.stmts.is_empty()
        && matches!(&yes.stmts[..], [only] if matches!(only.kind, StmtKind::Effect(_)))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::{Code, Diagnostic};

    use crate::check::testing::findings_of_two;

    fn told(rest: &str) -> (String, String) {
        let found: Option<Diagnostic> = findings_of_two(rest, Code::E0505).into_iter().next();
        let labels = |found: &Diagnostic| {
            found.labels.iter().map(|label| label.text.as_str()).collect::<Vec<_>>().join("; ")
        };
        found.map(|found| (labels(&found), found.help.unwrap_or_default())).unwrap_or_default()
    }

    #[test]
    fn a_flag_that_the_other_move_sets_is_named() {
        let game = |effect: &str| {
            told(&format!(
                "phases {{ say; reply; }} state {{ n: 0..2 = 0; kept: bool = false; over: bool = false; }} move call(k: 1..2) in say \
                 as \"{{k}}\" {{ n := k; continue reply; next opponent; }} move keep() in reply {{ kept := true; over := true; }} \
                 move drop() in reply {{ kept := false; {effect} }} end {{ when over and kept => A wins; when over => B wins; }}"
            ))
        };
        let (labels, help) = game("");
        assert!(labels.contains("an end rule asks for it"), "{labels}");
        let wanted = "`keep` has `over := true;`, an end rule reads `over`, and `drop` leaves it as it is: if play may end after";
        assert!(help.starts_with(wanted), "{help}");
        assert_eq!(game("over := true;"), Default::default());
    }

    #[test]
    fn a_field_that_the_move_reads_is_named() {
        let game = |effect: &str| {
            told(&format!(
                "state {{ n: 0..3 = 0; left[p: Player]: 0..1 = 1; }} move go() as \"g\" {{ when n < 3; n += 1; }} move skip() as \
                 \"s\" {{ when left[me] > 0; {effect} }} end {{ when n = 3 => draw; when stuck => draw; }}"
            ))
        };
        let (labels, help) = game("");
        assert_eq!(labels, "only the turn passes; no effect changes `left`");
        assert!(
            help.starts_with("`skip` reads `left`, which never changes: an effect on it is missing"),
            "{help}"
        );
        assert_eq!(game("left[me] -= 1;").1, "");
    }

    #[test]
    fn a_number_that_one_player_counts_is_named() {
        let (_, help) = told(
            "state { hour: 0..3 = 0; at: 0..1 = 0; } move go() as \"go\" { at := 1 - at; if me = B { hour += 1; } } \
             move stay() as \"stay\" { } end { when hour = 3 => draw; }",
        );
        assert!(help.starts_with("`go` has `if me = B { hour += 1; }`, an end rule reads `hour`"), "{help}");
    }

    #[test]
    fn a_number_that_the_other_moves_count_is_named() {
        let game = |other: &str| {
            told(&format!(
                "phases {{ setup open; act; }} state {{ acted: 0..4 = 0; stake: 1..2 = 1; }} \
                 move start() in open as \"s\" {{ continue act; }} \
                 move keep() in act as \"keep\" {{ }} \
                 move double() in act as \"double\" {{ when stake = 1; stake := 2; {other} }} \
                 move leave() in act as \"leave\" {{ when stake = 2; acted += 1; }} \
                 end {{ when acted = 2 => draw; when stake = 2 and acted = 1 => draw; }}"
            ))
        };
        let (_, help) = game("acted += 1;");
        assert!(help.starts_with("the other moves have `acted += 1;`, an end rule reads `acted`"), "{help}");
        assert!(!game("").1.contains("other moves have"), "{}", game("").1);
    }

    #[test]
    fn a_move_without_effects_in_a_loop_is_marked() {
        let (labels, help) = told(
            "state { at: 1..2 = 1; round: 0..3 = 0; } move dig() by A as \"d\" { at := 3 - at; } move flee() by B as \
             \"f\" { round += 1; } move hide() by B as \"h\" { } end { when round = 3 => draw; }",
        );
        assert!(labels.contains("changes nothing but the turn; counts towards the end"), "{labels}");
        assert!(help.starts_with("`flee` has `round += 1;`, an end rule reads `round`"), "{help}");
    }
}
