//! Rules with chance as rules without it: the player to move makes the events, and a further field keeps the weight of
//! the last one. Symmetries are found in the grounded rules, which have no chance.
//!
//! *Invariant:* a symmetry of the result that fixes the phase and the further field with its values is a symmetry of
//! the rules with chance: it takes events to events of the same weight.

use std::sync::Arc;

use bouton_rules::{
    Actor, Block, Effect, EffectOp, Expr, ExprKind, Field, FieldId, MOVER, Move, PhaseId, Rules, Stmt,
    StmtKind, Type, Value, Visibility,
};

/// The greatest weight that grounded rules can tell from others.
const MAX_WEIGHT: i64 = 62;

/// Returns the rules with events of chance as moves of the player to move, and unchanged rules if chance never acts;
/// `None` if a weight is no whole number up to 62.
///
/// The last field of the result, which only rules with chance get, is the weight of the last event.
///
/// ```
/// # use std::sync::Arc;
/// # use bouton_detect::chance::events_as_moves;
/// # use bouton_rules::builder::RulesBuilder;
/// let rules = Arc::new(RulesBuilder::new(&["Ann", "Ben"]).finish().unwrap());
/// assert!(Arc::ptr_eq(&events_as_moves(&rules).unwrap(), &rules));
/// ```
pub fn events_as_moves(rules: &Arc<Rules>) -> Option<Arc<Rules>> {
    if !rules.moves.iter().any(|of| of.chance) {
        return Some(rules.clone());
    }
    let mut made = (**rules).clone();
    let by_chance = |phase: &PhaseId| matches!(rules.phases[*phase].actor, Actor::Chance);
    let weights = rules.moves.iter().filter(|of| of.chance).map(highest_weight);
    let highest = weights.collect::<Option<Vec<i64>>>()?.into_iter().max()?;
    let weight = made.fields.push(Field {
        name: "weight".into(),
        keys: Vec::new(),
        ty: Type::Int(0, highest),
        init: vec![Value::Int(0)],
        transient: false,
        visibility: Visibility::Public,
        doc: Vec::new(),
        span: rules.fields[MOVER].span,
    });
    for id in rules.moves.ids() {
        let of = &mut made.moves[id];
        let chance = of.chance;
        of.phases.retain(|phase| by_chance(phase) == chance);
        if chance {
            make_move(of, weight);
        }
    }
    for id in rules.phases.ids().filter(by_chance) {
        made.phases[id].actor = Actor::Mover;
    }
    Some(Arc::new(made))
}

/// Returns the highest weight that an event can have; `None` if it may be no whole number up to 62.
fn highest_weight(of: &Move) -> Option<i64> {
    let Some(weight) = &of.weight else { return Some(1) };
    weight.ty.interval().filter(|&(low, high)| 0 <= low && high <= MAX_WEIGHT).map(|(_, high)| high)
}

/// Makes a move of an event: a first stage sets the weight and keeps the turn, then the event happens.
fn make_move(of: &mut Move, weight: FieldId) {
    let span = of.span;
    let one = Expr::new(ExprKind::Const(Value::Int(1)), Type::Int(1, 1), span);
    let value = of.weight.take().unwrap_or(one);
    let mover = Expr::new(ExprKind::Field(MOVER, Vec::new()), Type::Sym(bouton_rules::PLAYER), span);
    let set = Effect { field: weight, keys: Vec::new(), path: Vec::new(), op: EffectOp::Set, value };
    let event = std::mem::take(&mut of.body);
    let kinds = [StmtKind::Effect(set), StmtKind::Next(mover), StmtKind::Then(event)];
    of.body = Block { stmts: kinds.into_iter().map(|kind| Stmt { kind, span }).collect() };
    (of.chance, of.mandatory) = (false, false);
}
