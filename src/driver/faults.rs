//! Diagnostics of faults of the rules in a position: each shows the shortest play to it and a drawing of the position.

use super::key_bounds;
use super::load::GameSource;
use super::none_terms;
use super::out_of_range::{self, WayOut, bracketed, way_out};
use super::rendering::{self, RenderedPlay};
use super::repeated_effects::{has_name, one_cell, vars_of};
use super::stuck::stuck_diagnostic;
use super::undefined_terms::{self, UndefinedKind, UndefinedTerm};
use super::weights;
use bouton_base::source::Span;
use bouton_report::words::move_sequence;
use bouton_rules::{
    Actor, Arith, Block, Effect, EffectOp, Expr, ExprKind, FieldId, Move, PLAYER, Pattern, Rules, StmtKind,
    Value, VarId,
};
use bouton_search::game::draw::draw;
use bouton_search::game::explore::{FaultyPosition, PositionFault};
use bouton_search::game::{ConflictKind, Fault, FaultKind, Game, MoveInstance, State};
use bouton_syntax::diag::{Code, Diagnostic, Witness};

/// The span of diagnostics about the whole game.
pub fn game_span(text: &GameSource, game: &Game) -> Span {
    game.rules.span.unwrap_or(Span::new(text.file, 0, 0))
}

/// The diagnostic of a faulty position that play from `from` reached.
pub fn rules_fault_diagnostic(
    text: &GameSource,
    game: &Game,
    from: &State,
    broken: &FaultyPosition,
) -> Diagnostic {
    let play = match &broken.kind {
        PositionFault::Fault(fault) => fault.play.as_deref(),
        PositionFault::Stuck => None,
    };
    let found = match &broken.kind {
        PositionFault::Fault(fault) => placed_fault_diagnostic(text, game, &broken.state, fault),
        PositionFault::Stuck => stuck_diagnostic(text, game, &broken.state, &broken.line),
    };
    with_witness(text, game, found, PlayToFault { from, line: &broken.line, then: play })
}

/// Describes the fault of a position in one line.
pub fn describe(game: &Game, kind: &PositionFault) -> String {
    match kind {
        PositionFault::Fault(fault) => {
            let found = fault_diagnostic(game, fault);
            format!("the rules have no meaning in some position: {}: {}", found.code, found.title)
        }
        PositionFault::Stuck => format!("{}: {kind}", Code::E0501),
    }
}

/// Returns true if the fault is that of an event of chance.
fn is_chance(game: &Game, fault: &Fault) -> bool {
    matches!(fault.play.as_deref(), Some(MoveInstance::Move(id, _)) if game.rules.moves[*id].chance)
}

/// Returns true if the fault is that of an event of chance whose weight depends on the position.
fn weighed_event(game: &Game, fault: &Fault) -> bool {
    let Some(MoveInstance::Move(id, _)) = fault.play.as_deref() else { return false };
    let of = &game.rules.moves[*id];
    of.chance && of.weight.as_ref().is_some_and(|weight| weight.constant().is_none())
}

/// Returns true if the move of a fault has `if k = 1 { ... } if k = 2 { ... } else { ... }`, and the fault is in it.
fn has_else_of_the_second(game: &Game, fault: &Fault) -> bool {
    let Some(MoveInstance::Move(id, _)) = fault.play.as_deref() else { return false };
    let case = |condition: &Expr| match &*condition.kind {
        ExprKind::Equal(a, b) => match (&*a.kind, b.constant()) {
            (ExprKind::Var(var), Some(value)) => Some((*var, value.clone())),
            _ => None,
        },
        _ => None,
    };
    game.rules.moves[*id].body.stmts.windows(2).any(|pair| {
        let (StmtKind::If(first, _, rest), StmtKind::If(second, _, no)) = (&pair[0].kind, &pair[1].kind)
        else {
            return false;
        };
        let (Some((var, one)), Some((other_var, other))) = (case(first), case(second)) else { return false };
        let is_split = rest.stmts.is_empty() && !no.stmts.is_empty() && var == other_var && one != other;
        is_split && pair.iter().any(|stmt| stmt.span.covers(fault.span))
    })
}

