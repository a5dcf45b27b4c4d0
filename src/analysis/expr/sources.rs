//! The declarations behind a value that does not fit: a parameter or constant whose value is out of range,
//! the field that an effect sets, and a name that differs from a fitting one only in its letters' case.

use super::decided::literal;
use crate::analyzer::{Analyzer, Resolution};
use crate::locals::Locals;
use crate::symbols::{ConstValue, SymbolKind};
use bouton_base::source::Span;
use bouton_rules::{Type, Value};
use bouton_syntax::ast::{self, Access, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic, Edit, Label};

impl<'a> Analyzer<'a> {
    /// Adds to the reports from `first` on, about a name that stands for a number out of range, where its
    /// value comes from. A second report of the same name becomes a label of the first.
    pub(super) fn source_of_number(&mut self, words: &ast::Expr, want: &Type, first: usize) {
        let Some(name) = words.bare().as_name() else { return };
        let is_it = |found: &Diagnostic| {
            found.code == Code::E0210 && found.help.is_none() && found.span() == words.span
        };
        if !matches!(&self.diagnostics[first..], [found] if is_it(found)) {
            return;
        }
        let source = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Param { name: of, ty, .. } if of.text == name => Some((of.span, Some(ty))),
            ItemKind::Const { name: of, keys, .. } if of.text == name && keys.is_empty() => {
                Some((of.span, None))
            }
            _ => None,
        });
        let Some((declared, ty)) = source else { return };
        let Some(mut found) = self.diagnostics.pop() else { return };
        let is_told = |told: &&mut Diagnostic| {
            told.code == Code::E0210
                && told.title == found.title
                && told.labels.iter().any(|label| label.span == declared)
        };
        if let Some(told) = self.diagnostics.iter_mut().find(is_told) {
            told.labels.push(Label { span: words.span, text: "and here".into() });
            return;
        }
        let value = self.find(name, words.span).and_then(|key| match &self.symbols[key].kind {
            SymbolKind::Param { value: Resolution::Resolved(made), .. }
            | SymbolKind::Const { value: Resolution::Resolved(ConstValue::Plain(made)), .. } => {
                made.constant().and_then(Value::as_int)
            }
            _ => None,
        });
        let (Some(value), Some((low, high))) = (value, want.present().interval()) else {
            self.report(found);
            return;
        };
        let end = if value < low { format!("begin with {low}") } else { format!("end with {high}") };
        let is_range = ty.is_some_and(|ty| match &ty.kind {
            TypeKind::Expr(range) => matches!(&*range.bare().kind, ast::ExprKind::Range(..)),
            _ => false,
        });
        found = found.label(declared, format!("`{name}` is {value}"));
        self.report(match is_range {
            true => found.help(format!("give `{name}` another value, and let its range {end}")),
            false => found.help(format!("give `{name}` a value that fits")),
        });
    }

    /// Adds to the last report, about a constant that an effect sets a field to, the range of the field and
    /// the ways out.
    pub(crate) fn range_of_the_field(&mut self, effect: &ast::Effect) {
        let name = &effect.target.name;
        if effect.target.path.iter().any(|access| matches!(access, Access::Part(_))) {
            return;
        }
        let Some(field) = self.find(&name.text, name.span).and_then(|key| self.field_of(key)) else { return };
        let (declared, ty) = (self.rules.fields[field].span, self.rules.fields[field].ty.clone());
        let Type::Int(low, high) = ty.present().base() else { return };
        let ends = self.ends_of_field(declared);
        let Some(found) = self.diagnostics.last_mut() else { return };
        let is_it =
            found.code == Code::E0210 && found.labels.len() == 1 && effect.value.span.covers(found.span());
        if !is_it {
            return;
        }
        found.labels.push(Label { span: declared, text: format!("the range of `{}`", name.text) });
        let value = literal(&effect.value);
        if found.help.is_some() {
            return;
        }
        found.help = Some(match (value, ends) {
            (Some(n), Some([Some(_), Some(_)])) => format!(
                "write a number of {low}..{high}, or widen the range to `{}..{}`",
                n.min(*low),
                n.max(*high)
            ),
            _ => format!("write a number of {low}..{high}, or widen the range of `{}`", name.text),
        });
    }

    /// The ends of the range that a field is declared with, those that are numbers.
    fn ends_of_field(&self, declared: Span) -> Option<[Option<i64>; 2]> {
        self.items().find_map(|(item, _)| {
            let ItemKind::State(fields) = &item.kind else { return None };
            let field = fields.iter().find(|field| field.name.span == declared)?;
            let TypeKind::Expr(range) = &field.ty.kind else { return None };
            match &*range.bare().kind {
                ast::ExprKind::Range(low, high) => Some([literal(low), literal(high)]),
                _ => None,
            }
        })
    }

    /// Adds to the last report, about a name of another type, the only name in other letters that fits: `w`
    /// for `W`. A second report of the same name becomes a part of the first.
    pub(super) fn name_in_other_letters(&mut self, words: &ast::Expr, want: &Type, locals: &Locals) {
        let Some(name) = words.bare().as_name() else { return };
        let is_other = |other: &str| other != name && other.eq_ignore_ascii_case(name);
        let locals_named: Vec<(String, &str)> = locals
            .stack
            .iter()
            .filter(|local| is_other(&local.name) && local.ty.is_assignable_to(want))
            .map(|local| (local.name.clone(), "variable"))
            .collect();
        let mut named = locals_named;
        let declared: Vec<&'a str> = self.symbols.keys().copied().filter(|key| is_other(key)).collect();
        for key in declared {
            let word = self.symbols[key].kind.word();
            let Some(trial) = self.begin_trial() else { return };
            let term = ast::Expr::new(ast::ExprKind::Name(key.to_owned()), words.span);
            let made = self.expr(&term, Some(want), &mut locals.clone());
            let is_sound = self.end_trial(trial);
            let fits = match made.constant() {
                Some(Value::Int(n)) => want.interval().is_none_or(|(low, high)| (low..=high).contains(n)),
                _ => true,
            };
            if is_sound && fits && made.ty.is_assignable_to(want) {
                named.push((key.to_owned(), word));
            }
        }
        let [(near, word)] = &named[..] else { return };
        let Some(mut found) = self.diagnostics.pop() else { return };
        let help = format!("did you mean the {word} `{near}`?");
        let edit = Edit { span: words.span, text: near.clone() };
        let told = self
            .diagnostics
            .iter_mut()
            .find(|told| told.title == found.title && told.help.as_ref() == Some(&help));
        if let Some(told) = told {
            told.labels.append(&mut found.labels);
            told.edits.push(edit);
            return;
        }
        found.help = Some(help);
        found.edits.push(edit);
        self.report(found);
    }
}

