//! Words of everyday English that this language says otherwise: `after { ... }`, `find c in Cell: f`, `my hand`,
//! `hand[p] beats hand[q]`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::keywords_near;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// Words for what comes after the effects of a move.
const LATER: [&str; 8] =
    ["after", "afterwards", "afterward", "thereafter", "later", "finally", "lastly", "subsequently"];

/// Words for the effects of a move.
const EFFECTS: [&str; 8] = ["do", "begin", "body", "perform", "execute", "apply", "run", "action"];

impl FixFinder<'_> {
    /// Fixes and explanations of words of everyday English.
    pub fn everyday_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.later_effects(),
            self.effects_in_a_block(),
            self.element_that_is_found(),
            self.field_of_the_mover(),
            self.value_that_beats(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The word before the braces at the mistake, and the closing brace, if the word begins no clause of a move.
    fn block_by_a_word(&self) -> Option<(&str, usize)> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_block = self.in_move() && self.word == "{" && at == clause + 1 && self.is_name(clause);
        Some((self.layout.text(clause), self.layout.partner(at).filter(|_| is_block)?))
    }

    /// Rewrites `after { ... }` to `then { ... }`.
    fn later_effects(&self) -> Option<Fix> {
        let (word, _) = self.block_by_a_word()?;
        LATER.contains(&word).then(|| {
            let title =
                format!("`{word}` begins no block: what comes after the other effects stands in `then`");
            Fix::new(self.range(self.bounds.clause), "then", Code::E0013, title).help("write `then { ... }`")
        })
    }

    /// Rewrites `do { n := 1; }` to `n := 1;` where no effects precede it; elsewhere these may be meant to come later.
    fn effects_in_a_block(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let (word, close) = self.block_by_a_word().filter(|(word, _)| EFFECTS.contains(word))?;
        let inner = self.text(self.bounds.at + 1, close);
        let body = self.bracket_around(clause, clause)?;
        let is_effect = |at: usize| matches!(self.layout.text(at), ":=" | "+=" | "-=" | "|=" | "<-" | "(");
        let is_guard = |at: usize| matches!(self.layout.text(at), "when" | "let");
        let mut has_effects = false;
        let mut at = body + 1;
        while at < clause {
            let end = self.outside_brackets(at, &[";"]).filter(|&end| end < clause).unwrap_or(clause - 1);
            has_effects |= !is_guard(at) && (at..end).any(is_effect);
            at = end + 1;
        }
        let title = format!("`{word}` begins no block: the effects of a move stand in its own braces");
        let has_word = format!("leave out `{word} {{` and its `}}`");
        let block = format!("{{ {inner} }}");
        let are_clauses = self.bounds.at + 1 < close
            && trial_parse(Rule::block, &block).is_ok_and(|length| length == block.len());
        if has_effects || !are_clauses {
            let help = format!("{has_word}; effects that come after the others stand in `then {{ ... }}`");
            return Some(explained(self.range(clause), "then", &title, help));
        }
        let range = (self.range(clause).0, self.range(close).1);
        Some(Fix::new(range, inner, Code::E0013, title).at(self.range(clause)).help(has_word))
    }

    /// Explains a block of a move that begins with an unknown word.
    pub fn block_by_an_unknown_word(&self, fixes: &mut Vec<Fix>) {
        let Some((word, _)) = self.block_by_a_word() else { return };
        if !keywords_near(word, std::iter::empty()).is_empty() {
            return;
        }
        let title = format!("`{word}` begins no block of a move");
        let help = "effects stand in the braces of the move itself; blocks within it are `if f { ... }`, \
                    `for x in S { ... }` and, for what comes after the other effects, `then { ... }`";
        fixes.push(explained(self.range(self.bounds.clause), "then", &title, help));
    }

    /// Rewrites `find c in S: f` and `the c in S where f` to `one c in S: f`.
    fn element_that_is_found(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let verb = at.checked_sub(1).filter(|&verb| verb > self.bounds.first && !self.ends_term(verb - 1))?;
        let is_sure = match self.last {
            "find" | "the" | "unique" | "only" => true,
            "select" | "pick" | "choose" | "get" => false,
            _ => return None,
        };
        let is_binder = self.is_name(at) && self.layout.text(at + 1) == "in";
        let sign = self
            .outside_brackets(at + 2, &[":", "where", ";", "{", "=>", "then"])
            .filter(|&sign| is_binder && matches!(self.layout.text(sign), ":" | "where"))?;
        if self.outline().declares(self.last) {
            return None;
        }
        let binder = self.text(at, sign);
        let range = (self.range(verb).0, self.range(sign).1);
        let title =
            format!("`{}` is no word for an element: the only one that fits is found by `one`", self.last);
        let new = format!("one {binder}:");
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(verb));
        let help = match is_sure {
            true => format!("write `{new} ...`"),
            false => format!(
                "write `{new} ...` if one fits alone, `{{ {binder} where ... }}` for the set of all that fit"
            ),
        };
        Some(Fix { is_correction: is_sure, accepts_partial: true, ..fix.help(help) })
    }

    /// Rewrites `my hand` to `hand[me]`.
    fn field_of_the_mover(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let owner = at.checked_sub(1).filter(|_| matches!(self.last, "my" | "own" | "your"))?;
        let field = self.outline().field(self.word)?;
        let has_one_key = matches!(&field.keys[..], [(_, ty)] if ty[..] == ["Player"]);
        if !has_one_key || self.layout.text(at + 1) == "[" {
            return None;
        }
        let is_move = self.in_move() && (self.bounds.first..owner).any(|at| self.layout.text(at) == "move");
        let new = format!("{}[me]", self.word);
        let range = (self.range(owner).0, self.here().1);
        let title = format!("`{} {}` is a value of the field at a key", self.last, self.word);
        let help = match is_move {
            true => format!("write `{new}`: `me` is the player who moves"),
            false => format!("write `{}[p]` with the player `p` that is meant", self.word),
        };
        let new = if is_move { new.as_str() } else { DAMAGE_MARKER };
        let fix = Fix::new(range, new, Code::E0013, title).help(help);
        Some(Fix { is_correction: is_move, accepts_partial: true, ..fix })
    }

    /// Explains `hand[p] beats hand[q]`, where no definition says which value beats which.
    fn value_that_beats(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_verb = matches!(self.word, "beats" | "outranks" | "tops" | "defeats" | "trumps");
        let end = self.end_of_operand(at + 1).filter(|_| is_verb && at > self.bounds.clause)?;
        let start = self.start_of_term(at);
        if !self.ends_term(at - 1) || self.outline().declares(self.word) {
            return None;
        }
        let (one, other) = (self.text(start, at), self.text(at + 1, end));
        let field = self.outline().field(self.layout.text(start));
        let ty = field.as_ref().map_or("", |field| field.type_name());
        let ty = if ty.is_empty() { "..." } else { ty };
        let title = format!("`{}` is no operator", self.word);
        let help = format!(
            "write `{one} > {other}` if the greater value wins; otherwise say which value wins against which, \
             `def {word}(a: {ty}, b: {ty}) = ...;`, and write `{word}({one}, {other})`",
            word = self.word
        );
        let fix = explained((self.range(start).0, self.range(end - 1).1), DAMAGE_MARKER, &title, help);
        Some(Fix { accepts_partial: true, ..fix.at(self.here()) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn body(clauses: &str) -> String {
        format!(
            "players A, B;\nstate {{ n: 0..9 = 0; oil[p: Player]: 0..9 = 0; }}\nmove go() as \"go\" {{ {clauses} }}\n"
        )
    }

    #[test]
    fn later_effects_stand_in_then() {
        let new = body("n := 1; then { ensure n = 1; }");
        for word in ["after", "afterwards", "finally"] {
            assert_eq!(mended(&body(&format!("n := 1; {word} {{ ensure n = 1; }}"))), new, "{word}");
        }
    }

    #[test]
    fn effects_need_no_block() {
        assert_eq!(mended(&body("when n < 2; do { n += 1; }")), body("when n < 2; n += 1;"));
        let inner = "when n < 2; if n = 0 { n += 1; }";
        assert_eq!(mended(&body(&format!("do {{ {inner} }}"))), body(inner));
        let text = body("n := 1; do { oil[me] += n; }");
        assert_eq!(mended(&text), text);
        assert!(helps(&text)[0].contains("`then { ... }`"), "{:?}", helps(&text));
        let text = body("wibble { n := 1; }");
        assert_eq!(titles(&text), ["`wibble` begins no block of a move"]);
    }

    #[test]
    fn one_element_is_found_by_one() {
        let text = |term: &str| format!("const home = {term};\n");
        let new = text("one c in Cell: mark[c] = start");
        assert_eq!(mended(&text("find c in Cell: mark[c] = start")), new);
        assert_eq!(mended(&text("the c in Cell where mark[c] = start")), new);
        let open = text("select c in Cell: mark[c] = start");
        assert_eq!(mended(&open), open);
        assert!(helps(&open)[0].contains("{ c in Cell where ... }"), "{:?}", helps(&open));
    }

    #[test]
    fn values_of_the_mover_have_the_key_me() {
        assert_eq!(mended(&body("my oil := 3;")), body("oil[me] := 3;"));
        assert_eq!(mended(&body("when my oil > 0; n := my oil;")), body("when oil[me] > 0; n := oil[me];"));
        let text = "players A, B;\nstate { oil[p: Player]: 0..9 = 0; }\nend { when my oil = 3 => draw; }\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].contains("`oil[p]`"), "{:?}", helps(text));
    }

    #[test]
    fn the_greater_value_may_beat_the_other() {
        let text = "enum Card { low, high }\nstate { hand[p: Player]: Card = low; }\ndef best = if hand[A] beats hand[B] then A else B;\n";
        assert_eq!(mended(text), text);
        assert_eq!(titles(text), ["`beats` is no operator"]);
        assert!(helps(text)[0].contains("`def beats(a: Card, b: Card) = ...;`"), "{:?}", helps(text));
    }
}
