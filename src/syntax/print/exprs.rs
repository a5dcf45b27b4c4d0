//! Prints expressions, types and strings.

use super::put;
use crate::ast::{
    BinaryOp, Binder, CmpOp, Expr, ExprKind, Pattern, Picture, Quantifier, Template, TemplatePart, Type,
    TypeKind, UnaryOp,
};

/// Writes parts with commas between them.
pub(super) fn list<T>(out: &mut String, parts: &[T], print: impl Fn(&mut String, &T)) {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        print(out, part);
    }
}

pub fn expr(out: &mut String, tree: &Expr) {
    match &*tree.kind {
        ExprKind::Name(word) | ExprKind::Number(word) => out.push_str(word),
        ExprKind::Str(text) => out.push_str(&quoted(text)),
        ExprKind::Text(text) => [r#"""""#, text, r#"""""#].iter().for_each(|part| out.push_str(part)),
        ExprKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        ExprKind::None => out.push_str("none"),
        ExprKind::Error => out.push_str("/* damaged */ none"),
        ExprKind::Unary(op, operand) => {
            out.push_str(match op {
                UnaryOp::Not => "not ",
                UnaryOp::Negate => "-",
                UnaryOp::Count => "#",
            });
            expr(out, operand);
        }
        ExprKind::Binary(op, left, right) => {
            expr(out, left);
            [" ", operator(*op), " "].iter().for_each(|part| out.push_str(part));
            expr(out, right);
        }
        ExprKind::Compare(first, rest) => {
            expr(out, first);
            for (op, operand) in rest {
                [" ", comparison(*op), " "].iter().for_each(|part| out.push_str(part));
                expr(out, operand);
            }
        }
        ExprKind::Range(low, high) => {
            expr(out, low);
            out.push_str("..");
            expr(out, high);
        }
        ExprKind::Call(head, arguments) => row(out, Some(head), "(", arguments, ")"),
        ExprKind::Index(head, keys) => row(out, Some(head), "[", keys, "]"),
        ExprKind::Part(head, name) => {
            expr(out, head);
            out.push('.');
            out.push_str(&name.text);
        }
        ExprKind::Tuple(members) => row(out, None, "(", members, ")"),
        ExprKind::Paren(inner) => row(out, None, "(", std::slice::from_ref(inner), ")"),
        ExprKind::List(elements) => row(out, None, "[", elements, "]"),
        ExprKind::Set(elements) if elements.is_empty() => out.push_str("{}"),
        ExprKind::Set(elements) => row(out, None, "{ ", elements, " }"),
        ExprKind::Filter(range) => {
            out.push_str("{ ");
            binder(out, range);
            out.push_str(" }");
        }
        ExprKind::Comprehension(element, ranges) => {
            out.push_str("{ ");
            expr(out, element);
            out.push_str(" for ");
            list(out, ranges, binder);
            out.push_str(" }");
        }
        _ => binding(out, &tree.kind),
    }
}

/// Writes an expression that begins with a keyword.
fn binding(out: &mut String, kind: &ExprKind) {
    match kind {
        ExprKind::Quant(quantifier, ranges, body) => {
            out.push_str(quantifier_word(*quantifier));
            out.push(' ');
            list(out, ranges, binder);
            out.push_str(": ");
            expr(out, body);
        }
        ExprKind::If(condition, then, otherwise) => {
            for (word, part) in [("if ", condition), (" then ", then), (" else ", otherwise)] {
                out.push_str(word);
                expr(out, part);
            }
        }
        ExprKind::Match(subject, arms) => {
            out.push_str("match ");
            expr(out, subject);
            out.push_str(" { ");
            list(out, arms, |out, arm| {
                match &arm.pattern {
                    Some(value) => expr(out, value),
                    None => out.push('_'),
                }
                out.push_str(" => ");
                expr(out, &arm.value);
            });
            out.push_str(" }");
        }
        ExprKind::Let(name, value, body) => {
            out.push_str("let ");
            pattern(out, name);
            out.push_str(" = ");
            expr(out, value);
            out.push_str(": ");
            expr(out, body);
        }
        ExprKind::Diagram(picture, signs) => {
            match picture {
                Picture::Text(picture) => put(out, &["diagram \"\"\"", &picture.text, "\"\"\" { "]),
                Picture::Named(name) => put(out, &["diagram ", &name.text, " { "]),
            }
            list(out, signs, |out, (sign, value)| {
                out.push_str(&quoted(&sign.text));
                out.push_str(" => ");
                expr(out, value);
            });
            out.push_str(" }");
        }
        _ => {}
    }
}

fn row(out: &mut String, head: Option<&Expr>, open: &str, parts: &[Expr], close: &str) {
    if let Some(head) = head {
        expr(out, head);
    }
    out.push_str(open);
    list(out, parts, expr);
    out.push_str(close);
}

/// Writes `x in S where e`.
pub(super) fn binder(out: &mut String, range: &Binder) {
    pattern(out, &range.pattern);
    out.push_str(" in ");
    expr(out, &range.domain);
    if let Some(condition) = &range.condition {
        out.push_str(" where ");
        expr(out, condition);
    }
}

pub(super) fn pattern(out: &mut String, what: &Pattern) {
    match what {
        Pattern::Name(name) => out.push_str(&name.text),
        Pattern::Tuple(patterns, _) => {
            out.push('(');
            list(out, patterns, pattern);
            out.push(')');
        }
    }
}

pub fn ty(out: &mut String, tree: &Type) {
    match &tree.kind {
        TypeKind::Bool => out.push_str("bool"),
        TypeKind::Set(of) | TypeKind::List(of) => {
            out.push_str(if matches!(tree.kind, TypeKind::Set(_)) { "set of " } else { "list of " });
            ty(out, of);
        }
        TypeKind::Option(of)
            if matches!(of.kind, TypeKind::Set(_) | TypeKind::List(_) | TypeKind::Option(_)) =>
        {
            out.push('(');
            ty(out, of);
            out.push_str(")?");
        }
        TypeKind::Option(of) => {
            ty(out, of);
            out.push('?');
        }
        TypeKind::Tuple(members) => {
            out.push('(');
            list(out, members, ty);
            out.push(')');
        }
        TypeKind::Expr(set) => expr(out, set),
    }
}

/// Quotes a string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    escape(&mut out, text, false);
    out.push('"');
    out
}

