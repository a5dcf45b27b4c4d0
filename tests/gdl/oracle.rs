//! A plain evaluator of GDL on its terms: the meaning of a sheet, sharing nothing with the importer.
//!
//! A query is a term with free variables, and is answered from the conditions of rules, as Prolog does: from the left,
//! but a condition that only tests comes as soon as its variables are bound. Answers are kept by query, as long as the
//! position or the moves that they depend on. Queries that depend on each other are answered in rounds, until a round
//! gives nothing new (tabled resolution).

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

/// A ground term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    Atom(String),
    List(Vec<Term>),
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Atom(text) => f.write_str(text),
            Term::List(parts) => {
                let parts: Vec<String> = parts.iter().map(Term::to_string).collect();
                write!(f, "({})", parts.join(" "))
            }
        }
    }
}

/// A term of a rule: its variables have numbers in the rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Pattern {
    Var(usize),
    Ground(u32),
    Function(u32, Vec<Pattern>),
}

#[derive(Clone, Debug)]
enum Condition {
    Holds(Pattern),
    /// A sentence that holds for some values of its free variables, which are not used after it.
    HoldsForSome(Pattern),
    Fails(Pattern),
    Differ(Pattern, Pattern),
    Same(Pattern, Pattern),
    Or(Vec<Vec<Condition>>),
}

/// A set of variables of a rule: a bit for each.
type Vars = u128;

#[derive(Debug)]
struct Rule {
    head: Pattern,
    body: Vec<Condition>,
    vars: usize,
    /// The body in the order of its evaluation, by the variables that are bound before.
    ordered: std::cell::RefCell<FxHashMap<Vars, Rc<[Condition]>>>,
}

/// Terms by number, and names by number. The free variables of queries are terms, too: `?0`, `?1`, ...
#[derive(Default)]
struct Store {
    names: Vec<String>,
    name_index: HashMap<String, u32>,
    terms: Vec<Stored>,
    /// The terms by name and arguments.
    index: Vec<FxHashMap<Rc<[u32]>, u32>>,
    /// The free variables that have a term.
    vars: Vec<u32>,
}

struct Stored {
    name: u32,
    args: Rc<[u32]>,
    is_ground: bool,
    /// The number of a free variable.
    var: Option<usize>,
}

impl Store {
    fn name(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.name_index.get(text) {
            return known;
        }
        let name = self.names.len() as u32;
        self.names.push(text.to_owned());
        self.name_index.insert(text.to_owned(), name);
        self.index.push(FxHashMap::default());
        name
    }

    fn add(&mut self, name: u32, args: &[u32]) -> u32 {
        if let Some(&known) = self.index[name as usize].get(args) {
            return known;
        }
        let id = self.terms.len() as u32;
        let is_ground = args.iter().all(|&arg| self.is_ground(arg));
        let args: Rc<[u32]> = args.into();
        self.index[name as usize].insert(Rc::clone(&args), id);
        self.terms.push(Stored { name, args, is_ground, var: None });
        id
    }

    /// The term of a free variable.
    fn var(&mut self, number: usize) -> u32 {
        while self.vars.len() <= number {
            let next = self.vars.len();
            let name = self.name(&format!("?{next}"));
            let id = self.add(name, &[]);
            self.terms[id as usize].is_ground = false;
            self.terms[id as usize].var = Some(next);
            self.vars.push(id);
        }
        self.vars[number]
    }

    fn get(&self, id: u32) -> &Stored {
        &self.terms[id as usize]
    }

    fn is_ground(&self, id: u32) -> bool {
        self.get(id).is_ground
    }

    fn term(&self, id: u32) -> Term {
        let Stored { name, args, .. } = self.get(id);
        let name = Term::Atom(self.names[*name as usize].clone());
        match args.is_empty() {
            true => name,
            false => {
                Term::List(std::iter::once(name).chain(args.iter().map(|&arg| self.term(arg))).collect())
            }
        }
    }

    fn of(&mut self, term: &Term) -> u32 {
        match term {
            Term::Atom(text) => {
                let name = self.name(text);
                self.add(name, &[])
            }
            Term::List(parts) => {
                let args: Vec<u32> = parts[1..].iter().map(|part| self.of(part)).collect();
                let name = self.name(&parts[0].to_string());
                self.add(name, &args)
            }
        }
    }

