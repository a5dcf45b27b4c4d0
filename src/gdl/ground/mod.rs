//! Grounding: the instances of all rules that can occur in play, found by joins.
//!
//! First the relations that never change are evaluated exactly, stratum by stratum. Then one fixpoint derives all
//! sentences that could be true in some position if negated conditions never failed (the delete relaxation), and lists
//! each instance of a rule once, with the conditions that change. Technique: semi-naive evaluation, one fact at a time
//! (Bancilhon, 1986): a new fact triggers each rule at each condition that it matches; conditions to the left of the
//! trigger match earlier facts only, so no instance is found twice.

use bouton_base::cancel;
use bouton_syntax::diag::{Code, Diagnostic};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clauses::counted;
use crate::program::{Condition, Rule, rules_of, split};
use crate::sheet::{Pattern, Sheet};
use crate::terms::{MAX_TERM_DEPTH, Symbol, TermId, Terms};

mod contradictions;
mod demand;
mod facts;
mod join;
mod lasting;
mod plan;

use contradictions::exclude_contradictions;
use demand::restrict;
pub use facts::{AtomId, Facts};
use join::{Binding, Found, Ground, MaxBindings, instantiate, run};
use lasting::with_lasting_fluents;
use plan::{Plan, Planner};

/// A condition of an instance: a ground sentence, true or negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroundLiteral(u32);

impl GroundLiteral {
    pub fn new(atom: AtomId, holds: bool) -> GroundLiteral {
        GroundLiteral(atom.0 << 1 | u32::from(!holds))
    }

    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    /// Returns true if the literal is not negated.
    pub fn holds(self) -> bool {
        self.0 & 1 == 0
    }
}

/// The instances of all rules, in the order in which they were found.
#[derive(Debug, Default)]
pub struct Instances {
    heads: Vec<AtomId>,
    /// The end of each instance's conditions in `literals`.
    ends: Vec<u32>,
    literals: Vec<GroundLiteral>,
}

impl Instances {
    /// Adds an instance.
    pub fn push(&mut self, head: AtomId, body: &[GroundLiteral]) {
        self.heads.push(head);
        self.literals.extend_from_slice(body);
        self.ends.push(self.literals.len() as u32);
    }

    /// The number of instances.
    pub fn count(&self) -> usize {
        self.heads.len()
    }

    pub fn head(&self, instance: usize) -> AtomId {
        self.heads[instance]
    }

    /// The conditions of an instance.
    pub fn body(&self, instance: usize) -> &[GroundLiteral] {
        &self.literals[self.range(instance)]
    }

    pub fn body_mut(&mut self, instance: usize) -> &mut [GroundLiteral] {
        let range = self.range(instance);
        &mut self.literals[range]
    }

    fn range(&self, instance: usize) -> std::ops::Range<usize> {
        let start = instance.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[instance] as usize
    }

    /// The instances: head and conditions.
    pub fn iter(&self) -> impl Iterator<Item = (AtomId, &[GroundLiteral])> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let parts = starts.zip(&self.ends).map(|(start, &end)| &self.literals[start as usize..end as usize]);
        self.heads.iter().copied().zip(parts)
    }
}

/// The ground instances of a sheet.
#[derive(Debug)]
pub struct Grounding {
    pub terms: Terms,
    pub facts: Facts,
    pub instances: Instances,
    /// The rules of what changes, from which the instances come.
    pub rules: Vec<Rule>,
}

/// The maximal number of instances of all rules together.
const MAX_INSTANCES: usize = 3_000_000;
/// The maximal number of partial bindings that joins try, for each instance that there may be.
const MAX_TRIED: usize = 40;

/// The number of instances above which rules are split and restricted.
const MAX_PLAIN_INSTANCES: usize = 200_000;

/// The number of instances of relations that never change above which they are evaluated as far as others ask for them.
const MAX_CONSTANT_INSTANCES: usize = 200_000;

/// Grounds a sheet that obeys the rules of GDL. If there are many instances, rules with many variables are split, and
/// rules are restricted to the instances that others ask for.
pub fn ground(sheet: &mut Sheet) -> Result<Grounding, Box<Diagnostic>> {
    let clauses = std::mem::take(&mut sheet.clauses);
    let written = Sheet { clauses, ..sheet.clone() };
    sheet.clauses = with_lasting_fluents(&written);
    exclude_contradictions(sheet);
    let result = ground_clauses(sheet);
    sheet.clauses = written.clauses;
    result
}

