//! Ranges by a call with terms as ends: `range(-n, n + 1)`, which is `-n..n` here.

use super::RepairSession;
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diag::{Code, Diagnostic};
use crate::print_expr;
use crate::visit_mut::{TermVisitor, visit_item};

impl RepairSession {
    /// Reports `range(a, b)`, whose ends are no numbers, and reads it as `a..b - 1`.
    pub fn mend_ranges(&mut self) {
        if self.may_declare("range") {
            return;
        }
        let mut ranges = Ranges::default();
        for item in &mut self.items {
            visit_item(&mut item.kind, &mut ranges);
        }
        self.diagnostics.append(&mut ranges.found);
    }
}

/// The search for such ranges.
#[derive(Default)]
struct Ranges {
    found: Vec<Diagnostic>,
}

impl TermVisitor for Ranges {
    fn term(&mut self, term: &mut Expr) {
        self.enclose(term);
        let ExprKind::Call(head, args) = &*term.kind else { return };
        if head.as_name() != Some("range") {
            return;
        }
        let callee = head.span;
        let zero = Expr::new(ExprKind::Number("0".to_owned()), callee);
        let (low, end) = match &args[..] {
            [end] => (zero, end),
            [low, end] => (low.bare().clone(), end),
            _ => return,
        };
        // The ends that are numbers have the same message from the analysis.
        if is_number(&low) && is_number(end.bare()) || !is_sum(&low) || !is_sum(end.bare()) {
            return;
        }
        *term.kind = ExprKind::Range(low, before(end.bare()));
        let new = print_expr(term);
        let title = "a range is written with two dots, and both its ends belong to it";
        let help = format!("write `{new}`: the end of `range` does not belong to it, that of `..` does");
        let found = Diagnostic::new(Code::E0101, title, callee, "").help(help);
        self.found.push(found.edit(term.span, new));
    }
}

impl Ranges {
    /// Puts the new ranges in brackets where they stand in a tighter term.
    fn enclose(&mut self, term: &Expr) {
        let inside: Vec<&Expr> = match &*term.kind {
            ExprKind::Binary(op, left, right)
                if !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff) =>
            {
                vec![left, right]
            }
            ExprKind::Unary(UnaryOp::Count | UnaryOp::Negate, inner) | ExprKind::Part(inner, _) => {
                vec![inner]
            }
            ExprKind::Index(of, _) => vec![of],
            _ => return,
        };
        for part in inside.into_iter().filter(|part| matches!(&*part.kind, ExprKind::Range(..))) {
            for found in &mut self.found {
                for edit in found.edits.iter_mut().filter(|edit| edit.span == part.span) {
                    let new = format!("({})", edit.text);
                    found.help = found.help.take().map(|help| help.replacen(&edit.text, &new, 1));
                    edit.text = new;
                }
            }
        }
    }
}

fn is_number(term: &Expr) -> bool {
    matches!(&*term.kind, ExprKind::Number(_))
}

/// Returns true for a term that may be an end of a range as it stands.
fn is_sum(term: &Expr) -> bool {
    match &*term.kind {
        ExprKind::Name(_)
        | ExprKind::Number(_)
        | ExprKind::Call(..)
        | ExprKind::Index(..)
        | ExprKind::Part(..)
        | ExprKind::Paren(_)
        | ExprKind::Unary(UnaryOp::Count | UnaryOp::Negate, _) => true,
        ExprKind::Binary(op, ..) => matches!(
            op,
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Mod
        ),
        _ => false,
    }
}

/// The number before that of a term.
fn before(end: &Expr) -> Expr {
    let digits = |term: &Expr| match &*term.kind {
        ExprKind::Number(digits) => digits.parse::<u32>().ok(),
        _ => None,
    };
    let number = |value: u32| Expr::new(ExprKind::Number(value.to_string()), end.span);
    let binary =
        |op, left: &Expr, right: Expr| Expr::new(ExprKind::Binary(op, left.clone(), right), end.span);
    match &*end.kind {
        ExprKind::Number(_) if digits(end).is_some_and(|value| value > 0) => {
            number(digits(end).unwrap_or(1) - 1)
        }
        ExprKind::Binary(BinaryOp::Add, left, right) if digits(right) == Some(1) => left.clone(),
        ExprKind::Binary(BinaryOp::Add, left, right) if digits(right).is_some_and(|value| value > 1) => {
            binary(BinaryOp::Add, left, number(digits(right).unwrap_or(1) - 1))
        }
        ExprKind::Binary(BinaryOp::Subtract, left, right) if digits(right).is_some_and(|d| d < u32::MAX) => {
            binary(BinaryOp::Subtract, left, number(digits(right).unwrap_or(0) + 1))
        }
        _ => binary(BinaryOp::Subtract, end, number(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn ranges_by_a_call_have_two_dots() {
        for (old, new) in [
            ("type Mark = range(-n, n + 1);", "type Mark = -n..n;"),
            ("type Mark = range(n);", "type Mark = 0..n - 1;"),
            ("type Mark = range(0, n - 1);", "type Mark = 0..n - 2;"),
            ("type Mark = range(k, 5);", "type Mark = k..4;"),
            ("def f = some k in range(1, 2 * n + 3): k = m;", "def f = some k in 1..2 * n + 2: k = m;"),
            ("def f = #range(n);", "def f = #(0..n - 1);"),
            ("def f = range(n) | { 9 };", "def f = (0..n - 1) | { 9 };"),
        ] {
            let (old, new) = (format!("{old}\n"), format!("{new}\n"));
            assert_eq!(mended(&old), new);
            assert_eq!(titles(&old).len(), 1, "{old}");
        }
        assert!(helps("type Mark = range(n);\n")[0].contains("the end of `range` does not belong to it"));
    }

    #[test]
    fn a_range_of_the_file_is_kept() {
        assert_eq!(titles("def range(n: 0..9) = n;\ndef f(k: 0..9) = range(k);\n"), [""; 0]);
    }
}