/// The name among these that has the parts of another one in exchanged order: `mill_yard` for `yard_mill`.
pub(crate) fn with_exchanged_halves<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let exchanged = name.match_indices('_').map(|(at, _)| format!("{}_{}", &name[at + 1..], &name[..at]));
    let mut fitting = exchanged.filter_map(|other| names.iter().copied().find(|name| *name == other));
    fitting.next().filter(|near| *near != name)
}

#[cfg(test)]
mod tests {
    use super::with_exchanged_halves;
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn told(text: &str, code: Code) -> Vec<(String, usize, usize)> {
        let shown =
            |found: Diagnostic| (found.help.unwrap_or_default(), found.labels.len(), found.edits.len());
        found(text, code).into_iter().map(shown).collect()
    }

    fn board(items: &str, form: &str) -> String {
        format!(
            "game \"Hex\"; {items} players A, B; board Cell = {form}; state {{ at[c: Cell]: Player? = none; }}
             move put(c: Cell) as \"{{c}}\" {{ when at[c] = none; at[c] := me; }} play normal;"
        )
    }

    #[test]
    fn names_in_other_letters() {
        let help = |word: &str| format!("did you mean the {word} `w`?");
        let code = Code::E0201;
        assert_eq!(told(&board("param w: 1..4 = 3;", "hex(W, W)"), code), [(help("parameter"), 2, 2)]);
        assert_eq!(told(&board("const w = 3;", "grid(W, 2)"), code), [(help("constant"), 1, 1)]);
        assert_eq!(told(&board("param v: 1..4 = 3;", "hex(W, v)"), code), [(String::new(), 1, 0)]);
        assert_eq!(told(&board("const w = { 1, 2 };", "hex(W, 2)"), code), [(String::new(), 1, 0)]);
    }

    #[test]
    fn numbers_out_of_range_have_a_source() {
        let help = "give `w` another value, and let its range begin with 1";
        assert_eq!(told(&board("param w: 0..4 = 0;", "hex(w, w)"), Code::E0210), [(help.to_owned(), 3, 0)]);
        let help = "give `w` a value that fits";
        assert_eq!(told(&board("const w = 0;", "hex(w, 2)"), Code::E0210), [(help.to_owned(), 2, 0)]);
    }

    #[test]
    fn fields_show_their_range() {
        let of = |range: &str, value: &str| {
            let text = format!(
                "game \"Stake\"; const most = 2; players A, B; state {{ stake: {range} = 1; left: 0..9 = 9; }}
                 move knock() as \"k\" {{ when left >= stake; left -= stake; stake := {value}; }} play normal;"
            );
            told(&text, Code::E0210)
        };
        assert_eq!(
            of("1..2", "3"),
            [("write a number of 1..2, or widen the range to `1..3`".to_owned(), 2, 0)]
        );
        assert_eq!(
            of("1..most", "3"),
            [("write a number of 1..2, or widen the range of `stake`".to_owned(), 2, 0)]
        );
        assert_eq!(of("1..2", "2"), []);
    }

    #[test]
    fn halves_that_changed_places() {
        let names = ["mill_yard", "free_cells_left", "yard"];
        assert_eq!(with_exchanged_halves("yard_mill", &names), Some("mill_yard"));
        assert_eq!(with_exchanged_halves("cells_left_free", &names), Some("free_cells_left"));
        assert_eq!(with_exchanged_halves("mill_barn", &names), None);
    }

    #[test]
    fn parts_of_edges() {
        let text = "game \"Ways\"; players A, B; board Town = graph { a - b; b - c; }; type Way = edges(Town);
                    state { cut: set of Way = {}; }
                    move saw(e: Way) as \"{e}\" { when e not in cut and e.from != c; cut |= { e }; } play normal;";
        let found = found(text, Code::E0101);
        assert_eq!(found.len(), 1);
        let help = found[0].help.clone().unwrap_or_default();
        assert!(help.contains("`.ends`"), "{help}");
    }
}
