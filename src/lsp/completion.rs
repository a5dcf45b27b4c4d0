//! Completion: names by type, keywords by place, snippets.

use bouton_analysis::standard_libraries;
use bouton_project::{Definition, DefinitionKind};
use bouton_syntax::ast::ItemKind;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionParams, CompletionResponse,
    CompletionTextEdit, Documentation, InsertTextFormat, MarkupContent, MarkupKind, Range, TextEdit,
};

use crate::built_ins::{self, BuiltIn};
use crate::context::{Context, Place};
use crate::keywords::{self, Keyword};
use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::{Snapshot, is_local};

/// The order of the proposals: those of the wanted type come before all others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    WantedVariable,
    Wanted,
    Variable,
    Name,
    Keyword,
    BuiltIn,
}

/// `textDocument/completion`
pub(crate) fn complete(
    server: &mut Server,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, RequestError> {
    let cursor = server.cursor(&params.text_document_position)?;
    let snapshot = &cursor.snapshot;
    let Some(context) = Context::at(snapshot.text(), &snapshot.tokens, cursor.offset) else {
        return Ok(None);
    };
    let range = snapshot.lines.range(snapshot.text(), context.typed.clone());
    let mut proposals = Proposals {
        snapshot,
        context: &context,
        range,
        has_snippets: server.has_snippets,
        items: Vec::new(),
    };
    proposals.gather();
    Ok(Some(CompletionResponse::Array(proposals.items)))
}

/// The proposals for a place.
struct Proposals<'p> {
    snapshot: &'p Snapshot,
    context: &'p Context<'p>,
    /// The range of the word that is being typed.
    range: Range,
    has_snippets: bool,
    items: Vec<CompletionItem>,
}

/// The facts of a proposal.
struct Proposal<'p> {
    label: String,
    kind: CompletionItemKind,
    rank: Rank,
    /// The text to insert, with placeholders.
    snippet: Option<String>,
    detail: Option<&'p str>,
    doc: String,
}

