//! The kind DISTANCE: lower bounds of the moves of a single player.

use std::sync::Arc;

use bouton_certificates::distance::{PatternClasses, PatternCost, PatternDistance};
use bouton_certificates::{Claim, DistanceLemma, Lemma, ReplyLemma};
use bouton_rules::Rules;

use super::{Mismatches, certificate, rules, strategy, win};

/// A player counts to two with each of two counters: four moves.
const STEPS: &str = "game \"Steps\"; player P; state { a: 0..2 = 0; b: 0..2 = 0; }\n\
    move left() { when a < 2; a += 1; }\nmove right() { when b < 2; b += 1; }\n\
    end { when a = 2 and b = 2 => win; }\n";

/// A player lights any number of seven lamps at once, as far as one condition for each shows.
const LAMPS: &str = "game \"Lamps\"; player P; type Lamp = 1..7;\n\
    state { lit[x: Lamp]: bool = false; on[x: Lamp]: bool = false; }\n\
    move copy() { for x in Lamp { lit[x] := on[x]; } }\nmove switch(x: Lamp) { on[x] := true; }\n\
    end { when all x in Lamp: lit[x] => win; }\n";

/// The fluents of the counters, after the player to move and the phase.
const COUNTERS: [u32; 2] = [2, 3];

/// Returns the sound lemma about [`STEPS`]: each counter is a pattern.
fn sound() -> DistanceLemma {
    let mut lemma = DistanceLemma { least: 4, ..DistanceLemma::default() };
    for (pattern, fluent) in (0..).zip(COUNTERS) {
        lemma.classes.push(PatternClasses { pattern, fluent, classes: vec![0, 1, 2] });
        lemma.costs.push(PatternCost { pattern, action: pattern, fluent, values: vec![0, 1, 2] });
        for value in 0..3 {
            let least = 2 - u64::from(value);
            lemma.distances.push(PatternDistance { pattern, classes: vec![value], least });
        }
    }
    lemma
}

/// Returns the sound lemma with one change.
fn changed(change: impl Fn(&mut DistanceLemma)) -> Vec<Lemma> {
    let mut lemma = sound();
    change(&mut lemma);
    vec![Lemma::Distance(lemma)]
}

/// Returns the lemma without patterns.
fn visited(least: u64) -> Lemma {
    Lemma::Distance(DistanceLemma { least, ..DistanceLemma::default() })
}

fn plan(rules: &Arc<Rules>) -> Lemma {
    Lemma::Reply(ReplyLemma { bound: win(0), answers: strategy(rules, win(0)) })
}

#[test]
fn lower_bounds_that_are_too_high() {
    let mut expect = Mismatches::default();
    let steps = rules(STEPS);
    let solved_in =
        |moves: u64, lemma: Lemma| certificate(&steps, Claim::SolvedIn(moves), vec![plan(&steps), lemma]);
    let accepted = "accepted: it can be solved in 4 moves and in no fewer";
    expect.certificate(accepted, &steps, &solved_in(4, Lemma::Distance(sound())));
    expect.certificate(accepted, &steps, &solved_in(4, visited(4)));
    let loose = "it does not follow from the lemmas";
    expect.certificate(loose, &steps, &solved_in(3, visited(4)));
    expect.certificate(loose, &steps, &solved_in(4, visited(3)));
    expect.certificate(loose, &steps, &certificate(&steps, Claim::SolvedIn(4), vec![visited(4)]));
    let early = "the game is won after {moves} moves";
    expect.lemma(early, &steps, [visited(5)]);
    expect.lemma(early, &steps, changed(|of| of.least = 5));
    let two = rules(&STEPS.replace("player P", "players P, Q").replace("=> win", "=> P wins"));
    expect.lemma("a number of moves is for one player only", &two, [visited(4)]);
}

