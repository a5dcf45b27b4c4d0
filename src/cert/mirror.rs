//! MIRROR: a strategy that replies to each move with its image under a symmetry of the board, with or without an
//! opening move.
//!
//! The certificate lists no positions. The checker grounds the rules and verifies for every move that may ever be
//! legal: its image is a move of the holder; neither touches a fluent that the other reads or changes, so that the
//! image is legal when it is needed and both together leave the board symmetric; and some fluent changes in one
//! direction only, so that play is finite. Then the opponent is the first player without a move (the strategy of
//! Tweedledum and Tweedledee: Berlekamp, Conway and Guy 1982).

use super::numbers::{list, listed};
use super::{Body, Bound};

/// The data of a MIRROR lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mirror {
    /// The bound that the strategy guarantees.
    pub bound: Bound,
    /// The holder's first move, as `name(arguments)`, if he begins.
    pub opening: Option<String>,
    /// The images of the fluents that the symmetry moves or changes, in order. Fluents are numbered as the state
    /// declares them: cell by cell, a cell that holds a set element by element.
    pub images: Vec<Image>,
    /// True if the first line has been parsed.
    begun: bool,
}

/// The image of a fluent under a renaming.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    pub from: u32,
    /// The fluent that it maps to.
    pub to: u32,
    /// The value number that each value number maps to.
    pub values: Vec<u8>,
}

impl Image {
    pub(super) fn line(&self) -> String {
        format!("{} {} {}", self.from, self.to, listed(&self.values))
    }

    pub(super) fn read(line: &str) -> Option<Image> {
        let &[from, to, values] = &line.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(Image { from: from.parse().ok()?, to: to.parse().ok()?, values: list(values)? })
    }
}

impl Mirror {
    pub fn new(bound: Bound, opening: Option<String>, images: Vec<Image>) -> Mirror {
        Mirror { bound, opening, images, begun: true }
    }

    pub(super) fn of_head(words: &[&str], players: &[String]) -> Option<Mirror> {
        let bound = Bound::of_head(words, players)?;
        bound.holder?;
        Some(Mirror { bound, opening: None, images: Vec::new(), begun: false })
    }
}

impl Body for Mirror {
    fn head(&self, players: &[String]) -> String {
        format!("mirror {}", self.bound.head(players))
    }

    fn len(&self) -> usize {
        1 + self.images.len()
    }

    fn line(&self, number: usize) -> String {
        match number.checked_sub(1) {
            None => match &self.opening {
                None => "no opening".into(),
                Some(opening) => format!("opening {opening}"),
            },
            Some(place) => self.images[place].line(),
        }
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        if !std::mem::replace(&mut self.begun, true) {
            self.opening = match line.strip_prefix("opening ") {
                Some(opening) => Some(opening.to_owned()),
                None if line == "no opening" => None,
                None => return Err(format!("`{line}` is no opening")),
            };
            return Ok(());
        }
        let image = Image::read(line).ok_or_else(|| format!("`{line}` is no image of a fluent"))?;
        if self.images.last().is_some_and(|last| last.from >= image.from) {
            return Err(format!("the fluent {} is out of order", image.from));
        }
        self.images.push(image);
        Ok(())
    }
}
