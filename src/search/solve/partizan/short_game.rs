//! Values of short games, interned: each has one canonical form, so that equal values have one id.
//!
//! Source: Conway (On Numbers and Games, 1976), Berlekamp, Conway and Guy (Winning Ways, 1982); the canonical form by
//! bypassing reversible options and leaving out dominated ones as in Siegel (Combinatorial Game Theory, 2013, II.2).
//! Cost: every comparison and every sum of two values is computed once; sums of hot games grow fast, so there is a
//! bound on the values and on the work.
//! Invariant: the options of a value are values; none is dominated and none reversible.

use num_rational::Rational64;
use rustc_hash::FxHashMap;

use bouton_base::define_id;
use bouton_base::id::IdVec;

define_id!(ShortGame, "w", "The value of a short game.");

/// The value of a game in which nobody can move.
pub const ZERO: ShortGame = ShortGame(0);

/// The maximal number of values.
const MAX_VALUES: usize = 200_000;

/// The maximal number of comparisons and sums.
const MAX_WORK: u64 = 50_000_000;

/// The greatest denominator of a number, and the greatest absolute value of an integer; values beyond are not
/// recognized as numbers.
const MAX_NUMBER: i64 = 1 << 20;

/// The error of exceeding the bound on values or on work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("its components have too many values to compute")]
pub struct TooManyValues;

type Result<T> = std::result::Result<T, TooManyValues>;

/// The canonical form of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CanonicalForm {
    /// The options of the first player, Left, in order.
    pub left: Vec<ShortGame>,
    /// The options of Right, in order.
    pub right: Vec<ShortGame>,
}

/// A table of values: interned canonical forms, with caches of comparisons, sums and negatives.
#[derive(Clone, Debug)]
pub struct ShortGameTable {
    forms: IdVec<ShortGame, CanonicalForm>,
    ids: FxHashMap<CanonicalForm, ShortGame>,
    numbers: IdVec<ShortGame, Option<Rational64>>,
    stops: IdVec<ShortGame, Option<[Rational64; 2]>>,
    comparisons: FxHashMap<(ShortGame, ShortGame), bool>,
    sums: FxHashMap<(ShortGame, ShortGame), ShortGame>,
    negatives: FxHashMap<ShortGame, ShortGame>,
    work: u64,
}

impl Default for ShortGameTable {
    fn default() -> Self {
        let mut shorts = ShortGameTable {
            forms: IdVec::new(),
            ids: FxHashMap::default(),
            numbers: IdVec::new(),
            stops: IdVec::new(),
            comparisons: FxHashMap::default(),
            sums: FxHashMap::default(),
            negatives: FxHashMap::default(),
            work: 0,
        };
        // Zero exists whatever the bounds are.
        let zero = CanonicalForm { left: Vec::new(), right: Vec::new() };
        shorts.ids.insert(zero.clone(), shorts.forms.push(zero));
        shorts.numbers.push(Some(Rational64::default()));
        shorts.stops.push(Some([Rational64::default(); 2]));
        shorts
    }
}

impl ShortGameTable {
    /// Returns the canonical form of a value.
    pub fn form(&self, value: ShortGame) -> &CanonicalForm {
        &self.forms[value]
    }

