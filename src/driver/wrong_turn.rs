//! The wrong player to move, as a likely cause of a position in which nobody can move: all moves of the phase are by
//! others, or `continue` lets the same player go on where another one answers.

use super::check::turn_advice;
use super::stuck;
use bouton_base::source::Span;
use bouton_rules::{
    Actor, Block, ExprKind, MOVER, Move, PHASE, PLAYER, PhaseId, Rules, Stmt, StmtKind, ToMove, Value,
};
use bouton_search::game::{Game, MoveInstance, State};

/// The places that show that the wrong player is to move, each with a label, and the help.
pub struct WrongTurn {
    pub labels: Vec<(Span, String)>,
    pub help: String,
    /// True if the help names all ways out.
    pub is_certain: bool,
}

/// The maximal number of places to mark.
const MAX_LABELS: usize = 3;

/// Returns the cause, if the wrong player is to move in a position that this play leads to.
pub fn cause(game: &Game, state: &State, line: &[MoveInstance]) -> Option<WrongTurn> {
    let Ok(ToMove::Player(mover)) = game.machine.turn(state) else { return None };
    let Value::Int(phase) = game.machine.read(state, PHASE, 0) else { return None };
    let here = PhaseId(u32::try_from(phase).ok()?);
    let turn = StuckTurn { game, state, mover, here };
    turn.moves_of_others(line).or_else(|| turn.own_answer(line)).or_else(|| turn.turn_after_chance(line))
}

/// Returns the cause of a first position in which nobody can move and which ends the game, if no move is that of the
/// first player.
pub fn at_first(game: &Game) -> Option<WrongTurn> {
    let state = &game.machine.initial();
    let Value::Sym(PLAYER, mover) = game.machine.read(state, MOVER, 0) else { return None };
    let Value::Int(phase) = game.machine.read(state, PHASE, 0) else { return None };
    let here = PhaseId(u32::try_from(phase).ok()?);
    let is_of_mover = matches!(game.rules.phases[here].actor, Actor::Mover);
    if !is_of_mover {
        return None;
    }
    let turn = StuckTurn { game, state, mover, here };
    let is_elsewhere = |mv: &Move| !mv.chance && !mv.phases.is_empty() && !mv.phases.contains(&here);
    match game.rules.moves.iter().any(is_elsewhere) {
        true => None,
        false => turn.moves_of_others(&[]),
    }
}

/// The player to move of a position, and the phase.
struct StuckTurn<'a> {
    game: &'a Game,
    state: &'a State,
    mover: u32,
    here: PhaseId,
}