    /// Returns true if values of the free variables of a query make it a ground term.
    fn matches(&self, query: u32, term: u32) -> bool {
        query == term || (!self.is_ground(query) && self.bind_free(query, term, &mut [None; MAX_FREE]))
    }

    fn bind_free(&self, query: u32, term: u32, values: &mut [Option<u32>; MAX_FREE]) -> bool {
        let (wanted, given) = (self.get(query), self.get(term));
        match wanted.var {
            Some(var) => *values[var].get_or_insert(term) == term,
            None if wanted.is_ground => query == term,
            None => {
                wanted.name == given.name
                    && wanted.args.len() == given.args.len()
                    && wanted.args.iter().zip(&*given.args).all(|(&a, &b)| self.bind_free(a, b, values))
            }
        }
    }

    /// Splits a query into its ground parts and its shape: the query with `?0` for each ground part and `?1` for each
    /// free variable.
    fn shape(&mut self, query: u32, parts: &mut Vec<u32>) -> u32 {
        if self.is_ground(query) {
            parts.push(query);
            return self.var(0);
        }
        if self.get(query).var.is_some() {
            return self.var(1);
        }
        let (name, args) = (self.get(query).name, Rc::clone(&self.get(query).args));
        let args: Vec<u32> = args.iter().map(|&arg| self.shape(arg, parts)).collect();
        self.add(name, &args)
    }

    /// Collects the parts of a ground term where a shape has `?0`; false if it has another shape.
    fn parts(&self, shape: u32, term: u32, parts: &mut Vec<u32>) -> bool {
        let (wanted, given) = (self.get(shape), self.get(term));
        match wanted.var {
            Some(0) => parts.push(term),
            Some(_) => {}
            None => {
                return wanted.name == given.name
                    && wanted.args.len() == given.args.len()
                    && wanted.args.iter().zip(&*given.args).all(|(&a, &b)| self.parts(a, b, parts));
            }
        }
        true
    }
}

/// The maximal number of free variables of a query.
const MAX_FREE: usize = 64;

/// The ground sentences of a relation, with an index for each shape of a query.
#[derive(Default)]
struct Facts {
    all: Vec<u32>,
    known: FxHashSet<u32>,
    shapes: FxHashMap<u32, FxHashMap<Vec<u32>, Vec<u32>>>,
}

impl Facts {
    fn add(&mut self, fact: u32) {
        if self.known.insert(fact) {
            self.all.push(fact);
        }
    }

    /// All facts that match a query.
    fn matching(&mut self, query: u32, store: &mut Store) -> Vec<u32> {
        if store.is_ground(query) {
            return self.known.get(&query).copied().into_iter().collect();
        }
        let mut parts = Vec::new();
        let shape = store.shape(query, &mut parts);
        let by_parts = self.shapes.entry(shape).or_insert_with(|| {
            let mut by_parts: FxHashMap<Vec<u32>, Vec<u32>> = FxHashMap::default();
            for &fact in &self.all {
                let mut parts = Vec::new();
                if store.parts(shape, fact, &mut parts) {
                    by_parts.entry(parts).or_default().push(fact);
                }
            }
            by_parts
        });
        let found = by_parts.get(&parts).map_or(&[][..], Vec::as_slice);
        // Variables that occur twice in the query must have one value.
        found.iter().copied().filter(|&fact| store.matches(query, fact)).collect()
    }
}

/// The part of a game on which the answers to a relation depend: each one includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
enum Scope {
    #[default]
    Lasting,
    Position,
    Moves,
}

#[derive(Default)]
struct Relation {
    facts: Facts,
    rules: Rc<Vec<Rule>>,
    scope: Scope,
}

/// The answers to a query that are known so far.
#[derive(Default)]
struct Table {
    answers: Rc<Vec<u32>>,
    known: FxHashSet<u32>,
    is_running: bool,
    /// The round in which the rules were applied the last time.
    round: u64,
    /// The lowest number of a running query that the answers depend on, or the maximum.
    lowest: u64,
    number: u64,
}

/// The values of the variables of a rule, and the variables in the order of their binding.
struct Binding {
    values: Vec<Option<u32>>,
    trail: Vec<usize>,
}

impl Binding {
    fn new(vars: usize) -> Binding {
        Binding { values: vec![None; vars], trail: Vec::new() }
    }

    /// Takes back all bindings but the first ones.
    fn undo(&mut self, kept: usize) {
        for var in self.trail.drain(kept..) {
            self.values[var] = None;
        }
    }
}

