//! E0101 for `remove(to)` and its like, calls that are to empty a cell of a field: `on[to] := none;`.

use super::analyzer::Analyzer;
use super::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::Type;
use bouton_syntax::ast::{self, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The most effects that a message writes out.
const MAX_SHOWN_EFFECTS: usize = 4;

/// Returns true for a word by which other languages empty a cell, or take a man from it.
fn empties(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "remove"
            | "clear"
            | "capture"
            | "captures"
            | "kill"
            | "empty"
            | "eat"
            | "delete"
            | "erase"
            | "discard"
            | "vacate"
            | "take"
    )
}

impl Analyzer<'_> {
    /// Reports `remove(to)` of a key of a field that may be `none`; returns true if it is that.
    pub(super) fn cell_emptied_by_a_call(
        &mut self,
        name: &ast::Name,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let [of] = args else { return false };
        if !empties(&name.text) || self.options.damaged {
            return false;
        }
        let effects = self.effects_that_empty(of, locals);
        let found = Diagnostic::new(
            Code::E0101,
            format!("there is no effect `{}`", name.text),
            name.span,
            "no `effect` of that name",
        );
        self.report(match &effects[..] {
            [] => return false,
            [one] => found.help(format!("write `{one}`")).edit(span, one),
            [first, others @ ..] => {
                let others: Vec<String> =
                    others.iter().take(MAX_SHOWN_EFFECTS - 1).map(|effect| format!("`{effect}`")).collect();
                found.help(format!("write what is meant: `{first}` or {}", others.join(" or ")))
            }
        });
        true
    }

    /// The effects by which a term may be emptied, or what stands there.
    fn effects_that_empty(&mut self, of: &ast::Expr, locals: &mut Locals) -> Vec<String> {
        let term = print_expr(of.bare());
        let own = match &*of.bare().kind {
            ExprKind::Name(name) if !locals.has(name) => Some(name.as_str()),
            ExprKind::Index(field, _) => field.as_name(),
            _ => None,
        };
        let own = own.and_then(|name| self.find(name, of.span)).and_then(|key| self.field_of(key));
        let Some(ty) = self.quiet_type(of, locals) else { return Vec::new() };
        let mut effects = Vec::new();
        if own.is_some() {
            match ty.base() {
                Type::Set(_) => effects.push(format!("{term} := {{}};")),
                _ if ty.is_option() => effects.push(format!("{term} := none;")),
                _ => {}
            }
        }
        let (key, of_each) = match ty.base() {
            Type::Set(element) => (element.base().clone(), true),
            _ => (ty.present().base().clone(), false),
        };
        if !matches!(key, Type::Sym(_)) {
            return effects;
        }
        let mut is_man = false;
        for field in self.rules.fields.iter().filter(|field| !field.name.is_empty()) {
            let is_key = matches!(&field.keys[..], [of] if *of.ty.base() == key);
            let name = &field.name;
            match of_each {
                true if is_key && field.ty.is_option() => {
                    effects.push(format!("for x in {term} {{ {name}[x] := none; }}"));
                }
                false if is_key && field.ty.is_option() => effects.push(format!("{name}[{term}] := none;")),
                false
                    if field.keys.is_empty()
                        && matches!(field.ty.base(), Type::Set(element) if *element.base() == key) =>
                {
                    effects.push(format!("{name} -= {{ {term} }};"));
                }
                // The man who stands there may be meant as well, and which one only the writer knows.
                false if own.is_none() && field.ty.is_option() && *field.ty.present().base() == key => {
                    is_man |= !field.keys.is_empty();
                }
                _ => {}
            }
        }
        if is_man && effects.len() == 1 {
            let men = self.rules.fields.iter().filter(|field| {
                field.ty.is_option() && *field.ty.present().base() == key && !field.keys.is_empty()
            });
            let men: Vec<String> = men
                .map(|field| {
                    let keys: Vec<&str> = field.keys.iter().map(|key| key.name.as_str()).collect();
                    format!("{}[{}] := none;", field.name, keys.join(", "))
                })
                .collect();
            effects.extend(men);
        }
        effects
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, found};
    use bouton_syntax::diag::Code;

    fn text(state: &str, effect: &str) -> String {
        format!(
            "game \"Cut\"; players A, B; board Cell = strip(4); enum Man {{ ned, tim }}
             state {{ at[c: Cell]: Player? = A; {state} }}
             move cut(a: Cell) as \"{{a}}\" {{ when at[a] != none; {effect} }}
             end {{ when stuck => mover loses; }}"
        )
    }

    fn told(state: &str, effect: &str) -> (String, usize) {
        let found = found(&text(state, effect), Code::E0101);
        let [only] = &found[..] else { panic!("{found:?}") };
        (only.help.clone().unwrap_or_default(), only.edits.len())
    }

    #[test]
    fn cells_are_emptied_by_none() {
        for word in ["remove", "clear", "capture", "kill", "empty", "delete"] {
            assert_eq!(told("", &format!("{word}(a);")), ("write `at[a] := none;`".into(), 1), "{word}");
        }
        assert!(!codes(&text("", "at[a] := none;")).contains(&Code::E0101));
        assert_eq!(
            told("gone: set of Cell = {};", "remove(a);"),
            ("write what is meant: `at[a] := none;` or `gone -= { a };`".into(), 0)
        );
        assert_eq!(
            told("gone: set of Cell = {};", "clear(gone); gone |= { a };"),
            ("write what is meant: `gone := {};` or `for x in gone { at[x] := none; }`".into(), 0)
        );
        assert_eq!(
            told("man[m: Man]: Cell? = a1;", "kill(man[ned]);"),
            ("write what is meant: `man[ned] := none;` or `at[man[ned]] := none;`".into(), 0)
        );
        assert_eq!(
            told("man[m: Man]: Cell? = a1;", "kill(a);"),
            ("write what is meant: `at[a] := none;` or `man[m] := none;`".into(), 0)
        );
    }
}
