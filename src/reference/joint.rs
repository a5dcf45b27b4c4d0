//! Phases `by each`: all players choose, then all moves are made at once (LANGUAGE.md section 6).

use num_rational::Rational64;

use super::stage::{Conditions, Run};
use super::state::{At, State, Stuck};
use super::step::{Choice, Next, Origin};
use super::{Context, Env, Interpreter};
use crate::rules::{Fault, Play};

impl Interpreter {
    /// Simultaneous moves: each player who has a legal move chooses one. Whether it is legal is asked of each move
    /// alone; then all are made in lockstep.
    pub(super) fn joint_moves(&self, state: &State) -> Result<Vec<Next>, Fault> {
        let mut combinations: Vec<Vec<(u32, Choice)>> = vec![Vec::new()];
        for player in 0..self.players() {
            let choices = self.choices(state, player)?;
            if !choices.is_empty() {
                let with = |chosen: Vec<(u32, Choice)>| {
                    let choices = choices.iter().cloned();
                    choices.map(move |choice| [chosen.clone(), vec![(player, choice)]].concat())
                };
                combinations = combinations.into_iter().flat_map(with).collect();
            }
        }
        combinations.retain(|chosen| !chosen.is_empty());
        let at = At::new(self, state, Stuck::Meaningless);
        let contexts: Vec<Context> = (0..self.players()).map(|player| at.context(Some(player))).collect();
        let origin = Origin { state, present: self.present(state) };
        let make = |chosen| self.make_joint(&contexts, &origin, chosen).transpose();
        combinations.into_iter().filter_map(make).collect()
    }

    fn make_joint(
        &self,
        contexts: &[Context],
        origin: &Origin,
        chosen: Vec<(u32, Choice)>,
    ) -> Result<Option<Next>, Fault> {
        let run = |(place, (player, choice)): (usize, &(u32, Choice))| {
            let of = &self.rules.moves[choice.id];
            let mut env = Env::new(of.vars.len());
            for (param, value) in of.params.iter().zip(&choice.args) {
                env.set(param.var, value.clone());
            }
            Run::new(&contexts[*player as usize], place, &of.body, env)
        };
        let mut runs: Vec<Run> = chosen.iter().enumerate().map(run).collect();
        let made = self.execute(origin.state, &mut runs, Conditions::Settled);
        drop(runs);
        let plays = chosen.into_iter().map(|(player, choice)| (player, Play::Move(choice.id, choice.args)));
        let play = Play::Joint(plays.collect());
        match made {
            Ok(made) => {
                Ok(made.map(|made| (play, self.finish(origin, made, None).0, Rational64::from_integer(1))))
            }
            Err(fault) => Err(Fault { play: Some(play.into()), ..fault }),
        }
    }
}
