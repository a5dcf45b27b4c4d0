//! How sure a result is: what an independent checker accepted, or why nothing was checked.

use super::numbers;
use crate::cert::Tier;
use crate::rules::Rules;

/// What became of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// What the checker accepted, or why it accepted nothing.
    pub result: Result<Proved, String>,
    /// Where the certificate was written.
    pub certificate: Option<String>,
}

/// What was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proved {
    /// The claim in words. It may say less than the result: that a win is no nearer, for example, is computed.
    pub claim: String,
    /// How it is proved.
    pub tier: Tier,
    /// The values of the parameters that it speaks of, where they are more than those of the game.
    pub scope: Option<String>,
    /// The kinds of the lemmas, each once.
    pub kinds: String,
    /// How many positions the certificate lists.
    pub listed: u64,
    /// How many the checker went through.
    pub steps: u64,
    /// The hash of the certificate: it names it with all it holds.
    pub root: String,
}

impl Proof {
    /// Nothing was tried.
    pub fn none(reason: impl Into<String>) -> Proof {
        Proof { result: Err(reason.into()), certificate: None }
    }

    /// The values of the parameters that it speaks of, in words.
    pub fn scope(&self, rules: &Rules) -> String {
        let told = self.result.as_ref().ok().and_then(|proved| proved.scope.clone());
        told.unwrap_or_else(|| numbers::scope(rules))
    }
}
