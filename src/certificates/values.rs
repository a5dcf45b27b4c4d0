//! VALUES: bounds on the values of the positions that play by a policy reaches, where positions recur, and chance acts or
//! players choose simultaneously.
//!
//! The list of values is a submartingale under the holder's policy: no move of the others makes it smaller, and neither
//! do events of chance and mixtures of choices in the mean (Shapley 1953, Everett 1957). It is bounded, so it converges (Doob 1953), and play that ends gives the holder at
//! least the first value in the mean. Infinite play does not give him less: a position where it could has a rank, and
//! play from there leaves its value, or comes to a smaller rank, with a positive probability (progress measures; see
//! de Alfaro 1997 for the end components that they exclude).

use bouton_base::rational::Rational;

use super::codec::{Line, Record, Word, Words, lemma_form, record};
use super::{PayoffBound, PositionKey};

/// The data of a VALUES lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuesLemma {
    /// The bound that the policy guarantees, in the mean.
    pub bound: PayoffBound,
    /// The positions that play by the policy reaches and that are not terminal, in order.
    pub values: Vec<PolicyValue>,
}

/// A position with its value under the policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyValue {
    pub key: PositionKey,
    /// The payoff of the holder, or of the only player, that is guaranteed from here.
    pub value: Rational,
    /// The number of moves, at the best chances, to a position of another value or to the end; `None` if infinite play
    /// does not violate the value.
    pub rank: Option<u64>,
    pub reply: PolicyReply,
}

/// The answer of the holder in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PolicyReply {
    /// He does not choose.
    None,
    /// This move, as `name(arguments)`.
    Move(String),
    /// The probabilities of his choices, in the order of the moves, where players choose simultaneously.
    Mixed(Vec<Rational>),
}

impl Record for PolicyReply {
    fn write(&self, line: &mut Line<'_>) {
        match self {
            PolicyReply::None => line.word(NO_MOVE),
            PolicyReply::Move(play) => line.word(play),
            PolicyReply::Mixed(shares) => line.word(MIXED).record(shares),
        };
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        let text = String::read(words)?;
        if text == NO_MOVE {
            return Some(PolicyReply::None);
        }
        // Words of moves have parentheses.
        match text.strip_prefix(MIXED).and_then(|rest| rest.strip_prefix(' ')) {
            Some(shares) => shares.split(',').map(Word::parse).collect::<Option<_>>().map(PolicyReply::Mixed),
            None => Some(PolicyReply::Move(text)),
        }
    }
}

/// The word before probabilities.
const MIXED: &str = "mixed";
/// The word for no reply.
const NO_MOVE: &str = "-";

record!(PolicyValue { key, value, rank, reply });

lemma_form!(ValuesLemma { statement "" bound, records "" values });
