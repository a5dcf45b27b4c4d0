//! Causes of a number that leaves its range (E0503) beside the effect on it: a move that asks for a number and leaves it
//! alone, `when bag[l] > 0;` without `bag[l] -= 1;`; an effect that another move with the same condition has; two effects
//! on one cell; a bound that an invariant allows.

use super::fault_advice::FaultCause;
use crate::faults::effects;
use crate::load::GameSource;
use crate::undefined_terms::Scope;
use bouton_rules::{EffectOp, Expr, ExprKind, FieldId, Move, Rules, StmtKind, Type, Value};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance, State};

/// A number that an effect brings out of the range of its field.
struct OutOfRange<'r> {
    rules: &'r Rules,
    field: FieldId,
    /// The move with the effect.
    mv: &'r Move,
    op: EffectOp,
    value: i64,
    low: i64,
    high: i64,
}

impl<'r> OutOfRange<'r> {
    fn of(game: &'r Game, fault: &Fault) -> Option<OutOfRange<'r>> {
        let FaultKind::OutOfRange { value: Value::Int(value), .. } = fault.kind else { return None };
        let play = match fault.play.as_deref()? {
            MoveInstance::Joint(parts) => &parts.first()?.1,
            play => play,
        };
        let MoveInstance::Move(id, _) = play else { return None };
        let mv = &game.rules.moves[*id];
        let (effect, _) = effects(&mv.body).into_iter().find(|(_, place)| *place == fault.span)?;
        let Type::Int(low, high) = game.rules.fields[effect.field].ty else { return None };
        Some(OutOfRange { rules: &game.rules, field: effect.field, mv, op: effect.op, value, low, high })
    }

    fn is_field(&self, term: &Expr) -> bool {
        matches!(&*term.kind, ExprKind::Field(of, _) if *of == self.field)
    }

    /// Returns true for a condition that fails at the bound opposite to the one that is left: `bag[l] > 0`.
    fn asks_for_some(&self, condition: &Expr) -> bool {
        let number = |term: &Expr| term.constant().and_then(Value::as_int);
        let is_up = self.value > self.high;
        match &*condition.kind {
            ExprKind::Less(a, b) if is_up => self.is_field(b) && number(a) == Some(self.low),
            ExprKind::Less(a, b) => self.is_field(a) && number(b) == Some(self.high),
            ExprKind::LessEqual(a, b) if is_up => self.is_field(b) && number(a) == Some(self.low + 1),
            ExprKind::LessEqual(a, b) => self.is_field(a) && number(b) == Some(self.high - 1),
            _ => false,
        }
    }
}

/// Returns a move that asks for a number of the field and never changes it, where all effects on it go the other way.
pub(super) fn cause(text: &GameSource, game: &Game, fault: &Fault) -> Option<FaultCause> {
    let of = OutOfRange::of(game, fault)?;
    let changes = |mv: &Move| effects(&mv.body).iter().any(|(effect, _)| effect.field == of.field);
    let is_back = |op: EffectOp| op != of.op;
    let goes_back = |mv: &Move| {
        effects(&mv.body).iter().any(|(effect, _)| effect.field == of.field && is_back(effect.op))
    };
    if !matches!(of.op, EffectOp::Add | EffectOp::Subtract) || of.rules.moves.iter().any(goes_back) {
        return None;
    }
    let condition_of = |mv: &'_ Move| {
        mv.body.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Require(all) => match &*all.kind {
                ExprKind::And(parts) => {
                    parts.iter().find(|part| of.asks_for_some(part)).map(|part| part.span)
                }
                _ => of.asks_for_some(all).then_some(all.span),
            },
            _ => None,
        })
    };
    let others = of.rules.moves.iter().filter(|mv| mv.span != of.mv.span && !changes(mv));
    let (mv, asked) = others.into_iter().find_map(|mv| Some((mv, condition_of(mv)?)))?;
    let words = text.words(asked);
    let name = &of.rules.fields[of.field].name;
    let cell = words.split(['<', '>', '=']).map(str::trim).find(|side| side.starts_with(name.as_str()))?;
    let (op, taken) =
        if of.op == EffectOp::Add { ("-=", "takes nothing away") } else { ("+=", "adds nothing") };
    Some(FaultCause {
        span: asked,
        label: format!("`{}` asks for this, and {taken}", mv.name),
        help: format!(
            "no move has an effect `{cell} {op} ...`: if `{}` is to have one, write `{cell} {op} 1;` there",
            mv.name
        ),
        is_first_help: true,
    })
}

