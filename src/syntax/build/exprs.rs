//! Builds expressions and types: a flat chain of operands and operators becomes a tree by precedence.

use super::{Builder, Parts, RulePair};
use crate::ast::{
    Arm, BinaryOp, Binder, CmpOp, Expr, ExprKind, Name, Pattern, Picture, Quantifier, Type, TypeKind, UnaryOp,
};
use crate::diag::{Code, Diagnostic};
use crate::grammar::Rule;
use crate::repair::MISSING_COMMA;
use bouton_base::source::Span;

/// The rest of a chain of operands and operators.
struct OperatorChain<'i> {
    /// The first operand, if it was built before the chain.
    head: Option<Expr>,
    parts: Parts<'i>,
}

impl Builder<'_> {
    /// Builds an `expr`.
    pub(super) fn expr(&mut self, node: RulePair) -> Expr {
        self.implication(&mut OperatorChain { head: None, parts: Parts::of(node) })
    }

    /// Builds a `range`.
    pub(super) fn range(&mut self, node: RulePair) -> Expr {
        self.interval(&mut OperatorChain { head: None, parts: Parts::of(node) })
    }

    /// Builds every `expr` among the parts of a node.
    pub(super) fn exprs(&mut self, node: RulePair) -> Vec<Expr> {
        let nodes = Parts::of(node).take_all(Rule::expr);
        nodes.into_iter().map(|node| self.expr(node)).collect()
    }

    fn implication(&mut self, row: &mut OperatorChain) -> Expr {
        let left = self.disjunction(row);
        let op = match row.parts.peek() {
            Some(Rule::implies) => BinaryOp::Implies,
            Some(Rule::iff) => BinaryOp::Iff,
            _ => return left,
        };
        row.parts.next();
        let right = self.implication(row);
        binary(op, left, right)
    }

    fn disjunction(&mut self, row: &mut OperatorChain) -> Expr {
        let mut left = self.conjunction(row);
        while row.parts.take(Rule::or).is_some() {
            let right = self.conjunction(row);
            left = binary(BinaryOp::Or, left, right);
        }
        left
    }

    fn conjunction(&mut self, row: &mut OperatorChain) -> Expr {
        let mut left = self.negation(row);
        while row.parts.take(Rule::and).is_some() {
            let right = self.negation(row);
            left = binary(BinaryOp::And, left, right);
        }
        left
    }

    fn negation(&mut self, row: &mut OperatorChain) -> Expr {
        let signs = row.parts.take_all(Rule::not);
        let operand = self.comparison(row);
        signs.iter().rev().fold(operand, |operand, sign| {
            let span = self.span(sign).to(operand.span);
            Expr::new(ExprKind::Unary(UnaryOp::Not, operand), span)
        })
    }

    fn comparison(&mut self, row: &mut OperatorChain) -> Expr {
        let first = self.interval(row);
        let mut rest = Vec::new();
        while let Some(sign) = row.parts.take(Rule::cmpop) {
            rest.push((comparison_sign(sign.as_str()), self.interval(row)));
        }
        match rest.last() {
            Some((_, last)) => {
                let span = first.span.to(last.span);
                Expr::new(ExprKind::Compare(first, rest), span)
            }
            None => first,
        }
    }

    fn interval(&mut self, row: &mut OperatorChain) -> Expr {
        let low = self.sum(row);
        if row.parts.take(Rule::dots).is_none() {
            return low;
        }
        let high = self.sum(row);
        let span = low.span.to(high.span);
        Expr::new(ExprKind::Range(low, high), span)
    }

    fn sum(&mut self, row: &mut OperatorChain) -> Expr {
        let mut left = self.product(row);
        while let Some(sign) = row.parts.take(Rule::addop) {
            let op = match sign.as_str().trim_end() {
                "+" => BinaryOp::Add,
                "-" => BinaryOp::Subtract,
                _ => BinaryOp::Union,
            };
            let right = self.product(row);
            left = binary(op, left, right);
        }
        left
    }

    fn product(&mut self, row: &mut OperatorChain) -> Expr {
        let mut left = self.signed(row);
        while let Some(sign) = row.parts.take(Rule::mulop) {
            let op = match sign.as_str() {
                "*" => BinaryOp::Multiply,
                "/" => BinaryOp::Divide,
                "&" => BinaryOp::Intersect,
                _ => BinaryOp::Mod,
            };
            let right = self.signed(row);
            left = binary(op, left, right);
        }
        left
    }

    fn signed(&mut self, row: &mut OperatorChain) -> Expr {
        let signs = row.parts.take_all(Rule::prefix);
        let mut operand = match row.head.take() {
            Some(head) => head,
            None => {
                let node = row.parts.need();
                self.primary(node)
            }
        };
        while matches!(row.parts.peek(), Some(Rule::call | Rule::index | Rule::part)) {
            let node = row.parts.need();
            operand = self.postfix(operand, node);
        }
        signs.iter().rev().fold(operand, |operand, sign| {
            let op = if sign.as_str() == "-" { UnaryOp::Negate } else { UnaryOp::Count };
            let span = self.span(sign).to(operand.span);
            Expr::new(ExprKind::Unary(op, operand), span)
        })
    }

    fn postfix(&mut self, operand: Expr, node: RulePair) -> Expr {
        let span = operand.span.to(self.span(&node));
        let kind = match node.as_rule() {
            Rule::call => ExprKind::Call(operand, self.exprs(node)),
            Rule::index => ExprKind::Index(operand, self.exprs(node)),
            _ => ExprKind::Part(operand, self.part(node)),
        };
        Expr::new(kind, span)
    }

    /// Builds the name after a point.
    pub(super) fn part(&mut self, node: RulePair) -> Name {
        let name = Parts::of(node).need();
        self.name(name)
    }

    fn primary(&mut self, node: RulePair) -> Expr {
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::ident => ExprKind::Name(node.as_str().to_owned()),
            Rule::number => ExprKind::Number(node.as_str().to_owned()),
            Rule::string => ExprKind::Str(self.string(node).text),
            Rule::text => ExprKind::Text(self.text_literal(&node).text),
            Rule::true_lit => ExprKind::Bool(true),
            Rule::false_lit => ExprKind::Bool(false),
            Rule::none => ExprKind::None,
            Rule::damage => ExprKind::Error,
            Rule::quant => return self.quant(node),
            Rule::if_e => return self.if_expr(node),
            Rule::match_e => self.match_expr(node),
            Rule::let_e => return self.let_expr(node),
            Rule::diagram => self.diagram(node),
            Rule::filter => {
                let binder = Parts::of(node).need();
                ExprKind::Filter(self.binder(binder))
            }
            Rule::setlit => self.set(node),
            Rule::listlit => {
                let nodes = Parts::of(node).take_all(Rule::expr);
                ExprKind::List(self.elements(nodes))
            }
            Rule::paren => {
                let mut exprs = self.exprs(node);
                match exprs.pop() {
                    Some(only) if exprs.is_empty() => ExprKind::Paren(only),
                    last => {
                        exprs.extend(last);
                        ExprKind::Tuple(exprs)
                    }
                }
            }
            other => unreachable!("{other:?} is no operand"),
        };
        Expr::new(kind, span)
    }

    fn quant(&mut self, node: RulePair) -> Expr {
        let start = self.span(&node);
        let mut parts = Parts::of(node);
        let quantifier = quantifier(parts.need().as_str());
        let binders = self.binders(&mut parts);
        let body = self.expr(parts.need());
        let span = start.at_start().to(body.span);
        Expr::new(ExprKind::Quant(quantifier, binders, body), span)
    }

    /// Builds the next binders.
    pub(super) fn binders(&mut self, parts: &mut Parts) -> Vec<Binder> {
        parts.take_all(Rule::binder).into_iter().map(|node| self.binder(node)).collect()
    }

    /// Builds `x in S where e`.
    pub(super) fn binder(&mut self, node: RulePair) -> Binder {
        let mut parts = Parts::of(node);
        let pattern = self.pattern(parts.need());
        let domain = self.range(parts.need());
        let condition = parts.next().map(|node| self.expr(node));
        let span = pattern.span().to(condition.as_ref().map_or(domain.span, |e| e.span));
        Binder { pattern, domain, condition, span }
    }

    /// Builds a pattern of one or several variables; parentheses around a single pattern have no meaning.
    pub(super) fn pattern(&mut self, node: RulePair) -> Pattern {
        let span = self.span(&node);
        let mut parts = Parts::of(node);
        if let Some(name) = parts.take(Rule::ident) {
            return Pattern::Name(self.name(name));
        }
        let mut inner: Vec<_> =
            parts.take_all(Rule::pattern).into_iter().map(|node| self.pattern(node)).collect();
        match inner.pop() {
            Some(only) if inner.is_empty() => only,
            last => {
                inner.extend(last);
                Pattern::Tuple(inner, span)
            }
        }
    }

    fn if_expr(&mut self, node: RulePair) -> Expr {
        let start = self.span(&node);
        let mut parts = Parts::of(node);
        let condition = self.expr(parts.need());
        let then = self.expr(parts.need());
        let otherwise = self.expr(parts.need());
        let span = start.at_start().to(otherwise.span);
        Expr::new(ExprKind::If(condition, then, otherwise), span)
    }

    fn match_expr(&mut self, node: RulePair) -> ExprKind {
        let mut parts = Parts::of(node);
        let subject = self.range(parts.need());
        let nodes = parts.take_all(Rule::arm);
        self.report_cases(&nodes);
        let arms = nodes.into_iter().map(|node| self.arm(node)).collect();
        ExprKind::Match(subject, arms)
    }

    fn arm(&mut self, node: RulePair) -> Arm {
        let start = self.span(&node);
        let mut parts = Parts::of(node);
        let pattern = match parts.take(Rule::range) {
            Some(node) => Some(match behind_case(&node) {
                Some((_, call)) => {
                    let span = self.span(&call);
                    Expr::new(ExprKind::Tuple(self.exprs(call)), span)
                }
                None => self.range(node),
            }),
            None => {
                parts.next();
                None
            }
        };
        let value = self.expr(parts.need());
        let span = start.at_start().to(value.span);
        Arm { pattern, value, span }
    }

    /// Reports the word `case` before the tuples of arms, as other languages have it.
    fn report_cases(&mut self, arms: &[RulePair]) {
        let mut words = Vec::new();
        for arm in arms {
            let pattern = Parts::of(arm.clone()).take(Rule::range);
            if let Some((word, call)) = pattern.as_ref().and_then(behind_case) {
                words.push((self.span(&word), self.span(&call).at_start()));
            }
        }
        let Some((first, _)) = words.first() else { return };
        let title = "an arm of a `match` begins with its value, without `case`";
        let found = Diagnostic::new(Code::E0013, title, *first, "").help("leave the word out");
        let found =
            words.iter().fold(found, |found, (word, call)| found.edit(Span { end: call.start, ..*word }, ""));
        self.diagnostics.push(found);
    }

    fn let_expr(&mut self, node: RulePair) -> Expr {
        let start = self.span(&node);
        let mut parts = Parts::of(node);
        let pattern = self.pattern(parts.need());
        let value = self.expr(parts.need());
        let body = self.expr(parts.need());
        let span = start.at_start().to(body.span);
        Expr::new(ExprKind::Let(pattern, value, body), span)
    }

    fn diagram(&mut self, node: RulePair) -> ExprKind {
        let mut parts = Parts::of(node);
        let picture = match parts.take(Rule::text) {
            Some(text) => Picture::Text(self.text_literal(&text)),
            None => Picture::Named(self.name(parts.need())),
        };
        let mut signs = Vec::new();
        for sign in parts.take_all(Rule::sign) {
            let mut parts = Parts::of(sign);
            let letter = self.string(parts.need());
            signs.push((letter, self.expr(parts.need())));
        }
        ExprKind::Diagram(picture, signs)
    }

    fn set(&mut self, node: RulePair) -> ExprKind {
        let mut parts = Parts::of(node);
        let nodes = parts.take_all(Rule::expr);
        let mut elements = match parts.peek() {
            Some(Rule::comprehension) => nodes.into_iter().map(|node| self.expr(node)).collect(),
            _ => self.elements(nodes),
        };
        match parts.take(Rule::comprehension) {
            Some(node) => {
                let binders = self.binders(&mut Parts::of(node));
                let element =
                    elements.pop().unwrap_or_else(|| unreachable!("an element stands before `for`"));
                ExprKind::Comprehension(element, binders)
            }
            None => ExprKind::Set(elements),
        }
    }

    /// Builds the elements of a set or list, and reports the commas that are missing between tuples.
    fn elements(&mut self, nodes: Vec<RulePair>) -> Vec<Expr> {
        let mut elements = Vec::new();
        let mut gaps = Vec::new();
        for node in nodes {
            match tuples_in_a_row(&node) {
                Some(tuples) => {
                    for tuple in tuples {
                        let span = self.span(&tuple);
                        elements.push(Expr::new(ExprKind::Tuple(self.exprs(tuple)), span));
                        gaps.push(span);
                    }
                    gaps.pop();
                }
                None => elements.push(self.expr(node)),
            }
        }
        if let Some(first) = gaps.first() {
            let help = "insert `,` between the elements";
            let found = Diagnostic::new(Code::E0013, MISSING_COMMA, *first, "").help(help);
            self.diagnostics.push(gaps.iter().fold(found, |found, gap| found.edit(gap.at_end(), ",")));
        }
        elements
    }

    /// Builds a `type`.
    pub(super) fn ty(&mut self, node: RulePair) -> Type {
        let span = self.span(&node);
        let mut parts = Parts::of(node);
        let first = parts.need();
        let inner = match first.as_rule() {
            Rule::set_type => TypeKind::Set(Box::new(self.ty(Parts::of(first).need()))),
            Rule::list_type => TypeKind::List(Box::new(self.ty(Parts::of(first).need()))),
            Rule::bool_type => TypeKind::Bool,
            Rule::range => TypeKind::Expr(self.range(first)),
            _ => self.tuple_type(first, &mut parts),
        };
        match parts.take(Rule::optional) {
            Some(sign) => {
                let end = self.span(&sign).start;
                let inner_span = Span { end: end.max(span.start), ..span };
                Type { kind: TypeKind::Option(Box::new(Type { kind: inner, span: inner_span })), span }
            }
            None => Type { kind: inner, span },
        }
    }

    /// Builds a type that begins with a parenthesis: a product, a type in parentheses, or a range such as
    /// `(n + 1) / 2..n`.
    fn tuple_type(&mut self, node: RulePair, parts: &mut Parts) -> TypeKind {
        let span = self.span(&node);
        let mut members: Vec<_> =
            Parts::of(node).take_all(Rule::r#type).into_iter().map(|node| self.ty(node)).collect();
        let is_range = !matches!(parts.peek(), None | Some(Rule::optional));
        if !is_range && members.len() > 1 {
            return TypeKind::Tuple(members);
        }
        if !is_range && members.iter().all(|member| as_expr(member).is_none()) {
            let only = members.pop().unwrap_or_else(|| unreachable!("parentheses hold a type"));
            return only.kind;
        }
        let exprs: Option<Vec<Expr>> = members.iter().map(as_expr).collect();
        let kind = match exprs {
            Some(mut exprs) if exprs.len() == 1 => ExprKind::Paren(exprs.remove(0)),
            Some(exprs) => ExprKind::Tuple(exprs),
            None => {
                self.report_type_as_term(span);
                ExprKind::Error
            }
        };
        let pairs = parts.pairs.clone();
        let mut row = OperatorChain { head: Some(Expr::new(kind, span)), parts: Parts { pairs } };
        let range = self.interval(&mut row);
        parts.pairs = row.parts.pairs;
        TypeKind::Expr(range)
    }

    fn report_type_as_term(&mut self, span: Span) {
        let title = "a type stands where the end of a range is computed";
        self.diagnostics.push(
            Diagnostic::new(Code::E0013, title, span, "this is a type")
                .help("a range goes from one number to another: `(n + 1) / 2..n`"),
        );
    }
}

