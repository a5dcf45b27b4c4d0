//! The legal moves that a player may choose: `mandatory` and `prefer`, and the condition that there is any.

use std::rc::Rc;

use super::cx::{Cx, Term};
use super::moves::MoveSet;
use super::partial_eval::KnownTurn;
use super::{Lower, LowerError, Result};
use bouton_circuit::{Stmt, StmtBlock, ValueId};
use bouton_rules::{Expr, Value};

/// The preference value of some lanes.
struct PreferenceValue {
    lanes: ValueId,
    value: ValueId,
}

impl<'r> Lower<'r> {
    /// Returns the moves of a player, and the condition that no mandatory move restricts the choice: while a mandatory
    /// move is legal, only mandatory moves are. `prefer` leaves out the less preferred moves.
    pub(super) fn choices(&mut self, me: u32, cx: &Cx) -> Result<(Vec<Rc<MoveSet>>, ValueId)> {
        let mut sets: Vec<Rc<MoveSet>> = self.move_sets(Some(me), cx)?.to_vec();
        let rules = self.rules;
        sets = self.with_body_conditions(sets, cx, &|set| rules.moves[set.id].mandatory)?;
        let mut forced = self.build.truth(false);
        for set in sets.iter().filter(|set| rules.moves[set.id].mandatory) {
            let some = self.build.any(set.set);
            forced = self.build.or(forced, some);
        }
        let free = self.build.not(forced);
        Ok((self.preferred(sets, free, cx)?, free))
    }

    /// Returns the lanes of the moves that may be chosen.
    pub(super) fn chosen_lanes(&mut self, set: &MoveSet, free: ValueId) -> ValueId {
        let mut lanes = set.set;
        if !self.rules.moves[set.id].mandatory {
            let spread = self.build.spread(free, set.cx.lanes.width);
            lanes = self.build.and(lanes, spread);
        }
        match set.preferred {
            Some(preferred) => self.build.and(lanes, preferred),
            None => lanes,
        }
    }

    /// Keeps, of the moves with `prefer`, only those with the greatest value. An undefined value is below all others.
    fn preferred(&mut self, sets: Vec<Rc<MoveSet>>, free: ValueId, cx: &Cx) -> Result<Vec<Rc<MoveSet>>> {
        let rules = self.rules;
        let prefers = |set: &MoveSet| rules.moves[set.id].prefer.as_ref();
        if sets.iter().all(|set| prefers(set).is_none()) {
            return Ok(sets);
        }
        let sets = self.with_body_conditions(sets, cx, &|set| prefers(set).is_some())?;
        let mut weighed: Vec<(Rc<MoveSet>, Option<Vec<PreferenceValue>>)> = Vec::new();
        for set in sets {
            let Some(of) = prefers(&set) else {
                weighed.push((set, None));
                continue;
            };
            match self.worth(of, &set, free) {
                Err(LowerError::Varies) if !set.cx.is_unit() => {
                    for set in self.one_by_one(&set, cx)? {
                        let worth = self.worth(of, &set, free)?;
                        weighed.push((set, Some(worth)));
                    }
                }
                worth => weighed.push((set, Some(worth?))),
            }
        }
        let mut some = self.build.truth(false);
        let mut best = self.build.int(i64::MIN);
        for worth in weighed.iter().flat_map(|(_, worths)| worths.iter().flatten()) {
            let any = self.build.any(worth.lanes);
            let more = self.build.less(best, worth.value);
            let better = self.build.and(any, more);
            best = self.build.select(better, worth.value, best);
            some = self.build.or(some, any);
        }
        let none = self.build.not(some);
        let mut kept = Vec::new();
        for (set, worths) in weighed {
            let Some(worths) = worths else {
                kept.push(set);
                continue;
            };
            let width = set.cx.lanes.width;
            let mut preferred = self.build.spread(none, width);
            for PreferenceValue { lanes, value } in worths {
                let equal = self.build.equal(value, best);
                let spread = self.build.spread(equal, width);
                let here = self.build.and(lanes, spread);
                preferred = self.build.or(preferred, here);
            }
            kept.push(Rc::new(MoveSet { preferred: Some(preferred), ..(*set).clone() }));
        }
        Ok(kept)
    }