/// Conditions that are left, and others after them.
struct Rest<'a> {
    conditions: &'a [Condition],
    then: Option<&'a Rest<'a>>,
}

/// The use of a binding that fulfils conditions; it returns true if no other binding is wanted.
type Found<'a> = dyn FnMut(&mut Oracle, &Binding) -> bool + 'a;

/// The game of a sheet.
pub struct Oracle {
    store: Store,
    relations: FxHashMap<u32, Relation>,
    position: Position,
    moves: Vec<(Term, Term)>,
    /// The complete answers to queries, by scope.
    complete: [FxHashMap<u32, Rc<Vec<u32>>>; 3],
    /// The queries that are not complete.
    open: FxHashMap<u32, Table>,
    /// The running queries: each is asked by the one before.
    running: Vec<u32>,
    /// The open queries that do not run: they depend on running ones.
    waiting: Vec<u32>,
    /// The round of now, and the number of all rounds.
    round: u64,
    rounds: u64,
    /// The number of queries that were run, and of answers that were added.
    runs: u64,
    added: u64,
    /// Arguments of terms that are being made.
    args: Vec<u32>,
    /// The number of steps that may still be made.
    pub steps: u64,
}

/// A position: its fluents.
pub type Position = BTreeSet<Term>;

impl Oracle {
    /// Reads a sheet that is valid.
    pub fn new(text: &str) -> Oracle {
        let mut oracle = Oracle {
            store: Store::default(),
            relations: FxHashMap::default(),
            position: Position::new(),
            moves: Vec::new(),
            complete: Default::default(),
            open: FxHashMap::default(),
            running: Vec::new(),
            waiting: Vec::new(),
            round: 0,
            rounds: 0,
            runs: 0,
            added: 0,
            args: Vec::new(),
            steps: u64::MAX,
        };
        let mut rules: FxHashMap<u32, Vec<Rule>> = FxHashMap::default();
        for item in read(text) {
            let mut vars = Vec::new();
            let (head, body) = match &item {
                Term::List(parts) if parts[0] == Term::Atom("<=".into()) => (&parts[1], &parts[2..]),
                fact => (fact, &[][..]),
            };
            let head = oracle.pattern(head, &mut vars);
            let body: Vec<Condition> =
                body.iter().flat_map(|part| oracle.conditions(part, &mut vars)).collect();
            assert!(vars.len() <= Vars::BITS as usize, "a rule with few variables");
            let name = oracle.name(&head);
            match head {
                Pattern::Ground(fact) if body.is_empty() => {
                    oracle.relations.entry(name).or_default().facts.add(fact);
                }
                _ => {
                    let rule = Rule { head, body, vars: vars.len(), ordered: Default::default() };
                    rules.entry(name).or_default().push(rule);
                }
            }
        }
        for (name, rules) in rules {
            oracle.relations.entry(name).or_default().rules = Rc::new(rules);
        }
        for word in ["true", "does"] {
            let name = oracle.store.name(word);
            oracle.relations.insert(name, Relation::default());
        }
        oracle.find_scopes();
        oracle
    }

    fn name(&self, pattern: &Pattern) -> u32 {
        match pattern {
            Pattern::Ground(id) => self.store.get(*id).name,
            Pattern::Function(name, _) => *name,
            Pattern::Var(_) => panic!("a sentence is no variable"),
        }
    }

    fn pattern(&mut self, term: &Term, vars: &mut Vec<String>) -> Pattern {
        match term {
            Term::Atom(text) if text.starts_with('?') => {
                let at = vars.iter().position(|var| var == text).unwrap_or_else(|| {
                    vars.push(text.clone());
                    vars.len() - 1
                });
                Pattern::Var(at)
            }
            Term::Atom(_) => Pattern::Ground(self.store.of(term)),
            Term::List(parts) => {
                let args: Vec<Pattern> = parts[1..].iter().map(|part| self.pattern(part, vars)).collect();
                let name = self.store.name(&parts[0].to_string());
                let ground: Option<Vec<u32>> = args
                    .iter()
                    .map(|arg| match arg {
                        Pattern::Ground(id) => Some(*id),
                        _ => None,
                    })
                    .collect();
                match ground {
                    Some(ids) => Pattern::Ground(self.store.add(name, &ids)),
                    None => Pattern::Function(name, args),
                }
            }
        }
    }

