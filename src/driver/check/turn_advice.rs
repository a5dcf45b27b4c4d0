//! Advice for players who never move (W0541): statements, or the lack of them, that keep the turn from passing.

use super::dead_rules::statement_mentions;
use super::lasting_phases;
use super::late_rules::is_mover;
use bouton_rules::{Actor, ExprKind, Move, Phase, PhaseId, Rules, Stmt, StmtKind, Value};

/// Returns true if a move, or an event, continues with this phase.
pub fn enters(mv: &Move, phase: PhaseId) -> bool {
    mv.body.any(&|kind| matches!(kind, StmtKind::Stay(Some(to)) if *to == phase))
}

/// Advice on turns, if every move keeps the turn, gives it to one player, or is one player's.
pub fn advice(rules: &Rules) -> Option<String> {
    let mut moves = rules.moves.iter().filter(|mv| !mv.chance).peekable();
    moves.peek()?;
    let moves: Vec<&Move> = moves.collect();
    let has = |mv: &Move, is: &dyn Fn(&StmtKind) -> bool| mv.body.stmts.iter().any(|stmt| is(&stmt.kind));
    if moves.iter().all(|mv| has(mv, &|kind| matches!(kind, StmtKind::Stay(None)))) {
        return Some(
            "every move has `again`, which keeps the turn: without it the turn passes by itself".to_owned(),
        );
    }
    let changes_turn = |mv: &Move| mv.body.any(&|kind| matches!(kind, StmtKind::Next(_)));
    let goes_on = |mv: &Move| mv.body.any(&|kind| matches!(kind, StmtKind::Stay(Some(_))));
    if let Some(help) = phases_of_one(rules, &moves) {
        return Some(help);
    }
    if let Some(help) = lasting_phases::advice(rules) {
        return Some(help);
    }
    let anybody = moves.iter().all(|mv| mv.by.is_none());
    if anybody && moves.iter().any(|mv| goes_on(mv)) && !moves.iter().any(|mv| changes_turn(mv)) {
        if let Some(event) = last_event(rules, &moves) {
            let next = next_of_another(rules)?.replace("opponent", "other(mover)").replace("[me]", "[mover]");
            return Some(format!(
                "after an event of chance the player to move stays the same: for another one to act then, write {next} in \
                 `{event}`"
            ));
        }
        let next = next_of_another(rules)?;
        return Some(format!(
            "`continue` keeps the player to move, in another phase: for another one to act there, write beside it {next}"
        ));
    }
    if moves
        .iter()
        .all(|mv| has(mv, &|kind| matches!(kind, StmtKind::Next(e) if matches!(*e.kind, ExprKind::Me))))
    {
        return Some(
            "every move has `next me`, which keeps the turn: without it the turn passes by itself".to_owned(),
        );
    }
    if let Some(help) = passed_twice(rules, &moves).or_else(|| one_player_is_next(rules, &moves)) {
        return Some(help);
    }
    let player = |mv: &Move| mv.by.as_ref().and_then(|by| by.constant().cloned());
    let first = player(moves[0])?;
    moves
        .iter()
        .all(|mv| player(mv).as_ref() == Some(&first))
        .then(|| format!("every move is `by {}`", rules.show(&first)))
}

/// The event that ends every turn, if all moves go on to phases of chance alone and one event leads on to nothing else.
fn last_event<'r>(rules: &'r Rules, moves: &[&Move]) -> Option<&'r str> {
    let is_chance = |phase: PhaseId| matches!(rules.phases[phase].actor, Actor::Chance);
    let goes_on = |kind: &StmtKind| matches!(kind, StmtKind::Stay(_));
    let to_player =
        |kind: &StmtKind| matches!(kind, StmtKind::Stay(to) if to.is_none_or(|to| !is_chance(to)));
    if moves.iter().any(|mv| !mv.body.any(&goes_on) || mv.body.any(&to_player)) {
        return None;
    }
    let is_of_setup = |event: &Move| event.phases.iter().any(|phase| rules.phases[*phase].setup);
    let ends_turn = |event: &&Move| {
        event.chance && !event.body.any(&goes_on) && !is_of_setup(event) && !event.name.is_empty()
    };
    let mut events = rules.moves.iter().filter(ends_turn);
    let only = events.next()?;
    events.next().is_none().then_some(only.name.as_str())
}

