//! Legal moves and their successors (LANGUAGE.md section 6).

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use super::Interpreter;
use super::compact::Compact;
use super::eval::{Context, StuckMeaning};
use super::history::HistoryEntry;
use super::instances::MoveNode;
use super::number::order;
use super::stage::{BodyResult, BodyRun, Conditions, TurnControl};
use super::state::State;
use bouton_base::source::Span;
use bouton_rules::{Actor, Fault, FaultKind, Move, MoveId, MoveInstance, PLAYER, PhaseId, ToMove, Value};

/// An instance of a move that is legal or at fault: its arguments and the position after it.
pub(super) type InstanceResult = (MoveId, Vec<Value>, Result<State, Fault>);

/// A visitor of such instances; it returns false to stop.
type InstanceVisitor<'v> = dyn FnMut(MoveId, &dyn Fn() -> Vec<Value>, Result<State, Fault>) -> bool + 'v;

/// A legal instance of a move with the position after it.
#[derive(Clone)]
pub(super) struct LegalMove {
    pub id: MoveId,
    pub args: Vec<Value>,
    pub after: State,
}

/// The actor of a phase.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ActingSide {
    Player(u32),
    Each,
    Chance,
}

/// A position before moves, with its history entries, which all instances share.
pub(super) struct Origin<'a> {
    pub state: &'a State,
    pub present: Vec<HistoryEntry>,
}

/// A legal move with its successor and its probability, which is 1 unless chance acts.
pub type LegalSuccessor = (MoveInstance, State, Rational);

impl Interpreter {
    /// All legal moves: moves as declared, arguments in order with the first slowest, the pass last. For simultaneous
    /// moves all combinations, the first player's slowest. Empty if the game is over, or if nobody can move though it
    /// is not.
    pub fn successors(&self, state: &State) -> Result<Vec<LegalSuccessor>, Fault> {
        Ok(self.expand(state)?.1)
    }

    /// The actor or the outcome, and the legal moves.
    pub fn expand(&self, state: &State) -> Result<(ToMove, Vec<LegalSuccessor>), Fault> {
        let mut context = self.context(state, None, StuckMeaning::Compute);
        let turn = self.turn_in(&mut context, state)?;
        let moves = match turn {
            ToMove::Terminal(_) => Vec::new(),
            ToMove::Player(player) => {
                context.with_actor(Some(player), StuckMeaning::Meaningless, |context| {
                    self.players_moves(context, state, player)
                })?
            }
            ToMove::Simultaneous => self.joint_moves(state)?,
            ToMove::Chance => {
                context.with_actor(None, StuckMeaning::Meaningless, |context| self.events(context, state))?
            }
        };
        Ok((turn, moves))
    }

    /// The actor in the phase of this position. A fault if `by e` names no player or several.
    pub(super) fn acting(&self, state: &State) -> Result<ActingSide, Fault> {
        let layout = &self.prepared.layout;
        let id = layout.phase(state);
        let Some(phase) = self.rules.phases.get(id) else {
            return Ok(ActingSide::Player(layout.mover(state)));
        };
        let player = match &phase.actor {
            Actor::Mover => return Ok(ActingSide::Player(layout.mover(state))),
            Actor::Each => return Ok(ActingSide::Each),
            Actor::Chance => return Ok(ActingSide::Chance),
            Actor::Player(_) => self.prepared.actors[id].as_ref(),
        };
        let mut context = self.context(state, None, StuckMeaning::Meaningless);
        let player = player.and_then(|player| context.value_of(player));
        match player.map(|player| player.to_value()) {
            Some(Value::Sym(PLAYER, player)) => Ok(ActingSide::Player(player)),
            Some(Value::Set(players)) => match players[..] {
                [Value::Sym(PLAYER, player)] => Ok(ActingSide::Player(player)),
                _ => Err(undefined("the one player of this phase", phase.span)),
            },
            _ => Err(undefined("the player of this phase", phase.span)),
        }
    }

    /// `stuck`: the actor of this phase has no legal move but passing. A move at fault counts as legal here; making it
    /// reports the fault. The context is one of the position.
    pub(super) fn stuck(&self, context: &mut Context, state: &State) -> bool {
        let mut can_move = |actor| {
            context.with_actor(actor, StuckMeaning::Meaningless, |context| self.can_move(context, state))
        };
        match self.acting(state) {
            Ok(ActingSide::Player(player)) => !can_move(Some(player)),
            Ok(ActingSide::Each) => !(0..self.players()).any(|player| can_move(Some(player))),
            Ok(ActingSide::Chance) => !can_move(None),
            Err(_) => false,
        }
    }

