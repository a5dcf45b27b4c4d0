//! Differential tests of the solvers: random games given as graphs, against a naive implementation of each definition.

use bouton_base::rational::Rational;
use proptest::prelude::*;

use super::depth_limited::DepthLimitedOptions;
use super::dynamic_programming::{AND_OR, DP};
use super::interval::INTERVAL;
use super::nimber::Grundy;
use super::retrograde::RETROGRADE;
use super::trace::{TraceLimits, TracedSearch};
use super::*;
use crate::game::Game;
use crate::game::toy::{ToyGame, number};
use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_rules::{OutcomeExpr, PerPlayer, Vars};

/// A game as data: by position its end, or its owner and its moves.
#[derive(Clone, Debug)]
enum Place {
    Over(i64),
    Moves(u32, Vec<usize>),
}

fn r(n: i64) -> Rational {
    Rational::from_integer(n)
}

/// Generates random games of up to `n` positions with ends worth `lo..=hi`; with `forward`, moves lead to later
/// positions only.
fn places(n: usize, lo: i64, hi: i64, forward: bool) -> impl Strategy<Value = Vec<Place>> {
    let place = (prop::bool::weighted(0.3), lo..=hi, 0..2u32, prop::collection::vec(0..1000usize, 1..4));
    prop::collection::vec(place, 1..=n).prop_map(move |raw| {
        let size = raw.len();
        let place = |(i, (over, end, owner, to)): (usize, (bool, i64, u32, Vec<usize>))| {
            if over || (forward && i + 1 == size) {
                return Place::Over(end);
            }
            let target = |t: usize| if forward { i + 1 + t % (size - i - 1) } else { t % size };
            Place::Moves(owner, to.into_iter().map(target).collect())
        };
        raw.into_iter().enumerate().map(place).collect()
    })
}

fn toy(places: &[Place], players: usize, payoffs: bool) -> ToyGame {
    let mut toy = ToyGame::new(players);
    for (i, place) in places.iter().enumerate() {
        match place {
            Place::Over(value) if payoffs => toy.payoffs(i, &[*value, -value][..players]),
            Place::Over(value) => toy.over(i, *value),
            Place::Moves(owner, next) => {
                toy.owner(i, if players == 1 { 0 } else { *owner });
                for &to in next {
                    toy.edge(i, to);
                }
            }
        }
    }
    toy
}

/// Returns by position the least number of plies in which `player` can force an end that `good` accepts.
fn forced(places: &[Place], player: u32, good: &dyn Fn(i64) -> bool) -> Vec<Option<u32>> {
    let mut within: Vec<Option<u32>> = vec![None; places.len()];
    for plies in 0..=places.len() as u32 {
        let before = within.clone();
        for (i, place) in places.iter().enumerate() {
            let now = match place {
                Place::Over(value) => good(*value),
                Place::Moves(owner, next) if *owner == player => next.iter().any(|&t| before[t].is_some()),
                Place::Moves(_, next) => next.iter().all(|&t| before[t].is_some()),
            };
            if now && within[i].is_none() {
                within[i] = Some(plies);
            }
        }
    }
    within
}

/// Returns the value of the first position by definition: the greatest t that the first player can guarantee, by
/// forcing an end worth t, or if infinite play is worth t by preventing the other from forcing less.
fn naive_value(places: &[Place], infinite: i64) -> i64 {
    let sure = |t: i64| {
        if infinite < t {
            forced(places, 0, &|v| v >= t)[0].is_some()
        } else {
            forced(places, 1, &|v| v < t)[0].is_none()
        }
    };
    (-20..=20).rev().find(|&t| sure(t)).expect("bounded")
}

fn run(game: &Game, method: &dyn Solver) -> Solution {
    run_limited(game, method, &Limits::default())
}

fn run_limited(game: &Game, method: &dyn Solver, limits: &Limits) -> Solution {
    method
        .solve(&SolveRequest::new(
            game,
            &game.machine.initial(),
            &SolveOptions::default(),
            limits,
            &NoProgress,
        ))
        .unwrap()
}

fn first(solution: &Solution) -> Option<Rational> {
    solution.value.as_ref().map(|v| v.payoffs[0].clone())
}

