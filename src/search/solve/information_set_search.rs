//! Information-set Monte-Carlo tree search, for play where something is hidden, or players choose at the same time, and
//! no exact method fits.
//!
//! Technique: the positions that a player takes for possible are those in which he would have seen the same; each has
//! the probability that chance gives it if the others moved at random. A game of the search begins in one of them. The
//! players choose by the upper confidence bound of their choices, and a player has one entry for all positions that he
//! cannot tell apart; so none of them, in the tree, uses what is hidden from him. The first position outside of the tree
//! is played on at random.
//! Source: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search" (2012), with the trees of several
//! observers; Ginsberg, "GIB" (2001) for positions that agree with what was seen.
//! Cost: a fixed number of positions. At most `MAX_CONSISTENT` possible positions are kept after each ply; past that,
//! a sample stands for all.
//! Invariant: the result depends on what the player saw, the seed and the budget alone. It is a guess, and no claim
//! rests on it.
//! Not taken: probabilities of the others' moves by their interests, which a model of these players would need.

use std::collections::HashMap;

use super::depth_limited::evaluation::ExpandedNode;
use super::mcts::MctsBudget;
use super::playout::random_playout;
use crate::game::information::{SeenPart, own_choice, own_choices, seen_parts};
use crate::game::random::Random;
use crate::game::{Game, MachineError, MoveInstance, State, Successor, ToMove};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_rules::Value;

/// The maximal number of possible positions that are kept after a ply.
const MAX_CONSISTENT: usize = 512;
/// The maximal length of a game of the search inside the tree, in plies; a longer one gives every player 0.
const MAX_TREE_PLIES: usize = 400;
/// The number of equal parts into which draws divide a probability.
const DRAW_PARTS: u64 = 1 << 32;

/// The play that led to a position.
#[derive(Clone, Copy, Debug)]
pub struct PastPlay<'a> {
    /// The position that play began with, which all players know.
    pub start: &'a State,
    pub moves: &'a [MoveInstance],
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct InformedChoice {
    /// The player's own choice.
    pub choice: MoveInstance,
    /// The number of games played.
    pub games: u64,
    /// The player's mean payoff in the games that tried it.
    pub worth: f64,
}

/// Returns the choice of a player after a play, by what he saw; `None` if he has no choice, if the rules have a fault,
/// or if no position was found that agrees with what he saw. A limit ends the search early. If players choose at once,
/// the choice is drawn in proportion to the number of games that tried it, since a fixed one could be foreseen.
pub fn choose(
    game: &Game,
    past: PastPlay<'_>,
    player: u32,
    effort: MctsBudget,
    limits: &Limits,
) -> Result<Option<InformedChoice>, LimitHit> {
    let mut search = InformationSetSearch::new(game, effort.seed, limits);
    let games = search.possible_positions(past, player).and_then(|possible| match possible {
        Some(possible) => search.run(&possible, effort.positions).map(|games| Some((possible, games))),
        None => Ok(None),
    });
    match games {
        Ok(Some((possible, games))) => Ok(search.result(&possible, player, games)),
        Ok(None) | Err(MachineError::Fault(_)) => Ok(None),
        Err(MachineError::Limit(hit)) => Err(hit),
    }
}

/// A position that may be the current one, with the information of each player and its probability.
#[derive(Clone, Debug)]
struct PossiblePosition {
    state: State,
    /// By player: the number of all that he has seen.
    views: Vec<u32>,
    weight: f64,
}

/// A choice of a player at an information set.
struct ChoiceRecord {
    choice: MoveInstance,
    visits: f64,
    /// The sum of the player's payoffs.
    sum: f64,
}

/// The numbers of a player's views: the view before a ply, the parts of the move that he saw, and his observation after
/// it.
type ViewNumbers = HashMap<(u32, Vec<SeenPart>, Value), u32>;

/// A choice that a game of the search made: the information set by its player and view, and the number of the choice.
type MadeChoice = ((u32, u32), usize);

struct InformationSetSearch<'a> {
    game: &'a Game,
    limits: &'a Limits,
    random: Random,
    players: u32,
    views: Vec<ViewNumbers>,
    sets: HashMap<(u32, u32), Vec<ChoiceRecord>>,
    /// The least and the greatest payoff so far: exploration is measured by them.
    range: (f64, f64),
    visited: u64,
}

