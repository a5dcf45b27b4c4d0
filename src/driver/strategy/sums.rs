//! Sums of independent components: the strategy keeps their nim sum at 0.

use super::strategy_player::StrategyInvariant;
use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_base::limits::{Limits, NoProgress};
use bouton_certificates::sum::{ListedComponent, ValuedComponent};
use bouton_certificates::{Claim, Convention, Lemma, PositionKey, SumLemma};
use bouton_detect::decomposition::{Component, ComponentType};
use bouton_detect::sums::sums;
use bouton_grounding::{ActionMaker, FluentId, FormulaEvaluator};
use bouton_report::page::Overlay;
use bouton_report::words::truncated_list;
use bouton_search::game::explore::count_positions;
use bouton_search::solve::WrittenMove;

/// A component of the position with its nimber.
struct NimberComponent {
    fluents: Vec<FluentId>,
    nimber: u32,
}

/// Nim sums.
pub const NIM: StrategySolver = StrategySolver {
    name: "nim",
    description: "independent components, whose nim sum stays 0",
    search: |search| search.by_sum(),
};

/// The number of positions for each different part above which the values of the parts are a rule, if the position is
/// one part itself: with fewer, they are no more than a list of the positions (Chomp falls apart at its end alone).
pub const MIN_POSITIONS_PER_PART: u64 = 8;

