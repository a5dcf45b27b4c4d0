//! Positions as strings: a drawing of each board, the other fields by name, the player to move.

use std::fmt::Write;

use super::pieces::{Piece, Pieces};
use super::{Game, MachineError, Outcome, OutcomeKind, State, ToMove};
use bouton_base::id::Id;
use bouton_base::rational::Rational;
use bouton_rules::{
    BoardId, DisplaySource, EnumId, EnumKind, Expr, ExprKind, FieldId, KeyDomain, Look, MOVER, PHASE, PLAYER,
    Rules, Type, Value, keys_of,
};

mod background;
mod board_row;
mod rows;
mod sides;

use background::Background;
pub(in crate::game) use board_row::BoardRow;
use rows::FieldRows;
pub(super) use sides::SideDrawing;

/// The character of an empty cell.
pub(super) const EMPTY_CELL: &str = ".";
/// The maximal number of pieces of a field with two keys that a board shows by their places.
const MAX_PLACED: usize = 64;
/// The length above which a list of keys goes on in the next line.
const MAX_LINE: usize = 90;
/// The number of cells above which a field is listed without its empty cells.
const MAX_FULL_LIST: usize = 6;

/// Renders a position; lines end with a newline.
pub fn draw(game: &Game, state: &State) -> String {
    draw_without_status(game, state) + &status(game, state) + "\n"
}

/// Renders a position without the player to move or the outcome.
pub fn draw_without_status(game: &Game, state: &State) -> String {
    let rules = &*game.rules;
    let mut text = String::new();
    let boards = boards(rules);
    for drawn in &boards {
        let sign = |cell: u32| {
            let sign = drawn.symbol(game, state, cell);
            if sign.is_empty() { EMPTY_CELL.into() } else { sign }
        };
        text.push_str(&rules.boards[drawn.board].draw(&sign));
        if let Some(legend) = drawn.legend() {
            text.push_str(&legend);
        }
    }
    let mut rest = others(rules, &boards).peekable();
    while let Some(field) = rest.next() {
        if let Some(row) = BoardRow::of(rules, field) {
            row.draw(game, state, &mut text);
        } else if let Some(first) = FieldRows::of(rules, field) {
            let mut group = vec![first];
            let same = |next: &FieldId| {
                BoardRow::of(rules, *next).is_none()
                    && FieldRows::of(rules, *next).is_some_and(|next| rows::same_columns(&group[0], &next))
            };
            let mut fields = vec![field];
            while let Some(next) = rest.next_if(same) {
                fields.push(next);
            }
            group.extend(fields[1..].iter().filter_map(|&next| FieldRows::of(rules, next)));
            match rows::table(game, state, &group) {
                Some(table) => text.push_str(&table),
                None => fields.into_iter().for_each(|field| list(game, state, field, &mut text)),
            }
        } else if let Some(sides) = SideDrawing::of(rules, field) {
            sides.draw(game, state, &mut text);
        } else {
            list(game, state, field, &mut text);
        }
    }
    text
}

/// A board with the fields that it shows.
pub(super) struct DrawnBoard<'a> {
    pub board: BoardId,
    layers: Vec<DrawnField<'a>>,
    /// The things that stand in the cells for ever, drawn where nothing else is.
    background: Option<Background>,
}

