//! Floor 10: certificates: what is claimed of a position, and all that a checker needs to see that it is so.
//!
//! A certificate has a header (whose rules, which position, what is claimed), numbered lemmas that the claim follows
//! from, and for each lemma a body: the list of positions its proof goes through. A kind of lemma is one file here
//! with its data and its text form, and one file in `verify` with its check.
//!
//! *Invariants:* knows neither who found a value nor who checks it. What is read is in the one form that is written,
//! so equal certificates are equal texts; no count in a text is believed before so many lines were there.

use num_rational::Rational64;

use crate::rules::schema::{Atom, Ranged};

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

pub use answers::Answers;
pub use automaton::Automaton;
pub use canonical::{Convention, canonical, one_line};
pub use exchange::Exchange;
pub use hash::Digest;
pub use key::Key;
pub use linear::{atoms_words, range_words, scope_words};
pub use loopy::{Ending, Loopy};
pub use mirror::Mirror;
pub use pairing::Pairing;
pub use param::Param;
pub use parity::Parity;
pub use periodic::Periodic;
pub use product::Product;
pub use quotient::Quotient;
pub use read::{Damage, SIZE_LIMIT, read};
pub use reply::Reply;
pub use steal::{Steal, Theft};
pub use strategy::{Answer, Bound};
pub use sum::Sum;
pub use table::{Table, Valued};
pub use write::write;

/// The version of the text form.
pub const VERSION: u32 = 1;

/// A claim with its proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Of what it speaks.
    pub header: Header,
    /// What the claim follows from, numbered from 1.
    pub lemmas: Vec<Lemma>,
    /// A copy of the rules as they were written, where one text holds them all.
    pub text: Option<String>,
}

/// Of what a certificate speaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The game's name.
    pub game: String,
    /// The players in order; the rest of the text names them.
    pub players: Vec<String>,
    /// The hash of the rules in their canonical form, parameters put in.
    pub rules: Digest,
    /// The parameters with their values, as `--set` takes them.
    pub params: Vec<(String, String)>,
    /// How games end.
    pub convention: Convention,
    /// The position spoken of; none for the first.
    pub position: Option<Key>,
    /// What is claimed.
    pub claim: Claim,
    /// How it is proved.
    pub tier: Tier,
}

/// What is claimed of a position. The players besides the one named may do whatever the rules allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// This player can make sure of a win, within so many plies where that is said. Of one player: it can be solved.
    Wins {
        /// The player.
        player: u32,
        /// No play takes longer.
        plies: Option<u64>,
    },
    /// This player can make sure of this payoff.
    AtLeast {
        /// The player.
        player: u32,
        /// How much.
        payoff: Rational64,
    },
    /// Perfect play gives the players these payoffs: nobody can be kept from his, nor get more.
    Value(Vec<Rational64>),
    /// The only player cannot win, however he plays.
    Unsolvable,
    /// For every value of the parameter from this one on, the first position has the Grundy value that it has with the
    /// parameter greater by the period.
    Period {
        /// The parameter.
        param: String,
        /// From where on.
        from: u32,
        /// The period.
        period: u32,
    },
    /// Who wins from the first position for all these values of the parameters.
    Always {
        /// The parameters.
        over: Vec<Ranged>,
        /// For which of their values which player.
        cases: Vec<(Vec<Atom>, u32)>,
    },
}

/// How a claim is proved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// Every position that matters is listed or walked through.
    Explicit,
    /// Every move of the rules written out is looked at, and no position.
    Ground,
    /// For every value of a parameter at once.
    Parametric,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Tier; 3] = [Tier::Explicit, Tier::Ground, Tier::Parametric];

    /// Its name in certificates and reports.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Explicit => "explicit",
            Tier::Ground => "ground",
            Tier::Parametric => "parametric",
        }
    }
}

