//! Values as the evaluator holds them: scalars and small sets in two words, all others behind a pointer.
//!
//! Every value has one compact form, so compact values are equal if and only if the values are. The content of each
//! variant is one word, so that the compiler passes compact values in registers.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use bouton_base::rational::Rational;

use bouton_rules::{EnumId, PLAYER, SetOp, Tuple, Value};

/// A value in its compact form.
#[derive(Clone, Debug)]
pub enum Compact {
    None,
    False,
    True,
    Int(i64),
    Sym(Member),
    /// A set of members of one enum, each below [`Few::LIMIT`].
    Few(Few),
    /// A set of members of one enum, each below [`Members::LIMIT`] and one of them not below [`Few::LIMIT`].
    Many(Arc<(EnumId, Members)>),
    Tuple(Arc<Tuple>),
    /// Any other set.
    Set(Arc<Vec<Value>>),
    List(Arc<Vec<Value>>),
    Ratio(Arc<Rational>),
    /// A string, which rules only print.
    Text(Arc<Arc<str>>),
}

/// A member of an enum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Member(u64);

impl Member {
    pub fn of(self) -> EnumId {
        EnumId((self.0 >> 32) as u32)
    }

    pub fn number(self) -> u32 {
        self.0 as u32
    }
}

/// A set of members of one enum, as bits, with the enum above them. The enum of the empty set has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Few(u64);

impl Few {
    /// The least number that no set contains.
    pub const LIMIT: u32 = 48;
    const BITS: u64 = (1 << Few::LIMIT) - 1;

    pub fn of(self) -> EnumId {
        EnumId((self.0 >> Few::LIMIT) as u32)
    }

    fn bits(self) -> u64 {
        self.0 & Few::BITS
    }

    pub fn is_empty(self) -> bool {
        self.bits() == 0
    }
}

/// A set of numbers below 128.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Members([u64; 2]);

impl Members {
    /// The least number that no set contains.
    pub const LIMIT: u32 = 128;

    /// The set of the numbers of the bits that are 1.
    pub fn from_bits(bits: u128) -> Members {
        Members([bits as u64, (bits >> 64) as u64])
    }

    pub fn bits(self) -> u128 {
        u128::from(self.0[0]) | u128::from(self.0[1]) << 64
    }

    pub fn is_empty(self) -> bool {
        self.0 == [0, 0]
    }

    pub fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize
    }

    pub fn contains(self, number: u32) -> bool {
        number < Self::LIMIT && self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Adds a number; it must be below the limit.
    pub fn insert(&mut self, number: u32) {
        self.0[number as usize / 64] |= 1 << (number % 64);
    }

    /// The numbers in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let word = usize::from(rest.0[0] == 0);
            let bits = rest.0[word];
            rest.0[word] &= bits.wrapping_sub(1);
            (bits != 0).then(|| bits.trailing_zeros() + 64 * word as u32)
        })
    }

    /// The order of sets as lists of their elements.
    fn compare(self, other: Members) -> Ordering {
        let (a, b) = (self.bits(), other.bits());
        if a == b {
            return Ordering::Equal;
        }
        // Up to the least number that is in only one of the sets the lists are equal. There, the other list has a
        // greater number or ends.
        let differs = (a ^ b).trailing_zeros();
        if a >> differs & 1 == 1 {
            if b >> differs == 0 { Ordering::Greater } else { Ordering::Less }
        } else if a >> differs == 0 {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }
}

impl FromIterator<u32> for Members {
    /// The set of these numbers, all below the limit.
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Members {
        let mut members = Members::default();
        numbers.into_iter().for_each(|number| members.insert(number));
        members
    }
}

impl Compact {
    pub fn bool(b: bool) -> Compact {
        if b { Compact::True } else { Compact::False }
    }

    /// A member of an enum.
    #[inline]
    pub fn sym(of: EnumId, number: u32) -> Compact {
        Compact::Sym(Member(u64::from(of.0) << 32 | u64::from(number)))
    }

    pub fn as_sym(&self) -> Option<(EnumId, u32)> {
        match self {
            Compact::Sym(member) => Some((member.of(), member.number())),
            _ => None,
        }
    }

    /// A set of members of an enum.
    pub fn of_members(of: EnumId, members: Members) -> Compact {
        match members.0 {
            [few, 0] if few <= Few::BITS && of.0 < 1 << (64 - Few::LIMIT) => {
                Compact::Few(Few(u64::from(of.0) << Few::LIMIT | few))
            }
            _ => Compact::Many(Arc::new((of, members))),
        }
    }

