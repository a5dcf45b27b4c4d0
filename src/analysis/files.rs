//! The files of one analysis, the game's own and the libraries it uses, and the names visible in each.
//!
//! A library is read once, and its names are global: as they are, or as `l.name` if the first file to use it says
//! `as l`. Each file sees them as its own `use` says: with a prefix after `use "x" as l`, without one after `use "x"`.
//! Items without a name of their own (`end`, `every move`) belong to the game.
//!
//! Files that use each other without a prefix share a scope: all names of one are names of the others. A name that a
//! scope does not declare, and that is no word of the language, is looked up in the scope of the file that uses it first.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use super::Library;
use super::expr::BUILT_IN_NAMES;
use bouton_base::source::{FileId, Span};
use bouton_rules::board::Dir;
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
    /// The members of its types.
    members: Vec<String>,
    /// The first file of its scope.
    scope: usize,
    /// The files that use it, in the order in which they were read.
    users: Vec<usize>,
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
    /// The names of libraries that mean different things in two files that use the library, with a place of each.
    ambiguous: RefCell<BTreeMap<(usize, String), Span>>,
}

impl FileSet {
    /// Reads the libraries that a file uses, directly or not. Also returns the errors for missing ones.
    pub fn read(file: &ast::File, library: &mut dyn Library) -> (FileSet, Vec<Diagnostic>) {
        let mut texts = FileSet { all: Vec::new(), by_file: HashMap::new(), ambiguous: RefCell::default() };
        texts.add(file.clone(), String::new(), None);
        let mut known: HashMap<String, Option<usize>> = HashMap::new();
        let mut missing = Vec::new();
        let mut next = 0;
        while next < texts.all.len() && texts.all.len() < MAX_FILES {
            for (path, prefix) in uses(&texts.all[next].file) {
                let found = match known.get(&path.text) {
                    Some(&found) => found,
                    None => {
                        let full = texts.new_prefix(next, prefix.as_ref());
                        let scope = texts.all[next].scope;
                        let scope = Some(scope).filter(|_| prefix.is_none());
                        let found = load(library, &path.text).map(|used| texts.add(used, full, scope));
                        if found.is_none() {
                            missing.push(missing_library(&path));
                        }
                        known.insert(path.text.clone(), found);
                        found
                    }
                };
                if let Some(library) = found {
                    texts.all[library].users.push(next);
                    texts.all[next].uses.push(LibraryUse { prefix, library });
                }
            }
            next += 1;
        }
        (texts, missing)
    }

    /// The global prefix of a library that a file uses first; another one than those of all libraries before it, unless
    /// it shares the scope of the file.
    fn new_prefix(&self, user: usize, prefix: Option<&Name>) -> String {
        let outer = &self.all[user].prefix;
        let Some(prefix) = prefix else { return outer.clone() };
        let full = |number: &str| format!("{outer}{}{number}.", prefix.text);
        let is_new = |full: &String| self.all.iter().all(|text| text.prefix != *full);
        let numbered = (2..).map(|number: usize| full(&number.to_string()));
        std::iter::once(full("")).chain(numbered).find(is_new).unwrap_or_default()
    }

