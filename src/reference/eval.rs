//! The meaning of expressions in a position (LANGUAGE.md section 3).
//!
//! A *formula* is true or false: an atomic formula (comparison, membership, quantifier, call) with an undefined part
//! is false. A *term* has a value or is undefined. A term of type `bool` (a cell, a table, a variable, a call, `if`,
//! `match`, `let`) counts as false where it is undefined; a formula used as a term is always defined.

use rustc_hash::FxHashMap;

use super::compact::{Compact, SetBuilder};
use super::fixpoint::FixpointGroup;
use super::instances::DefConjunct;
use super::node::{ArmNode, Body, DefNode, KeyIndex, Node, PatternNode};
use super::number::{arith, less, negate};
use super::program::{Memo, Program};
use super::state::State;
use super::{Interpreter, board_fn, prepare, stack};
use bouton_base::id::Id;
use bouton_base::limits::Fuel;
use bouton_rules::{DefId, Expr, FieldId, PLAYER, Rules, Tuple, Type, Value, VarId};

/// The values of the variables of one definition, move or rule, by slot, if they are bound. Every binder has slots of
/// its own, so no variable is ever unbound.
pub type Frame = Vec<Option<Compact>>;

/// The meaning of `stuck` during an evaluation.
#[derive(Clone, Copy)]
pub enum StuckMeaning {
    /// Computed from the legal moves.
    Compute,
    /// Known: in the condition of a pass, true if there is no other move.
    Known(bool),
    /// Meaningless: the rule of a move cannot depend on the legal moves.
    Meaningless,
}

/// The evaluation of expressions in one position, for one actor at a time. Each fixpoint is computed once for an actor.
pub struct Context<'a> {
    pub rules: &'a Rules,
    pub(super) program: &'a Program,
    /// The position; `None` for constants.
    position: Option<(&'a Interpreter, &'a State)>,
    /// The player who makes the move.
    pub me: Option<u32>,
    stuck: StuckMeaning,
    /// The computed value of `stuck`.
    is_stuck: Option<bool>,
    /// The fuel of the evaluation. Once it is exhausted, loops end early and values have no meaning.
    pub(super) patience: &'a Fuel,
    /// The frames of the calls in progress.
    pub(super) frame: Frame,
    /// The first slot of the current frame.
    base: usize,
    pub(super) groups: FxHashMap<u32, FixpointGroup>,
    /// The values of definitions without parameters that do not depend on the actor.
    remembered: FxHashMap<DefId, Option<Compact>>,
    /// True if an expression read something that is unknown without a position.
    unknown: bool,
    /// The address from which the stack use of this thread is counted.
    stack_base: usize,
}

/// The value of an expression that reads no field and whose free variables are bound by `env`. `None` if it is
/// undefined, or if it reads the position, `me`, or another variable. The value has no meaning once `patience` is
/// exhausted.
pub fn eval_const(rules: &Rules, env: &[(VarId, Value)], expr: &Expr, patience: &Fuel) -> Option<Value> {
    eval_partial(rules, env, expr, patience).flatten()
}

/// Like [`eval_const`], but distinguishes undefined, `Some(None)`, from unknown without a position, `None`.
pub fn eval_partial(
    rules: &Rules,
    env: &[(VarId, Value)],
    expr: &Expr,
    patience: &Fuel,
) -> Option<Option<Value>> {
    if patience.spend(1) {
        return None;
    }
    let program = Program::brief(rules);
    let mut context = Context::new(rules, &program, patience);
    let slots = env.iter().map(|(var, _)| var.index() + 1).max().unwrap_or(0);
    let body = prepare::body(rules, slots, expr);
    context.enter(body.slots);
    for (var, value) in env {
        context.set(var.index(), value.into());
    }
    let value = context.value(&body.node);
    (!context.unknown).then(|| value.map(|value| value.to_value()))
}

impl<'a> Context<'a> {
    fn new(rules: &'a Rules, program: &'a Program, patience: &'a Fuel) -> Context<'a> {
        Context {
            rules,
            program,
            position: None,
            me: None,
            stuck: StuckMeaning::Meaningless,
            is_stuck: None,
            patience,
            frame: Frame::new(),
            base: 0,
            groups: FxHashMap::default(),
            remembered: FxHashMap::default(),
            unknown: false,
            stack_base: stack::stack_address(),
        }
    }

    /// The context of a position, with `me` as the actor.
    pub fn of(
        interpreter: &'a Interpreter,
        state: &'a State,
        me: Option<u32>,
        stuck: StuckMeaning,
    ) -> Context<'a> {
        let position = Some((interpreter, state));
        let context = Context::new(&interpreter.rules, &interpreter.program, &interpreter.patience);
        Context { position, me, stuck, ..context }
    }

