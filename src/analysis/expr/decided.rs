//! W0126 for comparisons that the declared range of a field decides, such as `left < 0`, or the type of the elements of a
//! set, such as `#{ at[c] for c in Cell } = 9`.

use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_rules::{Expr, ExprKind, FieldId, Type};
use bouton_syntax::ast::{self, CmpOp, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// Warns about the comparison of a field with a number that its range decides. Only ends of the range that are
    /// numbers count: others may depend on a parameter.
    pub(super) fn decided_by_range(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        made: [&Expr; 2],
        locals: &Locals,
    ) {
        self.decided_by_move_parameter(op, words, locals);
        let ((field, has_keys), n, op) = match (field_of(made[0]), field_of(made[1])) {
            (Some(field), None) => (field, literal(words[1]), op),
            (None, Some(field)) => (field, literal(words[0]), mirrored(op)),
            _ => return,
        };
        let other = if field_of(made[0]).is_some() { words[1] } else { words[0] };
        let span = words[0].span.to(words[1].span);
        let (counts, always) = self.place_of_comparison(span, locals);
        let known = |found: &Diagnostic| found.code == Code::W0126 && found.span() == span;
        if !counts || self.diagnostics.iter().any(known) {
            return;
        }
        let Some(ends) = self.declared_range(field) else { return };
        let Some(n) = n else {
            if counts && !always {
                self.decided_by_a_named_end(op, [other, ends[0], ends[1]], (field, span), locals);
            }
            return;
        };
        let [low, high] = ends.map(literal);
        let Some(decided) = decision(op, n, [low, high]) else { return };
        // Where a key is out of range, the comparison is false.
        let is_in_range = |key: &Expr| matches!(&*key.kind, ExprKind::Const(_) | ExprKind::Var(_));
        let keys_fit = made.iter().all(|side| match &*side.kind {
            ExprKind::Field(_, keys) => keys.iter().all(is_in_range),
            _ => true,
        });
        if decided && has_keys && !(always && keys_fit) || always && !decided {
            return;
        }
        let of = &self.rules.fields[field];
        let (name, range, declared) = (of.name.clone(), self.rules.show_type(&of.ty), of.span);
        let word = if decided { "always" } else { "never" };
        let title = format!("this is {word} true: `{name}` is {range}");
        let found = Diagnostic::new(Code::W0126, title, span, format!("{word} true"));
        let end = match (low, high) {
            (Some(low), _) if n <= low => format!("the least value of `{name}` is {low}"),
            (_, Some(high)) => format!("the greatest value of `{name}` is {high}"),
            _ => return,
        };
        let end = match always {
            true => format!("{end}, which is checked at every effect: claim what the range does not say"),
            false => end,
        };
        let told = match self.condition_of_sees(span).filter(|condition| condition.bare().span == span) {
            Some(_) if decided => "; without `when` it is told in every position",
            Some(_) => ", so this `sees` never tells anything",
            None => "",
        };
        self.report(found.label(declared, "its range").help(format!("{end}{told}")));
    }

    /// The condition of the `sees` that a place is in the condition of.
    fn condition_of_sees(&self, span: Span) -> Option<&'a ast::Expr> {
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Sees { condition: Some(condition), .. } if condition.span.covers(span) => {
                Some(condition)
            }
            _ => None,
        })
    }

    /// Warns about the comparison of a parameter of a move with a number that its range decides: `if k >= 1` for
    /// `k: 1..2`. Only ends of the range that are numbers count.
    fn decided_by_move_parameter(&mut self, op: CmpOp, words: [&ast::Expr; 2], locals: &Locals) {
        let (term, n, op) = match (literal(words[0]), literal(words[1])) {
            (None, Some(n)) => (words[0], n, op),
            (Some(n), None) => (words[1], n, mirrored(op)),
            _ => return,
        };
        let Some(name) = term.bare().as_name() else { return };
        let Some(local) = locals.stack.iter().rev().find(|local| local.name == name) else { return };
        let range = self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Move(of) if own => of.params.iter().find(|param| param.name.span == local.span),
            _ => None,
        });
        let Some(TypeKind::Expr(range)) = range.map(|param| &param.ty.kind) else { return };
        let ast::ExprKind::Range(low, high) = &*range.bare().kind else { return };
        let Some(is_true) = decision(op, n, [literal(low), literal(high)]) else { return };
        let span = words[0].span.to(words[1].span);
        let known = |found: &Diagnostic| found.code == Code::W0126 && found.span() == span;
        if self.options.damaged || self.diagnostics.iter().any(known) {
            return;
        }
        let (word, shown) = (if is_true { "always" } else { "never" }, bouton_syntax::print_expr(range));
        let title = format!("this is {word} true: `{name}` is {shown}");
        let found = Diagnostic::new(Code::W0126, title, span, format!("{word} true"));
        let help = match is_true {
            true => "leave the condition out, or write the one that is meant",
            false => "compare it with a number of its range, or give it another range",
        };
        self.report(found.label(range.span, "its range").help(help));
    }

    /// Returns true if a comparison at a place should be open, and true if it is claimed to hold in every position.
    pub(super) fn place_of_comparison(&self, span: Span, locals: &Locals) -> (bool, bool) {
        // Of several rules, exploration says which one never holds, and a last one may take all that is left.
        let is_rule = |item: &ast::Item| match &item.kind {
            ItemKind::End(rules) => rules.len() == 1 && item.span.covers(span),
            _ => false,
        };
        let is_claim = |item: &ast::Item| {
            matches!(item.kind, ItemKind::Invariant { .. } | ItemKind::Expect(_)) && item.span.covers(span)
        };
        match locals.place {
            ExprPlace::Move | ExprPlace::Chance | ExprPlace::Def => (true, false),
            // What a player is told is a matter of its own, whatever other rules say.
            ExprPlace::Rule if self.condition_of_sees(span).is_some() => (true, false),
            ExprPlace::Rule | ExprPlace::Position => {
                let is_claim = self.items().any(|(item, _)| is_claim(item));
                let is_rule = locals.place == ExprPlace::Rule && self.items().any(|(item, _)| is_rule(item));
                (is_rule || is_claim, is_claim)
            }
            ExprPlace::Static => (false, false),
        }
    }

    /// Warns about the condition of a parameter that its range makes true: `param n: 1..6 = 4 where n >= 1`.
    pub(crate) fn decided_by_parameter_range(&mut self, name: &ast::Name, condition: &ast::Expr) {
        let range = self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Param { name: of, ty: ast::Type { kind: TypeKind::Expr(range), .. }, .. }
                if of.span == name.span =>
            {
                Some(range)
            }
            _ => None,
        });
        let Some(range) = range else { return };
        let (ast::ExprKind::Range(low, high), ast::ExprKind::Compare(left, rest)) =
            (&*range.bare().kind, &*condition.bare().kind)
        else {
            return;
        };
        let [(op, right)] = &rest[..] else { return };
        let is_name = |side: &ast::Expr| side.bare().as_name() == Some(name.text.as_str());
        let (op, n) = match (literal(left), literal(right)) {
            (None, Some(n)) if is_name(left) => (*op, n),
            (Some(n), None) if is_name(right) => (mirrored(*op), n),
            _ => return,
        };
        if decision(op, n, [literal(low), literal(high)]) != Some(true) {
            return;
        }
        let (text, shown) = (&name.text, bouton_syntax::print_expr(range));
        let title = format!("this is always true: `{text}` is {shown}");
        let found = Diagnostic::new(Code::W0126, title, condition.span, "always true");
        self.report(
            found
                .label(range.span, "its range")
                .help("leave the `where` out, or write the condition that is meant"),
        );
    }

    /// Warns that a set of values has fewer elements than the number that it is compared with, since it holds each value
    /// once.
    pub(super) fn size_never_reached(
        &mut self,
        op: CmpOp,
        words: [&ast::Expr; 2],
        made: [&Expr; 2],
        locals: &Locals,
    ) {
        let (ExprKind::Card(_), Type::Int(_, most)) = (&*made[0].kind, &made[0].ty) else { return };
        let ast::ExprKind::Unary(ast::UnaryOp::Count, set) = &*words[0].bare().kind else { return };
        let ast::ExprKind::Comprehension(element, binders) = &*set.bare().kind else { return };
        let is_too_much = literal(words[1]).is_some_and(|n| match op {
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is | CmpOp::GreaterEqual => n > *most,
            CmpOp::Greater => n >= *most,
            _ => false,
        });
        let span = words[0].span.to(words[1].span);
        let known = |found: &Diagnostic| found.code == Code::W0126 && found.span() == span;
        if !is_too_much || locals.place == ExprPlace::Static || self.diagnostics.iter().any(known) {
            return;
        }
        let conditions: Vec<&ast::Expr> = binders.iter().filter_map(|b| b.condition.as_ref()).collect();
        let is_optional = has_optional_elements(made[0]);
        let condition = match conditions[..] {
            [only] => Some(only.clone()),
            [] if is_optional => {
                let none = ast::Expr::new(ast::ExprKind::None, element.span);
                Some(ast::Expr::new(
                    ast::ExprKind::Compare(element.clone(), vec![(CmpOp::NotEqual, none)]),
                    element.span,
                ))
            }
            _ => None,
        };
        let values = if *most == 1 { "value" } else { "values" };
        let title = format!("this is never true: the set has at most {most} {values}");
        let found = Diagnostic::new(Code::W0126, title, span, "never true");
        let help = "a set holds each value once: how many times a condition holds is";
        let Some(condition) = condition else {
            self.report(found.help(format!("{help} `(count x in S: ...)`")));
            return;
        };
        let mut plain = binders.clone();
        plain.iter_mut().for_each(|binder| binder.condition = None);
        let count = ast::ExprKind::Quant(ast::Quantifier::Count, plain, condition);
        let count = format!("({})", bouton_syntax::print_expr(&ast::Expr::new(count, set.span)));
        let found = found.help(format!("{help} `{count}`"));
        self.report(match conditions.is_empty() {
            true => found,
            false => found.edit(words[0].span, count),
        });
    }

    /// Warns about `n > goal` of a field with the range `0..goal`, which never holds.
    fn decided_by_a_named_end(
        &mut self,
        op: CmpOp,
        [other, low, high]: [&ast::Expr; 3],
        tested: (FieldId, Span),
        locals: &Locals,
    ) {
        let (field, span) = tested;
        let Some(name) = other.bare().as_name().filter(|name| !locals.has(name)) else { return };
        let of = |end: &ast::Expr| (end.bare().as_name() == Some(name)).then_some(0);
        if decision(op, 0, [of(low), of(high)]) != Some(false) {
            return;
        }
        let range = format!("{}..{}", bouton_syntax::print_expr(low), bouton_syntax::print_expr(high));
        let of_field = &self.rules.fields[field];
        let (shown, declared) = (of_field.name.clone(), of_field.span);
        let title = format!("this is never true: `{shown}` is {range}");
        let found = Diagnostic::new(Code::W0126, title, span, "never true");
        let end = if of(high).is_some() { "greatest" } else { "least" };
        self.report(
            found
                .label(declared, "its range")
                .help(format!("the {end} value of `{shown}` is `{name}` itself")),
        );
    }

    /// The ends of the declared range of a field.
    fn declared_range(&self, id: FieldId) -> Option<[&'a ast::Expr; 2]> {
        let field = &self.rules.fields[id];
        let Type::Int(..) = field.ty else { return None };
        self.items().find_map(|(item, _)| {
            let ItemKind::State(fields) = &item.kind else { return None };
            let declared = fields.iter().find(|declared| declared.name.span == field.span)?;
            let TypeKind::Expr(range) = &declared.ty.kind else { return None };
            match &*range.bare().kind {
                ast::ExprKind::Range(low, high) => Some([low, high]),
                _ => None,
            }
        })
    }
}

