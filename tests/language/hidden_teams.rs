//! Three to six players where something is hidden: the best common plan, and equilibria.

use super::{accepts, method, of, proof, solved};
use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_base::rational::Rational;
use bouton_certificates::Lemma;
use bouton_driver::load::GameSource;
use bouton_search::game::Game;
use bouton_search::solve::{Solution, SolveOptions, Status};

fn source(text: &str) -> Game {
    of(GameSource::from_string("a game", text), &[])
}

fn by(game: &Game, name: &str) -> Solution {
    solved(game, &game.machine.initial(), method(name), &SolveOptions::default(), &Limits::default())
}

/// Solves a game in which all get the same; the checker must accept that the plans are an equilibrium.
fn common(game: &Game) -> Rational {
    let solution = by(game, "auto");
    assert_eq!(solution.method, "common-plan", "{:?}", solution.reason);
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.reason);
    assert_eq!(accepts(game, &proof(game, &solution)), Ok(()));
    let payoffs = solution.value.expect("a value").payoffs;
    assert!(payoffs.iter().all(|payoff| *payoff == payoffs[0]));
    payoffs[0].clone()
}

/// Greenberger, Horne, Zeilinger (1989): without quantum states three players win three of four questions.
#[test]
fn three_players_answer_three_questions_of_four() {
    let game = source(
        "game \"Three questions\"; players A, B, C; phases { setup ask by chance; answer by each; }
         state { q[p: Player]: 0..1 = 0 visible to p; a[p: Player]: 0..1? = none; }
         private chance asks(x: 0..1, y: 0..1, z: 0..1) in ask {
           when (x + y + z) mod 2 = 0; q[A] := x; q[B] := y; q[C] := z; continue answer; }
         private move answers(k: 0..1) in answer { a[me] := k; }
         def either: 0..1 = if (some p in Player: q[p] = 1) then 1 else 0;
         end { when a[A] != none => payoff p: if (a[A] + a[B] + a[C]) mod 2 = either then 1 else 0; }",
    );
    assert_eq!(common(&game), Rational::new(3, 4));
}

/// Players in a row with hats, each of whom sees those in front of him: all but the first can be right for sure.
#[test]
fn all_but_the_first_in_a_row_name_their_hats() {
    for (players, names) in [(3, "A, B, C"), (4, "A, B, C, D")] {
        let letters: Vec<&str> = names.split(", ").collect();
        let list = |part: &dyn Fn(&str) -> String| letters.iter().map(|name| part(name)).collect::<Vec<_>>();
        let draws = list(&|name| format!("{}: bool", name.to_lowercase())).join(", ");
        let puts = list(&|name| format!("hat[{name}] := {};", name.to_lowercase())).join(" ");
        let sees: String = (0..players - 1)
            .map(|at| {
                let seen: Vec<String> = letters[at + 1..].iter().map(|name| format!("hat[{name}]")).collect();
                let seen = seen.join(", ");
                let seen = if at + 2 < players { format!("({seen})") } else { seen };
                format!("sees {}: {seen}; ", letters[at])
            })
            .collect();
        let game = source(&format!(
            "game \"A row\"; players {names}; phases {{ setup deal by chance; say; }}
             state {{ hat[p: Player]: bool = false hidden; right: 0..{players} = 0; said: 0..{players} = 0; }}
             private chance puts({draws}) in deal {{ {puts} continue say; }} {sees}
             move says(x: bool) in say {{ if hat[me] = x {{ right += 1; }} said += 1; }}
             end {{ when said = {players} => payoff p: right; }}"
        ));
        assert_eq!(common(&game), Rational::new(2 * players as i64 - 1, 2));
    }
}

/// Two draws that lead to one position count twice.
#[test]
fn ways_of_chance_to_one_position_add_up() {
    let game = source(
        "game \"Heavier\"; players A, B, C; phases { setup deal by chance; say by each; }
         state { heavy: bool = false hidden; said[p: Player]: bool? = none; }
         private chance deals(x: 0..3) in deal { heavy := x != 0; continue say; }
         private move says(x: bool) in say { said[me] := x; }
         end {
           when said[A] != none => payoff p: if not (all q in Player: said[q] = heavy) then 0
             else if heavy then 2 else 5; }",
    );
    assert_eq!(common(&game), Rational::new(3, 2));
}