/// The effects of a block and of its inner blocks, with their places.
pub(super) fn effects(block: &Block) -> Vec<(&Effect, Span)> {
    let mut found = Vec::new();
    let mut pending = vec![block];
    while let Some(block) = pending.pop() {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Effect(effect) => found.push((effect, stmt.span)),
                StmtKind::For(_, inner) | StmtKind::Then(inner) => pending.push(inner),
                StmtKind::If(_, yes, no) => pending.extend([yes, no]),
                _ => {}
            }
        }
    }
    found
}

/// The diagnostic of a fault in a position, with the words of the text in its help.
pub fn placed_fault_diagnostic(text: &GameSource, game: &Game, state: &State, fault: &Fault) -> Diagnostic {
    let found = fault_diagnostic(game, fault);
    if matches!(fault.kind, FaultKind::Weights) {
        return weights::explain(text, game, state, fault, found);
    }
    let is_undefined = matches!(fault.kind, FaultKind::Undefined { .. });
    let term = if is_undefined { undefined_terms::in_effect(game, state, fault) } else { None };
    if is_undefined
        && undefined_terms::is_tried_alone(game, state, fault)
        && (term.as_ref().is_none_or(|term| term.kind.is_none())
            || !undefined_terms::is_undefined_together(game, state, fault))
    {
        let mut found = match term {
            Some(term) => with_undefined_term(found, term, false),
            None => found,
        };
        if let Some(label) = found.labels.first_mut().filter(|label| label.text.is_empty()) {
            label.text = "no value before the others choose".to_owned();
        }
        return found.help(TRIED_ALONE);
    }
    if let Some(term) = term {
        if !is_chance(game, fault)
            && let Some((name, filtered)) = key_bounds::filtered_loop(text, &game.rules, fault, &term)
        {
            return with_undefined_term(found, term, false).help(format!(
                "if the effect is not meant for each `{name}`, write `{filtered}`; if it does something else there, \
                 separate the cases by `if ... {{ ... }} else {{ ... }}`"
            ));
        }
        let condition =
            key_bounds::condition(text, game, state, fault, &term).filter(|_| !is_chance(game, fault));
        let forbidding = |found: Diagnostic| match (&condition, found.help.clone()) {
            (Some(condition), Some(help)) => found.help(help.replace(
                "if it is illegal, forbid it with a `when`",
                &format!("if it is illegal, write `{condition}`"),
            )),
            _ => found,
        };
        if key_bounds::counts_from_zero(&game.rules, &term) && !is_chance(game, fault) {
            let words = bracketed(text.sources.slice(term.span));
            let found = with_undefined_term(found, term, false);
            let rest = found.help.clone().unwrap_or_default();
            return found.help(format!(
                "the elements of a list count from 1: for the first, write `{words} + 1`; otherwise, {rest}"
            ));
        }
        if term.kind == UndefinedKind::CountFromZero {
            let words = bracketed(text.sources.slice(term.span));
            let found = forbidding(with_undefined_term(found, term, is_chance(game, fault)));
            let rest = found.help.clone().unwrap_or_default();
            return found.help(format!("the keys count from 1: for the first, write `{words} + 1`; {rest}"));
        }
        if let Some(next) = key_bounds::count_of_keys_from_zero(text, &game.rules, fault, &term)
            && !is_chance(game, fault)
        {
            let words = text.words(term.span);
            let found = forbidding(with_undefined_term(found, term, false));
            let rest = found.help.clone().unwrap_or_default();
            return found.help(format!(
                "the keys count from 0: for the next one, write `{next}` in place of `{words}`; {rest}"
            ));
        }
        if let UndefinedKind::Round(count) = term.kind {
            let words = text.sources.slice(term.span).to_owned();
            let found = with_undefined_term(found, term, is_chance(game, fault));
            return found.help(format!(
                "where the places come round, write `{} mod {count}`; if the move is illegal here, forbid it with a `when`",
                bracketed(&words)
            ));
        }
        let is_first = *state == game.machine.initial() && !is_chance(game, fault);
        let (is_empty, place) = (term.kind == UndefinedKind::None, term.span);
        let cleared = none_terms::cleared(text, game, state, fault, place).filter(|_| term.kind.is_none());
        let cases = if term.kind == UndefinedKind::Key { cases_of_key(game, fault, place) } else { None };
        let found = forbidding(with_undefined_term(found, term, is_chance(game, fault)));
        if let Some((cases, name)) = cases {
            let rest = found.help.clone().unwrap_or_default();
            return found.label(cases, format!("the cases of `{name}`")).help(format!(
                "`{name}` gets its value by an `if`: correct its condition or its number if it should not be this one; otherwise, \
                 {rest}"
            ));
        }
        if let Some(none_terms::Cleared { label, help }) = cleared {
            let mut found = found.help(help);
            found.labels.iter_mut().filter(|of| of.span == place).for_each(|of| of.text = label.clone());
            return found;
        }
        if is_empty && let Some(help) = none_terms::forbidden_first(text, game, state, fault, place) {
            return found.help(help);
        }
        if is_first && is_empty {
            return found.help(without_value_at_first(text, place));
        }
        return found;
    }
    if let Some((head, label, help)) = one_cell(text, game, fault) {
        let rest = found.help.clone().map(|rest| format!("; otherwise, {rest}")).unwrap_or_default();
        return found.label(head, label).help(format!("{help}{rest}"));
    }
    let is_weighed = weighed_event(game, fault);
    if is_weighed && undefined_terms::is_without_weight(game, state, fault)
        || has_else_of_the_second(game, fault)
    {
        return found;
    }
    if let Some(help) = counted_by_each_help(text, game, fault) {
        return found.help(help);
    }
    match way_out(text, game, state, fault) {
        Some(WayOut { label: Some((place, label)), help }) => found.label(place, label).help(help),
        Some(WayOut { label: None, help }) => found.help(help),
        None if is_weighed && matches!(fault.kind, FaultKind::OutOfRange { .. }) => found.help(
            "widen the range of the field, or hold the number within it: `min(a, b)` is the smaller of two, `max(a, b)` the \
             larger",
        ),
        None => match out_of_range::other_change(text, game, fault) {
            Some((place, target)) => {
                let rest = found.help.clone().unwrap_or_default();
                found.label(place, format!("changes `{target}` as well")).help(format!(
                    "the move changes `{target}` twice: leave one of the effects out if it should change once; otherwise, {rest}"
                ))
            }
            None => found,
        },
    }
}

