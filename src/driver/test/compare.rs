//! Comparisons with a value that is only known between bounds.

use std::cmp::Ordering;

use bouton_base::rational::Rational;

use bouton_rules::Comparison;

/// Returns true if `x comparison claimed` holds for every x between the bounds, false if it holds for none, and `None`
/// if it holds for some.
pub fn compare_bounds(
    low: Option<&Rational>,
    high: Option<&Rational>,
    comparison: Comparison,
    claimed: &Rational,
) -> Option<bool> {
    let possible = |ordering: Ordering| match ordering {
        Ordering::Less => low.is_none_or(|low| low < claimed),
        Ordering::Equal => low.is_none_or(|low| low <= claimed) && high.is_none_or(|high| claimed <= high),
        Ordering::Greater => high.is_none_or(|high| high > claimed),
    };
    let orderings = [Ordering::Less, Ordering::Equal, Ordering::Greater];
    let mut held = orderings.into_iter().filter(|&o| possible(o)).map(|o| comparison.holds(o));
    let first = held.next()?;
    held.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_decide_where_all_values_agree() {
        let numbers = [0, 1, 2, 3].map(Rational::from_integer);
        let n = |i: usize| Some(&numbers[i]);
        let zero = &numbers[0];
        assert_eq!(compare_bounds(n(1), None, Comparison::Greater, zero), Some(true));
        assert_eq!(compare_bounds(n(1), n(3), Comparison::Equal, zero), Some(false));
        assert_eq!(compare_bounds(n(0), n(1), Comparison::Greater, zero), None);
        assert_eq!(compare_bounds(n(0), n(0), Comparison::Equal, zero), Some(true));
        assert_eq!(compare_bounds(None, None, Comparison::NotEqual, zero), None);
    }
}
