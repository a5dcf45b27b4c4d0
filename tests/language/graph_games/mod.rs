//! Random games with chance, simultaneous choices, hidden information, one player, and several players, and games on
//! boards of every kind: values by every method against those of the reference interpreter, certificates, and mutations
//! of certificates.
//!
//! `BOUTON_SLOW=1` runs more games; `BOUTON_SEED` and `BOUTON_GAMES` override the first seed and the number of games, and
//! with `BOUTON_TRACE` each seed is printed before its game.

mod board_maker;
mod claims;
mod hidden_maker;
mod maker;
mod matrix;
mod mutations;
mod normal_play;
mod oracle;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_certificates::{self as cert, Convention};
use bouton_driver::load::GameSource;
use bouton_driver::solvers;
use bouton_rules::Rules;
use bouton_search::game::{Backend, Game, ToMove};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::{Solution, SolveOptions, SymmetryMode};

use super::{accepts, method, slow, solved};
use maker::{Choices, Family};
use oracle::{Graph, Payoffs};

/// The maximal number of positions of a game.
const MAX_POSITIONS: usize = 700;

/// The maximal number of positions that a method searches.
const MAX_SEARCHED_POSITIONS: u64 = 20_000;

/// The truth about a game.
pub struct Truth {
    graph: Graph,
    value: Known,
}

/// The knowledge of a value.
pub enum Known {
    /// The payoffs of best play, and of the first player in each position if nothing is hidden.
    Value { payoffs: Payoffs, positions: Option<Vec<Rational>> },
    /// The first player's value lies between these.
    Between(Rational, Rational),
    /// The payoffs of all subgame-perfect equilibria, by position.
    Equilibria(Vec<Vec<Payoffs>>),
    /// The payoffs of all equilibria in strategies that depend on the position alone.
    Stationary(Vec<Payoffs>),
    /// There is no value, for this reason.
    Nothing(&'static str),
}

impl Truth {
    fn of(game: &Game) -> Option<Truth> {
        let graph = Graph::of(&game.rules, MAX_POSITIONS)?;
        let value = known(&graph, game)?;
        Some(Truth { graph, value })
    }

    /// Returns true if ends are won or lost, without payoffs.
    pub fn wins_matter(&self) -> bool {
        !has_payoffs(self.graph.interpreter.rules())
    }

