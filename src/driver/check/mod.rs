//! Checks a file: analyses it for every set of parameters that it mentions, and explores the positions.

use std::time::Duration;

use rustc_hash::FxHashSet;

use super::faults::REPEATED_BY_EACH;
use super::load::{DriverError, GameSource, RunsOn};
use bouton_base::clock::Instant;
use bouton_base::limits::{LimitHit, Limits, Progress};
use bouton_project::Index;
use bouton_rules::{EffectOp, ExprKind, Rules, StmtKind, Value};
use bouton_search::game::Game;
use bouton_search::game::explore::{ExploreEnd, explore};
use bouton_syntax::diag::{self, Code, Diagnostic, Label, Severity};

mod absent_cells;
pub(super) mod allow;
mod always_true;
mod broken_invariants;
mod covered_rules;
mod dead_branches;
mod dead_rules;
mod diagnostics;
mod earlier_moves;
mod early_reads;
mod empty_moves;
mod empty_sets;
mod endless_advice;
mod endless_loops;
pub(crate) mod endless_play;
pub(crate) mod ends;
mod enough_range;
mod equal_ends;
mod false_at_first;
mod fault_advice;
mod idle_clocks;
mod idle_effects;
mod idle_marks;
mod information_sets;
mod jumped_ends;
mod known_causes;
mod last_rules;
mod lasting_phases;
mod late_rules;
mod loose_ends;
mod missing_effects;
mod missing_takes;
mod moves_of_others;
mod never_legal;
mod never_true_parts;
mod off_board_numbers;
mod one_sided_moves;
mod other_keys;
mod outcomes_without_value;
mod over_early;
mod overwritten_cells;
mod passed_bounds;
mod payoff_sums;
pub(crate) mod reasons;
mod shadowed_moves;
mod single_moves;
mod single_values;
mod stops_at_bounds;
mod symmetry;
mod terms_below;
#[cfg(test)]
pub mod testing;
pub(crate) mod turn_advice;
mod unasked_values;
mod unchosen_results;
mod undefined_guards;
mod unreached_ends;
mod visitor;
mod wrong_setup;

pub(crate) use dead_rules::{never_holds, statement_mentions};
use diagnostics::ExploredGame;
pub use loose_ends::loose_end;
use visitor::CheckVisitor;

/// The default number of positions to explore.
pub const DEFAULT_POSITIONS: u64 = 200_000;
/// The default time limit.
pub const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// The reason why the positions of a library are not explored.
const LIBRARY_REASON: &str = "it has no `game` line, so it is a library for `use`";

/// The options of a check.
pub struct CheckOptions<'a> {
    /// The maximal number of positions to explore; 0 disables exploring.
    pub explore: u64,
    /// The limits of time and memory, and the cancel flag.
    pub limits: &'a Limits,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// The diagnostics by location, without those that comments allow.
    pub diagnostics: Vec<Diagnostic>,
    /// The extent of the exploration, in words; `None` if nothing was explored.
    pub explored: Option<String>,
    /// The reason why no position was explored, in words; `None` if some were, or if the file has errors.
    pub unexplored: Option<String>,
    /// True if the file has no `game` line, so it is read as a library.
    pub library: bool,
    /// The back end of the game, as a sentence.
    pub runs_on: Option<RunsOn>,
    /// True if parsing or analysis found errors.
    pub has_errors: bool,
    /// True if exploring found an error.
    pub failed: bool,
    /// The limit that ended the check early, if one did.
    pub limit: Option<LimitHit>,
    /// True if the limit came before all of the file was analysed.
    pub unread: bool,
    /// The definitions and references of all analyses.
    pub index: Index,
}

