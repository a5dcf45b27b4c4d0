//! Tries the suggested fixes: a fix that only makes another mistake is not offered.

use bouton_base::source::FileId;
use bouton_syntax::diag::{Code, Diagnostic, Edit, Severity, apply_edits};

/// The maximal number of bytes of a text whose fixes are tried.
const MAX_BYTES: usize = 1 << 16;
/// The maximal number of fixes that are tried; further ones are offered without a trial.
const MAX_FIXES: usize = 16;

/// Withdraws the edits in `text` that leave a finding in the clause that they change. `findings` gives the diagnostics of
/// a changed text, whose file is the second value.
pub(super) fn withdraw_unsound(
    text: &str,
    file: FileId,
    diagnostics: &mut [&mut Diagnostic],
    findings: impl Fn(&str) -> (Vec<Diagnostic>, FileId),
) {
    let in_file =
        |found: &Diagnostic| !found.edits.is_empty() && found.edits.iter().all(|e| e.span.file == file);
    if text.len() > MAX_BYTES {
        return;
    }
    let known: Vec<(String, String)> = diagnostics
        .iter()
        .filter(|found| found.span().file == file)
        .map(|found| (found.code.name().to_owned(), found.title.clone()))
        .collect();
    let is_new_fault = |later: &Diagnostic| {
        let is_fault = later.severity() == Severity::Error || later.code == Code::W0123;
        is_fault && !known.contains(&(later.code.name().to_owned(), later.title.clone()))
    };
    // Mostly all fixes are sound, also together.
    let offered: Vec<Diagnostic> =
        diagnostics.iter().filter(|found| in_file(found)).map(|found| (**found).clone()).collect();
    if offered.is_empty() {
        return;
    }
    let (new, mended) = apply_edits(text, file, &offered);
    if mended == offered.len() && !findings(&new).0.iter().any(is_new_fault) {
        return;
    }
    for found in diagnostics.iter_mut().filter(|found| in_file(found)).take(MAX_FIXES) {
        let (new, _) = apply_edits(text, file, std::slice::from_ref(*found));
        let clauses = changed_clauses(&new, &found.edits);
        let (after, file) = findings(&new);
        let is_unsound = after.iter().any(|later| {
            let span = later.span();
            let is_here =
                clauses.iter().any(|(start, end)| span.range().start < *end && span.range().end > *start);
            span.file == file && is_here && is_new_fault(later)
        });
        if is_unsound {
            found.edits.clear();
        }
    }
}

/// The ranges of the clauses in the new text that the edits change.
fn changed_clauses(new: &str, edits: &[Edit]) -> Vec<(usize, usize)> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut shift: i64 = 0;
    let mut clauses = Vec::new();
    for edit in sorted {
        let range = edit.span.range();
        let start = (range.start as i64 + shift).max(0) as usize;
        let end = start + edit.text.len();
        shift += edit.text.len() as i64 - (range.end - range.start) as i64;
        let before = new.get(..start).and_then(|text| text.rfind([';', '{', '}'])).map_or(0, |at| at + 1);
        let rest = new.get(end..).unwrap_or_default();
        clauses.push((before, end + rest.find([';', '{', '}']).map_or(rest.len(), |at| at + 1)));
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_base::source::Span;

    #[test]
    fn a_fix_that_makes_another_mistake_is_withdrawn() {
        let file = FileId(0);
        let text = "a; foo 3; b;";
        let mended = |at: u32, new: &str| {
            let span = Span { file, start: at, end: at };
            Diagnostic::new(Code::E0013, "x", span, "").edit(span, new)
        };
        let later = |text: &str| {
            let start = text.find("foo").expect("the word") as u32;
            let span = Span { file, start, end: start + 3 };
            (vec![Diagnostic::new(Code::E0101, "there is no `foo`", span, "")], file)
        };
        let (mut here, mut elsewhere) = (mended(6, " :="), mended(11, "!"));
        withdraw_unsound(text, file, &mut [&mut here, &mut elsewhere], later);
        assert!(here.edits.is_empty());
        assert_eq!(elsewhere.edits.len(), 1);
    }
}
