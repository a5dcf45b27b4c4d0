//! Interned formulas over fluents (hash consing): formulas that are equal after simplification have the same
//! [`Formula`].
//!
//! A *literal* states that a fluent has one of several of its values, so that `at[c] != none` and `at[c] in { X, O }`
//! are one literal. Negation is pushed inwards to literals and named formulas. A conjunction holds its parts flat, in
//! order, without repetition, and with one literal for each fluent; parts of a disjunction in it that the other
//! conjuncts decide are removed. A disjunction is the dual. No rule depends on the order in which fluents or values
//! are numbered, so a renaming of fluents and values maps a formula to the formula of the renamed parts.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::FluentId;
use bouton_base::cancel;
use bouton_base::define_id;
use bouton_base::id::{Id, IdVec};
use bouton_base::limits::Fuel;

define_id!(Formula, "g", "A formula.");
define_id!(SubjectId, "s", "What a literal speaks of.");
define_id!(NameId, "n", "A named formula, which may be about itself.");

/// The formula that never holds.
pub const FALSE: Formula = Formula(0);
/// The formula that always holds.
pub const TRUE: Formula = Formula(1);

/// A set of values of a subject, as a bit set of their numbers.
pub type Values = u128;

/// The maximal number of values of a subject.
pub const MAX_VALUES: usize = 128;

/// The subject of a literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// The value of a fluent.
    Fluent(FluentId),
    /// The number of these formulas that hold. They are in order, repeated ones as often as they count.
    Count(Box<[Formula]>),
}

/// The head of a formula, with its parts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FormulaNode {
    /// Holds nowhere.
    False,
    /// Holds everywhere.
    True,
    /// The subject has one of these values; never all, never none.
    Lit(SubjectId, Values),
    /// All of these hold; at least two.
    And(Box<[Formula]>),
    /// One of these holds; at least two.
    Or(Box<[Formula]>),
    /// The least fixpoint of this name holds (true), or does not (false).
    Name(NameId, bool),
}

/// A table of formulas.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: IdVec<Formula, FormulaNode>,
    known: FxHashMap<FormulaNode, Formula>,
    negations: FxHashMap<Formula, Formula>,
    subjects: IdVec<SubjectId, (Subject, u32)>,
    known_subjects: FxHashMap<Subject, SubjectId>,
    names: IdVec<NameId, Formula>,
    /// The names by stratum, once computed.
    strata: OnceLock<Vec<Vec<NameId>>>,
    /// The total number of parts of the nodes.
    parts: usize,
    /// The number of visited parts.
    work: u64,
    /// The limit on `work` while rules are grounded.
    most: Option<WorkLimit>,
}

/// A limit on the work of grounding.
#[derive(Clone, Debug)]
struct WorkLimit {
    work: u64,
    patience: Arc<Fuel>,
}

impl Default for Formulas {
    fn default() -> Self {
        let mut formulas = Formulas {
            nodes: IdVec::new(),
            known: FxHashMap::default(),
            negations: FxHashMap::default(),
            subjects: IdVec::new(),
            known_subjects: FxHashMap::default(),
            names: IdVec::new(),
            strata: OnceLock::new(),
            parts: 0,
            work: 0,
            most: None,
        };
        formulas.intern(FormulaNode::False);
        formulas.intern(FormulaNode::True);
        formulas
    }
}

impl Formulas {
    /// Returns the node of a formula.
    pub fn node(&self, formula: Formula) -> &FormulaNode {
        &self.nodes[formula]
    }

    /// Returns the number of formulas; they are numbered from 0.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there is no formula. It never does: `FALSE` and `TRUE` are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the size of the table: formulas and their parts.
    pub fn size(&self) -> usize {
        self.nodes.len() + self.parts
    }

    /// Returns the number of parts of formulas that were visited so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Sets a limit on visited parts and time. Past it formulas have no meaning any more, and
    /// [`is_exhausted`](Self::is_exhausted) returns true.
    pub(super) fn set_work_limit(&mut self, work: u64, patience: Arc<Fuel>) {
        self.most = Some(WorkLimit { work, patience });
    }

