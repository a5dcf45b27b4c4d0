//! The resources that `--time`, `--memory` and `--backend` select.

use std::time::Duration;

use bouton_base::clock::Instant;
use bouton_base::limits::{CancelToken, Limits};
use bouton_search::game::Backend;

/// The resources that a run may use, and the back end of its games.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The time limit of each answer.
    pub time: Option<Duration>,
    /// The time at which the command began; if `None`, the time of each answer counts from its own beginning.
    pub started: Option<Instant>,
    /// The maximal number of bytes in use.
    pub memory: Option<u64>,
    /// True if the user did not set the memory limit.
    pub default_memory: bool,
    /// The flag that cancels the run.
    pub stop: CancelToken,
    /// The back end of the games.
    pub backend: Backend,
}

/// The limits that the user set, as opposed to defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UserLimits {
    /// None: answers that take long are announced, and those that take too long are refused.
    None,
    /// Memory alone: answers that take long are announced.
    Memory,
    /// Time.
    Time,
}

impl Budget {
    /// The limits that the user set.
    pub fn user_limits(&self) -> UserLimits {
        match (self.time, self.memory) {
            (Some(_), _) => UserLimits::Time,
            (None, Some(_)) if !self.default_memory => UserLimits::Memory,
            _ => UserLimits::None,
        }
    }

    /// The limits of an answer that begins now; `default` applies if the budget has no time limit.
    pub fn limits(&self, default: Option<Duration>) -> Limits {
        self.limits_from(Instant::now(), default)
    }

    /// The limits of the only answer of a command: reading and compiling the rules count against its time.
    pub fn command_limits(&self, default: Option<Duration>) -> Limits {
        self.limits_from(self.started.unwrap_or_else(Instant::now), default)
    }

    fn limits_from(&self, begun: Instant, default: Option<Duration>) -> Limits {
        // A deadline that the clock cannot represent is as good as none.
        let deadline = self.time.or(default).and_then(|time| begun.checked_add(time));
        Limits { deadline, memory_bytes: self.memory, positions: None, cancel: self.stop.clone() }
    }
}

/// The reason why a limit could not be parsed; it holds the string.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BudgetError {
    #[error("`{0}` is not a time: write 500ms, 60s, 5m or 2h")]
    Time(String),
    #[error("`{0}` is not an amount of memory: write 800M or 8G")]
    Memory(String),
    #[error("`{0}` is a number of bytes, too few for any game: write {0}M or {0}G")]
    Bytes(String),
}

/// Parses `500ms`, `60s`, `5m`, `2h`; a bare number is seconds.
pub fn parse_time(text: &str) -> Result<Duration, BudgetError> {
    let bad = || BudgetError::Time(text.to_owned());
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(bad()),
    };
    let number: f64 = digits.parse().map_err(|_| bad())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| bad())
}

/// The least number without a unit that is meant as bytes.
const MIN_PLAIN_BYTES: f64 = 1024.0;

/// Parses `800M`, `8G`, `64K`; a bare number is bytes, at least 1024.
pub fn parse_memory(text: &str) -> Result<u64, BudgetError> {
    let bad = || BudgetError::Memory(text.to_owned());
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 1u64,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(bad()),
    };
    let number: f64 = digits.parse().map_err(|_| bad())?;
    let bytes = number * factor as f64;
    if text.bytes().all(|b| b.is_ascii_digit()) && number < MIN_PLAIN_BYTES {
        return Err(BudgetError::Bytes(text.to_owned()));
    }
    if bytes.is_finite() && bytes >= 0.0 { Ok(bytes as u64) } else { Err(bad()) }
}

/// Half of the machine's memory in bytes, if the system reports its size in `/proc/meminfo`.
pub fn half_of_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 512)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("2h"), Ok(Duration::from_secs(7200)));
        assert_eq!(parse_time("1.5"), Ok(Duration::from_millis(1500)));
        assert!(parse_time("soon").is_err() && parse_time("-1s").is_err() && parse_time("s").is_err());
        assert_eq!(parse_memory("8G"), Ok(8 << 30));
        assert_eq!(parse_memory("1.5KiB"), Ok(1536));
        assert!(parse_memory("lots").is_err());
    }
}
