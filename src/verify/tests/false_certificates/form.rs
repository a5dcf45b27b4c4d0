//! The reader, the header and the claim.

use bouton_certificates::{
    self as cert, Certificate, Claim, Convention, Digest, Lemma, MirrorLemma, PayoffBound, PositionKey,
    ReplyLemma, Tier,
};

use super::{Mismatches, certificate, rules, strategy, win, wins};

const NIM: &str = "game \"Nim\"; param most: 1..9 = 3; players A, B; type Heap = 1..2;\n\
    state { size[h: Heap]: 0..3 = h; }\n\
    move take(h: Heap, k: 1..3) { when k <= size[h] and k <= most; size[h] -= k; }\nplay normal;\n";

fn nim() -> Certificate {
    let rules = rules(NIM);
    let lemma = Lemma::Reply(ReplyLemma { bound: win(0), answers: strategy(&rules, win(0)) });
    Certificate { text: Some(NIM.into()), ..certificate(&rules, wins(0), vec![lemma]) }
}

/// Returns the text with the hashes that belong to it.
pub fn with_right_hashes(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut written, mut covered) = (Vec::new(), String::new());
    let mut at = 0;
    while at < lines.len() {
        let words: Vec<&str> = lines[at].split(' ').collect();
        let body = match words[..] {
            ["chunk", .., count, _] => count.parse().unwrap_or(0),
            _ => 0,
        };
        let body = &lines[at + 1..(at + 1 + body).min(lines.len())];
        let mut head = lines[at].to_owned();
        if words[0] == "chunk" {
            let hashed: String = body.iter().map(|line| format!("{line}\n")).collect();
            let digest = Digest::of(hashed.as_bytes());
            head = format!("{} {digest}", words[..words.len() - 1].join(" "));
        }
        if words[0] == "root" {
            head = format!("root {}", Digest::of(covered.as_bytes()));
        }
        covered += &format!("{head}\n");
        written.push(head);
        written.extend(body.iter().map(|line| (*line).to_owned()));
        at += 1 + body.len();
    }
    written.join("\n") + "\n"
}

#[test]
fn ill_formed_texts() {
    let whole = cert::write(&nim());
    assert_eq!(with_right_hashes(&whole), whole);
    assert!(cert::parse(&whole).is_ok());
    let first = whole.lines().find(|line| line.contains(" take(")).expect("a line of the body").to_owned();
    let short = first.split(' ').next().expect("a key").to_owned();
    let mut wrong = Mismatches::default();
    for (expected, from, to) in [
        ("`{word}` is expected here", "\ngame Nim", "\ngane Nim"),
        (
            "an older version of bouton wrote this certificate, in version {version} of the form; solving \
             again writes a new one, in version {FORMAT_VERSION}",
            "certificate 2",
            "certificate 1",
        ),
        (
            "version {version} of the form is not known; this is version {FORMAT_VERSION}",
            "certificate 2",
            "certificate 3",
        ),
        ("the number of lines is expected here", "text lines 5", "text lines five"),
        ("a hash of 64 digits is expected here", "rules ", "rules x"),
        ("`name = value` is expected here", "most = 3", "most 3"),
        ("this convention is not known", "convention normal", "convention odd"),
        ("a position is expected here", "position first", "position one"),
        ("this claim is not understood", "claim A wins", "claim A wins soon"),
        ("this tier is not known", "tier explicit", "tier deep"),
        ("there is no such kind of lemma", "lemma 1 reply", "lemma 1 answer"),
        ("this lemma is not understood", "at-least 1 lines", "at-least 1"),
        ("this lemma is not understood", "A at-least", "C at-least"),
        ("the lemma should end here", "at-least 1 lines", "at-least 1 or 2 lines"),
        ("`{line}` is not expected here", first.as_str(), short.as_str()),
        ("this is not the form of a certificate", "position first", "position 0"),
        ("this is not the form of a certificate", first.as_str(), &format!("0{first}")),
    ] {
        let changed = with_right_hashes(&whole.replacen(from, to, 1));
        assert_ne!(changed, whole, "{from}");
        // A position is a form of its own, so this one needs a number that is written otherwise.
        let changed = if to == "position 0" { changed.replace("position 0", "position 00") } else { changed };
        let changed = with_right_hashes(&changed);
        wrong.reason(
            expected,
            &cert::parse(&changed).map_or_else(|damage| damage.why, |_| String::new()),
            to,
        );
    }
    let lines = whole.lines().position(|line| line.starts_with("chunk lemma 1")).expect("a chunk");
    let chunk = whole.lines().nth(lines).expect("a chunk");
    let digest = chunk.rsplit(' ').next().expect("a hash");
    let without_end = whole.trim_end().rsplit_once('\n').expect("a last line").0;
    for (expected, changed) in [
        ("the certificate ends here, before its end", without_end.to_owned()),
        ("a number of lines and their hash are expected here", whole.replace(digest, "none")),
        (
            "there should be from 1 to {} lines",
            whole.replace(chunk, &format!("chunk lemma 1 lines 99 {digest}")),
        ),
        (
            "the {count} lines that follow do not have this hash: they were changed",
            whole.replace("\n  state", "\nstate").replacen(" take(", "  take(", 1),
        ),
        (
            "the hash of the whole should be here, and is not: something was changed",
            whole.replace("root ", "root 0"),
        ),
        ("the certificate should end here", format!("{whole}more\n")),
    ] {
        wrong.reason(
            expected,
            &cert::parse(&changed).map_or_else(|damage| damage.why, |_| String::new()),
            expected,
        );
    }
    let mirror = |images: &str| {
        let text = cert::write(&certificate(
            &rules(NIM),
            wins(0),
            vec![Lemma::Mirror(MirrorLemma { bound: win(0), opening: None, images: Vec::new() })],
        ));
        let lines = 1 + images.lines().count();
        let text = text.replace("at-least 1 lines 1", &format!("at-least 1 lines {lines}"));
        let text = text.replace("chunk lemma 1 lines 1", &format!("chunk lemma 1 lines {lines}"));
        with_right_hashes(&text.replace("no opening\n", &format!("no opening\n{images}")))
    };
    assert!(cert::parse(&mirror("2 3 0,1\n3 2 0,1\n")).is_ok());
    let parameters = |kind: &str| {
        let text = cert::write(&Certificate { lemmas: Vec::new(), text: None, ..nim() });
        with_right_hashes(&text.replace("text none", &format!("lemma 1 {kind} lines 0\ntext none")))
    };
    for (expected, changed) in [
        ("the lines up to here are out of order", mirror("3 2 0,1\n2 3 0,1\n")),
        ("the body ends too early", parameters("param mirror")),
        ("this lemma is not understood", parameters("param other")),
    ] {
        wrong.reason(
            expected,
            &cert::parse(&changed).map_or_else(|damage| damage.why, |_| String::new()),
            expected,
        );
    }
}

