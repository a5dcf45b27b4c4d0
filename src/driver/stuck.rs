//! Diagnostics of positions in which nobody can move although the game is not over: the conditions that exclude the
//! moves, the likely causes, and the ways out.

use super::check::ends;
use super::check::never_holds;
use super::check::reasons;
use super::check::turn_advice;
use super::condition_values::{values_in, values_in_end};
use super::excluded_moves::{ExcludingCondition, excluding_conditions};
use super::faults::{effects, game_span};
use super::load::GameSource;
use super::passed_goals::passed_goal;
use super::strong_guards::{self, StrongGuard};
use super::stuck_causes;
use super::undefined_terms::{UndefinedKind, UndefinedTerm, in_condition};
use super::wrong_turn;
use bouton_base::source::Span;
use bouton_rules::{
    Actor, ConstTable, DIR, EffectOp, Expr, ExprKind, FieldId, Move, PHASE, PLAYER, PhaseId, Rules, StmtKind,
    ToMove, Type, Value,
};
use bouton_search::game::{Game, MoveInstance, State};
use bouton_syntax::diag::{Code, Diagnostic};

/// E0501 of a position after these moves, with the end rules as its span if there are some, and the conditions that
/// exclude all moves.
pub fn stuck_diagnostic(text: &GameSource, game: &Game, state: &State, line: &[MoveInstance]) -> Diagnostic {
    let found = end_diagnostic(text, game, state);
    if text.gdl_names().is_some() {
        return found;
    }
    let conditions = excluding_conditions(game, state);
    let found = conditions.iter().fold(found, |found, condition| {
        let values = values_in(text, game, state, condition);
        let values = values.map(|values| format!(": {values}")).unwrap_or_default();
        found.label(condition.place, format!("{}{values}", condition.label()))
    });
    let found = match found.help.as_deref() {
        Some(NO_FIRST_MOVE) if conditions.iter().any(|condition| condition.is_later) => {
            found.help(NO_FIRST_CHECK)
        }
        _ => found,
    };
    if let Some(turn) = wrong_turn::cause(game, state, line) {
        let help = match found.help.as_deref() {
            Some(help) if !turn.is_certain => before_other_help(turn.help, help),
            _ => turn.help,
        };
        return turn
            .labels
            .into_iter()
            .fold(found, |found, (span, label)| found.label(span, label))
            .help(help);
    }
    match (cause(text, game, state, &conditions), found.help.as_deref()) {
        (Some(cause), help) => {
            let help = before_other_help(cause.help, help.unwrap_or(NO_FIRST_MOVE));
            found.label(cause.span, cause.label).help(help)
        }
        (None, Some(help)) => match strong_guards::find(text, game, state, &conditions) {
            Some(StrongGuard { name, weaker }) => {
                let rest = if [NO_FIRST_MOVE, NO_FIRST_CHECK].contains(&help) {
                    String::new()
                } else {
                    format!("; {help}")
                };
                let told = format!(
                    "with `{weaker}` in `{name}` there would be a move here: write so if it is meant{rest}"
                );
                found.help(told)
            }
            None => {
                let told = after_conditions(game, &conditions, help);
                found.help(told)
            }
        },
        (None, None) => found,
    }
}

/// A help on the end rules, behind the one on the conditions of the moves.
fn after_conditions(game: &Game, conditions: &[ExcludingCondition], help: &str) -> String {
    let is_of_ends =
        ["if a player who cannot move", "if a dead end"].iter().any(|words| help.starts_with(words));
    let Some(rest) = help.strip_prefix("if ").filter(|_| is_of_ends && !game.rules.ends.is_empty()) else {
        return help.to_owned();
    };
    let what = match conditions {
        [] => "the conditions of the moves",
        [_] => "the condition above, or what it reads",
        _ => "the conditions above, or what they read",
    };
    let on_purpose = match game.rules.players().len() {
        1 => "there is a dead end here",
        _ => "nobody can move here",
    };
    format!("if there should be a move, correct {what}; only if {on_purpose} on purpose, and {rest}")
}

/// A help, with the one that counts if all is as it should be.
fn before_other_help(cause: String, help: &str) -> String {
    if [NO_FIRST_MOVE, NO_FIRST_CHECK].contains(&help) {
        cause
    } else {
        format!("{cause}; if that is as it should be: {help}")
    }
}

