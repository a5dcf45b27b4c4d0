//! A circuit under construction: it still has its builder, and its values are not yet scheduled. Lowering makes it,
//! optimisation passes change it.

use std::collections::BTreeMap;

use super::build::CircuitBuilder;
use super::schedule::schedule;
use super::{
    Circuit, Control, ControlId, FixId, Fixpoint, GroupId, MoveGroup, Op, Position, Stacking, Stmt,
    StmtBlock, ValueId, ValueNode,
};
use bouton_base::bits::BitSet;
use bouton_base::id::{Id, IdVec};

/// A circuit before scheduling, without `Let` and `Fix`.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The builder: the layout, the values and the fixpoints.
    pub build: CircuitBuilder,
    pub controls: IdVec<ControlId, Control>,
    /// The move groups; some may belong to no control any more.
    pub groups: IdVec<GroupId, MoveGroup>,
    pub initial: Position,
    /// The origins of groups that passes made from others.
    pub origins: BTreeMap<GroupId, LaneOrigins>,
    /// The kind of moves of each group. A group never mixes two kinds.
    pub kinds: IdVec<GroupId, u32>,
    /// The stacking invariants found so far.
    pub stackings: Vec<Stacking>,
}

/// For each lane, its original group and its lane there; `None` for places that are no lane.
pub type LaneOrigins = Vec<Option<(GroupId, u32)>>;

impl Draft {
    /// Takes up a circuit for further passes, with the kind of moves of each group. The builder makes each value anew,
    /// and so may fold it; computations are placed again by [`Draft::finish`].
    pub fn from_circuit(mut circuit: Circuit, kinds: IdVec<GroupId, u32>) -> Draft {
        let mut build = CircuitBuilder::new(circuit.layout.clone());
        let set_of: BTreeMap<ValueId, ValueId> =
            circuit.groups.iter().map(|group| (group.bit, group.set)).collect();
        let mut new_ids: IdVec<ValueId, ValueId> = IdVec::new();
        let mut fixed: BTreeMap<FixId, Vec<ValueId>> = BTreeMap::new();
        for (id, node) in circuit.values.entries() {
            let new = |old: ValueId| new_ids[old];
            let made = match &node.op {
                Op::Bits(bits) => build.bits(bits.clone()),
                Op::Int(n) => build.int(*n),
                Op::Slot(slot) => build.slot(*slot),
                Op::Param(_) => match set_of.get(&id) {
                    Some(&set) if set < id => build.subset_param(new(set)),
                    _ => build.param(BitSet::full(circuit.width(id))),
                },
                Op::Fixed(fix, variable) => {
                    let results = fixed.entry(*fix).or_insert_with(|| {
                        let Fixpoint { vars, next } = &circuit.fixes[*fix];
                        let vars = vars.iter().map(|&(var, first)| (new(var), new(first))).collect();
                        build.fix(vars, next.iter().map(|&value| new(value)).collect())
                    });
                    results[*variable as usize]
                }
                _ => build.rebuild(node, &new).expect("an operation on operands"),
            };
            new_ids.push(made);
        }
        let renumber = |value: &mut ValueId| *value = new_ids[*value];
        each_block(&mut circuit, &mut |block| {
            remove_computations(block);
            uses(block, &mut |value| renumber(value));
        });
        for id in circuit.groups.ids().collect::<Vec<_>>() {
            let group = &mut circuit.groups[id];
            (group.lets, group.setup) = Default::default();
            [&mut group.set, &mut group.bit].into_iter().for_each(renumber);
        }
        let Circuit { controls, groups, stackings, initial, .. } = circuit;
        Draft { build, controls, groups, initial, origins: BTreeMap::new(), kinds, stackings }
    }

    /// Adds a group that replaces others. It has the kind of the group `like`.
    pub fn add_derived_group(&mut self, like: GroupId, group: MoveGroup, origins: LaneOrigins) -> GroupId {
        let group = self.groups.push(group);
        self.kinds.push(self.kinds[like]);
        self.origins.insert(group, origins);
        group
    }

    /// Removes unused values, schedules the others, and returns the circuit. The second result maps each of its groups
    /// to its group in the draft.
    pub fn finish(self) -> (Circuit, Vec<GroupId>) {
        let Draft { build, mut controls, mut groups, stackings, initial, .. } = self;
        let mut kept: Vec<GroupId> = Vec::new();
        let mut of_controls: IdVec<GroupId, MoveGroup> = IdVec::new();
        for id in controls.ids().collect::<Vec<_>>() {
            for group in &mut controls[id].groups {
                kept.push(*group);
                *group = of_controls.push(groups[*group].clone());
            }
        }
        groups = of_controls;
        let CircuitBuilder { layout, values, fixes, .. } = build;
        let mut circuit = Circuit { layout, values, fixes, controls, groups, stackings, initial };
        remove_dead_values(&mut circuit);
        schedule(&mut circuit);
        (circuit, kept)
    }
}

