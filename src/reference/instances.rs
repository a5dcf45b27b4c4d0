//! The instances of a move: its parameters in all combinations, the first slowest (LANGUAGE.md section 6).
//!
//! A move with two cells as parameters has thousands of instances, of which few are legal. The conditions at the top of
//! its first stage are therefore tested as soon as the parameters that occur in them are bound, and the loops over the
//! other parameters do not begin if one fails (predicate pushdown). A condition that a parameter is in a set, or equal
//! to a term, is the domain of its loop. If a condition calls a definition, the conjuncts of its body that mention only
//! some of its parameters are tested in the same way. Only the time changes: such a condition makes the move illegal
//! whenever it is tested. The tests compare with the naive order.

use rustc_hash::FxHashSet;

use super::Interpreter;
use super::compact::{Compact, Members};
use super::eval::Context;
use super::node::{BlockNode, Node, PatternNode, StmtNodeKind, Values};
use super::prepare::Preparer;
use bouton_base::id::Id;
use bouton_rules::{
    DefId, Expr, ExprKind, Move, MoveId, Pattern, Rules, Stmt, StmtKind, TemplatePart, Type, Value, VarId,
};

/// A prepared move.
#[derive(Debug)]
pub struct MoveNode {
    /// The number of slots of its variables.
    pub slots: usize,
    params: Vec<(usize, Values)>,
    /// The tests that can run once the first `n` parameters are bound, for each n.
    levels: Vec<Level>,
    /// The body without the conditions that the levels test and the variables that they bind.
    pub tested: BlockNode,
    pub body: BlockNode,
    /// The `let`s of the first stage.
    lets: Vec<(PatternNode, Node)>,
    pub by: Option<Node>,
    pub weight: Option<Node>,
    pub prefer: Option<Node>,
    /// The placeholders of the template, in order.
    pub placeholders: Vec<Node>,
}

#[derive(Debug, Default)]
struct Level {
    tests: Vec<EarlyTest>,
    /// The sets that the next parameter must be in.
    among: Vec<Node>,
}

#[derive(Debug)]
enum EarlyTest {
    /// A conjunct of a `when` or `ensure`.
    Test(Node),
    /// A `let`, which must have a value.
    Bind(PatternNode, Node),
    /// A conjunct of the body of a called definition.
    DefConjunct(DefConjunct),
}

/// A conjunct of the body of a definition.
#[derive(Debug)]
pub struct DefConjunct {
    /// The parameters that occur in it, with their types and arguments.
    pub params: Vec<(usize, Type, Node)>,
    /// The number of slots of the definition.
    pub slots: usize,
    pub conjunct: Node,
}

impl MoveNode {
    /// Prepares a move; finds the earliest level of each condition of the first stage, outside `if` and `for`.
    pub fn new(rules: &Rules, of: &Move) -> MoveNode {
        let mut made = MoveNode::naive(rules, of);
        let mut preparer = Preparer::new(rules, made.slots);
        let params = of.params.iter().enumerate();
        let mut bound = BindingLevels(params.map(|(i, param)| (param.var, i + 1)).collect());
        made.tested = BlockNode::default();
        for stmt in &of.body.stmts {
            match &stmt.kind {
                StmtKind::Require(condition) => {
                    for conjunct in conjuncts(condition) {
                        made.add_conjunct(&mut preparer, &bound, of, conjunct);
                        if let ExprKind::Call(def, args) = &*conjunct.kind {
                            made.add_inside(&mut preparer, &bound, *def, args);
                        }
                    }
                }
                StmtKind::Let(pattern, value) => {
                    let at = bound.level([value]);
                    for_each_var(pattern, &mut |var| bound.0.push((var, at)));
                    let bind = EarlyTest::Bind(preparer.pattern(pattern), preparer.node(value));
                    made.levels[at].tests.push(bind);
                }
                _ => made.tested.stmts.push(preparer.stmt(stmt)),
            }
        }
        made
    }

