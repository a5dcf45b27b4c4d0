//! Pieces: the looks of the values on boards. The rules choose them by `display`; others have the look of their names.

use bouton_rules::look::{Look, PieceColour, PieceShape};
use bouton_rules::{EnumKind, PLAYER, Rules, Value};

/// A piece in a picture.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    pub shape: PieceShape,
    /// The colour; `None` for a piece that nobody owns.
    pub colour: Option<PieceColour>,
    /// The value in words.
    pub name: String,
}

/// The colours that players without a colour's name have, in the order of the players.
const PALETTE: [PieceColour; 9] = [
    PieceColour::Black,
    PieceColour::White,
    PieceColour::Red,
    PieceColour::Blue,
    PieceColour::Yellow,
    PieceColour::Green,
    PieceColour::Purple,
    PieceColour::Orange,
    PieceColour::Grey,
];

/// Other words for colours in the names of players and pieces.
const COLOUR_WORDS: [(&str, PieceColour); 6] = [
    ("dark", PieceColour::Black),
    ("light", PieceColour::White),
    ("gold", PieceColour::Yellow),
    ("silver", PieceColour::Grey),
    ("gray", PieceColour::Grey),
    ("violet", PieceColour::Purple),
];

/// The looks of the values of a game.
pub(super) struct Pieces<'r> {
    rules: &'r Rules,
    /// The colours of the players; all different, as far as there are colours.
    colours: Vec<PieceColour>,
}

