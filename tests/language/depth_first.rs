//! The depth-first solver against the labelled graph, and against published values.

use std::time::{Duration, Instant};

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_circuit::placement::PlacementGame;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Plan, Question, Route};
use bouton_driver::position;
use bouton_search::game::random::Random;
use bouton_search::game::{Backend, Game, State};
use bouton_search::solve::proof_number::{DFPN_PLUS, PnSearchOptions};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Solver, Status, SymmetryMode, ValueKind};

use super::{game, method, set, slow, solved};

fn on(text: &mut GameSource, backend: Backend) -> Game {
    text.backend = backend;
    text.game(None).unwrap_or_else(|e| panic!("{e:?}"))
}

/// A game with too many positions to list is searched, by fewer than two million positions here; one with few positions
/// is listed, since its graph also counts plies and values all moves.
#[test]
fn many_positions_are_searched_and_not_listed() {
    let run = |settings: &[&str]| {
        let game = set("connect_four", settings, Backend::Jit);
        let (start, limits) = (game.machine.initial(), Limits::default());
        let options = SolveOptions { max_line_moves: 0, ..SolveOptions::default() };
        let plan = Plan::new(Question::new(&game, &start, &options, &limits));
        plan.run(&NoProgress).expect("sound rules").solution
    };
    let searched = run(&["cols=6", "rows=4"]);
    assert_eq!(searched.value.map(|value| value.kind), Some(ValueKind::Win(1)));
    assert_eq!(searched.method, "alphabeta");
    assert!(searched.positions < 2_000_000, "{}", searched.positions);
    let listed = run(&["cols=4", "rows=4"]);
    assert_eq!((listed.value.map(|value| value.kind), listed.method), (Some(ValueKind::Draw), "dp"));
}

/// Nine men against four: the reachable positions exceed any memory, but a mill leaves three, and the next one two.
#[test]
fn what_may_come_back_and_is_too_much_for_memory_is_solved_nearby() {
    let settings = ["flying=false".to_string()];
    let mut text = game("nine_mens_morris").with_settings(&settings, None).expect("settings");
    text.backend = Backend::Jit;
    let position = "hand[White] := 0; hand[Black] := 0; at[a1] := White; at[d1] := White; at[g4] := White;
        at[b2] := White; at[b4] := White; at[d6] := White; at[c3] := White; at[c5] := White; at[d7] := White;
        at[e3] := Black; at[f2] := Black; at[e5] := Black; at[f6] := Black;";
    let start =
        position::resolve_start(&mut text, Some(position), None, &Limits::default()).expect("a position");
    let options = SolveOptions { max_line_moves: 0, ..SolveOptions::default() };
    let limits = Limits { positions: Some(1_000_000), ..Limits::default() };
    let plan = Plan::new(Question::new(&start.game, &start.state, &options, &limits));
    let solution = plan.run(&NoProgress).expect("sound rules").solution;
    assert_eq!(solution.value.map(|value| value.kind), Some(ValueKind::Win(0)), "{:?}", solution.reason);
}

#[test]
fn what_turns_out_to_be_too_much_for_memory_is_searched() {
    let game = set("connect_four", &["cols=4", "rows=4"], Backend::Jit);
    let start = game.machine.initial();
    let limits = Limits { memory_bytes: Some(4 << 20), ..Limits::default() };
    let options = SolveOptions { count_plies: true, ..SolveOptions::default() };
    let listed = solved(&game, &start, method("auto"), &options, &limits);
    assert_eq!((listed.value, listed.limit), (None, Some(LimitHit::Memory)));
    let graph = Question { route: Route::GraphFirst, ..Question::new(&game, &start, &options, &limits) };
    let solution = Plan::new(graph).run(&NoProgress).expect("sound rules").solution;
    assert_eq!(solution.value.map(|value| value.kind), Some(ValueKind::Draw), "{:?}", solution.reason);
    assert_eq!(solution.method, "alphabeta");
}

