//! The rules of GDL that a sheet must obey (Love et al., 2008, section 4): keywords in their places, fixed arities,
//! safe rules, the recursion restriction, and no dependence on moves where none have been made.
//!
//! Stratification is tested after grounding: many sheets negate `goal` in a rule for another value of `goal`, which is
//! circular by name and not by instances.

use bouton_base::source::{FileId, Span};
use bouton_syntax::diag::{Code, Diagnostic, Severity};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clauses::counted;
use crate::sheet::{ARITIES, CONNECTIVES, Clause, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

mod constants;
pub mod goals;
pub mod lost_values;
mod misspelt;
pub mod nested;
mod odd_terms;
pub mod unkept;
pub mod unstarted;

/// Returns all violations, in no particular order.
pub fn check(sheet: &Sheet, file: FileId) -> Vec<Diagnostic> {
    let mut checker = Checker { sheet, found: Vec::new() };
    checker.keywords();
    checker.arities();
    checker.completeness(file);
    checker.players();
    checker.roles();
    checker.goals();
    for clause in &sheet.clauses {
        checker.safety(clause);
    }
    checker.recursion();
    checker.dependencies();
    checker.unknown_relations();
    checker.unknown_fluents();
    checker.unknown_moves();
    checker.misspelt_keywords();
    // A rule with an error brings nothing to any place.
    if checker.found.iter().all(|found| found.severity() != Severity::Error) {
        checker.unknown_constants();
    }
    checker.lone_variables();
    checker.same_terms();
    checker.doubled_roles();
    checker.found
}

/// The state of the checks.
struct Checker<'s> {
    sheet: &'s Sheet,
    found: Vec<Diagnostic>,
}

impl<'s> Checker<'s> {
    fn report(&mut self, code: Code, title: String, span: Span, label: &str, help: &str) {
        self.found.push(Diagnostic::new(code, title, span, label).help(help));
    }

