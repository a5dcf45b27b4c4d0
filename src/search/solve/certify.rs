//! Certificates from solved graphs: the smallest kind that proves the value.
//!
//! Technique: each strategy that the proof needs contains only the positions that play by it reaches. A win needs one
//! strategy, any other value one for each player; if chance acts or a single player plays for a payoff, the
//! certificate is a table of all positions. Among equally good moves, the strategy takes the one that leaves the
//! fewest positions to answer. On an acyclic graph the count is that of a tree, and positions already answered count
//! for nothing. A win is reached as soon as possible, so that the certificate shows the plies that are reported.
//! Source: Allis (1994) for solution trees of one side's moves; Gasser (1996) for depth to the end as rank.
//! Cost: linear in the graph, and one expansion by the machine for each answer.
//! Invariant: positions and moves are written in the terms of the definition, whichever machine ran the rules.
//! Not taken: the least strategy (finding it is NP-hard), and leaves proved by lemmas, which await their detectors.

use bouton_base::rational::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

mod policy;

use super::graph::{GameGraph, GraphNode};
use super::solved_graph::SolvedGraph;
use super::value::{Bounds, Solution, StrategyAnswer, StrategyReplies, ValueKind};
use crate::game::{Game, MachineError, State};
use bouton_base::limits::{LimitHit, Limits};
use bouton_certificates::{
    self as cert, Certificate, Claim, Convention, Digest, DistanceLemma, Header, InfinitePlay, Lemma,
    LoopyLemma, PayoffBound, PositionKey, ReplyLemma, StrategyReply, Tier, ValuedPosition,
};
use bouton_reference::Interpreter;
use bouton_rules::Rules;

/// The options for a certificate.
#[derive(Clone, Copy, Debug)]
pub struct CertificateOptions<'a> {
    /// True if the certificate should contain the value of every reachable position, where its kind can.
    pub strong: bool,
    /// The maximal number of positions; `None` for no bound.
    pub positions: Option<usize>,
    /// The limits of the work.
    pub limits: &'a Limits,
}

/// The reason why there is no certificate, as a sentence without its full stop.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NoCertificate {
    #[error("the value is not known")]
    UnknownValue,
    #[error("the value is enclosed, and no strategies that guarantee the bounds are listed")]
    EnclosedValue,
    /// The solver listed no strategy, for this reason.
    #[error("{0}")]
    Unlisted(String),
    /// The method of this name leaves neither a strategy nor a table.
    #[error("the method `{0}` writes no certificate yet")]
    UnsupportedMethod(&'static str),
    #[error("there is no kind of certificate for play for the margin yet")]
    Margin,
    #[error("the machine does not report the history that it stores")]
    UnreportedHistory,
    /// The machine gives no successors of a position.
    #[error("{0}")]
    Halt(MachineError),
    #[error("the machine does not make the same moves again")]
    OtherMoves,
    #[error(
        "positions were searched up to symmetry, which no certificate supports; \
         `--certificate OUT` searches all, and checks"
    )]
    UpToSymmetry,
    #[error("not all positions were searched")]
    OpenPositions,
    #[error("not all positions that the strategy reaches were searched")]
    OpenStrategy,
    #[error("not every position has an exact value")]
    InexactValue,
    #[error("the labels of the graph give no strategy")]
    NoAnswer,
    #[error("the strategy found can repeat positions for ever")]
    EndlessStrategy,
    /// The graph has too many positions.
    #[error("the game is too large to be checked in passing; `--certificate OUT` writes and checks")]
    LargeGame,
    /// The certificate has too many positions.
    #[error("the certificate is too large to be checked in passing; `--certificate OUT` writes it")]
    LargeCertificate,
    #[error("{0}")]
    Limit(LimitHit),
}

