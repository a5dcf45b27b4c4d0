//! Sets, lists, tuples and ranges.

use std::sync::Arc;

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use crate::symbols::SymbolKind;
use crate::types::LIST_LIMIT;
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, Pattern, SetOp, Type, Value, VarId};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};

/// The maximal number of elements that a message writes out.
const MAX_SHOWN_ELEMENTS: usize = 8;

impl<'a> Analyzer<'a> {
    /// `A | B` and the other set operators, with the left side already elaborated.
    pub fn set_op(
        &mut self,
        op: SetOp,
        left: Expr,
        right: &ast::Expr,
        span: Span,
        locals: &mut Locals,
    ) -> Expr {
        let right = self.expr(right, Some(&left.ty.clone()), locals);
        if self.joined_values(op, &left, &right) || self.element_beside_a_set(op, &left, &right) {
            return self.poison(span);
        }
        let (left, right) = (self.as_set(left), self.as_set(right));
        if left.ty == Type::Error || right.ty == Type::Error {
            return self.poison(span);
        }
        let Some(joined) = Type::join(&left.ty, &right.ty) else {
            let (a, b) = (self.describe_type(&left.ty), self.describe_type(&right.ty));
            let title = format!("{a} and {b} have no element in common");
            return self.nothing_in_common(title, &left, &right, span);
        };
        // An operation on sets of a type that lists its values may give a set outside the list: the base type applies.
        let ty = if op == SetOp::Union { joined.base().clone() } else { left.ty.base().clone() };
        self.node(ExprKind::SetOp(op, left, right), ty, span)
    }

    /// Reports `gone | to`, whose right side is an element; returns true if it is that.
    fn element_beside_a_set(&mut self, op: SetOp, left: &Expr, right: &Expr) -> bool {
        let Some(element) = left.ty.element().filter(|_| matches!(left.ty.base(), Type::Set(_))) else {
            return false;
        };
        let is_element = !matches!(right.ty.present().base(), Type::Error | Type::Never | Type::Set(_))
            && Type::join(element, &right.ty).is_some()
            && *element != Type::Never;
        if !is_element {
            return false;
        }
        let sign = match op {
            SetOp::Union => "|",
            SetOp::Intersect => "&",
            SetOp::Minus => "-",
        };
        let what = self.describe_type(&right.ty);
        let title = format!("both sides of `{sign}` are sets, and this is {what}");
        let found = Diagnostic::new(Code::E0201, title, right.span, "one element");
        let found = found.help("a set of one element stands in braces");
        self.report(found.edit(right.span.at_start(), "{ ").edit(right.span.at_end(), " }"));
        true
    }

    /// An expression as a set; reports any other type.
    pub fn as_set(&mut self, made: Expr) -> Expr {
        let made = self.present(made);
        match made.ty.base() {
            Type::Set(_) | Type::Error => made,
            _ => {
                self.no_set(&made);
                self.poison(made.span)
            }
        }
    }

    /// Reports a value of another type where a set is needed.
    pub fn no_set(&mut self, made: &Expr) {
        let Type::List(_) = made.ty.base() else {
            self.wrong_type(made.span, "a set", &made.ty.clone());
            return;
        };
        if self.list_at_a_constant(made) {
            return;
        }
        let found = self.describe_type(&made.ty);
        let title = format!("expected a set, found {found}");
        let help = match made.constant() {
            Some(Value::List(items)) if items.len() <= MAX_SHOWN_ELEMENTS => {
                let shown: Vec<String> = items.iter().map(|item| self.rules.show(item)).collect();
                format!("write `{{ {} }}`", shown.join(", "))
            }
            _ => "a set is written in braces".to_owned(),
        };
        let found =
            Diagnostic::new(Code::E0201, title, made.span, "a list has places, and may name a value twice");
        self.report(
            found.help(format!("{help}; the elements of a list `l` are `{{ l[i] for i in 1..#l }}`")),
        );
    }

    /// `#S`: the size of a set, or the length of a constant list.
    pub fn card(&mut self, inner: &ast::Expr, span: Span, locals: &mut Locals) -> Expr {
        let made = self.expr(inner, None, locals);
        if let Some(Value::List(items)) = made.constant() {
            let n = items.len() as i64;
            return self.value(Value::Int(n), Type::Int(n, n), span);
        }
        let made = self.as_set(made);
        let Some(element) = made.ty.element().cloned() else { return self.poison(span) };
        let most = self.rules.type_size(&element).and_then(|n| i64::try_from(n).ok()).unwrap_or(i64::MAX);
        self.node(ExprKind::Card(made), Type::Int(0, most), span)
    }

