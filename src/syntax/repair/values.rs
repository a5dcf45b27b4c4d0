//! Values and boards in another form: `Piece { White, man }`, `c in row 4`, `a <-> b` in a graph.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;
use crate::lex::TokenKind;

impl FixFinder<'_> {
    /// Fixes and explanations of values and of the points of graphs.
    pub fn values(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.edge_by_another_arrow(),
            self.point_by_another_name(),
            self.record_with_braces(),
            self.row_by_its_number(),
            self.move_by_another_word(),
            self.private_after_chance(),
            self.visible_only(),
            self.players_behind_a_colon(),
            self.least_between_terms(),
            self.unequal_in_words(),
            self.size_behind_the_name(),
            self.optional_in_words(),
            self.name_before_the_parameters(),
            self.counted_in_words(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// True if the mistake is in the braces of a graph.
    fn in_graph(&self) -> bool {
        self.layout.text(self.bounds.first) == "board"
            && (self.bounds.first..self.bounds.at).any(|at| self.layout.text(at) == "graph")
    }

    /// Rewrites `a <-> b` in a graph to `a - b`.
    fn edge_by_another_arrow(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let length = match (self.word, self.layout.text(at + 1), self.layout.text(at + 2)) {
            ("<-", ">", _) | ("<", "->", _) | ("=", "=", _) => 2,
            ("<", "-", ">") => 3,
            ("=" | "~" | "--" | "==", _, _) => 1,
            _ => return None,
        };
        self.in_graph().then(|| {
            let range = (self.here().0, self.range(at + length - 1).1);
            let title = "`-` joins two points both ways, `->` one way";
            Fix::new(range, "-", Code::E0013, title).help("write `-`")
        })
    }

    /// Explains numbers and strings as the points of a graph.
    fn point_by_another_name(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_string = self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
        if !self.in_graph() || !(is_string || self.is_number(at)) {
            return None;
        }
        let open = self.bracket_around(at, at)?;
        let close = self.layout.partner(open)?;
        let name = |at: usize| {
            let word = self.layout.text(at).trim_matches('"');
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                format!("p{word}")
            } else {
                word.replace(' ', "_")
            }
        };
        let mut new = String::from("{");
        for at in open + 1..close {
            let is_point = self.is_number(at)
                || self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
            new += " ";
            new += &if is_point { name(at) } else { self.layout.text(at).to_owned() };
        }
        new += if new.ends_with(';') { " }" } else { "; }" };
        let title = "the points of a graph are names";
        let range = (self.range(open).0, self.range(close).1);
        let help =
            format!("write `{}` in place of `{}`, here and wherever the point is meant", name(at), self.word);
        Some(explained(range, &new, title, help).at(self.here()))
    }

    /// Rewrites `Piece { White, man }` to `Piece(White, man)`.
    fn record_with_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_record = self.word == "{"
            && self.is_name(at.checked_sub(1)?)
            && self.last.starts_with(|c: char| c.is_ascii_uppercase())
            && matches!(
                self.layout.text(at.checked_sub(2)?),
                "then" | "else" | "=" | ":=" | "=>" | "(" | "," | "in" | "!="
            );
        let close = self.layout.partner(at).filter(|_| is_record)?;
        let inner = self.text(at + 1, close);
        if inner.is_empty() || inner.contains([';', ':', '=']) {
            return None;
        }
        let new = format!("{}({inner})", self.last);
        let range = (self.range(at - 1).0, self.range(close).1);
        let title = "the parts of a record stand in round brackets";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `c in row 4` to `c.row = 4`.
    fn row_by_its_number(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let part = match self.last {
            "row" | "rank" => "row",
            "col" | "column" | "file" => "col",
            _ => return None,
        };
        let word = at.checked_sub(2).filter(|_| self.is_number(at))?;
        let (is_in, is_on) = (self.layout.text(word) == "in", self.layout.text(word) == "on");
        (is_in || is_on).then(|| {
            let start = self.start_of_term(word);
            let new = format!("{}.{part} = {}", self.text(start, word), self.word);
            let range = (self.range(start).0, self.here().1);
            let title = format!("the {part} of a cell is a number, its part `{part}`");
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `must move jump(...)` to `mandatory move jump(...)`, and `capture jump(...)` to `move jump(...)`.
    fn move_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_first = self.bounds.at == first;
        let next = self.layout.text(first + 1);
        let is_must = matches!(
            self.word,
            "must" | "forced" | "compulsory" | "obligatory" | "required" | "force" | "always" | "needed"
        );
        if is_first && is_must && next == "move" {
            let title = "a move that must be made while it is legal is `mandatory`";
            return Some(
                Fix::new(self.here(), "mandatory", Code::E0013, title).help("write `mandatory move ...`"),
            );
        }
        let is_kind = matches!(
            self.word,
            "capture"
                | "jump"
                | "place"
                | "drop"
                | "step"
                | "slide"
                | "option"
                | "play_move"
                | "action"
                | "ply"
                | "act"
                | "operation"
                | "command"
        );
        let is_head = is_first
            && is_kind
            && self.is_name(first + 1)
            && self.layout.text(first + 2) == "("
            && self.layout.text(self.layout.item_end(first) - 1) == "}"
            && !self.has_headings();
        is_head.then(|| {
            let title = "every move begins with `move`, whatever it does";
            Fix::new(self.here(), "move", Code::E0013, title).help(format!("write `move {next}(...)`"))
        })
    }

    /// True if the item has the headings of actions in the language of planners.
    fn has_headings(&self) -> bool {
        (self.bounds.first..self.layout.item_end(self.bounds.first)).any(|at| {
            matches!(self.layout.text(at), "precondition" | "preconditions" | "effect" | "effects")
                && self.layout.text(at + 1) == ":"
        })
    }

    /// Rewrites `chance private deal(...)` to `private chance deal(...)`.
    fn private_after_chance(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let (kind, word) = (self.layout.text(first), self.layout.text(first + 1));
        let is_turned =
            matches!(kind, "chance" | "move") && matches!(word, "private" | "mandatory" | "forcing");
        (is_turned && self.is_name(first + 2)).then(|| {
            let new = format!("{word} {kind}");
            let range = (self.range(first).0, self.range(first + 1).1);
            let title = format!("`{word}` stands before `{kind}`");
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Removes the `only` of `visible to p only`.
    fn visible_only(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_only = matches!(self.word, "only" | "alone" | "himself" | "exclusively");
        let is_visible = at > 3 && self.layout.text(at - 2) == "to" && self.layout.text(at - 3) == "visible";
        (is_only && is_visible).then(|| self.only_beside_visible(self.bounds.at))
    }

    /// Rewrites `players: [White, Black];` to `players White, Black;`.
    fn players_behind_a_colon(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_list = self.layout.text(first) == "players"
            && matches!(self.layout.text(first + 1), ":" | "=" | ":=")
            && matches!(self.layout.text(first + 2), "[" | "{" | "(");
        let close = self.layout.partner(first + 2).filter(|_| is_list)?;
        let names = self.text(first + 3, close).replace(['"', '\''], "");
        let range = (self.range(first + 1).0, self.range(close).1);
        let title = "the players are names, with commas between them";
        let fix = Fix::new(range, &format!(" {names}"), Code::E0013, title);
        Some(fix.help(format!("write `players {names};`")))
    }

    /// Rewrites `a min b` to `min(a, b)`.
    fn least_between_terms(&self) -> Option<Fix> {
        let at = self.bounds.at;
        // `prefer max k;` is right behind the parameters of a move.
        let is_word = matches!(self.word, "min" | "max") && at > self.bounds.clause && self.last != "prefer";
        let is_operand = |at: usize| self.is_name(at) || self.is_number(at);
        let start = self.start_of_term(at);
        let is_between =
            is_word && self.layout.text(at + 1) != "(" && is_operand(at + 1) && is_operand(start);
        let end = match self.layout.partner(at + 2).filter(|_| matches!(self.layout.text(at + 2), "[" | "("))
        {
            Some(close) => close,
            None => at + 1,
        };
        is_between.then(|| {
            let new = format!("{}({}, {})", self.word, self.text(start, at), self.text(at + 1, end + 1));
            let range = (self.range(start).0, self.range(end).1);
            let title = format!("`{}` stands before its terms, which are in brackets", self.word);
            Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `a not = b` to `a != b`.
    fn unequal_in_words(&self) -> Option<Fix> {
        let is_sign = matches!(self.word, "=" | "==" | "equal" | "equals" | "is") && self.last == "not";
        let before = self.bounds.at.checked_sub(2).filter(|_| is_sign)?;
        let follows_a_term = self.is_name(before) || matches!(self.layout.text(before), "]" | ")");
        follows_a_term.then(|| {
            let range = (self.range(self.bounds.at - 1).0, self.here().1);
            let title = format!("`not {}` is written `!=` here", self.word);
            Fix::new(range, "!=", Code::E0013, title).help("write `!=`")
        })
    }

    /// Rewrites `board Cell(3, 3);` to `board Cell = grid(3, 3);`.
    fn size_behind_the_name(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let name = self.layout.text(first + 1);
        let is_board =
            self.layout.text(first) == "board" && name.starts_with(|c: char| c.is_ascii_uppercase());
        let open = first + 2;
        let (opens, is_at) = (matches!(self.layout.text(open), "(" | "["), self.bounds.at <= open + 1);
        let close = self.layout.partner(open).filter(|_| is_board && opens && is_at)?;
        let size: Vec<&str> = self.text(open + 1, close).split(',').map(str::trim).collect();
        let form = match size.len() {
            1 => "strip",
            2 => "grid",
            3 => "cube",
            _ => return None,
        };
        let new = format!("{} = {form}({})", self.layout.text(first + 1), size.join(", "));
        let range = (self.range(first + 1).0, self.range(close).1);
        let title = "the form of a board stands after `=`, with its size";
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `board {new};`")))
    }

    /// Rewrites `Player or none` as a type to `Player?`.
    fn optional_in_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_optional = matches!(self.word, "or" | "|")
            && matches!(self.layout.text(at + 1), "none" | "nothing" | "null" | "empty")
            && self.is_name(at.checked_sub(1)?)
            && self.layout.text(at.checked_sub(2)?) == ":";
        is_optional.then(|| {
            let new = format!("{}?", self.last);
            let range = (self.range(at - 1).0, self.range(at + 1).1);
            let title = "a type with `none` is written with a question mark";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `move mark as "{c}" (c: Cell)` to `move mark(c: Cell) as "{c}"`.
    fn name_before_the_parameters(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_head =
            self.word == "as" && self.layout.text(at.checked_sub(2)?) == "move" && self.is_name(at - 1);
        let open = at + 2;
        let close = self.layout.partner(open).filter(|_| is_head && self.layout.text(open) == "(")?;
        let new = format!("{} {}", self.text(open, close + 1), self.text(at, open));
        let range = (self.range(at - 1).1, self.range(close).1);
        let title = "the parameters of a move stand behind its name, and `as` follows them";
        let help = format!("write `move {}{new}`", self.last);
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help))
    }

    /// Rewrites `expect 5478 positions;` to `expect positions = 5478;`, and `expect 9 moves;` to `expect perft 1 = 9;`.
    fn counted_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let number = clause + 1;
        if let ("expect", "number", "of") =
            (self.layout.text(clause), self.layout.text(number), self.layout.text(clause + 2))
        {
            let claim = match self.layout.text(clause + 3) {
                "positions" | "states" => "positions",
                "moves" | "plays" | "choices" => "perft 1",
                _ => return None,
            };
            let range = (self.range(number).0, self.range(clause + 3).1);
            let title = "what is counted has a word of its own";
            let help = format!("write `expect {claim} = ...;`");
            return Some(Fix::new(range, claim, Code::E0013, title).help(help));
        }
        let is_claim = self.layout.text(clause) == "expect" && self.is_number(number);
        let claim = match self.layout.text(number + 1) {
            "positions" | "states" => "positions",
            "moves" | "plays" | "choices" => "perft 1",
            _ => return None,
        };
        is_claim.then(|| {
            let new = format!("{claim} = {}", self.layout.text(number));
            let range = (self.range(number).0, self.range(number + 1).1);
            let title = "a number is claimed by `=`, with the name of what is counted before it";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `expect {new};`"))
        })
    }
}
