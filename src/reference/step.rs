//! Legal moves and their successors (LANGUAGE.md section 6).

use std::cmp::Ordering;

use num_rational::Rational64;

use super::eval::Context;
use super::history::HistoryEntry;
use super::number::compare;
use super::stage::{BodyResult, BodyRun, Conditions, TurnControl};
use super::state::{PositionView, State, StuckMeaning};
use super::{Env, Interpreter};
use bouton_base::source::Span;
use bouton_rules::{
    Actor, Expr, Fault, FaultKind, Move, MoveId, MoveInstance, PLAYER, PhaseId, ToMove, Value,
};

/// An instance of a move that is legal or at fault: its arguments and the position after it.
pub(super) type InstanceResult = (MoveId, Vec<Value>, Result<State, Fault>);

/// A visitor of such instances; it returns false to stop.
type InstanceVisitor<'v> = dyn FnMut(MoveId, &[Value], Result<State, Fault>) -> bool + 'v;

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
pub type LegalSuccessor = (MoveInstance, State, Rational64);

impl Interpreter {
    /// All legal moves: moves as declared, arguments in order with the first slowest, the pass last. For simultaneous
    /// moves all combinations, the first player's slowest. Empty if the game is over, or if nobody can move though it
    /// is not.
    pub fn successors(&self, state: &State) -> Result<Vec<LegalSuccessor>, Fault> {
        Ok(self.expand(state)?.1)
    }

    /// The actor or the outcome, and the legal moves.
    pub fn expand(&self, state: &State) -> Result<(ToMove, Vec<LegalSuccessor>), Fault> {
        let turn = self.turn(state)?;
        let moves = match turn {
            ToMove::Terminal(_) => Vec::new(),
            ToMove::Player(player) => self.players_moves(state, player)?,
            ToMove::Simultaneous => self.joint_moves(state)?,
            ToMove::Chance => self.events(state)?,
        };
        Ok((turn, moves))
    }

    /// The actor in the phase of this position. A fault if `by e` names no player or several.
    pub(super) fn acting(&self, state: &State) -> Result<ActingSide, Fault> {
        let Some(phase) = self.rules.phases.get(state.phase()) else {
            return Ok(ActingSide::Player(state.mover()));
        };
        let player = match &phase.actor {
            Actor::Mover => return Ok(ActingSide::Player(state.mover())),
            Actor::Each => return Ok(ActingSide::Each),
            Actor::Chance => return Ok(ActingSide::Chance),
            Actor::Player(player) => player,
        };
        let at = PositionView::new(self, state, StuckMeaning::Meaningless);
        match at.context(None).value(&mut Env::new(0), player) {
            Some(Value::Sym(PLAYER, player)) => Ok(ActingSide::Player(player)),
            Some(Value::Set(players)) => match players[..] {
                [Value::Sym(PLAYER, player)] => Ok(ActingSide::Player(player)),
                _ => Err(undefined("the one player of this phase", phase.span)),
            },
            _ => Err(undefined("the player of this phase", phase.span)),
        }
    }

    /// `stuck`: the actor of this phase has no legal move but passing. A move at fault counts as legal here; making it
    /// reports the fault.
    pub(super) fn stuck(&self, state: &State) -> bool {
        match self.acting(state) {
            Ok(ActingSide::Player(player)) => !self.can_move(state, Some(player)),
            Ok(ActingSide::Each) => !(0..self.players()).any(|player| self.can_move(state, Some(player))),
            Ok(ActingSide::Chance) => !self.can_move(state, None),
            Err(_) => false,
        }
    }

    /// `stuck(p)`: p would have no legal move but passing if it were to move in this phase.
    pub(super) fn stuck_player(&self, state: &State, player: u32) -> bool {
        let mut state = state.clone();
        state.set_mover(self.rules.player(player));
        !self.can_move(&state, Some(player))
    }

    fn can_move(&self, state: &State, actor: Option<u32>) -> bool {
        !self.each_legal(state, actor, &|_| true, &mut |_, _, _| false)
    }

    pub(super) fn players(&self) -> u32 {
        self.rules.players().len() as u32
    }

    /// Visits the instances of the moves that satisfy `among`, in order, if they are legal but for `mandatory` and
    /// `prefer`, or at fault. Stops and returns false when the visitor does. `actor` is `None` for chance.
    fn each_legal(
        &self,
        state: &State,
        actor: Option<u32>,
        among: &dyn Fn(&Move) -> bool,
        visit: &mut InstanceVisitor<'_>,
    ) -> bool {
        let at = PositionView::new(self, state, StuckMeaning::Meaningless);
        let context = at.context(actor);
        let origin = Origin { state, present: self.present_entries(state) };
        let moves = self.rules.moves.entries().filter(|(_, of)| among(of));
        let moves = moves.filter(|(_, of)| self.belongs(&context, state.phase(), of));
        moves.into_iter().all(|(id, of)| {
            self.each_instance(
                &context,
                id,
                &mut |env, args| match self.attempt(&context, &origin, of, env) {
                    Ok(None) => true,
                    Ok(Some(after)) => visit(id, args, Ok(after)),
                    Err(fault) => {
                        let play = Some(MoveInstance::Move(id, args.to_vec()).into());
                        visit(id, args, Err(Fault { play, ..fault }))
                    }
                },
            )
        })
    }

