//! W0126 for an `if` of a move that a `when` of the same move decides: `when k < 3; ... if k = 3 { ... }`, where `k` is
//! a parameter; and for one that calls a definition with a value outside the range of its parameter.

use super::analyzer::Analyzer;
use super::guards::{conditions, conjuncts};
use super::lints::expr_names;
use bouton_base::source::Span;
use bouton_syntax::ast::{self, CmpOp, ExprKind, ItemKind, Pattern, StmtBlock, StmtKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// The values that a parameter is compared with.
#[derive(Clone, PartialEq)]
enum Choice<'e> {
    Number(i64),
    Member(&'e str),
    /// A member that no condition names.
    AnyOther,
}

/// The comparison of a parameter with a number or a member.
#[derive(Clone)]
struct ParameterTest<'e> {
    whole: &'e ast::Expr,
    op: CmpOp,
    value: Choice<'e>,
}

impl ParameterTest<'_> {
    fn holds(&self, choice: &Choice<'_>) -> bool {
        match (choice, &self.value) {
            (Choice::Number(a), Choice::Number(b)) => match self.op {
                CmpOp::Less => a < b,
                CmpOp::LessEqual => a <= b,
                CmpOp::Greater => a > b,
                CmpOp::GreaterEqual => a >= b,
                CmpOp::NotEqual => a != b,
                _ => a == b,
            },
            (choice, value) => (choice == value) != (self.op == CmpOp::NotEqual),
        }
    }
}

/// The conditions around a place of a move: those that hold there, and those that do not.
#[derive(Clone, Default)]
struct Around<'e> {
    held: Vec<&'e ast::Expr>,
    denied: Vec<&'e ast::Expr>,
}

/// The largest range of a parameter of which each number is looked at.
const MAX_NUMBERS: i64 = 1000;

impl<'a> Analyzer<'a> {
    /// Runs the lints of this module.
    pub(super) fn decided_branches(&mut self) {
        let mut reports = Vec::new();
        for (item, own) in self.items() {
            if let ItemKind::Move(of) = &item.kind
                && own
            {
                let around = Around { held: conditions(&of.body), denied: Vec::new() };
                for param in &of.params {
                    self.branches_on(param, (&of.body, &around), &mut reports);
                }
            }
        }
        for found in reports {
            let is_known = |d: &Diagnostic| d.code == Code::W0126 && d.span() == found.span();
            if !self.diagnostics.iter().any(is_known) {
                self.report(found);
            }
        }
    }

    /// Collects the reports on the branches of a block whose conditions compare a parameter.
    fn branches_on(
        &self,
        param: &'a ast::Bind,
        inside: (&'a StmtBlock, &Around<'a>),
        found: &mut Vec<Diagnostic>,
    ) {
        let (block, around) = inside;
        for stmt in &block.stmts {
            match &stmt.kind {
                // Another variable of this name.
                StmtKind::Let(pattern, _) if binds(pattern, &param.name.text) => return,
                StmtKind::For(binders, _) if binders.iter().any(|b| binds(&b.pattern, &param.name.text)) => {}
                StmtKind::Then(inner) | StmtKind::For(_, inner) => {
                    self.branches_on(param, (inner, around), found);
                }
                StmtKind::If(condition, yes, no) => {
                    found.extend(self.decided(param, condition, around));
                    found.extend(self.outside_of_definition(param, condition, around));
                    let mut inner = around.clone();
                    conjuncts(condition, &mut inner.held);
                    self.branches_on(param, (yes, &inner), found);
                    if let Some(no) = no {
                        let mut inner = around.clone();
                        inner.denied.push(condition.bare());
                        self.branches_on(param, (no, &inner), found);
                    }
                }
                _ => {}
            }
        }
    }

