//! Moves with a condition about one player's cell of a field and an effect on another's: `when c in hand[opponent]` beside
//! `hand[me] -= { c }`.

use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{Block, Effect, EndRule, Expr, ExprKind, FieldId, Move, PLAYER, Rules, StmtKind, Type};
use bouton_search::game::{Fault, MoveInstance};
use bouton_syntax::diag::{Code, Diagnostic};

/// A condition and an effect of a move on different cells of one field.
pub(super) struct OtherKey {
    /// The place of the cell in the condition.
    pub(super) guard: Span,
    /// The words of that cell.
    pub(super) held: String,
    /// The words of the cell that the effect changes.
    pub(super) changed: String,
}

impl OtherKey {
    /// The label of the cell in the condition.
    pub(super) fn label(&self) -> String {
        format!("asks for `{}`, and the effect changes `{}`", self.held, self.changed)
    }

    /// The way out.
    pub(super) fn help(&self) -> String {
        format!(
            "the condition asks for `{}`, and the effect changes `{}`: if both should be one, correct one of them",
            self.held, self.changed
        )
    }
}

/// Returns the condition of a move about another player's cell of a field than the only effect on the field.
pub(super) fn of_move(text: &GameSource, rules: &Rules, mv: &Move, field: FieldId) -> Option<OtherKey> {
    let is_of_player = rules.fields[field].keys.iter().any(|key| *key.ty.base() == Type::Sym(PLAYER));
    let all = effects(&mv.body);
    let mut of_field = all.iter().filter(|(effect, _)| effect.field == field);
    let (Some((effect, place)), None) = (of_field.next(), of_field.next()) else { return None };
    if !is_of_player || mv.chance || !place.is_placed() {
        return None;
    }
    let last = effect.keys.last().filter(|key| key.span.is_placed() && place.covers(key.span))?;
    let changed = text.words(Span::new(place.file, place.range().start, last.span.range().end));
    let changed = format!("{changed}]");
    let mut read: Vec<Span> = Vec::new();
    for stmt in &mv.body.stmts {
        if let StmtKind::Require(condition) = &stmt.kind {
            cells(condition, field, &mut read);
        }
    }
    let held: Vec<(Span, String)> =
        read.into_iter().filter(|span| span.is_placed()).map(|span| (span, text.words(span))).collect();
    let name = format!("{}[", rules.fields[field].name);
    let is_other = |words: &str| words != changed && words.starts_with(&name) && words.ends_with(']');
    let (guard, first) = held.first()?;
    if !changed.starts_with(&name) || !held.iter().all(|(_, words)| is_other(words)) {
        return None;
    }
    Some(OtherKey { guard: *guard, held: first.clone(), changed })
}

fn cells(term: &Expr, field: FieldId, found: &mut Vec<Span>) {
    if matches!(&*term.kind, ExprKind::Field(of, _) if *of == field) {
        found.push(term.span);
    }
    term.each_part(&mut |part| cells(part, field, found));
}

/// Adds to two effects that set a cell to different values (E0310) the `if` around one of them, if it asks
/// for another player's cell of the field.
pub(super) fn in_branch(text: &GameSource, rules: &Rules, fault: &Fault, found: Diagnostic) -> Diagnostic {
    let Some(MoveInstance::Move(id, _)) = fault.play.as_deref().filter(|_| found.code == Code::E0310) else {
        return found;
    };
    let places: Vec<Span> = found.labels.iter().map(|label| label.span).collect();
    let Some(other) = of_branches(text, rules, &rules.moves[*id].body, &places) else { return found };
    let rest = found.help.clone().map(|rest| format!("; otherwise, {rest}")).unwrap_or_default();
    let help = format!("{}{rest}", other.help());
    found.label(other.guard, other.label()).help(help)
}

fn of_branches(text: &GameSource, rules: &Rules, block: &Block, places: &[Span]) -> Option<OtherKey> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::If(condition, yes, no) => {
            let own = yes.stmts.iter().filter(|stmt| places.contains(&stmt.span));
            own.filter_map(|stmt| match &stmt.kind {
                StmtKind::Effect(effect) => of_branch(text, rules, condition, (effect, stmt.span)),
                _ => None,
            })
            .next()
            .or_else(|| of_branches(text, rules, yes, places))
            .or_else(|| of_branches(text, rules, no, places))
        }
        StmtKind::Then(inner) | StmtKind::For(_, inner) => of_branches(text, rules, inner, places),
        _ => None,
    })
}

