//! The kind VALUES: values under a policy, where chance acts and positions recur.

use std::sync::Arc;

use bouton_base::rational::Rational;
use bouton_certificates::{Claim, Lemma, PayoffBound, PolicyValue, PositionKey, ValuesLemma};
use bouton_rules::Rules;

use super::{Mismatches, certificate, key, positions, rules, wins};

/// A waits, or tosses a coin that he wins in three of four cases. To wait for ever is a draw.
const WAIT: &str = "game \"Wait\"; players A, B; phases { act; toss by chance; }\n\
    state { result: 0..2 = 0; t: bool = false; }\n\
    move wait() in act { t := not t; next me; }\nmove gamble() in act { continue toss; }\n\
    chance win() in toss { weight 3; result := 1; continue act; }\n\
    chance lose() in toss { result := 2; continue act; }\n\
    end { when result = 1 => A wins; when result = 2 => B wins; repeat => draw; }\n";

/// A tosses a coin until it shows heads.
const HEADS: &str = "game \"Heads\"; player A; phases { toss by chance; }\n\
    state { up: bool = false; tosses: 0..1 = 0; }\n\
    chance heads() in toss { up := true; }\nchance tails() in toss { tosses := 1 - tosses; }\n\
    end { when up => win; }\n";

/// Returns the list of these positions with the same value, each with a rank and a reply by its number.
fn listed(
    rules: &Arc<Rules>,
    value: Rational,
    of: &dyn Fn(usize) -> Option<(Option<u64>, &'static str)>,
) -> Vec<PolicyValue> {
    let all = positions(rules);
    let listed = all.iter().enumerate().filter_map(|(place, state)| {
        let (rank, reply) = of(place)?;
        Some(PolicyValue { key: key(rules, state), value: value.clone(), rank, reply: reply.into() })
    });
    let mut listed: Vec<PolicyValue> = listed.collect();
    listed.sort_by(|a, b| a.key.cmp(&b.key));
    listed
}

fn half() -> Rational {
    Rational::new(1, 2)
}

fn bound(holder: Option<u32>, payoff: Rational) -> PayoffBound {
    PayoffBound { holder, payoff }
}

/// The policy to toss at once: the first position, and that of the coin.
fn toss_at_once(rules: &Arc<Rules>) -> Vec<PolicyValue> {
    listed(rules, half(), &|place| match place {
        0 => Some((Some(1), "gamble()")),
        2 => Some((Some(0), "-")),
        _ => None,
    })
}

#[test]
fn false_values() {
    let wait = rules(WAIT);
    let mut wrong = Mismatches::default();
    let claim = Claim::AtLeast { player: 0, payoff: half() };
    let mut refused = |expected: &str, change: &dyn Fn(&mut PayoffBound, &mut Vec<PolicyValue>)| {
        let (mut bound, mut values) = (bound(Some(0), half()), toss_at_once(&wait));
        change(&mut bound, &mut values);
        let lemma = Lemma::Values(ValuesLemma { bound, values });
        wrong.certificate(expected, &wait, &certificate(&wait, claim.clone(), vec![lemma]));
    };
    let place = |all: &[PolicyValue], reply: &str| all.iter().position(|value| value.reply == reply).unwrap();
    refused("accepted: {}", &|_, _| {});
    refused("there is no such player", &|bound, _| bound.holder = Some(2));
    refused("the claim that no play gives more is for one player only", &|bound, _| bound.holder = None);
    refused("its positions are not in order", &|_, all| all.reverse());
    refused("a rank is larger than any play is long", &|_, all| all[0].rank = Some(1 << 40));
    refused("the position is not listed", &|_, all| drop(all.pop()));
    refused("play by the policy never reaches the position {key} that it lists", &|_, all| {
        all.push(PolicyValue { key: PositionKey([1 << 20].into()), ..all[0].clone() });
    });
    refused("the first position has another value than {}", &|bound, _| bound.payoff = Rational::new(1, 3));
    let more = Rational::new(3, 5);
    let bound_of = bound(Some(0), more.clone());
    let lemma = Lemma::Values(ValuesLemma { bound: bound_of, values: toss_at_once(&wait) });
    let above = certificate(&wait, Claim::AtLeast { player: 0, payoff: more }, vec![lemma]);
    refused("the answer `{}` is not a legal move", &|_, all| {
        let at = place(all, "gamble()");
        all[at].reply = "pass()".into();
    });
    refused("an answer is listed where the holder does not move", &|_, all| {
        let at = place(all, "-");
        all[at].reply = "win()".into();
    });
    // A larger value than that of the coin.
    let more = |bound: &mut PayoffBound, all: &mut Vec<PolicyValue>| {
        bound.payoff = Rational::new(3, 5);
        all.iter_mut().for_each(|value| value.value = bound.payoff.clone());
    };
    refused("the value {} is listed, and {what} gives {least}", &more);
    refused("the value {} is listed, and {what} gives {least}", &|bound, all| {
        more(bound, all);
        let at = place(all, "-");
        all[at].value = half();
    });
    let rank = "the rank does not show that play leaves the value";
    refused(rank, &|_, all| all[0].rank = Some(7));
    let lower = "infinite play gives {payoff}, and there is no rank to exclude it";
    refused(lower, &|_, all| all[0].rank = None);
    wrong.certificate("the first position has another value than {}", &wait, &above);
}

/// A may wait for ever, which is a draw: values that count on more than a draw from waiting are refused, whatever ranks
/// they have.
#[test]
fn waiting_for_ever_does_not_earn_more_than_infinite_play() {
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, text: &str, payoff: Rational, ranks: [Option<u64>; 2]| {
        let rules = rules(text);
        let values = listed(&rules, payoff.clone(), &|place| match place {
            0 => Some((ranks[0], "wait()")),
            1 => Some((ranks[1], "wait()")),
            _ => None,
        });
        let claim = Claim::AtLeast { player: 0, payoff: payoff.clone() };
        let lemma = Lemma::Values(ValuesLemma { bound: bound(Some(0), payoff), values });
        wrong.certificate(expected, &rules, &certificate(&rules, claim, vec![lemma]));
    };
    let rank = "the rank does not show that play leaves the value";
    for ranks in
        [[Some(0), Some(0)], [Some(1), Some(0)], [Some(0), Some(1)], [Some(3), Some(2)], [None, Some(1)]]
    {
        let expected = if ranks[0].is_none() {
            "infinite play gives {payoff}, and there is no rank to exclude it"
        } else {
            rank
        };
        refused(expected, WAIT, half(), ranks);
        refused(expected, WAIT, 1.into(), ranks);
    }
    refused("accepted: {}", WAIT, 0.into(), [None, None]);
    refused("accepted: {}", WAIT, (-1).into(), [None, None]);
    let unruled = WAIT.replace(" repeat => draw;", "");
    refused("no rule gives the value of infinite play", &unruled, 0.into(), [None, None]);
    let lost = WAIT.replace("repeat => draw;", "repeat => B wins;");
    refused(
        "infinite play gives {payoff}, and there is no rank to exclude it",
        &lost,
        0.into(),
        [None, None],
    );
}

/// B cannot make A toss, and his bound needs no ranks where a draw is better for him than the coin.
#[test]
fn the_bound_of_the_other_player() {
    let mut wrong = Mismatches::default();
    let mut of = |expected: &str, text: &str, payoff: Rational| {
        let rules = rules(text);
        let values = listed(&rules, payoff.clone(), &|_| Some((None, "-")));
        let claim = Claim::AtLeast { player: 1, payoff: payoff.clone() };
        let lemma = Lemma::Values(ValuesLemma { bound: bound(Some(1), payoff), values });
        wrong.certificate(expected, &rules, &certificate(&rules, claim, vec![lemma]));
    };
    of("accepted: {}", WAIT, -half());
    of("the value {} is listed, and {what} gives {least}", WAIT, Rational::new(-1, 3));
    // With a bad coin A waits, and B has no more than a draw.
    let bad = WAIT.replace("weight 3", "weight 1 / 3");
    of("accepted: {}", &bad, Rational::ZERO);
    of("infinite play gives {payoff}, and there is no rank to exclude it", &bad, half());
}

#[test]
fn a_single_player() {
    let heads = rules(HEADS);
    let mut wrong = Mismatches::default();
    let mut of = |expected: &str, holder: Option<u32>, payoff: Rational, rank: Option<u64>| {
        let values = listed(&heads, payoff.clone(), &|_| Some((rank, "-")));
        let lemma = Lemma::Values(ValuesLemma { bound: bound(holder, payoff), values });
        wrong.certificate(expected, &heads, &certificate(&heads, wins(0), vec![lemma]));
    };
    // Heads come with probability 1.
    let rank = "the rank does not show that play leaves the value";
    of("accepted: {}", Some(0), 1.into(), Some(1));
    of(rank, Some(0), 1.into(), Some(0));
    of("infinite play gives {payoff}, and there is no rank to exclude it", Some(0), 1.into(), None);
    of("it does not follow from the lemmas", None, 1.into(), None);
    of("the value {} is listed, and {what} gives {least}", None, 0.into(), None);
}

#[test]
fn simultaneous_choices_are_refused() {
    let at_once = rules(
        "game \"At once\"; players A, B; phases { show by each; }\nstate { shown[p: Player]: 1..2? = none; }\n\
         move show(k: 1..2) in show { shown[me] := k; }\n\
         end { when shown[A] != none and shown[A] = shown[B] => A wins; when shown[A] != none => B wins; }\n",
    );
    let values = listed(&at_once, Rational::ZERO, &|_| Some((Some(0), "-")));
    let lemma = Lemma::Values(ValuesLemma { bound: bound(Some(0), Rational::ZERO), values });
    let expected = "players choose simultaneously, which this kind does not support";
    Mismatches::default().lemma(expected, &at_once, vec![lemma]);
}
