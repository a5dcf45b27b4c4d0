//! Messages of the match protocol of general game playing: lists in parentheses.

/// A message to a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// Asks for the name and the state of the player.
    Info,
    /// Begins a match.
    Start {
        id: String,
        role: String,
        /// The rules, in KIF.
        rules: String,
        /// The seconds for preparation.
        start_clock: u64,
        /// The seconds for each move.
        play_clock: u64,
    },
    /// Asks for a move, and tells about the last one.
    Play { id: String, news: News },
    /// Ends a match after its last move.
    Stop { id: String },
    /// Ends a match that is not complete.
    Abort { id: String },
}

/// The news of a message about the last move of all roles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// No move was made before.
    Nothing,
    /// The moves of all roles, in the order of the sheet.
    Moves(Vec<String>),
    /// In GDL-II, a part of them.
    Percepts(Percepts),
}

/// The share of a player in the news of a move of all roles, in GDL-II.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Percepts {
    /// The number of moves of all roles so far.
    pub turn: usize,
    /// The player's own move.
    pub own: String,
    /// The terms that the player sees, in lower case and in order; `None` if that does not count.
    pub seen: Option<Vec<String>>,
}

/// The reason why a message cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MessageError {
    #[error("the message is no list in parentheses")]
    NoList,
    #[error("the parentheses of the message do not match")]
    Parentheses,
    #[error("`{0}` is no message of the protocol: it has INFO, START, PLAY, STOP and ABORT")]
    Unknown(String),
    #[error("{kind} has {found} parts instead of {wanted}")]
    Parts { kind: &'static str, wanted: usize, found: usize },
    #[error("`{0}` is no number of seconds")]
    Clock(String),
    #[error("`{0}` is no number of moves")]
    Turn(String),
}

/// The maximal number of seconds of a clock: a day.
const MAX_CLOCK: u64 = 86_400;

impl Message {
    /// Reads a message. Names of messages may be in any case.
    pub fn parse(text: &str) -> Result<Message, MessageError> {
        let parts = elements(text)?;
        let kind = parts.first().copied().unwrap_or_default().to_ascii_uppercase();
        let needs = |kind: &'static str, wanted: usize| match parts.len() {
            found if found >= wanted => Ok(()),
            found => Err(MessageError::Parts { kind, wanted, found }),
        };
        let id = |at: usize| canonical(parts[at]);
        match kind.as_str() {
            "INFO" => Ok(Message::Info),
            "START" => {
                needs("START", 6)?;
                let rules = parts[3].strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                Ok(Message::Start {
                    id: id(1)?,
                    role: id(2)?,
                    rules: rules.ok_or(MessageError::NoList)?.to_owned(),
                    start_clock: clock(parts[4])?,
                    play_clock: clock(parts[5])?,
                })
            }
            "PLAY" => {
                needs("PLAY", 3)?;
                let news = match parts[2] {
                    _ if parts.len() >= 5 => percepts(&parts)?,
                    nil if is_nil(nil) => News::Nothing,
                    moves => {
                        News::Moves(elements(moves)?.into_iter().map(canonical).collect::<Result<_, _>>()?)
                    }
                };
                Ok(Message::Play { id: id(1)?, news })
            }
            "STOP" => {
                needs("STOP", 3)?;
                Ok(Message::Stop { id: id(1)? })
            }
            "ABORT" => {
                needs("ABORT", 2)?;
                Ok(Message::Abort { id: id(1)? })
            }
            _ => Err(MessageError::Unknown(kind.chars().take(40).collect())),
        }
    }
}

/// Reads a message of GDL-II: `(PLAY match turn own-move (percept ...))`, with `nil` for a list without elements.
fn percepts(parts: &[&str]) -> Result<News, MessageError> {
    let turn: usize =
        parts[2].parse().map_err(|_| MessageError::Turn(parts[2].chars().take(40).collect()))?;
    if turn == 0 {
        return Ok(News::Nothing);
    }
    let mut seen = Vec::new();
    if !is_nil(parts[4]) {
        for percept in elements(parts[4])? {
            seen.push(canonical(percept)?.to_lowercase());
        }
    }
    seen.sort_unstable();
    seen.dedup();
    Ok(News::Percepts(Percepts { turn, own: canonical(parts[3])?, seen: Some(seen) }))
}

fn is_nil(text: &str) -> bool {
    text.eq_ignore_ascii_case("nil")
}

fn clock(text: &str) -> Result<u64, MessageError> {
    let seconds: Option<u64> = text.parse().ok().filter(|&seconds| seconds <= MAX_CLOCK);
    seconds.ok_or_else(|| MessageError::Clock(text.chars().take(40).collect()))
}

