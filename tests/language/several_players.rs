//! Games of three and more players, and of two whose interests are not opposed.

use super::{accepts, method, of, proof, set, solved};
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_certificates::Lemma;
use bouton_driver::load::GameSource;
use bouton_search::game::{Backend, Game, State, ToMove};
use bouton_search::solve::{ComparedEquilibria, Solution, SolveOptions, Status, ValueKind};

/// Three players take one or two from a heap; the last one to take gets 2, the others lose 1.
const THREE: &str = "game \"Three\"; param n: 1..9 = 7; players A, B, C;\n\
    state { heap: 0..n = n; last: Player? = none; }\n\
    move take(k: 1..2) { when k <= heap; heap -= k; last := me; }\n\
    end { when heap = 0 => payoff p: if last = p then 2 else -1; }\n";

/// One of two players gives to the other at no cost, or not; later the other one may thank him.
const GIFTS: &str = "game \"Gifts\"; players A, B; state { given: 0..1 = 0; turns: 0..2 = 0; thanks: 0..1 = 0; }\n\
    move act(k: 0..1) { when turns < 2; turns += 1; if turns = 0 { given := k; } else { thanks := k; } }\n\
    end { when turns = 2 => payoff p: if p = A then 2 * thanks else given; }\n";

fn by(game: &Game, name: &str) -> Solution {
    solved(game, &game.machine.initial(), method(name), &SolveOptions::default(), &Limits::default())
}

fn three(n: u32) -> Game {
    of(GameSource::from_string("a game", THREE), &[&format!("n={n}")])
}

