//! Display hints: the symbols of the values of a field or a definition, cell by cell of a board.

use super::analyzer::Analyzer;
use super::locals::Locals;
use super::symbols::{SymbolKind, UseKind};
use bouton_base::source::Span;
use bouton_rules::look::{Look, PieceColour, PieceShape};
use bouton_rules::{Display, DisplaySource, PLAYER, Type, Value};
use bouton_syntax::ast::{self, Name};
use bouton_syntax::diag::{Code, Diagnostic, nearest};

/// The only form of a hint.
const HINT_FORM: &str = "write `cell FIELD { value => \"symbol\", ... };`";
/// The form of the look of a piece.
const LOOK_FORM: &str = "write a colour, a shape, or both, as in `as black disc`";

/// A value with its symbol and its look, and the place of its arm.
struct DrawnValue {
    value: Value,
    sign: String,
    look: Look,
    span: Span,
}

/// Returns true if two values differ, and only in the players in them.
fn are_of_two_players(a: &Value, b: &Value) -> bool {
    let is_player = |value: &Value| matches!(value, Value::Sym(PLAYER, _));
    match (a, b) {
        (Value::Tuple(a), Value::Tuple(b)) if a.parts.len() == b.parts.len() => {
            let differs = |(a, b): &(&Value, &Value)| a != b;
            let mut differing = a.parts.iter().zip(b.parts.iter()).filter(differs).peekable();
            differing.peek().is_some() && differing.all(|(a, b)| is_player(a) && is_player(b))
        }
        _ => a != b && is_player(a) && is_player(b),
    }
}

impl<'a> Analyzer<'a> {
    /// `cell at { X => "X", none => "." };`
    pub fn display(&mut self, hint: &'a ast::DisplayHint) {
        if hint.kind.text != "cell" {
            let title =
                format!("`{}` is nothing that is drawn: a display has hints for cells", hint.kind.text);
            self.report(Diagnostic::new(Code::E0013, title, hint.kind.span, "").help(HINT_FORM));
            return;
        }
        if hint.arms.is_empty() {
            let title = "this display hint gives no symbols";
            self.report(Diagnostic::new(Code::E0013, title, hint.span, "").help(HINT_FORM));
            return;
        }
        let Some((source, ty)) = self.displayed_source(hint) else { return };
        let mut signs: Vec<(Value, String)> = Vec::new();
        let mut looks: Vec<(Value, Look)> = Vec::new();
        let mut drawn: Vec<DrawnValue> = Vec::new();
        for ast::HintArm { value: words, sign, look } in &hint.arms {
            let look = self.look(look);
            let value = self.constant(words, Some(&ty), "the value of a symbol");
            let sign = self.constant(sign, Some(&Type::Text), "a symbol");
            let (Some(value), Some(Value::Text(sign))) = (value.constant(), sign.constant()) else {
                continue;
            };
            let known = self.rules.display.iter().filter(|d| d.source == source).flat_map(|d| &d.signs);
            if known.chain(&signs).any(|(v, _)| v == value) {
                let title = format!("`{}` already has a symbol", self.rules.show(value));
                self.error(Code::W0221, title, words.span, "this symbol is never shown");
            } else {
                let of = DrawnValue { value: value.clone(), sign: sign.to_string(), look, span: words.span };
                self.drawn_alike(&of, &drawn);
                drawn.push(of);
                signs.push((value.clone(), sign.to_string()));
                if look != Look::default() {
                    looks.push((value.clone(), look));
                }
            }
        }
        self.rules.display.push(Display { source, signs, looks });
    }

    /// W0540: a value of one player that is drawn with the letter of the same value of another.
    fn drawn_alike(&mut self, one: &DrawnValue, earlier: &[DrawnValue]) {
        let is_letter = one.sign.chars().any(char::is_alphanumeric);
        let is_alike = |other: &&DrawnValue| {
            other.sign == one.sign && other.look == one.look && are_of_two_players(&other.value, &one.value)
        };
        let Some(other) = earlier.iter().find(is_alike).filter(|_| is_letter) else { return };
        let (a, b) = (self.rules.show(&other.value), self.rules.show(&one.value));
        let title = format!("`{a}` and `{b}` are both drawn as `{}`", one.sign);
        let found = Diagnostic::new(Code::W0540, title, one.span, "the same symbol");
        let found = found.label(other.span, "of another player");
        let sign = &one.sign;
        self.report(found.help(format!(
            "give each player another symbol, or a colour: `{a} => \"{sign}\" as black label, {b} => \"{sign}\" as white label`"
        )));
    }

    /// The look that the words after `as` choose.
    fn look(&mut self, words: &[Name]) -> Look {
        let mut look = Look::default();
        for word in words {
            let (shape, colour) = (PieceShape::parse(&word.text), PieceColour::parse(&word.text));
            if shape.is_none() && colour.is_none() {
                self.report(unknown_look(word));
            } else if (shape.is_some() && look.shape.is_some()) || (colour.is_some() && look.colour.is_some())
            {
                let kind = if shape.is_some() { "shape" } else { "colour" };
                let title = format!("this piece has a {kind} already");
                self.report(Diagnostic::new(Code::E0013, title, word.span, "").help(LOOK_FORM));
            }
            look = Look { shape: shape.or(look.shape), colour: colour.or(look.colour) };
        }
        look
    }

