//! Heads of items in which one small word is missing or another one stands: `move flee(to: Spot) Dog as "..."`,
//! `def f(x: Cell) when c;`, `test "t" (n = 2) { ... }`, `set Player`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use bouton_base::source::{FileId, Span};

/// The finding about the `@` of `move light @ (f: Field)`, if a byte is one; without brackets the finding about these is
/// enough.
pub(super) fn at_sign_in_a_head(file: FileId, text: &str, at: usize) -> Option<Option<Diagnostic>> {
    let rest = text[at..].strip_prefix('@')?;
    let before = text[..at].trim_end_matches([' ', '\t']);
    let name = before.rsplit(|c: char| c != '_' && !c.is_ascii_alphanumeric()).next()?;
    let head = before[..before.len() - name.len()].trim_end();
    let is_head = head.ends_with("move") || head.ends_with("chance");
    let next = rest.trim_start_matches([' ', '\t']);
    if !is_head || !keywords::starts_with_letter(name) {
        return None;
    }
    if keywords::starts_with_letter(next) {
        return Some(None);
    }
    next.starts_with('(').then(|| {
        let title = "the parameters of a move follow its name, without `@`";
        let found = Diagnostic::new(Code::E0013, title, Span::new(file, at, at + 1), "");
        let place = Span::new(file, before.len(), text.len() - next.len());
        Some(found.help(format!("write `{name}(...)`")).edit(place, ""))
    })
}

