//! Certificates of a forger who has read the checker: each pairs a false claim with a body that a single gap would let
//! pass.

use std::ops::Range;
use std::sync::Arc;

use bouton_base::automaton::Automaton;
use bouton_base::limits::Limits;
use bouton_base::linear::Linear;
use bouton_base::rational::Rational;
use bouton_certificates::{
    BehaviourLemma, Certificate, Claim, Convention, Lemma, ParamLemma, PayoffBound, ReplyLemma, TableLemma,
    Tier, ValuedPosition, parse, write,
};
use bouton_checker::{RulesFamily, Verdict, Verifier};
use bouton_reference::Interpreter;
use bouton_rules::Rules;
use bouton_rules::parametric::{Atom, ParamRange, ParametricStrategy, WinnerCase};
use bouton_verify::describe_rejected;

use super::explicit::AT_ONCE;
use super::form::with_right_hashes;
use super::parametric::{ROW, certified, refused};
use super::{Mismatches, certificate, key, reason, rules, strategy, win, wins};

/// Returns the lemma that the first player wins all rows of these conditions.
fn first_wins_rows(when: Vec<Atom>, low: i128, high: Option<i128>) -> Lemma {
    let lost = Automaton { accepting: vec![true, false], next: vec![vec![1, 0], vec![0, 1]] };
    Lemma::Param(ParamLemma {
        over: vec![ParamRange { param: "n".into(), element: None, low, high }],
        cases: vec![WinnerCase { when, first_player_wins: true }],
        plan: ParametricStrategy::RowAutomaton { lost },
        proofs: Vec::new(),
    })
}

/// A condition whose value is past 128 bits for all rows but the first does not fail for them.
#[test]
fn conditions_past_the_integers() {
    let mut wrong = Mismatches::default();
    let large = 10i128.pow(38);
    let term = |factor: i128, constant: i128| Linear { terms: vec![(0, factor)], constant };
    for when in [Atom::AtMost(term(-large, 0)), Atom::Residue(term(large, 0), 2, vec![0])] {
        wrong.reason(
            "its numbers are too large",
            &refused(ROW, first_wins_rows(vec![when], 1, None), |_| {}),
            "ROW",
        );
    }
    for when in [Atom::AtMost(term(1, i128::MIN)), Atom::Zero(term(1, i128::MAX))] {
        wrong.reason(
            "its numbers are too large",
            &refused(ROW, first_wins_rows(vec![when], 1, None), |_| {}),
            "ROW",
        );
    }
    for (low, high) in [(i128::MAX, None), (i128::MAX, Some(i128::MIN)), (1, Some(i128::MIN))] {
        wrong.reason(
            "its numbers are too large",
            &refused(ROW, first_wins_rows(Vec::new(), low, high), |_| {}),
            "ROW",
        );
    }
}

/// A mean of 0 is no draw: nobody draws at the toss of a coin, nor where a player guesses the other's coin.
#[test]
fn means_are_no_draws() {
    let coin = "game \"Coin\"; players A, B; phases { toss by chance; } state { side: 0..2 = 0; }\n\
        chance toss(k: 1..2) in toss { when side = 0; side := k; }\n\
        end { when side = 1 => A wins; when side = 2 => B wins; }\n";
    let coin = rules(coin);
    let listed =
        vec![ValuedPosition { key: key(&coin, &Interpreter::new(coin.clone()).initial()), value: 0.into() }];
    let lemmas = vec![Lemma::Table(TableLemma { values: listed })];
    let draw = Claim::Value(vec![0.into(), 0.into()]);
    let given = reason(&coin, None, &certificate(&coin, draw.clone(), lemmas.clone()));
    assert_eq!(given, "accepted: with best play A gets 0, B gets 0");
    let least = Claim::AtLeast { player: 0, payoff: 0.into() };
    assert_eq!(reason(&coin, None, &certificate(&coin, least, lemmas)), "accepted: A gets at least 0");
    let pennies = rules(AT_ONCE);
    let half = Rational::new(1, 2);
    let of = |player| BehaviourLemma {
        bound: PayoffBound { holder: Some(player), payoff: 0.into() },
        choices: vec![vec![half.clone(); 2]],
    };
    let lemmas = vec![Lemma::Behaviour(of(0)), Lemma::Behaviour(of(1))];
    let given = reason(&pennies, None, &certificate(&pennies, draw, lemmas));
    assert_eq!(given, "accepted: with best play A gets 0, B gets 0");
}

