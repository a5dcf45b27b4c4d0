//! The common part of the checks on grounded rules: grounding itself, the end of the game, finiteness of play, and
//! moves as their effects on the board.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checked, Checker, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates::PayoffBound;
use bouton_certificates::mirror::FluentImage;
use bouton_grounding::{
    Action, ActionMaker, DeleteRelaxation, FALSE, FluentId, Formula, FormulaEvaluator, Ground,
    PairwiseReachability, Renaming, TRUE, Transition, ground, value_numbers, values_after,
};
use bouton_reference::State;

/// A move on the board alone, with the player to move substituted.
pub(super) struct CheckedBoardMove {
    pub name: String,
    pub legal: Formula,
    /// By fluent and new value: the condition for it.
    pub updates: FluentEffects,
    pub reads: FxHashSet<FluentId>,
    pub writes: FxHashSet<FluentId>,
}

/// The effects of a move: by fluent and new value, the condition for it.
pub(super) type FluentEffects = FxHashMap<(FluentId, u8), Formula>;

/// Moves, each with its number and name.
pub(super) type NamedMoves = Vec<(usize, String, Transition)>;

/// The pairs of old and new values, by fluent.
type ValueChanges = FxHashMap<FluentId, FxHashSet<(u8, u8)>>;

/// The reason of rejection if the rules may have a fault.
pub(super) const FAULT_NOT_EXCLUDED: &str =
    "the rules alone do not show that they have a meaning in every position";

/// The maximal number of steps of an analysis of grounded rules; it is the same on every machine.
pub(super) const ANALYSIS_BUDGET: u64 = 50_000_000;

/// Returns the conditions of effects with fluents renamed.
pub(super) fn renamed_effects(
    ground: &mut Ground,
    effects: &FluentEffects,
    by: &Renaming,
) -> Checked<FluentEffects> {
    let mut renamed = FluentEffects::default();
    for (&(fluent, value), &when) in effects {
        let when = ground.formulas.rename(when, by).ok_or("a move depends on a recursive definition")?;
        let there = by.fluents[fluent.index()];
        renamed.insert((there, by.values[fluent.index()][usize::from(value)]), when);
    }
    Ok(renamed)
}

