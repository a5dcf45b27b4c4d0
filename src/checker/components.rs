//! The common part of the checks on sums: both players have the same moves, and the position decomposes as listed.

use super::grounded::CheckedBoardMove;
use super::{CheckError, Checker};
use bouton_certificates::sum::ListedComponent;
use bouton_grounding::{ComponentTypes, Decomposer, DeleteRelaxation, FALSE, Ground, NotApplicable};

impl Checker<'_> {
    /// Returns the components reachable from a position, which must be exactly the listed ones. Checks that both
    /// players have the same moves, and that the rules have a meaning in all reachable positions.
    pub(super) fn components<'c>(
        &mut self,
        ground: &mut Ground,
        position: &[u8],
        possible: &DeleteRelaxation,
        listed: impl ExactSizeIterator<Item = &'c ListedComponent>,
    ) -> Result<ComponentTypes, CheckError> {
        let turn = ground.fluents.turn();
        let [first, second] = self.checked_board_moves(ground, possible, turn)?;
        let has_twin = |of: &CheckedBoardMove, among: &[CheckedBoardMove]| {
            among.iter().any(|other| other.legal == of.legal && other.updates == of.updates)
        };
        if !first.iter().all(|of| has_twin(of, &second)) || !second.iter().all(|of| has_twin(of, &first)) {
            return self.reject("the players do not have the same moves");
        }
        let Some(moves) = ground.board_moves(0) else {
            return self.reject("moves depend on a recursive definition");
        };
        let mut apart = match Decomposer::new(ground, moves, position) {
            Ok(apart) => apart,
            Err(reason) => return self.reject(reason),
        };
        if ground.fault != FALSE && !apart.never_reached(position, ground.fault) {
            return self.reject("the rules alone do not show that they have a meaning in every position");
        }
        let types = match ComponentTypes::of(&mut apart, position, listed.len(), self.limits) {
            Ok(types) => types,
            Err(NotApplicable::Limit(hit)) => return Err(CheckError::Limit(hit)),
            Err(NotApplicable::Reason(reason)) => return self.reject(reason),
        };
        self.visited += types.list.len() as u64;
        let same = |(of, listed): (&bouton_grounding::ComponentType, &ListedComponent)| {
            of.values == listed.values
                && of.fluents.len() == listed.fluents.len()
                && of.fluents.iter().zip(&listed.fluents).all(|(one, other)| one.0 == *other)
        };
        if types.list.len() != listed.len() || !types.list.iter().zip(listed).all(same) {
            return self.reject("its components are not those of the position");
        }
        Ok(types)
    }
}
