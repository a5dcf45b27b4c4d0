//! The codec of lines: each part of a certificate is written and read by one description of its form.
//!
//! A line consists of words with a space between them. A [`Word`] is a value that takes one word; a [`Record`] takes
//! some words, such as a struct field by field ([`record!`]). A lemma has a statement, which stands in the header, and
//! a body of lines with a record each, with or without a tag before it ([`lemma_form!`]).
//!
//! Reading need not refuse every other spelling: the reader compares the whole with the form that the writer gives it.

use std::fmt::Display;
use std::iter::Peekable;

use bouton_base::rational::Rational;

use super::CertificateError;

/// A value that takes one word.
pub(crate) trait Word: Sized {
    /// The separator in lists.
    const SEPARATOR: &'static str = ",";
    /// The list without elements.
    const EMPTY: &'static str = "-";
    fn render(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
}

/// A value that takes some words of a line.
pub(crate) trait Record: Sized {
    fn write(&self, line: &mut Line<'_>);
    fn read(words: &mut Words<'_>) -> Option<Self>;
}

/// A line that is being written.
pub(crate) struct Line<'p> {
    pub text: String,
    pub players: &'p [String],
}

impl Line<'_> {
    pub(crate) fn word(&mut self, word: impl Display) -> &mut Self {
        let space = if self.text.is_empty() { "" } else { " " };
        self.text += &format!("{space}{word}");
        self
    }

    pub(crate) fn record<R: Record>(&mut self, record: &R) -> &mut Self {
        record.write(self);
        self
    }

    /// Writes parts with commas between them.
    pub(crate) fn listed<T>(&mut self, all: &[T], write: impl Fn(&mut Self, &T)) -> &mut Self {
        for (place, one) in all.iter().enumerate() {
            self.text += if place > 0 { "," } else { "" };
            write(self, one);
        }
        self
    }

    /// Writes the name of a player.
    pub(crate) fn player(&mut self, player: u32) -> &mut Self {
        let name = self.players.get(player as usize).map_or("?", String::as_str);
        self.word(name)
    }
}

/// The words of a line that are still to be read.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub rest: Option<&'a str>,
    pub players: &'a [String],
}

impl<'a> Words<'a> {
    pub(crate) fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        let Some((word, rest)) = rest.split_once(' ') else { return Some(rest) };
        self.rest = Some(rest);
        Some(word)
    }

    /// Reads this word; the empty one takes no place.
    pub(crate) fn skip(&mut self, word: &str) -> Option<()> {
        (word.is_empty() || self.next()? == word).then_some(())
    }

    /// Reads one of these words; returns its place.
    pub(crate) fn choice(&mut self, names: &[&str]) -> Option<usize> {
        let word = self.next()?;
        names.iter().position(|name| *name == word)
    }

    /// Returns the player with this name.
    pub(crate) fn player(&self, name: &str) -> Option<u32> {
        self.players.iter().position(|player| player == name).and_then(|place| u32::try_from(place).ok())
    }

    /// Reads parts with commas between them.
    pub(crate) fn listed<T>(&self, text: &str, read: impl Fn(&mut Words<'_>) -> Option<T>) -> Option<Vec<T>> {
        let part = |part| {
            let mut words = Words { rest: Some(part), players: self.players };
            read(&mut words).filter(|_| words.rest.is_none())
        };
        text.split(", ").map(part).collect()
    }
}

/// Implements [`Record`] for a struct by its fields, in the order of the line.
macro_rules! record {
    ($name:ident { $($field:ident),+ }) => {
        impl $crate::codec::Record for $name {
            fn write(&self, line: &mut $crate::codec::Line<'_>) {
                $(line.record(&self.$field);)+
            }
            fn read(words: &mut $crate::codec::Words<'_>) -> Option<Self> {
                Some($name { $($field: $crate::codec::Record::read(words)?),+ })
            }
        }
    };
}

/// Implements [`LemmaKind`](super::LemmaKind) for a struct by its fields: for each the method that writes and reads it,
/// and the tag before it.
macro_rules! lemma_form {
    ($name:ident { $($form:ident $tag:literal $field:ident),+ }) => {
        impl $crate::LemmaKind for $name {
            fn write(&self, lemma: &mut $crate::codec::LemmaWriter<'_>) {
                $(lemma.$form($tag, &self.$field);)+
            }
            fn read(lemma: &mut $crate::codec::LemmaReader<'_>) -> $crate::codec::ReadResult<Self> {
                Ok($name { $($field: lemma.$form($tag)?),+ })
            }
        }
    };
}

