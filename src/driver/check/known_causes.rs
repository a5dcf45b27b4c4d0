//! Joins findings of the exploration with the warnings of the text that explain them: end rules that read a
//! term without a value, and positions of a sheet without a legal move.

use bouton_base::source::Span;
use bouton_rules::{EndRule, Expr, ExprKind, Rules};
use bouton_syntax::diag::{Code, Diagnostic, Severity};

use crate::load::GameSource;
use crate::sheet_clauses::SheetClauses;

/// Leaves out that an end rule is never reached where the rule, or a definition that it calls, has a term
/// without a value, as a warning of the text says.
pub fn leave_out_undefined_rules(rules: &Rules, explored: &mut Vec<Diagnostic>, of_text: &[Diagnostic]) {
    let undefined: Vec<Span> =
        of_text.iter().filter(|found| found.code == Code::W0123).map(Diagnostic::span).collect();
    if undefined.is_empty() {
        return;
    }
    let reads_undefined = |rule: &EndRule| {
        let mut places = vec![rule.span];
        let condition = &rule.condition;
        let is_called =
            |id| rules.mentions(condition, &|kind| matches!(kind, ExprKind::Call(of, _) if *of == id));
        places.extend(
            rules.defs.entries().filter(|(id, _)| is_called(*id)).map(|(_, def)| whole(def.span, &def.body)),
        );
        places.iter().any(|place| undefined.iter().any(|term| place.covers(*term)))
    };
    explored.retain(|found| {
        let mut ends = rules.ends.iter().filter(|rule| rule.span == found.span());
        found.code != Code::W0532 || !ends.any(reads_undefined)
    });
}

/// Leaves out that a condition of a payoff never holds where the payoff is not about its player, as a warning of the text
/// says.
pub fn leave_out_conditions_of_payoffs(explored: &mut Vec<Diagnostic>, of_text: &[Diagnostic]) {
    let is_told = |found: &Diagnostic| {
        of_text.iter().any(|told| told.code == Code::W0343 && told.span().covers(found.span()))
    };
    explored.retain(|found| found.code != Code::W0533 || !is_told(found));
}

/// Joins a move that is never legal with a warning of the text that may be why: a condition of the move that reads too
/// early, or a field that never changes although a move reads it. `moves` are the places of the names of all moves.
pub fn join_dead_moves(moves: &[Span], explored: &mut Vec<Diagnostic>, of_text: &mut [Diagnostic]) {
    let of_move = |place: Span| {
        let before = |of: &&Span| of.file == place.file && of.start < place.start;
        moves.iter().filter(before).max_by_key(|of| of.start).copied()
    };
    let mut dead: Vec<(Option<usize>, String)> = Vec::new();
    explored.retain(|found| {
        if found.code != Code::W0531 {
            return true;
        }
        let reads_early =
            |known: &Diagnostic| known.code == Code::W0313 && of_move(known.span()) == Some(found.span());
        let is_unchanged =
            |known: &Diagnostic| known.code == Code::W0410 && known.title.contains("never changes, although");
        let mut cause = of_text.iter().position(reads_early);
        if cause.is_none() && found.help.is_none() {
            cause = of_text.iter().position(is_unchanged);
        }
        let name = found.title.split('`').nth(1).unwrap_or_default();
        if cause.is_some() {
            dead.push((cause, format!("`{name}`")));
        }
        cause.is_none()
    });
    for (at, found) in of_text.iter_mut().enumerate() {
        let names: Vec<String> =
            dead.iter().filter(|(cause, _)| *cause == Some(at)).map(|(_, name)| name.clone()).collect();
        match &names[..] {
            [] => {}
            [only] => found.notes.push(format!("while this is so, the move {only} is never legal")),
            [all @ .., last] => found
                .notes
                .push(format!("while this is so, the moves {} and {last} are never legal", all.join(", "))),
        }
    }
}

/// The place of a definition with its body.
fn whole(span: Span, body: &Expr) -> Span {
    if span.file == body.span.file && body.span.is_placed() { span.to(body.span) } else { span }
}

/// The relations that make moves legal and end a game.
const LEGAL_AND_TERMINAL: [&str; 2] = ["legal", "terminal"];

