//! Effects that are divided in other ways: `otherwise { ... }`, `if f then ... end` over several lines,
//! `(if f then a else b) += k;`, `a, b := b, a;`, `continue act by p;`.

use super::edits::{Fix, FixFinder};
use crate::diag::Code;
use crate::lex::TokenKind;

/// Words for `else`.
const OTHERWISE: [&str; 4] = ["otherwise", "elsewise", "otherwise_if", "default"];

impl FixFinder<'_> {
    /// Fixes of effects that are divided in other ways.
    pub fn divided_effects(&self, fixes: &mut Vec<Fix>) {
        if !self.in_move() {
            return;
        }
        let all = [
            self.other_branch(),
            self.branches_with_end(),
            self.chosen_target(),
            self.effects_side_by_side(),
            self.phase_with_its_player(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `if f { ... } otherwise { ... }` to `if f { ... } else { ... }`.
    fn other_branch(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = OTHERWISE.contains(&self.layout.text(clause)) && self.bounds.at <= clause + 1;
        let last = clause.checked_sub(1).filter(|_| is_word)?;
        let open = self.layout.partner(last).filter(|_| self.layout.text(last) == "}")?;
        let start = self.layout.clause_start(self.bounds.first, open);
        let is_branch = self.layout.text(start) == "if" && matches!(self.layout.text(clause + 1), "{" | "if");
        is_branch.then(|| {
            let title = format!("`{}` is written `else`", self.layout.text(clause));
            let fix = Fix::new(self.range(clause), "else", Code::E0013, title);
            let help = format!("write `else {}`", self.layout.text(clause + 1)).replace('{', "{ ... }");
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `if f then n := 1; else n := 2; end` to `if f { n := 1; } else { n := 2; }`.
    fn branches_with_end(&self) -> Option<Fix> {
        let (clause, then) = (self.bounds.clause, self.bounds.at);
        if self.word != "then" || self.layout.text(clause) != "if" || self.layout.text(then + 1) == "{" {
            return None;
        }
        let source = self.layout.source;
        let (mut new, mut kept) = ("{".to_owned(), self.range(then).1);
        let (mut depth, mut choices, mut at) = (1_usize, 0_usize, then + 1);
        while depth > 0 {
            let word = self.layout.text(at);
            let before = self.layout.text(at - 1);
            let begins = matches!(before, ";" | "}" | "then" | "else" | "end" | "endif" | "fi");
            let sign = match word {
                "" => return None,
                "if" if begins && choices == 0 && before != "else" => {
                    depth += 1;
                    None
                }
                "if" if before == "else" => return None,
                "if" => {
                    choices += 1;
                    None
                }
                "then" if choices == 0 => Some("{"),
                "else" if choices > 0 => {
                    choices -= 1;
                    None
                }
                "else" => Some("} else {"),
                "elseif" | "elsif" | "elif" => Some("} else if"),
                "end" | "endif" | "fi" => {
                    depth -= 1;
                    Some("}")
                }
                _ => None,
            };
            if let Some(sign) = sign {
                new += source.get(kept..self.range(at - 1).1)?;
                if sign.starts_with('}') && !matches!(before, ";" | "}" | "then" | "end") {
                    new.push(';');
                }
                new += source.get(self.range(at - 1).1..self.range(at).0)?;
                new += sign;
                kept = self.range(at).1;
            }
            at = match self.layout.words[at].kind {
                TokenKind::Close => return None,
                TokenKind::Open => self.layout.partner(at)? + 1,
                _ => at + 1,
            };
        }
        // In `end if;` the second word goes as well.
        let is_end_of_if =
            self.layout.text(at) == "if" && self.layout.text(at - 1) == "end" && !self.layout.begins_line(at);
        let (at, kept) = if is_end_of_if { (at + 1, self.range(at).1) } else { (at, kept) };
        // In `end;` the sign goes as well.
        let end = if self.layout.text(at) == ";" { self.range(at).1 } else { kept };
        let title = "an `if` that changes the state has braces";
        let fix = Fix::new((self.here().0, end), &new, Code::E0013, title).at(self.here());
        let head = self.text(clause, then);
        Some(fix.help(format!("write `{head} {{ ... }} else {{ ... }}`, without `then` and `end`")))
    }

    /// Rewrites `(if f then a else b) += k;` to `if f { a += k; } else { b += k; }`.
    fn chosen_target(&self) -> Option<Fix> {
        let open = self.bounds.clause;
        let is_choice = self.layout.text(open) == "(" && self.layout.text(open + 1) == "if";
        let close = self.layout.partner(open).filter(|_| is_choice)?;
        let within = |from: usize, word: &str| {
            self.outside_brackets(from, &[word]).filter(|&at| at < close && at > from)
        };
        let then = within(open + 2, "then")?;
        let other = within(then + 1, "else")?;
        let sign = match self.layout.text(close + 1) {
            "=" | ":=" => ":=",
            sign @ ("+=" | "-=" | "|=") => sign,
            _ => return None,
        };
        let end = self.outside_brackets(close + 2, &[";"]).filter(|&end| end > close + 2)?;
        if (then..close).any(|at| self.layout.text(at) == "if") {
            return None;
        }
        let effect =
            |from: usize, to: usize| format!("{} {sign} {};", self.text(from, to), self.text(close + 2, end));
        let (one, two) = (effect(then + 1, other), effect(other + 1, close));
        let new = format!("if {} {{ {one} }} else {{ {two} }}", self.text(open + 2, then));
        let title = "an effect changes one field: a choice of the field stands around the effect";
        let fix = Fix::new((self.range(open).0, self.range(end).1), &new, Code::E0013, title);
        Some(fix.at((self.range(open).0, self.range(close).1)).help(format!("write `{new}`")))
    }

    /// Rewrites `a, b := b, a;` and `(a, b) := (b, a);` to `a := b; b := a;`.
    fn effects_side_by_side(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";"])?;
        let sign = self.outside_brackets(clause, &[":=", "="]).filter(|&sign| sign < end)?;
        let parts = |from: usize, to: usize| match self.layout.partner(from) {
            Some(close) if close + 1 == to && self.layout.text(from) == "(" => {
                self.parts_of_list(from + 1, close)
            }
            _ => self.parts_of_list(from, to),
        };
        let (targets, values) = (parts(clause, sign), parts(sign + 1, end));
        let are_fields =
            targets.iter().all(|&(from, to)| self.is_name(from) && self.end_of_operand(from) == Some(to));
        // In `a := 1, b := 2` there are two signs.
        let has_more = (sign + 1..end).any(|at| matches!(self.layout.text(at), ":=" | "="));
        if targets.len() < 2 || targets.len() != values.len() || !are_fields || has_more {
            return None;
        }
        let effects: Vec<String> = targets
            .iter()
            .zip(&values)
            .map(|(target, value)| {
                format!("{} := {};", self.text(target.0, target.1), self.text(value.0, value.1))
            })
            .collect();
        let new = effects.join(" ");
        let title = "an effect changes one field; the effects of a move are made at once";
        let range = (self.range(clause).0, self.range(end).1);
        let fix = Fix::new(range, &new, Code::E0013, title).at((range.0, self.range(sign - 1).1));
        Some(fix.help(format!("write `{new}`")))
    }

    /// Rewrites `continue act by p;` and `continue act(p);` to `continue act; next p;`.
    fn phase_with_its_player(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_order = self.layout.text(clause) == "continue" && at == clause + 2;
        let is_word = matches!(self.word, "by" | "with" | "for" | "as" | "(") && is_order;
        let end = self.outside_brackets(at, &[";"]).filter(|&end| is_word && end > at + 1)?;
        let last =
            if self.word == "(" { self.layout.partner(at).filter(|&close| close + 1 == end)? } else { end };
        let player = self.text(at + 1, last);
        let new = match player {
            "me" | "mover" => String::new(),
            _ => format!("; next {player}"),
        };
        let title = "`continue` names the phase; the player who acts in it stands after `next`";
        let fix = Fix::new((self.gap().0, self.range(end - 1).1), &new, Code::E0013, title);
        let fix = fix.at((self.here().0, self.range(end - 1).1));
        Some(fix.help(format!("write `continue {}{new};`", self.last)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    /// Checks that each list of clauses of a move is mended to the other one, with one message.
    fn check(pairs: &[(&str, &str)]) {
        for (old, new) in pairs {
            let text =
                |clauses: &str| format!("players A, B;\nmove m(k: 1..2) as \"{{k}}\" {{ {clauses} }}\n");
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
        }
    }

    #[test]
    fn the_other_branch_is_else() {
        check(&[
            ("if k = 1 { n += 1; } otherwise { n += 2; }", "if k = 1 { n += 1; } else { n += 2; }"),
            (
                "if k = 1 { n += 1; } otherwise if n = 3 { n += 2; }",
                "if k = 1 { n += 1; } else if n = 3 { n += 2; }",
            ),
        ]);
    }

    #[test]
    fn branches_stand_in_braces() {
        check(&[
            ("if k = 1 then\n n += 1;\n end\n m := 2;", "if k = 1 {\n n += 1;\n }\n m := 2;"),
            (
                "if k = 1 then n += 1; else n := if k = 2 then 1 else 2; end;",
                "if k = 1 { n += 1; } else { n := if k = 2 then 1 else 2; }",
            ),
            ("if k = 1 then n += 1 end m := 2;", "if k = 1 { n += 1; } m := 2;"),
        ]);
    }

    #[test]
    fn a_target_is_one_field() {
        check(&[
            ("(if k = 1 then n else at[k - 1]) += k;", "if k = 1 { n += k; } else { at[k - 1] += k; }"),
            ("n, m := m, n;", "n := m; m := n;"),
            ("(at[1], at[2]) := (k, min(k, 2));", "at[1] := k; at[2] := min(k, 2);"),
        ]);
    }

    #[test]
    fn next_names_the_player() {
        check(&[
            ("continue act by boss;", "continue act; next boss;"),
            ("continue act by me;", "continue act;"),
        ]);
    }
}
