//! Partizan values: the value of a position of normal play as a game, whoever is to move.
//!
//! Technique: the rules are grounded, and a position is decomposed into components. Each distinct component is
//! evaluated once, by the canonical forms of the options of either player. The first player of the rules is Left. Games
//! that cannot be decomposed so are evaluated position by position, if they have few.
//! Source: Conway (On Numbers and Games, 1976); Berlekamp, Conway and Guy (Winning Ways, 1982).
//! Cost: the number of distinct components, and the size of their values, which hot games make large.
//! Invariant: values are returned only where they apply: the last to move wins, moves alternate and the game is
//! finite. Every grounded move and every component is checked for that. The values are computed, not proved.
//! Not taken: loopy games, misere play; components that are mirror images of each other are evaluated separately.

use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

use bouton_base::rational::Rational;
use num_rational::Rational64;

use super::payoffs;
use super::solver::{Cost, Estimate, SolveRequest, Solver};
use super::value::{Inapplicable, MoveValue, Solution, Status, Value, ValueKind, WrittenMove};
use crate::game::explore::FaultyPosition;
use crate::game::{Game, State};
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_certificates::Convention;
use bouton_detect::decomposition::{Component, Decomposer, board_moves};
use bouton_grounding::{ActionMaker, FALSE, FormulaEvaluator, Ground, TRUE, ground};
use bouton_rules::Rules;

mod by_positions;
mod known_values;
pub mod notation;
pub mod short_game;
mod thermograph;

use known_values::KnownValues;
use notation::{ParseValueError, ValueNames};
use short_game::{ShortGame, ShortGameTable, TooManyValues, ZERO};

impl From<TooManyValues> for Inapplicable {
    fn from(too_many: TooManyValues) -> Inapplicable {
        Inapplicable::Reason(too_many.to_string())
    }
}

/// A comparison of the value of a position with a claimed one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueComparison {
    /// The name of the value of the position.
    pub name: String,
    /// True if the value is at most the claimed one.
    pub at_most: bool,
    /// True if the value is at least the claimed one. If neither holds, the two are confused.
    pub at_least: bool,
}

/// Compares the value of a position with the one that `claimed` names; the inner error says that it names none.
pub fn compare(
    game: &Game,
    state: &State,
    claimed: &str,
    limits: &Limits,
) -> Result<Result<ValueComparison, String>, Inapplicable> {
    let mut valued = EvaluatedPosition::new(game, state, limits)?;
    let shorts = &mut valued.shorts;
    let claimed = match notation::parse(shorts, claimed) {
        Ok(claimed) => claimed,
        Err(misread @ ParseValueError::Syntax(_)) => return Ok(Err(misread.to_string())),
        Err(ParseValueError::TooMany(too_many)) => return Err(too_many.into()),
    };
    let at_most = shorts.is_at_most(valued.value, claimed)?;
    let at_least = shorts.is_at_most(claimed, valued.value)?;
    let name = ValueNames::new(shorts)?.name(shorts, valued.value)?;
    Ok(Ok(ValueComparison { name, at_most, at_least }))
}

/// The outcome class of a position of normal play (Berlekamp, Conway and Guy 1982).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutcomeClass {
    /// The player who moves next wins; the value is confused with 0.
    Next,
    /// The player who has moved wins; the value is 0.
    Previous,
    /// Left wins, whoever moves; the value is above 0.
    Left,
    /// Right wins, whoever moves; the value is below 0.
    Right,
}

impl Display for OutcomeClass {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OutcomeClass::Next => "N",
            OutcomeClass::Previous => "P",
            OutcomeClass::Left => "L",
            OutcomeClass::Right => "R",
        })
    }
}

/// The value of a position as a game, whoever is to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameValue {
    /// The canonical form in the usual notation.
    pub name: String,
    pub class: OutcomeClass,
    /// The mean and the temperature, unless numbers become too large. A number m/2^n, n least, has the temperature
    /// -1/2^n.
    pub mean_and_temperature: Option<(Rational64, Rational64)>,
}

/// Returns the value of a position as a game.
pub fn game_value(game: &Game, state: &State, limits: &Limits) -> Result<GameValue, Inapplicable> {
    let mut valued = EvaluatedPosition::new(game, state, limits)?;
    let (value, shorts) = (valued.value, &mut valued.shorts);
    let class = match (shorts.is_at_most(value, ZERO)?, shorts.is_at_most(ZERO, value)?) {
        (true, true) => OutcomeClass::Previous,
        (false, false) => OutcomeClass::Next,
        (false, true) => OutcomeClass::Left,
        (true, false) => OutcomeClass::Right,
    };
    let mean_and_temperature = match shorts.number(value) {
        Some(number) => Some((number, Rational64::new(-1, *number.denom()))),
        None => thermograph::mean_and_temperature(shorts, value),
    };
    let name = ValueNames::new(shorts)?.name(shorts, value)?;
    Ok(GameValue { name, class, mean_and_temperature })
}

