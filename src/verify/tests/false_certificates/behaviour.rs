//! The kinds that list probabilities by what players know: BEHAVIOUR, the claim that rests on two of them, and PROFILE.

use bouton_base::rational::Rational;
use bouton_certificates::profile::ProfileSet;
use bouton_certificates::{BehaviourLemma, ChoiceProbabilities, Claim, Lemma, PayoffBound, ProfileLemma};

use super::{Mismatches, certificate, rules};

/// Even wins if both show the same, which is fair; `{sees}` may show Odd the coin of Even, who then shows it first.
const PENNIES: &str = "game \"Pennies\"; players Even, Odd; phases { show by each; }\n\
    state { shown[p: Player]: 1..2? = none; }\nmove show(k: 1..2) in show { shown[me] := k; }\n\
    end { when shown[Even] != none and shown[Even] = shown[Odd] => Even wins; when shown[Even] != none => Odd wins; }\n";

/// The same one after the other, hidden from Odd.
const HIDDEN: &str = "game \"Hidden pennies\"; players Even, Odd;\n\
    state { shown[p: Player]: 1..2? = none visible to p; }\nprivate move show(k: 1..2) { shown[me] := k; }\n\
    end { when shown[Odd] != none and shown[Even] = shown[Odd] => Even wins; when shown[Odd] != none => Odd wins; }\n";

/// A guess that sees the coin's side in the moves that are legal.
const LEAK: &str = "game \"Leak\"; players A, B; phases { setup toss by chance; guess; }\n\
    state { coin: 1..2? = none hidden; said: 1..2? = none; }\n\
    private chance toss(k: 1..2) in toss { coin := k; continue guess; }\n\
    move say(k: 1..2) in guess { when k >= coin; said := k; }\n\
    end { when said != none and said = coin => A wins; when said != none => B wins; }\n";

/// One player, who sees nothing of the coin.
const GUESS: &str = "game \"Guess\"; player A; phases { setup toss by chance; guess; }\n\
    state { coin: 1..2? = none hidden; said: 1..2? = none; }\n\
    private chance toss(k: 1..2) in toss { coin := k; continue guess; }\n\
    move say(k: 1..2) in guess { said := k; }\n\
    end { when said != none => payoff p: if said = coin then 1 else 0; }\n";

/// A says something and loses.
const LOST: &str = "game \"Lost\"; players A, B; state { said: 1..2? = none; }\n\
    move say(k: 1..2) { said := k; }\nend { when said != none => B wins; }\n";

const THIRD: &str = "game \"Third\"; players A, B, C; phases { choose by C; } state { said: 1..2? = none; }\n\
    move say(k: 1..2) in choose { said := k; }\n\
    end { when said = 1 => payoff p: if p = A then 1 else 0; when said != none => payoff p: 0; }\n";

const THREE: &str = "game \"Three\"; players A, B, C; state { n: 0..3 = 3; }\n\
    move take() { when n > 0; n -= 1; }\nend { when n = 0 => mover wins; }\n";

fn share(above: i64, below: i64) -> Rational {
    Rational::new(above, below)
}

/// A strategy that guarantees `payoff` by the same probabilities in each of `sets` information sets.
fn lemma(holder: Option<u32>, payoff: Rational, sets: usize, shares: &[Rational]) -> Lemma {
    let bound = PayoffBound { holder, payoff };
    Lemma::Behaviour(BehaviourLemma { bound, choices: vec![shares.to_vec(); sets] })
}

