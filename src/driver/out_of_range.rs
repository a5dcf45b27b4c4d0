//! The ways out for a number that leaves the range of its field (E0503): a bound, or a condition of the move.

use super::effect_cases::{EffectCase, case_of};
use super::faults::effects;
use super::load::GameSource;
use super::repeated_effects;
use super::set_terms;
use super::tried_guards;
use super::wrong_signs;
use bouton_base::source::Span;
use bouton_rules::{Arith, Effect, EffectOp, Expr, ExprKind, Move, Quant, StmtKind, Type, Value};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance, State};

/// The first words of the help where no cause is known.
pub(crate) const GENERAL_HELP: &str = "if the move is illegal here";

/// The words of a term, in brackets if it is made with operators.
pub(super) fn bracketed(words: &str) -> String {
    let mut depth = 0usize;
    let is_single = words.chars().all(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0 || c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '#' | ')' | ']' | '}')
    });
    if is_single && !words.contains("..") { words.to_owned() } else { format!("({words})") }
}

/// The ways to keep a number within its range, with the place of a condition of the move that shows them.
pub(super) struct WayOut {
    pub label: Option<(Span, String)>,
    pub help: String,
}

/// Tells two ways to keep the one effect on a field within its range: a bound, or a condition of the move.
pub(super) fn way_out(text: &GameSource, game: &Game, state: &State, fault: &Fault) -> Option<WayOut> {
    let FaultKind::OutOfRange { value: Value::Int(value), .. } = fault.kind else { return None };
    let MoveInstance::Move(id, _) = fault.play.as_deref()? else { return None };
    let mv = &game.rules.moves[*id];
    let effects = effects(&mv.body);
    let (effect, _) = effects.iter().find(|(_, place)| *place == fault.span)?;
    let Type::Int(low, high) = &game.rules.fields[effect.field].ty else { return None };
    let adds = |other: &Effect| other.field == effect.field && other.op != EffectOp::Set;
    let mut words = assigned(text, effect, fault.span)?;
    let repeated = repeated_effects::repeated(text, game, state, fault, effect);
    if let Some(repeated) = &repeated
        && let Some((label, help)) = repeated.way_out(effect, &words.target, mv.chance)
    {
        return Some(WayOut { label: Some((repeated.head, label)), help });
    }
    let case = case_of(mv, fault.span);
    let guards = Guards { text, mv, effect, case: case.as_ref() };
    if let Some(found) = guards.of_neighbour(&words, *low).filter(|_| value < *low && !mv.chance) {
        return Some(found);
    }
    // Effects in branches of other cases do not come together with this one.
    let is_apart = |place: Span| {
        case.as_ref().zip(case_of(mv, place)).is_some_and(|(here, there)| here.excludes(text, &there))
    };
    if effects.iter().any(|(other, place)| *place != fault.span && adds(other) && !is_apart(*place)) {
        return None;
    }
    let is_high = value > *high;
    if let Some(help) = exchanged_bound(effect, [*low, *high], &words.target, &words.term) {
        return Some(WayOut { label: None, help });
    }
    let (bound, function, compare) = if is_high { (*high, "min", "<=") } else { (*low, "max", ">=") };
    let bound =
        declared_bound(text, game.rules.fields[effect.field].span, is_high).unwrap_or(bound.to_string());
    let capped = format!("`{} := {function}({bound}, {});`", words.target, words.new);
    if mv.chance {
        let all = range_of_parameter(mv, effect, [*low, *high], &words);
        let help = match &all {
            Some(all) => format!("{all}; to stop at the bound, write {capped}"),
            None => format!("to stop at the bound, write {capped}; otherwise widen the range of the field"),
        };
        return Some(WayOut { label: None, help });
    }
    // A condition of the move reads the position before the move.
    let before = set_terms::before_move(text, &game.rules, mv, fault.span);
    let operand = match before {
        Some(before) => before.replace_in(effect, &mut words),
        None => Some(effect.value.clone()),
    };
    let condition = match (words.op, &bound[..]) {
        ("-", "0") if effect.value.constant().is_some() => format!("{} >= {}", words.target, words.term),
        ("-", "0") => format!("{} <= {}", words.term, words.target),
        _ => format!("{} {compare} {bound}", words.new),
    };
    let prefix = case.as_ref().map_or(Some(String::new()), |case| case.prefix(text));
    let is_false_here = |formula: Expr| !repeated_effects::holds_already(game, state, fault, &formula);
    let in_range =
        operand.map(|operand| within(effect, operand, if is_high { *high } else { *low }, is_high));
    // Without a move the game would stop there, which is another error.
    let leaves_nobody = case.is_none()
        && repeated.is_none()
        && in_range.clone().is_some_and(|formula| tried_guards::leaves_nobody(game, state, *id, formula));
    let proposed = match (in_range, &repeated) {
        (Some(formula), Some(repeated)) => repeated.for_all(&condition).filter(|_| {
            let (span, all) = (formula.span, repeated.binders.to_vec());
            is_false_here(Expr::new(ExprKind::Quant(Quant::All, all, formula), Type::Bool, span))
        }),
        (Some(_), None) if repeated_effects::speaks_of_inner_names(mv, effect) => None,
        (Some(formula), None) => {
            prefix.map(|prefix| format!("{prefix}{condition}")).filter(|_| is_false_here(formula))
        }
        (None, _) => None,
    };
    let rest = format!("if it stops at the bound, {capped}; otherwise widen the range of the field");
    let forbidden = match proposed {
        Some(condition) if leaves_nobody => {
            let loses = if game.rules.players().len() == 1 { "lose" } else { "mover loses" };
            format!(
                "write `when {condition};` (nobody can move here then: end the game by `when stuck => {loses};`)"
            )
        }
        Some(condition) => format!("write `when {condition};`"),
        None => "forbid it with a `when`".to_owned(),
    };
    let illegal = format!("{GENERAL_HELP}, {forbidden}");
    Some(match guards.reading(&words) {
        Some(GuardReading { place, label, help, is_condition: true }) => {
            WayOut { label: Some((place, label)), help: format!("{help}; {rest}") }
        }
        Some(GuardReading { place, label, help, .. }) => {
            WayOut { label: Some((place, label)), help: format!("{help}; {illegal}; {rest}") }
        }
        None => WayOut { label: None, help: format!("{illegal}; {rest}") },
    })
}

