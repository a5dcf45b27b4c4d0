//! The legal moves of a player as vectors: for each move, and each relative position of its arguments, the lanes in
//! which it is legal.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cx::{Cx, Lanes, Static, Term};
use super::domain::BitDomain;
use super::partial_eval::{KnownTurn, PartialEnv, PartialEvaluator, PartialValue, bind};
use super::{Lower, LowerError, Result, unsupported};
use bouton_base::cancel;
use bouton_base::words::group_digits;
use bouton_circuit::ValueId;
use bouton_rules::{EnumKind, Move, MoveId, StmtKind, Value, VarId};

/// The player, turn and state for which moves are computed, as a cache key.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MoveSetsKey {
    me: Option<u32>,
    mover: u32,
    phase: u32,
    state: Vec<ValueId>,
}

/// Moves whose arguments have the same relative positions: one for each lane.
#[derive(Clone, Debug)]
pub struct MoveSet {
    pub id: MoveId,
    /// The move's arguments in each lane.
    pub args: Vec<Vec<Value>>,
    /// The context of its conditions, with the parameters and the `let`s of the first stage bound.
    pub cx: Cx,
    /// The lanes in which its conditions hold.
    pub set: ValueId,
    /// The lanes that are not excluded by the preference for other moves, if there is one.
    pub preferred: Option<ValueId>,
    /// True if the body has conditions after the first stage's, so that it may still make the move illegal.
    pub has_later_conditions: bool,
}

/// The maximal number of possible combinations of arguments of a move.
const MAX_COMBINATIONS: usize = 1 << 20;
/// The maximal number of groups of a move.
const MAX_MOVE_GROUPS: usize = 1 << 12;

impl<'r> Lower<'r> {
    /// Returns the moves of a player in a position in which he is to move, regardless of `mandatory`; for `None`, the
    /// chance moves.
    pub(super) fn move_sets(&mut self, me: Option<u32>, cx: &Cx) -> Result<Rc<Vec<Rc<MoveSet>>>> {
        let turn = KnownTurn { me, ..cx.turn };
        let (Some(mover), Some(phase)) = (turn.mover, turn.phase) else { return Err(LowerError::Varies) };
        let at = MoveSetsKey { me, mover, phase, state: cx.state.to_vec() };
        if let Some(sets) = self.sets.get(&at) {
            return Ok(sets.clone());
        }
        let cx =
            Cx { lanes: Rc::new(Lanes::unit()), env: Vec::new(), turn, state: cx.state.clone(), lane: None };
        let mut sets = Vec::new();
        for (id, of) in self.rules.moves.entries() {
            if of.chance != me.is_none() || !of.phases.iter().any(|p| p.0 == phase) {
                continue;
            }
            if let Some(me) = me
                && !self.may(me, of, turn)?
            {
                continue;
            }
            self.sets_of(id, of, &cx, &mut sets)?;
        }
        let sets = Rc::new(sets);
        self.sets.insert(at, sets.clone());
        Ok(sets)
    }

    /// Returns true if `by` allows the player.
    fn may(&self, me: u32, of: &Move, turn: KnownTurn) -> Result<bool> {
        let Some(by) = &of.by else { return Ok(true) };
        let me = self.rules.player(me);
        match (PartialEvaluator { lower: self, turn })
            .value(by, &mut vec![PartialValue::Unknown; of.vars.len()])
        {
            PartialValue::Value(Value::Set(players)) => Ok(players.contains(&me)),
            PartialValue::Value(player) => Ok(player == me),
            PartialValue::Undefined => Ok(false),
            PartialValue::Unknown => unsupported("a move `by` players who change", by.span),
        }
    }

