//! Values: the denotations of terms. All are finite, ordered and hashable.

use std::sync::Arc;

use bouton_base::rational::Rational;

use super::{EnumId, RecordId};

/// A value of the language. Values of one type are ordered: numbers by size, members of an enum as written, tuples
/// from the left, sets by their elements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// `none`; below every other value.
    None,
    /// `true`, `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A member of an enum: a player, a cell, a direction, ...
    Sym(EnumId, u32),
    /// A tuple or a record.
    Tuple(Arc<Tuple>),
    /// A set: elements in order, each once.
    Set(Arc<Vec<Value>>),
    /// A list; only in parameters and constants.
    List(Arc<Vec<Value>>),
    /// A rational that is no whole number of 64 bits; only in weights, payoffs and claims.
    Ratio(Arc<Rational>),
    /// A string; only in templates, displays and claims.
    Text(Arc<str>),
}

/// The parts of a tuple or record.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tuple {
    /// The record type; `None` for a plain tuple.
    pub record: Option<RecordId>,
    /// The parts in order.
    pub parts: Vec<Value>,
}

impl Value {
    /// Makes a set of these elements, in any order, repeated or not.
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Value {
        let mut elements: Vec<Value> = elements.into_iter().collect();
        elements.sort_unstable();
        elements.dedup();
        Value::Set(Arc::new(elements))
    }

    /// Makes a plain tuple.
    pub fn tuple(parts: Vec<Value>) -> Value {
        Value::Tuple(Arc::new(Tuple { record: None, parts }))
    }

    /// Makes a record.
    pub fn record(record: RecordId, parts: Vec<Value>) -> Value {
        Value::Tuple(Arc::new(Tuple { record: Some(record), parts }))
    }

    /// Makes a rational, or a whole number if it is one.
    pub fn ratio(r: Rational) -> Value {
        match r.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Ratio(Arc::new(r)),
        }
    }

    /// Returns the truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Returns the whole number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// Returns the number as a rational, if it is one.
    pub fn as_ratio(&self) -> Option<Rational> {
        match self {
            Value::Int(i) => Some(Rational::from_integer(*i)),
            Value::Ratio(r) => Some(Rational::clone(r)),
            _ => None,
        }
    }

    /// Returns the index of a member in its enum, if it is a member.
    pub fn as_sym(&self) -> Option<u32> {
        match self {
            Value::Sym(_, index) => Some(*index),
            _ => None,
        }
    }

    /// Returns the elements, if it is a set.
    pub fn as_set(&self) -> Option<&[Value]> {
        match self {
            Value::Set(elements) => Some(elements),
            _ => None,
        }
    }
}
