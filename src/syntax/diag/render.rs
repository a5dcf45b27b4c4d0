//! Renders diagnostics: for people with miette, for tools as JSON.
//!
//! *Invariant:* rendering gives text for all spans; a span that does not fit its file is clipped to it.

use std::fmt::Write as _;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};
use serde_json::{Value, json};

use super::window::{CroppedText, visible};
use super::{Diagnostic, Label, Severity};
use bouton_base::source::{LineColumn, Source, Sources, Span};

/// The maximal line width, in characters.
const MAX_LINE_WIDTH: usize = 100;

/// Renders a diagnostic for people, with the source under it. Without colour, the text is the same on every machine.
pub fn render(sources: &Sources, diagnostic: &Diagnostic, color: bool) -> String {
    let mut renderer = SnippetRenderer { sources, diagnostic, color, out: String::new() };
    let title = visible(&format!("{}: {}", diagnostic.code, diagnostic.title));
    renderer.snippet(diagnostic.span(), title, diagnostic.severity());
    for span in other_files(diagnostic) {
        renderer.snippet(span, "and here".into(), Severity::Note);
    }
    let mut out = renderer.out;
    for label in diagnostic.labels.iter().filter(|label| !label.span.is_placed()) {
        paragraph(&mut out, "", &label.text);
    }
    for note in &diagnostic.notes {
        paragraph(&mut out, "", note);
    }
    if let Some(help) = &diagnostic.help {
        let fixable =
            if diagnostic.edits.is_empty() { "" } else { "\n(fix available: `bouton check --fix`)" };
        paragraph(
            &mut out,
            if color { "\u{1b}[36mhelp:\u{1b}[0m " } else { "help: " },
            &format!("{help}{fixable}"),
        );
    }
    let _ = writeln!(out, "  more: bouton explain {}", diagnostic.code);
    out
}

/// A span of each file of the labels other than the first label's file, in order.
fn other_files(diagnostic: &Diagnostic) -> Vec<Span> {
    let mut others: Vec<Span> = Vec::new();
    for span in diagnostic.labels.iter().map(|label| label.span).filter(|span| span.is_placed()) {
        if span.file != diagnostic.span().file && others.iter().all(|other| other.file != span.file) {
            others.push(span);
        }
    }
    others
}

/// A renderer of the labels of a diagnostic, file by file.
struct SnippetRenderer<'d> {
    sources: &'d Sources,
    diagnostic: &'d Diagnostic,
    color: bool,
    out: String,
}

impl SnippetRenderer<'_> {
    /// Renders a title with the labels in the file of `span` under it; a span without a place has the title alone.
    fn snippet(&mut self, span: Span, title: String, severity: Severity) {
        let source = self.sources.source_of(span);
        let labels = self.diagnostic.labels.iter().filter(|l| source.is_some() && l.span.file == span.file);
        let mut labels: Vec<&Label> = labels.collect();
        let place = source.and_then(|source| without_outer_line(source, &mut labels));
        let theme = if self.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(MAX_LINE_WIDTH)
            .with_links(false)
            .without_syntax_highlighting();
        let mut text = source.map(|source| MietteSource::new(source, &labels));
        if let Some((text, place)) = text.as_mut().zip(place) {
            text.starts[0] = place;
        }
        let report = MietteReport { title, severity, text, labels };
        let out = &mut self.out;
        let start = out.len();
        if handler.render_report(out, &report).is_err() {
            out.truncate(start);
            let place = source.map(|source| {
                let place = source.line_column(clip(source, self.diagnostic.span()).0 as u32);
                format!(" [{}:{}:{}]", source.name, place.line, place.column)
            });
            let _ = writeln!(out, "  {}{}", report.title, place.unwrap_or_default());
        }
    }
}

