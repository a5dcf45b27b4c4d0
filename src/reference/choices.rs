//! Legal moves without the positions after them, for callers that make only some of them.

use super::Interpreter;
use super::eval::{Context, StuckMeaning};
use super::simultaneous::Choice;
use super::stage::{BodyRun, Conditions};
use super::state::State;
use super::step::{ActingSide, LegalMove, Origin};
use bouton_rules::{Fault, MoveInstance, ToMove};

/// The turn in a position, and the legal moves of each player who acts in it. The legal moves of the position are their
/// combinations, the moves of the last player fastest, as [`Interpreter::expand`] gives them.
pub type Choices = (ToMove, Vec<(u32, Vec<MoveInstance>)>);

impl Interpreter {
    /// The legal moves of each player who acts. `None` where only [`expand`](Self::expand) has them: the events of
    /// chance, rules with passes, and simultaneous moves that a repetition may forbid together.
    ///
    /// A move is made only as far as that decides whether it is legal. So a fault that a move leads to may be found only
    /// when it is made.
    pub fn choices_by_player(&self, state: &State) -> Result<Option<Choices>, Fault> {
        let mut context = self.context(state, None, StuckMeaning::Compute);
        let turn = self.turn_in(&mut context, state)?;
        let choices = match turn {
            ToMove::Terminal(_) => Vec::new(),
            ToMove::Chance => return Ok(None),
            ToMove::Player(_) if self.rules.pass.is_some() => return Ok(None),
            ToMove::Player(player) => {
                let plays = context.with_actor(Some(player), StuckMeaning::Meaningless, |context| {
                    self.legal_plays(context, state)
                })?;
                vec![(player, plays)]
            }
            ToMove::Simultaneous if self.prepared.watches.iter().any(|watch| watch.is_forbid()) => {
                return Ok(None);
            }
            ToMove::Simultaneous => {
                let mut choices = Vec::new();
                for (player, mut context) in (0..).zip(self.contexts(state)) {
                    let plays = self.legal_plays(&mut context, state)?;
                    if !plays.is_empty() {
                        choices.push((player, plays));
                    }
                }
                choices
            }
        };
        Ok(Some((turn, choices)))
    }

    /// The position after a legal move; `None` if it is found not to be legal.
    pub fn make(&self, state: &State, play: &MoveInstance) -> Result<Option<State>, Fault> {
        let origin = Origin { state, present: self.present_entries(state) };
        match play {
            MoveInstance::Move(id, args) => {
                let ActingSide::Player(player) = self.acting(state)? else { return Ok(None) };
                let of = &self.prepared.moves[*id];
                let mut context = self.context(state, Some(player), StuckMeaning::Meaningless);
                context.enter(of.slots);
                of.set_args(&mut context, args);
                let mut runs = [BodyRun::new(&mut context, 0, &of.body)];
                let made = self.execute(state, &mut runs, Conditions::Decide);
                let made = made.map_err(|fault| Fault { play: Some(play.clone().into()), ..fault })?;
                let Some(made) = made else { return Ok(None) };
                let (after, present) = self.finish(&origin, made, Some(player));
                Ok(self.permits(state, &origin.present, &present).then_some(after))
            }
            MoveInstance::Joint(plays) => {
                let chosen = plays.iter().map(|(player, play)| match play {
                    MoveInstance::Move(id, args) => Some((*player, (*id, args.clone()))),
                    _ => None,
                });
                let chosen: Option<Vec<(u32, Choice)>> = chosen.collect();
                let Some(chosen) = chosen else { return Ok(None) };
                let made = self.make_joint(&mut self.contexts(state), &origin, chosen)?;
                Ok(made.map(|(_, after, _)| after))
            }
            _ => Ok(None),
        }
    }

    /// The legal moves of the actor of a context.
    fn legal_plays(&self, context: &mut Context, state: &State) -> Result<Vec<MoveInstance>, Fault> {
        if self.rules.moves.iter().any(|of| of.mandatory || of.prefer.is_some()) {
            let choices = self.choices(context, state)?.into_iter();
            return Ok(choices.map(|LegalMove { id, args, .. }| MoveInstance::Move(id, args)).collect());
        }
        let forbids = self.prepared.watches.iter().any(|watch| watch.is_forbid());
        let origin = Origin { state, present: self.present_entries(state) };
        let (mut found, mut mistake) = (Vec::new(), None);
        self.each_candidate(context, state, &|_| true, &mut |context, id| {
            let of = &self.prepared.moves[id];
            let play = |context: &Context| MoveInstance::Move(id, of.args(context));
            if !forbids && of.is_decided_early() {
                found.push(play(context));
                return true;
            }
            match self.attempt(context, &origin, of) {
                Ok(after) => found.extend(after.map(|_| play(context))),
                Err(fault) => mistake = Some(Fault { play: Some(play(context).into()), ..fault }),
            }
            mistake.is_none()
        });
        mistake.map_or(Ok(found), Err)
    }
}