impl Proposals<'_> {
    fn gather(&mut self) {
        use DefinitionKind as D;
        match self.context.place() {
            Place::Item => self.keywords(keywords::ITEMS),
            Place::Statement => {
                self.keywords(keywords::STATEMENTS);
                self.variables(None);
                self.definitions(&[D::Field, D::Effect], None);
                self.built_in("mover", Rank::BuiltIn);
            }
            Place::Effect => {
                self.definitions(&[D::Field], None);
                self.built_in("mover", Rank::BuiltIn);
            }
            Place::EndRule => self.keywords(keywords::END_RULES),
            Place::Outcome => {
                self.keywords(keywords::OUTCOMES);
                self.expression(Some("Player".to_owned()));
            }
            Place::Field => self.keywords(&keywords::of_words(&["transient"])),
            Place::Phase => self.keywords(&keywords::of_words(&["setup"])),
            Place::TestStep => self.keywords(keywords::TEST_STEPS),
            Place::Parameter => self.definitions(&[D::Parameter], None),
            Place::Type => {
                self.keywords(keywords::TYPES);
                self.definitions(&[D::Type, D::Record, D::Board, D::Parameter, D::Constant], None);
                ["Player", "Dir", "Orthogonal", "Diagonal", "sides", "edges"]
                    .iter()
                    .for_each(|name| self.built_in(name, Rank::BuiltIn));
            }
            Place::Part => self.parts(),
            Place::PhaseName => self.definitions(&[D::Phase], None),
            Place::Actor => {
                self.keywords(&keywords::of_words(&["each"]));
                self.expression(Some("Player".to_owned()));
            }
            Place::Claim => {
                self.keywords(keywords::CLAIMS);
                self.expression(Some("Player".to_owned()));
            }
            Place::Move => self.definitions(&[D::Move], None),
            Place::Library => self.libraries(),
            Place::Symmetry => {
                self.keywords(&keywords::of_words(&["auto", "none"]));
                self.definitions(&[D::Board], None);
                ["sides", "edges"].iter().for_each(|name| self.built_in(name, Rank::BuiltIn));
            }
            Place::Words(words) => self.keywords(&keywords::of_words(words)),
            Place::Expression => {
                let wanted = self.wanted_type();
                self.expression(wanted);
            }
            Place::NewName => {}
        }
    }

    /// Everything that an expression may begin with.
    fn expression(&mut self, wanted: Option<String>) {
        use DefinitionKind as D;
        let wanted = wanted.as_deref();
        self.variables(wanted);
        let kinds = [
            D::Parameter,
            D::Constant,
            D::Type,
            D::Record,
            D::Board,
            D::Member,
            D::Phase,
            D::Field,
            D::Definition,
        ];
        self.definitions(&kinds, wanted);
        self.prefixes();
        self.keywords(keywords::EXPRESSIONS);
        for built_in in built_ins::BUILT_INS {
            let is_player = ["me", "opponent", "mover", "other"].contains(&built_in.name);
            let fits = is_player && wanted.is_some_and(|ty| base(ty) == "Player");
            self.built_in(built_in.name, if fits { Rank::Wanted } else { Rank::BuiltIn });
        }
        if self.context.item_word() == "board" {
            built_ins::BOARDS.iter().for_each(|board| self.add_built_in(board, Rank::Wanted));
        }
    }

    fn keywords(&mut self, table: &[Keyword]) {
        for known in table {
            let snippet = (known.snippet != known.word).then(|| known.snippet.to_owned());
            let (kind, rank) = (CompletionItemKind::KEYWORD, Rank::Keyword);
            let (label, doc) = (known.word.to_owned(), known.meaning.to_owned());
            self.add(Proposal { label, kind, rank, snippet, detail: None, doc });
        }
    }

    fn built_in(&mut self, name: &str, rank: Rank) {
        if let Some(known) = built_ins::find(name) {
            self.add_built_in(known, rank);
        }
    }

    fn add_built_in(&mut self, known: &'static BuiltIn, rank: Rank) {
        let arguments = known.arguments();
        let kind =
            if arguments.is_some() { CompletionItemKind::FUNCTION } else { CompletionItemKind::CONSTANT };
        let snippet = arguments.map(|_| format!("{}($1)", known.name));
        let (label, doc) = (known.name.to_owned(), known.meaning.to_owned());
        self.add(Proposal { label, kind, rank, snippet, detail: Some(known.form), doc });
    }

    /// The variables in scope; the innermost of a name counts.
    fn variables(&mut self, wanted: Option<&str>) {
        let variables = self.context.variables();
        for (at, variable) in variables.iter().enumerate() {
            if variables[at + 1..].iter().any(|inner| inner.name == variable.name) {
                continue;
            }
            let fits = variable.ty.as_deref().is_some_and(|ty| wanted.is_some_and(|wanted| fits(ty, wanted)));
            self.add(Proposal {
                label: variable.name.to_owned(),
                kind: CompletionItemKind::VARIABLE,
                rank: if fits { Rank::WantedVariable } else { Rank::Variable },
                snippet: None,
                detail: variable.ty.as_deref(),
                doc: String::new(),
            });
        }
    }

    /// The declared names of these kinds that the document sees.
    fn definitions(&mut self, kinds: &[DefinitionKind], wanted: Option<&str>) {
        let snapshot = self.snapshot;
        for definition in snapshot.index.definitions().filter(|of| kinds.contains(&of.kind)) {
            // Members and phases have no prefix.
            let is_free = matches!(definition.kind, DefinitionKind::Member | DefinitionKind::Phase);
            let name =
                if is_free { Some(definition.name.clone()) } else { snapshot.visible_name(definition) };
            if let Some(name) = name {
                let fits =
                    definition.ty.as_deref().is_some_and(|ty| wanted.is_some_and(|wanted| fits(ty, wanted)));
                self.definition(definition, name, if fits { Rank::Wanted } else { Rank::Name });
            }
        }
    }

    fn definition(&mut self, definition: &Definition, label: String, rank: Rank) {
        let parameters = self.snapshot.parameters(definition).filter(|binds| !binds.is_empty());
        let is_indexed = matches!(definition.kind, DefinitionKind::Field | DefinitionKind::Constant);
        let snippet = match (parameters, is_indexed) {
            (Some(_), true) => Some(format!("{label}[$1]")),
            (Some(_), false) => Some(format!("{label}($1)")),
            (None, _) if matches!(definition.kind, DefinitionKind::Effect | DefinitionKind::Move) => {
                Some(format!("{label}()"))
            }
            (None, _) => None,
        };
        let (kind, doc) = (item_kind(definition.kind), definition.doc.join("\n"));
        self.add(Proposal { label, kind, rank, snippet, detail: definition.ty.as_deref(), doc });
    }

    /// The prefixes of libraries.
    fn prefixes(&mut self) {
        let snapshot = self.snapshot;
        for item in &snapshot.tree().items {
            if let ItemKind::Use { path, prefix: Some(prefix) } = &item.kind {
                self.add(Proposal {
                    label: prefix.text.clone(),
                    kind: CompletionItemKind::MODULE,
                    rank: Rank::Name,
                    snippet: None,
                    detail: Some(&path.text),
                    doc: String::new(),
                });
            }
        }
    }

    fn libraries(&mut self) {
        for path in standard_libraries() {
            let label = format!("\"{path}\"");
            let (kind, doc) = (CompletionItemKind::MODULE, String::new());
            self.add(Proposal { label, kind, rank: Rank::Name, snippet: None, detail: None, doc });
        }
    }

    /// The names after a dot: of a library, the members of a type, the parts of a record or a cell.
    fn parts(&mut self) {
        let snapshot = self.snapshot;
        let operand = self.context.operand_before(1);
        if let [prefix] = operand[..] {
            let begin = format!("{prefix}.");
            let of_library = |of: &&Definition| !is_local(of.kind) && of.span.file != snapshot.file();
            let in_library: Vec<&Definition> = snapshot.index.definitions().filter(of_library).collect();
            let mut found = false;
            for definition in in_library {
                let name = snapshot.visible_name(definition).unwrap_or_default();
                if let Some(name) = name.strip_prefix(&begin) {
                    self.definition(definition, name.to_owned(), Rank::Name);
                    found = true;
                }
            }
            if found {
                return;
            }
        }
        let ty = self.type_of(&operand);
        let name = ty.as_deref().map(base);
        // `Kind.man`
        let of_type = operand.first().filter(|_| operand.len() == 1).and_then(|name| snapshot.named(name));
        if let Some(of) = of_type.filter(|of| of.kind == DefinitionKind::Type) {
            let is_member = |member: &&Definition| {
                member.kind == DefinitionKind::Member && member.ty.as_deref() == Some(of.name.as_str())
            };
            for member in snapshot.index.definitions().filter(is_member) {
                self.definition(member, member.name.clone(), Rank::Name);
            }
            return;
        }
        let record =
            name.and_then(|name| snapshot.named(name)).filter(|of| of.kind == DefinitionKind::Record);
        for part in snapshot.index.definitions().filter(|of| of.kind == DefinitionKind::Part) {
            let of_record = record.map(|record| {
                snapshot.item_around(record.span).is_some_and(|item| item.span.covers(part.span))
            });
            if of_record.unwrap_or(name.is_none()) {
                self.definition(part, part.name.clone(), Rank::Name);
            }
        }
        let is_cell = name.is_none_or(|name| {
            let board = snapshot.named(name).is_some_and(|of| of.kind == DefinitionKind::Board);
            board || name.starts_with("sides(") || name.starts_with("edges(")
        });
        if record.is_none() && is_cell {
            for part in built_ins::CELL_PARTS {
                self.add_built_in(part, Rank::Name);
            }
        }
    }

    /// The type of an operand by its words, `at [ c ] . owner`, if the name that it ends with is known.
    fn type_of(&self, words: &[&str]) -> Option<String> {
        let snapshot = self.snapshot;
        let mut depth = 0;
        // The last name outside of brackets gives the type.
        let mut chain: Vec<&str> = Vec::new();
        for word in words {
            match *word {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                "." => {}
                name if depth == 0 => chain.push(name),
                _ => {}
            }
        }
        let (first, parts) = chain.split_first()?;
        if let Some(part) = parts.last() {
            let of_library = snapshot.named(&chain.join(".")).and_then(|of| of.ty.clone());
            let is_part = |of: &&Definition| of.kind == DefinitionKind::Part && of.name == *part;
            return of_library.or_else(|| snapshot.index.definitions().find(is_part)?.ty.clone());
        }
        let variable = self.context.variables().into_iter().rev().find(|variable| variable.name == *first);
        if let Some(variable) = variable {
            let ty = variable.ty?;
            let is_type =
                |kind| matches!(kind, DefinitionKind::Type | DefinitionKind::Board | DefinitionKind::Record);
            return match snapshot.named(&ty) {
                // `d in hand[me]` is an element of the set.
                Some(set) if !is_type(set.kind) => Some(set.ty.as_ref()?.strip_prefix("set of ")?.to_owned()),
                _ => Some(ty),
            };
        }
        if ["me", "opponent", "mover", "other"].contains(first) {
            return Some("Player".to_owned());
        }
        let definition = snapshot.named(first).or_else(|| {
            let is_member = |of: &&Definition| of.kind == DefinitionKind::Member && of.name == *first;
            snapshot.index.definitions().find(is_member)
        })?;
        match definition.kind {
            // `Cell(1, 2)` is a cell, `Piece(...)` is a piece.
            DefinitionKind::Board | DefinitionKind::Record if words.len() > 1 => {
                Some(definition.name.clone())
            }
            _ => definition.ty.clone(),
        }
    }

    /// The type that the place wants: that of the other side of a comparison or effect, of a key, or of an argument.
    fn wanted_type(&self) -> Option<String> {
        if let Some(operand) = self.context.comparison() {
            return self.type_of(&operand);
        }
        let last = self.context.words_before().next()?;
        if !["(", "[", ","].contains(&last) {
            return None;
        }
        let (name, _, argument) = self.context.call()?;
        let definition = self.snapshot.named(&name.join("."))?;
        let parameters = self.snapshot.parameters(definition)?;
        Some(self.snapshot.squeezed(parameters.get(argument)?.ty.span))
    }

    fn add(&mut self, proposal: Proposal<'_>) {
        let Proposal { label, kind, rank, snippet, detail, doc } = proposal;
        let snippet = snippet.filter(|_| self.has_snippets);
        let format = if snippet.is_some() { InsertTextFormat::SNIPPET } else { InsertTextFormat::PLAIN_TEXT };
        let new_text = snippet.unwrap_or_else(|| label.clone());
        let details = detail
            .map(|detail| CompletionItemLabelDetails { detail: None, description: Some(detail.to_owned()) });
        self.items.push(CompletionItem {
            sort_text: Some(format!("{}{label}", rank as u8)),
            kind: Some(kind),
            detail: detail.map(str::to_owned),
            label_details: details,
            documentation: (!doc.is_empty()).then_some(Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: doc,
            })),
            insert_text_format: Some(format),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: self.range, new_text })),
            label,
            ..CompletionItem::default()
        });
    }
}

