//! The best moves of a player as a few rules on the position: of a lone player against chance, of both players of a game
//! of chance, and of the winner of another game.
//!
//! Technique: the positions that play by best moves reaches are divided by one cell after the other, so that those of a
//! part have a best move in common (a decision tree: Breiman, Friedman, Olshen, Stone, "Classification and Regression
//! Trees", 1984). Where several moves are best, any of them serves.
//! Invariant: the move of a rule is a best one in each position that the rule is about; for a winner, in a game in which
//! no position comes back, it may also be one that wins later.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::id::Id;
use bouton_rules::{FieldId, PHASE, Rules, Value};
use bouton_search::game::{Game, State, ToMove};
use bouton_search::solve::ValueKind;
use bouton_search::solve::solved_graph::SolvedGraph;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::mixed::cell_name;

/// The maximal number of positions that are looked at.
const MAX_POSITIONS: usize = 20_000;
/// The maximal number of cells of positions that are divided by tests.
const MAX_CELLS: usize = 1_000_000;
/// The maximal number of rules for a game of chance: more are no help to a person.
const MAX_RULES: usize = 12;
/// The maximal number of rules for the winner of another game, for whom there are often better words.
const MAX_RULES_OF_WINNER: usize = 6;

/// The move of a rule about positions in which all moves are best.
const ANY_MOVE: &str = "any move";

/// Rules that give a player a best move, or one that wins, in each position that such moves of his reach, with any moves
/// of the other.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    pub player: String,
    /// The number of these positions in which he has a choice.
    pub positions: usize,
    /// True if the rules are about these positions alone, and not about those with one legal move.
    pub only_choices: bool,
    pub rules: Vec<PolicyRule>,
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
        lines
    }
}

/// A best move in some positions.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct PolicyRule {
    /// The conditions on the position, all of which hold; empty if there are none.
    pub when: Vec<String>,
    /// The move as written; `any move` if all are best.
    #[serde(rename = "move")]
    pub made: String,
}

impl PolicyRule {
    /// The rule in words: `with die >= 5: stop`.
    pub fn words(&self) -> String {
        match self.when.is_empty() {
            true if self.made == ANY_MOVE => self.made.clone(),
            true => format!("{} always", self.made),
            false => format!("with {}: {}", self.when.join(", "), self.made),
        }
    }
}

/// A position in which the player moves.
struct Decision {
    cells: Vec<Value>,
    has_choice: bool,
    best: BTreeSet<String>,
    /// True if all moves are best.
    all_best: bool,
}

/// A cell of a field.
type FieldCell = (FieldId, usize);

/// A condition on a cell.
#[derive(Clone, PartialEq)]
enum Test {
    /// The value is at most this number.
    AtMost(i64),
    Equals(Value),
}

impl Test {
    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Test::AtMost(most), Value::Int(value)) => value <= most,
            (Test::Equals(wanted), value) => wanted == value,
            (Test::AtMost(_), _) => false,
        }
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
    let found = |kept: KeptMoves| {
        let decisions = decisions(game, start, table, &cells, PlayerMoves { player, kept })?;
        policy_of(game, &cells, &decisions, PlayerRules { player, most })
    };
    let fastest = found(KeptMoves::Best);
    // Without cycles, the moves that win later win as well.
    let has_chance = rules.moves.iter().any(|of| of.chance);
    let any = if has_chance || table.has_cycles() { None } else { found(KeptMoves::SameValue) };
    match (fastest, any) {
        (Some(fastest), Some(any)) if any.rules.len() < fastest.rules.len() => Some(any),
        (fastest, any) => fastest.or(any),
    }
}

/// The player who gets rules, and the maximal number of them.
#[derive(Clone, Copy)]
struct PlayerRules {
    player: u32,
    most: usize,
}

/// Returns at most that many rules for these positions; `None` if nothing is to be chosen, or if so few do not suffice.
fn policy_of(game: &Game, cells: &[FieldCell], decisions: &[Decision], of: PlayerRules) -> Option<Policy> {
    let PlayerRules { player, most } = of;
    let choices: Vec<&Decision> = decisions.iter().filter(|of| of.has_choice).collect();
    let rules_of = |positions: &[&Decision]| {
        let values = |cell: usize| positions.iter().map(|of| &of.cells[cell]).collect();
        let told = Tree { game, cells, values: (0..cells.len()).map(values).collect(), most };
        let mut rules = Vec::new();
        told.divide(positions, &mut Vec::new(), &mut rules).map(|()| rules)
    };
    let (all, only) = (rules_of(&decisions.iter().collect::<Vec<_>>()), rules_of(&choices)?);
    // Rules that say which move is the only legal one tell nothing.
    let (rules, only_choices) = match all.filter(|all| all.len() <= only.len()) {
        Some(all) => (all, false),
        None => (only, true),
    };
    let player = game.rules.players()[player as usize].clone();
    let found = Policy { player, positions: choices.len(), only_choices, rules };
    (!choices.is_empty()).then_some(found)
}

