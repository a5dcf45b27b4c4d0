//! W0312 for effects that come to nothing: a sum in a transient field, and a `+=` that a later stage sets back.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::lints::expr_names;
use bouton_base::source::Span;
use bouton_syntax::ast::{Effect, EffectOp, ItemKind, MoveDecl, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, visit};

/// An effect at the top of a stage that a later stage replaces.
struct UndoneEffect<'a> {
    name: &'a str,
    sum: Span,
    replacement: Span,
}

impl<'a> Analyzer<'a> {
    /// Runs the lints of this module.
    pub(super) fn undone_effects(&mut self) {
        self.sums_in_transient_fields();
        self.sums_set_back();
    }

    fn own_moves(&self) -> Vec<&'a MoveDecl> {
        let moves = self.items().filter_map(|(item, own)| match &item.kind {
            ItemKind::Move(of) if own => Some(of),
            _ => None,
        });
        moves.collect()
    }

    /// W0312: `+=` on a transient field that rules of the end or invariants read, though each move adds to it once at most.
    fn sums_in_transient_fields(&mut self) {
        let mut read = HashSet::new();
        for (item, _) in self.items() {
            match &item.kind {
                ItemKind::End(rules) => {
                    for rule in rules {
                        if let bouton_syntax::ast::OutcomeKind::Payoff(_, e)
                        | bouton_syntax::ast::OutcomeKind::Highest(e)
                        | bouton_syntax::ast::OutcomeKind::Lowest(e) = &rule.outcome.kind
                        {
                            expr_names(e, &mut read);
                        }
                    }
                }
                ItemKind::Invariant { value, .. } => expr_names(value, &mut read),
                // An `every move` or an effect may add to the field as well.
                ItemKind::EveryMove(_) | ItemKind::Effect { .. } => return,
                _ => {}
            }
        }
        let transient: Vec<(&'a str, Span)> = self
            .items()
            .flat_map(|(item, own)| match &item.kind {
                ItemKind::State(fields) if own => fields.iter().collect(),
                _ => Vec::new(),
            })
            .filter(|field| field.transient && read.contains(field.name.text.as_str()))
            .map(|field| (field.name.text.as_str(), field.name.span))
            .collect();
        for (name, declared) in transient {
            let mut sums = Vec::new();
            let is_summed_once = self.own_moves().iter().all(|of| {
                let mut effects = Vec::new();
                let is_plain = effects_on(&of.body, name, &mut effects);
                sums.extend(effects.iter().map(|(_, span)| *span));
                is_plain && effects.len() <= 1 && effects.iter().all(|(op, _)| *op == EffectOp::Add)
            });
            let Some(&first) = sums.first().filter(|_| is_summed_once) else { continue };
            let title =
                format!("`{name}` is transient: it begins anew at each move, so `+=` sums up nothing");
            let found = Diagnostic::new(Code::W0312, title, first, "added to its initial value");
            self.report(
                found.label(declared, "transient").help(
                    "leave out `transient` if the moves add up; write `:=` if only the last move counts",
                ),
            );
        }
    }

    /// W0312: `x += e;` beside `then { x := 0; }`, where nothing reads the sum between them.
    fn sums_set_back(&mut self) {
        let blocks = self.items().filter_map(|(item, _)| match &item.kind {
            ItemKind::EveryMove(block) => Some(block),
            _ => None,
        });
        let has_every = blocks.count() > 0;
        let found: Vec<UndoneEffect<'a>> = self
            .own_moves()
            .into_iter()
            .filter(|_| !has_every)
            .flat_map(|of| replaced_sums(&of.body))
            .collect();
        for UndoneEffect { name, sum, replacement } in found {
            let title = format!("`:=` comes after this `+=` on `{name}`, and undoes it");
            let found = Diagnostic::new(Code::W0312, title, sum, "done first");
            self.report(found.label(replacement, "`then` is done after all effects outside of it").help(
                "write both in the order in which they are to happen: what comes second stands in `then { ... }`",
            ));
        }
    }
}

