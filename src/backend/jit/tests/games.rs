//! Games as hand-written circuits.

use std::collections::HashSet;

use bouton_base::bits::BitSet;
use bouton_base::id::IdVec;
use bouton_circuit::build::CircuitBuilder;
use bouton_circuit::{
    Circuit, Control, ControlId, GroupId, Layout, MoveGroup, Op, Position, Slot, SlotId, StateUpdate, Stmt,
    StmtBlock, TerminalTest, ValueId,
};

/// A circuit under construction.
pub struct CircuitMaker {
    pub b: CircuitBuilder,
    pub controls: IdVec<ControlId, Control>,
    pub groups: IdVec<GroupId, MoveGroup>,
}

/// Statements with their `Let`s: each value is computed before its first use.
pub struct LetScheduler {
    known: Vec<HashSet<ValueId>>,
    pub stmts: Vec<Stmt>,
}

impl LetScheduler {
    pub fn new(known: &[&LetScheduler]) -> LetScheduler {
        let known = known.iter().flat_map(|lets| lets.known.iter().cloned()).collect();
        LetScheduler { known, stmts: Vec::new() }
    }

    fn knows(&self, value: ValueId) -> bool {
        self.known.iter().any(|known| known.contains(&value))
    }

    pub fn know(&mut self, value: ValueId) {
        if self.known.is_empty() {
            self.known.push(HashSet::new());
        }
        self.known.last_mut().unwrap().insert(value);
    }

    pub fn need(&mut self, b: &CircuitBuilder, value: ValueId) {
        if self.knows(value) || matches!(b.values[value].op, Op::Bits(_) | Op::Int(_)) {
            return;
        }
        if let Op::Fixed(fix, _) = b.values[value].op {
            let parts = &b.fixes[fix];
            parts.vars.iter().for_each(|&(_, first)| self.need(b, first));
            let mut inner = LetScheduler::new(&[self]);
            parts.vars.iter().for_each(|&(var, _)| inner.know(var));
            parts.next.iter().for_each(|&next| inner.need(b, next));
            self.stmts.push(Stmt::Fix(fix, StmtBlock { stmts: inner.stmts }));
            for other in b.values.ids() {
                if matches!(b.values[other].op, Op::Fixed(f, _) if f == fix) {
                    self.know(other);
                }
            }
            return;
        }
        let mut operands = Vec::new();
        b.values[value].op.each_operand(|operand| operands.push(operand));
        operands.into_iter().for_each(|operand| self.need(b, operand));
        self.stmts.push(Stmt::Let(value));
        self.know(value);
    }

    pub fn over(&mut self, b: &CircuitBuilder, over: TerminalTest) {
        self.need(b, over.when);
        over.scores.iter().for_each(|&score| self.need(b, score));
        self.stmts.push(Stmt::Over(over));
    }

    pub fn yields(&mut self, b: &CircuitBuilder, slots: Vec<(SlotId, ValueId)>, to: ControlId) {
        slots.iter().for_each(|&(_, value)| self.need(b, value));
        self.stmts.push(Stmt::Yield(StateUpdate { slots, to, weight: None }));
    }

    pub fn block(self) -> StmtBlock {
        StmtBlock { stmts: self.stmts }
    }
}

impl CircuitMaker {
    /// Returns a circuit with these slots: name, word, lowest bit, and the bits that may be 1.
    pub fn new(words: u32, slots: &[(&str, u32, u32, BitSet)]) -> CircuitMaker {
        let mut layout = Layout { words, ..Layout::default() };
        for (name, word, bit, maybe) in slots {
            layout.slots.push(Slot { name: (*name).into(), word: *word, bit: *bit, maybe: maybe.clone() });
        }
        CircuitMaker { b: CircuitBuilder::new(layout), controls: IdVec::new(), groups: IdVec::new() }
    }

    pub fn finish(self, words: &[u64]) -> Circuit {
        Circuit {
            layout: self.b.layout,
            values: self.b.values,
            fixes: self.b.fixes,
            controls: self.controls,
            groups: self.groups,
            stackings: Vec::new(),
            initial: Position { control: ControlId(0), words: words.into() },
        }
    }

    fn line(&mut self, plane: ValueId, step: i32) -> ValueId {
        let next = self.b.shift(plane, -step);
        self.b.and(plane, next)
    }
}

