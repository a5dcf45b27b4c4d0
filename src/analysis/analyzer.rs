//! The state of one analysis: symbols, diagnostics, and the rules built so far.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use super::AnalysisOptions;
use super::files::FileSet;
use super::fold::EvaluationFuel;
use super::index::NameLog;
use super::locals::Locals;
use super::misdeclared::Misfit;
use super::outline::ClaimGroup;
use super::symbols::{Symbol, SymbolKind, UseKind};
use bouton_base::id::Id;
use bouton_base::source::Span;
use bouton_rules::{
    Block, DefId, Enum, EnumId, EnumKind, MOVER, PHASE, Phase, PhaseId, RecordId, Rules, Type, Value, Vars,
};
use bouton_syntax::ast::{self, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic};

/// The progress of resolving a symbol.
#[derive(Clone, Debug)]
pub(super) enum Resolution<T> {
    /// Not yet requested.
    Unresolved,
    /// Being resolved: another request for it is a cycle.
    InProgress,
    /// Resolved, with this result.
    Resolved(T),
}

/// The state of one analysis.
pub(super) struct Analyzer<'a> {
    /// The source files, the game's own first.
    pub texts: &'a FileSet,
    pub options: &'a AnalysisOptions,
    pub group: Option<ClaimGroup>,
    /// The declared symbols by name.
    pub symbols: IndexMap<&'a str, Symbol<'a>>,
    /// Members of enums by name: players, cells, directions, ...; several if they share a name.
    pub members: HashMap<String, Vec<(EnumId, u32)>>,
    /// The declarations of members, for enums written in the source.
    pub member_spans: HashMap<(EnumId, u32), Span>,
    /// The members that are named somewhere.
    pub used_members: std::collections::HashSet<(EnumId, u32)>,
    /// The names that were resolved, for the index.
    pub names: NameLog,
    /// The uses of each declared name.
    pub uses: HashMap<&'a str, Vec<UseKind>>,
    pub rules: Rules,
    /// The remaining fuel for evaluation before play.
    pub steps: EvaluationFuel,
    /// A cache of the values of integer ranges.
    pub range_values: HashMap<Type, Arc<Vec<Value>>>,
    /// The number of cells of all fields that the source has declared so far.
    pub field_cells: usize,
    /// The number of statements that calls of effects have expanded to.
    pub expanded_stmts: usize,
    pub diagnostics: Vec<Diagnostic>,
    /// True for each definition that reads no state.
    pub static_defs: HashMap<DefId, bool>,
    /// The definitions being elaborated, outermost first; they form the cycle in a report.
    pub in_progress: Vec<(&'a str, Span)>,
    pub boards_done: bool,
    /// Phases that a move can lead to.
    pub entered_phases: Vec<PhaseId>,
    /// Phases in which a move leaves play where it is, with the statements.
    pub kept_phases: Vec<(PhaseId, Span)>,
    /// True in statements of a move behind a condition that never holds.
    pub never_reached: bool,
    /// The places of reads of list elements that do not exist.
    pub missing_elements: Vec<Span>,
    /// The reads of elements of constant lists.
    pub list_reads: Vec<super::expr::lists_and_keys::ListRead>,
    /// The fields that effects write, each with the first place.
    pub written_fields: HashMap<bouton_rules::FieldId, Span>,
    /// The fields without keys of which it was reported that they are used with one.
    pub keyless_fields: std::collections::HashSet<bouton_rules::FieldId>,
    /// The phases whose moves were reported to stand in another phase.
    pub awaited_phases: Vec<PhaseId>,
    /// The values that were reported to be of another type than their place requires.
    pub misfits: Vec<Misfit>,
    /// The unknown names that were reported without a suggestion.
    pub unknown_names: std::collections::HashSet<String>,
    /// True while the type of an expression is tried out.
    pub is_on_trial: bool,
    /// Fields that some expression reads.
    pub read_fields: std::collections::HashSet<bouton_rules::FieldId>,
    /// Those that expressions outside of claims read.
    pub fields_read_by_rules: std::collections::HashSet<bouton_rules::FieldId>,
}

impl<'a> Analyzer<'a> {
    pub fn new(texts: &'a FileSet, options: &'a AnalysisOptions, group: Option<ClaimGroup>) -> Self {
        let mut rules = Rules::default();
        rules.enums.push(Enum { name: "Player".into(), kind: EnumKind::Player, members: Vec::new() });
        rules.enums.push(Enum { name: "Dir".into(), kind: EnumKind::Dir, members: Vec::new() });
        Analyzer {
            texts,
            options,
            group,
            symbols: IndexMap::new(),
            members: HashMap::new(),
            member_spans: HashMap::new(),
            used_members: Default::default(),
            names: NameLog::default(),
            uses: HashMap::new(),
            rules,
            steps: EvaluationFuel::new(),
            range_values: HashMap::new(),
            field_cells: 0,
            expanded_stmts: 0,
            diagnostics: Vec::new(),
            static_defs: HashMap::new(),
            in_progress: Vec::new(),
            boards_done: false,
            entered_phases: Vec::new(),
            kept_phases: Vec::new(),
            never_reached: false,
            missing_elements: Vec::new(),
            list_reads: Vec::new(),
            written_fields: HashMap::new(),
            keyless_fields: Default::default(),
            awaited_phases: Vec::new(),
            misfits: Vec::new(),
            unknown_names: Default::default(),
            is_on_trial: false,
            read_fields: Default::default(),
            fields_read_by_rules: Default::default(),
        }
    }

