//! Lowering of chance moves: the events that may happen, each with an integer weight.

use std::rc::Rc;

use super::control::ControlBuilder;
use super::cx::{Cx, Static, Term};
use super::moves::MoveSet;
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::source::Span;
use bouton_circuit::{Stmt, StmtBlock, ValueId};
use bouton_rules::{Arith, Expr, ExprKind, MoveInstance, Value};

/// The maximal common denominator of weights, and the maximal weight with it: their sum stays below 2^63.
const MAX_WEIGHT: i64 = 1 << 40;

/// A number with a denominator that is known before play.
struct ScaledTerm {
    term: Term,
    denominator: i64,
}

/// The weight of an event, with the conditions under which it is no positive number.
#[derive(Clone, Copy)]
struct EventWeight {
    value: ValueId,
    undefined: ValueId,
    negative: ValueId,
    zero: ValueId,
}

impl<'r> Lower<'r> {
    /// Adds the events of a chance phase.
    pub(super) fn events(&mut self, cx: &Cx, making: &mut ControlBuilder) -> Result<()> {
        let sets = self.move_sets(None, cx)?.to_vec();
        let sets = self.with_body_conditions(sets, cx, &|_| true)?;
        let mut events = Vec::new();
        let mut common = 1;
        let mut waiting: Vec<Rc<MoveSet>> = sets.into_iter().rev().collect();
        while let Some(set) = waiting.pop() {
            let bit = self.build.subset_param(set.set);
            let inner = Cx { lane: (!set.cx.is_unit()).then_some(bit), ..set.cx.clone() };
            match self.event(&set, &inner) {
                // It has no form for lanes: each event by itself.
                Err(LowerError::Varies) if !set.cx.is_unit() => {
                    waiting.extend(self.one_by_one(&set, cx)?.into_iter().rev());
                }
                event => {
                    let (weight, body) = event?;
                    common = lcm(common, weight.denominator, self.rules.moves[set.id].span)?;
                    events.push((set, bit, inner, weight, body));
                }
            }
        }
        let mut none = self.build.truth(false);
        for (set, bit, inner, weight, mut body) in events {
            let span = self.rules.moves[set.id].span;
            let term = self.scaled(&weight, common, &inner, span)?;
            let term = self.project_to_lane(&inner, &term)?;
            let number = self.number(&term, &inner, span)?;
            if number.high > MAX_WEIGHT || number.low < -MAX_WEIGHT {
                return unsupported("a weight that is too large", span);
            }
            let zero = self.build.int(0);
            let weight = EventWeight {
                value: number.value,
                undefined: self.build.not(number.defined),
                negative: self.build.less(number.value, zero),
                zero: self.build.equal(number.value, zero),
            };
            self.weigh(&mut body, weight);
            if number.low <= 0 {
                if !self.build.maybe(making.ended).is_empty() {
                    return unsupported(
                        "a weight that may be 0 where an end rule follows one about `stuck`",
                        span,
                    );
                }
                let some = self.build.any(set.set);
                none = self.build.or(none, some);
            }
            let args = set.args.iter().map(|args| MoveInstance::Move(set.id, args.clone()));
            making.push(set.set, bit, body, set.plays(args));
        }
        // A fault if all events that could happen have weight 0.
        let mut stuck = StmtBlock::default();
        self.fault(none, &mut stuck);
        making.stuck.splice(0..0, stuck.stmts);
        Ok(())
    }

    /// Lowers the weight and the body of an event. The weight may have any value if the event is at fault.
    fn event(&mut self, set: &MoveSet, cx: &Cx) -> Result<(ScaledTerm, StmtBlock)> {
        let of = &self.rules.moves[set.id];
        let weight = match &of.weight {
            Some(weight) => self.ratio(weight, cx)?,
            None => ScaledTerm { term: Term::Static(Static::One(Some(Value::Int(1)))), denominator: 1 },
        };
        let settled = self.project_to_lane(cx, &weight.term)?;
        self.number(&settled, cx, of.span)?;
        Ok((weight, self.body(&of.body, cx)?))
    }

