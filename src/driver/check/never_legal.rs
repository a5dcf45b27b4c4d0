//! The condition that keeps a move from being legal: W0531.
//!
//! The statements of the first stage of a move are taken one by one, with those above them: the first one that no
//! instance satisfies in any position is the one to look at. `me` is the mover there, so moves of simultaneous players,
//! and of phases of one player, are left out.

use super::late_rules::is_stuck;
use crate::load::GameSource;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_rules::{
    Actor, Binder, Def, Domain, Expr, ExprKind, FieldId, MOVER, Move, PHASE, PLAYER, Pattern, PhaseId, Quant,
    Rules, StmtKind, Type, Value,
};
use bouton_search::game::explore::Explored;
use bouton_search::game::{Game, State, ToMove};
use bouton_syntax::diag::{Diagnostic, Label};

/// The maximal number of positions that are looked at.
const MAX_POSITIONS: u32 = 2_000;
/// The maximal number of instances of a move in all of these positions.
const MAX_INSTANCES: usize = 200_000;

/// The statement that makes a move illegal everywhere.
pub struct NeverTrue {
    /// The place of the condition, or of the term that never has a value.
    pub span: Span,
    /// True for a term that never has a value.
    pub is_term: bool,
    /// True if it holds in none of these positions, whatever the rest of the move says.
    pub is_alone: bool,
    /// A field that it reads and that has one value in all of these positions and for all keys, with the value.
    pub constant: Option<(FieldId, Value)>,
    /// The place of a condition before it that never holds together with it, where each holds alone.
    pub excluder: Option<Span>,
}

/// Adds the condition that excludes the one which never holds, if there is one.
pub fn name_excluder(text: &GameSource, reason: &NeverTrue, diagnostic: &mut Diagnostic) {
    let is_here = |span: &Span| span.is_placed() && span.file == diagnostic.span().file;
    let Some(other) = reason.excluder.filter(is_here) else { return };
    if reason.is_term {
        let [term, condition] = [reason.span, other].map(|span| text.words(span));
        diagnostic
            .labels
            .push(Label { span: other, text: "true only where the other has no value".to_owned() });
        let help = format!(
            "`{term}` has no value wherever `{condition}` holds, so the move is illegal there: correct one of them"
        );
        diagnostic.help.get_or_insert(help);
        return;
    }
    diagnostic.labels.push(Label { span: other, text: "never true together with the other one".to_owned() });
    let [one, two] = [other, reason.span].map(|span| text.words(span));
    let both = match one.len().max(two.len()) > 60 || one == two {
        true => "these two conditions".to_owned(),
        false => format!("`{one}` and `{two}`"),
    };
    if reason.constant.is_none() {
        let help = format!("{both} never hold together here: correct one of them");
        diagnostic.help.get_or_insert(help);
    }
}

/// The first statement of a move that no instance satisfies together with those above it, in any of the explored
/// positions where the move is up; `None` if that is not known. The game runs on a machine
/// that stops at the limits of the exploration.
pub fn first_never_true(game: &Game, seen: &Explored, mv: &Move, limits: &Limits) -> Option<NeverTrue> {
    if seen.visited > MAX_POSITIONS {
        return None;
    }
    let positions = (0..seen.visited).map(|at| seen.arena.state(at)).collect();
    first_never_true_in(game, positions, mv, limits)
}

/// The same for these positions alone.
pub fn first_never_true_in(
    game: &Game,
    mut positions: Vec<State>,
    mv: &Move,
    limits: &Limits,
) -> Option<NeverTrue> {
    let opened = open_definitions(game, mv, limits);
    let (scope, mv) = opened.as_ref().map_or((game, mv), |(game, mv)| (game, mv));
    let steps = steps(&scope.rules, mv)?;
    let instances = mv.params.iter().map(|param| param.values.len()).try_fold(1, usize::checked_mul)?;
    if instances.checked_mul(positions.len())? > MAX_INSTANCES {
        return None;
    }
    positions.retain(|state| is_of_move(game, mv, state));
    if positions.is_empty() {
        return None;
    }
    if opened.is_some() {
        positions = positions.iter().map(|state| State(game.machine.packed_state(state))).collect();
    }
    let is_satisfied = |steps: &[Step]| -> Option<bool> {
        let condition = some_instance(mv, steps);
        for state in &positions {
            if scope.machine.eval(state, &condition).ok()? == Some(Value::Bool(true)) {
                return Some(true);
            }
        }
        Some(false)
    };
    for count in 1..=steps.len() {
        if is_satisfied(&steps[..count])? {
            continue;
        }
        let last = &steps[count - 1];
        let (span, is_term) = match last {
            Step::Condition(condition) => (condition.span, false),
            Step::Let(_, value) => (value.span, true),
        };
        let needs = |step: &Step| matches!(step, Step::Let(..));
        let is_alone =
            count == 1 || !steps[..count].iter().any(needs) && !is_satisfied(&steps[count - 1..count])?;
        if let Some(found) = undefined_name(&steps[..count], &is_satisfied).filter(|_| !is_alone) {
            return Some(found);
        }
        let term = match last {
            Step::Condition(term) | Step::Let(_, term) => term,
        };
        let constant = constant_field(scope, term, &positions);
        let excluder = match is_term || is_alone {
            true => None,
            false => excluder(&steps[..count], &is_satisfied),
        };
        return Some(NeverTrue { span, is_term, is_alone, constant, excluder });
    }
    None
}