/// Renders a paragraph, indented by two columns; its further lines align with the first. A line that is too long is
/// wrapped, unless it is part of a drawing (it has consecutive blanks).
fn paragraph(out: &mut String, head: &str, text: &str) {
    let indent = if head.is_empty() { 0 } else { "help: ".len() };
    let mut first = true;
    for line in visible(text).lines() {
        let parts = if line.contains("  ") {
            vec![line.to_string()]
        } else {
            wrap(line, MAX_LINE_WIDTH - 2 - indent)
        };
        for part in parts {
            let lead = if first { head.to_string() } else { " ".repeat(indent) };
            out.push_str(format!("  {lead}{part}").trim_end());
            out.push('\n');
            first = false;
        }
    }
}

/// Wraps a line at blanks so that each part has at most `width` characters, unless a single word is longer.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in line.split(' ') {
        let current = parts.last_mut().expect("there is always a part");
        if current.is_empty() {
            current.push_str(word);
        } else if current.chars().count() + 1 + word.chars().count() <= width {
            current.push(' ');
            current.push_str(word);
        } else {
            parts.push(word.to_string());
        }
    }
    parts
}

/// Clips a span to the text: in bounds, in order, at character boundaries.
fn clip(source: &Source, span: Span) -> (usize, usize) {
    let text = &source.text;
    let inside = |offset: u32| {
        let mut at = (offset as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = inside(span.start);
    (start, inside(span.end).max(start))
}

/// Takes away the first label if it has no text and contains another one of its line that has: miette would draw the
/// inner labels behind it. Returns the first byte of that label, which is still the place of the diagnostic.
fn without_outer_line(source: &Source, labels: &mut Vec<&Label>) -> Option<usize> {
    let (first, others) = labels.split_first()?;
    let (start, end) = clip(source, first.span);
    let is_inside = |label: &&Label| {
        let (from, to) = clip(source, label.span);
        !label.text.is_empty() && start <= from && to <= end && !source.text[start..from].contains('\n')
    };
    let is_outer = first.text.is_empty() && others.first().is_some_and(is_inside);
    is_outer.then(|| {
        labels.remove(0);
        start
    })
}

/// A diagnostic in the form that miette expects.
struct MietteReport<'a> {
    title: String,
    severity: Severity,
    /// The source under the title; `None` if the diagnostic has no place.
    text: Option<MietteSource<'a>>,
    labels: Vec<&'a Label>,
}

impl std::fmt::Debug for MietteReport<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.title)
    }
}

impl std::fmt::Display for MietteReport<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.title)
    }
}

impl std::error::Error for MietteReport<'_> {}

impl miette::Diagnostic for MietteReport<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.text.as_ref().map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let shown = &self.text.as_ref()?.shown;
        Some(Box::new(self.labels.iter().zip(shown).enumerate().map(|(i, (label, &(start, end)))| {
            let text = (!label.text.is_empty()).then(|| visible(&label.text));
            if i == 0 {
                LabeledSpan::new_primary_with_span(text, (start, end - start))
            } else {
                LabeledSpan::new(text, start, end - start)
            }
        })))
    }
}

/// A source file for miette: long lines are cropped, and columns count the characters of the whole line.
struct MietteSource<'a> {
    source: &'a Source,
    /// The text with long lines cropped; `None` if no line is long.
    cropped: Option<CroppedText>,
    /// The first byte of each label in the file.
    starts: Vec<usize>,
    /// The first byte of each label, and the byte after its last, in the cropped text.
    shown: Vec<(usize, usize)>,
}

