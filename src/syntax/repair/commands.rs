//! Clauses of moves that order something: `mandatory when f;`, `repeat 2 { ... }`, `for i in 1..3 step 2`,
//! `reveal card;`, `show card to Bob;`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of orders in moves.
    pub fn commands(&self, fixes: &mut Vec<Fix>) {
        if self.in_move() {
            let all = [self.modifier_in_the_body(), self.loop_of_a_number(), self.value_shown()];
            fixes.extend(all.into_iter().flatten());
        }
        fixes.extend(self.steps_of_a_range());
    }

    /// Explains `mandatory when f;` in the body of a move.
    fn modifier_in_the_body(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_modifier = matches!(word, "mandatory" | "private" | "forcing");
        let follows = matches!(self.layout.text(clause + 1), "when" | "if" | ";" | ":" | "=");
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_modifier && follows)?;
        let title = format!("`{word}` stands before `move`, and is about the whole move");
        let help = match self.layout.text(clause + 1) {
            "when" | "if" => {
                let condition = self.text(clause + 2, end);
                format!(
                    "write two moves: one with `{word}` before `move` and `when {condition};` in it, and one \
                     for the other cases"
                )
            }
            _ => format!("write `{word} move ...` at the head"),
        };
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", &title, help).at(self.range(clause)))
    }

    /// Explains `repeat 2 { ... }` and `loop 2 times { ... }`.
    fn loop_of_a_number(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_loop = matches!(self.layout.text(clause), "repeat" | "loop" | "times" | "do")
            && self.layout.text(clause + 1) != "{";
        let open = self.outside_brackets(clause + 1, &["{", ";"]).filter(|_| is_loop)?;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let title = "the effects of a move are made once, and all at once";
        let help = "write the result, such as `n += 2;` for two times `n += 1;`; a later stage stands in \
                    `then { ... }`, an effect for each element of a set in `for x in S { ... }`";
        let range = (self.range(clause).0, self.range(close).1);
        Some(explained(range, "", title, help).at((range.0, self.range(open - 1).1)))
    }

    /// Rewrites `for i in 1..3 step 2` to `for i in 1..3 where i mod 2 = 1`.
    pub(super) fn steps_of_a_range(&self) -> Option<Fix> {
        let at = self.second_dots().unwrap_or(self.bounds.at);
        let word = self.layout.text(at);
        let is_step = matches!(word, "step" | "by" | "every" | "..") && self.is_number(at + 1);
        let dots = (self.bounds.clause..at).rev().take(6).find(|&at| self.layout.text(at) == "..");
        let start = dots.filter(|_| is_step)?.checked_sub(1).filter(|&start| self.is_number(start))?;
        let name = start.checked_sub(2).filter(|_| self.layout.text(start - 1) == "in")?;
        let number = |at: usize| self.layout.text(at).parse::<u32>().ok();
        // In `1..2..9` the step may be the number in the middle.
        if word == ".." && number(at - 1) <= number(at + 1) && number(at - 1).is_some() {
            return None;
        }
        let (from, step) = (number(start)?, number(at + 1).filter(|&step| step > 0)?);
        let new = format!("where {} mod {step} = {}", self.layout.text(name), from % step);
        let range = (self.range(at).0, self.range(at + 1).1);
        let title = "a range has no steps: a condition chooses the elements";
        let with_blank = if word == ".." { format!(" {new}") } else { new.clone() };
        Some(Fix::new(range, &with_blank, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// The second sign of `1..n..2`, beside the mistake.
    pub(super) fn second_dots(&self) -> Option<usize> {
        let at = self.bounds.at.max(self.bounds.clause + 3);
        let is_second = |&at: &usize| self.layout.text(at) == ".." && self.layout.text(at - 2) == "..";
        (at - 1..at + 3).find(is_second)
    }

    /// Explains `reveal card;` and `show card to Bob;`.
    fn value_shown(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let verb = self.layout.text(clause);
        let is_verb = matches!(verb, "reveal" | "show" | "uncover" | "expose");
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_verb && self.is_name(clause + 1))?;
        let to = self.outside_brackets(clause, &["to", "from", "for", ";"])?;
        let term = self.text(clause + 1, to);
        let players = self.outline().players();
        let named = self.layout.text(to + 1);
        let player =
            if to < end && players.contains(&named) { named } else { players.last().copied().unwrap_or("p") };
        let title = "who sees a field is said at its declaration and by `sees`, not by a move";
        let help = format!(
            "write the item `sees {player}: {term} when ...;`, with a condition that this move makes true, \
             and `hidden` or `visible to ...` at the field"
        );
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", title, help).at((range.0, self.range(end - 1).1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    fn body(text: &str) -> String {
        format!("players Ann, Bob;\nmove m(k: Card) as \"{{k}}\" {{ {text} n := k; }}\n")
    }

    #[test]
    fn modifiers_are_no_clauses() {
        let found = helps(&body("mandatory when at[k] != none;"));
        assert!(found.len() == 1 && found[0].contains("`when at[k] != none;`"), "{found:?}");
    }

    #[test]
    fn nothing_is_done_twice() {
        let found = helps(&body("repeat 2 { n += 1; }"));
        assert!(found.len() == 1 && found[0].contains("`n += 2;`"), "{found:?}");
        let new = body("for i in 1..5 where i mod 2 = 1 { a[i] := me; }");
        assert_eq!(mended(&body("for i in 1..5 step 2 { a[i] := me; }")), new);
    }

    #[test]
    fn views_are_items() {
        let found = helps(&body("reveal card;"));
        assert!(found.len() == 1 && found[0].contains("`sees Bob: card when ...;`"), "{found:?}");
        let found = helps(&body("show card to Ann;"));
        assert!(found.len() == 1 && found[0].contains("`sees Ann: card when ...;`"), "{found:?}");
    }
}
