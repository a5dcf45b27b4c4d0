//! Finds events that never happen, after a complete exploration: moves never legal, end rules that never decide,
//! conditions always true, players without a choice, simultaneous moves that read no choice. A finding is dropped if another set of parameters of the file
//! contradicts it.

use std::collections::HashMap;
use std::time::Duration;

use super::absent_cells;
use super::always_true::AlwaysTrueConditions;
use super::diagnostics::{ExploredGame, for_each_player};
use super::empty_sets;
use super::idle_effects::{repetitions, unchanged_fields};
use super::lasting_phases;
use super::late_rules::{is_mover, is_stuck};
use super::visitor::{CheckVisitor, MAX_COVER_TESTS};
use super::{
    covered_rules, dead_branches, false_at_first, fault_advice, jumped_ends, moves_of_others, never_legal,
    never_true_parts, off_board_numbers, one_sided_moves, other_keys, over_early, reasons, shadowed_moves,
    single_moves, single_values, turn_advice, unchosen_results, undefined_guards, wrong_setup,
};
use crate::faults::game_span;
use crate::load::GameSource;
use crate::sheet_clauses::SheetClauses;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_gdl::MoveName;
use bouton_report::numbers;
use bouton_rules::{
    Actor, Binder, Domain, EndRule, Expr, ExprKind, FieldId, MOVER, Move, OutcomeExpr, Pattern, Quant, Rules,
    StmtKind, Type, Value,
};
use bouton_search::game::explore::{ExploreEnd, explore};
use bouton_search::game::{Game, ToMove};
use bouton_search::solve::payoffs::is_without_result;
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// The maximal number of positions to explore for each other set of parameters.
const MAX_VARIANT_POSITIONS: u64 = 20_000;

/// Adds the findings that no other set of parameters of the file contradicts.
pub fn add_findings(
    text: &mut GameSource,
    explored: ExploredGame<'_>,
    limits: &Limits,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let ExploredGame { game, watch, extent, .. } = explored;
    let mut here = Vec::new();
    moves(game, watch, &mut here);
    let at_once = over_at_once(game);
    if let Some(names) = text.gdl_names() {
        // A role that waits by a move makes it in positions where another role is asked.
        let waits = |made: &&MoveName| names.waits[made.role as usize].as_ref() == Some(&made.term);
        let spans: Vec<Span> =
            names.moves.iter().filter(waits).map(|made| game.rules.moves[made.id].span).collect();
        here.retain(|found| !spans.contains(&found.span()));
    }
    let pass = dead_pass(game, watch);
    let has_dead_pass = pass.is_some();
    here.extend(pass);
    match at_once {
        // All other findings follow from this rule.
        Some(rule) if over_early::is_for_want_of_moves(game, rule, &game.machine.initial()) => {}
        Some(rule) => here = vec![holds_at_first(text, game, rule)],
        None => {
            rules(text, game, watch, &mut here);
            covered_rules::needless(text, &game.rules.ends, &mut here);
            // Where the game ends too early, conditions may hold always for that reason.
            if !has_dead_pass {
                conditions(text, &game.rules, &watch.always, &mut here);
            }
            choices(text, game, watch, &mut here);
            if !here.iter().any(|found| [Code::W0531, Code::W0532].contains(&found.code)) {
                dead_branches::find(game, explored.seen, limits, &mut here);
                unchosen_results::find(game, explored.seen, limits, &mut here);
            }
            // Rules that never hold are explained by conditions that read no choice.
            if watch.early.never_refuted().next().is_some() {
                here.retain(|found| found.code != Code::W0532);
            }
            early_reads(game, watch, &mut here);
            // Moves and rules that never occur may be those that lead back.
            if here.is_empty() {
                repetitions(game, watch, &mut here);
            }
            if here.iter().any(|found| found.code == Code::W0532) {
                here.extend(over_early::after_a_move(game));
            }
            if !here.iter().any(|found| [Code::W0531, Code::W0534].contains(&found.code)) {
                unchanged_fields(text, game, watch, &mut here);
            }
        }
    }
    // A game that is over for want of a first move is trivial, whatever other sets of parameters do.
    let trivial = at_once
        .filter(|rule| over_early::is_for_want_of_moves(game, rule, &game.machine.initial()))
        .filter(|rule| rule.span.is_placed());
    if here.is_empty() && trivial.is_none() {
        return;
    }
    wrong_setup::explain(game, explored.seen, &mut here);
    name_conditions(text, explored, limits, &mut here);
    name_parts(text, explored, limits, &mut here);
    one_sided_moves::explain(text, explored, limits, &mut here);
    covered_rules::explain(text, explored, &mut here);
    other_keys::explain(text, &game.rules, &mut here);
    jumped_ends::explain(text, game, explored.seen, &mut here);
    off_board_numbers::explain(&game.rules, &mut here);
    false_at_first::explain(game, &mut here);
    absent_cells::explain(text, &game.rules, &mut here);

    if trivial.is_some() {
        moves_of_others::leave_one(game, &mut here);
        let is_move = |found: &&mut Diagnostic| found.code == Code::W0531 && found.help.is_none();
        for found in here.iter_mut().filter(is_move) {
            found.help = Some(OVER_FOR_WANT_OF_A_MOVE.to_owned());
        }
    }
    for other in variants(text) {
        contradicted(&other, text, limits, &mut here);
        // Without a comparison with every other game nothing is reported.
        if limits.check().is_some() {
            return;
        }
    }
    over_early::explain(text, game, limits, &mut here);
    single_values::explain(text, explored, &mut here);
    if let Some(rule) = trivial.filter(|_| here.is_empty()) {
        here.push(nobody_begins(game, rule));
    }
    let scope = numbers::scope(&game.rules);
    diagnostics.extend(here.into_iter().map(|found| {
        let note = explored_note(&found, extent, &scope);
        found.note(note)
    }));
}

