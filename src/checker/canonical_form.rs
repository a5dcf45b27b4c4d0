//! Canonical forms of regions. Two regions with equal forms are the same game up to a renaming of fluents.
//!
//! A form is data rather than a text, so that its equality is the derived one. It numbers the fluents of the region by
//! their places, from the first or from the last, whichever gives the lesser form: so a row and its reflection have
//! one form. For each fluent it has the number of values, the present value and the values that play may still give
//! it; for each move, the conditions as far as they are open for these values. Let two regions have equal forms, and
//! map each value of a fluent to the same value of the fluent at the same place. By induction on the moves made, play
//! on one region becomes play on the other: a decided condition has the same value in both throughout, and an open one
//! is the same function of the values that the fluents may take.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::impartial_board::ImpartialBoard;
use super::{Checked, reject};
use bouton_base::id::Id;
use bouton_grounding::{FluentId, Formula, FormulaNode, Subject, ThreeValued, Values};

/// The canonical form of a region.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct RegionForm {
    fluents: Vec<FluentForm>,
    moves: BTreeSet<MoveForm>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct FluentForm {
    size: u32,
    value: u8,
    /// The values that play may still give it, the present one among them.
    possible: Values,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct MoveForm {
    legal: OpenFormula,
    /// The place of a fluent, its new value, and the condition for it; in order.
    effects: Vec<(u32, u8, OpenFormula)>,
}

/// A formula without its decided parts, its fluents as places. Parts are in order, and equal ones are repeated.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum OpenFormula {
    Never,
    Always,
    /// The fluent at this place has one of these values.
    Value(u32, Values),
    /// The number of these that hold is in the set. Decided parts count, so they are not left out.
    Count(Values, Vec<OpenFormula>),
    All(Vec<OpenFormula>),
    Any(Vec<OpenFormula>),
}

/// The maximal number of parts of a condition, written as a tree.
const MAX_CONDITION_PARTS: u32 = 1 << 16;

impl ImpartialBoard<'_> {
    /// Returns the canonical form of the region with these fluents and moves. The evaluator holds the values that the
    /// fluents may still take from the position.
    pub(super) fn canonical_form(
        &mut self,
        position: &[u8],
        fluents: &[FluentId],
        moves: &[u32],
    ) -> Checked<RegionForm> {
        let mut order = fluents.to_vec();
        let forwards = self.numbered_form(position, &order, moves)?;
        order.reverse();
        let backwards = self.numbered_form(position, &order, moves)?;
        Ok(forwards.min(backwards))
    }

    /// Returns the form under this numbering of the fluents.
    fn numbered_form(&mut self, position: &[u8], order: &[FluentId], moves: &[u32]) -> Checked<RegionForm> {
        let places: FxHashMap<FluentId, u32> = order.iter().copied().zip(0..).collect();
        let fluent = |fluent: &FluentId| FluentForm {
            size: self.sizes[fluent.index()],
            value: position[fluent.index()],
            possible: self.evaluator.possible(*fluent),
        };
        let mut form = RegionForm { fluents: order.iter().map(fluent).collect(), moves: BTreeSet::new() };
        for &number in moves {
            let made = self.moves[number as usize].clone();
            let mut left = MAX_CONDITION_PARTS;
            let legal = self.open_formula(made.legal, &places, &mut left)?;
            let mut effects = Vec::new();
            for (fluent, value, when) in made.effects {
                if !self.evaluator.may_change(fluent) || self.evaluator.evaluate(when) == ThreeValued::Never {
                    continue;
                }
                let place = *places.get(&fluent).ok_or(OUTSIDE)?;
                let mut left = MAX_CONDITION_PARTS;
                let when = self.open_formula(when, &places, &mut left)?;
                effects.push((place, value, when));
            }
            effects.sort_unstable();
            form.moves.insert(MoveForm { legal, effects });
        }
        Ok(form)
    }

    /// Returns the open part of a formula; decrements `left` for each part.
    fn open_formula(
        &mut self,
        formula: Formula,
        places: &FxHashMap<FluentId, u32>,
        left: &mut u32,
    ) -> Checked<OpenFormula> {
        *left = left.checked_sub(1).ok_or("a condition of a move is too long")?;
        match self.evaluator.evaluate(formula) {
            ThreeValued::Never => return Ok(OpenFormula::Never),
            ThreeValued::Always => return Ok(OpenFormula::Always),
            ThreeValued::Open => {}
        }
        let formulas = self.formulas;
        Ok(match formulas.node(formula) {
            FormulaNode::Lit(subject, values) => match formulas.subject(*subject).0 {
                Subject::Fluent(fluent) => {
                    let place = *places.get(fluent).ok_or(OUTSIDE)?;
                    OpenFormula::Value(place, values & self.evaluator.possible(*fluent))
                }
                Subject::Count(parts) => OpenFormula::Count(*values, self.open_parts(parts, places, left)?),
            },
            FormulaNode::And(parts) => {
                let open = self.open_among(parts);
                OpenFormula::All(self.open_parts(&open, places, left)?)
            }
            FormulaNode::Or(parts) => {
                let open = self.open_among(parts);
                OpenFormula::Any(self.open_parts(&open, places, left)?)
            }
            FormulaNode::False | FormulaNode::True | FormulaNode::Name(..) => {
                return reject("a move depends on a recursive definition");
            }
        })
    }

    /// Returns the open formulas among these. In an open "and" or "or" the decided ones make no difference.
    fn open_among(&mut self, parts: &[Formula]) -> Vec<Formula> {
        parts.iter().copied().filter(|&part| self.evaluator.evaluate(part) == ThreeValued::Open).collect()
    }

    fn open_parts(
        &mut self,
        parts: &[Formula],
        places: &FxHashMap<FluentId, u32>,
        left: &mut u32,
    ) -> Checked<Vec<OpenFormula>> {
        let mut open = Vec::with_capacity(parts.len());
        for &part in parts {
            open.push(self.open_formula(part, places, left)?);
        }
        open.sort_unstable();
        Ok(open)
    }
}

/// The refusal of a region whose moves depend on other fluents.
const OUTSIDE: &str = "a move depends on a fluent outside its component";
