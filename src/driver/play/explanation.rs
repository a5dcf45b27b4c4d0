//! Explanations of the value of a position for a player: the threats of a win, the answers that refute moves, the moves
//! that keep a draw.
//!
//! *Invariant:* everything follows from known values of positions; where one of them is missing nothing is said.

use std::collections::HashMap;

use super::engine::KnownValue;
use bouton_base::rational::Rational;
use bouton_report::words::{listed_with, move_sequence, truncated_list};
use bouton_search::game::{Game, State, Successor, ToMove};
use bouton_search::solve::{Value, ValueKind};

/// The maximal number of moves of a line that an explanation shows.
const MAX_LINE_PLIES: usize = 12;
/// The maximal number of answers that an explanation lists.
const MAX_ANSWERS: usize = 6;
/// The maximal number of moves that are listed for one answer.
const MAX_MOVES: usize = 8;

/// Explains values of positions of one game.
pub(super) struct Explainer<'e> {
    pub game: &'e Game,
    /// The value of a position and the plies to the end, if they are known.
    pub value: &'e dyn Fn(&State) -> Option<KnownValue>,
}

/// A move with its name and the known value after it.
struct ValuedMove {
    words: String,
    next: Successor,
    after: KnownValue,
}

impl ValuedMove {
    fn wins(&self, player: u32) -> bool {
        self.after.value.kind == ValueKind::Win(player)
    }

    fn plies(&self) -> u32 {
        self.after.plies.unwrap_or(u32::MAX)
    }
}

