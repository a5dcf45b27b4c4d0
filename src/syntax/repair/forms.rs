//! Items that lack their own form: `players { A; B; }`, `end { normal; }`, `effect e(c: Cell) = at[c] := none;`,
//! `enum Card { 1, 2, 3 }`, `simultaneous { show; }`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::lex::TokenKind;

/// Words for players who choose at once.
pub(super) const AT_ONCE: [&str; 6] =
    ["simultaneous", "simultaneously", "together", "parallel", "concurrent", "concurrently"];

/// The columns and rows of a cell such as `b3`.
fn cell_of(name: &str) -> Option<(u32, u32)> {
    let (column, row) = name.split_at_checked(1)?;
    let letter = column.bytes().next().filter(u8::is_ascii_lowercase)?;
    Some((u32::from(letter - b'a') + 1, row.parse().ok().filter(|&row| row > 0)?))
}

impl FixFinder<'_> {
    /// Fixes and explanations of items.
    pub fn forms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.players_in_a_block(),
            self.phases_at_once(),
            self.phase_at_once(),
            self.convention_in_the_end(),
            self.set_by_another_word(),
            self.board_without_cells(),
            self.move_without_a_name(),
            self.board_of_cells(),
            self.effect_with_a_sign(),
            self.numbers_as_members(),
            self.fields_without_braces(),
            self.title_of_the_game(),
            self.settings_in_another_form(),
            self.pass_that_is_allowed(),
            self.every_move_with_a_colon(),
            self.position_of_a_test(),
            self.claims_joined(),
            self.signs_without_quotes(),
            self.library_without_quotes(),
            self.field_by_an_arrow(),
            self.value_after_hidden(),
            self.field_visible_only(),
            self.repetition_in_brackets(),
            self.points_and_edges(),
            self.outcome_among_the_items(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `players { A; B; }` to `players A, B;`.
    fn players_in_a_block(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_players = matches!(self.layout.text(first), "players" | "player")
            && matches!(self.layout.text(first + 1), "{" | "(" | "[");
        let close = self.layout.partner(first + 1).filter(|_| is_players)?;
        let is_sign = |at: &usize| matches!(self.layout.text(*at), ";" | ",");
        let is_block =
            self.layout.text(first + 1) == "{" || (first + 2..close).any(|at| self.layout.text(at) == ";");
        let names: Vec<usize> = (first + 2..close).filter(|at| !is_sign(at)).collect();
        if names.is_empty() || !is_block || !names.iter().all(|&at| self.is_name(at)) {
            return None;
        }
        let names: Vec<&str> = names.into_iter().map(|at| self.layout.text(at)).collect();
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let new = format!(" {};", names.join(", "));
        let range = (self.range(first).1, self.range(last).1);
        let title = "the players are names, with commas between them";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(first + 1));
        Some(fix.help(format!("write `{}{new}`", self.layout.text(first))))
    }

    /// Rewrites `simultaneous { show; }` to `phases { show by each; }`.
    fn phases_at_once(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let words = usize::from(self.layout.text(first) == "phases");
        let is_block =
            AT_ONCE.contains(&self.layout.text(first + words)) && self.layout.text(first + words + 1) == "{";
        let open = first + words + 1;
        let close = self.layout.partner(open).filter(|_| is_block)?;
        let names: Vec<usize> =
            (open + 1..close).filter(|&at| !matches!(self.layout.text(at), ";" | ",")).collect();
        let is_plain = !names.is_empty() && names.iter().all(|&at| self.is_name(at));
        if !is_plain || words == 0 && !self.outline().phases().is_empty() {
            return None;
        }
        let phases: Vec<String> =
            names.into_iter().map(|at| format!("{} by each;", self.layout.text(at))).collect();
        let new = format!("phases {{ {} }}", phases.join(" "));
        let range = (self.range(first).0, self.range(close).1);
        let title = "a phase in which all players choose at once is `by each`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(first + words));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Rewrites `phases { show simultaneous; }` to `phases { show by each; }`.
    fn phase_at_once(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_phases = self.layout.text(self.bounds.first) == "phases";
        let word =
            [at.checked_sub(1)?, at].into_iter().find(|&at| AT_ONCE.contains(&self.layout.text(at)))?;
        let title = "a phase in which all players choose at once is `by each`";
        let (before, after) = (self.layout.text(word - 1), self.layout.text(word + 1));
        let (range, name) = match (before, after) {
            ("by", ";") => ((self.range(word - 1).0, self.range(word).1), self.layout.text(word - 2)),
            (name, ";") if self.is_name(word - 1) => (self.range(word), name),
            (_, name) if self.is_name(word + 1) && self.layout.text(word + 2) == ";" => {
                let new = format!("{name} by each");
                let range = (self.range(word).0, self.range(word + 1).1);
                let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
                return is_phases.then(|| fix.help(format!("write `{new};`")));
            }
            _ => return None,
        };
        is_phases
            .then(|| Fix::new(range, "by each", Code::E0013, title).help(format!("write `{name} by each;`")))
    }

    /// Rewrites `end { normal; }` to `play normal;`.
    fn convention_in_the_end(&self) -> Option<Fix> {
        let (first, clause) = (self.bounds.first, self.bounds.clause);
        let open = first + 1;
        if self.layout.text(first) == "end"
            && matches!(self.layout.text(open), "normal" | "misere")
            && self.layout.text(open + 1) == ";"
        {
            let new = format!("play {};", self.layout.text(open));
            let range = (self.range(first).0, self.range(open + 1).1);
            let title = "the convention of play is an item of its own";
            return Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")));
        }
        let close = self.layout.partner(open).filter(|_| self.layout.text(first) == "end")?;
        let word = clause + usize::from(self.layout.text(clause) == "play");
        let (convention, rule) = match self.layout.text(word) {
            "normal" => ("normal", "when stuck => mover loses;"),
            "misere" => ("misere", "when stuck => mover wins;"),
            _ => return None,
        };
        let end = word + 1 + usize::from(self.layout.text(word + 1) == "play");
        if self.layout.text(end) != ";" {
            return None;
        }
        let title = "the convention of play is an item of its own";
        if clause == open + 1 && end + 1 == close {
            let new = format!("play {convention};");
            let range = (self.range(first).0, self.range(close).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
            return Some(fix.help(format!("write `{new}` in place of the `end`")));
        }
        let range = (self.range(clause).0, self.range(end).1);
        let title = format!("in an `end`, {convention} play is a rule");
        Some(Fix::new(range, rule, Code::E0013, title).at(self.range(word)).help(format!("write `{rule}`")))
    }

    /// Rewrites `region Centre = { b2 };` to `const Centre = { b2 };`.
    fn set_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = matches!(
            self.layout.text(first),
            "region"
                | "zone"
                | "area"
                | "sites"
                | "set"
                | "cells"
                | "group"
                | "constant"
                | "value"
                | "final"
                | "list"
                | "territory"
        );
        let is_item = is_word
            && self.is_name(first + 1)
            && self.layout.text(first + 2) == "="
            && self.bounds.at <= first + 1;
        let end = self.outside_brackets(first + 3, &[";"]).filter(|&end| is_item && end > first + 3)?;
        let title = "a value known before play, such as a set of cells, is a `const`";
        let help = format!("write `const {};`", self.text(first + 1, end));
        Some(Fix::new(self.range(first), "const", Code::E0013, title).help(help))
    }

    /// Rewrites `grid(3, 3) without { b2 }` to `grid(3, 3) where not (col = 2 and row = 2)`.
    fn board_without_cells(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_word = matches!(self.word, "without" | "except" | "minus" | "excluding" | "unless" | "but");
        let end = self
            .outside_brackets(at + 1, &[";"])
            .filter(|_| is_word && self.layout.text(first) == "board")?;
        let cells: Vec<usize> = (at + 1..end)
            .filter(|&at| {
                !matches!(
                    self.layout.text(at),
                    "{" | "}" | "[" | "]" | "(" | ")" | "," | "and" | "cells" | "cell"
                )
            })
            .collect();
        let mut parts = Vec::new();
        for cell in cells {
            let (column, row) = cell_of(self.layout.text(cell))?;
            parts.push(format!("(col = {column} and row = {row})"));
        }
        let form = self.layout.text(first + 3);
        if parts.is_empty() || !matches!(form, "grid" | "hex" | "torus") {
            return None;
        }
        let all = if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(" or ")) };
        let new = format!("where not {all}");
        let range = (self.here().0, self.range(end - 1).1);
        let title = "the cells of a board are chosen by a condition on `col` and `row`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Gives the move of `move (k: 1..3) { ... }` a name.
    fn move_without_a_name(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_nameless =
            matches!(self.last, "move" | "chance") && self.word == "(" && at == self.bounds.first + 1;
        let outline = self.outline();
        let names = if self.last == "move" {
            ["go", "act", "make", "choose"]
        } else {
            ["event", "throws", "deals", "happens"]
        };
        let name = names.into_iter().find(|name| !outline.has_word(name)).filter(|_| is_nameless)?;
        let close = self.layout.partner(at)?;
        let help = format!("write `{} {name}{}`, or another name", self.last, self.text(at, close + 1));
        let title = if self.last == "move" { "a move has a name" } else { "an event has a name" };
        let range = (self.gap().0, self.here().0);
        Some(Fix::new(range, &format!(" {name}"), Code::E0013, title).at(self.here()).help(help))
    }

    /// Rewrites `board: grid(3, 3);` to `board Cell = grid(3, 3);`.
    fn board_of_cells(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let form = first + 2;
        let is_form = matches!(self.layout.text(form), "grid" | "hex" | "torus" | "strip" | "ring" | "cube");
        let is_board = self.layout.text(first) == "board"
            && matches!(self.layout.text(first + 1), ":" | "=" | ":=")
            && is_form
            && self.layout.text(form + 1) == "(";
        let close = self.layout.partner(form + 1).filter(|_| is_board && self.bounds.at <= form + 1)?;
        let is_taken = self.outline().board() == Some("Cell");
        let range = (self.range(first).1, self.range(form).0);
        let help = format!("write `board Cell = {};`", self.text(form, close + 1));
        let title = "a board has a name, which is the type of its cells";
        (!is_taken).then(|| Fix::new(range, " Cell = ", Code::E0013, title).at(self.range(first)).help(help))
    }

    /// Rewrites `effect e(c: Cell) = at[c] := none;` to `effect e(c: Cell) { at[c] := none; }`.
    fn effect_with_a_sign(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_effect = self.layout.text(first) == "effect" && matches!(self.word, "=" | ":" | "=>" | "->");
        let end = self.outside_brackets(at + 1, &[";"]).filter(|_| is_effect && self.last == ")")?;
        let new = format!("{{ {} }}", self.text(at + 1, end + 1));
        let range = (self.here().0, self.range(end).1);
        let title = "the effects of an `effect` stand in braces";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `enum Card { 1, 2, 3 }` to `type Card = 1..3;`.
    fn numbers_as_members(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = first + 2;
        let is_enum = self.layout.text(first) == "enum" && self.layout.text(open) == "{";
        let close = self.layout.partner(open).filter(|_| is_enum)?;
        let members: Vec<usize> = (open + 1..close).filter(|&at| self.layout.text(at) != ",").collect();
        let numbers: Option<Vec<u32>> = members.iter().map(|&at| self.layout.text(at).parse().ok()).collect();
        let numbers = numbers.filter(|numbers| !numbers.is_empty())?;
        let is_row = numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        let values = match (is_row, numbers.first(), numbers.last()) {
            (true, Some(low), Some(high)) => format!("{low}..{high}"),
            _ => self.text(open, close + 1).to_owned(),
        };
        let new = format!("type {} = {values};", self.layout.text(first + 1));
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let range = (self.range(first).0, self.range(last).1);
        let title = "the members of an `enum` are names; numbers are a type by themselves";
        Some(
            Fix::new(range, &new, Code::E0013, title).at(self.range(open + 1)).help(format!("write `{new}`")),
        )
    }

    /// Rewrites `state a: bool = false, b: bool = true;` to `state { a: bool = false; b: bool = true; }`.
    fn fields_without_braces(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let start = first + 1 + usize::from(self.layout.text(first + 1) == ":");
        let is_state = self.layout.text(first) == "state" && self.bounds.at <= start;
        let end = self.outside_brackets(start, &[";"]).filter(|_| is_state && self.is_name(start))?;
        let mut fields = Vec::new();
        let mut at = start;
        while at < end {
            let next = self.outside_brackets(at, &[","]).filter(|&next| next < end).unwrap_or(end);
            if !matches!(self.layout.text(at + 1), "[" | ":") {
                return None;
            }
            fields.push(format!("{};", self.text(at, next)));
            at = next + 1;
        }
        let new = format!("{{ {} }}", fields.join(" "));
        let range = (self.range(first).1, self.range(end).1);
        let title = "the fields of the state stand in braces";
        let fix = Fix::new(range, &format!(" {new}"), Code::E0013, title).at(self.range(start));
        (fields.len() > 1 || start > first + 1).then(|| fix.help(format!("write `state {new}`")))
    }

    /// Rewrites `name: "Nim";` at the top to `game "Nim";`.
    fn title_of_the_game(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = matches!(
            self.layout.text(first).to_lowercase().as_str(),
            "name" | "title" | "game" | "gamename" | "game_name"
        );
        let sign = usize::from(matches!(self.layout.text(first + 1), ":" | "=" | ":="));
        let string = first + 1 + sign;
        let is_string = self.layout.words.get(string).is_some_and(|word| word.kind == TokenKind::Str);
        let is_title =
            is_word && is_string && (sign == 1 || self.layout.text(first).to_lowercase() != "game");
        let has_game = self.layout.text(first) != "game" && self.outline().has_word("game");
        if !is_title || has_game || self.bounds.place != ClauseContext::Top {
            return None;
        }
        let new = format!("game {}", self.layout.text(string));
        let range = (self.range(first).0, self.range(string).1);
        let title = "the name of the game stands after `game`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.range(first)).help(format!("write `{new};`")))
    }

    /// Rewrites `preset small { n: 3, k: 2 }` to `preset small { n = 3; k = 2; }`.
    fn settings_in_another_form(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = self.outside_brackets(first, &["{"]).filter(|_| self.layout.text(first) == "preset")?;
        let close =
            self.layout.partner(open).filter(|&close| self.bounds.at > open && self.bounds.at <= close)?;
        let mut settings = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[",", ";"]).filter(|&end| end < close).unwrap_or(close);
            if !self.is_name(at)
                || !matches!(self.layout.text(at + 1), ":" | "=" | ":=" | "->" | "=>")
                || at + 2 >= end
            {
                return None;
            }
            settings.push(format!("{} = {};", self.layout.text(at), self.text(at + 2, end)));
            at = end + 1;
        }
        let new = format!("{{ {} }}", settings.join(" "));
        let range = (self.range(open).0, self.range(close).1);
        let title = "a preset gives each parameter its value by `=`, with a `;` behind it";
        (!settings.is_empty())
            .then(|| Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `pass allowed;` to `pass always;`.
    fn pass_that_is_allowed(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = matches!(
            self.word,
            "allowed"
                | "possible"
                | "permitted"
                | "legal"
                | "any"
                | "anytime"
                | "optional"
                | "free"
                | "ok"
                | "enabled"
        );
        let is_pass = self.layout.text(first) == "pass" && self.bounds.at == first + 1;
        (is_word && is_pass && self.layout.text(first + 2) == ";").then(|| {
            let title = "a pass that is always possible is `pass always`";
            Fix::new(self.here(), "always", Code::E0013, title).help("write `pass always;`")
        })
    }

    /// Rewrites `every move: n += 1;` to `every move { n += 1; }`.
    fn every_move_with_a_colon(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_every = self.layout.text(first) == "every"
            && at == first + 2
            && matches!(self.word, ":" | "=" | "=>" | "->");
        if is_every && self.layout.text(at + 1) == "{" {
            let range = (self.gap().0, self.here().1);
            let title = format!("the braces of `every move` follow without `{}`", self.word);
            return Some(Fix::new(range, "", Code::E0013, title).at(self.here()).help("leave it out"));
        }
        let end = self.outside_brackets(at + 1, &[";"]).filter(|_| is_every)?;
        let new = format!(" {{ {} }}", self.text(at + 1, end + 1));
        let range = (self.gap().0, self.range(end).1);
        let title = "what belongs to every move stands in braces";
        let is_line = self.layout.item_end(first) <= end + 1;
        is_line.then(|| {
            Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `every move{new}`"))
        })
    }

    /// Rewrites `given n = 2, mover = A;` in a test to `position { n := 2; mover := A; }`.
    fn position_of_a_test(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = matches!(
            self.layout.text(clause),
            "given"
                | "setup"
                | "assume"
                | "start"
                | "when"
                | "set"
                | "let"
                | "from"
                | "state"
                | "init"
                | "begin"
                | "position"
        );
        let end = self
            .outside_brackets(clause, &[";"])
            .filter(|_| is_word && self.bounds.place == ClauseContext::Test)?;
        let mut effects = Vec::new();
        let mut at = clause + 1 + usize::from(self.layout.text(clause + 1) == ":");
        while at < end {
            let next = self.outside_brackets(at, &[",", "and"]).filter(|&next| next < end).unwrap_or(end);
            let sign = self.end_of_operand(at).filter(|&sign| sign + 1 < next)?;
            if !matches!(self.layout.text(sign), "=" | ":=" | "==" | ":" | "is") {
                return None;
            }
            effects.push(format!("{} := {};", self.text(at, sign), self.text(sign + 1, next)));
            at = next + 1;
        }
        let new = format!("position {{ {} }}", effects.join(" "));
        let range = (self.range(clause).0, self.range(end).1);
        let title = "a test sets its position in `position { ... }`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(clause));
        (!effects.is_empty()).then(|| fix.help(format!("write `{new}`")))
    }

    /// Rewrites `expect draw and perft 1 = 9;` to two claims, and `expect draw = true;` to `expect draw;`.
    fn claims_joined(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| self.layout.text(clause) == "expect")?;
        let is_claim = |from: usize, to: usize| {
            let claim = format!("expect {};", self.text(from, to));
            from < to
                && !self.layout.text(from).starts_with('"')
                && trial_parse(Rule::expect_decl, &claim).is_ok_and(|length| length == claim.len())
        };
        let is_true =
            self.layout.text(end - 1) == "true" && matches!(self.layout.text(end - 2), "=" | "==" | "is");
        if is_true && end > clause + 3 && is_claim(clause + 1, end - 2) {
            let range = (self.range(end - 3).1, self.range(end - 1).1);
            let title = "a claim says by itself that it is true";
            return Some(
                Fix::new(range, "", Code::E0013, title)
                    .help(format!("write `expect {};`", self.text(clause + 1, end - 2))),
            );
        }
        let mut claims = Vec::new();
        let mut at = clause + 1;
        while at < end {
            let next = self.outside_brackets(at, &["and", ","]).filter(|&next| next < end).unwrap_or(end);
            if !is_claim(at, next) {
                return None;
            }
            claims.push(format!("expect {};", self.text(at, next)));
            at = next + 1;
        }
        let new = claims.join(" ");
        let range = (self.range(clause).0, self.range(end).1);
        let title = "each claim has its own `expect`";
        (claims.len() > 1)
            .then(|| Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites the signs of `diagram """...""" { B: Black, ".": none }` to `{ "B" => Black, "." => none }`.
    fn signs_without_quotes(&self) -> Option<Fix> {
        let open = self.legend_around(self.bounds.at)?;
        let close = self.layout.partner(open)?;
        let mut arms = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[",", ";"]).filter(|&end| end < close).unwrap_or(close);
            let sign = at + 1;
            let is_turned = self.layout.text(sign + 1).starts_with('"');
            if !self.is_arrow_of_a_sign(sign) || sign + 1 >= end || is_turned {
                return None;
            }
            let symbol = self.layout.text(at).trim_matches(['"', '\'']);
            arms.push(format!("\"{symbol}\" => {}", self.text(sign + 1, end)));
            at = end + 1;
        }
        let new = format!("{{ {} }}", arms.join(", "));
        let range = (self.range(open).0, self.range(close).1);
        let title = super::word_signs::SYMBOLS_IN_QUOTES;
        (!arms.is_empty())
            .then(|| Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// The brace around a word that opens the legend of a diagram.
    pub(super) fn legend_around(&self, at: usize) -> Option<usize> {
        let open = self.bracket_around(at, at).filter(|&open| self.layout.text(open) == "{" && open >= 2)?;
        let is_diagram =
            self.layout.text(open - 2) == "diagram" || self.layout.text(open - 1).starts_with("\"\"\"");
        is_diagram.then_some(open)
    }

    /// Returns true for a word that leads, or may be meant to lead, from a symbol of a diagram to its value.
    pub(super) fn is_arrow_of_a_sign(&self, at: usize) -> bool {
        matches!(self.layout.text(at), ":" | "=" | "=>" | "->")
    }

    /// Rewrites `use std/lines;` to `use "std/lines";`.
    fn library_without_quotes(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_use = self.layout.text(first) == "use" && matches!(self.word, "/" | "-" | "." | "\\" | "::");
        let end = self.outside_brackets(first + 1, &["as", ";"]).filter(|&end| is_use && end > first + 1)?;
        let path = self.text(first + 1, end);
        let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let new = format!("\"{}\"", path.trim_end_matches(".bou"));
        let range = (self.range(first + 1).0, self.range(end - 1).1);
        let title = "the name of a file stands between quotes";
        is_plain.then(|| Fix::new(range, &new, Code::E0013, title).help(format!("write `use {new};`")))
    }

    /// Rewrites `at[c: Cell] -> Player?` in a state to `at[c: Cell]: Player?`.
    fn field_by_an_arrow(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let keys = self.layout.partner(clause + 1).filter(|_| self.layout.text(clause + 1) == "[");
        let is_next = self.bounds.at == keys.unwrap_or(clause) + 1;
        let is_sign = matches!(self.word, "->" | "=>" | "of" | "is" | "as" | "in" | "holds" | "::" | "<-");
        let is_field =
            self.bounds.place == ClauseContext::State && is_next && is_sign && self.is_name(clause);
        is_field.then(|| {
            let head = self.text(clause, self.bounds.at);
            let range = (self.gap().0, self.here().1);
            let title = "the type of a field stands after `:`";
            let ty = self.layout.text(self.bounds.at + 1);
            Fix::new(range, ":", Code::E0013, title).at(self.here()).help(format!("write `{head}: {ty}`"))
        })
    }

    /// Rewrites `hand: Card? = none hidden = true` to `hand: Card? = none hidden`.
    fn value_after_hidden(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_value = self.last == "hidden" && matches!(self.word, "=" | ":");
        let end = self.outside_brackets(at, &[";"]).filter(|&end| is_value && end == at + 2)?;
        let has_value = (self.bounds.clause..at - 1).any(|at| self.layout.text(at) == "=");
        let word = self.layout.text(at + 1);
        let title = "`hidden` is a word by itself";
        match (word, has_value) {
            ("true" | "yes", _) => {
                let range = (self.gap().0, self.range(end - 1).1);
                let label = (self.here().0, range.1);
                Some(
                    Fix::new(range, "", Code::E0013, title)
                        .at(label)
                        .help(format!("leave out `{} {word}`", self.word)),
                )
            }
            ("false" | "no", _) => {
                let range = (self.range(at - 2).1, self.range(end - 1).1);
                let label = (self.range(at - 1).0, range.1);
                let title = "a field without `hidden` is seen by all";
                Some(Fix::new(range, "", Code::E0013, title).at(label).help("leave it out"))
            }
            (_, true) => {
                let range = (self.gap().0, self.range(end - 1).1);
                let help = "leave the second one out";
                Some(explained(range, "", "a field has one initial value", help).at((self.here().0, range.1)))
            }
            _ => None,
        }
    }

    /// Removes the `only` of `visible only to p`.
    fn field_visible_only(&self) -> Option<Fix> {
        let is_only =
            self.last == "visible" && matches!(self.word, "only" | "just" | "solely" | "exclusively");
        (is_only && self.layout.text(self.bounds.at + 1) == "to")
            .then(|| self.only_beside_visible(self.bounds.at))
    }

    /// Rewrites `repeat(3) => draw;` to `repeat 3 => draw;`.
    fn repetition_in_brackets(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let open = clause + 1;
        let is_repeat = self.layout.text(clause) == "repeat" && matches!(self.layout.text(open), "(" | "[");
        let is_number = self.is_number(open + 1) && self.layout.partner(open) == Some(open + 2);
        let number = self.layout.text(open + 1);
        (is_repeat && is_number && self.bounds.at <= open + 3).then(|| {
            let range = (self.range(clause).1, self.range(open + 2).1);
            let title = "how often a position comes stands after `repeat`, without brackets";
            let label = (self.range(open).0, self.range(open + 2).1);
            let fix = Fix::new(range, &format!(" {number}"), Code::E0013, title).at(label);
            fix.help(format!("write `repeat {number} => ...;`"))
        })
    }

    /// Rewrites `graph { nodes a, b, c; edges a-b, b-c; }` to `graph { a - b; b - c; }`.
    fn points_and_edges(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let is_graph = self.layout.text(open) == "{" && self.layout.text(open.checked_sub(1)?) == "graph";
        let close = self.layout.partner(open).filter(|_| is_graph)?;
        let (mut points, mut edges, mut has_heads) = (Vec::new(), Vec::new(), false);
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[";"]).filter(|&end| end < close).unwrap_or(close);
            let is_points =
                matches!(self.layout.text(at), "nodes" | "points" | "vertices" | "node" | "vertex" | "sites");
            let is_edges =
                matches!(self.layout.text(at), "edges" | "links" | "arcs" | "lines" | "edge" | "arc");
            let has_head = (is_points || is_edges) && !matches!(self.layout.text(at + 1), "-" | "->" | ";");
            let start = at
                + usize::from(has_head)
                + usize::from(has_head && matches!(self.layout.text(at + 1), ":" | "="));
            has_heads |= has_head;
            let mut from = start;
            while from < end {
                let next = (from..end).find(|&at| self.layout.text(at) == ",").unwrap_or(end);
                let part: Vec<&str> = (from..next)
                    .map(|at| self.layout.text(at))
                    .filter(|word| !matches!(*word, "(" | ")" | "{" | "}" | "[" | "]"))
                    .collect();
                if part.is_empty() {
                    return None;
                }
                if is_points && has_head {
                    points.push(part.join(" "))
                } else if self.layout.text(from) == "(" && is_edges {
                    let close = self.layout.partner(from).filter(|&close| close < end)?;
                    edges.push(self.parts_between(from + 1, close).join(" - "));
                    from = close + 1 + usize::from(self.layout.text(close + 1) == ",");
                    continue;
                } else if has_head && !part.iter().any(|word| matches!(*word, "-" | "->")) {
                    // Two points without a sign are no edge.
                    return None;
                } else {
                    edges.push(part.join(" "))
                }
                from = next + 1;
            }
            at = end + 1;
        }
        let is_joined = |point: &String| edges.iter().any(|edge| edge.split(' ').any(|word| word == point));
        let alone = points.iter().filter(|point| !is_joined(point)).cloned();
        let lines: Vec<String> = edges.iter().cloned().chain(alone).map(|line| format!("{line};")).collect();
        let new = format!("{{ {} }}", lines.join(" "));
        let range = (self.range(open).0, self.range(close).1);
        let title = "the points of a graph are those of its lines";
        (has_heads && !edges.is_empty()).then(|| {
            Fix::new(range, &new, Code::E0013, title)
                .at(self.range(open + 1))
                .help(format!("write `graph {new}`"))
        })
    }

    /// Explains `win when f;` among the items, and rewrites `draw when f;` to `end { when f => draw; }`.
    fn outcome_among_the_items(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_first = self.bounds.at <= first + 1 && matches!(self.layout.text(first + 1), "when" | "if");
        let end = self.outside_brackets(first + 2, &[";"]).filter(|&end| is_first && end > first + 2)?;
        let condition = self.text(first + 2, end);
        let outline = self.outline();
        let outcome = match self.layout.text(first) {
            "draw" | "tie" => "draw",
            "win" | "wins" => "win",
            "lose" | "loses" => "lose",
            _ => return None,
        };
        let range = (self.range(first).0, self.range(end).1);
        let title = format!("`{}` here? an end rule belongs in `end {{ ... }}`", self.layout.text(first));
        if outcome == "draw" || outline.players().len() == 1 {
            let new = format!("end {{ when {condition} => {outcome}; }}");
            let fix = Fix::new(range, &new, Code::E0006, title)
                .at(self.range(first))
                .help(format!("write `{new}`"));
            let is_only = !outline.has_word("end") && !outline.has_word("play");
            return Some(Fix { is_correction: is_only, ..fix });
        }
        let help = format!(
            "write `end {{ when {condition} => other(mover) {outcome}s; }}` if the player who has just moved {outcome}s, `mover \
             {outcome}s` if the player to move next does"
        );
        Some(Fix { code: Code::E0006, ..explained(range, "", &title, help).at(self.range(first)) })
    }
}
