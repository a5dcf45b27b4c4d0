//! The check of MIRROR: on the rules written out, move by move.
//!
//! A position is *symmetric* where the image of its board, that is of all fluents but whose turn it is, is itself. In a
//! symmetric position with the other player to move, let him make any move that may ever be made. Its image is a move of
//! the holder, with the same conditions and effects on the renamed board. The position being symmetric, the image's
//! conditions held before the move; the move changes nothing they speak of, so the image is legal after it. Neither
//! reads or changes what the other changes, so both together do what the images of both would do, which is the same
//! two moves: the board is symmetric again. A game that is over only where somebody is stuck is then over only where the
//! other player is. Something only ever goes one way, so it comes to that.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Proven, Stop, Sum};
use crate::base::id::Id;
use crate::cert::mirror::Mirror;
use crate::ground::{
    Action, FALSE, FluentId, Formula, Ground, Maker, Possible, Reading, Renaming, TRUE, ground, numbers,
};
use crate::reference::State;
use crate::rules::{MOVER, PHASE};

/// A move on the board alone: whose turn it is, is put in.
struct OnBoard {
    legal: Formula,
    /// By fluent and value: when it becomes that.
    becomes: FxHashMap<(FluentId, u8), Formula>,
    reads: FxHashSet<FluentId>,
    writes: FxHashSet<FluentId>,
}

