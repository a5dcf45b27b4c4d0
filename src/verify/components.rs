//! The common part of the checks on sums: both players have the same moves, and the position decomposes as listed.

use super::written::OnBoard;
use super::{Checker, Stop};
use crate::cert::sum::Component;
use crate::ground::{Apart, FALSE, Ground, Possible, Types, Unfit};

impl Checker<'_> {
    /// Returns the components reachable from a position, which must be exactly the listed ones. Checks that both
    /// players have the same moves, and that the rules have a meaning in all reachable positions.
    pub(super) fn components<'c>(
        &mut self,
        ground: &mut Ground,
        position: &[u8],
        possible: &Possible,
        listed: impl ExactSizeIterator<Item = &'c Component>,
    ) -> Result<Types, Stop> {
        let turn = ground.fluents.turn();
        let [first, second] = self.moves(ground, possible, turn)?;
        let has_twin = |of: &OnBoard, among: &[OnBoard]| {
            among.iter().any(|other| other.legal == of.legal && other.becomes == of.becomes)
        };
        if !first.iter().all(|of| has_twin(of, &second)) || !second.iter().all(|of| has_twin(of, &first)) {
            return self.reject("the players do not have the same moves");
        }
        let Some(moves) = ground.board_moves(0) else {
            return self.reject("moves depend on what is defined by itself");
        };
        let mut apart = match Apart::new(ground, moves, position) {
            Ok(apart) => apart,
            Err(reason) => return self.reject(reason),
        };
        if ground.fault != FALSE && !apart.never(position, ground.fault) {
            return self.reject("that the rules have a meaning everywhere does not show without play");
        }
        let types = match Types::of(&mut apart, position, listed.len(), self.limits) {
            Ok(types) => types,
            Err(Unfit::Limit(hit)) => return Err(Stop::Limit(hit)),
            Err(Unfit::Reason(reason)) => return self.reject(reason),
        };
        self.looked += types.list.len() as u64;
        let same = |(of, listed): (&crate::ground::Type, &Component)| {
            of.values == listed.values
                && of.fluents.len() == listed.fluents.len()
                && of.fluents.iter().zip(&listed.fluents).all(|(one, other)| one.0 == *other)
        };
        if types.list.len() != listed.len() || !types.list.iter().zip(listed).all(same) {
            return self.reject("its components are not those into which the position falls apart");
        }
        Ok(types)
    }
}