/// Returns the worth of the end that a line leads to; `None` if it leads to none.
fn end_of_line(places: &[Place], solution: &Solution) -> Option<i64> {
    let mut at = 0;
    for made in &solution.line {
        let Place::Moves(_, next) = &places[at] else { panic!("a move after the end") };
        let crate::game::MoveInstance::Move(_, args) = &made.play else { panic!("a move") };
        at = next[args[0].as_int().unwrap() as usize];
    }
    if let Place::Over(end) = places[at] { Some(end) } else { None }
}

/// Returns a game in which chance acts at the given positions, the k-th move with weight k, and its value by
/// definition.
fn with_chance(places: &[Place], thrown: &[bool], payoffs: bool) -> (ToyGame, Rational) {
    let mut toy = toy(places, 2, payoffs);
    let mut values = vec![r(0); places.len()];
    for (i, place) in places.iter().enumerate().rev() {
        values[i] = match place {
            Place::Over(value) => r(*value),
            Place::Moves(_, next) if thrown[i] => {
                let total = (next.len() * (next.len() + 1) / 2) as i64;
                let shares: Vec<Rational> =
                    (1..=next.len() as i64).map(|k| Rational::new(k, total)).collect();
                toy.shares(i, &shares);
                next.iter().zip(&shares).map(|(&t, share)| values[t].clone() * share).sum()
            }
            Place::Moves(0, next) => next.iter().map(|&t| values[t].clone()).max().expect("a move"),
            Place::Moves(_, next) => next.iter().map(|&t| values[t].clone()).min().expect("a move"),
        };
    }
    (toy, values[0].clone())
}

