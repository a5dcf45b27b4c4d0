//! Limits apply while rules are read, analysed and compiled; definitions that double still compile.

use std::time::{Duration, Instant};

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_base::random::SplitMix;
use bouton_driver::budget::Budget;
use bouton_driver::check::{self, with_deadline};
use bouton_driver::load::{DriverError, GameSource};
use bouton_driver::test;
use bouton_lower::{LowerOptions, lower_with};
use bouton_search::game::perft::{self, PlyUnit};
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{Auto, SolveRequest, Solver, Status};

/// The depth to which definitions double: far more calls than can be evaluated.
const DEPTH: usize = 60;
/// A time far above that of everything else. Reaching it is a mistake.
const AMPLE: Duration = Duration::from_secs(300);

/// All triples of cells of a large board, none of which can be left out.
const TRIPLES: &str = "game \"Triples\";\nplayers A, B;\nboard Cell = grid(64, 64);\n\
    state { s: set of Cell = {}; }\nmove m(a: Cell) { when a not in s; s |= {a}; }\n\
    end { when all a in Cell, b in Cell, c in Cell: a in s or b in s or c in s => A wins; when stuck => B wins; }\n";

/// A game of one number, with a condition on its move.
fn counting(items: &str, condition: &str) -> String {
    format!(
        "game \"Counting\";\nplayers A, B;\nstate {{ n: 0..3 = 0; }}\n{items}\
         move m() {{ when {condition}; when n < 3; n += 1; }}\nplay normal;\n"
    )
}

/// Definitions that each call the previous one twice.
fn doubling(first: &str, next: impl Fn(usize) -> String) -> String {
    (1..DEPTH).fold(format!("{first}\n"), |items, i| items + &next(i) + "\n")
}

fn compiled(source: &str, limits: &Limits) -> Game {
    let mut text = GameSource::from_string("game.bou", source);
    text.backend = Backend::Interp;
    text.limits = limits.clone();
    text.game(None).unwrap_or_else(|e| panic!("{e:?}\n{source}"))
}

#[test]
fn definitions_that_double_are_compiled() {
    let last = DEPTH - 1;
    let texts = [
        counting(
            &doubling("def d0(k: 0..3) = n = k;", |i| {
                format!("def d{i}(k: 0..3) = d{}(k) or d{}(3 - k);", i - 1, i - 1)
            }),
            &format!("d{last}(n)"),
        ),
        counting(
            &doubling("def d0(k: 0..3) = k = 3;", |i| {
                format!("def d{i}(k: 0..3) = d{}(k) or d{}(3 - k);", i - 1, i - 1)
            }),
            &format!("d{last}(3)"),
        ),
        counting(
            &doubling("def d0 = n < 3;", |i| format!("def d{i} = d{} and not not d{};", i - 1, i - 1)),
            &format!("d{last}"),
        ),
        counting(
            &doubling("def d0(k: 0..3): 0..1 = if n = k then 1 else 0;", |i| {
                format!("def d{i}(k: 0..3): 0..1 = max(d{}(k), d{}(3 - k));", i - 1, i - 1)
            }),
            &format!("d{last}(n) = 1"),
        ),
        counting(
            &doubling("def d0(k: 0..3, l: 0..3) = n = k or n = l;", |i| {
                format!("def d{i}(k: 0..3, l: 0..3) = d{}(k, l) or d{}(l, k);", i - 1, i - 1)
            }),
            &format!("d{last}(n, 1)"),
        ),
        counting(
            &doubling("def d0(k: 0..3) = n = k;", |i| {
                format!("def d{i}(k: 0..3) = some j in 0..3: (j = k and d{}(j)) or d{}(j);", i - 1, i - 1)
            }),
            &format!("d{last}(n)"),
        ),
    ];
    for source in &texts {
        let limits = with_deadline(&Limits::default(), AMPLE);
        let game = compiled(source, &limits);
        assert_eq!(game.backend(), Backend::Interp, "{:?}\n{source}", game.fallback());
        let start = game.machine.initial();
        let solution = Auto
            .solve(&SolveRequest::new(&game, &start, &Default::default(), &limits, &NoProgress))
            .expect("no fault");
        assert_eq!((solution.status, solution.positions), (Status::Solved, 4), "{source}");
    }
}

