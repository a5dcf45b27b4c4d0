//! What is at stake: what each end of the game is worth to the first player, and infinite play.
//!
//! *Invariant:* the methods of this room see numbers of the first player alone; that the players' interests are
//! opposed (their payoffs have one sum) is established here once.

use num_rational::Rational64;

use super::graph::{Graph, Node};
use super::value::{Value, ValueKind};
use crate::base::limits::LimitHit;
use crate::game::{Game, Outcome, OutcomeKind};
use crate::rules::{self, Expr, PerPlayer, Rules};

/// What the ends are worth.
#[derive(Clone, Debug)]
pub struct Stakes {
    /// By the outcome's number in the graph: what the first player gets.
    pub ends: Vec<Rational64>,
    /// What two players get together.
    pub sum: Rational64,
    /// What the first player gets where play never ends; none where no rule says.
    pub infinite: Option<Rational64>,
    /// What he gets at least and at most wherever the game ends; none where the rules do not tell.
    pub range: Option<(Rational64, Rational64)>,
    /// Whether all is won, lost or drawn.
    pub win_loss: bool,
    /// How many players there are: 1 or 2.
    pub players: u32,
    /// With `--margin`: 1 where the higher score is better, -1 where the lower is.
    pub margin: Option<i64>,
}

/// Why it is not known what is at stake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsettled {
    /// A sentence that says why.
    Reason(String),
    /// A limit was reached before it was found out.
    Limit(LimitHit),
}

impl From<String> for Unsettled {
    fn from(reason: String) -> Unsettled {
        Unsettled::Reason(reason)
    }
}

impl From<LimitHit> for Unsettled {
    fn from(hit: LimitHit) -> Unsettled {
        Unsettled::Limit(hit)
    }
}

fn one() -> Rational64 {
    Rational64::from_integer(1)
}

/// Why no method of this room can speak of these rules, whatever the positions; none where one may.
pub fn refusal(rules: &Rules) -> Option<String> {
    if rules.hides() {
        return Some("values of games with hidden information are not computed yet".into());
    }
    match rules.players().len() {
        1 | 2 => None,
        0 => Some("the game has no players".into()),
        n => Some(format!("perfect play of {n} players is not one value: coalitions decide")),
    }
}

impl Stakes {
    /// Reads what is at stake from the rules and the outcomes met; a sentence where the players' interests are not
    /// opposed or infinite play has no one value. What infinite play gives is asked only where play can be `endless`.
    pub fn of(game: &Game, graph: &Graph, margin: bool, endless: bool) -> Result<Stakes, Unsettled> {
        let rules = &*game.rules;
        let players = rules.players().len() as u32;
        let infinite = if margin || !endless { None } else { infinite(game, graph)? };
        let mut pairs: Vec<Vec<Rational64>> = graph.outcomes().iter().map(|o| o.payoffs.clone()).collect();
        let mut direction = None;
        if margin {
            let (sign, differences) = margins(rules, graph.outcomes())?;
            direction = Some(sign);
            pairs = differences;
        }
        let sum = constant_sum(players, pairs.iter().chain(infinite.as_ref()))?;
        let win_loss = !margin
            && graph.outcomes().iter().all(|o| o.kind != OutcomeKind::Payoff)
            && rules.ends.iter().all(|end| !matches!(end.outcome, rules::Outcome::Payoff(_)));
        let first = |payoffs: &Vec<Rational64>| payoffs.first().copied().unwrap_or_default();
        Ok(Stakes {
            ends: pairs.iter().map(first).collect(),
            sum,
            infinite: infinite.as_ref().map(first),
            range: if margin { None } else { range(rules) },
            win_loss,
            players,
            margin: direction,
        })
    }

    /// What a player gets where the first gets `value`.
    pub fn payoff(&self, value: Rational64, player: u32) -> Rational64 {
        if player == 0 { value } else { self.sum - value }
    }

