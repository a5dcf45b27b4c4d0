//! The interpreter of circuits: a direct implementation of their definition, for every width and every machine.
//!
//! It compiles a circuit once into lists of operations on one array of words, which each run allocates once. The work
//! for a position is to execute the lists.

mod compile;
mod words;

use std::sync::Arc;

use self::compile::{InterpControl, InterpGroup, InterpProgram, InterpStmt, SlotStore, WordSpan, compile};
use super::lookahead::{self, Lookahead};
use super::threats::WinningEnds;
use super::traversal::{self, PerftRequest, PlayoutRequest, Xorshift};
use super::undecided_children::{self, UndecidedChildren};
use super::{Child, CircuitEnding, CountUnit, PASS_GROUP, Perft, Playouts, RulesFault, Runner, Status};
use bouton_base::limits::CancelToken;
use bouton_circuit::{Circuit, ControlId, GroupId, Position, ValueId};

/// The runner that interprets a circuit.
#[derive(Debug)]
pub struct Interpreter {
    circuit: Arc<Circuit>,
    program: InterpProgram,
}

impl Interpreter {
    /// Compiles a circuit, which must be valid.
    pub fn new(circuit: Arc<Circuit>) -> Interpreter {
        let program = compile(&circuit);
        Interpreter { circuit, program }
    }

    fn run(&self) -> InterpreterState<'_> {
        InterpreterState {
            program: &self.program,
            state: self.circuit.layout.words as usize,
            words: self.program.fresh.clone(),
            yielded: vec![0; self.circuit.layout.words as usize],
            weight: 1,
            lanes: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Plays a random game of at most so many moves from the initial position. After each move, shows the control in
    /// which it was made, and the values computed there. Returns the number of moves.
    pub(crate) fn sample(
        &self,
        moves: usize,
        random: &mut Xorshift,
        show: &mut dyn FnMut(ControlId, ComputedValues),
    ) -> usize {
        let mut run = self.run();
        let mut at = self.circuit.initial.clone();
        for made in 0..moves {
            let control = at.control;
            if !matches!(run.play(&mut at, random), Ok(true)) {
                return made;
            }
            show(control, ComputedValues { program: &self.program, words: &run.words });
        }
        moves
    }
}

/// The values that a run has computed.
pub(crate) struct ComputedValues<'a> {
    program: &'a InterpProgram,
    words: &'a [u64],
}

impl ComputedValues<'_> {
    /// Returns true if a value has no bit, or is the number 0.
    pub fn is_empty(&self, value: ValueId) -> bool {
        let WordSpan { at, words } = self.program.values[value];
        self.words[at..at + words].iter().all(|word| *word == 0)
    }
}

impl Runner for Interpreter {
    fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    fn expand(&self, at: &Position, children: &mut Vec<Child>) -> Result<Status, RulesFault> {
        self.run().expand(at, children)
    }

    fn lookahead(&self, _: &WinningEnds) -> Arc<dyn Lookahead + '_> {
        Arc::new(lookahead::ExpandingLookahead::new(self))
    }

    fn undecided_children(&self, _: &WinningEnds) -> Arc<dyn UndecidedChildren + '_> {
        Arc::new(undecided_children::UnfilteredChildren::new(self))
    }

    fn perft(
        &self,
        at: &Position,
        depth: u32,
        ply: CountUnit,
        stop: &CancelToken,
    ) -> Result<Option<Perft>, RulesFault> {
        let mut run = self.run();
        let request = PerftRequest { at, depth, ply };
        traversal::perft(&self.circuit, request, stop, |at, children| run.expand(at, children))
    }

    fn playouts(
        &self,
        at: &Position,
        games: u64,
        seed: u64,
        longest: u32,
        stop: &CancelToken,
    ) -> Result<Option<Playouts>, RulesFault> {
        let mut run = self.run();
        let request = PlayoutRequest { at, games, seed, longest };
        traversal::playouts(request, stop, |at, random| run.play(at, random))
    }
}

/// The state of one run: the words and the buffers.
struct InterpreterState<'a> {
    program: &'a InterpProgram,
    /// The number of words of the state.
    state: usize,
    words: Vec<u64>,
    /// The state after the last `Yield`.
    yielded: Vec<u64>,
    /// The weight of the last `Yield`; 1 for a player's move.
    weight: u64,
    /// The lanes that may still be drawn, as pairs of an index into the list of groups and a lane.
    lanes: Vec<(usize, u32)>,
    children: Vec<Child>,
}

/// The outcome of a list of statements.
enum Flow {
    /// Control reached the end.
    End,
    /// An `Over` held.
    Over(CircuitEnding),
    /// A `Require` did not hold.
    Rejected,
    /// A `Yield` ran; `yielded` holds the position after the move.
    Yield(ControlId),
}

