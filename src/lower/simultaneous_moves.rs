//! Simultaneous moves: a move for each combination of the players' choices.
//!
//! The position determines which players choose: those who have a legal move. So there are groups for each set of
//! players, in which the moves of all but the last are known, and those of the last are lanes.

use std::rc::Rc;

use super::control::ControlBuilder;
use super::cx::Cx;
use super::formula::MAX_CIRCUIT_VALUES;
use super::moves::MoveSet;
use super::{Lower, LowerError, Result, unsupported};
use bouton_circuit::{StmtBlock, ValueId};
use bouton_rules::{MoveInstance, Phase};

/// The maximal number of groups of the moves of a phase.
const MAX_PROFILE_GROUPS: usize = 1 << 12;

/// The number of groups after which the size of all of them is estimated. The first one does not count: it makes what
/// all others share.
const MIN_ESTIMATED: usize = 4;
/// The estimated size above which no circuit is made, in multiples of the maximal size.
const MAX_ESTIMATE: usize = 4;

/// The moves that a player may choose.
struct PlayerOptions {
    player: u32,
    sets: Vec<Rc<MoveSet>>,
    /// The lanes of each set that may be chosen.
    lanes: Vec<ValueId>,
    /// The condition that there is a move.
    some: ValueId,
    /// The condition that a move is at fault by itself: then the rules have no meaning, whatever the others choose.
    wrong: ValueId,
}

/// The moves of all players but the last, with the conditions that the moves of one group share.
#[derive(Clone, Copy)]
struct PartialProfile<'c> {
    /// The move of each player but the last, in one lane each.
    chosen: &'c [Rc<MoveSet>],
    /// The condition that the players before the last may choose their moves, and no others can move.
    when: ValueId,
    /// The condition that a move that some player may choose is at fault by itself.
    wrong: ValueId,
}

/// The moves of the last player: a set, and those of its lanes that may be chosen.
#[derive(Clone, Copy)]
struct LastMoves<'c> {
    set: &'c Rc<MoveSet>,
    lanes: ValueId,
}

