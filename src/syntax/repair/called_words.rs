//! Words of the language in the form of a call, as in other languages: `coins.sum()`, `draw()`, `wins(me);`,
//! `=> win();`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// The words of outcomes.
const VERDICTS: [&str; 5] = ["draw", "wins", "loses", "win", "lose"];

/// The words that go through a set.
const QUANTIFIERS: [&str; 6] = ["some", "all", "no", "one", "count", "sum"];

/// The names of a variable that a fix introduces, first the likeliest.
const VARIABLES: [&str; 4] = ["i", "k", "x", "index"];

/// Returns true if a term ends before this word.
fn before_ends(word: &str) -> bool {
    matches!(word, ";" | ")" | "]" | ",")
}

impl FixFinder<'_> {
    /// Fixes and explanations of calls of words that are no functions.
    pub fn called_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.verdict_as_a_method(),
            self.called_verdict(),
            self.sum_as_a_method(),
            self.operator_as_a_function(),
            self.called_clause(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The word that is called at the mistake, with its bracket and its partner; words that the file declares are left
    /// out.
    fn call_of(&self, words: &[&str]) -> Option<(usize, usize, usize)> {
        let is_call = |&at: &usize| {
            at >= self.bounds.first
                && words.contains(&self.layout.text(at))
                && self.layout.text(at + 1) == "("
                && self.touches(at)
        };
        let at = [Some(self.bounds.at), self.bounds.at.checked_sub(1)].into_iter().flatten().find(is_call)?;
        let close = self.layout.partner(at + 1)?;
        (!self.is_own_word(self.layout.text(at))).then_some((at, at + 1, close))
    }

    /// Returns true if the file declares this reserved word, which is a mistake of its own.
    fn is_own_word(&self, word: &str) -> bool {
        self.outline().declares(word) || self.outline().field(word).is_some()
    }

    /// Rewrites `=> wins(p);` to `=> p wins;`, and explains `wins(me);` in a move and `n := draw();`.
    fn called_verdict(&self) -> Option<Fix> {
        let (at, open, close) = self.call_of(&VERDICTS)?;
        let (word, argument) = (self.layout.text(at), self.text(open + 1, close));
        let range = (self.range(at).0, self.range(close).1);
        let before = self.layout.text(at.wrapping_sub(1));
        let has_argument = close > open + 1;
        if self.bounds.place == ClauseContext::End && before == "=>" {
            let title = format!("`{word}` is no function: an outcome is told in words");
            let verb = if word.starts_with("win") { "wins" } else { "loses" };
            let is_sole = self.outline().players().len() == 1;
            let new = match word {
                "draw" if !has_argument => "draw".to_owned(),
                "draw" => return None,
                _ if has_argument => format!("{argument} {verb}"),
                "win" | "lose" if is_sole => word.to_owned(),
                _ => {
                    let help = format!("write `p {verb}` with the player `p`, such as `mover {verb}`");
                    return Some(explained(range, "draw", &title, help));
                }
            };
            return Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")));
        }
        let is_clause = self.in_move() && at == self.bounds.clause;
        if is_clause && self.layout.text(close + 1) == ";" {
            let title = "a move changes the state; who wins is a rule of `end`";
            let help = match word {
                "draw" => {
                    "write `end { when ... => draw; }`: it is tested after each move; a card drawn at random is the \
                     parameter of a `chance` event"
                }
                _ => "write `end { when ... => X wins; }`: it is tested after each move",
            };
            return Some(explained(self.whole_clause(), "", title, help).at(range));
        }
        let is_term = !matches!(before, "." | ";" | "{" | "}" | "=>" | "move" | "chance" | "");
        let (title, help) = match word {
            _ if !is_term || !keywords::is_reserved(word) => return None,
            "draw" => (
                "`draw` is an outcome, and no term: what chance decides is a parameter of its event",
                "write `chance deal(x: T) in deal { ... := x; }` with the type `T` of the values, in a phase `by chance`",
            ),
            _ => (
                "who wins is an outcome of `end`, and no condition",
                "write what must hold as a definition, `def won(p: Player) = ...;`, and `won(p)` here and in `end`",
            ),
        };
        let fix = explained(range, DAMAGE_MARKER, title, help);
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `=> A.wins();` to `=> A wins;`.
    fn verdict_as_a_method(&self) -> Option<Fix> {
        let (at, open, close) = self.call_of(&["wins", "loses", "win", "lose"])?;
        let dot = at.checked_sub(1).filter(|&dot| self.layout.text(dot) == "." && close == open + 1)?;
        let start = self.start_of_term(dot);
        if self.bounds.place != ClauseContext::End || self.layout.text(start.checked_sub(1)?) != "=>" {
            return None;
        }
        let verb = if self.layout.text(at).starts_with("win") { "wins" } else { "loses" };
        let new = format!("{} {verb}", self.text(start, dot));
        let range = (self.range(start).0, self.range(close).1);
        let title = format!("`{}` is no function: an outcome is told in words", self.layout.text(at));
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `mod(a, b)` to `(a mod b)`, and `in(c, S)` to `(c in S)`.
    fn operator_as_a_function(&self) -> Option<Fix> {
        let (at, open, close) = self.call_of(&["mod", "in", "iff", "implies"])?;
        let word = self.layout.text(at);
        let begins = at > self.bounds.first && !self.ends_term(at - 1) && self.layout.text(at - 1) != ".";
        let comma = self.outside_brackets(open + 1, &[","]).filter(|&comma| begins && comma < close)?;
        let is_last = self.outside_brackets(comma + 1, &[","]).is_none_or(|next| next > close);
        if !is_last || comma == open + 1 || comma + 1 == close {
            return None;
        }
        let part = |from: usize, to: usize| match self.end_of_operand(from) == Some(to) {
            true => self.text(from, to).to_owned(),
            false => format!("({})", self.text(from, to)),
        };
        let new = format!("({} {word} {})", part(open + 1, comma), part(comma + 1, close));
        let range = (self.range(at).0, self.range(close).1);
        let title = format!("`{word}` stands between its two terms");
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `again();` to `again;`, and `continue(bet);` to `continue bet;`.
    fn called_clause(&self) -> Option<Fix> {
        let (at, open, close) = self.call_of(&["again", "continue"])?;
        let word = self.layout.text(at);
        let has_phase = close == open + 2 && self.is_name(open + 1);
        let is_complete = if word == "again" { close == open + 1 } else { has_phase };
        let is_clause = self.in_move() && at == self.bounds.clause && self.layout.text(close + 1) == ";";
        (is_clause && is_complete).then(|| {
            let new =
                if has_phase { format!("{word} {}", self.layout.text(open + 1)) } else { word.to_owned() };
            let range = (self.range(at).0, self.range(close).1);
            let title = format!("`{word}` is no function, and stands without brackets");
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`"))
        })
    }

    /// Rewrites `coins.sum()` to `(sum i in 1..#coins: coins[i])` for a list.
    fn sum_as_a_method(&self) -> Option<Fix> {
        let (at, open, close) = self.call_of(&["sum"])?;
        let dot = at.checked_sub(1).filter(|&dot| self.layout.text(dot) == "." && close == open + 1)?;
        let start = self.start_of_term(dot);
        let term = self.text(start, dot);
        let outline = self.outline();
        let name = VARIABLES.into_iter().find(|name| !outline.has_word(name))?;
        let is_set = outline.field(term).is_some_and(|field| field.ty.first() == Some(&"set"));
        let new = match (outline.is_list(term), is_set) {
            (true, _) => Some(format!("(sum {name} in 1..#{term}: {term}[{name}])")),
            (_, true) => Some(format!("(sum {name} in {term}: {name})")),
            _ => None,
        };
        let range = (self.range(start).0, self.range(close).1);
        let title = "`sum` goes through a set with a variable, and is no function";
        let fix = match new {
            Some(new) => Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")),
            None => {
                let help = format!(
                    "write `(sum {name} in {term}: {name})` for a set of numbers, `(sum {name} in 1..#{term}: {term}[{name}])` \
                     for a list"
                );
                explained(range, DAMAGE_MARKER, title, help)
            }
        };
        Some(Fix { accepts_partial: true, ..fix.at((self.range(dot).0, range.1)) })
    }

    /// Rewrites `here.move(d)` and `move(here, d)` with a direction to `(here + d)`.
    fn step_as_a_move(&self, at: usize, close: usize) -> Option<Fix> {
        let is_method = self.layout.text(at - 1) == ".";
        let comma = self.outside_brackets(at + 2, &[","]).filter(|&comma| comma < close);
        let (start, cell, way) = match comma {
            None if is_method => {
                let start = self.start_of_term(at - 1);
                (start, self.text(start, at - 1), at + 2)
            }
            Some(comma) if !is_method => (at, self.text(at + 2, comma), comma + 1),
            _ => return None,
        };
        let name = self.layout.text(way);
        let is_bound = |from: usize| {
            let is_typed = self.layout.text(from) == name && matches!(self.layout.text(from + 1), ":" | "in");
            is_typed && matches!(self.layout.text(from + 2), "Dir" | "Orthogonal" | "Diagonal")
        };
        let is_named = matches!(name, "N" | "NE" | "E" | "SE" | "S" | "SW" | "W" | "NW");
        let is_way = way + 1 == close && (is_named || (self.bounds.first..at).any(is_bound));
        let is_clause = start == self.bounds.clause;
        (is_way && !is_clause).then(|| {
            let step = format!("{cell} + {name}");
            let before = self.layout.text(start.wrapping_sub(1));
            let is_whole =
                matches!(before, "=" | ":=" | "(" | "[" | ",") && before_ends(self.layout.text(close + 1));
            let new = if is_whole { step.clone() } else { format!("({step})") };
            let range = (self.range(start).0, self.range(close).1);
            let title = "the cell one step away is a sum: `move` is no function";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(at));
            Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) }
        })
    }

    /// The message about a reserved word at `at` that is called, and not declared: it has no other name.
    pub(super) fn reserved_word_called(&self, at: usize) -> Option<Fix> {
        let word = self.layout.text(at);
        let is_head = matches!(
            self.layout.text(at.wrapping_sub(1)),
            "def" | "inductive" | "effect" | "move" | "chance" | "record" | "const" | "param"
        );
        let is_call = self.layout.text(at + 1) == "(" && self.touches(at) && !is_head;
        let close = self.layout.partner(at + 1).filter(|_| is_call && at > self.bounds.first)?;
        if self.is_own_word(word) || self.bounds.place == ClauseContext::State {
            return None;
        }
        let is_method = self.layout.text(at - 1) == ".";
        let start = if is_method { self.start_of_term(at - 1) } else { at };
        let set = if is_method { self.text(start, at - 1) } else { "S" };
        if word == "move"
            && let Some(step) = self.step_as_a_move(at, close)
        {
            return Some(step);
        }
        let title = format!("`{word}` is a word of the language, and no function");
        let help = match QUANTIFIERS.contains(&word) {
            true => format!("write `({word} x in {set}: ...)`, with a variable and what is said of it"),
            false => "leave it out, or call a definition by its name".to_owned(),
        };
        let range = (self.range(start).0, self.range(close).1);
        let fix = explained(range, DAMAGE_MARKER, &title, help).at(self.range(at));
        Some(Fix { accepts_partial: is_method, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn steps_are_sums() {
        let text = |term: &str| {
            format!(
                "move walk(d: Orthogonal) as \"{{d}}\" {{ let to = {term}; when at[to] = none; here := to; }}\n"
            )
        };
        for (theirs, ours) in [
            ("here.move(d)", "here + d"),
            ("move(here, d)", "here + d"),
            ("at[me].move(N)", "at[me] + N"),
            ("far(here.move(d), c)", "far(here + d, c)"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours), "{theirs}");
            assert_eq!(titles(&text(theirs)).len(), 1, "{theirs}");
        }
        let other = text("here.move(c)");
        assert_eq!(mended(&other), other);
    }

    #[test]
    fn reserved_words_as_parameters_are_renamed() {
        for (old, new) in [
            (
                "def near(c: Cell, by: Cell) = by in c.neighbors;\n",
                "def near(c: Cell, by_: Cell) = by_ in c.neighbors;\n",
            ),
            ("def near(end: Cell) = at[end] = none;\n", "def near(end_: Cell) = at[end_] = none;\n"),
            ("move go(set: 1..3) { n += set; }\n", "move go(set_: 1..3) { n += set_; }\n"),
        ] {
            assert_eq!(mended(old), new, "{:?}", titles(old));
        }
    }

    #[test]
    fn sums_have_a_variable() {
        let text = |sum: &str| format!("param start: list of 0..4 = [1, 2];\nconst total = {sum};\n");
        assert_eq!(mended(&text("start.sum()")), text("(sum i in 1..#start: start[i])"));
        assert_eq!(titles(&text("start.sum()")).len(), 1);
    }

    #[test]
    fn outcomes_are_told_in_words() {
        let text = |outcome: &str| format!("players A, B;\nend {{ when stuck => {outcome}; }}\n");
        for (old, new) in [("draw()", "draw"), ("wins(A)", "A wins"), ("loses(mover)", "mover loses")] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
        let sole = "player A;\nend { when stuck => win(); }\n";
        assert_eq!(mended(sole), sole.replace("()", ""));
    }

    #[test]
    fn operators_stand_between_their_terms() {
        let text = |term: &str| format!("def f(n: 1..9, s: set of Cell) = {term};\n");
        for (old, new) in [
            ("mod(n + 1, 3) = 1", "((n + 1) mod 3) = 1"),
            ("n = 2 and in(c, s)", "n = 2 and (c in s)"),
            ("iff(n = 1, f)", "((n = 1) iff f)"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
    }

    #[test]
    fn clauses_are_no_functions() {
        let text = |clause: &str| format!("phases {{ bet; }}\nmove m() as \"m\" {{ n := 1; {clause} }}\n");
        for (old, new) in [("again();", "again;"), ("continue(bet);", "continue bet;")] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
        let rule = |outcome: &str| {
            format!("players A, B;\nend {{ when n = 3 => {outcome}; when stuck => draw; }}\n")
        };
        for (old, new) in [("A.wins()", "A wins"), ("mover.loses()", "mover loses")] {
            assert_eq!(mended(&rule(old)), rule(new));
            assert_eq!(titles(&rule(old)).len(), 1, "{old}");
        }
    }

    #[test]
    fn outcomes_are_no_effects_and_no_terms() {
        let text = |clause: &str| format!("players A, B;\nmove m() as \"m\" {{ n := 1; {clause} }}\n");
        for (clause, part) in
            [("wins(me);", "X wins"), ("draw();", "`chance` event"), ("n := draw();", "`chance deal(x: T)")]
        {
            assert_eq!(mended(&text(clause)), text(clause));
            assert_eq!(titles(&text(clause)).len(), 1, "{clause}");
            assert!(helps(&text(clause))[0].contains(part), "{:?}", helps(&text(clause)));
        }
    }

    #[test]
    fn declared_words_are_renamed_where_they_are_called() {
        let text = "def draw(n: 1..3) = n = 2;\nmove m() as \"m\" { when draw(2); }\n";
        assert_eq!(mended(text), text.replace("draw", "draw_"));
    }
}