    fn name(&self, symbol: Symbol) -> &'s str {
        self.sheet.symbols.name(symbol)
    }

    /// Returns true if the sheet tells players what they see: then `does` and `next` have more uses.
    fn has_observations(&self) -> bool {
        self.sheet.clauses.iter().any(|clause| clause.head.relation == self.sheet.keywords.sees)
    }

    fn keywords(&mut self) {
        let sheet = self.sheet;
        let of = &sheet.keywords;
        for clause in &sheet.clauses {
            let head = &clause.head;
            if head.relation == of.true_ || head.relation == of.does {
                let title = format!("`{}` as the head of a rule", self.name(head.relation));
                let help = "positions begin with `init` and change by `next`; `legal` states which moves may be made";
                self.report(Code::E0703, title, head.span, "the game itself determines this", help);
            }
            if head.relation == of.role && !clause.body.is_empty() {
                let help = "name each role by a fact, such as `(role white)`";
                self.report(Code::E0703, "a role that depends on conditions".into(), clause.span, "", help);
            }
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, _| self.body_keyword(clause, sentence));
            }
            self.keywords_as_terms(clause);
        }
    }

    fn body_keyword(&mut self, clause: &Clause, sentence: &Sentence) {
        let of = &self.sheet.keywords;
        let relation = sentence.relation;
        if relation == of.next && clause.head.relation == of.sees {
            return;
        }
        if relation == of.init || relation == of.next {
            let title = format!("`{}` in the conditions of a rule", self.name(relation));
            let help = "conditions read the present position with `true`";
            self.report(Code::E0703, title, sentence.span, "", help);
        } else if relation == of.base || relation == of.input {
            let title = format!("`{}` in the conditions of a rule", self.name(relation));
            let help =
                "`base` and `input` only list what may occur; name the relation that they are derived from";
            self.report(Code::W0710, title, sentence.span, "", help);
        }
    }

    fn keywords_as_terms(&mut self, clause: &Clause) {
        if self.has_observations() {
            return;
        }
        let mut words = Vec::new();
        let mut of_sentence = |sentence: &Sentence| {
            sentence.args.iter().for_each(|arg| self.reserved(arg, sentence.span, &mut words));
        };
        clause.each_sentence(&mut of_sentence);
        for (word, span) in words {
            let title = format!("the keyword `{word}` as a term");
            let help = match word {
                "true" | "does" | "next" | "init" => {
                    "it stands alone before a fluent or a move: leave this one out, or use another name"
                }
                _ => "use another name",
            };
            self.report(Code::E0703, title, span, "", help);
        }
    }

    fn reserved(&self, pattern: &Pattern, span: Span, out: &mut Vec<(&'s str, Span)>) {
        let mut test = |name: Symbol| {
            let name = self.name(name);
            if name != "role"
                && ARITIES.iter().any(|(word, _)| *word == name)
                && name != "base"
                && name != "goal"
                || CONNECTIVES.contains(&name)
            {
                out.push((name, span));
            }
        };
        match pattern {
            Pattern::Var(_) => {}
            Pattern::Const(_) => {}
            Pattern::Compound(name, args) => {
                test(*name);
                args.iter().for_each(|arg| self.reserved(arg, span, out));
            }
        }
    }

    /// Each relation and each function has one number of arguments.
    fn arities(&mut self) {
        let sheet = self.sheet;
        let mut relations: FxHashMap<Symbol, (usize, Span)> = FxHashMap::default();
        let mut functions: FxHashMap<Symbol, (usize, Span)> = FxHashMap::default();
        let mut wrong: Vec<(Symbol, usize, Span, usize, Span)> = Vec::new();
        let mut of_sentence = |sentence: &Sentence| {
            let (arity, span) = (sentence.args.len(), sentence.span);
            let first = *relations.entry(sentence.relation).or_insert((arity, span));
            if first.0 != arity {
                wrong.push((sentence.relation, arity, span, first.0, first.1));
            }
            let mut of_function = |name: Symbol, arity: usize| {
                let first = *functions.entry(name).or_insert((arity, span));
                if first.0 != arity {
                    wrong.push((name, arity, span, first.0, first.1));
                }
            };
            sentence.args.iter().for_each(|arg| each_function(arg, &mut of_function));
        };
        for clause in &sheet.clauses {
            clause.each_sentence(&mut of_sentence);
        }
        let mut reported = FxHashSet::default();
        for (name, arity, span, first, first_span) in wrong {
            if reported.insert(name) {
                let title = format!(
                    "`{}` has {} here and {first} elsewhere",
                    self.name(name),
                    counted(arity, "argument")
                );
                let label = counted(first, "argument");
                let help = "a relation or function has the same number of arguments everywhere";
                // Percepts repeat the names of fluents and moves; other terms are misspelt.
                let percepts = self.has_observations() && !relations.contains_key(&name);
                let code = if percepts { Code::W0710 } else { Code::E0704 };
                self.found.push(Diagnostic::new(code, title, span, "").label(first_span, label).help(help));
            }
        }
    }

    /// A game has roles, legal moves, goals and an end.
    fn completeness(&mut self, file: FileId) {
        let of = &self.sheet.keywords;
        let needed = [
            (of.role, "no roles", "name each player by a fact such as `(role white)`"),
            (of.legal, "no legal moves", "state the legal moves of each role with `legal`"),
            (of.goal, "no goals", "state the value of each role at the end, 0 to 100, with `goal`"),
            (of.terminal, "no end", "state with `terminal` when the game is over"),
        ];
        for (relation, what, help) in needed {
            if !self.sheet.clauses.iter().any(|clause| clause.head.relation == relation) {
                self.report(Code::E0709, format!("this game has {what}"), Span::new(file, 0, 0), "", help);
            }
        }
    }

    /// In GDL-II the role `random` is chance: there is another one.
    fn players(&mut self) {
        let of = &self.sheet.keywords;
        let random = Pattern::Const(of.random);
        let mut roles = self.sheet.clauses.iter().filter(|clause| clause.head.relation == of.role);
        if let Some(first) = roles.next()
            && std::iter::once(first).chain(roles).all(|clause| clause.head.args.first() == Some(&random))
        {
            let help = "`random` stands for chance: name each player by a fact such as `(role white)`";
            self.report(Code::E0713, "no role but `random`".into(), first.span, "", help);
        }
    }

    /// Every variable of the head, of a negated sentence or of `distinct` occurs in a positive condition.
    fn safety(&mut self, clause: &'s Clause) {
        let bound = bound_by(&clause.body, &FxHashSet::default());
        let mut reported = FxHashSet::default();
        // By place: the label and the names of the variables.
        let mut found: Vec<(Span, &str, Vec<&'s str>)> = Vec::new();
        let mut note = |var: u32, span: Span, label: &'static str| {
            if bound.contains(&var) || !reported.insert(var) {
                return;
            }
            let name = clause.vars[var as usize].as_str();
            match found.last_mut().filter(|last| (last.0, last.1) == (span, label)) {
                Some((.., names)) => names.push(name),
                None => found.push((span, label, vec![name])),
            }
        };
        clause.head.each_var(&mut |var| {
            note(var, clause.head.span, "the conclusion has this, and no positive condition");
        });
        unbound(&clause.body, &bound, &mut |var, span| {
            note(var, span, "no positive condition of the rule has this");
        });
        let of = &self.sheet.keywords;
        let is_list = [of.base, of.input].contains(&clause.head.relation);
        for (span, label, names) in found {
            let has = if names.len() == 1 { "has" } else { "have" };
            let title = format!("the {} {has} no values", variables(&names));
            if is_list {
                let help = "it is not read: fluents and moves are found without it; remove it";
                self.report(Code::W0710, title, span, label, help);
                return;
            }
            let help = match odd_terms::only_lone(clause, &bound).filter(|_| names.len() == 1) {
                _ if clause.body.is_empty() => {
                    "a fact has no variables: write a rule with conditions that give them values".to_owned()
                }
                Some(lone) => format!(
                    "`{lone}` occurs once in this rule: write the same name in both places if it is meant, or \
                     add a condition without `not` that gives `{}` values",
                    names[0]
                ),
                None => {
                    "add a condition without `not` that gives it values, in each branch of an `or`".to_owned()
                }
            };
            self.report(Code::E0705, title, span, label, &help);
        }
    }

    /// The graph of relations: an edge from each head to the relations of its body that are not negated. A
    /// negated condition makes no terms, and a circle with one is another mistake.
    fn graph(&self) -> DiGraph<Symbol, ()> {
        let mut graph = DiGraph::new();
        let mut nodes: FxHashMap<Symbol, NodeIndex> = FxHashMap::default();
        let mut edges = FxHashSet::default();
        for clause in &self.sheet.clauses {
            let mut node = |graph: &mut DiGraph<Symbol, ()>, symbol: Symbol| {
                *nodes.entry(symbol).or_insert_with(|| graph.add_node(symbol))
            };
            let head = node(&mut graph, clause.head.relation);
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, positive| {
                    let used = node(&mut graph, sentence.relation);
                    if positive && edges.insert((head, used)) {
                        graph.add_edge(head, used, ());
                    }
                });
            }
        }
        graph
    }

    /// In a condition of the cycle of its head, each argument is ground, an argument of the head, or a variable of a
    /// positive condition outside of the cycle. So recursion does not make new terms without end.
    fn recursion(&mut self) {
        let graph = self.graph();
        let mut cycle: FxHashMap<Symbol, usize> = FxHashMap::default();
        for (index, component) in tarjan_scc(&graph).into_iter().enumerate() {
            let circular = component.len() > 1 || graph.contains_edge(component[0], component[0]);
            if circular {
                cycle.extend(component.into_iter().map(|node| (graph[node], index)));
            }
        }
        let is_function = |pattern: &Pattern| matches!(pattern, Pattern::Compound(..));
        let makes = self.sheet.clauses.iter().filter(|clause| clause.head.args.iter().any(is_function));
        let makes_terms: FxHashSet<usize> =
            makes.filter_map(|clause| cycle.get(&clause.head.relation).copied()).collect();
        for clause in &self.sheet.clauses {
            let Some(own) = cycle.get(&clause.head.relation) else { continue };
            let inside = |sentence: &Sentence| cycle.get(&sentence.relation) == Some(own);
            let mut literals = Vec::new();
            let mut outside: FxHashSet<u32> = FxHashSet::default();
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, positive| match (inside(sentence), positive) {
                    (true, true) => literals.push(sentence),
                    (false, true) => sentence.each_var(&mut |var| {
                        outside.insert(var);
                    }),
                    (_, false) => {}
                });
            }
            for sentence in literals {
                let free = sentence.args.iter().find(|arg| {
                    let bound = match arg {
                        Pattern::Var(var) => outside.contains(var),
                        _ => arg.is_ground(),
                    };
                    !bound && !clause.head.args.contains(arg) && !all_vars_in(arg, &outside)
                });
                if free.is_some() && !makes_terms.contains(own) {
                    // Without functions there are no new terms, so that it ends.
                    let title =
                        format!("the recursion of `{}` is not limited", self.name(clause.head.relation));
                    let help = "GDL wants each variable of this condition in the conclusion, or outside of the cycle";
                    self.report(Code::W0710, title, sentence.span, "", help);
                    break;
                }
                if free.is_some() {
                    let title = format!("the recursion of `{}` may not end", self.name(clause.head.relation));
                    let label = "an argument is neither one of the conclusion nor in a condition outside of the cycle";
                    let help =
                        "add a condition that gives each variable values, such as a fact about numbers";
                    self.report(Code::E0706, title, sentence.span, label, help);
                    break;
                }
            }
        }
    }

    /// `legal`, `goal` and `terminal` do not depend on moves, `init` on nothing that changes.
    fn dependencies(&mut self) {
        let of = &self.sheet.keywords;
        let lists = |relation: Symbol| relation == of.base || relation == of.input;
        let bad: &[(Symbol, &[Symbol])] = &[
            (of.legal, &[of.does]),
            (of.goal, &[of.does]),
            (of.terminal, &[of.does]),
            (of.init, &[of.does, of.true_]),
            (of.base, &[of.does, of.true_]),
            (of.input, &[of.does, of.true_]),
        ];
        let mut told = FxHashSet::default();
        for &(from, targets) in bad {
            for &target in targets {
                let Some(Path { first, via, last }) = self.path(from, target) else { continue };
                let title = format!("`{}` depends on `{}`", self.name(from), self.name(target));
                let (code, help) = match () {
                    () if lists(from) => {
                        (Code::W0710, "`base` and `input` list what may occur in any position")
                    }
                    () if from == of.init => {
                        (Code::E0708, "the first position is given by facts and rules without moves")
                    }
                    () if via != target => (
                        Code::E0708,
                        "put into a fluent, with `next`, what a move changes; the moves that may be made are `legal`",
                    ),
                    () => (Code::E0708, "put into a fluent, with `next`, what a move changes"),
                };
                // One rule is one mistake.
                if via == target || told.insert(last.span) {
                    let mut found = Diagnostic::new(code, title, last.span, "this rule reads it");
                    if via != target {
                        found = found.label(first.span, format!("by way of `{}`", self.name(via)));
                    }
                    self.found.push(found.help(help));
                }
                break;
            }
        }
    }

    /// The path from `from` to `target`, if there is one.
    fn path(&self, from: Symbol, target: Symbol) -> Option<Path<'s>> {
        let sheet = self.sheet;
        // The rule that reads the target, for each relation that depends on it.
        let mut reaches: FxHashMap<Symbol, Option<&'s Clause>> = [(target, None)].into_iter().collect();
        loop {
            let before = reaches.len();
            for clause in &sheet.clauses {
                for literal in &clause.body {
                    let mut found = None;
                    literal.each_sentence(&mut |sentence, _| {
                        if reaches.contains_key(&sentence.relation) {
                            found = Some(sentence.relation);
                        }
                    });
                    if let Some(via) = found {
                        let last = reaches[&via].unwrap_or(clause);
                        if clause.head.relation == from {
                            return Some(Path { first: clause, via, last });
                        }
                        reaches.entry(clause.head.relation).or_insert(Some(last));
                    }
                }
            }
            if reaches.len() == before {
                return None;
            }
        }
    }
}

