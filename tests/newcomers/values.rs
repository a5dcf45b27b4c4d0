//! Values of games of several kinds.

use super::{bouton, err, out};

pub const OWARE: &str = r#"
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

pub const TWIN_DICE: &str = r#"
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

pub const WAR: &str = r#"
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
        // No claim depends on what else the machine does.
        let tested = bouton(&["test", "-", "--time", "60s"], game);
        assert!(
            out(&tested).contains(" passed, 0 failed, 0 unknown"),
            "{game}\n{}{}",
            out(&tested),
            err(&tested)
        );
    }
}