    /// The same without early tests.
    pub fn naive(rules: &Rules, of: &Move) -> MoveNode {
        let mut preparer = Preparer::new(rules, of.vars.len());
        let levels = (0..=of.params.len()).map(|_| Level::default()).collect();
        let params = of.params.iter().map(|param| (param.var.index(), Values::of(&param.values))).collect();
        let bind = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Let(pattern, value) => Some((preparer.pattern(pattern), preparer.node(value))),
            _ => None,
        };
        let lets = of.body.stmts.iter().filter_map(bind).collect();
        let placeholder = |part: &TemplatePart| match part {
            TemplatePart::Text(_) => None,
            TemplatePart::Placeholder(hole) => Some(preparer.node(hole)),
        };
        let placeholders = of.template.iter().filter_map(placeholder).collect();
        let mut node = |expr: &Option<Expr>| expr.as_ref().map(|expr| preparer.node(expr));
        let (by, weight, prefer) = (node(&of.by), node(&of.weight), node(&of.prefer));
        let (tested, body) = (preparer.block(&of.body), preparer.block(&of.body));
        MoveNode {
            slots: preparer.slots,
            params,
            levels,
            tested,
            body,
            lets,
            by,
            weight,
            prefer,
            placeholders,
        }
    }

    fn add_conjunct(&mut self, preparer: &mut Preparer, bound: &BindingLevels, of: &Move, conjunct: &Expr) {
        let level = bound.level([conjunct]);
        let is_next = |var: &VarId| level > 0 && of.params[level - 1].var == *var;
        match &*conjunct.kind {
            ExprKind::In(element, set) if is_var(element, is_next) && bound.level([set]) < level => {
                let set = preparer.node(set);
                self.levels[level - 1].among.push(set);
            }
            ExprKind::Equal(a, b) if is_var(a, is_next) && bound.level([b]) < level => {
                let set = Node::SetOf([preparer.node(b)].into());
                self.levels[level - 1].among.push(set);
            }
            _ => {
                let test = EarlyTest::Test(preparer.node(conjunct));
                self.levels[level].tests.push(test);
            }
        }
    }

    /// Adds the conjuncts of a definition's body that can be tested before all its arguments are bound. A fixpoint is
    /// not split.
    fn add_inside(&mut self, preparer: &mut Preparer, bound: &BindingLevels, id: DefId, args: &[Expr]) {
        let def = &preparer.rules.defs[id];
        let whole = bound.level(args);
        for conjunct in conjuncts(&def.body) {
            let mut used = FxHashSet::default();
            variables(conjunct, &mut used);
            let params = || def.params.iter().zip(args).filter(|(param, _)| used.contains(param));
            let level = bound.level(params().map(|(_, arg)| arg));
            if level < whole && def.group.is_none() {
                let param = |(param, arg): (&VarId, &Expr)| {
                    (param.index(), def.vars[*param].ty.clone(), preparer.node(arg))
                };
                let params = params().map(param).collect();
                let mut inside = Preparer::new(preparer.rules, def.vars.len());
                let conjunct = inside.node(conjunct);
                let test = DefConjunct { params, slots: inside.slots, conjunct };
                self.levels[level].tests.push(EarlyTest::DefConjunct(test));
            }
        }
    }

    /// The arguments of the instance in the current frame.
    pub fn args(&self, context: &Context) -> Vec<Value> {
        let value = |(slot, _): &(usize, Values)| context.get(*slot).map_or(Value::None, Compact::to_value);
        self.params.iter().map(value).collect()
    }

    /// Returns true if the early tests decide whether an instance is legal: the rest of the body has no condition, and no
    /// `let` that may be without a value.
    pub fn is_decided_early(&self) -> bool {
        fn is_free(block: &BlockNode) -> bool {
            block.stmts.iter().all(|stmt| match &stmt.kind {
                StmtNodeKind::Require(_) | StmtNodeKind::Let(..) => false,
                StmtNodeKind::If(_, then, otherwise) => is_free(then) && is_free(otherwise),
                StmtNodeKind::For(_, body) | StmtNodeKind::Then(body) => is_free(body),
                StmtNodeKind::Effect(_) | StmtNodeKind::Stay(_) | StmtNodeKind::Next(_) => true,
            })
        }
        is_free(&self.tested)
    }

    /// Binds the parameters in the current frame.
    pub fn set_args(&self, context: &mut Context, args: &[Value]) {
        self.params.iter().zip(args).for_each(|((slot, _), arg)| context.set(*slot, arg.into()));
    }

    /// Evaluates with the parameters of a move and the `let`s of its first stage bound, if they have values. The
    /// written form, `weight` and `prefer` are evaluated so.
    pub fn with_instance<R>(
        &self,
        context: &mut Context,
        args: &[Value],
        work: impl FnOnce(&mut Context) -> R,
    ) -> R {
        let outer = context.enter(self.slots);
        self.set_args(context, args);
        for (pattern, value) in &self.lets {
            if let Some(value) = context.value(value) {
                context.bind(pattern, &value);
            }
        }
        let result = work(context);
        context.leave(outer);
        result
    }
}

