//! Rows of cells of which a small automaton tells who wins, learned from all positions and checked in all of them.

use rustc_hash::FxHashMap;

use super::kept::Kept;
use super::{Nothing, Remembered, Told, Trial};
use crate::base::automaton::Automaton;
use crate::base::id::Id;
use crate::cert::{self, Claim, Lemma};
use crate::game::{Halt, State, Turn};
use crate::ground::{Fluent, FluentId, Fluents};
use crate::patterns::automata::learn;
use crate::patterns::readings::told;
use crate::report::page::Overlay;
use crate::report::words::some_of;
use crate::rules::{Rules, Value, keys_of};
use crate::solve::Method;

/// No row has more kinds of cells, no automaton more states, and no more positions are gone through.
const LETTERS: usize = 4;
const STATES: usize = 12;
const POSITIONS: usize = 10_000;
const LENGTH: usize = 20;

impl Trial<'_> {
    pub(super) fn by_automaton(&self) -> Result<Remembered, Nothing> {
        let reason = |why: &str| Nothing::Reason(why.into());
        if self.game.rules.players().len() != 2 {
            return Err(reason("automata tell who of two players wins"));
        }
        let signs = signs(&self.game.rules, &self.ground.fluents)
            .ok_or_else(|| reason("a position is not a row of cells of a few kinds"))?;
        let length = row(&self.ground.fluents, &self.position).count();
        if length > LENGTH {
            return Err(Nothing::Reason(format!("the row has more than {LENGTH} cells")));
        }
        let labels = self.labels()?;
        let lost = learn(&labels, signs.len(), STATES).ok_or_else(|| {
            Nothing::Reason(format!(
                "no automaton of at most {STATES} states was found that tells who wins in all {} rows in fewer \
                 words",
                labels.len()
            ))
        })?;
        let mover = self.mover();
        let is_lost = |position: &[u8]| lost.reads(row(&self.ground.fluents, position)) == Some(true);
        let holder = if is_lost(&self.position) { 1 - mover.min(1) } else { mover };
        let bound = Self::win(holder);
        let lemmas = vec![Lemma::Automaton(cert::Automaton { bound, lost: lost.clone() })];
        self.check(Claim::Wins { player: holder, plies: None }, &lemmas)?;
        let best = if holder == mover { self.moves_to(mover, is_lost) } else { Vec::new() };
        let begins = match &best[..] {
            [] => String::new(),
            best => {
                let written: Vec<String> = best.iter().map(|made| made.written.clone()).collect();
                format!("; {} leaves such a row, first by {}", self.player(holder), some_of(&written, 3))
            }
        };
        let kinds: Vec<char> = signs.iter().map(|(sign, _)| *sign).collect();
        let (read, when) = told(&lost, &kinds);
        let legend: Vec<String> =
            signs.iter().map(|(sign, words)| format!("\"{sign}\" is {words}")).collect();
        let how = format!("{read} ({}): whoever is to move loses {when}{begins}", legend.join(", "));
        let why = "from such a row no move leads to another such row, and from every other row one does";
        Ok(self.solved_by_one_of(Told {
            method: Method::Automaton,
            value: self.won(holder),
            how,
            why: why.into(),
            best,
            lemmas,
            drawn: Overlay::None,
            kept: Kept::Lost(lost),
        }))
    }

    /// Every row that can be reached, with whether it is lost for whoever is to move.
    fn labels(&self) -> Result<Vec<(Vec<u8>, bool)>, Nothing> {
        let halted = |halt: Halt| match halt {
            Halt::Limit(hit) => Nothing::Limit(hit),
            Halt::Fault(fault) => Nothing::Reason(fault.to_string()),
        };
        let mut numbers: FxHashMap<State, usize> = FxHashMap::default();
        numbers.insert(self.state.clone(), 0);
        let mut states = vec![self.state.clone()];
        // Of each position: whose turn it is, who has won where that is settled, and where the moves lead.
        let mut nodes: Vec<(u32, Option<u32>, Vec<usize>)> = Vec::new();
        let mut rows = Vec::new();
        while let Some(state) = states.get(nodes.len()).cloned() {
            if let Some(hit) = self.limits.check() {
                return Err(Nothing::Limit(hit));
            }
            let position = self.ground.fluents.position(&self.game.cells(&state));
            let position =
                position.ok_or_else(|| Nothing::Reason("a position holds what no fluent can".into()))?;
            rows.push(row(&self.ground.fluents, &position).collect::<Vec<u8>>());
            let turn = u32::from(position[self.ground.fluents.turn().index()]);
            let (now, successors) = self.game.machine.expand(&state).map_err(halted)?;
            let won = match now {
                Turn::Player(_) => None,
                Turn::Over(outcome) => match &outcome.payoffs[..] {
                    [one, other] if one > other => Some(0),
                    [one, other] if one < other => Some(1),
                    _ => {
                        return Err(Nothing::Reason(
                            "automata tell who wins, and a game may be drawn".into(),
                        ));
                    }
                },
                _ => return Err(Nothing::Reason("players do not take turns".into())),
            };
            let mut next = Vec::new();
            for successor in successors {
                let fresh = states.len();
                let number = *numbers.entry(successor.state).or_insert_with_key(|state| {
                    states.push(state.clone());
                    fresh
                });
                next.push(number);
            }
            if states.len() > POSITIONS {
                return Err(Nothing::Reason(format!("there are more than {POSITIONS} positions")));
            }
            nodes.push((turn, won, next));
        }
        // Backwards, again and again until nothing new is known: once or twice where moves lead to later positions.
        loop {
            let mut changed = false;
            for at in (0..nodes.len()).rev().filter(|&at| nodes[at].1.is_none()).collect::<Vec<_>>() {
                let (turn, _, next) = &nodes[at];
                let wins = |to: &usize| nodes[*to].1;
                let known = if next.iter().any(|to| wins(to) == Some(*turn)) {
                    Some(*turn)
                } else {
                    let other = 1 - turn.min(&1);
                    next.iter().all(|to| wins(to) == Some(other)).then_some(other)
                };
                changed |= known.is_some();
                nodes[at].1 = known;
            }
            if !changed {
                break;
            }
        }
        let mut labels: FxHashMap<Vec<u8>, bool> = FxHashMap::default();
        for (row, (turn, won, _)) in rows.into_iter().zip(&nodes) {
            let Some(won) = won else { return Err(Nothing::Reason("play may go on for ever".into())) };
            let lost = won != turn;
            if *labels.entry(row).or_insert(lost) != lost {
                let why = "who wins does not depend on the row alone, but on whose turn it is";
                return Err(Nothing::Reason(why.into()));
            }
        }
        let mut labels: Vec<_> = labels.into_iter().collect();
        labels.sort_unstable();
        Ok(labels)
    }
}

/// A position as letters: the numbers of the values of all fluents but turn and phase.
pub(super) fn row<'p>(fluents: &Fluents, position: &'p [u8]) -> impl Iterator<Item = u8> + use<'p> {
    let (turn, phase) = (fluents.turn().index(), fluents.phase().index());
    let own = position.iter().enumerate().filter(move |(place, _)| *place != turn && *place != phase);
    own.map(|(_, &number)| number)
}

/// How the kinds of cells are written and what they are, where a position is a row of cells and nothing else.
fn signs(rules: &Rules, fluents: &Fluents) -> Option<Vec<(char, String)>> {
    let own: Vec<(FluentId, &Fluent)> =
        fluents.iter().filter(|(id, _)| *id != fluents.turn() && *id != fluents.phase()).collect();
    let (_, first) = own.first()?;
    let field = &rules.fields[first.field];
    // Numbers in a row, or the cells of a board of one row.
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
    if !own.iter().all(|(_, fluent)| one(fluent)) || first.values.len() > LETTERS {
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

/// Whether whoever is to move loses.
pub(super) fn says_lost(lost: &Automaton, fluents: &Fluents, position: &[u8]) -> bool {
    lost.reads(row(fluents, position)) == Some(true)
}
