//! Mixed strategies and simultaneous choices in words: the matrix with best responses marked, equilibria, and the
//! odds of each choice.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher;

use num_rational::BigRational;
use rustc_hash::FxBuildHasher;
use serde_json::{Map, Value as Json, json};

use super::decision_tree::{FieldCell, PolicyRule, rules_of_words};
use super::page::PayoffMatrix;
use super::words::truncated_list;
use bouton_base::id::Id;
use bouton_base::words::count_with_noun;
use bouton_rules::{FieldId, PHASE, Rules, Value, Visibility, keys_of};
use bouton_search::game::{Game, State};
use bouton_search::solve::Solution;
use bouton_search::solve::mixed::bimatrix::{Dominated, Equilibria};
use bouton_search::solve::mixed::play::{ChoiceMatrix, MixedChoice, MixedPlay, StrategyProfile, with_odds};

/// The maximal number of lines for the choices of each player in a result and in a report.
const MAX_LINES: usize = 12;
pub const MAX_REPORT_LINES: usize = 120;
/// The maximal number of information sets of a player that are compared, so that sets that look alike are one line.
const MAX_COMPARED_SETS: usize = 1000;
/// The maximal number of information sets of a player in data.
const MAX_DATA_SETS: usize = 10_000;
/// The maximal number of dominated choices and of efficient pairs to list.
const MAX_LISTED_CHOICES: usize = 12;
/// The maximal number of equilibria to list.
const MAX_LISTED_EQUILIBRIA: usize = 8;
/// The maximal number of cells of a view.
const MAX_SHOWN_CELLS: usize = 12;
/// The maximal number of positions of which each is compared with all others.
const MAX_TOLD_APART: usize = 1000;

/// Describes the strategies of a solution and the equilibria of its first choice in lines, each with a heading of a word
/// or two.
pub fn lines(game: &Game, solution: &Solution) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    if let Some(matrix) = solution.mixed.as_ref().and_then(|play| play.matrix.as_ref()) {
        lines.extend(matrix_lines(&game.rules, matrix));
    }
    if let Some(profile) = solution.profile() {
        lines.extend(strategy_lines(game, profile, MAX_LINES));
    }
    lines
}

/// Describes the odds of each player's choices, as far as play by them can reach, whatever the other does; the first
/// line of a player has the name as its heading. Of more than `most` lines, the last one counts the rest.
pub fn strategy_lines(game: &Game, play: &dyn StrategyProfile, most: usize) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (player, name) in game.rules.players().iter().enumerate().take(play.players()) {
        if play.beaten() == Some(player) {
            lines.push((name.clone(), "loses whatever happens".into()));
            continue;
        }
        let described = merged_choices(game, play, player);
        let described = match described.len() > MAX_LINES {
            true => rules(game, play, player).unwrap_or(described),
            false => described,
        };
        for (place, words) in described.iter().take(most).enumerate() {
            let head = if place == 0 { name.clone() } else { String::new() };
            lines.push((head, words.clone()));
        }
        if let Some(rest @ 1..) = described.len().checked_sub(most) {
            // Of very many information sets only the first ones are compared.
            let at_least = if described.len() < MAX_COMPARED_SETS { "" } else { "at least " };
            let rest = count_with_noun(rest as u64, "more line", "more lines");
            lines.push((String::new(), format!("and {at_least}{rest} (`--json` lists all)")));
        }
    }
    lines
}

/// Describes the equilibria of the first choice, a line each; empty if they were not computed.
pub fn equilibria(play: &MixedPlay) -> Vec<String> {
    let Some((matrix, found)) = play.matrix.as_ref().and_then(|of| Some((of, of.equilibria.as_ref()?)))
    else {
        return Vec::new();
    };
    let [rows, columns] = names(matrix);
    equilibrium_lines(found, &rows, &columns).into_iter().map(|(_, words)| words).collect()
}

/// The written choices of both players.
fn names(matrix: &ChoiceMatrix) -> [Vec<&str>; 2] {
    matrix.choices.each_ref().map(|all| all.iter().map(|made| &made.written[..]).collect())
}

