//! Proof obligations of a plan that wins for all values of the parameters: systems of conditions that must be
//! unsatisfiable.
//!
//! *Lost positions.* Every move keeps all numbers in their ranges and decreases the ranking function, so the game is
//! finite. No move leads from a lost position to a lost one, and from any other position some reply leads to a lost
//! one. So, by induction on the rank, the player to move in a lost position loses: either no move is legal, or each
//! leads to a position with a reply. If lost positions are those in which a term of the parameters divides a number,
//! the conditions stay linear: the difference of two multiples is 0 or at least as large as the divisor, and a number
//! that is not a multiple leaves a remainder below the divisor.
//!
//! *Mirror.* Each cell changes at most once, so the game is finite. Call a position symmetric if the image of each
//! changed cell has changed; the first position is, and so is the one after an opening. Let the opponent make any move
//! in a symmetric position in which the cells of the opening have changed. Its answer is legal, its cells have not
//! changed, and the images of the cells of the two are cells of the two. So the position after it is symmetric again,
//! and the opponent is the first player without a move.

#![forbid(unsafe_code)]

use bouton_base::linear::{Clause, Linear, Literal, Overflow, Problem, Universal};
use bouton_rules::parametric::{
    Area, Atom, CHOICE_BASE, COORDINATE_BASE, COUNTER_BASE, MoveScheme, PARAM_BASE, ParamRange,
    ParametricRules, ParametricStrategy, QUOTIENT_BASE, REMAINDER_BASE, SchemeInstance, WinnerCase,
};

mod scope;

/// The first number of the fresh variables, above all others of a schema.
const FIRST_FRESH_VAR: u32 = 5000;
/// The first number of the variables of remainders that no condition of the plan names.
const FIRST_UNKNOWN_REMAINDER: u32 = 1_000_000;

/// A proof obligation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// A description.
    pub description: String,
    /// The system that must be unsatisfiable.
    pub problem: Problem,
}

/// Returns all proof obligations. The error is the reason why the plan does not apply to these rules.
pub fn obligations(
    schema: &ParametricRules,
    over: &[ParamRange],
    plan: &ParametricStrategy,
    cases: &[WinnerCase],
) -> PlanResult<Vec<Obligation>> {
    let same = |(own, of): (&ParamRange, &ParamRange)| {
        own.param == of.param && own.element == of.element && own.low >= of.low
    };
    if over.len() != schema.params.len() || !over.iter().zip(&schema.params).all(same) {
        return Err("its parameters are not those of the rules, or may be smaller".into());
    }
    over.iter().flat_map(|range| range.high.iter().chain([&range.low])).try_for_each(scope::small)?;
    scope::check(schema, plan, cases)?;
    let mut maker = ObligationBuilder { schema, over, all: Vec::new() };
    match plan {
        ParametricStrategy::LostPositions { lost, replies, ranking: measure } => {
            maker.lost(lost, replies, measure, cases)?
        }
        ParametricStrategy::Mirror { quotients, opening, image, answers } => {
            let [case] = cases else { return Err("a mirror is for one case".into()) };
            if case.first_player_wins != opening.is_some() {
                return Err("the player who answers is not the winner".into());
            }
            maker.mirror(&case.when, quotients, opening.as_ref(), image, answers)?;
        }
        // The obligations of an automaton are not linear conditions.
        ParametricStrategy::RowAutomaton { .. } => {}
    }
    Ok(maker.all)
}

/// Returns the problem whose refutation shows that no values of the parameters miss all of these conditions.
pub fn gap_problem(over: &[ParamRange], missed: &[&Atom]) -> PlanResult<Problem> {
    let mut way = parameters(over)?;
    missed.iter().try_for_each(|atom| way.not(atom))?;
    Ok(way.problem)
}

impl From<Overflow> for PlanError {
    fn from(_: Overflow) -> PlanError {
        PlanError("its numbers are too large".into())
    }
}

impl From<&str> for PlanError {
    fn from(reason: &str) -> PlanError {
        PlanError(reason.into())
    }
}

/// The reason why a plan does not apply to the rules, or proves nothing, as a sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(String);

type PlanResult<T> = Result<T, PlanError>;

