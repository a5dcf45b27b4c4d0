//! W0532 for end rules that a parameter switches off, behind a rule that holds wherever they do: `n = 0`, and then
//! `misere and n = 0`.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::expr::{literal, mirrored, operands};
use super::guards::conjuncts;
use super::symbols::SymbolKind;
use bouton_syntax::ast::{self, BinaryOp, Binder, CmpOp, EndCondition, EndRule, ExprKind, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The greatest depth of definitions that are looked into.
const MAX_DEPTH: usize = 8;

/// The conditions that hold where a rule does.
#[derive(Default)]
struct KnownWords<'e> {
    printed: HashSet<String>,
    ranges: Vec<RangeTest<'e>>,
}

impl KnownWords<'_> {
    /// Returns true if a condition is one of them, or a range around one of theirs.
    fn say(&self, part: &ast::Expr) -> bool {
        let is_around = |wanted: RangeTest<'_>| self.ranges.iter().any(|known| known.is_within(&wanted));
        self.printed.contains(&print_expr(part)) || RangeTest::of(part).is_some_and(is_around)
    }
}

/// The comparison of a term with a number, as the range of the values that satisfy it.
struct RangeTest<'e> {
    term: &'e ast::Expr,
    low: i64,
    high: i64,
}

impl<'e> RangeTest<'e> {
    /// The range of a comparison with a written number.
    fn of(part: &'e ast::Expr) -> Option<RangeTest<'e>> {
        let ExprKind::Compare(left, rest) = &*part.bare().kind else { return None };
        let [(op, right)] = &rest[..] else { return None };
        let (term, n, op) = match (literal(left), literal(right)) {
            (None, Some(n)) => (left, n, *op),
            (Some(n), None) => (right, n, mirrored(*op)),
            _ => return None,
        };
        let (low, high) = match op {
            CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is => (n, n),
            CmpOp::Less => (i64::MIN, n.saturating_sub(1)),
            CmpOp::LessEqual => (i64::MIN, n),
            CmpOp::Greater => (n.saturating_add(1), i64::MAX),
            CmpOp::GreaterEqual => (n, i64::MAX),
            _ => return None,
        };
        Some(RangeTest { term: term.bare(), low, high })
    }

    /// Returns true if each value that satisfies this comparison satisfies another one of the same term.
    fn is_within(&self, other: &RangeTest<'_>) -> bool {
        let is_inside = other.low <= self.low && self.high <= other.high;
        is_inside && print_expr(self.term) == print_expr(other.term)
    }
}

impl<'a> Analyzer<'a> {
    /// W0532: rules that are switched off, of these conditions, and that no value of a parameter makes decide.
    /// Exploration tells of all others.
    pub(super) fn overtaken_rules(&mut self, switched_off: &[&'a ast::Expr]) {
        let mut earlier: Vec<&'a EndRule> = Vec::new();
        let mut found = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::End(rules) = &item.kind else { continue };
            for rule in rules {
                let EndCondition::When { binder, condition } = &rule.condition else { continue };
                let is_off = switched_off.iter().any(|off| off.span == condition.span);
                if own && is_off && self.depends_on_a_parameter(condition) {
                    let words = self.known_words(condition);
                    let first =
                        earlier.iter().find(|first| self.holds_wherever(first, binder.as_ref(), &words));
                    found.extend(first.map(|first| (rule, *first)));
                }
                earlier.push(rule);
            }
        }
        for (rule, first) in found {
            let diagnostic = self.overtaken(rule, first);
            self.report(diagnostic);
        }
    }

    /// The warning of a rule that another one above it overtakes.
    fn overtaken(&self, rule: &'a EndRule, first: &'a EndRule) -> Diagnostic {
        let title = "this end rule is never reached, for any value of the parameters";
        let found =
            Diagnostic::new(Code::W0532, title, rule.span, "the rule above holds wherever this one does");
        let found = found.label(first.span, "it decides, since it stands first");
        found.help("the first rule that holds counts: put the special case before the general one")
    }

    /// Returns true if the condition of a rule follows from words that hold.
    fn holds_wherever(&self, first: &'a EndRule, binder: Option<&'a Binder>, words: &KnownWords<'_>) -> bool {
        let EndCondition::When { binder: own, condition } = &first.condition else { return false };
        let is_bound_alike = match (own, binder) {
            (None, None) => true,
            (Some(own), Some(binder)) => is_same(own, binder),
            _ => false,
        };
        is_bound_alike && self.follows(condition, words, 0)
    }

