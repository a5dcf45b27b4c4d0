//! Trees to clauses: recognises keywords and connectives, and reports forms that are none of GDL.

use bouton_base::source::{FileId, Span};
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::foreign;
use crate::sheet::{ARITIES, CONNECTIVES, Clause, Keywords, Literal, Pattern, Sentence, Sheet};
use crate::terms::{Symbol, Symbols};
use crate::tree::{self, Node, NodeKind};

/// The number of diagnostics after which the rest of a file is skipped.
const MAX_DIAGNOSTICS: usize = 100;

/// A sheet with the diagnostics of its form.
#[derive(Debug)]
pub struct Parsed {
    /// The clauses that could be read.
    pub sheet: Sheet,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the clauses of a file.
pub fn parse(file: FileId, text: &str) -> Parsed {
    let mut symbols = Symbols::default();
    let keywords = Keywords::new(&mut symbols);
    let mut reader = Reader {
        symbols,
        diagnostics: Vec::new(),
        vars: Vec::new(),
        loose: FxHashSet::default(),
        last_stray: None,
        behind_arrow: None,
        role: None,
    };
    let mut clauses = Vec::new();
    match tree::parse(file, text) {
        Ok(nodes) => {
            let nodes = reader.sentences(&nodes);
            reader.role = first_role(nodes);
            let quoted = foreign::quoted_words(nodes);
            // What is in quotes has the wrong number of arguments.
            let nodes = if quoted.is_some() { &[] } else { nodes };
            reader.diagnostics.extend(quoted);
            let propositions = propositions(nodes);
            for node in nodes {
                if reader.diagnostics.len() >= MAX_DIAGNOSTICS {
                    break;
                }
                clauses.extend(reader.clause(node, &propositions));
            }
        }
        Err(found) => reader.diagnostics.push(*found),
    }
    let sheet = Sheet { symbols: reader.symbols, keywords, clauses, title: title(text) };
    Parsed { sheet, diagnostics: reader.diagnostics }
}

/// The first comment with a letter in it, before any clause, without decoration; empty if there is none.
fn title(text: &str) -> String {
    let lines =
        text.split(['\n', '\r']).map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
    let words = lines.map(|line| line.trim_matches(|c: char| !c.is_alphanumeric() && c != ')'));
    let words = words.map(|words| words.split(';').next().unwrap_or_default().trim());
    let mut titles =
        words.filter(|words| words.chars().any(char::is_alphabetic) && words.len() <= MAX_TITLE_BYTES);
    titles.next().unwrap_or_default().to_owned()
}

/// The maximal length of a comment that counts as a title.
const MAX_TITLE_BYTES: usize = 60;

/// The atoms that occur as sentences in bodies, or as heads: only these, and `terminal`, are facts where they stand
/// alone.
fn propositions(nodes: &[Node]) -> FxHashSet<&str> {
    fn collect<'n>(literal: &'n Node, out: &mut FxHashSet<&'n str>) {
        match &literal.kind {
            NodeKind::Atom(text) => {
                out.insert(text);
            }
            NodeKind::List(parts) => match parts.split_first() {
                Some((first, rest)) if ["not", "or", "and"].iter().any(|word| first.is_keyword(word)) => {
                    rest.iter().for_each(|part| collect(part, out));
                }
                Some((first, [])) => out.extend(first.atom()),
                _ => {}
            },
        }
    }
    let mut found = FxHashSet::default();
    for node in nodes {
        if let NodeKind::List(parts) = &node.kind
            && parts.first().is_some_and(|first| first.is_keyword("<="))
        {
            parts[1..].iter().for_each(|part| collect(part, &mut found));
        }
    }
    found
}

/// The first role that a fact names and that is not chance.
fn first_role(nodes: &[Node]) -> Option<String> {
    let mut roles = nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::List(parts) => match &parts[..] {
            [word, role] if word.is_keyword("role") && !role.is_keyword("random") => role.atom(),
            _ => None,
        },
        NodeKind::Atom(_) => None,
    });
    roles.next().map(str::to_owned)
}

/// The state of reading clauses.
struct Reader {
    symbols: Symbols,
    diagnostics: Vec<Diagnostic>,
    /// The names of the variables of the clause that is being read.
    vars: Vec<String>,
    /// The kinds of loose form that were reported: each is reported once.
    loose: FxHashSet<&'static str>,
    /// The end of the last word outside of all rules.
    last_stray: Option<usize>,
    /// The end of the last condition behind an arrow outside of all rules.
    behind_arrow: Option<usize>,
    /// The first role that a fact names, for examples.
    role: Option<String>,
}

