//! ANSWERS: a strategy whose reply to each move depends on this move alone: the other half of a domino, the complement
//! to a full number, the next vertex along a matching.
//!
//! The certificate lists no positions. The checker grounds the rules, computes an upper bound of the positions
//! reachable by such rounds, and verifies that in all of them every move has a legal answer (the strategy of
//! matchings: Aviezri Fraenkel, Edward Scheinerman, Daniel Ullman 1993; of dominoes: G. W. Lewthwaite in Berlekamp,
//! Conway and Guy 1982).

use super::{LemmaBody, PayoffBound};

/// The data of an ANSWERS lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswersLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The holder's first move, as `name(arguments)`, if he begins.
    pub opening: Option<String>,
    /// The opponent's moves, in order, each with its answer.
    pub pairs: Vec<(String, String)>,
    /// True if the first line has been parsed.
    is_begun: bool,
}

impl AnswersLemma {
    /// Makes a strategy; sorts the pairs.
    pub fn new(
        bound: PayoffBound,
        opening: Option<String>,
        mut pairs: Vec<(String, String)>,
    ) -> AnswersLemma {
        pairs.sort_unstable();
        AnswersLemma { bound, opening, pairs, is_begun: true }
    }

    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<AnswersLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder.map(|_| AnswersLemma { bound, opening: None, pairs: Vec::new(), is_begun: false })
    }
}

/// The separator of a move and its answer.
const ANSWER_SEPARATOR: &str = " -> ";

impl LemmaBody for AnswersLemma {
    fn head(&self, players: &[String]) -> String {
        format!("answers {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        1 + self.pairs.len()
    }

    fn line(&self, number: usize) -> String {
        match (number.checked_sub(1), &self.opening) {
            (Some(place), _) => format!("{}{ANSWER_SEPARATOR}{}", self.pairs[place].0, self.pairs[place].1),
            (None, Some(opening)) => format!("opening {opening}"),
            (None, None) => "no opening".into(),
        }
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.opening = match line {
                "no opening" => None,
                _ => Some(line.strip_prefix("opening ").ok_or("the opening is expected here")?.to_owned()),
            };
            return Ok(());
        }
        let pair = line
            .split_once(ANSWER_SEPARATOR)
            .ok_or_else(|| format!("`{line}` is no move with its answer"))?;
        if self.pairs.last().is_some_and(|last| last.0.as_str() >= pair.0) {
            return Err(format!("the answer `{line}` is out of order"));
        }
        self.pairs.push((pair.0.to_owned(), pair.1.to_owned()));
        Ok(())
    }
}
