//! Figures of play for the designer of a game: length, choice, forced moves, balance, draws; of random play and, where the
//! game is not solved, of play that looks a little ahead. The same seed gives the same figures, unless a limit ends the
//! games early.

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
    /// True if players chose at once in some position; `choices` leaves these out.
    has_simultaneous: bool,
    /// The payoffs of each finished game.
    payoffs: Vec<Vec<Rational>>,
    /// True if other games of these rules have other sums of payoffs.
    has_varying_sum: bool,
}

impl Games {
    fn add(&mut self, game: &Game, play: &RandomPlay) {
        self.lengths.push(play.plays.len());
        for (state, &choices) in play.states.iter().zip(&play.choices) {
            match game.machine.turn(state) {
                Ok(ToMove::Player(_)) => self.choices.push(choices),
                // The moves are combinations of those of all.
                Ok(ToMove::Simultaneous) => self.has_simultaneous = true,
                _ => {}
            }
        }
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
                "Choice{}: {} moves on average, at most {}; {} of the moves are forced.",
                if self.has_simultaneous { " where one player moves" } else { "" },
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

    /// Returns true if the sum of the payoffs is not the same in all games.
    fn varies(&self) -> bool {
        differ(self.payoffs.iter().map(|payoffs| payoffs.iter().sum()))
    }

    /// Returns true if not all winners of several players get the same.
    fn pays_amounts(&self) -> bool {
        let is_won = |payoffs: &&Vec<Rational>| payoffs.iter().any(|own| *own != payoffs[0]);
        differ(self.payoffs.iter().filter(is_won).filter_map(|payoffs| payoffs.iter().max().cloned()))
    }

    /// The mean payoff of each player: `A 0.5, B -0.5`.
    fn mean_payoffs(&self, players: &[String]) -> String {
        let games = Rational::from_integer(self.payoffs.len() as i64);
        let mean = |player: usize| {
            let total = self.payoffs.iter().map(|payoffs| &payoffs[player]).sum::<Rational>();
            (&total / &games).to_decimal(2)
        };
        let parts = players.iter().enumerate().map(|(player, name)| format!("{name} {}", mean(player)));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// The results of the games, in a sentence: the part that each player won, with the means of the payoffs where not all
    /// winners get the same. Where the sum of the payoffs is not the same in all games, or some of three or more players
    /// win together, only these means.
    fn balance(&self, players: &[String], who: &str) -> Option<String> {
        let games = self.payoffs.len();
        self.payoffs.first()?;
        let counted = match self.lengths.len() > games {
            true => format!("of the {} that ended", count_with_noun(games as u64, "game", "games")),
            false => count_with_noun(games as u64, "game", "games"),
        };
        let most = |payoffs: &[Rational]| payoffs.iter().max().cloned().unwrap_or_default();
        let leaders = |payoffs: &[Rational]| payoffs.iter().filter(|own| **own == most(payoffs)).count();
        let is_shared = |payoffs: &[Rational]| (2..payoffs.len()).contains(&leaders(payoffs));
        let some_share = self.payoffs.iter().any(|payoffs| is_shared(payoffs));
        if players.len() > 1 && (self.has_varying_sum || self.varies() || some_share) {
            return Some(format!("Mean payoffs {who}: {} ({counted}).", self.mean_payoffs(players)));
        }
        // A single player wins by a payoff above 0, one of several by the greatest payoff.
        let zero = Rational::from_integer(0);
        let leads = |payoffs: &[Rational], player: usize| match payoffs {
            [only] => *only > zero,
            _ => payoffs.get(player) == Some(&most(payoffs)),
        };
        let is_alone = |payoffs: &[Rational]| leaders(payoffs) == 1;
        let count = |of: &dyn Fn(&[Rational]) -> bool| self.payoffs.iter().filter(|one| of(one)).count();
        let won = |player: usize| count(&|payoffs| leads(payoffs, player) && is_alone(payoffs));
        let mut counts: Vec<(&str, usize)> =
            players.iter().enumerate().map(|(player, name)| (name.as_str(), won(player))).collect();
        let drawn = count(&|payoffs| payoffs.iter().all(|own| *own == most(payoffs)));
        if players.len() > 1 {
            counts.push(("draws", drawn));
        }
        let numbers: Vec<usize> = counts.iter().map(|(_, count)| *count).collect();
        let parts = counts.iter().zip(percentages(&numbers, games));
        let parts: Vec<String> = parts.map(|((name, _), percent)| format!("{name} {percent}%")).collect();
        let means = match players.len() > 1 && self.pays_amounts() {
            true => format!("; mean payoffs {}", self.mean_payoffs(players)),
            false => String::new(),
        };
        Some(format!("Wins {who}: {}{means} ({counted}).", parts.join(", ")))
    }
}

/// Returns true if not all numbers are the same.
fn differ(mut numbers: impl Iterator<Item = Rational>) -> bool {
    let first = numbers.next();
    numbers.any(|number| Some(&number) != first.as_ref())
}

/// A mean with one decimal.
fn mean(numbers: &[usize]) -> String {
    let tenths = 10 * numbers.iter().sum::<usize>() / numbers.len().max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Percentages of a whole, rounded so that parts that make up the whole add up to 100: those with the largest
/// remainders are rounded up.
fn percentages(parts: &[usize], whole: usize) -> Vec<usize> {
    let whole = whole.max(1);
    let mut percentages: Vec<usize> = parts.iter().map(|part| 100 * part / whole).collect();
    let remainder = |place: &usize| 100 * parts[*place] % whole;
    let missing = (100 * parts.iter().sum::<usize>() / whole).saturating_sub(percentages.iter().sum());
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(remainder(place)));
    order.into_iter().take(missing).for_each(|place| percentages[place] += 1);
    percentages
}

fn percent(part: usize, whole: usize) -> String {
    format!("{}%", (200 * part + whole) / (2 * whole.max(1)))
}

/// The figures of play from a position: a sentence each. Games in which all look ahead are left out of those of a
/// position that is solved.
pub fn figures(start: &StartPosition, is_solved: bool, limits: &Limits) -> Vec<String> {
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
    sentences.extend(random.balance(&players, "of random play"));
    // A lookahead would read what is hidden from the players, and in a game of one move there is nothing to foresee.
    let has_moves_ahead = random.lengths.iter().any(|&length| length > 1);
    if players.len() > 1 && !is_solved && has_moves_ahead && !game.rules.has_hidden_information() {
        let mut searched = Games { has_varying_sum: random.varies(), ..Games::default() };
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
        let who = format!("where all look {LOOKAHEAD} moves ahead");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_add_up() {
        assert_eq!(percentages(&[1, 1, 1], 3), [34, 33, 33]);
        assert_eq!(percentages(&[36, 47, 117], 200), [18, 24, 58]);
        assert_eq!(percentages(&[0, 5], 5), [0, 100]);
        assert_eq!(percentages(&[1], 3), [33]);
    }

    #[test]
    fn one_player_wins_or_nobody() {
        let of = |payoffs: &[&[i64]]| {
            let numbers = |one: &&[i64]| one.iter().map(|&n| Rational::from_integer(n)).collect();
            let games = Games { payoffs: payoffs.iter().map(numbers).collect(), ..Games::default() };
            let players = ["A", "B", "C"].map(str::to_owned);
            games.balance(&players[..payoffs[0].len()], "of play").expect("games")
        };
        // Both gain in the first: the greater payoff wins.
        assert_eq!(
            of(&[&[2, 1], &[0, 3], &[0, 3]]),
            "Wins of play: A 33%, B 67%, draws 0%; mean payoffs A 0.67, B 2.33 (3 games)."
        );
        assert_eq!(
            of(&[&[2, 1, 0], &[1, 1, 1], &[1, 0, 2], &[0, 1, 2]]),
            "Wins of play: A 25%, B 0%, C 50%, draws 25% (4 games)."
        );
        // Two of three win together.
        assert_eq!(of(&[&[1, 1, -2], &[-2, 1, 1]]), "Mean payoffs of play: A -0.5, B 1, C -0.5 (2 games).");
        // What one gains the other does not lose.
        assert_eq!(of(&[&[4, 4], &[1, 3], &[3, 1]]), "Mean payoffs of play: A 2.67, B 2.67 (3 games).");
        assert_eq!(of(&[&[1], &[0]]), "Wins of play: A 50% (2 games).");
    }
}
