//! Mixed strategies without choices that lose whatever comes after them, also where only a mistake leads to them.

use super::{accepts, method, of, proof, solved};
use bouton_base::limits::Limits;
use bouton_driver::load::GameSource;
use bouton_search::solve::{SolveOptions, Status};

const RAISES: &str = r#"
game "Raise poker";
param n: 3..8 = 4;
players A, B;
phases { setup deal by chance; bet; }
state {
  card[p: Player]: 0..8 = 0 visible to p;
  put_[p: Player]: 1..5 = 1;
  checks: 0..2 = 0;
  folded: Player? = none;
  closed: bool = false;
  raises: 0..2 = 0;
}
private chance deals(x: 1..n, y: 1..n) in deal as "{x}{y}" { when x != y; card[A] := x; card[B] := y; continue bet; }
move check_() in bet as "check" {
  when put_[A] = put_[B];
  if checks = 1 { closed := true; }
  checks := min(2, checks + 1);
}
move bet_() in bet as "raise" { when raises < 2; put_[me] := put_[opponent] + 2; raises += 1; }
move fold() in bet as "fold" { when put_[me] < put_[opponent]; folded := me; }
move call() in bet as "call" { when put_[me] < put_[opponent]; put_[me] := put_[opponent]; closed := true; }
def high = if card[A] > card[B] then A else B;
end {
  when folded != none => payoff p: if p = folded then -put_[p] else put_[folded];
  when closed => payoff p: if p = high then put_[A] else -put_[A];
}
"#;

/// The player with the highest card never folds, and the certificate has the strategies that are told.
#[test]
fn the_highest_card_is_never_folded() {
    for n in [3, 4, 5] {
        let game = of(GameSource::from_string("a game", RAISES), &[&format!("n={n}")]);
        for name in ["auto", "cfr"] {
            let start = game.machine.initial();
            let solution = solved(&game, &start, method(name), &SolveOptions::default(), &Limits::default());
            if solution.status == Status::Solved {
                assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()), "{name} {n}");
            }
            let play = solution.mixed.expect("strategies");
            let told = bouton_report::mixed::strategy_lines(&game, &*play, 1000);
            let highest = |words: &&String| {
                words.contains(&format!("card[A] = {n}")) || words.contains(&format!("card[B] = {n}"))
            };
            let lines: Vec<&String> = told.iter().map(|(_, words)| words).filter(highest).collect();
            assert!(!lines.is_empty(), "{told:?}");
            assert!(!lines.iter().any(|words| words.contains("fold")), "{name} {n}: {lines:?}");
        }
    }
}
