//! Certificates: a claim about a position together with all that a checker needs to verify it.
//!
//! A certificate has a header (the rules, the position, the claim), numbered lemmas that the claim follows from, and
//! for each lemma a body: the list of positions of its proof. A kind of lemma is one file here with its data and its
//! text format, and one file in `verify` with its check.
//!
//! *Invariants:* this module depends neither on the solvers nor on the checker. The reader accepts only the canonical
//! form that the writer produces, so equal certificates are equal files; it trusts no count in a file before it has
//! read that number of lines.

#![forbid(unsafe_code)]

use num_rational::Rational64;

use bouton_rules::parametric::{Atom, ParamRange};

pub mod answers;
pub mod automaton;
mod canonical;
pub mod exchange;
mod hash;
mod key;
mod linear;
pub mod loopy;
pub mod mirror;
mod numbers;
pub mod pairing;
pub mod param;
pub mod parity;
pub mod periodic;
pub mod product;
pub mod quotient;
mod read;
pub mod reply;
pub mod steal;
pub mod strategy;
pub mod sum;
pub mod table;
mod write;

pub use answers::AnswersLemma;
pub use automaton::AutomatonLemma;
pub use canonical::{Convention, canonical_form, one_line};
pub use exchange::ExchangeLemma;
pub use hash::Digest;
pub use key::PositionKey;
pub use linear::{describe_conditions, describe_parameter, describe_ranges};
pub use loopy::{InfinitePlay, LoopyLemma};
pub use mirror::MirrorLemma;
pub use pairing::PairingLemma;
pub use param::ParamLemma;
pub use parity::ParityLemma;
pub use periodic::PeriodicLemma;
pub use product::ProductLemma;
pub use quotient::QuotientLemma;
pub use read::{CertificateError, MAX_FILE_BYTES, parse};
pub use reply::ReplyLemma;
pub use steal::{StealArgument, StealLemma};
pub use strategy::{PayoffBound, StrategyReply};
pub use sum::SumLemma;
pub use table::{TableLemma, ValuedPosition};
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

/// A claim about a position. It holds for all legal play of the players not named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// This player can force a win, within `plies` plies if given. For a game of one player: it can be solved.
    Wins {
        player: u32,
        /// An upper bound on the length of play.
        plies: Option<u64>,
    },
    /// This player can force at least this payoff.
    AtLeast {
        player: u32,
        /// The guaranteed payoff.
        payoff: Rational64,
    },
    /// The payoffs of optimal play: each player can force his payoff, and no player can be forced below or get above
    /// it.
    Value(Vec<Rational64>),
    /// The only player cannot win by any play.
    Unsolvable,
    /// For every value of the parameter from `from` on, the initial position has the same Grundy value as with the
    /// parameter increased by the period.
    Period {
        param: String,
        /// The least value of the parameter for which the period holds.
        from: u32,
        period: u32,
    },
    /// The winner from the initial position, for all these values of the parameters.
    Always {
        /// The parameters with their ranges.
        over: Vec<ParamRange>,
        /// The cases: conditions on the parameters, each with the player who wins.
        cases: Vec<(Vec<Atom>, u32)>,
    },
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

impl Tier {
    pub const ALL: [Tier; 3] = [Tier::Explicit, Tier::Ground, Tier::Parametric];

    /// Returns the name in certificates and reports.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Explicit => "explicit",
            Tier::Ground => "ground",
            Tier::Parametric => "parametric",
        }
    }
}

