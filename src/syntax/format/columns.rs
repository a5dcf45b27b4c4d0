//! The alignment of `=>`, `:=`, `=` and comments in columns.

use super::Line;
use crate::keywords;

/// The maximal distance between columns of operators that are aligned.
const MAX_COLUMN_DISTANCE: usize = 30;

/// The kind of an aligned column; a run of lines aligns one kind.
#[derive(Clone, PartialEq, Eq)]
enum Column {
    Arrow,
    Assignment,
    Definition(String),
}

/// Aligns the operators of consecutive lines if the author has begun to: one of these lines has more than one blank
/// before its operator.
pub(super) fn align(lines: &mut [Line]) {
    let signs: Vec<Option<(usize, Column)>> = lines.iter().map(sign).collect();
    let mut start = 0;
    while start < lines.len() {
        let mut end = start + 1;
        while end < lines.len() && goes_on(lines, &signs, start, end) {
            end += 1;
        }
        align_run(&mut lines[start..end], &signs[start..end]);
        start = end;
    }
}

fn goes_on(lines: &[Line], signs: &[Option<(usize, Column)>], start: usize, at: usize) -> bool {
    let (Some((_, first)), Some((_, other))) = (&signs[start], &signs[at]) else { return false };
    let column = |at: usize| signs[at].as_ref().map_or(0, |(sign, _)| lines[at].column(*sign));
    first == other
        && !lines[at].gap
        && lines[at].indent == lines[start].indent
        && (start..at).all(|before| column(before).abs_diff(column(at)) <= MAX_COLUMN_DISTANCE)
}

fn align_run(lines: &mut [Line], signs: &[Option<(usize, Column)>]) {
    let places: Vec<usize> = signs.iter().flatten().map(|(at, _)| *at).collect();
    if places.len() != lines.len() || lines.len() < 2 {
        return;
    }
    if !lines.iter().zip(&places).any(|(line, &at)| line.words[at].given > 1) {
        return;
    }
    let column = lines.iter().zip(&places).map(|(line, &at)| line.column(at)).max().unwrap_or(0);
    for (line, &at) in lines.iter_mut().zip(&places) {
        line.words[at].blanks += column - line.column(at);
    }
}

/// The operator of a line that may be aligned, with its index.
fn sign(line: &Line) -> Option<(usize, Column)> {
    let first = line.words.first()?;
    if line.words.iter().any(|word| word.text.contains('\n')) {
        return None;
    }
    let find = |signs: &[&str]| {
        line.words.iter().position(|word| word.depth == first.depth && signs.contains(&word.text.as_str()))
    };
    if let Some(at) = find(&["=>"]).filter(|&at| at > 0) {
        return Some((at, Column::Arrow));
    }
    if let Some(at) = find(&[":=", "+=", "-=", "|=", "<-"]).filter(|&at| at > 0) {
        return Some((at, Column::Assignment));
    }
    let at = find(&["="])?;
    let is_field = find(&[":"]).is_some_and(|colon| colon < at) && !keywords::is_reserved(&first.text);
    let is_definition =
        matches!(first.text.as_str(), "const" | "def" | "param" | "type" | "let" | "board" | "inductive");
    (is_definition || is_field && first.depth > 0).then(|| {
        let kind = if is_definition { first.text.clone() } else { String::new() };
        (at, Column::Definition(kind))
    })
}

/// Aligns the comments of consecutive lines: in the author's column if all agree and it fits.
pub(super) fn align_comments(lines: &mut [Line]) {
    let is_run = |line: &Line| line.comment.is_some() && !line.words.is_empty();
    let mut start = 0;
    while start < lines.len() {
        if !is_run(&lines[start]) {
            start += 1;
            continue;
        }
        let mut end = start + 1;
        while end < lines.len() && is_run(&lines[end]) && !lines[end].gap {
            end += 1;
        }
        let run = &mut lines[start..end];
        let widest = run.iter().map(Line::width).max().unwrap_or(0);
        let given: Vec<usize> =
            run.iter().flat_map(|line| &line.comment).map(|comment| comment.given_column).collect();
        let agreed = given.iter().all(|&column| column == given[0]) && given[0] > widest;
        let column = if agreed { given[0] } else { widest + 2 };
        for comment in run.iter_mut().flat_map(|line| &mut line.comment) {
            comment.column = column;
        }
        start = end;
    }
}
