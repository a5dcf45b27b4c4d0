//! W0126 for memberships that the type of a variable decides: `v in vowels`, where the set has all values of
//! `v`, or none.

use super::extents::Declared;
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, Type, Value};
use bouton_syntax::ast::{self, CmpOp, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The most values of a variable that are looked at.
const MOST: usize = 2000;

impl Analyzer<'_> {
    /// Warns about `v in S` for a variable, if the set reads no state and has all of its values, or none.
    pub(super) fn decided_membership(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        made: &Expr,
        locals: &Locals,
    ) {
        let ExprKind::In(element, set) = &*made.kind else { return };
        let (ExprKind::Var(_), Some(name)) = (&*element.kind, words[0].bare().as_name()) else {
            self.number_never_in(op, words, set, locals);
            return;
        };
        let span = words[0].span.to(words[1].span);
        let is_own = self.items().any(|(item, own)| own && item.span.covers(span));
        let (is_open, is_claim) = self.place_of_comparison(span, locals);
        let is_sound = is_own && is_open && !is_claim && !self.options.damaged;
        if !is_sound || locals.place == ExprPlace::Static || self.depends_on_a_parameter(words[1]) {
            return;
        }
        // The whole type is written as a reminder.
        if self.named_type(words[1], locals).is_some() {
            return;
        }
        let Some(values) = self.values_of_variable(words[0], element, locals) else { return };
        let Some(elements) = self.known_set(set) else { return };
        let all = values.iter().all(|value| elements.contains(value));
        let none = !values.iter().any(|value| elements.contains(value));
        if values.is_empty() || elements.is_empty() || !all && !none {
            return;
        }
        let word = if all == (op == CmpOp::In) { "always" } else { "never" };
        let what = if all { "every value" } else { "no value" };
        let text = print_expr(words[1]);
        let title = format!("this is {word} true: {what} of `{name}` is in `{text}`");
        let mut found = Diagnostic::new(Code::W0126, title, span, format!("{word} true"));
        let other = match all {
            true => "write the set that is meant".to_owned(),
            false => format!("write the set that is meant, or another term than `{name}`"),
        };
        let mut help = match all {
            true => format!("leave the condition out, or {other}"),
            false => other.clone(),
        };
        if let Some((place, is_definition)) = self.place_of_set(words[1], locals) {
            let shown: Vec<String> = elements.iter().take(8).map(|value| self.rules.show(value)).collect();
            let more = if elements.len() > 8 { ", ..." } else { "" };
            found = found.label(place, format!("the set {{ {}{more} }}", shown.join(", ")));
            if is_definition {
                help = format!("`{text}` reads no field, so it is the same in every position: {other}");
            }
        }
        self.report_once(found.help(help));
    }

    /// Warns about `n + k in S`, if the set of numbers reads no state and none of them is in the range of the term.
    fn number_never_in(&mut self, op: CmpOp, words: [&ast::Expr; 2], set: &Expr, locals: &Locals) {
        let span = words[0].span.to(words[1].span);
        let is_own = self.items().any(|(item, own)| own && item.span.covers(span));
        let (is_open, is_claim) = self.place_of_comparison(span, locals);
        if !is_own || !is_open || is_claim || self.options.damaged || self.depends_on_a_parameter(words[1]) {
            return;
        }
        let Some([low, high]) = self.extent(words[0], locals).filter(|[low, high]| low < high) else {
            return;
        };
        let Some(elements) = self.known_set(set).filter(|all| !all.is_empty()) else { return };
        let is_outside = |value: &Value| value.as_int().is_some_and(|n| n < low || n > high);
        if !elements.iter().all(is_outside) {
            return;
        }
        let word = if op == CmpOp::In { "never" } else { "always" };
        let (term, text) = (print_expr(words[0]), print_expr(words[1]));
        let title =
            format!("this is {word} true: `{term}` is in {low}..{high}, and no element of `{text}` is");
        let mut found = Diagnostic::new(Code::W0126, title, span, format!("{word} true"));
        if let Some((place, _)) = self.place_of_set(words[1], locals) {
            found = found.label(place, "the set");
        }
        self.report_once(found.help("write the set that is meant, or look at the range"));
    }

    /// The values of a variable, if they depend on no parameter.
    fn values_of_variable(&self, words: &ast::Expr, made: &Expr, locals: &Locals) -> Option<Vec<Value>> {
        if let Type::Int(..) = made.ty.base() {
            let [low, high] = self.extent(words, locals)?;
            let is_short = low <= high && high - low < MOST as i64;
            return is_short.then(|| (low..=high).map(Value::Int).collect());
        }
        let name = words.bare().as_name()?;
        let local = locals.stack.iter().rev().find(|local| local.name == name)?;
        let set = match self.declaration_of(local.span)? {
            Declared::Typed(ast::Type { kind: TypeKind::Expr(set), .. }) | Declared::Among(set) => set,
            _ => return None,
        };
        let is_known = matches!(made.ty, Type::Sym(_)) && !self.depends_on_a_parameter(set);
        is_known.then(|| self.rules.type_values(&made.ty, MOST)).flatten()
    }

    /// The elements of a set that is known before play.
    fn known_set(&mut self, set: &Expr) -> Option<Vec<Value>> {
        let value = match &*set.kind {
            ExprKind::Const(value) => Some(value.clone()),
            ExprKind::Call(_, args) if args.is_empty() && self.is_static(set) => {
                self.constant_value(&[], set).ok()?
            }
            _ => None,
        };
        match value? {
            Value::Set(elements) => Some(elements.to_vec()),
            _ => None,
        }
    }

    /// The place where a name for a set is declared, and true for a definition.
    fn place_of_set(&self, words: &ast::Expr, locals: &Locals) -> Option<(Span, bool)> {
        let name = words.bare().as_name().filter(|name| !locals.has(name))?;
        self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Const { name: of, value, .. } if own && of.text == name => Some((value.span, false)),
            ItemKind::Def { name: of, body, .. } if own && of.text == name => Some((body.span, true)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Vowels\"; param top: 1..9 = 4; players A, B; enum Letter {{ T, O, M }} type Place = 1..4;
             const word = [T, O, M, O]; const vowels = {{ O }}; const all_of = {{ T, O, M }};
             state {{ open: set of Place = Place; }}
             def letters = {{ word[i] for i in Place }};
             def small = {{ i in Place where i < top }};
             def left = {{ word[i] for i in open }};
             move wipe(v: Letter, i: Place) as \"{{v}} {{i}}\" {{
               when i in open and ({condition}); open -= {{ i }};
               if v in vowels or i in small and v in left and #all_of > #letters {{ open -= {{ min(open) }}; }} }}
             end {{ when open = {{}} => other(mover) wins; when stuck => draw; }}"
        );
        found(&text, Code::W0126).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn types_decide_memberships() {
        let always = |set: &str| format!("this is always true: every value of `v` is in `{set}`");
        assert_eq!(told("v in letters"), [always("letters")]);
        assert_eq!(told("v in all_of"), [always("all_of")]);
        assert_eq!(told("v in { T, O, M }"), [always("{ T, O, M }")]);
        assert_eq!(told("v not in all_of")[0], "this is never true: every value of `v` is in `all_of`");
        assert_eq!(told("i in 1..4"), ["this is always true: every value of `i` is in `1..4`"]);
        assert_eq!(told("i in { 5, 6 }"), ["this is never true: no value of `i` is in `{ 5, 6 }`"]);
        for condition in
            ["v in vowels", "v in left", "i in small", "i in 2..4", "i in 1..top", "i in 1..#open"]
        {
            assert_eq!(told(condition), [""; 0], "{condition}");
        }
    }

    #[test]
    fn sums_are_beside_the_set() {
        let never = ["this is never true: `i + #open` is in 1..8, and no element of `{ 12, 14 }` is"];
        assert_eq!(told("i + #open in { 12, 14 } or v = T"), never);
        assert_eq!(told("i + #open in { 8, 14 } or v = T"), [""; 0]);
        assert_eq!(told("i + #open in { 0, top + 9 } or v = T"), [""; 0]);
    }
}
