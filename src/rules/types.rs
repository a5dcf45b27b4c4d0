//! Types: finite sets of values, and a few that only constants and claims have.

use std::sync::Arc;

use super::{EnumId, RecordId, Rules, Value};

/// A type. Two types are *comparable* if some value can belong to both.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// The type without values: that of the elements of `{}` and of the content of `none`.
    Never,
    /// `bool`
    Bool,
    /// The whole numbers `lo..=hi`; empty if `lo > hi`.
    Int(i64, i64),
    /// A member of an enum.
    Sym(EnumId),
    /// `(T, U)`
    Tuple(Arc<Vec<Type>>),
    /// A record.
    Record(RecordId),
    /// `T?`; never nested.
    Option(Arc<Type>),
    /// `set of T`
    Set(Arc<Type>),
    /// `list of T`; parameters and constants only.
    List(Arc<Type>),
    /// A subset of another type: a constant set used as a type.
    Subset(Arc<SubsetType>),
    /// An exact rational: weights, payoffs, claims.
    Ratio,
    /// A string: templates, displays, claims.
    Text,
    /// The type of an erroneous expression. It fits everything, so that one mistake gives one message.
    Error,
}

/// The maximal number of values of a type that [`Rules::is_within`] compares one by one with another type.
const MAX_COMPARED_VALUES: usize = 4096;

/// A subset of the values of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SubsetType {
    /// The type that the subset restricts.
    pub base: Type,
    /// The values, in order, each once.
    pub values: Vec<Value>,
}

impl Type {
    /// Makes `T?`; `T` may already be an option.
    pub fn option(inner: Type) -> Type {
        match inner {
            Type::Option(_) | Type::Error => inner,
            _ => Type::Option(Arc::new(inner)),
        }
    }

    /// Makes `set of T`.
    pub fn set(inner: Type) -> Type {
        Type::Set(Arc::new(inner))
    }

    /// The type without a restriction to a subset.
    pub fn base(&self) -> &Type {
        match self {
            Type::Subset(among) => among.base.base(),
            _ => self,
        }
    }

    /// Returns true if the type lists its values, inside of an option or not.
    pub fn is_listed(&self) -> bool {
        match self {
            Type::Subset(_) => true,
            Type::Option(inner) => inner.is_listed(),
            _ => false,
        }
    }

    /// The content type of an option, or the type itself.
    pub fn present(&self) -> &Type {
        match self.base() {
            Type::Option(inner) => inner,
            _ => self,
        }
    }

    /// The least type that contains the values of both; `None` if the two are of different kinds.
    pub fn join(a: &Type, b: &Type) -> Option<Type> {
        let join = Type::join;
        Some(match (a, b) {
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            (Type::Never, other) | (other, Type::Never) => other.clone(),
            _ if a == b => a.clone(),
            (Type::Subset(x), _) => join(&x.base, b)?,
            (_, Type::Subset(y)) => join(a, &y.base)?,
            (Type::Option(x), y) | (y, Type::Option(x)) => Type::option(join(x, y.present())?),
            (Type::Int(a, b), Type::Int(c, d)) => Type::Int(*a.min(c), *b.max(d)),
            (Type::Int(..) | Type::Ratio, Type::Int(..) | Type::Ratio) => Type::Ratio,
            (Type::Set(x), Type::Set(y)) => Type::set(join(x, y)?),
            (Type::List(x), Type::List(y)) => Type::List(Arc::new(join(x, y)?)),
            (Type::Tuple(xs), Type::Tuple(ys)) if xs.len() == ys.len() => {
                let parts = xs.iter().zip(ys.iter()).map(|(x, y)| join(x, y));
                Type::Tuple(Arc::new(parts.collect::<Option<_>>()?))
            }
            _ => return None,
        })
    }

    /// Returns true if values of this type may occur where `to` is required. Ranges are not compared.
    pub fn is_assignable_to(&self, to: &Type) -> bool {
        match (self.base(), to.base()) {
            (Type::Never | Type::Error, _) | (_, Type::Error) => true,
            (Type::Int(..), Type::Int(..) | Type::Ratio) => true,
            (Type::Option(a), Type::Option(b)) => a.is_assignable_to(b),
            (a, Type::Option(b)) => a.is_assignable_to(b),
            (Type::Set(a), Type::Set(b)) | (Type::List(a), Type::List(b)) => a.is_assignable_to(b),
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.is_assignable_to(b))
            }
            (a, b) => a == b,
        }
    }

    /// Returns true if `none` belongs to the type.
    pub fn is_option(&self) -> bool {
        matches!(self.base(), Type::Option(_))
    }

    /// The type of the elements of a set or list.
    pub fn element(&self) -> Option<&Type> {
        match self.base() {
            Type::Set(inner) | Type::List(inner) => Some(inner),
            _ => None,
        }
    }

    /// The bounds of a whole-number type.
    pub fn interval(&self) -> Option<(i64, i64)> {
        match self {
            Type::Int(lo, hi) => Some((*lo, *hi)),
            Type::Subset(among) => match (among.values.first(), among.values.last()) {
                (Some(Value::Int(lo)), Some(Value::Int(hi))) => Some((*lo, *hi)),
                _ => among.base.interval(),
            },
            _ => None,
        }
    }

    /// The empty value, which is the default initial value of a field and which `<-` leaves behind: `none`, `{}`,
    /// `false`, and 0 for a range of whole numbers that contains 0.
    pub fn empty_value(&self) -> Option<Value> {
        match self.base() {
            Type::Option(_) => Some(Value::None),
            Type::Set(_) => Some(Value::set([])),
            Type::Bool => Some(Value::Bool(false)),
            Type::Int(lo, hi) if *lo <= 0 && 0 <= *hi => Some(Value::Int(0)),
            _ => None,
        }
    }
}