impl StuckTurn<'_> {
    /// The moves that players make in a phase.
    fn moves_in(&self, phase: PhaseId) -> impl Iterator<Item = &Move> {
        let is_here = move |mv: &&Move| !mv.chance && (mv.phases.is_empty() || mv.phases.contains(&phase));
        self.game.rules.moves.iter().filter(is_here)
    }

    fn name(&self, player: u32) -> &str {
        &self.game.rules.players()[player as usize]
    }

    /// The one player behind the `by` of a move, if that is another one than the player to move.
    fn other_owner(&self, mv: &Move) -> Option<(Span, u32)> {
        let by = mv.by.as_ref().filter(|by| by.span.is_placed())?;
        if self.game.rules.mentions(by, &|kind| matches!(kind, ExprKind::Me)) {
            return None;
        }
        match self.game.machine.eval(self.state, by).ok()?? {
            Value::Sym(PLAYER, player) => (player != self.mover).then_some((by.span, player)),
            _ => None,
        }
    }

    /// The `by` of the moves of the phase, none of which is that of the player to move.
    fn moves_of_others(&self, line: &[MoveInstance]) -> Option<WrongTurn> {
        let own: Vec<&Move> = self.moves_in(self.here).collect();
        let owners: Vec<(Span, u32)> =
            own.iter().map(|mv| self.other_owner(mv)).collect::<Option<Vec<_>>>()?;
        let (_, player) = *owners.first()?;
        let (mover, player_name) = (self.name(self.mover), self.name(player));
        let label = |(span, owner): &(Span, u32)| {
            (*span, format!("this is {}, and {mover} is to move", self.name(*owner)))
        };
        let mut labels: Vec<(Span, String)> = owners.iter().take(MAX_LABELS).map(label).collect();
        if let [only] = own[..] {
            return Some(WrongTurn {
                labels,
                help: format!(
                    "`{}`, the only move here, is not that of {mover}: write `by {mover}` if it is, or give \
                     {player_name} the turn before by `next {player_name};`",
                    only.name
                ),
                is_certain: false,
            });
        }
        let phase = &self.game.rules.phases[self.here].name;
        let of_phase = if phase.is_empty() { String::new() } else { format!(" of `{phase}`") };
        let is_of_one = owners.iter().all(|(_, owner)| *owner == player);
        let (fact, next) = match is_of_one {
            true => (format!("all moves{of_phase} are by {player_name}"), player_name),
            false => (format!("no move{of_phase} is by {mover}"), "..."),
        };
        let by = format!("if one of them is that of {mover}, write `by {mover}` at it");
        let help = match self.entry(line) {
            Some((made, stay)) => {
                labels.push((stay.span, format!("{mover} keeps the turn")));
                format!(
                    "{fact}, and `continue {phase};` in `{0}` keeps the turn: `next {next};` is missing in `{0}`; {by}",
                    made.name
                )
            }
            None => format!("{fact}: {by}; otherwise give the turn before by `next {next};`"),
        };
        Some(WrongTurn { labels, help, is_certain: true })
    }

    /// The last move of a play and its `continue` with this phase, if it has no `next`.
    fn entry(&self, line: &[MoveInstance]) -> Option<(&Move, &Stmt)> {
        let made = move_of(&self.game.rules, line.last()?)?;
        let stay = stay_in(&made.body, &|to| to == self.here)?;
        (!made.chance && !has_next(made)).then_some((made, stay))
    }

    /// An event of chance after which the player to move has no move, and the other one of two would have one.
    fn turn_after_chance(&self, line: &[MoveInstance]) -> Option<WrongTurn> {
        let event = move_of(&self.game.rules, line.last()?).filter(|mv| mv.chance && !has_next(mv))?;
        let [_, _] = self.game.rules.players() else { return None };
        let other = 1 - self.mover.min(1);
        let has_moves = stuck::has_moves(self.game, self.game.machine.with_mover(self.state, other));
        let (mover, other, event_name) = (self.name(self.mover), self.name(other), &event.name);
        has_moves.then(|| WrongTurn {
            labels: vec![(event.span, format!("after this event {mover} is still to move"))],
            help: format!(
                "an event does not pass the turn, and {other} would have a move here: if it is {other}'s turn, write `next \
                 other(mover);` in `{event_name}`"
            ),
            is_certain: false,
        })
    }

    /// A `continue` without `next` that leads to a phase whose moves all say who comes next: the player who made the
    /// move acts there as well, though it may be the phase of another one.
    fn own_answer(&self, line: &[MoveInstance]) -> Option<WrongTurn> {
        let rules = &self.game.rules;
        let next = turn_advice::next_of_another(rules)?;
        let leads = |mv: &'_ Move, to: PhaseId| {
            !mv.phases.contains(&to)
                && self.moves_in(to).count() > 0
                && self.moves_in(to).all(|of| of.by.is_none() && has_next(of) && of.phases == [to])
        };
        let (made, stay) = line.iter().rev().find_map(|play| {
            let made = move_of(rules, play).filter(|mv| !mv.chance && !has_next(mv))?;
            Some((made, stay_in(&made.body, &|to| leads(made, to))?))
        })?;
        let StmtKind::Stay(Some(to)) = stay.kind else { return None };
        let to = &rules.phases[to].name;
        Some(WrongTurn {
            labels: vec![(stay.span, format!("who makes `{}` acts in `{to}` as well", made.name))],
            help: format!(
                "`continue {to};` keeps the turn: for another player to act in `{to}`, write beside it {next}"
            ),
            is_certain: false,
        })
    }
}

/// The rules of the move of an instance.
fn move_of<'r>(rules: &'r Rules, play: &MoveInstance) -> Option<&'r Move> {
    match play {
        MoveInstance::Move(id, _) => Some(&rules.moves[*id]),
        _ => None,
    }
}

/// Returns true if a move says who comes next.
fn has_next(mv: &Move) -> bool {
    mv.body.any(&|kind| matches!(kind, StmtKind::Next(_)))
}