/// The note with what was explored of a game with these parameters.
fn explored_note(found: &Diagnostic, extent: &str, scope: &str) -> String {
    let is_needless = matches!(found.code, Code::W0410 | Code::W0531 | Code::W0532 | Code::W0533);
    match (scope, is_needless) {
        ("", _) => format!("explored: {extent}"),
        (_, false) => format!("explored: {extent}, with {scope}"),
        (_, true) => format!("explored: {extent}, with {scope}: other values may need it"),
    }
}

/// W0534: a rule about players who cannot move, which holds in the first position.
fn nobody_begins(game: &Game, rule: &EndRule) -> Diagnostic {
    let scope = numbers::scope(&game.rules);
    let with = if scope.is_empty() { scope } else { format!(" with {scope}") };
    let title = format!("the game is over before the first move: no move is legal{with}");
    let found = Diagnostic::new(Code::W0534, title, rule.span, "this rule holds in the first position");
    found.help("look at the first position, and at the values of the parameters that it depends on")
}

/// The rule that ends the game in its first position.
fn over_at_once(game: &Game) -> Option<&EndRule> {
    match game.machine.turn(&game.machine.initial()) {
        Ok(ToMove::Terminal(outcome)) => game.rules.ends.get(outcome.rule),
        _ => None,
    }
}

fn nothing_to_play(text: &GameSource, rule: &EndRule) -> Diagnostic {
    let title = "the game is over before the first move";
    let found = Diagnostic::new(Code::W0534, title, rule.span, "this rule holds in the first position");
    let found = found.help("give it a condition that is false at the start, or start from another position");
    if text.gdl_names().is_some() { at_terminal(text, found) } else { found }
}

/// The maximal number of rules for `terminal` that are shown.
const MAX_TERMINAL_RULES: usize = 4;

/// A finding about the end of a sheet, at its rules for `terminal`.
fn at_terminal(text: &GameSource, mut found: Diagnostic) -> Diagnostic {
    let clauses = SheetClauses::of(&text.sources.get(text.file).text, text.file);
    let places: Vec<Span> = clauses.of_relation("terminal").map(|clause| clause.span).collect();
    let label = match places.len() {
        1 => "this rule holds in the first position",
        _ => "one of the rules for `terminal` holds in the first position",
    };
    let told = (0..).zip(places.into_iter().take(MAX_TERMINAL_RULES)).map(|(at, span): (usize, Span)| {
        let text = if at == 0 { label.to_owned() } else { "or this one".to_owned() };
        Label { span, text }
    });
    let told: Vec<Label> = told.collect();
    if !told.is_empty() {
        found.labels = told;
    }
    found
}