impl<'r> Lower<'r> {
    /// Adds all combinations of simultaneous moves in a phase.
    pub(super) fn profiles(&mut self, phase: &Phase, cx: &Cx, making: &mut ControlBuilder) -> Result<()> {
        let players = self.rules.players().len() as u32;
        let mut all = Vec::new();
        for player in 0..players {
            let options = self.options(player, cx)?;
            if !options.sets.is_empty() {
                all.push(options);
            }
        }
        if all.len() > 8 {
            return unsupported("simultaneous moves of so many players", phase.span);
        }
        let mut wrong = self.build.truth(false);
        for options in &all {
            wrong = self.build.or(wrong, options.wrong);
        }
        for choosing in 1..1usize << all.len() {
            let (mine, others): (Vec<_>, Vec<_>) =
                all.iter().enumerate().partition(|(i, _)| choosing >> i & 1 == 1);
            let mut alone = self.build.truth(true);
            for (_, other) in others {
                alone = self.build.and_not(alone, other.some);
            }
            if self.build.maybe(alone).is_empty() {
                continue;
            }
            let Some(((_, last), before)) = mine.split_last() else { continue };
            let mut known: Vec<(ValueId, Vec<Rc<MoveSet>>)> = vec![(alone, Vec::new())];
            for (_, options) in before {
                known = self.combined(known, options, cx)?;
                if known.len() * last.sets.len() > MAX_PROFILE_GROUPS {
                    return unsupported("so many combinations of simultaneous moves", phase.span);
                }
            }
            let groups = known.len() * last.sets.len();
            let (mut made, mut first) = (0, 0);
            for (when, chosen) in known {
                let before = PartialProfile { chosen: &chosen, when, wrong };
                for (set, &lanes) in last.sets.iter().zip(&last.lanes) {
                    self.profile(phase, before, LastMoves { set, lanes }, cx, making)?;
                    made += 1;
                    let values = self.build.values.len();
                    if made == 1 {
                        first = values;
                    } else if let estimate = first + (values - first) / (made - 1) * groups
                        && made >= MIN_ESTIMATED
                        && estimate > MAX_ESTIMATE * MAX_CIRCUIT_VALUES
                    {
                        return unsupported(format!("a circuit of about {estimate} values"), phase.span);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the moves of a player, with all conditions of their bodies decided.
    fn options(&mut self, player: u32, cx: &Cx) -> Result<PlayerOptions> {
        let (sets, free) = self.choices(player, cx)?;
        let sets = self.with_body_conditions(sets, cx, &|_| true)?;
        let lanes: Vec<ValueId> = sets.iter().map(|set| self.chosen_lanes(set, free)).collect();
        let mut some = self.build.truth(false);
        for &lanes in &lanes {
            let any = self.build.any(lanes);
            some = self.build.or(some, any);
        }
        let mut wrong = self.build.truth(false);
        for (set, &lanes) in sets.iter().zip(&lanes) {
            for one in self.one_by_one(set, cx)? {
                let lane = set.args.iter().position(|args| *args == one.args[0]).unwrap_or(0);
                let chosen = self.bit(lanes, set.cx.lanes.places[lane]);
                let body = self.faults(&self.rules.moves[one.id].body, &one.cx)?;
                let here = self.at_fault(&body);
                let here = self.build.and(chosen, here);
                wrong = self.build.or(wrong, here);
            }
        }
        Ok(PlayerOptions { player, sets, lanes, some, wrong })
    }

    /// Combines the choices so far with each move of one more player.
    fn combined(
        &mut self,
        known: Vec<(ValueId, Vec<Rc<MoveSet>>)>,
        options: &PlayerOptions,
        cx: &Cx,
    ) -> Result<Vec<(ValueId, Vec<Rc<MoveSet>>)>> {
        let mut single = Vec::new();
        for (set, &lanes) in options.sets.iter().zip(&options.lanes) {
            for one in self.one_by_one(set, cx)? {
                let lane = set.args.iter().position(|args| *args == one.args[0]).unwrap_or(0);
                single.push((self.bit(lanes, set.cx.lanes.places[lane]), one));
            }
        }
        let mut combined = Vec::new();
        for (when, chosen) in &known {
            for (legal, one) in &single {
                let when = self.build.and(*when, *legal);
                if !self.build.maybe(when).is_empty() {
                    combined.push((when, chosen.iter().chain([one]).cloned().collect()));
                }
                if combined.len() > MAX_PROFILE_GROUPS {
                    let span = self.rules.moves[one.id].span;
                    return unsupported(format!("the simultaneous moves of player {}", options.player), span);
                }
            }
        }
        Ok(combined)
    }

    /// Adds the group of known moves with the moves of the last player.
    fn profile(
        &mut self,
        phase: &Phase,
        before: PartialProfile,
        last: LastMoves,
        cx: &Cx,
        making: &mut ControlBuilder,
    ) -> Result<()> {
        let PartialProfile { chosen, when, wrong } = before;
        let LastMoves { set, lanes } = last;
        let width = set.cx.lanes.width;
        let spread = self.build.spread(when, width);
        let set_of = self.build.and(lanes, spread);
        if self.build.maybe(set_of).is_empty() {
            return Ok(());
        }
        let bit = self.build.subset_param(set_of);
        let inner = Cx { lane: (!set.cx.is_unit()).then_some(bit), ..set.cx.clone() };
        let rules = self.rules;
        let mut bodies: Vec<_> =
            chosen.iter().map(|one| (&rules.moves[one.id].body, one.cx.clone())).collect();
        bodies.push((&rules.moves[set.id].body, inner));
        match self.joint(&bodies, cx) {
            // The effects have no form for lanes: each move of the last player by itself.
            Err(LowerError::Varies) if !set.cx.is_unit() => {
                for one in self.one_by_one(set, cx)? {
                    let lane = set.args.iter().position(|args| *args == one.args[0]).unwrap_or(0);
                    let legal = self.bit(lanes, set.cx.lanes.places[lane]);
                    self.profile(phase, before, LastMoves { set: &one, lanes: legal }, cx, making)?;
                }
                return Ok(());
            }
            Err(LowerError::Varies) => return unsupported("these effects of simultaneous moves", phase.span),
            body => {
                let mut whole = StmtBlock::default();
                self.fault(wrong, &mut whole);
                whole.stmts.extend(body?.stmts);
                let player = |set: &MoveSet| set.cx.turn.me.unwrap_or(0);
                let made = set.args.iter().map(|args| {
                    let before = chosen
                        .iter()
                        .map(|one| (player(one), MoveInstance::Move(one.id, one.args[0].clone())));
                    let last = (player(set), MoveInstance::Move(set.id, args.clone()));
                    MoveInstance::Joint(before.chain([last]).collect())
                });
                making.push(set_of, bit, whole, set.plays(made));
            }
        }
        Ok(())
    }
}