/// A certificate that is refused says so, whatever its header sends to a terminal.
#[test]
fn headers_do_not_overwrite_the_verdict() {
    let row = rules(ROW);
    let mut forged = certificate(&row, wins(0), Vec::new());
    forged.header.game = "\raccepted: Row\u{1b}[K\u{9b}K".into();
    forged.header.params = vec![("n".into(), "4\u{8}\u{8}\u{1b}[1A".into())];
    assert_eq!(parse(&write(&forged)).as_ref(), Ok(&forged));
    let Verdict::Rejected(rejection) = Verifier::new(&row).verify(&forged, &Limits::default(), None) else {
        panic!("it is for other rules")
    };
    for words in [describe_rejected(Some(&forged), &rejection), describe_rejected(None, &rejection)] {
        assert!(words.starts_with("refused: "), "{words:?}");
        assert!(!words.contains(|c: char| c.is_control() && c != '\n'), "{words:?}");
    }
}

/// Numbers at the ends of the integers of each size.
const EXTREMES: &[&str] = &[
    "0",
    "1",
    "255",
    "256",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "170141183460469231731687303715884105727",
    "170141183460469231731687303715884105728",
    "-1",
    "-9223372036854775808",
    "-170141183460469231731687303715884105728",
];

/// Checks a sound certificate with each of its numbers replaced by extreme ones, where all hashes are right. The checker
/// may accept the same claim or a weaker one.
pub fn check_extremes(rules: &Arc<Rules>, family: Option<&dyn RulesFamily>, whole: &Certificate) {
    let text = write(whole);
    let (mut number, mut accepted) = (0, Vec::new());
    for (line, start) in
        text.lines().scan(0, |at, line| Some((line, std::mem::replace(at, *at + line.len() + 1))))
    {
        let head = line.split(' ').next().unwrap_or_default();
        if ["bouton-certificate", "game", "players", "rules", "chunk", "text", "root"].contains(&head) {
            continue;
        }
        for place in number_places(line) {
            for extreme in EXTREMES {
                let changed =
                    format!("{}{extreme}{}", &text[..start + place.start], &text[start + place.end..]);
                let Ok(mut read) = parse(&with_right_hashes(&changed)) else { continue };
                if let [lemma @ (Lemma::Param(_) | Lemma::Periodic(_))] = &read.lemmas[..] {
                    read = certified(rules, lemma.clone());
                }
                number += 1;
                let given = reason(rules, family, &read);
                if given.starts_with("accepted") && !is_weaker(&read.header.claim, &whole.header.claim) {
                    accepted.push(format!("{line}: {extreme} {given}"));
                }
            }
        }
    }
    println!("{number} certificates with extreme numbers");
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
}

/// Returns the places of the numbers in a line, each with its sign.
fn number_places(line: &str) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for (at, letter) in line.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        match places.last_mut() {
            Some(last) if last.end == at => last.end += letter.len_utf8(),
            _ => places.push(at - usize::from(line[..at].ends_with(['-', '+']))..at + 1),
        }
    }
    places
}

/// Returns true if a claim follows from another one about the same game.
fn is_weaker(claim: &Claim, of: &Claim) -> bool {
    match (claim, of) {
        (Claim::AtLeast { player, payoff }, Claim::AtLeast { player: other, payoff: more }) => {
            player == other && payoff <= more
        }
        (Claim::AtLeast { player, payoff }, Claim::Wins { player: other, .. }) => {
            player == other && *payoff <= 1.into()
        }
        _ => claim == of,
    }
}