/// Returns a certificate for the solver's result of a position, without a copy of the source file.
pub fn certificate(
    game: &Game,
    state: &State,
    solution: &Solution,
    wanted: &CertificateOptions<'_>,
) -> Result<Certificate, NoCertificate> {
    if let (None, [Lemma::Steal(steal)]) = (&solution.value, &solution.strategy[..]) {
        let PayoffBound { holder, payoff } = steal.bound.clone();
        let claim = Claim::AtLeast { player: holder.unwrap_or(0), payoff };
        return certificate_of_claim(game, state, claim, &solution.strategy);
    }
    if let [Lemma::Equilibrium(_) | Lemma::Profile(_), ..] = &solution.strategy[..] {
        let payoffs = |lemma: &Lemma| match lemma {
            Lemma::Equilibrium(equilibrium) => Some(equilibrium.payoffs.clone()),
            Lemma::Profile(profile) => Some(profile.payoffs.clone()),
            _ => None,
        };
        // Several equilibria may give the same payoffs: they are one statement.
        let mut all: Vec<Vec<Rational>> = Vec::new();
        for payoffs in solution.strategy.iter().filter_map(payoffs) {
            if !all.contains(&payoffs) {
                all.push(payoffs);
            }
        }
        return certificate_of_claim(game, state, Claim::Equilibria(all), &solution.strategy);
    }
    if let (
        None,
        Some(Bounds { low: Some(low), high: Some(high) }),
        [Lemma::Behaviour(_), Lemma::Behaviour(_)] | [Lemma::Values(_), Lemma::Values(_)],
    ) = (&solution.value, solution.bounds.clone(), &solution.strategy[..])
    {
        return certificate_of_claim(game, state, Claim::Between { low, high }, &solution.strategy);
    }
    let Some(value) = &solution.value else { return enclosed(game, state, solution, wanted) };
    if !solution.strategy.is_empty() {
        return strategy(game, state, value, &solution.strategy);
    }
    if let Some(replies) = &solution.replies {
        let replies = replies.as_ref().map_err(|why| NoCertificate::Unlisted(why.clone()))?;
        let distance = solution.distance.as_ref().filter(|_| solution.remoteness.is_some());
        return certificate_of_replies(game, state, value, ListedProof { replies, distance }, wanted);
    }
    let Some(table) = solution.table.as_deref() else {
        return Err(NoCertificate::UnsupportedMethod(solution.method));
    };
    if table.stakes().margin.is_some() {
        return Err(NoCertificate::Margin);
    }
    let writer = GraphCertifier::new(game, state, table, wanted)?;
    let (claim, lemmas) = writer.proof(value.kind, &value.payoffs)?;
    Ok(Certificate { header: header(&game.rules, writer.start, claim, Tier::Explicit), lemmas, text: None })
}

/// Builds the certificate of the bounds of a value where chance acts and positions recur.
fn enclosed(
    game: &Game,
    state: &State,
    solution: &Solution,
    wanted: &CertificateOptions<'_>,
) -> Result<Certificate, NoCertificate> {
    match solution.table.as_deref() {
        Some(table) if solution.is_answered() && table.stakes().margin.is_none() => {
            let writer = GraphCertifier::new(game, state, table, wanted)?;
            let (claim, lemmas) = writer.enclosure()?;
            let header = header(&game.rules, writer.start, claim, Tier::Explicit);
            Ok(Certificate { header, lemmas, text: None })
        }
        None if solution.is_answered() => Err(NoCertificate::EnclosedValue),
        _ => Err(NoCertificate::UnknownValue),
    }
}

/// Builds the certificate from the strategies that came with the solution.
fn strategy(
    game: &Game,
    state: &State,
    value: &super::Value,
    lemmas: &[Lemma],
) -> Result<Certificate, NoCertificate> {
    let claim = match (value.kind, lemmas) {
        (ValueKind::Win(player), _) => Claim::Wins { player, plies: None },
        (ValueKind::Solved, [Lemma::SurePlan(_)]) => Claim::Wins { player: 0, plies: None },
        (ValueKind::Unsolvable, _) => Claim::Unsolvable,
        _ => Claim::Value(value.payoffs.clone()),
    };
    certificate_of_claim(game, state, claim, lemmas)
}

/// Builds the certificate of a claim that these lemmas prove.
fn certificate_of_claim(
    game: &Game,
    state: &State,
    claim: Claim,
    lemmas: &[Lemma],
) -> Result<Certificate, NoCertificate> {
    let interpreter = Interpreter::new(game.rules.clone());
    let key = key(game, &interpreter, state)?;
    let first = PositionKey(interpreter.pack(&interpreter.initial()));
    let tier = lemmas.iter().map(Lemma::tier).max().unwrap_or(Tier::Explicit);
    let header = header(&game.rules, Some(key).filter(|key| *key != first), claim, tier);
    Ok(Certificate { header, lemmas: lemmas.to_vec(), text: None })
}