fn ground_clauses(sheet: &mut Sheet) -> Result<Grounding, Box<Diagnostic>> {
    match ground_with(sheet, Effort::Plain, &FxHashSet::default()) {
        Err(TooLarge { found, .. }) if found.code == Code::E0712 => {}
        result => return result.map_err(|failed| failed.found),
    }
    // Each round defers further relations, until there is none that may be deferred.
    let mut deferred = FxHashSet::default();
    loop {
        match ground_with(sheet, Effort::Directed, &deferred) {
            Err(TooLarge { constant: Some(relations), .. }) => deferred.extend(relations),
            Err(TooLarge { found, .. }) if found.code == Code::E0712 => break,
            result => return result.map_err(|failed| failed.found),
        }
    }
    // What is asked for may be more than what there is.
    ground_with(sheet, Effort::Split, &FxHashSet::default()).map_err(|failed| failed.found)
}

/// The means against too many instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    /// None: the rules stay as they are.
    Plain,
    /// Rules are split, and restricted to the instances that others ask for.
    Directed,
    /// Rules are split.
    Split,
}

/// A grounding that failed.
struct TooLarge {
    found: Box<Diagnostic>,
    /// The relations that never change and have too many instances, if they may be deferred.
    constant: Option<FxHashSet<Symbol>>,
}

impl From<Box<Diagnostic>> for TooLarge {
    fn from(found: Box<Diagnostic>) -> TooLarge {
        TooLarge { found, constant: None }
    }
}

/// Grounds a sheet; relations that are deferred are evaluated together with those that change.
fn ground_with(
    sheet: &mut Sheet,
    effort: Effort,
    deferred: &FxHashSet<Symbol>,
) -> Result<Grounding, TooLarge> {
    let max_instances = match effort {
        Effort::Plain => MAX_PLAIN_INSTANCES,
        Effort::Directed | Effort::Split => MAX_INSTANCES,
    };
    let strata = Strata::of(sheet, deferred);
    let mut engine = Engine {
        terms: Terms::default(),
        facts: Facts::default(),
        rules: Vec::new(),
        instances: Instances::default(),
        counts: FxHashMap::default(),
        complete: FxHashSet::default(),
        demands: FxHashSet::default(),
        total: 0,
        tried: 0,
        max_instances,
    };
    for stratum in &strata.constant {
        engine.rules = rules_of(sheet, stratum)?;
        if effort != Effort::Plain {
            engine.rules = split(sheet, std::mem::take(&mut engine.rules));
        }
        if effort == Effort::Directed {
            (engine.total, engine.max_instances) = (0, MAX_CONSTANT_INSTANCES);
        }
        if let Err(found) = engine.fixpoint(sheet, false) {
            let may_wait = effort == Effort::Directed
                && found.code == Code::E0712
                && !stratum.iter().any(|relation| strata.of_init.contains(relation));
            return Err(TooLarge { found, constant: may_wait.then(|| stratum.clone()) });
        }
        engine.complete.extend(stratum.iter().copied());
    }
    if effort == Effort::Directed {
        (engine.total, engine.max_instances) = (0, max_instances);
    }
    // Relations without clauses have no facts.
    engine.complete.extend(strata.empty);
    engine.rules = rules_of(sheet, &strata.changing)?;
    let of = &sheet.keywords;
    let changing = engine.rules.iter().map(|rule| rule.head.relation).chain([of.true_, of.does]);
    let changing: FxHashSet<Symbol> = changing.collect();
    engine.complete.retain(|relation| !changing.contains(relation));
    if effort == Effort::Directed {
        let keywords = sheet.keywords;
        let restricted = restrict(&mut sheet.symbols, &keywords, std::mem::take(&mut engine.rules));
        engine.rules = split(sheet, restricted.rules);
        engine.rules.extend(restricted.asking);
        engine.demands = restricted.demands;
    } else if effort == Effort::Split {
        engine.rules = split(sheet, std::mem::take(&mut engine.rules));
    }
    engine.fixpoint(sheet, true)?;
    Ok(Grounding {
        terms: engine.terms,
        facts: engine.facts,
        instances: engine.instances,
        rules: engine.rules,
    })
}

/// The relations of a sheet in the order of their evaluation.
struct Strata {
    /// The relations that never change, those that depend on each other together.
    constant: Vec<FxHashSet<Symbol>>,
    /// The relations that depend on the position or on moves, and those that negate each other.
    changing: FxHashSet<Symbol>,
    /// The relations that occur in conditions and that no clause derives.
    empty: Vec<Symbol>,
    /// The relations that roles and the first position depend on.
    of_init: FxHashSet<Symbol>,
}

