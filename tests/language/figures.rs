//! Published and brute-forced figures, copied with their sources, against the results of the definition of the
//! language.

use std::collections::{BTreeMap, HashSet};

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::load::{GameSource, LoadRequest};
use bouton_driver::position::resolve_start;
use bouton_rules::MOVER;
use bouton_search::game::explore::count_positions;
use bouton_search::game::perft::{PlyUnit, perft};
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::{Auto, SolveOptions, SolveRequest, Solver, ValueKind};

use super::{all_day, method, slow};

/// A game with its settings, and optionally a named position.
struct FigureCase {
    game: &'static str,
    settings: &'static [&'static str],
    position: Option<&'static str>,
}

fn case(game: &'static str, settings: &'static [&'static str]) -> FigureCase {
    FigureCase { game, settings, position: None }
}

impl FigureCase {
    fn begin(&self) -> (Game, State) {
        self.begin_on(Backend::Reference)
    }

    fn begin_on(&self, backend: Backend) -> (Game, State) {
        let path = format!("{}/games/{}.bou", env!("CARGO_MANIFEST_DIR"), self.game);
        let settings: Vec<String> = self.settings.iter().map(|s| s.to_string()).collect();
        let mut text = GameSource::read(&LoadRequest { path: &path, settings: &settings, preset: None })
            .expect("the game can be read");
        text.backend = backend;
        match resolve_start(&mut text, self.position, None, &Limits::default()) {
            Ok(begin) => (begin.game, begin.state),
            Err(why) => panic!("{} {:?}: {why:?}", self.game, self.settings),
        }
    }

    fn perft(&self, by: PlyUnit, counts: &[u64]) {
        let (game, state) = self.begin();
        let depth = counts.len() as u32;
        let found = perft(&game, &state, depth, by, &Limits::default()).expect("a count");
        assert_eq!(found.by_depth[1..], *counts, "{} {:?}", self.game, self.settings);
    }

    fn value(&self) -> (Option<ValueKind>, u64, Option<u32>) {
        let (game, state) = self.begin();
        let options = SolveOptions::default();
        let solved = Auto
            .solve(&SolveRequest::new(&game, &state, &options, &Limits::default(), &NoProgress))
            .expect("sound rules");
        (solved.value.map(|v| v.kind), solved.positions, solved.remoteness)
    }

    /// Solves depth first, which scales further; for the difference of the scores if `margin` is set.
    fn searched(&self, margin: bool) -> (Option<u32>, Option<i64>) {
        let (game, state) = self.begin_on(Backend::Jit);
        self.searched_from(&game, &state, margin)
    }

    fn searched_from(&self, game: &Game, state: &State, margin: bool) -> (Option<u32>, Option<i64>) {
        let options = SolveOptions { margin, max_line_moves: 0, ..SolveOptions::default() };
        let (method, limits) = (method("alphabeta"), Limits::default());
        let solved = method
            .solve(&SolveRequest::new(game, state, &options, &limits, &NoProgress))
            .expect("sound rules");
        let winner = match solved.value.map(|value| value.kind) {
            Some(ValueKind::Win(player)) => Some(player),
            Some(ValueKind::Draw) => None,
            other => panic!("{} {:?}: {other:?} {:?}", self.game, self.settings, solved.reason),
        };
        (winner, solved.margin.map(|margin| margin.as_i64().unwrap()))
    }

    fn winner(&self) -> Option<u32> {
        match self.value().0 {
            Some(ValueKind::Win(player)) => Some(player),
            Some(ValueKind::Draw) => None,
            other => panic!("{} {:?}: {other:?}", self.game, self.settings),
        }
    }
}

/// Well known; 255,168 games in all.
#[test]
fn tic_tac_toe() {
    let game = case("tictactoe", &[]);
    game.perft(
        PlyUnit::Move,
        &[9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872][..if slow() { 9 } else { 6 }],
    );
    let (rules, state) = game.begin();
    let count = count_positions(&rules, &state, &Limits::default(), &NoProgress).expect("sound rules");
    assert_eq!((count.positions, count.terminal), (5478, 958));
    let ends: Vec<u64> = count.terminal_by_outcome.iter().map(|(_, n)| *n).collect();
    assert_eq!(ends, [626, 16, 316], "won by X, drawn, won by O");
    assert_eq!(game.winner(), None);
}

/// chessprogramming.org, Perft Results: initial position, and position 2 ("Kiwipete").
#[test]
fn chess() {
    let start = case("chess", &[]);
    let kiwipete = FigureCase { position: Some("Kiwipete"), ..case("chess", &[]) };
    if slow() {
        start.perft(PlyUnit::Move, &[20, 400, 8902, 197_281]);
        kiwipete.perft(PlyUnit::Move, &[48, 2039, 97_862]);
    } else {
        start.perft(PlyUnit::Move, &[20, 400]);
        kiwipete.perft(PlyUnit::Move, &[48]);
    }
}

/// OEIS A133046 (turns), Aart Bik (Othello), Little Golem's rules of Breakthrough by an independent program.
#[test]
fn boards_of_eight() {
    let (draughts, othello) = (case("english_draughts", &["n=8", "ranks=3"]), case("othello", &["n=8"]));
    let breakthrough = case("breakthrough", &["cols=8", "rows=8"]);
    let some = |all: usize, few: usize| if slow() { all } else { few };
    draughts.perft(PlyUnit::Turn, &[7, 49, 302, 1469, 7361, 36_768][..some(6, 3)]);
    othello.perft(PlyUnit::Move, &[4, 12, 56, 244, 1396, 8200][..some(6, 3)]);
    breakthrough.perft(PlyUnit::Move, &[22, 484, 11_132, 256_036][..some(4, 2)]);
}

/// Brute force: the second player wins only for k = 1 and n even.
#[test]
fn hatch() {
    let most = if slow() { 12 } else { 7 };
    for n in 1..=most {
        for k in 1..=most {
            let settings: &[&'static str] =
                Box::leak(Box::new([&*format!("n={n}").leak(), &*format!("k={k}").leak()]));
            let second = case("hatch", settings).winner() == Some(1);
            assert_eq!(second, k == 1 && n % 2 == 0, "n = {n}, k = {k}");
        }
    }
}

/// Returns true if the player to move wins a row of eight cells, given the filled ones as bits: a move fills a block of
/// adjacent cells of the leftmost run of free cells.
fn row_is_won(filled: u32) -> bool {
    let Some(first) = (0..8).find(|i| filled >> i & 1 == 0) else { return false };
    let end = (first..8).find(|i| filled >> i & 1 == 1).unwrap_or(8);
    let block = |a: u32, b: u32| (a..b).fold(0, |bits, i| bits | 1 << i);
    (first..end).any(|a| (a + 1..=end).any(|b| !row_is_won(filled | block(a, b))))
}

/// The closed form: with a run of two or more, the player who reaches it chooses who begins the rest, so only the
/// single cells before it count; without one, all do.
fn row_is_told_won(filled: u32) -> bool {
    let runs: Vec<usize> = (0..8)
        .map(|i| if filled >> i & 1 == 1 { '#' } else { '.' })
        .collect::<String>()
        .split('#')
        .map(str::len)
        .filter(|length| *length > 0)
        .collect();
    let single = runs.iter().take_while(|length| **length == 1).count();
    (single % 2 == 0) == (single < runs.len())
}

/// 171 of the 256 rows are won by the player who moves.
#[test]
fn rows_of_cells() {
    assert_eq!((0..256).filter(|&row| row_is_won(row)).count(), 171);
    assert!((0..256).all(|row| row_is_won(row) == row_is_told_won(row)));
    for row in (0..256).step_by(if slow() { 1 } else { 13 }) {
        let cells: Vec<String> = (0..8).filter(|i| row >> i & 1 == 1).map(|i| (i + 1).to_string()).collect();
        let filled: &'static str = format!("filled=[{}]", cells.join(", ")).leak();
        let winner = case("row_of_cells", Box::leak(Box::new([filled]))).winner();
        assert_eq!(winner == Some(0), row_is_won(row), "{filled}");
    }
}

/// Brute force: of strips of 3 to 16 cells two are lost for the first player.
#[test]
fn treblecross() {
    let lost: Vec<u32> = (3..=16)
        .filter(|n| case("treblecross", Box::leak(Box::new([&*format!("n={n}").leak()]))).winner() == Some(1))
        .collect();
    assert_eq!(lost, [6, 12]);
}

/// Returns, for each combination of values of these fields in a reachable position, whether the player to move wins.
fn worth(of: &FigureCase, fields: &[&str]) -> BTreeMap<Vec<i64>, bool> {
    let (game, state) = of.begin();
    let solved = Auto.solve(&SolveRequest::new(
        &game,
        &state,
        &SolveOptions::default(),
        &Limits::default(),
        &NoProgress,
    ));
    let table = solved.expect("sound rules").table.expect("a table");
    let named = |name: &&str| {
        let field = game.rules.fields.entries().find(|(_, field)| field.name == **name);
        field.map(|(id, field)| (id, field.cells())).expect("a field")
    };
    let fields: Vec<_> = fields.iter().map(named).collect();
    let mut found = BTreeMap::new();
    let mut seen = HashSet::from([state.clone()]);
    let mut waiting = vec![state];
    while let Some(state) = waiting.pop() {
        let mover = game.machine.read_all(&state, MOVER, 1)[0].as_sym();
        let Some(ValueKind::Win(winner)) = table.value(&state).map(|value| value.kind) else {
            panic!("{}: no winner", of.game)
        };
        let cells = fields.iter().flat_map(|&(id, cells)| game.machine.read_all(&state, id, cells));
        let held = cells.map(|value| value.as_int().expect("a number")).collect();
        let wins = mover == Some(winner);
        assert!(found.insert(held, wins).is_none_or(|other| other == wins), "whoever is to move");
        let after = game.machine.successors(&state).expect("sound rules");
        waiting.extend(after.into_iter().map(|to| to.state).filter(|to| seen.insert(to.clone())));
    }
    found
}

/// Grundy 1939: of the 14 positions reachable from a heap of seven, the player to move loses these.
#[test]
fn heaps_of_seven() {
    let all = worth(&case("grundy", &["n=7"]), &["heaps"]);
    let heaps = |counts: &Vec<i64>| -> Vec<usize> {
        let many = |size: usize| std::iter::repeat_n(size, counts[size - 1] as usize);
        (1..=7).rev().flat_map(many).collect()
    };
    let mut lost: Vec<_> = all.iter().filter(|(_, wins)| !**wins).map(|(counts, _)| heaps(counts)).collect();
    lost.sort_unstable();
    let known: [&[usize]; 7] =
        [&[2, 1, 1, 1, 1, 1], &[2, 2, 1, 1, 1], &[2, 2, 2, 1], &[3, 3, 1], &[4, 1, 1, 1], &[4, 2, 1], &[7]];
    assert_eq!((all.len(), lost), (14, known.map(<[usize]>::to_vec).to_vec()));
}

/// Wythoff 1907: heaps up to 60 are lost just as the pairs floor(k phi), floor(k phi^2).
#[test]
fn golden_pairs() {
    let all = worth(&case("wythoff", &["x0=60", "y0=60"]), &["x", "y"]);
    assert_eq!(all.len(), 61 * 61);
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    let pairs: HashSet<(i64, i64)> =
        (0..=60).map(|k| ((k as f64 * phi) as i64, (k as f64 * phi * phi) as i64)).collect();
    for (heaps, wins) in all {
        let pair = (heaps[0].min(heaps[1]), heaps[0].max(heaps[1]));
        assert_eq!(wins, !pairs.contains(&pair), "{pair:?}");
    }
}

/// Brute force; Bouton 1901; Grundy 1939.
#[test]
fn who_wins() {
    let lewthwaite = case("sliding_squares", &["n=3"]).value();
    assert_eq!((lewthwaite.0, lewthwaite.1), (Some(ValueKind::Win(1)), 57));
    assert_eq!(case("nim", &["heaps=[2, 2, 4, 7]"]).winner(), Some(0));
    let grundy = case("grundy", &["n=7"]).value();
    assert_eq!((grundy.0, grundy.1), (Some(ValueKind::Win(1)), 14));
    // The number of positions: counted by an independent program.
    assert_eq!(case("dodgem", &[]).value().2, Some(19));
}

/// A case of two parameters.
fn sized(game: &'static str, names: [&str; 2], values: (u32, u32)) -> FigureCase {
    let settings = [format!("{}={}", names[0], values.0), format!("{}={}", names[1], values.1)];
    case(game, settings.map(|setting| &*setting.leak()).to_vec().leak())
}

/// Brute force by independent programs: the margin of the first player of Dots and Boxes, rows of boxes first.
#[test]
fn dots_and_boxes() {
    let margins: &[((u32, u32), i64)] =
        &[((1, 1), -1), ((1, 2), 0), ((1, 3), -1), ((1, 4), 0), ((1, 5), -1), ((2, 2), 2), ((2, 3), -2)];
    for &(size, margin) in &margins[..if slow() { margins.len() } else { 6 }] {
        let found = sized("dots_and_boxes", ["rows", "cols"], size).searched(true);
        assert_eq!(found.1, Some(margin), "{size:?}");
    }
}

/// Brute force by an independent program: the margin of the first player of Kalah, by houses and seeds a house. In that
/// program a game goes on until the player to move has no seed; by the rules of `games/` it is over as soon as either
/// has none, which differs with 1 house of 5 seeds (0 there) and 2 of 4 (-12).
#[test]
fn kalah() {
    let margins: [&[i64]; 5] =
        [&[0, -2, 6, -2, 2, 0], &[2, -2, -2, -10, 6, 8], &[0, 4, 2, 2, 6, -8], &[2, 6, 6, 2], &[0, 2]];
    let few = [6, 4, 3, 1, 1];
    for (houses, margins) in (1..).zip(margins) {
        let most = if slow() { margins.len() } else { few[houses as usize - 1] };
        for (seeds, &margin) in (1..).zip(&margins[..most]) {
            let found = sized("kalah", ["m", "s"], (houses, seeds)).searched(true);
            assert_eq!(found.1, Some(margin), "{houses} houses of {seeds}");
        }
    }
    // The winner takes less time than the margins, 6 and 2.
    for size in [(5, 3), (4, 5)].into_iter().filter(|_| all_day()) {
        assert_eq!(sized("kalah", ["m", "s"], size).searched(false).0, Some(0), "{size:?}");
    }
}

/// Brute force by an independent program: the winner of Breakthrough, by columns and rows.
#[test]
fn small_breakthrough() {
    let winners: &[((u32, u32), u32)] = &[
        ((2, 4), 1),
        ((2, 5), 1),
        ((2, 6), 0),
        ((2, 7), 1),
        ((3, 4), 1),
        ((3, 5), 1),
        ((3, 6), 0),
        ((4, 4), 1),
        ((6, 4), 1),
        ((5, 4), 1),
        ((4, 5), 1),
        ((3, 7), 1),
        ((4, 6), 0),
        ((5, 5), 1),
    ];
    for &(size, winner) in &winners[..if slow() { winners.len() } else { 9 }] {
        let found = sized("breakthrough", ["cols", "rows"], size).searched(false);
        assert_eq!(found.0, Some(winner), "{size:?}");
    }
}

/// Uiterwijk and van den Herik, "The advantage of the initiative" (2000): k in a row on m by n cells.
#[test]
fn cells_in_a_row() {
    let values: &[(&[&'static str], Option<u32>)] = &[
        (&["m=3", "n=3", "k=3"], None),
        (&["m=4", "n=3", "k=3"], Some(0)),
        (&["m=4", "n=4", "k=3"], Some(0)),
        (&["m=5", "n=3", "k=3"], Some(0)),
        (&["m=4", "n=4", "k=4"], None),
        (&["m=5", "n=4", "k=4"], None),
        (&["m=6", "n=4", "k=4"], None),
        (&["m=5", "n=5", "k=4"], None),
    ];
    for (settings, winner) in &values[..if slow() { values.len() } else { 5 }] {
        assert_eq!(case("gomoku", settings).searched(false).0, *winner, "{settings:?}");
    }
}

/// Breuker, Uiterwijk, van den Herik, "Solving 8 x 8 Domineering" (2000): the winner by rows and columns: the player of
/// upright dominoes (L), the other (R), or the first player (N).
#[test]
fn domineering() {
    let outcomes: &[((u32, u32), char)] = &[
        ((4, 4), 'N'),
        ((3, 5), 'R'),
        ((5, 3), 'L'),
        ((4, 6), 'N'),
        ((5, 5), 'P'),
        ((5, 6), 'R'),
        ((6, 5), 'L'),
        ((4, 8), 'R'),
        ((6, 6), 'N'),
        ((5, 7), 'R'),
        ((7, 5), 'L'),
        ((6, 7), 'L'),
        ((7, 6), 'R'),
    ];
    for &(size, outcome) in &outcomes[..if slow() { outcomes.len() } else { 4 }] {
        let of = sized("domineering", ["rows", "cols"], size);
        let (game, state) = of.begin_on(Backend::Jit);
        let other = game.machine.with_mover(&state, 1).expect("a position");
        let [left, right] = [&state, &other].map(|at| of.searched_from(&game, at, false).0);
        let found = match (left, right) {
            (Some(0), Some(0)) => 'L',
            (Some(1), Some(1)) => 'R',
            (Some(0), _) => 'N',
            _ => 'P',
        };
        assert_eq!(found, outcome, "{size:?}");
    }
}

#[test]
fn what_stands_on_a_board_for_ever_is_drawn_where_nothing_else_is() {
    let source = "game \"Store\"; player Keeper;
        param level: text = \"\"\"
          #####
          #@$.#
          #####\"\"\";
        board Cell = grid(level.columns, level.rows);
        enum Mark { wall, goal, box, man }
        const mark[c: Cell]: Mark? = diagram level { \"#\" => wall, \".\" => goal, \"$\" => box, \"@\" => man };
        state { boxes: set of Cell = { c in Cell where mark[c] = box }; me_at: Cell = one c in Cell: mark[c] = man; }
        move go(d: Orthogonal) as \"{d}\" {
          let to = me_at + d;
          when mark[to] != wall;
          when to in boxes implies mark[to + d] != wall and to + d not in boxes;
          me_at := to;
          if to in boxes { boxes -= { to }; boxes |= { to + d }; }
        }
        end { when all c in boxes: mark[c] = goal => win; when stuck => lose; }";
    let game = super::of(bouton_driver::load::GameSource::from_string("a game", source), &[]);
    let drawn = bouton_search::game::draw::draw(&game, &game.machine.initial());
    // The box and the man of the picture are fields, and stay where these are.
    assert!(drawn.starts_with("3 w w w w w\n2 w m b g w\n1 w w w w w\n  a b c d e\n"), "{drawn}");
}