/// The parts of a proof that a search listed.
#[derive(Clone, Copy)]
struct ListedProof<'s> {
    replies: &'s [StrategyReplies],
    /// The lower bound of the moves of a plan.
    distance: Option<&'s DistanceLemma>,
}

/// Builds the certificate from the strategies that a search listed.
fn certificate_of_replies(
    game: &Game,
    state: &State,
    value: &super::Value,
    listed_proof: ListedProof<'_>,
    wanted: &CertificateOptions<'_>,
) -> Result<Certificate, NoCertificate> {
    let ListedProof { replies, distance } = listed_proof;
    let interpreter = Interpreter::new(game.rules.clone());
    let mut lemmas = Vec::new();
    for StrategyReplies { player, payoff, infinite_play: ending, answers, .. } in replies {
        let mut listed = Vec::with_capacity(answers.len());
        for (number, StrategyAnswer { at, play, rank }) in answers.iter().enumerate() {
            if let Some(hit) = wanted.limits.check_held(BYTES_PER_POSITION * number as u64) {
                return Err(NoCertificate::Limit(hit));
            }
            let reply = interpreter.call_form(play);
            listed.push(StrategyReply { key: key(game, &interpreter, at)?, rank: *rank, reply });
        }
        listed.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let bound = PayoffBound { holder: Some(*player), payoff: payoff.clone() };
        lemmas.push(match *ending {
            None => Lemma::Reply(ReplyLemma { bound, answers: listed }),
            Some(ending) => Lemma::Loopy(LoopyLemma { bound, ending, answers: listed }),
        });
    }
    match (value.kind, replies) {
        (ValueKind::Win(player), [StrategyReplies { plies: plies @ Some(_), .. }]) => {
            certificate_of_claim(game, state, Claim::Wins { player, plies: *plies }, &lemmas)
        }
        (ValueKind::Solved, [StrategyReplies { plies, .. }]) => {
            let claim = match distance {
                Some(distance) => Claim::SolvedIn(distance.least),
                None => Claim::Wins { player: 0, plies: *plies },
            };
            lemmas.extend(distance.map(|distance| Lemma::Distance(distance.clone())));
            certificate_of_claim(game, state, claim, &lemmas)
        }
        (ValueKind::Unsolvable, []) => {
            let lemma = at_most_lemma(-Rational::from_integer(1));
            certificate_of_claim(game, state, Claim::Unsolvable, &[lemma])
        }
        _ => strategy(game, state, value, &lemmas),
    }
}

/// Returns a position in the terms of the definition.
pub fn key(game: &Game, interpreter: &Interpreter, state: &State) -> Result<PositionKey, NoCertificate> {
    let rules = &game.rules;
    let cells = game.cells(state);
    if rules.forbids.is_empty() && rules.repeats.iter().all(|repeat| repeat.count.is_none()) {
        return Ok(PositionKey(interpreter.pack(&interpreter.with_cells(&cells))));
    }
    let words = game.machine.packed_state(state);
    if interpreter.cells(&interpreter.unpack(&words)) != cells {
        return Err(NoCertificate::UnreportedHistory);
    }
    Ok(PositionKey(words))
}

/// Builds the header of a certificate: the game, its rules and parameters, the position and the claim.
pub fn header(rules: &Rules, position: Option<PositionKey>, claim: Claim, tier: Tier) -> Header {
    Header {
        game: cert::one_line(&rules.name),
        players: rules.players().to_vec(),
        rules: Digest::of_rules(rules),
        params: rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect(),
        convention: Convention::of(rules),
        position,
        claim,
        tier,
    }
}

/// The maximal number of positions of a graph for each position allowed in the certificate: it bounds the time to
/// find the strategy.
const MAX_GRAPH_RATIO: usize = 20;

/// The maximal number of positions that the checker visits to show that a plan is a shortest one, if nobody requested a
/// certificate.
const MAX_PLAN_POSITIONS: usize = 20_000;

/// The approximate number of bytes of a position of a certificate, its written form included.
const BYTES_PER_POSITION: u64 = 300;

struct GraphCertifier<'a> {
    game: &'a Game,
    table: &'a SolvedGraph,
    graph: &'a GameGraph,
    wanted: &'a CertificateOptions<'a>,
    interpreter: Interpreter,
    /// The position that the certificate is about; `None` for the initial one.
    start: Option<PositionKey>,
    /// The order of [`Graph::topological`]; `None` if the graph has a cycle.
    order: Option<Vec<u32>>,
}

