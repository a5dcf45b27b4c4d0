//! Simultaneous moves that read each other's choices too early: W0536.
//!
//! All moves of a phase `by each` read one state, the one before all of them. A move that sets a field and reads it in
//! its first stage is suspicious if the field has its first value in every position of the phase: then it never reads a
//! choice. Conditions (`when`) are left out, since `when shown[me] = none;` is a common guard.

use bouton_base::source::Span;
use bouton_rules::{Actor, Block, Expr, ExprKind, FieldId, PHASE, PhaseId, StmtKind, Value};
use bouton_search::game::{Game, State};

/// The early reads that no position has refuted so far.
#[derive(Debug)]
pub struct EarlyReads {
    remaining: Vec<EarlyRead>,
}

/// A field that a simultaneous move sets and reads in one stage.
#[derive(Clone, Debug)]
pub struct EarlyRead {
    /// The field.
    pub field: FieldId,
    /// The expression that reads it.
    pub span: Span,
    /// The number of positions in which the field had its first value.
    pub evaluations: u64,
    phases: Vec<PhaseId>,
    first: Vec<Value>,
}

impl EarlyReads {
    /// The reads of the first stages of all simultaneous moves; `initial` is the first position.
    pub fn new(game: &Game, initial: &State) -> EarlyReads {
        let rules = &game.rules;
        let is_each = |phase: &PhaseId| matches!(rules.phases[*phase].actor, Actor::Each);
        let mut remaining: Vec<EarlyRead> = Vec::new();
        for mv in rules.moves.iter().filter(|mv| !mv.phases.is_empty() && mv.phases.iter().all(is_each)) {
            let mut stage = Stage::default();
            stage.add(&mv.body);
            for &field in &stage.written {
                let reads = |expr: &&&Expr| rules.mentions(expr, &|kind| is_read_of(kind, field));
                if let Some(expr) = stage.read.iter().find(reads)
                    && !remaining.iter().any(|read| read.field == field)
                {
                    remaining.push(EarlyRead {
                        field,
                        span: expr.span,
                        evaluations: 0,
                        phases: mv.phases.clone(),
                        first: read_all(game, initial, field),
                    });
                }
            }
        }
        EarlyReads { remaining }
    }

    /// Removes the reads whose field has another value than at first in this position of their phases.
    pub fn evaluate(&mut self, game: &Game, state: &State) {
        if self.remaining.is_empty() {
            return;
        }
        let Value::Int(phase) = game.machine.read(state, PHASE, 0) else { return };
        self.remaining.retain_mut(|read| {
            if !read.phases.contains(&PhaseId(phase as u32)) {
                return true;
            }
            read.evaluations += 1;
            read_all(game, state, read.field) == read.first
        });
    }

    /// The reads that were evaluated and that no position refuted.
    pub fn never_refuted(&self) -> impl Iterator<Item = &EarlyRead> {
        self.remaining.iter().filter(|read| read.evaluations > 0)
    }
}

fn read_all(game: &Game, state: &State, field: FieldId) -> Vec<Value> {
    game.machine.read_all(state, field, game.rules.fields[field].cells())
}

fn is_read_of(kind: &ExprKind, field: FieldId) -> bool {
    matches!(kind, ExprKind::Field(of, _) if *of == field)
}

/// The fields that the first stage of a move sets, and the expressions that it reads for its effects.
#[derive(Default)]
struct Stage<'a> {
    written: Vec<FieldId>,
    read: Vec<&'a Expr>,
}

impl<'a> Stage<'a> {
    fn add(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Effect(effect) => {
                    if !self.written.contains(&effect.field) {
                        self.written.push(effect.field);
                    }
                    self.read.push(&effect.value);
                    self.read.extend(&effect.keys);
                }
                StmtKind::Let(_, value) => self.read.push(value),
                StmtKind::If(condition, yes, no) => {
                    self.read.push(condition);
                    self.add(yes);
                    self.add(no);
                }
                StmtKind::For(binders, block) => {
                    self.read.extend(binders.iter().filter_map(|binder| binder.condition.as_ref()));
                    self.add(block);
                }
                StmtKind::Next(player) => self.read.push(player),
                StmtKind::Require(_) | StmtKind::Then(_) | StmtKind::Stay(_) => {}
            }
        }
    }
}
