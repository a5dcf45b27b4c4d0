//! Depth-limited search: a result that it calls certain is right under every search extension, and quiescence finds
//! threats past the horizon.

use bouton_base::limits::{Limits, NoProgress};
use bouton_search::game::random::{Random, random_play};
use bouton_search::game::{Backend, Game, State, ToMove};
use bouton_search::solve::depth_limited::{DepthLimitedOptions, DepthLimitedResult, search};
use bouton_search::solve::{Auto, SolveOptions, SolveRequest, Solver};

use super::{of, set};
use bouton_driver::load::GameSource;

fn found(game: &Game, state: &State, depth: u32, words: &str, positions: u64) -> Option<DepthLimitedResult> {
    let plan = DepthLimitedOptions::with_depth(depth).with_options(words).expect("a plan");
    search(game, state, &plan, positions, &Limits::default()).expect("no limit")
}

#[test]
fn what_is_certain_is_best() {
    let games: &[(&str, &[&str])] = &[
        ("tictactoe", &[]),
        ("connect_four", &["cols=4", "rows=3", "k=3"]),
        ("hex", &["n=3"]),
        ("nim", &[]),
        ("othello", &[]),
        ("three_mens_morris", &[]),
        ("kalah", &["m=2", "s=2"]),
    ];
    let mut certain = 0;
    for (name, settings) in games {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let options = SolveOptions::default();
        let solution =
            Auto.solve(&SolveRequest::new(&game, &start, &options, &Limits::default(), &NoProgress));
        let table = solution.expect("sound rules").table.expect("a table");
        let mut random = Random::new(5);
        for plies in 0..24 {
            let line = random_play(&game, &start, &mut random, plies).expect("a play");
            let state = line.states.last().expect("a position");
            let Ok(ToMove::Player(_)) = game.machine.turn(state) else { continue };
            let best = table.best_moves(state);
            let keeps: Vec<_> = table.moves(state).into_iter().map(|one| one.value).collect();
            let successors = game.machine.successors(state).expect("moves");
            for words in ["", "quiescence", "extend", "width=2", "average=2/2", "quiescence=3,extend,width=3"]
            {
                let Some(found) = found(&game, state, 6, words, 4000) else { continue };
                assert!(found.depth <= 6 && !found.best.is_empty());
                if !found.certain || best.is_empty() {
                    continue;
                }
                certain += 1;
                for &number in &found.best {
                    let value = &keeps[number];
                    let wanted = table.value(state);
                    assert_eq!(*value, wanted, "{name} {words:?}: {:?}", successors[number].play);
                }
            }
        }
    }
    assert!(certain > 150, "only {certain} were certain");
}

/// The random games of so many moves exceed the limit, so the search does not visit all moves; a search without
/// playouts then finds the win.
#[test]
fn a_win_at_once_is_seen_on_a_large_board() {
    let game = set("gomoku", &[], Backend::Jit);
    let line = "a1 h1 a2 h2 a3 h3 a4 h4";
    let played = bouton_search::game::names::play_line(&game, &game.machine.initial(), line).expect("moves");
    let state = played.last().expect("a position").state.clone();
    let found = found(&game, &state, 1, "", 100_000).expect("a look");
    let (_, moves) = game.machine.expand(&state).expect("sound rules");
    let best: Vec<String> = found.best.iter().map(|&i| game.notation(&state, &moves[i].play)).collect();
    assert_eq!(best, ["a5"]);
}

#[test]
fn a_threat_past_the_edge_is_seen_by_who_looks_on() {
    // Two men side by side at the bottom: a third one beside them threatens at both ends.
    let game = set("connect_four", &["cols=7", "rows=6"], Backend::Jit);
    let played =
        bouton_search::game::names::play_line(&game, &game.machine.initial(), "4 4 3 4").expect("a play");
    let state = played.last().expect("a move").state.clone();
    let one = |words: &str| found(&game, &state, 1, words, 100_000).expect("moves");
    assert!(!one("games=1").certain);
    let quiet = one("games=1,quiescence");
    let moves = game.machine.successors(&state).expect("moves");
    let best: Vec<String> = quiet.best.iter().map(|&i| game.notation(&state, &moves[i].play)).collect();
    assert!(quiet.certain && best.iter().all(|made| ["2", "5"].contains(&made.as_str())), "{best:?}");
}

#[test]
fn a_look_is_the_same_each_time_and_marks_count() {
    let text = |mark: &str| {
        let text = format!(
            "game \"Piles\"; players A, B; state {{ n: 0..9 = 9; }} {mark} move take(k: 1..2) {{ when k <= n; n -= k; }} \
             evaluate p: if n mod 3 = 0 then 1 else 0; play normal;"
        );
        of(GameSource::from_string("piles.bou", &text), &[])
    };
    let (plain, marked) = (text(""), text("forcing"));
    let start = plain.machine.initial();
    let one = |game: &Game| found(game, &start, 1, "quiescence=20", 10_000).expect("moves");
    assert_eq!(one(&plain), one(&plain));
    assert!(!one(&plain).certain && one(&marked).best.len() <= 2);
    let hash = |game: &Game| bouton_certificates::Digest::of_rules(&game.rules).to_string();
    assert_eq!(hash(&plain), hash(&marked), "a certificate does not depend on marks");
    assert!(
        DepthLimitedOptions::with_depth(3).with_options("width=0").is_err()
            && DepthLimitedOptions::with_depth(3).with_options("deeper").is_err()
    );
    let full = DepthLimitedOptions::with_depth(3)
        .with_options("quiescence=2, extend,width=4,average=2/3,games=7")
        .expect("a plan");
    assert_eq!((full.quiescence, full.extends, full.width), (2, true, Some(4)));
    assert_eq!((full.average, full.playouts), (Some((2, 3)), 7));
}
