//! Renders play that never ends as a diagnostic: the loop, the moves in it that change nothing, and what is likely to be
//! missing.

use super::dead_rules;
use super::endless_advice::{self, LoopStep};
use super::idle_clocks;
use super::missing_effects;
use super::other_keys;
use super::overwritten_cells::{self, LoopStepTo};
use super::stops_at_bounds;
use super::unasked_values;
use crate::faults::{PlayToFault, game_span, with_witness};
use crate::load::GameSource;
use crate::stuck::{Cause, impossible_end};
use bouton_base::source::Span;
use bouton_base::words::count_with_noun;
use bouton_report::words::move_sequence;
use bouton_rules::{
    Arith, Domain, EffectOp, Expr, ExprKind, Field, FieldId, MOVER, Move, MoveId, PHASE, PLAYER, PassRule,
    Phase, Rules, Stmt, StmtKind, Type, Value, VarId,
};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, MoveInstance, State};
use bouton_syntax::diag::{Code, Diagnostic};

/// E0505: endless play without a rule for it, with the moves of the loop.
pub(super) fn endless(text: &GameSource, game: &Game, seen: &Explored, ring: &[u32]) -> Diagnostic {
    let mut moves = Vec::new();
    let mut mixed = None;
    let mut made_by: Vec<&Move> = Vec::new();
    let mut plays: Vec<(State, MoveInstance, State)> = Vec::new();
    for (i, &at) in ring.iter().enumerate() {
        let state = seen.arena.state(at);
        let next = seen.arena.state(ring[(i + 1) % ring.len()]);
        let successors = game.machine.successors(&state).unwrap_or_default();
        if let Some(made) = successors.iter().find(|s| s.state == next) {
            moves.push(game.notation(&state, &made.play));
            if let MoveInstance::Move(id, _) = &made.play {
                made_by.push(&game.rules.moves[*id]);
                let step = LoopStep { state: &state, play: &made.play };
                mixed = mixed.or_else(|| endless_advice::mixed_condition(text, game, step));
            }
            plays.push((state, made.play.clone(), next));
        }
    }
    let from = &game.machine.initial();
    let line = &seen.shortest_play(ring[0]);
    if let Some((_, terminal)) = text.gdl_names().and_then(|names| names.loose_ends.spans) {
        let title = format!(
            "the play can go on forever (a loop of {})",
            count_with_noun(ring.len() as u64, "move", "moves")
        );
        let found = Diagnostic::new(Code::E0505, title, terminal, "`terminal` never holds in it")
            .help(
                "GDL asks that each play ends: end it when a position comes back, or after a number of steps: `(init (step \
                 1))`, `(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))` and `(<= terminal (true (step 100)))`",
            )
            .note(format!("the loop: {}, and so on", move_sequence(&moves)));
        return with_witness(text, game, found, PlayToFault { from, line, then: None });
    }
    if let Some(found) = without_effect(text, game, seen, ring) {
        return found;
    }
    let span = game.rules.ends.last().map_or(game_span(text, game), |rule| rule.span);
    let plies = if ring.len() == 1 { "1 ply".to_string() } else { format!("{} plies", ring.len()) };
    let found = Diagnostic::new(
        Code::E0505,
        format!("the play can go on forever (a loop of {plies}) and no `repeat` rule gives its result"),
        span,
        "no rule for endless play",
    )
    .help(
        "if play may come back to a position, add `repeat => draw;` (or another outcome) to `end`; if no move may bring one \
         back, `forbid repeat of ...;`; otherwise correct the moves, so that each changes something for good",
    )
    .note(format!("the loop: {}, and so on", move_sequence(&moves)));
    let is_explained = mixed.is_some() || repeated_setup(game, seen, ring).is_some();
    let found = with_idle_moves(text, ExploredLoop { game, seen, ring }, found);
    let found = match repeated_setup(game, seen, ring) {
        Some(phase) => found.label(phase.span, "each turn begins in this phase").help(format!(
            "if `{0}` comes once only, write `setup` before its name in `phases`; otherwise add `repeat => draw;` (or \
             another outcome) to `end`",
            phase.name
        )),
        None => found,
    };
    let found = match mixed {
        Some(mixed) => found.label(mixed.span, "`and` binds before `or` here").help(format!(
            "the condition means `{}`; if `{}` is meant, write it so; otherwise add `repeat => draw;` (or another \
             outcome) to `end`",
            mixed.now, mixed.other
        )),
        None => found,
    };
    let steps: Vec<LoopStepTo<'_>> =
        plays.iter().map(|(state, play, next)| LoopStepTo { step: LoopStep { state, play }, next }).collect();
    let cause = endless_advice::cause(text, &game.rules, &made_by)
        .or_else(|| overwritten_cells::cause(text, game, &steps).filter(|_| !is_explained));
    let found = match cause {
        Some(cause) => found.label(cause.span, cause.label).help(format!(
            "{}; if play may come back to a position, add `repeat => draw;` (or another outcome) to `end`",
            cause.help
        )),
        None => found,
    };
    let found = with_other_key(text, &game.rules, &made_by, found);
    let found = stops_at_bounds::explain(text, ExploredLoop { game, seen, ring }, found);
    let found = of_one_player(&game.rules, found);
    let found = idle_clocks::explain(text, &game.rules, &made_by, found);
    let states: Vec<State> = ring.iter().map(|&at| seen.arena.state(at)).collect();
    let found = unasked_values::explain(text, game, (&made_by, &states), found);
    let found = with_dead_events(game, &made_by, found);
    let found = match impossible_end(&game.rules) {
        Some(Cause { span, label, help }) => {
            let rest = found.help.clone().unwrap_or_default();
            found.label(span, label).help(format!("{help}; otherwise, {rest}"))
        }
        None => found,
    };
    with_witness(text, game, found, PlayToFault { from, line, then: None })
}