/// Selten (1975): the third player does not know which of the others sends play to him.
#[test]
fn an_equilibrium_of_three_is_told_and_proved() {
    let game = source(
        "game \"The horse\"; players A, B, C; phases { first; second; third; }
         enum Sender { nobody, by_first, by_second }
         state { sender: Sender = nobody hidden; left: bool? = none; over: bool = false; }
         private move down() in first by A { sender := by_first; continue second; next B; }
         private move on() in first by A { continue second; next B; }
         private move wait() in second by B { when sender = by_first; continue third; next C; }
         private move down2() in second by B { when sender != by_first; sender := by_second; continue third; next C; }
         move stop() in second by B { when sender != by_first; over := true; }
         move side(l: bool) in third by C { left := l; }
         sees B: sender = by_first;
         def of(p: Player, a: 0..4, b: 0..4, c: 0..4): 0..4 = if p = A then a else if p = B then b else c;
         end {
           when over => payoff p: 1;
           when left != none and sender = by_first => payoff p: if left = true then of(p, 3, 2, 2) else 0;
           when left != none => payoff p: if left = true then of(p, 4, 4, 0) else of(p, 0, 0, 1); }",
    );
    let solution = by(&game, "auto");
    assert_eq!(solution.method, "best-responses");
    assert_eq!(solution.status, Status::Unknown);
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    let [Lemma::Profile(profile)] = &solution.strategy[..] else { panic!("a profile") };
    // Without mistakes (D, a, L) would be one as well, in which the second player gives up 4 for 1.
    let all = |payoff: i64| vec![Rational::new(payoff, 1); 3];
    assert_eq!(profile.payoffs, all(1));
    // Another share of a choice is refused.
    let mut false_claim = proof(&game, &solution);
    let replaced = false_claim.lemmas.iter_mut().find_map(|lemma| match lemma {
        Lemma::Profile(profile) => Some(profile),
        _ => None,
    });
    let profile = replaced.expect("a profile");
    let set = profile.sets.iter_mut().find(|set| set.choices.0.len() == 2).expect("a choice of two");
    set.choices.0.reverse();
    assert!(accepts(&game, &false_claim).is_err());
}

/// Each of three players wants to show what the next one shows, but the last one what the first one does not: whatever they
/// show, somebody would rather have shown the other side.
#[test]
fn three_players_at_once_toss_coins_where_no_choices_are_stable() {
    let text = "game \"Ring of pennies\"; players A, B, C; phases { pick by each; }
         state { coin[p: Player]: 0..2 = 0; }
         move show(k: 1..2) in pick { coin[me] := k; }
         def after(p: Player): Player = if p = A then B else if p = B then C else A;
         end { when coin[A] > 0 => payoff p: if (coin[p] = coin[after(p)]) = (p != C) then 3 else 0; }";
    let game = source(text);
    let solution = by(&game, "auto");
    assert_eq!(solution.method, "best-responses");
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    let [Lemma::Profile(profile)] = &solution.strategy[..] else { panic!("a profile") };
    assert_eq!(profile.payoffs, vec![Rational::new(3, 2); 3]);
    // Where one combination is stable, nobody tosses.
    let stable = source(&text.replace("(p != C)", "(p = p)"));
    assert_eq!(by(&stable, "auto").method, "pure-equilibrium");
    let tossed = by(&stable, "best-responses");
    assert_eq!(accepts(&stable, &proof(&stable, &tossed)), Ok(()), "{:?}", tossed.reason);
    // In turns, the method does not fit.
    let turns = source(&text.replace("pick by each", "pick").replace("coin[A] > 0", "coin[C] > 0"));
    assert_eq!(by(&turns, "best-responses").reason.as_deref(), Some("nothing is hidden from any player"));
}

