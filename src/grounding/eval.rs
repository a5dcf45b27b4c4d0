//! Symbolic evaluation of expressions, in all positions at once.
//!
//! The definition (`reference::eval_partial`) evaluates operators on values, one combination at a time; this module only
//! combines formulas and iterates over domains.

use std::sync::Arc;

use by_address::ByAddress;
use rustc_hash::FxHashMap;

use super::GroundingError;
use super::fluents::Fluents;
use super::formula::{FALSE, Formula, Formulas, NameId, TRUE};
use super::term::{SetTerm, SymbolicTerm, merge_cases};
use bouton_base::cancel;
use bouton_base::id::Id;
use bouton_base::limits::{Fuel, Limits};
use bouton_rules::{
    Arm, ArmPattern, BoardId, DefId, Domain, Expr, ExprKind, PLAYER, Pattern, Rules, SetOp, Type, Value,
    VarId,
};
use partial_eval::Dependencies;

mod partial_eval;

/// The maximal size of the table of formulas.
const MAX_TABLE_SIZE: usize = 3_000_000;
/// The maximal number of visited parts of formulas: some seconds.
pub const DEFAULT_WORK_LIMIT: u64 = 4_000_000;

/// An environment: the terms bound to variables.
#[derive(Clone, Debug, Default)]
pub(super) struct SymbolicEnv {
    slots: Vec<Option<SymbolicTerm>>,
    /// The player who makes the move.
    pub me: Option<u32>,
}

impl SymbolicEnv {
    pub fn of(me: Option<u32>) -> SymbolicEnv {
        SymbolicEnv { slots: Vec::new(), me }
    }

    pub fn set(&mut self, var: VarId, term: SymbolicTerm) {
        if var.index() >= self.slots.len() {
            self.slots.resize(var.index() + 1, None);
        }
        self.slots[var.index()] = Some(term);
    }

    fn get(&self, var: VarId) -> Option<&SymbolicTerm> {
        self.slots.get(var.index())?.as_ref()
    }
}

/// A symbolic position after moves from an arbitrary position: the cells that may differ from it.
#[derive(Clone, Default)]
pub(super) struct SymbolicPosition {
    pub cells: FxHashMap<usize, SymbolicTerm>,
    /// Unique among different positions; a key of the call cache.
    pub number: u32,
}

type CallKey = (u32, DefId, Option<u32>, Vec<Value>);

/// Translates rules into formulas.
pub(super) struct Grounder<'r> {
    pub rules: &'r Rules,
    pub limits: &'r Limits,
    pub formulas: Formulas,
    pub fluents: Fluents,
    /// The cells of the position before a move, as terms of its own fluents.
    identity: Vec<SymbolicTerm>,
    /// The position that expressions read.
    pub current: SymbolicPosition,
    /// The meaning of `stuck`, where conditions may use it.
    pub stuck: Option<Formula>,
    /// The meaning of `stuck(p)` by player, where conditions may use it; or the reason why it has no grounded form.
    pub stuck_players: Option<std::result::Result<Vec<Formula>, &'static str>>,
    patience: Arc<Fuel>,
    /// The dependencies of an expression, by its address.
    needs: FxHashMap<ByAddress<&'r Expr>, Dependencies>,
    calls: FxHashMap<CallKey, SymbolicTerm>,
    names: FxHashMap<CallKey, Formula>,
    numbered: u32,
}

pub(super) type Result<T> = std::result::Result<T, GroundingError>;