impl Explainer<'_> {
    /// Explains the value of a position for the player to move, in one sentence; `None` if a value is unknown, nobody
    /// is to move, or the game is not about wins of two players.
    pub fn explain(&self, state: &State) -> Option<String> {
        let (mover, moves) = self.moves(state)?;
        if self.game.rules.players().len() != 2 {
            return None;
        }
        match (self.value)(state)?.value.kind {
            ValueKind::Win(winner) if winner == mover => self.win(mover, moves),
            ValueKind::Win(winner) => {
                let refuted = self.refutations(moves.iter().collect(), winner)?;
                Some(format!("every move loses: {refuted}"))
            }
            ValueKind::Draw => self.draw(mover, &moves),
            _ => None,
        }
    }

    /// The player to move and his moves with their values; `None` if one of them is unknown.
    fn moves(&self, state: &State) -> Option<(u32, Vec<ValuedMove>)> {
        let Ok((ToMove::Player(mover), successors)) = self.game.machine.expand(state) else { return None };
        let valued = |next: Successor| {
            let after = (self.value)(&next.state)?;
            Some(ValuedMove { words: self.game.notation(state, &next.play), next, after })
        };
        let moves = successors.into_iter().map(valued).collect::<Option<Vec<_>>>()?;
        (!moves.is_empty()).then_some((mover, moves))
    }

    /// The fastest winning move of a list.
    fn fastest(moves: Vec<ValuedMove>, player: u32) -> Option<ValuedMove> {
        moves.into_iter().filter(|made| made.wins(player)).min_by_key(ValuedMove::plies)
    }

    /// Explains a win of the player to move: a line of best play up to the move that leaves more threats than the
    /// opponent can answer.
    fn win(&self, winner: u32, moves: Vec<ValuedMove>) -> Option<String> {
        let made = Self::fastest(moves, winner)?;
        let plies = made.after.plies?;
        let first = made.words.clone();
        if plies == 0 {
            return Some(format!("{first} wins at once"));
        }
        let mut line = vec![made.words.clone()];
        let mut at = made;
        while at.plies() > 2 && line.len() < MAX_LINE_PLIES {
            let (_, answers) = self.moves(&at.next.state)?;
            let answer = answers.into_iter().rev().max_by_key(ValuedMove::plies)?;
            let (mover, moves) = self.moves(&answer.next.state)?;
            // With moves in a row it is not an answer.
            if mover != winner {
                return None;
            }
            line.push(answer.words);
            at = Self::fastest(moves, winner)?;
            line.push(at.words.clone());
        }
        let end = if at.plies() == 2 { format!(", {}", self.threats(winner, &at)?) } else { ", ...".into() };
        Some(match line.len() {
            1 => format!("{first} wins{end}"),
            _ => format!("{first} wins, for example {}{end}", move_sequence(&line)),
        })
    }

    /// Describes the wins that a move leaves: `and Blue cannot stop both a1 and b2`.
    fn threats(&self, winner: u32, made: &ValuedMove) -> Option<String> {
        let (loser, answers) = self.moves(&made.next.state)?;
        if loser == winner {
            return None;
        }
        // The winning moves after each answer.
        let mut wins = Vec::with_capacity(answers.len());
        for answer in &answers {
            let (mover, moves) = self.moves(&answer.next.state)?;
            // With moves in a row, the next move may still be the loser's.
            if mover != winner {
                return None;
            }
            let now = moves.into_iter().filter(|made| made.wins(winner) && made.plies() == 0);
            wins.push(now.map(|made| made.words).collect::<Vec<_>>());
        }
        let name = |player: u32| self.game.rules.players()[player as usize].as_str();
        let all: Vec<usize> = (0..wins.len()).collect();
        let first = most_frequent(&wins, &all)?;
        let rest: Vec<usize> = all.into_iter().filter(|&at| !wins[at].contains(&first)).collect();
        if rest.is_empty() {
            return Some(format!("and {} cannot stop {first}", name(loser)));
        }
        let second = most_frequent(&wins, &rest)?;
        Some(match rest.iter().all(|&at| wins[at].contains(&second)) {
            true => format!("and {} cannot stop both {first} and {second}", name(loser)),
            false => {
                format!("and whatever {} answers, {} wins with the next move", name(loser), name(winner))
            }
        })
    }

    /// Lists moves by the answer of `winner` that refutes them: `a1 and b1 are answered by b2, c1 by a2`.
    fn refutations(&self, moves: Vec<&ValuedMove>, winner: u32) -> Option<String> {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for made in moves {
            let end = made.after.plies == Some(0);
            let answer = if end { String::new() } else { self.answer(&made.next.state, winner)? };
            match groups.iter_mut().find(|(known, _)| *known == answer) {
                Some((_, refuted)) => refuted.push(made.words.clone()),
                None => groups.push((answer, vec![made.words.clone()])),
            }
        }
        let told = groups.iter().take(MAX_ANSWERS).enumerate().map(|(place, (answer, refuted))| {
            let verb = if refuted.len() == 1 { "is" } else { "are" };
            let list = match refuted.len() > MAX_MOVES {
                true => truncated_list(refuted, MAX_MOVES),
                false => listed_with(refuted, "and"),
            };
            match (answer.is_empty(), place) {
                (true, _) => format!("{list} at once"),
                (false, 0) => format!("{list} {verb} answered by {answer}"),
                (false, _) => format!("{list} by {answer}"),
            }
        });
        let told: Vec<String> = told.collect();
        let rest = if groups.len() > MAX_ANSWERS { ", and so on" } else { "" };
        Some(format!("{}{rest}", told.join(", ")))
    }

    /// The fastest winning answer of a player; `None` if the other player is to move again.
    fn answer(&self, state: &State, winner: u32) -> Option<String> {
        let (mover, moves) = self.moves(state)?;
        (mover == winner).then_some(())?;
        Self::fastest(moves, winner).map(|made| made.words)
    }

    /// Explains a draw: the moves that keep it, and the answers that refute the others.
    fn draw(&self, mover: u32, moves: &[ValuedMove]) -> Option<String> {
        let mine = |value: &Value| value.payoffs.get(mover as usize).cloned();
        let zero = Rational::default();
        let (keep, lose): (Vec<&ValuedMove>, Vec<&ValuedMove>) =
            moves.iter().partition(|made| mine(&made.after.value).is_some_and(|payoff| payoff >= zero));
        if lose.is_empty() {
            return Some("every move keeps the draw".into());
        }
        let keep: Vec<String> = keep.iter().map(|made| made.words.clone()).collect();
        let (verb, list) = match keep.len() {
            1 => ("only ", keep[0].clone() + " keeps"),
            2..=MAX_MOVES => ("", listed_with(&keep, "and") + " keep"),
            _ => ("", truncated_list(&keep, MAX_MOVES) + " keep"),
        };
        let count = lose.len();
        let told = self.refutations(lose, 1 - mover);
        let told = told.map_or(String::new(), |refuted| {
            format!("; the other {}: {refuted}", if count == 1 { "move loses" } else { "moves lose" })
        });
        Some(format!("{verb}{list} the draw{told}"))
    }
}

/// The move that is in most of the lists at these places; of several, the one that comes first.
fn most_frequent(lists: &[Vec<String>], places: &[usize]) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in places.iter().flat_map(|&at| &lists[at]) {
        *counts.entry(word).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    places.iter().flat_map(|&at| &lists[at]).find(|word| counts[word.as_str()] == most).cloned()
}
