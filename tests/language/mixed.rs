//! Mixed strategies: simultaneous choices, hidden information, and their certificates.

use std::time::Duration;

use super::{accepts, checked, method, of, proof, serious, set, slow, solved, tested};
use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_base::rational::Rational;
use bouton_certificates::profile::ProfileSet;
use bouton_certificates::{Claim, Lemma, ProfileLemma};
use bouton_driver::load::GameSource;
use bouton_search::game::{Backend, Game};
use bouton_search::solve::mixed::game_tree::{GameTree, InformationSet};
use bouton_search::solve::mixed::play::StrategyProfile;
use bouton_search::solve::{Solution, SolveOptions, Status};

fn by(game: &Game, name: &str) -> Solution {
    solved(game, &game.machine.initial(), method(name), &SolveOptions::default(), &Limits::default())
}

fn source(text: &str) -> Game {
    of(GameSource::from_string("a game", text), &[])
}

/// Solves a game by a method; the checker must accept a certificate of the value.
fn value(game: &Game, name: &str) -> Vec<Rational> {
    let solution = by(game, name);
    assert_eq!(solution.status, Status::Solved, "{}: {:?}", game.rules.name, solution.reason);
    assert_eq!(accepts(game, &proof(game, &solution)), Ok(()), "{}", game.rules.name);
    solution.value.expect("a value").payoffs
}

fn pair(above: i64, below: i64) -> Vec<Rational> {
    vec![Rational::new(above, below), Rational::new(-above, below)]
}

#[test]
fn games_of_simultaneous_choices_have_their_values() {
    for backend in [Backend::Reference, Backend::Interp] {
        assert_eq!(value(&set("matching_pennies", &[], backend), "auto"), pair(0, 1));
    }
    let of = |name: &str, settings: &[&str]| value(&set(name, settings, Backend::Jit), "auto");
    assert_eq!(of("rock_paper_scissors", &[]), pair(0, 1));
    assert_eq!(of("morra", &[]), pair(0, 1));
    assert_eq!(of("goofspiel", &["n=3"]), value(&set("goofspiel", &["n=3"], Backend::Jit), "matrix"));
    assert_eq!(of("goofspiel", &["n=4"]), pair(7, 12));
    assert_eq!(of("goofspiel", &["n=4", "head_start=0"]), pair(0, 1));
}

#[test]
fn small_poker_and_dice_have_their_values() {
    for backend in [Backend::Reference, Backend::Interp] {
        assert_eq!(value(&set("kuhn_poker", &[], backend), "auto"), pair(-1, 18));
    }
    assert_eq!(value(&set("liars_dice", &["faces=2"], Backend::Jit), "auto"), pair(1, 2));
    assert_eq!(value(&set("liars_dice", &["faces=3"], Backend::Jit), "sequence-form"), pair(1, 9));
}

#[test]
fn regret_minimization_encloses_the_value() {
    let game = set("kuhn_poker", &[], Backend::Jit);
    let solution = by(&game, "cfr");
    let value = Rational::new(-1, 18);
    let (low, high) = match (&solution.value, solution.bounds.clone()) {
        (Some(value), _) => (value.payoffs[0].clone(), value.payoffs[0].clone()),
        (None, Some(bounds)) => (bounds.low.expect("a bound"), bounds.high.expect("a bound")),
        _ => panic!("{solution:?}"),
    };
    assert!(low <= value && value <= high, "{low} {high}");
    assert!(high.to_f64() - low.to_f64() < 1e-5, "{low} {high}");
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
}

#[test]
fn leduc_has_its_value() {
    if !slow() {
        return;
    }
    let wanted: Rational =
        "-1454920850547486749701863871533/16995463438839962469905132501930".parse().expect("a fraction");
    let second = -&wanted;
    assert_eq!(value(&set("leduc_holdem", &[], Backend::Jit), "auto"), [wanted, second]);
}

/// A searcher and an evader who do not see each other walk on a ring: a program of some ten thousand entries.
#[test]
fn unseen_walkers_have_their_values() {
    let walkers = |cells: u32, steps: u32| {
        source(&format!(
            "game \"Ring\"; players Seeker, Hider; phases {{ start by each; step by each; }} board R = ring({cells});
             state {{ at[p: Player]: R? = none visible to p; time: 0..{steps} = 0; met: bool = false; }}
             private move begin(r: R) in start {{
               at[me] := r;
               then {{ if at[Seeker] = at[Hider] {{ met := true; }} continue step; }}
             }}
             private move go(r: R) in step {{
               when r = at[me] or r in at[me].neighbors;
               at[me] := r; time := time + 1;
               then {{ if at[Seeker] = at[Hider] {{ met := true; }} continue step; }}
             }}
             end {{ when met => Seeker wins; when time = {steps} => Hider wins; }}"
        ))
    };
    for (cells, steps, worth) in [(3, 2, (11, 27)), (4, 2, (1, 10)), (4, 3, (115, 378))] {
        assert_eq!(
            value(&walkers(cells, steps), "auto")[0],
            Rational::new(worth.0, worth.1),
            "{cells} {steps}"
        );
    }
}

#[test]
fn larger_dice_have_their_values_by_the_choices_that_matter() {
    // Too large for a linear program over all sequences.
    let of = |faces: u32| value(&set("liars_dice", &[&format!("faces={faces}")], Backend::Jit), "auto");
    assert_eq!(of(5), pair(1, 125));
    if slow() {
        assert_eq!(of(6), pair(-7, 258));
    }
}

#[test]
fn interests_that_are_not_opposed_have_a_value_if_there_is_one_equilibrium() {
    let dilemma = by(&set("prisoners_dilemma", &[], Backend::Jit), "auto");
    assert_eq!(dilemma.value.expect("one equilibrium").payoffs, [(-5).into(), (-5).into()]);
    let stag = by(&set("stag_hunt", &[], Backend::Jit), "auto");
    assert_eq!(stag.status, Status::Unknown);
    let reason = stag.reason.expect("a reason");
    assert!(reason.contains("3 equilibria, worth (4, 4), (3, 3) twice"), "{reason}");
    let matrix = stag.mixed.as_ref().and_then(|play| play.matrix.as_ref()).expect("a matrix");
    assert_eq!(matrix.equilibria.as_ref().expect("small").extreme.len(), 3);
    let chicken = by(&set("chicken", &[], Backend::Jit), "auto");
    assert!(chicken.reason.expect("a reason").contains("(-1/10, -1/10)"));
}

