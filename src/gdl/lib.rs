//! The Game Description Language of general game playing (`.kif` files; Love, Hinrichs, Haley, Schkufza, Genesereth,
//! 2008): reads a sheet, checks the rules of GDL, and translates it to [`Rules`](bouton_rules::Rules).
//!
//! A text becomes a tree of lists (`tree`), clauses (`clauses`, `sheet`), which are checked (`check`), rules without
//! disjunctions (`program`), and instances without variables (`ground`), which are simplified (`simplify`). From these
//! come the places of sentences on boards (`grids`), the turns (`turns`), the rules (`translate`), and the names of the
//! sheet for all of their parts (`names`).
//!
//! *Invariants:* every diagnostic has a place in the text; the same text gives the same rules.

#![forbid(unsafe_code)]

use bouton_base::source::{FileId, Span};
use bouton_syntax::diag::{self, Code, Diagnostic, Severity};

mod atom_map;
mod check;
mod clauses;
mod exclusive;
mod foreign;
mod grids;
mod ground;
mod import;
mod names;
mod program;
mod sheet;
mod simplify;
mod terms;
mod translate;
mod tree;
mod turns;

pub use import::{Import, ImportError, Imported, Samples, TextForm};
pub use names::{
    FluentName, GoalName, LooseEnds, MoveName, Names, NeededMove, PerceptName, PerceptSource, Scale,
};
pub use translate::Translation;

/// A sheet that was read.
#[derive(Debug)]
pub struct Reading {
    /// The rules with their names; `None` if there are errors.
    pub translation: Option<Translation>,
    /// All diagnostics, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a sheet: the file with this id and text. Deep loops call [`bouton_base::cancel::step`].
pub fn read(file: FileId, text: &str) -> Reading {
    if let Some(start) = start_of_rules(text) {
        let title = "this file has rules in Bouton's language, and is no sheet";
        let span = Span::new(file, start, start + "game".len());
        let found = Diagnostic::new(Code::E0012, title, span, "a sheet has sentences such as `(role x)`");
        let found = found.help("give the file a name that ends in `.bou`");
        return Reading { translation: None, diagnostics: vec![found] };
    }
    let mut parsed = clauses::parse(file, text);
    let mut diagnostics = parsed.diagnostics;
    if !has_errors(&diagnostics) {
        diagnostics.extend(check::check(&parsed.sheet, file));
        clauses::warn_of_case(&parsed.sheet, &mut diagnostics);
    }
    let mut translation = None;
    if !has_errors(&diagnostics) {
        match translation_of(&mut parsed.sheet, &mut diagnostics) {
            Ok(made) => translation = Some(made),
            Err(found) => {
                // Of one goal, the error tells more.
                let is_same = |of: &Diagnostic| of.code == Code::W0710 && of.span() == found.span();
                diagnostics.retain(|of| !is_same(of));
                diagnostics.push(*found);
            }
        }
    }
    diag::sort(&mut diagnostics);
    Reading { translation, diagnostics }
}

/// The place of `game "Name"`, if a text begins with it behind its comments.
fn start_of_rules(text: &str) -> Option<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start();
        if words.starts_with("game \"") {
            return Some(start + line.len() - words.len());
        }
        if !words.trim_end().is_empty() && !words.starts_with("//") {
            return None;
        }
        start += line.len();
    }
    None
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|found| found.severity() == Severity::Error)
}

fn translation_of(
    sheet: &mut sheet::Sheet,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Translation, Box<Diagnostic>> {
    let grounding = ground::ground(sheet)?;
    let game = simplify::Propositions::new(grounding, &sheet.keywords);
    // A name that nothing brings to its place is the reason, where one is told.
    let mut unstarted = Vec::new();
    if !diagnostics.iter().any(|found| found.code == Code::W0714) {
        unstarted = check::unstarted::unstarted(sheet);
        let nested = check::nested::nested_terms(sheet, &game);
        diagnostics.extend(never_ends(sheet, &game).filter(|_| unstarted.is_empty() && nested.is_empty()));
        diagnostics.extend(nested);
        diagnostics.extend(check::unkept::unkept(sheet));
    }
    diagnostics.extend(check::goals::goals_by_variables(sheet, &game));
    // An error tells of its reason itself.
    let made = translate::translate(sheet, &game)?;
    diagnostics.extend(unstarted);
    diagnostics.extend(check::lost_values::lost_values(sheet, &made.names));
    Ok(made)
}

/// The message for a game whose end no position can reach: no rule for it ever applies.
fn never_ends(sheet: &sheet::Sheet, game: &simplify::Propositions) -> Option<Diagnostic> {
    let terminal = sheet.keywords.terminal;
    let ends = game.find(terminal, &[]).is_some_and(|end| game.certain(end) != Some(false));
    let rule = sheet.clauses.iter().find(|clause| clause.head.relation == terminal).filter(|_| !ends)?;
    let title = "this game never ends: no position meets a rule for `terminal`";
    let found = Diagnostic::new(Code::W0714, title, rule.span, "the conditions are never true");
    Some(found.help("change a condition that no position has, or say otherwise when the game is over"))
}
