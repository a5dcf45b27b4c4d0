//! The status of a result: the claim that an independent checker accepted, or the reason why nothing was checked.

use super::numbers;
use bouton_certificates::Tier;
use bouton_rules::Rules;

/// The outcome of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The accepted proof, or the reason why the checker accepted none.
    pub result: Result<AcceptedProof, String>,
    /// The path of the certificate, if it was written.
    pub certificate: Option<String>,
    /// The certificate in its text format, if one was made.
    pub text: Option<String>,
}

/// A proof that the checker accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedProof {
    /// The claim in words. It may state less than the result: that a win is no nearer, for example, is only computed.
    pub claim: String,
    /// The part of the result that the claim leaves out and that only the search computed, as a clause, if there is one.
    pub computed: Option<&'static str>,
    /// The tier of the proof.
    pub tier: Tier,
    /// The parameter values that it covers, if they are more than those of the game.
    pub scope: Option<String>,
    /// The kinds of the lemmas, each once.
    pub kinds: String,
    /// The number of positions that the certificate lists.
    pub listed: u64,
    /// The number of steps of the check: positions, moves or proof steps, depending on the tier.
    pub steps: u64,
    /// The hash of the certificate, which identifies it with all its contents.
    pub root: String,
}

impl Proof {
    /// No proof, for this reason.
    pub fn unproved(reason: impl Into<String>) -> Proof {
        Proof { result: Err(reason.into()), certificate: None, text: None }
    }

    /// The parameter values that it covers, in words.
    pub fn scope(&self, rules: &Rules) -> String {
        let told = self.result.as_ref().ok().and_then(|proved| proved.scope.clone());
        told.unwrap_or_else(|| numbers::scope(rules))
    }
}
