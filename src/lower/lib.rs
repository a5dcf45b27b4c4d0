//! Lowering: translates rules into a circuit.
//!
//! The core is set lowering: a condition with a variable over a domain becomes a vector of bits over it (`formula`,
//! `exists`), steps become shifts, and static relations become groups of equal distance. If a condition has no such
//! form, its variables are replaced by their values one by one: the same code with a single lane gives the grounded
//! form.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::source::Span;
use bouton_circuit::build::CircuitBuilder;
use bouton_circuit::draft::Draft;
use bouton_circuit::{Circuit, ValueId};
use bouton_rules::{
    BoardFn, BoardId, DefId, Expr, ExprKind, FieldId, MOVER, MoveInstance, PHASE, Pattern, Rules, VarId,
};

mod board_fn;
mod call_cache;
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
mod exprs;
mod fields;
mod fixpoint;
mod folds;
mod formula;
mod fractions;
mod lane_by_lane;
mod lanes;
mod moves;
mod numbers;
mod partial_eval;
mod range;
mod rays;
mod sets;
mod simultaneous_moves;
mod state;
mod term;

use exprs::{ExprId, ExprMap, Exprs, Made};

pub use ends::{CircuitEnding, EndingOutcome};
pub use state::{EncodedState, StateLayout};

/// Rules as a circuit, with the maps that translate its parts back into terms of the rules.
#[derive(Debug)]
pub struct Lowered {
    pub circuit: Circuit,
    /// The layout of the fields in the words of a state.
    pub state: StateLayout,
    /// For each group, the move at each place of its vector; `None` at places without a lane.
    pub plays: Vec<Vec<Option<MoveInstance>>>,
    /// The endings that the circuit refers to.
    pub endings: Vec<CircuitEnding>,
    /// For each control, the player to move and the phase.
    pub turns: Vec<(u32, u32)>,
    /// For each control, the player or chance that acts.
    pub acting: Vec<Acting>,
}

/// The player or chance that acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acting {
    /// This player chooses.
    Player(u32),
    /// All players choose simultaneously.
    Each,
    Chance,
}

/// The reason why rules cannot be lowered.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what}")]
pub struct Unsupported {
    /// The construct that has no lowering.
    pub what: String,
    pub span: Span,
    /// The limit that was reached, if that is the reason.
    pub limit: Option<LimitHit>,
}

/// The reason why an attempt to lower something failed.
#[derive(Clone, Debug)]
enum LowerError {
    /// It has no form as a vector; with values in place of variables it may have one.
    Varies,
    /// This construct has no form, since a part of it has none as a vector.
    VariesIn(Unsupported),
    /// It has no form at all.
    Unsupported(Unsupported),
}

type Result<T> = std::result::Result<T, LowerError>;

fn unsupported<T>(what: impl Into<String>, span: Span) -> Result<T> {
    Err(LowerError::Unsupported(Unsupported { what: what.into(), span, limit: None }))
}

/// Cached properties of an expression.
#[derive(Clone, Debug)]
struct ExprInfo {
    /// True if it depends on the position.
    dynamic: bool,
    /// The variables in it.
    vars: Rc<Vec<VarId>>,
}

/// The state of a running lowering.
pub struct Lower<'r> {
    rules: &'r Rules,
    state: StateLayout,
    build: CircuitBuilder,
    exprs: Exprs<'r>,
    infos: RefCell<ExprMap<ExprInfo>>,
    dynamic_defs: RefCell<FxHashMap<DefId, bool>>,
    /// True for the expressions that contain `between`.
    uses_between: RefCell<ExprMap<bool>>,
    /// The formulas that an element is in a set, by the set and the variable.
    membership_formulas: FxHashMap<(ExprId, VarId), &'r Expr>,
    /// Cached values of board functions, and reusable environments for the evaluation of definitions.
    boards: Rc<board_fn::BoardSetCache>,
    envs: RefCell<Vec<partial_eval::PartialEnv>>,
    /// The rays of boards, and the relations between their cells.
    rays: FxHashMap<BoardId, Option<Rc<Vec<rays::DirectionRays>>>>,
    relations: FxHashMap<(BoardFn, BoardId), Rc<Vec<u64>>>,
    /// The formulas that an element equals a term, by the term and the variable.
    equality_formulas: FxHashMap<(ExprId, VarId), &'r Expr>,
    /// Results found lane by lane: they do not depend on the position, but every position needs them.
    known: lanes::StaticCache,
    pair_groups: exists::PairGroupsCache,
    fixed: FxHashMap<fixpoint::RelationKey, ValueId>,
    /// The relations of fixpoints under construction.
    open_relations: Vec<fixpoint::OpenRelation>,
    endings: Vec<CircuitEnding>,
    /// The number of calls that each definition unfolds to, and the cached results of definitions that unfold to many.
    unfolded: RefCell<FxHashMap<DefId, u64>>,
    /// The number of expressions that each definition unfolds to.
    unfolded_sizes: RefCell<FxHashMap<DefId, u64>>,
    known_calls: RefCell<call_cache::PartialCallCache>,
    lowered: call_cache::LoweredCallCache,
    /// True if formulas without a form for all lanes are lowered for one lane after the other.
    one_lane_at_a_time: bool,
    /// The assumed value of `stuck`.
    stuck: Option<bool>,
    /// The moves of a player in a phase, once computed.
    sets: FxHashMap<moves::MoveSetsKey, Rc<Vec<Rc<moves::MoveSet>>>>,
}