/// Collects the effects on a field of a block; returns false if one is in a loop.
fn effects_on(block: &StmtBlock, name: &str, found: &mut Vec<(EffectOp, Span)>) -> bool {
    block.stmts.iter().fold(true, |is_plain, stmt| {
        is_plain
            & match &stmt.kind {
                StmtKind::Effect(effect) if effect.target.name.text == name => {
                    found.push((effect.op, stmt.span));
                    true
                }
                StmtKind::For(_, inner) => {
                    let before = found.len();
                    effects_on(inner, name, found) && found.len() == before
                }
                StmtKind::Then(inner) => effects_on(inner, name, found),
                StmtKind::If(_, yes, no) => {
                    let first = effects_on(yes, name, found);
                    no.as_ref().is_none_or(|no| effects_on(no, name, found)) && first
                }
                _ => true,
            }
    })
}

/// The `+=` of a block whose target a `then` of the block sets, unread.
fn replaced_sums(block: &StmtBlock) -> Vec<UndoneEffect<'_>> {
    let target = |effect: &Effect| {
        let text = print_effect(effect);
        text.split_once(" := ").or_else(|| text.split_once(" += ")).map(|(target, _)| target.to_owned())
    };
    let mut found = Vec::new();
    for later in &block.stmts {
        let StmtKind::Then(stage) = &later.kind else { continue };
        for stmt in &stage.stmts {
            let StmtKind::Effect(replacement) = &stmt.kind else { continue };
            let name = replacement.target.name.text.as_str();
            if replacement.op != EffectOp::Set || reads_in_stages(block, name) {
                continue;
            }
            let place = target(replacement);
            let sum = block.stmts.iter().find(|stmt| match &stmt.kind {
                StmtKind::Effect(effect) => effect.op == EffectOp::Add && target(effect) == place,
                _ => false,
            });
            found.extend(sum.map(|sum| UndoneEffect { name, sum: sum.span, replacement: stmt.span }));
        }
    }
    found
}

/// Returns true if a later stage of a block, or a condition on the position after it, reads a field.
fn reads_in_stages(block: &StmtBlock, name: &str) -> bool {
    let mut read = HashSet::new();
    for stmt in &block.stmts {
        if matches!(stmt.kind, StmtKind::Then(_) | StmtKind::Ensure(_)) {
            visit::statement(stmt, &mut |expr| expr_names(expr, &mut read));
        }
    }
    // A definition or another name may read the field.
    read.contains(name) || block.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Call(..)))
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(transient: &str, effects: &str) -> Vec<String> {
        let text = format!(
            "game \"Undone\"; players A, B; state {{ n: 0..9 = 0; {transient} score[p: Player]: 0..99 = 0; }}
             move go(k: 1..3) as \"{{k}}\" {{ when n + k <= 9; n += k; {effects} }}
             end {{ when n = 9 => payoff p: score[p] - score[other(p)]; }}"
        );
        found(&text, Code::W0312).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn sums_last() {
        assert_eq!(titles("", "score[me] += k;"), [""; 0]);
        let of_transient = ["`score` is transient: it begins anew at each move, so `+=` sums up nothing"];
        assert_eq!(titles("transient", "score[me] += k;"), of_transient);
        assert_eq!(titles("transient", "score[me] := k;"), [""; 0]);
        assert_eq!(titles("transient", "for j in 1..k { score[me] += j; }"), [""; 0]);
    }

    #[test]
    fn a_later_stage_does_not_undo() {
        let undone = ["`:=` comes after this `+=` on `score`, and undoes it"];
        assert_eq!(titles("", "then { score[me] := 0; } score[me] += k;"), undone);
        assert_eq!(titles("", "score[me] += k; then { score[me] := min(9, score[me]); }"), [""; 0]);
        assert_eq!(titles("", "score[me] += k; then { score[opponent] := 0; }"), [""; 0]);
    }
}