/// Returns the condition of the move of a fault that another move has as well and makes false by an effect, where this move
/// leaves what it reads alone: `when full[i]`, with `full[i] := false;` in the other move only.
pub(super) fn lasting_condition(text: &GameSource, game: &Game, fault: &Fault) -> Option<FaultCause> {
    let of = OutOfRange::of(game, fault)?;
    let rules = of.rules;
    let conditions = |mv: &'_ Move| -> Vec<Expr> {
        let parts = mv.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Require(all) => Some(match &*all.kind {
                ExprKind::And(parts) => parts.clone(),
                _ => vec![all.clone()],
            }),
            _ => None,
        });
        parts.flatten().filter(|part| part.span.is_placed()).collect()
    };
    let own = effects(&of.mv.body);
    conditions(of.mv).into_iter().find_map(|condition| {
        let words = text.words(condition.span);
        let is_read = |field: FieldId| {
            field != of.field
                && rules.mentions(&condition, &|kind| matches!(kind, ExprKind::Field(read, _) if *read == field))
        };
        if own.iter().any(|(effect, _)| is_read(effect.field)) {
            return None;
        }
        let others = rules.moves.iter().filter(|other| !other.chance && other.span != of.mv.span);
        let same = others.filter(|other| conditions(other).iter().any(|part| text.words(part.span) == words));
        same.into_iter().find_map(|other| {
            let all = effects(&other.body);
            let (_, place) = all.into_iter().find(|(effect, place)| is_read(effect.field) && place.is_placed())?;
            let change = text.words(place);
            let change = change.trim_end_matches(';');
            Some(FaultCause {
                span: condition.span,
                label: format!("stays true after `{}`", of.mv.name),
                help: format!(
                    "`{}` asks for the same and makes it false, by `{change};`: if `{}` is to do so as well, write it there",
                    other.name, of.mv.name
                ),
                is_first_help: true,
            })
        })
    })
}

/// Returns the other effect of a move on the cell of a fault, where the keys are written apart: `gold[me]` and `gold[p]`.
pub(super) fn twice_in_one_cell(
    text: &GameSource,
    game: &Game,
    fault: &Fault,
    state: &State,
) -> Option<FaultCause> {
    let of = OutOfRange::of(game, fault)?;
    let MoveInstance::Move(_, args) = fault.play.as_deref()? else { return None };
    let all = effects(&of.mv.body);
    let (effect, _) = all.iter().find(|(_, place)| *place == fault.span)?;
    let scope = Scope::of(game, state, of.mv, args);
    let keys_of = |keys: &[Expr]| keys.iter().map(|key| scope.value(key)).collect::<Option<Vec<Value>>>();
    let here = keys_of(&effect.keys).filter(|keys| !keys.is_empty())?;
    let (other, place) = all.iter().find(|(other, place)| {
        *place != fault.span
            && other.field == of.field
            && other.op == effect.op
            && place.is_placed()
            && keys_of(&other.keys).as_ref() == Some(&here)
    })?;
    let apart: Vec<(&Expr, &Expr)> = effect
        .keys
        .iter()
        .zip(&other.keys)
        .filter(|(one, two)| one.span.is_placed() && text.words(one.span) != text.words(two.span))
        .collect();
    let [(one, two)] = apart[..] else { return None };
    let (one, two) = (text.words(one.span), text.words(two.span));
    let condition = if one == "me" { format!("{two} != me") } else { format!("{one} != {two}") };
    Some(FaultCause {
        span: *place,
        label: "on the same cell here".to_owned(),
        help: format!(
            "both effects are on one cell where `{one}` is `{two}`: if that is no such move, write `when {condition};`"
        ),
        is_first_help: true,
    })
}

