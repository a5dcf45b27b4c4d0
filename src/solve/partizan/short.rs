//! Values of short games, interned: each has one canonical form, so that equal values have one id.
//!
//! Source: Conway (On Numbers and Games, 1976), Berlekamp, Conway and Guy (Winning Ways, 1982); the canonical form by
//! bypassing reversible options and leaving out dominated ones as in Siegel (Combinatorial Game Theory, 2013, II.2).
//! Cost: every comparison and every sum of two values is computed once; sums of hot games grow fast, so there is a
//! bound on the values and on the work.
//! Invariant: the options of a value are values; none is dominated and none reversible.

use num_rational::Rational64;
use rustc_hash::FxHashMap;

use crate::base::id::IdVec;
use crate::define_id;

define_id!(Short, "w", "The value of a short game.");

/// The value of a game in which nobody can move.
pub const ZERO: Short = Short(0);

/// The maximal number of values.
const MOST_VALUES: usize = 200_000;

/// The maximal number of comparisons and sums.
const MOST_WORK: u64 = 50_000_000;

/// The greatest denominator of a number, and the greatest absolute value of an integer; values beyond are not
/// recognized as numbers.
const LARGEST: i64 = 1 << 20;

/// The error of exceeding the bound on values or on work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the values of its parts are too many to be worked out")]
pub struct TooMany;

type Result<T> = std::result::Result<T, TooMany>;

/// The canonical form of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// The options of the first player, Left, in order.
    pub left: Vec<Short>,
    /// The options of Right, in order.
    pub right: Vec<Short>,
}

/// A table of values: interned canonical forms, with caches of comparisons, sums and negatives.
#[derive(Clone, Debug)]
pub struct Shorts {
    forms: IdVec<Short, Form>,
    known: FxHashMap<Form, Short>,
    numbers: IdVec<Short, Option<Rational64>>,
    stops: IdVec<Short, Option<[Rational64; 2]>>,
    less: FxHashMap<(Short, Short), bool>,
    sums: FxHashMap<(Short, Short), Short>,
    negatives: FxHashMap<Short, Short>,
    work: u64,
}

impl Default for Shorts {
    fn default() -> Self {
        let mut shorts = Shorts {
            forms: IdVec::new(),
            known: FxHashMap::default(),
            numbers: IdVec::new(),
            stops: IdVec::new(),
            less: FxHashMap::default(),
            sums: FxHashMap::default(),
            negatives: FxHashMap::default(),
            work: 0,
        };
        // Zero exists whatever the bounds are.
        let zero = Form { left: Vec::new(), right: Vec::new() };
        shorts.known.insert(zero.clone(), shorts.forms.push(zero));
        shorts.numbers.push(Some(Rational64::default()));
        shorts.stops.push(Some([Rational64::default(); 2]));
        shorts
    }
}

impl Shorts {
    /// Returns the canonical form of a value.
    pub fn form(&self, value: Short) -> &Form {
        &self.forms[value]
    }