/// Values of partizan games.
pub struct Partizan;

impl Solver for Partizan {
    fn name(&self) -> &'static str {
        "partizan"
    }

    fn description(&self) -> &'static str {
        "values of partizan games: the position as a sum of games, whoever is to move"
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        check_rules(&request.game.rules)
    }

    fn cost(&self, reachable: &Estimate) -> Option<Cost> {
        Some(Cost::of_graph(reachable))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        Ok(match build_solution(request.game, request.state, request.limits) {
            Ok(solution) if request.options.all_moves => solution,
            Ok(solution) => Solution { moves: Vec::new(), ..solution },
            Err(reason) => Solution::inapplicable(self.name(), "", reason),
        })
    }
}

/// Checks that the rules are those of normal play of two players.
fn check_rules(rules: &Rules) -> Result<(), Inapplicable> {
    payoffs::check_supported(rules)?;
    if rules.players().len() != 2 {
        return Err("values of games are for two players".into());
    }
    if Convention::of(rules) != Convention::Normal {
        return Err("the rules do not say that the game ends just where the player to move has no move, and loses: write `play \
                    normal;` if it does".into());
    }
    Ok(())
}

fn build_solution(game: &Game, state: &State, limits: &Limits) -> Result<Solution, Inapplicable> {
    let mut valued = EvaluatedPosition::new(game, state, limits)?;
    let mover = valued.mover;
    let winner = |shorts: &mut ShortGameTable, value: ShortGame, mover: u32| -> Result<u32, TooManyValues> {
        let (one, other) = if mover == 0 { (value, ZERO) } else { (ZERO, value) };
        // Left, to move, loses if the game is at most 0.
        Ok(if shorts.is_at_most(one, other)? { 1 - mover } else { mover })
    };
    let wins = winner(&mut valued.shorts, valued.value, mover)?;
    let mut moves = Vec::new();
    for (made, after) in std::mem::take(&mut valued.options) {
        let wins = winner(&mut valued.shorts, after, 1 - mover)?;
        moves.push(MoveValue {
            made: WrittenMove { written: game.notation(state, &made), play: made },
            bounds: None,
            value: Some(win(wins)),
            remoteness: None,
            nimber: None,
        });
    }
    let keeps = |of: &&MoveValue| of.value.as_ref().map(|value| value.kind) == Some(ValueKind::Win(wins));
    let names = ValueNames::new(&mut valued.shorts)?;
    let name = names.name(&mut valued.shorts, valued.value)?;
    let hot = match thermograph::mean_and_temperature(&valued.shorts, valued.value) {
        Some((mean, temperature)) if valued.shorts.number(valued.value).is_none() => {
            format!(", of mean {mean} and temperature {temperature}")
        }
        _ => String::new(),
    };
    let mut why = format!("the position is worth {name}{hot}");
    if valued.parts.len() > 1 {
        let parts = std::mem::take(&mut valued.parts);
        let mut each = Vec::new();
        for part in &parts {
            each.push(names.name(&mut valued.shorts, *part)?);
        }
        why = format!("{why}: it is the sum of {}", each.join(" and "));
    }
    Ok(Solution {
        status: Status::Solved,
        value: Some(win(wins)),
        best_moves_complete: true,
        best_moves: moves.iter().filter(keeps).map(|of| of.made.clone()).collect(),
        moves,
        positions: valued.components,
        reason: None,
        ..Solution::unknown("partizan", &why, "")
    })
}

fn win(winner: u32) -> Value {
    let payoff = |player| Rational::from_integer(if player == winner { 1 } else { -1 });
    Value { payoffs: vec![payoff(0), payoff(1)], kind: ValueKind::Win(winner) }
}

/// A position with its value.
struct EvaluatedPosition {
    shorts: ShortGameTable,
    /// The player to move.
    mover: u32,
    value: ShortGame,
    /// The values of its components.
    parts: Vec<ShortGame>,
    /// The moves of the player to move, with the value after each.
    options: Vec<(bouton_rules::MoveInstance, ShortGame)>,
    /// The number of components, or of positions, evaluated.
    components: u64,
}

impl EvaluatedPosition {
    fn new(game: &Game, state: &State, limits: &Limits) -> Result<EvaluatedPosition, Inapplicable> {
        check_rules(&game.rules)?;
        match EvaluatedPosition::by_components(game, state, limits) {
            Err(Inapplicable::Reason(reason)) => {
                by_positions::evaluate(game, state, limits).map_err(|other| match other {
                    Inapplicable::Limit(_) => other,
                    Inapplicable::Reason(_) => reason.into(),
                })
            }
            valued => valued,
        }
    }