#[test]
fn the_guest_of_monty_hall_changes_doors() {
    // To change wins unless the first door was right, and then takes one of the other closed doors.
    for doors in 3..=6 {
        let wanted = Rational::new(doors - 1, doors * (doors - 2));
        let game = set("monty_hall", &[&format!("doors={doors}")], Backend::Jit);
        assert_eq!(value(&game, "auto"), [wanted], "{doors}");
    }
}

/// The codes of a game of Mastermind.
fn codes(pegs: u32, colours: usize) -> Vec<Vec<usize>> {
    let longer = |codes: Vec<Vec<usize>>, _| {
        let with = |code: &Vec<usize>, colour| [&code[..], &[colour]].concat();
        codes.iter().flat_map(|code| (0..colours).map(move |colour| with(code, colour))).collect()
    };
    (0..pegs).fold(vec![Vec::new()], longer)
}

/// The answer to a guess: the pegs that fit, and those that fit if places do not count.
fn answer(guess: &[usize], code: &[usize]) -> (usize, usize) {
    let count = |of: &[usize], colour| of.iter().filter(|peg| **peg == colour).count();
    let black = guess.iter().zip(code).filter(|(one, other)| one == other).count();
    (black, (0..6).map(|colour| count(guess, colour).min(count(code, colour))).sum())
}

/// The fewest guesses for all these codes together; a code that is not guessed in time counts one more.
fn fewest_guesses(all: &[Vec<usize>], left: &[Vec<usize>], guesses: u32) -> usize {
    if guesses == 0 || left.is_empty() {
        return left.len();
    }
    let total = |guess: &Vec<usize>| {
        let mut classes = std::collections::BTreeMap::<_, Vec<Vec<usize>>>::new();
        left.iter().filter(|code| *code != guess).for_each(|code| {
            classes.entry(answer(guess, code)).or_default().push(code.clone());
        });
        left.len() + classes.values().map(|class| fewest_guesses(all, class, guesses - 1)).sum::<usize>()
    };
    all.iter().map(total).min().unwrap_or(0)
}

#[test]
fn mastermind_takes_as_many_guesses_as_all_ways_of_guessing_show() {
    for (pegs, colours, guesses) in
        [(1, 2, 2), (1, 4, 3), (2, 2, 1), (2, 2, 3), (2, 3, 1), (2, 3, 2), (2, 3, 3), (3, 2, 2)]
    {
        let all = codes(pegs, colours);
        let wanted = -Rational::new(fewest_guesses(&all, &all, guesses) as i64, all.len() as i64);
        let settings = [format!("pegs={pegs}"), format!("colours={colours}"), format!("guesses={guesses}")];
        let game = set("mastermind", &settings.each_ref().map(String::as_str), Backend::Jit);
        assert_eq!(value(&game, "auto"), std::slice::from_ref(&wanted), "{settings:?}");
        if guesses == 1 {
            // The general search finds the same.
            assert_eq!(value(&game, "cfr"), [wanted], "{settings:?}");
        }
    }
}

/// Guess a number: after each guess you learn if it is lower or higher.
const GUESS: &str = r#"
game "Guess a number";
param n: 1..40 = 5;
player You;
phases { hide by chance; ask; }
enum Answer { unknown, lower, higher, equal }
state { secret: 1..n = 1 hidden; answer: Answer = unknown; asked: 0..n = 0; }
private chance hide_number(k: 1..n) in hide as "({k})" { secret := k; continue ask; }
move guess(k: 1..n) in ask as "{k}" {
  when asked < n;
  asked += 1;
  answer := if secret < k then lower else if secret > k then higher else equal;
  continue ask;
}
end {
  when answer = equal => payoff p: -asked;
  when asked = n => payoff p: -(n + 1);
}
"#;

#[test]
fn what_a_single_player_believes_is_all_he_needs_to_know() {
    for n in [5, 9, 12] {
        let game = of(GameSource::from_string("guess", GUESS), &[&format!("n={n}")]);
        // Halving: one number is guessed at once, two more with the second guess, then four, and so on.
        let guesses: i64 = (1..=n).map(|place: i64| i64::from(place.ilog2()) + 1).sum();
        assert_eq!(value(&game, "auto"), [Rational::new(-guesses, n)], "{n}");
        assert!(by(&game, "auto").positions < 10_000, "{n}");
        // Only plays by this strategy are told.
        let play = by(&game, "auto").mixed.expect("a strategy");
        let told = bouton_report::mixed::strategy_lines(&game, &*play, 12);
        assert!(told.iter().all(|(_, line)| !line.contains("after 1, ")), "{told:?}");
    }
}

/// Trees for other programs have the information sets of a player who remembers all.
#[test]
fn other_programs_get_all_that_a_player_remembers() {
    let game = source(GUESS);
    let (from, limits) = (game.machine.initial(), Limits::default());
    let all: GameTree = GameTree::with_all_memory(&game, &from, &limits).ok().expect("a tree");
    let merged: GameTree = GameTree::build(&game, &from, &limits).ok().expect("a tree");
    // Where the player remembers all, his sets of a ply tell his moves before apart.
    let is_remembered = |set: &InformationSet| {
        set.nodes.iter().all(|&node| all.nodes[node as usize].sequences[0] == set.parent)
    };
    assert!(all.sets[0].iter().all(is_remembered));
    assert!(merged.sets[0].len() * 10 < all.sets[0].len());
}

/// A puzzle whose secret goes its way unseen: chance draws it, each of two moves shows something of it and changes it, and
/// the last secret is what the player gets.
struct Secret {
    weights: Vec<usize>,
    shows: Vec<usize>,
    changes: Vec<usize>,
    worth: Vec<usize>,
    moves: usize,
}

impl Secret {
    const KINDS: usize = 3;

