//! The parser of certificates. For any input it returns a certificate or the line with the first error.

use super::codec::{LemmaReader, ReadResult, Record, Word, Words};
use super::hash::LineHasher;
use super::write::{MAGIC, write};
use super::{Certificate, Convention, Digest, FORMAT_VERSION, Header, Lemma, Tier};

/// The maximal size of a file in bytes. The memory of a certificate is a small multiple of it.
pub const MAX_FILE_BYTES: u64 = 512 << 20;

/// The error of a file that is no certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct CertificateError {
    /// The line number, from 1.
    pub line: usize,
    /// The description of the error.
    pub why: String,
}

/// Parses a certificate. It recomputes all hashes and accepts only the canonical form.
pub fn parse(text: &str) -> Result<Certificate, CertificateError> {
    if text.len() as u64 > MAX_FILE_BYTES {
        let why = format!("there are more than {} MiB", MAX_FILE_BYTES >> 20);
        return Err(CertificateError { line: 1, why });
    }
    let mut reader =
        CertificateReader { lines: text.split('\n').peekable(), number: 0, root: LineHasher::default() };
    let certificate = reader.certificate()?;
    check_canonical(text, &certificate)?;
    Ok(certificate)
}

/// Returns an error unless the text is the canonical form. A certificate has a single form, so its hash identifies it:
/// leading zeros or a second space are damage, too.
fn check_canonical(text: &str, certificate: &Certificate) -> ReadResult<()> {
    let written = write(certificate);
    if written == text {
        return Ok(());
    }
    let differs = written.split('\n').zip(text.split('\n')).position(|(a, b)| a != b);
    let line = differs.map_or(1, |place| place + 1);
    Err(CertificateError { line, why: "this is not the form of a certificate".into() })
}

/// The line of a lemma.
struct LemmaHead<'a> {
    /// The number of this line in the file.
    at: usize,
    statement: &'a str,
    /// The number of lines of the body.
    lines: usize,
}

struct CertificateReader<'a> {
    lines: std::iter::Peekable<std::str::Split<'a, char>>,
    /// The number of the last line that was read, from 1.
    number: usize,
    root: LineHasher,
}

impl<'a> CertificateReader<'a> {
    fn damage<T>(&self, why: impl Into<String>) -> ReadResult<T> {
        Err(CertificateError { line: self.number.max(1), why: why.into() })
    }

