//! Boards: from their expressions to cells with names.

use super::analyzer::{Analyzer, Resolution};
use super::fold::TooLong;
use super::locals::Locals;
use super::symbols::SymbolKind;
use bouton_base::source::Span;
use bouton_rules::board::{BoardError, GraphClause};
use bouton_rules::{Board, BoardId, Enum, EnumId, EnumKind, Type, Value, VarId};
use bouton_syntax::ast::{self, BoardForm, ItemKind};
use bouton_syntax::diag::{Code, Diagnostic};

/// The help for a board by another name.
fn foreign_shape(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "square" | "rectangle" | "rect" | "matrix" | "array" | "chessboard" | "checkerboard" | "squares" => {
            "a board of columns and rows is `grid(8, 8)`"
        }
        "hexagon" | "hexhex" | "hexes" | "honeycomb" => {
            "`hex(w, h)` is a rhombus of hexagons; a hexagon of side 3 is `hex(5, 5) where 4 <= col + row <= 8`"
        }
        "triangle" | "triangular" => "a triangle of hexagons is `hex(n, n) where col + row <= n + 1`",
        "line" | "row" | "track" | "path" | "list" | "linear" => "a row of cells is `strip(8)`",
        "circle" | "cycle" | "loop" | "round" | "circular" => "a row whose ends meet is `ring(8)`",
        "box" | "cuboid" | "grid3" | "grid3d" => "a board with levels is `cube(3, 3, 3)`",
        _ => return None,
    })
}

/// The sizes that a board needs, by an example.
fn shape_without_sizes(name: &str) -> Option<&'static str> {
    Some(match name {
        "grid" => "`grid(3, 4)` has 3 columns and 4 rows",
        "hex" => "`hex(3, 4)` has 3 columns and 4 rows of hexagons",
        "torus" => "`torus(3, 4)` has 3 columns and 4 rows, and no edge",
        "strip" => "`strip(8)` is a row of 8 cells",
        "ring" => "`ring(8)` is a row of 8 cells whose ends meet",
        "cube" => "`cube(3, 4, 2)` has 3 columns, 4 rows and 2 levels",
        _ => return None,
    })
}

/// A board by another name with the sizes that are given, if these are all that it needs.
fn shape_of_sizes(name: &str, sizes: &[ast::Expr]) -> Option<String> {
    let words: Vec<String> = sizes.iter().map(bouton_syntax::print_expr).collect();
    Some(match (name.to_ascii_lowercase().as_str(), &words[..]) {
        ("square" | "chessboard" | "checkerboard" | "squares", [side]) => format!("grid({side}, {side})"),
        ("square" | "rectangle" | "rect" | "matrix" | "squares" | "board", [columns, rows]) => {
            format!("grid({columns}, {rows})")
        }
        ("line" | "row" | "track" | "path" | "linear", [cells]) => format!("strip({cells})"),
        ("circle" | "cycle" | "loop" | "circular", [cells]) => format!("ring({cells})"),
        ("box" | "cuboid" | "grid3" | "grid3d", [columns, rows, levels]) => {
            format!("cube({columns}, {rows}, {levels})")
        }
        _ => return None,
    })
}

impl<'a> Analyzer<'a> {
    /// Builds every board, once.
    pub fn resolve_boards(&mut self) {
        if self.boards_done {
            return;
        }
        self.boards_done = true;
        let names: Vec<&'a str> = self.symbols.keys().copied().collect();
        for name in names {
            if self.is_kind(name, |k| matches!(k, SymbolKind::Board { .. })) {
                let span = self.symbols[name].span;
                self.board(name, span);
            }
        }
    }

    /// The board with this name, built on first use.
    pub fn board(&mut self, name: &'a str, span: Span) -> Option<BoardId> {
        let SymbolKind::Board { item, id } = self.symbols.get(name)?.kind.clone() else { return None };
        match id {
            Resolution::Resolved(id) => id,
            Resolution::InProgress => self.cycle(name, span),
            Resolution::Unresolved => {
                let ItemKind::Board { name: declared, form, condition } = &item.kind else { return None };
                self.set_board(name, Resolution::InProgress);
                self.in_progress.push((name, declared.span));
                let made = self.make_board(form, condition.as_ref());
                self.in_progress.pop();
                let id = made.map(|board| self.add_board(name, board));
                self.set_board(name, Resolution::Resolved(id));
                id
            }
        }
    }

