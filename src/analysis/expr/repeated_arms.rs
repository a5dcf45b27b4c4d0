//! W0221 for an arm of `match` whose pattern an arm before it has: the first of them, and the values without an arm of
//! their own.

use crate::analyzer::Analyzer;
use bouton_rules::Value;
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Reports the arms that are never reached since an arm before them has the same pattern; `left` are the values that an
    /// arm `_` behind them takes.
    pub(super) fn arms_given_twice(
        &mut self,
        unreached: &[(usize, bool)],
        left: &[Value],
        arms: &[ast::Arm],
    ) {
        for (place, _) in unreached.iter().filter(|(_, is_value)| *is_value) {
            let Some(pattern) = &arms[*place].pattern else { continue };
            let text = print_expr(pattern.bare());
            let is_same = |arm: &&ast::Arm| {
                arm.pattern.as_ref().is_some_and(|pattern| print_expr(pattern.bare()) == text)
            };
            let Some(first) = arms[..*place].iter().find(is_same) else { continue };
            let title = format!("this arm is never reached: `{text}` has an arm before it");
            let found = Diagnostic::new(Code::W0221, title, arms[*place].span, "a second arm for it");
            let found = found.label(first.span, "the first");
            let missing = self.values_like(pattern, left);
            self.report_once(match &missing[..] {
                [] => found.help("leave one of them out, or write the other value that is meant"),
                [one] => found.help(format!("no arm names {one}: is it meant in one of them?")),
                many => {
                    let shown = many.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
                    let more = if many.len() > 3 { ", ..." } else { "" };
                    found.help(format!("no arm names {shown}{more}: is one of them meant?"))
                }
            });
        }
    }

    /// Warns about `match p { A => B, B => C, C => B }`, where each player has
    /// another one, one of them is given twice, and one never.
    pub(super) fn players_around_a_table(&mut self, arms: &[ast::Arm]) {
        let players = self.rules.players().to_vec();
        let is_player = |name: &&str| players.iter().any(|player| player == name);
        let pair = |arm: &'_ ast::Arm| {
            let from = arm.pattern.as_ref()?.bare().as_name().filter(is_player)?.to_owned();
            let to = arm.value.bare().as_name().filter(is_player)?.to_owned();
            (from != to).then_some((from, to))
        };
        let Some(pairs) = arms.iter().map(pair).collect::<Option<Vec<_>>>() else { return };
        if players.len() < 3 || pairs.len() != players.len() {
            return;
        }
        let missing: Vec<&String> =
            players.iter().filter(|player| !pairs.iter().any(|(_, to)| to == *player)).collect();
        let second = (1..pairs.len()).find(|&at| pairs[..at].iter().any(|(_, to)| *to == pairs[at].1));
        let ([missing], Some(second)) = (&missing[..], second) else { return };
        let twice = &pairs[second].1;
        let Some(first) = pairs.iter().position(|(_, to)| to == twice) else { return };
        let title = format!("two of these arms give `{twice}`, and none gives `{missing}`");
        let found = Diagnostic::new(Code::W0125, title, arms[second].value.span, "the second time");
        let found = found.label(arms[first].value.span, "the first time");
        self.report_once(found.help(format!(
            "if each player is to come once, as around a table, write `{missing}` in one of the two"
        )));
    }

    /// Reports the arms behind an arm `_` that takes all the rest, once for all, and takes them out of those to report.
    pub(super) fn arms_behind_the_rest(&mut self, unreached: &mut Vec<(usize, bool)>, arms: &[ast::Arm]) {
        let Some(rest) = arms.iter().position(|arm| arm.pattern.is_none()) else { return };
        if rest + 1 >= arms.len() || unreached.iter().any(|(place, _)| *place == rest) {
            return;
        }
        let is_told = |place: usize| {
            self.diagnostics.iter().any(|known| known.code == Code::W0221 && known.span() == arms[place].span)
        };
        let behind = unreached.iter().filter(|(place, _)| *place > rest && !is_told(*place)).count();
        if behind > 0 {
            let title = match behind {
                1 => "this arm is never reached: the arm `_` before it takes all the rest".to_owned(),
                _ => format!("{behind} arms are never reached: the arm `_` before them takes all the rest"),
            };
            let span = arms[rest + 1].span;
            let label = if behind == 1 { "never reached" } else { "the first of them" };
            let found = Diagnostic::new(Code::W0221, title, span, label);
            let found = found.label(arms[rest].span, "takes all the rest");
            self.report_once(found.help("the arms are tried in order: put the arm `_` last"));
        }
        unreached.retain(|(place, _)| *place < rest);
    }

    /// The values left that differ from a pattern in one part, in words; all of them if it has no parts.
    fn values_like(&self, pattern: &ast::Expr, left: &[Value]) -> Vec<String> {
        let parts: Option<Vec<String>> = match &*pattern.bare().kind {
            ast::ExprKind::Tuple(parts) => Some(parts.iter().map(|part| print_expr(part.bare())).collect()),
            _ => None,
        };
        let is_like = |value: &&Value| match (&parts, value) {
            (Some(parts), Value::Tuple(tuple)) => {
                let differ = parts.iter().zip(tuple.parts.iter());
                differ.filter(|(part, value)| **part != self.rules.show(value)).count() == 1
            }
            (None, _) => true,
            _ => false,
        };
        left.iter().filter(is_like).map(|value| format!("`{}`", self.rules.show(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn of_arms(arms: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Spell\"; players A, B; enum Word {{ tan, ten }} enum Letter {{ N, T }} state {{ left: 0..9 = 9; }}
             const spelt[w: Word, i: 1..2]: Letter? = match (w, i) {{ {arms}, _ => none }};
             move say(w: Word) as \"{{w}}\" {{ when left > 0 and spelt[w, 1] = T; left -= 1; }} 
             move ends(l: Letter, w: Word) as \"{{l}} {{w}}\" {{ when left > 1 and spelt[w, 2] = l; left -= 2; }} play normal;"
        );
        found(&text, Code::W0221)
    }

    #[test]
    fn arms_behind_the_rest_are_told_once() {
        let text = |arms: &str| {
            format!(
                "game \"Spell\"; players A, B; enum Word {{ tan, ten, net }}
                 const worth[w: Word]: 1..3 = match w {{ {arms} }}; state {{ left: 0..9 = 9; }}
                 move say(w: Word) as \"{{w}}\" {{ when left >= worth[w]; left -= worth[w]; }} play normal;"
            )
        };
        let titles = |arms: &str| {
            let found = found(&text(arms), Code::W0221);
            found.into_iter().map(|found| found.title).collect::<Vec<_>>()
        };
        let two = "2 arms are never reached: the arm `_` before them takes all the rest";
        assert_eq!(titles("_ => 1, ten => 2, net => 3"), [two]);
        let one = "this arm is never reached: the arm `_` before it takes all the rest";
        assert_eq!(titles("tan => 1, _ => 2, net => 3"), [one]);
        assert_eq!(titles("tan => 1, ten => 2, _ => 3"), [""; 0]);
        assert_eq!(titles("tan => 1, ten => 2, net => 3, _ => 3"), ["this arm is never reached"]);
    }

    #[test]
    fn arms_with_one_pattern_are_told() {
        let found = of_arms("(tan, 1) => T, (tan, 2) => N, (ten, 1) => T, (ten, 1) => N");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "this arm is never reached: `(ten, 1)` has an arm before it");
        assert_eq!(found[0].labels.len(), 2);
        assert_eq!(found[0].help.as_deref(), Some("no arm names `(ten, 2)`: is it meant in one of them?"));
        assert!(of_arms("(tan, 1) => T, (tan, 2) => N, (ten, 1) => T").is_empty());
    }
}