/// Checks a file.
pub fn check(text: &mut GameSource, options: &CheckOptions<'_>) -> CheckReport {
    let FileFindings { mut diagnostics, limit, index } = analysed(text, options.limits);
    let has_errors = is_error(&diagnostics);
    let library = !text.outline.is_game;
    let unread = limit.is_some();
    let mut report = CheckReport { has_errors, limit, unread, library, index, ..CheckReport::default() };
    let mut read = FieldReads::default();
    let (mut idle, mut moves) = (Vec::new(), Vec::new());
    if library {
        report.unexplored = Some(LIBRARY_REASON.into());
    } else if options.explore == 0 {
        report.unexplored = Some("`--explore 0`".into());
    } else if !has_errors && limit.is_none() {
        let analysis = text.analyze(None);
        let stopped = analysis.stopped;
        text.limits = options.limits.clone();
        match text.game_of(analysis) {
            Ok(game) => {
                report.runs_on = Some(text.runs_on(&game));
                read = FieldReads::of(&game.rules);
                moves = game.rules.moves.iter().map(|of| of.span).collect();
                idle = explore_positions(text, &game, options, &mut report);
                known_causes::leave_out_undefined_rules(&game.rules, &mut report.diagnostics, &diagnostics);
                known_causes::leave_out_conditions_of_payoffs(&mut report.diagnostics, &diagnostics);
            }
            Err(DriverError::Errors(found)) => diagnostics.extend(found),
            Err(_) => {
                report.limit = stopped;
                report.unread = true;
            }
        }
        // Payoffs that all players share have no constant sum.
        if diagnostics.iter().any(|found| found.code == Code::W0343) {
            report.diagnostics.retain(|found| found.code != Code::W0340);
        }
        // What a warning about the text explains is told once.
        let is_cause = |code: Code| [Code::W0312, Code::W0313, Code::W0325].contains(&code);
        let has_cause = diagnostics.iter().any(|found| is_cause(found.code))
            || report.diagnostics.iter().any(|found| found.code == Code::W0536);
        let has_idle_effect = diagnostics.iter().any(|found| found.code == Code::W0312);
        let is_dead = |found: &Diagnostic| [Code::W0531, Code::W0534].contains(&found.code);
        let has_dead_rules = report.diagnostics.iter().any(is_dead);
        let is_explained = |found: &Diagnostic| match found.code {
            // Where a rule does not do what it should, there may be too little to choose from.
            Code::W0541 => {
                over_early::follows(found) && (has_cause || has_dead_rules)
                    || one_sided_moves::is_advice(found) && has_cause
            }
            Code::W0410 => {
                let is_same = |known: &Diagnostic| known.code == Code::W0410 && known.span() == found.span();
                has_cause || diagnostics.iter().any(is_same)
            }
            // Where effects read too early, conditions may hold always for that reason.
            Code::W0533 => diagnostics.iter().any(|known| known.code == Code::W0313),
            Code::W0532 => has_cause && found.title == idle_effects::NO_REPETITION || has_idle_effect,
            // A number that a division makes a whole one.
            Code::W0531 => {
                let is_weight = |known: &Diagnostic| known.code == Code::W0325;
                found.title.ends_with(dead_rules::WEIGHT_0) && diagnostics.iter().any(is_weight)
            }
            _ => false,
        };
        report.diagnostics.retain(|found| !is_explained(found));
        // What is always true by its form is told once.
        let is_told = |found: &Diagnostic| {
            let mut forms = diagnostics.iter().filter(|known| known.code == Code::W0126);
            [Code::W0533, Code::W0534].contains(&found.code)
                && forms.any(|known| found.span().covers(known.span()))
        };
        report.diagnostics.retain(|found| !is_told(found));
        report.failed = is_error(&report.diagnostics);
        known_causes::join_dead_moves(&moves, &mut report.diagnostics, &mut diagnostics);
        leave_out_known_conditions(&mut report.diagnostics, &diagnostics);
        join_causes(&mut report.diagnostics, &mut diagnostics);
        join_constant_fields(&mut report.diagnostics, &diagnostics, &read);
        join_idle_effects(&mut report.diagnostics, &idle, &read);
        diagnostics.retain(|found| !report.diagnostics.iter().any(|other| explains(other, found)));
    }
    report.diagnostics.append(&mut diagnostics);
    report.unexplored = match report.limit {
        _ if is_error(&report.diagnostics) || report.explored.is_some() => None,
        Some(hit) => Some(hit.to_string()),
        None => report.unexplored,
    };
    allow::silence(&text.sources, &mut report.diagnostics);
    diag::sort(&mut report.diagnostics);
    // Too little to choose from follows from other mistakes.
    let is_symptom = |found: &Diagnostic| found.help.is_none() || one_sided_moves::is_advice(found);
    report.diagnostics.sort_by_key(|found| found.code == Code::W0541 && is_symptom(found));
    shortest_play_first(&mut report.diagnostics);
    known_causes::names_of_sheet_first(text, &mut report.diagnostics);
    report
}

