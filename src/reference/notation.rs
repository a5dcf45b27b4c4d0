//! The written form of moves (LANGUAGE.md section 6, `as "..."`).

use super::Interpreter;
use super::eval::StuckMeaning;
use super::state::State;
use super::step::ActingSide;
use bouton_rules::{MoveId, MoveInstance, TemplatePart, Value};

impl Interpreter {
    /// The written form of a move in the position before it: its template, or `name(arguments)`, or `name` if it has no
    /// parameters. A placeholder without a value is shown as `?`. Simultaneous moves are `(x, y)`.
    pub fn render_move(&self, state: &State, play: &MoveInstance) -> String {
        let actor = match self.acting(state) {
            Ok(ActingSide::Player(player)) => Some(player),
            Ok(ActingSide::Each | ActingSide::Chance) | Err(_) => None,
        };
        self.render_move_by(state, play, actor)
    }

    fn render_move_by(&self, state: &State, play: &MoveInstance, actor: Option<u32>) -> String {
        match play {
            MoveInstance::Move(id, args) => self.render_declared_move(state, *id, args, actor),
            MoveInstance::Pass => "pass".into(),
            MoveInstance::Joint(plays) => {
                let plays: Vec<String> = plays
                    .iter()
                    .map(|(player, play)| self.render_move_by(state, play, Some(*player)))
                    .collect();
                format!("({})", plays.join(", "))
            }
        }
    }

    fn render_declared_move(&self, state: &State, id: MoveId, args: &[Value], actor: Option<u32>) -> String {
        let Some(of) = self.rules.moves.get(id) else { return format!("{id}") };
        if of.template.is_empty() {
            return if of.params.is_empty() { of.name.clone() } else { self.render_call(&of.name, args) };
        }
        let node = &self.prepared.moves[id];
        let mut context = self.context(state, actor, StuckMeaning::Meaningless);
        node.with_instance(&mut context, args, |context| {
            let mut holes = node.placeholders.iter();
            let part = |part: &TemplatePart| match part {
                TemplatePart::Text(text) => text.clone(),
                TemplatePart::Placeholder(_) => {
                    let value = holes.next().and_then(|hole| context.value(hole));
                    match value.map(|value| value.to_value()) {
                        // A string stands for its characters. A name is one line.
                        Some(Value::Text(text)) => text.replace(char::is_control, " "),
                        Some(value) => self.rules.show(&value),
                        None => "?".into(),
                    }
                }
            };
            of.template.iter().map(part).collect()
        })
    }

    /// A move as `name(arguments)`, whatever its template; a pass as `pass`; simultaneous moves as `(x, y)`.
    pub fn call_form(&self, play: &MoveInstance) -> String {
        match play {
            MoveInstance::Move(id, args) => match self.rules.moves.get(*id) {
                Some(of) => self.render_call(&of.name, args),
                None => format!("{id}"),
            },
            MoveInstance::Pass => "pass".into(),
            MoveInstance::Joint(plays) => {
                let plays: Vec<String> = plays.iter().map(|(_, play)| self.call_form(play)).collect();
                format!("({})", plays.join(", "))
            }
        }
    }

    fn render_call(&self, name: &str, args: &[Value]) -> String {
        let args: Vec<String> = args.iter().map(|arg| self.rules.show(arg)).collect();
        format!("{name}({})", args.join(", "))
    }
}