/// Builds three in a row on nine bits, with two bitboards in one word.
pub fn tic_tac_toe() -> Circuit {
    let full = BitSet::full(9);
    let mut m = CircuitMaker::new(1, &[("x", 0, 0, full.clone()), ("o", 0, 9, full.clone())]);
    let planes = [m.b.slot(SlotId(0)), m.b.slot(SlotId(1))];
    let both = m.b.or(planes[0], planes[1]);
    let free = m.b.not(both);
    for mover in 0..2 {
        let lines = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
        let mut won = m.b.truth(false);
        for line in lines {
            let line = m.b.bits(BitSet::from_words(9, &[line]));
            let missing = m.b.and_not(line, planes[1 - mover]);
            let missing = m.b.any(missing);
            let complete = m.b.not(missing);
            won = m.b.or(won, complete);
        }
        let mut before = LetScheduler::new(&[]);
        let score = m.b.int(-1);
        before.over(
            &m.b,
            TerminalTest {
                when: won,
                unless_stuck: false,
                dead_after_move: false,
                ending: 1,
                scores: vec![score],
            },
        );
        let mut lets = LetScheduler::new(&[&before]);
        lets.need(&m.b, free);
        let bit = m.b.param(full.clone());
        let mut body = LetScheduler::new(&[&before, &lets]);
        body.know(bit);
        let after = m.b.or(planes[mover], bit);
        body.yields(&m.b, vec![(SlotId(mover as u32), after)], ControlId(1 - mover as u32));
        let mut stuck = LetScheduler::new(&[&before]);
        let always = m.b.truth(true);
        stuck.over(
            &m.b,
            TerminalTest {
                when: always,
                unless_stuck: false,
                dead_after_move: false,
                ending: 2,
                scores: vec![],
            },
        );
        let group = m.groups.push(MoveGroup {
            lets: lets.block(),
            set: free,
            bit,
            pass: false,
            setup: StmtBlock::default(),
            body: body.block(),
        });
        m.controls.push(Control {
            constant_slots: Vec::new(),
            name: ["x", "o"][mover].into(),
            mover: mover as u32,
            chance: false,
            before: before.block(),
            groups: vec![group],
            stuck: stuck.block(),
        });
    }
    m.finish(&[0])
}

/// Builds Connect Four, seven columns of six: rows of eight bits, the last of which is never set.
pub fn connect_four() -> Circuit {
    let board = BitSet::from_words(48, &[0x7f7f_7f7f_7f7f]);
    let mut m = CircuitMaker::new(2, &[("x", 0, 0, board.clone()), ("o", 1, 0, board.clone())]);
    let planes = [m.b.slot(SlotId(0)), m.b.slot(SlotId(1))];
    let stones = m.b.or(planes[0], planes[1]);
    let above = m.b.shift(stones, 8);
    let bottom = m.b.bits(BitSet::from_words(48, &[0x7f]));
    let carried = m.b.or(above, bottom);
    let landing = m.b.and_not(carried, stones);
    for mover in 0..2 {
        let mut lines = Vec::new();
        for step in [1, 7, 8, 9] {
            let pairs = m.line(planes[1 - mover], step);
            lines.push(m.line(pairs, 2 * step));
        }
        let all = lines.into_iter().reduce(|a, b| m.b.or(a, b)).unwrap();
        let won = m.b.any(all);
        let mut before = LetScheduler::new(&[]);
        let score = m.b.int(mover as i64);
        before.over(
            &m.b,
            TerminalTest {
                when: won,
                unless_stuck: false,
                dead_after_move: false,
                ending: 1,
                scores: vec![score],
            },
        );
        let mut lets = LetScheduler::new(&[&before]);
        lets.need(&m.b, landing);
        let bit = m.b.param(board.clone());
        let mut body = LetScheduler::new(&[&before, &lets]);
        body.know(bit);
        let after = m.b.or(planes[mover], bit);
        body.yields(&m.b, vec![(SlotId(mover as u32), after)], ControlId(1 - mover as u32));
        let mut stuck = LetScheduler::new(&[&before]);
        let always = m.b.truth(true);
        stuck.over(
            &m.b,
            TerminalTest {
                when: always,
                unless_stuck: false,
                dead_after_move: false,
                ending: 2,
                scores: vec![],
            },
        );
        let group = m.groups.push(MoveGroup {
            lets: lets.block(),
            set: landing,
            bit,
            pass: false,
            setup: StmtBlock::default(),
            body: body.block(),
        });
        m.controls.push(Control {
            constant_slots: Vec::new(),
            name: ["x", "o"][mover].into(),
            mover: mover as u32,
            chance: false,
            before: before.block(),
            groups: vec![group],
            stuck: stuck.block(),
        });
    }
    m.finish(&[0, 0])
}
