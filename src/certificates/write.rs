//! The writer of certificates.
//!
//! A file is a header of lines `word value`, then the bodies in chunks of at most [`MAX_CHUNK_BYTES`] bytes, each
//! preceded by the hash of its lines, then the root hash of the header and of all chunk heads. The root hash so covers
//! every line.

use super::codec::{LemmaWriter, Line, Record};
use super::hash::LineHasher;
use super::{Certificate, Digest, FORMAT_VERSION};

pub(super) const MAGIC: &str = "bouton-certificate";

/// The maximal number of bytes in a chunk of several lines; a longer line has a chunk of its own.
pub(super) const MAX_CHUNK_BYTES: usize = 64 << 10;

/// Renders a certificate in its canonical form. The text ends with a newline.
pub fn write(certificate: &Certificate) -> String {
    let header = &certificate.header;
    let line = |text: &str| Line { text: text.into(), players: &header.players };
    let mut claim = line("claim");
    header.claim.write(&mut claim);
    let mut lines = vec![
        format!("{MAGIC} {FORMAT_VERSION}"),
        format!("game {}", header.game),
        format!("players {}", header.players.join(", ")),
        format!("rules {}", header.rules),
    ];
    lines.extend(header.params.iter().map(|(name, value)| format!("param {name} = {value}")));
    lines.push(format!("convention {}", header.convention.name()));
    let position = header.position.as_ref().map_or("first".into(), ToString::to_string);
    lines.extend([format!("position {position}"), claim.text, format!("tier {}", header.tier.name())]);
    let mut bodies = ChunkWriter::default();
    for (i, lemma) in certificate.lemmas.iter().enumerate() {
        let name = format!("lemma {}", i + 1);
        let mut writer = LemmaWriter { statement: line(&name), put: &mut |line| bodies.line(&name, line) };
        lemma.write(&mut writer);
        let head = writer.statement.text;
        lines.push(format!("{head} lines {}", bodies.end(&name)));
    }
    lines.push(match &certificate.text {
        None => "text none".into(),
        Some(text) => {
            text.split('\n').for_each(|line| bodies.line("text", line));
            format!("text lines {}", bodies.end("text"))
        }
    });
    let mut root = LineHasher::default();
    lines.iter().chain(&bodies.heads).for_each(|line| root.add(line));
    format!("{}\n{}root {}\n", lines.join("\n"), bodies.written, root.digest())
}

impl Certificate {
    /// Returns the root hash, which identifies the certificate and its contents.
    pub fn root(&self) -> String {
        let text = write(self);
        text.trim_end().rsplit(' ').next().unwrap_or_default().to_owned()
    }
}

/// The writer of bodies in chunks.
#[derive(Default)]
struct ChunkWriter {
    written: String,
    /// The lines before the chunks.
    heads: Vec<String>,
    /// The lines of the next chunk, their number, and the number of those of the body before it.
    chunk: String,
    lines: usize,
    before: usize,
}

impl ChunkWriter {
    /// Adds a line to the body with this name.
    fn line(&mut self, of: &str, line: &str) {
        if self.lines > 0 && self.chunk.len() + line.len() >= MAX_CHUNK_BYTES {
            self.close(of);
        }
        self.chunk += line;
        self.chunk.push('\n');
        self.lines += 1;
    }

    fn close(&mut self, of: &str) {
        let head = format!("chunk {of} lines {} {}", self.lines, Digest::of(self.chunk.as_bytes()));
        self.written += &format!("{head}\n{}", self.chunk);
        self.heads.push(head);
        self.chunk.clear();
        self.before += std::mem::take(&mut self.lines);
    }

    /// Ends the body with this name; returns the number of its lines.
    fn end(&mut self, of: &str) -> usize {
        if self.lines > 0 {
            self.close(of);
        }
        std::mem::take(&mut self.before)
    }
}
