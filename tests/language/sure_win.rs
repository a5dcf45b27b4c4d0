//! Plans that win in every play where something is hidden: against the linear programs, and where these do not fit.

use super::{accepts, method, of, proof, slow, solved};
use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_base::rational::Rational;
use bouton_certificates::{Claim, Lemma};
use bouton_driver::load::GameSource;
use bouton_search::game::Game;
use bouton_search::solve::mixed::play::StrategyProfile;
use bouton_search::solve::{Solution, SolveOptions, Status, ValueKind};

fn source(text: &str, settings: &[&str]) -> Game {
    of(GameSource::from_string("a game", text), settings)
}

fn by(game: &Game, name: &str) -> Solution {
    solved(game, &game.machine.initial(), method(name), &SolveOptions::default(), &Limits::default())
}

/// A number is hidden; each guess is answered by `smaller`, `greater` or the end.
const NUMBER: &str = r#"
game "Higher or lower";
param n: 2..200 = 7;
param guesses: 1..9 = 3;
players Hider, Seeker;
enum Answer { smaller, greater }
phases { setup hide; ask by Seeker; }
state { secret: 1..n? = none visible to Hider; left: 0..guesses = guesses; found: bool = false; answer: Answer? = none; }
private move pick(k: 1..n) in hide { secret := k; next Seeker; continue ask; }
move guess(k: 1..n) in ask {
  if k = secret { found := true; } else { left -= 1; answer := if k < secret then greater else smaller; }
  next Seeker;
}
end { when found => Seeker wins; when left = 0 => Hider wins; }
"#;

/// A fox moves between holes in a row, unseen; nothing but the end tells the hunter of it.
const FOX: &str = r#"
game "Fox in holes";
param n: 2..8 = 5;
param nights: 1..12 = 6;
players Fox, Hunter;
phases { setup hide; hunt; run; }
board Hole = strip(n);
state { fox: Hole? = none visible to Fox; looks: 0..nights = 0; caught: bool = false; }
private move hide(h: Hole) in hide { fox := h; next Hunter; continue hunt; }
move look(h: Hole) in hunt by Hunter { looks += 1; if h = fox { caught := true; } continue run; next Fox; }
private move run(h: Hole) in run by Fox { when h in fox.neighbors; fox := h; next Hunter; continue hunt; }
end { when caught => Hunter wins; when looks = nights => Fox wins; }
"#;

#[test]
fn as_many_questions_as_the_secret_needs_win_in_every_play() {
    for (n, guesses) in [(3, 2), (7, 3), (8, 3), (31, 5), (40, 5)] {
        let settings = [format!("n={n}"), format!("guesses={guesses}")];
        let game = source(NUMBER, &settings.each_ref().map(String::as_str));
        let solution = by(&game, "sure-win");
        let enough = n < 1 << guesses;
        assert_eq!(solution.status == Status::Solved, enough, "{n} {guesses}: {:?}", solution.reason);
        if enough {
            let made = proof(&game, &solution);
            assert_eq!(accepts(&game, &made), Ok(()));
            assert_eq!(made.header.claim, Claim::Wins { player: 1, plies: None });
            assert!(matches!(made.lemmas[..], [Lemma::SurePlan(_)]));
        } else {
            let reason = solution.reason.unwrap_or_default();
            assert_eq!(reason, "no player has a plan that wins in every play");
        }
    }
}

#[test]
fn hunters_catch_what_they_never_see() {
    // 2(n - 2) nights suffice, and fewer do not (the princess and the castle).
    for n in [4, 5, 6] {
        for (nights, wins) in [(2 * (n - 2), true), (2 * (n - 2) - 1, false)] {
            let settings = [format!("n={n}"), format!("nights={nights}")];
            let game = source(FOX, &settings.each_ref().map(String::as_str));
            let solution = by(&game, "sure-win");
            assert_eq!(solution.status == Status::Solved, wins, "{n} {nights}");
            if wins {
                assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()), "{n} {nights}");
                let told = solution.mixed.expect("a plan that can be told");
                assert_eq!(told.beaten, Some(0));
                assert_eq!(told.described(&game, 1, 100).len(), nights, "a hole for each night");
            }
        }
    }
}

/// Rules by which two players change a number that they do not see; each change shows something of it.
fn secret(random: &mut SplitMix) -> String {
    let mut numbers =
        |count: usize, most: u64| -> Vec<u64> { (0..count).map(|_| random.word() % (most + 1)).collect() };
    let (shows, changes, good) = (numbers(6, 1), numbers(6, 2), numbers(3, 1));
    let moves = 2 + numbers(1, 2)[0];
    let first = ["chance", "A"][numbers(1, 1)[0] as usize];
    format!(
        r#"
        game "Secret";
        param shows: list of 0..1 = {shows:?};
        param changes: list of 0..2 = {changes:?};
        param good: list of 0..1 = {good:?};
        players A, B;
        phases {{ hide by {first}; act by B; }}
        state {{ secret: 0..2 = 0 hidden; shown: 0..1 = 0; made: 0..{moves} = 0; }}
        private {kind} put(k: 0..2) in hide {{ secret := k; continue act; }}
        move act(a: 0..1) in act {{
          made += 1;
          shown := shows[a * 3 + secret + 1];
          secret := changes[a * 3 + secret + 1];
        }}
        end {{ when made = {moves} and good[secret + 1] = 1 => B wins; when made = {moves} => A wins; }}
        "#,
        kind = if first == "chance" { "chance" } else { "move" },
    )
}