impl Rules {
    /// Returns the number of values of a type; `None` if it is not finite or exceeds `u128`.
    pub fn type_size(&self, ty: &Type) -> Option<u128> {
        match ty {
            Type::Never => Some(0),
            Type::Bool => Some(2),
            Type::Int(lo, hi) => Some(if lo > hi { 0 } else { (*hi as i128 - *lo as i128) as u128 + 1 }),
            Type::Sym(id) => Some(self.enums[*id].members.len() as u128),
            Type::Tuple(parts) => self.product(parts.iter()),
            Type::Record(id) => self.product(self.records[*id].parts.iter().map(|(_, t)| t)),
            Type::Option(inner) => self.type_size(inner)?.checked_add(1),
            Type::Set(inner) => 1u128.checked_shl(u32::try_from(self.type_size(inner)?).ok()?),
            Type::Subset(among) => Some(among.values.len() as u128),
            Type::List(_) | Type::Ratio | Type::Text | Type::Error => None,
        }
    }

    fn product<'a>(&self, types: impl Iterator<Item = &'a Type>) -> Option<u128> {
        let mut size = 1u128;
        for ty in types {
            size = size.checked_mul(self.type_size(ty)?)?;
        }
        Some(size)
    }

    /// Returns the values of a finite type in order; `None` if there are more than `limit`.
    pub fn type_values(&self, ty: &Type, limit: usize) -> Option<Vec<Value>> {
        match self.type_size(ty)? {
            // The parts of an empty tuple type may have very many values.
            0 => return Some(Vec::new()),
            size if size > limit as u128 => return None,
            _ => {}
        }
        Some(match ty {
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Int(lo, hi) => (*lo..=*hi).map(Value::Int).collect(),
            Type::Sym(id) => (0..self.enums[*id].members.len() as u32).map(|i| Value::Sym(*id, i)).collect(),
            Type::Tuple(parts) => self.rows(parts.iter(), limit)?.into_iter().map(Value::tuple).collect(),
            Type::Record(id) => {
                let rows = self.rows(self.records[*id].parts.iter().map(|(_, t)| t), limit)?;
                rows.into_iter().map(|parts| Value::record(*id, parts)).collect()
            }
            Type::Option(inner) => {
                std::iter::once(Value::None).chain(self.type_values(inner, limit)?).collect()
            }
            Type::Set(inner) => {
                let mut elements = self.type_values(inner, 64)?;
                elements.sort_unstable();
                let mut sets = Vec::with_capacity(1 << elements.len());
                add_subsets(&elements, &mut Vec::new(), &mut sets);
                sets
            }
            Type::Subset(among) => among.values.clone(),
            Type::Never | Type::List(_) | Type::Ratio | Type::Text | Type::Error => Vec::new(),
        })
    }

    fn rows<'a>(&self, types: impl Iterator<Item = &'a Type>, limit: usize) -> Option<Vec<Vec<Value>>> {
        let mut rows = vec![Vec::new()];
        for ty in types {
            let values = self.type_values(ty, limit)?;
            rows = rows
                .iter()
                .flat_map(|row: &Vec<Value>| {
                    values.iter().map(move |v| row.iter().cloned().chain([v.clone()]).collect())
                })
                .collect();
        }
        Some(rows)
    }

    /// Returns true if a value belongs to a type.
    pub fn has_value(&self, ty: &Type, value: &Value) -> bool {
        match (ty, value) {
            (Type::Subset(among), _) => among.values.binary_search(value).is_ok(),
            (Type::Option(_), Value::None) => true,
            (Type::Option(inner), _) => self.has_value(inner, value),
            (Type::Bool, Value::Bool(_)) | (Type::Text, Value::Text(_)) => true,
            (Type::Int(lo, hi), Value::Int(i)) => lo <= i && i <= hi,
            (Type::Ratio, Value::Int(_) | Value::Ratio(_)) => true,
            (Type::Sym(id), Value::Sym(of, _)) => id == of,
            (Type::Tuple(types), Value::Tuple(tuple)) => {
                tuple.record.is_none()
                    && types.len() == tuple.parts.len()
                    && types.iter().zip(&tuple.parts).all(|(t, v)| self.has_value(t, v))
            }
            (Type::Record(id), Value::Tuple(tuple)) => {
                tuple.record == Some(*id)
                    && self.records[*id]
                        .parts
                        .iter()
                        .zip(&tuple.parts)
                        .all(|((_, t), v)| self.has_value(t, v))
            }
            (Type::Set(inner), Value::Set(items)) | (Type::List(inner), Value::List(items)) => {
                items.iter().all(|v| self.has_value(inner, v))
            }
            _ => false,
        }
    }

    /// Returns true if all values of one type are values of another. May return false although they are, if the
    /// comparison would take more than 4,096 values.
    pub fn is_within(&self, ty: &Type, of: &Type) -> bool {
        match (ty, of) {
            _ if ty == of => true,
            (Type::Never, _) => true,
            (Type::Int(low, high), Type::Int(least, most)) => low > high || least <= low && high <= most,
            (Type::Subset(among), _) => among.values.iter().all(|value| self.has_value(of, value)),
            (Type::Option(ty), Type::Option(of)) => self.is_within(ty, of),
            (_, Type::Option(of)) if !matches!(ty, Type::Option(_)) => self.is_within(ty, of),
            (_, Type::Subset(_)) => self.type_values(ty, MAX_COMPARED_VALUES).is_some_and(|values| {
                !values.is_empty() && values.iter().all(|value| self.has_value(of, value))
            }),
            (Type::Set(ty), Type::Set(of)) | (Type::List(ty), Type::List(of)) => self.is_within(ty, of),
            (Type::Tuple(types), Type::Tuple(others)) => {
                types.len() == others.len()
                    && types.iter().zip(others.iter()).all(|(ty, of)| self.is_within(ty, of))
            }
            _ => false,
        }
    }

    /// Renders a type in the language's syntax.
    pub fn show_type(&self, ty: &Type) -> String {
        match ty {
            Type::Never => "nothing".into(),
            Type::Bool => "bool".into(),
            Type::Int(lo, hi) if *lo == i64::MIN || *hi == i64::MAX => "whole number".into(),
            Type::Int(lo, hi) => format!("{lo}..{hi}"),
            Type::Sym(id) => self.enums[*id].name.clone(),
            Type::Tuple(parts) => {
                format!("({})", parts.iter().map(|t| self.show_type(t)).collect::<Vec<_>>().join(", "))
            }
            Type::Record(id) => self.records[*id].name.clone(),
            Type::Option(inner) if **inner == Type::Never => "none".into(),
            Type::Option(inner) => format!("{}?", self.show_type(inner)),
            Type::Set(inner) => format!("set of {}", self.show_type(inner)),
            Type::List(inner) => format!("list of {}", self.show_type(inner)),
            Type::Subset(among) => self.show(&Value::Set(Arc::new(among.values.clone()))),
            Type::Ratio => "number".into(),
            Type::Text => "text".into(),
            Type::Error => "?".into(),
        }
    }

    /// Renders a value in the language's syntax.
    pub fn show(&self, value: &Value) -> String {
        let list = |items: &[Value]| items.iter().map(|v| self.show(v)).collect::<Vec<_>>().join(", ");
        match value {
            Value::None => "none".into(),
            Value::Bool(b) => b.to_string(),
            Value::Int(i) => i.to_string(),
            Value::Sym(id, index) => self.enums[*id]
                .members
                .get(*index as usize)
                .cloned()
                .unwrap_or_else(|| format!("{id}#{index}")),
            Value::Tuple(tuple) => {
                let name = tuple.record.map_or("", |r| &self.records[r].name);
                format!("{name}({})", list(&tuple.parts))
            }
            Value::Set(items) if items.is_empty() => "{}".into(),
            Value::Set(items) => format!("{{ {} }}", list(items)),
            Value::List(items) => format!("[{}]", list(items)),
            Value::Ratio(r) => r.to_string(),
            Value::Text(text) => quoted(text),
        }
    }
}

/// A string in quotes on one line, as a file of rules may contain it. A tab and a carriage return become blanks.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            _ if c.is_control() => out.push(' '),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Adds the sets that begin with some elements and go on with later ones of a sorted list, in the order of sets.
fn add_subsets(later: &[Value], begun: &mut Vec<Value>, sets: &mut Vec<Value>) {
    sets.push(Value::set(begun.iter().cloned()));
    for (place, element) in later.iter().enumerate() {
        begun.push(element.clone());
        add_subsets(&later[place + 1..], begun, sets);
        begun.pop();
    }
}
