//! Rules about repetition in other forms: `forbid repeat 3;`, `forbid repeat within 4 of at;`, `repeat => both lose;`,
//! `repeat 3 => other(p) loses`, `repeat 3 of Point => draw`.

use super::RepairSession;
use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::ast::{EndCondition, EndRule, Expr, ExprKind, ItemKind, Number, OutcomeKind, Pattern};
use crate::diag::{Code, Diagnostic};
use bouton_base::source::Span;

/// Words for the whole position behind `of`.
const WHOLE_POSITION: [&str; 7] =
    ["position", "positions", "state", "everything", "game", "moves", "situation"];

impl FixFinder<'_> {
    /// Fixes and explanations of rules about repetition.
    pub fn repetitions(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.number_of_forbidden_repetitions(),
            self.window_before_its_term(),
            self.whole_position(),
            self.number_as_a_word(),
            self.term_without_a_number(),
            self.several_winners(),
            self.all_lose(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Explains `forbid repeat 3;`.
    fn number_of_forbidden_repetitions(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_number = self.layout.text(first) == "forbid" && at == first + 2 && self.is_number(at);
        let is_number = is_number && self.last == "repeat";
        let end = self.outside_brackets(at, &[";", "of", "within"]).filter(|_| is_number)?;
        let range = (self.gap().0, self.range(end - 1).1);
        let title = "`forbid repeat` forbids the first repetition, so that there is no number";
        let help = format!(
            "write `repeat {} => draw;` in `end` for what a position is worth that comes so often; `forbid \
             repeat;` if no position may come back",
            self.word
        );
        Some(explained(range, "", title, help).at(self.here()))
    }

    /// Rewrites `forbid repeat within 4 of at;` to `forbid repeat of at within 4;`.
    fn window_before_its_term(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_window = self.layout.text(first) == "forbid"
            && self.layout.text(at.saturating_sub(2)) == "within"
            && self.is_number(at - 1)
            && self.word == "of";
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_window)?;
        let new = format!("{} {}", self.text(at, end), self.text(at - 2, at));
        let range = (self.range(at - 2).0, self.range(end - 1).1);
        let title = "`of` stands before `within`";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `forbid repeat {new};`")))
    }

    /// Rewrites `forbid repeat position;` to `forbid repeat;`.
    fn whole_position(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = [at, at.saturating_sub(1)].into_iter().find(|&at| {
            let word = self.layout.text(at);
            let before = self.layout.text(at.saturating_sub(1));
            (WHOLE_POSITION.contains(&word) || word == "board")
                && (before == "repeat" || matches!(before, "of" | "the"))
        })?;
        let is_rule = matches!(self.layout.text(self.bounds.clause), "forbid" | "repeat");
        let repeat = (self.bounds.clause..word).rev().find(|&at| self.layout.text(at) == "repeat")?;
        let is_declared = self.outline().field(self.layout.text(word)).is_some();
        (is_rule && !is_declared && self.is_rule_end(word + 1)).then(|| {
            let range = (self.range(repeat).1, self.range(word).1);
            let title = "a repetition without `of` is one of the whole position";
            let label = (self.range(repeat + 1).0, range.1);
            Fix::new(range, "", Code::E0013, title).at(label).help("leave it out")
        })
    }

    /// Rewrites `repeat three times => draw;` and `repeat thrice => draw;` to `repeat 3 => draw;`.
    fn number_as_a_word(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let number = match self.word {
            "twice" | "two" | "twofold" => 2,
            "thrice" | "three" | "threefold" => 3,
            "four" | "fourfold" => 4,
            "five" | "fivefold" => 5,
            _ => return None,
        };
        let is_rule = self.bounds.place == ClauseContext::End && self.last == "repeat";
        let last = at + usize::from(matches!(self.layout.text(at + 1), "times" | "x"));
        is_rule.then(|| {
            let range = (self.here().0, self.range(last).1);
            let title = "how often a position comes is a number in digits";
            let help = format!("write `repeat {number} => ...;`");
            Fix::new(range, &number.to_string(), Code::E0005, title).help(help)
        })
    }

    /// Explains `repeat at => draw;`.
    fn term_without_a_number(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_rule = self.bounds.place == ClauseContext::End && self.last == "repeat" && self.is_name(at);
        let end = self.outside_brackets(at, &["=>", "when", ";"]).filter(|_| is_rule)?;
        let term = self.text(at, end);
        self.outline().field(self.layout.text(at)).map(|_| {
            let title = "a repetition of a part of the position has a number and `of`";
            let help = format!("write `repeat 3 of {term} => ...;`, or `repeat => ...;` for endless play");
            let found = explained((self.gap().0, self.range(end - 1).1), "", title, help);
            Fix { code: Code::E0005, ..found.at((self.here().0, self.range(end - 1).1)) }
        })
    }

    /// Explains `=> Ann and Bob win`.
    fn several_winners(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let end = self.outside_brackets(arrow, &[";"]).filter(|_| self.bounds.place == ClauseContext::End)?;
        let players = self.outline().players();
        let is_player = |at: usize| players.contains(&self.layout.text(at));
        let verdict =
            (arrow + 1..end).find(|&at| matches!(self.layout.text(at), "win" | "wins" | "lose" | "loses"))?;
        let is_list = verdict == end - 1
            && (arrow + 1..verdict).enumerate().all(|item| {
                if item.0.is_multiple_of(2) {
                    is_player(item.1)
                } else {
                    matches!(self.layout.text(item.1), "," | "and" | "&")
                }
            });
        let names: Vec<&str> = (arrow + 1..verdict).step_by(2).map(|at| self.layout.text(at)).collect();
        if !is_list || names.len() < 2 || self.bounds.at > end {
            return None;
        }
        let (yes, no) = match self.layout.text(verdict) {
            "win" | "wins" => ("1", "-1"),
            _ => ("-1", "1"),
        };
        let new = match names.len() == players.len() {
            true => format!("payoff p: {yes}"),
            false => format!("payoff p: if p in {{ {} }} then {yes} else {no}", names.join(", ")),
        };
        let title = "`wins` and `loses` are about one player; what several get is a payoff";
        let range = (self.range(arrow + 1).0, self.range(end - 1).1);
        let found = explained(range, &new, title, format!("write `{new}`, with the numbers that they get"));
        Some(Fix { code: Code::E0005, ..found })
    }

    fn is_rule_end(&self, at: usize) -> bool {
        matches!(self.layout.text(at), ";" | "=>" | "within" | "when")
    }

    /// Rewrites `=> both lose` and `=> everyone loses` to `=> payoff p: -1`.
    fn all_lose(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let mut verdict = arrow + 2;
        let who = self.layout.text(arrow + 1);
        if self.layout.text(verdict) == "players" {
            verdict += 1;
        }
        let is_all = matches!(who, "both" | "all" | "everyone" | "everybody" | "each")
            && self.bounds.place == ClauseContext::End
            && (arrow + 1..=verdict + 1).contains(&self.bounds.at);
        let worth = match self.layout.text(verdict) {
            "lose" | "loses" => "-1",
            "win" | "wins" => "1",
            _ => return None,
        };
        let new = format!("payoff p: {worth}");
        let range = (self.range(arrow + 1).0, self.range(verdict).1);
        let is_last = matches!(self.layout.text(verdict + 1), ";" | "}");
        (is_all && is_last).then(|| {
            let title = "a result that is the same for all players, but no draw, is a payoff";
            Fix::new(range, &new, Code::E0005, title).help(format!("write `{new}`"))
        })
    }
}

