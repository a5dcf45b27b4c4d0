//! Clauses with words that belong elsewhere or to other languages: `continue to answer;`, `deal a to Ann;`,
//! `chance throw;` among the phases, `if f: draw` in the end, `=> wins`, `count S where f`, `then ... end if`.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;

/// Words between `continue` and the name of a phase.
const TO_A_PHASE: [&str; 10] = ["to", "in", "into", "with", "at", "the", "phase", "from", "on", "by"];

/// Words for what chance does, before the name of a phase.
const CHANCE: [&str; 7] = ["chance", "random", "dice", "nature", "event", "stochastic", "luck"];

/// Words that give a value to a player.
const GIVING: [&str; 8] = ["deal", "give", "send", "hand", "pay", "deals", "gives", "assign"];

impl FixFinder<'_> {
    /// Fixes and explanations of clauses with words of other places.
    pub fn clause_words(&self, fixes: &mut Vec<Fix>) {
        let all = match self.bounds.place {
            ClauseContext::Move => [self.phase_behind_a_word(), self.value_given_to_a_player()],
            ClauseContext::Phases => [self.chance_before_a_phase(), None],
            ClauseContext::End => [self.rule_by_if(), self.winner_of_a_loop()],
            ClauseContext::Display => [self.sign_without_quotes(), None],
            _ => [self.share_of_a_winner(), None],
        };
        fixes.extend(all.into_iter().flatten());
        fixes.extend(self.count_without_a_variable());
        fixes.extend(self.sum_of_the_values());
    }

    /// Rewrites `continue to answer;` to `continue answer;`.
    fn phase_behind_a_word(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = |at: usize| TO_A_PHASE.contains(&self.layout.text(at));
        let name = (clause + 1..clause + 5).find(|&at| !is_word(at))?;
        let is_clause = self.layout.text(clause) == "continue"
            && name > clause + 1
            && self.bounds.at <= name
            && self.is_name(name)
            && self.layout.text(name + 1) == ";";
        is_clause.then(|| {
            let shown = self.layout.text(name);
            let title = "the phase that comes next stands right behind `continue`";
            let range = (self.range(clause).1, self.range(name - 1).1);
            let fix = Fix::new(range, "", Code::E0013, title).at((self.range(clause + 1).0, range.1));
            Fix { accepts_partial: true, ..fix.help(format!("write `continue {shown};`")) }
        })
    }

    /// Explains `deal a to Ann;`.
    fn value_given_to_a_player(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let to =
            self.outside_brackets(clause + 1, &["to", ";"]).filter(|&to| self.layout.text(to) == "to")?;
        let end = self.outside_brackets(to + 1, &[";"])?;
        let is_clause = GIVING.contains(&word)
            && to > clause + 1
            && end > to + 1
            && self.bounds.at <= end
            && self.end_of_operand(to + 1) == Some(end);
        let (value, player) = (self.text(clause + 1, to), self.text(to + 1, end));
        let outline = self.outline();
        if !is_clause || outline.declares(word) {
            return None;
        }
        // The fields that each player has one of.
        let mut effects = Vec::new();
        for name in outline.fields() {
            let Some(field) = outline.field(name) else { continue };
            if !matches!(&field.keys[..], [(_, ty)] if ty[..] == ["Player"]) {
                continue;
            }
            effects.push(match field.ty.first() {
                Some(&"set") => format!("`{name}[{player}] |= {{ {value} }};`"),
                Some(&"bool") => continue,
                Some(first) if first.bytes().all(|b| b.is_ascii_digit()) => {
                    format!("`{name}[{player}] += {value};`")
                }
                _ => format!("`{name}[{player}] := {value};`"),
            });
        }
        let help = match effects.is_empty() {
            true => format!("write `field[{player}] := {value};`, with a field of the state"),
            false => format!("write {}", effects.join(" or ")),
        };
        let title = format!("`{word}` is no effect: what a player gets is a change of a field");
        let label = (self.range(clause).0, self.range(end - 1).1);
        Some(Fix { accepts_partial: true, ..explained(self.whole_clause(), "", &title, help).at(label) })
    }

    /// Rewrites the phase `chance throw;` to `throw by chance;`.
    fn chance_before_a_phase(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = clause + usize::from(self.layout.text(clause) == "setup");
        let name = word + 1 + usize::from(self.layout.text(word + 1) == ":");
        let is_phase = CHANCE.contains(&self.layout.text(word))
            && self.is_name(name)
            && self.layout.text(name + 1) == ";"
            && self.bounds.at <= name;
        is_phase.then(|| {
            let new = format!("{} by chance", self.layout.text(name));
            let range = (self.range(word).0, self.range(name).1);
            let title = "a phase in which chance acts is `by chance`";
            let fix = Fix::new(range, &new, Code::E0013, title);
            Fix { accepts_partial: true, ..fix.help(format!("write `{new};`")) }
        })
    }

    /// Rewrites the end rule `if f: draw` to `when f => draw;`.
    fn rule_by_if(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_rule = matches!(self.layout.text(clause), "if" | "If" | "IF") && self.bounds.at <= clause + 1;
        let sign = self.outside_brackets(clause + 1, &[":", "then", "{", "=>", ";"]).filter(|_| is_rule)?;
        let (start, end, last) = match self.layout.text(sign) {
            "{" => {
                let close = self.layout.partner(sign)?;
                (sign + 1, close, close)
            }
            ";" => return None,
            _ => {
                let mut end = sign + 1;
                while !matches!(self.layout.text(end), ";" | "}" | "" | "else" | "when" | "if") {
                    end = self.layout.partner(end).filter(|&close| close > end).unwrap_or(end) + 1;
                }
                (sign + 1, end, if self.layout.text(end) == ";" { end } else { end - 1 })
            }
        };
        let outcome = self.text(start, end).trim_end_matches(';').trim_start_matches("return ");
        let condition = self.text(clause + 1, sign);
        let condition = match self.layout.partner(clause + 1) {
            Some(close) if close + 1 == sign && self.layout.text(clause + 1) == "(" => {
                self.text(clause + 2, close)
            }
            _ => condition,
        };
        let outcome = match outcome.strip_prefix("highest(").and_then(|rest| rest.strip_suffix(')')) {
            Some(of) => format!("highest {of}"),
            None => outcome.to_owned(),
        };
        let new = format!("when {condition} => {outcome};");
        let is_read = trial_parse(Rule::end_rule, &new).is_ok_and(|length| length == new.len());
        (is_read && self.layout.text(end) != "else").then(|| {
            let title = "an outcome is written `when ... => X wins;`";
            let range = (self.range(clause).0, self.range(last).1);
            let fix = Fix::new(range, &new, Code::E0005, title).at(self.range(clause));
            Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) }
        })
    }

    /// Rewrites `for p in Player when f => wins;` to `for p in Player when f => p wins;`.
    fn winner_of_a_loop(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_bare = |&at: &usize| {
            matches!(self.layout.text(at), "wins" | "loses")
                && self.layout.text(at - 1) == "=>"
                && self.layout.text(at + 1) == ";"
        };
        let verdict = [self.bounds.at, self.bounds.at.saturating_sub(1)]
            .into_iter()
            .find(|at| *at > 0 && is_bare(at))?;
        let is_loop = self.layout.text(clause) == "for"
            && self.is_name(clause + 1)
            && self.layout.text(clause + 2) == "in"
            && self.layout.text(clause + 3) == "Player";
        is_loop.then(|| {
            let (player, word) = (self.layout.text(clause + 1), self.layout.text(verdict));
            let start = self.range(verdict).0;
            let fix = Fix::new(
                (start, start),
                &format!("{player} "),
                Code::E0005,
                "the outcome does not say who wins",
            );
            let fix = fix.at(self.range(verdict));
            Fix { accepts_partial: true, ..fix.help(format!("write `{player} {word}`")) }
        })
    }

    /// Rewrites the arm `hedge => #` of a display to `hedge => "#"`.
    fn sign_without_quotes(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let arrow = (at.saturating_sub(2)..=at).rev().find(|&at| self.layout.text(at) == "=>")?;
        let sign = arrow + 1;
        let open = self.bracket_around(arrow, arrow)?;
        let close = self.layout.partner(open)?;
        let is_bare = |sign: usize| {
            let shown = self.layout.text(sign);
            let is_sign = shown.len() == 1 && !matches!(shown, "\"" | "," | "}" | "{" | ";");
            is_sign
                && self.layout.text(sign - 1) == "=>"
                && matches!(self.layout.text(sign + 1), "," | "}")
                && !self.is_number(sign)
                && !keywords::starts_with_letter(shown)
        };
        // All of them in the braces, since they cannot be read with any.
        let bare: Vec<usize> = (sign..close).filter(|&at| is_bare(at)).collect();
        let last = *bare.last().filter(|_| bare.first() == Some(&sign))?;
        let (mut new, mut kept) = (String::new(), self.range(sign).0);
        for at in bare {
            let (start, end) = self.range(at);
            new += self.layout.source.get(kept..start)?;
            new += &format!("\"{}\"", self.layout.text(at));
            kept = end;
        }
        let range = (self.range(sign).0, self.range(last).1);
        let title = "the sign that is shown stands in quotes";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(sign));
        let help = format!("write `{} => \"{}\"`", self.text(arrow - 1, arrow), self.layout.text(sign));
        // A `;` behind the braces may be missing as well.
        let closing = (self.layout.text(close + 1) == "}").then(|| (self.range(close).1, ";"));
        Some(Fix { accepts_partial: true, closing, ..fix.help(help) })
    }

    /// Rewrites `sum(heap.values())` of a field with a key to `(sum p in Pot: heap[p])`.
    fn sum_of_the_values(&self) -> Option<Fix> {
        let from = self.bounds.at.saturating_sub(6).max(self.bounds.clause);
        let is_sum = |&at: &usize| {
            self.layout.text(at) == "sum"
                && self.layout.text(at + 1) == "("
                && self.layout.text(at + 3) == "."
                && matches!(self.layout.text(at + 4), "values" | "items" | "elements")
        };
        let at = (from..=self.bounds.at).find(is_sum)?;
        let close = self.layout.partner(at + 1).filter(|&close| close == at + 5 || close == at + 7)?;
        let name = self.layout.text(at + 2);
        let field = self.outline().field(name)?;
        let [(key, ty)] = &field.keys[..] else { return None };
        let new = format!("(sum {key} in {}: {name}[{key}])", super::outline::term_of_words(ty));
        let title = "`sum` goes through a set, one element after the other";
        let range = (self.range(at).0, self.range(close).1);
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Explains the claim `expect A wins 59;`, whose percent sign has a message of its own.
    fn share_of_a_winner(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let wins = (first + 1..first + 6).find(|&at| matches!(self.layout.text(at), "wins" | "loses"))?;
        let end = self.outside_brackets(wins + 1, &[";"]).filter(|&end| end == wins + 2)?;
        let is_claim = self.layout.text(first) == "expect" && self.is_number(wins + 1);
        is_claim.then(|| {
            let title = "how likely a player wins is claimed by `value`";
            let help = "write `expect value = 3 / 5;` with the exact number, or `expect value > 0;`";
            let range = (self.range(first).0, self.range(end).1);
            let fix = explained(range, "", title, help);
            Fix { accepts_partial: true, ..fix.at(self.range(wins + 1)) }
        })
    }

    /// Explains `count c.neighbors where f`: `count` binds a variable.
    fn count_without_a_variable(&self) -> Option<Fix> {
        let from = self.bounds.at.saturating_sub(3).max(self.bounds.clause);
        let is_word =
            |&at: &usize| matches!(self.layout.text(at), "count" | "sum" | "some" | "all" | "no" | "one");
        let word = (from..self.bounds.at).rev().find(is_word)?;
        let end = self.end_of_operand(word + 1)?;
        let is_set = end > word + 2 && self.is_name(word + 1) && (word + 1..end).contains(&self.bounds.at);
        if !is_set || !matches!(self.layout.text(end), "where" | "with" | "having") {
            return None;
        }
        let last = self.outside_brackets(end + 1, &[";", "=>", ","]);
        let last = last.or_else(|| self.layout.partner(self.bracket_around(word, end)?))?;
        let quantifier = self.layout.text(word);
        let set = self.text(word + 1, end);
        let variable = ["x", "n", "y"].into_iter().find(|name| !self.outline().declares(name))?;
        let title = format!("`{quantifier}` goes through a set with a name for its elements");
        let help = format!(
            "write `{quantifier} {variable} in {set}: ...`, with `{variable}` in the condition, such as `at[{variable}] = p`"
        );
        let range = (self.range(word).0, self.range(last - 1).1);
        let label = (range.0, self.range(end - 1).1);
        Some(explained(range, DAMAGE_MARKER, &title, help).at(label))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn a_phase_stands_behind_continue() {
        let text = |word: &str| format!("move keep() in swap {{ continue {word}answer; }}\n");
        for word in ["to ", "in ", "with ", "to phase "] {
            assert_eq!(mended(&text(word)), text(""), "{word}");
        }
    }

    #[test]
    fn fields_change() {
        let text = "state { hand[p: Player]: Card? = none; n: 0..9 = 0; }\nchance d(a: Card) in deal {\n  deal a to Ann;\n}\n";
        assert_eq!(mended(text), text);
        assert_eq!(helps(text), ["write `hand[Ann] := a;`"]);
    }

    #[test]
    fn phases_of_chance() {
        let text = |phase: &str| format!("phases {{ act; {phase} }}\n");
        assert_eq!(mended(&text("chance throw;")), text("throw by chance;"));
        assert_eq!(mended(&text("setup random deal;")), text("setup deal by chance;"));
    }

    #[test]
    fn rules_begin_with_when() {
        let text = |rule: &str| format!("end {{ {rule} }}\n");
        for (old, new) in [
            ("if lot == 4: highest(wealth)", "when lot == 4 => highest wealth;"),
            ("if stuck then mover loses;", "when stuck => mover loses;"),
            ("if (n = 0) { draw; }", "when n = 0 => draw;"),
            ("if n = 0 => draw;", "when n = 0 => draw;"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}: {:?}", titles(&text(old)));
        }
    }

    #[test]
    fn the_player_of_a_loop_wins() {
        let text = |outcome: &str| {
            format!("end {{ for p in Player when n[p] = 2 => {outcome}; when stuck => draw; }}\n")
        };
        assert_eq!(mended(&text("wins")), text("p wins"));
        assert_eq!(mended(&text("loses")), text("p loses"));
    }

    #[test]
    fn signs_stand_in_quotes() {
        let text = |one: &str, other: &str| {
            format!("display {{ cell ground {{ hedge => {one}, grass => {other} }}; }}\n")
        };
        assert_eq!(mended(&text("#", ".")), text("\"#\"", "\".\""));
    }

    #[test]
    fn claims_have_no_percent() {
        let text = "expect Red wins 59;\n";
        assert_eq!(mended(text), text);
        assert_eq!(titles(text), ["how likely a player wins is claimed by `value`"]);
        let percent = "expect Red wins 59%;\n";
        assert_eq!(mended(percent), percent);
        assert_eq!(titles(percent), ["how likely a player wins is claimed by `value`"]);
    }

    #[test]
    fn sums_go_through_keys() {
        let text = |sum: &str| format!("state {{ heap[p: Pot]: 0..4 = 0; }}\ninvariant {sum} = 4;\n");
        assert_eq!(mended(&text("sum(heap.values())")), text("(sum p in Pot: heap[p])"));
    }

    #[test]
    fn counts_have_a_variable() {
        let text = "def beside(c: Plot, p: Player) = count c.neighbors where tree = p;\n";
        assert_eq!(mended(text), text);
        assert!(helps(text)[0].contains("`count x in c.neighbors: ...`"), "{:?}", helps(text));
    }
}