/// Advice on phases that are all the same player's, where `by` decides who acts and no statement about the turn does.
fn phases_of_one(rules: &Rules, moves: &[&Move]) -> Option<String> {
    let played = |(id, phase): &(PhaseId, &Phase)| {
        !matches!(phase.actor, Actor::Chance)
            && moves.iter().any(|mv| mv.phases.is_empty() || mv.phases.contains(id))
    };
    let played: Vec<&Phase> = rules.phases.entries().filter(played).map(|(_, phase)| phase).collect();
    let actor = |phase: &Phase| match &phase.actor {
        Actor::Player(player) => player.constant().cloned(),
        _ => None,
    };
    let first = actor(played.first()?)?;
    if !played.iter().all(|phase| actor(phase).as_ref() == Some(&first)) {
        return None;
    }
    let (name, names) = (rules.show(&first), rules.players());
    let phases: Vec<String> = played.iter().map(|phase| format!("`{}`", phase.name)).collect();
    let (listed, verb) = match &phases[..] {
        [only] => (only.clone(), "is"),
        [rest @ .., last] => (format!("{} and {last}", rest.join(", ")), "are"),
        [] => return None,
    };
    let mut others = names.iter().filter(|other| **other != name);
    let other = match (others.next(), others.next()) {
        (Some(other), None) => format!("`by {other}`"),
        _ => "`by` and the player".to_owned(),
    };
    Some(format!(
        "{listed} {verb} `by {name}`, so nobody else moves there: write {other} behind the phase in which another player acts"
    ))
}

/// The statement that gives the turn to another player.
pub fn next_of_another(rules: &Rules) -> Option<String> {
    Some(match rules.players() {
        [_, _] => "`next opponent;`".to_owned(),
        [first, second, ..] => format!(
            "`next after[me];` with `const after[p: Player]: Player = match p {{ {first} => {second}, ... }};`"
        ),
        _ => return None,
    })
}

/// Advice on a turn that every event of chance gives to the other player, and every move passes back.
fn passed_twice(rules: &Rules, moves: &[&Move]) -> Option<String> {
    let is_turn = |kind: &StmtKind| matches!(kind, StmtKind::Next(_) | StmtKind::Stay(_));
    let mut events = rules.moves.iter().filter(|mv| mv.chance).peekable();
    let first = events.peek()?.name.as_str();
    let is_of_each_turn = |event: &Move| event.phases.iter().any(|phase| !rules.phases[*phase].setup);
    let gives_away = |event: &Move| {
        is_of_each_turn(event) && event.body.stmts.iter().any(|stmt| is_next_of_other(rules, stmt))
    };
    if rules.players().len() != 2 || moves.iter().any(|mv| mv.body.any(&is_turn)) || !events.all(gives_away) {
        return None;
    }
    Some(format!(
        "after a move the turn passes by itself, and `next other(mover);` in `{first}` gives it back: leave `next \
         other(mover);` out"
    ))
}

/// Returns true for `next other(mover);`.
fn is_next_of_other(rules: &Rules, stmt: &Stmt) -> bool {
    let StmtKind::Next(player) = &stmt.kind else { return false };
    match &*player.kind {
        ExprKind::Table(table, args) => {
            rules.tables[*table].name == "other" && args.len() == 1 && is_mover(&args[0].kind)
        }
        _ => false,
    }
}

/// Advice on a turn that every move gives to the same player: `next A;`.
fn one_player_is_next(rules: &Rules, moves: &[&Move]) -> Option<String> {
    let next = |mv: &&Move| {
        mv.body.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Next(player) => player.constant().cloned(),
            _ => None,
        })
    };
    let mut players = moves.iter().map(next);
    let first: Value = players.next()??;
    let is_other = |kind: &StmtKind| matches!(kind, StmtKind::Next(to) if to.constant() != Some(&first));
    let has_other = |mv: &&Move| mv.body.any(&is_other);
    if !players.all(|player| player.as_ref() == Some(&first)) || moves.iter().any(has_other) {
        return None;
    }
    let name = rules.show(&first);
    let subject = if moves.len() == 1 { "the move" } else { "every move" };
    Some(format!(
        "{subject} gives the turn to {name}, by `next {name};`: without it the turn passes by itself"
    ))
}