/// W0534 with the values that make the rule hold.
fn holds_at_first(text: &GameSource, game: &Game, rule: &EndRule) -> Diagnostic {
    let mut found = nothing_to_play(text, rule);
    if text.gdl_names().is_some() {
        return found;
    }
    let witness = reasons::witness(text, game, &game.machine.initial(), rule);
    if let (Some(words), Some(label)) = (witness, found.labels.first_mut()) {
        label.text = format!("{}: {words}", label.text);
    }
    if let Some(help) = over_early::exchanged_values(game, rule) {
        return found.help(help);
    }
    empty_sets::explain(text, game, rule, found)
}

fn moves(game: &Game, watch: &CheckVisitor<'_>, found: &mut Vec<Diagnostic>) {
    // One rule of a sheet may have become several moves.
    let mut of_rules: HashMap<Span, (usize, bool)> = HashMap::new();
    for (mv, legal) in game.rules.moves.iter().zip(&watch.legal) {
        let (count, any) = of_rules.entry(mv.span).or_default();
        *count += 1;
        *any |= *legal;
    }
    for ((_, mv), legal) in game.rules.moves.entries().zip(&watch.legal) {
        let (count, any) = of_rules[&mv.span];
        let is_told = found.iter().any(|found| found.code == Code::W0531 && found.span() == mv.span);
        if !legal && !any && !is_told {
            let title = match mv.chance {
                // The moves of a sheet have names with its roles and a number.
                _ if count > 1 || mv.name.contains(' ') => "this rule never makes a move legal".to_owned(),
                true => format!("the event `{}` never happens", mv.name),
                false => format!("the move `{}` is never legal", mv.name),
            };
            let mut diagnostic = Diagnostic::new(Code::W0531, title, mv.span, "in no position");
            let weight = mv.weight.as_ref().filter(|weight| is_zero(weight));
            if let Some(weight) = weight {
                diagnostic = diagnostic
                    .label(weight.span, "this weight is always 0")
                    .help("an event of weight 0 does not happen: give it a positive weight, or leave it out");
            } else if let Some(span) = never_true(mv) {
                let scope = numbers::scope(&game.rules);
                let with = if scope.is_empty() { String::new() } else { format!(" with {scope}") };
                diagnostic = diagnostic.label(span, format!("false{with}"));
            }
            found.push(diagnostic);
        }
    }
    found.extend(game.rules.moves.iter().filter_map(|mv| events_of_weight_0(game, mv)));
}

/// W0531: events of one parameter of which some have a weight that is 0 in every position, as a condition says.
pub(super) fn events_of_weight_0(game: &Game, mv: &Move) -> Option<Diagnostic> {
    let weight = mv.weight.as_ref().filter(|weight| mv.chance && weight.span.is_placed())?;
    let [param] = &mv.params[..] else { return None };
    // A table may have entries of 0, and other terms may become positive.
    let is_open = |kind: &ExprKind| {
        matches!(
            kind,
            ExprKind::Field(..)
                | ExprKind::Table(..)
                | ExprKind::Stuck
                | ExprKind::StuckPlayer(_)
                | ExprKind::Me
        )
    };
    let is_own = |kind: &ExprKind| matches!(kind, ExprKind::Var(var) if *var == param.var);
    if game.rules.mentions(weight, &is_open) || !game.rules.mentions(weight, &is_own) {
        return None;
    }
    let initial = game.machine.initial();
    let mut never: Vec<String> = Vec::new();
    for value in param.values.iter() {
        let constant = Expr::new(ExprKind::Const(value.clone()), Type::Error, weight.span);
        let of_value = weight.clone().with(Pattern::Var(param.var), constant);
        let of_value = game.machine.eval(&initial, &of_value).ok()??;
        if of_value.as_ratio()?.is_zero() {
            never.push(format!("`{}({})`", mv.name, game.rules.show(value)));
        }
    }
    if never.is_empty() || never.len() == param.values.len() {
        return None;
    }
    let (subject, their) = match never.len() {
        1 => (format!("the event {} never happens", never[0]), "its"),
        _ => (format!("the events {} never happen", joined(&never)), "their"),
    };
    let title = format!("{subject}: {their} {WEIGHT_0}");
    Some(
        Diagnostic::new(Code::W0531, title, weight.span, "0 for these")
            .help("give each event a positive weight, or leave these out of the values of the parameter"),
    )
}

/// The last words of the title about events without weight.
pub(super) const WEIGHT_0: &str = "weight is 0";

