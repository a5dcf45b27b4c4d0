//! The payoff model: the payoff of each terminal and of infinite play to the first player.
//!
//! *Invariant:* the methods of this module see the payoffs of the first player alone; this file establishes once that
//! the players' interests are opposed (their payoffs have a constant sum).

use bouton_base::rational::Rational;

use super::graph::{GameGraph, GraphNode};
use super::retrograde::Predecessors;
use super::value::{Inapplicable, Value, ValueKind};
use crate::game::{Game, Outcome, OutcomeKind};
use bouton_base::limits::LimitHit;
use bouton_rules::{self as rules, Expr, PerPlayer, Rules};

/// The payoffs of a game to the first player.
#[derive(Clone, Debug)]
pub struct PayoffModel {
    /// The payoffs of the first player, by the outcome's number in the graph.
    pub ends: Vec<Rational>,
    /// The constant sum of both players' payoffs.
    pub sum: Rational,
    /// The payoff of infinite play; `None` if no rule gives one.
    pub infinite: Option<Rational>,
    /// The minimal and the maximal payoff over all outcomes of the rules; `None` if the rules do not bound it.
    pub range: Option<(Rational, Rational)>,
    /// True if every outcome is a win, a loss or a draw.
    pub win_loss: bool,
    /// The number of players: 1 or 2.
    pub players: u32,
    /// With `--margin`: 1 if the higher score is better, -1 if the lower is.
    pub margin: Option<i64>,
}

/// The reason where endless play decides and no rule gives it a payoff.
pub(super) const NO_ENDLESS_VALUE: &str = "play can go on for ever, and no `repeat` rule gives its value";

fn one() -> Rational {
    Rational::from_integer(1)
}

/// Checks that some method of this module supports these rules; the error is the reason why none does, whatever the
/// positions.
pub fn check_supported(rules: &Rules) -> Result<(), Inapplicable> {
    if rules.has_hidden_information() {
        return Err("hidden information needs `--method sequence-form` or `cfr`".into());
    }
    match rules.players().len() {
        1 | 2 => Ok(()),
        0 => Err("the game has no players".into()),
        n => Err(format!("perfect play of {n} players has no single value: coalitions decide").into()),
    }
}

impl PayoffModel {
    /// Reads the payoffs from the rules and the outcomes of the graph; the error is a sentence if the players'
    /// interests are not opposed or infinite play has no single payoff. `endless` is true if play can be infinite; only
    /// then the payoff of infinite play is computed.
    pub fn of(
        game: &Game,
        graph: &GameGraph,
        margin: bool,
        endless: bool,
    ) -> Result<PayoffModel, Inapplicable> {
        let rules = &*game.rules;
        let players = rules.players().len() as u32;
        let infinite = if margin || !endless { None } else { infinite(game, graph)? };
        let mut pairs: Vec<Vec<Rational>> = graph.outcomes().iter().map(|o| o.payoffs.clone()).collect();
        let mut direction = None;
        if margin {
            let (sign, differences) = margins(rules, graph.outcomes())?;
            direction = Some(sign);
            pairs = differences;
        }
        let sum = constant_sum(players, pairs.iter().chain(infinite.as_ref()))?;
        let win_loss = !margin
            && graph.outcomes().iter().all(|o| o.kind != OutcomeKind::Payoff)
            && has_no_payoffs(rules);
        let first = |payoffs: &Vec<Rational>| payoffs.first().cloned().unwrap_or_default();
        Ok(PayoffModel {
            ends: pairs.iter().map(first).collect(),
            sum,
            infinite: infinite.as_ref().map(first),
            range: if margin { None } else { range(rules) },
            win_loss,
            players,
            margin: direction,
        })
    }

    /// Returns the payoff of a player if the first player's is `value`.
    pub fn payoff(&self, value: Rational, player: u32) -> Rational {
        if player == 0 { value } else { self.sum.clone() - value }
    }

    /// Describes the first player's payoff as a value; `chance` is true if it may be a mean.
    pub(super) fn describe(&self, value: Rational, chance: bool) -> Value {
        let (one, zero) = (one(), Rational::default());
        let sign = if value > zero {
            one.clone()
        } else if value < zero {
            -one.clone()
        } else {
            zero.clone()
        };
        let (value, sum) = match self.margin {
            Some(_) => (sign, zero.clone()),
            None => (value, self.sum.clone()),
        };
        let payoffs = if self.players == 1 { vec![value.clone()] } else { vec![value.clone(), sum - &value] };
        let decided = self.win_loss || self.margin.is_some();
        let kind = match (decided, self.players) {
            (false, _) => ValueKind::Payoff,
            (true, 1) if value == one => ValueKind::Solved,
            (true, 1) if value == -&one && !chance => ValueKind::Unsolvable,
            (true, 2) if value == one => ValueKind::Win(0),
            (true, 2) if value == -one => ValueKind::Win(1),
            (true, _) if !chance && value == zero => ValueKind::Draw,
            (true, _) => ValueKind::Payoff,
        };
        Value { payoffs, kind }
    }

