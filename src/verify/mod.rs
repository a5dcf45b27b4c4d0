//! Floor 11: the checker. It accepts a certificate or names the step that fails.
//!
//! What it trusts is the definition (`reference`), which makes every move here, and the few checks of this room.
//!
//! Kinds that prove without going through positions look into the rules written out (`ground`), which are made from the
//! definition.
//!
//! *Invariants:* stands on `reference`, `ground` and `cert` alone (`tests/layering.rs`): it shares no code with what compiles,
//! solves or detects, so that one mistake cannot both make a false claim and accept it. No move is taken from a
//! certificate without being found among the legal ones. A limit is no acceptance.

use std::cell::OnceCell;
use std::sync::Arc;

use num_rational::Rational64;

use crate::base::limits::{LimitHit, Limits};
use crate::cert::{Bound, Certificate, Convention, Lemma, Tier};
use crate::ground::Ground;
use crate::reference::{Interpreter, State};
use crate::rules::Rules;
use crate::rules::schema::{Case, Ranged};
pub use arithmetic::refuted;
pub use periodic::Family;

mod answers;
mod arithmetic;
mod automaton;
mod claim;
mod claims;
mod components;
mod exchange;
mod header;
mod loopy;
mod mirror;
mod never;
mod order;
mod pairing;
mod param;
mod parity;
mod periodic;
mod position;
mod positional;
mod product;
mod quotient;
mod replay;
mod reply;
mod rows;
mod steal;
mod strategy;
mod sum;
mod table;
mod walk;
mod written;

/// What the checker says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The claim holds.
    Accepted(Accepted),
    /// The certificate does not prove it.
    Rejected(Rejection),
    /// A limit was reached first: nothing is said.
    Limit(LimitHit),
}

/// What was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// The claim in words.
    pub claim: String,
    /// How it is proved.
    pub tier: Tier,
    /// How many positions the checker went through, or moves where it looks at those.
    pub steps: u64,
}

/// Why a certificate was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// The step that fails: `header`, `position`, `lemma 2`, `claim`.
    pub step: String,
    /// The position in which it fails, in words.
    pub position: Option<String>,
    /// The reason, as a sentence without its stop.
    pub reason: String,
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.step, self.reason)?;
        self.position.as_ref().map_or(Ok(()), |position| write!(f, " [{position}]"))
    }
}

/// Checks a certificate against rules. With `effort`, the definition may make so many steps and no more: the same on
/// every machine.
pub fn verify(
    rules: &Arc<Rules>,
    certificate: &Certificate,
    limits: &Limits,
    effort: Option<u64>,
) -> Verdict {
    Verifier::new(rules).verify(certificate, limits, effort)
}

/// The checker of certificates of one game: it writes the rules out once.
pub struct Verifier<'a> {
    rules: &'a Arc<Rules>,
    family: Option<&'a dyn Family>,
    written: OnceCell<Ground>,
}

impl<'a> Verifier<'a> {
    /// A checker for these rules.
    pub fn new(rules: &'a Arc<Rules>) -> Verifier<'a> {
        Verifier { rules, family: None, written: OnceCell::new() }
    }

    /// The same where the text that the rules are of is at hand, too, so that a certificate may speak of other values of
    /// its parameters.
    pub fn of_family(rules: &'a Arc<Rules>, family: &'a dyn Family) -> Verifier<'a> {
        Verifier { family: Some(family), ..Verifier::new(rules) }
    }

    /// Checks a certificate, as [`verify`] does.
    pub fn verify(&self, certificate: &Certificate, limits: &Limits, effort: Option<u64>) -> Verdict {
        let interpreter = Interpreter::new(self.rules.clone());
        let interpreter = match effort {
            Some(steps) => interpreter.for_steps(steps),
            None => interpreter.within(limits),
        };
        let (rules, written) = (self.rules, &self.written);
        let mut checker = Checker { rules, written, interpreter, limits, step: "header".into(), looked: 0 };
        match checker.check(self.family, certificate) {
            Ok(()) => {
                let header = &certificate.header;
                let claim = header.claim.words(rules.players(), Convention::of(rules));
                Verdict::Accepted(Accepted { claim, tier: header.tier, steps: checker.looked })
            }
            Err(Stop::Rejected(rejection)) => Verdict::Rejected(rejection),
            Err(Stop::Limit(hit)) => Verdict::Limit(hit),
        }
    }
}