/// The formula that the new value of an effect does not pass a bound.
fn within(effect: &Effect, operand: Expr, bound: i64, is_high: bool) -> Expr {
    let span = effect.value.span;
    let wide = Type::Int(i64::from(i32::MIN), i64::from(i32::MAX));
    let number = |kind| Expr::new(kind, wide.clone(), span);
    let target = number(ExprKind::Field(effect.field, effect.keys.clone()));
    let sum = |op| number(ExprKind::Arith { op, exact: false, left: target.clone(), right: operand.clone() });
    let new = match effect.op {
        EffectOp::Add => sum(Arith::Add),
        EffectOp::Subtract => sum(Arith::Sub),
        _ => operand.clone(),
    };
    let bound = number(ExprKind::Const(Value::Int(bound)));
    let (low, high) = if is_high { (new, bound) } else { (bound, new) };
    Expr::new(ExprKind::LessEqual(low, high), Type::Bool, span)
}

/// Another effect of the move of a fault on the same cell, in the same direction, with the words of the cell.
pub(super) fn other_change(text: &GameSource, game: &Game, fault: &Fault) -> Option<(Span, String)> {
    let FaultKind::OutOfRange { .. } = fault.kind else { return None };
    let MoveInstance::Move(id, _) = fault.play.as_deref()? else { return None };
    let mv = &game.rules.moves[*id];
    let effects = effects(&mv.body);
    let (effect, _) = effects.iter().find(|(_, place)| *place == fault.span)?;
    let target = assigned(text, effect, fault.span)?.target;
    let is_same = |other: &Effect, place: Span| {
        let is_change = other.op == effect.op && other.op != EffectOp::Set && other.field == effect.field;
        is_change && place != fault.span && assigned(text, other, place).is_some_and(|of| of.target == target)
    };
    let case = case_of(mv, fault.span);
    let is_apart = |place: Span| {
        case.as_ref().zip(case_of(mv, place)).is_some_and(|(here, there)| here.excludes(text, &there))
    };
    let (_, place) = effects.iter().find(|(other, place)| is_same(other, *place) && !is_apart(*place))?;
    (!mv.chance && place.is_placed()).then_some((*place, target))
}

/// A condition that is likely to be meant otherwise.
struct GuardReading {
    place: Span,
    label: String,
    help: String,
    /// True if the help has the condition that makes the move illegal.
    is_condition: bool,
}

