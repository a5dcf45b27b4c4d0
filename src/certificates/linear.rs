//! Linear terms and conditions, in the format of certificates and in words.
//!
//! `3+2v0-1v1` is 3 plus twice the variable 0 minus the variable 1. Conditions are `T<=0`, `T=0`, `T%m:1,3` (the
//! remainder of T by m is 1 or 3), `T/M` (M divides T) and `T!/M` (M does not divide T), joined by `&`. An empty list
//! is `-`.

use super::numbers;
use bouton_base::linear::Linear;
use bouton_rules::parametric::{Atom, PARAM_BASE, ParamRange, SchemeInstance};

pub(super) fn render_term(term: &Linear) -> String {
    let terms: String = term.terms.iter().map(|(var, factor)| format!("{factor:+}v{var}")).collect();
    format!("{}{terms}", term.constant)
}

/// Parses a term; variables must be in order and have nonzero factors.
pub(super) fn parse_term(text: &str) -> Option<Linear> {
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

pub(super) fn render_terms(terms: &[Linear]) -> String {
    joined(terms, ",", render_term)
}

pub(super) fn parse_terms(text: &str) -> Option<Vec<Linear>> {
    parts(text, ',', parse_term)
}

pub(super) fn render_conditions(atoms: &[Atom]) -> String {
    joined(atoms, "&", |atom| match atom {
        Atom::AtMost(of) => format!("{}<=0", render_term(of)),
        Atom::Zero(of) => format!("{}=0", render_term(of)),
        Atom::Residue(of, modulus, residues) => {
            format!("{}%{modulus}:{}", render_term(of), numbers::render_list(residues))
        }
        Atom::Multiple(of, by, true) => format!("{}/{}", render_term(of), render_term(by)),
        Atom::Multiple(of, by, false) => format!("{}!/{}", render_term(of), render_term(by)),
    })
}

pub(super) fn parse_conditions(text: &str) -> Option<Vec<Atom>> {
    parts(text, '&', |atom| {
        if let Some(of) = atom.strip_suffix("<=0") {
            return Some(Atom::AtMost(parse_term(of)?));
        }
        if let Some(of) = atom.strip_suffix("=0") {
            return Some(Atom::Zero(parse_term(of)?));
        }
        if let Some((of, by)) = atom.split_once('/') {
            let divides = !of.ends_with('!');
            let of = parse_term(of.strip_suffix('!').unwrap_or(of))?;
            return Some(Atom::Multiple(of, parse_term(by)?, divides));
        }
        let (of, rest) = atom.split_once('%')?;
        let (modulus, residues) = rest.split_once(':')?;
        Some(Atom::Residue(parse_term(of)?, modulus.parse().ok()?, numbers::parse_list(residues)?))
    })
}

pub(super) fn render_instance(made: &SchemeInstance) -> String {
    format!("{} {}", made.scheme, render_terms(&made.choices))
}

pub(super) fn parse_instance(scheme: &str, choices: &str) -> Option<SchemeInstance> {
    Some(SchemeInstance { scheme: scheme.parse().ok()?, choices: parse_terms(choices)? })
}

/// Renders a range as `n - 1 40`: the parameter, its element, the least and the greatest value.
pub(super) fn render_range(range: &ParamRange) -> String {
    let element = range.element.map_or("-".into(), |element| element.to_string());
    let high = range.high.map_or("-".into(), |high| high.to_string());
    format!("{} {element} {} {high}", range.param, range.low)
}

pub(super) fn parse_range(words: &[&str]) -> Option<ParamRange> {
    let &[param, element, low, high] = words else { return None };
    let element = if element == "-" { None } else { Some(element.parse().ok()?) };
    let high = if high == "-" { None } else { Some(high.parse().ok()?) };
    Some(ParamRange { param: param.to_owned(), element, low: low.parse().ok()?, high })
}

fn joined<T>(all: &[T], between: &str, one: impl Fn(&T) -> String) -> String {
    if all.is_empty() { "-".into() } else { all.iter().map(one).collect::<Vec<_>>().join(between) }
}

fn parts<T>(text: &str, between: char, one: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    if text == "-" { Some(Vec::new()) } else { text.split(between).map(one).collect() }
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
        assert_eq!(render_term(&of), "-3+2v0-1v3000");
        assert_eq!(parse_term("-3+2v0-1v3000"), Some(of.clone()));
        for wrong in ["", "v0", "1+v0", "1+2v", "1+2v1+2v0", "1+2v1+2v1", "1+0v1", "+", "-", "1-", "é", "1+é"]
        {
            assert_eq!(parse_term(wrong), None, "{wrong}");
        }
        let all = vec![
            Atom::AtMost(of.clone()),
            Atom::Zero(Linear::number(0)),
            Atom::Residue(of.clone(), 4, vec![1, 3]),
        ];
        let divided = [true, false].map(|divides| Atom::Multiple(of.clone(), Linear::var(1), divides));
        let all = [all, divided.to_vec()].concat();
        assert_eq!(parse_conditions(&render_conditions(&all)), Some(all));
        assert_eq!(parse_conditions("-"), Some(Vec::new()));
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