    fn random(random: &mut SplitMix) -> Secret {
        let mut numbers = |count: usize, least: u64, most: u64| -> Vec<usize> {
            (0..count).map(|_| (least + random.word() % (most - least + 1)) as usize).collect()
        };
        Secret {
            weights: numbers(Secret::KINDS, 1, 3),
            shows: numbers(2 * Secret::KINDS, 0, 1),
            changes: numbers(2 * Secret::KINDS, 0, 2),
            worth: numbers(Secret::KINDS, 0, 9),
            moves: numbers(1, 2, 4)[0],
        }
    }

    fn game(&self) -> Game {
        let Secret { weights, shows, changes, worth, moves } = self;
        source(&format!(
            r#"
            game "Secret";
            param weights: list of 1..3 = {weights:?};
            param shows: list of 0..1 = {shows:?};
            param changes: list of 0..2 = {changes:?};
            param worth: list of 0..9 = {worth:?};
            player You;
            phases {{ hide by chance; act; }}
            state {{ secret: 0..2 = 0 hidden; shown: 0..1 = 0; made: 0..{moves} = 0; }}
            private chance put(k: 0..2) in hide as "({{k}})" {{
              weight weights[k + 1];
              secret := k;
              continue act;
            }}
            move act(a: 0..1) in act as "{{a}}" {{
              when made < {moves};
              shown := shows[a * 3 + secret + 1];
              secret := changes[a * 3 + secret + 1];
              made += 1;
              continue act;
            }}
            end {{ when made = {moves} => payoff p: worth[secret + 1]; }}
            "#
        ))
    }

    /// The payoff of the best plan, times the sum of all weights: the histories of each plan are followed one by one.
    fn best(&self, left: &[(usize, usize)], moves: usize) -> usize {
        if moves == 0 {
            return left.iter().map(|(secret, weight)| weight * self.worth[*secret]).sum();
        }
        let by_move = |action: usize| -> usize {
            let place = |secret: usize| action * Secret::KINDS + secret;
            let shown = |of: usize| {
                let seen = left.iter().filter(|(secret, _)| self.shows[place(*secret)] == of);
                let after: Vec<_> =
                    seen.map(|(secret, weight)| (self.changes[place(*secret)], *weight)).collect();
                self.best(&after, moves - 1)
            };
            shown(0) + shown(1)
        };
        by_move(0).max(by_move(1))
    }
}

#[test]
fn puzzles_with_a_secret_are_worth_what_all_plans_show() {
    let mut random = SplitMix::new(20);
    for number in 0..if slow() { 200 } else { 25 } {
        let puzzle = Secret::random(&mut random);
        let first: Vec<_> = puzzle.weights.iter().copied().enumerate().collect();
        let total: usize = puzzle.weights.iter().sum();
        let wanted = Rational::new(puzzle.best(&first, puzzle.moves) as i64, total as i64);
        assert_eq!(value(&puzzle.game(), "auto"), [wanted], "number {number}");
    }
}

/// Solves a game by the method that is chosen, with strategies; the checker must accept their certificate.
fn with_strategies(game: &Game) -> Solution {
    let options = SolveOptions { max_strategy_positions: 1_000, ..SolveOptions::default() };
    let solution = solved(game, &game.machine.initial(), method("auto"), &options, &Limits::default());
    assert_eq!(accepts(game, &proof(game, &solution)), Ok(()), "{}", game.rules.name);
    solution
}

/// The players choose again and again until they differ: the first wins by 2 against 1. Each can always show 2, which
/// does not lose.
#[test]
fn choices_that_come_back_have_their_value() {
    let again = "game \"Again\"; players A, B; phases { show by each; }\n\
        state { shown[p: Player]: 1..2? = none; }\n\
        move show(k: 1..2) in show { shown[me] := k; then { if me = A and shown[A] = shown[B] \
          { shown[A] := none; shown[B] := none; } } }\n\
        end { when shown[A] = 2 => A wins; when shown[B] = 2 => B wins; repeat => draw; }";
    let value = with_strategies(&source(again)).value.expect("a value");
    assert_eq!(value.payoffs, pair(0, 1));
    // If play without end is lost for A, he has to show 2 as well.
    let lost = again.replace("repeat => draw", "repeat => B wins");
    let value = with_strategies(&source(&lost)).value.expect("a value");
    assert_eq!(value.payoffs, [-Rational::ONE, Rational::ONE]);
}

/// Two walk towards each other with a bullet each; at step i of n a shot hits with the probability i / n, and the second's
/// shot comes a step late. Between bounds with a denominator of a power of ten, the value is 1 / n (Karlin 1959 for steps as
/// short as you like; here by hand: the first shoots at the second step, and before it the second's shot never hits).
#[test]
fn values_are_exact_where_the_simplest_fractions_can_be_kept() {
    for steps in [3, 7] {
        let duel = format!(
            "game \"Walk\"; players A, B; phases {{ walk by each; hit by chance; }}\n\
            state {{ at: 1..{steps} = 1; fires[p: Player]: bool = false; has[p: Player]: bool = true; dead: set of Player = {{}}; }}\n\
            def aim(p: Player) = if p = A then at else at - 1;\n\
            move shoot() in walk {{ when has[me]; fires[me] := true; has[me] := false; continue hit; }}\n\
            move wait() in walk {{ fires[me] := false; continue hit; }}\n\
            chance shots(x: bool, y: bool) in hit {{\n\
              when (x implies fires[A]) and (y implies fires[B]);\n\
              weight (if not fires[A] then 1 else if x then aim(A) else {steps} - aim(A))\n\
                * (if not fires[B] then 1 else if y then aim(B) else {steps} - aim(B));\n\
              if x {{ dead |= {{ B }}; }} if y {{ dead |= {{ A }}; }}\n\
              fires[A] := false; fires[B] := false; if at < {steps} {{ at += 1; }} then {{ continue walk; }} }}\n\
            end {{ when A in dead and B in dead => draw; for p in Player when p in dead => p loses;\n\
              when phase = walk and all p in Player: not has[p] => draw; repeat => draw; }}"
        );
        let value = with_strategies(&source(&duel)).value.expect("an exact value");
        assert_eq!(value.payoffs, pair(1, steps));
    }
}

