//! The remaining score, against an enumeration of all positions with their scores; and games in which scores do more
//! than add up.

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_driver::load::GameSource;
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Solver, Status};

use super::{method, set, slow};

/// Coins in a row, taken from either end.
const COINS: &str = r#"game "Coins";
param n: 1..10 = 8;
players A, B;
type Coin = 1..n;
state { taken: set of Coin = {}; score[p: Player]: 0..60 = 0; }
def worth(c: Coin): 0..5 = (7 * c * c) mod 5 + 1;
move take(c: Coin) as "{c}" {
  when c not in taken and ((all d in Coin: d >= c or d in taken) or (all d in Coin: d <= c or d in taken));
  score[me] += worth(c);
  taken |= { c };
}
end { when taken = Coin => highest score; }
"#;

fn coins(changes: &[(&str, &str)]) -> Game {
    let change = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    let mut text = GameSource::from_string("coins.bou", &changes.iter().fold(COINS.to_owned(), change));
    text.backend = Backend::Jit;
    text.game(None).unwrap_or_else(|e| panic!("{e:?}"))
}

fn solved(game: &Game, method: &'static dyn Solver, options: &SolveOptions) -> Solution {
    let limits = Limits::default();
    method
        .solve(&SolveRequest::new(game, &game.machine.initial(), options, &limits, &NoProgress))
        .expect("sound rules")
}

#[test]
fn what_is_still_to_be_scored_is_what_all_positions_tell() {
    let lowest = ("highest", "lowest");
    // Coins that are put back into the row come in the other order.
    let left = [
        ("taken: set of Coin = {}", "left: set of Coin = Coin"),
        ("c not in taken", "c in left"),
        ("d in taken", "d not in left"),
        ("taken |= { c }", "left -= { c }"),
        ("taken = Coin", "left = {}"),
    ];
    // A player who takes a coin worth 1 moves again.
    let again = ("  taken |=", "  if worth(c) = 1 { again; }\n  taken |=");
    let total = [
        ("taken: set of Coin = {};", "taken: set of Coin = {}; total: 0..10 = 0;"),
        ("taken |= { c };", "taken |= { c }; total += 1;"),
        ("..10 = 8", "..10 = 10"),
    ];
    let games = [
        coins(&[]),
        // The rest of the state decides the score of a move.
        coins(&[("+= worth(c)", "+= worth(c) + #taken mod 2")]),
        // A division that is evaluated position by position.
        coins(&[("+= worth(c)", "+= worth(c) + 7 mod (#taken + 3)")]),
        coins(&total),
        coins(&[lowest]),
        coins(&left),
        coins(&[again]),
        coins(&[again, lowest]),
        coins(&[("0..60 = 0", "0..60 = 3")]),
        set("dots_and_boxes", &["cols=2", "rows=2"], Backend::Jit),
        set("dots_and_boxes", &["cols=4", "rows=1"], Backend::Jit),
    ];
    for game in games {
        for margin in [false, true] {
            let options = SolveOptions { margin, all_moves: true, ..SolveOptions::default() };
            let [table, all] = [method("scores"), method("dp")].map(|method| solved(&game, method, &options));
            assert_eq!(table.status, Status::Solved, "{:?}", table.reason);
            assert_eq!((&table.value, &table.margin), (&all.value, &all.margin));
            let told = |solution: &Solution| {
                let moves = solution.moves.iter();
                moves.map(|one| (one.made.written.clone(), one.value.clone())).collect::<Vec<_>>()
            };
            assert_eq!(told(&table), told(&all));
        }
    }
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let game = set("dots_and_boxes", &["cols=3", "rows=2"], Backend::Jit);
    let options = SolveOptions { margin: true, all_moves: true, ..SolveOptions::default() };
    let by = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let solution = pool.install(|| solved(&game, method("scores"), &options));
        let moves = solution.moves.iter().map(|one| (one.made.written.clone(), one.value.clone()));
        (solution.positions, solution.margin, moves.collect::<Vec<_>>())
    };
    let [one, two] = [1, 2].map(by);
    assert_eq!((one.0, one.1.clone().map(|margin| margin.as_i64().unwrap())), (2 << 17, Some(-2)));
    assert_eq!(one, two);
}

#[test]
fn scores_that_do_more_than_add_up_are_refused() {
    let more = "the scores do more than add up";
    let refused: &[(&[(&str, &str)], &str)] = &[
        // A rule reads a score.
        (&[("c not in taken and", "c not in taken and score[me] < 14 and")], more),
        (&[("when taken = Coin", "when taken = Coin or score[A] > 12")], more),
        // A score grows by a score, or shrinks.
        (&[("+= worth(c)", "+= if score[B] = 3 then 1 else worth(c)")], more),
        (&[("+= worth(c)", "+= worth(c) - 3")], more),
        // Something else depends on one.
        (&[("  taken |=", "  if score[me] > 9 { again; }\n  taken |=")], more),
        // Scores of 12 are not enough.
        (&[("0..60", "0..12")], "a score may leave its range, which this method does not support"),
        (
            &[("=> highest score", "=> A wins")],
            "this method is for games that the scores of two players decide",
        ),
    ];
    for (changes, reason) in refused {
        let solution = solved(&coins(changes), method("scores"), &SolveOptions::default());
        assert_eq!(
            (solution.status, solution.reason.as_deref()),
            (Status::Unknown, Some(*reason)),
            "{changes:?}"
        );
    }
    let plies = SolveOptions { count_plies: true, ..SolveOptions::default() };
    assert_eq!(solved(&coins(&[]), method("scores"), &plies).status, Status::Unknown);
}

#[test]
fn a_table_ends_where_a_limit_is_reached() {
    let game = coins(&[]);
    let limits = Limits { positions: Some(10), ..Limits::default() };
    let solution = method("scores").solve(&SolveRequest::new(
        &game,
        &game.machine.initial(),
        &SolveOptions::default(),
        &limits,
        &NoProgress,
    ));
    assert_eq!(solution.expect("sound rules").limit, Some(LimitHit::Positions));
}

/// David Wilson's analyses of Dots and Boxes: with 3 by 3 boxes the second player wins by 3.
#[test]
fn nine_boxes() {
    if slow() {
        let game = set("dots_and_boxes", &["cols=3", "rows=3"], Backend::Jit);
        let options = SolveOptions { margin: true, max_line_moves: 0, ..SolveOptions::default() };
        let solution = solved(&game, method("scores"), &options);
        assert_eq!(solution.margin.map(|margin| margin.as_i64().unwrap()), Some(-3));
    }
}
