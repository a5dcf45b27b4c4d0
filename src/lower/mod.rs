//! Floor 7, the bridge: rules become a circuit.
//!
//! Set lowering is the heart: a condition with a variable over a domain becomes a vector of bits over it (`formula`,
//! `exists`), steps become shifts, static relations groups of equal distance. Where that has no form, variables are
//! replaced by their values one by one: the same code in one lane is the grounded form.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::cancel;
use crate::base::limits::{LimitHit, Limits};
use crate::circuit::build::Builder;
use crate::circuit::draft::Draft;
use crate::circuit::{Circuit, ValueId};
use crate::rules::{
    BoardFn, BoardId, DefId, Expr, ExprKind, FieldId, MOVER, PHASE, Pattern, Play, Rules, VarId,
};
use crate::source::Span;

mod board_fn;
mod calls;
mod chance;
mod choices;
mod control;
mod cx;
mod defined;
mod domain;
mod effects;
mod ends;
mod exists;
mod fields;
mod fixpoint;
mod folds;
mod formula;
mod joint;
mod known;
mod lanes;
mod memo;
mod moves;
mod numbers;
mod range;
mod sets;
mod sight;
mod state;
mod term;

pub use ends::{Ending, Verdict};
pub use state::StateMap;

/// Rules as a circuit, with what is needed to speak of it in the words of the rules.
#[derive(Debug)]
pub struct Lowered {
    /// The circuit.
    pub circuit: Circuit,
    /// Where the fields are.
    pub state: StateMap,
    /// Of each group what is played in the lane at each place; none at places without a lane.
    pub plays: Vec<Vec<Option<Play>>>,
    /// The endings that the circuit speaks of.
    pub endings: Vec<Ending>,
    /// For each control, the player and the phase.
    pub turns: Vec<(u32, u32)>,
    /// For each control, who acts.
    pub acting: Vec<Acting>,
}

/// Who acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acting {
    /// This player chooses.
    Player(u32),
    /// All players choose at once.
    Each,
    /// Chance.
    Chance,
}

/// Why rules are not lowered.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what}")]
pub struct Unsupported {
    /// What has no form yet.
    pub what: String,
    /// Where.
    pub span: Span,
    /// The limit that was reached, if that is why.
    pub limit: Option<LimitHit>,
}

/// Why something is not lowered as it was tried.
#[derive(Clone, Debug)]
enum Stop {
    /// It has no form with a vector; with values in place of variables it may have one.
    Varies,
    /// It has none at all.
    Unsupported(Unsupported),
}

type Result<T> = std::result::Result<T, Stop>;

fn unsupported<T>(what: impl Into<String>, span: Span) -> Result<T> {
    Err(Stop::Unsupported(Unsupported { what: what.into(), span, limit: None }))
}

/// What is asked again and again of an expression.
#[derive(Clone, Debug)]
struct Info {
    /// Whether it depends on the position.
    dynamic: bool,
    /// The variables in it.
    vars: Rc<Vec<VarId>>,
}

/// Rules being lowered.
pub struct Lower<'r> {
    rules: &'r Rules,
    state: StateMap,
    build: Builder,
    infos: RefCell<FxHashMap<usize, Info>>,
    dynamic_defs: RefCell<FxHashMap<DefId, bool>>,
    /// Whether expressions ask for what lies between cells, by their place.
    looking: RefCell<FxHashMap<usize, bool>>,
    /// Expressions that were made here: they must stay where they are, for they are known by their place.
    made: Vec<Rc<Expr>>,
    /// Copies of expressions, by the place of what they are copied from.
    kept: FxHashMap<usize, Rc<Expr>>,
    /// What was asked of elements, by the place of the set and the variable.
    asked: FxHashMap<(usize, VarId), Rc<Expr>>,
    /// What boards say, and what the variables of definitions stand in while they are evaluated.
    boards: Rc<board_fn::Memory>,
    envs: RefCell<Vec<known::Env>>,
    /// The rays of boards, and how their cells are related.
    rays: FxHashMap<BoardId, Option<Rc<Vec<sight::Ray>>>>,
    relations: FxHashMap<(BoardFn, BoardId), Rc<Vec<u64>>>,
    /// What elements were compared with, by the place of the term and the variable.
    compared: FxHashMap<(usize, VarId), Rc<Expr>>,
    /// What was found out lane by lane: it does not depend on the position, and is asked for each of them.
    known: lanes::Memory,
    near: exists::Memory,
    fixed: FxHashMap<fixpoint::Key, ValueId>,
    /// The relations of fixpoints under construction.
    growing: Vec<fixpoint::Growing>,
    endings: Vec<Ending>,
    /// Whether no expression has a value outside its type.
    exact_types: bool,
    /// The number of calls that definitions unfold to, and what those that unfold to many gave.
    unfolded: RefCell<FxHashMap<DefId, u64>>,
    known_calls: RefCell<memo::KnownCalls>,
    lowered: memo::LoweredCalls,
    /// What is assumed of `stuck`.
    stuck: Option<bool>,
    /// The moves of a player in a phase, once they are known.
    sets: FxHashMap<moves::At, Rc<Vec<Rc<moves::MoveSet>>>>,
}

/// What is left to choose where rules are lowered. No choice changes what a circuit says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How fields of many cells are held.
    pub cells: Cells,
}

