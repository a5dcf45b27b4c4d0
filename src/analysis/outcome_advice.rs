//! Advice on outcomes of `end` that are about another thing than they say: `highest stopped` of a field of truth values,
//! `payoff best: stake`, whose name is a variable.

use crate::analyzer::Analyzer;
use crate::symbols::{SymbolKind, UseKind};
use bouton_rules::{Expr, PLAYER, Type};
use bouton_syntax::ast::{self, Name};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

impl Analyzer<'_> {
    /// Advice on `highest book`, where `book` has keys that are no players: the points of the players, or the number
    /// of cells that hold a player.
    pub(super) fn scores_in_place_of(&self, name: &str) -> Option<String> {
        let field = &self.rules.fields[self.field_of(name)?];
        let [key] = &field.keys[..] else { return None };
        let count = (*field.ty.present() == Type::Sym(PLAYER)).then(|| {
            let of = self.rules.show_type(&key.ty);
            let key = &key.name;
            format!("`def score(p: Player) = count {key} in {of}: {name}[{key}] = p;`, then `highest score`")
        });
        let points = self.points_of_players();
        Some(match (points, count) {
            (Some(points), Some(count)) => {
                format!(
                    "`{points}` has a number for each player: write `{points}`; or count what each has in `{name}`: {count}"
                )
            }
            (Some(points), None) => format!("`{points}` has a number for each player: write `{points}`"),
            (None, Some(count)) => format!("count what each player has: {count}"),
            (None, None) => return None,
        })
    }

    /// Reports `highest stopped` of a condition for each player; returns true if it is that.
    pub(super) fn truth_value_as_a_score(&mut self, words: &ast::Expr, made: &Expr) -> bool {
        if *made.ty.base() != Type::Bool {
            return false;
        }
        let term = print_expr(words.bare());
        let scores = self.rules.fields.iter().filter(|field| {
            let by_player = matches!(&field.keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER));
            by_player && matches!(field.ty, Type::Int(..))
        });
        let scores: Vec<String> = scores.map(|field| format!("`{}`", field.name)).collect();
        let numbers = match &scores[..] {
            [] => String::new(),
            [one] => format!("the number that each player has is {one}; "),
            _ => format!("the numbers that each player has are {}; ", scores.join(", ")),
        };
        let title = format!("scores are numbers, and `{term}` is true or false");
        let found = Diagnostic::new(Code::E0201, title, words.span, "no number");
        self.report(found.help(format!(
            "{numbers}if the one for whom `{term}` holds is to win, write `for p in Player when {term}{} => p wins;`",
            match self.symbols.get(term.as_str()).map(|symbol| &symbol.kind) {
                Some(SymbolKind::Def { .. } | SymbolKind::Inductive { .. }) => "(p)",
                _ => "[p]",
            }
        )));
        true
    }

    /// W0112: `payoff best: stake`, whose variable stands for each player in turn and hides a declared name. Returns true if
    /// it is that.
    pub(super) fn payoff_of_a_declared_name(&mut self, name: &Name, words: &ast::Expr) -> bool {
        let Some(key) = self.find(&name.text, name.span) else { return false };
        let is_value = |kind: &SymbolKind<'_>| {
            matches!(
                kind,
                SymbolKind::Def { .. }
                    | SymbolKind::Const { .. }
                    | SymbolKind::Param { .. }
                    | SymbolKind::Field { .. }
            )
        };
        if !self.is_kind(key, is_value) {
            return false;
        }
        let (word, declared) = (self.symbols[key].kind.word(), self.symbols[key].span);
        self.use_symbol(key, UseKind::Read);
        let (text, amount) = (&name.text, print_expr(words.bare()));
        let amount = if amount.len() > 20 || amount.contains(' ') { "1".to_owned() } else { amount };
        let title =
            format!("`{text}` is a new variable here, each player in turn: it hides the {word} `{text}`");
        let found = Diagnostic::new(Code::W0112, title, name.span, "any player");
        self.report(found.label(declared, format!("the {word}")).help(format!(
            "if `{text}` is the player who gets something, write `payoff p: if p = {text} then {amount} else -{amount};`; \
             otherwise give the variable another name, such as `p`"
        )));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, diagnostics, found};
    use bouton_syntax::diag::Code;

    fn text(end: &str) -> String {
        format!(
            "game \"Bust\"; players A, B; state {{ sum_of[p: Player]: 0..9 = 0; stopped[p: Player]: bool = false; }}
             def best: Player = if sum_of[A] > sum_of[B] then A else B;
             move roll(k: 1..2) as \"{{k}}\" {{ when sum_of[me] + k <= 9 and not stopped[me]; sum_of[me] += k; }}
             move stop() as \"stop\" {{ when not stopped[me]; stopped[me] := true; }}
             pass when stuck; end {{ when stopped[A] and stopped[B] => {end}; }} invariant best in Player;"
        )
    }

    #[test]
    fn scores_are_numbers() {
        let found = found(&text("highest stopped"), Code::E0201);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "scores are numbers, and `stopped` is true or false");
        let help = "the number that each player has is `sum_of`; if the one for whom `stopped` holds is to win, write \
                    `for p in Player when stopped[p] => p wins;`";
        assert_eq!(found[0].help.as_deref(), Some(help));
        assert_eq!(codes(&text("highest sum_of")), []);
    }

    #[test]
    fn names_after_payoff_are_variables() {
        let text = text("payoff best: if best = A then 1 else -1").replace("invariant best in Player;", "");
        let all = diagnostics(&text);
        assert_eq!(all.iter().map(|found| found.code).collect::<Vec<_>>(), [Code::W0112]);
        assert!(
            all[0].title.starts_with("`best` is a new variable here, each player in turn"),
            "{}",
            all[0].title
        );
        assert!(all[0].edits.is_empty());
    }
}