    /// `stuck(p)`: p would have no legal move but passing if it were to move in this phase.
    pub(super) fn stuck_player(&self, state: &State, player: u32) -> bool {
        let mut state = state.clone();
        self.prepared.layout.set_mover(&mut state, &Compact::sym(PLAYER, player));
        !self.can_move(&mut self.context(&state, Some(player), StuckMeaning::Meaningless), &state)
    }

    fn can_move(&self, context: &mut Context, state: &State) -> bool {
        !self.each_legal(context, state, &|_| true, &mut |_, _, _| false)
    }

    pub(super) fn players(&self) -> u32 {
        self.rules.players().len() as u32
    }

    /// Visits the instances of the moves that satisfy `among`, in order, if they are legal but for `mandatory` and
    /// `prefer`, or at fault. Stops and returns false when the visitor does. The actor is that of the context; chance
    /// if it has none.
    fn each_legal(
        &self,
        context: &mut Context,
        state: &State,
        among: &dyn Fn(&Move) -> bool,
        visit: &mut InstanceVisitor<'_>,
    ) -> bool {
        let origin = Origin { state, present: self.present_entries(state) };
        self.each_candidate(context, state, among, &mut |context, id| {
            let node = &self.prepared.moves[id];
            match self.attempt(context, &origin, node) {
                Ok(None) => true,
                Ok(Some(after)) => visit(id, &|| node.args(context), Ok(after)),
                Err(fault) => {
                    let args = || node.args(context);
                    let play = Some(MoveInstance::Move(id, args()).into());
                    visit(id, &args, Err(Fault { play, ..fault }))
                }
            }
        })
    }

    /// Visits the instances of the moves that satisfy `among` and that no early test excludes, in order, their
    /// parameters bound in the current frame. Stops and returns false when the visitor does.
    pub(super) fn each_candidate<'a>(
        &self,
        context: &mut Context<'a>,
        state: &State,
        among: &dyn Fn(&Move) -> bool,
        visit: &mut dyn FnMut(&mut Context<'a>, MoveId) -> bool,
    ) -> bool {
        let phase = self.prepared.layout.phase(state);
        self.rules.moves.entries().filter(|(_, of)| among(of)).all(|(id, of)| {
            !self.belongs(context, phase, of, &self.prepared.moves[id])
                || self.each_instance(context, id, &mut |context| visit(context, id))
        })
    }

    /// Returns true if a move belongs to this phase and actor: an event of chance, or a move that `by` allows the
    /// player.
    fn belongs(&self, context: &mut Context, phase: PhaseId, of: &Move, node: &MoveNode) -> bool {
        if !of.phases.contains(&phase) || of.chance != context.me.is_none() {
            return false;
        }
        let (Some(me), Some(by)) = (context.me, &node.by) else { return true };
        let me = Compact::sym(PLAYER, me);
        let outer = context.enter(node.slots);
        let by = context.value(by);
        context.leave(outer);
        by.is_some_and(|by| by == me || by.is_set() && by.contains(&me))
    }

    /// The position after a move, its parameters bound in the current frame; `None` if it is not legal.
    pub(super) fn attempt(
        &self,
        context: &mut Context,
        origin: &Origin,
        of: &MoveNode,
    ) -> Result<Option<State>, Fault> {
        let me = context.me;
        let mut runs = [BodyRun::new(context, 0, &of.tested)];
        let Some(made) = self.execute(origin.state, &mut runs, Conditions::Decide)? else { return Ok(None) };
        let (after, present) = self.finish(origin, made, me);
        let permitted = self.permits(origin.state, &origin.present, &present);
        Ok(permitted.then_some(after))
    }

    /// Ends a move: resets the transient cells that no stage assigned, passes the turn, and extends the history.
    ///
    /// After `again` and `continue P` the mover stays; after `next e` it is e. Otherwise it is the next player after a
    /// player's move, and stays after chance or simultaneous moves (`actor` is `None`). The phase is the requested one,
    /// or the first that is no `setup`. Also returns the present entries of all watches.
    pub(super) fn finish(
        &self,
        origin: &Origin,
        made: BodyResult,
        actor: Option<u32>,
    ) -> (State, Vec<HistoryEntry>) {
        let BodyResult { state: mut after, control, assigned } = made;
        self.patience.spend(origin.state.history.iter().map(|entries| entries.len() as u64).sum());
        let layout = &self.prepared.layout;
        for (index, value) in &layout.transient {
            if !assigned.contains(index) {
                let (field, cell) = layout.field(*index);
                layout.write(&mut after, field, cell, value);
            }
        }
        let TurnControl { mover, phase } = control;
        if let Some(next) = mover {
            layout.set_mover(&mut after, &next.value);
        } else if let (Some(actor), None) = (actor, &phase) {
            let next = (actor + 1) % self.players().max(1);
            layout.set_mover(&mut after, &Compact::sym(PLAYER, next));
        }
        layout.set_phase(&mut after, phase.map_or(self.rules.turn_phase(), |phase| phase.value));
        let present = self.present_entries(&after);
        after.history = self.extended_histories(origin.state, &origin.present, &present);
        (after, present)
    }

