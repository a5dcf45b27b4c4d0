//! W0312 for `at[to] := at[from];` in a move that asks for `at[from] = me` and leaves `at[from]` as it is: the
//! piece stands on both cells after it.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::guards::conjuncts;
use bouton_base::source::Span;
use bouton_syntax::ast::{Access, CmpOp, Effect, EffectOp, Expr, ExprKind, ItemKind, StmtBlock, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// An effect that copies the content of a cell whose content the move asks for.
struct Copied<'e> {
    effect: Span,
    guard: Span,
    field: &'e str,
    /// The keys, as written.
    to: String,
    from: String,
    /// The content that the move asks for.
    content: String,
}

/// The statements of a move, of all its stages.
#[derive(Default)]
struct Parts<'e> {
    /// The effects with their places; true for those in a loop.
    effects: Vec<(&'e Effect, Span, bool)>,
    guards: Vec<&'e Expr>,
    lets: Vec<&'e Expr>,
}

impl<'a> Analyzer<'a> {
    /// Warns about copied pieces. A writer who wants two of them writes the content that he has asked for.
    pub(super) fn copied_pieces(&mut self) {
        let elsewhere = self.set_for_several_moves();
        let mut found = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(of) = &item.kind
                && own
            {
                let mut parts = Parts::default();
                collect(&of.body, false, &mut parts);
                found.extend(self.copied_in(&parts, &elsewhere));
            }
        }
        for Copied { effect, guard, field, to, from, content } in found {
            let title = format!("`{field}[{from}]` keeps its `{content}`: the effect copies it");
            let found =
                Diagnostic::new(Code::W0312, title, effect, format!("`{field}[{from}]` stays as it is"));
            self.report(found.label(guard, "the move begins there").help(format!(
                "to move it write `{field}[{to}] <- {field}[{from}];`, which empties `{field}[{from}]`; if it is to be on both, \
                 write `{field}[{to}] := {content};`"
            )));
        }
    }

    /// The only effect of a move that copies a piece.
    fn copied_in(&self, parts: &Parts<'a>, elsewhere: &HashSet<&str>) -> Option<Copied<'a>> {
        let mut copies = parts.effects.iter().filter_map(|(effect, span, looped)| {
            let (field, to) = single_key(effect)?;
            let (of, from) = element(&effect.value)?;
            let is_copy = effect.op == EffectOp::Set && of == field && !looped;
            is_copy.then_some((field, to, from, *span))
        });
        let (field, to, from, effect) = copies.next()?;
        let of = self.rules.fields.iter().find(|of| of.name == field)?;
        let is_on_a_board = matches!(&of.keys[..], [key] if self.board_of(&key.ty).is_some());
        let (to, from) = (print_expr(to), print_expr(from));
        // Another name of the cell may be the one that is emptied.
        let is_renamed = parts.lets.iter().any(|value| print_expr(value) == from);
        if !is_on_a_board
            || to == from
            || copies.next().is_some()
            || is_renamed
            || elsewhere.contains(field)
            || !of.ty.is_option()
        {
            return None;
        }
        let is_emptied = parts.effects.iter().any(|(other, span, looped)| {
            let keeps = single_key(other).is_some_and(|(_, key)| print_expr(key) != from);
            *span != effect
                && other.target.name.text == field
                && (*looped || !keeps || other.op == EffectOp::Move)
        });
        if is_emptied {
            return None;
        }
        parts.guards.iter().find_map(|guard| {
            let ExprKind::Compare(left, rest) = &*guard.bare().kind else { return None };
            let [(CmpOp::Equal | CmpOp::DoubleEqual, content)] = &rest[..] else { return None };
            let (of, key) = element(left)?;
            let content = content.as_name()?.to_owned();
            let is_it = of == field && print_expr(key) == from;
            is_it.then(|| Copied {
                effect,
                guard: guard.span,
                field,
                to: to.clone(),
                from: from.clone(),
                content,
            })
        })
    }
}

/// The field and the key of a target with one.
fn single_key(effect: &Effect) -> Option<(&str, &Expr)> {
    match &effect.target.path[..] {
        [Access::Index(keys)] => match &keys[..] {
            [key] => Some((&effect.target.name.text, key)),
            _ => None,
        },
        _ => None,
    }
}

/// The field and the key of `at[c]`.
fn element(e: &Expr) -> Option<(&str, &Expr)> {
    match &*e.bare().kind {
        ExprKind::Index(of, keys) => match &keys[..] {
            [key] => Some((of.as_name()?, key)),
            _ => None,
        },
        _ => None,
    }
}

/// Collects the effects, the conditions and the values of names of a block.
fn collect<'e>(block: &'e StmtBlock, looped: bool, parts: &mut Parts<'e>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(effect) => parts.effects.push((effect, stmt.span, looped)),
            StmtKind::When(condition) => conjuncts(condition, &mut parts.guards),
            StmtKind::Let(_, value) => parts.lets.push(value),
            StmtKind::Then(inner) => collect(inner, looped, parts),
            StmtKind::For(_, inner) => collect(inner, true, parts),
            StmtKind::If(_, yes, no) => {
                collect(yes, looped, parts);
                no.iter().for_each(|no| collect(no, looped, parts));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(body: &str, rest: &str) -> Vec<(String, String)> {
        let text = format!(
            "game \"Clone\"; players A, B; board C = grid(3, 3);
             state {{ at[c: C]: Player? = if c.row = 1 then A else if c.row = 3 then B else none; last: C = a1; }}
             def near(c: C) = some d in c.neighbors: at[d] = none;
             move go(from: C, to: C) as \"{{from}}{{to}}\" {{ when to in from.neighbors and near(from) and to != last; {body}
               last := to; }}
             {rest} end {{ when stuck => mover loses; repeat => draw; }}"
        );
        let found = found(&text, Code::W0312);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn pieces_leave_their_cells() {
        for body in [
            "when at[from] = me and at[to] = none; at[to] := at[from];",
            "when at[to] = none; when at[from] = me; if to.row = 3 { at[to] := at[from]; }",
            "when at[from] = me; at[to] := at[from]; if at[a2] = me { at[b2] := none; }",
        ] {
            let told = told(body, "");
            let [(title, help)] = &told[..] else { panic!("{body}: {told:?}") };
            assert_eq!(title, "`at[from]` keeps its `me`: the effect copies it");
            assert!(help.contains("`at[to] <- at[from];`") && help.ends_with("`at[to] := me;`"), "{help}");
        }
    }

    #[test]
    fn pieces_may_spread() {
        for body in [
            "when at[from] = me and at[to] = none; at[to] <- at[from];",
            "when at[from] = me and at[to] = none; at[to] := at[from]; at[from] := none;",
            "when at[from] = me and at[to] = none; at[to] := at[from]; then { at[from] := none; }",
            "when at[from] = me and at[to] = none; at[to] := me;",
            "when at[from] = me; at[to] := at[from]; at[from] := at[to];",
            "when at[from] != none and at[to] = none; at[to] := at[from];",
            "when at[from] = me; for c in from.neighbors where at[c] = none { at[c] := at[from]; }",
            "when at[from] = me; let start = from; at[to] := at[from]; at[start] := none;",
            "when at[from] = me; at[to] := at[from]; for c in C where c.row = 2 { at[c] := none; }",
        ] {
            assert_eq!(told(body, ""), [], "{body}");
        }
        let body = "when at[from] = me and at[to] = none; at[to] := at[from];";
        assert_eq!(told(body, "every move { then { at[last] := none; } }"), []);
    }
}