#[test]
fn false_behaviour_strategies() {
    let mut wrong = Mismatches::default();
    let half = [share(1, 2), share(1, 2)];
    let zero = || Rational::ZERO;
    let draw = |lemmas: Vec<Lemma>, of: &std::sync::Arc<bouton_rules::Rules>| {
        certificate(of, Claim::Value(vec![Rational::ZERO, Rational::ZERO]), lemmas)
    };
    for text in [PENNIES, HIDDEN] {
        let game = rules(text);
        let both = vec![lemma(Some(0), zero(), 1, &half), lemma(Some(1), zero(), 1, &half)];
        wrong.certificate("accepted: {}", &game, &draw(both, &game));
        let biased = [share(2, 3), share(1, 3)];
        let one = |of: Lemma| vec![of];
        let mut at_least = |expected: &str, player, payoff: Rational, of: Lemma| {
            let claim = Claim::AtLeast { player, payoff };
            wrong.certificate(expected, &game, &certificate(&game, claim, one(of)));
        };
        let response = "against a best response it gives {payoff}";
        at_least(response, 0, zero(), lemma(Some(0), zero(), 1, &biased));
        let more = Rational::new(1, 1_000_000);
        at_least(response, 1, more.clone(), lemma(Some(1), more, 1, &half));
        let sets = "it lists {} information sets, and the player has {}";
        at_least(sets, 0, zero(), lemma(Some(0), zero(), 2, &half));
        wrong.lemma(
            "information set {which} has {} moves",
            &game,
            one(lemma(Some(0), zero(), 1, &half[..1])),
        );
        for sum in [[share(1, 2), share(1, 3)], [share(3, 2), share(-1, 2)]] {
            wrong.lemma(
                "the numbers of information set {which} are no probabilities",
                &game,
                one(lemma(Some(0), zero(), 1, &sum)),
            );
        }
        wrong.lemma("there is no such player", &game, one(lemma(Some(2), zero(), 1, &half)));
        wrong.lemma(
            "the claim that no play gives more is for one player only",
            &game,
            one(lemma(None, zero(), 1, &half)),
        );
    }
    // Odd does not see the coin, so he has one information set; with two, he could always match it.
    let hidden = rules(HIDDEN);
    let two = vec![lemma(Some(1), 1.into(), 2, &half)];
    wrong.lemma("it lists {} information sets, and the player has {}", &hidden, two);

    // A loses, whatever he says: what goes to no move is no payoff.
    let lost = rules(LOST);
    let even = Claim::AtLeast { player: 0, payoff: zero() };
    for (expected, shares) in [
        ("information set {which} has {} moves", &[0, 0, 1][..]),
        ("the numbers of information set {which} are no probabilities", &[0, 0]),
    ] {
        let shares: Vec<Rational> = shares.iter().map(|&whole| whole.into()).collect();
        let says = vec![lemma(Some(0), zero(), 1, &shares)];
        wrong.certificate(expected, &lost, &certificate(&lost, even.clone(), says));
    }
    // A wins if he says 1, and the coin may not let him.
    let leak = rules(&LEAK.replace("said != none and said = coin", "said = 1"));
    let says = vec![lemma(Some(0), share(1, 2), 1, &[share(1, 1), share(0, 1)])];
    let claim = Claim::AtLeast { player: 0, payoff: share(1, 2) };
    let other = "a player has other moves here than where he sees the same";
    wrong.certificate(other, &leak, &certificate(&leak, claim, says));
    // The third player chooses the payoff of the first.
    let third = rules(THIRD);
    let claim = Claim::AtLeast { player: 0, payoff: 1.into() };
    let players = "behaviour strategies are checked for one player or two";
    wrong.certificate(players, &third, &certificate(&third, claim, vec![lemma(Some(0), 1.into(), 0, &[])]));

    let leak = rules(LEAK);
    let says = vec![lemma(Some(0), zero(), 1, &half)];
    wrong.lemma("a player has other moves here than where he sees the same", &leak, says);
    let three = rules(THREE);
    let takes = vec![lemma(Some(0), zero(), 1, &half)];
    wrong.lemma("behaviour strategies are checked for one player or two", &three, takes);

    let guess = rules(GUESS);
    let even = || Rational::new(1, 2);
    let bounds = |most| vec![lemma(Some(0), even(), 1, &half), lemma(None, most, 0, &half)];
    let claim = Claim::Value(vec![even()]);
    wrong.certificate("accepted: {}", &guess, &certificate(&guess, claim.clone(), bounds(even())));
    let low = Rational::new(1, 3);
    wrong.certificate(
        "against a best response it gives {payoff}",
        &guess,
        &certificate(&guess, claim, bounds(low)),
    );
}

#[test]
fn false_enclosures() {
    let mut wrong = Mismatches::default();
    let game = rules(PENNIES);
    let biased = [share(2, 3), share(1, 3)];
    let third = || Rational::new(1, 3);
    let lemmas = vec![lemma(Some(0), -third(), 1, &biased), lemma(Some(1), -third(), 1, &biased)];
    let between = |low, high| certificate(&game, Claim::Between { low, high }, lemmas.clone());
    wrong.certificate("accepted: {}", &game, &between(-third(), third()));
    for (low, high) in [(-third(), 0.into()), (0.into(), third()), (third(), -third())] {
        wrong.certificate("it does not follow from the lemmas", &game, &between(low, high));
    }
    let alone = certificate(&game, Claim::Between { low: -third(), high: third() }, lemmas[..1].to_vec());
    wrong.certificate("it does not follow from the lemmas", &game, &alone);
}

