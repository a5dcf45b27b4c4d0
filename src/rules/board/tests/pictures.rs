//! Pictures of boards.

use super::*;

fn lines(picture: &str) -> Vec<&str> {
    picture.lines().collect()
}

#[test]
fn grids() {
    let board = Board::grid(3, 2, &all).unwrap();
    let sign = |c: u32| if c == 4 { "X".into() } else { ".".into() };
    assert_eq!(lines(&board.draw(&sign)), ["2 . X .", "1 . . .", "  a b c"]);
    let wide = |c: u32| if c == 0 { "wK".into() } else { "-".into() };
    assert_eq!(lines(&board.draw(&wide)), ["2 -  -  -", "1 wK -  -", "  a  b  c"]);
}

#[test]
fn tall_grids_and_masks() {
    let board = Board::grid(1, 10, &all).unwrap();
    let picture = board.draw(&|_| "o".into());
    assert_eq!(lines(&picture)[..2], ["10 o", " 9 o"]);
    let dark = Board::grid(4, 3, &dark).unwrap();
    assert_eq!(lines(&dark.draw(&|_| "o".into())), ["3 o   o", "2   o   o", "1 o   o", "  a b c d"]);
    assert_eq!(dark.reading_rows()[0], [Some(4), None, Some(5), None]);
}

#[test]
fn hexagons() {
    let board = Board::hex(3, 3, &all).unwrap();
    let picture = board.draw(&|c| (c + 1).to_string());
    assert_eq!(lines(&picture), ["3 7 8 9", "2  4 5 6", "1   1 2 3", "     a b c"]);
    let wide = board.draw(&|_| "ab".into());
    assert_eq!(lines(&wide), ["3 ab  ab  ab", "2   ab  ab  ab", "1     ab  ab  ab", "        a   b   c"]);
}

#[test]
fn rows_and_levels() {
    assert_eq!(lines(&Board::ring(3).unwrap().draw(&|c| c.to_string())), ["0 1 2", "a b c"]);
    let cube = Board::cube(2, 1, 2).unwrap().draw(&|c| c.to_string());
    assert_eq!(lines(&cube), ["level 2", "1 2 3", "  a b", "", "level 1", "1 0 1", "  a b"]);
}

#[test]
fn graphs() {
    let picture = morris().draw(&|_| "o".into());
    assert_eq!(
        lines(&picture),
        [
            "7 o · · o · · o",
            "6 · o · o · o ·",
            "5 · · o o o · ·",
            "4 o o o · o o o",
            "3 · · o o o · ·",
            "2 · o · o · o ·",
            "1 o · · o · · o",
            "  a b c d e f g",
        ]
    );
    assert_eq!(morris().reading_rows()[3][3], None);
    let plain = Board::graph(&[clause(false, "left - mid - right")]).unwrap();
    assert_eq!(plain.draw(&|c| c.to_string()), "left:0 mid:1 right:2\n");
}
