//! The best moves of a player as a few rules on the position: of a lone player against chance, of both players of a game
//! of chance, and of the winner of another game.
//!
//! Technique: the positions that play by best moves reaches are divided by one cell after the other, so that those of a
//! part have a best move in common (a decision tree: Breiman, Friedman, Olshen, Stone, "Classification and Regression
//! Trees", 1984). Where several moves are best, any of them serves.
//! Invariant: the move of a rule is a best one in each position that the rule is about; for a winner, in a game in which
//! no position comes back, it may also be one that wins later. Rules that fail after other moves of the player say so.

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
/// The maximal number of best moves that are counted for the rules of a player.
const MAX_STEPS: usize = 20_000_000;
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

/// The positions in which a player moves, with the values of their cells and his moves by number.
struct Decisions {
    /// For each cell its values in some of the positions, in order.
    values: Vec<Vec<Value>>,
    /// The moves as written, in order.
    moves: Vec<String>,
    positions: Vec<Decision>,
}

impl Decisions {
    /// Numbers the values of the cells of positions, and their moves.
    fn of(cells: usize, found: Vec<(Vec<Value>, BTreeSet<String>, Decision)>) -> Decisions {
        let in_order = |values: BTreeSet<Value>| values.into_iter().collect::<Vec<_>>();
        let values: Vec<Vec<Value>> = (0..cells)
            .map(|cell| in_order(found.iter().map(|(values, ..)| values[cell].clone()).collect()))
            .collect();
        let moves: BTreeSet<&String> = found.iter().flat_map(|(_, best, _)| best).collect();
        let moves: Vec<String> = moves.into_iter().cloned().collect();
        let numbered = |(own, best, decision): (Vec<Value>, BTreeSet<String>, Decision)| {
            let cells =
                own.iter().zip(&values).filter_map(|(value, all)| all.binary_search(value).ok()).collect();
            let best = best.iter().filter_map(|made| moves.binary_search(made).ok()).collect();
            Decision { cells, best, ..decision }
        };
        let positions = found.into_iter().map(numbered).collect();
        Decisions { values, moves, positions }
    }
}

/// A position in which the player moves.
#[derive(Clone)]
struct Decision {
    /// The number of the value of each cell.
    cells: Vec<usize>,
    has_choice: bool,
    /// The numbers of the best moves, in order.
    best: Vec<usize>,
    /// True if all moves are best.
    all_best: bool,
}

/// A cell of a field.
pub(super) type FieldCell = (FieldId, usize);

/// A condition on a cell: its value by number.
#[derive(Clone, Copy, PartialEq)]
enum Test {
    AtMost(usize),
    Equals(usize),
}

impl Test {
    fn holds(self, value: usize) -> bool {
        match self {
            Test::AtMost(most) => value <= most,
            Test::Equals(wanted) => value == wanted,
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

/// Returns at most that many rules that divide positions, given by the values of these cells, so that those of a part have
/// the same words; `None` if so few do not suffice.
pub(super) fn rules_of_words(
    game: &Game,
    cells: &[FieldCell],
    positions: Vec<(Vec<Value>, String)>,
    most: usize,
) -> Option<Vec<PolicyRule>> {
    let decision = Decision { cells: Vec::new(), has_choice: true, best: Vec::new(), all_best: false };
    let found =
        positions.into_iter().map(|(values, words)| (values, BTreeSet::from([words]), decision.clone()));
    let decisions = Decisions::of(cells.len(), found.collect());
    let all: Vec<&Decision> = decisions.positions.iter().collect();
    divided(game, cells, &decisions, &all, most)
}

/// Returns at most that many rules for these positions; `None` if so few do not suffice.
fn divided(
    game: &Game,
    cells: &[FieldCell],
    decisions: &Decisions,
    positions: &[&Decision],
    most: usize,
) -> Option<Vec<PolicyRule>> {
    let values = |cell: usize| positions.iter().map(|of| of.cells[cell]).collect();
    let values = (0..cells.len()).map(values).collect();
    let mut told = Tree { game, cells, decisions, values, most, steps: 0, rules: Vec::new() };
    told.divide(positions, &mut Vec::new())?;
    Some(told.rules)
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
            let decision = Decision { cells: Vec::new(), has_choice, best: Vec::new(), all_best };
            found.push((cells.iter().map(read).collect(), best, decision));
        }
    }
    Some(Decisions::of(cells.len(), found))
}

/// A division of positions by their cells.
struct Tree<'a> {
    game: &'a Game,
    cells: &'a [FieldCell],
    decisions: &'a Decisions,
    /// The values that each cell has in some of all positions.
    values: Vec<BTreeSet<usize>>,
    /// The maximal number of rules.
    most: usize,
    /// The number of best moves that were counted.
    steps: usize,
    rules: Vec<PolicyRule>,
}

/// Positions counted by their best moves.
#[derive(Clone)]
struct MoveCounts {
    positions: usize,
    by_move: Vec<usize>,
}

impl MoveCounts {
    fn new(moves: usize) -> MoveCounts {
        MoveCounts { positions: 0, by_move: vec![0; moves] }
    }

    fn add(&mut self, of: &MoveCounts) {
        self.positions += of.positions;
        self.by_move.iter_mut().zip(&of.by_move).for_each(|(sum, count)| *sum += count);
    }