/// The help where play cannot even begin.
const NO_FIRST_MOVE: &str =
    "play cannot begin: look at the conditions of the moves, and at the first position";

/// The same where a later stage of a move excludes it.
const NO_FIRST_CHECK: &str = "play cannot begin: what `then { ... }` asks of the position after the move \
     holds after none of them: look at it, and at the effects before it";

/// A place that is likely to be why nobody can move.
pub(super) struct Cause {
    pub(super) span: Span,
    pub(super) label: String,
    pub(super) help: String,
}

/// The likely cause: a term without a value in a condition, an end rule that its ranges make false, a table of players
/// that does not distinguish them, steps of all players in one direction, or a value that is copied.
fn cause(text: &GameSource, game: &Game, state: &State, conditions: &[ExcludingCondition]) -> Option<Cause> {
    let rules = &game.rules;
    let of_condition = |condition: &ExcludingCondition| {
        let of = rules.moves.iter().find(|mv| mv.span == condition.of)?;
        let mut examples = condition.examples.iter();
        let term = examples.find_map(|args| in_condition(game, state, of, condition.span, args))?;
        (term.span.is_placed() && term.kind != UndefinedKind::One).then(|| of_term(term))
    };
    let known = conditions.iter().find_map(of_condition);
    known
        .or_else(|| impossible_end(rules))
        .or_else(|| passed_goal(game, state))
        .or_else(|| stuck_causes::cause(text, game, state, conditions))
        .or_else(|| {
            other_player_with_moves(game, state)?;
            table_of_one_value(rules).or_else(|| one_way(rules))
        })
        .or_else(|| copied_value(rules))
}

/// The only effect of a move on a field with keys, which copies the value of one key to another.
fn copied_value(rules: &Rules) -> Option<Cause> {
    let copies = |mv: &Move| {
        let all = effects(&mv.body);
        let (effect, place) = all.iter().find(|(effect, _)| {
            let is_same = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == effect.field);
            let value = match &*effect.value.kind {
                ExprKind::Present(inner) => inner,
                _ => &effect.value,
            };
            effect.op == EffectOp::Set && !effect.keys.is_empty() && is_same(&value.kind)
        })?;
        let is_alone = all.iter().filter(|(other, _)| other.field == effect.field).count() == 1;
        (is_alone && place.is_placed()).then_some((effect.field, *place))
    };
    let (field, span) = rules.moves.iter().filter(|mv| !mv.chance).find_map(copies)?;
    let name = &rules.fields[field].name;
    Some(Cause {
        span,
        label: "copies the value, and leaves it where it was".to_owned(),
        help: format!("if the value moves, an effect on the `{name}` that it leaves is missing"),
    })
}

/// The cause and the help for a term without a value.
fn of_term(term: UndefinedTerm) -> Cause {
    let UndefinedTerm { span, reason, kind } = term;
    let help = match kind {
        UndefinedKind::None => {
            "a comparison with `none` is false: if it is to hold there, write `... = none or ...`".to_owned()
        }
        UndefinedKind::Entry(_, name) => {
            format!("a condition on a term without a value is false: give `{name}` a value for each key")
        }
        UndefinedKind::List(_) => {
            "a condition on a term without a value is false: give the list an element for each number"
                .to_owned()
        }
        UndefinedKind::Result(_, name) => {
            format!(
                "a condition on a term without a value is false: widen the range of the result of `{name}`"
            )
        }
        UndefinedKind::Key
        | UndefinedKind::Step
        | UndefinedKind::One
        | UndefinedKind::Always
        | UndefinedKind::Round(_)
        | UndefinedKind::CountFromZero
        | UndefinedKind::Later(_)
        | UndefinedKind::Argument => {
            "a condition on a term without a value is false: correct the number, or the range".to_owned()
        }
    };
    Cause { span, label: reason, help }
}

/// An end rule with a comparison that the ranges of its sides make false.
pub(super) fn impossible_end(rules: &Rules) -> Option<Cause> {
    rules.ends.iter().find_map(|rule| {
        let (span, range) = never_holds(&rule.condition)?;
        span.is_placed().then(|| Cause {
            span,
            label: format!("never true: this is in {range}"),
            help: "compare with a number that it can reach, so that the game ends".to_owned(),
        })
    })
}

