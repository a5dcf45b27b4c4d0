//! Proof-number searches on cyclic games against the labelled graph: random graphs as rules, a graph that shows the
//! graph-history interaction, and the cyclic games of `games/`.

use std::collections::HashMap;
use std::fmt::Write;

use bouton_base::limits::{Limits, NoProgress};
use bouton_certificates::InfinitePlay;
use bouton_driver::load::GameSource;
use bouton_driver::solvers::SOLVERS;
use bouton_search::game::random::Random;
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Solver, Status, ValueKind};

use super::{accepts, method, proof, set, slow};

/// The methods that search by proof numbers.
fn methods() -> impl Iterator<Item = &'static dyn Solver> + Clone {
    let others = [
        "matrix",
        "pure-equilibrium",
        "sure-win",
        "sequence-form",
        "cfr",
        "common-plan",
        "best-responses",
        "max-n",
        "paranoid",
    ];
    let alternating = move |method: &&&dyn Solver| !others.contains(&method.name());
    SOLVERS.into_iter().filter(|method| !method.counts_plies()).filter(move |method| alternating(&method))
}

/// A vertex: an end with A's payoff, or the moves of A and the moves of B; they take turns.
enum Vertex {
    Over(i64),
    Moves([Vec<usize>; 2]),
}

/// The rules of a graph, where A begins in the first place, with a clause for infinite play.
fn rules(places: &[Vertex], repeat: &str) -> String {
    let mut text = format!(
        "game \"Round\"; players A, B; state {{ at: 0..{} = 0; }}\nend {{\n",
        (places.len() - 1).max(1)
    );
    for (at, place) in places.iter().enumerate() {
        if let Vertex::Over(worth) = place {
            let _ = writeln!(text, "when at = {at} => payoff p: if p = A then {worth} else {};", -worth);
        }
    }
    let _ = writeln!(text, "{repeat}\n}}\nevaluate p: if p = A then at else -at;");
    for (at, place) in places.iter().enumerate() {
        let Vertex::Moves(moves) = place else { continue };
        for (name, player, next) in [("a", "A", &moves[0]), ("b", "B", &moves[1])] {
            for (number, to) in next.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "move {name}{at}_{number}() by {player} as \"{at}-{to}\" {{ when at = {at}; at := {to}; }}"
                );
            }
        }
    }
    text
}

fn game(text: &str) -> Game {
    let mut text = GameSource::from_string("round.bou", text);
    text.backend = Backend::Jit;
    text.game(None).unwrap_or_else(|e| panic!("{e:?}"))
}

fn drawn(random: &mut Random, size: usize, worth: i64) -> Vec<Vertex> {
    let below = |random: &mut Random, n: usize| random.below(n as u64) as usize;
    (0..size)
        .map(|at| {
            if at + 1 == size || at > 0 && below(random, 5) == 0 {
                return Vertex::Over(below(random, 2 * worth as usize + 1) as i64 - worth);
            }
            Vertex::Moves([0, 1].map(|_| {
                let mut next: Vec<usize> = (0..=below(random, 3)).map(|_| below(random, size)).collect();
                next.sort_unstable();
                next.dedup();
                next
            }))
        })
        .collect()
}

fn solved(game: &Game, method: &'static dyn Solver, limits: &Limits) -> Solution {
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    method
        .solve(&SolveRequest::new(game, &game.machine.initial(), &options, limits, &NoProgress))
        .expect("sound rules")
}

