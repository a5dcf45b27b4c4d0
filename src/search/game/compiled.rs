//! A compiled game as a machine: states are the words of its circuit and, last, the number of its control.
//!
//! The reference interpreter answers rare questions (the notation of a move, positions set up by a test, a player's
//! observation), and everything about a position that the circuit cannot represent, which a test may set up: its state
//! is the words of the definition followed by [`FOREIGN`]. A position has the one form or the other, never both.
//!
//! If the rules depend on the history, a state stores it between the words and the control (`history`). Moves that the
//! history forbids are left out. If that may change which other moves are legal (nobody can move now, or a move was
//! mandatory), and if the history of a position ends the game, the reference interpreter decides.

use std::sync::Arc;

use super::history::{self, History, HistoryLayout};
use super::names::constant_notation;
use super::{Fault, Machine, MachineError, MoveInstance, Outcome, State, Successor, ToMove, moves_next};
use bouton_backend::PASS_GROUP;
use bouton_backend::{Child, CircuitEnding, Runner, Status};
use bouton_base::id::IdVec;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_circuit::GroupId;
use bouton_circuit::{ControlId, Position};
use bouton_lower::{Acting, EncodedState, Lowered};
use bouton_reference::{self as reference, Interpreter};
use bouton_rules::{Block, Expr, FieldId, MOVER, PHASE, Rules, Value, Vars};

/// The control of a state that the circuit cannot represent.
const FOREIGN: u64 = u64::MAX;

/// A machine that runs a circuit.
pub struct CompiledMachine {
    rules: Arc<Rules>,
    lowered: Arc<Lowered>,
    runner: Arc<dyn Runner>,
    interpreter: Interpreter,
    /// The history layout, if the rules depend on the history.
    memory: Option<Arc<HistoryLayout>>,
    /// For each lane of each group, its index in the order of moves.
    ranks: Arc<IdVec<GroupId, Vec<u32>>>,
}

/// Computes the index of each lane in the order in which all machines give moves. The pass is last.
fn ranks(lowered: &Lowered) -> IdVec<GroupId, Vec<u32>> {
    let mut ranks: IdVec<GroupId, Vec<u32>> =
        lowered.plays.iter().map(|plays| vec![u32::MAX; plays.len()]).collect();
    let mut all: Vec<(&MoveInstance, GroupId, usize)> = Vec::new();
    for (group, plays) in ranks.ids().zip(&lowered.plays) {
        let lanes = plays.iter().enumerate();
        all.extend(lanes.filter_map(|(lane, play)| Some((play.as_ref()?, group, lane))));
    }
    all.sort_unstable();
    for ((_, group, lane), rank) in all.into_iter().zip(0..) {
        ranks[group][lane] = rank;
    }
    ranks
}

impl CompiledMachine {
    /// Creates a machine for rules, their lowered form, and a runner of the circuit.
    pub fn new(rules: Arc<Rules>, lowered: Arc<Lowered>, runner: Arc<dyn Runner>) -> CompiledMachine {
        let ranks = Arc::new(ranks(&lowered));
        let interpreter = Interpreter::new(rules.clone());
        let memory = HistoryLayout::of(&rules, &interpreter).map(Arc::new);
        CompiledMachine { interpreter, memory, rules, lowered, runner, ranks }
    }

    /// Returns the same machine with limits on the work of the reference interpreter. A circuit answers at once.
    pub fn with_limits(&self, limits: &Limits) -> CompiledMachine {
        CompiledMachine {
            rules: self.rules.clone(),
            lowered: self.lowered.clone(),
            runner: self.runner.clone(),
            interpreter: self.interpreter.within(limits),
            memory: self.memory.clone(),
            ranks: self.ranks.clone(),
        }
    }

    /// Returns the rules that it runs.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the runner of the circuit.
    pub fn runner(&self) -> &dyn Runner {
        &*self.runner
    }

    /// Returns the lowered rules.
    pub fn lowered(&self) -> &Lowered {
        &self.lowered
    }

    /// Returns true if states are positions of the circuit and nothing more: no rule depends on the history.
    pub fn is_history_free(&self) -> bool {
        self.memory.is_none()
    }

    /// Returns a state as a position of the circuit; `None` if the circuit cannot represent it.
    pub fn position(&self, state: &State) -> Option<Position> {
        let (control, words) = circuit_part(&state.0)?;
        let words = &words[..self.runner.circuit().layout.words as usize];
        Some(Position { control, words: words.into() })
    }

