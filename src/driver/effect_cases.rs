//! The `if` around an effect, as a case of the move: a condition of the move about the effect needs it before `implies`.

use super::load::GameSource;
use super::out_of_range::bracketed;
use bouton_base::source::Span;
use bouton_rules::{Block, Expr, ExprKind, Move, StmtKind, Value};

/// The maximal length of a condition that is repeated.
const MAX_WORDS: usize = 40;

/// The branch of an `if` of the first stage of a move.
pub(super) struct EffectCase<'a> {
    condition: &'a Expr,
    /// True in the branch where the condition holds.
    holds: bool,
}

/// The branch that an effect at a place is a statement of, if the `if` is a statement of the move itself.
pub(super) fn case_of(mv: &Move, place: Span) -> Option<EffectCase<'_>> {
    let is_in = |block: &Block| block.stmts.iter().any(|stmt| stmt.span == place);
    mv.body.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::If(condition, yes, _) if is_in(yes) => Some(EffectCase { condition, holds: true }),
        StmtKind::If(condition, _, no) if is_in(no) => Some(EffectCase { condition, holds: false }),
        _ => None,
    })
}

impl EffectCase<'_> {
    /// The words of the term that the condition compares with a constant, and the constant.
    fn compared(&self, text: &GameSource) -> Option<(String, &Value)> {
        let ExprKind::Equal(a, b) = &*self.condition.kind else { return None };
        let (term, value) = if b.constant().is_some() { (a, b) } else { (b, a) };
        term.span.is_placed().then(|| condition_words(text, term.span)).zip(value.constant())
    }

    /// Returns true if no move comes to both branches, by the value of a term in the position before the move.
    pub(super) fn excludes(&self, text: &GameSource, other: &EffectCase<'_>) -> bool {
        let (Some((term, value)), Some((other_term, other_value))) =
            (self.compared(text), other.compared(text))
        else {
            return false;
        };
        let is_apart = match (self.holds, other.holds) {
            (true, true) => value != other_value,
            (false, false) => false,
            _ => value == other_value,
        };
        term == other_term && is_apart
    }

    /// The words before the condition of a move that is to count in this branch alone: `a = fire implies `.
    pub(super) fn prefix(&self, text: &GameSource) -> Option<String> {
        let span = self.condition.span;
        if !self.holds || !span.is_placed() {
            return None;
        }
        let words = condition_words(text, span);
        let is_loose =
            ["implies", "iff", "if", ":"].iter().any(|word| words.split(' ').any(|of| of.ends_with(word)));
        let words = if is_loose { bracketed(&words) } else { words };
        (words.len() <= MAX_WORDS).then(|| format!("{words} implies "))
    }

    /// Returns true if a formula says the same as the condition of this branch.
    pub(super) fn is_said_by(&self, text: &GameSource, formula: &Expr) -> bool {
        let is_placed = self.holds && self.condition.span.is_placed() && formula.span.is_placed();
        is_placed && condition_words(text, self.condition.span) == condition_words(text, formula.span)
    }
}

fn condition_words(text: &GameSource, span: Span) -> String {
    text.words(span)
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    /// The help on a number out of range in a game of two acts.
    fn help(guards: &str, effects: &str) -> String {
        let rest = format!(
            "enum Act {{ load, fire, rest }} state {{ shots[p: Player]: 0..2 = 0; n: 0..9 = 0; }} move choose(a: Act) as \"{{a}}\" \
             {{ when n < 9; n += 1; {guards} {effects} }} end {{ when n = 9 => draw; when stuck => draw; }}"
        );
        let found = findings_of_two(&rest, Code::E0503).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn a_condition_for_one_case_is_written_out() {
        let both = "if a = load { shots[me] += 1; } if a = fire { shots[me] -= 1; }";
        let told = help("when a = fire implies shots[me] > 0;", both);
        let wanted = "if the move is illegal here, write `when a = load implies shots[me] + 1 <= 2;`";
        assert!(told.contains(wanted), "{told}");
        let told = help("when a = load implies shots[me] < 2;", both);
        let wanted = "if the move is illegal here, write `when a = fire implies shots[me] >= 1;`";
        assert!(told.starts_with(wanted), "{told}");
        let told = help(
            "when a = load implies shots[me] < 2;",
            "if a = load { shots[me] += 1; } else { shots[me] -= 1; }",
        );
        assert!(told.starts_with("if the move is illegal here, forbid it with a `when`"), "{told}");
        let guards = "when a = load implies shots[me] < 2; when a = fire implies shots[me] > 0;";
        assert_eq!(help(guards, both), "");
    }

    #[test]
    fn cases_of_a_field_exclude_each_other() {
        let of = |second: &str| {
            let rest = format!(
                "enum Thing {{ key, door }} state {{ thing[i: 1..4]: Thing? = if i = 1 then door else if i = 2 then key else none; \
                 keys: 0..1 = 0; n: 0..4 = 0; }} move open(i: 1..4) as \"{{i}}\" {{ when n < 4 and thing[i] != none; n += 1; \
                 if thing[i] = key {{ keys += 1; thing[i] := none; }} if {second} = door {{ keys -= 1; thing[i] := none; }} }} \
                 end {{ when n = 4 => draw; when stuck => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = of("thing[i]");
        assert!(told.contains("write `when thing[i] = door implies keys >= 1;`"), "{told}");
    }

    #[test]
    fn a_guard_behind_implies_may_be_about_another_key() {
        let guards = "when a = load implies shots[me] < 2; when a = fire implies shots[me] > 0;";
        let told = help(guards, "if a = load { shots[me] += 1; } if a = fire { shots[opponent] -= 1; }");
        let wanted = "the condition is about `shots[me]`, and the effect about `shots[opponent]`: if `shots[me] -= 1;` is meant";
        assert!(told.starts_with(wanted), "{told}");
        assert!(told.contains("write `when a = fire implies shots[opponent] >= 1;`"), "{told}");
    }
}