    /// Evaluates with another actor and another meaning of `stuck`.
    pub fn with_actor<R>(
        &mut self,
        me: Option<u32>,
        stuck: StuckMeaning,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = (self.me, self.stuck, std::mem::take(&mut self.groups));
        (self.me, self.stuck) = (me, stuck);
        let result = work(self);
        (self.me, self.stuck, self.groups) = before;
        result
    }

    /// Begins a frame with no variable bound; returns the frame to go back to.
    pub fn enter(&mut self, slots: usize) -> usize {
        let outer = std::mem::replace(&mut self.base, self.frame.len());
        self.frame.resize(self.base + slots, None);
        outer
    }

    /// Ends the current frame.
    pub fn leave(&mut self, outer: usize) {
        self.frame.truncate(self.base);
        self.base = outer;
    }

    /// The current frame.
    pub fn current_frame(&self) -> &[Option<Compact>] {
        &self.frame[self.base..]
    }

    /// The value of a variable, if it is bound.
    #[inline]
    pub fn get(&self, slot: usize) -> Option<&Compact> {
        self.frame.get(self.base + slot)?.as_ref()
    }

    #[inline]
    pub fn set(&mut self, slot: usize, value: Compact) {
        self.frame[self.base + slot] = Some(value);
    }

    /// Binds the variables of a pattern; returns false if the value does not have its form.
    pub fn bind(&mut self, pattern: &PatternNode, value: &Compact) -> bool {
        match (pattern, value) {
            (PatternNode::Var(slot), value) => {
                self.set(*slot, value.clone());
                true
            }
            (PatternNode::Tuple(patterns), Compact::Tuple(tuple)) => {
                patterns.len() == tuple.parts.len()
                    && patterns
                        .iter()
                        .zip(&tuple.parts)
                        .all(|(pattern, part)| self.bind(pattern, &part.into()))
            }
            (PatternNode::Tuple(_), _) => false,
        }
    }

    /// The value of an expression in a frame of its own.
    pub fn value_of(&mut self, body: &Body) -> Option<Compact> {
        let outer = self.enter(body.slots);
        let value = self.value(&body.node);
        self.leave(outer);
        value
    }

    /// Returns true if a formula holds, in a frame of its own.
    pub fn truth_of(&mut self, body: &Body) -> bool {
        let outer = self.enter(body.slots);
        let holds = self.truth(&body.node);
        self.leave(outer);
        holds
    }

    /// Returns true if a formula holds.
    pub fn truth(&mut self, node: &Node) -> bool {
        match node {
            Node::Not(a) => !self.truth(a),
            Node::And(parts) => parts.iter().all(|part| self.truth(part)),
            Node::Or(parts) => parts.iter().any(|part| self.truth(part)),
            Node::Implies(pair) => !self.truth(&pair[0]) || self.truth(&pair[1]),
            Node::Iff(pair) => self.truth(&pair[0]) == self.truth(&pair[1]),
            Node::Equal(pair) => self.equal(&pair[0], &pair[1]),
            Node::Less(pair) => self.both(pair).and_then(|(a, b)| less(&a, &b)) == Some(true),
            Node::LessEqual(pair) => self.both(pair).and_then(|(a, b)| less(&b, &a)) == Some(false),
            Node::In(pair) => self.both(pair).is_some_and(|(a, set)| set.contains(&a)),
            Node::Subset(pair) => {
                self.both(pair).is_some_and(|(a, b)| self.spend_traversal(&a) && a.is_subset(&b))
            }
            Node::Defined(a) => self.value(a).is_some(),
            Node::Quant(quant, of) => self.quantify(*quant, of),
            Node::Stuck => self.stuck(None),
            Node::StuckPlayer(player) => match self.value(player) {
                Some(Compact::Sym(player)) if player.of() == PLAYER => self.stuck(Some(player.number())),
                _ => false,
            },
            _ => matches!(self.value(node), Some(Compact::True)),
        }
    }

    /// The value of a term; `None` if it is undefined.
    #[inline]
    pub fn value(&mut self, node: &Node) -> Option<Compact> {
        match node {
            Node::Const(value) => Some(value.clone()),
            Node::Var(_) => self.with(node, Compact::clone),
            Node::Cell(field, keys) => self.cell(*field, keys),
            _ => self.value_of_operation(node),
        }
    }

