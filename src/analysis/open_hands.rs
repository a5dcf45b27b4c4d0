//! W0341 for a private deal that fills what all players see for each player, beside something that is hidden.

use super::analyzer::Analyzer;
use bouton_base::source::Span;
use bouton_rules::{FieldId, PLAYER, Type};
use bouton_syntax::ast::{Effect, EffectOp, MoveDecl};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// The report on a private event that puts one parameter for each of several players into a field that all see, and
    /// another parameter into a field that nobody or not everybody sees. Players who have hidden cells of their own
    /// may have open ones beside them.
    pub(super) fn open_hands(&self, m: &MoveDecl, effects: &[&Effect]) -> Option<Diagnostic> {
        if !m.chance {
            return None;
        }
        let mut hands: Vec<(&str, FieldId, Span)> = Vec::new();
        let mut hides = false;
        for effect in effects {
            let target = &effect.target;
            let Some(name) = effect.value.as_name() else { continue };
            let field = self.find(&target.name.text, target.name.span).and_then(|key| self.field_of(key))?;
            if effect.op != EffectOp::Set || !m.params.iter().any(|param| param.name.text == name) {
                continue;
            }
            let keys = &self.rules.fields[field].keys;
            let is_of_players = matches!(&keys[..], [key] if *key.ty.base() == Type::Sym(PLAYER));
            match self.all_see(field) {
                // What else each player holds is hidden.
                false if is_of_players => return None,
                false => hides = true,
                true if is_of_players => hands.push((name, field, target.span)),
                true => {}
            }
        }
        let (first, field, place) = *hands.first()?;
        let is_dealt = hands.iter().any(|(name, of, _)| *name != first && *of == field);
        if !hides || !is_dealt {
            return None;
        }
        let of = &self.rules.fields[field];
        let (name, key) = (&of.name, &of.keys[0].name);
        let title = format!("all players see `{name}`, and so what this private event puts into it");
        let found = Diagnostic::new(Code::W0341, title, place, "all players see this");
        let found = found.label(of.span, format!("no `visible to {key}`")).label(m.name.span, "private");
        Some(found.help(format!(
            "if each player sees his own alone, write `visible to {key}` after the initial value of `{name}`; if all may see it, \
             deal it in an event of its own, without `private`"
        )))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::Code;

    fn told(fields: &str, effects: &str) -> Vec<String> {
        let text = format!(
            "game \"Hands\"; players A, B; enum Card {{ low, mid, high }} phases {{ setup deal by chance; bet; }}
             state {{ {fields} n: 0..4 = 0; over: bool = false; }}
             private chance deals(a: Card, b: Card, s: Card) in deal {{
               when a != b and s != a and s != b; {effects} n += 1; continue bet; }}
             move keep() in bet as \"keep\" {{ over := true; }}
             move trade() in bet as \"trade\" {{ hand[A] := spare; over := true; }}
             end {{ when over and n = 1 => payoff p: if hand[p] > hand[other(p)] then 1 else -1; }}"
        );
        found(&text, Code::W0341).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn hands_are_seen_by_one() {
        let effects = "hand[A] := a; hand[B] := b; spare := s;";
        let title = "all players see `hand`, and so what this private event puts into it";
        let open = "hand[p: Player]: Card? = none; spare: Card? = none hidden;";
        assert_eq!(told(open, effects), [title]);
        assert_eq!(told(&open.replace("hidden", "visible to A"), effects), [title]);
        let closed = "hand[p: Player]: Card? = none visible to p; spare: Card? = none hidden;";
        assert_eq!(told(closed, effects), [""; 0]);
        // An open card beside the hands.
        let up = "hand[p: Player]: Card? = none visible to p; spare: Card? = none;";
        assert_eq!(told(up, effects), [""; 0]);
        // One card up, and one down.
        let stud = "hand[p: Player]: Card? = none; down[p: Player]: Card? = none visible to p; spare: Card? = none hidden;";
        assert_eq!(
            told(stud, "hand[A] := a; hand[B] := b; down[A] := s; down[B] := s; spare := s;"),
            [""; 0]
        );
        // One player has an open card.
        assert_eq!(told(open, "hand[A] := a; spare := s; hand[B] := a;"), [""; 0]);
    }
}
