//! E0210 and W0126 for values of a part of a type where only values of another part fit: a direction of
//! `Diagonal` for a parameter of `Orthogonal`.

use super::extents::Declared;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, Type, Value};
use bouton_syntax::ast::{self, CmpOp};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// The error for a term with these values, none of which is one of the wanted type.
    pub(crate) fn no_common_value(&self, own: &[Value], want: &Type, span: Span) -> Option<Diagnostic> {
        let Type::Subset(wanted) = want.present() else { return None };
        let is_common = own.iter().any(|value| wanted.values.contains(value));
        if own.is_empty() || wanted.values.is_empty() || is_common {
            return None;
        }
        let (own, only) = (self.shown_values(own), self.shown_values(&wanted.values));
        let title = format!("this is one of {own}; only {only} fit here");
        let found = Diagnostic::new(Code::E0210, title, span, format!("one of {own}"));
        let is_direction = *want.present().base() == Type::Sym(bouton_rules::DIR);
        Some(match is_direction {
            true => {
                found.help("give both the same directions where they are declared; `Dir` are all of them")
            }
            false => found,
        })
    }

    /// An argument that goes through the values of a part of a type, if one of them fits; reports it
    /// otherwise.
    pub(super) fn among_other_values(
        &mut self,
        words: &ast::Expr,
        made: Expr,
        want: &Type,
        locals: &Locals,
    ) -> Expr {
        if self.never_reached || matches!(made.ty, Type::Error | Type::Subset(_)) {
            return made;
        }
        let Some(own) = self.values_of_the_variable(words, &made, locals) else { return made };
        match self.no_common_value(&own, want, made.span) {
            Some(found) => {
                self.report(found);
                self.poison(made.span)
            }
            None => made,
        }
    }

    /// Warns about `d = N` of a direction of `Diagonal`.
    pub(super) fn never_a_value_of(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        made: [&Expr; 2],
        locals: &Locals,
    ) {
        let span = words[0].span.to(words[1].span);
        let is_own = self.items().any(|(item, own)| own && item.span.covers(span));
        let (is_open, is_claim) = self.place_of_comparison(span, locals);
        let is_sound = is_own && is_open && !is_claim && !self.options.damaged;
        if !is_sound || self.never_reached || locals.place == ExprPlace::Static {
            return;
        }
        for (variable, other) in [(0, 1), (1, 0)] {
            let Some(own) = self.values_of_the_variable(words[variable], made[variable], locals) else {
                continue;
            };
            let others = match made[other].constant() {
                Some(value @ Value::Sym(..)) => vec![value.clone()],
                Some(_) => return,
                None => match self.values_of_the_variable(words[other], made[other], locals) {
                    Some(values) => values,
                    None => continue,
                },
            };
            if own.is_empty() || others.is_empty() || own.iter().any(|value| others.contains(value)) {
                return;
            }
            let word = if op == CmpOp::NotEqual { "always" } else { "never" };
            let name = bouton_syntax::print_expr(words[variable]);
            let title = format!("this is {word} true: `{name}` is one of {}", self.shown_values(&own));
            let found = Diagnostic::new(Code::W0126, title, span, format!("{word} true"));
            self.report_once(found.help(format!(
                "write one of these values, or give `{name}` the values that are meant where it is declared"
            )));
            return;
        }
    }

    /// The values of a variable that goes through a part of a type which no parameter changes.
    fn values_of_the_variable(&self, words: &ast::Expr, made: &Expr, locals: &Locals) -> Option<Vec<Value>> {
        let ExprKind::Var(_) = &*made.kind else { return None };
        let name = words.bare().as_name()?;
        let local = locals.stack.iter().rev().find(|local| local.name == name)?;
        let set = match self.declaration_of(local.span)? {
            Declared::Typed(ast::Type { kind: ast::TypeKind::Expr(set), .. }) | Declared::Among(set) => set,
            _ => return None,
        };
        if self.depends_on_a_parameter(set) {
            return None;
        }
        match (&made.ty, set.bare().as_name()) {
            (Type::Subset(among), _) => Some(among.values.clone()),
            (Type::Sym(bouton_rules::DIR), Some(word @ ("Orthogonal" | "Diagonal")))
                if self.find(word, set.span).is_none() && !locals.has(word) =>
            {
                let is_in = |dir: &bouton_rules::board::Dir| {
                    self.rules.boards.iter().any(|board| match word {
                        "Diagonal" => board.diagonal().contains(dir),
                        _ => board.orthogonal().contains(dir),
                    })
                };
                let dirs = self.rules.dirs.iter().enumerate().filter(|(_, dir)| is_in(dir));
                Some(dirs.map(|(place, _)| Value::Sym(bouton_rules::DIR, place as u32)).collect())
            }
            _ => None,
        }
    }

    /// The values in words, the first ones of many.
    fn shown_values(&self, values: &[Value]) -> String {
        let shown: Vec<String> =
            values.iter().take(8).map(|value| format!("`{}`", self.rules.show(value))).collect();
        match values.len() {
            0..=8 => shown.join(", "),
            _ => format!("{}, ...", shown.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;

    fn told(parameter: &str, condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Walk\"; player A; board Cell = grid(3, 3); state {{ at: Cell = a1; }}
             def step(d: Orthogonal) = at + d;
             move go(d: {parameter}) as \"{{d}}\" {{ when {condition}; at := at + d; }}
             end {{ when at = c3 => win; }}"
        );
        diagnostics(&text).into_iter().map(|found| format!("{} {}", found.code, found.title)).collect()
    }

    #[test]
    fn directions_fit() {
        let (diagonal, orthogonal) = ("`NE`, `SE`, `SW`, `NW`", "`N`, `E`, `S`, `W`");
        let argument = format!("E0210 this is one of {diagonal}; only {orthogonal} fit here");
        for (parameter, condition) in
            [("Diagonal", "step(d) in Cell"), ("Dir", "some e in Diagonal: e = d and step(e) in Cell")]
        {
            assert_eq!(told(parameter, condition), [argument.as_str()], "{condition}");
        }
        let never = format!("W0126 this is never true: `d` is one of {diagonal}");
        assert_eq!(told("Diagonal", "step(N) in Cell and d = N"), [never]);
        assert_eq!(told("Diagonal", "some e in Orthogonal: e = d and step(e) in Cell").len(), 1);
        for (parameter, condition) in [
            ("Orthogonal", "step(d) in Cell"),
            ("Dir", "step(d) in Cell"),
            ("Diagonal", "d != NE and step(N) in Cell"),
            ("Dir", "some e in Orthogonal: e = d and step(e) in Cell"),
        ] {
            assert_eq!(told(parameter, condition), [""; 0], "{parameter} {condition}");
        }
    }
}