/// The comparisons in the conditions of a move, beside an effect on a number.
struct Guards<'a> {
    text: &'a GameSource,
    mv: &'a Move,
    effect: &'a Effect,
    /// The branch that the effect is in.
    case: Option<&'a EffectCase<'a>>,
}

impl Guards<'_> {
    /// The comparisons `a < b` and `a <= b` that must hold, with their sides.
    fn comparisons(&self) -> Vec<(&Expr, &Expr, &Expr)> {
        let conditions = self.mv.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Require(condition) => Some(condition),
            _ => None,
        });
        self.comparisons_in(conditions)
    }

    /// The same that must hold in the case of the effect alone: the conditions behind `implies`.
    fn comparisons_of_case(&self) -> Vec<(&Expr, &Expr, &Expr)> {
        let implied = self.mv.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Require(condition) => match &*condition.kind {
                ExprKind::Implies(given, then)
                    if self.case.is_some_and(|case| case.is_said_by(self.text, given)) =>
                {
                    Some(then)
                }
                _ => None,
            },
            _ => None,
        });
        self.comparisons_in(implied)
    }

    fn comparisons_in<'e>(
        &self,
        conditions: impl Iterator<Item = &'e Expr>,
    ) -> Vec<(&'e Expr, &'e Expr, &'e Expr)> {
        let sides = |part: &'_ Expr| match &*part.kind {
            ExprKind::Less(..) | ExprKind::LessEqual(..) => part.span.is_placed(),
            _ => false,
        };
        let mut found = Vec::new();
        for condition in conditions {
            let parts = match &*condition.kind {
                ExprKind::And(parts) => &parts[..],
                _ => std::slice::from_ref(condition),
            };
            for part in parts.iter().filter(|part| sides(part)) {
                if let ExprKind::Less(low, high) | ExprKind::LessEqual(low, high) = &*part.kind {
                    found.push((part, low, high));
                }
            }
        }
        found
    }

    /// The cell that the effect would change if its key and its number changed places.
    fn exchanged(&self, effect: &AssignedTerm) -> String {
        let field = effect.target.split('[').next().unwrap_or_default();
        format!("{field}[{}]", effect.term)
    }

    /// Returns true for the words of the only key of the effect.
    fn is_key(&self, words: &str) -> bool {
        matches!(&self.effect.keys[..], [key] if key.span.is_placed() && self.text.words(key.span) == words)
    }

    /// The way out where a condition holds a cell above a number, and the effect takes a number from another cell of the
    /// same field.
    fn of_neighbour(&self, effect: &AssignedTerm, low: i64) -> Option<WayOut> {
        let target = &effect.target;
        let taken = self.effect.value.constant()?;
        if effect.op != "-" {
            return None;
        }
        let cells: Vec<(Span, String)> = self
            .comparisons()
            .into_iter()
            .chain(self.comparisons_of_case())
            .filter(|(_, low, _)| low.constant().is_some())
            .filter(|(_, _, high)| matches!(&*high.kind, ExprKind::Field(of, _) if *of == self.effect.field))
            .map(|(whole, _, high)| (whole.span, self.text.words(high.span)))
            .collect();
        let [(place, held)] = &cells[..] else { return None };
        let Value::Int(taken) = taken else { return None };
        let illegal = match self.case.map_or(Some(String::new()), |case| case.prefix(self.text)) {
            Some(prefix) if low == 0 => format!("write `when {prefix}{target} >= {taken};`"),
            Some(prefix) => format!("write `when {prefix}{} >= {low};`", effect.new),
            None => "forbid it with a `when`".to_owned(),
        };
        let help = format!(
            "the condition is about `{held}`, and the effect about `{target}`: if `{held} -= {taken};` is meant, correct the \
             effect; if the move is illegal here, {illegal}; otherwise widen the range of the field"
        );
        let label = format!("holds `{held}`, and the effect changes `{target}`");
        (held != target).then_some(WayOut { label: Some((*place, label)), help })
    }

    /// Returns true if a condition holds the cell of the effect above something.
    fn holds_target(&self, target: &str) -> bool {
        self.comparisons().iter().any(|(_, _, high)| self.text.words(high.span) == target)
    }

    /// The first condition that is likely to be meant otherwise.
    fn reading(&self, effect: &AssignedTerm) -> Option<GuardReading> {
        let AssignedTerm { op, target, term, .. } = effect;
        if let Some(found) = wrong_signs::guard(self.text, self.effect, &self.comparisons()) {
            let (place, help) =
                (found.span, format!("if the move takes from `{target}`, write `{target} -= {term};`"));
            let label = "guards a subtraction".to_owned();
            let shown = self.text.words(place);
            let help = format!("the condition `{shown}` guards a subtraction: {help}");
            return Some(GuardReading { place, label, help, is_condition: false });
        }
        if self.effect.value.constant().is_some() {
            return None;
        }
        self.comparisons().into_iter().find_map(|(whole, low, high)| {
            let (place, shown) = (whole.span, self.text.words(whole.span));
            let (low_words, high_words) = (self.text.words(low.span), self.text.words(high.span));
            let is_same_field =
                |side: &Expr| matches!(&*side.kind, ExprKind::Field(of, _) if *of == self.effect.field);
            let (label, help) = match *op {
                "-" if low_words == *target && high_words == *term => (
                    "lets through what is too much".to_owned(),
                    format!("if `{shown}` is the wrong way round, write `when {term} <= {target};`"),
                ),
                "-" if high_words == self.exchanged(effect) && self.is_key(&low_words) => (
                    format!("compares `{low_words}` with `{high_words}`"),
                    format!(
                        "the condition holds `{high_words}`, and the effect changes `{target}`: if `{high_words} -= \
                         {low_words};` is meant, write it so"
                    ),
                ),
                "-" if low_words == *term && high_words != *target && is_same_field(high) => (
                    format!("holds `{high_words}`, and the effect changes `{target}`"),
                    format!(
                        "the condition is about `{high_words}`, and the effect about `{target}`: if both should be one, correct \
                         one of them"
                    ),
                ),
                // The amounts differ as well, so the condition says nothing of this cell.
                "-" if low.constant().is_none()
                    && is_same_field(high)
                    && high_words != *target
                    && !self.holds_target(target) =>
                {
                    (
                        format!("holds `{high_words}`, and the effect changes `{target}`"),
                        format!(
                            "the condition is about `{high_words}`, and the effect about `{target}`: if both should be one, \
                             correct one of them"
                        ),
                    )
                }
                "+" if low_words == *target && high_words == *term => (
                    format!("lets `{target}` be as much as `{term}`"),
                    format!("if the effect fills it up to `{term}`, write `{target} := {term};`"),
                ),
                _ => return None,
            };
            let is_condition = low_words == *target && *op == "-";
            Some(GuardReading { place, label, help, is_condition })
        })
    }
}

