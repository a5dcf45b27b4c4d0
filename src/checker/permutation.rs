//! The check of PERMUTATION: on the grounded rules, for every move and every cell of the hole.

use super::grounded::FAULT_NOT_EXCLUDED;
use super::{Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::PermutationLemma;
use bouton_grounding::{
    Action, FALSE, FluentId, Formula, FormulaNode, Ground, Subject, ThreeValuedEvaluator, Values,
};
use bouton_reference::State;

/// The cells of a puzzle, with the numbers of the values that they may hold.
struct Cells {
    fluents: Vec<FluentId>,
    colours: Vec<u8>,
    hole: u8,
    things: Vec<u8>,
}

impl Checker<'_> {
    /// Proves that no play gives the only player more than the bound.
    pub(super) fn hole_parity(&mut self, start: &State, lemma: &PermutationLemma) -> Checked<Fact> {
        let ground = self.grounded_for_any_play(&lemma.bound)?;
        let position = self.fluent_position(&ground, start)?;
        let cells = Cells::of(&ground, lemma, &position)?;
        let relaxed = ground.delete_relaxation(&position);
        let mut reading = ground.relaxed_evaluator(&relaxed);
        for hole in 0..cells.fluents.len() {
            cells.place_hole(hole, &mut reading);
            reject_if(reading.may_hold(ground.fault), FAULT_NOT_EXCLUDED)?;
            for action in &ground.actions {
                self.step_done()?;
                if reading.may_hold(action.legal) {
                    cells.check_exchange(action, hole, &mut reading)?;
                }
            }
        }
        let held: Vec<u8> = cells.fluents.iter().map(|fluent| position[fluent.index()]).collect();
        let parity = cells.parity(&held);
        for end in ground.ends.iter().filter(|end| end.payoffs[0] > lemma.bound.payoff) {
            reject_if(
                !cells.excludes(&ground, end.when, parity),
                "a win with the same parity is not excluded",
            )?;
        }
        Ok(Fact::Bound { bound: lemma.bound.clone(), plies: None, sum: PayoffSum::default() })
    }
}

impl Cells {
    fn of(ground: &Ground, lemma: &PermutationLemma, position: &[u8]) -> Checked<Cells> {
        let last = lemma.cells.last().map_or(0, |(fluent, _)| *fluent as usize);
        reject_if(last >= ground.fluents.len(), "a cell is of a fluent that does not exist")?;
        reject_if(lemma.cells.iter().any(|(_, colour)| *colour > 1), "a colour is neither 0 nor 1")?;
        let fluents: Vec<FluentId> = lemma.cells.iter().map(|(fluent, _)| FluentId(*fluent)).collect();
        let mut things: Vec<u8> = fluents.iter().map(|fluent| position[fluent.index()]).collect();
        things.sort_unstable();
        reject_if(things.windows(2).any(|pair| pair[0] == pair[1]), "two cells hold the same thing")?;
        let hole = things.iter().copied().find(|thing| u32::from(*thing) == lemma.hole);
        let hole = hole.ok_or("no cell holds the hole")?;
        let colours = lemma.cells.iter().map(|(_, colour)| *colour).collect();
        Ok(Cells { fluents, colours, hole, things })
    }

    /// Puts the hole into one cell, and any things into the others.
    fn place_hole(&self, hole: usize, reading: &mut ThreeValuedEvaluator<'_>) {
        let others = self.things.iter().filter(|thing| **thing != self.hole);
        let others = others.fold(0, |all: Values, thing| all | 1 << thing);
        for (cell, fluent) in self.fluents.iter().enumerate() {
            reading.set_values(*fluent, if cell == hole { 1 << self.hole } else { others });
        }
    }

