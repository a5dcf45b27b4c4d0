//! Rules as text: the whole of them, the same text for the same rules.
//!
//! Everything has its id and its name; expressions are in the words of the language. Where those leave something
//! unsaid that analysis has decided, the text says it: `e!` is an optional value that must be there, `undefined` a term
//! without value, `defined(e)` a term read as a formula, `S subset T` a membership between sets, `a / exact b` a
//! division that does not floor, `in S =>` an arm for the elements of a set. A variable whose name is that of another
//! of the same item has its id after it, as in `c_x3`. Spans are left out.

use super::{Expr, Rules, Vars};

mod claims;
mod expr;
mod items;
mod moves;
#[cfg(test)]
mod tests;
mod values;

/// The rules as text, for `bouton dump --stage rules`. Ends with a newline.
pub fn print(rules: &Rules) -> String {
    let mut printer = Printer { rules, text: String::new(), depth: 0 };
    printer.items();
    printer.moves();
    printer.endings();
    printer.claims();
    printer.text
}

/// An expression in the words of the language with as few parentheses as they need.
pub fn print_expr(rules: &Rules, vars: &Vars, expr: &Expr) -> String {
    expr::Words { rules, vars }.full(expr)
}

/// Writes lines, deeper ones inside braces.
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

    /// `head {`, what `inside` writes, `}`.
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

    /// The variables of an item, those after the parameters that its head shows.
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

/// A text in quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