impl Reader {
    fn error(&mut self, title: impl Into<String>, span: Span, label: &str, help: &str) {
        self.diagnostics.push(Diagnostic::new(Code::E0702, title, span, label).help(help));
    }

    /// Reports a form that is not in the standard and has one obvious meaning, once a file.
    fn loose(&mut self, kind: &'static str, span: Span, help: &str) {
        if self.loose.insert(kind) {
            self.diagnostics.push(Diagnostic::new(Code::W0710, kind, span, "").help(help));
        }
    }

    /// The sentences of a file: those at its top, those in a list of all sentences, or those in the message with which
    /// a match begins.
    fn sentences<'n>(&mut self, nodes: &'n [Node]) -> &'n [Node] {
        let [node] = nodes else { return nodes };
        let NodeKind::List(parts) = &node.kind else { return nodes };
        let (kind, list) = match &parts[..] {
            [Node { kind: NodeKind::List(_), .. }, ..] => ("a list of all sentences", &parts[..]),
            [start, _, _, Node { kind: NodeKind::List(rules), .. }, ..] if start.is_keyword("start") => {
                ("a message that begins a match", &rules[..])
            }
            _ => return nodes,
        };
        let start = node.span.range().start;
        let span = Span::new(node.span.file, start, start + 1);
        self.loose(kind, span, "write the sentences one after the other, without a list around them");
        list
    }

    fn clause(&mut self, node: &Node, propositions: &FxHashSet<&str>) -> Option<Clause> {
        self.vars.clear();
        let parts = match &node.kind {
            NodeKind::Atom(text) if !propositions.contains(text.as_str()) && !node.is_keyword("terminal") => {
                self.stray(text, node.span);
                return None;
            }
            NodeKind::Atom(_) => {
                let head = self.sentence(node)?;
                return Some(Clause { head, body: Vec::new(), vars: Vec::new(), span: node.span });
            }
            // The conditions of a rule without its parentheses.
            NodeKind::List(_) if self.behind_arrow.is_some_and(|end| node.span.range().start == end + 1) => {
                self.behind_arrow = Some(node.span.range().end);
                return None;
            }
            NodeKind::List(parts) => parts,
        };
        let is_list = |word: &str, arity: usize| {
            parts.first().is_some_and(|first| first.is_keyword(word)) && parts.len() != arity + 1
        };
        if is_list("base", 1) || is_list("input", 2) {
            // Old sheets list the values of each argument: `(base cell (x 1 2 3) (y 1 2 3))`.
            let help = "it is not read: fluents and moves are found without it; write `(base (cell 1 1 x))`";
            self.loose("`base` or `input` with other than its arguments", node.span, help);
            return None;
        }
        if let Some(found) = foreign::other_rule(node) {
            self.diagnostics.push(found);
            return None;
        }
        if !parts.first().is_some_and(|first| first.is_keyword("<=")) {
            let head = self.sentence(node)?;
            return Some(Clause { head, body: Vec::new(), vars: self.vars.clone(), span: node.span });
        }
        let Some(head) = parts.get(1) else {
            self.error("a rule without a head", node.span, "", "write the conclusion after `<=`");
            return None;
        };
        if let NodeKind::List(of_head) = &head.kind
            && let Some(word) = ["or", "and"]
                .into_iter()
                .find(|word| of_head.first().is_some_and(|first| first.is_keyword(word)))
        {
            let title = format!("`{word}` in the conclusion of a rule");
            self.error(
                title,
                head.span,
                "",
                "a rule has one conclusion: write a rule for each, with the same conditions",
            );
            return None;
        }
        if let Some(found) = self.swallowed(parts, head, propositions) {
            self.diagnostics.push(found);
            return None;
        }
        if parts.len() == 2 {
            self.loose("a rule without conditions", node.span, "write it as a fact, without `<=`");
        }
        let head = self.sentence(head)?;
        let body: Option<Vec<Vec<Literal>>> = parts[2..].iter().map(|part| self.literal(part)).collect();
        let body = body?.into_iter().flatten().collect();
        Some(Clause { head, body, vars: self.vars.clone(), span: node.span })
    }

    /// The message for a conclusion that has taken up conditions of its rule.
    fn swallowed(&self, rule: &[Node], head: &Node, propositions: &FxHashSet<&str>) -> Option<Diagnostic> {
        let NodeKind::List(parts) = &head.kind else { return None };
        let (first, args) = parts.split_first()?;
        let &(word, arity) = ARITIES.iter().find(|(word, _)| first.is_keyword(word))?;
        let help = foreign::swallowed_conditions(rule, arity, propositions).filter(|_| args.len() > arity)?;
        Some(Diagnostic::new(Code::E0704, wrong_arity(word, args.len(), arity), head.span, "").help(help))
    }

    /// Reports a word outside of all rules; words behind it in the same line are part of the same mistake.
    fn stray(&mut self, text: &str, span: Span) {
        let (start, end) = (span.range().start, span.range().end);
        if self.last_stray.replace(end).is_some_and(|last| start == last + 1) {
            return;
        }
        if let Some(found) = foreign::stray_arrow(text, span) {
            self.diagnostics.push(found);
            self.behind_arrow = Some(end);
            return;
        }
        match ["//", "/*", "#", "--", "%"].into_iter().find(|sign| text.starts_with(sign)) {
            Some(sign) => {
                self.error(
                    format!("`{sign}` begins no comment"),
                    span,
                    "",
                    "a comment begins with `;` and ends with its line",
                );
            }
            None => {
                let title = format!("`{text}` stands outside of all rules");
                self.error(title, span, "", "remove it, or write it as a fact in parentheses");
            }
        }
    }

    /// Reads a sentence: a relation, possibly with arguments.
    fn sentence(&mut self, node: &Node) -> Option<Sentence> {
        let (name, args) = match &node.kind {
            NodeKind::Atom(_) => (node, &[][..]),
            NodeKind::List(parts) => match parts.split_first() {
                Some((name, args)) => (name, args),
                None => {
                    self.error(
                        "an empty list",
                        node.span,
                        "a sentence is missing here",
                        "remove the parentheses",
                    );
                    return None;
                }
            },
        };
        let Some(text) = name.atom() else {
            self.error(
                "a list where a relation is needed",
                name.span,
                "",
                "begin a sentence with the name of a relation",
            );
            return None;
        };
        if text.starts_with('?') {
            let title = format!("the variable `{text}` where a relation is needed");
            self.error(title, name.span, "", "GDL has no variables for relations: write a rule for each");
            return None;
        }
        if let Some(word) = CONNECTIVES.iter().find(|word| name.is_keyword(word)) {
            let title = format!("`{word}` where a sentence is needed");
            let help = match *word {
                "<=" => "a rule cannot be part of another: close the one before it",
                _ => {
                    "`not`, `or` and `distinct` belong to the conditions of rules; inside of `not` is one sentence"
                }
            };
            self.error(title, node.span, "", help);
            return None;
        }
        let relation = self.name(text);
        let parts = args;
        let args: Option<Vec<Pattern>> = args.iter().map(|arg| self.term(arg)).collect();
        let args = args?;
        let keyword = ARITIES.iter().find(|(word, _)| *word == self.symbols.name(relation));
        if let Some(&(word, arity)) = keyword
            && args.len() != arity
        {
            let title = wrong_arity(word, args.len(), arity);
            let help = match self.each_role(word, &args) {
                Some(facts) => format!("write a fact for each role: {facts}"),
                None => {
                    let role = self.role.as_deref().unwrap_or("white");
                    foreign::joined_arguments(word, parts, role)
                        .unwrap_or_else(|| format!("write `{}`", usage(word, role)))
                }
            };
            self.diagnostics.push(Diagnostic::new(Code::E0704, title, node.span, "").help(help));
            return None;
        }
        Some(Sentence { relation, args, span: node.span })
    }

    /// The facts for roles that stand together in one: `(role ann bob)`.
    fn each_role(&self, word: &str, args: &[Pattern]) -> Option<String> {
        let fact = |arg: &Pattern| match arg {
            Pattern::Const(name) => Some(format!("`(role {})`", self.symbols.name(*name))),
            _ => None,
        };
        let facts: Vec<String> = args.iter().map(fact).collect::<Option<_>>()?;
        (word == "role" && facts.len() > 1).then(|| facts.join(" "))
    }

    /// Reads a condition; `and` gives several literals.
    fn literal(&mut self, node: &Node) -> Option<Vec<Literal>> {
        let NodeKind::List(parts) = &node.kind else {
            return Some(vec![Literal::Positive(self.sentence(node)?)]);
        };
        if let [left, sign, right] = &parts[..]
            && let Some(meant) = meant_by_sign(left, sign, right)
        {
            let title = format!("`{}` between its parts", sign.atom().unwrap_or_default());
            self.error(title, node.span, "", &format!("in GDL the word comes first: {meant}"));
            return None;
        }
        let Some((first, rest)) = parts.split_first() else {
            self.error("an empty list", node.span, "a condition is missing here", "remove the parentheses");
            return None;
        };
        if first.is_keyword("and") {
            self.loose("`and` is not part of GDL", node.span, "list the conditions one after the other");
            let parts: Option<Vec<Vec<Literal>>> = rest.iter().map(|part| self.literal(part)).collect();
            return Some(parts?.into_iter().flatten().collect());
        }
        if first.is_keyword("or") {
            if rest.is_empty() {
                let help = "list the conditions of which one must hold, or remove it";
                let title = "`or` without conditions is never true";
                self.diagnostics.push(Diagnostic::new(Code::W0714, title, node.span, "").help(help));
            }
            let branches: Option<Vec<Vec<Literal>>> = rest.iter().map(|part| self.literal(part)).collect();
            return Some(vec![Literal::Or(branches?, node.span)]);
        }
        if first.is_keyword("distinct") {
            let (a, b) = self.pair(node, rest)?;
            return Some(vec![Literal::Distinct(a, b, node.span)]);
        }
        if !first.is_keyword("not") {
            return Some(vec![Literal::Positive(self.sentence(node)?)]);
        }
        let [inner] = rest else {
            let title = format!("`not` has {} instead of one sentence", counted(rest.len(), "part"));
            self.error(title, node.span, "", "write a `not` for each sentence");
            return None;
        };
        self.negation(inner)
    }

    /// Reads the negation of a condition; that of `or` gives several literals.
    fn negation(&mut self, node: &Node) -> Option<Vec<Literal>> {
        let parts = match &node.kind {
            NodeKind::List(parts) => parts.split_first(),
            NodeKind::Atom(_) => None,
        };
        match parts {
            Some((first, rest)) if first.is_keyword("distinct") => {
                let help = "use the same variable in both places";
                self.loose("`not` before `distinct` is not part of GDL", node.span, help);
                let (a, b) = self.pair(node, rest)?;
                Some(vec![Literal::Same(a, b, node.span)])
            }
            Some((first, [inner])) if first.is_keyword("not") => {
                let help = format!("the two cancel: write `{inner}` in place of both");
                self.error("`not` inside of `not`", node.span, "", &help);
                None
            }
            Some((first, rest)) if first.is_keyword("or") => {
                let help = "negate each of its conditions, one after the other";
                self.loose("`not` before `or` is not part of GDL", node.span, help);
                let parts: Option<Vec<Vec<Literal>>> = rest.iter().map(|part| self.negation(part)).collect();
                Some(parts?.into_iter().flatten().collect())
            }
            Some((first, rest)) if first.is_keyword("and") => {
                let help = "negate each of its conditions in an `or`";
                self.loose("`not` before `and` is not part of GDL", node.span, help);
                let parts: Option<Vec<Vec<Literal>>> = rest.iter().map(|part| self.negation(part)).collect();
                Some(vec![Literal::Or(parts?, node.span)])
            }
            _ => Some(vec![Literal::Negative(self.sentence(node)?)]),
        }
    }

    fn pair(&mut self, node: &Node, parts: &[Node]) -> Option<(Pattern, Pattern)> {
        let [a, b] = parts else {
            let title = format!("`distinct` has {} instead of 2", counted(parts.len(), "argument"));
            self.diagnostics
                .push(Diagnostic::new(Code::E0704, title, node.span, "").help("write `(distinct ?x ?y)`"));
            return None;
        };
        Some((self.term(a)?, self.term(b)?))
    }

    fn term(&mut self, node: &Node) -> Option<Pattern> {
        let parts = match &node.kind {
            NodeKind::Atom(text) if text.starts_with('?') => {
                let index = self.vars.iter().position(|var| var == text).unwrap_or_else(|| {
                    self.vars.push(text.clone());
                    self.vars.len() - 1
                });
                return Some(Pattern::Var(index as u32));
            }
            NodeKind::Atom(text) => return Some(Pattern::Const(self.name(text))),
            NodeKind::List(parts) => parts,
        };
        let name = parts.first().and_then(Node::atom).filter(|text| !text.starts_with('?'));
        let Some(name) = name else {
            let help = "a term is a word, a variable, or a list that begins with the name of a function";
            self.error("a list that is no term", node.span, "", help);
            return None;
        };
        let function = self.name(name);
        let args: Option<Vec<Pattern>> = parts[1..].iter().map(|part| self.term(part)).collect();
        // `(p)` and `p` are one term.
        Some(match args? {
            args if args.is_empty() => Pattern::Const(function),
            args => Pattern::Compound(function, args),
        })
    }

    /// The symbol of a name; keywords are recognised in any case.
    fn name(&mut self, text: &str) -> Symbol {
        let lower = text.to_ascii_lowercase();
        if ARITIES.iter().any(|(word, _)| *word == lower) || lower == "random" {
            return self.symbols.intern(&lower);
        }
        self.symbols.intern(text)
    }
}