/// A growing conjunction of conditions.
#[derive(Clone, Default)]
struct ConstraintSet {
    problem: Problem,
    /// The remainders of terms by moduli: each pair has one quotient variable.
    rests: Vec<(Linear, u32, Linear)>,
    /// The terms that a divisor term divides, each with its divisor; `unknown` counts the remainders of terms that it
    /// does not divide.
    multiples: Vec<(Linear, Linear)>,
    unknown: u32,
}

impl ConstraintSet {
    fn one(&mut self, literal: Literal) {
        self.problem.clauses.push(vec![literal]);
    }

    /// `a <= b`
    fn at_most(&mut self, a: &Linear, b: &Linear) -> PlanResult<()> {
        self.one(Literal::at_most(a, b)?);
        Ok(())
    }

    fn zero(&mut self, term: &Linear) -> PlanResult<()> {
        self.at_most(term, &Linear::default())?;
        self.at_most(&Linear::default(), term)
    }

    fn within(&mut self, low: &Linear, term: &Linear, high: &Linear) -> PlanResult<()> {
        self.at_most(low, term)?;
        self.at_most(term, high)
    }

    fn atom(&mut self, atom: &Atom) -> PlanResult<()> {
        match atom {
            Atom::AtMost(term) => self.at_most(term, &Linear::default()),
            Atom::Zero(term) => self.zero(term),
            Atom::Residue(term, modulus, residues) => self.residue(term, *modulus, residues),
            Atom::Multiple(term, by, true) => self.multiple(term, by),
            Atom::Multiple(term, by, false) => {
                self.unknown += 1;
                self.divided(term, by, &Linear::var(FIRST_UNKNOWN_REMAINDER + self.unknown))
            }
        }
    }

    /// Adds that `by` divides `term`. The difference of two such terms is 0 or at least as large as `by`; `by` has to
    /// be positive, which another obligation shows.
    fn multiple(&mut self, term: &Linear, by: &Linear) -> PlanResult<()> {
        let others = self.multiples.iter().filter(|(_, other)| other == by).map(|(of, _)| of.clone());
        let others: Vec<Linear> = others.chain([Linear::default()]).collect();
        for other in others {
            let apart = term.minus(&other)?;
            let (below, above) = (apart.plus(1, by)?, by.minus(&apart)?);
            let (at_most, at_least) = (Literal::AtMost(apart.clone()), Literal::AtMost(apart.times(-1)?));
            self.problem.clauses.push(vec![Literal::AtMost(below), at_least]);
            self.problem.clauses.push(vec![at_most, Literal::AtMost(above)]);
        }
        self.multiples.push((term.clone(), by.clone()));
        Ok(())
    }

    /// Adds that `by` does not divide `term`, with this remainder.
    fn divided(&mut self, term: &Linear, by: &Linear, rest: &Linear) -> PlanResult<()> {
        self.within(&Linear::number(1), rest, &by.plus_constant(-1)?)?;
        self.multiple(&term.minus(rest)?, by)
    }

    fn atoms(&mut self, atoms: &[Atom]) -> PlanResult<()> {
        atoms.iter().try_for_each(|atom| self.atom(atom))
    }

    /// Adds the negation of an atom.
    fn not(&mut self, atom: &Atom) -> PlanResult<()> {
        match atom {
            Atom::AtMost(term) => self.at_most(&Linear::number(1), term),
            Atom::Zero(term) => {
                let (below, above) = (term.plus_constant(1)?, term.times(-1)?.plus_constant(1)?);
                self.problem.clauses.push(vec![Literal::AtMost(below), Literal::AtMost(above)]);
                Ok(())
            }
            Atom::Residue(term, modulus, residues) => {
                let others: Vec<u32> = (0..*modulus).filter(|r| !residues.contains(r)).collect();
                self.residue(term, *modulus, &others)
            }
            Atom::Multiple(term, by, divides) => {
                self.atom(&Atom::Multiple(term.clone(), by.clone(), !divides))
            }
        }
    }

