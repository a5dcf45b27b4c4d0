//! The context in which a formula is lowered: the lanes, and the known values of variables.
//!
//! A formula with a variable over a domain becomes one vector: a bit for each value of the domain, its *lane*. A part
//! that does not depend on the position is known lane by lane; a part that does is a vector, or one bit for all lanes.

use std::cell::OnceCell;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::ExprId;
use super::domain::BitDomain;
use super::partial_eval::KnownTurn;
use bouton_base::bits::BitSet;
use bouton_circuit::ValueId;
use bouton_rules::{RecordId, Value, VarId};

/// The lanes of vectors; each has a place (a bit position). At other places, a formula may have any value.
#[derive(Debug)]
pub struct Lanes {
    /// The place of each lane.
    pub places: Vec<u32>,
    /// The number of places.
    pub width: u32,
    /// The distance between rows, if the lanes are cells in rows.
    pub stride: Option<u32>,
    /// The places that are lanes.
    pub mask: BitSet,
}

impl Lanes {
    /// Returns a single lane: nothing varies.
    pub fn unit() -> Lanes {
        Lanes { places: vec![0], width: 1, stride: None, mask: BitSet::full(1) }
    }

    /// Creates a lane for each of these places.
    pub fn new(places: Vec<u32>, width: u32, stride: Option<u32>) -> Lanes {
        Lanes { mask: BitSet::of(width, places.iter().copied()), places, width, stride }
    }

    /// Returns the lanes with these indices.
    pub fn only(&self, lanes: &[usize]) -> Lanes {
        Lanes::new(lanes.iter().map(|&l| self.places[l]).collect(), self.width, self.stride)
    }

    /// Returns the places of the lanes that satisfy a predicate.
    pub fn set(&self, holds: impl Fn(usize) -> bool) -> BitSet {
        let lanes = self.places.iter().enumerate();
        BitSet::of(self.width, lanes.filter(|(lane, _)| holds(*lane)).map(|(_, &place)| place))
    }
}

/// A value known before play; `None` inside means that it is known to be undefined.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Static {
    /// The same value in all lanes.
    One(Option<Value>),
    /// A value for each lane.
    Each(Rc<Column>),
}

/// A value for each lane, with a cached hash, because caches use columns as keys again and again.
#[derive(Clone, Debug)]
pub struct Column {
    values: Vec<Option<Value>>,
    hash: OnceCell<u64>,
}

impl Column {
    fn hashed(&self) -> u64 {
        *self.hash.get_or_init(|| FxBuildHasher.hash_one(&self.values))
    }
}

impl Deref for Column {
    type Target = [Option<Value>];

    fn deref(&self) -> &[Option<Value>] {
        &self.values
    }
}

impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        std::ptr::eq(self, other) || self.hashed() == other.hashed() && self.values == other.values
    }
}

impl Eq for Column {}

impl Hash for Column {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hashed().hash(state);
    }
}

impl Static {
    /// Returns the value in a lane.
    pub fn at(&self, lane: usize) -> Option<&Value> {
        match self {
            Static::One(value) => value.as_ref(),
            Static::Each(values) => values[lane].as_ref(),
        }
    }

    /// Creates a static value from one value for each lane; `One` if all are equal. It is undefined if there are no
    /// lanes.
    pub fn each(values: Vec<Option<Value>>) -> Static {
        match values.split_first() {
            None => Static::One(None),
            Some((first, rest)) if rest.iter().all(|v| v == first) => Static::One(first.clone()),
            _ => Static::Each(Rc::new(Column { values, hash: OnceCell::new() })),
        }
    }

    /// Returns the distinct defined values, in order.
    pub fn distinct(&self) -> Vec<&Value> {
        match self {
            Static::One(value) => value.iter().collect(),
            Static::Each(values) => {
                let mut found: Vec<&Value> = values.iter().flatten().collect();
                found.sort_unstable();
                found.dedup();
                found
            }
        }
    }
}

/// A lowered term.
#[derive(Clone, Debug)]
pub enum Term {
    /// A value that does not depend on the position.
    Static(Static),
    /// The value of the case whose condition holds; at most one holds, and if none does, the term is undefined.
    Cases(Rc<Vec<(Static, ValueId)>>),
    /// A record, a tuple, or `none`.
    Product(Rc<Product>),
    /// A number, the same in all lanes.
    Number(Number),
    /// The value whose place is the one set bit of a vector, the same in all lanes; undefined if no bit is set.
    Choice(Arc<BitDomain>, ValueId),
    /// A set that depends on the position: its expression and the context of that expression.
    Set(Rc<(ExprId, Cx)>),
}

/// An integer of the position, with its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The number; any value if it is undefined.
    pub value: ValueId,
    /// The condition under which it is defined.
    pub defined: ValueId,
    /// The lower bound.
    pub low: i64,
    /// The upper bound.
    pub high: i64,
}

/// A record, a tuple, or `none`.
#[derive(Clone, Debug)]
pub struct Product {
    /// The record type, if it is a record.
    pub record: Option<RecordId>,
    /// The condition under which it has a value, `none` included.
    pub defined: ValueId,
    /// The condition under which it has a value other than `none`.
    pub present: ValueId,
    /// The parts, each undefined if the product is not present.
    pub parts: Vec<Term>,
}

/// The context in which a formula is lowered.
#[derive(Clone, Debug)]
pub struct Cx {
    pub lanes: Rc<Lanes>,
    /// The variables, by their ids.
    pub env: Vec<Option<Term>>,
    pub turn: KnownTurn,
    /// The values of the slots in the position that the formula reads.
    pub state: Rc<Vec<ValueId>>,
    /// The one lane that matters, as a vector with one bit.
    pub lane: Option<ValueId>,
}

impl Cx {
    /// Returns the context with one more variable bound.
    pub fn with(&self, var: VarId, term: Term) -> Cx {
        let mut cx = self.clone();
        cx.bind(var, term);
        cx
    }

    /// Binds a variable.
    pub fn bind(&mut self, var: VarId, term: Term) {
        let index = var.0 as usize;
        if self.env.len() <= index {
            self.env.resize(index + 1, None);
        }
        self.env[index] = Some(term);
    }

    /// Returns true if there is only one lane.
    pub fn is_unit(&self) -> bool {
        self.lanes.width == 1
    }

    /// Returns the number of lanes.
    pub fn len(&self) -> usize {
        self.lanes.places.len()
    }
}
