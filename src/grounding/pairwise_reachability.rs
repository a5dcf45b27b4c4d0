//! Pairwise reachability (h2): an upper bound of the reachable positions, two fluents at a time, which is tighter than
//! [`DeleteRelaxation`](super::DeleteRelaxation) (the mutual exclusions of planning: Avrim Blum and Merrick Furst 1997;
//! Patrik Haslum and Héctor Geffner 2000).
//!
//! Cost: for each step and each pair of fluents of which it changes at least one, the combinations of values of all
//! fluents that these depend on. A budget of the caller limits and counts it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{Formula, Formulas, Values, value_numbers};
use super::{Action, FluentId, FluentUpdate, Ground, ThreeValued};
use bouton_base::cancel;
use bouton_base::id::Id;

/// A transition: one move, or several in sequence.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Holds where it can be made.
    pub legal: Formula,
    /// The effects on the fluents that it may change; all others stay.
    pub becomes: Vec<FluentUpdate>,
}

/// An upper bound of a set of positions.
#[derive(Clone, Debug)]
pub struct PairwiseReachability {
    /// The values that each fluent may have, by fluent.
    pub values: Vec<Values>,
    /// By pair of fluents, the smaller first: the values that the second may have with each value of the first.
    tables: FxHashMap<(FluentId, FluentId), Vec<Values>>,
}

/// The maximal number of pairs of fluents in the analysis.
const MAX_FLUENT_PAIRS: usize = 1600;

impl From<&Action> for Transition {
    fn from(action: &Action) -> Transition {
        Transition { legal: action.legal, becomes: action.updates.clone() }
    }
}

impl Ground {
    /// Composes two moves; `None` if one depends on a self-referential formula.
    pub fn compose(&mut self, first: &Action, second: &Action) -> Option<Transition> {
        let legal = self.formulas.regress(second.legal, &first.updates)?;
        let legal = self.formulas.and([first.legal, legal]);
        let written: FxHashSet<FluentId> = second.updates.iter().map(|becomes| becomes.fluent).collect();
        let kept = first.updates.iter().filter(|becomes| !written.contains(&becomes.fluent));
        let mut becomes: Vec<FluentUpdate> = kept.cloned().collect();
        for of in &second.updates {
            let mut values = Vec::new();
            for (value, when) in &of.values {
                values.push((*value, self.formulas.regress(*when, &first.updates)?));
            }
            becomes.push(FluentUpdate { fluent: of.fluent, values });
        }
        becomes.sort_by_key(|becomes| becomes.fluent);
        Some(Transition { legal, becomes })
    }

    /// Returns an upper bound of the positions that these steps reach from a position, itself included. Decrements
    /// `budget`; returns `None` if it runs out.
    pub fn pairwise_reachability(
        &self,
        position: &[u8],
        steps: &[Transition],
        budget: &mut u64,
    ) -> Option<PairwiseReachability> {
        let mut joint = PairwiseReachability {
            values: position.iter().map(|&value| 1 << value).collect(),
            tables: FxHashMap::default(),
        };
        for (one, other) in self.pairs(position, steps) {
            let mut table = vec![0; self.fluents.get(one).values.len()];
            table[usize::from(position[one.index()])] = 1 << position[other.index()];
            joint.tables.insert((one, other), table);
        }
        let mut jobs: Vec<PairUpdate> = steps.iter().flat_map(|step| self.jobs(step, &joint)).collect();
        // The time of the last change of each fluent, and the last time at which each job ran.
        let mut now = 1u64;
        let mut changed = vec![now; position.len()];
        loop {
            let before = now;
            for job in &mut jobs {
                cancel::step();
                // Each job runs at least once, also one that depends on nothing.
                if job.seen > 0 && job.of.iter().all(|fluent| changed[fluent.index()] <= job.seen) {
                    continue;
                }
                job.seen = now;
                let found = joint.results(&self.formulas, job, budget)?;
                for (one, other) in found {
                    if joint.add(job.fluents, one, other) {
                        now += 1;
                        changed[job.fluents.0.index()] = now;
                        changed[job.fluents.1.index()] = now;
                    }
                }
            }
            if now == before {
                return Some(joint);
            }
        }
    }

