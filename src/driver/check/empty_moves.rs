//! Moves of nothing: `at[to] <- at[from]` from an empty cell to an empty one, W0312.
//!
//! Such a move is likely to lack `when at[from] = me`, if no condition of it asks for the cell that it empties. A counter
//! beside it hides the mistake from other findings, since no position comes back.

use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{
    EffectOp, Expr, ExprKind, FieldId, Move, MoveId, PHASE, PLAYER, Rules, StmtKind, Type, Value, VarId,
};
use bouton_search::game::explore::VisitedPosition;
use bouton_search::game::names::call_form;
use bouton_search::game::{Game, MoveInstance};
use bouton_syntax::diag::{Code, Diagnostic};

/// The moves that may move nothing, and were not found to do so yet.
#[derive(Debug)]
pub struct EmptyMoves {
    remaining: Vec<Shift>,
}

/// A move with an effect `<-` from the cell of its parameters.
#[derive(Debug)]
struct Shift {
    id: MoveId,
    field: FieldId,
    /// The place of the effect.
    place: Span,
    /// The parameters that are the keys of the cell, as indices.
    keys: Vec<usize>,
}

/// A move from an empty cell that changes no cell.
#[derive(Clone, Debug)]
pub struct EmptyMove {
    pub play: MoveInstance,
    place: Span,
    field: FieldId,
}

impl EmptyMoves {
    /// The candidates of a game.
    pub fn new(rules: &Rules) -> EmptyMoves {
        let moves = rules.moves.entries().filter(|(_, mv)| !mv.chance);
        EmptyMoves { remaining: moves.filter_map(|(id, mv)| candidate(rules, id, mv)).collect() }
    }

    /// Finds a move of nothing; each move once.
    pub fn find(&mut self, game: &Game, visit: &VisitedPosition<'_>) -> Option<EmptyMove> {
        if self.remaining.is_empty() {
            return None;
        }
        visit.successors.iter().find_map(|successor| {
            let MoveInstance::Move(id, args) = &successor.play else { return None };
            let at = self.remaining.iter().position(|candidate| candidate.id == *id)?;
            let Shift { field, place, keys, .. } = &self.remaining[at];
            let keys: Vec<Value> = keys.iter().map(|key| args[*key].clone()).collect();
            let declared = &game.rules.fields[*field];
            let cell = declared.cell(&keys)?;
            let all = |state| game.machine.read_all(state, *field, declared.cells());
            if game.machine.read(visit.state, *field, cell) != Value::None
                || all(visit.state) != all(&successor.state)
            {
                return None;
            }
            let found = EmptyMove { play: successor.play.clone(), place: *place, field: *field };
            self.remaining.remove(at);
            Some(found)
        })
    }
}

/// The effect of a move that shifts what stands in the cell of its parameters, if no condition asks for that cell.
fn candidate(rules: &Rules, id: MoveId, mv: &Move) -> Option<Shift> {
    let variable = |key: &Expr| match *key.kind {
        ExprKind::Var(var) => Some(var),
        _ => None,
    };
    effects(&mv.body).into_iter().find_map(|(effect, place)| {
        let is_shift = effect.op == EffectOp::Set
            && effect.path.is_empty()
            && effect.field > PHASE
            && matches!(rules.fields[effect.field].ty, Type::Option(_))
            && mv.body.stmts.iter().any(|stmt| stmt.span == place && stmt.span.is_placed());
        let value = match &*effect.value.kind {
            ExprKind::Present(inner) => inner,
            _ => &effect.value,
        };
        let ExprKind::Field(of, keys) = &*value.kind else { return None };
        let source: Vec<VarId> = keys.iter().map(variable).collect::<Option<_>>()?;
        let param = |var: &VarId| mv.params.iter().position(|param| param.var == *var);
        let keys: Vec<usize> = source.iter().map(param).collect::<Option<_>>()?;
        if !is_shift || *of != effect.field || keys.is_empty() {
            return None;
        }
        // What else reads the field may ask for the cell.
        let is_silent = |expr: &Expr| speaks_of_other_cells(rules, expr, *of, &source);
        let is_unasked = mv.body.stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Require(expr) | StmtKind::Let(_, expr) => is_silent(expr),
            _ => true,
        });
        let is_free = [&mv.by, &mv.prefer].into_iter().flatten().all(is_silent);
        (is_unasked && is_free).then_some(Shift { id, field: *of, place, keys })
    })
}

/// Returns true if an expression reads a field at most in cells of other variables.
fn speaks_of_other_cells(rules: &Rules, expr: &Expr, field: FieldId, source: &[VarId]) -> bool {
    let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == field);
    match &*expr.kind {
        ExprKind::Field(of, keys) if *of == field => {
            let is_other = |(key, var): (&Expr, &VarId)| matches!(*key.kind, ExprKind::Var(of) if of != *var);
            keys.iter().zip(source).any(is_other) && !keys.iter().any(|key| rules.mentions(key, &is_field))
        }
        ExprKind::Call(..) | ExprKind::Quant(..) | ExprKind::Fold(..) | ExprKind::Collect(..) => {
            !rules.mentions(expr, &is_field)
        }
        _ => {
            let mut is_silent = true;
            expr.each_part(&mut |part| {
                is_silent = is_silent && speaks_of_other_cells(rules, part, field, source);
            });
            is_silent
        }
    }
}

/// W0312: a move from an empty cell that changes no cell.
pub fn describe(text: &GameSource, game: &Game, found: &EmptyMove) -> Diagnostic {
    let EmptyMove { play, place, field } = found;
    let declared = &game.rules.fields[*field];
    let words = text.sources.slice(*place).trim_end().trim_end_matches(';');
    let name = &declared.name;
    let source =
        words.split_once("<-").or_else(|| words.split_once(":=")).map_or(name.as_str(), |(_, of)| of.trim());
    let title = format!("`{}` moves nothing: its cell of `{name}` is empty", call_form(&game.rules, play));
    let asked = match declared.ty.present() {
        Type::Sym(PLAYER) => format!("when {source} = me;"),
        _ => format!("when {source} != none;"),
    };
    let label = format!("no condition of the move asks for `{source}`");
    Diagnostic::new(Code::W0312, title, *place, label)
        .help(format!("write `{asked}`; if an empty cell may move, write `// allow(W0312): reason`"))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_move_from_an_empty_cell_is_noticed() {
        let told = |condition: &str| {
            let rest = format!(
                "board Cell = strip(5); state {{ at[c: Cell]: Player? = if c = a1 then A else if c = e1 then B else none; n: 0..4 \
                 = 0; }} def own(c: Cell, p: Player) = at[c] = p; move step(a: Cell, d: Dir) as \"{{a}}{{d}}\" {{ let b = a + d; \
                 when at[b] = none; {condition} at[b] <- at[a]; n += 1; }} end {{ when n = 4 => draw; when stuck => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0312).into_iter().next();
            found.map(|found| (found.title, found.help.unwrap_or_default())).unwrap_or_default()
        };
        let (title, help) = told("");
        assert!(title.ends_with("moves nothing: its cell of `at` is empty"), "{title}");
        assert!(help.starts_with("write `when at[a] = me;`"), "{help}");
        for condition in [
            "when at[a] = me;",
            "when own(a, me);",
            "when at[a] != none;",
            "when some c in Cell: at[c] = me;",
        ] {
            assert_eq!(told(condition).0, "", "{condition}");
        }
    }
}