    /// The report on a condition that those around it decide.
    fn decided(
        &self,
        param: &'a ast::Bind,
        condition: &'a ast::Expr,
        around: &Around<'a>,
    ) -> Option<Diagnostic> {
        let name = param.name.text.as_str();
        let held: Vec<ParameterTest<'a>> = around.held.iter().filter_map(|e| self.test_on(e, name)).collect();
        let denied: Vec<ParameterTest<'a>> =
            around.denied.iter().filter_map(|e| self.test_on(e, name)).collect();
        let mut sides = Vec::new();
        conjuncts(condition, &mut sides);
        let is_alone = sides.len() == 1;
        for test in sides.into_iter().filter_map(|side| self.test_on(side, name)) {
            let tests: Vec<&ParameterTest<'a>> = held.iter().chain(&denied).chain([&test]).collect();
            let all = choices(param, &tests);
            // What the range alone decides is told elsewhere.
            let is_open = |all: &[&Choice<'a>]| {
                all.iter().any(|choice| test.holds(choice)) && !all.iter().all(|choice| test.holds(choice))
            };
            if !is_open(&all.iter().collect::<Vec<_>>()) {
                continue;
            }
            let left: Vec<&Choice<'a>> =
                all.iter().filter(|choice| held.iter().all(|test| test.holds(choice))).collect();
            let rest: Vec<&Choice<'a>> =
                left.iter().copied().filter(|choice| denied.iter().all(|test| !test.holds(choice))).collect();
            // The last of several branches may take all that is left.
            let is_always = is_alone && !left.is_empty() && left.iter().all(|choice| test.holds(choice));
            let is_never = !rest.is_empty() && rest.iter().all(|choice| !test.holds(choice));
            if !is_always && !is_never {
                continue;
            }
            let decides = |other: &&ParameterTest<'a>| {
                let mut left = all.iter().filter(|choice| other.holds(choice));
                left.all(|choice| test.holds(choice) == is_always)
            };
            let because = held.iter().find(decides).or(held.last()).or(denied.last())?;
            return Some(report_decided(&test, because, is_always));
        }
        None
    }

    /// The report on the call of a definition with a parameter of the move, some values of which are outside of its
    /// range: `if low(d)`, where `d` is 0 or more and `low` takes numbers from 1.
    fn outside_of_definition(
        &self,
        param: &'a ast::Bind,
        condition: &'a ast::Expr,
        around: &Around<'a>,
    ) -> Option<Diagnostic> {
        let name = param.name.text.as_str();
        let [low, high] = literal_range(&param.ty)?;
        let mut before: Vec<&ast::Expr> = around.held.clone();
        let mut sides = Vec::new();
        conjuncts(condition, &mut sides);
        for side in sides {
            if let ExprKind::Call(of, args) = &*side.kind
                && let [arg] = &args[..]
                && arg.bare().as_name() == Some(name)
                && let Some(of) = of.as_name()
                && let Some((formal, [first, last])) = self.range_of_formal(of)
            {
                // A condition of another form may rule the other values out.
                let mut tests = Vec::new();
                for (conditions, holds) in [(&before, true), (&around.denied, false)] {
                    for condition in conditions.iter() {
                        match self.test_on(condition, name) {
                            Some(test) => tests.push((test, holds)),
                            None if names(condition, name) => return None,
                            None => {}
                        }
                    }
                }
                let is_left =
                    |n: &i64| tests.iter().all(|(test, holds)| test.holds(&Choice::Number(*n)) == *holds);
                let outside = (low..=high).filter(|n| !(first..=last).contains(n)).find(is_left)?;
                let call = print_expr(side);
                let title = format!("`{call}` has no value where `{name}` is {outside}: there this is false");
                let found =
                    Diagnostic::new(Code::W0126, title, side.span, format!("`{name}` is {low}..{high}"));
                let wide = format!("{}..{}", first.min(low), last.max(high));
                return Some(found.label(formal, format!("{first}..{last} here")).help(format!(
                    "give this parameter of `{of}` the range {wide}, or leave {outside} out of the range of `{name}`; if false \
                     is meant, write `{name} in {first}..{last} and {call}`"
                )));
            }
            before.push(side);
        }
        None
    }

    /// The place and the range of the only parameter of a definition, if its ends are numbers.
    fn range_of_formal(&self, name: &str) -> Option<(Span, [i64; 2])> {
        self.items().find_map(|(item, _)| match &item.kind {
            ItemKind::Def { name: own, formals: Some(formals), .. } if own.text == name => match &formals[..]
            {
                [formal] => Some((formal.name.span, literal_range(&formal.ty)?)),
                _ => None,
            },
            _ => None,
        })
    }

    /// The comparison of a parameter that an expression is.
    fn test_on(&self, expr: &'a ast::Expr, name: &str) -> Option<ParameterTest<'a>> {
        let ExprKind::Compare(left, rest) = &*expr.bare().kind else { return None };
        let [(op, right)] = &rest[..] else { return None };
        if matches!(op, CmpOp::In | CmpOp::NotIn) {
            return None;
        }
        let (other, op) = match (left.bare().as_name(), right.bare().as_name()) {
            (Some(of), _) if of == name => (right, *op),
            (_, Some(of)) if of == name => (left, super::expr::mirrored(*op)),
            _ => return None,
        };
        let value = match super::expr::literal(other) {
            Some(number) => Choice::Number(number),
            None => {
                let member = other.bare().as_name()?;
                let is_member = self.members.contains_key(member) && !self.symbols.contains_key(member);
                let is_equality =
                    matches!(op, CmpOp::Equal | CmpOp::DoubleEqual | CmpOp::Is | CmpOp::NotEqual);
                Choice::Member(Some(member).filter(|_| is_member && is_equality)?)
            }
        };
        Some(ParameterTest { whole: expr.bare(), op, value })
    }
}

fn report_decided(test: &ParameterTest<'_>, because: &ParameterTest<'_>, is_always: bool) -> Diagnostic {
    let word = if is_always { "always" } else { "never" };
    let title = format!("this is {word} true beside `{}`", print_expr(because.whole));
    let found = Diagnostic::new(Code::W0126, title, test.whole.span, format!("{word} true"));
    found.label(because.whole.span, "decides it").help(match is_always {
        true => "leave the condition out, or write in one of the two what is meant",
        false => "write in one of the two what is meant, or leave out the branch that is never taken",
    })
}

