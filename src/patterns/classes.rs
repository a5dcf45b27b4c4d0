//! Learns the classes of cases: conditions on terms, alone, two together, or in a decision list.
//!
//! Technique: a condition is a set of cases. Best is one condition that is exactly a class, then the conjunction or the
//! disjunction of two, then a decision list, in which each condition classifies some of the cases that the ones before
//! it left.
//! Source: Rivest, "Learning decision lists" (1987); Rissanen (1978) for description length.
//! Invariant: a pattern fits every case, and its description takes clearly fewer bits than that of the classes: a
//! possible coincidence is not reported.
//! Not taken: decision trees, which fit more and are harder to read.

use super::terms::TupleTerm;

/// The number of bits by which a pattern must be shorter than the description of the cases.
const MIN_SAVED_BITS: f64 = 3.0;
/// One part in this number of the cases with one coordinate is held out, to be foretold by the others.
const TESTED_DIVISOR: usize = 3;
/// The greatest modulus to try.
const MAX_MODULUS: i64 = 24;
/// The maximal number of conditions to combine in pairs.
const MAX_PAIRED_CONDITIONS: usize = 1500;
/// The maximal number of conditions of a list.
const MAX_LIST_LENGTH: usize = 4;
/// The maximal number of cases: learning from more would take longer than solving them.
const MAX_CASES: usize = 4096;
/// The maximal number of coordinates: more give too many terms, and tables do not have them.
const MAX_COORDINATES: usize = 4;

/// A condition on a tuple.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The term equals this number.
    Equals(TupleTerm, i64),
    /// The term is at most this number.
    AtMost(TupleTerm, i64),
    /// The term is at least this number.
    AtLeast(TupleTerm, i64),
    /// The term modulo the first number is one of these remainders, which are in ascending order.
    Residue(TupleTerm, i64, Vec<i64>),
    /// Both hold.
    And(Box<Condition>, Box<Condition>),
    /// At least one holds.
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// Returns true if it holds; a term without a value satisfies no condition.
    pub fn holds(&self, tuple: &[i64]) -> bool {
        match self {
            Condition::Equals(term, n) => term.value(tuple) == Some(*n),
            Condition::AtMost(term, n) => term.value(tuple).is_some_and(|value| value <= *n),
            Condition::AtLeast(term, n) => term.value(tuple).is_some_and(|value| value >= *n),
            Condition::Residue(term, by, rests) => {
                term.value(tuple).is_some_and(|value| rests.contains(&value.rem_euclid(*by)))
            }
            Condition::And(a, b) => a.holds(tuple) && b.holds(tuple),
            Condition::Or(a, b) => a.holds(tuple) || b.holds(tuple),
        }
    }

    /// Describes the condition with the names of the coordinates.
    pub fn describe(&self, names: &[String]) -> String {
        let name = |i: &usize| names.get(*i).map_or("?", String::as_str);
        match self {
            Condition::Equals(TupleTerm::Difference(i, j), 0) => format!("{} = {}", name(i), name(j)),
            Condition::AtLeast(TupleTerm::Difference(i, j), 0) => format!("{} >= {}", name(i), name(j)),
            Condition::AtLeast(TupleTerm::Difference(i, j), 1) => format!("{} > {}", name(i), name(j)),
            Condition::AtMost(TupleTerm::Difference(i, j), 0) => format!("{} <= {}", name(i), name(j)),
            Condition::AtMost(TupleTerm::Difference(i, j), -1) => format!("{} < {}", name(i), name(j)),
            Condition::Equals(TupleTerm::Golden(i, j), n) => {
                let head = if *n == 1 { "" } else { "not " };
                format!(
                    "{head}{{{0}, {1}}} = {{floor(d phi), floor(d phi) + d}} for some d",
                    name(i),
                    name(j)
                )
            }
            Condition::Equals(TupleTerm::GoldenRatio(i, j), n) => {
                let sign = if *n == 1 { "<" } else { ">=" };
                format!("max({0}, {1}) {sign} phi min({0}, {1})", name(i), name(j))
            }
            Condition::Equals(term, n) => format!("{} = {n}", term.describe(names)),
            Condition::AtMost(term, n) => format!("{} <= {n}", term.describe(names)),
            Condition::AtLeast(term, n) => format!("{} >= {n}", term.describe(names)),
            Condition::Residue(term, 2, rests) => {
                format!("{} is {}", term.describe(names), if rests == &[0] { "even" } else { "odd" })
            }
            Condition::Residue(term, by, rests) => {
                let term = match term {
                    TupleTerm::Coordinate(_) => term.describe(names).to_string(),
                    _ => format!("({})", term.describe(names)),
                };
                match rests.as_slice() {
                    [rest] => format!("{term} mod {by} = {rest}"),
                    rests => {
                        let rests: Vec<String> = rests.iter().map(i64::to_string).collect();
                        format!("{term} mod {by} is one of {}", rests.join(", "))
                    }
                }
            }
            Condition::And(a, b) => format!("{} and {}", a.describe(names), b.describe(names)),
            Condition::Or(a, b) => format!("{} or {}", a.describe(names), b.describe(names)),
        }
    }
}

