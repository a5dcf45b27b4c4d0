//! Sets in the words of other languages: in round or square brackets, with keys, with methods.

use super::advice::Advice;
use crate::analyzer::Analyzer;
use crate::locals::Locals;
use crate::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::{Expr, Type};
use bouton_syntax::ast::{self, Access, CmpOp, ExprKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl<'a> Analyzer<'a> {
    /// The type of an expression, without its diagnostics; `None` if there are any.
    pub(crate) fn quiet_type(&mut self, expr: &ast::Expr, locals: &mut Locals) -> Option<Type> {
        let trial = self.begin_trial()?;
        let ty = self.expr(expr, None, locals).ty;
        let is_known = self.end_trial(trial) && ty != Type::Error;
        is_known.then_some(ty)
    }

    /// Reports `x in (a, b)`, whose right side is a tuple; returns true if it is that.
    pub(super) fn set_in_round_brackets(
        &mut self,
        element: &ast::Expr,
        set: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let ExprKind::Tuple(parts) = &*set.bare().kind else { return false };
        let Some(ty) = self.quiet_type(element, locals) else { return false };
        let literal = ast::Expr::new(ExprKind::Set(parts.clone()), set.span);
        let made = self.quiet_type(&literal, locals);
        if made.is_none_or(|made| made.element().is_none_or(|element| Type::join(element, &ty).is_none())) {
            return false;
        }
        let new = in_braces(parts);
        let found = Diagnostic::new(Code::E0201, "a set stands in braces", set.span, "this is a tuple");
        self.report(found.help(format!("write `{new}`")).edit(set.bare().span, new));
        true
    }

    /// Reports `x in S or T`, where T is a set; returns true if it is that.
    pub(super) fn set_beside_membership(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let mut last = left;
        while let ExprKind::Binary(ast::BinaryOp::And | ast::BinaryOp::Or, _, inner) = &*last.kind {
            last = inner;
        }
        let ExprKind::Compare(element, rest) = &*last.kind else { return false };
        let [(CmpOp::In, set)] = &rest[..] else { return false };
        if matches!(&*right.bare().kind, ExprKind::Compare(..) | ExprKind::Binary(..) | ExprKind::Quant(..)) {
            return false;
        }
        let Some(other) = self.quiet_type(right, locals) else { return false };
        let is_set = matches!(other.base(), Type::Set(_));
        if !is_set || self.quiet_type(set, locals).is_none_or(|ty| Type::join(&ty, &other).is_none()) {
            return false;
        }
        let both = format!("{} | {}", print_expr(set), print_expr(right));
        let title = "`or` joins conditions, not sets";
        let found = Diagnostic::new(Code::E0201, title, right.span, "this is a set");
        let found = found.help(format!("write `{} in {both}`", print_expr(element)));
        self.report(found.edit(set.span.to(right.span), both));
        true
    }

    /// Reports `S in x`, where the sides are exchanged; returns true if it is that.
    pub(super) fn exchanged_membership(
        &mut self,
        left: &ast::Expr,
        right: &ast::Expr,
        made: &Expr,
        locals: &mut Locals,
    ) -> bool {
        if matches!(made.ty.base(), Type::Set(_) | Type::List(_) | Type::Error) {
            return false;
        }
        let Some(ty) = self.quiet_type(left, locals) else { return false };
        let Type::Set(element) = ty.base() else { return false };
        if Type::join(element, &made.ty).is_none() {
            return false;
        }
        let (set, value) = (print_expr(left), print_expr(right));
        let what = self.describe_type(&made.ty);
        let found = Diagnostic::new(
            Code::E0201,
            "the set stands on the right side",
            right.span,
            format!("this is {what}"),
        );
        let found = found.help(format!("`{value}` is the element, and `{set}` the set"));
        self.report(found.edit(left.span, value).edit(right.span, set));
        true
    }

    /// Reports `gone[to]` of a set; returns true if it is that.
    pub(super) fn element_as_a_key(
        &mut self,
        name: &str,
        keys: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let Some(element) = self.field_that_is_a_set(name) else { return false };
        let [key] = keys else { return false };
        if self.quiet_type(key, locals).is_none_or(|ty| Type::join(&ty, &element).is_none()) {
            return false;
        }
        let new = format!("{} in {name}", print_expr(key));
        let title = format!("`{name}` is a set, which has no keys");
        let found = Diagnostic::new(Code::E0104, title, span, "a set");
        let help = format!("`{new}` asks whether it is one of the elements");
        self.report(found.help(help).edit(span, new));
        true
    }

    /// Reports `gone(to)` of a set; returns true if it is that.
    pub(super) fn element_in_a_call(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let Some(element) = self.field_that_is_a_set(name) else { return false };
        let [arg] = args else { return false };
        if self.quiet_type(arg, locals).is_none_or(|ty| Type::join(&ty, &element).is_none()) {
            return false;
        }
        let new = format!("{} in {name}", print_expr(arg));
        let found =
            Diagnostic::new(Code::E0102, format!("`{name}` is a set: it is not called"), span, "a set");
        let found = found.label(self.symbols[name].span, "declared here");
        let help = format!("`{new}` asks whether it is one of the elements");
        self.report(found.help(help).edit(span, new));
        true
    }

    /// Reports `gone[to] = false` and `gone.contains(to) = false` of a set; returns true if it is that.
    pub(super) fn element_compared(
        &mut self,
        op: CmpOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let ExprKind::Bool(value) = &*right.bare().kind else { return false };
        let (of, keys, is_method) = match &*left.bare().kind {
            ExprKind::Index(of, keys) => (of, keys, false),
            ExprKind::Call(callee, args) => match &*callee.kind {
                ExprKind::Part(of, part) if is_containment(&part.text) => (of, args, true),
                _ => return false,
            },
            _ => return false,
        };
        let Some(name) = of.as_name().filter(|name| !locals.has(name)) else { return false };
        let (Some(element), [key]) = (self.field_that_is_a_set(name), &keys[..]) else { return false };
        if self.quiet_type(key, locals).is_none_or(|ty| Type::join(&ty, &element).is_none()) {
            return false;
        }
        let word = if *value == (op != CmpOp::NotEqual) { "in" } else { "not in" };
        let new = format!("{} {word} {name}", print_expr(key));
        let span = left.span.to(right.span);
        let found = match is_method {
            false => {
                let title = format!("`{name}` is a set, which has no keys");
                Diagnostic::new(Code::E0104, title, left.span, "a set")
            }
            true => Diagnostic::new(Code::E0101, "a set has no such part", left.span, "a set"),
        };
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// The type of the elements of a field that is a set, and has no keys.
    fn field_that_is_a_set(&self, name: &str) -> Option<Type> {
        let (_, field) = self.rules.fields.entries().find(|(_, field)| field.name == name)?;
        field
            .ty
            .element()
            .filter(|_| field.keys.is_empty() && matches!(field.ty.base(), Type::Set(_)))
            .cloned()
    }

    /// Reports `gone[to] := true;` of a set; returns true if it is that.
    pub(crate) fn element_assigned(&mut self, effect: &ast::Effect, locals: &mut Locals) -> bool {
        let ([Access::Index(keys)], ExprKind::Bool(value)) =
            (&effect.target.path[..], &*effect.value.bare().kind)
        else {
            return false;
        };
        let name = &effect.target.name.text;
        let (Some(element), [key]) = (self.field_that_is_a_set(name), &keys[..]) else { return false };
        if effect.op != ast::EffectOp::Set
            || self.quiet_type(key, locals).is_none_or(|ty| Type::join(&ty, &element).is_none())
        {
            return false;
        }
        let sign = if *value { "|=" } else { "-=" };
        let new = format!("{name} {sign} {{ {} }}", print_expr(key));
        let title = format!("`{name}` is a set, which has no keys");
        let found = Diagnostic::new(Code::E0104, title, effect.target.span, "a set");
        let whole = effect.target.span.to(effect.value.span);
        self.report(found.help(format!("write `{new};`")).edit(whole, new));
        true
    }

    /// Reports `gone.contains(to)`; returns true if it is that.
    pub(super) fn contains_as_a_method(
        &mut self,
        base: &ast::Expr,
        part: &ast::Name,
        args: &[ast::Expr],
        span: Span,
    ) -> bool {
        let [element] = args else { return false };
        if !is_containment(&part.text) {
            return false;
        }
        let new = format!("{} in {}", print_expr(element), print_expr(base));
        let title = format!("a set has no part `{}`", part.text);
        let found = Diagnostic::new(Code::E0101, title, part.span, "");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// Reports `gone.add(to);` as an effect; returns true if it is that.
    pub(crate) fn set_changed_by_a_method(
        &mut self,
        name: &ast::Name,
        args: &[ast::Expr],
        span: Span,
        locals: &mut Locals,
    ) -> bool {
        let Some((field, method)) = name.text.split_once('.') else { return false };
        let sign = match method {
            "add" | "insert" | "append" | "push" | "put" | "include" => "|=",
            "remove" | "delete" | "discard" | "erase" | "exclude" => "-=",
            _ => return false,
        };
        let (Some(element), [value]) = (self.field_that_is_a_set(field), args) else { return false };
        if self.quiet_type(value, locals).is_none_or(|ty| Type::join(&ty, &element).is_none()) {
            return false;
        }
        let new = format!("{field} {sign} {{ {} }};", print_expr(value));
        let verb = if sign == "|=" { "put into" } else { "taken out of" };
        let title = format!("an element is {verb} a set by `{sign}`");
        let found =
            Diagnostic::new(Code::E0101, title, name.span, format!("there is no effect `{}`", name.text));
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// Advice on `gone += to;`, which puts an element into a set, or takes it out of it.
    pub(crate) fn element_added(
        &mut self,
        effect: &ast::Effect,
        ty: &Type,
        locals: &mut Locals,
    ) -> Option<String> {
        let element = ty.element()?.clone();
        let value = self.quiet_type(&effect.value, locals)?;
        let fits = Type::join(&value, &element).is_some() && !matches!(value.base(), Type::Set(_));
        (fits && effect.op == ast::EffectOp::Add).then(|| format!("|= {{ {} }}", print_expr(&effect.value)))
    }

    /// Reports `Cell.lines(3)`, where the board is an argument; returns true if it is that.
    pub(super) fn function_of_a_board(
        &mut self,
        base: &ast::Expr,
        part: &ast::Name,
        args: &[ast::Expr],
        span: Span,
        locals: &Locals,
    ) -> bool {
        if !matches!(part.text.as_str(), "lines" | "sides" | "edges") {
            return false;
        }
        let Some(board) = self.declared(base, locals) else { return false };
        if !self.is_kind(board, |kind| matches!(kind, SymbolKind::Board { .. })) {
            return false;
        }
        let words: Vec<String> = std::iter::once(base).chain(args).map(print_expr).collect();
        let new = format!("{}({})", part.text, words.join(", "));
        let title = format!("`{}` is a function of a board", part.text);
        let found = Diagnostic::new(Code::E0101, title, part.span, "no part of a board");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }

    /// Reports `flood(S, at = p)`, whose second set is a condition on a whole field; returns true if it is that.
    pub(super) fn condition_for_a_set_of_cells(&mut self, words: &ast::Expr, locals: &Locals) -> bool {
        let ExprKind::Compare(left, rest) = &*words.bare().kind else { return false };
        let ([(op, value)], Some(name)) = (&rest[..], left.as_name()) else { return false };
        let Some(id) = self.find(name, left.span).and_then(|key| self.field_of(key)) else { return false };
        let [key] = &self.rules.fields[id].keys[..] else { return false };
        if self.board_of(&key.ty).is_none() || locals.has(name) {
            return false;
        }
        let board = self.rules.show_type(&key.ty);
        let cell = if locals.has(&key.name) { "x" } else { key.name.as_str() };
        let (sign, value) = (bouton_syntax::print_comparison(*op), print_expr(value));
        let new = format!("{{ {cell} in {board} where {name}[{cell}] {sign} {value} }}");
        let found =
            Diagnostic::new(Code::E0201, "a set of cells is needed here", words.span, "this is a condition");
        self.report(found.help(format!("write `{new}`")).edit(words.span, new));
        true
    }

    /// Reports `at[l] = p`, where l is a set of keys; returns true if it is that.
    pub(super) fn set_as_a_key(
        &mut self,
        op: CmpOp,
        left: &ast::Expr,
        right: &ast::Expr,
        locals: &mut Locals,
    ) -> bool {
        let ExprKind::Index(of, keys) = &*left.kind else { return false };
        let (Some(name), [set]) = (of.as_name().filter(|name| !locals.has(name)), &keys[..]) else {
            return false;
        };
        let Some(id) = self.find(name, of.span).and_then(|key| self.field_of(key)) else { return false };
        let [key] = &self.rules.fields[id].keys[..] else { return false };
        let (key_type, key_name) = (key.ty.clone(), key.name.clone());
        if set.bare().as_name().is_none() {
            return false;
        }
        let is_set = |ty: Type| match ty.base() {
            Type::Set(element) => element.is_assignable_to(&key_type),
            _ => false,
        };
        if !self.quiet_type(set, locals).is_some_and(is_set) {
            return false;
        }
        let variable = if locals.has(&key_name) { "x" } else { key_name.as_str() };
        let (sign, words, value) = (bouton_syntax::print_comparison(op), print_expr(set), print_expr(right));
        let sign = if matches!(op, CmpOp::DoubleEqual | CmpOp::Is) { "=" } else { sign };
        let all = format!("all {variable} in {words}: {name}[{variable}] {sign} {value}");
        let title = format!("`{name}` has a value for one key at a time, and `{words}` is a set of them");
        let found = Diagnostic::new(Code::E0201, title, set.span, "a set");
        let found = found.help(format!("write `{all}`, or `some` for one of them"));
        self.report(found.edit(left.span.to(right.span), format!("({all})")));
        true
    }
}

/// Returns true for the name of a method that asks whether a set has an element.
fn is_containment(name: &str) -> bool {
    matches!(name, "contains" | "includes" | "has" | "include" | "member" | "holds")
}

/// The values as a set.
pub(super) fn in_braces(values: &[ast::Expr]) -> String {
    let words: Vec<String> = values.iter().map(print_expr).collect();
    if words.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", words.join(", ")) }
}

/// Advice on `[a1, c3]` where a set is needed, also in the branches of a choice.
pub(super) fn list_for_a_set(words: &ast::Expr, ty: &Type, want: &Type) -> Option<Advice> {
    let (Type::List(element), Type::Set(wanted)) = (ty.base(), want.present().base()) else { return None };
    Type::join(element, wanted)?;
    let mut lists = Vec::new();
    if !collect_lists(words, &mut lists) {
        return None;
    }
    let first = in_braces(lists.first()?.1);
    let advice = Advice::new(format!("a set stands in braces: write `{first}`"));
    Some(lists.into_iter().fold(advice, |advice, (span, values)| advice.edit(span, in_braces(values))))
}

/// Collects the lists that a term may be, with their elements; returns false if it may be another term.
fn collect_lists<'e>(words: &'e ast::Expr, lists: &mut Vec<(Span, &'e [ast::Expr])>) -> bool {
    match &*words.kind {
        ExprKind::Paren(inner) => collect_lists(inner, lists),
        ExprKind::List(values) => {
            lists.push((words.span, values));
            true
        }
        ExprKind::If(_, yes, no) => collect_lists(yes, lists) && collect_lists(no, lists),
        ExprKind::Match(_, arms) => arms.iter().all(|arm| collect_lists(&arm.value, lists)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, found};
    use bouton_syntax::diag::Code;

    #[test]
    fn sets_are_not_called() {
        let text = |guard: &str| {
            format!(
                "game \"Calls\"; players A, B; state {{ used: set of 1..4 = {{}}; }}
                 move say(k: 1..4) as \"{{k}}\" {{ when not {guard}; used |= {{ k }}; }} play normal;"
            )
        };
        let found = found(&text("used(k)"), Code::E0102);
        assert!(found.len() == 1 && found[0].title == "`used` is a set: it is not called", "{found:?}");
        assert_eq!(found[0].help.as_deref(), Some("`k in used` asks whether it is one of the elements"));
        let new = &found[0].edits[0].text;
        assert_eq!(new, "k in used");
        assert_eq!(codes(&text(new)), []);
    }

    #[test]
    fn keys_stand_in_one_pair_of_brackets() {
        let text = "game \"Keys\"; players A, B; enum Kind { big, small }
             state { place[p: Player, s: Kind]: 0..3 = 0; }
             move go(s: Kind) as \"{s}\" { when place[me][s] < 3; place[me, s] += 1; } play normal;";
        let found = found(text, Code::E0104);
        assert_eq!(found[0].help.as_deref(), Some("write `place[me, s]`"));
        assert_eq!(found[0].edits[0].text, ", ");
    }
}