    /// Returns a position of the circuit as a state, for rules that do not depend on the history.
    pub fn state(&self, position: &Position) -> State {
        self.remembering(position, &[])
    }

    /// Returns a position of the circuit as a state with this encoded history.
    fn remembering(&self, position: &Position, past: &[u64]) -> State {
        let control = [u64::from(position.control.0)];
        State(position.words.iter().chain(past).chain(&control).copied().collect())
    }

    /// Decodes the history of a state.
    fn past(&self, state: &State) -> History {
        let words = self.runner.circuit().layout.words as usize;
        let past = state.0.get(words..state.0.len() - 1).unwrap_or_default();
        self.memory.as_ref().map_or(Vec::new(), |memory| memory.read(past))
    }

    /// Returns the turn in a position of this control that is not terminal.
    fn open_turn(&self, control: ControlId) -> ToMove {
        match self.acting(control) {
            Acting::Player(player) => ToMove::Player(player),
            Acting::Each => ToMove::Simultaneous,
            Acting::Chance => ToMove::Chance,
        }
    }

    fn turn_of(&self, control: ControlId) -> (u32, u32) {
        self.lowered.turns[control.0 as usize]
    }

    /// Returns the index of a move in the order in which all machines give moves.
    pub fn rank(&self, group: GroupId, lane: u32) -> u32 {
        if group == PASS_GROUP { u32::MAX } else { self.ranks[group][lane as usize] }
    }

    /// Returns the player or chance that acts in the positions of a control.
    pub fn acting(&self, control: ControlId) -> Acting {
        self.lowered.acting[control.0 as usize]
    }

    /// Returns the player who acts in the positions of a control, if the game [is by turns](Self::is_by_turns).
    pub fn actor(&self, control: ControlId) -> u32 {
        match self.acting(control) {
            Acting::Player(player) => player,
            Acting::Each | Acting::Chance => 0,
        }
    }

    /// Returns true if exactly one player acts in every position.
    pub fn is_by_turns(&self) -> bool {
        self.lowered.acting.iter().all(|acting| matches!(acting, Acting::Player(_)))
    }

    fn to_reference(&self, state: &State) -> reference::State {
        let Some(at) = self.position(state) else {
            return self.interpreter.unpack(&state.0[..state.0.len() - 1]);
        };
        let mut known = self.without_past(&at);
        known.history = self.past(state);
        known
    }

    /// Returns a position of the circuit as a state of the definition, with an empty history.
    fn without_past(&self, at: &Position) -> reference::State {
        let encoded = EncodedState { words: &at.words, turn: self.turn_of(at.control) };
        let read = |field, cell| self.lowered.state.read(&self.rules, encoded, field, cell);
        let fields = self.rules.fields.entries();
        let cells = fields.flat_map(|(id, field)| (0..field.cells()).map(move |cell| (id, cell)));
        let cells: Vec<Value> = cells.map(|(id, cell)| read(id, cell)).collect();
        self.interpreter.with_cells(&cells)
    }

    fn of_reference(&self, state: &reference::State) -> State {
        self.of_circuit(state).unwrap_or_else(|| {
            let words = self.interpreter.pack(state);
            State(words.iter().copied().chain([FOREIGN]).collect())
        })
    }

    /// Returns the circuit's position with these cells, reachable or not; `None` if the circuit cannot represent them.
    pub fn position_with_cells(&self, cells: Vec<Value>) -> Option<Position> {
        self.in_words(&self.interpreter.with_cells(&cells))
    }

    /// Returns a state of the definition as a state of the circuit; `None` if the circuit would represent another
    /// position.
    fn of_circuit(&self, state: &reference::State) -> Option<State> {
        let at = self.in_words(state).filter(|at| self.runner.circuit().admits(at))?;
        Some(self.remembering(&at, &history::encode_history(state)))
    }

