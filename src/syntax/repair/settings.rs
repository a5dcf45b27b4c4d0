//! Presets, passes, boards, displays and first values in other forms: `preset x(n = 2)`, `pass by A, B`,
//! `display { cell at X => "X"; }`, `board Cell = grid(3, 3) if f`, `takes = { 1, 3 };`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::outline::term_of_words;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::lex::TokenKind;

/// Words before the values of a preset.
const BEFORE_VALUES: [&str; 6] = ["with", ":", "where", "=", "sets", ":="];

impl FixFinder<'_> {
    /// Fixes of items that are nearly right.
    pub fn settings(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.preset_in_another_form(),
            self.pass_of_several_players(),
            self.arms_without_braces(),
            self.board_by_another_condition(),
            self.first_values_in_a_block(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `preset x = { n = 2 };`, `preset x(n = 2);` and `preset "T" with n = 2;` to `preset x { n = 2; }`.
    fn preset_in_another_form(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_string = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
        let is_nameless = is_string(first + 1);
        let mut at = first + 1 + usize::from(self.is_name(first + 1));
        at += usize::from(is_string(at));
        if self.layout.text(first) != "preset" || at == first + 1 || self.bounds.at > at + 1 {
            return None;
        }
        let has_sign = BEFORE_VALUES.contains(&self.layout.text(at));
        let begin = at + usize::from(has_sign);
        let (from, to, end) = match self.layout.partner(begin) {
            Some(close) => (begin + 1, close, close + 1),
            None => {
                let end = self.outside_brackets(begin, &[";"])?;
                (begin, end, end)
            }
        };
        let is_block = self.layout.text(begin) == "{";
        if is_block && !has_sign || self.layout.text(end) != ";" && !is_block {
            return None;
        }
        let mut settings = Vec::new();
        let mut start = from;
        while start < to {
            let next =
                self.outside_brackets(start, &[",", ";", "and"]).filter(|&next| next < to).unwrap_or(to);
            if !self.is_name(start)
                || !matches!(self.layout.text(start + 1), "=" | ":" | ":=")
                || start + 2 >= next
            {
                return None;
            }
            settings.push(format!("{} = {};", self.layout.text(start), self.text(start + 2, next)));
            start = next + 1;
        }
        if settings.is_empty() {
            return None;
        }
        let name = match is_nameless {
            true => format!("{} ", super::item_forms::name_from_title(self.layout.text(first + 1))?),
            false => String::new(),
        };
        let new = format!("{name}{} {{ {} }}", self.text(first + 1, at), settings.join(" "));
        let last = if self.layout.text(end) == ";" { end } else { end - 1 };
        let range = (self.range(first + 1).0, self.range(last).1);
        let title = match is_nameless {
            true => "a preset has a name before its title, and its values stand in braces",
            false => "the values of a preset stand in braces",
        };
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `preset {new}`")))
    }

    /// Rewrites `pass by A, B;` to `pass when mover in { A, B };`, and `pass by each;` to `pass always;`.
    fn pass_of_several_players(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_pass = self.layout.text(self.bounds.first) == "pass" && at == self.bounds.first + 1;
        let end =
            self.outside_brackets(at, &[";"]).filter(|_| is_pass && matches!(self.word, "by" | "for"))?;
        let words: Vec<&str> = (at + 1..end)
            .map(|at| self.layout.text(at))
            .filter(|word| !matches!(*word, "," | "and" | "or" | "player" | "players" | "{" | "}"))
            .collect();
        let outline = self.outline();
        let players = outline.players();
        let is_each =
            matches!(words[..], ["each" | "all" | "everyone" | "both" | "any" | "anyone" | "Player"]);
        let are_all = !words.is_empty() && players.iter().all(|player| words.contains(player));
        let new = match words[..] {
            _ if is_each || are_all => "always".to_owned(),
            [_, _, ..] if words.iter().all(|word| players.contains(word)) => {
                format!("when mover in {{ {} }}", words.join(", "))
            }
            _ => return None,
        };
        let range = (self.here().0, self.range(end - 1).1);
        let title = match is_each || are_all {
            true => "a pass that everyone may make at any time is `pass always`",
            false => "a pass has a condition, which may ask for the mover",
        };
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `pass {new};`")))
    }

    /// Rewrites `display { cell at X => "X"; cell at O => "O"; }` to `display { cell at { X => "X", O => "O" }; }`.
    fn arms_without_braces(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let close = self.layout.partner(first + 1).filter(|_| self.layout.text(first) == "display")?;
        if matches!(self.word, ":" | "=") && self.layout.text(self.bounds.at + 1) == "{" {
            let range = (self.gap().0, self.here().1);
            let title = format!("the values of a field follow without `{}`", self.word);
            return Some(Fix::new(range, "", Code::E0013, title).at(self.here()).help("leave it out"));
        }
        let start = if self.bounds.clause <= first + 1 { first + 2 } else { self.bounds.clause };
        let head = self.text(start, start + 2);
        if !self.is_name(start) || !self.is_name(start + 1) || self.layout.text(start + 2) == "=>" {
            return None;
        }
        let (mut arms, mut at, mut last) = (Vec::new(), start, start);
        while at < close && self.text(at, at + 2) == head {
            let end = self.outside_brackets(at, &[";"]).filter(|&end| end < close).unwrap_or(close);
            let from = at + 2 + usize::from(matches!(self.layout.text(at + 2), ":" | "="));
            let arrow = self.outside_brackets(from, &["=>", "{", ";"]).filter(|&arrow| arrow < end);
            if !arrow.is_some_and(|arrow| arrow > from && self.layout.text(arrow) == "=>") {
                break;
            }
            arms.push(self.text(from, end));
            last = if end < close { end } else { end - 1 };
            at = end + 1;
        }
        if arms.is_empty() || self.bounds.at > last {
            return None;
        }
        let new = format!("{head} {{ {} }};", arms.join(", "));
        let range = (self.range(start).0, self.range(last).1);
        let title = "the characters of the values of a field stand in braces";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `board Cell = grid(4, 4) if f;` to `board Cell = grid(4, 4) where f;`.
    fn board_by_another_condition(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word =
            matches!(self.word, "if" | "when" | "with" | "having" | "such" | "only" | "whose" | "for");
        let is_board = self.layout.text(self.bounds.first) == "board" && self.last == ")" && is_word;
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_board)?;
        let extra = usize::from(matches!(self.layout.text(at + 1), "that" | "if" | "when" | "where"));
        let condition = self.text(at + 1 + extra, end);
        let is_term = trial_parse(Rule::one_expr, condition).is_ok_and(|length| length == condition.len());
        (is_term && !condition.is_empty()).then(|| {
            let range = (self.here().0, self.range(at + extra).1);
            let title = "the cells of a board are chosen by `where` and a condition on `col` and `row`";
            Fix::new(range, "where", Code::E0013, title).help(format!("write `where {condition}`"))
        })
    }

    /// Explains `init { pile = n; }` for a field `pile` of the state.
    fn first_values_in_a_block(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word =
            matches!(self.layout.text(first), "setup" | "init" | "initial" | "start" | "begin" | "initially");
        let open = (first + 1..first + 3).find(|&at| self.layout.text(at) == "{")?;
        let close = self.layout.partner(open).filter(|_| is_word && self.bounds.at == first)?;
        let outline = self.outline();
        let mut fields = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[";", ","]).filter(|&end| end < close).unwrap_or(close);
            let name = self.layout.text(at);
            let field = outline.field(name)?;
            if !field.keys.is_empty() {
                let (text, next) = self.first_values_by_keys(at, close)?;
                fields.push(text);
                at = next;
                continue;
            }
            if !matches!(self.layout.text(at + 1), "=" | ":=" | ":" | "is") || at + 2 >= end {
                return None;
            }
            fields.push(format!("{name}: {} = {};", term_of_words(&field.ty), self.text(at + 2, end)));
            at = end + 1;
        }
        let title = "the first position is made of the initial values of the fields";
        let range = (self.range(first).0, self.range(close).1);
        let help = format!("write `{}` in the state", fields.join(" "));
        (!fields.is_empty()).then(|| explained(range, "", title, help).at(self.range(first)))
    }

    /// The field that `at[A] = a1; at[B] = c3;` from this word on gives a value for each key, and the word behind them.
    fn first_values_by_keys(&self, start: usize, close: usize) -> Option<(String, usize)> {
        let name = self.layout.text(start);
        let outline = self.outline();
        let field = outline.field(name).filter(|field| field.keys.len() == 1)?;
        let (mut keys, mut values, mut at) = (Vec::new(), Vec::new(), start);
        while at < close && self.layout.text(at) == name {
            let bracket = self.layout.partner(at + 1).filter(|&bracket| bracket == at + 3)?;
            let end = self.outside_brackets(at, &[";", ","]).filter(|&end| end < close).unwrap_or(close);
            if !matches!(self.layout.text(bracket + 1), "=" | ":=" | ":" | "is") || bracket + 2 >= end {
                return None;
            }
            keys.push(self.layout.text(at + 2));
            values.push(self.text(bracket + 2, end));
            at = end + 1;
        }
        let (key, of) = &field.keys[0];
        let of = term_of_words(of);
        self.key_over(&keys).filter(|(_, ty)| *ty == of)?;
        let value = match values.iter().all(|value| *value == values[0]) {
            true => values[0].to_owned(),
            false => {
                let arms: Vec<String> =
                    keys.iter().zip(&values).map(|(key, value)| format!("{key} => {value}")).collect();
                format!("match {key} {{ {} }}", arms.join(", "))
            }
        };
        Some((format!("{name}[{key}: {of}]: {} = {value};", term_of_words(&field.ty)), at))
    }

    /// Explains `setup { at[a1] := W; }` among the items.
    pub(super) fn setup_of_the_board(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_setup =
            matches!(self.layout.text(first), "setup" | "init" | "initial" | "start" | "begin" | "initially");
        let open = (first + 1..first + 3).find(|&at| self.layout.text(at) == "{")?;
        let close = self.layout.partner(open).filter(|_| is_setup && self.bounds.at == first)?;
        let title = "the first position is made of the initial values of the fields";
        let help = "write them in the state, `at[c: Cell]: Player? = if c.row = 1 then X else none;`, or as a picture, \
                    `= diagram \"\"\"...\"\"\" { \"X\" => X, \".\" => none };`";
        let range = (self.range(first).0, self.range(close).1);
        Some(explained(range, "", title, help).at(self.range(first)))
    }

    /// Rewrites `takes = { 1, 3 };` among the items to `const takes = { 1, 3 };`.
    pub(super) fn constant_without_its_word(&self, fixes: &mut Vec<Fix>) {
        let first = self.bounds.first;
        let is_top = self.bounds.place == ClauseContext::Top && self.bounds.at <= first + 1;
        let is_named = is_top && self.is_name(first) && matches!(self.layout.text(first + 1), "=" | ":=");
        let Some(end) = self.outside_brackets(first, &[";"]).filter(|&end| is_named && end > first + 2)
        else {
            return;
        };
        let (name, value) = (self.layout.text(first), self.text(first + 2, end));
        let is_term = trial_parse(Rule::one_expr, value).is_ok_and(|length| length == value.len());
        let outline = self.outline();
        let is_known = outline.field(name).is_some() || outline.declares(name);
        if !is_term || is_known || super::nearest(name, crate::keywords::ITEM_KEYWORDS).is_some() {
            return;
        }
        // What effects change is a field, and `:=` may be meant for its first value.
        let is_set = self.layout.text(first + 1) == ":=";
        let changes = |sign: &str| outline.strings_after(&[name, sign]).len();
        let is_changed = ["+=", "-=", "|="].into_iter().any(|sign| changes(sign) > 0)
            || changes(":=") > usize::from(is_set);
        if is_changed || is_set {
            let value_of_field = if value.parse::<u64>().is_ok() { value } else { "..." };
            let field = format!("`state {{ {name}: 0..9 = {value_of_field}; }}`");
            let (title, help) = match is_changed {
                true => {
                    ("what changes in play is a field of the state", format!("write {field}, with its range"))
                }
                false => (
                    "a value among the items is a constant or a field",
                    format!(
                        "write `const {name} = {value};` if it stays, {field} with its range if it \
                         changes in play"
                    ),
                ),
            };
            let range = (self.range(first).0, self.range(end).1);
            fixes.push(explained(range, "", title, help).at(self.range(first)));
            return;
        }
        let range = (self.range(first).0, self.range(first + 1).1);
        // A field has no value before play.
        let reads_the_state = (first + 2..end).any(|at| outline.field(self.layout.text(at)).is_some());
        if reads_the_state {
            let title = "a value that depends on the position is a definition";
            let fix = Fix::new(range, &format!("def {name} ="), Code::E0013, title).at(self.range(first));
            fixes.push(fix.help(format!("write `def {name} = {value};`")));
            return;
        }
        let title = "a value known before play is a `const`";
        let fix = Fix::new(range, &format!("const {name} ="), Code::E0013, title).at(self.range(first));
        fixes.push(fix.help(format!("write `const {name} = {value};`")));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    #[test]
    fn presets_have_a_name_and_braces() {
        for form in
            ["x = { n = 2 };", "x = { n = 2; }", "x(n = 2);", "x with n = 2;", "x: { n: 2 }", "x n = 2;"]
        {
            assert_eq!(mended(&format!("preset {form}")), "preset x { n = 2; }", "{form}");
        }
        assert_eq!(mended("preset \"Big\" with n = 2, k = 3;"), "preset big \"Big\" { n = 2; k = 3; }");
    }

    #[test]
    fn passes_have_a_condition() {
        let players = "players A, B, C;\n";
        let pass = |text: &str| mended(&format!("{players}{text}")).replace(players, "");
        assert_eq!(pass("pass by A, B;"), "pass when mover in { A, B };");
        assert_eq!(pass("pass by A and B and C;"), "pass always;");
        assert_eq!(pass("pass by each;"), "pass always;");
    }

    #[test]
    fn characters_stand_in_braces() {
        let text = "display { cell at X => \"X\"; cell at O => \"O\"; }";
        assert_eq!(mended(text), "display { cell at { X => \"X\", O => \"O\" }; }");
        let text = "display { cell at X => \"X\", O => \"O\"; }";
        assert_eq!(mended(text), "display { cell at { X => \"X\", O => \"O\" }; }");
    }

    #[test]
    fn first_values_of_keys_stand_in_the_state() {
        let text = "game \"G\";\nplayers A, B;\nstate { at[p: Player]: Glade; }\ninit { at[A] = oak; at[B] = ash; }\nplay normal;";
        assert_eq!(
            helps(text),
            ["write `at[p: Player]: Glade = match p { A => oak, B => ash };` in the state"]
        );
    }

    #[test]
    fn items_have_their_words() {
        assert_eq!(mended("takes = { 1, 3 };\ngame \"G\";"), "const takes = { 1, 3 };\ngame \"G\";");
        let board = "board Cell = grid(4, 4) if (col + row) mod 2 = 0;";
        assert_eq!(mended(board), board.replace("if", "where"));
        let text = "game \"G\";\nstate { pile: 0..9; }\ninit { pile = 4; }\nplay normal;";
        assert_eq!(helps(text), ["write `pile: 0..9 = 4;` in the state"]);
    }
}
