//! The files of one analysis, the game's own and the libraries it uses, and the names visible in each.
//!
//! A library is read once, and its names are global: as they are, or as `l.name` if the first file to use it says
//! `as l`. Each file sees them as its own `use` says: with a prefix after `use "x" as l`, without one after `use "x"`;
//! a library sees its own names. Items without a name of their own (`end`, `every move`) belong to the game.

use std::collections::HashMap;

use super::Library;
use bouton_base::source::{FileId, Span};
use bouton_syntax::ast::{self, Item, ItemKind, Name};
use bouton_syntax::diag::{self, Code, Diagnostic};

/// The libraries that come with the language, by their path in `use "..."`.
const STD: &[(&str, &str)] = &[("std/lines", include_str!("std/lines.bou"))];

/// The paths of the libraries that come with the language.
pub fn standard_libraries() -> impl Iterator<Item = &'static str> {
    STD.iter().map(|(path, _)| *path)
}

/// The maximal number of files of one analysis.
const MAX_FILES: usize = 64;

/// A file and the libraries it uses.
pub(super) struct AnalyzedFile {
    pub file: ast::File,
    /// The libraries it uses, in order.
    pub uses: Vec<LibraryUse>,
    /// The global prefix of its names: empty, or `l.`.
    prefix: String,
    /// The names it declares, each with its global name.
    names: HashMap<String, String>,
}

/// A `use` whose library was found.
pub(super) struct LibraryUse {
    /// The `l` of `as l`.
    pub prefix: Option<Name>,
    library: usize,
}

/// All files; the first is the game's own.
pub(super) struct FileSet {
    all: Vec<AnalyzedFile>,
    by_file: HashMap<FileId, usize>,
}

impl FileSet {
    /// Reads the libraries that a file uses, directly or not. Also returns the errors for missing ones.
    pub fn read(file: &ast::File, library: &mut dyn Library) -> (FileSet, Vec<Diagnostic>) {
        let mut texts = FileSet { all: Vec::new(), by_file: HashMap::new() };
        texts.add(file.clone(), String::new());
        let mut known: HashMap<String, Option<usize>> = HashMap::new();
        let mut missing = Vec::new();
        let mut next = 0;
        while next < texts.all.len() && texts.all.len() < MAX_FILES {
            for (path, prefix) in uses(&texts.all[next].file) {
                let found = match known.get(&path.text) {
                    Some(&found) => found,
                    None => {
                        let outer = &texts.all[next].prefix;
                        let full = prefix.as_ref().map_or(String::new(), |p| format!("{outer}{}.", p.text));
                        let found = load(library, &path.text).map(|used| texts.add(used, full));
                        if found.is_none() {
                            missing.push(missing_library(&path));
                        }
                        known.insert(path.text.clone(), found);
                        found
                    }
                };
                texts.all[next].uses.extend(found.map(|library| LibraryUse { prefix, library }));
            }
            next += 1;
        }
        (texts, missing)
    }

    fn add(&mut self, file: ast::File, prefix: String) -> usize {
        let declared = file.items.iter().flat_map(declared_names);
        let names = declared.map(|name| (name.text.clone(), format!("{prefix}{}", name.text))).collect();
        let index = self.all.len();
        if let Some(first) = file.items.first() {
            self.by_file.entry(first.span.file).or_insert(index);
        }
        self.all.push(AnalyzedFile { file, uses: Vec::new(), prefix, names });
        index
    }

    /// The files, in the order in which they were read.
    pub fn iter(&self) -> impl Iterator<Item = &AnalyzedFile> {
        self.all.iter()
    }

    /// The game's own file.
    pub fn own(&self) -> &ast::File {
        &self.all[0].file
    }

    /// The file of a place; settings from outside count as the game's.
    pub fn at(&self, span: Span) -> &AnalyzedFile {
        &self.all[self.by_file.get(&span.file).copied().unwrap_or(0)]
    }

    /// The global name of a name that is written at `span` without a prefix.
    pub fn global_name<'t>(&'t self, name: &'t str, span: Span) -> &'t str {
        let text = self.at(span);
        let open = text.uses.iter().filter(|used| used.prefix.is_none());
        let mut seen = std::iter::once(text).chain(open.map(|used| &self.all[used.library]));
        seen.find_map(|text| text.global_name(name)).unwrap_or(name)
    }

    /// The library that is used `as prefix` in the file of this place.
    pub fn library(&self, prefix: &str, span: Span) -> Option<&AnalyzedFile> {
        self.used(prefix, span).map(|used| &self.all[used.library])
    }

    /// The declaration of the prefix in the file of this place.
    pub fn prefix(&self, prefix: &str, span: Span) -> Option<&Name> {
        self.used(prefix, span)?.prefix.as_ref()
    }

    fn used(&self, prefix: &str, span: Span) -> Option<&LibraryUse> {
        let is_it = |used: &&LibraryUse| used.prefix.as_ref().is_some_and(|p| p.text == prefix);
        self.at(span).uses.iter().find(is_it)
    }

    /// The prefix under which the file of this place sees a name that it does not see without one.
    pub fn prefix_of(&self, name: &str, span: Span) -> Option<&str> {
        let with = |used: &&LibraryUse| self.all[used.library].global_name(name).is_some();
        self.at(span).uses.iter().filter(with).find_map(|used| used.prefix.as_ref()).map(|p| p.text.as_str())
    }
}

impl AnalyzedFile {
    /// The global name of a name of this file; `None` if the file does not declare it.
    pub fn global_name(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }

    /// The names that the file declares.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }
}

/// The names that an item declares for the whole file. Members of types are found by their types and phases by their
/// place, so neither has a prefix.
pub(super) fn declared_names(item: &Item) -> Vec<&Name> {
    match &item.kind {
        ItemKind::Param { name, .. }
        | ItemKind::Const { name, .. }
        | ItemKind::Enum { name, .. }
        | ItemKind::Record { name, .. }
        | ItemKind::TypeAlias { name, .. }
        | ItemKind::Board { name, .. }
        | ItemKind::Def { name, .. }
        | ItemKind::Inductive { name, .. }
        | ItemKind::Effect { name, .. } => vec![name],
        ItemKind::Move(m) => vec![&m.name],
        ItemKind::State(fields) => fields.iter().map(|field| &field.name).collect(),
        _ => Vec::new(),
    }
}

fn uses(file: &ast::File) -> Vec<(ast::Str, Option<Name>)> {
    let used = |item: &Item| match &item.kind {
        ItemKind::Use { path, prefix } => Some((path.clone(), prefix.clone())),
        _ => None,
    };
    file.items.iter().filter_map(used).collect()
}

fn load(library: &mut dyn Library, path: &str) -> Option<ast::File> {
    match STD.iter().find(|(name, _)| *name == path) {
        Some((name, text)) => Some(library.embedded(name, text)),
        None => library.load(path),
    }
}

fn missing_library(path: &ast::Str) -> Diagnostic {
    let found = Diagnostic::new(
        Code::E0108,
        format!("the library `{}` is not found", path.text),
        path.span,
        "no such file, and no such library of the language",
    );
    match diag::nearest(&path.text, STD.iter().map(|(name, _)| *name)) {
        Some(name) => found.help(format!("did you mean `{name}`?")).edit(path.span, format!("\"{name}\"")),
        None => {
            found.help("the path is taken from the folder of this file; `std/...` comes with the language")
        }
    }
}