    /// `a..b` as a set.
    pub fn range(&mut self, lo: &ast::Expr, hi: &ast::Expr, span: Span, locals: &mut Locals) -> Expr {
        if let Some(found) = operator_at_the_end(lo, hi, span) {
            self.report(found);
            return self.poison(span);
        }
        let words = [lo, hi];
        let (lo, hi) = (self.expr(lo, None, locals), self.expr(hi, None, locals));
        if self.board_of(&lo.ty).is_some() && self.board_of(&hi.ty).is_some() {
            let (first, last) = (bouton_syntax::print_expr(words[0]), bouton_syntax::print_expr(words[1]));
            let found = Diagnostic::new(Code::E0201, "a range is one of numbers", span, "these are cells");
            self.report(found.help(format!(
                "a set names its cells, `{{ {first}, {last} }}`, or their condition, `{{ c in Cell where c.col = 2 }}`"
            )));
            return self.poison(span);
        }
        let (lo, hi) = (self.as_number(lo), self.as_number(hi));
        let (Some((a, _)), Some((_, d))) = (lo.ty.interval(), hi.ty.interval()) else {
            for end in [&lo, &hi] {
                if end.ty == Type::Ratio {
                    self.wrong_type(end.span, "a whole number", &end.ty.clone());
                }
            }
            return self.poison(span);
        };
        if let (Some(Value::Int(a)), Some(Value::Int(b))) = (lo.constant(), hi.constant())
            && b.saturating_sub(*a) >= LIST_LIMIT as i64
        {
            let title = "this range has too many numbers to be a set";
            let found = Diagnostic::new(Code::E0230, title, span, format!("at most {LIST_LIMIT}"));
            self.report(found.help("as the type of a field or parameter a range may be as long as it likes"));
            return self.poison(span);
        }
        if let [Some(low), Some(high)] = [&lo, &hi].map(|end| end.constant().and_then(Value::as_int)) {
            self.empty_for_parameters(words, [low, high], span);
        }
        self.empty_range(words, span);
        let ty = Type::set(Type::Int(a, d));
        self.node(ExprKind::Range(lo, hi), ty, span)
    }

    /// W0126: a set `n..1`, which is empty for the values of the parameters that its first end names.
    fn empty_for_parameters(&mut self, words: [&ast::Expr; 2], [low, high]: [i64; 2], span: Span) {
        let is_number = matches!(&*words[1].bare().kind, ast::ExprKind::Number(_));
        let Some(name) = words[0].bare().as_name().filter(|_| is_number && low > high) else { return };
        let is_param = self.is_kind(name, |kind| matches!(kind, SymbolKind::Param { .. }));
        let is_known = |d: &Diagnostic| d.code == Code::W0126 && d.span() == span;
        if !is_param || self.diagnostics.iter().any(is_known) {
            return;
        }
        let title = format!("this range has no numbers for {name} = {low}");
        let found = Diagnostic::new(Code::W0126, title, span, format!("{low} is above {high}"));
        let help = format!("the least number comes first: `{high}..{name}`");
        self.report(found.help(help).edit(span, format!("{high}..{name}")));
    }

    /// Reports `9..0` as a type; returns true if a range is that. As a set it is empty.
    pub fn is_reversed_range(&mut self, lo: &ast::Expr, hi: &ast::Expr, span: Span) -> bool {
        let number = |end: &ast::Expr| match &*end.kind {
            ast::ExprKind::Number(digits) => digits.parse::<i64>().ok(),
            _ => None,
        };
        let (Some(low), Some(high)) = (number(lo), number(hi)) else { return false };
        if low <= high {
            return false;
        }
        let title = format!("the range `{low}..{high}` has no numbers");
        let found = Diagnostic::new(Code::E0230, title, span, format!("{low} is above {high}"));
        let new = format!("{high}..{low}");
        self.report(found.help(format!("the least number comes first: `{new}`")).edit(span, new));
        true
    }

    /// `{ a, b }`
    pub fn set_literal(
        &mut self,
        elements: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let hint = want.and_then(|t| t.present().element().cloned()).or_else(|| want.cloned());
        let Some((mut made, mut ty)) = self.elements(elements, hint, locals) else {
            return self.poison(span);
        };
        // Where a set without `none` is needed, an optional element is its value, as everywhere.
        let needs_values =
            want.and_then(|t| t.present().element()).is_some_and(|element| !element.is_option());
        if needs_values && ty.is_option() && *ty.present() != Type::Never {
            made = made.into_iter().map(|element| self.present(element)).collect();
            ty = ty.present().clone();
        }
        self.node(ExprKind::SetOf(made), Type::set(ty), span)
    }

    /// W0124: several steps as the elements to choose from; the set has no value where one of them leaves the board.
    pub(super) fn steps_to_choose_from(&mut self, set: &Expr, locals: &Locals) {
        let ExprKind::SetOf(elements) = &*set.kind else { return };
        let mut steps = elements.iter().filter_map(|element| self.leaving_step(element));
        let (Some((step, board)), Some(_)) = (steps.next(), steps.next()) else { return };
        if locals.place == ExprPlace::Static {
            return;
        }
        let board = &self.rules.boards[board].name;
        let title = format!("where one of these steps leaves {board}, the whole set has no value");
        let found = Diagnostic::new(Code::W0124, title, step, "undefined off the board");
        self.report(found.label(set.span, "and then this set too").help(
            "`{ c + d for d in { NE, NW } }` leaves out the steps that leave the board; a condition can also be \
             written as `x = ... or x = ...`",
        ));
    }

