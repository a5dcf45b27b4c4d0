//! Mixed strategies as the result of a solver: for reports, for play, and as lemmas of certificates.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::bimatrix::{Bimatrix, Dominated, Equilibria};
use super::game_tree::{Behaviour, GameTree, NONE, NoTree, PLAYERS, TreeEdge, guarantee};
use super::numbers::{float, rounded_down, rounded_up};
use crate::game::explore::FaultyPosition;
use crate::game::information::seen_parts;
use crate::game::{Game, MoveInstance, State};
use crate::solve::payoffs::PayoffModel;
use crate::solve::value::WrittenMove;
use crate::solve::{Bounds, Inapplicable, Solution, SolveRequest, Status, ValueKind};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_certificates::{BehaviourLemma, Lemma, PayoffBound};

/// The mixed strategies of a solution.
pub struct MixedPlay<const N: usize = PLAYERS> {
    pub tree: GameTree<N>,
    /// A strategy of each player; `None` if there is no single answer to how to play.
    pub strategies: Option<[Behaviour; N]>,
    /// The player who loses whatever he does: his strategy tells nothing.
    pub beaten: Option<usize>,
    /// The simultaneous choice at the start, if play begins with one.
    pub matrix: Option<ChoiceMatrix>,
}

impl<const N: usize> std::fmt::Debug for MixedPlay<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mixed strategies over {} nodes", self.tree.nodes.len())
    }
}

/// A simultaneous choice of two players.
#[derive(Clone, Debug)]
pub struct ChoiceMatrix {
    /// The choices of the first player and of the second.
    pub choices: [Vec<WrittenMove>; PLAYERS],
    /// The values after each pair of choices.
    pub game: Bimatrix,
    /// The optimal mixtures, if the players' interests are opposed.
    pub mixtures: Option<[Vec<BigRational>; PLAYERS]>,
    /// All equilibria, if they were computed.
    pub equilibria: Option<Equilibria>,
    /// The strictly dominated choices, in the order of removal.
    pub dominated: Vec<Dominated>,
    /// The payoffs that each player can guarantee himself, if they were computed.
    pub security: [Option<BigRational>; PLAYERS],
}

/// The choice of a player in an information set, with the probability of each action.
#[derive(Clone, Debug)]
pub struct MixedChoice {
    /// A position of the set.
    pub example: State,
    /// The node of that position.
    pub node: u32,
    /// The actions that the strategy makes, with their probabilities.
    pub actions: Vec<(WrittenMove, BigRational)>,
    /// The number of all actions.
    pub legal: usize,
}

/// A ply as a player saw it.
#[derive(Clone, Debug)]
pub struct SeenPly {
    /// The parts of the move that he saw, as written, with their makers; `None` for an event of chance.
    pub parts: Vec<(Option<u32>, String)>,
    /// The position after it.
    pub after: State,
}

/// The strategies of the players of a game, of any number of them.
pub trait StrategyProfile: Send + Sync + std::fmt::Debug {
    /// Returns the number of strategies.
    fn players(&self) -> usize;

    /// Returns the player who loses whatever he does: his strategy tells nothing.
    fn beaten(&self) -> Option<usize>;

    /// Returns the number of plies before a node, and one more.
    fn ply(&self, node: u32) -> usize;

    /// Returns the node that these moves, as numbers among the legal ones, lead to.
    fn node_after(&self, moves: &[usize]) -> Option<u32>;

    /// Returns the probabilities of a player's choices at a node, in the order of the choices.
    fn choices_at(&self, node: u32, player: usize) -> Option<Vec<(MoveInstance, Rational)>>;

    /// Returns a player's choices in the first `most` information sets that play by his strategy can reach, whatever the
    /// other players do: with fewer sets, it would be no strategy against all of their plans.
    fn described(&self, game: &Game, player: usize, most: usize) -> Vec<MixedChoice>;

    /// Returns the parent of each node and the number of the move from there; [`NONE`] for the first node. With several
    /// ways to a node, one that a player's strategy plays if there is one, otherwise the first. Parents have lower
    /// numbers.
    fn origins(&self, player: usize) -> Vec<(u32, u32)>;

    /// Returns the play that leads to a node as a player saw it. `origins` are those of [`origins`](Self::origins).
    fn seen_play(&self, game: &Game, player: u32, node: u32, origins: &[(u32, u32)]) -> Vec<SeenPly>;
}