/// The name of the only variable of a rule that begins with `for`.
fn variable_of(rule: &EndRule) -> Option<&str> {
    match &rule.condition {
        EndCondition::When { binder: Some(binder), .. } => match &binder.pattern {
            Pattern::Name(name) => Some(&name.text),
            _ => None,
        },
        _ => None,
    }
}

/// The variable in `p wins` or `other(p) loses`.
fn player_of(outcome: &OutcomeKind) -> Option<&str> {
    let (OutcomeKind::Wins(player) | OutcomeKind::Loses(player)) = outcome else { return None };
    match &*player.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Call(function, arguments) if function.as_name() == Some("other") => match &arguments[..] {
            [argument] => argument.as_name(),
            _ => None,
        },
        _ => None,
    }
}

impl RepairSession {
    /// Reports rules of repetition about the variable of another rule, or about a board or the whole position.
    pub fn mend_repetitions(&mut self) {
        let types: Vec<String> = self
            .items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Board { name, .. }
                | ItemKind::TypeAlias { name, .. }
                | ItemKind::Enum { name, .. } => Some(name.text.clone()),
                _ => None,
            })
            .collect();
        let declared: Vec<&str> = WHOLE_POSITION.into_iter().filter(|name| self.may_declare(name)).collect();
        let rules = self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::End(rules) => Some(rules),
            _ => None,
        });
        let variables: Vec<String> = rules.flatten().filter_map(variable_of).map(str::to_owned).collect();
        let variables: Vec<String> = variables.into_iter().filter(|name| !self.may_declare(name)).collect();
        for item in &mut self.items {
            match &mut item.kind {
                ItemKind::ForbidRepeat { of, .. } => {
                    self.diagnostics.extend(repeated_term(of, None, &types, &declared));
                }
                ItemKind::End(rules) => {
                    for rule in rules {
                        let EndCondition::Repeat { count, of, .. } = &mut rule.condition else { continue };
                        self.diagnostics.extend(repeated_term(of, count.as_ref(), &types, &declared));
                        let name = player_of(&rule.outcome.kind);
                        let Some(name) = name.filter(|name| variables.iter().any(|own| own == name)) else {
                            continue;
                        };
                        let title = format!("a rule about repetition has no variable `{name}`");
                        let help = "name the player, such as `mover loses`, or write `draw`";
                        let found = Diagnostic::new(Code::E0005, title, rule.outcome.span, "");
                        self.diagnostics.push(found.help(help));
                        rule.outcome.kind = OutcomeKind::Draw;
                    }
                }
                _ => {}
            }
        }
    }
}

