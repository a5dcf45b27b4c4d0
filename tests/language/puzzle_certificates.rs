//! False claims about puzzles of one player: certificates of the kinds `distance`, `parity` and `permutation` with a false
//! claim and changed lists, which the checker refuses whatever changed.

use super::{accepts, method, proof, set, solved};
use bouton_base::limits::Limits;
use bouton_base::random::SplitMix;
use bouton_certificates::distance::{PatternClasses, PatternCost, PatternDistance};
use bouton_certificates::{
    Certificate, Claim, Digest, DistanceLemma, Header, Lemma, ParityLemma, PermutationLemma,
};
use bouton_search::game::{Backend, Game};
use bouton_search::solve::{Solution, SolveOptions, StrategyAnswer};

/// The number of changed certificates for each game.
const CHANGED: usize = 150;

/// A number below a bound.
fn below(random: &mut SplitMix, bound: usize) -> usize {
    (random.word() % bound.max(1) as u64) as usize
}

fn by(game: &Game, at: &bouton_search::game::State, name: &str) -> Solution {
    let options = SolveOptions { max_strategy_positions: usize::MAX, ..SolveOptions::default() };
    solved(game, at, method(name), &options, &Limits::default())
}

/// Returns the certificate of a shortest plan, and one with a plan of more moves that is claimed to be a shortest one.
fn shortest_and_longer(game: &Game) -> (Certificate, Certificate) {
    let start = game.machine.initial();
    let shortest = by(game, &start, "astar");
    let least = shortest.remoteness.expect("a plan");
    for next in game.machine.successors(&start).expect("moves") {
        let mut longer = by(game, &next.state, "astar");
        let Some(Ok(replies)) = &mut longer.replies else { continue };
        let Some(of) = replies.first_mut() else { continue };
        let comes_back = of.answers.iter().any(|answer| answer.at == start);
        let moves = longer.remoteness.map_or(0, |moves| moves + 1);
        if moves <= least || comes_back {
            continue;
        }
        of.answers.push(StrategyAnswer { at: start.clone(), play: next.play, rank: None });
        of.plies = Some(u64::from(moves));
        longer.remoteness = Some(moves);
        longer.distance = shortest.distance.clone();
        let mut false_one = proof(game, &longer);
        false_one.header.claim = Claim::SolvedIn(u64::from(moves));
        return (proof(game, &shortest), false_one);
    }
    panic!("{}: each first move is one of a shortest plan, or comes back", game.rules.name)
}

/// Changes the lists of a lower bound at random.
fn change_distance(lemma: &mut DistanceLemma, random: &mut SplitMix) {
    let more = 1 + random.word() % 3;
    let (at, class) = (below(random, lemma.distances.len()), below(random, lemma.classes.len()));
    let cost = below(random, lemma.costs.len());
    match random.word() % 9 {
        0 => lemma.distances.iter_mut().filter(|of| of.least > 0).for_each(|of| of.least += more),
        1 => lemma.distances.iter_mut().for_each(|of| of.least += more),
        2 => lemma.distances.iter_mut().for_each(|of| of.least *= 1 + more),
        3 => lemma.distances[at].least += more,
        4 => drop(lemma.distances.remove(at)),
        5 if !lemma.classes.is_empty() => {
            let PatternClasses { classes, .. } = &mut lemma.classes[class];
            let value = below(random, classes.len());
            classes[value] = below(random, classes.len()) as u8;
        }
        6 if !lemma.costs.is_empty() => {
            let PatternCost { action, values, .. } = &mut lemma.costs[cost];
            if random.word().is_multiple_of(2) {
                values.push(below(random, 8) as u8);
            } else {
                *action = below(random, 1 + *action as usize * 2) as u32;
            }
        }
        7 if !lemma.costs.is_empty() => drop(lemma.costs.remove(cost)),
        _ => {
            let PatternDistance { pattern, classes, least } = lemma.distances[at].clone();
            let classes = classes.into_iter().rev().collect();
            lemma.distances.push(PatternDistance { pattern, classes, least: least + more });
        }
    }
    lemma.distances.sort_unstable();
    lemma.costs.sort_unstable();
}