impl StrategySearch<'_> {
    pub(super) fn by_sum(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let players = self.game.rules.players();
        if players.len() != 2 {
            return Err("nim sums are for two players".into());
        }
        match Convention::of(&self.game.rules) {
            Convention::Normal => {}
            Convention::Misere => return self.by_quotient(),
            _ => {
                let why = "the game does not end just where the player to move has no move";
                return Err(why.into());
            }
        }
        let mut ground = self.ground.clone();
        let mut sums = sums(&mut ground, &self.position, self.limits)?;
        let total = sums.nim_sum();
        let mover = self.mover();
        let holder = if total == 0 { 1 - mover.min(1) } else { mover };
        let components = sums.types.list.iter().zip(&sums.nimbers);
        let components =
            components.map(|(of, &nimber)| ValuedComponent { component: self.listed_component(of), nimber });
        let lemmas =
            vec![Lemma::Sum(SumLemma { bound: Self::win(holder), components: components.collect() })];
        let proof = self.check(Claim::Wins { player: holder, plies: None }, lemmas)?;
        let best = match total {
            0 => Vec::new(),
            _ => self.moves_to(mover, |after| sums.nim_sum_of(after) == Some(0)),
        };
        let parts: Vec<NimberComponent> = sums
            .types
            .start
            .iter()
            .map(|&number| number as usize)
            .map(|of| NimberComponent {
                fluents: sums.types.list[of].component.fluents().to_vec(),
                nimber: sums.nimbers[of],
            })
            .collect();
        let (how, why) = self.told_of_sum(&parts, total, &best, &players[holder as usize]);
        let (value, drawn) = (self.won(holder), self.parts_drawn(&parts));
        let told = StrategyDescription {
            value,
            how,
            why,
            best,
            proof,
            overlay: drawn,
            invariant: StrategyInvariant::NimSum,
        };
        let mut remembered = self.accept_without_line(told);
        remembered.solution.nimber = Some(total);
        remembered.is_rule = parts.len() > 1 || self.has_more_positions(sums.types.list.len() as u64);
        Ok(remembered)
    }

    /// Returns true if there are many positions for each of this number of parts.
    fn has_more_positions(&self, parts: u64) -> bool {
        let limits = Limits { positions: Some(parts * MIN_POSITIONS_PER_PART), ..self.limits.clone() };
        count_positions(self.game, self.state, &limits, &NoProgress).is_ok_and(|count| !count.complete)
    }

    /// A solved strategy that begins with any of several moves, which are not a line of play.
    pub(super) fn accept_without_line(&self, told: StrategyDescription) -> AcceptedStrategy {
        let mut remembered = self.accept(told);
        remembered.solution.line.clear();
        remembered.solution.best_moves_complete = true;
        remembered
    }

    /// The moves that lead to positions for which `such` returns true.
    pub(super) fn moves_to(&self, mover: u32, mut such: impl FnMut(&[u8]) -> bool) -> Vec<WrittenMove> {
        let mut best = Vec::new();
        let mut reading = FormulaEvaluator::new(&self.ground.formulas, &self.position);
        for action in &self.ground.actions {
            if action.maker != ActionMaker::Player(mover) || !reading.holds(action.legal) {
                continue;
            }
            let after = self.ground.successor(&mut reading, &self.position, action);
            if such(&after) {
                best.push(self.made(&action.play));
            }
        }
        best
    }

    fn told_of_sum(
        &self,
        parts: &[NimberComponent],
        total: u32,
        best: &[WrittenMove],
        name: &str,
    ) -> (String, String) {
        let back = "if all columns are even, every move makes one odd; otherwise some move makes all even"
            .to_owned();
        if parts.len() < 2 {
            let first: Vec<String> = best.iter().map(|made| made.written.clone()).collect();
            let begins = match first.is_empty() {
                true => format!("the whole is worth 0, and {name} makes it 0 again after each move"),
                false => format!(
                    "the whole is worth {total}; {name} makes it 0 ({}) and does so again each time",
                    truncated_list(&first, 3)
                ),
            };
            let back = "where the whole is worth 0, each move makes it another number, and another move makes it 0 again";
            let how = match parts.len() {
                0 => begins,
                _ => format!(
                    "the value of a position is the sum of its parts in binary without carrying, and the start is one part; \
                     {begins}"
                ),
            };
            return (how, back.to_owned());
        }
        let width =
            parts.iter().map(|part| 32 - part.nimber.leading_zeros()).max().unwrap_or(1).max(1) as usize;
        let values: Vec<String> = parts.iter().map(|part| part.nimber.to_string()).collect();
        let columns: Vec<String> = parts.iter().map(|part| format!("{:0width$b}", part.nimber)).collect();
        let how = match total {
            0 => format!("every column has an even number of ones, which {name} restores after each move"),
            _ => format!("{name} makes the number of ones in every column even, and does so again each time"),
        };
        let how =
            format!("the parts are worth {} (in binary {}); {how}", values.join(", "), columns.join(", "));
        (how, back)
    }

    /// Returns a component in the terms of certificates.
    pub(super) fn listed_component(&self, of: &ComponentType) -> ListedComponent {
        match &of.component {
            Component::Heap(fluent) => ListedComponent::Heap { fluent: fluent.0 },
            Component::Region(region) => {
                let cells = self.ground.fluents.cells(&region.position);
                let state = self.interpreter.with_cells(&cells);
                ListedComponent::Region {
                    position: PositionKey(self.interpreter.pack(&state)),
                    fluents: region.fluents.iter().map(|fluent| fluent.0).collect(),
                }
            }
        }
    }

    /// Draws parts of one fluent as heaps, and parts of several as regions.
    fn parts_drawn(&self, parts: &[NimberComponent]) -> Overlay {
        if parts.len() < 2 {
            return Overlay::None;
        }
        if parts.iter().all(|part| part.fluents.len() == 1) {
            let heap = |part: &NimberComponent| (self.name(part.fluents[0]), u64::from(part.nimber));
            return Overlay::Heaps(parts.iter().map(heap).collect());
        }
        let region = |part: &NimberComponent| {
            let itself: Vec<(FluentId, FluentId)> = part.fluents.iter().map(|&of| (of, of)).collect();
            self.cells(&itself).into_iter().map(|(cell, _)| cell).collect()
        };
        Overlay::Regions(parts.iter().map(region).collect())
    }
}
