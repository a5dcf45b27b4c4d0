//! Mirror plans for boards of every size.

use super::{ProvedPlan, always, leaves_some, proved};
use bouton_base::limits::Limits;
use bouton_base::linear::Linear;
use bouton_rules::parametric::{
    Atom, CHOICE_BASE, COORDINATE_BASE, MoveScheme, PARAM_BASE, ParamRange, ParametricRules,
    ParametricStrategy, QUOTIENT_BASE, SchemeInstance, WinnerCase,
};

/// The first number of the unknowns that stand for the choices of an answer while it is solved for.
const FIRST_UNKNOWN_CHOICE: u32 = 6000;

/// Terms with their divisors.
type Quotients = Vec<(Linear, u32)>;

/// Returns a mirror plan for each combination of parities of the sides that has one.
pub(super) fn plans(schema: &ParametricRules, over: &[ParamRange], limits: &Limits) -> Vec<ProvedPlan> {
    let sides: Vec<u32> = (0..over.len() as u32)
        .filter(|place| schema.board.iter().any(|side| side.factor(PARAM_BASE + place) != 0))
        .collect();
    if sides.len() > 3 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for class in 0..1u32 << sides.len() {
        let odd = |(bit, &place): (usize, &u32)| {
            Atom::Residue(Linear::var(PARAM_BASE + place), 2, vec![class >> bit & 1])
        };
        let when: Vec<Atom> = sides.iter().enumerate().map(odd).collect();
        found.extend(of_class(schema, over, &when, limits));
    }
    found
}

/// Returns plans until all values of the class are covered.
fn of_class(
    schema: &ParametricRules,
    over: &[ParamRange],
    class: &[Atom],
    limits: &Limits,
) -> Vec<ProvedPlan> {
    let mut found: Vec<ProvedPlan> = Vec::new();
    let mut cases: Vec<Vec<Atom>> = Vec::new();
    for reversed in axes(schema.board.len()) {
        let Some(image) = image(schema, &reversed) else { continue };
        let answers = schema.moves.iter().enumerate();
        let answers = answers.map(|(number, scheme)| answer(number as u32, scheme, schema, &reversed));
        let Some(answers) = answers.collect::<Option<Vec<SchemeInstance>>>() else { continue };
        let mut ways: Vec<(Option<SchemeInstance>, Quotients, Vec<Vec<Atom>>)> =
            vec![(None, Vec::new(), least(schema, over))];
        for (number, scheme) in schema.moves.iter().enumerate() {
            for (opening, quotients) in openings(number as u32, scheme, schema, &reversed) {
                let needs = needs(scheme, &opening, over, limits);
                ways.push((Some(opening), quotients, vec![needs]));
            }
        }
        for (opening, quotients, more) in ways {
            for extra in std::iter::once(Vec::new()).chain(more) {
                let when: Vec<Atom> = class.iter().cloned().chain(extra).collect();
                // A case that is already covered needs no other plan.
                if cases.contains(&when) || !leaves_some(over, &when, &cases, limits) {
                    continue;
                }
                let case = WinnerCase { when: when.clone(), first_player_wins: opening.is_some() };
                let plan = ParametricStrategy::Mirror {
                    quotients: quotients.clone(),
                    opening: opening.clone(),
                    image: image.clone(),
                    answers: answers.clone(),
                };
                if let Some(plan) = proved(schema, over, plan, vec![case], limits) {
                    found.push(plan);
                    cases.push(when);
                    break;
                }
            }
            if !leaves_some(over, class, &cases, limits) {
                return found;
            }
        }
    }
    found
}

/// Returns the sets of reversed axes to try: all axes, then one at a time.
fn axes(count: usize) -> Vec<Vec<bool>> {
    let mut all = vec![vec![true; count]];
    if count > 1 {
        all.extend((0..count).map(|axis| (0..count).map(|other| other == axis).collect()));
    }
    all
}

fn image(schema: &ParametricRules, reversed: &[bool]) -> Option<Vec<Linear>> {
    let axes = schema.board.iter().zip(reversed).enumerate();
    axes.map(|(axis, (side, reversed))| {
        let own = Linear::var(COORDINATE_BASE + axis as u32);
        if *reversed { side.plus_constant(1).ok()?.minus(&own).ok() } else { Some(own) }
    })
    .collect()
}

/// Returns the conditions that one parameter that is no side has its least value, one for each such parameter.
fn least(schema: &ParametricRules, over: &[ParamRange]) -> Vec<Vec<Atom>> {
    let free = over
        .iter()
        .enumerate()
        .filter(|(place, _)| schema.board.iter().all(|side| side.factor(PARAM_BASE + *place as u32) == 0));
    let small = free
        .filter_map(|(place, range)| Linear::var(PARAM_BASE + place as u32).plus_constant(-range.low).ok());
    small.map(|term| vec![Atom::AtMost(term)]).collect()
}

/// Returns the first and the last corner of the cells that a scheme changes.
fn corners(scheme: &MoveScheme) -> Option<(&[Linear], &[Linear])> {
    Some((&scheme.changed.first()?.low, &scheme.changed.last()?.high))
}

fn renamed(term: &Linear, from: u32, to: u32) -> Option<Linear> {
    term.substitute(&|var| (var >= from && var < from + 1000).then(|| Linear::var(var - from + to))).ok()
}