#[test]
fn methods_for_other_numbers_of_players_say_so() {
    let text = |players: &str| {
        source(&format!(
            "game \"Coins\"; players {players};
             state {{ coin[p: Player]: bool? = none hidden; said: 0..7 = 0; }}
             private move put(k: bool) {{ coin[me] := k; said += 1; }}
             end {{ when said = #Player => payoff p: if (count q in Player: coin[q] = coin[p]) = 1 then 1 else 0; }}"
        ))
    };
    let reason = |game: &Game, name: &str| by(game, name).reason.unwrap_or_default();
    let two = text("A, B");
    assert_eq!(
        reason(&two, "best-responses"),
        "an equilibrium of one player or two is found by `sequence-form`"
    );
    let three = text("A, B, C");
    assert!(reason(&three, "sequence-form").contains("games of one player and of two"));
    assert!(reason(&three, "cfr").contains("games of one player and of two"));
    assert_eq!(reason(&three, "common-plan"), "the players do not always get the same payoff");
    let six = text("A, B, C, D, E, F");
    assert_eq!(accepts(&six, &proof(&six, &by(&six, "auto"))), Ok(()));
    let seven = text("A, B, C, D, E, F, G");
    assert!(reason(&seven, "auto").contains("games of at most 6 are solved"));
}

/// Random games of three with one bit seen by each and one choice each: the best plans of all by brute force.
#[test]
fn the_best_common_plan_is_that_of_all_plans() {
    let mut random = SplitMix::new(7);
    for _ in 0..20 {
        // The payoff by the bits of the three and by their choices.
        let worth: Vec<u64> = (0..64).map(|_| random.word() % 5).collect();
        let listed: Vec<String> = worth.iter().map(u64::to_string).collect();
        let game = source(&format!(
            "game \"Bits\"; players A, B, C; phases {{ setup deal by chance; say; }}
             const worth[i: 0..63]: 0..4 = [{}][i + 1];
             state {{ bit[p: Player]: 0..1 = 0 visible to p; said[p: Player]: 0..1? = none hidden; done: 0..3 = 0; }}
             private chance deals(a: 0..1, b: 0..1, c: 0..1) in deal {{
               bit[A] := a; bit[B] := b; bit[C] := c; continue say; }}
             private move says(k: 0..1) in say {{ said[me] := k; done += 1; }}
             def both(p: Player): 0..3 = 2 * bit[p] + (if said[p] = 1 then 1 else 0);
             end {{ when done = 3 => payoff p: worth[16 * both(A) + 4 * both(B) + both(C)]; }}",
            listed.join(", ")
        ));
        let mut best = 0;
        for plans in 0..64u64 {
            // Two bits of each player: his choice by what he sees.
            let says = |player: u64, bit: u64| plans >> (2 * player + bit) & 1;
            let sum: u64 = (0..8u64)
                .map(|deal| {
                    let both = |player: u64| {
                        let bit = deal >> (2 - player) & 1;
                        2 * bit + says(player, bit)
                    };
                    worth[(16 * both(0) + 4 * both(1) + both(2)) as usize]
                })
                .sum();
            best = best.max(sum);
        }
        assert_eq!(common(&game), Rational::new(best as i64, 8));
    }
}

/// A hidden player acts, and a player who is asked whether it was himself knows that: a move is seen with its maker.
#[test]
fn a_player_knows_his_own_moves_from_those_of_others() {
    let game = source(
        "game \"Was it me\"; players A, B; phases { setup deal by chance; act by actor; ask by A; }
         state { actor: Player = A hidden; said: Player? = none; }
         private chance deals(p: Player) in deal { actor := p; continue act; next A; }
         move knock(k: 1..2) in act { continue ask; next A; }
         move guesses(p: Player) in ask { said := p; }
         end { when said != none => payoff p: if (said = actor) = (p = A) then 1 else -1; }",
    );
    let solution = by(&game, "auto");
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    assert_eq!(solution.value.expect("a value").payoffs, [1, -1].map(Rational::from));
    // Of players who choose at once by public moves, too.
    let who = |end: &str| {
        source(&format!(
            "game \"Who waved\"; players A, B, C; phases {{ setup deal by chance; show by each; guess by C; }}
             state {{ waver: Player = A visible to {{ A, B }}; said: Player? = none; }}
             private chance deals(p: Player) in deal {{ when p != C; waver := p; continue show; }}
             move wave() in show {{ when me != C and waver = me; continue guess; }}
             private move hush() in show {{ when me != C and waver != me; continue guess; }}
             move guesses(p: Player) in guess {{ when p != C; said := p; }}
             end {{ {end} }}"
        ))
    };
    assert_eq!(
        common(&who("when said != none => payoff p: if said = waver then 1 else 0;")),
        Rational::from(1)
    );
    let game = who("when said != none and said = waver => C wins; when said != none => draw;");
    let solution = by(&game, "auto");
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    assert_eq!(solution.method, "sure-win");
}

/// Lines of a strategy tell what tells the player's positions apart: the phase, who moved, or when.
#[test]
fn lines_of_a_strategy_differ_in_what_the_player_sees() {
    for (text, wanted) in [
        (
            "game \"Early\"; players A, B, C; phases { setup deal by chance; early by A; late by A; }
             state { at: 1..2 = 1 hidden; said: 1..2? = none; }
             private chance deals(k: 1..2) in deal {
               at := k; if k = 1 { continue early; } else { continue late; } next A; }
             move pick(k: 1..2) in early, late { said := k; }
             end { when said != none => payoff p: if said = at then 1 else 0; }",
            ["in the phase early: pick(1) always", "in the phase late: pick(2) always"],
        ),
        (
            "game \"Rings\"; players A, B, C; phases { setup deal by chance; night by A; day by A; guess by B; }
             state { at: 1..2 = 1 hidden; rang: bool = false visible to B; said: 1..2? = none; }
             private chance deals(k: 1..2) in deal { at := k; continue night; next A; }
             private move sleeps() in night { if at = 1 { rang := true; } continue day; next A; }
             private move wakes() in day { rang := true; continue guess; next B; }
             move guesses(k: 1..2) in guess { said := k; }
             end { when said != none => payoff p: if said = at then 1 else 0; }",
            [
                "with rang = true, after (rang = true) in ply 2: guesses(1) always",
                "with rang = true, after (rang = true) in ply 3: guesses(2) always",
            ],
        ),
    ] {
        let game = source(text);
        let lines = bouton_report::mixed::lines(&game, &by(&game, "auto"));
        let told: Vec<&str> = lines.iter().map(|(_, words)| &words[..]).collect();
        assert_eq!(told, wanted);
    }
}
