//! Scope check: a plan uses only the variables that it may, and only numbers of 64 bits. A variable of another kind
//! would change the meaning of conditions; a condition whose value is past 128 bits would count as one that fails.

use super::PlanResult;
use bouton_base::linear::{Linear, Overflow};
use bouton_rules::parametric::{
    Atom, CHOICE_BASE, COORDINATE_BASE, COUNTER_BASE, PARAM_BASE, ParametricRules, ParametricStrategy,
    QUOTIENT_BASE, REMAINDER_BASE, SchemeInstance, WinnerCase,
};

/// The maximal size of moduli, divisors and lists.
const MAX_ENTRIES: usize = 256;

/// A block of variables of one kind: the first, and their number.
type VarRange = (u32, usize);

/// Checks every term of a plan and its cases.
pub(super) fn check(
    schema: &ParametricRules,
    plan: &ParametricStrategy,
    cases: &[WinnerCase],
) -> PlanResult<()> {
    let params = (PARAM_BASE, schema.params.len());
    if cases.is_empty() || cases.len() > MAX_ENTRIES {
        return Err("there are no cases, or too many".into());
    }
    for case in cases {
        atoms(&case.when, &[params], params)?;
    }
    match plan {
        ParametricStrategy::LostPositions { lost, replies, ranking: measure } => {
            let position = [params, (COUNTER_BASE, schema.counters.len())];
            if replies.len() > MAX_ENTRIES {
                return Err("there are too many replies".into());
            }
            atoms(lost, &position, params)?;
            term(measure, &position)?;
            for (when, reply) in replies {
                atoms(std::slice::from_ref(when), &position, params)?;
                // The remainder is available if the only condition of lost positions is that a term divides another.
                let rest = matches!(&lost[..], [Atom::Multiple(_, _, true)]);
                instance(reply, &[params, position[1], (REMAINDER_BASE, usize::from(rest))])?;
            }
        }
        ParametricStrategy::Mirror { quotients, opening, image, answers } => {
            for (place, (of, divisor)) in quotients.iter().enumerate() {
                term(of, &[params, (QUOTIENT_BASE, place)])?;
                if *divisor == 0 || *divisor as usize > MAX_ENTRIES || place >= MAX_ENTRIES {
                    return Err("a divisor is 0 or too large".into());
                }
            }
            let fixed = [params, (QUOTIENT_BASE, quotients.len())];
            if let Some(opening) = opening {
                instance(opening, &fixed)?;
            }
            for of in image {
                term(of, &[fixed[0], fixed[1], (COORDINATE_BASE, schema.board.len())])?;
            }
            for (answer, scheme) in answers.iter().zip(&schema.moves) {
                instance(answer, &[fixed[0], fixed[1], (CHOICE_BASE, scheme.choices.len())])?;
            }
        }
        ParametricStrategy::RowAutomaton { .. } => {}
    }
    Ok(())
}

fn instance(instance: &SchemeInstance, blocks: &[VarRange]) -> PlanResult<()> {
    instance.choices.iter().try_for_each(|choice| term(choice, blocks))
}

fn atoms(atoms: &[Atom], blocks: &[VarRange], params: VarRange) -> PlanResult<()> {
    if atoms.len() > MAX_ENTRIES {
        return Err("there are too many conditions".into());
    }
    atoms.iter().try_for_each(|atom| match atom {
        Atom::AtMost(of) | Atom::Zero(of) => term(of, blocks),
        Atom::Residue(of, modulus, residues) => {
            let ordered = residues.windows(2).all(|pair| pair[0] < pair[1]);
            let small = residues.last().is_some_and(|last| last < modulus);
            if !ordered || !small || *modulus as usize > MAX_ENTRIES {
                return Err("residues are not in order, or not smaller than the modulus".into());
            }
            term(of, blocks)
        }
        Atom::Multiple(of, by, _) => term(of, blocks).and_then(|()| term(by, &[params])),
    })
}

fn term(term: &Linear, blocks: &[VarRange]) -> PlanResult<()> {
    let known = |var: u32| {
        blocks
            .iter()
            .any(|&(first, count)| var.checked_sub(first).is_some_and(|place| (place as usize) < count))
    };
    if !term.terms.iter().all(|&(var, _)| known(var)) {
        return Err("a term names a variable out of scope".into());
    }
    term.terms.iter().map(|(_, factor)| factor).chain([&term.constant]).try_for_each(small)
}

/// Checks that a number has at most 64 bits.
pub(super) fn small(number: &i128) -> PlanResult<()> {
    i64::try_from(*number).map_or(Err(Overflow.into()), |_| Ok(()))
}
