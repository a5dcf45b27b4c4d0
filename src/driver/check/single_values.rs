//! Advice for players who never have a choice (W0541) where one value of a parameter alone is ever legal: the field that
//! its condition compares it with has one value in all positions.

use super::diagnostics::ExploredGame;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::{EffectOp, Expr, ExprKind, FieldId, Move, MoveId, StmtKind, Value, VarId};
use bouton_search::game::{Game, MoveInstance, State};
use bouton_syntax::diag::{Code, Diagnostic, Label};

use crate::faults::effects;

/// The maximal number of positions that are looked at.
const MAX_POSITIONS: u32 = 2_000;

/// Tells the condition that leaves one value only, and joins the findings about the players and about the field.
pub(super) fn explain(text: &GameSource, explored: ExploredGame<'_>, found: &mut Vec<Diagnostic>) {
    let ExploredGame { game, seen, .. } = explored;
    let is_open = |found: &Diagnostic| found.code == Code::W0541 && found.help.is_none();
    let open: Vec<usize> = (0..found.len()).filter(|at| is_open(&found[*at])).collect();
    let moves: Vec<(MoveId, &Move)> = game.rules.moves.entries().filter(|(_, mv)| !mv.chance).collect();
    let [(id, mv)] = moves[..] else { return };
    if open.len() != game.rules.players().len() || seen.visited > MAX_POSITIONS {
        return;
    }
    let states: Vec<State> = (0..seen.visited).map(|at| seen.arena.state(at)).collect();
    let Some(cause) = cause(game, &states, id, mv) else { return };
    let places: Vec<Label> = open.iter().skip(1).flat_map(|at| found[*at].labels.clone()).collect();
    let first = &mut found[open[0]];
    let name = &game.rules.fields[cause.field].name;
    let (param, value) = (&mv.vars[cause.param].name, game.rules.show(&cause.value));
    let words = text.words(cause.term);
    let told = format!("`{words}` is {value} in every position, so `{param}` = {value} alone is legal");
    first.labels.extend(places);
    first.labels.push(Label { span: cause.condition, text: told });
    let raised = match cause.is_lowered {
        true => "effects only lower it",
        false => "no effect raises it",
    };
    let lead = format!("`{name}` is {value} at first, and {raised}");
    first.help = Some(format!("{lead}: give it another first value, or an effect that raises it"));
    let field = game.rules.fields[cause.field].span;
    let others: Vec<Span> = open.iter().skip(1).map(|at| found[*at].span()).collect();
    found.retain(|found| {
        let is_joined = found.code == Code::W0541 && others.contains(&found.span());
        !(is_joined || found.code == Code::W0410 && found.span() == field)
    });
}

struct SingleValue {
    /// The condition `k <= f`.
    condition: Span,
    /// The side with the field.
    term: Span,
    field: FieldId,
    param: VarId,
    value: Value,
    is_lowered: bool,
}

/// The condition of a move of one parameter that only one value satisfies, and has in all positions.
fn cause(game: &Game, states: &[State], id: MoveId, mv: &Move) -> Option<SingleValue> {
    let [param] = &mv.params[..] else { return None };
    let value = only_value(game, states, id)?;
    if param.values.len() < 2 || param.values.first() != Some(&value) {
        return None;
    }
    let conditions = mv.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Require(condition) => Some(condition),
        _ => None,
    });
    let parts = conditions.flat_map(|condition| match &*condition.kind {
        ExprKind::And(parts) => &parts[..],
        _ => std::slice::from_ref(condition),
    });
    let is_param = |side: &Expr| matches!(*side.kind, ExprKind::Var(var) if var == param.var);
    parts.filter(|part| part.span.is_placed()).find_map(|part| {
        let ExprKind::LessEqual(low, high) = &*part.kind else { return None };
        let ExprKind::Field(field, _) = *high.kind else { return None };
        let of = &game.rules.fields[field];
        let is_it =
            |state: &State| game.machine.read_all(state, field, of.cells()).iter().all(|cell| *cell == value);
        let changes: Vec<EffectOp> = game
            .rules
            .moves
            .iter()
            .flat_map(|mv| effects(&mv.body))
            .filter(|(effect, _)| effect.field == field)
            .map(|(effect, _)| effect.op)
            .collect();
        let is_lowered = changes.contains(&EffectOp::Subtract);
        let is_never_raised = changes.iter().all(|op| *op == EffectOp::Subtract);
        let is_cause = is_param(low) && high.span.is_placed() && is_never_raised && states.iter().all(is_it);
        is_cause.then(|| SingleValue {
            condition: part.span,
            term: high.span,
            field,
            param: param.var,
            value: value.clone(),
            is_lowered,
        })
    })
}

/// The only value of the parameter of a move in all positions where it is legal.
fn only_value(game: &Game, states: &[State], id: MoveId) -> Option<Value> {
    fn collect(play: &MoveInstance, id: MoveId, found: &mut Vec<Value>) {
        match play {
            MoveInstance::Move(of, args) if *of == id => found.extend(args.iter().cloned()),
            MoveInstance::Joint(parts) => parts.iter().for_each(|(_, part)| collect(part, id, found)),
            _ => {}
        }
    }
    let mut found: Vec<Value> = Vec::new();
    for state in states {
        for successor in game.machine.successors(state).ok()? {
            collect(&successor.play, id, &mut found);
        }
        found.dedup();
        if found.len() > 1 {
            return None;
        }
    }
    found.pop()
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn a_condition_that_leaves_one_value_is_told_once() {
        let told = |power: &str| {
            let rest = format!(
                "phases {{ pull by each; }} state {{ power[p: Player]: 0..4 = {power}; used[p: Player]: 0..2 = 0; round: 0..3 = 0; \
                 }} move heave(k: 0..2) in pull as \"{{k}}\" {{ when k <= power[me]; power[me] -= k; used[me] := k; then {{ if me \
                 = A {{ round += 1; }} }} }} end {{ when round = 3 => payoff p: used[p] - used[other(p)]; }}"
            );
            findings_of_two(&rest, Code::W0541)
        };
        let found = told("0");
        assert_eq!(found.len(), 1, "{found:?}");
        let label = found[0].labels.last().map(|label| label.text.as_str());
        assert_eq!(label, Some("`power[me]` is 0 in every position, so `k` = 0 alone is legal"));
        let help = found[0].help.as_deref().unwrap_or_default();
        assert!(
            help.starts_with("`power` is 0 at first, and effects only lower it: give it another"),
            "{help}"
        );
        assert!(told("4").is_empty());
    }
}
