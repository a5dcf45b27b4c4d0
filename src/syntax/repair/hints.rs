//! Displays in other forms: `display cell at { ... };`, `{ "X" => X }`, `as black white disc`, `X => "X" in red`,
//! `White man => "m"`, `color X red;`, `cell at, hand { ... }`.

use super::RepairSession;
use super::clause_forms::COLOURS;
use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::ast::{CmpOp, DisplayHint, Expr, ExprKind, HintArm, ItemKind, Name};
use crate::diag::{Code, Diagnostic};
use bouton_base::source::Span;

/// The title of the message about arms with the character before the value.
const VALUE_FIRST: &str = "the value of an arm comes first, its character after `=>`";

impl FixFinder<'_> {
    /// Fixes and explanations of displays.
    pub fn hints(&self, fixes: &mut Vec<Fix>) {
        if self.layout.text(self.bounds.first) != "display" {
            return;
        }
        let all = [
            self.display_without_braces(),
            self.look_of_two_colours(),
            self.record_in_words(),
            self.colours_of_values(),
            self.hint_of_two_fields(),
            self.arm_with_another_sign(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `display cell at { ... };` to `display { cell at { ... }; }`.
    fn display_without_braces(&self) -> Option<Fix> {
        let start = self.bounds.first + 1;
        let end = self.outside_brackets(start, &[";"]).filter(|_| self.bounds.at == start)?;
        let is_hint = self.is_name(start) && (self.is_name(start + 1) || self.layout.text(start + 1) == "{");
        let range = (self.range(start).0, self.range(end).1);
        is_hint.then(|| {
            let title = "the parts of a display stand in braces";
            let new = format!("{{ {}; }}", self.text(start, end));
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(start));
            fix.help(format!("write `display {{ {} ...; }}`", self.text(start, start + 2)))
        })
    }

    /// Explains `as black white disc`.
    fn look_of_two_colours(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_look = at > 3 && self.layout.text(at - 3) == "as" && self.is_name(at);
        let end = self
            .outside_brackets(at, &[",", "}", ";"])
            .or_else(|| (at..self.layout.words.len()).find(|&at| matches!(self.layout.text(at), "," | "}")));
        let end = end.filter(|_| is_look)?;
        let (one, other) = (self.layout.text(at - 2), self.last);
        let shape = self.layout.text(end - 1);
        let help = match COLOURS.contains(&one) && COLOURS.contains(&other) {
            true => format!("write `as {one} {shape}` or `as {other} {shape}`"),
            false => "write `as red disc`, for instance".to_owned(),
        };
        let title = "the look of a piece is a colour and a shape, one of each";
        let range = (self.range(at - 2).1, self.range(end - 1).1);
        let label = (self.range(at - 2).0, range.1);
        let found = explained(range, "", title, help).at(label);
        Some(Fix { accepts_partial: true, ..found })
    }

    /// Rewrites the arm `White man => "m"` to `Piece(White, man) => "m"`.
    fn record_in_words(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let arrow =
            self.outside_brackets(at, &["=>", ","]).filter(|&arrow| self.layout.text(arrow) == "=>")?;
        let start = at.checked_sub(1)?;
        let begins = matches!(self.layout.text(start.checked_sub(1)?), "{" | ",");
        let is_words = begins && (start..arrow).all(|at| self.is_name(at));
        let record = self.outline().only_record().filter(|_| is_words)?;
        let words: Vec<&str> = (start..arrow).map(|at| self.layout.text(at)).collect();
        let new = format!("{record}({})", words.join(", "));
        let range = (self.range(start).0, self.range(arrow - 1).1);
        (self.outline().parts_of(record).len() == words.len()).then(|| {
            let title = format!("a value of the record `{record}` has its parts in brackets");
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new} => ...`"));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `color X red; color O blue;` to `cell at { X => "X" as red, O => "O" as blue };`.
    fn colours_of_values(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = |at: usize| {
            matches!(
                self.layout.text(at),
                "color" | "colour" | "colors" | "colours" | "piece" | "look" | "style"
            )
        };
        let mut arms = Vec::new();
        let mut at = clause;
        while is_word(at) && self.is_name(at + 1) {
            let sign = at + 2 + usize::from(matches!(self.layout.text(at + 2), "=" | ":" | "=>" | "as"));
            let value = self.layout.text(at + 1);
            let end = self.outside_brackets(sign, &[";"]).filter(|&end| end > sign && end <= sign + 2)?;
            let letter = value.chars().next()?;
            arms.push(format!("{value} => \"{letter}\" as {}", self.text(sign, end)));
            at = end + 1;
        }
        if arms.is_empty() || self.bounds.at > at {
            return None;
        }
        let outline = self.outline();
        let field = outline.board().and_then(|board| outline.field_over(board));
        let title = "the colour of a value stands in its arm, after `as`";
        let range = (self.range(clause).0, self.range(at - 1).1);
        let label = (range.0, self.range(clause + 2).1);
        let is_alone = self.layout.text(clause - 1) == "{" && self.layout.text(at) == "}";
        let Some(field) = field.filter(|_| is_alone) else {
            let help = format!("write `cell at {{ {} }};`, with the name of the field", arms[0]);
            return Some(explained(range, "", title, help).at(label));
        };
        if outline.field(field).is_some_and(|field| field.is_optional()) {
            arms.push("none => \".\"".to_owned());
        }
        let new = format!("cell {field} {{ {} }};", arms.join(", "));
        Some(Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`")))
    }

    /// Rewrites the arms `X: "X"` and `X = "X"` to `X => "X"`.
    fn arm_with_another_sign(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_sign = |at: usize| {
            matches!(self.layout.text(at), ":" | "=" | "->" | "==")
                && self.layout.text(at + 1).starts_with('"')
        };
        let sign = [at, at.saturating_sub(2)].into_iter().find(|&at| is_sign(at))?;
        let open = self.bracket_around(sign, sign).filter(|&open| self.layout.text(open) == "{")?;
        let is_arm = (open + 1..sign).rev().find(|&at| matches!(self.layout.text(at), "," | "=>"));
        let is_value = is_arm.is_none_or(|at| self.layout.text(at) == ",") && open > self.bounds.first + 2;
        is_value.then(|| {
            let value = self.text(is_arm.unwrap_or(open) + 1, sign);
            let range = (self.range(sign - 1).1, self.range(sign).1);
            let title = "the character of a value stands after `=>`";
            let fix = Fix::new(range, " =>", Code::E0013, title).at(self.range(sign));
            let help = format!("write `{value} => {}`", self.layout.text(sign + 1));
            Fix { accepts_partial: true, ..fix.help(help) }
        })
    }

    /// Explains `cell at, hand { ... };`.
    fn hint_of_two_fields(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_list = matches!(self.word, "," | "and" | "&")
            && at == clause + 2
            && self.is_name(at + 1)
            && self.layout.text(at + 2) == "{";
        is_list.then(|| {
            let other = self.layout.text(at + 1);
            let title = "each part of a display is for one field";
            let help = format!(
                "write `{} {} {{ ... }};`, and another part for `{other}`",
                self.layout.text(clause),
                self.last
            );
            explained((self.gap().0, self.range(at + 1).1), "", title, help)
                .at((self.here().0, self.range(at + 1).1))
        })
    }
}

/// Returns true for a string.
fn is_string(expr: &Expr) -> bool {
    matches!(&*expr.kind, ExprKind::Str(_))
}

/// Exchanges the sides of the arms `"X" => X`; returns the diagnostic.
fn turned_arms(hint: &mut DisplayHint) -> Option<Diagnostic> {
    let is_turned = |arm: &HintArm| is_string(&arm.value) && !is_string(&arm.sign) && arm.look.is_empty();
    let first = hint.arms.first().filter(|_| hint.arms.iter().all(is_turned))?;
    let show =
        |arm: &HintArm| format!("{} => {}", crate::print_expr(&arm.sign), crate::print_expr(&arm.value));
    let span = Span { end: first.sign.span.end, ..first.value.span };
    let mut found =
        Diagnostic::new(Code::E0013, VALUE_FIRST, span, "").help(format!("write `{}`", show(first)));
    for arm in &mut hint.arms {
        found = found
            .edit(arm.value.span, crate::print_expr(&arm.sign))
            .edit(arm.sign.span, crate::print_expr(&arm.value));
        std::mem::swap(&mut arm.value, &mut arm.sign);
    }
    Some(found)
}

/// Reads the arm `X => "X" in red` as `X => "X" as red`; returns the diagnostic.
fn coloured_arm(arm: &mut HintArm) -> Option<Diagnostic> {
    let ExprKind::Compare(sign, rest) = &*arm.sign.kind else { return None };
    let [(CmpOp::In | CmpOp::Is | CmpOp::Equal, colour)] = &rest[..] else { return None };
    let name = colour.as_name().filter(|name| is_string(sign) && COLOURS.contains(name))?;
    let span = Span { start: sign.span.end, ..colour.span };
    let title = "the colour of a character stands after `as`";
    let help = format!("write `{} as {name}`", crate::print_expr(sign));
    let found =
        Diagnostic::new(Code::E0013, title, colour.span, "").help(help).edit(span, format!(" as {name}"));
    arm.look = vec![Name { text: name.to_owned(), span: colour.span }];
    arm.sign = sign.clone();
    Some(found)
}

/// Reports an arm with `_` as a part of its value; returns the diagnostic. Of `_` alone the analysis tells more.
fn arm_of_several_values(arm: &mut HintArm) -> Option<Diagnostic> {
    let is_wildcard = |expr: &Expr| expr.as_name() == Some("_");
    let place = match &*arm.value.kind {
        ExprKind::Call(_, arguments) => arguments.iter().find(|argument| is_wildcard(argument)),
        ExprKind::Tuple(parts) => parts.iter().find(|part| is_wildcard(part)),
        _ => None,
    };
    let span = place?.span;
    let title = "an arm of a display is for one value: there is no `_`";
    let help = "write an arm for each value, with all its parts";
    arm.value = Expr::new(ExprKind::Error, arm.value.span);
    Some(Diagnostic::new(Code::E0013, title, span, "").help(help))
}

impl RepairSession {
    /// Reports arms of displays that parse, but have their parts in another order or by another word.
    pub fn mend_displays(&mut self) {
        let mut found = Vec::new();
        for item in &mut self.items {
            let ItemKind::Display(hints) = &mut item.kind else { continue };
            for hint in hints {
                found.extend(turned_arms(hint));
                found.extend(hint.arms.iter_mut().filter_map(coloured_arm));
                let several: Vec<_> = hint.arms.iter_mut().filter_map(arm_of_several_values).collect();
                found.extend(several.into_iter().next());
            }
        }
        self.diagnostics.append(&mut found);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    fn arms(text: &str) -> String {
        format!("display {{ cell at {{ {text}, none => \".\" }}; }}\n")
    }

    #[test]
    fn parts_of_a_display_stand_in_braces() {
        let new = "display { cell at { X => \"X\", none => \".\" }; }\n";
        assert_eq!(mended("display cell at { X => \"X\", none => \".\" };\n"), new);
        assert_eq!(mended("display { cell at { \"X\" => X, \".\" => none }; }\n"), new);
        let found = helps("display { cell at, hand { X => \"X\" }; }\n");
        assert!(found.len() == 1 && found[0].contains("another part for `hand`"), "{found:?}");
    }

    #[test]
    fn looks_have_one_colour() {
        let found = helps(&arms("X => \"X\" as black white disc, O => \"O\" as red white disc"));
        assert!(found.len() == 2 && found[0].contains("`as black disc` or `as white disc`"), "{found:?}");
        assert_eq!(mended(&arms("X => \"X\" in red")), arms("X => \"X\" as red"));
    }

    #[test]
    fn characters_follow_an_arrow() {
        let new = arms("X => \"X\", O => \"O\"");
        assert_eq!(mended(&arms("X: \"X\", O: \"O\"")), new);
        assert_eq!(mended(&arms("X = \"X\", O = \"O\"")), new);
    }

    #[test]
    fn arms_are_for_one_value() {
        let found = helps(&arms("Piece(X, _) => \"x\", Piece(O, _) => \"o\""));
        assert!(found.iter().any(|help| help.contains("an arm for each value")), "{found:?}");
    }

    #[test]
    fn records_have_brackets() {
        let text = |arms: &str| format!("record Piece(owner: Player, kind: Kind);\n{arms}");
        let old = text(&arms("White man => \"m\", White king => \"K\""));
        assert_eq!(mended(&old), text(&arms("Piece(White, man) => \"m\", Piece(White, king) => \"K\"")));
    }

    #[test]
    fn colours_belong_to_arms() {
        let text = |hints: &str| {
            format!(
                "board Cell = grid(3, 3);\nstate {{ at[c: Cell]: Player? = none; }}\ndisplay {{ {hints} }}\n"
            )
        };
        let new = "cell at { X => \"X\" as red, O => \"O\" as blue, none => \".\" };";
        assert_eq!(mended(&text("color X red; color O blue;")), text(new));
    }
}
