//! MIRROR: a strategy that answers each move with its image under a symmetry of the board, after an opening or without.
//!
//! Nothing of it is about single positions. The checker writes the rules out and asks of every move that may ever be
//! made: that its image is a move of the holder, that neither touches what the other reads or changes, so that the
//! image is legal when it is needed and both together leave the board symmetric, and that something goes one way only,
//! so that play ends. Then it is the other player who is first without a move (the strategy of Tweedledum and
//! Tweedledee: Berlekamp, Conway and Guy 1982).

use super::numbers::{list, listed};
use super::{Body, Bound};

/// The data of the kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mirror {
    /// What is made sure of.
    pub bound: Bound,
    /// The holder's first move, as `name(arguments)`, where he begins.
    pub opening: Option<String>,
    /// Where the fluents go that do not stay as they are, in order. Fluents are numbered as the state declares them:
    /// cell by cell, a cell that holds a set element by element.
    pub images: Vec<Image>,
    /// Whether the first line was read.
    begun: bool,
}

/// Where a fluent goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The fluent.
    pub from: u32,
    /// The fluent in its place.
    pub to: u32,
    /// By the number of its value: the number of the value there.
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
    /// A strategy.
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