/// The term of a `let` that has no value wherever the last condition holds, where that holds for some
/// instance.
fn undefined_name(steps: &[Step], is_satisfied: &dyn Fn(&[Step]) -> Option<bool>) -> Option<NeverTrue> {
    let (last, before) = steps.split_last()?;
    let Step::Condition(condition) = last else { return None };
    if is_satisfied(std::slice::from_ref(last)) != Some(true) {
        return None;
    }
    let mut names: Vec<Step> = Vec::new();
    for step in before {
        let Step::Let(_, value) = step else { continue };
        names.push(step.clone());
        if is_satisfied(&[&names[..], std::slice::from_ref(last)].concat()) == Some(false) {
            let (span, excluder) = (value.span, Some(condition.span));
            return Some(NeverTrue { span, is_term: true, is_alone: false, constant: None, excluder });
        }
    }
    None
}

/// The first condition that the last one never holds together with, where the last one holds for some instance without
/// the others.
fn excluder(steps: &[Step], is_satisfied: &dyn Fn(&[Step]) -> Option<bool>) -> Option<Span> {
    let (last, before) = steps.split_last()?;
    let names: Vec<Step> = before.iter().filter(|step| matches!(step, Step::Let(..))).cloned().collect();
    let alone = [&names[..], std::slice::from_ref(last)].concat();
    if !is_satisfied(&alone)? {
        return None;
    }
    for (place, step) in before.iter().enumerate() {
        let Step::Condition(condition) = step else { continue };
        let is_kept = |(at, step): &(usize, &Step)| *at == place || matches!(step, Step::Let(..));
        let mut both: Vec<Step> =
            before.iter().enumerate().filter(is_kept).map(|(_, step)| step.clone()).collect();
        both.push(last.clone());
        if !is_satisfied(&both)? {
            return Some(condition.span);
        }
    }
    None
}

/// The first field that a term reads and that has one value in all positions and for all keys.
fn constant_field(game: &Game, term: &Expr, positions: &[State]) -> Option<(FieldId, Value)> {
    let is_read =
        |id: FieldId| game.rules.mentions(term, &|kind| matches!(kind, ExprKind::Field(of, _) if *of == id));
    let mut fields = game.rules.fields.entries().filter(|(id, _)| *id > PHASE);
    fields.find_map(|(id, field)| {
        let mut values = positions.iter().flat_map(|state| game.machine.read_all(state, id, field.cells()));
        let first = values.next()?;
        (is_read(id) && values.all(|value| value == first)).then_some((id, first))
    })
}

/// The move with the parts of the definitions in its place that its conditions consist of and that join formulas by
/// `and`, in a game where each part is a definition; `None` if there are none.
fn open_definitions(game: &Game, mv: &Move, limits: &Limits) -> Option<(Game, Move)> {
    let mut rules = (*game.rules).clone();
    let mut mv = mv.clone();
    let mut is_opened = false;
    for stmt in &mut mv.body.stmts {
        let StmtKind::Require(condition) = &mut stmt.kind else { continue };
        let parts = match &*condition.kind {
            ExprKind::And(parts) => parts.clone(),
            _ => vec![condition.clone()],
        };
        let mut all = Vec::new();
        for part in parts {
            match parts_of_call(&game.rules, &part) {
                Some((def, args, inner)) => {
                    is_opened = true;
                    for body in inner {
                        let span = body.span;
                        let id = rules.defs.push(Def { body, ..def.clone() });
                        all.push(Expr::new(ExprKind::Call(id, args.clone()), Type::Bool, span));
                    }
                }
                None => all.push(part),
            }
        }
        *condition.kind = ExprKind::And(all);
    }
    is_opened.then(|| (Game::on_reference(rules).with_limits(limits), mv))
}

