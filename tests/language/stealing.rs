//! Strategy stealing in games in which cells are claimed: the first player does not lose, or wins; and games to which
//! the argument does not apply.

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_certificates::{self as cert, Certificate, Claim, Lemma, StealArgument, Tier};
use bouton_driver::budget::UserLimits;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Plan, Question};
use bouton_driver::strategy;
use bouton_search::game::Game;
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, Status, ValueKind};

use super::{accepts, of, proof};

fn stolen(game: &Game) -> Solution {
    super::by_strategy(game, "steal")
}

/// Returns the certificate, after the checker accepts it and it is read back unchanged.
fn proved(game: &Game, solution: &Solution) -> Certificate {
    let proof = proof(game, solution);
    assert_eq!(proof.header.tier, Tier::Ground);
    assert_eq!(accepts(game, &proof), Ok(()), "{}", game.rules.name);
    assert_eq!(cert::parse(&cert::write(&proof)).as_ref(), Ok(&proof));
    proof
}

/// One side of Hex is always joined, so the first player wins; the proof names no move.
#[test]
fn hex_is_won_by_who_moves_first() {
    for n in 1..=6 {
        let game = of(super::game("hex"), &[&format!("n={n}")]);
        let solution = stolen(&game);
        let kind = |of: &Solution| of.value.as_ref().map(|value| value.kind);
        assert_eq!(kind(&solution), Some(ValueKind::Win(0)), "{n}: {:?}", solution.reason);
        assert!(solution.best_moves.is_empty() && solution.line.is_empty());
        let proof = proved(&game, &solution);
        assert_eq!(proof.header.claim, Claim::Wins { player: 0, plies: None });
        if n <= 3 {
            let all = Auto.solve(&SolveRequest::new(
                &game,
                &game.machine.initial(),
                &SolveOptions::default(),
                &Limits::default(),
                &NoProgress,
            ));
            assert_eq!(kind(&all.expect("sound rules")), kind(&solution));
        }
    }
}

/// Lines of any number of cells on any board: the first player need not lose, and nothing more is claimed.
#[test]
fn lines_are_not_lost_by_who_moves_first() {
    let gomoku = |m: u32, n: u32, k: u32| {
        of(super::game("gomoku"), &[&format!("m={m}"), &format!("n={n}"), &format!("k={k}")])
    };
    let free = ["cols=4", "rows=4", "gravity=false"];
    let games = [
        of(super::game("tictactoe"), &[]),
        gomoku(4, 3, 3),
        gomoku(7, 7, 5),
        gomoku(15, 15, 5),
        gomoku(5, 4, 4),
    ];
    for game in games.iter().chain([&of(super::game("connect_four"), &free)]) {
        let solution = stolen(game);
        assert_eq!(solution.status, Status::Bounded, "{:?}", solution.reason);
        let zero = Rational::default();
        let bounds = solution.bounds.clone().expect("bounds");
        assert_eq!((bounds.low, bounds.high, &solution.value), (Some(zero.clone()), None, &None));
        let whole = proved(game, &solution);
        assert_eq!(whole.header.claim, Claim::AtLeast { player: 0, payoff: zero.clone() });
        for claim in [
            Claim::Wins { player: 0, plies: None },
            Claim::AtLeast { player: 1, payoff: zero.clone() },
            Claim::AtLeast { player: 0, payoff: Rational::new(1, 2) },
            Claim::Value(vec![zero.clone(), zero]),
        ] {
            let mut other = whole.clone();
            other.header.claim = claim;
            assert!(accepts(game, &other).is_err(), "{:?}", other.header.claim);
        }
    }
}

/// Returns the answer for a game that is too large, where the user sets no limits.
fn refused(game: &Game) -> Solution {
    let (start, options, limits) = (game.machine.initial(), SolveOptions::default(), Limits::default());
    let asked = Question::new(game, &start, &options, &limits);
    let plan = Plan::new(Question { user_limits: UserLimits::None, ..asked });
    let solution = plan.run(&NoProgress).expect("no fault").solution;
    assert!(plan.is_refused());
    solution
}

/// A game that is too large to be solved is reported as such, with the proved bound.
#[test]
fn what_is_too_large_has_a_bound() {
    let game = of(super::game("gomoku"), &[]);
    let start = game.machine.initial();
    let limits = Limits::default();
    let found = strategy::find_best(&game, &start, &limits).expect("a bound");
    assert_eq!(found.solution.status, Status::Bounded);
    let solution = refused(&game);
    assert_eq!(solution.status, Status::Bounded);
    assert!(solution.reason.as_deref().is_some_and(|why| why.contains("E0401")));
    proved(&game, &solution);
    let chess = of(super::game("chess"), &[]);
    let solution = refused(&chess);
    assert_eq!(solution.status, Status::Unknown);
}

const LINE: &str = "players X, O; board Cell = grid(3, 3);\n\
    state { at[c: Cell]: Player? = none; }\n\
    move mark(c: Cell) { when at[c] = none; at[c] := me; }\n\
    def line(p: Player) = some l in lines(Cell, 3): all c in l: at[c] = p;\n\
    def full = all c in Cell: at[c] != none;\n";

fn line(rules: &str, end: &str) -> Game {
    let text = format!("game \"Line\"; {LINE}{rules}\nend {{ {end} }}\n");
    of(GameSource::from_string("line.bou", &text), &[])
}

