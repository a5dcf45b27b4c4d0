//! English sentences in place of effects: `remove v;`, `opponent pays price;`, `gain 2;`.

use super::edits::{Fix, FixFinder};
use super::keywords_near;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// Verbs for what leaves the board or a set.
const TAKES: [&str; 12] = [
    "remove",
    "capture",
    "captures",
    "kill",
    "delete",
    "destroy",
    "eliminate",
    "discard",
    "clear",
    "eat",
    "take",
    "takes",
];
/// Verbs for a number of a player that becomes less.
const LOSSES: [&str; 10] =
    ["pays", "pay", "loses", "lose", "gives", "give", "spends", "spend", "bids", "discards"];
/// Verbs for a number of a player that becomes more.
const GAINS: [&str; 12] = [
    "gains", "gain", "gets", "get", "earns", "earn", "receives", "receive", "scores", "score", "collects",
    "collect",
];
/// Reserved words that a sentence has between its objects.
const JOINTS: [&str; 5] = ["by", "with", "in", "as", "then"];

/// The title of the messages about such sentences.
const TITLE: &str = "an effect says by a sign what changes: `:=`, `+=`, `-=`, `|=` or `<-`";

impl FixFinder<'_> {
    /// Fixes and explanations of English sentences in place of effects.
    pub fn spoken_effects(&self, fixes: &mut Vec<Fix>) {
        let Some((parts, end)) = self.parts_of_a_sentence() else { return };
        let fix = self
            .piece_that_leaves(&parts)
            .or_else(|| self.number_of_a_player(&parts))
            .or_else(|| self.unknown_sentence(&parts));
        fixes.extend(fix.map(|fix| Fix { label: (self.range(self.bounds.clause).0, end), ..fix }));
    }

    /// The words and terms of the clause if it is a sentence of names and terms without a sign, and its end.
    fn parts_of_a_sentence(&self) -> Option<(Vec<&str>, usize)> {
        let clause = self.bounds.clause;
        let is_clause = self.in_move() && self.is_name(clause) && self.bounds.at > clause;
        let end = self.outside_brackets(clause, &[";"]).filter(|&end| is_clause && end > clause + 1)?;
        let (mut parts, mut at) = (Vec::new(), clause);
        while at < end {
            let next = match JOINTS.contains(&self.layout.text(at)) && at > clause {
                true => at + 1,
                false => self.end_of_operand(at).filter(|&next| next <= end)?,
            };
            if self.layout.text(at) == "{" || at > clause && self.layout.begins_line(at) {
                return None;
            }
            parts.push(self.text(at, next));
            at = next;
        }
        (parts.len() > 1).then_some((parts, self.range(end - 1).1))
    }

    /// The message about the clause, which goes away.
    fn sentence(&self, help: String) -> Fix {
        let end = self.outside_brackets(self.bounds.clause, &[";"]).unwrap_or(self.bounds.at);
        explained((self.range(self.bounds.clause).0, self.range(end).1), "", TITLE, help)
    }

    /// Returns true if the file declares this word for a field, an effect or another item.
    fn is_declared(&self, word: &str) -> bool {
        let outline = self.outline();
        outline.field(word).is_some() || outline.declares(word) || outline.is_effect(word)
    }

    /// Explains `remove v;` and `capture v;` of a name whose type is not to be seen.
    fn piece_that_leaves(&self, parts: &[&str]) -> Option<Fix> {
        let [verb, what] = *parts else { return None };
        if !TAKES.contains(&verb) || self.is_declared(verb) {
            return None;
        }
        let outline = self.outline();
        let field = outline.board().and_then(|board| outline.field_over(board));
        let field = field.filter(|field| outline.field(field).is_some_and(|field| field.is_optional()));
        Some(self.sentence(match field {
            Some(field) => format!(
                "write `{field}[{what}] := none;` if a piece leaves the cell `{what}`, `s -= {{ \
                 {what} }};` if `{what}` \
                 leaves a set `s`"
            ),
            None => format!(
                "write `s -= {{ {what} }};` if `{what}` leaves a set `s`, `n -= {what};` if a \
                 number `n` becomes less"
            ),
        }))
    }

    /// Explains `opponent pays price;` and `gain 2;`.
    fn number_of_a_player(&self, parts: &[&str]) -> Option<Fix> {
        let is_verb = |word: &str| LOSSES.contains(&word) || GAINS.contains(&word);
        let (who, verb, amount) = match *parts {
            [verb, amount] if is_verb(verb) => ("me", verb, amount),
            [who, verb, amount] if is_verb(verb) => (who, verb, amount),
            _ => return None,
        };
        if self.is_declared(verb) {
            return None;
        }
        let outline = self.outline();
        let is_number = |name: &&str| {
            let field = outline.field(name);
            field.is_some_and(|field| {
                field.ty.contains(&"..") && field.keys.len() == 1 && field.keys[0].1 == ["Player"]
            })
        };
        let fields: Vec<&str> = outline.fields().into_iter().filter(is_number).collect();
        let sign = if GAINS.contains(&verb) { "+=" } else { "-=" };
        Some(self.sentence(match fields[..] {
            [field] => format!("write `{field}[{who}] {sign} {amount};`"),
            [field, ..] => {
                format!("write `{field}[{who}] {sign} {amount};`, with the field that this is about")
            }
            [] => format!("write `money[{who}] {sign} {amount};`, with the name of a field of each player"),
        }))
    }

    /// Explains a sentence that begins with an unknown word.
    fn unknown_sentence(&self, parts: &[&str]) -> Option<Fix> {
        let verb = parts[0];
        let is_word = verb.len() > 2 && verb.bytes().all(|b| b.is_ascii_lowercase());
        let is_unknown = is_word
            && !self.is_declared(verb)
            && self.bounds.at == self.bounds.clause + 1
            && parts.iter().all(|part| keywords::starts_with_letter(part))
            && keywords_near(verb, std::iter::empty()).is_empty();
        let help = "write `x := ...;` for a new value, `x += ...;` or `x -= ...;` for a number that \
                    changes, with the \
                    field in place of `x`; a group of effects has a name by `effect`";
        is_unknown.then(|| Fix { code: Code::E0013, ..self.sentence(help.to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(clause: &str) -> String {
        format!(
            "board Cell = grid(3, 3);\nstate {{ on[c: Cell]: Player? = none; gold[p: Player]: 0..9 \
             = 3; n: 0..3 = 0; }}\n\
             move m(v: Cell) {{ {clause} }}\n"
        )
    }

    #[test]
    fn sentences_are_no_effects() {
        for (clause, help) in [
            ("for w in s { remove w; }", "write `on[w] := none;` if a piece leaves the cell `w`"),
            ("for w in s { capture w; }", "write `on[w] := none;` if a piece leaves the cell `w`"),
            ("opponent pays n;", "write `gold[opponent] -= n;`"),
            ("gain 2;", "write `gold[me] += 2;`"),
            ("shuffle cards;", "write `x := ...;` for a new value"),
        ] {
            assert!(helps(&text(clause))[0].starts_with(help), "{clause}: {:?}", helps(&text(clause)));
            assert_eq!(titles(&text(clause)), [super::TITLE], "{clause}");
            assert_eq!(mended(&text(clause)), text(clause));
        }
    }
}
