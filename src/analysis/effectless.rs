//! W0111 for parameters of moves and events whose values change nothing: only the name, or a condition, reads them.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::lints::expr_names;
use super::locals::Locals;
use bouton_rules::Type;
use bouton_syntax::ast::{BinaryOp, CmpOp, Expr, ExprKind, MoveDecl, StmtKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::visit;

impl<'a> Analyzer<'a> {
    /// W0111: parameters that the elaborated body of a move does not use although its name shows them, and parameters of an
    /// event that only its conditions use, or of a move that only compares them as amounts.
    pub(super) fn parameters_without_effect(&mut self, m: &MoveDecl, locals: &Locals) {
        let shown = shown_names(m);
        let in_effects = names_in_effects(m);
        // What is announced tells something to those who do not see all.
        let is_open = !m.private && m.prefer.is_none() && !self.rules.has_hidden_information();
        let does_something =
            is_open && m.body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Effect(_)));
        for param in &m.params {
            let (name, span) = (param.name.text.as_str(), param.name.span);
            let Some(local) = locals.stack.iter().find(|local| local.span == span) else { continue };
            let is_only_shown = !local.used && shown.contains(name) && m.prefer.is_none();
            let is_only_asked = local.used
                && !in_effects.contains(name)
                && (m.chance || does_something && is_unused_amount(m, name, &local.ty));
            if name.starts_with('_') || !(is_only_shown || is_only_asked) {
                continue;
            }
            let kind = if m.chance { "event" } else { "move" };
            let (title, reason) = match is_only_shown {
                true => (
                    format!("the parameter `{name}` changes nothing: only the name of the {kind} shows it"),
                    format!("every `{name}` does the same"),
                ),
                false => (
                    format!("the parameter `{name}` changes nothing: only conditions read it"),
                    format!("{kind}s that differ in `{name}` alone do the same"),
                ),
            };
            let found = Diagnostic::new(Code::W0111, title, span, "in no effect");
            self.report(found.help(format!(
                "{reason}: write `{name}` in an effect, leave it out, or begin its name with `_`"
            )));
        }
    }
}

/// Returns true if the conditions of a move read a number, and only as an amount: `when k <= heap`. A number that stands in
/// keys or in calls, or is compared with another parameter, may be the place of a witness.
fn is_unused_amount(m: &MoveDecl, name: &str, ty: &Type) -> bool {
    let mut is_asked = false;
    for stmt in &m.body.stmts {
        let (StmtKind::When(condition) | StmtKind::Ensure(condition)) = &stmt.kind else { continue };
        let mut parts = vec![condition];
        while let Some(part) = parts.pop() {
            match &*part.bare().kind {
                ExprKind::Binary(BinaryOp::And, left, right) => parts.extend([left, right]),
                _ if !speaks_of(part, name) => {}
                ExprKind::Compare(first, rest) => {
                    let is_order = |op: &CmpOp| {
                        matches!(op, CmpOp::Less | CmpOp::LessEqual | CmpOp::Greater | CmpOp::GreaterEqual)
                    };
                    let mut terms = [first].into_iter().chain(rest.iter().map(|(_, term)| term));
                    let is_amount = rest.iter().all(|(op, _)| is_order(op))
                        && terms.all(|term| is_sum_of_one(term, name, m));
                    if !is_amount {
                        return false;
                    }
                    is_asked = true;
                }
                _ => return false,
            }
        }
    }
    is_asked && matches!(ty.base(), Type::Int(..))
}

/// Returns true for a sum in which no other parameter stands by itself, and this one only by itself.
fn is_sum_of_one(term: &Expr, name: &str, m: &MoveDecl) -> bool {
    match &*term.bare().kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right) => {
            is_sum_of_one(left, name, m) && is_sum_of_one(right, name, m)
        }
        ExprKind::Name(of) => of == name || m.params.iter().all(|param| param.name.text != *of),
        _ => !speaks_of(term, name),
    }
}

fn speaks_of(expr: &Expr, name: &str) -> bool {
    let mut names = HashSet::new();
    expr_names(expr, &mut names);
    names.contains(name)
}

/// The names in the template of a move.
fn shown_names(m: &MoveDecl) -> HashSet<&str> {
    let mut shown = HashSet::new();
    for part in m.template.iter().flat_map(|template| &template.parts) {
        if let bouton_syntax::ast::TemplatePart::Placeholder(term) = part {
            expr_names(term, &mut shown);
        }
    }
    shown
}

