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
use super::grounded::{FAULT_NOT_EXCLUDED, turnless_moves};
use super::heaps::{HeapKind, OptionSet};
use super::impartial_board::{BoardRegion, ImpartialBoard};
use super::{Checked, Checker, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::sum::ListedComponent;
use bouton_grounding::{DeleteRelaxation, FALSE, FluentId, Ground};

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
    ) -> Checked<CheckedComponents> {
        let turn = ground.fluents.turn();
        let moves = self.checked_board_moves(ground, possible, turn)?;
        self.check_impartial(&moves)?;
        let moves = turnless_moves(ground, possible)?.into_iter().filter(|(player, _)| *player == 0);
        let moves = moves.map(|(_, made)| made).collect();
        let ground = &*ground;
        let sizes = ground.fluents.iter().map(|(_, fluent)| fluent.values.len() as u32).collect();
        let mut board = ImpartialBoard::new(&ground.formulas, sizes, moves);
        let kinds = (0..).zip(listed).filter_map(|(number, of)| match of {
            ListedComponent::Heap { fluent } => Some(HeapKind { fluent: FluentId(*fluent), number }),
            ListedComponent::Region { .. } => None,
        });
        let kinds: Vec<HeapKind> = kinds.collect();
        let mut heaps = board.check_heaps(position, &kinds)?.into_iter();
        if ground.fault != FALSE && !board.never_holds(position, ground.fault, turn) {
            return reject(FAULT_NOT_EXCLUDED);
        }
        let mut known = KnownRegions::default();
        let mut options = Vec::with_capacity(listed.len());
        for (number, of) in (0..).zip(listed) {
            self.step_done()?;
            options.push(match of {
                ListedComponent::Heap { .. } => heaps.next().unwrap_or_default(),
                ListedComponent::Region { position: key, fluents } => {
                    let state = self.start(Some(key))?;
                    let here = self.fluent_position(ground, &state)?;
                    if here[turn.index()] != position[turn.index()] {
                        return reject("a component is listed with another player to move");
                    }
                    let (region, own) = self.region_options(&mut board, &here, fluents, &known)?;
                    let before = known.insert(region.form, number);
                    reject_if(before.is_some(), "one of its components is listed twice")?;
                    own
                }
            });
        }
        let among = board.region_moves.clone();
        let regions = board.regions(position, &among)?;
        let mut start = numbers(&known, &regions).ok_or("its components are not all listed")?;
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
    ) -> Checked<(BoardRegion, OptionSet)> {
        let among = board.region_moves.clone();
        let regions = board.regions(position, &among)?;
        let is_it =
            |region: &BoardRegion| region.fluents.iter().map(|fluent| fluent.0).eq(fluents.iter().copied());
        let Some(region) = regions.into_iter().find(is_it) else {
            return reject("one of its components is not one of the position that it is listed with");
        };
        let mut options = OptionSet::new();
        for after in board.successors(position, &region.moves)? {
            let parts = board.regions(&after, &region.moves)?;
            let Some(option) = numbers(known, &parts) else {
                return reject("a move leads to components that are not listed before its own");
            };
            options.insert(option);
        }
        Ok((region, options))
    }
}
