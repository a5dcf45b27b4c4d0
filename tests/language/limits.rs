//! Limits apply inside a position: every command gives up in time on rules with a single position that would take
//! hours, and analysis ends at its limit.

use std::time::{Duration, Instant};

use bouton_base::limits::{LimitHit, Limits, NoProgress};
use bouton_driver::budget::Budget;
use bouton_driver::load::{DriverError, GameSource};
use bouton_driver::play::Session;
use bouton_driver::play::engine::{Engine, EngineLevel, EngineOptions};
use bouton_driver::{check, position, test};
use bouton_search::game::explore::count_positions;
use bouton_search::game::perft::{PerftError, PlyUnit, perft};
use bouton_search::game::{Game, MachineError};
use bouton_search::solve::depth_limited::DepthLimitedOptions;
use bouton_search::solve::{SolveOptions, SolveRequest, Status};
use bouton_syntax::diag::Diagnostic;

/// The maximal delay of an answer on a slow machine.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// A million instances of a move, each of them counting over a million pairs, and more of the kind.
const ENDLESS: &str = r#"game "Endless";
players A, B;
type Big = 0..999;
state { n: 0..999 = 0; m: 0..999 = 0; }
def busy(k: Big) = count a in Big, b in Big: a * b = n + m + k;
move go(a: Big, b: Big) as "{busy(a)}" { when busy(a) >= n or busy(b) > m; n := a; m := b; }
invariant busy(n) >= n;
end { when n = 999 and m = 999 => draw; repeat => draw; }
expect perft 2 = 3;
expect positions = 3;
expect draw;
test "a position" {
  expect legal go(1, 1);
  expect moves = { go(1, 2) };
  expect busy(1) + busy(2) + busy(3) + busy(4) = busy(5) + busy(6) + busy(7);
  play go(1, 1);
  expect n = 1;
}
"#;

fn soon() -> Limits {
    check::with_deadline(&Limits::default(), Duration::from_millis(100))
}

fn endless() -> Game {
    GameSource::from_string("game.bou", ENDLESS).game(None).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Runs `work` and asserts that it ends in time.
fn in_time<T>(work: impl FnOnce() -> T) -> T {
    let clock = Instant::now();
    let result = work();
    assert!(clock.elapsed() < MAX_DELAY, "it took {:?}", clock.elapsed());
    result
}

#[test]
fn exploring_solving_and_perft_stop_inside_a_position() {
    let game = endless();
    let start = game.machine.initial();
    let count = in_time(|| count_positions(&game, &start, &soon(), &NoProgress)).expect("a count");
    assert_eq!((count.positions, count.limit), (0, Some(LimitHit::Time)));
    let counted = in_time(|| perft(&game, &start, 2, PlyUnit::Move, &soon()));
    assert!(matches!(counted, Err(PerftError::Limit(LimitHit::Time))), "{counted:?}");
    for method in [super::method("auto"), super::method("grundy")] {
        let solution = in_time(|| {
            method.solve(&SolveRequest::new(&game, &start, &SolveOptions::default(), &soon(), &NoProgress))
        })
        .expect("no fault");
        assert_eq!((solution.status, solution.limit), (Status::Unknown, Some(LimitHit::Time)));
    }
}

#[test]
fn an_interruption_is_heard_inside_a_position() {
    let limits = Limits::default();
    let game = endless().with_limits(&limits);
    let stop = limits.cancel.clone();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stop.cancel();
    });
    let found = in_time(|| game.machine.expand(&game.machine.initial()));
    assert_eq!(found, Err(MachineError::Limit(LimitHit::Interrupted)));
    // Once cancelled, every call fails.
    assert!(game.machine.turn(&game.machine.initial()).is_err());
    other.join().expect("the other thread");
}

#[test]
fn checking_stops_inside_a_position() {
    let mut text = GameSource::from_string("game.bou", ENDLESS);
    let limits = soon();
    let options = check::CheckOptions { explore: 100, limits: &limits, progress: &NoProgress };
    let report = in_time(|| check::check(&mut text, &options));
    assert_eq!(report.limit, Some(LimitHit::Time));
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    assert_eq!(report.explored, None, "no position was explored");
    assert_eq!(report.unexplored.as_deref(), Some("the time limit was reached"));
}

#[test]
fn expectations_are_undecided_where_a_position_takes_too_long() {
    let mut text = GameSource::from_string("game.bou", ENDLESS);
    let budget = Budget { time: Some(Duration::from_millis(50)), ..Budget::default() };
    let options = test::TestOptions { all: false, budget: &budget, progress: &NoProgress };
    let report = in_time(|| test::test(&mut text, &options));
    assert_eq!((report.passed, report.failed, report.unknown.len()), (0, 0, 7), "{report:?}");
    for undecided in &report.unknown {
        assert!(undecided.reason.contains("the time limit was reached"), "{}", undecided.reason);
    }
}