/// The words of a list: `a, b and c`.
fn joined(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// Adds to the findings of moves that are never legal the condition that none of their instances satisfies.
fn name_conditions(text: &GameSource, explored: ExploredGame<'_>, limits: &Limits, found: &mut [Diagnostic]) {
    let bounded = explored.game.with_limits(limits);
    for diagnostic in found.iter_mut().filter(|d| d.code == Code::W0531 && d.labels.len() == 1) {
        let mut moves = bounded.rules.moves.iter();
        let Some(mv) = moves.find(|mv| mv.span == diagnostic.span()) else { continue };
        if let [phase] = mv.phases[..]
            && fault_advice::is_unentered(&bounded.rules, phase)
        {
            let phase = &bounded.rules.phases[phase];
            diagnostic.labels.push(Label { span: phase.span, text: fault_advice::UNENTERED.to_owned() });
            let help = format!(
                "write `continue {};` in the move after which play goes on in this phase",
                phase.name
            );
            diagnostic.help.get_or_insert(help);
            continue;
        }
        let Some(reason) = never_legal::first_never_true(&bounded, explored.seen, mv, limits) else {
            if let Some((span, name)) = shadowed_moves::shadow(&bounded, explored.seen, mv) {
                let text = format!("legal where `{}` would be", mv.name);
                diagnostic.labels.push(Label { span, text });
                diagnostic.help.get_or_insert(format!(
                    "`{name}` is mandatory, so no other move is legal beside it: leave out `mandatory`, or give `{name}` a condition"
                ));
            }
            continue;
        };
        if !reason.span.is_placed() || reason.span.file != mv.span.file {
            continue;
        }
        let label = match (reason.is_term, reason.is_alone) {
            (true, true) => "never has a value",
            (true, false) if reason.excluder.is_some() => "never has a value where the other one holds",
            (true, false) => "never has a value where the conditions above hold",
            (false, true) if bounded.rules.phases.len() > 1 => "never true in its phase while play goes on",
            (false, true) => "never true while play goes on",
            (false, false) => "never true where the conditions above it hold",
        };
        diagnostic.labels.push(Label { span: reason.span, text: label.to_owned() });
        never_legal::name_excluder(text, &reason, diagnostic);
        if let (None, Some((field, value))) = (&diagnostic.help, reason.constant) {
            let (of, value) = (&bounded.rules.fields[field], bounded.rules.show(&value));
            let (keys, other) = match of.keys.is_empty() {
                true => ("", ""),
                false => (" for all its keys", ", or correct the condition"),
            };
            let name = &of.name;
            let is_here = format!("`{name}` is {value}{keys} in every position where the move could be made");
            if explored.seen.visited == 1 {
                diagnostic.help = Some(format!(
                    "the first player has no move, so the game is over at once: `{name}` is {value}{keys} in the first position; \
                     begin with another value, or correct the condition"
                ));
                continue;
            }
            diagnostic.help = Some(match is_changed_here_alone(&bounded.rules, mv, field) {
                true => format!(
                    "{is_here}, since no other move changes it, and this one is never legal: correct the condition, or \
                     its first value"
                ),
                false => format!("{is_here}: look for the effect that should change it{other}"),
            });
        }
    }
}

/// Returns true if a move has an effect on a field, and no other one has.
fn is_changed_here_alone(rules: &Rules, mv: &Move, field: FieldId) -> bool {
    let sets =
        |mv: &Move| mv.body.any(&|kind| matches!(kind, StmtKind::Effect(effect) if effect.field == field));
    sets(mv) && !rules.moves.iter().any(|other| other.span != mv.span && sets(other))
}

/// The help on moves that are never legal where no move is, so that the game ends at once.
const OVER_FOR_WANT_OF_A_MOVE: &str = "the first player has no move, so the game is over at once, by the rule about `stuck`: \
                                       correct the conditions of the moves, or the first position";

/// The maximal time of the search for the parts of end rules that never hold.
const PART_TIME: Duration = Duration::from_secs(4);

/// Adds to the findings of end rules that never hold the part that no position satisfies.
fn name_parts(text: &GameSource, explored: ExploredGame<'_>, limits: &Limits, found: &mut [Diagnostic]) {
    let bounded = explored.game.with_limits(&super::with_deadline(limits, PART_TIME));
    let is_open = |found: &&mut Diagnostic| {
        let is_unexplained = found.help.as_ref().is_some_and(|help| help.starts_with(HOLDS_NOWHERE));
        found.code == Code::W0532 && found.labels.len() == 1 && is_unexplained
    };
    for diagnostic in found.iter_mut().filter(is_open) {
        let mut rules = bounded.rules.ends.iter();
        let Some(rule) = rules.find(|rule| rule.span == diagnostic.span()) else { continue };
        let Some(part) = never_true_parts::never_holds(text, &bounded, explored.seen, rule) else { continue };
        diagnostic.labels.push(Label { span: part.span, text: part.label });
        if let (Some(more), Some(help)) = (part.help, diagnostic.help.as_mut()) {
            // Where a condition of a move is false for want of a value, moves may be missing.
            let Some((made, term)) = undefined_guards::undefined_guard(&bounded, explored.seen) else {
                *help = format!("{help}; {more}");
                continue;
            };
            diagnostic.labels.push(Label { span: term.span, text: term.reason });
            *help = format!(
                "{help}; a condition of `{made}` reads a term without a value, and so it is false there: \
                 correct that first; if it is as it should be, and {}",
                more.strip_prefix("if ").unwrap_or(&more)
            );
        }
    }
}

/// The first words of the help on an end rule that holds nowhere.
pub(super) const HOLDS_NOWHERE: &str = "its condition holds in none of the positions";

/// W0531: a pass for players without a move, where the game ends for want of a move instead. It needs no complete
/// exploration: the end rules come first in every position.
pub fn dead_pass(game: &Game, watch: &CheckVisitor<'_>) -> Option<Diagnostic> {
    let pass = game.rules.pass.as_ref().filter(|_| !watch.passed)?;
    let is_stuck = |condition: &Expr| matches!(*condition.kind, ExprKind::Stuck);
    pass.condition.as_ref().filter(|condition| is_stuck(condition))?;
    let ends_it = |rule: &&EndRule| rule.span.is_placed() && ends_where_stuck(&game.rules, rule);
    let rule = game.rules.ends.iter().find(ends_it)?;
    let found = Diagnostic::new(Code::W0531, "the pass is never legal", pass.span, "in no position")
        .label(rule.span, "where the player to move has no move, this rule ends the game first");
    let is_for_each = matches!(*rule.condition.kind, ExprKind::Quant(..)) || rule.binder.is_some();
    Some(match game.rules.players() {
        [_, _, ..] if is_for_each => found.help(
            "leave out the pass; or end the game only where nobody can move: `when all p in Player: stuck(p) => ...;`",
        ),
        [first, second] => found.help(format!(
            "leave out the pass; or end the game only where neither can move, `when stuck({first}) and stuck({second}) \
             => ...;`"
        )),
        _ => found.help("leave out the pass, or the end rule"),
    })
}

/// Returns true for a rule that holds wherever the player to move has no move: `stuck`, or `stuck(p)` of some player.
fn ends_where_stuck(rules: &Rules, rule: &EndRule) -> bool {
    let players = rules.players().len();
    let is_var = |expr: &Expr, binder: &Binder| match (&*expr.kind, &binder.pattern) {
        (ExprKind::Var(var), Pattern::Var(bound)) => var == bound,
        _ => false,
    };
    let is_of_all = |binder: &Binder| match &binder.domain {
        Domain::Fixed(values) => {
            binder.condition.is_none()
                && (0..players as u32).all(|player| values.contains(&rules.player(player)))
        }
        Domain::Set(_) => false,
    };
    let is_of_each = |binder: &Binder, body: &Expr| matches!(&*body.kind, ExprKind::StuckPlayer(who) if is_var(who, binder));
    let holds = |condition: &Expr| match &*condition.kind {
        ExprKind::Stuck => true,
        ExprKind::StuckPlayer(who) => is_mover(&who.kind),
        ExprKind::Quant(Quant::Some, binders, body) => {
            matches!(&binders[..], [binder] if is_of_all(binder) && is_of_each(binder, body))
        }
        _ => false,
    };
    let of_player = |part: &Expr| match &*part.kind {
        ExprKind::StuckPlayer(who) => who.constant().cloned(),
        _ => None,
    };
    match (&rule.binder, &*rule.condition.kind) {
        (Some(binder), _) => is_of_all(binder) && is_of_each(binder, &rule.condition),
        (None, ExprKind::Or(parts)) => {
            let named: Vec<Value> = parts.iter().filter_map(of_player).collect();
            parts.iter().any(holds) || (0..players as u32).all(|player| named.contains(&rules.player(player)))
        }
        (None, _) => holds(&rule.condition),
    }
}

/// Returns true for a weight that is 0 in every position.
fn is_zero(weight: &Expr) -> bool {
    weight.constant().and_then(Value::as_ratio).is_some_and(|weight| weight.is_zero())
}

/// A condition of the move that is false in every position.
fn never_true(mv: &Move) -> Option<Span> {
    mv.body.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Require(e) if e.constant() == Some(&Value::Bool(false)) => Some(e.span),
        _ => None,
    })
}