/// A classification by conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecisionList {
    /// The first condition that holds gives the class.
    pub rules: Vec<(Condition, usize)>,
    /// The class of a tuple that satisfies none.
    pub otherwise: usize,
}

impl DecisionList {
    /// The class of a tuple.
    pub fn class(&self, tuple: &[i64]) -> usize {
        let rule = self.rules.iter().find(|(condition, _)| condition.holds(tuple));
        rule.map_or(self.otherwise, |&(_, class)| class)
    }

    /// Describes the list with the names of the coordinates and of the classes.
    pub fn describe(&self, names: &[String], classes: &[String]) -> String {
        let class = |c: usize| classes.get(c).map_or("?", String::as_str);
        let rest = class(self.otherwise);
        match self.rules.as_slice() {
            [] => format!("{rest} everywhere"),
            [(condition, c)] => {
                format!("{} exactly where {}; {rest} everywhere else", class(*c), condition.describe(names))
            }
            rules => {
                let each: Vec<String> = rules
                    .iter()
                    .map(|(condition, c)| format!("{} where {}", class(*c), condition.describe(names)))
                    .collect();
                format!("{}; {rest} everywhere else", each.join("; else "))
            }
        }
    }
}

/// Finds the simplest pattern that fits all cases and is no coincidence; `None` if there is none. Classes are numbered
/// from 0.
///
/// A pattern is found from a part of the cases and must give the classes of the others as well. With one coordinate
/// these are the greatest cases, so a period that has not come round once more is no pattern; with several coordinates
/// they are every third case.
pub fn find(cases: &[(Vec<i64>, usize)]) -> Option<DecisionList> {
    let list = fit(cases)?;
    let same = cases.iter().all(|(_, class)| *class == cases[0].1);
    let known = known_cases(cases)?;
    let foreseen = || {
        let list = fit(&known)?;
        cases.iter().all(|(tuple, class)| list.class(tuple) == *class).then_some(())
    };
    (same || foreseen().is_some()).then_some(list)
}

/// The cases from which a pattern must follow that gives the others.
fn known_cases(cases: &[(Vec<i64>, usize)]) -> Option<Vec<(Vec<i64>, usize)>> {
    if cases.first()?.0.len() > 1 {
        let known = cases.iter().enumerate().filter(|(index, _)| index % 3 != 2);
        return Some(known.map(|(_, case)| case.clone()).collect());
    }
    let mut sorted = cases.to_vec();
    sorted.sort();
    sorted.truncate(sorted.len() - (sorted.len() / TESTED_DIVISOR).max(1));
    Some(sorted)
}

