//! PARAM: the winner for all values of the parameters, by a plan and proofs that it works.
//!
//! The checker asks the parser of the rules for the schema in which the parameters stay symbolic, derives the proof
//! obligations of the plan itself, and verifies a proof of each: a tree of cases whose leaves are contradictory sums
//! of linear conditions. If an automaton recognizes the lost rows, no proofs are needed: the checker enumerates all
//! states that reading a row can reach. In addition it solves small games by the definition.

use super::{Body, automaton, linear};
use crate::base::automaton::Automaton;
use crate::base::linear::{Linear, Step};
use crate::rules::schema::{Case, Plan, Ranged};

/// The data of a PARAM lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// The parameters with the ranges of the claim.
    pub over: Vec<Ranged>,
    /// The cases with their winners.
    pub cases: Vec<Case>,
    /// The plan of the winner.
    pub plan: Plan,
    /// The proofs of the obligations, in order.
    pub proofs: Vec<Vec<Step>>,
}

impl Param {
    pub(super) fn of_head(words: &[&str]) -> Option<Param> {
        let plan = match words {
            ["lost"] => Plan::Lost { lost: Vec::new(), replies: Vec::new(), measure: Linear::default() },
            ["mirror"] => {
                Plan::Mirror { quotients: Vec::new(), opening: None, image: Vec::new(), answers: Vec::new() }
            }
            ["row"] => Plan::Row { lost: Automaton::default() },
            _ => return None,
        };
        Some(Param { over: Vec::new(), cases: Vec::new(), plan, proofs: Vec::new() })
    }

    /// Returns the lines before the proofs.
    fn plan(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.over.iter().map(|range| format!("over {}", linear::ranged(range))).collect();
        for case in &self.cases {
            let who = if case.begins { "begins" } else { "answers" };
            lines.push(format!("case {who} {}", linear::atoms(&case.when)));
        }
        match &self.plan {
            Plan::Lost { lost, replies, measure } => {
                lines.push(format!("lost {}", linear::atoms(lost)));
                lines.push(format!("measure {}", linear::term(measure)));
                lines.extend(replies.iter().map(|(when, made)| {
                    format!("reply {} {}", linear::atoms(std::slice::from_ref(when)), linear::instance(made))
                }));
            }
            Plan::Mirror { quotients, opening, image, answers } => {
                lines.extend(quotients.iter().map(|(of, by)| format!("quotient {} {by}", linear::term(of))));
                lines.extend(opening.iter().map(|made| format!("opening {}", linear::instance(made))));
                lines.push(format!("image {}", linear::terms(image)));
                lines.extend(answers.iter().map(|made| format!("answer {}", linear::instance(made))));
            }
            Plan::Row { lost } => {
                lines.extend(
                    (0..lost.next.len()).map(|state| format!("state {}", automaton::line(lost, state))),
                );
            }
        }
        lines
    }

    fn plan_len(&self) -> usize {
        let plan = match &self.plan {
            Plan::Lost { replies, .. } => 2 + replies.len(),
            Plan::Mirror { quotients, opening, answers, .. } => {
                quotients.len() + usize::from(opening.is_some()) + 1 + answers.len()
            }
            Plan::Row { lost } => lost.next.len(),
        };
        self.over.len() + self.cases.len() + plan
    }