fn is_var(expr: &Expr, is_it: impl Fn(&VarId) -> bool) -> bool {
    matches!(&*expr.kind, ExprKind::Var(var) if is_it(var))
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

/// A visitor of instances, whose variables are bound in the current frame; it returns false to stop.
type BoundVisitor<'v, 'a> = &'v mut dyn FnMut(&mut Context<'a>) -> bool;

impl Interpreter {
    /// Visits the instances of a move that no early test excludes, in order. The visitor returns false to stop; then
    /// this function returns false as well.
    pub(super) fn each_instance<'a>(
        &self,
        context: &mut Context<'a>,
        id: MoveId,
        visit: BoundVisitor<'_, 'a>,
    ) -> bool {
        let of = &self.prepared.moves[id];
        let outer = context.enter(of.slots);
        let go_on = bind_from(context, of, 0, visit);
        context.leave(outer);
        go_on
    }
}

/// Binds the parameters from the n-th, the others being bound.
fn bind_from<'a>(context: &mut Context<'a>, of: &MoveNode, n: usize, visit: BoundVisitor<'_, 'a>) -> bool {
    let level = &of.levels[n];
    let possible = level.tests.iter().all(|test| match test {
        EarlyTest::Test(condition) => context.truth(condition),
        EarlyTest::Bind(pattern, value) => {
            context.value(value).is_some_and(|value| context.bind(pattern, &value))
        }
        EarlyTest::DefConjunct(of) => context.conjunct_holds(of),
    });
    if !possible {
        return true;
    }
    let Some((slot, values)) = of.params.get(n) else { return visit(context) };
    let among: Option<Vec<Compact>> = level.among.iter().map(|set| context.value(set)).collect();
    let Some(among) = among else { return true };
    let mut each = |context: &mut Context<'a>, value: Compact| {
        if context.patience.spend(1) {
            return false;
        }
        context.set(*slot, value);
        bind_from(context, of, n + 1, visit)
    };
    match values {
        Values::Members(id, members) => {
            let members = among.iter().fold(*members, |members, set| match set.as_members() {
                Some((of, set)) if of == *id => Members::from_bits(members.bits() & set.bits()),
                _ => members.iter().filter(|&number| set.contains(&Compact::sym(*id, number))).collect(),
            });
            members.iter().all(|number| each(context, Compact::sym(*id, number)))
        }
        Values::Listed(values) => values.iter().all(|value| {
            let excluded = among.iter().any(|set| !set.contains(value));
            if excluded { !context.patience.spend(1) } else { each(context, value.clone()) }
        }),
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
