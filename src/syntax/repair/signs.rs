//! Missing signs and small words, and those that stand for others: the last edits to try, since they fit many clauses.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;

/// Words about when a condition holds.
const ADVERBS: [&str; 8] =
    ["never", "always", "eventually", "sometimes", "finally", "globally", "forever", "once"];

/// The built-in names that a value may be.
const BUILT_IN_VALUES: [&str; 8] = ["mover", "opponent", "other", "stuck", "moves", "phase", "plies", "here"];

/// Confused tokens: the written and the intended one.
const CONFUSED_TOKENS: &[(&str, &str)] = &[
    ("->", "=>"),
    (":", "=>"),
    ("=", "=>"),
    (",", ";"),
    (";", ","),
    (":", "="),
    ("=", ":"),
    (":", ";"),
    (".", ";"),
    ("=>", ":"),
    ("then", "=>"),
    ("and", ","),
    ("|", ":"),
    ("to", ".."),
];

impl FixFinder<'_> {
    /// Adds missing tokens, or exchanges one for another.
    pub(super) fn signs(&self, fixes: &mut Vec<Fix>) {
        // if the parser stopped inside a token, the tokens expected before it are unknown
        let blind = self.stop.at > self.here().0;
        let wants = |sign: &str| blind || self.stop.expected.iter().any(|expected| expected == sign);
        let missing = |sign: &str, text: &str| {
            Fix::new(self.gap(), text, Code::E0013, format!("a `{sign}` is missing here"))
                .at(self.here())
                .note(format!("before this, `{sign}` is expected"))
                .help(format!("insert `{sign}`"))
        };
        for (sign, text) in [
            (":", ":"),
            (",", ","),
            ("=>", " =>"),
            (":=", " :="),
            ("=", " ="),
            ("of", " of"),
            ("to", " to"),
            ("then", " then"),
            ("in", " in"),
        ] {
            let is_value = self.last == "]"
                || self.word.starts_with(|c: char| c.is_ascii_digit() || c == '{')
                || matches!(self.word, "none" | "true" | "false" | "me" | "opponent");
            let quantifies = matches!(
                self.layout.text(self.bounds.at.saturating_sub(2)),
                "some" | "all" | "no" | "one" | "count" | "sum" | "min" | "max" | "union" | "for" | ","
            );
            let is_let = matches!(
                self.layout.text(self.bounds.clause),
                "let" | "const" | "def" | "param" | "board" | "type"
            );
            let in_claim = self.bounds.place == ClauseContext::Test
                || matches!(self.layout.text(self.bounds.first), "expect" | "invariant");
            let has_value = self.bounds.place == ClauseContext::State
                && (self.bounds.clause..self.bounds.at).any(|at| self.layout.text(at) == "=");
            let is_unlikely = match sign {
                ":=" => !is_value || self.bounds.place == ClauseContext::End,
                "=" => {
                    self.bounds.place == ClauseContext::End
                        || self.bounds.place == ClauseContext::Move && !is_let
                }
                "in" => !quantifies,
                "of" => {
                    !self.is_declared_value(self.bounds.at)
                        || self.last == "repeat" && self.bounds.place == ClauseContext::End
                }
                ":" => in_claim && ADVERBS.contains(&self.word),
                "," if self.bounds.place == ClauseContext::Top && self.is_list_of_phases() => {
                    !self.outline().has_phase(self.word)
                }
                "," => self.layout.text(self.bounds.first) == "symmetry",
                _ => false,
            };
            // An undeclared word is no value: another word is wrong.
            let is_unlikely = is_unlikely
                || sign == "=" && (in_claim && !is_value || has_value)
                || matches!(sign, "=" | "to") && self.is_unknown_word(self.bounds.at);
            if wants(sign) && !blind && !is_unlikely {
                fixes.push(self.several_signs(sign, text).unwrap_or_else(|| missing(sign, text)));
            }
        }
        if wants("(") && matches!(self.word, "{" | "as" | "in" | "by" | "=") {
            fixes.push(
                Fix::new(self.gap(), "()", Code::E0013, "the parameters are missing here")
                    .at(self.range(self.bounds.at.saturating_sub(1)))
                    .help("write `()` where there are none"),
            );
        }
        for (theirs, ours) in CONFUSED_TOKENS {
            let in_key = *ours == "="
                && self
                    .bracket_around(self.bounds.at, self.bounds.at)
                    .is_some_and(|open| self.layout.text(open) == "[");
            // After `all i in S: f` a second `:` leads from one more condition to the claim.
            let is_second = (*theirs, *ours) == (":", "=") && self.binder_before(self.bounds.at).is_some();
            if self.word == *theirs && wants(ours) && !in_key && !is_second {
                let title = format!("`{theirs}` stands where `{ours}` is expected");
                // A sign in the place of a word touches what stands before it.
                let touches = keywords::starts_with_letter(theirs) && matches!(*ours, "," | ";");
                let start = if touches { self.gap().0 } else { self.here().0 };
                let fix = Fix::new((start, self.here().1), ours, Code::E0013, title).at(self.here());
                let fix = fix.help(format!("write `{ours}`"));
                let lists = matches!(self.bounds.place, ClauseContext::State | ClauseContext::Phases);
                fixes.push(Fix { accepts_partial: (*theirs, *ours) == (",", ";") && lists, ..fix });
            }
        }
        if wants("\"") && keywords::starts_with_letter(self.word) {
            let new = format!("\"{}\"", self.word);
            fixes.push(
                Fix::new(self.here(), &new, Code::E0013, "a title stands between quotes")
                    .help(format!("write `{new}`")),
            );
        }
        for at in (self.bounds.clause..=self.bounds.at).rev() {
            if matches!(self.layout.text(at), "|" | ":") {
                let title = format!("`{}` stands where `where` leads to the condition", self.layout.text(at));
                let fix = Fix::new(self.range(at), " where ", Code::E0013, title);
                let is_second = self.word == ":" && at < self.bounds.at;
                fixes.push(fix.help(match is_second {
                    true => {
                        "write `all x in S where f: g`: the `:` comes once, before what is claimed of each \
                         element"
                    }
                    false => "write `{ x in S where f }`",
                }));
            }
        }
        let comma = (self.bounds.clause..self.bounds.at).rev().find(|&at| self.layout.text(at) == ",");
        if let Some(at) = comma.filter(|_| wants("in")) {
            let title = "`:` leads from a quantifier to what it is about";
            fixes.push(
                Fix::new(self.range(at), ":", Code::E0013, title)
                    .help("write `all x in S: f`, `some x in S: f`"),
            );
        }
        let earlier = (self.bounds.clause..self.bounds.at).rev().find(|&at| self.layout.text(at) == "in");
        let leads = earlier.is_some_and(|at| self.is_let_in(at));
        if let Some(at) = earlier.filter(|_| wants(":") || leads) {
            let title = "`let` and quantifiers lead to what they are for by `:`";
            let fix = Fix::new((self.range(at - 1).1, self.range(at).1), ":", Code::E0013, title);
            let fix = fix.at(self.range(at)).help("write `let x = e: body`, since `in` is membership");
            fixes.push(Fix { accepts_partial: leads, ..fix });
        }
    }

    /// Returns true if the word before the mistake is a phase in the head of a move.
    fn is_list_of_phases(&self) -> bool {
        let head = self.layout.text(self.bounds.first);
        let before = self.layout.text(self.bounds.at.saturating_sub(2));
        matches!(head, "move" | "chance" | "private" | "mandatory" | "forcing")
            && matches!(before, "in" | ",")
    }

    /// Returns true for a bracket, or a name that the file or a file that it uses may declare for a value.
    fn is_declared_value(&self, at: usize) -> bool {
        let outline = self.outline();
        let word = self.layout.text(at);
        match self.layout.words.get(at).map(|word| word.kind) {
            Some(TokenKind::Open) => true,
            Some(TokenKind::Word) => {
                outline.field(word).is_some()
                    || outline.declares(word)
                    || outline.uses_files() && !keywords::ITEM_KEYWORDS.contains(&word) && self.is_name(at)
            }
            _ => false,
        }
    }

    /// Returns true for a word in lower letters that the file has nowhere else and that is no built-in name.
    /// Explains a missing sign where several may be meant: the parser goes on with this one.
    fn several_signs(&self, sign: &str, text: &str) -> Option<Fix> {
        let is_in_call = |names: &[&str]| {
            let open = self.bracket_around(self.bounds.at, self.bounds.at);
            let of = open.and_then(|open| open.checked_sub(1)).map(|of| self.layout.text(of));
            of.is_some_and(|of| names.contains(&of))
        };
        let (title, help) = match sign {
            "then" if self.last == "}" && self.word == "{" => (
                "a word is missing between these blocks",
                "write `else` if the second is for the other case, `then` if it comes after the first"
                    .to_owned(),
            ),
            ":=" => (
                "a sign is missing here",
                format!("write `:= {0}` to set it, `+= {0}` or `-= {0}` to change it by that", self.word),
            ),
            "," if is_in_call(&["min", "max"]) => (
                "a sign is missing here",
                format!(
                    "write `,` if `{}` is one more term, or the operator between the two, such as `+`",
                    self.word
                ),
            ),
            _ => return None,
        };
        let fix = Fix::new(self.gap(), text, Code::E0013, title).at(self.here()).help(help);
        Some(Fix { is_correction: false, ..fix })
    }

    pub(super) fn is_unknown_word(&self, at: usize) -> bool {
        let word = self.layout.text(at);
        let is_plain = word.len() > 1 && word.bytes().all(|b| b == b'_' || b.is_ascii_lowercase());
        is_plain
            && !keywords::is_reserved(word)
            && !BUILT_IN_VALUES.contains(&word)
            && self.outline().count_of(word) < 2
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::mended;

    #[test]
    fn signs_are_inserted_before_what_they_lead_to() {
        let field = "state { at[c: Cell]: Player? = none; }\n";
        assert_eq!(mended(&format!("{field}forbid repeat at;\n")), format!("{field}forbid repeat of at;\n"));
        assert_eq!(mended("expect at[a1] X;\n"), "expect at[a1] = X;\n");
        assert_eq!(mended("expect n 3;\n"), "expect n = 3;\n");
        assert_eq!(mended("state { n: 0..3 2; }\n"), "state { n: 0..3 = 2; }\n");
        for unchanged in [
            "expect n nearly 3;\n",
            "expect X triumphs;\n",
            "state { n: Card? = none halved; }\n",
            "symmetry Cell rotations;\n",
            "forbid repeat thrice;\n",
            "state { n: Card? = none merely visible to X; }\n",
            "phases { bet; }\nmove m() in bet once { n := 1; }\n",
            "invariant total always forever n <= 9;\n",
        ] {
            assert_eq!(mended(unchanged), unchanged);
        }
    }

    #[test]
    fn translations_leave_no_blanks() {
        assert_eq!(mended("players X and O;\n"), "players X, O;\n");
        assert_eq!(mended("def f = a && b;\n"), "def f = a and b;\n");
        assert_eq!(mended("def f = a&&b;\n"), "def f = a and b;\n");
        assert_eq!(mended("expect Ann will win;\n"), "expect Ann wins;\n");
    }
}
