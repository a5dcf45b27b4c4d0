//! Sums by a function of a whole field or list: `total(purse)`, `sum(piles)`.

use super::lexical::LexicalRepair;
use super::outline::{Outline, term_of_words};
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of sums that are rewritten, since each one lexes the whole text again.
const MAX_SUMS: usize = 20;

/// Names of functions that add numbers.
const FUNCTIONS: [&str; 6] = ["sum", "total", "sum_of", "total_of", "sumOf", "totalOf"];

/// A sum by a function: its range, and what it is here.
struct Sum {
    range: std::ops::Range<usize>,
    name: String,
    new: String,
}

/// Writes `(sum q in Player: purse[q])` for `total(purse)`.
pub(super) fn sums(file: FileId, sound: &mut LexicalRepair) {
    for _ in 0..MAX_SUMS {
        let words: Vec<Token> = sound.tokens.iter().filter(|token| !token.is_comment()).copied().collect();
        let Some(sum) = first_sum(&sound.text, &words) else { return };
        let start = sound.offsets.start(sum.range.start);
        let span = Span::new(file, start, sound.offsets.end(sum.range.end).max(start));
        let title = format!("the values of `{}` are added one by one, each by its key", sum.name);
        let found = Diagnostic::new(Code::E0013, title, span, "").help(format!("write `{}`", sum.new));
        sound.diagnostics.push(found.edit(span, sum.new.clone()));
        sound.replace(sum.range, &sum.new);
    }
}

/// The first sum by a function.
fn first_sum(text: &str, words: &[Token]) -> Option<Sum> {
    let word = |at: usize| words[at].text(text);
    let is_call = |&at: &usize| {
        let touches = words[at].end == words[at + 1].start;
        let before = at.checked_sub(1).map_or("", word);
        let is_argument = words[at + 2].kind == TokenKind::Word && word(at + 1) == "(" && word(at + 3) == ")";
        touches
            && is_argument
            && FUNCTIONS.contains(&word(at))
            && !matches!(before, "def" | "inductive" | "effect" | ".")
    };
    let calls: Vec<usize> = (0..words.len().saturating_sub(3)).filter(is_call).collect();
    if calls.is_empty() {
        return None;
    }
    let outline = Outline::of(text);
    calls.into_iter().find_map(|at| {
        let (function, name) = (word(at), word(at + 2));
        let is_own = function != "sum"
            && (outline.declares(function) || outline.field(function).is_some() || outline.uses_files());
        let fresh = |names: [&'static str; 5]| names.into_iter().find(|name| !outline.has_word(name));
        let domain = match outline.field(name) {
            // The sum of a field by `sum(...)` is one of the memberships.
            Some(_) if function == "sum" => return None,
            Some(field) => match &field.keys[..] {
                [(_, key)] if field.ty.contains(&"..") => term_of_words(key),
                _ => return None,
            },
            None if outline.is_list(name) => format!("1..#{name}"),
            None => return None,
        };
        let variable =
            fresh(if domain.contains("..") { ["i", "k", "j", "x", "y"] } else { ["q", "x", "y", "k", "j"] })?;
        let new = format!("(sum {variable} in {domain}: {name}[{variable}])");
        let range = words[at].start..words[at + 3].end;
        (!is_own).then(|| Sum { range, name: name.to_owned(), new })
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    fn text(sum: &str) -> String {
        format!(
            "param piles: list of 1..3 = [1, 2];\nstate {{ purse[p: Player]: 0..9 = 0; owner[p: Player]: Player = p; }}\n\
             end {{ when over => payoff p: 3 * purse[p] - {sum}; }}\n"
        )
    }

    #[test]
    fn values_are_added_by_their_keys() {
        let new = text("(sum q in Player: purse[q])");
        for function in ["total", "sum_of"] {
            assert_eq!(mended(&text(&format!("{function}(purse)"))), new);
        }
        assert_eq!(mended(&text("sum(piles)")), text("(sum i in 1..#piles: piles[i])"));
    }

    #[test]
    fn functions_of_the_file_are_kept() {
        let own = format!("def total(n: 0..9) = n;\n{}", text("total(purse)"));
        assert_eq!(titles(&own), Vec::<String>::new());
        assert_eq!(titles(&text("total(owner)")), Vec::<String>::new());
    }
}