/// Finds the simplest description that fits all cases and is shorter than their classes.
fn fit(cases: &[(Vec<i64>, usize)]) -> Option<DecisionList> {
    let (first, _) = cases.first()?;
    if first.is_empty() || first.len() > MAX_COORDINATES || !(4..=MAX_CASES).contains(&cases.len()) {
        return None;
    }
    let classes = cases.iter().map(|(_, class)| class + 1).max()?;
    let sets: Vec<CaseSet> = (0..classes).map(|c| CaseSet::of(cases, |(_, class)| *class == c)).collect();
    let (otherwise, most) = sets.iter().enumerate().max_by_key(|(c, set)| (set.len(), usize::MAX - c))?;
    if most.len() == cases.len() {
        return Some(DecisionList { rules: Vec::new(), otherwise });
    }
    let bits = description_bits(&sets, cases.len()) - MIN_SAVED_BITS;
    let atoms = ConditionPool::new(cases);
    let mut best: Option<(f64, DecisionList)> = None;
    let mut offer = |bits: f64, list: DecisionList| {
        if best.as_ref().is_none_or(|(least, _)| bits < *least) {
            best = Some((bits, list));
        }
    };
    let used: Vec<usize> = (0..sets.len()).filter(|&class| sets[class].len() > 0).collect();
    if let [first, second] = used[..] {
        // Of equally cheap descriptions, that of the smaller class comes first.
        let smaller = if otherwise == first { second } else { first };
        for (class, otherwise) in [(smaller, otherwise), (otherwise, smaller)] {
            if let Some((bits, condition)) = atoms.exactly(&sets[class]) {
                offer(bits, DecisionList { rules: vec![(condition, class)], otherwise });
            }
        }
    }
    if let Some((bits, list)) = atoms.list(&sets, cases.len()) {
        offer(bits, list);
    }
    best.filter(|(cost, _)| *cost <= bits).map(|(_, list)| list)
}

/// The number of bits that describe the classes of the cases one by one: the size of each class, and its members.
fn description_bits(sets: &[CaseSet], cases: usize) -> f64 {
    let factorial = |n: usize| (2..=n).map(|i| (i as f64).log2()).sum::<f64>();
    let used = sets.iter().filter(|set| set.len() > 0).count();
    let which = factorial(cases) - sets.iter().map(|set| factorial(set.len())).sum::<f64>();
    which + (used - 1) as f64 * ((cases + 1) as f64).log2()
}

/// A set of cases, as bits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CaseSet(Vec<u64>);

impl CaseSet {
    fn of<T>(cases: &[T], holds: impl Fn(&T) -> bool) -> CaseSet {
        let mut words = vec![0; cases.len().div_ceil(64)];
        for (i, _) in cases.iter().enumerate().filter(|(_, case)| holds(case)) {
            words[i / 64] |= 1 << (i % 64);
        }
        CaseSet(words)
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn zip<'a>(&'a self, other: &'a CaseSet) -> impl Iterator<Item = (u64, u64)> + 'a {
        self.0.iter().copied().zip(other.0.iter().copied())
    }

    fn within(&self, other: &CaseSet) -> bool {
        self.zip(other).all(|(a, b)| a & !b == 0)
    }

    fn and(&self, other: &CaseSet) -> CaseSet {
        CaseSet(self.zip(other).map(|(a, b)| a & b).collect())
    }

    fn without(&self, other: &CaseSet) -> CaseSet {
        CaseSet(self.zip(other).map(|(a, b)| a & !b).collect())
    }
}

/// Simple conditions with their bits and the cases in which they hold, the cheapest first; of two that hold in the same
/// cases only the cheaper one.
struct ConditionPool(Vec<(f64, Condition, CaseSet)>);

impl ConditionPool {
    fn new(cases: &[(Vec<i64>, usize)]) -> ConditionPool {
        let coordinates = cases[0].0.len();
        let mut all = Vec::new();
        for term in TupleTerm::all(coordinates) {
            let values: Vec<Option<i64>> = cases.iter().map(|(tuple, _)| term.value(tuple)).collect();
            let mut different: Vec<i64> = values.iter().flatten().copied().collect();
            different.sort_unstable();
            different.dedup();
            let (Some(low), Some(high)) = (different.first(), different.last()) else { continue };
            let which = (different.len() as f64).log2();
            let base = 2.0 + term.bits();
            for &n in &different {
                // Small numbers are more likely than others.
                let number = which.min(1.0 + 2.0 * (n.unsigned_abs() as f64 + 1.0).log2());
                all.push((base + number, Condition::Equals(term, n)));
                // Thresholds of remainders or products are not plausible.
                if matches!(term, TupleTerm::Coordinate(_) | TupleTerm::Sum(..) | TupleTerm::Difference(..)) {
                    all.push((base + number + 1.0, Condition::AtMost(term, n)));
                    all.push((base + number + 1.0, Condition::AtLeast(term, n)));
                }
            }
            if matches!(term, TupleTerm::Golden(..) | TupleTerm::GoldenRatio(..) | TupleTerm::Remainder(..)) {
                continue;
            }
            let span = high.abs_diff(*low).saturating_add(1);
            for by in (2..=MAX_MODULUS).filter(|by| by.unsigned_abs().saturating_mul(2) <= span) {
                let cost = base + 2.0 * (by as f64).log2();
                for rest in 0..by {
                    all.push((cost, Condition::Residue(term, by, vec![rest])));
                }
                // Several remainders, each of which belongs to one class only.
                for class in cases.iter().map(|(_, class)| *class).collect::<std::collections::BTreeSet<_>>()
                {
                    let pure = |rest: &i64| {
                        let mut here = values
                            .iter()
                            .zip(cases)
                            .filter(|(v, _)| v.is_some_and(|v| v.rem_euclid(by) == *rest));
                        here.clone().next().is_some() && here.all(|(_, (_, c))| *c == class)
                    };
                    let rests: Vec<i64> = (0..by).filter(pure).collect();
                    if rests.len() > 1 && (rests.len() as i64) < by {
                        all.push((cost + by as f64, Condition::Residue(term, by, rests)));
                    }
                }
            }
        }
        all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut seen = std::collections::BTreeSet::new();
        let mut kept = Vec::new();
        for (bits, condition) in all {
            let set = CaseSet::of(cases, |(tuple, _)| condition.holds(tuple));
            if set.len() > 0 && set.len() < cases.len() && seen.insert(set.clone()) {
                kept.push((bits, condition, set));
            }
        }
        // One of many conditions fits by chance: its number among them is the least that describes it.
        let number = (kept.len().max(1) as f64).log2();
        kept.iter_mut().for_each(|(bits, ..)| *bits = bits.max(number));
        ConditionPool(kept)
    }

