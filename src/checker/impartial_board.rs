//! The board of an impartial game for the checks of SUM and QUOTIENT: its moves without the turn, the regions that a
//! position splits into, and the successors of a position.
//!
//! Two fluents are in one region if a move that may still be legal reads or changes both. Moves and values are judged
//! by a delete relaxation from the position: each fluent has all values that moves may give it, independently of the
//! others. So a move is legal, and changes its region, as the values of that region alone say; no other move changes
//! these; and a position is the sum of its regions. After a move on a region, the relaxation has no more values and
//! no more moves than before, so regions only split.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::canonical_form::RegionForm;
use super::grounded::TurnlessMove;
use super::{Checked, reject, reject_if};
use bouton_base::id::Id;
use bouton_grounding::{
    FluentId, Formula, FormulaNode, Formulas, Subject, ThreeValued, ThreeValuedEvaluator, Values, all_values,
};

/// The moves of an impartial game with an evaluator of their conditions.
pub(super) struct ImpartialBoard<'g> {
    pub formulas: &'g Formulas,
    /// The number of values of each fluent.
    pub sizes: Vec<u32>,
    pub moves: Vec<TurnlessMove>,
    pub evaluator: ThreeValuedEvaluator<'g>,
    /// The fluents that count heaps, with the values that they may take.
    pub counts: Vec<(FluentId, Values)>,
    /// The moves that replace no heap.
    pub region_moves: Vec<u32>,
}

/// A set of fluents that no move outside it reads or changes.
pub(super) struct BoardRegion {
    /// The fluents, in order.
    pub fluents: Vec<FluentId>,
    /// The moves that may still be legal on it, in order.
    pub moves: Vec<u32>,
    pub form: RegionForm,
}

impl<'g> ImpartialBoard<'g> {
    /// Makes a board without heaps.
    pub(super) fn new(formulas: &'g Formulas, sizes: Vec<u32>, moves: Vec<TurnlessMove>) -> Self {
        let region_moves = (0..moves.len() as u32).collect();
        let evaluator = ThreeValuedEvaluator::new(formulas, Vec::new());
        ImpartialBoard { formulas, sizes, moves, evaluator, counts: Vec::new(), region_moves }
    }

    /// Extends the values of the evaluator to all that these moves may give. Returns the moves that may be legal.
    pub(super) fn relax(&mut self, among: &[u32]) -> Vec<u32> {
        loop {
            let (mut live, mut reached) = (Vec::new(), Vec::new());
            for &number in among {
                let made = &self.moves[number as usize];
                if self.evaluator.evaluate(made.legal) == ThreeValued::Never {
                    continue;
                }
                live.push(number);
                for &(fluent, value, when) in &made.effects {
                    let is_new = self.evaluator.possible(fluent) >> value & 1 == 0;
                    if is_new && self.evaluator.evaluate(when) != ThreeValued::Never {
                        reached.push((fluent, value));
                    }
                }
            }
            if reached.is_empty() {
                return live;
            }
            self.evaluator.add_values(&reached);
        }
    }

    /// Returns true if a formula holds in no position that play reaches from `start`, whoever is to move.
    pub(super) fn never_holds(&mut self, start: &[u8], formula: Formula, turn: FluentId) -> bool {
        self.evaluator.set_position(start);
        let all: Vec<u32> = (0..self.moves.len() as u32).collect();
        self.relax(&all);
        self.restrict_counts();
        self.evaluator.set_values(turn, all_values(self.sizes[turn.index()]));
        self.evaluator.evaluate(formula) == ThreeValued::Never
    }

    /// Gives the counts of heaps the values that they may take.
    fn restrict_counts(&mut self) {
        for &(kind, values) in &self.counts {
            self.evaluator.set_values(kind, values);
        }
    }

