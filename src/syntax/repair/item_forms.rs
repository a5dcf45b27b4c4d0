//! Items that say several things at once, or more than they can: `param w, h: 2..5 = 3;`, `const low = 1, high = 4;`,
//! `preset big with n = 12;`, `enum Card { 1..3 }`, `hand: 0..3 for each Player = 3;`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// The name `big_pot` of the title `"Big pot"`, with its quotes.
pub(super) fn name_from_title(title: &str) -> Option<String> {
    let words: Vec<String> = title
        .strip_prefix('"')?
        .strip_suffix('"')?
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = words.join("_");
    (keywords::starts_with_letter(&name) && !keywords::is_reserved(&name)).then_some(name)
}

impl FixFinder<'_> {
    /// Fixes and explanations of declarations in other forms.
    pub fn item_forms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.parameters_of_one_range(),
            self.declarations_in_one(),
            self.default_of_an_argument(),
            self.preset_without_a_name(),
            self.enumeration_of_numbers(),
            self.players_under_a_condition(),
            self.conditions_of_one_set(),
            self.weights_of_edges(),
            self.view_by_another_word(),
            self.view_of_two_terms(),
            self.condition_of_a_view(),
        ];
        fixes.extend(all.into_iter().flatten());
        if self.bounds.place == ClauseContext::State {
            let fields = [
                self.field_with_its_keys_behind(),
                self.pair_without_brackets(),
                self.range_by_a_comparison(),
            ];
            fixes.extend(fields.into_iter().flatten());
        }
    }

    /// Rewrites `param w, h: 2..5 = 3;` to `param w: 2..5 = 3; param h: 2..5 = 3;`.
    fn parameters_of_one_range(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_param = self.layout.text(first) == "param" && self.word == ",";
        let colon = self.outside_brackets(first + 1, &[":", "=", ";"]).filter(|_| is_param)?;
        let end = self.outside_brackets(colon, &[";"]).filter(|_| self.layout.text(colon) == ":")?;
        let is_list = (first + 1..colon)
            .step_by(2)
            .all(|at| self.is_name(at) && (at + 1 == colon || self.layout.text(at + 1) == ","));
        let rest = self.text(colon, end);
        let items: Vec<String> = (first + 1..colon)
            .step_by(2)
            .map(|at| format!("param {}{rest};", self.layout.text(at)))
            .collect();
        let new = items.join(" ");
        let range = (self.range(first).0, self.range(end).1);
        (is_list && items.len() > 1).then(|| {
            let title = "each parameter has an item of its own";
            Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `const low = 1, high = 4;` to `const low = 1; const high = 4;`, and the same of parameters and types.
    fn declarations_in_one(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let kind = self.layout.text(first);
        let starts =
            |at: usize| self.is_name(at) && matches!(self.layout.text(at + 1), "=" | ":" | "[" | "(");
        let is_item =
            matches!(kind, "const" | "param" | "type" | "def") && self.word == "," && starts(at + 1);
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_item && at > first + 2)?;
        // The comma of a list or of parameters is in brackets.
        if self.bracket_around(at, at).is_some() {
            return None;
        }
        let mut items = Vec::new();
        let mut from = first + 1;
        while from < end {
            let mut next = from;
            loop {
                next = self.outside_brackets(next, &[","]).filter(|&next| next < end).unwrap_or(end);
                if next == end || starts(next + 1) {
                    break;
                }
                next += 1;
            }
            items.push(format!("{kind} {};", self.text(from, next)));
            from = next + 1;
        }
        let new = items.join(" ");
        let range = (self.range(first).0, self.range(end).1);
        let title = format!("each `{kind}` is an item of its own");
        (items.len() > 1 && items.len() < 6)
            .then(|| Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Explains `def line(p: Player = X) = ...;`.
    fn default_of_an_argument(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_head = (first..at)
            .take(3)
            .any(|at| matches!(self.layout.text(at), "def" | "inductive" | "move" | "chance" | "effect"));
        let open = self.bracket_around(at, at).filter(|_| is_head && matches!(self.word, "=" | ":="))?;
        let close = self.layout.partner(open)?;
        let is_formal = self.layout.text(open) == "("
            && open <= first + 4
            && (self.layout.text(at.saturating_sub(2)) == ":"
                || matches!(self.layout.text(at.saturating_sub(2)), "(" | ",")
                    && self.is_number(at + 1)
                    && matches!(self.layout.text(at + 2), "," | ")"));
        let end = self.outside_brackets(at, &[","]).filter(|&end| end < close).unwrap_or(close);
        let name = self.layout.text(open - 1);
        let value = self.text(at + 1, end);
        let range = (self.gap().0, self.range(end - 1).1);
        let is_typed = self.layout.text(at.saturating_sub(2)) == ":";
        let new = if is_typed { String::new() } else { format!(": {DAMAGE_MARKER}") };
        is_formal.then(|| {
            let title = "a parameter has no value of its own: each use gives one";
            let help = format!("write the value where it is used, such as `{name}({value})`");
            explained(range, &new, title, help).at((self.here().0, range.1))
        })
    }

    /// The settings between commas.
    fn settings_between(&self, mut from: usize, end: usize) -> Vec<&str> {
        let mut settings = Vec::new();
        while from < end {
            let next = self.outside_brackets(from, &[",", "and"]).filter(|&next| next < end).unwrap_or(end);
            settings.push(self.text(from, next));
            from = next + 1;
        }
        settings
    }

    /// Rewrites `preset "Big pot" { ... }` to `preset big_pot "Big pot" { ... }`.
    fn preset_without_a_name(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_title = self.layout.text(first) == "preset" && at == first + 1;
        let name = name_from_title(self.word)?;
        let start = self.here().0;
        is_title.then(|| {
            let said = "a preset has a name before its title";
            let fix = Fix::new((start, start), &format!("{name} "), Code::E0013, said).at(self.here());
            let help = format!("write `preset {name} {} {{ ... }}`", self.word);
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `enum Card { 1..3 }` to `type Card = 1..3;`.
    fn enumeration_of_numbers(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = first + 2;
        let is_enum = self.layout.text(first) == "enum" && self.layout.text(first + 4) == "..";
        let close = self.layout.partner(open).filter(|&close| is_enum && close == first + 6)?;
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let new = format!("type {} = {};", self.layout.text(first + 1), self.text(open + 1, close));
        let range = (self.range(first).0, self.range(last).1);
        let title = "an `enum` has names; a range of numbers is a `type`";
        Some(
            Fix::new(range, &new, Code::E0013, title)
                .at((self.range(first + 3).0, self.range(first + 5).1))
                .help(format!("write `{new}`")),
        )
    }

    /// Explains `players Ann, Bob, Cid if n > 5;`.
    fn players_under_a_condition(&self) -> Option<Fix> {
        let is_condition = matches!(self.word, "if" | "when" | "where" | "unless" | "for");
        let is_players = matches!(self.layout.text(self.bounds.first), "players" | "player") && is_condition;
        let end = self.outside_brackets(self.bounds.at, &[";"]).filter(|_| is_players)?;
        let range = (self.gap().0, self.range(end - 1).1);
        let title = "the players of a game are always the same";
        let help = "write a file for each number of players; what does not depend on them can stand in a \
                    third file, which both use by `use`";
        Some(explained(range, "", title, help).at((self.here().0, range.1)))
    }

    /// Joins the conditions of `where f where g` by `and`.
    fn conditions_of_one_set(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let around = self.bracket_around(at, at);
        let is_first =
            |&word: &usize| self.layout.text(word) == "where" && self.bracket_around(word, word) == around;
        let first = (self.bounds.clause..at).rev().find(is_first).filter(|_| self.word == "where")?;
        let ends = [";", ",", "}", ")", "]", "{", ":"];
        let end = (at + 1..self.layout.words.len())
            .find(|&end| ends.contains(&self.layout.text(end)) && self.bracket_around(end, end + 1) == around)
            .or_else(|| around.and_then(|open| self.layout.partner(open)))?;
        let is_loose = |from: usize, to: usize| {
            (from..to).any(|at| {
                matches!(self.layout.text(at), "or" | "implies" | "iff" | "if" | ":")
                    && self.bracket_around(at, at) == around
            })
        };
        let in_brackets = |from: usize, to: usize| match is_loose(from, to) {
            true => format!("({})", self.text(from, to)),
            false => self.text(from, to).to_owned(),
        };
        let new = format!("where {} and {}", in_brackets(first + 1, at), in_brackets(at + 1, end));
        let range = (self.range(first).0, self.range(end - 1).1);
        let title = "two conditions of one set are joined by `and`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Explains `a - b : 2;` in a graph.
    fn weights_of_edges(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open =
            self.bracket_around(at, at).filter(|&open| self.layout.text(open.wrapping_sub(1)) == "graph")?;
        let close = self.layout.partner(open)?;
        let is_weight =
            |at: usize| matches!(self.layout.text(at), ":" | "=" | "[" | "(") && self.is_number(at + 1);
        if !is_weight(at) || !matches!(self.layout.text(at.saturating_sub(2)), "-" | "->") {
            return None;
        }
        let mut new = String::new();
        let mut from = at;
        for word in at..close {
            if is_weight(word) {
                new += self
                    .layout
                    .source
                    .get(self.range(from).0..self.range(word - 1).1)
                    .filter(|_| word > from)
                    .unwrap_or_default();
                from = word + 2 + usize::from(matches!(self.layout.text(word), "[" | "("));
            }
        }
        new += self.layout.source.get(self.range(from).0..self.range(close - 1).1).unwrap_or_default();
        let board = self.layout.text(self.bounds.first + 1);
        let title = "the edges of a graph carry no numbers";
        let help = format!("write a table of them: `const weight[e: edges({board})]: 0..9 = ...;`");
        let range = (self.here().0, self.range(close - 1).1);
        Some(explained(range, &new, title, help).at((range.0, self.range(at + 1).1)))
    }

    /// Rewrites `view p: card when f;` to `sees p: card when f;`.
    fn view_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = matches!(
            self.layout.text(first),
            "view"
                | "views"
                | "observe"
                | "observes"
                | "observation"
                | "shows"
                | "reveals"
                | "knows"
                | "see"
                | "perceives"
        );
        let colon = self.outside_brackets(first + 1, &[":", ";", "{"])?;
        let is_view =
            is_word && self.bounds.at <= colon && self.layout.text(colon) == ":" && colon > first + 1;
        is_view.then(|| {
            let title = "an item about what a player sees begins with `sees`";
            let fix = Fix::new(self.range(first), "sees", Code::E0013, title);
            Fix {
                accepts_partial: true,
                ..fix.help(format!("write `sees {} ...`", self.text(first + 1, colon + 1)))
            }
        })
    }

    /// Rewrites `sees p: hand[p], stake when f;` to `sees p: (hand[p], stake) when f;`.
    fn view_of_two_terms(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_view = self.layout.text(first) == "sees" && matches!(self.word, "," | "and");
        let colon = self.outside_brackets(first + 1, &[":", ";"]).filter(|_| is_view)?;
        let end = self.outside_brackets(at, &["when", ";"]).filter(|&end| end > at + 1 && colon < at)?;
        let terms = self.settings_between(colon + 1, end);
        let new = format!("({})", terms.join(", "));
        let range = (self.range(colon + 1).0, self.range(end - 1).1);
        let title = "several values that a player sees are a tuple";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `sees p: card if f;` to `sees p: card when f;`.
    fn condition_of_a_view(&self) -> Option<Fix> {
        let is_word =
            matches!(self.word, "if" | "where" | "whenever" | "once" | "while" | "after" | "unless");
        let is_view = self.layout.text(self.bounds.first) == "sees" && is_word;
        let end = self.outside_brackets(self.bounds.at, &[";"]).filter(|_| is_view)?;
        let title = "the condition of a view stands after `when`";
        if self.word == "unless" {
            let new = format!("when not ({})", self.text(self.bounds.at + 1, end));
            let range = (self.here().0, self.range(end - 1).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            return Some(fix.help(format!("write `{new}`")));
        }
        let condition = self.text(self.bounds.at + 1, end);
        Some(Fix::new(self.here(), "when", Code::E0013, title).help(format!("write `when {condition}`")))
    }

    /// Rewrites `hand: 0..3 for each Player = 3;` to `hand[p: Player]: 0..3 = 3;`.
    fn field_with_its_keys_behind(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_word = matches!(self.word, "for" | "per" | "each" | "of" | "by");
        let extra = usize::from(matches!(self.layout.text(at + 1), "each" | "every" | "all" | "any"));
        let ty = self.layout.text(at + 1 + extra);
        let is_key = is_word
            && self.layout.text(clause + 1) == ":"
            && ty.starts_with(|c: char| c.is_ascii_uppercase())
            && matches!(self.layout.text(at + 2 + extra), "=" | ";" | "hidden" | "visible");
        let letter = ty.chars().next().filter(|_| is_key)?.to_ascii_lowercase();
        let name = self.layout.text(clause);
        let new = format!("{name}[{letter}: {ty}]: {}", self.text(clause + 2, at));
        let range = (self.range(clause).0, self.range(at + 1 + extra).1);
        let label = (self.here().0, range.1);
        let title = "the keys of a field stand in square brackets behind its name";
        let fix = Fix::new(range, &new, Code::E0013, title).at(label);
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{new} ...;`")) })
    }

    /// Rewrites `way: Point, Point = (a, b);` to `way: (Point, Point) = (a, b);`.
    fn pair_without_brackets(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let colon = self.outside_brackets(clause, &[":", ";"])?;
        let end = self.outside_brackets(colon + 1, &["=", ":", ";"])?;
        let is_type = self.word == "," && colon < at && at < end && self.layout.text(end) != ":";
        let is_name = |at: usize| self.layout.text(at).starts_with(|c: char| c.is_ascii_uppercase());
        let is_pair = is_type && is_name(at - 1) && is_name(at + 1);
        let new = format!("({})", self.text(colon + 1, end));
        let range = (self.range(colon + 1).0, self.range(end - 1).1);
        is_pair.then(|| {
            let title = "a type of several parts stands in brackets";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            fix.help(format!("write `{}: {new}`", self.text(clause, colon)))
        })
    }

    /// Explains `score: >= 0;`.
    fn range_by_a_comparison(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let sign = [at, at.saturating_sub(1)]
            .into_iter()
            .find(|&at| matches!(self.layout.text(at), ">=" | ">" | "<=" | "<"))?;
        let is_type = self.layout.text(sign - 1) == ":" && self.is_number(sign + 1);
        let number: u32 = self.layout.text(sign + 1).parse().ok().filter(|_| is_type)?;
        let (range, note) = match self.layout.text(sign) {
            ">=" => (format!("{number}..99"), "with the greatest value that can come"),
            ">" => (format!("{}..99", number + 1), "with the greatest value that can come"),
            "<=" => (format!("0..{number}"), "with the least value that can come"),
            _ => (format!("0..{}", number.saturating_sub(1)), "with the least value that can come"),
        };
        let title = "the values of a field are a range with both ends";
        let place = (self.range(sign).0, self.range(sign + 1).1);
        Some(explained(place, &range, title, format!("write `{range}`, {note}")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn each_item_declares_one_thing() {
        assert_eq!(mended("param w, h: 2..5 = 3;\n"), "param w: 2..5 = 3; param h: 2..5 = 3;\n");
        assert_eq!(mended("const low = 1, high = 4;\n"), "const low = 1; const high = 4;\n");
        let new = "const up = { a1, b1 }; const top = 2; const far[p: Player] = 3;\n";
        assert_eq!(mended("const up = { a1, b1 }, top = 2, far[p: Player] = 3;\n"), new);
        let found = helps("def line(p: Player = X, n: 0..3) = n = 0;\n");
        assert!(found.len() == 1 && found[0].contains("`line(X)`"), "{found:?}");
    }

    #[test]
    fn parameters_have_no_values() {
        let found = titles("def few(x: Cell, y = 3) = x in { c in Cell where y > 2 };\n");
        assert_eq!(found, ["a parameter has no value of its own: each use gives one"]);
    }

    #[test]
    fn presets_have_a_name_and_braces() {
        assert_eq!(mended("preset big with n = 12, m = 3;\n"), "preset big { n = 12; m = 3; }\n");
        assert_eq!(mended("preset \"Big pot\" { n = 12; }\n"), "preset big_pot \"Big pot\" { n = 12; }\n");
    }

    #[test]
    fn types_and_boards_have_their_forms() {
        assert_eq!(mended("enum Card { 1..3 }\n"), "type Card = 1..3;\n");
        let text = |mask: &str| format!("board Cell = grid(3, 3) where {mask};\n");
        assert_eq!(mended(&text("col != 2 where row != 2")), text("col != 2 and row != 2"));
        assert_eq!(
            mended(&text("col = 1 or row = 1 where row != 2")),
            text("(col = 1 or row = 1) and row != 2")
        );
        assert_eq!(
            mended("def d = { c in Cell where c in a where free(c) };\n"),
            "def d = { c in Cell where c in a and free(c) };\n"
        );
        assert_eq!(
            titles("board P = graph { a - b : 2; b - c : 3; };\n"),
            ["the edges of a graph carry no numbers"]
        );
        assert_eq!(titles("players Ann, Bob if n > 5;\n"), ["the players of a game are always the same"]);
    }

    #[test]
    fn fields_have_their_forms() {
        let text = |field: &str| format!("state {{ {field}; k: 0..1 = 0; }}\n");
        assert_eq!(mended(&text("hand: 0..3 for each Player = 3")), text("hand[p: Player]: 0..3 = 3"));
        assert_eq!(mended(&text("way: Point, Point = (a, b)")), text("way: (Point, Point) = (a, b)"));
        let found = helps(&text("score[p: Player]: >= 0"));
        assert!(found.len() == 1 && found[0].contains("`0..99`"), "{found:?}");
    }

    #[test]
    fn views_have_their_form() {
        assert_eq!(mended("view p: card when n = 1;\n"), "sees p: card when n = 1;\n");
        assert_eq!(mended("sees p: card if n = 1;\n"), "sees p: card when n = 1;\n");
        assert_eq!(mended("sees p: card unless n = 1;\n"), "sees p: card when not (n = 1);\n");
        assert_eq!(mended("sees p: hand[p], stake when n = 1;\n"), "sees p: (hand[p], stake) when n = 1;\n");
    }
}