/// Each move puts a stone, and then turns a block of the board: only the number of stones grows.
#[test]
fn moves_that_permute_what_others_add_are_searched() {
    let text = "game \"Turning blocks\"; players W, B; board Cell = grid(4, 2); phases { place; turn; }\n\
        state { at[c: Cell]: Player? = none; }\n\
        const corner[b: 0..1]: Cell = Cell(1 + 2 * b, 1);\n\
        move put(c: Cell) in place as \"{c}\" { when at[c] = none; at[c] := me; continue turn; }\n\
        move rotate(b: 0..1, right: bool) in turn as \"{b} {right}\" {\n\
        let sw = corner[b]; let se = sw + E; let nw = sw + N; let ne = nw + E;\n\
        if right { at[nw] := at[sw]; at[ne] := at[nw]; at[se] := at[ne]; at[sw] := at[se]; }\n\
        else { at[sw] := at[nw]; at[nw] := at[ne]; at[ne] := at[se]; at[se] := at[sw]; } }\n\
        def row(p: Player) = some l in lines(Cell, 3): all c in l: at[c] = p;\n\
        end { when row(W) and row(B) => draw; for p in Player when row(p) => p wins;\n\
        when all c in Cell: at[c] != none => draw; }\n";
    let game = on(&mut GameSource::from_string("turning.bou", text), Backend::Jit);
    let start = game.machine.initial();
    let (options, limits) = (SolveOptions::default(), Limits::default());
    let values = ["dp", "alphabeta", "dfpn"]
        .map(|name| solved(&game, &start, method(name), &options, &limits).value.map(|value| value.kind));
    assert_eq!(values, [Some(ValueKind::Win(0)); 3]);
}

/// Renders the parts of a solution that do not depend on the method.
fn describe(solution: &Solution) -> String {
    let moves: Vec<_> = solution.moves.iter().map(|m| (&m.made.written, &m.value)).collect();
    format!(
        "{:?} {:?} {:?} {moves:?} {:?}",
        solution.status, solution.value, solution.margin, solution.reason
    )
}

/// Finite games that are small enough to be labelled.
const FINITE_GAMES: &[(&str, &[&str])] = &[
    ("tictactoe", &[]),
    ("connect_four", &["cols=4", "rows=3"]),
    ("connect_four", &["cols=4", "rows=3", "k=3"]),
    ("connect_four", &["cols=4", "rows=3", "k=3", "gravity=false"]),
    ("hex", &["n=3"]),
    ("hex", &["n=3", "swap=true"]),
    ("domineering", &["cols=4", "rows=4"]),
    ("domineering", &["cols=5", "rows=3"]),
    ("cram", &[]),
    ("chomp", &[]),
    ("nim", &[]),
    ("kayles", &[]),
    ("dawsons_kayles", &[]),
    ("wythoff", &[]),
    ("subtraction", &[]),
    ("treblecross", &[]),
    ("row_of_cells", &[]),
    ("hatch", &[]),
    ("gomoku", &["m=4", "n=3", "k=3"]),
    ("breakthrough", &["cols=3", "rows=4"]),
    ("breakthrough", &["cols=2", "rows=4"]),
    ("dots_and_boxes", &[]),
    ("isola", &["cols=3", "rows=3"]),
    ("toads_and_frogs", &[]),
    ("amazons", &["n=3"]),
    ("othello", &[]),
    ("toads_and_frogs", &["toads=3", "gap=2", "frogs=3"]),
];