/// Why checking stopped.
enum Stop {
    Rejected(Rejection),
    Limit(LimitHit),
}

/// What a lemma has proved of the position of the certificate.
enum Proven {
    /// A bound, with the longest that play can take where it cannot go on for ever.
    Bound { bound: Bound, plies: Option<u64>, sum: Sum },
    /// What the players get.
    Values(Vec<Rational64>),
    /// The Grundy values have this period, for every value of the parameter.
    Period { param: String, from: u32, period: u32 },
    /// Who wins from the first position, for these values of the parameters.
    Always { over: Vec<Ranged>, cases: Vec<Case> },
}

/// What all players get together in the ends that were met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Sum {
    /// None was met.
    #[default]
    Unknown,
    /// This in each of them.
    Always(Rational64),
    /// Not the same in all, or too large a number.
    Varies,
}

impl Sum {
    fn meet(&mut self, payoffs: &[Rational64]) {
        let sum = position::sum(payoffs);
        *self = match (*self, sum) {
            (Sum::Unknown, Some(sum)) => Sum::Always(sum),
            (Sum::Always(old), Some(sum)) if old == sum => Sum::Always(sum),
            _ => Sum::Varies,
        };
    }
}

struct Checker<'a> {
    rules: &'a Rules,
    /// The rules written out, once they were.
    written: &'a OnceCell<Ground>,
    interpreter: Interpreter,
    limits: &'a Limits,
    /// The step that is being checked.
    step: String,
    /// How many positions were gone through.
    looked: u64,
}

impl Checker<'_> {
    fn check(&mut self, family: Option<&dyn Family>, certificate: &Certificate) -> Result<(), Stop> {
        self.header(certificate)?;
        self.step = "position".into();
        let start = self.start(certificate.header.position.as_ref())?;
        let mut proven = Vec::new();
        for (i, lemma) in certificate.lemmas.iter().enumerate() {
            self.step = format!("lemma {}", i + 1);
            proven.push(self.lemma(family, &start, lemma)?);
        }
        self.step = "claim".into();
        self.claim(&certificate.header.claim, &proven)
    }

    fn lemma(&mut self, family: Option<&dyn Family>, start: &State, lemma: &Lemma) -> Result<Proven, Stop> {
        match lemma {
            Lemma::Table(table) => self.table(start, table),
            Lemma::Reply(reply) => self.reply(start, reply),
            Lemma::Loopy(loopy) => self.loopy(start, loopy),
            Lemma::Mirror(mirror) => self.mirror(start, mirror),
            Lemma::Pairing(pairing) => self.pairing(start, pairing),
            Lemma::Parity(parity) => self.parity(start, parity),
            Lemma::Answers(answers) => self.answers(start, answers),
            Lemma::Steal(steal) => self.steal(start, steal),
            Lemma::Exchange(exchange) => self.exchange(start, exchange),
            Lemma::Product(product) => self.product(start, product),
            Lemma::Sum(sum) => self.sum(start, sum),
            Lemma::Quotient(quotient) => self.quotient(start, quotient),
            Lemma::Automaton(automaton) => self.read_from_left(start, automaton),
            Lemma::Periodic(periodic) => self.periodic(family, periodic),
            Lemma::Param(param) => self.param(family, start, param),
        }
    }

    /// The step does not hold, for this reason.
    fn reject<T>(&self, reason: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Rejected(Rejection { step: self.step.clone(), position: None, reason: reason.into() }))
    }

    /// The step does not hold in this position.
    fn reject_at<T>(&self, state: &State, reason: impl Into<String>) -> Result<T, Stop> {
        let position = Some(position::words(self.rules, &self.interpreter, state));
        Err(Stop::Rejected(Rejection { step: self.step.clone(), position, reason: reason.into() }))
    }

    fn player(&self, player: u32) -> &str {
        self.rules.players().get(player as usize).map_or("?", String::as_str)
    }
}
