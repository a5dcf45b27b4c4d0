//! Games as newcomers write them, through the commands of the binary: the sentences that they read.

mod best_moves;
mod command_lines;
mod values;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use values::{OWARE, TWIN_DICE, WAR};

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
    assert_eq!(written.status.code(), Some(2));
    assert!(out(&written).is_empty());
    assert!(err(&written).contains("a position can come back"), "{}", err(&written));
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

/// Where positions come back, a move that comes no nearer to an end may keep the value as well.
#[test]
fn other_moves_that_keep_the_value_are_not_denied() {
    let to_and_fro = "game \"To and fro\"; players Bob, Ann; state { at: 0..2 = 0; }\n\
                      move go(j: 0..2) as \"{j}\" { when at = 0 and j > 0 or at = 1 and j != 1; at := j; }\n\
                      end { when at = 2 => draw; repeat => Bob wins; }";
    let (file, told) = played_as_bob(to_and_fro, "why\nhint\nquit\n");
    assert!(told.contains("it keeps the draw"), "{told}");
    assert!(!told.contains("only this move"), "{told}");
    let _ = std::fs::remove_dir_all(file.parent().expect("a folder"));
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
