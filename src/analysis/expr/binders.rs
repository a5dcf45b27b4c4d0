//! Binders, quantifiers and folds.

use std::collections::HashSet;
use std::sync::Arc;

use crate::analyzer::Analyzer;
use crate::index::DefinitionKind;
use crate::lints::expr_names;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{Binder, Domain, Expr, ExprKind, Fold, PLAYER, Pattern, Quant, Type, Value};
use bouton_syntax::ast::{self, Quantifier};
use bouton_syntax::diag::{Code, Diagnostic};

/// A quantifier, or another binding keyword, with the binders and the body that belong to it.
#[derive(Clone, Copy)]
pub(super) struct Quantification<'e> {
    pub quantifier: Quantifier,
    pub binders: &'e [ast::Binder],
    pub body: &'e ast::Expr,
    /// The whole expression.
    pub span: Span,
}

impl<'a> Analyzer<'a> {
    /// Elaborates binders from the left; their variables stay in scope until [`leave`](Self::leave). `None` if one of
    /// them is damaged: the body is then skipped, since its variables have no types.
    pub fn binders(&mut self, binders: &[ast::Binder], locals: &mut Locals) -> Option<Vec<Binder>> {
        let depth = locals.stack.len();
        let mut made = Vec::new();
        for binder in binders {
            let Some((domain, ty)) = self.domain(binder, locals) else {
                self.leave(locals, depth);
                return None;
            };
            let pattern = self.bind_pattern(&binder.pattern, &ty, locals);
            let condition = binder.condition.as_ref().map(|c| self.formula(c, locals));
            made.push(Binder { pattern, domain, condition });
        }
        Some(made)
    }

    /// The domain of a variable, and its type.
    fn domain(&mut self, binder: &ast::Binder, locals: &mut Locals) -> Option<(Domain, Type)> {
        let set = self.expr(&binder.domain, None, locals);
        if set.ty == Type::Error {
            return None;
        }
        let set = self.present(set);
        if matches!(set.ty.base(), Type::List(_)) {
            self.list_to_go_through(binder, &set, locals);
            return None;
        }
        let Type::Set(element) = set.ty.base() else {
            let found = self.describe_type(&set.ty);
            let title = format!("a set to go through is needed, and this is {found}");
            let help = "for instance `1..n`, `Cell`, or `{ c in Cell where ... }`";
            let mut diagnostic = Diagnostic::new(Code::E0230, title, set.span, format!("this is {found}"));
            diagnostic = diagnostic.help(help);
            self.report(diagnostic);
            return None;
        };
        let element = (**element).clone();
        match Self::set_values(&set) {
            Some(values) => {
                let ty = match (&element, values.first(), values.last()) {
                    (Type::Int(..), Some(Value::Int(lo)), Some(Value::Int(hi))) => Type::Int(*lo, *hi),
                    _ => element,
                };
                Some((Domain::Fixed(values), ty))
            }
            None => {
                self.steps_to_choose_from(&set, locals);
                Some((Domain::Set(set), element))
            }
        }
    }

    /// Binds the names of a pattern to the parts of a type.
    pub fn bind_pattern(&mut self, pattern: &ast::Pattern, ty: &Type, locals: &mut Locals) -> Pattern {
        match pattern {
            ast::Pattern::Name(name) => {
                self.shadows(name, locals);
                self.names.define(name, DefinitionKind::Variable, ty);
                Pattern::Var(locals.add(&name.text, ty.clone(), name.span))
            }
            ast::Pattern::Tuple(parts, span) => {
                let types: Vec<Type> = match ty.present().base() {
                    Type::Tuple(types) if types.len() == parts.len() => types.to_vec(),
                    Type::Error => vec![Type::Error; parts.len()],
                    Type::Record(id) if self.rules.records[*id].parts.len() == parts.len() => {
                        self.rules.records[*id].parts.iter().map(|(_, t)| t.clone()).collect()
                    }
                    _ => {
                        let title = format!("this takes apart {} values", parts.len());
                        let found = self.describe_type(ty);
                        self.error(Code::E0201, title, *span, format!("what it is given is {found}"));
                        vec![Type::Error; parts.len()]
                    }
                };
                let parts = parts.iter().zip(&types);
                Pattern::Tuple(parts.map(|(p, t)| self.bind_pattern(p, t, locals)).collect())
            }
        }
    }

