//! The kind EQUILIBRIUM: strategies of all players from which nobody gains by leaving his own.

use std::sync::Arc;

use bouton_base::rational::Rational;
use bouton_certificates::{
    ChoiceProbabilities, Claim, EquilibriumLemma, EquilibriumPosition, Lemma, PositionKey,
};
use bouton_rules::Rules;

use super::{Mismatches, certificate, key, rules};

/// The stag hunt: two hunters choose at once.
const STAG: &str = "game \"Stag\"; players A, B; phases { choose by each; } enum Prey { stag, hare }\n\
    state { pick[p: Player]: Prey? = none; }\n\
    move hunt(x: Prey) in choose { pick[me] := x; }\n\
    end { when all p in Player: pick[p] in { stag, hare } => payoff p: match pick[p] {\n\
    stag => (if all q in Player: pick[q] = stag then 4 else 1),\n\
    hare => (if some q in Player: pick[q] = stag then 3 else 2) }; }\n";

/// Three players in turn take the prize or leave it, and may do so for ever.
const PRIZE: &str = "game \"Prize\"; players A, B, C;\n\
    state { taken: bool = false; }\nmove take() { taken := true; next me; }\nmove leave() { }\n\
    end { when taken => payoff p: if p = mover then 2 else 1; repeat => payoff p: 0; }\n";

/// Two players in turn may toss a coin, which ends the game if it shows heads; there is no rule for endless play.
const COIN: &str = "game \"Coin\"; players A, B; phases { act; toss by chance; }\n\
    state { up: bool = false; }\nmove flip() in act { continue toss; }\n\
    chance heads() in toss { up := true; continue act; }\nchance tails() in toss { continue act; next (if mover = A then B else A); }\n\
    end { when up => payoff p: if p = mover then 1 else 0; }\n";

/// The rank of a position, its payoffs, and the probabilities of the choices of each player who chooses.
type PositionData<'a> = (u64, &'a [Rational], &'a [&'a [Rational]]);

