//! Players, fields and rules in the words of other systems: `roles Fox, Geese;`, `all lit`, `at[c].clear();`,
//! `c in wall := true;`, `draw by repetition;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of such words.
    pub fn familiar_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.players_by_another_word(),
            self.condition_over_a_field(),
            self.cleared_cell(),
            self.membership_as_an_effect(),
            self.draw_by_repetition(),
            self.condition_in_a_block(),
            self.effects_behind_brackets(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `roles Fox, Geese;` and `roles fox geese` to `players ...;`.
    fn players_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word =
            matches!(self.word, "roles" | "role" | "agents" | "sides" | "participants" | "contestants");
        if !is_word || self.bounds.at != first || !self.outline().players().is_empty() {
            return None;
        }
        let mut names = Vec::new();
        let mut at = first + 1 + usize::from(matches!(self.layout.text(first + 1), ":" | "="));
        while self.is_name(at) && (names.is_empty() || !self.layout.begins_line(at)) {
            names.push(self.layout.text(at));
            at += 1 + usize::from(self.layout.text(at + 1) == ",");
        }
        let end = if self.layout.text(at) == ";" { at } else { at - 1 };
        let new = format!("players {};", names.join(", "));
        (!names.is_empty()).then(|| {
            let range = (self.range(first).0, self.range(end).1);
            let title = "who plays is told by `players`";
            Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `all lit`, `no not lit` and `all pit[p] = 0` to `all c in Cell: lit[c]` and the like.
    fn condition_over_a_field(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = |at: &usize| matches!(self.layout.text(*at), "all" | "some" | "no" | "every" | "none");
        let word = (at.saturating_sub(2)..at).rev().find(is_word)?;
        let negated = usize::from(self.layout.text(word + 1) == "not");
        let name = word + 1 + negated;
        let field = self.outline().field(self.layout.text(name)).filter(|_| self.is_name(name))?;
        let keys = field.keys;
        let (given, after) = match self.layout.partner(name + 1).filter(|_| self.layout.text(name + 1) == "[")
        {
            Some(close) => (self.parts_between(name + 2, close), close + 1),
            None => (Vec::new(), name + 1),
        };
        let missing = keys.get(given.len()..).filter(|missing| !missing.is_empty())?;
        let ends = [";", "=>", "and", "or", ")", "}", ",", "then", "{"];
        let end = self
            .outside_brackets(after, &ends)
            .or_else(|| (after..self.layout.words.len()).find(|&at| ends.contains(&self.layout.text(at))))?;
        let binders: Vec<String> = missing
            .iter()
            .map(|(key, ty)| format!("{key} in {}", ty.join(" ").replace(" .. ", "..")))
            .collect();
        let of: Vec<&str> =
            given.iter().map(|part| part.as_ref()).chain(missing.iter().map(|(key, _)| *key)).collect();
        let quantifier = match self.layout.text(word) {
            "every" => "all",
            "none" => "no",
            word => word,
        };
        let not = if negated == 1 { "not " } else { "" };
        let rest = self.text(after, end);
        // `all lit = x` is read as a comparison with an element.
        if negated == 0 && given.is_empty() && !rest.is_empty() {
            return None;
        }
        let rest = if rest.is_empty() { String::new() } else { format!(" {rest}") };
        let new = format!(
            "{quantifier} {}: {not}{}[{}]{rest}",
            binders.join(", "),
            self.layout.text(name),
            of.join(", ")
        );
        let range = (self.range(word).0, self.range(end - 1).1);
        let title = format!("`{quantifier}` goes through a set, one element after the other");
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `at[c].clear();` to `at[c] := none;`.
    fn cleared_cell(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";"]).filter(|&end| self.in_move() && end > clause + 5)?;
        let call = end - 4;
        let is_call = self.layout.text(call) == "."
            && matches!(
                self.layout.text(call + 1),
                "clear" | "remove" | "empty" | "reset" | "delete" | "erase"
            )
            && self.layout.text(call + 2) == "("
            && self.layout.text(call + 3) == ")";
        let field = self.outline().field(self.layout.text(clause)).filter(|_| is_call)?;
        let value = match (field.is_optional(), field.ty.first()) {
            (true, _) => "none",
            (false, Some(&"set")) => "{}",
            _ => return None,
        };
        let new = format!("{} := {value};", self.text(clause, call));
        let range = (self.range(clause).0, self.range(end).1);
        let title = "fields have no methods: what is empty is a value of its own";
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(call).0, self.range(call + 3).1));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Rewrites `c in wall := true;` to `wall |= { c };`, and with `false` to `wall -= { c };`.
    fn membership_as_an_effect(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let sign = self.outside_brackets(clause, &[":=", "=", ";"]).filter(|_| self.in_move())?;
        let within = (clause + 1..sign).find(|&at| self.layout.text(at) == "in")?;
        let value = self.layout.text(sign + 1);
        let is_effect = matches!(value, "true" | "false")
            && self.layout.text(sign) != ";"
            && self.layout.text(sign + 2) == ";"
            && !matches!(self.layout.text(clause), "when" | "if" | "for" | "ensure" | "let");
        is_effect.then(|| {
            let operator = if value == "true" { "|=" } else { "-=" };
            let (element, set) = (self.text(clause, within), self.text(within + 1, sign));
            let new = format!("{set} {operator} {{ {element} }};");
            let range = (self.range(clause).0, self.range(sign + 2).1);
            let title = "an element is put into a set by `|=`, and taken out by `-=`";
            Fix::new(range, &new, Code::E0013, title).at(self.range(within)).help(format!("write `{new}`"))
        })
    }

    /// Explains `draw by repetition;` in `end`, and rewrites `draw by threefold repetition;` to `repeat 3 => draw;`.
    fn draw_by_repetition(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_draw = matches!(self.layout.text(clause), "draw" | "tie");
        let end = self.outside_brackets(clause, &[";"]).filter(|&end| is_draw && end <= clause + 5)?;
        let says = (clause + 1..end).any(|at| {
            matches!(self.layout.text(at), "repetition" | "repeat" | "repeats" | "threefold" | "repeated")
        });
        let is_end = self.layout.text(self.bounds.first) == "end" && says;
        is_end.then(|| {
            let range = (self.range(clause).0, self.range(end).1);
            let label = (range.0, self.range(end - 1).1);
            let title = "a rule about positions that come back begins with `repeat`";
            // Which of the two is meant only the writer knows.
            if !(clause + 1..end).any(|at| self.layout.text(at) == "threefold") {
                let help = "write `repeat => draw;` if play without end is a draw, `repeat 3 => draw;` if a position that \
                            comes a third time ends the game";
                let found = explained(range, "repeat => draw;", title, help.to_owned()).at(label);
                return Fix { code: Code::E0005, ..found };
            }
            let new = "repeat 3 => draw;";
            Fix::new(range, new, Code::E0005, title).at(label).help(format!("write `{new}`"))
        })
    }

    /// Explains `if me = Fox { d in { NE, NW } }` among effects, where a condition stands in the block.
    fn condition_in_a_block(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open =
            self.bracket_around(at, at).filter(|&open| self.in_move() && self.layout.text(open) == "{")?;
        let close = self.layout.partner(open)?;
        let clause = (self.bounds.first..open)
            .rev()
            .find(|&at| matches!(self.layout.text(at), "if" | ";" | "{" | "}"))?;
        let end = close - usize::from(self.layout.text(close - 1) == ";");
        let compares =
            (open + 1..end).any(|at| matches!(self.layout.text(at), "in" | "!=" | "<" | ">" | "<=" | ">="));
        let changes =
            (open + 1..end).any(|at| matches!(self.layout.text(at), ":=" | "+=" | "-=" | "<-" | "|=" | ";"));
        if self.layout.text(clause) != "if" || !compares || changes || self.layout.text(close + 1) == "else" {
            return None;
        }
        let (condition, asked) = (self.text(clause + 1, open), self.text(open + 1, end));
        let new = format!("when {condition} implies {asked};");
        let range = (self.range(clause).0, self.range(close).1);
        let title = "a block has effects: what must hold stands after `when`";
        let label = (self.range(open + 1).0, self.range(end - 1).1);
        Some(Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`")))
    }

    /// Rewrites `if (f) a += 1, b -= 1;` to `if f { a += 1; b -= 1; }`.
    fn effects_behind_brackets(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_if = self.bounds.place == ClauseContext::Move
            && self.layout.text(clause) == "if"
            && self.layout.text(clause + 1) == "(";
        let close = self.layout.partner(clause + 1).filter(|_| is_if)?;
        let end = self.outside_brackets(close + 1, &[";"]).filter(|_| self.is_name(close + 1))?;
        let effects = self.parts_between(close + 1, end);
        let is_effect =
            |effect: &str| [":=", "+=", "-=", "|=", "<-"].iter().any(|sign| effect.contains(sign));
        let effects: Vec<&str> = effects.iter().map(|effect| effect.as_ref()).collect();
        if effects.len() < 2 || !effects.iter().all(|effect| is_effect(effect)) {
            return None;
        }
        let block: String = effects.iter().map(|effect| format!(" {effect};")).collect();
        let new = format!("if {} {{{block} }}", self.text(clause + 2, close));
        let range = (self.range(clause).0, self.range(end).1);
        let title = "an `if` that changes the state has braces";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(close + 1));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Explains `def row(White) = 4; def row(Black) = 1;`, a definition by cases.
    pub(super) fn definition_by_cases(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let (name, value) = (self.layout.text(first + 1), self.layout.text(first + 3));
        let is_case = self.layout.text(first) == "def"
            && self.layout.text(first + 2) == "("
            && self.layout.text(first + 4) == ")"
            && self.layout.text(first + 5) == "=";
        let cases = self.outline().cases_of(name);
        let values: Vec<&str> = cases.iter().map(|(value, _)| value.as_str()).collect();
        let end = self.outside_brackets(first + 5, &[";"]).filter(|_| is_case && cases.len() > 1)?;
        let (key, ty) = self.key_over(&values).filter(|_| values.contains(&value))?;
        let arms: Vec<String> = cases.iter().map(|(value, term)| format!("{value} => {term}")).collect();
        let new = format!("def {name}({key}: {ty}) = match {key} {{ {} }};", arms.join(", "));
        let is_first = values.first() == Some(&value);
        let range = (self.range(first).0, self.range(end).1);
        let fix = Fix::new(range, if is_first { &new } else { "" }, Code::E0013, BY_CASES);
        Some(fix.at((self.range(first + 1).0, self.range(first + 4).1)).help(format!("write `{new}`")))
    }

    /// Explains `pit: array[Player, Pit] of 0..12 = 2;`.
    pub(super) fn field_of_an_array(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = clause + 2;
        let is_field = self.bounds.place == ClauseContext::State
            && self.is_name(clause)
            && self.layout.text(clause + 1) == ":"
            && matches!(self.layout.text(word), "array" | "Array" | "table" | "map" | "matrix" | "grid")
            && self.layout.text(word + 1) == "[";
        let close =
            self.layout.partner(word + 1).filter(|&close| is_field && self.layout.text(close + 1) == "of")?;
        let mut keys: Vec<String> = Vec::new();
        for ty in self.parts_between(word + 2, close) {
            let first =
                ty.chars().next().filter(char::is_ascii_alphabetic).map_or('i', |c| c.to_ascii_lowercase());
            let used = |letter: char| keys.iter().any(|key| key.starts_with(letter));
            let letter = (first..='z').find(|&letter| !used(letter))?;
            keys.push(format!("{letter}: {ty}"));
        }
        let new = format!("{}[{}]:", self.layout.text(clause), keys.join(", "));
        let range = (self.range(clause).0, self.range(close + 1).1);
        let title = "the keys of a field stand in brackets behind its name";
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(word).0, self.range(close + 1).1));
        Some(fix.help(format!("write `{new} ...`")))
    }
}

/// The title of the message about a definition by cases.
pub(super) const BY_CASES: &str = "a definition is one item, with its cases in a `match`";

#[cfg(test)]
mod tests {
    use super::super::testing::mended;

    fn check(old: &str, new: &str) {
        assert_eq!(mended(old), new);
    }

    const STATE: &str = "state { lit[c: Cell]: bool = true; pit[p: Player, i: 1..3]: 0..4 = 2; at[c: Cell]: Player? = none; }\n";

    #[test]
    fn players_have_one_word() {
        check("roles Fox, Geese;\n", "players Fox, Geese;\n");
        check("roles fox geese\nenum Kind { man }\n", "players fox, geese;\nenum Kind { man }\n");
    }

    #[test]
    fn quantifiers_name_their_elements() {
        let with = |condition: &str| format!("{STATE}end {{ when {condition} => draw; }}\n");
        check(&with("all lit"), &with("all c in Cell: lit[c]"));
        check(&with("all not lit"), &with("all c in Cell: not lit[c]"));
        check(&with("all pit[A] = 0"), &with("all i in 1..3: pit[A, i] = 0"));
    }

    #[test]
    fn effects_in_other_words() {
        let with = |effect: &str| format!("{STATE}move go(c: Cell) {{ {effect} }}\n");
        check(&with("at[c].clear();"), &with("at[c] := none;"));
        check(&with("c in wall := true;"), &with("wall |= { c };"));
        check(&with("if (me = A) x += 1, y -= 1;"), &with("if me = A { x += 1; y -= 1; }"));
        check(
            &with("if me = A { c in { a1, b1 } } x += 1;"),
            &with("when me = A implies c in { a1, b1 }; x += 1;"),
        );
    }

    #[test]
    fn rules_and_declarations_in_other_words() {
        let open = "end { when stuck => draw; draw by repetition; }\n";
        check(open, open);
        check(
            "end { when stuck => draw; draw by threefold repetition; }\n",
            "end { when stuck => draw; repeat 3 => draw; }\n",
        );
        check(
            "players A, B;\ndef row(A) = 4;\ndef row(B) = 1;\n",
            "players A, B;\ndef row(p: Player) = match p { A => 4, B => 1 };\n\n",
        );
        check(
            "state { pit: array[Player, Pit] of 0..4 = 2; }\n",
            "state { pit[p: Player, q: Pit]: 0..4 = 2; }\n",
        );
    }
}
