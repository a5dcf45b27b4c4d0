//! The contents of cells: pieces as figures of our own, or characters.
//!
//! The middle of a cell is the origin, and a square reaches from -20 to 20.

use maud::{Markup, html};

use bouton_rules::look::{PieceColour, PieceShape};
use bouton_search::game::picture::{Cell, CellShape};
use bouton_search::game::pieces::Piece;

/// The radius of a disc.
const RADIUS: &str = "12";
/// The outlines of the figures.
const PAWN: &str = "M0 -11 A4.2 4.2 0 0 1 3 -4 L4.5 -3 L2.8 -1.6 C3 4 6 6.5 7.5 11 L-7.5 11 C-6 6.5 -3 4 -2.8 -1.6 L-4.5 -3 \
                    L-3 -4 A4.2 4.2 0 0 1 0 -11 Z";
const ROOK: &str = "M-8.5 11 L-8.5 7.5 L-5.8 6 L-5.2 -4.5 L-7.5 -6.5 L-7.5 -11.5 L-4.2 -11.5 L-4.2 -9 L-1.7 -9 L-1.7 -11.5 \
                    L1.7 -11.5 L1.7 -9 L4.2 -9 L4.2 -11.5 L7.5 -11.5 L7.5 -6.5 L5.2 -4.5 L5.8 6 L8.5 7.5 L8.5 11 Z";
const BISHOP: &str = "M0 -14 A1.8 1.8 0 0 1 1.3 -10.9 C6 -7 6.5 -2 3.6 1.5 C4 4.5 6.5 7.5 8.5 11 L-8.5 11 C-6.5 7.5 -4 4.5 \
                      -3.6 1.5 C-6.5 -2 -6 -7 -1.3 -10.9 A1.8 1.8 0 0 1 0 -14 Z";
const KNIGHT: &str = "M-7.5 11 C-7.5 4.5 -1.5 2 -2 -3 C-4 -1.5 -5.5 0.5 -8.5 0.8 C-10 -0.8 -9.5 -3 -8.5 -4.3 C-7 -6.3 -6 -9 \
                      -3.3 -10.5 L-3 -13.5 L0.3 -11.2 C6.5 -9.3 9 -3 9 11 Z";
const QUEEN: &str =
    "M-8.5 11 L-7.3 6.5 L-11 -6.5 L-5.4 0 L-4.8 -10.5 L0 -0.8 L4.8 -10.5 L5.4 0 L11 -6.5 L7.3 6.5 L8.5 11 Z";
const KING: &str = "M-8.5 11 L-7.3 6.8 C-7.3 4.3 -10 2.5 -10 -1 C-10 -5.3 -5.2 -6.6 -2.4 -3.6 C-3.2 -5.6 -2.8 -7.2 -1 -8 \
                    L-1 -10 L-3.2 -10 L-3.2 -12 L-1 -12 L-1 -14 L1 -14 L1 -12 L3.2 -12 L3.2 -10 L1 -10 L1 -8 C2.8 -7.2 3.2 \
                    -5.6 2.4 -3.6 C5.2 -6.6 10 -5.3 10 -1 C10 2.5 7.3 4.3 7.3 6.8 L8.5 11 Z";
/// The crown of a man of draughts.
const CROWN: &str = "M-6 -3.5 L-6.8 -9.5 L-3 -6.8 L0 -10.5 L3 -6.8 L6.8 -9.5 L6 -3.5 Z";

/// The content of a cell of this shape around the origin: its piece, or its characters.
pub fn content(cell: &Cell, shape: CellShape) -> Markup {
    match &cell.piece {
        None if cell.symbol.is_empty() => html! {},
        None => html! { text class="sign" y="5" { (cell.symbol) } },
        Some(piece) => drawn(piece, &cell.symbol, placement(shape)),
    }
}

/// The transformation of a piece, which leaves room for the name of its cell.
fn placement(shape: CellShape) -> &'static str {
    match shape {
        CellShape::Squares | CellShape::Sides => "translate(1 -3)",
        CellShape::Hexagons => "translate(0 -4) scale(0.85)",
        CellShape::Points => "scale(0.85)",
    }
}

/// A piece with its characters, which tell the same as its colour and form.
fn drawn(piece: &Piece, sign: &str, placement: &str) -> Markup {
    let class = format!("piece tint-{}", piece.colour.map_or("none", PieceColour::word));
    html! {
        g class=(class) data-name=(piece.name) transform=(placement) {
            (outline(piece.shape))
            @if piece.shape.is_figure() {
                text class="corner" x="16.5" y="19.5" { (sign) }
            } @else if piece.shape == PieceShape::Crowned {
                text class="sign" y="9" { (sign) }
            } @else if piece.shape == PieceShape::Ring {
                text class="sign plain" y="5" { (sign) }
            } @else {
                text class="sign" y="5" { (sign) }
            }
        }
    }
}

fn outline(shape: PieceShape) -> Markup {
    let figure = |path: &str| html! { path d=(path) {} };
    match shape {
        PieceShape::Label => html! {},
        PieceShape::Disc => html! { circle r=(RADIUS) {} },
        PieceShape::Ring => html! { circle r=(RADIUS) {} circle class="tint-none" r="8.8" {} },
        PieceShape::Square => html! { rect x="-11" y="-11" width="22" height="22" rx="2" {} },
        PieceShape::Card => html! { rect x="-9.5" y="-13" width="19" height="25" rx="3" {} },
        PieceShape::Man => html! { circle r=(RADIUS) {} circle class="hollow" r="9.6" {} },
        PieceShape::Crowned => html! {
            circle r=(RADIUS) {}
            path class="tint-yellow" d=(CROWN) {}
        },
        PieceShape::King => figure(KING),
        PieceShape::Queen => figure(QUEEN),
        PieceShape::Rook => figure(ROOK),
        PieceShape::Bishop => figure(BISHOP),
        PieceShape::Knight => figure(KNIGHT),
        PieceShape::Pawn => figure(PAWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(symbol: &str, piece: Option<(PieceShape, Option<PieceColour>)>) -> Cell {
        let piece = piece.map(|(shape, colour)| Piece { shape, colour, name: "a <man>".into() });
        Cell { name: "a1".into(), symbol: symbol.into(), piece, x: 0, y: 0 }
    }

    #[test]
    fn the_characters_are_told_with_every_shape() {
        for (word, shape) in PieceShape::ALL {
            let drawn =
                content(&cell("k&", Some((shape, Some(PieceColour::Red)))), CellShape::Squares).into_string();
            let tree = roxmltree::Document::parse(&drawn).unwrap_or_else(|why| panic!("{word}: {why}"));
            let group = tree.root_element();
            assert_eq!(group.attribute("class"), Some("piece tint-red"), "{word}");
            assert_eq!(group.attribute("data-name"), Some("a <man>"), "{word}");
            let signs = group.children().filter(|of| of.has_tag_name("text"));
            assert_eq!(signs.map(|of| of.text()).collect::<Vec<_>>(), [Some("k&")], "{word}");
        }
        assert_eq!(content(&cell("", None), CellShape::Points).into_string(), "");
        let letter = content(&cell("x", None), CellShape::Hexagons).into_string();
        assert_eq!(letter, "<text class=\"sign\" y=\"5\">x</text>");
    }
}
