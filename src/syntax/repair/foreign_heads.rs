//! Heads of items in the form of other languages: `players ["A", "B"];`, `simultaneous move show()`, `always f;`,
//! `hex Cell(3, 3);`, `int wealth(Player p) = ...;`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::forms::AT_ONCE;
use super::heads::SHAPES;
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;

/// Words of other languages for the type of the result of a function.
const RESULTS: [&str; 12] = [
    "int", "integer", "bool", "boolean", "float", "double", "number", "auto", "set", "list", "string", "char",
];

/// Words for what holds, or must hold.
const CLAIMS: [&str; 8] =
    ["always", "assert", "require", "requires", "ensure", "ensures", "guarantee", "property"];

impl FixFinder<'_> {
    /// Fixes and explanations of heads of other languages.
    pub fn foreign_heads(&self, fixes: &mut Vec<Fix>) {
        if self.bounds.place == ClauseContext::Top {
            let all = [
                self.players_in_a_list(),
                self.move_at_once(),
                self.claim_by_another_word(),
                self.board_with_its_name_inside(),
                self.definition_by_its_type(),
            ];
            fixes.extend(all.into_iter().flatten());
        }
    }

    /// Rewrites `players ["A", "B"];` and `players "A", "B";` to `players A, B;`.
    fn players_in_a_list(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_players =
            matches!(self.layout.text(first), "players" | "player") && self.bounds.at <= first + 3;
        let open = first + 1;
        let close = self.layout.partner(open).filter(|_| matches!(self.layout.text(open), "[" | "(" | "{"));
        let end = match close {
            Some(close) => close + 1,
            None if self.layout.text(open).starts_with('"') => self.outside_brackets(open, &[";"])?,
            None => return None,
        };
        let inside = if close.is_some() { open + 1..end - 1 } else { open..end };
        let names: Vec<&str> = inside
            .map(|at| self.layout.text(at))
            .filter(|word| *word != ",")
            .map(|word| word.trim_matches('"'))
            .collect();
        let is_name = |name: &&str| {
            keywords::starts_with_letter(name)
                && !keywords::is_reserved(name)
                && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        };
        let has_quotes = (open..end).any(|at| self.layout.text(at).starts_with('"'));
        let is_end = self.layout.text(end) == ";" && has_quotes;
        (is_players && is_end && !names.is_empty() && names.iter().all(is_name)).then(|| {
            let new = format!(" {}", names.join(", "));
            let range = (self.range(first).1, self.range(end - 1).1);
            let title = "the players are names, with commas between them";
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(open).0, range.1));
            fix.help(format!("write `{}{new};`", self.layout.text(first)))
        })
    }

    /// Explains `simultaneous move show(...)`, and leaves the word out where a phase says so already.
    fn move_at_once(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let word = self.layout.text(first);
        let is_head = AT_ONCE.contains(&word)
            && matches!(self.layout.text(first + 1), "move" | "private" | "mandatory")
            && self.bounds.at <= first + 1;
        let end = self.layout.item_end(first);
        let open = (first..end).find(|&at| self.layout.text(at) == "{").unwrap_or(end);
        let phase = (first..open).find(|&at| self.layout.text(at) == "in").map(|at| self.layout.text(at + 1));
        let is_said = phase.is_some_and(|phase| self.outline().has_words(&[phase, "by", "each"]));
        is_head.then(|| {
            let title =
                format!("that all players choose at once is said of a phase: `{word}` has no meaning here");
            let range = (self.range(first).0, self.range(first + 1).0);
            let fix = match is_said {
                true => Fix::new(range, "", Code::E0013, title).help("leave it out"),
                false => {
                    let phase = phase.unwrap_or("show");
                    let help = format!(
                        "write `phases {{ {phase} by each; }}`, and `move {}(...) in {phase}`",
                        self.layout.text(first + 2)
                    );
                    explained(range, "", &title, help)
                }
            };
            Fix { accepts_partial: true, ..fix.at(self.range(first)) }
        })
    }

    /// Rewrites `always f;` to `invariant f;`, and explains `assert f;` and `require f;` among the items.
    fn claim_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let word = self.layout.text(first);
        let is_word = CLAIMS.contains(&word) && self.bounds.at <= first + 2;
        let end = self.outside_brackets(first + 1, &[";"]).filter(|&end| is_word && end > first + 2)?;
        let claim = self.text(first + 1, end);
        let item = format!("invariant {claim};");
        let is_claim = trial_parse(Rule::item, &item).is_ok_and(|length| length == item.len());
        if !is_claim || self.layout.text(first + 1).starts_with('"') {
            return None;
        }
        let shown = if claim.len() <= 60 { claim } else { "..." };
        let title = "what holds in all positions is an `invariant`";
        let fix = Fix::new(self.range(first), "invariant", Code::E0013, title);
        let fix = match word {
            "always" => fix.help(format!("write `invariant {shown};`")),
            _ => {
                let help = format!(
                    "write `invariant {shown};` if it is to be proved of all positions; what a move needs is a `when ...;` \
                     in its braces"
                );
                Fix { is_correction: false, ..fix.help(help) }
            }
        };
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `hex Cell(3, 3);` to `board Cell = hex(3, 3);`.
    fn board_with_its_name_inside(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let shape = self.layout.text(first);
        let name = first + 1 + usize::from(self.layout.text(first + 1) == "board");
        let open = name + 1;
        let is_head = SHAPES.contains(&shape) && self.is_name(name) && self.bounds.at <= open;
        let close =
            self.layout.partner(open).filter(|_| is_head && matches!(self.layout.text(open), "(" | "["))?;
        (self.layout.text(close + 1) == ";").then(|| {
            let new = format!("board {} = {shape}({})", self.layout.text(name), self.text(open + 1, close));
            let range = (self.range(first).0, self.range(close).1);
            let title = "a board has a name, and then its form and its sizes";
            Fix::new(range, &new, Code::E0013, title).at(self.range(first)).help(format!("write `{new};`"))
        })
    }

    /// Rewrites `int wealth(Player p) = e;` to `def wealth(p: Player) = e;`.
    fn definition_by_its_type(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let result = self.layout.text(first);
        let outline = self.outline();
        let is_type = |word: &str| word == "Player" || outline.declares_type(word);
        let (name, open) = (first + 1, first + 2);
        let is_head = (RESULTS.contains(&result) || is_type(result))
            && self.is_name(name)
            && self.layout.text(open) == "("
            && self.bounds.at <= open;
        let close = self.layout.partner(open).filter(|_| is_head)?;
        if !matches!(self.layout.text(close + 1), "=" | ":=") {
            return None;
        }
        let mut is_known = true;
        let params = self.parts_between(open + 1, close).into_iter().map(|param| {
            let words: Vec<&str> = param.split_whitespace().collect();
            match words[..] {
                [ty, name] if is_type(ty) => format!("{name}: {ty}"),
                _ if param.contains(':') => param.to_owned(),
                [_, name] | [name] => {
                    is_known = false;
                    format!("{name}: {DAMAGE_MARKER}")
                }
                _ => {
                    is_known = false;
                    DAMAGE_MARKER.to_owned()
                }
            }
        });
        let params = params.collect::<Vec<_>>().join(", ");
        let name = self.layout.text(name);
        let new = format!("def {name}({params}) =");
        let range = (self.range(first).0, self.range(close + 1).1);
        let title = "a term with a name is a definition, and a parameter has its type behind it";
        let shown = params.replace(DAMAGE_MARKER, "TYPE");
        let fix = Fix::new(range, &new, Code::E0013, title).at((range.0, self.range(close).1));
        let fix = fix.help(format!("write `def {name}({shown}) = ...;`"));
        Some(Fix { is_correction: is_known, accepts_partial: true, ..fix })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn players_are_names() {
        for theirs in ["[\"Ira\", \"Jon\"]", "(\"Ira\", \"Jon\")", "\"Ira\", \"Jon\""] {
            let text = format!("players {theirs};\n");
            assert_eq!(mended(&text), "players Ira, Jon;\n", "{theirs}");
            assert_eq!(titles(&text).len(), 1, "{theirs}");
        }
    }

    #[test]
    fn phases_are_for_all_at_once() {
        let text = |word: &str, phase: &str| {
            format!("phases {{ show{phase}; }}\n{word}move put(k: 1..2) in show {{ n[me] := k; }}\n")
        };
        assert_eq!(mended(&text("simultaneous ", " by each")), text("", " by each"));
        let alone = text("concurrent ", "");
        assert_eq!(mended(&alone), alone);
        assert!(helps(&alone)[0].contains("`phases { show by each; }`"), "{:?}", helps(&alone));
    }

    #[test]
    fn invariants_hold_always() {
        let text = |word: &str| format!("{word} kept: (sum p in Pot: heap[p]) = 4;\n");
        assert_eq!(mended(&text("always")), text("invariant"));
        for word in ["assert", "require", "ensure"] {
            assert_eq!(mended(&text(word)), text(word));
            assert_eq!(titles(&text(word)), ["what holds in all positions is an `invariant`"]);
        }
    }

    #[test]
    fn boards_have_a_name_before_their_form() {
        assert_eq!(mended("hex Plot(n, n);\n"), "board Plot = hex(n, n);\n");
        assert_eq!(mended("grid board Cell(3, 3);\n"), "board Cell = grid(3, 3);\n");
    }

    #[test]
    fn definitions_begin_with_def() {
        let text = |head: &str| format!("players A, B;\n{head} = n[p] + 1;\n");
        assert_eq!(mended(&text("int wealth(Player p)")), text("def wealth(p: Player)"));
        assert_eq!(mended(&text("bool wealth(p: Player)")), text("def wealth(p: Player)"));
        let unknown = text("int wealth(p)");
        assert_eq!(mended(&unknown), unknown);
        assert_eq!(helps(&unknown), ["write `def wealth(p: TYPE) = ...;`"]);
    }
}