/// Puts the errors of the exploration in the order of the lengths of their plays, since an early fault leads to the
/// later ones; among equal lengths that of an end rule which cannot hold comes first, since play goes on past it.
/// The places of other diagnostics stay.
fn shortest_play_first(diagnostics: &mut [Diagnostic]) {
    let is_explored = |found: &Diagnostic| found.severity() == Severity::Error && found.witness.is_some();
    let places: Vec<usize> = (0..diagnostics.len()).filter(|at| is_explored(&diagnostics[*at])).collect();
    let mut found: Vec<Diagnostic> = places.iter().map(|at| diagnostics[*at].clone()).collect();
    let length = |found: &Diagnostic| {
        found.witness.as_ref().map_or(0, |witness| witness.play.len() + usize::from(witness.next.is_some()))
    };
    let is_of_end =
        |found: &Diagnostic| found.help.as_ref().is_some_and(|help| help.starts_with("an end rule asks for"));
    // An invariant that fails tells more of an effect than the loop that the effect leads to.
    let is_broken = found.iter().any(|found| found.code == Code::E0504);
    let is_after = |error: &Diagnostic| is_broken && error.code == Code::E0505;
    found.sort_by_key(|error| (is_after(error), length(error), !is_of_end(error)));
    places.into_iter().zip(found).for_each(|(at, found)| diagnostics[at] = found);
}

/// The fields that rules read, by name.
#[derive(Debug, Default)]
struct FieldReads {
    /// Those that the end rules read.
    in_ends: Vec<String>,
    /// The sets that are empty at first, and that effects only take out of.
    emptied: Vec<String>,
    /// Those that the moves of players read, with the name of the first move that does.
    in_moves: Vec<(String, String)>,
}

impl FieldReads {
    fn of(rules: &Rules) -> FieldReads {
        let mut found = FieldReads::default();
        for (id, field) in rules.fields.entries() {
            let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == id);
            if rules.ends.iter().any(|rule| rules.mentions(&rule.condition, &is_field)) {
                found.in_ends.push(field.name.clone());
            }
            let reads = |kind: &StmtKind| statement_mentions(rules, kind, &is_field);
            if let Some(mv) = rules.moves.iter().find(|mv| !mv.chance && mv.body.any(&reads)) {
                found.in_moves.push((field.name.clone(), mv.name.clone()));
            }
            let adds = |kind: &StmtKind| matches!(kind, StmtKind::Effect(of) if of.field == id && of.op != EffectOp::Remove);
            let is_empty = |value: &Value| matches!(value, Value::Set(elements) if elements.is_empty());
            if field.init.iter().all(is_empty) && !rules.moves.iter().any(|mv| mv.body.any(&adds)) {
                found.emptied.push(field.name.clone());
            }
        }
        found
    }
}

