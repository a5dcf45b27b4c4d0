//! Advice for players who never have a choice (W0541): the moves that are made in the phases of another player alone.

use bouton_rules::{Actor, Move, PhaseId, Rules, Value};

/// The maximal number of moves that are named.
const MAX_MOVES: usize = 4;

/// Names the only move in the phases of a player, and the moves of the phases in which the others act.
pub(super) fn advice(rules: &Rules, player: &str) -> Option<String> {
    let actor = |id: PhaseId| match &rules.phases[id].actor {
        Actor::Player(actor) => match actor.constant() {
            Some(value @ Value::Sym(..)) => Some(rules.show(value)),
            _ => None,
        },
        _ => None,
    };
    let is_own = |id: PhaseId| actor(id).is_some_and(|name| name == player);
    let moves: Vec<&Move> = rules.moves.iter().filter(|mv| !mv.chance).collect();
    let is_placed = |mv: &&Move| mv.by.is_none() && !mv.phases.is_empty() && mv.span.is_placed();
    if !moves.iter().all(is_placed) {
        return None;
    }
    let of_player: Vec<&&Move> = moves.iter().filter(|mv| mv.phases.iter().any(|id| is_own(*id))).collect();
    let [only] = of_player[..] else { return None };
    let [own] = only.phases[..] else { return None };
    let mut others = moves.iter().filter(|mv| mv.span != only.span);
    let first = others.clone().next()?;
    let [phase] = first.phases[..] else { return None };
    // Moves in several phases or of several players would need more words.
    let acts = actor(phase)?;
    if !only.params.is_empty() || others.clone().count() > MAX_MOVES || others.any(|mv| mv.phases != [phase])
    {
        return None;
    }
    let names: Vec<String> =
        moves.iter().filter(|mv| mv.span != only.span).map(|mv| format!("`{}`", mv.name)).collect();
    let (listed, verb) = match &names[..] {
        [one] => (one.clone(), "is"),
        [rest @ .., last] => (format!("{} and {last}", rest.join(", ")), "are"),
        [] => return None,
    };
    let (own, other) = (&rules.phases[own].name, &rules.phases[phase].name);
    Some(format!(
        "`{}` is the only move in `{own}`, where {player} acts: {listed} {verb} in `{other}`, where {acts} acts; if one of \
         these is {player}'s, write `in {own}` in it",
        only.name
    ))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn the_moves_of_the_other_phase_are_named() {
        let help = |fold: &str| {
            let rest = format!(
                "phases {{ offer by A; reply by B; }} state {{ over: bool = false; stake: 0..2 = 1; }} move raise() in offer as \
                 \"r\" {{ stake := 2; continue reply; }} move show() in offer as \"s\" {{ over := true; }} move call() in reply \
                 as \"c\" {{ over := true; }} move fold() in {fold} as \"f\" {{ stake := 0; over := true; }} end {{ when over \
                 and stake > 0 => A wins; when over => B wins; }}"
            );
            let found = findings_of_two(&rest, Code::W0541).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        assert_eq!(
            help("offer"),
            "`call` is the only move in `reply`, where B acts: `raise`, `show` and `fold` are in `offer`, where A acts; if \
             one of these is B's, write `in reply` in it"
        );
        assert_eq!(help("reply"), "");
    }
}
