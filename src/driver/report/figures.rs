//! Figures of play for the designer of a game that is not solved: length, choice, forced moves, balance, draws; of random
//! play, and of play that looks a little ahead. The same seed gives the same figures, unless a limit ends the games early.

use bouton_base::rational::Rational;

use crate::position::StartPosition;
use bouton_base::limits::Limits;
use bouton_report::words::count_with_noun;
use bouton_search::game::random::{Random, RandomPlay, random_play};
use bouton_search::game::{Game, State, ToMove};
use bouton_search::solve::depth_limited::{self, DepthLimitedOptions};

/// The number of random games.
const RANDOM_GAMES: u64 = 200;
/// The number of games in which both sides look ahead.
const SEARCHED_GAMES: u64 = 20;
/// The number of moves that they look ahead.
const LOOKAHEAD: u32 = 2;
/// The maximal number of positions that a move of these games visits.
const LOOKAHEAD_POSITIONS: u64 = 1_000;
/// The number of random games by which a move of these games judges a position, if the rules have no `evaluate`.
const LOOKAHEAD_PLAYOUTS: u64 = 1;
/// The number of moves after which a game counts as not over.
const MAX_PLIES: usize = 400;
/// Random games may take one part in this number of the time.
const RANDOM_TIME_DIVISOR: u32 = 3;

/// The games that were played.
#[derive(Default)]
struct Games {
    /// The number of moves of each game.
    lengths: Vec<usize>,
    /// The number of legal moves at each choice of a player.
    choices: Vec<usize>,
    /// The payoffs of each finished game.
    payoffs: Vec<Vec<Rational>>,
}

impl Games {
    fn add(&mut self, game: &Game, play: &RandomPlay) {
        self.lengths.push(play.plays.len());
        let by_players = play.states.iter().zip(&play.choices);
        let by_players =
            by_players.filter(|(state, _)| !matches!(game.machine.turn(state), Ok(ToMove::Chance)));
        self.choices.extend(by_players.map(|(_, &choices)| choices));
        if let ToMove::Terminal(outcome) = &play.turn {
            self.payoffs.push(outcome.payoffs.clone());
        }
    }

    /// The length of random games and the choice in them, in a sentence each.
    fn shape(&self) -> Vec<String> {
        let games = count_with_noun(self.lengths.len() as u64, "random game", "random games");
        let Some(length) = self.length() else { return Vec::new() };
        let mut sentences = vec![format!("Length: {length} in {games}.")];
        let unfinished = self.lengths.len() - self.payoffs.len();
        if unfinished > 0 {
            sentences.push(format!("Not over after {MAX_PLIES} plies: {unfinished} of them."));
        }
        if !self.choices.is_empty() {
            let forced = self.choices.iter().filter(|&&choices| choices == 1).count();
            sentences.push(format!(
                "Choice: {} moves on average, at most {}; {} of the moves are forced.",
                mean(&self.choices),
                self.choices.iter().max().unwrap_or(&0),
                match (forced, percent(forced, self.choices.len())) {
                    (0, _) => "none".into(),
                    (_, zero) if zero == "0%" => "fewer than 1%".into(),
                    (_, part) => part,
                }
            ));
        }
        sentences
    }

    /// The length of the games: `41.5 plies on average, from 9 to 80`.
    fn length(&self) -> Option<String> {
        let (shortest, longest) = (self.lengths.iter().min()?, self.lengths.iter().max()?);
        let average = mean(&self.lengths);
        Some(match shortest == longest {
            true => count_with_noun(*longest as u64, "ply", "plies"),
            false => format!("{average} plies on average, from {shortest} to {longest}"),
        })
    }

