//! Clauses whose words are right and whose form is another one: `n -= k if k <= n;`, `preset small = { ... }`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;

impl FixFinder<'_> {
    /// Fixes and explanations of clauses in another form.
    pub fn misplaced_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.foreign_comment(),
            self.effect_before_its_condition(),
            self.pass_by_if(),
            self.size_without_brackets(),
            self.mover_in_words(),
            self.verdict_after_a_minus(),
            self.legal_in_a_condition(),
            self.weight_with_a_sign(),
            self.phase_as_a_block(),
            self.case_of(),
            self.number_of_times(),
            self.repetition_forbidden(),
            self.set_without_braces(),
            self.setting_with_another_sign(),
            self.step_without_brackets(),
            self.visible_to_all(),
            self.binder_after_the_arrow(),
            self.arrow_in_a_condition(),
            self.effect_on_two_fields(),
            self.members_with_arguments(),
            self.phase_by_another_word(),
            self.players_without_braces(),
            self.weight_after_the_phase(),
            self.word_twice(),
            self.equivalence_by_an_arrow(),
            self.condition_with_effects(),
            self.field_in_another_form(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    pub(super) fn is_name(&self, at: usize) -> bool {
        let word = self.layout.text(at);
        keywords::starts_with_letter(word) && !keywords::is_reserved(word)
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        let word = self.layout.text(at);
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
    }

    /// Rewrites `(* ... *)`.
    fn foreign_comment(&self) -> Option<Fix> {
        let (at, text) = (self.bounds.at, self.layout.source);
        let next_touches = |sign: &str| self.layout.text(at + 1) == sign && self.touches(at);
        let start = self.here().0;
        if self.word == "(" && next_touches("*") {
            let end = start + text.get(start..)?.find("*)")? + 2;
            let inner = &text[start + 2..end - 2];
            let title = "a comment stands between `/*` and `*/`, or after `//`";
            let fix = Fix::new((start, end), &format!("/*{inner}*/"), Code::E0013, title);
            return Some(fix.at((start, start + 2)).help("write `/* ... */`"));
        }
        None
    }

    /// Explains `n -= k if k <= n;`, `n -= k unless n = 0;` and `again when n = 2;`.
    fn effect_before_its_condition(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_after = self.bounds.place == ClauseContext::Move
            && matches!(self.word, "if" | "when" | "unless")
            && self.bounds.at > clause
            && !matches!(self.layout.text(clause), "if" | "when" | "ensure" | "let" | "for");
        let end = self.outside_brackets(self.bounds.at + 1, &[";"]).filter(|_| is_after)?;
        let has_else = (self.bounds.at..end).any(|at| matches!(self.layout.text(at), "else" | "then"));
        let effect = self.text(clause, self.bounds.at);
        let condition = match self.word {
            "unless" => self.opposite(self.bounds.at + 1, end),
            _ => self.text(self.bounds.at + 1, end).to_owned(),
        };
        if has_else || condition.is_empty() || condition.contains('\n') {
            return None;
        }
        let new = format!("if {condition} {{ {effect}; }}");
        let is_turn = matches!(self.layout.text(clause), "again" | "next" | "continue");
        let help = match is_turn {
            true => format!("write `{new}`"),
            false => format!("write `{new}`, or `when {condition};` if the move is legal only then"),
        };
        let range = (self.range(clause).0, self.range(end).1);
        let title = "the condition of an effect stands before it";
        Some(match is_turn {
            true => Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help),
            false => explained(range, &new, title, help).at(self.here()),
        })
    }

    /// Rewrites `pass if c;` to `pass when c;`.
    fn pass_by_if(&self) -> Option<Fix> {
        let is_pass = self.last == "pass" && self.bounds.at == self.bounds.first + 1;
        let is_word = matches!(self.word, "if" | "only" | "where" | "whenever") && is_pass;
        is_word.then(|| {
            let is_two = self.word == "only" && matches!(self.layout.text(self.bounds.at + 1), "if" | "when");
            let range = (self.here().0, self.range(self.bounds.at + usize::from(is_two)).1);
            let title = "what must hold for a pass to be legal stands after `when`";
            Fix::new(range, "when", Code::E0013, title).help("write `pass when ...;`")
        })
    }

    /// Rewrites `grid 3 3` and `grid 3` to `grid(3, 3)`.
    fn size_without_brackets(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let form =
            matches!(self.last, "grid" | "torus" | "hex" | "strip" | "ring" | "cube").then_some(self.last)?;
        if self.layout.text(self.bounds.first) != "board" || !self.is_number(at) {
            return None;
        }
        let end = self.outside_brackets(at, &[";", "where"])?;
        let is_size = |at: usize| {
            self.is_number(at)
                || matches!(self.layout.text(at), "x" | "X" | "by" | "," | "*")
                || self.layout.text(at).strip_prefix(['x', 'X']).is_some_and(|n| n.parse::<u32>().is_ok())
        };
        if !(at..end).all(is_size) {
            return None;
        }
        let numbers: Vec<&str> = (at..end)
            .map(|at| self.layout.text(at).trim_start_matches(['x', 'X', 'b', 'y', ',', '*']))
            .filter(|number| !number.is_empty())
            .collect();
        let wanted = match form {
            "strip" | "ring" => 1,
            "cube" => 3,
            _ => 2,
        };
        (numbers.len() == wanted).then(|| {
            let new = format!("{form}({})", numbers.join(", "));
            let range = (self.range(at - 1).0, self.range(end - 1).1);
            let title = "the size of a board stands in brackets";
            Fix::new(range, &new, Code::E0013, title)
                .at((self.here().0, range.1))
                .help(format!("write `{new}`"))
        })
    }

    /// Rewrites `expect O to move;` to `expect mover = O;`.
    fn mover_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";"])?;
        let is_claim = self.layout.text(clause) == "expect" && self.is_name(clause + 1);
        let words: Vec<&str> = (clause + 2..end).map(|at| self.layout.text(at)).collect();
        let is_turn = matches!(
            words[..],
            ["to", "move"]
                | ["is", "to", "move"]
                | ["moves"]
                | ["moves", "next"]
                | ["to", "play"]
                | ["is", "next"]
        );
        (is_claim && is_turn).then(|| {
            let new = format!("mover = {}", self.layout.text(clause + 1));
            let range = (self.range(clause + 1).0, self.range(end - 1).1);
            let title = "the player to move is `mover`";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `expect {new};`"))
        })
    }

    /// Rewrites `expect X-wins;` to `expect X wins;`.
    fn verdict_after_a_minus(&self) -> Option<Fix> {
        let verdict = (self.bounds.clause + 2..=self.bounds.at).find(|&at| {
            matches!(self.layout.text(at), "wins" | "loses" | "win" | "lose")
                && matches!(self.layout.text(at - 1), "-" | "_" | "." | ":")
        })?;
        let is_player = self.is_name(verdict - 2) && self.touches(verdict - 1);
        is_player.then(|| {
            let plural = if self.layout.text(verdict).ends_with('s') { "" } else { "s" };
            let word = format!("{}{plural}", self.layout.text(verdict));
            let new = format!("{} {word}", self.layout.text(verdict - 2));
            let range = (self.range(verdict - 2).0, self.range(verdict).1);
            let title = "a blank stands between a player and the verdict";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Explains `when no c in Cell: legal put(c) => draw;`.
    fn legal_in_a_condition(&self) -> Option<Fix> {
        let at = self.bounds.at.checked_sub(1)?;
        let is_claim = matches!(self.layout.text(self.bounds.clause), "expect");
        let is_legal = matches!(self.last, "legal" | "illegal" | "possible") && self.is_name(at + 1);
        let end = match self.layout.partner(at + 2).filter(|_| self.layout.text(at + 2) == "(") {
            Some(close) => close,
            None => at + 1,
        };
        (is_legal && !is_claim).then(|| {
            let title = "rules do not ask whether a single move is legal";
            let help = "`stuck` holds where the player to move has no move; a condition that a move and a rule share is \
                        written `def free(c: Cell) = at[c] = none;`";
            let range = (self.range(at).0, self.range(end).1);
            explained(range, DAMAGE_MARKER, title, help)
        })
    }

    /// Rewrites `weight: 1 / 6;` and `weight = 1 / 6;` to `weight 1 / 6;`.
    fn weight_with_a_sign(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let sign = clause + 1;
        let is_weight = self.bounds.place == ClauseContext::Move
            && self.layout.text(clause) == "weight"
            && matches!(self.layout.text(sign), ":" | "=" | ":=");
        let is_event = (self.bounds.first..clause).any(|at| self.layout.text(at) == "chance");
        (is_weight && is_event).then(|| {
            let title = format!("the weight of an event follows without `{}`", self.layout.text(sign));
            let end = self.outside_brackets(sign, &[";"]).unwrap_or(sign + 1);
            let help = format!("write `weight {};`", self.text(sign + 1, end));
            Fix::new(self.range(sign), "", Code::E0013, title).help(help)
        })
    }

    /// Explains `phase bet { move call() { ... } }`.
    fn phase_as_a_block(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = first + 2;
        let is_phase = self.bounds.at == first && self.word == "phase" && self.is_name(first + 1);
        if !is_phase {
            return None;
        }
        let name = self.layout.text(first + 1);
        let title = "phases are declared together, and each move names its own";
        let help = format!(
            "write `phases {{ {name}; ... }}` once, and `in {name}` in the head of its moves: `move go() in {name} {{ ... }}`"
        );
        let last = match self.layout.text(open) {
            "{" => self.layout.partner(open)?,
            _ => self.outside_brackets(first, &[";"])?,
        };
        Some(explained((self.here().0, self.range(last).1), "", title, help).at(self.here()))
    }

    /// Explains `case k of 1 => ...; 2 => ...; end` among effects.
    fn case_of(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_case = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(clause), "case" | "select")
            && self.layout.text(clause + 1) != ":=";
        let of = self.outside_brackets(clause + 1, &["of", ";", "{"]).filter(|_| is_case)?;
        if self.layout.text(of) != "of" {
            return None;
        }
        let mut end = of;
        while !matches!(self.layout.text(end + 1), "end" | "}" | "") {
            end = self.layout.partner(end + 1).filter(|&close| close > end).unwrap_or(end + 1);
        }
        if self.layout.text(end + 1) == "end" {
            end += 1 + usize::from(self.layout.text(end + 2) == ";");
        }
        let term = self.text(clause + 1, of);
        let title = "effects by cases are `if`s; a `match` chooses a value";
        let help = format!(
            "write `if {term} = 1 {{ ... }} else if {term} = 2 {{ ... }}`, or one effect with `match {term} {{ 1 => ..., _ => ... }}`"
        );
        Some(explained((self.range(clause).0, self.range(end).1), "", title, help).at(self.range(clause)))
    }

    /// Rewrites `repeat 3 times => draw;` to `repeat 3 => draw;`.
    fn number_of_times(&self) -> Option<Fix> {
        let is_times = matches!(self.word, "times" | "x" | "positions")
            && self.is_number(self.bounds.at.saturating_sub(1));
        let is_rule =
            self.layout.text(self.bounds.clause) == "repeat" && self.bounds.at == self.bounds.clause + 2;
        (is_times && is_rule).then(|| {
            let title = "the number of occurrences stands without a unit";
            let range = (self.gap().0, self.here().1);
            let new = format!("repeat {}", self.last);
            Fix::new(range, "", Code::E0005, title).at(self.here()).help(format!("write `{new} => ...;`"))
        })
    }

    /// Rewrites `forbid repetition;` to `forbid repeat;`.
    fn repetition_forbidden(&self) -> Option<Fix> {
        let is_word = matches!(
            self.word,
            "repetition" | "repetitions" | "repeats" | "repeating" | "repeated" | "cycles" | "loops"
        );
        (is_word && self.last == "forbid").then(|| {
            let end = self.outside_brackets(self.bounds.at, &[";"]).unwrap_or(self.bounds.at + 1);
            let range = (self.here().0, self.range(end - 1).1);
            let title = "moves that lead back to an earlier position are forbidden by `forbid repeat;`";
            Fix::new(range, "repeat", Code::E0013, title).help("write `forbid repeat;`")
        })
    }

    /// Rewrites `when to in a1, b1, c1;` to `when to in { a1, b1, c1 };`.
    fn set_without_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_after_in = self.word == "," && at > self.bounds.clause + 2 && self.layout.text(at - 2) == "in";
        let is_element = |at: usize| self.is_name(at) || self.is_number(at);
        if !is_after_in || !is_element(at - 1) {
            return None;
        }
        let mut end = at - 1;
        while self.layout.text(end + 1) == "," && is_element(end + 2) {
            end += 2;
        }
        // `in 1, 3 or 4;`
        let conjunction = end + 1 + usize::from(self.layout.text(end + 1) == ",");
        let last = conjunction + 1;
        let outline = self.outline();
        let is_value = self.is_number(last)
            || self.is_name(last) && outline.field(self.layout.text(last)).is_none() && self.is_name(at - 1);
        let is_last = matches!(self.layout.text(conjunction), "or" | "and")
            && is_value
            && matches!(self.layout.text(last + 1), ";" | "=>" | ")");
        let mut elements = self.text(at - 1, end + 1).to_owned();
        if is_last {
            elements += &format!(", {}", self.layout.text(last));
            end = last;
        }
        let is_condition = matches!(self.layout.text(end + 1), ";" | "and" | "or" | "=>" | ")");
        is_condition.then(|| {
            let new = format!("{{ {elements} }}");
            let range = (self.range(at - 1).0, self.range(end).1);
            let title = "the elements of a set stand in braces";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `in {new}`"))
        })
    }

    /// Rewrites `with n == 8` and `with n: 8` to `with n = 8`.
    fn setting_with_another_sign(&self) -> Option<Fix> {
        let is_sign =
            matches!(self.word, "==" | ":" | ":=") && self.is_name(self.bounds.at.saturating_sub(1));
        let with = (self.bounds.clause..self.bounds.at).rev().find(|&at| self.layout.text(at) == "with")?;
        let is_claim = matches!(self.layout.text(self.bounds.clause), "expect" | "test");
        let is_setting =
            with + 2 == self.bounds.at || self.layout.text(self.bounds.at.wrapping_sub(2)) == ",";
        (is_sign && is_claim && is_setting).then(|| {
            let title = "a parameter is set by `=`";
            Fix::new(self.here(), "=", Code::E0013, title).help("write `=`")
        })
    }

    /// Rewrites `play mark a1;` in a test to `play mark(a1);`.
    fn step_without_brackets(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_play =
            self.layout.text(self.bounds.clause) == "play" && self.bounds.place == ClauseContext::Test;
        let opens = matches!(self.layout.text(at.checked_sub(2)?), "play" | ",");
        let is_element = |at: usize| self.is_name(at) || self.is_number(at);
        if !is_play || !opens || !self.is_name(at - 1) || !is_element(at) {
            return None;
        }
        let mut end = at + 1;
        while is_element(end) {
            end += 1;
        }
        matches!(self.layout.text(end), ";" | ",").then(|| {
            let arguments: Vec<&str> = (at..end).map(|at| self.layout.text(at)).collect();
            let new = format!("{}({})", self.last, arguments.join(", "));
            let range = (self.range(at - 1).0, self.range(end - 1).1);
            let title = "the arguments of a move stand in brackets";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Removes `visible to all`.
    fn visible_to_all(&self) -> Option<Fix> {
        // `all` begins a quantifier, which stops only at the next word.
        let is_all = |at: &usize| {
            matches!(self.layout.text(*at), "all" | "everyone" | "everybody" | "both" | "anyone")
                && *at > 2
                && self.layout.text(at - 1) == "to"
                && self.layout.text(at - 2) == "visible"
        };
        let at = [self.bounds.at, self.bounds.at.saturating_sub(1)].into_iter().find(is_all);
        at.map(|at| {
            let extra = usize::from(matches!(self.layout.text(at + 1), "players" | "player"));
            let range = (self.range(at - 3).1, self.range(at + extra).1);
            let title = "a field is visible to all players by itself";
            let label = (self.range(at - 2).0, range.1);
            Fix::new(range, "", Code::E0013, title).at(label).help("leave it out")
        })
    }

    /// Explains `when n = 0 => for p in Player: p wins;`.
    fn binder_after_the_arrow(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self
            .outside_brackets(clause, &["=>", ";"])
            .filter(|_| self.bounds.place == ClauseContext::End)?;
        let is_binder =
            self.layout.text(arrow) == "=>" && matches!(self.layout.text(arrow + 1), "for" | "some");
        let end = self.outside_brackets(arrow, &[";"]).filter(|_| is_binder)?;
        let condition = match self.layout.text(clause) {
            "when" => self.text(clause + 1, arrow),
            _ => return None,
        };
        let sign = self.outside_brackets(arrow + 2, &[":", ";", "where", "when"])?;
        let binder = match self.layout.words[arrow + 2].kind {
            TokenKind::Word if self.layout.text(arrow + 3) == "in" => self.text(arrow + 2, sign),
            _ => "p in Player",
        };
        let title = "a rule names its player before the condition";
        let help = format!(
            "write `for {binder} when {condition} and ... => p wins;`, with what makes that player the winner"
        );
        let fix = explained((self.range(clause).0, self.range(end).1), "", title, help);
        Some(Fix { code: Code::E0005, ..fix.at(self.range(arrow + 1)) })
    }

    /// Explains `when n => k;`.
    fn arrow_in_a_condition(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_condition = self.bounds.place == ClauseContext::Move
            && matches!(self.layout.text(clause), "when" | "ensure")
            && self.word == "=>";
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_condition)?;
        let is_plain = |at: usize| {
            !matches!(
                self.layout.text(at),
                "=" | "!=" | "<" | ">" | "<=" | ">=" | "in" | "not" | "is" | ":" | "and" | "or"
            )
        };
        // With a comparison on one side, `implies` is meant.
        if !(clause + 1..end).all(|at| at == self.bounds.at || is_plain(at)) {
            return None;
        }
        let (left, right) = (self.text(clause + 1, self.bounds.at), self.text(self.bounds.at + 1, end));
        let range = (self.range(clause + 1).0, self.range(end - 1).1);
        let title = "`=>` can mean `implies` or `>=`";
        let help =
            format!("write `{left} >= {right}` between numbers, `{left} implies {right}` between conditions");
        Some(explained(range, DAMAGE_MARKER, title, help).at(self.here()))
    }

    /// Explains `a, b -= k;`.
    fn effect_on_two_fields(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_condition = matches!(self.layout.text(clause), "when" | "ensure" | "if");
        let is_effect = self.bounds.place == ClauseContext::Move && self.word == "," && !is_condition;
        let sign =
            self.outside_brackets(clause, &[":=", "+=", "-=", "|=", "=", ";"]).filter(|_| is_effect)?;
        let end = self.outside_brackets(sign, &[";"]).filter(|_| self.layout.text(sign) != ";")?;
        let (value, op) = (self.text(sign + 1, end), self.layout.text(sign));
        let comma = self.outside_brackets(clause, &[","]).filter(|&at| at == self.bounds.at && at < sign)?;
        let targets = [self.text(clause, comma), self.text(comma + 1, sign)];
        // Several values are exchanged or assigned in order.
        if value.contains(',') || targets[1].contains(',') {
            return None;
        }
        let help = format!("write `{} {op} {value}; {} {op} {value};`", targets[0], targets[1]);
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", "an effect changes one field", help).at(self.here()))
    }

    /// Explains `enum Jug { big(5), small(3) }`.
    fn members_with_arguments(&self) -> Option<Fix> {
        let is_member = self.layout.text(self.bounds.first) == "enum"
            && self.word == "("
            && self.is_name(self.bounds.at.saturating_sub(1));
        let close = self.layout.partner(self.bounds.at).filter(|_| is_member)?;
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let end = self.layout.partner(open)?;
        let mut members = Vec::new();
        let mut at = open + 1;
        while at < end {
            members.push(self.layout.text(at));
            at = self.outside_brackets(at, &[","]).filter(|&comma| comma < end).unwrap_or(end) + 1;
        }
        let name = self.layout.text(self.bounds.first + 1);
        let value = self.text(self.bounds.at + 1, close);
        let title = "members of an `enum` are names alone: a table has what belongs to them";
        let help = format!(
            "write `enum {name} {{ {} }}` and `const size[x: {name}]: 0..9 = match x {{ {} => {value}, _ => ... }};`",
            members.join(", "),
            self.last
        );
        let range = (self.range(open).0, self.range(end).1);
        Some(
            explained(range, &format!("{{ {} }}", members.join(", ")), title, help)
                .at((self.here().0, self.range(close).1)),
        )
    }

    /// Rewrites `during bet` and `for phase bet` in the head of a move to `in bet`.
    fn phase_by_another_word(&self) -> Option<Fix> {
        let is_head = matches!(
            self.layout.text(self.bounds.first),
            "move" | "private" | "mandatory" | "chance" | "forcing"
        ) && self.bounds.place == ClauseContext::Top;
        let is_word =
            matches!(self.word, "during" | "phase" | "on" | "at" | "while" | "for" | "@" | "inside");
        if self.outline().players().contains(&self.layout.text(self.bounds.at + 1)) {
            return None;
        }
        (is_head && is_word && self.layout.text(self.bounds.at.saturating_sub(1)) != "in").then(|| {
            let extra = usize::from(matches!(self.layout.text(self.bounds.at + 1), "phase" | ":"));
            let range = (self.here().0, self.range(self.bounds.at + extra).1);
            let title = "the phases of a move stand after `in`";
            let name = self.layout.text(self.bounds.at + extra + 1);
            Fix::new(range, "in", Code::E0013, title).help(format!("write `in {name}`"))
        })
    }

    /// Rewrites `by First, Second` in the head of a move to `by { First, Second }`.
    fn players_without_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_list =
            self.word == "," && self.layout.text(at.checked_sub(2)?) == "by" && self.is_name(at - 1);
        let mut end = at.saturating_sub(1);
        while self.layout.text(end + 1) == "," && self.is_name(end + 2) {
            end += 2;
        }
        (is_list && end > at).then(|| {
            let new = format!("{{ {} }}", self.text(at - 1, end + 1));
            let range = (self.range(at - 1).0, self.range(end).1);
            let title = "the players who may make a move are a set, in braces";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `by {new}`"))
        })
    }

    /// Explains `in deal weight 1/6 as "..."`: the weight stands in the body.
    fn weight_after_the_phase(&self) -> Option<Fix> {
        let is_weight = self.word == "weight" && self.bounds.place == ClauseContext::Top;
        let end = self
            .outside_brackets(self.bounds.at + 1, &["{", "as", "in", "by"])
            .filter(|&end| is_weight && self.layout.text(end) != "{")?;
        let value = self.text(self.bounds.at + 1, end);
        let title = "the weight of an event stands among its conditions and effects";
        let range = (self.gap().0, self.range(end - 1).1);
        let help = format!("write `weight {value};` in the braces of the event");
        Some(explained(range, "", title, help).at(self.here()))
    }

    /// Removes the second of two words of the same kind: `when when c;`.
    fn word_twice(&self) -> Option<Fix> {
        let at = [self.bounds.at, self.bounds.at.saturating_sub(1)].into_iter().find(|&at| {
            at > self.bounds.first
                && self.layout.text(at) == self.layout.text(at - 1)
                && matches!(
                    self.layout.text(at),
                    "when"
                        | "let"
                        | "expect"
                        | "play"
                        | "move"
                        | "def"
                        | "then"
                        | "else"
                        | "in"
                        | "and"
                        | "or"
                        | "if"
                        | "for"
                )
        })?;
        let title = format!("`{}` stands here twice", self.layout.text(at));
        let range = (self.range(at - 1).1, self.range(at).1);
        Some(Fix::new(range, "", Code::E0013, title).at(self.range(at)).help("leave one out"))
    }

    /// Rewrites `a <=> b` to `a iff b`.
    fn equivalence_by_an_arrow(&self) -> Option<Fix> {
        let at = [self.bounds.at, self.bounds.at.saturating_sub(1)]
            .into_iter()
            .find(|&at| matches!(self.layout.text(at), "<=" | "<") && self.touches(at))?;
        let length = match (self.layout.text(at), self.layout.text(at + 1), self.layout.text(at + 2)) {
            ("<=", ">", _) | ("<", "=>", _) | ("<", "->", _) => 2,
            ("<", "=", ">") | ("<", "-", ">") => 3,
            _ => return None,
        };
        let range = (self.range(at).0, self.range(at + length - 1).1);
        let title = format!("`{}` is written `iff` here", &self.layout.source[range.0..range.1]);
        Some(Fix::new(range, " iff ", Code::E0013, title).help("write `iff`"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    #[test]
    fn conditions_stand_before_effects() {
        for (words, ours) in [("if n = 2", "n = 2"), ("unless n = 2", "n != 2")] {
            let found = helps(&format!("move m(k: 1..3) {{ n := 1 {words}; }}"));
            assert!(
                found.len() == 1 && found[0].contains(&format!("`if {ours} {{ n := 1; }}`")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn sets_end_with_or() {
        let text = "move take(k: 1..4) { when k in 1, 3 or 4; n -= k; }";
        assert_eq!(mended(text), text.replace("1, 3 or 4", "{ 1, 3, 4 }"));
        assert!(
            helps("move go(k: 1..4) { when k in 1, 3 or k > n; n -= k; }")
                .iter()
                .all(|help| !help.contains("3, k"))
        );
    }
}
