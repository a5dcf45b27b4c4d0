//! Claims and steps of tests in another form: `expect not legal mark(a1);`, `play X: a1, O: b2;`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;

impl FixFinder<'_> {
    /// Fixes and explanations of claims and steps.
    pub fn steps(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.bound_of_plies(),
            self.solved_by_another_word(),
            self.legality_in_words(),
            self.verdict_or_draw(),
            self.position_by_another_word(),
            self.choice_in_a_test(),
            self.step_of_a_player(),
            self.step_by_an_arrow(),
            self.picture_after_position(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    fn is_claim(&self) -> bool {
        self.layout.text(self.bounds.clause) == "expect"
    }

    /// The index of the `;` of the clause.
    fn end_of_claim(&self) -> Option<usize> {
        self.outside_brackets(self.bounds.clause, &[";"])
    }

    /// Explains `expect solved in at most 6;` and `expect X wins in <= 5;`.
    fn bound_of_plies(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.outside_brackets(clause, &["in", "within", ";"]).filter(|_| self.is_claim())?;
        let end = self.end_of_claim()?;
        let number =
            (word + 1..end).rev().find(|&at| self.layout.text(at).bytes().all(|b| b.is_ascii_digit()))?;
        let bound = self.text(word + 1, number).to_owned();
        let is_within = self.layout.text(word) == "within";
        let is_bound = matches!(
            bound.as_str(),
            "at most"
                | "at least"
                | "no more than"
                | "not more than"
                | "less than"
                | "<="
                | "<"
                | "max"
                | "up to"
                | "exactly"
        );
        if !(is_bound || is_within && word + 1 == number) {
            return None;
        }
        let n = self.layout.text(number);
        let subject = self.text(clause + 1, word);
        let title = "a claim names the number of plies that best play takes, not a bound";
        let help = format!(
            "write `{subject} in {n}` if best play takes {n}; `bouton solve --within {n}` searches up to a bound"
        );
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", title, help).at((self.range(word).0, self.range(number).1)))
    }

    /// Rewrites `expect solvable in 6;` to `expect solved in 6;`.
    fn solved_by_another_word(&self) -> Option<Fix> {
        let word = self.bounds.clause + 1;
        let is_word = matches!(
            self.layout.text(word),
            "solvable"
                | "solve"
                | "solves"
                | "solution"
                | "win"
                | "wins"
                | "won"
                | "goal"
                | "finished"
                | "done"
        ) && matches!(self.layout.text(word + 1), "in" | "within");
        let number = self.layout.text(word + 2);
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        (self.is_claim() && is_word && is_number).then(|| {
            let end = self.end_of_claim().unwrap_or(word + 3);
            let end = self.outside_brackets(word, &["with", "cite"]).filter(|&at| at < end).unwrap_or(end);
            let new = format!("solved in {number}");
            let range = (self.range(word).0, self.range(end - 1).1);
            let title = "the fewest moves of a puzzle are claimed by `solved in`";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `expect {new};`"))
        })
    }

    /// Rewrites `not legal mark(a1)` to `illegal mark(a1)`, and `can mark(a1)` to `legal mark(a1)`.
    fn legality_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let words = [1, 2].map(|at| self.layout.text(clause + at));
        let (count, ours) = match words {
            ["not", "legal" | "possible" | "allowed" | "can"] => (2, "illegal"),
            ["not", "illegal"] => (2, "legal"),
            ["cannot" | "impossible" | "forbidden" | "disallowed", _] => (1, "illegal"),
            ["can" | "possible" | "allowed" | "available" | "is_legal", _] => (1, "legal"),
            _ => return None,
        };
        let is_move = keywords::starts_with_letter(self.layout.text(clause + count + 1))
            || self.layout.words.get(clause + count + 1).is_some_and(|word| word.kind == TokenKind::Str);
        (self.is_claim() && is_move).then(|| {
            let range = (self.range(clause + 1).0, self.range(clause + count).1);
            let title = "whether a move is legal is claimed by `legal` and `illegal`";
            let end = self.end_of_claim().unwrap_or(clause + count + 2);
            let help = format!("write `expect {ours} {};`", self.text(clause + count + 1, end));
            Fix::new(range, ours, Code::E0013, title).help(help)
        })
    }

    /// Explains `expect first wins or draw;`.
    fn verdict_or_draw(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_verdict = |at: usize| matches!(self.layout.text(at), "wins" | "loses" | "draw");
        let or = self.outside_brackets(clause, &["or", ";"]).filter(|_| self.is_claim())?;
        let end = self.end_of_claim()?;
        let is_choice = self.layout.text(or) == "or" && is_verdict(or - 1) && (or..end).any(is_verdict);
        is_choice.then(|| {
            let title = "a claim says one result";
            let help = "write `expect value >= 0;` if the first player wins or draws, `expect value <= 0;` if the second does";
            let range = (self.range(clause).0, self.range(end).1);
            explained(range, "", title, help).at(self.range(or))
        })
    }

    /// Rewrites `given { ... }` in a test to `position { ... }`.
    fn position_by_another_word(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = matches!(
            self.layout.text(clause),
            "given"
                | "setup"
                | "start"
                | "state"
                | "from"
                | "board"
                | "initial"
                | "begin"
                | "let"
                | "arrange"
        ) && self.layout.text(clause + 1) == "{";
        (self.bounds.place == ClauseContext::Test && is_word).then(|| {
            let title = "a test sets its position in `position { ... }`";
            Fix::new(self.range(clause), "position", Code::E0013, title).help("write `position { ... }`")
        })
    }

    /// Explains `if c { ... }` and `for x in S { ... }` in a test.
    fn choice_in_a_test(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let open = self.outside_brackets(clause, &["{", ";"])?;
        let is_choice = self.bounds.place == ClauseContext::Test
            && matches!(word, "if" | "for" | "while" | "repeat")
            && self.layout.text(open) == "{";
        let close = self.layout.partner(open).filter(|_| is_choice)?;
        let title = "a test makes its steps one after the other, without choices or loops";
        let help = "write the steps: `play m, n;` makes moves, `expect ...;` claims";
        let range = (self.range(clause).0, self.range(close).1);
        Some(explained(range, "", title, help).at(self.range(clause)))
    }

    /// The steps of a `play`, as places of their first words and ends.
    fn played(&self) -> Option<Vec<(usize, usize)>> {
        let clause = self.bounds.clause;
        let is_play = self.layout.text(clause) == "play" && self.bounds.place == ClauseContext::Test;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_play)?;
        let mut steps = Vec::new();
        let mut start = clause + 1;
        while start < end {
            let next = self.outside_brackets(start, &[",", ";"])?;
            steps.push((start, next));
            start = next + 1;
        }
        Some(steps)
    }

    /// Explains `play X: a1, O: b2;`.
    fn step_of_a_player(&self) -> Option<Fix> {
        let steps = self.played().filter(|_| matches!(self.word, ":" | "=" | "->"))?;
        let is_of_player = |&(start, end): &(usize, usize)| {
            matches!(self.layout.text(start + 1), ":" | "=" | "->") && end > start + 2
        };
        if !steps.iter().all(is_of_player) || self.word == "->" && steps.len() < 2 {
            return None;
        }
        let names: Vec<String> = steps
            .iter()
            .map(|&(start, end)| match self.text(start + 2, end) {
                call if call.contains('(') => call.to_owned(),
                name => format!("\"{}\"", name.trim_matches('"')),
            })
            .collect();
        let title = "each move is made by the player to move, who is not named";
        let help = format!("write `play {};`", names.join(", "));
        let last = steps.last()?.1;
        let range = (self.range(self.bounds.clause).0, self.range(last).1);
        Some(explained(range, "", title, help).at(self.here()))
    }

    /// Explains `play a1 -> b2;` and `play a1 to b2;`.
    fn step_by_an_arrow(&self) -> Option<Fix> {
        let steps = self.played().filter(|_| matches!(self.word, "->" | "to" | "-" | "=>" | ".." | "x"))?;
        let last = steps.last()?.1;
        let title = "a move is named as it is declared, or between quotes as it is shown";
        let help = "write `play go(a1, b2);` with the name of the move, or `play \"a1-b2\";` as `as \"...\"` names it";
        let range = (self.range(self.bounds.clause).0, self.range(last).1);
        Some(explained(range, "", title, help).at(self.here()))
    }

    /// Explains `position """...""";`.
    fn picture_after_position(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_picture = self.bounds.place == ClauseContext::Test
            && self.layout.text(clause) == "position"
            && self.word.starts_with('"');
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_picture)?;
        let title = "a position is made by effects; a picture sets a whole field";
        let help = "write `position { at := diagram \"\"\"...\"\"\" { \"X\" => X, \".\" => none }; }`";
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", title, help).at(self.range(clause)))
    }

    /// Explains `when c { effects }` and `when c do effect;` in a move.
    pub(super) fn condition_with_effects(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_condition = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(clause), "when" | "ensure" | "require");
        let open = self.outside_brackets(clause + 1, &["{", "do", ";"]).filter(|_| is_condition)?;
        let condition = self.text(clause + 1, open);
        if open <= clause + 1 || self.layout.text(open) == ";" {
            return None;
        }
        let (effects, last) = match self.layout.text(open) {
            "{" => {
                let close = self.layout.partner(open)?;
                (self.text(open + 1, close).to_owned(), close)
            }
            _ => {
                let end = self.outside_brackets(open, &[";"])?;
                (self.text(open + 1, end + 1).to_owned(), end)
            }
        };
        // The elements of a set are no effects.
        if !effects.contains(":=")
            && !effects.contains("-=")
            && !effects.contains("+=")
            && !effects.contains("|=")
        {
            return None;
        }
        let title = "a condition of a move ends with `;`, and its effects follow";
        let one_line = effects.split_whitespace().collect::<Vec<_>>().join(" ");
        let help = format!(
            "write `when {condition}; {one_line}` if the move is legal only then, `if {condition} {{ {one_line} }}` if it is \
             legal anyway"
        );
        let range = (self.range(clause).0, self.range(last).1);
        let new = format!("when {condition}; {effects}");
        Some(explained(range, &new, title, help).at(self.range(open)))
    }

    /// Explains `pile, other: 0..20 = n;` in a state, and `at[Cat] = a1; at[Mouse] = c3;`.
    pub(super) fn field_in_another_form(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        if self.bounds.place != ClauseContext::State {
            return None;
        }
        let end = self.outside_brackets(clause, &[";", "}"])?;
        if let Some(colon) =
            self.outside_brackets(clause, &[":", ";"]).filter(|&at| self.layout.text(at) == ":")
        {
            let names: Vec<&str> = self.text(clause, colon).split(',').map(str::trim).collect();
            let are_names =
                names.iter().all(|name| name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()));
            if self.word != "," || names.len() < 2 || !are_names {
                return None;
            }
            let rest = self.text(colon, end);
            let new: Vec<String> = names.iter().map(|name| format!("{name}{rest}")).collect();
            let new = new.join("; ");
            let range = (self.range(clause).0, self.range(end - 1).1);
            let title = "each field has a declaration of its own";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            return Some(fix.help(format!("write `{new};`")));
        }
        // Values of single keys, one after the other.
        let name = self.layout.text(clause);
        // What is assigned to a field that has its declaration is an effect.
        let declares = |at: usize| {
            let keys = if self.layout.text(at + 1) == "[" { self.layout.partner(at + 1) } else { Some(at) };
            keys.is_some_and(|last| self.layout.text(last + 1) == ":")
        };
        if (0..clause).any(|at| self.layout.text(at) == name && declares(at)) {
            return None;
        }
        let (values, last) = self.values_of_single_keys(name, clause);
        if values.is_empty() || self.word != "]" {
            return None;
        }
        let title = "a field is declared once, with its key, its type and the first value of each key";
        let arms: Vec<String> = values.iter().map(|(key, value)| format!("{key} => {value}")).collect();
        let help = format!("write `{name}[k: TYPE]: TYPE = match k {{ {} }};`", arms.join(", "));
        let keys: Vec<&str> = values.iter().map(|(key, _)| *key).collect();
        let new = format!("{name}[k: {{ {} }}]: {DAMAGE_MARKER};", keys.join(", "));
        let range = (self.range(clause).0, self.range(last).1);
        Some(explained(range, &new, title, help).at((self.range(clause).0, self.here().1)))
    }
}
