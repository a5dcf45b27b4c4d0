//! Clauses in the notations of other languages for games, of planners, and of programs.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;

/// Types of programs.
const PROGRAM_TYPES: [&str; 11] =
    ["int", "integer", "number", "bool", "boolean", "char", "string", "float", "double", "long", "unsigned"];

impl FixFinder<'_> {
    /// Fixes and explanations of clauses in other notations.
    pub fn notations(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.preprocessor(),
            self.value_among_the_items(),
            self.state_as_an_object(),
            self.type_before_a_field(),
            self.rule_of_prolog(),
            self.sentence_in_brackets(),
            self.goal_of_a_planner(),
            self.parameters_of_a_planner(),
            self.connective_as_a_function(),
            self.next_of_a_field(),
            self.name_in_a_condition(),
            self.action_of_regular_boardgames(),
            self.article_in_a_claim(),
            self.pass_without_a_condition(),
            self.picture_as_a_position(),
            self.last_mover_wins(),
            self.cast(),
            self.unequal_by_a_slash(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Explains `n as int`.
    fn cast(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let ty = self.layout.text(at + 1);
        let is_cast = self.word == "as"
            && self.layout.text(self.bounds.clause) != "move"
            && (PROGRAM_TYPES.contains(&ty) || matches!(ty, "str" | "text" | "i32" | "i64" | "u32" | "f64"));
        is_cast.then(|| {
            let range = (self.here().0, self.range(at + 1).1);
            let title = "values are not converted: each has one type";
            let help = format!(
                "leave out `as {ty}`: numbers are whole, a condition is compared as in `n > 0`, and a name of a move is \
                 `move m(k: 1..3) as \"{{k}}\"`"
            );
            explained(range, "", title, help)
        })
    }

    /// Rewrites `when n /= 3;` to `when n != 3;`. In an effect the operator divides.
    fn unequal_by_a_slash(&self) -> Option<Fix> {
        let before = self.bounds.at.checked_sub(1).filter(|_| self.word == "=" && self.last == "/")?;
        let is_condition = matches!(
            self.layout.text(self.bounds.clause),
            "when" | "if" | "ensure" | "invariant" | "expect" | "require"
        );
        let range = (self.range(before).0, self.here().1);
        (is_condition && self.touches(before))
            .then(|| Fix::new(range, "!=", Code::E0013, "`/=` is written `!=` here").help("write `!=`"))
    }

    fn is_top(&self) -> bool {
        self.bounds.place == ClauseContext::Top && self.bounds.at == self.bounds.first
    }

    /// The first word after `from` that begins a line.
    pub(super) fn next_line(&self, from: usize) -> usize {
        let count = self.layout.words.len();
        (from + 1..count).find(|&at| self.layout.begins_line(at)).unwrap_or(count)
    }

    /// Rewrites `#define N 9` to `const N = 9;`, and explains `#include`.
    fn preprocessor(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_directive = self.word == "#" && self.touches(at) && self.layout.begins_line(at);
        let end = self.next_line(at);
        let range = (self.here().0, self.range(end - 1).1);
        match self.layout.text(at + 1) {
            "define" if is_directive && end > at + 3 => {
                let new = format!("const {} = {};", self.layout.text(at + 2), self.text(at + 3, end));
                let title = "a value has its name by `const`: nothing is replaced before the file is read";
                Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
            }
            "include" | "import" if is_directive => {
                let title = "another file is brought in by `use`";
                let help = "write `use \"std/lines\";` for a library of the language, `use \"pieces\";` for the file `pieces.bou`";
                Some(explained(range, "", title, help))
            }
            _ => None,
        }
    }

    /// Explains `let n = 9;` and `int n = 9;` among the items.
    fn value_among_the_items(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_value =
            matches!(self.word, "let" | "var" | "val" | "global") || PROGRAM_TYPES.contains(&self.word);
        let name = self.layout.text(first + 1);
        let sign = self.layout.text(first + 2);
        let is_named = keywords::starts_with_letter(name) && matches!(sign, "=" | ":=" | ";" | ":");
        let end = self.outside_brackets(first, &[";"]).filter(|_| self.is_top() && is_value && is_named)?;
        let is_function = (first..end).any(|at| matches!(self.layout.text(at), "=>" | "->"));
        // A value that reads the state is neither a first value nor a constant.
        let outline = self.outline();
        let reads_state = (first + 3..end).any(|at| outline.field(self.layout.text(at)).is_some());
        if reads_state && !is_function && matches!(sign, "=" | ":=") && self.word != "var" {
            let title =
                format!("`{}` makes no item: a term of the position has its name by `def`", self.word);
            let fix = Fix::new(
                (self.here().0, self.range(first + 2).1),
                &format!("def {name} ="),
                Code::E0013,
                title,
            );
            return Some(fix.at(self.here()).help(format!("write `def {name} = ...;`")));
        }
        if !is_function && matches!(sign, "=" | ":=") && self.is_a_constant(name) {
            let title = format!("`{}` makes no item: a value that stays is a `const`", self.word);
            let range = (self.here().0, self.range(first + 2).1);
            let fix = Fix::new(range, &format!("const {name} ="), Code::E0013, title).at(self.here());
            return Some(fix.help(format!("write `const {name} = {};`", self.text(first + 3, end))));
        }
        (!is_function).then(|| {
            let title = format!("`{}` makes no item: what changes in play is a field of the state", self.word);
            let help = format!(
                "write `state {{ {name}: 0..9 = 9; }}`, with its range and its first value, or `const {name} = ...;` for a \
                 value that stays"
            );
            explained((self.here().0, self.range(end).1), "", &title, help).at(self.here())
        })
    }

    /// Returns true if the name stands beside `..` or in another constant, where no field can, and nothing
    /// changes it.
    fn is_a_constant(&self, name: &str) -> bool {
        let outline = self.outline();
        let changes = |sign: &&str| outline.has_words(&[name, sign]);
        let is_bound = outline.has_words(&["..", name]) || outline.has_words(&[name, ".."]);
        let is_part =
            ["grid", "hex", "torus", "ring", "strip"].iter().any(|f| outline.has_words(&[f, "(", name]));
        let is_table = outline.words_of_items("const").any(|word| word == name);
        (is_bound || is_part || is_table) && ![":=", "+=", "-=", "|=", "<-", "++", "--"].iter().any(changes)
    }

    /// Rewrites `state = { ... }` to `state { ... }`, and explains `state = { n: 9 };`.
    fn state_as_an_object(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_state = self.layout.text(first) == "state"
            && self.bounds.at == first + 1
            && matches!(self.word, "=" | ":=" | ":");
        let open = self.bounds.at + 1;
        let close = self.layout.partner(open).filter(|_| is_state && self.layout.text(open) == "{")?;
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let title = "the state is a list of fields in braces, each with its type and its first value";
        let is_object = !self.text(open + 1, close).contains('=');
        if is_object {
            let field = self.layout.text(open + 1).trim_matches('"');
            let field = if keywords::starts_with_letter(field) { field } else { "n" };
            let help = format!("write `state {{ {field}: 0..9 = 9; }}`");
            let range = (self.range(first).0, self.range(last).1);
            return Some(explained(range, "", title, help).at(self.here()));
        }
        let new = format!("{{{}}}", &self.layout.source[self.range(open).1..self.range(close).0]);
        let fix = Fix::new((self.here().0, self.range(last).1), &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("leave out the `{}`", self.word)))
    }

    /// Explains `int n = 9;` in a state.
    fn type_before_a_field(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let ty = self.layout.text(clause);
        let name = self.layout.text(clause + 1);
        let end = self.outside_brackets(clause, &[";"])?;
        let is_field = self.bounds.place == ClauseContext::State
            && PROGRAM_TYPES.contains(&ty)
            && keywords::starts_with_letter(name);
        is_field.then(|| {
            let value = (clause..end).find(|&at| self.layout.text(at) == "=");
            let value = value.map_or("0", |sign| self.text(sign + 1, end));
            let is_truth = ty.starts_with("bool");
            let is_list = self.layout.text(clause + 2) == "[";
            let mut words = (clause + 2..end).map(|at| self.layout.text(at));
            let is_derived = words.any(|word| word != name && self.outline().field(word).is_some());
            let help = match (is_list, is_truth) {
                _ if is_derived => format!(
                    "what follows from fields is no field: write `def {name} = {value};` outside of the state; a field that \
                     moves change is `{name}: {} = ...;`",
                    if is_truth { "bool" } else { "0..9" }
                ),
                (true, _) => format!(
                    "write `{name}[i: 1..{}]: 0..9 = ...;`, with a first value of each cell",
                    self.layout.text(clause + 3)
                ),
                (false, true) => format!("write `{name}: bool = {value};`"),
                (false, false) => format!(
                    "write `{name}: 0..9 = {value};`, with the range of its values in place of `{ty}`"
                ),
            };
            let title = "a field is its name, its type after `:`, and its first value";
            explained((self.range(clause).0, self.range(end).1), "", title, help)
                .at((self.range(clause).0, self.range(clause + 1).1))
        })
    }

    /// Explains `winner(P) :- n = 0.`
    fn rule_of_prolog(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let close = self.layout.partner(first + 1).filter(|_| self.layout.text(first + 1) == "(")?;
        let is_rule = self.is_top()
            && self.layout.text(close + 1) == ":"
            && self.layout.text(close + 2) == "-"
            && self.touches(close + 1);
        is_rule.then(|| {
            let end = self.next_line(close);
            let name = self.layout.text(first);
            let title = "a rule of Prolog is a definition here";
            let help = match name {
                "winner" | "wins" | "win" | "loser" | "goal" | "terminal" | "draw" => {
                    "write `end { when condition => X wins; }`, or `for p in Player when condition => p wins;`".to_owned()
                }
                _ => format!("write `def {name}(x: Type) = condition;`, with the types of what it is about"),
            };
            explained((self.here().0, self.range(end - 1).1), "", title, help).at(self.here())
        })
    }

    /// Explains `(<= (goal white 100) (line white))` among the items.
    fn sentence_in_brackets(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let close = self.layout.partner(first).filter(|_| self.is_top() && self.word == "(")?;
        let word = self.layout.text(first + 1);
        let is_sentence = keywords::starts_with_letter(word) || matches!(word, "<=" | "=>" | "<");
        is_sentence.then(|| {
            let title = "a sentence in brackets, as in GDL or Ludii, is no item";
            let help = "a condition is `def line(p: Player) = ...;`, a result `end { when line(X) => X wins; }`; a whole sheet \
                        in GDL is read from a file that ends in `.kif`";
            explained((self.here().0, self.range(close).1), "", title, help)
                .at((self.here().0, self.range(first + 1).1))
        })
    }

    /// Explains `goal: n = 0;` and `goal n = 0;`.
    fn goal_of_a_planner(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_goal = matches!(self.word, "goal" | "goals" | "objective" | "winning" | "terminal");
        let is_list = matches!(self.layout.text(first + 1), ":" | "=" | "when" | "if");
        let compares =
            matches!(self.layout.text(first + 2), "=" | "<" | ">" | "<=" | ">=" | "!=" | "in" | "[");
        let is_bare = self.is_name(first + 1) && self.bounds.at == first && compares;
        let end = self.outside_brackets(first, &[";"]).filter(|_| self.is_top() && is_goal)?;
        if !is_list && !is_bare {
            return None;
        }
        let condition = self.text(first + 1 + usize::from(is_list), end);
        let title = "how a game ends stands in `end`";
        let help = format!(
            "write `end {{ when {condition} => win; }}` for one player; for more the rule names one, `=> X wins;`"
        );
        Some(explained((self.here().0, self.range(end).1), "", title, help).at(self.here()))
    }

    /// Rewrites `move take :parameters (?k - 1..3)` to `move take(k: 1..3)`.
    fn parameters_of_a_planner(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_list = self.word == ":" && matches!(self.layout.text(at + 1), "parameters" | "params");
        let close = self.layout.partner(at + 2).filter(|_| is_list && self.layout.text(at + 2) == "(")?;
        let pieces = self.text(at + 3, close).split('?').map(str::trim).filter(|piece| !piece.is_empty());
        let pieces: Option<Vec<String>> = pieces
            .map(|piece| piece.split_once('-').map(|(name, ty)| format!("{}: {}", name.trim(), ty.trim())))
            .collect();
        let new = format!("({})", pieces?.join(", "));
        let title = "the parameters of a move follow its name, each with its type after `:`";
        let range = (self.gap().0, self.range(close).1);
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, self.range(at + 1).1));
        Some(fix.help(format!("write `{}{new}`", self.last)))
    }

    /// Rewrites `and(a, b)` to `(a and b)`.
    fn connective_as_a_function(&self) -> Option<Fix> {
        // The bracket after the word is where the reader stops, if the word begins a term.
        let at = self.bounds.at - usize::from(self.word == "(" && self.bounds.at > self.bounds.first);
        let word = self.layout.text(at);
        let close = self.layout.partner(at + 1).filter(|_| matches!(word, "and" | "or"))?;
        let mut parts = Vec::new();
        let mut start = at + 2;
        while start < close {
            let end = self.outside_brackets(start, &[","]).filter(|&end| end < close).unwrap_or(close);
            parts.push(self.text(start, end));
            start = end + 1;
        }
        let new = format!("({})", parts.join(&format!(" {word} ")));
        let title = format!("`{word}` stands between the conditions");
        let range = (self.range(at).0, self.range(close).1);
        let is_list = self.layout.text(at + 1) == "(" && parts.len() > 1;
        is_list.then(|| {
            Fix::new(range, &new, Code::E0013, title).at(self.range(at)).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `next(n) := e;` to `n := e;`.
    fn next_of_a_field(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_next = self.bounds.place == ClauseContext::Move
            && self.layout.text(clause) == "next"
            && self.layout.text(clause + 1) == "("
            && matches!(self.word, ":=" | "=" | "+=" | "-=");
        let close =
            self.layout.partner(clause + 1).filter(|&close| is_next && close + 1 == self.bounds.at)?;
        let field = self.text(clause + 2, close);
        let new = format!("{field} :=");
        let title = "an effect says at once what a field becomes; `next` names the next player";
        let fix = Fix::new((self.range(clause).0, self.here().1), &new, Code::E0013, title);
        Some(fix.at(self.range(clause)).help(format!("write `{new} ...;`")))
    }

    /// Explains `when (m := n - k) >= 0;`.
    fn name_in_a_condition(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = at.checked_sub(2).filter(|&open| self.layout.text(open) == "(" && self.word == ":=")?;
        let close = self.layout.partner(open)?;
        let is_condition = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(self.bounds.clause), "when" | "ensure" | "if" | "let");
        is_condition.then(|| {
            let value = self.text(at + 1, close);
            let title = "a condition changes nothing: a value has its name by `let`";
            let help = format!(
                "write `let {0} = {value};` before this clause, and `{0}` in it; `{0} := ...;` is an effect on a field",
                self.last
            );
            let range = (self.range(open).0, self.range(close).1);
            explained(range, &format!("({value})"), title, help).at(self.here())
        })
    }

    /// Explains `[w] c;` and `->white;`.
    fn action_of_regular_boardgames(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let begins = self.bounds.place == ClauseContext::Move && at == self.bounds.clause;
        match self.word {
            "[" if begins => {
                let title = "what stands on a cell is set by `:=`";
                let help = "write `at[c] := me;`, with the field, the cell and the new value";
                Some(explained(self.whole_clause(), "", title, help))
            }
            "->" if begins => {
                let title = "the turn passes by itself at the end of a move";
                let help = "delete it; `again;` keeps the turn, `next p;` gives it to `p`";
                Some(explained(self.whole_clause(), "", title, help))
            }
            _ => None,
        }
    }

    /// Removes the article of `expect a draw;`.
    fn article_in_a_claim(&self) -> Option<Fix> {
        let article = self.bounds.at.checked_sub(1)?;
        let is_article = matches!(self.last, "a" | "the") && self.text_before(article) == "expect";
        is_article.then(|| {
            let range = (self.range(article).0, self.here().0);
            let title = "a claim has no article";
            let fix = Fix::new(range, "", Code::E0013, title).at(self.range(article));
            fix.help(format!("write `expect {} ...;`", self.word).replace("draw ...", "draw"))
        })
    }

    fn text_before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.layout.text(before))
    }

    /// Explains `pass;` among the items.
    fn pass_without_a_condition(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_pass = self.layout.text(first) == "pass" && self.bounds.at == first + 1;
        (is_pass && matches!(self.word, ";" | "(" | "{")).then(|| {
            let end = self.layout.item_end(first);
            let title = "a pass says when it is legal";
            let help = "write `pass when stuck;` if a player passes only when he cannot move, `pass always;` if he may at any time";
            let range = (self.range(first).0, self.range(end - 1).1);
            explained(range, "", title, help).at(self.range(first))
        })
    }

    /// Explains `position { X . . / . . . / . . . }`.
    fn picture_as_a_position(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let close = self.layout.partner(open).filter(|_| self.text_before(open) == "position")?;
        let is_sign = |at: &usize| matches!(self.layout.text(*at), "." | "/" | "_" | "-" | "|" | "..");
        let is_picture = (open + 1..close).filter(is_sign).count() >= 3
            && !(open + 1..close).any(|at| self.layout.text(at) == ":=");
        is_picture.then(|| {
            let title = "a position is a list of effects; a picture stands in a diagram";
            let help = "write `position { at := diagram \"\"\"...\"\"\" { \"X\" => X, \".\" => none }; }`, a row of the picture on each line";
            let range = (self.range(open).1, self.range(close).0);
            explained(range, " ", title, help).at((self.range(open + 1).0, self.range(close - 1).1))
        })
    }

    /// Explains `end { last player wins; }`.
    fn last_mover_wins(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";", "=>"]).filter(|&end| self.layout.text(end) == ";")?;
        let words: Vec<&str> = (clause..end).map(|at| self.layout.text(at)).collect();
        let verdict = *words.last()?;
        let begins = matches!(words.first(), Some(&("last" | "previous" | "who" | "whoever" | "player")));
        let is_rule = self.bounds.place == ClauseContext::End
            && begins
            && matches!(verdict, "wins" | "win" | "loses" | "lose")
            && self.bounds.at <= end;
        is_rule.then(|| {
            let title = "a rule of the end says when it holds, and what follows";
            let help = "if the player who cannot move loses, write `play normal;` in place of `end`, if he wins `play misere;`; \
                        otherwise `when condition => other(mover) wins;`";
            explained(self.whole_clause(), "when stuck => draw;", title, help).at(self.whole_clause())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn values_that_stay_are_constants() {
        for (word, use_) in [
            ("let", "state { n: 0..rounds = 0; }"),
            ("var", "board Cell = grid(rounds, 3);"),
            ("int", "const all_of_it = 2 * rounds;"),
        ] {
            let text = |word: &str| format!("{word} rounds = 3;\nplayers A, B;\n{use_}\n");
            assert_eq!(mended(&text(word)), text("const"), "{word}");
            assert_eq!(titles(&text(word)).len(), 1, "{word}");
        }
    }

    #[test]
    fn values_that_change_are_no_constants() {
        for rest in ["move up() { rounds += 1; }", "move up() { when n < rounds; n += 1; }"] {
            let text = format!("let rounds = 3;\nplayers A, B;\n{rest}\n");
            assert_eq!(mended(&text), text);
            assert!(helps(&text)[0].contains("state { rounds: 0..9 = 9; }"));
        }
    }
}
