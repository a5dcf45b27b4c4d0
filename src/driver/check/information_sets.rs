//! E0520: a player who has different legal moves in positions of one information set.
//!
//! A player knows his own moves and his observations, with perfect recall, so the search explores histories, not
//! positions. Two histories are in one information set of a player if they agree step by step in the moves he saw and
//! in his observation after each. The sets are numbered in order of discovery.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use bouton_base::limits::{LimitHit, Limits};
use bouton_rules::Value;
use bouton_search::game::information::{SeenPart, own_choices, seen_parts};
use bouton_search::game::{Game, MachineError, MoveInstance, State, Successor, ToMove};

/// Two plays that a player cannot distinguish, after which he has different moves.
#[derive(Clone, Debug)]
pub struct InformationSetConflict {
    pub player: u32,
    pub first: Vec<MoveInstance>,
    pub second: Vec<MoveInstance>,
    /// A move that is legal only after one of the plays, with the position in which it is legal.
    pub only: (State, MoveInstance),
}

/// A history: its last position, its parent with the move from there, and the information set of each player.
struct HistoryNode {
    state: State,
    parent: Option<(usize, MoveInstance)>,
    classes: Vec<u32>,
}

/// A player's view of a move: his information set before, the move if he sees it, and his observation afterwards.
type MoveObservation = (u32, Vec<SeenPart>, Value);

/// Finds the shortest conflict among the first `limit` histories; `None` if there is none or the limits end the search.
/// The game runs on a machine that stops at the limits.
pub fn find_conflict(game: &Game, limit: usize, limits: &Limits) -> Option<InformationSetConflict> {
    let players = game.rules.players().len() as u32;
    let mut notices: Vec<FxHashMap<MoveObservation, u32>> = vec![FxHashMap::default(); players as usize];
    let mut options: FxHashMap<(u32, u32), (usize, Vec<MoveInstance>)> = FxHashMap::default();
    let first = game.machine.initial();
    let mut nodes = vec![HistoryNode { state: first, parent: None, classes: vec![0; players as usize] }];
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        if at % 256 == 0 && limits.check().is_some() {
            return None;
        }
        let state = nodes[at].state.clone();
        let (turn, successors) = match game.machine.expand(&state) {
            Ok(found) => found,
            Err(MachineError::Fault(_)) => continue,
            Err(MachineError::Limit(_)) => return None,
        };
        if matches!(turn, ToMove::Terminal(_)) {
            continue;
        }
        for player in 0..players {
            let mut own = own_choices(&turn, &successors, player);
            if own.is_empty() {
                continue;
            }
            own.sort_unstable();
            let class = nodes[at].classes[player as usize];
            let (first, before) = options.entry((player, class)).or_insert_with(|| (at, own.clone()));
            if *before != own {
                let first = HistoryMoves { node: *first, moves: before };
                let second = HistoryMoves { node: at, moves: &own };
                return Some(confused(&nodes, player, first, second));
            }
        }
        for successor in successors.iter().take(limit.saturating_sub(nodes.len())) {
            let class = |player: u32| {
                let before = nodes[at].classes[player as usize];
                let notice = notice(game, &turn, successor, player, before).ok()?;
                let known = &mut notices[player as usize];
                let next = known.len() as u32 + 1;
                Some(*known.entry(notice).or_insert(next))
            };
            let classes = (0..players).map(class).collect::<Option<_>>()?;
            queue.push_back(nodes.len());
            let parent = Some((at, successor.play.clone()));
            nodes.push(HistoryNode { state: successor.state.clone(), parent, classes });
        }
    }
    None
}

/// The view of a move by a player, after a history of the information set `before`.
fn notice(
    game: &Game,
    turn: &ToMove,
    successor: &Successor,
    player: u32,
    before: u32,
) -> Result<MoveObservation, LimitHit> {
    let seen = seen_parts(game, turn, &successor.play, player);
    Ok((before, seen, game.machine.observation(&successor.state, player)?))
}

/// A history with the moves that a player may choose from after it.
struct HistoryMoves<'a> {
    /// The index of its node.
    node: usize,
    moves: &'a [MoveInstance],
}

fn confused(
    nodes: &[HistoryNode],
    player: u32,
    first: HistoryMoves<'_>,
    second: HistoryMoves<'_>,
) -> InformationSetConflict {
    let missing =
        |from: &[MoveInstance], other: &[MoveInstance]| from.iter().find(|p| !other.contains(p)).cloned();
    let only = match missing(first.moves, second.moves) {
        Some(play) => (nodes[first.node].state.clone(), play),
        None => {
            let play = missing(second.moves, first.moves).unwrap_or(MoveInstance::Pass);
            (nodes[second.node].state.clone(), play)
        }
    };
    let (first, second) = (history(nodes, first.node), history(nodes, second.node));
    InformationSetConflict { player, first, second, only }
}

fn history(nodes: &[HistoryNode], mut at: usize) -> Vec<MoveInstance> {
    let mut plays = Vec::new();
    while let Some((parent, play)) = &nodes[at].parent {
        plays.push(play.clone());
        at = *parent;
    }
    plays.reverse();
    plays
}