/// A runs while B does not look, or is caught; looking in vain lets him go. He can come as near as he likes to escaping for
/// certain, but no strategy does (Everett 1957).
#[test]
fn bounds_come_near_a_value_that_no_strategy_reaches() {
    let hide = source(
        "game \"Hide and run\"; players A, B; phases { go by each; }\n\
        state { bold[p: Player]: bool = false; met: bool = false; }\n\
        move act() in go { bold[me] := true; then { met := true; } }\nmove wait() in go { bold[me] := false; }\n\
        end { when met and bold[A] and bold[B] => B wins; when met => A wins; repeat => B wins; }",
    );
    let solution = with_strategies(&hide);
    assert_eq!(solution.value, None);
    let bounds = solution.bounds.expect("bounds");
    let [low, high] = [bounds.low, bounds.high].map(|bound| bound.expect("a bound").to_f64());
    assert!(low > 0.99 && low < 1.0, "{low}");
    assert!(high >= 1.0, "{high}");
}

/// Two rooms with a matrix each: a round is the last one with the chance of one in three. The values come from iteration
/// by hand, and neither strategy can be exploited.
#[test]
fn chance_that_ends_play_some_day_needs_no_rule_for_infinite_play() {
    let rooms = "game \"Two rooms\"; players A, B; enum Room { First, Second }\n\
        phases { play by each; fate by chance; }\n\
        state { room: Room = First; over: bool = false; a: bool = false; b: bool = false; }\n\
        move aye() in play { if me = A { a := true; } else { b := true; } continue fate; }\n\
        move nay() in play { if me = A { a := false; } else { b := false; } continue fate; }\n\
        chance stop() in fate { over := true; }\n\
        chance go() in fate { weight 2; room := if a = b then First else Second; continue play; }\n\
        def first = if a and b then 3 else if a or b then -1 else 1;\n\
        def second = if a then 2 else if b then -2 else 0;\n\
        end { when over => payoff p: (if room = First then first else second) * (if p = A then 1 else -1); }";
    let game = source(rooms);
    let solution = with_strategies(&game);
    assert_eq!(solution.status, Status::Enclosed, "{:?}", solution.reason);
    let round = |first: bool, a: bool, b: bool, [left, right]: [f64; 2]| {
        let now = match (first, a, b) {
            (true, true, true) => 3.0,
            (true, false, false) => 1.0,
            (true, ..) => -1.0,
            (false, true, _) => 2.0,
            (false, false, true) => -2.0,
            (false, false, false) => 0.0,
        };
        now / 3.0 + 2.0 / 3.0 * if a == b { left } else { right }
    };
    // The value of a matrix of two by two: of a saddle point, or of the mixtures that make the other indifferent.
    let value = |[[p, q], [r, s]]: [[f64; 2]; 2]| {
        let (low, high) = (p.min(q).max(r.min(s)), p.max(r).min(q.max(s)));
        if low >= high { low } else { (p * s - q * r) / (p + s - q - r) }
    };
    let mut values = [0.0; 2];
    for _ in 0..200 {
        let matrix = |first| [true, false].map(|a| [true, false].map(|b| round(first, a, b, values)));
        values = [value(matrix(true)), value(matrix(false))];
    }
    let bounds = solution.bounds.expect("bounds");
    let [low, high] = [bounds.low, bounds.high].map(|bound| bound.expect("a bound").to_f64());
    assert!(low <= values[0] + 1e-12 && values[0] <= high + 1e-12, "{low} {high} {values:?}");
    assert!(high - low < 1e-9);
    let play = solution.mixed.expect("strategies");
    let room = |state: &bouton_search::game::State| {
        let field = game.rules.fields.ids().find(|&id| game.rules.fields[id].name == "room");
        game.machine.read(state, field.expect("a field"), 0).as_sym() == Some(0)
    };
    for player in 0..2 {
        let yes = |first: bool| {
            let set =
                play.tree.sets[player].iter().find(|set| room(&set.example) == first).expect("a choice");
            let choices = play.choices_at(set.nodes[0], player).expect("a strategy");
            let yes = choices.iter().find(|(choice, _)| game.notation(&set.example, choice) == "aye");
            yes.expect("a choice").1.to_f64()
        };
        let shares = [yes(true), yes(false)];
        let mut guaranteed = [0.0; 2];
        for _ in 0..200 {
            guaranteed = [true, false].map(|first| {
                let share = shares[usize::from(!first)];
                let against = [true, false].map(|other| {
                    let pair = |own| if player == 0 { (own, other) } else { (other, own) };
                    let worth = |own| round(first, pair(own).0, pair(own).1, guaranteed);
                    share * worth(true) + (1.0 - share) * worth(false)
                });
                if player == 0 { against[0].min(against[1]) } else { against[0].max(against[1]) }
            });
        }
        assert!((guaranteed[0] - values[0]).abs() < 1e-8, "{player}: {guaranteed:?} {values:?}");
    }
    // Rounds go on in 499 of 500 cases: two thousand sweeps would not bring bounds together that begin far away.
    let long = rooms.replace("weight 2;", "weight 499;");
    let solution = with_strategies(&source(&long));
    assert_eq!(solution.status, Status::Enclosed, "{:?}", solution.bounds);
    // Where a player can go on for ever, a rule has to say what that is worth.
    let endless = rooms
        .replace("in play { if me = A { a := false; } else { b := false; } continue fate; }", "in play {}");
    assert!(by(&source(&endless), "auto").reason.is_some_and(|reason| reason.contains("no `repeat` rule")));
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let unequal = "game \"Unequal\"; players A, B; phases { setup deal by chance; act; }\n\
        state { card: 1..2? = none hidden; done: bool = false; }\n\
        private chance deal(k: 1..2) in deal { card := k; continue act; }\n\
        move go() in act { done := true; }\n\
        end { when done => payoff p: if p = A then card else 0; }";
    let leak = "game \"Leak\"; players A, B; phases { setup toss by chance; guess; }\n\
        state { coin: 1..2? = none hidden; said: 1..2? = none; }\n\
        private chance toss(k: 1..2) in toss { coin := k; continue guess; }\n\
        move say(k: 1..2) in guess { when k >= coin; said := k; }\n\
        end { when said != none and said = coin => A wins; when said != none => B wins; }";
    for (game, name, reason) in [
        (source(unequal), "cfr", "the players' payoffs do not add up to one sum"),
        (source(unequal), "cfr", "do not add up to one sum"),
        (source(leak), "auto", "E0520"),
        (set("tictactoe", &[], Backend::Jit), "sequence-form", "nothing is hidden"),
        (set("kuhn_poker", &[], Backend::Jit), "matrix", "something is hidden"),
        (set("kuhn_poker", &[], Backend::Jit), "dp", "hidden information"),
        (set("matching_pennies", &[], Backend::Jit), "dp", "--method matrix"),
    ] {
        let solution = by(&game, name);
        assert_eq!(solution.status, Status::Unknown, "{name}");
        assert!(
            solution.reason.as_ref().is_some_and(|of| of.contains(reason)),
            "{name}: {:?}",
            solution.reason
        );
    }
    // `check` shows the two plays.
    let mut text = GameSource::from_string("a game", leak);
    assert!(serious(&checked(&mut text, 500).diagnostics).contains(&"E0520"));
}