#[test]
fn values_are_those_of_the_labelled_graph() {
    let limits = Limits { positions: Some(300_000), ..Limits::default() };
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    let mut fewer = 0;
    for (name, settings) in FINITE_GAMES {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let labelled = solved(&game, &start, method("auto"), &options, &limits);
        let searched = solved(&game, &start, method("alphabeta"), &options, &Limits::default());
        println!("{name} {settings:?}: {} and {} positions", labelled.positions, searched.positions);
        assert_eq!(describe(&searched), describe(&labelled), "{name} {settings:?}");
        let folding = SolveOptions { symmetry: SymmetryMode::On, ..options };
        let folded = solved(&game, &start, method("alphabeta"), &folding, &Limits::default());
        assert_eq!(describe(&folded), describe(&labelled), "{name} {settings:?} up to symmetry");
        line_keeps_the_value(&game, &start, &folded, &labelled);
        fewer += u32::from(folded.positions < searched.positions);
        let best = |solution: &Solution| -> Vec<String> {
            solution.best_moves.iter().map(|made| made.written.clone()).collect()
        };
        // Remoteness breaks ties among the moves that keep the value.
        assert!(best(&labelled).iter().all(|made| best(&searched).contains(made)), "{name} {settings:?}");
        line_keeps_the_value(&game, &start, &searched, &labelled);
        let options = SolveOptions { count_plies: true, ..options };
        let counted = solved(&game, &start, method("alphabeta"), &options, &Limits::default());
        if counted.status != Status::Solved {
            assert!(counted.reason.is_some_and(|reason| reason.contains("plies")), "{name} {settings:?}");
            continue;
        }
        assert_eq!(describe(&counted), describe(&labelled), "{name} {settings:?}");
        assert_eq!(counted.remoteness, labelled.remoteness, "{name} {settings:?}");
        let plies = |solution: &Solution| -> Vec<_> { solution.moves.iter().map(|m| m.remoteness).collect() };
        assert_eq!(plies(&counted), plies(&labelled), "{name} {settings:?}");
        assert_eq!(best(&counted), best(&labelled), "{name} {settings:?}");
        assert!(counted.remoteness.is_none_or(|plies| plies as usize == counted.line.len()), "{name}");
        line_keeps_the_value(&game, &start, &counted, &labelled);
    }
    assert!(fewer > 8, "symmetries spare positions in {fewer} games");
}

#[test]
fn a_guess_of_the_rules_changes_the_order_of_moves_and_no_value() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/breakthrough.bou");
    let rules = std::fs::read_to_string(path).expect("a game of games/");
    let searched = |evaluate: &str, rows: u32, method: &'static dyn Solver| {
        let text = GameSource::from_string("guess.bou", &format!("{rules}\n{evaluate}"));
        let mut text =
            text.with_settings(&["cols=3".into(), format!("rows={rows}")], None).expect("settings");
        let game = on(&mut text, Backend::Jit);
        solved(&game, &game.machine.initial(), method, &SolveOptions::default(), &Limits::default())
    };
    // An evaluation that is the same everywhere, or undefined everywhere, has no effect.
    let none = ["evaluate p: 7;", "evaluate p: max c in Cell where at[c] = p and at[c] = other(p): c.row;"];
    for (method, rows, plain, none) in [
        (method("alphabeta"), 6, searched("", 6, method("alphabeta")), &none[..1]),
        (method("dfpn-plus"), 5, searched("", 5, method("dfpn")), &none[..]),
    ] {
        assert_eq!(plain.status, Status::Solved, "{:?}", plain.reason);
        for guess in none {
            let guided = searched(guess, rows, method);
            assert_eq!((&guided.value, guided.positions), (&plain.value, plain.positions), "{guess}");
        }
        for sign in ["", "-"] {
            let guess = format!("evaluate p: {sign}(count c in Cell: at[c] = p and c.col = 2);");
            let guided = searched(&guess, rows, method);
            assert_eq!((guided.status, &guided.value), (plain.status, &plain.value), "{guess}");
            assert_ne!(guided.positions, plain.positions, "{guess}");
        }
    }
    // The evaluation may also serve as the cost of a move.
    let plain = searched("", 5, method("dfpn"));
    for guess in ["evaluate p: count c in Cell: at[c] = p;", "evaluate p: -(count c in Cell: at[c] = p);"] {
        let costs = PnSearchOptions { evaluation_costs: true, ..DFPN_PLUS.tuning };
        let text = GameSource::from_string("guess.bou", &format!("{rules}\n{guess}"));
        let mut text = text.with_settings(&["cols=3".into(), "rows=5".into()], None).expect("settings");
        let (game, limits) = (on(&mut text, Backend::Jit), Limits::default());
        let options = SolveOptions::default();
        let start = game.machine.initial();
        let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
        let costly = DFPN_PLUS.with_tuning(costs).value(&request).expect("sound rules");
        assert_eq!((costly.status, &costly.value), (plain.status, &plain.value), "{guess}");
        assert_ne!(costly.positions, searched(guess, 5, method("dfpn-plus")).positions, "{guess}");
    }
    // Answers that rest on evaluations are no values, however wrong the evaluations are.
    let mut guesses = none.to_vec();
    guesses.extend([
        "evaluate p: count c in Cell: at[c] = p;",
        "evaluate p: -(count c in Cell: at[c] = p);",
        "evaluate p: sum c in Cell where at[c] = p: c.col;",
    ]);
    let positions = guesses.iter().map(|guess| {
        let widened = searched(guess, 5, method("widening"));
        assert_eq!((widened.status, &widened.value), (plain.status, &plain.value), "{guess}");
        widened.positions
    });
    let positions: Vec<u64> = positions.collect();
    assert!(positions[2..].iter().all(|count| !positions[..2].contains(count)), "{positions:?}");
    for method in [method("dfpn-plus"), method("widening")] {
        let without = searched("", 5, method);
        assert!(without.value.is_none() && without.reason.is_some_and(|why| why.contains("`evaluate`")));
    }
}

