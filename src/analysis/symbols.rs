//! The symbol table: the declared names, each declared once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::analyzer::{Analyzer, Resolution};
use super::files::AnalyzedFile;
use super::foreign_names;
use super::locals::Locals;
use bouton_base::cancel;
use bouton_base::source::Span;
use bouton_rules::{
    BoardId, DIR, DefId, Enum, EnumId, EnumKind, Expr, FieldId, MoveId, PLAYER, RecordId, TableId, Type,
    board::Dir,
};
use bouton_syntax::ast::{self, BoardForm, Item, ItemKind, Name};
use bouton_syntax::diag::{self, Code, Diagnostic, Severity};
use bouton_syntax::foreign_value;

/// The help for a field that is missing in a game without any.
pub(super) fn no_state(field: &str) -> String {
    format!(
        "the game has no `state`: fields are declared in it, each with a type and its first value, `state {{ {field}: \
         0..9 = 0; }}`, or `{field}[c: Cell]: Player? = none;` for a field of each cell"
    )
}

/// A declared name.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'a> {
    pub kind: SymbolKind<'a>,
    /// The span of the name in its declaration.
    pub span: Span,
    /// True if the game's own file declares it (unused parts of a library are no fault).
    pub own: bool,
}

/// The meaning of a declared name.
#[derive(Clone, Debug)]
pub(super) enum SymbolKind<'a> {
    Param { item: &'a Item, value: Resolution<Expr> },
    Const { item: &'a Item, value: Resolution<ConstValue> },
    Enum(EnumId),
    Record { item: &'a Item, id: Resolution<RecordId> },
    Alias { item: &'a Item, ty: Resolution<Type> },
    Board { item: &'a Item, id: Resolution<Option<BoardId>> },
    Field { id: Option<FieldId> },
    Def { item: &'a Item, id: Resolution<DefId> },
    Inductive { item: &'a Item, id: Resolution<DefId> },
    Move { id: Option<MoveId> },
    Effect { item: &'a Item },
}

/// A constant: a value, or a table by keys.
#[derive(Clone, Debug)]
pub(super) enum ConstValue {
    Plain(Expr),
    Table(TableId),
}

/// The kind of use of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UseKind {
    Read,
    Write,
}

impl SymbolKind<'_> {
    /// Returns true for a parameter of the game with a list as its value.
    pub fn is_list_parameter(&self) -> bool {
        match self {
            SymbolKind::Param { value: Resolution::Resolved(made), .. } => {
                matches!(made.ty.base(), bouton_rules::Type::List(_))
            }
            _ => false,
        }
    }

    /// The kind as a word for messages.
    pub fn word(&self) -> &'static str {
        match self {
            SymbolKind::Param { .. } => "parameter",
            SymbolKind::Const { .. } => "constant",
            SymbolKind::Enum(_) | SymbolKind::Alias { .. } => "type",
            SymbolKind::Record { .. } => "record",
            SymbolKind::Board { .. } => "board",
            SymbolKind::Field { .. } => "field",
            SymbolKind::Def { .. } | SymbolKind::Inductive { .. } => "definition",
            SymbolKind::Move { .. } => "move",
            SymbolKind::Effect { .. } => "effect",
        }
    }

    /// The word with its article: "a move", "an effect".
    pub fn word_with_article(&self) -> String {
        let word = self.word();
        let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {word}")
    }
}

impl<'a> Analyzer<'a> {
    /// Registers every declared name, and everything that is known without evaluation.
    pub fn declare(&mut self) {
        self.declare_game();
        self.declare_dirs();
        let phases =
            self.phases_as_a_type().and_then(|listed| listed.members.first()).map(|first| first.span);
        let is_of_phases = |item: &Item| {
            matches!(item.kind, ItemKind::Enum { .. }) && phases.is_some_and(|first| item.span.covers(first))
        };
        for (item, own) in self.items().filter(|(item, _)| !is_of_phases(item)) {
            self.declare_item(item, own);
        }
        self.declare_prefixes();
        // A file without a game is reported once.
        if self.rules.enums[PLAYER].members.is_empty() && !self.options.damaged && self.rules.span.is_some() {
            let span = self.game_span();
            let types = ["Player", "Players", "Side", "Color", "Colour", "Role"];
            let mut listed = self.items().filter_map(|(item, _)| match &item.kind {
                ItemKind::Enum { name, members } if types.contains(&name.text.as_str()) => {
                    Some((name, members))
                }
                _ => None,
            });
            let found = match listed.next() {
                Some((name, members)) => {
                    let names: Vec<&str> = members.iter().map(|member| member.text.as_str()).collect();
                    let title =
                        "the players of a game are declared by `players`, which makes the type `Player`";
                    let found = Diagnostic::new(Code::E0320, title, name.span, "this is only a type");
                    found.help(format!("write `players {};` in place of this `enum`", names.join(", ")))
                }
                None => Diagnostic::new(Code::E0320, "the game has no players", span, "declared here")
                    .help("add `players A, B;`, or `player Solver;` for a puzzle"),
            };
            self.report(found);
        }
    }

    /// Returns true if the players are declared as the members of a type, which makes all types wrong.
    pub fn has_players_as_a_type(&self) -> bool {
        self.rules.enums[PLAYER].members.is_empty()
            && self.is_kind("Player", |kind| matches!(kind, SymbolKind::Enum(_)))
    }

    fn declare_game(&mut self) {
        let mut first: Option<Span> = None;
        for (item, own) in self.items() {
            let ItemKind::Game(name) = &item.kind else { continue };
            if !own {
                continue;
            }
            if let Some(first) = first {
                let found = Diagnostic::new(Code::E0008, "two games in one file", name.span, "a second game");
                self.report(found.label(first, "the first").help("give each game a file of its own"));
                continue;
            }
            first = Some(name.span);
            self.one_line("game", &name.text, name.span);
            self.rules.name = name.text.clone();
            self.rules.span = Some(name.span);
            self.rules.doc = self.texts.own().doc.clone();
        }
        if first.is_none() && !self.options.damaged {
            let span = self.game_span();
            let (title, help) = if self.items().next().is_none() {
                (
                    "this file has no rules: it is empty, or has only comments",
                    "begin with `game \"Name\";`; `bouton new NAME` writes a file to start from",
                )
            } else {
                (
                    "this file has no game",
                    "begin with `game \"Name\";`; a file without one is a library for `use`",
                )
            };
            self.report(Diagnostic::new(Code::E0008, title, span, "a `game` is missing").help(help));
        }
    }

    /// Declares the directions of all boards, which are needed before any board is built.
    fn declare_dirs(&mut self) {
        use Dir::{D, E, N, NE, NW, S, SE, SW, U, W};
        let mut dirs: Vec<Dir> = Vec::new();
        for (item, _) in self.items() {
            let ItemKind::Board { form: BoardForm::Expr(expr), .. } = &item.kind else { continue };
            let ast::ExprKind::Call(callee, _) = &*expr.bare().kind else { continue };
            dirs.extend(match callee.as_name() {
                Some("grid" | "torus") => &[N, NE, E, SE, S, SW, W, NW][..],
                Some("hex") => &[N, NE, E, S, SW, W],
                Some("strip" | "ring") => &[E, W],
                Some("cube") => &[N, E, S, W, U, D],
                _ => &[],
            });
        }
        dirs.sort_unstable();
        dirs.dedup();
        self.rules.enums[DIR].members = dirs.iter().map(|d| d.name().to_string()).collect();
        self.rules.dirs = dirs;
        self.add_members(DIR, &[]);
    }

    fn declare_item(&mut self, item: &'a Item, own: bool) {
        use SymbolKind as K;
        let waiting = || Resolution::Unresolved;
        match &item.kind {
            ItemKind::Param { name, .. } => self.add(name, own, K::Param { item, value: waiting() }),
            ItemKind::Const { name, .. } => {
                self.add(name, own, K::Const { item, value: Resolution::Unresolved })
            }
            ItemKind::Players(names) => self.declare_players(names),
            ItemKind::Enum { name, members } => {
                let members_text = members.iter().map(|m| m.text.clone()).collect();
                let kind = EnumKind::User;
                let full = self.global_name(name).to_string();
                let id = self.rules.enums.push(Enum { name: full, kind, members: members_text });
                self.unique_members(members);
                self.add_members(id, members);
                self.add(name, own, K::Enum(id));
            }
            ItemKind::Record { name, parts } => {
                self.unique_members(parts.iter().map(|part| &part.name));
                self.add(name, own, K::Record { item, id: Resolution::Unresolved })
            }
            ItemKind::TypeAlias { name, .. } => {
                self.add(name, own, K::Alias { item, ty: Resolution::Unresolved })
            }
            ItemKind::Board { name, .. } => {
                self.add(name, own, K::Board { item, id: Resolution::Unresolved })
            }
            ItemKind::State(fields) => {
                for field in fields {
                    self.add(&field.name, own, K::Field { id: None });
                }
            }
            ItemKind::Def { name, .. } => self.add(name, own, K::Def { item, id: Resolution::Unresolved }),
            ItemKind::Inductive { name, .. } => {
                self.add(name, own, K::Inductive { item, id: Resolution::Unresolved });
            }
            ItemKind::Move(m) => self.add(&m.name, own, K::Move { id: None }),
            ItemKind::Effect { name, .. } => self.add(name, own, K::Effect { item }),
            _ => {}
        }
    }

    fn declare_players(&mut self, names: &'a [Name]) {
        if !self.rules.enums[PLAYER].members.is_empty() {
            let span = names[0].span;
            let is_sentence = matches!(names, [word] if matches!(word.text.as_str(), "alternate" | "take_turns" | "rotate" | "move"));
            let found = Diagnostic::new(Code::E0103, "the players are declared twice", span, "a second time");
            self.report(found.help(match is_sentence {
                true => "players take turns by themselves, in the order in which `players` names them: leave this out",
                false => "name all players in one `players` item",
            }));
            return;
        }
        self.unique_members(names);
        self.rules.enums[PLAYER].members = names.iter().map(|n| n.text.clone()).collect();
        self.add_members(PLAYER, names);
    }

    fn unique_members<'n>(&mut self, names: impl IntoIterator<Item = &'n Name>) {
        let mut declared: HashMap<&str, Span> = HashMap::new();
        for name in names {
            cancel::step();
            match declared.entry(&name.text) {
                Entry::Occupied(first) => self.declared_twice(name, *first.get()),
                Entry::Vacant(place) => {
                    place.insert(name.span);
                }
            }
        }
    }

    fn declared_twice(&mut self, name: &Name, first: Span) {
        let title = format!("`{}` is declared twice", name.text);
        let found = Diagnostic::new(Code::E0103, title, name.span, "the second time");
        self.report(found.label(first, "the first").help("give one of them another name"));
    }

    fn add(&mut self, name: &'a Name, own: bool, kind: SymbolKind<'a>) {
        cancel::step();
        let full = self.global_name(name);
        if let Some(first) = self.symbols.get(full) {
            let first = first.span;
            self.declared_twice(name, first);
            return;
        }
        self.symbols.insert(full, Symbol { kind, span: name.span, own });
    }

    /// The global name of a declaration: with the prefix of its library, if that has one.
    pub fn global_name(&self, name: &'a Name) -> &'a str {
        self.texts.declared_name(name)
    }

    /// Reports prefixes of libraries that collide with other names of the file that uses them.
    fn declare_prefixes(&mut self) {
        for text in self.texts.iter() {
            let prefixes: Vec<&Name> = text.uses.iter().filter_map(|used| used.prefix.as_ref()).collect();
            for (i, prefix) in prefixes.iter().enumerate() {
                let twin =
                    prefixes[..i].iter().find(|other| other.text == prefix.text).map(|other| other.span);
                let declared = self.find(&prefix.text, prefix.span).map(|name| self.symbols[name].span);
                if let Some(other) = twin.or(declared) {
                    let (first, second) = (other.min(prefix.span), other.max(prefix.span));
                    self.declared_twice(&Name { text: prefix.text.clone(), span: second }, first);
                }
            }
        }
    }

    /// The declaration that a name refers to at this place.
    pub fn find(&self, name: &str, span: Span) -> Option<&'a str> {
        let is_global = name.contains('.');
        self.noted(if is_global { name } else { self.texts.global_name(name, span)? }, span)
    }

    /// What a name refers to at this place, without a note of the use.
    pub fn symbol_of(&self, name: &str, span: Span) -> Option<&Symbol<'a>> {
        self.symbols.get(self.texts.global_name(name, span)?)
    }

    /// The declaration of a name that may have prefixes, `n`, `l.n` or `l.m.n`.
    pub fn find_path(&self, path: &str, span: Span) -> Option<&'a str> {
        self.noted(self.texts.name_of_path(path, span)?, span)
    }

    /// The declaration of a library that a name with its prefix refers to; the name is written at `span`.
    pub fn find_in(&self, library: &'a AnalyzedFile, name: &str, span: Span) -> Option<&'a str> {
        self.noted(self.texts.name_in(library, name)?, span)
    }

    /// The declaration with this global name; notes the use at `span`.
    fn noted(&self, name: &str, span: Span) -> Option<&'a str> {
        let (&name, symbol) = self.symbols.get_key_value(name)?;
        self.names.refer(span, symbol.span);
        Some(name)
    }

    /// The declaration that an expression names, `f` or `l.f`; `None` if it is a variable, or more than a name.
    pub fn declared(&self, expr: &ast::Expr, locals: &Locals) -> Option<&'a str> {
        match &*expr.bare().kind {
            ast::ExprKind::Name(name) if !locals.has(name) => self.find(name, expr.bare().span),
            ast::ExprKind::Part(base, part) => {
                self.find_in(self.library(base, locals)?, &part.text, part.span)
            }
            _ => None,
        }
    }

    /// The library whose prefix this expression is.
    pub fn library(&self, expr: &ast::Expr, locals: &Locals) -> Option<&'a AnalyzedFile> {
        let prefix = expr.as_name().filter(|name| !locals.has(name))?;
        self.texts.library(prefix, expr.span)
    }

    /// Reports a name that the library used `as prefix` does not declare.
    pub fn not_in_library(&mut self, prefix: &str, library: &AnalyzedFile, name: &Name) {
        let title = format!("the library `{prefix}` has no `{}`", name.text);
        let found = Diagnostic::new(Code::E0101, title, name.span, "no name of it");
        let mut names: Vec<&str> = self.texts.names_in(library).collect();
        names.sort_unstable();
        self.report(match diag::nearest(&name.text, names.iter().copied()) {
            Some(near) => found.help(format!("did you mean `{prefix}.{near}`?")).edit(name.span, near),
            None if names.is_empty() => found.help("it declares no names"),
            None => {
                let more = if names.len() > 8 { " and others" } else { "" };
                names.truncate(8);
                found.help(format!("it has {}{more}", names.join(", ")))
            }
        });
    }

    /// The only board, if a name is one that boards often have, such as that of the examples.
    pub(super) fn board_called(&self, name: &str) -> Option<&'a str> {
        let is_common = matches!(name, "Cell" | "Board" | "Square");
        let mut boards = self.symbols.iter().filter(|(_, of)| matches!(of.kind, SymbolKind::Board { .. }));
        let (&board, _) = boards.next().filter(|_| is_common)?;
        boards.next().is_none().then_some(board)
    }

    /// Reports a name without a declaration, and suggests the most similar one.
    pub fn unknown_name(&mut self, name: &str, span: Span, locals: &[String], wanted: &str) {
        if self.options.damaged || self.is_cell_of_a_damaged_board(name) {
            return;
        }
        if let Some(found) = self.unknown_cell(name, span) {
            if !self.unknown_names.contains(name) {
                self.report(found);
            }
            return;
        }
        let mut found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), span, "");
        if let Some(prefix) = self.texts.prefix_of(name, span) {
            found.labels[0].text = format!("did you mean `{prefix}.{name}`?");
            self.report(found.edit(span, format!("{prefix}.{name}")));
            return;
        }
        if let Some(board) = self.board_called(name) {
            found.labels[0].text = format!("the board here is `{board}`");
            self.report(found.edit(span, board));
            return;
        }
        let is_word = name.len() > 2 || name.eq_ignore_ascii_case("up");
        if let Some(dir) = self.direction_called(name).filter(|_| is_word) {
            found.labels[0].text = format!("did you mean the direction `{dir}`?");
            self.report(found.edit(span, dir));
            return;
        }
        if let Some(advised) = self.unknown_viewer(span, &found).or_else(|| self.unknown_in_arm(name, span)) {
            self.report(advised);
            return;
        }
        let outside = self.names.variable_before(name, span);
        if let Some(bound) = outside.filter(|&bound| self.in_one_item(bound, span)) {
            found.labels[0].text = "outside of its scope".to_owned();
            let advice = self.quantifier_ended(name, bound, span);
            if let Some(advice) = advice.or_else(|| self.dependent_parameter(name, span)) {
                self.report(advice.on(found.label(bound, "bound here")));
                return;
            }
            let help = match self.is_in_a_repetition(span) {
                true => {
                    "a rule for repeated positions has no variables: it names a player, `mover`, or says `draw`"
                }
                false => {
                    "a name is known to the end of the block or of the expression that binds it: bind it further out, before \
                     this use"
                }
            };
            self.report(found.label(bound, "bound here").help(help));
            return;
        }
        if let Some(bound) = self.let_further_down(name, span) {
            found.title = format!("`{name}` is used before it is bound");
            found.labels[0].text = "not bound yet".to_owned();
            let help = "put the `let` before this line: a name is known from its `let` on";
            self.report(found.label(bound, "bound here").help(help));
            return;
        }
        if self.repetition_as_a_condition(name, span) {
            return;
        }
        if name == "empty" {
            found.labels[0].text = "this name is declared nowhere".to_owned();
            self.report(
                found.help("what is empty has the value `none`: `at[c] = none`; the empty set is `{}`"),
            );
            return;
        }
        if let Some(ours) = foreign_value(name) {
            found.labels[0].text = format!("this value is written `{ours}`");
            self.report(found.edit(span, ours));
            return;
        }
        if let Some(help) = foreign_names::result_help(name).filter(|_| self.is_in_a_payoff(span)) {
            if self.diagnostics.iter().any(|known| known.help.as_deref() == Some(help)) {
                return;
            }
            found.labels[0].text = "a number is needed".to_owned();
            self.report(found.help(help));
            return;
        }
        if let Some(help) = foreign_names::value_help(name) {
            found.labels[0].text = "this name is declared nowhere".to_owned();
            let is_earlier = matches!(name, "last" | "previous" | "prev") && !wanted.contains("Player");
            self.report(match is_earlier {
                true => found.help(format!(
                    "a field keeps what the move before did: `{name}: 0..9 = 0;` in `state`, say, and `{name} := ...;` in the move; \
                     of two players, `other(mover)` made the last move"
                )),
                false => found.help(help),
            });
            return;
        }
        // The name of a move or of an effect is no value, and a player or a type is not called.
        let is_called = wanted == "a definition";
        let fits = |kind: &SymbolKind| match kind {
            SymbolKind::Move { .. } | SymbolKind::Effect { .. } => false,
            SymbolKind::Enum(_) | SymbolKind::Alias { .. } | SymbolKind::Param { .. } => !is_called,
            _ => true,
        };
        let declared = self.symbols.iter().filter(|(_, symbol)| fits(&symbol.kind)).map(|(name, _)| *name);
        let names = locals.iter().map(String::as_str).chain(declared);
        let names = names.chain(super::expr::BUILT_IN_NAMES.iter().copied());
        let is_wanted = |member: &&str| !is_called && self.is_member_wanted(member, wanted);
        let members = self.members.keys().map(String::as_str).filter(is_wanted);
        let mut candidates: Vec<&str> = names.chain(members).collect();
        candidates.sort_unstable();
        // The directions of a board that was reported are not known.
        let has_no_directions = self.rules.enums[DIR].members.is_empty() && wanted.contains("`Dir`");
        let is_of_board = |found: &Diagnostic| {
            found.severity() == Severity::Error
                && matches!(self.item_around(found.span()), Some(ItemKind::Board { .. }))
        };
        if self.unknown_names.contains(name) || has_no_directions && self.diagnostics.iter().any(is_of_board)
        {
            return;
        }
        if let Some(member) = self.member_in_other_letters(name, wanted) {
            found.labels[0].text = format!("did you mean `{member}`?");
            self.report(found);
            return;
        }
        let exchanged = super::expr::sources::with_exchanged_halves(name, &candidates);
        match exchanged.or_else(|| diag::nearest(name, candidates)) {
            Some(near) => {
                let word =
                    self.symbols.get(near).map_or(String::new(), |s| format!("the {} ", s.kind.word()));
                found.labels[0].text = format!("did you mean {word}`{near}`?");
                found = found.edit(span, near);
            }
            None => {
                // A field that is missing is reported once, not at each of its uses.
                self.unknown_names.insert(name.to_string());
                found.labels[0].text = format!("{wanted} is needed; this name is declared nowhere");
                let of_type = wanted.split('`').nth(1);
                if self.known_in_template(name, span, &mut found) {
                    self.report(found);
                    return;
                }
                let is_variable = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_lowercase());
                let advice =
                    self.unbound_name_help(name, span, of_type).filter(|_| outside.is_some() || is_variable);
                if let Some(advice) = advice {
                    if let Some(bound) = outside {
                        found = found.label(bound, "a name of this item alone");
                    }
                    found = found.help(advice);
                } else if let Some(points) =
                    self.points_for_a_name(name, of_type).filter(|_| outside.is_none())
                {
                    found = found.help(points);
                } else if let Some(member) =
                    of_type.and_then(|of| self.missing_member(name, of)).filter(|_| outside.is_none())
                {
                    found = found.help(member);
                } else if let Some(keys) = self.keys_of_field_around(span) {
                    found = found.help(keys);
                } else if let Some(bound) = outside {
                    found.labels[0].text = format!("{wanted} is needed");
                    let is_winner = wanted.starts_with("a `Player`") && self.is_in_end(span);
                    let rule =
                        format!("bind it in this rule: `for {name} in Player when ... => {name} wins;`");
                    let help = "a name that a move, a definition or a rule binds is known only in it: bind it here as \
                                well, or keep the value in a field of the state";
                    found = found.label(bound, "a name of this item alone");
                    found = if is_winner { found.help(rule) } else { found.help(help) };
                } else if is_variable && of_type.is_none() {
                    let help = format!("to leave a number open, declare it: `param {name}: 1..9 = 3;`");
                    found = found.help(help);
                } else if self.has_no_fields() && (wanted == "a value" || wanted.starts_with("a number")) {
                    found = found.help(no_state(name));
                }
            }
        }
        self.report(found);
    }

    /// The place where a `let` in the same item binds a name below its use.
    fn let_further_down(&self, name: &str, span: Span) -> Option<Span> {
        match self.item_around(span)? {
            ItemKind::Move(declared) => let_after(&declared.body, name, span),
            ItemKind::EveryMove(body) | ItemKind::Effect { body, .. } => let_after(body, name, span),
            _ => None,
        }
    }

    /// Returns true if a place is in the end rules.
    fn is_in_end(&self, span: Span) -> bool {
        self.items().any(|(item, _)| matches!(item.kind, ItemKind::End(_)) && item.span.covers(span))
    }

    /// Returns true if two places are in the same item.
    fn in_one_item(&self, a: Span, b: Span) -> bool {
        self.items().any(|(item, _)| item.span.covers(a) && item.span.covers(b))
    }

    /// Returns true if the game declares no field.
    pub fn has_no_fields(&self) -> bool {
        !self.symbols.values().any(|symbol| matches!(symbol.kind, SymbolKind::Field { .. }))
    }

    /// Returns true for a name such as `b2`, where a board was reported that may have this cell.
    fn is_cell_of_a_damaged_board(&self, name: &str) -> bool {
        let is_damaged = |symbol: &Symbol<'_>| {
            matches!(symbol.kind, SymbolKind::Board { id: super::analyzer::Resolution::Resolved(None), .. })
        };
        // A side is named by its cell and its direction: `a1w`.
        let cell = name.trim_end_matches(['n', 'e', 's', 'w']);
        let name = if cell.ends_with(|c: char| c.is_ascii_digit()) { cell } else { name };
        let column = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_cell = (1..=2).contains(&column.len())
            && column.len() < name.len()
            && column.bytes().all(|letter| letter.is_ascii_lowercase());
        is_cell && self.symbols.values().any(is_damaged)
    }

    /// The direction of some board with this name in common language.
    pub fn direction_called(&self, name: &str) -> Option<&'static str> {
        let dir = match name.to_ascii_lowercase().as_str() {
            "up" if self.rules.enums[DIR].members.iter().any(|member| member == "U") => "U",
            "down" if self.rules.enums[DIR].members.iter().any(|member| member == "D") => "D",
            "n" | "north" | "up" | "above" => "N",
            "e" | "east" | "right" => "E",
            "s" | "south" | "down" | "below" => "S",
            "w" | "west" | "left" => "W",
            "ne" | "northeast" | "north_east" => "NE",
            "se" | "southeast" | "south_east" => "SE",
            "sw" | "southwest" | "south_west" => "SW",
            "nw" | "northwest" | "north_west" => "NW",
            _ => return None,
        };
        self.rules.enums[DIR].members.iter().any(|member| member == dir).then_some(dir)
    }

    /// Returns true for a place in the payoff of an end rule.
    fn is_in_a_payoff(&self, span: Span) -> bool {
        let Some(ast::ItemKind::End(rules)) = self.item_around(span) else { return false };
        let payoff = |rule: &ast::EndRule| match &rule.outcome.kind {
            ast::OutcomeKind::Payoff(_, of) => Some(of.span),
            _ => None,
        };
        rules.iter().filter_map(payoff).any(|payoff| payoff.covers(span))
    }

    /// The error for a name such as `j9` that no board has, if a board has cells with names of this form.
    fn unknown_cell(&self, name: &str, span: Span) -> Option<Diagnostic> {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let shaped = (1..=2).contains(&letters.len())
            && letters.len() < name.len()
            && letters.chars().all(|c| c.is_ascii_lowercase());
        if !shaped {
            return None;
        }
        if let Some(left_out) = self.cell_left_out(name, span) {
            return Some(left_out);
        }
        let (_, board) = self.rules.boards.entries().find(|(_, b)| b.find("a1").is_some())?;
        let cells = &self.rules.enums[board.cells].members;
        let (first, last) = (cells.first()?, cells.last()?);
        let mut title = format!("there is no cell `{name}`: `{}` has `{first}` to `{last}`", board.name);
        let params: Vec<String> =
            self.rules.params.iter().map(|(n, v)| format!("{n} = {}", self.rules.show(v))).collect();
        if !params.is_empty() {
            title += &format!(" for {}", params.join(", "));
        }
        let found = Diagnostic::new(Code::E0106, title, span, "not on the board");
        let is_row = cells.len() > 1 && cells.iter().all(|cell| cell.ends_with('1') && cell.len() == 2);
        let counted = name[letters.len()..].parse().ok().filter(|_| is_row && letters == "a");
        Some(match counted.and_then(|number: usize| Some((number, cells.get(number.checked_sub(1)?)?))) {
            Some((number, cell)) => found.help(format!(
                "the cells of one row have a letter each: cell {number} from the left is `{cell}`"
            )),
            None => found,
        })
    }
}

/// The place where a `let` of the block around a use, below it, binds a name.
fn let_after(block: &ast::StmtBlock, name: &str, span: Span) -> Option<Span> {
    use ast::StmtKind as S;
    let mut stmts = block.stmts.iter();
    let around = stmts.find(|stmt| stmt.span.covers(span))?;
    let later = stmts.find_map(|stmt| match &stmt.kind {
        S::Let(ast::Pattern::Name(bound), _) if bound.text == name => Some(bound.span),
        _ => None,
    });
    later.or_else(|| match &around.kind {
        S::Then(inner) | S::For(_, inner) => let_after(inner, name, span),
        S::If(_, yes, no) => {
            let_after(yes, name, span).or_else(|| no.as_ref().and_then(|no| let_after(no, name, span)))
        }
        _ => None,
    })
}
