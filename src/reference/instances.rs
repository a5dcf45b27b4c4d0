//! The instances of a move: its parameters in all combinations, the first slowest (LANGUAGE.md section 6).
//!
//! A move with two cells as parameters has thousands of instances, of which few are legal. The conditions at the top of
//! its first stage are therefore tested as soon as the parameters that occur in them are bound, and the loops over the
//! other parameters do not begin if one fails (predicate pushdown). If a condition calls a definition, the conjuncts of
//! its body that mention only some of its parameters are tested in the same way. Only the time changes: such a
//! condition makes the move illegal whenever it is tested. The tests compare with the naive order.

use rustc_hash::FxHashSet;

use super::Interpreter;
use super::env::Env;
use super::eval::Context;
use bouton_rules::{DefId, Expr, ExprKind, Move, MoveId, Pattern, Rules, StmtKind, Value, VarId};

/// The early tests of a move: those at level `n` can run once the first `n` parameters are bound.
#[derive(Clone, Debug)]
pub struct Schedule {
    levels: Vec<Vec<EarlyTest>>,
}

#[derive(Clone, Debug)]
enum EarlyTest {
    /// A conjunct of a `when` or `ensure`.
    Test(Expr),
    /// A `let`, which must have a value.
    Bind(Pattern, Expr),
    /// A conjunct of the body of a called definition, with the parameters that occur in it and their arguments.
    DefConjunct(DefId, Vec<(VarId, Expr)>, Expr),
}

impl Schedule {
    /// Finds the earliest level of each condition of the first stage, outside `if` and `for`.
    pub fn new(rules: &Rules, of: &Move) -> Schedule {
        let mut schedule = Schedule::naive(of);
        let mut bound =
            BindingLevels(of.params.iter().enumerate().map(|(i, param)| (param.var, i + 1)).collect());
        for stmt in &of.body.stmts {
            match &stmt.kind {
                StmtKind::Require(condition) => {
                    for conjunct in conjuncts(condition) {
                        schedule.levels[bound.level([conjunct])].push(EarlyTest::Test(conjunct.clone()));
                        if let ExprKind::Call(def, args) = &*conjunct.kind {
                            schedule.add_inside(&bound, rules, *def, args);
                        }
                    }
                }
                StmtKind::Let(pattern, value) => {
                    let at = bound.level([value]);
                    for_each_var(pattern, &mut |var| bound.0.push((var, at)));
                    schedule.levels[at].push(EarlyTest::Bind(pattern.clone(), value.clone()));
                }
                _ => {}
            }
        }
        schedule
    }

    /// Adds the conjuncts of a definition's body that can be tested before all its arguments are bound. A fixpoint is
    /// not split.
    fn add_inside(&mut self, bound: &BindingLevels, rules: &Rules, id: DefId, args: &[Expr]) {
        let def = &rules.defs[id];
        let whole = bound.level(args);
        for conjunct in conjuncts(&def.body) {
            let mut used = FxHashSet::default();
            variables(conjunct, &mut used);
            let params = def.params.iter().zip(args).filter(|(param, _)| used.contains(param));
            let params: Vec<(VarId, Expr)> = params.map(|(&param, arg)| (param, arg.clone())).collect();
            let level = bound.level(params.iter().map(|(_, arg)| arg));
            if level < whole && def.group.is_none() {
                self.levels[level].push(EarlyTest::DefConjunct(id, params, conjunct.clone()));
            }
        }
    }

    /// The schedule without early tests.
    pub fn naive(of: &Move) -> Schedule {
        Schedule { levels: vec![Vec::new(); of.params.len() + 1] }
    }
}

/// The level of each variable: the number of parameters after which it has its value.
struct BindingLevels(Vec<(VarId, usize)>);

impl BindingLevels {
    /// The number of parameters after which these expressions can be evaluated.
    fn level<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> usize {
        let mut used = FxHashSet::default();
        exprs.into_iter().for_each(|expr| variables(expr, &mut used));
        self.0.iter().filter(|(var, _)| used.contains(var)).map(|&(_, level)| level).max().unwrap_or(0)
    }
}

impl Interpreter {
    /// Visits the instances of a move that no early test excludes, in order, with the values of its variables and its
    /// arguments. The visitor returns false to stop; then this function returns false as well.
    pub(super) fn each_instance(
        &self,
        context: &Context,
        id: MoveId,
        visit: &mut dyn FnMut(&Env, &[Value]) -> bool,
    ) -> bool {
        let of = &self.rules.moves[id];
        self.bind_from(context, id, &mut Env::new(of.vars.len()), &mut Vec::new(), visit)
    }

    fn bind_from(
        &self,
        context: &Context,
        id: MoveId,
        env: &mut Env,
        args: &mut Vec<Value>,
        visit: &mut dyn FnMut(&Env, &[Value]) -> bool,
    ) -> bool {
        let possible = self.schedules[id].levels[args.len()].iter().all(|step| match step {
            EarlyTest::Test(condition) => context.truth(env, condition),
            EarlyTest::Bind(pattern, value) => {
                context.value(env, value).is_some_and(|value| env.bind(pattern, &value))
            }
            EarlyTest::DefConjunct(def, params, conjunct) => {
                let def = &self.rules.defs[*def];
                let mut inner = Env::on_stack(def.vars.len(), env.base);
                let mut pass =
                    |(param, arg): &(VarId, Expr)| context.pass_argument(env, def, *param, arg, &mut inner);
                params.iter().try_for_each(&mut pass).is_some() && context.truth(&mut inner, conjunct)
            }
        });
        if !possible {
            return true;
        }
        let Some(param) = self.rules.moves[id].params.get(args.len()) else { return visit(env, args) };
        for value in param.values.iter() {
            if context.patience.spend(1) {
                return false;
            }
            env.set(param.var, value.clone());
            args.push(value.clone());
            let go_on = self.bind_from(context, id, env, args, visit);
            args.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    /// The variables of a move with its parameters and the `let`s of its first stage bound, if they have values. The
    /// written form, `weight` and `prefer` are evaluated with them.
    pub(super) fn instance_env(&self, context: &Context, of: &Move, args: &[Value]) -> Env {
        let mut env = Env::new(of.vars.len());
        for (param, value) in of.params.iter().zip(args) {
            env.set(param.var, value.clone());
        }
        for stmt in &of.body.stmts {
            if let StmtKind::Let(pattern, value) = &stmt.kind
                && let Some(value) = context.value(&mut env, value)
            {
                env.bind(pattern, &value);
            }
        }
        env
    }
}

fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match &*expr.kind {
        ExprKind::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        _ => vec![expr],
    }
}

fn for_each_var(pattern: &Pattern, visit: &mut dyn FnMut(VarId)) {
    match pattern {
        Pattern::Var(var) => visit(*var),
        Pattern::Tuple(patterns) => patterns.iter().for_each(|pattern| for_each_var(pattern, visit)),
    }
}

/// Collects the variables that an expression mentions, including those that it binds: no other expression has the same.
fn variables(expr: &Expr, used: &mut FxHashSet<VarId>) {
    if let ExprKind::Var(var) = &*expr.kind {
        used.insert(*var);
    }
    expr.each_part(&mut |part| variables(part, used));
}
