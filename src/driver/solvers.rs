//! The registry of solvers, one line each. The command line, its help and the documents take names and descriptions
//! from here.

use super::strategy::{self, StrategySolver};
use bouton_search::solve::{self, Solver};
use bouton_syntax::diag::nearest;

/// The solvers of positions, in the order of the help.
pub const SOLVERS: [&dyn Solver; 33] = [
    &solve::Auto,
    &solve::retrograde::RETROGRADE,
    &solve::dynamic_programming::DP,
    &solve::dynamic_programming::AND_OR,
    &solve::policy_iteration::POLICY,
    &solve::interval::INTERVAL,
    &solve::breadth_first::BREADTH_FIRST,
    &solve::planning::ASTAR,
    &solve::planning::IDA_STAR,
    &solve::nimber::Grundy,
    &solve::partizan::Partizan,
    &solve::alphabeta::AlphaBeta,
    &solve::mtdf::MtdF,
    &solve::proof_number::DFPN,
    &solve::proof_number::DFPN_PLUS,
    &solve::proof_number::WIDENING,
    &solve::proof_number::PDS,
    &solve::proof_number::PN_STAR,
    &solve::proof_number::PNS,
    &solve::proof_number::PN2,
    &solve::proof_number::FOCUSED,
    &solve::proof_number::LAMBDA,
    &solve::proof_number::DUAL_LAMBDA,
    &solve::additive_scores::Scores,
    &solve::several_players::MaxN,
    &solve::several_players::Paranoid,
    &solve::pure_equilibrium::PureEquilibrium,
    &solve::mixed::simultaneous::Matrices,
    &solve::mixed::hidden::SURE_WIN,
    &solve::mixed::hidden::SEQUENCE_FORM,
    &solve::mixed::hidden::CFR,
    &solve::mixed::hidden::COMMON_PLAN,
    &solve::mixed::hidden::BEST_RESPONSES,
];

/// The searches that the planner runs in turns with the graph, the most promising one first, each with the number of
/// positions that it visits in the time in which the graph takes in one.
pub const SEARCHES: [(&dyn Solver, u64); 2] =
    [(&solve::alphabeta::AlphaBeta, 4), (&solve::proof_number::DFPN, 1)];

/// The strategies that can be stated as a whole, without positions; the planner tries them in this order.
pub const STRATEGIES: [&StrategySolver; 8] = [
    &strategy::automaton::AUTOMATON,
    &strategy::symmetry::SYMMETRY,
    &strategy::pairing::PAIRING,
    &strategy::sums::NIM,
    &strategy::product::PRODUCT,
    &strategy::parity::PARITY,
    &strategy::permutation::PERMUTATION,
    &strategy::steal::STEAL,
];

/// The methods of textbooks that a better one replaces.
const UNIMPLEMENTED_METHODS: &[&str] = &["minimax", "expectiminimax"];

/// The reason why there is no method of a name: a sentence with the methods that there are.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MethodError {
    #[error("there is no method `{0}`: `alphabeta` finds the same value in fewer positions; there are {names}", names = names())]
    Unimplemented(String),
    #[error("there is no method `{0}`{hint}; there are {names}", hint = suggestion(.0), names = names())]
    Unknown(String),
}

/// All solvers, in the order of the help.
pub fn all() -> impl Iterator<Item = &'static dyn Solver> {
    let strategies = STRATEGIES.into_iter().map(|strategy| strategy as &dyn Solver);
    SOLVERS.into_iter().chain(strategies)
}

/// Returns the solver of that name.
pub fn named(name: &str) -> Result<&'static dyn Solver, MethodError> {
    all().find(|solver| solver.name() == name || solver.aliases().contains(&name)).ok_or_else(|| {
        if UNIMPLEMENTED_METHODS.contains(&name) {
            MethodError::Unimplemented(name.to_owned())
        } else {
            MethodError::Unknown(name.to_owned())
        }
    })
}

fn names() -> String {
    all().map(|solver| solver.name()).collect::<Vec<_>>().join(", ")
}

fn suggestion(name: &str) -> String {
    if ["nimber", "nimbers", "sprague-grundy"].contains(&name) {
        return "; did you mean `grundy`?".to_owned();
    }
    let known = all().flat_map(|solver| solver.aliases().iter().copied().chain([solver.name()]));
    nearest(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_their_solvers_and_typing_errors_the_nearest_name() {
        for solver in all() {
            for name in solver.aliases().iter().chain(&[solver.name()]) {
                assert!(named(name).is_ok_and(|found| found.is(solver)), "{name}");
            }
        }
        let unknown = named("alphabtea").expect_err("no method").to_string();
        assert!(
            unknown
                .starts_with("there is no method `alphabtea`; did you mean `alphabeta`?; there are auto, ")
        );
        assert_eq!(named("minimax").err(), Some(MethodError::Unimplemented("minimax".into())));
    }
}
