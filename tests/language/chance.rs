//! Games of chance: values, certificates and lengths that are known otherwise.

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_certificates::{Certificate, Claim, Lemma};
use bouton_checker::{Verdict, verify};
use bouton_driver::load::GameSource;
use bouton_search::game::{Backend, Game};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::{Auto, Solution, SolveOptions, SolveRequest, Solver, Status, SymmetryMode};

use super::{method, set};

/// A may wait for ever, or toss a coin that he wins in `good` of four cases; if he waits, it is B's turn to wait or toss.
const WAIT: &str = "game \"Wait\"; param good: 0..4 = 1; players A, B; phases { act; toss by chance; }\n\
    state { result: 0..2 = 0; t: bool = false; }\n\
    move wait() in act as \"wait\" { t := not t; OTHER }\n\
    move gamble() in act as \"toss\" { continue toss; }\n\
    chance win() in toss { weight good; result := 1; continue act; }\n\
    chance lose() in toss { weight 4 - good; result := 2; continue act; }\n\
    end { when result = 1 => A wins; when result = 2 => B wins; repeat => draw; }\n";

/// A single player throws a die until he lands on the last of these squares, over ladders and chutes.
const CHUTES: &str = "game \"Chutes and ladders\"; player P; type Square = 0..100;\n\
    const lands[s: Square]: Square = match s { 1 => 38, 4 => 14, 9 => 31, 16 => 6, 21 => 42, 28 => 84, 36 => 44, 47 => 26,\n\
      49 => 11, 51 => 67, 56 => 53, 62 => 19, 64 => 60, 71 => 91, 80 => 100, 87 => 24, 93 => 73, 95 => 75, 98 => 78, _ => s };\n\
    phases { throw by chance; } state { at: Square = 0; }\n\
    chance die(d: 1..6) in throw { let to = at + d; if to <= 100 { at := lands[to]; } continue throw; }\n\
    end { when at = 100 => win; }\n";

fn source(text: &str) -> Game {
    let mut text = GameSource::from_string("chance.bou", text);
    text.backend = Backend::Jit;
    text.game(None).unwrap_or_else(|e| panic!("{e:?}"))
}

fn solved(game: &Game) -> Solution {
    let options = SolveOptions { count_plies: true, symmetry: SymmetryMode::Off, ..SolveOptions::default() };
    let (start, limits) = (game.machine.initial(), Limits::default());
    Auto.solve(&SolveRequest::new(game, &start, &options, &limits, &NoProgress)).expect("sound rules")
}

/// Solves a game, checks the certificate of its value, and returns the first player's payoff.
fn proved(game: &Game) -> Rational {
    let (solution, limits) = (solved(game), Limits::default());
    let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
    let made = certificate(game, &game.machine.initial(), &solution, &wanted).expect("a certificate");
    match verify(&game.rules, &made, &limits, None) {
        Verdict::Accepted(_) => solution.value.expect("a value").payoffs[0].clone(),
        other => panic!("{}: {other:?}", game.rules.name),
    }
}

#[test]
fn values_with_loops_are_exact_and_proved() {
    let value = |name: &str, settings: &[&str]| proved(&set(name, settings, Backend::Jit)).to_string();
    let pig = [("3", "29/43"), ("4", "7/11"), ("5", "161/271"), ("6", "17/31"), ("8", "209/439")];
    for (goal, expected) in pig {
        assert_eq!(value("pig", &[&format!("goal={goal}")]), expected);
    }
    assert_eq!(value("dice_race", &["length=4", "faces=2"]), "7885527229/62377613120");
    assert_eq!(value("bear_off", &["low=1", "high=3"]), "493/648");
}

/// In an end component, a player may stay as long as he likes, and infinite play is a draw.
#[test]
fn waiting_for_ever_is_worth_a_draw() {
    for (other, good, expected) in [
        ("next other(me);", 1, "-1/2"),
        ("next me;", 1, "0"),
        ("next me;", 2, "0"),
        ("next me;", 3, "1/2"),
        ("next other(me);", 2, "0"),
        ("next other(me);", 3, "1/2"),
        ("next me;", 4, "1"),
    ] {
        let text = WAIT.replace("OTHER", other).replace("= 1; players", &format!("= {good}; players"));
        assert_eq!(proved(&source(&text)).to_string(), expected, "{other} {good}");
    }
}

