//! The tree of minimax, alpha-beta and And-Or search, with cuts at chance nodes.

use std::cmp::Ordering;

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use num_rational::Rational64;

use super::super::depth_limited::evaluation::{ExpandedNode, StaticEvaluator};
use super::super::depth_limited::forcing::{ForcingDegree, ForcingMoveFinder};
use super::super::depth_limited::{DepthLimitedOptions, averaging};
use super::super::leaf_value;
use super::super::value::WrittenMove;
use super::{MAX_TREE_DEPTH, TraceError, TraceNode, TraceNodeKind, TracedSearch, Window};
use crate::game::{Game, State, Successor, ToMove};

/// The remaining depth of a node.
#[derive(Clone, Copy)]
pub(super) struct RemainingDepth {
    /// The plies to the depth limit; `None` without a limit.
    pub(super) depth: Option<usize>,
    /// The remaining plies of quiescence search beyond the limit.
    pub(super) quiet: u32,
    /// The plies from the root.
    pub(super) ply: usize,
    /// True if only the first move of the node is searched.
    pub(super) first_alone: bool,
}

impl RemainingDepth {
    fn next(self) -> RemainingDepth {
        let depth = self.depth.map(|depth| depth - 1);
        RemainingDepth { depth, ply: self.ply + 1, first_alone: false, ..self }
    }
}

/// A search in depth that writes down each node.
pub(super) struct Tracer<'a> {
    pub(super) game: &'a Game,
    pub(super) method: TracedSearch,
    pub(super) plan: DepthLimitedOptions,
    pub(super) guesser: StaticEvaluator<'a>,
    pub(super) forcing: ForcingMoveFinder<'a>,
    pub(super) nodes: usize,
    pub(super) limits: &'a Limits,
    /// The player to move at the root.
    pub(super) root: u32,
    pub(super) met: usize,
    pub(super) visits: usize,
    /// The constant sum of the players' payoffs.
    pub(super) sum: Option<Rational>,
    /// For alpha-beta at chance nodes: the least and the greatest payoff of the first player by the rules, if all values
    /// come from ends of the game.
    pub(super) range: Option<(Rational, Rational)>,
    /// True if one move after each event of chance is searched first.
    pub(super) probes: bool,
    /// The payoffs of infinite play, if the rules give them without any position and chance does not act: where a
    /// position comes back on a path, they may replace all play from there on (Ehrenfeucht and Mycielski 1979).
    pub(super) endless: Option<Vec<Rational>>,
    /// The positions from the root to the node being searched, if infinite play has payoffs.
    pub(super) path: Vec<State>,
}

/// The bounds of the values after the events of a chance node.
struct EventBounds {
    probabilities: Vec<Rational>,
    bounds: Vec<(Rational, Rational)>,
}

impl EventBounds {
    /// Returns the least and the greatest mean.
    fn mean(&self) -> (Rational, Rational) {
        let each = || self.probabilities.iter().zip(&self.bounds);
        (
            each().map(|(share, (least, _))| share * least).sum(),
            each().map(|(share, (_, most))| share * most).sum(),
        )
    }

    /// Returns a bound of the mean that lies outside of the window.
    fn outside(&self, window: &Window) -> Option<Rational> {
        let (least, most) = self.mean();
        match window {
            (Some(low), _) if most <= *low => Some(most),
            (_, Some(high)) if least >= *high => Some(least),
            _ => None,
        }
    }

    /// Returns what the bounds of the other events leave of the window for this one.
    fn within(&self, event: usize, window: &Window) -> Window {
        let (least, most) = self.mean();
        let (share, (own_least, own_most)) = (&self.probabilities[event], &self.bounds[event]);
        let left =
            |bound: &Rational, mean: &Rational, own: &Rational| (bound - &(mean - &(share * own))) / share;
        (
            window.0.as_ref().map(|low| left(low, &most, own_most)),
            window.1.as_ref().map(|high| left(high, &least, own_least)),
        )
    }
}