/// Returns everything but the table, to compare runs.
fn digest(mut solution: Solution) -> String {
    solution.table = None;
    format!("{solution:?}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wins_and_remoteness_agree_with_the_definition(places in places(12, -1, 1, false)) {
        let mut toy = toy(&places, 2, false);
        toy.repeat_draw();
        let game = toy.game();
        for method in [&Auto as &dyn Solver, &RETROGRADE] {
            let solution = run(&game, method);
            let value = naive_value(&places, 0);
            prop_assert_eq!(first(&solution), Some(r(value)));
            let expected = match value {
                0 => None,
                1 => forced(&places, 0, &|v| v == 1)[0],
                _ => forced(&places, 1, &|v| v == -1)[0],
            };
            prop_assert_eq!(solution.remoteness, expected);
            if let Some(plies) = expected {
                prop_assert_eq!(solution.line.len() as u32, plies);
            }
        }
    }

    #[test]
    fn infinite_play_may_be_a_win(places in places(12, -1, 1, false), wins in any::<bool>()) {
        let mut toy = toy(&places, 2, false);
        toy.repeat(OutcomeExpr::Player(
            bouton_rules::Expr::new(
                bouton_rules::ExprKind::Const(bouton_rules::Value::Sym(bouton_rules::PLAYER, 0)),
                bouton_rules::Type::Sym(bouton_rules::PLAYER),
                crate::game::toy::no_span(),
            ),
            wins,
        ));
        let infinite = if wins { 1 } else { -1 };
        let solution = run(&toy.game(), &RETROGRADE);
        let value = naive_value(&places, infinite);
        prop_assert_eq!(first(&solution), Some(r(value)));
        let expected = match value {
            0 => None,
            1 => forced(&places, 0, &|v| v == 1)[0],
            _ => forced(&places, 1, &|v| v == -1)[0],
        };
        prop_assert_eq!(solution.remoteness, expected);
        // A draw is reached as well, since whoever would lose by infinite play comes nearer to it.
        prop_assert_eq!(end_of_line(&places, &solution).unwrap_or(infinite), value);
    }

    #[test]
    fn scores_agree_with_thresholds(places in places(12, -4, 4, false), infinite in -5..=5i64) {
        let mut toy = toy(&places, 2, true);
        toy.pays(-4, 4);
        let values = vec![number(infinite), number(-infinite)];
        toy.repeat(OutcomeExpr::Payoff(PerPlayer { values, vars: Vars::new() }));
        let solution = run(&toy.game(), &Auto);
        let value = naive_value(&places, infinite);
        prop_assert_eq!(first(&solution), Some(r(value)));
        // The best line ends with the value, or cycles if infinite play has the value.
        prop_assert_eq!(end_of_line(&places, &solution).unwrap_or(infinite), value);
    }

    #[test]
    fn trees_end_where_positions_come_back(places in places(7, -4, 4, false), infinite in -5..=5i64) {
        let mut toy = toy(&places, 2, true);
        toy.pays(-4, 4);
        let values = vec![number(infinite), number(-infinite)];
        toy.repeat(OutcomeExpr::Payoff(PerPlayer { values, vars: Vars::new() }));
        let game = toy.game();
        let plan = DepthLimitedOptions::with_depth(0).with_options("games=0").unwrap();
        let extent = TraceLimits { depth: None, plan, nodes: 100_000, probes: false };
        for method in [TracedSearch::Minimax, TracedSearch::AlphaBeta] {
            let tree = trace::trace(&game, &game.machine.initial(), method, &extent, &Limits::default());
            prop_assert_eq!(tree.expect("a tree").value, Some(r(naive_value(&places, infinite))));
        }
    }

    #[test]
    fn trees_with_cuts_tell_true_values(
        places in places(16, -6, 6, true),
        thrown in prop::collection::vec(any::<bool>(), 16),
    ) {
        let (mut toy, _) = with_chance(&places, &thrown, true);
        toy.pays(-6, 6);
        check_trees_with_cuts(toy);
    }

    #[test]
    fn methods_agree_where_play_ends(places in places(14, -1, 1, true)) {
        let mut toy = toy(&places, 2, false);
        toy.repeat_draw();
        let game = toy.game();
        let [dp, retrograde, and_or] =
            [&DP, &RETROGRADE, &AND_OR].map(|m| run(&game, m));
        prop_assert_eq!(first(&dp), Some(r(naive_value(&places, 0))));
        for other in [&retrograde, &and_or] {
            if other.status == Status::Solved {
                prop_assert_eq!(&dp.value, &other.value);
                prop_assert_eq!(dp.remoteness, other.remoteness);
                prop_assert_eq!(&dp.best_moves, &other.best_moves);
                prop_assert_eq!(&dp.line, &other.line);
            }
        }
    }

    #[test]
    fn limits_give_bounds_that_hold(places in places(12, -1, 1, false), seen in 0..12u64) {
        let mut toy = toy(&places, 2, false);
        toy.repeat_draw();
        let limits = Limits { positions: Some(seen), ..Limits::default() };
        let solution = run_limited(&toy.game(), &Auto, &limits);
        let value = r(naive_value(&places, 0));
        match solution.status {
            Status::Solved => prop_assert_eq!(first(&solution), Some(value)),
            _ => {
                let bounds = solution.bounds.unwrap();
                prop_assert!(bounds.low.unwrap() <= value && value <= bounds.high.unwrap());
                prop_assert_eq!(solution.limit, Some(LimitHit::Positions));
            }
        }
        let table = solution.table.unwrap();
        for (state, found) in table.positions() {
            let Some(found) = found else { continue };
            let mut from_here = places.clone();
            from_here.swap(0, state.0[0] as usize);
            let at = state.0[0] as usize;
            for place in &mut from_here {
                if let Place::Moves(_, next) = place {
                    next.iter_mut().for_each(|t| *t = if *t == 0 { at } else if *t == at { 0 } else { *t });
                }
            }
            prop_assert_eq!(found.payoffs[0].clone(), r(naive_value(&from_here, 0)));
        }
    }

    #[test]
    fn one_player_takes_the_fewest_moves(places in places(12, -1, 1, false), seen in 1..20u64) {
        let alone: Vec<Place> = places
            .iter()
            .map(|p| match p {
                Place::Over(v) => Place::Over(if *v == 0 { -1 } else { *v }),
                Place::Moves(_, next) => Place::Moves(0, next.clone()),
            })
            .collect();
        let game = toy(&alone, 1, false).game();
        let fewest = forced(&alone, 0, &|v| v == 1)[0];
        let solution = run(&game, &Auto);
        let kind = solution.value.as_ref().map(|v| v.kind);
        prop_assert_eq!(kind, Some(if fewest.is_some() { ValueKind::Solved } else { ValueKind::Unsolvable }));
        prop_assert_eq!(solution.remoteness, fewest);
        prop_assert_eq!(solution.line.len() as u32, fewest.unwrap_or(solution.line.len() as u32));
        let options = SolveOptions { strong: true, ..SolveOptions::default() };
        let start = game.machine.initial();
        let strong = Auto.solve(&SolveRequest::new(&game, &start, &options, &Limits::default(), &NoProgress)).unwrap();
        prop_assert_eq!((&strong.value, strong.remoteness), (&solution.value, fewest));
        if fewest.is_some() {
            prop_assert_eq!(&strong.best_moves, &solution.best_moves);
        }
        let limits = Limits { positions: Some(seen), ..Limits::default() };
        let limited = run_limited(&game, &Auto, &limits);
        if limited.status == Status::Solved {
            prop_assert_eq!((&limited.value, limited.remoteness), (&solution.value, fewest));
        }
    }

    #[test]
    fn one_player_takes_the_best_payoff(places in places(12, -4, 4, false)) {
        let mut toy = toy(&places, 1, true);
        toy.pays(-4, 4);
        let alone: Vec<Place> = places
            .iter()
            .map(|p| if let Place::Moves(_, next) = p { Place::Moves(0, next.clone()) } else { p.clone() })
            .collect();
        let best = (-4..=4).rev().find(|&t| forced(&alone, 0, &|v| v == t)[0].is_some());
        let solution = run(&toy.game(), &Auto);
        // Endless play has no payoff, so there is no value where no end can be reached.
        prop_assert_eq!(solution.status == Status::Solved, best.is_some());
        prop_assert_eq!(solution.value.map(|value| value.payoffs), best.map(|best| vec![r(best)]));
    }

    #[test]
    fn chance_gives_exact_means(
        places in places(10, -3, 3, true),
        thrown in prop::collection::vec(any::<bool>(), 10),
    ) {
        let (mut toy, value) = with_chance(&places, &thrown, true);
        toy.pays(-3, 3);
        let game = toy.game();
        prop_assert_eq!(first(&run(&game, &Auto)), Some(value.clone()));
        let enclosed = run(&game, &INTERVAL);
        match enclosed.bounds {
            None => prop_assert_eq!(first(&enclosed), Some(value)),
            Some(Bounds { low, high }) => {
                let (low, high) = (low.unwrap(), high.unwrap());
                prop_assert!(low <= value && value <= high);
                prop_assert!(high - low < Rational::new(1, 1 << 28));
            }
        }
    }

    #[test]
    fn limits_give_bounds_on_means(
        places in places(10, -1, 1, true),
        thrown in prop::collection::vec(any::<bool>(), 10),
        seen in 0..10u64,
    ) {
        let (toy, value) = with_chance(&places, &thrown, false);
        let limits = Limits { positions: Some(seen), ..Limits::default() };
        let solution = run_limited(&toy.game(), &Auto, &limits);
        match solution.bounds {
            Some(bounds) => prop_assert!(bounds.low.unwrap() <= value && value <= bounds.high.unwrap()),
            None => prop_assert_eq!(first(&solution), Some(value)),
        }
    }

    #[test]
    fn nimbers_are_mex(places in places(14, 0, 0, true)) {
        let mut toy = ToyGame::new(2);
        toy.impartial = true;
        let mut values = vec![0u32; places.len()];
        for (i, place) in places.iter().enumerate().rev() {
            if let Place::Moves(_, next) = place {
                values[i] = (0..).find(|n| next.iter().all(|&t| values[t] != *n)).unwrap();
                next.iter().for_each(|&to| toy.edge(i, to));
            } else {
                toy.owner(i, 0);
            }
        }
        let game = toy.game();
        let solution = run(&game, &Grundy);
        prop_assert_eq!(solution.nimber, Some(values[0]));
        prop_assert_eq!(&solution.value, &run(&game, &Auto).value);
    }
}