/// The word `case` of a pattern such as `case (a, b)`, and the tuple behind it, which the grammar takes for a call.
fn behind_case<'i>(pattern: &RulePair<'i>) -> Option<(RulePair<'i>, RulePair<'i>)> {
    let mut parts = Parts::of(pattern.clone());
    let word = parts.take(Rule::ident).filter(|word| word.as_str() == "case")?;
    let call =
        parts.take(Rule::call).filter(|call| Parts::of(call.clone()).take_all(Rule::expr).len() > 1)?;
    parts.next().is_none().then_some((word, call))
}

/// The tuples of a term such as `(1, 2) (2, 3)`, which the grammar takes for a call of a tuple.
fn tuples_in_a_row<'i>(node: &RulePair<'i>) -> Option<Vec<RulePair<'i>>> {
    let parts: Vec<_> = std::iter::from_fn({
        let mut parts = Parts::of(node.clone());
        move || parts.next()
    })
    .collect();
    let is_tuple = |pair: &RulePair| Parts::of(pair.clone()).take_all(Rule::expr).len() > 1;
    let begins = parts.len() > 1 && parts[0].as_rule() == Rule::paren;
    let is_row =
        begins && parts[1..].iter().all(|pair| pair.as_rule() == Rule::call) && parts.iter().all(is_tuple);
    is_row.then_some(parts)
}

