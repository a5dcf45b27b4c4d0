//! Rows of cells for which a small automaton decides the winner: learned from all positions, and checked in all of
//! them.

use rustc_hash::FxHashMap;

use super::strategy_player::StrategyInvariant;
use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_base::automaton::Automaton;
use bouton_base::id::Id;
use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_certificates::{self as cert, Claim, Lemma};
use bouton_detect::sums::is_alternating;
use bouton_grounding::{Fluent, FluentId, Fluents};
use bouton_patterns::automaton_learning::learn;
use bouton_patterns::automaton_text::describe;
use bouton_report::page::Overlay;
use bouton_report::words::truncated_list;
use bouton_rules::{Rules, Value, keys_of};
use bouton_search::solve::graph::{EnumerationScope, GameGraph, GraphNode};
use bouton_search::solve::payoffs::PayoffModel;
use bouton_search::solve::retrograde;

/// The maximal number of kinds of cells.
const MAX_CELL_KINDS: usize = 4;
/// The maximal number of states of an automaton.
const MAX_STATES: usize = 12;
/// The maximal number of positions to learn from.
const MAX_POSITIONS: u64 = 10_000;
/// The maximal number of cells of a row.
const MAX_ROW_LENGTH: usize = 20;

/// Automata over rows.
pub const AUTOMATON: StrategySolver = StrategySolver {
    name: "automaton",
    description: "a small automaton that reads a row of cells",
    search: |search| search.by_automaton(),
};

/// The rows that can be reached.
struct RowLabels {
    /// Each row, with true if it is lost for the player to move.
    rows: Vec<(Vec<u8>, bool)>,
    /// True if play goes on from all others.
    won_rows_go_on: bool,
}

impl StrategySearch<'_> {
    pub(super) fn by_automaton(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let reason = |why: &str| Inapplicable::Reason(why.into());
        if self.game.rules.players().len() != 2 {
            return Err(reason("automata are for two players"));
        }
        let signs = signs(&self.game.rules, &self.ground.fluents)
            .ok_or_else(|| reason("a position is not a row of cells of a few kinds"))?;
        let length = row(&self.ground.fluents, &self.position).count();
        if length > MAX_ROW_LENGTH {
            return Err(format!("the row has more than {MAX_ROW_LENGTH} cells").into());
        }
        let RowLabels { rows: labels, won_rows_go_on } = self.labels()?;
        let lost = learn(&labels, signs.len(), MAX_STATES).ok_or_else(|| {
            format!(
                "no automaton of at most {MAX_STATES} states was found that gives the winner of all {} rows in \
                 fewer words",
                labels.len()
            )
        })?;
        let mover = self.mover();
        let is_lost = |position: &[u8]| lost.accepts(row(&self.ground.fluents, position)) == Some(true);
        let holder = if is_lost(&self.position) { 1 - mover.min(1) } else { mover };
        let bound = Self::win(holder);
        let lemmas = vec![Lemma::Automaton(cert::AutomatonLemma { bound, lost: lost.clone() })];
        let proof = self.check(Claim::Wins { player: holder, plies: None }, lemmas)?;
        let passes = is_alternating(&self.ground);
        let keeps = |after: &[u8]| leaves_lost_row(&lost, &self.ground.fluents, after, mover);
        let best = if holder == mover { self.moves_to(mover, keeps) } else { Vec::new() };
        let begins = match &best[..] {
            [] => String::new(),
            best => {
                let written: Vec<String> = best.iter().map(|made| made.written.clone()).collect();
                let leaves = if passes { "leaves such a row, first by" } else { "begins with" };
                format!("; {} {leaves} {}", self.player(holder), truncated_list(&written, 3))
            }
        };
        let kinds: Vec<char> = signs.iter().map(|(sign, _)| *sign).collect();
        let (read, when) = describe(&lost, &kinds);
        let legend: Vec<String> =
            signs.iter().map(|(sign, words)| format!("\"{sign}\" is {words}")).collect();
        let how = format!("{read} ({}): the player to move loses {when}{begins}", legend.join(", "));
        let why = match passes && won_rows_go_on {
            true => "from such a row no move leads to another such row, and from every other row one does",
            false => "no move from such a row wins; from every other row one does, or its player has won",
        };
        Ok(self.accept_without_line(StrategyDescription {
            value: self.won(holder),
            how,
            why: why.into(),
            best,
            proof,
            overlay: Overlay::None,
            invariant: StrategyInvariant::LostRow(lost),
        }))
    }

    /// Labels every row that can be reached.
    fn labels(&self) -> Result<RowLabels, Inapplicable> {
        let reason = |why: &str| Inapplicable::Reason(why.into());
        let limits = Limits { positions: Some(MAX_POSITIONS), ..self.limits.clone() };
        let from = std::slice::from_ref(self.state);
        let graph = GameGraph::build(self.game, from, EnumerationScope::default(), &limits, &NoProgress)
            .map_err(|broken| broken.to_string())?;
        match graph.limit() {
            Some(LimitHit::Positions) => {
                return Err(format!("there are more than {MAX_POSITIONS} positions").into());
            }
            Some(hit) => return Err(hit.into()),
            None => {}
        }
        if graph.is_simultaneous() || graph.has_chance() {
            return Err(reason("players do not take turns"));
        }
        if graph.outcomes().iter().any(|outcome| outcome.payoffs[0] == outcome.payoffs[1]) {
            return Err(reason("automata give the winner, and a game may be drawn"));
        }
        let stakes = PayoffModel::of(self.game, &graph, false, false)?;
        // Endless play gets a value of its own here, whatever the rules say, to distinguish it from forced results.
        let endless = &stakes.sum / Rational::from_integer(2);
        let stakes = PayoffModel { infinite: Some(endless.clone()), ..stakes };
        let values = retrograde::label(&graph, &stakes, &endless);
        let fluents = &self.ground.fluents;
        let mut labels: FxHashMap<Vec<u8>, bool> = FxHashMap::default();
        let mut all_go_on = true;
        for index in 0..graph.len() as u32 {
            let position = fluents.position(&self.game.cells(&graph.explored.arena.state(index)));
            let position =
                position.ok_or_else(|| reason("a position has a value that no fluent can hold"))?;
            let value = values.value(index).filter(|value| **value != endless);
            let value = value.ok_or_else(|| reason("a play may go on forever"))?;
            let lost = stakes.payoff(value.clone(), u32::from(position[fluents.turn().index()])) < endless;
            all_go_on &= lost || !matches!(graph.node(index), GraphNode::Over(_));
            if *labels.entry(row(fluents, &position).collect()).or_insert(lost) != lost {
                return Err(reason("the winner depends on the player to move, not on the row alone"));
            }
        }
        let mut labels: Vec<_> = labels.into_iter().collect();
        labels.sort_unstable();
        Ok(RowLabels { rows: labels, won_rows_go_on: all_go_on })
    }
}

