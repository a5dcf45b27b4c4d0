//! The claims of certificates: in their lines, and in words.

use bouton_base::rational::Rational;

use super::Convention;
use super::codec::{Line, Record, Word, Words};
use super::linear;
use bouton_rules::parametric::{Atom, ParamRange};

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
        payoff: Rational,
    },
    /// The value of a game of two players with a constant sum lies between these payoffs of the first player: he can
    /// force the lower one, and the second player can hold him to the higher one.
    Between { low: Rational, high: Rational },
    /// The payoffs of optimal play: each player can force his payoff, and no player can be forced below or get above
    /// it.
    Value(Vec<Rational>),
    /// There are strategies of all players with these payoffs from which nobody gains by leaving his own: an equilibrium
    /// for each entry. Where nothing is hidden, nobody gains in any position: it is subgame perfect.
    Equilibria(Vec<Vec<Rational>>),
    /// The only player can win in this number of moves, and in no fewer.
    SolvedIn(u64),
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

/// A claim as `X wins within 9`, `X gets at-least 0`, `between -1/2 1/3`, `value X 0, O 0`, `equilibria X 4,
/// O 4; X 3, O 3`, `solved-in 9`, `unsolvable`,
/// `nimbers of n period 2 from 0`, or `always n - 1 - where A -, B 0+1v0<=0`.
impl Record for Claim {
    fn write(&self, line: &mut Line<'_>) {
        match self {
            Claim::SolvedIn(moves) => line.word("solved-in").record(moves),
            Claim::Unsolvable => line.word("unsolvable"),
            Claim::Period { param, from, period } => {
                line.word("nimbers of").word(param).word("period").record(period).word("from").record(from)
            }
            Claim::Always { over, cases } => {
                line.word("always").listed(over, |line, range| range.write(line));
                line.word("where").listed(cases, |line, (when, player)| when.write(line.player(*player)))
            }
            Claim::Wins { player, plies: None } => line.player(*player).word("wins"),
            Claim::Wins { player, plies: Some(plies) } => {
                line.player(*player).word("wins within").record(plies)
            }
            Claim::AtLeast { player, payoff } => line.player(*player).word("gets at-least").record(payoff),
            Claim::Between { low, high } => line.word("between").record(low).record(high),
            Claim::Value(payoffs) => write_payoffs(line.word("value"), payoffs),
            Claim::Equilibria(all) => {
                line.word("equilibria");
                for (place, payoffs) in all.iter().enumerate() {
                    line.text += if place > 0 { ";" } else { "" };
                    write_payoffs(line, payoffs);
                }
                line
            }
        };
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        let first = words.next()?;
        // A player may have the name of any word.
        if let Some(claim) = words.player(first).and_then(|player| of_player(player, words.rest?)) {
            words.rest = None;
            return Some(claim);
        }
        Some(match first {
            "solved-in" => Claim::SolvedIn(Record::read(words)?),
            "unsolvable" => Claim::Unsolvable,
            "between" => Claim::Between { low: Record::read(words)?, high: Record::read(words)? },
            "value" => {
                let payoffs = words.rest.take()?;
                Claim::Value(read_payoffs(words, payoffs)?)
            }
            "equilibria" => {
                let all = words.rest.take()?.split("; ");
                Claim::Equilibria(all.map(|payoffs| read_payoffs(words, payoffs)).collect::<Option<_>>()?)
            }
            "nimbers" => {
                words.skip("of")?;
                let param = words.next()?.to_owned();
                words.skip("period")?;
                let period = Record::read(words)?;
                words.skip("from")?;
                Claim::Period { param, from: Record::read(words)?, period }
            }
            "always" => {
                let (over, cases) = words.rest.take()?.split_once(" where ")?;
                let case = |words: &mut Words<'_>| {
                    let player = words.next()?;
                    Some((Record::read(words)?, words.player(player)?))
                };
                Claim::Always { over: words.listed(over, Record::read)?, cases: words.listed(cases, case)? }
            }
            _ => return None,
        })
    }
}

