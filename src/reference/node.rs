//! Prepared expressions and statements: names are resolved to slots and constants are in their compact form.

use std::sync::Arc;

use super::compact::{Compact, Members};
use super::program::Memo;
use bouton_base::source::Span;
use bouton_rules::{
    Arith, BoardFn, BoardId, DefId, EffectOp, EnumId, FieldId, Fold, PhaseId, Quant, RecordId, SetOp,
    TableId, Type, Value,
};

/// A prepared expression. Its variants mean the same as those of [`bouton_rules::ExprKind`].
#[derive(Debug)]
pub enum Node {
    Const(Compact),
    Undefined,
    /// The variable in this slot of the frame.
    Var(usize),
    Me,
    Cell(FieldId, Box<[Node]>),
    Table(Box<TableNode>),
    Call(DefId, Box<[Node]>),
    Board(BoardFn, BoardId, Box<[Node]>),
    Flood(BoardId, Box<[Node; 2]>),
    Stuck,
    StuckPlayer(Box<Node>),
    Not(Box<Node>),
    And(Box<[Node]>),
    Or(Box<[Node]>),
    Implies(Box<[Node; 2]>),
    Iff(Box<[Node; 2]>),
    Equal(Box<[Node; 2]>),
    Less(Box<[Node; 2]>),
    LessEqual(Box<[Node; 2]>),
    In(Box<[Node; 2]>),
    Subset(Box<[Node; 2]>),
    Defined(Box<Node>),
    Quant(Quant, Box<Loop>),
    Arith(Arith, bool, Box<[Node; 2]>),
    Negate(Box<Node>),
    Card(Box<Node>),
    SetOp(SetOp, Box<[Node; 2]>),
    SetOf(Box<[Node]>),
    Range(Box<[Node; 2]>),
    Tuple(Option<RecordId>, Box<[Node]>),
    List(Box<[Node]>),
    Part(Box<Node>, usize),
    Present(Box<Node>),
    Fold(Fold, Box<Loop>),
    Collect(Box<Loop>),
    If(Box<[Node; 3]>),
    Match(Box<(Node, Vec<(ArmNode, Node)>)>),
    Let(Box<(PatternNode, Node, Node)>),
}

/// A table with terms for its keys.
#[derive(Debug)]
pub struct TableNode {
    pub table: TableId,
    pub keys: Vec<KeyIndex>,
    pub args: Box<[Node]>,
}

/// Binders with the expression that they bind variables in.
#[derive(Debug)]
pub struct Loop {
    pub binders: Vec<BinderNode>,
    pub body: Node,
}

/// A binder.
#[derive(Debug)]
pub struct BinderNode {
    pub pattern: PatternNode,
    pub domain: DomainNode,
    pub condition: Option<Node>,
}

/// The domain of a binder.
#[derive(Debug)]
pub enum DomainNode {
    Fixed(Values),
    Set(Node),
}

/// Values in a fixed order.
#[derive(Debug)]
pub enum Values {
    /// Members of one enum, in ascending order.
    Members(EnumId, Members),
    Listed(Vec<Compact>),
}

impl Values {
    /// These values, in their order.
    pub fn of(values: &Arc<Vec<Value>>) -> Values {
        // A sorted list of members is the set of them.
        match Compact::from(&Value::Set(values.clone())).as_members() {
            Some((of, members)) if values.is_sorted() && members.len() == values.len() => {
                Values::Members(of, members)
            }
            _ => Values::Listed(values.iter().map(Compact::from).collect()),
        }
    }
}

/// The pattern of a binder or a `let`, with the slots of its variables.
#[derive(Clone, Debug)]
pub enum PatternNode {
    Var(usize),
    Tuple(Vec<PatternNode>),
}

/// The pattern of an arm.
#[derive(Debug)]
pub enum ArmNode {
    Any,
    Value(Node),
    OneOf(Node),
    Tuple(Vec<ArmNode>),
}

/// An expression with the number of slots that its variables take.
#[derive(Debug)]
pub struct Body {
    pub slots: usize,
    pub node: Node,
}

/// A prepared definition.
#[derive(Debug)]
pub struct DefNode {
    pub params: Vec<ParamNode>,
    pub body: Body,
    /// The declared range of a number. Analysis checks all other types.
    pub range: Option<(i64, i64)>,
    pub group: Option<u32>,
    pub memo: Memo,
}

/// A parameter of a definition.
#[derive(Debug)]
pub struct ParamNode {
    pub slot: usize,
    pub ty: Type,
}

/// A block of statements.
#[derive(Debug, Default)]
pub struct BlockNode {
    pub stmts: Vec<StmtNode>,
}

/// A statement.
#[derive(Debug)]
pub struct StmtNode {
    pub kind: StmtNodeKind,
    pub span: Span,
}

/// The kinds of statements, as in [`bouton_rules::StmtKind`].
#[derive(Debug)]
pub enum StmtNodeKind {
    Require(Node),
    Let(PatternNode, Node),
    If(Node, BlockNode, BlockNode),
    For(Vec<BinderNode>, BlockNode),
    Then(BlockNode),
    Effect(EffectNode),
    Stay(Option<PhaseId>),
    Next(Node),
}

/// A change of one cell of a field.
#[derive(Debug)]
pub struct EffectNode {
    pub field: FieldId,
    pub keys: Box<[Node]>,
    pub path: Vec<u32>,
    pub op: EffectOp,
    pub value: Node,
}

/// The index of a key of a field, table or definition in its domain.
#[derive(Clone, Debug)]
pub enum KeyIndex {
    /// The whole numbers from the first.
    Ints { first: i64, len: usize },
    /// The first members of an enum.
    Syms { of: EnumId, len: usize },
    /// These values, in ascending order.
    Listed(Arc<Vec<Value>>),
}

impl KeyIndex {
    /// The index in these values, which are in ascending order.
    pub fn of(values: &Arc<Vec<Value>>) -> KeyIndex {
        let len = values.len();
        match (values.first(), values.last()) {
            (Some(Value::Int(first)), Some(Value::Int(last))) if last.abs_diff(*first) == len as u64 - 1 => {
                KeyIndex::Ints { first: *first, len }
            }
            (Some(Value::Sym(of, 0)), Some(Value::Sym(id, last)))
                if of == id && *last as usize == len - 1 =>
            {
                KeyIndex::Syms { of: *of, len }
            }
            _ => KeyIndex::Listed(values.clone()),
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        match self {
            KeyIndex::Ints { len, .. } | KeyIndex::Syms { len, .. } => *len,
            KeyIndex::Listed(values) => values.len(),
        }
    }

    /// The index of a key; `None` if it is outside the domain.
    #[inline]
    pub fn index(&self, key: &Compact) -> Option<usize> {
        match (self, key) {
            (KeyIndex::Ints { first, len }, Compact::Int(i)) => {
                usize::try_from(i.checked_sub(*first)?).ok().filter(|index| index < len)
            }
            (KeyIndex::Syms { of, len }, Compact::Sym(member)) => {
                Some(member.number() as usize).filter(|index| *of == member.of() && index < len)
            }
            (KeyIndex::Listed(values), key) => values.binary_search(&key.to_value()).ok(),
            _ => None,
        }
    }

    /// The row-major index of keys (the last varies fastest); `None` if one is outside its domain.
    pub fn cell(keys: &[KeyIndex], values: &[Compact]) -> Option<usize> {
        let mut cell = 0;
        for (key, value) in keys.iter().zip(values) {
            cell = cell * key.len() + key.index(value)?;
        }
        Some(cell)
    }
}