#[test]
fn compiling_stops_where_a_limit_is_reached() {
    let time = with_deadline(&Limits::default(), Duration::from_millis(300));
    let memory = Limits { memory_bytes: Some(32 << 20), ..with_deadline(&Limits::default(), AMPLE) };
    for (limits, hit) in [(time, LimitHit::Time), (memory, LimitHit::Memory)] {
        let game = compiled(TRIPLES, &limits);
        assert_eq!(game.backend(), Backend::Reference);
        assert_eq!(game.fallback().map(|why| why.reason.clone()), Some(hit.to_string()));
        let stopped =
            lower_with(&game.rules, LowerOptions::default(), &limits, &|_| {}).expect_err("a limit");
        assert_eq!(stopped.limit, Some(hit));
    }
    let limits = with_deadline(&Limits::default(), AMPLE);
    let stop = limits.cancel.clone();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stop.cancel();
    });
    // If even the analysis reaches the limit, there is no game.
    let mut text = GameSource::from_string("game.bou", TRIPLES);
    (text.backend, text.limits) = (Backend::Interp, limits);
    match text.game(None) {
        Ok(game) => {
            assert_eq!(game.fallback().map(|why| why.reason.clone()), Some(LimitHit::Interrupted.to_string()))
        }
        Err(why) => assert!(matches!(why, DriverError::Limit(_)), "{why:?}"),
    }
    other.join().expect("the other thread");
}

#[test]
fn analysis_stops_where_a_limit_is_reached() {
    let source = counting("expect first wins;\n", "true");
    let mut text = GameSource::from_string("game.bou", &source);
    text.limits.cancel.cancel();
    let analysis = text.analyze(Some(0));
    assert_eq!(analysis.stopped, Some(LimitHit::Interrupted));
    assert!(analysis.rules.is_none() && analysis.diagnostics.is_empty());
    assert!(matches!(text.game(None), Err(DriverError::Limit(why)) if why.contains("interrupted")));
    let limits = text.limits.clone();
    let options = check::CheckOptions { explore: 100, limits: &limits, progress: &NoProgress };
    let report = check::check(&mut text, &options);
    assert!(report.unread && report.limit == Some(LimitHit::Interrupted), "{report:?}");
    assert!(report.diagnostics.is_empty(), "{report:?}");
}

#[test]
fn claims_of_rules_that_are_not_compiled_in_time_are_unknown() {
    let mut text = GameSource::from_string("game.bou", &counting("expect first wins;\n", "true"));
    let budget = Budget { time: Some(Duration::ZERO), ..Budget::default() };
    let report =
        test::test(&mut text, &test::TestOptions { all: false, budget: &budget, progress: &NoProgress });
    assert_eq!((report.passed, report.failed, report.unknown.len()), (0, 0, 1), "{report:?}");
    assert!(report.unknown[0].reason.contains("the time limit was reached"), "{report:?}");
}

#[test]
fn long_texts_take_no_more_than_their_length() {
    let many = |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<String>();
    let fields = format!("state {{ {} }}\n", many(40_000, &|i| format!("f{i}: 0..3 = 0;\n")));
    let defs = many(20_000, &|i| format!("def d{i}(k: 0..3) = n = k;\n"));
    let members = format!("enum Color {{ {}c }}\n", many(100_000, &|i| format!("c{i}, ")));
    for items in [fields, defs, members] {
        let mut text = GameSource::from_string("game.bou", &counting(&items, "true"));
        let limits = with_deadline(&Limits::default(), AMPLE);
        let options = check::CheckOptions { explore: 100, limits: &limits, progress: &NoProgress };
        let clock = Instant::now();
        let report = check::check(&mut text, &options);
        assert!(!report.has_errors && report.limit.is_none(), "after {:?}", clock.elapsed());
    }
}