/// Writes the payoff of each player, as `X 0, O 0`.
fn write_payoffs<'l, 'p>(line: &'l mut Line<'p>, payoffs: &[Rational]) -> &'l mut Line<'p> {
    let each: Vec<_> = (0..).zip(payoffs).collect();
    line.listed(&each, |line, (player, payoff)| payoff.write(line.player(*player)))
}

/// Reads the payoff of each player, in the order of the players.
fn read_payoffs(words: &Words<'_>, text: &str) -> Option<Vec<Rational>> {
    let payoff = |words: &mut Words<'_>| {
        let player = words.next()?;
        Some((words.player(player)?, Record::read(words)?))
    };
    let payoffs: Vec<(u32, Rational)> = words.listed(text, payoff)?;
    let in_order = (0..).zip(&payoffs).all(|(place, (player, _))| place == *player);
    in_order.then(|| payoffs.into_iter().map(|(_, payoff)| payoff).collect())
}

/// Reads the words after the name of a player.
fn of_player(player: u32, words: &str) -> Option<Claim> {
    match words.rsplit_once(' ').unwrap_or((words, "")) {
        ("wins", "") => Some(Claim::Wins { player, plies: None }),
        ("wins within", plies) => Some(Claim::Wins { player, plies: Some(Word::parse(plies)?) }),
        ("gets at-least", payoff) => Some(Claim::AtLeast { player, payoff: Word::parse(payoff)? }),
        _ => None,
    }
}

/// Returns a number as people read it: a long fraction as a decimal.
fn brief(number: &Rational) -> String {
    let exact = number.to_string();
    if exact.len() < 30 { exact } else { format!("about {}", number.to_decimal(10)) }
}

impl Claim {
    /// Describes the claim in a sentence for people.
    pub fn describe(&self, players: &[String], convention: Convention) -> String {
        let counted = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let name = |player: u32| players.get(player as usize).map_or("?", String::as_str);
        let each = |payoffs: &[Rational]| {
            let gets = |(player, payoff)| format!("{} gets {}", name(player), brief(payoff));
            (0..).zip(payoffs).map(gets).collect::<Vec<_>>().join(", ")
        };
        match self {
            Claim::SolvedIn(moves) => {
                format!("it can be solved in {} and in no fewer", counted(*moves, "move", "moves"))
            }
            Claim::Unsolvable => "it cannot be solved".into(),
            Claim::Period { param, from, period } => {
                format!("the nimbers have the period {period} from {param} = {from} on, for every {param}")
            }
            Claim::Always { over, cases } => {
                let condition = |when: &[Atom]| match when {
                    [] => String::new(),
                    when => format!(" where {}", linear::describe_conditions(when, over)),
                };
                let each =
                    cases.iter().map(|(when, player)| format!("{} wins{}", name(*player), condition(when)));
                format!("for all {}: {}", linear::describe_ranges(over), each.collect::<Vec<_>>().join("; "))
            }
            Claim::Wins { player, plies } => {
                let within = plies.map_or("".into(), |n| format!(" within {}", counted(n, "ply", "plies")));
                match players.len() {
                    1 => format!("it can be solved{within}"),
                    _ => format!("{} wins{within}", name(*player)),
                }
            }
            Claim::AtLeast { player, payoff } => {
                let nothing = *payoff == Rational::default() && convention != Convention::Payoff;
                match (nothing, players.len()) {
                    (true, 2) => format!("{} need not lose", name(*player)),
                    _ => format!("{} gets at least {}", name(*player), brief(payoff)),
                }
            }
            Claim::Between { low, high } => {
                format!("{} gets between {} and {}", name(0), low.to_shortest(), high.to_shortest())
            }
            Claim::Value(payoffs) => {
                let zero = payoffs.iter().all(|p| *p == Rational::default());
                if zero && convention != Convention::Payoff {
                    return "a draw".into();
                }
                format!("with best play {}", each(payoffs))
            }
            Claim::Equilibria(all) => {
                let all: Vec<String> =
                    all.iter().map(|payoffs| format!("in which {}", each(payoffs))).collect();
                format!(
                    "there {} {} (nobody gains by changing only his own strategy)",
                    if all.len() == 1 { "is an equilibrium" } else { "are equilibria" },
                    all.join("; and ")
                )
            }
        }
    }
}
