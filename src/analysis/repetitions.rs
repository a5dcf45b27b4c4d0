//! Rules for repeated positions, and what they remember of earlier ones.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::locals::{ExprPlace, Locals};
use super::state::unsupported_in_state;
use super::symbols::{SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, ForbidRepeat, Repeat, Type};
use bouton_syntax::ast::{self, EndCondition, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// Checks a rule `repeat [n] [of value] [when condition] => outcome;` and adds it.
    pub(super) fn repeat(
        &mut self,
        rule: &'a ast::EndRule,
        count: Option<&ast::Number>,
        of: Option<&ast::Expr>,
        condition: Option<&ast::Expr>,
    ) {
        if let Some(condition) = condition {
            if self.repetition_under_a_condition(rule, condition) {
                return;
            }
            let made = self.constant(condition, Some(&Type::Bool), "whether repetition counts");
            if Self::constant_truth(&made) != Some(true) {
                return;
            }
        }
        let count = match count {
            None => None,
            Some(number) => match number.text.parse::<u32>() {
                Ok(n) if (2..=1000).contains(&n) => Some(n),
                _ => {
                    let title = format!("a position cannot occur {} times to any effect", number.text);
                    self.error(Code::E0210, title, number.span, "2 to 1000");
                    return;
                }
            },
        };
        let of = match of {
            None => None,
            Some(words) if count.is_none() => {
                let title = "`repeat of` needs a number: which occurrence ends the play?";
                let found = Diagnostic::new(Code::E0005, title, rule.span, "no number");
                let value = bouton_syntax::print_expr(words);
                self.report(found.help(format!("write `repeat 2 of {value} => ...;`")));
                return;
            }
            Some(words) => {
                let mut locals = Locals::new(ExprPlace::Rule);
                let Some(value) = self.remembered_value(words, &mut locals) else { return };
                Some((value, locals.vars))
            }
        };
        let mut locals = Locals::new(ExprPlace::Rule);
        let Some(outcome) = self.outcome(&rule.outcome, None, &mut locals) else { return };
        if let Some(n) = count {
            self.costs_history(&format!("`repeat {n}`"), rule.span);
        }
        self.rules.repeats.push(Repeat { count, of, outcome, span: rule.span });
    }

    /// Returns true for a place in a rule for repeated positions.
    pub(super) fn is_in_a_repetition(&self, place: Span) -> bool {
        self.items().any(|(item, _)| match &item.kind {
            ItemKind::End(rules) => rules
                .iter()
                .any(|rule| matches!(rule.condition, EndCondition::Repeat { .. }) && rule.span.covers(place)),
            _ => false,
        })
    }

    /// Reports `repeat when at[c] = X => draw;`, whose condition is about the position; returns true if it is that.
    fn repetition_under_a_condition(&mut self, rule: &ast::EndRule, condition: &ast::Expr) -> bool {
        let mut names = HashSet::new();
        super::lints::expr_names(condition, &mut names);
        if !names.iter().any(|name| self.is_kind(name, |kind| matches!(kind, SymbolKind::Field { .. }))) {
            return false;
        }
        let title = "a rule for repeated positions has no condition on the position";
        let label = "known before play, or no condition of this rule";
        let found = Diagnostic::new(Code::E0201, title, condition.span, label);
        let words = bouton_syntax::print_expr(condition);
        self.report(found.label(rule.span, "counts for all positions, or for none").help(format!(
            "the end of the game under a condition is `when {words} => ...;`; `repeat when` leaves the rule out for some values \
             of the parameters"
        )));
        true
    }

    /// Reports W0420: the earlier positions become part of the position.
    fn costs_history(&mut self, what: &str, span: Span) {
        let title = format!("{what} makes the history part of the position");
        let found = Diagnostic::new(Code::W0420, title, span, "every way to a position makes another one");
        self.report(found.help(
            "exact solving then sees each position once for every set of earlier ones: only tiny games can be \
             enumerated; `repeat => draw;` needs no history, since the value of infinite play is found without it",
        ));
    }

    /// Checks `forbid repeat [of value] [within n];` and adds it.
    pub(super) fn forbid(&mut self, of: Option<&ast::Expr>, within: Option<&ast::Number>, span: Span) {
        let mut locals = Locals::new(ExprPlace::Rule);
        let of = of.and_then(|e| self.remembered_value(e, &mut locals));
        let within = within.and_then(|number| match number.text.parse::<u32>() {
            Ok(n) if (1..=100_000).contains(&n) => Some(n),
            _ => {
                self.error(
                    Code::E0210,
                    "so many positions cannot be looked back on",
                    number.span,
                    "1 to 100000",
                );
                None
            }
        });
        self.costs_history("`forbid repeat`", span);
        self.rules.forbids.push(ForbidRepeat { of, within, vars: locals.vars, span });
    }

    /// The value of `forbid repeat of` and `repeat n of`. A field with keys, as in `of at`, means the tuple of all its cells.
    fn remembered_value(&mut self, words: &ast::Expr, locals: &mut Locals) -> Option<Expr> {
        if let Some(name) = self.declared(words, locals)
            && let Some(id) = self.field_of(name)
            && !self.rules.fields[id].keys.is_empty()
        {
            self.use_symbol(name, UseKind::Read);
            self.read_fields.insert(id);
            let cells: Vec<Expr> =
                (0..self.rules.fields[id].cells()).map(|cell| self.cell_expr(id, cell, words.span)).collect();
            let ty = Type::Tuple(std::sync::Arc::new(cells.iter().map(|c| c.ty.clone()).collect()));
            return Some(Expr::new(ExprKind::Tuple(None, cells), ty, words.span));
        }
        let made = self.expr(words, None, locals);
        self.check_remembered_type(&made);
        Some(made).filter(|e| e.ty != Type::Error)
    }

    /// Checks the type of a remembered value. It becomes part of the position, so it must have a type that fields may
    /// have.
    fn check_remembered_type(&mut self, made: &Expr) {
        // A list literal has a fixed number of parts.
        if let ExprKind::List(items) = &*made.kind {
            return items.iter().for_each(|item| self.check_remembered_type(item));
        }
        if let Some(what) = unsupported_in_state(&made.ty) {
            let title = format!("{what} cannot be part of the state, and the history remembers it there");
            let found = Diagnostic::new(Code::E0231, title, made.span, "this is remembered");
            self.report(found.help("let it look at whole numbers, members of enums, cells, or sets of them"));
        } else if made.ty != Type::Error && self.rules.type_size(&made.ty).is_none() {
            self.check_remembered_sets(&made.ty, made.span);
        }
    }

    /// Reports a set over too many elements: the history stores a bit for each of them.
    fn check_remembered_sets(&mut self, ty: &Type, span: Span) {
        match ty {
            Type::Set(inner) => drop(self.domain_values(inner, span)),
            Type::Option(inner) => self.check_remembered_sets(inner, span),
            Type::Tuple(types) => types.iter().for_each(|ty| self.check_remembered_sets(ty, span)),
            Type::Record(record) => {
                let parts = self.rules.records[*record].parts.clone();
                parts.iter().for_each(|(_, ty)| self.check_remembered_sets(ty, span));
            }
            _ => {}
        }
    }

    /// The n-th cell of a field as an expression.
    fn cell_expr(&self, id: bouton_rules::FieldId, cell: usize, span: Span) -> Expr {
        let field = &self.rules.fields[id];
        let values = bouton_rules::keys_of(&field.keys, cell).into_iter();
        let keys = values.zip(&field.keys).map(|(v, key)| self.value(v, key.ty.clone(), span)).collect();
        Expr::new(ExprKind::Field(id, keys), field.ty.clone(), span)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn repetitions_have_no_condition_on_the_position() {
        let text =
            "game \"Ends\"; players A, B; state { n: 0..3 = 0; } move go(k: 0..3) as \"{k}\" { n := k; }
             end { when n = 3 => draw; repeat when n > 1 => A wins; }";
        let found = found(text, Code::E0201);
        let help = found.first().and_then(|found| found.help.as_deref()).unwrap_or_default();
        assert!(help.contains("`when n > 1 => ...;`"), "{found:?}");
    }
}