impl<'r> Grounder<'r> {
    pub fn new(rules: &'r Rules, limits: &'r Limits, work: u64) -> Result<Grounder<'r>> {
        let fluents = Fluents::of(rules)?;
        let mut formulas = Formulas::default();
        let patience = Arc::new(Fuel::within(limits));
        formulas.set_work_limit(work, patience.clone());
        let mut identity = Vec::new();
        let mut cell = 0;
        for field in &rules.fields {
            for _ in 0..field.cells() {
                let mut set = None;
                let mut cases = Vec::new();
                for id in fluents.of_cell(cell) {
                    let fluent = fluents.get(id);
                    let subject = formulas.fluent(id, fluent.values.len());
                    match &fluent.element {
                        Some(element) => set
                            .get_or_insert_with(Vec::new)
                            .push((element.clone(), formulas.lit(subject, 0b10))),
                        None => cases.extend(
                            fluent
                                .values
                                .iter()
                                .enumerate()
                                .map(|(i, value)| (value.clone(), formulas.lit(subject, 1 << i))),
                        ),
                    }
                }
                identity.push(match (set, &field.ty) {
                    (Some(members), _) => SymbolicTerm::Set(SetTerm { defined: TRUE, members }),
                    (None, ty) if matches!(ty.base(), Type::Set(_)) => {
                        SymbolicTerm::Set(SetTerm { defined: TRUE, members: Vec::new() })
                    }
                    (None, _) => SymbolicTerm::Cases(cases),
                });
                cell += 1;
            }
        }
        Ok(Grounder {
            rules,
            limits,
            formulas,
            fluents,
            identity,
            current: SymbolicPosition::default(),
            stuck: None,
            stuck_players: None,
            patience,
            needs: FxHashMap::default(),
            calls: FxHashMap::default(),
            names: FxHashMap::default(),
            numbered: 0,
        })
    }

    /// Returns the term of a cell in the current position.
    pub fn read(&self, cell: usize) -> SymbolicTerm {
        self.current.cells.get(&cell).unwrap_or(&self.identity[cell]).clone()
    }

    /// Returns the term of a cell before a move.
    pub fn before(&self, cell: usize) -> &SymbolicTerm {
        &self.identity[cell]
    }

    /// Switches to another position; returns the previous one.
    pub fn switch_position(&mut self, cells: FxHashMap<usize, SymbolicTerm>) -> SymbolicPosition {
        self.numbered += 1;
        std::mem::replace(&mut self.current, SymbolicPosition { cells, number: self.numbered })
    }

    /// Clears the cache of calls: `stuck` changes its meaning.
    pub fn forget_calls(&mut self) {
        self.calls.clear();
    }

    /// Returns an error if a limit is reached or the formulas grow too large.
    pub fn check(&self) -> Result<()> {
        cancel::step();
        match self.patience.hit().or_else(|| self.limits.check()) {
            Some(hit) => Err(GroundingError::new(format!("{hit}"), None)),
            None if self.formulas.size() > MAX_TABLE_SIZE || self.formulas.is_exhausted() => {
                Err(GroundingError::new("its rules are too large when grounded", None))
            }
            None => Ok(()),
        }
    }

    /// Returns the formula of a condition.
    pub fn truth(&mut self, env: &mut SymbolicEnv, expr: &'r Expr) -> Result<Formula> {
        if let Some(term) = self.eval_constant(env, expr) {
            return Ok(if term.known() == Some(&Value::Bool(true)) { TRUE } else { FALSE });
        }
        Ok(match &*expr.kind {
            ExprKind::Not(a) => {
                let a = self.truth(env, a)?;
                self.formulas.not(a)
            }
            ExprKind::And(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    let part = self.truth(env, part)?;
                    if part == FALSE {
                        return Ok(FALSE);
                    }
                    all.push(part);
                }
                self.formulas.and(all)
            }
            ExprKind::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.truth(env, part)?);
                }
                self.formulas.or(all)
            }
            ExprKind::Implies(a, b) => {
                let (a, b) = (self.truth(env, a)?, self.truth(env, b)?);
                self.formulas.implies(a, b)
            }
            ExprKind::Iff(a, b) => {
                let (a, b) = (self.truth(env, a)?, self.truth(env, b)?);
                self.formulas.iff(a, b)
            }
            ExprKind::Equal(a, b) => {
                let (a, b) = (self.value(env, a)?, self.value(env, b)?);
                self.equal(a, b)
            }
            ExprKind::In(a, set) => {
                let (a, set) = (self.value(env, a)?, self.value(env, set)?);
                let a = self.cases(a, expr)?;
                let set = set.into_set(&mut self.formulas);
                let each: Vec<Formula> =
                    a.iter().map(|(value, when)| self.formulas.and([*when, set.has(value)])).collect();
                self.formulas.or(each)
            }
            ExprKind::Subset(a, b) => {
                let (a, b) = (self.value(env, a)?, self.value(env, b)?);
                let (a, b) = (a.into_set(&mut self.formulas), b.into_set(&mut self.formulas));
                let mut all = vec![a.defined, b.defined];
                for (element, when) in &a.members {
                    all.push(self.formulas.implies(*when, b.has(element)));
                }
                self.formulas.and(all)
            }
            ExprKind::Defined(a) => self.value(env, a)?.defined(&mut self.formulas),
            ExprKind::Quant(quant, binders, body) => self.quantify(env, *quant, binders, body)?,
            ExprKind::Stuck => match self.stuck {
                Some(stuck) => stuck,
                None => FALSE,
            },
            ExprKind::StuckPlayer(player) => match self.stuck_players.clone() {
                Some(Ok(stuck)) => {
                    let named = self.players_of(env, player)?;
                    let each: Vec<Formula> = named
                        .into_iter()
                        .zip(stuck)
                        .map(|(named, stuck)| self.formulas.and([named, stuck]))
                        .collect();
                    self.formulas.or(each)
                }
                Some(Err(reason)) => return Err(GroundingError::new(reason, Some(expr.span))),
                None => FALSE,
            },
            _ => match self.value(env, expr)? {
                SymbolicTerm::Cases(cases) => {
                    let holds = cases.into_iter().find(|(value, _)| *value == Value::Bool(true));
                    holds.map_or(FALSE, |(_, when)| when)
                }
                SymbolicTerm::Set(_) => FALSE,
            },
        })
    }

    pub(super) fn equal(&mut self, a: SymbolicTerm, b: SymbolicTerm) -> Formula {
        if let (SymbolicTerm::Cases(a), SymbolicTerm::Cases(b)) = (&a, &b) {
            let same = |(value, when): &(Value, Formula)| {
                let place = b.binary_search_by(|(other, _)| other.cmp(value)).ok()?;
                Some([*when, b[place].1])
            };
            let pairs: Vec<[Formula; 2]> = a.iter().filter_map(same).collect();
            let each: Vec<Formula> = pairs.into_iter().map(|pair| self.formulas.and(pair)).collect();
            return self.formulas.or(each);
        }
        let (a, b) = (a.into_set(&mut self.formulas), b.into_set(&mut self.formulas));
        let mut all = vec![a.defined, b.defined];
        for (element, when) in &a.members {
            all.push(self.formulas.iff(*when, b.has(element)));
        }
        for (element, when) in &b.members {
            if a.has(element) == FALSE {
                all.push(self.formulas.not(*when));
            }
        }
        self.formulas.and(all)
    }

    /// Returns the term of an expression.
    pub fn value(&mut self, env: &mut SymbolicEnv, expr: &'r Expr) -> Result<SymbolicTerm> {
        if let Some(term) = self.eval_constant(env, expr) {
            return Ok(term);
        }
        Ok(match &*expr.kind {
            ExprKind::Const(value) => SymbolicTerm::constant(value.clone()),
            ExprKind::Undefined => SymbolicTerm::undefined(),
            ExprKind::Var(var) => env.get(*var).cloned().unwrap_or_else(SymbolicTerm::undefined),
            ExprKind::Me => env
                .me
                .map_or_else(SymbolicTerm::undefined, |me| SymbolicTerm::constant(self.rules.player(me))),
            ExprKind::Field(field, keys) => {
                let mut read = Vec::new();
                for (keys, when) in self.rows(env, keys, expr)? {
                    if let Some(cell) = self.rules.fields[*field].cell(&keys) {
                        let term = self.read(self.fluents.cell(*field, cell));
                        read.push(term.when(&mut self.formulas, when));
                    }
                }
                self.one_of(read)
            }
            ExprKind::Call(def, args) => {
                let mut given = Vec::new();
                for (args, when) in self.rows(env, args, expr)? {
                    let term = self.call(*def, env.me, args)?;
                    given.push(term.when(&mut self.formulas, when));
                }
                self.one_of(given)
            }
            ExprKind::Flood(board, from, within) => {
                let (from, within) = (self.value(env, from)?, self.value(env, within)?);
                let (from, within) = (from.into_set(&mut self.formulas), within.into_set(&mut self.formulas));
                self.flood(*board, &from, &within)?
            }
            ExprKind::Table(_, parts)
            | ExprKind::Board(_, _, parts)
            | ExprKind::Tuple(_, parts)
            | ExprKind::List(parts) => {
                let parts: Vec<&Expr> = parts.iter().collect();
                self.pointwise(env, expr, &parts)?
            }
            ExprKind::Arith { left: a, right: b, .. }
            | ExprKind::Range(a, b)
            | ExprKind::Less(a, b)
            | ExprKind::LessEqual(a, b) => self.pointwise(env, expr, &[a, b])?,
            ExprKind::Negate(a) | ExprKind::Part(a, _) => self.pointwise(env, expr, &[a])?,
            ExprKind::Present(a) => match self.value(env, a)? {
                SymbolicTerm::Cases(cases) => SymbolicTerm::Cases(
                    cases.into_iter().filter(|(value, _)| *value != Value::None).collect(),
                ),
                set @ SymbolicTerm::Set(_) => set,
            },
            ExprKind::Card(set) => match self.value(env, set)? {
                // A list may have an element more than once.
                SymbolicTerm::Cases(cases) => {
                    let count = |value: &Value| match value {
                        Value::Set(elements) | Value::List(elements) => {
                            Some(Value::Int(elements.len() as i64))
                        }
                        _ => None,
                    };
                    let counts = cases.into_iter().filter_map(|(value, when)| Some((count(&value)?, when)));
                    SymbolicTerm::cases(&mut self.formulas, counts)
                }
                SymbolicTerm::Set(set) => {
                    let members: Vec<Formula> = set.members.iter().map(|(_, when)| *when).collect();
                    self.number(&members, set.defined, expr)?
                }
            },
            ExprKind::SetOf(items) => {
                let (mut defined, mut members) = (Vec::new(), Vec::new());
                for item in items {
                    let item = self.value(env, item)?;
                    defined.push(item.defined(&mut self.formulas));
                    members.extend(self.cases(item, expr)?);
                }
                let defined = self.formulas.and(defined);
                let members = merge_cases(&mut self.formulas, members);
                SymbolicTerm::Set(SetTerm { defined: TRUE, members }).when(&mut self.formulas, defined)
            }
            ExprKind::SetOp(op, a, b) => {
                let (a, b) = (self.value(env, a)?, self.value(env, b)?);
                let (a, b) = (a.into_set(&mut self.formulas), b.into_set(&mut self.formulas));
                self.set_op(*op, &a, &b)
            }
            ExprKind::Fold(fold, binders, body) => self.fold(env, *fold, binders, body, expr)?,
            ExprKind::Collect(binders, body) => {
                let (bodies, undefined) = self.bodies(env, binders, body)?;
                let mut members = Vec::new();
                for body in bodies {
                    members.extend(self.cases(body, expr)?);
                }
                let defined = self.formulas.not(undefined);
                let members = merge_cases(&mut self.formulas, members);
                SymbolicTerm::Set(SetTerm { defined: TRUE, members }).when(&mut self.formulas, defined)
            }
            ExprKind::If(condition, a, b) => {
                let condition = self.truth(env, condition)?;
                let otherwise = self.formulas.not(condition);
                let mut both = Vec::new();
                for (branch, when) in [(a, condition), (b, otherwise)] {
                    if when != FALSE {
                        let term = self.value(env, branch)?;
                        both.push(term.when(&mut self.formulas, when));
                    }
                }
                self.one_of(both)
            }
            ExprKind::Match(scrutinee, arms) => {
                let scrutinee = self.value(env, scrutinee)?;
                self.choose(env, scrutinee, arms, expr)?
            }
            ExprKind::Let(pattern, bound, body) => {
                let bound = self.value(env, bound)?;
                let defined = self.bind(env, pattern, bound, expr)?;
                if defined == FALSE {
                    return Ok(SymbolicTerm::undefined());
                }
                self.value(env, body)?.when(&mut self.formulas, defined)
            }
            _ => {
                let holds = self.truth(env, expr)?;
                SymbolicTerm::of_formula(&mut self.formulas, holds)
            }
        })
    }

    fn one_of(&mut self, mut terms: Vec<SymbolicTerm>) -> SymbolicTerm {
        if terms.len() == 1
            && let Some(only) = terms.pop()
        {
            return only;
        }
        SymbolicTerm::either(&mut self.formulas, terms)
    }

    /// Returns a term as cases, value by value.
    pub fn cases(&mut self, term: SymbolicTerm, at: &Expr) -> Result<Vec<(Value, Formula)>> {
        term.into_cases(&mut self.formulas)
            .ok_or_else(|| GroundingError::new("a set is used as one value here", Some(at.span)))
    }

    /// Returns the number of these formulas that hold, as a term that is defined under a condition.
    pub fn number(&mut self, of: &[Formula], defined: Formula, at: &Expr) -> Result<SymbolicTerm> {
        let mut cases = Vec::new();
        for n in 0..=of.len() {
            let many = || GroundingError::new("there are too many things to count here", Some(at.span));
            let bit = 1u128.checked_shl(n as u32).ok_or_else(many)?;
            let when = self.formulas.count(of, bit).ok_or_else(many)?;
            cases.push((Value::Int(n as i64), self.formulas.and([when, defined])));
        }
        Ok(SymbolicTerm::cases(&mut self.formulas, cases))
    }

    /// Returns the combinations of the values of terms, all of which must be defined.
    pub fn rows(
        &mut self,
        env: &mut SymbolicEnv,
        exprs: impl IntoIterator<Item = &'r Expr>,
        at: &Expr,
    ) -> Result<Vec<(Vec<Value>, Formula)>> {
        let mut rows = vec![(Vec::new(), TRUE)];
        for expr in exprs {
            let term = self.value(env, expr)?;
            let cases = self.cases(term, at)?;
            let mut longer = Vec::new();
            for (row, so_far) in &rows {
                for (value, when) in &cases {
                    let when = self.formulas.and([*so_far, *when]);
                    if when != FALSE {
                        let mut row = row.clone();
                        row.push(value.clone());
                        longer.push((row, when));
                    }
                }
                self.check()?;
            }
            rows = longer;
        }
        Ok(rows)
    }

    fn set_op(&mut self, op: SetOp, a: &SetTerm, b: &SetTerm) -> SymbolicTerm {
        let mut members = Vec::new();
        for (element, when) in &a.members {
            let other = b.has(element);
            let when = match op {
                SetOp::Union => self.formulas.or([*when, other]),
                SetOp::Intersect => self.formulas.and([*when, other]),
                SetOp::Minus => self.formulas.and_not(*when, other),
            };
            members.push((element.clone(), when));
        }
        if op == SetOp::Union {
            members.extend(b.members.iter().filter(|(element, _)| a.has(element) == FALSE).cloned());
        }
        let defined = self.formulas.and([a.defined, b.defined]);
        let members = merge_cases(&mut self.formulas, members);
        SymbolicTerm::Set(SetTerm { defined: TRUE, members }).when(&mut self.formulas, defined)
    }

    fn choose(
        &mut self,
        env: &mut SymbolicEnv,
        scrutinee: SymbolicTerm,
        arms: &'r [Arm],
        at: &Expr,
    ) -> Result<SymbolicTerm> {
        let mut results = Vec::new();
        for (value, when) in self.cases(scrutinee, at)? {
            let mut open = when;
            for arm in arms {
                if open == FALSE {
                    break;
                }
                let fits = self.fits(env, &arm.pattern, &value)?;
                let here = self.formulas.and([open, fits]);
                if here != FALSE {
                    let term = self.value(env, &arm.value)?;
                    results.push(term.when(&mut self.formulas, here));
                }
                open = self.formulas.and_not(open, fits);
            }
        }
        Ok(self.one_of(results))
    }

    fn fits(&mut self, env: &mut SymbolicEnv, pattern: &'r ArmPattern, value: &Value) -> Result<Formula> {
        Ok(match (pattern, value) {
            (ArmPattern::Any, _) => TRUE,
            (ArmPattern::Value(expr), _) => {
                let term = self.value(env, expr)?;
                self.equal(term, SymbolicTerm::constant(value.clone()))
            }
            (ArmPattern::OneOf(set), _) => self.value(env, set)?.into_set(&mut self.formulas).has(value),
            (ArmPattern::Tuple(patterns), Value::Tuple(tuple)) if patterns.len() == tuple.parts.len() => {
                let mut all = Vec::new();
                for (pattern, part) in patterns.iter().zip(&tuple.parts) {
                    all.push(self.fits(env, pattern, part)?);
                }
                self.formulas.and(all)
            }
            (ArmPattern::Tuple(_), _) => FALSE,
        })
    }

    /// Binds the variables of a pattern; returns the condition under which the term has a value of its form.
    pub fn bind(
        &mut self,
        env: &mut SymbolicEnv,
        pattern: &Pattern,
        term: SymbolicTerm,
        at: &Expr,
    ) -> Result<Formula> {
        match pattern {
            Pattern::Var(var) => {
                let defined = term.defined(&mut self.formulas);
                env.set(*var, term);
                Ok(defined)
            }
            Pattern::Tuple(patterns) => {
                let cases = self.cases(term, at)?;
                let whole: Vec<(&bouton_rules::Tuple, Formula)> = cases
                    .iter()
                    .filter_map(|(value, when)| match value {
                        Value::Tuple(tuple) if tuple.parts.len() == patterns.len() => Some((&**tuple, *when)),
                        _ => None,
                    })
                    .collect();
                for (n, pattern) in patterns.iter().enumerate() {
                    let parts = whole.iter().map(|(tuple, when)| (tuple.parts[n].clone(), *when));
                    let part = SymbolicTerm::cases(&mut self.formulas, parts);
                    self.bind(env, pattern, part, at)?;
                }
                Ok(self.formulas.or(whole.iter().map(|(_, when)| *when)))
            }
        }
    }

    /// Applies a definition to values.
    fn call(&mut self, id: DefId, me: Option<u32>, args: Vec<Value>) -> Result<SymbolicTerm> {
        let rules = self.rules;
        let def = &rules.defs[id];
        let fit = |(param, value): (&VarId, &Value)| rules.has_value(&def.vars[*param].ty, value);
        if !def.params.iter().zip(&args).all(fit) {
            return Ok(SymbolicTerm::undefined());
        }
        let me = if def.uses_me { me } else { None };
        let key = (self.current.number, id, me, args);
        if def.group.is_some() {
            let holds = self.named(key)?;
            return Ok(SymbolicTerm::of_formula(&mut self.formulas, holds));
        }
        if let Some(known) = self.calls.get(&key) {
            return Ok(known.clone());
        }
        self.check()?;
        let mut env = SymbolicEnv::of(me);
        for (param, value) in def.params.iter().zip(&key.3) {
            env.set(*param, SymbolicTerm::constant(value.clone()));
        }
        let mut term = self.value(&mut env, &def.body)?;
        if let (Type::Int(lo, hi), SymbolicTerm::Cases(cases)) = (&def.ty, &mut term) {
            cases.retain(|(value, _)| value.as_int().is_none_or(|i| *lo <= i && i <= *hi));
        }
        self.calls.insert(key, term.clone());
        Ok(term)
    }

    /// Applies an inductive definition: returns a name, whose formula is computed on its first use.
    fn named(&mut self, key: CallKey) -> Result<Formula> {
        if let Some(&known) = self.names.get(&key) {
            return Ok(known);
        }
        self.check()?;
        let def = &self.rules.defs[key.1];
        let (name, formula) = self.formulas.name();
        let mut env = SymbolicEnv::of(key.2);
        for (param, value) in def.params.iter().zip(&key.3) {
            env.set(*param, SymbolicTerm::constant(value.clone()));
        }
        self.names.insert(key, formula);
        let body = self.truth(&mut env, &def.body)?;
        self.formulas.define(name, body);
        Ok(formula)
    }

    /// Flood fill: returns the cells of `within` that steps from cells of `from` reach in it. A graph has one-way steps.
    fn flood(&mut self, board: BoardId, from: &SetTerm, within: &SetTerm) -> Result<SymbolicTerm> {
        let names: Vec<(NameId, Formula)> = within.members.iter().map(|_| self.formulas.name()).collect();
        let mut ways: Vec<_> = within.members.iter().map(|(cell, _)| vec![from.has(cell)]).collect();
        for ((cell, _), (_, reached)) in within.members.iter().zip(&names) {
            let &Value::Sym(cells, number) = cell else { continue };
            for &next in self.rules.boards[board].neighbors(number) {
                let next = Value::Sym(cells, next);
                if let Ok(there) = within.members.binary_search_by(|(other, _)| other.cmp(&next)) {
                    ways[there].push(*reached);
                }
            }
        }
        let mut members = Vec::new();
        for (((cell, open), (name, inside)), ways) in within.members.iter().zip(names).zip(ways) {
            let reached = self.formulas.or(ways);
            let body = self.formulas.and([*open, reached]);
            self.formulas.define(name, body);
            members.push((cell.clone(), inside));
        }
        let defined = self.formulas.and([from.defined, within.defined]);
        self.check()?;
        Ok(SymbolicTerm::Set(SetTerm { defined: TRUE, members }).when(&mut self.formulas, defined))
    }

    /// Returns, for each player, the condition under which a term names the player, alone or as an element of a set.
    pub fn players_of(&mut self, env: &mut SymbolicEnv, expr: &'r Expr) -> Result<Vec<Formula>> {
        let term = self.value(env, expr)?;
        let players = self.rules.players().len() as u32;
        let mut named = vec![FALSE; players as usize];
        match term {
            SymbolicTerm::Set(set) => {
                for (player, when) in &mut named.iter_mut().enumerate() {
                    *when = set.has(&Value::Sym(PLAYER, player as u32));
                }
            }
            SymbolicTerm::Cases(cases) => {
                for (value, here) in cases {
                    for (player, when) in named.iter_mut().enumerate() {
                        let player = Value::Sym(PLAYER, player as u32);
                        let is_it = match &value {
                            Value::Set(players) => players.contains(&player),
                            value => *value == player,
                        };
                        if is_it {
                            *when = self.formulas.or([*when, here]);
                        }
                    }
                }
            }
        }
        Ok(named)
    }
}

