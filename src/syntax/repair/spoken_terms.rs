//! Terms and claims with a word more than this language has: `either a or b`, `at[c] exists`, `all x of S: f`,
//! `expect that first wins;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

impl FixFinder<'_> {
    /// Fixes of words in terms and claims.
    pub fn spoken_terms(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.contents_exchanged(),
            self.choice_by_case(),
            self.either(),
            self.contents_that_exist(),
            self.quantifier_of(),
            self.there_is(),
            self.filter_behind_a_comma(),
            self.pass_allowed(),
            self.test_without_a_name(),
            self.claim_with_a_word(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `swap a, b;` and `a <-> b;` to `a := b; b := a;`.
    fn contents_exchanged(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_verb = matches!(self.layout.text(clause), "swap" | "exchange");
        let start = clause + usize::from(is_verb);
        let middle = self.end_of_operand(start).filter(|_| self.in_move())?;
        let sign = match (self.layout.text(middle), self.layout.text(middle + 1)) {
            ("," | "and" | "with", _) if is_verb => middle + 1,
            ("<-", ">") | ("<", "->") if !is_verb => middle + 2,
            ("<", "-") if !is_verb && self.layout.text(middle + 2) == ">" => middle + 3,
            _ => return None,
        };
        let end = self.end_of_operand(sign).filter(|&end| self.layout.text(end) == ";")?;
        let (one, other) = (self.text(start, middle), self.text(sign, end));
        let new = format!("{one} := {other}; {other} := {one}");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "the effects of a move are made at once, so two of them exchange two places";
        Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`")))
    }

    /// Rewrites `case n { 3 => 4, _ => 5 }` to `match n { 3 => 4, _ => 5 }`.
    fn choice_by_case(&self) -> Option<Fix> {
        let word = self.bounds.at.checked_sub(1)?;
        let is_word =
            matches!(self.last, "case" | "switch" | "select" | "choose") && self.is_name(self.bounds.at);
        let open =
            self.end_of_operand(self.bounds.at).filter(|&open| is_word && self.layout.text(open) == "{")?;
        let close = self.layout.partner(open)?;
        let has_arms = (open + 1..close).any(|at| self.layout.text(at) == "=>");
        (has_arms && word > self.bounds.clause).then(|| {
            let title = "a choice between values is made by `match`";
            let help = format!("write `match {} {{ ... }}`", self.text(self.bounds.at, open));
            Fix::new(self.range(word), "match", Code::E0013, title).help(help)
        })
    }

    /// Removes `either` of `either a or b` and `both` of `both a and b`.
    fn either(&self) -> Option<Fix> {
        let word = self.bounds.at.checked_sub(1)?;
        let joint = match self.last {
            "either" => "or",
            "both" => "and",
            _ => return None,
        };
        let ends = [joint, ";", "=>", "{", ")"];
        let next =
            self.outside_brackets(self.bounds.at, &ends).filter(|&next| self.layout.text(next) == joint)?;
        let range = (self.range(word).0, self.here().0);
        let title = format!("`{joint}` stands between two conditions, without a word before them");
        (next > self.bounds.at)
            .then(|| Fix::new(range, "", Code::E0013, title).at(self.range(word)).help("leave it out"))
    }

    /// Rewrites `at[c] exists` to `at[c] != none`.
    fn contents_that_exist(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let length = match (self.word, self.layout.text(at + 1)) {
            ("exists" | "present" | "nonempty", _) => 1,
            _ => return None,
        };
        let start = self.start_of_term(at);
        let name = self.layout.text(start);
        let outline = self.outline();
        let field = outline.field(name).filter(|field| field.is_optional())?;
        let is_whole = self.end_of_operand(start) == Some(at) && (at > start + 1 || field.keys.is_empty());
        let new = format!("{} != none", self.text(start, at));
        let range = (self.here().0, self.range(at + length - 1).1);
        let title = "a value that may be `none` is compared with it";
        is_whole.then(|| Fix::new(range, "!= none", Code::E0013, title).help(format!("write `{new}`")))
    }

    /// Rewrites `all x of S: f` to `all x in S: f`.
    fn quantifier_of(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word =
            at.checked_sub(2).filter(|_| matches!(self.word, "of" | "from" | "over" | "on" | "among"))?;
        let is_quantifier = matches!(
            self.layout.text(word),
            "some" | "all" | "no" | "one" | "count" | "sum" | "min" | "max" | "union"
        );
        let is_loop = self.layout.text(word) == "for" && self.bounds.place != ClauseContext::Top;
        let signs: &[&str] = if is_loop { &["when", "{", "=>", "where"] } else { &[":"] };
        let is_quantifier = is_quantifier || is_loop;
        let has_body = self
            .outside_brackets(at + 1, &[signs, &[";"]].concat())
            .is_some_and(|at| signs.contains(&self.layout.text(at)));
        (is_quantifier && has_body && self.is_name(at - 1)).then(|| {
            let title = "the set that a variable goes through stands after `in`";
            let help = format!("write `{} {} in ...`", self.layout.text(word), self.last);
            Fix::new(self.here(), "in", Code::E0013, title).help(help)
        })
    }

    /// Rewrites `there is x in S: f` to `some x in S: f`.
    fn there_is(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = (self.bounds.clause..at).find(|&at| self.layout.text(at) == "there")?;
        let is_verb = matches!(self.layout.text(word + 1), "is" | "exists" | "are");
        let name = word + 2 + usize::from(matches!(self.layout.text(word + 2), "a" | "an" | "some" | "one"));
        let tuple = self.layout.partner(name).filter(|_| self.layout.text(name) == "(");
        let last = tuple.or_else(|| self.is_name(name).then_some(name))?;
        let is_binder = is_verb && self.layout.text(last + 1) == "in";
        is_binder.then(|| {
            let range = (self.range(word).0, self.range(name - 1).1);
            let title = "that there is an element with a property is `some`";
            let help = format!("write `some {} in ...`", self.text(name, last + 1));
            let fix = Fix::new(range, "some", Code::E0013, title).help(help);
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `{ x in S, f }` to `{ x in S where f }`.
    fn filter_behind_a_comma(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let open = self.bracket_around(at, at).filter(|&open| self.layout.text(open) == "{")?;
        let close = self.layout.partner(open)?;
        let is_binder = self.is_name(open + 1) && self.layout.text(open + 2) == "in";
        let comma = self.outside_brackets(open + 3, &[","]).filter(|&comma| comma < close && is_binder)?;
        let condition = self.text(comma + 1, close);
        let is_term = trial_parse(Rule::one_expr, condition).is_ok_and(|length| length == condition.len());
        (is_term && !self.layout.is_block(open)).then(|| {
            let range = (self.range(comma - 1).1, self.range(comma).1);
            let title = "the condition on the elements of a set stands after `where`";
            let help = format!("write `{{ {} where {condition} }}`", self.text(open + 1, comma));
            Fix::new(range, " where", Code::E0013, title).at(self.range(comma)).help(help)
        })
    }

    /// Rewrites `allow pass;` to `pass always;`.
    fn pass_allowed(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_item = matches!(self.layout.text(first), "allow" | "allows" | "may" | "can" | "optional")
            && matches!(self.layout.text(first + 1), "pass" | "passing" | "passes")
            && self.layout.text(first + 2) == ";";
        is_item.then(|| {
            let range = (self.range(first).0, self.range(first + 1).1);
            let title = "a pass that is always possible is `pass always`";
            Fix::new(range, "pass always", Code::E0013, title).help("write `pass always;`")
        })
    }

    /// Gives the test of `test { ... }` a name.
    fn test_without_a_name(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_test = self.layout.text(first) == "test" && self.bounds.at == first + 1 && self.word == "{";
        is_test.then(|| {
            let end = self.range(first).1;
            let fix = Fix::new((end, end), " \"play\"", Code::E0013, "a test has a name, between quotes");
            let fix = fix.at(self.range(first)).help("write `test \"play\" { ... }`, or another name");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `expect that first wins;` and `assert first wins;` to `expect first wins;`.
    fn claim_with_a_word(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let (start, from) = match (self.layout.text(clause), self.layout.text(clause + 1)) {
            ("expect", "that" | ":") => (clause + 1, clause + 2),
            ("assert" | "claim" | "check" | "verify" | "prove" | "ensure", next)
                if clause == self.bounds.first =>
            {
                (clause, clause + 1 + usize::from(matches!(next, "that" | ":")))
            }
            _ => return None,
        };
        let end = self.outside_brackets(from, &[";"])?;
        let claim = format!("expect {};", self.text(from, end));
        let is_claim = trial_parse(Rule::expect_decl, &claim).is_ok_and(|length| length == claim.len());
        let new = if start == clause { "expect " } else { "" };
        let range = (self.range(start).0, self.range(from).0);
        let title = "what is claimed follows `expect`";
        is_claim.then(|| {
            let label = (self.range(start).0, self.range(from - 1).1);
            Fix::new(range, new, Code::E0013, title).at(label).help(format!("write `{claim}`"))
        })
    }
}