fn rules(text: &GameSource, game: &Game, watch: &CheckVisitor<'_>, found: &mut Vec<Diagnostic>) {
    for ((place, rule), decided) in game.rules.ends.iter().enumerate().zip(&watch.ended) {
        // Rules that no text has, and rules without a result, need not occur.
        if !decided && rule.span.is_placed() && !is_without_result(&rule.outcome) {
            let title = "this end rule is never reached";
            let diagnostic = Diagnostic::new(Code::W0532, title, rule.span, "decides no position");
            let earlier = watch.covered[place].and_then(|earlier| game.rules.ends.get(earlier));
            found.push(match (earlier, never_holds(&rule.condition)) {
                (Some(earlier), _) => diagnostic
                    .label(earlier.span, "this rule holds as well, and decides")
                    .help(covered_rules::SPECIAL_FIRST),
                (None, Some((span, range))) => diagnostic
                    .label(span, format!("never true: this is in {range}"))
                    .help("compare with a value that it can have, or widen its range"),
                (None, None) if is_of_next_player(&game.rules, rule) => {
                    let words = text.words(rule.span);
                    let rule = for_each_player(&words)
                        .unwrap_or_else(|| "for p in Player when ... => p wins;".to_owned());
                    diagnostic.help(format!(
                        "the turn has passed when this is asked, so `mover` is not the player who has just moved; if he is \
                         meant, say it for each player: `{rule}`"
                    ))
                }
                // The first rule is asked in every position.
                (None, None) if place == 0 || watch.terminal <= MAX_COVER_TESTS => {
                    let scope = numbers::scope(&game.rules);
                    let with = if scope.is_empty() { scope } else { format!(" with {scope}") };
                    diagnostic.help(format!("{HOLDS_NOWHERE}{with}"))
                }
                (None, None) => diagnostic.help("it never holds, or an earlier rule holds wherever it does"),
            });
        }
    }
}

