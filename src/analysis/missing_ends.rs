//! Games without a rule that ends a play, and end rules that are false before play begins.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::lints::expr_names;
use super::symbols::SymbolKind;
use bouton_rules::{MOVER, PHASE};
use bouton_syntax::ast::{self, BoardForm, ItemKind, TypeKind};
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// The diagnostic of a game without a rule that ends a play.
    pub(super) fn no_end(&self) -> Diagnostic {
        let forbid = self.rules.forbids.iter().find(|forbid| forbid.of.is_none() && forbid.within.is_none());
        match (self.rules.repeats.first(), forbid) {
            (None, _) => {
                let span = self.game_span();
                Diagnostic::new(Code::E0320, "the game has no `end`: play can never stop", span, "")
                    .help("write `play normal;` if who cannot move loses, or `end { when ... => ...; }`")
            }
            (Some(repeat), None) => {
                let title = "the only rule of `end` is for play without an end: no rule stops play";
                Diagnostic::new(Code::E0320, title, repeat.span, "the value of a play that goes on for ever").help(
                    "add the rule that ends a play, `when ... => ...;`, or `play normal;` if who cannot move loses",
                )
            }
            (Some(repeat), Some(forbid)) => {
                let title =
                    "the only rule of `end` is for repeated positions, and `forbid repeat` leaves none";
                Diagnostic::new(Code::E0320, title, repeat.span, "never reached")
                    .label(forbid.span, "no move may repeat a position")
                    .help(
                        "who could only repeat a position cannot move: write `when stuck => mover loses;`, or another outcome, \
                         in place of `repeat`",
                    )
            }
        }
    }

    /// The diagnostic of a game whose end rules have only conditions that are false before play begins.
    pub(super) fn only_false_ends(&mut self, never: &[&'a ast::Expr]) -> Diagnostic {
        let title = match never {
            [_] => "the rule of `end` can never hold: play can never stop",
            _ => "no rule of `end` can ever hold: play can never stop",
        };
        let first = self.false_end(Code::E0320, title, never[0]);
        let label = "this can never hold either";
        never[1..].iter().fold(first, |found, condition| found.label(condition.span, label))
    }

    /// W0532: end rules that are false before play begins, beside others. A parameter may switch off a rule.
    pub(super) fn false_ends(&mut self, never: &[&'a ast::Expr]) {
        for condition in never {
            if !self.depends_on_a_parameter(condition) {
                let found = self.false_end(Code::W0532, "this end rule can never hold", condition);
                self.report(found);
            }
        }
    }

    fn false_end(&mut self, code: Code, title: &str, condition: &'a ast::Expr) -> Diagnostic {
        let found = Diagnostic::new(code, title, condition.span, "this can never hold");
        let found = match self.reason_of_falsity(condition) {
            Some((part, reason)) => found.label(part, reason),
            None => found,
        };
        let mut names = HashSet::new();
        expr_names(condition, &mut names);
        let reads_state = ["mover", "phase", "stuck"].iter().any(|word| names.contains(word))
            || self.reaches(condition, &|kind| matches!(kind, SymbolKind::Field { .. }));
        let fields: Vec<String> = self
            .rules
            .fields
            .entries()
            .filter(|(id, _)| ![MOVER, PHASE].contains(id))
            .map(|(_, field)| format!("`{}`", field.name))
            .collect();
        let with = match self.depends_on_a_parameter(condition) {
            true => ", only other parameters might",
            false => "",
        };
        found.help(match (&fields[..], reads_state) {
            (_, true) => format!("it is false before play begins, so no move makes it true{with}"),
            ([], _) => format!("it reads no field, so no move makes it true{with}"),
            ([only], _) => format!(
                "it reads no field, so no move makes it true{with}: the field that moves change is {only}"
            ),
            (fields, _) => format!(
                "it reads no field, so no move makes it true{with}: the fields that moves change are {}",
                fields.join(", ")
            ),
        })
    }

    /// Returns true if a term names a parameter, also through constants, definitions, types and boards.
    pub(super) fn depends_on_a_parameter(&self, words: &ast::Expr) -> bool {
        self.reaches(words, &|kind| matches!(kind, SymbolKind::Param { .. }))
    }

    /// Returns true if a term names a symbol of a kind, also through constants, definitions, types and boards.
    fn reaches(&self, words: &ast::Expr, is_it: &dyn Fn(&SymbolKind<'a>) -> bool) -> bool {
        let mut names = HashSet::new();
        expr_names(words, &mut names);
        let mut open: Vec<&str> = names.iter().copied().collect();
        while let Some(name) = open.pop() {
            // No reference is noted: the name stands somewhere inside.
            let Some(symbol) = self.symbol_of(name, words.span) else { continue };
            if is_it(&symbol.kind) {
                return true;
            }
            let (SymbolKind::Const { item, .. }
            | SymbolKind::Def { item, .. }
            | SymbolKind::Inductive { item, .. }
            | SymbolKind::Alias { item, .. }
            | SymbolKind::Board { item, .. }) = symbol.kind
            else {
                continue;
            };
            let mut inner = HashSet::new();
            item_names(&item.kind, &mut inner);
            open.extend(inner.into_iter().filter(|name| names.insert(name)));
        }
        false
    }
}

/// Collects the names in the declaration of a constant, a definition, a type or a board.
fn item_names<'e>(item: &'e ItemKind, names: &mut HashSet<&'e str>) {
    match item {
        ItemKind::Const { keys, ty, value, .. } => {
            expr_names(value, names);
            keys.iter().map(|key| &key.ty).chain(ty).for_each(|ty| type_names(ty, names));
        }
        ItemKind::Def { body, .. } | ItemKind::Inductive { body, .. } => expr_names(body, names),
        ItemKind::TypeAlias { ty, .. } => type_names(ty, names),
        ItemKind::Board { form, condition, .. } => {
            if let BoardForm::Expr(form) = form {
                expr_names(form, names);
            }
            condition.iter().for_each(|condition| expr_names(condition, names));
        }
        _ => {}
    }
}

/// Collects the names of a type.
fn type_names<'e>(ty: &'e ast::Type, names: &mut HashSet<&'e str>) {
    match &ty.kind {
        TypeKind::Bool => {}
        TypeKind::Set(inner) | TypeKind::List(inner) | TypeKind::Option(inner) => type_names(inner, names),
        TypeKind::Tuple(parts) => parts.iter().for_each(|part| type_names(part, names)),
        TypeKind::Expr(words) => expr_names(words, names),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn ends(rules: &str, code: Code) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Goal\"; param misere: bool = false; players A, B; board Cell = grid(2, 2);
             const goal[c: Cell]: bool = c = b2; def reached(c: Cell) = goal[c];
             state {{ at: Cell = a1; }}
             move go(c: Cell) as \"{{c}}\" {{ when c in at.neighbors and reached(b2); at := c; }} {rules}"
        );
        found(&text, code)
    }

    #[test]
    fn rules_that_never_hold_are_no_missing_rules() {
        let told = ends("end { when all c in Cell: goal[c] => mover loses; }", Code::E0320);
        let [told] = &told[..] else { panic!("{told:?}") };
        assert_eq!(told.title, "the rule of `end` can never hold: play can never stop");
        assert_eq!(told.labels[1].text, "false for `c = a1`");
        assert!(told.help.as_deref().is_some_and(|help| help.ends_with("is `at`")), "{told:?}");
        let two = ends("end { when 3 = 4 => draw; when misere and at = b2 => A wins; }", Code::E0320);
        assert_eq!(two[0].labels.len(), 2);
        let both = ends("end { when at = b2 and 3 = 4 => draw; }", Code::E0320);
        assert_eq!(both[0].labels[1].text, "this part is false");
        let repeat = ends("end { when no c in Cell: goal[c] => draw; repeat => draw; }", Code::E0320);
        assert_eq!(repeat[0].labels[1].text, "true for `c = b2`");
    }

    #[test]
    fn rules_that_never_hold_are_told_beside_others() {
        let count = |rule: &str| ends(&format!("end {{ {rule} when at = b2 => draw; }}"), Code::W0532).len();
        assert_eq!(count("when all c in Cell: reached(c) => A wins;"), 1);
        assert_eq!(count("when some c in Cell where c.row = 1: goal[c] => A wins;"), 1);
        assert_eq!(count("when misere and at = a2 => A wins;"), 0);
        assert_eq!(count("when at = a2 => A wins;"), 0);
    }
}
