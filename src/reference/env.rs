//! The values of the variables of one definition, move or rule.

use bouton_base::id::Id;
use bouton_rules::{Pattern, Value, VarId};

/// The value of each variable, if it is bound. Every binder has variables of its own, so no variable is ever unbound.
#[derive(Clone, Debug)]
pub struct Env {
    slots: Vec<Option<Value>>,
    /// The address from which the stack use of this thread is counted.
    pub base: usize,
}

impl Env {
    /// An environment with room for this number of variables, none bound.
    pub fn new(variables: usize) -> Env {
        Env::on_stack(variables, super::stack::stack_address())
    }

    /// The same, with the stack use counted from `base`.
    pub fn on_stack(variables: usize, base: usize) -> Env {
        Env { slots: vec![None; variables], base }
    }

    /// The value of a variable, if it is bound.
    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.slots.get(var.index())?.as_ref()
    }

    pub fn set(&mut self, var: VarId, value: Value) {
        if var.index() >= self.slots.len() {
            self.slots.resize(var.index() + 1, None);
        }
        self.slots[var.index()] = Some(value);
    }

    /// Binds the variables of a pattern; returns false if the value does not have its form.
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
