//! MIRROR: a strategy that replies to each move with its image under a symmetry of the board, with or without an
//! opening move.
//!
//! The certificate lists no positions. The checker grounds the rules and verifies for every move that may ever be
//! legal: its image is a move of the holder; neither touches a fluent that the other reads or changes, so that the
//! image is legal when it is needed and both together leave the board symmetric; and some fluent changes in one
//! direction only, so that play is finite. Then the opponent is the first player without a move (the strategy of
//! Tweedledum and Tweedledee: Berlekamp, Conway and Guy 1982).

use super::numbers::{parse_list, render_list};
use super::{LemmaBody, PayoffBound};

/// The data of a MIRROR lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MirrorLemma {
    /// The bound that the strategy guarantees.
    pub bound: PayoffBound,
    /// The holder's first move, as `name(arguments)`, if he begins.
    pub opening: Option<String>,
    /// The images of the fluents that the symmetry moves or changes, in order. Fluents are numbered as the state
    /// declares them: cell by cell, a cell that holds a set element by element.
    pub images: Vec<FluentImage>,
    /// True if the first line has been parsed.
    begun: bool,
}

/// The image of a fluent under a renaming.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FluentImage {
    pub from: u32,
    /// The fluent that it maps to.
    pub to: u32,
    /// The value number that each value number maps to.
    pub values: Vec<u8>,
}

impl FluentImage {
    pub(super) fn line(&self) -> String {
        format!("{} {} {}", self.from, self.to, render_list(&self.values))
    }

    pub(super) fn read(line: &str) -> Option<FluentImage> {
        let &[from, to, values] = &line.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(FluentImage { from: from.parse().ok()?, to: to.parse().ok()?, values: parse_list(values)? })
    }
}

impl MirrorLemma {
    pub fn new(bound: PayoffBound, opening: Option<String>, images: Vec<FluentImage>) -> MirrorLemma {
        MirrorLemma { bound, opening, images, begun: true }
    }

    pub(super) fn parse_head(words: &[&str], players: &[String]) -> Option<MirrorLemma> {
        let bound = PayoffBound::parse_head(words, players)?;
        bound.holder?;
        Some(MirrorLemma { bound, opening: None, images: Vec::new(), begun: false })
    }
}

impl LemmaBody for MirrorLemma {
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

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        if !std::mem::replace(&mut self.begun, true) {
            self.opening = match line.strip_prefix("opening ") {
                Some(opening) => Some(opening.to_owned()),
                None if line == "no opening" => None,
                None => return Err(format!("`{line}` is no opening")),
            };
            return Ok(());
        }
        let image = FluentImage::read(line).ok_or_else(|| format!("`{line}` is no image of a fluent"))?;
        if self.images.last().is_some_and(|last| last.from >= image.from) {
            return Err(format!("the fluent {} is out of order", image.from));
        }
        self.images.push(image);
        Ok(())
    }
}
