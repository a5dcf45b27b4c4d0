//! Certificates of a forger who has read the checker: each pairs a false claim with a body that a single gap would let
//! pass.

use bouton_base::automaton::Automaton;
use bouton_base::linear::Linear;
use bouton_certificates::{Lemma, ParamLemma};
use bouton_rules::parametric::{Atom, ParamRange, ParametricStrategy, WinnerCase};

use super::Mismatches;
use super::parametric::{ROW, refused};

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