/// The definition gives a number past 64 bits no value; a circuit would give it the value of its last 64 bits.
#[test]
fn numbers_past_64_bits_are_left_to_the_definition() {
    let most = "4611686018427387904";
    let text = |state: &str, body: &str| {
        format!(
            "game \"Large\"; players A, B; state {{ m: 0..1 = 1; {state} }}\nmove go() {{ when m = 1; {body} m := 0; }}\nplay normal;\n"
        )
    };
    for (state, body) in [
        ("n: 0..4000000000 = 4000000000;", "when n * n * n < n;"),
        ("n: 0..4000000000 = 4000000000;", "when n * n + n * n < n;"),
        ("s: set of 1..3 = { 1, 2, 3 };", &format!("when (sum x in s: {most}) < 0;")),
        ("s: set of 1..3 = { 1, 2, 3 };", &format!("when (sum x in s: x * {most}) < 0;")),
        ("n: 0..4000000000 = 4000000000;", "n += m * 9223372036854775807;"),
    ] {
        let source = text(state, body);
        let mut read = GameSource::from_string("large.bou", &source);
        let rules = read.analyze(None).rules.expect("rules without errors");
        let refusal = lower_with(&rules, LowerOptions::default(), &Limits::default(), &|_| {}).map(drop);
        let what = refusal.expect_err(&source).what;
        assert_eq!(what, "a number that may have more than 64 bits", "{source}");
        let by_definition = Game::on_reference(rules);
        let machine = &by_definition.machine;
        let moves = machine.successors(&machine.initial());
        assert!(!moves.is_ok_and(|moves| !moves.is_empty()), "{source}");
    }
}

/// Returns a random number term over extreme numbers and the fields of the game below.
fn large_term(random: &mut SplitMix, depth: u32) -> String {
    const ENDS: [&str; 9] = [
        "9223372036854775807",
        "(-9223372036854775807 - 1)",
        "4611686018427387904",
        "3037000500",
        "-1",
        "2",
        "n",
        "m",
        "#s",
    ];
    let mut below = |end: u64| (random.word() % end) as usize;
    let kind = if depth == 0 { 9 } else { below(9) };
    let end = ENDS[below(ENDS.len() as u64)];
    let mut part = || large_term(random, depth - 1);
    match kind {
        0 | 1 => format!("({} + {})", part(), part()),
        2 => format!("({} - {})", part(), part()),
        3 => format!("({} * {})", part(), part()),
        4 => format!("({} / {})", part(), part()),
        5 => format!("({} mod {})", part(), part()),
        6 => format!("(sum x in s: {})", part()),
        7 => format!("(max x in s: x * {})", part()),
        8 => format!("(if {} < {} then {} else {})", part(), part(), part(), part()),
        _ => end.into(),
    }
}

#[test]
fn large_numbers_have_one_meaning() {
    let seeds = if std::env::var_os("BOUTON_SLOW").is_some() { 3000 } else { 150 };
    let limits = Limits::default();
    let (mut valued, mut lowered) = (0, 0);
    for seed in 0..seeds {
        let random = &mut SplitMix::new(seed);
        let [effect, condition, payoff, other] = [2, 2, 1, 1].map(|depth| large_term(random, depth));
        let source = format!(
            "game \"Large\"; players A, B; state {{ n: 0..4000000000 = 3000000000; m: 0..3 = 1; s: set of 0..3 = {{ 1, 2 }}; }}\n\
             move go(k: 1..2) {{ when m < 3 and {condition} >= k; n := {effect} mod 5; m += k; }}\n\
             end {{ when m >= 3 => A wins; when stuck => payoff p: if p = A then {payoff} else {other}; }}\n"
        );
        let mut read = GameSource::from_string("large.bou", &source);
        let Some(rules) = read.analyze(None).rules else { continue };
        lowered += usize::from(lower_with(&rules, LowerOptions::default(), &limits, &|_| {}).is_ok());
        let value = |game: &Game| {
            let start = game.machine.initial();
            let options = Default::default();
            let request = SolveRequest::new(game, &start, &options, &limits, &NoProgress);
            Auto.solve(&request).map(|solution| solution.value.map(|value| value.payoffs)).ok()
        };
        let by_definition = value(&Game::on_reference(rules));
        valued += usize::from(by_definition.is_some());
        assert_eq!(value(&compiled(&source, &limits)), by_definition, "{source}");
    }
    println!("{valued} games have a value, {lowered} are compiled");
    assert!(valued > 20 && lowered > 20, "{valued} {lowered}");
}

