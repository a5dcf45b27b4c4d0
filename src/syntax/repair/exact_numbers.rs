//! Claims that are about numbers and name a term instead: `expect perft 1 = width;`, `expect perft 1 >= 2;`,
//! `expect solved in goal + 2;`, `expect X wins in n;`.

use super::RepairSession;
use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use crate::ast::{ClaimKind, CmpOp, Expect, ExprKind, ItemKind, TestStep};
use crate::diag::{Code, Diagnostic};

/// The help about a claim with a term in the place of a number.
const WRITTEN_NUMBER: &str =
    "write the number that holds for the default parameters; a claim about other ones names them";

impl FixFinder<'_> {
    /// Explanations of claims about numbers.
    pub fn exact_numbers(&self, fixes: &mut Vec<Fix>) {
        fixes.extend([self.count_of_games(), self.length_of_a_win()].into_iter().flatten());
    }

    /// The `;` of a claim.
    fn end_of_a_claim(&self) -> Option<usize> {
        let is_claim = self.layout.text(self.bounds.clause) == "expect";
        self.outside_brackets(self.bounds.clause, &[";"]).filter(|&end| is_claim && end >= self.bounds.at)
    }

    /// Returns true if a term with a name in it begins at a word.
    fn is_named_term(&self, at: usize) -> bool {
        self.is_name(at) || matches!(self.layout.text(at), "(" | "#" | "-") || self.is_number(at)
    }

    /// Explains `perft 1 = width`, `perft n = 3` and `perft 1 >= 2`.
    fn count_of_games(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let end =
            self.end_of_a_claim().filter(|_| self.layout.text(clause + 1) == "perft" && at > clause + 1)?;
        let range = (self.range(clause).0, self.range(end).1);
        let sign = self.outside_brackets(clause + 2, &["=", "==", ">=", "<=", ">", "<", "!=", ";"])?;
        let is_bound = matches!(self.layout.text(sign), ">=" | "<=" | ">" | "<" | "!=") && at <= sign;
        if is_bound {
            let depth = self.text(clause + 2, sign);
            let title = "`perft` claims an exact number, not a bound";
            let help = format!(
                "write `expect perft {depth} = ...;` with the number of ways to play {depth} moves; `bouton test` says \
                 the right one if the claim is wrong"
            );
            return Some(explained(range, "", title, help).at(self.range(sign)));
        }
        let word =
            self.outside_brackets(clause + 2, &["with", "cite"]).filter(|&word| word < end).unwrap_or(end);
        // The depth, or the number behind the sign.
        let (from, to) = if at < sign { (clause + 2, sign) } else { (sign + 1, word) };
        let is_term = from < to && self.is_named_term(from) && !(self.is_number(from) && from + 1 == to);
        (is_term && self.layout.text(sign) == "=" && from <= at && at < to).then(|| {
            let title = "the numbers of `perft` are written in digits";
            let help = self.written_number();
            explained(range, "", title, help).at((self.range(from).0, self.range(to - 1).1))
        })
    }

    /// The help about a claim with a term in the place of a number.
    fn written_number(&self) -> String {
        let parameter = self.outline().parameter().unwrap_or("n");
        format!("{WRITTEN_NUMBER}, such as `expect ... with {parameter} = 4;`")
    }

    /// Explains `expect X wins in n;`.
    fn length_of_a_win(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let end = self.end_of_a_claim()?;
        let word = self.outside_brackets(clause + 1, &["in"]).filter(|&word| word + 1 == at)?;
        let is_win = matches!(self.layout.text(word - 1), "wins" | "loses" | "solved");
        let is_term = is_win && self.is_named_term(at) && !self.is_number(at);
        is_term.then(|| {
            let range = (self.range(clause).0, self.range(end).1);
            let last = self.outside_brackets(at, &["with", "cite"]).filter(|&word| word < end).unwrap_or(end);
            let title = "the length of the play is written in digits";
            explained(range, "", title, self.written_number()).at((self.here().0, self.range(last - 1).1))
        })
    }
}

impl RepairSession {
    /// Reports `expect solved in goal + 2;`, where the number of moves is a term, and leaves it out.
    pub fn mend_lengths_of_solutions(&mut self) {
        if self.may_declare("solved") {
            return;
        }
        let mut found = Vec::new();
        self.items.retain_mut(|item| match &mut item.kind {
            ItemKind::Expect(expect) => keep_claim(expect, &mut found),
            ItemKind::Test(test) => {
                test.steps.retain(|step| match step {
                    TestStep::Expect(expect) => keep_claim(expect, &mut found),
                    _ => true,
                });
                true
            }
            _ => true,
        });
        self.diagnostics.append(&mut found);
    }
}

/// Returns false for a claim about the length of a solution that is a term, and reports it.
fn keep_claim(expect: &Expect, found: &mut Vec<Diagnostic>) -> bool {
    let ClaimKind::Holds(condition) = &expect.claim.kind else { return true };
    let ExprKind::Compare(left, rest) = &*condition.kind else { return true };
    let [(CmpOp::In, length)] = &rest[..] else { return true };
    if left.as_name() != Some("solved") {
        return true;
    }
    let title = "the length of the play is written in digits";
    found.push(Diagnostic::new(Code::E0013, title, length.span, "").help(WRITTEN_NUMBER));
    false
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn counts_of_games_are_digits() {
        let title = "the numbers of `perft` are written in digits";
        for claim in ["perft 1 = width", "perft n = 3", "perft 2 = 3 * n", "perft 1 = width with width = 4"] {
            let text = format!("expect {claim};\n");
            assert_eq!((titles(&text), mended(&text)), (vec![title.to_owned()], text.clone()), "{claim}");
        }
        assert_eq!(titles("expect perft 1 >= 2;\n"), ["`perft` claims an exact number, not a bound"]);
        assert!(titles("expect perft 1 = 3 with width = 4;\n").is_empty());
    }

    #[test]
    fn lengths_are_digits() {
        let title = "the length of the play is written in digits";
        for claim in ["solved in goal + 2", "X wins in n", "solved in n"] {
            assert_eq!(titles(&format!("players X;\nexpect {claim};\n")), [title], "{claim}");
        }
        let test = "test \"t\" { expect solved in n + 1; }\n";
        assert_eq!(titles(test), [title]);
        assert!(titles("def solved: 0..3 = n;\nexpect solved in S;\n").is_empty());
    }
}