/// Puts the names of a sheet that nothing makes true or reads before the errors of its positions, which may
/// follow from them. A position without a legal move is no finding of its own where such a name stands in a
/// rule for `legal` or `terminal`, or is likely to mean one of these; the name tells of the position.
pub fn names_of_sheet_first(text: &GameSource, diagnostics: &mut Vec<Diagnostic>) {
    let is_name = |found: &Diagnostic| {
        found.severity() == Severity::Warning && [Code::W0711, Code::W0714].contains(&found.code)
    };
    // These codes are those of sheets alone.
    if !diagnostics.iter().any(is_name) {
        return;
    }
    let clauses = SheetClauses::of(&text.sources.get(text.file).text, text.file);
    let is_cause = |found: &Diagnostic| {
        let means = |relation: &&str| {
            found.help.as_ref().is_some_and(|help| help.starts_with(&format!("did you mean `{relation}`")))
        };
        let stands_in =
            |relation: &&str| clauses.of_relation(relation).any(|clause| clause.span.covers(found.span()));
        found.code == Code::W0714
            && LEGAL_AND_TERMINAL.iter().any(|relation| means(relation) || stands_in(relation))
    };
    let is_stuck = |found: &Diagnostic| found.code == Code::E0501;
    if let (Some(cause), Some(stuck)) =
        (diagnostics.iter().position(is_cause), diagnostics.iter().position(is_stuck))
    {
        let told = diagnostics[stuck].clone();
        let play = told.notes.iter().find(|note| note.starts_with("shortest play")).cloned();
        let cause = &mut diagnostics[cause];
        cause.notes.push(format!("so {} (E0501)", told.title));
        cause.notes.extend(play);
        diagnostics.remove(stuck);
    }
    diagnostics.sort_by_key(|found| !is_name(found));
}

#[cfg(test)]
mod tests {
    use bouton_base::limits::{Limits, NoProgress};
    use bouton_syntax::diag::Code;

    use crate::check::testing::findings;
    use crate::check::{CheckOptions, check};
    use crate::load::GameSource;

    #[test]
    fn a_term_without_a_value_explains_an_end_rule() {
        let count = |key: u32, code: Code| {
            let rest = format!(
                "player P; state {{ lit[h: 1..3]: 0..2 = 1; n: 0..4 = 0; }} \
                 def same = all h in 1..3: lit[h] + 2 = lit[{key}]; \
                 move light(h: 1..3) as \"{{h}}\" {{ when n < 4 and lit[h] = 1; lit[h] := 2; n += 1; }} \
                 end {{ when same => win; \
                 when stuck => lose; }}"
            );
            findings(&rest, code).len()
        };
        assert_eq!((count(0, Code::W0123), count(0, Code::W0532)), (1, 0));
        assert_eq!((count(1, Code::W0123), count(1, Code::W0532)), (0, 1));
    }

    /// The codes, titles and first labels of the findings of a sheet.
    fn told(sheet: &str) -> Vec<(Code, String, String)> {
        let limits = Limits::default();
        let options = CheckOptions { explore: 1_000, limits: &limits, progress: &NoProgress };
        let found = check(&mut GameSource::from_string("game.kif", sheet), &options).diagnostics;
        let of = |found: bouton_syntax::diag::Diagnostic| {
            let label = found.labels.first().map(|label| label.text.clone()).unwrap_or_default();
            (found.code, found.title, label)
        };
        found.into_iter().map(of).collect()
    }

    #[test]
    fn a_name_of_a_sheet_comes_before_the_position_that_it_leads_to() {
        let found = told(
            "(role a) (role b) (init (n 0)) (legal a wait) (<= (leagl b wait) (true (n 0))) \
             (<= (legal b wait) (true (n 1)))\n\
             (<= (next (n 1)) (true (n 0)))\n(<= terminal (true (n 1)))\n(goal a 50) (goal b 50)\n",
        );
        let codes: Vec<Code> = found.iter().map(|(code, ..)| *code).collect();
        assert!(!codes.contains(&Code::E0501), "{found:?}");
        assert_eq!(codes.first(), Some(&Code::W0714), "{found:?}");
    }

    #[test]
    fn the_rule_of_a_sheet_that_ends_the_game_at_once_is_shown() {
        let found = told(
            "(role a) (role b) (init done) (legal a wait) (legal b wait) (<= (next done) (true done))\n\
             (<= terminal (true done))\n(goal a 70) (goal b 30)\n",
        );
        let labels: Vec<&str> = found.iter().map(|(.., label)| label.as_str()).collect();
        assert_eq!(labels, ["this rule holds in the first position"]);
    }
}
