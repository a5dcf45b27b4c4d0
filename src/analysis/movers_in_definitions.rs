//! E0107 for definitions that speak of `me` or `opponent`, where they are used outside of moves.

use std::collections::HashSet;

use super::analyzer::Analyzer;
use super::locals::{ExprPlace, Locals};
use super::symbols::SymbolKind;
use super::throws::collect_names;
use bouton_base::source::Span;
use bouton_rules::{PHASE, PLAYER, Type};
use bouton_syntax::ast::{Expr, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// `me` or `opponent` in the body of a definition.
struct MoverWord<'a> {
    word: &'a str,
    span: Span,
    /// The definition whose body has it.
    definition: &'a str,
}

impl<'a> Analyzer<'a> {
    /// Notes that a definition that speaks of the player who moves is used here. Reports the word in the definition and
    /// returns false if no player moves here.
    pub(super) fn moves_in_definition(&mut self, name: &'a str, span: Span, locals: &mut Locals) -> bool {
        if matches!(locals.place, ExprPlace::Move | ExprPlace::Def) {
            locals.uses_me = true;
            return true;
        }
        let found = self.mover_word(name, &mut HashSet::new()).filter(|found| found.span.file == span.file);
        let Some(MoverWord { word, span: at, definition }) = found else {
            return self.me("me", span, locals).ty != Type::Error;
        };
        if self.diagnostics.iter().any(|known| known.code == Code::E0107 && known.span() == at) {
            return false;
        }
        let title = match locals.place {
            ExprPlace::Chance => format!("`{definition}` speaks of `{word}`, and chance is no player"),
            _ => format!("`{definition}` speaks of `{word}`, which has a meaning in moves alone"),
        };
        let own = if word == "me" { "the player who makes a move" } else { "the other player of a move" };
        let found = Diagnostic::new(Code::E0107, title, at, own);
        let label =
            if locals.place == ExprPlace::Chance { "chance makes this move" } else { "nobody moves here" };
        let found = found.label(span, label);
        let players = self.rules.players().len();
        let subject = if word == "me" { "`p`" } else { "`other(p)`" };
        let mut help = format!(
            "give `{definition}` a parameter `p: Player`, write {subject} in place of `{word}`, and name the player where it \
             is used, as in `{definition}(mover)`"
        );
        if players > 2 && word == "opponent" {
            help = format!("give `{definition}` a parameter `p: Player` in place of `{word}`");
        }
        if let Some(field) = self.field_of_one_player() {
            let player =
                if word == "me" || players > 2 { format!("`{field}`") } else { format!("`other({field})`") };
            help += &format!("; if the player whom `{field}` names is meant, write {player}");
        }
        self.report(found.help(help));
        false
    }

    /// The first `me` or `opponent` in a definition, or in those that it uses.
    fn mover_word(&self, name: &'a str, visited: &mut HashSet<&'a str>) -> Option<MoverWord<'a>> {
        let body: &'a Expr = match &self.symbols.get(name)?.kind {
            SymbolKind::Def { item, .. } | SymbolKind::Inductive { item, .. } => match &item.kind {
                ItemKind::Def { body, .. } | ItemKind::Inductive { body, .. } => body,
                _ => return None,
            },
            _ => return None,
        };
        if !visited.insert(name) {
            return None;
        }
        let mut names = Vec::new();
        collect_names(body, &mut names);
        let own = names.iter().find(|(word, _)| matches!(*word, "me" | "opponent"));
        if let Some(&(word, span)) = own {
            return Some(MoverWord { word, span, definition: name });
        }
        names.into_iter().find_map(|(used, at)| self.mover_word(self.find(used, at)?, visited))
    }

    /// The only field without keys that holds a player, apart from the built-in ones.
    fn field_of_one_player(&self) -> Option<&str> {
        let mut fields = self.rules.fields.entries().filter(|(id, field)| {
            id > &PHASE && field.keys.is_empty() && *field.ty.present().base() == Type::Sym(PLAYER)
        });
        let (_, field) = fields.next()?;
        fields.next().is_none().then_some(field.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, Diagnostic};

    fn of(items: &str, field: &str) -> Vec<Diagnostic> {
        let text = format!(
            "game \"Movers\"; players A, B; state {{ n: 0..3 = 0; at[p: Player]: 0..3 = 0; {field} }}
             move go(k: 0..3) as \"{{k}}\" {{ n := k; at[me] := k; }} {items}"
        );
        found(&text, Code::E0107)
    }

    #[test]
    fn the_word_in_the_definition_is_the_mistake() {
        let marked = "def won = at[opponent] = 3; end { when won => draw; when n = 2 and won => A wins; }";
        let found = of(marked, "");
        let [only] = &found[..] else { panic!("{found:?}") };
        assert_eq!(only.title, "`won` speaks of `opponent`, which has a meaning in moves alone");
        assert!(only.help.as_ref().is_some_and(|help| help.ends_with("as in `won(mover)`")), "{only:?}");
        assert_eq!((only.span().end - only.span().start, only.labels.len()), (8, 2));
    }

    #[test]
    fn definitions_use_others() {
        let items =
            "def mine = at[me]; def won = mine = 3; end { when n = 3 => payoff p: if won then 1 else -1; }";
        let found = of(items, "folded: Player? = none;");
        let [only] = &found[..] else { panic!("{found:?}") };
        assert_eq!(only.title, "`mine` speaks of `me`, which has a meaning in moves alone");
        assert!(only.help.as_ref().is_some_and(|help| help.contains("`folded` names is meant")), "{only:?}");
    }
}
