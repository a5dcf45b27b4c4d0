//! The writer of certificates.
//!
//! A file is a header of lines `word value`, then the bodies in chunks of at most [`MAX_CHUNK_BYTES`] bytes, each
//! preceded by the hash of its lines, then the root hash of the header and of all chunk heads. The root hash so covers
//! every line.

use super::hash::LineHasher;
use super::{Certificate, Claim, Digest, FORMAT_VERSION, LemmaBody, linear};

pub(super) const MAGIC: &str = "bouton-certificate";

/// The maximal number of bytes in a chunk of several lines; a longer line has a chunk of its own.
pub(super) const MAX_CHUNK_BYTES: usize = 64 << 10;

/// Renders a certificate in its canonical form. The text ends with a newline.
pub fn write(certificate: &Certificate) -> String {
    let mut writer = CertificateWriter { text: String::new(), root: LineHasher::default() };
    for line in header(certificate) {
        writer.root_line(&line);
    }
    for (i, lemma) in certificate.lemmas.iter().enumerate() {
        let body: &dyn LemmaBody = lemma.body();
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
    /// Returns the root hash, which identifies the certificate and its contents.
    pub fn root(&self) -> String {
        let text = write(self);
        text.trim_end().rsplit(' ').next().unwrap_or_default().to_owned()
    }
}

/// Returns the lines before the chunks.
pub(super) fn header(certificate: &Certificate) -> Vec<String> {
    let header = &certificate.header;
    let mut lines = vec![
        format!("{MAGIC} {FORMAT_VERSION}"),
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

/// The separator of a player and the payoff that he can force.
pub(super) const AT_LEAST: &str = " gets at-least ";

/// Renders a claim: `X wins within 9`, `X gets at-least 0`, `value X 0, O 0`, `unsolvable`.
fn claim(claim: &Claim, players: &[String]) -> String {
    let name = |player: u32| players.get(player as usize).map_or("?", String::as_str);
    match claim {
        Claim::Unsolvable => "unsolvable".into(),
        Claim::Period { param, from, period } => format!("nimbers of {param} period {period} from {from}"),
        Claim::Always { over, cases } => {
            let over: Vec<String> = over.iter().map(linear::render_range).collect();
            let cases: Vec<String> = cases
                .iter()
                .map(|(when, player)| format!("{} {}", name(*player), linear::render_conditions(when)))
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

struct CertificateWriter {
    text: String,
    /// The hash of the header and of the chunk heads.
    root: LineHasher,
}

impl CertificateWriter {
    /// Writes a line that the root hash covers directly.
    fn root_line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.root.add(line);
    }

    fn chunks(&mut self, of: &str, lines: impl Iterator<Item = String>) {
        let mut chunk = String::new();
        let mut count = 0;
        for line in lines {
            if count > 0 && chunk.len() + line.len() >= MAX_CHUNK_BYTES {
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
        self.root_line(&format!("chunk {of} lines {lines} {digest}"));
        self.text.push_str(chunk);
    }
}