/// A number of moves beyond all play takes no more time than the play.
#[test]
fn the_number_of_moves_of_a_claim_is_not_counted() {
    let mut expect = Mismatches::default();
    let steps = rules(&STEPS.replace("=> win", "=> lose"));
    let endless = Claim::SolvedIn(u64::MAX);
    let lemmas = vec![visited(u64::MAX)];
    expect.certificate("it does not follow from the lemmas", &steps, &certificate(&steps, endless, lemmas));
}

#[test]
fn patterns_that_prove_nothing() {
    let mut expect = Mismatches::default();
    let steps = rules(STEPS);
    let mut refused = |reason: &str, change: &dyn Fn(&mut DistanceLemma)| {
        expect.lemma(reason, &steps, changed(change));
    };
    refused("a class is of a fluent that does not exist", &|of| of.classes[1].fluent = 99);
    refused("a fluent has another number of values", &|of| of.classes[1].classes = vec![0, 1]);
    refused("the patterns are not numbered in order", &|of| of.classes[1].pattern = 2);
    refused("a cost is of a pattern that does not exist", &|of| of.costs[1].pattern = 2);
    refused("a cost is of a move that does not exist", &|of| of.costs[1].action = 2);
    refused("a cost depends on a fluent that does not exist", &|of| of.costs[1].fluent = 99);
    refused("a cost depends on a value that does not exist", &|of| of.costs[1].values = vec![200]);
    let twice = "a move costs one in two patterns";
    refused(twice, &|of| of.costs[1].action = 0);
    refused(twice, &|of| {
        of.costs[1].action = 0;
        of.costs[1].fluent = COUNTERS[0];
    });
    refused("a distance is of a pattern that does not exist", &|of| of.distances[5].pattern = 2);
    let unknown = "a distance is of classes that do not exist";
    refused(unknown, &|of| of.distances[5].classes = vec![3]);
    refused(unknown, &|of| of.distances[5].classes = vec![0, 0]);
    refused("the game may be won where a pattern has a distance", &|of| of.distances[5].least = 1);
    refused("a pattern does not list where a move leads", &|of| drop(of.distances.remove(4)));
    let steep = "a move lowers a distance by more than it costs";
    refused(steep, &|of| of.distances[3].least = 3);
    refused(steep, &|of| of.costs[1].values = vec![1]);
    refused("a pattern does not list a position", &|of| drop(of.distances.remove(3)));
}

/// A pattern that has a counter twice: only the class that tells nothing changes, so that a win never seems nearer.
#[test]
fn a_fluent_belongs_to_a_pattern_once() {
    let class =
        |classes: &[u8]| PatternClasses { pattern: 0, fluent: COUNTERS[0], classes: classes.to_vec() };
    let lemma = DistanceLemma {
        least: 5,
        classes: vec![class(&[0, 0, 0]), class(&[0, 1, 2])],
        distances: vec![PatternDistance { pattern: 0, classes: vec![0, 0], least: 5 }],
        ..DistanceLemma::default()
    };
    let mut expect = Mismatches::default();
    expect.lemma("a pattern divides a fluent twice", &rules(STEPS), [Lemma::Distance(lemma)]);
}

#[test]
fn a_move_with_many_results_is_given_up() {
    let lamps = rules(LAMPS);
    let mut lemma = DistanceLemma { least: 1, ..DistanceLemma::default() };
    for lamp in 0..7 {
        lemma.classes.push(PatternClasses { pattern: 0, fluent: 2 + lamp, classes: vec![0, 1] });
    }
    lemma.distances.push(PatternDistance { pattern: 0, classes: vec![0; 7], least: 1 });
    let mut expect = Mismatches::default();
    expect.lemma("a move has too many results in a pattern", &lamps, [Lemma::Distance(lemma)]);
}

#[test]
fn rules_without_a_meaning_have_no_patterns() {
    let steps = rules(&STEPS.replace("when a < 2; a += 1;", "a += 1;"));
    let mut expect = Mismatches::default();
    let reason = "the rules alone do not show that they have a meaning in every position";
    expect.lemma(reason, &steps, changed(|_| {}));
}
