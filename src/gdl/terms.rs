//! Names and ground terms, each stored once and named by an id.

use bouton_base::define_id;
use bouton_base::id::{Id, IdVec};
use rustc_hash::FxHashMap;

define_id!(Symbol, "s", "A name of a sheet: a constant, a function or a relation.");
define_id!(TermId, "t", "A ground term.");

/// The names of a sheet. Keywords are stored in lower case, all other names as written.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: IdVec<Symbol, String>,
    index: FxHashMap<String, Symbol>,
}

impl Symbols {
    /// Returns the symbol of a name, new or old.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&known) = self.index.get(name) {
            return known;
        }
        let symbol = self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), symbol);
        symbol
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol]
    }

    /// Returns the symbol of a name that occurred before.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.index.get(name).copied()
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }
}

/// A ground term: a constant, which has no arguments, or a function of terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    pub name: Symbol,
    pub args: Box<[TermId]>,
}

/// The ground terms that occurred so far.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: IdVec<TermId, Term>,
    depths: Vec<u8>,
    index: FxHashMap<Term, TermId>,
}

/// The maximal depth of a ground term; deeper ones mean that the rules build terms without end.
pub const MAX_TERM_DEPTH: usize = 100;

impl Terms {
    /// Returns the id of a term, new or old; `None` if it is nested too deeply.
    pub fn intern(&mut self, name: Symbol, args: &[TermId]) -> Option<TermId> {
        let term = Term { name, args: args.into() };
        if let Some(&known) = self.index.get(&term) {
            return Some(known);
        }
        let depth = 1 + args.iter().map(|&arg| usize::from(self.depths[arg.index()])).max().unwrap_or(0);
        if depth > MAX_TERM_DEPTH {
            return None;
        }
        self.depths.push(depth as u8);
        let id = self.terms.push(term.clone());
        self.index.insert(term, id);
        Some(id)
    }

    /// Returns the id of a term that occurred before.
    pub fn find(&self, name: Symbol, args: &[TermId]) -> Option<TermId> {
        self.index.get(&Term { name, args: args.into() }).copied()
    }

    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id]
    }

    /// Writes a term as in a sheet: `(mark 1 2)`.
    pub fn render(&self, symbols: &Symbols, id: TermId) -> String {
        let term = self.get(id);
        let name = symbols.name(term.name);
        if term.args.is_empty() {
            return name.to_owned();
        }
        let args: Vec<String> = term.args.iter().map(|&arg| self.render(symbols, arg)).collect();
        format!("({name} {})", args.join(" "))
    }

    /// Writes a term without its outer parentheses: `mark 1 2`.
    pub fn render_bare(&self, symbols: &Symbols, id: TermId) -> String {
        let written = self.render(symbols, id);
        match written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => inner.to_owned(),
            None => written,
        }
    }
}
