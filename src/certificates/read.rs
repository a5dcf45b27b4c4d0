//! The parser of certificates. For any input it returns a certificate or the line with the first error.

use super::hash::LineHasher;
use super::write::{AT_LEAST, MAGIC, write};
use super::{
    Certificate, Claim, Convention, Digest, FORMAT_VERSION, Header, Lemma, PositionKey, Tier, linear, numbers,
};

/// The maximal size of a file in bytes. The memory of a certificate is a small multiple of it.
pub const MAX_FILE_BYTES: u64 = 512 << 20;

/// The maximal number of lemmas, parameters and players of a certificate. The format has no other nesting than these.
const MAX_ENTRIES: usize = 1000;

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
        return Err(CertificateError {
            line: 1,
            why: format!("there are more than {} MiB", MAX_FILE_BYTES >> 20),
        });
    }
    let mut reader =
        CertificateReader { lines: text.split('\n').peekable(), number: 0, root: LineHasher::default() };
    let certificate = reader.certificate()?;
    check_canonical(text, &certificate)?;
    Ok(certificate)
}

/// Returns an error unless the text is the canonical form. A certificate has a single form, so its hash identifies it:
/// leading zeros or a second space are damage, too.
fn check_canonical(text: &str, certificate: &Certificate) -> Result<(), CertificateError> {
    let written = write(certificate);
    if written == text {
        return Ok(());
    }
    let differs = written.split('\n').zip(text.split('\n')).position(|(a, b)| a != b);
    let line = differs.map_or(1, |place| place + 1);
    Err(CertificateError { line, why: "this is not the form of a certificate".into() })
}

struct CertificateReader<'a> {
    lines: std::iter::Peekable<std::str::Split<'a, char>>,
    /// The number of the last line that was read, from 1.
    number: usize,
    root: LineHasher,
}

impl<'a> CertificateReader<'a> {
    fn damage<T>(&self, why: impl Into<String>) -> Result<T, CertificateError> {
        Err(CertificateError { line: self.number.max(1), why: why.into() })
    }

    fn line(&mut self) -> Result<&'a str, CertificateError> {
        self.number += 1;
        match self.lines.next() {
            Some(line) => Ok(line),
            None => self.damage("the certificate ends here, before its end"),
        }
    }

    /// Reads a line that must begin with this word, adds it to the root hash, and returns the rest of it.
    fn keyword_line(&mut self, word: &str) -> Result<&'a str, CertificateError> {
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

    fn or<T>(&self, value: Option<T>, why: &str) -> Result<T, CertificateError> {
        value.map_or_else(|| self.damage(why), Ok)
    }

    fn certificate(&mut self) -> Result<Certificate, CertificateError> {
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
        let mut lemmas = Vec::new();
        while self.next_is("lemma ") {
            lemmas.push(self.lemma(lemmas.len() + 1, &header.players)?);
            if lemmas.len() > MAX_ENTRIES {
                return self.damage("there are too many lemmas");
            }
        }
        let lines = match self.keyword_line("text")? {
            "none" => None,
            some => {
                let count = some.strip_prefix("lines ").and_then(|n| n.parse::<usize>().ok());
                Some(self.or(count, "the number of lines is expected here")?)
            }
        };
        let mut proofs = Vec::new();
        for (i, (mut lemma, lines)) in lemmas.into_iter().enumerate() {
            self.body(&format!("lemma {}", i + 1), lines, &mut |line| lemma.body_mut().parse_line(line))?;
            proofs.push(lemma);
        }
        let text = lines.map(|count| self.text(count)).transpose()?;
        self.end()?;
        Ok(Certificate { header, lemmas: proofs, text })
    }

    fn header(&mut self) -> Result<Header, CertificateError> {
        let game = self.keyword_line("game")?.to_owned();
        let players: Vec<String> = self.keyword_line("players")?.split(", ").map(String::from).collect();
        if players.len() > MAX_ENTRIES {
            return self.damage("there are too many players");
        }
        let rules = self.keyword_line("rules")?;
        let rules = self.or(Digest::parse(rules), "a hash of 64 digits is expected here")?;
        let mut params = Vec::new();
        while self.next_is("param ") {
            let (name, value) = {
                let pair = self.keyword_line("param")?.split_once(" = ");
                self.or(pair, "`name = value` is expected here")?
            };
            params.push((name.to_owned(), value.to_owned()));
            if params.len() > MAX_ENTRIES {
                return self.damage("there are too many parameters");
            }
        }
        let convention = self.keyword_line("convention")?;
        let convention = Convention::ALL.into_iter().find(|c| c.name() == convention);
        let convention = self.or(convention, "this convention is not known")?;
        let position = match self.keyword_line("position")? {
            "first" => None,
            key => Some(self.or(PositionKey::parse(key), "a position is expected here")?),
        };
        let claim = self.keyword_line("claim")?;
        let claim = self.or(parse_claim(claim, &players), "this claim is not understood")?;
        let tier = self.keyword_line("tier")?;
        let tier = self.or(Tier::ALL.into_iter().find(|t| t.name() == tier), "this tier is not known")?;
        Ok(Header { game, players, rules, params, convention, position, claim, tier })
    }

    /// Parses `lemma 1 reply X at-least 0 lines 99`; returns the lemma without its body, and the number of lines of
    /// the body.
    fn lemma(&mut self, number: usize, players: &[String]) -> Result<(Lemma, usize), CertificateError> {
        let rest = self.keyword_line(&format!("lemma {number}"))?;
        let words: Vec<&str> = rest.split(' ').collect();
        let read = match words.as_slice() {
            [head @ .., "lines", count] => {
                count.parse().ok().and_then(|count| Some((Lemma::parse_head(head, players)?, count)))
            }
            _ => None,
        };
        self.or(read, "this lemma is not understood")
    }

    /// Reads the lines of a body from the chunks that hold them.
    fn body(
        &mut self,
        of: &str,
        mut lines: usize,
        take: &mut dyn FnMut(&str) -> Result<(), String>,
    ) -> Result<(), CertificateError> {
        while lines > 0 {
            let head = self.keyword_line(&format!("chunk {of} lines"))?;
            let read = head
                .split_once(' ')
                .and_then(|(n, hash)| Some((n.parse::<usize>().ok()?, Digest::parse(hash)?)));
            let (count, digest) = self.or(read, "a number of lines and their hash are expected here")?;
            let place = self.number;
            if count == 0 || count > lines {
                return self.damage(format!("there should be from 1 to {lines} lines"));
            }
            let mut hash = LineHasher::default();
            for _ in 0..count {
                let line = self.line()?;
                hash.add(line);
                if let Err(why) = take(line) {
                    return self.damage(why);
                }
            }
            if hash.digest() != digest {
                let why = format!("the {count} lines that follow do not have this hash: they were changed");
                return Err(CertificateError { line: place, why });
            }
            lines -= count;
        }
        Ok(())
    }

    fn text(&mut self, lines: usize) -> Result<String, CertificateError> {
        let mut text = String::new();
        let mut first = true;
        self.body("text", lines, &mut |line| {
            if !std::mem::take(&mut first) {
                text.push('\n');
            }
            text.push_str(line);
            Ok(())
        })?;
        Ok(text)
    }

    /// Reads the root hash and the end of the file.
    fn end(&mut self) -> Result<(), CertificateError> {
        let root = std::mem::take(&mut self.root).digest();
        let line = self.line()?;
        if line.strip_prefix("root ").and_then(Digest::parse) != Some(root) {
            return self
                .damage("the hash of the whole is expected here, and it is another: something was changed");
        }
        let empty = self.line()?;
        if !empty.is_empty() || self.lines.next().is_some() {
            return self.damage("the certificate should end here");
        }
        Ok(())
    }
}