impl FixFinder<'_> {
    /// Fixes of heads of items.
    pub fn head_slips(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.actor_without_by(),
            self.elements_without_of(),
            self.definition_by_a_condition(),
            self.semicolon_after_the_head(),
            self.settings_of_a_test(),
            self.phase_in_the_head(),
            self.key_in_the_type_of_a_constant(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The word `move` or `chance` of the item.
    fn word_of_the_move(&self) -> Option<usize> {
        let first = self.bounds.first;
        (first..first + 4).find(|&at| matches!(self.layout.text(at), "move" | "chance"))
    }

    /// Rewrites `move flee(to: Spot) Dog as "{to}"` to `move flee(to: Spot) by Dog as "{to}"`.
    fn actor_without_by(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let head = self.word_of_the_move().filter(|&head| self.layout.text(head) == "move")?;
        let is_head = self.bounds.place == ClauseContext::Top && at > head + 1;
        let follows = matches!(self.layout.text(at + 1), "as" | "in" | "prefer" | "{");
        let is_player = self.outline().players().contains(&self.word);
        (is_head && follows && is_player && !matches!(self.last, "," | "in" | "by")).then(|| {
            let (start, _) = self.here();
            let title = "who may make a move stands after `by`";
            let fix = Fix::new((start, start), "by ", Code::E0013, title).at(self.here());
            fix.help(format!("write `by {}`", self.word))
        })
    }

    /// Rewrites `set Player` to `set of Player`.
    fn elements_without_of(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_type = matches!(self.last, "set" | "list")
            && matches!(self.layout.text(at.checked_sub(2)?), ":" | "of" | "=")
            && self.stop.expected.iter().any(|sign| sign == "of")
            && (self.is_name(at) || self.is_number(at));
        is_type.then(|| {
            let (start, _) = self.here();
            let title = format!("`of` stands between `{}` and the type of its elements", self.last);
            let fix = Fix::new((start, start), "of ", Code::E0013, title).at(self.here());
            let fix = fix.help(format!("write `{} of {}`", self.last, self.word));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `def f(x: Cell) when c;` to `def f(x: Cell) = c;`.
    fn definition_by_a_condition(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let first = self.bounds.first;
        let head = (first..at).find(|&at| !self.layout.text(at).starts_with("///"))?;
        let is_def = matches!(self.layout.text(head), "def" | "inductive");
        let formals = self.layout.partner(head + 2).filter(|_| self.layout.text(head + 2) == "(");
        let is_next = at == formals.map_or(head + 2, |close| close + 1);
        let is_word = matches!(self.word, "when" | "iff" | "where" | "if" | "whenever" | "means");
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_def && is_next && is_word)?;
        let is_choice = self.word == "if" && self.outside_brackets(at, &["then"]).is_some();
        (end > at + 1).then(|| {
            let new = if is_choice { "= if" } else { "=" };
            let title = "what a definition stands for follows `=`";
            let fix = Fix::new(self.here(), new, Code::E0013, title);
            let name = self.text(head, at).to_owned();
            Fix { accepts_partial: true, ..fix.help(format!("write `{name} {new} ...;`")) }
        })
    }

    /// Rewrites `move f() as "f"; { ... }` to `move f() as "f" { ... }`.
    fn semicolon_after_the_head(&self) -> Option<Fix> {
        let at = self.bounds.at;
        self.word_of_the_move()?;
        let is_head = self.bounds.place == ClauseContext::Top && self.word == ";";
        (is_head && self.layout.text(at + 1) == "{").then(|| {
            let range = (self.gap().0, self.here().1);
            let title = "what a move does follows its head, without a `;` between them";
            let fix = Fix::new(range, "", Code::E0013, title).at(self.here()).help("take the `;` away");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `test "t" (n = 2) { ... }`, `test "t" set n = 2 { ... }` and `test "t" n = 2 { ... }` to
    /// `test "t" with n = 2 { ... }`.
    fn settings_of_a_test(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        if self.layout.text(first) != "test" || at != first + 2 {
            return None;
        }
        let (from, to, end) = match self.word {
            "(" | "[" => {
                let close = self.layout.partner(at)?;
                (at + 1, close, close + 1)
            }
            word => {
                let from = at + usize::from(matches!(word, "set" | "let" | "param" | "params" | "setting"));
                let end = self.outside_brackets(from, &["{", ";"])?;
                (from, end, end)
            }
        };
        let mut settings = Vec::new();
        let mut start = from;
        while start < to {
            let next = self.outside_brackets(start, &[","]).filter(|&next| next < to).unwrap_or(to);
            let is_setting = self.is_name(start) && matches!(self.layout.text(start + 1), "=" | ":" | ":=");
            if !is_setting || next <= start + 2 {
                return None;
            }
            settings.push(format!("{} = {}", self.layout.text(start), self.text(start + 2, next)));
            start = next + 1;
        }
        (self.layout.text(end) == "{" && !settings.is_empty()).then(|| {
            let new = format!("with {}", settings.join(", "));
            let range = (self.here().0, self.range(end - 1).1);
            let title = "the parameters of a test follow `with`";
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `move double() in offer continue answer { ... }` to `move double() in offer { continue answer; ... }`,
    /// and explains `then answer` there.
    fn phase_in_the_head(&self) -> Option<Fix> {
        let at = self.bounds.at;
        self.word_of_the_move()?;
        let is_word = matches!(self.word, "continue" | "then" | "goto" | "->" | "next");
        let phase = self.layout.text(at + 1);
        let is_head = self.bounds.place == ClauseContext::Top && is_word && self.outline().has_phase(phase);
        let open = self.outside_brackets(at + 2, &["{", ";"]).filter(|_| is_head)?;
        (self.layout.text(open) == "{").then(|| {
            let between = self.layout.source.get(self.range(at + 1).1..self.range(open).1).unwrap_or("{");
            let new = format!("{} continue {phase};", between.trim_start());
            let title = "the phase after a move is told in its block";
            let fix = Fix::new((self.here().0, self.range(open).1), &new, Code::E0013, title);
            let fix = fix.at((self.here().0, self.range(at + 1).1));
            let fix = fix.help(format!("write `{{ ... continue {phase}; }}`"));
            Fix { is_correction: self.word == "continue", accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `const worth: Card -> 0..9 = match c { ... };` to `const worth[c: Card]: 0..9 = match c { ... };`.
    fn key_in_the_type_of_a_constant(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_const = self.layout.text(first) == "const"
            && self.layout.text(first + 2) == ":"
            && at > first + 3
            && matches!(self.word, "->" | "=>");
        let equals = self.outside_brackets(at, &["=", ";"]).filter(|_| is_const)?;
        let is_match = self.layout.text(equals + 1) == "match" && self.layout.text(equals + 3) == "{";
        let key = is_match.then(|| self.layout.text(equals + 2));
        let key = key.filter(|key| !self.outline().declares(key) && self.is_name(equals + 2));
        let (name, ty) = (self.layout.text(first + 1), self.text(first + 3, at));
        let new = format!("[{}: {ty}]:", key.unwrap_or("k"));
        let range = (self.range(first + 1).1, self.here().1);
        let title = "the key of a table stands in brackets behind its name";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        let value = self.text(at + 1, equals);
        let fix = fix.help(format!("write `const {name}{new} {value} = ...;`"));
        Some(Fix { is_correction: key.is_some(), accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    /// Each text has one mistake, whose fix gives the other one.
    fn check(items: &str, pairs: &[(&str, &str)]) {
        for (old, new) in pairs {
            let (old, new) = (format!("{items}{old}\n"), format!("{items}{new}\n"));
            assert_eq!(mended(&old), new);
            assert_eq!(titles(&old).len(), 1, "{old} {:?}", titles(&old));
            assert_eq!(titles(&new), [""; 0], "{new}");
        }
    }

    #[test]
    fn heads_have_small_words() {
        check(
            "players Dog, Cat;\n",
            &[
                (
                    "move flee(to: Spot) Dog as \"{to}\" { n := 1; }",
                    "move flee(to: Spot) by Dog as \"{to}\" { n := 1; }",
                ),
                ("move flee() Dog { n := 1; }", "move flee() by Dog { n := 1; }"),
                ("state { seen: set Player = {}; }", "state { seen: set of Player = {}; }"),
                ("param l: list 1..3 = [1];", "param l: list of 1..3 = [1];"),
                ("move copy() as \"copy\"; { n := 1; }", "move copy() as \"copy\" { n := 1; }"),
                ("chance die(d: 1..6); { n := d; }", "chance die(d: 1..6) { n := d; }"),
            ],
        );
    }

    #[test]
    fn parameters_have_no_at_sign() {
        let new = "move light(f: Field) as \"{f}\" { n := 1; }";
        check("", &[("move light @ (f: Field) as \"{f}\" { n := 1; }", new)]);
        check("", &[("move light @ f: Field as \"{f}\" { n := 1; }", new)]);
        assert_eq!(titles("move light @ f as \"{f}\" { n := 1; }\n").len(), 1);
    }

    #[test]
    fn definitions_have_a_sign() {
        check(
            "",
            &[
                ("def dark(f: Field) when on[f] = none;", "def dark(f: Field) = on[f] = none;"),
                ("def over iff n = 0;", "def over = n = 0;"),
                (
                    "def best(p: Player) if n = 0 then 1 else 2;",
                    "def best(p: Player) = if n = 0 then 1 else 2;",
                ),
            ],
        );
    }

    #[test]
    fn settings_follow_with() {
        let new = "test \"t\" with n = 2 { play a(1); }";
        for old in ["(n = 2)", "[n = 2]", "set n = 2", "n = 2", "(n: 2)"] {
            check("", &[(&format!("test \"t\" {old} {{ play a(1); }}"), new)]);
        }
        let two = "test \"t\" (n = 2, k = 1 + 2) { play a(1); }";
        check("", &[(two, "test \"t\" with n = 2, k = 1 + 2 { play a(1); }")]);
    }

    #[test]
    fn phases_are_told_in_the_block() {
        let phases = "phases { offer; answer; }\n";
        check(
            phases,
            &[(
                "move double() in offer continue answer as \"d\" { stake := 2; }",
                "move double() in offer as \"d\" { continue answer; stake := 2; }",
            )],
        );
        let text = format!("{phases}move double() in offer then answer as \"d\" {{ stake := 2; }}\n");
        assert_eq!(helps(&text), ["write `{ ... continue answer; }`"]);
        assert_eq!(mended(&text), text);
    }

    #[test]
    fn keys_stand_in_brackets() {
        check(
            "",
            &[(
                "const worth: Card -> 0..9 = match c { low => 1, high => 2 };",
                "const worth[c: Card]: 0..9 = match c { low => 1, high => 2 };",
            )],
        );
    }
}