    /// Removes the limit.
    pub(super) fn clear_work_limit(&mut self) {
        self.most = None;
    }

    /// Returns true if the limit is exceeded.
    pub(super) fn is_exhausted(&self) -> bool {
        self.most.as_ref().is_some_and(|most| self.work > most.work || most.patience.is_exhausted())
    }

    /// Counts visited parts; returns true if the limit is exceeded.
    fn spend(&mut self, parts: u64) -> bool {
        self.work += parts;
        self.most.as_ref().is_some_and(|most| self.work > most.work || most.patience.spend(parts))
    }

    /// Returns the subject of a literal and the number of its values.
    pub fn subject(&self, subject: SubjectId) -> (&Subject, u32) {
        let (subject, size) = &self.subjects[subject];
        (subject, *size)
    }

    /// Iterates over the names with their formulas; a name is the least fixpoint of its formula.
    pub fn names(&self) -> impl Iterator<Item = (NameId, Formula)> {
        self.names.entries().map(|(id, formula)| (id, *formula))
    }

    /// Returns the formula of a name.
    pub fn definition(&self, name: NameId) -> Formula {
        self.names[name]
    }

    fn intern(&mut self, node: FormulaNode) -> Formula {
        cancel::step();
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        if let FormulaNode::And(parts) | FormulaNode::Or(parts) = &node {
            self.parts += parts.len();
        }
        let formula = self.nodes.push(node.clone());
        self.known.insert(node, formula);
        formula
    }

    /// Returns the fluent as a subject with `size` values.
    pub fn fluent(&mut self, fluent: FluentId, size: usize) -> SubjectId {
        self.add_subject(Subject::Fluent(fluent), size as u32)
    }

    /// Returns the fluent as a subject, if it already is one.
    pub(super) fn known_subject(&self, fluent: FluentId) -> Option<SubjectId> {
        self.known_subjects.get(&Subject::Fluent(fluent)).copied()
    }

    fn add_subject(&mut self, subject: Subject, size: u32) -> SubjectId {
        if let Some(&known) = self.known_subjects.get(&subject) {
            return known;
        }
        if let Subject::Count(of) = &subject {
            self.parts += of.len();
        }
        let id = self.subjects.push((subject.clone(), size));
        self.known_subjects.insert(subject, id);
        id
    }

    /// Returns the literal that the subject has one of these values.
    pub fn lit(&mut self, subject: SubjectId, values: Values) -> Formula {
        let all = all_values(self.subjects[subject].1);
        match values & all {
            0 => FALSE,
            values if values == all => TRUE,
            values => self.intern(FormulaNode::Lit(subject, values)),
        }
    }

    /// Returns the formula that the number of these formulas that hold is in `numbers`; `None` if there are too many
    /// to count.
    pub fn count(&mut self, of: &[Formula], numbers: Values) -> Option<Formula> {
        let certain = of.iter().filter(|&&f| f == TRUE).count();
        let mut open: Vec<Formula> = of.iter().copied().filter(|&f| f != TRUE && f != FALSE).collect();
        if open.len() >= MAX_VALUES || certain >= MAX_VALUES {
            return None;
        }
        let numbers = numbers >> certain;
        if let [only] = open[..] {
            let not = self.not(only);
            return Some(match (numbers & 1 == 1, numbers >> 1 & 1 == 1) {
                (true, true) => TRUE,
                (true, false) => not,
                (false, true) => only,
                (false, false) => FALSE,
            });
        }
        if open.is_empty() {
            return Some(if numbers & 1 == 1 { TRUE } else { FALSE });
        }
        let (none, every) = (1, 1u128 << open.len());
        match numbers & all_values(open.len() as u32 + 1) {
            only if only == none => {
                let nots: Vec<Formula> = open.iter().map(|&f| self.not(f)).collect();
                return Some(self.and(nots));
            }
            only if only == every => return Some(self.and(open)),
            _ => {}
        }
        open.sort_unstable();
        let size = open.len() as u32 + 1;
        let subject = self.add_subject(Subject::Count(open.into()), size);
        Some(self.lit(subject, numbers))
    }

