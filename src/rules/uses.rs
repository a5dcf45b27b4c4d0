//! The uses of definitions by definitions, with their polarity: a group of inductive definitions has a least fixpoint if
//! all uses within it are positive (stratification); and the parts of an expression with the definitions that it calls.

use bouton_base::source::Span;

use crate::{DefId, Domain, Expr, ExprKind, Quant, Rules};

/// The polarity of an occurrence of a definition in the body of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Polarity {
    /// More of it makes more of the whole.
    Positive,
    /// More of it may make less of the whole.
    Negative,
    /// It is counted, summed, or collected in a set.
    Counted,
}

/// A use of one definition by another.
#[derive(Clone, Debug)]
pub struct DefUse {
    pub from: DefId,
    pub to: DefId,
    pub sign: Polarity,
    pub span: Span,
}

/// The uses of definitions by definitions, in the order of the text.
pub fn def_uses(rules: &Rules) -> Vec<DefUse> {
    let mut uses = Vec::new();
    for (id, def) in rules.defs.entries() {
        collect_uses(id, &def.body, Polarity::Positive, &mut uses);
    }
    uses
}

impl Rules {
    /// Returns true if an expression, or a definition that it calls, has a part of this kind.
    pub fn mentions(&self, expr: &Expr, is_it: &dyn Fn(&ExprKind) -> bool) -> bool {
        let mut pending = vec![expr];
        let mut called = vec![false; self.defs.len()];
        while let Some(expr) = pending.pop() {
            if is_it(&expr.kind) {
                return true;
            }
            if let ExprKind::Call(id, _) = &*expr.kind
                && !std::mem::replace(&mut called[id.0 as usize], true)
            {
                pending.push(&self.defs[*id].body);
            }
            expr.each_part(&mut |part| pending.push(part));
        }
        false
    }
}

/// Collects all definitions that an expression uses, with their polarity.
fn collect_uses(from: DefId, expr: &Expr, sign: Polarity, out: &mut Vec<DefUse>) {
    let flip = |s: Polarity| if s == Polarity::Positive { Polarity::Negative } else { s };
    let mut go = |e: &Expr, s: Polarity| collect_uses(from, e, s, out);
    match &*expr.kind {
        ExprKind::Call(to, args) => {
            // An argument selects the instance, so its truth value acts in neither direction.
            args.iter().for_each(|a| go(a, flip(sign)));
            out.push(DefUse { from, to: *to, sign, span: expr.span });
        }
        ExprKind::Not(inner) => go(inner, flip(sign)),
        ExprKind::Implies(a, b) => {
            go(a, flip(sign));
            go(b, sign);
        }
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().for_each(|p| go(p, sign)),
        ExprKind::Quant(quant, binders, body) => {
            for binder in binders {
                if let Domain::Set(set) = &binder.domain {
                    go(set, flip(sign));
                }
                // `all x in S where f: g` needs g wherever f holds.
                let kept = if *quant == Quant::Some { sign } else { flip(sign) };
                binder.condition.iter().for_each(|c| go(c, kept));
            }
            go(body, if *quant == Quant::No { flip(sign) } else { sign });
        }
        ExprKind::If(condition, yes, no) => {
            go(condition, flip(sign));
            go(yes, sign);
            go(no, sign);
        }
        ExprKind::Match(scrutinee, arms) => {
            go(scrutinee, flip(sign));
            arms.iter().for_each(|arm| go(&arm.value, sign));
        }
        ExprKind::Let(_, value, body) => {
            go(value, flip(sign));
            go(body, sign);
        }
        ExprKind::Fold(..) | ExprKind::Collect(..) | ExprKind::Card(_) | ExprKind::Defined(_) => {
            expr.each_part(&mut |child| collect_uses(from, child, Polarity::Counted, out));
        }
        _ => {
            let inner = flip(sign);
            expr.each_part(&mut |child| collect_uses(from, child, inner, out));
        }
    }
}