    /// The field or definition of a hint, which must have one value for each cell of a board, and the type of its
    /// values.
    fn displayed_source(&mut self, hint: &'a ast::DisplayHint) -> Option<(DisplaySource, Type)> {
        let Some(subject) = &hint.subject else {
            let title = "this display hint does not name a field";
            self.report(
                Diagnostic::new(Code::E0013, title, hint.kind.span, "of which field?").help(HINT_FORM),
            );
            return None;
        };
        let key = self.declared(subject, &Locals::constant());
        if let Some(key) = key
            && matches!(self.symbols[key].kind, SymbolKind::Def { .. } | SymbolKind::Inductive { .. })
        {
            return self.displayed_definition(key, subject);
        }
        let Some(field) = key.and_then(|key| self.field_of(key)) else {
            let name = key.or(subject.as_name());
            match name {
                Some(name) => self.not_a_field(name, subject.span, "only fields of the state are drawn"),
                None => {
                    let title = "a display hint is for a field as a whole";
                    let found = Diagnostic::new(Code::E0013, title, subject.span, "this is more than a name");
                    self.report(found.help(HINT_FORM));
                }
            }
            return None;
        };
        let of = &self.rules.fields[field];
        if of.keys.iter().any(|key| *key.ty.present().base() == Type::Error) {
            return None;
        }
        let on_board = matches!(&of.keys[..], [key] if matches!(key.ty, Type::Sym(_)) && self.board_of(&key.ty).is_some());
        if !on_board {
            let title = format!("`{}` is not drawn cell by cell, so its values have no symbols", of.name);
            let found = Diagnostic::new(Code::E0201, title, subject.span, "");
            let found = found.label(of.span, "it has not the cells of a board as its only key");
            self.report(
                found.help("other fields are listed by name, and sets of cells drawn by their first letter"),
            );
            return None;
        }
        Some((DisplaySource::Field(field), of.ty.clone()))
    }

    /// The definition of a hint, which must have one parameter, a cell of a board.
    fn displayed_definition(&mut self, key: &'a str, subject: &ast::Expr) -> Option<(DisplaySource, Type)> {
        self.use_symbol(key, UseKind::Read);
        let id = self.def(key, subject.span)?;
        let def = &self.rules.defs[id];
        let ty = def.ty.clone();
        let is_of_cells = match def.params[..] {
            [cell] => self.board_of(&def.vars[cell].ty).is_some(),
            _ => false,
        };
        if is_of_cells && !def.uses_me {
            return Some((DisplaySource::Def(id), ty));
        }
        let (title, label) = match is_of_cells {
            true => (
                format!("`{key}` depends on the maker of a move, so a position does not show it"),
                "it uses `me`",
            ),
            false => {
                (format!("`{key}` is not drawn cell by cell"), "its only parameter is not a cell of a board")
            }
        };
        let declared = def.span;
        let found = Diagnostic::new(Code::E0201, title, subject.span, "").label(declared, label);
        self.report(found.help(
            "a display draws a field or a definition of the cells of a board: `def f(c: Cell) = ...;`",
        ));
        None
    }
}

/// The diagnostic of a word that is no shape and no colour.
fn unknown_look(word: &Name) -> Diagnostic {
    let shapes = PieceShape::ALL.map(|(name, _)| name);
    let colours = PieceColour::ALL.map(|(name, _)| name);
    let title = format!("`{}` is neither a shape nor a colour of pieces", word.text);
    let found = Diagnostic::new(Code::E0013, title, word.span, "");
    match nearest(&word.text, shapes.into_iter().chain(colours)) {
        Some(name) => found.help(format!("did you mean `{name}`?")).edit(word.span, name),
        None => {
            found.help(format!("the shapes are {}; the colours {}", shapes.join(", "), colours.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use bouton_syntax::diag::Code;

    fn titles(ty: &str, arms: &str) -> Vec<String> {
        let text = format!(
            "game \"Drawn\"; players X, O; board Cell = grid(3, 1); enum Kind {{ man, king }}
             record Piece(owner: Player, kind: Kind);
             state {{ at[c: Cell]: {ty}? = none; }}
             move put(c: Cell, p: {ty}) as \"{{c}} {{p}}\" {{ when at[c] = none; at[c] := p; }}
             play normal;
             display {{ cell at {{ {arms} }}; }}"
        );
        found(&text, Code::W0540).into_iter().map(|found| found.title).collect()
    }

    #[test]
    fn players_are_drawn_apart() {
        assert_eq!(titles("Player", "X => \"X\", O => \"X\""), ["`X` and `O` are both drawn as `X`"]);
        assert_eq!(titles("Player", "X => \"X\", O => \"O\", none => \".\""), [""; 0]);
        assert_eq!(titles("Player", "X => \"#\", O => \"#\""), [""; 0]);
        assert_eq!(titles("Player", "X => \"o\" as black disc, O => \"o\" as white disc"), [""; 0]);
    }

    #[test]
    fn pieces_of_two_players_are_drawn_apart() {
        let pieces = |kind: &str| format!("Piece(X, man) => \"m\", Piece(O, {kind}) => \"m\"");
        assert_eq!(titles("Piece", &pieces("man")).len(), 1);
        assert_eq!(titles("Piece", &pieces("king")), [""; 0]);
    }
}
