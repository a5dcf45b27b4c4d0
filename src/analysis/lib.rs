//! From the AST to rules. Names, parameters, types with ranges, stratification, lints.
//!
//! Items are resolved on demand, so a file may declare them in any order; an item that is requested again during its
//! own resolution closes a cycle. Every expression is elaborated once, into typed rules. If it reads no state, the
//! reference interpreter, the definition of the language, evaluates it as soon as it is built.
//!
//! *Invariant:* no I/O; every error has a place; a part that is already wrong (`Type::Error`) is not reported again.

#![forbid(unsafe_code)]

use bouton_base::limits::LimitHit;
use bouton_rules::{Block, Rules, Vars};
use bouton_syntax::ast::{self, Expr, Name};
use bouton_syntax::diag::{self, Code, Diagnostic, Severity};

mod analyzer;
mod anyone_asked;
mod board_sizes;
mod boards;
mod cells_by_a_call;
mod claims;
mod consts;
mod contrary_guards;
mod copied_pieces;
mod decided_branches;
mod diagrams;
mod direction_types;
mod display;
mod early_reads;
mod effect_calls;
mod effectless;
mod effects;
mod emptied_reads;
mod ends;
mod exchanges_in_stages;
mod excluded_cells;
mod expr;
mod files;
mod first_values;
mod floored_quotients;
mod fold;
mod foreign_names;
mod given_twice;
mod groundless;
mod guarded_steps;
mod guarded_values;
mod guards;
mod idle_variables;
mod index;
mod inductive;
mod lints;
mod locals;
mod lone_points;
mod masks;
mod misdeclared;
mod misjoined_points;
mod misplaced_effects;
mod missing_ends;
mod mixed_connectives;
mod move_terms;
mod movers_in_definitions;
mod moves;
mod name_advice;
mod open_hands;
mod open_secrets;
mod outcome_advice;
mod outline;
mod overtaken_rules;
mod payoffs_of_a_variable;
mod phases_as_a_type;
mod player_as_a_place;
mod position_parameters;
mod reads_of_nothing;
mod repeated_deals;
mod repeated_guards;
mod repetitions;
pub mod schema;
mod set_fields;
mod settled_results;
mod shared_payoffs;
mod short_lists;
mod simultaneous_actors;
mod simultaneous_counts;
mod state;
mod stmts;
mod symbols;
mod template_signs;
#[cfg(test)]
mod testing;
mod throws;
mod trial;
mod turns;
mod type_words;
mod types;
mod undone_effects;
mod unentered_phases;
pub mod uniform_rows;
mod unread_fields;
mod unset_fields;
mod winners_beside_a_variable;

use analyzer::Analyzer;
pub use expr::BUILT_IN_NAMES;
use files::FileSet;
pub use files::standard_libraries;
pub use index::{Definition, DefinitionKind, Index, Reference};
pub use outline::Outline;

/// The options of an analysis.
#[derive(Default)]
pub struct AnalysisOptions {
    /// Parameters given from outside (`--set`); the last one with a name counts.
    pub settings: Vec<(Name, Expr)>,
    /// The selected preset.
    pub preset: Option<String>,
    /// The index of the group of expectations and tests for the rules (see [`Outline::groups`]);
    /// `None` for no expectations.
    pub group: Option<usize>,
    /// The effects of a `--position`.
    pub position: Vec<ast::Effect>,
    /// True if parts of the file could not be parsed: a name that seems to be missing may be there and is not reported.
    pub damaged: bool,
}

/// The result of an analysis.
#[derive(Default)]
pub struct Analysis {
    /// The rules; `None` if there are errors.
    pub rules: Option<Rules>,
    /// The rules as far as they were elaborated, if there are errors. Damaged expressions have the type `Type::Error`,
    /// and items without a meaning are missing.
    pub partial: Option<Rules>,
    /// The definitions and references, also beside errors.
    pub index: Index,
    /// All diagnostics, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The effects of [`AnalysisOptions::position`].
    pub position: Option<(Block, Vars)>,
    /// The limit that stopped the analysis early; then there are neither rules nor diagnostics.
    pub stopped: Option<LimitHit>,
}

impl Analysis {
    /// The empty result after a limit was reached.
    pub fn stopped(hit: LimitHit) -> Analysis {
        Analysis { stopped: Some(hit), ..Analysis::default() }
    }
}

/// The source of the files that `use "file"` names; the environment provides it.
pub trait Library {
    /// The parsed file at this path; its diagnostics are the library's own concern.
    fn load(&mut self, path: &str) -> Option<ast::File>;
    /// Parses a file that comes with the language.
    fn embedded(&mut self, path: &str, text: &str) -> ast::File;
}

/// Analyses a file with these options.
pub fn analyze(file: &ast::File, library: &mut dyn Library, options: &AnalysisOptions) -> Analysis {
    let (texts, missing) = FileSet::read(file, library);
    let group = options.group.and_then(|g| outline::groups(file).into_iter().nth(g));
    let mut cx = Analyzer::new(&texts, options, group);
    cx.diagnostics = missing;
    cx.run();
    let position = cx.position();
    let index = cx.resolved_names(&cx.diagnostics);
    let (rules, mut diagnostics) = cx.finish();
    // A name that is missing may be that of a library that is missing.
    if diagnostics.iter().any(|d| d.code == Code::E0108) {
        let is_unknown = |d: &Diagnostic| d.code == Code::E0101 && d.title.starts_with("there is no `");
        diagnostics.retain(|d| !is_unknown(d));
    }
    // What follows a second game belongs to another file.
    let second =
        diagnostics.iter().find(|d| d.code == Code::E0008 && d.labels.len() > 1).map(Diagnostic::span);
    if let Some(second) = second {
        diagnostics.retain(|d| d.span().file != second.file || d.span().start <= second.start);
    }
    diag::sort(&mut diagnostics);
    let failed = options.damaged || diagnostics.iter().any(|d| d.severity() == Severity::Error);
    if cfg!(debug_assertions) && !failed {
        let violations: Vec<String> = bouton_rules::verify(&rules).iter().map(ToString::to_string).collect();
        assert!(violations.is_empty(), "analysis made rules that are not well-formed: {violations:#?}");
    }
    let (rules, partial) = if failed { (None, Some(rules)) } else { (Some(rules), None) };
    Analysis { rules, partial, index, diagnostics, position, stopped: None }
}