impl<'a> MietteSource<'a> {
    fn new(source: &'a Source, labels: &[&Label]) -> MietteSource<'a> {
        let spans: Vec<(usize, usize)> = labels.iter().map(|label| clip(source, label.span)).collect();
        let cropped = CroppedText::of(&source.text, &spans);
        let place = |offset: usize| cropped.as_ref().map_or(offset, |cropped| cropped.place(offset));
        let shown = spans.iter().map(|&(start, end)| (place(start), place(end))).collect();
        MietteSource { starts: spans.iter().map(|&(start, _)| start).collect(), shown, source, cropped }
    }
}

impl SourceCode for MietteSource<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let text = self.cropped.as_ref().map_or(self.source.text.as_str(), |cropped| &cropped.text);
        let contents = text.read_span(span, before, after)?;
        // With no lines before, miette asks for the position of the beginning of a label.
        let label =
            self.shown.iter().position(|&(start, end)| start == span.offset() && end - start == span.len());
        let column = match label {
            Some(label) if before == 0 => self.source.line_column(self.starts[label] as u32).column - 1,
            _ => contents.column(),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.source.name.clone(),
            contents.data(),
            *contents.span(),
            contents.line(),
            column,
            contents.line_count(),
        )))
    }
}

/// The place of a span in its file; lines and columns count from 1, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place<'s> {
    /// The name of the file.
    pub file: &'s str,
    pub start: LineColumn,
    /// The place after the last character.
    pub end: LineColumn,
}