/// Describes the choices of a player by a few rules on what he sees; `None` if a few do not suffice.
fn rules(game: &Game, play: &dyn StrategyProfile, player: usize) -> Option<Vec<String>> {
    let choices = play.described(game, player, MAX_COMPARED_SETS);
    if choices.len() >= MAX_COMPARED_SETS {
        return None;
    }
    let mut cells: Vec<FieldCell> = vec![(PHASE, 0)];
    let seen = |choice: &MixedChoice| seen_cells(game, &choice.example, player as u32);
    cells.extend(seen(choices.first()?).into_iter().map(|cell| (cell.field, cell.cell)));
    let position = |choice: &MixedChoice| {
        let phase = game.machine.read(&choice.example, PHASE, 0);
        let values = [phase].into_iter().chain(seen(choice).into_iter().map(|cell| cell.value));
        (values.collect(), choice_words(choice))
    };
    let told = rules_of_words(game, &cells, choices.iter().map(position).collect(), MAX_LINES)?;
    let line = |rule: PolicyRule| match rule.when.is_empty() {
        true => rule.made,
        false => format!("with {}: {}", rule.when.join(", "), rule.made),
    };
    Some(told.into_iter().map(line).collect())
}

/// Describes the odds of a choice; in one word for all choices if they are made alike.
fn choice_words(choice: &MixedChoice) -> String {
    let mut shares = choice.actions.iter().map(|(_, share)| share);
    let first = shares.next();
    let is_even = choice.actions.len() > 1 && shares.all(|share| Some(share) == first);
    if is_even && choice.actions.len() == choice.legal {
        return "each choice with the same odds".into();
    }
    choice_odds(choice)
}

/// Describes the choices of a player, a line each. Information sets that the player sees in the same way are one line
/// if his choice is the same in all of them, and are otherwise told apart by the play that he saw.
fn merged_choices(game: &Game, play: &dyn StrategyProfile, player: usize) -> Vec<String> {
    let mut choices = play.described(game, player, MAX_COMPARED_SETS);
    // Those of a ply in the order of what the player sees: a jack before a queen.
    choices.sort_by_cached_key(|choice| {
        let seen = seen_cells(game, &choice.example, player as u32);
        (play.ply(choice.node), seen.into_iter().map(|cell| cell.value).collect::<Vec<_>>())
    });
    let odds: Vec<String> = choices.iter().map(choice_odds).collect();
    // One choice everywhere needs no conditions.
    if let Some(first) = odds.first().filter(|first| odds.iter().all(|of| of == *first)) {
        return vec![first.clone()];
    }
    let views = Views::of(game, play, player, &choices);
    let mut lines = Vec::new();
    for (place, odds_here) in odds.iter().enumerate() {
        let same = &views.group(place).places;
        let uniform = same.iter().all(|&other| odds[other] == *odds_here);
        if uniform && same[0] != place {
            continue;
        }
        let view = &views.views[place];
        let seen = if uniform { view.clone() } else { views.seen(place) };
        let with = if view.is_empty() { "" } else { "with " };
        lines.push(if seen.is_empty() { odds_here.clone() } else { format!("{with}{seen}: {odds_here}") });
    }
    lines
}

/// Describes the odds of a choice: `bet one time in three, check two times in three`.
fn choice_odds(choice: &MixedChoice) -> String {
    let plays = with_odds(choice.actions.iter().map(|(made, share)| (made.written.as_str(), share)));
    truncated_list(&plays, MAX_LISTED_CHOICES)
}

/// The parts of a play that a history tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HistoryDetail {
    /// The moves that the player saw.
    Moves,
    /// Changes of his view besides.
    Views,
    /// The makers of the moves besides.
    Makers,
    /// The number of each ply besides.
    Plies,
}

/// The information sets of a player as he sees them.
struct Views<'a> {
    game: &'a Game,
    play: &'a dyn StrategyProfile,
    player: u32,
    choices: &'a [MixedChoice],
    /// The view of each set.
    views: Vec<String>,
    groups: HashMap<String, ViewGroup>,
    /// The origins of the nodes, if two sets have the same view.
    origins: Vec<(u32, u32)>,
}

/// The information sets that have the same view.
#[derive(Default)]
struct ViewGroup {
    /// The sets in order.
    places: Vec<usize>,
    /// For each of them the play that the player saw.
    histories: OnceCell<Vec<String>>,
}