    fn read(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        let (&word, rest) = words.split_first()?;
        if let Some(proof) = self.proofs.last_mut()
            && word != "proof"
        {
            proof.push(step(word, rest)?);
            return Some(());
        }
        match (word, rest, &mut self.plan) {
            ("proof", [number], _) => {
                (number.parse() == Ok(self.proofs.len() + 1)).then_some(())?;
                self.proofs.push(Vec::new());
            }
            ("over", rest, _) => self.over.push(linear::read_ranged(rest)?),
            ("case", [who, when], _) => {
                let begins = *who == "begins";
                (begins || *who == "answers").then_some(())?;
                self.cases.push(Case { when: linear::read_atoms(when)?, begins });
            }
            ("lost", [atoms], Plan::Lost { lost, .. }) => *lost = linear::read_atoms(atoms)?,
            ("measure", [of], Plan::Lost { measure, .. }) => *measure = linear::read_term(of)?,
            ("reply", [when, scheme, choices], Plan::Lost { replies, .. }) => {
                let [when] = <[_; 1]>::try_from(linear::read_atoms(when)?).ok()?;
                replies.push((when, linear::read_instance(scheme, choices)?));
            }
            ("quotient", [of, by], Plan::Mirror { quotients, .. }) => {
                quotients.push((linear::read_term(of)?, by.parse().ok()?));
            }
            ("opening", [scheme, choices], Plan::Mirror { opening, .. }) => {
                *opening = Some(linear::read_instance(scheme, choices)?);
            }
            ("image", [terms], Plan::Mirror { image, .. }) => *image = linear::read_terms(terms)?,
            ("answer", [scheme, choices], Plan::Mirror { answers, .. }) => {
                answers.push(linear::read_instance(scheme, choices)?);
            }
            ("state", [says, next], Plan::Row { lost }) => automaton::take(lost, &format!("{says} {next}"))?,
            _ => return None,
        }
        Some(())
    }
}

impl Body for Param {
    fn head(&self, _: &[String]) -> String {
        match self.plan {
            Plan::Lost { .. } => "param lost".into(),
            Plan::Mirror { .. } => "param mirror".into(),
            Plan::Row { .. } => "param row".into(),
        }
    }

    fn len(&self) -> usize {
        self.plan_len() + self.proofs.iter().map(|proof| 1 + proof.len()).sum::<usize>()
    }

    fn line(&self, number: usize) -> String {
        let Some(mut rest) = number.checked_sub(self.plan_len()) else {
            return self.plan()[number].clone();
        };
        for (place, proof) in self.proofs.iter().enumerate() {
            if rest == 0 {
                return format!("proof {}", place + 1);
            }
            if rest <= proof.len() {
                return written(&proof[rest - 1]);
            }
            rest -= 1 + proof.len();
        }
        String::new()
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        // The comparison with the canonical form checks that the lines come in this order and each once.
        let read = self.read(line);
        if read.is_none() {
            return Err(format!(
                "`{}` is no line of a plan or a proof",
                line.chars().take(80).collect::<String>()
            ));
        }
        Ok(())
    }
}

/// Renders a proof step.
fn written(step: &Step) -> String {
    match step {
        Step::Derive(sum) => {
            let sum: Vec<String> = sum.iter().map(|(fact, times)| format!("{times}*{fact}")).collect();
            format!("derive {}", sum.join(","))
        }
        Step::Split(clause) => format!("split {clause}"),
        Step::Cut(of) => format!("cut {}", linear::term(of)),
        Step::Instance(universal, terms) => format!("instance {universal} {}", linear::terms(terms)),
        Step::Apart(held, free) => format!("apart {held} {free}"),
    }
}

/// Parses a proof step.
fn step(word: &str, rest: &[&str]) -> Option<Step> {
    Some(match (word, rest) {
        ("derive", [sum]) => {
            let part = |part: &str| {
                let (times, fact) = part.split_once('*')?;
                Some((fact.parse().ok()?, times.parse().ok()?))
            };
            Step::Derive(sum.split(',').map(part).collect::<Option<_>>()?)
        }
        ("split", [clause]) => Step::Split(clause.parse().ok()?),
        ("cut", [of]) => Step::Cut(linear::read_term(of)?),
        ("instance", [universal, terms]) => {
            Step::Instance(universal.parse().ok()?, linear::read_terms(terms)?)
        }
        ("apart", [held, free]) => Step::Apart(held.parse().ok()?, free.parse().ok()?),
        _ => return None,
    })
}
