//! Substitution in formulas: renaming of fluents, assignment of a value to a fluent, regression over a move; and the
//! support of a formula.

use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{Formula, FormulaNode, Formulas, NameId, Subject, Values, value_numbers};
use super::{FluentId, FluentUpdate};
use bouton_base::id::Id;

/// A map of fluents and their values. *Invariant:* the values of a fluent map one to one to those of its image, which
/// has the same number of values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Renaming {
    /// By fluent.
    pub fluents: Vec<FluentId>,
    /// By fluent and value number.
    pub values: Vec<Vec<u8>>,
}

impl Renaming {
    /// Returns the identity on the same fluents.
    pub fn identity(like: &Renaming) -> Renaming {
        Renaming {
            fluents: (0..like.fluents.len()).map(FluentId::new).collect(),
            values: like.values.iter().map(|values| (0..values.len() as u8).collect()).collect(),
        }
    }

    /// Returns the image of a position.
    pub fn image(&self, position: &[u8]) -> Vec<u8> {
        let mut image = position.to_vec();
        for (fluent, &value) in position.iter().enumerate() {
            image[self.fluents[fluent].index()] = self.values[fluent][usize::from(value)];
        }
        image
    }
}

/// The replacement of a literal.
type LiteralMap<'l> = &'l dyn Fn(&mut Formulas, FluentId, Values) -> Formula;

/// The replacement of a name; `None` refuses self-referential formulas.
type NameMap<'l> = &'l dyn Fn(NameId) -> Option<NameId>;

impl Formulas {
    /// Returns the formula with renamed fluents; `None` for a self-referential formula.
    pub fn rename(&mut self, formula: Formula, by: &Renaming) -> Option<Formula> {
        self.rebuilt(formula, &mut FxHashMap::default(), &|formulas, f, v| formulas.moved(f, v, by), &|_| {
            None
        })
    }

    /// Returns a literal with its fluent renamed.
    fn moved(&mut self, fluent: FluentId, values: Values, by: &Renaming) -> Formula {
        let there = by.fluents[fluent.index()];
        let map = &by.values[fluent.index()];
        let moved = value_numbers(values).fold(0, |all, value| all | 1 << map[value as usize]);
        let subject = self.fluent(there, map.len());
        self.lit(subject, moved)
    }

    /// Returns true if the form of the formulas shows that the first formula of each pair, with fluents renamed, is
    /// equivalent to the second. Partition refinement on the bodies of the names separates names until the partition
    /// is stable (as for states of an automaton: Hopcroft 1971). Names of one class are equivalent because they are
    /// least fixpoints: by induction on the rounds of the fixpoint iteration, every step that derives one also derives
    /// the other.
    pub fn are_equivalent_renamed(&mut self, pairs: &[(Formula, Formula)], by: &Renaming) -> bool {
        let bodies: Vec<Formula> = self.names().map(|(_, body)| body).collect();
        // The class of each name, with fluents renamed and as it is. Each class has a name of its own as token.
        let mut classes = vec![[0; 2]; bodies.len()];
        let mut tokens: Vec<NameId> = Vec::new();
        let mut known: [FxHashMap<Formula, Formula>; 2];
        let renaming = |side: usize| (side == 0).then_some(by);
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
                    let Some(form) = self.side(*body, renaming(side), &mut known[side], &token) else {
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
                self.side(of, renaming(side), &mut known[side], &token)
            });
            one.is_some() && one == other
        })
    }

    /// Returns a formula with its names replaced, and with its fluents renamed if there is a renaming.
    fn side(
        &mut self,
        formula: Formula,
        by: Option<&Renaming>,
        known: &mut FxHashMap<Formula, Formula>,
        name: NameMap<'_>,
    ) -> Option<Formula> {
        match by {
            Some(by) => self.rebuilt(formula, known, &|formulas, f, v| formulas.moved(f, v, by), name),
            None => self.rebuilt(formula, known, &|formulas, f, v| formulas.literal(f, v), name),
        }
    }

    /// Returns the formula with this value substituted for a fluent; `None` for a self-referential formula.
    pub fn substitute(&mut self, formula: Formula, fluent: FluentId, value: u8) -> Option<Formula> {
        let put_in = |formulas: &mut Formulas, of: FluentId, values: Values| {
            if of == fluent {
                return if values >> value & 1 == 1 { super::TRUE } else { super::FALSE };
            }
            formulas.literal(of, values)
        };
        self.rebuilt(formula, &mut FxHashMap::default(), &put_in, &|_| None)
    }

    /// Regresses a formula over a move: returns the condition on the position before the move, where the move is
    /// legal; `None` for a self-referential formula.
    pub fn regress(&mut self, formula: Formula, becomes: &[FluentUpdate]) -> Option<Formula> {
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

    /// Returns a literal of a fluent that already is a subject.
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
        literal: LiteralMap<'_>,
        name: NameMap<'_>,
    ) -> Option<Formula> {
        if let Some(&known) = known.get(&formula) {
            return Some(known);
        }
        let rebuilt = match self.node(formula).clone() {
            FormulaNode::False | FormulaNode::True => formula,
            FormulaNode::Name(of, holds) => self.name_literal(name(of)?, holds),
            FormulaNode::And(parts) => {
                let parts: Option<Vec<Formula>> =
                    parts.iter().map(|&part| self.rebuilt(part, known, literal, name)).collect();
                self.and(parts?)
            }
            FormulaNode::Or(parts) => {
                let parts: Option<Vec<Formula>> =
                    parts.iter().map(|&part| self.rebuilt(part, known, literal, name)).collect();
                self.or(parts?)
            }
            FormulaNode::Lit(subject, values) => match self.subject(subject).0.clone() {
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

    /// Adds the fluents that a formula depends on, names and counts included.
    pub fn collect_fluents(&self, formula: Formula, found: &mut FxHashSet<FluentId>) {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![formula];
        while let Some(formula) = waiting.pop() {
            if !seen.insert(formula) {
                continue;
            }
            match self.node(formula) {
                FormulaNode::False | FormulaNode::True => {}
                FormulaNode::And(parts) | FormulaNode::Or(parts) => waiting.extend(parts.iter().copied()),
                FormulaNode::Name(name, _) => waiting.push(self.definition(*name)),
                FormulaNode::Lit(subject, _) => match self.subject(*subject).0 {
                    Subject::Fluent(fluent) => {
                        found.insert(*fluent);
                    }
                    Subject::Count(of) => waiting.extend(of.iter().copied()),
                },
            }
        }
    }
}