    fn players_moves(
        &self,
        context: &mut Context,
        state: &State,
        player: u32,
    ) -> Result<Vec<LegalSuccessor>, Fault> {
        let choices = self.choices(context, state)?;
        let forced = choices.iter().any(|choice| self.rules.moves[choice.id].mandatory);
        let pass = if forced { None } else { self.pass(state, player, choices.is_empty()) };
        let moves =
            choices.into_iter().map(|LegalMove { id, args, after }| (MoveInstance::Move(id, args), after));
        Ok(moves
            .chain(pass.map(|after| (MoveInstance::Pass, after)))
            .map(|(play, after)| (play, after, Rational::ONE))
            .collect())
    }

    /// The legal moves of a player: only the mandatory ones if there are any, else all; among those with `prefer`, only
    /// the most preferred ones. Moves that are left out are not examined further, not even for faults. A move at fault
    /// counts as legal until it is left out.
    pub(super) fn choices(&self, context: &mut Context, state: &State) -> Result<Vec<LegalMove>, Fault> {
        let mut found = Vec::new();
        if self.rules.moves.iter().any(|of| of.mandatory) {
            found = self.legal_instances(context, state, &|of| of.mandatory);
        }
        if found.is_empty() {
            found = self.legal_instances(context, state, &|of| !of.mandatory);
        }
        if self.rules.moves.iter().all(|of| of.prefer.is_none()) {
            return found
                .into_iter()
                .map(|(id, args, after)| Ok(LegalMove { id, args, after: after? }))
                .collect();
        }
        let mut preference = |(id, args, _): &InstanceResult| {
            let of = &self.prepared.moves[*id];
            let prefer = of.prefer.as_ref()?;
            Some(of.with_instance(context, args, |context| context.value(prefer)))
        };
        let preferences: Vec<Option<Option<Compact>>> = found.iter().map(&mut preference).collect();
        // An undefined preference ranks below every other.
        let order = |a: &Option<Compact>, b: &Option<Compact>| match (a, b) {
            (Some(a), Some(b)) => order(a, b),
            _ => a.is_some().cmp(&b.is_some()),
        };
        let best = preferences.iter().flatten().max_by(|a, b| order(a, b));
        let kept = |preference: &Option<Option<Compact>>| match (preference, best) {
            (Some(preference), Some(best)) => order(preference, best) == Ordering::Equal,
            _ => true,
        };
        let kept = found.into_iter().zip(&preferences).filter(|(_, p)| kept(p));
        kept.map(|((id, args, after), _)| Ok(LegalMove { id, args, after: after? })).collect()
    }

    /// The instances of the moves that satisfy `among`, if they are legal but for `mandatory` and `prefer`, each with
    /// the position after it, or at fault.
    pub(super) fn legal_instances(
        &self,
        context: &mut Context,
        state: &State,
        among: &dyn Fn(&Move) -> bool,
    ) -> Vec<InstanceResult> {
        let mut found = Vec::new();
        self.each_legal(context, state, among, &mut |id, args, after| {
            found.push((id, args(), after));
            true
        });
        found
    }

    /// The position after a pass, if one is legal. Only the turn and transient cells change, and no `forbid repeat`
    /// forbids it.
    fn pass(&self, state: &State, player: u32, alone: bool) -> Option<State> {
        self.rules.pass.as_ref()?;
        if let Some(condition) = &self.prepared.pass
            && !self.context(state, Some(player), StuckMeaning::Known(alone)).truth_of(condition)
        {
            return None;
        }
        let origin = Origin { state, present: self.present_entries(state) };
        let made = BodyResult { state: state.clone(), control: TurnControl::default(), assigned: Vec::new() };
        Some(self.finish(&origin, made, Some(player)).0)
    }
}

pub(super) fn undefined(what: &str, span: Span) -> Fault {
    Fault { kind: FaultKind::Undefined { what: what.to_string() }, span, play: None }
}
