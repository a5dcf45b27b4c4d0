//! Plans for positions of one or two numbers, some of which are lost for the player to move.

use super::{ProvedPlan, proved};
use bouton_base::limits::Limits;
use bouton_base::linear::Linear;
use bouton_rules::parametric::{
    Atom, CHOICE_BASE, COUNTER_BASE, PARAM_BASE, ParamRange, ParametricRules, ParametricStrategy,
    REMAINDER_BASE, SchemeInstance, WinnerCase,
};

/// The maximal period of residues; `MAX_TRIAL_NUMBER` limits the numbers of the trial positions.
const MAX_PERIOD: usize = 64;
const MAX_TRIAL_NUMBER: i128 = 192;

/// Returns a plan, if small positions suggest one.
pub(super) fn plans(schema: &ParametricRules, over: &[ParamRange], limits: &Limits) -> Vec<ProvedPlan> {
    let proposed = match schema.counters.len() {
        1 => residues(schema, over, limits).into_iter().chain(divided(schema)).collect(),
        2 => equal(schema).into_iter().collect(),
        _ => Vec::new(),
    };
    let found = proposed.into_iter().find_map(|proposal| planned(schema, over, proposal, limits));
    found.into_iter().collect()
}

/// Returns the plan of a proposal, if it is proved.
fn planned(
    schema: &ParametricRules,
    over: &[ParamRange],
    proposal: LostProposal,
    limits: &Limits,
) -> Option<ProvedPlan> {
    let LostProposal { lost, replies, cases } = proposal;
    let sum = (0..schema.counters.len() as u32)
        .try_fold(Linear::default(), |sum, counter| sum.plus(1, &Linear::var(COUNTER_BASE + counter)));
    let plan = ParametricStrategy::LostPositions { lost: vec![lost], replies, ranking: sum.ok()? };
    proved(schema, over, plan, cases, limits)
}

/// A guess of the lost positions, from which a plan follows.
struct LostProposal {
    /// The condition of lost positions.
    lost: Atom,
    /// The replies in the other positions.
    replies: Vec<(Atom, SchemeInstance)>,
    /// The cases with their winners.
    cases: Vec<WinnerCase>,
}

/// Proposes that the lost numbers are those with certain residues.
fn residues(schema: &ParametricRules, over: &[ParamRange], limits: &Limits) -> Option<LostProposal> {
    // The parameters get large values, so that no end of a range is near.
    let value = |var: u32, here: i128, choices: &[i128]| match var {
        CHOICE_BASE.. => choices.get((var - CHOICE_BASE) as usize).copied(),
        COUNTER_BASE => Some(here),
        _ => {
            over.get((var - PARAM_BASE) as usize).map(|range| range.low.saturating_add(4 * MAX_TRIAL_NUMBER))
        }
    };
    let low = schema.counters[0].low.constant()?;
    // The moves of each number: the scheme, its choices, and the new number.
    let mut moves: Vec<Vec<(u32, Vec<i128>, i128)>> = Vec::new();
    let mut lost: Vec<bool> = Vec::new();
    for here in low..low + MAX_TRIAL_NUMBER {
        if limits.check().is_some() {
            return None;
        }
        let mut own = Vec::new();
        for (number, scheme) in schema.moves.iter().enumerate() {
            let mut choices: Vec<Vec<i128>> = vec![Vec::new()];
            for (least, most) in &scheme.choices {
                let (least, most) = (
                    least.value(&|var| value(var, here, &[]))?,
                    most.value(&|var| value(var, here, &[]))?.min(MAX_TRIAL_NUMBER),
                );
                let longer = |chosen: &Vec<i128>| {
                    let chosen = chosen.clone();
                    (least..=most).map(move |choice| chosen.iter().copied().chain([choice]).collect())
                };
                choices = choices.iter().flat_map(longer).take(2000).collect::<Vec<Vec<i128>>>();
            }
            for chosen in choices {
                let of = |term: &Linear| term.value(&|var| value(var, here, &chosen));
                if scheme.guards.iter().all(|guard| of(guard).is_some_and(|value| value <= 0)) {
                    let to = scheme.counters.first().and_then(|(_, term)| of(term))?;
                    // Only moves to smaller numbers are supported.
                    own.push((number as u32, chosen, (low <= to && to < here).then_some(to)?));
                }
            }
        }
        lost.push(!own.iter().any(|(_, _, to)| lost[(to - low) as usize]));
        moves.push(own);
    }
    let period = (1..=MAX_PERIOD).find(|p| (*p..lost.len()).all(|here| lost[here] == lost[here - p]))?;
    let modulus = period as u32;
    let var = Linear::var(COUNTER_BASE).plus_constant(-low).ok()?;
    let of = |wanted: bool| (0..modulus).filter(|r| lost[*r as usize] == wanted).collect::<Vec<u32>>();
    let atom = Atom::Residue(var.clone(), modulus, of(true));
    let mut replies: Vec<(Vec<u32>, SchemeInstance)> = Vec::new();
    for residue in of(false) {
        // The same move must work from the least number of this residue and from a larger one.
        let here = residue as usize;
        let (scheme, chosen, _) = moves[here].iter().find(|(_, _, to)| lost[(to - low) as usize])?;
        let choices = chosen.iter().map(|&choice| Linear::number(choice)).collect();
        let made = SchemeInstance { scheme: *scheme, choices };
        match replies.iter_mut().find(|(_, other)| *other == made) {
            Some((residues, _)) => residues.push(residue),
            None => replies.push((vec![residue], made)),
        }
    }
    let replies = replies
        .into_iter()
        .map(|(residues, made)| (Atom::Residue(var.clone(), modulus, residues), made))
        .collect();
    let first = schema.counters[0].initial.plus_constant(-low).ok()?;
    let case = |wanted: bool| {
        let residues = of(wanted);
        let when = if residues.len() == period {
            Vec::new()
        } else {
            vec![Atom::Residue(first.clone(), modulus, residues)]
        };
        WinnerCase { when, first_player_wins: !wanted }
    };
    let cases = [true, false].into_iter().filter(|wanted| !of(*wanted).is_empty()).map(case);
    let cases: Vec<WinnerCase> = cases.collect();
    Some(LostProposal { lost: atom, replies, cases })
}

