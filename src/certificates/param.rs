//! PARAM: the winner for all values of the parameters, by a plan and proofs that it works.
//!
//! The checker asks the parser of the rules for the schema in which the parameters stay symbolic, derives the proof
//! obligations of the plan itself, and verifies a proof of each: a tree of cases whose leaves are contradictory sums
//! of linear conditions. If an automaton recognizes the lost rows, no proofs are needed: the checker enumerates all
//! states that reading a row can reach. In addition it solves small games by the definition.

use super::codec::{LemmaReader, LemmaWriter, Line, ReadResult, Record, Words, record};
use super::{LemmaKind, automaton};
use bouton_base::linear::ProofStep;
use bouton_rules::parametric::{ParamRange, ParametricStrategy, SchemeInstance, WinnerCase};

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

/// A case: the player who wins, then the conditions.
impl Record for WinnerCase {
    fn write(&self, line: &mut Line<'_>) {
        line.word(if self.first_player_wins { "begins" } else { "answers" }).record(&self.when);
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        let first_player_wins = words.choice(&["begins", "answers"])? == 0;
        Some(WinnerCase { when: Record::read(words)?, first_player_wins })
    }
}

record!(SchemeInstance { scheme, choices });

impl Record for ProofStep {
    fn write(&self, line: &mut Line<'_>) {
        match self {
            ProofStep::Derive(sum) => {
                let sum = sum.iter().map(|(fact, times)| format!("{times}*{fact}"));
                line.word("derive").word(sum.collect::<Vec<_>>().join(","))
            }
            ProofStep::Split(clause) => line.word("split").record(clause),
            ProofStep::Cut(of) => line.word("cut").record(of),
            ProofStep::Instance(universal, terms) => line.word("instance").record(universal).record(terms),
            ProofStep::Distinct(held, free) => line.word("apart").record(held).record(free),
        };
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        let fact = |part: &str| {
            let (times, fact) = part.split_once('*')?;
            Some((fact.parse().ok()?, times.parse().ok()?))
        };
        Some(match words.next()? {
            "derive" => ProofStep::Derive(words.next()?.split(',').map(fact).collect::<Option<_>>()?),
            "split" => ProofStep::Split(Record::read(words)?),
            "cut" => ProofStep::Cut(Record::read(words)?),
            "instance" => ProofStep::Instance(Record::read(words)?, Record::read(words)?),
            "apart" => ProofStep::Distinct(Record::read(words)?, Record::read(words)?),
            _ => return None,
        })
    }
}

impl LemmaKind for ParamLemma {
    fn write(&self, lemma: &mut LemmaWriter<'_>) {
        lemma.statement.word(match self.plan {
            ParametricStrategy::LostPositions { .. } => "lost",
            ParametricStrategy::Mirror { .. } => "mirror",
            ParametricStrategy::RowAutomaton { .. } => "row",
        });
        lemma.records("over", &self.over);
        lemma.records("case", &self.cases);
        match &self.plan {
            ParametricStrategy::LostPositions { lost, replies, ranking } => {
                lemma.record("lost", lost);
                lemma.record("measure", ranking);
                lemma.records("reply", replies);
            }
            ParametricStrategy::Mirror { quotients, opening, image, answers } => {
                lemma.records("quotient", quotients);
                lemma.records("opening", opening.as_slice());
                lemma.record("image", image);
                lemma.records("answer", answers);
            }
            ParametricStrategy::RowAutomaton { lost } => automaton::write_states(lost, "state", lemma),
        }
        for (number, proof) in (1u32..).zip(&self.proofs) {
            lemma.record("proof", &number);
            lemma.records("", proof);
        }
    }

    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self> {
        let kind = lemma.statement.next();
        let (over, cases) = (lemma.records("over")?, lemma.records("case")?);
        let plan = match kind {
            Some("lost") => ParametricStrategy::LostPositions {
                lost: lemma.record("lost")?,
                ranking: lemma.record("measure")?,
                replies: lemma.records("reply")?,
            },
            Some("mirror") => ParametricStrategy::Mirror {
                quotients: lemma.records("quotient")?,
                opening: lemma.records("opening")?.pop(),
                image: lemma.record("image")?,
                answers: lemma.records("answer")?,
            },
            Some("row") => ParametricStrategy::RowAutomaton { lost: automaton::read_states("state", lemma)? },
            _ => return lemma.damage("this lemma is not understood"),
        };
        let mut proofs = Vec::new();
        while lemma.next_is("proof") {
            lemma.record::<u32>("proof")?;
            proofs.push(lemma.records_while(|line| !line.starts_with("proof"), "")?);
        }
        Ok(ParamLemma { over, cases, plan, proofs })
    }
}