    /// Returns the value as a number; `None` if it is not one.
    pub fn number(&self, value: Short) -> Option<Rational64> {
        self.numbers[value]
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// Returns true if there are no values: never, since 0 always exists.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Returns the value of the game with these options.
    pub fn of(&mut self, left: Vec<Short>, right: Vec<Short>) -> Result<Short> {
        let mut game = Form { left, right };
        tidy(&mut game);
        if let Some(&known) = self.known.get(&game) {
            return Ok(known);
        }
        while self.bypass(&mut game)? {}
        self.leave_out(&mut game)?;
        self.intern(game)
    }

    /// Bypasses one reversible option, and returns true if there was one: if Right can answer an option of Left by a
    /// position that is at most the game, Left's options after that answer replace the option. The same holds with
    /// the players exchanged.
    fn bypass(&mut self, game: &mut Form) -> Result<bool> {
        for place in 0..game.left.len() {
            for answer in self.forms[game.left[place]].right.clone() {
                if self.is_at_most_game(answer, game)? {
                    game.left.remove(place);
                    game.left.extend(self.forms[answer].left.clone());
                    tidy(game);
                    return Ok(true);
                }
            }
        }
        for place in 0..game.right.len() {
            for answer in self.forms[game.right[place]].left.clone() {
                if self.game_is_at_most(game, answer)? {
                    game.right.remove(place);
                    game.right.extend(self.forms[answer].right.clone());
                    tidy(game);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Removes the dominated options.
    fn leave_out(&mut self, game: &mut Form) -> Result<()> {
        let all = game.left.clone();
        let mut kept = Vec::new();
        for &option in &all {
            let mut dominated = false;
            for &other in all.iter().filter(|other| **other != option) {
                dominated = dominated || self.is_at_most(option, other)?;
            }
            kept.extend((!dominated).then_some(option));
        }
        game.left = kept;
        let all = game.right.clone();
        let mut kept = Vec::new();
        for &option in &all {
            let mut dominated = false;
            for &other in all.iter().filter(|other| **other != option) {
                dominated = dominated || self.is_at_most(other, option)?;
            }
            kept.extend((!dominated).then_some(option));
        }
        game.right = kept;
        Ok(())
    }

    fn intern(&mut self, form: Form) -> Result<Short> {
        if let Some(&known) = self.known.get(&form) {
            return Ok(known);
        }
        if self.forms.len() >= MOST_VALUES {
            return Err(TooMany);
        }
        let number = self.simplest_between(&form);
        self.stops.push(number.map(|number| [number; 2]).or_else(|| self.stops_of(&form)));
        let value = self.forms.push(form.clone());
        self.numbers.push(number);
        self.known.insert(form, value);
        Ok(value)
    }

    /// Returns the number that a canonical form equals; `None` if it is no number, or one past the bounds.
    fn simplest_between(&self, form: &Form) -> Option<Rational64> {
        let whole = |n: i64| Some(Rational64::from_integer(n)).filter(|_| n.abs() <= LARGEST);
        match (&form.left[..], &form.right[..]) {
            ([], []) => Some(Rational64::default()),
            ([one], []) => whole(self.numbers[*one]?.to_integer() + 1),
            ([], [one]) => whole(self.numbers[*one]?.to_integer() - 1),
            ([left], [right]) => {
                let (left, right) = (self.numbers[*left]?, self.numbers[*right]?);
                let middle = (left + right) / Rational64::from_integer(2);
                (left < right && *middle.denom() <= LARGEST).then_some(middle)
            }
            _ => None,
        }
    }

    fn spend(&mut self) -> Result<()> {
        self.work += 1;
        if self.work > MOST_WORK { Err(TooMany) } else { Ok(()) }
    }

    /// Returns true if `one` is at most `other`: then Left does no better by it.
    pub fn is_at_most(&mut self, one: Short, other: Short) -> Result<bool> {
        if one == other {
            return Ok(true);
        }
        if let (Some(one), Some(other)) = (self.numbers[one], self.numbers[other]) {
            return Ok(one <= other);
        }
        if let Some(&known) = self.less.get(&(one, other)) {
            return Ok(known);
        }
        let form = self.forms[one].clone();
        let is = self.game_is_at_most(&form, other)?;
        self.less.insert((one, other), is);
        Ok(is)
    }

    /// Returns true if the game is at most the value: Left has no option in the game that is at least the value, and
    /// Right none in the value that is at most the game.
    fn game_is_at_most(&mut self, game: &Form, value: Short) -> Result<bool> {
        self.spend()?;
        for &option in &game.left {
            if self.is_at_most(value, option)? {
                return Ok(false);
            }
        }
        for option in self.forms[value].right.clone() {
            if self.is_at_most_game(option, game)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_at_most_game(&mut self, value: Short, game: &Form) -> Result<bool> {
        self.spend()?;
        for &option in &game.right {
            if self.is_at_most(option, value)? {
                return Ok(false);
            }
        }
        for option in self.forms[value].left.clone() {
            if self.game_is_at_most(game, option)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the value with the players exchanged.
    pub fn negative(&mut self, value: Short) -> Result<Short> {
        if let Some(&known) = self.negatives.get(&value) {
            return Ok(known);
        }
        let form = self.forms[value].clone();
        let mut exchanged = Form { left: Vec::new(), right: Vec::new() };
        for option in form.right {
            exchanged.left.push(self.negative(option)?);
        }
        for option in form.left {
            exchanged.right.push(self.negative(option)?);
        }
        tidy(&mut exchanged);
        let negative = self.intern(exchanged)?;
        self.negatives.insert(value, negative);
        self.negatives.insert(negative, value);
        Ok(negative)
    }

    /// Returns the value of two games side by side.
    pub fn sum(&mut self, one: Short, other: Short) -> Result<Short> {
        let (one, other) = (one.min(other), one.max(other));
        if one == ZERO {
            return Ok(other);
        }
        if let Some(&known) = self.sums.get(&(one, other)) {
            return Ok(known);
        }
        self.spend()?;
        let mut game = Form { left: Vec::new(), right: Vec::new() };
        for (of, with) in [(one, other), (other, one)] {
            let form = self.forms[of].clone();
            for option in form.left {
                game.left.push(self.sum(option, with)?);
            }
            for option in form.right {
                game.right.push(self.sum(option, with)?);
            }
        }
        let sum = self.of(game.left, game.right)?;
        self.sums.insert((one, other), sum);
        Ok(sum)
    }

    /// Returns the value of a number; `None` if the denominator is no power of two, or the number is too large or too
    /// fine.
    pub fn of_number(&mut self, number: Rational64) -> Result<Option<Short>> {
        let below = *number.denom();
        if below & (below - 1) != 0 || below > 1 << 10 || number.to_integer().abs() > 1 << 10 {
            return Ok(None);
        }
        if below > 1 {
            let half = Rational64::new(1, below);
            let [Some(left), Some(right)] = [self.of_number(number - half)?, self.of_number(number + half)?]
            else {
                return Ok(None);
            };
            return self.of(vec![left], vec![right]).map(Some);
        }
        let mut value = ZERO;
        for _ in 0..number.to_integer().abs() {
            value = match *number.numer() > 0 {
                true => self.intern(Form { left: vec![value], right: Vec::new() })?,
                false => self.intern(Form { left: Vec::new(), right: vec![value] })?,
            };
        }
        Ok(Some(value))
    }

    /// Returns the value of a Nim heap.
    pub fn nimber(&mut self, n: u32) -> Result<Short> {
        let mut heap = ZERO;
        let mut smaller = Vec::new();
        for _ in 0..n {
            smaller.push(heap);
            smaller.sort_unstable();
            heap = self.intern(Form { left: smaller.clone(), right: smaller.clone() })?;
        }
        Ok(heap)
    }

    /// Returns the sum of `n` ups, up being `{0|*}`; of downs for a negative `n`.
    pub fn ups(&mut self, n: i32) -> Result<Short> {
        let star = self.nimber(1)?;
        let up = self.intern(Form { left: vec![ZERO], right: vec![star] })?;
        let one = if n < 0 { self.negative(up)? } else { up };
        (0..n.abs()).try_fold(ZERO, |sum, _| self.sum(sum, one))
    }

    /// Returns the numbers at which play stops if Left begins, and if Right does; `None` if a number is past the
    /// bounds.
    pub fn stops(&self, value: Short) -> Option<[Rational64; 2]> {
        self.stops[value]
    }

    fn stops_of(&self, form: &Form) -> Option<[Rational64; 2]> {
        let left: Option<Vec<Rational64>> = form.left.iter().map(|of| Some(self.stops[*of]?[1])).collect();
        let right: Option<Vec<Rational64>> = form.right.iter().map(|of| Some(self.stops[*of]?[0])).collect();
        Some([left?.into_iter().max()?, right?.into_iter().min()?])
    }
}

/// Sorts the options and removes duplicates.
fn tidy(game: &mut Form) {
    for options in [&mut game.left, &mut game.right] {
        options.sort_unstable();
        options.dedup();
    }
}
