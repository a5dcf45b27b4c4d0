//! Rules about which a false claim was once "proved", or which were reported at fault where they are not. For every
//! question and every machine: the right value, the right fault, or no answer with its reason.

use bouton_base::limits::{Limits, NoProgress};
use bouton_base::rational::Rational;
use bouton_certificates as cert;
use bouton_driver::load::GameSource;
use bouton_driver::planner::{Plan, Question};
use bouton_driver::{faults::fault_diagnostic, solvers};
use bouton_search::game::explore::{FaultyPosition, PositionFault};
use bouton_search::game::{Backend, Game};
use bouton_search::solve::certify::{CertificateOptions, certificate};
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Status};
use bouton_syntax::diag::Code;

use super::{accepts, by_strategy, proof};

/// The right answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ExpectedAnswer {
    /// The payoff of the first player.
    Value(i64),
    /// The rules have no meaning in a position that play cannot avoid.
    Fault(Code),
}

const TEXTS: &[(&str, ExpectedAnswer)] = &[
    ("ab_e0501b", ExpectedAnswer::Value(1)),
    ("ab_natural", ExpectedAnswer::Value(1)),
    ("actorundef", ExpectedAnswer::Fault(Code::E0330)),
    ("answer_fault", ExpectedAnswer::Fault(Code::E0503)),
    ("among3", ExpectedAnswer::Fault(Code::E0503)),
    ("among4", ExpectedAnswer::Fault(Code::E0503)),
    ("declared_set", ExpectedAnswer::Value(-1)),
    ("record_element", ExpectedAnswer::Fault(Code::E0330)),
    ("record_max", ExpectedAnswer::Value(1)),
    ("record_part", ExpectedAnswer::Value(-1)),
    ("record_set", ExpectedAnswer::Value(-1)),
    ("clash2", ExpectedAnswer::Fault(Code::E0310)),
    ("clash3", ExpectedAnswer::Fault(Code::E0310)),
    ("ens_each", ExpectedAnswer::Value(1)),
    ("fault_counted", ExpectedAnswer::Fault(Code::E0503)),
    ("fault_of_one", ExpectedAnswer::Fault(Code::E0330)),
    ("fault_stage", ExpectedAnswer::Value(-1)),
    ("in_nothing", ExpectedAnswer::Value(1)),
    ("known_part", ExpectedAnswer::Value(1)),
    ("mand_each", ExpectedAnswer::Value(-1)),
    ("nextundef", ExpectedAnswer::Fault(Code::E0330)),
    ("not_stuck", ExpectedAnswer::Value(-1)),
    ("one_truth_value", ExpectedAnswer::Value(1)),
    ("one_way", ExpectedAnswer::Value(-1)),
    ("opening_fault", ExpectedAnswer::Fault(Code::E0310)),
    ("panic_sym", ExpectedAnswer::Value(-1)),
    ("pays_endless", ExpectedAnswer::Value(1)),
    ("prod_count", ExpectedAnswer::Value(0)),
    ("round_again", ExpectedAnswer::Value(1)),
    ("strata", ExpectedAnswer::Value(-1)),
    ("stuck_each3", ExpectedAnswer::Value(1)),
    ("stuck_iff", ExpectedAnswer::Value(-1)),
    ("stuck_implies", ExpectedAnswer::Value(-1)),
    ("stuck_parity", ExpectedAnswer::Value(1)),
    ("turn_kept", ExpectedAnswer::Value(1)),
    ("univ3", ExpectedAnswer::Value(0)),
];

fn source(name: &str) -> String {
    let path = format!("{}/tests/language/soundness/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a text of the folder")
}

fn game(name: &str, backend: Backend) -> Game {
    let mut text = GameSource::from_string(name, &source(&format!("{name}.bou")));
    text.backend = backend;
    text.game(None).unwrap_or_else(|why| panic!("{name}: {why:?}"))
}

/// Asserts that an answer is the right one or none, and that its certificate is accepted if it has one.
fn is_right(game: &Game, what: &str, right: ExpectedAnswer, found: Result<Solution, Box<FaultyPosition>>) {
    let solution = match found {
        Ok(solution) => solution,
        Err(broken) => {
            let code = match &broken.kind {
                PositionFault::Fault(fault) => fault_diagnostic(game, fault).code,
                PositionFault::Stuck => Code::E0501,
            };
            return assert_eq!(ExpectedAnswer::Fault(code), right, "{what}");
        }
    };
    if solution.status != Status::Solved {
        return assert!(solution.reason.is_some(), "{what}: no reason");
    }
    let value = solution.value.as_ref().map(|value| value.payoffs[0].clone());
    let ExpectedAnswer::Value(first) = right else { panic!("{what}: {value:?}, not {right:?}") };
    assert_eq!(value, Some(Rational::from_integer(first)), "{what}");
    let limits = Limits::default();
    let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
    if let Ok(certificate) = certificate(game, &game.machine.initial(), &solution, &wanted) {
        assert_eq!(accepts(game, &certificate), Ok(()), "{what}");
    }
}

#[test]
fn nothing_false_is_said() {
    let limits = Limits::default();
    for &(name, right) in TEXTS {
        for backend in [Backend::Reference, Backend::Interp, Backend::Jit] {
            let game = game(name, backend);
            let start = game.machine.initial();
            for method in solvers::all() {
                let what = format!("{name}, {}, {backend:?}", method.name());
                let options = SolveOptions::default();
                let found = method.solve(&SolveRequest::new(&game, &start, &options, &limits, &NoProgress));
                is_right(&game, &what, right, found);
            }
            for strong in [false, true] {
                let options = SolveOptions { strong, ..SolveOptions::default() };
                let plan = Plan::new(Question::new(&game, &start, &options, &limits));
                let found = plan.run(&NoProgress).map(|answer| answer.solution);
                is_right(&game, &format!("{name}, picked, {backend:?}"), right, found);
            }
        }
    }
}

#[test]
fn a_forged_certificate_is_refused() {
    let certificate = cert::parse(&source("clash2_forged.cert")).expect("its hashes are right");
    let refused = accepts(&game("clash2", Backend::Reference), &certificate);
    assert_eq!(refused, Err("the rules alone do not show that they have a meaning in every position".into()));
}

/// Steps back along one-way steps were once taken, so that no move seemed to be left after the opening.
#[test]
fn a_mirror_that_rests_on_steps_back_is_refused() {
    let game = game("one_way", Backend::Reference);
    let mut forged = proof(&game, &by_strategy(&game, "dp"));
    forged.header.tier = cert::Tier::Ground;
    forged.header.claim = cert::Claim::Wins { player: 0, plies: None };
    forged.lemmas = vec![cert::Lemma::Mirror(cert::mirror::MirrorLemma {
        bound: cert::PayoffBound { holder: Some(0), payoff: Rational::ONE },
        opening: Some("put(p)".into()),
        images: Vec::new(),
    })];
    let refused = accepts(&game, &forged);
    let reason = "the rules alone do not show that every play ends: `put(s)` may change nothing for good";
    assert_eq!(refused, Err(reason.into()));
}