    /// Selects the pairs of fluents to track: all pairs from fields that some step relates; if they are too many, only
    /// the pairs that one step relates. A fluent that no step changes has one value, which no pair restricts further.
    fn pairs(&self, position: &[u8], steps: &[Transition]) -> Vec<(FluentId, FluentId)> {
        let changes =
            |of: &FluentUpdate| of.values.iter().any(|(value, _)| *value != position[of.fluent.index()]);
        let changing: FxHashSet<FluentId> = (steps.iter().flat_map(|step| &step.becomes))
            .filter(|of| changes(of))
            .map(|of| of.fluent)
            .collect();
        let mut near = FxHashSet::default();
        for step in steps {
            let mut concerned = FxHashSet::default();
            self.formulas.collect_fluents(step.legal, &mut concerned);
            concerned.extend(step.becomes.iter().map(|becomes| becomes.fluent));
            concerned.retain(|fluent| changing.contains(fluent));
            for &one in &concerned {
                near.extend(concerned.iter().filter(|other| one < **other).map(|&other| (one, other)));
            }
        }
        let field = |id: FluentId| self.fluents.get(id).field;
        let fields: FxHashSet<_> = near.iter().map(|&(one, other)| (field(one), field(other))).collect();
        let all = changing.iter().flat_map(|&one| {
            changing.iter().map(move |&other| (one, other)).filter(|(one, other)| one < other)
        });
        let mut pairs: Vec<(FluentId, FluentId)> =
            all.filter(|&(one, other)| fields.contains(&(field(one), field(other)))).collect();
        pairs.sort_unstable();
        if pairs.len() > MAX_FLUENT_PAIRS {
            pairs = near.into_iter().collect();
            pairs.sort_unstable();
        }
        if pairs.len() > MAX_FLUENT_PAIRS { Vec::new() } else { pairs }
    }

    /// Makes the jobs of a step: one for each fluent that it changes, and one for each tracked pair with such a
    /// fluent.
    fn jobs(&self, step: &Transition, joint: &PairwiseReachability) -> Vec<PairUpdate> {
        let legal = self.support(step.legal, &[]);
        // The effect on each changed fluent, with the fluents that it depends on.
        let written: FxHashMap<FluentId, (&FluentUpdate, Vec<FluentId>)> = (step.becomes.iter())
            .map(|becomes| {
                let whens: Vec<Formula> = becomes.values.iter().map(|(_, when)| *when).collect();
                (becomes.fluent, (becomes, self.support(super::TRUE, &whens)))
            })
            .collect();
        let mut pairs: Vec<(FluentId, FluentId)> = joint.tables.keys().copied().collect();
        pairs.extend(written.keys().map(|&fluent| (fluent, fluent)));
        pairs.retain(|(one, other)| written.contains_key(one) || written.contains_key(other));
        pairs.sort_unstable();
        let job = |fluents: (FluentId, FluentId)| {
            let both = [fluents.0, fluents.1];
            let becomes = both.map(|fluent| written.get(&fluent).map(|(of, _)| of.values.clone()));
            let mut of = legal.clone();
            for fluent in both {
                let more = written.get(&fluent).map_or(std::slice::from_ref(&fluent), |(_, support)| support);
                for fluent in more {
                    if !of.contains(fluent) {
                        of.push(*fluent);
                    }
                }
            }
            PairUpdate { legal: step.legal, fluents, becomes, of, seen: 0 }
        };
        pairs.into_iter().map(job).collect()
    }

    /// Returns the support of formulas: the fluents that they depend on, in order.
    pub fn support(&self, formula: Formula, more: &[Formula]) -> Vec<FluentId> {
        let mut found = FxHashSet::default();
        for formula in [formula].iter().chain(more) {
            self.formulas.collect_fluents(*formula, &mut found);
        }
        let mut found: Vec<FluentId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }
}

/// A pair of fluents, at least one of which the step changes.
struct PairUpdate {
    legal: Formula,
    /// The same fluent twice for a job about a single fluent.
    fluents: (FluentId, FluentId),
    /// Their effects; `None` for a fluent that stays.
    becomes: [Option<Vec<(u8, Formula)>>; 2],
    /// The fluents that the job depends on.
    of: Vec<FluentId>,
    seen: u64,
}

/// The combinations of values of some fluents for which a formula may hold.
#[derive(Clone, Copy)]
struct FluentCases<'a> {
    formulas: &'a Formulas,
    /// The formula that may hold.
    when: Formula,
    /// The fluents.
    of: &'a [FluentId],
}

impl PairwiseReachability {
    /// Returns the pairs of values that the two fluents of a job may have after the step.
    fn results(
        &self,
        formulas: &Formulas,
        job: &PairUpdate,
        budget: &mut u64,
    ) -> Option<FxHashSet<(u8, u8)>> {
        let mut found = FxHashSet::default();
        self.cases(formulas, job.legal, &job.of, budget, &mut |here| {
            cancel::step();
            let next = |fluent: FluentId, becomes: &Option<Vec<(u8, Formula)>>| match becomes {
                None => value_numbers(here[fluent.index()]).map(|value| value as u8).collect(),
                Some(values) => values_after(formulas, values, here),
            };
            let first = next(job.fluents.0, &job.becomes[0]);
            for other in next(job.fluents.1, &job.becomes[1]) {
                let same = job.fluents.0 == job.fluents.1;
                found.extend(first.iter().filter(|one| !same || **one == other).map(|&one| (one, other)));
            }
        })?;
        Some(found)
    }