    fn in_words(&self, state: &reference::State) -> Option<Position> {
        let read = |field: FieldId, cell: usize| self.interpreter.read(state, field, cell);
        let turn = (read(MOVER, 0).as_sym()?, u32::try_from(read(PHASE, 0).as_int()?).ok()?);
        let control = self.lowered.turns.iter().position(|&known| known == turn)?;
        let words = self.lowered.state.write(&read);
        let encoded = EncodedState { words: &words, turn };
        let kept = |id, cell| self.lowered.state.read(&self.rules, encoded, id, cell) == read(id, cell);
        let mut fields = self.rules.fields.entries();
        let all = fields.all(|(id, of)| (0..of.cells()).all(|c| kept(id, c)));
        all.then(|| Position { control: ControlId(control as u32), words: words.clone().into() })
    }

    /// Expands a position by the reference interpreter.
    fn by_definition(&self, state: &State) -> Result<(ToMove, Vec<Successor>), MachineError> {
        let (turn, successors) = self.answer(self.interpreter.expand(&self.to_reference(state)))?;
        let successors = successors.into_iter().map(|(play, state, probability)| Successor {
            play,
            state: self.of_reference(&state),
            probability,
        });
        Ok((turn, successors.collect()))
    }

    /// Removes the moves that the history forbids, and returns the history after each other move; `None` if the circuit
    /// alone cannot decide the position.
    fn remembered(
        &self,
        memory: &HistoryLayout,
        state: &State,
        at: &Position,
        status: &Status,
        children: &mut Vec<Child>,
    ) -> Option<Vec<Vec<u64>>> {
        let forbids = !self.rules.forbids.is_empty();
        if matches!(status, Status::Over(_)) {
            // The mobility of the mover may have decided the game.
            return (!forbids).then(Vec::new);
        }
        let past = self.past(state);
        let before = self.interpreter.present_entries(&self.without_past(at));
        if memory.ends_play(&past, &before) {
            return None;
        }
        if !memory.depends_on_moves() {
            return Some(children.iter().map(|_| memory.extend(&past, &before, &before)).collect());
        }
        if !forbids {
            let after = |child: &Child| self.interpreter.present_entries(&self.without_past(&child.position));
            return Some(children.iter().map(|c| memory.extend(&past, &before, &after(c))).collect());
        }
        if self.acting(at.control) == Acting::Each {
            return None;
        }
        let mut pasts = Vec::new();
        let mut moves = 0;
        let made = children.len();
        children.retain(|child| {
            let after = self.interpreter.present_entries(&self.without_past(&child.position));
            let passes = self.play(child) == MoveInstance::Pass;
            let kept = passes || !memory.forbids(&past, &before, &after);
            if kept {
                pasts.push(memory.extend(&past, &before, &after));
                moves += usize::from(!passes);
            }
            kept
        });
        let chosen = self.rules.moves.iter().any(|of| of.mandatory || of.prefer.is_some());
        let changed = children.len() < made;
        let settled = !changed || moves > 0 && !chosen && self.acting(at.control) != Acting::Chance;
        settled.then_some(pasts)
    }

    fn answer<T>(&self, said: Result<T, Fault>) -> Result<T, MachineError> {
        Ok(self.interpreter.unless_limited(said)??)
    }

    /// Returns the index of the end rule that an ending of the circuit comes from.
    pub fn rule(&self, ending: &CircuitEnding) -> usize {
        self.lowered.endings[ending.ending as usize].rule
    }

    /// Returns the outcome of an ending of the circuit.
    pub fn outcome(&self, ending: &CircuitEnding) -> Outcome {
        let of = &self.lowered.endings[ending.ending as usize];
        let (payoffs, kind) = of.payoffs(&ending.scores);
        let scores = of.compares().then(|| ending.scores.clone());
        Outcome { payoffs, kind, scores, rule: self.rule(ending) }
    }

    /// Returns the moves of a position with the positions after them, in the order of all machines; `None` if the rules
    /// have no meaning there. A terminal position has no moves.
    pub fn children(&self, at: &Position) -> Option<Vec<(MoveInstance, Position)>> {
        let mut children = Vec::new();
        self.runner.expand(at, &mut children).ok()?;
        children.sort_by_key(|child| self.rank(child.group, child.lane));
        Some(children.into_iter().map(|child| (self.play(&child), child.position)).collect())
    }

    fn play(&self, child: &Child) -> MoveInstance {
        let plays = self.lowered.plays.get(child.group.0 as usize);
        let play = plays.map_or(Some(MoveInstance::Pass), |plays| plays[child.lane as usize].clone());
        play.expect("a lane of the set is a move")
    }
}

