//! Certificates: a claim about a position together with all that a checker needs to verify it.
//!
//! A certificate has a header (the rules, the position, the claim), numbered lemmas that the claim follows from, and
//! for each lemma a body: the list of positions of its proof. A kind of lemma is one file here with its data and its
//! form (`codec`), one line in `lemma_kinds!`, and one file in `checker` with its check.
//!
//! *Invariants:* this module depends neither on the solvers nor on the checker. The reader accepts only the canonical
//! form that the writer produces, so equal certificates are equal files; it trusts no count in a file before it has
//! read that number of lines.

#![forbid(unsafe_code)]

pub mod answers;
pub mod automaton;
pub mod behaviour;
mod canonical;
mod claim;
mod codec;
pub mod distance;
pub mod equilibrium;
pub mod exchange;
mod hash;
mod key;
mod linear;
pub mod loopy;
pub mod mirror;
pub mod pairing;
pub mod param;
pub mod parity;
pub mod periodic;
pub mod permutation;
pub mod product;
pub mod profile;
pub mod quotient;
mod read;
pub mod reply;
pub mod steal;
pub mod strategy;
pub mod sum;
pub mod sure_plan;
pub mod table;
pub mod values;
mod write;

pub use canonical::{Convention, canonical_form, one_line};
pub use claim::Claim;
use codec::{LemmaReader, LemmaWriter, ReadResult, named_words};
pub use equilibrium::{ChoiceProbabilities, EquilibriumPosition};
pub use hash::Digest;
pub use key::PositionKey;
pub use linear::{describe_conditions, describe_parameter, describe_ranges};
pub use loopy::InfinitePlay;
pub use read::{CertificateError, MAX_FILE_BYTES, parse};
pub use steal::StealArgument;
pub use strategy::{PayoffBound, StrategyReply};
pub use table::ValuedPosition;
pub use values::{PolicyReply, PolicyValue};
pub use write::write;

/// The version of the text format. Since version 2 the components of SUM, QUOTIENT and PRODUCT are listed with what
/// the checker needs to test them one by one.
pub const FORMAT_VERSION: u32 = 2;

/// A claim with its proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The subject of the certificate: rules, position and claim.
    pub header: Header,
    /// The facts that the claim follows from, numbered from 1.
    pub lemmas: Vec<Lemma>,
    /// A copy of the source of the rules, if a single file holds it.
    pub text: Option<String>,
}

/// The subject of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub game: String,
    /// The players in order; the rest of the file refers to them by name.
    pub players: Vec<String>,
    /// The hash of the rules in canonical form, with parameters substituted.
    pub rules: Digest,
    /// The parameters with their values, in the syntax of `--set`.
    pub params: Vec<(String, String)>,
    /// The way in which games of these rules end.
    pub convention: Convention,
    /// The position of the claim; `None` for the initial one.
    pub position: Option<PositionKey>,
    pub claim: Claim,
    /// The tier of the proof.
    pub tier: Tier,
}

/// The tier of a proof: the kind of objects that the checker enumerates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// Every relevant position is listed or visited.
    Explicit,
    /// The checker examines every move of the grounded rules, and no position.
    Ground,
    /// One proof for all values of a parameter.
    Parametric,
}

named_words!(Tier { Explicit "explicit", Ground "ground", Parametric "parametric" });

/// The common interface of the kinds of lemmas.
trait LemmaKind: Sized {
    fn write(&self, lemma: &mut LemmaWriter<'_>);
    fn read(lemma: &mut LemmaReader<'_>) -> ReadResult<Self>;
}

/// Defines [`Lemma`] by a line for each kind: its word, tier, variant and data, and the field that lists positions.
macro_rules! lemma_kinds {
    ($($(#[$doc:meta])+ $word:literal $tier:ident $kind:ident $module:ident::$data:ident $(lists $list:ident)?;)+) => {
        $(pub use $module::$data;)+

        /// A lemma: a statement with its proof.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Lemma {
            $($(#[$doc])+ $kind($data)),+
        }

        impl Lemma {
            /// Returns the word for the kind.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Lemma::$kind(_) => $word),+
                }
            }

            /// Returns the tier of its proof.
            pub fn tier(&self) -> Tier {
                match self {
                    $(Lemma::$kind(_) => Tier::$tier),+
                }
            }

            /// Returns the number of listed positions.
            pub fn positions(&self) -> usize {
                match self {
                    $(Lemma::$kind(_lemma) => 0 $(+ _lemma.$list.len())?),+
                }
            }

            fn write(&self, writer: &mut LemmaWriter<'_>) {
                writer.statement.word(self.kind());
                match self {
                    $(Lemma::$kind(lemma) => lemma.write(writer)),+
                }
            }

            fn read(reader: &mut LemmaReader<'_>) -> ReadResult<Lemma> {
                match reader.statement.next() {
                    $(Some($word) => $data::read(reader).map(Lemma::$kind),)+
                    _ => reader.damage("there is no such kind of lemma"),
                }
            }
        }
    };
}

lemma_kinds! {
    /// The value of every reachable position of a finite game.
    "table" Explicit Table table::TableLemma lists values;
    /// A strategy with a reply to every move, for which all plays are finite.
    "reply" Explicit Reply reply::ReplyLemma lists answers;
    /// A strategy for a game in which positions can recur.
    "loopy" Explicit Loopy loopy::LoopyLemma lists answers;
    /// The values under a policy, where positions recur, and chance acts or players choose simultaneously.
    "values" Explicit Values values::ValuesLemma lists values;
    /// A lower bound of the moves in which a single player can win.
    "distance" Explicit Distance distance::DistanceLemma lists distances;
    /// A row of cells whose lost positions a finite automaton recognizes.
    "automaton" Explicit Automaton automaton::AutomatonLemma;
    /// A strategy that gives each move a probability, by what its player knows.
    "behaviour" Explicit Behaviour behaviour::BehaviourLemma;
    /// A plan that gives its player a payoff in every play, by what he knows.
    "sure-plan" Explicit SurePlan sure_plan::SurePlanLemma;
    /// Strategies of two players, by what they know, from which neither gains by leaving his own.
    "profile" Explicit Profile profile::ProfileLemma;
    /// Strategies of all players from which nobody gains by leaving his own, in any position.
    "equilibrium" Explicit Equilibrium equilibrium::EquilibriumLemma lists positions;
    /// A strategy that answers with mirror images.
    "mirror" Ground Mirror mirror::MirrorLemma;
    /// A strategy that answers within pairs of cells.
    "pairing" Ground Pairing pairing::PairingLemma;
    /// A sum whose parity is invariant.
    "parity" Ground Parity parity::ParityLemma;
    /// A parity of permutations that no move changes.
    "permutation" Ground Permutation permutation::PermutationLemma;
    /// A strategy whose reply to each move depends on this move alone.
    "answers" Ground Answers answers::AnswersLemma;
    /// A strategy-stealing argument: a good move exists, without naming it.
    "steal" Ground Steal steal::StealLemma;
    /// A symmetry that exchanges the players.
    "exchange" Ground Exchange exchange::ExchangeLemma;
    /// A conjunctive compound: games played in step, with the value of each.
    "product" Ground Product product::ProductLemma;
    /// Independent components with their Grundy values.
    "sum" Ground Sum sum::SumLemma;
    /// Independent components as elements of a monoid.
    "quotient" Ground Quotient quotient::QuotientLemma;
    /// The Grundy values of rows of every length.
    "periodic" Parametric Periodic periodic::PeriodicLemma;
    /// The winner for all values of the parameters.
    "param" Parametric Param param::ParamLemma;
}

#[cfg(test)]
mod tests;