/// Checks that each value that a tree with cuts tells as exact is that of the whole tree, and that each bound holds.
fn check_trees_with_cuts(toy: ToyGame) {
    let game = toy.game();
    let plan = DepthLimitedOptions::with_depth(0).with_options("games=0").unwrap();
    let traced = |method, probes| {
        let extent = TraceLimits { depth: None, plan, nodes: 20_000, probes };
        trace::trace(&game, &game.machine.initial(), method, &extent, &Limits::default()).ok()
    };
    let Some(whole) = traced(TracedSearch::Minimax, false) else { return };
    for probes in [false, true] {
        let mut ahead = vec![(traced(TracedSearch::AlphaBeta, probes).expect("a smaller tree"), &whole)];
        while let Some((node, full)) = ahead.pop() {
            if let Some((value, exact)) = node.value.as_ref().zip(full.value.as_ref()) {
                match node.bound() {
                    None => assert_eq!(value, exact, "{:?}", node.made),
                    Some(way) => assert!(value == exact || exact.cmp(value) == way, "{:?}", node.made),
                }
            }
            ahead.extend(node.children.into_iter().zip(&full.children));
        }
    }
}

/// A player with a single move after an event is searched as a whole by the first look at it.
#[test]
fn a_single_move_after_an_event_is_no_bound() {
    let mut toy = ToyGame::new(2);
    for (from, to) in [(0, 1), (0, 2), (1, 3), (1, 4), (5, 3), (7, 9), (8, 9)] {
        toy.edge(from, to);
    }
    for (from, to, share) in [(2, 5, (3, 5)), (2, 6, (1, 5)), (2, 3, (1, 5)), (6, 7, (3, 4)), (6, 8, (1, 4))]
    {
        toy.chance(from, to, Rational::new(share.0, share.1));
    }
    for (node, owner) in [(0, 0), (1, 1), (5, 1), (7, 0), (8, 0)] {
        toy.owner(node, owner);
    }
    for (node, value) in [(3, 3), (4, 6), (9, -3)] {
        toy.payoffs(node, &[value, -value]);
    }
    toy.pays(-6, 6);
    check_trees_with_cuts(toy);
}