impl Strata {
    fn of(sheet: &Sheet, deferred: &FxHashSet<Symbol>) -> Strata {
        let of = &sheet.keywords;
        let mut graph: DiGraph<Symbol, ()> = DiGraph::new();
        let mut nodes: FxHashMap<Symbol, NodeIndex> = FxHashMap::default();
        let mut negative: FxHashSet<(Symbol, Symbol)> = FxHashSet::default();
        let mut edges: FxHashSet<(Symbol, Symbol)> = FxHashSet::default();
        let mut heads: FxHashSet<Symbol> = FxHashSet::default();
        let mut node = |graph: &mut DiGraph<Symbol, ()>, symbol| {
            *nodes.entry(symbol).or_insert_with(|| graph.add_node(symbol))
        };
        for clause in &sheet.clauses {
            let head = clause.head.relation;
            heads.insert(head);
            let from = node(&mut graph, head);
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, positive| {
                    let to = node(&mut graph, sentence.relation);
                    if edges.insert((head, sentence.relation)) {
                        graph.add_edge(from, to, ());
                    }
                    if !positive {
                        negative.insert((head, sentence.relation));
                    }
                });
            }
        }
        let needed =
            reachable(&edges, vec![of.role, of.init, of.next, of.legal, of.goal, of.terminal, of.sees]);
        let always_changing = [of.true_, of.does, of.next, of.legal, of.goal, of.terminal, of.sees];
        let mut strata = Strata {
            constant: Vec::new(),
            changing: always_changing.into_iter().chain(deferred.iter().copied()).collect(),
            empty: Vec::new(),
            of_init: reachable(&edges, vec![of.role, of.init]),
        };
        // Components come with those that they depend on first.
        for component in tarjan_scc(&graph) {
            let members: FxHashSet<Symbol> = component.iter().map(|&node| graph[node]).collect();
            if !members.iter().any(|member| needed.contains(member)) {
                continue;
            }
            let uses_changing = |member: &Symbol| {
                graph.neighbors(nodes[member]).any(|used| {
                    strata.changing.contains(&graph[used])
                        || negative.contains(&(*member, graph[used])) && members.contains(&graph[used])
                })
            };
            if members.iter().any(|member| strata.changing.contains(member))
                || members.iter().any(uses_changing)
            {
                strata.changing.extend(members);
            } else if members.iter().all(|member| !heads.contains(member)) {
                strata.empty.extend(members);
            } else {
                strata.constant.push(members);
            }
        }
        strata.changing.remove(&of.init);
        strata
    }
}

/// The relations that these depend on, with these.
fn reachable(edges: &FxHashSet<(Symbol, Symbol)>, mut todo: Vec<Symbol>) -> FxHashSet<Symbol> {
    let mut uses: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
    for &(from, to) in edges {
        uses.entry(from).or_default().push(to);
    }
    let mut found: FxHashSet<Symbol> = todo.iter().copied().collect();
    while let Some(relation) = todo.pop() {
        for &used in uses.get(&relation).into_iter().flatten() {
            if found.insert(used) {
                todo.push(used);
            }
        }
    }
    found
}

/// The state of an evaluation.
struct Engine {
    terms: Terms,
    facts: Facts,
    rules: Vec<Rule>,
    instances: Instances,
    /// The number of instances of each clause.
    counts: FxHashMap<usize, usize>,
    /// The relations whose facts are all known.
    complete: FxHashSet<Symbol>,
    /// The relations of demand, which are no part of instances.
    demands: FxHashSet<Symbol>,
    /// The number of instances that count for the limit.
    total: usize,
    /// The number of partial bindings that joins have tried.
    tried: usize,
    max_instances: usize,
}