/// How fields of many cells are held in the words of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cells {
    /// A set of cells for each value, where there are few values and none is added to: a bit of a vector is a cell.
    #[default]
    Planes,
    /// A number for each cell, in as few bits as it needs: the smallest states.
    Codes,
}

/// Rules as a circuit, as they are.
pub fn lower(rules: &Rules) -> std::result::Result<Lowered, Unsupported> {
    lower_with(rules, Options::default(), &Limits::default(), &|_| {})
}

/// Rules as a circuit that somebody improves before it is finished; given up where the limits are reached.
pub fn lower_with(
    rules: &Rules,
    options: Options,
    limits: &Limits,
    improve: &dyn Fn(&mut Draft),
) -> std::result::Result<Lowered, Unsupported> {
    let span = rules.span.unwrap_or_else(|| rules.fields[FieldId(0)].span);
    let lowered = cancel::run_within(limits, || lower_all(rules, options, improve));
    lowered.unwrap_or_else(|hit| Err(Unsupported { what: hit.to_string(), span, limit: Some(hit) }))
}

fn lower_all(
    rules: &Rules,
    options: Options,
    improve: &dyn Fn(&mut Draft),
) -> std::result::Result<Lowered, Unsupported> {
    let span = rules.span.unwrap_or_else(|| rules.fields[FieldId(0)].span);
    let state = StateMap::new(rules, options.cells).map_err(|field| Unsupported {
        what: format!("the field `{field}` is too large"),
        span,
        limit: None,
    })?;
    let mut build = Builder::new(state.layout.clone());
    state.families().into_iter().for_each(|slots| build.exclusive(slots));
    state.owned().into_iter().for_each(|(slot, owners)| build.owned(slot, owners));
    let lower = Lower {
        rules,
        state,
        build,
        infos: RefCell::default(),
        dynamic_defs: RefCell::default(),
        looking: RefCell::default(),
        made: Vec::new(),
        kept: FxHashMap::default(),
        asked: FxHashMap::default(),
        boards: Rc::default(),
        envs: RefCell::default(),
        rays: FxHashMap::default(),
        relations: FxHashMap::default(),
        compared: FxHashMap::default(),
        known: lanes::Memory::default(),
        near: exists::Memory::default(),
        fixed: FxHashMap::default(),
        growing: Vec::new(),
        endings: Vec::new(),
        exact_types: range::types_are_exact(rules),
        unfolded: RefCell::default(),
        known_calls: RefCell::default(),
        lowered: memo::LoweredCalls::default(),
        stuck: None,
        sets: FxHashMap::default(),
    };
    lower.game(improve).map_err(|stop| match stop {
        Stop::Unsupported(unsupported) => unsupported,
        Stop::Varies => {
            let what = "a term that varies where a value is needed".into();
            Unsupported { what, span, limit: None }
        }
    })
}

impl Lower<'_> {
    /// An expression that stays where it is as long as rules are lowered.
    fn kept(&mut self, expr: &Expr) -> Rc<Expr> {
        let place = &*expr.kind as *const ExprKind as usize;
        self.kept.entry(place).or_insert_with(|| Rc::new(expr.clone())).clone()
    }

    /// Whether an expression depends on the position, and its variables.
    fn info(&self, expr: &Expr) -> Info {
        let place = &*expr.kind as *const ExprKind as usize;
        if let Some(info) = self.infos.borrow().get(&place) {
            return info.clone();
        }
        cancel::step();
        let mut dynamic = match &*expr.kind {
            ExprKind::Field(field, _) => *field != MOVER && *field != PHASE,
            ExprKind::Stuck | ExprKind::StuckPlayer(_) | ExprKind::Flood(..) => true,
            ExprKind::Call(def, _) => self.is_dynamic(*def),
            _ => false,
        };
        let mut vars = match &*expr.kind {
            ExprKind::Var(var) => vec![*var],
            _ => Vec::new(),
        };
        match &*expr.kind {
            ExprKind::Quant(_, binders, _)
            | ExprKind::Fold(_, binders, _)
            | ExprKind::Collect(binders, _) => {
                binders.iter().for_each(|binder| binder_vars(&binder.pattern, &mut vars));
            }
            ExprKind::Let(pattern, ..) => binder_vars(pattern, &mut vars),
            _ => {}
        }
        expr.each_part(&mut |part| {
            let info = self.info(part);
            dynamic |= info.dynamic;
            vars.extend(info.vars.iter().copied());
        });
        vars.sort_unstable();
        vars.dedup();
        let info = Info { dynamic, vars: Rc::new(vars) };
        self.infos.borrow_mut().insert(place, info.clone());
        info
    }

    fn is_dynamic(&self, def: DefId) -> bool {
        if let Some(&dynamic) = self.dynamic_defs.borrow().get(&def) {
            return dynamic;
        }
        let of = &self.rules.defs[def];
        let dynamic = of.group.is_some() || self.info(&of.body).dynamic;
        self.dynamic_defs.borrow_mut().insert(def, dynamic);
        dynamic
    }
}

/// The variables of a pattern.
fn binder_vars(pattern: &Pattern, vars: &mut Vec<VarId>) {
    match pattern {
        Pattern::Var(var) => vars.push(*var),
        Pattern::Tuple(patterns) => patterns.iter().for_each(|p| binder_vars(p, vars)),
    }
}
