//! Events and moves of the first phase that never come, since a later phase has the `setup` and play ends in
//! it (W0531).

use bouton_rules::{PHASE, PhaseId, Value};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, ToMove};
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// Tells of the phase in which play begins.
pub(super) fn explain(game: &Game, seen: &Explored, found: &mut [Diagnostic]) {
    let rules = &game.rules;
    let Value::Int(begins) = game.machine.read(&game.machine.initial(), PHASE, 0) else { return };
    let (first, begins) = (rules.turn_phase(), PhaseId(begins as u32));
    let is_late = begins > first && rules.phases[begins].setup && rules.phases[begins].span.is_placed();
    let is_there = |at: u32| {
        let state = seen.arena.state(at);
        game.machine.read(&state, PHASE, 0) == Value::Int(i64::from(first.0))
            && !matches!(game.machine.turn(&state), Ok(ToMove::Terminal(_)))
    };
    if !is_late || (0..seen.visited).any(is_there) {
        return;
    }
    let (begins, first_name) = (&rules.phases[begins], &rules.phases[first].name);
    for diagnostic in found.iter_mut().filter(|found| found.code == Code::W0531 && found.labels.len() == 1) {
        let mut moves = rules.moves.iter().filter(|mv| mv.span == diagnostic.span());
        if moves.next().is_none_or(|mv| mv.phases != [first]) {
            continue;
        }
        diagnostic.labels.push(Label { span: begins.span, text: "play begins here".to_owned() });
        diagnostic.help = Some(format!(
            "play begins in `{0}`, since `setup` stands before it, and never comes to `{first_name}`: if it begins in \
             `{first_name}`, write `setup` there and not before `{0}`; if it is to come there later, write `continue \
             {first_name};` in a move of `{0}`",
            begins.name
        ));
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn the_phase_in_which_play_begins_is_named() {
        let help = |phases: &str| {
            let rest = format!(
                "enum Card {{ low, high }} phases {{ {phases} }} state {{ hand: Card? = none; n: 0..3 = 0; }} chance deals(a: Card) in \
                 deal as \"{{a}}\" {{ hand := a; continue bet; }} move raise(k: 1..2) in bet as \"{{k}}\" {{ when n + k <= 3; n += \
                 k; continue bet; next opponent; }} end {{ when n = 3 and hand = low => A wins; when n = 3 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0531).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("deal by chance; setup bet;");
        assert!(told.starts_with("play begins in `bet`, since `setup` stands before it"), "{told}");
        assert_eq!(help("setup deal by chance; bet;"), "");
    }
}
