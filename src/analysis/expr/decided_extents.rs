//! W0126 for comparisons of numbers that declared ranges decide: of a constant, a variable of a `let`, the
//! size of a set, a sum; and for ranges that are empty, such as `6..4`.

use super::decided::{literal, mirrored};
use crate::analyzer::Analyzer;
use crate::locals::{ExprPlace, Locals};
use bouton_base::source::Span;
use bouton_syntax::ast::{self, CmpOp, ExprKind, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Warns about a comparison that is never true, whatever the parameters are.
    pub(super) fn decided_by_extents(&mut self, op: CmpOp, words: [&ast::Expr; 2], locals: &Locals) {
        let span = words[0].span.to(words[1].span);
        let is_known = |found: &Diagnostic| found.code == Code::W0126 && found.span() == span;
        let is_own = self.items().any(|(item, own)| own && item.span.covers(span));
        let is_static = locals.place == ExprPlace::Static;
        let of_values = |item: &ItemKind| matches!(item, ItemKind::State(_) | ItemKind::Const { .. });
        let is_value =
            is_static && self.items().any(|(item, _)| of_values(&item.kind) && item.span.covers(span));
        if !is_own || is_static && !is_value || self.diagnostics.iter().any(is_known) {
            return;
        }
        let (is_open, is_claim) = match is_value {
            true => (true, false),
            false => self.place_of_comparison(span, locals),
        };
        // W0123 says it of the row of a cell that is equal to a number.
        let is_equality = matches!(op, CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is);
        if is_equality && words.iter().any(|side| is_coordinate(side)) {
            return;
        }
        if !is_open || is_claim || self.options.damaged {
            return;
        }
        // The term with more than one value comes first.
        let [Some(left), Some(right)] = words.map(|side| self.extent(side, locals)) else { return };
        let (op, [term, other], [[low, high], [least, most]]) = match left[0] == left[1] {
            true => (mirrored(op), [words[1], words[0]], [right, left]),
            false => (op, words, [left, right]),
        };
        let is_never = match op {
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is => high < least || most < low,
            CmpOp::Less => low >= most,
            CmpOp::LessEqual => low > most,
            CmpOp::Greater => high <= least,
            CmpOp::GreaterEqual => high < least,
            _ => false,
        };
        if !is_never || low >= high {
            return;
        }
        let (text, value) = (print_expr(term), print_expr(other));
        let values = |[low, high]: [i64; 2]| match low == high {
            true => low.to_string(),
            false => format!("{low}..{high}"),
        };
        let mut title = format!("this is never true: `{text}` is in {low}..{high}");
        if literal(other).is_none() {
            title += &format!(", and `{value}` is {}", values([least, most]));
        }
        let mut found = Diagnostic::new(Code::W0126, title, span, "never true");
        for side in words {
            if let Some((place, label)) = self.place_of_extent(side, locals) {
                found = found.label(place, label);
            }
        }
        let what = if let ExprKind::Unary(..) = &*term.bare().kind { "number" } else { "value" };
        let end = match high <= least {
            true => format!("the greatest {what} is {high}"),
            false => format!("the least {what} is {low}"),
        };
        self.report(found.help(format!("{end}: compare with another number, or look at the range")));
    }

    /// Warns about `clock = time`, where the range of a field that counts ends before that of the parameter.
    pub(super) fn unreached_parameter(&mut self, op: CmpOp, words: [&ast::Expr; 2], locals: &Locals) {
        let [left, right] = words;
        let is_equal = matches!(op, CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is);
        let is_play = matches!(locals.place, ExprPlace::Move | ExprPlace::Chance | ExprPlace::Rule);
        let span = left.span.to(right.span);
        let is_own = self.items().any(|(item, own)| own && item.span.covers(span) && !is_claim(&item.kind));
        if !is_equal || !is_play || !is_own || self.options.damaged {
            return;
        }
        for (field, param) in [(left, right), (right, left)] {
            let Some(name) = param.bare().as_name().filter(|name| !locals.has(name)) else { continue };
            let Some(((_, range), [least, most])) = self.only_parameter(param) else { continue };
            let place = self.place_of_extent(field, locals).filter(|(_, label)| *label == "its range");
            let (Some([low, high]), Some((declared, label))) = (self.extent(field, locals), place) else {
                continue;
            };
            let n = match (most > high, least < low) {
                (true, _) => most,
                (_, true) => least,
                _ => continue,
            };
            if !self.is_counter(field) || self.range_names_a_parameter(declared) {
                continue;
            }
            let term = print_expr(field);
            let title = format!("this is never true with `{name} = {n}`: `{term}` is in {low}..{high}");
            let found = Diagnostic::new(Code::W0126, title, span, format!("`{name}` is {least}..{most}"));
            let found = found.label(declared, label).label(range, format!("the range of `{name}`"));
            self.report_once(found.help(format!(
                "widen the range of the field, to `{}..{}` or to one that names `{name}`; or make that of `{name}` smaller",
                low.min(least),
                high.max(most)
            )));
            return;
        }
    }

    /// Returns true for a field without keys to which some effect adds, and which nothing sets.
    fn is_counter(&self, field: &ast::Expr) -> bool {
        let Some(name) = field.bare().as_name() else { return false };
        let mut effects = Vec::new();
        for (item, _) in self.items() {
            match &item.kind {
                ItemKind::Move(of) => crate::first_values::collect(&of.body, &mut effects),
                ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } => {
                    crate::first_values::collect(body, &mut effects);
                }
                _ => {}
            }
        }
        effects.retain(|effect| effect.target.name.text == name);
        !effects.is_empty() && effects.iter().all(|effect| effect.op == ast::EffectOp::Add)
    }

    /// Returns true if the declared type of a field, by its place, depends on a parameter.
    fn range_names_a_parameter(&self, declared: Span) -> bool {
        self.items().any(|(item, _)| match &item.kind {
            ItemKind::State(fields) => fields.iter().any(|field| match &field.ty.kind {
                ast::TypeKind::Expr(range) => field.ty.span == declared && self.depends_on_a_parameter(range),
                _ => false,
            }),
            _ => false,
        })
    }

    /// The place that says what a name may be, if it is no field's own comparison.
    fn place_of_extent(&self, term: &ast::Expr, locals: &Locals) -> Option<(Span, &'static str)> {
        let term = term.bare();
        let term = match &*term.kind {
            ExprKind::Unary(ast::UnaryOp::Count, set) => set.bare(),
            _ => term,
        };
        let name = match &*term.kind {
            ExprKind::Index(base, _) => base.as_name()?,
            _ => term.as_name()?,
        };
        if let Some(local) = locals.stack.iter().rev().find(|local| local.name == name) {
            return Some((local.span, "declared here"));
        }
        self.items().find_map(|(item, own)| match &item.kind {
            ItemKind::Const { name: of, value, .. } if own && of.text == name => {
                Some((value.span, "its value"))
            }
            ItemKind::State(fields) if own => {
                fields.iter().find(|f| f.name.text == name).map(|field| (field.ty.span, "its range"))
            }
            _ => None,
        })
    }

    /// Warns about a range of two numbers, the first of which is the greater one.
    pub(super) fn empty_range(&mut self, ends: [&ast::Expr; 2], span: Span) {
        let [Some(low), Some(high)] = ends.map(literal) else { return };
        if low <= high || self.options.damaged {
            return;
        }
        let found =
            Diagnostic::new(Code::W0126, "this range is empty: no number is in it", span, "always empty");
        let right = format!("{high}..{low}");
        self.report_once(found.help(format!("the least number comes first: `{right}`")).edit(span, right));
    }
}