/// The type without its option.
fn base(ty: &str) -> &str {
    ty.trim_end_matches('?')
}

/// True if a value of a type may be wanted where another is: the same type, or both are numbers.
fn fits(ty: &str, wanted: &str) -> bool {
    let is_number = |ty: &str| ty.contains("..");
    base(ty) == base(wanted) || is_number(ty) && is_number(wanted)
}

/// The kind of a definition in the protocol.
fn item_kind(kind: DefinitionKind) -> CompletionItemKind {
    match kind {
        DefinitionKind::Parameter | DefinitionKind::Constant => CompletionItemKind::CONSTANT,
        DefinitionKind::Type => CompletionItemKind::ENUM,
        DefinitionKind::Record => CompletionItemKind::STRUCT,
        DefinitionKind::Part => CompletionItemKind::PROPERTY,
        DefinitionKind::Board => CompletionItemKind::CLASS,
        DefinitionKind::Member | DefinitionKind::Phase => CompletionItemKind::ENUM_MEMBER,
        DefinitionKind::Field => CompletionItemKind::FIELD,
        DefinitionKind::Definition => CompletionItemKind::FUNCTION,
        DefinitionKind::Move => CompletionItemKind::EVENT,
        DefinitionKind::Effect => CompletionItemKind::METHOD,
        DefinitionKind::Key | DefinitionKind::Variable => CompletionItemKind::VARIABLE,
    }
}