/// A lemma: a statement with its proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lemma {
    /// The value of every reachable position of a finite game.
    Table(TableLemma),
    /// A strategy with a reply to every move, for which all plays are finite.
    Reply(ReplyLemma),
    /// A strategy for a game in which positions can recur.
    Loopy(LoopyLemma),
    /// A strategy that answers with mirror images.
    Mirror(MirrorLemma),
    /// A strategy that answers within pairs of cells.
    Pairing(PairingLemma),
    /// A sum whose parity is invariant.
    Parity(ParityLemma),
    /// A strategy whose reply to each move depends on this move alone.
    Answers(AnswersLemma),
    /// A strategy-stealing argument: a good move exists, without naming it.
    Steal(StealLemma),
    /// A symmetry that exchanges the players.
    Exchange(ExchangeLemma),
    /// A conjunctive compound: games played in step, with the value of each.
    Product(ProductLemma),
    /// Independent components with their Grundy values.
    Sum(SumLemma),
    /// The Grundy values of rows of every length.
    Periodic(PeriodicLemma),
    /// The winner for all values of the parameters.
    Param(ParamLemma),
    /// Independent components as elements of a monoid.
    Quotient(QuotientLemma),
    /// A row of cells whose lost positions a finite automaton recognizes.
    Automaton(AutomatonLemma),
}

/// The common interface of lemma kinds: serialization to lines and parsing from them.
trait LemmaBody {
    /// Returns the word for the kind and the statement, without the number of lines.
    fn head(&self, players: &[String]) -> String;
    /// Returns the number of lines.
    fn len(&self) -> usize;
    /// Returns a line of the body.
    fn line(&self, number: usize) -> String;
    /// Parses the next line. The error says what is wrong with it.
    fn parse_line(&mut self, line: &str) -> Result<(), String>;
}

impl Lemma {
    fn body(&self) -> &dyn LemmaBody {
        match self {
            Lemma::Table(table) => table,
            Lemma::Reply(reply) => reply,
            Lemma::Loopy(loopy) => loopy,
            Lemma::Mirror(mirror) => mirror,
            Lemma::Pairing(pairing) => pairing,
            Lemma::Parity(parity) => parity,
            Lemma::Answers(answers) => answers,
            Lemma::Steal(steal) => steal,
            Lemma::Exchange(exchange) => exchange,
            Lemma::Product(product) => product,
            Lemma::Sum(sum) => sum,
            Lemma::Periodic(periodic) => periodic,
            Lemma::Param(param) => param,
            Lemma::Quotient(quotient) => quotient,
            Lemma::Automaton(automaton) => automaton,
        }
    }

    fn body_mut(&mut self) -> &mut dyn LemmaBody {
        match self {
            Lemma::Table(table) => table,
            Lemma::Reply(reply) => reply,
            Lemma::Loopy(loopy) => loopy,
            Lemma::Mirror(mirror) => mirror,
            Lemma::Pairing(pairing) => pairing,
            Lemma::Parity(parity) => parity,
            Lemma::Answers(answers) => answers,
            Lemma::Steal(steal) => steal,
            Lemma::Exchange(exchange) => exchange,
            Lemma::Product(product) => product,
            Lemma::Sum(sum) => sum,
            Lemma::Periodic(periodic) => periodic,
            Lemma::Param(param) => param,
            Lemma::Quotient(quotient) => quotient,
            Lemma::Automaton(automaton) => automaton,
        }
    }

    /// Parses the output of [`Body::head`].
    fn parse_head(words: &[&str], players: &[String]) -> Option<Lemma> {
        let (kind, rest) = words.split_first()?;
        match *kind {
            "table" => rest.is_empty().then(|| Lemma::Table(TableLemma::default())),
            "reply" => ReplyLemma::parse_head(rest, players).map(Lemma::Reply),
            "loopy" => LoopyLemma::parse_head(rest, players).map(Lemma::Loopy),
            "mirror" => MirrorLemma::parse_head(rest, players).map(Lemma::Mirror),
            "pairing" => PairingLemma::parse_head(rest, players).map(Lemma::Pairing),
            "parity" => ParityLemma::parse_head(rest, players).map(Lemma::Parity),
            "answers" => AnswersLemma::parse_head(rest, players).map(Lemma::Answers),
            "steal" => StealLemma::parse_head(rest, players).map(Lemma::Steal),
            "exchange" => ExchangeLemma::parse_head(rest).map(Lemma::Exchange),
            "product" => ProductLemma::parse_head(rest).map(Lemma::Product),
            "quotient" => QuotientLemma::parse_head(rest, players).map(Lemma::Quotient),
            "periodic" => PeriodicLemma::parse_head(rest).map(Lemma::Periodic),
            "param" => ParamLemma::parse_head(rest).map(Lemma::Param),
            "sum" => SumLemma::parse_head(rest, players).map(Lemma::Sum),
            "automaton" => AutomatonLemma::parse_head(rest, players).map(Lemma::Automaton),
            _ => None,
        }
    }