impl<'r> Pieces<'r> {
    pub fn of(rules: &'r Rules) -> Pieces<'r> {
        let players = rules.players();
        let named: Vec<Option<PieceColour>> = players.iter().map(|name| colour_of(name)).collect();
        let clash = named.iter().enumerate().any(|(at, of)| of.is_some() && named[..at].contains(of));
        let mut colours: Vec<PieceColour> = Vec::new();
        for (player, own) in named.iter().enumerate() {
            let is_free = |colour: &&PieceColour| {
                !colours.contains(colour) && (clash || !named.contains(&Some(**colour)))
            };
            let free = PALETTE.iter().find(is_free).copied().unwrap_or(PALETTE[player % PALETTE.len()]);
            colours.push(own.filter(|_| !clash).unwrap_or(free));
        }
        Pieces { rules, colours }
    }

    /// The piece of a value that is drawn by these characters; `None` if these alone are drawn.
    pub fn piece(&self, value: &Value, sign: &str, chosen: Look) -> Option<Piece> {
        let own = self.default_look(value, sign);
        let shape = chosen.shape.or(own.map(|(shape, _)| shape));
        let colour = chosen.colour.or(own.and_then(|(_, colour)| colour));
        // A colour alone is that of a disc.
        let shape = shape.or(chosen.colour.map(|_| PieceShape::Disc))?;
        (shape != PieceShape::Label).then(|| Piece { shape, colour, name: self.rules.show(value) })
    }

    /// The look by the names in a value: those of its owner, of a kind of piece, of a colour.
    fn default_look(&self, value: &Value, sign: &str) -> Option<(PieceShape, Option<PieceColour>)> {
        let (owner, kind) = match value {
            Value::Sym(id, player) if *id == PLAYER => (Some(*player), None),
            Value::Sym(..) => (None, Some(value)),
            Value::Tuple(tuple) => {
                let is_owner = |part: &&Value| matches!(part, Value::Sym(id, _) if *id == PLAYER);
                let mut owners = tuple.parts.iter().filter(is_owner).filter_map(Value::as_sym);
                let owner = owners.next().filter(|_| owners.next().is_none())?;
                let mut kinds = tuple.parts.iter().filter(|part| !is_owner(part));
                (Some(owner), kinds.next().filter(|_| kinds.next().is_none()))
            }
            _ => return None,
        };
        let owned = owner.and_then(|player| self.colours.get(player as usize).copied());
        let figure = kind.and_then(|kind| self.figure(kind));
        match (figure, owner) {
            (Some((shape, colour)), _) => Some((shape, owned.or(colour))),
            // A player whose name is a character is drawn as that.
            (None, Some(player)) => {
                let name = self.rules.players().get(player as usize)?;
                let is_sign = kind.is_none() && name.chars().count() == 1 && name == sign;
                (!is_sign).then_some((PieceShape::Disc, owned))
            }
            (None, None) => None,
        }
    }

    /// The figure that the name of a member means, with the colour or the player in it, as of `white_queen`.
    fn figure(&self, kind: &Value) -> Option<(PieceShape, Option<PieceColour>)> {
        let Value::Sym(id, index) = kind else { return None };
        let of = self.rules.enums.get(*id).filter(|of| matches!(of.kind, EnumKind::User))?;
        let last = |name: &str| name.rsplit('_').next().unwrap_or(name).to_lowercase();
        let name = of.members.get(*index as usize)?;
        // Kings of draughts stand among men.
        let has_men = of.members.iter().any(|other| last(other) == "man");
        let shape = match last(name).as_str() {
            "man" => PieceShape::Man,
            "king" | "queen" | "crowned" if has_men => PieceShape::Crowned,
            word => PieceShape::parse(word).filter(|shape| shape.is_figure())?,
        };
        let owner = name.rsplit_once('_').map(|(owner, _)| owner);
        let player = owner.and_then(|owner| {
            self.rules.players().iter().position(|player| player.eq_ignore_ascii_case(owner))
        });
        let colour = player.map(|player| self.colours[player]).or_else(|| colour_of(owner?));
        Some((shape, colour))
    }
}

/// The colour that a name means.
fn colour_of(name: &str) -> Option<PieceColour> {
    let word = name.to_lowercase();
    let other = COLOUR_WORDS.iter().find(|(other, _)| *other == word).map(|(_, colour)| *colour);
    PieceColour::parse(&word).or(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::toy::ToyGame;
    use bouton_rules::Enum;

    fn rules(players: &[&str], kinds: &[&str]) -> Rules {
        let mut rules = ToyGame::new(2).rules;
        rules.enums[PLAYER].members = players.iter().map(|name| name.to_string()).collect();
        let members = kinds.iter().map(|name| name.to_string()).collect();
        rules.enums.push(Enum { name: "Kind".into(), kind: EnumKind::User, members });
        rules
    }

    fn colours(players: &[&str]) -> Vec<&'static str> {
        let rules = rules(players, &[]);
        Pieces::of(&rules).colours.iter().map(|colour| colour.word()).collect()
    }

    #[test]
    fn players_have_different_colours() {
        assert_eq!(colours(&["White", "Black"]), ["white", "black"]);
        assert_eq!(colours(&["Red", "Blue"]), ["red", "blue"]);
        assert_eq!(colours(&["Ann", "Black"]), ["white", "black"]);
        assert_eq!(colours(&["First", "Second"]), ["black", "white"]);
        assert_eq!(colours(&["Dark", "Black", "Red"]), ["black", "white", "red"], "two mean one colour");
        let many: Vec<String> = (0..12).map(|player| format!("P{player}")).collect();
        assert_eq!(colours(&many.iter().map(String::as_str).collect::<Vec<_>>()).len(), 12);
    }

    #[test]
    fn names_of_kinds_are_figures() {
        let look = |kinds: &[&str], at: u32| {
            let rules = rules(&["White", "Black"], kinds);
            let id = rules.enums.entries().map(|(id, _)| id).next_back().expect("the kinds");
            let piece = Pieces::of(&rules).piece(&Value::Sym(id, at), "k", Look::default());
            piece.map(|piece| (piece.shape.word(), piece.colour.map(PieceColour::word)))
        };
        assert_eq!(look(&["king", "rook"], 0), Some(("king", None)));
        assert_eq!(look(&["king", "man"], 0), Some(("crowned", None)));
        assert_eq!(look(&["black_queen", "arrow"], 0), Some(("queen", Some("black"))));
        assert_eq!(look(&["black_queen", "arrow"], 1), None);
        assert_eq!(look(&["label", "disc"], 1), None, "words of `display` are no names of kinds");
    }

    #[test]
    fn the_rules_choose_before_the_names() {
        let rules = rules(&["X", "O"], &[]);
        let pieces = Pieces::of(&rules);
        let x = Value::Sym(PLAYER, 0);
        let with = |shape, colour| pieces.piece(&x, "X", Look { shape, colour });
        assert_eq!(with(None, None), None, "a letter");
        assert_eq!(pieces.piece(&x, "x", Look::default()).map(|of| of.shape), Some(PieceShape::Disc));
        let red = with(None, Some(PieceColour::Red)).expect("a piece");
        assert_eq!((red.shape, red.colour), (PieceShape::Disc, Some(PieceColour::Red)));
        assert_eq!(with(Some(PieceShape::Card), None).map(|of| of.shape), Some(PieceShape::Card));
        assert_eq!(with(Some(PieceShape::Label), Some(PieceColour::Red)), None);
        assert_eq!(pieces.piece(&Value::Int(3), "3", Look::default()), None);
    }
}
