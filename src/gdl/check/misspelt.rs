//! Names that most likely are misspelt: of roles, of relations, of fluents, of moves and of keywords.

use bouton_base::source::Span;
use bouton_syntax::diag::{Code, nearest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, unstarted};
use crate::clauses::counted;
use crate::sheet::{Pattern, Sentence};
use crate::terms::Symbol;

/// Words and signs that other languages have in place of `not`.
const NEGATIONS: &[&str] = &["no", "non", "nor", "isnt", "!", "~", "-", "\\+", "¬"];

/// The name of a term, or of its function; `None` for a variable.
pub(super) fn name_of(pattern: Option<&Pattern>) -> Option<Symbol> {
    match pattern {
        Some(Pattern::Const(name) | Pattern::Compound(name, _)) => Some(*name),
        _ => None,
    }
}

impl Checker<'_> {
    /// The first argument of `legal`, `does`, `goal` and `sees` is a role, if it is a constant.
    pub(super) fn roles(&mut self) {
        let sheet = self.sheet;
        let of = &sheet.keywords;
        let named = sheet.clauses.iter().filter(|clause| clause.head.relation == of.role);
        let roles: Option<FxHashSet<Symbol>> = named
            .map(|clause| match clause.head.args.first() {
                Some(Pattern::Const(role)) => Some(*role),
                _ => None,
            })
            .collect();
        // Other messages say that there are none.
        let Some(roles) = roles.filter(|roles| roles.iter().any(|role| *role != of.random)) else { return };
        let mut reported = FxHashSet::default();
        let mut found = Vec::new();
        let mut of_sentence = |sentence: &Sentence| {
            if [of.legal, of.does, of.goal, of.sees].contains(&sentence.relation)
                && let Some(Pattern::Const(role)) = sentence.args.first()
                && !roles.contains(role)
                && reported.insert(*role)
            {
                found.push((*role, sentence.span));
            }
        };
        for clause in &sheet.clauses {
            clause.each_sentence(&mut of_sentence);
        }
        for (role, span) in found {
            let name = self.name(role);
            let help = match self.nearest_of(role, &roles) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("name the player by a fact, `(role {name})`, or write a role in its place"),
            };
            self.report(Code::W0714, format!("nothing makes `{name}` a role"), span, "", &help);
        }
    }

    /// A positive condition that no clause derives is never true: most likely a misspelt name.
    pub(super) fn unknown_relations(&mut self) {
        let sheet = self.sheet;
        let of = &sheet.keywords;
        let heads: FxHashSet<Symbol> = sheet.clauses.iter().map(|clause| clause.head.relation).collect();
        let mut reported = FxHashSet::default();
        let mut found = Vec::new();
        // What stands before a whole sentence may be a misspelt `not`.
        let mut over_sentences: FxHashSet<Symbol> = FxHashSet::default();
        for clause in &sheet.clauses {
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, _| {
                    let relation = sentence.relation;
                    if let [Pattern::Const(name) | Pattern::Compound(name, _)] = &sentence.args[..]
                        && (heads.contains(name) || *name == of.true_ || *name == of.does)
                    {
                        over_sentences.insert(relation);
                    }
                    let given = relation == of.true_ || relation == of.does || heads.contains(&relation);
                    if !given && reported.insert(relation) {
                        found.push((relation, sentence.span));
                    }
                });
            }
        }
        let fluents = self.stated_fluents().unwrap_or_default();
        for (relation, span) in found {
            let name = self.name(relation);
            let title = format!("nothing makes `{name}` true");
            let words = heads.iter().chain([&of.true_, &of.does]).map(|&head| self.name(head));
            let mut names: Vec<&str> = words.chain(["distinct"]).collect();
            names.sort_unstable();
            let help = match nearest(name, names) {
                _ if fluents.contains(&relation) => {
                    format!("`{name}` is a fluent: write `(true ({name} ...))` for the present position")
                }
                _ if over_sentences.contains(&relation)
                    && (NEGATIONS.contains(&name) || nearest(name, vec!["not"]).is_some()) =>
                {
                    "did you mean `not`?".to_owned()
                }
                Some(near) => format!("did you mean `{near}`?"),
                None if ["!=", "<>", "/="].contains(&name) => "write `(distinct ?x ?y)`".to_owned(),
                None if ["=", "=="].contains(&name) => {
                    "write the same variable, or the constant, in both places".to_owned()
                }
                None => "add facts or rules for it, or remove the condition".to_owned(),
            };
            self.report(Code::W0714, title, span, "there is neither a fact nor a rule for it", &help);
        }
    }

    /// The functions of the fluents that `init` and `next` state; `None` if a variable stands for some.
    fn stated_fluents(&self) -> Option<FxHashSet<Symbol>> {
        let of = &self.sheet.keywords;
        let heads = self.sheet.clauses.iter().map(|clause| &clause.head);
        let states = heads.filter(|head| head.relation == of.init || head.relation == of.next);
        states.map(|head| name_of(head.args.first())).collect()
    }

    /// A fluent in a condition that neither `init` nor `next` states never holds.
    pub(super) fn unknown_fluents(&mut self) {
        let sheet = self.sheet;
        let Some(stated) = self.stated_fluents() else { return };
        let relations: FxHashSet<Symbol> = sheet.clauses.iter().map(|clause| clause.head.relation).collect();
        for (fluent, span) in self.names_in_conditions(sheet.keywords.true_, 0, &stated) {
            let name = self.name(fluent);
            let help = match self.nearest_of(fluent, &stated) {
                _ if relations.contains(&fluent) => {
                    format!("`{name}` is a relation: write `({name} ...)` without `true`")
                }
                Some(near) => format!("did you mean `{near}`?"),
                None => "say when it holds by `init` and `next`, or remove the condition".to_owned(),
            };
            let title = format!("nothing makes the fluent `{name}` true");
            self.report(Code::W0714, title, span, "neither `init` nor `next` has it", &help);
        }
        let (init, next) = (sheet.keywords.init, sheet.keywords.next);
        self.without_arguments(sheet.keywords.true_, &[init, next], "fluent");
    }

    /// A fluent or a move that stands without arguments in a condition, and always with some elsewhere, or the reverse.
    fn without_arguments(&mut self, read: Symbol, stated: &[Symbol], kind: &str) {
        let sheet = self.sheet;
        let arity = |pattern: &Pattern| match pattern {
            Pattern::Compound(_, args) => args.len(),
            _ => 0,
        };
        let mut arities: FxHashMap<Symbol, FxHashSet<usize>> = FxHashMap::default();
        for head in sheet.clauses.iter().map(|clause| &clause.head) {
            if stated.contains(&head.relation)
                && let Some(name) = name_of(head.args.last())
            {
                arities.entry(name).or_default().extend(head.args.last().map(arity));
            }
        }
        let mut found = Vec::new();
        for literal in sheet.clauses.iter().flat_map(|clause| &clause.body) {
            literal.each_sentence(&mut |sentence, _| {
                if sentence.relation == read
                    && let Some(name) = name_of(sentence.args.last())
                    && let Some(known) = arities.get(&name)
                    && let Some(here) = sentence.args.last().map(arity)
                    && !known.contains(&here)
                    && (here == 0 || known.contains(&0))
                {
                    let most = known.iter().copied().max().unwrap_or(0);
                    found.push((name, here, most, sentence.span));
                }
            });
        }
        for (name, here, elsewhere, span) in found {
            let name = self.name(name);
            let title = format!(
                "the {kind} `{name}` has {} here and {elsewhere} elsewhere",
                counted(here, "argument")
            );
            self.report(
                Code::W0714,
                title,
                span,
                "so it never holds",
                "write it as `init`, `next` and `legal` do",
            );
        }
    }

    /// A move in a condition that no rule makes legal is never made.
    pub(super) fn unknown_moves(&mut self) {
        let sheet = self.sheet;
        let of = &sheet.keywords;
        let heads = sheet.clauses.iter().map(|clause| &clause.head);
        let legal = heads.filter(|head| head.relation == of.legal);
        let moves: Option<FxHashSet<Symbol>> = legal.map(|head| name_of(head.args.get(1))).collect();
        let Some(moves) = moves else { return };
        for (made, span) in self.names_in_conditions(of.does, 1, &moves) {
            let name = self.name(made);
            let help = match self.nearest_of(made, &moves) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "write a rule for it, `(<= (legal ?p ({name} ...)) ...)`, or remove the condition"
                ),
            };
            let title = format!("the move `{name}` is never legal");
            self.report(Code::W0714, title, span, "no rule for `legal` has it", &help);
        }
        self.without_arguments(of.does, &[of.legal], "move");
    }

    /// The names of terms in conditions of a relation, as this argument, that are not among these but for upper and lower
    /// case, of which another message tells: each once, with a place.
    fn names_in_conditions(
        &self,
        relation: Symbol,
        at: usize,
        known: &FxHashSet<Symbol>,
    ) -> Vec<(Symbol, Span)> {
        let mut reported = FxHashSet::default();
        let mut found = Vec::new();
        for literal in self.sheet.clauses.iter().flat_map(|clause| &clause.body) {
            literal.each_sentence(&mut |sentence, _| {
                if sentence.relation == relation
                    && let Some(name) = name_of(sentence.args.get(at))
                    && !known.iter().any(|&other| self.name(other).eq_ignore_ascii_case(self.name(name)))
                    && reported.insert(name)
                {
                    found.push((name, sentence.span));
                }
            });
        }
        found
    }

    /// The name of these that is nearest to a name, if one is near.
    fn nearest_of(&self, symbol: Symbol, among: &FxHashSet<Symbol>) -> Option<&str> {
        let mut names: Vec<&str> = among.iter().map(|&name| self.name(name)).collect();
        names.sort_unstable();
        nearest(self.name(symbol), names)
    }

    /// A relation with rules that no condition reads, and a name near to a keyword, is meant to be the keyword.
    pub(super) fn misspelt_keywords(&mut self) {
        let sheet = self.sheet;
        let of = &sheet.keywords;
        let keywords = [of.role, of.init, of.next, of.legal, of.goal, of.terminal, of.sees];
        let mut read: FxHashSet<Symbol> =
            keywords.into_iter().chain([of.base, of.input, of.true_, of.does]).collect();
        for literal in sheet.clauses.iter().flat_map(|clause| &clause.body) {
            literal.each_sentence(&mut |sentence, _| {
                read.insert(sentence.relation);
            });
        }
        let keywords: FxHashSet<Symbol> = keywords.into_iter().collect();
        let mut found: Vec<(&Sentence, Span)> = Vec::new();
        for head in sheet.clauses.iter().map(|clause| &clause.head) {
            if read.insert(head.relation) {
                found.push((head, head.span));
            }
        }
        let unstarted = unstarted::functions(sheet);
        for (head, span) in found {
            let relation = head.relation;
            // A fluent of the first position, under another word for it.
            let fluent = match &head.args[..] {
                [Pattern::Compound(function, _)] => Some(*function),
                _ => None,
            };
            let is_first = fluent.is_some_and(|fluent| unstarted.contains(&fluent));
            let near = self.nearest_of(relation, &keywords).or(is_first.then_some("init"));
            if let Some(near) = near {
                let help = format!("did you mean `{near}`?");
                let title = format!("nothing reads `{}`", self.name(relation));
                self.report(Code::W0714, title, span, "no condition has this relation", &help);
            }
        }
    }
}