#[test]
fn playing_up_to_a_position_and_looking_ahead_stop() {
    let mut text = GameSource::from_string("game.bou", ENDLESS);
    let refused = in_time(|| position::resolve_start(&mut text, None, Some("go(1, 1)"), &soon()));
    assert!(matches!(refused, Err(DriverError::Limit(_))));
    let refused =
        in_time(|| position::resolve_start(&mut text, Some("a position"), Some("go(1, 1)"), &soon()));
    assert!(matches!(refused, Err(DriverError::Limit(_))));
    // The first position is quick, those after it take for ever: the engine moves without searching them.
    let later =
        ENDLESS.replace("(a: Big, b: Big) as \"{busy(a)}\" { when", "(a: 1..3, b: 1..3) { when n = 0 or");
    let game = GameSource::from_string("game.bou", &later).game(None).unwrap_or_else(|e| panic!("{e:?}"));
    let budget = Budget { time: Some(Duration::from_millis(50)), ..Budget::default() };
    let start = game.machine.initial();
    let level = EngineLevel::Lookahead(DepthLimitedOptions::with_depth(2));
    let options = EngineOptions { level, table: None, budget };
    let (mut engine, _) = Engine::new(&game, &start, options, &NoProgress);
    let mut session = Session::new(game, start, vec![0], 1);
    let choice = in_time(|| engine.choose(&mut session)).expect("a move");
    assert!(choice.why.contains("the time limit was reached"), "{}", choice.why);
}

fn findings(source: &str) -> Vec<Diagnostic> {
    let mut text = GameSource::from_string("game.bou", source);
    in_time(|| text.analyze(Some(0))).diagnostics
}

fn game_with(items: &str) -> String {
    format!(
        "game \"Small\";\nplayers A, B;\n{items}\nstate {{ n: 0..9 = 0; }}\nmove add() {{ when n < 9; n += 1; }}\nplay normal;\n"
    )
}

/// Items that would each take minutes or all memory.
const COSTLY: &[&str] = &[
    "const t[i: 0..1000000]: 0..1000000 = count a in 0..1000000: a < i;",
    "def f(n: 0..9) = count a in 0..999, b in 0..999: a + b < n;\ndef g(n: 0..9) = sum k in 0..9999: f(n);\nconst c: 0..9 = g(3);",
    "state { far[i: 0..1000000]: 0..1000000 = count a in 0..1000000: a < i; }",
    "board Cell = grid(60, 60) where (count a in 0..100000: a < col + row) > 5;",
    "const t[a: 0..1000000, b: 0..1000000]: 0..1 = 0;",
    "inductive near(a: 0..2999, b: 0..2999) = a = b or near(b, a);",
    "state { a[i: 0..1000000]: 0..1 = 0; b[i: 0..1000000]: 0..1 = 0; }",
];

#[test]
fn analysis_refuses_what_takes_too_long_before_play() {
    for items in COSTLY {
        let found = findings(&game_with(items));
        let codes: Vec<&str> = found.iter().map(|d| d.code.name()).filter(|c| c.starts_with('E')).collect();
        assert_eq!(codes, ["E0403"], "{items}\n{found:?}");
        let costly = found.iter().find(|d| d.code.name() == "E0403").expect("found");
        assert!(costly.span().end > costly.span().start, "{items}");
    }
}

#[test]
fn what_cannot_be_remembered_is_refused() {
    for value in ["0.5 * n", "if n = 1 then \"one\" else \"other\"", "[n, 0.5 * n]"] {
        let found = findings(&game_with(&format!("forbid repeat of {value};")));
        let codes: Vec<&str> = found.iter().map(|d| d.code.name()).filter(|c| c.starts_with('E')).collect();
        assert_eq!(codes, ["E0231"], "{value}\n{found:?}");
    }
    for value in ["n", "(n, mover)", "{ n, 2 * n }", "[n, 2 * n]"] {
        let found = findings(&game_with(&format!("forbid repeat of {value};")));
        assert!(found.iter().all(|d| d.code.name() == "W0420"), "{value}\n{found:?}");
    }
}

#[test]
fn a_chain_of_definitions_that_doubles_is_left_to_play_or_refused() {
    let mut chain = "def d0(n: 0..9) = n;\n".to_string();
    for i in 1..60 {
        chain += &format!("def d{i}(n: 0..9) = max(d{}(n), d{}(n));\n", i - 1, i - 1);
    }
    let constant = findings(&game_with(&format!("{chain}const c: 0..9 = d59(1);")));
    assert!(constant.iter().any(|d| d.code.name() == "E0403"), "{constant:?}");
    let condition = findings(&game_with(&format!("{chain}invariant d59(1) = 1;")));
    assert!(!condition.iter().any(|d| d.code.name().starts_with('E')), "{condition:?}");
}

#[test]
fn effects_that_double_are_refused() {
    let mut effects = "effect e0() { n := 1; }\n".to_string();
    for i in 1..30 {
        effects += &format!("effect e{i}() {{ e{}(); e{}(); }}\n", i - 1, i - 1);
    }
    let found = findings(&game_with(&format!("{effects}move many() {{ e29(); }}")));
    let codes: Vec<&str> = found.iter().map(|d| d.code.name()).filter(|c| c.starts_with('E')).collect();
    assert_eq!(codes, ["E0403"], "{found:?}");
}

#[test]
fn what_is_large_but_bearable_is_still_worked_out() {
    let items = "const c = count a in 1..1200, b in 1..1200: a = b;\nconst t[i: 0..999] = count a in 0..999: a < i;\n\
                 invariant n <= c + t[5];";
    let found = findings(&game_with(items));
    assert!(found.is_empty(), "{found:?}");
}