    /// Adds a name that is not yet defined; returns it and the formula that it holds.
    pub fn name(&mut self) -> (NameId, Formula) {
        let name = self.names.push(FALSE);
        (name, self.intern(FormulaNode::Name(name, true)))
    }

    /// Returns the formula that a name holds, or that it does not.
    pub fn name_literal(&mut self, name: NameId, holds: bool) -> Formula {
        self.intern(FormulaNode::Name(name, holds))
    }

    /// Defines a name.
    pub fn define(&mut self, name: NameId, formula: Formula) {
        self.names[name] = formula;
        self.strata.take();
    }

    /// Returns the names by stratum (Apt, Blair, Walker 1988): the formula of a name negates and counts only names of
    /// strata before its own. A name that negates itself, which no definition may, has no right place.
    fn strata(&self) -> &[Vec<NameId>] {
        self.strata.get_or_init(|| {
            let read: Vec<Vec<(NameId, bool)>> = self.names.iter().map(|of| self.names_read(*of)).collect();
            let mut heights = vec![0; read.len()];
            let mut strata = vec![Vec::new(); read.len()];
            let mut changed = true;
            while changed {
                changed = false;
                for (name, read) in read.iter().enumerate() {
                    let least = |(of, later): &(NameId, bool)| heights[of.index()] + usize::from(*later);
                    let height = read.iter().map(least).max().unwrap_or(0).min(strata.len() - 1);
                    changed |= height > heights[name];
                    heights[name] = height.max(heights[name]);
                }
            }
            (0..).zip(heights).for_each(|(name, height)| strata[height].push(NameId::new(name)));
            strata.retain(|names| !names.is_empty());
            strata
        })
    }