    /// Warns if a variable hides another name of the same file.
    pub fn shadows(&mut self, name: &ast::Name, locals: &mut Locals) {
        let hidden = match locals.find(&name.text) {
            Some(local) => Some(("variable", local.span)),
            None => match self.find(&name.text, name.span) {
                Some(key) => Some((self.symbols[key].kind.word(), self.symbols[key].span)),
                None => match self.rules.players().iter().position(|player| *player == name.text) {
                    Some(player) => {
                        self.member_spans.get(&(PLAYER, player as u32)).map(|span| ("player", *span))
                    }
                    None => self.texts.prefix(&name.text, name.span).map(|prefix| ("library", prefix.span)),
                },
            },
        };
        let Some((word, declared)) = hidden else {
            self.shadows_word(name);
            return;
        };
        // `let Piece(owner, kind) = ...` is a mistake of its own.
        if word == "record" && self.options.damaged {
            return;
        }
        let title = format!("`{}` hides the {word} `{}`", name.text, name.text);
        let found = Diagnostic::new(Code::W0112, title, name.span, "a second meaning of the name");
        let help = match word {
            "field" => {
                format!(
                    "give the variable another name; a move changes the field by `{} := ...;`, without `let`",
                    name.text
                )
            }
            "player" => format!(
                "give the variable another name: here it stands for each player; one of them alone is `if p = {} then ... \
                 else ...`",
                name.text
            ),
            _ => "give the variable another name".to_owned(),
        };
        self.report(found.label(declared, "the first").help(help));
    }

    /// W0112: a variable with the name of a word that stands for a player.
    fn shadows_word(&mut self, name: &ast::Name) {
        let meaning = match name.text.as_str() {
            "mover" => "the player to move",
            "me" => "the player who makes the move",
            "opponent" => "the other player",
            _ => return,
        };
        let title = format!("`{0}` is a variable here, and hides the word `{0}`", name.text);
        let found = Diagnostic::new(Code::W0112, title, name.span, "any value of the variable");
        self.report(found.help(format!(
            "`{}` is {meaning} elsewhere: give the variable another name, such as `p`",
            name.text
        )));
    }

    /// Ends a scope.
    pub fn leave(&mut self, locals: &mut Locals, depth: usize) {
        locals.stack.truncate(depth);
    }

    /// `some x in S: e` and the other binding keywords.
    pub(super) fn quant(
        &mut self,
        quantification: Quantification,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let Quantification { quantifier, binders, body, span } = quantification;
        let depth = locals.stack.len();
        let Some(made) = self.binders(binders, locals) else { return self.poison(span) };
        let quant = match quantifier {
            Quantifier::Some => Some(Quant::Some),
            Quantifier::All => Some(Quant::All),
            Quantifier::No => Some(Quant::No),
            _ => None,
        };
        if let Some(quant) = quant {
            let condition = self.formula(body, locals);
            if quant == Quant::Some && condition.ty != Type::Error {
                self.some_with_implies(body);
            }
            let is_literal = matches!(&*body.bare().kind, ast::ExprKind::Bool(_));
            if condition.ty != Type::Error && !is_literal {
                self.unused_binders(locals, depth, "the condition is the same for every");
            }
            self.leave(locals, depth);
            self.elements_left_out("the condition is false for", (binders, &made), body, locals);
            return self.node(ExprKind::Quant(quant, made, condition), Type::Bool, span);
        }
        let (fold, made_body, ty) = self.fold_body(quantification, &made, want, locals);
        // `sum c in S: 1` counts.
        let mut names = HashSet::new();
        expr_names(body, &mut names);
        if made_body.ty != Type::Error && fold != Fold::One && !names.is_empty() {
            self.unused_binders(locals, depth, "the term is the same for every");
        }
        self.leave(locals, depth);
        self.elements_left_out(&format!("the `{}` leaves out", fold.word()), (binders, &made), body, locals);
        let body = made_body;
        if ty == Type::Error {
            return self.poison(span);
        }
        self.node(ExprKind::Fold(fold, made, body), ty, span)
    }

    /// W0120: `some x in S: a implies b`, which holds as soon as one element does not satisfy `a`.
    fn some_with_implies(&mut self, body: &ast::Expr) {
        let ast::ExprKind::Binary(ast::BinaryOp::Implies, first, second) = &*body.bare().kind else { return };
        let [first, second] = [first, second].map(bouton_syntax::print_expr);
        let title = "`some` with `implies` holds where the left side is false for one element";
        let found = Diagnostic::new(Code::W0120, title, body.span, "true as well where nothing is implied");
        self.report(found.help(format!(
            "if one element is to satisfy both, write `{first} and {second}`; if each one with the left side has the right \
             side, `all` in place of `some`"
        )));
    }

    /// W0111: the variables from `depth` on that nothing uses; `same` says what they leave the same.
    pub fn unused_binders(&mut self, locals: &Locals, depth: usize, same: &str) {
        for local in &locals.stack[depth..] {
            let is_known = |d: &Diagnostic| d.code == Code::W0111 && d.span() == local.span;
            if local.used || local.name.starts_with('_') || self.diagnostics.iter().any(is_known) {
                continue;
            }
            let name = &local.name;
            let title = format!("the variable `{name}` is never used");
            let found = Diagnostic::new(Code::W0111, title, local.span, "not used");
            self.report(
                found.help(format!("{same} `{name}`: use `{name}` in it, or begin its name with `_`")),
            );
        }
    }

