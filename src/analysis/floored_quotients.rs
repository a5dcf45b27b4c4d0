//! W0325 for quotients of two numbers that are rounded down, `worth[k] * (3 / 4)` adds 0, and for quotients of a
//! parameter that are the same for every value of it: `k / 8` for `k: 1..4`.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{BinaryOp, Bind, Expr, ExprKind, ItemKind, StmtKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

/// A quotient of two numbers that is no whole number.
struct FlooredQuotient {
    span: Span,
    /// The quotient as written, and its value.
    text: String,
    value: i64,
    /// The product around it with the quotient at the end: `worth[k] * 3 / 4`.
    product: Option<String>,
    /// The parameter of the move that is divided.
    parameter: Option<String>,
}

impl<'a> Analyzer<'a> {
    /// W0325: quotients of two numbers in moves and definitions, where `/` gives whole numbers.
    pub(super) fn floored_quotients(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            match &item.kind {
                _ if !own => {}
                ItemKind::Def { body, .. } | ItemKind::Const { value: body, .. } => {
                    quotients(body, &mut found)
                }
                ItemKind::Move(of) => {
                    for stmt in of.body.stmts.iter().filter(|stmt| !matches!(stmt.kind, StmtKind::Weight(_)))
                    {
                        visit::statement(stmt, &mut |expr| {
                            quotients(expr, &mut found);
                            parameter_quotients(expr, &of.params, &mut found);
                        });
                    }
                    if let Some(prefer) = &of.prefer {
                        quotients(prefer, &mut found);
                        parameter_quotients(prefer, &of.params, &mut found);
                    }
                }
                _ => {}
            }
        }
        for quotient in found {
            let is_known = |d: &Diagnostic| {
                d.code == Code::W0325 && d.labels.iter().any(|label| label.span.covers(quotient.span))
            };
            if self.diagnostics.iter().any(is_known) {
                continue;
            }
            let FlooredQuotient { span, text, value, product, parameter } = quotient;
            let is_of_parameter = parameter.is_some();
            let place = parameter.map_or("here".to_owned(), |name| format!("for every `{name}`"));
            let title = format!("`{text}` is {value} {place}: `/` gives whole numbers, rounded down");
            let help = match product {
                Some(product) => format!("multiply first: `{product}`"),
                None if is_of_parameter => {
                    "multiply before dividing, or divide by a smaller number".to_owned()
                }
                None => format!("write {value}, or multiply before dividing"),
            };
            self.report(Diagnostic::new(Code::W0325, title, span, format!("{value}")).help(help));
        }
    }
}

/// The numbers of a quotient, if it is rounded down.
fn rounded_quotient(expr: &Expr) -> Option<(&Expr, &Expr, i64)> {
    let ExprKind::Binary(BinaryOp::Divide, a, b) = &*expr.bare().kind else { return None };
    let number = |expr: &Expr| match &*expr.bare().kind {
        ExprKind::Number(digits) => digits.parse::<i64>().ok(),
        _ => None,
    };
    let (n, divisor) = (number(a)?, number(b).filter(|b| *b > 0)?);
    (n % divisor != 0).then_some((a, b, n / divisor))
}

fn quotients(expr: &Expr, found: &mut Vec<FlooredQuotient>) {
    let add = |of: &Expr, product: Option<String>, found: &mut Vec<FlooredQuotient>| {
        if let Some((.., value)) = rounded_quotient(of) {
            found.push(FlooredQuotient {
                span: of.bare().span,
                text: print_expr(of.bare()),
                value,
                product,
                parameter: None,
            });
        }
    };
    if let ExprKind::Binary(BinaryOp::Multiply, left, right) = &*expr.kind {
        for (quotient, other) in [(right, left), (left, right)] {
            if let Some((a, b, _)) = rounded_quotient(quotient) {
                let product = match print_expr(a).as_str() {
                    "1" => format!("{} / {}", print_expr(other), print_expr(b)),
                    a => format!("{} * {a} / {}", print_expr(other), print_expr(b)),
                };
                add(quotient, Some(product), found);
                quotients(other, found);
                return;
            }
        }
    }
    // A whole part may be all that is meant.
    if rounded_quotient(expr).is_some_and(|(.., value)| value == 0) {
        add(expr, None, found);
        return;
    }
    visit::children(expr, &mut |part| quotients(part, found));
}

/// Finds quotients of a parameter whose range is of numbers, if they are the same for every value.
fn parameter_quotients(expr: &Expr, params: &[Bind], found: &mut Vec<FlooredQuotient>) {
    let (span, text) = (expr.bare().span, print_expr(expr.bare()));
    if let Some((name, value)) = constant_quotient(expr, params) {
        found.push(FlooredQuotient { span, text, value, product: None, parameter: Some(name.to_owned()) });
    }
    visit::children(expr, &mut |part| parameter_quotients(part, params, found));
}

/// The parameter that is divided and the only value of the quotient; `None` if there are several.
fn constant_quotient<'e>(expr: &'e Expr, params: &[Bind]) -> Option<(&'e str, i64)> {
    let number = |expr: &Expr| match &*expr.bare().kind {
        ExprKind::Number(digits) => digits.parse::<i64>().ok(),
        _ => None,
    };
    let ExprKind::Binary(BinaryOp::Divide, a, b) = &*expr.kind else { return None };
    let name = a.bare().as_name()?;
    let divisor = number(b).filter(|divisor| *divisor > 1)?;
    let TypeKind::Expr(range) = &params.iter().find(|param| param.name.text == name)?.ty.kind else {
        return None;
    };
    let ExprKind::Range(low, high) = &*range.bare().kind else { return None };
    let (low, high) = (number(low)?, number(high)?);
    (low < high && low / divisor == high / divisor).then_some((name, low / divisor))
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn helps(gain: &str) -> Vec<String> {
        let text = format!(
            "game \"Halves\"; players A, B; state {{ n: 0..99 = 0; left: 0..9 = 9; }}
             move go(k: 1..3) as \"{{k}}\" {{ when k <= left; left -= k; n += {gain}; }} play normal;"
        );
        found(&text, Code::W0325).into_iter().filter_map(|found| found.help).collect()
    }

    #[test]
    fn quotients_of_numbers_are_rounded() {
        assert_eq!(helps("k * (3 / 4)"), ["multiply first: `k * 3 / 4`"]);
        assert_eq!(helps("(1 / 2) * k"), ["multiply first: `k / 2`"]);
        assert_eq!(helps("k + 1 / 2"), ["write 0, or multiply before dividing"]);
        assert_eq!(helps("k / 4"), ["multiply before dividing, or divide by a smaller number"]);
        for gain in ["k / 3", "(k + 1) / 5", "left / 20", "k / 2", "k * (4 / 2)", "3 * k / 4", "k + 7 / 2"] {
            assert_eq!(helps(gain), [""; 0], "{gain}");
        }
    }

    #[test]
    fn preferences_differ() {
        let titles = |prefer: &str| {
            let text = format!(
                "game \"Longest\"; players A, B; state {{ left: 0..9 = 9; }}
                 move go(k: 1..3) as \"{{k}}\" prefer max {prefer} {{ when k <= left; left -= k; }} play normal;"
            );
            found(&text, Code::W0325).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        assert_eq!(titles("k / 8"), ["`k / 8` is 0 for every `k`: `/` gives whole numbers, rounded down"]);
        assert_eq!(titles("k * (1 / 2)"), ["`1 / 2` is 0 here: `/` gives whole numbers, rounded down"]);
        assert_eq!(titles("k / 2"), [""; 0]);
    }
}
