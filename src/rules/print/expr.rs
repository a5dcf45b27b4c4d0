//! Prints expressions in the language's syntax.
//!
//! A text has a precedence level, as in the grammar: 0 `implies iff`, 1 `or`, 2 `and`, 3 `not`, 4 comparisons, 5 `..`,
//! 6 `+ - |`, 7 `* / mod &`, 8 prefix `- #`, 9 the rest. An operand of a lower level than its position requires gets
//! parentheses. Quantifiers, folds, `if` and `let` are *open*: they may occur anywhere but extend as far to the right
//! as possible, so they need parentheses exactly where something of the same expression follows (`tail` is false).

use super::values::{self, Precedence};
use crate::{
    Arith, Arm, ArmPattern, Binder, BoardFn, BoardId, Domain, Expr, ExprKind, Pattern, Quant, RecordId,
    Rules, SetOp, Type, VarId, Vars,
};

/// Prints the expressions of one item.
pub(super) struct ExprPrinter<'a> {
    pub rules: &'a Rules,
    pub vars: &'a Vars,
}

/// An infix operator, with the levels that it requires of its operands.
#[derive(Clone, Copy)]
struct Infix {
    word: &'static str,
    left: Precedence,
    right: Precedence,
}

impl Infix {
    /// Makes an operator that requires the same level of both operands.
    fn non_associative(word: &'static str, operands: Precedence) -> Infix {
        Infix { word, left: operands, right: operands }
    }

    /// Makes an operator of this level: a chain of them needs no parentheses to group from the left.
    fn left_associative(word: &'static str, level: Precedence) -> Infix {
        Infix { word, left: level, right: level + 1 }
    }
}

