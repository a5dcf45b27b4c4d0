//! Marks that are set where they are already: W0312.
//!
//! A move such as `at[c] := me` on cells that begin empty is likely to lack `when at[c] = none`, if no condition of it
//! reads the cells, nothing empties them again, and a player makes it where his own mark is. A counter beside it hides
//! the mistake from other findings, since no position comes back.

use super::dead_rules::statement_mentions;
use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{
    Effect, EffectOp, Expr, ExprKind, FieldId, MOVER, Move, MoveId, PHASE, Rules, StmtKind, Type, Value,
};
use bouton_search::game::explore::VisitedPosition;
use bouton_search::game::names::call_form;
use bouton_search::game::{Game, MoveInstance};
use bouton_syntax::diag::{Code, Diagnostic};

/// The moves that may set a mark where it is already, and were not found to do so yet.
#[derive(Debug)]
pub struct IdleMarks {
    remaining: Vec<MarkingMove>,
}

/// A move with an effect that marks the cell of its parameters.
#[derive(Debug)]
struct MarkingMove {
    id: MoveId,
    field: FieldId,
    /// The place of the effect.
    place: Span,
    /// The parameters that are the keys of the cell, as indices.
    keys: Vec<usize>,
}

/// A move that sets a mark where it is already.
#[derive(Clone, Debug)]
pub struct IdleMark {
    pub play: MoveInstance,
    place: Span,
    field: FieldId,
    value: Value,
}

impl IdleMarks {
    /// The candidates of a game.
    pub fn new(rules: &Rules) -> IdleMarks {
        let moves = rules.moves.entries().filter(|(_, mv)| !mv.chance);
        let candidates = moves.filter_map(|(id, mv)| candidate(rules, id, mv));
        IdleMarks { remaining: if rules.forbids.is_empty() { candidates.collect() } else { Vec::new() } }
    }

    /// Finds a move that sets a mark where it is already; each move once.
    pub fn find(&mut self, game: &Game, visit: &VisitedPosition<'_>) -> Option<IdleMark> {
        if self.remaining.is_empty() {
            return None;
        }
        visit.successors.iter().find_map(|successor| {
            let MoveInstance::Move(id, args) = &successor.play else { return None };
            let at = self.remaining.iter().position(|candidate| candidate.id == *id)?;
            let MarkingMove { field, place, keys, .. } = &self.remaining[at];
            let keys: Vec<Value> = keys.iter().map(|key| args[*key].clone()).collect();
            let cell = game.rules.fields[*field].cell(&keys)?;
            let value = game.machine.read(visit.state, *field, cell);
            if value == Value::None || value != game.machine.read(&successor.state, *field, cell) {
                return None;
            }
            let found = IdleMark { play: successor.play.clone(), place: *place, field: *field, value };
            self.remaining.remove(at);
            Some(found)
        })
    }
}

/// The mark of a move, if nothing but a missing condition explains that it is set again.
fn candidate(rules: &Rules, id: MoveId, mv: &Move) -> Option<MarkingMove> {
    let is_mark = |effect: &Effect| {
        let field = &rules.fields[effect.field];
        effect.op == EffectOp::Set
            && effect.path.is_empty()
            && !effect.keys.is_empty()
            && effect.field > PHASE
            && matches!(field.ty, Type::Option(_))
            && field.init.iter().all(|value| *value == Value::None)
            && is_mover(&effect.value)
    };
    let (effect, place) = mv.body.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Effect(effect) if is_mark(effect) && stmt.span.is_placed() => Some((effect, stmt.span)),
        _ => None,
    })?;
    let parameter = |key: &Expr| match *key.kind {
        ExprKind::Var(var) => mv.params.iter().position(|param| param.var == var),
        _ => None,
    };
    let keys: Vec<usize> = effect.keys.iter().map(parameter).collect::<Option<_>>()?;
    let field = effect.field;
    let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == field);
    let reads = mv.body.any(&|kind| statement_mentions(rules, kind, &is_field))
        || [&mv.by, &mv.prefer].into_iter().flatten().any(|expr| rules.mentions(expr, &is_field));
    // A cell that another effect sets may be emptied, or is no mark.
    let others = rules.moves.iter().flat_map(|of| effects(&of.body));
    let is_only = others.filter(|(of, _)| of.field == field).all(|(of, _)| is_mark(of));
    (!reads && is_only).then_some(MarkingMove { id, field, place, keys })
}

/// Returns true for `me` and `mover`.
fn is_mover(value: &Expr) -> bool {
    match &*value.kind {
        ExprKind::Me => true,
        ExprKind::Field(field, _) => *field == MOVER,
        _ => false,
    }
}

/// W0312: a move that sets a mark where it is already.
pub fn describe(text: &GameSource, game: &Game, mark: &IdleMark) -> Diagnostic {
    let IdleMark { play, place, field, value } = mark;
    let (value, name) = (game.rules.show(value), &game.rules.fields[*field].name);
    let words = text.sources.slice(*place);
    let target = words.split_once(":=").map_or(name.as_str(), |(target, _)| target.trim());
    let title = format!(
        "`{}` sets a cell of `{name}` to {value} that is {value} already",
        call_form(&game.rules, play)
    );
    let told =
        Diagnostic::new(Code::W0312, title, *place, format!("no condition of the move reads `{name}`"));
    told.help(format!(
        "if a cell is taken once only, write `when {target} = none;`; if it may be set again, write `// allow(W0312): reason`"
    ))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_mark_on_a_mark_is_noticed() {
        let help = |condition: &str, more: &str| {
            let rest = format!(
                "board Cell = strip(3); state {{ at[c: Cell]: Player? = none; left: 0..3 = 3; }} move mark(c: Cell) as \"{{c}}\" \
                 {{ {condition} at[c] := me; left -= 1; }} {more} end {{ when left = 0 and at[a1] = A => A wins; when left = 0 \
                 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0312).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("", "");
        assert!(told.starts_with("if a cell is taken once only, write `when at[c] = none;`"), "{told}");
        assert_eq!(help("when at[c] = none;", ""), "");
        assert_eq!(help("when at[c] != me;", ""), "");
        let clear = "move clear(c: Cell) as \"x{c}\" { when left > 1; at[c] := none; left -= 1; }";
        assert_eq!(help("", clear), "");
    }
}