/// Returns the move of the same scheme whose corners are the images of the other corners.
fn answer(
    number: u32,
    scheme: &MoveScheme,
    schema: &ParametricRules,
    reversed: &[bool],
) -> Option<SchemeInstance> {
    let (low, high) = corners(scheme)?;
    let mut equations: Vec<Linear> = Vec::new();
    for (axis, side) in schema.board.iter().enumerate() {
        for (of, other) in [(&low[axis], &high[axis]), (&high[axis], &low[axis])] {
            let wanted =
                if reversed[axis] { side.plus_constant(1).ok()?.minus(other).ok()? } else { of.clone() };
            // The unknowns are numbered apart from the choices of the move that is answered.
            equations.push(renamed(of, CHOICE_BASE, FIRST_UNKNOWN_CHOICE)?.minus(&wanted).ok()?);
        }
    }
    let mut choices: Vec<Option<Linear>> = vec![None; scheme.choices.len()];
    loop {
        let known =
            |var: u32| choices.get(var.checked_sub(FIRST_UNKNOWN_CHOICE)? as usize).cloned().flatten();
        let mut next = None;
        for equation in &equations {
            let equation = equation.substitute(&known).ok()?;
            let mut open = equation.terms.iter().filter(|(var, _)| *var >= FIRST_UNKNOWN_CHOICE);
            if let (Some(&(var, factor)), None) = (open.next(), open.next())
                && factor.abs() == 1
            {
                let rest = equation.plus(-factor, &Linear::var(var)).ok()?;
                next = Some(((var - FIRST_UNKNOWN_CHOICE) as usize, rest.times(-factor).ok()?));
                break;
            }
        }
        match next {
            Some((choice, term)) => *choices.get_mut(choice)? = Some(term),
            None => break,
        }
    }
    let own = |(choice, term): (usize, Option<Linear>)| {
        term.unwrap_or_else(|| Linear::var(CHOICE_BASE + choice as u32))
    };
    Some(SchemeInstance { scheme: number, choices: choices.into_iter().enumerate().map(own).collect() })
}

/// Returns moves in the middle: on each reversed axis, a choice makes the corners each other's images; the other
/// choices have their least value, or one more.
fn openings(
    number: u32,
    scheme: &MoveScheme,
    schema: &ParametricRules,
    reversed: &[bool],
) -> Vec<(SchemeInstance, Quotients)> {
    let Some((low, high)) = corners(scheme) else { return Vec::new() };
    let mut equations: Vec<(u32, Linear)> = Vec::new();
    for (axis, side) in schema.board.iter().enumerate().filter(|(axis, _)| reversed[*axis]) {
        let Ok(sum) = low[axis].plus(1, &high[axis]).and_then(|sum| sum.minus(side)?.plus_constant(-1))
        else {
            continue;
        };
        let free = sum
            .terms
            .iter()
            .filter(|(var, _)| *var >= CHOICE_BASE && !equations.iter().any(|(taken, _)| taken == var));
        let Some(&(var, _)) = free.max_by_key(|(_, factor)| factor.abs()) else { return Vec::new() };
        equations.push((var, sum));
    }
    let others: Vec<u32> = (0..scheme.choices.len() as u32)
        .map(|choice| CHOICE_BASE + choice)
        .filter(|var| !equations.iter().any(|(taken, _)| taken == var))
        .collect();
    let mut all = Vec::new();
    for pick in 0..1u32 << others.len().min(3) {
        all.extend(opening(number, scheme, &equations, &others, pick));
    }
    all
}

fn opening(
    number: u32,
    scheme: &MoveScheme,
    equations: &[(u32, Linear)],
    others: &[u32],
    pick: u32,
) -> Option<(SchemeInstance, Quotients)> {
    let mut choices: Vec<Option<Linear>> = vec![None; scheme.choices.len()];
    for (bit, var) in others.iter().enumerate() {
        let choice = (var - CHOICE_BASE) as usize;
        choices[choice] = Some(scheme.choices[choice].0.plus_constant(i128::from(pick >> bit & 1)).ok()?);
    }
    let mut quotients = Vec::new();
    for (var, sum) in equations {
        let known = |var: u32| choices.get(var.checked_sub(CHOICE_BASE)? as usize).cloned().flatten();
        let sum = sum.substitute(&known).ok()?;
        let factor = sum.factor(*var);
        let rest = sum.plus(-factor, &Linear::var(*var)).ok()?.times(-factor.signum()).ok()?;
        let choice = (var - CHOICE_BASE) as usize;
        choices[choice] = Some(if factor.abs() == 1 {
            rest
        } else {
            quotients.push((rest, u32::try_from(factor.abs()).ok()?));
            Linear::var(QUOTIENT_BASE + quotients.len() as u32 - 1)
        });
    }
    Some((SchemeInstance { scheme: number, choices: choices.into_iter().collect::<Option<_>>()? }, quotients))
}

/// Returns the conditions on the parameters under which an opening is legal.
fn needs(scheme: &MoveScheme, opening: &SchemeInstance, over: &[ParamRange], limits: &Limits) -> Vec<Atom> {
    let with = |term: &Linear| {
        term.substitute(&|var| opening.choices.get(var.checked_sub(CHOICE_BASE)? as usize).cloned()).ok()
    };
    let mut needs = Vec::new();
    for ((low, high), choice) in scheme.choices.iter().zip(&opening.choices) {
        needs.extend(with(low).and_then(|low| low.minus(choice).ok()));
        needs.extend(with(high).and_then(|high| choice.minus(&high).ok()));
    }
    needs.extend(scheme.guards.iter().filter_map(with));
    needs.retain(|term| {
        !term.terms.is_empty()
            && term.terms.iter().all(|(var, _)| *var < PARAM_BASE + 1000)
            && !always(over, term, limits)
    });
    needs.dedup();
    needs.into_iter().map(Atom::AtMost).collect()
}