/// The goal of a strategy.
#[derive(Clone)]
struct StrategyGoal {
    player: u32,
    /// The payoff that the player makes sure of.
    payoff: Rational,
    /// True if he must hurry: take the soonest win, or descend by plies in a graph with cycles.
    hurries: bool,
}

/// A strategy on the graph: the positions that play by it reaches, with the edge of the answer where there is one.
type GraphStrategy = FxHashMap<u32, Option<usize>>;

impl<'a> GraphCertifier<'a> {
    fn new(
        game: &'a Game,
        state: &State,
        table: &'a SolvedGraph,
        wanted: &'a CertificateOptions<'a>,
    ) -> Result<Self, NoCertificate> {
        if wanted.positions.is_some_and(|most| table.len() / MAX_GRAPH_RATIO > most) {
            return Err(NoCertificate::LargeGame);
        }
        if table.is_up_to_symmetry() {
            return Err(NoCertificate::UpToSymmetry);
        }
        let rules = &game.rules;
        let interpreter = Interpreter::new(rules.clone());
        let (graph, order) = (table.graph(), table.graph().topological());
        let mut writer = GraphCertifier { game, table, graph, wanted, interpreter, start: None, order };
        let key = writer.key(state)?;
        let first = writer.interpreter.pack(&writer.interpreter.initial());
        writer.start = Some(key).filter(|key| key.0 != first);
        Ok(writer)
    }

    /// Returns a position of the machine in the terms of the definition.
    fn key(&self, state: &State) -> Result<PositionKey, NoCertificate> {
        key(self.game, &self.interpreter, state)
    }

    fn proof(&self, kind: ValueKind, payoffs: &[Rational]) -> Result<(Claim, Vec<Lemma>), NoCertificate> {
        let one = Rational::from_integer(1);
        let chance = self.graph.has_chance();
        if chance && self.order.is_none() {
            return self.policies(kind, payoffs);
        }
        let players = self.table.stakes().players;
        // That no play wins is shown by a table where a rule for endless play, which there is not, might give more.
        let endless_rule = self.game.rules.repeats.iter().any(|repeat| repeat.count.is_none());
        let listed = (chance || players == 1) && payoff_like(kind);
        let listed = listed || kind == ValueKind::Unsolvable && endless_rule;
        let whole = self.order.is_some() && (self.wanted.strong || listed);
        if whole {
            let claim = match kind {
                ValueKind::Win(player) => Claim::Wins { player, plies: None },
                ValueKind::Solved => Claim::Wins { player: 0, plies: None },
                _ => Claim::Value(payoffs.to_vec()),
            };
            match self.values() {
                Ok(lemma) => return Ok((claim, vec![lemma])),
                // A payoff of chance or of a single player needs the table here; a strategy can still prove any other
                // value.
                Err(why) if payoff_like(kind) && (chance || players == 1) => return Err(why),
                Err(_) => {}
            }
        }
        match kind {
            ValueKind::Win(player) => self.win(player, one),
            ValueKind::Solved => self.solved(one),
            ValueKind::Unsolvable => Ok((Claim::Unsolvable, vec![at_most_lemma(-one)])),
            ValueKind::Draw | ValueKind::Payoff => {
                let mut lemmas = Vec::new();
                for (player, payoff) in payoffs.iter().enumerate() {
                    lemmas.push(self.bound(player as u32, payoff.clone(), false)?.0);
                }
                if let [only] = payoffs {
                    lemmas.push(at_most_lemma(only.clone()));
                }
                Ok((Claim::Value(payoffs.to_vec()), lemmas))
            }
        }
    }

    fn win(&self, player: u32, payoff: Rational) -> Result<(Claim, Vec<Lemma>), NoCertificate> {
        let (lemma, plies) = self.bound(player, payoff, true)?;
        Ok((Claim::Wins { player, plies }, vec![lemma]))
    }

    /// Returns a plan of the only player; a shortest one, if the positions of shorter play are few enough to visit again.
    fn solved(&self, one: Rational) -> Result<(Claim, Vec<Lemma>), NoCertificate> {
        let (lemma, plies) = self.bound(0, one, true)?;
        let few = self.wanted.positions.is_none() || self.table.len() <= MAX_PLAN_POSITIONS;
        match plies.filter(|plies| few && self.table.remoteness_at(0).map(u64::from) == Some(*plies)) {
            Some(least) => {
                let distance = DistanceLemma { least, ..DistanceLemma::default() };
                Ok((Claim::SolvedIn(least), vec![lemma, Lemma::Distance(distance)]))
            }
            None => Ok((Claim::Wins { player: 0, plies }, vec![lemma])),
        }
    }

