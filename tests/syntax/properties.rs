//! Properties of every tree and every source.

use std::time::{Duration, Instant};

use bouton_syntax::ast::File;
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{dump, dump_expr, format, print, print_expr};
use proptest::prelude::*;

use crate::trees::TreeGenerator;
use crate::{games, read};

/// The maximal time for a source of a few kilobytes, on a slow and busy machine.
const MAX_PARSE_TIME: Duration = Duration::from_secs(20);

/// Splits a source into words and blanks, in turn.
fn pieces(text: &str) -> Vec<String> {
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        }
    };
    let mut pieces: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        match pieces.last_mut() {
            Some(piece) if kind(c) == last && last != 0 => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        last = kind(c);
    }
    pieces
}

/// Parses arbitrary input, and asserts that its findings have places.
fn survives(text: &str) {
    let start = Instant::now();
    let parsed = read(text);
    for found in &parsed.diagnostics {
        for label in &found.labels {
            let range = label.span.range();
            assert!(text.get(range.clone()).is_some(), "{} at {range:?} of {text:?}", found.title);
        }
        for edit in &found.edits {
            assert!(text.get(edit.span.range()).is_some(), "{:?} of {text:?}", edit.span);
        }
    }
    let _ = print(&parsed.file);
    assert!(start.elapsed() < MAX_PARSE_TIME, "{:?} for {text:?}", start.elapsed());
}

/// Returns true for a finding that random trees may give, since they have no regard to types: a variable that is called, a
/// value of another type than the declared one, a definition that is read as a part of a value.
fn is_about_types(found: &Diagnostic) -> bool {
    let is_a_part = || found.title.ends_with("is a definition, and stands before its arguments");
    [Code::E0102, Code::E0201].contains(&found.code) || is_a_part()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_print_and_parse_to_the_same_tree(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        let tree = TreeGenerator::new(&choices).expr();
        let printed = print_expr(&tree);
        let mut sources = bouton_base::source::Sources::new();
        let file = sources.add("text", printed.clone());
        let (again, found) = bouton_syntax::parse_expr(&sources, file);
        prop_assert!(found.is_empty(), "{printed}: {found:?}");
        prop_assert_eq!(dump_expr(&again.expect("an expression")), dump_expr(&tree), "{}", printed);
    }

    #[test]
    fn texts_print_and_parse_to_the_same_tree(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut trees = TreeGenerator::new(&choices);
        let tree = File { doc: Vec::new(), items: (0..3).map(|_| trees.item()).collect() };
        let printed = print(&tree);
        let again = read(&printed);
        let errors: Vec<_> = again.diagnostics.iter().filter(|d| d.code.name().starts_with('E')).collect();
        prop_assume!(!errors.iter().any(|found| is_about_types(found)));
        prop_assert!(errors.is_empty(), "{printed}\n{errors:?}");
        prop_assert_eq!(dump(&again.file), dump(&tree), "{}", printed);
    }

    #[test]
    fn formatting_keeps_trees_and_comments(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut trees = TreeGenerator::plain(&choices);
        let printed = print(&File { doc: Vec::new(), items: vec![trees.item(), trees.item()] });
        let blanks = [" ", "  ", "\n", "\n\n\n", "   // why\n", " /* so */ ", " "];
        let mut at = 0;
        let text: String = pieces(&printed).iter().map(|piece| {
            if piece.trim().is_empty() {
                at += 1;
                let choice = choices.get(at % choices.len().max(1)).copied().unwrap_or(0);
                blanks[usize::from(choice) % blanks.len()].to_owned()
            } else {
                piece.clone()
            }
        }).collect();
        let before = read(&text);
        prop_assume!(!before.diagnostics.iter().any(is_about_types));
        let formatted = format(&text).map_err(|found| TestCaseError::fail(format!("{text}: {found:?}")))?;
        prop_assert_eq!(dump(&read(&formatted).file).replace("DoubleEqual", "Equal"), dump(&before.file).replace("DoubleEqual", "Equal"), "{}", formatted);
        for comment in ["// why", "/* so */"] {
            prop_assert_eq!(formatted.matches(comment).count(), text.matches(comment).count(), "{}", formatted);
        }
        let again = format(&formatted);
        prop_assert_eq!(again.as_ref(), Ok(&formatted), "from\n{}", text);
    }

    #[test]
    fn any_bytes_are_read_in_time(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_signs_are_read_in_time(text in "[a-z(){}\\[\\];:=.,\"/*\n <>|&#+-]{0,200}") {
        survives(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_games_are_read_in_time(
        game in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4), 1..5),
    ) {
        let mut texts: Vec<String> = games().into_iter().map(|(_, text)| text).collect();
        texts.push(crate::damage::SOUND.to_owned());
        let mut pieces = pieces(&texts[game.index(texts.len())]);
        for (one, other, change) in changes {
            let (one, other) = (one.index(pieces.len()), other.index(pieces.len()));
            match change {
                0 => pieces[one].clear(),
                1 => pieces.swap(one, other),
                2 => pieces.insert(one, pieces[other].clone()),
                _ => pieces.truncate(one + 1),
            }
        }
        survives(&pieces.concat());
    }
}
