//! W0126 for an inductive definition without a case that stands by itself: what needs itself in each of its
//! cases never holds.

use super::analyzer::Analyzer;
use super::schema::mentions;
use bouton_base::source::Span;
use bouton_rules::{Binder, DefId, Domain, Expr, ExprKind, Quant, Value};
use bouton_syntax::ast::{self, BinaryOp, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// Reports the definitions of a group, all of which use themselves, that never hold.
    pub(super) fn without_a_base(&mut self, members: &[DefId], uses: &[(DefId, Span)]) {
        let mut holding: Vec<DefId> = Vec::new();
        loop {
            let may_hold = |id: &&DefId| {
                !holding.contains(id)
                    && Search { members, holding: &holding }.may_hold(&self.rules.defs[**id].body)
            };
            let more: Vec<DefId> = members.iter().filter(may_hold).copied().collect();
            if more.is_empty() {
                break;
            }
            holding.extend(more);
        }
        for &id in members.iter().filter(|id| !holding.contains(id)) {
            let def = &self.rules.defs[id];
            let Some((_, used)) = uses.iter().find(|(from, _)| *from == id).copied() else { continue };
            let item = self.items().find_map(|(item, own)| match &item.kind {
                ItemKind::Inductive { name, formals, body } if own && name.span == def.span => {
                    Some((name, &formals[..], body))
                }
                _ => None,
            });
            let Some((name, formals, body)) = item else { continue };
            let title = match members.len() {
                1 => format!("`{}` never holds: each of its cases needs another `{}`", name.text, name.text),
                _ => format!(
                    "`{}` never holds: each of its cases needs one that is defined with it",
                    name.text
                ),
            };
            let found = Diagnostic::new(Code::W0126, title, name.span, "no case to begin with");
            let help = self.case_to_begin_with(name, formals, body);
            self.report(found.label(used, "this must hold first").help(help));
        }
    }

    /// The ways out: a case that stands by itself, and `or` in place of `and` if that may be meant.
    fn case_to_begin_with(&self, name: &ast::Name, formals: &[ast::Bind], body: &ast::Expr) -> String {
        let first = formals.last().map_or("x", |formal| formal.name.text.as_str());
        let parameters: Vec<&str> = formals.iter().map(|formal| formal.name.text.as_str()).collect();
        let head = format!("{}({})", name.text, parameters.join(", "));
        let help =
            format!("begin with a case that needs no `{}`: `{head} = {first} = ... or ...`", name.text);
        match &*body.bare().kind {
            ast::ExprKind::Binary(BinaryOp::And, left, _) if !mentions(left, &name.text) => {
                format!("{help}; if `{}` alone is enough, write `or` for `and`", print_expr(left))
            }
            _ => help,
        }
    }
}

/// The search for what may hold once some definitions of a group do.
struct Search<'s> {
    members: &'s [DefId],
    holding: &'s [DefId],
}

impl Search<'_> {
    /// Returns false if a condition needs a definition of the group that does not hold.
    fn may_hold(&self, condition: &Expr) -> bool {
        match &*condition.kind {
            ExprKind::Const(Value::Bool(is_true)) => *is_true,
            ExprKind::Undefined => false,
            ExprKind::Call(def, _) => !self.members.contains(def) || self.holding.contains(def),
            ExprKind::And(parts) => parts.iter().all(|part| self.may_hold(part)),
            ExprKind::Or(parts) => parts.iter().any(|part| self.may_hold(part)),
            ExprKind::Quant(Quant::Some, binders, body) => self.may_bind(binders) && self.may_hold(body),
            ExprKind::Quant(Quant::All, binders, body) => {
                let is_sure = |binder: &Binder| match &binder.domain {
                    Domain::Fixed(values) => binder.condition.is_none() && !values.is_empty(),
                    Domain::Set(_) => false,
                };
                !binders.iter().all(is_sure) || self.may_hold(body)
            }
            ExprKind::If(condition, yes, no) => {
                self.may_hold(condition) && self.may_hold(yes) || self.may_hold(no)
            }
            ExprKind::Match(_, arms) => arms.iter().any(|arm| self.may_hold(&arm.value)),
            ExprKind::Let(_, _, body) => self.may_hold(body),
            _ => true,
        }
    }

    /// Returns false if no values of the binders satisfy their conditions.
    fn may_bind(&self, binders: &[Binder]) -> bool {
        binders.iter().all(|binder| {
            let has_elements = match &binder.domain {
                Domain::Fixed(values) => !values.is_empty(),
                Domain::Set(_) => true,
            };
            has_elements && binder.condition.as_ref().is_none_or(|condition| self.may_hold(condition))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(definitions: &str) -> Vec<(String, String)> {
        let text = format!(
            "game \"Base\"; players A, B; board Cell = grid(3, 3); state {{ at[c: Cell]: Player? = none; }} {definitions}
             move put(c: Cell) as \"{{c}}\" {{ when at[c] = none and (c = a1 or far(c)); at[c] := me; }} play normal;"
        );
        let found = found(&text, Code::W0126);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn what_needs_itself_never_holds() {
        let title = "`far` never holds: each of its cases needs another `far`";
        let help = "begin with a case that needs no `far`: `far(c) = c = ... or ...`";
        let of = |body: &str| told(&format!("inductive far(c: Cell) = {body};"));
        assert_eq!(of("some b in c.neighbors: far(b)"), [(title.to_owned(), help.to_owned())]);
        assert_eq!(
            of("at[c] != none and some b in c.neighbors: far(b)"),
            [(title.to_owned(), format!("{help}; if `at[c] != none` alone is enough, write `or` for `and`"))]
        );
        for body in [
            "far(c) or some b in c.neighbors: far(b) and at[b] = none",
            "if at[c] = none then far(c) else some b in c.neighbors: far(b)",
            "let b = c + N: far(b)",
            "all d in Orthogonal: far(c + d)",
        ] {
            assert_eq!(of(body).len(), 1, "{body}");
        }
    }

    #[test]
    fn other_definitions_may_hold() {
        let of = |body: &str| told(&format!("inductive far(c: Cell) = {body};"));
        for body in [
            "c = a1 or some b in c.neighbors: far(b)",
            "all b in c.neighbors: far(b)",
            "all b in Cell where at[b] = none: far(b)",
            "at[c] != none implies some b in c.neighbors: far(b)",
            "if at[c] = none then true else far(a1)",
        ] {
            assert_eq!(of(body), [], "{body}");
        }
        let pair = |first: &str| {
            told(&format!(
                "inductive far(c: Cell) = some b in c.neighbors: near(b); inductive near(c: Cell) = {first} far(c);"
            ))
        };
        assert_eq!(pair("c = a1 or"), []);
        assert_eq!(pair("c = a1 and").len(), 2);
    }
}
