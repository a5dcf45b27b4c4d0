//! Lowering of chance moves: the events that may happen, each with an integer weight.

use std::rc::Rc;

use super::control::ControlBuilder;
use super::cx::{Cx, Static, Term};
use super::fractions::{ScaledTerm, lcm};
use super::moves::MoveSet;
use super::{Lower, LowerError, Result, unsupported};
use bouton_circuit::{Stmt, StmtBlock, ValueId};
use bouton_rules::{MoveInstance, Value};

/// The maximal weight over the common denominator of all: their sum stays below 2^63.
const MAX_WEIGHT: i64 = 1 << 40;

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