/// Joins endless play with the warning about a field that never changes, if the end rules or the moves read that field.
fn join_constant_fields(explored: &mut [Diagnostic], of_text: &[Diagnostic], read: &FieldReads) {
    let name_of = |found: &Diagnostic| found.title.split('`').nth(1).unwrap_or_default().to_owned();
    let mut constant = of_text.iter().filter(|found| found.code == Code::W0410);
    let is_awaited = |found: &&Diagnostic| read.in_ends.contains(&name_of(found));
    let move_of = |name: &str| read.in_moves.iter().find(|(field, _)| field == name).map(|(_, made)| made);
    let Some(cause) = constant
        .clone()
        .find(is_awaited)
        .or_else(|| constant.find(|found| move_of(&name_of(found)).is_some()))
    else {
        return;
    };
    for error in explored.iter_mut().filter(|found| found.code == Code::E0505) {
        // A move without effects is the mistake itself.
        if error.title.contains("changes nothing") {
            continue;
        }
        let name = name_of(cause);
        let reader = match move_of(&name) {
            Some(made) if !is_awaited(&cause) => format!("`{made}`"),
            _ => "an end rule".to_owned(),
        };
        let help = error.help.take().unwrap_or_default();
        error.help = Some(format!(
            "{reader} reads `{name}`, which never changes: an effect on it is missing in a move; otherwise, {help}"
        ));
        let label = format!("no effect changes `{name}`");
        error.labels.push(Label { span: cause.span(), text: label });
    }
}

