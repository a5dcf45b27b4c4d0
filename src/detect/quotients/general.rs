//! Misere quotients of any form, computed from the outcomes of sums of components.
//!
//! Technique: component types are taken in order. One that behaves like a product of those before it, in all sums with
//! the tests, stands for that product; any other is a new generator, written as a vector of exponents. The elements are
//! the classes of vectors that have the same outcomes in all sums with the tests, which are the vectors of small
//! exponents. A type that later tests tell apart from its product becomes a generator as well. If the checker refuses the quotient, larger exponents may tell more vectors apart.
//! Source: Plambeck, "Taming the wild in impartial combinatorial games" (2005); Plambeck and Siegel, "Misere quotients
//! for impartial games" (2008). The classes are found as the states of an automaton are in Angluin (1987).
//! Cost: the number of types times tests; there are at most 8 generators and 64 elements.
//! Not taken: a proof that the tests suffice, since the checker tests all sums.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Quotient;
use crate::decomposition::ComponentTypes;
use bouton_base::limits::Limits;

/// The maximal number of generators, one less than the length of a vector: the last entry is for the type under test.
const MAX_GENERATORS: usize = 7;
/// The maximal number of elements of a quotient.
const MAX_ELEMENTS: usize = 64;
/// The maximal number of tests.
const MAX_TESTS: usize = 4096;
/// The maximal number of vectors whose outcomes are kept.
const MAX_OUTCOMES: usize = 1 << 21;
/// The maximal number of copies of a type in the sums that compare it with elements.
const MAX_COPIES: u8 = 2;

/// A sum of generators: how often each one occurs.
type Vector = [u8; MAX_GENERATORS + 1];

const ZERO: Vector = [0; MAX_GENERATORS + 1];

/// The outcomes of a vector in sums with all tests.
type Outcomes = Rc<[bool]>;

/// Computes the quotient of misere play for these types, with tests of exponents up to `exponent`; `None` if it is too
/// large for the limits, or for a table of its products.
pub fn general(types: &ComponentTypes, exponent: u8, limits: &Limits) -> Option<Quotient> {
    let mut generators = FxHashSet::default();
    // Each round makes one more type a generator.
    for _ in 0..=MAX_GENERATORS {
        let mut assigned = Assignment::of(types, &generators, exponent, limits)?;
        match assigned.wrong_type()? {
            Some(number) => {
                generators.insert(number);
            }
            None => {
                return assigned
                    .elements
                    .quotient(&mut assigned.search, assigned.types.iter().map(|of| of.vector));
            }
        }
    }
    None
}

/// A type with the vector that it stands for.
struct AssignedType {
    options: Vec<Vector>,
    vector: Vector,
    is_generator: bool,
}

/// The types as vectors of generators.
struct Assignment<'l> {
    search: GeneralSearch<'l>,
    elements: Elements,
    types: Vec<AssignedType>,
}

impl<'l> Assignment<'l> {
    /// Assigns vectors to the types in order; those with the numbers in `generators` are generators in any case.
    fn of(
        types: &ComponentTypes,
        generators: &FxHashSet<usize>,
        exponent: u8,
        limits: &'l Limits,
    ) -> Option<Assignment<'l>> {
        let mut search = GeneralSearch { options: Vec::new(), lost: FxHashMap::default(), limits };
        let mut elements = Elements::of(&mut search, exponent)?;
        let mut assigned: Vec<AssignedType> = Vec::with_capacity(types.list.len());
        for (number, of) in types.list.iter().enumerate() {
            let sum = |option: &Vec<u32>| {
                let vector = |number: u32| assigned.get(number as usize).map(|of| &of.vector);
                option.iter().try_fold(ZERO, |all, &number| add(&all, vector(number)?))
            };
            let options = of.options.iter().map(sum).collect::<Option<FxHashSet<Vector>>>()?;
            let mut options: Vec<Vector> = options.into_iter().collect();
            options.sort_unstable();
            let known = match generators.contains(&number) {
                true => None,
                false => search.like(&options, &elements)?,
            };
            let vector = match known {
                Some(vector) => vector,
                None => {
                    let generator = search.options.len();
                    (generator < MAX_GENERATORS).then(|| search.options.push(options.clone()))?;
                    elements = Elements::of(&mut search, exponent)?;
                    unit(generator)
                }
            };
            assigned.push(AssignedType { options, vector, is_generator: known.is_none() });
        }
        Some(Assignment { search, elements, types: assigned })
    }

    /// The number of the first type that the final tests tell apart from the vector that it stands for; the inner
    /// `None` if there is none.
    fn wrong_type(&mut self) -> Option<Option<usize>> {
        for (number, of) in self.types.iter().enumerate() {
            if !of.is_generator && !self.search.behaves_like(&of.options, &of.vector, &self.elements.tests)? {
                return Some(Some(number));
            }
        }
        Some(None)
    }
}

fn unit(generator: usize) -> Vector {
    let mut vector = ZERO;
    vector[generator] = 1;
    vector
}

fn add(one: &Vector, other: &Vector) -> Option<Vector> {
    let mut sum = *one;
    for (entry, &more) in sum.iter_mut().zip(other) {
        *entry = entry.checked_add(more)?;
    }
    Some(sum)
}

/// The generators so far, with the outcomes of their sums.
struct GeneralSearch<'l> {
    /// The options of each generator, as vectors of the generators before it.
    options: Vec<Vec<Vector>>,
    /// True for the sums that are lost for the player to move.
    lost: FxHashMap<Vector, bool>,
    limits: &'l Limits,
}

