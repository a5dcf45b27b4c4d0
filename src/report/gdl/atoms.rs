//! Names that KIF allows for the names of a game: in lower case, since some readers take upper and lower case for the
//! same, and no keywords.

use std::collections::{BTreeMap, BTreeSet};

use bouton_rules::{FieldId, MoveInstance, Rules, Value};

/// The words that are no names in a sheet: keywords, and the functions and constants of each sheet.
const RESERVED: &[&str] = &[
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "random",
    "not", "or", "and", "distinct", "noop", "pass", "position",
];

/// A thing that has a name in a sheet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Named {
    Field(FieldId),
    Move(u32),
    /// A value, by its written form, so that a player has one name as a role and as a value.
    Value(String),
}

/// The names of the parts of a game in a sheet.
#[derive(Clone, Default, Debug)]
pub struct Atoms {
    names: BTreeMap<Named, String>,
    used: BTreeSet<String>,
}

impl Atoms {
    /// Makes the names of players; the others are made when they are needed.
    pub(super) fn new(rules: &Rules) -> Atoms {
        let mut atoms = Atoms::default();
        atoms.used.extend(RESERVED.iter().map(|word| (*word).to_owned()));
        (0..rules.players().len() as u32).for_each(|player| {
            atoms.value(rules, &rules.player(player));
        });
        atoms
    }

    /// Returns the name of a thing whose name in the game is `text`.
    fn atom(&mut self, named: Named, text: &str) -> String {
        if let Some(known) = self.names.get(&named) {
            return known.clone();
        }
        let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '+';
        let plain: String =
            text.chars().map(|c| if is_kept(c) { c.to_ascii_lowercase() } else { '_' }).collect();
        let base = match plain.trim_matches('_') {
            "" => "value".to_owned(),
            base => base.to_owned(),
        };
        let mut name = base.clone();
        let mut number = 1;
        while !self.used.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        self.names.insert(named, name.clone());
        name
    }

    pub(super) fn value(&mut self, rules: &Rules, value: &Value) -> String {
        let text = rules.show(value);
        self.atom(Named::Value(text.clone()), &text)
    }

    pub(super) fn field(&mut self, rules: &Rules, field: FieldId) -> String {
        let name = match field {
            bouton_rules::MOVER => "control",
            bouton_rules::PHASE => "phase",
            _ => &rules.fields[field].name,
        };
        self.atom(Named::Field(field), name)
    }

    /// Returns the roles, in the order of the players.
    pub(super) fn roles(&mut self, rules: &Rules) -> Vec<String> {
        (0..rules.players().len() as u32).map(|player| self.value(rules, &rules.player(player))).collect()
    }

    /// Returns the term of a move of one player, or of an event of chance: `(mark a1)`.
    pub fn term(&mut self, rules: &Rules, play: &MoveInstance) -> String {
        match play {
            MoveInstance::Move(id, args) => {
                let name = self.atom(Named::Move(id.0), &rules.moves[*id].name);
                let args: Vec<String> = args.iter().map(|arg| self.value(rules, arg)).collect();
                apply(&name, &args)
            }
            MoveInstance::Pass | MoveInstance::Joint(_) => "pass".to_owned(),
        }
    }

    /// Returns the moves of all roles, as terms, for a move of the game: chance comes last, if there is a role for it,
    /// and the others do nothing.
    pub fn joint_move(
        &mut self,
        rules: &Rules,
        turn: &bouton_rules::ToMove,
        play: &MoveInstance,
    ) -> Vec<String> {
        let players = rules.players().len();
        let has_chance = rules.moves.iter().any(|of| of.chance);
        let mut made = vec!["noop".to_owned(); players + usize::from(has_chance)];
        match (turn, play) {
            (bouton_rules::ToMove::Player(player), play) => made[*player as usize] = self.term(rules, play),
            (_, MoveInstance::Joint(parts)) => {
                for (player, part) in parts {
                    made[*player as usize] = self.term(rules, part);
                }
            }
            (_, play) => {
                if let Some(chance) = made.get_mut(players) {
                    *chance = self.term(rules, play);
                }
            }
        }
        made
    }
}

/// Writes a function of terms, or a constant if there are none.
pub(super) fn apply(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_and_different() {
        let mut atoms = Atoms::default();
        atoms.used.extend(RESERVED.iter().map(|word| (*word).to_owned()));
        let mut of = |text: &str| atoms.atom(Named::Value(text.to_owned()), text);
        assert_eq!(of("A1"), "a1");
        assert_eq!(of("a1"), "a1_2");
        assert_eq!(of("A1"), "a1");
        assert_eq!(of("(1, -2)"), "1__-2");
        assert_eq!(of("Does"), "does_2");
        assert_eq!(of("?"), "value");
    }
}
