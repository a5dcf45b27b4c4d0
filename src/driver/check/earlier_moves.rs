//! The move before a fault of a range that set the number which is too much: the condition belongs to that move.

use super::fault_advice::FaultCause;
use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{Effect, EffectOp, Expr, ExprKind, FieldId, Move, PLAYER, Rules, StmtKind, ToMove, Value};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance};
use bouton_syntax::diag::Diagnostic;

/// The move that set the number which an effect takes away.
struct Setter<'r> {
    mv: &'r Move,
    effect: &'r Effect,
    place: Span,
    /// The player who made it.
    player: u32,
}

/// Returns the move of a play that set the number which the fault takes from another one, if a condition there is
/// missing or is about another player.
pub fn cause(text: &GameSource, game: &Game, fault: &Fault, line: &[MoveInstance]) -> Option<FaultCause> {
    let rules = &game.rules;
    let FaultKind::OutOfRange { cell, .. } = &fault.kind else { return None };
    let MoveInstance::Move(id, _) = fault.play.as_deref()? else { return None };
    let faulty = &rules.moves[*id];
    let (effect, _) = effects(&faulty.body).into_iter().find(|(_, place)| *place == fault.span)?;
    let ExprKind::Field(taken, keys) = &*effect.value.kind else { return None };
    if faulty.chance || effect.op != EffectOp::Subtract || !keys.is_empty() || *taken == effect.field {
        return None;
    }
    let setter = setter_of(game, line, *taken).filter(|setter| setter.mv.span != faulty.span)?;
    let words = |span: Span| text.words(span);
    let (made, of) = (&setter.mv.name, &rules.fields[effect.field].name);
    let (number, read) = (words(setter.effect.value.span), &rules.fields[*taken].name);
    let [key] = &effect.keys[..] else { return None };
    let owner = owner_of(rules, cell)?;
    let is_own = owner == setter.player;
    let guard = guard_of(setter.mv, effect.field);
    let Some((guard, held)) = guard else {
        let cell = match (is_own, rules.players().len()) {
            (true, _) => format!("{of}[me]"),
            (false, 2) => format!("{of}[opponent]"),
            _ => return None,
        };
        return Some(FaultCause {
            span: setter.place,
            label: format!("nothing holds `{number}` within `{cell}`"),
            help: format!(
                "`{read}` was set by `{made}`: if such a move is illegal there, write `when {number} <= {cell};` in `{made}`; if \
                 it is legal, widen the range of `{of}`"
            ),
            is_first_help: false,
        });
    };
    let [held] = held else { return None };
    if rules.players().len() != 2 || is_own || !matches!(*held.kind, ExprKind::Me) {
        return None;
    }
    let name = |player: u32| &rules.players()[player as usize];
    let (payer, maker) = (name(owner), name(setter.player));
    let here = words(key.span);
    let meant = match &*key.kind {
        ExprKind::Me => "opponent",
        _ => "me",
    };
    Some(FaultCause {
        span: guard.span,
        label: format!("holds `{number}` within the `{of}` of {maker}"),
        help: format!(
            "`{made}` by {maker} is held by `{of}` of {maker}, and here `{of}` of {payer} goes down: if {maker} is to pay, write \
             `{of}[{meant}]` in place of `{of}[{here}]`; if {payer} is, compare `{number}` with `{of}[opponent]` in `{made}`"
        ),
        is_first_help: false,
    })
}

/// Adds to a number of an event of chance that leaves its range the move that leads to the event.
pub fn name_leading_move(game: &Game, fault: &Fault, line: &[MoveInstance], found: Diagnostic) -> Diagnostic {
    let (Some(MoveInstance::Move(event, _)), Some(MoveInstance::Move(before, _))) =
        (fault.play.as_deref(), line.last())
    else {
        return found;
    };
    let (event, before) = (&game.rules.moves[*event], &game.rules.moves[*before]);
    let is_number = matches!(fault.kind, FaultKind::OutOfRange { .. });
    let help = found.help.clone().filter(|help| is_number && !help.contains("its weight is 0"));
    match help.filter(|_| event.chance && !before.chance) {
        Some(help) => found.help(format!(
            "{help}; if play must not come here, forbid `{}` with a `when`: in an event, a `when` would change the odds",
            before.name
        )),
        None => found,
    }
}

