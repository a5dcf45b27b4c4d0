//! The planner: all commands find answers in the same way, whatever the estimates say.

use std::time::Duration;

use bouton_base::limits::{Limits, NoProgress};
use bouton_driver::budget::Budget;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Answer, Goal, Plan, Question};
use bouton_driver::position::StartPosition;
use bouton_driver::proof::{ProofOptions, prove_in_memory};
use bouton_driver::strategy::has_nimbers;
use bouton_driver::test::{TestOptions, TestRunReport, test};
use bouton_search::game::{Backend, Game};
use bouton_search::solve::bounded_win::{self, BoundedWin};
use bouton_search::solve::{SolveOptions, SolveRequest, Status, SymmetryMode, ValueKind};

use super::{of, set};

/// Stones on cells whose neighbours are free.
const APART: &str = "game \"Stones apart\";
param w: 1..12 = 7;
param h: 1..12 = 7;
players A, B;
board Cell = grid(w, h);
state { shut: set of Cell = {}; }
move put(c: Cell) as \"{c}\" {
  when c not in shut;
  shut |= { c } | c.neighbors;
}
play normal;
";

/// Coins in rows: one that has a neighbour may be taken.
const NEIGHBOURS: &str = "game \"Coins with neighbours\";
param n: 1..60 = 40;
players A, B;
type Coin = 1..n;
state { gone: set of Coin = {}; }
def there(c: 0..61) = c in Coin and c not in gone;
move take(c: Coin) as \"{c}\" {
  when there(c) and (there(c - 1) or there(c + 1));
  gone |= { c };
}
play normal;
";

/// Two men go to the corner of the other, past a stone that both may move. Positions come back without end, and take
/// many bits.
const ERRANDS: &str = "game \"Errands\";
players A, B;
board Cell = grid(5, 5);
state {
  at[p: Player]: set of Cell = match p { A => { a1 }, B => { e5 } };
  stone: set of Cell = { c3 };
}
def free(c: Cell) = c not in at[A] and c not in at[B] and c not in stone;
move go(c: Cell, d: Cell) as \"{c}{d}\" {
  when c in at[me] and d in c.neighbors and free(d);
  at[me] := { d };
}
move push(c: Cell, d: Cell) as \"{c}-{d}\" {
  when c in stone and d in c.neighbors and free(d);
  stone := { d };
}
end {
  when e5 in at[A] => A wins;
  when a1 in at[B] => B wins;
  repeat           => draw;
}
";

/// A man goes to the right edge of a wide board, on which the other player marks cells that he may not enter.
const RACE: &str = "game \"Race\";
players A, B;
board Cell = grid(6, 3);
state { man: Cell = c2; shut: set of Cell = {}; }
move go(c: Cell) as \"{c}\" {
  when me = A and c in man.around and c not in shut;
  man := c;
}
move close(c: Cell) as \"x{c}\" {
  when me = B and c not in shut and c != man;
  shut |= { c };
}
end {
  when man.col = 6              => A wins;
  when #shut = 12               => B wins;
  when stuck                    => mover loses;
}
";

fn text(rules: &str, claims: &str) -> GameSource {
    GameSource::from_string("own.bou", &format!("{rules}\n{claims}"))
}

fn tested(rules: &str, claims: &str) -> TestRunReport {
    let mut text = text(rules, claims);
    let time = Some(Duration::from_secs(60));
    let budget = Budget { backend: Backend::Jit, time, ..Budget::default() };
    test(&mut text, &TestOptions { all: true, budget: &budget, progress: &NoProgress })
}

