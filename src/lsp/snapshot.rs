//! The analysis of a document's text: tokens, trees, diagnostics, names.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bouton_base::cancel;
use bouton_base::limits::{Limits, NoProgress};
use bouton_base::source::{FileId, Span};
use bouton_driver::check::{self, CheckOptions};
use bouton_driver::load::GameSource;
use bouton_project::{Definition, DefinitionKind, Index, RuleFiles, UnsavedTexts, without_dots};
use bouton_syntax::ast::{self, Item, ItemKind};
use bouton_syntax::diag::{Diagnostic, Severity};
use bouton_syntax::lex::{Token, TokenKind, lex};

use crate::positions::LineIndex;

/// The time limit of an analysis; a file with long constants may need seconds.
const ANALYSIS_TIME: Duration = Duration::from_secs(5);
/// The maximal number of bytes that an analysis may hold.
const ANALYSIS_BYTES: u64 = 1 << 30;

/// The analysis of a text.
pub(crate) struct Snapshot {
    pub files: RuleFiles,
    pub lines: LineIndex,
    /// The tokens of the document, comments included.
    pub tokens: Vec<Token>,
    /// The diagnostics about the document and its libraries, by place.
    pub diagnostics: Vec<Diagnostic>,
    pub index: Index,
    /// True if a limit ended the analysis.
    pub is_incomplete: bool,
}

impl Snapshot {
    /// Analyses a text under a name, which is a path for documents that are files.
    pub fn new(name: &str, text: &str, unsaved: UnsavedTexts) -> Snapshot {
        let deadline = Some(Instant::now() + ANALYSIS_TIME);
        let limits = Limits { deadline, memory_bytes: Some(ANALYSIS_BYTES), ..Limits::default() };
        // Fixes are tried where somebody asks for them, and not after each key.
        let parse = || RuleFiles::from_string(name, text).with_unsaved(unsaved).without_trials();
        let lines = LineIndex::new(text);
        let Ok(files) = cancel::run_within(&limits, parse) else {
            let files = RuleFiles::from_string(name, "");
            let index = Index::default();
            let (tokens, diagnostics) = (Vec::new(), Vec::new());
            return Snapshot { files, lines, tokens, diagnostics, index, is_incomplete: true };
        };
        let mut source = GameSource::from(files);
        source.limits = limits.clone();
        let options = CheckOptions { explore: 0, limits: &limits, progress: &NoProgress };
        let report = check::check(&mut source, &options);
        let mut files = RuleFiles::from(source);
        files.limits = Limits::default();
        Snapshot {
            files,
            lines,
            tokens: lex(text),
            diagnostics: report.diagnostics,
            index: report.index,
            is_incomplete: report.limit.is_some(),
        }
    }

    /// The same text with the diagnostics of an exploration, whose files have the same text.
    pub fn with_findings(&self, files: RuleFiles, diagnostics: Vec<Diagnostic>) -> Snapshot {
        Snapshot {
            files,
            lines: self.lines.clone(),
            tokens: self.tokens.clone(),
            diagnostics,
            index: self.index.clone(),
            is_incomplete: self.is_incomplete,
        }
    }

    /// The document's text.
    pub fn text(&self) -> &str {
        &self.files.sources.get(self.files.file).text
    }

    /// The document's file.
    pub fn file(&self) -> FileId {
        self.files.file
    }

    /// The document's tree.
    pub fn tree(&self) -> &ast::File {
        self.files.trees()[0]
    }

    /// True if the rules can be run: a game without errors.
    pub fn is_playable(&self) -> bool {
        self.files.outline.is_game && !self.has_errors()
    }