    /// Adds `term = modulus * q + r` with r among these residues, in order.
    fn residue(&mut self, term: &Linear, modulus: u32, residues: &[u32]) -> PlanResult<()> {
        let (Some(&first), Some(&last)) = (residues.first(), residues.last()) else {
            self.problem.clauses.push(Vec::new());
            return Ok(());
        };
        if residues.windows(2).any(|pair| pair[0] >= pair[1]) || last >= modulus {
            return Err("residues are out of order, or too large".into());
        }
        let known = self.rests.iter().find(|(of, by, _)| of == term && *by == modulus);
        let rest = match known {
            Some((_, _, rest)) => rest.clone(),
            None => {
                let quotient = Linear::var(FIRST_FRESH_VAR + self.rests.len() as u32);
                let rest = term.plus(-i128::from(modulus), &quotient)?;
                self.rests.push((term.clone(), modulus, rest.clone()));
                rest
            }
        };
        let number = |n: u32| Linear::number(n.into());
        self.within(&number(first), &rest, &number(last))?;
        for pair in residues.windows(2).filter(|pair| pair[1] > pair[0] + 1) {
            let below = Literal::at_most(&rest, &number(pair[0]))?;
            let above = Literal::at_most(&number(pair[1]), &rest)?;
            self.problem.clauses.push(vec![below, above]);
        }
        Ok(())
    }

    /// Adds that a place lies in an area.
    fn inside(&mut self, place: &[Linear], area: &Area) -> PlanResult<()> {
        for (axis, at) in place.iter().enumerate() {
            self.within(&area.low[axis], at, &area.high[axis])?;
        }
        Ok(())
    }

    /// Adds that a place does not lie in an area.
    fn outside(&mut self, place: &[Linear], area: &Area) -> PlanResult<()> {
        self.problem.clauses.push(outside(place, area)?);
        Ok(())
    }

    /// Adds that all cells of an area have changed, or that none has.
    fn all(&mut self, area: &Area, changed: bool) -> PlanResult<()> {
        let bound: Vec<u32> = (0..area.low.len() as u32).map(|axis| FIRST_FRESH_VAR - 1 - axis).collect();
        let place: Vec<Linear> = bound.iter().map(|&var| Linear::var(var)).collect();
        let mut clause = outside(&place, area)?;
        clause.push(Literal::Cell(place, changed));
        self.problem.universals.push(Universal { bound, clause });
        Ok(())
    }
}

fn outside(place: &[Linear], area: &Area) -> PlanResult<Clause> {
    let mut clause = Vec::new();
    for (axis, at) in place.iter().enumerate() {
        clause.push(Literal::less(at, &area.low[axis])?);
        clause.push(Literal::less(&area.high[axis], at)?);
    }
    Ok(clause)
}

fn replaced(term: &Linear, first: u32, by: &[Linear]) -> Result<Linear, Overflow> {
    term.substitute(&|var| var.checked_sub(first).and_then(|place| by.get(place as usize).cloned()))
}

fn area_with(area: &Area, first: u32, by: &[Linear]) -> Result<Area, Overflow> {
    let all =
        |terms: &[Linear]| terms.iter().map(|term| replaced(term, first, by)).collect::<Result<Vec<_>, _>>();
    Ok(Area { low: all(&area.low)?, high: all(&area.high)? })
}

fn atom_with(atom: &Atom, value: &dyn Fn(u32) -> Option<Linear>) -> Result<Atom, Overflow> {
    Ok(match atom {
        Atom::AtMost(term) => Atom::AtMost(term.substitute(value)?),
        Atom::Zero(term) => Atom::Zero(term.substitute(value)?),
        Atom::Residue(term, modulus, residues) => {
            Atom::Residue(term.substitute(value)?, *modulus, residues.clone())
        }
        Atom::Multiple(term, by, divides) => Atom::Multiple(term.substitute(value)?, by.clone(), *divides),
    })
}

/// Returns the conditions that the parameters lie in their ranges.
fn parameters(over: &[ParamRange]) -> PlanResult<ConstraintSet> {
    let mut held = ConstraintSet::default();
    for (place, range) in over.iter().enumerate() {
        let var = Linear::var(PARAM_BASE + place as u32);
        held.at_most(&Linear::number(range.low), &var)?;
        if let Some(high) = range.high {
            held.at_most(&var, &Linear::number(high))?;
        }
    }
    Ok(held)
}

/// A scheme instantiated with terms for its choices.
struct SchemeFacts {
    /// Terms that are all at most 0 if the choice is in range and legal, the cells aside.
    conditions: Vec<Linear>,
    untouched: Vec<Area>,
    changed: Vec<Area>,
    counters: Vec<(u32, Linear)>,
}