    /// Returns the names in a formula, each with true where it is negated or counted.
    fn names_read(&self, formula: Formula) -> Vec<(NameId, bool)> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut waiting = vec![(formula, false)];
        while let Some((formula, counted)) = waiting.pop() {
            if !seen.insert((formula, counted)) {
                continue;
            }
            match self.node(formula) {
                FormulaNode::And(parts) | FormulaNode::Or(parts) => {
                    waiting.extend(parts.iter().map(|&part| (part, counted)));
                }
                FormulaNode::Name(name, holds) => found.push((*name, counted || !holds)),
                FormulaNode::Lit(subject, _) => {
                    if let Subject::Count(of) = self.subject(*subject).0 {
                        waiting.extend(of.iter().map(|&part| (part, true)));
                    }
                }
                FormulaNode::False | FormulaNode::True => {}
            }
        }
        found
    }

    /// Returns the negation.
    pub fn not(&mut self, formula: Formula) -> Formula {
        if let Some(&known) = self.negations.get(&formula) {
            return known;
        }
        let negation = match self.nodes[formula].clone() {
            FormulaNode::False => TRUE,
            FormulaNode::True => FALSE,
            FormulaNode::Lit(subject, values) => self.lit(subject, !values),
            FormulaNode::Name(name, holds) => self.intern(FormulaNode::Name(name, !holds)),
            // The two normal forms are dual, so the negated parts need only be sorted by their new numbers.
            FormulaNode::And(parts) => {
                let parts = self.negated(&parts);
                self.intern(FormulaNode::Or(parts))
            }
            FormulaNode::Or(parts) => {
                let parts = self.negated(&parts);
                self.intern(FormulaNode::And(parts))
            }
        };
        self.negations.insert(formula, negation);
        self.negations.insert(negation, formula);
        negation
    }

    fn negated(&mut self, parts: &[Formula]) -> Box<[Formula]> {
        let mut parts: Vec<Formula> = parts.iter().map(|&part| self.not(part)).collect();
        parts.sort_unstable();
        parts.into()
    }

    /// Returns the disjunction.
    pub fn or(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let parts: Vec<Formula> = parts.into_iter().filter(|&part| part != FALSE).collect();
        match parts[..] {
            [] => return FALSE,
            [only] => return only,
            _ => {}
        }
        let negated: Vec<Formula> = parts.into_iter().map(|part| self.not(part)).collect();
        let none = self.and(negated);
        self.not(none)
    }

    /// Returns the equivalence.
    pub fn iff(&mut self, a: Formula, b: Formula) -> Formula {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let both = self.and([a, b]);
        let neither = self.and([not_a, not_b]);
        self.or([both, neither])
    }

    /// Returns the implication of the second by the first.
    pub fn implies(&mut self, a: Formula, b: Formula) -> Formula {
        let not_a = self.not(a);
        self.or([not_a, b])
    }

    /// Returns the conjunction of the first and the negation of the second.
    pub fn and_not(&mut self, a: Formula, b: Formula) -> Formula {
        let not_b = self.not(b);
        self.and([a, not_b])
    }

    /// Returns the conjunction.
    pub fn and(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut todo: Vec<Formula> = parts.into_iter().filter(|&part| part != TRUE).collect();
        match todo[..] {
            [] => return TRUE,
            [only] => return only,
            _ => {}
        }
        let mut conjunction = Conjunction::default();
        while let Some(part) = todo.pop() {
            if self.spend(1) {
                return FALSE;
            }
            match &self.nodes[part] {
                FormulaNode::False => return FALSE,
                FormulaNode::True => {}
                FormulaNode::And(parts) => todo.extend(parts.iter().copied()),
                FormulaNode::Lit(subject, values) => {
                    let there = conjunction.lits.entry(*subject).or_insert(Values::MAX);
                    let joined = *there & values;
                    if joined == 0 {
                        return FALSE;
                    }
                    *there = joined;
                }
                FormulaNode::Or(parts) => {
                    conjunction.ors.push(parts.to_vec());
                    conjunction.holds.insert(part);
                }
                FormulaNode::Name(name, holds) => {
                    if *conjunction.names.entry(*name).or_insert(*holds) != *holds {
                        return FALSE;
                    }
                }
            }
            if todo.is_empty() && !conjunction.ors.is_empty() {
                todo = match self.settle(&mut conjunction) {
                    Some(more) => more,
                    None => return FALSE,
                };
            }
        }
        let mut all: Vec<Formula> = Vec::new();
        for (subject, values) in conjunction.lits {
            all.push(self.intern(FormulaNode::Lit(subject, values)));
        }
        for (name, holds) in conjunction.names {
            all.push(self.intern(FormulaNode::Name(name, holds)));
        }
        for or in conjunction.ors {
            all.push(self.intern(FormulaNode::Or(or.into())));
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [only] => only,
            _ => self.intern(FormulaNode::And(all.into())),
        }
    }

    /// Removes from the disjunctions the parts that the rest of the conjunction decides. Returns the formulas that
    /// disjunctions reduced or merged to, which must be added again; `None` if one cannot hold.
    fn settle(&mut self, conjunction: &mut Conjunction) -> Option<Vec<Formula>> {
        let mut again = Vec::new();
        let mut kept: Vec<Vec<Formula>> = Vec::new();
        for or in std::mem::take(&mut conjunction.ors) {
            let mut open = Vec::new();
            let mut holds = false;
            if self.spend(or.len() as u64) {
                return None;
            }
            for &part in &or {
                match conjunction.decides(self, part) {
                    Some(true) => holds = true,
                    Some(false) => {}
                    None => open.push(part),
                }
            }
            if holds {
                continue;
            }
            match open.len() {
                0 => return None,
                1 => again.push(open[0]),
                _ => kept.push(open),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        conjunction.ors = if again.is_empty() { self.join(kept, &mut again) } else { kept };
        Some(again)
    }

    /// Merges disjunctions that differ in one literal: (c = 1 or R) and (c = 2 or R) is R. Pushes the merged ones to
    /// `again`.
    fn join(&mut self, ors: Vec<Vec<Formula>>, again: &mut Vec<Formula>) -> Vec<Vec<Formula>> {
        if ors.len() < 2 {
            return ors;
        }
        let mut by_rest: FxHashMap<(SubjectId, Vec<Formula>), Vec<usize>> = FxHashMap::default();
        for (place, or) in ors.iter().enumerate() {
            for (i, &part) in or.iter().enumerate() {
                if self.spend(1 + or.len() as u64 / 4) {
                    return Vec::new();
                }
                if let FormulaNode::Lit(subject, _) = self.nodes[part] {
                    let mut rest = or.clone();
                    rest.remove(i);
                    by_rest.entry((subject, rest)).or_default().push(place);
                }
            }
        }
        let mut groups: Vec<_> = by_rest.into_iter().filter(|(_, places)| places.len() > 1).collect();
        // The largest groups first, then in the order of their keys: the choice must not depend on the hash.
        groups.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
        let mut gone = vec![false; ors.len()];
        for ((subject, rest), places) in groups {
            if places.iter().any(|&place| gone[place]) {
                continue;
            }
            let mut values = Values::MAX;
            for &place in &places {
                gone[place] = true;
                for &part in &ors[place] {
                    if let FormulaNode::Lit(of, here) = self.nodes[part]
                        && of == subject
                        && !rest.contains(&part)
                    {
                        values &= here;
                    }
                }
            }
            let lit = self.lit(subject, values);
            again.push(self.or(rest.into_iter().chain([lit])));
        }
        ors.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(or, _)| or).collect()
    }
}

