//! Move names: the notation (`a1`) or the call form (`mark(a1)`).

use std::ops::Range;

use strsim::levenshtein;

use super::{Fault, Game, MachineError, MoveInstance, State, Successor};
use bouton_base::limits::LimitHit;
use bouton_rules::{ExprKind, Rules, TemplatePart};

/// The reason why a string names no legal move.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NameError {
    /// No legal move has this name; the nearest legal names, best first.
    #[error("no legal move is called `{text}`{}", suggestion(.text, .nearest))]
    Unknown {
        /// The requested name.
        text: String,
        /// At most five names.
        nearest: Vec<String>,
    },
    /// Several legal moves have this name; their call forms.
    #[error("`{text}` may mean {}", .among.join(" or "))]
    Ambiguous {
        /// The requested name.
        text: String,
        /// The call forms of the moves it may mean.
        among: Vec<String>,
    },
    /// There is no legal move: the game is over.
    #[error("the game is over, so `{text}` is not legal")]
    NoMoves {
        /// The requested name.
        text: String,
    },
    /// The rules have no meaning in this position.
    #[error(transparent)]
    Fault(Fault),
    /// A limit was reached before the moves were known.
    #[error("{0}")]
    Limit(LimitHit),
}

impl From<MachineError> for NameError {
    fn from(halt: MachineError) -> NameError {
        match halt {
            MachineError::Fault(fault) => NameError::Fault(fault),
            MachineError::Limit(hit) => NameError::Limit(hit),
        }
    }
}

fn suggestion(text: &str, nearest: &[String]) -> String {
    let mut parts = text.split([' ', ',', ';']).filter(|part| !part.is_empty());
    let first = parts.next().filter(|first| nearest.iter().any(|name| name == first));
    if first.is_some() && parts.next().is_some() {
        return "; each move of a play is named by itself, with commas between them".to_owned();
    }
    if nearest.is_empty() { String::new() } else { format!("; nearest: {}", nearest.join(", ")) }
}

/// A move of a line that could not be made.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("move {ply}: {error}")]
pub struct LineError {
    /// The number of the move, from 1.
    pub ply: usize,
    /// The bytes of the move in the line.
    pub place: Range<usize>,
    pub error: NameError,
}

