//! Rules about which a false claim was once "proved", or which were reported at fault where they are not. For every
//! question and every machine: the right value, the right fault, or no answer with its reason.

use bouton::base::limits::{Limits, Silent};
use bouton::cert;
use bouton::diag::Code;
use bouton::driver::load::Text;
use bouton::driver::{faults::fault_found, solve, strategy};
use bouton::game::explore::{Broken, BrokenKind};
use bouton::game::{Backend, Game};
use bouton::solve::certify::{Wanted, certificate};
use bouton::solve::{Method, Options, Solution, Status};
use num_rational::Rational64;

use super::accepts;

/// The right answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Right {
    /// The payoff of the first player.
    Value(i64),
    /// The rules have no meaning in a position that play cannot avoid.
    Fault(Code),
    /// Players choose simultaneously, and their payoffs depend on mixed strategies.
    Mixed,
}

const TEXTS: &[(&str, Right)] = &[
    ("ab_e0501b", Right::Value(1)),
    ("ab_natural", Right::Value(1)),
    ("actorundef", Right::Fault(Code::E0330)),
    ("answer_fault", Right::Fault(Code::E0503)),
    ("among3", Right::Fault(Code::E0503)),
    ("among4", Right::Fault(Code::E0503)),
    ("clash2", Right::Fault(Code::E0310)),
    ("clash3", Right::Fault(Code::E0310)),
    ("ens_each", Right::Mixed),
    ("fault_counted", Right::Fault(Code::E0503)),
    ("fault_of_one", Right::Fault(Code::E0330)),
    ("fault_stage", Right::Value(-1)),
    ("mand_each", Right::Value(-1)),
    ("nextundef", Right::Fault(Code::E0330)),
    ("opening_fault", Right::Fault(Code::E0310)),
    ("panic_sym", Right::Value(-1)),
    ("prod_count", Right::Value(0)),
    ("round_again", Right::Value(1)),
    ("stuck_each3", Right::Value(1)),
    ("stuck_parity", Right::Value(1)),
    ("univ3", Right::Value(0)),
];

fn source(name: &str) -> String {
    let path = format!("{}/tests/language/soundness/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a text of the folder")
}

fn game(name: &str, backend: Backend) -> Game {
    let mut text = Text::of(name, &source(&format!("{name}.bou")));
    text.backend = backend;
    text.game(None).unwrap_or_else(|why| panic!("{name}: {why:?}"))
}

/// Asserts that an answer is the right one or none, and that its certificate is accepted if it has one.
fn is_right(game: &Game, what: &str, right: Right, found: Result<Solution, Box<Broken>>) {
    let solution = match found {
        Ok(solution) => solution,
        Err(broken) => {
            let code = match &broken.kind {
                BrokenKind::Fault(fault) => fault_found(game, fault).code,
                BrokenKind::Stuck => Code::E0501,
            };
            return assert_eq!(Right::Fault(code), right, "{what}");
        }
    };
    if solution.status != Status::Solved {
        return assert!(solution.reason.is_some(), "{what}: no reason");
    }
    let value = solution.value.as_ref().map(|value| value.payoffs[0]);
    let Right::Value(first) = right else { panic!("{what}: {value:?}, not {right:?}") };
    assert_eq!(value, Some(Rational64::from_integer(first)), "{what}");
    let limits = Limits::default();
    let wanted = Wanted { strong: false, positions: None, limits: &limits };
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
            for method in Method::ALL {
                let what = format!("{name}, {}, {backend:?}", method.name());
                let options = Options::default();
                let found = match method.is_strategy() {
                    true => Ok(strategy::solve(&game, &start, method, &limits)),
                    false => bouton::solve::solve(&game, &start, method, &options, &limits, &Silent),
                };
                is_right(&game, &what, right, found);
            }
            for strong in [false, true] {
                let options = Options { strong, ..Options::default() };
                let way = (Method::Auto, solve::pick(&game, &start, &options, &limits));
                let found = solve::solve(&game, &start, way, &options, &limits, &Silent);
                is_right(&game, &format!("{name}, picked, {backend:?}"), right, found);
            }
        }
    }
}

#[test]
fn a_forged_certificate_is_refused() {
    let certificate = cert::read(&source("clash2_forged.cert")).expect("its hashes are right");
    let refused = accepts(&game("clash2", Backend::Reference), &certificate);
    assert_eq!(refused, Err("that the rules have a meaning everywhere does not show without play".into()));
}