/// A chain of rules by which one relation depends on another.
struct Path<'s> {
    first: &'s Clause,
    /// The relation that the first rule reads.
    via: Symbol,
    /// The rule that reads the other relation itself.
    last: &'s Clause,
}

/// Variables by name: "variable `?x`", "variables `?x`, `?y` and `?z`".
fn variables(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("variables {} and {last}", before.join(", "))
        }
        _ => format!("variable {}", quoted.concat()),
    }
}

fn all_vars_in(pattern: &Pattern, vars: &FxHashSet<u32>) -> bool {
    let mut all = true;
    pattern.each_var(&mut |var| all &= vars.contains(&var));
    all
}

fn each_function(pattern: &Pattern, visit: &mut dyn FnMut(Symbol, usize)) {
    if let Pattern::Compound(name, args) = pattern {
        visit(*name, args.len());
        args.iter().for_each(|arg| each_function(arg, visit));
    }
}

/// The variables that the positive literals of a conjunction bind, beside those already bound: a branch of an `or`
/// counts if each other branch binds them, too. Equality binds a variable if its other side is bound.
pub fn bound_by(body: &[Literal], before: &FxHashSet<u32>) -> FxHashSet<u32> {
    let mut bound = before.clone();
    loop {
        let known = bound.len();
        for literal in body {
            match literal {
                Literal::Positive(sentence) => sentence.each_var(&mut |var| {
                    bound.insert(var);
                }),
                Literal::Or(branches, _) => {
                    let mut each = branches.iter().map(|branch| bound_by(branch, &bound));
                    if let Some(first) = each.next() {
                        let common = each.fold(first, |common, branch| &common & &branch);
                        bound.extend(common);
                    }
                }
                Literal::Same(a, b, _) => {
                    for (known, open) in [(a, b), (b, a)] {
                        if all_vars_in(known, &bound) {
                            open.each_var(&mut |var| {
                                bound.insert(var);
                            });
                        }
                    }
                }
                Literal::Negative(_) | Literal::Distinct(..) => {}
            }
        }
        if bound.len() == known {
            return bound;
        }
    }
}

