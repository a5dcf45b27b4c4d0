//! Inductive definitions: the least fixpoint of a group (LANGUAGE.md section 9).

use rustc_hash::FxHashMap;

use super::compact::Compact;
use super::eval::Context;
use super::node::{DefNode, KeyIndex};
use bouton_rules::{Def, DefId, Rules};

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
    keys: Vec<KeyIndex>,
    /// The values of each parameter.
    values: Vec<Vec<Compact>>,
    /// The truth value for each combination of arguments, the last fastest.
    holds: Vec<bool>,
}

impl Context<'_> {
    /// Returns true if an inductive definition holds for the arguments in the current frame. Undefined outside the
    /// domains.
    pub(super) fn inductive_holds(&mut self, group: u32, id: DefId, def: &DefNode) -> Option<bool> {
        if !self.groups.contains_key(&group) {
            self.compute_fixpoint(group);
        }
        let table = self.groups.get(&group)?.tables.get(&id)?;
        let mut cell = 0;
        for (param, key) in def.params.iter().zip(&table.keys) {
            cell = cell * key.len() + key.index(self.get(param.slot)?)?;
        }
        table.holds.get(cell).copied()
    }

    /// Computes the fixpoint of a group. Meanwhile its calls read the current approximation.
    fn compute_fixpoint(&mut self, group: u32) {
        let rules = self.rules;
        let members = || self.program.group(rules, group).iter().copied();
        let tables = members().filter_map(|id| Some((id, FixpointTable::new(rules, &rules.defs[id])?)));
        let start = FixpointGroup { tables: tables.collect() };
        let sizes: Vec<(DefId, usize)> =
            members().filter_map(|id| Some((id, start.tables.get(&id)?.holds.len()))).collect();
        self.patience.spend(sizes.iter().map(|&(_, size)| size as u64).sum());
        self.groups.insert(group, start);
        let mut changed = true;
        while changed {
            changed = false;
            for &(id, size) in &sizes {
                for index in 0..size {
                    if self.patience.spend(1) {
                        return;
                    }
                    changed |= self.derive(group, id, index);
                }
            }
        }
    }

    /// Evaluates a combination that does not hold so far; returns true if it now holds.
    fn derive(&mut self, group: u32, id: DefId, index: usize) -> bool {
        let table = &self.groups[&group].tables[&id];
        if table.holds[index] {
            return false;
        }
        let def = self.program.def(self.rules, id);
        let mut rest = index;
        let mut args = Vec::new();
        for (param, values) in def.params.iter().zip(&table.values).rev() {
            args.push((param.slot, values[rest % values.len()].clone()));
            rest /= values.len();
        }
        let outer = self.enter(def.body.slots);
        args.into_iter().for_each(|(slot, value)| self.set(slot, value));
        let holds = self.truth(&def.body.node);
        self.leave(outer);
        if holds && let Some(table) = self.groups.get_mut(&group).and_then(|g| g.tables.get_mut(&id)) {
            table.holds[index] = true;
        }
        holds
    }
}

impl FixpointTable {
    fn new(rules: &Rules, def: &Def) -> Option<FixpointTable> {
        let mut size = 1usize;
        let (mut keys, mut all) = (Vec::new(), Vec::new());
        for &param in &def.params {
            let values = rules.type_values(&def.vars[param].ty, MAX_INDUCTIVE_TUPLES)?;
            size = size.checked_mul(values.len()).filter(|&size| size <= MAX_INDUCTIVE_TUPLES)?;
            all.push(values.iter().map(Compact::from).collect());
            keys.push(KeyIndex::of(&values.into()));
        }
        Some(FixpointTable { keys, values: all, holds: vec![false; size] })
    }
}
