//! The best moves of a player as a few rules on the position: of a lone player against chance, of both players of a game
//! of chance, and of the winner of another game.
//!
//! Technique: the positions that play by best moves reaches are divided by a decision tree.
//! Invariant: the move of a rule is a best one in each position that the rule is about; for a winner, in a game in which
//! no position comes back, it may also be one that wins later. Rules that fail after other moves of the player say so.

use std::collections::BTreeSet;

use bouton_base::id::Id;
use bouton_rules::Value;
use bouton_search::game::{Game, State, ToMove};
use bouton_search::solve::ValueKind;
use bouton_search::solve::solved_graph::SolvedGraph;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::decision_tree::{Decision, Decisions, FieldCell, PolicyRule, divided};

/// The maximal number of positions that are looked at.
const MAX_POSITIONS: usize = 20_000;
/// The maximal number of cells of positions that are divided by tests.
const MAX_CELLS: usize = 1_000_000;
/// The maximal number of rules for a game of chance: more are no help to a person.
const MAX_RULES: usize = 12;
/// The maximal number of rules for the winner of another game, for whom there are often better words.
const MAX_RULES_OF_WINNER: usize = 6;

/// Rules that give a player a best move, or one that wins, in each position that such moves of his reach, with any moves
/// of the other.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    pub player: String,
    /// The moves of the player that lead to these positions.
    pub moves: PolicyMoves,
    /// The number of these positions in which he has a choice.
    pub positions: usize,
    /// True if the rules are about these positions alone, and not about those with one legal move.
    pub only_choices: bool,
    /// True if the rules also give such a move after other moves of the player: a winner's wherever he still wins.
    pub everywhere: bool,
    pub rules: Vec<PolicyRule>,
}

/// The moves by which a player reaches the positions of his rules, and which the rules name.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyMoves {
    /// Those with the best mean, where chance acts.
    Best,
    /// Those that come nearer to a win, where no plies are counted.
    Nearer,
    /// Those that win soonest.
    Fastest,
    /// All that win.
    Winning,
}

impl PolicyMoves {
    /// A move of this kind with its article: `a fastest winning move`.
    pub fn one(self) -> &'static str {
        match self {
            PolicyMoves::Best => "a best move",
            PolicyMoves::Nearer => "a move that comes nearer to the win",
            PolicyMoves::Fastest => "a fastest winning move",
            PolicyMoves::Winning => "a winning move",
        }
    }
}

impl Policy {
    /// The rules, a line each; the first one begins with the player, if there are several, and says whether the rules are
    /// about choices alone: `Ann, where there is a choice: with die >= 5: stop`.
    pub fn lines(&self, is_single_player: bool) -> Vec<String> {
        let mut heading: Vec<&str> = Vec::new();
        if !is_single_player {
            heading.push(&self.player);
        }
        if self.only_choices {
            heading.push("where there is a choice");
        }
        let mut lines: Vec<String> = self.rules.iter().map(PolicyRule::words).collect();
        if let [only] = &mut lines[..]
            && let Some(made) = only.strip_suffix(" always").filter(|_| self.only_choices)
        {
            *only = made.to_owned();
        }
        if let Some(first) = lines.first_mut().filter(|_| !heading.is_empty()) {
            *first = format!("{}: {first}", heading.join(", "));
        }
        if !self.everywhere {
            let made = self.moves.one();
            lines.push(match is_single_player {
                true => format!("these rules hold where each move before was {made}"),
                false => format!("these rules hold where each move of {} before was {made}", self.player),
            });
        }
        lines
    }
}

/// Returns the rules of the players for whom few suffice, by the values of all positions: of all players against chance,
/// at most two, or of the winner. Nothing is told of games with hidden information or moves at once.
pub fn policies(game: &Game, start: &State, table: &SolvedGraph) -> Vec<Policy> {
    let rules = &game.rules;
    let players = rules.players().len() as u32;
    if players > 2 || rules.has_hidden_information() {
        return Vec::new();
    }
    let has_chance = rules.moves.iter().any(|of| of.chance);
    let winner = table.value(start).and_then(|value| match value.kind {
        ValueKind::Win(winner) => Some(winner),
        _ => None,
    });
    let (told, most): (Vec<u32>, usize) = match has_chance {
        true => ((0..players).collect(), MAX_RULES),
        false => (winner.filter(|_| players == 2).into_iter().collect(), MAX_RULES_OF_WINNER),
    };
    told.into_iter().filter_map(|player| policy(game, start, table, player, most)).collect()
}

