//! Certificates as text.
//!
//! A header of lines `word value`, then the bodies in chunks of at most [`CHUNK`] bytes, each with the hash of its
//! lines, then the hash of the header and of all heads of chunks. Whoever has that last hash has a hold on every line.

use super::hash::Lines;
use super::{Body, Certificate, Claim, Digest, VERSION, linear};

/// The first word of a certificate.
pub(super) const MAGIC: &str = "bouton-certificate";

/// How many bytes of lines a chunk has at most; a line that is longer has its own.
pub(super) const CHUNK: usize = 64 << 10;

/// The text of a certificate: the same for the same certificate. Ends with a newline.
pub fn write(certificate: &Certificate) -> String {
    let mut writer = Writer { text: String::new(), root: Lines::default() };
    for line in header(certificate) {
        writer.told(&line);
    }
    for (i, lemma) in certificate.lemmas.iter().enumerate() {
        let body: &dyn Body = lemma.body();
        writer.chunks(&format!("lemma {}", i + 1), (0..body.len()).map(|line| body.line(line)));
    }
    if let Some(text) = &certificate.text {
        writer.chunks("text", text.split('\n').map(String::from));
    }
    let root = writer.root.digest();
    writer.text.push_str(&format!("root {root}\n"));
    writer.text
}

impl Certificate {
    /// The last hash of the text: it names the certificate with all it holds.
    pub fn root(&self) -> String {
        let text = write(self);
        text.trim_end().rsplit(' ').next().unwrap_or_default().to_owned()
    }
}

/// The lines before the chunks.
pub(super) fn header(certificate: &Certificate) -> Vec<String> {
    let header = &certificate.header;
    let mut lines = vec![
        format!("{MAGIC} {VERSION}"),
        format!("game {}", header.game),
        format!("players {}", header.players.join(", ")),
        format!("rules {}", header.rules),
    ];
    lines.extend(header.params.iter().map(|(name, value)| format!("param {name} = {value}")));
    lines.push(format!("convention {}", header.convention.name()));
    lines.push(match &header.position {
        None => "position first".into(),
        Some(key) => format!("position {key}"),
    });
    lines.push(format!("claim {}", claim(&header.claim, &header.players)));
    lines.push(format!("tier {}", header.tier.name()));
    for (i, lemma) in certificate.lemmas.iter().enumerate() {
        let body = lemma.body();
        lines.push(format!("lemma {} {} lines {}", i + 1, body.head(&header.players), body.len()));
    }
    lines.push(match &certificate.text {
        None => "text none".into(),
        Some(text) => format!("text lines {}", text.split('\n').count()),
    });
    lines
}

/// What stands between a player and what he makes sure of.
pub(super) const AT_LEAST: &str = " gets at-least ";

/// `X wins within 9`, `X gets at-least 0`, `value X 0, O 0`, `unsolvable`
fn claim(claim: &Claim, players: &[String]) -> String {
    let name = |player: u32| players.get(player as usize).map_or("?", String::as_str);
    match claim {
        Claim::Unsolvable => "unsolvable".into(),
        Claim::Period { param, from, period } => format!("nimbers of {param} period {period} from {from}"),
        Claim::Always { over, cases } => {
            let over: Vec<String> = over.iter().map(linear::ranged).collect();
            let cases: Vec<String> = cases
                .iter()
                .map(|(when, player)| format!("{} {}", name(*player), linear::atoms(when)))
                .collect();
            format!("always {} where {}", over.join(", "), cases.join(", "))
        }
        Claim::Wins { player, plies: None } => format!("{} wins", name(*player)),
        Claim::Wins { player, plies: Some(plies) } => format!("{} wins within {plies}", name(*player)),
        Claim::AtLeast { player, payoff } => format!("{}{AT_LEAST}{payoff}", name(*player)),
        Claim::Value(payoffs) => {
            let each = payoffs.iter().enumerate().map(|(i, payoff)| format!("{} {payoff}", name(i as u32)));
            format!("value {}", each.collect::<Vec<_>>().join(", "))
        }
    }
}

struct Writer {
    text: String,
    /// Of the header and the heads of chunks.
    root: Lines,
}

impl Writer {
    /// A line that the last hash covers by itself.
    fn told(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.root.add(line);
    }

    fn chunks(&mut self, of: &str, lines: impl Iterator<Item = String>) {
        let mut chunk = String::new();
        let mut count = 0;
        for line in lines {
            if count > 0 && chunk.len() + line.len() >= CHUNK {
                self.chunk(of, count, &chunk);
                chunk.clear();
                count = 0;
            }
            chunk.push_str(&line);
            chunk.push('\n');
            count += 1;
        }
        if count > 0 {
            self.chunk(of, count, &chunk);
        }
    }

    fn chunk(&mut self, of: &str, lines: usize, chunk: &str) {
        let digest = Digest::of(chunk.as_bytes());
        self.told(&format!("chunk {of} lines {lines} {digest}"));
        self.text.push_str(chunk);
    }
}