/// The `if` of a `let` that gives the key at a place its number, with the name that it binds.
fn cases_of_key(game: &Game, fault: &Fault, place: Span) -> Option<(Span, String)> {
    let Some(MoveInstance::Move(id, _)) = fault.play.as_deref() else { return None };
    let of = &game.rules.moves[*id];
    let (effect, _) = effects(&of.body).into_iter().find(|(_, at)| *at == fault.span)?;
    let key = effect.keys.iter().find(|key| key.span == place)?;
    let ExprKind::Var(var) = *key.kind else { return None };
    of.body.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Let(Pattern::Var(bound), value) if *bound == var && value.span.is_placed() => {
            matches!(*value.kind, ExprKind::If(..)).then(|| (value.span, of.vars[var].name.clone()))
        }
        _ => None,
    })
}

/// The help on a term that is `none` in the first position, where a condition may forbid the first move.
fn without_value_at_first(text: &GameSource, place: Span) -> String {
    let words = if place.is_placed() { text.sources.slice(place).trim() } else { "" };
    let words = if words.is_empty() || words.len() > 40 { "..." } else { words };
    format!(
        "if the first move leaves this out, make the effect under a condition, `if {words} != none {{ ... }}`, since \
         `when {words} != none;` would forbid that move; otherwise give the field a value before"
    )
}

/// The help on a term without a value in the move of one of the players who all move at once.
const TRIED_ALONE: &str = "all move at once here, and the move of each is tried alone as well, where the others have not \
                           chosen: give the term a value for that, such as an arm `none => ...` of a `match`, or make the effect \
                           under a condition, `if ... != none { ... }`";

