//! The range that would be enough for a field (E0503): positions are explored again with a wider one.

use std::ops::ControlFlow;

use super::fault_advice::FaultCause;
use crate::faults::effects;
use crate::load::GameSource;
use crate::out_of_range::declared_bound;
use bouton_base::limits::{Limits, NoProgress};
use bouton_report::numbers;
use bouton_rules::{FieldId, Type, Value};
use bouton_search::game::explore::{ExploreEnd, PositionFault, VisitedPosition, Visitor, explore};
use bouton_search::game::{Fault, FaultKind, Game, MoveInstance};

/// The maximal number of positions to explore with a wider range.
const MAX_POSITIONS: u64 = 3_000;

/// The least value beyond the range that is given up as too much, beside twice the range.
const MIN_EXTRA: i64 = 8;

/// Returns the range that is enough for the field of a fault, if a number above it has no other limit than the play.
pub fn cause(text: &GameSource, game: &Game, fault: &Fault) -> Option<FaultCause> {
    let FaultKind::OutOfRange { value: Value::Int(value), .. } = fault.kind else { return None };
    let play = match fault.play.as_deref()? {
        MoveInstance::Joint(parts) => &parts.first()?.1,
        play => play,
    };
    let MoveInstance::Move(id, _) = play else { return None };
    let all = effects(&game.rules.moves[*id].body);
    let (effect, _) = all.into_iter().find(|(_, place)| *place == fault.span)?;
    let of = &game.rules.fields[effect.field];
    let Type::Int(low, high) = of.ty else { return None };
    // A bound with a name is meant as it is.
    if value <= high || declared_bound(text, of.span, true).is_some_and(|word| word.parse::<i64>().is_err()) {
        return None;
    }
    let greatest = greatest(game, effect.field)?;
    let name = &of.name;
    Some(FaultCause {
        span: of.span,
        label: format!("holds {low}..{high}"),
        help: match numbers::scope(&game.rules) {
            none if none.is_empty() => format!(
                "play takes `{name}` up to {greatest} and no further: {low}..{greatest} is enough as its range"
            ),
            scope => format!(
                "with {scope}, play takes `{name}` up to {greatest} and no further: {low}..{greatest} is enough as its range for \
                 these parameters, and others may need more"
            ),
        },
        is_first_help: true,
    })
}

/// The greatest value of a field in all positions, if its range is no limit.
fn greatest(game: &Game, field: FieldId) -> Option<i64> {
    let mut rules = (*game.rules).clone();
    let Type::Int(low, high) = rules.fields[field].ty else { return None };
    let widest = high + (high - low + 1).max(MIN_EXTRA);
    rules.fields[field].ty = Type::Int(low, widest);
    let wide = Game::on_reference(rules);
    let limits = Limits { positions: Some(MAX_POSITIONS), ..Limits::default() };
    let mut watch = Greatest { game: &wide, field, value: high };
    let seen = explore(&wide, &[wide.machine.initial()], &limits, &NoProgress, &mut watch);
    (matches!(seen.ended, ExploreEnd::Complete) && (high + 1..widest).contains(&watch.value))
        .then_some(watch.value)
}

/// The greatest value of a field so far.
struct Greatest<'a> {
    game: &'a Game,
    field: FieldId,
    value: i64,
}

impl Visitor for Greatest<'_> {
    fn visit(&mut self, visit: &VisitedPosition<'_>) -> ControlFlow<()> {
        let cells = self.game.rules.fields[self.field].cells();
        for value in self.game.machine.read_all(visit.state, self.field, cells) {
            if let Value::Int(value) = value {
                self.value = self.value.max(value);
            }
        }
        ControlFlow::Continue(())
    }

    fn broken(&mut self, _index: u32, kind: &PositionFault) -> ControlFlow<()> {
        match kind {
            PositionFault::Stuck => ControlFlow::Continue(()),
            PositionFault::Fault(_) => ControlFlow::Break(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn the_range_that_is_enough_is_named() {
        let help = |range: &str, guard: &str| {
            let rest = format!(
                "const most = 5; state {{ n: 0..3 = 0; got: {range} = 0; }} move take(k: 1..2) as \"{{k}}\" {{ when n < 3; n += 1; \
                 {guard} got += k; }} end {{ when n = 3 => draw; }}"
            );
            let found = findings_of_two(&rest, Code::E0503).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let told = help("0..5", "");
        assert!(
            told.starts_with("play takes `got` up to 6 and no further: 0..6 is enough as its range; if the"),
            "{told}"
        );
        assert!(help("0..most", "").starts_with("if the move is illegal"), "{}", help("0..most", ""));
        assert!(help("0..6", "").is_empty());
    }

    #[test]
    fn the_range_that_is_enough_is_that_of_these_parameters() {
        let rest = "param stones: 3..20 = 8; state { left: 0..stones = stones; got[p: Player]: 0..4 = 0; } move take(k: 1..2) as \
                    \"{k}\" { when k <= left; left -= k; got[me] += k; } end { when left = 0 => highest got; }";
        let found = findings_of_two(rest, Code::E0503).into_iter().next();
        let told = found.and_then(|found| found.help).unwrap_or_default();
        let wanted = "with stones = 8, play takes `got` up to 6 and no further: 0..6 is enough as its range for these parameters, \
                      and others may need more; if";
        assert!(told.starts_with(wanted), "{told}");
    }

    #[test]
    fn a_number_without_a_limit_has_no_range_that_is_enough() {
        let rest = "state { n: 0..3 = 0; last: 0..1 = 0; } move go(k: 0..1) as \"{k}\" { n += 1; last := k; } end { when n < 0 \
                    => draw; repeat => draw; }";
        let found = findings_of_two(rest, Code::E0503).into_iter().next();
        let told = found.and_then(|found| found.help).unwrap_or_default();
        assert!(told.starts_with("if the move is illegal"), "{told}");
    }
}
