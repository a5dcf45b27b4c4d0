//! The index of a file: its definitions, and the references to them, for editors (go to definition, hover, rename).
//!
//! Analysis notes each name as it resolves it, so the index has what was elaborated: also beside errors, but without the
//! claims of other groups, other presets, and effects that no move calls. [`Index::merge`] joins the indices of several
//! analyses of one file.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use super::analyzer::{Analyzer, Resolution};
use super::files::declared_names;
use super::symbols::{ConstValue, SymbolKind};
use bouton_base::source::{FileId, Span};
use bouton_rules::{BoardId, EnumId, PLAYER, Rules, TableId, Type, keys_of};
use bouton_syntax::ast::{self, ItemKind, Name};
use bouton_syntax::diag::{Diagnostic, Severity};

/// The kind of a definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DefinitionKind {
    Parameter,
    Constant,
    /// An enum or an alias.
    Type,
    Record,
    /// A part of a record.
    Part,
    Board,
    /// A player, or a member of an enum.
    Member,
    Phase,
    Field,
    /// A definition or an inductive definition.
    Definition,
    Move,
    Effect,
    /// A key of a field or table.
    Key,
    /// A variable of a move, a definition, a binder or a `let`.
    Variable,
}

/// The maximal number of entries of a table, or of cells of a board, that a definition's value lists.
const MAX_LISTED_ENTRIES: usize = 16;
/// The maximal number of characters of a value.
const MAX_VALUE_CHARACTERS: usize = 200;

/// A definition: a declared name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The name as declared, without the prefix of its library.
    pub name: String,
    pub kind: DefinitionKind,
    /// The span of the name.
    pub span: Span,
    /// The type of the value, in the language's syntax; `None` if it has none or is damaged.
    pub ty: Option<String>,
    /// The value of a parameter or constant, or the cells of a board, as text; long ones are cut.
    pub value: Option<String>,
    /// The `///` lines.
    pub doc: Vec<String>,
    /// True if its item has an error.
    pub is_damaged: bool,
}

/// A use of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reference {
    /// The span of the name, with the prefix of its library if that is written before it.
    pub span: Span,
    /// The span of the definition's name.
    pub definition: Span,
}

/// The definitions and references of a file and the libraries it uses.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The definitions by span.
    definitions: BTreeMap<Span, Definition>,
    /// The references: the span of each with that of its definition.
    references: BTreeMap<Span, Span>,
}

impl Index {
    /// The definitions, by span.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// The references, by span.
    pub fn references(&self) -> impl Iterator<Item = Reference> {
        self.references.iter().map(|(&span, &definition)| Reference { span, definition })
    }

    /// The definition that a place of a file names or declares, given by its byte offset.
    pub fn definition_at(&self, file: FileId, offset: usize) -> Option<&Definition> {
        let place = Span::new(file, offset, offset);
        let used =
            self.references.iter().find(|(span, _)| span.covers(place)).map(|(_, definition)| definition);
        let declared = || self.definitions.keys().find(|span| span.covers(place));
        self.definitions.get(used.or_else(declared)?)
    }

    /// The spans of the references to a definition.
    pub fn references_to(&self, definition: &Definition) -> Vec<Span> {
        let uses = self.references.iter().filter(|(_, to)| **to == definition.span);
        uses.map(|(span, _)| *span).collect()
    }

    /// Adds the definitions and references of another analysis of the same file.
    pub fn merge(&mut self, other: Index) {
        for (span, definition) in other.definitions {
            self.definitions.entry(span).or_insert(definition);
        }
        self.references.extend(other.references);
    }
}

/// The names that analysis has resolved so far.
#[derive(Default)]
pub(super) struct NameLog {
    /// The definition of each use.
    uses: RefCell<BTreeMap<Span, Span>>,
    /// The variables and keys, each with its name, kind and type.
    locals: RefCell<BTreeMap<Span, (String, DefinitionKind, Type)>>,
}

impl NameLog {
    /// Notes a use of the definition at `to`.
    pub fn refer(&self, at: Span, to: Span) {
        self.uses.borrow_mut().insert(at, to);
    }

    /// Notes a variable or a key.
    pub fn define(&self, name: &Name, kind: DefinitionKind, ty: &Type) {
        self.locals.borrow_mut().insert(name.span, (name.text.clone(), kind, ty.clone()));
    }

    /// The definition of the name at a place.
    pub fn definition_of(&self, at: Span) -> Option<Span> {
        self.uses.borrow().get(&at).copied()
    }

    /// The uses of the definition at a place, in order.
    pub fn uses_of(&self, declared: Span) -> Vec<Span> {
        self.uses.borrow().iter().filter(|(_, to)| **to == declared).map(|(at, _)| *at).collect()
    }

    /// The span of the last variable with this name before a place.
    pub fn variable_before(&self, name: &str, place: Span) -> Option<Span> {
        let locals = self.locals.borrow();
        let is_variable = |kind: &DefinitionKind| matches!(kind, DefinitionKind::Variable);
        let mut before = locals.range(..place).rev().filter(|(_, (_, kind, _))| is_variable(kind));
        before.find(|(span, (other, ..))| span.file == place.file && other == name).map(|(span, _)| *span)
    }

