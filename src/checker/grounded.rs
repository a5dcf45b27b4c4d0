//! The common part of the checks on grounded rules: grounding itself, the end of the game, finiteness of play, and
//! moves as their effects on the board.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{CheckError, Checker};
use bouton_base::id::Id;
use bouton_certificates::PayoffBound;
use bouton_grounding::{
    Action, ActionMaker, DeleteRelaxation, FALSE, FluentId, Formula, FormulaEvaluator, Ground,
    PairwiseReachability, TRUE, Transition, ground, value_numbers, values_after,
};
use bouton_reference::State;

/// A move on the board alone, with the player to move substituted.
pub(super) struct CheckedBoardMove {
    pub legal: Formula,
    /// By fluent and new value: the condition for it.
    pub updates: FxHashMap<(FluentId, u8), Formula>,
    pub reads: FxHashSet<FluentId>,
    pub writes: FxHashSet<FluentId>,
}

/// The pairs of old and new values, by fluent.
type ValueChanges = FxHashMap<FluentId, FxHashSet<(u8, u8)>>;

/// The reason of rejection if the rules may have a fault.
pub(super) const FAULT_NOT_EXCLUDED: &str =
    "the rules alone do not show that they have a meaning in every position";

/// The maximal number of steps of an analysis of grounded rules; it is the same on every machine.
pub(super) const ANALYSIS_BUDGET: u64 = 50_000_000;