impl<const N: usize> StrategyProfile for MixedPlay<N> {
    fn players(&self) -> usize {
        self.tree.players
    }

    fn beaten(&self) -> Option<usize> {
        self.beaten
    }

    fn ply(&self, node: u32) -> usize {
        self.tree.plies.partition_point(|&first| first <= node)
    }

    fn node_after(&self, moves: &[usize]) -> Option<u32> {
        let mut node = 0;
        for &number in moves {
            node = self.tree.edge_of_move(node, number)?.to;
        }
        Some(node)
    }

    fn choices_at(&self, node: u32, player: usize) -> Option<Vec<(MoveInstance, Rational)>> {
        let set = self.tree.nodes.get(node as usize)?.sets[player];
        let of = self.tree.sets[player].get(set as usize)?;
        let shares = self.strategies.as_ref()?[player].get(set as usize)?;
        let shares = shares.iter().cloned().map(Rational::from);
        Some(of.actions.iter().cloned().zip(shares).collect())
    }

    fn described(&self, game: &Game, player: usize, most: usize) -> Vec<MixedChoice> {
        let Some(strategies) = self.strategies.as_ref().filter(|_| self.beaten != Some(player)) else {
            return Vec::new();
        };
        let reached = self.reached(&strategies[player], player);
        let mut described = Vec::new();
        for (set, shares) in self.tree.sets[player].iter().zip(&strategies[player]) {
            if described.len() == most {
                break;
            }
            if !set.nodes.iter().any(|&node| reached[node as usize]) || set.actions.len() < 2 {
                continue;
            }
            let made = set.actions.iter().zip(shares).filter(|(_, share)| !share.is_zero());
            let actions =
                made.map(|(play, share)| (written(game, &set.example, player, play), share.clone()));
            let (example, actions) = (set.example.clone(), actions.collect());
            described.push(MixedChoice { example, node: set.nodes[0], actions, legal: set.actions.len() });
        }
        described
    }

    fn origins(&self, player: usize) -> Vec<(u32, u32)> {
        let mut origins = vec![(NONE, 0); self.tree.nodes.len()];
        let mut enter = |node: u32, plays: &dyn Fn(&TreeEdge<N>) -> bool| {
            for (number, edge) in self.tree.edges_of(node).iter().enumerate() {
                let origin = &mut origins[edge.to as usize];
                // Where positions come back, an edge may lead to the first node.
                if origin.0 == NONE && edge.to > node && plays(edge) {
                    *origin = (node, self.tree.move_number(node, number));
                }
            }
        };
        let nodes = 0..self.tree.nodes.len() as u32;
        if let Some(strategies) = &self.strategies {
            let own = &strategies[player];
            let reached = self.reached(own, player);
            let is_reached = |node: &u32| reached[*node as usize];
            let plays = |node: u32, edge: &TreeEdge<N>| self.plays(own, player, node, edge);
            nodes.clone().filter(is_reached).for_each(|node| enter(node, &|edge| plays(node, edge)));
        }
        nodes.for_each(|node| enter(node, &|_| true));
        origins
    }

    fn seen_play(&self, game: &Game, player: u32, node: u32, origins: &[(u32, u32)]) -> Vec<SeenPly> {
        let mut numbers = Vec::new();
        let mut at = node;
        while let Some(&(parent, number)) = origins.get(at as usize).filter(|(parent, _)| *parent != NONE) {
            numbers.push(number);
            at = parent;
        }
        let mut state = self.tree.start.clone();
        let mut seen = Vec::with_capacity(numbers.len());
        for number in numbers.into_iter().rev() {
            let Ok((turn, moves)) = game.machine.expand(&state) else { break };
            let Some(made) = moves.get(number as usize) else { break };
            let parts = seen_parts(game, &turn, &made.play, player);
            let parts = parts.iter().map(|(who, part)| (*who, game.notation(&state, part))).collect();
            seen.push(SeenPly { parts, after: made.state.clone() });
            state = made.state.clone();
        }
        seen
    }
}

impl<const N: usize> MixedPlay<N> {
    /// Marks the nodes that play by a player's strategy can reach, whatever the other player does.
    fn reached(&self, own: &Behaviour, player: usize) -> Vec<bool> {
        let mut reached = vec![false; self.tree.nodes.len()];
        reached[0] = true;
        let mut waiting = vec![0];
        while let Some(node) = waiting.pop() {
            for edge in self.tree.edges_of(node) {
                if self.plays(own, player, node, edge)
                    && !std::mem::replace(&mut reached[edge.to as usize], true)
                {
                    waiting.push(edge.to);
                }
            }
        }
        reached
    }