/// Asserts that the checker accepts the strategy of a search, and that the line of a player who forces an end reaches
/// it.
fn proved(game: &Game, method: &'static dyn Solver) {
    let options = SolveOptions { max_strategy_positions: usize::MAX, ..SolveOptions::default() };
    let start = game.machine.initial();
    let solution = method
        .solve(&SolveRequest::new(game, &start, &options, &Limits::default(), &NoProgress))
        .expect("sound rules");
    assert!(matches!(solution.replies, Some(Ok(_))), "{method:?}: {:?}", solution.replies);
    assert_eq!(accepts(game, &proof(game, &solution)), Ok(()), "{method:?}");
    assert!(!solution.best_moves.is_empty());
    let listed = solution.replies.and_then(Result::ok).unwrap_or_default();
    if listed.iter().any(|replies| replies.infinite_play == Some(InfinitePlay::Ranked)) {
        let mut at = start;
        for made in &solution.line {
            let successors = game.machine.successors(&at).expect("sound rules");
            at = successors.into_iter().find(|s| s.play == made.play).expect("a legal move").state;
        }
        assert!(game.machine.successors(&at).expect("sound rules").is_empty(), "the line ends");
    }
}

/// Renders everything that a solution says about values.
fn describe(solution: &Solution) -> String {
    let moves: Vec<_> = solution.moves.iter().map(|m| (&m.made.written, &m.value)).collect();
    format!("{:?} {:?} {moves:?}", solution.value, solution.reason)
}

/// Returns true if A gets at least 1 where infinite play is a draw, by a flawed search that stores each answer in a
/// table, whatever path led there.
fn naive_answer(
    places: &[Vertex],
    at: (usize, usize),
    way: &mut Vec<(usize, usize)>,
    table: &mut AnswerTable,
) -> bool {
    let moves = match &places[at.0] {
        Vertex::Over(worth) => return *worth >= 1,
        Vertex::Moves(moves) => &moves[at.1],
    };
    if let Some(&known) = table.get(&at) {
        return known;
    }
    if way.contains(&at) {
        return false;
    }
    way.push(at);
    let wants = at.1 == 0;
    let has = moves.iter().any(|&to| naive_answer(places, (to, 1 - at.1), way, table) == wants);
    way.pop();
    table.insert(at, has == wants);
    has == wants
}

type AnswerTable = HashMap<(usize, usize), bool>;

/// The graph-history interaction. B may go to 1 at once, or by 2 to 3. From 3 he must go to 1, from where A can go to 3
/// or win by 4. So A wins. But a search that reaches 3 from 1 finds a repetition; if it stores that answer for 3, then
/// 3 counts as a draw when the path is through 2.
#[test]
fn an_answer_that_rests_on_the_way_is_not_kept_as_if_it_were_true() {
    let places = [
        Vertex::Moves([vec![5], vec![]]),
        Vertex::Moves([vec![3, 4], vec![]]),
        Vertex::Moves([vec![3], vec![]]),
        Vertex::Moves([vec![], vec![1]]),
        Vertex::Moves([vec![], vec![6]]),
        Vertex::Moves([vec![], vec![1, 2]]),
        Vertex::Over(1),
    ];
    assert!(!naive_answer(&places, (0, 0), &mut Vec::new(), &mut AnswerTable::new()), "this is the trap");
    // In either order of the moves.
    let mut other = places;
    for turned in [false, true] {
        if turned {
            other[1] = Vertex::Moves([vec![4, 3], vec![]]);
            other[5] = Vertex::Moves([vec![], vec![2, 1]]);
        }
        let game = game(&rules(&other, "repeat => draw;"));
        for method in methods() {
            let solution = solved(&game, method, &Limits::default());
            assert_eq!(solution.status, Status::Solved, "{method:?}: {:?}", solution.reason);
            assert_eq!(solution.value.map(|v| v.payoffs[0].as_i64().unwrap()), Some(1), "{method:?}");
        }
    }
}

/// Returns true if A gets at least 1 where infinite play is a draw, by the definition: he forces such an end.
fn forced(places: &[Vertex]) -> bool {
    let mut won: Vec<[bool; 2]> = vec![[false; 2]; places.len()];
    for _ in 0..2 * places.len() {
        for (at, place) in places.iter().enumerate() {
            won[at] = match place {
                Vertex::Over(worth) => [*worth >= 1; 2],
                Vertex::Moves([first, second]) => {
                    [first.iter().any(|&to| won[to][1]), second.iter().all(|&to| won[to][0])]
                }
            };
        }
    }
    won[0][0]
}

