//! Lowering of the whole game: for each player to move and each phase, the end rules, the moves and their effects.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cx::{Cx, Lanes};
use super::ends::mentions_stuck;
use super::moves::MoveSet;
use super::partial_eval::{KnownTurn, PartialEvaluator, PartialValue};
use super::{Acting, Lower, LowerError, Lowered, Result, unsupported};
use bouton_base::bits::BitSet;
use bouton_base::id::{Id, IdVec};
use bouton_circuit::draft::Draft;
use bouton_circuit::{
    Control, ControlId, GroupId, MoveGroup, Position, SlotId, StateUpdate, Stmt, StmtBlock, ValueId,
};
use bouton_rules::{Actor, MOVER, MoveInstance, PHASE, PassRule, PhaseId, Value};

/// A control under construction: its moves, and the groups of all controls.
pub(super) struct ControlBuilder<'a> {
    groups: &'a mut IdVec<GroupId, MoveGroup>,
    plays: &'a mut Vec<Vec<Option<MoveInstance>>>,
    of_control: Vec<GroupId>,
    /// The statements for positions without moves.
    pub(super) stuck: Vec<Stmt>,
    /// The condition that the game has ended unless nobody can move.
    pub(super) ended: ValueId,
}

impl ControlBuilder<'_> {
    /// Adds a group: its lanes, the parameter that is the bit of the chosen lane, its body, and the move at each place.
    pub(super) fn push(
        &mut self,
        set: ValueId,
        bit: ValueId,
        body: StmtBlock,
        plays: Vec<Option<MoveInstance>>,
    ) {
        let pass = plays.first() == Some(&Some(MoveInstance::Pass));
        let (lets, setup) = (StmtBlock::default(), StmtBlock::default());
        self.of_control.push(self.groups.push(MoveGroup { lets, set, bit, pass, setup, body }));
        self.plays.push(plays);
    }
}

impl<'r> Lower<'r> {
    /// Returns the control of a player to move in a phase.
    pub(super) fn control_of(&self, mover: u32, phase: u32) -> ControlId {
        ControlId(mover * self.rules.phases.len().max(1) as u32 + phase)
    }

    /// Lowers the game to a circuit.
    pub(super) fn game(mut self, improve: &dyn Fn(&mut Draft)) -> Result<Lowered> {
        let rules = self.rules;
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
        let mut groups: IdVec<GroupId, MoveGroup> = IdVec::new();
        let mut plays = Vec::new();
        let (mut turns, mut acting) = (Vec::new(), Vec::new());
        let phases = rules.phases.len().max(1) as u32;
        for mover in 0..rules.players().len().max(1) as u32 {
            for phase in 0..phases {
                turns.push((mover, phase));
                let turn = KnownTurn { me: None, mover: Some(mover), phase: Some(phase) };
                acting.push(self.acting(mover, phase, turn)?);
                let control = self.control(mover, phase, &state, &mut groups, &mut plays)?;
                controls.push(control);
            }
        }
        let initial = self.state.write(&|field, cell| rules.fields[field].init[cell].clone());
        let first = |field: bouton_rules::FieldId| rules.fields[field].init.first().cloned();
        let mover = first(MOVER).and_then(|v| v.as_sym()).unwrap_or(0);
        let phase = first(PHASE).and_then(|v| v.as_int()).unwrap_or(0) as u32;
        let control = self.control_of(mover, phase);
        let initial = Position { control, words: initial.into() };
        // Each group of simultaneous moves is a kind of its own: no pass knows their common properties.
        let kind = |(group, plays): (u32, &Vec<Option<MoveInstance>>)| match plays.iter().flatten().next() {
            Some(MoveInstance::Move(id, _)) => id.0,
            Some(MoveInstance::Pass) => u32::MAX,
            _ => u32::MAX - 1 - group,
        };
        let kinds = (0..).zip(&plays).map(kind).collect();
        let (origins, stackings) = (BTreeMap::new(), Vec::new());
        let mut draft = Draft { build: self.build, controls, groups, initial, origins, kinds, stackings };
        improve(&mut draft);
        for (group, lanes) in &draft.origins {
            assert_eq!(plays.len(), group.index(), "groups are made one after another");
            let play = |&(group, lane): &(GroupId, u32)| plays[group.index()][lane as usize].clone();
            plays.push(lanes.iter().map(|lane| lane.as_ref().and_then(play)).collect());
        }
        let (circuit, kept) = draft.finish();
        let plays = kept.into_iter().map(|group| plays[group.index()].clone()).collect();
        Ok(Lowered { circuit, state: self.state, plays, endings: self.endings, turns, acting })
    }

    fn control(
        &mut self,
        mover: u32,
        phase: u32,
        state: &Rc<Vec<ValueId>>,
        groups: &mut IdVec<GroupId, MoveGroup>,
        plays: &mut Vec<Vec<Option<MoveInstance>>>,
    ) -> Result<Control> {
        let rules = self.rules;
        let turn = KnownTurn { me: None, mover: Some(mover), phase: Some(phase) };
        let cx =
            Cx { lanes: Rc::new(Lanes::unit()), env: Vec::new(), turn, state: state.clone(), lane: None };
        let (before, stuck) = self.ends(&cx)?;
        let ended = self.ended_unless_stuck(&before);
        let mut making = ControlBuilder { groups, plays, of_control: Vec::new(), stuck, ended };
        let acting = self.acting(mover, phase, turn)?;
        match (acting, rules.phases.get(PhaseId(phase))) {
            (Acting::Player(me), _) => self.players(me, &cx, &mut making)?,
            (Acting::Each, Some(phase)) => self.profiles(phase, &cx, &mut making)?,
            (Acting::Chance, _) | (Acting::Each, None) => self.events(&cx, &mut making)?,
        }
        let ControlBuilder { of_control, stuck, groups, .. } = making;
        let weight = (acting == Acting::Chance).then(|| self.build.int(1));
        let stays = StateUpdate { slots: Vec::new(), to: self.control_of(mover, phase), weight };
        for &group in &of_control {
            let body = std::mem::take(&mut groups[group].body);
            groups[group].body = self.with_faults_as_moves(body, ended, &stays);
        }
        let phase_name = &rules.phases.get(PhaseId(phase)).map_or("", |p| p.name.as_str());
        let name = format!("{} {phase_name}", rules.players().get(mover as usize).map_or("", String::as_str));
        Ok(Control {
            name: name.trim().to_string(),
            mover,
            chance: acting == Acting::Chance,
            constant_slots: Vec::new(),
            before: StmtBlock { stmts: before },
            groups: of_control,
            stuck: StmtBlock { stmts: stuck },
        })
    }