    fn value_of_operation(&mut self, node: &Node) -> Option<Compact> {
        match node {
            Node::Const(_) | Node::Var(_) | Node::Cell(..) => self.value(node),
            Node::Undefined => None,
            Node::Me => {
                let me = self.me.map(|me| Compact::sym(PLAYER, me));
                self.known_or_flag(me)
            }
            Node::Table(of) => self
                .strict(&of.args, |context, args| {
                    let cell = KeyIndex::cell(&of.keys, args)?;
                    context.program.table_value(context.rules, of.table, cell)
                })
                .flatten(),
            Node::Call(def, args) => self.call(*def, args),
            Node::Board(function, board, args) => self
                .strict(args, |context, args| {
                    context.program.board_value(context.rules, *function, *board, args)
                })
                .flatten()
                // `aligned` and its like are formulas, hence false if an argument is undefined.
                .or(board_fn::is_formula(*function).then_some(Compact::bool(false))),
            Node::Flood(board, pair) => {
                let (from, within) = self.both(pair)?;
                if !self.spend_traversal(&within) {
                    return None;
                }
                board_fn::flood(self.rules, *board, &from, &within)
            }
            Node::Arith(op, exact, pair) => {
                let (a, b) = self.both(pair)?;
                arith(*op, *exact, &a, &b)
            }
            Node::Negate(a) => negate(&self.value(a)?),
            Node::Card(set) => Some(Compact::Int(self.value(set)?.len()? as i64)),
            Node::SetOp(op, pair) => {
                let (a, b) = self.both(pair)?;
                if !self.spend_traversal(&a) || !self.spend_traversal(&b) {
                    return None;
                }
                a.set_op(*op, &b)
            }
            Node::SetOf(items) => self.strict(items, |_, items| {
                let mut set = SetBuilder::default();
                items.iter().for_each(|item| set.insert(item.clone()));
                set.finish()
            }),
            Node::Range(pair) => {
                let (a, b) = self.both(pair)?;
                let (a, b) = (a.as_int()?, b.as_int()?);
                if self.patience.spend(b.saturating_sub(a).clamp(0, MAX_RANGE_LEN) as u64) {
                    return None;
                }
                range(a, b)
            }
            Node::Tuple(record, parts) => {
                let made = self.strict(parts, |_, parts| {
                    let parts = parts.iter().map(Compact::to_value).collect();
                    Compact::Tuple(Tuple { record: *record, parts }.into())
                })?;
                // A record has no parts outside their types.
                let is_value = record.is_none_or(|of| fits(self.rules, &Type::Record(of), &made));
                is_value.then_some(made)
            }
            Node::List(items) => self.strict(items, |_, items| {
                Compact::List(items.iter().map(Compact::to_value).collect::<Vec<_>>().into())
            }),
            Node::Part(whole, n) => match self.value(whole)? {
                Compact::Tuple(tuple) => tuple.parts.get(*n).map(Compact::from),
                _ => None,
            },
            Node::Present(a) => self.value(a).filter(|value| !matches!(value, Compact::None)),
            Node::Fold(fold, of) => self.fold(*fold, of),
            Node::Collect(of) => self.collect(of),
            Node::If(parts) => {
                let holds = self.truth(&parts[0]);
                self.value(&parts[if holds { 1 } else { 2 }])
            }
            Node::Match(of) => self.choose(&of.0, &of.1),
            Node::Let(of) => {
                let (pattern, bound, body) = &**of;
                let bound = self.value(bound)?;
                if self.bind(pattern, &bound) { self.value(body) } else { None }
            }
            Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Implies(_)
            | Node::Iff(_)
            | Node::Equal(_)
            | Node::Less(_)
            | Node::LessEqual(_)
            | Node::In(_)
            | Node::Subset(_)
            | Node::Defined(_)
            | Node::Quant(..)
            | Node::Stuck
            | Node::StuckPlayer(_) => Some(Compact::bool(self.truth(node))),
        }
    }

    /// Applies a function to the value of a term, which is not copied if it is a constant or a variable.
    #[inline]
    fn with<R>(&mut self, node: &Node, then: impl FnOnce(&Compact) -> R) -> Option<R> {
        match node {
            Node::Const(value) => Some(then(value)),
            Node::Var(slot) => match self.get(*slot) {
                Some(value) => Some(then(value)),
                None => {
                    self.unknown = true;
                    None
                }
            },
            _ => self.value(node).as_ref().map(then),
        }
    }

