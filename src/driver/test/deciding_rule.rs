//! The end rule by which a play ends, for a claim about the result that does not hold.

use bouton_rules::play::ToMove;
use bouton_rules::{ExprKind, MOVER, OutcomeExpr, Value};
use bouton_search::game::{Game, State};
use bouton_search::solve::WrittenMove;
use bouton_syntax::diag::Diagnostic;

/// Marks the rule that decides at the end of a line of play, and says who `mover` is there if the rule names it.
pub fn mark_deciding_rule(game: &Game, from: &State, line: &[WrittenMove], found: Diagnostic) -> Diagnostic {
    let Some(last) = line.iter().try_fold(from.clone(), |state, made| {
        let successors = game.machine.successors(&state).ok()?;
        successors.into_iter().find(|next| next.play == made.play).map(|next| next.state)
    }) else {
        return found;
    };
    let Ok(ToMove::Terminal(outcome)) = game.machine.turn(&last) else { return found };
    let rules = &game.rules;
    let Some(rule) = rules.ends.get(outcome.rule).filter(|rule| rule.span.is_placed()) else { return found };
    let is_mover = |kind: &ExprKind| matches!(kind, ExprKind::Field(MOVER, _));
    let label = match (&rule.outcome, game.machine.read(&last, MOVER, 0)) {
        (OutcomeExpr::Player(player, _), mover @ Value::Sym(..)) if rules.mentions(player, &is_mover) => {
            format!("this rule decides at the end of this play, where `mover` is {}", rules.show(&mover))
        }
        _ => "this rule decides at the end of this play".to_owned(),
    };
    found.label(rule.span, label)
}

#[cfg(test)]
mod tests {
    use bouton_base::limits::NoProgress;

    use crate::budget::Budget;
    use crate::load::GameSource;
    use crate::test::{TestOptions, test};

    /// The labels of the failures of a text's claims.
    fn labels(end: &str, claims: &str) -> Vec<String> {
        let source = format!(
            "game \"Take\"; players A, B; state {{ n: 0..5 = 5; }}\n\
             move take(k: 1..2) as \"{{k}}\" {{ when k <= n; n -= k; }} {end} {claims}\n"
        );
        let options = TestOptions { all: false, budget: &Budget::default(), progress: &NoProgress };
        let report = test(&mut GameSource::from_string("game.bou", &source), &options);
        assert!(report.errors.is_empty(), "{:?}", report.errors);
        report.failures.iter().flat_map(|found| found.labels.iter().map(|label| label.text.clone())).collect()
    }

    #[test]
    fn the_rule_that_decides_is_marked() {
        let none = "this does not hold";
        let rule = "this rule decides at the end of this play";
        assert_eq!(
            labels("end { when n = 0 => mover wins; }", "expect second wins;"),
            [none.to_owned(), format!("{rule}, where `mover` is A")]
        );
        assert_eq!(labels("end { when n = 0 => draw; }", "expect first wins;"), [none, rule]);
        let normal = format!("{rule}, where `mover` is B");
        assert_eq!(labels("play normal;", "expect draw;"), [none.to_owned(), normal]);
    }

    #[test]
    fn the_false_parts_of_a_claim_are_marked() {
        let of = |claim: &str| labels("play normal;", claim);
        assert_eq!(of("expect n = 5 and mover = B;"), ["the left side is A, the right side B"]);
        assert_eq!(
            of("expect n = 4 and not n > 1 and n < 9;"),
            ["the left side is 5, the right side 4", "it is false"]
        );
        assert_eq!(of("expect n = 4;"), ["this does not hold"]);
    }
}