/// Tells first of a move of the loop that asks for a cell of one player and changes that of another, where no
/// other cause is known.
fn with_other_key(text: &GameSource, rules: &Rules, moves: &[&Move], found: Diagnostic) -> Diagnostic {
    let rest = found.help.clone().filter(|help| help.starts_with("if play may come back"));
    let other = |mv: &&Move| {
        let fields = rules.fields.entries().map(|(id, _)| id).filter(|id| *id > PHASE);
        fields
            .into_iter()
            .find_map(|id| other_keys::of_move(text, rules, mv, id))
            .map(|key| (mv.name.clone(), key))
    };
    let (Some(rest), Some((made, key))) = (rest, moves.iter().find_map(other)) else { return found };
    let help = format!(
        "`{made}` asks for `{}`, and changes `{}`: if both should be one, correct one of them; otherwise, {rest}",
        key.held, key.changed
    );
    found.label(key.guard, key.label()).help(help)
}

/// Tells first of the events beside those of a loop that never happen, since their weight is 0.
fn with_dead_events(game: &Game, moves: &[&Move], found: Diagnostic) -> Diagnostic {
    let Some(dead) = moves.iter().find_map(|mv| dead_rules::events_of_weight_0(game, mv)) else {
        return found;
    };
    let rest = found.help.clone().unwrap_or_default();
    let label = dead.title.strip_prefix("the ").unwrap_or(&dead.title).to_owned();
    let told =
        format!("{}, which may be the cause: give each a positive weight; otherwise, {rest}", dead.title);
    found.label(dead.span(), label).help(told)
}

/// A loop of explored positions.
#[derive(Clone, Copy)]
pub(super) struct ExploredLoop<'a> {
    pub(super) game: &'a Game,
    pub(super) seen: &'a Explored,
    pub(super) ring: &'a [u32],
}

