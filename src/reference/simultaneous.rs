//! Phases `by each`: all players choose, then all moves are made at once (LANGUAGE.md section 6).

use bouton_base::rational::Rational;

use super::Interpreter;
use super::eval::{Context, StuckMeaning};
use super::stage::{BodyRun, Conditions};
use super::state::State;
use super::step::{LegalMove, LegalSuccessor, Origin};
use bouton_rules::{Fault, MoveId, MoveInstance, Value};

/// A move that a player chooses, with its arguments.
pub(super) type Choice = (MoveId, Vec<Value>);

impl Interpreter {
    /// Simultaneous moves: each player who has a legal move chooses one. The legality of each move is decided alone;
    /// then all moves run in lockstep.
    pub(super) fn joint_moves(&self, state: &State) -> Result<Vec<LegalSuccessor>, Fault> {
        let mut choosing: Vec<(u32, Vec<Choice>)> = Vec::new();
        let mut contexts = self.contexts(state);
        for (player, context) in (0..).zip(&mut contexts) {
            let choices = self.choices(context, state)?;
            if !choices.is_empty() {
                choosing.push((
                    player,
                    choices.into_iter().map(|LegalMove { id, args, .. }| (id, args)).collect(),
                ));
            }
        }
        let origin = Origin { state, present: self.present_entries(state) };
        let mut made = Vec::new();
        let mut places = vec![0; choosing.len()];
        // Generates one combination at a time: together they may exceed the memory.
        while !choosing.is_empty() && !self.patience.spend(1) {
            let chosen = choosing.iter().zip(&places);
            let chosen = chosen.map(|((player, choices), &at)| (*player, choices[at].clone())).collect();
            made.extend(self.make_joint(&mut contexts, &origin, chosen)?);
            // The choices of the last player vary fastest.
            let Some(next) = (0..places.len()).rev().find(|&i| places[i] + 1 < choosing[i].1.len()) else {
                break;
            };
            places[next] += 1;
            places[next + 1..].fill(0);
        }
        Ok(made)
    }

    /// A context for each player, with that player as the actor.
    pub(super) fn contexts<'a>(&'a self, state: &'a State) -> Vec<Context<'a>> {
        let context = |player| self.context(state, Some(player), StuckMeaning::Meaningless);
        (0..self.players()).map(context).collect()
    }

    /// The position after moves of several players, which are legal, in the order of the players.
    pub(super) fn make_joint(
        &self,
        contexts: &mut [Context],
        origin: &Origin,
        chosen: Vec<(u32, Choice)>,
    ) -> Result<Option<LegalSuccessor>, Fault> {
        let mut runs = Vec::new();
        let mut rest = contexts.iter_mut().zip(0..);
        for (place, (player, (id, args))) in chosen.iter().enumerate() {
            let Some((context, _)) = rest.find(|(_, other)| other == player) else { continue };
            let of = &self.prepared.moves[*id];
            context.enter(of.slots);
            of.set_args(context, args);
            runs.push(BodyRun::new(context, place, &of.body));
        }
        let made = self.execute(origin.state, &mut runs, Conditions::AlreadyDecided);
        drop(runs);
        contexts.iter_mut().for_each(|context| context.leave(0));
        let plays = chosen.into_iter().map(|(player, (id, args))| (player, MoveInstance::Move(id, args)));
        let play = MoveInstance::Joint(plays.collect());
        match made {
            Ok(made) => {
                Ok(made.map(|made| (play, self.finish(origin, made, None).0, Rational::from_integer(1))))
            }
            Err(fault) => Err(Fault { play: Some(play.into()), ..fault }),
        }
    }
}