/// Visits the variables of negated sentences and of `distinct` that have no values, with their places.
fn unbound(body: &[Literal], bound: &FxHashSet<u32>, visit: &mut dyn FnMut(u32, Span)) {
    for literal in body {
        match literal {
            Literal::Positive(_) => {}
            Literal::Negative(_) | Literal::Distinct(..) | Literal::Same(..) => {
                literal.each_var(&mut |var| {
                    if !bound.contains(&var) {
                        visit(var, literal.span());
                    }
                });
            }
            Literal::Or(branches, _) => {
                for branch in branches {
                    let inside = bound_by(branch, bound);
                    unbound(branch, &inside, visit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bouton_base::source::FileId;

    /// Two who claim the edges of a graph.
    const EDGES: &str = "(role short) (role cut) (init (turn cut)) (edge a s t) (edge b t s)
        (<= (legal ?p (claim ?e)) (true (turn ?p)) (edge ?e ?x ?y) (not (true (own ?e short))))
        (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
        (<= (next (own ?e ?p)) (does ?p (claim ?e)))
        (<= (next (own ?e ?p)) (true (own ?e ?p)))
        (<= (next (turn short)) (true (turn cut))) (<= (next (turn cut)) (true (turn short)))
        (<= (linked ?x ?y) (true (own ?e short)) (edge ?e ?x ?y))
        (<= terminal (linked s t)) (<= terminal (true (own b cut)))
        (<= (goal short 100) (linked s t)) (<= (goal short 0) (not (linked s t)))
        (<= (goal cut 0) (linked s t)) (<= (goal cut 100) (not (linked s t)))";

    /// The findings in the sheet with one text for another: their codes, their titles and the texts at their places.
    fn found(from: &str, to: &str) -> Vec<String> {
        assert!(EDGES.contains(from), "{from}");
        let text = EDGES.replacen(from, to, 1);
        let found = crate::read(FileId(0), &text).diagnostics;
        let shown =
            found.iter().map(|of| format!("{} {} at {}", of.code, of.title, &text[of.span().range()]));
        shown.collect()
    }

    #[test]
    fn a_fluent_that_never_holds_explains_that_a_role_has_no_moves() {
        let waiting = "(role ?p) (not (true (turn ?p)))";
        let text = EDGES.replace("(init (turn cut))", "").replacen(waiting, "(role ?p) (true (turn ?q))", 1);
        let found = crate::read(FileId(0), &text).diagnostics;
        let told = found.iter().find(|of| of.title == "the role `short` has no moves").expect("the message");
        assert_eq!(&text[told.span().range()], "(true (turn ?p))");
        assert_eq!(told.help.as_deref(), Some("state by `init` which `turn` holds at first"));
    }

    #[test]
    fn mistakes_are_told_at_their_place() {
        let [] = found("", "")[..] else { panic!("{:?}", found("", "")) };
        let linked = "(<= terminal (linked s t))";
        for (from, to, told) in [
            // Recursion without functions ends.
            (
                linked,
                "(<= (linked ?x ?z) (linked ?x ?y) (linked ?y ?z)) (<= terminal (linked s t))",
                "W0710 the recursion of `linked` is not limited at (linked ?x ?y)",
            ),
            (
                linked,
                "(<= (linked ?x (f ?z)) (linked ?x ?y) (linked ?y ?z)) (<= terminal (linked s t))",
                "E0706 the recursion of `linked` may not end at (linked ?x ?y)",
            ),
            (
                linked,
                "(<= terminal (over or (linked s t)))",
                "E0702 `or` between its parts at (over or (linked s t))",
            ),
            ("(true (turn ?p)) (edge", "(?p != cut) (edge", "E0702 `!=` between its parts at (?p != cut)"),
            (
                linked,
                "(<= made (does ?p (claim ?e))) (<= terminal made)",
                "E0708 `terminal` depends on `does` at (<= made (does ?p (claim ?e)))",
            ),
            (
                linked,
                "(<= odd (true (turn cut))) (<= odd (linked t s) (not even)) (<= even (linked s t) (not odd)) \
                 (<= terminal odd)",
                "E0707 `odd` depends on its own negation at (<= odd (linked t s) (not even))",
            ),
            // A negation in the circle is the mistake: what it negates makes no new terms.
            (
                "(edge ?e ?x ?y) (not (true (own ?e short))))",
                "(edge ?e ?x ?y) (not (true (own ?e short))) (not stuck)) (<= terminal stuck) \
                 (<= (free ?p) (legal ?p (claim ?e))) (<= stuck (true (turn ?p)) (not (free ?p)))",
                "E0707 `legal` depends on its own negation at (<= (legal ?p (claim ?e)) (true (turn ?p)) \
                 (edge ?e ?x ?y) (not (true (own ?e short))) (not stuck))",
            ),
            (
                "(<= terminal (linked s t)) (<= terminal (true (own b cut)))",
                "(<= terminal (linked s s) (linked t t))",
                "W0714 this game never ends: no position meets a rule for `terminal` at \
                 (<= terminal (linked s s) (linked t t))",
            ),
            (
                "(true (own b cut))",
                "(true (own))",
                "W0714 the fluent `own` has 0 arguments here and 2 elsewhere at (true (own))",
            ),
        ] {
            assert!(found(from, to).iter().any(|of| of == told), "{told}: {:?}", found(from, to));
        }
    }
}