    /// Returns the preference values of the lanes of moves that may be chosen.
    fn worth(&mut self, of: &'r Expr, set: &MoveSet, free: ValueId) -> Result<Vec<PreferenceValue>> {
        let legal = self.chosen_lanes(set, free);
        let cx = Cx { lane: None, ..set.cx.clone() };
        let term = self.term(of, &cx)?;
        if let Term::Static(_) | Term::Cases(_) = term {
            let mut worths = Vec::new();
            for (values, condition) in self.case_list(&term, &cx)? {
                for value in values.distinct() {
                    let Value::Int(worth) = value else { return Err(self.no_number(of)) };
                    let here = self.known_truth(&cx, |lane| values.at(lane) == Some(value));
                    let here = self.both(here, condition);
                    let lanes = self.both(legal, here);
                    worths.push(PreferenceValue { lanes, value: self.build.int(*worth) });
                }
            }
            return Ok(worths);
        }
        let number = self.number(&term, &cx, of.span)?;
        let lanes = self.both(legal, number.defined);
        Ok(vec![PreferenceValue { lanes, value: number.value }])
    }

    fn no_number(&self, of: &'r Expr) -> LowerError {
        let what = "a preference that is no whole number".to_string();
        LowerError::Unsupported(super::Unsupported { what, span: of.span, limit: None })
    }

    /// Returns the same moves; for the moves selected by `asked`, the lanes include the conditions of their bodies. A
    /// move at fault counts as legal: its body reports the fault.
    pub(super) fn with_body_conditions(
        &mut self,
        sets: Vec<Rc<MoveSet>>,
        cx: &Cx,
        asked: &dyn Fn(&MoveSet) -> bool,
    ) -> Result<Vec<Rc<MoveSet>>> {
        let mut settled = Vec::new();
        for set in sets {
            if !set.has_later_conditions || !asked(&set) {
                settled.push(set);
                continue;
            }
            for one in self.one_by_one(&set, cx)? {
                let body = self.body(&self.rules.moves[one.id].body, &one.cx)?;
                let legal = self.legal(&body);
                let set = self.build.and(one.set, legal);
                if !self.build.maybe(set).is_empty() {
                    settled.push(Rc::new(MoveSet { set, has_later_conditions: false, ..(*one).clone() }));
                }
            }
        }
        Ok(settled)
    }

    /// Returns the condition that a body reaches its end or a fault.
    fn legal(&mut self, block: &StmtBlock) -> ValueId {
        self.comes_to_fault_or(true, block)
    }

    /// Returns the condition that a body reaches a fault.
    pub(super) fn at_fault(&mut self, block: &StmtBlock) -> ValueId {
        self.comes_to_fault_or(false, block)
    }

    /// Returns the condition that a body reaches a fault or, with `end`, its end.
    fn comes_to_fault_or(&mut self, end: bool, block: &StmtBlock) -> ValueId {
        let mut comes = self.build.truth(end);
        for stmt in block.stmts.iter().rev() {
            comes = match stmt {
                Stmt::Require(holds) => self.build.and(*holds, comes),
                Stmt::Fault(wrong) => self.build.or(*wrong, comes),
                Stmt::If(when, yes, no) => {
                    // Branches of a body never join: each has its own end.
                    let (yes, no) = (self.comes_to_fault_or(end, yes), self.comes_to_fault_or(end, no));
                    self.build.select(*when, yes, no)
                }
                Stmt::Yield(_) | Stmt::Let(_) | Stmt::Fix(..) | Stmt::Over(_) => comes,
            };
        }
        comes
    }

    /// Returns the condition that a player would have no move in this phase.
    pub(super) fn stuck_player(&mut self, player: u32, cx: &Cx) -> Result<ValueId> {
        let moved = Cx { turn: KnownTurn { me: Some(player), mover: Some(player), ..cx.turn }, ..cx.clone() };
        let sets = self.move_sets(Some(player), &moved)?.to_vec();
        let mut any = self.build.truth(false);
        for set in self.with_body_conditions(sets, &moved, &|_| true)? {
            let some = self.build.any(set.set);
            any = self.either(any, some);
        }
        Ok(self.build.not(any))
    }
}