/// The mean number of throws is 39.2 (Althoen, King and Schilling, "How long is a game of snakes and ladders?", 1993).
#[test]
fn expected_lengths() {
    let solution = solved(&source(CHUTES));
    assert_eq!(solution.status, Status::Solved);
    let length = solution.expected_length.expect("a length");
    assert_eq!(length.to_decimal(10), "39.2251223082");
    // Heads come after two tosses on average. Who may also give up the turn for nothing does not.
    let heads = "game \"Heads\"; player P; phases { act; toss by chance; } state { up: bool = false; t: bool = false; }\n\
        move flip() in act { continue toss; }\nmove dawdle() in act { t := not t; }\n\
        chance head() in toss { up := true; }\nchance tail() in toss { continue toss; }\nend { when up => win; }\n";
    assert_eq!(solved(&source(heads)).expected_length, Some(Rational::from_integer(3)));
}

/// To toss a coin wins sooner on average than to walk. Where the value of tossing is enclosed and not exact, nobody knows
/// that it is one of the best moves, and no length is told.
#[test]
fn lengths_need_exact_values() {
    let hurry = "game \"Hurry\"; player P; phases { act; toss by chance; } state { at: 0..3 = 0; }\n\
        move walk() in act { at += 1; }\nmove flip() in act { when at = 0; continue toss; }\n\
        chance head() in toss { weight 5; at := 3; continue act; }\nchance tail() in toss { continue toss; }\n\
        end { when at = 3 => win; }\n";
    let game = source(hurry);
    assert_eq!(solved(&game).expected_length, Some(Rational::new(11, 5)));
    let options = SolveOptions { count_plies: true, symmetry: SymmetryMode::Off, ..SolveOptions::default() };
    let (start, limits) = (game.machine.initial(), Limits::default());
    let request = SolveRequest::new(&game, &start, &options, &limits, &NoProgress);
    let solution = method("interval").solve(&request).expect("sound rules");
    assert_eq!((solution.status, solution.expected_length), (Status::Solved, None));
}

/// Fractions that grow too long give bounds closer than 1e-9, and the best move where they do not overlap.
#[test]
fn long_fractions_are_enclosed() {
    let long = "game \"Long\"; param n: 1..400 = 400; players A, B; phases { act; step by chance; }\n\
        state { at: 0..n = 0; lost: bool = false; }\n\
        move go() in act as \"go\" { continue step; }\nmove stop() in act as \"stop\" { lost := true; }\n\
        chance on() in step { weight 999983; at += 1; continue step; }\n\
        chance off() in step { weight 1 + at; lost := true; continue step; }\n\
        chance back() in step { weight 1; continue step; }\n\
        end { when lost => B wins; when at = n => A wins; }\n";
    let solution = solved(&source(long));
    let bounds = solution.bounds.clone().expect("bounds");
    assert_eq!(solution.status, Status::Enclosed, "{:?} {:?}", solution.value, solution.reason);
    assert!(bounds.are_close() && bounds.low < bounds.high);
    assert_eq!(solution.best_moves.iter().map(|of| of.written.as_str()).collect::<Vec<_>>(), ["go"]);
}

/// A climbs `n` steps; each time he chooses between two throws of which he may fall, stay or climb. The fractions grow
/// by some thirty binary digits with each step.
const CLIMB: &str = "param n: 1..80 = 45; phases { act; toss by chance; }\n\
    state { at: 0..n = 0; bold: bool = false; fallen: bool = false; }\n\
    move go(b: bool) in act { bold := b; continue toss; }\n\
    chance up() in toss { weight if bold then 4294967291 - at else 4294967279 - 2 * at; at += 1; continue act; next A; }\n\
    chance stay() in toss { weight 1000003; continue act; next A; }\n\
    chance down() in toss { weight 100000 + at * (if bold then 3 else 2); fallen := true; continue act; next A; }\n";

/// Returns the value of the climb to A.
fn climb(n: i64) -> Rational {
    (0..n).rev().fold(Rational::ONE, |after, at| {
        let by = |up: i64, down: i64| {
            (Rational::from(up) * &after - Rational::from(down)) / Rational::from(up + down)
        };
        by(4_294_967_291 - at, 100_000 + 3 * at).max(by(4_294_967_279 - 2 * at, 100_000 + 2 * at))
    })
}

