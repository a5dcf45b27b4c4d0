//! The written form of moves (LANGUAGE.md section 6, `as "..."`).

use super::Interpreter;
use super::state::{At, State, Stuck};
use super::step::Acting;
use crate::rules::{MoveId, Play, TemplatePart, Value};

impl Interpreter {
    /// The written form of a move in the position before it: its template, or `name(arguments)`, or `name` if it has no
    /// parameters. A placeholder without a value is shown as `?`. Simultaneous moves are `(x, y)`.
    pub fn written(&self, state: &State, play: &Play) -> String {
        let actor = match self.acting(state) {
            Ok(Acting::Player(player)) => Some(player),
            Ok(Acting::Each | Acting::Chance) | Err(_) => None,
        };
        self.written_by(state, play, actor)
    }

    fn written_by(&self, state: &State, play: &Play, actor: Option<u32>) -> String {
        match play {
            Play::Move(id, args) => self.written_move(state, *id, args, actor),
            Play::Pass => "pass".into(),
            Play::Joint(plays) => {
                let plays: Vec<String> =
                    plays.iter().map(|(player, play)| self.written_by(state, play, Some(*player))).collect();
                format!("({})", plays.join(", "))
            }
        }
    }

    fn written_move(&self, state: &State, id: MoveId, args: &[Value], actor: Option<u32>) -> String {
        let Some(of) = self.rules.moves.get(id) else { return format!("{id}") };
        if of.template.is_empty() {
            return if of.params.is_empty() { of.name.clone() } else { self.call_of(&of.name, args) };
        }
        let at = At::new(self, state, Stuck::Meaningless);
        let context = at.context(actor);
        let mut env = self.bound(&context, of, args);
        let part = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Hole(hole) => {
                context.value(&mut env, hole).map_or_else(|| "?".into(), |value| self.rules.show(&value))
            }
        };
        of.template.iter().map(part).collect()
    }

    /// A move as `name(arguments)`, whatever its template; a pass as `pass`; simultaneous moves as `(x, y)`.
    pub fn call_form(&self, play: &Play) -> String {
        match play {
            Play::Move(id, args) => match self.rules.moves.get(*id) {
                Some(of) => self.call_of(&of.name, args),
                None => format!("{id}"),
            },
            Play::Pass => "pass".into(),
            Play::Joint(plays) => {
                let plays: Vec<String> = plays.iter().map(|(_, play)| self.call_form(play)).collect();
                format!("({})", plays.join(", "))
            }
        }
    }

    fn call_of(&self, name: &str, args: &[Value]) -> String {
        let args: Vec<String> = args.iter().map(|arg| self.rules.show(arg)).collect();
        format!("{name}({})", args.join(", "))
    }
}