impl Checker<'_> {
    /// Returns the grounded rules, which must have a meaning in every position.
    pub(super) fn faultless_ground(&self) -> Result<Ground, CheckError> {
        let ground = self.grounded()?;
        if ground.fault != FALSE {
            return self.reject(FAULT_NOT_EXCLUDED);
        }
        Ok(ground)
    }

    /// Checks that the grounded rules have a meaning in all of these positions.
    pub(super) fn check_faultless_within(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        budget: &mut u64,
    ) -> Result<(), CheckError> {
        let faulty = joint.may_hold(ground, ground.fault, budget);
        if self.within_budget(faulty)? { self.reject(FAULT_NOT_EXCLUDED) } else { Ok(()) }
    }

    /// Returns the grounded rules, which may have a fault in some position.
    pub(super) fn grounded(&self) -> Result<Ground, CheckError> {
        if let Some(written) = self.grounded.get() {
            return Ok(written.clone());
        }
        let ground = match ground(self.interpreter.rules(), self.limits) {
            Ok(ground) => ground,
            Err(refusal) => {
                // A refusal for lack of time says nothing about the claim.
                if let Some(hit) = self.limits.check() {
                    return Err(CheckError::Limit(hit));
                }
                return self.reject(format!("the rules cannot be grounded: {refusal}"));
            }
        };
        Ok(self.grounded.get_or_init(|| ground).clone())
    }

    /// Returns the holder of a bound, who must be one of two players.
    pub(super) fn holder_of_two(&self, bound: &PayoffBound) -> Result<u32, CheckError> {
        match bound.holder {
            Some(holder) if holder < 2 && self.rules.players().len() == 2 => Ok(holder),
            _ => self.reject("it is for one of two players"),
        }
    }

    /// Returns a position as the numbers of the fluents' values.
    pub(super) fn fluent_position(&self, ground: &Ground, state: &State) -> Result<Vec<u8>, CheckError> {
        match ground.fluents.position(&self.interpreter.cells(state)) {
            Some(position) => Ok(position),
            None => self.reject("the position holds what no fluent can hold"),
        }
    }

    /// Checks that the game is over if and only if the player to move has no move, and that this satisfies the
    /// holder's bound if `mover` is that player: the opponent in normal play, the holder in misere play.
    pub(super) fn check_ends_when_stuck(
        &self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
        mover: u32,
        bound: PayoffBound,
    ) -> Result<(), CheckError> {
        let turn = ground.fluents.turn();
        if possible.values[ground.fluents.phase().index()].count_ones() != 1 {
            return self.reject("the game has phases");
        }
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let stuck = ground.formulas.not(free);
        for player in 0..2 {
            let stuck = ground.formulas.substitute(stuck, turn, player);
            if stuck.is_none() || stuck != ground.formulas.substitute(ground.over, turn, player) {
                return self.reject("the game does not end just where the player to move has no move");
            }
        }
        for end in ground.ends.clone() {
            let Some(here) = ground.formulas.substitute(end.when, turn, mover as u8) else {
                return self.reject("an end depends on a recursive definition");
            };
            let enough = bound.holder.is_some_and(|holder| end.payoffs[holder as usize] >= bound.payoff);
            if !enough && ground.relaxed_evaluator(possible).may_hold(here) {
                return self.reject("an end without a move does not always give the holder that much");
            }
        }
        Ok(())
    }

    /// Checks that each move that may be legal changes irreversibly a fluent whose values never recur: so play is
    /// finite.
    pub(super) fn check_irreversible(
        &self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
    ) -> Result<(), CheckError> {
        let turn = ground.fluents.turn();
        let live: Vec<Action> = live(ground, possible).cloned().collect();
        let mut changes = Vec::new();
        for action in &live {
            let mut own: ValueChanges = FxHashMap::default();
            for becomes in &action.updates {
                let size = ground.fluents.get(becomes.fluent).values.len();
                let subject = ground.formulas.fluent(becomes.fluent, size);
                for (to, when) in &becomes.values {
                    for from in value_numbers(possible.values[becomes.fluent.index()]) {
                        let here = ground.formulas.lit(subject, 1 << from);
                        if ground.formulas.and([action.legal, *when, here]) != FALSE {
                            own.entry(becomes.fluent).or_default().insert((from as u8, *to));
                        }
                    }
                }
            }
            changes.push((self.interpreter.call_form(&action.play), own));
        }
        self.check_irreversible_changes(turn, &changes)
    }

    /// Does the same for steps, within an upper bound of the positions in which they are made.
    pub(super) fn check_irreversible_within(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        steps: &[(String, Transition)],
        budget: &mut u64,
    ) -> Result<(), CheckError> {
        let mut changes = Vec::new();
        for (name, step) in steps {
            let mut own: ValueChanges = FxHashMap::default();
            for becomes in &step.becomes {
                let whens: Vec<Formula> = becomes.values.iter().map(|(_, when)| *when).collect();
                let mut of = ground.support(step.legal, &whens);
                of.retain(|fluent| *fluent != becomes.fluent);
                of.push(becomes.fluent);
                let mut found = FxHashSet::default();
                let looked = joint.cases(&ground.formulas, step.legal, &of, budget, &mut |here| {
                    let from = here[becomes.fluent.index()].trailing_zeros() as u8;
                    found.extend(
                        values_after(&ground.formulas, &becomes.values, here)
                            .into_iter()
                            .map(|to| (from, to)),
                    );
                });
                self.within_budget(looked)?;
                own.insert(becomes.fluent, found);
            }
            changes.push((name.clone(), own));
        }
        self.check_irreversible_changes(ground.fluents.turn(), &changes)
    }

    /// Checks that each of these moves irreversibly changes a fluent whose values never recur.
    fn check_irreversible_changes(
        &self,
        turn: FluentId,
        changes: &[(String, ValueChanges)],
    ) -> Result<(), CheckError> {
        let mut all: ValueChanges = FxHashMap::default();
        for (fluent, steps) in changes.iter().flat_map(|(_, own)| own) {
            all.entry(*fluent).or_default().extend(steps.iter().filter(|(from, to)| from != to));
        }
        let one_way: FxHashSet<&FluentId> = all
            .iter()
            .filter(|(fluent, steps)| **fluent != turn && is_acyclic(steps))
            .map(|(of, _)| of)
            .collect();
        for (name, own) in changes {
            let leaves = |steps: &FxHashSet<(u8, u8)>| steps.iter().all(|(from, to)| from != to);
            if !own.iter().any(|(fluent, steps)| leaves(steps) && one_way.contains(fluent)) {
                return self.reject(format!(
                    "the rules alone do not show that every play ends: `{name}` may change nothing for good"
                ));
            }
        }
        Ok(())
    }

    /// Returns the result of an analysis, or an error if a limit or its budget ran out.
    pub(super) fn within_budget<T>(&self, looked: Option<T>) -> Result<T, CheckError> {
        if let Some(hit) = self.limits.check() {
            return Err(CheckError::Limit(hit));
        }
        looked.map_or_else(|| self.reject("the rules have too many cases to check"), Ok)
    }

    /// Checks that a position in which no player can move is an end.
    pub(super) fn check_stuck_is_end(&self, ground: &mut Ground) -> Result<(), CheckError> {
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let stuck = ground.formulas.not(free);
        if stuck != ground.over && ground.formulas.and_not(stuck, ground.over) != FALSE {
            return self.reject("the rules alone do not show that the game is over where nobody can move");
        }
        Ok(())
    }

    /// Checks that both players have the same moves.
    pub(super) fn check_impartial(
        &self,
        [first, second]: &[Vec<CheckedBoardMove>; 2],
    ) -> Result<(), CheckError> {
        let has_twin = |of: &CheckedBoardMove, among: &[CheckedBoardMove]| {
            among.iter().any(|other| other.legal == of.legal && other.updates == of.updates)
        };
        if first.iter().all(|of| has_twin(of, second)) && second.iter().all(|of| has_twin(of, first)) {
            return Ok(());
        }
        self.reject("the players do not have the same moves")
    }

    /// Returns the position after the opening, which must be a legal move of the holder.
    pub(super) fn position_after_opening(
        &self,
        ground: &Ground,
        position: Vec<u8>,
        holder: u32,
        opening: Option<&str>,
    ) -> Result<Vec<u8>, CheckError> {
        let mut reading = FormulaEvaluator::new(&ground.formulas, &position);
        if reading.holds(ground.over) {
            return self.reject("the game is over where it begins");
        }
        if reading.holds(ground.fault) {
            return self.reject(FAULT_NOT_EXCLUDED);
        }
        let Some(opening) = opening else { return Ok(position) };
        match self.action(ground, holder, opening).filter(|action| reading.holds(action.legal)) {
            Some(action) => Ok(ground.successor(&mut reading, &position, action)),
            None => self.reject(format!("the opening `{opening}` is not a legal move")),
        }
    }

    /// Returns the move of a player with this name.
    pub(super) fn action<'g>(&self, ground: &'g Ground, player: u32, name: &str) -> Option<&'g Action> {
        let own = |action: &&Action| {
            action.maker == ActionMaker::Player(player) && self.interpreter.call_form(&action.play) == name
        };
        ground.actions.iter().find(own)
    }

    /// Returns the moves on the board of both players that may ever be legal.
    pub(super) fn checked_board_moves(
        &mut self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
        turn: FluentId,
    ) -> Result<[Vec<CheckedBoardMove>; 2], CheckError> {
        let constant: FxHashSet<FluentId> = ground
            .fluents
            .iter()
            .map(|(id, _)| id)
            .filter(|id| *id == turn || possible.values[id.index()].count_ones() == 1)
            .collect();
        let mut moves: [Vec<CheckedBoardMove>; 2] = [Vec::new(), Vec::new()];
        for number in 0..ground.actions.len() {
            if !possible.actions[number] {
                continue;
            }
            self.visited += 1;
            if let Some(hit) = self.limits.check() {
                return Err(CheckError::Limit(hit));
            }
            let action = ground.actions[number].clone();
            let ActionMaker::Player(player) = action.maker else {
                return self.reject("players move simultaneously");
            };
            let on_board = self.checked_board_move(ground, &action, player, turn, possible, &constant)?;
            moves[player as usize].extend(on_board);
        }
        Ok(moves)
    }

    /// Returns a move on the board, with the player to move substituted; `None` if it is never legal. The move must
    /// pass the turn to the opponent.
    fn checked_board_move(
        &self,
        ground: &mut Ground,
        action: &Action,
        player: u32,
        turn: FluentId,
        possible: &DeleteRelaxation,
        constant: &FxHashSet<FluentId>,
    ) -> Result<Option<CheckedBoardMove>, CheckError> {
        let name = self.interpreter.call_form(&action.play);
        let Some(legal) = ground.formulas.substitute(action.legal, turn, player as u8) else {
            return self.reject(format!("`{name}` depends on a recursive definition"));
        };
        if legal == FALSE {
            return Ok(None);
        }
        if ground.formulas.substitute(action.legal, turn, 1 - player as u8) != Some(FALSE) {
            return self.reject(format!("`{name}` may be made out of turn"));
        }
        let passes_on = action
            .updates
            .iter()
            .any(|becomes| becomes.fluent == turn && becomes.values == [((1 - player) as u8, TRUE)]);
        if !passes_on {
            return self.reject(format!("after `{name}` it is not always the other player's turn"));
        }
        let mut on_board = CheckedBoardMove {
            legal,
            updates: FxHashMap::default(),
            reads: FxHashSet::default(),
            writes: FxHashSet::default(),
        };
        ground.formulas.collect_fluents(legal, &mut on_board.reads);
        for becomes in action.updates.iter().filter(|becomes| becomes.fluent != turn) {
            let mut writes = false;
            for (value, when) in &becomes.values {
                let Some(when) = ground.formulas.substitute(*when, turn, player as u8) else {
                    return self.reject(format!("`{name}` depends on a recursive definition"));
                };
                let when = ground.formulas.and([legal, when]);
                if when == FALSE || possible.values[becomes.fluent.index()] >> value & 1 == 0 {
                    continue;
                }
                writes = true;
                ground.formulas.collect_fluents(when, &mut on_board.reads);
                on_board.updates.insert((becomes.fluent, *value), when);
            }
            if writes {
                on_board.writes.insert(becomes.fluent);
            }
        }
        for set in [&mut on_board.reads, &mut on_board.writes] {
            set.retain(|fluent| !constant.contains(fluent));
        }
        Ok(Some(on_board))
    }
}

fn live<'g>(ground: &'g Ground, possible: &'g DeleteRelaxation) -> impl Iterator<Item = &'g Action> {
    ground.actions.iter().zip(&possible.actions).filter(|(_, live)| **live).map(|(action, _)| action)
}

/// Returns true if no value can recur, that is, the graph of value changes is acyclic.
fn is_acyclic(steps: &FxHashSet<(u8, u8)>) -> bool {
    let mut left: Vec<(u8, u8)> = steps.iter().copied().collect();
    loop {
        let before = left.len();
        // A change is irrelevant to cycles if no change starts where it ends.
        let from: FxHashSet<u8> = left.iter().map(|(from, _)| *from).collect();
        left.retain(|(_, to)| from.contains(to));
        if left.is_empty() {
            return true;
        }
        if left.len() == before {
            return false;
        }
    }
}
