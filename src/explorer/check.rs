//! The check of a text from the editor: its diagnostics with their places in UTF-16, as browsers count, and their fixes.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::catalogue::{CatalogueEntry, draft_files};
use super::drafts::Drafts;
use super::query::{MAX_SETTINGS, setting};
use super::refusal::Refusal;
use bouton_base::cancel;
use bouton_base::clock::Instant;
use bouton_base::limits::{CancelToken, LimitHit, Limits, NoProgress};
use bouton_base::source::{FileId, Sources, Span};
use bouton_driver::check::{self, CheckOptions};
use bouton_driver::load::GameSource;
use bouton_syntax::diag::{Code, Diagnostic, fix_title};

/// The maximal number of bytes of a text.
pub const MAX_TEXT_BYTES: usize = 128 << 10;
/// The maximal number of bytes of a request: a text with the escapes of JSON, and the settings.
pub const MAX_BODY_BYTES: usize = 2 * MAX_TEXT_BYTES + (16 << 10);
/// The time in which a request must arrive.
pub const BODY_TIME: Duration = Duration::from_secs(10);
/// The time limit of a check.
const CHECK_TIME: Duration = Duration::from_secs(10);
/// The maximal number of bytes that a check may hold.
const CHECK_BYTES: u64 = 256 << 20;
/// The maximal number of positions that a check explores.
const MAX_EXPLORED: u64 = 200_000;
/// The maximal number of diagnostics of an answer.
const MAX_DIAGNOSTICS: usize = 200;

/// A request to check a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// The rules.
    text: String,
    /// The values of parameters, in the syntax of the language.
    #[serde(default)]
    settings: BTreeMap<String, String>,
    #[serde(default)]
    preset: Option<String>,
    /// The number of positions to explore; 0 for none.
    #[serde(default)]
    explore: u64,
}

impl CheckRequest {
    /// Reads a request; a malformed one is refused.
    pub fn parse(body: &[u8]) -> Result<CheckRequest, Refusal> {
        let request: CheckRequest = serde_json::from_slice(body)
            .map_err(|why| Refusal::bad(format!("the request is not as described: {why}")))?;
        if request.text.len() > MAX_TEXT_BYTES {
            let limit = MAX_TEXT_BYTES >> 10;
            return Err(Refusal::too_large(format!("the rules have more than {limit} KiB")));
        }
        if request.settings.len() > MAX_SETTINGS {
            return Err(Refusal::bad(format!("at most {MAX_SETTINGS} settings")));
        }
        Ok(request)
    }
}

/// Checks a text: the answer, and the game if its rules have no errors.
pub fn check(request: &CheckRequest, stop: &CancelToken) -> Result<(Json, Option<CatalogueEntry>), Refusal> {
    let settings: Vec<String> = request
        .settings
        .iter()
        .map(|(name, value)| setting(name, value).map(|(name, value)| format!("{name}={value}")))
        .collect::<Result<_, _>>()?;
    let limits = Limits {
        deadline: Some(Instant::now() + CHECK_TIME),
        memory_bytes: Some(CHECK_BYTES),
        cancel: stop.clone(),
        ..Limits::default()
    };
    let limited = |hit: LimitHit| Refusal::unavailable(format!("the rules were not read: {hit}"));
    let files = cancel::run_within(&limits, || draft_files(&request.text)).map_err(limited)?;
    let mut plain = files.clone();
    plain.limits = limits.clone();
    let with_settings = files.with_settings(&settings, request.preset.as_deref());
    let mut source = GameSource::from(with_settings.map_err(|why| Refusal::unfit(why.to_string()))?);
    source.limits = limits.clone();
    let explore = request.explore.min(MAX_EXPLORED);
    let options = CheckOptions { explore, limits: &limits, progress: &NoProgress };
    let report = check::check(&mut source, &options);
    let is_playable = !report.library && !report.has_errors && !report.unread;
    // The parameters of the entry have their values of the text.
    let entry = if is_playable { Drafts::entry(&request.text, &mut plain) } else { None };
    let places = Places { sources: &source.sources, file: source.file, text: &request.text };
    let shown = report.diagnostics.iter().take(MAX_DIAGNOSTICS);
    let answer = json!({
        "diagnostics": shown.map(|found| places.diagnostic(found)).collect::<Vec<_>>(),
        "more": report.diagnostics.len().saturating_sub(MAX_DIAGNOSTICS),
        "explored": report.explored,
        "unexplored": report.unexplored,
        "limit": report.limit.map(|hit| hit.to_string()),
        "game": entry,
    });
    Ok((answer, entry))
}

/// The places of spans in a text.
struct Places<'t> {
    sources: &'t Sources,
    file: FileId,
    text: &'t str,
}

