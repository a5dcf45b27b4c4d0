//! Prepared definitions and tables, and the values that evaluation remembers.
//!
//! A definition that depends on neither the position nor the maker of the move is a table of its arguments, which is
//! filled as it is read; so is a function of a board. A definition without parameters has one value in a position.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::board_fn;
use super::compact::Compact;
use super::node::{DefNode, KeyIndex};
use super::prepare;
use bouton_base::id::IdVec;
use bouton_rules::{BoardFn, BoardId, DIR, DefId, Expr, ExprKind, Rules, TableId, Type, Value};

/// The maximal number of values that are remembered of a definition.
const MAX_REMEMBERED_VALUES: usize = 1 << 12;

/// The maximal number of cells of a board whose functions of two cells are remembered.
const MAX_REMEMBERED_CELLS: usize = 128;

/// The number of functions of boards.
const BOARD_FUNCTIONS: usize = BoardFn::Edges as usize + 1;

/// The definitions, tables and boards of rules, each prepared at its first use.
#[derive(Debug)]
pub struct Program {
    defs: IdVec<DefId, OnceLock<Box<DefNode>>>,
    /// The definitions of each inductive group.
    groups: OnceLock<FxHashMap<u32, Vec<DefId>>>,
    /// Present if values are remembered: not for the evaluation of a single expression.
    memory: Option<Memory>,
}

#[derive(Debug)]
struct Memory {
    reads: IdVec<DefId, Reads>,
    tables: IdVec<TableId, OnceLock<Vec<Option<Compact>>>>,
    boards: IdVec<BoardId, Vec<OnceLock<Remembered>>>,
}

/// The parts of an evaluation that a definition depends on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Reads {
    state: bool,
    /// `me` or `stuck`, which change during the evaluation of a position.
    actor: bool,
}

/// Values that are computed once.
#[derive(Debug)]
pub struct Remembered(Box<[OnceLock<Option<Compact>>]>);

/// The period for which the values of a definition are remembered.
#[derive(Debug)]
pub enum Memo {
    Never,
    /// Within one position.
    Position,
    /// For ever, by the indices of the arguments.
    Always(Vec<KeyIndex>, Remembered),
}

impl Remembered {
    fn new(len: usize) -> Remembered {
        Remembered((0..len).map(|_| OnceLock::new()).collect())
    }

    pub fn get(&self, index: usize) -> Option<&Option<Compact>> {
        self.0.get(index)?.get()
    }

    pub fn set(&self, index: usize, value: Option<Compact>) {
        if let Some(slot) = self.0.get(index) {
            // Another thread may have been first, with the same value.
            let _ = slot.set(value);
        }
    }
}

impl Program {
    /// A program for one expression: it prepares no more than that reads.
    pub fn brief(rules: &Rules) -> Program {
        let defs = rules.defs.iter().map(|_| OnceLock::new()).collect();
        Program { defs, groups: OnceLock::new(), memory: None }
    }

    /// A program for many positions.
    pub fn lasting(rules: &Rules) -> Program {
        let functions = |_| (0..BOARD_FUNCTIONS).map(|_| OnceLock::new()).collect();
        let memory = Memory {
            reads: reads(rules),
            tables: rules.tables.iter().map(|_| OnceLock::new()).collect(),
            boards: rules.boards.iter().map(functions).collect(),
        };
        Program { memory: Some(memory), ..Program::brief(rules) }
    }

    pub fn def(&self, rules: &Rules, id: DefId) -> &DefNode {
        self.defs[id].get_or_init(|| {
            let def = &rules.defs[id];
            let mut node = prepare::def(rules, def);
            if let (Some(memory), None) = (&self.memory, def.group) {
                let reads = memory.reads[id];
                node.memo = match remembered_arguments(rules, &node) {
                    Some((keys, len)) if reads == Reads::default() => {
                        Memo::Always(keys, Remembered::new(len))
                    }
                    _ if node.params.is_empty() && !reads.actor => Memo::Position,
                    _ => Memo::Never,
                };
            }
            Box::new(node)
        })
    }