/// Marks the term because of which an effect has no value, and says what to do about it.
fn with_undefined_term(mut found: Diagnostic, term: UndefinedTerm, is_chance: bool) -> Diagnostic {
    let UndefinedTerm { span, reason, kind } = term;
    if let UndefinedKind::Later(inner) = kind {
        let found = with_undefined_term(found, UndefinedTerm { span, reason, kind: *inner }, is_chance);
        let help = found.help.clone().unwrap_or_default();
        return found.help(format!(
            "if the effect is to read the position before the move, take it out of `then {{ ... }}`; otherwise, {help}"
        ));
    }
    let is_of_effect = found.span().covers(span);
    if let Some(label) = found.labels.first_mut().filter(|_| span.is_placed() && is_of_effect) {
        label.span = span;
        label.text = reason;
    } else if span.is_placed() {
        let name = found.labels.first_mut().filter(|label| label.text.is_empty());
        name.into_iter()
            .for_each(|label| label.text = "this uses a definition without a value here".to_owned());
        found = found.label(span, reason);
    }
    match (kind, is_chance) {
        (UndefinedKind::Entry(declared, name), _) => found
            .label(declared, "declared here")
            .help(format!("give `{name}` a value for each of its keys, or forbid the move with a `when`")),
        (UndefinedKind::List(declared), _) => found
            .label(declared, "the list")
            .help("give the list an element for each number that is asked for, or forbid the move with a `when`"),
        (UndefinedKind::Result(declared, name), _) => {
            found.label(declared, "its range is declared here").help(format!(
                "widen the range of the result of `{name}` until it holds this value, or correct the definition; outside its \
                 range it has no value"
            ))
        }
        (UndefinedKind::One, true) => found.help(
            "`one` has a value where exactly one element fits: correct what it asks for, or the position; the event happens, so \
             its effect needs a value",
        ),
        (UndefinedKind::One, false) => found.help(
            "`one` has a value where exactly one element fits: correct what it asks for, or the position; if the move is illegal \
             where it has none, bind it first: `let x = ...;`",
        ),
        (UndefinedKind::Always, _) => found.help(
            "correct the term: an index outside of its list or table has no value (the elements of a list count from 1), and \
             so has `one` where nothing fits, or several do",
        ),
        (UndefinedKind::None, true) => {
            found.help("make the effect under a condition, `if ... != none { ... }`, since the event happens")
        }
        (UndefinedKind::None, false) => found.help("require `when ... != none;`, or give the field a value before"),
        (UndefinedKind::Later(_) | UndefinedKind::Step, _) => found,
        // A condition would leave the event out, and so change the probabilities of the others.
        (_, true) => found.help(
            "the event happens, so its effect needs a value here: hold the number within the keys by `min(a, b)` or `max(a, b)`, \
             or make the effect under a condition, `if ... { ... }`; a `let` or a `when` would leave this event out, and so \
             change the odds of the others",
        ),
        (_, false) => found.help(
            "if the move does something else here, separate the cases by `if ... { ... } else { ... }`; if it is illegal, \
             forbid it with a `when`",
        ),
    }
}

/// The first words of the help on an effect that the moves of all players repeat.
pub(super) const REPEATED_BY_EACH: &str = "the moves of";

