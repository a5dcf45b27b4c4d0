//! End rules that decide no position, beside positions in which nobody can move (E0501) and plays without end (E0505):
//! the mistake may be in the rule.

use super::diagnostics::ExploredGame;
use super::never_true_parts;
use crate::load::GameSource;
use bouton_base::limits::Limits;
use bouton_base::source::Span;
use bouton_syntax::diag::{Code, Diagnostic, Label};
use std::time::Duration;

/// The maximal time of the search for the parts of end rules that never hold.
const PART_TIME: Duration = Duration::from_secs(2);
/// The maximal number of end rules that are told.
const MAX_RULES: usize = 2;

/// Adds to the first finding with one of these codes, about a position without a move or a play without end, the end
/// rules that never hold, with the part that is why. All positions were explored.
pub(super) fn explain(
    text: &GameSource,
    explored: ExploredGame<'_>,
    limits: &Limits,
    found: &mut [Diagnostic],
    asked: &[Code],
) {
    let is_asked = |found: &&mut Diagnostic| asked.contains(&found.code);
    let Some(error) = found.iter_mut().find(is_asked) else { return };
    let bounded = explored.game.with_limits(&super::with_deadline(limits, PART_TIME));
    let ends = explored.game.rules.ends.iter().zip(&explored.watch.ended);
    let never = ends.filter(|(rule, ended)| !**ended && rule.span.is_placed());
    let parts: Vec<_> = never
        .filter_map(|(rule, _)| {
            let part = never_true_parts::never_holds(text, &bounded, explored.seen, rule)?;
            Some((text.words(rule.condition.span), part))
        })
        .take(MAX_RULES)
        .collect();
    let words: Vec<String> = parts.iter().map(|(words, _)| format!("`{words}`")).collect();
    let listed = words.join(" and ");
    if listed.is_empty() || listed.len() > 120 {
        return;
    }
    // Other causes are surer.
    let rest = error.help.clone().unwrap_or_default();
    let unsure = ["lines lead to", "if there should be a move", "if play may come back to a position"];
    if !unsure.iter().any(|start| rest.starts_with(start)) {
        return;
    }
    // The label around all rules would hide those of one.
    let is_around = |span: Span| parts.iter().any(|(_, part)| span.covers(part.span));
    error.labels.retain(|label| !is_around(label.span));
    for (_, part) in parts {
        error.labels.push(Label { span: part.span, text: part.label });
    }
    let here = if error.code == Code::E0501 { " here" } else { "" };
    let verb = if words.len() > 1 { "hold" } else { "holds" };
    error.help = Some(format!(
        "{listed} {verb} in no position: correct that end rule first if it is to end the game{here}; otherwise, {rest}"
    ));
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings_of_two;

    #[test]
    fn an_end_rule_that_never_holds_is_told_first() {
        let help = |end: &str| {
            let rest = format!(
                "state {{ n: 0..4 = 0; m: 0..2 = 0; }} move go(k: 1..2) as \"{{k}}\" {{ when n + k <= 4; n += k; m := if \
                 n = 0 then 1 else 0; }} end {{ when {end} => A wins; }}"
            );
            let found = findings_of_two(&rest, Code::E0501).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "`n = 4 and m = 2` holds in no position: correct that end rule first if it is to end the game here; ";
        assert!(help("n = 4 and m = 2").starts_with(wanted), "{}", help("n = 4 and m = 2"));
        assert!(help("n = 4").is_empty());
    }

    #[test]
    fn an_end_rule_that_never_holds_is_told_of_a_play_without_end() {
        let help = |end: &str| {
            let rest = format!(
                "state {{ n: 0..4 = 0; }} move go(k: 1..2) as \"{{k}}\" {{ n := if n >= 2 then 1 else n + k; }} end {{ when {end} \
                 => A wins; }}"
            );
            let found = findings_of_two(&rest, Code::E0505).into_iter().next();
            found.and_then(|found| found.help).unwrap_or_default()
        };
        let wanted = "`n = 4` holds in no position: correct that end rule first if it is to end the game; otherwise, if play";
        assert!(help("n = 4").starts_with(wanted), "{}", help("n = 4"));
        assert!(help("n = 3").starts_with("if play may come back"), "{}", help("n = 3"));
    }
}