impl<'a> Views<'a> {
    fn of(
        game: &'a Game,
        play: &'a dyn StrategyProfile,
        player: usize,
        choices: &'a [MixedChoice],
    ) -> Views<'a> {
        let player = player as u32;
        let ply = |choice: &MixedChoice| play.ply(choice.node);
        let states: Vec<(usize, &State)> =
            choices.iter().map(|choice| (ply(choice), &choice.example)).collect();
        let views = views(game, &states, player);
        let mut groups: HashMap<String, ViewGroup> = HashMap::new();
        for (place, view) in views.iter().enumerate() {
            groups.entry(view.clone()).or_default().places.push(place);
        }
        let origins = if groups.len() < views.len() { play.origins(player as usize) } else { Vec::new() };
        Views { game, play, player, choices, views, groups, origins }
    }

    /// Returns the group of a set.
    fn group(&self, place: usize) -> &ViewGroup {
        &self.groups[&self.views[place]]
    }

    /// Describes a set by its view, and by the play that the player saw if other sets have the same view.
    fn seen(&self, place: usize) -> String {
        let (view, group) = (&self.views[place], self.group(place));
        if group.places.len() == 1 {
            return view.clone();
        }
        let histories = group.histories.get_or_init(|| self.histories(&group.places));
        let own = group.places.binary_search(&place).map_or("", |at| &histories[at]);
        let parts = [view, own].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Describes the play that the player saw before each of some sets: by moves alone where these differ; where he saw
    /// the same, also with the phase, with the number of plies, and with those before each step.
    fn histories(&self, places: &[usize]) -> Vec<String> {
        let all = |detail| places.iter().map(move |&place| self.history(place, detail)).collect::<Vec<_>>();
        let differ = |told: &[String]| told.iter().collect::<HashSet<_>>().len() == told.len();
        let moves = all(HistoryDetail::Moves);
        if differ(&moves) {
            return moves;
        }
        let mut told = all(HistoryDetail::Views);
        if !differ(&told) {
            let with_makers = all(HistoryDetail::Makers);
            let count = |told: &[String]| told.iter().collect::<HashSet<_>>().len();
            told = if count(&with_makers) > count(&told) { with_makers } else { told };
        }
        if differ(&told) {
            return told;
        }
        let add = |told: &mut [String], words: &dyn Fn(&MixedChoice) -> String| {
            let more: Vec<String> = places.iter().map(|&place| words(&self.choices[place])).collect();
            if more.iter().any(|words| *words != more[0]) {
                for (told, words) in told.iter_mut().zip(more) {
                    let comma = if told.is_empty() { "" } else { ", " };
                    *told = format!("{told}{comma}{words}");
                }
            }
        };
        add(&mut told, &|choice| {
            let phase = self.game.machine.read(&choice.example, PHASE, 0).as_int();
            let of = phase.and_then(|phase| self.game.rules.phases.iter().nth(usize::try_from(phase).ok()?));
            of.map_or(String::new(), |phase| format!("in the phase {}", phase.name))
        });
        if !differ(&told) {
            add(&mut told, &|choice| {
                let before = self.play.ply(choice.node) - 1;
                format!("after {before} {}", if before == 1 { "ply" } else { "plies" })
            });
        }
        if differ(&told) { told } else { all(HistoryDetail::Plies) }
    }

    /// Describes the play that the player saw before a set: `after c1, e1`, and with the changes of his view
    /// `after c1 (shots = { c1 }), e1`.
    fn history(&self, place: usize, detail: HistoryDetail) -> String {
        let node = self.choices[place].node;
        let mut last = String::new();
        let mut told = Vec::new();
        for (ply, seen) in (1..).zip(self.play.seen_play(self.game, self.player, node, &self.origins)) {
            let names = self.game.rules.players();
            let written =
                |(who, words): &(Option<u32>, String)| match who.and_then(|who| names.get(who as usize)) {
                    Some(name) if detail >= HistoryDetail::Makers => format!("{name}: {words}"),
                    _ => words.clone(),
                };
            let moves: Vec<String> = seen.parts.iter().map(written).collect();
            let state = seen.after;
            let mut step = moves.join(", ");
            if detail != HistoryDetail::Moves {
                let view = view(self.game, &state, self.player);
                let changed = Some(view.clone()).filter(|view| *view != last);
                let seen: Vec<String> =
                    changed.into_iter().chain(shown(self.game, &state, self.player)).collect();
                if !seen.is_empty() {
                    step = format!("{step} ({})", seen.join("; ")).trim_start().to_owned();
                }
                last = view;
            }
            if detail == HistoryDetail::Plies && !step.is_empty() {
                step = format!("{step} in ply {ply}");
            }
            told.extend(Some(step).filter(|step| !step.is_empty()));
        }
        if told.is_empty() { String::new() } else { format!("after {}", told.join(", ")) }
    }
}