/// The definition that a formula calls, its arguments, and the formulas that it joins by `and`.
fn parts_of_call(rules: &Rules, formula: &Expr) -> Option<(Def, Vec<Expr>, Vec<Expr>)> {
    let ExprKind::Call(id, args) = &*formula.kind else { return None };
    let def = &rules.defs[*id];
    match &*def.body.kind {
        ExprKind::And(parts) if def.group.is_none() && parts.iter().all(|part| part.span.is_placed()) => {
            Some((def.clone(), args.clone(), parts.clone()))
        }
        _ => None,
    }
}

/// A statement of the first stage that can make a move illegal.
#[derive(Clone)]
enum Step {
    Condition(Expr),
    Let(Pattern, Expr),
}

/// The statements of the first stage of a move, each part of a conjunction by itself, with the mover in place of `me`;
/// `None` if they cannot be evaluated outside the move.
fn steps(rules: &Rules, mv: &Move) -> Option<Vec<Step>> {
    let is_of_mover = |phase: &PhaseId| matches!(rules.phases[*phase].actor, Actor::Mover);
    if mv.chance || mv.by.is_some() || !mv.phases.iter().all(is_of_mover) {
        return None;
    }
    let mut steps = Vec::new();
    for stmt in &mv.body.stmts {
        match &stmt.kind {
            StmtKind::Require(condition) => match &*condition.kind {
                ExprKind::And(parts) => {
                    for part in parts {
                        steps.push(Step::Condition(without_me(rules, part)?));
                    }
                }
                _ => steps.push(Step::Condition(without_me(rules, condition)?)),
            },
            StmtKind::Let(pattern, value) => {
                steps.push(Step::Let(pattern.clone(), without_me(rules, value)?));
            }
            _ => {}
        }
    }
    Some(steps)
}

/// The expression with the mover in place of `me`; `None` if a definition in it speaks of `me`, or if it asks for legal
/// moves.
fn without_me(rules: &Rules, expr: &Expr) -> Option<Expr> {
    fn replace(expr: &mut Expr) {
        if matches!(*expr.kind, ExprKind::Me) {
            *expr = Expr::new(ExprKind::Field(MOVER, Vec::new()), Type::Sym(PLAYER), expr.span);
        }
        expr.each_part_mut(&mut replace);
    }
    let is_of_move = |kind: &ExprKind| match kind {
        ExprKind::Call(def, _) => rules.defs[*def].uses_me,
        ExprKind::Stuck | ExprKind::StuckPlayer(_) => true,
        _ => false,
    };
    if rules.mentions(expr, &is_of_move) {
        return None;
    }
    let mut expr = expr.clone();
    replace(&mut expr);
    Some(expr)
}

/// Returns true for a position in which a player moves, in a phase of the move, or that is over for want of a move.
fn is_of_move(game: &Game, mv: &Move, state: &State) -> bool {
    let is_played = match game.machine.turn(state) {
        Ok(ToMove::Player(_)) => true,
        Ok(ToMove::Terminal(outcome)) => {
            let rule = game.rules.ends.get(outcome.rule);
            rule.is_some_and(|rule| game.rules.mentions(&rule.condition, &is_stuck))
        }
        _ => false,
    };
    is_played
        && match game.machine.read(state, PHASE, 0) {
            Value::Int(phase) => mv.phases.is_empty() || mv.phases.contains(&PhaseId(phase as u32)),
            _ => false,
        }
}