impl DrawnBoard<'_> {
    /// The fields that are drawn on the board; `None` for a definition.
    pub(super) fn fields(&self) -> impl Iterator<Item = Option<FieldId>> {
        self.layers.iter().map(|layer| layer.field())
    }

    /// Returns the characters in a cell; empty if the cell is empty.
    pub fn symbol(&self, game: &Game, state: &State, cell: u32) -> String {
        let signs = self.layers.iter().map(|layer| layer.sign(game, state, cell));
        let full: String = signs.filter(|s| s != EMPTY_CELL).collect();
        match &self.background {
            Some(background) if full.is_empty() => background.sign(cell),
            _ => full,
        }
    }

    /// The piece in a cell; `None` if the characters alone are drawn, as of several things in one cell.
    pub fn piece(&self, game: &Game, state: &State, cell: u32) -> Option<Piece> {
        let mut full = self.layers.iter().filter(|layer| {
            let sign = layer.sign(game, state, cell);
            sign != EMPTY_CELL && !sign.is_empty()
        });
        let Some(layer) = full.next() else { return self.background.as_ref()?.piece(cell) };
        if full.next().is_some() { None } else { layer.piece(game, state, cell).cloned() }
    }

    /// The characters of the fields with what they stand for, except where a character is the word itself.
    pub fn meanings(&self) -> Vec<(String, String)> {
        let mut meanings = Vec::new();
        for layer in &self.layers {
            match &layer.how {
                CellDisplay::Contents(drawn) | CellDisplay::Computed(drawn) => {
                    meanings.extend(drawn.iter().map(|of| (of.sign.clone(), layer.rules.show(&of.value))))
                }
                CellDisplay::Places(signs, _) if layer.keys().is_empty() => {
                    meanings.extend(signs.iter().map(|sign| (sign.clone(), layer.name().to_owned())));
                }
                CellDisplay::Places(signs, _) => {
                    let name = |entry| entry_name(layer.rules, &keys_of(layer.keys(), entry));
                    meanings.extend(signs.iter().cloned().zip((0..signs.len()).map(name)));
                }
            }
        }
        meanings.extend(self.background.iter().flat_map(Background::meanings));
        meanings.retain(|(sign, word)| sign != EMPTY_CELL && sign != word);
        meanings
    }

    /// The meaning of the characters that are not the first letter of their field.
    fn legend(&self) -> Option<String> {
        let own = self.layers.iter().filter_map(|layer| match &layer.how {
            CellDisplay::Places(signs, _) if layer.keys().is_empty() => Some((signs.first()?, layer.name())),
            _ => None,
        });
        let own: Vec<(&String, &str)> = own.collect();
        let is_plain = |(sign, name): &(&String, &str)| **sign == first_letter(name).to_lowercase();
        if own.iter().all(is_plain) {
            return None;
        }
        let words: Vec<String> = own.iter().map(|(sign, name)| format!("{sign}: {name}")).collect();
        Some(format!("{}\n", words.join(", ")))
    }
}

/// Gives fields that would share a character on a board distinct ones: another letter of the name, if one is free.
fn distinguish(layers: &mut [DrawnField<'_>]) {
    let mut taken: Vec<String> = Vec::new();
    for layer in layers {
        let (name, is_one) = (layer.name(), layer.keys().is_empty());
        match &mut layer.how {
            CellDisplay::Places(signs, _) if is_one => {
                let letters =
                    name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_lowercase().to_string());
                let free = letters.into_iter().find(|letter| !taken.contains(letter));
                *signs = vec![free.unwrap_or_else(|| first_letter(name).to_lowercase())];
                taken.extend(signs.iter().cloned());
            }
            CellDisplay::Places(signs, _) => taken.extend(signs.iter().cloned()),
            CellDisplay::Contents(drawn) | CellDisplay::Computed(drawn) => {
                taken.extend(drawn.iter().map(|of| of.sign.clone()))
            }
        }
    }
}

/// Returns the boards that show fields and definitions; each field is shown once.
pub(super) fn boards(rules: &Rules) -> Vec<DrawnBoard<'_>> {
    let mut shown = vec![MOVER, PHASE];
    let mut boards = Vec::new();
    for (board, _) in rules.boards.entries() {
        let fields = rules.fields.entries().filter(|(field, _)| !shown.contains(field));
        let fields = fields.filter_map(|(field, _)| DrawnField::of(rules, field, board));
        let mut layers: Vec<DrawnField> =
            DrawnField::computed(rules, board).into_iter().chain(fields).collect();
        distinguish(&mut layers);
        if !layers.is_empty() {
            shown.extend(layers.iter().filter_map(DrawnField::field));
            let taken = layers.iter().flat_map(DrawnField::signs).collect();
            boards.push(DrawnBoard { board, layers, background: Background::of(rules, board, taken) });
        }
    }
    boards
}

/// Iterates over the fields that no board shows.
pub(super) fn others<'a>(
    rules: &'a Rules,
    boards: &'a [DrawnBoard<'_>],
) -> impl Iterator<Item = FieldId> + 'a {
    let shown = |field: FieldId| boards.iter().flat_map(DrawnBoard::fields).any(|drawn| drawn == Some(field));
    let all = rules.fields.entries().map(|(field, _)| field);
    all.filter(move |&field| field != MOVER && field != PHASE && !shown(field))
}