/// Joins endless play with a field that the end rules or the moves read and that never changes, although a move has an
/// effect on it.
fn join_idle_effects(explored: &mut [Diagnostic], idle: &[Diagnostic], read: &FieldReads) {
    let names = |found: &Diagnostic| -> Vec<String> {
        found.title.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let reader = |field: &String| {
        let in_move = read.in_moves.iter().find(|(of, _)| of == field).map(|(_, made)| format!("`{made}`"));
        let is_awaited = read.in_ends.contains(field);
        if is_awaited { Some("an end rule".to_owned()) } else { in_move }
    };
    for error in explored.iter_mut().filter(|found| found.code == Code::E0505) {
        // Events that never happen are likely to be why.
        let has_dead_events = error.help.as_ref().is_some_and(|help| help.contains(dead_rules::WEIGHT_0));
        if has_dead_events || error.title.contains("changes nothing") {
            continue;
        }
        let cause = idle.iter().find_map(|found| {
            let [field, made] = &names(found)[..] else { return None };
            let place = found.labels.get(1)?.span;
            // A condition about another key.
            let of_key = found.help.as_ref().and_then(|help| help.strip_suffix(idle_effects::LOOK_AT));
            let of_key = of_key.and_then(|help| help.strip_suffix("; otherwise ")).zip(found.labels.get(2));
            Some((field.clone(), made.clone(), place, reader(field)?, of_key))
        });
        let Some((field, made, place, reader, of_key)) = cause else { continue };
        let help = error.help.take().unwrap_or_default();
        let look = "look at the value of that effect, and at the conditions around it";
        let look = of_key.map_or(look, |(help, _)| help);
        let empty = format!(
            "`{field}` begins as `{{}}`, and effects only take out: one of the two is to be otherwise"
        );
        let look = if read.emptied.contains(&field) { empty.as_str() } else { look };
        error.help = Some(format!(
            "{reader} reads `{field}`, which never changes, although `{made}` has an effect on it: {look}; otherwise, {help}"
        ));
        error.labels.extend(of_key.map(|(_, label)| label.clone()));
        let label = format!("changes nothing: `{field}` is the same in every position");
        error.labels.push(Label { span: place, text: label });
    }
}

/// Returns true if an error of the exploration explains a warning about a field that is never read or never changes: a
/// play that goes on forever, or an error that names the field.
fn explains(error: &Diagnostic, warning: &Diagnostic) -> bool {
    if warning.code == Code::W0126 && error.code == Code::E0501 {
        let is_told = |label: &Label| {
            let is_part = |of: &Label| of.span.covers(label.span) || label.span.covers(of.span);
            label.text.starts_with("never true") && warning.labels.iter().any(is_part)
        };
        return error.labels.iter().any(is_told);
    }
    if error.severity() != Severity::Error || ![Code::W0111, Code::W0410].contains(&warning.code) {
        return false;
    }
    let field = warning.title.split('`').nth(1).unwrap_or_default();
    let names_it = error.title.split('`').any(|part| part == field || part.starts_with(&format!("{field}[")));
    let is_of_outcome = error.code == Code::E0502 && outcomes_without_value::names(error, field);
    names_it || is_of_outcome || error.code == Code::E0505 && warning.code == Code::W0410
}

/// Leaves out that a condition never holds, or that an effect is the same for all, where a warning of the text says why.
fn leave_out_known_conditions(explored: &mut Vec<Diagnostic>, of_text: &[Diagnostic]) {
    explored.retain(|found| {
        let is_known = |known: &Diagnostic| {
            matches!(known.code, Code::W0126 | Code::W0313) && known.span() == found.span()
        };
        let is_early = |known: &Diagnostic| {
            let (known_at, found_at) = (known.span(), found.span());
            known.code == Code::W0313 && (known_at.covers(found_at) || found_at.covers(known_at))
        };
        match found.code {
            Code::W0533 => !of_text.iter().any(is_known),
            Code::W0536 => !of_text.iter().any(is_early),
            _ => true,
        }
    });
}

/// Joins a term without a value with the warning of the text about a place out of its list; and a number out of its range
/// with the one that explains it: the field that its effect reads too early, or the effect that simultaneous moves repeat.
fn join_causes(explored: &mut [Diagnostic], of_text: &mut Vec<Diagnostic>) {
    for error in explored.iter_mut().filter(|found| found.code == Code::E0330) {
        let is_cause = |found: &Diagnostic| {
            // The read of a cell that the same stage fills has its way out; others may be meant.
            let is_way_out = found.help.as_ref().is_some_and(|help| help.starts_with("write `"));
            (found.code == Code::W0123 || found.code == Code::W0313 && is_way_out)
                && error.labels.iter().any(|label| label.span.covers(found.span()))
        };
        if let Some(place) = of_text.iter().position(is_cause) {
            let cause = of_text.remove(place);
            let place = error.span();
            error.labels.retain(|label| !label.span.covers(cause.span()) || label.span == place);
            error.labels.extend(cause.labels);
            error.help = cause.help.or(error.help.take());
            error.edits = cause.edits;
        }
        // A term without a value tells more than the effect that reads it.
        of_text.retain(|found| found.code != Code::W0313 || !found.span().covers(error.span()));
    }
    // A piece that an effect copies is why an invariant about the pieces fails.
    for error in explored.iter_mut().filter(|found| found.code == Code::E0504) {
        let is_cause = |found: &Diagnostic| {
            found.code == Code::W0312 && error.labels.iter().skip(1).any(|label| label.span == found.span())
        };
        if let Some(place) = of_text.iter().position(is_cause) {
            let cause = of_text.remove(place);
            let way_out = cause.help.map(|help| format!(": {help}")).unwrap_or_default();
            let rest = error.help.take().unwrap_or_default();
            error.help = Some(format!("{}{way_out}; otherwise, {rest}", cause.title));
            let known = error.labels.iter_mut().find(|label| label.span == cause.labels[0].span);
            known.into_iter().for_each(|label| label.text = cause.labels[0].text.clone());
            error.labels.extend(cause.labels.into_iter().skip(1));
        }
    }
    for error in explored.iter_mut().filter(|found| found.code == Code::E0503) {
        // A bound on the wrong side.
        of_text.retain(|found| found.code != Code::W0125 || !error.span().covers(found.span()));
        if error.help.as_ref().is_some_and(|help| help.starts_with(REPEATED_BY_EACH)) {
            of_text.retain(|found| found.code != Code::W0314 || found.span() != error.span());
        }
        let is_cause = |found: &Diagnostic| found.code == Code::W0313 && found.span() == error.span();
        let Some(place) = of_text.iter().position(is_cause) else {
            let is_below = |found: &&Diagnostic| {
                found.code == Code::W0313
                    && found.labels.iter().skip(1).any(|label| label.span == error.span())
            };
            if let Some(below) = of_text.iter().find(is_below) {
                let help = error.help.take().unwrap_or_default();
                error.help = Some(format!("{}, which may be the cause; otherwise, {help}", below.title));
            }
            continue;
        };
        let cause = of_text.remove(place);
        let name = cause.title.split('`').nth(1).unwrap_or_default();
        let help = error.help.take().unwrap_or_default();
        error.help = Some(format!(
            "`{name}` is read before the effect above it, which changes it: to read it after that effect, write `then {{ \
             ... }}`; otherwise, {help}"
        ));
        error.labels.extend(cause.labels.into_iter().skip(1));
    }
}

fn is_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity() == Severity::Error)
}

