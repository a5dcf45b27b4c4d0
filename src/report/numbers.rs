//! Numbers and values as data: whole numbers as numbers, fractions as strings such as `"-1/18"`.

use bouton_base::rational::Rational;
use serde_json::{Map, Value as Json, json};

use bouton_rules::{OutcomeExpr, Rules, Value};

/// A rational as data.
pub fn ratio(number: &Rational) -> Json {
    number.as_i64().map_or_else(|| json!(number.to_string()), |whole| json!(whole))
}

/// The maximal number of digits of a fraction that a person reads.
const MAX_FRACTION_DIGITS: usize = 30;
/// The number of digits after the point of an exact value.
const DECIMAL_PLACES: u32 = 10;
/// The most digits after the point of a value that is enclosed.
const MAX_DECIMAL_PLACES: u32 = 15;

/// A number in words: a whole number, a fraction, or a decimal if the fraction is long. A decimal with fewer digits, which
/// might be read as exact, says that it is not.
pub fn brief(number: &Rational) -> String {
    // The opposite number is written alike.
    if number.abs().to_string().len() < MAX_FRACTION_DIGITS {
        return number.to_string();
    }
    let decimal = number.to_decimal(DECIMAL_PLACES);
    let places = decimal.split_once('.').map_or(0, |(_, places)| places.len());
    if places < DECIMAL_PLACES as usize { format!("about {decimal}") } else { decimal }
}

/// A number in words, with the decimal besides a fraction: `-1/18 (-0.0555555556)`.
pub fn detailed(number: &Rational) -> String {
    let (brief, decimal) = (brief(number), number.to_decimal(DECIMAL_PLACES));
    if brief.contains('/') { format!("{brief} ({decimal})") } else { brief }
}

/// The maximal length of a bound that is told as a fraction.
const MAX_BOUND_LENGTH: usize = 9;

/// A lower bound in words: a short fraction, or a decimal that is not greater.
pub fn lower_bound(number: &Rational) -> String {
    rounded_bound(number, |rounded| rounded <= number, -1)
}

/// An upper bound in words: a short fraction, or a decimal that is not less.
pub fn upper_bound(number: &Rational) -> String {
    rounded_bound(number, |rounded| rounded >= number, 1)
}

/// A bound with the nearest decimal that holds, `step` in the last place from the rounded one if that does not.
fn rounded_bound(number: &Rational, holds: impl Fn(&Rational) -> bool, step: i64) -> String {
    let exact = number.to_string();
    if exact.len() <= MAX_BOUND_LENGTH {
        return exact;
    }
    let unit = Rational::ONE / Rational::from_integer(10i64.pow(DECIMAL_PLACES));
    let decimal = number.to_decimal(DECIMAL_PLACES);
    let (whole, part) = decimal.split_once('.').unwrap_or((&decimal, ""));
    let digits = format!("{whole}{part:0<width$}", width = DECIMAL_PLACES as usize);
    match digits.parse::<Rational>() {
        Ok(count) if holds(&(&count * &unit)) => decimal,
        Ok(count) => ((count + Rational::from_integer(step)) * unit).to_decimal(DECIMAL_PLACES),
        Err(_) => exact,
    }
}

/// A number between two bounds, with the digits that are sure.
pub fn enclosed(low: &Rational, high: &Rational) -> String {
    let sure = |&places: &u32| low.to_decimal(places) == high.to_decimal(places);
    low.to_decimal((0..=MAX_DECIMAL_PLACES).rev().find(sure).unwrap_or(0))
}

/// Returns true if chance acts and every game has a winner. Then a payoff v means that a player wins the share (1 + v)/2
/// of the games.
pub fn is_share_of_wins(rules: &Rules) -> bool {
    let decides =
        |outcome: &OutcomeExpr| matches!(outcome, OutcomeExpr::Player(..) | OutcomeExpr::SinglePlayer(_));
    let mut outcomes =
        rules.ends.iter().map(|end| &end.outcome).chain(rules.repeats.iter().map(|repeat| &repeat.outcome));
    rules.players().len() <= 2 && outcomes.all(decides) && rules.moves.iter().any(|of| of.chance)
}