#[test]
fn a_plan_wins_in_every_play_where_the_value_is_a_win() {
    let mut random = SplitMix::new(41);
    let mut wins = [0, 0];
    for number in 0..if slow() { 400 } else { 60 } {
        let text = secret(&mut random);
        let game = source(&text, &[]);
        let value = by(&game, "sequence-form").value.expect("a value").payoffs;
        let solution = by(&game, "sure-win");
        let winner = value.iter().position(|payoff| *payoff == Rational::ONE);
        let found = solution.value.as_ref().map(|value| match value.kind {
            ValueKind::Win(player) => player as usize,
            _ => unreachable!("somebody wins"),
        });
        assert_eq!(found, winner, "number {number}: {text}");
        if let Some(winner) = winner {
            wins[winner] += 1;
            assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()), "number {number}: {text}");
        }
    }
    assert!(wins.iter().all(|&count| count > 2), "{wins:?}");
}

/// A snail crosses a board with a trap in each row but the first and the last, no two in one column; each trap that it
/// meets costs a try, and it may walk to and fro (International Mathematical Olympiad 2024, problem 5: 3 tries suffice).
const SNAIL: &str = r#"
game "Snail";
param w: 2..5 = 4;
param h: 3..6 = 5;
param tries: 1..4 = 3;
player Snail;
board Cell = grid(w, h);
phases { setup hide by chance; start; walk; }
state {
  trap[r: 2..h - 1]: 0..w = 0 hidden;
  row: 2..h = 2;
  left: 0..4 = tries;
  here: Cell = a1;
  met: set of Cell = {};
}
private chance place(i: 1..w) in hide {
  when no r in 2..h - 1: trap[r] = i;
  trap[row] := i;
  row += 1;
  if row < h - 1 { continue hide; } else { continue start; }
}
move begin(c: Cell) in start as "{c}" { when c.row = 1; here := c; continue walk; }
move go(c: Cell) in walk as "{c}" {
  when c in here.neighbors and c not in met;
  here := c;
  if trap[c.row] = c.col { left -= 1; met |= { c }; continue start; } else { continue walk; }
}
end { when here.row = h => win; when left = 0 => lose; }
"#;

#[test]
fn a_plan_is_found_where_play_may_go_to_and_fro() {
    for (w, h) in [(3, 4), (4, 4), (4, 5), (5, 5)] {
        let game = source(SNAIL, &[&format!("w={w}"), &format!("h={h}")]);
        let solution = by(&game, "sure-win");
        assert_eq!(solution.status, Status::Solved, "{w} {h}: {:?}", solution.reason);
        assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()), "{w} {h}");
    }
    // Fewer tries do not suffice.
    for (w, h, tries) in [(2, 3, 1), (3, 4, 1), (3, 4, 2)] {
        let settings = [format!("w={w}"), format!("h={h}"), format!("tries={tries}")];
        let solution = by(&source(SNAIL, &settings.each_ref().map(String::as_str)), "sure-win");
        let reason = solution.reason.unwrap_or_default();
        assert_eq!(reason, "no player has a plan that wins in every play", "{w} {h} {tries}");
    }
}

/// Two players hide a coin each, and the third one looks for one of them.
const THREE: &str = r#"
game "Three"; players A, B, C;
phases { first by A; second by B; look by C; }
state { put[p: Player]: 1..2? = none visible to p; said: 1..2? = none; looks: 0..2 = 0; }
private move hide(k: 1..2) in first { put[A] := k; continue second; }
private move cover(k: 1..2) in second { put[B] := k; continue look; }
move look(k: 1..2) in look { said := k; looks += 1; }
end { when said != none and (put[A] = said or put[B] = said) => C wins; when looks = LOOKS => A wins; }
"#;

#[test]
fn one_of_three_players_wins_in_every_play() {
    let game = source(&THREE.replace("LOOKS", "2"), &[]);
    let solution = by(&game, "auto");
    assert_eq!(solution.value.as_ref().map(|value| value.kind), Some(ValueKind::Win(2)));
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    let game = source(&THREE.replace("LOOKS", "1"), &[]);
    assert_eq!(by(&game, "auto").status, Status::Unknown);
}

#[test]
fn what_ends_with_payoffs_has_no_sure_win() {
    let text = NUMBER.replace("Seeker wins", "payoff p: if p = Seeker then 1 else -1");
    let reason = by(&source(&text, &[]), "sure-win").reason.unwrap_or_default();
    assert_eq!(reason, "the game ends with payoffs, and not with wins");
}