    /// Returns the fluents that a move may still change, and those that its open conditions read.
    pub(super) fn touched(&mut self, number: u32) -> BTreeSet<FluentId> {
        let made = &self.moves[number as usize];
        let mut found = BTreeSet::new();
        let mut waiting = vec![made.legal];
        for &(fluent, _, when) in &made.effects {
            if self.evaluator.may_change(fluent) && self.evaluator.evaluate(when) != ThreeValued::Never {
                found.insert(fluent);
                waiting.push(when);
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(formula) = waiting.pop() {
            if !seen.insert(formula) || self.evaluator.evaluate(formula) != ThreeValued::Open {
                continue;
            }
            match self.formulas.node(formula) {
                FormulaNode::And(parts) | FormulaNode::Or(parts) => waiting.extend(parts.iter().copied()),
                FormulaNode::Lit(subject, _) => match self.formulas.subject(*subject).0 {
                    Subject::Count(parts) => waiting.extend(parts.iter().copied()),
                    Subject::Fluent(fluent) => {
                        found.insert(*fluent);
                    }
                },
                FormulaNode::False | FormulaNode::True | FormulaNode::Name(..) => {}
            }
        }
        found
    }

    /// Returns the regions of a position under these moves, in the order of their first fluents.
    pub(super) fn regions(&mut self, position: &[u8], among: &[u32]) -> Checked<Vec<BoardRegion>> {
        self.evaluator.set_position(position);
        self.restrict_counts();
        let live = self.relax(among);
        let mut touched = Vec::with_capacity(live.len());
        let mut users: BTreeMap<FluentId, Vec<usize>> = BTreeMap::new();
        for (place, &number) in live.iter().enumerate() {
            let own = self.touched(number);
            reject_if(own.is_empty(), "a move may change nothing")?;
            if self.counts.iter().any(|(kind, _)| own.contains(kind)) {
                return reject("a move that replaces no heap depends on a number of heaps");
            }
            own.iter().for_each(|&fluent| users.entry(fluent).or_default().push(place));
            touched.push(own);
        }
        let mut regions = Vec::new();
        while let Some((&first, _)) = users.first_key_value() {
            let (mut fluents, mut moves) = (Vec::new(), BTreeSet::new());
            let mut waiting = vec![first];
            while let Some(fluent) = waiting.pop() {
                let Some(places) = users.remove(&fluent) else { continue };
                fluents.push(fluent);
                for place in places {
                    if moves.insert(live[place]) {
                        waiting.extend(&touched[place]);
                    }
                }
            }
            fluents.sort_unstable();
            let moves: Vec<u32> = moves.into_iter().collect();
            let form = self.canonical_form(position, &fluents, &moves)?;
            regions.push(BoardRegion { fluents, moves, form });
        }
        Ok(regions)
    }

    /// Returns the successors of a position by those of these moves that are legal in it.
    pub(super) fn successors(&mut self, position: &[u8], moves: &[u32]) -> Checked<Vec<Vec<u8>>> {
        self.evaluator.set_position(position);
        let mut successors = Vec::new();
        for &number in moves {
            let made = &self.moves[number as usize];
            if self.evaluator.evaluate(made.legal) != ThreeValued::Always {
                continue;
            }
            let mut after = position.to_vec();
            let mut changed = FxHashSet::default();
            for &(fluent, value, when) in &made.effects {
                if self.evaluator.evaluate(when) == ThreeValued::Always {
                    after[fluent.index()] = value;
                    reject_if(!changed.insert(fluent), "a move gives a fluent two values")?;
                }
            }
            successors.push(after);
        }
        Ok(successors)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use bouton_grounding::TRUE;

    /// Returns the literal that a fluent has one of these values.
    pub fn literal(formulas: &mut Formulas, fluent: u32, size: usize, values: Values) -> Formula {
        let subject = formulas.fluent(FluentId(fluent), size);
        formulas.lit(subject, values)
    }

    /// Makes the board of Kayles: a row of pins, of which a move takes one or two neighbours.
    fn kayles(formulas: &mut Formulas, pins: u32) -> Vec<TurnlessMove> {
        let mut moves = Vec::new();
        for first in 0..pins {
            for last in first..pins.min(first + 2) {
                let standing: Vec<Formula> =
                    (first..=last).map(|pin| literal(formulas, pin, 2, 0b10)).collect();
                let effects = (first..=last).map(|pin| (FluentId(pin), 0, TRUE)).collect();
                moves.push(TurnlessMove { legal: formulas.and(standing), effects });
            }
        }
        moves
    }

    fn fluents(regions: &[BoardRegion]) -> Vec<Vec<u32>> {
        regions.iter().map(|region| region.fluents.iter().map(|fluent| fluent.0).collect()).collect()
    }

    #[test]
    fn a_gap_splits_a_row() {
        let mut formulas = Formulas::default();
        let moves = kayles(&mut formulas, 6);
        let mut board = ImpartialBoard::new(&formulas, vec![2; 6], moves);
        let all = board.region_moves.clone();
        let regions = board.regions(&[1, 1, 0, 1, 1, 1], &all).expect("regions");
        assert_eq!(fluents(&regions), [vec![0, 1], vec![3, 4, 5]]);
        assert_ne!(regions[0].form, regions[1].form);
        let other = board.regions(&[0, 0, 1, 1, 0, 1], &all).expect("regions");
        assert_eq!(fluents(&other), [vec![2, 3], vec![5]]);
        assert_eq!(other[0].form, regions[0].form);
        // One pin or two pins of a row of three: five moves.
        let after = board.successors(&[1, 1, 0, 1, 1, 1], &regions[1].moves).expect("sound moves");
        assert_eq!(after.len(), 5);
        assert!(after.iter().all(|position| position[..3] == [1, 1, 0]));
    }

    #[test]
    fn reflections_have_one_form() {
        let mut formulas = Formulas::default();
        // The outer fluent falls only after the inner one, in pairs (0, 1) and (3, 2).
        let mut moves = Vec::new();
        for (outer, inner) in [(0, 1), (3, 2)] {
            let (up, down) = (literal(&mut formulas, outer, 2, 0b10), literal(&mut formulas, inner, 2, 0b01));
            let inner_up = literal(&mut formulas, inner, 2, 0b10);
            let legal = formulas.and([up, down]);
            moves.push(TurnlessMove { legal, effects: vec![(FluentId(outer), 0, TRUE)] });
            moves.push(TurnlessMove { legal: inner_up, effects: vec![(FluentId(inner), 0, TRUE)] });
        }
        let mut board = ImpartialBoard::new(&formulas, vec![2; 4], moves);
        let all = board.region_moves.clone();
        let regions = board.regions(&[1, 1, 1, 1], &all).expect("regions");
        assert_eq!(fluents(&regions), [vec![0, 1], vec![2, 3]]);
        assert_eq!(regions[0].form, regions[1].form);
        let regions = board.regions(&[1, 1, 0, 1], &all).expect("regions");
        assert_ne!(regions[0].form, regions[1].form);
    }

    #[test]
    fn a_move_that_changes_nothing_is_refused() {
        let formulas = Formulas::default();
        let pass = TurnlessMove { legal: TRUE, effects: Vec::new() };
        let mut board = ImpartialBoard::new(&formulas, vec![2], vec![pass]);
        assert_eq!(board.regions(&[1], &[0]).err(), Some("a move may change nothing".into()));
    }

    #[test]
    fn two_values_for_a_fluent_are_refused() {
        let formulas = Formulas::default();
        let effects = vec![(FluentId(0), 0, TRUE), (FluentId(0), 1, TRUE)];
        let mut board = ImpartialBoard::new(&formulas, vec![3], vec![TurnlessMove { legal: TRUE, effects }]);
        assert_eq!(board.successors(&[2], &[0]).err(), Some("a move gives a fluent two values".into()));
    }
}