    /// Adds a file to a scope, or as the first one of its own.
    fn add(&mut self, file: ast::File, prefix: String, scope: Option<usize>) -> usize {
        let declared = file.items.iter().flat_map(declared_names);
        let names = declared.map(|name| (name.text.clone(), format!("{prefix}{}", name.text))).collect();
        let members = file.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Enum { members, .. } => Some(members.iter().map(|member| member.text.clone())),
            _ => None,
        });
        let members = members.flatten().collect();
        let index = self.all.len();
        if let Some(first) = file.items.first() {
            self.by_file.entry(first.span.file).or_insert(index);
        }
        let (uses, users, scope) = (Vec::new(), Vec::new(), scope.unwrap_or(index));
        self.all.push(AnalyzedFile { file, uses, prefix, names, members, scope, users });
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
        &self.all[self.index_at(span)]
    }

    fn index_at(&self, span: Span) -> usize {
        self.by_file.get(&span.file).copied().unwrap_or(0)
    }

    /// The global name of a declaration.
    pub fn declared_name<'t>(&'t self, name: &'t Name) -> &'t str {
        self.at(name.span).names.get(&name.text).map_or(name.text.as_str(), String::as_str)
    }

    /// The global name of a name that is written at `span` without a prefix; `None` if it is declared nowhere.
    pub fn global_name(&self, name: &str, span: Span) -> Option<&str> {
        let scope = self.all[self.index_at(span)].scope;
        if let Some(found) = self.name_of_scope(scope, name) {
            return Some(found);
        }
        let mut users = self.all[scope].users.iter().map(|user| self.name_from(*user, scope, name));
        let found = users.next()?;
        if users.any(|other| other != found) {
            self.ambiguous.borrow_mut().entry((scope, name.to_owned())).or_insert(span);
        }
        found
    }

    /// The global name that a name of a library has in a file that uses it.
    fn name_from(&self, user: usize, library: usize, name: &str) -> Option<&str> {
        let mut inner = library;
        let mut outer = self.all[user].scope;
        let is_board = |item: &Item| matches!(item.kind, ItemKind::Board { .. });
        let has_board = || self.all.iter().any(|text| text.file.items.iter().any(is_board));
        let is_direction = Dir::ALL.iter().any(|dir| dir.name() == name) && has_board();
        let is_built_in = BUILT_IN_NAMES.contains(&name) || is_direction;
        // A library that uses itself, and each library from its first user outwards.
        for _ in 0..MAX_FILES {
            let is_own = self.scope_files(inner).any(|text| text.members.iter().any(|member| member == name));
            if is_own || is_built_in || inner == outer {
                return None;
            }
            if let Some(found) = self.name_of_scope(outer, name) {
                return Some(found);
            }
            inner = outer;
            outer = self.all[*self.all[outer].users.first()?].scope;
        }
        None
    }

    fn scope_files(&self, scope: usize) -> impl Iterator<Item = &AnalyzedFile> {
        self.all.iter().filter(move |text| text.scope == scope)
    }

    /// The global name of a name that a scope declares, or a library that it uses without a prefix.
    fn name_of_scope(&self, scope: usize, name: &str) -> Option<&str> {
        let mut scopes = vec![scope];
        let mut next = 0;
        while let Some(&scope) = scopes.get(next) {
            if let Some(found) = self.scope_files(scope).find_map(|text| text.names.get(name)) {
                return Some(found);
            }
            let open = self
                .scope_files(scope)
                .flat_map(|text| text.uses.iter().filter(|used| used.prefix.is_none()));
            for used in open {
                let other = self.all[used.library].scope;
                if !scopes.contains(&other) {
                    scopes.push(other);
                }
            }
            next += 1;
        }
        None
    }

    /// The global name of a name of a library; `None` if the library does not declare it.
    pub fn name_in(&self, library: &AnalyzedFile, name: &str) -> Option<&str> {
        self.name_of_scope(library.scope, name)
    }

    /// The names that a library declares.
    pub fn names_in(&self, library: &AnalyzedFile) -> impl Iterator<Item = &str> {
        self.scope_files(library.scope).flat_map(|text| text.names.keys().map(String::as_str))
    }

    /// The global name of a path of prefixes and a name, `n` or `l.n` or `l.m.n`, that is written at `span`.
    pub fn name_of_path(&self, path: &str, span: Span) -> Option<&str> {
        let mut words = path.split('.');
        let name = words.next_back()?;
        let mut at = self.index_at(span);
        let mut is_plain = true;
        for prefix in words {
            at = self.used_in(at, prefix)?.library;
            is_plain = false;
        }
        if is_plain { self.global_name(name, span) } else { self.name_of_scope(self.all[at].scope, name) }
    }

    /// Errors for names of a library that mean different things in two files that use the library.
    pub fn ambiguous_names(&self) -> Vec<Diagnostic> {
        let all = self.ambiguous.borrow();
        all.iter()
            .map(|((_, name), span)| {
                let title = format!("`{name}` has one meaning in one file that uses this library, and another in a second file");
                let found = Diagnostic::new(Code::E0105, title, *span, "which of them?");
                found.help(
                    "a library is read once, and its names that it does not declare are those of the file that uses it: \
                     give the two declarations different names, or use the library in one of the files alone",
                )
            })
            .collect()
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
        self.used_in(self.index_at(span), prefix)
    }

    fn used_in(&self, index: usize, prefix: &str) -> Option<&LibraryUse> {
        let is_it = |used: &&LibraryUse| used.prefix.as_ref().is_some_and(|p| p.text == prefix);
        self.all[index].uses.iter().find(is_it)
    }

    /// The prefix under which the file of this place sees a name that it does not see without one.
    pub fn prefix_of(&self, name: &str, span: Span) -> Option<&str> {
        let with = |used: &&LibraryUse| self.name_in(&self.all[used.library], name).is_some();
        self.at(span).uses.iter().filter(with).find_map(|used| used.prefix.as_ref()).map(|p| p.text.as_str())
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