#[test]
fn graphs_in_which_it_matters_how_a_position_came_about_have_the_right_value() {
    let mut random = Random::new(11);
    let (mut drawings, mut traps) = (0, 0);
    while traps < if slow() { 300 } else { 20 } {
        drawings += 1;
        let places = drawn(&mut random, 5 + drawings % 4, 1);
        let right = forced(&places);
        if naive_answer(&places, (0, 0), &mut Vec::new(), &mut AnswerTable::new()) == right {
            continue;
        }
        traps += 1;
        let text = rules(&places, "repeat => draw;");
        let game = game(&text);
        for method in methods() {
            let solution = solved(&game, method, &Limits::default());
            let value = solution.value.map(|value| value.payoffs[0].as_i64().unwrap());
            assert_eq!(value.map(|value| value >= 1), Some(right), "{method:?}\n{text}");
        }
        proved(&game, method("dfpn"));
    }
    println!("{drawings} graphs were drawn");
}

#[test]
fn graphs_that_go_round_have_the_values_of_their_labels() {
    let repeats = [
        ("repeat => draw;", 1),
        ("repeat => draw;", 1),
        ("repeat => A wins;", 1),
        ("repeat => A loses;", 1),
        ("repeat => payoff p: if p = A then 2 else -2;", 4),
    ];
    let mut random = Random::new(7);
    let (graphs, mut rounds) = (if slow() { 600 } else { 60 }, [0; 3]);
    for number in 0..graphs {
        let size = [4, 7, 12, 30][number % 4];
        let (repeat, worth) = repeats[number % repeats.len()];
        let text = rules(&drawn(&mut random, size, worth), repeat);
        let game = game(&text);
        let labelled = solved(&game, method("retrograde"), &Limits::default());
        assert_eq!(labelled.status, Status::Solved, "{text}{:?}", labelled.reason);
        let value = labelled.value.as_ref().map_or(0, |v| v.payoffs[0].as_i64().unwrap());
        rounds[(value.signum() + 1) as usize] += 1;
        for method in methods() {
            let solution = solved(&game, method, &Limits::default());
            assert_eq!(describe(&solution), describe(&labelled), "{method:?}\n{text}");
        }
        let one = methods().cycle().nth(number).expect("a method");
        proved(&game, one);
    }
    println!("losses, draws, wins: {rounds:?}");
    assert!(rounds.iter().all(|&count| count > 5), "{rounds:?}");
}

#[test]
fn small_games_that_go_round_have_the_values_of_their_labels() {
    let games = [
        ("dodgem", &["n=2"][..], Some(ValueKind::Win(0))),
        ("hare_and_hounds", &[], None),
        ("three_mens_morris", &[], None),
    ];
    for (name, settings, kind) in games {
        let game = set(name, settings, Backend::Jit);
        let labelled = solved(&game, method("retrograde"), &Limits::default());
        let value = labelled.value.as_ref().map(|value| value.kind);
        assert!(kind.is_none() || value == kind, "{name}: {value:?}");
        // A small table discards entries, but is not wrong.
        for memory_bytes in [None, Some(120_000)] {
            let limits = Limits { memory_bytes, positions: Some(3_000_000), ..Limits::default() };
            for method in
                [method("dfpn"), method("pds"), method("focused"), method("lambda"), method("dual-lambda")]
            {
                let solution = solved(&game, method, &limits);
                println!("{name} {method:?} {memory_bytes:?}: {} {:?}", solution.positions, solution.reason);
                if solution.status == Status::Solved {
                    assert_eq!(describe(&solution), describe(&labelled), "{name} {method:?}");
                }
            }
        }
        proved(&game, method("dfpn"));
        proved(&game, method("lambda"));
    }
}

