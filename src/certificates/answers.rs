//! ANSWERS: a strategy whose reply to each move depends on this move alone: the other half of a domino, the complement
//! to a full number, the next vertex along a matching.
//!
//! The certificate lists no positions. The checker grounds the rules, computes an upper bound of the positions
//! reachable by such rounds, and verifies that in all of them every move has a legal answer (the strategy of
//! matchings: Aviezri Fraenkel, Edward Scheinerman, Daniel Ullman 1993; of dominoes: G. W. Lewthwaite in Berlekamp,
//! Conway and Guy 1982).

use super::PayoffBound;
use super::codec::lemma_form;

/// The data of an ANSWERS lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswersLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The holder's first move, as `name(arguments)`, if he begins.
    pub opening: Option<String>,
    /// The opponent's moves, in order, each with its answer.
    pub pairs: Vec<(String, String)>,
}

impl AnswersLemma {
    /// Makes a strategy; sorts the pairs.
    pub fn new(
        bound: PayoffBound,
        opening: Option<String>,
        mut pairs: Vec<(String, String)>,
    ) -> AnswersLemma {
        pairs.sort_unstable();
        AnswersLemma { bound, opening, pairs }
    }
}

lemma_form!(AnswersLemma { statement "" bound, record "" opening, in_order "" pairs });
