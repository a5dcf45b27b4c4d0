//! The look of pieces in pictures: shapes and colours, by the words of `display`.

/// The shape of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PieceShape {
    /// The characters alone.
    Label,
    /// A disc with the characters on it.
    Disc,
    /// A ring around the characters.
    Ring,
    /// A square token.
    Square,
    /// A card.
    Card,
    /// A man of draughts: a disc with a groove.
    Man,
    /// A man of draughts with a crown.
    Crowned,
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

/// The colour of a piece. Any two of them differ in lightness or are told apart with any colour vision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PieceColour {
    Black,
    White,
    Red,
    Blue,
    Yellow,
    Green,
    Purple,
    Orange,
    Grey,
}

impl PieceShape {
    /// The shapes with their words.
    pub const ALL: [(&'static str, PieceShape); 13] = [
        ("label", PieceShape::Label),
        ("disc", PieceShape::Disc),
        ("ring", PieceShape::Ring),
        ("square", PieceShape::Square),
        ("card", PieceShape::Card),
        ("man", PieceShape::Man),
        ("crowned", PieceShape::Crowned),
        ("king", PieceShape::King),
        ("queen", PieceShape::Queen),
        ("rook", PieceShape::Rook),
        ("bishop", PieceShape::Bishop),
        ("knight", PieceShape::Knight),
        ("pawn", PieceShape::Pawn),
    ];

    /// Returns true if the shape itself tells the kind of the piece.
    pub fn is_figure(self) -> bool {
        use PieceShape::{Bishop, King, Knight, Pawn, Queen, Rook};
        matches!(self, King | Queen | Rook | Bishop | Knight | Pawn)
    }

    /// The shape with this word.
    pub fn parse(word: &str) -> Option<PieceShape> {
        PieceShape::ALL.iter().find(|(name, _)| *name == word).map(|(_, shape)| *shape)
    }

    /// The word of the shape.
    pub fn word(self) -> &'static str {
        PieceShape::ALL.iter().find(|(_, shape)| *shape == self).map_or("", |(name, _)| name)
    }
}

impl PieceColour {
    /// The colours with their words.
    pub const ALL: [(&'static str, PieceColour); 9] = [
        ("black", PieceColour::Black),
        ("white", PieceColour::White),
        ("red", PieceColour::Red),
        ("blue", PieceColour::Blue),
        ("yellow", PieceColour::Yellow),
        ("green", PieceColour::Green),
        ("purple", PieceColour::Purple),
        ("orange", PieceColour::Orange),
        ("grey", PieceColour::Grey),
    ];

    /// The colour with this word.
    pub fn parse(word: &str) -> Option<PieceColour> {
        PieceColour::ALL.iter().find(|(name, _)| *name == word).map(|(_, colour)| *colour)
    }

    /// The word of the colour.
    pub fn word(self) -> &'static str {
        PieceColour::ALL.iter().find(|(_, colour)| *colour == self).map_or("", |(name, _)| name)
    }
}

/// The look of a piece, as far as the rules choose it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Look {
    pub shape: Option<PieceShape>,
    pub colour: Option<PieceColour>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for (word, shape) in PieceShape::ALL {
            assert_eq!((PieceShape::parse(word), shape.word()), (Some(shape), word));
            assert_eq!(PieceColour::parse(word), None);
        }
        for (word, colour) in PieceColour::ALL {
            assert_eq!((PieceColour::parse(word), colour.word()), (Some(colour), word));
        }
    }
}