    /// What the first player gets, in words; `chance` where it may be a mean.
    pub(super) fn told(&self, value: Rational64, chance: bool) -> Value {
        let (one, zero) = (one(), Rational64::default());
        let sign = if value > zero {
            one
        } else if value < zero {
            -one
        } else {
            zero
        };
        let (value, sum) = match self.margin {
            Some(_) => (sign, zero),
            None => (value, self.sum),
        };
        let payoffs = if self.players == 1 { vec![value] } else { vec![value, sum - value] };
        let decided = self.win_loss || self.margin.is_some();
        let kind = match (decided, self.players) {
            (false, _) => ValueKind::Payoff,
            (true, 1) if value == one => ValueKind::Solved,
            (true, 1) if value == -one && !chance => ValueKind::Unsolvable,
            (true, 2) if value == one => ValueKind::Win(0),
            (true, 2) if value == -one => ValueKind::Win(1),
            (true, _) if !chance && value == zero => ValueKind::Draw,
            (true, _) => ValueKind::Payoff,
        };
        Value { payoffs, kind }
    }

    /// Which player a result favours, so that he should hurry towards it; none for draws and where it is all one.
    pub fn favoured(&self, value: Rational64) -> Option<u32> {
        if self.players == 1 {
            return Some(0);
        }
        let middle = if self.win_loss { self.sum / 2 } else { self.infinite? };
        match value.cmp(&middle) {
            std::cmp::Ordering::Greater => Some(0),
            std::cmp::Ordering::Less => Some(1),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// What two players get together wherever the game ends, as far as the rules alone tell; or why they do not.
pub(super) fn fixed_sum(rules: &Rules) -> Result<Rational64, String> {
    let mut sums = Vec::new();
    for end in &rules.ends {
        sums.push(match &end.outcome {
            rules::Outcome::Payoff(each) => {
                let constant = |e: &Expr| e.constant().and_then(|value| value.as_ratio());
                let payoffs: Option<Vec<Rational64>> = each.values.iter().map(constant).collect();
                payoffs.ok_or(
                    "the payoffs are not numbers, so it is not known without a look at every end that they \
                               have one sum",
                )?
            }
            _ => vec![Rational64::default()],
        });
    }
    constant_sum(2, sums.iter())
}

fn constant_sum<'a>(
    players: u32,
    mut results: impl Iterator<Item = &'a Vec<Rational64>>,
) -> Result<Rational64, String> {
    if players == 1 {
        return Ok(Rational64::default());
    }
    let sum = |payoffs: &Vec<Rational64>| payoffs.iter().sum::<Rational64>();
    let Some(first) = results.next().map(sum) else {
        return Ok(Rational64::default());
    };
    if results.all(|r| sum(r) == first) {
        Ok(first)
    } else {
        Err("the players' payoffs do not add up to one sum: their interests are not opposed, and perfect play is \
             not one value"
            .into())
    }
}

/// What infinite play gives each player; none where no rule says.
fn infinite(game: &Game, graph: &Graph) -> Result<Option<Vec<Rational64>>, Unsettled> {
    infinite_by(&game.rules, &|expr| everywhere(game, graph, expr))
}

/// What infinite play gives each player, where the rules say it without a look at any position; none where there is no
/// rule.
pub(super) fn endless(rules: &Rules) -> Result<Option<Vec<Rational64>>, Unsettled> {
    infinite_by(rules, &|expr| Ok(expr.constant().cloned()))
}

/// The value of an expression wherever play goes on, if it has one.
type Everywhere<'a> = dyn Fn(&Expr) -> Result<Option<rules::Value>, LimitHit> + 'a;

fn infinite_by(rules: &Rules, value: &Everywhere<'_>) -> Result<Option<Vec<Rational64>>, Unsettled> {
    let Some(repeat) = rules.repeats.iter().find(|r| r.count.is_none()) else {
        return Ok(None);
    };
    let players = rules.players().len() as u32;
    let changing =
        || "what infinite play gives depends on the position: `repeat` must name one result".to_owned();
    let win = |player: u32, wins: bool| {
        (0..players).map(|p| if (p == player) == wins { one() } else { -one() }).collect()
    };
    let values = |each: &PerPlayer| -> Result<Option<Vec<Rational64>>, LimitHit> {
        each.values.iter().map(|e| Ok(value(e)?.and_then(|v| v.as_ratio()))).collect()
    };
    Ok(Some(match &repeat.outcome {
        rules::Outcome::Draw => vec![Rational64::default(); players as usize],
        rules::Outcome::Alone(wins) => vec![if *wins { one() } else { -one() }],
        rules::Outcome::Player(player, wins) => {
            let player = value(player)?.and_then(|v| v.as_sym()).ok_or_else(changing)?;
            win(player, *wins)
        }
        rules::Outcome::Payoff(each) => values(each)?.ok_or_else(changing)?,
        rules::Outcome::Best(each, highest) => {
            let scores = values(each)?.ok_or_else(changing)?;
            let better = |a: &Rational64, b: &Rational64| if *highest { a > b } else { a < b };
            let best = (0..scores.len())
                .find(|&i| (0..scores.len()).all(|j| j == i || better(&scores[i], &scores[j])));
            best.map_or(vec![Rational64::default(); scores.len()], |i| win(i as u32, true))
        }
    }))
}

/// The value of an expression that is the same in every position where play goes on; all must have been seen.
fn everywhere(game: &Game, graph: &Graph, expr: &Expr) -> Result<Option<rules::Value>, LimitHit> {
    if let Some(value) = expr.constant() {
        return Ok(Some(value.clone()));
    }
    if !graph.is_complete() {
        return Ok(None);
    }
    let mut known = None;
    for i in (0..graph.len() as u32).filter(|&i| !matches!(graph.node(i), Node::Over(_))) {
        let value = game.machine.eval(&graph.explored.arena.state(i), expr)?;
        if value.is_none() || known.is_some() && value != known {
            return Ok(None);
        }
        known = value;
    }
    Ok(known)
}

/// The least and the greatest the first player can get by any rule.
pub(super) fn range(rules: &Rules) -> Option<(Rational64, Rational64)> {
    let outcomes = rules.ends.iter().map(|e| &e.outcome).chain(rules.repeats.iter().map(|r| &r.outcome));
    let mut range = (-one(), one());
    for outcome in outcomes {
        if let rules::Outcome::Payoff(each) = outcome {
            let first = each.values.first()?;
            let (lo, hi) = match first.constant().and_then(|v| v.as_ratio()) {
                Some(value) => (value, value),
                None => first.ty.interval().map(|(lo, hi)| (lo.into(), hi.into()))?,
            };
            range = (range.0.min(lo), range.1.max(hi));
        }
    }
    Some(range)
}

/// With `--margin`: which way scores are better, and for each outcome the difference of the scores that way.
pub(super) fn margins(rules: &Rules, outcomes: &[Outcome]) -> Result<(i64, Vec<Vec<Rational64>>), String> {
    let mut sign = None;
    let mut differences = Vec::new();
    for outcome in outcomes {
        let Some([a, b]) = outcome.scores.as_deref() else {
            return Err("the game can end without two scores, so there is no margin".into());
        };
        let mut given =
            rules.ends.iter().map(|end| &end.outcome).chain(rules.repeats.iter().map(|r| &r.outcome));
        let lowest = matches!(given.nth(outcome.rule), Some(rules::Outcome::Best(_, false)));
        let way = if lowest { -1 } else { 1 };
        if sign.replace(way).is_some_and(|old| old != way) {
            return Err("the game has both a highest and a lowest score, so there is no one margin".into());
        }
        let difference = a.checked_sub(*b).and_then(|d| d.checked_mul(way));
        let difference = Rational64::from(difference.ok_or("the scores are too large")?);
        differences.push(vec![difference, -difference]);
    }
    Ok((sign.unwrap_or(1), differences))
}
