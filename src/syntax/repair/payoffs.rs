//! Payoffs and verdicts in other forms: `payoff(p) = e`, `payoff A = 1, B = -1`, `X wins 2`, `=> { draw; }`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

const TITLE: &str = "the payoffs of the players are one expression of the player";

/// Signs between a player and a payoff.
const SIGNS: [&str; 5] = [":", "=", "=>", "->", ":="];

/// Words for the players that a list of payoffs does not name.
const OTHERS: [&str; 8] = ["_", "other", "others", "else", "default", "otherwise", "rest", "everyone"];

impl FixFinder<'_> {
    /// Fixes and explanations of payoffs and verdicts.
    pub fn payoffs(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.outcome_in_a_block(),
            self.rules_under_a_condition(),
            self.payoff_with_another_sign(),
            self.payoff_of_each_player(),
            self.payoffs_of_a_list(),
            self.payoffs_in_clauses(),
            self.player_by_a_number(),
            self.payoff_of_me(),
            self.verdict_with_an_amount(),
            self.verdict_by_another_verb(),
            self.players_by_else(),
            self.rule_after_otherwise(),
            self.colon_before_when(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The words of the outcome: those between the arrow of the rule and its semicolon.
    fn outcome_here(&self) -> Option<(usize, usize)> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let end = self.outside_brackets(arrow, &[";"])?;
        let is_outcome = self.layout.text(arrow) == "=>" && self.bounds.at > arrow && self.bounds.at <= end;
        (is_outcome && end > arrow + 1).then_some((arrow + 1, end))
    }

    /// A name for the player of a payoff that does not occur in these words.
    fn fresh_player(&self, from: usize, to: usize) -> &'static str {
        let is_free = |name: &&str| {
            let occurs =
                |range: std::ops::Range<usize>| range.into_iter().any(|at| self.layout.text(at) == *name);
            !occurs(self.bounds.clause..to) && !occurs(from..to)
        };
        ["p", "q", "player"].into_iter().find(is_free).unwrap_or("each_player")
    }

    fn as_payoff(&self, range: (usize, usize), new: &str) -> Fix {
        let words = (self.range(range.0).0, self.range(range.1 - 1).1);
        Fix::new(words, new, Code::E0005, TITLE).help(format!("write `{new};`"))
    }

    /// Rewrites `payoff(p) = e`, `payoff p = e` and `payoff for p: e` to `payoff p: e`.
    fn payoff_with_another_sign(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        if !matches!(self.layout.text(start), "payoff" | "payoffs" | "payout" | "utility" | "reward") {
            return None;
        }
        let mut at = start + 1;
        while matches!(self.layout.text(at), "for" | "of" | "each" | "player" | "every" | "all") {
            at += 1;
        }
        let (name, after) = match self.layout.text(at) {
            "(" | "[" if self.layout.partner(at) == Some(at + 2) => (at + 1, at + 3),
            _ => (at, at + 1),
        };
        let sign = match (self.layout.text(after), self.layout.text(after + 2)) {
            ("in", ":") => after + 2,
            _ => after,
        };
        let is_key = self.is_name(name) && SIGNS.contains(&self.layout.text(sign)) && sign + 1 < end;
        let player = self.layout.text(name);
        let outline = self.outline();
        if !is_key || outline.players().contains(&player) || outline.fields().contains(&player) {
            return None;
        }
        let value = self.text(sign + 1, end);
        let is_term = trial_parse(Rule::one_expr, value).is_ok_and(|length| length == value.len());
        let new = format!("payoff {player}: {value}");
        let title = "a payoff names its player, and after a `:` the number for that player";
        let fix = Fix { title: title.into(), ..self.as_payoff((start, end), &new) };
        is_term.then(|| fix.at((self.range(start).0, self.range(sign).1)))
    }

    /// The list of payoffs in an outcome, without the word before it and brackets around it.
    fn list_of_payoffs(&self, start: usize, end: usize) -> (usize, usize, bool) {
        let is_word = matches!(self.layout.text(start), "payoff" | "payoffs" | "score" | "scores" | "points");
        let mut from = start + usize::from(is_word);
        from += usize::from(is_word && matches!(self.layout.text(from), ":" | "=" | "are" | "is"));
        match self.layout.partner(from) {
            Some(close) if close + 1 == end => (from + 1, close, is_word),
            _ => (from, end, is_word),
        }
    }

    /// The parts of a list between these words.
    pub(super) fn parts_of_list(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let mut start = from;
        while start < to {
            let end = self.outside_brackets(start, &[","]).filter(|&end| end < to).unwrap_or(to);
            parts.push((start, end));
            start = end + 1;
        }
        parts
    }

    /// The payoff with these values of the players.
    fn payoff_of(&self, name: &str, values: &[(&str, &str)]) -> Option<String> {
        Some(match values {
            [(_, one), rest @ ..] if rest.iter().all(|(_, other)| other == one) => {
                format!("payoff {name}: {one}")
            }
            [(player, one), (_, other)] => {
                format!("payoff {name}: if {name} = {player} then {one} else {other}")
            }
            [_, _, _, ..] => {
                let arms: Vec<String> =
                    values.iter().map(|(player, value)| format!("{player} => {value}")).collect();
                format!("payoff {name}: match {name} {{ {} }}", arms.join(", "))
            }
            _ => return None,
        })
    }

    /// Rewrites `payoff A = 1, B = -1` and `{ A: 1, B: -1 }` to `payoff p: if p = A then 1 else -1`.
    fn payoff_of_each_player(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        let (from, to, _) = self.list_of_payoffs(start, end);
        let mut values = Vec::new();
        for (first, last) in self.parts_of_list(from, to) {
            let first = first + usize::from(matches!(self.layout.text(first), "payoff" | "and"));
            let is_rest = OTHERS.contains(&self.layout.text(first))
                && SIGNS.contains(&self.layout.text(first + 1))
                && last == to;
            let sign = if is_rest { Some(first + 1) } else { self.end_of_operand(first) };
            let sign = sign.filter(|&sign| sign + 1 < last)?;
            if !SIGNS.contains(&self.layout.text(sign)) {
                return None;
            }
            let value = self.text(sign + 1, last);
            if !trial_parse(Rule::one_expr, value).is_ok_and(|length| length == value.len()) {
                return None;
            }
            values.push((if is_rest { "_" } else { self.text(first, sign) }, value));
        }
        let outline = self.outline();
        let players = outline.players();
        let is_each = values.len() == players.len()
            && players.iter().all(|player| values.iter().any(|(name, _)| name == player));
        let is_other = matches!(values[..], [(one, _), (other, _)] if other == format!("other({one})"));
        let is_named = |name: &str| {
            let field = outline.field(name).filter(|field| field.keys.is_empty() && values.len() == 2);
            players.contains(&name) || field.is_some_and(|field| field.type_name() == "Player")
        };
        let has_rest =
            matches!(&values[..], [named @ .., ("_", _)] if named.iter().all(|(name, _)| is_named(name)));
        if values.len() < 2 || players.len() < 2 || !is_each && !is_other && !has_rest {
            return None;
        }
        let new = self.payoff_of(self.fresh_player(start, end), &values)?;
        Some(self.as_payoff((start, end), &new))
    }

    /// Rewrites `payoff [a, b]` to `payoff p: if p = A then a else b`, with the players in their order.
    fn payoffs_of_a_list(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        let (from, to, is_word) = self.list_of_payoffs(start, end);
        let parts = self.parts_of_list(from, to);
        let outline = self.outline();
        let players = outline.players();
        let is_bracket = from > start && matches!(self.layout.text(from - 1), "[" | "(" | "{");
        if parts.len() != players.len() || parts.len() < 2 || !is_word && !is_bracket {
            return None;
        }
        let mut values = Vec::new();
        for (player, (first, last)) in players.iter().zip(parts) {
            let value = self.text(first, last);
            if !trial_parse(Rule::one_expr, value).is_ok_and(|length| length == value.len()) {
                return None;
            }
            values.push((*player, value));
        }
        let new = self.payoff_of(self.fresh_player(start, end), &values)?;
        Some(self.as_payoff((start, end), &new))
    }

    /// Rewrites `payoff score[me]` and `payoff score` to `payoff p: score[p]`.
    fn payoff_of_me(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        let is_word = matches!(self.layout.text(start), "payoff" | "payoffs" | "score" | "scores" | "points");
        let from = start + 1 + usize::from(self.layout.text(start + 1) == ":");
        let value = self.text(from, end);
        let is_term = trial_parse(Rule::one_expr, value).is_ok_and(|length| length == value.len());
        if !is_word || !is_term || from >= end {
            return None;
        }
        let player = self.fresh_player(start, end);
        let outline = self.outline();
        let is_field = |name: &str| {
            outline
                .field(name)
                .is_some_and(|field| matches!(&field.keys[..], [(_, ty)] if ty[..] == ["Player"]))
        };
        let body = match (from..end).any(|at| self.layout.text(at) == "me") {
            true => {
                let mut body = String::new();
                for at in from..end {
                    if at > from {
                        body += self.layout.source.get(self.range(at - 1).1..self.range(at).0)?;
                    }
                    match self.layout.text(at) {
                        "me" => body += player,
                        "opponent" => body += &format!("other({player})"),
                        "mover" => return None,
                        word => body += word,
                    }
                }
                body
            }
            false if end == from + 1 && is_field(self.layout.text(from)) => format!("{value}[{player}]"),
            false => return None,
        };
        let new = format!("payoff {player}: {body}");
        let title = "a payoff names its player, and after a `:` the number for that player";
        Some(Fix { title: title.into(), ..self.as_payoff((start, end), &new) })
    }

    /// Rewrites `payoff A: 1; B: -1;` to `payoff p: if p = A then 1 else -1;`.
    fn payoffs_in_clauses(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let outline = self.outline();
        let &[one, other] = &outline.players()[..] else { return None };
        let is_of = |at: usize| SIGNS.contains(&self.layout.text(at + 1));
        let end = self.outside_brackets(clause, &[";"])?;
        let before = clause.checked_sub(1).filter(|_| self.layout.text(clause) == other && is_of(clause))?;
        let start = self.layout.clause_start(self.bounds.first, before);
        let payoff = self.outside_brackets(start, &["payoff"]).filter(|&payoff| payoff + 3 < before)?;
        let is_first = self.layout.text(payoff + 1) == one && is_of(payoff + 1);
        let values = [(one, self.text(payoff + 3, before)), (other, self.text(clause + 2, end))];
        let new = self.payoff_of("p", &values).filter(|_| is_first && clause + 2 < end)?;
        Some(self.as_payoff((payoff, end), &new))
    }

    /// Rewrites `player 1 wins` to the name of the first player.
    fn player_by_a_number(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        let is_player = matches!(self.layout.text(start), "player" | "Player") && self.is_number(start + 1);
        let is_verdict = matches!(self.layout.text(start + 2), "wins" | "loses") && start + 3 == end;
        let number: usize = self.layout.text(start + 1).parse().ok().filter(|_| is_player && is_verdict)?;
        let outline = self.outline();
        let players = outline.players();
        let new = format!("{} {}", players.get(number.checked_sub(1)?)?, self.layout.text(start + 2));
        let range = (self.range(start).0, self.range(end - 1).1);
        let title = "players have names";
        Some(Fix::new(range, &new, Code::E0005, title).help(format!("write `{new};`")))
    }

    /// Removes the number of `X wins 1`, and explains `X wins 3`.
    fn verdict_with_an_amount(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        let verdict = self.end_of_operand(start).filter(|&at| at < end)?;
        let word = self.layout.text(verdict);
        let amount =
            verdict + 1 + usize::from(matches!(self.layout.text(verdict + 1), "by" | "with" | "+" | "-"));
        if !matches!(word, "wins" | "loses") || !self.is_number(amount) {
            return None;
        }
        let unit = matches!(self.layout.text(amount + 1), "point" | "points") as usize;
        if amount + 1 + unit != end {
            return None;
        }
        let player = self.text(start, verdict);
        let title = match word {
            "wins" => "`wins` gives 1 to the player and -1 to all others",
            _ => "`loses` gives -1 to the player and 1 to all others",
        };
        let number = self.layout.text(amount);
        let range = (self.range(verdict).1, self.range(end - 1).1);
        let label = self.range(amount);
        if number == "1" {
            return Some(
                Fix::new(range, "", Code::E0005, title).at(label).help(format!("write `{player} {word};`")),
            );
        }
        let (one, other) = match word {
            "wins" => (number.to_owned(), format!("-{number}")),
            _ => (format!("-{number}"), number.to_owned()),
        };
        let name = self.fresh_player(start, end);
        let help =
            format!("write `payoff {name}: if {name} = {player} then {one} else {other};` for other numbers");
        let fix = Fix::new(range, "", Code::E0005, title).at(label).help(help);
        Some(Fix { is_correction: false, ..fix })
    }

    /// Explains `X pays 1` and `X gets 2`.
    fn verdict_by_another_verb(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        let verb = self.end_of_operand(start).filter(|&at| at + 1 < end)?;
        let word = self.layout.text(verb);
        let pays = matches!(word, "pays" | "pay" | "loses" | "gives");
        let gets = matches!(
            word,
            "gets" | "get" | "receives" | "scores" | "earns" | "collects" | "takes" | ":" | "="
        );
        let gets = gets && self.layout.text(start) != "payoff";
        let amount = self.text(verb + 1, end);
        let is_term = trial_parse(Rule::one_expr, amount).is_ok_and(|length| length == amount.len());
        if !(pays || gets) || !is_term || self.outline().players().len() != 2 {
            return None;
        }
        let (player, name) = (self.text(start, verb), self.fresh_player(start, end));
        let minus = if self.is_number(verb + 1) && verb + 2 == end {
            format!("-{amount}")
        } else {
            format!("-({amount})")
        };
        let help = match pays {
            true => format!(
                "write `payoff {name}: if {name} = {player} then {minus} else {amount};` if the other player gets it"
            ),
            false => format!(
                "write `payoff {name}: if {name} = {player} then {amount} else {minus};` if the other player pays it, and `else \
                 0` if nobody does"
            ),
        };
        let title = "what the players get is a payoff, a number for each of them";
        let range = (self.range(start).0, self.range(end - 1).1);
        Some(Fix { code: Code::E0005, ..explained(range, "draw", title, help) })
    }

    /// Rewrites `=> { draw; }` to `=> draw;`.
    fn outcome_in_a_block(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let is_block = self.layout.text(open) == "{" && self.layout.text(open.checked_sub(1)?) == "=>";
        let close = self.layout.partner(open).filter(|_| is_block)?;
        let end = close - usize::from(self.layout.text(close - 1) == ";");
        let outcome = self.text(open + 1, end);
        let is_outcome = trial_parse(Rule::outcome, outcome).is_ok_and(|length| length == outcome.len());
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let range = (self.range(open).0, self.range(last).1);
        let title = "an outcome stands without braces";
        (is_outcome && end > open + 1).then(|| {
            let new = format!("{outcome};");
            Fix::new(range, &new, Code::E0005, title).at(self.range(open)).help(format!("write `=> {new}`"))
        })
    }

    /// Rewrites `end when f { when g => draw; }` to `end { when f and g => draw; }`, and the same of rules in a rule.
    fn rules_under_a_condition(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let of_item =
            self.layout.text(first) == "end" && matches!(self.layout.text(first + 1), "when" | "if");
        let start = if of_item { first + 1 } else { self.bounds.clause };
        let open = self.outside_brackets(start + 1, &["{", ";", "=>"])?;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "{")?;
        let is_rule = matches!(self.layout.text(start), "when" | "if") && open > start + 1;
        if !is_rule || self.bounds.at > close {
            return None;
        }
        let outer = self.joined_term(start + 1, open);
        let mut rules = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[";"]).filter(|&end| end < close)?;
            let arrow = self.outside_brackets(at, &["=>"]).filter(|&arrow| arrow < end)?;
            let outcome = self.text(arrow, end);
            let when = (at..arrow).find(|&word| self.layout.text(word) == "when");
            rules.push(match when {
                Some(when) if when == at || self.layout.text(at) == "for" => {
                    let inner = self.joined_term(when + 1, arrow);
                    format!("{} {outer} and {inner} {outcome};", self.text(at, when + 1))
                }
                None if at == arrow => format!("when {} {outcome};", self.text(start + 1, open)),
                _ => return None,
            });
            at = end + 1;
        }
        if rules.is_empty() || self.layout.text(close + 1) == "else" {
            return None;
        }
        let all = rules.join(" ");
        let new = if of_item { format!("{{ {all} }}") } else { all };
        let range = (self.range(start).0, self.range(close).1);
        let title = "the rules of the end do not nest: each says its whole condition";
        let fix = Fix::new(range, &new, Code::E0005, title).at(self.range(start));
        Some(fix.help(format!("write `{}`", rules[0])))
    }

    /// Explains `=> A, else B;`.
    fn players_by_else(&self) -> Option<Fix> {
        let (start, end) = self.outcome_here()?;
        let other = (start..end).find(|&at| matches!(self.layout.text(at), "else" | "otherwise"))?;
        let names = self.outline().players().iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let outcome = |from: usize, to: usize| {
            let to = to - usize::from(self.layout.text(to - 1) == ",");
            let text = self.text(from, to);
            let is_player = names.iter().any(|name| name == text);
            let is_outcome = trial_parse(Rule::outcome, text).is_ok_and(|length| length == text.len());
            match is_player {
                true => Some(format!("{text} wins")),
                false => is_outcome.then(|| text.to_owned()),
            }
        };
        let one = outcome(start, other).filter(|_| other + 1 < end && other > start)?;
        let next = outcome(other + 1, end)?;
        let condition = self.text(self.bounds.clause, start - 1);
        let title = "a rule has one outcome: each case is a rule, and the first that holds counts";
        let help = format!(
            "write `{condition} => {one};`, and after it `when ... => {next};`, whose condition says that the game is over"
        );
        let range = (self.range(start).0, self.range(end - 1).1);
        let fix = Fix::new(range, &one, Code::E0005, title).help(help);
        Some(Fix { is_correction: false, ..fix })
    }

    /// Removes the first word of `otherwise when f => draw;`.
    fn rule_after_otherwise(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = matches!(
            self.layout.text(clause),
            "otherwise" | "else" | "finally" | "and" | "or" | "also" | "then" | "default"
        );
        let begins = matches!(self.layout.text(clause + 1), "when" | "for");
        let range = (self.range(clause).0, self.range(clause + 1).0);
        let title = "the rules of the end are tried in order, and each begins with `when`";
        (is_word && begins && self.bounds.at == clause)
            .then(|| Fix::new(range, "", Code::E0005, title).at(self.range(clause)).help("leave it out"))
    }

    /// Removes the colon of `for p in Player: when f => p wins;`, and rewrites `: if` to `when`.
    fn colon_before_when(&self) -> Option<Fix> {
        let sign =
            [Some(self.bounds.at), self.bounds.at.checked_sub(1)].into_iter().flatten().find(|&at| {
                matches!(self.layout.text(at), ":" | "," | "do")
                    && matches!(self.layout.text(at + 1), "when" | "if")
            })?;
        let is_head = !(self.bounds.clause..sign).any(|at| self.layout.text(at) == "=>");
        let is_for = self.layout.text(self.bounds.clause) == "for" && is_head;
        let title = "`when` follows the players of a rule without a sign";
        let is_if = self.layout.text(sign + 1) == "if";
        is_for.then(|| {
            let head = self.text(self.bounds.clause, sign);
            let last = sign + usize::from(is_if);
            let range = (self.range(sign - 1).1, self.range(last).1);
            Fix::new(range, if is_if { " when" } else { "" }, Code::E0005, title)
                .at((self.range(sign).0, range.1))
                .help(format!("write `{head} when ... => ...;`"))
        })
    }

    /// Rewrites `score 10` in a game of one player to `payoff p: 10`.
    pub(super) fn number_of_the_player(&self, arrow: usize, title: &str) -> Option<Fix> {
        let end = self.outside_brackets(arrow + 1, &[";"])?;
        let sign = usize::from(matches!(self.layout.text(arrow + 2), ":" | "=" | ":="));
        let value = self.text(arrow + 2 + sign, end);
        let outline = self.outline();
        let is_number =
            super::trial_parse(crate::grammar::Rule::one_expr, value).is_ok_and(|n| n == value.len());
        let name = ["p", "q", "player"]
            .into_iter()
            .find(|name| !outline.declares(name) && outline.field(name).is_none())?;
        (outline.players().len() == 1 && is_number && arrow + 2 + sign < end).then(|| {
            let new = format!("payoff {name}: {value}");
            let range = (self.range(arrow + 1).0, self.range(end - 1).1);
            let fix = Fix::new(range, &new, Code::E0005, title).help(format!("write `{new};`"));
            Fix { accepts_partial: true, ..fix }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn no_sign_stands_before_when() {
        let text =
            |sign: &str| format!("end {{ for p in Player{sign} line(p) => p loses; when stuck => draw; }}\n");
        for sign in [": if", ": when", ", if", " do when"] {
            assert_eq!(titles(&text(sign)), ["`when` follows the players of a rule without a sign"]);
            assert_eq!(mended(&text(sign)), text(" when"));
        }
    }

    #[test]
    fn a_list_of_payoffs_may_name_a_field_and_the_others() {
        let text = |outcome: &str| {
            format!(
                "players A, B, C;\nstate {{ drinker: Player? = none; }}\nend {{ when n = 0 => {outcome}; }}\n"
            )
        };
        let ours = text("payoff p: if p = drinker then -2 else 1");
        for outcome in [
            "payoff { drinker => -2, _ => 1 }",
            "payoff drinker: -2, other: 1",
            "payoff drinker: -2, else: 1",
        ] {
            assert_eq!(titles(&text(outcome)), [super::TITLE], "{outcome}");
            assert_eq!(mended(&text(outcome)), ours, "{outcome}");
        }
        let three = mended(&text("payoff A: 1, B: 2, others: 0"));
        assert_eq!(three, text("payoff p: match p { A => 1, B => 2, _ => 0 }"));
        // A name that is no player is not replaced by one.
        let unknown = text("payoff first: -2, last: 1");
        assert_eq!(mended(&unknown), unknown);
        assert!(!super::super::testing::helps(&unknown)[0].contains("p = A"), "{unknown}");
    }
}