/// Removes the unused values and fixpoints (dead code elimination); the others keep their order.
fn remove_dead_values(circuit: &mut Circuit) {
    let mut used: Vec<bool> = vec![false; circuit.values.len()];
    let mut fixes: Vec<bool> = vec![false; circuit.fixes.len()];
    let mut open: Vec<ValueId> = Vec::new();
    each_block(circuit, &mut |block| uses(block, &mut |value| open.push(*value)));
    circuit.groups.iter().for_each(|group| open.extend([group.set, group.bit]));
    while let Some(value) = open.pop() {
        if std::mem::replace(&mut used[value.index()], true) {
            continue;
        }
        circuit.values[value].op.each_operand(|operand| open.push(operand));
        if let Op::Fixed(fix, _) = circuit.values[value].op
            && !std::mem::replace(&mut fixes[fix.index()], true)
        {
            let fix = &circuit.fixes[fix];
            open.extend(
                fix.next.iter().copied().chain(fix.vars.iter().flat_map(|&(var, first)| [var, first])),
            );
        }
    }
    let places = |used: &[bool]| {
        used.iter()
            .scan(0u32, |place, &used| {
                *place += u32::from(used);
                Some(place.wrapping_sub(1))
            })
            .collect::<Vec<u32>>()
    };
    let (new_value, new_fix) = (places(&used), places(&fixes));
    let moved = |value: &mut ValueId| *value = ValueId(new_value[value.index()]);
    let mut values: IdVec<ValueId, ValueNode> = IdVec::new();
    for (id, node) in std::mem::take(&mut circuit.values).entries() {
        if used[id.index()] {
            let mut op = node.op.clone();
            op.each_operand_mut(moved);
            if let Op::Fixed(fix, _) = &mut op {
                *fix = FixId(new_fix[fix.index()]);
            }
            values.push(ValueNode { op, ty: node.ty });
        }
    }
    circuit.values = values;
    let old = std::mem::take(&mut circuit.fixes);
    circuit.fixes = old.entries().filter(|(id, _)| fixes[id.index()]).map(|(_, fix)| fix.clone()).collect();
    for id in circuit.fixes.ids().collect::<Vec<_>>() {
        let fix = &mut circuit.fixes[id];
        fix.next.iter_mut().for_each(moved);
        fix.vars.iter_mut().for_each(|(var, first)| [var, first].into_iter().for_each(moved));
    }
    for id in circuit.groups.ids().collect::<Vec<_>>() {
        let group = &mut circuit.groups[id];
        [&mut group.set, &mut group.bit].into_iter().for_each(moved);
    }
    each_block(circuit, &mut |block| uses(block, &mut |value| moved(value)));
}

fn each_block(circuit: &mut Circuit, visit: &mut dyn FnMut(&mut StmtBlock)) {
    for id in circuit.controls.ids().collect::<Vec<_>>() {
        let control = &mut circuit.controls[id];
        [&mut control.before, &mut control.stuck].into_iter().for_each(&mut *visit);
    }
    for id in circuit.groups.ids().collect::<Vec<_>>() {
        visit(&mut circuit.groups[id].body);
    }
}

/// Removes `Let` and `Fix` from a block and from those in it.
fn remove_computations(block: &mut StmtBlock) {
    block.stmts.retain(|stmt| !matches!(stmt, Stmt::Let(_) | Stmt::Fix(..)));
    for stmt in &mut block.stmts {
        if let Stmt::If(_, yes, no) = stmt {
            [yes, no].into_iter().for_each(remove_computations);
        }
    }
}

/// Visits the values that the statements of a block use, nested statements included.
fn uses(block: &mut StmtBlock, visit: &mut dyn FnMut(&mut ValueId)) {
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let(_) | Stmt::Fix(..) => {}
            Stmt::Over(over) => {
                visit(&mut over.when);
                over.scores.iter_mut().for_each(&mut *visit);
            }
            Stmt::If(when, yes, no) => {
                visit(when);
                uses(yes, visit);
                uses(no, visit);
            }
            Stmt::Require(value) | Stmt::Fault(value) => visit(value),
            Stmt::Yield(after) => {
                after.slots.iter_mut().for_each(|(_, value)| visit(value));
                after.weight.iter_mut().for_each(&mut *visit);
            }
        }
    }
}