/// Proposes that the lost numbers are the multiples of one more than the largest move, which is a parameter: the reply
/// takes the remainder of any other number (Bachet 1612).
fn divided(schema: &ParametricRules) -> Vec<LostProposal> {
    let of = |number: usize| -> Option<LostProposal> {
        let scheme = &schema.moves[number];
        let [(_, most)] = &scheme.choices[..] else { return None };
        let takes = Linear::var(COUNTER_BASE).minus(&Linear::var(CHOICE_BASE)).ok()?;
        let [(0, to)] = &scheme.counters[..] else { return None };
        if *to != takes || most.terms.is_empty() {
            return None;
        }
        let (low, by) = (schema.counters[0].low.constant()?, most.plus_constant(1).ok()?);
        let lost = Atom::Multiple(Linear::var(COUNTER_BASE).plus_constant(-low).ok()?, by.clone(), true);
        let rest = SchemeInstance { scheme: number as u32, choices: vec![Linear::var(REMAINDER_BASE)] };
        let first = schema.counters[0].initial.plus_constant(-low).ok()?;
        let case = |divides: bool| WinnerCase {
            when: vec![Atom::Multiple(first.clone(), by.clone(), divides)],
            first_player_wins: !divides,
        };
        let replies = vec![(Atom::AtMost(Linear::default()), rest)];
        Some(LostProposal { lost, replies, cases: vec![case(true), case(false)] })
    };
    (0..schema.moves.len()).filter_map(of).collect()
}

/// Proposes that two equal numbers are lost: the reply makes the larger number equal to the smaller.
fn equal(schema: &ParametricRules) -> Option<LostProposal> {
    let (a, b) = (Linear::var(COUNTER_BASE), Linear::var(COUNTER_BASE + 1));
    let apart = a.minus(&b).ok()?;
    let mut replies = Vec::new();
    for (own, difference) in [(0, apart.clone()), (1, apart.times(-1).ok()?)] {
        // A move that subtracts the choice from this number.
        let takes = Linear::var(COUNTER_BASE + own).minus(&Linear::var(CHOICE_BASE)).ok()?;
        let scheme = schema.moves.iter().position(|scheme| {
            scheme.choices.len() == 1
                && matches!(&scheme.counters[..], [(counter, to)] if *counter == own && *to == takes)
        })?;
        let made = SchemeInstance { scheme: scheme as u32, choices: vec![difference.clone()] };
        replies.push((Atom::AtMost(difference.times(-1).ok()?.plus_constant(1).ok()?), made));
    }
    let first = schema.counters[0].initial.minus(&schema.counters[1].initial).ok()?;
    let below = Atom::AtMost(first.plus_constant(1).ok()?);
    let above = Atom::AtMost(first.times(-1).ok()?.plus_constant(1).ok()?);
    let cases = vec![
        WinnerCase { when: vec![Atom::Zero(first)], first_player_wins: false },
        WinnerCase { when: vec![below], first_player_wins: true },
        WinnerCase { when: vec![above], first_player_wins: true },
    ];
    Some(LostProposal { lost: Atom::Zero(apart), replies, cases })
}