    fn set_board(&mut self, name: &str, progress: Resolution<Option<BoardId>>) {
        if let Some(SymbolKind::Board { id, .. }) = self.symbols.get_mut(name).map(|s| &mut s.kind) {
            *id = progress;
        }
    }

    fn add_board(&mut self, name: &str, mut board: Board) -> BoardId {
        let id = self.rules.boards.next_id();
        let members = board.cell_names().to_vec();
        let cells = self.rules.enums.push(Enum { name: name.into(), kind: EnumKind::Cells(id), members });
        board.name = name.into();
        board.cells = cells;
        self.rules.boards.push(board);
        self.add_members(cells, &[]);
        id
    }

    fn make_board(&mut self, form: &ast::BoardForm, condition: Option<&ast::Expr>) -> Option<Board> {
        match form {
            BoardForm::Graph(lines) => {
                if let Some(condition) = condition {
                    self.error(
                        Code::E0201,
                        "a graph has no columns and rows",
                        condition.span,
                        "leave the points out",
                    );
                    return None;
                }
                let clauses: Vec<GraphClause> = lines.iter().map(clause).collect();
                let span = lines.first().map_or(self.game_span(), |l| l.span);
                match Board::graph(&clauses) {
                    Err(BoardError::Loop(_) | BoardError::Repeated(_)) => {
                        self.misjoined_points(lines);
                        Board::graph(&super::misjoined_points::points_alone(&clauses)).ok()
                    }
                    made => self.built_or_reported(made, span),
                }
            }
            BoardForm::Expr(expr) => self.shaped_board(expr, condition),
        }
    }

    fn built_or_reported(&mut self, board: Result<Board, BoardError>, span: Span) -> Option<Board> {
        board
            .map_err(|why| self.error(Code::E0403, format!("this board cannot be built: {why}"), span, ""))
            .ok()
    }

