//! A sheet as clauses: facts and rules with variables, keywords recognised, terms without arguments as constants.

use bouton_base::source::Span;

use crate::terms::{Symbol, Symbols};

/// A term with variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// The variable of the clause with this index.
    Var(u32),
    Const(Symbol),
    /// A function of at least one term.
    Compound(Symbol, Vec<Pattern>),
}

impl Pattern {
    /// Visits the variables, from the left, each occurrence.
    pub fn each_var(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Pattern::Var(var) => visit(*var),
            Pattern::Const(_) => {}
            Pattern::Compound(_, args) => args.iter().for_each(|arg| arg.each_var(visit)),
        }
    }

    /// Returns true if there is no variable in it.
    pub fn is_ground(&self) -> bool {
        let mut ground = true;
        self.each_var(&mut |_| ground = false);
        ground
    }
}

/// A relation applied to terms.
#[derive(Clone, Debug)]
pub struct Sentence {
    pub relation: Symbol,
    pub args: Vec<Pattern>,
    pub span: Span,
}

impl Sentence {
    /// Visits the variables, from the left, each occurrence.
    pub fn each_var(&self, visit: &mut dyn FnMut(u32)) {
        self.args.iter().for_each(|arg| arg.each_var(visit));
    }
}

/// A literal of a body.
#[derive(Clone, Debug)]
pub enum Literal {
    Positive(Sentence),
    Negative(Sentence),
    /// `(distinct a b)`
    Distinct(Pattern, Pattern, Span),
    /// `(not (distinct a b))`
    Same(Pattern, Pattern, Span),
    /// `(or ...)`: its branches, each a conjunction.
    Or(Vec<Vec<Literal>>, Span),
}

impl Literal {
    pub fn span(&self) -> Span {
        match self {
            Literal::Positive(sentence) | Literal::Negative(sentence) => sentence.span,
            Literal::Distinct(_, _, span) | Literal::Same(_, _, span) | Literal::Or(_, span) => *span,
        }
    }

    /// Visits the variables, each occurrence.
    pub fn each_var(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Literal::Positive(sentence) | Literal::Negative(sentence) => sentence.each_var(visit),
            Literal::Distinct(a, b, _) | Literal::Same(a, b, _) => {
                [a, b].iter().for_each(|p| p.each_var(visit))
            }
            Literal::Or(branches, _) => branches.iter().flatten().for_each(|part| part.each_var(visit)),
        }
    }

    /// Visits the sentences in it with their sign; false for negated ones.
    pub fn each_sentence<'l>(&'l self, visit: &mut dyn FnMut(&'l Sentence, bool)) {
        match self {
            Literal::Positive(sentence) => visit(sentence, true),
            Literal::Negative(sentence) => visit(sentence, false),
            Literal::Distinct(..) | Literal::Same(..) => {}
            Literal::Or(branches, _) => branches.iter().flatten().for_each(|part| part.each_sentence(visit)),
        }
    }
}

/// A fact or a rule.
#[derive(Clone, Debug)]
pub struct Clause {
    pub head: Sentence,
    pub body: Vec<Literal>,
    /// The names of the variables, with the question mark.
    pub vars: Vec<String>,
    pub span: Span,
}

impl Clause {
    /// Visits the head and the sentences of the body, from the left.
    pub fn each_sentence<'a>(&'a self, visit: &mut dyn FnMut(&'a Sentence)) {
        visit(&self.head);
        for literal in &self.body {
            literal.each_sentence(&mut |sentence, _| visit(sentence));
        }
    }
}

/// The keywords that name relations.
#[derive(Clone, Copy, Debug)]
pub struct Keywords {
    pub role: Symbol,
    pub init: Symbol,
    pub true_: Symbol,
    pub does: Symbol,
    pub next: Symbol,
    pub legal: Symbol,
    pub goal: Symbol,
    pub terminal: Symbol,
    pub base: Symbol,
    pub input: Symbol,
    pub sees: Symbol,
    /// The role whose moves chance makes, in GDL-II.
    pub random: Symbol,
}

/// The keywords of relations with their number of arguments.
pub const ARITIES: &[(&str, usize)] = &[
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("does", 2),
    ("next", 1),
    ("legal", 2),
    ("goal", 2),
    ("terminal", 0),
    ("base", 1),
    ("input", 2),
    ("sees", 2),
];

/// The words of the logic, which are no relations.
pub const CONNECTIVES: &[&str] = &["<=", "not", "or", "and", "distinct"];

impl Keywords {
    /// Adds the keywords to the names of a sheet.
    pub fn new(symbols: &mut Symbols) -> Keywords {
        let mut of = |name: &str| symbols.intern(name);
        Keywords {
            role: of("role"),
            init: of("init"),
            true_: of("true"),
            does: of("does"),
            next: of("next"),
            legal: of("legal"),
            goal: of("goal"),
            terminal: of("terminal"),
            base: of("base"),
            input: of("input"),
            sees: of("sees"),
            random: of("random"),
        }
    }
}

/// The rules of a game as its sheet states them.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub symbols: Symbols,
    pub keywords: Keywords,
    /// The clauses in the order of the file.
    pub clauses: Vec<Clause>,
    /// The name of the game: the first comment of the file that looks like one, or empty.
    pub title: String,
}
