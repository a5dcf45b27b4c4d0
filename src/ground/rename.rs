//! Formulas of other formulas: with fluents renamed, with the value of a fluent put in, and what they speak of.

use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{Formula, Formulas, NameId, Node, Subject, Values, numbers};
use super::{Becomes, FluentId};
use crate::base::id::Id;

/// Where fluents and their values go. *Invariant:* the values of a fluent go one to one to those of its image, which has
/// as many.
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

/// What becomes of a name; none where formulas about themselves are not rebuilt.
type OfName<'l> = &'l dyn Fn(NameId) -> Option<NameId>;

impl Formulas {
    /// The formula with fluents renamed; none for a formula about itself.
    pub fn renamed(&mut self, formula: Formula, by: &Renaming) -> Option<Formula> {
        self.rebuilt(formula, &mut FxHashMap::default(), &|formulas, f, v| formulas.moved(f, v, by), &|_| {
            None
        })
    }

    /// A literal with its fluent renamed.
    fn moved(&mut self, fluent: FluentId, values: Values, by: &Renaming) -> Formula {
        let there = by.fluents[fluent.index()];
        let map = &by.values[fluent.index()];
        let moved = numbers(values).fold(0, |all, value| all | 1 << map[value as usize]);
        let subject = self.fluent(there, map.len());
        self.lit(subject, moved)
    }

    /// Whether the first formula of each pair, with fluents renamed, says what the second says, as far as their forms
    /// show. Names are told apart by what they stand for, round by round, until no round tells more of them apart (as
    /// states of an automaton are: Hopcroft 1971). Names of one class hold together, being least fixpoints: from nothing,
    /// round by round, what derives one derives the other.
    pub fn are_renamed(&mut self, pairs: &[(Formula, Formula)], by: &Renaming) -> bool {
        let bodies: Vec<Formula> = self.names().map(|(_, body)| body).collect();
        // By name, with fluents renamed and as it is: its class, which has a name of its own.
        let mut classes = vec![[0; 2]; bodies.len()];
        let mut tokens: Vec<NameId> = Vec::new();
        let mut known: [FxHashMap<Formula, Formula>; 2];
        loop {
            let count = 1 + classes.iter().flatten().copied().max().unwrap_or(0);
            while tokens.len() < count {
                tokens.push(self.name().0);
            }
            known = Default::default();
            let mut finer: FxHashMap<(usize, Formula), usize> = FxHashMap::default();
            let mut next = classes.clone();
            for (name, body) in bodies.iter().enumerate() {
                for side in 0..2 {
                    let token = |of: NameId| Some(tokens[classes[of.index()][side]]);
                    let Some(form) = self.side(*body, (side, by), &mut known[side], &token) else {
                        return false;
                    };
                    let fresh = finer.len();
                    next[name][side] = *finer.entry((classes[name][side], form)).or_insert(fresh);
                }
            }
            if finer.len() <= count {
                break;
            }
            classes = next;
        }
        pairs.iter().all(|(one, other)| {
            let [one, other] = [(*one, 0), (*other, 1)].map(|(of, side): (Formula, usize)| {
                let token = |of: NameId| Some(tokens[classes[of.index()][side]]);
                self.side(of, (side, by), &mut known[side], &token)
            });
            one.is_some() && one == other
        })
    }

    /// A formula with other names: on the first side with fluents renamed, on the second as it is.
    fn side(
        &mut self,
        formula: Formula,
        (side, by): (usize, &Renaming),
        known: &mut FxHashMap<Formula, Formula>,
        name: OfName<'_>,
    ) -> Option<Formula> {
        match side {
            0 => self.rebuilt(formula, known, &|formulas, f, v| formulas.moved(f, v, by), name),
            _ => self.rebuilt(formula, known, &|formulas, f, v| formulas.literal(f, v), name),
        }
    }

    /// The formula where a fluent has this value; none for a formula about itself.
    pub fn assuming(&mut self, formula: Formula, fluent: FluentId, value: u8) -> Option<Formula> {
        let put_in = |formulas: &mut Formulas, of: FluentId, values: Values| {
            if of == fluent {
                return if values >> value & 1 == 1 { super::TRUE } else { super::FALSE };
            }
            formulas.literal(of, values)
        };
        self.rebuilt(formula, &mut FxHashMap::default(), &put_in, &|_| None)
    }

    /// The formula in the position after a move, in terms of the position before it, where the move is legal; none for a
    /// formula about itself.
    pub fn after(&mut self, formula: Formula, becomes: &[Becomes]) -> Option<Formula> {
        let made = |formulas: &mut Formulas, of: FluentId, values: Values| match becomes
            .iter()
            .find(|becomes| becomes.fluent == of)
        {
            Some(becomes) => {
                let those = becomes.values.iter().filter(|(value, _)| values >> value & 1 == 1);
                formulas.or(those.map(|(_, when)| *when))
            }
            None => formulas.literal(of, values),
        };
        self.rebuilt(formula, &mut FxHashMap::default(), &made, &|_| None)
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
        name: OfName<'_>,
    ) -> Option<Formula> {
        if let Some(&known) = known.get(&formula) {
            return Some(known);
        }
        let rebuilt = match self.node(formula).clone() {
            Node::False | Node::True => formula,
            Node::Name(of, holds) => self.named_so(name(of)?, holds),
            Node::And(parts) => {
                let parts: Option<Vec<Formula>> =
                    parts.iter().map(|&part| self.rebuilt(part, known, literal, name)).collect();
                self.and(parts?)
            }
            Node::Or(parts) => {
                let parts: Option<Vec<Formula>> =
                    parts.iter().map(|&part| self.rebuilt(part, known, literal, name)).collect();
                self.or(parts?)
            }
            Node::Lit(subject, values) => match self.subject(subject).0.clone() {
                Subject::Fluent(fluent) => literal(self, fluent, values),
                Subject::Count(of) => {
                    let of: Option<Vec<Formula>> =
                        of.iter().map(|&part| self.rebuilt(part, known, literal, name)).collect();
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