/// The values that the `sees` of the rules show a player in a position, in words.
fn shown(game: &Game, state: &State, player: u32) -> Vec<String> {
    let Ok(Value::Tuple(observed)) = game.machine.observation(state, player) else { return Vec::new() };
    let by_sees = observed.parts.len().saturating_sub(game.rules.sees.len());
    let values = observed.parts[by_sees..].iter().filter_map(|part| match part {
        Value::Tuple(value) => value.parts.first(),
        _ => None,
    });
    values.map(|value| format!("shown {}", game.rules.show(value))).collect()
}

/// A cell of a field, and its value as a player sees it.
struct SeenCell {
    field: FieldId,
    cell: usize,
    /// True if other players may not see the cell.
    is_private: bool,
    /// True if it is as at the beginning.
    is_first: bool,
    value: Value,
    words: String,
    /// A hash of the cell with its value.
    hash: u64,
}

/// Returns the cells that a player sees in a position.
fn seen_cells(game: &Game, state: &State, player: u32) -> Vec<SeenCell> {
    let rules = &game.rules;
    let mut seen = Vec::new();
    // The first two fields are the mover and the phase, which the choice implies.
    for (id, field) in rules.fields.entries().filter(|(id, _)| id.index() >= 2) {
        for cell in 0..field.cells() {
            let is_visible = match &field.visibility {
                Visibility::Public => true,
                Visibility::Hidden => false,
                Visibility::To(players) => players.get(cell).is_some_and(|to| to.contains(&player)),
            };
            if !is_visible {
                continue;
            }
            let value = game.machine.read(state, id, cell);
            let words = format!("{} = {}", cell_name(rules, field, cell), rules.show(&value));
            seen.push(SeenCell {
                field: id,
                cell,
                is_private: field.visibility != Visibility::Public,
                is_first: field.init.get(cell) == Some(&value),
                hash: FxBuildHasher.hash_one(&words),
                words,
                value,
            });
        }
    }
    seen
}

/// Describes a position as a player sees it, by the cells that are not as at the beginning.
fn view(game: &Game, state: &State, player: u32) -> String {
    let seen = seen_cells(game, state, player).into_iter().filter(|seen| !seen.is_first);
    truncated_list(&seen.map(|seen| seen.words).collect::<Vec<_>>(), MAX_SHOWN_CELLS)
}

/// Describes positions after some plies as a player sees them. A cell that is as at the beginning is named where that tells
/// positions apart: where they differ in what this player alone sees, such as a card; where positions after equally many
/// plies differ in a cell that is not empty here, such as the square of a piece, or in this cell alone.
fn views(game: &Game, states: &[(usize, &State)], player: u32) -> Vec<String> {
    let seen: Vec<(usize, Vec<SeenCell>)> =
        states.iter().map(|&(ply, state)| (ply, seen_cells(game, state, player))).collect();
    let public = |cells: &[SeenCell]| -> Vec<String> {
        let changed = cells.iter().filter(|cell| !cell.is_first && !cell.is_private);
        changed.map(|cell| cell.words.clone()).collect()
    };
    let mut told: HashMap<Vec<String>, HashSet<(FieldId, usize)>> = HashMap::new();
    let mut changed: HashMap<usize, HashSet<(FieldId, usize)>> = HashMap::new();
    let mut told_ever: HashSet<(FieldId, usize)> = HashSet::new();
    // The positions after equally many plies that differ from another one in one cell: by that cell and all others.
    let mut differing: HashMap<(usize, FieldId, usize, u64), HashSet<&str>> = HashMap::new();
    for (ply, cells) in &seen {
        let those = |is_private: bool| {
            let those = cells.iter().filter(move |cell| !cell.is_first && cell.is_private == is_private);
            those.map(|cell| (cell.field, cell.cell))
        };
        told.entry(public(cells)).or_default().extend(those(true));
        changed.entry(*ply).or_default().extend(those(false));
        told_ever.extend(those(true));
        let all = hash_of(cells);
        for cell in cells {
            let key = (*ply, cell.field, cell.cell, all.wrapping_sub(cell.hash));
            differing.entry(key).or_default().insert(&cell.words);
        }
    }
    let named = |(ply, cells): &(usize, Vec<SeenCell>)| -> BTreeSet<usize> {
        let (told, changed) = (&told[&public(cells)], &changed[ply]);
        let all = hash_of(cells);
        let is_named = |cell: &&SeenCell| {
            let place = (cell.field, cell.cell);
            let key = (*ply, cell.field, cell.cell, all.wrapping_sub(cell.hash));
            !cell.is_first
                || told.contains(&place)
                || !is_empty(&cell.value) && (changed.contains(&place) || told_ever.contains(&place))
                || differing[&key].len() > 1
        };
        (0..cells.len()).filter(|&place| is_named(&&cells[place])).collect()
    };
    let mut named: Vec<BTreeSet<usize>> = seen.iter().map(named).collect();
    let cells: Vec<&[SeenCell]> = seen.iter().map(|(_, cells)| &cells[..]).collect();
    tell_apart(&cells, &mut named);
    let words = |(cells, named): (&&[SeenCell], &BTreeSet<usize>)| {
        let named: Vec<String> = named.iter().map(|&place| cells[place].words.clone()).collect();
        truncated_list(&named, MAX_SHOWN_CELLS)
    };
    cells.iter().zip(&named).map(words).collect()
}