impl ExprPrinter<'_> {
    /// Prints a whole expression.
    pub fn full(&self, e: &Expr) -> String {
        self.at(e, 0, true)
    }

    /// Prints an operand in a position that requires at least this level.
    fn at(&self, e: &Expr, wanted: Precedence, tail: bool) -> String {
        let parentheses = if is_open(e) { !tail } else { self.level(e) < wanted };
        let text = self.node(e, tail || parentheses);
        if parentheses { format!("({text})") } else { text }
    }

    fn level(&self, e: &Expr) -> Precedence {
        use ExprKind::*;
        match &*e.kind {
            Const(value) => values::value(self.rules, value).1,
            And(parts) | Or(parts) if parts.len() == 1 => self.level(&parts[0]),
            And(parts) | Or(parts) if parts.is_empty() => 9,
            Implies(..) | Iff(..) => 0,
            Or(_) => 1,
            And(_) => 2,
            Not(inner) if matches!(&*inner.kind, Equal(..) | In(..)) => 4,
            Not(_) => 3,
            Equal(..) | Less(..) | LessEqual(..) | In(..) | Subset(..) => 4,
            Range(..) => 5,
            Board(BoardFn::Step, ..) | SetOp(self::SetOp::Union | self::SetOp::Minus, ..) => 6,
            Arith { op: self::Arith::Add | self::Arith::Sub, .. } => 6,
            Arith { op: self::Arith::Mul | self::Arith::Div | self::Arith::Mod, .. } => 7,
            SetOp(self::SetOp::Intersect, ..) => 7,
            Negate(_) | Card(_) => 8,
            _ => 9,
        }
    }

    fn node(&self, e: &Expr, tail: bool) -> String {
        use ExprKind::*;
        match &*e.kind {
            Const(value) => values::value(self.rules, value).0,
            Undefined => "undefined".into(),
            Var(id) => self.var(*id),
            Me => "me".into(),
            Field(id, keys) => {
                let name = self.rules.fields.get(*id).map_or(id.to_string(), |f| f.name.clone());
                format!("{name}{}", self.bracketed(keys))
            }
            Table(id, keys) => {
                let name = self.rules.tables.get(*id).map_or(id.to_string(), |t| t.name.clone());
                format!("{name}{}", self.bracketed(keys))
            }
            Call(id, args) => {
                let name = self.rules.defs.get(*id).map_or(id.to_string(), |d| d.name.clone());
                if args.is_empty() { name } else { self.applied(&name, args) }
            }
            Board(function, board, args) => self.board(*function, *board, args, tail),
            Flood(_, from, within) => format!("flood({}, {})", self.full(from), self.full(within)),
            Stuck => "stuck".into(),
            StuckPlayer(player) => format!("stuck({})", self.full(player)),
            Not(_) | And(_) | Or(_) | Implies(..) | Iff(..) => self.formula(e, tail),
            Equal(a, b) => self.infix(a, Infix::non_associative("=", 5), b, tail),
            Less(a, b) => self.infix(a, Infix::non_associative("<", 5), b, tail),
            LessEqual(a, b) => self.infix(a, Infix::non_associative("<=", 5), b, tail),
            In(a, b) => self.infix(a, Infix::non_associative("in", 5), b, tail),
            Subset(a, b) => self.infix(a, Infix::non_associative("subset", 5), b, tail),
            Defined(inner) => format!("defined({})", self.full(inner)),
            Quant(quant, binders, body) => {
                let word = match quant {
                    self::Quant::Some => "some",
                    self::Quant::All => "all",
                    self::Quant::No => "no",
                };
                format!("{word} {}: {}", self.binders(binders), self.at(body, 0, tail))
            }
            Fold(fold, binders, body) => {
                format!("{} {}: {}", fold.word(), self.binders(binders), self.at(body, 0, tail))
            }
            _ => self.term(e, tail),
        }
    }

    /// Prints a formula with a connective.
    fn formula(&self, e: &Expr, tail: bool) -> String {
        use ExprKind::*;
        match &*e.kind {
            Not(inner) => match &*inner.kind {
                Equal(a, b) => self.infix(a, Infix::non_associative("!=", 5), b, tail),
                In(a, b) => self.infix(a, Infix::non_associative("not in", 5), b, tail),
                _ => format!("not {}", self.at(inner, 3, tail)),
            },
            And(parts) if parts.is_empty() => "true".into(),
            Or(parts) if parts.is_empty() => "false".into(),
            And(parts) => self.chain(parts, " and ", 3, tail),
            Or(parts) => self.chain(parts, " or ", 2, tail),
            Implies(a, b) => self.infix(a, Infix::non_associative("implies", 1), b, tail),
            Iff(a, b) => self.infix(a, Infix::non_associative("iff", 1), b, tail),
            _ => self.node(e, tail),
        }
    }

    /// Prints a term.
    fn term(&self, e: &Expr, tail: bool) -> String {
        use ExprKind::*;
        match &*e.kind {
            Arith { op, exact, left, right } => self.arith(*op, *exact, left, right, tail),
            Negate(inner) => format!("-{}", self.at(inner, 8, tail)),
            Card(inner) => format!("#{}", self.at(inner, 8, tail)),
            SetOp(self::SetOp::Union, a, b) => self.infix(a, Infix::left_associative("|", 6), b, tail),
            SetOp(self::SetOp::Minus, a, b) => self.infix(a, Infix::left_associative("-", 6), b, tail),
            SetOp(self::SetOp::Intersect, a, b) => self.infix(a, Infix::left_associative("&", 7), b, tail),
            SetOf(parts) if parts.is_empty() => "{}".into(),
            SetOf(parts) => {
                // A lone membership would parse as a binder.
                let lone = matches!(&parts[..], [one] if matches!(&*one.kind, In(..)));
                format!("{{ {} }}", self.listed(parts, if lone { 5 } else { 0 }))
            }
            Range(a, b) => format!("{}..{}", self.at(a, 6, false), self.at(b, 6, tail)),
            Tuple(record, parts) => self.tuple(*record, parts),
            List(parts) => format!("[{}]", self.listed(parts, 0)),
            Part(inner, n) => {
                format!("{}.{}", self.at(inner, 9, false), part_name(self.rules, &inner.ty, *n))
            }
            Present(inner) => format!("{}!", self.at(inner, 9, false)),
            Collect(binders, body) => self.collect(binders, body),
            If(c, a, b) => {
                format!("if {} then {} else {}", self.full(c), self.full(a), self.at(b, 0, tail))
            }
            Match(on, arms) => {
                let arms: Vec<String> = arms.iter().map(|arm| self.arm(arm)).collect();
                format!("match {} {{ {} }}", self.at(on, 5, true), arms.join(", "))
            }
            Let(pattern, value, body) => {
                let value = self.full(value);
                format!("let {} = {value}: {}", self.pattern(pattern), self.at(body, 0, tail))
            }
            _ => self.node(e, tail),
        }
    }

    fn arith(&self, op: Arith, exact: bool, left: &Expr, right: &Expr, tail: bool) -> String {
        match op {
            Arith::Add => self.infix(left, Infix::left_associative("+", 6), right, tail),
            Arith::Sub => self.infix(left, Infix::left_associative("-", 6), right, tail),
            Arith::Mul => self.infix(left, Infix::left_associative("*", 7), right, tail),
            Arith::Div if exact => self.infix(left, Infix::left_associative("/ exact", 7), right, tail),
            Arith::Div => self.infix(left, Infix::left_associative("/", 7), right, tail),
            Arith::Mod => self.infix(left, Infix::left_associative("mod", 7), right, tail),
            Arith::Min => format!("min({}, {})", self.full(left), self.full(right)),
            Arith::Max => format!("max({}, {})", self.full(left), self.full(right)),
        }
    }

    fn board(&self, function: BoardFn, board: BoardId, args: &[Expr], tail: bool) -> String {
        let (word, rest) = match function {
            BoardFn::Step => match args {
                [c, d] => return self.infix(c, Infix::left_associative("+", 6), d, tail),
                _ => return self.applied("step", args),
            },
            BoardFn::At => {
                let name = self.rules.boards.get(board).map_or(board.to_string(), |b| b.name.clone());
                return self.applied(&name, args);
            }
            BoardFn::Dir => return self.applied("dir", args),
            BoardFn::Aligned => return self.applied("aligned", args),
            BoardFn::Diagonal => return self.applied("diagonal", args),
            BoardFn::Orthogonal => return self.applied("orthogonal", args),
            BoardFn::Between => return self.applied("between", args),
            BoardFn::Beyond => return self.applied("beyond", args),
            BoardFn::Ray => return self.applied("ray", args),
            BoardFn::Col => ("col", false),
            BoardFn::Row => ("row", false),
            BoardFn::Level => ("level", false),
            BoardFn::Index => ("index", false),
            BoardFn::Reading => ("reading", false),
            BoardFn::Neighbors => ("neighbors", false),
            BoardFn::Diagonals => ("diagonals", false),
            BoardFn::Around => ("around", false),
            BoardFn::Leap => ("leap", true),
            BoardFn::Transpose => ("transpose", false),
            BoardFn::Sides => ("sides", false),
            BoardFn::Boxes => ("boxes", false),
            BoardFn::Ends => ("ends", false),
            BoardFn::Edges => ("edges", false),
        };
        match args {
            [of] if !rest => format!("{}.{word}", self.at(of, 9, false)),
            [of, more @ ..] if rest => format!("{}.{}", self.at(of, 9, false), self.applied(word, more)),
            _ => self.applied(word, args),
        }
    }

    fn collect(&self, binders: &[Binder], body: &Expr) -> String {
        if let ([binder], ExprKind::Var(id)) = (binders, &*body.kind)
            && matches!(&binder.pattern, Pattern::Var(bound) if bound == id)
        {
            return format!("{{ {} }}", self.binders(binders));
        }
        format!("{{ {} for {} }}", self.full(body), self.binders(binders))
    }

    fn tuple(&self, record: Option<RecordId>, parts: &[Expr]) -> String {
        match record {
            Some(id) => {
                let name = self.rules.records.get(id).map_or(id.to_string(), |r| r.name.clone());
                self.applied(&name, parts)
            }
            None => format!("({})", self.listed(parts, 0)),
        }
    }

    fn arm(&self, arm: &Arm) -> String {
        format!("{} => {}", self.arm_pattern(&arm.pattern), self.full(&arm.value))
    }

    fn arm_pattern(&self, pattern: &ArmPattern) -> String {
        match pattern {
            ArmPattern::Any => "_".into(),
            ArmPattern::Value(e) => self.at(e, 5, true),
            ArmPattern::OneOf(e) => format!("in {}", self.at(e, 5, true)),
            ArmPattern::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.arm_pattern(p)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }

    /// Prints `x in S where f, y in T`.
    pub fn binders(&self, binders: &[Binder]) -> String {
        let texts: Vec<String> = binders.iter().map(|b| self.binder(b)).collect();
        texts.join(", ")
    }

    fn binder(&self, binder: &Binder) -> String {
        let domain = match &binder.domain {
            Domain::Fixed(items) => values::set(self.rules, items).0,
            Domain::Set(e) => self.at(e, 5, true),
        };
        let mut text = format!("{} in {domain}", self.pattern(&binder.pattern));
        if let Some(condition) = &binder.condition {
            text.push_str(&format!(" where {}", self.full(condition)));
        }
        text
    }

    pub fn pattern(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Var(id) => self.var(*id),
            Pattern::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.pattern(p)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }

    /// The name of a variable, followed by its id if another variable of the item shares the name.
    pub fn var(&self, id: VarId) -> String {
        let Some(var) = self.vars.get(id) else { return id.to_string() };
        let namesakes = self.vars.iter().filter(|other| other.name == var.name).count();
        if namesakes > 1 { format!("{}_{id}", var.name) } else { var.name.clone() }
    }

    fn infix(&self, a: &Expr, operator: Infix, b: &Expr, tail: bool) -> String {
        let Infix { word, left, right } = operator;
        format!("{} {word} {}", self.at(a, left, false), self.at(b, right, tail))
    }

    fn chain(&self, parts: &[Expr], joint: &str, level: Precedence, tail: bool) -> String {
        let last = parts.len() - 1;
        let single = if last == 0 { 0 } else { level };
        let texts: Vec<String> =
            parts.iter().enumerate().map(|(i, p)| self.at(p, single, tail && i == last)).collect();
        texts.join(joint)
    }

    fn listed(&self, parts: &[Expr], level: Precedence) -> String {
        parts.iter().map(|p| self.at(p, level, true)).collect::<Vec<_>>().join(", ")
    }

    fn applied(&self, name: &str, args: &[Expr]) -> String {
        format!("{name}({})", self.listed(args, 0))
    }

    /// Prints the keys of a field or table.
    pub fn bracketed(&self, keys: &[Expr]) -> String {
        if keys.is_empty() { String::new() } else { format!("[{}]", self.listed(keys, 0)) }
    }
}

/// The name of a part of a record, or the index from 1 of a part of a tuple.
pub(super) fn part_name(rules: &Rules, ty: &Type, n: u32) -> String {
    let named = match ty.present() {
        Type::Record(id) => rules.records.get(*id).and_then(|r| r.parts.get(n as usize)),
        _ => None,
    };
    named.map_or((n + 1).to_string(), |(name, _)| name.clone())
}

fn is_open(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::And(parts) | ExprKind::Or(parts) if parts.len() == 1 => is_open(&parts[0]),
        ExprKind::Quant(..) | ExprKind::Fold(..) | ExprKind::If(..) | ExprKind::Let(..) => true,
        _ => false,
    }
}
