//! Games of `games/` that are won in the same way for all values of their parameters, and their certificates.

use std::sync::Arc;

use bouton_base::limits::Limits;
use bouton_base::linear::{Linear, ProofStep};
use bouton_certificates::{self as cert, Certificate, Claim, Digest, Lemma, ParamLemma};
use bouton_checker::{FamilyError, Rejection, RulesFamily, Verdict, Verifier};
use bouton_detect::prover::refute;
use bouton_driver::load::GameSource;
use bouton_driver::parametric::{ParametricProof, prove};
use bouton_obligations::obligations;
use bouton_rules::Rules;
use bouton_rules::parametric::{Atom, ParametricRules, ParametricStrategy, WinnerCase};
use bouton_verify::SourceFamily;

pub fn words(name: &str) -> String {
    let path = format!("{}/games/{name}.bou", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a game of games/")
}

pub fn given(words: &str, settings: &[&str]) -> GameSource {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    GameSource::from_string("a game", words).with_settings(&settings, None).expect("settings")
}

pub fn proved(words: &str, settings: &[&str]) -> Result<ParametricProof, String> {
    prove(&mut given(words, settings), &Limits::default()).map_err(|why| why.to_string())
}

pub fn verdict(words: &str, settings: &[&str], certificate: &Certificate) -> Verdict {
    let mut text = given(words, settings);
    let rules = text.rules_with(&[]).expect("rules without errors");
    let family = SourceFamily::new(&mut text, &rules);
    Verifier::of_family(&Arc::new(rules), &family).verify(certificate, &Limits::default(), None)
}

pub fn refused(words: &str, settings: &[&str], certificate: &Certificate) -> Rejection {
    match verdict(words, settings, certificate) {
        Verdict::Rejected(rejection) => rejection,
        other => panic!("{other:?}"),
    }
}

pub fn param(certificate: &mut Certificate, lemma: usize) -> &mut ParamLemma {
    match &mut certificate.lemmas[lemma] {
        Lemma::Param(param) => param,
        other => panic!("{other:?}"),
    }
}

const GAMES: [(&str, &[&str]); 6] = [
    ("subtraction", &[]),
    ("subtraction", &["takes=[1, 3, 4]"]),
    ("nim", &["heaps=[3, 5]"]),
    ("hatch", &[]),
    ("cram", &[]),
    ("dawsons_kayles", &[]),
];

#[test]
fn what_is_claimed_is_told_with_its_scope() {
    for (name, settings, claim) in [
        (
            "subtraction",
            &[][..],
            "for all n >= 0: Second wins where n mod 4 = 0; First wins where n mod 4 is 1, 2 or 3",
        ),
        (
            "subtraction",
            &["takes=[1, 3, 4]"],
            "for all n >= 0: Second wins where n mod 7 is 0 or 2; First wins where n mod 7 is 1, 3, 4, 5 or 6",
        ),
        (
            "subtraction",
            &["takes=[1, 2, 3, 4, 5, 6, 7]"],
            "for all n >= 0: Second wins where n mod 8 = 0; First wins where n mod 8 is 1, 2, 3, 4, 5, 6 or 7",
        ),
        (
            "nim",
            &["heaps=[3, 5]"],
            "for all 0 <= heaps[1] <= 31 and 0 <= heaps[2] <= 31: Second wins where heaps[1] = heaps[2]; First wins where \
             heaps[1] + 1 <= heaps[2]; First wins where heaps[2] + 1 <= heaps[1]",
        ),
        (
            "hatch",
            &[],
            "for all n >= 1 and k >= 1: Second wins where n mod 2 = 0 and k <= 1; First wins where n mod 2 = 0 and k >= \
             2; First wins where n mod 2 = 1",
        ),
        (
            "cram",
            &[],
            "for all cols >= 1 and rows >= 1: Second wins where cols mod 2 = 0 and rows mod 2 = 0; First wins where cols \
             mod 2 = 1 and rows mod 2 = 0; First wins where cols mod 2 = 0 and rows mod 2 = 1",
        ),
        ("kayles", &[], "for all n >= 1: First wins where n mod 2 = 0; First wins where n mod 2 = 1"),
        ("dawsons_kayles", &[], "for all n >= 1: First wins where n mod 2 = 0"),
    ] {
        let proved = proved(&words(name), settings).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(proved.accepted.claim, claim);
        let text = cert::write(&proved.certificate);
        assert_eq!(cert::parse(&text).as_ref(), Ok(&proved.certificate), "{name}");
        let small = text.len();
        assert!(small < 60_000, "{name}: {small} bytes");
    }
}

/// From a heap of n, one to k at a time: the player who faces a multiple of k + 1 loses, for every n and k.
const BACHET: &str = "game \"Bachet\"; param n: 0..60 = 20; param k: 1..20 = 3; players First, Second;\n\
    state { heap: 0..n = n; }\nmove take(x: 1..k) { when x <= heap; heap -= x; }\nplay normal;\n";

#[test]
fn complements_are_proved_for_every_size() {
    let found = proved(BACHET, &[]).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(
        found.accepted.claim,
        "for all n >= 0 and k >= 1: Second wins where n mod (k + 1) = 0; First wins where n mod (k + 1) is not 0"
    );
    assert_eq!(found.scope(), "all n >= 0 and k >= 1");
    let written = cert::write(&found.certificate);
    assert_eq!(cert::parse(&written).as_ref(), Ok(&found.certificate));
    let rules = |settings: &[&str]| given(BACHET, settings).rules_with(&[]).expect("rules");
    for (n, k) in [(20, 3), (21, 3), (7, 6), (12, 5), (0, 1), (59, 20)] {
        let winner = u32::from(n % (k + 1) == 0);
        assert_eq!(found.winner(&rules(&[&format!("n={n}"), &format!("k={k}")])), Some(winner), "{n} {k}");
    }
    // Each change makes other numbers lost: two to k + 1 at a time, at most half the heap, or one more than announced.
    for (old, new) in [("1..k", "2..k + 1"), ("x <= heap", "2 * x <= heap"), ("heap -= x", "heap -= x + 1")] {
        let claim = proved(&BACHET.replace(old, new), &[]).map(|found| found.accepted.claim);
        assert!(
            claim.as_ref().is_err() || !claim.as_ref().is_ok_and(|claim| claim.contains("k + 1")),
            "{new}: {claim:?}"
        );
    }
}

#[test]
fn changed_complements_are_refused() {
    let whole = proved(BACHET, &[]).expect("a proof").certificate;
    let mut count = 0;
    let mut no = |what: &str, change: &dyn Fn(&mut Certificate)| {
        let mut changed = whole.clone();
        change(&mut changed);
        assert_ne!(changed, whole, "{what} changes nothing");
        count += 1;
        if let Ok(read) = cert::parse(&cert::write(&changed)) {
            assert!(!refused(BACHET, &[], &read).reason.is_empty(), "{what}");
        }
    };
    mutate_lemma(&whole, 0, &mut no);
    for by in [-1, 1] {
        no("what divides", &|c| match &mut param(c, 0).plan {
            ParametricStrategy::LostPositions { lost, .. } => match &mut lost[0] {
                Atom::Multiple(_, of, _) => of.constant += by,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        });
        no("what divides in a case", &|c| match &mut param(c, 0).cases[0].when[0] {
            Atom::Multiple(_, of, _) => of.constant += by,
            other => panic!("{other:?}"),
        });
    }
    // A divisor of 0 or less has no distinct multiples.
    no("what divides is nothing", &|c| match &mut param(c, 0).plan {
        ParametricStrategy::LostPositions { lost, .. } => {
            lost[0] = Atom::Multiple(Linear::var(1000), Linear::number(0), true)
        }
        other => panic!("{other:?}"),
    });
    assert!(count > 30, "{count}");
}

#[test]
fn the_winner_of_an_instance_follows() {
    for (name, settings, winner, scope) in [
        ("hatch", &["n=10", "k=4"][..], Some(0), "all n >= 1 and k >= 1"),
        ("hatch", &["n=8", "k=1"], Some(1), "all n >= 1 and k >= 1"),
        ("subtraction", &["n=20"], Some(1), "all n >= 0, takes = [1, 2, 3]"),
        (
            "cram",
            &["cols=3", "rows=3"],
            None,
            "all cols >= 1 and rows >= 1, where cols mod 2 = 0 and rows mod 2 = 0, or cols mod 2 = 1 and rows mod 2 = 0, \
             or cols mod 2 = 0 and rows mod 2 = 1",
        ),
    ] {
        let text = words(name);
        let proved = proved(&text, settings).expect("a proof");
        let rules = given(&text, settings).rules_with(&[]).expect("rules");
        assert_eq!(proved.winner(&rules), winner, "{name} {settings:?}");
        assert_eq!(proved.scope(), scope);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_reason() {
    let hatch = words("hatch");
    let subtraction = words("subtraction");
    for (text, settings, why) in [
        // Lost pairs by the golden section are no residues, and not equal.
        (words("wythoff"), &[][..], "no plan"),
        (words("nim"), &[], "no plan"),
        (words("row_of_cells"), &["filled=[2]"], "beyond what is supported"),
        (words("treblecross"), &[], "beyond what is supported"),
        (words("domineering"), &[], "beyond what is supported"),
        (hatch.replace("play normal", "play misere"), &[], "beyond what is supported"),
        (hatch.replace("when first + len", "when first >= 2 and first + len"), &[], "no plan"),
        // A player who must not fill two cells loses a middle of two.
        (
            hatch.replace("run & shaded = {};", "run & shaded = {} and len != 2;"),
            &[],
            "beyond what is supported",
        ),
        (hatch.replace("shaded |= run;", "shaded |= run; again;"), &[], "beyond what is supported"),
        (
            hatch
                .replace("move hatch(first: Cell, len: 1..k)", "move hatch(first: Cell, len: 1..k) by First"),
            &[],
            "",
        ),
        // The set of numbers depends on the parameter.
        (subtraction.replace("takes[i] for", "takes[i] + n - n for"), &[], ""),
        (
            subtraction.replace("when k <= heap;", "when k <= heap and heap != 7;"),
            &[],
            "beyond what is supported",
        ),
        (subtraction.replace("when k <= heap;", "when k <= heap and heap <= 50;"), &[], ""),
        (subtraction.replace("play normal", "play misere"), &[], "beyond what is supported"),
    ] {
        match proved(&text, settings) {
            Err(reason) => assert!(reason.contains(why), "{text}\n{reason}"),
            Ok(proved) => panic!("{text}\n{}", proved.accepted.claim),
        }
    }
}

/// Returns the certificate with one of its lemmas, and with a claim to match.
fn alone(certificate: &Certificate, lemma: usize) -> Certificate {
    let mut alone = certificate.clone();
    alone.lemmas = vec![certificate.lemmas[lemma].clone()];
    let Lemma::Param(param) = &certificate.lemmas[lemma] else { panic!("a lemma of this kind") };
    let Claim::Always { cases, .. } = &mut alone.header.claim else { panic!("a claim of all values") };
    *cases = param.cases.iter().map(|case| (case.when.clone(), u32::from(!case.first_player_wins))).collect();
    alone
}

#[test]
fn changed_certificates_are_refused() {
    let mut count = 0;
    for (name, settings) in GAMES {
        let text = words(name);
        let proved = proved(&text, settings).unwrap_or_else(|why| panic!("{name}: {why}"));
        let mut of = given(&text, settings);
        let rules = Arc::new(of.rules_with(&[]).expect("rules without errors"));
        let family = SourceFamily::new(&mut of, &rules);
        let verifier = Verifier::of_family(&rules, &family);
        for lemma in 0..proved.certificate.lemmas.len() {
            let certificate = alone(&proved.certificate, lemma);
            let accepted = verifier.verify(&certificate, &Limits::default(), None);
            assert!(matches!(accepted, Verdict::Accepted(_)), "{name}: {accepted:?}");
            let mut no = |what: &str, change: &dyn Fn(&mut Certificate)| {
                let mut changed = certificate.clone();
                change(&mut changed);
                assert_ne!(changed, certificate, "{name}: {what} changes nothing");
                count += 1;
                if let Ok(read) = cert::parse(&cert::write(&changed)) {
                    match verifier.verify(&read, &Limits::default(), None) {
                        Verdict::Rejected(rejection) => assert!(!rejection.reason.is_empty()),
                        other => panic!("{name}: {what}: {other:?}"),
                    }
                }
            };
            no("another hash", &|c| c.header.rules = Digest::of(b"others"));
            no("another player", &|c| match &mut c.header.claim {
                Claim::Always { cases, .. } => cases[0].1 = 1 - cases[0].1,
                other => panic!("{other:?}"),
            });
            no("more values in the claim", &|c| match &mut c.header.claim {
                Claim::Always { over, .. } => over[0].low -= 1,
                other => panic!("{other:?}"),
            });
            no("a case without its condition", &|c| match &mut c.header.claim {
                Claim::Always { cases, .. } => cases[0].0.clear(),
                other => panic!("{other:?}"),
            });
            no("no lemma", &|c| c.lemmas.clear());
            mutate_lemma(&certificate, 0, &mut no);
        }
    }
    assert!(count > 500, "{count}");
}

/// Asserts that a changed certificate is refused.
type Refuse<'a> = dyn FnMut(&str, &dyn Fn(&mut Certificate)) + 'a;

fn mutate_lemma(certificate: &Certificate, lemma: usize, no: &mut Refuse<'_>) {
    no("who wins", &|c| {
        let case = &mut param(c, lemma).cases[0];
        case.first_player_wins = !case.first_player_wins;
    });
    no("the least value", &|c| param(c, lemma).over[0].low -= 1);
    no("a condition left out", &|c| drop(param(c, lemma).cases[0].when.remove(0)));
    no("a proof left out", &|c| drop(param(c, lemma).proofs.pop()));
    no("a proof too many", &|c| param(c, lemma).proofs.push(Vec::new()));
    no("no proofs", &|c| param(c, lemma).proofs.iter_mut().for_each(Vec::clear));
    no("the plan", &|c| match &mut param(c, lemma).plan {
        ParametricStrategy::Mirror { image, .. } => image[0].constant += 1,
        ParametricStrategy::LostPositions { lost, .. } => match &mut lost[0] {
            Atom::Residue(of, ..) | Atom::Zero(of) | Atom::AtMost(of) | Atom::Multiple(of, ..) => {
                of.constant += 1;
            }
        },
        ParametricStrategy::RowAutomaton { .. } => panic!("these are in `rows`"),
    });
    no("the answers", &|c| match &mut param(c, lemma).plan {
        ParametricStrategy::Mirror { answers, .. } => answers[0].choices[0].constant += 1,
        ParametricStrategy::LostPositions { replies, .. } => drop(replies.remove(0)),
        ParametricStrategy::RowAutomaton { .. } => {}
    });
    no("the measure or an opening", &|c| match &mut param(c, lemma).plan {
        ParametricStrategy::LostPositions { ranking: measure, .. } => *measure = Linear::number(0),
        ParametricStrategy::RowAutomaton { .. } => {}
        ParametricStrategy::Mirror { opening, .. } => match opening {
            Some(made) => made.choices[0].constant += 1,
            None => param(c, lemma).cases[0].first_player_wins = true,
        },
    });
    let Lemma::Param(whole) = &certificate.lemmas[lemma] else { panic!("a lemma of this kind") };
    let proofs = whole.proofs.iter().enumerate().filter(|(_, proof)| !proof.is_empty());
    for (number, proof) in proofs.take(25) {
        for at in (0..proof.len()).step_by(proof.len().div_ceil(6)) {
            no("a step left out", &|c| drop(param(c, lemma).proofs[number].remove(at)));
            no("a step changed", &|c| match &mut param(c, lemma).proofs[number][at] {
                ProofStep::Derive(sum) => sum[0].1 = -sum[0].1,
                ProofStep::Split(clause) | ProofStep::Instance(clause, _) => *clause += 1000,
                ProofStep::Distinct(held, _) => *held += 1000,
                ProofStep::Cut(of) => of.constant += 100,
            });
        }
    }
}

#[test]
fn a_certificate_speaks_of_its_rules() {
    let text = words("hatch");
    let certificate = proved(&text, &[]).expect("a proof").certificate;
    let others = [
        text.replace("when first + len", "when first >= 2 and first + len"),
        text.replace("len: 1..k", "len: 2..k + 1"),
        text.replace("first .. first + len - 1;", "first .. first + len;")
            .replace("len - 1 <= n", "len <= n"),
        text.replace("play normal", "play misere"),
    ];
    for other in others {
        assert_eq!(refused(&other, &[], &certificate).step, "header");
        // A forged header still needs a proof.
        let rules = given(&other, &[]).rules_with(&[]).expect("rules");
        let mut forged = certificate.clone();
        forged.header.rules = Digest::of_rules(&rules);
        forged.header.convention = cert::Convention::of(&rules);
        assert_ne!(refused(&other, &[], &forged).step, "header", "{other}");
    }
    // Without the source the certificate proves nothing about other values.
    let rules = Arc::new(given(&text, &[]).rules_with(&[]).expect("rules"));
    let alone = Verifier::new(&rules).verify(&certificate, &Limits::default(), None);
    assert!(matches!(alone, Verdict::Rejected(_)));
}

/// A source that is read wrong: its schema is that of another source.
struct Misread<'t> {
    of: SourceFamily<'t>,
    schema: ParametricRules,
}

impl RulesFamily for Misread<'_> {
    fn rules(&self, param: &str, value: i64) -> Result<Arc<Rules>, FamilyError> {
        self.of.rules(param, value)
    }
    fn window(&self, param: &str) -> Result<u32, FamilyError> {
        self.of.window(param)
    }
    fn instance(&self, settings: &[String]) -> Result<Arc<Rules>, FamilyError> {
        self.of.instance(settings)
    }
    fn schema(&self, _: &[String]) -> Result<ParametricRules, FamilyError> {
        Ok(self.schema.clone())
    }
}

#[test]
fn a_mistake_in_reading_shows_in_small_games() {
    let text = words("hatch");
    let certificate = proved(&text, &[]).expect("a proof").certificate;
    let free = ["n".to_owned(), "k".to_owned()];
    let schema = |words: &str| {
        let mut text = given(words, &[]);
        let rules = text.rules_with(&[]).expect("rules");
        text.schema(&rules, &free).expect("schemes")
    };
    // The rules have one cell less to hatch from; the schema is that of the original rules, to which the proofs apply.
    let other = text.replace("when first + len", "when first >= 2 and first + len");
    let mut of = given(&other, &[]);
    let rules = of.rules_with(&[]).expect("rules");
    let mut forged = certificate.clone();
    forged.header.rules = Digest::of_rules(&rules);
    let family = Misread { of: SourceFamily::new(&mut of, &rules), schema: schema(&text) };
    match Verifier::of_family(&Arc::new(rules), &family).verify(&forged, &Limits::default(), None) {
        Verdict::Rejected(rejection) => {
            assert!(rejection.reason.contains("not those that were read"), "{rejection}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_is_claimed_of_no_game() {
    let text = words("hatch");
    let certificate = proved(&text, &[]).expect("a proof").certificate;
    let mut of = given(&text, &[]);
    let rules = of.rules_with(&[]).expect("rules");
    let family = SourceFamily::new(&mut of, &rules);
    let schema = family.schema(&["n".to_owned(), "k".to_owned()]).expect("schemes");
    // A number of cells that is both even and odd: everything follows.
    let mut changed = certificate.clone();
    changed.lemmas.truncate(1);
    let lemma = param(&mut changed, 0);
    let n = Linear::var(0);
    let when = vec![Atom::Residue(n.clone(), 2, vec![0]), Atom::Residue(n, 2, vec![1])];
    lemma.cases = vec![WinnerCase { when: when.clone(), first_player_wins: false }];
    let all = obligations(&schema, &lemma.over, &lemma.plan, &lemma.cases).expect("obligations");
    let proofs = all.iter().map(|one| refute(&one.problem, &Limits::default()).expect("a proof"));
    lemma.proofs = proofs.collect();
    let Claim::Always { cases, .. } = &mut changed.header.claim else { panic!("a claim of all values") };
    *cases = vec![(when, 1)];
    let verdict =
        Verifier::of_family(&Arc::new(rules.clone()), &family).verify(&changed, &Limits::default(), None);
    match verdict {
        Verdict::Rejected(rejection) => assert!(rejection.reason.contains("no small game"), "{rejection}"),
        other => panic!("{other:?}"),
    }
}