/// The words of an effect on a number.
pub(super) struct AssignedTerm {
    /// `+`, `-`, or nothing for `:=`.
    op: &'static str,
    pub(super) target: String,
    pub(super) term: String,
    /// The words of the new value.
    new: String,
}

impl AssignedTerm {
    /// Puts other words in the place of the operand.
    pub(super) fn set_term(&mut self, term: &str) {
        self.term = if self.op.is_empty() { term.to_owned() } else { bracketed(term) };
        self.new = if self.op.is_empty() {
            self.term.clone()
        } else {
            format!("{} {} {}", self.target, self.op, self.term)
        };
    }
}

/// The words of an effect at a place.
fn assigned(text: &GameSource, effect: &Effect, place: Span) -> Option<AssignedTerm> {
    let words = text.sources.slice(place).trim_end().trim_end_matches(';');
    let (sign, op) = match effect.op {
        EffectOp::Add => ("+=", "+"),
        EffectOp::Subtract => ("-=", "-"),
        _ => (":=", ""),
    };
    let (target, term) = words.split_once(sign)?;
    let (target, term) = (target.trim().to_owned(), term.trim());
    let term = if op.is_empty() { term.to_owned() } else { bracketed(term) };
    let new = if op.is_empty() { term.clone() } else { format!("{target} {op} {term}") };
    Some(AssignedTerm { op, target, term, new })
}

/// The target of an effect at a place, and its new value, in the words of the text.
pub(super) fn assigned_term(text: &GameSource, effect: &Effect, place: Span) -> Option<(String, String)> {
    assigned(text, effect, place).map(|assigned| (assigned.target, assigned.new))
}

