//! Elements of lists that are asked for as in other languages: `coins.get(i)`.

use crate::analyzer::Analyzer;
use crate::foreign_names;
use bouton_rules::Type;
use bouton_syntax::ast::{self, Name};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Reports `coins.get(i)` and `coins.at(i)` of a list; returns true if it is that. Elsewhere lists begin with 0, so
    /// only the writer knows which element is meant.
    pub(super) fn element_by_a_method(
        &mut self,
        base: &ast::Expr,
        ty: &Type,
        part: &Name,
        args: &[ast::Expr],
    ) -> bool {
        let ([index], Type::List(_)) = (args, ty.base()) else { return false };
        if !foreign_names::is_element(&part.text) {
            return false;
        }
        let (list, index) = (print_expr(base), print_expr(index));
        let title = format!("an element of a list stands in square brackets, without `.{}`", part.text);
        let found = Diagnostic::new(Code::E0101, title, part.span, "no part of a list");
        self.report(found.help(format!("write `{list}[{index}]`; the first element is `{list}[1]`")));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn elements_of_lists() {
        for method in ["get", "at", "elementAt", "nth"] {
            let text = format!(
                "game \"Row\"; players A, B; param coins: list of 1..9 = [3, 1]; state {{ n: 0..9 = 0; }}
                 move go(i: 1..2) as \"{{i}}\" {{ n := coins.{method}(i); }} end {{ when n = 9 => draw; when stuck => draw; }}"
            );
            let found = found(&text, Code::E0101);
            assert_eq!(found.len(), 1, "{method}");
            let help = found[0].help.as_deref();
            assert_eq!(help, Some("write `coins[i]`; the first element is `coins[1]`"));
        }
    }
}