    fn conditions(&mut self, term: &Term, vars: &mut Vec<String>) -> Vec<Condition> {
        if let Term::List(parts) = term
            && let Term::Atom(word) = &parts[0]
        {
            match word.to_lowercase().as_str() {
                "and" => return parts[1..].iter().flat_map(|part| self.conditions(part, vars)).collect(),
                "or" => {
                    let branches = parts[1..].iter().map(|part| self.conditions(part, vars)).collect();
                    return vec![Condition::Or(branches)];
                }
                "distinct" => {
                    let (a, b) = (self.pattern(&parts[1], vars), self.pattern(&parts[2], vars));
                    return vec![Condition::Differ(a, b)];
                }
                "not" => {
                    return negated(self.conditions(&parts[1], vars));
                }
                _ => {}
            }
        }
        vec![Condition::Holds(self.pattern(term, vars))]
    }

    fn find_scopes(&mut self) {
        for (word, scope) in [("true", Scope::Position), ("does", Scope::Moves)] {
            let name = self.store.name(word);
            self.relations.get_mut(&name).expect("a known word").scope = scope;
        }
        let names: Vec<u32> = self.relations.keys().copied().collect();
        loop {
            let mut is_same = true;
            for &name in &names {
                let relation = &self.relations[&name];
                let used = relation.rules.iter().map(|rule| self.scope(&rule.body)).max();
                if used > Some(relation.scope) {
                    self.relations.get_mut(&name).expect("a relation").scope = used.unwrap_or_default();
                    is_same = false;
                }
            }
            if is_same {
                return;
            }
        }
    }

    /// The widest scope of the relations in conditions.
    fn scope(&self, conditions: &[Condition]) -> Scope {
        let of = |condition: &Condition| match condition {
            Condition::Holds(sentence) | Condition::HoldsForSome(sentence) | Condition::Fails(sentence) => {
                self.relations.get(&self.name(sentence)).map_or(Scope::Lasting, |relation| relation.scope)
            }
            Condition::Differ(..) | Condition::Same(..) => Scope::Lasting,
            Condition::Or(branches) => {
                branches.iter().map(|branch| self.scope(branch)).max().unwrap_or_default()
            }
        };
        conditions.iter().map(of).max().unwrap_or_default()
    }

    /// Sets the position and the moves, and forgets what depended on others.
    fn set(&mut self, position: &Position, moves: &[(Term, Term)]) {
        if self.position != *position {
            self.position = position.clone();
            self.replace("true", position.iter().map(|fluent| vec![fluent.clone()]).collect());
            self.complete[Scope::Position as usize].clear();
            self.complete[Scope::Moves as usize].clear();
        }
        if self.moves != moves {
            self.moves = moves.to_vec();
            self.replace("does", moves.iter().map(|(role, made)| vec![role.clone(), made.clone()]).collect());
            self.complete[Scope::Moves as usize].clear();
        }
    }

    /// Replaces the facts of a relation.
    fn replace(&mut self, word: &str, args: Vec<Vec<Term>>) {
        let name = self.store.name(word);
        let mut facts = Facts::default();
        for args in args {
            let args: Vec<u32> = args.iter().map(|arg| self.store.of(arg)).collect();
            facts.add(self.store.add(name, &args));
        }
        self.relations.get_mut(&name).expect("a known word").facts = facts;
    }

    /// The arguments of all answers to a relation with two arguments or one.
    fn ask(&mut self, word: &str, args: usize) -> Vec<Vec<Term>> {
        let name = self.store.name(word);
        let args: Vec<u32> = (0..args).map(|number| self.store.var(number)).collect();
        let query = self.store.add(name, &args);
        let found = self.solve(query);
        let args = |&id: &u32| self.store.get(id).args.iter().map(|&arg| self.store.term(arg)).collect();
        found.iter().map(args).collect()
    }

    /// The roles in the order of the file.
    pub fn roles(&mut self) -> Vec<Term> {
        let name = self.store.name("role");
        let Some(relation) = self.relations.get(&name) else { return Vec::new() };
        assert!(relation.rules.is_empty(), "a role is a fact");
        relation.facts.all.iter().map(|&id| self.store.term(self.store.get(id).args[0])).collect()
    }

    /// The first position.
    pub fn initial(&mut self) -> Position {
        self.set(&Position::new(), &[]);
        self.ask("init", 1).into_iter().map(|mut args| args.remove(0)).collect()
    }

