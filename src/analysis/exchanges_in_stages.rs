//! W0312 for `a := b; then { b := a; }`, which gives `b` the value that it has.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::lints::expr_names;
use bouton_base::source::Span;
use bouton_syntax::ast::{Effect, EffectOp, ItemKind, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, print_expr, visit};

impl Analyzer<'_> {
    /// Runs the lint of this module.
    pub(super) fn exchanges_in_stages(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                ItemKind::Move(of) if own => set_back_in(&of.body, &mut found),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } if own => {
                    set_back_in(body, &mut found)
                }
                _ => {}
            }
        }
        for ([first, second], [first_span, span]) in found {
            let [a, b] = [first, second].map(|effect| target_of(effect).unwrap_or_default());
            let title = format!("this changes nothing: `{a}` is `{b}` by now");
            let found = Diagnostic::new(Code::W0312, title, span, format!("sets `{b}` to itself"));
            self.report(found.label(first_span, "done before it").help(format!(
                "effects of one stage read the position before the move, so an exchange needs no `then`: write `{a} := {b};` and \
                 `{b} := {a};` side by side"
            )));
        }
    }
}

/// Two effects, and their places.
type Pair<'e> = ([&'e Effect; 2], [Span; 2]);

/// Collects the effects of later stages that set a target to the value that it gave away.
fn set_back_in<'e>(block: &'e StmtBlock, found: &mut Vec<Pair<'e>>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::If(_, yes, no) => {
                set_back_in(yes, found);
                no.iter().for_each(|no| set_back_in(no, found));
            }
            StmtKind::For(_, inner) => set_back_in(inner, found),
            StmtKind::Then(stage) => {
                set_back_in(stage, found);
                for later in &stage.stmts {
                    let StmtKind::Effect(second) = &later.kind else { continue };
                    let first = block.stmts.iter().find_map(|stmt| match &stmt.kind {
                        StmtKind::Effect(first) if undoes(first, second) => Some((first, stmt.span)),
                        _ => None,
                    });
                    if let Some((first, span)) = first.filter(|(first, _)| is_alone(block, first, second)) {
                        found.push(([first, second], [span, later.span]));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The target of an effect `:=`, in words.
fn target_of(effect: &Effect) -> Option<String> {
    let text = print_effect(effect);
    text.split_once(" := ").map(|(target, _)| target.to_owned())
}

/// Returns true for `a := b` and `b := a`.
fn undoes(first: &Effect, second: &Effect) -> bool {
    let is_set = first.op == EffectOp::Set && second.op == EffectOp::Set;
    let value = |effect: &Effect| Some(print_expr(effect.value.bare()));
    let is_other = target_of(first) != target_of(second);
    is_set && is_other && target_of(first) == value(second) && target_of(second) == value(first)
}

/// Returns true if no other effect of a block changes what the two effects name.
fn is_alone(block: &StmtBlock, first: &Effect, second: &Effect) -> bool {
    let mut names = HashSet::new();
    expr_names(&first.value, &mut names);
    expr_names(&second.value, &mut names);
    let mut others = 0;
    count_effects(block, &names, &mut others);
    others == 2
}

fn count_effects(block: &StmtBlock, names: &HashSet<&str>, number: &mut usize) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => {
                let mut moved = HashSet::new();
                if effect.op == EffectOp::Move {
                    visit::statement(stmt, &mut |expr| expr_names(expr, &mut moved));
                }
                let is_on_it = names.contains(effect.target.name.text.as_str())
                    || moved.iter().any(|name| names.contains(name));
                *number += usize::from(is_on_it);
            }
            StmtKind::Call(..) => *number += 1,
            StmtKind::Then(inner) | StmtKind::For(_, inner) => count_effects(inner, names, number),
            StmtKind::If(_, yes, no) => {
                count_effects(yes, names, number);
                no.iter().for_each(|no| count_effects(no, names, number));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn exchanges_need_no_stages() {
        let told = |effects: &str| {
            let text = format!(
                "game \"Swap\"; players A, B; state {{ n: 0..7 = 0; a: 0..2 = 1; b: 0..2 = 2; h[p: Player]: 0..2 = 0; }}
                 move swap() {{ when n < 6; n += 1; {effects} }}
                 move put(k: 0..2) as \"{{k}}\" {{ when n < 7 and k != b; n += 1; b := k; a := 2; h[me] := k; }}
                 end {{ when n = 7 and a > h[A] => A wins; when n = 7 => B wins; }}"
            );
            found(&text, Code::W0312).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        assert_eq!(told("a := b; then { b := a; }"), ["this changes nothing: `a` is `b` by now"]);
        assert_eq!(told("h[me] := b; then { b := h[me]; }"), ["this changes nothing: `h[me]` is `b` by now"]);
        for effects in [
            "a := b; b := a;",
            "a := b; then { b := h[me]; }",
            "a := b; then { a := 0; b := a; }",
            "h[me] := b; then { b := h[opponent]; }",
        ] {
            assert_eq!(told(effects), [""; 0], "{effects}");
        }
    }
}
