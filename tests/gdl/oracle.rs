//! A plain evaluator of GDL on its terms: the meaning of a sheet, sharing nothing with the importer.
//!
//! A query is answered from the conditions of rules, from the left, as Prolog does; tests with free variables wait until
//! they are bound. Answers are kept in tables by query, and a query that meets itself is repeated until it gives nothing
//! new (tabled resolution, in the simplest form).

use std::collections::{BTreeSet, HashMap};

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

/// A term with variables, which have numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Pattern {
    Var(usize),
    Ground(u32),
    Function(String, Vec<Pattern>),
}

#[derive(Clone, Debug)]
enum Condition {
    Holds(Pattern),
    Fails(Pattern),
    Differ(Pattern, Pattern),
    Same(Pattern, Pattern),
    Or(Vec<Vec<Condition>>),
}

#[derive(Clone, Debug)]
struct Rule {
    head: Pattern,
    body: Vec<Condition>,
    vars: usize,
}

/// Ground terms by number.
#[derive(Default)]
struct Store {
    terms: Vec<(String, Vec<u32>)>,
    index: HashMap<(String, Vec<u32>), u32>,
}

impl Store {
    fn add(&mut self, name: &str, args: Vec<u32>) -> u32 {
        let key = (name.to_owned(), args);
        if let Some(&known) = self.index.get(&key) {
            return known;
        }
        let id = self.terms.len() as u32;
        self.terms.push(key.clone());
        self.index.insert(key, id);
        id
    }

    fn term(&self, id: u32) -> Term {
        let (name, args) = &self.terms[id as usize];
        match args.is_empty() {
            true => Term::Atom(name.clone()),
            false => {
                let parts =
                    std::iter::once(Term::Atom(name.clone())).chain(args.iter().map(|&arg| self.term(arg)));
                Term::List(parts.collect())
            }
        }
    }

    fn of(&mut self, term: &Term) -> u32 {
        match term {
            Term::Atom(name) => self.add(name, Vec::new()),
            Term::List(parts) => {
                let args: Vec<u32> = parts[1..].iter().map(|part| self.of(part)).collect();
                self.add(&parts[0].to_string(), args)
            }
        }
    }
}

/// A query: a pattern whose variables are numbered by their occurrence.
type Query = Pattern;

#[derive(Default)]
struct Table {
    answers: Vec<u32>,
    known: std::collections::HashSet<u32>,
    complete: bool,
}