/// Returns the probability of each event of chance from the weights of all; `None` if a weight's share has no value.
pub(super) fn probabilities(weights: impl Iterator<Item = u64> + Clone) -> Option<Vec<Rational>> {
    let total: i128 = weights.clone().map(i128::from).sum();
    weights.map(|weight| Rational::checked_new(i128::from(weight), total)).collect()
}

/// Returns the control and the words of a state that the circuit represents.
pub(super) fn circuit_part(words: &[u64]) -> Option<(ControlId, &[u64])> {
    let (&control, words) = words.split_last()?;
    (control != FOREIGN).then_some((ControlId(control as u32), words))
}

impl Machine for CompiledMachine {
    fn with_limits(&self, limits: &Limits) -> Option<Arc<dyn Machine>> {
        Some(Arc::new(self.with_limits(limits)))
    }

    fn initial(&self) -> State {
        let memory = self.memory.as_ref();
        let past = memory.map_or(Vec::new(), |_| history::encode_history(&self.interpreter.initial()));
        self.remembering(&self.runner.circuit().initial, &past)
    }

    fn turn(&self, state: &State) -> Result<ToMove, MachineError> {
        if self.memory.is_some() {
            // The mobility of a player depends on the history.
            return match self.expand(state) {
                Err(MachineError::Fault(_)) => self.answer(self.interpreter.turn(&self.to_reference(state))),
                said => said.map(|(turn, _)| turn),
            };
        }
        let at = self.position(state);
        match at.map(|at| (at.control, self.runner.expand(&at, &mut Vec::new()))) {
            Some((_, Ok(Status::Over(ending)))) => Ok(ToMove::Terminal(self.outcome(&ending))),
            Some((control, Ok(Status::Open))) => Ok(self.open_turn(control)),
            // The turn has a meaning even if a move has none.
            _ => self.answer(self.interpreter.turn(&self.to_reference(state))),
        }
    }

    fn successors(&self, state: &State) -> Result<Vec<Successor>, MachineError> {
        Ok(self.expand(state)?.1)
    }

    fn expand(&self, state: &State) -> Result<(ToMove, Vec<Successor>), MachineError> {
        let Some(at) = self.position(state) else { return self.by_definition(state) };
        let mut children = Vec::new();
        let Ok(status) = self.runner.expand(&at, &mut children) else {
            // The reference interpreter reports the fault and its place.
            return self.by_definition(state);
        };
        let pasts = match &self.memory {
            None => Vec::new(),
            Some(memory) => match self.remembered(memory, state, &at, &status, &mut children) {
                // The compared entries come from the reference interpreter, which may have given up.
                Some(pasts) => self.interpreter.unless_limited(pasts)?,
                None => return self.by_definition(state),
            },
        };
        if let Status::Over(ending) = status {
            return Ok((ToMove::Terminal(self.outcome(&ending)), Vec::new()));
        }
        let mut order: Vec<usize> = (0..children.len()).collect();
        order.sort_by_key(|&i| self.rank(children[i].group, children[i].lane));
        let turn = self.open_turn(at.control);
        let probabilities = match turn {
            ToMove::Chance => probabilities(order.iter().map(|&i| children[i].weight)),
            _ => Some(vec![Rational::ONE; order.len()]),
        };
        // The reference interpreter reports a probability that does not fit.
        let Some(probabilities) = probabilities else { return self.by_definition(state) };
        let successors = order.into_iter().zip(probabilities).map(|(i, probability)| {
            let child = &children[i];
            let past = pasts.get(i).map_or(&[][..], Vec::as_slice);
            let state = self.remembering(&child.position, past);
            Successor { play: self.play(child), state, probability }
        });
        Ok((turn, successors.collect()))
    }

    fn notation(&self, state: &State, play: &MoveInstance) -> Result<String, LimitHit> {
        match constant_notation(&self.rules, play) {
            Some(written) => Ok(written),
            None => {
                self.interpreter.unless_limited(self.interpreter.render_move(&self.to_reference(state), play))
            }
        }
    }

    fn read(&self, state: &State, field: FieldId, cell: usize) -> Value {
        if self.rules.fields.get(field).is_none_or(|of| cell >= of.cells()) {
            return Value::None;
        }
        match circuit_part(&state.0) {
            Some((control, words)) => {
                let encoded = EncodedState { words, turn: self.turn_of(control) };
                self.lowered.state.read(&self.rules, encoded, field, cell)
            }
            None => self.interpreter.read(&self.to_reference(state), field, cell),
        }
    }

