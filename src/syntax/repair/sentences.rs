//! Sentences of rulebooks in the place of clauses: `players alternate;`, `a player who cannot move loses;`,
//! `=> the last player to move wins`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;

impl FixFinder<'_> {
    /// Fixes and explanations of sentences.
    pub fn sentences(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.sentence_about_the_end(),
            self.sentence_about_turns(),
            self.last_player_as_an_outcome(),
            self.repetition_as_a_condition(),
            self.unit(),
            self.sentence_in_a_block(),
            self.verdict_in_a_condition(),
            self.limit_of_turns(),
            self.setup_by_a_player(),
            self.setup_of_the_board(),
            self.count_of_a_value(),
            self.quantifier_of_a_set(),
            self.throw_in_a_move(),
            self.secret_field(),
            self.constant_in_a_move(),
            self.quantifier_as_a_clause(),
            self.condition_of_ludii(),
            self.type_in_two_words(),
            self.default_of_none(),
            self.best_move_as_a_claim(),
            self.term_without_else(),
            self.players_in_round_brackets(),
            self.end_of_a_block(),
            self.type_of_haskell(),
            self.spread(),
            self.query(),
            self.call_without_brackets(),
            self.optional_part(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The words from one up to another, in small letters and with single blanks.
    fn lower_words(&self, from: usize, to: usize) -> String {
        (from..to).map(|at| self.layout.text(at).to_ascii_lowercase()).collect::<Vec<_>>().join(" ")
    }

    /// Explains `end { a player who cannot move loses; }`.
    fn sentence_about_the_end(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";", "=>"]).filter(|&end| self.layout.text(end) == ";")?;
        if self.bounds.place != ClauseContext::End || self.bounds.at > end {
            return None;
        }
        let words = self.lower_words(clause, end);
        let is_stuck = [
            "cannot move",
            "can not move",
            "no move",
            "no legal move",
            "is stuck",
            "is blocked",
            "cannot play",
        ]
        .iter()
        .any(|sign| words.contains(sign));
        let verdict = if words.contains("loses") || words.contains("lost") { "normal" } else { "misere" };
        let has_verdict = ["loses", "lost", "wins", "won"].iter().any(|sign| words.contains(sign));
        (is_stuck && has_verdict).then(|| {
            let title = "that a player who cannot move loses, or wins, is a convention of its own";
            let help =
                format!("write `play {verdict};` in place of this rule; `end` may have other rules besides");
            explained(self.whole_clause(), "when stuck => draw;", title, help).at(self.whole_clause())
        })
    }

    /// Removes `players take turns;`.
    fn sentence_about_turns(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let second = self.layout.text(first + 1);
        let is_sentence = matches!(self.layout.text(first), "players" | "player" | "turns")
            && matches!(second, "take" | "move" | "play" | "alternate" | "alternately" | "go")
            && self.layout.text(first + 2) != ",";
        let end = self.outside_brackets(first + 1, &[";"]).filter(|_| is_sentence)?;
        let title = "players take turns by themselves, in the order in which `players` names them";
        let fix = Fix::new((self.range(first).0, self.range(end).1), "", Code::E0013, title);
        Some(fix.at((self.range(first).0, self.range(end - 1).1)).help("leave it out"))
    }

    /// Explains `=> the last player to move wins`.
    fn last_player_as_an_outcome(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self.outside_brackets(clause, &["=>"])?;
        let end = self.outside_brackets(arrow, &[";"])?;
        let in_outcome = self.bounds.place == ClauseContext::End && (arrow..=end).contains(&self.bounds.at);
        let words = self.lower_words(arrow + 1, end);
        let verdict = words.rsplit(' ').next().filter(|word| matches!(*word, "wins" | "loses"))?;
        let names_last = [
            "last player",
            "player who moved",
            "last mover",
            "last to move",
            "previous player",
            "player who made",
        ]
        .iter()
        .any(|sign| words.contains(sign));
        // `last mover wins` alone has a message of its own.
        (in_outcome && names_last && end > arrow + 4).then(|| {
            let title = "after a move the turn has passed: the last to move is `other(mover)`";
            let help = format!(
                "write `=> other(mover) {verdict};` with two players; for more, a field holds who moved, `last := me;`"
            );
            let new = format!("other(mover) {verdict}");
            let range = (self.range(arrow + 1).0, self.range(end - 1).1);
            explained(range, &new, title, help)
        })
    }

    /// Rewrites `when position repeats => draw;` to `repeat => draw;`.
    fn repetition_as_a_condition(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self.outside_brackets(clause, &["=>", ";"]).filter(|&at| self.layout.text(at) == "=>")?;
        let is_rule = self.bounds.place == ClauseContext::End && self.layout.text(clause) == "when";
        let words = self.lower_words(clause + 1, arrow);
        let is_repetition = [
            "repeats",
            "repeated",
            "repetition",
            "occurs again",
            "occurs twice",
            "comes back",
            "seen before",
        ]
        .iter()
        .any(|sign| words.contains(sign))
            && (clause + 1..arrow).all(|at| self.layout.words[at].kind == TokenKind::Word);
        (is_rule && is_repetition).then(|| {
            let title = "a rule about positions that come again begins with `repeat`";
            let help = "write `repeat => ...;` for endless play, `repeat 3 => ...;` for a position that comes a third time";
            let range = (self.range(clause).0, self.range(arrow - 1).1);
            explained(range, "repeat", title, help)
        })
    }

    /// Explains `(verify empty?) add` in a move, and `(win-condition (X O) ...)` in the end.
    fn sentence_in_a_block(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let begins =
            |at: usize| self.layout.text(at) == "(" && keywords::starts_with_letter(self.layout.text(at + 1));
        let open = [clause, self.bounds.at]
            .into_iter()
            .find(|&at| begins(at) && matches!(self.layout.text(at.wrapping_sub(1)), "{" | ";" | "}"))?;
        let close = self.layout.partner(open)?;
        let help = match self.bounds.place {
            ClauseContext::Move => "write `when at[c] = none;` for a condition, `at[c] := me;` for an effect",
            ClauseContext::End => "write `when condition => X wins;`, one rule after the other",
            ClauseContext::State => "write `name[key: Type]: Type = value;`, one field after the other",
            _ => return None,
        };
        let is_effect = matches!(self.layout.text(close + 1), ":=" | "=" | "<-" | "." | "[");
        let around = self.bracket_around(open, open)?;
        let end = self.layout.partner(around).filter(|&end| !is_effect && end > open)?;
        let title = "a sentence in brackets, as in Zillions, Ludii or GDL, is no clause";
        let new = if self.bounds.place == ClauseContext::End { "when stuck => draw;" } else { "" };
        let range = (self.range(open).0, self.range(end - 1).1);
        Some(explained(range, new, title, help).at((self.range(open).0, self.range(close).1)))
    }

    /// Rewrites `at.count(A)` to `(count c in Cell: at[c] = A)`, with the set left open.
    fn count_of_a_value(&self) -> Option<Fix> {
        let dot = self.bounds.at.checked_sub(2)?;
        let is_count = self.word == "(" && self.last == "count" && self.layout.text(dot) == ".";
        let close = self.layout.partner(self.bounds.at).filter(|_| is_count)?;
        let start = self.start_of_term(dot);
        let (field, value) = (self.text(start, dot), self.text(self.bounds.at + 1, close));
        let title = "elements are counted one by one, with a condition";
        let help = match value.is_empty() {
            true => format!("write `#{field}` for the elements of a set"),
            // `c.neighbors` is a set of cells, and `at` a field.
            false if field.contains('.') => {
                format!("write `(count n in {field}: at[n] = {value})`, with the name of the field")
            }
            false => format!("write `(count c in Cell: {field}[c] = {value})`, with the name of the board"),
        };
        let range = (self.range(start).0, self.range(close).1);
        let fix = explained(range, DAMAGE_MARKER, title, help).at((self.range(dot).0, self.range(close).1));
        // The clause may have several.
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `sum(hand[p])` to `(sum x in hand[p]: x)`.
    fn quantifier_of_a_set(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let close = self.layout.partner(open)?;
        let word = self.layout.text(open.checked_sub(1)?);
        let set = self.text(open + 1, close);
        let is_call = self.layout.text(open) == "("
            && matches!(word, "sum" | "count" | "union")
            && matches!(self.word, "[" | "(" | ".")
            && !(open..close).any(|at| matches!(self.layout.text(at), "in" | "for" | ":" | "," | "where"));
        let new = match word {
            "count" => format!("#{set}"),
            _ => format!("({word} x in {set}: x)"),
        };
        let range = (self.range(open - 1).0, self.range(close).1);
        let title = format!("`{word}` goes through a set, one element after the other");
        (is_call && !set.is_empty())
            .then(|| Fix::new(range, &new, Code::E0013, title).at(range).help(format!("write `{new}`")))
    }

    /// Explains `chance d in 1..6;` in a move.
    fn throw_in_a_move(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_throw = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(clause), "chance" | "random" | "roll" | "throw")
            && keywords::starts_with_letter(self.layout.text(clause + 1))
            && matches!(self.layout.text(clause + 2), "in" | "from" | "=" | ":=" | ":");
        is_throw.then(|| {
            let title = "chance acts in a phase of its own, not within a move";
            let help = "write `phases { throw by chance; act; }` and `chance roll(d: 1..6) in throw { die := d; continue act; }`, \
                        with a field that holds the result";
            let name = self.layout.text(clause + 1);
            explained(self.whole_clause(), &format!("let {name} = {DAMAGE_MARKER};"), title, help).at(self.range(clause))
        })
    }

    /// Explains `hand: 1..3 = 1 secret;` in a state.
    fn secret_field(&self) -> Option<Fix> {
        let is_secret = self.bounds.place == ClauseContext::State
            && matches!(self.word, "secret" | "private" | "concealed" | "secretly" | "covered");
        let end = self.outside_brackets(self.bounds.at, &[";"]).filter(|_| is_secret)?;
        let title = "a field says at its end who sees it";
        let help = "write `... visible to p;` for what player `p` sees alone, with `p` a key of the field, `... hidden;` for \
                    what nobody sees";
        let range = (self.gap().0, self.range(end - 1).1);
        (self.bounds.at > self.bounds.clause).then(|| explained(range, "", title, help).at(self.here()))
    }

    /// Rewrites `const n = e;` in a move to `let n = e;`.
    fn constant_in_a_move(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_constant = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(clause), "const" | "def" | "local" | "val" | "final")
            && keywords::starts_with_letter(self.layout.text(clause + 1))
            && self.layout.text(clause + 2) == "=";
        is_constant.then(|| {
            let title = "a value has its name in a move by `let`";
            let fix = Fix::new(self.range(clause), "let", Code::E0013, title);
            fix.help(format!("write `let {} = ...;`", self.layout.text(clause + 1)))
        })
    }

    /// Explains `some c in S: f;` as a clause of a move.
    fn quantifier_as_a_clause(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_clause = self.bounds.place == ClauseContext::Move
            && matches!(word, "some" | "all" | "no" | "one" | "exists" | "not")
            && self.bounds.at <= clause + 3;
        let end = self.outside_brackets(clause, &[";"]).filter(|&end| is_clause && end > clause + 1)?;
        let condition = self.text(clause, end);
        let title = "a condition of a move stands after `when`";
        if matches!(word, "all" | "no" | "not") {
            let start = self.range(clause).0;
            let fix = Fix::new((start, start), "when ", Code::E0013, title).at(self.range(clause));
            return Some(fix.help(format!("write `when {condition};`")));
        }
        let name = self.layout.text(clause + 1);
        let rest = self.text(clause + 1, end);
        let help = format!(
            "write `when {condition};` for a condition, `let {name} = one {rest};` to give the element its name"
        );
        let new = format!("let {name} = {DAMAGE_MARKER};");
        Some(explained(self.whole_clause(), &new, title, help).at(self.range(clause)))
    }

    /// Explains `when not (X wins);` in a move.
    fn verdict_in_a_condition(&self) -> Option<Fix> {
        let is_verdict = matches!(self.word, "wins" | "won" | "loses" | "lost");
        let place = self.bounds.place;
        let is_condition = place == ClauseContext::Move
            || place == ClauseContext::Top
                && matches!(self.layout.text(self.bounds.first), "def" | "inductive");
        let is_player = self.layout.words.get(self.bounds.at.checked_sub(1)?)?.kind == TokenKind::Word;
        (is_verdict && is_condition && is_player && self.bounds.at > self.bounds.clause + 1).then(|| {
            let range = (self.range(self.bounds.at - 1).0, self.here().1);
            let title = "who wins is an outcome of `end`, and no condition";
            let help = "no move is made after the end, so a move need not ask for it; the reason of a win is a condition with a \
                        name, `def line(p: Player) = ...;`";
            explained(range, DAMAGE_MARKER, title, help)
        })
    }

    /// Explains `after 20 turns => draw;`.
    fn limit_of_turns(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self
            .outside_brackets(clause, &["=>", ";"])
            .filter(|_| self.bounds.place == ClauseContext::End)?;
        let words = self.lower_words(clause, arrow);
        let counts =
            ["turns", "moves", "rounds", "plies", "turn", "round"].iter().any(|unit| words.ends_with(unit));
        let number = (clause..arrow).find(|&at| self.layout.text(at).bytes().all(|b| b.is_ascii_digit()))?;
        let begins = matches!(self.layout.text(clause), "after" | "when" | "if" | "once");
        (counts && begins && self.bounds.at <= arrow && self.layout.text(arrow) == "=>").then(|| {
            let number = self.layout.text(number);
            let title = "the rules count what they need: nothing counts turns by itself";
            let help = format!(
                "write `state {{ turns: 0..{number} = 0; }}`, `every move {{ turns += 1; }}` and `when turns = {number} => ...;`"
            );
            let range = (self.range(clause).0, self.range(arrow - 1).1);
            explained(range, "when stuck", title, help)
        })
    }

    /// Explains `setup { place by Ann; }`, `setup place by Ann;` and `setup move place(c: Cell) { ... }` among the items.
    fn setup_by_a_player(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_setup = self.layout.text(first) == "setup" && self.bounds.at == first;
        let end = self.layout.item_end(first);
        let by = (first + 1..end).find(|&at| self.layout.text(at) == "by");
        let has_move = self.layout.text(first + 1) == "move";
        (is_setup && (by.is_some() || has_move)).then(|| {
            let actor = by.map(|by| self.layout.text(by + 1)).filter(|word| keywords::starts_with_letter(word));
            let actor = actor.map_or(String::new(), |actor| format!(" by {actor}"));
            let title = "moves before the first turn have a phase of their own";
            let help = format!(
                "write `phases {{ setup place{actor}; act; }}`, and `move put(c: Cell) in place {{ when at[c] = none; at[c] := me; \
                 }}`: play begins with one move of that phase, `continue place;` in it asks for another"
            );
            let range = (self.range(first).0, self.range(end - 1).1);
            explained(range, "", title, help).at(self.range(first))
        })
    }

    /// Explains `when is Line 3 => ...`.
    fn condition_of_ludii(&self) -> Option<Fix> {
        let is = (self.bounds.clause..=self.bounds.at).rev().find(|&at| self.layout.text(at) == "is")?;
        let before = self.layout.text(is.checked_sub(1)?);
        let end = self.outside_brackets(is + 1, &["=>", ";", "and", "or"]).filter(|&end| end > is + 1)?;
        if !matches!(before, "when" | "ensure" | "if" | "and" | "or" | "not" | "=" | "(") {
            return None;
        }
        let (title, help) = match self.layout.text(is + 1) {
            "Line" | "line" => {
                let length = self.layout.text(is + 2);
                let length =
                    if length.bytes().all(|b| b.is_ascii_digit()) && end > is + 2 { length } else { "3" };
                (
                    "a line is a condition on its cells",
                    format!(
                        "write `some l in lines(Cell, {length}): all c in l: at[c] = p`, in a `def line(p: Player) = ...;`"
                    ),
                )
            }
            "Full" | "full" => (
                "a full board is a condition on all its cells",
                "write `all c in Cell: at[c] != none`".into(),
            ),
            "Empty" | "empty" | "In" | "Occupied" => (
                "what stands on a cell is in a field",
                "write `at[c] = none` for an empty cell, `at[c] != none` for another".into(),
            ),
            "Blocked" | "Stuck" => {
                ("that the player to move has no move is `stuck`", "write `when stuck => ...;`".into())
            }
            _ => return None,
        };
        let range = (self.range(is).0, self.range(end - 1).1);
        Some(explained(range, DAMAGE_MARKER, title, help))
    }

    /// Explains `move add(to: sites Empty)`.
    fn type_in_two_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_parameter =
            matches!(self.layout.text(at.checked_sub(2)?), ":") && self.bracket_around(at, at).is_some();
        let is_name = |word: &str| keywords::starts_with_letter(word) && !keywords::is_reserved(word);
        let is_free = |word: &str| word.eq_ignore_ascii_case("empty") || word.eq_ignore_ascii_case("free");
        let is_sites = is_free(self.word) || is_free(self.last);
        (is_parameter && is_sites && is_name(self.last) && is_name(self.word)).then(|| {
            let name = self.layout.text(at.saturating_sub(3));
            let title = "a parameter takes all values of its type, and `when` says which of them are legal";
            let help =
                format!("write `{name}: Cell`, with the name of the board, and `when at[{name}] = none;`");
            explained((self.range(at - 1).0, self.here().1), DAMAGE_MARKER, title, help)
        })
    }

    /// Rewrites `at[c] ?? B` to `(if at[c] != none then at[c] else B)`.
    fn default_of_none(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let first = if self.word == "?" && self.layout.text(at + 1) == "?" { at } else { at.checked_sub(1)? };
        let is_operator =
            self.layout.text(first) == "?" && self.layout.text(first + 1) == "?" && self.touches(first);
        let start = self.start_of_term(first);
        let is_end = |end: usize| {
            matches!(self.layout.text(end), ")" | "]" | ";" | "," | "and" | "or" | "=>" | "=" | "!=")
        };
        let mut end = first + 2;
        while end < self.layout.words.len() && !is_end(end) {
            end = self.layout.partner(end).filter(|&close| close > end).unwrap_or(end) + 1;
        }
        if !is_operator || start >= first || end == first + 2 {
            return None;
        }
        let (value, other) = (self.text(start, first), self.text(first + 2, end));
        let new = format!("if {value} != none then {value} else {other}");
        let is_whole = self.layout.text(start.wrapping_sub(1)) == "(" && self.layout.text(end) == ")";
        let new = if is_whole { new } else { format!("({new})") };
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "a value in place of `none` is chosen by `if`";
        let fix =
            Fix::new(range, &new, Code::E0013, title).at((self.range(first).0, self.range(first + 1).1));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Removes the unit of `param size: 1..9 litres = 3 litres;`.
    fn unit(&self) -> Option<Fix> {
        let is_number = self.last.bytes().all(|b| b.is_ascii_digit()) && !self.last.is_empty();
        let is_word = self.layout.words.get(self.bounds.at).is_some_and(|word| word.kind == TokenKind::Word)
            && keywords::starts_with_letter(self.word)
            && !keywords::is_reserved(self.word)
            && !["secret", "private", "public", "hidden", "visible", "default", "with", "by"]
                .contains(&self.word)
            && self.word.len() > 1;
        let is_unit = is_number
            && is_word
            && matches!(
                self.layout.text(self.bounds.at + 1),
                ";" | "=" | "," | ")" | "and" | "or" | "<" | "<=" | ">" | ">="
            );
        let is_value = !matches!(self.layout.text(self.bounds.first), "board" | "expect" | "test");
        let first = self.bounds.first;
        if is_unit
            && self.layout.text(first) == "param"
            && self.layout.text(self.bounds.at + 1) == ";"
            && self.bounds.at == first + 4
        {
            let name = self.layout.text(first + 1);
            let title = "a parameter has the range of its values and one of them, without a unit";
            let help = format!("write `param {name}: 1..9 = {};`", self.last);
            let range = (self.range(first + 3).0, self.here().1);
            return Some(explained(range, &format!("{DAMAGE_MARKER} = {}", self.last), title, help));
        }
        let is_declared = self.outline().field(self.word).is_some();
        (is_unit && is_value && !is_declared).then(|| {
            let range = (self.gap().0, self.here().1);
            let title = format!("numbers have no units: `{}` has no meaning here", self.word);
            let fix = Fix::new(range, "", Code::E0013, title).at(self.here());
            Fix { accepts_partial: true, ..fix.help("leave it out") }
        })
    }

    /// Explains `expect best move m;`.
    fn best_move_as_a_claim(&self) -> Option<Fix> {
        let first =
            (self.bounds.clause..=self.bounds.at).rev().find(|&at| self.layout.text(at) == "expect")?;
        let is_claim = matches!(self.layout.text(first + 1), "best" | "winning" | "optimal" | "good")
            && matches!(self.layout.text(first + 2), "move" | "moves");
        let end = self.outside_brackets(first, &[";"]).filter(|_| is_claim)?;
        let shown = if end > first + 3 { self.text(first + 3, end) } else { "m" };
        let shown = shown.trim_start_matches([':', '=', ' ']);
        let shown = shown.trim_start_matches(['{', ' ']).split(',').next().unwrap_or(shown);
        let shown = shown.trim_end_matches(['}', ' ', '"']).trim_start_matches('"');
        let title = "a claim is about a position: that a move is good, the position after it says";
        let help = format!(
            "write `test \"a good move\" {{ play \"{shown}\"; expect A wins; }}`, with the player who made it"
        );
        let range = (self.range(first).0, self.range(end).1);
        Some(explained(range, "", title, help).at((self.range(first + 1).0, self.range(first + 2).1)))
    }

    /// Explains `players (X) (O);` and `role(X). role(O).`
    fn players_in_round_brackets(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_list = self.bounds.place == ClauseContext::Top
            && matches!(self.layout.text(first), "players" | "player" | "role" | "roles")
            && self.layout.text(first + 1) == "("
            && self.bounds.at <= first + 1;
        let mut names = Vec::new();
        let mut at = first;
        while is_list && at < self.layout.words.len() {
            match self.layout.words[at].kind {
                _ if self.layout.text(at) == ";" => break,
                _ if at > first && self.layout.begins_line(at) => break,
                TokenKind::Word
                    if matches!(self.layout.text(at), "players" | "player" | "role" | "roles") => {}
                TokenKind::Word => names.push(self.layout.text(at)),
                _ => {}
            }
            at += 1;
        }
        (!names.is_empty()).then(|| {
            let new = format!("{} {};", if names.len() > 1 { "players" } else { "player" }, names.join(", "));
            let last = if self.layout.text(at) == ";" { at } else { at - 1 };
            let range = (self.range(first).0, self.range(last).1);
            let title = "the players are one list, without brackets";
            let fix =
                Fix::new(range, &new, Code::E0013, title).at((self.range(first).0, self.range(at - 1).1));
            fix.help(format!("write `{new}`"))
        })
    }

    /// Removes an `end` that closes a block, as in Lua and Ruby.
    fn end_of_a_block(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_alone = matches!(self.layout.text(first), "end" | "endif" | "endmove" | "done" | "fi")
            && self.bounds.place == ClauseContext::Top
            && self.layout.begins_line(first)
            && (self.layout.begins_line(first + 1) || self.layout.text(first + 1) == ";")
            && self.layout.text(first + 1) != "{";
        is_alone.then(|| {
            let last = first + usize::from(self.layout.text(first + 1) == ";");
            let range = (self.range(first).0, self.range(last).1);
            let title = format!("a block ends with `}}`, not with `{}`", self.layout.text(first));
            let fix = Fix::new(range, "", Code::E0013, title).at(self.range(first));
            Fix {
                accepts_partial: true,
                ..fix.help("leave it out; `{ ... }` stands around what belongs to a move")
            }
        })
    }

    /// Rewrites `Maybe Piece` to `Piece?`, and `Set Cell` to `set of Cell`.
    fn type_of_haskell(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_name = self.word.starts_with(|c: char| c.is_ascii_uppercase());
        let new = match self.last {
            "Maybe" | "Optional" | "Option" => format!("{}?", self.word),
            "Set" => format!("set of {}", self.word),
            _ => return None,
        };
        let range = (self.range(at - 1).0, self.here().1);
        let title = format!("`{} {}` is written `{new}` here", self.last, self.word);
        is_name.then(|| Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Returns true for a word that can only stand for one value: a number, a constant, or a parameter that is no set.
    fn is_single_value(&self, at: usize) -> bool {
        let word = self.layout.text(at);
        let is_typed = |place: usize| {
            let kind = self.layout.text(place + 2);
            self.layout.text(place) == word
                && self.layout.text(place + 1) == ":"
                && (self.is_number(place + 2) || kind.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        self.is_number(at)
            || matches!(word, "me" | "opponent" | "mover" | "none" | "true" | "false")
            || (self.bounds.first..at).any(is_typed)
    }

    /// Rewrites `{ ...s, x }` to `s | { x }`, and `{ ...1, 3 }` to `{ 1, 3 }`.
    fn spread(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let close = self.layout.partner(open)?;
        let is_bracket = matches!(self.layout.text(open), "{" | "[");
        let dots = self.layout.text(open + 1) == ".." && self.layout.text(open + 2) == ".";
        let start = if self.layout.text(open + 1) == "..." { open + 2 } else { open + 3 };
        let end = self.outside_brackets(start, &[","]).filter(|&end| end < close).unwrap_or(close);
        if !is_bracket || !(dots || start == open + 2) || end == start {
            return None;
        }
        let set = self.text(start, end);
        let rest = if end < close { self.text(end + 1, close) } else { "" };
        let range = (self.range(open).0, self.range(close).1);
        if end == start + 1 && self.is_single_value(start) {
            let rest = if rest.is_empty() { String::new() } else { format!(", {rest}") };
            let new = format!("{{ {set}{rest} }}");
            let title = "the elements of a set stand in the braces as they are: there are no three dots";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(open + 1));
            return Some(fix.help(format!("write `{new}`")));
        }
        let new = match (rest.is_empty(), rest.contains("..")) {
            (true, _) => set.to_owned(),
            (false, false) => format!("{set} | {{ {rest} }}"),
            (false, true) => format!("{set} | {}", rest.trim_start_matches('.')),
        };
        let title = "sets are joined by `|`: there are no three dots";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(open + 1));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Rewrites `(SELECT COUNT(*) FROM S WHERE f)` to a count over a set whose element has no name yet.
    fn query(&self) -> Option<Fix> {
        let select = (self.bounds.clause..=self.bounds.at)
            .rev()
            .find(|&at| self.layout.text(at).eq_ignore_ascii_case("select"))?;
        let word = |at: usize| self.layout.text(at).to_ascii_lowercase();
        let open = select.checked_sub(1).filter(|&open| self.layout.text(open) == "(");
        let close = match open {
            Some(open) => self.layout.partner(open)?,
            None => self.outside_brackets(select, &[";", "=>"])?,
        };
        let from = (select..close).find(|&at| word(at) == "from")?;
        let is_count = word(select + 1) == "count";
        let set = self.layout.text(from + 1);
        let condition = (from..close).find(|&at| word(at) == "where");
        let condition = condition.map_or("f", |at| self.text(at + 1, close));
        let title = "there are no queries: a set is gone through element by element";
        let help = match is_count {
            true => format!("write `(count c in {set}: {condition})`, where `c` is the element"),
            false => format!("write `{{ c in {set} where {condition} }}`, where `c` is the element"),
        };
        let range = match open {
            Some(open) => (self.range(open).0, self.range(close).1),
            None => (self.range(select).0, self.range(close - 1).1),
        };
        Some(explained(range, DAMAGE_MARKER, title, help).at(self.range(select)))
    }

    /// Explains `f x y`: arguments stand in brackets.
    fn call_without_brackets(&self) -> Option<Fix> {
        let at = self.bounds.at;
        if self.layout.text(self.bounds.first) == "def" && at == self.bounds.first + 2 {
            let end = self.outside_brackets(at, &["=", "|"])?;
            let are_names = (at..end).all(|at| {
                self.layout.words[at].kind == TokenKind::Word
                    && keywords::starts_with_letter(self.layout.text(at))
            });
            let name = self.last;
            let params: Vec<String> = (at..end).map(|at| format!("{}: TYPE", self.layout.text(at))).collect();
            let title = "the parameters of a definition stand in brackets, each with its type";
            let help = match self.layout.text(end) {
                "|" => format!(
                    "write `def {name}({}) = if f then a else b;`: a choice takes the place of `|`",
                    params.join(", ")
                ),
                _ => format!("write `def {name}({}) = ...;`", params.join(", ")),
            };
            let range =
                (self.range(self.bounds.first).0, self.range(self.layout.item_end(self.bounds.first) - 1).1);
            let label = (self.here().0, self.range(end - 1).1);
            return (are_names && end > at).then(|| explained(range, "", title, help).at(label));
        }
        None
    }

    /// Rewrites `at[c]?.owner` to `at[c].owner`.
    fn optional_part(&self) -> Option<Fix> {
        let at = [Some(self.bounds.at), self.bounds.at.checked_sub(1)].into_iter().flatten().find(|&at| {
            matches!(self.layout.text(at), "?" | "!") && self.layout.text(at + 1) == "." && self.touches(at)
        })?;
        (at > self.bounds.clause).then(|| {
            let title = "a part of `none` is undefined by itself, and a comparison with it false";
            Fix::new(self.range(at), "", Code::E0013, title)
                .help(format!("leave the `{}` out", self.layout.text(at)))
        })
    }
}