const WINS: &str = "for p in Player when line(p) => p wins; when full => draw;";

/// Each condition, and a game that satisfies all the others.
#[test]
fn where_strategies_are_not_stolen() {
    assert_eq!(stolen(&line("", WINS)).status, Status::Bounded);
    let without = |what: &str, instead: &str| {
        let text = format!("game \"Line\"; {}\nend {{ {WINS} }}\n", LINE.replace(what, instead));
        assert!(LINE.contains(what), "{what}");
        of(GameSource::from_string("line.bou", &text), &[])
    };
    // Red joins top and bottom, Blue left and right, over the sides of squares: on a full board neither need be joined.
    let squares = "game \"Squares\"; players Red, Blue; board Cell = grid(3, 3);\n\
        state { at[c: Cell]: Player? = none; }\n\
        def near(p: Player) = match p { Red => { c in Cell where c.row = 1 }, Blue => { c in Cell where c.col = 1 } };\n\
        def far(p: Player) = match p { Red => { c in Cell where c.row = 3 }, Blue => { c in Cell where c.col = 3 } };\n\
        inductive joined(p: Player, c: Cell) =\n\
          at[c] = p and (c in near(p) or some b in c.neighbors: joined(p, b));\n\
        move put(c: Cell) { when at[c] = none; at[c] := me; }\n\
        end { for p in Player when some c in far(p): joined(p, c) => p wins; }\n";
    let cases = [
        (of(super::game("connect_four"), &["cols=4", "rows=4"]), "does more than claim a cell"),
        (line("", "for p in Player when line(p) => p loses; when full => draw;"), "another cell never hurts"),
        (line("pass always;", WINS), "`pass` does not claim a cell"),
        // A player who marks a cell takes the middle, too, if that was marked.
        (
            without("at[c] := me; }", "at[c] := me; if at[b2] != none { at[b2] := me; } }"),
            "does more than claim a cell",
        ),
        // Zugzwang: the player who takes the last cell loses, so an extra cell may hurt.
        (line("", "when full => mover wins;"), "another cell never hurts"),
        (line("", "when line(X) => X wins; when full => O wins;"), "exchanges the goals of the players"),
        (
            line("", "for p in Player when line(p) => p wins; when at[b2] = O => draw; when full => draw;"),
            "before all cells are claimed",
        ),
        (
            without("when at[c] = none;", "when at[c] = none and (me = X or c != b2);"),
            "exchanges the goals of the players",
        ),
        (of(super::game("hex"), &["swap=true"]), "exchanges the goals of the players"),
        (of(GameSource::from_string("squares.bou", squares), &[]), "is over where all cells are claimed"),
        (of(super::game("dodgem"), &[]), "exchanges the goals of the players"),
    ];
    for (number, (game, reason)) in cases.iter().enumerate() {
        let solution = stolen(game);
        assert_eq!(solution.status, Status::Unknown, "{number}");
        let why = solution.reason.unwrap_or_default();
        assert!(why.contains(reason), "{number}: {why}");
    }
}

/// Nothing follows for a board on which the players cannot change places, though the rules are the same for both.
#[test]
fn what_is_changed_is_refused() {
    let hex = of(super::game("hex"), &["n=3"]);
    let tictactoe = of(super::game("tictactoe"), &[]);
    let mut changed = 0;
    for game in [&hex, &tictactoe] {
        let whole = proved(game, &stolen(game));
        let [Lemma::Steal(steal)] = &whole.lemmas[..] else { panic!("a stolen strategy") };
        let StealArgument::Exchange(images) = &steal.by else { panic!("an exchange") };
        let mut refuse = |change: &dyn Fn(&mut cert::StealLemma, &mut Vec<cert::mirror::FluentImage>)| {
            let mut other = whole.clone();
            let Lemma::Steal(lemma) = &mut other.lemmas[0] else { panic!("a stolen strategy") };
            let mut images = images.clone();
            let by = lemma.by.clone();
            change(lemma, &mut images);
            if lemma.by == by {
                lemma.by = StealArgument::Exchange(images);
            }
            if other != whole {
                assert!(accepts(game, &other).is_err(), "{:?}", other.lemmas);
                changed += 1;
            }
        };
        for place in 0..images.len() {
            refuse(&|_, images| drop(images.remove(place)));
            refuse(&|_, images| images[place].values.swap(0, 1));
            refuse(&|_, images| images[place].values = vec![0, 1, 2]);
            (0..12).for_each(|to| refuse(&|_, images| images[place].to = to));
        }
        refuse(&|steal, _| steal.bound.holder = Some(1));
        refuse(&|steal, _| steal.bound.payoff += Rational::ONE);
        refuse(&|steal, _| steal.by = StealArgument::Absorption("put(a1)".into()));
        refuse(&|_, images| images.clear());
        let mut elsewhere = whole.clone();
        let first = game.machine.successors(&game.machine.initial()).expect("sound rules").swap_remove(0);
        let interpreter = bouton_reference::Interpreter::new(game.rules.clone());
        elsewhere.header.position =
            Some(bouton_search::solve::certify::key(game, &interpreter, &first.state).expect("a key"));
        assert!(accepts(game, &elsewhere).is_err_and(|why| why.contains("turn")));
    }
    assert!(changed > 200, "{changed}");
}