    /// True if some diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.is_incomplete || self.diagnostics.iter().any(|found| found.severity() == Severity::Error)
    }

    /// The path of a library's file; `None` for the document itself and for libraries of the language.
    pub fn path_of(&self, file: FileId) -> Option<PathBuf> {
        let path = Path::new(&self.files.sources.get(file).name);
        (file != self.files.file && path.is_absolute()).then(|| without_dots(path))
    }

    /// True if the document uses the library at a path, or names one that is missing.
    pub fn uses(&self, path: &Path) -> bool {
        let folder = Path::new(&self.files.path).parent().unwrap_or(Path::new(""));
        let direct = self.files.outline.libraries.iter().any(|library| {
            let full = folder.join(library);
            without_dots(&if full.extension().is_some() { full } else { full.with_extension("bou") }) == path
        });
        let spans = self.index.definitions().map(|definition| definition.span.file);
        direct
            || spans
                .filter(|&file| file != self.files.file)
                .any(|file| self.path_of(file).as_deref() == Some(path))
    }

    /// The definition that a place of the document names or declares.
    pub fn definition_at(&self, offset: usize) -> Option<&Definition> {
        self.index.definition_at(self.files.file, offset)
    }

    /// The span of the name itself in a reference, without the prefix of its library.
    pub fn name_span(&self, reference: Span) -> Span {
        let written = self.files.sources.slice(reference);
        let start = written.rfind('.').map_or(0, |dot| dot + 1);
        Span { start: reference.start + start as u32, ..reference }
    }

    /// The item around a span, in any file, with the items' trees.
    pub fn item_around(&self, span: Span) -> Option<&Item> {
        let all = self.files.trees().into_iter().flat_map(|tree| &tree.items);
        all.into_iter().find(|item| item.span.covers(span))
    }

    /// The token at a byte that is a word: the one that contains it or ends there.
    pub fn word_at(&self, offset: usize) -> Option<Token> {
        let after = self.tokens.partition_point(|token| token.end < offset);
        let near = self.tokens[after..].iter().take(2).take_while(|token| token.start <= offset);
        near.filter(|token| token.kind == TokenKind::Word).max_by_key(|token| token.start).copied()
    }

    /// The declared parameters of a callable or indexable definition, as written.
    pub fn parameters(&self, definition: &Definition) -> Option<Vec<&ast::Bind>> {
        let item = self.item_around(definition.span)?;
        let binds: &[ast::Bind] = match &item.kind {
            ItemKind::Def { name, formals, .. } if name.span == definition.span => formals.as_deref()?,
            ItemKind::Inductive { name, formals, .. } | ItemKind::Effect { name, formals, .. }
                if name.span == definition.span =>
            {
                formals
            }
            ItemKind::Move(made) if made.name.span == definition.span => &made.params,
            ItemKind::Record { name, parts } if name.span == definition.span => parts,
            ItemKind::Const { name, keys, .. } if name.span == definition.span => keys,
            ItemKind::State(fields) => &fields.iter().find(|field| field.name.span == definition.span)?.keys,
            _ => return None,
        };
        Some(binds.iter().collect())
    }

    /// The form in which the document writes the name of a definition outside of all items: with the prefix of its
    /// library; `None` for a name that it does not see.
    pub fn visible_name(&self, definition: &Definition) -> Option<String> {
        if definition.span.file == self.file() {
            return Some(definition.name.clone());
        }
        let library = &self.files.sources.get(definition.span.file).name;
        let folder = Path::new(&self.files.path).parent().unwrap_or(Path::new(""));
        let is_it = |path: &str| {
            let full = folder.join(path);
            let full = if full.extension().is_some() { full } else { full.with_extension("bou") };
            path == library || full.as_path() == Path::new(library)
        };
        let mut uses = self.tree().items.iter().filter_map(|item| match &item.kind {
            ItemKind::Use { path, prefix } if is_it(&path.text) => Some(prefix.as_ref()),
            _ => None,
        });
        let prefix = uses.next_back()?;
        Some(prefix.map_or(definition.name.clone(), |prefix| format!("{}.{}", prefix.text, definition.name)))
    }

    /// The definition of a name as the document writes it outside of all items, `n` or `l.n`.
    pub fn named(&self, name: &str) -> Option<&Definition> {
        let plain = name.rsplit('.').next().unwrap_or(name);
        let global = |of: &&Definition| !is_local(of.kind) && of.name == plain;
        self.index.definitions().filter(global).find(|of| self.visible_name(of).as_deref() == Some(name))
    }

    /// The text of a span, with runs of blanks as one blank.
    pub fn squeezed(&self, span: Span) -> String {
        self.files.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// True for the kinds of names that are known only within an item.
pub(crate) fn is_local(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Key | DefinitionKind::Variable | DefinitionKind::Part)
}