/// Returns heaps of at most three, four and five as an impartial game.
fn nim(partial: bool) -> ToyGame {
    let mut toy = ToyGame::new(2);
    toy.impartial = true;
    let code = |h: [usize; 3]| h[0] + 4 * h[1] + 20 * h[2];
    // The first position is the full one, and heaps only shrink.
    let node = |h: [usize; 3]| code([3, 4, 5]) - code(h);
    for a in 0..=3 {
        for b in 0..=4 {
            for c in 0..=5 {
                let heaps = [a, b, c];
                for which in 0..3 {
                    for left in 0..heaps[which] {
                        let mut after = heaps;
                        after[which] = left;
                        toy.edge(node(heaps), node(after));
                    }
                }
            }
        }
    }
    toy.partial = partial.then(|| (node([0, 1, 1]), 0));
    toy
}

#[test]
fn nim_is_the_sum_without_carry() {
    let solution = run(&nim(false).game(), &Grundy);
    assert_eq!(solution.nimber, Some(3 ^ 4 ^ 5));
    assert_eq!(solution.positions, 4 * 5 * 6 * 2);
    assert_eq!(solution.best_moves.len(), 1);
    let partizan = run(&nim(true).game(), &Grundy);
    assert_eq!((partizan.status, partizan.nimber), (Status::Unknown, None));
    assert!(partizan.reason.unwrap().contains("same moves"));
}

#[test]
fn a_loopy_or_scored_game_has_no_nimber() {
    let mut toy = ToyGame::new(2);
    toy.impartial = true;
    toy.edge(0, 1);
    toy.edge(1, 0);
    assert!(run(&toy.game(), &Grundy).reason.unwrap().contains("come back"));
    let mut toy = ToyGame::new(2);
    toy.edge(0, 1);
    toy.over(1, 0);
    assert_eq!(run(&toy.game(), &Grundy).status, Status::Unknown);
}

/// Returns a large random game, the same in every run.
fn large(n: usize) -> Game {
    let mut random = crate::game::random::Random::new(5);
    let mut toy = ToyGame::new(2);
    for i in 0..n {
        if i > n / 2 && random.below(6) == 0 {
            toy.over(i, random.below(3) as i64 - 1);
            continue;
        }
        toy.owner(i, (i % 2) as u32);
        for to in [2 * i + 1, 2 * i + 2] {
            toy.edge(i, if to < n { to } else { random.below(n as u64) as usize });
        }
    }
    toy.repeat_draw();
    toy.game()
}

#[test]
fn solutions_are_the_same_at_any_number_of_threads() {
    let game = large(20_000);
    let limited = Limits { positions: Some(7000), ..Limits::default() };
    for limits in [Limits::default(), limited] {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| digest(run_limited(&game, &Auto, &limits)))
        };
        assert_eq!(run(1), run(2));
    }
}

#[test]
fn memory_is_kept() {
    let game = large(20_000);
    let whole = run(&game, &Auto);
    assert_eq!(whole.status, Status::Solved);
    let limits = Limits { memory_bytes: Some(whole.memory_bytes / 2), ..Limits::default() };
    let part = run_limited(&game, &Auto, &limits);
    assert!(part.positions < whole.positions, "{} {}", part.positions, whole.positions);
    assert!(part.memory_bytes <= whole.memory_bytes / 2, "{} {}", part.memory_bytes, whole.memory_bytes);
    assert!(part.status == Status::Solved || part.limit == Some(LimitHit::Memory));
    limits.cancel.cancel();
    assert_eq!(run_limited(&game, &Auto, &limits).limit, Some(LimitHit::Interrupted));
}

