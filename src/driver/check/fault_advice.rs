//! Likely mistakes behind a number that leaves its range (E0503): a phase that falls back because a move has no
//! `continue`, and an end asked by `=` that play passes over.

use super::earlier_moves;
use super::missing_takes;
use super::terms_below::TermsBelow;
use super::turn_advice;
use crate::faults::effects;
use crate::load::GameSource;
use crate::out_of_range::{assigned_term, bound_in_words};
use crate::tried_guards::{self, WeakGuard};
use bouton_base::source::Span;
use bouton_rules::{
    Arith, Block, EffectOp, Expr, ExprKind, FieldId, Move, PhaseId, Rules, Stmt, StmtKind, Type, Value,
};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance, State};

/// A place that is likely to be the cause of a fault, with a label and the help.
pub struct FaultCause {
    pub span: Span,
    pub label: String,
    pub help: String,
    /// True if the ways out that hold for every such fault follow the help.
    pub is_first_help: bool,
}

/// Returns the likely cause of the fault that a play leads to.
pub fn cause(
    text: &GameSource,
    game: &Game,
    fault: &Fault,
    line: &[MoveInstance],
    state: &State,
) -> Option<FaultCause> {
    let FaultKind::OutOfRange { value: Value::Int(value), .. } = fault.kind else { return None };
    fallen_back(text, &game.rules, fault, line)
        .or_else(|| missing_takes::twice_in_one_cell(text, game, fault, state))
        .or_else(|| missing_takes::cause(text, game, fault))
        .or_else(|| missing_takes::lasting_condition(text, game, fault))
        .or_else(|| missing_takes::allowed_by_invariant(text, game, fault))
        .or_else(|| asked_by_end(text, game, fault, value, state))
        .or_else(|| PassedEnd { game, fault, value, state }.describe(text))
        .or_else(|| earlier_moves::cause(text, game, fault, line))
}

/// A condition `a <= b` of a move that keeps all numbers within their ranges if it is `a < b`.
pub(super) fn too_weak(text: &GameSource, game: &Game, fault: &Fault) -> Option<FaultCause> {
    let WeakGuard { span, name, stricter } = tried_guards::too_weak(text, game, fault)?;
    Some(FaultCause {
        span,
        label: "holds as well where both sides are equal".to_owned(),
        help: format!("with `{stricter}` in `{name}` this does not happen: write so if it is meant"),
        is_first_help: true,
    })
}

/// The rules of the move of an instance.
fn move_of<'r>(rules: &'r Rules, play: &MoveInstance) -> Option<&'r Move> {
    match play {
        MoveInstance::Move(id, _) => Some(&rules.moves[*id]),
        _ => None,
    }
}

/// A move of a later phase without `continue`, after which the phase of the fault came back. The move of the fault
/// enters the later phase under a condition and gives the turn on, so that phase is likely to last.
fn fallen_back(text: &GameSource, rules: &Rules, fault: &Fault, line: &[MoveInstance]) -> Option<FaultCause> {
    let faulty = move_of(rules, fault.play.as_deref()?)?;
    let [first] = faulty.phases[..] else { return None };
    let last =
        line.iter().rev().filter_map(|play| move_of(rules, play)).find(|mv| !mv.phases.contains(&first))?;
    let [later] = last.phases[..] else { return None };
    let entry = conditional_entry(&faulty.body, later, false)?;
    let stays = |mv: &Move| mv.body.any(&|kind| matches!(kind, StmtKind::Stay(_)));
    let mut of_later = rules.moves.iter().filter(|mv| mv.phases.contains(&later));
    if last.chance || of_later.any(stays) {
        return None;
    }
    let (name, later, first) = (&last.name, &rules.phases[later].name, &rules.phases[first].name);
    let next = text.sources.slice(entry.span).trim().trim_end_matches(';');
    Some(FaultCause {
        span: last.span,
        label: format!("the next turn begins in `{first}`"),
        help: format!(
            "`{name}` has no `continue {later}`, so each turn begins in `{first}`: for play to stay in `{later}`, write \
             `continue {later}; {next};` in `{name}`; otherwise forbid the move here with a `when`"
        ),
        is_first_help: false,
    })
}