    /// The legal moves of each role.
    pub fn legal(&mut self, position: &Position) -> HashMap<Term, BTreeSet<Term>> {
        self.set(position, &[]);
        let mut moves: HashMap<Term, BTreeSet<Term>> = HashMap::new();
        for mut args in self.ask("legal", 2) {
            let made = args.remove(1);
            moves.entry(args.remove(0)).or_default().insert(made);
        }
        moves
    }

    /// Returns true if the game is over.
    pub fn terminal(&mut self, position: &Position) -> bool {
        self.set(position, &[]);
        let query = self.store.of(&Term::Atom("terminal".into()));
        !self.solve(query).is_empty()
    }

    /// The goals of each role.
    pub fn goals(&mut self, position: &Position) -> HashMap<Term, BTreeSet<Term>> {
        self.set(position, &[]);
        let mut goals: HashMap<Term, BTreeSet<Term>> = HashMap::new();
        for mut args in self.ask("goal", 2) {
            let goal = args.remove(1);
            goals.entry(args.remove(0)).or_default().insert(goal);
        }
        goals
    }

    /// The position after the moves of all roles.
    pub fn next(&mut self, position: &Position, moves: &[(Term, Term)]) -> Position {
        self.set(position, moves);
        self.ask("next", 1).into_iter().map(|mut args| args.remove(0)).collect()
    }

    /// What each role sees of the moves of all roles, in GDL-II.
    pub fn percepts(&mut self, position: &Position, moves: &[(Term, Term)]) -> HashMap<Term, BTreeSet<Term>> {
        self.set(position, moves);
        let mut seen: HashMap<Term, BTreeSet<Term>> = HashMap::new();
        for mut args in self.ask("sees", 2) {
            let percept = args.remove(1);
            seen.entry(args.remove(0)).or_default().insert(percept);
        }
        seen
    }

    /// All ground sentences that match a query.
    fn solve(&mut self, query: u32) -> Rc<Vec<u32>> {
        self.steps = self.steps.saturating_sub(1);
        let name = self.store.get(query).name;
        let Some(relation) = self.relations.get_mut(&name) else { return Rc::default() };
        if self.steps == 0 {
            return Rc::default();
        }
        let complete = &mut self.complete[relation.scope as usize];
        if let Some(answers) = complete.get(&query) {
            return Rc::clone(answers);
        }
        if relation.rules.is_empty() {
            let answers = Rc::new(relation.facts.matching(query, &mut self.store));
            complete.insert(query, Rc::clone(&answers));
            return answers;
        }
        if let Some(table) = self.open.get(&query)
            && (table.is_running || table.round == self.round)
        {
            // The query that asks has all its answers only when this one has.
            let lowest = if table.is_running { table.number } else { table.lowest };
            let answers = Rc::clone(&table.answers);
            self.depend_on(lowest);
            return answers;
        }
        self.run(query)
    }

    /// Notes that the query that runs depends on a running query with a number.
    fn depend_on(&mut self, number: u64) {
        if let Some(last) = self.running.last() {
            let table = self.open.get_mut(last).expect("a running query");
            table.lowest = table.lowest.min(number);
        }
    }

    /// Answers a query from the rules. If it depends on itself, this is done in rounds until a round adds nothing; if it
    /// depends on queries that ran before it, it waits until they are complete.
    fn run(&mut self, query: u32) -> Rc<Vec<u32>> {
        self.runs += 1;
        let (number, round, first_waiting) = (self.runs, self.round, self.waiting.len());
        let table = self.open.entry(query).or_default();
        (table.is_running, table.number, table.lowest) = (true, number, u64::MAX);
        self.running.push(query);
        let is_complete = loop {
            let before = self.added;
            self.open.get_mut(&query).expect("a running query").round = self.round;
            if self.apply_rules(query) {
                break true;
            }
            let lowest = self.open[&query].lowest;
            if lowest < number {
                break false;
            }
            if lowest == u64::MAX || self.added == before || self.steps == 0 {
                break true;
            }
            self.rounds += 1;
            self.round = self.rounds;
        };
        let last_round = std::mem::replace(&mut self.round, round);
        self.running.pop();
        let table = self.open.get_mut(&query).expect("a running query");
        table.is_running = false;
        table.round = round;
        let (lowest, answers) = (table.lowest, Rc::clone(&table.answers));
        if !is_complete {
            self.waiting.push(query);
            self.depend_on(lowest);
            return answers;
        }
        // The queries of the last round added nothing and depend on no other ones: they are complete, too. A query that
        // was not asked in that round is forgotten; so are all of them if this query stopped at its only answer.
        let has_only_answer = self.store.is_ground(query) && !answers.is_empty();
        let is_fixpoint = lowest >= number && !has_only_answer;
        for member in self.waiting.split_off(first_waiting) {
            if let Some(table) = self.open.remove(&member)
                && is_fixpoint
                && table.round == last_round
            {
                self.keep(member, table.answers);
            }
        }
        self.open.remove(&query);
        self.keep(query, Rc::clone(&answers));
        answers
    }