#[test]
fn claims_about_values_are_decided() {
    let mut text = super::game("kuhn_poker");
    let report = tested(&mut text, Duration::from_secs(60));
    assert!(report.failures.is_empty() && report.errors.is_empty());
    let wrong = "game \"Coin\"; players A, B; phases { show by each; }\n\
        state { shown[p: Player]: 1..2? = none; }\nmove show(k: 1..2) in show { shown[me] := k; }\n\
        end { when shown[A] != none and shown[A] = shown[B] => A wins; when shown[A] != none => B wins; }\n\
        expect value = 1 / 2;";
    let report = tested(&mut GameSource::from_string("a game", wrong), Duration::from_secs(60));
    assert_eq!(report.failures.len(), 1);
}

/// Ann sees a coin and covers it; Bob saw it as well and names it.
const RECALL: &str = "game \"Recall\"; players Ann, Bob; enum Side { heads, tails }\n\
    phases { setup toss by chance; cover; name; }\n\
    state { shown: Side? = none; kept: Side? = none hidden; named: Side? = none; }\n\
    chance fall(s: Side) in toss as \"{s}\" { shown := s; kept := s; continue cover; }\n\
    move turn() in cover { shown := none; continue name; next Bob; }\n\
    move say(s: Side) in name as \"{s}\" { named := s; }\n\
    end { when named != none => payoff p: if (named = kept) = (p = Bob) then 1 else -1; }";

#[test]
fn information_sets_that_look_alike_are_one_line_or_told_apart() {
    let lines = |game: &Game| {
        let solution = by(game, "sequence-form");
        let play = solution.mixed.expect("mixed strategies");
        bouton_report::mixed::strategy_lines(game, &*play, 12)
    };
    let told: Vec<String> = lines(&source(RECALL)).into_iter().map(|(_, words)| words).collect();
    assert_eq!(told, ["after heads, turn: heads always", "after tails, turn: tails always"]);
    for name in ["battleship", "two_tricks", "liars_dice", "kuhn_poker"] {
        let mut seen = std::collections::HashSet::new();
        let mut player = String::new();
        for (head, words) in lines(&set(name, &[], Backend::Jit)) {
            player = if head.is_empty() { player } else { head };
            assert!(seen.insert((player.clone(), words.clone())), "{name}: {player} {words}");
        }
    }
}

#[test]
fn what_only_a_player_sees_names_his_choices() {
    // `high` is false at the beginning as well, yet Ann knows it once chance has dealt.
    let game = source(
        r#"
        game "Bluff";
        players Ann, Bob;
        phases { setup deal by chance; open; answer; }
        state { high: bool = false visible to Ann; result: 0..3 = 0; }
        private chance give(k: 0..1) in deal as "{k}" { high := k = 1; continue open; }
        move bets() in open as "bet" { continue answer; next Bob; }
        move passes() in open as "pass" { result := 1; }
        move calls() in answer as "call" { result := 2; }
        move folds() in answer as "fold" { result := 3; }
        def win: -3..3 = if result = 1 then -1 else if result = 3 then 1 else if high then 3 else -3;
        end { when result > 0 => payoff p: if p = Ann then win else -win; }
        "#,
    );
    assert_eq!(value(&game, "auto"), pair(1, 2));
    let play = by(&game, "auto").mixed.expect("strategies");
    let told = bouton_report::mixed::strategy_lines(&game, &*play, 12);
    let told: Vec<(&str, &str)> = told.iter().map(|(head, words)| (&head[..], &words[..])).collect();
    assert_eq!(
        told,
        [
            ("Ann", "with high = false: bet one time in two, pass one time in two"),
            ("", "with high = true: bet always"),
            ("Bob", "call one time in two, fold one time in two"),
        ]
    );
}

#[test]
fn pairs_of_choices_are_written_as_joint_moves_are() {
    let game = source(
        r#"
        game "Shares";
        players Ann, Bob;
        phases { offer by each; }
        state { paid[p: Player]: 0..2? = none; }
        move offers(k: 0..1) in offer as "{k}" { paid[me] := k; }
        end { when paid[Ann] != none and paid[Bob] != none =>
                payoff p: if paid[p] > paid[other(p)] then 1 else if paid[p] = paid[other(p)] then 1 - paid[p] / 2 else 0; }
        "#,
    );
    let lines = bouton_report::mixed::lines(&game, &by(&game, "auto"));
    let efficient = lines.iter().find(|(head, _)| head == "efficient").expect("the efficient pairs");
    assert_eq!(efficient.1, "(0, 0)");
}

#[test]
fn what_the_rules_show_tells_information_apart() {
    // After the first hole the seeker is told if the chest lies farther east, which no field holds.
    let game = source(
        r#"
        game "Treasure";
        players Pirate, Seeker;
        phases { setup hide; dig; }
        state { chest: 0..3 = 0 visible to Pirate; last: 0..3 = 0; digs: 0..4 = 0; }
        private move bury(h: 1..3) in hide as "bury {h}" { chest := h; next Seeker; }
        move hole(h: 1..3) in dig as "{h}" { when h != last; last := h; digs += 1; next Seeker; }
        sees Seeker: chest > last when last > 0;
        end { when last > 0 and (last = chest or digs = 4) => payoff p: if p = Seeker then -digs else digs; }
        "#,
    );
    let play = by(&game, "auto").mixed.expect("strategies");
    let told = bouton_report::mixed::strategy_lines(&game, &*play, 12);
    let sets: Vec<&str> =
        told.iter().map(|(_, words)| words.split_once(": ").map_or("", |(set, _)| set)).collect();
    for (place, set) in sets.iter().enumerate() {
        assert!(!sets[..place].contains(set) || set.is_empty(), "{told:?}");
    }
    assert!(sets.iter().any(|set| set.contains("shown true")), "{told:?}");
}