    /// Returns true if a claim that the first player (or another) is sure of a payoff is false; `None` if it is not known.
    pub fn exceeds(&self, player: u32, payoff: &Rational) -> Option<bool> {
        match &self.value {
            Known::Value { payoffs, .. } => payoffs.get(player as usize).map(|value| value < payoff),
            Known::Between(low, high) if player == 0 => {
                Some(payoff > high).filter(|_| payoff > high || payoff <= low)
            }
            Known::Equilibria(_) => {
                self.graph.order.as_ref().filter(|_| !self.graph.has(&ToMove::Simultaneous))?;
                Some(self.graph.security(player) < *payoff)
            }
            _ => None,
        }
    }
}

/// Returns what is known of a game; `None` if it is too large.
fn known(graph: &Graph, game: &Game) -> Option<Known> {
    let rules = &game.rules;
    let pair = |first: Rational, sum: Rational| match graph.players {
        1 => vec![first],
        _ => vec![first.clone(), sum - first],
    };
    let whole = |values: Vec<Rational>, sum: Rational| Known::Value {
        payoffs: pair(values[0].clone(), sum),
        positions: Some(values),
    };
    if graph.players > 2 || graph.constant_sum().is_none() && graph.players == 2 {
        return match graph.equilibria(4000) {
            _ if rules.has_hidden_information() => Some(Known::Nothing("general sum, hidden")),
            Some(all) => Some(Known::Equilibria(all)),
            None if graph.order.is_none() => stationary(graph),
            None if graph.players == 2 && graph.has(&ToMove::Simultaneous) => {
                Some(match graph.sole_equilibrium() {
                    Some(payoffs) => Known::Equilibria(payoffs.into_iter().map(|of| vec![of]).collect()),
                    None => Known::Nothing("general sum, several equilibria"),
                })
            }
            None if graph.has(&ToMove::Simultaneous) => Some(Known::Nothing("three players at once")),
            None => None,
        };
    }
    let sum = graph.constant_sum().unwrap_or_default();
    if rules.has_hidden_information() {
        return match oracle::normal_form_value(graph, rules, 700) {
            Ok(first) => Some(Known::Value { payoffs: pair(first, sum), positions: None }),
            Err("too large") => None,
            Err(why) => Some(Known::Nothing(why)),
        };
    }
    if graph.order.is_some() {
        return Some(whole(graph.values(), sum));
    }
    let mut endless: Vec<_> =
        graph.nodes.iter().filter(|node| node.turn_goes_on()).map(|node| &node.endless).collect();
    endless.dedup();
    let alone = graph.players == 1;
    let endless = match endless[..] {
        [Some(payoffs)] => payoffs[0].clone(),
        [None] if alone && !has_payoffs(rules) => Rational::from_integer(-1),
        [None] if graph.has(&ToMove::Simultaneous) && graph.surely_ends() => {
            // Endless play has probability 0: the value of some end stands for it.
            (0..graph.nodes.len())
                .find_map(|at| graph.payoffs(at))
                .map(|of| of[0].clone())
                .unwrap_or_default()
        }
        [None] if graph.has(&ToMove::Simultaneous) => {
            return Some(Known::Nothing("endless play has no value"));
        }
        [None] => return forced_end(graph, has_payoffs(rules), sum),
        _ => return Some(Known::Nothing("endless play has several values")),
    };
    if !graph.has(&ToMove::Simultaneous) && !graph.has(&ToMove::Chance) {
        return Some(whole(graph.values_of_turns(&endless), sum));
    }
    if !graph.has(&ToMove::Simultaneous) {
        return graph.positional_values(&endless, 3000).map(|values| whole(values, sum));
    }
    let ends: Vec<Rational> = (0..graph.nodes.len())
        .filter_map(|at| graph.payoffs(at).map(|of| of[0].clone()))
        .chain([endless])
        .collect();
    let least = graph.iterated(ends.iter().min()?, 7)[0].clone();
    let most = graph.iterated(ends.iter().max()?, 7)[0].clone();
    Some(Known::Between(least, most))
}

/// Returns the results of a game of any payoffs whose positions come back.
fn stationary(graph: &Graph) -> Option<Known> {
    let ends: Vec<&Payoffs> = (0..graph.nodes.len()).filter_map(|at| graph.payoffs(at)).collect();
    let mut endless: Vec<_> =
        graph.nodes.iter().filter(|node| node.turn_goes_on()).map(|node| &node.endless).collect();
    endless.dedup();
    if graph.surely_ends() && !graph.has(&ToMove::Simultaneous) {
        // Endless play has probability 0, so that its value does not matter.
        let nothing = vec![oracle::zero(); graph.players];
        return Some(Known::Stationary(graph.stationary_equilibria(&nothing, 3000)?));
    }
    let ([Some(endless)], false) = (&endless[..], graph.has(&ToMove::Simultaneous)) else {
        return Some(Known::Nothing("general sum with cycles"));
    };
    if ends.iter().any(|end| end.iter().zip(endless).any(|(end, endless)| end < endless)) {
        return Some(Known::Nothing("general sum with cycles, endless play may be good"));
    }
    Some(Known::Stationary(graph.stationary_equilibria(endless, 3000)?))
}

/// Returns the value of a game whose rules do not give endless play one, if it is the same whatever endless play is worth;
/// a single player never wants it.
fn forced_end(graph: &Graph, payoffs: bool, sum: Rational) -> Option<Known> {
    let huge = Rational::from_integer(if payoffs { 1 << 40 } else { 1 });
    let [low, high] = [-&huge, huge].map(|endless| match graph.has(&ToMove::Chance) {
        true => graph.positional_values(&endless, 3000),
        false => Some(graph.values_of_turns(&endless)),
    });
    let (low, high) = (low?, high?);
    let sure = low[0] == high[0] || graph.players == 1 && low[0] > Rational::from_integer(-1000);
    let payoffs = match graph.players {
        1 => vec![low[0].clone()],
        _ => vec![low[0].clone(), sum - &low[0]],
    };
    let positions = (low == high).then_some(low);
    Some(if sure { Known::Value { payoffs, positions } } else { Known::Nothing("endless play has no value") })
}

impl oracle::Node {
    fn turn_goes_on(&self) -> bool {
        !matches!(self.turn, ToMove::Terminal(_))
    }
}

fn has_payoffs(rules: &Rules) -> bool {
    Convention::of(rules) == Convention::Payoff
}

/// Counters of what was seen.
#[derive(Default)]
struct Seen(BTreeMap<String, u64>);

impl Seen {
    fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }
}

