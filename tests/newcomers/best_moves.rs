//! Best moves as a few rules on the position.

use super::{bouton, out};

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
    for rule in ["with die <= left + 2: again", "with die > left + 2: keep"] {
        assert!(told.contains(rule), "{told}");
    }
    let data = out(&bouton(&["solve", "-", "--json"], game));
    assert!(data.contains(r#"{"when":["die > left + 2"],"move":"keep"}"#), "{data}");
    let page = out(&bouton(&["report", "-", "--format", "text"], game));
    assert!(page.contains("with die <= left + 2: again; with die > left"), "{page}");
}

/// A stake of 2 is illegal at 7, where no best play comes.
#[test]
fn rules_say_no_more_than_their_positions() {
    let bold = "game \"Bold play\"; player Gambler; phases { stake; spin by chance; } state { x: 0..8 = 3; bet: 0..8 = 0; }
        move bets(k: 1..8) in stake as \"{k}\" { when k <= x and x + k <= 8; bet := k; continue spin; }
        chance gains() in spin { weight 2; x += bet; bet := 0; }
        chance loses_() in spin { weight 3; x -= bet; bet := 0; }
        end { when x = 8 => win; when x = 0 => lose; }";
    let told = out(&bouton(&["solve", "-"], bold));
    assert!(told.contains("with x = 6: 2"), "{told}");
    assert!(!told.contains("x >= "), "{told}");
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