/// Returns true for a rule that lets the mover win by a condition on the mover, in a game where each move passes the
/// turn.
fn is_of_next_player(rules: &Rules, rule: &EndRule) -> bool {
    let passes = |mv: &Move| {
        let is_turn = |kind: &StmtKind| matches!(kind, StmtKind::Stay(_) | StmtKind::Next(_));
        !mv.chance && !mv.body.any(&is_turn)
    };
    let wins = matches!(&rule.outcome, OutcomeExpr::Player(player, true) if is_mover(&player.kind));
    wins && rules.players().len() > 1
        && rules.phases.iter().all(|phase| matches!(phase.actor, Actor::Mover))
        && rules.moves.iter().all(passes)
        && rules.mentions(&rule.condition, &is_mover)
        && !rules.mentions(&rule.condition, &is_stuck)
}

/// A comparison on which a condition depends and that is false by the ranges of its sides: the side that is no constant,
/// and its range.
pub(crate) fn never_holds(condition: &Expr) -> Option<(Span, String)> {
    let pair = |low: &Expr, high: &Expr, strict: bool| {
        let ((least, _), (_, most)) = (low.ty.interval()?, high.ty.interval()?);
        if least < most || least == most && !strict {
            return None;
        }
        let side = if low.constant().is_some() { high } else { low };
        let (from, to) = side.ty.interval()?;
        Some((side.span, format!("{from}..{to}")))
    };
    match &*condition.kind {
        ExprKind::Less(low, high) => pair(low, high, true),
        ExprKind::LessEqual(low, high) => pair(low, high, false),
        ExprKind::Equal(a, b) => pair(a, b, true).or_else(|| pair(b, a, true)).filter(|_| {
            let apart = |a: &Expr, b: &Expr| Some(a.ty.interval()?.1 < b.ty.interval()?.0);
            apart(a, b) == Some(true) || apart(b, a) == Some(true)
        }),
        ExprKind::In(element, set) => {
            let wanted = never_true_parts::constant_elements(set)?;
            let (from, to) = element.ty.interval().filter(|_| element.constant().is_none())?;
            let is_apart = |value: &Value| value.as_int().is_some_and(|value| value < from || to < value);
            wanted.iter().all(is_apart).then(|| (element.span, format!("{from}..{to}")))
        }
        ExprKind::And(parts) => parts.iter().find_map(never_holds),
        ExprKind::Quant(Quant::Some, _, body) => never_holds(body),
        _ => None,
    }
}

