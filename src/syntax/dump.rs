//! Dumps trees as indented words without spans: for `bouton dump --stage ast`, and to compare two trees.
//!
//! The dump rewrites the derived `Debug` output, so that it cannot miss a part of the tree. It omits empty, absent or
//! false parts, and puts a node with one part on one line with this part.

use std::fmt::Debug;
use std::fmt::Write;

use super::ast::{Expr, File};
use bouton_base::cancel;

/// Dumps the tree of a file.
pub fn dump(file: &File) -> String {
    let mut out = String::new();
    for line in &file.doc {
        out.push_str(&format!("doc {line:?}\n"));
    }
    for item in &file.items {
        cancel::step();
        out.push_str(&tree(item));
    }
    out
}

/// Dumps an expression.
pub fn dump_expr(expr: &Expr) -> String {
    tree(expr)
}

fn tree(node: &impl Debug) -> String {
    let text = format!("{node:#?}");
    let lines = lines(&text);
    let mut out = String::new();
    let mut shift: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (level, mut words) = (lines[at].0, lines[at].1.to_owned());
        while shift.last().is_some_and(|&(outer, _)| outer >= level) {
            shift.pop();
        }
        let depth = shift.last().map_or(0, |&(_, depth)| depth + 1);
        while let Some(part) = only_part(&lines, at, level) {
            at += 1;
            join(&mut words, part);
        }
        shift.push((level, depth));
        let _ = writeln!(out, "{}{}", "  ".repeat(depth), words);
        at += 1;
    }
    out
}

/// The depth and the words of each line of the `Debug` output; brackets without a word make no level.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut bare = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        let words = line.trim_start();
        let level = (line.len() - words.len()) / 4;
        if matches!(words, "[" | "(" | "{") {
            bare.push(level);
        } else if words.starts_with([']', ')', '}']) {
            if bare.last() == Some(&level) {
                bare.pop();
            }
        } else if let Some(words) = part(words) {
            lines.push((level - bare.len(), words));
        }
    }
    lines
}

/// The words of a line; `None` if it is a span or an absent part.
fn part(line: &str) -> Option<&str> {
    let is_string = line.trim_end_matches(',').ends_with('"');
    let words =
        if is_string { line.trim_end_matches(',') } else { line.trim_end_matches([' ', ',', '(', '[', '{']) };
    let (field, value) = words.split_once(": ").filter(|_| !words.starts_with('"')).unwrap_or(("", words));
    let is_span = value.split_once("..").is_some_and(|(a, b)| is_number(a) && is_number(b));
    let is_absent = field != "kind" && !field.is_empty() && matches!(value, "None" | "false" | "[]");
    (!is_span && !is_absent).then_some(words)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The line after `at`, if it is the only part of the node at `level`.
fn only_part<'t>(lines: &[(usize, &'t str)], at: usize, level: usize) -> Option<&'t str> {
    let &(inner, words) = lines.get(at + 1)?;
    let others = lines[at + 2..].iter().take_while(|(other, _)| *other > level);
    let mut others = others.map(|&(other, _)| other);
    (inner > level && !others.any(|other| other <= inner)).then_some(words)
}

/// Appends the words of the only part, without names of mere wrappers.
fn join(words: &mut String, part: &str) {
    let wraps: &[&str] = match part.split_once(": ") {
        Some(("text", _)) => &["Name", "Str", "Number"],
        Some(("kind", _)) => &["Expr", "Type", "Some"],
        _ => &["Some"],
    };
    let wrapped = wraps.iter().find_map(|wrap| words.strip_suffix(wrap));
    if let Some(rest) = wrapped.filter(|rest| rest.is_empty() || rest.ends_with(' ')) {
        words.truncate(rest.trim_end().len());
    }
    let part = part.strip_prefix("kind: ").or_else(|| part.strip_prefix("text: ")).unwrap_or(part);
    if !words.is_empty() {
        words.push(' ');
    }
    words.push_str(part);
}

#[cfg(test)]
mod tests {
    use bouton_base::source::Sources;

    #[test]
    fn a_tree_is_told_in_few_words() {
        let mut sources = Sources::new();
        let file = sources.add("text", "def f(c: Cell) = at[c] = none or not (true);");
        let dump = super::dump(&crate::parse(&sources, file).file);
        let expected = r#"Item Def
  name: "f"
  formals: Bind
    name: "c"
    ty: Expr Name "Cell"
  body: Binary
    Or
    Compare
      Index
        Name "at"
        Name "c"
      Equal
      None
    Unary
      Not
      Paren Bool true
"#;
        assert_eq!(dump, expected, "{dump}");
    }
}
