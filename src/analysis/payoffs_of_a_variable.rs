//! W0343 for payoffs that read the variable of their rule in place of their own:
//! `for p in Player when last = p => payoff q: if p = last then -1 else 1`.

use super::analyzer::Analyzer;
use super::ends::FirstFit;
use super::expr::EqualityTest;
use super::guards::conjuncts;
use super::locals::Locals;
use super::shared_payoffs::{names, payoff_of_one_player, with_name};
use bouton_base::source::Span;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_expr, visit};

impl Analyzer<'_> {
    /// W0343: a payoff that reads the player of its rule, and not its own. Returns true if it is one.
    pub(super) fn payoff_of_the_first(
        &mut self,
        own: &ast::Name,
        words: &ast::Expr,
        first: Option<&FirstFit>,
        locals: &Locals,
    ) -> bool {
        let Some(first) = first.filter(|first| names(words, &first.name)) else { return false };
        let p = first.name.as_str();
        let is_player =
            locals.stack.iter().any(|local| local.name == p && *local.ty.base() == Type::Sym(PLAYER));
        let is_silent = own.text == p || own.text.starts_with('_') || names(words, &own.text);
        let players = self.rules.players();
        // The name of a player may be the one that is meant to be the own one.
        let is_of_another = || payoff_of_one_player(words, players, &own.text).is_some();
        if !is_player || is_silent || players.len() < 2 || self.options.damaged || is_of_another() {
            return false;
        }
        let q = &own.text;
        let title = format!("every player gets this payoff, which is about `{p}`");
        let found = Diagnostic::new(Code::W0343, title, words.span, format!("`{q}` does not occur in it"));
        let meant = with_name(&print_expr(words), p, q);
        let mut places = Vec::new();
        places_of(words, p, &mut places);
        // What the condition of the rule says is true in the payoff.
        let known = known_test(words, first, p);
        let found = match (known, &places[..]) {
            (Some(known), [only]) => found
                .help(format!(
                    "the rule asks for `{known}`, so this `if` always goes one way: write `payoff {q}: \
                     {meant};`"
                ))
                .edit(*only, q.as_str()),
            _ => found.help(format!(
                "`payoff {q}: {meant};` gives each player his own; if all are to get `{}` alike, since they \
                 play together, write `// allow(W0343): reason`",
                print_expr(words)
            )),
        };
        self.report(found);
        true
    }
}

/// The condition of an `if` that the rule of its payoff asks for as well, as it is written there: `last = p`.
fn known_test(words: &ast::Expr, first: &FirstFit, p: &str) -> Option<String> {
    let ast::ExprKind::If(condition, ..) = &*words.bare().kind else { return None };
    let sides = |e: &ast::Expr| {
        let test = EqualityTest::of(e.bare()).filter(|test| !test.is_unequal)?;
        let mut sides = [test.left, test.right].map(|side| print_expr(side.bare()));
        sides.sort();
        sides.iter().any(|side| side == p).then_some(sides)
    };
    let asked = sides(condition)?;
    let mut rule = Vec::new();
    first.fits.condition.iter().for_each(|condition| conjuncts(condition, &mut rule));
    rule.into_iter().find(|part| sides(part).is_some_and(|of| of == asked)).map(print_expr)
}

/// Collects the places of a name in an expression.
fn places_of(e: &ast::Expr, name: &str, places: &mut Vec<Span>) {
    if e.as_name() == Some(name) {
        places.push(e.span);
    }
    visit::children(e, &mut |part| places_of(part, name, places));
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, apply_edits};

    /// The title, the help and the text after the edits.
    fn told(rule: &str) -> Option<(String, String, Option<String>)> {
        let text = format!(
            "game \"Pot\"; players A, B, C;
             state {{ left: 0..5 = 5; last: Player? = none; won[p: Player]: 0..9 = 0; }}
             move take(k: 1..2) as \"{{k}}\" {{ when k <= left; left -= k; last := me; won[me] += k; }}
             end {{ {rule} }}"
        );
        let mut all = found(&text, Code::W0343);
        assert!(all.len() <= 1, "{all:?}");
        let first = all.pop()?;
        let mended = (!first.edits.is_empty()).then(|| {
            let (mended, _) = apply_edits(&text, first.span().file, std::slice::from_ref(&first));
            assert!(found(&mended, Code::W0343).is_empty(), "{mended}");
            mended
        });
        Some((first.title, first.help.unwrap_or_default(), mended))
    }

    #[test]
    fn payoffs_read_their_own_player() {
        let title = "every player gets this payoff, which is about `p`";
        for rule in ["left = 0 and last = p", "(p = last) and left = 0"] {
            let rule = format!("for p in Player when {rule} => payoff q: if p = last then -2 else 1;");
            let (told, help, mended) = told(&rule).expect("a message");
            assert_eq!(told, title);
            assert!(help.ends_with("write `payoff q: if q = last then -2 else 1;`"), "{help}");
            assert!(mended.is_some_and(|text| text.contains("payoff q: if q = last then")));
        }
        let (of_score, help, mended) =
            told("for p in Player when left = 0 and last = p => payoff q: won[p];").expect("a message");
        assert!(
            of_score == title && help.starts_with("`payoff q: won[q];` gives each player his own"),
            "{help}"
        );
        assert_eq!(mended, None);
        let other = "for p in Player when left = 0 and won[p] > 2 => payoff q: if p = last then -2 else 1;";
        assert!(told(other).is_some_and(|(_, help, mended)| mended.is_none() && help.contains("alike")));
    }

    #[test]
    fn payoffs_with_their_player_are_sound() {
        for rule in [
            "for p in Player when left = 0 and last = p => payoff q: if q = p then -2 else 1;",
            "for p in Player when left = 0 and last = p => payoff p: if p = last then -2 else 1;",
            "for p in Player when left = 0 and last = p => payoff _q: won[p];",
            "for k in 1..2 when left = 0 and won[A] > k => payoff q: k;",
        ] {
            assert_eq!(told(rule), None, "{rule}");
        }
    }
}