    /// Finds the cheapest condition that holds in exactly these cases.
    fn exactly(&self, wanted: &CaseSet) -> Option<(f64, Condition)> {
        if let Some((bits, condition, _)) = self.0.iter().find(|(_, _, set)| set == wanted) {
            return Some((*bits, condition.clone()));
        }
        let mut best: Option<(f64, Condition)> = None;
        let mut offer = |bits: f64, made: &dyn Fn() -> Condition| {
            if best.as_ref().is_none_or(|(least, _)| bits < *least) {
                best = Some((bits, made()));
            }
        };
        let above: Vec<_> =
            self.0.iter().filter(|(_, _, set)| wanted.within(set)).take(MAX_PAIRED_CONDITIONS).collect();
        for (i, (a, x, s)) in above.iter().enumerate() {
            for (b, y, t) in &above[i + 1..] {
                if s.and(t) == *wanted {
                    offer(a + b + 1.0, &|| Condition::And(Box::new(x.clone()), Box::new(y.clone())));
                }
            }
        }
        let below: Vec<_> =
            self.0.iter().filter(|(_, _, set)| set.within(wanted)).take(MAX_PAIRED_CONDITIONS).collect();
        for (i, (a, x, s)) in below.iter().enumerate() {
            for (b, y, t) in &below[i + 1..] {
                if wanted.without(s).within(t) {
                    offer(a + b + 1.0, &|| Condition::Or(Box::new(x.clone()), Box::new(y.clone())));
                }
            }
        }
        best
    }

    /// Builds a decision list greedily: each rule is the one that classifies the most cases per bit.
    fn list(&self, classes: &[CaseSet], cases: usize) -> Option<(f64, DecisionList)> {
        let mut left = CaseSet::of(&vec![(); cases], |()| true);
        let (mut rules, mut bits) = (Vec::new(), 0.0);
        loop {
            if let Some(otherwise) = classes.iter().position(|class| left.within(class)) {
                return Some((bits, DecisionList { rules, otherwise }));
            }
            if rules.len() == MAX_LIST_LENGTH {
                return None;
            }
            let settles = |(cost, condition, set): &'_ (f64, Condition, CaseSet)| {
                let here = set.and(&left);
                let class = classes.iter().position(|class| here.within(class))?;
                (here.len() > 0).then(|| (here.len() as f64 / cost, *cost, condition.clone(), class, here))
            };
            let candidates = self.0.iter().filter_map(settles);
            let (_, cost, condition, class, here) =
                candidates.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
            left = left.without(&here);
            bits += cost + (classes.len() as f64).log2();
            rules.push((condition, class));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| name.to_string()).collect()
    }