/// Names more cells of a position whose named cells are all named of another one as well, so that what is said of it does
/// not hold there.
fn tell_apart(cells: &[&[SeenCell]], named: &mut [BTreeSet<usize>]) {
    if cells.len() > MAX_TOLD_APART {
        return;
    }
    for one in 0..cells.len() {
        let mut more: BTreeSet<usize> = BTreeSet::new();
        for other in 0..cells.len() {
            let differs = |place: &usize| cells[one][*place].words != cells[other][*place].words;
            if named[one].len() < named[other].len()
                && named[one].is_subset(&named[other])
                && !named[one].iter().any(differs)
            {
                more.extend(named[other].iter().filter(|place| differs(place)));
            }
        }
        named[one].extend(more);
    }
}

/// The sum of the hashes of cells: that of all but one is the difference.
fn hash_of(cells: &[SeenCell]) -> u64 {
    cells.iter().fold(0, |sum, cell| sum.wrapping_add(cell.hash))
}

/// Returns true if a value is that of a cell with nothing in it.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::None | Value::Bool(false) => true,
        Value::Set(elements) => elements.is_empty(),
        _ => false,
    }
}

/// The name of a cell of a field, as in a text: `at[c1]`.
pub(super) fn cell_name(rules: &Rules, field: &bouton_rules::Field, cell: usize) -> String {
    if field.keys.is_empty() {
        return field.name.clone();
    }
    let keys: Vec<String> = keys_of(&field.keys, cell).iter().map(|key| rules.show(key)).collect();
    format!("{}[{}]", field.name, keys.join(", "))
}

fn matrix_lines(rules: &Rules, matrix: &ChoiceMatrix) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let [rows, columns] = names(matrix);
    if let Some(shown) = PayoffMatrix::of(rules.players(), matrix) {
        let head = |place: usize| if place == 0 { "matrix" } else { "" };
        lines.extend(
            shown.lines().into_iter().enumerate().map(|(place, line)| (head(place).to_owned(), line)),
        );
        lines.push((String::new(), "a star marks a best response".into()));
    }
    let choices = [&rows, &columns];
    if !matrix.dominated.is_empty() {
        let one = |of: &Dominated| {
            let player = of.player as usize;
            format!("{} of {}", choices[player][of.strategy], rules.players()[player])
        };
        let listed: Vec<String> = matrix.dominated.iter().map(one).collect();
        lines.push(("dominated".into(), truncated_list(&listed, MAX_LISTED_CHOICES)));
    }
    if matrix.mixtures.is_none() {
        let efficient: Vec<String> = matrix
            .game
            .pareto_efficient()
            .into_iter()
            .map(|(row, column)| format!("({}, {})", rows[row], columns[column]))
            .collect();
        lines.push(("efficient".into(), truncated_list(&efficient, MAX_LISTED_CHOICES)));
        let sure = rules.players().iter().zip(&matrix.security);
        let sure: Vec<String> = sure
            .filter_map(|(name, payoff)| Some(format!("{name} is sure of {}", payoff.as_ref()?)))
            .collect();
        if !sure.is_empty() {
            lines.push(("security".into(), sure.join(", ")));
        }
    }
    if let Some(found) = &matrix.equilibria {
        lines.extend(equilibrium_lines(found, &rows, &columns));
    }
    lines
}

