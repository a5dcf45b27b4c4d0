//! Advice on the rank of a member of an `enum`, which other languages read as a number: `card[p].rank`,
//! `ord(c)`.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{EnumKind, Type};
use bouton_syntax::ast::{self, CmpOp, ExprKind, Name};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

/// Returns true for a word by which other languages read the place of a member in its type.
fn is_rank(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "rank" | "index" | "value" | "ordinal" | "ord" | "order" | "position" | "int" | "number"
    )
}

/// The term whose rank an expression asks for, of `c.rank` and `rank(c)`.
fn ranked(e: &ast::Expr) -> Option<&ast::Expr> {
    match &*e.bare().kind {
        ExprKind::Part(base, part) if is_rank(&part.text) => Some(base),
        ExprKind::Call(callee, args) => match (&*callee.kind, &args[..]) {
            (ExprKind::Name(name), [of]) if is_rank(name) => Some(of),
            (ExprKind::Part(base, part), []) if is_rank(&part.text) => Some(base),
            _ => None,
        },
        _ => None,
    }
}

impl Analyzer<'_> {
    /// Advice on `c.rank`, where c is a member of an `enum`.
    pub(super) fn rank_as_a_part(&self, ty: &Type, part: &Name) -> Option<String> {
        is_rank(&part.text).then(|| self.help_on_a_rank(ty, part.span)).flatten()
    }

    /// Reports `rank(c)` of a member of an `enum`; returns true if it is that.
    pub(super) fn rank_by_a_call(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        callee: Span,
        locals: &mut Locals,
    ) -> bool {
        let [of] = args else { return false };
        if !is_rank(name) {
            return false;
        }
        let Some(ty) = self.quiet_type(of, locals) else { return false };
        let Some(help) = self.help_on_a_rank(&ty, callee) else { return false };
        let title = format!("there is no `{name}` here");
        let what = self.describe_type(&ty);
        let found = Diagnostic::new(Code::E0101, title, callee, "").label(of.span, format!("this is {what}"));
        self.report(found.help(help));
        true
    }

    fn help_on_a_rank(&self, ty: &Type, place: Span) -> Option<String> {
        let Type::Sym(id) = ty.present().base() else { return None };
        let of = &self.rules.enums[*id];
        if of.kind != EnumKind::User {
            return None;
        }
        const ORDER: &str =
            "members of an `enum` are compared as they are, in the order in which they are written";
        Some(match self.comparison_of_ranks(place) {
            Some(comparison) => format!("{ORDER}: `{comparison}`"),
            None => {
                let key = of.name.chars().next().map_or('x', |c| c.to_ascii_lowercase());
                format!(
                    "{ORDER}, as in `a > b`; a number for each is a table, `const worth[{key}: {0}]: 0..9 = match {key} {{ ... }};`",
                    of.name
                )
            }
        })
    }

    /// Advice on `card[p] > 2`, where a member of an `enum` is compared with a number.
    pub(crate) fn member_beside_a_number(&self, ty: &Type, other: &Type) -> Option<String> {
        let Type::Sym(id) = ty.present().base() else { return None };
        let of = &self.rules.enums[*id];
        if of.kind != EnumKind::User || !matches!(other.present().base(), Type::Int(..)) {
            return None;
        }
        Some(format!(
            "a `{0}` is no number: compare it with a `{0}`; they come in the order {1}",
            of.name,
            of.members.iter().map(|member| format!("`{member}`")).collect::<Vec<_>>().join(", ")
        ))
    }

    /// The comparison of two ranks around a place, as one of the members.
    fn comparison_of_ranks(&self, place: Span) -> Option<String> {
        fn look(e: &ast::Expr, place: Span, found: &mut Option<String>) {
            if !e.span.covers(place) {
                return;
            }
            if let ExprKind::Compare(left, rest) = &*e.kind
                && let [(sign, right)] = &rest[..]
                && let (Some(left), Some(right), Some(sign)) = (ranked(left), ranked(right), word_of(*sign))
            {
                *found = Some(format!("{} {sign} {}", print_expr(left), print_expr(right)));
            }
            visit::children(e, &mut |part| look(part, place, found));
        }
        let mut found = None;
        for text in self.texts.iter() {
            visit::expressions(&text.file, &mut |e| look(e, place, &mut found));
        }
        found
    }
}

/// The sign of a comparison of two values.
fn word_of(sign: CmpOp) -> Option<&'static str> {
    Some(match sign {
        CmpOp::Less => "<",
        CmpOp::LessEqual => "<=",
        CmpOp::Greater => ">",
        CmpOp::GreaterEqual => ">=",
        CmpOp::Equal | CmpOp::DoubleEqual => "=",
        CmpOp::NotEqual => "!=",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::diagnostics;

    fn told(condition: &str) -> Vec<(String, String)> {
        let text = format!(
            "game \"Cards\"; players A, B; enum Card {{ two, ace }}
             state {{ card[p: Player]: Card = two; n: 0..3 = 0; }}
             move raise(c: Card) as \"{{c}}\" {{ when n < 3; card[me] := c; n += 1; }}
             def best(p: Player) = {condition};
             end {{ for p in Player when n = 3 and best(p) => p wins; when n = 3 => draw; }}"
        );
        let found = diagnostics(&text);
        assert!(found.iter().all(|found| found.edits.is_empty()));
        found.into_iter().map(|found| (found.title, found.help.unwrap_or_default())).collect()
    }

    #[test]
    fn members_are_no_numbers() {
        let help = "a `Card` is no number: compare it with a `Card`; they come in the order `two`, `ace`";
        for condition in ["card[p] > 1", "1 <= card[p]", "card[p] = 1"] {
            let [(_, told)] = &told(condition)[..] else { panic!("one message: {condition}") };
            assert_eq!(told, help, "{condition}");
        }
    }

    #[test]
    fn members_are_compared() {
        let order = "members of an `enum` are compared as they are, in the order in which they are written";
        let of_both = format!("{order}: `card[p] > card[other(p)]`");
        for (condition, title) in [
            ("card[p].rank > card[other(p)].rank", "a `Card` has no part `rank`"),
            ("card[p].value > card[other(p)].value", "a `Card` has no part `value`"),
            ("ord(card[p]) > ord(card[other(p)])", "there is no `ord` here"),
            ("rank(card[p]) > rank(card[other(p)])", "there is no `rank` here"),
        ] {
            let one = (title.to_owned(), of_both.clone());
            assert_eq!(told(condition), [one.clone(), one], "{condition}");
        }
        let [(_, help)] = &told("card[p].index > 0")[..] else { panic!("one message") };
        assert!(help.starts_with(&format!("{order}, as in `a > b`; a number for each")), "{help}");
        assert_eq!(told("card[p] > card[other(p)]"), []);
    }
}