/// Tells how a field is counted once where all players move at once, and the move of each adds the same to it.
fn counted_by_each_help(text: &GameSource, game: &Game, fault: &Fault) -> Option<String> {
    let FaultKind::OutOfRange { .. } = fault.kind else { return None };
    let MoveInstance::Joint(parts) = fault.play.as_deref()? else { return None };
    let of_place = |(_, play): &(u32, MoveInstance)| {
        let MoveInstance::Move(id, _) = play else { return None };
        let mv = &game.rules.moves[*id];
        let own = own_names(&game.rules, mv);
        let is_shared = |term: &Expr| !speaks_of_move(&game.rules, &own, term);
        let effect = shared_effect(&mv.body, fault.span, &is_shared)?;
        effect.keys.iter().chain([&effect.value]).all(is_shared).then_some(effect)
    };
    let all: Vec<&Effect> = parts.iter().filter_map(of_place).collect();
    let effect = *all.first().filter(|_| all.len() == parts.len() && parts.len() > 1)?;
    let (sign, op) = match effect.op {
        EffectOp::Add => ("+=", "+"),
        EffectOp::Subtract => ("-=", "-"),
        _ => return None,
    };
    let words = text.sources.slice(fault.span).trim_end().trim_end_matches(';');
    let (target, term) = words.split_once(sign)?;
    let (target, term) = (target.trim(), bracketed(term.trim()));
    let who = match game.rules.players().len() {
        2 => "both players".to_owned(),
        _ => format!("{} players", parts.len()),
    };
    Some(format!(
        "{REPEATED_BY_EACH} {who} change `{target}` here, each by the same amount: `{target} := {target} {op} {term};` sets \
         it once; otherwise widen the range of the field"
    ))
}

/// Returns true if a term depends on who makes a move, or on what he chooses.
fn speaks_of_move(rules: &Rules, own: &[VarId], term: &Expr) -> bool {
    let is_of_maker = |kind: &ExprKind| match kind {
        ExprKind::Me => true,
        ExprKind::Call(def, _) => rules.defs[*def].uses_me,
        _ => false,
    };
    has_name(term, own) || rules.mentions(term, &is_of_maker)
}

/// The names of a move whose values depend on who makes it, or on what he chooses. A `let` of what all players share is
/// none of these.
fn own_names(rules: &Rules, mv: &Move) -> Vec<VarId> {
    fn add(rules: &Rules, block: &Block, own: &mut Vec<VarId>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Let(pattern, value) if speaks_of_move(rules, own, value) => vars_of(pattern, own),
                StmtKind::Then(inner) | StmtKind::For(_, inner) => add(rules, inner, own),
                StmtKind::If(_, yes, no) => [yes, no].into_iter().for_each(|block| add(rules, block, own)),
                _ => {}
            }
        }
    }
    let mut own = mv.params.iter().map(|param| param.var).collect();
    add(rules, &mv.body, &mut own);
    own
}

/// The effect at a place, if only conditions that all players share decide whether a move has it.
fn shared_effect<'b>(block: &'b Block, place: Span, is_shared: &dyn Fn(&Expr) -> bool) -> Option<&'b Effect> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Effect(effect) => (stmt.span == place).then_some(effect),
        StmtKind::Then(inner) => shared_effect(inner, place, is_shared),
        StmtKind::If(condition, yes, no) if is_shared(condition) => {
            shared_effect(yes, place, is_shared).or_else(|| shared_effect(no, place, is_shared))
        }
        _ => None,
    })
}

