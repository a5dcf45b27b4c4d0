//! W0111 for a point of a graph that is named once, and whose name is a slip of the pen away from one that is
//! named more often: `bran` for `barn`.

use std::collections::HashMap;

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{BoardForm, ItemKind, Name};
use bouton_syntax::diag::{Code, Diagnostic};

/// The fewest letters of a name that may be misspelt: shorter ones are often alike.
const FEWEST_LETTERS: usize = 4;

/// A point that is named once, and the first place of the one that its name is near to.
struct LonePoint<'a> {
    point: &'a Name,
    near: &'a str,
    first: Span,
    /// Both names stand once in the graph, so either may be the right one.
    is_alike: bool,
}

impl<'a> Analyzer<'a> {
    /// Runs the lint.
    pub(super) fn lone_points(&mut self) {
        let mut found: Vec<LonePoint<'a>> = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::Board { name, form: BoardForm::Graph(clauses), .. } = &item.kind else { continue };
            if !own {
                continue;
            }
            let points: Vec<&'a Name> = clauses
                .iter()
                .flat_map(|clause| {
                    [&clause.first].into_iter().chain(clause.rest.iter().map(|(_, name)| name))
                })
                .collect();
            let mut times: HashMap<&str, usize> = HashMap::new();
            for point in &points {
                *times.entry(point.text.as_str()).or_default() += 1;
            }
            for &point in points.iter().filter(|point| times[point.text.as_str()] == 1) {
                let is_near = |other: &&&'a Name| {
                    times[other.text.as_str()] > 1 && is_slip(&point.text, &other.text)
                        || is_doubled(&point.text, &other.text)
                        || is_scrambled(&point.text, &other.text)
                            && self.is_named_elsewhere(&name.text, &other.text)
                };
                let Some(near) = points.iter().find(is_near) else { continue };
                if !self.is_named_elsewhere(&name.text, &point.text) {
                    let is_alike =
                        times[near.text.as_str()] == 1 && !self.is_named_elsewhere(&name.text, &near.text);
                    found.push(LonePoint { point, near: &near.text, first: near.span, is_alike });
                }
            }
        }
        for LonePoint { point, near, first, is_alike } in found {
            let title = format!("the point `{}` is named only here: did you mean `{near}`?", point.text);
            let found = Diagnostic::new(Code::W0111, title, point.span, "a point of its own");
            let name = &point.text;
            let help = match is_alike {
                true => format!(
                    "if they are one point, write `{name}` or `{near}` at both places; if they are two, give one of them a \
                     name that is less like the other"
                ),
                false => format!(
                    "write `{near}`; if `{name}` is another point, give it a name that is less like `{near}`"
                ),
            };
            self.report(found.label(first, "the point with nearly this name").help(help));
        }
    }

    /// Returns true if a rule names a point of a board.
    fn is_named_elsewhere(&self, board: &str, point: &str) -> bool {
        self.used_members.iter().any(|(of, member)| {
            let of = &self.rules.enums[*of];
            of.name == board && of.members.get(*member as usize).is_some_and(|name| name == point)
        })
    }
}

/// Returns true if one name is the other with two letters that changed places, or with one letter within it
/// changed, left out or put in. Names with digits, and those that differ at an end of a part, such as
/// `barn_a` and `barn_b`, are made in a row.
fn is_slip(name: &str, other: &str) -> bool {
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    if !is_plain(name) || !is_plain(other) || name.len().min(other.len()) < FEWEST_LETTERS {
        return false;
    }
    let (a, b) = (name.as_bytes(), other.as_bytes());
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let is_within = || {
        let before = name.as_bytes().get(start.wrapping_sub(1)).is_some_and(|c| *c != b'_');
        let after = name.len().checked_sub(end).and_then(|at| name.as_bytes().get(at));
        before && after.is_some_and(|c| *c != b'_')
    };
    match (a, b) {
        (&[a, b], &[c, d]) => a == d && b == c && a != b'_' && b != b'_',
        (&[a], &[b]) => a != b'_' && b != b'_' && is_within(),
        (&[c], &[]) | (&[], &[c]) => c != b'_' && is_within(),
        _ => false,
    }
}

/// Returns true for a slip that leaves no other word: two letters that changed places, or one that is left
/// out or put in. A changed letter makes `cove` of `cave`.
fn is_scrambled(name: &str, other: &str) -> bool {
    let changed = name.bytes().zip(other.bytes()).filter(|(a, b)| a != b).count();
    is_slip(name, other) && (name.len() != other.len() || changed == 2)
}

/// Returns true if a name is the other with its last letter written twice: `pierr` for `pier`.
fn is_doubled(name: &str, other: &str) -> bool {
    let last = other.chars().last().filter(char::is_ascii_alphabetic);
    other.len() + 1 >= FEWEST_LETTERS && last.is_some_and(|last| name.strip_suffix(last) == Some(other))
}

#[cfg(test)]
mod tests {
    use super::{is_doubled, is_slip};
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    #[test]
    fn slips_are_within_names() {
        for (name, other) in [("bran", "barn"), ("bern", "barn"), ("toewr", "tower"), ("twer", "tower")] {
            assert!(is_slip(name, other) && is_slip(other, name), "{name} {other}");
        }
        for (name, other) in [
            ("a1", "a2"),
            ("inn", "inm"),
            ("room1", "room2"),
            ("barn", "bars"),
            ("barn", "born_a"),
            ("gate_a_in", "gate_b_in"),
            ("east", "west"),
            ("hall", "halls"),
            ("left", "right"),
        ] {
            assert!(!is_slip(name, other), "{name} {other}");
        }
    }

    #[test]
    fn last_letters_are_doubled() {
        assert!(is_doubled("pierr", "pier") && is_doubled("bobb", "bob"));
        for (name, other) in [("a11", "a1"), ("aa", "a"), ("piers", "pier"), ("inn", "in"), ("pier", "pierr")]
        {
            assert!(!is_doubled(name, other), "{name} {other}");
        }
    }

    #[test]
    fn points_that_are_named_once_are_looked_at() {
        let titles = |lines: &str, start: &str| {
            let text = format!(
                "game \"Walk\"; players A, B; board Town = graph {{ {lines} }};
                 state {{ here: Town = {start}; seen: set of Town = {{}}; }}
                 move go(t: Town) as \"{{t}}\" {{ when t in here.neighbors - seen; here := t; seen |= {{ t }}; }}
                 play normal;"
            );
            found(&text, Code::W0111).into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let told = ["the point `bran` is named only here: did you mean `barn`?"];
        assert_eq!(titles("gate - barn; barn - inn; inn - bran;", "gate"), told);
        assert_eq!(titles("gate - barn; barn - inn; inn - bran;", "bran"), [""; 0]);
        assert_eq!(titles("gate - barn; barn - inn; inn - bran; bran - gate;", "gate"), [""; 0]);
        assert_eq!(titles("gate - inn; barn - inn; inn - bran;", "gate"), [""; 0]);
        assert_eq!(titles("gate - inn; barn - inn; inn - bran;", "barn"), told);
        assert_eq!(titles("gate - inn; cave - inn; inn - cove;", "cave"), [""; 0]);
        let told = ["the point `pierr` is named only here: did you mean `pier`?"];
        assert_eq!(titles("gate - inn - pier; inn - pierr;", "gate"), told);
        assert_eq!(titles("gate - inn - pier; inn - pierr; pierr - gate;", "gate"), [""; 0]);
    }
}