/// Returns the invariant that allows a number beyond the bound of the field.
pub(super) fn allowed_by_invariant(text: &GameSource, game: &Game, fault: &Fault) -> Option<FaultCause> {
    let of = OutOfRange::of(game, fault)?;
    let bound_in = |condition: &Expr| -> Option<i64> {
        let ExprKind::LessEqual(a, b) = &*condition.kind else { return None };
        let number = |term: &Expr| term.constant().and_then(Value::as_int);
        if of.value > of.high {
            number(b).filter(|bound| of.is_field(a) && *bound >= of.value)
        } else {
            number(a).filter(|bound| of.is_field(b) && *bound <= of.value)
        }
    };
    let (invariant, bound) =
        of.rules.invariants.iter().find_map(|invariant| Some((invariant, bound_in(&invariant.value)?)))?;
    let name = &of.rules.fields[of.field].name;
    let words = text.words(invariant.value.span);
    let (low, high) = (of.low.min(bound), of.high.max(bound));
    Some(FaultCause {
        span: invariant.value.span,
        label: format!("allows {bound}"),
        help: format!(
            "the invariant `{words}` allows more than the range of `{name}`: widen it to {low}..{high}"
        ),
        is_first_help: true,
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn help(rest: &str) -> String {
        let found = findings_of_two(rest, Code::E0503).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn a_move_that_takes_nothing_of_what_it_asks_for_is_told() {
        let game = |lay: &str| {
            help(&format!(
                "state {{ bag: 0..2 = 2; on: 0..2 = 0; n: 0..6 = 0; }} move lay() as \"lay\" {{ when bag > 0; on := min(2, on + 1); \
                 n += 1; {lay} }} move lift() as \"lift\" {{ when on > 0; bag += 1; on -= 1; n += 1; }} end {{ when n = 6 => \
                 mover loses; when stuck => draw; }}"
            ))
        };
        let wanted = "no move has an effect `bag -= ...`: if `lay` is to have one, write `bag -= 1;` there; ";
        assert!(game("").starts_with(wanted), "{}", game(""));
        assert_eq!(game("bag -= 1;"), "");
    }

    #[test]
    fn a_condition_that_another_move_ends_is_told() {
        let game = |carry: &str| {
            help(&format!(
                "state {{ full[i: 1..3]: bool = true; got[p: Player]: 0..3 = 0; }} move carry(i: 1..3) as \"{{i}}\" {{ when \
                 full[i]; got[me] += 1; {carry} }} move smash(i: 1..3) as \"x{{i}}\" {{ when full[i]; full[i] := false; }} end {{ \
                 when no i in 1..3: full[i] => highest got; }}"
            ))
        };
        let wanted = "`smash` asks for the same and makes it false, by `full[i] := false;`: if `carry` is to do so as well";
        assert!(game("").starts_with(wanted), "{}", game(""));
        assert_eq!(game("full[i] := false;"), "");
    }

    #[test]
    fn two_effects_on_one_cell_are_told() {
        let game = |guard: &str| {
            help(&format!(
                "state {{ gold[p: Player]: 0..3 = 3; }} move fine(p: Player) as \"{{p}}\" {{ when gold[me] > 0 and gold[p] > 0; \
                 {guard} gold[me] -= 1; gold[p] -= 1; }} pass when stuck; end {{ when some p in Player: gold[p] = 0 => p_wins wins; \
                 repeat => draw; }} def p_wins = if gold[A] = 0 then B else A;"
            ))
        };
        let wanted =
            "both effects are on one cell where `p` is `me`: if that is no such move, write `when p != me;`";
        assert!(game("").starts_with(wanted), "{}", game(""));
        assert_eq!(game("when p != me;"), "");
    }

    #[test]
    fn an_invariant_that_allows_more_is_told() {
        let game = |invariant: &str| {
            help(&format!(
                "const most = 5; state {{ n: 0..most = 0; over: bool = false; }} move add(k: 1..3) as \"{{k}}\" {{ n += k; over := n \
                 + k >= most; }} end {{ when over => mover loses; }} {invariant}"
            ))
        };
        let told = game("invariant n <= most + 2;");
        assert!(
            told.starts_with(
                "the invariant `n <= most + 2` allows more than the range of `n`: widen it to 0..7; "
            ),
            "{told}"
        );
        assert!(!game("invariant n <= most;").contains("allows more"));
    }
}
