//! Formulas of other formulas: with fluents renamed, with the value of a fluent put in, and what they speak of.

use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{Formula, Formulas, Node, Subject, Values, numbers};
use super::{Becomes, FluentId};
use crate::base::id::Id;

/// Where fluents and their values go.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Renaming {
    /// By fluent.
    pub fluents: Vec<FluentId>,
    /// By fluent and value number.
    pub values: Vec<Vec<u8>>,
}

impl Renaming {
    /// The renaming of the same fluents that changes nothing.
    pub fn identity(like: &Renaming) -> Renaming {
        Renaming {
            fluents: (0..like.fluents.len()).map(FluentId::new).collect(),
            values: like.values.iter().map(|values| (0..values.len() as u8).collect()).collect(),
        }
    }

    /// First this one, then the other.
    pub fn then(&self, other: &Renaming) -> Renaming {
        let through = |(fluent, values): (usize, &Vec<u8>)| {
            let to = self.fluents[fluent].index();
            values.iter().map(|&value| other.values[to][usize::from(value)]).collect()
        };
        Renaming {
            fluents: self.fluents.iter().map(|to| other.fluents[to.index()]).collect(),
            values: self.values.iter().enumerate().map(through).collect(),
        }
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        *self == Renaming::identity(self)
    }

    /// The position that it makes of a position.
    pub fn image(&self, position: &[u8]) -> Vec<u8> {
        let mut image = position.to_vec();
        for (fluent, &value) in position.iter().enumerate() {
            image[self.fluents[fluent].index()] = self.values[fluent][usize::from(value)];
        }
        image
    }
}

/// What becomes of a literal.
type OfLiteral<'l> = &'l dyn Fn(&mut Formulas, FluentId, Values) -> Formula;

impl Formulas {
    /// The formula with fluents renamed; none for a formula about itself.
    pub fn renamed(&mut self, formula: Formula, by: &Renaming) -> Option<Formula> {
        self.rebuilt(formula, &mut FxHashMap::default(), &|formulas, fluent, values| {
            let there = by.fluents[fluent.index()];
            let map = &by.values[fluent.index()];
            let moved = numbers(values).fold(0, |all, value| all | 1 << map[value as usize]);
            let subject = formulas.fluent(there, map.len());
            formulas.lit(subject, moved)
        })
    }

    /// The formula where a fluent has this value; none for a formula about itself.
    pub fn assuming(&mut self, formula: Formula, fluent: FluentId, value: u8) -> Option<Formula> {
        self.rebuilt(formula, &mut FxHashMap::default(), &|formulas, of, values| {
            if of == fluent {
                return if values >> value & 1 == 1 { super::TRUE } else { super::FALSE };
            }
            formulas.literal(of, values)
        })
    }

    /// The formula in the position after a move, in terms of the position before it, where the move is legal; none for a
    /// formula about itself.
    pub fn after(&mut self, formula: Formula, becomes: &[Becomes]) -> Option<Formula> {
        self.rebuilt(formula, &mut FxHashMap::default(), &|formulas, of, values| match becomes
            .iter()
            .find(|becomes| becomes.fluent == of)
        {
            Some(becomes) => {
                let those = becomes.values.iter().filter(|(value, _)| values >> value & 1 == 1);
                formulas.or(those.map(|(_, when)| *when))
            }
            None => formulas.literal(of, values),
        })
    }

    /// A literal that is there already.
    fn literal(&mut self, fluent: FluentId, values: Values) -> Formula {
        match self.known_subject(fluent) {
            Some(subject) => self.lit(subject, values),
            None => super::FALSE,
        }
    }

    fn rebuilt(
        &mut self,
        formula: Formula,
        known: &mut FxHashMap<Formula, Formula>,
        literal: OfLiteral<'_>,
    ) -> Option<Formula> {
        if let Some(&known) = known.get(&formula) {
            return Some(known);
        }
        let rebuilt = match self.node(formula).clone() {
            Node::False | Node::True => formula,
            Node::Name(..) => return None,
            Node::And(parts) => {
                let parts: Option<Vec<Formula>> =
                    parts.iter().map(|&part| self.rebuilt(part, known, literal)).collect();
                self.and(parts?)
            }
            Node::Or(parts) => {
                let parts: Option<Vec<Formula>> =
                    parts.iter().map(|&part| self.rebuilt(part, known, literal)).collect();
                self.or(parts?)
            }
            Node::Lit(subject, values) => match self.subject(subject).0.clone() {
                Subject::Fluent(fluent) => literal(self, fluent, values),
                Subject::Count(of) => {
                    let of: Option<Vec<Formula>> =
                        of.iter().map(|&part| self.rebuilt(part, known, literal)).collect();
                    self.count(&of?, values)?
                }
            },
        };
        known.insert(formula, rebuilt);
        Some(rebuilt)
    }

    /// Adds the fluents that a formula speaks of, also by way of names and counts.
    pub fn fluents_of(&self, formula: Formula, found: &mut FxHashSet<FluentId>) {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![formula];
        while let Some(formula) = waiting.pop() {
            if !seen.insert(formula) {
                continue;
            }
            match self.node(formula) {
                Node::False | Node::True => {}
                Node::And(parts) | Node::Or(parts) => waiting.extend(parts.iter().copied()),
                Node::Name(name, _) => waiting.push(self.named(*name)),
                Node::Lit(subject, _) => match self.subject(*subject).0 {
                    Subject::Fluent(fluent) => {
                        found.insert(*fluent);
                    }
                    Subject::Count(of) => waiting.extend(of.iter().copied()),
                },
            }
        }
    }
}