fn conditions(text: &GameSource, rules: &Rules, always: &AlwaysTrueConditions, found: &mut Vec<Diagnostic>) {
    for clause in always.never_failed().filter(|clause| clause.span.is_placed()) {
        let words = text.words(clause.span);
        let title = if words.is_empty() || words.chars().count() > 60 {
            "this condition is always true here".to_string()
        } else {
            format!("`{words}` is always true here")
        };
        let told = Diagnostic::new(Code::W0533, title, clause.span, "rules nothing out");
        found.push(match over_early::ends_at_equality(text, rules, clause.span) {
            Some((span, help)) => told.label(span, "holds as well where both sides are equal").help(help),
            None => told.help("remove it, or state it as an `invariant`"),
        });
    }
}

fn choices(text: &GameSource, game: &Game, watch: &CheckVisitor<'_>, found: &mut Vec<Diagnostic>) {
    let players = game.rules.players();
    if players.len() < 2 {
        return;
    }
    // Where chance alone acts, nobody chooses.
    if game.rules.moves.iter().all(|mv| mv.chance) {
        if turn_advice::mover_stays(&game.rules) {
            mover_stays(text, game, found);
        }
        return;
    }
    for (name, &most) in players.iter().zip(&watch.choices) {
        if most <= 1 {
            let title = format!("`{name}` never has a choice in any position");
            let label = if most == 0 { "never moves" } else { "never more than one legal move" };
            let span = player_span(text, game, name);
            let diagnostic = Diagnostic::new(Code::W0541, title, span, label);
            // It speaks of statements that a sheet does not have.
            let advice = match most {
                _ if text.gdl_names().is_some() => None,
                0 => turn_advice::advice(&game.rules),
                _ => single_moves::advice(&game.rules, name),
            };
            let over_early =
                over_early::advice_for_others(text, game).filter(|_| most == 0 && advice.is_none());
            found.push(match (advice, over_early) {
                (Some(help), _) => diagnostic.help(help),
                (None, Some((rule, help))) => diagnostic.label(rule, "ends the game").help(help),
                (None, None) => diagnostic,
            });
        }
    }
    lasting_phases::waiting_players(text, &game.rules, watch, found);
}

/// The place where a player is declared.
fn player_span(text: &GameSource, game: &Game, name: &str) -> Span {
    let declared = text.outline.players.iter().find(|(player, _)| player == name);
    declared.map_or(game_span(text, game), |(_, span)| *span)
}

/// W0541: a game of chance alone in which the turn never passes from the first mover.
fn mover_stays(text: &GameSource, game: &Game, found: &mut Vec<Diagnostic>) {
    let Value::Sym(_, mover) = game.machine.read(&game.machine.initial(), MOVER, 0) else { return };
    let players = game.rules.players();
    let Some(mover) = players.get(mover as usize) else { return };
    let Some(waiting) = players.iter().find(|player| *player != mover) else { return };
    let event = game.rules.moves.iter().next().map_or("", |event| event.name.as_str());
    let next = if players.len() == 2 { "`next other(mover);`" } else { "`next` with a player" };
    let title = format!("the turn never passes to `{waiting}`: `mover` is `{mover}` in every position");
    let label = "never the mover";
    let told = Diagnostic::new(Code::W0541, title, player_span(text, game, waiting), label);
    found.push(
        told.help(format!("after an event of chance the turn stays: write {next} in `{event}` to pass it")),
    );
}