/// The findings of parsing and analysis.
struct FileFindings {
    diagnostics: Vec<Diagnostic>,
    /// The limit that ended the analyses early.
    limit: Option<LimitHit>,
    index: Index,
}

/// The diagnostics of parsing and analysis for every group of claims and every preset. A warning about the rules counts
/// only if all sets of parameters agree, since one variant may need a definition that another leaves unused. If a limit
/// skips some sets, no such warning counts.
fn analysed(text: &mut GameSource, limits: &Limits) -> FileFindings {
    let groups = text.outline.groups;
    let first = text.analyze(Some(0));
    let (mut limit, mut index) = (first.stopped, first.index);
    let mut runs: Vec<Vec<Diagnostic>> = vec![first.diagnostics];
    let place = |d: &Diagnostic| (d.code, d.span());
    let by_default: FxHashSet<_> = runs[0].iter().map(place).collect();
    let others = (1..groups).map(|group| (Some(group), None));
    let presets = text.outline.presets.clone().into_iter();
    for (group, preset) in others.chain(presets.map(|preset| (None, Some(preset)))) {
        limit = limit.or_else(|| limits.check());
        if limit.is_none() {
            let analysis = match preset {
                Some(preset) => text.analyze_preset(preset),
                None => text.analyze(group),
            };
            limit = analysis.stopped;
            index.merge(analysis.index);
            let settings = group.and_then(|group| text.outline.group_settings.get(group));
            let note = settings.map(|settings| format!("found with the parameters of a claim: {settings}"));
            let mut found = analysis.diagnostics;
            for error in found.iter_mut().filter(|d| d.severity() == Severity::Error) {
                if !by_default.contains(&place(error)) && !text.outline.is_in_claim(error.span()) {
                    error.notes.extend(note.clone());
                }
            }
            runs.push(found);
        }
    }
    let mut found: Vec<Diagnostic> = Vec::new();
    let places: Vec<Option<FxHashSet<_>>> =
        runs.iter().map(|run| (!is_error(run)).then(|| run.iter().map(place).collect())).collect();
    let agreed = |d: &Diagnostic| {
        limit.is_none() && places.iter().all(|of| of.as_ref().is_none_or(|of| of.contains(&place(d))))
    };
    // Expectations and tests belong to one set of parameters.
    let in_claim = |d: &Diagnostic| text.outline.is_in_claim(d.span());
    let mut known = FxHashSet::default();
    for diagnostic in runs.iter().flatten() {
        let counts = diagnostic.severity() == Severity::Error || agreed(diagnostic) || in_claim(diagnostic);
        if counts && known.insert(place(diagnostic)) {
            found.push(diagnostic.clone());
        }
    }
    if !text.outline.is_game && text.outline.first_item.is_some() {
        // A library has no players, no moves and no end of its own.
        found.retain(|d| ![Code::E0008, Code::E0320, Code::E0321, Code::W0111].contains(&d.code));
    }
    found.extend(text.diagnostics.iter().cloned());
    diag::sort(&mut found);
    FileFindings { diagnostics: found, limit, index }
}

