//! Clauses in plain English: `set n to 3;`, `end turn;`, `when no legal moves => draw;`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use crate::diag::Code;
use crate::keywords;

/// Ways to say that the player to move has no move.
const STUCK: [&str; 12] = [
    "no moves",
    "no moves next",
    "no moves mover",
    "no moves for mover",
    "no move",
    "no legal moves",
    "no legal move",
    "no moves left",
    "no legal moves left",
    "cannot move",
    "mover cannot move",
    "no move possible",
];

/// Ways to say that every cell has a value.
const FULL: [&str; 7] = [
    "board full",
    "board is full",
    "full board",
    "the board is full",
    "all full",
    "no empty cells",
    "Cell full",
];

/// Makes a fix that only lets parsing continue, with its message.
pub(super) fn explained(range: (usize, usize), new: &str, title: &str, help: impl Into<String>) -> Fix {
    Fix { is_correction: false, ..Fix::new(range, new, Code::E0013, title).help(help) }
}

impl FixFinder<'_> {
    /// Fixes and explanations of English clauses.
    pub fn phrases(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.end_of_a_turn(),
            self.conditions_with_a_comma(),
            self.product_without_a_sign(),
            self.typed_let(),
            self.counted_for(),
            self.arrow_for_at_least(),
            self.condition_by_another_word(),
            self.effect_in_words(),
            self.method_of_a_set(),
            self.joined_effect(),
            self.effect_after_then(),
            self.condition_in_words(),
            self.stuck_of_a_player(),
            self.repetition_in_words(),
            self.absolute_value(),
            self.subtraction_turned_round(),
            self.random_value(),
            self.quantifier_as_a_function(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The words of the clause from `from` up to `to`, with single blanks.
    pub(super) fn plain_words(&self, from: usize, to: usize) -> String {
        (from..to).map(|at| self.layout.text(at)).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn in_move(&self) -> bool {
        self.bounds.place == ClauseContext::Move
    }

    /// Rewrites `when f, g;` to `when f and g;`, and the same of `if f, g { ... }`.
    fn conditions_with_a_comma(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let in_outcome = (clause..self.bounds.at).any(|at| self.layout.text(at) == "=>");
        let is_condition =
            self.word == "," && matches!(self.layout.text(clause), "when" | "ensure") && !in_outcome;
        // `if f, n := 1;` lacks its braces.
        let block = self.outside_brackets(self.bounds.at + 1, &["{", ";"]);
        let has_block = block.is_some_and(|at| self.layout.text(at) == "{") && self.in_move();
        let is_condition = is_condition || self.word == "," && has_block && self.layout.text(clause) == "if";
        let title = "conditions are joined by `and`";
        // `and` binds tighter than `or`, and the body of a quantifier takes in what follows.
        let looser = ["or", "implies", "iff", "some", "all", "no", "one", ":"];
        let end = self.outside_brackets(self.bounds.at, &[";", "{", "=>"]);
        let is_plain = self.outside_brackets(clause + 1, &looser).is_none_or(|at| Some(at) > end);
        is_condition.then(|| {
            let fix = Fix::new(self.here(), " and", Code::E0013, title);
            match is_plain {
                true => {
                    let (new, last) = self.joined_conditions(end);
                    let range = (self.here().0, self.range(last).1);
                    Fix { end: range.1, new, ..fix.help("write `and`") }
                }
                false => Fix {
                    is_correction: false,
                    ..fix.help("write `and`, with brackets around each condition")
                },
            }
        })
    }

    /// The text from the comma of the mistake to the last one before a word, with `and` for each comma; and the last
    /// comma.
    fn joined_conditions(&self, limit: Option<usize>) -> (String, usize) {
        let (mut new, mut last) = (" and".to_owned(), self.bounds.at);
        while let Some(next) = self.outside_brackets(last + 1, &[","]).filter(|&next| Some(next) < limit) {
            let between = &self.layout.source[self.range(last).1..self.range(next).0];
            new += &format!("{between} and");
            last = next;
        }
        (new, last)
    }

    /// Rewrites `2n` to `2 * n`.
    fn product_without_a_sign(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let number = at.checked_sub(1).filter(|&last| self.is_number(last) && self.is_name(at))?;
        let is_size =
            self.word.strip_prefix('x').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        if is_size || self.range(number).1 != self.here().0 {
            return None;
        }
        let new = format!("{} * {}", self.last, self.word);
        let range = (self.range(number).0, self.here().1);
        Some(Fix::new(range, &new, Code::E0013, "a product has the sign `*`").help(format!("write `{new}`")))
    }

    /// Rewrites `let n: 0..9 = e;` to `let n = e;`.
    fn typed_let(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_typed = self.word == ":" && self.layout.text(clause) == "let" && self.bounds.at == clause + 2;
        let equals = self.outside_brackets(clause, &["=", ";"]).filter(|_| is_typed)?;
        let range = (self.gap().0, self.range(equals - 1).1);
        let fix = Fix::new(range, "", Code::E0013, "a `let` has the type of its value").at(self.here());
        (self.layout.text(equals) == "=").then(|| fix.help("leave the type out"))
    }

    /// Rewrites `for i = 1 to 3 { ... }` to `for i in 1..3 { ... }`.
    fn counted_for(&self) -> Option<Fix> {
        let is_for = self.in_move() && self.word == "=" && self.layout.text(self.bounds.clause) == "for";
        let to = self.outside_brackets(self.bounds.at, &["to", "{"]).filter(|_| is_for)?;
        let end = self.outside_brackets(to, &["{"]).filter(|_| self.layout.text(to) == "to")?;
        let (low, high) = (self.text(self.bounds.at + 1, to), self.text(to + 1, end));
        let new = format!("in {low}..{high}");
        let range = (self.here().0, self.range(end - 1).1);
        let title = "`for` goes through a set, and its effects are made all at once";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `when n => 9 => draw;` to `when n >= 9 => draw;`.
    fn arrow_for_at_least(&self) -> Option<Fix> {
        let is_second = self.word == "=>" && self.bounds.place == ClauseContext::End;
        let first = (self.bounds.clause..self.bounds.at).find(|&at| self.layout.text(at) == "=>");
        let first = first.filter(|&first| self.is_between_numbers(first));
        let title = "`=>` leads to the outcome; at least is `>=`";
        first
            .filter(|_| is_second)
            .map(|first| Fix::new(self.range(first), ">=", Code::E0005, title).help("write `>=`"))
    }

    /// Removes `end turn;`, `switch player;`.
    fn end_of_a_turn(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let words = [self.layout.text(clause), self.layout.text(clause + 1)];
        let is_turn = matches!(words[1], "turn" | "player" | "turns" | "players");
        if !self.in_move() || !is_turn || self.layout.text(clause + 2) != ";" {
            return None;
        }
        let title = "the turn passes by itself at the end of a move";
        match words[0] {
            // The pie rule: the second player takes over the side of the first.
            "swap" | "exchange" if words[1] == "players" => {
                let help = "to take over what the other has, change its owner: `for c in Cell where at[c] != none { at[c] := \
                            other(at[c]); }`; only to pass the turn, delete this";
                Some(explained(
                    self.whole_clause(),
                    "",
                    "players have no sides that could be exchanged",
                    help,
                ))
            }
            "end" | "switch" | "change" | "finish" | "swap" => {
                let fix = Fix::new(self.whole_clause(), "", Code::E0013, title);
                Some(fix.help("delete it; `again;` keeps the turn, `next p;` gives it to `p`"))
            }
            "pass" | "skip" => {
                let help = "delete it if the move is made; a move that does nothing is `pass when stuck;` among the items";
                Some(explained(self.whole_clause(), "", title, help))
            }
            _ => None,
        }
    }

    /// Rewrites `precondition: f;`, `must f;` and `only if f;` to `when f;`.
    fn condition_by_another_word(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let words = match (self.layout.text(clause), self.layout.text(clause + 1)) {
            ("only", "if" | "when") | ("legal", "if" | "when") | ("allowed", "if") => 2,
            ("precondition" | "pre" | "condition" | "requirement" | "requires" | "guard", ":") => 2,
            ("must" | "precondition" | "requires" | "guard" | "whenever" | "given", _) => 1,
            _ => return None,
        };
        let range = (self.range(clause).0, self.range(clause + words - 1).1);
        let title = "what must hold for a move to be legal stands after `when`";
        let fix = Fix::new(range, "when", Code::E0013, title).help("write `when ...;`");
        self.in_move().then_some(fix)
    }

    /// Rewrites `set n to 3;` and `decrease n by k;`, and explains `remove k from n;`.
    fn effect_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| self.in_move())?;
        let verb = self.layout.text(clause);
        let after = |word: &str| {
            self.outside_brackets(clause + 1, &[word]).filter(|&at| at > clause + 1 && at + 1 < end)
        };
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "effects are written by signs: `:=`, `+=`, `-=`, `|=`, `<-`";
        let certain =
            |new: String| Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`")));
        match verb {
            "set" | "assign" | "change" => {
                if let Some(by) = after("by") {
                    let (field, value) = (self.text(clause + 1, by), self.text(by + 1, end));
                    return certain(match value.strip_prefix('-') {
                        Some(less) => format!("{field} -= {}", less.trim_start()),
                        None => format!("{field} += {value}"),
                    });
                }
                let to = after("to").or_else(|| after("="))?;
                certain(format!("{} := {}", self.text(clause + 1, to), self.text(to + 1, end)))
            }
            "decrement" | "decrease" | "reduce" | "increment" | "increase" => {
                let sign = if verb.starts_with("in") { "+=" } else { "-=" };
                match after("by") {
                    Some(by) => {
                        certain(format!("{} {sign} {}", self.text(clause + 1, by), self.text(by + 1, end)))
                    }
                    None => certain(format!("{} {sign} 1", self.text(clause + 1, end))),
                }
            }
            "remove" | "subtract" | "take" | "delete" => {
                let from = after("from")?;
                let (what, place) = (self.text(clause + 1, from), self.text(from + 1, end));
                let help = format!(
                    "write `{place} -= {what};` for a number, `{place} -= {{ {what} }};` for an element of a set, \
                     `at[{what}] := none;` for a piece of a board"
                );
                Some(explained((range.0, self.range(end).1), "", title, help).at(self.range(clause)))
            }
            "add" | "put" | "place" | "insert" => {
                let to = ["to", "on", "into", "at", "in"].into_iter().find_map(after)?;
                let (what, place) = (self.text(clause + 1, to), self.text(to + 1, end));
                let help = format!(
                    "write `{place} += {what};` for a number, `{place} |= {{ {what} }};` for an element of a set, \
                     `at[{place}] := {what};` for a piece of a board"
                );
                Some(explained((range.0, self.range(end).1), "", title, help).at(self.range(clause)))
            }
            _ => None,
        }
    }

    /// Rewrites `hand.remove(c);` to `hand -= { c };`, and `hand.add(c);` to `hand |= { c };`.
    fn method_of_a_set(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| self.in_move())?;
        let open = self.bounds.at;
        let close = self.layout.partner(open).filter(|&close| self.word == "(" && close + 1 == end)?;
        let dot = open.checked_sub(2).filter(|&dot| dot > clause && self.layout.text(dot) == ".")?;
        let sign = match self.last {
            "remove" | "discard" | "delete" | "erase" => "-=",
            "add" | "push" | "append" | "insert" | "put" => "|=",
            _ => return None,
        };
        let new = format!("{} {sign} {{ {} }}", self.text(clause, dot), self.text(open + 1, close));
        let title = "a set changes by `|=` and `-=`";
        let range = (self.range(clause).0, self.range(close).1);
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(dot).0, self.range(close).1));
        Some(fix.help(format!("write `{new};`")))
    }

    /// Removes the `and` of `and n += 1;`.
    fn joined_effect(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_joined = self.in_move() && matches!(self.layout.text(clause), "and" | "also" | "plus");
        let range = (self.range(clause).0, self.range(clause + 1).0);
        let title = "effects follow each other without a word between them";
        is_joined.then(|| Fix::new(range, "", Code::E0013, title).at(self.range(clause)).help("leave it out"))
    }

    /// Explains `then n += 1;`.
    fn effect_after_then(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_then =
            self.in_move() && self.layout.text(clause) == "then" && self.layout.text(clause + 1) != "{";
        is_then.then(|| {
            let range = (self.range(clause).0, self.range(clause + 1).0);
            let title = "`then` begins a later stage, which stands in braces";
            let help = "leave it out for an effect like the others; write `then { ... }` if it reads what they have changed";
            explained(range, "", title, help).at(self.range(clause))
        })
    }

    /// Rewrites `when no legal moves => ...` to `when stuck => ...`, and explains `when board full => ...`.
    fn condition_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self.outside_brackets(clause + 1, &["=>", ";"])?;
        if self.layout.text(clause) != "when" || arrow <= clause + 1 {
            return None;
        }
        let words = self.plain_words(clause + 1, arrow);
        let range = (self.range(clause + 1).0, self.range(arrow - 1).1);
        if STUCK.contains(&words.as_str()) && self.bounds.place == ClauseContext::End {
            let title = "that the player to move has no move is `stuck`";
            return Some(Fix::new(range, "stuck", Code::E0013, title).help("write `when stuck => ...;`"));
        }
        FULL.contains(&words.as_str()).then(|| {
            let title = "a full board is a condition on all its cells";
            let help = "write `all c in Cell: at[c] != none`, with the names of the board and of the field";
            explained(range, DAMAGE_MARKER, title, help)
        })
    }

    /// Rewrites `stuck X` to `stuck(X)`.
    fn stuck_of_a_player(&self) -> Option<Fix> {
        let is_player = self.last == "stuck" && keywords::starts_with_letter(self.word);
        (is_player && !keywords::is_reserved(self.word)).then(|| {
            let new = format!("stuck({})", self.word);
            let range = (self.range(self.bounds.at - 1).0, self.here().1);
            let title = "whose moves are meant stands in brackets";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `when repeat 3 => draw;` and `threefold repetition => draw;`, and completes `repeat 3;`.
    fn repetition_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        if self.bounds.place != ClauseContext::End {
            return None;
        }
        let title = "a rule about positions that come again begins with `repeat`";
        if self.layout.text(clause) == "when" && self.layout.text(clause + 1) == "repeat" {
            let range = (self.range(clause).0, self.range(clause + 1).0);
            return Some(
                Fix::new(range, "", Code::E0005, title).at(self.range(clause)).help("leave out `when`"),
            );
        }
        if self.layout.text(clause) == "repeat" && self.word == ";" {
            let help = "write `repeat => draw;` for endless play, `repeat 3 => draw;` for a position that comes a third time";
            let arrow = self.outside_brackets(clause, &["=>", ";"])?;
            let title = match self.layout.text(arrow) {
                "=>" => "the outcome of a repetition is `draw`, or a player who wins or loses",
                _ => title,
            };
            return Some(Fix {
                is_correction: false,
                ..Fix::new(self.whole_clause(), "", Code::E0005, title).help(help)
            });
        }
        let arrow = self.outside_brackets(clause, &["=>"])?;
        let words = self.plain_words(clause, arrow).replace("when ", "");
        let times = match words.as_str() {
            "threefold repetition" | "position repeated" | "repetition 3" => "repeat 3",
            "fourfold repetition" => "repeat 4",
            "repetition" | "infinite" | "endless play" | "otherwise endless" => "repeat",
            _ => return None,
        };
        let range = (self.range(clause).0, self.range(arrow - 1).1);
        Some(Fix::new(range, times, Code::E0005, title).help(format!("write `{times} => ...;`")))
    }

    /// Explains `|a - b|`.
    fn absolute_value(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let opens = matches!(
            self.last,
            "when"
                | "and"
                | "or"
                | "not"
                | "("
                | "="
                | ":="
                | ":"
                | "=>"
                | ","
                | "<"
                | "<="
                | "-"
                | "+"
                | "*"
                | "/"
                | ">"
                | ">="
                | "!="
                | ".."
                | "weight"
                | "highest"
                | "lowest"
        );
        let opens = opens || self.last == "max" && self.layout.text(at.saturating_sub(2)) == "prefer";
        let close = self.outside_brackets(at + 1, &["|", ";"]).filter(|_| self.word == "|" && opens)?;
        (self.layout.text(close) == "|").then(|| {
            let term = self.text(at + 1, close);
            let range = (self.here().0, self.range(close).1);
            let is_set = self.outline().field(term).is_some_and(|field| field.ty.first() == Some(&"set"));
            if self.layout.text(at + 1) == "{" || is_set {
                let title = "`#S` says how many elements a set has";
                let fix = Fix::new(range, &format!("#{term}"), Code::E0013, title);
                return Fix { accepts_partial: true, ..fix.help(format!("write `#{term}`")) };
            }
            if close == at + 2 {
                let help = format!("write `max({term}, -({term}))`; the size of a set is `#{term}`");
                let title = "there are no bars for an absolute value";
                let fix = explained(range, DAMAGE_MARKER, title, help);
                return Fix { accepts_partial: true, ..fix };
            }
            let (new, last) = self.distances(at, close);
            let fix = Fix::new(
                (range.0, self.range(last).1),
                &new,
                Code::E0013,
                "there are no bars for an absolute value",
            );
            let fix = fix.at(range).help(format!("write `{}`", self.distance(at, close)));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// The term `max(a - b, b - a)` for `|a - b|` between these bars.
    fn distance(&self, open: usize, close: usize) -> String {
        let term = self.text(open + 1, close);
        let minus = self.outside_brackets(open + 1, &["-", "+", "*", "/"]).filter(|&minus| minus > open + 1);
        let other = minus
            .filter(|&minus| minus < close && self.layout.text(minus) == "-")
            .filter(|&minus| self.end_of_operand(minus + 1) == Some(close))
            .map(|minus| format!("{} - {}", self.text(minus + 1, close), self.text(open + 1, minus)));
        match other {
            Some(other) => format!("max({term}, {other})"),
            None => format!("max({term}, -({term}))"),
        }
    }

    /// The terms for all absolute values of the clause from these bars on, with the last bar.
    fn distances(&self, mut open: usize, mut close: usize) -> (String, usize) {
        let mut new = self.distance(open, close);
        while let Some(next) = self.outside_brackets(close + 1, &["|", ";"]) {
            let end = self.outside_brackets(next + 1, &["|", ";"]).filter(|&end| end > next + 1);
            let Some(end) = end.filter(|&end| self.layout.text(next) == "|" && self.layout.text(end) == "|")
            else {
                break;
            };
            new += &self.layout.source[self.range(close).1..self.range(next).0];
            (open, close) = (next, end);
            new += &self.distance(open, close);
        }
        (new, close)
    }

    /// Explains `n =- k;`.
    fn subtraction_turned_round(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let sign = self.layout.text(at + 1);
        let is_turned = self.in_move() && self.word == "=" && matches!(sign, "-" | "+") && self.touches(at);
        (is_turned && !self.touches(at + 1)).then(|| {
            let target = self.words_between(self.bounds.clause, at);
            let help = format!(
                "write `{target} {sign}= ...` to change `{target}` by a number, `{target} := {sign}...` to assign one"
            );
            let range = (self.here().0, self.range(at + 1).1);
            explained(range, &format!("{sign}="), &format!("`={sign}` has two readings"), help)
        })
    }

    /// Explains `hand[Ann] := any Card;` and `random Card`.
    fn random_value(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        let is_random = matches!(self.last, "any" | "random" | "some" | "a" | "one") && self.in_move();
        let is_condition = matches!(self.layout.text(self.bounds.clause), "when" | "ensure");
        let begins =
            matches!(self.layout.text(at.checked_sub(1)?), ":=" | "=" | "<-" | "+=") && !is_condition;
        (is_random && begins && keywords::starts_with_letter(self.word)).then(|| {
            let title = "what chance decides is a parameter of its event";
            let help = format!(
                "write `chance deal(x: {0}) in deal {{ ... := x; }}`, in a phase `by chance`: one of the values happens",
                self.word
            );
            explained(self.whole_clause(), "", title, help).at((self.range(at).0, self.here().1))
        })
    }

    /// Rewrites `count(x in S: f)` to `(count x in S: f)`.
    fn quantifier_as_a_function(&self) -> Option<Fix> {
        let open = self.bounds.at.checked_sub(2).filter(|_| self.word == "in")?;
        let quantifier = self.layout.text(open.checked_sub(1)?);
        let is_quantifier =
            matches!(quantifier, "count" | "sum" | "some" | "all" | "no" | "one" | "min" | "max" | "union");
        (is_quantifier && self.layout.text(open) == "(").then(|| {
            let range = (self.range(open - 1).0, self.range(open).1);
            let new = format!("({quantifier} ");
            let inner = self.layout.partner(open).unwrap_or(open);
            let has_body = (open..inner).any(|at| self.layout.text(at) == ":");
            // `all(c in S, f)` has its body after a comma.
            let comma = self.outside_brackets(open + 1, &[","]).filter(|&comma| comma < inner && !has_body);
            let is_pair = |comma: usize| self.outside_brackets(comma + 1, &[","]).is_none_or(|at| at > inner);
            if let Some(comma) = comma.filter(|&comma| is_pair(comma)) {
                let (binder, body) = (self.text(open + 1, comma), self.text(comma + 1, inner));
                let new = format!("({quantifier} {binder}: {body})");
                let range = (range.0, self.range(inner).1);
                let title = format!("the brackets stand around `{quantifier}` and all that belongs to it");
                return Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
            }
            let of = (open..inner).find(|&at| self.layout.text(at) == "where").filter(|_| !has_body);
            // `count(c in S where f)` has its body after `where`.
            if let Some(of) = of.filter(|_| matches!(quantifier, "count" | "some" | "no" | "one")) {
                let (binder, body) = (self.text(open + 1, of), self.text(of + 1, inner));
                let new = format!("({quantifier} {binder}: {body})");
                let range = (range.0, self.range(inner).1);
                let title = format!("the brackets stand around `{quantifier}` and all that belongs to it");
                return Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
            }
            let title = format!("the brackets stand around `{quantifier}` and all that belongs to it");
            Fix::new(range, &new, Code::E0013, title).help(format!("write `({quantifier} x in S: ...)`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    #[test]
    fn sets_have_a_size() {
        let text = "state { open: set of 1..5 = {}; }\nend { when stuck => payoff p: 5 - |open| - 1; }\n";
        assert_eq!(mended(text), text.replace("|open|", "#open"));
    }

    #[test]
    fn distances_are_maxima() {
        let text = "move go(k: 1..3) { when |a - b| = |c.row - 2| and k > 1; n := |k|; }";
        let new = "when max(a - b, b - a) = max(c.row - 2, 2 - c.row) and k > 1;";
        assert_eq!(mended(text), format!("move go(k: 1..3) {{ {new} n := |k|; }}"));
        assert_eq!(helps("def f = |n|;"), ["write `max(n, -(n))`; the size of a set is `#n`"]);
    }
}