/// Parses the claim line that `write` produces.
fn parse_claim(text: &str, players: &[String]) -> Option<Claim> {
    if text == "unsolvable" {
        return Some(Claim::Unsolvable);
    }
    let player = |name: &str| players.iter().position(|p| p == name).and_then(|p| u32::try_from(p).ok());
    if let Some(values) = text.strip_prefix("value ") {
        let mut payoffs = Vec::new();
        for (place, one) in values.split(", ").enumerate() {
            let (name, payoff) = one.split_once(' ')?;
            if player(name)? as usize != place {
                return None;
            }
            payoffs.push(numbers::parse_ratio(payoff)?);
        }
        return Some(Claim::Value(payoffs));
    }
    if let Some(period) = text.strip_prefix("nimbers of ") {
        let &[param, "period", period, "from", from] = &period.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let (from, period) = (from.parse().ok()?, period.parse().ok()?);
        return Some(Claim::Period { param: param.to_owned(), from, period });
    }
    if let Some(always) = text.strip_prefix("always ") {
        let (over, cases) = always.split_once(" where ")?;
        let range = |words: &str| linear::parse_range(&words.split(' ').collect::<Vec<_>>());
        let case = |words: &str| {
            let (name, when) = words.rsplit_once(' ')?;
            Some((linear::parse_conditions(when)?, player(name)?))
        };
        let over: Option<Vec<_>> = over.split(", ").map(range).collect();
        let cases: Option<Vec<_>> = cases.split(", ").map(case).collect();
        return Some(Claim::Always { over: over?, cases: cases? });
    }
    if let Some((name, payoff)) = text.split_once(AT_LEAST) {
        return Some(Claim::AtLeast { player: player(name)?, payoff: numbers::parse_ratio(payoff)? });
    }
    let (name, rest) = text.split_once(" wins")?;
    let plies = match rest.strip_prefix(" within ") {
        Some(plies) => Some(plies.parse().ok()?),
        None if rest.is_empty() => None,
        None => return None,
    };
    Some(Claim::Wins { player: player(name)?, plies })
}
