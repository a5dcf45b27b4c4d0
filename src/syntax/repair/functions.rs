//! Definitions as in other languages: `def f(x: T) :- a, b;` of Prolog, `def f = (x) => e;` of JavaScript.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::lexical::LexicalRepair;
use super::phrases::explained;
use crate::diag::{Code, Diagnostic};
use crate::keywords;
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of rules that are rewritten, since each one lexes the whole text again.
const MAX_RULES: usize = 20;

/// The maximal number of words before the `:-` of a definition.
const MAX_HEAD_WORDS: usize = 200;

/// A definition with `:-`, as indices of words.
struct Rule {
    /// The `:`.
    sign: usize,
    /// The commas between the conditions.
    commas: Vec<usize>,
    /// The `;` at its end, or the full stop.
    end: usize,
    /// True if `and` for the commas would take in other words than the writer meant.
    is_unsure: bool,
}

/// Writes `def f(x: T) = a and b;` for `def f(x: T) :- a, b;`.
pub(super) fn rules(file: FileId, sound: &mut LexicalRepair) {
    for _ in 0..MAX_RULES {
        let words: Vec<Token> = sound.tokens.iter().filter(|token| !token.is_comment()).copied().collect();
        let Some(rule) = (2..words.len()).find_map(|at| rule_at(&sound.text, &words, at)) else { return };
        let (start, end) = (words[rule.sign].start, words[rule.sign + 1].end);
        let place = |from: usize, to: usize| {
            let start = sound.offsets.start(from);
            Span::new(file, start, sound.offsets.end(to).max(start))
        };
        let blank = |is_blank: bool| if is_blank { "" } else { " " };
        let new = format!(
            "{}={}",
            blank(sound.text[..start].ends_with(char::is_whitespace)),
            blank(sound.text[end..].starts_with(char::is_whitespace))
        );
        let title = "`:-` is a rule of Prolog: what a definition says stands after `=`";
        let mut found = Diagnostic::new(Code::E0013, title, place(start, end), "");
        if rule.is_unsure {
            let help = "write `=` in its place, and `and` for the commas, with brackets where other words \
                        join conditions";
            sound.diagnostics.push(found.help(help));
            sound.replace(end..words[rule.end].start, &format!(" {DAMAGE_MARKER}"));
            sound.replace(start..end, &new);
            continue;
        }
        let help = if rule.commas.is_empty() { "write `=`" } else { "write `=`, and `and` for the commas" };
        found = found.help(help).edit(place(start, end), new.clone());
        for &comma in &rule.commas {
            found = found.edit(place(words[comma].start, words[comma].end), " and");
        }
        // A rule of Prolog ends with a full stop.
        let stop = words[rule.end];
        if stop.text(&sound.text) == "." {
            found = found.edit(place(stop.start, stop.end), ";");
            sound.replace(stop.start..stop.end, ";");
        }
        for &comma in rule.commas.iter().rev() {
            sound.replace(words[comma].start..words[comma].end, " and");
        }
        sound.replace(start..end, &new);
        sound.diagnostics.push(found);
    }
}

/// The definition whose `:-` is at this word.
fn rule_at(text: &str, words: &[Token], sign: usize) -> Option<Rule> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text(text));
    let is_sign = word(sign) == ":" && word(sign + 1) == "-" && words[sign].end == words[sign + 1].start;
    if !is_sign {
        return None;
    }
    let first = (sign.saturating_sub(MAX_HEAD_WORDS)..sign)
        .rev()
        .take_while(|&at| !matches!(word(at), ";" | "{" | "}"))
        .last()?;
    let first = (first..sign).find(|&at| !word(at).starts_with("//"))?;
    let has_head = sign == first + 2 || word(first + 2) == "(" && word(sign - 1) == ")";
    if !matches!(word(first), "def" | "inductive") || !has_head {
        return None;
    }
    let (mut commas, mut depth, mut is_unsure) = (Vec::new(), 0_usize, false);
    for (at, token) in words.iter().enumerate().skip(sign + 2) {
        match (token.kind, word(at)) {
            (TokenKind::Open, _) => depth += 1,
            (TokenKind::Close, _) => depth = depth.checked_sub(1)?,
            (_, ";" | ".") if depth == 0 && (word(at) == ";" || ends_line(text, token.end)) => {
                return Some(Rule { sign, is_unsure: is_unsure && !commas.is_empty(), commas, end: at });
            }
            // The type of a definition may be a range of negative numbers.
            (_, "..") if depth == 0 && commas.is_empty() => return None,
            (_, ",") if depth == 0 => commas.push(at),
            (TokenKind::Word, joint) if depth == 0 => {
                is_unsure |= matches!(joint, "or" | "implies" | "iff" | "not")
                    || keywords::extends_to_clause_end(joint)
                    || joint == "for";
            }
            _ => {}
        }
    }
    None
}