/// Compares all methods on a game with the truth; the error is the difference.
fn compare(text: &str, seed: u64, seen: &mut Seen) -> Result<(), String> {
    let mut source = GameSource::from_string("a game", text);
    source.backend = [Backend::Jit, Backend::Interp, Backend::Reference][(seed % 3) as usize];
    let game = source.game(None).map_err(|e| format!("the text is refused: {e:?}"))?;
    let Some(truth) = Truth::of(&game) else {
        seen.add("left out");
        return Ok(());
    };
    claims::compare(text, &truth, seed)?;
    seen.add(match &truth.value {
        Known::Value { .. } if truth.graph.order.is_some() => "value, finite",
        Known::Value { .. } => "value, endless",
        Known::Between(..) => "bounds",
        Known::Equilibria(_) => "equilibria",
        Known::Stationary(all) if all.len() == 1 => "one equilibrium, endless",
        Known::Stationary(_) => "several equilibria, endless",
        Known::Nothing(why) => why,
    });
    margins(&game, &truth, seen)?;
    mutations::forge_from_open_play(&game, &truth, text)?;
    for solver in solvers::all() {
        let name = solver.name();
        let strong =
            seed.is_multiple_of(5) && ["auto", "policy", "dp", "retrograde", "interval"].contains(&name);
        let options = SolveOptions {
            all_moves: true,
            strong,
            count_plies: seed.is_multiple_of(2) && solver.counts_plies(),
            max_strategy_positions: 10_000,
            symmetry: if seed.is_multiple_of(4) { SymmetryMode::Auto } else { SymmetryMode::Off },
            ..SolveOptions::default()
        };
        // Best-first searches may take long where positions come back.
        let limits = Limits { positions: Some(MAX_SEARCHED_POSITIONS), ..Limits::default() };
        let solution = solved(&game, &game.machine.initial(), method(name), &options, &limits);
        let say = |what: String| format!("{name} (strong {strong}): {what}\n{solution:#?}");
        answer(&truth, &solution, name, seen).map_err(say)?;
        if solution.value.is_some() || solution.bounds.is_some() {
            let limits = Limits::default();
            let wanted = CertificateOptions { strong, positions: None, limits: &limits };
            match certificate(&game, &game.machine.initial(), &solution, &wanted) {
                Ok(made) => {
                    let kinds: Vec<&str> = made.lemmas.iter().map(|lemma| lemma.kind()).collect();
                    accepts(&game, &made).map_err(|why| say(format!("refused: {why}")))?;
                    if cert::parse(&cert::write(&made)).as_ref() != Ok(&made) {
                        return Err(say(format!("not read as it was written: {made:#?}")));
                    }
                    if let Some(why) = mutations::false_claim(&truth, &made.header.claim) {
                        return Err(say(format!("a false claim is accepted: {why}")));
                    }
                    seen.add(format!("proved by {}", kinds.join(", ")));
                    mutations::mutate(&game, &truth, &made, seed).map_err(say)?;
                    mutations::move_to_other_positions(&game, &truth, &made).map_err(say)?;
                }
                Err(why) if solution.value.is_some() => seen.add(format!("not proved, {name}: {why}")),
                Err(_) => {}
            }
        }
    }
    Ok(())
}