/// The values of a parameter that conditions can tell apart. Only ends of its range that are numbers count: others may
/// depend on a parameter of the game.
fn choices<'e>(param: &ast::Bind, tests: &[&ParameterTest<'e>]) -> Vec<Choice<'e>> {
    let numbers: Vec<i64> = tests
        .iter()
        .filter_map(|test| match &test.value {
            Choice::Number(number) => Some(*number),
            _ => None,
        })
        .collect();
    let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max()) else {
        let members = tests.iter().map(|test| test.value.clone());
        return members.chain([Choice::AnyOther]).collect();
    };
    let (least, most) = (least.saturating_sub(1), most.saturating_add(1));
    let [low, high] = literal_range(&param.ty).unwrap_or([least, most]);
    let (low, high) = (low.max(least), high.min(most));
    if high.saturating_sub(low) > MAX_NUMBERS {
        return Vec::new();
    }
    (low..=high).map(Choice::Number).collect()
}

/// The ends of a range that are numbers.
fn literal_range(ty: &ast::Type) -> Option<[i64; 2]> {
    let TypeKind::Expr(range) = &ty.kind else { return None };
    let ExprKind::Range(low, high) = &*range.bare().kind else { return None };
    let [low, high] = [super::expr::literal(low)?, super::expr::literal(high)?];
    (high.saturating_sub(low) <= MAX_NUMBERS).then_some([low, high])
}

fn names(expr: &ast::Expr, name: &str) -> bool {
    let mut found = std::collections::HashSet::new();
    expr_names(expr, &mut found);
    found.contains(name)
}

/// Returns true if a pattern binds a name.
pub(super) fn binds(pattern: &Pattern, name: &str) -> bool {
    match pattern {
        Pattern::Name(own) => own.text == name,
        Pattern::Tuple(parts, _) => parts.iter().any(|part| binds(part, name)),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(body: &str) -> Vec<String> {
        let text = format!(
            "game \"Branches\"; players A, B; enum End {{ left, right, top }} param goal: 1..3 = 3;
             state {{ n: 0..4 = 0; hits[p: Player]: 0..4 = 0; }} def low(d: 1..2) = d < 2;
             move go(k: 1..3, e: End, j: 1..goal) as \"{{k}}{{e}}{{j}}\" {{ n += 1; {body} }}
             end {{ when n = 4 => highest hits; }}"
        );
        found(&text, Code::W0126).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn guards_decide_branches() {
        for (body, title) in [
            ("when k < 3; if k = 3 { hits[me] += 1; }", "this is never true beside `k < 3`"),
            (
                "when k < 3; then { if n = 2 and k = 3 { hits[me] += 1; } }",
                "this is never true beside `k < 3`",
            ),
            ("when k != 3 and n < 4; if k < 3 { hits[me] += 1; }", "this is always true beside `k != 3`"),
            ("when e != left; if e = left { hits[me] += k; }", "this is never true beside `e != left`"),
            (
                "if e = left { hits[me] += k; } else if e = left { n += 1; }",
                "this is never true beside `e = left`",
            ),
            ("when j > 1; if j = 1 { hits[me] += k; }", "this is never true beside `j > 1`"),
        ] {
            assert_eq!(titles(body), [title], "{body}");
        }
        for body in [
            "when k < 3; if k = 2 { hits[me] += 1; }",
            "when k < goal; if k = 3 { hits[me] += 1; }",
            "when k < 3 or n = 2; if k = 3 { hits[me] += 1; }",
            "when k != 3; if k = 1 { hits[me] += 1; } else if k = 2 { hits[me] += 2; }",
            "when k < 3; for k in 3..3 { if k = 3 { hits[me] += 1; } }",
            "if e = left { hits[me] += k; } else if e = right { n += 1; } else if e = top { n += 2; }",
            "when j < 2; if j = 1 { hits[me] += k; } else { hits[me] += 2; }",
        ] {
            assert_eq!(titles(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn definitions_have_ranges() {
        let outside = ["`low(k)` has no value where `k` is 3: there this is false"];
        assert_eq!(titles("if low(k) { hits[me] += 1; }"), outside);
        assert_eq!(titles("if k != 1 and low(k) { hits[me] += 1; }"), outside);
        for body in [
            "when k < 3; if low(k) { hits[me] += 1; }",
            "when low(k) or n = 2; if low(k) { hits[me] += 1; }",
            "if k < 3 and low(k) { hits[me] += 1; }",
            "if k in 1..2 and low(k) { hits[me] += 1; }",
            "if k = 3 { hits[me] += 1; } else if low(k) { hits[me] += 2; }",
        ] {
            assert_eq!(titles(body), [""; 0], "{body}");
        }
    }
}