impl<'s> Place<'s> {
    /// The place of a span, which is clipped to its file; `None` for a span without a place.
    pub fn of(sources: &'s Sources, span: Span) -> Option<Place<'s>> {
        let source = sources.source_of(span)?;
        let (start, end) = clip(source, span);
        let place = |offset: usize| source.line_column(offset as u32);
        Some(Place { file: &source.name, start: place(start), end: place(end) })
    }
}

/// Makes the object of a diagnostic for tools, as `docs/json.md` describes it. Without a place, its parts are `null`.
pub fn to_json(sources: &Sources, diagnostic: &Diagnostic) -> Value {
    let place = |span: Span| {
        let place = Place::of(sources, span);
        let place = place.as_ref();
        json!({
            "file": place.map(|place| place.file),
            "line": place.map(|place| place.start.line),
            "column": place.map(|place| place.start.column),
            "end_line": place.map(|place| place.end.line),
            "end_column": place.map(|place| place.end.column),
        })
    };
    let mut object = json!({
        "code": diagnostic.code.name(),
        "severity": diagnostic.severity().word(),
        "title": diagnostic.title,
    });
    let edits: Vec<Value> = diagnostic
        .edits
        .iter()
        .map(|edit| {
            let mut value = place(edit.span);
            value["text"] = json!(edit.text);
            value
        })
        .collect();
    if let (Some(object), Value::Object(place)) = (object.as_object_mut(), place(diagnostic.span())) {
        object.extend(place);
    }
    object["help"] = json!(diagnostic.help);
    object["edits"] = json!(edits);
    let labels = diagnostic.labels.iter().map(|label| {
        let mut value = place(label.span);
        value["text"] = json!(label.text);
        value
    });
    object["labels"] = labels.collect();
    object["notes"] = json!(diagnostic.notes);
    let witness = diagnostic.witness.as_ref();
    object["play"] = json!(witness.map(|witness| &witness.play));
    object["next"] = json!(witness.map(|witness| &witness.next));
    object["position"] = json!(witness.map(|witness| &witness.position));
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;
    use bouton_base::source::FileId;

    fn sources() -> (Sources, FileId, FileId, FileId) {
        let mut sources = Sources::new();
        let game = sources.add("x.bou", "game \"\u{e9}t\u{e9}\";\nat[c: Cel]: Player? = none;\n");
        let library = sources.add("std/lines", "def lines = 1;\n");
        let empty = sources.add("empty.bou", "");
        (sources, game, library, empty)
    }

    #[test]
    fn title_labels_notes_help_and_the_page() {
        let (sources, game, library, _) = sources();
        let found = Diagnostic::new(
            Code::E0101,
            "there is no `Cel` here",
            Span::new(game, 23, 26),
            "did you mean the board `Cell`?",
        )
        .label(Span::new(library, 4, 9), "declared here")
        .note("a b c\n. x .\n")
        .help("write `Cell`")
        .edit(Span::new(game, 23, 26), "Cell");
        let text = render(&sources, &found, false);
        insta::assert_snapshot!(text, @r#"
          × E0101: there is no `Cel` here
           ╭─[x.bou:2:10]
         1 │ game "été";
         2 │ at[c: Cel]: Player? = none;
           ·          ─┬─
           ·           ╰── did you mean the board `Cell`?
           ╰────
          ☞ and here
           ╭─[std/lines:1:5]
         1 │ def lines = 1;
           ·     ──┬──
           ·       ╰── declared here
           ╰────
          a b c
          . x .
          help: write `Cell`
                (fix available: `bouton check --fix`)
          more: bouton explain E0101
        "#);
    }

    #[test]
    fn labels_without_a_place_are_sentences() {
        let (sources, game, ..) = sources();
        let nowhere = Diagnostic::new(Code::E0310, "two effects set `v`", Span::unplaced(1), "`2` here")
            .label(Span::unplaced(0), "`1` here ...")
            .help("write `else`");
        insta::assert_snapshot!(render(&sources, &nowhere, false), @"
          × E0310: two effects set `v`
          `2` here
          `1` here ...
          help: write `else`
          more: bouton explain E0310
        ");
        assert_eq!(to_json(&sources, &nowhere)["file"], Value::Null);
        assert_eq!(to_json(&sources, &nowhere)["line"], Value::Null);
        let mixed = nowhere.label(Span::new(game, 0, 4), "in this game");
        assert!(render(&sources, &mixed, true).contains("in this game"));
    }

    #[test]
    fn labels_within_the_place_stand_under_their_words() {
        let mut sources = Sources::new();
        let game = sources.add("x.bou", "move take() { when n > 0 and e = 1; n -= 1; }\n");
        let found = Diagnostic::new(Code::E0202, "never equal", Span::new(game, 29, 34), "")
            .label(Span::new(game, 29, 30), "this is an `End`")
            .label(Span::new(game, 33, 34), "this is the number 1");
        insta::assert_snapshot!(render(&sources, &found, false), @"
          × E0202: never equal
           ╭─[x.bou:1:30]
         1 │ move take() { when n > 0 and e = 1; n -= 1; }
           ·                              ┬   ┬
           ·                              │   ╰── this is the number 1
           ·                              ╰── this is an `End`
           ╰────
          more: bouton explain E0202
        ");
        let found = Diagnostic::new(Code::E0202, "never equal", Span::new(game, 28, 34), "")
            .label(Span::new(game, 33, 34), "this is the number 1");
        assert!(render(&sources, &found, false).contains("[x.bou:1:29]"));
    }

    #[test]
    fn odd_spans_are_cut_to_the_text() {
        let (sources, game, _, empty) = sources();
        for file in [game, empty] {
            for (start, end) in
                [(0, 0), (7, 8), (7, 7), (8, 12), (9, 4), (41, 41), (42, 42), (900, 1000), (0, 900)]
            {
                let found = Diagnostic::new(Code::E0001, "odd", Span::new(file, start, end), "here");
                assert!(render(&sources, &found, true).contains("E0001"));
                assert!(to_json(&sources, &found)["line"].is_number());
            }
        }
    }

    #[test]
    fn json_has_its_keys_in_order() {
        let (sources, game, ..) = sources();
        let found = Diagnostic::new(Code::E0101, "no `Cel`", Span::new(game, 23, 26), "")
            .edit(Span::new(game, 23, 26), "Cell");
        insta::assert_snapshot!(to_json(&sources, &found).to_string(), @r#"{"code":"E0101","severity":"error","title":"no `Cel`","file":"x.bou","line":2,"column":10,"end_line":2,"end_column":13,"help":null,"edits":[{"file":"x.bou","line":2,"column":10,"end_line":2,"end_column":13,"text":"Cell"}],"labels":[{"file":"x.bou","line":2,"column":10,"end_line":2,"end_column":13,"text":""}],"notes":[],"play":null,"next":null,"position":null}"#);
    }
}
