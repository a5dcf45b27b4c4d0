use bouton_base::rational::Rational;
use bouton_rules::parametric::{Atom, ParamRange};

use super::pairing::PairingOpening;
use super::*;

/// A certificate of this claim, whose lemma is a pairing.
fn certificate(players: &[&str], claim: Claim) -> Certificate {
    let bound = PayoffBound { holder: Some(0), payoff: Rational::new(-1, 3) };
    let opening =
        PairingOpening { moves: vec!["put(a1)".into(), "put(b2)".into()], pairs: vec![(0, 3), (1, 2)] };
    let lemma = Lemma::Pairing(PairingLemma::new(bound, vec![opening]));
    Certificate {
        header: Header {
            game: "A game".into(),
            players: players.iter().map(|name| name.to_string()).collect(),
            rules: Digest::of(b"rules"),
            params: vec![("n".into(), "3".into()), ("heaps".into(), "[1, 2]".into())],
            convention: Convention::Normal,
            position: None,
            claim,
            tier: lemma.tier(),
        },
        lemmas: vec![lemma],
        text: Some("game \"A game\";\n".into()),
    }
}

fn claims() -> Vec<Claim> {
    let over = vec![ParamRange { param: "n".into(), element: None, low: 1, high: None }];
    let half = Rational::new(1, 2);
    vec![
        Claim::Wins { player: 0, plies: None },
        Claim::Wins { player: 1, plies: Some(9) },
        Claim::AtLeast { player: 1, payoff: -half.clone() },
        Claim::Between { low: -half.clone(), high: half.clone() },
        Claim::Value(vec![half.clone(), -half]),
        Claim::SolvedIn(22),
        Claim::Unsolvable,
        Claim::Period { param: "n".into(), from: 3, period: 34 },
        Claim::Always { over, cases: vec![(Vec::<Atom>::new(), 1)] },
    ]
}

#[test]
fn what_is_written_is_read() {
    for claim in claims() {
        let made = certificate(&["Ann", "Bob"], claim);
        let text = write(&made);
        assert_eq!(parse(&text), Ok(made), "{text}");
    }
}

#[test]
fn players_may_have_the_words_of_claims_as_names() {
    for name in ["between", "value", "unsolvable", "nimbers", "always", "wins", "gets", "within"] {
        for claim in claims() {
            for players in [[name, "Bob"], ["Ann", name]] {
                let made = certificate(&players, claim.clone());
                let text = write(&made);
                assert_eq!(parse(&text), Ok(made), "{text}");
            }
        }
    }
}

#[test]
fn every_change_of_a_character_is_refused() {
    let text = write(&certificate(&["Ann", "Bob"], Claim::Wins { player: 0, plies: Some(9) }));
    for (place, letter) in text.char_indices() {
        for other in ['0', '7', 'a', ' ', '\n', '-', 'é'] {
            if other != letter {
                let after = &text[place + letter.len_utf8()..];
                let changed = format!("{}{other}{after}", &text[..place]);
                assert!(parse(&changed).is_err(), "{changed}");
            }
        }
        assert!(parse(&text[..place]).is_err(), "cut off at {place}");
    }
    assert!(parse(&format!("{text}\n")).is_err());
    assert!(parse(&text.replace('\n', "\r\n")).is_err());
}

#[test]
fn a_count_is_not_believed() {
    let text = write(&certificate(&["Ann", "Bob"], Claim::Unsolvable));
    for (old, new) in
        [("lines 3", "lines 4000000000"), ("text lines", "text lines 9"), ("lemma 1", "lemma 7")]
    {
        assert!(text.contains(old), "{text}");
        assert!(parse(&text.replace(old, new)).is_err(), "{old} as {new}");
    }
}

#[test]
fn an_older_version_is_told_apart() {
    let text = write(&certificate(&["Ann", "Bob"], Claim::Unsolvable));
    let (_, after) = text.split_once('\n').expect("lines");
    let first = text.lines().next().expect("a line").replace('2', "1");
    let why = parse(&format!("{first}\n{after}")).expect_err("version 1").why;
    assert!(why.contains("solving again"), "{why}");
    let first = first.replace('1', "3");
    let why = parse(&format!("{first}\n{after}")).expect_err("version 3").why;
    assert!(why.contains("not known"), "{why}");
}
