//! Joins findings of the exploration with the warnings of the text that explain them: end rules that read a term without
//! a value, and positions of a sheet without a legal move.

use bouton_base::source::Span;
use bouton_rules::{EndRule, Expr, ExprKind, Rules};
use bouton_syntax::diag::{Code, Diagnostic, Severity};

use crate::load::GameSource;
use crate::sheet_clauses::SheetClauses;

/// Leaves out that an end rule is never reached where the rule, or a definition that it calls, has a term without a value,
/// as a warning of the text says.
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

/// The place of a definition with its body.
fn whole(span: Span, body: &Expr) -> Span {
    if span.file == body.span.file && body.span.is_placed() { span.to(body.span) } else { span }
}

/// The relations that make moves legal and end a game.
const LEGAL_AND_TERMINAL: [&str; 2] = ["legal", "terminal"];

/// Puts the names of a sheet that nothing makes true or reads before the errors of its positions, which may follow from
/// them. A position without a legal move is no finding of its own where such a name stands in a rule for `legal` or
/// `terminal`, or is likely to mean one of these; the name tells of the position.
pub fn names_of_sheet_first(text: &GameSource, diagnostics: &mut Vec<Diagnostic>) {
    if text.gdl_names().is_none() {
        return;
    }
    let clauses = SheetClauses::of(&text.sources.get(text.file).text, text.file);
    let is_name = |found: &Diagnostic| {
        found.severity() == Severity::Warning && [Code::W0711, Code::W0714].contains(&found.code)
    };
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