    /// Runs the whole analysis, in the order of the dependencies that every game has.
    pub fn run(&mut self) {
        self.declare();
        if self.has_players_as_a_type() {
            return;
        }
        self.phases();
        self.params();
        self.resolve_boards();
        self.resolve_types();
        self.resolve_consts();
        self.fields();
        self.resolve_defs();
        self.moves();
        self.ends();
        self.inductive_groups();
        self.fields_read_by_rules = self.read_fields.clone();
        self.claims();
        self.misdeclared();
        self.values_given_twice();
        self.diagnostics.extend(self.texts.ambiguous_names());
        self.lints();
    }

    /// The rules and the diagnostics.
    pub fn finish(self) -> (Rules, Vec<Diagnostic>) {
        (self.rules, self.diagnostics)
    }

    /// The items of all files, each with true if it is in the game's own file.
    pub fn items(&self) -> impl Iterator<Item = (&'a ast::Item, bool)> + use<'a> {
        let texts = self.texts.iter().enumerate();
        texts.flat_map(|(index, text)| text.file.items.iter().map(move |item| (item, index == 0)))
    }

    /// The item around a place.
    pub fn item_around(&self, span: Span) -> Option<&'a ItemKind> {
        self.items().find(|(item, _)| item.span.covers(span)).map(|(item, _)| &item.kind)
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports a diagnostic that has only a title, a place and a label.
    pub fn error(&mut self, code: Code, title: impl Into<String>, span: Span, label: impl Into<String>) {
        self.report(Diagnostic::new(code, title, span, label));
    }

    /// Records a use of a declared name.
    pub fn use_symbol(&mut self, name: &str, how: UseKind) {
        if let Some((&name, _)) = self.symbols.get_key_value(name) {
            self.uses.entry(name).or_default().push(how);
        }
    }

    /// Records a use of a member of an enum.
    pub fn use_member(&mut self, member: (EnumId, u32), span: Span) {
        self.used_members.insert(member);
        if let Some(&declared) = self.member_spans.get(&member) {
            self.names.refer(span, declared);
        }
    }

    /// Records a use of a part of a record.
    pub fn refer_to_part(&self, record: RecordId, index: usize, span: Span) {
        let declared = self.symbols.get(self.rules.records[record].name.as_str());
        if let Some(SymbolKind::Record { item, .. }) = declared.map(|symbol| &symbol.kind)
            && let ItemKind::Record { parts, .. } = &item.kind
        {
            self.names.refer(span, parts[index].name.span);
        }
    }

    /// The span of the whole game: its name, or the first item.
    pub fn game_span(&self) -> Span {
        self.rules.span.or_else(|| self.texts.own().items.first().map(|i| i.span)).unwrap_or(Span::new(
            bouton_base::source::FileId::new(0),
            0,
            0,
        ))
    }

    /// Registers the members of a finite type under their names.
    pub fn add_members(&mut self, id: EnumId, spans: &[Name]) {
        for (index, name) in self.rules.enums[id].members.iter().enumerate() {
            self.members.entry(name.clone()).or_default().push((id, index as u32));
        }
        for (index, name) in spans.iter().enumerate() {
            self.member_spans.insert((id, index as u32), name.span);
        }
    }

    /// Adds the phases: those declared, or a single one without a name.
    fn phases(&mut self) {
        let items: Vec<_> = self.items().collect();
        for (item, _) in &items {
            let ItemKind::Phases(phases) = &item.kind else { continue };
            for phase in phases {
                // The actor is elaborated with the moves, when types are known.
                self.rules.phases.push(Phase {
                    name: phase.name.text.clone(),
                    setup: phase.setup,
                    actor: bouton_rules::Actor::Mover,
                    span: phase.name.span,
                });
            }
        }
        if let Some(listed) = self.phases_as_a_type() {
            self.report_phases_as_a_type(&listed);
            for member in listed.members {
                self.rules.phases.push(Phase {
                    name: member.text.clone(),
                    setup: false,
                    actor: bouton_rules::Actor::Mover,
                    span: member.span,
                });
            }
        }
        if self.rules.phases.is_empty() {
            let span = self.game_span();
            let actor = bouton_rules::Actor::Mover;
            self.rules.phases.push(Phase { name: String::new(), setup: false, actor, span });
        }
    }

    /// Adds the two fields of every game, `mover` and `phase`.
    pub fn built_in_fields(&mut self) {
        let span = self.game_span();
        let mut field = |name: &str, ty, init| {
            self.rules.fields.push(bouton_rules::Field {
                name: name.into(),
                keys: Vec::new(),
                ty,
                init: vec![init],
                transient: false,
                visibility: Default::default(),
                doc: Vec::new(),
                span,
            })
        };
        let phases = self.rules.phases.len() as i64;
        let first = self.rules.phases.entries().find(|(_, p)| p.setup).map_or(0, |(id, _)| id.index());
        assert_eq!(
            field("mover", Type::Sym(bouton_rules::PLAYER), Value::Sym(bouton_rules::PLAYER, 0)),
            MOVER
        );
        assert_eq!(field("phase", Type::Int(0, phases - 1), Value::Int(first as i64)), PHASE);
        self.entered_phases.push(PhaseId::new(first));
    }

    /// Elaborates the effects of [`AnalysisOptions::position`].
    pub fn position(&mut self) -> Option<(Block, Vars)> {
        if self.options.position.is_empty() {
            return None;
        }
        let mut locals = Locals::position();
        let block = self.position_block(&self.options.position, &mut locals);
        Some((block, locals.vars))
    }

    /// Returns true if the name is a symbol of this kind.
    pub fn is_kind(&self, name: &str, kind: impl Fn(&SymbolKind<'a>) -> bool) -> bool {
        self.symbols.get(name).is_some_and(|s| kind(&s.kind))
    }
}