/// Returns true if only blanks follow a byte in its line.
fn ends_line(text: &str, at: usize) -> bool {
    text[at..].lines().next().is_none_or(|rest| rest.trim().is_empty())
}

impl FixFinder<'_> {
    /// Rewrites `def f = (x: T) => e;` to `def f(x: T) = e;`, and explains it without the types.
    pub fn functions(&self, fixes: &mut Vec<Fix>) {
        let is_head = |at: &usize| !self.layout.text(*at).starts_with("///");
        let Some(first) = (self.bounds.first..self.bounds.at).find(is_head) else { return };
        let name = first + 1;
        if self.layout.text(first) != "def" || self.layout.text(first + 2) != "=" {
            return;
        }
        let open = first + 3;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "(");
        let (parts, arrow) = match close {
            Some(close) => (self.parts_between(open + 1, close), close + 1),
            None if self.is_name(open) => (vec![self.layout.text(open)], open + 1),
            None => return,
        };
        let is_parameter = |part: &&str| {
            let name = part.split(':').next().unwrap_or_default().trim();
            keywords::starts_with_letter(name)
                && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
                && !keywords::is_reserved(name)
        };
        let is_arrow = matches!(self.layout.text(arrow), "=>" | "->");
        if !is_arrow || self.bounds.at > arrow || parts.is_empty() || !parts.iter().all(is_parameter) {
            return;
        }
        let title = "the parameters of a definition stand behind its name, each with its type";
        let range = (self.range(name).1, self.range(arrow).1);
        let head = self.layout.text(name);
        if parts.iter().all(|part| part.contains(':')) {
            let new = format!("({}) =", parts.join(", "));
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(arrow));
            fixes.push(fix.help(format!("write `def {head}{new} ...;`")));
            return;
        }
        let typed = |ty: &str| {
            let parts = parts.iter().map(|part| match part.contains(':') {
                true => (*part).to_owned(),
                false => format!("{part}: {ty}"),
            });
            format!("({}) =", parts.collect::<Vec<_>>().join(", "))
        };
        let help =
            format!("write `def {head}{} ...;`, with a type for each `...` in the brackets", typed("..."));
        fixes.push(explained(range, &typed(DAMAGE_MARKER), title, help).at(self.range(arrow)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn rules_of_prolog_are_definitions() {
        let new = "def f(x: 1..3) = n = x and x < 3;\n";
        assert_eq!(mended("def f(x: 1..3) :- n = x, x < 3;\n"), new);
        assert_eq!(mended("def f(x: 1..3):-n = x, x < 3;\n"), new);
        assert_eq!(mended("def f() :- n = 2;\ndef g :- n = 3;\n"), "def f() = n = 2;\ndef g = n = 3;\n");
        assert_eq!(mended("def f(x: 1..3) :- n = x, x < 3.\n"), new);
        assert_eq!(titles("def f(x: 1..3) :- n = x, x < 3.\n").len(), 1);
        let text = "def f(x: 1..3) :- n = x or n = 2, x < 3;\n";
        assert_eq!(mended(text), text);
        assert_eq!(titles(text).len(), 1);
        assert!(helps(text)[0].contains("with brackets"), "{:?}", helps(text));
    }

    #[test]
    fn types_of_negative_numbers_are_no_rules() {
        let text = "def f(x: 1..3):-3..3 = -x;\ndef g(x: 1..3):-k..k = -x;\nstate { n:-3..3 = 0; }\n";
        assert_eq!(titles(text), Vec::<String>::new());
    }

    #[test]
    fn a_documented_function_is_told() {
        let text = "/// A cell that is full.\ndef f = (x, p) => some n in S: n = x;\n";
        assert!(helps(text).len() == 1 && helps(text)[0].contains("`def f(x: ..., p: ...) = ...;`"));
    }

    #[test]
    fn parameters_stand_behind_the_name() {
        let new = "def f(x: 1..3, p: Player) = n = x;\n";
        assert_eq!(mended("def f = (x: 1..3, p: Player) => n = x;\n"), new);
        for text in ["def f = (x, p) => n = x;\n", "def f = x => n = x;\n", "def f = (x, p) -> n = x;\n"] {
            assert_eq!(mended(text), text);
            assert_eq!(titles(text).len(), 1, "{text}: {:?}", titles(text));
            assert!(helps(text)[0].contains("write `def f(x: ..."), "{:?}", helps(text));
        }
    }
}
