//! Small words and signs that stand where this language has another one, or none: `roll: chance`, `left: 0..3 default 3`,
//! `move mark(c: Cell) named "{c}"`, `for i = 1..3 { ... }`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::lex::TokenKind;

/// Ways to say that nobody wins.
const NOBODY: [&str; 10] = [
    "no winner",
    "nobody wins",
    "no one wins",
    "noone wins",
    "none wins",
    "neither wins",
    "none",
    "nobody",
    "no win",
    "neither player wins",
];

impl FixFinder<'_> {
    /// Fixes of small words.
    pub fn small_words(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.phase_assigned(),
            self.probability_in_the_head(),
            self.actor_behind_a_colon(),
            self.word_before_a_range(),
            self.value_behind_a_word(),
            self.branch_of_one_word(),
            self.block_with_unless(),
            self.loop_with_do(),
            self.loop_with_an_equals_sign(),
            self.move_by_def(),
            self.word_before_move(),
            self.template_by_another_word(),
            self.where_before_a_quantifier(),
            self.definition_by_another_word(),
            self.rule_with_the_outcome_first(),
            self.rule_for_some(),
            self.nobody_wins(),
            self.outcome_otherwise(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `phase = act;` and `then act;` to `continue act;`.
    fn phase_assigned(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let name = match (self.layout.text(clause), self.layout.text(clause + 1)) {
            ("phase", "=" | "==" | ":" | "->") | ("go", "to") => clause + 2,
            ("then" | "phase" | "start", _) => clause + 1,
            _ => return None,
        };
        let is_clause = self.in_move() && self.layout.text(name + 1) == ";";
        let phase = self.layout.text(name);
        (is_clause && self.outline().has_phase(phase)).then(|| {
            let new = format!("continue {phase}");
            let range = (self.range(clause).0, self.range(name).1);
            let title = "a move goes on in another phase by `continue`";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`"))
        })
    }

    /// Rewrites `chance c() with probability 1/6 { ... }` to `chance c() { weight 1/6; ... }`.
    fn probability_in_the_head(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let start = at + usize::from(self.word == "with");
        let is_word =
            matches!(self.layout.text(start), "probability" | "prob" | "odds" | "chance" | "weight");
        let is_event = (self.bounds.first..at).any(|at| self.layout.text(at) == "chance");
        let from = start + 1 + usize::from(matches!(self.layout.text(start + 1), "=" | ":" | "of"));
        let body = self.body_of_the_move().filter(|_| is_word && is_event)?;
        let next = self.outside_brackets(from, &["as", "in", "by", "prefer"]).filter(|&next| next < body);
        let end = next.unwrap_or(body);
        let weight = self.text(from, end);
        if from >= end || !trial_parse(Rule::one_expr, weight).is_ok_and(|length| length == weight.len()) {
            return None;
        }
        let rest = next.map_or(String::new(), |next| format!("{} ", self.text(next, body)));
        let range = (self.here().0, self.range(body).1);
        let title = "how likely an event is stands after `weight` in its braces";
        let fix = Fix::new(range, &format!("{rest}{{ weight {weight};"), Code::E0013, title);
        Some(
            fix.at((self.here().0, self.range(end - 1).1))
                .help(format!("write `{{ weight {weight}; ... }}`")),
        )
    }

    /// Rewrites `roll: chance` among the phases to `roll by chance`.
    fn actor_behind_a_colon(&self) -> Option<Fix> {
        let is_sign = matches!(self.word, ":" | "=" | "->" | "(" | "of" | "for");
        let actor = self.layout.text(self.bounds.at + 1);
        let is_phase =
            self.bounds.place == ClauseContext::Phases && is_sign && self.is_name(self.bounds.at - 1);
        let is_whole = self.layout.text(self.bounds.at + 2) == ";";
        (is_phase && is_whole && matches!(actor, "chance" | "each")).then(|| {
            let range = (self.gap().0, self.range(self.bounds.at + 1).1);
            let title = "who acts in a phase stands after `by`";
            let fix = Fix::new(range, &format!(" by {actor}"), Code::E0013, title).at(self.here());
            fix.help(format!("write `{} by {actor};`", self.last))
        })
    }

    /// Removes the first word of the type `number 0..3`.
    fn word_before_a_range(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = at.checked_sub(1).filter(|_| self.is_number(at))?;
        let is_word =
            matches!(self.last, "number" | "int" | "integer" | "range" | "from" | "num" | "Int" | "between");
        let is_type =
            is_word && self.layout.text(word.checked_sub(1)?) == ":" && self.layout.text(at + 1) == "..";
        is_type.then(|| {
            let range = (self.range(word).0, self.here().0);
            let title = "the type of a number is its range";
            Fix::new(range, "", Code::E0013, title).at(self.range(word)).help("leave the word out")
        })
    }

    /// Rewrites `left: 0..3 default 3` in a state to `left: 0..3 = 3`.
    fn value_behind_a_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let mut word = at + usize::from(self.word == ",");
        let is_word = matches!(
            self.layout.text(word),
            "is" | "default"
                | "initially"
                | "initial"
                | "init"
                | "starts"
                | "starting"
                | "begins"
                | "start"
                | "being"
                | "at"
                | "on"
                | "with"
                | "set"
                | "equal"
                | "equals"
                | "placed"
                | "located"
                | "standing"
                | "stands"
                | "having"
                | "<-"
        );
        word += usize::from(matches!(
            self.layout.text(word + 1),
            "at" | "on" | "in" | "from" | "with" | "as" | "to" | "=" | "value"
        ));
        let end = self.outside_brackets(word + 1, &[";"])?;
        let is_field = self.bounds.place == ClauseContext::State
            && is_word
            && self.outside_brackets(self.bounds.clause, &[":"]).is_some_and(|colon| colon < at)
            && end > word + 1;
        is_field.then(|| {
            let new = format!(" = {}", self.text(word + 1, end));
            let range = (self.gap().0, self.range(end - 1).1);
            let title = "the initial value of a field stands after `=`";
            let label = (self.here().0, self.range(word).1);
            Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{}`", new.trim_start()))
        })
    }

    /// Rewrites `if f again;` to `if f { again; }`.
    fn branch_of_one_word(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_if = self.in_move() && self.layout.text(clause) == "if" && at > clause + 1;
        let is_word = matches!(self.word, "again" | "continue" | "next");
        let end = self.outside_brackets(at, &[";"]).filter(|&end| is_if && is_word && end <= at + 4)?;
        let new = format!("{{ {} }}", self.text(at, end + 1));
        let range = (self.here().0, self.range(end).1);
        let title = "an `if` that changes the state has braces";
        let help = format!("write `{} {new}`", self.text(clause, at));
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help))
    }

    /// Rewrites `unless f { ... }` to `if not (f) { ... }`.
    fn block_with_unless(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let inner = self.bracket_around(at, at).map(|open| self.layout.clause_start(self.bounds.first, open));
        let is_unless = |at: &usize| self.layout.text(*at) == "unless";
        let start = [Some(self.bounds.clause), inner].into_iter().flatten().find(is_unless)?;
        let open = self.outside_brackets(start + 1, &["{", ";"]).filter(|&open| open > start + 1)?;
        let is_block = self.in_move() && self.layout.text(open) == "{" && self.layout.is_block(open);
        is_block.then(|| {
            let new = format!("if not ({})", self.text(start + 1, open));
            let range = (self.range(start).0, self.range(open - 1).1);
            let title = "`unless` is written `if not`";
            Fix::new(range, &new, Code::E0013, title)
                .at(self.range(start))
                .help(format!("write `{new} {{ ... }}`"))
        })
    }

    /// Rewrites `for x in S do n += 1;` to `for x in S { n += 1; }`.
    fn loop_with_do(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_loop = self.in_move() && matches!(self.layout.text(clause), "for" | "if") && self.word == "do";
        let title = format!("the effects of `{}` stand in braces, without `do`", self.layout.text(clause));
        if is_loop && self.layout.text(at + 1) == "{" {
            let range = (self.gap().0, self.here().1);
            return Some(Fix::new(range, "", Code::E0013, title).at(self.here()).help("leave it out"));
        }
        let end = self.outside_brackets(at + 1, &[";"]).filter(|&end| is_loop && end > at + 1)?;
        let new = format!("{{ {} }}", self.text(at + 1, end + 1));
        let range = (self.here().0, self.range(end).1);
        let help = format!("write `{} {new}`", self.text(clause, at));
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help))
    }

    /// Rewrites `for i = 1..3 { ... }` to `for i in 1..3 { ... }`.
    fn loop_with_an_equals_sign(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_loop = self.in_move() && self.layout.text(clause) == "for" && at == clause + 2;
        let is_sign = matches!(self.word, "=" | ":=" | ":" | "of" | "from" | "over");
        let open = self.outside_brackets(at + 1, &["{", ";"]).filter(|_| is_loop && is_sign)?;
        let is_set = self.layout.text(open) == "{"
            && (at + 1..open).all(|at| !matches!(self.layout.text(at), "to" | "," | "until" | "do"));
        is_set.then(|| {
            let title = "`for` goes through a set, and its effects are made all at once";
            let help = format!("write `for {} in {}`", self.last, self.text(at + 1, open));
            let range = (self.gap().0, self.here().1);
            Fix::new(range, " in", Code::E0013, title).at(self.here()).help(help)
        })
    }

    /// Rewrites `def mark(c: Cell) { at[c] := me; }` to `move mark(c: Cell) { at[c] := me; }`.
    fn move_by_def(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_def =
            matches!(self.layout.text(first), "def" | "function" | "func" | "fn" | "procedure" | "proc")
                && self.is_name(first + 1)
                && self.layout.text(first + 2) == "(";
        let open = self.layout.partner(first + 2).filter(|_| is_def)? + 1;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let is_effect = |at: usize| matches!(self.layout.text(at), ":=" | "+=" | "-=" | "|=" | "<-");
        if !(open + 1..close).any(is_effect) || !self.layout.is_block(open) {
            return None;
        }
        let name = self.layout.text(first + 1);
        let (word, title) = match self.outline().is_called_as_effect(name) {
            true => ("effect", "a name for a group of effects is an `effect`"),
            false => ("move", "what changes the state is a move"),
        };
        let fix =
            Fix::new(self.range(first), word, Code::E0013, title).help(format!("write `{word} {name}(...)`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Removes the first word of `player move mark(c: Cell) { ... }`.
    fn word_before_move(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = matches!(
            self.layout.text(first),
            "player" | "players" | "legal" | "normal" | "a" | "the" | "public" | "possible" | "regular"
        );
        let is_move = self.layout.text(first + 1) == "move"
            && self.is_name(first + 2)
            && self.layout.text(first + 3) == "("
            && self.bounds.at <= first + 2;
        (is_word && is_move).then(|| {
            let range = (self.range(first).0, self.range(first + 1).0);
            let title = "a move begins with `move`";
            let fix = Fix::new(range, "", Code::E0013, title)
                .at(self.range(first))
                .help("leave the word before it out");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `move mark(c: Cell) named "{c}"` to `move mark(c: Cell) as "{c}"`, and inserts a missing `as`.
    fn template_by_another_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_string = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
        let is_head = (self.bounds.first..at).any(|at| matches!(self.layout.text(at), "move" | "chance"));
        if !is_head || self.bounds.place != ClauseContext::Top || self.bracket_around(at, at).is_some() {
            return None;
        }
        let title = "the name of a move, as play shows it, stands after `as`";
        if is_string(at) && (self.last == ")" || self.is_name(at - 1)) {
            let start = self.here().0;
            let fix = Fix::new((start, start), "as ", Code::E0013, title).at(self.here());
            return Some(fix.help(format!("write `as {}`", self.word)));
        }
        let is_word = matches!(
            self.word,
            "named"
                | "called"
                | "notation"
                | "label"
                | "text"
                | "name"
                | "shown"
                | "display"
                | "title"
                | "like"
                | "is"
                | ":"
                | "="
        );
        let string = (at + 1..at + 3).find(|&at| is_string(at)).filter(|_| is_word)?;
        let is_plain = string == at + 1 || matches!(self.layout.text(at + 1), "as" | "=" | ":");
        is_plain.then(|| {
            let range = (self.here().0, self.range(string - 1).1);
            Fix::new(range, "as", Code::E0013, title).help(format!("write `as {}`", self.layout.text(string)))
        })
    }

    /// Rewrites `some l in S where all c in l: f` to `some l in S: all c in l: f`.
    fn where_before_a_quantifier(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_quantifier = |at: usize| matches!(self.layout.text(at), "some" | "all" | "no" | "one");
        let begins = |at: usize| is_quantifier(at) && self.layout.text(at + 2) == "in";
        let place = (self.bounds.clause..at).find(|&at| self.layout.text(at) == "where" && begins(at + 1))?;
        let outer = (self.bounds.clause..place).rev().find(|&at| begins(at))?;
        let inner = (place..at).filter(|&at| begins(at)).count();
        let colons = (place..at).filter(|&at| self.layout.text(at) == ":").count();
        let has_colon = (outer..place).any(|at| self.layout.text(at) == ":");
        (inner == colons && !has_colon).then(|| {
            let quantifier = self.layout.text(outer);
            let title = format!("what `{quantifier}` says of each element stands after `:`");
            let fix = Fix::new((self.range(place - 1).1, self.range(place).1), ":", Code::E0013, title);
            fix.at(self.range(place)).help(format!("write `{}: ...`", self.text(outer, place)))
        })
    }

    /// Rewrites `predicate line(p: Player) = f;` to `def line(p: Player) = f;`.
    fn definition_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = matches!(
            self.layout.text(first),
            "predicate"
                | "relation"
                | "property"
                | "formula"
                | "macro"
                | "condition"
                | "rule"
                | "term"
                | "helper"
                | "derived"
        );
        let open = first + 2;
        let after = match self.layout.text(open) {
            "(" => self.layout.partner(open)? + 1,
            _ => open,
        };
        let is_item = is_word
            && self.bounds.at <= first + 1
            && self.is_name(first + 1)
            && self.layout.text(after) == "=";
        is_item.then(|| {
            let title = "a name for a term or a condition is a definition";
            let head = self.text(first + 1, after);
            let fix = Fix::new(self.range(first), "def", Code::E0013, title)
                .help(format!("write `def {head} = ...;`"));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `for p in Player: p wins when f;` and `when f for p in Player => p wins;` to
    /// `for p in Player when f => p wins;`.
    fn rule_with_the_outcome_first(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end =
            self.outside_brackets(clause, &[";"]).filter(|_| self.bounds.place == ClauseContext::End)?;
        let find = |from: usize, words: &[&str]| self.outside_brackets(from, words).filter(|&at| at < end);
        let (binder, condition, outcome) = match self.layout.text(clause) {
            "for" => {
                let colon = find(clause + 1, &[":", ","])?;
                let when = find(colon + 1, &["when", "if"])?;
                (self.text(clause, colon).to_owned(), self.text(when + 1, end), self.text(colon + 1, when))
            }
            "when" => {
                let word = find(clause + 1, &["for"])?;
                let arrow = find(word, &["=>"])?;
                // `for some p` names the player of the outcome as well.
                let is_some = matches!(self.layout.text(word + 1), "some" | "any" | "a" | "each" | "every")
                    && self.layout.text(arrow + 1) == self.layout.text(word + 2);
                let name = word + 1 + usize::from(is_some);
                if self.layout.text(name + 1) != "in" {
                    return None;
                }
                let binder = format!("for {}", self.text(name, arrow));
                (binder, self.text(clause + 1, word), self.text(arrow + 1, end))
            }
            _ => return None,
        };
        let fits = |rule: Rule, text: &str| trial_parse(rule, text).is_ok_and(|length| length == text.len());
        if !fits(Rule::one_expr, condition) || !fits(Rule::outcome, outcome) {
            return None;
        }
        let new = format!("{binder} when {condition} => {outcome}");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "a rule names the player first, then its condition, then the outcome";
        Some(Fix::new(range, &new, Code::E0005, title).at(self.here()).help(format!("write `{new};`")))
    }

    /// Rewrites `when some p in Player with f => p wins;` to `for p in Player when f => p wins;`.
    fn rule_for_some(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_rule = self.bounds.place == ClauseContext::End
            && self.layout.text(clause) == "when"
            && matches!(self.layout.text(clause + 1), "some" | "a" | "any" | "one")
            && self.layout.text(clause + 3) == "in";
        let word =
            self.outside_brackets(clause + 4, &["with", "has", "having", "such"]).filter(|_| is_rule)?;
        let start = word + 1 + usize::from(self.layout.text(word) == "such");
        let arrow =
            self.outside_brackets(start, &["=>", ";"]).filter(|&arrow| self.layout.text(arrow) == "=>")?;
        let name = self.layout.text(clause + 2);
        let has_name = self.layout.text(arrow + 1) == name;
        let condition = self.text(start, arrow);
        let is_term = trial_parse(Rule::one_expr, condition).is_ok_and(|length| length == condition.len());
        (has_name && is_term).then(|| {
            let new = format!("for {} when {condition}", self.text(clause + 2, word));
            let range = (self.range(clause).0, self.range(arrow - 1).1);
            let title = format!("a rule whose outcome is about `{name}` begins with `for`");
            Fix::new(range, &new, Code::E0005, title)
                .at(self.range(clause + 1))
                .help(format!("write `{new} => ...;`"))
        })
    }

    /// Rewrites `=> no winner;` to `=> draw;`.
    fn nobody_wins(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let end = self.outside_brackets(arrow, &[";"]).filter(|&end| end > arrow + 1)?;
        let words = self.plain_words(arrow + 1, end).to_lowercase();
        let is_rule = self.layout.text(arrow) == "=>" && self.bounds.place == ClauseContext::End;
        (is_rule && NOBODY.contains(&words.as_str())).then(|| {
            let range = (self.range(arrow + 1).0, self.range(end - 1).1);
            let title = "that nobody wins is a `draw`";
            Fix::new(range, "draw", Code::E0005, title).help("write `draw;`")
        })
    }

    /// Explains `draw otherwise;`.
    fn outcome_otherwise(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end =
            self.outside_brackets(clause, &[";"]).filter(|_| self.bounds.place == ClauseContext::End)?;
        let word = end.checked_sub(1).filter(|&word| word > clause)?;
        let is_last = matches!(self.layout.text(word), "otherwise" | "else");
        let outcome = self.text(clause, word);
        let is_outcome = trial_parse(Rule::outcome, outcome).is_ok_and(|length| length == outcome.len());
        (is_last && is_outcome).then(|| {
            let title = "a position where no rule holds is not the end: play goes on there";
            let help = format!("say when the game is over: `when stuck => {outcome};` if nobody can move");
            let range = (self.range(clause).0, self.range(end).1);
            Fix { code: Code::E0005, ..explained(range, "", title, help).at(self.range(word)) }
        })
    }
}