/// Two moves of one or two from three: the first player takes all, in three plies.
const TAKE: &str = "game \"Take\"; players A, B; state { n: 0..4 = 4; }\n\
    move take(k: 1..2) { when k <= n; n -= k; }\nplay normal;\n";

const LOOSE: &str = "it does not follow from the lemmas";

/// A sound lemma stands for its own claim alone: for its player, its length of play, its position and its convention.
#[test]
fn sound_lemmas_of_other_claims() {
    let take = rules(TAKE);
    let first = Lemma::Reply(ReplyLemma { bound: win(0), answers: strategy(&take, win(0)) });
    let least = PayoffBound { holder: Some(1), payoff: (-1).into() };
    let second = Lemma::Reply(ReplyLemma { bound: least.clone(), answers: strategy(&take, least) });
    let payoffs = |of: &[i64]| of.iter().copied().map(Rational::from_integer).collect::<Vec<_>>();
    let within = |plies| Claim::Wins { player: 0, plies: Some(plies) };
    let over = ParamRange { param: "n".into(), element: None, low: 1, high: None };
    let mut wrong = Mismatches::default();
    wrong.certificate("accepted: {}", &take, &certificate(&take, within(3), vec![first.clone()]));
    let both = vec![first.clone(), second.clone()];
    let value = Claim::Value(payoffs(&[1, -1]));
    wrong.certificate("accepted: {}", &take, &certificate(&take, value.clone(), both.clone()));
    let at_least = |player, payoff: i64| Claim::AtLeast { player, payoff: payoff.into() };
    for claim in [
        within(2),
        within(4),
        wins(1),
        Claim::Wins { player: 7, plies: None },
        at_least(0, 2),
        at_least(1, 0),
        at_least(7, -1),
        value.clone(),
        Claim::Between { low: 1.into(), high: 1.into() },
        Claim::SolvedIn(3),
        Claim::Unsolvable,
        Claim::Equilibria(vec![payoffs(&[1, -1])]),
        Claim::Equilibria(Vec::new()),
        Claim::Period { param: "n".into(), from: 0, period: 1 },
        Claim::Always { over: vec![over], cases: vec![(Vec::new(), 0)] },
        Claim::Always { over: Vec::new(), cases: Vec::new() },
    ] {
        for lemmas in [vec![first.clone()], vec![first.clone(), first.clone()], Vec::new()] {
            wrong.certificate(LOOSE, &take, &certificate(&take, claim.clone(), lemmas));
        }
    }
    for claim in
        [Claim::Value(payoffs(&[1, 1])), Claim::Value(payoffs(&[0, 0])), Claim::Value(payoffs(&[-1, 1]))]
    {
        wrong.certificate(LOOSE, &take, &certificate(&take, claim, both.clone()));
    }
    for payoffs in [&[1][..], &[], &[1, -1, 0]].map(payoffs) {
        let short = certificate(&take, Claim::Value(payoffs), both.clone());
        wrong.certificate("it does not say what each player gets", &take, &short);
    }
    let mut header = |expected: &str, change: &dyn Fn(&mut Certificate)| {
        let mut forged = certificate(&take, wins(0), vec![first.clone()]);
        change(&mut forged);
        wrong.certificate(expected, &take, &forged);
    };
    header("its lemmas are of the tier `{}`", &|of| of.header.tier = Tier::Ground);
    header("games do not end by the convention `{}`", &|of| of.header.convention = Convention::Misere);
    header("the players are others than those of the rules", &|of| of.header.players.reverse());
    // After `take(2)` the first player has lost, and his answer is for another position.
    let interpreter = Interpreter::new(take.clone());
    for (play, after, _) in interpreter.expand(&interpreter.initial()).expect("no fault").1 {
        let lost = interpreter.call_form(&play) == "take(1)";
        let expected = if lost {
            "play by the strategy never reaches the position {key} that it lists"
        } else {
            "{what} gives {name} {payoff}, {more} {}"
        };
        header(expected, &|of| of.header.position = Some(key(&take, &after)));
    }
}