fn escape(out: &mut String, text: &str, is_template: bool) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '{' if is_template => out.push_str("\\{"),
            _ => out.push(c),
        }
    }
}

/// Writes a string with placeholders.
pub(super) fn template(out: &mut String, name: &Template) {
    out.push('"');
    for part in &name.parts {
        match part {
            TemplatePart::Text(text) => escape(out, text, true),
            TemplatePart::Placeholder(hole) => {
                out.push('{');
                expr(out, hole);
                out.push('}');
            }
        }
    }
    out.push('"');
}

/// The text of an operator.
pub fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Implies => "implies",
        BinaryOp::Iff => "iff",
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Union => "|",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Mod => "mod",
        BinaryOp::Intersect => "&",
    }
}

/// The text of a comparison; `==` stays, since the tree distinguishes it.
pub fn comparison(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Equal => "=",
        CmpOp::DoubleEqual => "==",
        CmpOp::NotEqual => "!=",
        CmpOp::Less => "<",
        CmpOp::LessEqual => "<=",
        CmpOp::Greater => ">",
        CmpOp::GreaterEqual => ">=",
        CmpOp::In => "in",
        CmpOp::NotIn => "not in",
        CmpOp::Is => "is",
    }
}

/// The keyword of a quantifier.
pub fn quantifier_word(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Some => "some",
        Quantifier::All => "all",
        Quantifier::No => "no",
        Quantifier::One => "one",
        Quantifier::Count => "count",
        Quantifier::Sum => "sum",
        Quantifier::Min => "min",
        Quantifier::Max => "max",
        Quantifier::Union => "union",
    }
}
