//! Variables in scope while one definition, move or rule is elaborated.

use bouton_base::source::Span;
use bouton_rules::{Pattern, Type, Value, Var, VarId, Vars};

/// The meaning of a local name.
#[derive(Clone, Debug)]
pub(super) enum LocalKind {
    /// A variable.
    Var(VarId),
    /// A value fixed by the context, such as the player of a payoff.
    Fixed(Value),
}

/// A local name.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub name: String,
    pub kind: LocalKind,
    pub ty: Type,
    pub span: Span,
    pub used: bool,
}

/// The place of an expression, which decides if it may read the state and `me`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExprPlace {
    /// A constant, a type, an initial value: no state.
    Static,
    /// A move: state, `me`.
    Move,
    /// An event of chance: state; no `me`, and no legal moves.
    Chance,
    /// A definition: state, and `me` if only moves use it.
    Def,
    /// An end rule, an invariant, a claim: state; no `me`.
    Rule,
    /// `position { }` and claims of tests.
    Position,
}

/// The scope of local names.
#[derive(Clone, Debug)]
pub(super) struct Locals {
    pub place: ExprPlace,
    pub vars: Vars,
    pub stack: Vec<Local>,
    /// True if `me` was used, here or in a called definition.
    pub uses_me: bool,
    /// True if `/` is exact here.
    pub exact: bool,
}

impl Locals {
    pub fn new(place: ExprPlace) -> Self {
        Locals { place, vars: Vars::new(), stack: Vec::new(), uses_me: false, exact: false }
    }

    pub fn constant() -> Self {
        Locals::new(ExprPlace::Static)
    }

    pub fn position() -> Self {
        Locals::new(ExprPlace::Position)
    }

    /// Adds a variable.
    pub fn add(&mut self, name: &str, ty: Type, span: Span) -> VarId {
        let var = self.vars.push(Var { name: name.into(), ty: ty.clone() });
        self.stack.push(Local { name: name.into(), kind: LocalKind::Var(var), ty, span, used: false });
        var
    }

    /// Adds a name for a value.
    pub fn add_fixed(&mut self, name: &str, value: Value, ty: Type, span: Span) {
        self.stack.push(Local { name: name.into(), kind: LocalKind::Fixed(value), ty, span, used: true });
    }

    /// The innermost local with this name.
    pub fn find(&mut self, name: &str) -> Option<&mut Local> {
        self.stack.iter_mut().rev().find(|l| l.name == name)
    }

    /// Returns true if there is a local with this name; this does not count as a use.
    pub fn has(&self, name: &str) -> bool {
        self.stack.iter().any(|l| l.name == name)
    }

    /// Collects the variables of a pattern.
    pub fn pattern_vars(pattern: &Pattern, out: &mut Vec<VarId>) {
        match pattern {
            Pattern::Var(var) => out.push(*var),
            Pattern::Tuple(parts) => parts.iter().for_each(|p| Locals::pattern_vars(p, out)),
        }
    }
}