/// Lewis's signalling game with this many worlds and signals: both win if the act fits the world.
fn signalling(worlds: u32, signals: u32) -> Game {
    source(&format!(
        "game \"Signals\"; players Sender, Receiver;
         phases {{ setup nature by chance; send by Sender; act by Receiver; }}
         type World = 1..{worlds};
         state {{ world: World? = none visible to Sender; signal: 1..{signals}? = none; done: World? = none; }}
         private chance world_is(k: World) in nature as \"({{k}})\" {{ world := k; continue send; }}
         move say(s: 1..{signals}) in send as \"say {{s}}\" {{ signal := s; continue act; }}
         move choose(a: World) in act as \"do {{a}}\" {{ done := a; }}
         end {{ when done != none => payoff p: if done = world then 1 else 0; }}"
    ))
}

#[test]
fn players_who_want_the_same_find_the_best_common_plan() {
    for (worlds, signals, payoff) in
        [(2, 2, (1, 1)), (3, 3, (1, 1)), (3, 2, (2, 3)), (4, 2, (1, 2)), (2, 1, (1, 2)), (8, 4, (1, 2))]
    {
        let game = signalling(worlds, signals);
        for method in ["auto", "common-plan"] {
            let solution = by(&game, method);
            assert_eq!(solution.status, Status::Solved, "{worlds} {signals}: {:?}", solution.reason);
            assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()), "{worlds} {signals}");
            let payoffs = solution.value.expect("a value").payoffs;
            assert_eq!(payoffs, vec![Rational::new(payoff.0, payoff.1); 2], "{worlds} {signals}");
            let play = solution.mixed.expect("plans");
            assert!(play.strategies.is_some());
        }
    }
    // Cards that only the other sees, and a word of each: choices that a word made impossible are no plans of their own.
    let words = "game \"Two words\"; players Ann, Bob; phases { setup deal by chance; first; second; guess by each; }
        state { card[p: Player]: 0..3 = 0 visible to other(p); word[p: Player]: 0..2 = 0; named[p: Player]: 0..3 = 0; }
        private chance dealt(a: 1..3, b: 1..3) in deal { card[Ann] := a; card[Bob] := b; continue first; }
        move say(s: 1..2) in first { word[me] := s; continue second; next opponent; }
        move reply(s: 1..2) in second { word[me] := s; continue guess; }
        move name(k: 1..3) in guess { named[me] := k; }
        end { when named[Ann] > 0 and named[Bob] > 0 =>
          payoff p: if named[Ann] = card[Ann] and named[Bob] = card[Bob] then 1 else 0; }";
    assert_eq!(value(&source(words), "auto"), vec![Rational::new(5, 9); 2]);
    // Players with opposed interests want no common plan, and too many plans leave an interval that holds.
    let refused = by(&set("kuhn_poker", &[], Backend::Jit), "common-plan");
    assert_eq!(refused.status, Status::Unknown);
    let many = by(&signalling(14, 6), "auto");
    let bounds = many.bounds.expect("an interval");
    assert_eq!((bounds.low, bounds.high), (Some(Rational::new(3, 7)), Some(Rational::new(1, 1))));
}

/// A game of two by two in which the second player does not see the first one's choice.
fn unseen(payoffs: [[(i64, i64); 2]; 2]) -> Game {
    let row = |row: [(i64, i64); 2], take: fn((i64, i64)) -> i64| {
        format!("if y = 1 then {} else {}", take(row[0]), take(row[1]))
    };
    let both = |take: fn((i64, i64)) -> i64| {
        format!("if x = 1 then ({}) else ({})", row(payoffs[0], take), row(payoffs[1], take))
    };
    source(&format!(
        "game \"Unseen\"; players A, B; phases {{ first by A; second by B; }}
         state {{ x: 0..2 = 0 visible to A; y: 0..2 = 0; }}
         private move row(k: 1..2) in first as \"{{k}}\" {{ x := k; continue second; }}
         move column(k: 1..2) in second as \"{{k}}\" {{ y := k; }}
         end {{ when y > 0 => payoff p: if p = A then ({}) else ({}); }}",
        both(|pair| pair.0),
        both(|pair| pair.1)
    ))
}

/// A firm that knows its costs enters a market or not; the other one, which does not know them, fights or shares. To fight
/// costs him something whatever the costs are, so that he would not do it.
#[test]
fn equilibria_without_empty_threats_come_first() {
    let game = source(
        r#"
        game "Entry";
        players Old, New;
        phases { setup costs by chance; enter by New; answer by Old; }
        state { low: bool? = none visible to New; entered: bool? = none; fights: bool? = none; }
        private chance cost(k: 0..1) in costs { low := k = 1; continue enter; }
        move come() in enter { entered := true; continue answer; }
        move stay_out() in enter { entered := false; }
        move fight() in answer { fights := true; }
        move share() in answer { fights := false; }
        end {
          when entered = false => payoff p: if p = Old then 5 else 0;
          when fights = true => payoff p: if p = Old then -1 else -2;
          when fights = false => payoff p: if p = Old then 1 else if low = true then 3 else 1;
        }
        "#,
    );
    let solution = by(&game, "auto");
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    let reason = solution.reason.expect("a reason");
    assert!(reason.contains("one equilibrium gives Old 1, New 2; others give other payoffs"), "{reason}");
}