/// Explores the positions of a game; returns the fields that never change beside an error, although moves have effects on
/// them.
fn explore_positions(
    text: &mut GameSource,
    game: &Game,
    options: &CheckOptions<'_>,
    report: &mut CheckReport,
) -> Vec<Diagnostic> {
    let mut limits = options.limits.clone();
    limits.positions = Some(options.explore);
    let bounded = game.with_limits(&limits);
    let mut watch = CheckVisitor::new(&bounded, &limits);
    if let Some(names) = text.gdl_names() {
        watch.loose_ends = names.loose_ends.first;
    }
    let initial = game.machine.initial();
    let seen = explore(game, &[initial], &limits, options.progress, &mut watch);
    let complete = matches!(seen.ended, ExploreEnd::Complete);
    report.limit = match seen.ended {
        ExploreEnd::Limit(hit) => Some(hit),
        _ => watch.limit,
    };
    let how_far = diagnostics::describe_extent(&seen, complete, report.limit);
    let explored = ExploredGame { game, watch: &watch, seen: &seen, extent: &how_far };
    diagnostics::add_findings(text, explored, &mut report.diagnostics);
    match symmetry::find_refuted(&bounded, &seen, &limits) {
        Ok(None) => {}
        Ok(Some(refuted)) => {
            report.diagnostics.push(diagnostics::refuted_symmetry(text, game, &seen, &refuted))
        }
        Err(hit) => report.limit = report.limit.or(Some(hit)),
    }
    if game.rules.has_hidden_information() {
        let histories = usize::try_from(options.explore).unwrap_or(usize::MAX);
        if let Some(confused) = information_sets::find_conflict(&bounded, histories, &limits) {
            report.diagnostics.push(diagnostics::information_set_conflict(text, game, &confused));
        }
    }
    if complete && !is_error(&report.diagnostics) {
        dead_rules::add_findings(text, explored, &limits, &mut report.diagnostics);
    } else if !is_error(&report.diagnostics) {
        report.diagnostics.extend(dead_rules::dead_pass(game, &watch));
    }
    let mut idle = Vec::new();
    if complete && is_error(&report.diagnostics) {
        idle_effects::unchanged_fields(text, game, &watch, &mut idle);
        // A field that never changes is a surer cause of a play without end.
        let is_moved = idle.is_empty() && !missing_effects::ends_read_unset_field(&game.rules);
        let asked = if is_moved { &[Code::E0501, Code::E0505][..] } else { &[Code::E0501] };
        unreached_ends::explain(text, explored, &limits, &mut report.diagnostics, asked);
    }
    let alike = watch.equal_ends.words(&game.rules).filter(|_| complete && !is_error(&report.diagnostics));
    let how_far = alike.map_or(how_far.clone(), |alike| format!("{how_far}; {alike}"));
    report.explored = (complete || seen.visited > 0 || report.limit.is_none()).then_some(how_far);
    idle
}

/// Limits that end after `time`, or earlier if `limits` do.
pub fn with_deadline(limits: &Limits, time: Duration) -> Limits {
    let until = Instant::now() + time;
    let deadline = Some(limits.deadline.map_or(until, |d| d.min(until)));
    Limits { deadline, ..limits.clone() }
}

#[cfg(test)]
mod tests {
    use super::testing::findings_of_two;
    use bouton_syntax::diag::Code;