impl Engine {
    /// Derives all facts of the present rules; `record` lists the instances, and lets fluents and moves follow from
    /// `next`, `init` and `legal`.
    fn fixpoint(&mut self, sheet: &Sheet, record: bool) -> Result<(), Box<Diagnostic>> {
        let (mut plans, mut triggered) = (Vec::new(), FxHashMap::<Symbol, Vec<usize>>::default());
        let (rules, complete) = (std::mem::take(&mut self.rules), std::mem::take(&mut self.complete));
        let is_complete = |relation| complete.contains(&relation);
        let mut planner = Planner { facts: &mut self.facts, terms: &self.terms, is_complete: &is_complete };
        let mut at_start = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            let mut triggers = 0;
            for (place, condition) in rule.body.iter().enumerate() {
                if let Condition::Positive(sentence) = condition
                    && !is_complete(sentence.relation)
                {
                    triggers += 1;
                    triggered.entry(sentence.relation).or_default().push(plans.len());
                    plans.push(planner.plan(&rules, at, Some(place)));
                }
            }
            if triggers == 0 {
                at_start.push(plans.len());
                plans.push(planner.plan(&rules, at, None));
            }
        }
        self.rules = rules;
        let mut next = self.facts.derived().len();
        for plan in at_start {
            let found = run(self.ground(), &plans[plan], None, self.max_bindings());
            self.take(sheet, &plans[plan], found, record, &is_complete)?;
        }
        if record {
            self.first_fluents(sheet)?;
        }
        while let Some(&fact) = self.facts.derived().get(next) {
            cancel::step();
            next += 1;
            if record {
                self.follow(sheet, fact);
            }
            let relation = self.facts.relation(fact);
            for &plan in triggered.get(&relation).into_iter().flatten() {
                let found = run(self.ground(), &plans[plan], Some(fact), self.max_bindings());
                self.take(sheet, &plans[plan], found, record, &is_complete)?;
            }
        }
        self.complete = complete;
        Ok(())
    }

    /// The limits of the next run.
    fn max_bindings(&self) -> MaxBindings {
        let tried = self.max_instances.saturating_mul(MAX_TRIED).saturating_sub(self.tried);
        MaxBindings { found: self.max_instances, tried }
    }

    fn ground(&self) -> Ground<'_> {
        Ground { facts: &self.facts, terms: &self.terms, rules: &self.rules }
    }

    /// Makes the sentences of `init` fluents.
    fn first_fluents(&mut self, sheet: &Sheet) -> Result<(), Box<Diagnostic>> {
        let of = &sheet.keywords;
        let init: Vec<AtomId> = self
            .facts
            .derived()
            .iter()
            .copied()
            .filter(|&atom| self.facts.relation(atom) == of.init)
            .collect();
        for atom in init {
            let args = self.facts.args(atom).to_vec();
            let fluent = self.facts.intern(of.true_, &args);
            self.facts.derive(&self.terms, fluent);
        }
        Ok(())
    }

    /// Lets what may be true next be true, and what may be legal be done: by a role, since a misspelt one, or
    /// a piece that a variable stands for, moves nothing.
    fn follow(&mut self, sheet: &Sheet, fact: AtomId) {
        let of = &sheet.keywords;
        let relation = self.facts.relation(fact);
        let follows = match () {
            () if relation == of.next => of.true_,
            () if relation == of.legal => of.does,
            () => return,
        };
        let args = self.facts.args(fact).to_vec();
        let is_role =
            |who: &[TermId]| self.facts.find(of.role, who).is_some_and(|role| self.facts.is_fact(role));
        if follows == of.does && !is_role(&args[..1]) {
            return;
        }
        let atom = self.facts.intern(follows, &args);
        self.facts.derive(&self.terms, atom);
    }

    /// Derives the heads of instances that were found.
    fn take(
        &mut self,
        sheet: &Sheet,
        plan: &Plan,
        found: Found,
        record: bool,
        is_complete: &dyn Fn(Symbol) -> bool,
    ) -> Result<(), Box<Diagnostic>> {
        let rule = &self.rules[plan.rule];
        self.tried += found.tried;
        if found.is_partial {
            *self.counts.entry(rule.clause).or_default() += self.max_instances;
            return Err(self.too_large(sheet));
        }
        let is_demand = self.demands.contains(&rule.head.relation);
        let mut body: Vec<GroundLiteral> = Vec::new();
        for binding in found.bindings(rule.vars) {
            cancel::step();
            let head = ground_args(&mut self.terms, &rule.head.args, binding);
            let Some(head) = head else { return Err(endless(sheet, rule)) };
            let head = self.facts.intern(rule.head.relation, &head);
            self.facts.derive(&self.terms, head);
            if !record || is_demand {
                continue;
            }
            body.clear();
            for condition in &rule.body {
                let (sentence, holds) = match condition {
                    Condition::Positive(sentence) => (sentence, true),
                    Condition::Negative(sentence) => (sentence, false),
                    Condition::Compare(..) => continue,
                };
                if is_complete(sentence.relation) || self.demands.contains(&sentence.relation) {
                    continue;
                }
                let args = ground_args(&mut self.terms, &sentence.args, binding);
                let Some(args) = args else { return Err(endless(sheet, rule)) };
                body.push(GroundLiteral::new(self.facts.intern(sentence.relation, &args), holds));
            }
            self.instances.push(head, &body);
        }
        *self.counts.entry(rule.clause).or_default() += found.len(rule.vars);
        self.total += found.len(rule.vars);
        if self.total > self.max_instances { Err(self.too_large(sheet)) } else { Ok(()) }
    }

    /// The message for a sheet with too many instances: it names the clause with the most.
    fn too_large(&self, sheet: &Sheet) -> Box<Diagnostic> {
        let most = self.counts.iter().max_by_key(|&(&clause, &count)| (count, std::cmp::Reverse(clause)));
        let (clause, count) = most.map_or((0, 0), |(&clause, &count)| (clause, count));
        let title = format!("this game has more than {} instances of rules", self.max_instances);
        let label = match count >= self.max_instances {
            true => "this rule has that many itself, or tries too many combinations".to_owned(),
            false => format!("this rule has {count} of them so far"),
        };
        Box::new(
            Diagnostic::new(Code::E0712, title, sheet.clauses[clause].span, label).help(
                "give the rule fewer variables: let auxiliary relations collect what it needs of others",
            ),
        )
    }
}