impl GeneralSearch<'_> {
    /// Returns true if a sum is lost for the player to move; `None` if that takes too long.
    fn is_lost(&mut self, vector: &Vector) -> Option<bool> {
        if let Some(&known) = self.lost.get(vector) {
            return Some(known);
        }
        if self.lost.len() >= MAX_OUTCOMES || self.limits.check().is_some() {
            return None;
        }
        // In misere play, the player who cannot move wins.
        let (mut moves, mut found) = (false, false);
        for generator in 0..self.options.len() {
            if vector[generator] == 0 {
                continue;
            }
            let mut rest = *vector;
            rest[generator] -= 1;
            for at in 0..self.options[generator].len() {
                moves = true;
                let after = add(&rest, &self.options[generator][at])?;
                found |= self.is_lost(&after)?;
                if found {
                    break;
                }
            }
            if found {
                break;
            }
        }
        let lost = moves && !found;
        self.lost.insert(*vector, lost);
        Some(lost)
    }

    /// The element that a type with these options behaves like; the inner `None` if there is none.
    fn like(&mut self, options: &[Vector], elements: &Elements) -> Option<Option<Vector>> {
        for (vector, _) in &elements.list {
            if self.behaves_like(options, vector, &elements.tests)? {
                return Some(Some(*vector));
            }
        }
        Some(None)
    }

    /// Returns true if one or more copies of a type with these options have the outcomes of as many copies of a vector,
    /// in sums with all tests.
    fn behaves_like(&mut self, options: &[Vector], vector: &Vector, tests: &[Vector]) -> Option<bool> {
        let generator = self.options.len();
        self.options.push(options.to_vec());
        let found = self.generator_behaves_like(generator, vector, tests);
        self.options.pop();
        self.lost.retain(|vector, _| vector[generator] == 0);
        found
    }

    fn generator_behaves_like(
        &mut self,
        generator: usize,
        vector: &Vector,
        tests: &[Vector],
    ) -> Option<bool> {
        for copies in 1..=MAX_COPIES {
            for test in tests {
                let (mut own, mut sum) = (*test, *test);
                own[generator] = copies;
                for _ in 0..copies {
                    sum = add(&sum, vector)?;
                }
                if self.is_lost(&own)? != self.is_lost(&sum)? {
                    return Some(false);
                }
            }
        }
        Some(true)
    }
}

/// The elements of the quotient of some generators: a vector of each, with its outcomes.
struct Elements {
    tests: Vec<Vector>,
    list: Vec<(Vector, Outcomes)>,
    numbers: FxHashMap<Outcomes, u8>,
}

impl Elements {
    /// Finds the elements; `None` if there are too many.
    fn of(search: &mut GeneralSearch<'_>, exponent: u8) -> Option<Elements> {
        let mut tests = vec![ZERO];
        for generator in 0..search.options.len() {
            let with = |power: u8| {
                tests.iter().map(move |test| {
                    let mut test = *test;
                    test[generator] = power;
                    test
                })
            };
            tests = (0..=exponent).flat_map(with).collect();
            if tests.len() > MAX_TESTS {
                return None;
            }
        }
        let mut elements = Elements { tests, list: Vec::new(), numbers: FxHashMap::default() };
        elements.number(search, &ZERO)?;
        let mut done = 0;
        while done < elements.list.len() {
            for generator in 0..search.options.len() {
                let next = add(&elements.list[done].0, &unit(generator))?;
                elements.number(search, &next)?;
            }
            done += 1;
        }
        Some(elements)
    }

    /// The number of the element of a vector, a new one if its outcomes are new; `None` if there are too many.
    fn number(&mut self, search: &mut GeneralSearch<'_>, vector: &Vector) -> Option<u8> {
        let outcome = |test: &Vector| search.is_lost(&add(vector, test)?);
        let outcomes: Outcomes = self.tests.iter().map(outcome).collect::<Option<Vec<bool>>>()?.into();
        if let Some(&known) = self.numbers.get(&outcomes) {
            return Some(known);
        }
        let number = u8::try_from(self.list.len()).ok().filter(|&n| usize::from(n) < MAX_ELEMENTS)?;
        self.numbers.insert(Rc::clone(&outcomes), number);
        self.list.push((*vector, outcomes));
        Some(number)
    }

    /// The table of products, and the element of each type, given as a vector.
    fn quotient(
        mut self,
        search: &mut GeneralSearch<'_>,
        types: impl Iterator<Item = Vector>,
    ) -> Option<Quotient> {
        let vectors: Vec<Vector> = self.list.iter().map(|(vector, _)| *vector).collect();
        let size = vectors.len();
        let mut products = Vec::with_capacity(size);
        for one in &vectors {
            let row = vectors.iter().map(|other| self.number(search, &add(one, other)?));
            products.push(row.collect::<Option<Vec<u8>>>()?);
        }
        let elements = types.map(|vector| self.number(search, &vector)).collect::<Option<Vec<u8>>>()?;
        // The elements are closed under products, so none was added.
        if self.list.len() > size {
            return None;
        }
        let is_lost = |vector: &Vector| search.is_lost(vector);
        let lost = vectors.iter().map(is_lost).collect::<Option<Vec<bool>>>()?;
        let lost = (0..size as u8).filter(|&element| lost[usize::from(element)]).collect();
        Some(Quotient { products, lost, elements })
    }
}
