//! Numbers and names as people write them.

pub use bouton_base::words::{count_with_noun, group_digits};

/// Some of a long list: `a1, b2, c3 and 6 more`.
pub fn truncated_list(items: &[String], shown: usize) -> String {
    if items.len() <= shown + 1 {
        return items.join(", ");
    }
    format!("{} and {} more", items[..shown].join(", "), items.len() - shown)
}

/// Moves one after the other, as `--moves` takes them: `1 2 1`. Moves whose names have blanks are separated by commas:
/// `take 2, take 1`; blanks in the brackets of simultaneous moves, `(1, 2)`, do not count.
pub fn move_sequence<S: AsRef<str>>(moves: &[S]) -> String {
    let has_blanks = |name: &S| {
        let mut depth = 0;
        name.as_ref().chars().any(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            c == ' ' && depth == 0
        })
    };
    let separator = if moves.len() > 1 && moves.iter().any(has_blanks) { ", " } else { " " };
    moves.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(separator)
}

/// A list with a word before its last item: `a1, b2 and c3`.
pub fn listed_with(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

/// A number of bytes with its unit.
pub fn format_bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} bytes"),
        1_000..1_000_000 => format!("{:.0} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.0} MB", n as f64 / 1e6),
        _ => format!("{:.1} GB", n as f64 / 1e9),
    }
}

/// Escapes a string so that Markdown sees no markup.
pub fn escape_markdown(text: &str) -> String {
    let marks = "\\`*_[]<>#|~";
    text.chars().flat_map(|c| marks.contains(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_sees_no_marks() {
        assert_eq!(escape_markdown("a_b * [c] | 1-2"), "a\\_b \\* \\[c\\] \\| 1-2");
    }

    #[test]
    fn blanks_in_names_need_commas() {
        assert_eq!(move_sequence(&["1", "2"]), "1 2");
        assert_eq!(move_sequence(&["take 1", "2"]), "take 1, 2");
        assert_eq!(move_sequence(&["(0, 1)", "(2, 3)"]), "(0, 1) (2, 3)");
        assert_eq!(move_sequence(&["take 1"]), "take 1");
    }

    #[test]
    fn long_lists_are_cut() {
        let items: Vec<String> = (1..=6).map(|i| i.to_string()).collect();
        assert_eq!(truncated_list(&items, 5), "1, 2, 3, 4, 5, 6");
        assert_eq!(truncated_list(&items, 3), "1, 2, 3 and 3 more");
    }
}