    fn sets_of(&mut self, id: MoveId, of: &Move, cx: &Cx, sets: &mut Vec<Rc<MoveSet>>) -> Result<()> {
        let mut rows: Vec<Vec<Value>> = Vec::new();
        {
            let knower = PartialEvaluator { lower: self, turn: cx.turn };
            let mut env: PartialEnv = vec![PartialValue::Unknown; of.vars.len()];
            possible(&knower, of, &mut Vec::new(), &mut env, &mut rows);
        }
        if rows.len() > MAX_COMBINATIONS {
            return unsupported(format!("the {} combinations of arguments", rows.len()), of.span);
        }
        if rows.is_empty() {
            return Ok(());
        }
        // The parameter that becomes the lanes: the code tries each one that has places, cells first.
        let mut lanes: Vec<usize> =
            (0..of.params.len()).filter(|&i| self.has_places(&of.params[i].values)).collect();
        lanes.sort_by_key(|&i| (std::cmp::Reverse(self.is_cells(&of.params[i].values)), i));
        for lane in lanes {
            let before = sets.len();
            match self.grouped(id, &rows, Some(lane), cx, sets) {
                Err(LowerError::Varies) => sets.truncate(before),
                done => return done,
            }
        }
        self.grouped(id, &rows, None, cx, sets).map_err(|stop| match stop {
            LowerError::Varies => LowerError::VariesIn(super::Unsupported {
                what: format!("the move `{}`", of.name),
                span: of.span,
                limit: None,
            }),
            stop => stop,
        })
    }

    fn is_cells(&self, values: &[Value]) -> bool {
        matches!(values.first(), Some(Value::Sym(id, _)) if matches!(self.rules.enums[*id].kind, EnumKind::Cells(_)))
    }

    fn has_places(&self, values: &[Value]) -> bool {
        match values.first() {
            Some(Value::Int(_)) => values.len() > 2,
            Some(Value::Sym(id, _)) => {
                matches!(
                    self.rules.enums[*id].kind,
                    EnumKind::Cells(_) | EnumKind::Sides(_) | EnumKind::Edges(_)
                )
            }
            _ => false,
        }
    }

    /// Lowers together the rows of arguments with the same relative positions, with one parameter as the lanes.
    fn grouped(
        &mut self,
        id: MoveId,
        rows: &[Vec<Value>],
        lane: Option<usize>,
        cx: &Cx,
        sets: &mut Vec<Rc<MoveSet>>,
    ) -> Result<()> {
        let rules = self.rules;
        let of = &rules.moves[id];
        let domains: Vec<Option<BitDomain>> = of
            .params
            .iter()
            .map(|p| self.has_places(&p.values).then(|| BitDomain::new(self.rules, p.values.to_vec())))
            .collect();
        let mut groups: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
        for (n, row) in rows.iter().enumerate() {
            cancel::step();
            let mut key = Vec::new();
            for (i, value) in row.iter().enumerate() {
                match lane {
                    Some(lane) if lane == i => {}
                    Some(lane) if self.is_cells(&of.params[i].values) => {
                        let (Some(from), Some(to)) = (&domains[lane], &domains[i]) else {
                            return Err(LowerError::Varies);
                        };
                        let (p, q) = (from.place(&row[lane]).unwrap_or(0), to.place(value).unwrap_or(0));
                        if from.stride == to.stride && self.is_cells(&of.params[lane].values) {
                            let column = from.stride.map_or(0, |s| i64::from(q % s) - i64::from(p % s));
                            key.extend([i64::from(q) - i64::from(p), column]);
                        } else {
                            key.push(i64::from(q));
                        }
                    }
                    _ => key.push(of.params[i].values.iter().position(|v| v == value).unwrap_or(0) as i64),
                }
            }
            if lane.is_none() {
                key = vec![n as i64];
            }
            groups.entry(key).or_default().push(n);
            if groups.len() > MAX_MOVE_GROUPS {
                let what = format!(
                    "the {} instances of the move `{}` are too many to compile (more than {} groups that differ in one \
                     parameter alone); choose its parameters one after the other, in phases joined by `continue`, or let one \
                     follow from the others by `let`",
                    group_digits(rows.len() as u64),
                    of.name,
                    group_digits(MAX_MOVE_GROUPS as u64)
                );
                return unsupported(what, of.span);
            }
        }
        for rows_of in groups.into_values() {
            let args: Vec<Vec<Value>> = rows_of.iter().map(|&n| rows[n].clone()).collect();
            let lanes = match lane.and_then(|lane| Some((lane, domains[lane].as_ref()?))) {
                Some((lane, domain)) => {
                    let places = args.iter().map(|row| domain.place(&row[lane]).unwrap_or(0)).collect();
                    Lanes::new(places, domain.width, domain.stride)
                }
                None => Lanes::unit(),
            };
            let mut inner = Cx { lanes: Rc::new(lanes), env: vec![None; of.vars.len()], ..cx.clone() };
            for (i, param) in of.params.iter().enumerate() {
                let values = args.iter().map(|row| Some(row[i].clone())).collect();
                inner.bind(param.var, Term::Static(Static::each(values)));
            }
            let set = self.guard(of, &mut inner)?;
            if !self.build.maybe(set).is_empty() {
                let asks_later = asks_later(of);
                sets.push(Rc::new(MoveSet {
                    id,
                    args,
                    cx: inner,
                    set,
                    preferred: None,
                    has_later_conditions: asks_later,
                }));
            }
        }
        Ok(())
    }

