//! Interval iteration: bounds on values where exact means are out of reach, with chance on graphs with cycles, or
//! fractions past 64 bits.
//!
//! Technique: interval iteration. From the least and the greatest payoff of the rules, sweeps update every position's
//! lower and upper bound from those of its successors, over and over, in fixed point rounded outwards.
//! Source: Shapley (1953) for value iteration; McMahan, Likhachev, Gordon (2005) and Haddad, Monmege (2014) for
//! iterating from both sides at once.
//! Cost: time linear in moves a sweep; 16 bytes a position. The necessary number of sweeps grows with the length of
//! play.
//! Invariant: the value is a fixpoint of the update, and the update is monotone; so the lower bounds never pass the
//! value from below nor the upper ones from above, at whatever sweep the iteration stops.
//! Not taken: floating point (rounds to either side), and exact elimination inside each cycle (its fractions are
//! longer than the numbers here).

use bouton_base::rational::Rational;

use super::graph::{GameGraph, GraphNode};
use super::graph_labelling::GraphSolver;
use super::labels::{BoundLabels, Labels, NO_LABEL};
use super::payoffs::PayoffModel;
use bouton_base::limits::Limits;

/// The number of binary digits after the point.
const FRACTION_BITS: u32 = 40;
/// The gap between the bounds at which the iteration stops: about a thousand-millionth.
const MAX_GAP: i64 = 1 << (FRACTION_BITS - 30);
/// The bound on payoffs: larger ones do not fit the numbers of this method.
const MAX_PAYOFF: i64 = 1 << 20;
/// The maximal number of sweeps: bounds that have not met by then will not meet soon.
const MAX_SWEEPS: u32 = 20_000;

/// The reason for interval iteration where nobody requested it.
pub(super) const PICKED_REASON: &str =
    "chance acts and policy iteration gives no exact means here, so bounds close in on the value";

/// Interval iteration.
pub const INTERVAL: GraphSolver = GraphSolver {
    name: "interval",
    description: "interval iteration: bounds on means that close in on the value",
    misfit: |_| None,
    picked: |_| None,
    labels: |task| {
        let range = task.stakes.range.as_ref()?;
        let valued = task.order.is_some() || task.stakes.infinite.is_some() || task.stakes.win_loss;
        if valued {
            let (low, high) = enclose(task.graph, task.stakes, range, task.limits)?;
            return Some(BoundLabels { low, high: Some(high), horizon: None });
        }
        // Endless play has no payoff, which might be less or more than any other. A bound that comes into the range
        // nevertheless, since the player can end play, says something.
        let span = (&range.1 - &range.0).max(Rational::ONE);
        let wide = (&range.0 - &span, &range.1 + &span);
        let (low, high) = enclose(task.graph, task.stakes, &wide, task.limits)?;
        let (least, most) = within(range, (low.value(0).cloned(), high.value(0).cloned()));
        (least.is_some() || most.is_some()).then_some(BoundLabels { low, high: Some(high), horizon: None })
    },
    stops_at_win: false,
    open_reason: |_| Some("the value is enclosed, not exact".into()),
};

/// Returns bounds without what rounding or endless play without a payoff puts outside of the range of payoffs.
pub(super) fn within(
    range: &(Rational, Rational),
    bounds: (Option<Rational>, Option<Rational>),
) -> (Option<Rational>, Option<Rational>) {
    let rounding = Rational::new(1, 1 << (FRACTION_BITS / 2));
    let low = bounds.0.filter(|low| low + &rounding >= range.0).map(|low| low.max(range.0.clone()));
    let high = bounds.1.filter(|high| high - &rounding <= range.1).map(|high| high.min(range.1.clone()));
    (low, high)
}

/// Returns bounds on every position's value, as labels that are too small and labels that are too great; `None` if
/// payoffs or probabilities are too large for this method. Open positions may have any value in `range`.
///
/// Precondition: all ends and infinite play lie in `range`; there are no simultaneous moves.
pub fn enclose(
    graph: &GameGraph,
    stakes: &PayoffModel,
    range: &(Rational, Rational),
    limits: &Limits,
) -> Option<(Labels, Labels)> {
    let mut low = BoundVector::start(graph, stakes, &range.0, Rounding::Down)?;
    let mut high = BoundVector::start(graph, stakes, &range.1, Rounding::Up)?;
    for _ in 0..MAX_SWEEPS {
        let changed = low.sweep(graph)? | high.sweep(graph)?;
        let gap = high.at.first()? - low.at.first()?;
        if !changed || gap <= MAX_GAP || limits.check().is_some() {
            break;
        }
    }
    Some((low.labels(), high.labels()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Down,
    Up,
}

impl Rounding {
    /// Returns `number * share` in whole units, rounded this way; the share's denominator is positive.
    /// `None` if the share does not fit 64 bits.
    fn scale(self, number: i64, share: &Rational) -> Option<i128> {
        let (numerator, denominator) = share.as_small()?;
        let (product, denominator) = (i128::from(number) * i128::from(numerator), i128::from(denominator));
        Some(match self {
            Rounding::Down => product.div_euclid(denominator),
            Rounding::Up => -(-product).div_euclid(denominator),
        })
    }
}

/// The bounds on one side, in units of the last digit.
struct BoundVector {
    at: Vec<i64>,
    round: Rounding,
}

impl BoundVector {
    fn start(
        graph: &GameGraph,
        stakes: &PayoffModel,
        worst: &Rational,
        round: Rounding,
    ) -> Option<BoundVector> {
        let fixed = |value: &Rational| {
            let fits = value.abs() < Rational::from_integer(MAX_PAYOFF);
            fits.then(|| i64::try_from(round.scale(1 << FRACTION_BITS, value)?).ok()).flatten()
        };
        let worst = fixed(worst)?;
        let ends: Vec<i64> = stakes.ends.iter().map(fixed).collect::<Option<_>>()?;
        let start = |position| match graph.node(position) {
            GraphNode::Over(outcome) => ends[outcome as usize],
            _ => worst,
        };
        Some(BoundVector { at: (0..graph.len() as u32).map(start).collect(), round })
    }

    /// Updates every bound, the last discovered first, since results come from there; returns true if one changed,
    /// and `None` if a number does not fit.
    fn sweep(&mut self, graph: &GameGraph) -> Option<bool> {
        let mut changed = false;
        for position in (0..graph.expanded() as u32).rev() {
            let values = graph.successors(position).iter().map(|&to| self.at[to as usize]);
            let new = match graph.node(position) {
                GraphNode::Player(0) => values.max()?,
                GraphNode::Player(_) => values.min()?,
                GraphNode::Chance => {
                    let shares = graph.probabilities(position);
                    let sum: Option<i128> =
                        values.zip(shares).map(|(v, share)| self.round.scale(v, share)).sum();
                    i64::try_from(sum?).ok()?
                }
                GraphNode::Over(_) | GraphNode::Open | GraphNode::Each => continue,
            };
            // Rounding may worsen a bound: the old one stays valid.
            let old = &mut self.at[position as usize];
            let better = if self.round == Rounding::Down { new > *old } else { new < *old };
            if better {
                *old = new;
                changed = true;
            }
        }
        Some(changed)
    }

    fn labels(self) -> Labels {
        let mut labels = Labels::new(self.at.len(), Vec::new());
        for (position, units) in self.at.into_iter().enumerate() {
            labels.set(position as u32, &Rational::new(units, 1 << FRACTION_BITS), NO_LABEL);
        }
        labels
    }
}