    /// Returns true if a player's strategy plays this move of a node, or he does not choose there.
    fn plays(&self, own: &Behaviour, player: usize, node: u32, edge: &TreeEdge<N>) -> bool {
        let set = self.tree.nodes[node as usize].sets[player];
        set == NONE || !own[set as usize][edge.actions[player] as usize].is_zero()
    }
}

/// A choice with its notation.
pub fn written(game: &Game, at: &State, player: usize, play: &MoveInstance) -> WrittenMove {
    WrittenMove { play: play.clone(), written: game.choice_notation(at, player as u32, play) }
}

/// A result of a solver, or the reason why there is none.
pub type Attempt<T> = Result<Result<T, Inapplicable>, Box<FaultyPosition>>;

/// Checks that a request is one that solvers of mixed strategies can answer.
pub fn check_request(request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
    let rules = &request.game.rules;
    match rules.players().len() {
        1 | PLAYERS => {}
        0 => return Err("the game has no players".into()),
        n => {
            let reason = "where something is hidden or players choose at once, games of one player and of two are solved";
            return Err(format!("the game has {n} players, and {reason}").into());
        }
    }
    check_asks_value(request)
}

/// Checks that no margin is asked for.
pub fn check_asks_value(request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
    if request.options.margin {
        return Err("mixed strategies are computed for the value, not for the margin".into());
    }
    Ok(())
}

/// Enumerates the tree of a request.
pub fn tree(request: &SolveRequest<'_>) -> Attempt<GameTree> {
    match check_request(request) {
        Ok(()) => tree_of(request),
        Err(reason) => Ok(Err(reason)),
    }
}

/// Enumerates the tree of a request of `N` players.
pub fn tree_of<const N: usize>(request: &SolveRequest<'_>) -> Attempt<GameTree<N>> {
    request.progress.phase("enumerating histories");
    match GameTree::build(request.game, request.state, request.limits) {
        Ok(tree) => Ok(Ok(tree)),
        Err(NoTree::Faulty(met)) => Err(met),
        Err(NoTree::Inapplicable(reason)) => Ok(Err(reason)),
    }
}

/// The exact guarantees of a pair of strategies, as payoffs of the first player.
#[derive(Clone, Debug)]
pub struct Enclosure {
    pub low: BigRational,
    pub high: BigRational,
}

impl Enclosure {
    /// Computes the guarantees of both strategies.
    pub fn of(
        tree: &GameTree,
        strategies: &[Behaviour; PLAYERS],
        limits: &Limits,
    ) -> Result<Enclosure, LimitHit> {
        let low = guarantee(tree, 0, &strategies[0], limits)?;
        let high = guarantee(tree, 1, &strategies[1], limits)?;
        Ok(Enclosure { low, high })
    }

    /// Returns true if both guarantees are the value.
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }
}

/// The parts of a solution by mixed strategies.
pub struct MixedSolution {
    pub method: &'static str,
    /// The reason for the method, in one sentence.
    pub why: String,
    pub enclosure: Enclosure,
    pub play: MixedPlay,
}

impl MixedSolution {
    /// Makes the solution: the value if both guarantees meet, otherwise bounds.
    pub fn solution(self) -> Solution {
        let MixedSolution { method, why, enclosure, mut play } = self;
        let tree = &play.tree;
        let mut solution = Solution::unknown(method, &why, "");
        solution.reason = None;
        solution.positions = tree.nodes.len() as u64;
        solution.memory_bytes = tree.bytes;
        let Some(sum) = tree.sum.clone().map(Rational::from) else {
            solution.reason = tree.constant_sum().err().map(|reason| reason.to_string());
            return solution;
        };
        let (low, high) = match enclosure.is_exact() {
            true => (Rational::from(enclosure.low.clone()), Rational::from(enclosure.high.clone())),
            false => (rounded_down(&enclosure.low), rounded_up(&enclosure.high)),
        };
        let sure = [low.clone(), &sum - &high];
        let most = high.clone();
        if low == high {
            let model = PayoffModel {
                ends: Vec::new(),
                sum,
                infinite: None,
                range: None,
                win_loss: tree.win_loss,
                players: tree.players as u32,
                margin: None,
            };
            let pure = |of: &Behaviour| of.iter().flatten().all(|share| share.is_zero() || share.is_one());
            let mixed = play.strategies.as_ref().is_none_or(|both| !both.iter().all(pure));
            let value = model.describe(low, mixed || tree.probabilities.len() > 1);
            if let ValueKind::Win(winner) = value.kind {
                play.beaten = Some(1 - winner as usize);
            }
            solution.status = Status::Solved;
            solution.value = Some(value);
        } else {
            solution.status = Status::Bounded;
            solution.bounds = Some(Bounds { low: Some(low), high: Some(high) });
            let gap = float(&(&enclosure.high - &enclosure.low));
            solution.reason = Some(format!(
                "the value is enclosed, not exact: what the two strategies guarantee differs by {gap:.2e}"
            ));
        }
        if let Some(strategies) = &play.strategies {
            solution.strategy = lemmas(tree.players, sure, most, strategies);
        }
        solution.mixed = Some(std::sync::Arc::new(play));
        solution
    }
}

