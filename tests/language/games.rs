//! Every game of `games/`: no findings, formatted, and no expectation that fails.

use std::time::Duration;

use bouton_syntax as syntax;
use bouton_syntax::diag::render;

use super::{checked, game, serious, slow, tested};

fn sound(name: &str) {
    let mut text = game(name);
    let source = text.sources.get(text.file).text.clone();
    assert_eq!(
        syntax::format(&source).as_deref(),
        Ok(source.as_str()),
        "{name} is not as `bouton fmt` writes it"
    );
    // A limit on positions, not on time: the findings are the same on every machine.
    let report = checked(&mut text, if slow() { 20_000 } else { 500 });
    let told: Vec<String> = report.diagnostics.iter().map(|d| render(&text.sources, d, false)).collect();
    assert!(serious(&report.diagnostics).is_empty(), "{}", told.join("\n"));
    let report = tested(&mut text, Duration::from_secs(if slow() { 60 } else { 2 }));
    let told: Vec<String> =
        report.errors.iter().chain(&report.failures).map(|d| render(&text.sources, d, false)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert!(report.expectations() > 0, "{name} expects nothing");
}

macro_rules! games {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            sound(stringify!($name));
        })*

        #[test]
        fn none_is_left_out() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
            let mut there: Vec<String> = std::fs::read_dir(folder)
                .expect("the games")
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .filter_map(|name| name.strip_suffix(".bou").map(str::to_owned))
                .collect();
            there.sort();
            assert_eq!(there, [$(stringify!($name)),*]);
        }
    };
}

games! {
    amazons arimaa battleship bear_off blocks_world breakthrough chameleons chess chicken chocolate chomp
    coin_toss connect_four cram dawsons_kayles dice_race dodgem domineering dots_and_boxes double_tictactoe
    einstein english_draughts english_solitaire fox_and_geese go go_ladder gomoku goofspiel grundy hanoi
    hare_and_hounds hatch havannah hex hypergammon incredible isola kalah kayles kuhn_poker leduc_holdem
    liars_dice lights_out lines_of_action mastermind matching_pennies maze missionaries monty_hall morra nim
    nine_mens_morris one_rack othello pancakes parallel_tictactoe peg_solitaire pig pirates pocket_cube
    prisoners_dilemma ring_of_rents rock_paper_scissors row_of_cells rush_hour six_mens_morris sliding_puzzle
    sliding_squares snakes_and_ladders sokoban stag_hunt subtraction three_mens_morris tic_tic_toe tictactoe
    toads_and_frogs treblecross truel tsume_shogi two_plies two_tricks wythoff
}
