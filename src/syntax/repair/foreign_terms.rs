//! Terms in the form of other languages: `(hex 3 2)`, `f -> g`, `Piece { owner: me, rank: 1 }`, a picture as a list.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;
use crate::lex::TokenKind;

/// The signs that change a field or lead to an outcome.
const NO_CONDITION: [&str; 7] = [":=", "+=", "-=", "|=", "<-", "=>", "{"];

impl FixFinder<'_> {
    /// Fixes of terms in the form of other languages.
    pub fn foreign_terms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.arrow_as_an_implication(),
            self.board_in_brackets(),
            self.record_in_braces(),
            self.picture_as_a_list(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `when f -> g;` to `when f implies g;`.
    fn arrow_as_an_implication(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let end = self.outside_brackets(at, &[";"]).filter(|_| self.word == "->" && at > clause + 1)?;
        let is_condition = self.in_move() && matches!(self.layout.text(clause), "when" | "ensure")
            || self.layout.text(self.bounds.first) == "invariant";
        let has_other = self.outside_brackets(clause, &NO_CONDITION).is_some_and(|other| other < end);
        let is_outside = self.bracket_around(at, at).is_none_or(|open| open < clause);
        if !is_condition || has_other || !is_outside {
            return None;
        }
        let compares = |from: usize, to: usize| {
            self.layout.text(from) == "not"
                || (from..to).any(|at| {
                    matches!(self.layout.text(at), "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "and" | "or")
                })
        };
        let fix = Fix::new(self.here(), "implies", Code::E0013, "`->` is written `implies` here");
        Some(match compares(clause + 1, at) || compares(at + 1, end) {
            true => fix.help("write `implies`"),
            false => Fix {
                is_correction: false,
                title: "`->` stands between two conditions or numbers".to_owned(),
                ..fix.help("write `implies` between conditions, `>=` between numbers")
            },
        })
    }

    /// Rewrites `board Cell = (hex 3 2);` to `board Cell = hex(3, 2);`.
    fn board_in_brackets(&self) -> Option<Fix> {
        let open = self.bounds.first + 3;
        let is_board = self.layout.text(self.bounds.first) == "board" && self.layout.text(open - 1) == "=";
        let close = self.layout.partner(open).filter(|_| is_board && self.layout.text(open) == "(")?;
        let sizes: Vec<usize> = (open + 2..close).filter(|&at| self.layout.text(at) != ",").collect();
        let is_size = |&at: &usize| self.is_number(at) || self.is_name(at);
        let is_form =
            matches!(self.layout.text(open + 1), "grid" | "hex" | "torus" | "strip" | "ring" | "cube");
        if !is_form || sizes.is_empty() || !sizes.iter().all(is_size) || self.bounds.at > close {
            return None;
        }
        let sizes: Vec<&str> = sizes.into_iter().map(|at| self.layout.text(at)).collect();
        let new = format!("{}({})", self.layout.text(open + 1), sizes.join(", "));
        let range = (self.range(open).0, self.range(close).1);
        let title = "a board is given by its form, with its sizes in brackets";
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `Piece { owner: me, rank: 1 }` to `Piece(me, 1)`, with the parts in the order of the record.
    fn record_in_braces(&self) -> Option<Fix> {
        let open = self.bounds.at;
        let name = open.checked_sub(1).filter(|_| self.word == "{")?;
        let close = self.layout.partner(open)?;
        let outline = self.outline();
        let parts = outline.parts_of(self.layout.text(name));
        let mut values: Vec<Option<&str>> = vec![None; parts.len()];
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[",", ";"]).filter(|&end| end < close).unwrap_or(close);
            let place = parts.iter().position(|part| *part == self.layout.text(at))?;
            let is_part = matches!(self.layout.text(at + 1), ":" | "=") && at + 2 < end;
            let is_new = is_part && values[place].replace(self.text(at + 2, end)).is_none();
            if !is_new {
                return None;
            }
            at = end + 1;
        }
        let values: Vec<&str> = values.into_iter().collect::<Option<_>>()?;
        if values.is_empty() {
            return None;
        }
        let new = format!("{}({})", self.layout.text(name), values.join(", "));
        let range = (self.range(name).0, self.range(close).1);
        let title = "a record has its parts in round brackets, without their names";
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `diagram ["kn.", ".NK"]` to `diagram """..."""` with a row in each line.
    fn picture_as_a_list(&self) -> Option<Fix> {
        let open = self.bounds.at;
        let is_list = matches!(self.word, "[" | "(") && self.last == "diagram";
        let close = self.layout.partner(open).filter(|_| is_list)?;
        let words = self.layout.words.get(open + 1..close)?;
        let is_row = |kind: TokenKind, word: &str| kind == TokenKind::Str || word == ",";
        let mut rows = Vec::new();
        for word in words {
            let text = word.text(self.layout.source);
            if !is_row(word.kind, text) || text.contains('\\') {
                return None;
            }
            if text != "," {
                rows.push(text.trim_matches('"'));
            }
        }
        if rows.len() < 2 || rows.iter().any(|row| row.trim().is_empty()) {
            return None;
        }
        let is_narrow = rows.iter().all(|row| !row.contains(' '));
        let wide = |row: &&str| match is_narrow {
            true => row.chars().map(String::from).collect::<Vec<_>>().join(" "),
            false => row.trim().to_owned(),
        };
        let rows: Vec<String> = rows.iter().map(wide).collect();
        let new = format!("\"\"\"\n    {}\"\"\"", rows.join("\n    "));
        let range = (self.range(open).0, self.range(close).1);
        let title = "a picture is one string of several lines, with a row in each line";
        let fix = Fix::new(range, &new, Code::E0013, title).at(range);
        let help = "write `\"\"\"` before and after the rows, and each row on a line of its own";
        Some(Fix { accepts_partial: true, ..fix.help(help) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn assert_mended(theirs: &str, ours: &str) {
        assert_eq!(titles(theirs).len(), 1, "{theirs}: {:?}", titles(theirs));
        assert_eq!(mended(theirs), ours);
        assert!(titles(ours).is_empty(), "{ours}: {:?}", titles(ours));
    }

    #[test]
    fn an_arrow_between_conditions_is_an_implication() {
        let text = |sign: &str| format!("move m() {{ when n = 1 {sign} k > 0; n += 1; }}\n");
        assert_mended(&text("->"), &text("implies"));
        assert_eq!(titles(&text("->")), ["`->` is written `implies` here"]);
        let plain = "move m() { when n -> k; n += 1; }\n";
        assert_eq!(helps(plain), ["write `implies` between conditions, `>=` between numbers"]);
        assert_eq!(mended(plain), plain);
        assert_mended("invariant small: n = 1 -> k = 1;\n", "invariant small: n = 1 implies k = 1;\n");
    }

    #[test]
    fn the_sizes_of_a_board_stand_in_brackets() {
        assert_mended("board Cell = (hex 3 2);\n", "board Cell = hex(3, 2);\n");
        assert_mended("board Cell = (grid n m);\n", "board Cell = grid(n, m);\n");
    }

    #[test]
    fn a_record_has_its_parts_in_their_order() {
        let text = |value: &str| {
            format!(
                "record Piece(owner: Player, rank: 1..2);\nmove m(c: Cell) {{ at[c] := {value}; n := 1; }}\n"
            )
        };
        assert_mended(&text("Piece { owner: me, rank: 1 }"), &text("Piece(me, 1)"));
        assert_mended(&text("Piece { rank = n + 1, owner = me }"), &text("Piece(me, n + 1)"));
        let part = text("Piece { owner: me }");
        assert_eq!(mended(&part), part);
    }

    #[test]
    fn a_picture_is_one_string() {
        let text = |picture: &str| {
            format!("state {{ at[c: Cell]: Player? = diagram {picture} {{ \".\" => none, \"A\" => A }}; }}\n")
        };
        assert_mended(&text("[\"..\", \"A.\"]"), &text("\"\"\"\n    . .\n    A .\"\"\""));
        assert_mended(&text("[\". .\", \"A .\"]"), &text("\"\"\"\n    . .\n    A .\"\"\""));
    }

    #[test]
    fn all_commas_of_a_condition_are_conjunctions() {
        let theirs = "move m() { when n < 3, k > 0, max(n, k) = 2; n += 1; }\n";
        assert_mended(theirs, "move m() { when n < 3 and k > 0 and max(n, k) = 2; n += 1; }\n");
    }

    #[test]
    fn an_item_stands_outside_of_a_block() {
        let help = "`invariant` begins an item: write it outside of `end { ... }`";
        assert_eq!(helps("end { when n = 3 => draw; invariant small: n <= 3; }\n"), [help]);
        let help = "`type` begins an item: write it outside of `state { ... }`";
        assert_eq!(helps("state { type Small = 0..3; n: Small = 0; }\n"), [help]);
    }
}