/// Returns at most that many rules of a player; `None` if nothing is to be chosen, or if so few do not suffice.
fn policy(game: &Game, start: &State, table: &SolvedGraph, player: u32, most: usize) -> Option<Policy> {
    let rules = &game.rules;
    // The mover is always the same one; the phase tells what may be chosen.
    let fields = rules.fields.entries().filter(|(id, _)| id.index() >= 1);
    let cells: Vec<FieldCell> =
        fields.flat_map(|(id, field)| (0..field.cells()).map(move |cell| (id, cell))).collect();
    let mined = |moves: PolicyMoves, everywhere: bool| {
        let decisions = decisions(game, start, table, &cells, PlayerMoves { player, moves, everywhere })?;
        policy_of(game, &cells, &decisions, PlayerRules { player, moves, most, everywhere })
    };
    let found = |moves: PolicyMoves| {
        let after_such = mined(moves, false)?;
        let everywhere = mined(moves, true).filter(|all| all.rules.len() <= after_such.rules.len());
        Some(match everywhere {
            Some(all) => Policy { positions: after_such.positions, ..all },
            None => after_such,
        })
    };
    if rules.moves.iter().any(|of| of.chance) {
        return found(PolicyMoves::Best);
    }
    let counts_plies = table.remoteness(start).is_some();
    let fastest = found(if counts_plies { PolicyMoves::Fastest } else { PolicyMoves::Nearer });
    // Without cycles, the moves that win later win as well. Looking for cycles takes longest.
    let is_shorter = |any: &Policy| fastest.as_ref().is_none_or(|of| any.rules.len() < of.rules.len());
    match found(PolicyMoves::Winning).filter(is_shorter) {
        Some(any) if !table.has_cycles() => Some(any),
        _ => fastest,
    }
}

/// The player who gets rules, and the maximal number of them.
#[derive(Clone, Copy)]
struct PlayerRules {
    player: u32,
    moves: PolicyMoves,
    most: usize,
    everywhere: bool,
}

/// Returns at most that many rules for these positions; `None` if nothing is to be chosen, or if so few do not suffice.
fn policy_of(game: &Game, cells: &[FieldCell], decisions: &Decisions, of: PlayerRules) -> Option<Policy> {
    let PlayerRules { player, moves, most, everywhere } = of;
    let choices: Vec<&Decision> = decisions.positions.iter().filter(|of| of.has_choice).collect();
    let rules_of = |positions: &[&Decision]| divided(game, cells, decisions, positions, most);
    let (all, only) = (rules_of(&decisions.positions.iter().collect::<Vec<_>>()), rules_of(&choices)?);
    // Rules that say which move is the only legal one tell nothing.
    let (rules, only_choices) = match all.filter(|all| all.len() <= only.len()) {
        Some(all) => (all, false),
        None => (only, true),
    };
    let player = game.rules.players()[player as usize].clone();
    let found = Policy { player, moves, positions: choices.len(), only_choices, everywhere, rules };
    (!choices.is_empty()).then_some(found)
}

/// The moves of a player from which rules choose.
#[derive(Clone, Copy)]
struct PlayerMoves {
    player: u32,
    moves: PolicyMoves,
    /// True if the player may have made other moves before.
    everywhere: bool,
}

/// Returns these moves as written; empty if they are not known.
fn kept_moves(state: &State, table: &SolvedGraph, kind: PolicyMoves) -> BTreeSet<String> {
    match kind {
        PolicyMoves::Best | PolicyMoves::Nearer | PolicyMoves::Fastest => {
            table.best_moves(state).into_iter().map(|made| made.written).collect()
        }
        PolicyMoves::Winning => {
            let worth = table.value(state).map(|value| value.payoffs);
            let moves = table.moves(state).into_iter();
            let same =
                moves.filter(|of| worth.is_some() && of.value.as_ref().map(|v| &v.payoffs) == worth.as_ref());
            same.map(|of| of.made.written).collect()
        }
    }
}

/// The positions in which a player moves that play reaches while he makes such moves; or all positions in which he
/// moves, and without chance those in which he wins.
fn decisions(
    game: &Game,
    start: &State,
    table: &SolvedGraph,
    cells: &[FieldCell],
    of: PlayerMoves,
) -> Option<Decisions> {
    let PlayerMoves { player, moves: kind, everywhere } = of;
    let has_chance = game.rules.moves.iter().any(|of| of.chance);
    // Nothing is told if it is not known of a position.
    let wins = |state: &State| {
        has_chance.then_some(true).or_else(|| Some(table.value(state)?.kind == ValueKind::Win(player)))
    };
    let mut found: Vec<(Vec<Value>, BTreeSet<String>, Decision)> = Vec::new();
    let (mut seen, mut open) = (FxHashSet::from_iter([start.clone()]), vec![start.clone()]);
    while let Some(state) = open.pop() {
        if seen.len() > MAX_POSITIONS || found.len() * cells.len() > MAX_CELLS {
            return None;
        }
        let (turn, successors) = game.machine.expand(&state).ok()?;
        let best: Option<BTreeSet<String>> = match turn {
            ToMove::Terminal(_) => continue,
            ToMove::Simultaneous => return None,
            ToMove::Player(mover) if mover == player && !successors.is_empty() && wins(&state)? => {
                let best = kept_moves(&state, table, kind);
                if best.is_empty() {
                    return None;
                }
                Some(best)
            }
            _ => None,
        };
        let (mut all_best, has_choice) = (true, successors.len() > 1);
        for next in successors {
            let is_best = |best: &BTreeSet<String>| best.contains(&game.notation(&state, &next.play));
            let is_best = best.as_ref().is_none_or(is_best);
            all_best &= is_best;
            if (is_best || everywhere) && seen.insert(next.state.clone()) {
                open.push(next.state);
            }
        }
        if let Some(best) = best {
            let read = |&(field, cell): &FieldCell| game.machine.read(&state, field, cell);
            found.push((cells.iter().map(read).collect(), best, Decision::new(has_choice, all_best)));
        }
    }
    Some(Decisions::of(cells.len(), found))
}
