//! The query of a request: settings, a preset, and the moves that lead to a position.

use std::time::Duration;

use super::refusal::Refusal;
use super::reply::parse_level;
use bouton_driver::play::engine::EngineLevel;

/// The maximal number of bytes of a query.
const MAX_BYTES: usize = 16 << 10;
/// The maximal number of moves to a position.
const MAX_MOVES: usize = 1000;
/// The maximal number of settings.
pub const MAX_SETTINGS: usize = 32;
/// The default and the greatest time limit of a solution.
const DEFAULT_SOLVE_TIME: Duration = Duration::from_secs(20);
const MAX_SOLVE_TIME: Duration = Duration::from_secs(120);

/// The address of a position within a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionQuery {
    /// The settings `set=name=value`.
    pub settings: Vec<(String, String)>,
    /// The preset `preset=name`.
    pub preset: Option<String>,
    /// The moves `p=move`, in order.
    pub moves: Vec<String>,
    /// The time limit `seconds=N` of a solution.
    pub time: Duration,
    /// The engine's level: `level=perfect`, `fair` or `weak`.
    pub level: EngineLevel,
    /// The player `as=NAME` who sees the position; `None` if everything is shown.
    pub viewer: Option<String>,
    /// The choice `own=MOVE` of the viewer, where players choose simultaneously.
    pub own: Option<String>,
    /// The seed `seed=N` of the engine's choices and of chance.
    pub seed: u64,
}

impl PositionQuery {
    /// Reads a query; an unknown or malformed part is refused.
    pub fn parse(query: Option<&str>) -> Result<PositionQuery, Refusal> {
        let query = query.unwrap_or_default();
        if query.len() > MAX_BYTES {
            return Err(Refusal::bad(format!("the query has more than {MAX_BYTES} bytes")));
        }
        let mut found = PositionQuery {
            settings: Vec::new(),
            preset: None,
            moves: Vec::new(),
            time: DEFAULT_SOLVE_TIME,
            level: EngineLevel::Perfect,
            viewer: None,
            own: None,
            seed: 0,
        };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "set" => match value.split_once('=') {
                    Some((name, of)) => found.settings.push(setting(name, of)?),
                    None => return Err(Refusal::bad(format!("`set={value}`: write `set=name=value`"))),
                },
                "preset" => found.preset = Some(value.into_owned()),
                "p" => found.moves.push(value.into_owned()),
                "seconds" => {
                    found.time = Duration::from_secs(number(&name, &value)?).min(MAX_SOLVE_TIME);
                }
                "as" => found.viewer = Some(value.into_owned()),
                "own" => found.own = Some(value.into_owned()),
                "seed" => found.seed = number(&name, &value)?,
                "level" => {
                    found.level = parse_level(&value).ok_or_else(|| {
                        Refusal::bad(format!("`level={value}`: the levels are perfect, fair and weak"))
                    })?;
                }
                _ => return Err(Refusal::bad(format!("there is no part `{name}` of a query"))),
            }
        }
        if found.moves.len() > MAX_MOVES || found.settings.len() > MAX_SETTINGS {
            return Err(Refusal::bad(format!("at most {MAX_MOVES} moves and {MAX_SETTINGS} settings")));
        }
        Ok(found)
    }
}

/// A setting; one that names a file is refused.
pub fn setting(name: &str, value: &str) -> Result<(String, String), Refusal> {
    // The value `@PATH` would read a file of this machine.
    if value.trim().starts_with('@') {
        return Err(Refusal::bad("a setting may not name a file"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

fn number(name: &str, value: &str) -> Result<u64, Refusal> {
    value.parse().map_err(|_| Refusal::bad(format!("`{name}={value}` is no number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_in_order_and_files_are_refused() {
        let query =
            PositionQuery::parse(Some("set=n=3&p=a1&p=b%202&preset=small&seconds=9999")).expect("sound");
        assert_eq!(query.settings, [("n".to_owned(), "3".to_owned())]);
        assert_eq!((query.moves, query.preset), (vec!["a1".into(), "b 2".into()], Some("small".into())));
        assert_eq!(query.time, MAX_SOLVE_TIME);
        for bad in [
            "set=n",
            "set=level=@/etc/passwd",
            "set=level=%20@x",
            "x=1",
            "seconds=-1",
            "level=best",
            "seed=x",
        ] {
            assert!(PositionQuery::parse(Some(bad)).is_err(), "{bad}");
        }
        assert!(PositionQuery::parse(Some(&"p=a&".repeat(MAX_MOVES + 1))).is_err());
        assert!(PositionQuery::parse(Some(&"x".repeat(MAX_BYTES + 1))).is_err());
    }
}
