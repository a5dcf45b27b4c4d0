//! Random sheets: positions, moves, ends and goals against the oracle, and values by every method against a plain search
//! on the oracle. The sheets resemble games on boards, each with irregularities that a translation could lose.
//!
//! `BOUTON_SLOW=1` compares more sheets; `BOUTON_SEED` and `BOUTON_GAMES` override the first seed and the number.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::random::SplitMix;
use bouton_base::rational::Rational;
use bouton_driver::load::GameSource;
use bouton_driver::solvers;
use bouton_search::game::Backend;
use bouton_search::solve::{SolveOptions, SolveRequest};

use crate::oracle::{Oracle, Position, Term};
use crate::play::{Extent, compare};

/// The maximal number of positions of a sheet whose value is compared.
const MAX_POSITIONS: usize = 400;

struct Dice(SplitMix);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        (self.0.word() % bound.max(1) as u64) as usize
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len())]
    }
}

/// The names of the columns or rows.
const AXES: [[&str; 3]; 5] =
    [["1", "2", "3"], ["a", "b", "c"], ["c1", "c2", "c3"], ["3", "1", "2"], ["x", "one", "10"]];

/// Returns a relation of successors, mostly a chain in the order of the names.
fn chain(name: &str, axis: &[&str], dice: &mut Dice) -> String {
    let mut pairs: Vec<(&str, &str)> = axis.windows(2).map(|pair| (pair[0], pair[1])).collect();
    match dice.below(8) {
        0 => pairs.reverse(),
        1 => pairs.push((axis[axis.len() - 1], axis[0])),
        2 => pairs.push((axis[0], axis[axis.len() - 1])),
        3 => pairs = pairs.into_iter().map(|(a, b)| (b, a)).collect(),
        _ => {}
    }
    pairs.iter().map(|(a, b)| format!("({name} {a} {b})\n")).collect()
}