/// The names that the effects and the weight of a move read, and the conditions of its later stages.
fn names_in_effects(m: &MoveDecl) -> HashSet<&str> {
    let mut names = HashSet::new();
    let is_condition = |kind: &StmtKind| matches!(kind, StmtKind::When(_) | StmtKind::Ensure(_));
    for stmt in m.body.stmts.iter().filter(|stmt| !is_condition(&stmt.kind)) {
        visit::statement(stmt, &mut |expr| expr_names(expr, &mut names));
    }
    names
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(step: &str, deal: &str) -> Vec<String> {
        let text = format!(
            "game \"Deals\"; players A, B; phases {{ deal by chance; go; }}
             state {{ hand[p: Player]: 1..3 = 1; n: 0..9 = 0; }}
             chance deal_cards(a: 1..3, b: 1..3) in deal as \"{{a}}{{b}}\" {{ {deal} continue go; }}
             move step(k: 1..3) in go as \"{{k}}\" {{ {step} continue deal; }}
             end {{ when n = 9 => payoff p: hand[p]; }}"
        );
        found(&text, Code::W0111).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn parameters_change_something() {
        let deal = "when a != b; hand[A] := a; hand[B] := b;";
        let shown = "the parameter `k` changes nothing: only the name of the move shows it";
        assert_eq!(titles("n := min(9, n + k);", deal), [""; 0]);
        assert_eq!(titles("n := min(9, n + 1);", deal), [shown]);
        let asked = "the parameter `b` changes nothing: only conditions read it";
        assert_eq!(titles("n := min(9, n + k);", "when a != b; hand[A] := a;"), [asked]);
        assert_eq!(titles("n := min(9, n + k);", "when a != b; hand[A] := a; weight b;"), [""; 0]);
    }

    #[test]
    fn effects_use_their_parameters() {
        let found = |pay: &str| {
            let text = format!(
                "game \"Pays\"; players A, B; state {{ pot: 0..9 = 9; got[p: Player]: 0..9 = 0; }}
                 effect pay(q: Player, k: 1..2) {{ {pay} }}
                 move take(k: 1..2) as \"{{k}}\" {{ when k <= pot; pot -= k; pay(me, k); pay(opponent, k); }}
                 end {{ when pot = 0 => highest got; }}"
            );
            found(&text, Code::W0111)
        };
        let unused = found("got[me] += k;");
        assert_eq!(unused.len(), 1);
        assert_eq!(unused[0].title, "the parameter `q` is never used");
        assert!(
            unused[0].help.as_ref().is_some_and(|help| help.starts_with("is `q` meant where `me` stands?"))
        );
        assert!(found("got[q] += k;").is_empty());
    }

    #[test]
    fn amounts_of_moves_change_something() {
        let titles = |hidden: &str, body: &str| {
            let text = format!(
                "game \"Heaps\"; players A, B; phases {{ deal by chance; go; }}
                 state {{ heap[h: 1..3]: 0..6 = 6; card: 0..1 = 0{hidden}; last: Player? = none; }}
                 chance turn_up(d: 0..1) in deal as \"({{d}})\" {{ card := d; continue go; }}
                 move take(h: 1..3, k: 1..3) in go as \"{{h}} {{k}}\" {{ {body} }}
                 end {{ when heap[1] = 0 and card = 1 and last != none => draw; when stuck => mover loses; }}"
            );
            found(&text, Code::W0111).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let asked = "the parameter `k` changes nothing: only conditions read it";
        for body in [
            "when k <= heap[h]; heap[h] -= heap[h];",
            "when heap[h] > 0 and heap[h] - k >= 0; heap[h] -= 1; last := me;",
        ] {
            assert_eq!(titles("", body), [asked], "{body}");
            assert_eq!(titles(" hidden", body), [""; 0], "{body}");
        }
        for body in [
            "when k <= heap[h]; heap[h] -= k;",
            "when k <= heap[h]; heap[h] -= 1; if k = 2 { last := me; }",
            "when k <= heap[h]; let rest = heap[h] - k; heap[h] := rest;",
            "when heap[k] > heap[h] and heap[h] > 0; heap[h] -= 1;",
            "when k < h and heap[h] > 0; heap[h] -= 1;",
        ] {
            let told = titles("", body);
            assert!(!told.iter().any(|title| title == asked), "{body}: {told:?}");
        }
    }
}
