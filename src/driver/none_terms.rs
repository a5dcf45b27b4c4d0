//! The ways out for a term of an effect that is `none` (E0330): a condition of the move, a condition of the effect,
//! or a `let` above the stage that clears it.

use bouton_base::source::Span;
use bouton_rules::{Effect, Expr, ExprKind, Move, MoveId, Stmt, StmtKind, Type, Value};
use bouton_search::game::{Fault, Game, MoveInstance, State};

use super::faults::effects;
use super::later_stages;
use super::load::GameSource;
use super::repeated_effects;
use super::strong_guards;
use super::undefined_terms::Scope;

/// A term that is `none` in an effect of the move of a fault.
struct NoneTerm<'g> {
    id: MoveId,
    mv: &'g Move,
    args: &'g [Value],
    effect: &'g Effect,
    term: &'g Expr,
    words: String,
}

impl<'g> NoneTerm<'g> {
    /// The term at a place, if the effect of the fault itself has it.
    fn at(text: &GameSource, game: &'g Game, fault: &'g Fault, place: Span) -> Option<NoneTerm<'g>> {
        let MoveInstance::Move(id, args) = fault.play.as_deref()? else { return None };
        let mv = &game.rules.moves[*id];
        let (effect, _) = effects(&mv.body).into_iter().find(|(_, at)| *at == fault.span)?;
        let mut terms: Vec<&Expr> = effect.keys.iter().chain([&effect.value]).collect();
        let mut found = None;
        while let Some(term) = terms.pop() {
            if term.span == place && matches!(term.ty, Type::Option(_)) {
                found = Some(term);
            }
            term.each_part(&mut |part| terms.push(part));
        }
        let words = text.words(place);
        let is_short = place.is_placed() && !words.is_empty() && words.len() <= 40;
        found.filter(|_| is_short && !mv.chance).map(|term| NoneTerm {
            id: *id,
            mv,
            args,
            effect,
            term,
            words,
        })
    }
}

/// Returns the help with the condition of the move first, where other moves are legal with it.
pub(super) fn forbidden_first(
    text: &GameSource,
    game: &Game,
    state: &State,
    fault: &Fault,
    place: Span,
) -> Option<String> {
    let NoneTerm { id, mv, effect, term, words, .. } = NoneTerm::at(text, game, fault, place)?;
    // A condition of the move reads the position before the move, and not the names of a loop.
    if later_stages::stage_of(&mv.body, fault.span).is_some()
        || repeated_effects::speaks_of_inner_names(mv, effect)
    {
        return None;
    }
    let none = Expr::new(ExprKind::Const(Value::None), term.ty.clone(), place);
    let is_none = Expr::new(ExprKind::Equal(term.clone(), none), Type::Bool, place);
    let condition = Expr::new(ExprKind::Not(is_none), Type::Bool, place);
    let mut rules = (*game.rules).clone();
    let stmts = &mut rules.moves[id].body.stmts;
    let behind = stmts.iter().rposition(|stmt| matches!(stmt.kind, StmtKind::Let(..))).map_or(0, |at| at + 1);
    stmts.insert(behind, Stmt { kind: StmtKind::Require(condition), span: place });
    strong_guards::has_move(rules, game, state).then(|| {
        format!(
            "if the move is illegal here, require `when {words} != none;`; if it is legal and leaves only this effect \
             out, `if {words} != none {{ ... }}`; otherwise give the field a value before"
        )
    })
}

/// A term that had a value before the move, and that the stage above made `none`.
pub(super) struct Cleared {
    pub(super) label: String,
    pub(super) help: String,
}

/// Returns what the term at a place was before the move, if a later stage reads it when it is cleared.
pub(super) fn cleared(
    text: &GameSource,
    game: &Game,
    state: &State,
    fault: &Fault,
    place: Span,
) -> Option<Cleared> {
    let NoneTerm { mv, args, term, words, .. } = NoneTerm::at(text, game, fault, place)?;
    later_stages::stage_of(&mv.body, fault.span)?;
    let mut scope = Scope::of(game, state, mv, args);
    for stmt in &mv.body.stmts {
        if let StmtKind::Let(pattern, value) = &stmt.kind {
            scope.bind(pattern, value);
        }
    }
    let before = scope.value(term).filter(|value| *value != Value::None)?;
    let before = game.rules.show(&before);
    Some(Cleared {
        label: format!("this is `none` here: it was {before}, and the stage above cleared it"),
        help: format!(
            "read `{words}` before it is cleared: write `let x = {words};` above, and `x` here; or take this \
             effect out of `then {{ ... }}`, where it reads the position before the move"
        ),
    })
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn told(rest: &str) -> (String, String) {
        let found = findings_of_two(rest, Code::E0330).into_iter().next();
        found.map(|found| (found.labels[0].text.clone(), found.help.unwrap_or_default())).unwrap_or_default()
    }

    #[test]
    fn a_condition_comes_first_where_others_can_move() {
        let game = |last: usize| {
            told(&format!(
                "enum Pot {{ a, b, c }} const after[p: Pot]: Pot? = match p {{ a => b, b => c, c => none }}; state {{ n[p: Pot]: 0..5 \
                 = if p = c then {last} else 2; }} move roll(p: Pot) as \"{{p}}\" {{ let to = after[p]; when n[p] > 0; n[p] -= 1; \
                 n[to] += 1; }} play normal;"
            ))
        };
        let wanted = "if the move is illegal here, require `when to != none;`; if it is legal and leaves only this effect out, \
                      `if to != none { ... }`";
        for last in [0, 1] {
            let (_, help) = game(last);
            assert!(help.starts_with(wanted), "{help}");
        }
    }

    #[test]
    fn a_condition_that_forbids_the_only_move_comes_second() {
        let (_, help) = told(
            "state { used: set of 1..3 = {}; last: 1..3? = none; } move say(w: 1..3) as \"{w}\" { when w not in used; used |= \
             { last }; last := w; } end { when stuck => mover loses; }",
        );
        assert!(help.starts_with("if the first move leaves this out"), "{help}");
    }

    #[test]
    fn a_stage_that_clears_a_field_is_named() {
        let game = |before: &str, term: &str| {
            told(&format!(
                "phases {{ throw; walk; }} state {{ at[p: Player]: 0..5 = 0; pips: 1..3? = none; }} move die(k: 1..3) in throw as \
                 \"{{k}}\" {{ pips := k; continue walk; }} move go() in walk as \"go\" {{ {before} pips := none; then {{ at[me] := \
                 min(5, at[me] + {term}); }} }} end {{ for p in Player when at[p] = 5 => p wins; }}"
            ))
        };
        let (label, help) = game("", "pips");
        assert_eq!(label, "this is `none` here: it was 1, and the stage above cleared it");
        assert!(help.starts_with("read `pips` before it is cleared: write `let x = pips;` above"), "{help}");
        assert_eq!(game("let x = pips; when x != none;", "x"), Default::default());
    }
}