/// The words and parentheses of a text, each with its place.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let length = match first {
            '(' | ')' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
        };
        let token = (at, &rest[..length]);
        at += length;
        Some(token)
    })
}

/// Splits a list into its elements, as they are written.
fn elements(text: &str) -> Result<Vec<&str>, MessageError> {
    let mut found = Vec::new();
    let (mut depth, mut begin) = (0usize, 0);
    let mut is_over = false;
    for (at, token) in tokens(text) {
        if is_over {
            return Err(MessageError::Parentheses);
        }
        match token {
            "(" => {
                depth += 1;
                if depth == 2 {
                    begin = at;
                }
            }
            ")" => {
                depth = depth.checked_sub(1).ok_or(MessageError::Parentheses)?;
                match depth {
                    1 => found.push(&text[begin..=at]),
                    0 => is_over = true,
                    _ => {}
                }
            }
            _ if depth == 0 => return Err(MessageError::NoList),
            word if depth == 1 => found.push(word),
            _ => {}
        }
    }
    if is_over { Ok(found) } else { Err(MessageError::Parentheses) }
}

/// Writes a term with single spaces; a list of one word is the word.
pub fn canonical(text: &str) -> Result<String, MessageError> {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    for (_, token) in tokens(text) {
        match token {
            "(" => open.push(Vec::new()),
            ")" => {
                let mut list = open.pop().unwrap_or_default();
                let outer = open.last_mut().ok_or(MessageError::Parentheses)?;
                outer.push(if list.len() == 1 { list.remove(0) } else { format!("({})", list.join(" ")) });
            }
            word => {
                if let Some(list) = open.last_mut() {
                    list.push(word.to_owned());
                }
            }
        }
    }
    match &mut open[..] {
        [only] if only.len() == 1 => Ok(only.remove(0)),
        _ => Err(MessageError::Parentheses),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        assert_eq!(Message::parse(" ( info ) "), Ok(Message::Info));
        let start = Message::parse("(START m.1 white ((role white) (<= p\n(q))) 30 5 extra)");
        let rules = "(role white) (<= p\n(q))".to_owned();
        let (id, role) = ("m.1".to_owned(), "white".to_owned());
        assert_eq!(start, Ok(Message::Start { id, role, rules, start_clock: 30, play_clock: 5 }));
        let play = |news| Ok(Message::Play { id: "m".to_owned(), news });
        let written = |terms: &[&str]| terms.iter().map(|&term| term.to_owned()).collect();
        assert_eq!(Message::parse("(PLAY m NIL)"), play(News::Nothing));
        assert_eq!(
            Message::parse("(play m ((  mark 1\t(f 2))(noop)))"),
            play(News::Moves(written(&["(mark 1 (f 2))", "noop"])))
        );
        let percepts = |turn, own: &str, seen| {
            play(News::Percepts(Percepts { turn, own: own.to_owned(), seen: Some(written(seen)) }))
        };
        assert_eq!(Message::parse("(PLAY m 0 NIL NIL)"), play(News::Nothing));
        assert_eq!(Message::parse("(PLAY m 1 (bet  2) NIL)"), percepts(1, "(bet 2)", &[]));
        assert_eq!(
            Message::parse("(PLAY m 3 noop ((Card 7)(did b c)))"),
            percepts(3, "noop", &["(card 7)", "(did b c)"])
        );
        assert_eq!(Message::parse("(STOP m NIL)"), Ok(Message::Stop { id: "m".to_owned() }));
        assert_eq!(Message::parse("(ABORT m)"), Ok(Message::Abort { id: "m".to_owned() }));
    }

    #[test]
    fn malformed_messages_are_errors() {
        use MessageError::{Clock, NoList, Parentheses, Parts, Turn, Unknown};
        for (text, error) in [
            ("", Parentheses),
            ("INFO", NoList),
            ("(INFO", Parentheses),
            ("(INFO))", Parentheses),
            ("(INFO) (INFO)", Parentheses),
            ("()", Unknown(String::new())),
            ("(dance)", Unknown("DANCE".to_owned())),
            ("(PLAY m)", Parts { kind: "PLAY", wanted: 3, found: 2 }),
            ("(START m x y 1)", Parts { kind: "START", wanted: 6, found: 5 }),
            ("(START m x y 1 1)", NoList),
            ("(START m x (y) 1 -1)", Clock("-1".to_owned())),
            ("(PLAY m noop)", NoList),
            ("(PLAY m x noop nil)", Turn("x".to_owned())),
            ("(PLAY m 1 noop see)", NoList),
        ] {
            assert_eq!(Message::parse(text), Err(error), "{text}");
        }
    }
}