impl<'a> InterpreterState<'a> {
    fn expand(&mut self, at: &Position, children: &mut Vec<Child>) -> Result<Status, RulesFault> {
        let first = children.len();
        let status = self.children_of(at, children);
        if !matches!(status, Ok(Status::Open)) {
            children.truncate(first);
        }
        status
    }

    /// Expands as [`Runner::expand`] does, but may leave children behind although the game is over.
    fn children_of(&mut self, at: &Position, children: &mut Vec<Child>) -> Result<Status, RulesFault> {
        let control = self.enter(at);
        let mut unless_stuck = None;
        if let Flow::Over(ending) = self.steps(&control.before, &mut unless_stuck)? {
            return Ok(Status::Over(ending));
        }
        let mut stuck = true;
        for group in &control.groups {
            self.steps(&group.lets, &mut None)?;
            let mut ready = false;
            for word in 0..group.set.words {
                let mut rest = self.words[group.set.at + word];
                while rest != 0 {
                    let lane = 64 * word as u32 + rest.trailing_zeros();
                    rest &= rest - 1;
                    if !ready {
                        self.steps(&group.setup, &mut None)?;
                        ready = true;
                    }
                    if let Some(to) = self.lane(group, lane)? {
                        stuck &= group.pass;
                        children.push(self.child(group.id, lane, to));
                    }
                }
            }
        }
        if !stuck {
            return Ok(unless_stuck.map_or(Status::Open, Status::Over));
        }
        match self.steps(&control.stuck, &mut None)? {
            Flow::Over(ending) => return Ok(Status::Over(ending)),
            Flow::Yield(to) => children.push(self.child(PASS_GROUP, 0, to)),
            Flow::End | Flow::Rejected => {}
        }
        Ok(Status::Open)
    }

    /// Makes a random move as [`Runner::playouts`] defines it; returns false if there is none.
    fn play(&mut self, at: &mut Position, random: &mut Xorshift) -> Result<bool, RulesFault> {
        let control = self.enter(at);
        if control.chance {
            return self.play_chance(at, random);
        }
        let mut unless_stuck = None;
        if let Flow::Over(_) = self.steps(&control.before, &mut unless_stuck)? {
            return Ok(false);
        }
        self.gather_lanes(control)?;
        if unless_stuck.is_some() {
            return if self.any_but_passes(control)? { Ok(false) } else { self.play_stuck(at, random) };
        }
        while !self.lanes.is_empty() {
            let drawn = random.below_u32(self.lanes.len() as u32) as usize;
            let (group, lane) = self.lanes.remove(drawn);
            let group = &control.groups[group];
            let Some(to) = self.lane(group, lane)? else { continue };
            if group.pass {
                let after = self.yielded.clone();
                if !self.any_but_passes(control)? {
                    break;
                }
                self.yielded = after;
            }
            at.control = to;
            at.words.copy_from_slice(&self.yielded);
            return Ok(true);
        }
        self.play_stuck(at, random)
    }

    fn play_stuck(&mut self, at: &mut Position, random: &mut Xorshift) -> Result<bool, RulesFault> {
        let mut children = std::mem::take(&mut self.children);
        children.clear();
        self.expand(at, &mut children)?;
        let open = !children.is_empty();
        if open {
            let drawn = random.below_u32(children.len() as u32) as usize;
            *at = children.swap_remove(drawn).position;
        }
        self.children = children;
        Ok(open)
    }

    /// Makes a chance move; returns false if the game is over or there are no children.
    fn play_chance(&mut self, at: &mut Position, random: &mut Xorshift) -> Result<bool, RulesFault> {
        let mut children = std::mem::take(&mut self.children);
        children.clear();
        self.expand(at, &mut children)?;
        let total = children.iter().fold(0u64, |sum, child| sum.wrapping_add(child.weight));
        let open = !children.is_empty();
        if open {
            let mut place = random.below_u64(total);
            let drawn = children.iter().position(|child| {
                let here = place < child.weight;
                place = place.wrapping_sub(child.weight);
                here
            });
            *at = children.swap_remove(drawn.unwrap_or(0)).position;
        }
        self.children = children;
        Ok(open)
    }

    /// Collects the lanes of the sets of all groups, and runs the setup of groups that have any.
    fn gather_lanes(&mut self, control: &'a InterpControl) -> Result<(), RulesFault> {
        self.lanes.clear();
        for (index, group) in control.groups.iter().enumerate() {
            self.steps(&group.lets, &mut None)?;
            let first = self.lanes.len();
            for word in 0..group.set.words {
                let mut rest = self.words[group.set.at + word];
                while rest != 0 {
                    self.lanes.push((index, 64 * word as u32 + rest.trailing_zeros()));
                    rest &= rest - 1;
                }
            }
            if self.lanes.len() > first {
                self.steps(&group.setup, &mut None)?;
            }
        }
        Ok(())
    }