/// The game of a sheet.
pub struct Oracle {
    store: Store,
    rules: HashMap<String, Vec<Rule>>,
    /// The relations that do not depend on the position.
    lasting: BTreeSet<String>,
    tables: HashMap<Query, Table>,
    /// The queries in progress, with the place of the lowest query that each has met again.
    stack: Vec<(Query, usize)>,
    facts: HashMap<String, Vec<u32>>,
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
            rules: HashMap::new(),
            lasting: BTreeSet::new(),
            tables: HashMap::new(),
            stack: Vec::new(),
            facts: HashMap::new(),
            steps: u64::MAX,
        };
        for item in read(text) {
            let mut vars = Vec::new();
            let (head, body) = match &item {
                Term::List(parts) if parts[0] == Term::Atom("<=".into()) => (&parts[1], &parts[2..]),
                fact => (fact, &[][..]),
            };
            let head = oracle.pattern(head, &mut vars);
            let body = body.iter().flat_map(|part| oracle.conditions(part, &mut vars)).collect();
            let rule = Rule { body, vars: vars.len(), head };
            let name = oracle.name(&rule.head);
            oracle.rules.entry(name).or_default().push(rule);
        }
        oracle.find_lasting();
        oracle
    }

    fn name(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Ground(id) => self.store.terms[*id as usize].0.clone(),
            Pattern::Function(name, _) => name.clone(),
            Pattern::Var(_) => String::new(),
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
            Term::Atom(text) => Pattern::Ground(self.store.add(text, Vec::new())),
            Term::List(parts) => {
                let args: Vec<Pattern> = parts[1..].iter().map(|part| self.pattern(part, vars)).collect();
                let name = parts[0].to_string();
                let ground: Option<Vec<u32>> = args
                    .iter()
                    .map(|arg| match arg {
                        Pattern::Ground(id) => Some(*id),
                        _ => None,
                    })
                    .collect();
                match ground {
                    Some(ids) => Pattern::Ground(self.store.add(&name, ids)),
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

    fn find_lasting(&mut self) {
        let mut changing: BTreeSet<String> = ["true", "does"].map(str::to_owned).into();
        loop {
            let before = changing.len();
            for (name, rules) in &self.rules {
                let uses = |rule: &Rule| rule.body.iter().any(|part| self.mentions(part, &changing));
                if rules.iter().any(uses) {
                    changing.insert(name.clone());
                }
            }
            if changing.len() == before {
                break;
            }
        }
        self.lasting = self.rules.keys().filter(|name| !changing.contains(*name)).cloned().collect();
    }

    fn mentions(&self, condition: &Condition, names: &BTreeSet<String>) -> bool {
        match condition {
            Condition::Holds(sentence) | Condition::Fails(sentence) => names.contains(&self.name(sentence)),
            Condition::Differ(..) | Condition::Same(..) => false,
            Condition::Or(branches) => branches.iter().flatten().any(|part| self.mentions(part, names)),
        }
    }

    /// Sets the position and the moves, and forgets what depended on others.
    fn set(&mut self, position: &Position, moves: &[(Term, Term)]) {
        self.facts.clear();
        let wrap = |word: &str, parts: &[&Term]| {
            let parts =
                std::iter::once(Term::Atom(word.into())).chain(parts.iter().map(|&part| part.clone()));
            Term::List(parts.collect())
        };
        let fluents: Vec<u32> =
            position.iter().map(|fluent| self.store.of(&wrap("true", &[fluent]))).collect();
        let done: Vec<u32> =
            moves.iter().map(|(role, made)| self.store.of(&wrap("does", &[role, made]))).collect();
        self.facts.insert("true".into(), fluents);
        self.facts.insert("does".into(), done);
        let lasting = &self.lasting;
        let store = &self.store;
        self.tables.retain(|query, _| {
            let name = match query {
                Pattern::Ground(id) => &store.terms[*id as usize].0,
                Pattern::Function(name, _) => name,
                Pattern::Var(_) => return false,
            };
            lasting.contains(name)
        });
    }

    /// The arguments of all answers to a relation with two arguments or one.
    fn ask(&mut self, name: &str, args: usize) -> Vec<Vec<Term>> {
        let query = Pattern::Function(name.to_owned(), (0..args).map(Pattern::Var).collect());
        let mut found: Vec<u32> = self.solve(&query);
        found.sort_unstable();
        let parts = found.into_iter().map(|id| self.store.terms[id as usize].1.clone());
        let parts: Vec<Vec<u32>> = parts.collect();
        parts.into_iter().map(|args| args.into_iter().map(|arg| self.store.term(arg)).collect()).collect()
    }

    /// The roles in the order of the file.
    pub fn roles(&mut self) -> Vec<Term> {
        let rules = self.rules.get("role").cloned().unwrap_or_default();
        let mut found = Vec::new();
        for rule in rules {
            let Pattern::Ground(id) = rule.head else { panic!("a role is a fact") };
            let role = self.store.term(self.store.terms[id as usize].1[0]);
            if !found.contains(&role) {
                found.push(role);
            }
        }
        found
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
        let query = Pattern::Ground(self.store.add("terminal", Vec::new()));
        !self.solve(&query).is_empty()
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
    fn solve(&mut self, query: &Query) -> Vec<u32> {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return Vec::new();
        }
        let name = self.name(query);
        if name == "true" || name == "does" {
            let facts = self.facts.get(&name).cloned().unwrap_or_default();
            return facts.into_iter().filter(|&fact| self.unify(query, fact, &mut vec![None; 64])).collect();
        }
        if let Some(table) = self.tables.get(query) {
            let answers = table.answers.clone();
            if !table.complete
                && let Some(at) = self.stack.iter().position(|(other, _)| other == query)
            {
                for (_, lowest) in &mut self.stack[at + 1..] {
                    *lowest = (*lowest).min(at);
                }
                self.stack[at].1 = self.stack[at].1.min(at);
                return answers;
            }
            if table.complete {
                return answers;
            }
        }
        let place = self.stack.len();
        self.stack.push((query.clone(), usize::MAX));
        self.tables.insert(query.clone(), Table::default());
        let rules = self.rules.get(&name).cloned().unwrap_or_default();
        loop {
            let before = self.tables[query].answers.len();
            for rule in &rules {
                self.apply(rule, query);
            }
            let met_again = self.stack[place].1 != usize::MAX;
            if !met_again || self.tables[query].answers.len() == before || self.steps == 0 {
                break;
            }
        }
        let (_, lowest) = self.stack.pop().expect("the query of this call");
        let table = self.tables.get_mut(query).expect("the table of this call");
        let answers = table.answers.clone();
        if lowest >= place {
            table.complete = true;
        } else {
            // The answers depend on a query that is not complete: they are found again when it is.
            self.tables.remove(query);
        }
        answers
    }

    fn apply(&mut self, rule: &Rule, query: &Query) {
        let mut binding: Vec<Option<u32>> = vec![None; rule.vars];
        if !self.bind_head(&rule.head, query, &mut binding) {
            return;
        }
        let body: Vec<&Condition> = rule.body.iter().collect();
        let mut found = Vec::new();
        self.conjunction(&body, &mut binding, &mut |oracle, binding| {
            found.extend(oracle.ground(&rule.head, binding));
        });
        for answer in found {
            // Variables that occur twice in the query must have one value.
            if self.unify(query, answer, &mut vec![None; 64]) {
                let table = self.tables.get_mut(query).expect("the table of the query");
                if table.known.insert(answer) {
                    table.answers.push(answer);
                }
            }
        }
    }

    /// Binds the variables of a head that the query determines; false if they cannot match.
    fn bind_head(&mut self, head: &Pattern, query: &Pattern, binding: &mut Vec<Option<u32>>) -> bool {
        match (head, query) {
            (_, Pattern::Var(_)) => true,
            (_, Pattern::Ground(id)) => self.unify(head, *id, binding),
            (Pattern::Var(_), Pattern::Function(..)) => true,
            (Pattern::Ground(id), Pattern::Function(..)) => self.unify(query, *id, &mut vec![None; 64]),
            (Pattern::Function(f, a), Pattern::Function(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.bind_head(a, b, binding))
            }
        }
    }

    fn conjunction(
        &mut self,
        body: &[&Condition],
        binding: &mut Vec<Option<u32>>,
        found: &mut dyn FnMut(&mut Oracle, &[Option<u32>]),
    ) {
        if body.is_empty() {
            return found(self, binding);
        }
        // A test that is decided comes first, then the first condition that is none.
        let ready = |condition: &&&Condition| match condition {
            Condition::Fails(sentence) => bound(sentence, binding),
            Condition::Differ(a, b) => bound(a, binding) && bound(b, binding),
            Condition::Same(a, b) => bound(a, binding) || bound(b, binding),
            Condition::Holds(_) | Condition::Or(_) => false,
        };
        let test = body.iter().position(|condition| ready(&condition));
        let generates = |condition: &&Condition| matches!(condition, Condition::Holds(_) | Condition::Or(_));
        let at = test.or_else(|| body.iter().position(generates)).expect("a safe rule");
        let condition = body[at];
        let rest: Vec<&Condition> = body[..at].iter().chain(&body[at + 1..]).copied().collect();
        match condition {
            Condition::Fails(sentence) => {
                let query = self.query(sentence, binding);
                if self.solve(&query).is_empty() {
                    self.conjunction(&rest, binding, found);
                }
            }
            Condition::Differ(a, b) => {
                if self.ground(a, binding) != self.ground(b, binding) {
                    self.conjunction(&rest, binding, found);
                }
            }
            Condition::Same(a, b) => {
                let (known, open) = if bound(a, binding) { (a, b) } else { (b, a) };
                let value = self.ground(known, binding).expect("a bound term");
                let saved = binding.clone();
                if self.unify(open, value, binding) {
                    self.conjunction(&rest, binding, found);
                }
                *binding = saved;
            }
            Condition::Holds(sentence) => {
                let query = self.query(sentence, binding);
                for answer in self.solve(&query) {
                    let saved = binding.clone();
                    if self.unify(sentence, answer, binding) {
                        self.conjunction(&rest, binding, found);
                    }
                    *binding = saved;
                }
            }
            Condition::Or(branches) => {
                for branch in branches {
                    let all: Vec<&Condition> = branch.iter().chain(rest.iter().copied()).collect();
                    self.conjunction(&all, binding, found);
                }
            }
        }
    }

    /// A sentence as a query: known variables by their values, the others numbered.
    fn query(&mut self, sentence: &Pattern, binding: &[Option<u32>]) -> Query {
        let mut numbers = Vec::new();
        self.partly(sentence, binding, &mut numbers)
    }

    fn partly(&mut self, pattern: &Pattern, binding: &[Option<u32>], numbers: &mut Vec<usize>) -> Pattern {
        match pattern {
            Pattern::Var(var) => match binding[*var] {
                Some(id) => Pattern::Ground(id),
                None => {
                    let at = numbers.iter().position(|other| other == var).unwrap_or_else(|| {
                        numbers.push(*var);
                        numbers.len() - 1
                    });
                    Pattern::Var(at)
                }
            },
            Pattern::Ground(id) => Pattern::Ground(*id),
            Pattern::Function(name, args) => {
                let args: Vec<Pattern> = args.iter().map(|arg| self.partly(arg, binding, numbers)).collect();
                let ground: Option<Vec<u32>> = args
                    .iter()
                    .map(|arg| if let Pattern::Ground(id) = arg { Some(*id) } else { None })
                    .collect();
                match ground {
                    Some(ids) => Pattern::Ground(self.store.add(name, ids)),
                    None => Pattern::Function(name.clone(), args),
                }
            }
        }
    }

    fn ground(&mut self, pattern: &Pattern, binding: &[Option<u32>]) -> Option<u32> {
        match self.query(pattern, binding) {
            Pattern::Ground(id) => Some(id),
            _ => None,
        }
    }

    fn unify(&self, pattern: &Pattern, id: u32, binding: &mut Vec<Option<u32>>) -> bool {
        match pattern {
            Pattern::Var(var) => {
                let value = &mut binding[*var];
                *value.get_or_insert(id) == id
            }
            Pattern::Ground(other) => *other == id,
            Pattern::Function(name, args) => {
                let (other, parts) = &self.store.terms[id as usize];
                name == other
                    && args.len() == parts.len()
                    && args.iter().zip(parts).all(|(arg, &part)| self.unify(arg, part, binding))
            }
        }
    }
}

fn bound(pattern: &Pattern, binding: &[Option<u32>]) -> bool {
    match pattern {
        Pattern::Var(var) => binding[*var].is_some(),
        Pattern::Ground(_) => true,
        Pattern::Function(_, args) => args.iter().all(|arg| bound(arg, binding)),
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