#[test]
fn places_that_fill_up_bound_the_plies_that_are_left() {
    let of = |name: &str, game: Game| {
        let machine = game.compiled().expect("a circuit");
        let filling = PlacementGame::of(machine.runner().circuit())?;
        let mut random = Random::new(7);
        let mut longest = 0;
        for _ in 0..20 {
            let (mut at, mut plies) = (game.machine.initial(), 0);
            let left =
                |state: &State| filling.free_places(&machine.position(state).expect("it was played").words);
            let most = left(&at);
            while let Ok(mut moves) = game.machine.successors(&at)
                && !moves.is_empty()
            {
                let next = moves.swap_remove(random.below(moves.len() as u64) as usize).state;
                assert!(left(&next) < left(&at), "{name}");
                assert!(!filling.single_placement() || left(&next) + 1 == left(&at), "{name}");
                (at, plies) = (next, plies + 1);
            }
            assert!(plies <= most, "{name}");
            longest = longest.max(most);
        }
        Some((longest, filling.single_placement()))
    };
    let filling = |name: &str, settings: &[&str]| of(name, set(name, settings, Backend::Jit));
    assert_eq!(filling("tictactoe", &[]), Some((9, true)));
    assert_eq!(filling("connect_four", &[]), Some((42, true)));
    assert_eq!(filling("hex", &["n=5"]), Some((25, true)));
    assert_eq!(filling("gomoku", &["m=7", "n=6"]), Some((42, true)));
    let mut two = GameSource::from_string(
        "two.bou",
        "game \"Two\"; players A, B; board Cell = grid(2, 3); state { on[c: Cell]: bool = false; near[c: Cell]: bool = false; }
         move put(c: Cell) { when not on[c] and not near[c]; on[c] := true; near[a1] := true; }
         move stand(c: Cell) { when not on[c] and not near[c]; near[c] := true; }
         play normal;",
    );
    assert_eq!(of("two", on(&mut two, Backend::Jit)), Some((6, false)));
    // Stones change hands, move, or are placed two at a time.
    for name in ["othello", "breakthrough", "three_mens_morris", "dodgem", "cram", "english_draughts"] {
        assert_eq!(filling(name, &[]), None, "{name}");
    }
    assert_eq!(filling("hex", &["n=3", "swap=true"]), None);
}

/// Asserts that each position of the line has the value of the first.
fn line_keeps_the_value(game: &Game, start: &State, searched: &Solution, labelled: &Solution) {
    let table = labelled.table.as_ref().expect("a table");
    let mut at = start.clone();
    for made in &searched.line {
        let successors = game.machine.successors(&at).expect("sound rules");
        let next = successors.into_iter().find(|s| s.play == made.play).expect("a legal move");
        at = next.state;
        assert_eq!(table.value(&at), searched.value, "{}", made.written);
    }
    assert!(game.machine.successors(&at).expect("sound rules").is_empty(), "best play goes to the end");
}