    /// Splits a set into moves with one lane each.
    pub(super) fn one_by_one(&mut self, set: &MoveSet, cx: &Cx) -> Result<Vec<Rc<MoveSet>>> {
        let turn = set.cx.turn;
        let cx =
            Cx { lanes: Rc::new(Lanes::unit()), env: Vec::new(), turn, state: cx.state.clone(), lane: None };
        let mut sets = Vec::new();
        self.grouped(set.id, &set.args, None, &cx, &mut sets)?;
        let Some(preferred) = set.preferred else { return Ok(sets) };
        let narrowed = sets.iter().map(|one| {
            let lane = set.args.iter().position(|args| *args == one.args[0]).unwrap_or(0);
            let preferred = Some(self.bit(preferred, set.cx.lanes.places[lane]));
            Rc::new(MoveSet { preferred, ..(**one).clone() })
        });
        Ok(narrowed.collect())
    }

    /// Lowers the conditions of the first stage and binds its `let`s.
    fn guard(&mut self, of: &'r Move, cx: &mut Cx) -> Result<ValueId> {
        let mut holds = self.build.truth(true);
        for stmt in &of.body.stmts {
            if self.build.maybe(holds).is_empty() {
                break;
            }
            match &stmt.kind {
                StmtKind::Require(condition) => {
                    let here = self.formula(condition, cx)?;
                    holds = self.both(holds, here);
                }
                StmtKind::Let(pattern, bound) => {
                    let bound = self.term(bound, cx)?;
                    let defined = self.bind(pattern, &bound, cx, stmt.span)?;
                    holds = self.both(holds, defined);
                }
                _ => {}
            }
        }
        Ok(self.vector(cx, holds))
    }
}

/// Enumerates the combinations of arguments that partial evaluation does not exclude.
fn possible(
    knower: &PartialEvaluator,
    of: &Move,
    row: &mut Vec<Value>,
    env: &mut PartialEnv,
    rows: &mut Vec<Vec<Value>>,
) {
    if rows.len() > MAX_COMBINATIONS || !may_hold(knower, of, env) {
        return;
    }
    let Some(param) = of.params.get(row.len()) else {
        rows.push(row.clone());
        return;
    };
    let var: VarId = param.var;
    for value in param.values.iter() {
        cancel::step();
        env[var.0 as usize] = PartialValue::Value(value.clone());
        row.push(value.clone());
        possible(knower, of, row, env, rows);
        row.pop();
    }
    env[var.0 as usize] = PartialValue::Unknown;
}

fn may_hold(knower: &PartialEvaluator, of: &Move, env: &mut PartialEnv) -> bool {
    for stmt in &of.body.stmts {
        match &stmt.kind {
            StmtKind::Require(condition) if knower.truth(condition, env) == Some(false) => return false,
            StmtKind::Let(pattern, bound) => {
                let bound = knower.value(bound, env);
                if bound == PartialValue::Undefined {
                    return false;
                }
                bind(pattern, &bound, env);
            }
            _ => {}
        }
    }
    true
}

/// Returns true if a body has conditions other than those at its start.
fn asks_later(of: &Move) -> bool {
    fn asks(block: &bouton_rules::Block, first: bool) -> bool {
        block.stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Require(_) | StmtKind::Let(..) => !first,
            StmtKind::If(_, a, b) => asks(a, false) || asks(b, false),
            StmtKind::For(_, body) | StmtKind::Then(body) => asks(body, false),
            StmtKind::Effect(_) | StmtKind::Stay(_) | StmtKind::Next(_) => false,
        })
    }
    asks(&of.body, true)
}
