//! The kind VALUES: values under a policy, where chance acts and positions recur.

use std::sync::Arc;

use bouton_base::rational::Rational;
use bouton_certificates::{Claim, Lemma, PayoffBound, PolicyReply, PolicyValue, PositionKey, ValuesLemma};
use bouton_reference::{Interpreter, State};
use bouton_rules::{Rules, ToMove};

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

/// Returns the reply with this text.
fn answer(text: &str) -> PolicyReply {
    if text == "-" { PolicyReply::None } else { PolicyReply::Move(text.into()) }
}

/// Returns the list of these positions with the same value, each with a rank and a reply by its number.
fn listed(
    rules: &Arc<Rules>,
    value: Rational,
    of: &dyn Fn(usize) -> Option<(Option<u64>, &'static str)>,
) -> Vec<PolicyValue> {
    let all = positions(rules);
    let listed = all.iter().enumerate().filter_map(|(place, state)| {
        let (rank, reply) = of(place)?;
        Some(PolicyValue { key: key(rules, state), value: value.clone(), rank, reply: answer(reply) })
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
    let place =
        |all: &[PolicyValue], reply: &str| all.iter().position(|value| value.reply == answer(reply)).unwrap();
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
        all[at].reply = answer("pass()");
    });
    refused("an answer is listed where the holder does not move", &|_, all| {
        let at = place(all, "-");
        all[at].reply = answer("win()");
    });
    // A larger value than that of the coin.
    let more = |bound: &mut PayoffBound, all: &mut Vec<PolicyValue>| {
        bound.payoff = Rational::new(3, 5);
        all.iter_mut().for_each(|value| value.value = bound.payoff.clone());
    };
    refused("the value {} is listed, and what follows gives {mean}", &more);
    refused("the value {} is listed, and what follows gives {mean}", &|bound, all| {
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
    of("the value {} is listed, and what follows gives {mean}", WAIT, Rational::new(-1, 3));
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
    of("the value {} is listed, and what follows gives {mean}", None, 0.into(), None);
}

/// Both show a side of a coin, until chance ends the game: A wins if the sides are the same.
const COINS: &str = "game \"Coins\"; players A, B; phases { play by each; fate by chance; }\n\
    state { over: bool = false; a: bool = false; b: bool = false; }\n\
    move head() in play { if me = A { a := true; } else { b := true; } continue fate; }\n\
    move tail() in play { if me = A { a := false; } else { b := false; } continue fate; }\n\
    chance stop() in fate { over := true; }\nchance go() in fate { continue play; }\n\
    end { when over => payoff p: if (a = b) = (p = A) then 1 else 0; }\n";

/// Returns the list of the positions of the coins under the strategy that shows each side half of the time.
fn even_coins(rules: &Arc<Rules>) -> Vec<PolicyValue> {
    let interpreter = Interpreter::new(rules.clone());
    let position = |state: &State| {
        let (turn, moves) = interpreter.expand(state).expect("no fault");
        let key = key(rules, state);
        if turn == ToMove::Simultaneous {
            return PolicyValue {
                key,
                value: half(),
                rank: Some(0),
                reply: PolicyReply::Mixed(vec![half(); 2]),
            };
        }
        let ends = moves.iter().find_map(|(_, after, _)| match interpreter.expand(after) {
            Ok((ToMove::Terminal(outcome), _)) => Some(outcome.payoffs[0].clone()),
            _ => None,
        });
        let value = half() * (ends.expect("an end") + half());
        PolicyValue { key, value, rank: Some(0), reply: PolicyReply::None }
    };
    let mut listed: Vec<PolicyValue> = positions(rules).iter().map(position).collect();
    listed.sort_by(|a, b| a.key.cmp(&b.key));
    listed
}

#[test]
fn false_values_of_simultaneous_choices() {
    let coins = rules(COINS);
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, change: &dyn Fn(&mut Vec<PolicyValue>)| {
        let mut values = even_coins(&coins);
        change(&mut values);
        let lemma = Lemma::Values(ValuesLemma { bound: bound(Some(0), half()), values });
        let claim = Claim::AtLeast { player: 0, payoff: half() };
        wrong.certificate(expected, &coins, &certificate(&coins, claim, vec![lemma]));
    };
    let mixed = |all: &[PolicyValue]| all.iter().position(|value| value.reply != PolicyReply::None).unwrap();
    refused("accepted: {}", &|_| {});
    let no_mixture = "the answer is no mixture of the choices";
    for shares in [vec![half()], vec![half(); 3], vec![half(), Rational::ONE], vec![2.into(), (-1).into()]] {
        refused(no_mixture, &|all| {
            let at = mixed(all);
            all[at].reply = PolicyReply::Mixed(shares.clone());
        });
    }
    for reply in [PolicyReply::None, answer("head()")] {
        refused(no_mixture, &|all| {
            let at = mixed(all);
            all[at].reply = reply.clone();
        });
    }
    // Who shows heads more often loses more often.
    let less = "the value {} is listed, and what follows gives {mean}";
    refused(less, &|all| {
        let at = mixed(all);
        all[at].reply = PolicyReply::Mixed(vec![Rational::new(3, 5), Rational::new(2, 5)]);
    });
    refused(less, &|all| {
        let at = all.iter().position(|value| value.reply == PolicyReply::None).unwrap();
        all[at].value = Rational::ONE;
    });
    refused("an answer is listed where the holder does not move", &|all| {
        let at = all.iter().position(|value| value.reply == PolicyReply::None).unwrap();
        all[at].reply = PolicyReply::Mixed(vec![half(); 2]);
    });
    refused("no rule gives the value of infinite play", &|all| {
        let at = mixed(all);
        all[at].rank = None;
    });
    refused("the rank does not show that play leaves the value", &|all| {
        let at = mixed(all);
        all[at].rank = Some(1);
    });
    // A move stands where a mixture should, and a mixture where a move should.
    let wait = rules(WAIT);
    let mut values = toss_at_once(&wait);
    let at = values.iter().position(|value| value.reply != PolicyReply::None).unwrap();
    values[at].reply = PolicyReply::Mixed(vec![half(); 2]);
    let lemma = Lemma::Values(ValuesLemma { bound: bound(Some(0), half()), values });
    wrong.lemma("the policy has no move here", &wait, vec![lemma]);
}

/// Players who choose simultaneously without chance may go on for ever: a mixture that always shows the same ends nothing.
#[test]
fn mixtures_that_never_end_play_have_no_rank() {
    let again = rules(
        "game \"Again\"; players A, B; phases { play by each; }\n\
         state { shown[p: Player]: 1..2? = none; }\n\
         move show(k: 1..2) in play { shown[me] := k; then { if me = A and shown[A] = shown[B] \
         { shown[A] := none; shown[B] := none; } } }\n\
         end { when shown[A] = 1 => payoff p: if p = A then 1 else 0; \
         when shown[B] = 1 => payoff p: if p = A then 1 else 0; repeat => payoff p: if p = A then 0 else 1; }\n",
    );
    let mut wrong = Mismatches::default();
    let mut of = |expected: &str, shares: [Rational; 2], rank: Option<u64>| {
        let interpreter = Interpreter::new(again.clone());
        let reply = PolicyReply::Mixed(shares.to_vec());
        let first =
            PolicyValue { key: key(&again, &interpreter.initial()), value: Rational::ONE, rank, reply };
        let lemma = Lemma::Values(ValuesLemma { bound: bound(Some(0), Rational::ONE), values: vec![first] });
        let claim = Claim::AtLeast { player: 0, payoff: Rational::ONE };
        wrong.certificate(expected, &again, &certificate(&again, claim, vec![lemma]));
    };
    let rank = "the rank does not show that play leaves the value";
    // Whatever B shows, A shows the other side half of the time.
    of("accepted: {}", [half(), half()], Some(1));
    of("infinite play gives {payoff}, and there is no rank to exclude it", [half(), half()], None);
    of(rank, [half(), half()], Some(0));
    // B may always show the same.
    of(rank, [Rational::ONE, Rational::ZERO], Some(1));
    of(rank, [Rational::ONE, Rational::ZERO], Some(u64::from(u32::MAX)));
}