#[test]
fn margins_are_those_of_the_labelled_graph() {
    for (name, settings) in [("othello", &[][..]), ("dots_and_boxes", &[])] {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let options = SolveOptions { margin: true, all_moves: true, ..SolveOptions::default() };
        let limits = Limits { positions: Some(200_000), ..Limits::default() };
        let labelled = solved(&game, &start, method("auto"), &options, &limits);
        let searched = solved(&game, &start, method("alphabeta"), &options, &Limits::default());
        assert_eq!(describe(&searched), describe(&labelled), "{name}");
        assert!(searched.margin.is_some(), "{name}");
    }
}

#[test]
fn every_machine_gives_the_same_search() {
    for (name, settings) in
        [("connect_four", &["cols=4", "rows=3"][..]), ("domineering", &["cols=4", "rows=3"])]
    {
        let runs = [Backend::Jit, Backend::Interp, Backend::Jit].map(|backend| {
            let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
            let mut text = game(name).with_settings(&settings, None).expect("parameters");
            let game = on(&mut text, backend);
            assert_eq!(game.backend(), backend);
            let start = game.machine.initial();
            let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
            let solution = solved(&game, &start, method("alphabeta"), &options, &Limits::default());
            // Only machine code gives hints, so the number of positions differs.
            format!("{} {:?} {:?}", describe(&solution), solution.best_moves, solution.line)
        });
        assert_eq!(runs[0], runs[1], "{name}");
        assert_eq!(runs[0], runs[2], "{name}");
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let refusals = [
        ("nine_mens_morris", &[][..], "positions may come back"),
        ("dodgem", &[], "positions may come back"),
        ("chess", &["fifty=0", "threefold=false"], "positions may come back"),
        ("maze", &[], "two players"),
        ("dice_race", &[], "one player moves at a time"),
        ("go", &[], "do not depend on earlier positions"),
        ("kuhn_poker", &[], "hidden information"),
    ];
    for (name, settings, reason) in refusals {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let solution =
            solved(&game, &start, method("alphabeta"), &SolveOptions::default(), &Limits::default());
        assert_eq!(solution.status, Status::Unknown, "{name}");
        assert!(
            solution.reason.as_ref().is_some_and(|r| r.contains(reason)),
            "{name}: {:?}",
            solution.reason
        );
    }
    let strong = SolveOptions { strong: true, ..SolveOptions::default() };
    let game = set("tictactoe", &[], Backend::Jit);
    let start = game.machine.initial();
    let solution = solved(&game, &start, method("alphabeta"), &strong, &Limits::default());
    assert!(solution.reason.is_some_and(|r| r.contains("every position")));
}

#[test]
fn a_cycle_that_no_sample_shows_gives_no_value() {
    // A player who slips loses, so both go on, which few random plays do; and then they turn one bit for ever.
    let lock = "game \"Lock\"; players A, B; state { n: 0..12 = 0; x: 0..1 = 0; lost: bool = false; }\n\
        move go() { when n < 12; n += 1; }\nmove slip(k: 1..5) as \"s{k}\" { when n < 12; lost := true; }\n\
        move turn() { when n = 12; x := 1 - x; }\nmove leave() { when n = 12; lost := true; }\n\
        end { when lost => mover wins; }\n";
    let back = "game \"Back\"; players A, B; state { n: 0..40 = 0; }\n\
        move slow() { when n < 30; n += 1; }\nmove back() { when n = 29; n := 28; }\n\
        end { when n = 30 => mover loses; }\n";
    for text in [lock, back] {
        let game = on(&mut GameSource::from_string("round.bou", text), Backend::Jit);
        let start = game.machine.initial();
        let solution =
            solved(&game, &start, method("alphabeta"), &SolveOptions::default(), &Limits::default());
        assert_eq!((solution.status, solution.value), (Status::Unknown, None));
        assert!(solution.reason.as_ref().is_some_and(|r| r.contains("come back")), "{:?}", solution.reason);
    }
}

#[test]
fn payoffs_that_are_numbers_have_one_sum_and_others_are_refused() {
    let pile = |ends: &str| {
        let head = "game \"Pile\"; players A, B; state { n: 0..9 = 9; odd: 0..1 = 0; took: 0..3 = 0; }\n\
            move take(k: 1..3) as \"{k}\" { when k <= n; n -= k; odd := 1 - odd; took := k; }\n";
        GameSource::from_string("pile.bou", &format!("{head}end {{ {ends} }}\n"))
    };
    let numbers = "when n = 0 and odd = 1 and took = 1 => payoff p: if p = A then 1 else -1;\n\
        when n = 0 and odd = 1 => payoff p: if p = A then 7 else -7;\n\
        when n = 0 => payoff p: if p = A then -5 else 5;";
    let game = on(&mut pile(numbers), Backend::Jit);
    let start = game.machine.initial();
    let options = SolveOptions { all_moves: true, ..SolveOptions::default() };
    let [labelled, searched] = [method("auto"), method("alphabeta")]
        .map(|method| solved(&game, &start, method, &options, &Limits::default()));
    assert_eq!(describe(&searched), describe(&labelled));
    assert_eq!(searched.status, Status::Solved);
    for ends in [
        "when n = 0 => payoff p: if p = A then took else -took;",
        "when n = 0 and odd = 1 => payoff p: if p = A then 2 else -2; when n = 0 => payoff p: 1;",
    ] {
        let game = on(&mut pile(ends), Backend::Jit);
        let start = game.machine.initial();
        let refused = solved(&game, &start, method("alphabeta"), &options, &Limits::default());
        assert_eq!(refused.status, Status::Unknown);
        assert!(refused.reason.as_ref().is_some_and(|r| r.contains("one sum")), "{:?}", refused.reason);
    }
}

#[test]
fn limits_give_bounds_or_nothing() {
    let game = set("connect_four", &["cols=6", "rows=5"], Backend::Jit);
    let start = game.machine.initial();
    let options = SolveOptions::default();
    let run = |limits: &Limits| solved(&game, &start, method("alphabeta"), &options, limits);
    let few = run(&Limits { positions: Some(5000), ..Limits::default() });
    assert_eq!((few.status, few.limit, few.positions), (Status::Unknown, Some(LimitHit::Positions), 5000));
    let clock = Instant::now();
    let deadline = clock.checked_add(Duration::from_millis(300));
    let short = run(&Limits { deadline, ..Limits::default() });
    assert_eq!(short.limit, Some(LimitHit::Time));
    assert!(clock.elapsed() < Duration::from_secs(5));
    let tiny = run(&Limits { memory_bytes: Some(1000), ..Limits::default() });
    assert_eq!((tiny.status, tiny.limit), (Status::Unknown, Some(LimitHit::Memory)));
    let stopped = Limits::default();
    stopped.cancel.cancel();
    assert_eq!(run(&stopped).limit, Some(LimitHit::Interrupted));
    // A small table makes the search longer, but not wrong.
    let game = set("connect_four", &["cols=4", "rows=4"], Backend::Jit);
    let start = game.machine.initial();
    let run = |bytes| {
        let limits = Limits { memory_bytes: Some(bytes), ..Limits::default() };
        solved(&game, &start, method("alphabeta"), &options, &limits)
    };
    let (small, large) = (run(60_000), run(1 << 26));
    assert!(small.memory_bytes <= 60_000 && small.positions > large.positions, "{small:?} {large:?}");
    assert_eq!(small.value, large.value);
}

/// Positions of Connect Four, 7 columns of 6, as columns played, each with the score of the player to move: 22 minus
/// the discs of the winner, negative for the loser, 0 for a draw. From the test sets of benjaminrall/connect-four-ai
/// (MIT), made after Pascal Pons's. Each set has the number of positions that the fast tests solve.
const SETS: &[(&str, usize)] = &[
    (include_str!("connect_four/end-easy.txt"), 40),
    (include_str!("connect_four/middle-easy.txt"), 40),
    (include_str!("connect_four/begin-easy.txt"), 30),
    (include_str!("connect_four/middle-medium.txt"), 8),
];

#[test]
fn positions_of_connect_four_have_the_published_scores() {
    let game = set("connect_four", &[], Backend::Jit);
    for (text, few) in SETS {
        let clock = Instant::now();
        let (mut positions, mut count) = (0, 0);
        for line in text.lines().take(if slow() { usize::MAX } else { *few }) {
            let (columns, score) = line.split_once(' ').expect("columns and a score");
            let score: i64 = score.trim().parse().expect("a score");
            let mut at = game.machine.initial();
            for column in columns.chars() {
                let successors = game.machine.successors(&at).expect("sound rules");
                let drop =
                    successors.into_iter().find(|s| game.notation(&at, &s.play).trim() == column.to_string());
                at = drop.expect("a legal move").state;
            }
            // The discs of each side, and from them the plies to the end.
            let (mover, played) = (columns.len() % 2, columns.len() as i64);
            let own = played / 2;
            let discs = 22 - score.abs();
            let other = (played + 1) / 2;
            let plies = match score.signum() {
                1 => Some(2 * (discs - own) - 1),
                -1 => Some(2 * (discs - other)),
                _ => None,
            };
            for distance in [true, false] {
                let options =
                    SolveOptions { count_plies: distance, max_line_moves: 0, ..SolveOptions::default() };
                let solution = solved(&game, &at, method("alphabeta"), &options, &Limits::default());
                let payoff = solution.value.as_ref().map(|value| value.payoffs[mover].as_i64().unwrap());
                assert_eq!(payoff, Some(score.signum()), "{columns}: {solution:?}");
                let told = solution.remoteness.map(i64::from);
                assert_eq!(told, plies.filter(|_| distance), "{columns}");
                positions += if distance { solution.positions } else { 0 };
            }
            count += 1;
        }
        let time = clock.elapsed().as_secs_f64();
        println!("{count} solved, {} positions each with plies, {time:.1} s", positions / count);
    }
}

#[test]
fn boards_too_large_to_list_are_solved() {
    // Connect Four by John Tromp (tromp.github.io/c4/c4.html): on 5 columns of 4 and of 5 a draw, on 6 of 4 won by the
    // second player. Hex on 4 by 4 is won by the first player (Nash). Domineering on 6 by 6 is won by the first
    // (Breuker, Uiterwijk, van den Herik 2000).
    let mut known = vec![
        ("connect_four", &["cols=4", "rows=4"][..], [0, 0]),
        ("connect_four", &["cols=5", "rows=4"], [0, 0]),
        ("domineering", &["cols=5", "rows=5"], [-1, 1]),
        ("gomoku", &["m=4", "n=4", "k=4"], [0, 0]),
        ("kalah", &[], [1, -1]),
    ];
    if slow() {
        known.push(("connect_four", &["cols=5", "rows=5"], [0, 0]));
        known.push(("connect_four", &["cols=6", "rows=4"], [-1, 1]));
        known.push(("connect_four", &["cols=6", "rows=5"], [0, 0]));
        known.push(("hex", &["n=4"], [1, -1]));
        known.push(("domineering", &["cols=6", "rows=6"], [1, -1]));
    }
    for (name, settings, payoffs) in known {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let clock = Instant::now();
        let solution =
            solved(&game, &start, method("alphabeta"), &SolveOptions::default(), &Limits::default());
        let time = clock.elapsed().as_secs_f64();
        println!("{name} {settings:?}: {} positions, {time:.1} s", solution.positions);
        let value: Option<Vec<i64>> =
            solution.value.map(|value| value.payoffs.iter().map(|p| p.as_i64().unwrap()).collect());
        assert_eq!(value, Some(payoffs.to_vec()), "{name} {settings:?}: {:?}", solution.reason);
    }
}

#[test]
fn a_position_that_is_an_end_is_no_ply_away_from_it() {
    let mut text = GameSource::from_string(
        "ended.bou",
        "game \"Ended\"; players A, B; state { n: 0..3 = 0; } move go() { when n < 3; n += 1; }
         end { when n = 0 => A wins; when stuck => B wins; }",
    );
    let game = on(&mut text, Backend::Jit);
    let start = game.machine.initial();
    let options = SolveOptions { count_plies: true, ..SolveOptions::default() };
    for method in [method("alphabeta"), method("dp"), method("retrograde")] {
        let solution = solved(&game, &start, method, &options, &Limits::default());
        let value = solution.value.as_ref().map(|value| value.kind);
        assert_eq!((value, solution.remoteness), (Some(ValueKind::Win(0)), Some(0)), "{method:?}");
    }
}