/// Returns true for `c.row` and the like.
fn is_coordinate(term: &ast::Expr) -> bool {
    matches!(&*term.bare().kind, ExprKind::Part(_, part) if matches!(part.text.as_str(), "col" | "row" | "level"))
}

/// Returns true for an item that claims something.
fn is_claim(item: &ItemKind) -> bool {
    matches!(item, ItemKind::Invariant { .. } | ItemKind::Expect(_) | ItemKind::Test(_))
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(condition: &str) -> Vec<String> {
        let text = format!(
            "game \"Race\"; players A, B; param length: 5..12 = 7; const icy = 14; const word = [1, 2, 2];
             type Square = 0..length; state {{ at[p: Player]: Square = 0; open: set of 1..4 = 1..4; n: 0..9 = 0; }}
             move go(k: 1..2) as \"{{k}}\" {{
               when k in open or n in open; let to = min(length, at[me] + k);
               if {condition} {{ at[me] := 1; open -= {{ k }}; }} else {{ at[me] := to; n := word[k]; }} }}
             end {{ when at[A] = length => A wins; when at[B] = icy - 2 => B wins; }}"
        );
        let found = found(&text, Code::W0126);
        assert!(found.iter().all(|found| found.edits.is_empty() != found.title.starts_with("this range")));
        found.into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn ranges_decide_comparisons() {
        assert_eq!(told("to = icy"), ["this is never true: `to` is in 1..12, and `icy` is 14"]);
        assert_eq!(told("15 < to"), ["this is never true: `to` is in 1..12"]);
        assert_eq!(told("n = icy"), ["this is never true: `n` is in 0..9, and `icy` is 14"]);
        assert_eq!(told("#open > 4"), ["this is never true: `#open` is in 0..4"]);
        assert_eq!(
            told("n + k > #word + 9"),
            ["this is never true: `n + k` is in 1..11, and `#word + 9` is 12"]
        );
        for condition in
            ["to = 12", "to = icy - 2", "n + 6 > icy", "#open = 4", "at[me] + k = icy", "n != icy", "icy > n"]
        {
            assert_eq!(told(condition), [""; 0], "{condition}");
        }
    }

    #[test]
    fn parameters_are_reached() {
        let of = |range: &str, param: &str, condition: &str| {
            let text = format!(
                "game \"Clock\"; param time: {param}; players A, B; state {{ clock: {range} = 0; last: Player? = none; }}
                 move go() as \"go\" {{ when clock < 9; clock += 1; last := me; }}
                 end {{ when last = A and clock = 3 => A wins; when {condition} => B wins; when stuck => draw; }}"
            );
            found(&text, Code::W0126).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let never = ["this is never true with `time = 12`: `clock` is in 0..10"];
        assert_eq!(of("0..10", "2..12 = 8", "clock = time"), never);
        assert_eq!(of("0..10", "2..12 = 8", "time = clock"), never);
        for (range, param, condition) in [
            ("0..12", "2..12 = 8", "clock = time"),
            ("0..time", "2..12 = 8", "clock = time"),
            ("0..10", "2..12 = 8 where time < 11", "clock = time"),
            ("0..10", "2..12 = 8", "clock + 2 = time"),
            ("0..10", "2..12 = 8", "clock != time"),
        ] {
            assert_eq!(of(range, param, condition), [""; 0], "{range} {param} {condition}");
        }
    }

    #[test]
    fn ranges_are_empty() {
        let empty = ["this range is empty: no number is in it"];
        assert_eq!(told("k in 3..1"), empty);
        assert_eq!(told("n - k in 1..-1"), empty);
        assert_eq!(told("n not in 6..4"), empty);
        assert_eq!(told("n in 4..4"), [""; 0]);
    }
}