/// A statement with its proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lemma {
    /// The value of every position that can be reached, where play always ends.
    Table(Table),
    /// A strategy that has an answer to everything, where play by it always ends.
    Reply(Reply),
    /// A strategy where positions can come back.
    Loopy(Loopy),
    /// A strategy that answers with mirror images.
    Mirror(Mirror),
    /// A strategy that answers within pairs of cells.
    Pairing(Pairing),
    /// A sum that stays even or odd.
    Parity(Parity),
    /// A strategy that answers each move by one that depends on this move alone.
    Answers(Answers),
    /// That there is a good move, without which.
    Steal(Steal),
    /// That the players may change places.
    Exchange(Exchange),
    /// Games that are played in step, with what each is worth.
    Product(Product),
    /// Independent components with their Grundy values.
    Sum(Sum),
    /// The Grundy values of rows of every length.
    Periodic(Periodic),
    /// Who wins for all values of the parameters.
    Param(Param),
    /// Independent components as elements of a monoid.
    Quotient(Quotient),
    /// A row of cells whose lost positions an automaton tells.
    Automaton(Automaton),
}

/// What every kind of lemma can do: be written line by line, and be read so.
trait Body {
    /// The word for the kind and what is stated, without the number of lines.
    fn head(&self, players: &[String]) -> String;
    /// How many lines there are.
    fn len(&self) -> usize;
    /// A line of the body.
    fn line(&self, number: usize) -> String;
    /// Takes in the next line. The error says what is wrong with it.
    fn take(&mut self, line: &str) -> Result<(), String>;
}

impl Lemma {
    fn body(&self) -> &dyn Body {
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

    fn body_mut(&mut self) -> &mut dyn Body {
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

    /// Reads what [`Body::head`] wrote.
    fn of_head(words: &[&str], players: &[String]) -> Option<Lemma> {
        let (kind, rest) = words.split_first()?;
        match *kind {
            "table" => rest.is_empty().then(|| Lemma::Table(Table::default())),
            "reply" => Reply::of_head(rest, players).map(Lemma::Reply),
            "loopy" => Loopy::of_head(rest, players).map(Lemma::Loopy),
            "mirror" => Mirror::of_head(rest, players).map(Lemma::Mirror),
            "pairing" => Pairing::of_head(rest, players).map(Lemma::Pairing),
            "parity" => Parity::of_head(rest, players).map(Lemma::Parity),
            "answers" => Answers::of_head(rest, players).map(Lemma::Answers),
            "steal" => Steal::of_head(rest, players).map(Lemma::Steal),
            "exchange" => Exchange::of_head(rest).map(Lemma::Exchange),
            "product" => Product::of_head(rest).map(Lemma::Product),
            "quotient" => Quotient::of_head(rest, players).map(Lemma::Quotient),
            "periodic" => Periodic::of_head(rest).map(Lemma::Periodic),
            "param" => Param::of_head(rest).map(Lemma::Param),
            "sum" => Sum::of_head(rest, players).map(Lemma::Sum),
            "automaton" => Automaton::of_head(rest, players).map(Lemma::Automaton),
            _ => None,
        }
    }

    /// The word for the kind.
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

    /// How it proves what it states.
    pub fn tier(&self) -> Tier {
        match self {
            Lemma::Table(_) | Lemma::Reply(_) | Lemma::Loopy(_) | Lemma::Automaton(_) => Tier::Explicit,
            Lemma::Periodic(_) | Lemma::Param(_) => Tier::Parametric,
            _ => Tier::Ground,
        }
    }

    /// How many positions are listed.
    pub fn positions(&self) -> usize {
        match self {
            Lemma::Table(_) | Lemma::Reply(_) | Lemma::Loopy(_) => self.body().len(),
            _ => 0,
        }
    }
}

impl Claim {
    /// The claim as a person would say it.
    pub fn words(&self, players: &[String], convention: Convention) -> String {
        let name = |player: u32| players.get(player as usize).map_or("?", String::as_str);
        match self {
            Claim::Unsolvable => "it cannot be solved".into(),
            Claim::Period { param, from, period } => {
                format!("the nimbers have the period {period} from {param} = {from} on, for every {param}")
            }
            Claim::Always { over, cases } => {
                let each = cases.iter().map(|(when, player)| match &when[..] {
                    [] => format!("{} wins", name(*player)),
                    when => format!("{} wins where {}", name(*player), linear::atoms_words(when, over)),
                });
                format!("for all {}: {}", linear::scope_words(over), each.collect::<Vec<_>>().join("; "))
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
