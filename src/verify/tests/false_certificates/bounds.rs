//! Certificates that only a bound of the cost of a check refuses, and others that few conditions meet.

use bouton_base::automaton::Automaton;
use bouton_base::linear::Linear;
use bouton_certificates::product::ProductComponent;
use bouton_certificates::sum::{ListedComponent, ValuedComponent};
use bouton_certificates::{Lemma, ParamLemma, ProductLemma, SumLemma};
use bouton_reference::Interpreter;
use bouton_rules::parametric::{Argument, CHOICE_BASE, ParamRange, ParametricStrategy, WinnerCase};

use super::components::{SPLIT, first, region};
use super::parametric::{ROW, of_rows, refused, schema};
use super::{Mismatches, key, rules, win};

/// Two rows of cells of which a move fills one in each, and that are over at once.
const ROWS: &str = "game \"Rows\"; players A, B; type Cell = 1..9; state { l: set of Cell = {}; r: set of Cell = {}; }\n\
    def left = all c in Cell: c in l; def right = all c in Cell: c in r;\n\
    move both(c: Cell, d: Cell) { when c not in l and d not in r; l |= { c }; r |= { d }; }\n\
    move only_l(c: Cell) { when c not in l and right; l |= { c }; }\n\
    move only_r(d: Cell) { when d not in r and left; r |= { d }; }\n\
    end { for c in Cell when c in l and c in r => draw; }\n";

#[test]
fn components_in_many_combinations() {
    let component = |first: u32| ProductComponent { fluents: (first..first + 9).collect(), value: 0.into() };
    let lemma = Lemma::Product(ProductLemma { components: vec![component(2), component(11)] });
    Mismatches::default().lemma("the components have too many combinations", &rules(ROWS), [lemma]);
}

/// Rules by which a cell may be filled if an even number of cells is full.
#[test]
fn conditions_that_are_long_as_trees() {
    let odd: String = (1..=20).map(|n| format!("def odd{n} = odd{} != ({n} in full);\n", n - 1)).collect();
    let text = format!(
        "game \"Even\"; players A, B; type Cell = 1..20; state {{ full: set of Cell = {{}}; }}\n\
         def odd0 = false;\n{odd}move put(c: Cell) {{ when c not in full and not odd20; full |= {{ c }}; }}\nplay normal;\n"
    );
    let rules = rules(&text);
    let all: Vec<u32> = (2..22).collect();
    let component = ValuedComponent { component: region(&first(&rules), &all), nimber: 1 };
    let lemma = Lemma::Sum(SumLemma { bound: win(0), components: vec![component] });
    Mismatches::default().lemma("a condition of a move is too long", &rules, [lemma]);
}

/// In the position of a component, though never in play, the lamp depends on the heaps.
#[test]
fn components_of_positions_where_heaps_are_read() {
    let flagged = rules(&SPLIT.replace("when lamp;", "when lamp and (ones > 3 or not flag);"));
    let lit = Interpreter::new(rules(&SPLIT.replace("flag: bool = false", "flag: bool = true")));
    let elsewhere = key(&flagged, &lit.initial());
    let heaps =
        [2, 3].map(|fluent| ValuedComponent { component: ListedComponent::Heap { fluent }, nimber: 1 });
    let lamp = ValuedComponent { component: region(&elsewhere, &[4]), nimber: 1 };
    let components = [&heaps[..], &[lamp]].concat();
    let lemma = Lemma::Sum(SumLemma { bound: win(0), components });
    Mismatches::default().lemma(
        "a move that replaces no heap depends on a number of heaps",
        &flagged,
        [lemma],
    );
}

/// The first move fills the whole row.
const WHOLE: &str = "game \"Whole\"; param n: 1..2000 = 4; players A, B; type Cell = 1..n; state { full: set of Cell = {}; }\n\
    move fill() { when 1 not in full; full |= 1 .. n; }\nplay normal;\n";

#[test]
fn small_games_that_are_large() {
    let mut wrong = Mismatches::default();
    let lost =
        Automaton { accepting: vec![false, false, true], next: vec![vec![1, 2], vec![1, 1], vec![2, 2]] };
    let whole = |low| {
        Lemma::Param(ParamLemma {
            over: vec![ParamRange { param: "n".into(), element: None, low, high: None }],
            cases: vec![WinnerCase { when: Vec::new(), first_player_wins: true }],
            plan: ParametricStrategy::RowAutomaton { lost: lost.clone() },
            proofs: Vec::new(),
        })
    };
    wrong.reason("accepted: {}", &refused(WHOLE, whole(1), |_| {}), "rows from 1 on");
    wrong.reason("a small game has large areas", &refused(WHOLE, whole(1001), |_| {}), "rows from 1001 on");
    let mut schema = schema();
    schema.moves[0].arguments = vec![Argument::Number(Linear::var(CHOICE_BASE + 7))];
    let given = refused(ROW, Lemma::Param(of_rows()), |of| of.schema = Some(schema.clone()));
    wrong.reason("a term has no value", &given, "an argument of no choice");
}
