//! The names that have a meaning without a declaration, in the words of the language reference.

/// A built-in name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuiltIn {
    pub name: &'static str,
    /// The name with its arguments; the name alone for one without.
    pub form: &'static str,
    pub meaning: &'static str,
}

const fn built_in(name: &'static str, form: &'static str, meaning: &'static str) -> BuiltIn {
    BuiltIn { name, form, meaning }
}

/// The built-in names of expressions and types.
pub(crate) const BUILT_INS: &[BuiltIn] = &[
    built_in("me", "me", "The player who makes the move; only in moves and in definitions that they use."),
    built_in("opponent", "opponent", "The other of two players than the one who makes the move."),
    built_in("mover", "mover", "The player to move, a part of the state."),
    built_in("phase", "phase", "The phase, to be compared with the names of phases."),
    built_in(
        "stuck",
        "stuck(p)",
        "True if p, or without p everybody who is to act, has no legal move but a pass.",
    ),
    built_in("Player", "Player", "The type of the players, in their order."),
    built_in("Dir", "Dir", "All directions of the game's boards."),
    built_in("Orthogonal", "Orthogonal", "The straight directions."),
    built_in("Diagonal", "Diagonal", "The diagonal directions."),
    built_in("Compass", "Compass", "The straight and the diagonal directions."),
    built_in("other", "other(p)", "The other of two players."),
    built_in("dir", "dir(a, b)", "The direction from a to b; undefined if they are not aligned."),
    built_in("aligned", "aligned(a, b)", "True if a and b are on a straight line and differ."),
    built_in("diagonal", "diagonal(a, b)", "True if a and b are on a diagonal line and differ."),
    built_in("orthogonal", "orthogonal(a, b)", "True if a and b are in one column or row and differ."),
    built_in(
        "between",
        "between(a, b)",
        "The cells strictly between a and b; undefined if they are not aligned.",
    ),
    built_in("beyond", "beyond(a, b)", "The cell after b, going on straight from a through b."),
    built_in("ray", "ray(c, d)", "The cells from c in direction d, without c, up to the border."),
    built_in(
        "lines",
        "lines(B, k)",
        "All windows of k consecutive cells of straight lines of the board B; without k the longest lines.",
    ),
    built_in(
        "flood",
        "flood(from, within)",
        "The cells of `within` that are joined to cells of `from` in `within`, neighbour to neighbour.",
    ),
    built_in(
        "min",
        "min(a, b)",
        "The least of the numbers. As a quantifier, `min x in S: e` is the least value of e.",
    ),
    built_in(
        "max",
        "max(a, b)",
        "The greatest of the numbers. As a quantifier, `max x in S: e` is the greatest value of e.",
    ),
    built_in("sides", "sides(B)", "The sides of the cells of a grid, torus, strip or ring, each once."),
    built_in("edges", "edges(B)", "The pairs of neighbours of a board."),
];

/// The forms of boards.
pub(crate) const BOARDS: &[BuiltIn] = &[
    built_in("grid", "grid(w, h)", "w columns and h rows: `a1`, `b1`, ..., `a2`, ..."),
    built_in("torus", "torus(w, h)", "A grid whose opposite borders meet."),
    built_in("hex", "hex(w, h)", "A rhombus of hexagons."),
    built_in("strip", "strip(n)", "One row of n cells."),
    built_in("ring", "ring(n)", "A strip whose ends meet."),
    built_in("cube", "cube(a, b, c)", "Columns, rows and levels."),
];

/// The parts of cells, sides and edges of boards.
pub(crate) const CELL_PARTS: &[BuiltIn] = &[
    built_in("col", "c.col", "The column, from 1."),
    built_in("row", "c.row", "The row, from 1."),
    built_in("level", "c.level", "The level of a cube's cell, from 1."),
    built_in("index", "c.index", "The index of the cell in the order of the cells, from 1."),
    built_in("reading", "c.reading", "The index of the cell in reading order, from 1: the top row first."),
    built_in(
        "neighbors",
        "c.neighbors",
        "The cells one straight step away; of a graph, those joined to the cell.",
    ),
    built_in("diagonals", "c.diagonals", "The cells one diagonal step away."),
    built_in("around", "c.around", "The neighbors and the diagonals."),
    built_in("transpose", "c.transpose", "The cell with column and row exchanged."),
    built_in("sides", "c.sides", "The sides of the cell."),
    built_in("edges", "c.edges", "The edges of the cell."),
    built_in(
        "leap",
        "c.leap(i, j)",
        "The cells i columns and j rows away, or j and i: `leap(1, 2)` is a knight's move.",
    ),
    built_in("boxes", "s.boxes", "The one or two cells of a side."),
    built_in("ends", "e.ends", "The two cells of an edge."),
];

/// The built-in name or the form of a board with this name.
pub(crate) fn find(name: &str) -> Option<&'static BuiltIn> {
    BUILT_INS.iter().chain(BOARDS).find(|known| known.name == name)
}

/// The part of a cell with this name.
pub(crate) fn find_part(name: &str) -> Option<&'static BuiltIn> {
    CELL_PARTS.iter().find(|known| known.name == name)
}

impl BuiltIn {
    /// The arguments, as in the form; `None` if the name is not called.
    pub fn arguments(&self) -> Option<Vec<&'static str>> {
        let (_, rest) = self.form.split_once('(')?;
        Some(rest.trim_end_matches(')').split(", ").collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_all_built_in_names() {
        let known: Vec<&str> = BUILT_INS.iter().map(|of| of.name).collect();
        assert_eq!(known, bouton_analysis::BUILT_IN_NAMES);
    }
}
