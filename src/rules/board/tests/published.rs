//! Published numbers of the boards of well-known games, and the limits of sizes.

use super::*;

fn grid(w: i64, h: i64) -> Board {
    Board::grid(w, h, &all).unwrap()
}

#[test]
fn counts_of_lines() {
    assert_eq!(grid(3, 3).lines(3).len(), 8, "tic-tac-toe");
    assert_eq!(grid(7, 6).lines(4).len(), 69, "connect four");
    assert_eq!(grid(15, 15).lines(5).len(), 572, "gomoku");
    assert_eq!(morris().lines(3).len(), 16, "the mills");
    assert_eq!(morris().all_lines().len(), 16);
    assert_eq!(Board::cube(3, 3, 3).unwrap().lines(3).len(), 27);
    assert_eq!(Board::torus(3, 3, &all).unwrap().lines(3).len(), 12, "an affine plane of order 3");
}

#[test]
fn the_board_of_morris() {
    let board = morris();
    assert_eq!(board.len(), 24);
    assert_eq!(board.edge_names().len(), 32);
    let near = |name| names(&board, board.neighbors(cell(&board, name)));
    assert_eq!(near("d2"), ["d1", "b2", "f2", "d3"], "in the order of first mention");
    assert_eq!(near("a1"), ["d1", "a4"]);
    assert!(!board.aligned(cell(&board, "d3"), cell(&board, "d5")), "the middle is empty");
}

#[test]
fn knights_kings_and_names() {
    let board = grid(8, 8);
    let leaps: usize = (0..64).map(|c| board.leap(c, 1, 2).len()).sum();
    assert_eq!(leaps, 336);
    let kings: usize = (0..64).map(|c| board.around(c).len()).sum();
    assert_eq!(kings, 420);
    assert_eq!(names(&board, &board.leap(cell(&board, "a1"), 1, 2)), ["c2", "b3"]);
    assert_eq!(board.dir(cell(&board, "c3"), cell(&board, "f6")), Some(Dir::NE));
    assert_eq!(board.dir(cell(&board, "c3"), cell(&board, "d5")), None);
    assert_eq!(board.beyond(cell(&board, "c3"), cell(&board, "h8")), None);
    assert_eq!(board.reading(cell(&board, "a8")), 1);
    assert_eq!(board.reading(cell(&board, "h1")), 64);
    assert_eq!(board.find("i1"), None);
}

#[test]
fn columns_past_z() {
    let strip = Board::strip(30).unwrap();
    assert_eq!(strip.cell_names()[25..28], ["z1", "aa1", "ab1"]);
    assert_eq!(column_name(26 * 27), "zz");
    assert_eq!(column_name(26 * 27 + 1), "aaa");
    assert_eq!(Board::cube(2, 1, 2).unwrap().cell_names(), ["a1_1", "b1_1", "a1_2", "b1_2"]);
}

#[test]
fn boxes() {
    let board = grid(2, 2);
    assert_eq!(
        board.side_names(),
        ["a1s", "a1w", "a1e", "a1n", "b1s", "b1e", "b1n", "a2w", "a2e", "a2n", "b2e", "b2n"]
    );
    assert_eq!(board.boxes_of(2), [0, 1]);
    assert_eq!(Board::torus(3, 4, &all).unwrap().side_names().len(), 24);
}

#[test]
fn directions() {
    for d in Dir::ALL {
        let ((x, y, z), (bx, by, bz)) = (d.delta(), d.opposite().delta());
        assert_eq!((x, y, z), (-bx, -by, -bz));
        assert_eq!(d.opposite().opposite(), d);
        assert_eq!(format!("{d:?}"), d.name());
    }
}

#[test]
fn sizes_that_make_no_board() {
    assert_eq!(Board::grid(0, 3, &all).unwrap_err(), BoardError::Empty);
    assert_eq!(Board::strip(-1).unwrap_err(), BoardError::Empty);
    assert_eq!(Board::grid(3, 3, &|_, _| false).unwrap_err(), BoardError::Empty);
    assert_eq!(Board::hex(65, 64, &all).unwrap_err(), BoardError::TooLarge);
    assert_eq!(Board::cube(i64::MAX, i64::MAX, 2).unwrap_err(), BoardError::TooLarge);
    assert_eq!(Board::torus(64, 64, &all).unwrap().len(), MAX_CELLS);
}

#[test]
fn numbers_that_are_no_cells() {
    let board = grid(3, 3);
    assert_eq!((board.step(99, Dir::N), board.col(99), board.transpose(99)), (None, None, None));
    assert!(board.neighbors(99).is_empty() && board.ray(99, Dir::N).is_empty() && !board.aligned(0, 99));
    assert!(board.sides_of(99).is_empty() && board.boxes_of(99).is_empty() && board.edges_of(99).is_empty());
    assert_eq!((board.cell_name(99), board.reading(99), board.at(0, -5)), ("", 0, None));
    assert!(board.leap(0, i64::MIN, i64::MAX).is_empty());
    let torus = Board::torus(3, 3, &all).unwrap();
    assert!(!torus.leap(0, i64::MIN, i64::MAX).is_empty());
    assert_eq!(Board::cube(2, 2, 2).unwrap().at(1, 1), None, "which level?");
    assert_eq!(Board::cube(2, 2, 1).unwrap().at(1, 1), Some(0));
}