/// The last move of a play that set a field to its parameter.
fn setter_of<'g>(game: &'g Game, line: &[MoveInstance], field: FieldId) -> Option<Setter<'g>> {
    let mut state = game.machine.initial();
    let mut last = None;
    for play in line {
        let turn = game.machine.turn(&state).ok()?;
        if let (MoveInstance::Move(id, args), ToMove::Player(player)) = (play, turn) {
            let mv = &game.rules.moves[*id];
            let sets = |effect: &Effect| effect.field == field;
            let mut of_field = effects(&mv.body).into_iter().filter(|(effect, _)| sets(effect));
            let is_param = |effect: &Effect| match &*effect.value.kind {
                ExprKind::Var(var) => mv.params.iter().take(args.len()).any(|param| param.var == *var),
                _ => false,
            };
            if let Some((effect, place)) = of_field.next() {
                let is_clear = effect.op == EffectOp::Set && is_param(effect) && of_field.next().is_none();
                last = is_clear.then_some(Setter { mv, effect, place, player });
            }
        }
        state = game.machine.make(&state, play).ok()??;
    }
    last
}

/// The first comparison in the conditions of a move that reads a field, with the keys of that field.
fn guard_of(mv: &Move, field: FieldId) -> Option<(&Expr, &[Expr])> {
    let mut terms: Vec<&Expr> = Vec::new();
    for stmt in &mv.body.stmts {
        if let StmtKind::Require(condition) = &stmt.kind {
            match &*condition.kind {
                ExprKind::And(parts) => terms.extend(parts),
                _ => terms.push(condition),
            }
        }
    }
    terms.into_iter().find_map(|term| {
        let mut pending = vec![term];
        while let Some(part) = pending.pop() {
            match &*part.kind {
                ExprKind::Field(of, keys) if *of == field => return Some((term, &keys[..])),
                _ => part.each_part(&mut |inner| pending.push(inner)),
            }
        }
        None
    })
}

/// The player whose cell of a field this is: A of `money[A]`.
fn owner_of(rules: &Rules, cell: &str) -> Option<u32> {
    let key = cell.split_once('[')?.1.strip_suffix(']')?;
    let players = 0..rules.players().len() as u32;
    players.into_iter().find(|player| rules.show(&Value::Sym(PLAYER, *player)) == key)
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn help(guard: &str, payer: &str) -> String {
        let rest = format!(
            "state {{ money[p: Player]: 0..4 = 3; bid: 0..6 = 0; sold: 0..2 = 0; }} move raise(b: 1..6) as \"{{b}}\" {{ when b > \
             bid; {guard} bid := b; }} move fold() as \"fold\" {{ money[{payer}] -= bid; bid := 0; sold += 1; }} end {{ when sold \
             = 2 => highest money; }}"
        );
        let found = findings_of_two(&rest, Code::E0503).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn the_move_that_set_the_number_is_named() {
        let told = help("", "opponent");
        assert!(told.contains("write `when b <= money[me];` in `raise`"), "{told}");
        assert!(!told.contains("when bid"), "{told}");
        assert!(help("", "me").contains("`when b <= money[opponent];` in `raise`"), "{}", help("", "me"));
        assert!(help("when b <= money[me];", "opponent").is_empty());
    }

    #[test]
    fn the_condition_about_another_player_is_named() {
        let told = help("when b <= money[me];", "me");
        assert!(told.contains("write `money[opponent]` in place of `money[me]`"), "{told}");
    }

    #[test]
    fn the_move_that_leads_to_an_event_is_named() {
        let help = |weight: &str| {
            let rest = format!(
                "phases {{ act; roll by chance; }} state {{ pot: 0..6 = 0; }} move go() in act as \"go\" {{ continue roll; }} \
                 chance die(d: 1..3) in roll as \"({{d}})\" {{ {weight} pot += d; }} end {{ when pot = 6 => draw; repeat => draw; \
                 }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        for weight in ["", "weight if d = 1 then 2 else 1;"] {
            assert!(help(weight).contains("forbid `go` with a `when`: in an event"), "{}", help(weight));
        }
        assert!(help("weight if pot + d > 6 then 0 else 1;").contains("where its weight is 0"));
    }
}
