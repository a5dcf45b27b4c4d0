//! The background of a board: things that stand in its cells for ever, such as walls and goals.
//!
//! Rules keep it in a constant, `const mark[c: Cell]: Mark? = diagram ...;`, which no field shows. Where the rules have
//! no `display`, a position is drawn with the values of such a constant that a condition asks for, in the cells where no
//! field has anything. A value that the constant only gives to the first position, as a picture of a level gives the
//! boxes, is asked for by no condition. Constants that are true or false in each cell, `const wall[c: Cell]: bool`, are
//! drawn by a letter of their name where they are true.

use super::{DrawnValue, EMPTY_CELL, Look, Pieces, covers, sign_of};
use crate::game::pieces::Piece;
use bouton_rules::{Block, BoardId, ConstTable, EnumKind, Expr, ExprKind, Rules, StmtKind, Type, Value};

/// The values of constants in the cells of a board.
pub(super) struct Background {
    /// The value in each cell, as a number among the drawn ones.
    cells: Vec<Option<usize>>,
    drawn: Vec<DrawnValue>,
    /// The names of the drawn values.
    names: Vec<String>,
}

impl Background {
    /// The background of a board; `None` if there is none, or the rules say how positions are drawn.
    /// Characters that are `taken` stand for other things on the board.
    pub fn of(rules: &Rules, board: BoardId, taken: Vec<String>) -> Option<Background> {
        if !rules.display.is_empty() {
            return None;
        }
        Background::of_values(rules, board).or_else(|| Background::of_conditions(rules, board, taken))
    }

    /// The background by a constant whose values are members of an enum.
    fn of_values(rules: &Rules, board: BoardId) -> Option<Background> {
        let fits = |table: &&ConstTable| {
            matches!(&table.keys[..], [key] if covers(rules, &key.values, rules.boards[board].cells))
                && table.ty.is_option()
                && matches!(table.ty.present().base(), Type::Sym(of) if rules.enums[*of].kind == EnumKind::User)
        };
        let (id, table) = rules.tables.entries().find(|(_, table)| fits(table))?;
        let is_entry = |expr: &Expr| matches!(&*expr.kind, ExprKind::Table(of, _) if *of == id);
        let asked = compared_values(rules, &is_entry);
        let pieces = Pieces::of(rules);
        let drawn: Vec<DrawnValue> = asked
            .into_iter()
            .map(|value| {
                let sign = sign_of(rules, &value);
                let piece = pieces.piece(&value, &sign, Look::default());
                DrawnValue { value, sign, piece }
            })
            .collect();
        let number = |value: &Option<Value>| drawn.iter().position(|of| Some(&of.value) == value.as_ref());
        let cells: Vec<Option<usize>> = table.values.iter().map(number).collect();
        let names = drawn.iter().map(|of| rules.show(&of.value)).collect();
        cells.iter().any(Option::is_some).then_some(Background { cells, drawn, names })
    }

    /// The background by constants that are true or false.
    fn of_conditions(rules: &Rules, board: BoardId, mut taken: Vec<String>) -> Option<Background> {
        let (mut drawn, mut names) = (Vec::new(), Vec::new());
        let mut cells = vec![None; rules.enums[rules.boards[board].cells].members.len()];
        let holds = |value: &Option<Value>| *value == Some(Value::Bool(true));
        for (id, table) in rules.tables.entries() {
            let is_of_cells =
                matches!(&table.keys[..], [key] if covers(rules, &key.values, rules.boards[board].cells));
            let is_asked = |expr: &Expr| matches!(&*expr.kind, ExprKind::Table(of, _) if *of == id);
            if !is_of_cells
                || !matches!(table.ty, Type::Bool)
                || table.values.iter().all(holds)
                || !table.values.iter().any(holds)
                || !is_mentioned(rules, &is_asked)
            {
                continue;
            }
            let letters =
                table.name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_lowercase().to_string());
            let Some(sign) = letters.into_iter().find(|letter| !taken.contains(letter)) else { continue };
            for (cell, value) in cells.iter_mut().zip(&table.values) {
                if cell.is_none() && holds(value) {
                    *cell = Some(drawn.len());
                }
            }
            taken.push(sign.clone());
            drawn.push(DrawnValue { value: Value::Bool(true), sign, piece: None });
            names.push(table.name.clone());
        }
        (!drawn.is_empty()).then_some(Background { cells, drawn, names })
    }

    fn value(&self, cell: u32) -> Option<&DrawnValue> {
        self.drawn.get((*self.cells.get(cell as usize)?)?)
    }

    /// The characters in a cell; empty if there is nothing.
    pub fn sign(&self, cell: u32) -> String {
        self.value(cell).map_or(String::new(), |of| of.sign.clone())
    }

    /// The piece in a cell.
    pub fn piece(&self, cell: u32) -> Option<Piece> {
        self.value(cell)?.piece.clone()
    }

    /// The characters with what they stand for.
    pub fn meanings(&self) -> Vec<(String, String)> {
        let shown = self.drawn.iter().zip(&self.names).filter(|(of, _)| of.sign != EMPTY_CELL);
        shown.map(|(of, name)| (of.sign.clone(), name.clone())).collect()
    }
}

/// The members that conditions of moves, ends and definitions compare with such a term.
fn compared_values(rules: &Rules, is_entry: &dyn Fn(&Expr) -> bool) -> Vec<Value> {
    let mut pending = all_conditions(rules);
    let mut found: Vec<Value> = Vec::new();
    while let Some(expr) = pending.pop() {
        if let ExprKind::Equal(left, right) = &*expr.kind {
            for (entry, other) in [(left, right), (right, left)] {
                let value = other.constant().filter(|value| is_entry(entry) && value.as_sym().is_some());
                found.extend(value.filter(|value| !found.contains(value)).cloned());
            }
        }
        expr.each_part(&mut |part| pending.push(part));
    }
    found.sort();
    found
}

/// Returns true if a condition has such a term.
fn is_mentioned(rules: &Rules, is_entry: &dyn Fn(&Expr) -> bool) -> bool {
    let mut pending = all_conditions(rules);
    while let Some(expr) = pending.pop() {
        if is_entry(expr) {
            return true;
        }
        expr.each_part(&mut |part| pending.push(part));
    }
    false
}

/// The conditions of moves and ends, and the definitions.
fn all_conditions(rules: &Rules) -> Vec<&Expr> {
    let mut found: Vec<&Expr> = rules.ends.iter().map(|rule| &rule.condition).collect();
    found.extend(rules.defs.iter().map(|def| &def.body));
    for mv in &rules.moves {
        conditions(&mv.body, &mut found);
    }
    found
}

/// Adds the conditions of a block.
fn conditions<'r>(block: &'r Block, found: &mut Vec<&'r Expr>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Require(condition) => found.push(condition),
            StmtKind::If(condition, yes, no) => {
                found.push(condition);
                conditions(yes, found);
                conditions(no, found);
            }
            StmtKind::For(_, inner) | StmtKind::Then(inner) => conditions(inner, found),
            _ => {}
        }
    }
}