/// The kinds of moves from which rules choose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptMoves {
    /// The best ones: of those that win, the fastest.
    Best,
    /// All that keep the value of the position.
    SameValue,
}

/// The moves of a player from which rules choose.
#[derive(Clone, Copy)]
struct PlayerMoves {
    player: u32,
    kept: KeptMoves,
}

/// Returns these moves as written; empty if they are not known.
fn kept_moves(state: &State, table: &SolvedGraph, kept: KeptMoves) -> BTreeSet<String> {
    match kept {
        KeptMoves::Best => table.best_moves(state).into_iter().map(|made| made.written).collect(),
        KeptMoves::SameValue => {
            let worth = table.value(state).map(|value| value.payoffs);
            let moves = table.moves(state).into_iter();
            let same =
                moves.filter(|of| worth.is_some() && of.value.as_ref().map(|v| &v.payoffs) == worth.as_ref());
            same.map(|of| of.made.written).collect()
        }
    }
}

/// The positions in which a player moves that play reaches while he makes such moves.
fn decisions(
    game: &Game,
    start: &State,
    table: &SolvedGraph,
    cells: &[FieldCell],
    of: PlayerMoves,
) -> Option<Vec<Decision>> {
    let PlayerMoves { player, kept } = of;
    let mut found: Vec<Decision> = Vec::new();
    let (mut seen, mut open) = (FxHashSet::from_iter([start.clone()]), vec![start.clone()]);
    while let Some(state) = open.pop() {
        if seen.len() > MAX_POSITIONS || found.len() * cells.len() > MAX_CELLS {
            return None;
        }
        let (turn, successors) = game.machine.expand(&state).ok()?;
        let best: Option<BTreeSet<String>> = match turn {
            ToMove::Terminal(_) => continue,
            ToMove::Simultaneous => return None,
            ToMove::Player(mover) if mover == player && !successors.is_empty() => {
                let best = kept_moves(&state, table, kept);
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
            if !best.as_ref().is_none_or(is_best) {
                all_best = false;
            } else if seen.insert(next.state.clone()) {
                open.push(next.state);
            }
        }
        if let Some(best) = best {
            let read = |&(field, cell): &FieldCell| game.machine.read(&state, field, cell);
            found.push(Decision { cells: cells.iter().map(read).collect(), has_choice, best, all_best });
        }
    }
    Some(found)
}

/// A division of positions by their cells.
struct Tree<'a> {
    game: &'a Game,
    cells: &'a [FieldCell],
    /// The values that each cell has in some of all positions.
    values: Vec<BTreeSet<&'a Value>>,
    /// The maximal number of rules.
    most: usize,
}