/// Returns true if an expression of a statement, those of blocks in it left out, has such a part.
pub(crate) fn statement_mentions(rules: &Rules, stmt: &StmtKind, is: &dyn Fn(&ExprKind) -> bool) -> bool {
    let has = |expr: &Expr| rules.mentions(expr, is);
    let of_binder = |binder: &Binder| {
        let of_domain = matches!(&binder.domain, Domain::Set(set) if has(set));
        of_domain || binder.condition.as_ref().is_some_and(has)
    };
    match stmt {
        StmtKind::Effect(effect) => has(&effect.value) || effect.keys.iter().any(has),
        StmtKind::Require(expr) | StmtKind::Let(_, expr) | StmtKind::If(expr, ..) | StmtKind::Next(expr) => {
            has(expr)
        }
        StmtKind::For(binders, _) => binders.iter().any(of_binder),
        StmtKind::Then(_) | StmtKind::Stay(_) => false,
    }
}

fn early_reads(game: &Game, watch: &CheckVisitor<'_>, found: &mut Vec<Diagnostic>) {
    for read in watch.early.never_refuted().filter(|read| read.span.is_placed()) {
        let name = &game.rules.fields[read.field].name;
        let title = format!("this reads `{name}` before the moves are made");
        let found_here =
            Diagnostic::new(Code::W0536, title, read.span, format!("`{name}` as it was at first"));
        found.push(found_here.help(
            "simultaneous moves all read the state before them: put what depends on them into `then { ... }`, which \
             reads the state after all of them",
        ));
    }
}

/// The games of the file's other sets of parameters: its presets, and those of its claims.
fn variants(text: &mut GameSource) -> Vec<Game> {
    let groups = text.outline.groups;
    let mut analyses: Vec<_> = (1..groups).map(|group| text.analyze(Some(group))).collect();
    for preset in text.outline.presets.clone() {
        analyses.push(text.analyze_preset(preset));
    }
    analyses.into_iter().filter_map(|analysis| text.game_of(analysis).ok()).collect()
}

/// Removes the findings that do not hold for another game of the file.
fn contradicted(game: &Game, text: &GameSource, limits: &Limits, here: &mut Vec<Diagnostic>) {
    let limits = Limits { positions: Some(MAX_VARIANT_POSITIONS), ..limits.clone() };
    let bounded = game.with_limits(&limits);
    let mut watch = CheckVisitor::new(&bounded, &limits);
    if watch.needs_repeat {
        watch.graph = None;
    }
    let seen =
        explore(game, &[game.machine.initial()], &limits, &bouton_base::limits::NoProgress, &mut watch);
    let mut there = Vec::new();
    there.extend(over_at_once(game).map(|rule| nothing_to_play(text, rule)));
    there.extend(over_early::after_a_move(game));
    moves(game, &watch, &mut there);
    there.extend(dead_pass(game, &watch));
    rules(text, game, &watch, &mut there);
    covered_rules::needless(text, &game.rules.ends, &mut there);
    conditions(text, &game.rules, &watch.always, &mut there);
    choices(text, game, &watch, &mut there);
    early_reads(game, &watch, &mut there);
    if matches!(seen.ended, ExploreEnd::Complete) {
        repetitions(game, &watch, &mut there);
        dead_branches::find(game, &seen, &limits, &mut there);
        unchosen_results::find(game, &seen, &limits, &mut there);
    }
    unchanged_fields(text, game, &watch, &mut there);
    let key = |d: &Diagnostic| -> (Code, Span, String) { (d.code, d.span(), d.title.clone()) };
    let there: Vec<_> = there.iter().map(key).collect();
    here.retain(|d| there.contains(&key(d)));
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_pass_behind_the_end_of_a_player_without_a_move_is_told() {
        let help = |end: &str| {
            let rest = format!(
                "state {{ n[p: Player]: 0..3 = 0; }} move go(k: 1..2) as \"{{k}}\" {{ when n[me] + k <= 3; n[me] += k; }} pass when \
                 stuck; end {{ {end} }}"
            );
            let found = findings_of_two(&rest, Code::W0531).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted =
            "leave out the pass; or end the game only where nobody can move: `when all p in Player: stuck(p)";
        for end in
            ["when some p in Player: stuck(p) => mover loses;", "for p in Player when stuck(p) => p loses;"]
        {
            assert!(help(end).starts_with(wanted), "{}", help(end));
        }
        for end in ["when stuck => mover loses;", "when stuck(A) or stuck(B) => mover loses;"] {
            assert!(
                help(end).starts_with("leave out the pass; or end the game only where neither"),
                "{}",
                help(end)
            );
        }
        assert_eq!(help("when all p in Player: stuck(p) => mover loses;"), "");
    }
}