    /// Puts the weight at each end of a body: an undefined or negative weight is a fault, and an event of weight 0 does
    /// not happen.
    fn weigh(&mut self, block: &mut StmtBlock, weight: EventWeight) {
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt {
                Stmt::If(_, yes, no) => {
                    self.weigh(yes, weight);
                    self.weigh(no, weight);
                }
                Stmt::Yield(after) => {
                    let mut asked = StmtBlock::default();
                    self.fault(weight.undefined, &mut asked);
                    self.fault(weight.negative, &mut asked);
                    stmts.extend(asked.stmts);
                    let happens = self.build.not(weight.zero);
                    if self.build.constant_truth(happens) != Some(true) {
                        stmts.push(Stmt::Require(happens));
                    }
                    after.weight = Some(weight.value);
                }
                _ => {}
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }

    /// Lowers a term with an exact `/`, if divisors are known before play.
    fn ratio(&mut self, expr: &'r Expr, cx: &Cx) -> Result<ScaledTerm> {
        let span = expr.span;
        match &*expr.kind {
            ExprKind::Arith { op, exact, left, right } => {
                let (a, b) = (self.ratio(left, cx)?, self.ratio(right, cx)?);
                let times = |lower: &mut Self, term: &Term, by: i64| {
                    let by = Term::Static(Static::One(Some(Value::Int(by))));
                    lower.arith(Arith::Mul, term, &by, cx, span)
                };
                match op {
                    Arith::Mul => {
                        let denominator = product(a.denominator, b.denominator, span)?;
                        Ok(ScaledTerm { term: self.arith(*op, &a.term, &b.term, cx, span)?, denominator })
                    }
                    Arith::Div if *exact => {
                        // Multiplies by the least common multiple of the divisors, divided by the divisor.
                        let Term::Static(divisors) = &b.term else {
                            return unsupported(
                                "a weight divided by a number that is not known before play",
                                span,
                            );
                        };
                        let mut whole = 1;
                        for divisor in divisors.distinct() {
                            let divisor = divisor.as_int().unwrap_or(0);
                            whole = if divisor == 0 { whole } else { lcm(whole, divisor.abs(), span)? };
                        }
                        let over = |value: &Option<Value>| {
                            let divisor = value.as_ref()?.as_int().filter(|&n| n != 0)?;
                            Some(Value::Int(whole / divisor))
                        };
                        let factors = match divisors {
                            Static::One(value) => Static::One(over(value)),
                            Static::Each(values) => Static::each(values.iter().map(over).collect()),
                        };
                        let term = self.arith(Arith::Mul, &a.term, &Term::Static(factors), cx, span)?;
                        let term = times(self, &term, b.denominator)?;
                        Ok(ScaledTerm { term, denominator: product(a.denominator, whole, span)? })
                    }
                    _ => {
                        let denominator = lcm(a.denominator, b.denominator, span)?;
                        let a = times(self, &a.term, denominator / a.denominator)?;
                        let b = times(self, &b.term, denominator / b.denominator)?;
                        let term = self.arith(*op, &a, &b, cx, span)?;
                        let denominator = if *op == Arith::Div { 1 } else { denominator };
                        Ok(ScaledTerm { term, denominator })
                    }
                }
            }
            ExprKind::Negate(a) => {
                let a = self.ratio(a, cx)?;
                let zero = Term::Static(Static::One(Some(Value::Int(0))));
                Ok(ScaledTerm { term: self.arith(Arith::Sub, &zero, &a.term, cx, span)?, ..a })
            }
            ExprKind::If(c, a, b) => {
                let c = self.formula(c, cx)?;
                let (a, b) = (self.ratio(a, cx)?, self.ratio(b, cx)?);
                let denominator = lcm(a.denominator, b.denominator, span)?;
                let a = self.scaled(&a, denominator, cx, span)?;
                let b = self.scaled(&b, denominator, cx, span)?;
                Ok(ScaledTerm { term: self.chosen(c, &a, &b, cx, span)?, denominator })
            }
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.term(bound, cx)?;
                let mut inner = cx.clone();
                let fits = self.bind(pattern, &bound, &mut inner, span)?;
                let body = self.ratio(body, &inner)?;
                Ok(ScaledTerm { term: self.only_where(fits, &body.term, cx)?, ..body })
            }
            _ => {
                let term = self.term(expr, cx)?;
                let Term::Static(values) = &term else { return Ok(ScaledTerm { term, denominator: 1 }) };
                let mut denominator = 1;
                for value in values.distinct() {
                    let part = value.as_ratio().map_or(Some(1), |ratio| Some(ratio.as_small()?.1));
                    let Some(part) = part else { return unsupported("a weight of more than 64 bits", span) };
                    denominator = lcm(denominator, part, span)?;
                }
                let whole = |value: &Option<Value>| {
                    let (above, below) = value.as_ref()?.as_ratio()?.as_small()?;
                    let whole = above.checked_mul(denominator / below)?;
                    Some(Value::Int(whole))
                };
                let values = match values {
                    Static::One(value) => Static::One(whole(value)),
                    Static::Each(values) => Static::each(values.iter().map(whole).collect()),
                };
                Ok(ScaledTerm { term: Term::Static(values), denominator })
            }
        }
    }

    /// Returns the number over another denominator, a multiple of its own.
    fn scaled(&mut self, ratio: &ScaledTerm, denominator: i64, cx: &Cx, span: Span) -> Result<Term> {
        let by = Term::Static(Static::One(Some(Value::Int(denominator / ratio.denominator))));
        self.arith(Arith::Mul, &ratio.term, &by, cx, span)
    }
}

impl MoveSet {
    /// Returns the move at each place, given the move of each lane.
    pub(super) fn plays(&self, lanes: impl Iterator<Item = MoveInstance>) -> Vec<Option<MoveInstance>> {
        let mut plays = vec![None; self.cx.lanes.width as usize];
        for (play, &place) in lanes.zip(&self.cx.lanes.places) {
            plays[place as usize] = Some(play);
        }
        plays
    }
}

/// Returns the least common multiple of positive numbers.
fn lcm(a: i64, b: i64, span: Span) -> Result<i64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    product(a / divisor.max(1), b, span)
}

fn product(a: i64, b: i64, span: Span) -> Result<i64> {
    match a.checked_mul(b).filter(|&n| n <= MAX_WEIGHT) {
        Some(n) => Ok(n),
        None => unsupported("weights with too large a common denominator", span),
    }
}