/// Implements [`Word`] for an enum without data by the word of each variant, which `name` returns.
macro_rules! named_words {
    ($name:ident { $($variant:ident $word:literal),+ }) => {
        impl $name {
            /// Returns the name in certificates and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }
        }

        impl $crate::codec::Word for $name {
            fn render(&self) -> String {
                self.name().into()
            }
            fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use {lemma_form, named_words, record};

impl<W: Word> Record for W {
    fn write(&self, line: &mut Line<'_>) {
        line.word(self.render());
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        words.next().and_then(W::parse)
    }
}

/// A list without spaces.
impl<W: Word> Record for Vec<W> {
    fn write(&self, line: &mut Line<'_>) {
        let all: Vec<String> = self.iter().map(W::render).collect();
        line.word(if all.is_empty() { W::EMPTY.into() } else { all.join(W::SEPARATOR) });
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        match words.next()? {
            empty if empty == W::EMPTY => Some(Vec::new()),
            list => list.split(W::SEPARATOR).map(W::parse).collect(),
        }
    }
}

impl<W: Word, R: Record> Record for (W, R) {
    fn write(&self, line: &mut Line<'_>) {
        line.record(&self.0).record(&self.1);
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        Some((W::read(words)?, R::read(words)?))
    }
}

/// All words that are left, such as a move.
impl Record for String {
    fn write(&self, line: &mut Line<'_>) {
        line.word(self);
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        words.rest.take().filter(|rest| !rest.is_empty()).map(String::from)
    }
}

/// The separator of a move and its answer or image.
const ARROW: &str = " -> ";

/// A move with its answer or image.
impl Record for (String, String) {
    fn write(&self, line: &mut Line<'_>) {
        line.word(format_args!("{}{ARROW}{}", self.0, self.1));
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        words.rest.take()?.split_once(ARROW).map(|(from, to)| (from.into(), to.into()))
    }
}

/// An opening move, or none.
impl Record for Option<String> {
    fn write(&self, line: &mut Line<'_>) {
        match self {
            None => line.word("no opening"),
            Some(opening) => line.word("opening").record(opening),
        };
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        match words.choice(&["no", "opening"])? {
            0 => words.skip("opening").map(|()| None),
            _ => String::read(words).map(Some),
        }
    }
}

macro_rules! number_words {
    ($($name:ty),+) => {
        $(impl Word for $name {
            const EMPTY: &'static str = "";
            fn render(&self) -> String {
                self.to_string()
            }
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        })+
    };
}

number_words!(u8, u32, u64, i128, Rational);

/// The writer of a lemma. Its methods have the names of those of [`LemmaReader`].
pub(crate) struct LemmaWriter<'w> {
    pub statement: Line<'w>,
    /// Takes each line of the body.
    pub put: &'w mut dyn FnMut(&str),
}

impl LemmaWriter<'_> {
    /// Adds a record to the statement after this word, which may be empty.
    pub(crate) fn statement<R: Record>(&mut self, word: &str, record: &R) {
        if !word.is_empty() {
            self.statement.word(word);
        }
        self.statement.record(record);
    }

    /// Writes a line with a record after this tag, which may be empty.
    pub(crate) fn record<R: Record>(&mut self, tag: &str, record: &R) {
        let mut line = Line { text: tag.into(), players: self.statement.players };
        (self.put)(&line.record(record).text);
    }

    /// Writes a line for each record.
    pub(crate) fn records<R: Record>(&mut self, tag: &str, records: &[R]) {
        records.iter().for_each(|record| self.record(tag, record));
    }

    /// Writes a line for each record; they are in strict order.
    pub(crate) fn in_order<R: Record + Ord>(&mut self, tag: &str, records: &[R]) {
        self.records(tag, records);
    }
}

/// The words of a statement and the lines of a body that are still to be read.
pub(crate) struct LemmaReader<'a> {
    pub statement: Words<'a>,
    /// Each with its number in the file.
    pub lines: Peekable<std::vec::IntoIter<(usize, &'a str)>>,
    /// The number of the last line that was read.
    pub at: usize,
}

/// A part of a certificate, or the line that is none.
pub(crate) type ReadResult<T> = Result<T, CertificateError>;

impl LemmaReader<'_> {
    /// Returns the error for the last line that was read.
    pub(crate) fn damage<T>(&self, why: impl Into<String>) -> ReadResult<T> {
        Err(CertificateError { line: self.at, why: why.into() })
    }

    /// Returns true if there is another line, and it begins so.
    pub(crate) fn next_is(&mut self, start: &str) -> bool {
        self.lines.peek().is_some_and(|(_, line)| line.starts_with(start))
    }

    pub(crate) fn statement<R: Record>(&mut self, word: &str) -> ReadResult<R> {
        match self.statement.skip(word).and_then(|()| R::read(&mut self.statement)) {
            Some(record) => Ok(record),
            None => self.damage("this lemma is not understood"),
        }
    }

    pub(crate) fn record<R: Record>(&mut self, tag: &str) -> ReadResult<R> {
        let Some((number, line)) = self.lines.next() else { return self.damage("the body ends too early") };
        self.at = number;
        let mut words = Words { rest: Some(line), players: self.statement.players };
        match words.skip(tag).and_then(|()| R::read(&mut words)).filter(|_| words.rest.is_none()) {
            Some(record) => Ok(record),
            None => {
                let line: String = line.chars().take(80).collect();
                self.damage(format!("`{line}` is not expected here"))
            }
        }
    }

    /// Reads the lines that begin with this tag; with an empty one, all that are left.
    pub(crate) fn records<R: Record>(&mut self, tag: &str) -> ReadResult<Vec<R>> {
        self.records_while(|line| line.starts_with(tag), tag)
    }

    /// Reads lines as long as they are of this kind.
    pub(crate) fn records_while<R: Record>(
        &mut self,
        belongs: impl Fn(&str) -> bool,
        tag: &str,
    ) -> ReadResult<Vec<R>> {
        let mut records = Vec::new();
        while self.lines.peek().is_some_and(|(_, line)| belongs(line)) {
            records.push(self.record(tag)?);
        }
        Ok(records)
    }

    pub(crate) fn in_order<R: Record + Ord>(&mut self, tag: &str) -> ReadResult<Vec<R>> {
        let records: Vec<R> = self.records(tag)?;
        match records.is_sorted_by(|one, next| one < next) {
            true => Ok(records),
            false => self.damage("the lines up to here are out of order"),
        }
    }
}
