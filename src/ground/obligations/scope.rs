//! Scope check: a plan uses only the variables that it may. A variable of another kind would change the meaning of
//! conditions.

use crate::base::linear::Linear;
use crate::rules::schema::{
    Atom, CHOICE, COUNTER, Case, Instance, PARAM, PLACE, Plan, QUOTIENT, REST, Schema,
};

/// The maximal size of moduli, divisors and lists.
const MOST: usize = 256;

/// A block of variables of one kind: the first, and their number.
type Block = (u32, usize);

/// Checks every term of a plan and its cases.
pub(super) fn check(schema: &Schema, plan: &Plan, cases: &[Case]) -> Result<(), String> {
    let params = (PARAM, schema.over.len());
    if cases.is_empty() || cases.len() > MOST {
        return Err("there are no cases, or too many".into());
    }
    for case in cases {
        atoms(&case.when, &[params], params)?;
    }
    match plan {
        Plan::Lost { lost, replies, measure } => {
            let position = [params, (COUNTER, schema.counters.len())];
            if replies.len() > MOST {
                return Err("there are too many replies".into());
            }
            atoms(lost, &position, params)?;
            term(measure, &position)?;
            for (when, reply) in replies {
                atoms(std::slice::from_ref(when), &position, params)?;
                // The remainder is available if the only condition of lost positions is that a term divides another.
                let rest = matches!(&lost[..], [Atom::Multiple(_, _, true)]);
                instance(reply, &[params, position[1], (REST, usize::from(rest))])?;
            }
        }
        Plan::Mirror { quotients, opening, image, answers } => {
            for (place, (of, divisor)) in quotients.iter().enumerate() {
                term(of, &[params, (QUOTIENT, place)])?;
                if *divisor == 0 || *divisor as usize > MOST || place >= MOST {
                    return Err("a divisor is 0 or too large".into());
                }
            }
            let fixed = [params, (QUOTIENT, quotients.len())];
            if let Some(opening) = opening {
                instance(opening, &fixed)?;
            }
            for of in image {
                term(of, &[fixed[0], fixed[1], (PLACE, schema.board.len())])?;
            }
            for (answer, scheme) in answers.iter().zip(&schema.moves) {
                instance(answer, &[fixed[0], fixed[1], (CHOICE, scheme.choices.len())])?;
            }
        }
        Plan::Row { .. } => {}
    }
    Ok(())
}

fn instance(instance: &Instance, blocks: &[Block]) -> Result<(), String> {
    instance.choices.iter().try_for_each(|choice| term(choice, blocks))
}

fn atoms(atoms: &[Atom], blocks: &[Block], params: Block) -> Result<(), String> {
    if atoms.len() > MOST {
        return Err("there are too many conditions".into());
    }
    atoms.iter().try_for_each(|atom| match atom {
        Atom::AtMost(of) | Atom::Zero(of) => term(of, blocks),
        Atom::Residue(of, modulus, residues) => {
            let ordered = residues.windows(2).all(|pair| pair[0] < pair[1]);
            let small = residues.last().is_some_and(|last| last < modulus);
            if !ordered || !small || *modulus as usize > MOST {
                return Err("residues are not in order, or not smaller than the modulus".into());
            }
            term(of, blocks)
        }
        Atom::Multiple(of, by, _) => term(of, blocks).and_then(|()| term(by, &[params])),
    })
}

fn term(term: &Linear, blocks: &[Block]) -> Result<(), String> {
    let known = |var: u32| {
        blocks
            .iter()
            .any(|&(first, count)| var.checked_sub(first).is_some_and(|place| (place as usize) < count))
    };
    if term.terms.iter().all(|&(var, _)| known(var)) {
        Ok(())
    } else {
        Err("a term speaks of what it may not".into())
    }
}
