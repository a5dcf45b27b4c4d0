//! What checks on the rules written out have in common: that they can be, how the game ends, that it ends, and moves as
//! what they do to the board.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Stop};
use crate::base::id::Id;
use crate::cert::Bound;
use crate::ground::{Action, FALSE, FluentId, Formula, Ground, Maker, Possible, TRUE, ground, numbers};
use crate::reference::State;

/// A move on the board alone: whose turn it is, is put in.
pub(super) struct OnBoard {
    pub legal: Formula,
    /// By fluent and value: when it becomes that.
    pub becomes: FxHashMap<(FluentId, u8), Formula>,
    pub reads: FxHashSet<FluentId>,
    pub writes: FxHashSet<FluentId>,
}

impl Checker<'_> {
    /// The rules written out.
    pub(super) fn written(&self) -> Result<Ground, Stop> {
        match ground(self.interpreter.rules(), self.limits) {
            Ok(ground) => Ok(ground),
            Err(refusal) => {
                // What is refused for want of time says nothing of the claim.
                if let Some(hit) = self.limits.check() {
                    return Err(Stop::Limit(hit));
                }
                self.reject(format!("the rules cannot be written out: {refusal}"))
            }
        }
    }

    /// The rules written out, where they have a meaning in every position.
    pub(super) fn written_out(&self) -> Result<Ground, Stop> {
        let ground = self.written()?;
        if ground.fault != FALSE {
            return self.reject("that the rules have a meaning everywhere does not show without play");
        }
        Ok(ground)
    }

    /// The holder of a bound, who must be one of two players.
    pub(super) fn of_two(&self, bound: &Bound) -> Result<u32, Stop> {
        match bound.holder {
            Some(holder) if holder < 2 && self.rules.players().len() == 2 => Ok(holder),
            _ => self.reject("it is for one of two players"),
        }
    }

    /// A position as the numbers of the fluents' values.
    pub(super) fn numbered(&self, ground: &Ground, state: &State) -> Result<Vec<u8>, Stop> {
        match ground.fluents.position(&state.cells) {
            Some(position) => Ok(position),
            None => self.reject("the position holds what no fluent can hold"),
        }
    }

    /// The game is over just where whoever is to move has no move, and that gives the holder his bound where this player
    /// is the one: the other player in normal play, himself in misere play.
    pub(super) fn ends_stuck(
        &self,
        ground: &mut Ground,
        possible: &Possible,
        mover: u32,
        bound: Bound,
    ) -> Result<(), Stop> {
        let turn = ground.fluents.turn();
        if possible.values[ground.fluents.phase().index()].count_ones() != 1 {
            return self.reject("the game has phases");
        }
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let stuck = ground.formulas.not(free);
        for player in 0..2 {
            let stuck = ground.formulas.assuming(stuck, turn, player);
            if stuck.is_none() || stuck != ground.formulas.assuming(ground.over, turn, player) {
                return self.reject("the game does not end just where whoever is to move has no move");
            }
        }
        for end in ground.ends.clone() {
            let Some(here) = ground.formulas.assuming(end.when, turn, mover as u8) else {
                return self.reject("an end is defined by itself");
            };
            let enough = bound.holder.is_some_and(|holder| end.payoffs[holder as usize] >= bound.payoff);
            if !enough && ground.relaxed(possible).may_hold(here) {
                return self.reject("who has no move does not always give the holder that much");
            }
        }
        Ok(())
    }

    /// Each move that may be made changes, for good, a fluent whose values never come back: so play ends.
    pub(super) fn one_way(&self, ground: &mut Ground, possible: &Possible) -> Result<(), Stop> {
        let turn = ground.fluents.turn();
        let live: Vec<Action> = live(ground, possible).cloned().collect();
        let mut steps: FxHashMap<FluentId, FxHashSet<(u8, u8)>> = FxHashMap::default();
        let mut stays: Vec<FxHashSet<FluentId>> = Vec::new();
        for action in &live {
            let mut may_stay = FxHashSet::default();
            for becomes in &action.becomes {
                let size = ground.fluents.get(becomes.fluent).values.len();
                let subject = ground.formulas.fluent(becomes.fluent, size);
                for (to, when) in &becomes.values {
                    for from in numbers(possible.values[becomes.fluent.index()]) {
                        let here = ground.formulas.lit(subject, 1 << from);
                        if ground.formulas.and([action.legal, *when, here]) == FALSE {
                            continue;
                        }
                        if from == u32::from(*to) {
                            may_stay.insert(becomes.fluent);
                        } else {
                            steps.entry(becomes.fluent).or_default().insert((from as u8, *to));
                        }
                    }
                }
            }
            stays.push(may_stay);
        }
        let one_way = |fluent: &FluentId| *fluent != turn && steps.get(fluent).is_none_or(is_acyclic);
        for (action, stays) in live.iter().zip(&stays) {
            let moves = action.becomes.iter().map(|becomes| becomes.fluent);
            if !moves.into_iter().any(|fluent| !stays.contains(&fluent) && one_way(&fluent)) {
                let name = self.interpreter.call_form(&action.play);
                return self
                    .reject(format!("that play ends does not show: `{name}` may change nothing for good"));
            }
        }
        Ok(())
    }

    /// The moves of both players that may ever be made, on the board alone.
    pub(super) fn moves(
        &mut self,
        ground: &mut Ground,
        possible: &Possible,
        turn: FluentId,
    ) -> Result<[Vec<OnBoard>; 2], Stop> {
        let constant: FxHashSet<FluentId> = ground
            .fluents
            .iter()
            .map(|(id, _)| id)
            .filter(|id| *id == turn || possible.values[id.index()].count_ones() == 1)
            .collect();
        let mut moves: [Vec<OnBoard>; 2] = [Vec::new(), Vec::new()];
        for number in 0..ground.actions.len() {
            if !possible.actions[number] {
                continue;
            }
            self.looked += 1;
            if let Some(hit) = self.limits.check() {
                return Err(Stop::Limit(hit));
            }
            let action = ground.actions[number].clone();
            let Maker::Player(player) = action.maker else {
                return self.reject("players move at once");
            };
            let on_board = self.on_board(ground, &action, player, turn, possible, &constant)?;
            moves[player as usize].extend(on_board);
        }
        Ok(moves)
    }

    /// A move with whose turn it is put in; none where no symmetric position has it. After it, it must be the other's.
    fn on_board(
        &self,
        ground: &mut Ground,
        action: &Action,
        player: u32,
        turn: FluentId,
        possible: &Possible,
        constant: &FxHashSet<FluentId>,
    ) -> Result<Option<OnBoard>, Stop> {
        let name = self.interpreter.call_form(&action.play);
        let Some(legal) = ground.formulas.assuming(action.legal, turn, player as u8) else {
            return self.reject(format!("`{name}` depends on what is defined by itself"));
        };
        if legal == FALSE {
            return Ok(None);
        }
        let passes_on = action
            .becomes
            .iter()
            .any(|becomes| becomes.fluent == turn && becomes.values == [((1 - player) as u8, TRUE)]);
        if !passes_on {
            return self.reject(format!("after `{name}` it is not always the other player's turn"));
        }
        let mut on_board = OnBoard {
            legal,
            becomes: FxHashMap::default(),
            reads: FxHashSet::default(),
            writes: FxHashSet::default(),
        };
        ground.formulas.fluents_of(legal, &mut on_board.reads);
        for becomes in action.becomes.iter().filter(|becomes| becomes.fluent != turn) {
            let mut writes = false;
            for (value, when) in &becomes.values {
                let Some(when) = ground.formulas.assuming(*when, turn, player as u8) else {
                    return self.reject(format!("`{name}` depends on what is defined by itself"));
                };
                let when = ground.formulas.and([legal, when]);
                if when == FALSE || possible.values[becomes.fluent.index()] >> value & 1 == 0 {
                    continue;
                }
                writes = true;
                ground.formulas.fluents_of(when, &mut on_board.reads);
                on_board.becomes.insert((becomes.fluent, *value), when);
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

fn live<'g>(ground: &'g Ground, possible: &'g Possible) -> impl Iterator<Item = &'g Action> {
    ground.actions.iter().zip(&possible.actions).filter(|(_, live)| **live).map(|(action, _)| action)
}

/// Whether no value comes back.
fn is_acyclic(steps: &FxHashSet<(u8, u8)>) -> bool {
    let mut left: Vec<(u8, u8)> = steps.iter().copied().collect();
    loop {
        let before = left.len();
        // A step is safe where nothing leads on from where it ends.
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