#[test]
fn false_profiles() {
    let mut wrong = Mismatches::default();
    let half = [share(1, 2), share(1, 2)];
    let profile = |payoffs: &[Rational], shares: &[&[Rational]]| {
        let set = |(player, shares): (usize, &&[Rational])| ProfileSet {
            player: player as u32,
            choices: ChoiceProbabilities(shares.to_vec()),
        };
        let sets = shares.iter().enumerate().map(set).collect();
        vec![Lemma::Profile(ProfileLemma { payoffs: payoffs.to_vec(), sets })]
    };
    let zero = [Rational::ZERO, Rational::ZERO];
    let claim = || Claim::Equilibria(vec![zero.to_vec()]);
    for text in [PENNIES, HIDDEN] {
        let game = rules(text);
        let fair = profile(&zero, &[&half, &half]);
        wrong.certificate("accepted: {}", &game, &certificate(&game, claim(), fair.clone()));
        // An equilibrium is no value that a player is sure of.
        for other in [Claim::Value(zero.to_vec()), Claim::AtLeast { player: 0, payoff: Rational::ZERO }] {
            wrong.certificate(
                "it does not follow from the lemmas",
                &game,
                &certificate(&game, other, fair.clone()),
            );
        }
        let mut of = |expected: &str, payoffs: &[Rational], shares: &[&[Rational]]| {
            let claim = Claim::Equilibria(vec![payoffs.to_vec()]);
            wrong.certificate(expected, &game, &certificate(&game, claim, profile(payoffs, shares)));
        };
        let biased = [share(2, 3), share(1, 3)];
        let response = "against the others' strategies, a best response gives {most}";
        of(response, &zero, &[&biased, &half]);
        of(response, &zero, &[&half, &biased]);
        of("the strategies give {}", &[share(1, 3), share(-1, 3)], &[&half, &half]);
        of("the strategies give {}", &zero[..1], &[&half, &half]);
        of("it lists {} information sets, and the player has {}", &zero, &[&half]);
        of("information set {which} has {} moves", &zero, &[&half, &half[..1]]);
        let less = [share(1, 2), share(1, 3)];
        of("the numbers of information set {which} are no probabilities", &zero, &[&less, &half]);
    }
    // B's move is worth nothing to A, and A's nothing to B: what each would gain is not the other's loss.
    let own = rules(
        "game \"Own\"; players A, B; phases { choose by each; } state { took[p: Player]: 0..2? = none; }\n\
         move take(k: 0..2) in choose { took[me] := k; }\n\
         end { when took[A] != none => payoff p: let own = took[p]: own; }\n",
    );
    let (all, none) = ([0, 0, 1].map(Rational::from), [1, 0, 0].map(Rational::from));
    let both = |first: i64, second: i64| [Rational::from(first), Rational::from(second)];
    for (expected, payoffs, first, second) in [
        ("accepted: {}", both(2, 2), &all, &all),
        ("against the others' strategies, a best response gives {most}", both(2, 0), &all, &none),
        ("against the others' strategies, a best response gives {most}", both(0, 2), &none, &all),
    ] {
        let claim = Claim::Equilibria(vec![payoffs.to_vec()]);
        let lemmas = profile(&payoffs, &[first, second]);
        wrong.certificate(expected, &own, &certificate(&own, claim, lemmas));
    }
    // Three players: whoever has the odd coin wins from the others.
    let coins = |players: &str| {
        rules(&format!(
            "game \"Coins\"; players {players}; phases {{ choose by each; }}\n\
             state {{ coin[p: Player]: 0..1? = none; }} move put(k: 0..1) in choose {{ coin[me] := k; }}\n\
             def odd(p: Player) = (count q in Player: coin[q] = coin[p]) = 1;\n\
             end {{ when coin[A] != none => payoff p: if odd(p) then 2 \
               else if (some q in Player: odd(q)) then -1 else 0; }}\n"
        ))
    };
    let three = coins("A, B, C");
    let zeros = vec![Rational::ZERO; 3];
    let (head, tail) = ([1, 0].map(Rational::from), [0, 1].map(Rational::from));
    for (expected, payoffs, shares) in [
        ("accepted: {}", zeros.clone(), [&half, &half, &half]),
        ("accepted: {}", [2, -1, -1].map(Rational::from).to_vec(), [&head, &tail, &tail]),
        (
            "against the others' strategies, a best response gives {most}",
            zeros.clone(),
            [&head, &head, &head],
        ),
        ("the strategies give {}", [-1, 2, -1].map(Rational::from).to_vec(), [&head, &tail, &tail]),
    ] {
        let lemmas = profile(&payoffs, &shares.map(|shares| &shares[..]));
        wrong.certificate(expected, &three, &certificate(&three, Claim::Equilibria(vec![payoffs]), lemmas));
    }
    let seven = coins("A, B, C, D, E, F, G");
    let claim = Claim::Equilibria(vec![vec![Rational::ZERO; 7]]);
    let lemmas = profile(&vec![Rational::ZERO; 7], &[&half[..]; 7]);
    wrong.certificate("a profile is one of two to six players", &seven, &certificate(&seven, claim, lemmas));
}