    /// The span of the last key with this name before a place.
    pub fn key_before(&self, name: &str, place: Span) -> Option<Span> {
        let locals = self.locals.borrow();
        let mut keys = locals.range(..place).rev().filter(|(_, (_, kind, _))| *kind == DefinitionKind::Key);
        keys.find(|(span, (key, ..))| span.file == place.file && key == name).map(|(span, _)| *span)
    }
}

/// The item around a definition.
#[derive(Clone, Copy)]
struct ItemFacts<'i> {
    doc: &'i [String],
    is_damaged: bool,
}

impl<'a> Analyzer<'a> {
    /// The index of all that was resolved, with the diagnostics of the analysis.
    pub fn resolved_names(&self, diagnostics: &[Diagnostic]) -> Index {
        let errors = diagnostics.iter().filter(|found| found.severity() == Severity::Error);
        let errors: Vec<Span> = errors.map(Diagnostic::span).collect();
        let mut index = Index::default();
        let mut items = Vec::new();
        for (item, _) in self.items() {
            self.note_settings(item);
            let is_damaged = errors.iter().any(|&error| item.span.covers(error));
            items.push((item.span, is_damaged));
            self.define_item(item, ItemFacts { doc: &item.doc, is_damaged }, &mut index);
        }
        for (span, (name, kind, ty)) in self.names.locals.borrow().iter() {
            let is_damaged = items.iter().any(|(item, damaged)| *damaged && item.covers(*span));
            let facts = ItemFacts { doc: &[], is_damaged };
            let ty = shown(&self.rules, ty);
            define(&mut index, &Name { text: name.clone(), span: *span }, *kind, ty, facts);
        }
        // A name that hides another was looked up where it is declared.
        let declared: HashSet<Span> = index.definitions.keys().copied().collect();
        let uses = self.names.uses.borrow();
        let uses = uses.iter().filter(|(at, to)| declared.contains(to) && !declared.contains(at));
        index.references = uses.map(|(at, to)| (*at, *to)).collect();
        index
    }

    /// Notes the parameters that a preset or a claim sets, also those of other groups.
    fn note_settings(&self, item: &ast::Item) {
        let settings = match &item.kind {
            ItemKind::Preset { settings, .. } => settings,
            ItemKind::Expect(expect) => &expect.settings,
            ItemKind::Test(test) => {
                let in_test = test.steps.iter().filter_map(|step| match step {
                    ast::TestStep::Expect(expect) => Some(&expect.settings),
                    _ => None,
                });
                in_test.flatten().for_each(|setting| self.note_setting(&setting.name));
                &test.settings
            }
            _ => return,
        };
        settings.iter().for_each(|setting| self.note_setting(&setting.name));
    }

    fn note_setting(&self, name: &Name) {
        // The look-up notes the use.
        self.find_path(&name.text, name.span);
    }

    fn define_item(&self, item: &'a ast::Item, facts: ItemFacts<'_>, index: &mut Index) {
        for name in declared_names(item) {
            let symbol = self.symbols.get(self.global_name(name));
            // A second declaration of a name is no definition.
            let Some(symbol) = symbol.filter(|symbol| symbol.span == name.span) else { continue };
            let (kind, ty) = self.symbol_facts(&symbol.kind);
            define(index, name, kind, ty, facts);
            if let Some(definition) = index.definitions.get_mut(&name.span) {
                definition.value = self.symbol_value(&symbol.kind);
            }
        }
        match &item.kind {
            ItemKind::Players(names) => self.define_members(names, PLAYER, facts, index),
            ItemKind::Enum { name, members } => {
                if let Some(SymbolKind::Enum(id)) = self.symbols.get(self.global_name(name)).map(|s| &s.kind)
                {
                    self.define_members(members, *id, facts, index);
                }
            }
            ItemKind::Record { name, parts } => {
                let symbol = self.symbols.get(self.global_name(name)).map(|symbol| &symbol.kind);
                let Some(SymbolKind::Record { id: Resolution::Resolved(id), .. }) = symbol else { return };
                for (part, (_, ty)) in parts.iter().zip(&self.rules.records[*id].parts) {
                    define(index, &part.name, DefinitionKind::Part, shown(&self.rules, ty), facts);
                }
            }
            ItemKind::Phases(phases) => {
                phases
                    .iter()
                    .for_each(|phase| define(index, &phase.name, DefinitionKind::Phase, None, facts));
            }
            ItemKind::State(fields) => {
                for field in fields {
                    if let Some(definition) = index.definitions.get_mut(&field.name.span) {
                        definition.doc.clone_from(&field.doc);
                    }
                }
            }
            _ => {}
        }
    }

    fn define_members(&self, names: &[Name], of: EnumId, facts: ItemFacts<'_>, index: &mut Index) {
        let ty = &self.rules.enums[of].name;
        let facts = ItemFacts { doc: &[], ..facts };
        names.iter().for_each(|name| define(index, name, DefinitionKind::Member, Some(ty.clone()), facts));
    }