    /// Returns the number of positions in this part that lack its most common best move, and of those in the rest of all
    /// that lack the most common one of the rest.
    fn lacking(&self, all: &MoveCounts) -> usize {
        let rest = self.by_move.iter().zip(&all.by_move).map(|(part, all)| all - part);
        let most = |counts: Option<usize>| counts.unwrap_or(0);
        all.positions - most(self.by_move.iter().copied().max()) - most(rest.max())
    }
}

impl Tree<'_> {
    /// Adds rules for these positions, on which these tests hold or fail; `None` if there are too many rules.
    fn divide(&mut self, here: &[&Decision], path: &mut Vec<(usize, Test, bool)>) -> Option<()> {
        let Some(first) = here.first() else { return Some(()) };
        let moves = &self.decisions.moves;
        let common = match here.iter().all(|of| of.all_best) {
            true => Some(ANY_MOVE),
            false => {
                let is_common = |made: &&usize| here.iter().all(|of| of.best.binary_search(made).is_ok());
                first.best.iter().find(is_common).map(|&made| &moves[made][..])
            }
        };
        if let Some(made) = common {
            self.rules.push(PolicyRule { when: self.conditions(path), made: made.to_owned() });
            return (self.rules.len() <= self.most).then_some(());
        }
        // Each test on the path has positions on both sides, and these need a rule each.
        if path.len() >= self.most {
            return None;
        }
        let (cell, test) = self.best_test(here)?;
        let (those, others): (Vec<&Decision>, Vec<&Decision>) =
            here.iter().copied().partition(|of| test.holds(of.cells[cell]));
        for (part, holds) in [(those, true), (others, false)] {
            path.push((cell, test, holds));
            self.divide(&part, path)?;
            path.pop();
        }
        Some(())
    }

    /// The test after which the fewest positions lack the most common best move of their part; of these the first. `None`
    /// if there is none, or if the count takes too long.
    fn best_test(&mut self, here: &[&Decision]) -> Option<(usize, Test)> {
        let moves = self.decisions.moves.len();
        let mut best: Option<(usize, usize, Test)> = None;
        for cell in 0..self.cells.len() {
            let mut by_value: BTreeMap<usize, MoveCounts> = BTreeMap::new();
            let mut all = MoveCounts::new(moves);
            for of in here {
                for counts in
                    [by_value.entry(of.cells[cell]).or_insert_with(|| MoveCounts::new(moves)), &mut all]
                {
                    counts.positions += 1;
                    of.best.iter().for_each(|&made| counts.by_move[made] += 1);
                }
                self.steps += 1 + of.best.len();
            }
            self.steps += by_value.len() * moves;
            if self.steps > MAX_STEPS {
                return None;
            }
            if by_value.len() < 2 {
                continue;
            }
            let is_number = |value: &usize| matches!(self.decisions.values[cell][*value], Value::Int(_));
            let last = by_value.keys().last().copied();
            // A phase is no number, and `none` is on no side of a bound: it is split off first.
            let is_phase = self.cells[cell].0 == PHASE;
            let are_numbers = by_value.keys().all(is_number);
            let mut until = MoveCounts::new(moves);
            for (&value, counts) in &by_value {
                until.add(counts);
                let (test, part) = match is_number(&value) && !is_phase {
                    true if !are_numbers || Some(value) == last => continue,
                    true => (Test::AtMost(value), &until),
                    false => (Test::Equals(value), counts),
                };
                let lacking = part.lacking(&all);
                if best.as_ref().is_none_or(|(least, ..)| lacking < *least) {
                    best = Some((lacking, cell, test));
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
        let of = &self.decisions.values[cell];
        let number = |value: usize| of[value].as_int().unwrap_or_default();
        let (mut least, mut most) = (None, None);
        let (mut equal, mut others) = (None, Vec::new());
        for (_, test, holds) in path.iter().filter(|(of, ..)| *of == cell) {
            match (*test, holds) {
                (Test::AtMost(value), true) => {
                    let number = number(value);
                    most = Some(most.map_or(number, |known: i64| known.min(number)));
                }
                (Test::AtMost(value), false) => {
                    let above = number(value) + 1;
                    least = Some(least.map_or(above, |known: i64| known.max(above)));
                }
                (Test::Equals(value), true) => equal = Some(shown(rules, field, &of[value])),
                (Test::Equals(value), false) => others.push(shown(rules, field, &of[value])),
            }
        }
        // The bounds as far as values reach.
        let end = |value: Option<&usize>| value.and_then(|&value| of[value].as_int());
        let (first, last) = (end(self.values[cell].first()), end(self.values[cell].last()));
        match (least, most, equal) {
            (_, _, Some(value)) => format!("{name} = {value}"),
            (Some(least), most, _) if most.or(last) == Some(least) => format!("{name} = {least}"),
            (None, Some(most), _) if first == Some(most) => format!("{name} = {most}"),
            (Some(least), Some(most), _) => format!("{name} from {least} to {most}"),
            (Some(least), None, _) => format!("{name} >= {least}"),
            (None, Some(most), _) => format!("{name} <= {most}"),
            (None, None, None) => {
                let left = self.values[cell].iter().map(|&value| shown(rules, field, &of[value]));
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