/// A choice between a number and a number that may be missing: the missing one stays `none`, and is not undefined.
#[test]
fn missing_numbers_beside_numbers_stay_missing() {
    let terms = [
        "(if s = 1 then f else o)",
        "(if s = 0 then o else f)",
        "(match s { 1 => f, _ => o })",
        "(match s { 2 => f, 1 => o, _ => none })",
        "(let z = o: if s = 1 then f else z)",
        "(if s = 1 then none else f)",
        "(if s = 1 then f + 1 else o)",
        "(if s = 1 then f else p[s])",
        "(if s = 1 then f else if f = 0 then o else s)",
        "d(s)",
    ];
    for term in terms {
        for condition in
            ["TERM = none", "TERM != none", "TERM = o", "not (TERM = f)", "TERM in { 0, 1 }", "TERM >= 0"]
        {
            let condition = condition.replace("TERM", term);
            let text = format!(
                "game \"Missing\"; players A, B;\n\
                 state {{ o: 0..4?; f: 0..3 = 0; s: 0..2 = 0; p[k: 0..2]: 0..3? = if k = 1 then none else k; n: 0..3 = 0; }}\n\
                 def d(k: 0..2) = if k = 1 then f else o;\n\
                 move m() {{ when n < 3 and {condition}; n += 1; o := {term}; s := (s + 1) mod 3; }}\n\
                 move w(k: 0..2) {{ when n < 3; n += 1; f := k; s := k; p[k] := if s = k then none else k; }}\n\
                 play normal;\n"
            );
            let leaves = |game: &Game| {
                let start = game.machine.initial();
                perft::count(game, &start, 3, PlyUnit::Move, &Limits::default()).expect("no fault").by_depth
            };
            let rules =
                GameSource::from_string("missing.bou", &text).analyze(None).rules.expect("sound rules");
            assert!(
                lower_with(&rules, LowerOptions::default(), &Limits::default(), &|_| {}).is_ok(),
                "{text}"
            );
            assert_eq!(
                leaves(&compiled(&text, &Limits::default())),
                leaves(&Game::on_reference(rules)),
                "{text}"
            );
        }
    }
}

/// A union without terms has no lanes, so no lane has its bounds.
#[test]
fn unions_of_nothing_are_empty() {
    for empty in ["2..1", "6..(n + 0)"] {
        let text = format!(
            "game \"Nothing\"; players A, B;\nstate {{ s: set of 0..3 = {{}}; n: 0..1 = 0; }}\n\
             move go() {{ when s = (union x in s: ({empty})); n := 1; }}\n\
             end {{ when n = 1 => A wins; when stuck => draw; }}\n"
        );
        let game = compiled(&text, &Limits::default());
        let moves = game.machine.successors(&game.machine.initial()).expect("no fault");
        assert_eq!(moves.len(), 1, "{empty}: the union is the empty set");
    }
}

/// Two numbers of a row become one, by any of the four operations: few positions, and a circuit for each product.
const COMBINE: &str = "game \"Combine\";\nplayer Solver;\ntype Place = 1..4;\n\
    const first: list of 1..9 = [3, 4, 6, 9];\n\
    state { x[i: Place]: 0..2000? = first[i]; }\n\
    move add(i: Place, j: Place) { when i < j and x[i] + x[j] <= 2000; x[i] := x[i] + x[j]; x[j] := none; }\n\
    move take(i: Place, j: Place) { when i != j and x[i] > x[j]; x[i] := x[i] - x[j]; x[j] := none; }\n\
    move times(i: Place, j: Place) { when i < j and x[i] * x[j] <= 2000; x[i] := x[i] * x[j]; x[j] := none; }\n\
    move part(i: Place, j: Place) {\n\
      let d = max(1, x[j]);\n\
      when i != j and x[j] > 0 and x[i] mod d = 0;\n\
      x[i] := x[i] / d;\n\
      x[j] := none;\n\
    }\n\
    end { when some i in Place: x[i] = 117 => win; when stuck => lose; }\n";

#[test]
fn small_games_with_large_circuits_run_by_their_definition() {
    let mut text = GameSource::from_string("game.bou", COMBINE);
    let game = text.game(None).expect("sound rules");
    assert_eq!(game.backend(), Backend::Reference);
    // Nothing is missing: the definition is as fast.
    assert!(game.fallback().is_none() && !text.runs_on(&game).is_slow);
    let (state, options, limits) = (game.machine.initial(), Default::default(), Limits::default());
    let solved = Auto
        .solve(&SolveRequest::new(&game, &state, &options, &limits, &NoProgress))
        .unwrap_or_else(|broken| panic!("{broken:?}"));
    assert_eq!((solved.status, solved.remoteness), (Status::Solved, Some(3)));
}