/// The form that is meant where a word or a sign stands between two conditions or terms, as in other languages.
fn meant_by_sign(left: &Node, sign: &Node, right: &Node) -> Option<String> {
    let word = sign.atom()?;
    let is_connective = |of: &Node| CONNECTIVES.iter().any(|other| of.is_keyword(other));
    if is_connective(left) {
        return None;
    }
    match word {
        "!=" | "<>" | "/=" | "=/=" | "~=" | "\\=" => Some(format!("write `(distinct {left} {right})`")),
        "=" | "==" => Some("write the same variable, or the constant, in both places".to_owned()),
        _ if sign.is_keyword("or") => Some(format!("write `(or {left} {right})`")),
        _ if sign.is_keyword("distinct") => Some(format!("write `(distinct {left} {right})`")),
        _ if sign.is_keyword("and") => {
            Some(format!("list the conditions one after the other, `{left} {right}`"))
        }
        _ => None,
    }
}

/// A keyword as it is used, with this role as an example.
fn usage(word: &str, role: &str) -> String {
    match word {
        "role" => format!("(role {role})"),
        "init" => "(init (cell 1 1 b))".to_owned(),
        "true" => "(true (cell 1 1 b))".to_owned(),
        "does" => format!("(does {role} (mark 1 1))"),
        "next" => "(next (cell 1 1 x))".to_owned(),
        "legal" => format!("(legal {role} (mark 1 1))"),
        "goal" => format!("(goal {role} 100)"),
        "base" => "(base (cell 1 1 x))".to_owned(),
        "input" => format!("(input {role} (mark 1 1))"),
        "sees" => format!("(sees {role} (card 1))"),
        _ => "terminal".to_owned(),
    }
}