    /// `[a, b]`
    pub fn list(
        &mut self,
        elements: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let hint = want.and_then(|t| t.element().cloned());
        let Some((made, ty)) = self.elements(elements, hint, locals) else { return self.poison(span) };
        self.node(ExprKind::List(made), Type::List(Arc::new(ty)), span)
    }

    fn elements(
        &mut self,
        elements: &[ast::Expr],
        mut hint: Option<Type>,
        locals: &mut Locals,
    ) -> Option<(Vec<Expr>, Type)> {
        let mut ty = Type::Never;
        let mut made: Vec<Expr> = Vec::new();
        for element in elements {
            let element = self.expr(element, hint.as_ref(), locals);
            match Type::join(&ty, &element.ty) {
                Some(joined) => ty = joined,
                None if self.elements_in_quotes(elements, [&ty, &element.ty]) => return None,
                None => {
                    let (a, b) = (self.describe_type(&ty), self.describe_type(&element.ty));
                    let title = format!("the elements differ: {a} and {b}");
                    self.error(Code::E0201, title, element.span, format!("this is {b}"));
                    return None;
                }
            }
            hint.get_or_insert_with(|| ty.clone());
            made.push(element);
        }
        (ty != Type::Error).then_some((made, ty))
    }

    /// `(a, b)`
    pub fn tuple(
        &mut self,
        parts: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let hints = match want.map(|t| t.present().base()) {
            Some(Type::Tuple(types)) if types.len() == parts.len() => {
                types.iter().cloned().map(Some).collect()
            }
            _ => vec![None; parts.len()],
        };
        let mut made = Vec::new();
        for (part, hint) in parts.iter().zip(&hints) {
            made.push(self.expr(part, hint.as_ref(), locals));
        }
        if made.iter().any(|p| p.ty == Type::Error) {
            return self.poison(span);
        }
        let ty = Type::Tuple(Arc::new(made.iter().map(|p| p.ty.clone()).collect()));
        self.node(ExprKind::Tuple(None, made), ty, span)
    }

    /// `{ x in S where e }`
    pub fn filter(&mut self, binder: &ast::Binder, span: Span, locals: &mut Locals) -> Expr {
        let depth = locals.stack.len();
        let Some(made) = self.binders(std::slice::from_ref(binder), locals) else { return self.poison(span) };
        let element = self.pattern_value(&made[0].pattern, locals, span);
        self.leave(locals, depth);
        self.set_without_elements(binder, span, locals);
        let ty = Type::set(element.ty.clone());
        self.node(ExprKind::Collect(made, element), ty, span)
    }

    /// The value that a pattern has taken apart, rebuilt from its variables.
    pub fn pattern_value(&mut self, pattern: &Pattern, locals: &Locals, span: Span) -> Expr {
        let var = |v: &VarId| Expr::new(ExprKind::Var(*v), locals.vars[*v].ty.clone(), span);
        match pattern {
            Pattern::Var(v) => var(v),
            Pattern::Tuple(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|p| self.pattern_value(p, locals, span)).collect();
                let ty = Type::Tuple(Arc::new(parts.iter().map(|p| p.ty.clone()).collect()));
                Expr::new(ExprKind::Tuple(None, parts), ty, span)
            }
        }
    }

    /// `{ e for x in S }`
    pub fn comprehension(
        &mut self,
        element: &ast::Expr,
        binders: &[ast::Binder],
        span: Span,
        want: Option<&Type>,
        locals: &mut Locals,
    ) -> Expr {
        let depth = locals.stack.len();
        let Some(made) = self.binders(binders, locals) else { return self.poison(span) };
        let hint = want.and_then(|t| t.present().element().cloned());
        let words = element;
        let element = self.expr(element, hint.as_ref(), locals);
        if element.ty != Type::Error {
            self.unused_binders(locals, depth, "the element is the same for every");
        }
        self.leave(locals, depth);
        self.elements_left_out("the set leaves out", (binders, &made), words, locals);
        if element.ty == Type::Error {
            return self.poison(span);
        }
        let ty = Type::set(element.ty.clone());
        self.node(ExprKind::Collect(made, element), ty, span)
    }
}

/// Diagnoses `a..b & S`, which reads `a..(b & S)` although a set can only stand around the range.
fn operator_at_the_end(lo: &ast::Expr, hi: &ast::Expr, span: Span) -> Option<Diagnostic> {
    let ast::ExprKind::Binary(op @ (ast::BinaryOp::Intersect | ast::BinaryOp::Union), last, _) = &*hi.kind
    else {
        return None;
    };
    let sign = if *op == ast::BinaryOp::Union { "|" } else { "&" };
    let title = format!("`{sign}` binds more closely than `..`: put the range in brackets");
    let range = lo.span.to(last.span);
    let found = Diagnostic::new(Code::E0201, title, span, "");
    let found = found.help(format!("write `(a..b) {sign} S`"));
    Some(found.edit(range.at_start(), "(").edit(range.at_end(), ")"))
}