#[test]
fn the_margin_is_played_for() {
    let mut toy = ToyGame::new(2);
    for (from, to) in [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)] {
        toy.edge(from, to);
    }
    toy.owner(1, 1);
    toy.owner(2, 1);
    for (node, a, b) in [(3, 3, 2), (4, 9, 1), (5, 4, 1), (6, 6, 2)] {
        toy.scores(node, a, b);
    }
    let game = toy.game();
    let options = SolveOptions { margin: true, all_moves: true, ..SolveOptions::default() };
    let start = game.machine.initial();
    let solution =
        Auto.solve(&SolveRequest::new(&game, &start, &options, &Limits::default(), &NoProgress)).unwrap();
    assert_eq!(solution.margin, Some(r(3)));
    assert_eq!(solution.value.unwrap().kind, ValueKind::Win(0));
    assert_eq!(solution.best_moves[0].written, "0-2");
    assert_eq!(solution.moves.len(), 2);
}

#[test]
fn what_is_not_one_value_is_refused() {
    let reason = |toy: ToyGame| {
        let solution = run(&toy.game(), &Auto);
        assert_eq!((solution.status, &solution.value), (Status::Unknown, &None));
        solution.reason.unwrap()
    };
    let mut general = ToyGame::new(2);
    general.edge(0, 1);
    general.edge(0, 2);
    general.payoffs(1, &[1, 1]);
    general.payoffs(2, &[0, 1]);
    let general = general.game();
    let indifferent = run(&general, &Auto);
    assert_eq!(indifferent.value.map(|value| value.payoffs), Some(vec![r(1), r(1)]));
    assert!(run(&general, &RETROGRADE).reason.unwrap().contains("not opposed"));
    let mut endless = ToyGame::new(2);
    endless.edge(0, 0);
    assert!(reason(endless).contains("no `repeat` rule"));
    let mut chance = ToyGame::new(2);
    chance.chance(0, 0, r(1));
    let game = chance.game();
    assert!(run(&game, &DP).reason.unwrap().contains("chance acts"));
    assert_eq!(run(&game, &Auto).bounds.unwrap(), Bounds { low: Some(r(-1)), high: Some(r(1)) });
}

/// The gambler's ruin: up with probability 1/3, down with 2/3, from the middle of nine. The probability to be rich is
/// 1/17 by the classical formula (1 - q^4) / (1 - q^8) with q = 2.
#[test]
fn chance_with_cycles() {
    let mut toy = ToyGame::new(2);
    let place = |i: usize| (i + 4) % 9;
    for i in 1..8 {
        toy.chance(place(i), place(i + 1), Rational::new(1, 3));
        toy.chance(place(i), place(i - 1), Rational::new(2, 3));
    }
    toy.over(place(0), -1);
    toy.over(place(8), 1);
    let game = toy.game();
    let from = ToyGame::state(place(4));
    let (options, limits) = (SolveOptions::default(), Limits::default());
    let request = SolveRequest::new(&game, &from, &options, &limits, &NoProgress);
    let exact = Rational::new(2, 17) - r(1);
    let solution = Auto.solve(&request).unwrap();
    assert_eq!((solution.status, solution.method), (Status::Solved, "policy"));
    assert_eq!(first(&solution), Some(exact.clone()));
    let solution = INTERVAL.solve(&request).unwrap();
    let bounds = solution.bounds.unwrap_or_else(|| panic!("{:?}", solution.reason));
    assert_eq!((solution.status, solution.method), (Status::Enclosed, "interval"));
    assert!(bounds.low.clone().unwrap() <= exact && exact <= bounds.high.clone().unwrap());
    assert!(bounds.high.unwrap() - bounds.low.unwrap() < Rational::new(1, 1 << 28));
}

#[test]
fn a_position_without_moves_is_an_error_with_a_play() {
    let mut toy = ToyGame::new(2);
    toy.edge(0, 1);
    toy.owner(1, 1);
    let game = toy.game();
    let start = game.machine.initial();
    let error = Auto
        .solve(&SolveRequest::new(&game, &start, &SolveOptions::default(), &Limits::default(), &NoProgress))
        .unwrap_err();
    assert_eq!(error.line.len(), 1);
}