/// Returns a random sheet of one or two roles.
fn sheet(dice: &mut Dice) -> String {
    let (width, height) = [(2, 2), (3, 1), (3, 2), (2, 3), (2, 1)][dice.below(5)];
    let (cols, rows) = (&AXES[dice.below(5)][..width], &AXES[dice.below(5)][..height]);
    let alone = dice.percent(12);
    let impartial = dice.percent(25);
    let marks = if impartial { ["x", "x"] } else { ["x", "o"] };
    let roles = if alone { &["white"][..] } else { &["white", "black"] };
    let cell = |dice: &mut Dice| format!("{} {}", cols[dice.below(cols.len())], rows[dice.below(rows.len())]);
    let mut text: String = roles.iter().map(|role| format!("(role {role})\n")).collect();
    text += &chain("right", cols, dice);
    text += &chain("up", rows, dice);
    for col in cols {
        for row in rows {
            let value = if dice.percent(8) { dice.of(&["x", "o"]) } else { "b" };
            if !dice.percent(4) {
                text += &format!("(init (cell {col} {row} {value}))\n");
            }
        }
    }
    // The counter of steps.
    let steps = if dice.percent(55) { 1 + dice.below(width * height + 1) } else { 0 };
    if steps > 0 {
        text += "(init (step 1))\n(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))\n";
        text += &(1..=steps).map(|n| format!("(succ {n} {})\n", n + 1)).collect::<String>();
        if dice.percent(10) {
            text += &format!("(<= (next (step 1)) (does white (mark {})))\n", cell(dice));
        }
    }
    let some_step = |dice: &mut Dice| format!("(true (step {}))", 1 + dice.below(steps + 1));
    // The moves.
    let mut free = String::from("(true (cell ?x ?y b))");
    match dice.below(9) {
        0 => free += " (not (near ?x ?y))",
        1 => free += &format!(" (distinct ?x {})", cols[dice.below(cols.len())]),
        2 if steps > 0 => {
            free += &format!(" (or {} (distinct ?y {}))", some_step(dice), rows[dice.below(rows.len())])
        }
        3 => free = "(true (cell ?x ?y ?v)) (distinct ?v x)".into(),
        4 => free += " (or (near ?x ?y) (not (line x)))",
        _ => {}
    }
    text += "(<= (near ?x ?y) (right ?x ?z) (true (cell ?z ?y x)))\n(<= (near ?x ?y) (up ?z ?y) (true (cell ?x ?z o)))\n";
    text += &format!("(<= (free ?x ?y) {free})\n(<= some (free ?x ?y))\n");
    let turns = dice.below(if alone { 1 } else { 9 });
    let own = if dice.percent(15) {
        format!(" (or (true (control white)) (distinct ?x {}))", cols[0])
    } else {
        String::new()
    };
    match turns {
        _ if alone => text += "(<= (legal white (mark ?x ?y)) (free ?x ?y))\n",
        7 => text += "(<= (legal ?p (mark ?x ?y)) (role ?p) (free ?x ?y))\n",
        8 if steps > 0 => {
            text += "(odd 1) (odd 3) (odd 5) (odd 7)\n(<= (turn white) (true (step ?n)) (odd ?n))\n\
                     (<= (turn black) (role black) (not (turn white)))\n\
                     (<= (legal ?p (mark ?x ?y)) (turn ?p) (free ?x ?y))\n(<= (legal ?p noop) (role ?p) (not (turn ?p)))\n";
        }
        _ => {
            text += &format!("(<= (legal ?p (mark ?x ?y)) (true (control ?p)) (free ?x ?y){own})\n");
            text += match dice.below(3) {
                0 => "(<= (legal ?p noop) (role ?p) (not (true (control ?p))))\n",
                1 => {
                    "(<= (legal white noop) (true (control black)))\n(<= (legal black noop) (true (control white)))\n"
                }
                _ => "(<= (legal ?p noop) (role ?p) (true (control ?q)) (distinct ?p ?q))\n",
            };
            text += "(init (control white))\n";
            let at = cell(dice);
            text += &match turns {
                0 => format!(
                    "(<= (next (control white)) (true (control white)) (does white (mark {at})))\n\
                     (<= (next (control black)) (true (control white)) (not (does white (mark {at}))))\n\
                     (<= (next (control white)) (true (control black)))\n"
                ),
                1 => format!(
                    "(<= (next (control black)) (true (control white)))\n\
                     (<= (next (control white)) (true (control black)) (not (true (cell {at} x))))\n\
                     (<= (next (control black)) (true (control black)) (true (cell {at} x)))\n"
                ),
                2 => format!(
                    "(<= (next (control black)) (true (control white)))\n(<= (next (control white)) (true (control black)))\n\
                     (<= (next (control white)) (true (cell {at} o)))\n"
                ),
                _ => "(<= (next (control black)) (true (control white)))\n\
                      (<= (next (control white)) (true (control black)))\n"
                    .into(),
            };
        }
    }
    // The effects.
    for (role, mark) in roles.iter().zip(marks) {
        text += &format!(
            "(<= (next (cell ?x ?y {mark})) (does {role} (mark ?x ?y)))\n(<= (changed ?x ?y) (does {role} (mark ?x ?y)))\n"
        );
    }
    let (taker, from, to) =
        (roles[dice.below(roles.len())], dice.of(&["o", "x", "b"]), dice.of(&["x", "o", "b"]));
    match dice.below(6) {
        0 => {
            text += &format!(
                "(<= (taken ?x ?y) (does {taker} (mark ?z ?y)) (right ?z ?x) (true (cell ?x ?y {from})))\n\
                 (<= (changed ?x ?y) (taken ?x ?y))\n(<= (next (cell ?x ?y {to})) (taken ?x ?y))\n"
            );
        }
        1 => {
            let at = cell(dice);
            text += &format!(
                "(<= (changed {at}) (does {taker} (mark {})) (true (cell {at} {from})))\n\
                 (<= (next (cell {at} {to})) (does {taker} (mark {})) (true (cell {at} {from})))\n",
                cell(dice),
                cell(dice)
            );
        }
        _ => {}
    }
    text += "(<= (next (cell ?x ?y ?v)) (true (cell ?x ?y ?v)) (not (changed ?x ?y)))\n";
    // The lines.
    let line = match dice.below(4) {
        0 => "(true (cell ?x ?y ?v)) (right ?x ?z) (true (cell ?z ?y ?v))".to_owned(),
        1 => "(true (cell ?x ?y ?v)) (up ?y ?z) (true (cell ?x ?z ?v))".to_owned(),
        2 => "(true (cell ?x ?y ?v)) (up ?y ?z) (right ?x ?w) (true (cell ?w ?z ?v))".to_owned(),
        _ => format!("(true (cell {} ?v)) (true (cell {} ?v))", cell(dice), cell(dice)),
    };
    text += &format!("(<= (line ?v) {line} (distinct ?v b))\n");
    if dice.percent(30) {
        text += &format!(
            "(<= (line ?v) (true (cell {} ?v)) (true (cell ?x {} ?v)) (distinct ?v b))\n",
            cell(dice),
            rows[0]
        );
    }
    // The ends.
    text += "(<= terminal (not some))\n";
    let ends = ["(line x)", "(line o)", "(line ?v)"];
    for _ in 0..dice.below(3) {
        text += &format!("(<= terminal {})\n", dice.of(&ends));
    }
    if steps > 0 && dice.percent(60) {
        text += &format!(
            "(<= terminal (true (step {})))\n",
            if dice.percent(60) { steps + 1 } else { 1 + dice.below(steps) }
        );
    }
    let at = cell(dice);
    let won = match dice.below(6) {
        0 => "(line x)".to_owned(),
        1 => format!("(true (cell {at} x))"),
        2 if !alone => "(true (control white))".to_owned(),
        3 if steps > 0 => some_step(dice),
        4 => format!("(or (line x) (true (cell {at} o)))"),
        _ => "(line x)".to_owned(),
    };
    text += &format!("(<= won {won})\n");
    let (high, low) = if dice.percent(60) { (100, 0) } else { (70, 30) };
    text += &match dice.below(if alone { 1 } else { 5 }) {
        0 | 1 if alone => format!("(<= (goal white {high}) won)\n(<= (goal white {low}) (not won))\n"),
        0 | 1 => format!(
            "(<= (goal white {high}) won)\n(<= (goal white {low}) (not won))\n(<= (goal black {low}) won)\n\
             (<= (goal black {high}) (not won))\n"
        ),
        2 => format!(
            "(<= (goal white {high}) won (not (line o)))\n(<= (goal black {low}) won (not (line o)))\n\
             (<= (goal white {low}) (not won) (line o))\n(<= (goal black {high}) (not won) (line o))\n\
             (<= (goal ?p 50) (role ?p) won (line o))\n(<= (goal ?p 50) (role ?p) (not won) (not (line o)))\n"
        ),
        3 => format!(
            "(<= (goal white {high}) won)\n(<= (goal white {low}) (not won))\n(<= (goal black 100) (line o))\n\
             (<= (goal black 0) (not (line o)))\n"
        ),
        _ => "(<= (goal white 100) won)\n(<= (goal ?p 50) (role ?p) (not won) (not (line o)))\n(<= (goal white 0) (not won) \
              (line o))\n(<= (goal black 0) won)\n(<= (goal black 100) (not won) (line o))\n"
            .into(),
    };
    // The waiting move may be one that marks a cell, so that who waits has effects.
    if dice.percent(15) { text.replace(" noop)", &format!(" (mark {}))", cell(dice))) } else { text }
}

