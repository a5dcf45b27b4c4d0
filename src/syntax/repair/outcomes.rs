//! Fixes for rules of `end` in other notations.

use super::edits::{Fix, FixFinder};
use super::foreign::means_a_draw;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::lex::TokenKind;

/// The maximal number of words of a value that a message quotes.
const MAX_QUOTED_VALUE: usize = 20;

/// The outcome that an assignment or a returned value stands for: `X wins` of `winner = X`.
fn as_outcome(text: &str) -> String {
    let value = |rest: &str| rest.trim_start().trim_start_matches([':', '=']).trim().to_owned();
    let name = |word: &str| match word {
        "draw" | "tie" | "none" | "true" => "draw".to_owned(),
        player => format!("{player} wins"),
    };
    match ["winner", "loser", "return", "draw"].into_iter().find(|word| text.starts_with(word)) {
        Some("loser") => format!("{} loses", value(&text["loser".len()..])),
        Some("draw") if text.len() > "draw".len() => "draw".to_owned(),
        Some(word @ ("winner" | "return")) => name(&value(&text[word.len()..])),
        _ => text.to_owned(),
    }
}

/// Returns true for a word that begins a further branch of an `if`.
fn is_branch(word: &str) -> bool {
    matches!(word, "else" | "elif" | "elsif" | "elseif")
}

/// Words before an outcome that `when` does not complete.
fn is_no_condition(word: &str) -> bool {
    matches!(word, "if" | "else" | "otherwise" | "default")
}