    #[test]
    fn an_early_read_may_explain_a_number_out_of_range() {
        let help = |last: &str| {
            let rest = format!(
                "phases {{ put; walk; }} state {{ left: 0..3 = 3; }} move lay(k: 1..2) in put as \"{{k}}\" {{ left -= 1; {last} }} \
                 move go() in walk as \"go\" {{ when left = 1; left := 0; continue walk; }} end {{ when stuck => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let early = help("if left = 0 { continue walk; next opponent; }");
        assert!(early.starts_with("this `if` reads `left` before the effect above it"), "{early}");
        assert!(help("then { if left = 0 { continue walk; next opponent; } }").is_empty());
    }

    #[test]
    fn an_end_rule_that_cannot_hold_comes_before_other_ranges() {
        let rest = "phases { pick by each; } state { aim[p: Player]: 0..1 = 0; got: 0..1 = 0; round: 0..2 = 0; } \
                    move go(k: 0..1) in pick as \"{k}\" { aim[me] := k; then { if me = A { \
                    if aim[A] != aim[B] and round > 0 { got += 1; } round += 1; } } } \
                    end { when round > 2 => draw; }";
        let found = findings_of_two(rest, Code::E0503);
        let titles: Vec<&str> = found.iter().map(|found| found.title.as_str()).collect();
        assert_eq!(titles, ["`round` goes to 3, outside 0..2", "`got` goes to 2, outside 0..1"]);
    }

    #[test]
    fn a_field_that_never_changes_explains_endless_play() {
        let help = |effect: &str| {
            let rest = format!(
                "state {{ high: 0..2 = 0; last: 0..2 = 0; }} move drop(x: 1..2) as \"{{x}}\" {{ when high < 2; last := x; \
                 {effect} }} end {{ when high = 2 and last > 0 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(help("").starts_with("an end rule reads `high`, which never changes"), "{}", help(""));
        assert!(help("high += 1;").is_empty());
    }

    #[test]
    fn an_effect_without_effect_explains_endless_play() {
        let told = |effect: &str| {
            let rest = format!(
                "enum Way {{ a, b }} state {{ at: Way = a; shut: set of Way = {{}}; }} move go(w: Way) as \"{{w}}\" {{ when w not in \
                 shut and w != at; at := w; shut {effect} {{ w }}; }} end {{ when stuck => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            let last = |found: bouton_syntax::diag::Diagnostic| {
                (found.help.unwrap_or_default(), found.labels.last().map(|label| label.text.clone()))
            };
            found.map(last).unwrap_or_default()
        };
        let (help, label) = told("-=");
        let first = "`go` reads `shut`, which never changes, although `go` has an effect on it: `shut` begins as `{}`";
        assert!(help.starts_with(first), "{help}");
        assert_eq!(label.as_deref(), Some("changes nothing: `shut` is the same in every position"));
        assert_eq!(told("|="), (String::new(), None));
    }

    #[test]
    fn a_copied_piece_explains_an_invariant() {
        let told = |op: &str| {
            let rest = format!(
                "board C = strip(4); state {{ on[c: C]: Player? = if c = a1 then A else if c = d1 then B else none; n: 0..4 = 0; }} \
                 move go(c: C, d: {{ E, W }}) as \"{{c}}{{d}}\" {{ let to = c + d; when n < 4 and on[c] = me and on[to] = none; on[to] \
                 {op} on[c]; n += 1; }} end {{ when n = 4 => draw; when stuck => draw; }} invariant (count c in C: on[c] = A) <= 1;"
            );
            let help = |code| findings_of_two(&rest, code).into_iter().next().and_then(|found| found.help);
            (help(Code::W0312), help(Code::E0504).unwrap_or_default())
        };
        let (warning, error) = told(":=");
        assert_eq!(warning, None);
        assert!(
            error.contains("write `on[to] <- on[c];`") && error.contains("; otherwise, the last move"),
            "{error}"
        );
        assert_eq!(told("<-"), (None, String::new()));
    }

    #[test]
    fn an_early_read_explains_a_condition_that_is_always_true() {
        let count = |effects: &str| {
            let rest = format!(
                "phases {{ bid by each; }} state {{ purse[p: Player]: 0..3 = 3; offer[p: Player]: 0..3 = 0; job: 0..2 = 0; won[p: \
                 Player]: 0..3 = 0; }} move offers(k: 0..3) in bid as \"{{k}}\" {{ when k <= purse[me]; offer[me] := k; {effects} \
                 then {{ if me = A {{ job += 1; }} }} }} end {{ when job = 2 => highest won; }}"
            );
            (findings_of_two(&rest, Code::W0313).len(), findings_of_two(&rest, Code::W0533).len())
        };
        let early = count("if offer[me] > offer[opponent] { purse[me] -= offer[me]; won[me] += 1; }");
        assert!(early.0 > 0 && early.1 == 0, "{early:?}");
        assert_eq!(count(""), (0, 1));
    }

    #[test]
    fn a_field_that_moves_read_explains_endless_play() {
        let help = |effect: &str| {
            let rest = format!(
                "enum Letter {{ a, b }} state {{ letter[i: 1..2]: Letter? = none; size: 0..2 = 0; }} move add(x: Letter) as \
                 \"{{x}}\" {{ when size < 2; letter[size + 1] := x; {effect} }} end {{ when letter[2] = b => draw; when stuck => \
                 draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert!(
            help("").starts_with("`add` reads `size`, which never changes: an effect on it"),
            "{}",
            help("")
        );
        assert!(help("size += 1;").is_empty());
    }
}