impl Checker<'_> {
    /// The holder makes sure of the bound by answering with images.
    pub(super) fn mirror(&mut self, start: &State, mirror: &Mirror) -> Result<Proven, Stop> {
        let mut ground = self.written_out()?;
        let Some(holder) =
            mirror.bound.holder.filter(|holder| *holder < 2 && self.rules.players().len() == 2)
        else {
            return self.reject("it is for one of two players");
        };
        let other = 1 - holder;
        let Some(position) = ground.fluents.position(&start.cells) else {
            return self.reject("the position holds what no fluent can hold");
        };
        let renaming = self.renaming(&ground, mirror)?;
        let position = self.opened(&ground, position, holder, mirror.opening.as_deref())?;
        let (turn, phase) = (ground.fluents.turn(), ground.fluents.phase());
        if u32::from(position[turn.index()]) != other {
            return self.reject("it is not the other player's turn where the answers begin");
        }
        if renaming.image(&position) != position {
            return self.reject("the position where the answers begin is not symmetric");
        }
        let possible = ground.possible(&position);
        self.conventions(&mut ground, &possible, turn, other, mirror)?;
        if possible.values[phase.index()].count_ones() != 1 {
            return self.reject("the game has phases");
        }
        self.one_way(&mut ground, &possible, &[turn])?;
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
            match self.on_board(&mut ground, &action, player, turn, &possible, &constant)? {
                Some(on_board) => moves[player as usize].push(on_board),
                None => continue,
            }
        }
        let answers = &moves[holder as usize];
        for made in &moves[other as usize] {
            self.answered(&mut ground, made, answers, &renaming)?;
        }
        Ok(Proven::Bound { bound: mirror.bound, plies: None, sum: Sum::default() })
    }

    /// The rules written out, where they have a meaning in every position.
    pub(super) fn written_out(&self) -> Result<Ground, Stop> {
        let ground = match ground(self.interpreter.rules(), self.limits) {
            Ok(ground) => ground,
            Err(refusal) => return self.reject(format!("the rules cannot be written out: {refusal}")),
        };
        if ground.fault != FALSE {
            return self.reject("that the rules have a meaning everywhere does not show without play");
        }
        Ok(ground)
    }

    /// The symmetry: a renaming of fluents that is its own inverse and leaves alone whose turn it is.
    fn renaming(&self, ground: &Ground, mirror: &Mirror) -> Result<Renaming, Stop> {
        let mut renaming = Renaming {
            fluents: ground.fluents.iter().map(|(id, _)| id).collect(),
            values: ground.fluents.iter().map(|(_, f)| (0..f.values.len() as u8).collect()).collect(),
        };
        for image in &mirror.images {
            let (from, to) = (image.from as usize, image.to as usize);
            if from >= renaming.fluents.len() || to >= renaming.fluents.len() {
                return self.reject("an image is of a fluent that is not there");
            }
            let field = ground.fluents.get(FluentId::new(from)).field;
            if field == MOVER || field == PHASE {
                return self.reject("the symmetry is not one of the board alone");
            }
            renaming.fluents[from] = FluentId::new(to);
            renaming.values[from] = image.values.clone();
        }
        for (id, fluent) in ground.fluents.iter() {
            let to = renaming.fluents[id.index()];
            let values = &renaming.values[id.index()];
            let back = &renaming.values[to.index()];
            let returns = |value: usize| {
                values.get(value).and_then(|&there| back.get(usize::from(there))) == Some(&(value as u8))
            };
            let size = fluent.values.len();
            if values.len() != size
                || renaming.fluents[to.index()] != id
                || ground.fluents.get(to).values.len() != size
                || !(0..size).all(returns)
            {
                return self.reject("the symmetry twice is not the board as it was");
            }
        }
        Ok(renaming)
    }

    /// The position after the opening, which must be a legal move of the holder.
    fn opened(
        &self,
        ground: &Ground,
        position: Vec<u8>,
        holder: u32,
        opening: Option<&str>,
    ) -> Result<Vec<u8>, Stop> {
        let mut reading = Reading::new(&ground.formulas, &position);
        if reading.holds(ground.over) {
            return self.reject("the game is over where it begins");
        }
        let Some(opening) = opening else { return Ok(position) };
        let found = ground.actions.iter().find(|action| {
            action.maker == Maker::Player(holder) && self.interpreter.call_form(&action.play) == opening
        });
        match found.filter(|action| reading.holds(action.legal)) {
            Some(action) => Ok(ground.after(&mut reading, &position, action)),
            None => self.reject(format!("the opening `{opening}` is not a legal move")),
        }
    }

    /// The game is over just where whoever is to move has no move, and that gives the holder his bound where the other
    /// player is the one.
    fn conventions(
        &self,
        ground: &mut Ground,
        possible: &Possible,
        turn: FluentId,
        other: u32,
        mirror: &Mirror,
    ) -> Result<(), Stop> {
        let free = ground.formulas.or(ground.actions.iter().map(|action| action.legal));
        let stuck = ground.formulas.not(free);
        for player in 0..2 {
            let stuck = ground.formulas.assuming(stuck, turn, player);
            if stuck.is_none() || stuck != ground.formulas.assuming(ground.over, turn, player) {
                return self.reject("the game does not end just where whoever is to move has no move");
            }
        }
        for end in ground.ends.clone() {
            let Some(here) = ground.formulas.assuming(end.when, turn, other as u8) else {
                return self.reject("an end is defined by itself");
            };
            let enough = end.payoffs[1 - other as usize] >= mirror.bound.payoff;
            if !enough && ground.relaxed(possible).may_hold(here) {
                return self.reject("who has no move does not always give the holder that much");
            }
        }
        Ok(())
    }

    /// Each move that may be made changes, for good, a fluent whose values never come back: so play ends.
    pub(super) fn one_way(
        &self,
        ground: &mut Ground,
        possible: &Possible,
        except: &[FluentId],
    ) -> Result<(), Stop> {
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
        let one_way =
            |fluent: &FluentId| !except.contains(fluent) && steps.get(fluent).is_none_or(is_acyclic);
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

    /// A move of the other player has its image among the holder's, and the two do not meet.
    fn answered(
        &self,
        ground: &mut Ground,
        made: &OnBoard,
        answers: &[OnBoard],
        renaming: &Renaming,
    ) -> Result<(), Stop> {
        let Some(legal) = ground.formulas.renamed(made.legal, renaming) else {
            return self.reject("a move depends on what is defined by itself");
        };
        // In a symmetric position the move is legal just where its image's conditions hold.
        if ground.formulas.and([made.legal, legal]) == FALSE {
            return Ok(());
        }
        let mut becomes = FxHashMap::default();
        for ((fluent, value), when) in &made.becomes {
            let Some(when) = ground.formulas.renamed(*when, renaming) else {
                return self.reject("a move depends on what is defined by itself");
            };
            let there = renaming.fluents[fluent.index()];
            becomes.insert((there, renaming.values[fluent.index()][usize::from(*value)]), when);
        }
        let Some(answer) = answers.iter().find(|answer| answer.legal == legal && answer.becomes == becomes)
        else {
            return self.reject("a move of the other player has no image among the holder's");
        };
        let meets = |writes: &FxHashSet<FluentId>, of: &OnBoard| {
            writes.iter().any(|fluent| of.reads.contains(fluent) || of.writes.contains(fluent))
        };
        if meets(&made.writes, answer) || meets(&answer.writes, made) {
            let fluent = made.writes.iter().chain(&answer.writes).min().copied().unwrap_or(FluentId(0));
            let place = ground.fluents.show(self.rules, fluent);
            return self
                .reject(format!("a move of the other player and its image meet (at `{place}` or near)"));
        }
        Ok(())
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