fn wrong_arity(word: &str, has: usize, arity: usize) -> String {
    format!("`{word}` has {} instead of {arity}", counted(has, "argument"))
}

/// A number of things: "1 argument", "2 arguments".
pub fn counted(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Warns of names that differ in case only: players disagree on them.
pub fn warn_of_case(sheet: &Sheet, diagnostics: &mut Vec<Diagnostic>) {
    let mut places: FxHashMap<Symbol, Span> = FxHashMap::default();
    let mut order = Vec::new();
    let mut note = |symbol: Symbol, span: Span| {
        places.entry(symbol).or_insert_with(|| {
            order.push(symbol);
            span
        });
    };
    for clause in &sheet.clauses {
        each_name(&clause.head, &mut note);
        for literal in &clause.body {
            literal.each_sentence(&mut |sentence, _| each_name(sentence, &mut note));
        }
    }
    let mut spellings: FxHashMap<String, Symbol> = FxHashMap::default();
    for symbol in order {
        let name = sheet.symbols.name(symbol);
        let Some(&other) = spellings.get(&name.to_lowercase()) else {
            spellings.insert(name.to_lowercase(), symbol);
            continue;
        };
        let other_name = sheet.symbols.name(other);
        diagnostics.push(
            Diagnostic::new(
                Code::W0711,
                format!("`{name}` and `{other_name}` are different names"),
                places[&symbol],
                format!("`{name}` here"),
            )
            .label(places[&other], format!("`{other_name}` here"))
            .help("some players ignore case: use one spelling, or names that differ in more"),
        );
    }
}

fn each_name(sentence: &Sentence, note: &mut dyn FnMut(Symbol, Span)) {
    fn of_pattern(pattern: &Pattern, span: Span, note: &mut dyn FnMut(Symbol, Span)) {
        match pattern {
            Pattern::Var(_) => {}
            Pattern::Const(name) => note(*name, span),
            Pattern::Compound(name, args) => {
                note(*name, span);
                args.iter().for_each(|arg| of_pattern(arg, span, note));
            }
        }
    }
    note(sentence.relation, sentence.span);
    sentence.args.iter().for_each(|arg| of_pattern(arg, sentence.span, note));
}
