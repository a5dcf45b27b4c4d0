//! Linear terms and conditions, in the format of certificates and in words.
//!
//! `3+2v0-1v1` is 3 plus twice the variable 0 minus the variable 1. Conditions are `T<=0`, `T=0`, `T%m:1,3` (the
//! remainder of T by m is 1 or 3), `T/M` (M divides T) and `T!/M` (M does not divide T), joined by `&`. An empty list
//! is `-`.

use super::codec::{Line, Record, Word, Words};
use bouton_base::linear::Linear;
use bouton_rules::parametric::{Atom, PARAM_BASE, ParamRange};

impl Word for Linear {
    fn render(&self) -> String {
        let terms: String = self.terms.iter().map(|(var, factor)| format!("{factor:+}v{var}")).collect();
        format!("{}{terms}", self.constant)
    }

    /// Parses a term; variables must be in order and have nonzero factors.
    fn parse(text: &str) -> Option<Self> {
        let cut =
            |text: &str| text.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-')).map(|(at, _)| at);
        let mut end = cut(text).unwrap_or(text.len());
        let mut of = Linear::number(text.get(..end)?.parse().ok()?);
        while end < text.len() {
            let rest = text.get(end..)?;
            let next = cut(rest).unwrap_or(rest.len());
            let (factor, var) = rest.get(..next)?.split_once('v')?;
            let (factor, var): (i128, u32) = (factor.parse().ok()?, var.parse().ok()?);
            if factor == 0 || of.terms.last().is_some_and(|last| last.0 >= var) {
                return None;
            }
            of.terms.push((var, factor));
            end += next;
        }
        Some(of)
    }
}

impl Word for Atom {
    const SEPARATOR: &'static str = "&";

    fn render(&self) -> String {
        match self {
            Atom::AtMost(of) => format!("{}<=0", of.render()),
            Atom::Zero(of) => format!("{}=0", of.render()),
            Atom::Residue(of, modulus, residues) => {
                let residues: Vec<String> = residues.iter().map(u32::to_string).collect();
                format!("{}%{modulus}:{}", of.render(), residues.join(","))
            }
            Atom::Multiple(of, by, divides) => {
                format!("{}{}/{}", of.render(), if *divides { "" } else { "!" }, by.render())
            }
        }
    }

    fn parse(text: &str) -> Option<Self> {
        if let Some(of) = text.strip_suffix("<=0") {
            return Some(Atom::AtMost(Word::parse(of)?));
        }
        if let Some(of) = text.strip_suffix("=0") {
            return Some(Atom::Zero(Word::parse(of)?));
        }
        if let Some((of, by)) = text.split_once('/') {
            let divides = !of.ends_with('!');
            let of = Word::parse(of.strip_suffix('!').unwrap_or(of))?;
            return Some(Atom::Multiple(of, Word::parse(by)?, divides));
        }
        let (of, rest) = text.split_once('%')?;
        let (modulus, residues) = rest.split_once(':')?;
        let residues = residues.split(',').map(Word::parse).collect::<Option<_>>()?;
        Some(Atom::Residue(Word::parse(of)?, modulus.parse().ok()?, residues))
    }
}

/// A range as `n - 1 40`: the parameter, its element, the least and the greatest value.
impl Record for ParamRange {
    fn write(&self, line: &mut Line<'_>) {
        let element = self.element.map_or("-".into(), |element| element.to_string());
        let high = self.high.map_or("-".into(), |high| high.to_string());
        line.word(&self.param).word(element).word(self.low).word(high);
    }

    fn read(words: &mut Words<'_>) -> Option<Self> {
        let param = words.next()?.to_owned();
        let element = Some(words.next()?).filter(|element| *element != "-");
        let low = Record::read(words)?;
        let high = Some(words.next()?).filter(|high| *high != "-");
        let (element, high) = (element.map(str::parse).transpose(), high.map(str::parse).transpose());
        Some(ParamRange { param, element: element.ok()?, low, high: high.ok()? })
    }
}

/// Describes a parameter: `n`, `heaps[1]`.
pub fn describe_parameter(range: &ParamRange) -> String {
    match range.element {
        None => range.param.clone(),
        Some(element) => format!("{}[{element}]", range.param),
    }
}

/// Describes the ranges of parameters: `n >= 1 and k >= 1`.
pub fn describe_ranges(over: &[ParamRange]) -> String {
    let one = |range: &ParamRange| match range.high {
        None => format!("{} >= {}", describe_parameter(range), range.low),
        Some(high) => format!("{} <= {} <= {high}", range.low, describe_parameter(range)),
    };
    join_words(&over.iter().map(one).collect::<Vec<_>>(), "and")
}