fn ground_args(terms: &mut Terms, args: &[Pattern], binding: Binding<'_>) -> Option<Vec<TermId>> {
    args.iter().map(|arg| instantiate(terms, arg, binding)).collect()
}

/// The message for a rule that builds terms without end.
fn endless(sheet: &Sheet, rule: &Rule) -> Box<Diagnostic> {
    let title = format!("this rule makes terms of more than {}", counted(MAX_TERM_DEPTH, "level"));
    Box::new(Diagnostic::new(Code::E0706, title, sheet.clauses[rule.clause].span, "").help(
        "a function in the conclusion of a rule makes a new term from each old one: limit it by a condition",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::source::FileId;

    /// A walk along numbers; a wall, which lasts, ends it. Lamps light triples of numbers, of which moves need few.
    const WALK: &str = "
        (role r) (init (at 1)) (init (lamp 1)) (init (wall 4))
        (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
        (<= (number ?x) (succ ?x ?y)) (<= (number ?y) (succ ?x ?y))
        (<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y) (not (true (wall ?y))) (not (lit ?x ?y 1)))
        (<= (legal r stay))
        (<= (lit ?x ?y ?z) (number ?x) (number ?y) (number ?z) (true (lamp ?z)))
        (<= (next (at ?x)) (does r (go ?x)))
        (<= (next (lamp ?x)) (does r (go ?x)))
        (<= (next (wall ?x)) (true (wall ?x)))
        (<= terminal (true (at 4)))
        (goal r 100)";

    fn sheet() -> Sheet {
        crate::clauses::parse(FileId(0), WALK).sheet
    }

    fn instances(effort: Effort) -> usize {
        let found = ground_with(&mut sheet(), effort, &FxHashSet::default());
        found.map_err(|failed| failed.found).expect("few instances").instances.count()
    }

    #[test]
    fn rules_are_restricted_to_what_is_asked_for() {
        let (plain, directed) = (instances(Effort::Plain), instances(Effort::Directed));
        // Eight numbers twice, with seven lamps, and seven steps with one lamp.
        assert!(plain > 8 * 8 * 7 && directed < plain - 400, "{plain} {directed}");
    }

    #[test]
    fn relations_that_never_change_can_wait() {
        let mut sheet = sheet();
        let number = sheet.symbols.intern("number");
        let deferred = [number].into_iter().collect();
        let found = ground_with(&mut sheet, Effort::Directed, &deferred).map_err(|failed| failed.found);
        let found = found.expect("few instances");
        let of_number = found.instances.iter().filter(|(head, _)| found.facts.relation(*head) == number);
        assert!(of_number.count() > 0);
    }

    #[test]
    fn lasting_fluents_are_decided() {
        let mut sheet = sheet();
        let found = ground(&mut sheet).expect("few instances");
        let at = sheet.symbols.intern("at");
        let is_at = |&&atom: &&AtomId| {
            found.facts.relation(atom) == sheet.keywords.true_
                && found.terms.get(found.facts.args(atom)[0]).name == at
        };
        // No step leads to the wall or beyond it.
        assert_eq!(found.facts.derived().iter().filter(is_at).count(), 3);
        assert!(sheet.clauses.iter().all(|clause| !clause.body.iter().any(|literal| {
            let mut reads_init = false;
            literal.each_sentence(&mut |sentence, _| reads_init |= sentence.relation == sheet.keywords.init);
            reads_init
        })));
    }
}