fn answer(game: &Game, asked: impl Fn(Question<'_>) -> Question<'_>, options: &SolveOptions) -> Answer {
    let (start, limits) = (game.machine.initial(), Limits::default());
    let question = asked(Question::new(game, &start, options, &limits));
    Plan::new(question).run(&NoProgress).expect("sound rules")
}

fn played(game: &Game) -> Answer {
    answer(game, |asked| Question { goal: Goal::Play, ..asked }, &SolveOptions::default())
}

/// A king and a rook mate a king. On rules that are interpreted the graph is first listed in part: a part that shows the
/// winner does not show the plies.
#[test]
fn plies_are_counted_where_a_part_of_the_graph_shows_the_winner() {
    let mate = "game \"Mate\"; players A, B; board Cell = grid(5, 4);\n\
        state { king[p: Player]: Cell = match p { A => a1, B => e4 }; rook: Cell? = b1; }\n\
        def seen(c: Cell, past: Cell) = orthogonal(rook, c) and rook != c and past not in between(rook, c);\n\
        move step(c: Cell) as \"K{c}\" { when c in king[me].around and c not in king[other(me)].around;\n\
          when if me = A then c != rook else not seen(c, king[A]);\n\
          if c = rook { rook := none; } king[me] := c; }\n\
        move slide(c: Cell) as \"R{c}\" { when me = A and orthogonal(rook, c) and c != rook;\n\
          when king[A] not in between(rook, c) | { c } and king[B] not in between(rook, c) | { c }; rook := c; }\n\
        end { when rook = none => draw; when stuck and mover = B and seen(king[B], king[A]) => A wins;\n\
          when stuck => draw; repeat => draw; }";
    let mut claimed = text(mate, "expect A wins in 11;");
    let time = Some(Duration::from_secs(60));
    let budget = Budget { backend: Backend::Interp, time, ..Budget::default() };
    let game = text(mate, "").game(None).expect("a game");
    let options = SolveOptions { count_plies: true, ..SolveOptions::default() };
    let whole = answer(&game, |asked| asked, &options).solution;
    assert_eq!(whole.remoteness, Some(11), "{:?}", whole.value);
    assert!(whole.positions > 5_000, "{}", whole.positions);
    let report = test(&mut claimed, &TestOptions { all: true, budget: &budget, progress: &NoProgress });
    assert_eq!((report.passed, report.failed), (1, 0), "{:?}", report.unknown);
}

#[test]
fn tests_decide_by_strategies_and_sums() {
    let report = tested(APART, "expect A wins;");
    assert_eq!((report.passed, report.failed), (1, 0), "{:?}", report.unknown);
    // Grundy values by the definition.
    let mut values = vec![0u32];
    for n in 1..=40usize {
        let split = |c: usize| values[c] ^ values[n - 1 - c];
        let options: Vec<u32> = if n == 1 { Vec::new() } else { (0..n).map(split).collect() };
        values.push((0..).find(|value| !options.contains(value)).unwrap_or_default());
    }
    let report = tested(NEIGHBOURS, &format!("expect nimber = {};", values[40]));
    assert_eq!((report.passed, report.failed), (1, 0), "{:?}", report.unknown);
    let report = tested(NEIGHBOURS, &format!("expect nimber = {};", values[40] + 1));
    assert_eq!((report.passed, report.failed), (0, 1), "{:?}", report.unknown);
}

#[test]
fn a_position_of_an_impartial_game_that_the_mover_loses_has_the_nimber_0() {
    let report = tested(APART, "expect nimber = 0 with w = 12, h = 8;");
    assert_eq!((report.passed, report.failed), (1, 0), "{:?}", report.unknown);
    let report = tested(APART, "expect nimber = 2 with w = 12, h = 8;");
    assert_eq!((report.passed, report.failed), (0, 1), "{:?}", report.unknown);
    // The mirror still wins where the rules note who moved, but the players have different moves then.
    let own = APART
        .replace("= {}; }", "= {}; maker: Player = A; }")
        .replace("c.neighbors;\n", "c.neighbors;\n  maker := me;\n");
    let game = of(text(&own, ""), &["w=2", "h=2"]);
    assert!(!has_nimbers(&game, &Limits::default()));
}

#[test]
fn positions_are_counted_before_an_estimate_is_trusted() {
    let game = of(text(ERRANDS, ""), &[]);
    let found = answer(&game, |asked| asked, &SolveOptions::default());
    assert_eq!(found.solution.status, Status::Solved, "{:?}", found.solution.reason);
    assert!(found.solution.positions < 30_000, "{}", found.solution.positions);
}

#[test]
fn what_memory_does_not_hold_is_searched() {
    let game = set("connect_four", &["cols=4", "rows=4"], Backend::Jit);
    let limits = Limits { memory_bytes: Some(4 << 20), ..Limits::default() };
    let (start, options) = (game.machine.initial(), SolveOptions::default());
    let plan = Plan::new(Question::new(&game, &start, &options, &limits));
    let solution = plan.run(&NoProgress).expect("sound rules").solution;
    assert_eq!((solution.status, solution.method), (Status::Solved, "alphabeta"), "{:?}", solution.reason);
}

#[test]
fn a_strategy_is_told_besides_the_value() {
    let found = played(&of(super::game("nim"), &[]));
    assert!(found.solution.remoteness.is_some() && found.solution.best_moves_complete);
    let told = found.strategy.expect("a strategy").statement();
    assert_eq!(told.kind, "nim");
    assert!(told.statement.contains("binary"), "{}", told.statement);
}

#[test]
fn who_steals_a_strategy_still_needs_moves() {
    let game = set("hex", &["n=4"], Backend::Jit);
    let found = played(&game);
    assert_eq!(found.solution.value.map(|value| value.kind), Some(ValueKind::Win(0)));
    assert!(!found.solution.best_moves.is_empty());
    assert_eq!(found.strategy.map(|found| found.solution.method), Some("steal"));
}

#[test]
fn symmetries_change_no_answer_about_wins_within_some_plies() {
    let (limits, plies) = (Limits::default(), 9);
    for (name, settings, wins) in [("tictactoe", &[][..], false), ("hex", &["n=3"], true)] {
        let game = set(name, settings, Backend::Jit);
        let start = game.machine.initial();
        let [without, with] = [SymmetryMode::Off, SymmetryMode::On].map(|symmetry| {
            let options = SolveOptions { symmetry, ..SolveOptions::default() };
            let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
            match bounded_win::search(&request, &[0, 1], plies, u64::MAX) {
                BoundedWin::Wins(found) => (true, found),
                BoundedWin::NoWin(found) => (false, found),
                BoundedWin::Unknown(found) => panic!("{name}: {:?}", found.reason),
            }
        });
        assert_eq!((without.0, with.0), (wins, wins), "{name}");
        assert_eq!(without.1.remoteness, with.1.remoteness, "{name}");
        assert_eq!(without.1.line.len(), with.1.line.len(), "{name}");
        // A win is found in fewer or more positions, by the order of moves; a refutation takes all.
        assert!(wins || 2 * with.1.positions < without.1.positions, "{}", with.1.positions);
    }
}

#[test]
fn a_win_within_some_plies_is_found_and_proved() {
    let mut source = text(RACE, "");
    source.backend = Backend::Jit;
    let game = source.game(None).expect("sound rules");
    let options = SolveOptions { max_strategy_positions: 10_000, ..SolveOptions::default() };
    let within = |plies| answer(&game, |asked| Question { within: Some(plies), ..asked }, &options);
    let found = within(9);
    assert_eq!(found.solution.value.as_ref().map(|value| value.kind), Some(ValueKind::Win(0)));
    assert_eq!(found.solution.remoteness, Some(5));
    assert_eq!(found.solution.line.len(), 5);
    let start = StartPosition::new(game.clone(), game.machine.initial());
    let proof = prove_in_memory(&source, &start, &found, &ProofOptions::in_passing(&Limits::default()));
    assert_eq!(proof.result.expect("proved").claim, "A wins within 5 plies");
    let none = within(4).solution;
    assert_eq!(none.status, Status::Unknown);
    assert_eq!(none.reason.as_deref(), Some("nobody can force a win within 4 plies"));
    let report = tested(RACE, "expect A wins in 5;");
    assert_eq!((report.passed, report.failed), (1, 0), "{:?}", report.unknown);
    for wrong in ["expect A wins in 7;", "expect A wins in 3;", "expect B wins in 4;"] {
        let report = tested(RACE, wrong);
        assert_eq!((report.passed, report.failed), (0, 1), "{wrong}: {:?}", report.unknown);
    }
}

#[test]
fn moves_that_were_not_searched_are_not_denied() {
    // The lines of Connect Four, 5 columns of 4, end in draws; a search lists the moves that it knows to be best.
    let game = set("connect_four", &["cols=5", "rows=5"], Backend::Jit);
    let some = played(&game).solution;
    let all =
        answer(&game, |asked| asked, &SolveOptions { all_moves: true, ..SolveOptions::default() }).solution;
    assert!(all.best_moves_complete && some.best_moves.len() <= all.best_moves.len());
    assert!(some.best_moves_complete || some.best_moves.len() < all.best_moves.len());
}

/// Numbers from 1 to 9 in a square whose lines have one sum: a search sees few of the positions.
const MAGIC: &str = "game \"Magic square\";
player P;
board Cell = grid(3, 3);
state { n[c: Cell]: 0..9 = 0; }
move write(c: Cell, k: 1..9) as \"{c}={k}\" {
  when n[c] = 0 and no d in Cell: n[d] = k;
  n[c] := k;
}
end {
  when (all c in Cell: n[c] != 0) and all l in lines(Cell, 3): (sum d in l: n[d]) = 15 => win;
  when stuck => lose;
}
";