/// The cell of an effect, and another one of its field that the condition around it asks for, and no other.
fn of_branch(text: &GameSource, rules: &Rules, condition: &Expr, made: (&Effect, Span)) -> Option<OtherKey> {
    let (effect, place) = made;
    let field = &rules.fields[effect.field];
    if !field.keys.iter().any(|key| *key.ty.base() == Type::Sym(PLAYER)) {
        return None;
    }
    let changed = text.words(place).split(":=").next()?.trim().to_owned();
    let mut read: Vec<Span> = Vec::new();
    cells(condition, effect.field, &mut read);
    let held: Vec<(Span, String)> =
        read.into_iter().filter(|span| span.is_placed()).map(|span| (span, text.words(span))).collect();
    let name = format!("{}[", field.name);
    let is_cell = |words: &str| words.starts_with(&name) && words.ends_with(']');
    let (guard, first) = held.first()?;
    let are_others = held.iter().all(|(_, words)| *words != changed && is_cell(words));
    (are_others && is_cell(&changed)).then(|| OtherKey { guard: *guard, held: first.clone(), changed })
}

/// Adds such a move to end rules that hold nowhere and read the field.
pub(super) fn explain(text: &GameSource, rules: &Rules, found: &mut [Diagnostic]) {
    for diagnostic in found.iter_mut().filter(|found| found.code == Code::W0532) {
        let Some(rule) = rules.ends.iter().find(|rule| rule.span == diagnostic.span()) else { continue };
        let Some(help) =
            diagnostic.help.clone().filter(|help| help.starts_with(super::dead_rules::HOLDS_NOWHERE))
        else {
            continue;
        };
        if let Some((made, other)) = of_rule(text, rules, rule) {
            diagnostic.labels.push(bouton_syntax::diag::Label { span: other.guard, text: other.label() });
            diagnostic.help = Some(format!(
                "{help}; `{made}` asks for `{}`, and changes `{}`: if both should be one, correct one of them",
                other.held, other.changed
            ));
        }
    }
}

fn of_rule<'r>(text: &GameSource, rules: &'r Rules, rule: &EndRule) -> Option<(&'r str, OtherKey)> {
    let reads = |id: &FieldId| {
        rules.mentions(&rule.condition, &|kind| matches!(kind, ExprKind::Field(of, _) if of == id))
    };
    let fields: Vec<FieldId> = rules.fields.entries().map(|(id, _)| id).filter(reads).collect();
    rules.moves.iter().find_map(|mv| {
        let other = fields.iter().find_map(|field| of_move(text, rules, mv, *field))?;
        Some((mv.name.as_str(), other))
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_condition_about_the_cards_of_another_is_named() {
        let help = |held: &str| {
            let rest = format!(
                "state {{ hand[p: Player]: set of 1..4 = if p = A then {{ 1, 2 }} else {{ 3, 4 }}; n: 0..3 = 0; }} move lay(c: 1..4) as \
                 \"{{c}}\" {{ when n < 3 and c in hand[{held}]; hand[me] -= {{ c }}; n += 1; }} end {{ when n = 3 => draw; when \
                 stuck => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::W0410).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("opponent");
        assert!(
            told.starts_with("the condition asks for `hand[opponent]`, and the effect changes `hand[me]`"),
            "{told}"
        );
        assert_eq!(help("me"), "");
    }

    #[test]
    fn a_branch_about_the_cell_of_another_explains_two_effects() {
        let help = |changed: &str| {
            let rest = format!(
                "board C = strip(6); state {{ at[p: Player]: C = if p = A then a1 else f1; n: 0..8 = 0; }} move go(d: {{ E, W }}) as \
                 \"{{d}}\" {{ let to = at[me] + d; when n < 8; n += 1; at[me] := to; if at[opponent] = to {{ at[{changed}] := a1; }} \
                 }} end {{ when n = 8 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0310).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("me");
        let wanted = "the condition asks for `at[opponent]`, and the effect changes `at[me]`: if both should be one, correct one \
                      of them; otherwise, rule the case out";
        assert!(told.starts_with(wanted), "{told}");
        assert_eq!(help("opponent"), "");
    }

    #[test]
    fn such_a_move_explains_an_end_rule() {
        let help = |changed: &str| {
            let rest = format!(
                "board H = strip(4); state {{ at[p: Player]: H = if p = A then a1 else d1; n: 0..4 = 0; }} move go(to: H) as \"{{to}}\" \
                 {{ when n < 4 and to in at[me].neighbors; at[{changed}] := to; n += 1; }} end {{ when at[A] = d1 => A wins; when n = \
                 4 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0532).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("opponent");
        assert!(told.contains("`go` asks for `at[me]`, and changes `at[opponent]`"), "{told}");
        assert!(!help("me").contains("asks for"), "{}", help("me"));
    }
}