/// Returns the call form of a move: `mark(a1)`, `pass`, or for simultaneous moves `Ann: rock(), Bob: paper()`.
pub fn call_form(rules: &Rules, play: &MoveInstance) -> String {
    match play {
        MoveInstance::Move(id, args) => {
            let args: Vec<String> = args.iter().map(|v| rules.show(v)).collect();
            format!("{}({})", rules.moves[*id].name, args.join(", "))
        }
        MoveInstance::Pass => "pass".into(),
        MoveInstance::Joint(parts) => {
            let part = |(player, play): &(u32, MoveInstance)| {
                format!("{}: {}", rules.show(&rules.player(*player)), call_form(rules, play))
            };
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns the written form of a move if it is the same in every position: its template has no placeholders but
/// parameters. `None` if it may depend on the position.
pub(super) fn constant_notation(rules: &Rules, play: &MoveInstance) -> Option<String> {
    match play {
        MoveInstance::Move(id, args) => {
            let of = rules.moves.get(*id)?;
            if of.template.is_empty() {
                return Some(if of.params.is_empty() { of.name.clone() } else { call_form(rules, play) });
            }
            let part = |part: &TemplatePart| match part {
                TemplatePart::Text(text) => Some(text.clone()),
                TemplatePart::Placeholder(hole) => {
                    let ExprKind::Var(var) = *hole.kind else { return None };
                    Some(rules.show(args.get(of.params.iter().position(|param| param.var == var)?)?))
                }
            };
            of.template.iter().map(part).collect()
        }
        MoveInstance::Pass => Some("pass".into()),
        MoveInstance::Joint(parts) => {
            let parts: Option<Vec<String>> =
                parts.iter().map(|(_, play)| constant_notation(rules, play)).collect();
            Some(format!("({})", parts?.join(", ")))
        }
    }
}

/// The legal moves of a position with their names.
pub struct MoveNames {
    moves: Vec<NamedMove>,
}

struct NamedMove {
    successor: Successor,
    written: String,
    call: String,
}

impl MoveNames {
    /// Queries the machine for all legal moves and their names.
    pub fn of(game: &Game, state: &State) -> Result<MoveNames, MachineError> {
        let named = |successor: Successor| {
            Ok(NamedMove {
                written: game.machine.notation(state, &successor.play)?,
                call: call_form(&game.rules, &successor.play),
                successor,
            })
        };
        let moves: Result<_, MachineError> = game.machine.successors(state)?.into_iter().map(named).collect();
        Ok(MoveNames { moves: moves? })
    }

    /// Returns the move with this name: an exact match, else a match without regard to spaces and case, else one of the
    /// same words (`(mark 1 1)` as GDL writes `mark(1, 1)`), each if only one move fits.
    pub fn find(&self, text: &str) -> Result<&Successor, NameError> {
        let text = text.trim();
        if let Some(found) = self.exact(text).or_else(|| self.loose(text)).or_else(|| self.same_words(text)) {
            return found;
        }
        if self.moves.is_empty() {
            return Err(NameError::NoMoves { text: text.into() });
        }
        Err(NameError::Unknown { text: text.into(), nearest: self.nearest(text) })
    }

    fn exact(&self, text: &str) -> Option<Result<&Successor, NameError>> {
        self.only(text, |m| m.written == text).or_else(|| self.only(text, |m| m.call == text))
    }

    fn loose(&self, text: &str) -> Option<Result<&Successor, NameError>> {
        let wanted = plain(text);
        self.only(text, |m| plain(&m.written) == wanted || plain(&m.call) == wanted)
    }

    fn same_words(&self, text: &str) -> Option<Result<&Successor, NameError>> {
        let wanted = words(text);
        self.only(text, |m| words(&m.written) == wanted || words(&m.call) == wanted)
    }

    fn only(&self, text: &str, fits: impl Fn(&NamedMove) -> bool) -> Option<Result<&Successor, NameError>> {
        let found: Vec<&NamedMove> = self.moves.iter().filter(|m| fits(m)).collect();
        match found[..] {
            [] => None,
            [one] => Some(Ok(&one.successor)),
            _ => Some(Err(NameError::Ambiguous {
                text: text.into(),
                among: found.iter().map(|m| m.call.clone()).collect(),
            })),
        }
    }

    fn nearest(&self, text: &str) -> Vec<String> {
        let wanted = plain(text);
        let mut ranked: Vec<(usize, &str)> = self
            .moves
            .iter()
            .map(|m| {
                let call = levenshtein(&plain(&m.call), &wanted);
                (levenshtein(&plain(&m.written), &wanted).min(call), m.written.as_str())
            })
            .collect();
        ranked.sort_by_key(|&(d, _)| d);
        ranked.dedup_by(|a, b| a.1 == b.1);
        ranked.into_iter().take(5).map(|(_, name)| name.to_owned()).collect()
    }

    /// Finds the longest name at the start of `line`, and returns its range in bytes. Names end where a word ends.
    fn longest<'a>(&'a self, line: &str) -> (Range<usize>, Result<&'a Successor, NameError>) {
        let longest = self.moves.iter().map(|m| plain(&m.written).len().max(plain(&m.call).len())).max();
        let ends: Vec<usize> = word_ends(line)
            .into_iter()
            .take_while(|&end| plain(&line[..end]).len() <= longest.unwrap_or(0))
            .collect();
        let first = word_ends(line).first().copied().unwrap_or(line.len());
        for matching in [MoveNames::exact, MoveNames::loose, MoveNames::same_words] {
            for &end in ends.iter().rev() {
                if let Some(found) = matching(self, &line[..end]) {
                    return (0..end, found);
                }
            }
        }
        (0..first, self.find(&line[..first]))
    }
}

/// Returns the legal move with this name in a position.
pub fn find(game: &Game, state: &State, text: &str) -> Result<Successor, NameError> {
    MoveNames::of(game, state)?.find(text).cloned()
}

/// Plays the moves of a line, separated by white space or commas; returns each with the position after it. A name may
/// itself contain spaces and commas: of the names that fit, the longest wins.
pub fn play_line(game: &Game, state: &State, line: &str) -> Result<Vec<Successor>, LineError> {
    let mut played: Vec<Successor> = Vec::new();
    let mut at = 0;
    loop {
        at += line[at..].len() - line[at..].trim_start_matches(is_separator).len();
        if at == line.len() {
            return Ok(played);
        }
        let ply = played.len() + 1;
        let now = played.last().map_or(state, |s| &s.state);
        let names = MoveNames::of(game, now).map_err(|halt| LineError {
            ply,
            place: at..line.len(),
            error: halt.into(),
        })?;
        let (range, found) = names.longest(&line[at..]);
        let place = at + range.start..at + range.end;
        match found {
            Ok(successor) => played.push(successor.clone()),
            Err(error) => return Err(LineError { ply, place, error }),
        }
        at = place.end;
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// Returns the ends of words: before separators outside parentheses, and at the end.
fn word_ends(line: &str) -> Vec<usize> {
    let mut depth = 0i32;
    let mut ends = Vec::new();
    let mut in_word = false;
    for (i, c) in line.char_indices() {
        let separates = depth <= 0 && is_separator(c);
        if separates && in_word {
            ends.push(i);
        }
        in_word = !separates;
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    if in_word {
        ends.push(line.len());
    }
    ends
}

/// Normalizes a name: no spaces, lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Splits a name into words, in lower case, without the signs around them.
fn words(name: &str) -> Vec<String> {
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';');
    name.split(is_sign).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::toy::ToyGame;
    use super::*;

    fn game() -> Game {
        let mut toy = ToyGame::new(2);
        for (from, name, to) in
            [(0, "a1", 1), (0, "A 1", 2), (0, "b2, c3", 3), (0, "b2", 4), (1, "Up Left", 2), (4, "c3", 2)]
        {
            toy.named(from, name, to);
        }
        toy.game()
    }

    #[test]
    fn names_are_exact_then_loose() {
        let game = game();
        let start = game.machine.initial();
        assert_eq!(find(&game, &start, " a1 ").unwrap().state, ToyGame::state(1));
        assert_eq!(find(&game, &start, "A 1").unwrap().state, ToyGame::state(2));
        assert!(matches!(find(&game, &start, "A1"), Err(NameError::Ambiguous { .. })));
        assert_eq!(find(&game, &start, "B2").unwrap().state, ToyGame::state(4));
        assert_eq!(find(&game, &start, "move( 2 )").unwrap().state, ToyGame::state(3));
        assert_eq!(find(&game, &start, "(MOVE 2)").unwrap().state, ToyGame::state(3));
        assert_eq!(find(&game, &start, "(b2 c3);").unwrap().state, ToyGame::state(3));
        let Err(NameError::Unknown { nearest, .. }) = find(&game, &start, "b3") else { panic!() };
        assert_eq!(nearest[0], "b2");
    }

    #[test]
    fn a_line_takes_the_longest_name() {
        let game = game();
        let start = game.machine.initial();
        let states = |line| -> Vec<State> {
            play_line(&game, &start, line).unwrap().into_iter().map(|s| s.state).collect()
        };
        assert_eq!(states("b2, c3"), [ToyGame::state(3)]);
        assert_eq!(states("b2 c3"), [ToyGame::state(4), ToyGame::state(2)]);
        assert_eq!(states("move(0), up left"), [ToyGame::state(1), ToyGame::state(2)]);
        let error = play_line(&game, &start, "a1 right").unwrap_err();
        assert_eq!((error.ply, error.place), (2, 3..8));
    }
}