    /// Returns true if the bound allows a position.
    pub fn allows(&self, position: &[u8]) -> bool {
        let alone = self.values.iter().zip(position).all(|(values, value)| values >> value & 1 == 1);
        let together = |(&(one, other), table): (&(FluentId, FluentId), &Vec<Values>)| {
            table[usize::from(position[one.index()])] >> position[other.index()] & 1 == 1
        };
        alone && self.tables.iter().all(together)
    }

    /// Adds a pair of values of two fluents. Returns true if it is new.
    fn add(&mut self, fluents: (FluentId, FluentId), one: u8, other: u8) -> bool {
        let mut new = false;
        for (fluent, value) in [(fluents.0, one), (fluents.1, other)] {
            let values = &mut self.values[fluent.index()];
            new |= *values >> value & 1 == 0;
            *values |= 1 << value;
        }
        if let Some(table) = self.tables.get_mut(&fluents) {
            let with = &mut table[usize::from(one)];
            new |= *with >> other & 1 == 0;
            *with |= 1 << other;
        }
        new
    }

    /// Returns true if a formula may hold in one of the positions. `None` if the budget runs out.
    pub fn may_hold(&self, ground: &Ground, formula: Formula, budget: &mut u64) -> Option<bool> {
        let mut found = false;
        self.cases(&ground.formulas, formula, &ground.support(formula, &[]), budget, &mut |_| found = true)?;
        Some(found)
    }

    /// Visits the combinations of values of these fluents for which a formula may hold. `visit` receives the possible
    /// values of all fluents, with a single one for each of these. `None` if the budget runs out.
    pub fn cases(
        &self,
        formulas: &Formulas,
        when: Formula,
        of: &[FluentId],
        budget: &mut u64,
        visit: &mut dyn FnMut(&[Values]),
    ) -> Option<()> {
        let mut here = self.values.clone();
        match truth(formulas, when, &here, budget)? {
            ThreeValued::Never => Some(()),
            _ => self.case(&FluentCases { formulas, when, of }, 0, budget, &mut here, visit),
        }
    }

    /// Visits the combinations of values of the fluents from an index on; those before it have one value each.
    fn case(
        &self,
        cases: &FluentCases,
        at: usize,
        budget: &mut u64,
        here: &mut Vec<Values>,
        visit: &mut dyn FnMut(&[Values]),
    ) -> Option<()> {
        let FluentCases { formulas, when, of } = *cases;
        *budget = budget.checked_sub(1)?;
        let Some(&fluent) = of.get(at) else {
            visit(here);
            return Some(());
        };
        let open = here[fluent.index()];
        let fits = of[..at].iter().fold(open, |fits, &other| fits & self.with(fluent, other, here));
        for value in value_numbers(fits) {
            here[fluent.index()] = 1 << value;
            if truth(formulas, when, here, budget)? != ThreeValued::Never {
                self.case(cases, at + 1, budget, here, visit)?;
            }
        }
        here[fluent.index()] = open;
        Some(())
    }

    /// The values that a fluent may have together with the present value of another.
    fn with(&self, fluent: FluentId, other: FluentId, here: &[Values]) -> Values {
        let value = here[other.index()].trailing_zeros();
        if let Some(table) = self.tables.get(&(other, fluent)) {
            return table[value as usize];
        }
        match self.tables.get(&(fluent, other)) {
            Some(table) => {
                (0..).zip(table).filter(|(_, with)| *with >> value & 1 == 1).fold(0, |a, (v, _)| a | 1 << v)
            }
            None => Values::MAX,
        }
    }
}

/// Returns the values that a fluent may have after a step, given its effect.
pub fn values_after(formulas: &Formulas, becomes: &[(u8, Formula)], here: &[Values]) -> Vec<u8> {
    let may = |when: Formula| truth(formulas, when, here, &mut { u64::MAX }) != Some(ThreeValued::Never);
    becomes.iter().filter(|(_, when)| may(*when)).map(|(value, _)| *value).collect()
}

/// Evaluates a formula for these values of the fluents; `None` if the budget runs out.
fn truth(formulas: &Formulas, formula: Formula, here: &[Values], budget: &mut u64) -> Option<ThreeValued> {
    *budget = budget.checked_sub(1)?;
    ThreeValued::of(formulas, formula, here, |part| truth(formulas, part, here, budget))
}
