//! Exact rational numbers without a bound: a pair of 64-bit integers, or a fraction of big integers where they do not
//! suffice.
//!
//! Values, probabilities, claims and certificates consist of these numbers. Most are small, so that the usual
//! operations need no memory; a result that leaves 64 bits becomes a fraction of big integers, and one that fits again
//! becomes small again. Equal numbers have one form, which equality and hashes rely on.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Display, Formatter};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};
use std::str::FromStr;
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::{BigRational, Rational64};
use num_traits::{Signed, ToPrimitive, Zero};

/// A rational number in lowest terms.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Form);

/// The form of a number: `Small` if numerator and denominator both fit.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    /// In lowest terms; the denominator is positive.
    Small(i64, i64),
    /// In lowest terms; the denominator is positive, and one of the two does not fit 64 bits.
    Large(Arc<BigRational>),
}

impl Rational {
    pub const ZERO: Rational = Rational(Form::Small(0, 1));
    pub const ONE: Rational = Rational(Form::Small(1, 1));

    pub fn from_integer(integer: i64) -> Rational {
        Rational(Form::Small(integer, 1))
    }

    /// Returns the fraction in lowest terms. Panics if the denominator is 0.
    pub fn new(numerator: i64, denominator: i64) -> Rational {
        Rational::checked_new(numerator.into(), denominator.into()).expect("the denominator is not 0")
    }