/// Marks the moves of a loop, and says what helps, if none of them changes anything but the turn.
fn with_idle_moves(text: &GameSource, explored: ExploredLoop<'_>, found: Diagnostic) -> Diagnostic {
    let ExploredLoop { game, seen, ring } = explored;
    let mut spans = Vec::new();
    let (mut same_value, mut empty_range, mut missing) = (None, None, None);
    let mut passes = false;
    for (place, &at) in ring.iter().enumerate() {
        let (state, next) = (seen.arena.state(at), seen.arena.state(ring[(place + 1) % ring.len()]));
        let successors = game.machine.successors(&state).unwrap_or_default();
        let made = successors.into_iter().find(|successor| successor.state == next).map(|made| made.play);
        let span = match made {
            _ if !is_idle(game, &state, &next) => return with_bare_moves(text, explored, found),
            Some(MoveInstance::Move(id, args)) => {
                let mv = &game.rules.moves[id];
                empty_range = empty_range.or_else(|| empty_range_of(text, game, &state, id, &args));
                missing = missing.or_else(|| missing_effects::counted_by_others(text, &game.rules, mv));
                same_value = same_value.or_else(|| endless_advice::same_value_help(text, &game.rules, mv));
                mv.span
            }
            Some(MoveInstance::Pass) => {
                passes = true;
                let Some(pass) = &game.rules.pass else { return found };
                pass.span
            }
            _ => return found,
        };
        if !spans.contains(&span) {
            spans.push(span);
        }
    }
    let found =
        spans.iter().fold(found, |found, &span| found.label(span, "changes nothing here but the turn"));
    if let Some((span, label)) = empty_range {
        return found.label(span, label).help(
            "correct the bounds of this range, so that the move changes something; or rule such a move out by `when`",
        );
    }
    if let Some(missing) = missing.filter(|_| !passes) {
        let found = missing.labels.into_iter().fold(found, |found, (span, label)| found.label(span, label));
        return found.help(format!(
            "{}; if play may go on so, add `repeat => draw;` (or another outcome) to `end`",
            missing.help
        ));
    }
    if let Some(help) = same_value.filter(|_| !passes) {
        return found.help(help);
    }
    let is_stuck_pass = |pass: &PassRule| {
        pass.condition.as_ref().is_some_and(|condition| matches!(*condition.kind, ExprKind::Stuck))
    };
    found.help(match passes {
        true if game.rules.pass.as_ref().is_some_and(is_stuck_pass) => {
            "nobody can move here, and all pass for ever: end the game there, by `when stuck(...) and stuck(...) => ...;` with \
             the players, or correct the conditions of the moves"
        }
        true => {
            "all may pass for ever: let a player pass only who cannot move (`pass when stuck;`), or end the play after \
             passes in a row; if play may go on so, add `repeat => draw;` (or another outcome) to `end`"
        }
        false => {
            "say what the move changes, or when it is legal (`when ...`); if play may go on so, add `repeat => draw;` (or \
             another outcome) to `end`"
        }
    })
}

/// The range of numbers of a `for` in a move that is empty with these arguments, and what to say of it.
fn empty_range_of(
    text: &GameSource,
    game: &Game,
    state: &State,
    id: MoveId,
    args: &[Value],
) -> Option<(Span, String)> {
    let mv = &game.rules.moves[id];
    let of_stmt = |stmt: &Stmt| {
        let StmtKind::For(binders, _) = &stmt.kind else { return None };
        let Domain::Set(set) = &binders.first()?.domain else { return None };
        let reads =
            |var: VarId| game.rules.mentions(set, &|kind| matches!(kind, ExprKind::Var(of) if *of == var));
        let params = mv.params.iter().zip(args).filter(|(param, _)| reads(param.var));
        let read: Vec<(VarId, &Value)> = params.map(|(param, value)| (param.var, value)).collect();
        if read.is_empty() || !set.span.is_placed() || !matches!(&*set.kind, ExprKind::Range(..)) {
            return None;
        }
        let mut bound = set.clone();
        endless_advice::replace(&mut bound, &|kind| {
            let (_, value) = read.iter().find(|(var, _)| matches!(kind, ExprKind::Var(of) if of == var))?;
            Some((*value).clone())
        });
        let members = game.machine.eval(state, &bound).ok().flatten()?;
        let given =
            read.iter().map(|(var, value)| format!("{} = {}", mv.vars[*var].name, game.rules.show(value)));
        let given = given.collect::<Vec<_>>().join(", ");
        let words = text.words(set.span);
        let is_empty = members.as_set()?.is_empty();
        is_empty.then(|| (set.span, format!("`{words}` is empty for {given}: nothing is done")))
    };
    mv.body.stmts.iter().find_map(of_stmt)
}

/// Tells first that one player makes all moves of a game of two, where no other cause of a loop is known.
fn of_one_player(rules: &Rules, found: Diagnostic) -> Diagnostic {
    let moves: Vec<&Move> = rules.moves.iter().filter(|mv| !mv.chance).collect();
    let player = |mv: &Move| mv.by.as_ref().and_then(|by| by.constant().cloned());
    let first = moves.first().and_then(|mv| player(mv));
    let rest = found.help.clone().filter(|help| help.starts_with("if play may come back"));
    let (Some(first), Some(rest), [one, two]) = (first, rest, rules.players()) else { return found };
    let [.., last] = &moves[..] else { return found };
    if moves.len() < 2 || moves.iter().any(|mv| player(mv).as_ref() != Some(&first)) {
        return found;
    }
    let name = rules.show(&first);
    let other = if name == *one { two } else { one };
    found.label(last.span, format!("by {name}, as all moves")).help(format!(
        "every move is `by {name}`, so `{other}` never has one: write `by {other}` at the moves that are {other}'s; otherwise, \
         {rest}"
    ))
}