/// A conjunction in the making.
#[derive(Default)]
struct Conjunction {
    lits: FxHashMap<SubjectId, Values>,
    names: FxHashMap<NameId, bool>,
    ors: Vec<Vec<Formula>>,
    /// The disjunctions as they were added.
    holds: FxHashSet<Formula>,
}

impl Conjunction {
    /// Returns the truth of a part of a disjunction, if the rest of the conjunction decides it.
    fn decides(&self, formulas: &Formulas, part: Formula) -> Option<bool> {
        if self.holds.contains(&part) {
            return Some(true);
        }
        if formulas.negations.get(&part).is_some_and(|negation| self.holds.contains(negation)) {
            return Some(false);
        }
        match &formulas.nodes[part] {
            FormulaNode::Lit(subject, values) => {
                let here = *self.lits.get(subject)?;
                if here & values == 0 {
                    Some(false)
                } else if here & !values == 0 {
                    Some(true)
                } else {
                    None
                }
            }
            FormulaNode::Name(name, holds) => self.names.get(name).map(|here| here == holds),
            FormulaNode::And(parts) => {
                let mut all = Some(true);
                for &part in parts.iter() {
                    match self.decides(formulas, part) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => all = None,
                    }
                }
                all
            }
            _ => None,
        }
    }
}

/// All values of a subject with `size` values.
pub const fn all_values(size: u32) -> Values {
    if size as usize >= MAX_VALUES { Values::MAX } else { (1 << size) - 1 }
}

/// Iterates over the numbers of the values in a set.
pub fn value_numbers(values: Values) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(values), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|&rest| rest != 0)
        .map(|rest| rest.trailing_zeros())
}

/// A memoizing evaluator of formulas in one position.
pub struct FormulaEvaluator<'a> {
    formulas: &'a Formulas,
    /// By fluent, the number of its value.
    position: &'a [u8],
    known: Vec<Option<bool>>,
    names: Vec<bool>,
}