/// The label of a phase that only its own moves enter.
pub(super) const UNENTERED: &str = "no move of another phase leads here";

/// Returns true for a phase that only its own moves enter, and in which no turn begins.
pub(super) fn is_unentered(rules: &Rules, id: PhaseId) -> bool {
    let phase = &rules.phases[id];
    let mut own = rules.moves.iter().filter(|mv| mv.phases.contains(&id));
    let mut others = rules.moves.iter().filter(|mv| !mv.phases.contains(&id));
    id != rules.turn_phase()
        && !phase.setup
        && phase.span.is_placed()
        && own.next().is_some()
        && !others.any(|mv| turn_advice::enters(mv, id))
}

/// The `next` beside a `continue` of this phase, where both stand under a condition.
fn conditional_entry(block: &Block, phase: PhaseId, is_conditional: bool) -> Option<&Stmt> {
    let enters = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Stay(Some(to)) if to == phase);
    let is_next = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Next(_));
    if is_conditional && block.stmts.iter().any(enters) {
        return block.stmts.iter().find(is_next);
    }
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::If(_, yes, no) => {
            conditional_entry(yes, phase, true).or_else(|| conditional_entry(no, phase, true))
        }
        StmtKind::Then(inner) | StmtKind::For(_, inner) => conditional_entry(inner, phase, is_conditional),
        _ => None,
    })
}

/// Returns true if all effects on a field move its numbers to one side, as those of a race do.
pub(super) fn is_race(rules: &Rules, field: FieldId) -> bool {
    let is_field = |kind: &ExprKind| matches!(kind, ExprKind::Field(of, _) if *of == field);
    let of_field = |mv| effects(mv).into_iter().filter(|(effect, _)| effect.field == field);
    let all: Vec<_> = rules.moves.iter().flat_map(|mv| of_field(&mv.body)).collect();
    let adds = |op: EffectOp| all.iter().any(|(effect, _)| effect.op == op);
    let begins_anew =
        all.iter().any(|(effect, _)| effect.op == EffectOp::Set && !rules.mentions(&effect.value, &is_field));
    let goes_both_ways = adds(EffectOp::Add) && adds(EffectOp::Subtract);
    !begins_anew && !goes_both_ways
}