    /// The members, if it is a set of members of one enum with a short form.
    pub fn as_members(&self) -> Option<(EnumId, Members)> {
        match self {
            Compact::Few(few) => Some((few.of(), Members([few.bits(), 0]))),
            Compact::Many(many) => Some(**many),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Compact::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// The number of elements of a set or list.
    pub fn len(&self) -> Option<usize> {
        match self {
            Compact::Few(few) => Some(few.bits().count_ones() as usize),
            Compact::Many(many) => Some(many.1.len()),
            Compact::Set(items) | Compact::List(items) => Some(items.len()),
            _ => None,
        }
    }

    /// Visits the elements of a set or list in order, until the visitor returns false. Returns false if there are no
    /// elements to visit because this is no set or list.
    pub fn each_element(&self, visit: &mut dyn FnMut(Compact) -> bool) -> bool {
        match self {
            Compact::Few(_) | Compact::Many(_) => {
                if let Some((of, members)) = self.as_members() {
                    members.iter().all(|number| visit(Compact::sym(of, number)));
                }
            }
            Compact::Set(items) | Compact::List(items) => {
                items.iter().all(|item| visit(Compact::from(item)));
            }
            _ => return false,
        }
        true
    }

    /// Returns true if a set or list contains an element.
    pub fn contains(&self, element: &Compact) -> bool {
        match (self, element) {
            (Compact::Few(few), Compact::Sym(member)) => {
                let number = member.number();
                few.of() == member.of() && number < Few::LIMIT && few.bits() >> number & 1 == 1
            }
            (Compact::Many(many), Compact::Sym(member)) => {
                many.0 == member.of() && many.1.contains(member.number())
            }
            (Compact::Set(items), _) => items.binary_search(&element.to_value()).is_ok(),
            (Compact::List(items), _) => items.contains(&element.to_value()),
            _ => false,
        }
    }

    /// Returns true if both are sets or lists and every element of this one is an element of the other.
    pub fn is_subset(&self, of: &Compact) -> bool {
        if let (Some((id, a)), Some((other, b))) = (self.as_members(), of.as_members()) {
            return a.is_empty() || id == other && a.bits() & !b.bits() == 0;
        }
        let mut all = true;
        self.each_element(&mut |element| {
            all = of.contains(&element);
            all
        }) && all
            && of.len().is_some()
    }

    /// An operation on two sets; `None` if one is no set.
    pub fn set_op(&self, op: SetOp, other: &Compact) -> Option<Compact> {
        if let (Some((id, a)), Some((of, b))) = (self.as_members(), other.as_members())
            && (id == of || a.is_empty() || b.is_empty())
        {
            let bits = match op {
                SetOp::Union => a.bits() | b.bits(),
                SetOp::Intersect => a.bits() & b.bits(),
                SetOp::Minus => a.bits() & !b.bits(),
            };
            return Some(Compact::of_members(if a.is_empty() { of } else { id }, Members::from_bits(bits)));
        }
        let (a, b) = (self.as_set()?, other.as_set()?);
        let in_b = |item: &&Value| b.binary_search(item).is_ok();
        let items: Vec<Value> = match op {
            SetOp::Union => a.iter().chain(b.iter()).cloned().collect(),
            SetOp::Intersect => a.iter().filter(in_b).cloned().collect(),
            SetOp::Minus => a.iter().filter(|item| !in_b(item)).cloned().collect(),
        };
        Some(Compact::from(Value::set(items)))
    }

    pub fn is_set(&self) -> bool {
        matches!(self, Compact::Few(_) | Compact::Many(_) | Compact::Set(_))
    }

    /// The elements, if it is a set.
    pub fn as_set(&self) -> Option<Cow<'_, [Value]>> {
        if let Compact::Set(items) = self {
            return Some(items.as_slice().into());
        }
        let (of, members) = self.as_members()?;
        Some(members.iter().map(|number| Value::Sym(of, number)).collect::<Vec<_>>().into())
    }

    /// The value in its plain form.
    pub fn to_value(&self) -> Value {
        match self {
            Compact::None => Value::None,
            Compact::False => Value::Bool(false),
            Compact::True => Value::Bool(true),
            Compact::Int(i) => Value::Int(*i),
            Compact::Sym(member) => Value::Sym(member.of(), member.number()),
            Compact::Few(_) | Compact::Many(_) => {
                Value::Set(Arc::new(self.as_set().unwrap_or_default().into_owned()))
            }
            Compact::Tuple(tuple) => Value::Tuple(tuple.clone()),
            Compact::Set(items) => Value::Set(items.clone()),
            Compact::List(items) => Value::List(items.clone()),
            Compact::Ratio(ratio) => Value::Ratio(ratio.clone()),
            Compact::Text(text) => Value::Text((**text).clone()),
        }
    }
}

/// Returns the members of a set of members of one enum, if all are below the limit.
fn members_of(items: &[Value]) -> Option<(EnumId, Members)> {
    let of = match items.first() {
        None => PLAYER,
        Some(Value::Sym(of, _)) => *of,
        Some(_) => return None,
    };
    let mut members = Members::default();
    for item in items {
        match item {
            Value::Sym(id, number) if *id == of && *number < Members::LIMIT => members.insert(*number),
            _ => return None,
        }
    }
    Some((of, members))
}

impl From<&Value> for Compact {
    fn from(value: &Value) -> Compact {
        match value {
            Value::None => Compact::None,
            Value::Bool(b) => Compact::bool(*b),
            Value::Int(i) => Compact::Int(*i),
            Value::Sym(of, number) => Compact::sym(*of, *number),
            Value::Set(items) => match members_of(items) {
                Some((of, members)) => Compact::of_members(of, members),
                None => Compact::Set(items.clone()),
            },
            Value::Tuple(tuple) => Compact::Tuple(tuple.clone()),
            Value::List(items) => Compact::List(items.clone()),
            Value::Ratio(ratio) => Compact::Ratio(ratio.clone()),
            Value::Text(text) => Compact::Text(Arc::new(text.clone())),
        }
    }
}

impl From<Value> for Compact {
    fn from(value: Value) -> Compact {
        Compact::from(&value)
    }
}

impl PartialEq for Compact {
    fn eq(&self, other: &Compact) -> bool {
        match (self, other) {
            (Compact::None, Compact::None)
            | (Compact::False, Compact::False)
            | (Compact::True, Compact::True) => true,
            (Compact::Int(a), Compact::Int(b)) => a == b,
            (Compact::Sym(a), Compact::Sym(b)) => a == b,
            (Compact::Few(a), Compact::Few(b)) => a.0 == b.0 || a.is_empty() && b.is_empty(),
            (Compact::Many(a), Compact::Many(b)) => a == b,
            (Compact::Tuple(a), Compact::Tuple(b)) => a == b,
            (Compact::Set(a), Compact::Set(b)) | (Compact::List(a), Compact::List(b)) => a == b,
            (Compact::Ratio(a), Compact::Ratio(b)) => a == b,
            (Compact::Text(a), Compact::Text(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Compact {}

impl PartialOrd for Compact {
    fn partial_cmp(&self, other: &Compact) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order of the plain values.
impl Ord for Compact {
    fn cmp(&self, other: &Compact) -> Ordering {
        match (self, other) {
            (Compact::Int(a), Compact::Int(b)) => a.cmp(b),
            (Compact::Sym(a), Compact::Sym(b)) => a.cmp(b),
            _ => match (self.as_members(), other.as_members()) {
                (Some((of, a)), Some((id, b))) if of == id => a.compare(b),
                _ => self.to_value().cmp(&other.to_value()),
            },
        }
    }
}

/// A set under construction.
#[derive(Default)]
pub struct SetBuilder {
    of: Option<EnumId>,
    members: Members,
    /// The elements that do not fit the others; the set then has no short form.
    others: Vec<Value>,
}

impl SetBuilder {
    pub fn insert(&mut self, element: Compact) {
        match element {
            Compact::Sym(member)
                if member.number() < Members::LIMIT && *self.of.get_or_insert(member.of()) == member.of() =>
            {
                self.members.insert(member.number());
            }
            element => self.others.push(element.to_value()),
        }
    }

    pub fn finish(self) -> Compact {
        let of = self.of.unwrap_or(PLAYER);
        if self.others.is_empty() {
            return Compact::of_members(of, self.members);
        }
        let members = self.members.iter().map(|number| Value::Sym(of, number));
        Value::set(self.others.into_iter().chain(members)).into()
    }
}
