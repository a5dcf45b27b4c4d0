//! The notation of values, printed and parsed: `1/2`, `*2`, `^`, `+-1`, `{2|-1/2}`, as in CGSuite (Aaron Siegel).
//!
//! A number, ups (`^`, `^2`, `v`, `v2`) and a Nim heap (`*`, `*2`) side by side mean their sum. `+-x` is `{x|-x}`.
//! Any other value is written by its options; if an option is alone on its side and written in braces, its braces are
//! left out and the outer bar is one longer than its bar: `{0||0|-2}` is `{0|{0|-2}}`.

use num_rational::Rational64;
use rustc_hash::FxHashMap;

use super::short_game::{ShortGame, ShortGameTable, TooManyValues, ZERO};

/// The maximal number of ups, and the greatest heap, that have names.
const MAX_UPS: i32 = 9;
const MAX_NIM_HEAP: u32 = 15;

/// The maximal nesting depth of a name.
const MAX_NESTING: usize = 32;

/// The maximal length of a printed name, in bytes.
const MAX_NAME_BYTES: usize = 400;

/// The names of values, for printing.
#[derive(Clone, Debug)]
pub struct ValueNames {
    /// The names of the sums of ups and a heap.
    small: FxHashMap<ShortGame, String>,
}

/// A name, and the number of bars in its outermost braces; 0 if it has none.
struct PrintedValue {
    name: String,
    bars: usize,
}

impl ValueNames {
    /// Creates the names for the values of a table.
    pub fn new(shorts: &mut ShortGameTable) -> Result<ValueNames, TooManyValues> {
        let mut small = FxHashMap::default();
        for ups in -MAX_UPS..=MAX_UPS {
            let up = shorts.ups(ups)?;
            for nim in 0..=MAX_NIM_HEAP {
                let heap = shorts.nimber(nim)?;
                let value = shorts.sum(up, heap)?;
                let up = counted_symbol(if ups < 0 { "v" } else { "^" }, ups.unsigned_abs());
                small.insert(value, format!("{up}{}", counted_symbol("*", nim)));
            }
        }
        Ok(ValueNames { small })
    }

    /// Returns the name of a value. `...` stands for a part that is nested too deep, or whose braces are too long;
    /// words replace any other name that is too long.
    pub fn name(&self, shorts: &mut ShortGameTable, value: ShortGame) -> Result<String, TooManyValues> {
        let PrintedValue { name, .. } = self.written(shorts, value, MAX_NESTING)?;
        Ok(if name.len() > MAX_NAME_BYTES { "a game whose name is too long".into() } else { name })
    }

    fn written(
        &self,
        shorts: &mut ShortGameTable,
        value: ShortGame,
        deep: usize,
    ) -> Result<PrintedValue, TooManyValues> {
        let plain = |name: String| Ok(PrintedValue { name, bars: 0 });
        if let Some(number) = shorts.number(value) {
            return plain(number.to_string());
        }
        if let Some(name) = self.with_number(shorts, value)? {
            return plain(name);
        }
        if deep == 0 {
            return plain("...".into());
        }
        let form = shorts.form(value).clone();
        if shorts.negative(value)? == value {
            let mut names = self.sorted(shorts, &form.left, deep)?;
            return match names.len() {
                1 => plain(format!("+-{}", names.remove(0).name)),
                _ => plain(format!("+-({})", listed(&names))),
            };
        }
        let sides = [self.sorted(shorts, &form.left, deep)?, self.sorted(shorts, &form.right, deep)?];
        let inside = |names: &[PrintedValue]| if let [only] = names { only.bars } else { 0 };
        let bars = 1 + sides.iter().map(|names| inside(names)).max().unwrap_or(0);
        let side = |names: &[PrintedValue]| match names {
            [only] if only.bars > 0 => only.name[1..only.name.len() - 1].to_owned(),
            _ => listed(names),
        };
        let name = format!("{{{}{}{}}}", side(&sides[0]), "|".repeat(bars), side(&sides[1]));
        if name.len() > MAX_NAME_BYTES { plain("...".into()) } else { Ok(PrintedValue { name, bars }) }
    }

    /// Returns the names of options, in an order that does not depend on their discovery.
    fn sorted(
        &self,
        shorts: &mut ShortGameTable,
        of: &[ShortGame],
        deep: usize,
    ) -> Result<Vec<PrintedValue>, TooManyValues> {
        let mut names = Vec::new();
        for &option in of {
            names.push(self.written(shorts, option, deep - 1)?);
        }
        names.sort_by_cached_key(|of| (of.name.len(), of.name.starts_with(['*', '^', 'v']), of.name.clone()));
        Ok(names)
    }

    /// Returns the name of a value that is the sum of a number, ups and a heap.
    fn with_number(
        &self,
        shorts: &mut ShortGameTable,
        value: ShortGame,
    ) -> Result<Option<String>, TooManyValues> {
        if let Some(name) = self.small.get(&value) {
            return Ok(Some(name.clone()));
        }
        let Some([number, other]) = shorts.stops(value) else { return Ok(None) };
        if number != other {
            return Ok(None);
        }
        let Some(negative) = shorts.number_value(-number)? else { return Ok(None) };
        let rest = shorts.sum(value, negative)?;
        Ok(self.small.get(&rest).map(|name| format!("{number}{name}")))
    }
}