impl FixFinder<'_> {
    /// Fixes for outcomes in other notations.
    pub fn outcomes(&self, fixes: &mut Vec<Fix>) {
        if let Some(arrow) = self.arrow_before_a_payoff() {
            // The outcome is sound, and its term has the mistakes of any term.
            fixes.extend(match self.word {
                ":" | "=>" => self.payoff_by_players(arrow).or_else(|| self.payoffs_by_choices(arrow)),
                "if" | "when" => self.payoff_under_a_condition(arrow),
                "," => self.payoffs_in_a_row(arrow, self.whole_clause()),
                _ => self.payoffs_by_choices(arrow),
            });
            return;
        }
        let title = "an outcome is written `when ... => X wins;`";
        let fix = |range, new: &str| Fix::new(range, new, Code::E0005, title);
        if matches!(self.word, "->" | ":" | "then" | "=" | ":=" | "," | ">" | "is") {
            let title = format!("`{}` stands where `=>` leads to the outcome", self.word);
            let new = self.with_blanks("=>");
            fixes.push(Fix { title, ..fix(self.here(), &new) }.help("write `when ... => X wins;`"));
        }
        let clause: Vec<&str> =
            (self.bounds.clause..self.bounds.end).map(|at| self.layout.text(at)).collect();
        if self.bounds.at == self.bounds.clause && clause.contains(&"=>") && !is_no_condition(self.word) {
            let text = "a rule of the end begins with `when`";
            let start = self.here().0;
            fixes.push(
                Fix { title: text.into(), ..fix((start, start), "when ") }
                    .at(self.here())
                    .help("write `when ... => X wins;`"),
            );
        }
        let verdict = ["draw", "win", "lose", "highest", "lowest", "payoff"].contains(&self.word);
        let starts = self.layout.words.get(self.bounds.at).is_some_and(|word| word.kind == TokenKind::Word);
        if verdict || starts && !self.layout.begins_line(self.bounds.at) {
            let text = "the `=>` before the outcome is missing";
            fixes.push(
                Fix { title: text.into(), ..fix(self.gap(), " =>") }
                    .at(self.here())
                    .help("write `when ... => X wins;`"),
            );
        }
        if self.word == "if" {
            fixes.push(fix(self.here(), "when").help("write `when` in place of `if`"));
        }
        for (theirs, ours) in [
            ("win", "wins"),
            ("lose", "loses"),
            ("won", "wins"),
            ("lost", "loses"),
            ("tie", "draw"),
            ("draw", "draw"),
        ] {
            let is_theirs = |word: &str| word.eq_ignore_ascii_case(theirs) && word != ours;
            if is_theirs(self.word) {
                fixes.push(fix(self.here(), ours).help(format!("write `{ours}`")));
            } else if is_theirs(self.last) {
                fixes.push(fix(self.range(self.bounds.at - 1), ours).help(format!("write `{ours}`")));
            }
        }
        fixes.extend(self.outcome_after_then());
        self.outcomes_of_other_kinds(fixes);
        let last = self.layout.text(self.bounds.at.saturating_sub(2));
        if self.word == ";" && self.last == "solved" && last == "=>" {
            let title = "that a puzzle is solved is the outcome `win`";
            let fix = Fix { title: title.into(), ..fix(self.range(self.bounds.at - 1), "win") };
            fixes.push(fix.help("write `win`"));
        }
        fixes.extend(self.word_for_a_draw(last));
        fixes.extend(self.draw_in_a_sentence());
        if self.word == ";" && matches!(self.last, "highest" | "lowest") && last == "=>" {
            let outline = self.outline();
            let field = outline.field_over("Player").unwrap_or("total");
            let title = format!("`{}` has the name of a field or definition of each player", self.last);
            let new = format!(" {field}");
            let fix = Fix { title, ..fix(self.gap(), &new) }.at(self.range(self.bounds.at - 1));
            let fix = fix.help(format!("write `{}{new}`", self.last));
            fixes.push(Fix { is_correction: false, ..fix });
            return;
        }
        if let Some(fix) = self.condition_as_an_outcome() {
            fixes.push(fix);
            return;
        }
        let is_number = self.last.starts_with(|c: char| c.is_ascii_digit());
        if self.word == ";"
            && !is_number
            && !(self.last == ")" && last.starts_with(|c: char| c.is_ascii_digit()))
        {
            let text = "the outcome does not say whether the player wins or loses";
            let player = self.text(self.start_of_term(self.bounds.at), self.bounds.at);
            fixes.push(
                Fix { title: text.into(), ..fix(self.gap(), " wins") }
                    .at(self.range(self.bounds.at.saturating_sub(1)))
                    .help(format!("write `{player} wins`, or `{player} loses`")),
            );
        }
        self.outcome_in_braces(fixes);
        self.reversed_outcome(fixes);
    }

    /// Rewrites `=> remis;` and `=> stalemate;` to `=> draw;`, unless a player has that name.
    fn word_for_a_draw(&self, before: &str) -> Option<Fix> {
        let is_outcome = self.word == ";" && before == "=>" && means_a_draw(self.last);
        if !is_outcome || self.outline().players().contains(&self.last) {
            return None;
        }
        let title = format!("a game that nobody wins is a `draw`, not a `{}`", self.last);
        Some(Fix::new(self.range(self.bounds.at - 1), "draw", Code::E0005, title).help("write `draw`"))
    }

    /// Rewrites `=> a draw;` and `=> it is a draw;` to `=> draw;`.
    fn draw_in_a_sentence(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let arrow = (self.bounds.clause..at).rev().find(|&word| self.layout.text(word) == "=>")?;
        let is_filler = |word: usize| {
            matches!(
                self.layout.text(word),
                "a" | "an" | "the" | "it" | "is" | "its" | "this" | "that" | "game" | "in" | "ends"
            )
        };
        let is_draw = self.word == "draw" || means_a_draw(self.word);
        if !is_draw || arrow + 1 == at || !(arrow + 1..at).all(is_filler) {
            return None;
        }
        let range = (self.range(arrow + 1).0, self.here().1);
        let title = "the outcome is the word `draw` alone";
        Some(Fix::new(range, "draw", Code::E0005, title).at(range).help("write `draw`"))
    }

    /// Outcomes that name no player, more than one, or payoffs without their player.
    fn outcomes_of_other_kinds(&self, fixes: &mut Vec<Fix>) {
        let clause = self.bounds.clause..self.bounds.end;
        let begin = self.layout.text(clause.start);
        let whole = self.whole_clause();
        let explained = |title: &str, help: &str, label| {
            let fix = Fix::new(whole, "", Code::E0005, title).at(label).help(help);
            Fix { is_correction: false, ..fix }
        };
        let arrow = clause.clone().find(|&at| self.layout.text(at) == "=>");
        if matches!(begin, "elif" | "elsif" | "elseif") && arrow.is_some() {
            let title = "the rules of the end are tried in order, and each begins with `when`";
            let range = self.range(clause.start);
            fixes.push(Fix::new(range, "when", Code::E0005, title).help("write `when ... => ...;`"));
        }
        if begin == "else" && self.layout.text(clause.start + 1) == "if" && arrow.is_some() {
            let title = "the rules of the end are tried in order, and each begins with `when`";
            let range = (self.range(clause.start).0, self.range(clause.start + 1).1);
            fixes.push(Fix::new(range, "when", Code::E0005, title).help("write `when ... => ...;`"));
        } else if begin == "else" || begin == "otherwise" || begin == "default" {
            let title = "a position where no rule holds is not the end: play goes on there";
            let from = clause.start + 1 + usize::from(self.layout.text(clause.start + 1) == "=>");
            let help = self.help_for_the_rest(self.text(from, clause.end.saturating_sub(1)));
            fixes.push(explained(title, &help, self.range(clause.start)));
        }
        if begin == "if" && arrow.is_none() {
            fixes.extend(self.nested_rules());
        }
        let Some(arrow) = arrow.filter(|&arrow| self.bounds.at > arrow) else { return };
        fixes.extend(self.outcome_by_if(arrow));
        let outcome = self.text(arrow + 1, self.bounds.end.saturating_sub(1));
        let spaced = outcome.replace(',', " , ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let range = (self.range(arrow + 1).0, self.range(self.bounds.end.saturating_sub(1)).0);
        let certain = |new: String, title: &str| {
            Fix::new(range, &new, Code::E0005, title).help(format!("write `{new}`"))
        };
        match words[..] {
            [verb @ ("wins" | "win" | "loses" | "lose")] => {
                let verb = if verb.starts_with('w') { "wins" } else { "loses" };
                let title = format!("the outcome does not say who {verb}");
                let help = format!("write `mover {verb}`, `other(mover) {verb}`, or name a player");
                fixes.push(explained(&title, &help, range));
            }
            ["player" | "side", "to", "move", verdict @ ("wins" | "loses")]
            | ["the", "player" | "side", "to", "move", verdict @ ("wins" | "loses")] => {
                fixes.push(certain(format!("mover {verdict}"), "the player to move is `mover`"));
            }
            ["next", "player" | "mover", verdict @ ("wins" | "loses")] => {
                let title = "after a move the turn has passed: the player to move next is `mover`";
                let help = format!(
                    "write `mover {verdict}`, or `other(mover) {verdict}` for the one who has just moved"
                );
                fixes.push(explained(title, &help, range));
            }
            ["last" | "previous", .., "wins" | "loses"] => {
                let verdict = words[words.len() - 1];
                fixes.push(self.outcome_of_the_last_mover(range, words[0], verdict));
            }
            [one, "wins", "and" | ",", other, "loses"] if one != other => {
                let title = "one outcome is enough: if one player wins, all others lose";
                fixes.push(certain(format!("{one} wins"), title));
            }
            [one, "loses", "and" | ",", other, "wins"] if one != other => {
                let title = "one outcome is enough: if one player wins, all others lose";
                fixes.push(certain(format!("{other} wins"), title));
            }
            ["winner" | "winner:", "is" | "=" | ":" | ":=", player]
            | ["win", "for" | "to", player]
            | ["winner" | "victory", player] => {
                fixes.push(certain(format!("{player} wins"), "an outcome is written `X wins`"));
            }
            ["loser", "is" | "=" | ":" | ":=", player]
            | ["loss", "for" | "of", player]
            | ["loss" | "defeat" | "lost" | "lose", player] => {
                fixes.push(certain(format!("{player} loses"), "an outcome is written `X loses`"));
            }
            [player, verdict @ ("wins" | "loses")] if player.ends_with(':') => {
                let player = player.trim_end_matches(':');
                fixes.push(certain(format!("{player} {verdict}"), "an outcome is written `X wins`"));
            }
            [number] if number.chars().all(|c| c.is_ascii_digit() || "./+-".contains(c)) => {
                let title = "a number is no outcome by itself";
                let help = match self.outline().players()[..] {
                    [_] => "write `win` or `lose`: this is a game of one player",
                    _ => "write `draw`, or `payoff p: ...;` with a number for each player `p`",
                };
                fixes.push(explained(title, help, range));
            }
            ["score" | "scores" | "points" | "value" | "goal", ..] => {
                let title = "numbers for the players are a payoff";
                fixes.extend(self.number_of_the_player(arrow, title));
                let help = "write `payoff p: if p = A then 1 else 0;`, with the name of the first player";
                fixes.push(explained(title, help, range));
            }
            [_, "wins" | "loses", "and" | ",", ..] => {
                let title = "a rule has one outcome";
                let help = "write `payoff p: ...;` with a number for each player `p` if several win";
                fixes.push(explained(title, help, range));
            }
            [word @ ("highest" | "lowest" | "most" | "least"), of, "wins"] => {
                let word = if matches!(word, "highest" | "most") { "highest" } else { "lowest" };
                let field = of.split(['[', '(']).next().unwrap_or(of);
                let title = "the player with the most, or the least, wins by `highest` or `lowest`";
                fixes.push(certain(format!("{word} {field}"), title));
            }
            ["payoff", name, ..] if self.is_complete_payoff(arrow, name) => {}
            ["payoff", ..] if self.word == "," => fixes.extend(self.payoffs_in_a_row(arrow, whole)),
            ["payoff" | "payoffs" | "payoff:" | "payoffs:", ..] => {
                fixes.extend(self.payoffs_in_a_row(arrow, whole));
                let title = "a payoff is one expression of a player, who has a name in it";
                let help = match &outcome.split_whitespace().collect::<Vec<_>>()[..] {
                    // `payoff Ann = 2 * n`
                    ["payoff", player, "=" | ":=" | ":" | "is", value @ ..]
                        if self.outline().players().contains(player) && value.len() <= MAX_QUOTED_VALUE =>
                    {
                        let value = match value.first() {
                            Some(&"if") => format!("({})", value.join(" ")),
                            _ => value.join(" "),
                        };
                        format!(
                            "write `payoff p: if p = {player} then {value} else ...;`, with what the others get"
                        )
                    }
                    _ => "write `payoff p: ...;`, where `p` is the player".to_owned(),
                };
                fixes.push(explained(title, &help, range));
            }
            _ => {
                let function = outcome.strip_suffix(')').and_then(|call| call.split_once('('));
                let is_name = |name: &str| name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
                match function {
                    Some(("winner" | "win" | "wins", player)) if is_name(player) => {
                        fixes.push(certain(format!("{player} wins"), "an outcome is written `X wins`"));
                    }
                    Some(("result" | "score" | "outcome" | "goal", args)) => {
                        let (player, verdict) = args.split_once(',').unwrap_or((args, ""));
                        let verdict = match verdict.trim().to_ascii_lowercase().as_str() {
                            "win" | "wins" | "100" => format!("{} wins", player.trim()),
                            "loss" | "lose" | "loses" | "0" => format!("{} loses", player.trim()),
                            "draw" | "tie" | "50" => "draw".to_owned(),
                            _ => return,
                        };
                        fixes.push(certain(verdict, "an outcome is written `X wins`"));
                    }
                    Some(("loser" | "lose" | "loses", player)) if is_name(player) => {
                        fixes.push(certain(format!("{player} loses"), "an outcome is written `X loses`"));
                    }
                    _ if outcome.contains(',') && outcome.contains(':') && !outcome.contains('(') => {
                        fixes.extend(self.payoffs_in_a_row(arrow, whole));
                    }
                    Some(("", _)) if outcome.contains(',') => {
                        let title = "the payoffs of the players are one expression of the player";
                        let help =
                            "write `payoff p: if p = A then 3 else 1;`, with the name of the first player";
                        fixes.push(explained(title, help, range));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Explains `when f => n[A] > n[B];`.
    fn condition_as_an_outcome(&self) -> Option<Fix> {
        let (clause, end) = (self.bounds.clause, self.bounds.at);
        let arrow = self.outside_brackets(clause, &["=>", ";"]).filter(|_| self.word == ";")?;
        let is_sign = ["=", "==", "!=", "<", "<=", ">", ">="];
        let sign =
            self.outside_brackets(arrow + 1, &is_sign).filter(|&sign| sign < end && sign > arrow + 1)?;
        let (name, other) = (self.layout.text(arrow + 1), self.layout.text(sign + 1));
        let is_pair =
            name == other && self.layout.text(arrow + 2) == "[" && self.end_of_operand(sign + 1) == Some(end);
        let help = match self.layout.text(sign) {
            ">" | ">=" if is_pair => format!("write `highest {name}` if the player with more wins"),
            "<" | "<=" if is_pair => format!("write `lowest {name}` if the player with less wins"),
            _ => {
                let condition = self.text(clause, arrow);
                format!(
                    "conditions stand before `=>`: `{condition} and {} => X wins;`",
                    self.text(arrow + 1, end)
                )
            }
        };
        let title = "an outcome names a player, and this is a condition";
        let range = (self.range(arrow + 1).0, self.range(end - 1).1);
        let fix = Fix::new(range, "draw", Code::E0005, title).note("this is true or false").help(help);
        Some(Fix { is_correction: false, ..fix })
    }

    /// A sign with blanks where it would touch the words beside the mistake.
    fn with_blanks(&self, sign: &str) -> String {
        let (start, end) = self.here();
        let source = self.layout.source;
        let before = if source[..start].ends_with(char::is_whitespace) { "" } else { " " };
        let after = if source[end..].starts_with(char::is_whitespace) { "" } else { " " };
        format!("{before}{sign}{after}")
    }

    /// Rewrites `payoff p: { A: 1, B: -1 }` to `payoff p: match p { A => 1, B => -1 }`.
    fn payoff_by_players(&self, arrow: usize) -> Option<Fix> {
        let open = arrow + 4;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let outline = self.outline();
        let players = outline.players();
        let (mut arms, mut at) = (Vec::new(), open + 1);
        while at < close {
            let end = self.outside_brackets(at, &[",", ";"]).filter(|&end| end < close).unwrap_or(close);
            let is_arm = players.contains(&self.layout.text(at))
                && matches!(self.layout.text(at + 1), ":" | "=" | "=>");
            if !is_arm || at + 2 >= end {
                return None;
            }
            arms.push(format!("{} => {}", self.layout.text(at), self.text(at + 2, end)));
            at = end + 1;
        }
        let new = format!("match {} {{ {} }}", self.layout.text(arrow + 2), arms.join(", "));
        let range = (self.range(open).0, self.range(close).1);
        let title = "the payoffs of the players are one expression of the player";
        (arms.len() == players.len())
            .then(|| Fix::new(range, &new, Code::E0005, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Explains `payoff p: 1 if p = A`.
    fn payoff_under_a_condition(&self, arrow: usize) -> Option<Fix> {
        let at = self.bounds.at;
        let end = self.outside_brackets(at, &[";"]).filter(|&end| end > at + 1 && at > arrow + 4)?;
        if (at..end).any(|at| self.layout.text(at) == "else") {
            return None;
        }
        let new = format!("if {} then {} else 0", self.text(at + 1, end), self.text(arrow + 4, at));
        let range = (self.range(arrow + 4).0, self.range(end - 1).1);
        let title = "a payoff has a number for each player, in either case";
        let fix = Fix::new(range, &new, Code::E0005, title).at(self.here()).help(format!("write `{new}`"));
        Some(Fix { is_correction: false, ..fix })
    }

    /// The arrow before `payoff p:` if the mistake lies behind the colon.
    fn arrow_before_a_payoff(&self) -> Option<usize> {
        let clause = self.bounds.clause..self.bounds.at;
        let arrow = clause.into_iter().find(|&at| self.layout.text(at) == "=>")?;
        let is_named = self.layout.text(arrow + 1) == "payoff" && self.is_name(arrow + 2);
        let is_player = self.outline().players().contains(&self.layout.text(arrow + 2));
        let is_sound =
            is_named && !is_player && self.layout.text(arrow + 3) == ":" && self.bounds.at > arrow + 3;
        is_sound.then_some(arrow)
    }

    /// Returns true if the outcome is `payoff p: e`, of which only the `;` is missing.
    fn is_complete_payoff(&self, arrow: usize, name: &str) -> bool {
        let is_named = name.trim_end_matches(':') == self.layout.text(arrow + 2) && self.is_name(arrow + 2);
        let value = self.text(arrow + 4, self.bounds.at);
        is_named
            && self.layout.text(arrow + 3) == ":"
            && self.word == "}"
            && trial_parse(Rule::one_expr, value).is_ok_and(|end| end == value.len())
    }

    /// Explains `payoff p: (stay, stay): 2; (go, stay): 3;`, a table of what the players chose.
    fn payoffs_by_choices(&self, arrow: usize) -> Option<Fix> {
        let named = self.layout.text(arrow + 3) == ":" && self.is_name(arrow + 2);
        let name = if named { self.layout.text(arrow + 2) } else { "p" };
        let start = arrow + 2 + if named { 2 } else { usize::from(self.layout.text(arrow + 2) == ":") };
        let (mut arms, mut at, mut last) = (Vec::new(), start, start);
        while let Some(close) = self.layout.partner(at).filter(|_| self.layout.text(at) == "(") {
            if !matches!(self.layout.text(close + 1), ":" | "=>" | "->" | "=") {
                return None;
            }
            let around = self.bracket_around(at, at).and_then(|open| self.layout.partner(open));
            let around = around.unwrap_or(self.layout.words.len());
            let end =
                self.outside_brackets(close + 2, &[";", ","]).filter(|&end| end < around).unwrap_or(around);
            arms.push(format!("{} => {}", self.text(at, close + 1), self.text(close + 2, end)));
            last = end.min(around - 1);
            at = end + 1;
        }
        if arms.is_empty() {
            return None;
        }
        let is_field = |at: &usize| self.is_name(*at) && self.layout.text(at + 1) == "[";
        let field = (self.bounds.clause..arrow).find(is_field).map_or("choice", |at| self.layout.text(at));
        let title = "what the players get for their choices is one expression, a `match`";
        let help = format!(
            "write `payoff {name}: match ({field}[{name}], {field}[other({name})]) {{ {}, _ => 0 }};`: first the choice of \
             `{name}`, then the other one",
            arms.join(", ")
        );
        let range = (self.range(self.bounds.clause).0, self.range(last).1);
        let label = (self.range(arrow + 1).0, self.range(last).1);
        let fix = Fix::new(range, "", Code::E0005, title).at(label).help(help);
        Some(Fix { is_correction: false, ..fix })
    }

    /// Rewrites `when f => if g then A wins else B wins;` to two rules.
    fn outcome_by_if(&self, arrow: usize) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.outside_brackets(arrow, &[";"]).filter(|_| self.layout.text(arrow + 1) == "if")?;
        let when = (clause..arrow).find(|&at| self.layout.text(at) == "when")?;
        let head = self.text(clause, when + 1);
        let condition = self.text(when + 1, arrow);
        let mut rules = Vec::new();
        let mut at = arrow + 1;
        while self.layout.text(at) == "if" {
            let then = self.outside_brackets(at + 1, &["then"]).filter(|&then| then < end)?;
            let other = self.outside_brackets(then, &["else", "elif"]).filter(|&other| other < end)?;
            let (test, outcome) = (self.joined_term(at + 1, then), self.text(then + 1, other));
            rules.push(format!("{head} {} and {test} => {outcome};", self.joined_term(when + 1, arrow)));
            at = other + 1;
        }
        let last = self.text(at, end);
        let is_outcome = |text: &str| text == "draw" || text.ends_with(" wins") || text.ends_with(" loses");
        if at >= end
            || !is_outcome(last)
            || rules.iter().any(|rule| !is_outcome(rule.trim_end_matches(';')) && !rule.contains("=> draw;"))
        {
            return None;
        }
        rules.push(format!("{head} {condition} => {last};"));
        let new = rules.join(" ");
        let title = "an outcome has no `if`: each case is a rule, and the first that holds counts";
        let range = (self.range(clause).0, self.range(end).1);
        let fix = Fix::new(range, &new, Code::E0005, title).at(self.range(arrow + 1));
        let fix = fix.help(format!("write `{new}`"));
        // A rule for each element ends with the first element that fits, so two of them may mean something else.
        Some(Fix { is_correction: when == clause, ..fix })
    }

    /// `payoff 3, 1;` and `payoff A: 3, B: 1;`
    fn payoffs_in_a_row(&self, arrow: usize, whole: (usize, usize)) -> Option<Fix> {
        if let Some(fix) = self.payoffs_by_choices(arrow) {
            return Some(fix);
        }
        let end = self.bounds.end.checked_sub(1)?;
        let start = arrow + 1 + usize::from(self.layout.text(arrow + 1).starts_with("payoff"));
        let listed = self.text(start, end).trim_matches([':', '[', ']', '{', '}', '(', ')', ' ']);
        let parts: Vec<&str> = listed.split(',').map(str::trim).collect();
        let [first, second] = parts[..] else { return None };
        // A bracket or another clause between the commas is no list of payoffs.
        if listed.contains(['(', ')', '[', ']', '{', '}', ';']) {
            return None;
        }
        let help = match (first.split_once(':'), second.split_once(':')) {
            (Some((player, one)), Some((_, other))) => {
                let outline = self.outline();
                let players = outline.players();
                let is_player =
                    players.is_empty() || players.contains(&player.trim()) || player.contains('(');
                let (one, other) = (one.trim(), other.trim());
                match is_player {
                    true => format!("write `payoff p: if p = {} then {one} else {other};`", player.trim()),
                    false => format!(
                        "write `payoff p: if p = X then {one} else {other};`, where X is the player who gets {one}"
                    ),
                }
            }
            _ if listed.contains([':', '=']) => {
                "write `payoff p: if p = X then 3 else 1;`, with the player and the numbers".to_owned()
            }
            _ if first == second => format!("write `payoff p: {first};`"),
            _ => format!(
                "write `payoff p: if p = A then {first} else {second};`, with the name of the first player"
            ),
        };
        let title = "the payoffs of the players are one expression of the player";
        let label = (self.range(arrow + 1).0, self.range(end).0);
        let fix = Fix::new(whole, "", Code::E0005, title).at(label).help(help);
        Some(Fix { is_correction: false, ..fix })
    }

    /// `if a { if b { X wins; } else { O wins; } }`
    fn nested_rules(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let open = (clause..self.layout.words.len()).find(|&at| matches!(self.layout.text(at), "{" | ";"))?;
        let mut close = self.layout.partner(open)?;
        let is_nested =
            (open + 1..close).any(|at| self.layout.text(at) == "{") || is_branch(self.layout.text(close + 1));
        while let Some(next) = is_branch(self.layout.text(close + 1))
            .then(|| (close + 1..self.layout.words.len()).find(|&at| self.layout.text(at) == "{"))
            .flatten()
        {
            close = self.layout.partner(next)?;
        }
        let range = (self.range(clause).0, self.range(close).1);
        let title = "the rules of the end do not nest: each says its whole condition";
        let help = "write `when n = 0 and score[A] > score[B] => A wins;`, one rule after the other; the first that holds counts";
        let fix = Fix::new(range, "", Code::E0005, title).at(self.range(clause)).help(help);
        is_nested.then_some(Fix { is_correction: false, ..fix })
    }

    /// Rewrites `if c then X wins;`, `if c: X wins;` and `else if c then draw;` to rules.
    fn outcome_after_then(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let start = clause + usize::from(self.layout.text(clause) == "else");
        let is_if = matches!(self.layout.text(start), "if" | "elif" | "elsif" | "elseif" | "when");
        let end = self.rule_end(start);
        let then = self.outside_brackets(start + 1, &["then"]).filter(|&then| then + 1 < end);
        // `if f: A wins;`, where a quantifier in `f` may have a colon as well
        let colon = (start + 1..end.saturating_sub(1)).rev().find(|&at| self.layout.text(at) == ":");
        let has_outcome =
            matches!(self.layout.text(end.saturating_sub(1)), "wins" | "loses" | "draw" | "win" | "lose");
        let colon =
            colon.filter(|colon| has_outcome && end - colon <= 3 && self.layout.text(start) != "when");
        let then = then.or(colon).filter(|_| is_if)?;
        if (start..end).any(|at| self.layout.text(at) == "=>") {
            return None;
        }
        let outcome = as_outcome(self.text(then + 1, end));
        let new = format!("when {} => {outcome};", self.text(start + 1, then));
        let last = end - usize::from(self.layout.text(end) != ";");
        let title = "an outcome is written `when ... => X wins;`";
        let fix = Fix::new((self.range(clause).0, self.range(last).1), &new, Code::E0005, title);
        let fix = fix.at((self.range(clause).0, self.range(start).1)).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// The end of the rule that begins here: its semicolon, or the first word of the next line.
    pub(super) fn rule_end(&self, start: usize) -> usize {
        let line = self.next_line(start);
        self.outside_brackets(start, &[";", "}"]).map_or(line, |end| end.min(line))
    }

    /// Rewrites `X wins if c;`; returns the rule and its end.
    fn rule_with_its_condition_last(&self, start: usize) -> Option<(String, usize)> {
        let end = self.rule_end(start);
        let when = (start..end).find(|&at| matches!(self.layout.text(at), "when" | "if"))?;
        let is_rule = !(start..end).any(|at| self.layout.text(at) == "=>") && when > start && when + 1 < end;
        is_rule.then(|| {
            let outcome = as_outcome(self.text(start, when));
            (format!("when {} => {outcome};", self.text(when + 1, end)), end)
        })
    }

    /// `if c { X wins; }`
    fn outcome_in_braces(&self, fixes: &mut Vec<Fix>) {
        let clause = self.bounds.clause..self.bounds.end;
        let Some(open) = clause.clone().find(|&at| self.layout.text(at) == "{") else { return };
        let Some(close) = self.layout.partner(open).filter(|&close| clause.contains(&close)) else { return };
        if !matches!(self.layout.text(clause.start), "if" | "when") {
            return;
        }
        let source = self.layout.source;
        let condition = source[self.range(clause.start).1..self.range(open).0].trim();
        let outcome = source[self.range(open).1..self.range(close).0].trim().trim_end_matches(';');
        let new = format!("when {condition} => {};", as_outcome(outcome));
        let all = (self.range(clause.start).0, self.range(close).1);
        let title = "an outcome is written `when ... => X wins;`";
        let fix = Fix::new(all, &new, Code::E0005, title).at(self.range(clause.start));
        fixes.push(fix.help(format!("write `{new}`")));
    }

    /// `X wins when c;` and `when c => win X;`
    fn reversed_outcome(&self, fixes: &mut Vec<Fix>) {
        let title = "an outcome is written `when ... => X wins;`";
        let source = self.layout.source;
        let words: Vec<&str> = (self.bounds.clause..self.bounds.end).map(|at| self.layout.text(at)).collect();
        // Without semicolons each line is a rule, and all of them are written anew.
        let mut rules = Vec::new();
        let (mut start, mut last) = (self.bounds.clause, self.bounds.clause);
        while let Some((rule, end)) = self.rule_with_its_condition_last(start) {
            rules.push(rule);
            let is_line = self.layout.text(end) != ";";
            last = end - usize::from(is_line);
            start = end;
            if !is_line {
                break;
            }
        }
        if let [first, ..] = &rules[..] {
            let range = (self.range(self.bounds.clause).0, self.range(last).1);
            let fix = Fix::new(range, &rules.join(" "), Code::E0005, title);
            let help = format!("write `{first}`");
            fixes.push(Fix { accepts_partial: true, ..fix.at(self.range(self.bounds.clause)).help(help) });
        }
        let verdict = words.iter().position(|word| matches!(*word, "win" | "wins" | "lose" | "loses"));
        if let Some(verdict) =
            verdict.filter(|&at| at > 0 && words[at - 1] == "=>" && words.last() == Some(&";"))
        {
            let player = (self.range(self.bounds.clause + verdict).1, self.range(self.bounds.end - 1).0);
            let word = if words[verdict].starts_with("win") { "wins" } else { "loses" };
            let new = format!("{} {word}", source[player.0..player.1].trim());
            let all = (self.range(self.bounds.clause + verdict).0, player.1);
            fixes.push(Fix::new(all, &new, Code::E0005, title).help(format!("write `{new}`")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::mended;
    use crate::parse;
    use bouton_base::source::Sources;

    fn help(players: &str, outcome: &str) -> String {
        let text = format!("game \"G\"; players {players}; end {{ when stuck => {outcome}; }}");
        let mut sources = Sources::new();
        let id = sources.add("game.bou", text);
        parse(&sources, id)
            .diagnostics
            .into_iter()
            .filter_map(|found| found.help)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_number_of_a_single_player_is_a_payoff() {
        let text = "players A;\nend { when n = 1 => score 10; when n = 2 => points n + 1; }\n";
        let new = "players A;\nend { when n = 1 => payoff p: 10; when n = 2 => payoff p: n + 1; }\n";
        assert_eq!(mended(text), new);
    }

    #[test]
    fn rules_in_a_row_have_no_else() {
        let text = "players A, B;\nend { when n = 1 => A wins; else if n = 2 => B wins; }\n";
        assert_eq!(mended(text), text.replace("else if", "when"));
    }

    #[test]
    fn a_draw_is_no_sentence() {
        for words in ["a draw", "the draw", "it is a draw", "a tie"] {
            assert_eq!(help("X, O", words), "write `draw`", "{words}");
        }
    }

    #[test]
    fn outcomes_are_no_conditions() {
        assert_eq!(help("X, O", "won[X] > won[O]"), "write `highest won` if the player with more wins");
        let said = "conditions stand before `=>`: `when stuck and n > 3 => X wins;`";
        assert_eq!(help("X, O", "n > 3"), said);
        assert_eq!(help("X", "100"), "write `win` or `lose`: this is a game of one player");
        assert_eq!(help("X, O", "other(X)"), "write `other(X) wins`, or `other(X) loses`");
    }

    #[test]
    fn a_draw_has_one_word() {
        for word in [
            "nul",
            "nulle",
            "empate",
            "Remis",
            "unentschieden",
            "tablas",
            "patta",
            "pareggio",
            "stalemate",
            "tie",
        ] {
            assert_eq!(help("X, O", word), "write `draw`", "{word}");
        }
        assert_eq!(help("Remis, O", "Remis"), "write `Remis wins`, or `Remis loses`");
        assert_eq!(help("X, O", "X"), "write `X wins`, or `X loses`");
    }

    #[test]
    fn a_loss_is_an_outcome_of_its_player() {
        let text = |outcome: &str| {
            format!("end {{ for p in Player when hit(p) => {outcome}; when n = 4 => draw; }}\n")
        };
        for outcome in ["loss p", "defeat p", "lost p", "loss for p"] {
            assert_eq!(mended(&text(outcome)), text("p loses"), "{outcome}");
        }
        assert_eq!(mended(&text("victory p")), text("p wins"));
    }
}