/// Compares a solution with the truth.
fn answer(truth: &Truth, solution: &Solution, name: &str, seen: &mut Seen) -> Result<(), String> {
    let graph = &truth.graph;
    let claimed = solution.value.as_ref().map(|value| &value.payoffs);
    if claimed.is_some() {
        seen.add(format!("solved by {name}"));
    } else if solution.bounds.is_some() {
        seen.add(format!("bounded by {name}"));
    }
    if name == "paranoid" {
        return paranoid(truth, solution);
    }
    match &truth.value {
        Known::Value { payoffs, positions } => {
            if let Some(claimed) = claimed
                && claimed != payoffs
            {
                return Err(format!("the value is {payoffs:?}"));
            }
            if let (None, Some(bounds)) = (claimed, &solution.bounds) {
                let low = bounds.low.as_ref().is_none_or(|low| *low <= payoffs[0]);
                let high = bounds.high.as_ref().is_none_or(|high| *high >= payoffs[0]);
                if !low || !high {
                    return Err(format!("the value is {payoffs:?}"));
                }
            }
            if name == "auto" && claimed.is_none() {
                seen.add(format!("auto has no value: {}", solution.reason.clone().unwrap_or_default()));
            }
            if let (Some(length), 1, Some(_)) = (&solution.expected_length, graph.players, claimed) {
                let fewest = graph.fewest_mean_plies(&payoffs[0], 3000);
                if fewest.as_ref().is_some_and(|fewest| fewest != length) {
                    return Err(format!("the fewest mean plies are {fewest:?}"));
                }
                seen.add(format!("mean plies by {name}"));
            }
            if let Some(positions) = positions {
                moves(graph, positions, solution)?;
            }
        }
        Known::Between(low, high) => {
            let (least, most) = match (claimed, &solution.bounds) {
                (Some(payoffs), _) => (Some(&payoffs[0]), Some(&payoffs[0])),
                (None, Some(bounds)) => (bounds.low.as_ref(), bounds.high.as_ref()),
                _ => (None, None),
            };
            if least.is_some_and(|least| least > high) || most.is_some_and(|most| most < low) {
                return Err(format!("the value is between {low} and {high}"));
            }
        }
        Known::Equilibria(all) => {
            if let Some(claimed) = claimed
                && (all[0].len() != 1 || all[0][0] != *claimed)
            {
                return Err(format!("the equilibria are worth {:?}", all[0]));
            }
            if let (None, Some(bounds), "auto" | "max-n") = (claimed, &solution.bounds, name) {
                let first = || all[0].iter().map(|payoffs| payoffs[0].clone());
                if all[0].len() == 1 || bounds.low != first().min() || bounds.high != first().max() {
                    return Err(format!("the equilibria are worth {:?}", all[0]));
                }
                for payoffs in &all[0] {
                    let words: Vec<String> = payoffs.iter().map(ToString::to_string).collect();
                    let reason = solution.reason.clone().unwrap_or_default();
                    if !words.iter().all(|word| reason.contains(word.as_str())) {
                        return Err(format!("an equilibrium is missing: {payoffs:?}"));
                    }
                }
            }
            for made in &solution.moves {
                let edge = graph.nodes[0]
                    .edges
                    .iter()
                    .find(|edge| edge.play == made.made.play)
                    .ok_or("no such move")?;
                if let Some(value) = &made.value
                    && all[edge.to] != [value.payoffs.clone()]
                {
                    return Err(format!("the move {} is worth {:?}", made.made.written, all[edge.to]));
                }
            }
        }
        Known::Stationary(all) => {
            if claimed.is_some_and(|claimed| all[..] != [claimed.clone()]) {
                return Err(format!("the equilibria are worth {all:?}"));
            }
            if let (None, Some(bounds), "auto" | "max-n") = (claimed, &solution.bounds, name) {
                let first = || all.iter().map(|payoffs| payoffs[0].clone());
                if all.len() == 1 || bounds.low != first().min() || bounds.high != first().max() {
                    return Err(format!("the equilibria are worth {all:?}"));
                }
            }
        }
        Known::Nothing(why) => {
            if claimed.is_some() {
                return Err(format!("there is no value: {why}"));
            }
        }
    }
    Ok(())
}