#[test]
fn no_change_proves_a_longer_plan_to_be_a_shortest_one() {
    for (name, settings) in [
        ("hanoi", &["n=3"][..]),
        ("hanoi", &["n=2", "pegs=4"]),
        ("pancakes", &["n=4", "start=[2, 4, 1, 3]"]),
        ("pancakes", &["n=5", "start=[5, 3, 1, 4, 2]"]),
        ("rush_hour", &["lines=[2, 4]", "across={1}", "lengths=[2, 2]", "start=[0, 1]"]),
    ] {
        let game = set(name, settings, Backend::Jit);
        let (shortest, longer) = shortest_and_longer(&game);
        assert_eq!(accepts(&game, &shortest), Ok(()), "{name}");
        let Claim::SolvedIn(claimed) = longer.header.claim else { panic!("a plan") };
        let place = longer.lemmas.iter().position(|lemma| matches!(lemma, Lemma::Distance(_)));
        let place = place.expect("a lower bound");
        // The sound bound is below the claim.
        assert!(accepts(&game, &longer).is_err(), "{name}");
        let mut random = SplitMix::new(7);
        for number in 0..CHANGED {
            let mut changed = longer.clone();
            let Lemma::Distance(lemma) = &mut changed.lemmas[place] else { panic!("a lower bound") };
            lemma.least = claimed;
            for _ in 0..random.word() % 4 {
                change_distance(lemma, &mut random);
            }
            assert!(accepts(&game, &changed).is_err(), "{name} {settings:?}: change {number} is accepted");
        }
    }
}

/// The puzzle that a certificate is about, with another start, which can be solved.
fn header_of(game: &Game, of: &Certificate) -> Header {
    let rules = &game.rules;
    let params = rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect();
    Header { rules: Digest::of_rules(rules), params, ..of.header.clone() }
}

fn change_parity(lemma: &mut ParityLemma, random: &mut SplitMix) {
    let at = below(random, lemma.weights.len());
    match random.word() % 6 {
        0 => lemma.weights.truncate(at),
        4 => lemma.modulus.0 = 1 + below(random, 5) as u32,
        5 if !lemma.weights.is_empty() => lemma.weights[at].1.push(below(random, 2) as u8),
        1 if !lemma.weights.is_empty() => drop(lemma.weights.remove(at)),
        2 if !lemma.weights.is_empty() => lemma.weights[at].1 = vec![below(random, 2) as u8],
        _ => lemma.weights.push((below(random, 20) as u32, vec![below(random, 2) as u8])),
    }
    lemma.weights.sort_unstable();
    lemma.weights.dedup_by_key(|(fluent, _)| *fluent);
}

fn change_permutation(lemma: &mut PermutationLemma, random: &mut SplitMix) {
    let (at, other) = (below(random, lemma.cells.len()), below(random, lemma.cells.len()));
    match random.word() % 4 {
        0 => lemma.hole = below(random, 10) as u32,
        1 if !lemma.cells.is_empty() => drop(lemma.cells.remove(at)),
        2 if !lemma.cells.is_empty() => lemma.cells[at].1 ^= 1,
        _ if !lemma.cells.is_empty() => lemma.cells.swap(at, other),
        _ => {}
    }
    if random.word().is_multiple_of(2) {
        lemma.cells.sort_unstable();
    }
}

#[test]
fn no_change_proves_that_a_puzzle_with_a_solution_has_none() {
    for (name, unsolvable, solvable, kind) in [
        (
            "sliding_puzzle",
            &["n=2", "start=[2, 1, 3, 0]"][..],
            &["n=2", "start=[1, 2, 0, 3]"][..],
            "permutation",
        ),
        ("sliding_puzzle", &["start=[2, 1, 3, 4, 5, 6, 7, 8, 0]"], &[], "permutation"),
        ("lights_out", &["n=4", "dark={1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}"], &["n=4"], "parity"),
    ] {
        let game = set(name, unsolvable, Backend::Jit);
        let sound = proof(&game, &by(&game, &game.machine.initial(), kind));
        assert_eq!(sound.header.claim, Claim::Unsolvable, "{name}");
        assert_eq!(accepts(&game, &sound), Ok(()), "{name}");
        let game = set(name, solvable, Backend::Jit);
        let wrong = Certificate { header: header_of(&game, &sound), ..sound };
        let mut random = SplitMix::new(11);
        for number in 0..CHANGED {
            let mut changed = wrong.clone();
            for _ in 0..random.word() % 4 {
                match &mut changed.lemmas[0] {
                    Lemma::Parity(lemma) => change_parity(lemma, &mut random),
                    Lemma::Permutation(lemma) => change_permutation(lemma, &mut random),
                    _ => panic!("{name}: another kind"),
                }
            }
            assert!(accepts(&game, &changed).is_err(), "{name}: change {number} is accepted: {changed:?}");
        }
    }
}
