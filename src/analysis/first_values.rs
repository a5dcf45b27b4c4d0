//! W0410: fields that each effect sets to their first value, so they never change.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, Effect, EffectOp, ExprKind, FieldDecl, ItemKind, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

impl<'a> Analyzer<'a> {
    /// Reports fields that are only ever set to the value that they have at first.
    pub(super) fn set_to_first_values(&mut self) {
        let mut effects: Vec<&Effect> = Vec::new();
        for (item, _) in self.items() {
            match &item.kind {
                ItemKind::Move(of) => collect(&of.body, &mut effects),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } => collect(body, &mut effects),
                // A test may begin with another value.
                ItemKind::Test(test) => {
                    for step in &test.steps {
                        if let ast::TestStep::Position(own, _) = step {
                            effects.extend(own);
                        }
                    }
                }
                _ => {}
            }
        }
        effects.extend(&self.options.position);
        let mut told = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::State(fields) = &item.kind else { continue };
            for field in fields.iter().filter(|_| own) {
                if let Some(effect) = effect_of_first_value(field, &effects) {
                    told.push((field, effect));
                }
            }
        }
        for (field, effect) in told {
            let (name, value) = (&field.name.text, print_expr(effect.value.bare()));
            let title = format!("`{name}` never changes: it is only ever set to `{value}`, as at first");
            let found = Diagnostic::new(Code::W0410, title, field.name.span, "the same in every position");
            let found = found.label(effect_span(effect), "changes nothing");
            self.report(found.help(format!(
                "an effect that gives `{name}` another value is missing in a move; or leave the field out"
            )));
        }
    }
}

fn effect_span(effect: &Effect) -> Span {
    effect.target.span.to(effect.value.span)
}

/// The first of the effects on a field, if all of them set it to its first value, which is written as a constant.
fn effect_of_first_value<'e>(field: &FieldDecl, effects: &[&'e Effect]) -> Option<&'e Effect> {
    let init = field.init.as_ref()?.bare();
    if field.transient || !matches!(&*init.kind, ExprKind::None | ExprKind::Bool(_) | ExprKind::Number(_)) {
        return None;
    }
    let name = field.name.text.as_str();
    let is_on_it = |effect: &&&Effect| {
        effect.target.name.text == name || effect.op == EffectOp::Move && mentions(&effect.value, name)
    };
    let on_it: Vec<&Effect> = effects.iter().filter(is_on_it).copied().collect();
    let is_same = |effect: &&Effect| {
        let is_whole = effect.target.path.iter().all(|step| matches!(step, ast::Access::Index(_)));
        effect.op == EffectOp::Set && is_whole && print_expr(effect.value.bare()) == print_expr(init)
    };
    on_it.first().copied().filter(|_| on_it.iter().all(is_same))
}

fn mentions(expr: &ast::Expr, name: &str) -> bool {
    let mut found = expr.as_name() == Some(name);
    visit::children(expr, &mut |part| found |= mentions(part, name));
    found
}

/// Collects the effects of a block and of its inner blocks.
pub(super) fn collect<'e>(block: &'e ast::StmtBlock, found: &mut Vec<&'e Effect>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => found.push(effect),
            StmtKind::Then(inner) | StmtKind::For(_, inner) => collect(inner, found),
            StmtKind::If(_, yes, no) => {
                collect(yes, found);
                no.iter().for_each(|no| collect(no, found));
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
    fn fields_set_to_their_first_value_never_change() {
        let titles = |take: &str, test: &str| {
            let text = format!(
                "game \"Last\"; players A, B, C; state {{ left: 0..9 = 9; last: Player? = none; }}
                 move take(k: 1..2) as \"{{k}}\" {{ when k <= left; left -= k; {take} }}
                 move skip() as \"skip\" {{ when left > 3 and last != none; last := none; }}
                 end {{ when left = 0 => mover loses; when stuck => mover loses; }} {test}"
            );
            found(&text, Code::W0410).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let told = "`last` never changes: it is only ever set to `none`, as at first";
        assert_eq!(titles("", ""), [told]);
        assert_eq!(titles("if left = 3 { last := none; }", ""), [told]);
        assert_eq!(titles("last := me;", ""), [""; 0]);
        assert_eq!(titles("", "test \"t\" { position { last := A; } expect legal skip; }"), [""; 0]);
    }
}