/// The truth value of the comparison of a number within a range with `n`; `None` if both are possible. The ends of the
/// range are known where they are numbers.
pub(super) fn decision(op: CmpOp, n: i64, [low, high]: [Option<i64>; 2]) -> Option<bool> {
    let is_below = |end: Option<i64>| end.is_some_and(|low| n < low);
    let is_above = |end: Option<i64>| end.is_some_and(|high| n > high);
    let (is_low, is_high) = (low == Some(n), high == Some(n));
    Some(match op {
        CmpOp::Less if is_below(low) || is_low => false,
        CmpOp::Less if is_above(high) => true,
        CmpOp::LessEqual if is_below(low) => false,
        CmpOp::LessEqual if is_above(high) || is_high => true,
        CmpOp::Greater if is_above(high) || is_high => false,
        CmpOp::Greater if is_below(low) => true,
        CmpOp::GreaterEqual if is_above(high) => false,
        CmpOp::GreaterEqual if is_below(low) || is_low => true,
        CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is if is_below(low) || is_above(high) => false,
        CmpOp::NotEqual if is_below(low) || is_above(high) => true,
        _ => return None,
    })
}

/// Returns true for the size of a set whose elements may be `none`.
fn has_optional_elements(size: &Expr) -> bool {
    match &*size.kind {
        ExprKind::Card(set) => set.ty.element().is_some_and(Type::is_option),
        _ => false,
    }
}