/// A position as letters: the indices of the values of all fluents except turn and phase.
pub(super) fn row<'p>(fluents: &Fluents, position: &'p [u8]) -> impl Iterator<Item = u8> + use<'p> {
    let (turn, phase) = (fluents.turn().index(), fluents.phase().index());
    let own = position.iter().enumerate().filter(move |(place, _)| *place != turn && *place != phase);
    own.map(|(_, &number)| number)
}

/// The character and the description of each kind of cell, if a position is a row of cells and nothing else.
fn signs(rules: &Rules, fluents: &Fluents) -> Option<Vec<(char, String)>> {
    let own: Vec<(FluentId, &Fluent)> =
        fluents.iter().filter(|(id, _)| *id != fluents.turn() && *id != fluents.phase()).collect();
    let (_, first) = own.first()?;
    let field = &rules.fields[first.field];
    // The keys are numbers, or the cells of a board of one row.
    let in_row = |value: &Value| match value {
        Value::Int(_) => true,
        Value::Sym(of, cell) => {
            let board = rules.boards.iter().find(|board| board.cells == *of);
            board.is_some_and(|board| board.row(*cell).is_some_and(|row| row == 1))
        }
        _ => false,
    };
    let keyed = |fluent: &Fluent| match (&fluent.element, &keys_of(&field.keys, fluent.cell)[..]) {
        (Some(element), []) => in_row(element),
        (None, [key]) => in_row(key),
        _ => false,
    };
    let one = |fluent: &Fluent| fluent.field == first.field && keyed(fluent);
    if !own.iter().all(|(_, fluent)| one(fluent)) || first.values.len() > MAX_CELL_KINDS {
        return None;
    }
    if first.element.is_some() {
        let name = &field.name;
        return Some(vec![('.', format!("a cell not in {name}")), ('#', format!("a cell in {name}"))]);
    }
    let mut signs: Vec<(char, String)> = Vec::new();
    for value in &first.values {
        let words = rules.show(value);
        let sign = if *value == Value::None { Some('.') } else { words.chars().next() };
        let taken = |sign: &char| signs.iter().any(|(other, _)| other == sign);
        signs.push((
            sign.filter(|sign| !taken(sign)).or_else(|| ('a'..='z').find(|sign| !taken(sign)))?,
            words,
        ));
    }
    Some(signs)
}

/// Returns true if a player has left a row in which the player to move loses, if that is the other one, or wins, if it
/// is himself.
pub(super) fn leaves_lost_row(lost: &Automaton, fluents: &Fluents, position: &[u8], player: u32) -> bool {
    let is_other = u32::from(position[fluents.turn().index()]) != player;
    lost.accepts(row(fluents, position)) == Some(is_other)
}
