//! A small prover of the unsatisfiability of conditions over integers and one set of cells.
//!
//! Technique: depth-first search through the clauses (DPLL), always the one with the fewest literals that can still
//! hold; a literal cannot hold if the linear facts and it have no solution by Fourier-Motzkin elimination, with every
//! row divided by the common divisor of its factors and rounded (`elimination`). Universals are instantiated for the
//! places that the problem names. If only numbers are left and no integers fit, the range of a variable is cut in two.
//! Source: Davis, Logemann, Loveland (1962); Farkas (1902); Schrijver (1986) for rounding.
//! Cost: exponential in the worst case, so everything is limited; the problems at hand take a few dozen branches.
//! Invariant: the result is a proof that the proof checker follows step by step; a branch that does not use its own
//! assumption replaces the whole fork, so proofs are short. Giving up is always a sound answer.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bouton_base::limits::Limits;
use bouton_base::linear::{Clause, Linear, Literal, Overflow, Problem, ProofStep};

mod elimination;

use elimination::{Elimination, eliminate};

/// The reason why there is no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unproved {
    /// All clauses hold for these numbers, and no contradiction about the set of cells was found.
    Holds(BTreeMap<u32, i128>),
    /// A proof would exceed the limits on branches, rows or the size of numbers.
    TooHard,
}

impl From<Overflow> for Unproved {
    fn from(_: Overflow) -> Unproved {
        Unproved::TooHard
    }
}

/// The maximal number of forks of a proof.
const MAX_FORKS: usize = 4000;

/// The maximal number of cuts of ranges along a branch.
const MAX_CUTS: usize = 12;

/// Returns a proof that the conditions cannot all hold.
pub fn refute(problem: &Problem, limits: &Limits) -> Result<Vec<ProofStep>, Unproved> {
    let mut prover = Prover { problem, limits, instances: instances(problem)?, forks: 0, ids: 0 };
    let mut here = Assumptions::default();
    for clause in &problem.clauses {
        // A clause of one literal is asserted; an empty one cannot hold.
        let closed = match &clause[..] {
            [only] => prover.assert(&mut here, only),
            other => other.is_empty(),
        };
        if closed {
            return Ok(Vec::new());
        }
    }
    let settled = problem.clauses.iter().map(|clause| clause.len() == 1);
    here.settled =
        settled.enumerate().filter(|(_, one)| *one).map(|(i, _)| ClauseOrigin::Clause(i as u32)).collect();
    let (facts, cells) = (here.ids(), here.cells.iter().map(|(id, ..)| *id).collect());
    let tree = prover.close(here, 0)?;
    let mut teller = ProofWriter { facts, cells, clauses: problem.clauses.len() as u32, steps: Vec::new() };
    teller.tell(&tree);
    Ok(teller.steps)
}

/// The identity of a fact or cell; its number in the final proof is assigned later.
type FactId = u32;

/// The origin of a clause.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ClauseOrigin {
    Clause(u32),
    Instance(u32, Vec<Linear>),
    Apart(FactId, FactId),
}

/// A proof tree under construction.
enum ProofTree {
    /// The last assertion is contradictory.
    Closed,
    /// A new fact.
    Derive { id: FactId, sum: Vec<(FactId, i128)>, rest: Box<Proof> },
    /// A branch for each literal: its assertion and its proof.
    Split { source: ClauseOrigin, branches: Vec<(Assertion, Proof)> },
    /// A branch below the cut and one above.
    Cut { term: Linear, branches: Vec<(Assertion, Proof)> },
}

/// The assertion at the start of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Assertion {
    Fact(FactId),
    Cell(FactId),
}

/// A proof tree with the earlier assertions that it uses.
struct Proof {
    tree: ProofTree,
    uses: BTreeSet<FactId>,
}