#[test]
fn what_nobody_says_of_play_without_end_is_refused() {
    let places =
        [Vertex::Moves([vec![1], vec![1]]), Vertex::Moves([vec![0, 2], vec![0, 2]]), Vertex::Over(0)];
    for (repeat, why) in [("", "no `repeat` rule"), ("repeat => mover wins;", "depends on the position")] {
        let game = game(&rules(&places, repeat));
        for method in methods() {
            let solution = solved(&game, method, &Limits::default());
            assert_eq!(solution.status, Status::Unknown, "{method:?}");
            let reason = solution.reason.unwrap_or_default();
            assert!(reason.contains("come back") && reason.contains(why), "{method:?}: {reason}");
        }
    }
}

/// The other player's moves of a line keep the value as well, also if endless play pays more.
#[test]
fn lines_keep_the_value_for_both() {
    // A could go on for ever, but B wins at once after `a`.
    let game = game(
        "game \"Round\"; players A, B; state { at: 0..4 = 0; }
         move a() { when at = 0; at := 1; } move b() { when at = 0; at := 2; }
         move c() { when at = 1; at := 3; } move d() { when at = 1; at := 0; } move e() { when at = 2; at := 4; }
         end { when at = 3 => B wins; when at = 4 => A wins; repeat => payoff p: if p = A then 3 else -3; }",
    );
    for name in ["dfpn", "pns", "pds", "pn-star", "pn2", "lambda", "focused"] {
        let solution = solved(&game, method(name), &Limits::default());
        let written = |made: &[bouton_search::solve::WrittenMove]| -> Vec<String> {
            made.iter().map(|made| made.written.clone()).collect()
        };
        assert_eq!(written(&solution.line), ["b", "e"], "{name}");
        assert_eq!(written(&solution.best_moves), ["b"], "{name}");
    }
}

/// A move that keeps what infinite play would lose, and only puts it off, is no best move.
#[test]
fn moves_that_put_off_the_end_are_not_best() {
    for result in ["A wins", "draw"] {
        let game = game(&format!(
            "game \"Stay\"; players A, B; state {{ at: 0..2 = 0; }}
             move go(k: 1..3) as \"{{k}}\" {{ if k = 1 {{ at := 1; }} else {{ if k = 2 {{ next A; }} else {{ at := 2; }} }} }}
             end {{ when at = 1 => {result}; when at = 2 => B wins; repeat => B wins; }}"
        ));
        for name in ["retrograde", "policy", "pns", "dfpn"] {
            let solution = solved(&game, method(name), &Limits::default());
            let best: Vec<&str> = solution.best_moves.iter().map(|made| made.written.as_str()).collect();
            assert_eq!(best, ["1"], "{result}: {name}");
        }
    }
}

/// The same holds where the value of another move stays open.
#[test]
fn moves_that_put_off_the_end_are_not_best_beside_open_ones() {
    let game = game(
        "game \"Stay\"; players A, B; state { s: 0..4 = 0; }
         move go(k: 1..3) as \"{k}\" { when s = 0; if k = 1 { next A; } else if k = 2 { s := 3; } else { s := 1; next B; } }
         move on(k: 1..2) as \"on{k}\" { when s = 1; if k = 1 { s := 4; } else { next B; } }
         end { when s = 3 => payoff p: if p = A then 2 else -2; when s = 4 => payoff p: if p = A then 3/2 else -3/2;
               repeat => B wins; }",
    );
    for name in ["pns", "dfpn", "pn2", "pds", "focused", "pn-star"] {
        let solution = solved(&game, method(name), &Limits::default());
        let best: Vec<&str> = solution.best_moves.iter().map(|made| made.written.as_str()).collect();
        assert!(best.iter().all(|made| *made == "2"), "{name}: {best:?}");
        assert_eq!(solution.status, Status::Solved, "{name}");
    }
}