/// The diagnostic of a fault: its title, span and help.
pub fn fault_diagnostic(game: &Game, fault: &Fault) -> Diagnostic {
    let show = |value| game.rules.show(value);
    match &fault.kind {
        FaultKind::Conflict { clash, other, joint } => conflict(game, clash, fault.span, *other, *joint),
        FaultKind::OutOfRange { cell, value, range } => Diagnostic::new(
            Code::E0503,
            format!("`{cell}` goes to {}, outside {range}", show(value)),
            fault.span,
            format!("{} does not fit", show(value)),
        )
        .help(match weighed_event(game, fault) {
            _ if has_else_of_the_second(game, fault) => {
                "the `else` belongs to the `if` just before it, and so holds in the case of the first `if` as well: \
                 write `else if` in place of the second `if`"
            }
            true => {
                "widen the range of the field, or rule the case out with a `when`: an event needs a meaning even where its \
                 weight is 0"
            }
            // A condition would leave the event out, and so change the probabilities of the others.
            false if is_chance(game, fault) => {
                "widen the range of the field, or hold the number within it: `min(a, b)` is the smaller of two, `max(a, b)` \
                 the larger"
            }
            false => {
                "widen the range of the field, forbid the move with a `when`, or hold the number within the range: \
                 `min(a, b)` is the smaller of two, `max(a, b)` the larger"
            }
        }),
        FaultKind::Undefined { what } if what.ends_with("of this phase") => {
            Diagnostic::new(Code::E0330, format!("nobody can act here: {what} has no value"), fault.span, "")
                .help("the term behind `by` is one player in each position of the phase: give its field a player before")
        }
        FaultKind::Undefined { what } => {
            let help = match is_chance(game, fault) {
                _ if makes_record_that_may_not_fit(game, fault) => {
                    "a record has no part outside its type: widen the type of the part, or make the effect under a condition, \
                     `if ... { ... }`"
                }
                // A condition would leave the event out, and so change the probabilities of the others.
                true => {
                    "the event happens, so its effect needs a meaning: make it under a condition, `if ... { ... }`, or hold \
                     a number within the keys of the table by `min(a, b)` or `max(a, b)`"
                }
                false => {
                    "bind a term that may have no value first: `let to = ...;` makes the move illegal there; for one that may \
                     be `none`, require `when ... != none;`"
                }
            };
            let title = format!("this effect has no meaning here: {what}");
            Diagnostic::new(Code::E0330, title, fault.span, "").help(help)
        }
        FaultKind::Weights => Diagnostic::new(
            Code::E0324,
            "the weights of this throw of chance are all 0, or one is negative",
            fault.span,
            "",
        ),
        FaultKind::NoResult => {
            Diagnostic::new(Code::E0502, "this end rule holds, but gives no result", fault.span, "")
                .help("the term of the outcome has no value here; add the missing case")
        }
    }
}

/// The diagnostic of conflicting effects: E0310, or E0506 for simultaneous moves. `other` is the clause evaluated
/// first.
fn conflict(game: &Game, clash: &ConflictKind, span: Span, other: Span, joint: bool) -> Diagnostic {
    let show = |value| game.rules.show(value);
    let (title, first, second) = match clash {
        ConflictKind::Cell { cell, first, second } => {
            let who = if joint { "two simultaneous moves" } else { "two effects" };
            let title = format!("{who} set `{cell}` to different values");
            (title, format!("`{}` here ...", show(first)), format!("... and `{}` here", show(second)))
        }
        ConflictKind::Elements { cell, elements } => {
            let elements = match elements {
                Value::Set(items) if items.len() == 1 => format!("`{}`", show(&items[0])),
                all => format!("each of `{}`", show(all)),
            };
            let how = if joint { "put into and taken out of" } else { "at once put into and taken out of" };
            let by = if joint { " by two simultaneous moves" } else { "" };
            let title = format!("{elements} is {how} `{cell}`{by}");
            (title, "put in here".into(), "taken out here".into())
        }
        ConflictKind::Turn { first, second } => {
            let who = if joint { "simultaneous moves set" } else { "this move sets" };
            let title = format!("{who} two different next turns");
            (title, format!("`{first}` here ..."), format!("... and `{second}` here"))
        }
    };
    let help = match (clash, joint) {
        (ConflictKind::Turn { first, .. }, true) if is_turn_of_nobody(game, first) => {
            "all players move at once, so no turn passes between them: leave out `next`"
        }
        (ConflictKind::Turn { .. }, true) => {
            "set it in a later stage, from the state after all moves: `then { if ... { ... } }`"
        }
        (ConflictKind::Cell { first: Value::Sym(PLAYER, _), second: Value::Sym(PLAYER, _), .. }, true)
            if span == other && game.rules.players().len() == 2 =>
        {
            "the moves of both players make this effect: if the field passes from one player to the other, set it to \
             `other(...)` of itself, which is the same for both; if one move alone sets it, make it under a condition, \
             `if me = ... { ... }`"
        }
        (ConflictKind::Cell { .. }, true) if span == other => {
            "the moves of all players make this effect: set the cell to a term that is the same for all, or let one move alone \
             set it, `if me = ... { ... }`; otherwise let each player change cells of his own"
        }
        (_, true) => "let each player change cells of his own, and settle who gets what in a later phase",
        (ConflictKind::Turn { .. }, false) => "separate the cases: `if ... { ... } else { ... }`",
        (ConflictKind::Cell { .. }, false) if is_running_total(game, [span, other]) => {
            "the effects of a `for` happen at once, so it adds up nothing: a total is one effect, `... := sum x in S: ...;`"
        }
        (_, false) => "rule the case out with a `when`, or let one happen after the other: `then { ... }`",
    };
    let code = if joint { Code::E0506 } else { Code::E0310 };
    if let ConflictKind::Cell { first, second, .. } = clash
        && joint
        && span == other
    {
        let label = format!("`{}` by one move, `{}` by the other", show(first), show(second));
        return Diagnostic::new(code, title, span, label).help(help);
    }
    Diagnostic::new(code, title, span, second).label(other, first).help(help)
}