/// Describes conditions on parameters: `n mod 2 = 0 and k >= 2`.
pub fn describe_conditions(atoms: &[Atom], over: &[ParamRange]) -> String {
    let one = |atom: &Atom| match atom {
        Atom::AtMost(of) => compared(of, "<=", ">=", over),
        Atom::Zero(of) => compared(of, "=", "=", over),
        Atom::Residue(of, modulus, residues) => {
            let (left, right) = sides(of, over);
            let whole = if right == "0" { left } else { format!("({left} - {right})") };
            let residues: Vec<String> = residues.iter().map(u32::to_string).collect();
            match &residues[..] {
                [only] => format!("{whole} mod {modulus} = {only}"),
                many => format!("{whole} mod {modulus} is {}", join_words(many, "or")),
            }
        }
        Atom::Multiple(of, by, divides) => {
            let whole = |of: &Linear| match sides(of, over) {
                (left, right) if right == "0" && !left.contains(' ') => left,
                (left, right) if right == "0" => format!("({left})"),
                (left, right) => format!("({left} - {right})"),
            };
            let is = if *divides { "=" } else { "is not" };
            format!("{} mod {} {is} 0", whole(of), whole(by))
        }
    };
    join_words(&atoms.iter().map(one).collect::<Vec<_>>(), "and")
}

/// Renders a comparison of a term with 0, with negative summands moved to the other side.
fn compared(of: &Linear, sign: &str, mirrored: &str, over: &[ParamRange]) -> String {
    let (left, right) = sides(of, over);
    // A number goes on the right.
    if left.parse::<i128>().is_ok() {
        format!("{right} {mirrored} {left}")
    } else {
        format!("{left} {sign} {right}")
    }
}

/// Splits a term into its positive and its negative summands.
fn sides(of: &Linear, over: &[ParamRange]) -> (String, String) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for &(var, factor) in &of.terms {
        let name = var
            .checked_sub(PARAM_BASE)
            .and_then(|place| over.get(place as usize))
            .map_or("?".into(), describe_parameter);
        let times =
            if factor.unsigned_abs() == 1 { name } else { format!("{} {name}", factor.unsigned_abs()) };
        if factor > 0 { &mut left } else { &mut right }.push(times);
    }
    match of.constant {
        0 => {}
        number if number > 0 => left.push(number.to_string()),
        number => right.push(number.unsigned_abs().to_string()),
    }
    let side = |terms: Vec<String>| if terms.is_empty() { "0".into() } else { terms.join(" + ") };
    (side(left), side(right))
}

/// Joins strings as `a, b and c`.
fn join_words(all: &[String], last: &str) -> String {
    match all {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_as_they_are_written() {
        let of = Linear { terms: vec![(0, 2), (3000, -1)], constant: -3 };
        assert_eq!(of.render(), "-3+2v0-1v3000");
        assert_eq!(Word::parse("-3+2v0-1v3000"), Some(of.clone()));
        for wrong in ["", "v0", "1+v0", "1+2v", "1+2v1+2v0", "1+2v1+2v1", "1+0v1", "+", "-", "1-", "é", "1+é"]
        {
            assert_eq!(<Linear as Word>::parse(wrong), None, "{wrong}");
        }
        let all = vec![
            Atom::AtMost(of.clone()),
            Atom::Zero(Linear::number(0)),
            Atom::Residue(of.clone(), 4, vec![1, 3]),
        ];
        let divided = [true, false].map(|divides| Atom::Multiple(of.clone(), Linear::var(1), divides));
        let all = [all, divided.to_vec()].concat();
        for all in [all, Vec::new()] {
            let mut line = Line { text: String::new(), players: &[] };
            all.write(&mut line);
            assert_eq!(Record::read(&mut Words { rest: Some(&line.text), players: &[] }), Some(all));
        }
    }

    #[test]
    fn conditions_are_told_as_a_person_would() {
        let range = |param: &str| ParamRange { param: param.into(), element: None, low: 1, high: None };
        let over = [range("n"), range("k")];
        let n = Linear::var(0);
        let k = Linear::var(1);
        assert_eq!(describe_ranges(&over), "n >= 1 and k >= 1");
        let all = [
            Atom::Residue(n.clone(), 2, vec![0]),
            Atom::AtMost(Linear::number(2).minus(&k).expect("small")),
            Atom::AtMost(k.plus_constant(-1).expect("small")),
            Atom::Zero(n.minus(&k).expect("small")),
            Atom::Residue(n.clone(), 4, vec![1, 2, 3]),
            Atom::Multiple(n.plus_constant(-1).expect("small"), k.plus_constant(1).expect("small"), true),
            Atom::Multiple(n, k, false),
        ];
        assert_eq!(
            describe_conditions(&all, &over),
            "n mod 2 = 0, k >= 2, k <= 1, n = k, n mod 4 is 1, 2 or 3, (n - 1) mod (k + 1) = 0 and n mod k is not 0"
        );
    }
}
