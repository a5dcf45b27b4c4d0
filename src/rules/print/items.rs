//! Prints the items before the moves: types, boards, phases, fields, tables, definitions.

use super::expr::ExprPrinter;
use super::{Printer, quoted, values};
use crate::board::{Board, BoardShape};
use crate::{
    Actor, BoardId, Def, DefId, EnumKind, Field, FieldId, PLAYER, Phase, PhaseId, Value, Vars, Visibility,
};

impl Printer<'_> {
    /// Prints all items up to the definitions, in the order of their ids.
    pub(super) fn items(&mut self) {
        let rules = self.rules;
        self.docs("//!", &rules.doc);
        self.line(format!("game {};", quoted(&rules.name)));
        for (name, value) in &rules.params {
            self.line(format!("param {name} = {};", values::value(rules, value).0));
        }
        self.types();
        for (id, board) in rules.boards.entries() {
            self.board(id, board);
        }
        for (id, phase) in rules.phases.entries() {
            self.phase(id, phase);
        }
        for (id, field) in rules.fields.entries() {
            self.field(id, field);
        }
        for (id, table) in rules.tables.entries() {
            let entry =
                |v: &Option<Value>| v.as_ref().map_or("undefined".into(), |v| values::value(rules, v).0);
            let texts: Vec<String> = table.values.iter().map(entry).collect();
            let (keys, ty) = (values::keys(rules, &table.keys), rules.show_type(&table.ty));
            let entries = values::entries(rules, &table.keys, &texts);
            self.line(format!("table {id} {}{keys}: {ty} = {entries};", table.name));
        }
        for (id, def) in rules.defs.entries() {
            self.def(id, def);
        }
    }

    fn types(&mut self) {
        let rules = self.rules;
        for (id, known) in rules.enums.entries() {
            let kind = match known.kind {
                EnumKind::Player => "players".into(),
                EnumKind::Dir => "directions".into(),
                EnumKind::User => "enum".into(),
                EnumKind::Cells(board) => format!("cells of {board}"),
                EnumKind::Sides(board) => format!("sides of {board}"),
                EnumKind::Edges(board) => format!("edges of {board}"),
            };
            self.line(format!("{kind} {id} {} {{ {} }}", known.name, known.members.join(", ")));
        }
        for (id, record) in rules.records.entries() {
            let part = |(name, ty): &(String, _)| format!("{name}: {}", rules.show_type(ty));
            let parts: Vec<String> = record.parts.iter().map(part).collect();
            self.line(format!("record {id} {}({});", record.name, parts.join(", ")));
        }
    }

    fn board(&mut self, id: BoardId, board: &Board) {
        let shape = format!("{:?}", board.shape).to_lowercase();
        let mut text =
            format!("board {id} {} = {shape} of {} cells {}", board.name, board.len(), board.cells);
        for (word, sub) in [("sides", board.sides), ("edges", board.edges)] {
            if let Some(sub) = sub {
                text.push_str(&format!(", {word} {sub}"));
            }
        }
        for (word, ty) in [("col", &board.col), ("row", &board.row), ("level", &board.level)] {
            if let Some((low, high)) = ty.interval().filter(|(low, high)| low <= high) {
                text.push_str(&format!(", {word} {low}..{high}"));
            }
        }
        if board.shape != BoardShape::Graph {
            self.line(format!("{text};"));
            return;
        }
        // The shape and the cells determine the tables of other boards.
        self.braces(&text, |printer| {
            let names = |cells: &[u32]| cells.iter().map(|&c| board.cell_name(c)).collect::<Vec<_>>();
            for c in 0..board.len() as u32 {
                let (name, near) = (board.cell_name(c), names(board.neighbors(c)).join(", "));
                let text = if near.is_empty() { format!("{name};") } else { format!("{name} -> {near};") };
                printer.line(text);
            }
            for line in board.all_lines() {
                printer.line(format!("line {};", names(&line).join(" - ")));
            }
        });
    }

    fn phase(&mut self, id: PhaseId, phase: &Phase) {
        let setup = if phase.setup { "setup " } else { "" };
        let none = Vars::new();
        let actor = match &phase.actor {
            Actor::Mover => "mover".into(),
            Actor::Player(e) => ExprPrinter { rules: self.rules, vars: &none }.full(e),
            Actor::Each => "each".into(),
            Actor::Chance => "chance".into(),
        };
        let text = format!("{setup}phase {id} {} by {actor};", phase.name);
        self.line(text.replace("  ", " "));
    }

    fn field(&mut self, id: FieldId, field: &Field) {
        let rules = self.rules;
        self.docs("///", &field.doc);
        let transient = if field.transient { "transient " } else { "" };
        let texts: Vec<String> = field.init.iter().map(|v| values::value(rules, v).0).collect();
        let init = values::entries(rules, &field.keys, &texts);
        let seen = match &field.visibility {
            Visibility::Public => String::new(),
            Visibility::Hidden => " hidden".into(),
            Visibility::To(players) => {
                let player = |&p: &u32| Value::Sym(PLAYER, p);
                let sets = players
                    .iter()
                    .map(|set| values::set(rules, &set.iter().map(player).collect::<Vec<_>>()).0);
                format!(" visible to {}", values::entries(rules, &field.keys, &sets.collect::<Vec<_>>()))
            }
        };
        let (keys, ty) = (values::keys(rules, &field.keys), rules.show_type(&field.ty));
        self.line(format!("{transient}field {id} {}{keys}: {ty} = {init}{seen};", field.name));
    }

    fn def(&mut self, id: DefId, def: &Def) {
        let rules = self.rules;
        self.docs("///", &def.doc);
        let words = ExprPrinter { rules, vars: &def.vars };
        let param = |&p| match def.vars.get(p) {
            Some(var) => format!("{p} {}: {}", words.var(p), rules.show_type(&var.ty)),
            None => p.to_string(),
        };
        let params: Vec<String> = def.params.iter().map(param).collect();
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        let kind = def.group.map_or("def".into(), |group| format!("inductive({group})"));
        let me = if def.uses_me { " of me" } else { "" };
        let (ty, body) = (rules.show_type(&def.ty), words.full(&def.body));
        self.line(format!("{kind} {id} {}{params}{me}: {ty} = {body};", def.name));
        self.depth += 1;
        self.vars(&def.vars, def.params.len());
        self.depth -= 1;
    }
}