    /// Returns true if a move belongs to this phase and actor: an event of chance, or a move that `by` allows the
    /// player.
    fn belongs(&self, context: &Context, phase: PhaseId, of: &Move) -> bool {
        if !of.phases.contains(&phase) || of.chance != context.me.is_none() {
            return false;
        }
        let (Some(me), Some(by)) = (context.me, &of.by) else { return true };
        let me = self.rules.player(me);
        match context.value(&mut Env::new(of.vars.len()), by) {
            Some(Value::Set(players)) => players.contains(&me),
            player => player == Some(me),
        }
    }

    /// The position after a move with these arguments; `None` if it is not legal.
    fn attempt(
        &self,
        context: &Context,
        origin: &Origin,
        of: &Move,
        env: &Env,
    ) -> Result<Option<State>, Fault> {
        let mut runs = [BodyRun::new(context, 0, &of.body, env.clone())];
        let Some(made) = self.execute(origin.state, &mut runs, Conditions::Decide)? else { return Ok(None) };
        let (after, present) = self.finish(origin, made, context.me);
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
        for (cell, value) in &self.layout.transient {
            if !assigned.contains(cell) {
                after.cells[*cell] = value.clone();
            }
        }
        let TurnControl { mover, phase } = control;
        if let Some(next) = mover {
            after.set_mover(next.value);
        } else if let (Some(actor), None) = (actor, &phase) {
            after.set_mover(self.rules.player((actor + 1) % self.players().max(1)));
        }
        after.set_phase(phase.map_or(self.rules.turn_phase(), |phase| phase.value));
        let present = self.present_entries(&after);
        after.history = self.extended_histories(origin.state, &origin.present, &present);
        (after, present)
    }

    fn players_moves(&self, state: &State, player: u32) -> Result<Vec<LegalSuccessor>, Fault> {
        let choices = self.choices(state, player)?;
        let forced = choices.iter().any(|choice| self.rules.moves[choice.id].mandatory);
        let pass = if forced { None } else { self.pass(state, player, choices.is_empty()) };
        let moves =
            choices.into_iter().map(|LegalMove { id, args, after }| (MoveInstance::Move(id, args), after));
        let one = Rational64::from_integer(1);
        Ok(moves
            .chain(pass.map(|after| (MoveInstance::Pass, after)))
            .map(|(play, after)| (play, after, one))
            .collect())
    }

    /// The legal moves of a player: only the mandatory ones if there are any, else all; among those with `prefer`, only
    /// the most preferred ones. Moves that are left out are not examined further, not even for faults. A move at fault
    /// counts as legal until it is left out.
    pub(super) fn choices(&self, state: &State, player: u32) -> Result<Vec<LegalMove>, Fault> {
        let mut found = self.legal_instances(state, Some(player), &|of| of.mandatory);
        if found.is_empty() {
            found = self.legal_instances(state, Some(player), &|of| !of.mandatory);
        }
        let at = PositionView::new(self, state, StuckMeaning::Meaningless);
        let context = at.context(Some(player));
        let preferences: Vec<Option<Option<Value>>> = found
            .iter()
            .map(|(id, args, _)| {
                let of = &self.rules.moves[*id];
                of.prefer.as_ref().map(|prefer| self.instance_value(&context, of, args, prefer))
            })
            .collect();
        // An undefined preference ranks below every other.
        let order = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
            (Some(a), Some(b)) => compare(a, b),
            _ => a.is_some().cmp(&b.is_some()),
        };
        let best = preferences.iter().flatten().max_by(|a, b| order(a, b));
        let kept = |preference: &Option<Option<Value>>| match (preference, best) {
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
        state: &State,
        actor: Option<u32>,
        among: &dyn Fn(&Move) -> bool,
    ) -> Vec<InstanceResult> {
        let mut found = Vec::new();
        self.each_legal(state, actor, among, &mut |id, args, after| {
            found.push((id, args.to_vec(), after));
            true
        });
        found
    }

    /// The value of `weight` or `prefer` of an instance, in the position before it.
    pub(super) fn instance_value(
        &self,
        context: &Context,
        of: &Move,
        args: &[Value],
        expr: &Expr,
    ) -> Option<Value> {
        context.value(&mut self.instance_env(context, of, args), expr)
    }

    /// The position after a pass, if one is legal. Only the turn and transient cells change, and no `forbid repeat`
    /// forbids it.
    fn pass(&self, state: &State, player: u32, alone: bool) -> Option<State> {
        let pass = self.rules.pass.as_ref()?;
        let at = PositionView::new(self, state, StuckMeaning::Known(alone));
        let condition = pass.condition.as_ref();
        if !condition.is_none_or(|condition| at.context(Some(player)).truth(&mut Env::new(0), condition)) {
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