impl Tracer<'_> {
    fn node(&mut self, made: Option<WrittenMove>, kind: TraceNodeKind) -> Result<TraceNode, TraceError> {
        self.met += 1;
        if self.met > self.nodes {
            return Err(TraceError::TooLarge(self.nodes));
        }
        Ok(TraceNode::new(made, kind))
    }

    pub(super) fn visit(
        &mut self,
        state: &State,
        made: Option<WrittenMove>,
        place: RemainingDepth,
        window: Window,
    ) -> Result<TraceNode, TraceError> {
        if let Some(hit) = self.limits.check() {
            return Err(TraceError::Limit(hit));
        }
        if place.ply > MAX_TREE_DEPTH {
            return Err(TraceError::TooDeep);
        }
        let (turn, successors) = self.game.machine.expand(state).map_err(TraceError::Halt)?;
        let here = ExpandedNode { state, turn: &turn, successors: &successors };
        let place = self.extended(here, place);
        let edge = place.depth == Some(0) && (place.quiet == 0 || !matches!(turn, ToMove::Player(_)));
        let comes_back = self.path.contains(state);
        let kind = match &turn {
            ToMove::Terminal(_) => TraceNodeKind::End,
            _ if comes_back => TraceNodeKind::Repeated,
            _ if edge => TraceNodeKind::DepthLimit,
            ToMove::Player(player) => TraceNodeKind::Player(*player),
            ToMove::Chance if self.method != TracedSearch::AndOr => TraceNodeKind::Chance,
            ToMove::Chance => {
                return Err(TraceError::NotApplicable("And-Or trees do not support chance".into()));
            }
            ToMove::Simultaneous => {
                return Err(TraceError::NotApplicable(
                    "players choose simultaneously: `--method mixed` draws the best strategies".into(),
                ));
            }
        };
        let mut node = self.node(made, kind)?;
        self.visits += 1;
        node.visited = Some(self.visits);
        node.window = (self.method == TracedSearch::AlphaBeta).then_some(window.clone());
        match (kind, &turn) {
            (TraceNodeKind::End, ToMove::Terminal(outcome)) => node.value = Some(self.end(&outcome.payoffs)?),
            (TraceNodeKind::DepthLimit, _) => self.edge(here, &mut node)?,
            (TraceNodeKind::Chance, _) => self.average(state, &mut node, successors, place, window)?,
            (TraceNodeKind::Repeated, _) => {
                let payoffs = self.endless.clone().unwrap_or_default();
                node.value = Some(self.end(&payoffs)?);
            }
            _ => {
                self.path.extend(self.endless.is_some().then(|| state.clone()));
                let chosen = self.choose(state, &mut node, successors, place, window);
                self.path.pop();
                chosen?;
            }
        }
        Ok(node)
    }

    /// Searches the events of a chance node. Alpha-beta stops where the bounds of the rules on all payoffs show that the
    /// mean is outside of the window, and passes on what the other events leave of it (Star1; Ballard 1983).
    fn average(
        &mut self,
        state: &State,
        node: &mut TraceNode,
        successors: Vec<Successor>,
        place: RemainingDepth,
        window: Window,
    ) -> Result<(), TraceError> {
        let mut mean = Some(Rational::ZERO);
        let mut events = self.range.clone().map(|range| EventBounds {
            probabilities: successors.iter().map(|next| next.probability.clone()).collect(),
            bounds: vec![range; successors.len()],
        });
        let mut probed = vec![None; successors.len()];
        if let Some(events) = events.as_mut().filter(|_| self.probes && window != (None, None)) {
            for (number, next) in successors.iter().enumerate() {
                if events.outside(&window).is_none() {
                    probed[number] = self.probe(next, place, events.within(number, &window))?;
                    events.bounds[number] = narrowed(probed[number].as_ref(), &events.bounds[number]);
                }
            }
        }
        for (number, next) in successors.into_iter().enumerate() {
            let made = self.made(state, next.play.clone());
            if let Some(bound) = events.as_ref().and_then(|events| events.outside(&window)) {
                // The events that remain count as worth their bounds.
                let left = match probed[number].take() {
                    Some(probed) => TraceNode { made: Some(made), ..probed },
                    None => self.node(Some(made), TraceNodeKind::Cut)?,
                };
                node.children.push(TraceNode { probability: Some(next.probability), ..left });
                node.value = Some(bound);
                continue;
            }
            let within = events.as_ref().map_or((None, None), |events| events.within(number, &window));
            let child = match probed[number].take() {
                Some(probed) => {
                    self.resume(&next, TraceNode { made: Some(made), ..probed }, place, within)?
                }
                None => self.visit(&next.state, Some(made), place.next(), within)?,
            };
            match (&child.value, &mut events) {
                (Some(value), Some(events)) => events.bounds[number] = (value.clone(), value.clone()),
                (None, _) => events = None,
                _ => {}
            }
            mean = mean.zip(child.value.as_ref()).map(|(sum, value)| sum + value * &next.probability);
            node.is_estimate |= child.is_estimate;
            node.children.push(TraceNode { probability: Some(next.probability), ..child });
        }
        if node.value.is_none() {
            node.value = mean;
        }
        Ok(())
    }

    /// Searches the first move after an event, if a player chooses there (Star2; Ballard 1983).
    fn probe(
        &mut self,
        next: &Successor,
        place: RemainingDepth,
        window: Window,
    ) -> Result<Option<TraceNode>, TraceError> {
        let ToMove::Player(player) = self.game.machine.turn(&next.state).map_err(TraceError::Halt)? else {
            return Ok(None);
        };
        let mut node =
            self.visit(&next.state, None, RemainingDepth { first_alone: true, ..place.next() }, window)?;
        if node.children.len() > 1 {
            node.probe = Some(if player == 0 { Ordering::Greater } else { Ordering::Less });
        }
        Ok(Some(node))
    }

    /// Searches the moves of a node whose first one was searched before, with a window that is no wider.
    fn resume(
        &mut self,
        next: &Successor,
        mut node: TraceNode,
        place: RemainingDepth,
        window: Window,
    ) -> Result<TraceNode, TraceError> {
        let (_, successors) = self.game.machine.expand(&next.state).map_err(TraceError::Halt)?;
        node.children.truncate(1);
        (node.value, node.best, node.probe, node.is_estimate) = (None, None, None, false);
        node.window = Some(window.clone());
        self.choose(&next.state, &mut node, successors, place.next(), window)?;
        Ok(node)
    }

    pub(super) fn made(&self, state: &State, play: crate::game::MoveInstance) -> WrittenMove {
        let written = self.game.notation(state, &play);
        WrittenMove { play, written }
    }

    /// Returns the value of a terminal; fails if the players' interests are not opposed.
    pub(super) fn end(&mut self, payoffs: &[Rational]) -> Result<Rational, TraceError> {
        let sum: Rational = payoffs.iter().sum();
        if payoffs.len() > 1 && *self.sum.get_or_insert(sum.clone()) != sum {
            return Err(TraceError::NotOpposed);
        }
        if !matches!(self.method, TracedSearch::AndOr | TracedSearch::Pns) {
            return Ok(payoffs[0].clone());
        }
        let won = payoffs[self.root as usize] > Rational::default();
        Ok(Rational::from_integer(i64::from(won)))
    }

    /// Evaluates a node at the depth limit.
    fn edge(&mut self, here: ExpandedNode<'_>, node: &mut TraceNode) -> Result<(), TraceError> {
        let guess = match self.method {
            TracedSearch::AndOr => None,
            _ => self.guesser.evaluate(here).map_err(TraceError::Halt)?,
        };
        let guess = guess.and_then(|each| each.first().cloned());
        if guess.is_none() && self.method == TracedSearch::AlphaBeta {
            let what = "alpha-beta needs a value at this depth: add an `evaluate` to the rules, or increase \
                the depth";
            return Err(TraceError::NotApplicable(what.into()));
        }
        (node.value, node.is_estimate) = (guess.clone(), guess.is_some());
        Ok(())
    }

    /// Searches the moves of a node where a player chooses.
    fn choose(
        &mut self,
        state: &State,
        node: &mut TraceNode,
        successors: Vec<Successor>,
        place: RemainingDepth,
        window: Window,
    ) -> Result<(), TraceError> {
        let TraceNodeKind::Player(player) = node.kind else { return Ok(()) };
        let (mut low, mut high) = window;
        let highest = if self.method == TracedSearch::AndOr { player == self.root } else { player == 0 };
        let here = ExpandedNode { state, turn: &ToMove::Player(player), successors: &successors };
        let (followed, next) = self.followed(here, player, place, node)?;
        if let Some(value) = node.value.clone() {
            if highest {
                low = low.max(Some(value));
            } else {
                high = Some(high.map_or(value.clone(), |old| old.min(value)));
            }
        }
        let mut unknown = successors.is_empty();
        let mut seen: Vec<(f64, bool)> = node.value.iter().map(|value| (value.to_f64(), false)).collect();
        let mut first = std::mem::take(&mut node.children).into_iter().next();
        for (successor, followed) in successors.into_iter().zip(followed) {
            let made = self.made(state, successor.play);
            let closed = self.method == TracedSearch::AlphaBeta
                && low.clone().zip(high.clone()).is_some_and(|(low, high)| low >= high)
                || place.first_alone && !node.children.is_empty();
            if closed || !followed {
                let cut = self.node(Some(made), TraceNodeKind::Cut)?;
                node.children.push(cut);
                continue;
            }
            let child = match first.take() {
                Some(first) => first,
                None => self.visit(&successor.state, Some(made), next, (low.clone(), high.clone()))?,
            };
            match &child.value {
                None => unknown = true,
                Some(value) => {
                    // Of two equal values, prefer an exact one.
                    let sure = node.best.is_some_and(|best| !node.children[best].is_estimate);
                    let better = node.value.as_ref().is_none_or(|best| {
                        let surer = value == best && !sure && !child.is_estimate && child.bound().is_none();
                        surer || if highest { value > best } else { value < best }
                    });
                    if better {
                        (node.value, node.best) = (Some(value.clone()), Some(node.children.len()));
                    }
                    if highest {
                        low = low.max(Some(value.clone()));
                    } else {
                        high = high.map_or(Some(value.clone()), |old| Some(old.min(value.clone())));
                    }
                    seen.push((value.to_f64(), !child.is_estimate));
                }
            }
            node.is_estimate |= child.is_estimate;
            node.children.push(child);
        }
        // A won move, or a lost reply, decides regardless of unknown values.
        let certain = i64::from(highest);
        let decided =
            self.method == TracedSearch::AndOr && node.value == Some(Rational::from_integer(certain));
        if unknown && !decided {
            (node.value, node.best) = (None, None);
        }
        // Likewise a proved win is the best possible value, whatever other moves were evaluated at.
        let won = node.best.is_some_and(|best| !node.children[best].is_estimate)
            && node.value == Some(Rational::from_integer(if highest { 1 } else { -1 }));
        node.is_estimate &= !(won && leaf_value::is_win_loss_draw(&self.game.rules, false));
        if let Some((m, n)) = self.plan.average.filter(|_| node.is_estimate && node.value.is_some()) {
            let worth = averaging::back_up(seen, highest, if highest { m } else { n });
            node.value = worth.and_then(Rational64::approximate_float).map(Rational::from);
        }
        Ok(())
    }

    /// Extends the depth by a ply if the player has no choice.
    fn extended(&mut self, here: ExpandedNode<'_>, place: RemainingDepth) -> RemainingDepth {
        let ExpandedNode { state, turn, successors } = here;
        let longest = 2 * self.plan.depth as usize;
        let ToMove::Player(player) = *turn else { return place };
        let extends = self.plan.extends && self.method != TracedSearch::AndOr && place.ply < longest;
        let forced =
            extends && (successors.len() == 1 || self.forcing.is_threatened(state, 1 - player.min(1)));
        RemainingDepth { depth: place.depth.map(|depth| depth.saturating_add(usize::from(forced))), ..place }
    }

    /// Returns the moves of a player to follow, and the depth after them. A node beyond the depth limit first gets its
    /// stand-pat value, that of no forcing move.
    fn followed(
        &mut self,
        here: ExpandedNode<'_>,
        player: u32,
        place: RemainingDepth,
        node: &mut TraceNode,
    ) -> Result<(Vec<bool>, RemainingDepth), TraceError> {
        let ExpandedNode { state, successors, .. } = here;
        let mut all = vec![true; successors.len()];
        let past = place.depth == Some(0);
        let next = match past {
            true => RemainingDepth { quiet: place.quiet - 1, ply: place.ply + 1, ..place },
            false => place.next(),
        };
        if past && !self.forcing.is_threatened(state, 1 - player.min(1)) {
            self.edge(here, node)?;
            let force = self.forcing.degrees(state, player, successors);
            return Ok((force.into_iter().map(|force| force > ForcingDegree::None).collect(), next));
        }
        let width =
            self.plan.width.filter(|&width| width < successors.len() && self.method != TracedSearch::AndOr);
        if let Some(width) = width.filter(|_| !past) {
            let mut promise = Vec::with_capacity(successors.len());
            for (number, successor) in successors.iter().enumerate() {
                let (turn, moves) = self.game.machine.expand(&successor.state).map_err(TraceError::Halt)?;
                let first = match &turn {
                    ToMove::Terminal(outcome) => Some(self.end(&outcome.payoffs)?),
                    _ => {
                        let after = ExpandedNode { state: &successor.state, turn: &turn, successors: &moves };
                        let guess = self.guesser.evaluate(after);
                        guess.map_err(TraceError::Halt)?.and_then(|each| each.first().cloned())
                    }
                };
                let first = first.unwrap_or_default();
                promise.push((if player == 0 { -first } else { first }, number));
            }
            promise.sort_unstable();
            promise[width..].iter().for_each(|&(_, number)| all[number] = false);
            // A pruned move may have been better.
            node.is_estimate = true;
        }
        Ok((all, next))
    }
}

/// Returns the bounds of an event whose first move was searched: its value is a bound for the player who chooses, and
/// exact if there is no other move.
fn narrowed(probed: Option<&TraceNode>, bounds: &(Rational, Rational)) -> (Rational, Rational) {
    let (least, most) = bounds.clone();
    let Some(TraceNode { kind: TraceNodeKind::Player(player), value: Some(value), children, .. }) = probed
    else {
        return (least, most);
    };
    // The value of the move itself may be a bound, and the wrong one.
    match (player, children.first().and_then(TraceNode::bound)) {
        (0, Some(Ordering::Less)) | (1.., Some(Ordering::Greater)) => (least, most),
        (_, None) if children.len() == 1 => (value.clone(), value.clone()),
        (0, _) => (least.max(value.clone()), most),
        _ => (least, most.min(value.clone())),
    }
}