/// Returns true if chance alone acts, no event gives the turn on, and the rules speak of the mover: it is the same
/// player in every position.
pub fn mover_stays(rules: &Rules) -> bool {
    let is_next = |kind: &StmtKind| matches!(kind, StmtKind::Next(_));
    let reads_mover = |kind: &StmtKind| statement_mentions(rules, kind, &is_mover);
    rules.moves.iter().all(|mv| mv.chance && !mv.body.any(&is_next))
        && rules.pass.is_none()
        && rules.moves.iter().any(|mv| mv.body.any(&reads_mover))
}

#[cfg(test)]
mod tests {
    use crate::check::{CheckOptions, check};
    use crate::load::GameSource;
    use bouton_base::limits::{Limits, NoProgress};
    use bouton_syntax::diag::{Code, Diagnostic};

    /// The findings W0541 of a game of two players.
    fn found(rest: &str) -> Vec<Diagnostic> {
        let source = format!("game \"Six\";\nplayers A, B;\nstate {{ n: 0..6 = 0; }}\n{rest}\n");
        let limits = Limits::default();
        let options = CheckOptions { explore: 1_000, limits: &limits, progress: &NoProgress };
        let mut found = check(&mut GameSource::from_string("game.bou", &source), &options).diagnostics;
        found.retain(|found| found.code == Code::W0541);
        found
    }

    fn help(found: &[Diagnostic]) -> &str {
        found.first().and_then(|found| found.help.as_deref()).unwrap_or_default()
    }

    #[test]
    fn the_player_who_is_always_next_is_named() {
        let of_one = found("move add(k: 1..2) { when n + k <= 6; n += k; next A; }\nplay normal;");
        assert!(help(&of_one).contains("gives the turn to A"), "{of_one:?}");
        let of_both = found(
            "move add(k: 1..2) { when n + k <= 6; n += k; next A; then { if n > 3 { next B; } } }\nplay normal;",
        );
        assert!(!help(&of_both).contains("gives the turn"), "{of_both:?}");
    }

    #[test]
    fn phases_of_one_player_are_named() {
        let game = |second: &str| {
            found(&format!(
                "phases {{ ask by A; answer {second}; }}\nmove pose(k: 1..2) in ask {{ when n + k <= 6; n += k; continue answer; }}\n\
                 move say(k: 1..2) in answer {{ when n + k <= 6; n += k; }}\nend {{ when stuck => draw; }}"
            ))
        };
        let of_one = game("by A");
        assert!(help(&of_one).starts_with("`ask` and `answer` are `by A`"), "{of_one:?}");
        assert!(help(&of_one).contains("write `by B` behind the phase"), "{of_one:?}");
        assert!(game("by B").is_empty());
    }

    #[test]
    fn an_event_that_gives_the_turn_back_is_named() {
        let phases = "phases { roll by chance; act; }\n";
        let rest = "move add(k: 1..2) in act { when n + k <= 6; n += k; }\nplay normal;";
        let event = "chance throw(d: 1..2) in roll { continue act; next other(mover); }\n";
        let twice = found(&format!("{phases}{event}{rest}"));
        assert!(help(&twice).contains("in `throw` gives it back"), "{twice:?}");
        let once = found(&format!("{phases}{}{rest}", event.replace(" next other(mover);", "")));
        assert!(once.is_empty(), "{once:?}");
    }

    #[test]
    fn an_event_that_ends_every_turn_is_named() {
        let game = |turn: &str| {
            found(&format!(
                "phases {{ choose; roll by chance; }}\nmove go(k: 1..2) in choose {{ when n + k <= 6; n += k; continue roll; }}\n\
                 chance throw(d: 1..2) in roll {{ n := min(6, n + d); {turn} }}\nend {{ when n = 6 => mover loses; }}"
            ))
        };
        let stays = game("");
        assert!(help(&stays).ends_with("write `next other(mover);` in `throw`"), "{stays:?}");
        assert!(game("next other(mover);").is_empty());
    }

    #[test]
    fn chance_alone_keeps_the_mover() {
        let game = |turn: &str| {
            found(&format!(
                "phases {{ roll by chance; }}\nchance throw(d: 1..2) in roll {{ n := if mover = A then min(6, n + d) else \
                 n; {turn} }}\nend {{ when n = 6 => A wins; repeat => draw; }}"
            ))
        };
        let stays = game("");
        assert!(stays.len() == 1 && stays[0].title.contains("never passes to `B`"), "{stays:?}");
        assert!(game("next other(mover);").is_empty());
    }
}