    /// Returns true if a remaining lane of a group that is no pass yields.
    fn any_but_passes(&mut self, control: &'a InterpControl) -> Result<bool, RulesFault> {
        for i in 0..self.lanes.len() {
            let (group, lane) = self.lanes[i];
            let group = &control.groups[group];
            if !group.pass && self.lane(group, lane)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Loads a position; returns its control.
    fn enter(&mut self, at: &Position) -> &'a InterpControl {
        self.words[..self.state].copy_from_slice(&at.words);
        &self.program.controls[at.control]
    }

    fn child(&self, group: GroupId, lane: u32, to: ControlId) -> Child {
        let position = Position { control: to, words: self.yielded.as_slice().into() };
        Child { group, lane, position, weight: self.weight }
    }

    /// Runs the body of a group for a lane.
    fn lane(&mut self, group: &'a InterpGroup, lane: u32) -> Result<Option<ControlId>, RulesFault> {
        let bit = group.bit;
        self.words[bit.at..bit.at + bit.words].fill(0);
        self.words[bit.at + lane as usize / 64] = 1 << (lane % 64);
        match self.steps(&group.body, &mut None)? {
            Flow::Yield(to) => Ok(Some(to)),
            Flow::End | Flow::Over(_) | Flow::Rejected => Ok(None),
        }
    }

    /// Runs statements. Stores the first end that holds `unless_stuck` in the variable of that name.
    fn steps(
        &mut self,
        steps: &'a [InterpStmt],
        unless_stuck: &mut Option<CircuitEnding>,
    ) -> Result<Flow, RulesFault> {
        for step in steps {
            match step {
                InterpStmt::Compute(first, end) => {
                    for inst in &self.program.insts[*first..*end] {
                        inst.run(&mut self.words);
                    }
                }
                InterpStmt::Fix(fix, steps) => self.fix(&self.program.fixes[*fix], steps)?,
                InterpStmt::Over { when, .. } if self.words[*when] == 0 => {}
                InterpStmt::Over { unless_stuck: patient, ending, scores, .. } => {
                    let scores = scores.iter().map(|&score| self.words[score] as i64).collect();
                    let ending = CircuitEnding { ending: *ending, scores };
                    if !patient {
                        return Ok(Flow::Over(ending));
                    }
                    unless_stuck.get_or_insert(ending);
                }
                InterpStmt::If(when, yes, no) => {
                    let steps = if self.words[*when] != 0 { yes } else { no };
                    match self.steps(steps, unless_stuck)? {
                        Flow::End => {}
                        flow => return Ok(flow),
                    }
                }
                InterpStmt::Require(holds) if self.words[*holds] == 0 => return Ok(Flow::Rejected),
                InterpStmt::Fault(holds) if self.words[*holds] != 0 => return Err(RulesFault),
                InterpStmt::Require(_) | InterpStmt::Fault(_) => {}
                InterpStmt::Yield(stores, to, weight) => {
                    self.store(stores);
                    self.weight = weight.map_or(1, |weight| self.words[weight]);
                    return Ok(Flow::Yield(*to));
                }
            }
        }
        Ok(Flow::End)
    }

    fn fix(&mut self, fix: &'a compile::InterpFixpoint, steps: &'a [InterpStmt]) -> Result<(), RulesFault> {
        for var in &fix.vars {
            self.words.copy_within(var.first..var.first + var.var.words, var.var.at);
        }
        for _ in 0..fix.rounds {
            self.steps(steps, &mut None)?;
            for var in &fix.vars {
                self.words.copy_within(var.next..var.next + var.var.words, var.gathered);
            }
            let mut changed = false;
            for var in &fix.vars {
                for i in 0..var.var.words {
                    let next = self.words[var.gathered + i];
                    changed |= std::mem::replace(&mut self.words[var.var.at + i], next) != next;
                }
            }
            if !changed {
                return Ok(());
            }
        }
        panic!("a fixpoint that loses what it has: the circuit is wrong");
    }

    fn store(&mut self, stores: &[SlotStore]) {
        self.yielded.copy_from_slice(&self.words[..self.state]);
        for store in stores {
            match *store {
                SlotStore::Part { word, mask, from, bit } => {
                    self.yielded[word] = self.yielded[word] & !mask | self.words[from] << bit;
                }
                SlotStore::Whole { word, from } => {
                    let words = &self.words[from.at..from.at + from.words];
                    self.yielded[word..word + from.words].copy_from_slice(words);
                }
            }
        }
    }
}

#[cfg(test)]
mod expressions;
#[cfg(test)]
mod tests;
