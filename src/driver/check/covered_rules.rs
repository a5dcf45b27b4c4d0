//! End rules that another one covers (W0532): the way out for a rule behind one that holds wherever it does, and a rule
//! before one that gives the same result in more positions.

use super::diagnostics::ExploredGame;
use super::ends;
use super::visitor::MAX_COVER_TESTS;
use crate::load::GameSource;
use bouton_base::source::Span;
use bouton_rules::EndRule;
use bouton_search::game::ToMove;
use bouton_syntax::diag::{Code, Diagnostic};

/// The help on a rule behind a more general one.
pub(super) const SPECIAL_FIRST: &str =
    "the first rule that holds counts: put the special case before the general one";

/// The maximal length of a part of a rule that is repeated.
const MAX_WORDS: usize = 60;

/// An end rule as it is written: `when a and b => A wins`.
#[derive(Debug)]
struct WrittenRule {
    /// The words before `when`, for a rule with a binder.
    binder: String,
    /// The parts that `and` joins.
    parts: Vec<String>,
    outcome: String,
}

impl WrittenRule {
    fn parse(words: &str) -> Option<WrittenRule> {
        let words = words.trim().trim_end_matches(';').trim_end();
        let (condition, outcome) = words.split_once(" => ")?;
        let (binder, condition) = match condition.strip_prefix("when ") {
            Some(condition) => ("", condition),
            None => condition.split_once(" when ").filter(|(binder, _)| binder.starts_with("for "))?,
        };
        let has_other = [" or ", " implies ", " iff ", "//"].iter().any(|word| condition.contains(word));
        if has_other || outcome.contains(" => ") {
            return None;
        }
        let parts = parts_of(condition);
        Some(WrittenRule { binder: binder.to_owned(), parts, outcome: outcome.trim().to_owned() })
    }

    /// Returns true if this rule asks for all that another one asks for, and for more.
    fn is_special_case_of(&self, other: &WrittenRule) -> bool {
        self.binder == other.binder
            && self.parts.len() > other.parts.len()
            && other.parts.iter().all(|part| self.parts.contains(part))
    }
}

/// The parts of a condition that `and` joins outside of brackets. A quantifier takes in all behind it.
fn parts_of(condition: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    let mut is_open = true;
    for word in condition.split_whitespace() {
        if word == "and" && depth == 0 && is_open {
            parts.push(String::new());
            continue;
        }
        for c in word.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                // The body of a quantifier goes on to the end.
                ':' if depth == 0 => is_open = false,
                _ => {}
            }
        }
        if let Some(last) = parts.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    parts
}

/// Puts the way out that fits into the findings of rules behind others that hold as well.
pub(super) fn explain(text: &GameSource, explored: ExploredGame<'_>, found: &mut [Diagnostic]) {
    let ends = &explored.game.rules.ends;
    for diagnostic in found.iter_mut().filter(|found| found.help.as_deref() == Some(SPECIAL_FIRST)) {
        let Some(place) = ends.iter().position(|rule| rule.span == diagnostic.span()) else { continue };
        let Some(earlier) = explored.watch.covered[place] else { continue };
        if let Some(help) = way_out(text, explored, earlier, place) {
            diagnostic.help = Some(help);
        }
    }
}

fn way_out(text: &GameSource, explored: ExploredGame<'_>, earlier: usize, place: usize) -> Option<String> {
    let ends = &explored.game.rules.ends;
    let (first, second) = (text.words(ends[earlier].span), text.words(ends[place].span));
    if let Some(play) = second.strip_prefix("play ") {
        let play = play.trim_end_matches(';').trim();
        return Some(format!(
            "the rules of `end` decide wherever nobody can move: leave `play {play};` out; if it is to decide there, the rule \
             above must not hold"
        ));
    }
    if let (Some(special), Some(general)) = (WrittenRule::parse(&first), WrittenRule::parse(&second)) {
        let is_short = general.outcome.len() <= MAX_WORDS;
        if special.outcome == general.outcome && is_short {
            return Some(format!(
                "both rules give `{}`: leave this one out, or correct one of the outcomes",
                general.outcome
            ));
        }
        if special.is_special_case_of(&general) {
            let more: Vec<String> = special
                .parts
                .iter()
                .filter(|part| !general.parts.contains(part) && part.len() <= MAX_WORDS)
                .map(|part| format!("`{part}`"))
                .collect();
            let (which, verb) = match &more[..] {
                [] => ("what it asks for besides".to_owned(), "holds"),
                [only] => (only.clone(), "holds"),
                several => (several.join(" and "), "hold"),
            };
            return Some(format!(
                "the rule above asks for more, and stands first as it should; but {which} {verb} wherever this rule does: \
                 correct that part, or leave this rule out"
            ));
        }
    }
    decides_alone(explored, earlier, place).map(|alone| match alone {
        true => SPECIAL_FIRST.to_owned(),
        false => "the two rules hold in the same positions, so the second of them never decides: leave one of them out, or \
                  correct one of the conditions"
            .to_owned(),
    })
}

