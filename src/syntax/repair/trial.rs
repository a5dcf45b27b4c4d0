//! Trial parses: the furthest position that a parse reached indicates where the text is damaged.

use std::sync::{Mutex, PoisonError};

use pest::Parser;
use pest::error::InputLocation;

use crate::grammar::{Grammar, Rule};

/// A parse failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ParseFailure {
    /// The furthest byte at which the parser tried a token without success.
    pub at: usize,
    /// The tokens that the grammar would accept there.
    pub expected: Vec<String>,
}

/// Parses the beginning of `text` by `rule`. Returns the end of the parse, or its failure.
pub(crate) fn trial_parse(rule: Rule, text: &str) -> Result<usize, ParseFailure> {
    match Grammar::parse(rule, text) {
        Ok(pairs) => Ok(pairs.as_str().len()),
        Err(error) => Err(stop(&error, text.len())),
    }
}

/// Converts an error of pest.
fn stop(error: &pest::error::Error<Rule>, length: usize) -> ParseFailure {
    let Some(attempts) = error.parse_attempts() else {
        let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
        return ParseFailure { at: at.min(length), expected: Vec::new() };
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
    ParseFailure { at: attempts.max_position.min(length), expected }
}

/// The number of live [`FailureDetails`]; pest's switch for details is global to the process.
static LIVE_GUARDS: Mutex<usize> = Mutex::new(0);

/// A guard: while one is alive, a failing parse records its progress.
pub(crate) struct FailureDetails(());

impl FailureDetails {
    /// Turns details on.
    pub fn enable() -> Self {
        let mut count = LIVE_GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        pest::set_error_detail(true);
        FailureDetails(())
    }
}

impl Drop for FailureDetails {
    fn drop(&mut self) {
        let mut count = LIVE_GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
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
        let _details = FailureDetails::enable();
        let text = "state { at[c: Cell] Player? = none; }";
        let stop = trial_parse(Rule::item, text).expect_err("a colon is missing");
        assert_eq!(&text[stop.at..stop.at + 6], "Player");
        assert!(stop.expected.iter().any(|e| e == ":"), "{:?}", stop.expected);
    }
}