impl Checker<'_> {
    /// Returns the grounded rules, which must have a meaning in every position.
    pub(super) fn faultless_ground(&self) -> Checked<Ground> {
        let ground = self.grounded()?;
        reject_if(ground.fault != FALSE, FAULT_NOT_EXCLUDED)?;
        Ok(ground)
    }

    /// Checks that the grounded rules have a meaning in all of these positions.
    pub(super) fn check_faultless_within(
        &self,
        ground: &Ground,
        joint: &PairwiseReachability,
        budget: &mut u64,
    ) -> Checked<()> {
        let faulty = joint.may_hold(ground, ground.fault, budget);
        if self.within_budget(faulty)? { reject(FAULT_NOT_EXCLUDED) } else { Ok(()) }
    }

    /// Returns the grounded rules, which may have a fault in some position.
    pub(super) fn grounded(&self) -> Checked<Ground> {
        if let Some(written) = self.grounded.get() {
            return Ok(written.clone());
        }
        let ground = match ground(self.interpreter.rules(), self.limits) {
            Ok(ground) => ground,
            Err(refusal) => {
                // A refusal for lack of time says nothing about the claim.
                self.tick()?;
                return reject(format!("the rules cannot be grounded: {refusal}"));
            }
        };
        Ok(self.grounded.get_or_init(|| ground).clone())
    }

    /// Returns the holder of a bound, who must be one of two players.
    pub(super) fn holder_of_two(&self, bound: &PayoffBound) -> Checked<u32> {
        match bound.holder {
            Some(holder) if holder < 2 && self.rules.players().len() == 2 => Ok(holder),
            _ => reject("it is for one of two players"),
        }
    }

    /// Returns the grounded rules, the holder of a bound, who must be one of two players, and the position.
    pub(super) fn grounded_for(&self, bound: &PayoffBound, start: &State) -> Checked<(Ground, u32, Vec<u8>)> {
        let (ground, holder) = (self.grounded()?, self.holder_of_two(bound)?);
        let position = self.fluent_position(&ground, start)?;
        Ok((ground, holder, position))
    }

    /// Returns the grounded rules for a bound that no play of the only player exceeds, which endless play does not.
    pub(super) fn grounded_for_any_play(&self, bound: &PayoffBound) -> Checked<Ground> {
        reject_if(bound.holder.is_some(), "it bounds the payoff of any play")?;
        self.check_holder(bound)?;
        reject_if(!self.rules.repeats.is_empty(), "a rule gives the value of endless play")?;
        self.grounded()
    }

    /// Returns a position as the numbers of the fluents' values.
    pub(super) fn fluent_position(&self, ground: &Ground, state: &State) -> Checked<Vec<u8>> {
        match ground.fluents.position(&self.interpreter.cells(state)) {
            Some(position) => Ok(position),
            None => reject("the position holds what no fluent can hold"),
        }
    }

    /// Checks that the game is over if and only if the player to move has no move, and that this satisfies the
    /// holder's bound if `mover` is that player: the opponent in normal play, the holder in misere play.
    pub(super) fn check_ends_when_stuck(
        &self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
        mover: u32,
        bound: &PayoffBound,
    ) -> Checked<()> {
        reject_if(possible.values[ground.fluents.phase().index()].count_ones() != 1, "the game has phases")?;
        self.check_ends_when_stuck_in_any_phase(ground, possible, mover, bound)
    }

    /// Does the same in a game that may have phases: a move is legal only in its phases.
    pub(super) fn check_ends_when_stuck_in_any_phase(
        &self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
        mover: u32,
        bound: &PayoffBound,
    ) -> Checked<()> {
        let turn = ground.fluents.turn();
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let stuck = ground.formulas.not(free);
        for player in 0..2 {
            let stuck = ground.formulas.substitute(stuck, turn, player);
            if stuck.is_none() || stuck != ground.formulas.substitute(ground.over, turn, player) {
                return reject("the game does not end just where the player to move has no move");
            }
        }
        for end in ground.ends.clone() {
            let Some(here) = ground.formulas.substitute(end.when, turn, mover as u8) else {
                return reject("an end depends on a recursive definition");
            };
            let enough = bound.holder.is_some_and(|holder| end.payoffs[holder as usize] >= bound.payoff);
            if !enough && ground.relaxed_evaluator(possible).may_hold(here) {
                return reject("an end without a move does not always give the holder that much");
            }
        }
        Ok(())
    }

    /// Checks that each move that may be legal changes irreversibly a fluent whose values never recur: so play is
    /// finite.
    pub(super) fn check_irreversible(&self, ground: &mut Ground, possible: &DeleteRelaxation) -> Checked<()> {
        let turn = ground.fluents.turn();
        let live: Vec<Action> = live(ground, possible).cloned().collect();
        let mut changes = Vec::new();
        for action in &live {
            let mut own: ValueChanges = FxHashMap::default();
            for becomes in &action.updates {
                for (to, when) in &becomes.values {
                    for from in value_numbers(possible.values[becomes.fluent.index()]) {
                        let here = ground.literal(becomes.fluent, 1 << from);
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
    ) -> Checked<()> {
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
    fn check_irreversible_changes(&self, turn: FluentId, changes: &[(String, ValueChanges)]) -> Checked<()> {
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
                return reject(format!(
                    "the rules alone do not show that every play ends: `{name}` may change nothing for good"
                ));
            }
        }
        Ok(())
    }

    /// Returns the result of an analysis, or an error if a limit or its budget ran out.
    pub(super) fn within_budget<T>(&self, looked: Option<T>) -> Checked<T> {
        self.tick()?;
        looked.map_or_else(|| reject("the rules have too many cases to check"), Ok)
    }

    /// Checks that a position in which no player can move is an end.
    pub(super) fn check_stuck_is_end(&self, ground: &mut Ground) -> Checked<()> {
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let stuck = ground.formulas.not(free);
        if stuck != ground.over && ground.formulas.and_not(stuck, ground.over) != FALSE {
            return reject("the rules alone do not show that the game is over where nobody can move");
        }
        Ok(())
    }

    /// Checks that both players have the same moves.
    pub(super) fn check_impartial(&self, [first, second]: &[Vec<CheckedBoardMove>; 2]) -> Checked<()> {
        let has_twin = |of: &CheckedBoardMove, among: &[CheckedBoardMove]| {
            among.iter().any(|other| other.legal == of.legal && other.updates == of.updates)
        };
        if first.iter().all(|of| has_twin(of, second)) && second.iter().all(|of| has_twin(of, first)) {
            return Ok(());
        }
        reject("the players do not have the same moves")
    }

    /// Returns the renaming that a certificate lists, if it is a permutation of fluents and values.
    pub(super) fn permutation(&self, ground: &Ground, images: &[FluentImage]) -> Checked<Renaming> {
        let mut renaming = Renaming {
            fluents: ground.fluents.iter().map(|(id, _)| id).collect(),
            values: ground.fluents.iter().map(|(_, f)| (0..f.values.len() as u8).collect()).collect(),
        };
        for image in images {
            let (from, to) = (image.from as usize, image.to as usize);
            if from >= renaming.fluents.len() || to >= renaming.fluents.len() {
                return reject("an image is of a fluent that does not exist");
            }
            renaming.fluents[from] = FluentId::new(to);
            renaming.values[from] = image.values.clone();
        }
        let once: FxHashSet<FluentId> = renaming.fluents.iter().copied().collect();
        let fits = |(id, _): (FluentId, _)| {
            let size = ground.fluents.get(renaming.fluents[id.index()]).values.len();
            let values: FxHashSet<u8> = renaming.values[id.index()].iter().copied().collect();
            renaming.values[id.index()].len() == ground.fluents.get(id).values.len()
                && values.len() == size
                && values.iter().all(|value| usize::from(*value) < size)
        };
        if once.len() != renaming.fluents.len() || !ground.fluents.iter().all(fits) {
            return reject("the symmetry sends two fluents or values to one");
        }
        Ok(renaming)
    }

    /// Returns the position after the opening, which must be a legal move of the holder.
    pub(super) fn position_after_opening(
        &self,
        ground: &Ground,
        position: Vec<u8>,
        holder: u32,
        opening: Option<&str>,
    ) -> Checked<Vec<u8>> {
        let mut reading = FormulaEvaluator::new(&ground.formulas, &position);
        reject_if(reading.holds(ground.over), "the game is over where it begins")?;
        reject_if(reading.holds(ground.fault), FAULT_NOT_EXCLUDED)?;
        let position = match opening {
            None => position,
            Some(opening) => {
                let action = self.action(ground, holder, opening);
                let Some(action) = action.filter(|action| reading.holds(action.legal)) else {
                    return reject(format!("the opening `{opening}` is not a legal move"));
                };
                ground.successor(&mut reading, &position, action)
            }
        };
        if u32::from(position[ground.fluents.turn().index()]) == holder {
            return reject("it is not the other player's turn where the answers begin");
        }
        Ok(position)
    }

    /// Returns the move of a player with this name.
    pub(super) fn action<'g>(&self, ground: &'g Ground, player: u32, name: &str) -> Option<&'g Action> {
        let own = |action: &&Action| {
            action.maker == ActionMaker::Player(player) && self.interpreter.call_form(&action.play) == name
        };
        ground.actions.iter().find(own)
    }

    /// Returns the moves on the board of both players that may ever be legal, with the player to move substituted. Each
    /// must pass the turn to the opponent.
    pub(super) fn checked_board_moves(
        &mut self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
        turn: FluentId,
    ) -> Checked<[Vec<CheckedBoardMove>; 2]> {
        let varies = |id: &FluentId| *id != turn && possible.values[id.index()].count_ones() > 1;
        let mut moves: [Vec<CheckedBoardMove>; 2] = [Vec::new(), Vec::new()];
        for action in live(ground, possible).cloned().collect::<Vec<_>>() {
            self.step_done()?;
            let ActionMaker::Player(player) = action.maker else {
                return reject("players move simultaneously");
            };
            let name = self.interpreter.call_form(&action.play);
            let TurnlessMove { legal, effects } = turnless_move(ground, &action, player)?;
            if legal == FALSE {
                continue;
            }
            let other = 1 - player as u8;
            if ground.formulas.substitute(action.legal, turn, other) != Some(FALSE) {
                return reject(format!("`{name}` may be made out of turn"));
            }
            let mut passes = action.updates.iter().filter(|becomes| becomes.fluent == turn);
            if !passes.any(|becomes| becomes.values == [(other, TRUE)]) {
                return reject(format!("after `{name}` it is not always the other player's turn"));
            }
            let (mut updates, mut reads) = (FluentEffects::default(), FxHashSet::default());
            ground.formulas.collect_fluents(legal, &mut reads);
            for (fluent, value, when) in effects {
                let when = ground.formulas.and([legal, when]);
                if when != FALSE && possible.values[fluent.index()] >> value & 1 == 1 {
                    ground.formulas.collect_fluents(when, &mut reads);
                    updates.insert((fluent, value), when);
                }
            }
            reads.retain(varies);
            let writes = updates.keys().map(|(fluent, _)| *fluent).filter(varies).collect();
            moves[player as usize].push(CheckedBoardMove { name, legal, updates, reads, writes });
        }
        Ok(moves)
    }

    /// Returns an upper bound of the positions reachable from this one, in which the rules must have a meaning, and the
    /// moves that may be legal in it, each with its number and name.
    pub(super) fn reachable_moves(
        &mut self,
        ground: &Ground,
        position: &[u8],
        budget: &mut u64,
    ) -> Checked<(PairwiseReachability, NamedMoves)> {
        let all: Vec<Transition> = ground.actions.iter().map(Transition::from).collect();
        let joint = self.within_budget(ground.pairwise_reachability(position, &all, budget))?;
        self.check_faultless_within(ground, &joint, budget)?;
        let mut live = Vec::new();
        for (number, step) in all.into_iter().enumerate() {
            self.visited += 1;
            if self.within_budget(joint.may_hold(ground, step.legal, budget))? {
                live.push((number, self.interpreter.call_form(&ground.actions[number].play), step));
            }
        }
        Ok((joint, live))
    }
}

