//! Applies the edits of diagnostics to a file, for `check --fix`.

use super::{Diagnostic, Edit};
use bouton_base::source::{FileId, Sources, Span};

/// The title of the fix of a diagnostic, for menus of editors.
pub fn fix_title(sources: &Sources, found: &Diagnostic) -> String {
    let [edit] = &found.edits[..] else {
        return format!("Fix {}: {}", found.code, found.help.as_deref().unwrap_or(&found.title));
    };
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match (squeezed(sources.slice(edit.span)).as_str(), squeezed(&edit.text).as_str()) {
        ("", new) => format!("Insert `{new}`"),
        (old, "") => format!("Remove `{old}`"),
        (old, new) => format!("Replace `{old}` by `{new}`"),
    }
}

/// Returns the text with the edits of the diagnostics in `file`, and the number of corrected diagnostics. All edits of
/// a diagnostic apply, or none: it is skipped if one of its edits overlaps an accepted edit, lies in another file, does
/// not fit the text, or inserts words that stand there. Edits of the syntax come first: the place of a term that a repair
/// has made is the whole of what it replaced, and an edit of that term would write it over the rest. The caller must parse
/// the result again before keeping it.
pub fn apply_edits(text: &str, file: FileId, diagnostics: &[Diagnostic]) -> (String, usize) {
    let mut taken: Vec<&Edit> = Vec::new();
    let mut mended = 0;
    let (first, later): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        diagnostics.iter().filter(|d| !d.edits.is_empty()).partition(|d| is_of_the_syntax(d));
    for diagnostic in first.into_iter().chain(later) {
        let fits = |edit: &Edit| edit.span.file == file && text.get(edit.span.range()).is_some();
        let clear = |edit: &Edit| taken.iter().all(|other| !overlap(edit, other));
        if diagnostic.edits.iter().all(|e| fits(e) && clear(e) && !repeats(text, e)) {
            taken.extend(&diagnostic.edits);
            mended += 1;
        }
    }
    taken.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in taken {
        let range = edit.span.range();
        if range.start < at {
            continue;
        }
        out.push_str(&text[at..range.start]);
        out.push_str(without_double_blanks(&out, &edit.text, &text[range.end..]));
        at = range.end;
    }
    out.push_str(&text[at..]);
    (out, mended)
}

/// The maximal number of diagnostics among which nested edits are looked for.
const MAX_NESTED: usize = 500;

/// Drops the edits of terms that a repair has made: their place is the whole of what the repair replaced, and they would
/// write one term over it. The next run offers them again.
pub(crate) fn drop_nested_edits(diagnostics: &mut [Diagnostic]) {
    if diagnostics.len() > MAX_NESTED {
        return;
    }
    let repairs = diagnostics.iter().filter(|found| is_of_the_syntax(found)).flat_map(|found| &found.edits);
    let replaced: Vec<Span> = repairs.map(|edit| edit.span).filter(|span| span.start < span.end).collect();
    for found in diagnostics.iter_mut().filter(|found| !is_of_the_syntax(found)) {
        let is_nested = found.edits.iter().any(|edit| replaced.contains(&edit.span))
            || replaced.contains(&found.span()) && !found.edits.is_empty();
        if is_nested {
            found.edits.clear();
        }
    }
}

/// Returns true for the codes of unreadable text.
fn is_of_the_syntax(found: &Diagnostic) -> bool {
    found.code.to_string().as_str() < "E0100"
}

/// Returns true if two edits touch the same text; two insertions at one offset do.
fn overlap(a: &Edit, b: &Edit) -> bool {
    (a.span.start < b.span.end && b.span.start < a.span.end) || a.span.start == b.span.start
}

/// The new text of an edit without the blanks at its ends that stand there already.
fn without_double_blanks<'t>(before: &str, new: &'t str, after: &str) -> &'t str {
    if new.trim().is_empty() {
        return new;
    }
    let new = if before.ends_with(char::is_whitespace) { new.trim_start_matches(' ') } else { new };
    let is_blank = |c: char| c.is_whitespace() || matches!(c, ';' | ',' | ')');
    if after.starts_with(is_blank) { new.trim_end_matches(' ') } else { new }
}

/// Returns true if an edit inserts words where the same ones stand before or behind: an earlier run has inserted them, in
/// vain.
fn repeats(text: &str, edit: &Edit) -> bool {
    let range = edit.span.range();
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else { return false };
    let new = edit.text.trim();
    let has_words = new.contains(' ') && new.starts_with(|c: char| c.is_alphabetic());
    range.is_empty() && has_words && (before.trim_end().ends_with(new) || after.trim_start().starts_with(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Code;

    #[test]
    fn blanks_are_not_doubled() {
        let file = FileId(0);
        let mended = |text: &str, start, end, new: &str| {
            let found = Diagnostic::new(Code::E0013, "x", Span::new(file, start, end), "");
            apply_edits(text, file, &[found.edit(Span::new(file, start, end), new)]).0
        };
        assert_eq!(mended("a && b", 2, 4, " and "), "a and b");
        assert_eq!(mended("a&&b", 1, 3, " and "), "a and b");
        assert_eq!(mended("a won;", 2, 5, " wins "), "a wins;");
    }

    #[test]
    fn edits_of_made_terms_are_left_for_the_next_run() {
        let file = FileId(0);
        let found = |code, text: &str| {
            let span = Span::new(file, 2, 9);
            Diagnostic::new(code, "x", span, "").edit(span, text)
        };
        let later = [found(Code::E0201, "y"), found(Code::E0005, "when x;")];
        assert_eq!(apply_edits("a if x: y b", file, &later).0, "a when x; b");
        let mut both = [found(Code::E0005, "when x;"), found(Code::E0201, "y")];
        drop_nested_edits(&mut both);
        assert_eq!((both[0].edits.len(), both[1].edits.len()), (1, 0));
    }

    #[test]
    fn words_are_inserted_once() {
        let file = FileId(0);
        let found = [Diagnostic::new(Code::E0321, "x", Span::new(file, 8, 8), "")
            .edit(Span::new(file, 8, 8), " in deal")];
        let (once, count) = apply_edits("move m() {}", file, &found);
        assert_eq!((once.as_str(), count), ("move m() in deal {}", 1));
        assert_eq!(apply_edits(&once, file, &found), (once.clone(), 0));
    }

    #[test]
    fn edits_that_overlap_are_left_for_the_next_run() {
        let file = FileId(0);
        let found = |start, end, text: &str| {
            Diagnostic::new(Code::E0001, "x", Span::new(file, start, end), "")
                .edit(Span::new(file, start, end), text)
        };
        let text = "abc def";
        assert_eq!(apply_edits(text, file, &[found(4, 7, "DEF"), found(0, 1, "A")]), ("Abc DEF".into(), 2));
        assert_eq!(apply_edits(text, file, &[found(0, 3, "x"), found(1, 2, "y")]), ("x def".into(), 1));
        assert_eq!(apply_edits(text, file, &[found(3, 3, ";"), found(3, 3, ":")]), ("abc; def".into(), 1));
        assert_eq!(apply_edits(text, file, &[found(3, 90, ";")]), ("abc def".into(), 0));
    }
}
