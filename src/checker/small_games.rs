//! Small games by the definition, compared with the schemes that were parsed from their rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;

use super::{Checked, reject, reject_if};
use bouton_base::limits::Limits;
use bouton_base::linear::Linear;
use bouton_reference::{Interpreter, State};
use bouton_rules::parametric::{
    Area, Argument, CHOICE_BASE, COUNTER_BASE, MoveScheme, PARAM_BASE, ParametricRules, first_values,
};
use bouton_rules::{Rules, ToMove, Value};

pub(super) struct SmallGame<'a> {
    pub rules: &'a Arc<Rules>,
    pub schema: &'a ParametricRules,
    pub values: &'a [i128],
    pub limits: &'a Limits,
}

/// A position in the terms of schemes: the changed cells, or the numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct SchemePosition {
    changed: BTreeSet<Vec<i128>>,
    counters: Vec<i128>,
}

/// The maximal number of cells of an area and of choices of a scheme.
const MAX_COMBINATIONS: usize = 1_000_000;

/// The maximal number of positions of a small game.
const MAX_POSITIONS: usize = 600;

impl SmallGame<'_> {
    /// Returns true if the first player wins; `None` if the game is not small. The error says how the schemes differ
    /// from the rules.
    pub(super) fn first_wins(&self, left: &mut u64) -> Checked<Option<bool>> {
        let interpreter = Interpreter::new(self.rules.clone()).within(self.limits);
        let initial = interpreter.initial();
        if self.scheme_position(&interpreter, &initial)? != self.first()? {
            return reject("the first position differs from that of the file");
        }
        let mut positions: IndexMap<Box<[u64]>, State> = IndexMap::new();
        positions.insert(interpreter.pack(&initial), initial);
        let mut next: Vec<Vec<usize>> = Vec::new();
        let mut at = 0;
        while at < positions.len() {
            if positions.len() > MAX_POSITIONS || *left == 0 {
                return Ok(None);
            }
            *left -= 1;
            let state = positions[at].clone();
            let mut to = Vec::new();
            let moves = self.moves(&interpreter, &state);
            // A result computed past a limit is not meaningful.
            if interpreter.limit().is_some() {
                return Ok(None);
            }
            for after in moves? {
                to.push(positions.insert_full(interpreter.pack(&after), after).0);
            }
            next.push(to);
            at += 1;
        }
        Ok(self.label(&next))
    }

    /// Labels the positions by retrograde analysis; `None` if the first position stays open, that is, play can go on
    /// forever.
    fn label(&self, next: &[Vec<usize>]) -> Option<bool> {
        let mut wins: Vec<Option<bool>> = vec![None; next.len()];
        loop {
            let mut changed = false;
            for at in (0..next.len()).rev().filter(|&at| wins[at].is_none()).collect::<Vec<_>>() {
                if next[at].iter().any(|&to| wins[to] == Some(false)) {
                    wins[at] = Some(true);
                } else if next[at].iter().all(|&to| wins[to] == Some(true)) {
                    wins[at] = Some(false);
                }
                changed |= wins[at].is_some();
            }
            if !changed {
                return wins[0];
            }
        }
    }

    /// Returns the successors of a position, which must agree with those of the schemes.
    fn moves(&self, interpreter: &Interpreter, state: &State) -> Checked<Vec<State>> {
        let (turn, made) = interpreter.expand(state).map_err(|fault| fault.to_string())?;
        let mover = interpreter.mover(state);
        let here = self.scheme_position(interpreter, state)?;
        let mut expected = self.legal(&here)?;
        match turn {
            ToMove::Player(player) if player == mover && !made.is_empty() => {}
            ToMove::Terminal(outcome) if made.is_empty() => {
                let loses = outcome.payoffs.get(mover as usize).is_some_and(|payoff| *payoff == (-1).into());
                let wins = outcome.payoffs.get(1 - mover.min(1) as usize).is_some_and(|p| *p == 1.into());
                reject_if(!loses || !wins, "the player who cannot move does not lose")?;
            }
            _ => return reject("players do not just take turns until one cannot move"),
        }
        let mut found = Vec::new();
        for (play, after, _) in &made {
            reject_if(interpreter.mover(after) != 1 - mover.min(1), "a player moves twice")?;
            found.push((interpreter.call_form(play), self.scheme_position(interpreter, after)?));
        }
        found.sort();
        expected.sort();
        reject_if(found != expected, "the moves are not those that were read from the file")?;
        Ok(made.into_iter().map(|(_, after, _)| after).collect())
    }

    /// Translates a position of the definition into the terms of schemes.
    fn scheme_position(&self, interpreter: &Interpreter, state: &State) -> Checked<SchemePosition> {
        let mut told = SchemePosition::default();
        for value in interpreter.cells(state).iter().skip(2) {
            match value {
                Value::Int(number) if self.schema.board.is_empty() => told.counters.push(i128::from(*number)),
                Value::Set(cells) if !self.schema.board.is_empty() => {
                    told.changed = cells.iter().map(|cell| self.place(cell)).collect::<Checked<_>>()?;
                }
                _ => return reject("the state is not the one that was read from the file"),
            }
        }
        if self.schema.initially_full {
            let all = self.all_cells()?;
            told.changed = all.difference(&told.changed).cloned().collect();
        }
        Ok(told)
    }

    fn first(&self) -> Checked<SchemePosition> {
        let firsts = self.schema.counters.iter().map(|counter| self.value(&counter.initial, None, &[]));
        Ok(SchemePosition { changed: BTreeSet::new(), counters: firsts.collect::<Checked<_>>()? })
    }

    /// Returns the coordinates of a cell.
    fn place(&self, cell: &Value) -> Checked<Vec<i128>> {
        let found = match cell {
            Value::Int(number) => Some(vec![i128::from(*number)]),
            Value::Sym(cells, number) => {
                let board = self.rules.boards.iter().find(|board| board.cells == *cells);
                let of = |board: &bouton_rules::Board| Some([board.col(*number)?, board.row(*number)?]);
                board.and_then(of).map(|place| place.map(i128::from).to_vec())
            }
            _ => None,
        };
        Ok(found.ok_or("a cell is not on a board that was read from the file")?)
    }

    fn all_cells(&self) -> Checked<BTreeSet<Vec<i128>>> {
        let low = vec![Linear::number(1); self.schema.board.len()];
        self.cells(&Area { low, high: self.schema.board.clone() }, &[])
    }

    /// Evaluates a term for the numbers of a position and choices.
    fn value(&self, term: &Linear, here: Option<&SchemePosition>, choices: &[i128]) -> Checked<i128> {
        let of = |var: u32| {
            let place = |first: u32| var.checked_sub(first).map(|place| place as usize);
            if var >= CHOICE_BASE {
                choices.get(place(CHOICE_BASE)?).copied()
            } else if var >= COUNTER_BASE {
                here?.counters.get(place(COUNTER_BASE)?).copied()
            } else {
                self.values.get(place(PARAM_BASE)?).copied()
            }
        };
        Ok(term.value(&of).ok_or("a term has no value")?)
    }

    fn cells(&self, area: &Area, choices: &[i128]) -> Checked<BTreeSet<Vec<i128>>> {
        let mut ranges = Vec::new();
        for (low, high) in area.low.iter().zip(&area.high) {
            let (low, high) = (self.value(low, None, choices)?, self.value(high, None, choices)?);
            reject_if(high.saturating_sub(low) >= 1000, "a small game has large areas")?;
            ranges.push(low..=high);
        }
        Ok(first_values(ranges.into_iter(), MAX_COMBINATIONS).into_iter().collect())
    }

    /// Returns the legal moves of the schemes with their successors.
    fn legal(&self, here: &SchemePosition) -> Checked<Vec<(String, SchemePosition)>> {
        let mut all = Vec::new();
        for scheme in &self.schema.moves {
            let mut ranges = Vec::new();
            for (low, high) in &scheme.choices {
                ranges.push(self.value(low, None, &[])?..=self.value(high, None, &[])?);
            }
            let choices = first_values(ranges.into_iter(), MAX_COMBINATIONS);
            reject_if(choices.len() == MAX_COMBINATIONS, "a small game has many moves")?;
            for chosen in choices {
                if let Some(after) = self.after(scheme, here, &chosen)? {
                    all.push((self.call(scheme, &chosen)?, after));
                }
            }
        }
        Ok(all)
    }

    /// Returns the position after a move, if it is legal.
    fn after(
        &self,
        scheme: &MoveScheme,
        here: &SchemePosition,
        chosen: &[i128],
    ) -> Checked<Option<SchemePosition>> {
        for guard in &scheme.guards {
            if self.value(guard, Some(here), chosen)? > 0 {
                return Ok(None);
            }
        }
        for area in &scheme.untouched {
            if !self.cells(area, chosen)?.is_disjoint(&here.changed) {
                return Ok(None);
            }
        }
        for area in &scheme.touched {
            if !self.cells(area, chosen)?.is_subset(&here.changed) {
                return Ok(None);
            }
        }
        let mut after = here.clone();
        for area in &scheme.changed {
            after.changed.extend(self.cells(area, chosen)?);
        }
        for (counter, term) in &scheme.counters {
            let value = self.value(term, Some(here), chosen)?;
            *after.counters.get_mut(*counter as usize).ok_or("there is no such number")? = value;
        }
        Ok(Some(after))
    }

    fn call(&self, scheme: &MoveScheme, chosen: &[i128]) -> Checked<String> {
        let mut arguments = Vec::new();
        for argument in &scheme.arguments {
            arguments.push(match argument {
                Argument::Word(word) => word.clone(),
                Argument::Number(term) => self.value(term, None, chosen)?.to_string(),
                Argument::Cell(place) => {
                    let [col, row] = &place[..] else { return reject("a cell has no column and row") };
                    let at = |term| -> Checked<i64> { Ok(i64::try_from(self.value(term, None, chosen)?)?) };
                    let (col, row) = (at(col)?, at(row)?);
                    let cell =
                        self.rules.boards.iter().find_map(|board| Some(board.cell_name(board.at(col, row)?)));
                    cell.ok_or("a cell is not on the board")?.to_owned()
                }
            });
        }
        Ok(format!("{}({})", scheme.name, arguments.join(", ")))
    }
}
