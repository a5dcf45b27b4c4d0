//! The heads of moves, events and phases in other forms: `move jump(d: Dir) mandatory`, `after every move { ... }`,
//! `pass by Ann;`, `phases { place then walk; }`, `place until f;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of the heads of moves and phases.
    pub fn move_heads(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.modifier_behind_the_name(),
            self.every_move_by_another_word(),
            self.moment_before_every_move(),
            self.ordinal_before_a_phase(),
            self.parameters_of_every_move(),
            self.pass_of_a_player(),
            self.block_without_its_word(),
            self.phase_that_follows(),
            self.length_of_a_phase(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `move jump(d: Dir) mandatory as ...` to `mandatory move jump(d: Dir) as ...`.
    fn modifier_behind_the_name(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let word = match self.word {
            "mandatory" | "obligatory" | "compulsory" | "forced" => "mandatory",
            "private" | "hidden" | "secret" => "private",
            "forcing" => "forcing",
            _ => return None,
        };
        let head = (first..at).take(4).find(|&at| matches!(self.layout.text(at), "move" | "chance"))?;
        let kind = self.layout.text(head);
        let is_head = self.bounds.place == ClauseContext::Top
            && self.is_name(head + 1)
            && self.layout.partner(head + 2).is_some_and(|close| close < at);
        let is_fitting = word != "forcing" || kind == "move";
        (is_head && is_fitting).then(|| {
            let head_text = self.text(head, at);
            let new = format!("{word} {head_text}");
            let title = format!("`{word}` stands before `{kind}`");
            let range = (self.range(head).0, self.here().1);
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            let help = format!("write `{word} {kind} {}(...)`", self.layout.text(head + 1));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `every turn { ... }` and `each move { ... }` to `every move { ... }`.
    fn every_move_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_head = matches!(self.layout.text(first), "every" | "each" | "any" | "all")
            && matches!(self.layout.text(first + 1), "move" | "moves" | "turn" | "turns" | "ply")
            && self.layout.text(first + 2) == "{"
            && self.bounds.at <= first + 1;
        is_head.then(|| {
            let range = (self.range(first).0, self.range(first + 1).1);
            let title = "statements that belong to all moves stand in `every move`";
            let fix = Fix::new(range, "every move", Code::E0013, title).help("write `every move { ... }`");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `phases { first bid; then show; }` to `phases { bid; show; }`.
    fn ordinal_before_a_phase(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_word = matches!(
            self.last,
            "first"
                | "second"
                | "third"
                | "then"
                | "finally"
                | "last"
                | "initially"
                | "phase"
                | "stage"
                | "step"
        );
        let is_ordinal =
            self.bounds.place == ClauseContext::Phases && is_word && at == self.bounds.clause + 1;
        // A phase of this name would be named by moves.
        let is_phase = self.outline().count_of(self.last) > 1 && self.last != "then" && self.last != "phase";
        (is_ordinal && !is_phase && self.is_name(at)).then(|| {
            let range = (self.range(at - 1).0, self.here().0);
            let title = "the order of the phases is that in which they stand";
            let fix =
                Fix::new(range, "", Code::E0013, title).at(self.range(at - 1)).help("leave the word out");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Explains `after every move { ... }`.
    fn moment_before_every_move(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_moment =
            matches!(self.layout.text(first), "after" | "before" | "on" | "upon" | "for" | "with")
                && matches!(self.layout.text(first + 1), "every" | "each" | "any" | "all" | "a")
                && matches!(self.layout.text(first + 2), "move" | "moves" | "turn" | "turns" | "ply");
        let open = first + 3 + usize::from(self.layout.text(first + 3) == ":");
        let close = self.layout.partner(open).filter(|_| is_moment && self.layout.text(open) == "{")?;
        let title = "statements that belong to all moves stand in `every move`";
        let help = match self.layout.text(first) {
            "after" | "upon" => {
                "write `every move { then { ... } }`: `then` is the stage after the effects of the move"
            }
            _ => "write `every move { ... }`",
        };
        let range = (self.range(first).0, self.range(close).1);
        Some(explained(range, "", title, help).at((range.0, self.range(first + 2).1)))
    }

    /// Explains `every move(k: 1..2) { ... }`, or removes parameters without a use.
    fn parameters_of_every_move(&self) -> Option<Fix> {
        let (first, open) = (self.bounds.first, self.bounds.at);
        let is_head = self.layout.text(first) == "every" && self.last == "move" && self.word == "(";
        let close = self.layout.partner(open).filter(|_| is_head)?;
        let body = self.layout.partner(close + 1).filter(|_| self.layout.text(close + 1) == "{")?;
        let names: Vec<&str> = (open + 1..close)
            .filter(|&at| self.layout.text(at + 1) == ":")
            .map(|at| self.layout.text(at))
            .collect();
        let is_used = (close + 1..body).any(|at| names.contains(&self.layout.text(at)));
        let label = (self.range(open).0, self.range(close).1);
        let title = "`every move` has no parameters: it belongs to all moves";
        if is_used {
            let help = "move the clauses that read the parameters into the moves that have them";
            let range = (self.range(first).0, self.range(body).1);
            return Some(explained(range, "", title, help).at(label));
        }
        let range = (self.range(open - 1).1, label.1);
        Some(Fix::new(range, "", Code::E0013, title).at(label).help("write `every move { ... }`"))
    }

    /// Rewrites `pass by Ann;` to `pass when mover = Ann;`.
    fn pass_of_a_player(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_pass = self.layout.text(self.bounds.first) == "pass" && self.last == "pass";
        let is_pass = is_pass && matches!(self.word, "by" | "for") && self.is_name(at + 1);
        let player = self.layout.text(at + 1);
        let is_player = is_pass && self.outline().players().contains(&player);
        let condition = match self.layout.text(at + 2) {
            ";" | "always" => Some(String::new()),
            "when" | "if" => {
                self.outside_brackets(at + 3, &[";"]).map(|end| format!(" and ({})", self.text(at + 3, end)))
            }
            _ => None,
        };
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_player)?;
        let new = format!("when mover = {player}{}", condition?);
        let range = (self.here().0, self.range(end - 1).1);
        let title = "a pass has a condition, which may ask for the mover";
        let fix = Fix::new(range, &new, Code::E0013, title).at((range.0, self.range(at + 1).1));
        Some(fix.help(format!("write `pass {new};`")))
    }

    /// Rewrites `note() { ... }` to `effect note() { ... }` where a move has the clause `note();`; else explains it.
    fn block_without_its_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let name = self.layout.text(first);
        let is_head = self.bounds.at == first && self.is_name(first) && self.layout.text(first + 1) == "(";
        let close = self.layout.partner(first + 1).filter(|&close| is_head && close == first + 2)?;
        let end = self.layout.partner(close + 1).filter(|_| self.layout.is_block(close + 1))?;
        let range = self.range(first);
        if self.outline().is_called_as_effect(name) {
            let title = "a named group of effects begins with `effect`";
            let fix = Fix::new((range.0, range.0), "effect ", Code::E0013, title).at(range);
            let fix = fix.help(format!("write `effect {name}() {{ ... }}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let title = format!("the word before `{name}` is missing");
        let help = format!(
            "write `move {name}() {{ ... }}` if players make it, `effect {name}() {{ ... }}` if moves have \
             the clause `{name}();`"
        );
        Some(explained((range.0, self.range(end).1), "", &title, help).at(range))
    }

    /// Rewrites `phases { place then walk; }` to `phases { place; walk; }`.
    fn phase_that_follows(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_word = |at: usize| {
            matches!(self.layout.text(at), "then" | "next" | "before" | "followed" | ">" | "=>" | ">>" | "+")
        };
        let is_comma = self.word == "," && is_word(at + 1);
        let is_list = self.bounds.place == ClauseContext::Phases && (is_word(at) || is_comma) && at > clause;
        let end = self.outside_brackets(clause, &[";", "}"]).filter(|_| is_list)?;
        let mut phases = Vec::new();
        let mut from = clause;
        while from < end {
            let is_sign = |&at: &usize| is_word(at) || self.layout.text(at) == ",";
            let next = (from..end).find(is_sign).unwrap_or(end);
            phases.push(self.text(from, next));
            let extra = usize::from(self.layout.text(next + 1) == "by" || is_word(next + 1));
            from = next + 1 + extra;
        }
        let new = phases.join("; ");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "phases are a list, each with `;` after it";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new};`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Explains `place until f;`, `place 6 times;` and `place for 6 turns;`.
    fn length_of_a_phase(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_condition = matches!(self.word, "until" | "while" | "when" | "if" | "unless");
        let is_count = self.is_number(at) || self.word == "for" && self.is_number(at + 1);
        let is_length = self.bounds.place == ClauseContext::Phases && (is_condition || is_count);
        let end = self.outside_brackets(at, &[";", ","]).filter(|&end| is_length && end > at + 1)?;
        let next = self.layout.text(end + 1);
        let next = if self.is_name(end + 1) { next } else { "..." };
        let condition = match self.word {
            "until" => self.text(at + 1, end).to_owned(),
            "while" | "if" | "when" => format!("not ({})", self.text(at + 1, end)),
            _ => "...".to_owned(),
        };
        let title = "a phase has no length: a move goes on to the next phase by `continue`";
        let help = match is_count {
            true => format!(
                "count the moves in a field, and write `if ... {{ continue {next}; }}` in the move that is \
                 the last one"
            ),
            false => format!("write `if {condition} {{ continue {next}; }}` in the moves of `{}`", self.last),
        };
        let range = (self.gap().0, self.range(end - 1).1);
        let found = explained(range, "", title, help).at((self.here().0, range.1));
        Some(Fix { accepts_partial: true, ..found })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn modifiers_stand_before_the_word() {
        let new = "private chance give(a: Card) in deal as \"{a}\" { card := a; }\n";
        assert_eq!(mended("chance give(a: Card) private in deal as \"{a}\" { card := a; }\n"), new);
        assert_eq!(
            mended("chance give(a: Card) in deal hidden as \"{a}\" { card := a; }\n"),
            "private chance give(a: Card) in deal as \"{a}\" { card := a; }\n"
        );
        let new = "mandatory move jump(d: Dir) as \"{d}\" { n := 1; }\n";
        assert_eq!(mended("move jump(d: Dir) mandatory as \"{d}\" { n := 1; }\n"), new);
    }

    #[test]
    fn statements_of_all_moves_have_one_form() {
        let found = helps("after every move { when n > 0; }\n");
        assert!(found.len() == 1 && found[0].contains("`every move { then { ... } }`"), "{found:?}");
        assert_eq!(mended("each turn { when n < 3; }\n"), "every move { when n < 3; }\n");
        assert_eq!(mended("every move(k: 1..2) { when n < 3; }\n"), "every move { when n < 3; }\n");
        assert_eq!(titles("every move(k: 1..2) { when k < 3; }\n").len(), 1);
    }

    #[test]
    fn passes_have_conditions() {
        let text = |pass: &str| format!("players A, B;\npass {pass};\n");
        assert_eq!(mended(&text("by A")), text("when mover = A"));
        assert_eq!(mended(&text("by B when stuck")), text("when mover = B and (stuck)"));
    }

    #[test]
    fn groups_of_effects_have_their_word() {
        let text = |head: &str| format!("{head}note() {{ n += 1; }}\nmove m() {{ note(); }}\n");
        assert_eq!(mended(&text("")), text("effect "));
        let found = helps("note() { n += 1; }\n");
        assert!(found.len() == 1 && found[0].contains("`effect note() { ... }`"), "{found:?}");
    }

    #[test]
    fn phases_are_a_list_without_lengths() {
        assert_eq!(mended("phases { place then walk; }\n"), "phases { place; walk; }\n");
        assert_eq!(mended("phases { a, then b, c; }\n"), "phases { a; b; c; }\n");
        assert_eq!(mended("phases { first a; second b; }\n"), "phases { a; b; }\n");
        assert_eq!(mended("phases { a then b then c; }\n"), "phases { a; b; c; }\n");
        let found = helps("phases { place until n = 0; walk; }\n");
        assert!(found.len() == 1 && found[0].contains("`if n = 0 { continue walk; }`"), "{found:?}");
        assert_eq!(titles("phases { place 6 times; walk; }\n").len(), 1);
    }
}
