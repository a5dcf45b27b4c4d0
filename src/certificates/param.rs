//! PARAM: the winner for all values of the parameters, by a plan and proofs that it works.
//!
//! The checker asks the parser of the rules for the schema in which the parameters stay symbolic, derives the proof
//! obligations of the plan itself, and verifies a proof of each: a tree of cases whose leaves are contradictory sums
//! of linear conditions. If an automaton recognizes the lost rows, no proofs are needed: the checker enumerates all
//! states that reading a row can reach. In addition it solves small games by the definition.

use super::{LemmaBody, automaton, linear};
use bouton_base::automaton::Automaton;
use bouton_base::linear::{Linear, ProofStep};
use bouton_rules::parametric::{ParamRange, ParametricStrategy, WinnerCase};

/// The data of a PARAM lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamLemma {
    /// The parameters with the ranges of the claim.
    pub over: Vec<ParamRange>,
    /// The cases with their winners.
    pub cases: Vec<WinnerCase>,
    /// The plan of the winner.
    pub plan: ParametricStrategy,
    /// The proofs of the obligations, in order.
    pub proofs: Vec<Vec<ProofStep>>,
}

impl ParamLemma {
    pub(super) fn parse_head(words: &[&str]) -> Option<ParamLemma> {
        let plan = match words {
            ["lost"] => ParametricStrategy::LostPositions {
                lost: Vec::new(),
                replies: Vec::new(),
                ranking: Linear::default(),
            },
            ["mirror"] => ParametricStrategy::Mirror {
                quotients: Vec::new(),
                opening: None,
                image: Vec::new(),
                answers: Vec::new(),
            },
            ["row"] => ParametricStrategy::RowAutomaton { lost: Automaton::default() },
            _ => return None,
        };
        Some(ParamLemma { over: Vec::new(), cases: Vec::new(), plan, proofs: Vec::new() })
    }

    /// Returns the lines before the proofs.
    fn plan(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.over.iter().map(|range| format!("over {}", linear::render_range(range))).collect();
        for case in &self.cases {
            let who = if case.first_player_wins { "begins" } else { "answers" };
            lines.push(format!("case {who} {}", linear::render_conditions(&case.when)));
        }
        match &self.plan {
            ParametricStrategy::LostPositions { lost, replies, ranking: measure } => {
                lines.push(format!("lost {}", linear::render_conditions(lost)));
                lines.push(format!("measure {}", linear::render_term(measure)));
                lines.extend(replies.iter().map(|(when, made)| {
                    format!(
                        "reply {} {}",
                        linear::render_conditions(std::slice::from_ref(when)),
                        linear::render_instance(made)
                    )
                }));
            }
            ParametricStrategy::Mirror { quotients, opening, image, answers } => {
                lines.extend(
                    quotients.iter().map(|(of, by)| format!("quotient {} {by}", linear::render_term(of))),
                );
                lines.extend(opening.iter().map(|made| format!("opening {}", linear::render_instance(made))));
                lines.push(format!("image {}", linear::render_terms(image)));
                lines.extend(answers.iter().map(|made| format!("answer {}", linear::render_instance(made))));
            }
            ParametricStrategy::RowAutomaton { lost } => {
                lines.extend(
                    (0..lost.next.len())
                        .map(|state| format!("state {}", automaton::render_state(lost, state))),
                );
            }
        }
        lines
    }

    fn plan_len(&self) -> usize {
        let plan = match &self.plan {
            ParametricStrategy::LostPositions { replies, .. } => 2 + replies.len(),
            ParametricStrategy::Mirror { quotients, opening, answers, .. } => {
                quotients.len() + usize::from(opening.is_some()) + 1 + answers.len()
            }
            ParametricStrategy::RowAutomaton { lost } => lost.next.len(),
        };
        self.over.len() + self.cases.len() + plan
    }