/// Marks the moves without effects in a loop in which others change something, and says what they are likely to lack.
fn with_bare_moves(text: &GameSource, explored: ExploredLoop<'_>, mut found: Diagnostic) -> Diagnostic {
    let ExploredLoop { game, seen, ring } = explored;
    let mut bare: Vec<&Move> = Vec::new();
    for (place, &at) in ring.iter().enumerate() {
        let (state, next) = (seen.arena.state(at), seen.arena.state(ring[(place + 1) % ring.len()]));
        let successors = game.machine.successors(&state).unwrap_or_default();
        let made = successors.into_iter().find(|successor| successor.state == next).map(|made| made.play);
        let Some(MoveInstance::Move(id, _)) = made else { continue };
        let mv = &game.rules.moves[id];
        let is_known = bare.iter().any(|known| known.span == mv.span);
        if !mv.chance && !is_known && !has_effects(mv) && is_idle(game, &state, &next) {
            bare.push(mv);
        }
    }
    for mv in bare {
        found = found.label(mv.span, "changes nothing but the turn");
        let Some(missing) = missing_effects::cause(text, &game.rules, mv) else { continue };
        let rest = found.help.clone().unwrap_or_default();
        let labelled =
            missing.labels.into_iter().fold(found, |found, (span, label)| found.label(span, label));
        return labelled.help(format!("{}; otherwise, {rest}", missing.help));
    }
    found
}

/// Returns true if a move has more than conditions.
fn has_effects(mv: &Move) -> bool {
    mv.body.stmts.iter().any(|stmt| !matches!(stmt.kind, StmtKind::Require(_) | StmtKind::Let(..)))
}

/// Returns true if two positions differ in nothing but the mover and the phase.
pub(super) fn is_idle(game: &Game, state: &State, next: &State) -> bool {
    let mut fields = game.rules.fields.entries().filter(|(id, _)| *id != MOVER && *id != PHASE);
    fields.all(|(id, field)| {
        game.machine.read_all(state, id, field.cells()) == game.machine.read_all(next, id, field.cells())
    })
}

/// The names of the fields that differ in two positions, those of the turn left out.
fn names_of_changed(game: &Game, state: &State, next: &State) -> Vec<String> {
    let fields = game.rules.fields.entries().filter(|(id, _)| *id != MOVER && *id != PHASE);
    let is_changed = |(id, field): &(FieldId, &Field)| {
        game.machine.read_all(state, *id, field.cells()) != game.machine.read_all(next, *id, field.cells())
    };
    fields.filter(is_changed).map(|(_, field)| format!("`{}`", field.name)).collect()
}

/// Returns true if one play leads from each position of a loop to the next.
fn is_of_one_play(game: &Game, seen: &Explored, ring: &[u32], play: &MoveInstance) -> bool {
    ring.iter().enumerate().all(|(place, &at)| {
        let next = seen.arena.state(ring[(place + 1) % ring.len()]);
        let successors = game.machine.successors(&seen.arena.state(at)).unwrap_or_default();
        successors.iter().any(|successor| successor.play == *play && successor.state == next)
    })
}