    fn shaped_board(&mut self, expr: &ast::Expr, condition: Option<&ast::Expr>) -> Option<Board> {
        const SHAPES: &str =
            "grid(w, h), hex(w, h), torus(w, h), strip(n), ring(n), cube(a, b, c), graph { ... }";
        let ast::ExprKind::Call(callee, args) = &*expr.bare().kind else {
            if matches!(&*expr.bare().kind, ast::ExprKind::Error) {
                return None;
            }
            if let ast::ExprKind::Index(shape, sizes) = &*expr.bare().kind
                && let Some(shape @ ("grid" | "hex" | "torus" | "strip" | "ring" | "cube")) = shape.as_name()
                && let [first, ..] = &sizes[..]
            {
                let title = "the sizes of a board stand in round brackets";
                let found = Diagnostic::new(Code::E0201, title, expr.span, "");
                let opening = first.span.start - 1;
                let last = expr.span.end;
                self.report(
                    found
                        .help(format!("write `{shape}(...)`"))
                        .edit(Span { start: opening, end: opening + 1, ..expr.span }, "(")
                        .edit(Span { start: last - 1, end: last, ..expr.span }, ")"),
                );
                return None;
            }
            if self.board_without_cells(expr, condition) {
                return None;
            }
            let found = Diagnostic::new(Code::E0201, "a board is needed here", expr.span, "this is none");
            if let Some(name) = expr.bare().as_name()
                && self.quiet_type(expr, &mut Locals::constant()) == Some(Type::Text)
            {
                let new = format!("grid({name}.columns, {name}.rows)");
                let mut found = found.help(format!("a picture has the sizes of a board: write `{new}`"));
                found.labels[0].text = "this is a picture".to_owned();
                self.report(found.edit(expr.span, new));
                return None;
            }
            if let Some(form) = expr.bare().as_name().and_then(shape_without_sizes) {
                let mut found = found;
                found.labels[0].text = "its sizes are missing".to_owned();
                self.report(found.help(format!("write the sizes behind it in round brackets: {form}")));
                return None;
            }
            self.report(found.help(format!("the boards are {SHAPES}")));
            return None;
        };
        let name = callee.as_name().unwrap_or("");
        let arity = match name {
            "grid" | "hex" | "torus" => 2,
            "strip" | "ring" => 1,
            "cube" => 3,
            _ => {
                let title = format!("there is no board `{name}`");
                let found = Diagnostic::new(Code::E0101, title, callee.span, "");
                if let Some(new) = shape_of_sizes(name, args) {
                    self.report(found.help(format!("write `{new}`")).edit(expr.span, new));
                    return None;
                }
                let near =
                    bouton_syntax::diag::nearest(name, ["grid", "hex", "torus", "strip", "ring", "cube"]);
                let found = match near {
                    Some(near) => found.help(format!("did you mean `{near}`?")).edit(callee.span, near),
                    None => found.help(match foreign_shape(name) {
                        Some(help) => help.to_owned(),
                        None => format!("the boards are {SHAPES}"),
                    }),
                };
                self.report(found);
                return None;
            }
        };
        if arity == 2 && args.len() == 1 {
            let title = format!("`{name}` has 2 parameters; 1 is given");
            let found = Diagnostic::new(Code::E0104, title, expr.span, format!("{name}(columns, rows)"));
            let size = match &*args[0].bare().kind {
                ast::ExprKind::Number(digits) => digits.as_str(),
                _ => args[0].as_name().unwrap_or("n"),
            };
            self.report(found.help(format!(
                "write `{name}({size}, {size})` if it is as high as wide, `strip({size})` for one row"
            )));
            return None;
        }
        let mut locals = Locals::constant();
        let types = vec![Type::Int(1, 4096); arity];
        let made = self.arguments(name, args, &types, expr.span, &mut locals)?;
        let mut sizes = Vec::new();
        for size in made {
            sizes.push(self.must_be_constant(size, "the size of a board").constant()?.as_int()?);
        }
        let masked = matches!(name, "grid" | "hex" | "torus");
        if let (Some(condition), false) = (condition, masked) {
            self.error(
                Code::E0201,
                format!("a {name} has no mask"),
                condition.span,
                "only boards of columns and rows",
            );
            return None;
        }
        let keep = condition.map(|c| self.mask(c, sizes[0], sizes[1]));
        let inside = |col: i64, row: i64| match &keep {
            None => true,
            Some(keep) => keep.as_ref().is_some_and(|k| k[((row - 1) * sizes[0] + col - 1) as usize]),
        };
        if keep.as_ref().is_some_and(Option::is_none) {
            return None;
        }
        let board = match name {
            "grid" => Board::grid(sizes[0], sizes[1], &inside),
            "hex" => Board::hex(sizes[0], sizes[1], &inside),
            "torus" => Board::torus(sizes[0], sizes[1], &inside),
            "strip" => Board::strip(sizes[0]),
            "ring" => Board::ring(sizes[0]),
            _ => Board::cube(sizes[0], sizes[1], sizes[2]),
        };
        self.built_or_reported(board, expr.span)
    }

