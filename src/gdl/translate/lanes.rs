//! The conditions of sentences for one block of moves: which of its moves, and what else must hold.

use bouton_rules::builder::{e, var};
use bouton_rules::{DefId, Expr, ExprKind};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::FxHashMap;

use super::{Translator, all_of, any_of, full_mask, in_mask, lane_vars, negation};
use crate::ground::{AtomId, GroundLiteral};
use crate::simplify::Body;
use crate::turns::Turns;

/// A condition that does not depend on the move, or one that does and is a definition of the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Part {
    Fixed(GroundLiteral),
    OfBlock(DefId, bool),
}

/// The cases in which a sentence is true: the moves, and what must hold beside.
#[derive(Debug, Default)]
pub(super) struct Cases(pub Vec<(u64, Vec<Part>)>);

/// A block while its moves are translated.
pub(super) struct BlockContext {
    pub role: usize,
    pub block: usize,
    pub moves: usize,
    /// The derived sentences that depend on moves, as they are in this block.
    known: FxHashMap<AtomId, InBlock>,
}

/// A derived sentence in a block.
#[derive(Clone, Copy)]
enum InBlock {
    /// It holds for these moves, whatever the position.
    Mask(u64),
    Def(DefId),
}

impl BlockContext {
    pub fn new(role: usize, block: usize, moves: usize) -> BlockContext {
        BlockContext { role, block, moves, known: FxHashMap::default() }
    }

    pub fn full(&self) -> u64 {
        full_mask(self.moves)
    }
}

impl Cases {
    /// The moves for which the sentence holds in every position, if that is all there is to say.
    pub fn mask(&self) -> Option<u64> {
        self.0
            .iter()
            .all(|(_, rest)| rest.is_empty())
            .then(|| self.0.iter().fold(0, |all, (mask, _)| all | mask))
    }

    /// Returns true if the sentence is true exactly where this condition is.
    pub fn is_just(&self, part: Part, full: u64) -> bool {
        let itself = |case: &(u64, Vec<Part>)| case.0 == full && case.1[..] == [part];
        self.0.iter().any(itself) && self.0.iter().all(|(_, rest)| rest.contains(&part))
    }
}

impl Translator<'_> {
    /// The cases in which one of the bodies holds after a move of the block.
    pub(super) fn cases<'b>(
        &mut self,
        bodies: impl Iterator<Item = &'b Body>,
        of: &mut BlockContext,
    ) -> Result<Cases, Box<Diagnostic>> {
        let mut merged: FxHashMap<Vec<Part>, u64> = FxHashMap::default();
        let mut order: Vec<Vec<Part>> = Vec::new();
        for body in bodies {
            self.count(1)?;
            let Some((mask, rest)) = self.case(body, of)? else { continue };
            let known = merged.entry(rest.clone()).or_insert_with(|| {
                order.push(rest);
                0
            });
            *known |= mask;
        }
        let cases = order.into_iter().map(|rest| (merged[&rest], rest)).collect();
        Ok(Cases(cases))
    }

    /// The moves for which a body can hold, with the conditions that remain; `None` if there are no such moves.
    fn case(
        &mut self,
        body: &Body,
        of: &mut BlockContext,
    ) -> Result<Option<(u64, Vec<Part>)>, Box<Diagnostic>> {
        let full = of.full();
        let (mut mask, mut rest) = (full, Vec::new());
        for &literal in body.iter() {
            let (moves, part) = self.in_block(literal, of)?;
            mask &= moves;
            rest.extend(part);
            if mask == 0 {
                return Ok(None);
            }
        }
        rest.sort_unstable();
        rest.dedup();
        Ok(Some((mask, rest)))
    }

    /// The moves for which a condition can hold, and the condition that remains, if one does.
    fn in_block(
        &mut self,
        literal: GroundLiteral,
        of: &mut BlockContext,
    ) -> Result<(u64, Option<Part>), Box<Diagnostic>> {
        let (atom, full) = (literal.atom(), of.full());
        let signed = |mask: u64| if literal.holds() { mask } else { full & !mask };
        if let Some(value) = self.game.certain(atom) {
            return Ok((signed(if value { full } else { 0 }), None));
        }
        if let Some(place) = self.moves.get(&atom) {
            let mask = match () {
                () if place.block == of.block => 1 << place.lane,
                () if place.role != of.role && self.waits(place.role) == Some(atom) => full,
                () => 0,
            };
            return Ok((signed(mask), None));
        }
        if let Some(player) = self.control_of(atom) {
            if player != of.role {
                return Ok((signed(0), None));
            }
            if matches!(self.fluents.get(&atom), Some(super::FluentPlace::Mover(_))) {
                return Ok((signed(full), None));
            }
        }
        if !self.changing.contains(&atom) {
            return Ok((full, Some(Part::Fixed(literal))));
        }
        let known = match of.known.get(&atom) {
            Some(known) => *known,
            None => {
                let game = self.game;
                let cases = self.cases(game.bodies(atom).iter(), of)?;
                let known = match cases.mask() {
                    Some(mask) => InBlock::Mask(mask),
                    None => InBlock::Def(self.block_def(atom, &cases, of)?),
                };
                of.known.insert(atom, known);
                known
            }
        };
        Ok(match known {
            InBlock::Mask(mask) => (signed(mask), None),
            InBlock::Def(def) => (full, Some(Part::OfBlock(def, literal.holds()))),
        })
    }

    /// The role whose turn a fluent says it is.
    fn control_of(&self, atom: AtomId) -> Option<usize> {
        let Turns::Alternating(turns) = &self.turns else { return None };
        turns.iter().position(|turn| turn.control == Some(atom))
    }

    fn waits(&self, role: usize) -> Option<AtomId> {
        let Turns::Alternating(turns) = &self.turns else { return None };
        turns[role].waits
    }

    /// Makes the definition of a derived sentence for a block; its parameter is the place of the move.
    fn block_def(
        &mut self,
        atom: AtomId,
        cases: &Cases,
        of: &BlockContext,
    ) -> Result<DefId, Box<Diagnostic>> {
        let body = self.formula(cases, of)?;
        let relation = self.sheet.symbols.name(self.game.facts.relation(atom)).to_owned();
        let args: Vec<String> = self.game.facts.args(atom).iter().map(|&arg| self.render(arg)).collect();
        let name = format!("{relation} {} of block {}", args.join(" "), of.block + 1);
        Ok(self.truth_def(name, lane_vars(of.moves), body, None))
    }

    /// The cases as a formula with the place of the move as its variable.
    pub(super) fn formula(&mut self, cases: &Cases, of: &BlockContext) -> Result<Expr, Box<Diagnostic>> {
        let mut parts = Vec::new();
        for (mask, rest) in &cases.0 {
            self.count(rest.len() + 2)?;
            let mut all: Vec<Expr> = Vec::new();
            if *mask != of.full() {
                all.push(in_mask(*mask, of.moves));
            }
            all.extend(rest.iter().map(|&part| self.part(part, of)));
            parts.push(all_of(all));
        }
        Ok(any_of(parts))
    }

    fn part(&self, part: Part, of: &BlockContext) -> Expr {
        match part {
            Part::Fixed(literal) => self.literal(literal),
            Part::OfBlock(def, holds) => {
                let args = if of.moves > 1 { vec![var(0)] } else { Vec::new() };
                let call = e(ExprKind::Call(def, args));
                if holds { call } else { negation(call) }
            }
        }
    }
}
