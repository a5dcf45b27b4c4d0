//! A sheet by positions: all reachable positions with their moves, for rules that have no grounded form.

use std::collections::BTreeMap;

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_rules::{OutcomeKind, ToMove};
use bouton_search::game::{Game, State, Successor};

use super::atoms::Atoms;
use super::{GdlError, GdlSheet, GoalScale, MAX_POSITIONS, ResultNames, Sheet, goals};

/// An arc of the graph of positions: the moves of all roles, and the position that they lead to.
struct Arc {
    from: usize,
    moves: Vec<String>,
    to: usize,
}

/// The number of bytes that an arc takes, about.
const ARC_BYTES: u64 = 200;

/// A terminal position.
struct End {
    position: usize,
    payoffs: Vec<Rational>,
    kind: OutcomeKind,
}

/// Writes all positions that are reachable from this one. `reason`: why there is no form by fields.
pub fn write(game: &Game, state: &State, reason: &str, limits: &Limits) -> Result<GdlSheet, GdlError> {
    let mut atoms = Atoms::new(&game.rules);
    let has_chance = game.rules.moves.iter().any(|of| of.chance);
    let mut roles = atoms.roles(&game.rules);
    if has_chance {
        roles.push("random".to_owned());
    }
    let (arcs, ends) = graph(game, state, &mut atoms, reason, limits)?;
    let payoffs: Vec<Rational> = ends.iter().flat_map(|end| end.payoffs.iter().cloned()).collect();
    let kinds: Vec<OutcomeKind> = ends.iter().map(|end| end.kind).collect();
    let scale = GoalScale::of(&payoffs, &kinds)?;

    let mut notes = vec![format!("All positions, numbered: {reason}.")];
    notes.extend(scale.note());
    let mut sheet = Sheet::begin(game, &notes);
    sheet.roles(&roles);
    sheet.heading("A position is its number");
    sheet.fact("(init (position 0))");
    let variables: Vec<String> = (1..=roles.len()).map(|number| format!("?move{number}")).collect();
    let here = "(true (position ?here))".to_owned();
    let arc = format!("(arc ?here {} ?there)", variables.join(" "));
    let does = roles.iter().zip(&variables).map(|(role, variable)| format!("(does {role} {variable})"));
    let body: Vec<String> = std::iter::once(here.clone()).chain(does).chain([arc.clone()]).collect();
    sheet.rule("(next (position ?there))", &body);
    for (role, variable) in roles.iter().zip(&variables) {
        sheet.rule(&format!("(legal {role} {variable})"), &[here.clone(), arc.clone()]);
    }
    sheet.rule("terminal", &[here.clone(), "(result ?here ?result)".to_owned()]);
    let body = [here, "(result ?here ?result)".to_owned(), "(value ?result ?role ?goal)".to_owned()];
    sheet.rule("(goal ?role ?goal)", &body);

    sheet.heading("The moves: a position, the moves of all roles, the next position");
    for Arc { from, moves, to } in &arcs {
        sheet.fact(&format!("(arc {from} {} {to})", moves.join(" ")));
    }
    sheet.heading("The ends: a position and its result");
    let mut names = ResultNames::default();
    let mut values = Sheet::default();
    for end in &ends {
        let of_end = goals(&scale, &end.payoffs);
        let (name, is_new) = names.name(&of_end, end.kind, &roles);
        sheet.fact(&format!("(result {} {name})", end.position));
        if is_new {
            for (role, goal) in roles.iter().zip(&of_end) {
                values.fact(&format!("(value {name} {role} {goal})"));
            }
            if has_chance {
                values.fact(&format!("(value {name} random 0)"));
            }
        }
    }
    sheet.heading("The goals of each result");
    sheet.text += &values.text;
    Ok(GdlSheet { text: sheet.text, atoms, scale, notes })
}

/// Visits all positions, breadth first.
fn graph(
    game: &Game,
    state: &State,
    atoms: &mut Atoms,
    reason: &str,
    limits: &Limits,
) -> Result<(Vec<Arc>, Vec<End>), GdlError> {
    let mut numbers: BTreeMap<State, usize> = BTreeMap::new();
    numbers.insert(state.clone(), 0);
    let mut waiting = std::collections::VecDeque::from([state.clone()]);
    let (mut arcs, mut ends, mut from) = (Vec::new(), Vec::new(), 0);
    while let Some(here) = waiting.pop_front() {
        if let Some(hit) = limits.check_held(arcs.len() as u64 * ARC_BYTES) {
            return Err(GdlError::Limit(hit));
        }
        let (turn, successors) = game.machine.expand(&here)?;
        if let ToMove::Terminal(outcome) = turn {
            ends.push(End { position: from, payoffs: outcome.payoffs, kind: outcome.kind });
            from += 1;
            continue;
        }
        if successors.is_empty() {
            return Err(GdlError::Stuck);
        }
        equally_likely(&turn, &successors)?;
        for next in successors {
            let fresh = numbers.len();
            let to = *numbers.entry(next.state.clone()).or_insert(fresh);
            if to == fresh {
                if fresh == MAX_POSITIONS {
                    return Err(GdlError::TooManyPositions { reason: reason.to_owned() });
                }
                waiting.push_back(next.state);
            }
            arcs.push(Arc { from, moves: atoms.joint_move(&game.rules, &turn, &next.play), to });
        }
        from += 1;
    }
    Ok((arcs, ends))
}

/// Refuses events of chance with different probabilities.
fn equally_likely(turn: &ToMove, successors: &[Successor]) -> Result<(), GdlError> {
    let first = &successors[0].probability;
    match successors.iter().find(|next| next.probability != *first) {
        Some(other) if *turn == ToMove::Chance => {
            Err(GdlError::UnequalChance { probabilities: format!("{first} and {}", other.probability) })
        }
        _ => Ok(()),
    }
}