    /// The results of the games, in a sentence.
    fn balance(&self, players: &[String], who: &str) -> Option<String> {
        let games = self.payoffs.len();
        if games == 0 {
            return None;
        }
        let zero = Rational::from_integer(0);
        let won = |player: usize| {
            let best = |payoffs: &&Vec<Rational>| payoffs.get(player).is_some_and(|own| *own > zero);
            self.payoffs.iter().filter(best).count()
        };
        let mut parts: Vec<String> = players
            .iter()
            .enumerate()
            .map(|(player, name)| format!("{name} {}", percent(won(player), games)))
            .collect();
        let drawn = self.payoffs.iter().filter(|payoffs| payoffs.iter().all(|own| *own == zero)).count();
        if players.len() > 1 {
            parts.push(format!("draws {}", percent(drawn, games)));
        }
        Some(format!("{who}: {} ({}).", parts.join(", "), count_with_noun(games as u64, "game", "games")))
    }
}

/// A mean with one decimal.
fn mean(numbers: &[usize]) -> String {
    let tenths = 10 * numbers.iter().sum::<usize>() / numbers.len().max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn percent(part: usize, whole: usize) -> String {
    format!("{}%", (200 * part + whole) / (2 * whole.max(1)))
}

/// The figures of play from a position: a sentence each.
pub fn figures(start: &StartPosition, limits: &Limits) -> Vec<String> {
    let game = start.game.with_limits(limits);
    let players = game.rules.players().to_vec();
    let mut random = Games::default();
    let part = limits.with_time_share(RANDOM_TIME_DIVISOR);
    let bounded = start.game.with_limits(&part);
    for seed in 0..RANDOM_GAMES {
        if part.check().is_some() {
            break;
        }
        match random_play(&bounded, &start.state, &mut Random::new(seed), MAX_PLIES) {
            Ok(play) => random.add(&game, &play),
            Err(_) => break,
        }
    }
    let mut sentences = random.shape();
    sentences.extend(random.balance(&players, "Wins of random play"));
    // A lookahead would read what is hidden from the players.
    if players.len() > 1 && !game.rules.has_hidden_information() {
        let mut searched = Games::default();
        for seed in 0..SEARCHED_GAMES {
            match searched_play(&game, &start.state, seed, limits) {
                Some(play) => searched.add(&game, &play),
                None => break,
            }
        }
        let games = searched.payoffs.len();
        if games > 0
            && let Some(length) = searched.length()
        {
            let games = count_with_noun(games as u64, "game", "games");
            sentences.push(format!("Length where all look {LOOKAHEAD} moves ahead: {length} in {games}."));
        }
        let who = format!("Wins where all look {LOOKAHEAD} moves ahead");
        sentences.extend(searched.balance(&players, &who));
    }
    sentences
}

/// A game in which each move is one of the best of a lookahead; `None` if a limit or a fault ends it.
fn searched_play(game: &Game, from: &State, seed: u64, limits: &Limits) -> Option<RandomPlay> {
    let mut random = Random::new(seed);
    let plan =
        DepthLimitedOptions { playouts: LOOKAHEAD_PLAYOUTS, ..DepthLimitedOptions::with_depth(LOOKAHEAD) };
    let (mut plays, mut states, mut choices) = (Vec::new(), vec![from.clone()], Vec::new());
    loop {
        let state = states.last()?.clone();
        let (turn, successors) = game.machine.expand(&state).ok()?;
        if matches!(turn, ToMove::Terminal(_)) || plays.len() >= MAX_PLIES || limits.check().is_some() {
            return limits.check().is_none().then_some(RandomPlay { plays, states, choices, turn });
        }
        let found = match turn {
            ToMove::Player(_) if successors.len() > 1 => {
                depth_limited::search(game, &state, &plan, LOOKAHEAD_POSITIONS, limits).ok()?
            }
            _ => None,
        };
        let chosen = match found.filter(|found| !found.best.is_empty()) {
            Some(found) => successors.get(found.best[random.below(found.best.len() as u64) as usize])?,
            None => random.choose(&turn, &successors)?,
        };
        choices.push(successors.len());
        plays.push(chosen.play.clone());
        states.push(chosen.state.clone());
    }
}