    /// Returns true if a condition follows from words that hold.
    fn follows(&self, condition: &'a ast::Expr, words: &KnownWords<'_>, depth: usize) -> bool {
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        parts.into_iter().all(|part| {
            let alternatives = operands(BinaryOp::Or, part);
            words.say(part)
                || alternatives.len() > 1 && alternatives.iter().any(|one| self.follows(one, words, depth))
                || depth < MAX_DEPTH
                    && self.defined_as(part).is_some_and(|body| self.follows(body, words, depth + 1))
        })
    }

    /// The conditions that hold where a condition does, also those of definitions without parameters.
    fn known_words(&self, condition: &'a ast::Expr) -> KnownWords<'a> {
        let (mut words, mut open) = (KnownWords::default(), vec![condition]);
        while let Some(next) = open.pop() {
            let mut parts = Vec::new();
            conjuncts(next, &mut parts);
            for part in parts {
                if words.printed.insert(print_expr(part)) {
                    words.ranges.extend(RangeTest::of(part));
                    open.extend(self.defined_as(part));
                }
            }
        }
        words
    }

    /// The body of the definition without parameters that a term names.
    fn defined_as(&self, term: &'a ast::Expr) -> Option<&'a ast::Expr> {
        let ExprKind::Name(name) = &*term.bare().kind else { return None };
        let SymbolKind::Def { item, .. } = &self.symbol_of(name, term.span)?.kind else {
            return None;
        };
        match &item.kind {
            ItemKind::Def { formals, body, .. } if formals.as_ref().is_none_or(Vec::is_empty) => Some(body),
            _ => None,
        }
    }
}

/// Returns true for the same variable of the same set.
fn is_same(a: &Binder, b: &Binder) -> bool {
    let (ast::Pattern::Name(one), ast::Pattern::Name(other)) = (&a.pattern, &b.pattern) else { return false };
    let shown = |filter: &Option<ast::Expr>| filter.as_ref().map(print_expr);
    one.text == other.text
        && print_expr(&a.domain) == print_expr(&b.domain)
        && shown(&a.condition) == shown(&b.condition)
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn special_cases_stand_first() {
        let count = |rules: &str| {
            let text = format!(
                "game \"Heap\"; param misere: bool = false; players A, B; state {{ n: 0..9 = 9; m: 0..9 = 0; }}
                 def over = n = 0; def both = over and m > 3; def of(p: Player) = n = 0 and p = mover;
                 move take(k: 1..2) as \"{{k}}\" {{ when k <= n; n -= k; m += k; }}
                 end {{ {rules} when n = 1 => draw; }}"
            );
            found(&text, Code::W0532).len()
        };
        for rules in [
            "when n = 0 => other(mover) wins; when misere and n = 0 => mover wins;",
            "when over => other(mover) wins; when misere and n = 0 => mover wins;",
            "when n = 0 => other(mover) wins; when over and misere => mover wins;",
            "when n = 0 or m > 3 => other(mover) wins; when misere and (n = 0 and m = 2) => mover wins;",
            "when n <= 2 => draw; when misere and 0 = n => mover wins;",
            "when m >= 2 => draw; when misere and m > 3 and n = 4 => mover wins;",
            "when over and m > 3 => draw; when misere and both => mover wins;",
            "for p in Player when of(p) => p wins; for p in Player when of(p) and misere => p loses;",
        ] {
            assert_eq!(count(rules), 1, "{rules}");
        }
        for rules in [
            "when misere and n = 0 => mover wins; when n = 0 => other(mover) wins;",
            "when not misere and n = 0 => mover wins; when misere and n = 0 => other(mover) wins;",
            "when n = 0 and m > 3 => mover wins; when misere and n = 0 => other(mover) wins;",
            "when misere and n = 0 => mover wins; when not misere and n = 0 => other(mover) wins;",
            "for p in Player when of(p) => p wins; for q in Player when of(q) and misere => q loses;",
            "when m > 3 => draw; when misere and m >= 3 => mover wins;",
            "when n = 0 => mover wins; when misere and (n = 0 or m = 3) => mover wins;",
        ] {
            assert_eq!(count(rules), 0, "{rules}");
        }
    }
}
