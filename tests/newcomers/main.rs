//! Games as newcomers write them, through the commands of the binary: the sentences that they read.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs a command on the game that standard input gives.
fn bouton(args: &[&str], game: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
        .args(args)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A program that does not read its input closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(game.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

const INDIAN_POKER: &str = r#"
game "Indian Poker";
players Ann, Bob;
phases { setup deal by chance; bet; answer; }
state { card[p: Player]: 1..3? = none visible to other(p); bet: bool = false; over: bool = false; folded: bool = false; }
private chance deal(a: 1..3, b: 1..3) in deal as "{a}{b}" {
  when a != b;
  card[Ann] := a;
  card[Bob] := b;
  continue bet;
}
move check() in bet { over := true; }
move raise() in bet { bet := true; continue answer; next Bob; }
move call() in answer { over := true; }
move fold() in answer { folded := true; over := true; }
end {
  when over and folded => payoff p: if p = Ann then 1 else -1;
  when over => payoff p: (if bet then 2 else 1) * (if card[p] > card[other(p)] then 1 else -1);
}
"#;

const VOLUNTEERS: &str = r#"
game "Volunteers";
players A, B, C;
phases { act by each; }
state { calls[p: Player]: bool? = none; }
move call() in act { calls[me] := true; }
move wait() in act { calls[me] := false; }
def some_call = some p in Player: calls[p] = true;
end { when calls[A] != none => payoff p: if calls[p] = true then -1 else if some_call then 0 else -3; }
"#;

const TWO_HEAPS_AT_ONCE: &str = r#"
game "Two heaps at once";
players A, B;
state { s[h: 1..2]: 0..2 = 1; }
move single(h: 1..2) as "take {h}" { when s[h] > 0; s[h] -= 1; }
play normal;
"#;

const CENTIPEDE: &str = r#"
game "Centipede";
players A, B;
state { pot: 1..40 = 1; round: 0..20 = 0; taken: Player? = none; }
move take() { taken := me; }
move push() { pot += 1; round += 1; }
end {
  when taken != none => payoff p: if p = taken then pot + 1 else pot - 1;
  when round = 6 => payoff p: pot;
}
"#;

const WALK_WITH_WALLS: &str = r##"
game "Walk with walls";
param level: text = """
  .#.
  A.T""";
player P;
board C = grid(level.columns, level.rows);
const wall[c: C]: bool = diagram level { "#" => true, "A" => false, "T" => false, "." => false };
const target[c: C]: bool = diagram level { "T" => true, "#" => false, "A" => false, "." => false };
const start[c: C]: bool = diagram level { "A" => true, "#" => false, "T" => false, "." => false };
state { walker: C = a1; }
move go(d: Orthogonal) as "{d}" { let to = walker + d; when not wall[to]; walker := to; }
end { when target[walker] => win; }
"##;

const LOOP: &str = r#"
game "Loop";
player P;
state { here: 1..3 = 1; }
move up() { when here < 3; here += 1; }
move down() { when here > 1; here -= 1; }
end { when here = 3 => win; }
"#;

#[test]
fn moves_without_values_are_explained() {
    let hidden = out(&bouton(&["solve", "-", "--all-moves"], INDIAN_POKER));
    assert!(hidden.contains("a single move has no value of its own where something is hidden"), "{hidden}");
    let at_once = out(&bouton(&["solve", "-", "--all-moves"], VOLUNTEERS));
    assert!(
        at_once.contains("a single move has no value of its own where players choose at once"),
        "{at_once}"
    );
    for told in [hidden, at_once] {
        assert!(!told.contains("--method"), "no method was requested: {told}");
    }
}

#[test]
fn cards_come_in_their_order() {
    let told = out(&bouton(&["solve", "-"], INDIAN_POKER));
    let places = [1, 2, 3].map(|card| told.find(&format!("card[Bob] = {card}:")).expect("each card"));
    assert!(places.is_sorted(), "{told}");
}

#[test]
fn a_line_to_the_end_is_whole() {
    let told = out(&bouton(&["solve", "-"], VOLUNTEERS));
    assert!(told.contains("(call, wait, wait)\n"), "{told}");
}

#[test]
fn names_with_blanks_are_told_apart() {
    let told = out(&bouton(&["solve", "-"], TWO_HEAPS_AT_ONCE));
    assert!(told.contains("take 1, take 2\n"), "{told}");
    let after = out(&bouton(&["solve", "-", "--moves", "take 1, take 2"], TWO_HEAPS_AT_ONCE));
    assert!(after.contains("the game is over"), "{after}");
}

#[test]
fn payoffs_with_another_sum_elsewhere_are_means() {
    let told = out(&bouton(&["report", "-"], CENTIPEDE));
    assert!(told.contains("Mean payoffs where all look 2 moves ahead: A 2, B 0"), "{told}");
}

#[test]
fn walls_by_a_condition_are_drawn() {
    let told = out(&bouton(&["solve", "-", "--strong"], WALK_WITH_WALLS));
    assert!(told.contains("solved in 2 moves"), "{told}");
    // The start is asked for by no condition, and the walker has the letter of the wall.
    let report = out(&bouton(&["report", "-"], WALK_WITH_WALLS));
    assert!(report.contains("  2 . a .\n  1 w . t\n"), "{report}");
}

#[test]
fn endless_histories_are_no_file() {
    let written = bouton(&["export", "-", "--to", "efg"], LOOP);
    assert_eq!(written.status.code(), Some(4));
    assert!(out(&written).is_empty());
    assert!(err(&written).contains("more than 2,000,000 histories"), "{}", err(&written));
}

const NIM: &str = r#"
game "Nim";
param n: 1..20 = 9;
param heaps: list of 0..9 = [1, 2];
players First, Second;
state { pile: 0..20 = n; }
move take(k: 1..3) as "{k}" { when k <= pile and k <= 9 + heaps[1]; pile -= k; }
play normal;
"#;

/// The message of a command that was not understood.
fn refused(args: &[&str]) -> String {
    let output = bouton(args, NIM);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", err(&output));
    err(&output)
}

#[test]
fn settings_in_another_form_are_told_in_the_right_one() {
    let cases = [
        ("n:5", "`--set n=5`"),
        ("n=5,heaps=3", "`--set n=5 --set heaps=3`"),
        ("heaps=3,4,5", "`--set 'heaps=[3,4,5]'`"),
        ("heaps=[3 4 5]", "`--set 'heaps=[3,4,5]'`"),
        ("N=5", "did you mean `n`?"),
    ];
    for (setting, form) in cases {
        let told = refused(&["solve", "-", "--set", setting]);
        assert!(told.contains(form), "{setting}: {told}");
    }
}

#[test]
fn flags_in_another_form_are_told_in_the_right_one() {
    let cases: [(&[&str], &str); 16] = [
        (&["table", "-", "--over", "heaps=1..3"], "`--over 'heaps[1]=1..3'`"),
        (&["table", "-", "n=1..5"], "`--over n=1..5`"),
        (&["table", "-", "--over", "n=5..2"], "5 is above 2"),
        (&["solve", "-", "-n", "5"], "`--set n=5`"),
        (&["solve", "-", "--set", "heaps", "3,4"], "`--set 'heaps=[3,4]'`"),
        (&["solve", "-", "--threads", "two"], "a whole number is needed, in digits"),
        (&["solve", "-", "--method", "nimbers"], "did you mean `grundy`?"),
        (&["solve", "-", "--moves", "1", "2"], "several moves stand in quotes: `--moves \"1 2\"`"),
        (&["solve", "-", "--set", "n", "=", "5"], "a setting has no blanks: `--set n=5`"),
        (&["perft", "-", "3"], "the depth is a flag: `-d 3`"),
        (&["nim.bou"], "a command comes before the file: `bouton check nim.bou`"),
        (&["export", "-"], "`--to` is one of "),
        (&["solve", "-", "--depth", "3"], "`--within N` searches for a win within N plies"),
        (&["solve", "-", "--memory", "2"], "write 2M or 2G"),
        (&["report", "-", "-o", "nim.pdf"], "no report is written as `.pdf`"),
        (&["explain", "501"], "did you mean E0501?"),
    ];
    for (args, form) in cases {
        let told = refused(args);
        assert!(told.contains(form), "{args:?}: {told}");
    }
    // A position is a value of the command line, as a setting is.
    assert!(refused(&["solve", "-", "--position", "pile = 3"]).contains("write `:=`"));
}

#[test]
fn files_of_another_kind_are_named() {
    let folder = std::env::temp_dir().join(format!("bouton-newcomers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let (rules, sheet) = (file("nim.bou", NIM), file("nim.kif", NIM));
    let certificate = folder.join("nim.cert").display().to_string();
    assert!(bouton(&["solve", &rules, "--certificate", &certificate], "").status.success());
    let told = refused(&["verify", &rules]);
    assert!(told.contains("is a game, not a certificate"), "{told}");
    let told = refused(&["verify", &rules, &certificate]);
    assert!(told.contains("the certificate comes first"), "{told}");
    let told = err(&bouton(&["solve", &certificate], ""));
    assert!(told.contains("this file is a certificate"), "{told}");
    let told = err(&bouton(&["solve", &sheet], ""));
    assert!(told.contains("give the file a name that ends in `.bou`"), "{told}");
    let commented = file("sheet.bou", "; a game\n; of two\n(role x)\n(role o)\n(init a)\n");
    let told = err(&bouton(&["check", &commented], ""));
    assert!(told.contains("a game in standard GDL (KIF)"), "{told}");
    let told = refused(&["report", &rules, "-o", &folder.join("no/such/nim.html").display().to_string()]);
    assert!(told.contains("there is no folder"), "{told}");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn lines_of_play_in_another_form_are_answered() {
    let folder = std::env::temp_dir().join(format!("bouton-newcomers-play-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let rules = folder.join("nim.bou").display().to_string();
    std::fs::write(&rules, NIM).expect("a file");
    let told = out(&bouton(&["play", &rules, "--seed", "1"], "hint please\n99\nbest\nresign\n"));
    for answer in [
        "the command `hint` stands alone on its line",
        "the moves have the numbers 1 to 3",
        "the command is `hint`",
        "the command is `quit`",
    ] {
        assert!(told.contains(answer), "{answer}: {told}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

const SECRETARY: &str = r#"
game "Secretary";
player Boss;
phases { come by chance; decide; }
state { seen: 0..3 = 0; is_best: bool = false; hired: bool = false; }
chance better() in come as "best so far" { when seen < 3; weight 1 / (seen + 1); seen += 1; is_best := true; continue decide; }
chance worse() in come as "not the best" { when seen < 3; weight seen / (seen + 1); seen += 1; is_best := false; continue decide; }
move hire() in decide { hired := true; }
move reject() in decide { continue come; }
def good = if is_best then seen else 0;
end { when hired => payoff p: good / 3; when seen = 3 and phase = come => payoff p: 0; }
"#;

#[test]
fn a_strategy_goes_on_behind_chance() {
    let told = out(&bouton(&["report", "-"], SECRETARY));
    assert!(told.contains("Boss gets 1/2"), "{told}");
    for line in ["chance: best so far 1 ", "  Boss: reject  Boss gets 1/2", "    chance: best so far 1/2 "] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

const MEETING: &str = r#"
game "Meeting";
players Ann, Bob;
phases { choose by each; }
enum Place { park, pub_ }
state { at[p: Player]: Place? = none; }
move go(x: Place) in choose as "{x}" { at[me] := x; }
end { when at[Ann] != none => payoff p: if at[Ann] != at[Bob] then 0 else if at[Ann] = park then 2 else 1; }
"#;

const DILEMMA: &str = r#"
game "Again and again";
players Ann, Bob;
phases { choose by each; luck by chance; }
state { talks[p: Player]: bool = false; over: bool = false; }
move silent() in choose { talks[me] := false; continue luck; }
move talk() in choose { talks[me] := true; continue luck; }
chance stop() in luck as "(stop)" { over := true; }
chance go() in luck as "(go)" { weight 99; continue choose; }
def talkers = count p in Player: talks[p];
end { when over => payoff p: if talkers = 0 then 3 else if talkers = 2 then 1 else if talks[p] then 5 else 0; }
"#;

/// Writes rules into a file of a new folder and plays by them as Bob; the lines are those of the user.
fn played_as_bob(rules: &str, lines: &str) -> (PathBuf, String) {
    static PLAYED: AtomicU32 = AtomicU32::new(0);
    let number = PLAYED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("bouton-newcomers-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("rules.bou");
    std::fs::write(&file, rules).expect("a file");
    let told = out(&bouton(&["play", &file.display().to_string(), "--as", "Bob", "--seed", "1"], lines));
    (file, told)
}

#[test]
fn an_engine_plays_one_of_several_equilibria() {
    let (file, told) = played_as_bob(MEETING, "hint\npark\n");
    assert!(told.contains("one of 3 equilibria, that with the greatest sum of payoffs"), "{told}");
    assert!(told.contains("by the mixed strategy: park always"), "{told}");
    assert!(told.contains("all: (park, park)"), "{told}");
    let rules = file.display().to_string();
    let report = bouton(&["report", &rules], "");
    assert_eq!(report.status.code(), bouton(&["solve", &rules], "").status.code());
    let _ = std::fs::remove_dir_all(file.parent().expect("a folder"));
}

#[test]
fn an_engine_plays_an_equilibrium_where_positions_come_back() {
    let (file, told) = played_as_bob(DILEMMA, "silent\nhint\nsilent\n");
    assert!(told.contains("by an equilibrium, from which nobody gains"), "{told}");
    assert_eq!(told.matches("all: (talk, silent)").count(), 2, "{told}");
    assert!(told.contains("talk always"), "{told}");
    let _ = std::fs::remove_dir_all(file.parent().expect("a folder"));
}

const OWARE: &str = r#"
//! A small Oware: two rows of three houses, three seeds each.
game "Oware 2x3";
param seeds: 1..4 = 2;
players South, North;
type House = 0..5;
state {
  pit[h: House]: 0..24 = seeds;
  store[p: Player]: 0..24 = 0;
}
def owner(h: House) = if h < 3 then South else North;
move sow(h: House) as "{h}" {
  when owner(h) = me and pit[h] > 0;
  let n = pit[h];
  pit[h] := 0;
  for i in 1..24 where i <= n { pit[(h + i) mod 6] += 1; }
  then {
    let last = (h + n) mod 6;
    if owner(last) != me and pit[last] in { 2, 3 } {
      store[me] += pit[last];
      pit[last] := 0;
    }
  }
}
end {
  for p in Player when store[p] * 2 > 6 * seeds => p wins;
  when stuck => highest store;
  repeat => draw;
}
expect draw;
expect positions = 37826;
"#;

const BLACKJACK: &str = r#"
//! Blackjack with cards 1 to 3 and limit 5: the player draws, then the dealer draws below 4.
game "Small blackjack";
player Me;
phases { choose; mine by chance; dealer by chance; }
state { me_sum: 0..8 = 0; house: 0..8 = 0; }
move hit() in choose as "hit" { when me_sum < 5; continue mine; }
move stand() in choose as "stand" { continue dealer; }
chance card(k: 1..3) in mine as "{k}" { me_sum += k; continue choose; }
chance house_card(k: 1..3) in dealer as "d{k}" { house += k; continue dealer; }
end {
  when me_sum > 5 => lose;
  when phase = dealer and house > 5 => win;
  when phase = dealer and house >= 4 and house < me_sum => win;
  when phase = dealer and house >= 4 and house = me_sum => draw;
  when phase = dealer and house >= 4 => lose;
}
expect value = -256 / 6561;
"#;

const THREE_TURNS: &str = r#"
//! A solitaire Farkle: throw a die; a 1 loses the turn's points, else add and decide. Target in few turns.
game "Three turns";
param goal: 1..12 = 6;
player Ann;
phases { roll by chance; decide; }
state { turn_total: 0..20 = 0; score: 0..20 = 0; turns: 0..3 = 0; }
chance die(d: 1..6) in roll as "({d})" {
  if d = 1 { turn_total := 0; turns += 1; continue roll; }
  else { turn_total := min(20, turn_total + d); continue decide; }
}
move again_() in decide as "roll" { when turn_total < 20; continue roll; }
move hold() in decide as "hold" { score := min(20, score + turn_total); turn_total := 0; turns += 1; continue roll; }
end { when score >= goal => win; when turns = 3 => lose; }
expect value = 6569 / 6912;
"#;

const TWIN_DICE: &str = r#"
//! Two dice, one reroll of chosen dice: points if both show the same: the sum, otherwise 0.
game "Twin dice";
player P;
phases { setup first by chance; pick; second by chance; }
state { d1: 0..6 = 0; d2: 0..6 = 0; keep1: bool = false; keep2: bool = false; done: bool = false; }
chance roll(a: 1..6, b: 1..6) in first as "{a}{b}" { d1 := a; d2 := b; continue pick; }
move keep(k: bool, l: bool) in pick as "keep {k} {l}" { keep1 := k; keep2 := l; continue second; }
chance reroll(a: 1..6, b: 1..6) in second as "{a}{b}" {
  when not keep1 or a = d1;
  when not keep2 or b = d2;
  d1 := a; d2 := b; done := true;
}
end { when done => payoff p: if d1 = d2 then d1 + d2 else 0; }
expect value = 271 / 108;
"#;

const WAR: &str = r#"
//! War with six cards: each turns the top of a hidden pile of three; more tricks win.
game "War";
players A, B;
phases { setup deal by chance; flip; }
state { top: 1..3 = 1; hand[p: Player]: set of 1..6 = {} hidden; taken[p: Player]: 0..6 = 0; up: 0..6 = 0 hidden; }
private chance deal_a(x: 1..6, y: 1..6, z: 1..6) in deal { when x < y and y < z; hand[A] := { x, y, z }; hand[B] := (1..6) - { x, y, z }; continue flip; }
move turn_up() in flip as "turn" { taken[A] += count x in hand[A]: x > max(hand[B]); top := min(3, top + 1); taken[B] += 1; }
end { when top = 3 => highest taken; }
expect value = -3 / 10;
"#;

const ORDER_AND_CHAOS: &str = r#"
game "Order and chaos 3x3";
players Order, Chaos;
board Cell = grid(3, 3);
enum Mark { X, O }
state { at[c: Cell]: Mark? = none; }
move put(m: Mark, c: Cell) as "{m}{c}" { when at[c] = none; at[c] := m; }
end { when some l in lines(Cell, 3), m in Mark: all c in l: at[c] = m => Order wins; when stuck => Chaos wins; }
expect Order wins;
"#;

const SIM: &str = r#"
//! Sim: two players colour the edges of a hexagon; who completes a triangle of his colour loses.
game "Sim";
param n: 4..6 = 5;
players Red, Blue;
type V = 1..n;
state { line[a: V, b: V]: Player? = none; }
move draw_line(a: V, b: V) as "{a}{b}" { when a < b; when line[a, b] = none; line[a, b] := me; }
def triangle(p: Player) = some a in V, b in V, c in V where a < b and b < c: line[a, b] = p and line[b, c] = p and line[a, c] = p;
end { for p in Player when triangle(p) => p loses; when stuck => draw; }
expect draw;
"#;

const GUESSING: &str = r#"
//! Guess a number 1..7 with costs (LeetCode 375) as a game against an adversary.
game "Guess higher or lower";
param n: 1..10 = 5;
players Guesser, Host;
phases { guess; answer; }
state { lo: 1..11 = 1; hi: 0..10 = n; g: 0..10 = 0; paid: 0..60 = 0; done: bool = false; }
move guess(k: 1..n) in guess as "{k}" { when k in lo..hi; g := k; continue answer; next opponent; }
move high() in answer as "lower" { when g > lo; paid += g; hi := g - 1; continue guess; next opponent; }
move low() in answer as "higher" { when g < hi; paid += g; lo := g + 1; continue guess; next opponent; }
move right() in answer as "right" { done := true; }
end { when done => payoff p: if p = Guesser then -paid else paid; }
expect value = -6;
expect value = -16 with n = 10;
"#;

const STONES: &str = r#"
//! LeetCode 1406, Stone Game III.
game "Stone game III";
param v: list of -50..50 = [1, 2, 3, 7];
players Alice, Bob;
state { k: 0..50 = 0; diff: -500..500 = 0; }
move take(n: 1..3) as "{n}" {
  when k + n <= #v;
  let s = sum i in k + 1 .. k + n: v[i];
  k += n;
  if me = Alice { diff += s; } else { diff -= s; }
}
end { when k = #v and diff > 0 => Alice wins; when k = #v and diff < 0 => Bob wins; when k = #v => draw; }
expect Bob wins;
expect Alice wins with v = [1, 2, 3, -9];
expect draw with v = [1, 2, 3, 6];
"#;

const HINTS: &str = r#"
//! Each of two players sees the other's card only. One says a word, then both name their own cards.
game "Hints";
param n: 2..4 = 4;
players Ann, Bob;
phases { setup deal by chance; say; name; answer; }
state { card[p: Player]: 0..n = 0 visible to other(p); word: 0..2 = 0; named[p: Player]: 0..n = 0; }
private chance deal_cards(a: 1..n, b: 1..n) in deal as "{a}{b}" {
  when a != b;
  card[Ann] := a;
  card[Bob] := b;
  continue say;
}
move hint(w: 1..2) in say as "word {w}" { word := w; continue name; next Bob; }
move bobs(k: 1..n) in name as "mine is {k}" { named[Bob] := k; continue answer; next Ann; }
move anns(k: 1..n) in answer as "and mine {k}" { named[Ann] := k; }
end { when named[Ann] > 0 => payoff p: count q in Player: named[q] = card[q]; }
expect value = [4 / 3, 4 / 3];
expect value = [3 / 2, 3 / 2] with n = 3;
"#;

/// The values of the first six come from short programs that know nothing of the language, those of the next two from
/// the statements of the problems (375 and 1406 of LeetCode), that of the last from all plans of both players.
#[test]
fn games_of_several_kinds_have_their_values() {
    let games =
        [OWARE, BLACKJACK, THREE_TURNS, TWIN_DICE, WAR, ORDER_AND_CHAOS, SIM, GUESSING, STONES, HINTS];
    for game in games {
        // The search for a strategy beside the value may not take long.
        assert_eq!(bouton(&["solve", "-"], game).status.code(), Some(0), "{game}");
        let tested = bouton(&["test", "-"], game);
        assert!(
            out(&tested).contains(" passed, 0 failed, 0 unknown"),
            "{game}\n{}{}",
            out(&tested),
            err(&tested)
        );
    }
}

#[test]
fn a_report_says_that_nobody_chooses() {
    let report = out(&bouton(&["report", "-"], WAR));
    assert!(report.contains("No player ever has a choice: what happens is up to chance."), "{report}");
}

#[test]
fn formats_that_cannot_be_written_are_refused_at_once() {
    let strategic = bouton(&["export", "-", "--to", "nfg"], OWARE);
    assert_eq!(strategic.status.code(), Some(2));
    assert!(err(&strategic).contains("the strategic form is for games of a single simultaneous choice"));
    let three = "game \"Three\"; players A, B, C; state { left: 0..3 = 3; }\n\
                 move take(k: 1..2) { when k <= left; left -= k; }\n\
                 end { when left = 0 => payoff p: if p = mover then 2 else 0; }";
    let extensive = bouton(&["export", "-", "--to", "efg"], three);
    assert_eq!(extensive.status.code(), Some(2));
    assert!(err(&extensive).contains("the formats of Gambit are written for one or two players"));
}

/// No move is called best if the values of several equilibria are not known.
#[test]
fn moves_of_some_equilibrium_are_not_called_best() {
    let game = "game \"Offers\"; players A, B; phases { offer; answer; }\n\
                state { share: 0..2 = 0; deal: bool = false; over: bool = false; }\n\
                move offers(k: 0..2) in offer as \"offer {k}\" { share := k; continue answer; next opponent; }\n\
                move yes() in answer as \"yes\" { deal := true; over := true; }\n\
                move refuse() in answer as \"no\" { over := true; }\n\
                end { when deal => payoff p: if p = A then 2 - share else share; when over => payoff p: 0; }";
    let report = out(&bouton(&["report", "-"], game));
    assert!(report.contains("players are indifferent between moves"), "{report}");
    assert!(!report.contains("best\n"), "{report}");
}

/// A single player has a tree, with events of chance; the method that does not draw it refers to the one that does.
#[test]
fn a_tree_is_drawn_for_one_player() {
    let folder = std::env::temp_dir().join(format!("bouton-newcomers-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let rules = folder.join("dice.bou").display().to_string();
    std::fs::write(&rules, TWIN_DICE).expect("a file");
    let refused = err(&bouton(&["trace", &rules, "--method", "mixed"], ""));
    assert!(refused.contains("`--method minimax` draws the tree"), "{refused}");
    for method in [&["--method", "minimax"][..], &[]] {
        let tree = out(&bouton(&[&["trace", &rules, "--depth", "1"], method].concat(), ""));
        assert!(
            tree.contains("minimax: P maximizes; ~ marks what rests on an estimate\n"),
            "{method:?}: {tree}"
        );
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// A wasted move of a puzzle is told, though the puzzle is still solved afterwards.
#[test]
fn wasted_moves_of_a_puzzle_are_reviewed() {
    let walk = "game \"Walk\"; player Ann; state { at: 0..5 = 0; }\n\
                move step(d: -1..1) as \"go {d}\" { when d != 0; when at + d in 0..5; at += d; }\n\
                end { when at = 5 => win; }";
    let folder = std::env::temp_dir().join(format!("bouton-newcomers-walk-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let rules = folder.join("walk.bou").display().to_string();
    std::fs::write(&rules, walk).expect("a file");
    let played = out(&bouton(&["play", &rules], "go 1\ngo -1\ngo 1\nreview\nquit\n"));
    assert!(played.contains("ply 2, go -1"), "{played}");
    assert!(!played.contains("ply 1, ") && !played.contains("ply 3, "), "{played}");
    let _ = std::fs::remove_dir_all(&folder);
}

/// The threat to fight makes another equilibrium of the same tree, which is none without empty threats.
#[test]
fn equilibria_with_empty_threats_are_not_denied() {
    let entry = "game \"Entry\"; players Entrant, Incumbent;\n\
                 state { inside: bool = false; over: bool = false; fought: bool = false; }\n\
                 move enter() as \"enter\" { when not inside; when mover = Entrant; inside := true; }\n\
                 move stay() as \"stay out\" { when not inside; when mover = Entrant; over := true; }\n\
                 move fight() as \"fight\" { when inside; fought := true; over := true; }\n\
                 move share() as \"share\" { when inside; over := true; }\n\
                 end {\n\
                 when over and not inside => payoff p: if p = Entrant then 0 else 2;\n\
                 when over and fought => payoff p: -1;\n\
                 when over => payoff p: 1; }";
    let solved = out(&bouton(&["solve", "-"], entry));
    assert!(solved.contains("Entrant gets 1, Incumbent gets 1"), "{solved}");
    assert!(
        solved.contains("every other equilibrium without empty threats (subgame-perfect) in which"),
        "{solved}"
    );
}

/// Each of the three stops half of the time in another equilibrium, which gives them 1, 2 and 1.
#[test]
fn equilibria_by_lot_or_memory_are_not_denied_where_positions_come_back() {
    let stopping = "game \"Stopping\"; players A, B, C;\n\
                    state { who: Player? = none; }\n\
                    move stop() as \"stop\" { who := me; }\n\
                    move on() as \"on\" { }\n\
                    end {\n\
                    when who = A => payoff p: match p { A => 1, B => 3, C => 0 };\n\
                    when who = B => payoff p: match p { A => 0, B => 1, C => 3 };\n\
                    when who = C => payoff p: match p { A => 3, B => 0, C => 1 };\n\
                    repeat => payoff p: 0; }";
    let solved = out(&bouton(&["solve", "--all-moves", "-"], stopping));
    let payoffs = "if each choice depends on the position alone, A gets 1, B gets 3, C gets 0";
    assert!(solved.contains(payoffs), "{solved}");
    let others = "every other equilibrium without empty threats (subgame-perfect) in which nobody draws lots and each choice depends \
         on the position alone";
    assert!(solved.contains(others), "{solved}");
    assert!(
        solved.contains("(others may be as good)") && !solved.contains("a limit was reached"),
        "{solved}"
    );
}

#[test]
fn a_lone_player_gets_rules_against_chance() {
    let game = "game \"Keep\"; player P; phases { roll by chance; act; }
        state { die: 0..6 = 0; left: 0..3 = 3; done: bool = false; }
        chance throw(d: 1..6) in roll { die := d; left -= 1; continue act; }
        move keep() in act { done := true; }
        move again_() in act as \"again\" { when left > 0; continue roll; }
        end { when done => payoff p: die; }";
    let told = out(&bouton(&["solve", "-"], game));
    assert!(told.contains("P gets 14/3"), "{told}");
    for rule in ["with die = 4, left = 1: keep", "with die = 4, left = 2: again", "with die >= 5: keep"] {
        assert!(told.contains(rule), "{told}");
    }
    let data = out(&bouton(&["solve", "-", "--json"], game));
    assert!(data.contains(r#"{"when":["die >= 5"],"move":"keep"}"#), "{data}");
    let page = out(&bouton(&["report", "-", "--format", "text"], game));
    assert!(page.contains("with die >= 5: keep."), "{page}");
}

#[test]
fn one_combination_that_is_left_is_the_value() {
    let game = "game \"Best\"; players A, B, C; phases { act by each; }
        state { a[p: Player]: 0..2 = 0; }
        move take(k: 1..2) in act { a[me] := k; }
        end { when a[A] > 0 => payoff p: 3 * a[p] - a[other_of(p)]; }
        def other_of(p: Player): Player = if p = A then B else if p = B then C else A;
        expect value = [4, 4, 4];";
    let told = out(&bouton(&["solve", "-"], game));
    assert!(told.contains("with best play A gets 4, B gets 4, C gets 4"), "{told}");
    let tested = out(&bouton(&["test", "-"], game));
    assert!(tested.contains("1 passed"), "{tested}");
}

#[test]
fn bounds_of_ties_are_those_of_reasonable_play() {
    let game = "game \"Offer\"; players A, B; phases { offer; answer; }
        state { k: 0..3? = none; yes: bool? = none; }
        move offer(x: 0..3) in offer as \"{x}\" { k := x; next opponent; continue answer; }
        move say(y: bool) in answer as \"{y}\" { yes := y; }
        end { when yes = false => payoff p: 0; when yes = true => payoff p: if p = A then 3 - k else k; }
        expect value >= 2; expect value <= 3;";
    let told = out(&bouton(&["solve", "-"], game));
    assert!(told.contains("A gets at least 2 and at most 3"), "{told}");
    let tested = out(&bouton(&["test", "-"], game));
    assert!(tested.contains("2 passed"), "{tested}");
}

const BEAT_THAT: &str = r#"
game "Beat that";
players Ann, Bob;
phases { throw by chance; place; }
state { die: 1..6? = none; digits[p: Player, k: 1..2]: 1..6? = none; }
chance cast(d: 1..6) in throw as "({d})" { die := d; continue place; }
move put(k: 1..2) in place as "{k}" {
  when digits[me, k] = none;
  digits[me, k] := die;
  die := none;
}
def number(p: Player) = (if digits[p, 1] = none then 0 else 10 * digits[p, 1]) + (if digits[p, 2] = none then 0 else digits[p, 2]);
def is_done(p: Player) = all k in 1..2: digits[p, k] != none;
end { when all p in Player: is_done(p) => payoff p: if number(p) > number(other(p)) then 1 else if number(p) < number(other(p)) then -1 else 0; }
"#;

/// The share of heads is paid (Chow and Robbins, "On optimal stopping rules for S_n/n", 1965).
const SHARE_OF_HEADS: &str = r#"
game "Share of heads";
param n: 2..60 = 12;
player P;
phases { choose; toss by chance; }
state { heads: 0..n = 0; tails: 0..n = 0; done: bool = false; }
move stop() in choose as "stop" { when heads + tails > 0; done := true; }
move go() in choose as "toss" { when heads + tails < n; continue toss; }
chance head() in toss { heads += 1; continue choose; }
chance tail() in toss { tails += 1; continue choose; }
end { when done => payoff p: heads / max(1, heads + tails); }
"#;

#[test]
fn rules_for_best_moves_compare_two_numbers() {
    let solved = out(&bouton(&["solve", "-"], SHARE_OF_HEADS));
    assert!(
        solved.contains(
            "where there is a choice: with heads <= tails: toss\n              with heads > tails: stop\n"
        ),
        "{solved}"
    );
    let longer = out(&bouton(&["solve", "-", "--set", "n=24"], SHARE_OF_HEADS));
    assert!(longer.contains("with heads from 3 to 8, heads = tails + 1: toss\n"), "{longer}");
}

#[test]
fn players_against_chance_get_rules_for_their_best_moves() {
    let solved = out(&bouton(&["solve", "-"], BEAT_THAT));
    assert!(
        solved.contains(
            "policy      Ann, where there is a choice: with die <= 4: 2\n              with die >= 5: 1\n"
        ),
        "{solved}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&out(&bouton(&["solve", "-", "--json"], BEAT_THAT))).expect("JSON");
    assert_eq!(json["policies"][0]["player"], "Ann", "{json}");
    // No bound holds of what is no number, and phases have names.
    let optional = r#"
game "Seen or not";
players A, B;
phases { roll by chance; act; more; }
state { x: 0..5? = none; done: 0..2 = 0; }
chance throw(d: 0..6) in roll as "({d})" { if d < 6 { x := d; } continue act; next A; }
move wait() in act as "wait" { continue more; }
move low() in more as "low" { done := 1; }
move high() in more as "high" { done := 2; }
end { when done > 0 => payoff p: (if (done = 1) = (x <= 2) then 1 else -1) * (if p = A then 1 else -1); }
"#;
    let solved = out(&bouton(&["solve", "-"], optional));
    let told = "A, where there is a choice: with x = none: high\n              with x <= 2: low\n              with x >= 3: high\n";
    assert!(solved.contains(told), "{solved}");
    let phases = r#"
game "Walk and act";
players A, B;
phases { act; more; }
state { a: 0..3 = 3; }
move take(k: 1..2) in act as "t{k}" { when k <= a; a -= k; continue more; }
move keep() in more as "keep" { }
move drop() in more as "drop" { when a > 0; a -= 1; }
end { when phase = act and stuck => mover loses; }
"#;
    let solved = out(&bouton(&["solve", "-"], phases));
    let told = "A, where there is a choice: with phase = act: t2\n              with phase = more: drop\n";
    assert!(solved.contains(told), "{solved}");
    // A winner for whom no strategy has other words.
    let piles = r#"
game "Odd and even";
players A, B;
state { left: 0..6 = 6; held[p: Player]: 0..6 = 0; }
move take(k: 1..2) as "{k}" { when left >= k; left -= k; held[me] += k; }
end { when left = 0 and held[A] mod 2 = 1 => A wins; when left = 0 => B wins; }
"#;
    let solved = out(&bouton(&["solve", "-"], piles));
    let told = "policy      A, where there is a choice: with left = 2: 1\n              with left = 3: 2\n              with left >= 4: 1\n";
    assert!(solved.contains(told), "{solved}");
    assert!(!solved.contains("these rules hold where"), "{solved}");
    // After another winning move than those of its rules, the winner may need another one.
    let halves = r#"
game "Minus one or half";
players A, B;
state { h: 0..30 = 30; }
move dec() as "-1" { when h > 0; h -= 1; }
move half() as "/2" { when h > 1; h := h / 2; }
play normal;
"#;
    let solved = out(&bouton(&["solve", "-"], halves));
    assert!(
        solved.contains("\n              these rules hold where each move of B before was a "),
        "{solved}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&out(&bouton(&["solve", "-", "--json"], halves))).expect("JSON");
    assert_eq!(json["policies"][0]["everywhere"], false, "{json}");
    // Where the method leaves positions open, nothing is said of all in which the player wins.
    let heap = r#"
game "Heap";
players A, B;
state { a: 0..20 = 13; }
move take(k: 2..5) as "{k}" { when k != 3 and k <= a; a -= k; }
end { when stuck => mover loses; }
"#;
    let json: serde_json::Value =
        serde_json::from_str(&out(&bouton(&["solve", "-", "--method", "interval", "--json"], heap)))
            .expect("JSON");
    let policies = json["policies"].as_array().cloned().unwrap_or_default();
    assert!(policies.iter().all(|policy| policy["everywhere"] == false), "{json}");
    // The winner cannot go wrong.
    let marks = r#"
game "Fives";
players A, B;
board Cell = grid(3, 3);
state { used[c: Cell]: bool = false; }
move put(c: Cell) as "{c}" { when not used[c]; used[c] := true; }
end { when #{ c in Cell where used[c] } > 4 => mover wins; }
"#;
    let solved = out(&bouton(&["solve", "-"], marks));
    assert!(solved.contains("policy      B: any move\n"), "{solved}");
}

/// A strategy that keeps a draw does not keep what a mistake of the other gives.
#[test]
fn the_engine_takes_the_win_that_a_mistake_gives() {
    let pairs = r#"
game "Pairs";
players A, B;
board Cell = grid(4, 1);
state { at[c: Cell]: Player? = none; }
move mark(c: Cell) as "{c}" { when at[c] = none; at[c] := me; }
end {
  for p in Player when (at[a1] = p and at[b1] = p) or (at[c1] = p and at[d1] = p) => p wins;
  when (all c in Cell: at[c] != none) => draw;
}
"#;
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pairs.bou");
    std::fs::write(&file, pairs).expect("a file");
    let file = file.to_str().expect("a name");
    let hints = out(&bouton(&["play", file, "--as", "all", "--seed", "1"], "a1\nc1\nhint\nquit\n"));
    assert!(hints.contains("b1: it wins at once"), "{hints}");
}

/// An engine that may move again and again comes to the prompt.
#[test]
fn moves_of_the_engine_that_come_back_end() {
    let again = r#"
game "Again";
players A, B;
state { x: 0..2 = 0; lost: bool = false; }
move turn() as "turn" { x := (x + 1) mod 3; again; }
move give() as "give" { lost := true; }
end { when lost => mover wins; repeat => draw; }
"#;
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("again.bou");
    std::fs::write(&file, again).expect("a file");
    let file = file.to_str().expect("a name");
    let told = out(&bouton(&["play", file, "--as", "B", "--seed", "1"], "quit\n"));
    assert_eq!(told.matches("A: turn").count(), 3, "{told}");
    assert!(told.contains("come back to an earlier position"), "{told}");
}