/// Compares play for the difference of the scores by all methods.
fn margins(game: &Game, truth: &Truth, seen: &mut Seen) -> Result<(), String> {
    let Some(wanted) = truth.graph.margin() else { return Ok(()) };
    let options = SolveOptions { margin: true, all_moves: true, ..SolveOptions::default() };
    for solver in solvers::all() {
        let solution =
            solved(game, &game.machine.initial(), method(solver.name()), &options, &Limits::default());
        if solution.value.is_some() {
            seen.add(format!("margin by {}", solver.name()));
        }
        if solution.margin.as_ref().is_some_and(|margin| *margin != wanted) {
            return Err(format!("{}: the margin is {wanted}\n{solution:#?}", solver.name()));
        }
        let sign = solution.value.as_ref().map(|value| value.payoffs[0].sign());
        if sign.is_some() && solution.margin.is_none() {
            return Err(format!("{}: a value without its margin\n{solution:#?}", solver.name()));
        }
    }
    Ok(())
}

/// Compares the values of moves, and the best moves.
fn moves(graph: &Graph, positions: &[Rational], solution: &Solution) -> Result<(), String> {
    let edge = |play| graph.nodes[0].edges.iter().find(|edge| edge.play == play).ok_or("no such move");
    for made in &solution.moves {
        let worth = &positions[edge(made.made.play.clone())?.to];
        if let Some(value) = &made.value
            && value.payoffs[0] != *worth
        {
            return Err(format!("the move {} is worth {worth}", made.made.written));
        }
        if let Some(bounds) = &made.bounds
            && (bounds.low.as_ref().is_some_and(|low| low > worth)
                || bounds.high.as_ref().is_some_and(|high| high < worth))
        {
            return Err(format!("the move {} is worth {worth}", made.made.written));
        }
    }
    if solution.value.is_some() && matches!(graph.nodes[0].turn, ToMove::Player(_)) {
        for best in &solution.best_moves {
            if positions[edge(best.play.clone())?.to] != positions[0] {
                return Err(format!("{} is no best move", best.written));
            }
        }
        let good = graph.nodes[0].edges.iter().filter(|edge| positions[edge.to] == positions[0]).count();
        // Other methods, and single players, prefer moves that come nearer to an end.
        if solution.best_moves_complete
            && solution.method == "dp"
            && graph.players == 2
            && solution.remoteness.is_none()
            && good != solution.best_moves.len()
        {
            return Err(format!("there are {good} best moves"));
        }
    }
    Ok(())
}