/// A move without the turn: with the player to move substituted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TurnlessMove {
    pub legal: Formula,
    /// A fluent, its new value, and the condition for it where the move is legal; all other fluents stay.
    pub effects: Vec<(FluentId, u8, Formula)>,
}

/// Returns a move of a player without the turn.
fn turnless_move(ground: &mut Ground, action: &Action, player: u32) -> Checked<TurnlessMove> {
    let turn = ground.fluents.turn();
    let mut without_turn = |formula| {
        let turnless = ground.formulas.substitute(formula, turn, player as u8);
        turnless.ok_or("a move depends on a recursive definition")
    };
    let legal = without_turn(action.legal)?;
    let mut effects = Vec::new();
    for update in action.updates.iter().filter(|update| update.fluent != turn) {
        for &(value, when) in &update.values {
            effects.push((update.fluent, value, without_turn(when)?));
        }
    }
    effects.retain(|(.., when)| *when != FALSE);
    Ok(TurnlessMove { legal, effects })
}

/// Returns the moves that may be legal without the turn, each with its player, in a game in which players take turns.
pub(super) fn turnless_moves(
    ground: &mut Ground,
    possible: &DeleteRelaxation,
) -> Checked<Vec<(usize, TurnlessMove)>> {
    let mut moves = Vec::new();
    for action in live(ground, possible).cloned().collect::<Vec<_>>() {
        if let ActionMaker::Player(player) = action.maker {
            moves.push((player as usize, turnless_move(ground, &action, player)?));
        }
    }
    moves.retain(|(_, made)| made.legal != FALSE);
    Ok(moves)
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