impl Tree<'_> {
    /// Adds rules for these positions, on which these tests hold or fail; `None` if there are too many rules.
    fn divide(
        &self,
        here: &[&Decision],
        path: &mut Vec<(usize, Test, bool)>,
        rules: &mut Vec<PolicyRule>,
    ) -> Option<()> {
        let Some(first) = here.first() else { return Some(()) };
        let common = match here.iter().all(|of| of.all_best) {
            true => Some(ANY_MOVE),
            false => {
                let mut best = first.best.iter().map(String::as_str);
                best.find(|made| here.iter().all(|of| of.best.contains(*made)))
            }
        };
        if let Some(made) = common {
            rules.push(PolicyRule { when: self.conditions(path), made: made.to_owned() });
            return (rules.len() <= self.most).then_some(());
        }
        let (cell, test) = self.best_test(here)?;
        let (those, others): (Vec<&Decision>, Vec<&Decision>) =
            here.iter().copied().partition(|of| test.holds(&of.cells[cell]));
        for (part, holds) in [(those, true), (others, false)] {
            path.push((cell, test.clone(), holds));
            self.divide(&part, path, rules)?;
            path.pop();
        }
        Some(())
    }

    /// The test after which the fewest positions lack the most common best move of their part; of these the first.
    fn best_test(&self, here: &[&Decision]) -> Option<(usize, Test)> {
        let mut best: Option<(usize, usize, Test)> = None;
        for cell in 0..self.cells.len() {
            let values: BTreeSet<&Value> = here.iter().map(|of| &of.cells[cell]).collect();
            let last = values.last().copied();
            // A phase is no number, and `none` is on no side of a bound: it is split off first.
            let is_phase = self.cells[cell].0 == PHASE;
            let are_numbers = values.iter().all(|value| matches!(value, Value::Int(_)));
            for &value in values.iter().filter(|_| values.len() > 1) {
                let test = match value {
                    Value::Int(_) if is_phase => Test::Equals(value.clone()),
                    Value::Int(_) if !are_numbers || Some(value) == last => continue,
                    Value::Int(most) => Test::AtMost(*most),
                    _ => Test::Equals(value.clone()),
                };
                let wrong = [true, false].map(|holds| {
                    let part = here.iter().filter(|of| test.holds(&of.cells[cell]) == holds);
                    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
                    let mut size = 0;
                    for of in part {
                        size += 1;
                        of.best.iter().for_each(|made| *counts.entry(made).or_default() += 1);
                    }
                    size - counts.values().max().copied().unwrap_or(0)
                });
                let wrong = wrong[0] + wrong[1];
                if best.as_ref().is_none_or(|(least, ..)| wrong < *least) {
                    best = Some((wrong, cell, test));
                }
            }
        }
        best.map(|(_, cell, test)| (cell, test))
    }

    /// The conditions that tests hold or fail, one for each cell.
    fn conditions(&self, path: &[(usize, Test, bool)]) -> Vec<String> {
        let cells: BTreeSet<usize> = path.iter().map(|(cell, ..)| *cell).collect();
        cells.into_iter().map(|cell| self.condition(cell, path)).collect()
    }

    fn condition(&self, cell: usize, path: &[(usize, Test, bool)]) -> String {
        let rules = &self.game.rules;
        let (field, key) = self.cells[cell];
        let name = cell_name(rules, &rules.fields[field], key);
        let (mut least, mut most) = (None, None);
        let (mut equal, mut others) = (None, Vec::new());
        for (_, test, holds) in path.iter().filter(|(of, ..)| *of == cell) {
            match (test, holds) {
                (Test::AtMost(number), true) => {
                    most = Some(most.map_or(*number, |known: i64| known.min(*number)))
                }
                (Test::AtMost(number), false) => {
                    least = Some(least.map_or(*number + 1, |known: i64| known.max(*number + 1)));
                }
                (Test::Equals(value), true) => equal = Some(shown(rules, field, value)),
                (Test::Equals(value), false) => others.push(shown(rules, field, value)),
            }
        }
        // The bounds as far as values reach.
        let number = |value: Option<&&Value>| value.and_then(|value| value.as_int());
        let (first, last) = (number(self.values[cell].first()), number(self.values[cell].last()));
        match (least, most, equal) {
            (_, _, Some(value)) => format!("{name} = {value}"),
            (Some(least), most, _) if most.or(last) == Some(least) => format!("{name} = {least}"),
            (None, Some(most), _) if first == Some(most) => format!("{name} = {most}"),
            (Some(least), Some(most), _) => format!("{name} from {least} to {most}"),
            (Some(least), None, _) => format!("{name} >= {least}"),
            (None, Some(most), _) => format!("{name} <= {most}"),
            (None, None, None) => {
                let left = self.values[cell].iter().map(|value| shown(rules, field, value));
                let left: Vec<String> = left.filter(|value| !others.contains(value)).collect();
                match &left[..] {
                    [only] => format!("{name} = {only}"),
                    _ => {
                        let others = others.iter().map(|value| format!("{name} != {value}"));
                        others.collect::<Vec<_>>().join(", ")
                    }
                }
            }
        }
    }
}

/// The value of a field in words: a phase by its name.
fn shown(rules: &Rules, field: FieldId, value: &Value) -> String {
    let phase = value.as_int().filter(|_| field == PHASE).and_then(|phase| usize::try_from(phase).ok());
    phase
        .and_then(|phase| rules.phases.as_slice().get(phase))
        .map_or_else(|| rules.show(value), |phase| phase.name.clone())
}
