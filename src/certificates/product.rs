//! PRODUCT: the value of a conjunctive compound, several games played in step, with the value of each.
//!
//! The checker grounds the rules and verifies that every condition and every effect of a move is about one of the
//! listed components, that a move is any choice of a move for each unfinished component, that the game is over where
//! all components are, and that the ends give a sum. It enumerates the positions of each component alone. Optimal play
//! in each component then is optimal play (for zero-sum components; von Neumann 1928), and the values add up.

use num_rational::Rational64;

use super::{LemmaBody, numbers};

/// The data of a PRODUCT lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProductLemma {
    /// The components, in the order of their first fluents.
    pub components: Vec<ProductComponent>,
}

/// A component of the position with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProductComponent {
    /// The fluents, in order, numbered as in [`ListedComponent`](super::sum::ListedComponent).
    pub fluents: Vec<u32>,
    /// The value to the first player. The payoffs are shared out so that the best and the worst share of a component
    /// are at equal distances from 0, except for the first component, which has the rest.
    pub value: Rational64,
}

impl ProductLemma {
    pub(super) fn parse_head(words: &[&str]) -> Option<ProductLemma> {
        words.is_empty().then(ProductLemma::default)
    }
}

impl LemmaBody for ProductLemma {
    fn head(&self, _: &[String]) -> String {
        "product".into()
    }

    fn len(&self) -> usize {
        self.components.len()
    }

    fn line(&self, number: usize) -> String {
        let ProductComponent { fluents, value } = &self.components[number];
        format!("{} {value}", numbers::render_list(fluents))
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        let read = || {
            let (fluents, value) = line.split_once(' ')?;
            Some(ProductComponent {
                fluents: numbers::parse_list(fluents)?,
                value: numbers::parse_ratio(value)?,
            })
        };
        self.components.push(read().ok_or_else(|| format!("`{line}` is no component with its value"))?);
        Ok(())
    }
}
