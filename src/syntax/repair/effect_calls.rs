//! Calls of effects in other forms: `remove_caught b;`, `remove_caught;`, `call remove_caught(b);`, and effects with a
//! result: `effect note(c: Cell): bool { ... }`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

impl FixFinder<'_> {
    /// Fixes and explanations of calls of effects.
    pub fn effect_calls(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.effect_behind_a_verb(),
            self.effect_without_brackets(),
            self.effect_with_a_type(),
            self.turn_after_a_phase(),
            self.contents_moved_in_words(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `move at[from] to at[to];` among effects to `at[to] <- at[from];`.
    fn contents_moved_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_move = self.in_move() && self.layout.text(clause) == "move" && clause > self.bounds.first;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_move)?;
        let from = clause + 1 + usize::from(self.layout.text(clause + 1) == "from");
        let to = (from + 1..end).find(|&at| matches!(self.layout.text(at), "to" | "->" | "into" | ","))?;
        let (one, other) = (self.text(from, to), self.text(to + 1, end));
        let is_content = |term: &str| term.ends_with(']') && !term.starts_with(['[', '(']);
        (is_content(one) && is_content(other)).then(|| {
            let new = format!("{other} <- {one};");
            let title = "a piece is moved by `<-`, from one cell of a field to another";
            let range = (self.range(clause).0, self.range(end).1);
            Fix::new(range, &new, Code::E0013, title).at(self.range(clause)).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `call f(b);` and `do f(b);` to `f(b);`, where `f` is an effect.
    fn effect_behind_a_verb(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_verb =
            matches!(self.layout.text(clause), "call" | "do" | "run" | "perform" | "apply" | "execute");
        let name = clause + 1;
        let is_effect = self.in_move() && is_verb && self.outline().is_effect(self.layout.text(name));
        let end = self.end_of_operand(name).filter(|&end| is_effect && self.layout.text(end) == ";")?;
        let range = (self.range(clause).0, self.range(name).0);
        let title = "an effect is called by its name alone";
        let fix = Fix::new(range, "", Code::E0013, title).at(self.range(clause));
        Some(fix.help(format!("write `{};`", self.text(name, end))))
    }

    /// Rewrites `f b;` to `f(b);`, and `f;` to `f();`, where `f` is an effect.
    fn effect_without_brackets(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let outline = self.outline();
        let name = self.layout.text(clause);
        let is_effect = self.in_move() && at == clause + 1 && outline.is_effect(name);
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_effect && self.word != "(")?;
        let parameters = outline.parameters_of_effect(name)?;
        let title = format!("`{name}` is an effect: its arguments follow it in brackets");
        let label = self.range(clause);
        if end == at {
            let (range, help) = (self.gap(), format!("write `{name}(...);`, with {parameters} arguments"));
            return Some(match parameters {
                0 => Fix::new(range, "()", Code::E0013, title).at(label).help(format!("write `{name}();`")),
                1 => explained(range, "()", &title, format!("write `{name}(...);`, with its argument"))
                    .at(label),
                _ => explained(range, "()", &title, help).at(label),
            });
        }
        let new = format!("({})", self.text(at, end));
        let range = (self.gap().0, self.range(end - 1).1);
        let is_list = self.parts_between(at, end).len() == parameters;
        is_list.then(|| {
            Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{name}{new};`"))
        })
    }

    /// Removes the type of `effect note(c: Cell): bool { ... }`.
    fn effect_with_a_type(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let close = self.layout.partner(first + 2).filter(|_| self.layout.text(first) == "effect")?;
        let is_sign = at == close + 1 && matches!(self.word, ":" | "->" | "=>");
        let open = self.outside_brackets(at + 1, &["{", ";"]).filter(|&open| is_sign && open > at + 1)?;
        let is_type = self.layout.text(open) == "{"
            && (at + 1..open).all(|at| !matches!(self.layout.text(at), ":=" | "=" | "+=" | "when" | "if"));
        is_type.then(|| {
            let range = (self.gap().0, self.range(open - 1).1);
            let title = "an effect has no value, and so no type";
            let fix = Fix::new(range, "", Code::E0013, title).at((self.here().0, range.1));
            let help = "leave it out; a term with a name is a `def`";
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Rewrites `continue answer with opponent;` to `continue answer; next opponent;`.
    fn turn_after_a_phase(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_order = self.bounds.place == ClauseContext::Move
            && self.layout.text(clause) == "continue"
            && at == clause + 2
            && matches!(self.word, "with" | "by" | "for" | "next" | "," | "and" | "to" | "as");
        let extra = usize::from(matches!(self.layout.text(at + 1), "next" | "by" | "to"));
        let who = at + 1 + extra;
        let end = self.outside_brackets(at, &[";"]).filter(|&end| is_order && end > who)?;
        let name = self.layout.text(who);
        let is_player = self.end_of_operand(who) == Some(end)
            && (matches!(name, "opponent" | "me" | "mover" | "other")
                || extra > 0
                || self.word == "next"
                || self.outline().players().contains(&name));
        is_player.then(|| {
            let new = match name {
                "me" | "mover" => ";".to_owned(),
                _ => format!("; next {};", self.text(who, end)),
            };
            let range = (self.gap().0, self.range(end).1);
            let title = "the phase and the player who follow are two statements";
            let help = format!("write `{}{new}`", self.text(clause, at));
            Fix::new(range, &new, Code::E0013, title).at((self.here().0, self.range(end - 1).1)).help(help)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn text(call: &str) -> String {
        format!(
            "effect clear(c: Cell) {{ at[c] := none; }}\neffect note() {{ n += 1; }}\nmove m(b: Cell) {{ {call} }}\n"
        )
    }

    #[test]
    fn effects_have_their_arguments_in_brackets() {
        let new = text("clear(b);");
        for call in ["clear b;", "call clear(b);", "do clear(b);"] {
            assert_eq!(titles(&text(call)).len(), 1, "{call}");
            assert_eq!(mended(&text(call)), new);
        }
        assert_eq!(mended(&text("then { note; }")), text("then { note(); }"));
        assert_eq!(mended(&text("clear;")), text("clear;"));
        assert!(helps(&text("clear;"))[0].contains("`clear(...);`"), "{:?}", helps(&text("clear;")));
    }

    #[test]
    fn effects_have_no_type() {
        for ty in [": bool", " -> set of Cell"] {
            let text = |ty: &str| format!("effect e(c: Cell){ty} {{ at[c] := none; }}\n");
            assert_eq!(titles(&text(ty)), ["an effect has no value, and so no type"]);
            assert_eq!(mended(&text(ty)), text(""));
        }
    }

    #[test]
    fn phase_and_turn_are_two_statements() {
        let new = text("continue act; next opponent;");
        for words in ["with opponent", "by opponent", ", next opponent", "next opponent", "and next opponent"]
        {
            assert_eq!(mended(&text(&format!("continue act {words};"))), new, "{words}");
        }
        assert_eq!(mended(&text("continue act by me;")), text("continue act;"));
    }
}
