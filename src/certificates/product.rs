//! PRODUCT: the value of a conjunctive compound, several games played in step, with the value of each.
//!
//! The checker grounds the rules, factors the position into components that every move tests and changes
//! independently, and verifies that a move is any choice of a move for each unfinished component, that the game is
//! over where all components are, and that the ends give a sum. It enumerates the positions of each component alone.
//! Optimal play in each component then is optimal play (for zero-sum components; von Neumann 1928), and the values add
//! up.

use num_rational::Rational64;

use super::sum::ListedComponent;
use super::{LemmaBody, numbers};

/// The data of a PRODUCT lemma.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProductLemma {
    /// The components of the position in the order of their fluents, each with its value to the first player.
    pub components: Vec<(ListedComponent, Rational64)>,
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
        let (component, worth) = &self.components[number];
        format!("{} {worth}", component.line())
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        let read = || {
            let (component, worth) = line.rsplit_once(' ')?;
            Some((ListedComponent::read(component)?, numbers::parse_ratio(worth)?))
        };
        self.components.push(read().ok_or_else(|| format!("`{line}` is no component with its value"))?);
        Ok(())
    }
}
