//! Values that are given twice where only one counts: parameters of a claim or a preset, weights, estimates, passes and
//! rules of repetition.

use std::collections::HashMap;

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_syntax::ast::{EndCondition, EndRule, Expr, ItemKind, Setting, StmtKind, TestStep};
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// Reports (E0103) parameters that one list of settings names twice, and a second `weight`, `evaluate`, `pass` or
    /// `repeat`.
    pub(super) fn values_given_twice(&mut self) {
        let mut estimate: Option<Span> = None;
        let mut pass: Option<(Span, Option<&'a Expr>)> = None;
        for (item, own) in self.items() {
            match &item.kind {
                _ if !own => {}
                ItemKind::Preset { settings, .. } => self.settings_given_twice(settings),
                ItemKind::Expect(expect) => self.settings_given_twice(&expect.settings),
                ItemKind::Test(test) => {
                    self.settings_given_twice(&test.settings);
                    for step in &test.steps {
                        if let TestStep::Expect(expect) = step {
                            self.settings_given_twice(&expect.settings);
                        }
                    }
                }
                ItemKind::Evaluate { .. } => match estimate {
                    None => estimate = Some(item.span),
                    Some(first) => {
                        let help = "one estimate counts, for every player: write one `evaluate p: ...;`, where `if p = A then \
                                    ... else ...` tells players apart";
                        self.given_twice("`evaluate`", [first, item.span], help.to_owned());
                    }
                },
                ItemKind::Pass(condition) => match pass {
                    None => pass = Some((item.span, condition.as_ref())),
                    Some((first, earlier)) => {
                        let help = match (earlier, condition) {
                            (Some(a), Some(b)) => {
                                let [a, b] = [a, b].map(bouton_syntax::print_expr);
                                format!("a game has one rule for it: `pass when {a} or {b};`")
                            }
                            _ => {
                                "`pass always` includes all other cases: leave one of the two out".to_owned()
                            }
                        };
                        self.given_twice("`pass`", [first, item.span], help);
                    }
                },
                ItemKind::End(rules) => self.repetitions_given_twice(rules),
                ItemKind::Move(of) if of.chance => {
                    let weights = of.body.stmts.iter().filter_map(|stmt| match &stmt.kind {
                        StmtKind::Weight(value) => Some((stmt.span, value)),
                        _ => None,
                    });
                    let weights: Vec<_> = weights.collect();
                    if let [(first, a), (second, b), ..] = weights[..] {
                        let [a, b] = [a, b].map(bouton_syntax::print_expr);
                        let help = format!(
                            "an event has one weight: if both count, their product `weight ({a}) * ({b});`"
                        );
                        self.given_twice("`weight`", [first, second], help);
                    }
                }
                _ => {}
            }
        }
    }

    fn settings_given_twice(&mut self, settings: &[Setting]) {
        let mut given: HashMap<&str, Span> = HashMap::new();
        for Setting { name, .. } in settings {
            if let Some(first) = given.insert(&name.text, name.span) {
                let help = "leave one of them out; two claims, each with its own `with`, speak of two values";
                self.given_twice(&format!("`{}`", name.text), [first, name.span], help.to_owned());
            }
        }
    }

    /// Reports a second rule for the same repetition; the first counts.
    fn repetitions_given_twice(&mut self, rules: &[EndRule]) {
        let mut given: HashMap<(Option<&str>, Option<String>), Span> = HashMap::new();
        for rule in rules {
            let EndCondition::Repeat { count, of, condition: None } = &rule.condition else { continue };
            let key = (count.as_ref().map(|n| n.text.as_str()), of.as_ref().map(bouton_syntax::print_expr));
            if let Some(first) = given.get(&key) {
                let help = "a repetition has one result, and the first rule counts: leave one of them out";
                self.given_twice("`repeat`", [*first, rule.span], help.to_owned());
            } else {
                given.insert(key, rule.span);
            }
        }
    }

    fn given_twice(&mut self, what: &str, [first, second]: [Span; 2], help: String) {
        let found = Diagnostic::new(Code::E0103, format!("{what} is given twice"), second, "the second time");
        self.report(found.label(first, "the first").help(help));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(items: &str, event: &str) -> Vec<String> {
        let text = format!(
            "game \"Twice\"; param n: 1..3 = 1; param m: 1..3 = 1; players A, B; phases {{ go; toss by chance; }}
             state {{ at[p: Player]: 0..9 = 0; }} move step() in go as \"s\" {{ when at[me] < 9; at[me] += 1; continue toss; }}
             chance coin(k: 0..1) in toss as \"{{k}}\" {{ {event} at[mover] := k; next other(mover); continue go; }}
             end {{ for p in Player when at[p] > n + m => p wins; }} {items}"
        );
        found(&text, Code::E0103).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn one_value_counts() {
        let none: [&str; 0] = [];
        assert_eq!(
            titles("expect first wins with n = 1, m = 2; expect first wins with n = 2;", "weight 1;"),
            none
        );
        assert_eq!(titles("expect first wins with n = 1, n = 2;", ""), ["`n` is given twice"]);
        assert_eq!(titles("preset small { n = 1; m = 1; n = 3; }", ""), ["`n` is given twice"]);
        assert_eq!(titles("evaluate p: at[p]; evaluate p: -at[p];", ""), ["`evaluate` is given twice"]);
        assert_eq!(titles("", "weight k + 1; weight 2;"), ["`weight` is given twice"]);
        assert_eq!(titles("pass always; pass when stuck;", ""), ["`pass` is given twice"]);
        assert_eq!(titles("end { repeat => draw; repeat => mover wins; }", ""), ["`repeat` is given twice"]);
        assert_eq!(titles("end { repeat 2 of at => draw; repeat 3 => mover wins; }", ""), none);
    }
}