    /// Returns a strategy by which a player gets at least `payoff`, and the maximal length of play by it.
    fn bound(&self, player: u32, payoff: Rational, win: bool) -> Result<(Lemma, Option<u64>), NoCertificate> {
        let bound = PayoffBound { holder: Some(player), payoff: payoff.clone() };
        let stakes = self.table.stakes();
        let endless = stakes.infinite.clone().map(|value| stakes.payoff(value, player));
        let counted = self.table.guaranteed(0, player).is_some_and(|(_, plies)| plies.is_some());
        let safe = self.order.is_none() && endless.is_some_and(|worth| worth >= payoff);
        let hurries = !safe && (self.order.is_none() || win && counted);
        let strategy = self.strategy(StrategyGoal { player, payoff, hurries })?;
        let plies = if safe { FxHashMap::default() } else { self.longest(&strategy)? };
        let ranked = self.order.is_none() && !safe;
        let rank = |at: u32| if ranked { plies.get(&at).copied() } else { None };
        let answers = self.answers(&strategy, &rank)?;
        let ending = if ranked { InfinitePlay::Ranked } else { InfinitePlay::Safe };
        let lemma = match self.order {
            Some(_) => Lemma::Reply(ReplyLemma { bound, answers }),
            None => Lemma::Loopy(LoopyLemma { bound, ending, answers }),
        };
        Ok((lemma, plies.get(&0).copied()))
    }

    /// Returns a strategy for this goal: the positions that play by it reaches, with its answers.
    fn strategy(&self, aim: StrategyGoal) -> Result<GraphStrategy, NoCertificate> {
        let sizes = self.order.as_ref().map(|order| self.sizes(aim.clone(), order));
        let mut strategy = GraphStrategy::default();
        let mut ahead = vec![0];
        while let Some(at) = ahead.pop() {
            if strategy.contains_key(&at) {
                continue;
            }
            let next = self.graph.successors(at);
            let edge = match self.graph.node(at) {
                GraphNode::Open | GraphNode::Each => {
                    return Err(NoCertificate::OpenStrategy);
                }
                GraphNode::Player(player) if player == aim.player => {
                    let best = |&edge: &usize| {
                        let to = next[edge];
                        let known = strategy.contains_key(&to);
                        let size =
                            sizes.as_ref().map_or(self.graph.successors(to).len() as u64, |s| s[to as usize]);
                        (if known { 0 } else { size }, edge)
                    };
                    let edge = self.candidates(&aim, at).min_by_key(best);
                    Some(edge.ok_or(NoCertificate::NoAnswer)?)
                }
                GraphNode::Over(_) | GraphNode::Player(_) | GraphNode::Chance => None,
            };
            strategy.insert(at, edge);
            self.check(strategy.len())?;
            match edge {
                Some(edge) => ahead.push(next[edge]),
                None => ahead.extend(next.iter().rev()),
            }
        }
        Ok(strategy)
    }

    /// Returns the edges that keep the goal.
    fn candidates(&self, aim: &StrategyGoal, at: u32) -> impl Iterator<Item = usize> {
        let next = self.graph.successors(at);
        let worth = |edge: usize| self.table.guaranteed(next[edge], aim.player);
        let here = self.table.guaranteed(at, aim.player).map(|(worth, _)| worth);
        let plies = |edge: usize| worth(edge).filter(|(worth, _)| Some(worth) == here.as_ref())?.1;
        let soonest = if aim.hurries { (0..next.len()).filter_map(plies).min() } else { None };
        let kept = (0..next.len()).filter(|&edge| {
            if aim.hurries {
                soonest.is_some() && plies(edge) == soonest
            } else {
                worth(edge).is_some_and(|(worth, _)| worth >= aim.payoff)
            }
        });
        kept.collect::<Vec<usize>>().into_iter()
    }

