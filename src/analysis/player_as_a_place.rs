//! Advice on `me := me + d` of a writer who thinks of the player as the man that walks.

use super::analyzer::Analyzer;
use super::locals::Locals;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast::{Effect, EffectOp};
use bouton_syntax::diag::{Code, Diagnostic};

impl Analyzer<'_> {
    /// Reports an effect on `me` or `opponent`, which are players and no fields; returns true if it is that.
    pub(super) fn player_as_a_place(&mut self, effect: &Effect, locals: &mut Locals) -> bool {
        let name = effect.target.name.text.as_str();
        let is_player = matches!(name, "me" | "opponent") && effect.target.path.is_empty();
        if !is_player || locals.has(name) || self.find(name, effect.target.name.span).is_some() {
            return false;
        }
        // The value is read as that of a field, so it has no errors of its own.
        self.quiet_type(&effect.value, locals);
        let what = if name == "me" { "the player whose move it is" } else { "the other player" };
        let title = format!("`{name}` is {what}: an effect cannot change it");
        let found = Diagnostic::new(Code::E0101, title, effect.target.name.span, "no field");
        let [mut places, mut numbers] = [Vec::new(), Vec::new()];
        for field in self.rules.fields.iter() {
            let term = match &field.keys[..] {
                [] => field.name.clone(),
                [key] if *key.ty.base() == Type::Sym(PLAYER) => format!("{}[{name}]", field.name),
                _ => continue,
            };
            match field.ty.base() {
                Type::Int(..) => numbers.push(term),
                ty if self.board_of(ty).is_some() => places.push(term),
                _ => {}
            }
        }
        // On a board the place is a cell.
        if places.is_empty() {
            places = numbers;
        }
        let sign = match effect.op {
            EffectOp::Add => "+=",
            EffectOp::Subtract => "-=",
            _ => ":=",
        };
        self.report(match &places[..] {
            [] => found.help(
                "what changes in play is a field of the state: `state { place[p: Player]: 0..9 = 0; }`",
            ),
            [place] => found.help(format!("the place of the player is a field: write `{place} {sign} ...`")),
            [place, other, ..] => found.help(format!(
                "the place of the player is a field: `{place} {sign} ...` or `{other} {sign} ...`"
            )),
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, found};
    use bouton_syntax::diag::Code;

    fn text(field: &str, effect: &str) -> String {
        format!(
            "game \"Walk\"; players A, B; board Cell = grid(3, 3);
             state {{ {field}; n: 0..9 = 0; }} move go(d: Orthogonal) as \"{{d}}\" {{ when n < 9; {effect}; n += 1; }}
             end {{ when n = 9 => draw; when stuck => draw; }}"
        )
    }

    #[test]
    fn players_are_no_places() {
        for effect in ["me := me + d", "opponent := opponent + d"] {
            let told = found(&text("at[p: Player]: Cell = a1", effect), Code::E0101);
            let name = effect.split(' ').next().unwrap_or_default();
            let [told] = &told[..] else { panic!("{told:?}") };
            assert!(told.title.starts_with(&format!("`{name}` is the ")), "{}", told.title);
            let help = format!("the place of the player is a field: write `at[{name}] := ...`");
            assert_eq!(told.help.as_deref(), Some(help.as_str()));
        }
        let told = found(&text("tug: Cell = a1", "me := tug + d"), Code::E0101);
        assert!(told[0].help.as_deref().is_some_and(|help| help.ends_with("`tug := ...`")));
        assert!(!codes(&text("me: Cell = a1", "me := me + d")).contains(&Code::E0101));
    }
}
