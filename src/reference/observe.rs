//! Observations of players (LANGUAGE.md section 8).

use super::state::{PositionView, State, StuckMeaning};
use super::{Context, Env, Interpreter};
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
                    seen.push(state.cells[self.layout.index(id, cell)].clone());
                }
            }
        }
        let at = PositionView::new(self, state, StuckMeaning::Compute);
        let context = at.context(None);
        let sees = self.rules.sees.iter();
        seen.extend(sees.map(|sees| {
            self.shown(&context, sees, player).map_or(Value::None, |value| Value::tuple(vec![value]))
        }));
        Value::tuple(seen)
    }

    /// The value that a `sees` shows this player, if the player is one of its players, its condition holds, and it is
    /// defined.
    fn shown(&self, context: &Context, sees: &Sees, player: u32) -> Option<Value> {
        let mut env = Env::new(sees.vars.len());
        let player = self.rules.player(player);
        let meant = match context.value(&mut env, &sees.players)? {
            Value::Set(players) => players.contains(&player),
            one => one == player,
        };
        let holds = sees.condition.as_ref().is_none_or(|condition| context.truth(&mut env, condition));
        if meant && holds { context.value(&mut env, &sees.value) } else { None }
    }
}