    /// The value of a cell of the state; undefined if a key is undefined or outside its domain.
    fn cell(&mut self, field: FieldId, keys: &[Node]) -> Option<Compact> {
        let Some((interpreter, state)) = self.position else {
            return self.strict(keys, |context, _| context.known_or_flag(None)).flatten();
        };
        let field = interpreter.prepared.layout.of(field);
        let mut cell = 0;
        for (key, node) in field.keys.iter().zip(keys) {
            cell = cell * key.len() + self.with(node, |value| key.index(value))??;
        }
        Some(field.read(state, cell))
    }

    fn equal(&mut self, a: &Node, b: &Node) -> bool {
        let Some(a) = self.value(a) else { return false };
        self.with(b, |b| a == *b) == Some(true)
    }

    /// Evaluates terms that must all be defined, and passes their values to a function.
    fn strict<R>(&mut self, nodes: &[Node], then: impl FnOnce(&mut Self, &[Compact]) -> R) -> Option<R> {
        match nodes {
            [] => Some(then(self, &[])),
            // One or two terms are by far the most frequent case; they need no list.
            [one] => {
                let one = [self.value(one)?];
                Some(then(self, &one))
            }
            [one, two] => {
                let two = [self.value(one)?, self.value(two)?];
                Some(then(self, &two))
            }
            _ => {
                let values: Option<Vec<Compact>> = nodes.iter().map(|node| self.value(node)).collect();
                Some(then(self, &values?))
            }
        }
    }

    /// Spends the fuel for one traversal of a set; returns true if fuel is left.
    fn spend_traversal(&self, set: &Compact) -> bool {
        !self.patience.spend(set.len().unwrap_or(0) as u64)
    }

    fn both(&mut self, pair: &[Node; 2]) -> Option<(Compact, Compact)> {
        Some((self.value(&pair[0])?, self.value(&pair[1])?))
    }

    /// Returns true if the mover, or `player` if it were to move in this phase, has no legal move but passing. False
    /// where the question has no meaning: inside the rule of a move.
    fn stuck(&mut self, player: Option<u32>) -> bool {
        let Some((interpreter, state)) = self.position else {
            self.unknown = true;
            return false;
        };
        match (self.stuck, player) {
            (StuckMeaning::Meaningless, _) => false,
            (StuckMeaning::Known(stuck), None) => stuck,
            (StuckMeaning::Compute, None) => {
                if let Some(stuck) = self.is_stuck {
                    return stuck;
                }
                let stuck = interpreter.stuck(self, state);
                self.is_stuck = Some(stuck);
                stuck
            }
            (StuckMeaning::Compute | StuckMeaning::Known(_), Some(player)) => {
                interpreter.stuck_player(state, player)
            }
        }
    }

    /// Passes a value on; without a value, marks the result of the evaluation as unknown.
    fn known_or_flag(&mut self, value: Option<Compact>) -> Option<Compact> {
        self.unknown |= value.is_none();
        value
    }

    /// Applies a definition. Undefined if an argument is undefined or is no value of the parameter's type (LANGUAGE.md
    /// section 12, "Undefined is strict").
    fn call(&mut self, id: DefId, args: &[Node]) -> Option<Compact> {
        // Definitions that call others twice take long without any loop.
        if self.patience.spend(1) {
            return None;
        }
        let def = self.program.def(self.rules, id);
        if let Memo::Position = def.memo
            && let Some(value) = self.remembered.get(&id)
        {
            return value.clone();
        }
        // The arguments are evaluated in the frame of the caller, and stored in the one of the definition after it.
        let frame = self.frame.len();
        self.frame.resize(frame + def.body.slots, None);
        let params = def.params.iter().zip(args).map(|(param, arg)| (param.slot, &param.ty, arg));
        let passed = self.pass_arguments(params, frame);
        let value = if passed { self.apply(id, def, frame) } else { None };
        self.frame.truncate(frame);
        value
    }