    /// Keeps the answers to a query, which are complete.
    fn keep(&mut self, query: u32, answers: Rc<Vec<u32>>) {
        let scope = self.relations[&self.store.get(query).name].scope;
        self.complete[scope as usize].insert(query, answers);
    }

    /// Adds the answers of all facts and rules; true if there can be no other ones, since the query is ground and holds.
    fn apply_rules(&mut self, query: u32) -> bool {
        let is_ground = self.store.is_ground(query);
        let relation = self.relations.get_mut(&self.store.get(query).name).expect("a relation");
        let rules = Rc::clone(&relation.rules);
        let facts = relation.facts.matching(query, &mut self.store);
        self.add_answers(query, &facts);
        for rule in &*rules {
            if is_ground && !self.open[&query].answers.is_empty() {
                return true;
            }
            self.apply(rule, query);
        }
        is_ground && !self.open[&query].answers.is_empty()
    }

    fn add_answers(&mut self, query: u32, found: &[u32]) {
        let table = self.open.get_mut(&query).expect("a running query");
        for &answer in found {
            if table.known.insert(answer) {
                Rc::make_mut(&mut table.answers).push(answer);
                self.added += 1;
            }
        }
    }

    fn apply(&mut self, rule: &Rule, query: u32) {
        let mut binding = Binding::new(rule.vars);
        if !self.bind_head(&rule.head, query, &mut binding) {
            return;
        }
        let bound = binding.trail.iter().fold(0, |vars, &var| vars | (1 << var));
        let known = rule.ordered.borrow().get(&bound).cloned();
        let body = known.unwrap_or_else(|| {
            let body: Rc<[Condition]> = self
                .order(rule.body.iter().collect(), bound, vars_of(&rule.head))
                .expect("a safe rule")
                .0
                .into();
            rule.ordered.borrow_mut().insert(bound, Rc::clone(&body));
            body
        });
        let mut found = Vec::new();
        self.fulfil(&Rest { conditions: &body, then: None }, &mut binding, &mut |oracle, binding| {
            let answer = oracle.instance(&rule.head, binding);
            // Variables that occur twice in the query must have one value.
            let is_answer = oracle.store.is_ground(answer) && oracle.store.matches(query, answer);
            if is_answer {
                found.push(answer);
            }
            is_answer && answer == query
        });
        self.add_answers(query, &found);
    }

    /// Binds the variables of a head that the query determines; false if they cannot match.
    fn bind_head(&self, head: &Pattern, query: u32, binding: &mut Binding) -> bool {
        let asked = self.store.get(query);
        match head {
            _ if asked.var.is_some() => true,
            _ if asked.is_ground => self.unify(head, query, binding),
            Pattern::Var(_) => true,
            Pattern::Ground(id) => self.store.matches(query, *id),
            Pattern::Function(name, args) => {
                *name == asked.name
                    && args.len() == asked.args.len()
                    && args.iter().zip(&*asked.args).all(|(arg, &part)| self.bind_head(arg, part, binding))
            }
        }
    }