    /// Returns the condition that one of these statements ends the game unless nobody can move.
    fn ended_unless_stuck(&mut self, before: &[Stmt]) -> ValueId {
        let mut ended = self.build.truth(false);
        for stmt in before {
            if let Stmt::Over(over) = stmt
                && over.unless_stuck
            {
                ended = self.build.or(ended, over.when);
            }
        }
        ended
    }

    /// Rewrites the body of a move for a game that may have `ended` unless nobody can move: in that case a move at
    /// fault counts as a move, and has no other effect. So it yields, and the position stays the same.
    fn with_faults_as_moves(&mut self, body: StmtBlock, ended: ValueId, stays: &StateUpdate) -> StmtBlock {
        if self.build.maybe(ended).is_empty() {
            return body;
        }
        let mut stmts: Vec<Stmt> = Vec::new();
        for stmt in body.stmts.into_iter().rev() {
            match stmt {
                Stmt::Fault(wrong) => {
                    let moves = self.build.and(wrong, ended);
                    stmts.push(Stmt::Fault(wrong));
                    stmts.reverse();
                    let rest = StmtBlock { stmts };
                    let yields = StmtBlock { stmts: vec![Stmt::Yield(stays.clone())] };
                    stmts = vec![Stmt::If(moves, yields, rest)];
                }
                Stmt::If(when, yes, no) => {
                    let [yes, no] = [yes, no].map(|block| self.with_faults_as_moves(block, ended, stays));
                    stmts.push(Stmt::If(when, yes, no));
                }
                stmt => stmts.push(stmt),
            }
        }
        stmts.reverse();
        StmtBlock { stmts }
    }

    /// Adds the moves of a player, and his pass.
    fn players(&mut self, me: u32, cx: &Cx, making: &mut ControlBuilder) -> Result<()> {
        let rules = self.rules;
        let (sets, free) = self.choices(me, cx)?;
        let mut waiting: Vec<Rc<MoveSet>> = sets.into_iter().rev().collect();
        while let Some(set) = waiting.pop() {
            let lanes = self.chosen_lanes(&set, free);
            let bit = self.build.subset_param(lanes);
            let inner = Cx { lane: (!set.cx.is_unit()).then_some(bit), ..set.cx.clone() };
            let body = match self.body(&rules.moves[set.id].body, &inner) {
                // The effects have no form for lanes: each move by itself.
                Err(LowerError::Varies) if !set.cx.is_unit() => {
                    waiting.extend(self.one_by_one(&set, cx)?.into_iter().rev());
                    continue;
                }
                body => body?,
            };
            let plays = set.args.iter().map(|args| MoveInstance::Move(set.id, args.clone()));
            making.push(lanes, bit, body, set.plays(plays));
        }
        rules.pass.as_ref().map_or(Ok(()), |pass| self.passes(pass, me, free, cx, making))
    }

    /// Adds the pass of a player; `free` is the condition that no mandatory move restricts the choice.
    fn passes(
        &mut self,
        pass: &'r PassRule,
        me: u32,
        free: ValueId,
        cx: &Cx,
        making: &mut ControlBuilder,
    ) -> Result<()> {
        let acting = Cx { turn: KnownTurn { me: Some(me), ..cx.turn }, ..cx.clone() };
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
            let bit = self.build.param(BitSet::full(1));
            making.push(able, bit, body, vec![Some(MoveInstance::Pass)]);
            return Ok(());
        }
        let unable = asked(self, true)?;
        match self.build.constant_truth(unable) {
            Some(false) => {}
            Some(true) => making.stuck.extend(body.stmts),
            None => making.stuck.push(Stmt::If(unable, body, StmtBlock::default())),
        }
        Ok(())
    }

    /// Returns the player or chance that acts.
    fn acting(&self, mover: u32, phase: u32, turn: KnownTurn) -> Result<Acting> {
        let Some(phase) = self.rules.phases.get(PhaseId(phase)) else { return Ok(Acting::Player(mover)) };
        let player = match &phase.actor {
            Actor::Mover => return Ok(Acting::Player(mover)),
            Actor::Each => return Ok(Acting::Each),
            Actor::Chance => return Ok(Acting::Chance),
            Actor::Player(player) => player,
        };
        match (PartialEvaluator { lower: self, turn }).value(player, &mut Vec::new()) {
            PartialValue::Value(Value::Sym(_, player)) => Ok(Acting::Player(player)),
            PartialValue::Value(Value::Set(players)) if players.len() == 1 => {
                Ok(Acting::Player(players[0].as_sym().unwrap_or(mover)))
            }
            _ => unsupported("a phase of a player who changes", phase.span),
        }
    }
}
