//! Rows of every length for which an automaton determines the winner.

use bouton_certificates::{self as cert, Certificate, Lemma};
use bouton_checker::Verdict;
use bouton_rules::parametric::{Atom, ParametricStrategy};

use super::games::{param, proved, refused, verdict, words};

/// A row of cells with these moves.
fn row(moves: &str) -> String {
    format!(
        "game \"Row\"; param n: 1..40 = 6; players A, B; type Cell = 1..n;\nstate {{ full: set of Cell = {{}}; }}\n\
         def first = min c in Cell - full: c;\ndef last = max c in Cell - full: c;\n{moves}\nplay normal;\n"
    )
}

fn states(certificate: &Certificate) -> usize {
    match &certificate.lemmas[..] {
        [Lemma::Param(of)] => match &of.plan {
            ParametricStrategy::RowAutomaton { lost } => lost.next.len(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_row_of_cells_is_told_for_every_length() {
    let text = words("row_of_cells");
    let found = proved(&text, &[]).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(found.accepted.claim, "for all n >= 1: First wins");
    assert_eq!(found.scope(), "all n >= 1, filled = []");
    assert_eq!(states(&found.certificate), 6);
    let written = cert::write(&found.certificate);
    assert_eq!(cert::parse(&written).as_ref(), Ok(&found.certificate));
    assert!(written.len() < 4_000, "{}", written.len());
    assert!(matches!(verdict(&text, &[], &found.certificate), Verdict::Accepted(_)));
    // A row with full cells at first is not an untouched row, which the proof needs.
    assert!(proved(&text, &["filled=[2]"]).is_err());
}

#[test]
fn who_wins_may_depend_on_the_length() {
    for (moves, claim) in [
        // One cell a time; one or two from the left; up to three.
        ("move one(c: Cell) { when c not in full and c <= 50; full |= { c }; }", None),
        (
            "move left(k: 1..2) { let block = first .. first + k - 1; when first + k - 1 <= n and block & full = {}; \
             full |= block; }",
            Some("for all n >= 1: B wins where n mod 3 = 0; A wins where n mod 3 is 1 or 2"),
        ),
        (
            "move right(k: 1..3) { let block = last - k + 1 .. last; when last >= k and block & full = {}; full |= block; }",
            Some("for all n >= 1: B wins where n mod 4 = 0; A wins where n mod 4 is 1, 2 or 3"),
        ),
        (
            "move far(k: 1..2) { let block = first .. first + k; when first + k <= n and block & full = {}; full |= block; }",
            None,
        ),
    ] {
        match (proved(&row(moves), &[]), claim) {
            (Ok(found), Some(claim)) => assert_eq!(found.accepted.claim, claim, "{moves}"),
            (Ok(found), None) => assert!(states(&found.certificate) <= 12, "{moves}"),
            (Err(why), Some(_)) => panic!("{moves}: {why}"),
            (Err(_), None) => {}
        }
    }
}

/// Kayles decomposes into rows whose values grow: no small automaton adds them up.
#[test]
fn what_no_small_automaton_tells_is_refused() {
    let kayles = "move bowl(p: Cell, k: 1..2) { let block = p .. p + k - 1; when p + k - 1 <= n and block & full = {} \
                  and p <= n - 0 and p + k >= 3; full |= block; }";
    let why = proved(&row(kayles), &[]).err().unwrap_or_default();
    assert!(why.contains("no plan"), "{why}");
    // Conditions on places may only compare their distances.
    let half = "move one(c: Cell) { when c not in full and 2 * c <= n + 1; full |= { c }; }";
    assert!(proved(&row(half), &[]).is_err());
}

#[test]
fn changed_automata_are_refused() {
    let text = words("row_of_cells");
    let whole = proved(&text, &[]).expect("a proof").certificate;
    let mut count = 0;
    let mut no = |change: &dyn Fn(&mut bouton_base::automaton::Automaton)| {
        let mut changed = whole.clone();
        let ParametricStrategy::RowAutomaton { lost } = &mut param(&mut changed, 0).plan else {
            panic!("a row")
        };
        change(lost);
        let reason = refused(&text, &[], &changed).reason;
        assert!(reason.contains("automaton"), "{reason}");
        count += 1;
    };
    for state in 0..6 {
        no(&|lost| lost.accepting[state] = !lost.accepting[state]);
        for letter in 0..2 {
            for to in 0..8 {
                let is = match &whole.lemmas[0] {
                    Lemma::Param(of) => {
                        matches!(&of.plan, ParametricStrategy::RowAutomaton { lost } if lost.next[state][letter] == to)
                    }
                    _ => false,
                };
                if !is {
                    no(&|lost| lost.next[state][letter] = to);
                }
            }
        }
    }
    no(&|lost| lost.accepting.truncate(5));
    no(&|lost| lost.next.iter_mut().for_each(|next| next.push(0)));
    assert_eq!(count, 6 + 6 * 2 * 7 + 2);
    let mut other = whole.clone();
    param(&mut other, 0).cases[0].first_player_wins = false;
    assert!(refused(&text, &[], &other).reason.contains("the first row of 1 cells"));
    let mut other = whole.clone();
    param(&mut other, 0).over[0].low = 0;
    assert!(!refused(&text, &[], &other).reason.is_empty());
    let mut other = whole;
    param(&mut other, 0).cases[0].when.push(Atom::Residue(bouton_base::linear::Linear::var(0), 2, vec![0]));
    // The automaton proves less than the claim.
    assert_eq!(refused(&text, &[], &other).step, "claim");
}

/// The same automaton for other rules: fewer moves, or more.
#[test]
fn an_automaton_is_one_of_its_rules() {
    let text = words("row_of_cells");
    let whole = proved(&text, &[]).expect("a proof").certificate;
    for (old, new) in
        [("a <= b", "a <= b and a <= leftmost"), ("a <= b", "a + 1 <= b"), ("full |= a..b", "full |= reach")]
    {
        let other = text.replace(old, new);
        let rules = super::games::given(&other, &[]).rules_with(&[]).expect("rules");
        let mut forged = whole.clone();
        forged.header.rules = cert::Digest::of_rules(&rules);
        match verdict(&other, &[], &forged) {
            // From the left end alone the same rows are lost.
            Verdict::Accepted(_) => assert_ne!(new, "a + 1 <= b"),
            Verdict::Rejected(rejection) => {
                assert!(rejection.reason.contains("automaton"), "{new}: {rejection}")
            }
            Verdict::Limit(hit) => panic!("{hit}"),
        }
    }
}
