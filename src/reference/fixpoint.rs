//! Inductive definitions: the least fixpoint of a group (LANGUAGE.md section 9).

use std::sync::{Arc, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::env::Env;
use super::eval::Context;
use bouton_rules::{Def, DefId, KeyDomain, Rules, Value, cell_of};

/// The maximal number of combinations of arguments of an inductive definition. Analysis refuses more.
pub const MAX_INDUCTIVE_TUPLES: usize = 1 << 22;

/// The current approximation of the least fixpoint of one group of definitions. All are false at first, and each round
/// of evaluation adds to them until a round adds nothing. Since the group occurs only positively in its bodies, nothing
/// true becomes false.
#[derive(Default)]
pub struct FixpointGroup {
    tables: FxHashMap<DefId, FixpointTable>,
}

struct FixpointTable {
    keys: Vec<KeyDomain>,
    /// The truth value for each combination of arguments, the last fastest.
    holds: Vec<bool>,
}

impl Context<'_> {
    /// Returns true if an inductive definition holds for the arguments in `args`. Undefined outside the domains.
    pub(super) fn inductive_holds(&self, group: u32, def: DefId, args: &Env) -> Option<bool> {
        if !self.lock().contains_key(&group) {
            self.compute_fixpoint(group, args.base);
        }
        let params = &self.rules.defs[def].params;
        let values: Option<Vec<Value>> = params.iter().map(|&param| args.get(param).cloned()).collect();
        let groups = self.lock();
        let table = groups.get(&group)?.tables.get(&def)?;
        table.holds.get(cell_of(&table.keys, &values?)?).copied()
    }

    /// Computes the fixpoint of a group. Meanwhile its calls read the current approximation.
    fn compute_fixpoint(&self, group: u32, base: usize) {
        let members = || self.rules.defs.entries().filter(|(_, def)| def.group == Some(group));
        let tables = members().filter_map(|(id, def)| Some((id, FixpointTable::new(self.rules, def)?)));
        let start = FixpointGroup { tables: tables.collect() };
        let sizes: Vec<(DefId, usize)> =
            members().filter_map(|(id, _)| Some((id, start.tables.get(&id)?.holds.len()))).collect();
        self.patience.spend(sizes.iter().map(|&(_, size)| size as u64).sum());
        self.lock().insert(group, start);
        let mut changed = true;
        while changed {
            changed = false;
            for &(id, size) in &sizes {
                for index in 0..size {
                    if self.patience.spend(1) {
                        return;
                    }
                    changed |= self.derive(group, id, index, base);
                }
            }
        }
    }

    /// Evaluates a combination that does not hold so far; returns true if it now holds.
    fn derive(&self, group: u32, id: DefId, index: usize, base: usize) -> bool {
        let def = &self.rules.defs[id];
        let mut env = Env::on_stack(def.vars.len(), base);
        {
            let groups = self.lock();
            let table = &groups[&group].tables[&id];
            if table.holds[index] {
                return false;
            }
            let mut rest = index;
            for (param, key) in def.params.iter().zip(&table.keys).rev() {
                env.set(*param, key.values[rest % key.values.len()].clone());
                rest /= key.values.len();
            }
        }
        let holds = self.truth(&mut env, &def.body);
        if holds && let Some(table) = self.lock().get_mut(&group).and_then(|g| g.tables.get_mut(&id)) {
            table.holds[index] = true;
        }
        holds
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<u32, FixpointGroup>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FixpointTable {
    fn new(rules: &Rules, def: &Def) -> Option<FixpointTable> {
        let mut size = 1usize;
        let mut keys = Vec::new();
        for &param in &def.params {
            let var = &def.vars[param];
            let values = Arc::new(rules.type_values(&var.ty, MAX_INDUCTIVE_TUPLES)?);
            size = size.checked_mul(values.len()).filter(|&size| size <= MAX_INDUCTIVE_TUPLES)?;
            keys.push(KeyDomain { name: var.name.clone(), ty: var.ty.clone(), values });
        }
        Some(FixpointTable { keys, holds: vec![false; size] })
    }
}
