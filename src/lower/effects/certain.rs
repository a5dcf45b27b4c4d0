//! Effects that are certainly not at fault: then a body need not be lowered for its faults.

use crate::Lower;
use crate::term::is_condition;
use bouton_rules::{Arith, Block, Effect, EffectOp, Expr, ExprKind, FieldId, StmtKind, Type, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The cell that an effect changes.
type Cell<'e> = (FieldId, Vec<&'e Value>);

impl<'r> Lower<'r> {
    /// The effects of a last stage that set a cell of their own to a value that fits; none if the stage has statements
    /// of other kinds than conditions and effects.
    pub(super) fn certain_effects(&self, blocks: &[&'r Block]) -> FxHashSet<*const Effect> {
        let mut by_cell: FxHashMap<Cell<'r>, Vec<&'r Effect>> = FxHashMap::default();
        let mut unknown: FxHashSet<FieldId> = FxHashSet::default();
        let mut todo = blocks.to_vec();
        while let Some(block) = todo.pop() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Require(_) => {}
                    StmtKind::If(_, then, otherwise) => todo.extend([then, otherwise]),
                    StmtKind::Effect(effect) => match self.constant_cell(effect.field, &effect.keys) {
                        Some(cell) => by_cell.entry(cell).or_default().push(effect),
                        None => _ = unknown.insert(effect.field),
                    },
                    StmtKind::Then(_)
                    | StmtKind::Let(..)
                    | StmtKind::For(..)
                    | StmtKind::Stay(_)
                    | StmtKind::Next(_) => return FxHashSet::default(),
                }
            }
        }
        let alone = by_cell.into_iter().filter_map(|((field, _), effects)| match effects[..] {
            [effect] if !unknown.contains(&field) => Some(effect),
            _ => None,
        });
        alone.filter(|effect| self.always_fits(effect)).map(|effect| effect as *const Effect).collect()
    }

    /// The cell with these keys, if they are constant.
    fn constant_cell<'e>(&self, field: FieldId, keys: &'e [Expr]) -> Option<Cell<'e>> {
        let keys: Vec<&Value> = keys.iter().map(Expr::constant).collect::<Option<_>>()?;
        let domains = &self.rules.fields[field].keys;
        let exists = domains.len() == keys.len()
            && domains.iter().zip(&keys).all(|(domain, key)| domain.values.contains(key));
        exists.then_some((field, keys))
    }

    /// Returns true if an effect sets a cell to a value that is always defined and of its type.
    fn always_fits(&self, effect: &Effect) -> bool {
        let ty = &self.rules.fields[effect.field].ty;
        let fits = *ty == Type::Bool || self.surely_fits(&effect.value, ty);
        effect.op == EffectOp::Set && effect.path.is_empty() && fits && self.always_defined(&effect.value)
    }

    /// Returns true for formulas, constants, cells with constant keys, and sums and calls of these.
    fn always_defined(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Const(_) | ExprKind::Var(_) => true,
            ExprKind::Field(field, keys) => self.constant_cell(*field, keys).is_some(),
            ExprKind::Arith { op: Arith::Add | Arith::Sub, left, right, .. } => {
                self.always_defined(left) && self.always_defined(right)
            }
            ExprKind::Call(def, args) => {
                let def = &self.rules.defs[*def];
                // A definition is strict, also in arguments outside the types of its parameters.
                let fits = |(arg, &param): (&Expr, &VarId)| {
                    self.always_defined(arg) && self.surely_fits(arg, &def.vars[param].ty)
                };
                let is_formula = def.group.is_some() || self.always_defined(&def.body);
                def.ty == Type::Bool && args.iter().zip(&def.params).all(fits) && is_formula
            }
            kind => is_condition(kind),
        }
    }
}