    /// Returns the value as a number; `None` if it is not one.
    pub fn number(&self, value: ShortGame) -> Option<Rational64> {
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
    pub fn value_of(&mut self, left: Vec<ShortGame>, right: Vec<ShortGame>) -> Result<ShortGame> {
        let mut game = CanonicalForm { left, right };
        sort_and_dedup(&mut game);
        if let Some(&known) = self.ids.get(&game) {
            return Ok(known);
        }
        while self.bypass_reversible(&mut game)? {}
        self.remove_dominated(&mut game)?;
        self.intern(game)
    }

    /// Bypasses one reversible option, and returns true if there was one: if Right can answer an option of Left by a
    /// position that is at most the game, Left's options after that answer replace the option. The same holds with
    /// the players exchanged.
    fn bypass_reversible(&mut self, game: &mut CanonicalForm) -> Result<bool> {
        for place in 0..game.left.len() {
            for answer in self.forms[game.left[place]].right.clone() {
                if self.is_at_most_game(answer, game)? {
                    game.left.remove(place);
                    game.left.extend(self.forms[answer].left.clone());
                    sort_and_dedup(game);
                    return Ok(true);
                }
            }
        }
        for place in 0..game.right.len() {
            for answer in self.forms[game.right[place]].left.clone() {
                if self.game_is_at_most(game, answer)? {
                    game.right.remove(place);
                    game.right.extend(self.forms[answer].right.clone());
                    sort_and_dedup(game);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Removes the dominated options.
    fn remove_dominated(&mut self, game: &mut CanonicalForm) -> Result<()> {
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

    fn intern(&mut self, form: CanonicalForm) -> Result<ShortGame> {
        if let Some(&known) = self.ids.get(&form) {
            return Ok(known);
        }
        if self.forms.len() >= MAX_VALUES {
            return Err(TooManyValues);
        }
        let number = self.simplest_between(&form);
        self.stops.push(number.map(|number| [number; 2]).or_else(|| self.stops_of(&form)));
        let value = self.forms.push(form.clone());
        self.numbers.push(number);
        self.ids.insert(form, value);
        Ok(value)
    }

    /// Returns the number that a canonical form equals; `None` if it is no number, or one past the bounds.
    fn simplest_between(&self, form: &CanonicalForm) -> Option<Rational64> {
        let whole = |n: i64| Some(Rational64::from_integer(n)).filter(|_| n.abs() <= MAX_NUMBER);
        match (&form.left[..], &form.right[..]) {
            ([], []) => Some(Rational64::default()),
            ([one], []) => whole(self.numbers[*one]?.to_integer() + 1),
            ([], [one]) => whole(self.numbers[*one]?.to_integer() - 1),
            ([left], [right]) => {
                let (left, right) = (self.numbers[*left]?, self.numbers[*right]?);
                let middle = (left + right) / Rational64::from_integer(2);
                (left < right && *middle.denom() <= MAX_NUMBER).then_some(middle)
            }
            _ => None,
        }
    }

    fn spend(&mut self) -> Result<()> {
        self.work += 1;
        if self.work > MAX_WORK { Err(TooManyValues) } else { Ok(()) }
    }

    /// Returns true if `one` is at most `other`: then Left does no better by it.
    pub fn is_at_most(&mut self, one: ShortGame, other: ShortGame) -> Result<bool> {
        if one == other {
            return Ok(true);
        }
        if let (Some(one), Some(other)) = (self.numbers[one], self.numbers[other]) {
            return Ok(one <= other);
        }
        if let Some(&known) = self.comparisons.get(&(one, other)) {
            return Ok(known);
        }
        let form = self.forms[one].clone();
        let is = self.game_is_at_most(&form, other)?;
        self.comparisons.insert((one, other), is);
        Ok(is)
    }

    /// Returns true if the game is at most the value: Left has no option in the game that is at least the value, and
    /// Right none in the value that is at most the game.
    fn game_is_at_most(&mut self, game: &CanonicalForm, value: ShortGame) -> Result<bool> {
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

    fn is_at_most_game(&mut self, value: ShortGame, game: &CanonicalForm) -> Result<bool> {
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
    pub fn negative(&mut self, value: ShortGame) -> Result<ShortGame> {
        if let Some(&known) = self.negatives.get(&value) {
            return Ok(known);
        }
        let form = self.forms[value].clone();
        let mut exchanged = CanonicalForm { left: Vec::new(), right: Vec::new() };
        for option in form.right {
            exchanged.left.push(self.negative(option)?);
        }
        for option in form.left {
            exchanged.right.push(self.negative(option)?);
        }
        sort_and_dedup(&mut exchanged);
        let negative = self.intern(exchanged)?;
        self.negatives.insert(value, negative);
        self.negatives.insert(negative, value);
        Ok(negative)
    }

    /// Returns the value of two games side by side.
    pub fn sum(&mut self, one: ShortGame, other: ShortGame) -> Result<ShortGame> {
        let (one, other) = (one.min(other), one.max(other));
        if one == ZERO {
            return Ok(other);
        }
        if let Some(&known) = self.sums.get(&(one, other)) {
            return Ok(known);
        }
        self.spend()?;
        let mut game = CanonicalForm { left: Vec::new(), right: Vec::new() };
        for (of, with) in [(one, other), (other, one)] {
            let form = self.forms[of].clone();
            for option in form.left {
                game.left.push(self.sum(option, with)?);
            }
            for option in form.right {
                game.right.push(self.sum(option, with)?);
            }
        }
        let sum = self.value_of(game.left, game.right)?;
        self.sums.insert((one, other), sum);
        Ok(sum)
    }

    /// Returns the value of a number; `None` if the denominator is no power of two, or the number is too large or too
    /// fine.
    pub fn number_value(&mut self, number: Rational64) -> Result<Option<ShortGame>> {
        let below = *number.denom();
        if below & (below - 1) != 0 || below > 1 << 10 || number.to_integer().abs() > 1 << 10 {
            return Ok(None);
        }
        if below > 1 {
            let half = Rational64::new(1, below);
            let [Some(left), Some(right)] =
                [self.number_value(number - half)?, self.number_value(number + half)?]
            else {
                return Ok(None);
            };
            return self.value_of(vec![left], vec![right]).map(Some);
        }
        let mut value = ZERO;
        for _ in 0..number.to_integer().abs() {
            value = match *number.numer() > 0 {
                true => self.intern(CanonicalForm { left: vec![value], right: Vec::new() })?,
                false => self.intern(CanonicalForm { left: Vec::new(), right: vec![value] })?,
            };
        }
        Ok(Some(value))
    }

    /// Returns the value of a Nim heap.
    pub fn nimber(&mut self, n: u32) -> Result<ShortGame> {
        let mut heap = ZERO;
        let mut smaller = Vec::new();
        for _ in 0..n {
            smaller.push(heap);
            smaller.sort_unstable();
            heap = self.intern(CanonicalForm { left: smaller.clone(), right: smaller.clone() })?;
        }
        Ok(heap)
    }

    /// Returns the sum of `n` ups, up being `{0|*}`; of downs for a negative `n`.
    pub fn ups(&mut self, n: i32) -> Result<ShortGame> {
        let star = self.nimber(1)?;
        let up = self.intern(CanonicalForm { left: vec![ZERO], right: vec![star] })?;
        let one = if n < 0 { self.negative(up)? } else { up };
        (0..n.abs()).try_fold(ZERO, |sum, _| self.sum(sum, one))
    }

    /// Returns the numbers at which play stops if Left begins, and if Right does; `None` if a number is past the
    /// bounds.
    pub fn stops(&self, value: ShortGame) -> Option<[Rational64; 2]> {
        self.stops[value]
    }

    fn stops_of(&self, form: &CanonicalForm) -> Option<[Rational64; 2]> {
        let left: Option<Vec<Rational64>> = form.left.iter().map(|of| Some(self.stops[*of]?[1])).collect();
        let right: Option<Vec<Rational64>> = form.right.iter().map(|of| Some(self.stops[*of]?[0])).collect();
        Some([left?.into_iter().max()?, right?.into_iter().min()?])
    }
}

/// Sorts the options and removes duplicates.
fn sort_and_dedup(game: &mut CanonicalForm) {
    for options in [&mut game.left, &mut game.right] {
        options.sort_unstable();
        options.dedup();
    }
}
