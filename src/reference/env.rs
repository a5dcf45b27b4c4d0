//! The values of the variables of one definition, move or rule.

use crate::base::id::Id;
use crate::rules::{Pattern, Value, VarId};

/// What each variable is bound to. Every binder has variables of its own, so nothing is ever unbound.
#[derive(Clone, Debug)]
pub struct Env {
    slots: Vec<Option<Value>>,
    /// Where the stack of this thread began to be used.
    pub base: usize,
}

impl Env {
    /// No variable bound, room for that many.
    pub fn new(variables: usize) -> Env {
        Env::on_stack(variables, super::stack::here())
    }

    /// The same, for work whose use of the stack is counted from `base`.
    pub fn on_stack(variables: usize, base: usize) -> Env {
        Env { slots: vec![None; variables], base }
    }

    /// The value of a variable.
    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.slots.get(var.index())?.as_ref()
    }

    /// Gives a variable a value.
    pub fn set(&mut self, var: VarId, value: Value) {
        if var.index() >= self.slots.len() {
            self.slots.resize(var.index() + 1, None);
        }
        self.slots[var.index()] = Some(value);
    }

    /// Binds the variables of a pattern; false where the value has not its form.
    pub fn bind(&mut self, pattern: &Pattern, value: &Value) -> bool {
        match (pattern, value) {
            (Pattern::Var(var), _) => {
                self.set(*var, value.clone());
                true
            }
            (Pattern::Tuple(patterns), Value::Tuple(tuple)) => {
                patterns.len() == tuple.parts.len()
                    && patterns.iter().zip(&tuple.parts).all(|(pattern, part)| self.bind(pattern, part))
            }
            (Pattern::Tuple(_), _) => false,
        }
    }
}
