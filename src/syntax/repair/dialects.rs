//! Constructs of programs, model checkers and spreadsheets that have another form here: `Player::none`, `let rec f(x) =
//! ...`, `if(c, a, b)`, `[take] n > 0 -> (n' = n - 1);`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::habits::leaving_message;
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;
use crate::lex::TokenKind;

/// The signs that change a field.
const EFFECT_SIGNS: [&str; 5] = [":=", "+=", "-=", "|=", "<-"];

impl FixFinder<'_> {
    /// Fixes and explanations of constructs of other languages.
    pub fn dialects(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.qualified_name(),
            self.let_among_the_items(),
            self.helper_after_where(),
            self.returned_value(),
            self.effect_as_a_definition(),
            self.arm_of_a_value(),
            self.guarded_command(),
            self.message_in_a_move(),
            self.head_in_the_body(),
            self.value_as_an_effect(),
            self.requirement_in_words(),
            self.bit_operation(),
            self.slice(),
            self.choice_as_a_function(),
            self.row_of_semicolons(),
            self.players_in_words(),
            self.move_as_an_event(),
            self.message_of_a_claim(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `Player::none` to `none`, `std::max(a, b)` to `max(a, b)` and `Kind::king` to `Kind.king`.
    fn qualified_name(&self) -> Option<Fix> {
        let colon = [self.bounds.at, self.bounds.at.wrapping_sub(1)]
            .into_iter()
            .find(|&at| self.layout.text(at) == ":" && self.layout.text(at + 1) == ":" && self.touches(at))?;
        let name = colon.checked_sub(1).filter(|&name| self.is_name(name) && self.touches(name))?;
        let member = colon + 2;
        let is_member = self.touches(colon + 1) && keywords::starts_with_letter(self.layout.text(member));
        let needs_no_owner = matches!(self.layout.text(name), "std" | "Math" | "math")
            || matches!(self.layout.text(member), "none" | "true" | "false");
        let theirs = self.text(name, member + 1);
        let new = match needs_no_owner {
            true => self.layout.text(member).to_owned(),
            false => format!("{}.{}", self.layout.text(name), self.layout.text(member)),
        };
        let range = (self.range(name).0, self.range(member).1);
        is_member.then(|| {
            let title = format!("`{theirs}` is written `{new}` here");
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `let line(p: Player) = ...;` and `let rec ...` among the items to `def ...`.
    fn let_among_the_items(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_let = matches!(self.word, "let" | "var" | "val") && self.bounds.at == first;
        let is_recursive = matches!(self.layout.text(first + 1), "rec" | "inline");
        let name = first + 1 + usize::from(is_recursive);
        let close = self.layout.partner(name + 1).filter(|_| is_let && self.layout.text(name + 1) == "(")?;
        if !self.is_name(name) || !matches!(self.layout.text(close + 1), "=" | ":") {
            return None;
        }
        let range = (self.range(first).0, self.range(name).0);
        let title = "what has parameters and a value is a definition";
        let help = format!("write `def {} = ...;`", self.text(name, close + 1));
        let fix = Fix::new(range, "def ", Code::E0013, title).at(self.range(first)).help(help);
        Some(Fix { accepts_partial: true, ..fix })
    }

    pub(super) fn in_definition(&self) -> bool {
        matches!(self.layout.text(self.bounds.first), "def" | "inductive" | "const")
    }

    /// Rewrites `def f(x: T) = { return e; }` to `def f(x: T) = e;`.
    fn returned_value(&self) -> Option<Fix> {
        let open = [self.bounds.clause, self.bounds.at].into_iter().find_map(|at| {
            let open = at.checked_sub(1).filter(|&open| self.layout.text(open) == "{")?;
            (self.layout.text(open.checked_sub(1)?) == "=" && self.layout.text(at) == "return")
                .then_some(open)
        });
        let open = open.filter(|_| self.in_definition())?;
        let close = self.layout.partner(open)?;
        let value = self.text(open + 2, close).trim_end_matches(';').trim_end();
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let range = (self.range(open - 1).0, self.range(last).1);
        let is_value = trial_parse(Rule::one_expr, value).is_ok_and(|end| end == value.len());
        is_value.then(|| {
            let new = format!("= {value};");
            let title = "a definition is one expression after `=`, without braces and `return`";
            Fix::new(range, &new, Code::E0013, title).at(self.range(open + 1)).help(format!("write `{new}`"))
        })
    }

    /// Explains `def f(x: T) = g(x) where g(y) = ...;`.
    fn helper_after_where(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_where =
            matches!(self.layout.text(first), "def" | "const" | "inductive") && self.word == "where";
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_where && self.is_name(at + 1))?;
        let (params, sign) = match self.layout.text(at + 2) {
            "(" => (Some((at + 3, self.layout.partner(at + 2)?)), self.layout.partner(at + 2)? + 1),
            _ => (None, at + 2),
        };
        if self.layout.text(sign) != "=" {
            return None;
        }
        let params = params.map_or(String::new(), |(from, to)| {
            let names = self.text(from, to).split(',').map(|name| match name.trim() {
                typed if typed.contains(':') => typed.to_owned(),
                name => format!("{name}: TYPE"),
            });
            format!("({})", names.collect::<Vec<_>>().join(", "))
        });
        let (name, body) = (self.layout.text(at + 1), self.text(sign + 1, end));
        let body = if body.len() > 60 || body.contains('\n') { "..." } else { body };
        let title = "no `where` follows a definition: what it uses is a definition of its own";
        let help = format!("write `def {name}{params} = {body};` before it");
        Some(explained((self.gap().0, self.range(end - 1).1), "", title, help).at(self.here()))
    }

    /// Rewrites `def remove(k: 1..3) = heap -= k;` to `effect remove(k: 1..3) { heap -= k; }`.
    fn effect_as_a_definition(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_effect = self.layout.text(first) == "def" && EFFECT_SIGNS.contains(&self.word);
        let has_params = self.layout.text(first + 2) == "(";
        let head = if has_params { self.layout.partner(first + 2)? } else { first + 1 };
        let (body, last) = match (self.layout.text(head + 1), self.layout.text(head + 2)) {
            ("=", "{") if is_effect => {
                let close = self.layout.partner(head + 2)?;
                (
                    self.text(head + 3, close).to_owned(),
                    close + usize::from(self.layout.text(close + 1) == ";"),
                )
            }
            ("{", _) if is_effect => {
                let close = self.layout.partner(head + 1)?;
                (self.text(head + 2, close).to_owned(), close)
            }
            ("=", _) if is_effect && at > head + 2 => {
                let end = self.outside_brackets(head + 2, &[";"])?;
                (self.text(head + 2, end + 1).to_owned(), end)
            }
            _ => return None,
        };
        let body = if body.ends_with([';', '}']) { body } else { format!("{body};") };
        if trial_parse(Rule::effects, &body).is_err() || at > last {
            return None;
        }
        let params = if has_params { "" } else { "()" };
        let new = format!("effect {}{params} {{ {body} }}", self.text(first + 1, head + 1));
        let title = "a `def` is a value and changes nothing; what changes fields is an `effect`";
        let fix = Fix::new((self.range(first).0, self.range(last).1), &new, Code::E0013, title);
        let shown = if new.len() > 80 || new.contains('\n') {
            format!("effect {}{params} {{ ... }}", self.text(first + 1, head + 1))
        } else {
            new
        };
        Some(fix.at(self.here()).help(format!("write `{shown}`")))
    }

    /// Rewrites `match e { Just p => a, none => b }` to `match e { none => b, _ => a }`.
    fn arm_of_a_value(&self) -> Option<Fix> {
        let (at, open) = (self.bounds.at, self.bracket_around(self.bounds.at, self.bounds.at)?);
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let word = at.checked_sub(1).filter(|_| matches!(self.last, "Just" | "Some") && self.is_name(at))?;
        let matched = (self.bounds.first..open).rev().find(|&at| self.layout.text(at) == "match")?;
        if !matches!(self.layout.text(at + 1), "=>" | "->") || matched + 1 >= open {
            return None;
        }
        let end = self.outside_brackets(at, &[",", ";"]).filter(|&end| end < close).unwrap_or(close);
        let subject = self.text(matched + 1, open);
        let uses_name = (at + 2..end).any(|use_at| self.layout.text(use_at) == self.word);
        let replaced: String = match uses_name {
            false => self.text(at + 2, end).to_owned(),
            true => DAMAGE_MARKER.to_owned(),
        };
        let before = self.text(open + 1, word).trim_end_matches(',');
        let after = if end < close { self.text(end + 1, close) } else { "" };
        let others: Vec<&str> = [before, after].into_iter().filter(|arms| !arms.is_empty()).collect();
        let others = others.iter().map(|arms| format!("{arms}, ")).collect::<String>();
        let new = format!("{{ {others}_ => {replaced} }}");
        let title =
            format!("`{} {}` is no pattern: what is not `none` is the value itself", self.last, self.word);
        let range = (self.range(open).0, self.range(close).1);
        let label = (self.range(word).0, self.here().1);
        Some(match uses_name {
            false => Fix::new(range, &new, Code::E0013, title)
                .at(label)
                .help(format!("write `match {subject} {new}`")),
            true => {
                let help = format!("write `{others}_ => ...` with `{subject}` in place of `{}`", self.word);
                explained(range, &new, &title, help).at(label)
            }
        })
    }

    /// Explains the command `[take] n > 0 -> (n' = n - 1);` of a model checker among the items.
    fn guarded_command(&self) -> Option<Fix> {
        let (first, last) = (self.bounds.first, self.bounds.first + 2);
        let is_command = self.bounds.at == first && self.word == "[" && self.layout.text(last) == "]";
        let end = self.outside_brackets(first, &[";"]).filter(|_| is_command)?;
        let arrow = self.outside_brackets(first, &["->"]).filter(|&arrow| arrow < end)?;
        let mut effects = String::new();
        let mut at = arrow + 1;
        while let Some(close) = self.layout.partner(at).filter(|_| self.layout.text(at) == "(") {
            let sign = self.outside_brackets(at + 1, &["="]).filter(|&sign| sign < close)?;
            effects += &format!(" {} := {};", self.text(at + 1, sign), self.text(sign + 1, close));
            at = close + 1 + usize::from(self.layout.text(close + 1) == "&");
        }
        let effects = if effects.is_empty() { " field := value;" } else { &effects };
        let name = self.layout.text(first + 1);
        let title = "a guarded command is a move here: its condition, and then what changes";
        let help = format!("write `move {name}() {{ when {};{effects} }}`", self.text(last + 1, arrow));
        Some(
            explained((self.range(first).0, self.range(end).1), "", title, help)
                .at((self.range(first).0, self.range(last).1)),
        )
    }

    /// Explains `log "took {k}";` in a move.
    fn message_in_a_move(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_str = self.layout.words.get(self.bounds.at).is_some_and(|word| word.kind == TokenKind::Str);
        let is_message = self.bounds.place == ClauseContext::Move
            && self.bounds.at == clause + 1
            && self.is_name(clause)
            && leaving_message(self.layout.text(clause)).is_none()
            && is_str;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_message)?;
        let title = "a move shows no messages: what is shown of it is its name";
        let help =
            format!("write the name after the parameters, `move name(...) as {} {{ ... }}`", self.word);
        Some(explained((self.range(clause).0, self.range(end).1), "", title, help).at(self.range(clause)))
    }

    /// Explains `prefer max k;`, `in phase;`, `by Player;` or `as "...";` in the braces of a move.
    fn head_in_the_body(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_head = self.bounds.place == ClauseContext::Move
            && matches!(word, "prefer" | "in" | "by" | "as")
            && matches!(self.bounds.at, at if at == clause || at == clause + 1);
        // A field may bear such a name: `by[k] := me;`.
        let signs = [":=", "+=", "-=", "|=", "&=", "<-", ";"];
        let end = self.outside_brackets(clause, &signs).filter(|&end| is_head && end > clause + 1)?;
        if self.layout.text(end) != ";" {
            return None;
        }
        let clause_text = self.text(clause, end);
        let title = format!("`{word}` stands before the `{{` of a move");
        let help = format!(
            "write `{} ... {clause_text} {{ ... }}`",
            self.text(self.bounds.first, self.bounds.first + 2)
        );
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", &title, help).at((range.0, self.range(end - 1).1)))
    }

    /// Explains `heap - k;` as a clause of a move.
    fn value_as_an_effect(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let begins = self.bounds.place == ClauseContext::Move && self.is_name(clause) && at > clause;
        let end = self.outside_brackets(clause, &[";"]).filter(|_| begins)?;
        let term = self.text(clause, end);
        let is_operator = matches!(self.word, "+" | "-" | "*" | "/" | "|" | "&" | "mod");
        let is_target = trial_parse(Rule::one_expr, self.text(clause, at)).is_ok();
        let is_compared =
            self.outside_brackets(at, &["==", "=", "!=", "<", "<=", ">", ">="]).is_some_and(|at| at < end);
        if is_compared
            || !is_operator
            || !is_target
            || at + 1 >= end
            || self.probability_as_a_value().is_some()
            || trial_parse(Rule::one_expr, term).is_err()
        {
            return None;
        }
        let target = self.text(clause, at);
        let value = self.text(at + 1, end);
        let help = match self.word {
            // A call is no field.
            _ if target.ends_with(')') => {
                format!("write `f := {term};`, where `f` is the field that it changes")
            }
            sign @ ("+" | "-" | "|") if !value.contains(['+', '-', '|', '*', '/']) => {
                format!("write `{target} {sign}= {value};` to change `{target}`")
            }
            _ => format!("write `{target} := {term};` to change `{target}`"),
        };
        let title = format!("`{term}` is a value and changes nothing");
        Some(
            explained((self.range(clause).0, self.range(end).1), "", &title, help)
                .at((self.range(clause).0, self.range(end - 1).1)),
        )
    }

    /// Explains `the cell c must be free;` in a move.
    fn requirement_in_words(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(clause, &[";"]);
        let end = end.filter(|&end| self.bounds.place == ClauseContext::Move && end > clause + 3)?;
        let are_words = (clause..end).all(|at| self.layout.words[at].kind == TokenKind::Word);
        let must = (clause + 1..end)
            .find(|&at| matches!(self.layout.text(at), "must" | "has" | "should" | "needs" | "is"))
            .filter(|_| are_words && self.bounds.at <= clause + 2)?;
        let subject = self.layout.text(must - 1);
        let help = match self.layout.text(end - 1) {
            "free" | "empty" | "unoccupied" | "vacant" => {
                format!("write `when at[{subject}] = none;`, with the name of the field")
            }
            "occupied" | "taken" => {
                format!("write `when at[{subject}] != none;`, with the name of the field")
            }
            _ => "write `when ...;` with a comparison, such as `when n > 0;`".to_owned(),
        };
        let title = "what must hold for a move to be legal is a condition after `when`";
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", title, help).at((range.0, self.range(end - 1).1)))
    }

    /// The words of the value around the mistake: behind `when`, a sign or `=>`, up to the end of the clause.
    fn value_around(&self) -> Option<(usize, usize)> {
        let starts = |at: &usize| {
            let word = self.layout.text(*at);
            matches!(word, "when" | "ensure" | "if" | "=") || EFFECT_SIGNS.contains(&word)
        };
        let start = (self.bounds.clause..self.bounds.at).find(starts)? + 1;
        let end = self.outside_brackets(start, &[";", "=>", "{"])?;
        (start <= self.bounds.at && self.bounds.at < end).then_some((start, end))
    }

    /// Explains `heap & (1 << k) != 0` and other operations on bits.
    fn bit_operation(&self) -> Option<Fix> {
        let shift = [self.bounds.at.wrapping_sub(1), self.bounds.at].into_iter().find(|&at| {
            let sign = self.layout.text(at);
            matches!(sign, "<" | ">") && self.layout.text(at + 1) == sign && self.touches(at)
        })?;
        let (start, end) = self.value_around()?;
        let title = "numbers have no bits: a set of numbers takes the place of a mask";
        let help = "write `s: set of 0..9 = {}` for the field, `k in s` to test an element, `s |= { k }` and `s -= { k }` to \
                    change it";
        let range = (self.range(start).0, self.range(end - 1).1);
        Some(explained(range, DAMAGE_MARKER, title, help).at((self.range(shift).0, self.range(shift + 1).1)))
    }

    /// Explains `row[0:2]`.
    fn slice(&self) -> Option<Fix> {
        let colon = self.bounds.at;
        let open = self.bracket_around(colon, colon).filter(|_| self.word == ":")?;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "[")?;
        let is_index = open > self.bounds.clause
            && self.touches(open - 1)
            && (self.is_name(open - 1) || self.layout.words[open - 1].kind == TokenKind::Close);
        let in_value = matches!(self.bounds.place, ClauseContext::Move | ClauseContext::End)
            || (self.bounds.clause..open).any(|at| self.layout.text(at) == "=");
        let start = self.start_of_term(open);
        (is_index && in_value && start >= self.bounds.clause).then(|| {
            let term = self.text(start, open);
            let title = "there are no slices: a list or a field has single elements";
            let help = format!(
                "write `{term}[i]` for one element, `{{ {term}[i] for i in 0..2 }}` for a set of some"
            );
            let range = (self.range(start).0, self.range(close).1);
            explained(range, DAMAGE_MARKER, title, help).at((self.range(open).0, self.range(close).1))
        })
    }

    /// Rewrites `if(c, a, b)` to `if c then a else b`.
    fn choice_as_a_function(&self) -> Option<Fix> {
        let is_call = |at: &usize| {
            let close = self.layout.partner(at + 1).filter(|_| self.layout.text(at + 1) == "(");
            self.layout.text(*at) == "if" && close.is_some_and(|close| close <= self.bounds.at)
        };
        let word = (self.bounds.clause + 1..self.bounds.at).find(is_call)?;
        let close = self.layout.partner(word + 1)?;
        let first = self.outside_brackets(word + 2, &[","]).filter(|&comma| comma < close)?;
        let second = self.outside_brackets(first + 1, &[","]).filter(|&comma| comma < close)?;
        let more = self.outside_brackets(second + 1, &[","]).is_some_and(|comma| comma < close);
        let parts = (self.text(word + 2, first), self.text(first + 1, second), self.text(second + 1, close));
        let mut new = format!("if {} then {} else {}", parts.0, parts.1, parts.2);
        if !matches!(self.layout.text(close + 1), ";" | "," | ")" | "}" | "=>") {
            new = format!("({new})");
        }
        let range = (self.range(word).0, self.range(close).1);
        let title = "a choice between two terms is made by `if ... then ... else ...`";
        (!more).then(|| {
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
            Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) }
        })
    }

    /// Removes a row of `;`.
    fn row_of_semicolons(&self) -> Option<Fix> {
        let first = self.bounds.at;
        let is_row = self.word == ";" && matches!(self.last, "" | ";" | "}");
        let count = self.layout.words.len();
        let end = (first..count).find(|&at| self.layout.text(at) != ";").unwrap_or(count);
        let is_comment = !self.layout.begins_line(end) && self.layout.text(end) != "}";
        (is_row && end > first + 1 && !is_comment).then(|| {
            let range = (self.here().0, self.range(end - 1).1);
            let title = "these `;` are too many: one ends a clause";
            Fix::new(range, "", Code::E0013, title).at(self.here()).help("take them away")
        })
    }

    /// Rewrites `two players: X and O;` to `players X, O;`.
    fn players_in_words(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_number = self.is_number(first)
            || matches!(self.layout.text(first), "one" | "two" | "three" | "four" | "five" | "six" | "the");
        let is_sentence = self.bounds.at == first
            && is_number
            && matches!(self.layout.text(first + 1), "players" | "player");
        let end = self.outside_brackets(first, &[";"]).filter(|_| is_sentence)?;
        let start = first + 2;
        let start =
            start + usize::from(matches!(self.layout.text(start), ":" | "=" | "are" | "is" | "called"));
        let mut names = Vec::new();
        for at in start..end {
            match self.layout.text(at) {
                "," | "and" => {}
                name if self.is_name(at) => names.push(name),
                _ => return None,
            }
        }
        // Names without a comma between them are one name of several words.
        let is_list = (start..end).all(|at| (at - start) % 2 == usize::from(!self.is_name(at)));
        (!names.is_empty() && is_list).then(|| {
            let new = format!("players {}", names.join(", "));
            let range = (self.range(first).0, self.range(end - 1).1);
            let title = "the players are listed by their names, with commas between them";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`"))
        })
    }

    /// Rewrites `on move mark(c: Cell) { ... }` to `move mark(c: Cell) { ... }`.
    fn move_as_an_event(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_event = self.bounds.at == first
            && matches!(
                self.word,
                "on" | "upon" | "after" | "before" | "event" | "add" | "a" | "the" | "legal"
            )
            && matches!(self.layout.text(first + 1), "move" | "chance");
        is_event.then(|| {
            let range = (self.here().0, self.range(first + 1).0);
            let title = "a move is declared by `move` alone: its conditions and effects are in its braces";
            let fix = Fix::new(range, "", Code::E0013, title).at(self.here());
            Fix { accepts_partial: true, ..fix.help(format!("leave `{}` out", self.word)) }
        })
    }

    /// Rewrites `expect first wins, "why";` to `expect first wins; // why`.
    fn message_of_a_claim(&self) -> Option<Fix> {
        let is_claim = self.layout.text(self.bounds.clause) == "expect";
        let comma = [self.bounds.at, self.bounds.at.wrapping_sub(1)]
            .into_iter()
            .find(|&at| matches!(self.layout.text(at), "," | ":") && at > self.bounds.clause)?;
        let string = comma + 1;
        let is_message = self.layout.words.get(string).is_some_and(|word| word.kind == TokenKind::Str);
        let ends = self.layout.text(string + 1) == ";" && self.layout.begins_line(string + 2);
        (is_claim && is_message && ends).then(|| {
            let text = self.layout.text(string).trim_matches('"');
            let range = (self.range(comma - 1).1, self.range(string + 1).1);
            let title = "a claim has no message: what is said about it is a comment";
            let fix = Fix::new(range, &format!("; // {text}"), Code::E0013, title).at(self.range(string));
            fix.help(format!("write `{}; // {text}`", self.text(self.bounds.clause, comma)))
        })
    }
}