/// Returns a symbol with its count: nothing for 0, the symbol alone for 1.
fn counted_symbol(sign: &str, number: u32) -> String {
    match number {
        0 => String::new(),
        1 => sign.into(),
        n => format!("{sign}{n}"),
    }
}

fn listed(names: &[PrintedValue]) -> String {
    names.iter().map(|of| of.name.as_str()).collect::<Vec<_>>().join(",")
}

/// The reason why a string is no name of a value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseValueError {
    /// The string is not in the notation of values.
    #[error("`{0}` is not the notation of a value")]
    Syntax(String),
    /// The value is too large.
    #[error(transparent)]
    TooMany(#[from] TooManyValues),
}

/// Parses the name of a value. Any game may be written, also one that is not in canonical form.
pub fn parse(shorts: &mut ShortGameTable, text: &str) -> Result<ShortGame, ParseValueError> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    game(shorts, &text, MAX_NESTING)
}

fn game(shorts: &mut ShortGameTable, text: &str, deep: usize) -> Result<ShortGame, ParseValueError> {
    let misread = || ParseValueError::Syntax(text.to_owned());
    let deep = deep.checked_sub(1).ok_or_else(misread)?;
    if let Some(rest) = text.strip_prefix("+-") {
        let inside = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let left = several(shorts, inside.unwrap_or(rest), deep)?;
        let right: Result<Vec<ShortGame>, TooManyValues> =
            left.iter().map(|&of| shorts.negative(of)).collect();
        let right = right?;
        return if left.is_empty() { Err(misread()) } else { Ok(shorts.value_of(left, right)?) };
    }
    if let Some(inside) = text.strip_prefix('{') {
        return halves(shorts, inside.strip_suffix('}').ok_or_else(misread)?, deep);
    }
    let end = text.find(['^', 'v', '*']).unwrap_or(text.len());
    let (number, mut rest) = text.split_at(end);
    let mut value = match number {
        "" => ZERO,
        number => number_of(shorts, number)?.ok_or_else(misread)?,
    };
    if rest.is_empty() && number.is_empty() {
        return Err(misread());
    }
    for (signs, most) in [("^v", MAX_UPS as u32), ("*", MAX_NIM_HEAP)] {
        let Some(sign) = rest.chars().next().filter(|sign| signs.contains(*sign)) else { continue };
        let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
        let count: u32 = match &rest[1..digits] {
            "" => 1,
            digits => digits.parse().ok().filter(|n| (1..=most).contains(n)).ok_or_else(misread)?,
        };
        rest = &rest[digits..];
        let part = match sign {
            '^' => shorts.ups(count as i32)?,
            'v' => shorts.ups(-(count as i32))?,
            _ => shorts.nimber(count)?,
        };
        value = shorts.sum(value, part)?;
    }
    if rest.is_empty() { Ok(value) } else { Err(misread()) }
}

fn number_of(shorts: &mut ShortGameTable, text: &str) -> Result<Option<ShortGame>, TooManyValues> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    match (above.parse::<i64>(), below.parse::<i64>()) {
        (Ok(above), Ok(below)) if below > 0 => shorts.number_value(Rational64::new(above, below)),
        _ => Ok(None),
    }
}

/// Parses the inside of braces: the options of both players, separated by the longest run of bars.
fn halves(shorts: &mut ShortGameTable, text: &str, deep: usize) -> Result<ShortGame, ParseValueError> {
    let misread = || ParseValueError::Syntax(format!("{{{text}}}"));
    let deep = deep.checked_sub(1).ok_or_else(misread)?;
    let runs = bars(text);
    let longest = runs.iter().map(|run| run.1).max().ok_or_else(misread)?;
    let mut all = runs.into_iter().filter(|run| run.1 == longest);
    let (Some((place, bars)), None) = (all.next(), all.next()) else { return Err(misread()) };
    let mut side = |text: &str| match self::bars(text).is_empty() {
        true => several(shorts, text, deep),
        false => halves(shorts, text, deep).map(|game| vec![game]),
    };
    let (left, right) = (side(&text[..place])?, side(&text[place + bars..])?);
    Ok(shorts.value_of(left, right)?)
}

/// Returns the runs of bars outside all braces: the offset and the length of each.
fn bars(text: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut open = 0i32;
    for (place, c) in text.char_indices() {
        open += i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'));
        if c == '|' && open == 0 {
            match runs.last_mut() {
                Some((begin, length)) if *begin + *length == place => *length += 1,
                _ => runs.push((place, 1)),
            }
        }
    }
    runs
}

/// Parses games separated by commas.
fn several(shorts: &mut ShortGameTable, text: &str, deep: usize) -> Result<Vec<ShortGame>, ParseValueError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut games = Vec::new();
    let (mut open, mut begin) = (0i32, 0);
    for (place, c) in text.char_indices().chain([(text.len(), ',')]) {
        open += i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'));
        if c == ',' && open == 0 {
            games.push(game(shorts, &text[begin..place], deep)?);
            begin = place + 1;
        }
    }
    if open != 0 { Err(ParseValueError::Syntax(text.to_owned())) } else { Ok(games) }
}