    /// Returns the fraction in lowest terms; `None` if the denominator is 0.
    pub fn checked_new(numerator: i128, denominator: i128) -> Option<Rational> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let sides = [numerator.unsigned_abs() / divisor, denominator.unsigned_abs() / divisor];
        let negative = (numerator < 0) != (denominator < 0);
        if let [Ok(above), Ok(below)] = sides.map(i64::try_from) {
            return Some(Rational(Form::Small(if negative { -above } else { above }, below)));
        }
        let [above, below] = sides.map(BigInt::from);
        Some(Rational::in_lowest_terms(BigRational::new_raw(if negative { -above } else { above }, below)))
    }

    /// Returns the number as one of its two forms. `number` is in lowest terms.
    fn in_lowest_terms(number: BigRational) -> Rational {
        match (number.numer().to_i64(), number.denom().to_i64()) {
            (Some(numerator), Some(denominator)) => Rational(Form::Small(numerator, denominator)),
            _ => Rational(Form::Large(Arc::new(number))),
        }
    }

    /// Returns the number as a fraction of big integers.
    pub fn to_big(&self) -> BigRational {
        match &self.0 {
            Form::Small(numerator, denominator) => {
                BigRational::new_raw(BigInt::from(*numerator), BigInt::from(*denominator))
            }
            Form::Large(number) => BigRational::clone(number),
        }
    }

    /// Returns the numerator and the positive denominator if both fit 64 bits.
    pub fn as_small(&self) -> Option<(i64, i64)> {
        match self.0 {
            Form::Small(numerator, denominator) => Some((numerator, denominator)),
            Form::Large(_) => None,
        }
    }

    pub fn numerator(&self) -> BigInt {
        match &self.0 {
            Form::Small(numerator, _) => BigInt::from(*numerator),
            Form::Large(number) => number.numer().clone(),
        }
    }

    /// Returns the denominator, which is positive.
    pub fn denominator(&self) -> BigInt {
        match &self.0 {
            Form::Small(_, denominator) => BigInt::from(*denominator),
            Form::Large(number) => number.denom().clone(),
        }
    }

    /// Returns the bits of the numerator or of the denominator, whichever has more.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Form::Small(numerator, denominator) => {
                let bits = |of: i64| u64::from(64 - of.unsigned_abs().leading_zeros());
                bits(*numerator).max(bits(*denominator))
            }
            Form::Large(number) => number.numer().bits().max(number.denom().bits()),
        }
    }

    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Small(_, denominator) => *denominator == 1,
            Form::Large(number) => number.is_integer(),
        }
    }

    /// Returns the number if it is whole and fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Small(numerator, 1) => Some(numerator),
            _ => None,
        }
    }

    /// Compares the number with zero.
    pub fn sign(&self) -> Ordering {
        match &self.0 {
            Form::Small(numerator, _) => numerator.cmp(&0),
            Form::Large(number) if number.is_negative() => Ordering::Less,
            Form::Large(_) => Ordering::Greater,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.sign().is_eq()
    }

    pub fn is_positive(&self) -> bool {
        self.sign().is_gt()
    }

    pub fn is_negative(&self) -> bool {
        self.sign().is_lt()
    }

    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Returns the greatest integer that is not above the number.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Form::Small(numerator, denominator) => Rational::from_integer(numerator.div_euclid(*denominator)),
            Form::Large(number) => Rational::in_lowest_terms(number.floor()),
        }
    }

    /// Returns the nearest number in floating point.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Form::Small(numerator, denominator) => *numerator as f64 / *denominator as f64,
            Form::Large(number) => number.to_f64().unwrap_or(f64::NAN),
        }
    }

    /// Returns the number that these bits stand for; `None` if it is infinite or not a number.
    pub fn from_f64(float: f64) -> Option<Rational> {
        BigRational::from_float(float).map(Rational::in_lowest_terms)
    }

    /// Returns the quotient; `None` if the divisor is 0.
    pub fn checked_div(&self, divisor: &Rational) -> Option<Rational> {
        (!divisor.is_zero()).then(|| self / divisor)
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

impl From<i64> for Rational {
    fn from(integer: i64) -> Rational {
        Rational::from_integer(integer)
    }
}

impl From<Rational64> for Rational {
    fn from(number: Rational64) -> Rational {
        Rational::new(*number.numer(), *number.denom())
    }
}

impl From<BigRational> for Rational {
    fn from(number: BigRational) -> Rational {
        Rational::in_lowest_terms(number.reduced())
    }
}

impl From<BigInt> for Rational {
    fn from(integer: BigInt) -> Rational {
        Rational::in_lowest_terms(BigRational::from_integer(integer))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Small(a, b), Form::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            (Form::Large(a), Form::Large(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the small fraction `numerator / denominator` of two results of exact arithmetic in 128 bits.
fn fraction(numerator: Option<i128>, denominator: Option<i128>) -> Option<Rational> {
    Rational::checked_new(numerator?, denominator?)
}

impl Add for &Rational {
    type Output = Rational;

    fn add(self, other: &Rational) -> Rational {
        if let (Form::Small(a, b), Form::Small(c, d)) = (&self.0, &other.0) {
            let [a, b, c, d] = [*a, *b, *c, *d].map(i128::from);
            let sum =
                if b == d { (a.checked_add(c), Some(b)) } else { ((a * d).checked_add(c * b), Some(b * d)) };
            if let Some(sum) = fraction(sum.0, sum.1) {
                return sum;
            }
        }
        Rational::in_lowest_terms(self.to_big() + other.to_big())
    }
}

impl Mul for &Rational {
    type Output = Rational;

    fn mul(self, other: &Rational) -> Rational {
        if let (Form::Small(a, b), Form::Small(c, d)) = (&self.0, &other.0) {
            let [a, b, c, d] = [*a, *b, *c, *d].map(i128::from);
            if let Some(product) = Rational::checked_new(a * c, b * d) {
                return product;
            }
        }
        Rational::in_lowest_terms(self.to_big() * other.to_big())
    }
}

impl Neg for &Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        match &self.0 {
            Form::Small(numerator, denominator) => match numerator.checked_neg() {
                Some(numerator) => Rational(Form::Small(numerator, *denominator)),
                None => Rational::in_lowest_terms(-self.to_big()),
            },
            Form::Large(number) => Rational::in_lowest_terms(-BigRational::clone(number)),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;

    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

/// Panics if the divisor is 0.
impl Div for &Rational {
    type Output = Rational;

    fn div(self, other: &Rational) -> Rational {
        if let (Form::Small(a, b), Form::Small(c, d)) = (&self.0, &other.0) {
            let [a, b, c, d] = [*a, *b, *c, *d].map(i128::from);
            return Rational::checked_new(a * d, b * c).expect("the divisor is not 0");
        }
        Rational::in_lowest_terms(self.to_big() / other.to_big())
    }
}

impl Rational {
    /// Returns the sum of the products of these pairs, reduced to lowest terms once.
    ///
    /// ```
    /// # use bouton_base::rational::Rational;
    /// let (half, third) = (Rational::new(1, 2), Rational::new(1, 3));
    /// assert_eq!(Rational::sum_of_products([(&half, &half), (&third, &half)]), Rational::new(5, 12));
    /// ```
    pub fn sum_of_products<'a>(
        pairs: impl IntoIterator<Item = (&'a Rational, &'a Rational)> + Clone,
    ) -> Rational {
        let small = pairs.clone().into_iter().try_fold((0i128, 1i128), |(numerator, denominator), (a, b)| {
            let (Form::Small(a, b), Form::Small(c, d)) = (&a.0, &b.0) else { return None };
            let [a, b, c, d] = [*a, *b, *c, *d].map(i128::from);
            let (above, below) = (a * c, b * d);
            if below == denominator {
                return Some((numerator.checked_add(above)?, denominator));
            }
            let divisor = gcd(denominator.unsigned_abs(), below.unsigned_abs()) as i128;
            let (more, times) = (below / divisor, denominator / divisor);
            let sum = numerator.checked_mul(more)?.checked_add(above.checked_mul(times)?)?;
            Some((sum, denominator.checked_mul(more)?))
        });
        if let Some((numerator, denominator)) = small {
            return Rational::checked_new(numerator, denominator).expect("denominators are positive");
        }
        let (mut numerator, mut denominator) = (BigInt::from(0), BigInt::from(1));
        for (a, b) in pairs {
            let (above, below) = (a.numerator() * b.numerator(), a.denominator() * b.denominator());
            // Denominators in a sum of means are mostly multiples of each other.
            let (times, rest) = denominator.div_rem(&below);
            if rest.is_zero() {
                numerator += above * times;
                continue;
            }
            let common = denominator.lcm(&below);
            numerator = numerator * (&common / &denominator) + above * (&common / &below);
            denominator = common;
        }
        Rational::from(BigRational::new_raw(numerator, denominator))
    }
}

/// The operators on numbers themselves, by those on references.
macro_rules! by_reference {
    ($($of:ident $name:ident),+) => {
        $(impl $of for Rational {
            type Output = Rational;

            fn $name(self, other: Rational) -> Rational {
                $of::$name(&self, &other)
            }
        }

        impl $of<&Rational> for Rational {
            type Output = Rational;

            fn $name(self, other: &Rational) -> Rational {
                $of::$name(&self, other)
            }
        }

        impl $of<Rational> for &Rational {
            type Output = Rational;

            fn $name(self, other: Rational) -> Rational {
                $of::$name(self, &other)
            }
        })+
    };
}

by_reference!(Add add, Sub sub, Mul mul, Div div);

impl AddAssign for Rational {
    fn add_assign(&mut self, other: Rational) {
        *self = &*self + other;
    }
}

impl SubAssign for Rational {
    fn sub_assign(&mut self, other: Rational) {
        *self = &*self - other;
    }
}

impl Neg for Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        -&self
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(numbers: I) -> Rational {
        numbers.fold(Rational::ZERO, |sum, number| &sum + &number)
    }
}

impl<'a> Sum<&'a Rational> for Rational {
    fn sum<I: Iterator<Item = &'a Rational>>(numbers: I) -> Rational {
        numbers.fold(Rational::ZERO, |sum, number| &sum + number)
    }
}

/// A whole number, or `a/b`.
impl Display for Rational {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Small(numerator, 1) => Display::fmt(numerator, f),
            Form::Small(numerator, denominator) => f.pad(&format!("{numerator}/{denominator}")),
            Form::Large(number) => Display::fmt(number, f),
        }
    }
}

impl Debug for Rational {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// The maximal number of digits of a number that is read, since the time to read one grows with their square.
const MAX_DIGITS: usize = 1 << 16;

/// The text is no number of the form `a` or `a/b` with a positive b.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotRational;

/// Reads a whole number or `a/b` with b positive, not necessarily in lowest terms.
impl FromStr for Rational {
    type Err = NotRational;

    fn from_str(text: &str) -> Result<Rational, NotRational> {
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        if let (Ok(above), Ok(below @ 1..)) = (above.parse::<i64>(), below.parse::<i64>()) {
            return Ok(Rational::new(above, below));
        }
        let number = |digits: &str| {
            let plain = digits.len() <= MAX_DIGITS && !digits.contains('_');
            if plain { digits.parse::<BigInt>().map_err(|_| NotRational) } else { Err(NotRational) }
        };
        let (above, below) = (number(above)?, number(below)?);
        if !below.is_positive() {
            return Err(NotRational);
        }
        Ok(BigRational::new_raw(above, below).into())
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(a), Ok(b)) => a.gcd(&b).into(),
        _ => a.gcd(&b),
    }
    .max(1)
}

/// Returns the number with this many digits after the point, rounded towards zero.
fn decimal(number: &Rational, places: u32) -> String {
    let scale = BigInt::from(10).pow(places);
    let units = number.numerator().abs() * &scale / number.denominator();
    let sign = if number.is_negative() && !units.is_zero() { "-" } else { "" };
    let (whole, part) = units.div_rem(&scale);
    let part = format!("{part:0>width$}", width = places as usize);
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

impl Rational {
    /// Returns the number in decimal notation with at most this many digits after the point, rounded to the nearest;
    /// digits 0 at the end are left out.
    pub fn to_decimal(&self, places: u32) -> String {
        let half = Rational::ONE / Rational::from(BigInt::from(10).pow(places) * 2);
        let shifted = if self.is_negative() { self - &half } else { self + &half };
        let text = decimal(&shifted, places);
        if !text.contains('.') {
            return text;
        }
        match text.trim_end_matches('0').trim_end_matches('.') {
            "-0" => "0".into(),
            trimmed => trimmed.into(),
        }
    }
}

/// The most digits after the point of an exact decimal.
const MAX_EXACT_PLACES: u32 = 15;

impl Rational {
    /// Returns the number as a fraction or, where that is shorter and exact, as a decimal.
    ///
    /// ```
    /// use bouton_base::rational::Rational;
    ///
    /// assert_eq!(Rational::new(-1, 18).to_shortest(), "-1/18");
    /// assert_eq!(Rational::new(1, 2).to_shortest(), "1/2");
    /// assert_eq!(Rational::new(-180_800_431_489, 1_000_000_000_000).to_shortest(), "-0.180800431489");
    /// ```
    pub fn to_shortest(&self) -> String {
        let fraction = self.to_string();
        let decimal = self.to_decimal(MAX_EXACT_PLACES);
        let scaled = self * &Rational::from(BigInt::from(10).pow(MAX_EXACT_PLACES));
        if scaled.is_integer() && decimal.len() < fraction.len() { decimal } else { fraction }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn big(text: &str) -> BigRational {
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        BigRational::new(above.parse().unwrap(), below.parse().unwrap())
    }

    /// Numbers around the borders of 64 bits, and small ones.
    fn number() -> impl Strategy<Value = Rational> {
        let whole = prop_oneof![Just(i64::MIN), Just(i64::MAX), -9i64..9, any::<i64>()];
        let below = prop_oneof![Just(i64::MAX), 1i64..9, 1i64..i64::MAX];
        (whole, below).prop_map(|(above, below)| Rational::new(above, below))
    }

    proptest! {
        #[test]
        fn operations_agree_with_big_fractions(a in number(), b in number(), c in number()) {
            let (x, y) = (&a + &b, a.to_big() + b.to_big());
            prop_assert_eq!(x.to_big(), y.clone());
            prop_assert_eq!(&(&x * &c).to_big(), &(&y * c.to_big()));
            prop_assert_eq!(&(&x - &b), &a);
            prop_assert_eq!(x.cmp(&c), y.cmp(&c.to_big()));
            prop_assert_eq!(x.sign(), y.cmp(&BigRational::zero()));
            let products = &(&(&a * &b) + &(&b * &c)) + &(&x * &c);
            prop_assert_eq!(Rational::sum_of_products([(&a, &b), (&b, &c), (&x, &c)]), products);
            prop_assert_eq!((-&x).to_big(), -&y);
            if !x.is_zero() {
                prop_assert_eq!(&(&c / &x) * &x, c.clone());
            }
            prop_assert_eq!(x.to_string().parse::<Rational>(), Ok(x.clone()));
            prop_assert_eq!(x.floor().to_big(), y.floor());
            prop_assert!(x.as_small().is_some() == (y.numer().to_i64().is_some() && y.denom().to_i64().is_some()));
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_read_and_written() {
        let text = "2668546397729281128647/12855820553998949278125";
        let number: Rational = text.parse().unwrap();
        assert_eq!(number.to_big(), big(text));
        assert_eq!(number.to_string(), text);
        assert_eq!(number.bits(), 74);
        assert_eq!(number.to_decimal(6), "0.207575");
        for wrong in ["", "1/0", "1/-2", "a", "1/2/3", "1.5", "1_000", "99999999999999999999/0"] {
            assert_eq!(wrong.parse::<Rational>(), Err(NotRational), "{wrong}");
        }
    }

    #[test]
    fn decimals_are_rounded_to_the_nearest() {
        let decimal = |above, below, places| Rational::new(above, below).to_decimal(places);
        assert_eq!(decimal(1, 3, 4), "0.3333");
        assert_eq!(decimal(2, 3, 4), "0.6667");
        assert_eq!(decimal(-2, 3, 2), "-0.67");
        assert_eq!(decimal(1, 2, 4), "0.5");
        assert_eq!(decimal(-1, 1000, 2), "0");
        assert_eq!(decimal(99999, 1000, 1), "100");
        assert_eq!(decimal(7, 1, 0), "7");
    }
}
