//! Relations between values in the words of other languages: `dock is connected to mill`, `on[a] is my squire`,
//! `count b in S if f`, `when full(dock) = A wins`, `diagram level`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

/// The words that go through a set and say something of its elements.
const QUANTIFIERS: [&str; 9] = ["count", "some", "one", "no", "all", "sum", "min", "max", "union"];

impl FixFinder<'_> {
    /// Fixes and explanations of relations in words.
    pub fn spoken_relations(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.connected_in_words(),
            self.value_of_the_mover(),
            self.condition_of_a_quantifier(),
            self.outcome_behind_an_equals_sign(),
            self.diagram_of_a_name(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Explains `dock is connected to mill`.
    fn connected_in_words(&self) -> Option<Fix> {
        let is_word = |&at: &usize| {
            matches!(self.layout.text(at), "connected" | "linked" | "joined" | "reachable")
                && matches!(self.layout.text(at + 1), "to" | "with" | "from")
        };
        let from = self.bounds.at.saturating_sub(2).max(self.bounds.clause + 1);
        let word = (from..self.bounds.at + 3).find(is_word)?;
        let mut is = word - 1;
        is -= usize::from(self.layout.text(is) == "not");
        let has_verb = matches!(self.layout.text(is), "is" | "are");
        let is = if has_verb { is } else { word };
        let follows_term = is > self.bounds.clause && self.ends_term(is - 1);
        let end = self.end_of_operand(word + 2).filter(|_| follows_term)?;
        let start = self.start_of_term(is);
        let (one, other) = (self.text(start, is), self.text(word + 2, end));
        let way = match self.outline().relation() {
            Some(name) => format!("`{name}(...)`, as this file defines it, asks for a way of several steps"),
            None => format!(
                "for a way of several steps write `inductive linked(c: T) = c = {other} or some b in c.neighbors: \
                 linked(b);` with the type `T` of the points, and `linked({one})` here"
            ),
        };
        let words = self.text(word, word + 2);
        let verb = if has_verb { "is " } else { "" };
        let title = format!("`{verb}{words}` is no relation of the language");
        let help = format!("for one step write `{one} in {other}.neighbors`; {way}");
        let fix = explained((self.range(start).0, self.range(end - 1).1), DAMAGE_MARKER, &title, help);
        Some(Fix { accepts_partial: true, ..fix.at((self.range(is).0, self.range(word + 1).1)) })
    }

    /// Rewrites `on[a] is my squire` to `on[a] = Man(me, squire)`.
    fn value_of_the_mover(&self) -> Option<Fix> {
        let is_my = |at: &usize| matches!(self.layout.text(*at), "my" | "own" | "your");
        let my = (self.bounds.at.saturating_sub(1)..self.bounds.at + 3).find(is_my)?;
        let (at, whose) = (my + 1, self.layout.text(my));
        let word = self.layout.text(at);
        let mut is = my.checked_sub(1)?;
        is -= usize::from(matches!(self.layout.text(is), "a" | "an" | "not"));
        is -= usize::from(self.layout.text(is) == "not");
        let is_negated = (is..my).any(|at| matches!(self.layout.text(at), "not" | "!="));
        let is_sign = matches!(self.layout.text(is), "is" | "=" | "!=") && is > self.bounds.clause;
        let outline = self.outline();
        if !is_sign || !self.ends_term(is - 1) || !self.is_name(at) || outline.field(word).is_some() {
            return None;
        }
        let start = self.start_of_term(is);
        let term = self.text(start, is);
        let sign = if is_negated { "!=" } else { "=" };
        let members = outline.enum_of(&[word]).map(|(name, _)| name);
        let field = outline.field(self.layout.text(start));
        let record = field.as_ref().map_or("", |field| field.type_name());
        let in_move = (self.bounds.first..start).take(3).any(|at| self.layout.text(at) == "move");
        let values: Option<Vec<&str>> = outline
            .typed_parts_of(record)
            .iter()
            .map(|(_, ty)| match *ty {
                "Player" => Some(if in_move { "me" } else { "p" }),
                ty if Some(ty) == members => Some(word),
                _ => None,
            })
            .collect();
        let range = (self.range(start).0, self.range(at).1);
        let words = (self.range(my).0, self.range(at).1);
        let title = format!("`{}` is no word of the language: the mover of a move is `me`", whose);
        let fix = match values.filter(|values| values.len() > 1 && values.contains(&word)) {
            Some(values) => {
                let new = format!("{term} {sign} {record}({})", values.join(", "));
                let help = format!("write `{new}`");
                match in_move {
                    true => Fix::new(range, &new, Code::E0013, title).help(help),
                    false => explained(range, DAMAGE_MARKER, &title, format!("{help} with the player `p`")),
                }
            }
            None => {
                let help = format!(
                    "write `{term} {sign} {}`, and whose it is as a condition of its own, such as `owner[c] = me`",
                    word
                );
                explained(range, DAMAGE_MARKER, &title, help)
            }
        };
        Some(Fix { accepts_partial: true, ..fix.at(words) })
    }

    /// Rewrites `count b in S if f` to `count b in S: f`, and `sum b in S if f: e` to `sum b in S where f: e`.
    fn condition_of_a_quantifier(&self) -> Option<Fix> {
        let at = self.bounds.at;
        if self.word != "if" {
            return None;
        }
        let around = self.bracket_around(at, at);
        let is_head = |&word: &usize| {
            QUANTIFIERS.contains(&self.layout.text(word))
                && self.layout.text(word + 2) == "in"
                && self.bracket_around(word, word) == around
        };
        let word = (self.bounds.clause..at).rev().find(is_head)?;
        let signs = [":", "where", "if", "then", ";", "{", "=>"];
        let is_first = self.outside_brackets(word + 3, &signs) == Some(at);
        let quantifier = self.layout.text(word);
        let next = self.outside_brackets(at + 1, &signs).map_or("", |next| self.layout.text(next));
        let new = match (quantifier, next) {
            _ if !is_first || next == "then" => return None,
            (_, ":") => "where",
            ("count" | "some" | "one" | "no", _) => ":",
            _ => return None,
        };
        let shown = self.text(word, at);
        let (title, help, range) = match new {
            ":" => (
                format!("`:` leads from `{quantifier}` to what it says of each element"),
                format!("write `{shown}: ...`"),
                (self.gap().0, self.here().1),
            ),
            _ => (
                "which elements of a set are meant stands after `where`".to_owned(),
                format!("write `{shown} where ...`"),
                self.here(),
            ),
        };
        Some(Fix::new(range, new, Code::E0013, title).at(self.here()).help(help))
    }

    /// Rewrites `when full(dock) = A wins` to `when full(dock) => A wins`.
    fn outcome_behind_an_equals_sign(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let sign = match self.word {
            "wins" | "loses" => at.checked_sub(2)?,
            "draw" => at.checked_sub(1)?,
            // A reserved word is unreadable behind it.
            ";" if self.last == "draw" => at.checked_sub(2)?,
            _ => return None,
        };
        let clause = self.bounds.clause;
        let when = (clause..sign).find(|&at| self.layout.text(at) == "when")?;
        let has_arrow = (clause..at).any(|at| self.layout.text(at) == "=>");
        if self.bounds.place != ClauseContext::End || has_arrow || self.layout.text(sign) != "=" {
            return None;
        }
        // A term before the sign could be compared: only what is a condition by itself ends before it.
        let outline = self.outline();
        let is_condition = |word: &str| {
            matches!(
                word,
                "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" | "some" | "all" | "no" | "stuck"
            )
        };
        let first = self.layout.text(when + 1);
        let is_bool = outline.field(first).is_some_and(|field| field.ty == ["bool"])
            || outline.relation() == Some(first);
        if !is_bool && !(when + 1..sign).any(|at| is_condition(self.layout.text(at))) {
            return None;
        }
        let title = "`=` stands where `=>` leads to the outcome";
        let fix = Fix::new(self.range(sign), "=>", Code::E0005, title);
        Some(fix.help("write `when ... => X wins;`"))
    }

    /// Explains `diagram level;`.
    fn diagram_of_a_name(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let diagram = at.checked_sub(2).filter(|&at| self.layout.text(at) == "diagram")?;
        let is_end = matches!(self.word, ";" | ")" | ",") && self.is_name(at - 1);
        is_end.then(|| {
            let title = "a diagram says what each of its signs means";
            let help = format!(
                "write `diagram {} {{ \"#\" => wall, \".\" => floor }}`, each sign of the picture with its value",
                self.last
            );
            let range = (self.range(diagram).0, self.gap().0);
            Fix { accepts_partial: true, ..explained(range, DAMAGE_MARKER, title, help) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn connections_are_defined() {
        let text = "end { when dock is connected to mill => draw; when stuck => draw; }\n";
        assert_eq!(mended(text), text);
        assert_eq!(titles(text), ["`is connected to` is no relation of the language"]);
        assert!(helps(text)[0].contains("`dock in mill.neighbors`"), "{:?}", helps(text));
    }

    #[test]
    fn values_of_the_mover_are_compared() {
        let text = |condition: &str| {
            format!(
                "enum Kind {{ squire, lancer }}\nrecord Man(side: Player, kind: Kind);\n\
                 state {{ on[c: Cell]: Man? = none; }}\nmove m(a: Cell) as \"{{a}}\" {{ when {condition}; n := 1; }}\n"
            )
        };
        for (old, new) in [
            ("on[a] is my squire", "on[a] = Man(me, squire)"),
            ("on[a] is not my lancer and n = 0", "on[a] != Man(me, lancer) and n = 0"),
            ("on[a] is an own squire", "on[a] = Man(me, squire)"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
    }

    #[test]
    fn quantifiers_have_their_signs() {
        let text = |term: &str| format!("def f(c: Cell) = {term};\n");
        for (old, new) in [
            ("count b in c.neighbors if at[b] = A", "count b in c.neighbors: at[b] = A"),
            ("sum b in c.around if at[b] = A: n[b]", "sum b in c.around where at[b] = A: n[b]"),
            ("(no b in c.around if at[b] = A) and n = 1", "(no b in c.around: at[b] = A) and n = 1"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
        }
    }

    #[test]
    fn outcomes_follow_an_arrow() {
        let text = |sign: &str| {
            format!("players A, B;\nend {{ when n = 3 {sign} A wins; when not f(2) {sign} draw; }}\n")
        };
        assert_eq!(mended(&text("=")), text("=>"));
    }

    #[test]
    fn signs_of_a_diagram_have_values() {
        let text = "state { map[c: Cell]: Tile = diagram level; }\n";
        assert_eq!(titles(text), ["a diagram says what each of its signs means"]);
    }
}