    /// The value of a parameter or constant, or the cells of a board, as text.
    fn symbol_value(&self, kind: &SymbolKind<'a>) -> Option<String> {
        let rules = &self.rules;
        match kind {
            SymbolKind::Param { value, .. } => Some(cut(&rules.show(resolved(value)?.constant()?))),
            SymbolKind::Const { value, .. } => match resolved(value)? {
                ConstValue::Plain(value) => Some(cut(&rules.show(value.constant()?))),
                ConstValue::Table(table) => Some(self.table_text(*table)),
            },
            SymbolKind::Board { id, .. } => Some(self.board_text((*resolved(id)?)?)),
            _ => None,
        }
    }

    /// The first entries of a table, a line each.
    fn table_text(&self, id: TableId) -> String {
        let (rules, table) = (&self.rules, &self.rules.tables[id]);
        let mut lines = Vec::new();
        for (cell, value) in table.values.iter().enumerate().take(MAX_LISTED_ENTRIES) {
            let keys: Vec<String> = keys_of(&table.keys, cell).iter().map(|key| rules.show(key)).collect();
            let value = value.as_ref().map_or("undefined".to_owned(), |value| cut(&rules.show(value)));
            lines.push(format!("{} => {value}", keys.join(", ")));
        }
        if table.values.len() > MAX_LISTED_ENTRIES {
            lines.push(format!("... {} entries", table.values.len()));
        }
        lines.join("\n")
    }

    /// The number of cells of a board, its first and last cell, and its directions.
    fn board_text(&self, id: BoardId) -> String {
        let board = &self.rules.boards[id];
        let cells = board.cell_names();
        let mut text = match cells {
            [] => "no cells".to_owned(),
            [only] => format!("1 cell: {only}"),
            _ if cells.len() <= MAX_LISTED_ENTRIES => format!("{} cells: {}", cells.len(), cells.join(", ")),
            [first, .., last] => format!("{} cells: {first} to {last}", cells.len()),
        };
        if let (Type::Int(1, columns), Type::Int(1, rows)) = (&board.col, &board.row) {
            text += &format!("\n{columns} columns, {rows} rows");
        }
        let directions: Vec<&str> = board.directions().iter().map(|dir| dir.name()).collect();
        if !directions.is_empty() {
            text += &format!("\ndirections: {}", directions.join(", "));
        }
        text
    }

    /// The kind of a symbol, and its type as text.
    fn symbol_facts(&self, kind: &SymbolKind<'a>) -> (DefinitionKind, Option<String>) {
        let rules = &self.rules;
        let (kind, ty) = match kind {
            SymbolKind::Param { value, .. } => {
                (DefinitionKind::Parameter, resolved(value).map(|value| &value.ty))
            }
            SymbolKind::Const { value, .. } => {
                let ty = resolved(value).map(|value| match value {
                    ConstValue::Plain(value) => &value.ty,
                    ConstValue::Table(table) => &rules.tables[*table].ty,
                });
                (DefinitionKind::Constant, ty)
            }
            SymbolKind::Enum(_) => (DefinitionKind::Type, None),
            SymbolKind::Alias { ty, .. } => (DefinitionKind::Type, resolved(ty)),
            SymbolKind::Record { .. } => (DefinitionKind::Record, None),
            SymbolKind::Board { .. } => (DefinitionKind::Board, None),
            SymbolKind::Field { id } => (DefinitionKind::Field, id.map(|id| &rules.fields[id].ty)),
            SymbolKind::Def { id, .. } | SymbolKind::Inductive { id, .. } => {
                (DefinitionKind::Definition, resolved(id).map(|id| &rules.defs[*id].ty))
            }
            SymbolKind::Move { .. } => (DefinitionKind::Move, None),
            SymbolKind::Effect { .. } => (DefinitionKind::Effect, None),
        };
        (kind, ty.and_then(|ty| shown(rules, ty)))
    }
}

/// The value as text, cut to [`MAX_VALUE_CHARACTERS`].
fn cut(value: &str) -> String {
    match value.char_indices().nth(MAX_VALUE_CHARACTERS) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_owned(),
    }
}

/// The type as text; `None` for that of a damaged expression.
fn shown(rules: &Rules, ty: &Type) -> Option<String> {
    (*ty != Type::Error).then(|| rules.show_type(ty))
}

fn resolved<T>(progress: &Resolution<T>) -> Option<&T> {
    match progress {
        Resolution::Resolved(value) => Some(value),
        Resolution::Unresolved | Resolution::InProgress => None,
    }
}

fn define(index: &mut Index, name: &Name, kind: DefinitionKind, ty: Option<String>, facts: ItemFacts<'_>) {
    let (text, span) = (name.text.clone(), name.span);
    let ItemFacts { doc, is_damaged } = facts;
    let doc = doc.to_vec();
    let definition = Definition { name: text, kind, span, ty, value: None, doc, is_damaged };
    index.definitions.insert(span, definition);
}