/// The assumptions of the current branch.
#[derive(Clone, Default)]
struct Assumptions {
    facts: Vec<(FactId, Linear)>,
    cells: Vec<(FactId, Vec<Linear>, bool)>,
    /// Clauses that were split, or that have a literal known to hold.
    settled: BTreeSet<ClauseOrigin>,
    /// Literals that cannot hold.
    never: Rc<BTreeSet<Literal>>,
}

impl Assumptions {
    fn ids(&self) -> Vec<FactId> {
        self.facts.iter().map(|(id, _)| *id).collect()
    }
}

struct Prover<'p> {
    problem: &'p Problem,
    limits: &'p Limits,
    instances: Vec<(ClauseOrigin, Clause)>,
    forks: usize,
    ids: FactId,
}

/// The status of a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LiteralStatus {
    Holds,
    Never,
    Open,
}

/// Instantiates all universals for all places, without the clauses that always hold.
fn instances(problem: &Problem) -> Result<Vec<(ClauseOrigin, Clause)>, Unproved> {
    let mut all = Vec::new();
    for (number, universal) in problem.universals.iter().enumerate() {
        for place in problem.hints.iter().filter(|place| place.len() == universal.bound.len()) {
            let clause = universal.instance(place)?;
            let holds = |literal: &Literal| match literal {
                Literal::AtMost(term) => term.constant().is_some_and(|number| number <= 0),
                Literal::Cell(..) => false,
            };
            if !clause.iter().any(holds) {
                all.push((ClauseOrigin::Instance(number as u32, place.clone()), clause));
            }
        }
    }
    Ok(all)
}