fn paranoid(truth: &Truth, solution: &Solution) -> Result<(), String> {
    if solution.bounds.is_none() || truth.graph.has(&ToMove::Simultaneous) {
        return Ok(());
    }
    if truth.graph.order.is_none() {
        return Err("it needs a finite game".into());
    }
    let reason = solution.reason.clone().unwrap_or_default();
    for player in 0..truth.graph.players as u32 {
        let wanted = format!("{} {}", ["A", "B", "C"][player as usize], truth.graph.security(player));
        if !reason.contains(&wanted) {
            return Err(format!("it is not {wanted}"));
        }
    }
    Ok(())
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

/// Compares random games of a family.
fn run(family: Family, quick: u64) {
    let first = number("BOUTON_SEED").unwrap_or(1);
    let games = number("BOUTON_GAMES").unwrap_or(if slow() { 50 * quick } else { quick });
    let mut seen = Seen::default();
    let mut differences = Vec::new();
    for seed in first..first + games {
        let text = maker::game(family, &mut Choices::new(seed));
        if std::env::var_os("BOUTON_TRACE").is_some() {
            eprintln!("seed {seed}");
        }
        let result = catch_unwind(AssertUnwindSafe(|| compare(&text, seed, &mut seen)));
        let result = result.unwrap_or_else(|_| Err("a panic".into()));
        if let Err(difference) = result {
            differences.push((seed, difference, text));
        }
    }
    seen.0.iter().for_each(|(what, count)| println!("{count:6} {what}"));
    let seeds: Vec<u64> = differences.iter().map(|(seed, ..)| *seed).collect();
    if let Some((seed, difference, text)) = differences.iter().min_by_key(|(_, _, text)| text.len()) {
        for (seed, difference, _) in differences.iter().take(30) {
            println!("{seed}: {}", difference.lines().next().unwrap_or_default());
        }
        panic!("{} of {games} differ: {seeds:?}; seed {seed}: {difference}\n{text}", seeds.len());
    }
}

#[test]
fn chance_and_turns() {
    run(Family::Chance, 60);
}

#[test]
fn simultaneous_choices() {
    run(Family::Simultaneous, 40);
}

#[test]
fn single_players() {
    run(Family::Alone, 60);
}

#[test]
fn any_payoffs_of_several_players() {
    run(Family::General, 100);
}

#[test]
fn boards_of_every_kind() {
    run(Family::Boards, 40);
}

#[test]
fn hidden_information() {
    run(Family::Hidden, 40);
}

/// Solves a text by `auto`; the checker must accept the certificate of a value.
fn solved_text(text: &str) -> (Option<Payoffs>, Option<String>) {
    let game = super::of(GameSource::from_string("a game", text), &[]);
    let options = SolveOptions::default();
    let solution = solved(&game, &game.machine.initial(), method("auto"), &options, &Limits::default());
    if solution.value.is_some() {
        assert_eq!(accepts(&game, &super::proof(&game, &solution)), Ok(()));
    }
    (solution.value.map(|value| value.payoffs), solution.reason)
}

#[test]
fn endless_play_of_one_player() {
    let text = |moves: &str, ends: &str| {
        format!(
            "game \"Alone\"; player A; state {{ at: 0..3 = 0; flip: bool = false; }}\n\
             move stay() {{ when at = 0; flip := not flip; }}\n{moves}\nend {{ {ends} }}"
        )
    };
    let leave = "move leave(k: 1..2) { at := k; }";
    let payoffs = "when at > 0 => payoff p: -at;";
    // He ends play, whatever it costs; without an end there is no value.
    assert_eq!(solved_text(&text(leave, payoffs)).0, Some(vec![Rational::from_integer(-1)]));
    let (value, reason) = solved_text(&text("move wait() { when at = 0; flip := not flip; }", payoffs));
    assert_eq!(value, None);
    assert!(reason.is_some_and(|reason| reason.contains("no `repeat` rule gives its value")));
    // By a rule it may be better than any end, or worse.
    let rule = |of: i64| format!("{payoffs} repeat => payoff p: {of};");
    assert_eq!(solved_text(&text(leave, &rule(2))).0, Some(vec![Rational::from_integer(2)]));
    assert_eq!(solved_text(&text(leave, &rule(-3))).0, Some(vec![Rational::from_integer(-1)]));
    assert_eq!(solved_text(&text(leave, "when at > 0 => lose;")).0, Some(vec![Rational::from_integer(-1)]));
    assert_eq!(solved_text(&text(leave, "when at > 0 => lose; repeat => win;")).0, Some(vec![Rational::ONE]));
    // A rule for endless play that never applies spoils no proof.
    let finite = "game \"Lost\"; player A; state { at: 0..1 = 0; }\nmove go() { at := 1; }\n\
        end { when at = 1 => lose; repeat => win; }";
    assert_eq!(solved_text(finite).0, Some(vec![Rational::from_integer(-1)]));
}