/// A declared table whose only key is a player, with the same value for all.
fn table_of_one_value(rules: &Rules) -> Option<Cause> {
    let is_read = |table: &ConstTable| {
        let is_it =
            |kind: &ExprKind| matches!(kind, ExprKind::Table(id, _) if rules.tables[*id].span == table.span);
        rules.moves.iter().any(|mv| {
            mv.body.stmts.iter().any(|stmt| match &stmt.kind {
                StmtKind::Require(e) | StmtKind::Let(_, e) => rules.mentions(e, &is_it),
                _ => false,
            })
        })
    };
    let table = rules.tables.iter().find(|table| {
        let is_of_players = matches!(&table.keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER));
        let is_alike = table.values.windows(2).all(|pair| pair[0] == pair[1]);
        table.span.is_placed() && is_of_players && table.values.len() > 1 && is_alike && is_read(table)
    })?;
    let name = &table.name;
    Some(Cause {
        span: table.span,
        label: "the same for all players".to_owned(),
        help: format!("if the players differ, as two that move towards each other, correct `{name}`"),
    })
}

/// Steps of all players towards one side of the board, where no direction depends on the player.
fn one_way(rules: &Rules) -> Option<Cause> {
    let [first, second] = rules.players() else { return None };
    let moves = rules.moves.iter().filter(|mv| !mv.chance);
    let mut steps: Vec<(Span, &str)> = Vec::new();
    for mv in moves {
        if mv.by.is_some() {
            return None;
        }
        for stmt in &mv.body.stmts {
            if let StmtKind::Require(e) | StmtKind::Let(_, e) = &stmt.kind {
                directions(rules, e, &mut steps);
            }
        }
    }
    let (place, way) = *steps.iter().find(|(_, name)| name.contains(['N', 'S']))?;
    let back = if way.contains('N') { 'S' } else { 'N' };
    if !place.is_placed() || steps.iter().any(|(_, name)| name.contains(back)) {
        return None;
    }
    let ahead = if back == 'S' { 'N' } else { 'S' };
    Some(Cause {
        span: place,
        label: "the same direction for both players".to_owned(),
        help: format!(
            "if they move towards each other, let the direction depend on the player: `const ahead[p: Player]: Dir = match p {{ \
             {first} => {ahead}, {second} => {back} }};`, and `ahead[me]`"
        ),
    })
}

/// Collects the directions that an expression names, with their places.
fn directions<'r>(rules: &'r Rules, expr: &Expr, found: &mut Vec<(Span, &'r str)>) {
    let mut add = |value: &Value| {
        if let Value::Sym(of, index) = value
            && *of == DIR
            && let Some(name) = rules.enums[DIR].members.get(*index as usize)
        {
            found.push((expr.span, name.as_str()));
        }
    };
    match expr.constant() {
        Some(Value::Set(values)) => values.iter().for_each(add),
        Some(value) => add(value),
        None => {}
    }
    expr.each_part(&mut |part| directions(rules, part, found));
}

