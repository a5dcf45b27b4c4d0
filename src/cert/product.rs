//! PRODUCT: what a game is worth that is several games played in step, with what each is worth.
//!
//! The checker writes the rules out, takes the position apart into components of which every move asks and changes each
//! by itself, and makes sure that a move is any choice of a move for each component that is not over, that the game is
//! over where all are, and that the ends give a sum. It goes through the positions of each component alone. Who plays
//! best in each component then plays best (as in games of which each is zero-sum; von Neumann 1928), and the values add
//! up.

use num_rational::Rational64;

use super::sum::Component;
use super::{Body, numbers};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Product {
    /// The components of the position in the order of their fluents, each with what the first player gets from it.
    pub components: Vec<(Component, Rational64)>,
}

impl Product {
    pub(super) fn of_head(words: &[&str]) -> Option<Product> {
        words.is_empty().then(Product::default)
    }
}

impl Body for Product {
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

    fn take(&mut self, line: &str) -> Result<(), String> {
        let read = || {
            let (component, worth) = line.rsplit_once(' ')?;
            Some((Component::read(component)?, numbers::ratio(worth)?))
        };
        self.components.push(read().ok_or_else(|| format!("`{line}` is no component with its value"))?);
        Ok(())
    }
}