/// Converts a type that is written as an expression to this expression.
fn as_expr(ty: &Type) -> Option<Expr> {
    match &ty.kind {
        TypeKind::Expr(expr) => Some(expr.clone()),
        TypeKind::Tuple(members) => {
            let exprs: Option<Vec<_>> = members.iter().map(as_expr).collect();
            exprs.map(|exprs| Expr::new(ExprKind::Tuple(exprs), ty.span))
        }
        _ => None,
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr::new(ExprKind::Binary(op, left, right), span)
}

/// The comparison that a token denotes.
pub(super) fn comparison_sign(sign: &str) -> CmpOp {
    match sign.trim_end() {
        "=" => CmpOp::Equal,
        "==" => CmpOp::DoubleEqual,
        "!=" => CmpOp::NotEqual,
        "<" => CmpOp::Less,
        "<=" => CmpOp::LessEqual,
        ">" => CmpOp::Greater,
        ">=" => CmpOp::GreaterEqual,
        "in" => CmpOp::In,
        "is" => CmpOp::Is,
        _ => CmpOp::NotIn,
    }
}

fn quantifier(word: &str) -> Quantifier {
    match word {
        "some" => Quantifier::Some,
        "all" => Quantifier::All,
        "no" => Quantifier::No,
        "one" => Quantifier::One,
        "count" => Quantifier::Count,
        "sum" => Quantifier::Sum,
        "min" => Quantifier::Min,
        "max" => Quantifier::Max,
        _ => Quantifier::Union,
    }
}
