//! Graphs: edges, chains, names that are coordinates.

use super::*;

#[test]
fn edges_one_way_and_both() {
    let board =
        Board::graph(&[clause(false, "p - q -> r"), clause(false, "s"), clause(false, "r -> q")]).unwrap();
    assert_eq!(board.cell_names(), ["p", "q", "r", "s"]);
    let near = |name| names(&board, board.neighbors(cell(&board, name)));
    assert_eq!(near("p"), ["q"]);
    assert_eq!(near("q"), ["p", "r"]);
    assert_eq!(near("r"), ["q"]);
    assert!(near("s").is_empty());
    assert_eq!(board.edge_names(), ["p_q", "q_r"]);
    assert_eq!(board.flood(&[2], &|_| true), [0, 1, 2]);

    let down = Board::graph(&[clause(false, "p -> q -> r")]).unwrap();
    assert_eq!(down.flood(&[1], &|_| true), [1, 2]);
    assert_eq!(down.edges_of(2), [1]);
}

#[test]
fn no_directions_and_perhaps_no_coordinates() {
    let board = Board::graph(&[clause(true, "u - v - w")]).unwrap();
    assert!(board.directions().is_empty() && board.orthogonal().is_empty() && board.diagonal().is_empty());
    assert!(!board.has_coordinates());
    assert_eq!((board.col(0), board.row(0), board.level(0), board.at(1, 1)), (None, None, None, None));
    assert_eq!(board.col, Type::Int(1, 0));
    assert_eq!((board.step(0, Dir::N), board.dir(0, 1), board.transpose(0)), (None, None, None));
    assert!(board.leap(0, 1, 2).is_empty() && board.diagonals(0).is_empty() && board.side_names().is_empty());
    assert_eq!(board.around(1), board.neighbors(1));
    assert_eq!((board.reading(2), board.index(2)), (3, 3));
    assert_eq!(board.reading_rows(), [[Some(0), Some(1), Some(2)]]);
}

#[test]
fn names_that_tell_coordinates() {
    let placed = |text| Board::graph(&[clause(false, text)]).unwrap().has_coordinates();
    assert!(placed("a1 - d1"));
    assert!(placed("c2 - aa12"));
    assert!(!placed("v1 - v2"), "one letter for all is no column");
    assert!(!placed("a1 - b"));
    assert!(!placed("a1 - b01"));
    assert!(!placed("a1 - B2"));
    assert!(!placed("a1 - b99999999999999999999"));
    assert!(!placed("a1 - zzz900"), "too large to draw");
    let board = morris();
    assert_eq!(board.cell_name(1), "d1");
    assert_eq!((board.col(1), board.row(1)), (Some(4), Some(1)));
    assert_eq!((board.col, board.row), (Type::Int(1, 7), Type::Int(1, 7)));
}

#[test]
fn chains_are_straight() {
    let board =
        Board::graph(&[clause(true, "p - q -> r - s"), clause(true, "p - t"), clause(false, "t - s")])
            .unwrap();
    let id = |name| cell(&board, name);
    assert!(board.aligned(id("p"), id("s")) && board.aligned(id("s"), id("p")));
    assert!(!board.aligned(id("t"), id("s")), "an edge without a line");
    assert!(!board.aligned(id("p"), id("p")));
    let between = |a, b| board.between(id(a), id(b)).map(|cells| names(&board, &cells));
    assert_eq!(between("s", "p"), Some(vec!["q".into(), "r".into()]));
    assert_eq!(between("p", "t"), Some(vec![]));
    assert_eq!(between("q", "t"), None);
    assert_eq!(board.beyond(id("p"), id("r")), Some(id("s")));
    assert_eq!(board.beyond(id("r"), id("q")), Some(id("p")));
    assert_eq!(board.beyond(id("q"), id("s")), None);
    assert!(!board.orthogonal_pair(id("p"), id("q")) && !board.diagonal_pair(id("p"), id("q")));
    let lines = |k| board.lines(k).iter().map(|line| names(&board, line).concat()).collect::<Vec<_>>();
    assert_eq!(lines(2), ["pq", "qr", "rs", "pt"]);
    assert_eq!(lines(3), ["pqr", "qrs"]);
    assert_eq!(board.all_lines().iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
}

#[test]
fn lines_that_disagree_and_lines_that_close() {
    let fork = Board::graph(&[clause(true, "p - q - r"), clause(true, "p - q - s")]).unwrap();
    assert_eq!(fork.between(0, 1), Some(vec![]));
    assert_eq!(fork.beyond(0, 1), None, "r or s");
    let round = Board::graph(&[clause(true, "p - q - r - s - p")]).unwrap();
    assert_eq!(round.beyond(2, 3), Some(0));
    assert_eq!(round.beyond(0, 3), Some(2));
    assert!(round.aligned(0, 2));
    assert_eq!(round.between(0, 2), None, "both ways are as short");
    assert_eq!((round.lines(3).len(), round.lines(4).len(), round.lines(5).len()), (4, 1, 0));
    assert_eq!(round.all_lines(), [[0, 1, 2, 3]]);
}

#[test]
fn clauses_that_make_no_board() {
    assert_eq!(Board::graph(&[]).unwrap_err(), BoardError::Empty);
    assert_eq!(Board::graph(&[clause(false, "p - p")]).unwrap_err(), BoardError::Loop("p".into()));
    let twice = Board::graph(&[clause(true, "p - q - r - q")]);
    assert_eq!(twice.unwrap_err(), BoardError::Repeated("q".into()));
    let back = Board::graph(&[clause(true, "p - q - p")]);
    assert_eq!(back.unwrap_err(), BoardError::Repeated("p".into()));
    assert!(Board::graph(&[clause(false, "p - q - p")]).is_ok());
    let many: Vec<String> = (0..5000).map(|i| format!("v{i}")).collect();
    let large = GraphClause { is_line: false, points: many, one_way: vec![] };
    assert_eq!(Board::graph(&[large]).unwrap_err(), BoardError::TooLarge);
}

#[test]
fn edge_names_are_kept_apart() {
    let board = Board::graph(&[clause(false, "a - b_c"), clause(false, "a_b - c")]).unwrap();
    assert_eq!(board.edge_names(), ["a_b_c", "a_b__c"]);
}