/// E0505: a loop whose first move changes nothing but the turn.
fn without_effect(text: &GameSource, game: &Game, seen: &Explored, ring: &[u32]) -> Option<Diagnostic> {
    let state = seen.arena.state(ring[0]);
    let next = seen.arena.state(ring[1 % ring.len()]);
    let successors = game.machine.successors(&state).ok()?;
    let MoveInstance::Move(id, args) = successors.into_iter().find(|s| s.state == next)?.play else {
        return None;
    };
    let mv = &game.rules.moves[id];
    let is_unchanged = is_idle(game, &state, &next);
    let from = &game.machine.initial();
    let line = &seen.shortest_play(ring[0]);
    let zero = mv.params.iter().zip(&args).find(|(param, value)| {
        **value == Value::Int(0)
            && param.values.first() == Some(&Value::Int(0))
            && param.values.len() > 1
            && is_amount(mv, param.var)
    });
    let changed = names_of_changed(game, &state, &next);
    if let Some((param, _)) = zero
        && (is_unchanged || is_of_one_play(game, seen, ring, &MoveInstance::Move(id, args.clone())))
        && changed.len() < 3
    {
        let name = &mv.vars[param.var].name;
        let (what, label) = match changed.join(" and ") {
            none if none.is_empty() => ("nothing".to_owned(), "only the turn passes".to_owned()),
            names => (format!("only {names}"), format!("only the turn passes, and {names} changes")),
        };
        let title =
            format!("with `{name}` = 0 the move `{}` changes {what}, so the play can go on forever", mv.name);
        let found = Diagnostic::new(Code::E0505, title, mv.span, label).help(format!(
            "begin the range of `{name}` at 1; if a player may let the turn pass so, add `repeat => draw;` (or another \
             outcome) to `end`"
        ));
        return Some(with_witness(text, game, found, PlayToFault { from, line, then: None }));
    }
    if has_effects(mv) || !is_unchanged {
        return None;
    }
    let title = format!("the move `{}` changes nothing, so the play can go on forever", mv.name);
    let found = Diagnostic::new(Code::E0505, title, mv.span, "only the turn passes");
    let found = match pass_in_place_of(text, &game.rules, mv) {
        Some(pass) => {
            let help = format!(
                "if the player to move may let the turn pass, write `{pass}` in place of this move, and `repeat => draw;` (or \
                 another outcome) in `end`; otherwise say what the move changes"
            );
            match missing_effects::counted_by_others(text, &game.rules, mv) {
                Some(missing) => missing
                    .labels
                    .into_iter()
                    .fold(found, |found, (span, label)| found.label(span, label))
                    .help(format!("{}; {help}", missing.help)),
                None => found.help(help),
            }
        }
        None => match missing_effects::cause(text, &game.rules, mv) {
            Some(missing) if put_effect(&game.rules, mv).is_none() => missing
                .labels
                .into_iter()
                .fold(found, |found, (span, label)| found.label(span, label))
                .help(format!("{}; otherwise, say what else the move changes", missing.help)),
            _ => found.help(match put_effect(&game.rules, mv) {
                Some(effect) => format!("say what the move changes: an effect such as `{effect}`"),
                None => "say what the move changes: an effect on a field of `state`".to_owned(),
            }),
        },
    };
    Some(with_witness(text, game, found, PlayToFault { from, line, then: None }))
}

/// The effect that puts a piece of the player to move, if a field holds players, with the first parameter as its key.
fn put_effect(rules: &Rules, mv: &Move) -> Option<String> {
    let of_players = |field: &&Field| matches!(&field.ty, Type::Option(of) if **of == Type::Sym(PLAYER));
    let param = mv.params.first()?;
    let fits = |field: &&Field| matches!(&field.keys[..], [key] if key.ty == mv.vars[param.var].ty);
    let field = rules.fields.iter().filter(of_players).find(fits)?;
    Some(format!("{}[{}] := me;", field.name, mv.vars[param.var].name))
}