    fn told(ranges: &[std::ops::RangeInclusive<i64>], class: impl Fn(&[i64]) -> usize) -> Option<String> {
        let mut tuples = vec![Vec::new()];
        for range in ranges {
            let more = |tuple: Vec<i64>| range.clone().map(move |n| [tuple.clone(), vec![n]].concat());
            tuples = tuples.into_iter().flat_map(more).collect();
        }
        let cases: Vec<_> = tuples
            .into_iter()
            .map(|t| {
                let c = class(&t);
                (t, c)
            })
            .collect();
        let list = find(&cases)?;
        assert!(cases.iter().all(|(tuple, class)| list.class(tuple) == *class), "{list:?}");
        Some(list.describe(&names(&["n", "k", "m"]), &names(&["W", "L", "D"])))
    }

    #[test]
    fn one_coordinate() {
        assert_eq!(told(&[1..=20], |_| 0).unwrap(), "W everywhere");
        assert_eq!(
            told(&[1..=20], |t| usize::from(t[0] % 4 == 0)).unwrap(),
            "L exactly where n mod 4 = 0; W everywhere else"
        );
        assert_eq!(
            told(&[0..=40], |t| usize::from([0, 2].contains(&(t[0] % 7)))).unwrap(),
            "L exactly where n mod 7 is one of 0, 2; W everywhere else"
        );
        assert_eq!(
            told(&[1..=20], |t| usize::from(t[0] < 7)).unwrap(),
            "L exactly where n <= 6; W everywhere else"
        );
    }

    #[test]
    fn two_coordinates() {
        let both = told(&[1..=12, 1..=12], |t| usize::from(t[1] == 1 && t[0] % 2 == 0));
        assert_eq!(both.unwrap(), "L exactly where n is even and k = 1; W everywhere else");
        let bachet = told(&[1..=20, 1..=5], |t| usize::from(t[0] % (t[1] + 1) == 0));
        assert_eq!(bachet.unwrap(), "L exactly where n mod (k + 1) = 0; W everywhere else");
        let equal = told(&[0..=7, 0..=7], |t| usize::from(t[0] == t[1]));
        assert_eq!(equal.unwrap(), "L exactly where n = k; W everywhere else");
        let nim = told(&[0..=7, 0..=7, 0..=7], |t| usize::from(t[0] ^ t[1] ^ t[2] == 0));
        assert_eq!(nim.unwrap(), "L exactly where n xor k xor m = 0; W everywhere else");
        let golden = told(&[0..=20, 0..=20], |t| TupleTerm::Golden(0, 1).value(t).unwrap() as usize);
        assert_eq!(
            golden.unwrap(),
            "L exactly where {n, k} = {floor(d phi), floor(d phi) + d} for some d; W everywhere else"
        );
        let ratio = |t: &[i64]| TupleTerm::GoldenRatio(0, 1).value(t).unwrap() == 1;
        let euclid = told(&[1..=20, 1..=20], |t| usize::from(t[0] == t[1] || !ratio(t)));
        assert_eq!(euclid.unwrap(), "L exactly where n = k or max(n, k) >= phi min(n, k); W everywhere else");
        let three = told(&[1..=9, 1..=9], |t| if t[0] == t[1] { 2 } else { usize::from(t[0] < t[1]) });
        assert_eq!(three.unwrap(), "L where n < k; else W where n > k; D everywhere else");
    }

    #[test]
    fn a_period_that_has_not_come_round_once_more_is_not_told() {
        // Rows of stones that do not touch are lost on 4 and 8 cells, then on 14: no multiples of four.
        let lost = |t: &[i64]| usize::from([4, 8, 14, 20, 24, 28, 34].contains(&t[0]));
        for most in [9, 10, 11, 12, 13] {
            assert_eq!(told(&[1..=most], lost), None, "{most}");
        }
    }

    #[test]
    fn what_may_be_chance_is_not_told() {
        // Treblecross on 3 to 16 cells is lost on 6 and 12: multiples of six, or not; there is too little to say so.
        assert_eq!(told(&[3..=16], |t| usize::from(t[0] == 6 || t[0] == 12)), None);
        // Digits of pi, odd or even.
        let digits = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4];
        assert_eq!(told(&[0..=19], |t| digits[t[0] as usize] % 2), None);
        assert_eq!(told(&[0..=1], |t| t[0] as usize), None);
        // 3 x 3 tables with one odd cell.
        assert_eq!(told(&[1..=3, 1..=3], |t| usize::from(t[0] == 2 && t[1] == 3)), None);
    }
}