/// The elements of a domain, each with its condition, and the condition under which the domain is undefined.
pub(super) enum DomainElements {
    /// The same in all positions.
    Fixed(Arc<Vec<Value>>),
    /// One condition for each element.
    Uncertain(Vec<(Value, Formula)>, Formula),
}

impl<'r> Grounder<'r> {
    pub fn domain(&mut self, env: &mut SymbolicEnv, domain: &'r Domain) -> Result<DomainElements> {
        let expr = match domain {
            Domain::Fixed(values) => return Ok(DomainElements::Fixed(values.clone())),
            Domain::Set(expr) => expr,
        };
        let term = self.value(env, expr)?;
        // The elements of a list keep its own order; those of a set have the order of values.
        if let Some(Value::Set(elements) | Value::List(elements)) = term.known() {
            return Ok(DomainElements::Fixed(elements.clone()));
        }
        if let SymbolicTerm::Cases(cases) = &term
            && cases.iter().any(|(value, _)| matches!(value, Value::List(_)))
        {
            let reason = "grounding does not support a loop over a list that depends on the position";
            return Err(GroundingError::new(reason, Some(expr.span)));
        }
        let set = term.into_set(&mut self.formulas);
        let undefined = self.formulas.not(set.defined);
        Ok(DomainElements::Uncertain(set.members, undefined))
    }
}