impl Places<'_> {
    /// A diagnostic as JSON.
    fn diagnostic(&self, found: &Diagnostic) -> Json {
        let mut notes = found.notes.clone();
        if found.code == Code::E0108 {
            notes.push("The editor reads no files: only the libraries of the language are there.".into());
        }
        let related = found.labels[1..].iter().filter(|label| !label.text.is_empty());
        let related = related.map(|label| self.placed(label.span, json!({ "text": label.text })));
        let witness = found.witness.as_deref();
        let own = json!({
            "code": found.code.name(),
            "severity": found.severity().word(),
            "title": found.title,
            "label": found.labels[0].text,
            "help": found.help,
            "notes": notes,
            "related": related.collect::<Vec<_>>(),
            "fixes": self.fix(found).into_iter().collect::<Vec<_>>(),
            "play": witness.map(|witness| &witness.play),
        });
        self.placed(found.span(), own)
    }

    /// The fix of a diagnostic; `None` if it has none, or if it is not in the text.
    fn fix(&self, found: &Diagnostic) -> Option<Json> {
        if found.edits.is_empty() || found.edits.iter().any(|edit| edit.span.file != self.file) {
            return None;
        }
        let edits = found.edits.iter().map(|edit| self.placed(edit.span, json!({ "text": edit.text })));
        Some(json!({ "title": fix_title(self.sources, found), "edits": edits.collect::<Vec<_>>() }))
    }

    /// Adds the place of a span to an object: offsets in UTF-16 code units, and the line and column of the beginning,
    /// from 1. A span in a library of the language is at the `use` of the library; settings have no place.
    fn placed(&self, span: Span, mut object: Json) -> Json {
        let range = match self.sources.source_of(span) {
            Some(_) if span.file == self.file => Some(span.range()),
            Some(other) => {
                let quoted = format!("\"{}\"", other.name);
                self.text.find(&quoted).map(|start| start..start + quoted.len())
            }
            None => None,
        };
        let range = range.map(|range| self.clipped(range.start)..self.clipped(range.end));
        let (from, to) = (range.as_ref().map(|of| of.start), range.as_ref().map(|of| of.end));
        let units = |end: Option<usize>| end.map(|end| self.text[..end].encode_utf16().count());
        let line = from.map(|from| self.text[..from].matches('\n').count() + 1);
        let column = from.map(|from| {
            let before = &self.text[..from];
            before[before.rfind('\n').map_or(0, |end| end + 1)..].chars().count() + 1
        });
        object["from"] = json!(units(from));
        object["to"] = json!(units(to));
        object["line"] = json!(line);
        object["column"] = json!(column);
        object
    }

    /// The offset of the character at a byte.
    fn clipped(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset.min(self.text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Json {
        let request = CheckRequest::parse(json!({ "text": text }).to_string().as_bytes()).expect("a request");
        check(&request, &CancelToken::default()).expect("an answer").0
    }

    #[test]
    fn places_count_in_utf16() {
        let text = "game \"\u{1f600}\u{e9}\"; players A, B; state { left: 0..1 = 1; }\n\
                    move take() as \"take\" { when lefft = 1; left := 0; } play normal;";
        let answer = checked(text);
        let found = &answer["diagnostics"][0];
        let at = text.encode_utf16().collect::<Vec<_>>();
        let from = found["from"].as_u64().expect("a place") as usize;
        let to = found["to"].as_u64().expect("a place") as usize;
        assert_eq!(String::from_utf16_lossy(&at[from..to]), "lefft", "{answer}");
        assert_eq!((&found["line"], &found["column"]), (&json!(2), &json!(30)), "{answer}");
        assert_eq!(found["fixes"][0]["edits"][0]["text"], "left", "{answer}");
        assert_eq!(answer["game"], Json::Null);
    }

    #[test]
    fn texts_reach_no_files() {
        let root = env!("CARGO_MANIFEST_DIR");
        let library = format!("{root}/games/tictactoe.bou");
        let rules = "game \"X\"; param n: text = \"a\"; players A, B; state { left: 0..1 = 1; } \
                     move take() as \"take\" { when left = 1; left := 0; } play normal;";
        let answer = checked(&format!("use \"{library}\";\n{rules}"));
        assert_eq!(answer["diagnostics"][0]["code"], "E0108", "{answer}");
        assert!(!answer.to_string().contains("Tic"), "{answer}");
        let body = json!({ "text": rules, "settings": { "n": " @/etc/passwd" } }).to_string();
        let request = CheckRequest::parse(body.as_bytes()).expect("a request");
        assert!(check(&request, &CancelToken::default()).is_err());
        let settings = ["n=@/etc/passwd".to_owned()];
        assert!(draft_files(rules).with_settings(&settings, None).is_err());
    }

    #[test]
    fn malformed_requests_are_refused() {
        let deep = format!("{{\"text\": {}", "[".repeat(100_000));
        let long = json!({ "text": "x".repeat(MAX_TEXT_BYTES + 1) }).to_string();
        for body in ["", "{}", "[]", "{\"text\": 1}", "{\"text\": \"\", \"path\": \"x\"}", &deep, &long] {
            assert!(CheckRequest::parse(body.as_bytes()).is_err());
        }
    }
}