impl Prover<'_> {
    fn id(&mut self) -> FactId {
        self.ids += 1;
        self.ids
    }

    /// Asserts a literal; returns true if it is contradictory by itself.
    fn assert(&mut self, here: &mut Assumptions, literal: &Literal) -> bool {
        let id = self.id();
        match literal {
            Literal::AtMost(term) => {
                here.facts.push((id, term.clone()));
                term.constant().is_some_and(|number| number > 0)
            }
            Literal::Cell(place, held) => {
                here.cells.push((id, place.clone(), *held));
                false
            }
        }
    }

    /// Returns a proof that the assumptions are contradictory.
    fn close(&mut self, mut here: Assumptions, cuts: usize) -> Result<Proof, Unproved> {
        if self.limits.check().is_some() {
            return Err(Unproved::TooHard);
        }
        let values = match eliminate(&here.facts)? {
            Elimination::Contradiction(rows) => return Ok(self.derived(rows)),
            found => found,
        };
        if let Some((source, clause)) = self.choose(&mut here)? {
            self.forks += 1;
            if self.forks > MAX_FORKS {
                return Err(Unproved::TooHard);
            }
            here.settled.insert(source.clone());
            return self.split(&here, source, &clause, cuts);
        }
        match values {
            Elimination::Contradiction(_) => unreachable!("told above"),
            Elimination::Values(values) => Err(Unproved::Holds(values)),
            Elimination::Between(var, below) if cuts < MAX_CUTS => {
                let term = Linear::var(var).plus_constant(-below)?;
                let (low, high) = (Literal::AtMost(term.clone()), Literal::AtMost(term.clone()).negated()?);
                let mut branches = Vec::new();
                for literal in [low, high] {
                    let (asserted, proof) = self.branch(&here, &literal, cuts + 1)?;
                    if !proof.uses.contains(&number(asserted)) {
                        return Ok(proof);
                    }
                    branches.push((asserted, proof));
                }
                let uses = uses(&branches);
                Ok(Proof { tree: ProofTree::Cut { term, branches }, uses })
            }
            Elimination::Between(..) => Err(Unproved::TooHard),
        }
    }

    fn branch(
        &mut self,
        here: &Assumptions,
        literal: &Literal,
        cuts: usize,
    ) -> Result<(Assertion, Proof), Unproved> {
        let mut there = here.clone();
        let closed = self.assert(&mut there, literal);
        let asserted = match literal {
            Literal::AtMost(_) => Assertion::Fact(self.ids),
            Literal::Cell(..) => Assertion::Cell(self.ids),
        };
        let proof = if closed {
            Proof { tree: ProofTree::Closed, uses: BTreeSet::from([self.ids]) }
        } else {
            self.close(there, cuts)?
        };
        Ok((asserted, proof))
    }

    fn split(
        &mut self,
        here: &Assumptions,
        source: ClauseOrigin,
        clause: &Clause,
        cuts: usize,
    ) -> Result<Proof, Unproved> {
        let mut branches = Vec::new();
        for literal in clause {
            let (asserted, proof) = self.branch(here, literal, cuts)?;
            if !proof.uses.contains(&number(asserted)) {
                return Ok(proof);
            }
            branches.push((asserted, proof));
        }
        let mut uses = uses(&branches);
        if let ClauseOrigin::Apart(held, free) = source {
            uses.extend([held, free]);
        }
        Ok(Proof { tree: ProofTree::Split { source, branches }, uses })
    }

    /// Returns the proof that derives new facts one after the other, the last of which is contradictory.
    fn derived(&mut self, rows: Vec<elimination::RowSum>) -> Proof {
        let ids: Vec<FactId> = rows.iter().map(|_| self.id()).collect();
        let mut proof = Proof { tree: ProofTree::Closed, uses: BTreeSet::new() };
        for (row, &id) in rows.into_iter().zip(&ids).rev() {
            let own = |parent| match parent {
                elimination::Parent::Fact(id) => id,
                elimination::Parent::Row(row) => ids[row],
            };
            let sum: Vec<(FactId, i128)> =
                row.into_iter().map(|(parent, times)| (own(parent), times)).collect();
            let mut uses = proof.uses.clone();
            uses.remove(&id);
            uses.extend(sum.iter().map(|(id, _)| *id));
            proof = Proof { tree: ProofTree::Derive { id, sum, rest: Box::new(proof) }, uses };
        }
        proof
    }

    /// Returns the clause with the fewest literals that can still hold; `None` if each has one that holds.
    fn choose(&mut self, here: &mut Assumptions) -> Result<Option<(ClauseOrigin, Clause)>, Unproved> {
        let given = self.problem.clauses.iter().enumerate();
        let given = given.map(|(i, clause)| (ClauseOrigin::Clause(i as u32), clause.clone()));
        let mut all: Vec<(ClauseOrigin, Clause)> = given.collect();
        for (held, at, _) in here.cells.iter().filter(|cell| cell.2) {
            for (free, other, _) in here.cells.iter().filter(|cell| !cell.2) {
                if at.len() == other.len() {
                    let mut clause = Vec::new();
                    for (a, b) in at.iter().zip(other) {
                        clause.extend([Literal::less(a, b)?, Literal::less(b, a)?]);
                    }
                    all.push((ClauseOrigin::Apart(*held, *free), clause));
                }
            }
        }
        all.extend(self.instances.iter().cloned());
        let mut best: Option<(usize, ClauseOrigin, Clause)> = None;
        for (source, clause) in all {
            if here.settled.contains(&source) {
                continue;
            }
            let mut open = 0;
            let mut holds = false;
            for literal in &clause {
                match self.standing(here, literal)? {
                    LiteralStatus::Holds => holds = true,
                    LiteralStatus::Never => {}
                    LiteralStatus::Open => open += 1,
                }
                if holds {
                    break;
                }
            }
            if holds {
                here.settled.insert(source);
            } else if open <= 1 {
                return Ok(Some((source, clause)));
            } else if best.as_ref().is_none_or(|(least, ..)| open < *least) {
                best = Some((open, source, clause));
            }
        }
        Ok(best.map(|(_, source, clause)| (source, clause)))
    }

    fn standing(&self, here: &mut Assumptions, literal: &Literal) -> Result<LiteralStatus, Unproved> {
        if here.never.contains(literal) {
            return Ok(LiteralStatus::Never);
        }
        match literal {
            Literal::Cell(place, held) => {
                let same = here.cells.iter().filter(|(_, at, _)| at == place).find(|cell| cell.2 == *held);
                Ok(if same.is_some() { LiteralStatus::Holds } else { LiteralStatus::Open })
            }
            Literal::AtMost(term) if term.terms.is_empty() => {
                Ok(if term.constant > 0 { LiteralStatus::Never } else { LiteralStatus::Holds })
            }
            Literal::AtMost(term) => {
                if contradicts(here, term)? {
                    Rc::make_mut(&mut here.never).insert(literal.clone());
                    return Ok(LiteralStatus::Never);
                }
                let Literal::AtMost(other) = literal.negated()? else { return Ok(LiteralStatus::Open) };
                Ok(if contradicts(here, &other)? { LiteralStatus::Holds } else { LiteralStatus::Open })
            }
        }
    }
}

