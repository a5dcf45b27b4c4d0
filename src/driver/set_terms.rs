//! The terms that a move sets before a later stage reads them, in words that hold before the move: after `offer[me] := k`,
//! `offer[me]` is `k`. A condition of the move reads the position before it.

use super::load::GameSource;
use super::out_of_range::AssignedTerm;
use bouton_base::source::Span;
use bouton_rules::{Block, Effect, EffectOp, Expr, ExprKind, FieldId, Move, Rules, StmtKind};

/// The effects of a move before the stage of an effect.
pub(super) struct BeforeMove<'a> {
    text: &'a GameSource,
    rules: &'a Rules,
    earlier: Vec<(&'a Effect, Span)>,
}

/// The effects before the stage of the effect at a place; `None` if it is in the first stage.
pub(super) fn before_move<'a>(
    text: &'a GameSource,
    rules: &'a Rules,
    mv: &'a Move,
    place: Span,
) -> Option<BeforeMove<'a>> {
    let mut all = Vec::new();
    collect(&mv.body, None, &mut all);
    let stage = all.iter().find(|of| of.place == place)?.stage?;
    let is_earlier = |of: &&StagedEffect| of.stage.is_none_or(|other| other.start < stage.start);
    let earlier = all.iter().filter(is_earlier).map(|of| (of.effect, of.place)).collect();
    Some(BeforeMove { text, rules, earlier })
}

/// An effect, its place, and the place of the innermost `then` around it.
struct StagedEffect<'a> {
    effect: &'a Effect,
    place: Span,
    stage: Option<Span>,
}

fn collect<'a>(block: &'a Block, stage: Option<Span>, found: &mut Vec<StagedEffect<'a>>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => found.push(StagedEffect { effect, place: stmt.span, stage }),
            StmtKind::Then(inner) => collect(inner, Some(stmt.span), found),
            StmtKind::For(_, inner) => collect(inner, stage, found),
            StmtKind::If(_, yes, no) => {
                collect(yes, stage, found);
                collect(no, stage, found);
            }
            _ => {}
        }
    }
}

impl BeforeMove<'_> {
    /// Writes the operand of an effect in words that hold before the move, and returns it; `None` if these are not
    /// known.
    pub(super) fn replace_in(&self, effect: &Effect, words: &mut AssignedTerm) -> Option<Expr> {
        let is_set = |field: FieldId| self.earlier.iter().any(|(of, _)| of.field == field);
        let reads_set = |kind: &ExprKind| matches!(kind, ExprKind::Field(field, _) if is_set(*field));
        if is_set(effect.field) || effect.keys.iter().any(|key| self.rules.mentions(key, &reads_set)) {
            return None;
        }
        if !self.rules.mentions(&effect.value, &reads_set) {
            return Some(effect.value.clone());
        }
        let ExprKind::Field(field, _) = &*effect.value.kind else { return None };
        let mut of_field = self.earlier.iter().filter(|(of, _)| of.field == *field);
        let (Some((set, place)), None) = (of_field.next(), of_field.next()) else { return None };
        let assignment = self.text.sources.slice(*place).trim_end().trim_end_matches(';');
        let (target, value) = assignment.split_once(":=")?;
        let is_same = set.op == EffectOp::Set && target.trim() == words.term;
        if is_same {
            words.set_term(value.trim());
        }
        is_same.then(|| set.value.clone())
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn conditions_read_what_holds_before_the_move() {
        let help = |value: &str, paid: &str| {
            let rest = format!(
                "state {{ purse[p: Player]: 0..4 = 4; offer[p: Player]: 0..4 = 0; n: 0..9 = 0; }} move bid(k: 1..3) as \
                 \"{{k}}\" {{ when n < 9; n += 1; offer[me] := {value}; then {{ purse[me] -= {paid}; }} }} end {{ when n = 9 \
                 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("k", "offer[me]");
        assert!(told.starts_with("if the move is illegal here, write `when k <= purse[me];`"), "{told}");
        let told = help("k + 1", "offer[me]");
        assert!(
            told.starts_with("if the move is illegal here, write `when (k + 1) <= purse[me];`"),
            "{told}"
        );
        let told = help("k", "offer[me] + 1");
        assert!(told.starts_with("if the move is illegal here, forbid it with a `when`"), "{told}");
        assert!(help("k", "k").contains("write `when k <= purse[me];`"));
    }
}