fn equilibrium_lines(found: &Equilibria, rows: &[&str], columns: &[&str]) -> Vec<(String, String)> {
    let mixture = |names: &[&str], shares: &[BigRational]| {
        let made = names.iter().copied().zip(shares);
        with_odds(made.filter(|(_, share)| **share != BigRational::default())).join(", ")
    };
    let mut lines = Vec::new();
    for (place, of) in found.extreme.iter().take(MAX_LISTED_EQUILIBRIA).enumerate() {
        let head = match (place, found.extreme.len()) {
            (0, 1) => "equilibrium",
            (0, _) => "equilibria",
            _ => "",
        };
        let words = format!(
            "{} against {}: {}, {}",
            mixture(rows, &of.rows),
            mixture(columns, &of.columns),
            of.payoffs[0],
            of.payoffs[1]
        );
        lines.push((head.to_owned(), words));
    }
    if found.extreme.len() > MAX_LISTED_EQUILIBRIA {
        lines.push((String::new(), format!("and {} more", found.extreme.len() - MAX_LISTED_EQUILIBRIA)));
    }
    if found.components.len() < found.extreme.len() {
        let count = found.components.len();
        let noun = if count == 1 { "component" } else { "components" };
        lines.push((String::new(), format!("with the mixtures between them, in {count} {noun}")));
    }
    lines
}

/// Mixed play as data: for each player the choices that play by them can reach, and the equilibria of the first choice.
/// `None` for a solution without either.
pub fn data(game: &Game, solution: &Solution) -> Option<Json> {
    let (matrix, profile) = (solution.mixed.as_ref().map(|play| play.matrix.as_ref()), solution.profile());
    if matrix.is_none() && profile.is_none() {
        return None;
    }
    let mut players = Map::new();
    let mut is_complete = true;
    let names = game.rules.players();
    for (player, name) in names.iter().enumerate().take(profile.map_or(2, |profile| profile.players())) {
        let Some(play) = profile else {
            players.insert(name.clone(), json!([]));
            continue;
        };
        let choices = play.described(game, player, MAX_DATA_SETS + 1);
        is_complete &= choices.len() <= MAX_DATA_SETS;
        let choices = &choices[..choices.len().min(MAX_DATA_SETS)];
        let views = Views::of(game, play, player, choices);
        let choice = |(place, choice): (usize, &MixedChoice)| {
            let shares: Map<String, Json> = choice
                .actions
                .iter()
                .map(|(made, share)| (made.written.clone(), json!(share.to_string())))
                .collect();
            json!({ "sees": views.seen(place), "plays": shares })
        };
        players.insert(name.clone(), choices.iter().enumerate().map(choice).collect());
    }
    let texts = |numbers: &[BigRational]| -> Json { numbers.iter().map(ToString::to_string).collect() };
    let equilibria = matrix.flatten().and_then(|matrix| matrix.equilibria.as_ref()).map(|found| {
        let one = |of: &bouton_search::solve::mixed::bimatrix::Equilibrium| {
            json!({ "rows": texts(&of.rows), "columns": texts(&of.columns), "payoffs": texts(&of.payoffs) })
        };
        found.extreme.iter().map(one).collect::<Json>()
    });
    let beaten = profile.and_then(|play| play.beaten()).and_then(|player| game.rules.players().get(player));
    Some(
        json!({ "strategies": players, "complete": is_complete, "beaten": beaten, "equilibria": equilibria }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_told_apart_from_one_with_more_named_cells() {
        let cell = |number: i64| SeenCell {
            field: bouton_rules::MOVER,
            cell: 0,
            is_private: true,
            is_first: false,
            value: Value::Int(number),
            words: number.to_string(),
            hash: 0,
        };
        let all = [[1, 0], [1, 7], [2, 7]].map(|values| values.map(cell));
        let cells: Vec<&[SeenCell]> = all.iter().map(|cells| &cells[..]).collect();
        let mut named = [vec![0], vec![0, 1], vec![0]].map(BTreeSet::from_iter);
        tell_apart(&cells, &mut named);
        let expected = [vec![0, 1], vec![0, 1], vec![0]].map(BTreeSet::from_iter);
        assert_eq!(named, expected, "the third has another value in its named cell");
    }
}