/// An end rule that asks for a number outside the range of the field, on the side on which a value left it: the range
/// is the mistake, and not the move.
fn asked_by_end(
    text: &GameSource,
    game: &Game,
    fault: &Fault,
    value: i64,
    state: &State,
) -> Option<FaultCause> {
    let rules = &game.rules;
    let play = match fault.play.as_deref()? {
        MoveInstance::Joint(parts) => &parts.first()?.1,
        play => play,
    };
    let mv = move_of(rules, play)?;
    let (effect, _) = effects(&mv.body).into_iter().find(|(_, place)| *place == fault.span)?;
    let Type::Int(low, high) = rules.fields[effect.field].ty else { return None };
    let is_field = |e: &Expr| matches!(&*e.kind, ExprKind::Field(of, _) if *of == effect.field);
    let asked = |number: i64| {
        if value > high { value <= number } else { value >= number && value < low }
    };
    for term in TermsBelow::of_ends(rules) {
        let sides = match &*term.kind {
            ExprKind::Equal(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
            _ => None,
        };
        let number = sides.and_then(|(a, b)| match (a.constant(), b.constant()) {
            (None, Some(Value::Int(number))) if is_field(a) => Some(*number),
            (Some(Value::Int(number)), None) if is_field(b) => Some(*number),
            _ => None,
        });
        // A strict comparison asks for the number behind its bound.
        let beyond = match &*term.kind {
            ExprKind::Less(a, b) => match (a.constant(), b.constant()) {
                (Some(Value::Int(bound)), None) if is_field(b) && value > high => Some((a, b, bound + 1)),
                (None, Some(Value::Int(bound))) if is_field(a) && value < low => Some((b, a, bound - 1)),
                _ => None,
            },
            _ => None,
        };
        let number = number.or(beyond.map(|(.., number)| number));
        if let Some(number) = number.filter(|number| asked(*number) && term.span.is_placed()) {
            let name = &rules.fields[effect.field].name;
            let words = |span: Span| text.words(span);
            let compare = if value > high { ">=" } else { "<=" };
            let weaker = beyond.map(|(bound, side, _)| (words(bound.span), words(side.span)));
            let weaker = weaker.filter(|(bound, side)| !bound.is_empty() && !side.is_empty());
            let weaker = weaker.map(|(bound, side)| {
                format!("; if the game ends at `{bound}` already, write `{side} {compare} {bound}`")
            });
            let last = if value > high { high } else { low };
            let cells = game.machine.read_all(state, effect.field, rules.fields[effect.field].cells());
            let stands_at_last = cells.contains(&Value::Int(last));
            let declared = bound_in_words(text, rules.fields[effect.field].span, value > high);
            let nearer = compared_with(text, term, last, declared).filter(|_| stands_at_last);
            let weaker = weaker.or_else(|| {
                let nearer = nearer.as_ref()?;
                Some(format!("; if the game ends at {last} already, write `{nearer}`"))
            });
            let widened = (low.min(number), high.max(number));
            if let Some(nearer) = nearer.filter(|_| !is_sound_with_range(rules, effect.field, widened)) {
                return Some(FaultCause {
                    span: term.span,
                    label: format!("asks for {number}, which is outside {low}..{high}"),
                    help: format!(
                        "an end rule asks for `{}`, and `{name}` ends at {last}: if the game is to end there, write `{nearer}` (a \
                         wider range of `{name}` alone leads to another error)",
                        words(term.span)
                    ),
                    is_first_help: true,
                });
            }
            return Some(FaultCause {
                span: term.span,
                label: format!("asks for {number}, which is outside {low}..{high}"),
                help: format!(
                    "an end rule asks for `{}`: widen the range of `{name}` to {}..{}{}",
                    words(term.span),
                    widened.0,
                    widened.1,
                    weaker.unwrap_or_default()
                ),
                is_first_help: true,
            });
        }
    }
    None
}

/// Returns true if play has no fault once a field has this range.
fn is_sound_with_range(rules: &Rules, field: FieldId, range: (i64, i64)) -> bool {
    let mut rules = rules.clone();
    rules.fields[field].ty = Type::Int(range.0, range.1);
    tried_guards::is_sound(rules, false)
}

/// A comparison by `=`, `<=` or `>=` with another number in the place of its own: in digits where the text has digits, or
/// as the text declares it.
fn compared_with(
    text: &GameSource,
    comparison: &Expr,
    number: i64,
    declared: Option<String>,
) -> Option<String> {
    let (ExprKind::Equal(a, b) | ExprKind::LessEqual(a, b)) = &*comparison.kind else { return None };
    let of = [a, b].into_iter().find(|side| matches!(side.constant(), Some(Value::Int(_))))?;
    let (whole, part) = (comparison.span, of.span);
    let is_inside = part.is_placed() && whole.start <= part.start && part.end <= whole.end;
    let words = text.sources.slice(whole);
    let is_digits = is_inside && text.sources.slice(part).parse::<i64>().ok() == of.constant()?.as_int();
    let number = if is_digits { number.to_string() } else { declared? };
    if !is_inside {
        return None;
    }
    let (before, behind) = ((part.start - whole.start) as usize, (part.end - whole.start) as usize);
    let nearer = format!("{}{number}{}", &words[..before], &words[behind..]);
    Some(nearer.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A number that went past the one at which an end rule asks for it by `=`.
struct PassedEnd<'a> {
    game: &'a Game,
    fault: &'a Fault,
    /// The value that does not fit.
    value: i64,
    /// The position of the fault.
    state: &'a State,
}

impl PassedEnd<'_> {
    fn describe(&self, text: &GameSource) -> Option<FaultCause> {
        let rules = &self.game.rules;
        let mv = move_of(rules, self.fault.play.as_deref()?)?;
        let (effect, _) = effects(&mv.body).into_iter().find(|(_, place)| *place == self.fault.span)?;
        if matches!(*effect.value.kind, ExprKind::Arith { op: Arith::Max | Arith::Min, .. }) {
            return None;
        }
        if !is_race(rules, effect.field) {
            return None;
        }
        let (asked, number) = self.passed_equation(effect.field)?;
        let ExprKind::Equal(a, b) = &*asked.kind else { return None };
        let (left, right) = if b.constant().is_some() { (a, b) } else { (b, a) };
        let placed = [left.span, right.span, asked.span].iter().all(|span| span.is_placed());
        let words = |span: Span| text.words(span);
        let (read, bound) = (words(left.span), words(right.span));
        let name = &rules.fields[effect.field].name;
        if !placed || !read.starts_with(name.as_str()) || words(asked.span).len() > 60 {
            return None;
        }
        let is_up = self.value > number;
        let (compare, function, within) = if is_up { (">=", "min", "<=") } else { ("<=", "max", ">=") };
        let capped = assigned_term(text, effect, self.fault.span).map(|(target, new)| {
            format!(
                "; if it stops there, `{target} := {function}({bound}, {new});`; if it must come there exactly, `when {new} \
                 {within} {bound};`"
            )
        });
        Some(FaultCause {
            span: asked.span,
            label: format!("play passes over {number}, and this stays false"),
            help: format!(
                "`{name}` may go past {number} without being it: ask `{read} {compare} {bound}`{}",
                capped.unwrap_or_default()
            ),
            is_first_help: false,
        })
    }

    /// The equation of an end rule with the number that this field passed over, and the number.
    fn passed_equation(&self, field: FieldId) -> Option<(&Expr, i64)> {
        let rules = &self.game.rules;
        let Type::Int(low, high) = rules.fields[field].ty else { return None };
        let is_up = self.value > high;
        let is_passed = |number: i64| {
            let is_before = |value: &Value| match *value {
                Value::Int(value) => {
                    if is_up {
                        value < number
                    } else {
                        value > number
                    }
                }
                _ => false,
            };
            let is_beyond = |value: &Value| match *value {
                Value::Int(value) => {
                    if is_up {
                        value > number
                    } else {
                        value < number
                    }
                }
                _ => false,
            };
            let cells = rules.fields[field].cells();
            let read = |state: &State| self.game.machine.read_all(state, field, cells);
            (low < number && number < high)
                && read(&self.game.machine.initial()).iter().all(is_before)
                && read(self.state).iter().any(is_beyond)
        };
        TermsBelow::of_ends(rules).find_map(|term| {
            let ExprKind::Equal(a, b) = &*term.kind else { return None };
            let is_field = |e: &Expr| matches!(&*e.kind, ExprKind::Field(of, _) if *of == field);
            let number = match (a.constant(), b.constant()) {
                (None, Some(Value::Int(number))) if is_field(a) => *number,
                (Some(Value::Int(number)), None) if is_field(b) => *number,
                _ => return None,
            };
            is_passed(number).then_some((term, number))
        })
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    fn help(rules: &str) -> String {
        let found = findings_of_two(rules, Code::E0503).into_iter().next();
        found.and_then(|found| found.help).unwrap_or_default()
    }

    #[test]
    fn a_phase_that_falls_back_is_named() {
        let game = |go: &str| {
            help(&format!(
                "phases {{ put; slide; }} board Cell = strip(4); state {{ at[c: Cell]: Player? = none; left: 0..2 = 2; }} \
                 move place(c: Cell) in put as \"{{c}}\" {{ when at[c] = none; at[c] := me; left -= 1; then {{ if left = 0 \
                 {{ continue slide; next opponent; }} }} }} move go(a: Cell, b: Cell) in slide as \"{{a}}-{{b}}\" {{ when \
                 at[a] = me and at[b] = none and b in a.neighbors; at[b] <- at[a]; {go} }} end {{ when at[d1] != none => \
                 other(mover) wins; when stuck => mover loses; repeat => draw; }}"
            ))
        };
        let forgotten = game("");
        assert!(forgotten.contains("`continue slide; next opponent;` in `go`"), "{forgotten}");
        assert!(game("continue slide; next opponent;").is_empty());
    }

    #[test]
    fn an_end_beyond_the_range_is_named() {
        let game = |range: &str, asked: &str| {
            help(&format!(
                "state {{ n: {range} = 0; }} move add(k: 1..2) {{ n += k; }} end {{ when {asked} => mover loses; when n < 0 => \
                 draw; }}"
            ))
        };
        let asked = game("0..4", "n >= 5");
        assert!(
            asked.starts_with("an end rule asks for `n >= 5`: widen the range of `n` to 0..5"),
            "{asked}"
        );
        assert!(asked.contains("; if the move is illegal here"), "{asked}");
        let strict = game("0..4", "n > 4");
        let wanted = "an end rule asks for `n > 4`: widen the range of `n` to 0..5; if the game ends at `4` already, write \
                      `n >= 4`; if the move is illegal";
        assert!(strict.starts_with(wanted), "{strict}");
        let equal =
            help("state { n: 0..4 = 0; } move add() as \"a\" { n += 1; } end { when n = 5 => mover loses; }");
        let wanted = "an end rule asks for `n = 5`: widen the range of `n` to 0..5; if the game ends at 4 already, write `n = \
                      4`; if the move";
        assert!(equal.starts_with(wanted), "{equal}");
        // The number below may be passed over.
        assert!(!game("0..4", "n = 5").contains("already"));
        let other = game("0..4", "n = 3 and n != 2 => draw; when n > 4");
        assert!(other.starts_with("an end rule asks for `n > 4`"), "{other}");
        let enough = game("0..5", "n >= 5");
        let wanted =
            "play takes `n` up to 6 and no further: 0..6 is enough as its range; if the move is illegal";
        assert!(enough.starts_with(wanted), "{enough}");
    }

    #[test]
    fn what_is_no_race_passes_over_nothing() {
        let other = help(
            "state { n[j: 1..2]: 0..5 = 0; } move fill(j: 1..2) as \"{j}\" { when n[j] = 0; n[j] := 5; } move pour(j: 1..2) as \
             \"p{j}\" { when n[j] > 0; n[j] += 2; } end { when n[1] = 4 => mover loses; repeat => draw; }",
        );
        assert!(!other.contains("may go past"), "{other}");
    }

    #[test]
    fn an_end_that_is_passed_over_is_named() {
        let game = |end: &str| {
            help(&format!(
                "const goal = 4; state {{ n: 0..9 = 0; }} move add(k: 2..3) {{ n += k; }} end {{ when {end} => mover \
                 loses; }}"
            ))
        };
        let passed = game("n = goal");
        assert!(passed.contains("ask `n >= goal`; if it stops there, `n := min(goal, n + k);`"), "{passed}");
        assert!(passed.contains("exactly, `when n + k <= goal;`"), "{passed}");
        assert!(game("n >= goal").is_empty());
        assert!(game("n = 9").contains("if the move is illegal here"), "{}", game("n = 9"));
    }
}