/// The diagnostic of a term behind `repeat of` that never changes or is the whole position; takes the term away.
fn repeated_term(
    of: &mut Option<Expr>,
    count: Option<&Number>,
    types: &[String],
    declared: &[&str],
) -> Option<Diagnostic> {
    let term = of.as_ref()?;
    let name = term.as_name()?;
    let found = if types.iter().any(|own| own == name) {
        let title = format!("`{name}` never changes, so no repetition is counted by it");
        let help = "write the field that changes behind `of`; without `of` the whole position is compared";
        Diagnostic::new(Code::E0013, title, term.span, "").help(help)
    } else if WHOLE_POSITION.contains(&name) && !declared.contains(&name) {
        let title = "a repetition without `of` is one of the whole position";
        let found = Diagnostic::new(Code::E0013, title, term.span, "").help(format!("leave out `of {name}`"));
        match count {
            Some(count) => found.edit(Span { start: count.span.end, ..term.span }, ""),
            None => found,
        }
    } else {
        return None;
    };
    *of = None;
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn forbidden_repetitions_have_no_number() {
        let found = helps("forbid repeat 3;\n");
        assert!(found.len() == 1 && found[0].contains("`repeat 3 => draw;`"), "{found:?}");
        assert_eq!(mended("forbid repeat 3;\n"), "forbid repeat 3;\n");
        assert_eq!(mended("forbid repeat position;\n"), "forbid repeat;\n");
        assert_eq!(mended("forbid repeat of the board;\n"), "forbid repeat;\n");
        let field = "state { on: 0..3 = 0; }\n";
        assert_eq!(mended(&format!("{field}forbid repeat on;\n")), format!("{field}forbid repeat of on;\n"));
        assert_eq!(mended("forbid repeat within 4 of at;\n"), "forbid repeat of at within 4;\n");
    }

    #[test]
    fn results_of_all_are_payoffs() {
        let text = |outcome: &str| format!("end {{ when stuck => mover loses; repeat => {outcome}; }}\n");
        assert_eq!(mended(&text("both lose")), text("payoff p: -1"));
        assert_eq!(mended(&text("all players lose")), text("payoff p: -1"));
    }

    #[test]
    fn repetitions_have_numbers() {
        let text = |rule: &str| format!("state {{ on: 0..3 = 0; }}\nend {{ {rule} => draw; }}\n");
        assert_eq!(mended(&text("repeat three times")), text("repeat 3"));
        let found = helps(&text("repeat on"));
        assert!(found.len() == 1 && found[0].contains("`repeat 3 of on => ...;`"), "{found:?}");
    }

    #[test]
    fn several_winners_have_payoffs() {
        let found = helps("players A, B, C;\nend { when n = 0 => A and B win; }\n");
        assert!(
            found.len() == 1 && found[0].contains("`payoff p: if p in { A, B } then 1 else -1`"),
            "{found:?}"
        );
    }

    #[test]
    fn rules_of_repetition_have_no_variable() {
        let text = |rule: &str| format!("end {{ for p in Player when f(p) => p wins; {rule} => draw; }}\n");
        assert!(titles(&text("repeat 3")).is_empty());
        let found = titles("end { for p in Player when f(p) => p wins; repeat 3 => other(p) loses; }\n");
        assert_eq!(found, ["a rule about repetition has no variable `p`"]);
        assert_eq!(mended(&text("repeat 3 of position")), text("repeat 3"));
        let board = format!("board Point = grid(2, 2);\n{}", text("repeat 3 of Point"));
        assert_eq!(titles(&board), ["`Point` never changes, so no repetition is counted by it"]);
    }
}