/// Returns an equilibrium lemma with these data of positions, in the order of discovery.
fn lemma(rules: &Arc<Rules>, positions: &[PositionData<'_>]) -> EquilibriumLemma {
    let seen = super::positions(rules);
    assert_eq!(seen.len(), positions.len(), "{}", rules.name);
    let position = |(state, (rank, payoffs, choices)): (_, &PositionData<'_>)| {
        let choices = choices.iter().map(|shares| ChoiceProbabilities(shares.to_vec())).collect();
        EquilibriumPosition { key: key(rules, state), rank: *rank, payoffs: payoffs.to_vec(), choices }
    };
    let payoffs = positions[0].1.to_vec();
    let mut positions: Vec<EquilibriumPosition> = seen.iter().zip(positions).map(position).collect();
    positions.sort_by(|a, b| a.key.cmp(&b.key));
    EquilibriumLemma { payoffs, positions }
}

fn number(value: i64) -> Rational {
    Rational::from_integer(value)
}

/// Returns the certificate of the payoffs of a lemma.
fn claimed(rules: &Rules, lemma: EquilibriumLemma) -> bouton_certificates::Certificate {
    certificate(rules, Claim::Equilibria(vec![lemma.payoffs.clone()]), vec![Lemma::Equilibrium(lemma)])
}

#[test]
fn false_equilibria_of_simultaneous_choices() {
    let stag = rules(STAG);
    let (zero, one) = (number(0), number(1));
    let pair = |a: i64, b: i64| [number(a), number(b)];
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, change: &dyn Fn(&mut EquilibriumLemma)| {
        let both: &[Rational] = &[one.clone(), zero.clone()];
        let mut lemma = lemma(&stag, &[(1, &pair(4, 4), &[both, both])]);
        change(&mut lemma);
        wrong.certificate(expected, &stag, &claimed(&stag, lemma));
    };
    refused("accepted: {}", &|_| {});
    refused("the first position has other payoffs", &|lemma| lemma.payoffs = pair(4, 5).to_vec());
    refused("the position is not listed", &|lemma| lemma.positions.clear());
    refused("its positions are not in order", &|lemma| {
        let first = lemma.positions[0].clone();
        lemma.positions.push(first);
    });
    refused("play never reaches the position {key} that it lists", &|lemma| {
        let other = EquilibriumPosition { key: PositionKey([1 << 20].into()), ..lemma.positions[0].clone() };
        lemma.positions.push(other);
    });
    refused("a rank is larger than any play is long", &|lemma| lemma.positions[0].rank = u64::MAX);
    refused("the rank does not show that play ends", &|lemma| lemma.positions[0].rank = 2);
    refused("there is not one payoff for each player", &|lemma| lemma.positions[0].payoffs = vec![number(4)]);
    let payoffs = |lemma: &mut EquilibriumLemma, value: [Rational; 2]| {
        lemma.payoffs = value.to_vec();
        lemma.positions[0].payoffs = value.to_vec();
    };
    refused("the payoff {listed} of {name} is listed, and the strategies give {payoff}", &|lemma| {
        payoffs(lemma, pair(5, 4));
    });
    // Each hunts the stag alone: the other catches the hare, and the hunter would rather do so as well.
    refused("{} gains by another choice", &|lemma| {
        lemma.positions[0].choices[1].0 = vec![zero.clone(), one.clone()];
        payoffs(lemma, pair(1, 3));
    });
    let probabilities = "the numbers are no probabilities of the choices";
    refused(probabilities, &|lemma| lemma.positions[0].choices[0].0 = vec![one.clone(), one.clone()]);
    refused(probabilities, &|lemma| lemma.positions[0].choices[0].0 = vec![number(2), number(-1)]);
    refused(probabilities, &|lemma| lemma.positions[0].choices[0].0 = vec![one.clone()]);
    refused(probabilities, &|lemma| drop(lemma.positions[0].choices.pop()));
    let both: &[Rational] = &[one.clone(), zero.clone()];
    let sound = lemma(&stag, &[(1, &pair(4, 4), &[both, both])]);
    let equilibrium = || vec![Lemma::Equilibrium(sound.clone())];
    let others = Claim::Equilibria(vec![sound.payoffs.clone(), pair(3, 3).to_vec()]);
    wrong.certificate(
        "it does not follow from the lemmas",
        &stag,
        &certificate(&stag, others, equilibrium()),
    );
    let none = Claim::Equilibria(Vec::new());
    wrong.certificate("it does not follow from the lemmas", &stag, &certificate(&stag, none, equilibrium()));
    // What each player gets in an equilibrium is nothing that he can force.
    let value = Claim::Value(sound.payoffs.clone());
    wrong.certificate("it does not follow from the lemmas", &stag, &certificate(&stag, value, equilibrium()));
    let sure = Claim::AtLeast { player: 0, payoff: number(4) };
    wrong.certificate("it does not follow from the lemmas", &stag, &certificate(&stag, sure, equilibrium()));
}

/// Each player may leave the prize for ever, which gives nobody anything.
#[test]
fn false_equilibria_of_endless_play() {
    let (zero, one) = (number(0), number(1));
    let (take, leave): (&[Rational], &[Rational]) =
        (&[one.clone(), zero.clone()], &[zero.clone(), one.clone()]);
    let at = |winner: usize| -> Vec<Rational> {
        (0..3).map(|player| number(if player == winner { 2 } else { 1 })).collect()
    };
    let prize = rules(PRIZE);
    let mut wrong = Mismatches::default();
    let takes = lemma(&prize, &[(1, &at(0), &[take]), (1, &at(1), &[take]), (1, &at(2), &[take])]);
    wrong.certificate("accepted: {}", &prize, &claimed(&prize, takes));
    // B waits for C to take it, although he would get more.
    let waits = lemma(&prize, &[(1, &at(0), &[take]), (2, &at(2), &[leave]), (1, &at(2), &[take])]);
    wrong.certificate("{} gains by another choice", &prize, &claimed(&prize, waits));
    // All leave it for ever: payoffs that repeat themselves have no rank.
    let all = [number(2), number(2), number(2)];
    let never = lemma(&prize, &[(3, &all, &[leave]), (2, &all, &[leave]), (1, &all, &[leave])]);
    wrong.certificate("the rank does not show that play ends", &prize, &claimed(&prize, never));
    // Where endless play is worth more than the prize, to take it is no equilibrium.
    let rich = rules(&PRIZE.replace("repeat => payoff p: 0", "repeat => payoff p: 3"));
    let takes = lemma(&rich, &[(1, &at(0), &[take]), (1, &at(1), &[take]), (1, &at(2), &[take])]);
    wrong.certificate("the rank does not show that play ends", &rich, &claimed(&rich, takes));
    // Without a value of endless play, no player may be able to play for ever.
    let open = rules(&PRIZE.replace("repeat => payoff p: 0;", ""));
    let takes = lemma(&open, &[(1, &at(0), &[take]), (1, &at(1), &[take]), (1, &at(2), &[take])]);
    wrong.certificate("the rank does not show that play ends", &open, &claimed(&open, takes));
}

/// Endless play has no value, and probability 0 whatever the players do.
#[test]
fn false_equilibria_where_chance_ends_play() {
    let coin = rules(COIN);
    let flip: &[Rational] = &[number(1)];
    let (a, b) = ([Rational::new(2, 3), Rational::new(1, 3)], [Rational::new(1, 3), Rational::new(2, 3)]);
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, change: &dyn Fn(&mut EquilibriumLemma)| {
        let mut lemma = lemma(&coin, &[(2, &a, &[flip]), (1, &a, &[]), (2, &b, &[flip]), (1, &b, &[])]);
        change(&mut lemma);
        wrong.certificate(expected, &coin, &claimed(&coin, lemma));
    };
    refused("accepted: {}", &|_| {});
    let given = "the payoff {listed} of {name} is listed, and the strategies give {payoff}";
    refused(given, &|lemma| {
        let half = vec![Rational::new(1, 2); 2];
        lemma.positions.iter_mut().for_each(|position| position.payoffs = half.clone());
        lemma.payoffs = half;
    });
    for place in 0..4 {
        refused("the rank does not show that play ends", &|lemma| lemma.positions[place].rank += 1);
    }
    let alone = rules(
        "game \"Alone\"; player A; state { n: 0..1 = 0; } move go() { n := 1; } end { when n = 1 => win; }\n",
    );
    let only = lemma(&alone, &[(1, &[number(1)], &[flip])]);
    wrong.certificate("an equilibrium has at least two players", &alone, &claimed(&alone, only));
}
