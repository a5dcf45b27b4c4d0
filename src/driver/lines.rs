//! Plays as words: told from moves, and read from what a user wrote.

use crate::diag::nearest;
use crate::game::{Fault, Game, Play, State, Successor};

/// A play told in words.
#[derive(Clone, Debug)]
pub struct Told {
    /// The moves as written in the position each is made in.
    pub words: Vec<String>,
    /// The position after them.
    pub last: State,
}

/// Tells a play from a position; it ends early where a move is not legal.
pub fn tell(game: &Game, from: &State, line: &[Play]) -> Told {
    let mut told = Told { words: Vec::new(), last: from.clone() };
    for play in line {
        let successors = game.machine.successors(&told.last).unwrap_or_default();
        let Some(next) = successors.into_iter().find(|s| s.play == *play) else { break };
        told.words.push(game.machine.written(&told.last, play));
        told.last = next.state;
    }
    told
}

/// Why a move that was written cannot be made.
#[derive(Clone, PartialEq, Debug)]
pub enum Misread {
    /// No legal move is written so: the words, the nearest legal move.
    NotLegal(String, Option<String>),
    /// The rules have no meaning here.
    Fault(Box<Fault>),
}

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misread::NotLegal(word, Some(near)) => {
                write!(f, "`{word}` is no legal move here; did you mean `{near}`?")
            }
            Misread::NotLegal(word, None) => write!(f, "`{word}` is no legal move here"),
            Misread::Fault(fault) => write!(f, "the rules have no meaning here: {fault}"),
        }
    }
}

/// The legal moves with their written forms.
pub fn legal(game: &Game, state: &State) -> Result<Vec<(String, Successor)>, Box<Fault>> {
    let successors = game.machine.successors(state).map_err(Box::new)?;
    Ok(successors.into_iter().map(|s| (game.machine.written(state, &s.play), s)).collect())
}

/// Reads one move: its written form, or the same but for the case of letters where only one is.
pub fn read(game: &Game, state: &State, word: &str) -> Result<(String, Successor), Misread> {
    let legal = legal(game, state).map_err(Misread::Fault)?;
    let word = word.trim();
    let exact = legal.iter().position(|(name, _)| name == word);
    let loose = || {
        let mut same = legal.iter().enumerate().filter(|(_, (name, _))| name.eq_ignore_ascii_case(word));
        same.next().filter(|_| same.next().is_none()).map(|(i, _)| i)
    };
    match exact.or_else(loose) {
        Some(i) => Ok(legal.into_iter().nth(i).unwrap_or_else(|| unreachable!("the index was just found"))),
        None => {
            let near = nearest(word, legal.iter().map(|(name, _)| name.as_str())).map(str::to_string);
            Err(Misread::NotLegal(word.to_string(), near))
        }
    }
}

/// Plays what a user wrote, moves with blanks between them. A written form may itself hold blanks: of several legal
/// moves that fit, the longest is meant.
pub fn replay(game: &Game, from: &State, words: &str) -> Result<(Vec<Play>, Told), Misread> {
    let mut plays = Vec::new();
    let mut told = Told { words: Vec::new(), last: from.clone() };
    let mut rest = words.trim();
    while !rest.is_empty() {
        let legal = legal(game, &told.last).map_err(Misread::Fault)?;
        let fits = |name: &str| {
            rest.strip_prefix(name).is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace))
        };
        let longest = legal.iter().filter(|(name, _)| fits(name)).max_by_key(|(name, _)| name.len());
        let (name, length, successor) = match longest {
            Some((name, successor)) => (name.clone(), name.len(), successor.clone()),
            None => {
                let word = rest.split_whitespace().next().unwrap_or_default();
                let (name, successor) = read(game, &told.last, word)?;
                (name, word.len(), successor)
            }
        };
        rest = rest[length..].trim_start();
        plays.push(successor.play);
        told.words.push(name);
        told.last = successor.state;
    }
    Ok((plays, told))
}
