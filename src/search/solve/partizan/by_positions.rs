//! Values of positions that are not decomposed: the options of either player in each position, whoever is to move.
//!
//! This is for games that cannot be grounded, or whose rules alone do not show that they have a meaning in every
//! position. Here each position that some order of moves reaches is looked at.

use super::known_values::KnownValues;
use super::short_game::{ShortGame, ShortGameTable};
use super::{EvaluatedPosition, Inapplicable};
use crate::game::{Game, MachineError, State, Successor, ToMove};
use bouton_base::limits::Limits;
use bouton_rules::MOVER;

/// An evaluator of positions, with the values so far.
struct PositionEvaluator<'g> {
    game: &'g Game,
    shorts: ShortGameTable,
    /// The values by position, with the first player to move.
    values: KnownValues<'g, State>,
}

impl From<MachineError> for Inapplicable {
    fn from(error: MachineError) -> Inapplicable {
        match error {
            MachineError::Limit(hit) => Inapplicable::Limit(hit),
            MachineError::Fault(_) => {
                "the rules have no meaning in a position that some order of moves reaches".into()
            }
        }
    }
}

impl PositionEvaluator<'_> {
    /// Returns the options of a player, if it is his turn.
    fn options(&self, state: &State, player: u32) -> Result<Vec<Successor>, Inapplicable> {
        let at = self.with_mover(state, player)?;
        let (turn, options) = self.game.machine.expand(&at)?;
        match turn {
            ToMove::Player(mover) if mover == player => {}
            ToMove::Terminal(_) => return Ok(Vec::new()),
            _ => return Err("players do not move in turn".into()),
        }
        for option in &options {
            if self.mover(&option.state)? == player {
                return Err("moves do not alternate".into());
            }
        }
        Ok(options)
    }

    /// Returns the player to move, also where he has no move.
    fn mover(&self, state: &State) -> Result<u32, Inapplicable> {
        let field = |state: &State| self.game.machine.read(state, MOVER, 0);
        Ok(u32::from(field(state) != field(&self.with_mover(state, 0)?)))
    }

    fn with_mover(&self, state: &State, player: u32) -> Result<State, Inapplicable> {
        let changed = self.game.machine.with_mover(state, player);
        changed.ok_or_else(|| "the player to move cannot be set".into())
    }

    fn value(&mut self, state: &State, deep: usize) -> Result<ShortGame, Inapplicable> {
        let key = self.with_mover(state, 0)?;
        if let Some(known) = self.values.begin(&key, deep)? {
            return Ok(known);
        }
        let mut sides = [Vec::new(), Vec::new()];
        for (player, side) in (0..).zip(&mut sides) {
            for option in self.options(&key, player)? {
                side.push(self.value(&option.state, deep + 1)?);
            }
        }
        let [left, right] = sides;
        let value = self.shorts.value_of(left, right)?;
        self.values.finish(key, value);
        Ok(value)
    }
}

/// Evaluates a position of normal play by all positions that its moves lead to, in any order of the players.
pub(super) fn evaluate(
    game: &Game,
    state: &State,
    limits: &Limits,
) -> Result<EvaluatedPosition, Inapplicable> {
    let rules = &game.rules;
    if rules.phases.len() != 1 || !rules.forbids.is_empty() || !rules.repeats.is_empty() {
        return Err("the game has phases or depends on its history".into());
    }
    let values = KnownValues::new(limits, "positions");
    let mut positions = PositionEvaluator { game, shorts: ShortGameTable::default(), values };
    let (value, mover) = (positions.value(state, 0)?, positions.mover(state)?);
    let mut options = Vec::new();
    for option in positions.options(state, mover)? {
        options.push((option.play, positions.value(&option.state, 1)?));
    }
    let components = positions.values.len() as u64;
    Ok(EvaluatedPosition { shorts: positions.shorts, mover, value, parts: vec![value], options, components })
}