/// Options of lowering. No option changes the meaning of the circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LowerOptions {
    /// The representation of fields of many cells.
    pub cells: CellLayout,
}

/// The representation of fields of many cells in the words of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CellLayout {
    /// A set of cells for each value, if there are few values and no move adds to the field: a bit of a vector is a
    /// cell.
    #[default]
    Planes,
    /// A number for each cell, in as few bits as it needs: the smallest states.
    Codes,
}

/// Lowers rules to a circuit without optimisation.
pub fn lower(rules: &Rules) -> std::result::Result<Lowered, Unsupported> {
    lower_with(rules, LowerOptions::default(), &Limits::default(), &|_| {})
}

/// Lowers rules to a circuit that `improve` transforms before it is finished; gives up when the limits are reached.
pub fn lower_with(
    rules: &Rules,
    options: LowerOptions,
    limits: &Limits,
    improve: &dyn Fn(&mut Draft),
) -> std::result::Result<Lowered, Unsupported> {
    let span = rules.span.unwrap_or_else(|| rules.fields[FieldId(0)].span);
    let lowered = cancel::run_within(limits, || {
        // Most games have a form for all lanes at once, which is smaller.
        lower_all(rules, options, improve, false).or_else(|error| match error {
            LowerError::Unsupported(unsupported) => Err(unsupported),
            LowerError::Varies | LowerError::VariesIn(_) => {
                lower_all(rules, options, improve, true).map_err(|error| match error {
                    LowerError::Unsupported(unsupported) | LowerError::VariesIn(unsupported) => unsupported,
                    LowerError::Varies => {
                        let what = "a term that varies where a value is needed".into();
                        Unsupported { what, span, limit: None }
                    }
                })
            }
        })
    });
    lowered.unwrap_or_else(|hit| Err(Unsupported { what: hit.to_string(), span, limit: Some(hit) }))
}

fn lower_all(
    rules: &Rules,
    options: LowerOptions,
    improve: &dyn Fn(&mut Draft),
    one_lane_at_a_time: bool,
) -> Result<Lowered> {
    let span = rules.span.unwrap_or_else(|| rules.fields[FieldId(0)].span);
    let state =
        StateLayout::new(rules, options.cells).or_else(|error| unsupported(error.to_string(), span))?;
    let mut build = CircuitBuilder::new(state.layout.clone());
    state.families().into_iter().for_each(|slots| build.declare_disjoint(slots));
    state.owned().into_iter().for_each(|(slot, owners)| build.declare_owned(slot, owners));
    let made = Made::default();
    let lower = Lower {
        rules,
        state,
        build,
        exprs: Exprs::new(&made),
        infos: RefCell::default(),
        dynamic_defs: RefCell::default(),
        uses_between: RefCell::default(),
        membership_formulas: FxHashMap::default(),
        boards: Rc::default(),
        envs: RefCell::default(),
        rays: FxHashMap::default(),
        relations: FxHashMap::default(),
        equality_formulas: FxHashMap::default(),
        known: lanes::StaticCache::default(),
        pair_groups: exists::PairGroupsCache::default(),
        fixed: FxHashMap::default(),
        open_relations: Vec::new(),
        endings: Vec::new(),
        unfolded: RefCell::default(),
        unfolded_sizes: RefCell::default(),
        known_calls: RefCell::default(),
        lowered: call_cache::LoweredCallCache::default(),
        one_lane_at_a_time,
        stuck: None,
        sets: FxHashMap::default(),
    };
    lower.game(improve)
}

impl<'r> Lower<'r> {
    /// Returns true for an expression that depends on the position, and its variables.
    fn info(&self, expr: &'r Expr) -> ExprInfo {
        let id = self.exprs.id(expr);
        if let Some(info) = self.infos.borrow().get(id) {
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
        let info = ExprInfo { dynamic, vars: Rc::new(vars) };
        self.infos.borrow_mut().insert(id, info.clone());
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

/// Appends the variables of a pattern.
fn binder_vars(pattern: &Pattern, vars: &mut Vec<VarId>) {
    match pattern {
        Pattern::Var(var) => vars.push(*var),
        Pattern::Tuple(patterns) => patterns.iter().for_each(|p| binder_vars(p, vars)),
    }
}
