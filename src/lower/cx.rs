//! What a formula is lowered in: lanes, and what is known of the variables.
//!
//! A formula with a variable over a domain becomes one vector: a bit for each value of the domain, its *lane*. What
//! does not depend on the position is known lane by lane; what does is a vector, or one bit for all lanes.

use std::cell::OnceCell;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::domain::Domain;
use super::known::Turn;
use crate::base::bits::BitSet;
use crate::circuit::ValueId;
use crate::rules::{Expr, RecordId, Value, VarId};

/// The lanes of vectors: each has a place. A formula may be anything at places that are no lanes.
#[derive(Debug)]
pub struct Lanes {
    /// The place of each lane.
    pub places: Vec<u32>,
    /// How many places there are.
    pub width: u32,
    /// The distance of rows, where the lanes are cells in rows.
    pub stride: Option<u32>,
    /// The places that are lanes.
    pub mask: BitSet,
}

impl Lanes {
    /// One lane: nothing varies.
    pub fn unit() -> Lanes {
        Lanes { places: vec![0], width: 1, stride: None, mask: BitSet::full(1) }
    }

    /// A lane for each of these places.
    pub fn new(places: Vec<u32>, width: u32, stride: Option<u32>) -> Lanes {
        Lanes { mask: BitSet::of(width, places.iter().copied()), places, width, stride }
    }

    /// Those of some lanes.
    pub fn only(&self, lanes: &[usize]) -> Lanes {
        Lanes::new(lanes.iter().map(|&l| self.places[l]).collect(), self.width, self.stride)
    }

    /// The places of the lanes of which this holds.
    pub fn set(&self, holds: impl Fn(usize) -> bool) -> BitSet {
        let lanes = self.places.iter().enumerate();
        BitSet::of(self.width, lanes.filter(|(lane, _)| holds(*lane)).map(|(_, &place)| place))
    }
}

/// A value that is known; none where it is known to be undefined.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Static {
    /// The same in all lanes.
    One(Option<Value>),
    /// One for each lane.
    Each(Rc<Column>),
}

/// A value for each lane. What was found out of values is looked up by them again and again: they are hashed once.
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
    /// The value in a lane.
    pub fn at(&self, lane: usize) -> Option<&Value> {
        match self {
            Static::One(value) => value.as_ref(),
            Static::Each(values) => values[lane].as_ref(),
        }
    }

    /// These values, as one where they are all the same.
    pub fn each(values: Vec<Option<Value>>) -> Static {
        match values.split_first() {
            Some((first, rest)) if rest.iter().all(|v| v == first) => Static::One(first.clone()),
            _ => Static::Each(Rc::new(Column { values, hash: OnceCell::new() })),
        }
    }

    /// The different values there are.
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

/// A term as it is lowered.
#[derive(Clone, Debug)]
pub enum Term {
    /// It does not depend on the position.
    Static(Static),
    /// It has this value where that holds; at most one case holds, and where none does it is undefined.
    Cases(Rc<Vec<(Static, ValueId)>>),
    /// It is a record, a tuple, or `none`.
    Product(Rc<Product>),
    /// It is a number, the same in all lanes.
    Number(Number),
    /// It is the value whose place is the one bit of a vector, the same in all lanes; undefined without a bit.
    Choice(Arc<Domain>, ValueId),
    /// It is a set that depends on the position: what was written, and where.
    Set(Rc<(Rc<Expr>, Cx)>),
}

/// A whole number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The number, of any value where it is not defined.
    pub value: ValueId,
    /// Whether it is defined.
    pub defined: ValueId,
    /// It is not less.
    pub low: i64,
    /// It is not more.
    pub high: i64,
}

/// A record, a tuple, or `none`.
#[derive(Clone, Debug)]
pub struct Product {
    /// Which record.
    pub record: Option<RecordId>,
    /// Where it has a value, `none` included.
    pub defined: ValueId,
    /// Where it is not `none`, either.
    pub present: ValueId,
    /// The parts, each undefined where it is not present.
    pub parts: Vec<Term>,
}

/// What a formula is lowered in.
#[derive(Clone, Debug)]
pub struct Cx {
    /// The lanes.
    pub lanes: Rc<Lanes>,
    /// The variables, by their ids.
    pub env: Vec<Option<Term>>,
    /// The turn.
    pub turn: Turn,
    /// What the slots hold in the position that is read.
    pub state: Rc<Vec<ValueId>>,
    /// The one lane that matters, as a vector with one bit.
    pub lane: Option<ValueId>,
}

impl Cx {
    /// The same with a variable bound.
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

    /// Whether there is but one lane.
    pub fn is_unit(&self) -> bool {
        self.lanes.width == 1
    }

    /// How many lanes there are.
    pub fn len(&self) -> usize {
        self.lanes.places.len()
    }
}