impl<'a> FormulaEvaluator<'a> {
    /// Makes an evaluator for a position given as the number of each fluent's value. *Cost:* the least fixpoint of all
    /// names, stratum by stratum: a name is negated or counted only when it is known.
    pub fn new(formulas: &'a Formulas, position: &'a [u8]) -> FormulaEvaluator<'a> {
        let mut reading = FormulaEvaluator { formulas, position, known: Vec::new(), names: Vec::new() };
        reading.names = vec![false; formulas.names.len()];
        for stratum in formulas.strata() {
            // The least fixpoint: start from no name and iterate until a round adds none.
            let mut changed = true;
            while changed {
                changed = false;
                reading.known = vec![None; formulas.len()];
                for name in stratum {
                    if !reading.names[name.index()] && reading.holds(formulas.definition(*name)) {
                        reading.names[name.index()] = true;
                        changed = true;
                    }
                }
            }
        }
        reading.known = vec![None; formulas.len()];
        reading
    }

    /// Returns true if a formula holds.
    pub fn holds(&mut self, formula: Formula) -> bool {
        if let Some(known) = self.known[formula.index()] {
            return known;
        }
        let formulas = self.formulas;
        let holds = match &formulas.nodes[formula] {
            FormulaNode::False => false,
            FormulaNode::True => true,
            FormulaNode::Lit(subject, values) => {
                let number = match &formulas.subjects[*subject].0 {
                    Subject::Fluent(fluent) => u32::from(self.position[fluent.index()]),
                    Subject::Count(of) => of.iter().filter(|&&part| self.holds(part)).count() as u32,
                };
                values >> number & 1 == 1
            }
            FormulaNode::And(parts) => parts.iter().all(|&part| self.holds(part)),
            FormulaNode::Or(parts) => parts.iter().any(|&part| self.holds(part)),
            FormulaNode::Name(name, holds) => self.names[name.index()] == *holds,
        };
        self.known[formula.index()] = Some(holds);
        holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random formula built from smaller ones, with its expected truth in each position, by number.
    type Known = (Formula, Vec<bool>);

    #[test]
    fn simplified_formulas_mean_what_was_said() {
        const SIZES: [usize; 3] = [2, 3, 4];
        let positions: Vec<Vec<u8>> = (0..24u8).map(|n| vec![n % 2, n / 2 % 3, n / 6]).collect();
        let mut seed = 1u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % bound
        };
        for _ in 0..60 {
            let mut formulas = Formulas::default();
            let mut made: Vec<Known> = Vec::new();
            for step in 0..60 {
                let pick = |below: &mut dyn FnMut(usize) -> usize| made[below(made.len())].clone();
                let known = if step < 12 {
                    let fluent = below(3);
                    let subject = formulas.fluent(FluentId(fluent as u32), SIZES[fluent]);
                    let values = below(1 << SIZES[fluent]) as Values;
                    let holds = positions.iter().map(|p| values >> p[fluent] & 1 == 1).collect();
                    (formulas.lit(subject, values), holds)
                } else {
                    let parts: Vec<Known> = (0..1 + below(4)).map(|_| pick(&mut below)).collect();
                    let ids: Vec<Formula> = parts.iter().map(|(id, _)| *id).collect();
                    let each = |f: &dyn Fn(&[bool]) -> bool| -> Vec<bool> {
                        let at = |i: usize| parts.iter().map(|(_, holds)| holds[i]).collect::<Vec<_>>();
                        (0..positions.len()).map(|i| f(&at(i))).collect()
                    };
                    match below(5) {
                        0 => (formulas.not(ids[0]), each(&|v| !v[0])),
                        1 => (formulas.iff(ids[0], ids[ids.len() - 1]), each(&|v| v[0] == v[v.len() - 1])),
                        2 => {
                            let numbers = below(1 << (ids.len() + 1)) as Values;
                            let number = |v: &[bool]| v.iter().filter(|holds| **holds).count();
                            let counted = formulas.count(&ids, numbers).expect("few");
                            (counted, each(&|v| numbers >> number(v) & 1 == 1))
                        }
                        3 => (formulas.and(ids), each(&|v| v.iter().all(|holds| *holds))),
                        _ => (formulas.or(ids), each(&|v| v.iter().any(|holds| *holds))),
                    }
                };
                for (position, expected) in positions.iter().zip(&known.1) {
                    let holds = FormulaEvaluator::new(&formulas, position).holds(known.0);
                    assert_eq!(holds, *expected, "{:?} in {position:?}", formulas.node(known.0));
                }
                made.push(known);
            }
        }
    }
}
