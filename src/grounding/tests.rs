//! Random formulas against their meaning in all positions, and the bounds of reachable positions against the positions
//! of play.

use std::collections::BTreeSet;

use bouton_base::random::SplitMix;
use bouton_project::RuleFiles;

use super::*;

/// The numbers of values of the fluents of random formulas.
const SIZES: [usize; 4] = [2, 3, 3, 4];

/// Returns all positions of the fluents.
fn positions() -> Vec<Vec<u8>> {
    SIZES.iter().fold(vec![Vec::new()], |all, &size| {
        let longer = |position: &Vec<u8>| {
            let position = position.clone();
            (0..size as u8).map(move |value| [position.clone(), vec![value]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// Random numbers and the formulas made of them.
struct RandomFormulas {
    random: SplitMix,
    formulas: Formulas,
    made: Vec<Formula>,
}

impl RandomFormulas {
    fn new(seed: u64) -> RandomFormulas {
        let mut all =
            RandomFormulas { random: SplitMix::new(seed), formulas: Formulas::default(), made: Vec::new() };
        for _ in 0..8 {
            let fluent = all.below(SIZES.len());
            let subject = all.formulas.fluent(FluentId::new(fluent), SIZES[fluent]);
            let values = all.below(1 << SIZES[fluent]) as Values;
            let literal = all.formulas.lit(subject, values);
            all.made.push(literal);
        }
        for _ in 0..30 {
            let parts: Vec<Formula> = (0..2 + all.below(3)).map(|_| all.pick()).collect();
            let made = match all.below(4) {
                0 => all.formulas.not(parts[0]),
                1 => all.formulas.and(parts),
                2 => all.formulas.or(parts),
                _ => {
                    let numbers = all.below(1 << (parts.len() + 1)) as Values;
                    all.formulas.count(&parts, numbers).expect("few parts")
                }
            };
            all.made.push(made);
        }
        all
    }

    fn below(&mut self, end: usize) -> usize {
        (self.random.word() % end as u64) as usize
    }

    fn pick(&mut self) -> Formula {
        let at = self.below(self.made.len());
        self.made[at]
    }

    /// Returns a random renaming: the second and the third fluent, which have as many values, may change places.
    fn renaming(&mut self) -> Renaming {
        let swap = self.below(2) == 0;
        let fluents = if swap { [0, 2, 1, 3] } else { [0, 1, 2, 3] }.map(FluentId::new).to_vec();
        let values = SIZES.map(|size| {
            let mut values: Vec<u8> = (0..size as u8).collect();
            (1..size).for_each(|at| values.swap(at, self.below(at + 1)));
            values
        });
        Renaming { fluents, values: values.to_vec() }
    }

    fn holds(&self, formula: Formula, position: &[u8]) -> bool {
        FormulaEvaluator::new(&self.formulas, position).holds(formula)
    }
}

#[test]
fn a_decided_formula_holds_for_all_possible_values_or_for_none() {
    let (mut decided, mut open) = (0, 0);
    for seed in 0..20 {
        let mut all = RandomFormulas::new(seed);
        for _ in 0..20 {
            let possible = SIZES.map(|size| 1 + all.below((1 << size) - 1) as Values);
            let inside: Vec<Vec<u8>> = positions()
                .into_iter()
                .filter(|position| {
                    position.iter().zip(possible).all(|(value, among)| among >> value & 1 == 1)
                })
                .collect();
            let formula = all.pick();
            let count = inside.iter().filter(|position| all.holds(formula, position)).count();
            let mut evaluator = ThreeValuedEvaluator::new(&all.formulas, Vec::new());
            evaluator.set_position(&inside[0]);
            assert_ne!(evaluator.evaluate(formula), ThreeValued::Open, "each fluent has one value");
            (0..).zip(possible).for_each(|(fluent, values)| evaluator.set_values(FluentId(fluent), values));
            match evaluator.evaluate(formula) {
                ThreeValued::Always => assert_eq!(count, inside.len(), "{seed}"),
                ThreeValued::Never => assert_eq!(count, 0, "{seed}"),
                ThreeValued::Open => open += 1,
            }
            decided += usize::from(evaluator.evaluate(formula) != ThreeValued::Open);
        }
    }
    assert!(decided > 50 && open > 50, "{decided} decided, {open} open");
}

#[test]
fn more_possible_values_are_seen() {
    let mut formulas = Formulas::default();
    let subject = formulas.fluent(FluentId(0), 3);
    let zero = formulas.lit(subject, 0b001);
    let mut evaluator = ThreeValuedEvaluator::new(&formulas, Vec::new());
    evaluator.set_position(&[0]);
    assert_eq!((evaluator.evaluate(zero), evaluator.may_change(FluentId(0))), (ThreeValued::Always, false));
    evaluator.add_values(&[(FluentId(0), 2)]);
    assert_eq!((evaluator.evaluate(zero), evaluator.may_change(FluentId(0))), (ThreeValued::Open, true));
    assert_eq!(evaluator.possible(FluentId(0)), 0b101);
}

#[test]
fn a_renamed_formula_holds_in_the_image_of_a_position() {
    for seed in 0..40 {
        let mut all = RandomFormulas::new(seed);
        let (first, second) = (all.renaming(), all.renaming());
        let formula = all.pick();
        let renamed = all.formulas.rename(formula, &first).expect("no names");
        let twice = all.formulas.rename(renamed, &second).expect("no names");
        for position in positions() {
            let image = first.image(&position);
            assert_eq!(all.holds(renamed, &image), all.holds(formula, &position), "{seed}: {position:?}");
            let again = second.image(&image);
            assert_eq!(all.holds(twice, &again), all.holds(formula, &position), "{seed}: {position:?}");
        }
        assert!(all.formulas.are_equivalent_renamed(&[(formula, renamed)], &first), "{seed}");
        let changed = all.formulas.not(renamed);
        assert!(!all.formulas.are_equivalent_renamed(&[(formula, changed)], &first), "{seed}");
        let same = Renaming::identity(&first);
        assert_eq!(all.formulas.rename(formula, &same), Some(formula));
    }
}

#[test]
fn named_formulas_are_equivalent_by_their_bodies() {
    let mut formulas = Formulas::default();
    let fluents = [0, 1].map(|fluent| formulas.fluent(FluentId(fluent), 2));
    let literals = fluents.map(|fluent| formulas.lit(fluent, 0b10));
    // Each name holds if its fluent does or if it itself holds; the third also needs the other fluent.
    let names = [0, 1, 1].map(|fluent| (formulas.name(), literals[fluent]));
    for (number, ((name, itself), literal)) in names.into_iter().enumerate() {
        let body = formulas.or([literal, itself]);
        let body = if number == 2 { formulas.and([body, literals[0]]) } else { body };
        formulas.define(name, body);
    }
    let [first, second, third] = names.map(|((_, itself), _)| itself);
    let swap = Renaming { fluents: vec![FluentId(1), FluentId(0)], values: vec![vec![0, 1]; 2] };
    assert!(formulas.are_equivalent_renamed(&[(first, second)], &swap));
    assert!(!formulas.are_equivalent_renamed(&[(first, third)], &swap));
    assert!(!formulas.are_equivalent_renamed(&[(first, second)], &Renaming::identity(&swap)));
    assert_eq!(formulas.rename(first, &swap), None, "a formula about itself");
}

#[test]
fn names_are_known_before_others_negate_or_count_them() {
    let mut formulas = Formulas::default();
    let fluent = formulas.fluent(FluentId(0), 2);
    let fluent = formulas.lit(fluent, 0b10);
    // The names in an order in which each negates or counts a later one.
    let names = [(); 4].map(|()| formulas.name());
    let itself = names.map(|(_, itself)| itself);
    let dark = formulas.not(itself[1]);
    formulas.define(names[0].0, dark);
    let off = formulas.not(fluent);
    let two = formulas.count(&[itself[2], itself[3], off], 0b0100).expect("few parts");
    formulas.define(names[1].0, two);
    let linked = formulas.or([fluent, itself[3]]);
    formulas.define(names[2].0, linked);
    formulas.define(names[3].0, itself[2]);
    for position in [[0], [1]] {
        let mut reading = FormulaEvaluator::new(&formulas, &position);
        let on = position[0] == 1;
        assert_eq!(itself.map(|name| reading.holds(name)), [!on, on, on, on]);
    }
}

#[test]
fn substitution_and_regression_look_at_the_position_after() {
    for seed in 0..40 {
        let mut all = RandomFormulas::new(seed);
        let (formula, when) = (all.pick(), all.pick());
        let fluent = all.below(SIZES.len());
        let [one, other] = [0, 1].map(|_| all.below(SIZES[fluent]) as u8);
        let otherwise = all.formulas.not(when);
        let update =
            FluentUpdate { fluent: FluentId::new(fluent), values: vec![(one, when), (other, otherwise)] };
        let substituted = all.formulas.substitute(formula, FluentId::new(fluent), one).expect("no names");
        let regressed = all.formulas.regress(formula, &[update]).expect("no names");
        for position in positions() {
            let mut after = position.clone();
            after[fluent] = one;
            assert_eq!(all.holds(substituted, &position), all.holds(formula, &after), "{seed}: {position:?}");
            after[fluent] = if all.holds(when, &position) { one } else { other };
            assert_eq!(all.holds(regressed, &position), all.holds(formula, &after), "{seed}: {position:?}");
        }
    }
}

/// Grounds the rules of a source.
fn grounded(source: &str) -> Ground {
    let analysis = RuleFiles::from_string("g.bou", source).analyze(None);
    let rules = analysis.rules.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    ground(&Arc::new(rules), &Limits::default()).expect("rules that can be grounded")
}

/// Returns the positions of play, each with the numbers of its legal moves.
fn reachable(ground: &Ground) -> Vec<(Vec<u8>, Vec<usize>)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([ground.initial.clone()]);
    let mut open = vec![ground.initial.clone()];
    while let Some(position) = open.pop() {
        let mut evaluator = FormulaEvaluator::new(&ground.formulas, &position);
        let mut legal = Vec::new();
        if !evaluator.holds(ground.over) {
            for (number, action) in ground.actions.iter().enumerate() {
                if evaluator.holds(action.legal) {
                    legal.push(number);
                    let after = ground.successor(&mut evaluator, &position, action);
                    if seen.insert(after.clone()) {
                        open.push(after);
                    }
                }
            }
        }
        found.push((position, legal));
    }
    found
}

/// A token that walks on a line, with a door that opens once; the last cell is behind it.
const WALK: &str = "game \"g\"; players You; board Cell = strip(4);
    state { at: Cell = a1; open: bool = false; }
    move go(c: Cell) { when c in at.neighbors and (c != d1 or open) and c != a1; at := c; }
    move unlock() { when at = c1 and not open; open := true; }
    end { when at = d1 => win; }";

/// Two tokens that never share a cell.
const PAIR: &str = "game \"g\"; players X, O; board Cell = strip(3);
    state { at[p: Player]: Cell = if p = X then a1 else c1; steps: 0..4 = 0; }
    move go(c: Cell) { when c != at[X] and c != at[O] and steps < 4; at[me] := c; steps += 1; }
    end { when stuck => draw; }";

#[test]
fn bounds_contain_all_positions_of_play() {
    for source in [WALK, PAIR] {
        let ground = grounded(source);
        let relaxed = ground.delete_relaxation(&ground.initial);
        let wider = ground.relaxation_of(relaxed.values.iter().map(|values| values | 1).collect());
        let steps: Vec<Transition> = ground.actions.iter().map(Transition::from).collect();
        let pairs =
            ground.pairwise_reachability(&ground.initial, &steps, &mut 1_000_000).expect("a small game");
        for (position, legal) in reachable(&ground) {
            assert!(pairs.allows(&position), "{position:?}");
            for (fluent, value) in position.iter().enumerate() {
                assert!(relaxed.values[fluent] >> value & 1 == 1, "{position:?}");
            }
            assert!(legal.iter().all(|&action| relaxed.actions[action]), "{position:?}");
        }
        for (fluent, &values) in pairs.values.iter().enumerate() {
            assert_eq!(values & !relaxed.values[fluent], 0, "pairs are at least as tight");
            assert_eq!(relaxed.values[fluent] & !wider.values[fluent], 0, "more positions, more values");
        }
    }
}

#[test]
fn bounds_exclude_positions_out_of_reach() {
    // The token never comes back to its first cell, and with the door closed it is not behind it.
    let ground = grounded(WALK);
    let steps: Vec<Transition> = ground.actions.iter().map(Transition::from).collect();
    let pairs = ground.pairwise_reachability(&ground.initial, &steps, &mut 1_000_000).expect("a small game");
    let end = reachable(&ground).into_iter().find(|(_, legal)| legal.is_empty()).expect("an end").0;
    let closed: Vec<u8> = end
        .iter()
        .zip(&ground.initial)
        .enumerate()
        .map(|(fluent, (&end, &first))| {
            let name = ground.fluents.show(&ground.rules, FluentId::new(fluent));
            if name == "open" { first } else { end }
        })
        .collect();
    assert_ne!(closed, end);
    assert!(pairs.allows(&end) && !pairs.allows(&closed));
    assert!(ground.pairwise_reachability(&ground.initial, &steps, &mut 3).is_none(), "no budget");
}

#[test]
fn two_moves_in_sequence_are_one_transition() {
    let mut ground = grounded(WALK);
    let actions = ground.actions.clone();
    for first in &actions {
        for second in &actions {
            let both = ground.compose(first, second).expect("no names");
            for (position, _) in reachable(&ground) {
                let mut evaluator = FormulaEvaluator::new(&ground.formulas, &position);
                let legal = evaluator.holds(both.legal);
                if !evaluator.holds(first.legal) {
                    assert!(!legal);
                    continue;
                }
                let between = ground.successor(&mut evaluator, &position, first);
                let mut later = FormulaEvaluator::new(&ground.formulas, &between);
                assert_eq!(legal, later.holds(second.legal), "{position:?}");
                if legal {
                    let after = ground.successor(&mut later, &between, second);
                    let whole = Action { updates: both.becomes.clone(), ..first.clone() };
                    assert_eq!(ground.successor(&mut evaluator, &position, &whole), after, "{position:?}");
                }
            }
        }
    }
}