    /// Grounds the rules, and adds up the values of the components of the position.
    fn by_components(game: &Game, state: &State, limits: &Limits) -> Result<EvaluatedPosition, Inapplicable> {
        let mut ground = ground(&game.rules, limits)
            .map_err(|refusal| format!("the rules cannot be grounded: {refusal}"))?;
        let position = ground.fluents.position(&game.cells(state));
        let position = position.ok_or("the position holds what no fluent can hold")?;
        check_alternation(&mut ground, &position)?;
        let itself = "moves depend on a recursive definition";
        let first = board_moves(&mut ground, 0).ok_or(itself)?;
        let moves = [first, board_moves(&mut ground, 1).ok_or(itself)?];
        let mut apart = Decomposer::partizan(&ground, moves, &position)?;
        if ground.fault != FALSE && !apart.never_reached(&position, ground.fault) {
            return Err("the rules alone do not show that they have a meaning in every position".into());
        }
        let values = KnownValues::new(limits, "positions of a component");
        let mut worth = ComponentEvaluator { apart, shorts: ShortGameTable::default(), values };
        let mut parts = Vec::new();
        for component in worth.apart.components(&position)? {
            parts.push(worth.value(&component, 0)?);
        }
        let value = worth.sum(&parts)?;
        let mut after = Vec::new();
        let turn = ground.fluents.turn().index();
        let mut reading = FormulaEvaluator::new(&ground.formulas, &position);
        for action in &ground.actions {
            if action.maker == ActionMaker::Player(u32::from(position[turn])) && reading.holds(action.legal) {
                let next = ground.successor(&mut reading, &position, action);
                let components = worth.apart.components(&next)?;
                after.push((action.play.clone(), worth.sum_of_components(&components, 0)?));
            }
        }
        let components = worth.values.len() as u64;
        let mover = u32::from(position[turn]).min(1);
        Ok(EvaluatedPosition { shorts: worth.shorts, mover, value, parts, options: after, components })
    }
}

/// Checks that each move passes the turn to the other player, and that nobody moves out of turn.
fn check_alternation(ground: &mut Ground, position: &[u8]) -> Result<(), Inapplicable> {
    let turn = ground.fluents.turn();
    let possible = ground.delete_relaxation(position);
    if possible.values[ground.fluents.phase().index()].count_ones() != 1 {
        return Err("the game has phases".into());
    }
    for number in 0..ground.actions.len() {
        if !possible.actions[number] {
            continue;
        }
        let action = ground.actions[number].clone();
        let ActionMaker::Player(player) = action.maker else {
            return Err("players move simultaneously".into());
        };
        let other = 1 - player.min(1) as u8;
        let passes_on =
            action.updates.iter().any(|becomes| becomes.fluent == turn && becomes.values == [(other, TRUE)]);
        if !passes_on || ground.formulas.substitute(action.legal, turn, other) != Some(FALSE) {
            return Err("the rules alone do not show that moves alternate".into());
        }
    }
    Ok(())
}

/// An evaluator of components, with the values so far.
struct ComponentEvaluator<'g> {
    apart: Decomposer<'g>,
    shorts: ShortGameTable,
    values: KnownValues<'g, Rc<[u32]>>,
}

impl ComponentEvaluator<'_> {
    fn value(&mut self, component: &Component, deep: usize) -> Result<ShortGame, Inapplicable> {
        let key = component.key();
        if let Some(known) = self.values.begin(&key, deep)? {
            return Ok(known);
        }
        let mut sides = [Vec::new(), Vec::new()];
        for (side, options) in sides.iter_mut().zip(self.apart.options_of_each(component)?) {
            for option in options {
                side.push(self.sum_of_components(&option, deep + 1)?);
            }
        }
        let [left, right] = sides;
        let value = self.shorts.value_of(left, right)?;
        self.values.finish(key, value);
        Ok(value)
    }

    /// Returns the value of the sum of components.
    fn sum_of_components(
        &mut self,
        components: &[Component],
        deep: usize,
    ) -> Result<ShortGame, Inapplicable> {
        let mut parts = Vec::new();
        for component in components {
            parts.push(self.value(component, deep)?);
        }
        self.sum(&parts)
    }

    fn sum(&mut self, parts: &[ShortGame]) -> Result<ShortGame, Inapplicable> {
        let mut total = ZERO;
        for part in parts {
            total = self.shorts.sum(total, *part)?;
        }
        Ok(total)
    }
}