#[test]
fn a_plan_is_an_answer_where_other_moves_are_too_many() {
    let game = of(text(MAGIC, ""), &[]);
    let limits = Limits { memory_bytes: Some(64 << 20), ..Limits::default() };
    let start = game.machine.initial();
    for all_moves in [false, true] {
        let options = SolveOptions { all_moves, ..SolveOptions::default() };
        let plan = Plan::new(Question::new(&game, &start, &options, &limits));
        let solution = plan.run(&NoProgress).expect("sound rules").solution;
        assert_eq!(solution.status, Status::Solved, "all moves {all_moves}: {:?}", solution.reason);
        assert_eq!(solution.remoteness, Some(9));
        let known = solution.moves.iter().filter(|of| of.value.is_some()).count();
        assert_eq!((solution.moves.len(), known), if all_moves { (81, 1) } else { (0, 0) });
    }
}

/// Payoffs do not say who wins within some plies.
#[test]
fn payoffs_are_no_wins_within_plies() {
    let source = "game \"Pay\"; players A, B; state { n: 0..3 = 0; }
        move a() { n := 1; } move b() { n := 2; }
        end { when n = 1 => payoff p: 0; when n = 2 => payoff p: if p = A then 1 else -1; }";
    let mut text = GameSource::from_string("pay.bou", source);
    let game = text.game(None).expect("a game");
    let (start, options, limits) = (game.machine.initial(), SolveOptions::default(), Limits::default());
    let asked = Question { within: Some(3), ..Question::new(&game, &start, &options, &limits) };
    let solution = Plan::new(asked).run(&NoProgress).expect("sound rules").solution;
    assert_eq!((solution.status, solution.no_win_within), (Status::Unknown, None));
    let reason = solution.reason.unwrap_or_default();
    assert!(reason.contains("only games that are won, lost or drawn"), "{reason}");
}