    fn fold_body(
        &mut self,
        quantification: Quantification,
        binders: &[Binder],
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> (Fold, Expr, Type) {
        let Quantification { quantifier, body, span, .. } = quantification;
        let rounds = self.max_combinations(binders);
        if matches!(quantifier, Quantifier::Sum | Quantifier::Count | Quantifier::Min | Quantifier::Max)
            && self.takes_in_a_comparison(quantification, want, locals)
        {
            return (Fold::Sum, self.poison(span), Type::Error);
        }
        match quantifier {
            Quantifier::Count => {
                let body = self.formula(body, locals);
                (Fold::Count, body, Type::Int(0, rounds))
            }
            Quantifier::One => {
                let body = self.formula(body, locals);
                let mut values: Vec<Expr> =
                    binders.iter().map(|b| self.pattern_value(&b.pattern, locals, span)).collect();
                let ty = match values.len() {
                    1 => values.remove(0).ty,
                    _ => Type::Tuple(Arc::new(values.into_iter().map(|v| v.ty).collect())),
                };
                (Fold::One, body, ty)
            }
            Quantifier::Sum => {
                let body = self.expr(body, None, locals);
                let body = self.as_number(body);
                let ty = match body.ty.interval() {
                    Some((lo, hi)) => {
                        Type::Int(lo.min(0).saturating_mul(rounds), hi.max(0).saturating_mul(rounds))
                    }
                    None => body.ty.clone(),
                };
                (Fold::Sum, body, ty)
            }
            Quantifier::Union => {
                let body = self.expr(body, want, locals);
                let body = self.as_set(body);
                let ty = body.ty.base().clone();
                (Fold::Union, body, ty)
            }
            _ => {
                let body = self.expr(body, want, locals);
                let ty = body.ty.present().clone();
                let body = self.present(body);
                (if quantifier == Quantifier::Min { Fold::Min } else { Fold::Max }, body, ty)
            }
        }
    }

    /// The maximal number of combinations of the binders.
    fn max_combinations(&self, binders: &[Binder]) -> i64 {
        let mut rounds = 1i64;
        for binder in binders {
            let n = match &binder.domain {
                Domain::Fixed(values) => values.len() as i64,
                Domain::Set(set) => set
                    .ty
                    .element()
                    .and_then(|t| self.rules.type_size(t))
                    .and_then(|n| i64::try_from(n).ok())
                    .unwrap_or(i64::MAX),
            };
            rounds = rounds.saturating_mul(n);
        }
        rounds
    }

    /// The join of two types; reports two types without one.
    pub fn joined(&mut self, a: &Type, b: &Type, span: Span) -> Type {
        Type::join(a, b).unwrap_or_else(|| {
            let (a, b) = (self.describe_type(a), self.describe_type(b));
            self.error(Code::E0201, format!("expected {a}, found {b}"), span, format!("this is {b}"));
            Type::Error
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn unused(term: &str, effect: &str) -> Vec<String> {
        let text = format!(
            "game \"Unused\"; players A, B; type Card = 1..3; const worth[k: Card]: 0..9 = k;
             state {{ n: 0..99 = 0; lit[k: Card]: bool = false; }} def term = {term};
             move go(k: Card) as \"{{k}}\" {{ when not lit[k] and term != {{ 99 }}; {effect} lit[k] := true; }} play normal;"
        );
        let text = if term.starts_with('{') { text } else { text.replace("{ 99 }", "99") };
        let titles = found(&text, Code::W0111).into_iter().map(|found| found.title);
        titles.filter(|title| title.starts_with("the variable")).collect()
    }

    #[test]
    fn some_with_implies_holds_too_easily() {
        let count = |term: &str| {
            let text = format!(
                "game \"Some\"; players A, B; type Card = 1..3; state {{ n: 0..9 = 0; lit[k: Card]: bool = false; }}
                 move go(k: Card) as \"{{k}}\" {{ when not lit[k]; lit[k] := true; n += 1; }} end {{ when {term} => draw; }}"
            );
            found(&text, Code::W0120).len()
        };
        assert_eq!(count("some x in Card: n > 2 implies lit[x]"), 1);
        assert_eq!(count("all x in Card: n > 2 implies lit[x]"), 0);
        assert_eq!(count("some x in Card: n > 2 and lit[x]"), 0);
    }

    #[test]
    fn folds_sets_and_loops_use_their_variables() {
        let of_x = ["the variable `x` is never used"];
        for term in [
            "sum x in Card: worth[1] + n",
            "count x in Card: lit[1]",
            "max x in Card: worth[2] + n",
            "{ n for x in Card }",
        ] {
            assert_eq!(unused(term, "n += 1;"), of_x, "{term}");
        }
        for term in [
            "sum x in Card: 1",
            "count x in Card: lit[x]",
            "count x in Card: true",
            "count x in Card where lit[x]: n > 1",
            "{ x for x in Card }",
        ] {
            assert_eq!(unused(term, "n += 1;"), [""; 0], "{term}");
        }
        assert_eq!(unused("1", "for x in Card { n += worth[k]; }"), of_x);
        assert_eq!(unused("1", "for x in Card { n += worth[x]; } for _x in Card { n += 1; }"), [""; 0]);
    }
}
