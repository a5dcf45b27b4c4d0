//! W0110 for the marks of other languages around a value in the name of a move: `"${c}"`, `"#{c}"`, `"{{c}}"`. Braces
//! alone hold a value, so the marks are shown.

use super::analyzer::Analyzer;
use bouton_rules::{Expr, Type};
use bouton_syntax::ast::{ExprKind as A, ItemKind, TemplatePart};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Runs the lints of this module.
    pub(super) fn marks_in_templates(&mut self) {
        let mut told = Vec::new();
        for (item, _) in self.items().filter(|(_, own)| *own) {
            let ItemKind::Move(of) = &item.kind else { continue };
            let made = self.rules.moves.iter().find(|made| item.span.covers(made.span));
            let (Some(template), Some(made)) = (&of.template, made) else { continue };
            for (place, part) in template.parts.iter().enumerate() {
                let TemplatePart::Placeholder(term) = part else { continue };
                let mark = match place.checked_sub(1).map(|before| &template.parts[before]) {
                    Some(TemplatePart::Text(text)) => text.chars().last().filter(|last| "$#".contains(*last)),
                    _ => None,
                };
                let shown = match made.template.get(place) {
                    Some(bouton_rules::TemplatePart::Placeholder(shown)) => shown,
                    _ => continue,
                };
                let (marked, alone) = match (mark, &*term.bare().kind) {
                    // "$3" and "#3" are an amount and a number.
                    (Some(mark), _) if !is_number(shown) => {
                        (format!("{mark}{{{}}}", print_expr(term)), print_expr(term))
                    }
                    (None, A::Set(elements)) if elements.len() == 1 => {
                        let element = print_expr(&elements[0]);
                        (format!("{{{{{element}}}}}"), element)
                    }
                    _ => continue,
                };
                told.push((term.span, mark, marked, alone));
            }
        }
        for (place, mark, marked, alone) in told {
            let shown = match mark {
                Some(mark) => format!("the sign `{mark}`"),
                None => "braces".to_owned(),
            };
            let title = format!("`{marked}` shows {shown} in the name of the move");
            let found = Diagnostic::new(Code::W0110, title, place, "the value");
            self.report(found.help(format!(
                "one pair of braces holds a value: write `{{{alone}}}` for the value alone; if {shown} shall be in the \
                 name, `// allow(W0110)` says so"
            )));
        }
    }
}

/// Returns true for a term whose values are numbers.
fn is_number(term: &Expr) -> bool {
    matches!(term.ty.present().base(), Type::Int(..) | Type::Ratio | Type::Error)
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(name: &str) -> Vec<(String, String)> {
        let text = format!(
            "game \"Dollar\"; players A, B; board Cell = strip(5); state {{ at[c: Cell]: Player? = none; n: 0..9 = 0; }}
             move put(c: Cell, k: 1..2) as \"{name}\" {{ when at[c] = none; at[c] := me; n += k - k; }} play normal;"
        );
        let found = found(&text, Code::W0110);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn braces_alone_hold_a_value() {
        for (name, title) in [
            ("${c} {k}", "`${c}` shows the sign `$` in the name of the move"),
            ("{k}: #{c}", "`#{c}` shows the sign `#` in the name of the move"),
            ("{{c}} {k}", "`{{c}}` shows braces in the name of the move"),
        ] {
            let [(found, help)] = &told(name)[..] else { panic!("{name}: {:?}", told(name)) };
            assert_eq!(found, title);
            assert!(help.contains("write `{c}` for the value alone"), "{help}");
        }
        for name in ["{c} ${k}", "{c} #{k}", "$ {c} {k}", "{c}{k}$"] {
            assert_eq!(told(name), [], "{name}");
        }
    }
}
