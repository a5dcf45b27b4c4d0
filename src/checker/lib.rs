//! The checker. It accepts a certificate or names the step that fails.
//!
//! It trusts the definition (`reference`), which makes every move here, and the few checks of this crate. Kinds with
//! proofs that enumerate no positions examine the grounded rules (`grounding`), which are derived from the definition.
//!
//! Nothing that finds is trusted. A decomposition of a position is listed in the certificate and tested locally, by
//! code that shares no line with the finders: regions and heaps for SUM and QUOTIENT (`components`), factors for
//! PRODUCT (`product`). The obligations of a plan for all values of parameters are those of the crate `obligations`,
//! which the prover asks as well.
//!
//! *Invariants:* of the crates above `rules` this one depends on `reference`, `grounding` and `certificates` alone, as
//! its manifest says, and on nothing that compiles, solves or detects, so that a single mistake there cannot both make
//! a false claim and accept it. The finders also read grounded rules, so this does not hold for mistakes in
//! `grounding`, that is, in the meaning of formulas and in the upper bounds of reachable positions. The checker uses a
//! move of a certificate only after it has found it among the legal ones. Reaching a limit is no acceptance.

#![forbid(unsafe_code)]

use std::cell::OnceCell;
use std::sync::Arc;

use bouton_base::rational::Rational;

use bouton_base::limits::{LimitHit, Limits};
use bouton_certificates::{Certificate, Claim, Convention, Lemma, PayoffBound, Tier};
use bouton_grounding::Ground;
use bouton_reference::{Interpreter, State};
use bouton_rules::Rules;
use bouton_rules::parametric::{ParamRange, WinnerCase};
pub use periodic::{FamilyError, RulesFamily};
pub use refutation::check_refutation;

mod answers;
mod automaton;
mod behaviour;
mod canonical_form;
mod claim;
mod components;
mod distance;
mod equilibrium;
mod exchange;
mod factor;
mod grounded;
mod header;
mod heaps;
mod impartial_board;
mod longest_play;
mod loopy;
mod mirror;
mod pairing;
mod param;
mod parity;
mod periodic;
mod permutation;
mod placement;
mod position;
mod product;
mod quotient;
mod refutation;
mod reply;
mod row_automaton;
mod small_games;
mod steal;
mod steal_by_exchange;
mod strategy;
mod sum;
mod sure_plan;
mod table;
mod unsatisfiability;
mod values;
mod visit;

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The claim holds.
    Accepted(Accepted),
    /// The certificate does not prove it.
    Rejected(Rejection),
    /// A limit was reached first: the result is open.
    Limit(LimitHit),
}

/// An accepted claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// The claim in words.
    pub claim: String,
    /// The tier of its proof.
    pub tier: Tier,
    /// The number of visited positions, or of examined moves for kinds that examine those.
    pub steps: u64,
}

/// The reason why a certificate was rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{step}: {reason}{}", .position.as_ref().map_or(String::new(), |position| format!(" [{position}]")))]
pub struct Rejection {
    /// The step that fails: `header`, `position`, `lemma 2`, `claim`.
    pub step: String,
    /// The position in which it fails, in words.
    pub position: Option<String>,
    /// The reason, as a sentence without a full stop.
    pub reason: String,
}

/// Checks a certificate against rules. `effort` limits the steps of the definition: the same limit on every machine.
pub fn verify(
    rules: &Arc<Rules>,
    certificate: &Certificate,
    limits: &Limits,
    effort: Option<u64>,
) -> Verdict {
    Verifier::new(rules).verify(certificate, limits, effort)
}

/// The checker of certificates of one game; it grounds the rules once.
pub struct Verifier<'a> {
    rules: &'a Arc<Rules>,
    family: Option<&'a dyn RulesFamily>,
    written: OnceCell<Ground>,
}

impl<'a> Verifier<'a> {
    /// Makes a checker for these rules.
    pub fn new(rules: &'a Arc<Rules>) -> Verifier<'a> {
        Verifier { rules, family: None, written: OnceCell::new() }
    }

    /// Makes a checker that also has access to the source of the rules, so that certificates about other values of the
    /// parameters can be checked.
    pub fn of_family(rules: &'a Arc<Rules>, family: &'a dyn RulesFamily) -> Verifier<'a> {
        Verifier { family: Some(family), ..Verifier::new(rules) }
    }

    /// Checks a certificate, as [`verify`] does.
    pub fn verify(&self, certificate: &Certificate, limits: &Limits, effort: Option<u64>) -> Verdict {
        let interpreter = Interpreter::new(self.rules.clone());
        let interpreter = match effort {
            Some(steps) => interpreter.for_steps(steps),
            None => interpreter.within(limits),
        };
        let mut checker = Checker {
            rules: self.rules,
            family: self.family,
            grounded: &self.written,
            interpreter,
            limits,
            step: "header".into(),
            visited: 0,
        };
        match checker.check(certificate) {
            Ok(()) => {
                let header = &certificate.header;
                // A mean of 0 is no draw.
                let means = self.rules.has_mean_payoffs();
                let convention = if means { Convention::Payoff } else { Convention::of(self.rules) };
                let claim = header.claim.describe(self.rules.players(), convention);
                Verdict::Accepted(Accepted { claim, tier: header.tier, steps: checker.visited })
            }
            Err(CheckError::Rejected { position, reason }) => {
                Verdict::Rejected(Rejection { step: checker.step, position, reason })
            }
            Err(CheckError::Limit(hit)) => Verdict::Limit(hit),
        }
    }
}