    /// The mask of a w x h board: true for each cell that satisfies a condition over `col` and `row`, by rows.
    fn mask(&mut self, condition: &ast::Expr, w: i64, h: i64) -> Option<Vec<bool>> {
        if w.saturating_mul(h) > 4096 {
            // The size limit of boards reports a board that is too large.
            return Some(vec![true; w.saturating_mul(h).min(1 << 24) as usize]);
        }
        if self.cell_of_a_mask(condition) || self.parts_in_a_mask(condition) || self.cell_as_a_mask(condition)
        {
            return None;
        }
        let mut locals = Locals::constant();
        let span = condition.span;
        for (name, most) in [("col", w), ("row", h)] {
            locals.add(name, Type::Int(1, most), span);
        }
        let made = self.formula(condition, &mut locals);
        if made.ty == Type::Error {
            return None;
        }
        if !self.is_static(&made) {
            self.must_be_constant(made, "the mask of a board");
            return None;
        }
        let cells = (1..=h).flat_map(|row| (1..=w).map(move |col| (col, row)));
        let mut value = |(col, row)| {
            let env = [(VarId(0), Value::Int(col)), (VarId(1), Value::Int(row))];
            Ok(self.constant_value(&env, &made)? == Some(Value::Bool(true)))
        };
        let kept: Result<Vec<bool>, TooLong> = cells.map(&mut value).collect();
        if kept.is_err() {
            self.too_long(span, format!("worked out {} times", w * h));
        }
        if kept.as_ref().is_ok_and(|kept| !kept.is_empty() && !kept.contains(&true)) {
            self.mask_without_cells(condition);
            return None;
        }
        kept.ok()
    }

    /// The board whose cells are the values of a type.
    pub fn board_of(&self, ty: &Type) -> Option<BoardId> {
        match ty.present().base() {
            Type::Sym(id) => match self.rules.enums[*id].kind {
                EnumKind::Cells(board) => Some(board),
                _ => None,
            },
            _ => None,
        }
    }

    /// The enum of a board's sides or edges, created on first use.
    pub fn sides_enum(&mut self, id: BoardId, sides: bool) -> EnumId {
        let board = &self.rules.boards[id];
        let known = if sides { board.sides } else { board.edges };
        if let Some(known) = known {
            return known;
        }
        let members = if sides { board.side_names().to_vec() } else { board.edge_names().to_vec() };
        let name = format!("{}({})", if sides { "sides" } else { "edges" }, board.name);
        let kind = if sides { EnumKind::Sides(id) } else { EnumKind::Edges(id) };
        let made = self.rules.enums.push(Enum { name, kind, members });
        let board = &mut self.rules.boards[id];
        if sides {
            board.sides = Some(made);
        } else {
            board.edges = Some(made);
        }
        self.add_members(made, &[]);
        made
    }
}

fn clause(line: &ast::GraphLine) -> GraphClause {
    let mut points = vec![line.first.text.clone()];
    points.extend(line.rest.iter().map(|(_, name)| name.text.clone()));
    GraphClause {
        is_line: line.is_line,
        points,
        one_way: line.rest.iter().map(|(one_way, _)| *one_way).collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, found};
    use bouton_syntax::diag::Code;

    #[test]
    fn pictures_have_the_sizes_of_boards() {
        let text = |board: &str| {
            format!(
                "game \"Walk\"; player Walker; param level: text = \"\"\"\n  #.\n  .#\"\"\"; const width = 2;
                 board Cell = {board}; state {{ here: Cell = a1; }}
                 move go(d: Orthogonal) as \"{{d}}\" {{ here := here + d; }} end {{ when here = b2 => win; }}"
            )
        };
        let told = found(&text("level"), Code::E0201);
        let [edit] = &told[0].edits[..] else { panic!("{told:?}") };
        assert_eq!(edit.text, "grid(level.columns, level.rows)");
        assert!(!codes(&text(&edit.text)).contains(&Code::E0201));
        assert!(found(&text("width"), Code::E0201)[0].edits.is_empty());
    }

    #[test]
    fn boards_have_sizes() {
        let text = "game \"Fence\"; players A, B; board Plot = grid;
             state { grown: set of sides(Plot) = {}; n: 0..9 = 0; }
             move lay(s: sides(Plot)) as \"{s}\" { when s not in grown; grown |= { s }; n += 1; }
             end { when a1w in grown and n > 3 => draw; when stuck => draw; }";
        let told = found(text, Code::E0201);
        let [told] = &told[..] else { panic!("{told:?}") };
        assert_eq!(told.labels[0].text, "its sizes are missing");
        let help = "write the sizes behind it in round brackets: `grid(3, 4)` has 3 columns and 4 rows";
        assert_eq!((told.help.as_deref(), told.edits.len()), (Some(help), 0));
    }
}