    /// Puts conditions in the order of their evaluation: a test comes when its variables are bound, and the others from
    /// the left. The variables `after` are used after all of them. The second result are the variables that are bound in
    /// the end. `None` if a test is never decided.
    fn order(
        &self,
        mut left: Vec<&Condition>,
        mut bound: Vars,
        after: Vars,
    ) -> Option<(Vec<Condition>, Vars)> {
        let mut ordered = Vec::new();
        while !left.is_empty() {
            let is_test = |condition: &Condition| match condition {
                Condition::Holds(_) | Condition::Or(_) => vars_in(condition) & !bound == 0,
                _ => true,
            };
            let mut places: Vec<usize> = (0..left.len()).filter(|&at| is_ready(left[at], bound)).collect();
            places.sort_by_key(|&at| !is_test(left[at]));
            let first = places.into_iter().find_map(|at| {
                let others = left[..at].iter().chain(&left[at + 1..]);
                let after = others.fold(after, |vars, condition| vars | vars_in(condition));
                Some((at, self.step(left[at], bound, after)?))
            });
            if let Some((at, (condition, now_bound))) = first {
                left.remove(at);
                ordered.push(condition);
                bound = now_bound;
                continue;
            }
            // A test in an alternative needs what comes after the alternatives: that becomes a part of each.
            let at = left.iter().position(|condition| matches!(condition, Condition::Or(_)))?;
            let Condition::Or(branches) = left.remove(at) else { unreachable!("the place of alternatives") };
            let whole =
                |branch: &Vec<Condition>| branch.iter().chain(left.iter().copied()).cloned().collect();
            let (condition, now_bound) =
                self.step(&Condition::Or(branches.iter().map(whole).collect()), bound, after)?;
            ordered.push(condition);
            return Some((ordered, now_bound));
        }
        Some((ordered, bound))
    }

    /// A condition as it is evaluated, and the variables that are bound then.
    fn step(&self, condition: &Condition, bound: Vars, after: Vars) -> Option<(Condition, Vars)> {
        match condition {
            Condition::Holds(sentence) if vars_of(sentence) & !bound & after == 0 => {
                Some((Condition::HoldsForSome(sentence.clone()), bound))
            }
            Condition::Or(branches) => {
                let (mut ordered, mut bound_in_all) = (Vec::new(), None);
                for branch in branches {
                    let (branch, bound) = self.order(branch.iter().collect(), bound, after)?;
                    ordered.push(branch);
                    bound_in_all = Some(bound_in_all.map_or(bound, |vars: Vars| vars & bound));
                }
                Some((Condition::Or(ordered), bound_in_all.unwrap_or(bound)))
            }
            other => Some((other.clone(), bound | vars_in(other))),
        }
    }

    /// Finds the bindings that fulfil conditions, in their order; true if no other one is wanted.
    fn fulfil(&mut self, rest: &Rest<'_>, binding: &mut Binding, found: &mut Found<'_>) -> bool {
        let Some((condition, conditions)) = rest.conditions.split_first() else {
            return match rest.then {
                Some(then) => self.fulfil(then, binding, found),
                None => found(self, binding),
            };
        };
        let rest = Rest { conditions, then: rest.then };
        let kept = binding.trail.len();
        match condition {
            Condition::Fails(sentence) => {
                let query = self.instance(sentence, binding);
                self.solve(query).is_empty() && self.fulfil(&rest, binding, found)
            }
            Condition::Differ(a, b) => {
                self.instance(a, binding) != self.instance(b, binding) && self.fulfil(&rest, binding, found)
            }
            Condition::Same(a, b) => {
                let (known, other) = if is_bound(a, binding) { (a, b) } else { (b, a) };
                let value = self.instance(known, binding);
                let is_enough = self.unify(other, value, binding) && self.fulfil(&rest, binding, found);
                binding.undo(kept);
                is_enough
            }
            Condition::Holds(sentence) => {
                let query = self.instance(sentence, binding);
                let answers = self.solve(query);
                for &answer in &*answers {
                    let is_enough =
                        self.unify(sentence, answer, binding) && self.fulfil(&rest, binding, found);
                    binding.undo(kept);
                    if is_enough {
                        return true;
                    }
                }
                false
            }
            Condition::HoldsForSome(sentence) => {
                let query = self.instance(sentence, binding);
                !self.solve(query).is_empty() && self.fulfil(&rest, binding, found)
            }
            Condition::Or(branches) => branches
                .iter()
                .any(|branch| self.fulfil(&Rest { conditions: branch, then: Some(&rest) }, binding, found)),
        }
    }

    /// A pattern as a term: known variables by their values, the others numbered by their occurrence.
    fn instance(&mut self, pattern: &Pattern, binding: &Binding) -> u32 {
        self.partly(pattern, binding, &mut Vec::new())
    }