    fn line(&mut self) -> ReadResult<&'a str> {
        self.number += 1;
        match self.lines.next() {
            Some(line) => Ok(line),
            None => self.damage("the certificate ends here, before its end"),
        }
    }

    /// Reads a line that must begin with this word, adds it to the root hash, and returns the rest of it.
    fn keyword_line(&mut self, word: &str) -> ReadResult<&'a str> {
        let line = self.line()?;
        self.root.add(line);
        match line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')) {
            Some(rest) => Ok(rest),
            None => self.damage(format!("`{word}` is expected here")),
        }
    }

    fn next_is(&mut self, word: &str) -> bool {
        self.lines.peek().is_some_and(|line| line.starts_with(word))
    }

    fn or<T>(&self, value: Option<T>, why: &str) -> ReadResult<T> {
        value.map_or_else(|| self.damage(why), Ok)
    }

    fn certificate(&mut self) -> ReadResult<Certificate> {
        let version = self.keyword_line(MAGIC)?;
        if version.parse::<u32>().is_ok_and(|version| version < FORMAT_VERSION) {
            return self.damage(format!(
                "an older version of bouton wrote this certificate, in version {version} of the form; solving \
                 again writes a new one, in version {FORMAT_VERSION}"
            ));
        }
        if version != FORMAT_VERSION.to_string() {
            return self.damage(format!(
                "version {version} of the form is not known; this is version {FORMAT_VERSION}"
            ));
        }
        let header = self.header()?;
        let mut heads = Vec::new();
        while self.next_is("lemma ") {
            heads.push(self.lemma(heads.len() + 1)?);
        }
        let text = match self.keyword_line("text")? {
            "none" => None,
            some => {
                let count = some.strip_prefix("lines ").and_then(|n| n.parse::<usize>().ok());
                Some(self.or(count, "the number of lines is expected here")?)
            }
        };
        let mut lemmas = Vec::new();
        for (i, head) in heads.into_iter().enumerate() {
            let lines = self.body(&format!("lemma {}", i + 1), head.lines)?.into_iter().peekable();
            let statement = Words { rest: Some(head.statement), players: &header.players };
            let mut reader = LemmaReader { statement, lines, at: head.at };
            lemmas.push(Lemma::read(&mut reader)?);
            if reader.statement.rest.is_some() || reader.lines.next().is_some() {
                return reader.damage("the lemma should end here");
            }
        }
        let text = text.map(|count| self.body("text", count)).transpose()?;
        let text = text.map(|lines| lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n"));
        self.end()?;
        Ok(Certificate { header, lemmas, text })
    }

    fn header(&mut self) -> ReadResult<Header> {
        let game = self.keyword_line("game")?.to_owned();
        let players: Vec<String> = self.keyword_line("players")?.split(", ").map(String::from).collect();
        let rules = self.keyword_line("rules")?;
        let rules = self.or(Digest::parse(rules), "a hash of 64 digits is expected here")?;
        let mut params = Vec::new();
        while self.next_is("param ") {
            let pair = self.keyword_line("param")?.split_once(" = ");
            let (name, value) = self.or(pair, "`name = value` is expected here")?;
            params.push((name.to_owned(), value.to_owned()));
        }
        let convention = self.keyword_line("convention")?;
        let convention = self.or(Convention::parse(convention), "this convention is not known")?;
        let position = match self.keyword_line("position")? {
            "first" => None,
            key => Some(self.or(Word::parse(key), "a position is expected here")?),
        };
        let claim = self.keyword_line("claim")?;
        let mut claim = Words { rest: Some(claim), players: &players };
        let claim = self
            .or(Record::read(&mut claim).filter(|_| claim.rest.is_none()), "this claim is not understood")?;
        let tier = self.keyword_line("tier")?;
        let tier = self.or(Tier::parse(tier), "this tier is not known")?;
        Ok(Header { game, players, rules, params, convention, position, claim, tier })
    }

    /// Reads `lemma 1 reply X at-least 0 lines 99`.
    fn lemma(&mut self, number: usize) -> ReadResult<LemmaHead<'a>> {
        let rest = self.keyword_line(&format!("lemma {number}"))?;
        let read = rest.rsplit_once(" lines ");
        let read = read.and_then(|(statement, count)| Some((statement, count.parse().ok()?)));
        let (statement, lines) = self.or(read, "this lemma is not understood")?;
        Ok(LemmaHead { at: self.number, statement, lines })
    }

    /// Reads the lines of a body from the chunks that hold them; returns them with their numbers.
    fn body(&mut self, of: &str, lines: usize) -> ReadResult<Vec<(usize, &'a str)>> {
        let mut body = Vec::new();
        while body.len() < lines {
            let head = self.keyword_line(&format!("chunk {of} lines"))?;
            let numbers = |(n, hash): (&str, &str)| Some((n.parse::<usize>().ok()?, Digest::parse(hash)?));
            let read = head.split_once(' ').and_then(numbers);
            let (count, digest) = self.or(read, "a number of lines and their hash are expected here")?;
            let place = self.number;
            if count == 0 || count > lines - body.len() {
                return self.damage(format!("there should be from 1 to {} lines", lines - body.len()));
            }
            let mut hash = LineHasher::default();
            for _ in 0..count {
                let line = self.line()?;
                hash.add(line);
                body.push((self.number, line));
            }
            if hash.digest() != digest {
                let why = format!("the {count} lines that follow do not have this hash: they were changed");
                return Err(CertificateError { line: place, why });
            }
        }
        Ok(body)
    }

    /// Reads the root hash and the end of the file.
    fn end(&mut self) -> ReadResult<()> {
        let root = std::mem::take(&mut self.root).digest();
        let line = self.line()?;
        if line.strip_prefix("root ").and_then(Digest::parse) != Some(root) {
            return self.damage("the hash of the whole should be here, and is not: something was changed");
        }
        let empty = self.line()?;
        if !empty.is_empty() || self.lines.next().is_some() {
            return self.damage("the certificate should end here");
        }
        Ok(())
    }
}
