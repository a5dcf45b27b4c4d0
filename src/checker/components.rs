//! The common part of the checks of SUM and QUOTIENT: the components of the position are those that are listed.
//!
//! The certificate lists components, each after all that its moves lead to: a region as its fluents in a position, a
//! kind of heap as the fluent that counts it. The check takes them one by one and never searches. A region must be one
//! of its position, and each move on it must lead to regions whose forms are those of components listed before it; so
//! must the position itself. A component thus consists of moves to sums of components before it: no play on it comes
//! back, and a value that is right for those before it and checked for its own moves is right for it, by induction.
//! The listed position need not arise in play: a component stands for every game with the same canonical form.

use rustc_hash::FxHashMap;

use super::canonical_form::RegionForm;
use super::grounded::FAULT_NOT_EXCLUDED;
use super::heaps::{HeapKind, OptionSet};
use super::impartial_board::{BoardRegion, ImpartialBoard, ImpartialMove};
use super::{CheckError, Checker};
use bouton_base::id::Id;
use bouton_certificates::sum::ListedComponent;
use bouton_grounding::{ActionMaker, DeleteRelaxation, FALSE, FluentId, Ground};

/// The components of a position, which are those of the certificate.
pub(super) struct CheckedComponents {
    /// By component: the results of its moves, as numbers of components before it.
    pub options: Vec<OptionSet>,
    /// The components of the position itself.
    pub start: Vec<u32>,
}

/// The numbers of the listed regions so far, by form.
type KnownRegions = FxHashMap<RegionForm, u32>;

/// Returns the numbers of these regions, in order; `None` if one is unknown.
fn numbers(known: &KnownRegions, regions: &[BoardRegion]) -> Option<Vec<u32>> {
    let mut numbers = Vec::with_capacity(regions.len());
    for region in regions {
        numbers.push(*known.get(&region.form)?);
    }
    numbers.sort_unstable();
    Some(numbers)
}

impl Checker<'_> {
    /// Checks the listed components of a position, that both players have the same moves, and that the rules have a
    /// meaning in all reachable positions.
    pub(super) fn components(
        &mut self,
        ground: &mut Ground,
        position: &[u8],
        possible: &DeleteRelaxation,
        listed: &[&ListedComponent],
    ) -> Result<CheckedComponents, CheckError> {
        let turn = ground.fluents.turn();
        let moves = self.checked_board_moves(ground, possible, turn)?;
        self.check_impartial(&moves)?;
        let moves = self.impartial_moves(ground, possible)?;
        let ground = &*ground;
        let sizes = ground.fluents.iter().map(|(_, fluent)| fluent.values.len() as u32).collect();
        let mut board = ImpartialBoard::new(&ground.formulas, sizes, moves);
        let kinds = (0..).zip(listed).filter_map(|(number, of)| match of {
            ListedComponent::Heap { fluent } => Some(HeapKind { fluent: FluentId(*fluent), number }),
            ListedComponent::Region { .. } => None,
        });
        let kinds: Vec<HeapKind> = kinds.collect();
        let mut heaps = self.or_reject(board.check_heaps(position, &kinds))?.into_iter();
        if ground.fault != FALSE && !board.never_holds(position, ground.fault, turn) {
            return self.reject(FAULT_NOT_EXCLUDED);
        }
        let mut known = KnownRegions::default();
        let mut options = Vec::with_capacity(listed.len());
        for (number, of) in (0..).zip(listed) {
            self.visited += 1;
            if let Some(hit) = self.limits.check() {
                return Err(CheckError::Limit(hit));
            }
            options.push(match of {
                ListedComponent::Heap { .. } => heaps.next().unwrap_or_default(),
                ListedComponent::Region { position: key, fluents } => {
                    let state = self.start(Some(key))?;
                    let here = self.fluent_position(ground, &state)?;
                    if here[turn.index()] != position[turn.index()] {
                        return self.reject("a component is listed with another player to move");
                    }
                    let (region, own) = self.region_options(&mut board, &here, fluents, &known)?;
                    if known.insert(region.form, number).is_some() {
                        return self.reject("one of its components is listed twice");
                    }
                    own
                }
            });
        }
        let among = board.region_moves.clone();
        let regions = self.or_reject(board.regions(position, &among))?;
        let Some(mut start) = numbers(&known, &regions) else {
            return self.reject("its components are not all listed");
        };
        for kind in &kinds {
            let heaps = usize::from(position[kind.fluent.index()]);
            start.extend(std::iter::repeat_n(kind.number, heaps));
        }
        Ok(CheckedComponents { options, start })
    }

    /// Returns the region of a position with these fluents, and the results of the moves on it.
    fn region_options(
        &self,
        board: &mut ImpartialBoard<'_>,
        position: &[u8],
        fluents: &[u32],
        known: &KnownRegions,
    ) -> Result<(BoardRegion, OptionSet), CheckError> {
        let among = board.region_moves.clone();
        let regions = self.or_reject(board.regions(position, &among))?;
        let is_it =
            |region: &BoardRegion| region.fluents.iter().map(|fluent| fluent.0).eq(fluents.iter().copied());
        let Some(region) = regions.into_iter().find(is_it) else {
            return self.reject("one of its components is not one of the position that it is listed with");
        };
        let mut options = OptionSet::new();
        for after in self.or_reject(board.successors(position, &region.moves))? {
            let parts = self.or_reject(board.regions(&after, &region.moves))?;
            let Some(option) = numbers(known, &parts) else {
                return self.reject("a move leads to components that are not listed before its own");
            };
            options.insert(option);
        }
        Ok((region, options))
    }

    /// Returns the moves of the first player that may ever be legal, on the board alone.
    fn impartial_moves(
        &self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
    ) -> Result<Vec<ImpartialMove>, CheckError> {
        let turn = ground.fluents.turn();
        let mut moves = Vec::new();
        for number in 0..ground.actions.len() {
            let action = ground.actions[number].clone();
            if !possible.actions[number] || action.maker != ActionMaker::Player(0) {
                continue;
            }
            let Some(legal) = ground.formulas.substitute(action.legal, turn, 0) else {
                return self.reject(RECURSIVE);
            };
            let mut effects = Vec::new();
            for update in action.updates.iter().filter(|update| update.fluent != turn) {
                for &(value, when) in &update.values {
                    let Some(when) = ground.formulas.substitute(when, turn, 0) else {
                        return self.reject(RECURSIVE);
                    };
                    effects.push((update.fluent, value, when));
                }
            }
            moves.push(ImpartialMove { legal, effects });
        }
        Ok(moves)
    }
}

const RECURSIVE: &str = "moves depend on a recursive definition";