    /// Returns for each position the number of answers of the smallest strategy from there, counted as a tree.
    fn sizes(&self, aim: StrategyGoal, order: &[u32]) -> Vec<u64> {
        let mut sizes = vec![0u64; self.graph.len()];
        for &at in order.iter().rev() {
            let next = self.graph.successors(at);
            let size = |&to: &u32| sizes[to as usize];
            sizes[at as usize] = match self.graph.node(at) {
                GraphNode::Over(_) => 0,
                GraphNode::Player(player) if player == aim.player => {
                    let least = self.candidates(&aim, at).map(|edge| size(&next[edge])).min();
                    least.map_or(u64::MAX, |least| least.saturating_add(1))
                }
                _ => next.iter().map(size).fold(0, u64::saturating_add),
            };
        }
        sizes
    }

    /// Returns for each position of a strategy the length in plies of the longest play by it. Depth first with a
    /// stack of its own, since plays can be long.
    fn longest(&self, strategy: &GraphStrategy) -> Result<FxHashMap<u32, u64>, NoCertificate> {
        let followed = |at: u32| match strategy.get(&at) {
            Some(Some(edge)) => &self.graph.successors(at)[*edge..=*edge],
            _ => self.graph.successors(at),
        };
        let mut longest: FxHashMap<u32, u64> = FxHashMap::default();
        let mut path = vec![(0u32, 0usize)];
        let mut open: FxHashSet<u32> = FxHashSet::default();
        open.insert(0);
        while let Some((at, done)) = path.last_mut() {
            if let Some(&to) = followed(*at).get(*done) {
                *done += 1;
                if longest.contains_key(&to) {
                    continue;
                }
                if !open.insert(to) {
                    return Err(NoCertificate::EndlessStrategy);
                }
                path.push((to, 0));
            } else {
                let most = followed(*at).iter().map(|to| longest[to] + 1).max();
                longest.insert(*at, most.unwrap_or(0));
                path.pop();
            }
        }
        Ok(longest)
    }

    /// Returns the answers of a strategy in the terms of the definition, sorted by position.
    fn answers(
        &self,
        strategy: &GraphStrategy,
        rank: &dyn Fn(u32) -> Option<u64>,
    ) -> Result<Vec<StrategyReply>, NoCertificate> {
        let mut answers = Vec::new();
        for (&at, &edge) in strategy {
            let Some(edge) = edge else { continue };
            let state = self.graph.explored.arena.state(at);
            let successors = self.game.machine.successors(&state).map_err(NoCertificate::Halt)?;
            let made = successors.get(edge).ok_or(NoCertificate::OtherMoves)?;
            answers.push(StrategyReply {
                key: self.key(&state)?,
                rank: rank(at),
                reply: self.interpreter.call_form(&made.play),
            });
            self.check(answers.len())?;
        }
        answers.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(answers)
    }

    /// Builds a table of the value of every position that is not terminal.
    fn values(&self) -> Result<Lemma, NoCertificate> {
        if !self.graph.is_complete() {
            return Err(NoCertificate::OpenPositions);
        }
        let mut values = Vec::new();
        for at in
            (0..self.graph.len() as u32).filter(|&at| !matches!(self.graph.node(at), GraphNode::Over(_)))
        {
            let value = self.table.number(at).ok_or(NoCertificate::InexactValue)?;
            values.push(ValuedPosition { key: self.key(&self.graph.explored.arena.state(at))?, value });
            self.check(values.len())?;
        }
        values.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(Lemma::Table(cert::TableLemma { values }))
    }

    fn check(&self, positions: usize) -> Result<(), NoCertificate> {
        if self.wanted.positions.is_some_and(|most| positions > most) {
            return Err(NoCertificate::LargeCertificate);
        }
        let held = self.graph.held_bytes() + BYTES_PER_POSITION * positions as u64;
        self.wanted.limits.check_held(held).map_or(Ok(()), |hit| Err(NoCertificate::Limit(hit)))
    }
}

/// Builds the lemma that the only player gets at most `payoff`, whatever he does.
fn at_most_lemma(payoff: Rational) -> Lemma {
    Lemma::Loopy(LoopyLemma {
        bound: PayoffBound { holder: None, payoff },
        ending: InfinitePlay::Safe,
        answers: Vec::new(),
    })
}

/// Returns true if the value is a draw or a payoff: neither a certain win nor the absence of one.
fn payoff_like(kind: ValueKind) -> bool {
    matches!(kind, ValueKind::Payoff | ValueKind::Draw)
}