/// Describes the player to move, or the outcome, in a few words.
pub fn status(game: &Game, state: &State) -> String {
    let rules = &*game.rules;
    let actor = match game.machine.turn(state) {
        Ok(ToMove::Terminal(outcome)) => return describe_outcome(rules, &outcome),
        Ok(ToMove::Player(player)) => rules.show(&rules.player(player)),
        Ok(ToMove::Simultaneous) => "everybody".into(),
        Ok(ToMove::Chance) => "chance".into(),
        Err(MachineError::Fault(fault)) => {
            return match fault.kind {
                bouton_rules::FaultKind::NoResult => "the game is over, without a result".into(),
                bouton_rules::FaultKind::Undefined { what } => format!("{what} has no value here"),
                _ => "no position of the game".into(),
            };
        }
        Err(halt) => return format!("no position of the game: {halt}"),
    };
    let phase = game.machine.read(state, PHASE, 0).as_int().and_then(|i| usize::try_from(i).ok());
    let phase = phase.and_then(|i| rules.phases.as_slice().get(i)).filter(|p| !p.name.is_empty());
    phase.map_or(format!("{actor} to move"), |p| format!("{actor} to move ({})", p.name))
}

/// Describes an outcome in a few words.
pub fn describe_outcome(rules: &Rules, outcome: &Outcome) -> String {
    let players = rules.players();
    match outcome.kind {
        OutcomeKind::Draw => "draw".into(),
        OutcomeKind::Win if players.len() == 1 => {
            if outcome.payoffs.first().is_some_and(Rational::is_positive) {
                "solved".into()
            } else {
                "lost".into()
            }
        }
        OutcomeKind::Win => {
            let winners = players.iter().zip(&outcome.payoffs).filter(|(_, payoff)| payoff.is_positive());
            let winners: Vec<&str> = winners.map(|(name, _)| name.as_str()).collect();
            format!("{} {}", winners.join(" and "), if winners.len() == 1 { "wins" } else { "win" })
        }
        OutcomeKind::Payoff => {
            let each = players.iter().zip(&outcome.payoffs).map(|(name, p)| format!("{name} {p}"));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

fn list(game: &Game, state: &State, id: FieldId, text: &mut String) {
    let field = &game.rules.fields[id];
    if field.ty == Type::Bool && !field.keys.is_empty() {
        return list_members(game, state, id, text);
    }
    for cell in 0..field.cells() {
        let value = game.machine.read(state, id, cell);
        if field.cells() > MAX_FULL_LIST && field.ty.empty_value().as_ref() == Some(&value) {
            continue;
        }
        let keys: Vec<String> =
            bouton_rules::keys_of(&field.keys, cell).iter().map(|k| game.rules.show(k)).collect();
        let keys = if keys.is_empty() { String::new() } else { format!("[{}]", keys.join(", ")) };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{keys}: {}", field.name, game.rules.show(&value));
    }
}

/// Lists the keys for which a field of truth values is true: `lit: a1, b3`.
fn list_members(game: &Game, state: &State, id: FieldId, text: &mut String) {
    let field = &game.rules.fields[id];
    let holds = |cell: &usize| game.machine.read(state, id, *cell) == Value::Bool(true);
    let entry = |cell: usize| {
        let keys: Vec<String> = keys_of(&field.keys, cell).iter().map(|key| game.rules.show(key)).collect();
        if keys.len() == 1 { keys.concat() } else { format!("({})", keys.join(", ")) }
    };
    let mut members = (0..field.cells()).filter(holds).map(entry).peekable();
    if members.peek().is_none() {
        if field.cells() <= MAX_FULL_LIST {
            let _ = writeln!(text, "{}: none", field.name);
        }
        return;
    }
    let mut line = format!("{}:", field.name);
    while let Some(member) = members.next() {
        if line.chars().count() + member.chars().count() > MAX_LINE {
            let _ = writeln!(text, "{line}");
            line = "   ".to_owned();
        }
        let comma = if members.peek().is_some() { "," } else { "" };
        let _ = write!(line, " {member}{comma}");
    }
    let _ = writeln!(text, "{line}");
}

/// A field or a definition that a board shows.
struct DrawnField<'a> {
    rules: &'a Rules,
    source: DisplaySource,
    cells: EnumId,
    how: CellDisplay,
}

/// A value of a field with its characters and its piece.
struct DrawnValue {
    value: Value,
    sign: String,
    piece: Option<Piece>,
}

/// The name of an entry of a field: those of its keys.
fn entry_name(rules: &Rules, keys: &[Value]) -> String {
    keys.iter().map(|key| rules.show(key)).collect::<Vec<_>>().join(" ")
}

enum CellDisplay {
    /// One value a cell.
    Contents(Vec<DrawnValue>),
    /// One value a cell, by a definition.
    Computed(Vec<DrawnValue>),
    /// Each entry of the field is a cell or a set of cells; the characters and the piece of each entry.
    Places(Vec<String>, Vec<Option<Piece>>),
}

impl<'a> DrawnField<'a> {
    /// The characters that stand for something.
    fn signs(&self) -> Vec<String> {
        match &self.how {
            CellDisplay::Contents(drawn) | CellDisplay::Computed(drawn) => {
                drawn.iter().map(|of| of.sign.to_lowercase()).collect()
            }
            CellDisplay::Places(signs, _) => signs.iter().map(|sign| sign.to_lowercase()).collect(),
        }
    }

    fn of(rules: &'a Rules, id: FieldId, board: BoardId) -> Option<Self> {
        let field = &rules.fields[id];
        let cells = rules.boards[board].cells;
        let how = if field.keys.len() == 1 && covers(rules, &field.keys[0].values, cells) {
            CellDisplay::Contents(drawn_values(rules, DisplaySource::Field(id)))
        } else if field.keys.is_empty() && is_place(&field.ty, cells) {
            CellDisplay::Places(vec![first_letter(&field.name).to_lowercase()], vec![None])
        } else if field.keys.len() <= 2
            && (field.keys.len() == 1 || field.cells() <= MAX_PLACED)
            && is_place(&field.ty, cells)
        {
            let keys: Vec<Vec<Value>> = (0..field.cells()).map(|entry| keys_of(&field.keys, entry)).collect();
            let sign = |keys: &Vec<Value>| keys.iter().map(|key| sign_of(rules, key)).collect();
            let signs: Vec<String> = keys.iter().map(sign).collect();
            let pieces = Pieces::of(rules);
            // With several keys, the piece is that of a player among them.
            let piece = |(keys, sign): (&Vec<Value>, &String)| {
                let is_player = |key: &&Value| matches!(key, Value::Sym(id, _) if *id == PLAYER);
                let key = keys.iter().find(is_player).or(keys.first())?;
                let piece = pieces.piece(key, sign, Look::default())?;
                Some(Piece { name: entry_name(rules, keys), ..piece })
            };
            let pieces = keys.iter().zip(&signs).map(piece).collect();
            CellDisplay::Places(signs, pieces)
        } else {
            return None;
        };
        Some(DrawnField { rules, source: DisplaySource::Field(id), cells, how })
    }

    /// Returns the definitions that a board shows, each once.
    fn computed(rules: &'a Rules, board: BoardId) -> Vec<DrawnField<'a>> {
        let cells = rules.boards[board].cells;
        let mut drawn: Vec<DrawnField<'a>> = Vec::new();
        for source in rules.display.iter().map(|display| display.source) {
            let DisplaySource::Def(id) = source else { continue };
            let def = &rules.defs[id];
            let is_here = matches!(def.params[..], [cell] if def.vars[cell].ty == Type::Sym(cells));
            if is_here && !drawn.iter().any(|known| known.source == source) {
                let how = CellDisplay::Computed(drawn_values(rules, source));
                drawn.push(DrawnField { rules, source, cells, how });
            }
        }
        drawn
    }

    /// The field; `None` for a definition.
    fn field(&self) -> Option<FieldId> {
        match self.source {
            DisplaySource::Field(id) => Some(id),
            DisplaySource::Def(_) => None,
        }
    }

    fn name(&self) -> &'a str {
        source_facts(self.rules, self.source).0
    }

    /// The keys of the field.
    fn keys(&self) -> &'a [KeyDomain] {
        self.field().map_or(&[], |field| &self.rules.fields[field].keys)
    }

    /// The value in a cell; `None` if it is undefined.
    fn value(&self, game: &Game, state: &State, cell: u32) -> Option<Value> {
        match self.source {
            DisplaySource::Field(field) => Some(game.machine.read(state, field, cell as usize)),
            DisplaySource::Def(id) => {
                let def = &self.rules.defs[id];
                let here = ExprKind::Const(Value::Sym(self.cells, cell));
                let here = Expr::new(here, Type::Sym(self.cells), def.span);
                let call = Expr::new(ExprKind::Call(id, vec![here]), def.ty.clone(), def.span);
                game.machine.eval(state, &call).ok().flatten()
            }
        }
    }

    fn sign(&self, game: &Game, state: &State, cell: u32) -> String {
        let here = Value::Sym(self.cells, cell);
        match &self.how {
            CellDisplay::Contents(drawn) | CellDisplay::Computed(drawn) => {
                let Some(value) = self.value(game, state, cell) else { return EMPTY_CELL.into() };
                let sign = drawn.iter().find(|of| of.value == value).map(|of| of.sign.clone());
                sign.unwrap_or_else(|| default_symbol(self.rules, self.name(), &value))
            }
            CellDisplay::Places(signs, _) => {
                let holds = |&(entry, _): &(usize, &String)| self.holds(game, state, entry, &here);
                signs.iter().enumerate().filter(holds).map(|(_, sign)| sign.as_str()).collect()
            }
        }
    }

    /// Returns true if an entry is a cell, or a set with the cell.
    fn holds(&self, game: &Game, state: &State, entry: usize, cell: &Value) -> bool {
        let Some(field) = self.field() else { return false };
        let value = game.machine.read(state, field, entry);
        value == *cell || value.as_set().is_some_and(|set| set.binary_search(cell).is_ok())
    }

    /// The piece in a cell; `None` if there is none, or if several are there.
    fn piece(&self, game: &Game, state: &State, cell: u32) -> Option<&Piece> {
        match &self.how {
            CellDisplay::Contents(drawn) | CellDisplay::Computed(drawn) => {
                let value = self.value(game, state, cell)?;
                drawn.iter().find(|of| of.value == value)?.piece.as_ref()
            }
            CellDisplay::Places(_, pieces) => {
                let here = Value::Sym(self.cells, cell);
                let mut held = (0..pieces.len()).filter(|&entry| self.holds(game, state, entry, &here));
                let entry = held.next().filter(|_| held.next().is_none())?;
                pieces[entry].as_ref()
            }
        }
    }
}

/// Returns true if the values are exactly the cells.
fn covers(rules: &Rules, values: &[Value], cells: EnumId) -> bool {
    let members = &rules.enums[cells];
    matches!(members.kind, EnumKind::Cells(_))
        && values.len() == members.members.len()
        && values.iter().all(|v| matches!(v, Value::Sym(of, _) if *of == cells))
}

/// Returns true if values of the type are cells or sets of cells.
fn is_place(ty: &Type, cells: EnumId) -> bool {
    match ty.present().base() {
        Type::Sym(of) => *of == cells,
        Type::Set(inner) => matches!(inner.base(), Type::Sym(of) if *of == cells),
        _ => false,
    }
}

/// Returns the name of a field or a definition, and the type of its values.
fn source_facts(rules: &Rules, source: DisplaySource) -> (&str, &Type) {
    match source {
        DisplaySource::Field(id) => (&rules.fields[id].name, &rules.fields[id].ty),
        DisplaySource::Def(id) => (&rules.defs[id].name, &rules.defs[id].ty),
    }
}

/// Returns the characters that the rules declare, and default characters for the other values.
fn signs(rules: &Rules, source: DisplaySource) -> Vec<(Value, String)> {
    let (name, ty) = source_facts(rules, source);
    let given = rules.display.iter().filter(|d| d.source == source).flat_map(|d| d.signs.iter().cloned());
    let mut signs: Vec<(Value, String)> = given.collect();
    let values = rules.type_values(ty, 256).unwrap_or_default();
    for value in values {
        if !signs.iter().any(|(v, _)| *v == value) {
            let sign = default_symbol(rules, name, &value);
            signs.push((value, sign));
        }
    }
    signs
}

/// Returns the values with their characters, and with the pieces that the rules declare or that their names mean.
fn drawn_values(rules: &Rules, source: DisplaySource) -> Vec<DrawnValue> {
    let pieces = Pieces::of(rules);
    let given = rules.display.iter().filter(|d| d.source == source);
    let looks: Vec<&(Value, Look)> = given.flat_map(|d| &d.looks).collect();
    let drawn = |(value, sign): (Value, String)| {
        let look = looks.iter().find(|(of, _)| *of == value).map(|(_, look)| *look).unwrap_or_default();
        // An empty cell has no piece, whatever is chosen for it.
        let is_empty = sign == EMPTY_CELL || sign.is_empty();
        let piece = if is_empty { None } else { pieces.piece(&value, &sign, look) };
        DrawnValue { value, sign, piece }
    };
    signs(rules, source).into_iter().map(drawn).collect()
}

/// Returns the default characters of a value of the field or definition of this name.
pub(super) fn default_symbol(rules: &Rules, name: &str, value: &Value) -> String {
    match value {
        Value::None | Value::Bool(false) => EMPTY_CELL.into(),
        Value::Bool(true) => first_letter(name).to_lowercase(),
        Value::Set(elements) if elements.is_empty() => EMPTY_CELL.into(),
        _ => sign_of(rules, value),
    }
}

fn first_letter(name: &str) -> String {
    name.chars().take(1).collect()
}

/// Returns the default characters of a value: the shortest prefix of a name that no other member shares, upper case for
/// players.
fn sign_of(rules: &Rules, value: &Value) -> String {
    match value {
        Value::Sym(id, index) => member_sign(rules, *id, *index),
        Value::Tuple(tuple) if tuple.parts.iter().all(|part| part.as_int().is_some()) => {
            let numbers: Vec<String> = tuple.parts.iter().map(|part| rules.show(part)).collect();
            numbers.join(",")
        }
        Value::Tuple(tuple) => owned_sign(rules, &tuple.parts)
            .unwrap_or_else(|| tuple.parts.iter().map(|v| sign_of(rules, v)).collect()),
        Value::Set(elements) => elements.iter().map(|v| sign_of(rules, v)).collect(),
        _ => rules.show(value),
    }
}

/// Returns the character of a piece of one of two players: upper case for the first, lower case for the second.
fn owned_sign(rules: &Rules, parts: &[Value]) -> Option<String> {
    let owner = parts.iter().position(|v| matches!(v, Value::Sym(id, _) if *id == PLAYER))?;
    let [kind] =
        parts.iter().enumerate().filter(|(i, _)| *i != owner).map(|(_, v)| v).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    if rules.players().len() != 2 || !matches!(kind, Value::Sym(..)) {
        return None;
    }
    let sign = sign_of(rules, kind);
    Some(if parts[owner].as_sym() == Some(0) { sign.to_uppercase() } else { sign.to_lowercase() })
}

/// Returns the characters of a player: the shortest prefix of the name that no other player shares, upper case.
pub fn player_symbol(rules: &Rules, player: u32) -> String {
    member_sign(rules, PLAYER, player)
}

fn member_sign(rules: &Rules, id: EnumId, index: u32) -> String {
    let Some(of) = rules.enums.get(id).filter(|e| (index as usize) < e.members.len()) else {
        return rules.show(&Value::Sym(id, index));
    };
    let name = &of.members[index as usize];
    if matches!(of.kind, EnumKind::Cells(_) | EnumKind::Dir) {
        return name.clone();
    }
    let lower = |s: &str, n: usize| s.chars().take(n).flat_map(char::to_lowercase).collect::<String>();
    let shared = |n: usize| {
        let others = of.members.iter().enumerate().filter(|(i, _)| *i != index as usize);
        others.clone().any(|(_, other)| lower(other, n) == lower(name, n))
    };
    let length = name.chars().count();
    let letters = (1..length).find(|&n| !shared(n)).unwrap_or(length);
    let sign: String = name.chars().take(letters).collect();
    if id.index() == PLAYER.index() { sign.to_uppercase() } else { sign }
}

#[cfg(test)]
mod tests {
    use super::super::toy::{ToyGame, no_span};
    use super::super::{Machine, MachineError, MoveInstance, Successor};
    use super::*;
    use bouton_base::limits::LimitHit;
    use bouton_rules::{Block, Board, Display, Enum, Expr, Field, KeyDomain, Record, Vars, Visibility};
    use std::sync::Arc;

    /// A machine whose only position is a list of values, cell after cell of the fields in order.
    struct Still(ToyGame, Vec<Vec<Value>>);

    impl Machine for Still {
        fn initial(&self) -> State {
            ToyGame::state(0)
        }
        fn turn(&self, state: &State) -> Result<ToMove, MachineError> {
            self.0.turn(state)
        }
        fn successors(&self, state: &State) -> Result<Vec<Successor>, MachineError> {
            self.0.successors(state)
        }
        fn notation(&self, state: &State, play: &MoveInstance) -> Result<String, LimitHit> {
            self.0.notation(state, play)
        }
        fn read(&self, _state: &State, field: FieldId, cell: usize) -> Value {
            self.1[field.index()][cell].clone()
        }
        fn eval(&self, state: &State, expr: &Expr) -> Result<Option<Value>, LimitHit> {
            self.0.eval(state, expr)
        }
        fn edit(&self, state: &State, block: &Block, vars: &Vars) -> Result<State, MachineError> {
            self.0.edit(state, block, vars)
        }
        fn observation(&self, state: &State, player: u32) -> Result<Value, LimitHit> {
            self.0.observation(state, player)
        }
    }

    fn field(name: &str, keys: Vec<KeyDomain>, ty: Type) -> Field {
        let visibility = Visibility::Public;
        Field {
            name: name.into(),
            keys,
            ty,
            init: vec![],
            transient: false,
            visibility,
            doc: vec![],
            span: no_span(),
        }
    }

    #[test]
    fn boards_and_other_fields_are_shown() {
        let mut toy = ToyGame::new(2);
        toy.owner(0, 1);
        let rules = &mut toy.rules;
        let kind = |name: &str, kind, members: Vec<String>| Enum { name: name.into(), kind, members };
        let pieces = ["king", "knight", "pawn"].map(String::from).to_vec();
        let pieces = rules.enums.push(kind("Kind", EnumKind::User, pieces));
        let piece = rules.records.push(Record {
            name: "Piece".into(),
            parts: vec![("owner".into(), Type::Sym(PLAYER)), ("kind".into(), Type::Sym(pieces))],
        });
        let mut board = Board::grid(2, 2, &|_, _| true).unwrap();
        let names = board.cell_names().to_vec();
        let cells = rules.enums.push(kind("Cell", EnumKind::Cells(BoardId(0)), names));
        board.cells = cells;
        rules.boards.push(board);
        let values = Arc::new((0..4).map(|i| Value::Sym(cells, i)).collect());
        let key = KeyDomain { name: "c".into(), ty: Type::Sym(cells), values };
        let at = rules.fields.push(field("at", vec![key], Type::option(Type::Record(piece))));
        rules.fields.push(field("last", vec![], Type::option(Type::Sym(cells))));
        rules.fields.push(field("count", vec![], Type::Int(0, 9)));
        let a_king = Value::record(piece, vec![Value::Sym(PLAYER, 0), Value::Sym(pieces, 0)]);
        let b_knight = Value::record(piece, vec![Value::Sym(PLAYER, 1), Value::Sym(pieces, 1)]);
        let b_pawn = Value::record(piece, vec![Value::Sym(PLAYER, 1), Value::Sym(pieces, 2)]);
        rules.display.push(Display {
            source: DisplaySource::Field(at),
            signs: vec![(a_king.clone(), "@".into())],
            looks: Vec::new(),
        });
        let still = vec![
            vec![Value::Sym(PLAYER, 1)],
            vec![Value::Int(0)],
            vec![a_king, b_knight, b_pawn, Value::None],
            vec![Value::Sym(cells, 3)],
            vec![Value::Int(4)],
        ];
        let game = Game::new(Arc::new(toy.rules.clone()), Arc::new(Still(toy, still)));
        let expected = "2 p  l\n1 @  kn\n  a  b\ncount: 4\nB to move\n";
        assert_eq!(draw(&game, &ToyGame::state(0)), expected);
    }
}
