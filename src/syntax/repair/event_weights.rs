//! Weights of events under other names: `probability = 1 / 6;`, `prob (x + y) / 36;`, `chance: 1 / 2;`, `odds 2:1;`.

use super::RepairSession;
use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::ast::{EffectOp, Item, ItemKind, StmtKind};
use crate::diag::{Code, Diagnostic};
use crate::grammar::Rule;

/// Words for how likely an event is.
const WORDS: [&str; 5] = ["probability", "prob", "odds", "likelihood", "chance"];

/// An outcome of chance among others in one pair of braces.
struct Outcome<'a> {
    /// The end of the name of the event that it is to be.
    ending: String,
    weight: &'a str,
    /// The effects; empty if they are not given.
    effects: String,
}

/// The title of the messages about weights under other names.
pub(super) const TITLE: &str = "how likely an event is stands after `weight`";

impl RepairSession {
    /// Reports `prob(1 / 2);` and `probability := 1 / 2;` in events, and reads them as weights.
    pub fn mend_named_weights(&mut self) {
        let is_effect = |item: &Item, word: &str| match &item.kind {
            ItemKind::Effect { name, .. } => name.text == word,
            _ => false,
        };
        let is_free =
            |word: &&str| !self.may_declare(word) && !self.items.iter().any(|item| is_effect(item, word));
        let words: Vec<&str> = WORDS.into_iter().filter(is_free).collect();
        let is_event = |item: &&Item| matches!(&item.kind, ItemKind::Move(event) if event.chance);
        let has_others = self.items.iter().filter(is_event).count() > 1;
        for item in &mut self.items {
            let ItemKind::Move(event) = &mut item.kind else { continue };
            let is_exact = !event.params.is_empty() || has_others;
            for stmt in event.body.stmts.iter_mut().filter(|_| event.chance) {
                let weight = match &stmt.kind {
                    StmtKind::Call(name, args) if words.contains(&name.text.as_str()) && args.len() == 1 => {
                        args[0].clone()
                    }
                    StmtKind::Effect(effect)
                        if words.contains(&effect.target.name.text.as_str())
                            && effect.target.path.is_empty()
                            && effect.op == EffectOp::Set =>
                    {
                        effect.value.clone()
                    }
                    _ => continue,
                };
                let new = format!("weight {};", crate::print_expr(&weight));
                let found = Diagnostic::new(Code::E0013, TITLE, stmt.span, "");
                self.diagnostics.push(match is_exact {
                    true => found.help(format!("write `{new}`")).edit(stmt.span, new),
                    false => found.help(alone(&new)),
                });
                stmt.kind = StmtKind::Weight(weight);
            }
        }
    }
}

/// The help for the weight of an event beside which there is no other.
fn alone(weight: &str) -> String {
    format!(
        "write `{weight}`, and an event with its own weight for the other case: alone, this one always happens"
    )
}

