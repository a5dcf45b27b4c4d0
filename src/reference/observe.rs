//! Observations of players (LANGUAGE.md section 8).

use super::Interpreter;
use super::eval::{Context, StuckMeaning};
use super::prepare::Preparer;
use super::state::State;
use bouton_base::id::Id;
use bouton_rules::{Sees, Value, Visibility};

impl Interpreter {
    /// The observation of a player in a position: the cells that are public or visible to the player, in order,
    /// including `mover` and `phase`, then for each `sees` the tuple of its value, or `none` if it shows the player
    /// nothing.
    pub fn observation(&self, state: &State, player: u32) -> Value {
        let mut seen = Vec::new();
        for (id, field) in self.rules.fields.entries() {
            let turn = id.index() < 2;
            for cell in 0..field.cells() {
                let visible = match &field.visibility {
                    Visibility::Public => true,
                    Visibility::Hidden => turn,
                    Visibility::To(players) => {
                        turn || players.get(cell).is_some_and(|to| to.contains(&player))
                    }
                };
                if visible {
                    seen.push(self.read(state, id, cell));
                }
            }
        }
        let mut context = self.context(state, None, StuckMeaning::Compute);
        let sees = self.rules.sees.iter();
        seen.extend(sees.map(|sees| {
            self.shown(&mut context, sees, player).map_or(Value::None, |value| Value::tuple(vec![value]))
        }));
        Value::tuple(seen)
    }

    /// The value that a `sees` shows this player, if the player is one of its players, its condition holds, and it is
    /// defined.
    fn shown(&self, context: &mut Context, sees: &Sees, player: u32) -> Option<Value> {
        let mut preparer = Preparer::new(&self.rules, sees.vars.len());
        let (players, value) = (preparer.node(&sees.players), preparer.node(&sees.value));
        let condition = sees.condition.as_ref().map(|condition| preparer.node(condition));
        context.enter(preparer.slots);
        let player = self.rules.player(player);
        let meant = match context.value(&players)?.to_value() {
            Value::Set(players) => players.contains(&player),
            one => one == player,
        };
        let holds = condition.is_none_or(|condition| context.truth(&condition));
        if meant && holds { context.value(&value).map(|value| value.to_value()) } else { None }
    }
}