    /// Returns the word for the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Lemma::Table(_) => "table",
            Lemma::Reply(_) => "reply",
            Lemma::Loopy(_) => "loopy",
            Lemma::Mirror(_) => "mirror",
            Lemma::Pairing(_) => "pairing",
            Lemma::Parity(_) => "parity",
            Lemma::Answers(_) => "answers",
            Lemma::Steal(_) => "steal",
            Lemma::Exchange(_) => "exchange",
            Lemma::Product(_) => "product",
            Lemma::Sum(_) => "sum",
            Lemma::Periodic(_) => "periodic",
            Lemma::Param(_) => "param",
            Lemma::Quotient(_) => "quotient",
            Lemma::Automaton(_) => "automaton",
        }
    }

    /// Returns the tier of its proof.
    pub fn tier(&self) -> Tier {
        match self {
            Lemma::Table(_) | Lemma::Reply(_) | Lemma::Loopy(_) | Lemma::Automaton(_) => Tier::Explicit,
            Lemma::Periodic(_) | Lemma::Param(_) => Tier::Parametric,
            _ => Tier::Ground,
        }
    }

    /// Returns the number of listed positions.
    pub fn positions(&self) -> usize {
        match self {
            Lemma::Table(_) | Lemma::Reply(_) | Lemma::Loopy(_) => self.body().len(),
            _ => 0,
        }
    }
}

impl Claim {
    /// Describes the claim in a sentence for people.
    pub fn describe(&self, players: &[String], convention: Convention) -> String {
        let name = |player: u32| players.get(player as usize).map_or("?", String::as_str);
        match self {
            Claim::Unsolvable => "it cannot be solved".into(),
            Claim::Period { param, from, period } => {
                format!("the nimbers have the period {period} from {param} = {from} on, for every {param}")
            }
            Claim::Always { over, cases } => {
                let each = cases.iter().map(|(when, player)| match &when[..] {
                    [] => format!("{} wins", name(*player)),
                    when => {
                        format!("{} wins where {}", name(*player), linear::describe_conditions(when, over))
                    }
                });
                format!("for all {}: {}", linear::describe_ranges(over), each.collect::<Vec<_>>().join("; "))
            }
            Claim::Wins { player, plies } => {
                let within = plies.map_or(String::new(), |n| format!(" within {n} {}", unit(n)));
                if players.len() == 1 {
                    format!("it can be solved{within}")
                } else {
                    format!("{} wins{within}", name(*player))
                }
            }
            Claim::AtLeast { player, payoff } => {
                let nothing = *payoff == Rational64::default() && convention != Convention::Payoff;
                match (nothing, players.len()) {
                    (true, 2) => format!("{} need not lose", name(*player)),
                    _ => format!("{} gets at least {payoff}", name(*player)),
                }
            }
            Claim::Value(payoffs) => {
                let zero = payoffs.iter().all(|p| *p == Rational64::default());
                if zero && convention != Convention::Payoff {
                    return "a draw".into();
                }
                let gets = |(i, payoff): (usize, &Rational64)| format!("{} gets {payoff}", name(i as u32));
                let each: Vec<String> = payoffs.iter().enumerate().map(gets).collect();
                format!("with best play {}", each.join(", "))
            }
        }
    }
}

fn unit(plies: u64) -> &'static str {
    if plies == 1 { "ply" } else { "plies" }
}