/// A seller and a buyer who know only what a thing is worth to themselves name prices at once: there are five to the fifth
/// plans for each.
#[test]
fn a_game_with_many_plans_has_an_equilibrium() {
    let trade = source(
        r#"
        game "Trade";
        players Seller, Buyer;
        phases { setup worths by chance; price by each; }
        state { worth[p: Player]: 0..4 = 0 visible to p; price[p: Player]: 0..4? = none; }
        private chance learn(a: 0..4, b: 0..4) in worths {
          worth[Seller] := a; worth[Buyer] := b; continue price;
        }
        private move name_price(k: 0..4) in price as "{k}" { price[me] := k; }
        def middle = price[Seller] + price[Buyer];
        end {
          when price[Seller] != none and price[Buyer] < price[Seller] => payoff p: 0;
          when price[Seller] != none => payoff p:
            if p = Seller then middle - 2 * worth[p] else 2 * worth[p] - middle;
        }
        "#,
    );
    let solution = by(&trade, "auto");
    assert_eq!(accepts(&trade, &proof(&trade, &solution)), Ok(()), "{:?}", solution.reason);
    assert!(solution.reason.expect("a reason").contains("one equilibrium gives Seller "));
    // A message of one who knows which of six cases holds, and an answer: payoffs at random.
    for seed in 1..=6 {
        let mut random = SplitMix::new(seed);
        let [first, second] = random_payoffs(&mut random, 54, 9).map(|of| listed(&of));
        let signals = source(&format!(
            "game \"Signals\"; players A, B; phases {{ setup toss by chance; say by A; reply by B; }}
             const first = [{first}]; const second = [{second}];
             state {{ kind: 0..5 = 0 visible to A; said: 0..2 = 0; reply: 0..2? = none; }}
             private chance hold(k: 0..5) in toss {{ kind := k; continue say; }}
             move say(k: 0..2) in say as \"{{k}}\" {{ said := k; continue reply; }}
             move answer(k: 0..2) in reply as \"{{k}}\" {{ reply := k; }}
             def place = kind * 9 + said * 3 + (if reply = none then 0 else reply) + 1;
             end {{ when reply != none => payoff p: if p = A then first[place] else second[place]; }}"
        ));
        let solution = by(&signals, "auto");
        assert_eq!(accepts(&signals, &proof(&signals, &solution)), Ok(()), "{seed}: {:?}", solution.reason);
        assert!(solution.reason.expect("a reason").contains("one equilibrium gives A "), "{seed}");
    }
}

/// Payoffs of two players at random, from `-most` to `most`.
fn random_payoffs(random: &mut SplitMix, count: usize, most: u64) -> [Vec<i64>; 2] {
    std::array::from_fn(|_| {
        (0..count).map(|_| (random.word() % (2 * most + 1)) as i64 - most as i64).collect()
    })
}

fn listed(numbers: &[i64]) -> String {
    numbers.iter().map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

/// Ann hides a number and says one of three, Bob answers: he never answers worse than he could whatever she hid, also after
/// what she never says.
#[test]
fn answers_are_never_worse_whatever_was_hidden() {
    for seed in 1..=30 {
        let mut random = SplitMix::new(seed);
        let payoffs = random_payoffs(&mut random, 18, 9);
        let [first, second] = payoffs.each_ref().map(|of| listed(of));
        let game = source(&format!(
            "game \"Hide\"; players Ann, Bob; phases {{ hide; say; answer; }}
             const first = [{first}]; const second = [{second}];
             state {{ a: 0..2 = 0 visible to Ann; s: 0..3 = 0; b: 0..3 = 0; }}
             private move hide(k: 1..2) in hide as \"hide {{k}}\" {{ a := k; continue say; next Ann; }}
             move say(k: 1..3) in say as \"say {{k}}\" {{ s := k; continue answer; next Bob; }}
             move answer(k: 1..3) in answer as \"answer {{k}}\" {{ b := k; }}
             def place = (a - 1) * 9 + (s - 1) * 3 + b;
             end {{ when b > 0 => payoff p: if p = Ann then first[place] else second[place]; }}"
        ));
        let solution = by(&game, "sequence-form");
        assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()), "{seed}: {:?}", solution.reason);
        let play = solution.mixed.expect("a plan");
        let strategies = play.strategies.as_ref().expect("strategies");
        assert_eq!(play.tree.sets[1].len(), 3, "a set for each number that she may say");
        for (said, shares) in strategies[1].iter().enumerate() {
            let payoff = |hidden: usize, answer: usize| payoffs[1][hidden * 9 + said * 3 + answer];
            let is_worse =
                |of: usize| (0..3).any(|than| (0..2).all(|hidden| payoff(hidden, of) < payoff(hidden, than)));
            for (answer, share) in shares.iter().enumerate() {
                assert!(share.numer().bits() == 0 || !is_worse(answer), "{seed}: {said} {answer} {shares:?}");
            }
        }
    }
}

/// Each player knows a number of his own; Bob shows one of four, and Ann answers, also after what Bob never shows: no answer
/// of hers is worse than another one whatever Bob's number is.
#[test]
fn answers_to_what_is_never_shown_are_rational() {
    for seed in 1..=25 {
        let mut random = SplitMix::new(seed);
        let payoffs = random_payoffs(&mut random, 64, 30);
        let [first, second] = payoffs.each_ref().map(|of| listed(of));
        let game = source(&format!(
            "game \"Show\"; players Ann, Bob; phases {{ setup deal by chance; show by Bob; reply by Ann; }}
             const first = [{first}]; const second = [{second}];
             state {{ own[p: Player]: 0..2 = 0 visible to p; s: 0..4 = 0; r: 0..4 = 0; }}
             private chance deals(a: 1..2, b: 1..2) in deal {{
               own[Ann] := a; own[Bob] := b; continue show; next Bob;
             }}
             move show(k: 1..4) in show as \"show {{k}}\" {{ s := k; continue reply; next Ann; }}
             move reply(k: 1..4) in reply as \"reply {{k}}\" {{ r := k; }}
             def place = (own[Ann] - 1) * 32 + (own[Bob] - 1) * 16 + (s - 1) * 4 + r;
             end {{ when r > 0 => payoff p: if p = Ann then first[place] else second[place]; }}"
        ));
        let solution = by(&game, "sequence-form");
        assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()), "{seed}: {:?}", solution.reason);
        let play = solution.mixed.expect("a plan");
        let strategies = play.strategies.as_ref().expect("strategies");
        for (set, shares) in play.tree.sets[0].iter().zip(&strategies[0]) {
            let read = |name: &str, cell: usize| {
                let field = game.rules.fields.entries().find(|(_, field)| field.name == name).expect("it").0;
                game.machine.read(&set.example, field, cell).as_int().expect("a number") as usize
            };
            let (number, shown) = (read("own", 0), read("s", 0));
            let payoff = |bobs: usize, reply: usize| {
                payoffs[0][(number - 1) * 32 + bobs * 16 + (shown - 1) * 4 + reply]
            };
            let is_worse =
                |of: usize| (0..4).any(|than| (0..2).all(|bobs| payoff(bobs, of) < payoff(bobs, than)));
            for (reply, share) in shares.iter().enumerate() {
                assert!(share.numer().bits() == 0 || !is_worse(reply), "{seed}: {number} {shown} {shares:?}");
            }
        }
        assert_eq!(play.tree.sets[0].len(), 8, "a set for each number and what is shown");
    }
}