/// E0501 of a position, at the end rules.
fn end_diagnostic(text: &GameSource, game: &Game, state: &State) -> Diagnostic {
    if let Some(names) = text.gdl_names()
        && let Some((_, terminal)) = names.loose_ends.spans
    {
        let holds = |condition: &Expr| game.machine.eval(state, condition) == Ok(Some(Value::Bool(true)));
        if let [(role, legal), ..] = names.without_moves(&holds)[..] {
            let title = format!("in this position `{role}` has no legal move, and the game is not over");
            return Diagnostic::new(Code::E0501, title, legal, "the rules for its moves begin here")
                .label(terminal, "`terminal` does not hold here")
                .help(format!(
                    "each role has a legal move until the end: let `{role}` wait here by a move such as `noop`, or \
                     end the game"
                ));
        }
        let title = "in this position no move is legal, and the game is not over";
        return Diagnostic::new(Code::E0501, title, terminal, "`terminal` does not hold here").help(
            "each role has a legal move until the end: add a rule for `terminal`, or a legal move such as `noop`",
        );
    }
    let ends = &game.rules.ends;
    let (span, label) = match (ends.first(), ends.len()) {
        (Some(only), 1) => {
            let values = reasons::values_of_sides(text, game, state, only)
                .or_else(|| values_in_end(text, game, state, only));
            let values = values.map(|values| format!(": {values}")).unwrap_or_default();
            (only.span, format!("this rule does not hold here{values}"))
        }
        (Some(first), n) => (first.span.to(ends[n - 1].span), format!("none of these {n} rules holds here")),
        (None, _) => (game_span(text, game), "this game has no end rule for it".to_string()),
    };
    let is_first = *state == game.machine.initial();
    if game.rules.players().len() == 1 {
        let title = "in this position there is no move, and the puzzle is not over";
        return Diagnostic::new(Code::E0501, title, span, label)
            .help(match ends::has_payoffs(&game.rules) {
                _ if is_first => NO_FIRST_MOVE,
                _ if has_early_condition_of_all_moves(text, game) => {
                    "the conditions of `every move` speak of the position before the move; a condition on the position after \
                     it is `every move { then { ensure ...; } }`"
                }
                true => "if a dead end is the worst result, say so last in `end`: `when stuck => payoff p: -1000;`, with a \
                         number below all other payoffs (`lose` would give -1)",
                false => "if a dead end is lost, say so last in `end`: `when stuck => lose;`",
            });
    }
    if matches!(game.machine.turn(state), Ok(ToMove::Chance)) {
        let title = "in this position no event of chance can happen, and the game is not over";
        return Diagnostic::new(Code::E0501, title, span, label).help(
            "an event happens only where its conditions hold, so one of them must hold in each position of the phase: put \
             what depends on the position into the effects, `if ... { ... }`, or end the game here",
        );
    }
    let title = "in this position nobody can move, and the game is not over";
    let found = Diagnostic::new(Code::E0501, title, span, label);
    if let Some((here, other)) = other_phase_with_moves(game, state) {
        return found.help(format!(
            "in the phase `{other}` there would be a move, but each turn begins in the first phase, here `{here}`: write \
             `setup {here}` in `phases` if it comes once only, or `continue {other};` where `{other}` begins"
        ));
    }
    match other_player_with_moves(game, state) {
        Some(other) if game.rules.pass.is_none() => found.help(format!(
            "if a player who cannot move loses, write `play normal;`; if {other}, who would have a move here, goes on \
             instead, `pass when stuck;`"
        )),
        None if is_first => found.help(NO_FIRST_MOVE),
        _ => found.help(
            "if a player who cannot move loses, write `play normal;`; otherwise add a rule `when stuck => ...;`",
        ),
    }
}

/// Returns the name of a player who could move in a position if it were that player's turn.
fn other_player_with_moves<'g>(game: &'g Game, state: &State) -> Option<&'g str> {
    let mut players = (0u32..).zip(game.rules.players());
    let (_, name) = players.find(|(player, _)| has_moves(game, game.machine.with_mover(state, *player)))?;
    Some(name)
}

/// Returns true if a position exists and has a legal move.
pub fn has_moves(game: &Game, state: Option<State>) -> bool {
    state.is_some_and(|state| game.machine.successors(&state).is_ok_and(|moves| !moves.is_empty()))
}

/// Returns the name of the phase of a position, if turns begin in it, and of another in which somebody could move.
fn other_phase_with_moves<'g>(game: &'g Game, state: &State) -> Option<(&'g str, &'g str)> {
    let phases = &game.rules.phases;
    let Value::Int(here) = game.machine.read(state, PHASE, 0) else { return None };
    let mut played = (0u32..).zip(phases).filter(|(_, phase)| !phase.setup);
    let (number, first) = played.next()?;
    if here != i64::from(number) {
        return None;
    }
    let (number, other) =
        played.find(|(number, _)| has_moves(game, game.machine.with_phase(state, *number)))?;
    // A phase of chance that moves continue with is not forgotten.
    let is_by_chance = matches!(other.actor, Actor::Chance);
    if is_by_chance && game.rules.moves.iter().any(|mv| turn_advice::enters(mv, PhaseId(number))) {
        return None;
    }
    Some((&first.name, &other.name))
}

/// Returns true if a `when` of `every move` reads a field that the move sets.
fn has_early_condition_of_all_moves(text: &GameSource, game: &Game) -> bool {
    game.rules.moves.iter().any(|mv| {
        let effects = effects(&mv.body);
        mv.body.stmts.iter().any(|stmt| {
            let StmtKind::Require(condition) = &stmt.kind else { return false };
            let is_set = |field: FieldId| effects.iter().any(|(effect, _)| effect.field == field);
            let reads = |kind: &ExprKind| matches!(kind, ExprKind::Field(field, _) if is_set(*field));
            is_of_every_move(text, condition.span) && game.rules.mentions(condition, &reads)
        })
    })
}