    fn partly(&mut self, pattern: &Pattern, binding: &Binding, numbers: &mut Vec<usize>) -> u32 {
        match pattern {
            Pattern::Ground(id) => *id,
            Pattern::Var(var) => binding.values[*var].unwrap_or_else(|| {
                let at = numbers.iter().position(|other| other == var).unwrap_or_else(|| {
                    numbers.push(*var);
                    numbers.len() - 1
                });
                self.store.var(at)
            }),
            Pattern::Function(name, args) => {
                let first = self.args.len();
                for arg in args {
                    let arg = self.partly(arg, binding, numbers);
                    self.args.push(arg);
                }
                let id = self.store.add(*name, &self.args[first..]);
                self.args.truncate(first);
                id
            }
        }
    }

    /// Binds the variables of a pattern so that it becomes a ground term; false if it cannot.
    fn unify(&self, pattern: &Pattern, id: u32, binding: &mut Binding) -> bool {
        match pattern {
            Pattern::Var(var) => match binding.values[*var] {
                Some(value) => value == id,
                None => {
                    binding.values[*var] = Some(id);
                    binding.trail.push(*var);
                    true
                }
            },
            Pattern::Ground(other) => *other == id,
            Pattern::Function(name, args) => {
                let term = self.store.get(id);
                *name == term.name
                    && args.len() == term.args.len()
                    && args.iter().zip(&*term.args).all(|(arg, &part)| self.unify(arg, part, binding))
            }
        }
    }
}

fn is_bound(pattern: &Pattern, binding: &Binding) -> bool {
    match pattern {
        Pattern::Var(var) => binding.values[*var].is_some(),
        Pattern::Ground(_) => true,
        Pattern::Function(_, args) => args.iter().all(|arg| is_bound(arg, binding)),
    }
}

/// The variables of a pattern.
fn vars_of(pattern: &Pattern) -> Vars {
    match pattern {
        Pattern::Var(var) => 1 << var,
        Pattern::Ground(_) => 0,
        Pattern::Function(_, args) => args.iter().fold(0, |vars, arg| vars | vars_of(arg)),
    }
}

/// The variables of a condition.
fn vars_in(condition: &Condition) -> Vars {
    match condition {
        Condition::Holds(sentence) | Condition::HoldsForSome(sentence) | Condition::Fails(sentence) => {
            vars_of(sentence)
        }
        Condition::Differ(a, b) | Condition::Same(a, b) => vars_of(a) | vars_of(b),
        Condition::Or(branches) => branches.iter().flatten().fold(0, |vars, part| vars | vars_in(part)),
    }
}

/// Returns true if a condition can be evaluated when some variables are bound.
fn is_ready(condition: &Condition, bound: Vars) -> bool {
    let is_bound = |pattern: &Pattern| vars_of(pattern) & !bound == 0;
    match condition {
        Condition::Fails(sentence) => is_bound(sentence),
        Condition::Differ(a, b) => is_bound(a) && is_bound(b),
        Condition::Same(a, b) => is_bound(a) || is_bound(b),
        Condition::Holds(_) | Condition::HoldsForSome(_) | Condition::Or(_) => true,
    }
}

/// The words that are the same in any case.
const KEYWORDS: &[&str] = &[
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "not", "or", "and",
    "distinct",
];

/// Reads lists; a list of one word is the word.
fn read(text: &str) -> Vec<Term> {
    let mut open: Vec<Vec<Term>> = vec![Vec::new()];
    for line in text.split(['\n', '\r']) {
        let line = line.split(';').next().unwrap_or_default();
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        for word in spaced.split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let mut list = open.pop().expect("a list");
                    let term = if list.len() == 1 { list.remove(0) } else { Term::List(list) };
                    open.last_mut().expect("a sound text").push(term);
                }
                _ => {
                    let lower = word.to_lowercase();
                    let word = if KEYWORDS.contains(&lower.as_str()) { lower } else { word.to_owned() };
                    open.last_mut().expect("a sound text").push(Term::Atom(word));
                }
            }
        }
    }
    open.remove(0)
}

/// The negation of a conjunction.
fn negated(conditions: Vec<Condition>) -> Vec<Condition> {
    let mut each: Vec<Vec<Condition>> = conditions
        .into_iter()
        .map(|condition| match condition {
            Condition::Holds(sentence) => vec![Condition::Fails(sentence)],
            Condition::Differ(a, b) => vec![Condition::Same(a, b)],
            Condition::Or(branches) => branches.into_iter().flat_map(negated).collect(),
            other => panic!("a negated {other:?}"),
        })
        .collect();
    if each.len() == 1 { each.remove(0) } else { vec![Condition::Or(each)] }
}
