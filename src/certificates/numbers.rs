//! Numbers in certificates.

use num_rational::Rational64;

/// Parses a whole number or `a/b` with b positive.
pub(super) fn parse_ratio(text: &str) -> Option<Rational64> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let (above, below): (i64, i64) = (above.parse().ok()?, below.parse().ok()?);
    (below > 0 && above != i64::MIN).then(|| Rational64::new(above, below))
}

/// Renders whole numbers separated by commas.
pub(super) fn render_list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// Parses the form of [`render_list`].
pub(super) fn parse_list<T: std::str::FromStr>(list: &str) -> Option<Vec<T>> {
    list.split(',').map(|number| number.parse().ok()).collect()
}
