//! Prints rules as text: complete and deterministic.
//!
//! Every item has its id and its name. Expressions are in the language's syntax. Where this syntax does not show a
//! decision of analysis, the text shows it: `e!` is an optional value that must be present, `undefined` a term without
//! value, `defined(e)` a term read as a formula, `S subset T` a membership between sets, `a / exact b` a division that
//! does not floor, `in S =>` an arm for the elements of a set. If two variables of one item share a name, an id follows
//! the name, as in `c_x3`. Spans are omitted.

use super::{Expr, Rules, Vars};

mod claims;
mod expr;
mod items;
mod moves;
#[cfg(test)]
mod tests;
mod values;

/// Prints the rules, for `bouton dump --stage rules`. The text ends with a newline.
pub fn print(rules: &Rules) -> String {
    let mut printer = Printer { rules, text: String::new(), depth: 0 };
    printer.items();
    printer.moves();
    printer.endings();
    printer.claims();
    printer.text
}

/// Prints an expression in the language's syntax with as few parentheses as possible.
pub fn print_expr(rules: &Rules, vars: &Vars, expr: &Expr) -> String {
    expr::ExprPrinter { rules, vars }.full(expr)
}

/// A writer of lines, indented inside braces.
struct Printer<'a> {
    rules: &'a Rules,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.push_str(&"  ".repeat(self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Writes `head {`, the output of `inside`, and `}`.
    fn braces(&mut self, head: &str, inside: impl FnOnce(&mut Self)) {
        self.line(format!("{head} {{"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }

    fn docs(&mut self, mark: &str, lines: &[String]) {
        for doc in lines {
            self.line(format!("{mark} {doc}").trim_end());
        }
    }

    /// Writes the variables of an item as a comment, without the first `shown`, which the head of the item shows.
    fn vars(&mut self, vars: &Vars, shown: usize) {
        let texts: Vec<String> = vars
            .entries()
            .skip(shown)
            .map(|(id, var)| format!("{id} {}: {}", var.name, self.rules.show_type(&var.ty)))
            .collect();
        if !texts.is_empty() {
            self.line(format!("// {}", texts.join(", ")));
        }
    }
}

/// Quotes a string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