/// Returns true if a place stands in the braces of `every move`.
fn is_of_every_move(text: &GameSource, place: Span) -> bool {
    let before = text.sources.slice(Span::new(place.file, 0, place.range().start));
    let Some((_, between)) = before.rsplit_once("every move") else { return false };
    between.matches('{').count() > between.matches('}').count()
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn help(rest: &str) -> String {
        let found = findings_of_two(rest, Code::E0501);
        found.into_iter().next().and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn a_value_that_is_copied_is_named() {
        let of = |effect: &str| {
            help(&format!(
                "state {{ tile[i: 1..3]: 0..2 = i - 1; }} move push(a: 1..3, b: 1..3) as \"{{a}}{{b}}\" {{ when tile[b] = 0 and \
                 tile[a] > 0; tile[b] := tile[a]; {effect} }} end {{ when tile[1] = 2 => A wins; repeat => draw; }}"
            ))
        };
        assert!(
            of("").starts_with("if the value moves, an effect on the `tile` that it leaves"),
            "{}",
            of("")
        );
        assert!(of("tile[a] := 0;").is_empty());
    }

    #[test]
    fn the_likely_cause_comes_first() {
        let game = |condition: &str, end: &str| {
            help(&format!(
                "state {{ n: 0..6 = 0; last: 1..3? = none; }} move add(k: 1..3) as \"{{k}}\" {{ when n + k <= 6 and \
                 {condition}; n += k; last := k; }} end {{ when {end} => draw; }}"
            ))
        };
        assert!(game("k > last", "n = 6").starts_with("a comparison with `none` is false"));
        assert!(game("n < 4", "n > 8").starts_with("compare with a number that it can reach"));
        assert!(game("n < 4", "n = 6").starts_with("if there should be a move, correct the condition above"));
        assert!(game("n < 4", "n = 6").contains("and a player who cannot move loses, write `play normal;`"));
    }

    #[test]
    fn a_number_that_went_past_the_goal_is_named() {
        let of = |first: i64, effect: &str, end: &str| {
            help(&format!(
                "state {{ n: 0..9 = {first}; }} move go(k: 1..2) as \"{{k}}\" {{ when n + k <= 7 and n >= k; n {effect} k; }} \
                 end {{ when {end} => draw; }}"
            ))
        };
        let told = of(5, "-=", "n = 1");
        assert!(told.starts_with("`n` went past 1, and this rule waits for 1 alone"), "{told}");
        assert!(told.contains("write `n <= 1`"), "{told}");
        assert!(of(2, "+=", "n = 6").contains("write `n >= 6`"), "{}", of(2, "+=", "n = 6"));
        assert_eq!(of(5, "-=", "n <= 1"), "");
    }

    #[test]
    fn both_players_step_one_way() {
        let game = |ways: &str| {
            help(&format!(
                "board Cell = grid(2, 3); state {{ at[c: Cell]: Player? = if c.row = 1 then A else if c.row = 3 then B else \
                 none; }} move step(c: Cell, d: Dir) as \"{{c}}{{d}}\" {{ when at[c] = me and d in {ways}; let to = c + d; \
                 when at[to] = none; at[c] := none; at[to] := me; }} end {{ when no c in Cell: at[c] = A => B wins; }}"
            ))
        };
        assert!(game("{ N }").contains("`const ahead[p: Player]: Dir"), "{}", game("{ N }"));
    }

    #[test]
    fn the_values_that_an_end_rule_compares_are_told() {
        let rest = "state { n[p: Player]: 0..2 = 0; } def total = n[A] + n[B]; move add(k: 1..1) as \"{k}\" { when n[me] < 2; \
                    n[me] += k; } end { when total = 5 - 1 + n[A] => draw; }";
        let found = findings_of_two(rest, Code::E0501);
        let told = found.first().map(|found| found.labels[0].text.clone()).unwrap_or_default();
        assert_eq!(told, "this rule does not hold here: `total` is 4, `5 - 1 + n[A]` is 6");
    }

    #[test]
    fn chance_does_not_lose() {
        let rest = "phases { roll by chance; act; } state { n: 0..6 = 0; }
             chance die(d: 1..2) in roll as \"{d}\" { when n + d < 3; n += d; continue act; }
             move wait() in act as \"w\" { n += 1; } end { when n = 6 => A wins; }";
        let told = help(rest);
        assert!(told.starts_with("an event happens only where its conditions hold"), "{told}");
    }
}
