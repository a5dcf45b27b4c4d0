//! Cells that the moves of a loop set although they are taken already, as a likely cause of play that never ends.

use super::endless_advice::{LoopCause, LoopStep};
use crate::faults::effects;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{
    BoardFn, Effect, EffectOp, Expr, ExprKind, Field, FieldId, Fold, Move, PHASE, Pattern, StmtKind, Value,
    VarId,
};
use bouton_search::game::{Game, MoveInstance, State};

use super::dead_rules::statement_mentions;

/// A step of a loop with the position after it.
pub struct LoopStepTo<'a> {
    pub step: LoopStep<'a>,
    pub next: &'a State,
}

/// Returns the effect of a loop that sets a cell which is taken, if each step of the loop changes nothing else.
pub fn cause(text: &GameSource, game: &Game, steps: &[LoopStepTo<'_>]) -> Option<LoopCause> {
    let mut found = None;
    for LoopStepTo { step, next } in steps {
        let MoveInstance::Move(id, _) = step.play else { return None };
        let mv = &game.rules.moves[*id];
        let (effect, place) = overwriting_effect(game, mv, step.state, next)?;
        found = found.or(Some((mv, effect, place)));
    }
    let (mv, effect, place) = found.filter(|(.., place)| place.is_placed())?;
    // An effect on the number that counts the cells is likely to be missing.
    let is_set = |id: FieldId| {
        game.rules.moves.iter().any(|of| effects(&of.body).iter().any(|(other, _)| other.field == id))
    };
    let is_constant = |kind: &ExprKind| matches!(kind, ExprKind::Field(id, _) if *id > PHASE && !is_set(*id));
    if effect.keys.iter().any(|key| game.rules.mentions(key, &is_constant)) {
        return None;
    }
    let (target, _) = text.sources.slice(place).split_once(":=")?;
    let target = target.trim();
    if let Some(swapped) = row_for_column(text, mv, effect) {
        return Some(swapped);
    }
    let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == effect.field);
    let asks = |stmt: &StmtKind| {
        matches!(stmt, StmtKind::Require(_) | StmtKind::Let(..))
            && statement_mentions(&game.rules, stmt, &is_field)
    };
    let of = &mv.name;
    Some(LoopCause {
        span: place,
        label: "taken already",
        help: match mv.body.any(&asks) {
            true => format!(
                "`{of}` sets `{target}`, which is taken already: its conditions ask about another place than the effect \
                 sets, so correct one of the two"
            ),
            false => format!(
                "`{of}` sets `{target}`, which is taken already: if that is illegal, write `when {target} = none;`"
            ),
        },
    })
}

/// The effect of a move on a field whose cells begin empty, if the step replaces one value in it by another
/// and changes nothing else that has keys. No other effect of the move may be on that field.
fn overwriting_effect<'g>(
    game: &'g Game,
    mv: &'g Move,
    state: &State,
    next: &State,
) -> Option<(&'g Effect, Span)> {
    let all = effects(&mv.body);
    let begins_empty = |field: &Field| field.init.contains(&Value::None);
    let puts = |effect: &Effect| {
        let is_set = effect.op == EffectOp::Set && !effect.keys.is_empty();
        is_set && begins_empty(&game.rules.fields[effect.field])
    };
    // Beside others it is one that every instance of the move makes.
    let is_made = |place: Span| all.len() == 1 || mv.body.stmts.iter().any(|stmt| stmt.span == place);
    let (effect, place) = all.iter().copied().find(|(effect, place)| puts(effect) && is_made(*place))?;
    if all.iter().any(|(other, at)| other.field == effect.field && *at != place) {
        return None;
    }
    let cells = |of: &State, id: FieldId, field: &Field| game.machine.read_all(of, id, field.cells());
    let is_kept = |(id, field): (FieldId, &Field)| {
        let is_other = id > PHASE && id != effect.field && !field.keys.is_empty();
        !is_other || cells(state, id, field) == cells(next, id, field)
    };
    let field = &game.rules.fields[effect.field];
    let pairs = cells(state, effect.field, field).into_iter().zip(cells(next, effect.field, field));
    let mut changes = pairs.filter(|(before, after)| before != after);
    let is_replaced = |(before, after): (Value, Value)| before != Value::None && after != Value::None;
    let is_one = changes.next().is_some_and(is_replaced) && changes.next().is_none();
    (is_one && game.rules.fields.entries().all(is_kept)).then_some((effect, place))
}