/// The help for `die := d` of an event with a parameter of a wider range than the field.
fn range_of_parameter(
    mv: &Move,
    effect: &Effect,
    [low, high]: [i64; 2],
    words: &AssignedTerm,
) -> Option<String> {
    let ExprKind::Var(var) = *effect.value.kind else { return None };
    let param = mv.params.iter().find(|param| param.var == var && effect.op == EffectOp::Set)?;
    let numbers: Option<Vec<i64>> = param
        .values
        .iter()
        .map(|value| if let Value::Int(number) = value { Some(*number) } else { None })
        .collect();
    let numbers = numbers?;
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    Some(format!(
        "`{}` is {least}..{most}: widen the range of the field to {}..{}",
        words.term,
        low.min(least),
        high.max(most)
    ))
}

/// The help for `max(6, e)` in a field up to 6, or `min(0, e)` in one from 0: the other function was meant.
fn exchanged_bound(effect: &Effect, [low, high]: [i64; 2], target: &str, term: &str) -> Option<String> {
    let ExprKind::Arith { op, left, right, .. } = &*effect.value.kind else { return None };
    let mut constants = [left, right].into_iter().filter_map(|side| side.constant());
    let (name, meant, which) = match op {
        Arith::Max if constants.any(|c| matches!(c, Value::Int(c) if *c >= high)) => ("max", "min", "larger"),
        Arith::Min if constants.any(|c| matches!(c, Value::Int(c) if *c <= low)) => ("min", "max", "smaller"),
        _ => return None,
    };
    let args = term.strip_prefix(name).filter(|args| effect.op == EffectOp::Set && args.starts_with('('))?;
    Some(format!(
        "`{target}` holds {low}..{high}, and `{name}(a, b)` is the {which} of the two: to stop at the bound, write `{target} \
         := {meant}{args};`"
    ))
}

/// The last or the first number of a field as its declaration writes it, if that is one word: `goal` of `0..goal`.
pub(super) fn declared_bound(text: &GameSource, name: Span, is_high: bool) -> Option<String> {
    bound_in_words(text, name, is_high).filter(|bound| is_word(bound))
}

/// The last or the first number of a field as its declaration writes it: `goal + 1` of `0..goal + 1`. The range may be that
/// of a named type: `type Place = 0..goal;`.
pub(super) fn bound_in_words(text: &GameSource, name: Span, is_high: bool) -> Option<String> {
    let whole = &text.sources.source_of(name)?.text;
    let behind = text.sources.slice(Span::new(name.file, name.range().end, whole.len()));
    let declared = behind.split(';').next()?;
    let keyless = if declared.starts_with('[') { declared.split_once(']')?.1 } else { declared };
    let mut range = keyless.split('=').next()?.trim_start().strip_prefix(':')?.trim();
    if is_word(range) {
        range = range_of_type(whole, range)?;
    }
    let (low, high) = range.split_once("..")?;
    Some(if is_high { high } else { low }.trim().to_owned())
}

/// The words behind `type NAME =` in a text, on a line that begins so.
fn range_of_type<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let named = line.trim_start().strip_prefix("type ")?.trim_start().strip_prefix(name)?;
        named.trim_start().strip_prefix('=')?.split(';').next()
    })
}