impl<'a> InformationSetSearch<'a> {
    fn new(game: &'a Game, seed: u64, limits: &'a Limits) -> InformationSetSearch<'a> {
        let players = game.rules.players().len() as u32;
        InformationSetSearch {
            game,
            limits,
            random: Random::new(seed),
            players,
            views: (0..players).map(|_| ViewNumbers::new()).collect(),
            sets: HashMap::new(),
            range: (f64::INFINITY, f64::NEG_INFINITY),
            visited: 0,
        }
    }

    fn expand(&mut self, state: &State) -> Result<(ToMove, Vec<Successor>), MachineError> {
        self.visited += 1;
        if let Some(hit) = self.limits.check() {
            return Err(MachineError::Limit(hit));
        }
        self.game.machine.expand(state)
    }

    /// Returns the number of a player's view after a move.
    fn view(
        &mut self,
        before: u32,
        turn: &ToMove,
        made: &Successor,
        player: u32,
    ) -> Result<u32, MachineError> {
        let seen = seen_parts(self.game, turn, &made.play, player);
        let observed = self.game.machine.observation(&made.state, player)?;
        let numbers = &mut self.views[player as usize];
        // 0 is the view before the first move.
        let new = numbers.len() as u32 + 1;
        Ok(*numbers.entry((before, seen, observed)).or_insert(new))
    }

    fn views_after(
        &mut self,
        before: &[u32],
        turn: &ToMove,
        made: &Successor,
    ) -> Result<Vec<u32>, MachineError> {
        let players = 0..self.players;
        players.map(|player| self.view(before[player as usize], turn, made, player)).collect()
    }

    /// Returns the positions in which the player would have seen the same, in the order in which they are found. `None`
    /// if a sample of them lost all that agree.
    fn possible_positions(
        &mut self,
        past: PastPlay<'_>,
        player: u32,
    ) -> Result<Option<Vec<PossiblePosition>>, MachineError> {
        let first = PossiblePosition {
            state: past.start.clone(),
            views: vec![0; self.players as usize],
            weight: 1.0,
        };
        let (mut state, mut view) = (first.state.clone(), 0);
        let mut possible = vec![first];
        for play in past.moves {
            let (turn, moves) = self.expand(&state)?;
            let Some(made) = moves.iter().find(|made| made.play == *play) else { return Ok(None) };
            let seen = seen_parts(self.game, &turn, &made.play, player);
            view = self.view(view, &turn, made, player)?;
            state = made.state.clone();
            possible = self.possible_after(&possible, player, &seen, view)?;
            if possible.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(possible))
    }

    /// Returns the successors of possible positions that give a player this view, of which he saw these parts last.
    fn possible_after(
        &mut self,
        possible: &[PossiblePosition],
        player: u32,
        seen: &[SeenPart],
        view: u32,
    ) -> Result<Vec<PossiblePosition>, MachineError> {
        let mut next: Vec<PossiblePosition> = Vec::new();
        let mut places: HashMap<(State, Vec<u32>), usize> = HashMap::new();
        for before in possible {
            let (turn, moves) = self.expand(&before.state)?;
            let each = 1.0 / moves.len().max(1) as f64;
            for made in &moves {
                if seen_parts(self.game, &turn, &made.play, player) != seen
                    || self.view(before.views[player as usize], &turn, made, player)? != view
                {
                    continue;
                }
                let views = self.views_after(&before.views, &turn, made)?;
                let share = if turn == ToMove::Chance { made.probability.to_f64() } else { each };
                let weight = before.weight * share;
                match places.get(&(made.state.clone(), views.clone())) {
                    Some(&place) => {
                        let known: &mut PossiblePosition = &mut next[place];
                        known.weight += weight;
                    }
                    None => {
                        places.insert((made.state.clone(), views.clone()), next.len());
                        next.push(PossiblePosition { state: made.state.clone(), views, weight });
                    }
                }
            }
        }
        Ok(self.sampled(next))
    }

    /// Scales the weights to the sum 1. Of more than `MAX_CONSISTENT` positions a systematic sample stays, each with
    /// the same weight.
    fn sampled(&mut self, mut all: Vec<PossiblePosition>) -> Vec<PossiblePosition> {
        let sum: f64 = all.iter().map(|one| one.weight).sum();
        if sum <= 0.0 {
            return Vec::new();
        }
        all.iter_mut().for_each(|one| one.weight /= sum);
        if all.len() <= MAX_CONSISTENT {
            return all;
        }
        let step = 1.0 / MAX_CONSISTENT as f64;
        let mut next = step * self.share();
        let mut passed = 0.0;
        let mut kept = Vec::with_capacity(MAX_CONSISTENT);
        for one in all {
            passed += one.weight;
            let mut copies = 0;
            while next < passed {
                next += step;
                copies += 1;
            }
            if copies > 0 {
                kept.push(PossiblePosition { weight: step * f64::from(copies), ..one });
            }
        }
        kept
    }

    /// Returns a random number from 0 to 1, without 1.
    fn share(&mut self) -> f64 {
        self.random.below(DRAW_PARTS) as f64 / DRAW_PARTS as f64
    }

    /// Plays games until this number of positions is visited; returns the number of games. The results stay if a limit
    /// ends the search after the first game.
    fn run(&mut self, possible: &[PossiblePosition], positions: u64) -> Result<u64, MachineError> {
        let end = self.visited + positions;
        let mut games = 0;
        while self.visited < end && games < positions {
            match self.play(possible) {
                Ok(()) => games += 1,
                Err(MachineError::Limit(LimitHit::Interrupted)) => {
                    return Err(MachineError::Limit(LimitHit::Interrupted));
                }
                Err(_) if games > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(games)
    }

    /// Plays one game from a possible position: by the tree, one ply past it, and at random to the end.
    fn play(&mut self, possible: &[PossiblePosition]) -> Result<(), MachineError> {
        let drawn = self.share();
        let mut passed = 0.0;
        let from = possible.iter().find(|one| {
            passed += one.weight;
            drawn < passed
        });
        let Some(from) = from.or(possible.last()) else { return Ok(()) };
        let (mut state, mut views) = (from.state.clone(), from.views.clone());
        let mut path: Vec<MadeChoice> = Vec::new();
        let mut payoffs = vec![0.0; self.players as usize];
        for _ in 0..MAX_TREE_PLIES {
            let (turn, moves) = self.expand(&state)?;
            if let ToMove::Terminal(outcome) = &turn {
                payoffs = outcome.payoffs.iter().map(Rational::to_f64).collect();
                break;
            }
            let known = path.len();
            let made = match turn {
                ToMove::Chance => self.random.choose(&turn, &moves),
                _ => self.joint_choice(&turn, &moves, &views, &mut path),
            };
            let Some(made) = made else { break };
            let is_new = path[known..].iter().any(|&(set, number)| self.sets[&set][number].visits == 0.0);
            if is_new {
                let (turn, successors) = self.expand(&made.state)?;
                payoffs = match &turn {
                    ToMove::Terminal(outcome) => outcome.payoffs.iter().map(Rational::to_f64).collect(),
                    _ => {
                        let node = ExpandedNode { state: &made.state, turn: &turn, successors: &successors };
                        random_playout(self.game, &mut self.random, node, &mut self.visited)?
                    }
                };
                break;
            }
            views = self.views_after(&views, &turn, made)?;
            state = made.state.clone();
        }
        for &payoff in &payoffs {
            self.range = (self.range.0.min(payoff), self.range.1.max(payoff));
        }
        for (set, number) in path {
            if let Some(record) = self.sets.get_mut(&set).and_then(|records| records.get_mut(number)) {
                record.visits += 1.0;
                record.sum += payoffs.get(set.0 as usize).copied().unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Returns the move in which each player who chooses takes the choice with the greatest upper confidence bound, and
    /// adds these choices to the path.
    fn joint_choice<'m>(
        &mut self,
        turn: &ToMove,
        moves: &'m [Successor],
        views: &[u32],
        path: &mut Vec<MadeChoice>,
    ) -> Option<&'m Successor> {
        let mut fitting: Vec<&Successor> = moves.iter().collect();
        for player in 0..self.players {
            let choices = own_choices(turn, moves, player);
            if choices.is_empty() {
                continue;
            }
            let set = (player, views[player as usize]);
            let number = self.select(set, &choices);
            let choice = self.sets[&set][number].choice.clone();
            fitting.retain(|made| own_choice(turn, &made.play, player) == Some(&choice));
            path.push((set, number));
        }
        fitting.first().copied()
    }

    /// Selects one of these choices at an information set; choices that were never tried come first, in random order.
    fn select(&mut self, set: (u32, u32), choices: &[MoveInstance]) -> usize {
        let exploration = ((self.range.1 - self.range.0) / 2.0).max(0.0);
        let records = self.sets.entry(set).or_default();
        let mut numbers = Vec::with_capacity(choices.len());
        for choice in choices {
            let known = records.iter().position(|record| record.choice == *choice);
            numbers.push(known.unwrap_or_else(|| {
                records.push(ChoiceRecord { choice: choice.clone(), visits: 0.0, sum: 0.0 });
                records.len() - 1
            }));
        }
        let untried: Vec<usize> =
            numbers.iter().copied().filter(|&number| records[number].visits == 0.0).collect();
        if !untried.is_empty() {
            return untried[self.random.below(untried.len() as u64) as usize];
        }
        let visits: f64 = numbers.iter().map(|&number| records[number].visits).sum();
        // The logarithm of an integer to base 2 is the same on every machine.
        let logarithm = f64::from((visits as u64 + 1).ilog2()) * std::f64::consts::LN_2;
        let bound = |number: usize| {
            let record = &records[number];
            record.sum / record.visits + exploration * (2.0 * logarithm / record.visits).sqrt()
        };
        numbers.into_iter().reduce(|a, b| if bound(b) > bound(a) { b } else { a }).unwrap_or_default()
    }

    /// Returns the choice that the most games tried, or one drawn by these numbers if players choose at once.
    fn result(&mut self, possible: &[PossiblePosition], player: u32, games: u64) -> Option<InformedChoice> {
        let first = possible.first()?;
        let turn = self.game.machine.turn(&first.state).ok()?;
        let records = self.sets.get(&(player, first.views[player as usize]))?;
        let most = records.iter().reduce(|a, b| if b.visits > a.visits { b } else { a })?;
        let chosen = match turn {
            ToMove::Simultaneous => {
                let all: f64 = records.iter().map(|record| record.visits).sum();
                let drawn = self.random.below(DRAW_PARTS) as f64 / DRAW_PARTS as f64;
                let mut passed = 0.0;
                let drawn = records.iter().find(|record| {
                    passed += record.visits / all;
                    drawn < passed
                });
                drawn.unwrap_or(most)
            }
            _ => most,
        };
        let worth = chosen.sum / chosen.visits.max(1.0);
        Some(InformedChoice { choice: chosen.choice.clone(), games, worth })
    }
}