/// Returns the payoffs of all plays by subgame-perfect strategies, by trying all choices in each position.
fn naive(game: &Game, state: &State) -> Vec<Vec<Rational>> {
    let (turn, moves) = game.machine.expand(state).expect("sound rules");
    let player = match turn {
        ToMove::Terminal(outcome) => return vec![outcome.payoffs],
        ToMove::Player(player) => player as usize,
        other => panic!("no chance: {other:?}"),
    };
    let results: Vec<Vec<Vec<Rational>>> = moves.iter().map(|next| naive(game, &next.state)).collect();
    // Each choice of one result of every move.
    let mut choices: Vec<Vec<&Vec<Rational>>> = vec![Vec::new()];
    for of in &results {
        let with = |before: &Vec<_>| of.iter().map(|one| [&before[..], &[one]].concat()).collect::<Vec<_>>();
        choices = choices.iter().flat_map(with).collect();
    }
    let mut found: Vec<Vec<Rational>> = Vec::new();
    for choice in choices {
        let best = choice.iter().map(|value| &value[player]).max().expect("a move");
        found.extend(choice.iter().filter(|value| value[player] == *best).map(|value| (*value).clone()));
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the payoff of a player against all others.
fn sure(game: &Game, state: &State, holder: u32) -> Rational {
    let (turn, moves) = game.machine.expand(state).expect("sound rules");
    let next = moves.iter().map(|next| sure(game, &next.state, holder));
    match turn {
        ToMove::Terminal(outcome) => outcome.payoffs[holder as usize].clone(),
        ToMove::Player(player) if player == holder => next.max().expect("a move"),
        _ => next.min().expect("a move"),
    }
}

#[test]
fn all_subgame_perfect_results_are_found() {
    let mut several = 0;
    for n in 1..=7 {
        let game = three(n);
        let (solution, wanted) = (by(&game, "auto"), naive(&game, &game.machine.initial()));
        match &wanted[..] {
            [only] => {
                assert_eq!(solution.status, Status::Solved, "{n}");
                assert_eq!(solution.value.map(|value| value.payoffs).as_ref(), Some(only), "{n}");
            }
            all => {
                several += 1;
                let reason = solution.reason.expect("a reason");
                assert!(reason.contains(&format!("between {} results", all.len())), "{n}: {reason}");
                assert_eq!(solution.value, None, "{n}");
            }
        }
        let game_state = game.machine.initial();
        let told = by(&game, "paranoid").reason.expect("what each is sure of");
        for (holder, name) in (0..).zip(["A", "B", "C"]) {
            let payoff = sure(&game, &game_state, holder);
            assert!(told.contains(&format!("{name} {payoff}")), "{n}: {told}");
        }
    }
    assert!(several > 0, "ties decide in some of these");
}

#[test]
fn two_players_may_be_indifferent() {
    let game = of(GameSource::from_string("a game", GIFTS), &[]);
    let solution = by(&game, "auto");
    assert_eq!(solution.value, None);
    let reason = solution.reason.expect("a reason");
    assert!(reason.contains("A 0, B 0") && reason.contains("A 2, B 1"), "{reason}");
}

#[test]
fn the_worst_shot_of_a_truel_has_the_best_chance() {
    let game = set("truel", &[], Backend::Jit);
    let solution = by(&game, "auto");
    let value = solution.value.expect("a value");
    assert_eq!(value.payoffs, [Rational::new(25, 63), Rational::new(8, 21), Rational::new(2, 9)]);
    let best: Vec<&str> = solution.best_moves.iter().map(|made| made.written.as_str()).collect();
    assert_eq!(best, ["into the air"]);
}

#[test]
fn the_first_pirate_keeps_almost_all() {
    for (gold, wanted) in [("gold=2", [10, 0, 10]), ("gold=6", [50, 0, 10])] {
        let solution = by(&set("pirates", &[gold], Backend::Jit), "auto");
        let wanted: Vec<Rational> = wanted.iter().map(|n| Rational::from_integer(*n)).collect();
        assert_eq!(solution.value.map(|value| value.payoffs), Some(wanted), "{gold}: {:?}", solution.reason);
    }
}

/// Two players in turn stop or go on; the one who stops gets 1, the other one 2; endless play gives nothing.
const WAITING: &str = "game \"Waiting\"; players A, B; state { stopped: Player? = none; n: 0..0 = 0; }\n\
    move stop() { stopped := me; }\nmove wait() { n := 0; }\n\
    end { when stopped != none => payoff p: if p = stopped then 1 else 2; repeat => payoff p: 0; }\n";

#[test]
fn equilibria_of_endless_games_are_no_value_if_there_are_several() {
    let game = of(GameSource::from_string("a game", WAITING), &[]);
    let solution = by(&game, "max-n");
    assert_eq!(solution.value, None);
    let reason = solution.reason.expect("a reason");
    assert!(reason.contains("between 2 results: A 1, B 2; A 2, B 1"), "{reason}");
}

/// Two players are indifferent, and the first one loses 1 whatever they do: nobody can say what the second one gets.
#[test]
fn bounds_of_one_player_decide_no_claim_about_another() {
    let text = "game \"Spite\"; players A, B, C; state { at: 0..2 = 0; }\n\
        move go(k: 1..2) { when at = 0; at := k; }\n\
        end { when at > 0 => payoff p: if p = A then 0 else if (p = B) = (at = 1) then 1 else -1; }\n\
        expect draw; expect B wins; expect A wins; expect value = 0;";
    let report =
        super::tested(&mut GameSource::from_string("a game", text), std::time::Duration::from_secs(20));
    assert_eq!((report.passed, report.failed, report.unknown.len()), (1, 1, 2));
    let two = "game \"Spite\"; players A, B; state { at: 0..2 = 0; }\n\
        move go(k: 1..2) { when at = 0; at := k; }\n\
        end { when at > 0 => payoff p: if p = A then -1 else at; }\n\
        expect B wins; expect A loses;";
    let report =
        super::tested(&mut GameSource::from_string("a game", two), std::time::Duration::from_secs(20));
    assert_eq!((report.passed, report.failed, report.unknown.len()), (1, 0, 1));
}

/// B gets nothing either way; if he draws lots, F gains by going on, and A gets 50, more than in all pure equilibria.
#[test]
fn bounds_hold_for_players_who_draw_lots() {
    let text = "game \"Lots\"; players A, F, B;\n\
        board V = graph { s -> r; r -> x; r -> y; x -> l; x -> m; };\n\
        state { at: V = s; }\n\
        move go(to: V) as \"{to}\" { when to in at.neighbors; at := to; }\n\
        end { when at = y => payoff p: match p { A => 7, F => 5, B => 0 };\n\
          when at = l => payoff p: match p { A => 0, F => 10, B => 0 };\n\
          when at = m => payoff p: match p { A => 100, F => 0, B => 0 }; }\n\
        expect value <= 7; expect value <= 100;";
    let report =
        super::tested(&mut GameSource::from_string("a game", text), std::time::Duration::from_secs(20));
    assert_eq!((report.passed, report.failed, report.unknown.len()), (1, 0, 1));
}

#[test]
fn play_that_surely_ends_has_a_result_whatever_endless_play_is_worth() {
    // Positions come back, but every turn may end the game. The values are those of iteration over all positions in
    // floating point, by a program of its own.
    let source = |repeat: &str| {
        format!(
            "game \"Pig for three\"; param goal: 2..10 = 3; players A, B, C; phases {{ choose; roll by chance; }}\n\
             state {{ score[p: Player]: 0..12 = 0; turn: 0..12 = 0; }}\n\
             move throw() in choose {{ when turn + score[me] < goal; continue roll; }}\n\
             chance die(d: 1..3) in roll {{\n\
               if d = 1 {{ turn := 0; next if mover = A then B else if mover = B then C else A; }}\n\
               else {{ turn += d; next mover; }} }}\n\
             move hold() in choose {{ when turn > 0; score[me] += turn; turn := 0; }}\n\
             end {{ for p in Player when score[p] >= goal => p wins; {repeat} }}"
        )
    };
    for repeat in ["", "repeat => draw;"] {
        for (goal, wanted) in [(3, [29, -61, -101].map(|n| (n, 133))), (4, [11, -61, -101].map(|n| (n, 151)))]
        {
            let game = of(GameSource::from_string("a game", &source(repeat)), &[&format!("goal={goal}")]);
            let solution = by(&game, "auto");
            // Too many strategies to try: other ones from which nobody gains may have another result.
            assert_eq!(solution.value, None);
            let [a, b, c] = wanted.map(|(above, below)| Rational::new(above, below));
            let reason = solution.reason.expect("a reason");
            assert!(reason.ends_with(&format!("A {a}, B {b}, C {c}")), "{goal}: {reason}");
        }
    }
}

/// Two share ten coins by offers in turn; after a refusal talks break down with a chance of one in five. Each player's
/// improvements undo those of the other, until they begin anew from other strategies.
#[test]
fn bargainers_agree() {
    let text = "game \"Bargain\"; players A, B; phases { offer; answer; luck by chance; }\n\
        state { kept: 0..10 = 0; offered: Player = A; agreed: bool = false; broken: bool = false; }\n\
        move offer(k: 0..10) in offer { kept := k; offered := me; continue answer; next other(me); }\n\
        move accept() in answer { agreed := true; }\n\
        move refuse() in answer { continue luck; }\n\
        chance stop() in luck { broken := true; }\n\
        chance go() in luck { weight 4; kept := 0; continue offer; }\n\
        end { when agreed => payoff p: if p = offered then kept else 10 - kept; when broken => payoff p: 0; }";
    let game = of(GameSource::from_string("a game", text), &[]);
    let options = SolveOptions { max_strategy_positions: 1000, ..SolveOptions::default() };
    let solution = solved(&game, &game.machine.initial(), method("auto"), &options, &Limits::default());
    let reason = solution.reason.as_ref().expect("a reason");
    assert!(reason.ends_with("A 5, B 5"), "{reason}");
    assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
}

/// Two prisoners choose again and again, until chance stops them; three do as well, each of them better off silent alone.
#[test]
fn players_who_choose_at_once_again_and_again_have_an_equilibrium() {
    let text = |players: &str, payoff: &str| {
        format!(
            "game \"Again\"; players {players}; phases {{ choose by each; luck by chance; }}\n\
             state {{ talks[p: Player]: bool = false; over: bool = false; }}\n\
             move silent() in choose {{ talks[me] := false; continue luck; }}\n\
             move talk() in choose {{ talks[me] := true; continue luck; }}\n\
             chance stop() in luck {{ over := true; }}\n\
             chance go() in luck {{ weight 3; continue choose; }}\n\
             def talkers = count p in Player: talks[p];\n\
             end {{ when over => payoff p: {payoff}; }}"
        )
    };
    let dilemma = "if talkers = 0 then 3 else if talkers = 2 then 1 else if talks[p] then 5 else 0";
    let volunteer = "if talkers = 0 then 0 else if talks[p] then 1 else 2";
    for (players, payoff, wanted) in
        [("A, B", dilemma, "gives A 1, B 1;"), ("A, B, C", volunteer, "gives A 1, B 2, C 2;")]
    {
        let game = of(GameSource::from_string("a game", &text(players, payoff)), &[]);
        let options = SolveOptions { max_strategy_positions: 1000, ..SolveOptions::default() };
        let solution = solved(&game, &game.machine.initial(), method("auto"), &options, &Limits::default());
        let reason = solution.reason.as_ref().expect("a reason");
        assert!(reason.contains(wanted), "{reason}");
        assert_eq!((solution.value.as_ref(), solution.method), (None, "pure-equilibrium"));
        assert_eq!(accepts(&game, &proof(&game, &solution)), Ok(()));
    }
}

#[test]
fn several_players_may_win() {
    let source = "game \"One loses\"; players A, B, C; state { n: 0..2 = 2; }\n\
                  move take() { when n > 0; n -= 1; }\n\
                  end { when n = 0 => mover loses; }";
    let game = of(GameSource::from_string("a game", source), &[]);
    let value = by(&game, "auto").value.expect("a value");
    assert_eq!(value.kind, ValueKind::Payoff, "A and B win: {value:?}");
    assert_eq!(value.payoffs, [1, 1, -1].map(Rational::from_integer));
}

/// Three players vote at once between x, y and z; where the second and the third agree they decide, else the first.
const VOTE: &str = "game \"Vote\"; players A, B, C; enum Option { x, y, z } phases { vote by each; }
    state { choice[p: Player]: Option? = none; }
    const rank[p: Player, o: Option]: 0..2 = match (p, o) {
      (A, x) => 2, (A, y) => 1, (B, y) => 2, (B, z) => 1, (C, z) => 2, (C, x) => 1, _ => 0 };
    def chosen = if choice[B] = choice[C] then choice[B] else choice[A];
    move cast(o: Option) as \"{o}\" { choice[me] := o; }
    end { when all p in Player: choice[p] != none => payoff p: rank[p, chosen]; }";

#[test]
fn players_who_choose_at_once_have_an_equilibrium_that_is_no_value() {
    let game = of(GameSource::from_string("a game", VOTE), &[]);
    let solution = by(&game, "auto");
    assert_eq!((solution.method, solution.value.as_ref()), ("pure-equilibrium", None));
    let reason = solution.reason.as_ref().expect("a reason");
    // Of three equilibria the one without dominated votes: B would never vote for x, nor C for y, and then A for x alone.
    assert!(
        reason.contains("one equilibrium gives A 0, B 1, C 2; all without chance have 3 results: "),
        "{reason}"
    );
    for result in ["A 2, B 0, C 1", "A 1, B 2, C 0", "A 0, B 1, C 2"] {
        assert!(reason.matches(result).count() >= 1, "{result}: {reason}");
    }
    assert_eq!(solution.line.len(), 1);
    // If all want the same, the best of all ends is one.
    let common = VOTE.replace("payoff p: rank[p, chosen]", "payoff p: rank[A, chosen]");
    let reason = by(&of(GameSource::from_string("a game", &common), &[]), "auto").reason.expect("a reason");
    assert!(reason.contains("one equilibrium gives A 2, B 2, C 2; no end gives anybody more"), "{reason}");
    // Matching pennies of the first two, which the third one watches, has no equilibrium without chance.
    let pennies = VOTE
        .replace("payoff p: rank[p, chosen]", "payoff p: if (choice[A] = choice[B]) = (p = A) then 1 else 0");
    let pennies = of(GameSource::from_string("a game", &pennies), &[]);
    let alone = by(&pennies, "pure-equilibrium").reason.expect("a reason");
    assert!(alone.contains("no equilibrium was found"), "{alone}");
    let reason = by(&pennies, "auto").reason.expect("a reason");
    assert!(reason.contains("one equilibrium gives A 1/3, B 2/3, C 2/3"), "{reason}");
}

/// A stays out, or both choose at once between two meetings that each of them values otherwise.
#[test]
fn all_results_without_chance_are_listed() {
    let text = r#"game "Out or in";
players A, B;
phases { start; choose by each; }
state { out: bool = false; at[p: Player]: 1..2? = none; }
move stay_out() in start { out := true; }
move come_in() in start { continue choose; }
move go(k: 1..2) in choose as "{k}" { at[me] := k; }
end {
  when out => payoff p: 2;
  when at[A] != none => payoff p: if at[A] != at[B] then 0 else if (at[A] = 1) = (p = A) then 3 else 1;
}"#;
    let game = of(GameSource::from_string("a game", text), &[]);
    let reason = by(&game, "pure-equilibrium").reason.expect("a reason");
    assert!(
        reason.contains("one equilibrium gives A 3, B 1; all without chance have 2 results: "),
        "{reason}"
    );
    assert!(reason.contains("A 2, B 2"), "{reason}");
}

/// Three players divide four points: one of them, by chance, proposes, and the others agree or not, which some of them do
/// not care about.
#[test]
fn one_equilibrium_of_too_many_is_told() {
    let text = r#"game "Divide four";
players A, B, C;
phases { pick by chance; propose; vote; }
state {
  share[p: Player]: 0..4 = 0; t: 1..3 = 1; yes: 0..3 = 0; votes: 0..3 = 0; passed: bool = false;
}
chance picks(p: Player) in pick as "{p}" { next p; continue propose; }
def after(p: Player) = match p { A => B, B => C, C => A };
move offer(a: 0..4, b: 0..4) in propose as "{a},{b}" {
  when a + b <= 4;
  share[A] := a; share[B] := b; share[C] := 4 - a - b;
  yes := 1; votes := 1;
  continue vote; next after(me);
}
move agree(y: bool) in vote as "{y}" {
  let n = yes + (if y then 1 else 0);
  if votes = 2 {
    if n >= 2 { passed := true; } else { t += 1; yes := 0; votes := 0; for p in Player { share[p] := 0; } }
  } else { votes += 1; yes := n; continue vote; next after(me); }
}
end { when passed => payoff p: share[p]; when t > 2 => payoff p: 0; }"#;
    let game = of(GameSource::from_string("a game", text), &[]);
    let options = SolveOptions { max_strategy_positions: 1000, ..SolveOptions::default() };
    let solution = solved(&game, &game.machine.initial(), method("auto"), &options, &Limits::default());
    let reason = solution.reason.as_ref().expect("a reason");
    assert!(reason.contains("more than 256 results; one equilibrium gives A "), "{reason}");
    let bounds = solution.bounds.as_ref().expect("bounds");
    assert_eq!((&bounds.low, &bounds.high), (&Some(Rational::new(1, 3)), &Some(Rational::from_integer(3))));
    assert!(matches!(&solution.strategy[..], [Lemma::Equilibrium(_)]));
}

/// After the first choices of all, one of two equilibria tempts nobody before it, and the first one does.
#[test]
fn another_equilibrium_of_a_later_stage_is_tried() {
    let text = r#"game "Two stages";
players A, B, C;
phases { pick by each; }
state { c[p: Player]: 0..1 = 0; st: 0..4 = 0; }
def code = 2 * c[A] + c[B];
move ch(k: 0..1) in pick as "{k}" {
  when me != C;
  c[me] := k;
  then { if st = 0 { st := if code = 0 then 1 else 2; } else { st := 3; } }
}
end {
  when st = 2 => payoff p: if p = C then 0 else match code { 1 => 1, 2 => 0, 3 => if p = A then 0 else 1, _ => 0 };
  when st = 3 => payoff p: if p = C then 0 else match code { 0 => if p = A then -2 else 3, 3 => 2, _ => -5 };
}"#;
    let solution = by(&of(GameSource::from_string("a game", text), &[]), "auto");
    let reason = solution.reason.as_ref().expect("a reason");
    assert!(reason.contains("one equilibrium gives A 2, B 2, C 0"), "{reason}");
    let line: Vec<&str> = solution.line.iter().map(|made| &*made.written).collect();
    assert_eq!(line, ["(0, 0)", "(1, 1)"]);
}

/// Two players whose interests are not opposed are solved as several are, also where a rule gives endless play a payoff.
#[test]
fn two_players_who_may_wait_have_an_equilibrium() {
    let text = "game \"Take or wait\"; players A, B;
        state { gone: Player? = none; }
        move take() as \"take\" { gone := me; }
        move wait() as \"wait\" { }
        end { when gone != none => payoff p: if p = gone then 2 else 1; repeat => payoff p: 0; }";
    let game = GameSource::from_string("take.bou", text).game(None).expect("a game");
    let solution = by(&game, "auto");
    let payoffs = solution.value.map(|value| value.payoffs);
    assert_eq!(payoffs, Some(vec![2.into(), 1.into()]), "{:?}", solution.reason);
    let line: Vec<&str> = solution.line.iter().map(|made| &*made.written).collect();
    assert_eq!((line, solution.line_complete), (vec!["take"], true));
}

/// A coin goes round until it shows heads: nobody chooses, so there is nothing to compare with others.
#[test]
fn where_nobody_chooses_chance_alone_decides() {
    let text = "game \"Heads\"; players A, B, C; phases { toss by chance; }
         state { holds: Player = A; is_over: bool = false; }
         chance heads() in toss { is_over := true; }
         chance tails() in toss { holds := if holds = A then B else if holds = B then C else A; }
         end { when is_over => payoff p: if p = holds then 1 else 0; repeat => payoff p: 0; }";
    let solution = by(&of(GameSource::from_string("a game", text), &[]), "auto");
    assert_eq!(solution.compared, ComparedEquilibria::NoChoice);
    let payoffs = solution.value.expect("a value").payoffs;
    assert_eq!(payoffs, [4, 2, 1].map(|share| Rational::new(share, 7)));
}
