//! The whole game: for each player to move and each phase the ends, the moves and what they do.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cx::{Cx, Lanes};
use super::known::{Knower, Known, Turn};
use super::moves::MoveSet;
use super::{Lower, Lowered, Plays, Result, Stop, unsupported};
use crate::base::id::{Id, IdVec};
use crate::circuit::draft::Draft;
use crate::circuit::{Block, Control, ControlId, Group, GroupId, Position, SlotId, ValueId};
use crate::rules::{Actor, Expr, ExprKind, MOVER, PHASE, PhaseId, Value};

impl<'r> Lower<'r> {
    /// The control of a player to move in a phase.
    pub(super) fn control_of(&self, mover: u32, phase: u32) -> ControlId {
        ControlId(mover * self.rules.phases.len().max(1) as u32 + phase)
    }

    /// The circuit of the game.
    pub(super) fn game(mut self, improve: &dyn Fn(&mut Draft)) -> Result<Lowered> {
        let rules = self.rules;
        if let Some(repeat) = rules.repeats.iter().find(|repeat| repeat.count.is_some()) {
            return unsupported("counted repetition", repeat.span);
        }
        if let Some(forbid) = rules.forbids.first() {
            return unsupported("`forbid repeat`", forbid.span);
        }
        let state: Rc<Vec<ValueId>> = Rc::new(
            self.state
                .layout
                .slots
                .entries()
                .map(|(id, _)| id)
                .collect::<Vec<SlotId>>()
                .into_iter()
                .map(|id| self.build.slot(id))
                .collect(),
        );
        let mut controls = IdVec::new();
        let mut groups: IdVec<GroupId, Group> = IdVec::new();
        let mut plays = Vec::new();
        let (mut turns, mut actors) = (Vec::new(), Vec::new());
        let phases = rules.phases.len().max(1) as u32;
        for mover in 0..rules.players().len().max(1) as u32 {
            for phase in 0..phases {
                turns.push((mover, phase));
                let turn = Turn { me: None, mover: Some(mover), phase: Some(phase) };
                actors.push(self.actor(mover, phase, turn)?);
                let control = self.control(mover, phase, &state, &mut groups, &mut plays)?;
                controls.push(control);
            }
        }
        let initial = self.state.write(&|field, cell| rules.fields[field].init[cell].clone());
        let first = |field: crate::rules::FieldId| rules.fields[field].init.first().cloned();
        let mover = first(MOVER).and_then(|v| v.as_sym()).unwrap_or(0);
        let phase = first(PHASE).and_then(|v| v.as_int()).unwrap_or(0) as u32;
        let control = self.control_of(mover, phase);
        let initial = Position { control, words: initial.into() };
        let kind = |plays: &Plays| match plays {
            Plays::Pass => u32::MAX,
            Plays::Move(id, _) => id.0,
        };
        let kinds = plays.iter().map(kind).collect();
        let (origins, piles) = (BTreeMap::new(), Vec::new());
        let mut draft = Draft { build: self.build, controls, groups, initial, origins, kinds, piles };
        improve(&mut draft);
        for (group, lanes) in &draft.origins {
            assert_eq!(plays.len(), group.index(), "groups are made one after another");
            plays.push(regrouped(&plays, lanes));
        }
        let (circuit, kept) = draft.finish();
        let plays = kept.into_iter().map(|group| plays[group.index()].clone()).collect();
        Ok(Lowered { circuit, state: self.state, plays, endings: self.endings, turns, actors })
    }