    /// Stores the arguments of a definition in a frame; returns false if one is undefined or outside its domain.
    fn pass_arguments<'n>(
        &mut self,
        mut params: impl Iterator<Item = (usize, &'n Type, &'n Node)>,
        frame: usize,
    ) -> bool {
        params.all(|(slot, ty, arg)| {
            let Some(value) = self.value(arg).filter(|value| fits(self.rules, ty, value)) else {
                return false;
            };
            self.frame[frame + slot] = Some(value);
            true
        })
    }

    /// The value of a definition whose arguments are in a frame, the last one.
    fn apply(&mut self, id: DefId, def: &DefNode, frame: usize) -> Option<Compact> {
        let mut known = None;
        if let Memo::Always(keys, values) = &def.memo {
            let mut index = Some(0);
            for (param, key) in def.params.iter().zip(keys) {
                let position = self.frame[frame + param.slot].as_ref().and_then(|arg| key.index(arg));
                index = index.zip(position).map(|(index, position)| index * key.len() + position);
            }
            if let Some(value) = index.and_then(|index| values.get(index)) {
                return value.clone();
            }
            known = index.map(|index| (values, index));
        }
        let outer = std::mem::replace(&mut self.base, frame);
        let stack = self.stack_base;
        let value = stack::with_stack(stack, |base| {
            self.stack_base = base;
            match def.group {
                Some(group) => self.inductive_holds(group, id, def).map(Compact::bool),
                None => self.value(&def.body.node).filter(|value| in_range(def.range, value)),
            }
        });
        (self.base, self.stack_base) = (outer, stack);
        if !self.patience.is_exhausted() {
            if let Some((values, index)) = known {
                values.set(index, value.clone());
            } else if let Memo::Position = def.memo {
                self.remembered.insert(id, value.clone());
            }
        }
        value
    }

    /// Returns true if a conjunct of the body of a definition holds, with the arguments that occur in it.
    pub(super) fn conjunct_holds(&mut self, of: &DefConjunct) -> bool {
        let frame = self.frame.len();
        self.frame.resize(frame + of.slots, None);
        let params = of.params.iter().map(|(slot, ty, arg)| (*slot, ty, arg));
        let passed = self.pass_arguments(params, frame);
        let outer = std::mem::replace(&mut self.base, frame);
        let holds = passed && self.truth(&of.conjunct);
        self.leave(outer);
        holds
    }

    /// `match`: the value of the first arm that matches; undefined if the scrutinee is, or if no arm matches.
    fn choose(&mut self, scrutinee: &Node, arms: &[(ArmNode, Node)]) -> Option<Compact> {
        let value = self.value(scrutinee)?;
        for (pattern, arm) in arms {
            if self.matches(pattern, &value) {
                return self.value(arm);
            }
        }
        None
    }

    fn matches(&mut self, pattern: &ArmNode, value: &Compact) -> bool {
        match (pattern, value) {
            (ArmNode::Any, _) => true,
            (ArmNode::Value(node), _) => self.value(node).as_ref() == Some(value),
            (ArmNode::OneOf(set), _) => self.value(set).is_some_and(|set| set.contains(value)),
            (ArmNode::Tuple(patterns), Compact::Tuple(tuple)) => {
                patterns.len() == tuple.parts.len()
                    && patterns
                        .iter()
                        .zip(&tuple.parts)
                        .all(|(pattern, part)| self.matches(pattern, &part.into()))
            }
            (ArmNode::Tuple(_), _) => false,
        }
    }
}

/// Returns true if a value belongs to a type.
pub fn fits(rules: &Rules, ty: &Type, value: &Compact) -> bool {
    match (ty, value) {
        (Type::Int(low, high), Compact::Int(i)) => low <= i && i <= high,
        (Type::Sym(id), Compact::Sym(member)) => *id == member.of(),
        (Type::Bool, Compact::False | Compact::True) | (Type::Option(_), Compact::None) => true,
        (Type::Option(inner), _) => fits(rules, inner, value),
        (Type::Set(inner), Compact::Few(set)) if **inner == Type::Sym(set.of()) || set.is_empty() => true,
        _ => rules.has_value(ty, &value.to_value()),
    }
}

/// Returns true if a number is in the declared range of a definition.
fn in_range(range: Option<(i64, i64)>, value: &Compact) -> bool {
    match (range, value) {
        (Some((low, high)), Compact::Int(i)) => (low..=high).contains(i),
        _ => true,
    }
}

/// The maximal number of elements of a range. No rule of a game needs more, and memory holds few ranges of this size.
const MAX_RANGE_LEN: i64 = 1 << 24;

/// `a..b`; undefined beyond the maximal size.
fn range(a: i64, b: i64) -> Option<Compact> {
    (i128::from(b) - i128::from(a) < i128::from(MAX_RANGE_LEN))
        .then(|| Value::Set((a..=b).map(Value::Int).collect::<Vec<_>>().into()).into())
}
