//! The prover of conditions over integers, and the checker of its proofs, against trial of all small numbers.

use bouton_base::limits::Limits;
use bouton_base::linear::{Clause, Linear, Literal, Problem, ProofStep, Universal};
use bouton_base::random::SplitMix;
use bouton_checker::check_refutation;
use bouton_detect::prover::{Unproved, refute};

/// The bound of every variable: from minus this to this.
const MAX_ABS_VALUE: i128 = 3;

fn below(random: &mut SplitMix, count: u64) -> i128 {
    i128::from(random.word() % count)
}

fn term(random: &mut SplitMix, vars: u32) -> Linear {
    let mut term = Linear::number(below(random, 9) - 4);
    for var in 0..vars {
        if below(random, 3) > 0 {
            term = term.plus(below(random, 7) - 3, &Linear::var(var)).expect("small");
        }
    }
    term
}

fn bounded(vars: u32) -> Vec<Clause> {
    let bound =
        |var, sign| vec![Literal::AtMost(Linear { terms: vec![(var, sign)], constant: -MAX_ABS_VALUE })];
    (0..vars).flat_map(|var| [bound(var, 1), bound(var, -1)]).collect()
}

/// Returns all assignments of values to the variables.
fn all(vars: u32) -> Vec<Vec<i128>> {
    let mut all = vec![Vec::new()];
    for _ in 0..vars {
        let longer = |values: &Vec<i128>| {
            let values = values.clone();
            (-MAX_ABS_VALUE..=MAX_ABS_VALUE).map(move |value| values.iter().copied().chain([value]).collect())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Returns true if the clauses hold for these values and some set that satisfies the membership literals.
fn has_solution(problem: &Problem, values: &[i128]) -> bool {
    let value = |term: &Linear| term.value(&|var| values.get(var as usize).copied()).expect("small");
    // Tries all subsets of the cells in the clauses: at most six cells occur.
    let mut spoken: Vec<i128> = Vec::new();
    for literal in problem.clauses.iter().flatten() {
        if let Literal::Cell(place, _) = literal {
            spoken.push(value(&place[0]));
        }
    }
    spoken.sort_unstable();
    spoken.dedup();
    (0..1u32 << spoken.len()).any(|set| {
        let held = |place: i128| spoken.iter().position(|p| *p == place).is_some_and(|i| set >> i & 1 == 1);
        problem.clauses.iter().all(|clause| {
            clause.iter().any(|literal| match literal {
                Literal::AtMost(term) => value(term) <= 0,
                Literal::Cell(place, wanted) => held(value(&place[0])) == *wanted,
            })
        })
    })
}

#[test]
fn what_is_refuted_has_no_solution_and_small_problems_without_one_are_refuted() {
    let mut random = SplitMix::new(20261122);
    let (mut proved, mut solvable, mut unknown) = (0, 0, 0);
    for _ in 0..600 {
        let vars = 1 + below(&mut random, 3) as u32;
        let mut problem = Problem { clauses: bounded(vars), ..Problem::default() };
        let mut cells = 0;
        for _ in 0..2 + below(&mut random, 10) {
            let literals = 1 + below(&mut random, 3);
            let mut clause = Vec::new();
            for _ in 0..literals {
                let of = term(&mut random, vars);
                clause.push(if below(&mut random, 3) == 0 && cells < 6 {
                    cells += 1;
                    Literal::Cell(vec![of], below(&mut random, 2) == 0)
                } else {
                    Literal::AtMost(of)
                });
            }
            problem.clauses.push(clause);
        }
        let real = all(vars).iter().any(|values| has_solution(&problem, values));
        match refute(&problem, &Limits::default()) {
            Ok(steps) => {
                assert!(!real, "{problem:?}");
                assert_eq!(check_refutation(&problem, &steps), Ok(()), "{problem:?}");
                mutate(&problem, &steps, &mut random);
                proved += 1;
            }
            Err(Unproved::Holds(values)) => {
                assert!(real, "{problem:?} {values:?}");
                solvable += 1;
            }
            Err(Unproved::TooHard) => unknown += 1,
        }
    }
    assert!(proved > 100 && solvable > 100 && unknown == 0, "{proved} {solvable} {unknown}");
}

/// Asserts that a changed proof is refused or still valid, and that the proof refutes the problem without one of its
/// clauses only if that has no solution either.
fn mutate(problem: &Problem, steps: &[ProofStep], random: &mut SplitMix) {
    for left_out in 0..problem.clauses.len() {
        let mut less = problem.clone();
        less.clauses.remove(left_out);
        if check_refutation(&less, steps).is_ok() {
            let vars = problem.clauses.iter().flatten().filter_map(|literal| match literal {
                Literal::AtMost(term) => term.terms.last().map(|last| last.0 + 1),
                Literal::Cell(place, _) => place[0].terms.last().map(|last| last.0 + 1),
            });
            let vars = vars.max().unwrap_or(0);
            assert!(!all(vars).iter().any(|values| has_solution(&less, values)), "{less:?}");
        }
    }
    if !steps.is_empty() {
        let mut cut = steps.to_vec();
        cut.remove(below(random, steps.len() as u64) as usize);
        let _ = check_refutation(problem, &cut);
        let more: Vec<ProofStep> = steps.iter().cloned().chain([ProofStep::Cut(Linear::var(0))]).collect();
        assert!(check_refutation(problem, &more).is_err());
        assert!(check_refutation(problem, &steps[..steps.len() - 1]).is_err());
    }
}

#[test]
fn numbers_between_whole_ones_are_none() {
    let fact =
        |terms: &[(u32, i128)], constant| vec![Literal::AtMost(Linear { terms: terms.to_vec(), constant })];
    // 3 x + 5 y = 7 with 0 <= x, y has no solution: 7 is the largest such number.
    let mut clauses = vec![
        fact(&[(0, 3), (1, 5)], -7),
        fact(&[(0, -3), (1, -5)], 7),
        fact(&[(0, -1)], 0),
        fact(&[(1, -1)], 0),
    ];
    let problem = Problem { clauses: clauses.clone(), ..Problem::default() };
    let steps = refute(&problem, &Limits::default()).expect("a proof");
    assert_eq!(check_refutation(&problem, &steps), Ok(()));
    clauses[0] = fact(&[(0, 3), (1, 5)], -8);
    clauses[1] = fact(&[(0, -3), (1, -5)], 8);
    let problem = Problem { clauses, ..Problem::default() };
    assert!(matches!(refute(&problem, &Limits::default()), Err(Unproved::Holds(_))));
}

/// The mirror in the middle of a strip of 2 h cells: a cell that is free has a free image.
#[test]
fn universals_are_taken_where_they_help() {
    let (half, cell, bound) = (0, 1, 9);
    let var = Linear::var;
    let image = |of: &Linear| Linear::number(1).plus(2, &var(half)).and_then(|s| s.minus(of)).expect("small");
    let symmetric = Universal {
        bound: vec![bound],
        clause: vec![Literal::Cell(vec![var(bound)], false), Literal::Cell(vec![image(&var(bound))], true)],
    };
    let mut problem = Problem {
        clauses: vec![
            vec![Literal::Cell(vec![var(cell)], false)],
            vec![Literal::Cell(vec![image(&var(cell))], true)],
        ],
        universals: vec![symmetric],
        hints: vec![vec![var(cell)], vec![image(&var(cell))]],
    };
    let steps = refute(&problem, &Limits::default()).expect("a proof");
    assert_eq!(check_refutation(&problem, &steps), Ok(()));
    // No cell is its own image.
    problem.universals.clear();
    assert!(refute(&problem, &Limits::default()).is_err());
    problem.clauses = vec![
        vec![Literal::at_most(&var(cell), &image(&var(cell))).expect("small")],
        vec![Literal::at_most(&image(&var(cell)), &var(cell)).expect("small")],
    ];
    let steps = refute(&problem, &Limits::default()).expect("a proof");
    assert_eq!(check_refutation(&problem, &steps), Ok(()));
}