    fn read(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        let (&word, rest) = words.split_first()?;
        if let Some(proof) = self.proofs.last_mut()
            && word != "proof"
        {
            proof.push(parse_step(word, rest)?);
            return Some(());
        }
        match (word, rest, &mut self.plan) {
            ("proof", [number], _) => {
                (number.parse() == Ok(self.proofs.len() + 1)).then_some(())?;
                self.proofs.push(Vec::new());
            }
            ("over", rest, _) => self.over.push(linear::parse_range(rest)?),
            ("case", [who, when], _) => {
                let begins = *who == "begins";
                (begins || *who == "answers").then_some(())?;
                self.cases
                    .push(WinnerCase { when: linear::parse_conditions(when)?, first_player_wins: begins });
            }
            ("lost", [atoms], ParametricStrategy::LostPositions { lost, .. }) => {
                *lost = linear::parse_conditions(atoms)?
            }
            ("measure", [of], ParametricStrategy::LostPositions { ranking: measure, .. }) => {
                *measure = linear::parse_term(of)?
            }
            ("reply", [when, scheme, choices], ParametricStrategy::LostPositions { replies, .. }) => {
                let [when] = <[_; 1]>::try_from(linear::parse_conditions(when)?).ok()?;
                replies.push((when, linear::parse_instance(scheme, choices)?));
            }
            ("quotient", [of, by], ParametricStrategy::Mirror { quotients, .. }) => {
                quotients.push((linear::parse_term(of)?, by.parse().ok()?));
            }
            ("opening", [scheme, choices], ParametricStrategy::Mirror { opening, .. }) => {
                *opening = Some(linear::parse_instance(scheme, choices)?);
            }
            ("image", [terms], ParametricStrategy::Mirror { image, .. }) => {
                *image = linear::parse_terms(terms)?
            }
            ("answer", [scheme, choices], ParametricStrategy::Mirror { answers, .. }) => {
                answers.push(linear::parse_instance(scheme, choices)?);
            }
            ("state", [says, next], ParametricStrategy::RowAutomaton { lost }) => {
                automaton::parse_state(lost, &format!("{says} {next}"))?
            }
            _ => return None,
        }
        Some(())
    }
}

impl LemmaBody for ParamLemma {
    fn head(&self, _: &[String]) -> String {
        match self.plan {
            ParametricStrategy::LostPositions { .. } => "param lost".into(),
            ParametricStrategy::Mirror { .. } => "param mirror".into(),
            ParametricStrategy::RowAutomaton { .. } => "param row".into(),
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
                return render_step(&proof[rest - 1]);
            }
            rest -= 1 + proof.len();
        }
        String::new()
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
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
fn render_step(step: &ProofStep) -> String {
    match step {
        ProofStep::Derive(sum) => {
            let sum: Vec<String> = sum.iter().map(|(fact, times)| format!("{times}*{fact}")).collect();
            format!("derive {}", sum.join(","))
        }
        ProofStep::Split(clause) => format!("split {clause}"),
        ProofStep::Cut(of) => format!("cut {}", linear::render_term(of)),
        ProofStep::Instance(universal, terms) => {
            format!("instance {universal} {}", linear::render_terms(terms))
        }
        ProofStep::Distinct(held, free) => format!("apart {held} {free}"),
    }
}

/// Parses a proof step.
fn parse_step(word: &str, rest: &[&str]) -> Option<ProofStep> {
    Some(match (word, rest) {
        ("derive", [sum]) => {
            let part = |part: &str| {
                let (times, fact) = part.split_once('*')?;
                Some((fact.parse().ok()?, times.parse().ok()?))
            };
            ProofStep::Derive(sum.split(',').map(part).collect::<Option<_>>()?)
        }
        ("split", [clause]) => ProofStep::Split(clause.parse().ok()?),
        ("cut", [of]) => ProofStep::Cut(linear::parse_term(of)?),
        ("instance", [universal, terms]) => {
            ProofStep::Instance(universal.parse().ok()?, linear::parse_terms(terms)?)
        }
        ("apart", [held, free]) => ProofStep::Distinct(held.parse().ok()?, free.parse().ok()?),
        _ => return None,
    })
}