/// Returns true if a rule decides a position where a later one does not hold; `None` if that is not known.
fn decides_alone(explored: ExploredGame<'_>, earlier: usize, place: usize) -> Option<bool> {
    let ExploredGame { game, seen, .. } = explored;
    let mut left = MAX_COVER_TESTS;
    for at in 0..seen.visited {
        let state = seen.arena.state(at);
        let Ok(ToMove::Terminal(outcome)) = game.machine.turn(&state) else { continue };
        left = left.checked_sub(1)?;
        if outcome.rule == earlier && ends::answers(game, &state, &game.rules.ends[place]).ok()?.is_empty() {
            return Some(true);
        }
    }
    Some(false)
}

/// W0532: rules of which the next one holds wherever they do, with the same outcome.
pub(super) fn needless(text: &GameSource, ends: &[EndRule], found: &mut Vec<Diagnostic>) {
    for rule in ends.iter().filter(|rule| rule.span.is_placed()) {
        let Some(before) = rule_before(text, rule.span) else { continue };
        let is_told =
            found.iter().any(|of| of.code == Code::W0532 && [before, rule.span].contains(&of.span()));
        let written = |span| WrittenRule::parse(&text.words(span));
        let (Some(special), Some(general)) = (written(before), written(rule.span)) else { continue };
        // A rule for each player may hold for another player than the one before it.
        if is_told
            || !special.binder.is_empty()
            || special.outcome != general.outcome
            || !special.is_special_case_of(&general)
        {
            continue;
        }
        let title = "this end rule changes nothing: the next one gives the same result".to_owned();
        found.push(
            Diagnostic::new(Code::W0532, title, before, "the next rule holds as well here")
                .label(rule.span, format!("gives `{}` too, and asks for less", general.outcome))
                .help("give one of them another outcome, or leave this one out"),
        );
    }
}

/// The place of the rule before another one in the text, also of one that the values of the parameters leave out.
fn rule_before(text: &GameSource, rule: Span) -> Option<Span> {
    let source = &text.sources.source_of(rule)?.text;
    let before = source.get(..rule.range().start)?.trim_end();
    let head = before.strip_suffix(';')?;
    let mut depth = 0usize;
    let mut start = None;
    for (at, c) in head.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' => depth = depth.checked_sub(1)?,
            '{' if depth == 0 => start = Some(at + 1),
            '{' => depth -= 1,
            ';' if depth == 0 => start = Some(at + 1),
            _ => {}
        }
        if start.is_some() {
            break;
        }
    }
    let start = start?;
    let lead = head[start..].len() - head[start..].trim_start().len();
    let start = start + lead;
    let words = &head[start..];
    let is_rule = words.starts_with("when ") || words.starts_with("for ");
    is_rule.then(|| Span::new(rule.file, start, head.len()))
}

#[cfg(test)]
mod tests {
    use bouton_syntax::diag::Code;

    use crate::check::testing::{findings, findings_of_two};

    /// The title and the help of W0532 in a game with these end rules.
    fn told(head: &str, end: &str) -> Vec<(String, String)> {
        let rest = format!(
            "{head} state {{ n: 0..7 = 0; odd: bool = false; }} move go(k: 1..2) as \"{{k}}\" {{ when n + k <= 7; n += k; if k = 1 {{ \
             odd := true; }} else {{ odd := false; }} }} end {{ {end} }}"
        );
        let of = |found: bouton_syntax::diag::Diagnostic| (found.title, found.help.unwrap_or_default());
        findings_of_two(&rest, Code::W0532).into_iter().map(of).collect()
    }

    #[test]
    fn a_rule_before_one_of_the_same_outcome_is_named() {
        let param = "param misere: bool = false;";
        let found =
            told(param, "when n = 7 and misere => other(mover) wins; when n = 7 => other(mover) wins;");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0.starts_with("this end rule changes nothing"), "{found:?}");
        let found = told(param, "when n = 7 and misere => mover wins; when n = 7 => other(mover) wins;");
        assert!(found.is_empty(), "{found:?}");
        let param = "param misere: bool = true;";
        let found = told(param, "when n = 7 and misere => mover wins; when n = 7 => mover wins;");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].1.starts_with("both rules give `mover wins`"), "{found:?}");
        let found = told("", "when n = 7 and odd => mover wins; when n = 7 => mover wins;");
        assert!(found.len() == 1 && found[0].0.contains("changes nothing"), "{found:?}");
        let found = told("", "when n = 7 and odd => mover wins; when n = 7 => other(mover) wins;");
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn the_way_out_fits_the_order_of_the_rules() {
        let first = |end: &str| told("", end).into_iter().next().unwrap_or_default().1;
        let help = first("when n = 7 and n > 3 => draw; when n = 7 => mover wins;");
        assert!(help.contains("`n > 3` holds wherever this rule does"), "{help}");
        let help = first("when n = 7 => draw; when n = 7 and odd => mover wins;");
        assert_eq!(help, super::SPECIAL_FIRST);
        let help = first("when n = 7 => draw; when n >= 7 => mover wins;");
        assert!(help.starts_with("the two rules hold in the same positions"), "{help}");
    }

    #[test]
    fn play_normal_beside_end_is_told() {
        let rest = "players A, B; state { n: 0..7 = 0; } move go(k: 1..2) as \"{k}\" { when n + k <= 7; n += k; } end { when n = 7 \
                    => mover wins; } play normal;";
        let help =
            findings(rest, Code::W0532).into_iter().next().and_then(|found| found.help).unwrap_or_default();
        assert!(help.contains("leave `play normal;` out"), "{help}");
    }
}