/// The goals of best play, in the order of the roles.
type Goals = Vec<i64>;

/// The naive search; `None` where play has no single value, repeats a position or is ill-formed.
struct Search<'o> {
    oracle: &'o mut Oracle,
    roles: Vec<Term>,
    known: HashMap<Position, Option<Goals>>,
}

impl Search<'_> {
    fn value(&mut self, position: &Position, depth: usize) -> Option<Goals> {
        if let Some(known) = self.known.get(position) {
            return known.clone();
        }
        if self.known.len() > MAX_POSITIONS || depth > 30 {
            return None;
        }
        // A position on the path has no value yet.
        self.known.insert(position.clone(), None);
        let value = self.value_of(position, depth)?;
        self.known.insert(position.clone(), Some(value.clone()));
        Some(value)
    }

    fn value_of(&mut self, position: &Position, depth: usize) -> Option<Goals> {
        if self.oracle.terminal(position) {
            let goals = self.oracle.goals(position);
            let only = |role: &Term| {
                let own = goals.get(role).filter(|own| own.len() == 1)?;
                own.first()?.to_string().parse().ok()
            };
            let all: Goals = self.roles.iter().map(only).collect::<Option<_>>()?;
            return (all.len() == 1 || all.iter().sum::<i64>() == 100).then_some(all);
        }
        let legal = self.oracle.legal(position);
        let moves: Vec<Vec<Term>> = self
            .roles
            .iter()
            .map(|role| Some(legal.get(role)?.iter().cloned().collect()))
            .collect::<Option<_>>()?;
        let choosers: Vec<usize> = (0..moves.len()).filter(|&role| moves[role].len() > 1).collect();
        let chooser = match choosers[..] {
            [] => 0,
            [one] => one,
            _ => return None,
        };
        let mut best: Option<Goals> = None;
        for made in moves[chooser].clone() {
            let of = |role: usize| if role == chooser { made.clone() } else { moves[role][0].clone() };
            let joint: Vec<(Term, Term)> =
                (0..moves.len()).map(|role| (self.roles[role].clone(), of(role))).collect();
            let next = self.oracle.next(position, &joint);
            let value = self.value(&next, depth + 1)?;
            if best.as_ref().is_none_or(|best| value[chooser] > best[chooser]) {
                best = Some(value);
            }
        }
        best
    }
}