/// Returns true if the effect at a fault makes a record of parts that may lie outside their types.
fn makes_record_that_may_not_fit(game: &Game, fault: &Fault) -> bool {
    let Some(MoveInstance::Move(id, _)) = fault.play.as_deref() else { return false };
    let may_not_fit = |kind: &ExprKind| match kind {
        ExprKind::Tuple(Some(record), parts) => {
            let types = game.rules.records[*record].parts.iter().map(|(_, ty)| ty);
            parts.iter().zip(types).any(|(part, ty)| !game.rules.is_within(&part.ty, ty))
        }
        _ => false,
    };
    effects(&game.rules.moves[*id].body)
        .iter()
        .any(|(effect, place)| *place == fault.span && game.rules.mentions(&effect.value, &may_not_fit))
}

/// Returns true if `next` names a player in a game where no phase is that of a single mover.
fn is_turn_of_nobody(game: &Game, next: &str) -> bool {
    let phases = &game.rules.phases;
    phases.iter().all(|phase| matches!(phase.actor, Actor::Each | Actor::Chance))
        && game.rules.players().iter().any(|player| player == next)
}

/// Returns true if one of the effects at these places is in a `for` and sets a number to a sum with itself.
fn is_running_total(game: &Game, places: [Span; 2]) -> bool {
    fn in_loops<'r>(block: &'r Block, is_loop: bool, found: &mut Vec<(Span, &'r Effect)>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Effect(effect) if is_loop => found.push((stmt.span, effect)),
                StmtKind::For(_, inner) => in_loops(inner, true, found),
                StmtKind::Then(inner) => in_loops(inner, is_loop, found),
                StmtKind::If(_, yes, no) => {
                    in_loops(yes, is_loop, found);
                    in_loops(no, is_loop, found);
                }
                _ => {}
            }
        }
    }
    let mut effects = Vec::new();
    game.rules.moves.iter().for_each(|mv| in_loops(&mv.body, false, &mut effects));
    effects.iter().any(|(span, effect)| {
        let is_same = |part: &Expr| matches!(*part.kind, ExprKind::Field(of, _) if of == effect.field);
        let is_sum = match &*effect.value.kind {
            ExprKind::Arith { op: Arith::Add, left, right, .. } => is_same(left) || is_same(right),
            _ => false,
        };
        is_sum && effect.op == EffectOp::Set && effect.keys.is_empty() && places.contains(span)
    })
}

/// A play to the position that a diagnostic is about.
#[derive(Clone, Copy, Debug)]
pub struct PlayToFault<'a> {
    /// The position that the play begins with.
    pub from: &'a State,
    pub line: &'a [MoveInstance],
    /// The move from the position that has the fault, if it is one of a move.
    pub then: Option<&'a MoveInstance>,
}

/// Adds the play, its last position and, for plays from the first position, the command that replays it.
pub fn with_witness(text: &GameSource, game: &Game, found: Diagnostic, play: PlayToFault<'_>) -> Diagnostic {
    let PlayToFault { from, line, then } = play;
    let told = rendering::render_play(game, from, line);
    let mut play = play_words(&told);
    if let Some(next) = then {
        play.push_str(&format!(", then {}", game.notation(&told.last, next)));
    }
    let drawing = drawn(text, game, &told.last);
    let mut found = found.note(format!("shortest play: {play}")).note(position_note(&drawing));
    found.witness = Some(Box::new(Witness {
        play: told.words.clone(),
        next: then.map(|next| game.notation(&told.last, next)),
        position: drawing,
    }));
    if from == &game.machine.initial() {
        found = found.note(replay(text, &told));
    }
    found
}