/// Returns true if an additional fact contradicts the present ones.
fn contradicts(here: &Assumptions, term: &Linear) -> Result<bool, Unproved> {
    let mut facts = here.facts.clone();
    facts.push((FactId::MAX, term.clone()));
    Ok(matches!(eliminate(&facts)?, Elimination::Contradiction(_)))
}

fn number(asserted: Assertion) -> FactId {
    let (Assertion::Fact(id) | Assertion::Cell(id)) = asserted;
    id
}

/// Returns the earlier assertions that branches use.
fn uses(branches: &[(Assertion, Proof)]) -> BTreeSet<FactId> {
    let mut all = BTreeSet::new();
    for (asserted, proof) in branches {
        all.extend(proof.uses.iter().filter(|id| **id != number(*asserted)));
    }
    all
}

/// Serializes a proof tree as steps, with the numbers that facts, cells and clauses have at each point.
struct ProofWriter {
    facts: Vec<FactId>,
    cells: Vec<FactId>,
    clauses: u32,
    steps: Vec<ProofStep>,
}

impl ProofWriter {
    fn tell(&mut self, proof: &Proof) {
        let place =
            |all: &[FactId], id: FactId| all.iter().position(|other| *other == id).unwrap_or(0) as u32;
        match &proof.tree {
            ProofTree::Closed => {}
            ProofTree::Derive { id, sum, rest } => {
                let sum = sum.iter().map(|&(id, times)| (place(&self.facts, id), times)).collect();
                self.steps.push(ProofStep::Derive(sum));
                self.facts.push(*id);
                self.tell(rest);
                self.facts.pop();
            }
            ProofTree::Split { source, branches } => {
                let step = match source {
                    ClauseOrigin::Clause(_) => None,
                    ClauseOrigin::Instance(number, terms) => {
                        Some(ProofStep::Instance(*number, terms.clone()))
                    }
                    ClauseOrigin::Apart(held, free) => {
                        Some(ProofStep::Distinct(place(&self.cells, *held), place(&self.cells, *free)))
                    }
                };
                let clause = match source {
                    ClauseOrigin::Clause(number) => *number,
                    _ => self.clauses,
                };
                let new = u32::from(step.is_some());
                self.steps.extend(step);
                self.clauses += new;
                self.steps.push(ProofStep::Split(clause));
                self.branches(branches);
                self.clauses -= new;
            }
            ProofTree::Cut { term, branches } => {
                self.steps.push(ProofStep::Cut(term.clone()));
                self.branches(branches);
            }
        }
    }

    fn branches(&mut self, branches: &[(Assertion, Proof)]) {
        for (asserted, proof) in branches {
            let list = match asserted {
                Assertion::Fact(_) => &mut self.facts,
                Assertion::Cell(_) => &mut self.cells,
            };
            list.push(number(*asserted));
            self.tell(proof);
            match asserted {
                Assertion::Fact(_) => drop(self.facts.pop()),
                Assertion::Cell(_) => drop(self.cells.pop()),
            }
        }
    }
}
