//! The comments of a sheet, above the items that its rules become.

use super::Importer;
use crate::sheet::Clause;

impl Importer<'_> {
    /// Writes the comments above the first clause, but for one that is the title.
    pub(super) fn first_comments(&mut self) {
        let first = self.sheet.clauses.iter().map(|clause| clause.span.start as usize).min();
        let above = self.text.get(..first.unwrap_or(0)).unwrap_or_default();
        let is_title = |words: &&str| plain(words) == plain(&self.sheet.title);
        let lines: Vec<String> = words(above).filter(|words| !is_title(words)).map(str::to_owned).collect();
        if !lines.is_empty() {
            self.line("");
        }
        lines.iter().for_each(|words| self.line(&format!("// {words}")));
    }

    /// Writes the comments that stand above the first of these clauses.
    pub(super) fn comments(&mut self, indent: &str, is_wanted: impl Fn(&Clause) -> bool) {
        let clauses = &self.sheet.clauses;
        let Some(at) = clauses.iter().position(is_wanted).filter(|at| *at > 0) else { return };
        let (start, end) = (clauses[at].span.start as usize, clauses[at - 1].span.end as usize);
        let between = self.text.get(end..start).unwrap_or_default().to_owned();
        words(&between).for_each(|words| self.line(&format!("{indent}// {words}")));
    }
}

/// The words of the comments in a text, without the signs around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let comments = text.split(['\n', '\r']).filter_map(|line| Some(line.split_once(';')?.1));
    let words = comments
        .map(|comment| comment.trim_matches(|c: char| c == ';' || c.is_whitespace() || c == '-' || c == '='));
    words.filter(|words| words.chars().any(char::is_alphabetic))
}

/// A text without what stands around it that is no part of a title.
fn plain(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric() && c != ')')
}