fn play_words(told: &RenderedPlay) -> String {
    match told.words.len() {
        0 => "the first position".into(),
        1 => format!("(1 ply) {}", told.words[0]),
        n => format!("({n} plies) {}", move_sequence(&told.words)),
    }
}

/// Draws the position under a heading.
pub fn render_position(text: &GameSource, game: &Game, state: &State) -> String {
    position_note(&drawn(text, game, state))
}

fn position_note(drawing: &str) -> String {
    let drawing: Vec<String> = drawing.lines().map(|l| format!("    {l}")).collect();
    format!("position:\n{}", drawing.join("\n"))
}

/// Draws a position. The fields in which the translation of a sheet keeps choices during a move are left out.
fn drawn(text: &GameSource, game: &Game, state: &State) -> String {
    let drawing = draw(game, state);
    let Some(names) = text.gdl_names() else { return drawing.trim_end().to_owned() };
    let is_of_sheet = |id: FieldId| names.fluents.iter().any(|fluent| fluent.field == id);
    let internal: Vec<String> = game
        .rules
        .fields
        .entries()
        .filter(|(id, field)| field.name.starts_with("choice_") && !is_of_sheet(*id))
        .map(|(_, field)| format!("{}: ", field.name))
        .collect();
    let is_shown = |line: &&str| !internal.iter().any(|name| line.starts_with(name.as_str()));
    drawing.trim_end().lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}

/// The command line that leads to the position.
fn replay(text: &GameSource, told: &RenderedPlay) -> String {
    let mut command = format!("replay: bouton play {}", super::load::shell_quote(&text.path));
    for flag in &text.flags {
        command.push_str(&format!(" {flag}"));
    }
    if !told.words.is_empty() {
        command.push_str(&format!(" --moves {}", super::load::shell_quote(&move_sequence(&told.words))));
    }
    command
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn one_effect_of_all_players_is_marked_once() {
        let of = |effect: &str| {
            let rest = format!(
                "phases {{ shoot by each; }} state {{ kicker: Player = A; n: 0..2 = 0; aim[p: Player]: 1..2 = 1; }} \
                 move aims(a: 1..2) in shoot as \"{{a}}\" {{ aim[me] := a; then {{ {effect} n := n + 1; }} }} \
                 end {{ when n = 2 => payoff p: if p = kicker then 1 else -1; }}"
            );
            let found = findings_of_two(&rest, Code::E0506).into_iter().next();
            found
                .map(|found| {
                    (found.labels.len(), found.labels[0].text.clone(), found.help.unwrap_or_default())
                })
                .unwrap_or_default()
        };
        let (labels, label, help) = of("kicker := opponent;");
        assert_eq!((labels, label.as_str()), (1, "`B` by one move, `A` by the other"));
        assert!(help.contains("set it to `other(...)` of itself"), "{help}");
        assert_eq!(of("kicker := other(kicker);").0, 0);
    }

    #[test]
    fn an_amount_that_all_players_share_is_taken_once() {
        let help = |winner: &str| {
            let rest = format!(
                "phases {{ bid by each; }} state {{ cash[p: Player]: 0..4 = 2; bd[p: Player]: 0..2 = 0; n: 0..3 = 0; }} \
                 move bids(k: 0..2) in bid as \"{{k}}\" {{ when k <= cash[me]; bd[me] := k; n := n + 1; then {{ \
                 let w = {winner}; cash[w] -= bd[w]; }} }} end {{ when n = 3 => highest cash; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("if bd[A] > bd[B] then A else B");
        assert!(told.contains("`cash[w] := cash[w] - bd[w];` sets it once"), "{told}");
        assert_eq!(help("me"), "");
    }
}
