//! Collects the positions of a solved game that a report can be played with.

use maud::Markup;
use rustc_hash::FxHashMap;

use crate::position::StartPosition;
use bouton_report::page::{Overlay, PlayablePositions, ShownMove, ShownPosition, ShownValue, content, svg};
use bouton_report::solve::outcome;
use bouton_report::verdict::value_words;
use bouton_search::game::picture::{Panel, Picture, cells_of_move, picture};
use bouton_search::game::{Game, MoveInstance, State, ToMove};
use bouton_search::solve::solved_graph::SolvedGraph;
use bouton_search::solve::{Value, ValueKind};

/// The maximal number of positions of a report.
const MAX_POSITIONS: usize = 20_000;

/// Packs all positions if they fit into a page; else those that play reaches if the winner makes its best moves alone.
/// Returns `None` if these do not fit either, something is hidden, or the positions are not drawn alike.
pub fn playable(start: &StartPosition, table: &SolvedGraph, value: &Value) -> Option<PlayablePositions> {
    let rules = &start.game.rules;
    if rules.has_hidden_information() {
        return None;
    }
    let holder = match value.kind {
        ValueKind::Win(player) => Some(player),
        _ => None,
    };
    let first = picture(&start.game, &start.state);
    let template = template(&first)?.into_string();
    let pack = |holder: Option<u32>| {
        let positions =
            Collector { game: &start.game, table, first: &first, holder }.collect(&start.state)?;
        let name = holder.and_then(|player| rules.players().get(player as usize).cloned());
        PlayablePositions::pack(&template, rules.players(), name, &positions)
    };
    pack(None).or_else(|| pack(Some(holder?)))
}

/// The picture of a position with something in each cell.
fn template(first: &Picture) -> Option<Markup> {
    let mut template = first.clone();
    let cells = template.panels.iter_mut().flat_map(|panel| panel.cells.iter_mut());
    cells.for_each(|cell| (cell.symbol, cell.piece) = ("?".into(), None));
    svg(&template, &Overlay::None)
}

/// The collection of positions.
struct Collector<'a> {
    game: &'a Game,
    table: &'a SolvedGraph,
    /// The picture of the first position.
    first: &'a Picture,
    /// The player who makes its best moves alone.
    holder: Option<u32>,
}

impl Collector<'_> {
    /// The positions reachable from one, breadth first; `None` if they are too many or too different.
    fn collect(&self, start: &State) -> Option<Vec<ShownPosition>> {
        let mut numbers: FxHashMap<State, u32> = FxHashMap::default();
        numbers.insert(start.clone(), 0);
        let mut queue = vec![start.clone()];
        let mut positions: Vec<ShownPosition> = Vec::new();
        while let Some(state) = queue.get(positions.len()).cloned() {
            positions.push(self.position(&state, &mut |to| {
                let number = *numbers.entry(to.clone()).or_insert_with(|| {
                    queue.push(to.clone());
                    queue.len() as u32 - 1
                });
                (queue.len() <= MAX_POSITIONS).then_some(number)
            })?);
        }
        Some(positions)
    }

    fn position(
        &self,
        state: &State,
        number: &mut dyn FnMut(&State) -> Option<u32>,
    ) -> Option<ShownPosition> {
        let (game, rules) = (self.game, &self.game.rules);
        let turn = game.machine.turn(state).ok()?;
        let drawn = picture(game, state);
        let shape = |panel: &Panel| (panel.name.clone(), panel.cells.len());
        if !drawn.panels.iter().map(shape).eq(self.first.panels.iter().map(shape)) {
            return None;
        }
        let best: Option<Vec<MoveInstance>> = match turn {
            ToMove::Player(player) if Some(player) == self.holder => {
                Some(self.table.best_moves(state).into_iter().map(|made| made.play).collect())
            }
            ToMove::Simultaneous => return None,
            _ => None,
        };
        let mut moves = Vec::new();
        for made in game.machine.successors(state).ok()? {
            if best.as_ref().is_some_and(|best| !best.contains(&made.play)) {
                continue;
            }
            let name = game.notation(state, &made.play);
            let panel = drawn.panels.first();
            let named = |&cell: &u32| Some(panel?.cells.get(cell as usize)?.name.clone());
            let cells = cells_of_move(game, &drawn, &made, &name).iter().filter_map(named).collect();
            let probability = (turn == ToMove::Chance).then(|| made.probability.to_string());
            moves.push((ShownMove { name, cells, probability }, number(&made.state)?));
        }
        let value = self.table.value(state)?;
        let players = rules.players();
        Some(ShownPosition {
            contents: drawn
                .panels
                .iter()
                .flat_map(|panel| panel.cells.iter().map(move |cell| content(cell, panel.cell_shape)))
                .map(|content| content.into_string())
                .collect(),
            turn: match turn {
                ToMove::Terminal(_) | ToMove::Simultaneous => 0,
                ToMove::Chance => 1,
                ToMove::Player(player) => player + 2,
            },
            plies: self.table.remoteness(state),
            facts: drawn.facts.join(" · "),
            moves,
            value: ShownValue {
                outcome: outcome(value.kind),
                winner: match value.kind {
                    ValueKind::Win(player) => players.get(player as usize).cloned(),
                    _ => None,
                },
                payoffs: value.payoffs.iter().map(ToString::to_string).collect(),
                words: value_words(rules, &value, None),
            },
        })
    }
}
