//! Parsing to see how far it gets: the furthest place reached tells where a text is damaged.

use std::sync::{Mutex, PoisonError};

use pest::Parser;
use pest::error::InputLocation;

use crate::syntax::grammar::{Grammar, Rule};

/// Where a parse stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::syntax) struct Stop {
    /// The furthest byte that was looked at in vain.
    pub at: usize,
    /// The signs and words that would have been understood there.
    pub expected: Vec<String>,
}

/// Reads the beginning of `text` by `rule`: where it ends, or where it stops.
pub(in crate::syntax) fn attempt(rule: Rule, text: &str) -> Result<usize, Stop> {
    match Grammar::parse(rule, text) {
        Ok(pairs) => Ok(pairs.as_str().len()),
        Err(error) => Err(stop(&error, text.len())),
    }
}

/// Where and why pest gave up.
fn stop(error: &pest::error::Error<Rule>, length: usize) -> Stop {
    let Some(attempts) = error.parse_attempts() else {
        let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
        return Stop { at: at.min(length), expected: Vec::new() };
    };
    let mut expected: Vec<String> = attempts
        .expected_tokens()
        .iter()
        .map(ToString::to_string)
        .map(|sign| {
            if sign == "BUILTIN_RULE" || sign.len() > 3 && sign.contains("..") {
                "a name".to_owned()
            } else {
                sign
            }
        })
        .collect();
    expected.sort();
    expected.dedup();
    Stop { at: attempts.max_position.min(length), expected }
}

/// How many repairs are under way; pest's switch for details is one for the whole process.
static UNDER_WAY: Mutex<usize> = Mutex::new(0);

/// While one of these lives, a failing parse says how far it got.
pub(in crate::syntax) struct Details(());

impl Details {
    /// Asks for details.
    pub fn wanted() -> Self {
        let mut count = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        pest::set_error_detail(true);
        Details(())
    }
}

impl Drop for Details {
    fn drop(&mut self) {
        let mut count = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        *count = count.saturating_sub(1);
        if *count == 0 {
            pest::set_error_detail(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_furthest_place_is_found() {
        let _details = Details::wanted();
        let text = "state { at[c: Cell] Player? = none; }";
        let stop = attempt(Rule::item, text).expect_err("a colon is missing");
        assert_eq!(&text[stop.at..stop.at + 6], "Player");
        assert!(stop.expected.iter().any(|e| e == ":"), "{:?}", stop.expected);
    }
}