/// Compares a sheet; the error is the difference.
fn examine(text: &str, seed: u64, seen: &mut BTreeMap<String, u64>) -> Result<(), String> {
    let mut see = |what: &str| *seen.entry(what.to_owned()).or_default() += 1;
    let backend = [Backend::Reference, Backend::Interp, Backend::Jit][(seed % 3) as usize];
    let until = Instant::now() + Duration::from_secs(60);
    let agreed = match compare("random.kif", text, Extent { plays: 6, moves: 20, until, backend }) {
        // A sheet may be over before its only role could move.
        Err(why) if why.contains("E0709") => {
            see("refused");
            return Ok(());
        }
        other => other?,
    };
    see(if agreed.ill_formed > 0 { "ill-formed" } else { "well-formed" });
    let mut source = GameSource::from_string("random.kif", text);
    source.backend = backend;
    let names = source.gdl_names().expect("a sheet").clone();
    let game = source.game(None).map_err(|why| format!("no game: {why:?}"))?;
    let mut oracle = Oracle::new(text);
    let (roles, first) = (oracle.roles(), oracle.initial());
    let mut search = Search { oracle: &mut oracle, roles, known: HashMap::new() };
    let Some(value) = search.value(&first, 0) else {
        see("no value by the oracle");
        return Ok(());
    };
    see("values");
    let (state, limits, options) = (game.machine.initial(), Limits::default(), SolveOptions::default());
    for solver in solvers::all() {
        let request = SolveRequest::new(&game, &state, &options, &limits, &NoProgress);
        let Ok(solution) = solver.solve(&request) else {
            return Err(format!("{}: a fault, where the value is {value:?}", solver.name()));
        };
        let Some(found) = &solution.value else { continue };
        see(&format!("solved by {}", solver.name()));
        let found: Vec<String> = found.payoffs.iter().map(|payoff| names.goal(payoff).to_string()).collect();
        let wanted: Vec<String> =
            value.iter().map(|goal| Rational::from_integer(*goal).to_string()).collect();
        if found != wanted {
            return Err(format!("{}: {found:?}, where the value is {wanted:?}", solver.name()));
        }
    }
    Ok(())
}

#[test]
fn random_sheets_have_the_values_of_the_oracle() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let first: u64 = number("BOUTON_SEED").unwrap_or(1);
    let games: u64 = number("BOUTON_GAMES").unwrap_or(if crate::slow() { 3000 } else { 60 });
    let (mut seen, mut differences) = (BTreeMap::new(), Vec::new());
    for seed in first..first + games {
        let text = sheet(&mut Dice(SplitMix::new(seed)));
        let result = catch_unwind(AssertUnwindSafe(|| examine(&text, seed, &mut seen)));
        if let Err(difference) = result.unwrap_or_else(|_| Err("a panic".into())) {
            differences.push((seed, difference, text));
        }
    }
    seen.iter().for_each(|(what, count)| println!("{count:6} {what}"));
    for (seed, difference, _) in differences.iter().take(30) {
        println!("{seed}: {}", difference.lines().next().unwrap_or_default());
    }
    if let Some((seed, difference, text)) = differences.iter().min_by_key(|(_, _, text)| text.len()) {
        panic!("{} of {games} differ; seed {seed}: {difference}\n{text}", differences.len());
    }
    assert!(seen.get("values").is_some_and(|values| values * 4 > games), "few sheets have a value");
}