    fn control(
        &mut self,
        mover: u32,
        phase: u32,
        state: &Rc<Vec<ValueId>>,
        groups: &mut IdVec<GroupId, Group>,
        plays: &mut Vec<Plays>,
    ) -> Result<Control> {
        let rules = self.rules;
        let turn = Turn { me: None, mover: Some(mover), phase: Some(phase) };
        let cx =
            Cx { lanes: Rc::new(Lanes::unit()), env: Vec::new(), turn, state: state.clone(), lane: None };
        let me = self.actor(mover, phase, turn)?;
        let (before, mut stuck) = self.ends(&cx)?;
        let sets = self.move_sets(me, &cx)?;

        // While a mandatory move is legal, only such moves are.
        let mut forced = self.build.truth(false);
        for set in sets.iter().filter(|set| rules.moves[set.id].mandatory) {
            if set.asks_later {
                return unsupported(
                    "a mandatory move that is not settled by its conditions",
                    rules.moves[set.id].span,
                );
            }
            let some = self.build.any(set.set);
            forced = self.build.or(forced, some);
        }
        let free = self.build.not(forced);
        let mut of_control = Vec::new();
        let mut waiting: Vec<Rc<MoveSet>> = sets.iter().rev().cloned().collect();
        while let Some(set) = waiting.pop() {
            let of = &rules.moves[set.id];
            let mut lanes = set.set;
            if !of.mandatory {
                let spread = self.build.spread(free, set.cx.lanes.width);
                lanes = self.build.and(lanes, spread);
            }
            let bit = self.build.part_of(lanes);
            let inner = Cx { lane: (!set.cx.is_unit()).then_some(bit), ..set.cx.clone() };
            let body = match self.body(&of.body, &inner) {
                // What it does has no form for lanes: each move by itself.
                Err(Stop::Varies) if !set.cx.is_unit() => {
                    waiting.extend(self.one_by_one(&set, &cx)?.into_iter().rev());
                    continue;
                }
                body => body?,
            };
            of_control.push(groups.push(Group {
                lets: Block::default(),
                set: lanes,
                bit,
                pass: false,
                setup: Block::default(),
                body,
            }));
            let mut args = vec![None; set.cx.lanes.width as usize];
            for (lane, row) in set.args.iter().enumerate() {
                args[set.cx.lanes.places[lane] as usize] = Some(row.clone());
            }
            plays.push(Plays::Move(set.id, args));
        }

        if let Some(pass) = &rules.pass {
            let acting = Cx { turn: Turn { me: Some(me), ..turn }, ..cx.clone() };
            let body = self.pass(&acting)?;
            let asked = |lower: &mut Self, stuck: bool| match &pass.condition {
                None => Ok(lower.build.truth(true)),
                Some(condition) => {
                    lower.stuck = Some(stuck);
                    let holds = lower.formula(condition, &acting);
                    lower.stuck = None;
                    holds
                }
            };
            let able = asked(self, false)?;
            let able = self.build.and(able, free);
            if !self.build.maybe(able).is_empty() {
                if pass.condition.as_ref().is_some_and(mentions_stuck) {
                    return unsupported("a pass that depends on `stuck` and on more", pass.span);
                }
                let bit = self.build.param(crate::base::bits::BitSet::full(1));
                let (lets, setup) = (Block::default(), Block::default());
                of_control.push(groups.push(Group { lets, set: able, bit, pass: true, setup, body }));
                plays.push(Plays::Pass);
            } else {
                let unable = asked(self, true)?;
                match self.build.constant_truth(unable) {
                    Some(false) => {}
                    Some(true) => stuck.extend(body.stmts),
                    None => stuck.push(crate::circuit::Stmt::If(unable, body, Block::default())),
                }
            }
        }
        let phase_name = &rules.phases.get(PhaseId(phase)).map_or("", |p| p.name.as_str());
        let name = format!("{} {phase_name}", rules.players().get(mover as usize).map_or("", String::as_str));
        Ok(Control {
            name: name.trim().to_string(),
            mover,
            holds: Vec::new(),
            before: Block { stmts: before },
            groups: of_control,
            stuck: Block { stmts: stuck },
        })
    }

    /// The player who acts.
    fn actor(&self, mover: u32, phase: u32, turn: Turn) -> Result<u32> {
        let Some(phase) = self.rules.phases.get(PhaseId(phase)) else { return Ok(mover) };
        let player = match &phase.actor {
            Actor::Mover => return Ok(mover),
            Actor::Player(player) => player,
            Actor::Each => return unsupported("a phase in which all players move at once", phase.span),
            Actor::Chance => return unsupported("a phase of chance", phase.span),
        };
        match (Knower { lower: self, turn }).value(player, &mut Vec::new()) {
            Known::Value(Value::Sym(_, player)) => Ok(player),
            Known::Value(Value::Set(players)) if players.len() == 1 => {
                Ok(players[0].as_sym().unwrap_or(mover))
            }
            _ => unsupported("a phase of a player who changes", phase.span),
        }
    }
}

/// The moves of a group that was made of others.
fn regrouped(plays: &[Plays], lanes: &[Option<(GroupId, u32)>]) -> Plays {
    let mut of = None;
    let args = lanes.iter().map(|lane| match &plays[(*lane)?.0.index()] {
        Plays::Move(id, args) => {
            of = Some(*id);
            args[(*lane)?.1 as usize].clone()
        }
        Plays::Pass => None,
    });
    let args = args.collect();
    of.map_or(Plays::Pass, |id| Plays::Move(id, args))
}

fn mentions_stuck(expr: &Expr) -> bool {
    let mut found = matches!(&*expr.kind, ExprKind::Stuck);
    expr.each_part(&mut |part| found |= mentions_stuck(part));
    found
}