/// Returns true for a name or a number.
fn is_word(words: &str) -> bool {
    !words.is_empty() && words.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::bracketed;
    use crate::check::testing::findings_of_two;
    use bouton_syntax::diag::Code;

    #[test]
    fn a_number_that_is_changed_twice_is_named() {
        let of = |first: &str| {
            let rest = format!(
                "state {{ money[p: Player]: 0..4 = 4; n: 0..3 = 0; }} move pay(k: 1..2) as \"{{k}}\" {{ when n < 3 and k <= \
                 money[me]; n += 1; {first} then {{ money[me] -= k; }} }} end {{ when n = 3 => draw; when stuck => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found
                .map(|found| {
                    let last = found.labels.last().map(|label| label.text.clone());
                    (last.unwrap_or_default(), found.help.clone().unwrap_or_default())
                })
                .unwrap_or_default()
        };
        let (label, help) = of("money[me] -= k;");
        assert_eq!(label, "changes `money[me]` as well");
        assert!(help.starts_with("the move changes `money[me]` twice"), "{help}");
        assert_eq!(of("").0, "");
    }

    #[test]
    fn conditions_that_do_not_hold_the_number_are_named() {
        let help = |condition: &str, effect: &str| {
            let rest = format!(
                "state {{ pile[p: Player]: 0..5 = 3; cap[p: Player]: 0..5 = 3; n: 0..5 = 0; }} move take(k: 1..4) as \
                 \"{{k}}\" {{ when n < 5 and {condition}; n += 1; {effect}; }} end {{ when n = 5 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("k >= pile[me]", "pile[me] -= k");
        let wanted = "if `k >= pile[me]` is the wrong way round, write `when k <= pile[me];`; if it stops";
        assert!(told.starts_with(wanted), "{told}");
        let told = help("k <= pile[me]", "pile[opponent] -= k");
        assert!(
            told.starts_with("the condition is about `pile[me]`, and the effect about `pile[opponent]`"),
            "{told}"
        );
        let told = help("pile[me] <= cap[me]", "pile[me] += cap[me]");
        assert!(
            told.starts_with("if the effect fills it up to `cap[me]`, write `pile[me] := cap[me];`"),
            "{told}"
        );
        let told = help("k <= pile[me]", "pile[opponent] -= 2");
        assert!(told.starts_with("if the move is illegal here"), "{told}");
        let told = help("pile[me] > 0", "pile[opponent] -= 2");
        assert!(
            told.starts_with("the condition is about `pile[me]`, and the effect about `pile[opponent]`: if `pile[me] -= 2;`"),
            "{told}"
        );
        let told = help("k <= pile[me]", "pile[opponent] -= cap[opponent] + 1");
        assert!(
            told.starts_with(
                "the condition is about `pile[me]`, and the effect about `pile[opponent]`: if both"
            ),
            "{told}"
        );
        let told = help("k <= pile[me] and n <= pile[opponent]", "pile[opponent] -= cap[opponent] + 1");
        assert!(told.starts_with("if the move is illegal here"), "{told}");
        assert!(help("k < 5", "pile[me] -= k").starts_with("if the move is illegal here"));
        assert!(help("k <= pile[me]", "pile[me] -= k").is_empty());
    }

    #[test]
    fn a_key_and_a_number_that_changed_places_are_named() {
        let help = |effect: &str| {
            let rest = format!(
                "state {{ inside[j: 1..3]: 0..9 = j; }} move eat(j: 1..3, k: 1..3) as \"{{j}}:{{k}}\" {{ when k <= inside[j]; \
                 {effect}; }} end {{ when stuck => mover loses; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("inside[k] -= j");
        assert!(told.contains("if `inside[j] -= k;` is meant, write it so; if the move"), "{told}");
        assert!(help("inside[j] -= k").is_empty());
    }

    #[test]
    fn the_range_of_the_parameter_of_an_event_is_told() {
        let help = |effect: &str| {
            let rest = format!(
                "phases {{ roll by chance; go; }} state {{ die: 0..2 = 0; n: 0..9 = 0; }} chance throw(d: 1..3) in roll as \
                 \"({{d}})\" {{ {effect}; continue go; }} move walk() in go as \"w\" {{ when n < 9; n += 1; continue roll; }} \
                 end {{ when n = 9 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("die := d");
        assert!(told.starts_with("`d` is 1..3: widen the range of the field to 0..3; to stop"), "{told}");
        assert!(help("die := d + 1").starts_with("to stop at the bound"), "{}", help("die := d + 1"));
        assert_eq!(help("die := d - 1"), "");
    }

    #[test]
    fn the_bound_of_a_named_type_is_told_by_its_name() {
        let help = |declared: &str| {
            let rest = format!(
                "param track: 3..9 = 4;\n{declared}; }} move go(k: 1..2) as \"{{k}}\" {{ at[me] += k; }} end {{ for p in Player when \
                 at[p] = track => p wins; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "if the move is illegal here, write `when at[me] + k <= track;`; if it stops at the bound, `at[me] := \
                      min(track, at[me] + k);`";
        let named = help("type Place = 0..track;\nstate { at[p: Player]: Place = 0");
        assert!(named.starts_with(wanted), "{named}");
        let plain = help("state { at[p: Player]: 0..track = 0");
        assert!(plain.starts_with(wanted), "{plain}");
        let digits = help("type Place = 0..4;\nstate { at[p: Player]: Place = 0");
        assert!(digits.contains("`when at[me] + k <= 4;`"), "{digits}");
    }

    #[test]
    fn brackets_are_written_around_operators_alone() {
        for words in ["k", "score[me]", "max(t[a], t[b])", "#near[c + N]", "12", "(a + b)"] {
            assert_eq!(bracketed(words), words);
        }
        assert_eq!(bracketed("a + b"), "(a + b)");
        assert_eq!(bracketed("if k = 1 then 2 else 3"), "(if k = 1 then 2 else 3)");
    }
}
