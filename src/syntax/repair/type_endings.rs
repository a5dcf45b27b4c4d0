//! Types with the signs and words of other languages around them: `bool | null`, `Optional[bool]`, `int[]`,
//! `Card list`, and the field `let n: 0..9;`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::lex::TokenKind;

/// Words for a value that is missing.
const MISSING: [&str; 9] = ["null", "none", "nil", "None", "Nothing", "nothing", "undefined", "Null", "NULL"];

/// Words before a type whose value may be missing.
const OPTIONAL: [&str; 9] =
    ["Optional", "Option", "Maybe", "optional", "option", "maybe", "opt", "nullable", "Nullable"];

/// Signs and words between a type and the value that is missing.
const JOINTS: [&str; 5] = ["|", "or", "||", "/", ","];

/// Words for numbers that do not say which ones.
const NUMBERS: [&str; 10] =
    ["int", "integer", "Int", "Integer", "number", "Number", "nat", "uint", "float", "Nat"];

/// The maximal number of words of a type that is read so.
const MAX_TYPE_WORDS: usize = 16;

impl FixFinder<'_> {
    /// Fixes and explanations of types with signs of other languages.
    pub fn type_endings(&self, fixes: &mut Vec<Fix>) {
        let all = [self.optional_type(), self.array_behind_its_type(), self.field_with_let()];
        fixes.extend(all.into_iter().flatten());
    }

    /// The first word of the type around the mistake, and the word after its last.
    fn type_around(&self) -> Option<(usize, usize)> {
        let at = self.bounds.at;
        let is_colon = |colon: &usize| self.layout.text(*colon) == ":";
        let from = self.bounds.clause.max(at.saturating_sub(MAX_TYPE_WORDS));
        let colon = (from..at).rev().find(is_colon)?;
        let is_item = (self.bounds.first..colon).take(3).any(|word| {
            matches!(
                self.layout.text(word),
                "param" | "const" | "record" | "def" | "inductive" | "move" | "chance" | "effect"
            )
        });
        let is_head = match self.bounds.place {
            ClauseContext::State => true,
            ClauseContext::Top => is_item,
            _ => false,
        };
        let has_value = (self.bounds.clause..colon).any(|word| self.layout.text(word) == "=");
        if !is_head || has_value || !self.is_name(colon.checked_sub(1)?) && self.layout.text(colon - 1) != "]"
        {
            return None;
        }
        let start = colon + 1;
        let mut end = start;
        while end < self.layout.words.len() {
            match self.layout.text(end) {
                "=" | ";" | "hidden" | "visible" | "where" | "{" | "," | "" => break,
                _ => {}
            }
            end = match self.layout.words[end].kind {
                TokenKind::Close => break,
                TokenKind::Open => self.layout.partner(end)? + 1,
                _ => end + 1,
            };
        }
        (start < end && end <= start + MAX_TYPE_WORDS && at <= end).then_some((start, end))
    }

    /// Returns true if the words are a type.
    fn is_type(&self, start: usize, end: usize) -> bool {
        let text = self.text(start, end);
        start < end && !text.contains(DAMAGE_MARKER) && trial_parse(Rule::one_type, text).is_ok()
    }

    /// The words of the type in `bool | null`, `none or bool`, `Optional[bool]`, `Maybe bool` and `?bool`.
    fn inner_type(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let text = |at: usize| self.layout.text(at);
        let is_missing = |at: usize| MISSING.contains(&text(at));
        let is_joint = |at: usize| JOINTS.contains(&text(at));
        let is_optional = OPTIONAL.contains(&text(start)) && end > start + 1;
        let is_closed = |open: usize| self.layout.partner(open) == Some(end - 1);
        let (from, to) = match () {
            () if end > start + 2 && is_missing(end - 1) && is_joint(end - 2) => (start, end - 2),
            () if end > start + 2 && is_missing(start) && is_joint(start + 1) => (start + 2, end),
            () if is_optional && matches!(text(start + 1), "[" | "(") && is_closed(start + 1) => {
                (start + 2, end - 1)
            }
            () if is_optional && text(start + 1) == "<" && text(end - 1) == ">" => (start + 2, end - 1),
            () if is_optional && text(start + 1) == "of" => (start + 2, end),
            () if is_optional => (start + 1, end),
            () if text(start) == "?" => (start + 1, end),
            () => return None,
        };
        let to = if to > from && text(to - 1) == "?" { to - 1 } else { to };
        self.is_type(from, to).then_some((from, to))
    }

    /// Rewrites the type `bool | null` to `bool?`.
    fn optional_type(&self) -> Option<Fix> {
        let (start, end) = self.type_around()?;
        let (from, to) = self.inner_type(start, end)?;
        let bare = self.text(from, to);
        let new = match self.layout.text(from) {
            "set" => format!("({bare})?"),
            "list" => return None,
            _ => format!("{bare}?"),
        };
        let title = "a type whose values may be missing has a `?` behind it";
        let label = (self.range(start).0, self.range(end - 1).1);
        let first = self.layout.text(end + 1);
        let is_foreign = self.layout.text(end) == "="
            && MISSING.contains(&first)
            && first != "none"
            && matches!(self.layout.text(end + 2), ";" | "hidden" | "visible");
        // The first value of such a field has a word of its own as well.
        let fix = match is_foreign {
            true => {
                let new = format!("{new} = none");
                let range = (label.0, self.range(end + 1).1);
                Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
            }
            false => Fix::new(label, &new, Code::E0013, title).help(format!("write `{new}`")),
        };
        Some(Fix { accepts_partial: true, ..fix.at(label) })
    }

    /// Rewrites the types `Card[]` and `Card list` of parameters and constants to `list of Card`, and explains
    /// `int[]` and those of fields.
    fn array_behind_its_type(&self) -> Option<Fix> {
        let (start, end) = self.type_around()?;
        let text = |at: usize| self.layout.text(at);
        let last = match text(end - 1) {
            "]" if end > start + 2 && text(end - 2) == "[" => end - 2,
            "list" | "array" | "List" | "Array" | "vector" if end > start + 1 => end - 1,
            _ => return None,
        };
        let is_enclosed = text(start) == "(" && self.layout.partner(start) == Some(last - 1);
        let (from, to) = if is_enclosed { (start + 1, last - 1) } else { (start, last) };
        let of = self.text(from, to);
        let is_number = to == from + 1 && NUMBERS.contains(&of);
        if !is_number && !self.is_type(from, to) {
            return None;
        }
        let range = (self.range(start).0, self.range(end - 1).1);
        let name = text(start.checked_sub(2)?);
        let item = text(self.bounds.first);
        let of = if is_number { "0..9" } else { of };
        if !matches!(item, "param" | "const") || text(start - 2) == "]" {
            let title = "lists are for parameters and constants: a field has a key in place of one";
            let help = format!("write `{name}[i: 1..3]: {of}`, with the range of its places");
            let is_field = self.bounds.place == ClauseContext::State && name != "]";
            return is_field.then(|| explained(range, DAMAGE_MARKER, title, help));
        }
        let title = "the type of a list begins with `list of`";
        let new = format!("list of {of}");
        if !is_number {
            return Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")));
        }
        if item == "const" {
            let help = format!("write `{new}` with the range of its numbers, or leave the type out");
            return Some(explained((self.range(start - 2).1, range.1), "", title, help).at(range));
        }
        let help = format!("write `{new}`, with the range of its numbers");
        Some(explained(range, DAMAGE_MARKER, title, help))
    }

    /// Rewrites the field `let n: 0..9 = 0;` to `n: 0..9 = 0;`.
    fn field_with_let(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let count = match (self.layout.text(clause), self.layout.text(clause + 1)) {
            ("let", "mut") => 2,
            ("let", _) => 1,
            _ => return None,
        };
        let name = clause + count;
        let is_field = self.bounds.place == ClauseContext::State
            && self.bounds.at <= name
            && self.is_name(name)
            && matches!(self.layout.text(name + 1), ":" | "[");
        is_field.then(|| {
            let title = "a field begins with its name: `let` has no meaning here";
            let range = (self.range(clause).0, self.range(name).0);
            let fix = Fix::new(range, "", Code::E0013, title).at((range.0, self.range(name - 1).1));
            Fix { accepts_partial: true, ..fix.help("leave it out") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    fn field(ty: &str) -> String {
        format!("state {{ called: {ty}; }}\n")
    }

    #[test]
    fn missing_values_have_a_question_mark() {
        for theirs in [
            "bool | null",
            "null | bool",
            "none or bool",
            "bool or none",
            "bool? | none",
            "bool | none",
            "Optional[bool]",
            "Option<bool>",
            "Maybe bool",
            "Maybe(bool)",
            "?bool",
            "optional bool",
            "bool | null = null",
            "bool or none = nil",
        ] {
            let value = if theirs.contains('=') { " = none" } else { "" };
            assert_eq!(mended(&field(theirs)), field(&format!("bool?{value}")), "{theirs}");
            assert_eq!(titles(&field(theirs)).len(), 1, "{theirs}: {:?}", titles(&field(theirs)));
        }
        assert_eq!(mended(&field("Card or none = none")), field("Card? = none"));
        assert_eq!(mended(&field("0..3 or none")), field("0..3?"));
        assert_eq!(mended(&field("set of Cell or none")), field("(set of Cell)?"));
        let two = "state { a: bool | null; b[p: Player]: bool | null = null; }\n";
        assert_eq!(mended(two), "state { a: bool?; b[p: Player]: bool? = none; }\n");
        let head = |ty: &str| format!("def f(x: {ty}, y: 1..2) = y = 1;\n");
        assert_eq!(mended(&head("bool | none")), head("bool?"));
        for sound in ["bool?", "(set of Cell)? = none", "{ N, S }"] {
            assert_eq!(titles(&field(sound)), Vec::<String>::new(), "{sound}");
        }
    }

    #[test]
    fn lists_begin_with_their_word() {
        let text = |ty: &str| format!("const start: {ty} = [1, 0];\n");
        for theirs in ["(0..4)[]", "(0..4) list", "0..4 list"] {
            assert_eq!(mended(&text(theirs)), text("list of 0..4"), "{theirs}");
        }
        assert_eq!(mended(&text("Card[]")), text("list of Card"));
        for unknown in ["int[]", "int list"] {
            assert_eq!(mended(&text(unknown)), text(unknown));
            assert_eq!(titles(&text(unknown)), ["the type of a list begins with `list of`"]);
        }
        let field = field("0..4[]");
        assert!(helps(&field)[0].contains("`called[i: 1..3]: 0..4`"), "{:?}", helps(&field));
    }

    #[test]
    fn fields_need_no_let() {
        let text = |word: &str| format!("state {{ n: 0..9 = 0; {word}here: Cell = a1; }}\n");
        assert_eq!(mended(&text("let ")), text(""));
        assert_eq!(mended(&text("let mut ")), text(""));
    }
}