/// The payoffs that all equilibria have are the value.
#[test]
fn payoffs_of_all_equilibria_are_the_value() {
    let one_chooses = source(
        "game \"One\"; players A, B; phases { setup toss by chance; choose; }
         state { coin: 1..2? = none hidden; k: 1..3? = none; }
         private chance toss(c: 1..2) in toss { coin := c; continue choose; next A; }
         move pick(n: 1..3) in choose as \"{n}\" { k := n; }
         end { when k != none => payoff p: if p = A then k + coin else 1; }",
    );
    let solution = by(&one_chooses, "auto");
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.reason);
    assert_eq!(accepts(&one_chooses, &proof(&one_chooses, &solution)), Ok(()));
    assert_eq!(solution.value.expect("a value").payoffs, [Rational::new(9, 2), Rational::ONE]);
}

#[test]
fn players_with_interests_of_their_own_have_an_equilibrium() {
    let dilemma = unseen([[(3, 3), (0, 5)], [(5, 0), (1, 1)]]);
    let pennies = unseen([[(2, 0), (0, 1)], [(0, 1), (1, 0)]]);
    let stags = unseen([[(4, 4), (1, 3)], [(3, 1), (3, 3)]]);
    let ratio = |above, below| Rational::new(above, below);
    for (game, value, first) in [
        (&dilemma, Some([ratio(1, 1), ratio(1, 1)]), [0, 1]),
        (&pennies, Some([ratio(2, 3), ratio(1, 2)]), [1, 1]),
        (&stags, None, [1, 0]),
    ] {
        let solution = by(game, "auto");
        assert_eq!(accepts(game, &proof(game, &solution)), Ok(()));
        assert_eq!(solution.value.as_ref().map(|value| &value.payoffs[..]), value.as_ref().map(|of| &of[..]));
        if value.is_none() {
            let reason = solution.reason.as_ref().expect("a reason");
            let told = "one equilibrium gives A 4, B 4; others give other payoffs";
            assert!(reason.ends_with(told), "{reason}");
        }
        let play = solution.mixed.expect("strategies");
        let [strategy, _] = play.strategies.as_ref().expect("strategies");
        let [one, two] = &strategy[0][..] else { panic!("two choices") };
        let shares = [one, two].map(|share| Rational::from(share.clone()));
        // The weights of both choices.
        assert_eq!(shares, first.map(|weight| Rational::new(weight, first.iter().sum())));
    }
}

/// A rule about endless play is no obstacle where no position comes back; where one does, the answer is not known.
#[test]
fn hidden_games_end_if_no_position_comes_back() {
    let rules = |moves: &str, endless: &str| {
        source(&format!(
            "game \"Coin\"; players A, B; phases {{ deal by chance; act; }}
             state {{ coin: 1..2 = 1 hidden; said: 0..2 = 0; }}
             private chance toss(c: 1..2) in deal {{ coin := c; continue act; }}
             move say(k: 1..2) in act {{ said := k; next opponent; }} {moves}
             end {{ when said > 0 => payoff p: if said = coin iff p = A then 1 else -1; {endless} }}"
        ))
    };
    for endless in ["", "repeat => draw;"] {
        let finite = rules("", endless);
        let solution = by(&finite, "auto");
        assert_eq!(solution.value.as_ref().expect("a value").payoffs, [Rational::ZERO, Rational::ZERO]);
        assert_eq!(accepts(&finite, &proof(&finite, &solution)), Ok(()));
        let waiting = by(&rules("move wait() in act { next opponent; }", endless), "auto");
        assert_eq!(waiting.status, Status::Unknown);
        assert!(waiting.reason.expect("a reason").contains("a position can come back"));
    }
}

/// Equilibria of random payoffs, pure and mixed ones, are proved; with a payoff or a probability changed they are not.
#[test]
fn profiles_are_proved_and_others_are_not() {
    let mut random = SplitMix::new(33);
    let mut mixed = 0;
    for _ in 0..100 {
        let mut payoff = || (random.word() % 7) as i64 - 3;
        let game = unseen([(); 2].map(|()| [(); 2].map(|()| (payoff(), payoff()))));
        let solution = by(&game, "auto");
        if !matches!(&solution.strategy[..], [Lemma::Profile(_)]) {
            continue;
        }
        let certificate = proof(&game, &solution);
        assert_eq!(accepts(&game, &certificate), Ok(()), "{:?}", solution.reason);
        let [Lemma::Profile(profile)] = &certificate.lemmas[..] else { panic!("{:?}", certificate.lemmas) };
        let is_mixed = |set: &ProfileSet| set.choices.0.iter().all(|share| !share.is_zero());
        mixed += usize::from(profile.sets.iter().any(is_mixed));
        let refused = |changed: ProfileLemma| {
            let mut other = certificate.clone();
            other.header.claim = Claim::Equilibria(vec![changed.payoffs.clone()]);
            other.lemmas = vec![Lemma::Profile(changed)];
            assert!(accepts(&game, &other).is_err(), "{other:?}");
        };
        for player in 0..2 {
            let mut changed = profile.clone();
            changed.payoffs[player] += Rational::new(1, 7);
            refused(changed);
            let mut changed = profile.clone();
            changed.sets[player].choices.0[0] += Rational::new(1, 7);
            refused(changed);
        }
    }
    assert!(mixed >= 3, "{mixed} mixed equilibria");
}
