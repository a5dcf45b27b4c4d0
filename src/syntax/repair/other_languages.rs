//! Messages for constructs of other languages that no edit translates, and for names and terms side by side.

use super::MistakeContext;
use super::fallback::{are_two_names, are_two_terms, shorten};
use super::layout::Layout;
use crate::lex::TokenKind;

/// Functions of two cells with what they are.
const FUNCTIONS_OF_TWO: [(&str, &str); 5] = [
    ("beyond", "the cell after `b`, straight on from `a`"),
    ("between", "the cells between two in a straight line"),
    ("aligned", "true if two cells are in a straight line"),
    ("orthogonal", "true if two cells are in one row or column"),
    ("diagonal", "true if two cells are in one diagonal"),
];

/// The words with which rules of the Game Description Language begin.
const GDL: [&str; 10] =
    ["role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input"];

const GDL_HELP: &str = "rules of GDL stand in a file of their own, whose name ends with `.kif`; in this language, players are \
                        declared by `players ada, ben;`";

/// The message for a construct of other languages that no edit translates.
pub(super) fn of_other_languages(layout: &Layout, bounds: &MistakeContext) -> Option<(String, String)> {
    if bounds.at == bounds.first || bounds.first == usize::MAX {
        let head = super::heads::foreign_head(layout.text(bounds.at));
        return rule_of_other_languages(layout, bounds.at)
            .or_else(|| head.map(|(title, help)| (title.to_owned(), help)))
            .map(|(title, help)| (title, help.to_owned()));
    }
    let last = bounds.at.checked_sub(1)?;
    let quantifier =
        layout.partner(last).and_then(|open| open.checked_sub(1)).map(|before| layout.text(before));
    Some(match (layout.text(last), layout.text(bounds.at), quantifier) {
        (_, "?", _) => {
            ("a choice between two terms is made by `if`".into(), "write `if condition then a else b`".into())
        }
        ("players" | "player", at, _)
            if [at, layout.text(bounds.at + 1)]
                .iter()
                .any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
                && (at.starts_with(|c: char| c.is_ascii_digit()) || matches!(at, ":" | "=")) =>
        {
            let number = if matches!(at, ":" | "=") { layout.text(bounds.at + 1) } else { at };
            let help = match number {
                "1" => "write `player A;`, with the name of the only player",
                "3" => "write `players A, B, C;`",
                "4" => "write `players A, B, C, D;`",
                _ => "write `players A, B;`",
            };
            ("players are not counted, but named".into(), help.into())
        }
        ("the", at, _) if are_two_names("the", at) && bounds.at > bounds.clause + 1 => (
            "a name has no article before it".into(),
            match at {
                "winner" | "loser" => {
                    "say who wins: `mover wins`, `other(mover) wins`, or a player by name, `A wins`".into()
                }
                _ => format!("write `{at}`, without `the`, if this is a name of the game"),
            },
        ),
        (last, at, _)
            if are_two_names(last, at)
                && layout.words[bounds.at - 1].kind == TokenKind::Word
                && bounds.at > bounds.clause + 1 =>
        {
            let title = format!("`{last} {at}` is two names side by side");
            if let Some((_, meaning)) = FUNCTIONS_OF_TWO.iter().find(|(name, _)| *name == last) {
                return Some((title, format!("write `{last}(a, b)`: {meaning}")));
            }
            // A part of a value is no definition.
            if bounds.at > 1 && layout.text(bounds.at - 2) == "." {
                return Some((
                    title,
                    "between two values stands an operator, such as `and` or `=`".to_owned(),
                ));
            }
            (
                title,
                format!(
                    "write `{last}({at})` if `{last}` is a definition, `{last}_{at}` if this is one name; between two values \
                     stands an operator"
                ),
            )
        }
        (last, at, _) if are_two_terms(layout, bounds) => {
            let first = last.starts_with(|c: char| c.is_ascii_digit());
            let help = match first && layout.words[bounds.at].kind == TokenKind::Word {
                true => format!("write `{last} * {at}` for a product; other operators are `+`, `-`, `=`"),
                false => "write the operator, such as `*`, `+`, `=`, `and`".to_owned(),
            };
            (format!("between two terms stands an operator, and none stands before `{}`", shorten(at)), help)
        }
        (")", _, Some(word @ ("sum" | "count" | "union" | "some" | "all" | "no" | "one"))) => (
            format!("`{word}` goes through a set, one element after the other"),
            "write `sum x in S: e`, `all x in S: f`".into(),
        ),
        _ => return None,
    })
}

/// The message for a rule of Prolog or PuzzleScript in the place of an item.
fn rule_of_other_languages(layout: &Layout, first: usize) -> Option<(String, &'static str)> {
    let end = layout.item_end(first);
    let pair = |one: &str, other: &str| {
        (first..end).any(|at| {
            let touching =
                layout.words.get(at).map(|word| word.end) == layout.words.get(at + 1).map(|next| next.start);
            layout.text(at) == one && layout.text(at + 1) == other && touching
        })
    };
    if (first + 1..end).any(|at| layout.text(at) == "sees") {
        return Some((super::declarations::SEES.0.to_owned(), super::declarations::SEES.1));
    }
    if layout.text(first) == "(" && GDL.contains(&layout.text(first + 1)) {
        return Some(("this is a rule of GDL".to_owned(), GDL_HELP));
    }
    if pair(":", "-") {
        let title = "a rule of Prolog is a definition here".to_owned();
        return Some((title, "write `def name(x: Type) = condition;`, with the types of what it is about"));
    }
    let brackets = (first..end).any(|at| layout.text(at) == "]" && layout.text(at + 1) == "->");
    (brackets && matches!(layout.text(first), "[" | "late" | "right" | "left" | "up" | "down" | "random")).then(|| {
        (
            "a rule of PuzzleScript, which rewrites a pattern, is a move here".to_owned(),
            "write `move name(d: Dir) { when ...; field := ...; }`: its conditions, and then what changes",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, titles};

    #[test]
    fn players_have_names() {
        for (number, help) in [
            ("1", "write `player A;`, with the name of the only player"),
            ("2", "write `players A, B;`"),
            ("3", "write `players A, B, C;`"),
        ] {
            let text = format!("players {number};\nstate {{ n: 0..9 = 0; }}\n");
            assert_eq!(titles(&text), ["players are not counted, but named"]);
            assert_eq!(helps(&text), [help]);
        }
    }

    #[test]
    fn a_winner_is_named() {
        let text = "players A, B;\nend { when stuck => the winner; }\n";
        assert_eq!(titles(text), ["a name has no article before it"]);
        assert!(helps(text)[0].contains("`mover wins`"), "{:?}", helps(text));
    }

    #[test]
    fn rules_of_gdl_have_their_own_files() {
        let text = "game \"X\";\n(role ada)\n(role ben)\nstate { n: 0..9 = 0; }\n";
        assert_eq!(titles(text), ["this is a rule of GDL"]);
        assert!(helps(text)[0].contains("`players ada, ben;`"), "{:?}", helps(text));
    }
}
