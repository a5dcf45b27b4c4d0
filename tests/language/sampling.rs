//! Monte-Carlo tree search: it proves wins and losses, and the same seed plays the same.

use bouton_base::limits::Limits;
use bouton_driver::position::{StartPosition, resolve_start};
use bouton_search::game::information::own_choice;
use bouton_search::game::names;
use bouton_search::solve::mcts::{MctsBudget, MctsResult, choose, choose_in_time};

use super::game;

fn at(name: &str, moves: &str) -> StartPosition {
    resolve_start(&mut game(name), None, Some(moves), &Limits::default()).expect("a position")
}

fn found(start: &StartPosition, positions: u64, seed: u64) -> (String, MctsResult) {
    let StartPosition { game, state, .. } = start;
    let effort = MctsBudget { positions, seed };
    let found = choose(game, state, effort, &Limits::default()).expect("no limit").expect("a move");
    let successors = game.machine.successors(state).expect("sound rules");
    (game.notation(state, &successors[found.chosen].play), found)
}

#[test]
fn what_is_won_or_lost_is_backed_up_as_certain() {
    // The first player completes a row at once.
    let (made, win) = found(&at("tictactoe", "a1 a2 b1 b2"), 2_000, 1);
    assert_eq!((made.as_str(), win.settled, win.worth.as_slice()), ("c1", true, &[1.0, -1.0][..]));
    // The second must block one; from there the search reaches every end.
    let (made, stopped) = found(&at("tictactoe", "a1 b2 b1"), 60_000, 1);
    assert_eq!((made.as_str(), stopped.settled, stopped.worth[0]), ("c1", true, 0.0));
    // Whatever the second player does, two rows are open.
    let lost = found(&at("tictactoe", "a1 b1 b2 c3 a2"), 20_000, 1).1;
    assert_eq!((lost.settled, lost.worth.as_slice()), (true, &[1.0, -1.0][..]));
}

#[test]
fn the_best_choice_against_random_ones_is_found_where_all_choose_at_once() {
    let StartPosition { game, state, .. } = at("prisoners_dilemma", "");
    let (turn, successors) = game.machine.expand(&state).expect("sound rules");
    let effort = MctsBudget { positions: 500, seed: 1 };
    for player in [0, 1] {
        let found = choose_in_time(&game, &state, player, effort, &Limits::default()).expect("a move");
        let own = own_choice(&turn, &successors[found.chosen].play, player).expect("a choice");
        assert_eq!(names::call_form(&game.rules, own), "choose_act(betray)");
    }
    // Where no time is left, there is no move; a turn of one player is searched as by `choose`.
    let late = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    assert_eq!(choose_in_time(&game, &state, 0, effort, &late), None);
    let start = at("tictactoe", "a1 a2 b1 b2");
    let effort = MctsBudget { positions: 2_000, seed: 1 };
    let in_time = choose_in_time(&start.game, &start.state, 0, effort, &Limits::default());
    assert_eq!(in_time, Some(found(&start, 2_000, 1).1));
}

#[test]
fn the_same_seed_plays_the_same_also_where_chance_acts() {
    for name in ["connect_four", "dice_race", "breakthrough"] {
        let mut here = at(name, "");
        if name == "dice_race" {
            // The first throw has been made.
            let throws = here.game.machine.successors(&here.state).expect("sound rules");
            here.state = throws.into_iter().next().expect("a throw").state;
        }
        let runs = [3, 3, 4].map(|seed| found(&here, 3_000, seed));
        assert_eq!(runs[0], runs[1], "{name}");
        assert!(runs[0].1.games > 10, "{name}: {:?}", runs[0]);
    }
}