/// The strategies as lemmas, each with the payoff that its player is sure of. For a single player, the upper bound needs no
/// strategy.
fn lemmas(
    players: usize,
    sure: [Rational; PLAYERS],
    most: Rational,
    strategies: &[Behaviour; PLAYERS],
) -> Vec<Lemma> {
    let lemma = |holder: Option<u32>, payoff: Rational, choices: &Behaviour| {
        let share = |share: &BigRational| Rational::from(share.clone());
        let choices = choices.iter().map(|shares| shares.iter().map(share).collect()).collect();
        Lemma::Behaviour(BehaviourLemma { bound: PayoffBound { holder, payoff }, choices })
    };
    let [first, second] = sure;
    let second = match players {
        1 => lemma(None, most, &strategies[1]),
        _ => lemma(Some(1), second, &strategies[1]),
    };
    vec![lemma(Some(0), first, &strategies[0]), second]
}

/// Describes choices with their odds: `bet one time in three`; all in parentheses where two numbers would meet, as in
/// `2 (5 times in 16)`.
pub fn with_odds<'c>(choices: impl Iterator<Item = (&'c str, &'c BigRational)>) -> Vec<String> {
    let choices: Vec<(&str, String)> = choices.map(|(choice, share)| (choice, odds(share))).collect();
    let is_digit = |letter: char| letter.is_ascii_digit();
    let meet = choices.iter().any(|(choice, odds)| choice.ends_with(is_digit) && odds.starts_with(is_digit));
    let told = |(choice, odds): (&str, String)| match meet {
        true => format!("{choice} ({odds})"),
        false => format!("{choice} {odds}"),
    };
    choices.into_iter().map(told).collect()
}

/// Describes a probability by odds: `one time in three`, `7 times in 258`, `always`.
pub fn odds(share: &BigRational) -> String {
    const NUMBERS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    if share.is_one() {
        return "always".into();
    }
    if share.is_zero() || share.is_negative() {
        return "never".into();
    }
    let word = |n: &num_bigint::BigInt| NUMBERS.get(usize::try_from(n).ok()?).copied();
    if share.denom().bits() > 10 {
        return match float(share) {
            rare if rare < 0.000_05 => "almost never".into(),
            often if often > 0.999_95 => "almost always".into(),
            share => format!("{share:.4} of the time"),
        };
    }
    let times = if share.numer().is_one() { "time" } else { "times" };
    // Both numbers are words or both are digits.
    match (word(share.numer()), word(share.denom())) {
        (Some(numer), Some(denom)) => format!("{numer} {times} in {denom}"),
        _ => format!("{} {times} in {}", share.numer(), share.denom()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_said_in_words() {
        let ratio = |above: i64, below: i64| BigRational::new(above.into(), below.into());
        assert_eq!(odds(&ratio(1, 3)), "one time in three");
        assert_eq!(odds(&ratio(9, 10)), "nine times in ten");
        assert_eq!(odds(&ratio(1, 1)), "always");
        assert_eq!(odds(&ratio(0, 1)), "never");
        assert_eq!(odds(&ratio(7, 258)), "7 times in 258");
        assert_eq!(odds(&ratio(33333, 100_000)), "0.3333 of the time");
        let shares = [ratio(5, 16), ratio(1, 4)];
        let listed = with_odds(["2", "3"].into_iter().zip(&shares));
        assert_eq!(listed, ["2 (5 times in 16)", "3 (one time in four)"]);
        assert_eq!(with_odds(["bet"].into_iter().zip(&shares)), ["bet 5 times in 16"]);
    }
}