/// The key `Cell(r, x)` of an effect in which `r` is a row and `x` is none: the column comes first.
fn row_for_column(text: &GameSource, mv: &Move, effect: &Effect) -> Option<LoopCause> {
    let [key] = &effect.keys[..] else { return None };
    let ExprKind::Board(BoardFn::At, _, numbers) = &*key.kind else { return None };
    let [column, row] = &numbers[..] else { return None };
    let words = |of: &Expr| text.words(of.span);
    let (first, second, whole) = (words(column), words(row), words(key));
    let is_swapped = is_part(mv, column, BoardFn::Row) && !is_part(mv, row, BoardFn::Row);
    let board = whole.split('(').next()?.to_owned();
    (is_swapped && whole == format!("{board}({first}, {second})")).then(|| LoopCause {
        span: column.span,
        label: "a row, where the column stands",
        help: format!(
            "`{board}` takes the column first, and `{first}` is a row: write `{board}({second}, {first})`"
        ),
    })
}

/// Returns true if a term is a column or a row of a cell, the least or the greatest of some, or a name of such a term.
fn is_part(mv: &Move, term: &Expr, part: BoardFn) -> bool {
    match &*term.kind {
        ExprKind::Board(of, ..) => *of == part,
        ExprKind::Fold(Fold::Min | Fold::Max, _, body) => is_part(mv, body, part),
        ExprKind::Present(inner) => is_part(mv, inner, part),
        ExprKind::Var(var) => value_of(mv, *var).is_some_and(|value| is_part(mv, value, part)),
        _ => false,
    }
}

/// The term that a name of a move stands for.
fn value_of(mv: &Move, var: VarId) -> Option<&Expr> {
    mv.body.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Let(Pattern::Var(of), value) if *of == var => Some(value),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn help(rest: &str) -> String {
        let found = findings_of_two(rest, Code::E0505).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn a_cell_that_is_taken_already_is_named() {
        let game = |condition: &str| {
            help(&format!(
                "board Cell = strip(3); state {{ at[c: Cell]: Player? = none; }} move mark(c: Cell) as \"{{c}}\" {{ {condition} \
                 at[c] := me; }} end {{ when all c in Cell: at[c] = A => A wins; when stuck => draw; }}"
            ))
        };
        let told = game("");
        assert!(
            told.starts_with(
                "`mark` sets `at[c]`, which is taken already: if that is illegal, write `when at[c] ="
            ),
            "{told}"
        );
        let told = game("when some d in Cell: at[d] != me;");
        assert!(told.contains("its conditions ask about another place than the effect"), "{told}");
        assert!(game("when at[c] = none;").is_empty());
    }

    #[test]
    fn a_cell_that_is_taken_already_is_named_beside_other_effects() {
        let game = |condition: &str| {
            help(&format!(
                "board Cell = grid(2, 2); state {{ at[c: Cell]: Player? = none; got[p: Player]: 0..9 = 0; }} def bonus(c: Cell) = \
                 count x in c.neighbors: at[x] = none and at[c] = none and c = b2; move put(c: Cell) as \"{{c}}\" {{ {condition} \
                 at[c] := me; got[me] += bonus(c); }} end {{ for p in Player when got[p] >= 2 => p wins; when all c in Cell: \
                 at[c] != none => highest got; }}"
            ))
        };
        let told = game("");
        let wanted =
            "`put` sets `at[c]`, which is taken already: if that is illegal, write `when at[c] = none;`";
        assert!(told.starts_with(wanted), "{told}");
        assert!(game("when at[c] = none;").is_empty());
    }

    #[test]
    fn a_row_in_the_place_of_a_column_is_named() {
        let game = |cell: &str| {
            help(&format!(
                "board Cell = grid(3, 3); state {{ at[c: Cell]: Player? = none; }} move drop(x: 1..3) as \"{{x}}\" {{ let target \
                 = min c in Cell where c.col = x and at[c] = none: c.row; at[{cell}] := me; }} end {{ when stuck => draw; }}"
            ))
        };
        let told = game("Cell(target, x)");
        assert!(
            told.starts_with("`Cell` takes the column first, and `target` is a row: write `Cell(x, target)`"),
            "{told}"
        );
        assert!(game("Cell(x, target)").is_empty());
    }
}