/// The first `continue` with such a phase in a block.
fn stay_in<'b>(block: &'b Block, is: &dyn Fn(PhaseId) -> bool) -> Option<&'b Stmt> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Stay(Some(to)) => (is(*to) && stmt.span.is_placed()).then_some(stmt),
        StmtKind::If(_, yes, no) => stay_in(yes, is).or_else(|| stay_in(no, is)),
        StmtKind::For(_, inner) | StmtKind::Then(inner) => stay_in(inner, is),
        _ => None,
    })
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
    fn the_move_of_another_player_is_named() {
        let of = |by: &str| {
            help(&format!(
                "phases {{ say; }} state {{ said: 0..2 = 0; }} move tell(b: 1..2) in say as \"{{b}}\" {by} {{ said := b; \
                 }} end {{ when said > 0 => A wins; }}"
            ))
        };
        assert!(
            of("by B").starts_with("`tell`, the only move here, is not that of A: write `by A`"),
            "{}",
            of("by B")
        );
        assert!(of("by A").is_empty());
    }

    #[test]
    fn moves_of_another_player_are_named() {
        let of = |next: &str| {
            help(&format!(
                "phases {{ bet; reply; }} state {{ over: bool = false; pot: 1..2 = 1; }} move show() in bet as \"show\" {{ \
                 over := true; }} move raise() in bet as \"raise\" {{ pot := 2; continue reply; {next} }} move fold() in \
                 reply by B as \"fold\" {{ over := true; }} move call() in reply by B as \"call\" {{ over := true; }} end \
                 {{ when over => draw; }}"
            ))
        };
        let told = of("");
        assert!(told.starts_with("all moves of `reply` are by B, and `continue reply;`"), "{told}");
        assert!(told.contains("`next B;` is missing in `raise`") && !told.contains("play normal"), "{told}");
        assert!(of("next B;").is_empty());
    }

    #[test]
    fn moves_of_another_player_that_end_the_game_at_once_are_one_finding() {
        let of = |by: &str| {
            findings_of_two(
                &format!(
                    "state {{ n: 0..5 = 0; }} move go(k: 1..2) by {by} as \"go {{k}}\" {{ when n + k <= 5; n += k; }} move on() \
                     by B as \"on\" {{ when n < 5; n += 1; }} end {{ when n = 5 => mover loses; when stuck => mover loses; }}"
                ),
                Code::W0531,
            )
        };
        let [found] = &of("B")[..] else { panic!() };
        assert!(
            found.title.starts_with("no move is ever legal: the first player has none"),
            "{}",
            found.title
        );
        assert_eq!(found.labels.len(), 2);
        assert_eq!(found.labels[0].text, "this is B, and A is to move");
        let help = found.help.as_deref().unwrap_or_default();
        assert!(
            help.starts_with("all moves are by B: if one of them is that of A, write `by A` at it"),
            "{help}"
        );
        assert!(of("A").is_empty());
    }

    #[test]
    fn a_player_without_moves_is_named() {
        let of = |by: &str| {
            help(&format!(
                "state {{ n: 0..5 = 0; }} move go(k: 1..2) by A as \"go {{k}}\" {{ when n + k <= 5; n += k; }} move on(k: 1..2) \
                 by {by} as \"on {{k}}\" {{ when n + k <= 5; n += k; }} end {{ when n = 5 => mover loses; }}"
            ))
        };
        assert!(
            of("A").starts_with("all moves are by A: if one of them is that of B, write `by B`"),
            "{}",
            of("A")
        );
        assert!(of("B").is_empty());
    }

    #[test]
    fn an_answer_to_oneself_is_named() {
        let of = |next: &str| {
            help(&format!(
                "phases {{ lead; answer; }} state {{ hand[p: Player]: 0..2 = 2; n: 0..4 = 0; }} move open() in lead as \"o\" {{ \
                 when hand[me] > 0; hand[me] -= 1; continue answer; {next} }} move close(k: 1..2) in answer as \"{{k}}\" {{ \
                 when hand[me] > 0; hand[me] -= 1; n += 2; if k = 1 {{ next me; }} else {{ next opponent; }} }} end {{ \
                 when n = 4 => draw; }}"
            ))
        };
        let told = of("");
        assert!(
            told.starts_with("`continue answer;` keeps the turn: for another player to act in"),
            "{told}"
        );
        assert!(of("next opponent;").is_empty());
    }

    #[test]
    fn an_event_does_not_pass_the_turn() {
        let of = |next: &str| {
            help(&format!(
                "phases {{ act; luck by chance; }} state {{ out: set of Player = {{}}; }} move dare() in act as \"dare\" {{ \
                 when me not in out; continue luck; }} chance fall(k: 1..2) in luck as \"({{k}})\" {{ if k = 1 {{ out |= {{ \
                 mover }}; {next} }} continue act; }} end {{ when out = Player => draw; }}"
            ))
        };
        let told = of("");
        assert!(told.starts_with("an event does not pass the turn, and B would have a move here"), "{told}");
        assert!(told.contains("`next other(mover);` in `fall`"), "{told}");
        assert!(of("next other(mover);").is_empty());
    }
}