#[test]
fn false_headers() {
    let whole = nim();
    let nim = rules(NIM);
    let mut wrong = Mismatches::default();
    let mut refused = |expected: &str, change: &dyn Fn(&mut Certificate)| {
        let mut changed = whole.clone();
        change(&mut changed);
        wrong.certificate(expected, &nim, &changed);
    };
    refused("accepted: {}", &|c| c.text = None);
    refused("it is for `{}`, and the rules are those of `{name}`", &|c| c.header.game.push('!'));
    refused("the players are others than those of the rules", &|c| c.header.players[1].push('!'));
    refused("it is for the parameters {}, and the rules have {}", &|c| c.header.params[0].1 = "4".into());
    refused("games do not end by the convention `{}`", &|c| c.header.convention = Convention::Misere);
    refused("the rules are not those it was made for: their hash is another", &|c| {
        c.header.rules = Digest::of(b"others");
    });
    refused("its lemmas are of the tier `{}`", &|c| c.header.tier = Tier::Ground);
    for words in [vec![], vec![u64::MAX], vec![0, 0]] {
        refused("its words are those of no position", &|c| {
            c.header.position = Some(PositionKey(words.clone().into()));
        });
    }
    let hidden = rules(&NIM.replace("= h; }", "= h; card: 0..1 = 0 hidden; }"));
    let of_hidden = certificate(&hidden, wins(0), Vec::new());
    let knows = "information is hidden from a player, and a strategy that uses it proves nothing";
    wrong.certificate(knows, &hidden, &of_hidden);
    // The second player sees the coin of the first only in the strategy.
    let pennies = rules(
        "game \"Hidden pennies\"; players Even, Odd; state { shown[p: Player]: 1..2? = none visible to p; }\n\
         private move show(k: 1..2) { shown[me] := k; }\n\
         end { when shown[Odd] != none and shown[Even] = shown[Odd] => Even wins;\n\
         when shown[Odd] != none => Odd wins; }\n",
    );
    let lemma = Lemma::Reply(ReplyLemma { bound: win(1), answers: strategy(&pennies, win(1)) });
    wrong.certificate(knows, &pennies, &certificate(&pennies, wins(1), vec![lemma]));
}

#[test]
fn false_claims() {
    let whole = nim();
    let nim = rules(NIM);
    let mut wrong = Mismatches::default();
    let mut claimed = |expected: &str, claim: Claim| {
        let mut changed = whole.clone();
        changed.header.claim = claim;
        wrong.certificate(expected, &nim, &changed);
    };
    claimed("it does not say what each player gets", Claim::Value(vec![1.into()]));
    for claim in [
        wins(1),
        Claim::Wins { player: 0, plies: Some(2) },
        Claim::AtLeast { player: 0, payoff: 2.into() },
        Claim::AtLeast { player: 1, payoff: (-1).into() },
        Claim::Value(vec![1.into(), (-1).into()]),
        Claim::Unsolvable,
        Claim::Period { param: "most".into(), from: 0, period: 1 },
        Claim::Always { over: Vec::new(), cases: Vec::new() },
        Claim::Always { over: Vec::new(), cases: vec![(Vec::new(), 0)] },
    ] {
        claimed("it does not follow from the lemmas", claim);
    }
    let gift = rules(
        "game \"Gift\"; players A, B; state { given: 0..1? = none; }\nmove give(k: 0..1) { given := k; }\n\
         end { when given != none => payoff p: if p = A then given else given; }\n",
    );
    let bound = PayoffBound { holder: Some(0), payoff: 1.into() };
    let lemma = Lemma::Reply(ReplyLemma { bound: bound.clone(), answers: strategy(&gift, bound) });
    let claim = certificate(&gift, wins(0), vec![lemma]);
    wrong.certificate("where games end with payoffs, nobody wins or loses", &gift, &claim);
}