    /// Returns the player whom a result favours, who should win soon; `None` for draws and where speed does not
    /// matter. A draw favours the player who would lose by infinite play.
    pub fn favoured(&self, value: &Rational) -> Option<u32> {
        if self.players == 1 {
            return Some(0);
        }
        let half = &self.sum / Rational::from_integer(2);
        let middle = if self.win_loss && *value != half { &half } else { self.infinite.as_ref()? };
        match value.cmp(middle) {
            std::cmp::Ordering::Greater => Some(0),
            std::cmp::Ordering::Less => Some(1),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// Returns true if plays are won, lost or drawn: no rule about an end, or about repeated positions, gives payoffs.
pub(super) fn has_no_payoffs(rules: &Rules) -> bool {
    let ends = rules.ends.iter().map(|end| &end.outcome);
    let mut outcomes = ends.chain(rules.repeats.iter().map(|repeat| &repeat.outcome));
    outcomes.all(|outcome| !matches!(outcome, rules::OutcomeExpr::Payoff(_)))
}

/// Returns true for an outcome that has no value: such a rule states that positions do not occur.
pub fn is_without_result(outcome: &rules::OutcomeExpr) -> bool {
    let undefined = |value: &Expr| matches!(&*value.kind, rules::ExprKind::Undefined);
    match outcome {
        rules::OutcomeExpr::Player(player, _) => undefined(player),
        rules::OutcomeExpr::Payoff(payoffs) => payoffs.values.iter().all(undefined),
        rules::OutcomeExpr::Draw | rules::OutcomeExpr::SinglePlayer(_) | rules::OutcomeExpr::ByScore(..) => {
            false
        }
    }
}

/// Returns the constant sum of both players' payoffs at the terminals, if the rules alone show it; or the reason why
/// they do not.
pub(super) fn rules_constant_sum(rules: &Rules) -> Result<Rational, Inapplicable> {
    let mut sums = Vec::new();
    // A rule without a result is a fault wherever it decides.
    for end in rules.ends.iter().filter(|end| !is_without_result(&end.outcome)) {
        sums.push(match &end.outcome {
            rules::OutcomeExpr::Payoff(each) => {
                let constant = |e: &Expr| e.constant().and_then(|value| value.as_ratio());
                let payoffs: Option<Vec<Rational>> = each.values.iter().map(constant).collect();
                payoffs.ok_or(
                    "the payoffs depend on the position, so only a visit to every end shows whether they have one \
                     sum",
                )?
            }
            _ => vec![Rational::default()],
        });
    }
    constant_sum(2, sums.iter())
}

fn constant_sum<'a>(
    players: u32,
    mut results: impl Iterator<Item = &'a Vec<Rational>>,
) -> Result<Rational, Inapplicable> {
    if players == 1 {
        return Ok(Rational::default());
    }
    let sum = |payoffs: &Vec<Rational>| payoffs.iter().sum::<Rational>();
    let Some(first) = results.next().map(sum) else {
        return Ok(Rational::default());
    };
    if results.all(|r| sum(r) == first) {
        Ok(first)
    } else {
        Err("the players' payoffs do not add up to one sum: their interests are not opposed, and perfect \
            play has no single value"
            .into())
    }
}

/// Returns each player's payoff of infinite play; `None` if no rule gives one.
fn infinite(game: &Game, graph: &GameGraph) -> Result<Option<Vec<Rational>>, Inapplicable> {
    infinite_by(&game.rules, &|expr| everywhere(game, graph, expr))
}

/// Returns each player's payoff of infinite play, if the rules give it without any position; `None` if there is no
/// rule.
pub(super) fn constant_infinite_payoffs(rules: &Rules) -> Result<Option<Vec<Rational>>, Inapplicable> {
    infinite_by(rules, &|expr| Ok(expr.constant().cloned()))
}

/// Returns the value of an expression if it is constant over all positions where play goes on.
type ConstantEvaluation<'a> = dyn Fn(&Expr) -> Result<Option<rules::Value>, LimitHit> + 'a;

fn infinite_by(rules: &Rules, value: &ConstantEvaluation<'_>) -> Result<Option<Vec<Rational>>, Inapplicable> {
    let Some(repeat) = rules.repeats.iter().find(|r| r.count.is_none()) else {
        return Ok(None);
    };
    let players = rules.players().len() as u32;
    let changing =
        || "the value of infinite play depends on the position: `repeat` must name one result".to_owned();
    let win = |player: u32, wins: bool| {
        (0..players).map(|p| if (p == player) == wins { one() } else { -one() }).collect()
    };
    let values = |each: &PerPlayer| -> Result<Option<Vec<Rational>>, LimitHit> {
        each.values.iter().map(|e| Ok(value(e)?.and_then(|v| v.as_ratio()))).collect()
    };
    Ok(Some(match &repeat.outcome {
        rules::OutcomeExpr::Draw => vec![Rational::default(); players as usize],
        rules::OutcomeExpr::SinglePlayer(wins) => vec![if *wins { one() } else { -one() }],
        rules::OutcomeExpr::Player(player, wins) => {
            let player = value(player)?.and_then(|v| v.as_sym()).ok_or_else(changing)?;
            win(player, *wins)
        }
        rules::OutcomeExpr::Payoff(each) => values(each)?.ok_or_else(changing)?,
        rules::OutcomeExpr::ByScore(each, highest) => {
            let scores = values(each)?.ok_or_else(changing)?;
            let better = |a: &Rational, b: &Rational| if *highest { a > b } else { a < b };
            let best = (0..scores.len())
                .find(|&i| (0..scores.len()).all(|j| j == i || better(&scores[i], &scores[j])));
            best.map_or(vec![Rational::default(); scores.len()], |i| win(i as u32, true))
        }
    }))
}

/// Returns the value of an expression that is the same at every nonterminal position; the graph must be complete.
fn everywhere(game: &Game, graph: &GameGraph, expr: &Expr) -> Result<Option<rules::Value>, LimitHit> {
    if let Some(value) = expr.constant() {
        return Ok(Some(value.clone()));
    }
    if !graph.is_complete() {
        return Ok(None);
    }
    let mut known = None;
    for i in (0..graph.len() as u32).filter(|&i| !matches!(graph.node(i), GraphNode::Over(_))) {
        let value = game.machine.eval(&graph.explored.arena.state(i), expr)?;
        if value.is_none() || known.is_some() && value != known {
            return Ok(None);
        }
        known = value;
    }
    Ok(known)
}

/// Returns the minimal and the maximal payoff of the first player by any rule.
pub(super) fn range(rules: &Rules) -> Option<(Rational, Rational)> {
    let outcomes = rules.ends.iter().map(|e| &e.outcome).chain(rules.repeats.iter().map(|r| &r.outcome));
    let mut range = (-one(), one());
    for outcome in outcomes {
        if let rules::OutcomeExpr::Payoff(each) = outcome {
            let first = each.values.first()?;
            let (lo, hi) = match first.constant().and_then(|v| v.as_ratio()) {
                Some(value) => (value.clone(), value),
                None => first.ty.interval().map(|(lo, hi)| (lo.into(), hi.into()))?,
            };
            range = (range.0.min(lo), range.1.max(hi));
        }
    }
    Some(range)
}

/// Returns true if play ends with probability 1, whatever the players do: from every position, play ends with positive
/// probability. Time and memory are linear in the moves.
pub(super) fn ends_almost_surely(graph: &GameGraph) -> bool {
    let predecessors = Predecessors::of(graph);
    let all = 0..graph.len() as u32;
    // The number of successors that must be such positions before a position is one.
    let mut open: Vec<u32> = all
        .clone()
        .map(|at| match graph.node(at) {
            GraphNode::Chance => 1,
            _ => graph.successors(at).len() as u32,
        })
        .collect();
    let mut ending: Vec<u32> = all.filter(|&at| matches!(graph.node(at), GraphNode::Over(_))).collect();
    let mut done = 0;
    while let Some(&at) = ending.get(done) {
        done += 1;
        for &before in predecessors.of_position(at) {
            let left = &mut open[before as usize];
            *left -= 1;
            if *left == 0 {
                // Further events of chance that end play change nothing.
                *left = u32::MAX;
                ending.push(before);
            }
        }
    }
    ending.len() == graph.len()
}

/// With `--margin`: returns the sign of the better direction of scores, and the signed score difference of each
/// outcome.
pub(super) fn margins(
    rules: &Rules,
    outcomes: &[Outcome],
) -> Result<(i64, Vec<Vec<Rational>>), Inapplicable> {
    let mut sign = None;
    let mut differences = Vec::new();
    for outcome in outcomes {
        let Some([a, b]) = outcome.scores.as_deref() else {
            return Err("the game can end without two scores, so there is no margin".into());
        };
        let mut given =
            rules.ends.iter().map(|end| &end.outcome).chain(rules.repeats.iter().map(|r| &r.outcome));
        let lowest = matches!(given.nth(outcome.rule), Some(rules::OutcomeExpr::ByScore(_, false)));
        let way = if lowest { -1 } else { 1 };
        if sign.replace(way).is_some_and(|old| old != way) {
            return Err("the game has both a highest and a lowest score, so there is no one margin".into());
        }
        let difference = a.checked_sub(*b).and_then(|d| d.checked_mul(way));
        let difference = Rational::from(difference.ok_or("the scores are too large")?);
        differences.push(vec![difference.clone(), -difference]);
    }
    Ok((sign.unwrap_or(1), differences))
}