impl FixFinder<'_> {
    /// Fixes of weights under other names that could be read as terms or effects.
    pub fn event_weights(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.weights_in_a_list());
        fixes.extend(self.weights_before_effects());
        fixes.extend(self.odds());
        fixes.extend(self.weights_by_conditions());
        fixes.extend(self.probability_with_a_sign());
        fixes.extend(self.probability_as_a_value());
    }

    /// The word for how likely an event is with which the clause begins, after `with` or alone.
    fn word_for_a_weight(&self) -> Option<usize> {
        let word = self.bounds.clause + usize::from(self.layout.text(self.bounds.clause) == "with");
        let text = self.layout.text(word);
        let outline = self.outline();
        let is_free =
            !outline.fields().contains(&text) && !outline.declares(text) && !outline.is_effect(text);
        let is_clause = self.is_event() && self.bounds.place == ClauseContext::Move;
        let is_word = WORDS.contains(&text) || text == "weight" && word > self.bounds.clause;
        (is_clause && is_word && is_free).then_some(word)
    }

    /// Rewrites `weights [3, 2, 1];` in an event with the parameter `d: 1..3` to `weight [3, 2, 1][d];`.
    fn weights_in_a_list(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_word = matches!(word, "weights" | "weight" | "probabilities" | "odds" | "likelihoods");
        let is_clause = is_word && self.is_event() && self.bounds.place == ClauseContext::Move;
        let sign = clause + 1;
        let from = sign + usize::from(matches!(self.layout.text(sign), "=" | ":=" | ":" | "are"));
        let end =
            self.outside_brackets(from, &[";"]).filter(|_| is_clause && !self.outline().declares(word))?;
        let is_list =
            matches!(self.layout.text(from), "[" | "(" | "{") && self.layout.partner(from) == Some(end - 1);
        let values = if is_list { from + 1..end - 1 } else { from..end };
        let values: Vec<&str> = values.map(|at| self.layout.text(at)).filter(|value| *value != ",").collect();
        let is_number = |value: &&str| !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
        if values.len() < 2 || !values.iter().all(is_number) {
            return None;
        }
        let list = format!("[{}]", values.join(", "));
        let range = (self.range(clause).0, self.range(end - 1).1);
        if let Some((name, count)) = self.counted_case() {
            let new = format!("weight {list}[{name}]");
            let is_correction = count == values.len().to_string();
            let fix = Fix::new(range, &new, Code::E0013, TITLE).help(format!("write `{new};`"));
            return Some(Fix { is_correction, accepts_partial: true, ..fix });
        }
        let help = format!("write `weight {list}[d];`, where `d` is the number of the case, from 1 on");
        let fix = explained(range, "weight 1", TITLE, help);
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `weight k = 1: 2/3, k = 2: 1/3;` in an event with the parameter k to a `match`.
    fn weights_by_conditions(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_clause = self.layout.text(clause) == "weight" && self.is_event();
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_clause)?;
        let name = self.layout.text(clause + 1);
        let (mut arms, mut from) = (Vec::new(), clause + 1);
        while from < end {
            let next = self.outside_brackets(from, &[","]).filter(|&next| next < end).unwrap_or(end);
            let arrow =
                self.outside_brackets(from, &[":", "=>", "->", "then"]).filter(|&arrow| arrow < next)?;
            let is_value = self.layout.text(from) == name
                && matches!(self.layout.text(from + 1), "=" | "==" | "is")
                && arrow == from + 3;
            if !is_value || arrow + 1 >= next {
                return None;
            }
            arms.push(format!("{} => {}", self.layout.text(from + 2), self.text(arrow + 1, next)));
            from = next + 1;
        }
        let new = format!("weight match {name} {{ {} }}", arms.join(", "));
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "a value for each case is a `match`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        (arms.len() > 1).then(|| fix.help(format!("write `{new};`")))
    }

    /// Explains `chance flip() { 1/2 => n := 1; 1/2 => n := 2; }`: each outcome is an event with its weight.
    fn weights_before_effects(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let open = self.bracket_around(clause, clause).filter(|_| self.is_event())?;
        let close = self.layout.partner(open)?;
        let first = self.bounds.first;
        let head = (first..first + 4).find(|&at| self.layout.text(at) == "chance")?;
        let is_body = self.layout.text(open) == "{" && self.bracket_around(open, open).is_none();
        let outcomes = self.outcomes_with_weights(open, close).filter(|_| is_body)?;
        let name = self.layout.text(head + 1);
        let rest = self.text(head + 2, open);
        let event = |of: &Outcome<'_>, missing: &str| {
            let Outcome { ending, weight, effects } = of;
            let effects = if effects.is_empty() { missing } else { effects };
            format!("chance {name}_{ending}{rest} {{ weight {weight}; {effects} }}")
        };
        let (one, other) = (event(&outcomes[0], "..."), event(&outcomes[1], "..."));
        let more = if outcomes.len() > 2 { ", and so on" } else { "" };
        let help = format!("each outcome is an event of its own: `{one}`, `{other}`{more}");
        let new: Vec<String> = outcomes.iter().map(|of| event(of, "")).collect();
        let range = (self.range(head).0, self.range(close).1);
        let fix = explained(range, &new.join("\n"), TITLE, help).at(self.range(open + 1));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// The outcomes of an event between its braces, if each clause is one with its weight.
    fn outcomes_with_weights(&self, open: usize, close: usize) -> Option<Vec<Outcome<'_>>> {
        let mut outcomes = Vec::new();
        let mut at = open + 1;
        while at < close {
            let number = outcomes.len() + 1;
            let (outcome, next) =
                self.outcome_after_a_weight(at, close, number).or_else(|| self.named_outcome(at, close))?;
            outcomes.push(outcome);
            at = next;
        }
        (outcomes.len() > 1).then_some(outcomes)
    }

    /// The end of the weight that begins at the word: `1 / 2`.
    fn end_of_weight(&self, from: usize, close: usize) -> Option<usize> {
        let is_part = |at: usize| self.is_number(at) || self.layout.text(at) == "/";
        let end = (from..close).find(|&at| !is_part(at)).unwrap_or(close);
        self.is_number(from).then_some(end)
    }

    /// The outcome `heads: 1/2;`, and the word behind it.
    fn named_outcome(&self, from: usize, close: usize) -> Option<(Outcome<'_>, usize)> {
        let name = self.layout.text(from);
        let is_other = self.outline().fields().contains(&name) || WORDS.contains(&name) || name == "weight";
        let is_sign = matches!(self.layout.text(from + 1), ":" | "=");
        let end =
            self.end_of_weight(from + 2, close).filter(|_| is_sign && self.is_name(from) && !is_other)?;
        let is_end = matches!(self.layout.text(end), ";" | ",");
        let outcome =
            Outcome { ending: name.to_owned(), weight: self.text(from + 2, end), effects: String::new() };
        (is_end || end == close).then_some((outcome, end + usize::from(is_end)))
    }

    /// The outcome `1/2 => n := 1;` or `2: { ... }`, and the word behind it.
    fn outcome_after_a_weight(
        &self,
        from: usize,
        close: usize,
        number: usize,
    ) -> Option<(Outcome<'_>, usize)> {
        let arrow = self.end_of_weight(from, close)?;
        if !matches!(self.layout.text(arrow), "=>" | "->" | ":") {
            return None;
        }
        let block = (self.layout.text(arrow + 1) == "{").then(|| self.layout.partner(arrow + 1)).flatten();
        let (effects, next) = match block {
            Some(end) => (self.text(arrow + 2, end).to_owned(), end + 1),
            None => {
                let end = self.outside_brackets(arrow + 1, &[";", ","]).filter(|&end| end < close);
                let end = end.unwrap_or(close);
                (format!("{};", self.text(arrow + 1, end)), end)
            }
        };
        let is_sign = matches!(self.layout.text(next), ";" | ",") && next < close;
        let outcome = Outcome { ending: number.to_string(), weight: self.text(from, arrow), effects };
        Some((outcome, next + usize::from(is_sign)))
    }

    /// The only parameter `d: 1..3` of the event, and the end of its range.
    fn counted_case(&self) -> Option<(&str, &str)> {
        let first = self.bounds.first;
        let head = (first..first + 4).find(|&at| self.layout.text(at) == "chance")?;
        let open = head + 2;
        let close = self.layout.partner(open).filter(|_| self.layout.text(open) == "(")?;
        let (low, high) = self.text(open + 3, close).split_once("..")?;
        let is_number = !high.is_empty() && high.bytes().all(|b| b.is_ascii_digit());
        let is_single = self.layout.text(open + 2) == ":" && low.trim() == "1" && is_number;
        is_single.then(|| (self.layout.text(open + 1), high))
    }

    /// Returns true if the event has parameters, or another event stands beside it.
    fn has_other_cases(&self) -> bool {
        let first = self.bounds.first;
        let head = (first..first + 4).find(|&at| self.layout.text(at) == "chance");
        let has_parameters = head.is_some_and(|head| self.layout.text(head + 3) != ")");
        has_parameters || self.outline().events() > 1
    }

    /// Explains `odds 2:1;` and `odds 2 to 1;`.
    fn odds(&self) -> Option<Fix> {
        let word = self.word_for_a_weight()?;
        let from = word + 1 + usize::from(matches!(self.layout.text(word + 1), "=" | ":" | "of" | "are"));
        let is_pair = self.is_number(from)
            && matches!(self.layout.text(from + 1), ":" | "to" | "against")
            && self.is_number(from + 2)
            && self.layout.text(from + 3) == ";";
        is_pair.then(|| {
            let (one, other) = (self.layout.text(from), self.layout.text(from + 2));
            let range = (self.range(self.bounds.clause).0, self.range(from + 2).1);
            let help = format!("write `weight {one};` in one event, and `weight {other};` in the other");
            explained(range, &format!("weight {one}"), TITLE, help).at(range)
        })
    }

    /// The quotient that `1 in 6` or `1 out of 6` stands for.
    fn share_in_words(&self, from: usize, end: usize) -> Option<String> {
        let word = self.outside_brackets(from, &["in", "out"]).filter(|&word| word > from && word < end)?;
        let is_out = self.layout.text(word) == "out";
        let last = word + 1 + usize::from(is_out && self.layout.text(word + 1) == "of");
        let is_share = last + 1 == end && self.is_number(last) && self.end_of_operand(from) == Some(word);
        is_share.then(|| format!("{} / {}", self.text(from, word), self.layout.text(last)))
    }

    /// Rewrites `probability: d / 6;` and `with probability d / 6;` to `weight d / 6;`.
    fn probability_with_a_sign(&self) -> Option<Fix> {
        let word = self.word_for_a_weight()?;
        let is_sign = |at: usize| matches!(self.layout.text(at), "=" | ":=" | ":" | "of" | "is");
        let name = (self.layout.text(word + 1) == "(").then(|| self.layout.partner(word + 1)).flatten();
        let sign = name.map(|close| close + 1).filter(|&sign| is_sign(sign)).unwrap_or(word + 1);
        let from = sign + usize::from(is_sign(sign));
        let end = self.outside_brackets(from, &[";"])?;
        if let Some(share) = self.share_in_words(from, end) {
            let range = (self.range(self.bounds.clause).0, self.range(end - 1).1);
            let new = format!("weight {share}");
            let fix = Fix::new(range, &new, Code::E0013, TITLE).help(format!("write `{new};`"));
            return Some(Fix { is_correction: self.has_other_cases(), ..fix });
        }
        let value = self.text(from, end);
        if value.is_empty() || !trial_parse(Rule::one_expr, value).is_ok_and(|length| length == value.len()) {
            return None;
        }
        let new = format!("weight {value}");
        let label = (self.range(self.bounds.clause).0, self.range(word).1);
        if !self.has_other_cases() {
            let range = (label.0, self.range(end - 1).1);
            return Some(explained(range, &new, TITLE, alone(&format!("{new};"))).at(label));
        }
        let range = (label.0, self.range(from - 1).1);
        Some(Fix::new(range, "weight", Code::E0013, TITLE).at(label).help(format!("write `{new};`")))
    }

    /// Rewrites `probability = 1 / 6;` and `probability (x + y) / 36;` in an event to `weight ...;`.
    pub(super) fn probability_as_a_value(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause);
        let is_word = matches!(word, "probability" | "prob" | "odds" | "likelihood");
        let is_clause = self.is_event() && self.bounds.place == ClauseContext::Move && is_word;
        let is_free = |word: &str| {
            let outline = self.outline();
            outline.field(word).is_none() && !outline.declares(word) && !outline.is_effect(word)
        };
        let end = match self.layout.text(clause + 1) {
            "=" | "of" | "is" => clause + 1,
            "(" => clause,
            _ => return None,
        };
        (is_clause && is_free(word)).then(|| {
            let range = (self.range(clause).0, self.range(end).1);
            let title = "how likely an event is stands after `weight`";
            Fix::new(range, "weight", Code::E0013, title).at(self.range(clause)).help("write `weight`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn probabilities_are_weights() {
        let text = |weight: &str| format!("private chance d(x: 1..3, y: 1..3) {{ {weight}; n := x; }}\n");
        for (old, new) in [
            ("probability (x + y) / 36", "weight (x + y) / 36"),
            ("prob (x + y) / 36", "weight (x + y) / 36"),
            ("probability = x / 6", "weight x / 6"),
        ] {
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)), ["how likely an event is stands after `weight`"], "{old}");
        }
    }

    #[test]
    fn probabilities_have_signs() {
        let text = |weight: &str| format!("chance d(x: 1..6) {{ {weight}; n := x; }}\n");
        for old in [
            "probability: x / 6",
            "chance: x / 6",
            "prob: x / 6",
            "with probability x / 6",
            "likelihood x / 6",
            "probability x in 6",
            "chance: x out of 6",
            "probability(x) = x / 6",
            "probability := x / 6",
            "prob(x / 6)",
        ] {
            assert_eq!(mended(&text(old)), text("weight x / 6"), "{old}");
            assert_eq!(titles(&text(old)).len(), 1, "{old} {:?}", titles(&text(old)));
        }
    }

    #[test]
    fn outcomes_with_weights_are_events() {
        for (body, first, second) in [
            ("1/2 => n := 1; 1/2 => n := 2;", "weight 1/2; n := 1;", "weight 1/2; n := 2;"),
            ("3 -> n := 1; 7 -> n := 2;", "weight 3; n := 1;", "weight 7; n := 2;"),
            ("2: { n := 1; } 1: { n := 2; }", "weight 2; n := 1;", "weight 1; n := 2;"),
        ] {
            let text = format!("chance d() in throw {{ {body} }}\n");
            let help = format!(
                "each outcome is an event of its own: `chance d_1() in throw {{ {first} }}`, `chance d_2() in throw {{ \
                 {second} }}`"
            );
            assert_eq!(titles(&text), ["how likely an event is stands after `weight`"], "{body}");
            assert_eq!(helps(&text), [help], "{body}");
        }
    }

    #[test]
    fn names_with_weights_are_events() {
        let help = "each outcome is an event of its own: `chance d_heads() in throw { weight 1/2; ... }`, `chance \
                    d_tails() in throw { weight 1/2; ... }`";
        let text = "chance d() in throw { heads: 1/2; tails: 1/2; }\n";
        assert_eq!(titles(text), ["how likely an event is stands after `weight`"]);
        assert_eq!(helps(text), [help]);
    }

    #[test]
    fn odds_are_two_events() {
        let text = |weight: &str| format!("chance d(x: 1..6) {{ {weight}; n := x; }}\n");
        for old in ["odds 2:1", "odds: 2 to 1", "odds 2 to 1"] {
            assert_eq!(mended(&text(old)), text(old));
            assert_eq!(helps(&text(old)), ["write `weight 2;` in one event, and `weight 1;` in the other"]);
        }
    }

    #[test]
    fn weights_of_cases_are_a_list() {
        let text = |weight: &str| format!("chance d(x: 1..3) {{ {weight}; n := x; }}\n");
        for old in ["weights [3,2,1]", "weights: 3, 2, 1", "weights = [3, 2, 1]", "weights 3, 2, 1"] {
            assert_eq!(titles(&text(old)), [super::TITLE], "{old}");
            assert_eq!(mended(&text(old)), text("weight [3, 2, 1][x]"), "{old}");
        }
        // One case has no weight.
        let short = text("weights [3, 2]");
        assert_eq!(mended(&short), short);
        assert_eq!(titles(&short), [super::TITLE]);
    }

    #[test]
    fn a_percentage_is_a_weight() {
        let text = |weight: &str| format!("chance d(x: 1..6) {{ {weight}; n := x; }}\n");
        for old in ["prob: 50%", "probability 50%", "chance: 50 %"] {
            assert_eq!(titles(&text(old)), [super::TITLE], "{old}");
            assert_eq!(mended(&text(old)).replace("50 ;", "50;"), text("weight 50"), "{old}");
        }
    }

    #[test]
    fn an_event_alone_always_happens() {
        let event = |name: &str, weight: &str| format!("chance {name}() {{ {weight}; n := 1; }}\n");
        for old in ["probability: 1 / 2", "prob(1 / 2)", "probability 1 / 2"] {
            let one = event("a", old);
            assert_eq!(mended(&one), one);
            assert!(helps(&one)[0].contains("alone, this one always happens"), "{:?}", helps(&one));
            let two = one + &event("b", old);
            assert_eq!(mended(&two), event("a", "weight 1 / 2") + &event("b", "weight 1 / 2"));
        }
    }

    #[test]
    fn a_call_is_not_assigned_to_itself() {
        let text = "move m(x: 1..3) { share (x + 1) / 2; }\n";
        assert_eq!(mended(text), text);
        assert!(helps(text).iter().all(|help| !help.contains("share (x + 1) :=")), "{:?}", helps(text));
    }

    #[test]
    fn a_share_before_if_is_no_remainder() {
        let text = |weight: &str| format!("chance d(x: 1..3) {{ weight {weight}; n := x; }}\n");
        for weight in ["20 %", "(20 %)", "20%", "if x = 1 then 20% else 40"] {
            assert_eq!(titles(&text(weight)), ["`%` is no part of a number"], "{weight}");
            assert_eq!(mended(&text(weight)), text(weight));
        }
        let found = titles(&text("20% if x = 3 else 40%"));
        assert!(found.iter().all(|title| !title.contains("mod")), "{found:?}");
        let new = mended(&text("20% if x = 3 else 40%"));
        assert!(!new.contains("mod"), "{new}");
        assert_eq!(mended(&text("x % 2")), text("x mod 2"));
    }
}