/// The field that a term reads, and whether it has keys.
fn field_of(made: &Expr) -> Option<(FieldId, bool)> {
    match &*made.kind {
        ExprKind::Field(field, keys) => Some((*field, !keys.is_empty())),
        _ => None,
    }
}

/// The number that is written, possibly with a sign.
pub(crate) fn literal(words: &ast::Expr) -> Option<i64> {
    match &*words.bare().kind {
        ast::ExprKind::Number(digits) => digits.parse().ok(),
        ast::ExprKind::Unary(ast::UnaryOp::Negate, inner) => literal(inner).map(|n| -n),
        _ => None,
    }
}

/// The comparison with its sides exchanged.
pub(crate) fn mirrored(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Less => CmpOp::Greater,
        CmpOp::LessEqual => CmpOp::GreaterEqual,
        CmpOp::Greater => CmpOp::Less,
        CmpOp::GreaterEqual => CmpOp::LessEqual,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, found_in_claims};
    use bouton_syntax::diag::Code;

    fn titles(param: &str, items: &str) -> Vec<String> {
        let text = format!(
            "game \"Decided\"; param n: 1..6 = 4 {param}; players A, B; state {{ score[p: Player]: 0..60 = 0; }}
             move go(k: 1..3) as \"{{k}}\" {{ when score[me] + k <= 60; score[me] += k; for j in n..6 {{ score[opponent] := j; }} }}
             end {{ when score[A] = 9 => draw; }} expect value > 0 with n = 5; {items}"
        );
        found_in_claims(&text, Code::W0126).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn ranges_are_no_news() {
        assert_eq!(titles("where n >= 1", ""), ["this is always true: `n` is 1..6"]);
        let score = "this is always true: `score` is 0..60";
        assert_eq!(titles("", "invariant score[A] >= 0 and score[B] >= 0;"), [score, score]);
        assert_eq!(titles("", "invariant all p in Player: score[p] <= 60;"), [score]);
        assert_eq!(
            titles(
                "where n >= 2",
                "invariant score[A] > 0 or score[B] < 60; expect score[A] <= 59 with n = 5;"
            ),
            [""; 0]
        );
    }

    #[test]
    fn conditions_of_sees() {
        let told = |condition: &str| {
            let text = format!(
                "game \"Sees\"; players A, B; phases {{ setup deal by chance; act; }}
                 state {{ card: 1..2 = 1 hidden; said: 0..3 = 0; }}
                 private chance deals(k: 1..2) in deal as \"{{k}}\" {{ card := k; continue act; }}
                 move say() in act as \"say\" {{ when said < 3; said += 1; }} sees B: card = 1 when {condition};
                 end {{ when said = 3 => payoff p: if (p = A) = (card = 1) then 1 else -1; }}"
            );
            let found = found(&text, Code::W0126).into_iter();
            found
                .map(|found| format!("{} / {}", found.title, found.help.unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        let help = "the greatest value of `said` is 3";
        assert_eq!(
            told("said = 4"),
            [format!("this is never true: `said` is 0..3 / {help}, so this `sees` never tells anything")]
        );
        assert_eq!(
            told("said <= 3"),
            [format!(
                "this is always true: `said` is 0..3 / {help}; without `when` it is told in every position"
            )]
        );
        assert_eq!(told("said = 1 or said > 3"), [format!("this is never true: `said` is 0..3 / {help}")]);
        assert_eq!(told("said = 3"), [""; 0]);
    }

    #[test]
    fn ranges_of_parameters_decide() {
        let titles = |condition: &str| {
            let text = format!(
                "game \"Take\"; param n: 1..6 = 4; players A, B; state {{ pot: 0..9 = 9; }}
                 move take(k: 1..3, j: 1..n) as \"{{k}} {{j}}\" {{
                   when k + j <= pot; if {condition} {{ pot -= k + j; }} else {{ pot -= 1; }} }} play normal;"
            );
            found(&text, Code::W0126).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        assert_eq!(titles("k >= 1"), ["this is always true: `k` is 1..3"]);
        assert_eq!(titles("3 < k"), ["this is never true: `k` is 1..3"]);
        assert_eq!(titles("j >= 1"), ["this is always true: `j` is 1..n"]);
        for condition in ["k > 1", "j < 4", "k + j >= 1"] {
            assert_eq!(titles(condition), [""; 0], "{condition}");
        }
    }

    #[test]
    fn ends_with_a_name_decide() {
        let titles = |condition: &str| {
            let text = format!(
                "game \"Take\"; param goal: 1..6 = 4; players A, B; state {{ pot[p: Player]: 0..goal = 0; left: 0..9 = 9; }}
                 move take() as \"t\" {{ when left > 0; left -= 1;
                   if pot[me] < goal {{ pot[me] += 1; }} }}
                 end {{ for p in Player when {condition} => p wins; }} pass when stuck;"
            );
            found(&text, Code::W0126).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        assert_eq!(titles("pot[p] > goal"), ["this is never true: `pot` is 0..goal"]);
        assert_eq!(titles("goal < pot[p]"), ["this is never true: `pot` is 0..goal"]);
        for condition in ["pot[p] = goal", "pot[p] >= goal", "left > goal"] {
            assert_eq!(titles(condition), [""; 0], "{condition}");
        }
    }
}
