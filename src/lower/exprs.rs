//! Numbers for the expressions of a lowering: its caches are keyed by them.
//!
//! An expression is identified by its address, which is safe as it is borrowed for as long as the numbers are in use:
//! those of the rules from the rules, those that lowering makes from an arena.

use std::cell::RefCell;

use by_address::ByAddress;
use rustc_hash::FxHashMap;
use typed_arena::Arena;

use bouton_base::define_id;
use bouton_base::id::{Id, IdVec};
use bouton_rules::{Binder, Expr};

define_id!(ExprId, "e", "An expression of the rules, or one that lowering made.");

/// The expressions and binders that lowering makes.
#[derive(Default)]
pub struct Made {
    exprs: Arena<Expr>,
    binders: Arena<Binder>,
}

/// The expressions that have numbers.
pub struct Exprs<'r> {
    made: &'r Made,
    ids: RefCell<FxHashMap<ByAddress<&'r Expr>, ExprId>>,
    numbered: RefCell<IdVec<ExprId, &'r Expr>>,
}

impl<'r> Exprs<'r> {
    /// Numbers no expression yet; new ones are kept in `made`.
    pub fn new(made: &'r Made) -> Exprs<'r> {
        Exprs { made, ids: RefCell::default(), numbered: RefCell::new(IdVec::new()) }
    }

    /// Returns the number of an expression.
    pub fn id(&self, expr: &'r Expr) -> ExprId {
        *self.ids.borrow_mut().entry(ByAddress(expr)).or_insert_with(|| self.numbered.borrow_mut().push(expr))
    }

    /// Returns the expression with a number.
    pub fn get(&self, id: ExprId) -> &'r Expr {
        self.numbered.borrow()[id]
    }

    /// Keeps an expression that lowering made.
    pub fn make(&self, expr: Expr) -> &'r Expr {
        self.made.exprs.alloc(expr)
    }

    /// Keeps a binder that lowering made, as a list of one.
    pub fn make_binder(&self, binder: Binder) -> &'r [Binder] {
        std::slice::from_ref(self.made.binders.alloc(binder))
    }
}

/// A map from expressions, by their numbers, to facts about them.
pub struct ExprMap<T> {
    values: Vec<Option<T>>,
}

impl<T> Default for ExprMap<T> {
    fn default() -> Self {
        ExprMap { values: Vec::new() }
    }
}

impl<T> ExprMap<T> {
    /// Returns what is known of an expression.
    pub fn get(&self, id: ExprId) -> Option<&T> {
        self.values.get(id.index())?.as_ref()
    }

    /// Notes what is known of an expression.
    pub fn insert(&mut self, id: ExprId, value: T) {
        if self.values.len() <= id.index() {
            self.values.resize_with(id.index() + 1, || None);
        }
        self.values[id.index()] = Some(value);
    }
}
