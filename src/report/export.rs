//! Games in the formats of Gambit: the extensive form (`.efg`) and the strategic form (`.nfg`).
//!
//! Format: Gambit's "Game representation formats" (McKelvey, McLennan, Turocy). A simultaneous choice becomes a choice
//! of the first player and one of the second, who does not see it. Histories that end in one position are written out
//! one by one, so a file may be much longer than the number of positions.

use std::fmt::Write as _;

use num_rational::BigRational;

use bouton_base::limits::{LimitHit, Limits};
use bouton_search::game::{Game, State};
use bouton_search::solve::mixed::game_tree::{GameTree, NONE, PLAYERS};

/// The reason why a game is not written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExportError {
    #[error("the strategic form is for games of a single simultaneous choice: use `--to efg`")]
    SeveralChoices,
    #[error("the game has more than {MAX_HISTORIES} histories")]
    TooLarge,
    #[error("{0}")]
    Limit(LimitHit),
}

/// The maximal number of histories of a file.
pub const MAX_HISTORIES: u64 = 2_000_000;

/// A part of the file that is still to be written.
enum Part {
    Line(String),
    Subtree { node: u32, state: State },
}

/// Writes the extensive form of a tree that begins at this position.
pub fn extensive_form(
    game: &Game,
    state: &State,
    tree: &GameTree,
    limits: &Limits,
) -> Result<String, ExportError> {
    let mut out = format!("EFG 2 R {} {{ {} }}\n\"\"\n\n", quoted(&game.rules.name), players(game));
    // Without hidden information, each history is an information set of its own.
    let mut sets = [0; PLAYERS];
    let mut written = 0u64;
    let mut parts = vec![Part::Subtree { node: 0, state: state.clone() }];
    while let Some(part) = parts.pop() {
        let (node, state) = match part {
            Part::Line(line) => {
                out += &line;
                continue;
            }
            Part::Subtree { node, state } => (node, state),
        };
        written += 1;
        if written > MAX_HISTORIES {
            return Err(ExportError::TooLarge);
        }
        if let Some(hit) = limits.check_held(out.len() as u64) {
            return Err(ExportError::Limit(hit));
        }
        if let Some(payoffs) = tree.payoffs_at(node) {
            let number = tree.payoff_number(node) + 1;
            let _ = writeln!(out, "t \"\" {number} \"\" {{ {} }}", listed(&payoffs[..tree.players]));
            continue;
        }
        let own = tree.nodes[node as usize].sets;
        let number = |player: usize, sets: &mut [u32; PLAYERS]| {
            sets[player] += 1;
            if tree.hidden { own[player] + 1 } else { sets[player] }
        };
        let successors = game.machine.successors(&state).map_err(|_| ExportError::TooLarge)?;
        let below = |range: std::ops::Range<usize>| {
            let all = tree.edges_of(node)[range.clone()].iter().zip(&successors[range]);
            all.map(|(edge, to)| Part::Subtree { node: edge.to, state: to.state.clone() }).collect::<Vec<_>>()
        };
        let names = |player: usize| {
            let set = &tree.sets[player][own[player] as usize];
            let names: Vec<String> = set
                .actions
                .iter()
                .map(|play| quoted(&game.choice_notation(&state, player as u32, play)))
                .collect();
            names.join(" ")
        };
        let count = tree.edges_of(node).len();
        match own {
            [NONE, NONE] => {
                let chances: Vec<String> = tree
                    .edges_of(node)
                    .iter()
                    .zip(&successors)
                    .map(|(edge, to)| {
                        format!("{} {}", quoted(&game.notation(&state, &to.play)), tree.probability(edge))
                    })
                    .collect();
                let _ = writeln!(out, "c \"\" {written} \"\" {{ {} }} 0", chances.join(" "));
                parts.extend(below(0..count).into_iter().rev());
            }
            [NONE, _] | [_, NONE] => {
                let player = usize::from(own[0] == NONE);
                let set = number(player, &mut sets);
                let _ = writeln!(out, "p \"\" {} {set} \"\" {{ {} }} 0", player + 1, names(player));
                parts.extend(below(0..count).into_iter().rev());
            }
            [_, _] => {
                let set = number(0, &mut sets);
                let _ = writeln!(out, "p \"\" 1 {set} \"\" {{ {} }} 0", names(0));
                let second = number(1, &mut sets);
                let line = format!("p \"\" 2 {second} \"\" {{ {} }} 0\n", names(1));
                // The second player's choices vary fastest.
                let columns = tree.sets[1][own[1] as usize].actions.len();
                for start in (0..count).step_by(columns.max(1)).rev() {
                    parts.extend(below(start..(start + columns).min(count)).into_iter().rev());
                    parts.push(Part::Line(line.clone()));
                }
            }
        }
    }
    Ok(out)
}

/// Writes the strategic form of a tree that is a single simultaneous choice.
pub fn strategic_form(game: &Game, state: &State, tree: &GameTree) -> Result<String, ExportError> {
    let own = tree.nodes[0].sets;
    let ends = || tree.edges_of(0).iter().map(|edge| tree.payoffs_at(edge.to));
    if own.contains(&NONE) || ends().any(|payoffs| payoffs.is_none()) {
        return Err(ExportError::SeveralChoices);
    }
    let actions = [0, 1].map(|player| {
        let set = &tree.sets[player][own[player] as usize];
        set.actions
            .iter()
            .map(|play| quoted(&game.choice_notation(state, player as u32, play)))
            .collect::<Vec<_>>()
    });
    let mut out = format!(
        "NFG 1 R {} {{ {} }}\n{{ {{ {} }}\n{{ {} }}\n}}\n\"\"\n\n",
        quoted(&game.rules.name),
        players(game),
        actions[0].join(" "),
        actions[1].join(" ")
    );
    // The first player's strategy varies fastest, unlike in the order of moves.
    let (rows, columns) = (actions[0].len(), actions[1].len());
    let payoffs: Vec<_> = ends().flatten().collect();
    for column in 0..columns {
        for row in 0..rows {
            let _ = writeln!(out, "{}", plain(payoffs[row * columns + column]));
        }
    }
    Ok(out)
}

fn players(game: &Game) -> String {
    game.rules.players().iter().map(|name| quoted(name)).collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn listed(payoffs: &[BigRational]) -> String {
    payoffs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn plain(payoffs: &[BigRational]) -> String {
    payoffs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