/// The share of the games that the first player wins, if payoffs mean that.
pub fn wins(rules: &Rules, first: &Rational) -> Option<String> {
    if !is_share_of_wins(rules) {
        return None;
    }
    let percent = (first + Rational::ONE) * Rational::from_integer(50);
    let name = rules.players().first()?;
    let hundred = Rational::from_integer(100);
    Some(match percent.to_decimal(2) {
        rounded if rounded == "100" && percent < hundred => {
            format!("{name} wins more than 99.99% of the games")
        }
        rounded if rounded == "0" && percent.is_positive() => {
            format!("{name} wins less than 0.01% of the games")
        }
        rounded => format!("{name} wins {rounded}% of the games"),
    })
}

/// The share of the games that the first player wins, with the exact fraction beside a rounded one, if it is short.
pub fn wins_exactly(rules: &Rules, first: &Rational) -> Option<String> {
    let wins = wins(rules, first)?;
    let share = (first + Rational::ONE) * Rational::new(1, 2);
    let is_rounded = !(&share * &Rational::from_integer(10_000)).is_integer();
    let fraction = share.to_string();
    let is_short = fraction.len() < MAX_FRACTION_DIGITS;
    Some(if is_rounded && is_short { format!("{wins} ({fraction})") } else { wins })
}

/// Each player's payoff by his name.
pub fn payoffs(rules: &Rules, payoffs: &[Rational]) -> Map<String, Json> {
    rules.players().iter().zip(payoffs).map(|(name, payoff)| (name.clone(), ratio(payoff))).collect()
}

/// The parameters by name.
pub fn params(rules: &Rules) -> Map<String, Json> {
    rules.params.iter().map(|(name, value)| (name.clone(), data(rules, value))).collect()
}

/// The parameters in words, `n = 9, k = 2`; empty if there are none.
pub fn scope(rules: &Rules) -> String {
    parameters(rules).map(|(_, words)| words).collect::<Vec<_>>().join(", ")
}

/// The names of the parameters, each with its value in words: `n = 9`.
pub fn parameters(rules: &Rules) -> impl Iterator<Item = (&str, String)> {
    rules.params.iter().map(|(name, value)| {
        let words = match value {
            Value::Text(text) if text.trim().contains('\n') => {
                format!("{name} = a picture of {} rows", text.trim().lines().count())
            }
            _ => format!("{name} = {}", rules.show(value)),
        };
        (name.as_str(), words)
    })
}

/// A value as data; members of types by their names.
fn data(rules: &Rules, value: &Value) -> Json {
    match value {
        Value::None => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(i) => json!(i),
        Value::List(items) | Value::Set(items) => items.iter().map(|v| data(rules, v)).collect(),
        Value::Ratio(r) => ratio(r),
        Value::Text(text) => json!(text.as_ref()),
        Value::Sym(..) | Value::Tuple(_) => json!(rules.show(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_numbers_are_written_alike() {
        let share = Rational::new(10_615_517_751_349, 22_782_147_942_347);
        assert_eq!(brief(&share), "10615517751349/22782147942347");
        assert_eq!(brief(&-share), "-10615517751349/22782147942347");
    }

    #[test]
    fn bounds_are_rounded_outwards() {
        let third = Rational::new(100_000_000_000, 300_000_000_007);
        assert_eq!(lower_bound(&third), "0.3333333333");
        assert_eq!(upper_bound(&third), "0.3333333334");
        let below = Rational::ZERO - &third;
        assert_eq!(lower_bound(&below), "-0.3333333334");
        assert_eq!(upper_bound(&below), "-0.3333333333");
        assert_eq!(lower_bound(&Rational::new(-530_270_370_127, 549_755_813_888)), "-0.9645561843");
        assert_eq!(upper_bound(&Rational::new(1, 8)), "1/8");
        assert_eq!(lower_bound(&Rational::new(-1, 1_000_000_000_000)), "-0.0000000001");
        assert_eq!(lower_bound(&Rational::from_integer(12_345_678_901)), "12345678901");
    }
}