/// The pass that a move without parameters and effects stands for.
fn pass_in_place_of(text: &GameSource, rules: &Rules, mv: &Move) -> Option<String> {
    let is_alone = rules.pass.is_none() && rules.phases.len() <= 1;
    if !mv.params.is_empty() || mv.chance || mv.by.is_some() || !is_alone {
        return None;
    }
    let is_of_move = |kind: &ExprKind| match kind {
        ExprKind::Me => true,
        ExprKind::Call(def, _) => rules.defs[*def].uses_me,
        _ => false,
    };
    match &mv.body.stmts[..] {
        [] => Some("pass always;".to_owned()),
        [only] => match &only.kind {
            StmtKind::Require(condition) if !rules.mentions(condition, &is_of_move) => {
                let words = text.words(condition.span);
                (!words.is_empty() && words.len() <= 60).then(|| format!("pass when {words};"))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The first phase of a turn, if a loop comes back to it and its name says that it comes once.
fn repeated_setup<'g>(game: &'g Game, seen: &Explored, ring: &[u32]) -> Option<&'g Phase> {
    let mut phases = (0i64..).zip(&game.rules.phases);
    let (number, first) = phases.find(|(_, phase)| !phase.setup)?;
    let once = ["setup", "set_up", "start", "init", "prepare", "deal", "dealing", "opening"];
    let is_here = |at: &u32| game.machine.read(&seen.arena.state(*at), PHASE, 0) == Value::Int(number);
    let is_repeated = number == 0 && once.contains(&first.name.as_str()) && ring.iter().any(is_here);
    Some(first).filter(|_| is_repeated && game.rules.phases.len() > 1)
}

/// Returns true if an effect of a move adds or subtracts a variable.
fn is_amount(mv: &Move, var: VarId) -> bool {
    let is_var = |expr: &Expr| matches!(*expr.kind, ExprKind::Var(of) if of == var);
    mv.body.any(&|stmt| match stmt {
        StmtKind::Effect(effect) => match (&effect.op, &*effect.value.kind) {
            (EffectOp::Add | EffectOp::Subtract, _) => is_var(&effect.value),
            (EffectOp::Set, ExprKind::Arith { op: Arith::Add | Arith::Sub, right, .. }) => is_var(right),
            _ => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn an_amount_of_nothing_is_told_beside_a_field_of_the_maker() {
        let title = |range: &str| {
            let rest = format!(
                "state {{ left: 0..4 = 4; last: Player = B; }} move take(k: {range}) as \"{{k}}\" {{ when k <= left; left -= k; \
                 last := me; }} end {{ for p in Player when left = 0 and last = p => p wins; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.map(|found| (found.title, found.help.unwrap_or_default())).unwrap_or_default()
        };
        let (told, help) = title("0..2");
        assert_eq!(told, "with `k` = 0 the move `take` changes only `last`, so the play can go on forever");
        assert!(help.starts_with("begin the range of `k` at 1;"), "{help}");
        assert_eq!(title("1..2").0, "");
    }

    #[test]
    fn a_range_that_is_empty_for_the_move_is_told() {
        let labels = |from: &str| {
            let rest = format!(
                "state {{ up[i: 1..4]: bool = true; }} move knock(i: 1..4, k: 1..2) as \"{{i}}+{{k}}\" {{ when i + k <= 5 and up[i] \
                 and up[i + k - 1]; for j in {from} .. i + k - 1 {{ up[j] := false; }} }} play normal;"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found
                .map(|found| found.labels.into_iter().map(|label| label.text).collect::<Vec<_>>())
                .unwrap_or_default()
        };
        let told = labels("i + 1").pop();
        assert_eq!(told.as_deref(), Some("`i + 1 .. i + k - 1` is empty for i = 1, k = 1: nothing is done"));
        assert!(labels("i").is_empty());
    }

    #[test]
    fn events_that_never_happen_are_told_beside_a_loop_of_chance() {
        let help = |weight: &str| {
            let rest = format!(
                "phases {{ throw by chance; go; }} state {{ die: 1..2? = none; won: bool = false; }} chance roll(d: 1..2) in throw as \
                 \"({{d}})\" {{ weight {weight}; die := d; continue go; }} move on() in go as \"on\" {{ if die = 2 {{ won := true; \
                 }} die := none; }} end {{ when won => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("2 - d");
        let wanted = "the event `roll(2)` never happens: its weight is 0, which may be the cause: give each a positive weight; \
                      otherwise, if play may come back";
        assert!(told.starts_with(wanted), "{told}");
        assert_eq!(help("3 - d"), "");
    }

    #[test]
    fn a_condition_about_another_player_explains_a_loop() {
        let help = |asked: &str, changed: &str| {
            let rest = format!(
                "state {{ coins[p: Player]: 0..4 = 3; }} move pay() as \"pay\" {{ when coins[{asked}] > 0; coins[{changed}] := 4 - \
                 coins[{changed}]; }} end {{ when coins[A] = 0 => B wins; when stuck => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("opponent", "me");
        let wanted = "`pay` asks for `coins[opponent]`, and changes `coins[me]`: if both should be one, correct one of them; \
                      otherwise, if play may come back";
        assert!(told.starts_with(wanted), "{told}");
        assert!(!help("me", "me").contains("asks for"), "{}", help("me", "me"));
    }

    #[test]
    fn an_end_rule_that_the_range_excludes_is_named() {
        let help = |end: &str| {
            let rest = format!(
                "state {{ n: 0..3 = 0; at: 1..2 = 1; }} move go(k: 1..2) as \"{{k}}\" {{ n := min(3, n + k); at := 3 - at; }} end \
                 {{ when {end} => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("n > 3");
        assert!(
            told.starts_with("compare with a number that it can reach, so that the game ends; otherwise"),
            "{told}"
        );
        assert_eq!(help("n > 2"), "");
    }
}