    /// The definitions of an inductive group.
    pub fn group(&self, rules: &Rules, group: u32) -> &[DefId] {
        let groups = self.groups.get_or_init(|| {
            let mut groups: FxHashMap<u32, Vec<DefId>> = FxHashMap::default();
            for (id, def) in rules.defs.entries() {
                if let Some(group) = def.group {
                    groups.entry(group).or_default().push(id);
                }
            }
            groups
        });
        groups.get(&group).map_or(&[], Vec::as_slice)
    }

    /// The value of a table in a cell.
    pub fn table_value(&self, rules: &Rules, id: TableId, cell: usize) -> Option<Compact> {
        let values = &rules.tables[id].values;
        let compact = |value: &Option<Value>| value.as_ref().map(Compact::from);
        match &self.memory {
            Some(memory) => {
                let values = memory.tables[id].get_or_init(|| values.iter().map(compact).collect());
                values.get(cell)?.clone()
            }
            None => compact(values.get(cell)?),
        }
    }

    /// The value of a function of a board.
    pub fn board_value(
        &self,
        rules: &Rules,
        function: BoardFn,
        id: BoardId,
        args: &[Compact],
    ) -> Option<Compact> {
        let compute = || board_fn::apply(rules, function, id, args);
        let (Some(memory), Some(board)) = (&self.memory, rules.boards.get(id)) else { return compute() };
        let cells = board.len();
        let cell = |arg: &Compact| KeyIndex::Syms { of: board.cells, len: cells }.index(arg);
        let place = match args {
            [a] => cell(a).map(|a| (a, cells)),
            [a, b] if cells <= MAX_REMEMBERED_CELLS => {
                let dirs = rules.dirs.len();
                let second = match b.as_sym() {
                    Some((DIR, dir)) => Some((dir as usize, dirs)).filter(|&(dir, _)| dir < dirs),
                    _ => cell(b).map(|b| (b, cells)),
                };
                cell(a).zip(second).map(|(a, (b, len))| (a * len + b, cells * len))
            }
            _ => None,
        };
        let Some((index, len)) = place else { return compute() };
        let values = memory.boards[id][function as usize].get_or_init(|| Remembered::new(len));
        match values.get(index) {
            Some(value) => value.clone(),
            None => {
                let value = compute();
                values.set(index, value.clone());
                value
            }
        }
    }
}

/// The domains of the parameters of a definition and the number of combinations, if there are few.
fn remembered_arguments(rules: &Rules, def: &DefNode) -> Option<(Vec<KeyIndex>, usize)> {
    let mut len = 1usize;
    let mut keys = Vec::new();
    for param in &def.params {
        let size = rules.type_size(&param.ty).and_then(|size| usize::try_from(size).ok())?;
        keys.push(match param.ty {
            Type::Int(first, _) => KeyIndex::Ints { first, len: size },
            Type::Sym(of) => KeyIndex::Syms { of, len: size },
            _ => return None,
        });
        len = len.checked_mul(size).filter(|&len| len <= MAX_REMEMBERED_VALUES)?;
    }
    Some((keys, len))
}

/// The dependencies of each definition, including those of the definitions that it calls.
fn reads(rules: &Rules) -> IdVec<DefId, Reads> {
    let mut reads: IdVec<DefId, Reads> = rules.defs.iter().map(|_| Reads::default()).collect();
    let mut callers: IdVec<DefId, Vec<DefId>> = rules.defs.iter().map(|_| Vec::new()).collect();
    for (id, def) in rules.defs.entries() {
        direct_reads(&def.body, &mut reads[id], &mut |callee| callers[callee].push(id));
    }
    let mut waiting: Vec<DefId> = rules.defs.ids().collect();
    while let Some(id) = waiting.pop() {
        let Reads { state, actor } = reads[id];
        for &caller in &callers[id] {
            let of = &mut reads[caller];
            let all = Reads { state: of.state || state, actor: of.actor || actor };
            if *of != all {
                *of = all;
                waiting.push(caller);
            }
        }
    }
    reads
}

fn direct_reads(expr: &Expr, reads: &mut Reads, call: &mut dyn FnMut(DefId)) {
    match &*expr.kind {
        ExprKind::Field(..) => reads.state = true,
        ExprKind::Me | ExprKind::Stuck | ExprKind::StuckPlayer(_) => {
            *reads = Reads { state: true, actor: true };
        }
        ExprKind::Call(def, _) => call(*def),
        _ => {}
    }
    expr.each_part(&mut |part| direct_reads(part, reads, call));
}