/// The result of a part of a check.
type Checked<T> = Result<T, CheckError>;

/// The reason why a check stopped.
#[derive(PartialEq, Eq, Debug)]
enum CheckError {
    /// The step fails, in this position if it has one, for this reason.
    Rejected {
        position: Option<String>,
        reason: String,
    },
    Limit(LimitHit),
}

/// Every reason in words; a limit is not one of them.
impl<T: ToString> From<T> for CheckError {
    fn from(reason: T) -> CheckError {
        CheckError::Rejected { position: None, reason: reason.to_string() }
    }
}

/// Rejects the step for this reason.
fn reject<T>(reason: impl Into<CheckError>) -> Checked<T> {
    Err(reason.into())
}

/// Rejects the step for this reason if the condition holds.
fn reject_if(holds: bool, reason: impl Into<CheckError>) -> Checked<()> {
    if holds { reject(reason) } else { Ok(()) }
}

/// A fact that a lemma proves about the position of the certificate.
enum Fact {
    /// A bound, with the maximal length of play if play is finite.
    Bound { bound: PayoffBound, plies: Option<u64>, sum: PayoffSum },
    /// The payoffs of the players.
    Values(Vec<Rational>),
    /// The payoffs of the players in an equilibrium.
    Equilibrium(Vec<Rational>),
    /// The single player cannot win in fewer moves.
    Distance(u64),
    /// Exactly this claim.
    Claim(Claim),
    /// The winner from the initial position, for these values of the parameters.
    Always { over: Vec<ParamRange>, cases: Vec<WinnerCase> },
}

/// The sum of all players' payoffs over the visited ends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum PayoffSum {
    /// No end was visited.
    #[default]
    Unknown,
    /// The same sum in each of them.
    Always(Rational),
    /// Different sums.
    Varies,
}

impl PayoffSum {
    fn record(&mut self, payoffs: &[Rational]) {
        let sum = payoffs.iter().sum();
        match self {
            PayoffSum::Unknown => *self = PayoffSum::Always(sum),
            PayoffSum::Always(old) if *old == sum => {}
            _ => *self = PayoffSum::Varies,
        }
    }
}

struct Checker<'a> {
    rules: &'a Rules,
    /// The source of the rules, if it is given.
    family: Option<&'a dyn RulesFamily>,
    /// The grounded rules, once computed.
    grounded: &'a OnceCell<Ground>,
    interpreter: Interpreter,
    limits: &'a Limits,
    /// The current step.
    step: String,
    /// The number of visited positions.
    visited: u64,
}

impl Checker<'_> {
    fn check(&mut self, certificate: &Certificate) -> Checked<()> {
        self.header(certificate)?;
        self.step = "position".into();
        let start = self.start(certificate.header.position.as_ref())?;
        let mut proven = Vec::new();
        for (i, lemma) in certificate.lemmas.iter().enumerate() {
            self.step = format!("lemma {}", i + 1);
            proven.push(self.lemma(&start, lemma)?);
        }
        self.step = "claim".into();
        self.claim(&certificate.header.claim, &proven)
    }

    /// Proves a lemma: the registry of the kinds, a line for each.
    fn lemma(&mut self, start: &State, lemma: &Lemma) -> Checked<Fact> {
        match lemma {
            Lemma::Table(table) => self.table(start, table),
            Lemma::Reply(reply) => self.reply(start, reply),
            Lemma::Loopy(loopy) => self.loopy(start, loopy),
            Lemma::Values(values) => self.values(start, values),
            Lemma::Distance(distance) => self.distance(start, distance),
            Lemma::Automaton(automaton) => self.automaton(start, automaton),
            Lemma::Behaviour(behaviour) => self.behaviour(start, behaviour),
            Lemma::SurePlan(plan) => self.sure_plan(start, plan),
            Lemma::Profile(profile) => self.profile(start, profile),
            Lemma::Equilibrium(equilibrium) => self.equilibrium(start, equilibrium),
            Lemma::Mirror(mirror) => self.mirror(start, mirror),
            Lemma::Pairing(pairing) => self.pairing(start, pairing),
            Lemma::Parity(parity) => self.parity(start, parity),
            Lemma::Permutation(permutation) => self.hole_parity(start, permutation),
            Lemma::Answers(answers) => self.answers(start, answers),
            Lemma::Steal(steal) => self.steal(start, steal),
            Lemma::Exchange(exchange) => self.exchange(start, exchange),
            Lemma::Product(product) => self.product(start, product),
            Lemma::Sum(sum) => self.sum(start, sum),
            Lemma::Quotient(quotient) => self.quotient(start, quotient),
            Lemma::Periodic(periodic) => self.periodic(start, periodic),
            Lemma::Param(param) => self.param(start, param),
        }
    }

    /// Counts a step; returns an error if a limit was reached.
    fn step_done(&mut self) -> Checked<()> {
        self.visited += 1;
        self.tick()
    }

    /// Returns an error if a limit was reached.
    fn tick(&self) -> Checked<()> {
        self.limits.check().map_or(Ok(()), |hit| Err(CheckError::Limit(hit)))
    }

    /// Rejects the step in this position.
    fn reject_at<T>(&self, state: &State, reason: impl Into<String>) -> Checked<T> {
        let position = Some(position::describe(self.rules, &self.interpreter, state));
        Err(CheckError::Rejected { position, reason: reason.into() })
    }

    fn player(&self, player: u32) -> &str {
        self.rules.players().get(player as usize).map_or("?", String::as_str)
    }
}