struct ObligationBuilder<'s> {
    schema: &'s ParametricRules,
    over: &'s [ParamRange],
    all: Vec<Obligation>,
}

impl ObligationBuilder<'_> {
    fn add(&mut self, what: impl Into<String>, held: ConstraintSet) {
        self.all.push(Obligation { description: what.into(), problem: held.problem });
    }

    /// Adds the obligation that a term is at most 0 wherever the conditions hold.
    fn at_most_zero(&mut self, what: &str, held: &ConstraintSet, term: &Linear) -> PlanResult<()> {
        let mut held = held.clone();
        held.at_most(&Linear::number(1), term)?;
        self.add(what, held);
        Ok(())
    }

    fn scheme(&self, number: u32) -> PlanResult<&MoveScheme> {
        self.schema.moves.get(number as usize).ok_or("it names a move that does not exist".into())
    }

    fn made(&self, scheme: &MoveScheme, choices: &[Linear]) -> PlanResult<SchemeFacts> {
        if choices.len() != scheme.choices.len() {
            return Err("a move has other choices".into());
        }
        let with = |term: &Linear| replaced(term, CHOICE_BASE, choices);
        let mut conditions = Vec::new();
        for ((low, high), choice) in scheme.choices.iter().zip(choices) {
            conditions.extend([with(low)?.minus(choice)?, choice.minus(&with(high)?)?]);
        }
        for guard in &scheme.guards {
            conditions.push(with(guard)?);
        }
        let areas = |areas: &[Area]| {
            areas.iter().map(|area| area_with(area, CHOICE_BASE, choices)).collect::<Result<Vec<_>, _>>()
        };
        let mut counters = Vec::new();
        for (counter, term) in &scheme.counters {
            counters.push((*counter, with(term)?));
        }
        Ok(SchemeFacts {
            conditions,
            untouched: areas(&scheme.untouched)?,
            changed: areas(&scheme.changed)?,
            counters,
        })
    }

    /// Instantiates a scheme with its own choice variables.
    fn any(&self, scheme: &MoveScheme) -> PlanResult<SchemeFacts> {
        let choices = (0..scheme.choices.len() as u32).map(|choice| Linear::var(CHOICE_BASE + choice));
        self.made(scheme, &choices.collect::<Vec<_>>())
    }

    fn lost(
        &mut self,
        lost: &[Atom],
        replies: &[(Atom, SchemeInstance)],
        measure: &Linear,
        cases: &[WinnerCase],
    ) -> PlanResult<()> {
        let schema = self.schema;
        if !schema.board.is_empty() || schema.counters.is_empty() {
            return Err("a position is not some numbers".into());
        }
        let parameters = parameters(self.over)?;
        for counter in &schema.counters {
            let below = counter.low.minus(&counter.initial)?;
            let above = counter.initial.minus(&counter.high)?;
            self.at_most_zero("a number is at first not below its range", &parameters, &below)?;
            self.at_most_zero("a number is at first not above its range", &parameters, &above)?;
        }
        let mut position = parameters.clone();
        for (place, counter) in schema.counters.iter().enumerate() {
            position.within(&counter.low, &Linear::var(COUNTER_BASE + place as u32), &counter.high)?;
        }
        for scheme in &schema.moves {
            let name = &scheme.name;
            let made = self.any(scheme)?;
            let mut moved = position.clone();
            self.legal(&mut moved, &made)?;
            for (counter, term) in &made.counters {
                let range = &schema.counters.get(*counter as usize).ok_or("there is no such number")?;
                let (below, above) = (range.low.minus(term)?, term.minus(&range.high)?);
                self.at_most_zero(&format!("{name} keeps a number above the least"), &moved, &below)?;
                self.at_most_zero(&format!("{name} keeps a number below the greatest"), &moved, &above)?;
            }
            let after = |var: u32| after(&made, var);
            let falls = measure.substitute(&after)?.minus(measure)?.plus_constant(1)?;
            self.at_most_zero(&format!("{name} decreases the ranking function"), &moved, &falls)?;
            moved.atoms(lost)?;
            for atom in lost {
                moved.atom(&atom_with(atom, &after)?)?;
            }
            self.add(format!("{name} leads from no lost position to a lost one"), moved);
        }
        let conditions = lost.iter().chain(cases.iter().flat_map(|case| &case.when));
        for atom in conditions.chain(replies.iter().map(|(when, _)| when)) {
            if let Atom::Multiple(_, by, _) = atom {
                let none = by.times(-1)?.plus_constant(1)?;
                self.at_most_zero("the divisor is above 0", &parameters, &none)?;
            }
        }
        for (place, missing) in lost.iter().enumerate() {
            let mut won = position.clone();
            match missing {
                // Replies may use the remainder.
                Atom::Multiple(term, by, true) => {
                    won.divided(term, by, &Linear::var(REMAINDER_BASE + place as u32))?;
                }
                _ => won.not(missing)?,
            }
            let mut without = won.clone();
            for (when, _) in replies {
                without.not(when)?;
            }
            self.add("in every other position there is a reply", without);
            for (when, reply) in replies {
                let scheme = self.scheme(reply.scheme)?;
                let name = scheme.name.clone();
                let made = self.made(scheme, &reply.choices)?;
                let mut here = won.clone();
                here.atom(when)?;
                for condition in &made.conditions {
                    self.at_most_zero(&format!("the reply {name} is legal"), &here, condition)?;
                }
                for atom in lost {
                    let mut wrong = here.clone();
                    wrong.not(&atom_with(atom, &|var| after(&made, var))?)?;
                    self.add(format!("the reply {name} leads to a lost position"), wrong);
                }
            }
        }
        let first = |var: u32| {
            let place = var.checked_sub(COUNTER_BASE)?;
            schema.counters.get(place as usize).map(|counter| counter.initial.clone())
        };
        for case in cases {
            let mut here = parameters.clone();
            here.atoms(&case.when)?;
            if case.first_player_wins {
                for atom in lost {
                    here.atom(&atom_with(atom, &first)?)?;
                }
                self.add("the first position is not lost", here);
                continue;
            }
            for atom in lost {
                let mut wrong = here.clone();
                wrong.not(&atom_with(atom, &first)?)?;
                self.add("the first position is lost", wrong);
            }
        }
        Ok(())
    }

    /// Adds the conditions under which a move is legal.
    fn legal(&self, held: &mut ConstraintSet, made: &SchemeFacts) -> PlanResult<()> {
        for condition in &made.conditions {
            held.at_most(condition, &Linear::default())?;
        }
        made.untouched.iter().try_for_each(|area| held.all(area, false))
    }

    fn mirror(
        &mut self,
        when: &[Atom],
        quotients: &[(Linear, u32)],
        opening: Option<&SchemeInstance>,
        image: &[Linear],
        answers: &[SchemeInstance],
    ) -> PlanResult<()> {
        let schema = self.schema;
        let axes = schema.board.len();
        if axes == 0
            || !schema.counters.is_empty()
            || image.len() != axes
            || answers.len() != schema.moves.len()
        {
            return Err("a position is not a set of cells, or moves have no answers".into());
        }
        if schema.moves.iter().any(|scheme| !scheme.touched.is_empty()) {
            return Err("a move asks for cells that have changed".into());
        }
        if when.iter().any(|atom| matches!(atom, Atom::Multiple(..))) {
            return Err("a mirror is for cases by fixed moduli".into());
        }
        let mut base = parameters(self.over)?;
        base.atoms(when)?;
        for (place, (term, divisor)) in quotients.iter().enumerate() {
            let rest = term.plus(-i128::from(*divisor), &Linear::var(QUOTIENT_BASE + place as u32))?;
            base.within(&Linear::default(), &rest, &Linear::number(i128::from(*divisor) - 1))?;
        }
        let place: Vec<Linear> = (0..axes as u32).map(|axis| Linear::var(COORDINATE_BASE + axis)).collect();
        let of = |at: &[Linear]| -> PlanResult<Vec<Linear>> {
            Ok(image.iter().map(|term| replaced(term, COORDINATE_BASE, at)).collect::<Result<_, _>>()?)
        };
        let there = of(&place)?;
        if of(&there)? != place {
            return Err("the image of an image is not the original".into());
        }
        let board = Area { low: vec![Linear::number(1); axes], high: schema.board.clone() };
        let mut cell = base.clone();
        cell.inside(&place, &board)?;
        cell.outside(&there, &board)?;
        self.add("the image of a cell is a cell", cell);
        let mut opened: Vec<Area> = Vec::new();
        if let Some(opening) = opening {
            let made = self.made(self.scheme(opening.scheme)?, &opening.choices)?;
            for condition in &made.conditions {
                self.at_most_zero("the opening is legal", &base, condition)?;
            }
            for area in &made.changed {
                let mut held = base.clone();
                held.inside(&place, area)?;
                made.changed.iter().try_for_each(|other| held.outside(&there, other))?;
                self.add("the opening is its own image", held);
            }
            opened = made.changed;
        }
        for (number, scheme) in schema.moves.iter().enumerate() {
            let name = &scheme.name;
            let made = self.any(scheme)?;
            let instance = &answers[number];
            let answer = self.made(self.scheme(instance.scheme)?, &instance.choices)?;
            let mut chosen = base.clone();
            for condition in &made.conditions {
                chosen.at_most(condition, &Linear::default())?;
            }
            for area in made.untouched.iter().chain(&made.changed) {
                let mut held = chosen.clone();
                held.inside(&place, area)?;
                held.outside(&place, &board)?;
                self.add(format!("{name} names cells of the board"), held);
            }
            match made.changed.first() {
                Some(area) if made.untouched.contains(area) => {
                    let mut held = chosen.clone();
                    let pairs = area.low.iter().zip(&area.high);
                    let empty: Result<Clause, Overflow> =
                        pairs.map(|(low, high)| Literal::less(high, low)).collect();
                    held.problem.clauses.push(empty?);
                    self.add(format!("{name} changes a cell"), held);
                }
                _ => return Err("a move does not change what it asks to be untouched".into()),
            }
            let mut moved = base.clone();
            self.legal(&mut moved, &made)?;
            opened.iter().try_for_each(|area| moved.all(area, true))?;
            let bound: Vec<u32> = (0..axes as u32).map(|axis| FIRST_FRESH_VAR - 1 - axis).collect();
            let at: Vec<Linear> = bound.iter().map(|&var| Linear::var(var)).collect();
            let clause = vec![Literal::Cell(at.clone(), false), Literal::Cell(of(&at)?, true)];
            moved.problem.universals.push(Universal { bound, clause });
            moved.problem.hints = corners(&made, &answer, &opened, &of)?;
            for condition in &answer.conditions {
                self.at_most_zero(&format!("the answer to {name} is legal"), &moved, condition)?;
            }
            moved.problem.hints.extend([place.clone(), there.clone()]);
            for area in &answer.untouched {
                let mut held = moved.clone();
                held.inside(&place, area)?;
                let mut before = held.clone();
                before.one(Literal::Cell(place.clone(), true));
                self.add(format!("the answer to {name} finds its cells untouched before"), before);
                for changed in &made.changed {
                    let mut meets = held.clone();
                    meets.inside(&place, changed)?;
                    self.add(format!("the answer to {name} does not meet it"), meets);
                }
            }
            for (from, to) in [(&made.changed, &answer.changed), (&answer.changed, &made.changed)] {
                for area in from {
                    let mut held = moved.clone();
                    held.inside(&place, area)?;
                    to.iter().try_for_each(|other| held.outside(&there, other))?;
                    self.add(format!("{name} and the answer are each other's images"), held);
                }
            }
        }
        Ok(())
    }
}

/// Returns the term of a variable after a move.
fn after(made: &SchemeFacts, var: u32) -> Option<Linear> {
    let place = var.checked_sub(COUNTER_BASE)?;
    made.counters.iter().find(|(counter, _)| *counter == place).map(|(_, term)| term.clone())
}

/// Returns the corners of areas and their images: the places at which conditions on all cells are instantiated.
fn corners(
    made: &SchemeFacts,
    answer: &SchemeFacts,
    opened: &[Area],
    of: &dyn Fn(&[Linear]) -> PlanResult<Vec<Linear>>,
) -> PlanResult<Vec<Vec<Linear>>> {
    let mut places: Vec<Vec<Linear>> = Vec::new();
    let areas = made.untouched.iter().chain(&made.changed).chain(&answer.untouched).chain(opened);
    for area in areas {
        for corner in [&area.low, &area.high] {
            for place in [corner.clone(), of(corner)?] {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
    }
    Ok(places)
}