#[test]
fn values_too_long_to_be_exact_are_enclosed_and_proved() {
    let (two, alone) =
        ("when fallen => B wins; when at = n => A wins;", "when fallen => lose; when at = n => win;");
    for (players, ends) in [("players A, B;", two), ("player A;", alone)] {
        let game = source(&format!("game \"Climb\"; {players}\n{CLIMB}end {{ {ends} }}\n"));
        let (solution, limits) = (solved(&game), Limits::default());
        assert_eq!((solution.status, solution.method), (Status::Enclosed, "policy"), "{:?}", solution.reason);
        let bounds = solution.bounds.clone().expect("bounds");
        let (low, high) = (bounds.low.expect("a lower bound"), bounds.high.expect("an upper bound"));
        let value = climb(45);
        assert!(low < value && value < high, "{low} {value} {high}");
        let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
        let made = certificate(&game, &game.machine.initial(), &solution, &wanted).expect("a certificate");
        let verdict = |made: &Certificate| verify(&game.rules, made, &limits, None);
        assert!(matches!(verdict(&made), Verdict::Accepted(_)), "{:?}", verdict(&made));
        // No narrower bounds follow, nor others by the same policies.
        let narrower = Claim::Between { low: low.clone(), high: value.clone() };
        let mut changed = made.clone();
        changed.header.claim = narrower;
        assert!(matches!(verdict(&changed), Verdict::Rejected(_)));
        let step = Rational::new(1, 1_000_000);
        for lemma in 0..2 {
            let mut changed = made.clone();
            let Lemma::Values(of) = &mut changed.lemmas[lemma] else { panic!("values") };
            let by = if of.bound.holder.is_none() { -step.clone() } else { step.clone() };
            of.bound.payoff = &of.bound.payoff + &by;
            of.values.iter_mut().for_each(|value| value.value = &value.value + &by);
            let moved = if lemma == 0 { [&low + &step, high.clone()] } else { [low.clone(), &high - &step] };
            let [low, high] = moved;
            changed.header.claim = Claim::Between { low, high };
            assert!(matches!(verdict(&changed), Verdict::Rejected(_)), "{lemma}");
        }
    }
}

#[test]
fn endless_play_without_a_payoff_leaves_no_value() {
    // The second player ends play for his best payoff, or goes on for ever: nobody can say what that gives.
    let text = |repeat: &str| {
        format!(
            "game \"On\"; players A, B; phases {{ act; toss by chance; }}\n\
             state {{ over: bool = false; n: 0..1 = 0; }}\n\
             move stop() in act {{ continue toss; }}\nmove on() in act {{ n := 1; continue act; next B; }}\n\
             chance fall(k: 1..2) in toss {{ weight k; over := true; continue act; }}\n\
             end {{ when over => payoff p: if p = A then -1 else 1; {repeat} }}\n\
             test \"B\" {{ position {{ mover := B; n := 1; }} expect value = -1; }}"
        )
    };
    let verdicts = |repeat: &str| {
        let mut source = GameSource::from_string("a game", &text(repeat));
        let report = super::tested(&mut source, std::time::Duration::from_secs(20));
        (report.passed, report.failed, report.unknown.len())
    };
    assert_eq!(verdicts(""), (0, 0, 1));
    // Of the position in which only the second player moves, one bound is known.
    let alone = text("").replace("players A, B;", "players B, A;").replace("next B;", "next B; n := 1;");
    let solution = solved(&source(&alone.replace("n: 0..1 = 0", "n: 0..1 = 1")));
    assert_eq!((solution.status, solution.value), (Status::Bounded, None));
    let bounds = solution.bounds.expect("a bound");
    let low = bounds.low.expect("a lower bound");
    assert!(low <= Rational::ONE && low > Rational::new(999_999_999, 1_000_000_000), "{low}");
    assert_eq!(bounds.high, None);
    assert!(solution.reason.is_some_and(|reason| reason.contains("no `repeat` rule gives its value")));
    assert_eq!(verdicts("repeat => payoff p: 0;"), (1, 0, 0));
    assert_eq!(verdicts("repeat => payoff p: if p = A then -2 else 2;"), (0, 1, 0));
}

#[test]
fn a_rounded_value_is_not_told_as_an_exact_one() {
    use bouton_report::numbers::brief;
    let near = |whole: i64| Rational::from(whole) - Rational::new(1, i64::MAX) * Rational::new(1, i64::MAX);
    assert_eq!(brief(&near(1)), "about 1");
    assert_eq!(brief(&near(0)), "about 0");
    assert_eq!(brief(&(near(1) / Rational::from_integer(5))), "about 0.2");
    assert_eq!(brief(&(near(1) / Rational::from_integer(3))), "0.3333333333");
    assert_eq!(brief(&Rational::new(1, 5)), "1/5");
}