    fn eval(&self, state: &State, expr: &Expr) -> Result<Option<Value>, LimitHit> {
        self.interpreter.unless_limited(self.interpreter.eval(&self.to_reference(state), expr))
    }

    fn edit(&self, state: &State, block: &Block, vars: &Vars) -> Result<State, MachineError> {
        let edited = self.answer(self.interpreter.edit(&self.to_reference(state), block, vars))?;
        Ok(self.of_reference(&edited))
    }

    fn with_mover(&self, state: &State, player: u32) -> Option<State> {
        let quick = circuit_part(&state.0).and_then(|(control, words)| {
            let wanted = (player, self.turn_of(control).1);
            let control = self.lowered.turns.iter().position(|&turn| turn == wanted)?;
            // Optimiser passes may rely on the positions that play reaches with this player to move.
            let at = Position { control: ControlId(control as u32), words: words.into() };
            self.runner.circuit().admits(&at).then(|| self.state(&at))
        });
        quick.or_else(|| self.edit(state, &moves_next(player), &Vars::new()).ok())
    }

    fn packed_state(&self, state: &State) -> Box<[u64]> {
        self.interpreter.pack(&self.to_reference(state))
    }

    fn observation(&self, state: &State, player: u32) -> Result<Value, LimitHit> {
        self.interpreter.unless_limited(self.interpreter.observation(&self.to_reference(state), player))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::ReferenceMachine;
    use bouton_backend::interp;
    use bouton_lower::lower;
    use bouton_rules::builder::{RulesBuilder, add, effect, get, int, ints, less, var, when};
    use bouton_rules::{EffectOp, ExprKind, PLAYER, Type};

    #[test]
    fn a_position_that_the_circuit_cannot_hold_is_left_to_the_definition() {
        let mut builder = RulesBuilder::new(&["A", "B"]);
        let n = builder.field("n", &[], Type::Int(0, 9), Value::Int(0));
        let fits = when(less(add(get(n, &[]), var(0)), int(10)));
        builder.action("add", &[ints(1..=3)], vec![fits, effect(EffectOp::Add, n, &[], var(0))]);
        let rules = Arc::new(builder.rules);
        let mut lowered = lower(&rules).expect("a form");
        // As if the circuit had been made without the second player.
        lowered.turns[1] = (7, 7);
        let runner = Arc::new(interp::Interpreter::new(Arc::new(lowered.circuit.clone())));
        let compiled = CompiledMachine::new(rules.clone(), Arc::new(lowered), runner);
        let reference = ReferenceMachine::new(rules.clone());
        let second =
            Expr::new(ExprKind::Const(Value::Sym(PLAYER, 1)), Type::Sym(PLAYER), crate::game::toy::no_span());
        let block = Block { stmts: vec![effect(EffectOp::Set, MOVER, &[], second)] };
        let edit = |machine: &dyn Machine| machine.edit(&machine.initial(), &block, &Vars::new()).unwrap();
        let (state, other) = (edit(&compiled), edit(&reference));
        assert_eq!(compiled.with_mover(&compiled.initial(), 1).as_ref(), Some(&state));
        assert_eq!(compiled.position(&state), None);
        assert_eq!(compiled.read(&state, MOVER, 0), Value::Sym(PLAYER, 1));
        assert_eq!(compiled.turn(&state), Ok(ToMove::Player(1)));
        let (moves, others) = (compiled.successors(&state).unwrap(), reference.successors(&other).unwrap());
        assert_eq!(moves.len(), 3);
        for (one, two) in moves.iter().zip(&others) {
            assert_eq!(one.play, two.play);
            assert_eq!(compiled.notation(&state, &one.play), reference.notation(&other, &two.play));
            assert_eq!(compiled.read(&one.state, n, 0), reference.read(&two.state, n, 0));
            // With the first player to move again, the circuit takes over.
            assert_eq!(compiled.position(&one.state).map(|at| at.control), Some(ControlId(0)));
        }
        let again = compiled.edit(&state, &Block { stmts: Vec::new() }, &Vars::new());
        assert_eq!(again, Ok(state), "a position has one form");
    }
}