/// The formula that some instance of a move satisfies these statements.
fn some_instance(mv: &Move, steps: &[Step]) -> Expr {
    let span = mv.span;
    let make = |kind| Expr::new(kind, Type::Bool, span);
    let mut body = make(ExprKind::Const(Value::Bool(true)));
    for step in steps.iter().rev() {
        body = match step {
            Step::Condition(condition) => make(ExprKind::And(vec![condition.clone(), body])),
            Step::Let(pattern, value) => body.with(pattern.clone(), value.clone()),
        };
    }
    let binders: Vec<Binder> = mv
        .params
        .iter()
        .map(|param| Binder {
            pattern: Pattern::Var(param.var),
            domain: Domain::Fixed(param.values.clone()),
            condition: None,
        })
        .collect();
    if binders.is_empty() { body } else { make(ExprKind::Quant(Quant::Some, binders, body)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::findings_of_two;
    use bouton_base::limits::NoProgress;
    use bouton_search::game::explore::{VisitedPosition, Visitor, explore};
    use bouton_syntax::diag::Code;
    use std::ops::ControlFlow;

    #[test]
    fn two_conditions_that_exclude_each_other_are_told() {
        let of = |first: &str| {
            let rest = format!(
                "state {{ n[p: Player]: 0..9 = 0; left: 0..5 = 5; }} move add(k: 1..2) as \"add {{k}}\" {{ n[me] += k; left -= 1; }} move hand(to: Player) as \"to {{to}}\" {{ when {first} and n[me] > \
                 n[to] + 1 and left > 0; n[me] -= 1; n[to] += 1; left -= 1; }} end {{ when left = 0 => draw; when stuck => \
                 draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0531).into_iter().next();
            found.map(|found| (found.labels.last().map(|label| label.text.clone()), found.help))
        };
        let (label, help) = of("to = me").unwrap_or_default();
        assert_eq!(label.as_deref(), Some("never true together with the other one"));
        let wanted = "`to = me` and `n[me] > n[to] + 1` never hold together here: correct one of them";
        assert_eq!(help.as_deref(), Some(wanted));
        assert!(of("to != me").is_none());
    }

    struct Nothing;

    impl Visitor for Nothing {
        fn visit(&mut self, _: &VisitedPosition<'_>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    /// The words of the first statement of the second move that never holds, and a mark of its kind.
    fn first(conditions: &str) -> Option<(String, bool, bool)> {
        first_of("", conditions)
    }

    /// The same with a definition.
    fn first_of(definition: &str, conditions: &str) -> Option<(String, bool, bool)> {
        let source = format!(
            "game \"Rows\";\nplayers A, B;\nboard Cell = grid(2, 2);\nstate {{ at[c: Cell]: Player? = none; }}\n\
             {definition}move put(c: Cell) {{ when at[c] = none; at[c] := me; }}\n\
             move go(c: Cell) {{ {conditions} at[c] := none; }}\nplay normal;\n"
        );
        let mut text = GameSource::from_string("game.bou", &source);
        let game = text.game(None).unwrap_or_else(|e| panic!("{e:?}"));
        let limits = Limits::default();
        let seen = explore(&game, &[game.machine.initial()], &limits, &NoProgress, &mut Nothing);
        let reason = first_never_true(&game, &seen, game.rules.moves.iter().nth(1)?, &limits)?;
        Some((text.sources.slice(reason.span).to_owned(), reason.is_term, reason.is_alone))
    }

    #[test]
    fn the_first_condition_that_fails_everywhere_is_found() {
        let words = |found: &str, is_term, is_alone| Some((found.to_owned(), is_term, is_alone));
        let alone = first("when at[c] = me and #Cell > 9 + c.row;");
        assert_eq!(alone, words("#Cell > 9 + c.row", false, true));
        let defined = first_of("def odd(c: Cell) = c.row = 1 and at[c] != at[c];\n", "when odd(c);");
        assert_eq!(defined, words("at[c] != at[c]", false, true));
        let beside = first("when at[c] = me; when at[c] = opponent;");
        assert_eq!(beside, words("at[c] = opponent", false, false));
        let term = first("when c.row = 2; let to = c + N; when at[to] = me;");
        assert_eq!(term, words("c + N", true, false));
        assert_eq!(first("when at[c] = me;"), None, "this one is legal somewhere");
    }

    #[test]
    fn a_step_that_leads_off_the_board_for_each_piece_is_told() {
        let of = |ahead: &str| {
            let rest = format!(
                "board River = grid(3, 3); const ahead[p: Player]: Dir = match p {{ A => {ahead}, B => N }}; state {{ on[c: River]: \
                 Player? = if c.row = 1 then A else none; }} move go(c: River) as \"{{c}}\" {{ let to = c + ahead[me]; when \
                 on[c] = me and on[to] = none; on[to] <- on[c]; }} end {{ when stuck => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::W0531).into_iter().next();
            found.map(|found| {
                (found.labels.into_iter().map(|label| label.text).collect::<Vec<_>>(), found.help)
            })
        };
        let (labels, help) = of("S").unwrap_or_default();
        assert!(labels.contains(&"never has a value where the other one holds".to_owned()), "{labels:?}");
        let help = help.unwrap_or_default();
        assert!(help.starts_with("`c + ahead[me]` has no value wherever `on[c] = me` holds"), "{help}");
        assert_eq!(of("N"), None);
    }

    #[test]
    fn a_field_that_the_move_alone_changes_is_told_so() {
        let help = |more: &str| {
            let rest = format!(
                "state {{ lo: 1..4 = 1; hi: 0..3 = 3; }} move front() as \"f\" {{ when lo <= 3; lo += 1; {more} }} move back() as \
                 \"b\" {{ when hi = 2; hi -= 1; }} end {{ when lo > 3 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::W0531).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("");
        assert!(told.contains("since no other move changes it, and this one is never legal"), "{told}");
        assert!(
            help("hi := 3;").contains("look for the effect that should change it"),
            "{}",
            help("hi := 3;")
        );
    }
}