    /// Checks that a move exchanges the hole with the content of one cell of the other colour, or changes no cell.
    fn check_exchange(
        &self,
        action: &Action,
        hole: usize,
        reading: &mut ThreeValuedEvaluator<'_>,
    ) -> Checked<()> {
        let stays = 1 << self.hole;
        let hole_after = values_after(action, self.fluents[hole], reading);
        let mut exchanged = None;
        for (cell, &fluent) in self.fluents.iter().enumerate().filter(|(cell, _)| *cell != hole) {
            let before = reading.possible(fluent);
            let (mut keeps, mut gives) = (true, true);
            for thing in self.things.iter().filter(|thing| **thing != self.hole) {
                reading.set_values(fluent, 1 << thing);
                let after = values_after(action, fluent, reading);
                keeps &= after == 1 << thing;
                gives &= after == stays && values_after(action, self.fluents[hole], reading) == 1 << thing;
            }
            reading.set_values(fluent, before);
            if gives && exchanged.is_none() {
                reject_if(
                    self.colours[cell] == self.colours[hole],
                    "a move exchanges the hole with a cell of the same colour",
                )?;
                exchanged = Some(cell);
            } else if !keeps {
                return reject("a move does more than to exchange the hole with another cell");
            }
        }
        let lost = exchanged.is_none() && hole_after != stays;
        reject_if(lost, "a move fills the hole and leaves no other")
    }

    /// Returns the parity of the contents of the cells, in order, together with the colour of the hole's cell.
    fn parity(&self, held: &[u8]) -> bool {
        let later =
            |(place, thing): (usize, &u8)| held[place + 1..].iter().filter(|other| *other < thing).count();
        let inversions: usize = held.iter().enumerate().map(later).sum();
        let hole = held.iter().position(|thing| *thing == self.hole);
        let colour = hole.map_or(0, |cell| usize::from(self.colours[cell]));
        (inversions + colour) % 2 == 1
    }

    /// Returns true if a formula holds only where the cells hold other things, or have the other parity.
    fn excludes(&self, ground: &Ground, formula: Formula, parity: bool) -> bool {
        let parts: &[Formula] = match ground.formulas.node(formula) {
            _ if formula == FALSE => return true,
            FormulaNode::Or(parts) => return parts.iter().all(|part| self.excludes(ground, *part, parity)),
            FormulaNode::And(parts) => parts,
            _ => &[formula],
        };
        let all = self.things.iter().fold(0, |all: Values, thing| all | 1 << thing);
        let mut held = vec![all; self.fluents.len()];
        for part in parts {
            if let FormulaNode::Lit(subject, values) = ground.formulas.node(*part)
                && let Subject::Fluent(fluent) = ground.formulas.subject(*subject).0
                && let Some(cell) = self.fluents.iter().position(|of| of == fluent)
            {
                held[cell] &= values;
            }
        }
        // The things are different; the last cell holds the one that is left.
        let known = held.iter().filter(|values| values.is_power_of_two()).fold(0, |all, values| all | values);
        let open: Vec<usize> = (0..held.len()).filter(|cell| !held[*cell].is_power_of_two()).collect();
        if let [last] = open[..] {
            held[last] &= !known;
        }
        if held.contains(&0) {
            return true;
        }
        let contents: Vec<u8> = held.iter().map(|values| values.trailing_zeros() as u8).collect();
        let mut sorted = contents.clone();
        sorted.sort_unstable();
        let certain = held.iter().all(|values| values.is_power_of_two());
        certain && (sorted != self.things || self.parity(&contents) != parity)
    }
}

/// Returns the values that a fluent may have after a move; those before it if the move does not change it.
fn values_after(action: &Action, fluent: FluentId, reading: &mut ThreeValuedEvaluator<'_>) -> Values {
    match action.updates.iter().find(|update| update.fluent == fluent) {
        None => reading.possible(fluent),
        Some(update) => {
            let may = update.values.iter().filter(|(_, when)| reading.may_hold(*when));
            may.fold(0, |all, (value, _)| all | 1 << value)
        }
    }
}
