//! Conditions on what never changes: facts as orders, successors, sums and sets, and fluents that always hold.

use std::collections::BTreeSet;

use super::bounds::in_range;
use super::formulas::Scope;
use super::types::{Kind, Place};
use super::{Importer, Static};
use crate::sheet::{Literal, Pattern, Sentence};
use crate::terms::Symbol;

impl Importer<'_> {
    /// The form of a relation that never changes, if it is more than a list of facts.
    pub(super) fn static_form(&self, relation: Symbol) -> Option<Static> {
        let tuples = self.tuples(relation);
        let arity = tuples.first().map_or(0, Vec::len);
        let size = |at: usize| self.size(Place::Relation(relation, at));
        let all: Option<usize> = (0..arity).map(size).try_fold(1usize, |all, one| all.checked_mul(one?));
        if all == Some(tuples.len()) {
            return Some(Static::Everything);
        }
        let number = |tuple: &Vec<String>| tuple.first()?.parse::<i64>().ok();
        if arity == 1
            && let Some(numbers) = tuples.iter().map(number).collect::<Option<BTreeSet<i64>>>()
            && let (Some(first), Some(last)) = (numbers.first(), numbers.last())
            && last - first + 1 == numbers.len() as i64
        {
            return Some(Static::Range(*first, *last));
        }
        if arity == 2 && tuples.iter().all(|tuple| tuple[0] == tuple[1]) {
            if size(0) == Some(tuples.len()) {
                return Some(Static::Same(None));
            }
            if let Some(numbers) = tuples.iter().map(number).collect::<Option<BTreeSet<i64>>>()
                && let (Some(first), Some(last)) = (numbers.first(), numbers.last())
                && last - first + 1 == numbers.len() as i64
            {
                return Some(Static::Same(Some((*first, *last))));
            }
        }
        let pair = |tuple: &Vec<String>| {
            Some((tuple.first()?.parse::<i64>().ok()?, tuple.get(1)?.parse::<i64>().ok()?))
        };
        if arity == 2
            && let Some(pairs) = tuples.iter().map(pair).collect::<Option<BTreeSet<(i64, i64)>>>()
            && let Some(Kind::Numbers(least, most)) = self.types.kind(Place::Relation(relation, 0))
        {
            let (first, last) = (pairs.iter().map(|p| p.0).min()?, pairs.iter().map(|p| p.1).max()?);
            if pairs.iter().all(|(a, b)| *b == a + 1) && pairs.len() as i64 == last - first {
                return Some(Static::Successor { most: last, count: pairs.len() as i64 });
            }
            let (first, last) = (pairs.iter().map(|p| p.1).min()?, pairs.iter().map(|p| p.0).max()?);
            if pairs.iter().all(|(a, b)| *b == a - 1) && pairs.len() as i64 == last - first {
                return Some(Static::Predecessor { least: first, count: pairs.len() as i64 });
            }
            let count = most - least + 1;
            let holds = |sign: &str, a: i64, b: i64| match sign {
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                _ => a >= b,
            };
            // All pairs of numbers of the type that are in this order.
            let is = |sign: &str| {
                let diagonal = if sign.ends_with('=') { count } else { 0 };
                let inside = |number: &i64| (*least..=*most).contains(number);
                2 * pairs.len() as i64 == count * (count - 1) + 2 * diagonal
                    && pairs.iter().all(|(a, b)| inside(a) && inside(b) && holds(sign, *a, *b))
            };
            if let Some(sign) = ["<", "<=", ">", ">="].into_iter().find(|sign| is(sign)) {
                return Some(Static::Comparison(sign));
            }
        }
        let kind = |at: usize| self.types.kind(Place::Relation(relation, at));
        if arity == 2
            && kind(0) == kind(1)
            && size(0).is_some_and(|size| size > 1 && tuples.len() == size * (size - 1))
            && tuples.iter().all(|tuple| tuple[0] != tuple[1])
        {
            return Some(Static::Comparison("!="));
        }
        self.arithmetic_form(relation).or_else(|| self.function_form(relation))
    }

    /// The condition that a fluent holds whose function never changes: it is one of those that do.
    pub(super) fn constant_part(&self, fluent: &Pattern, terms: &[String]) -> String {
        let (Pattern::Const(name) | Pattern::Compound(name, _)) = fluent else { return "true".to_owned() };
        let own = self.names.constants.iter().filter(|term| super::head_of(term) == self.symbol(*name));
        let tuples: BTreeSet<Vec<String>> = own.map(|term| self.written_args(*name, term)).collect();
        let sizes = (0..terms.len()).map(|at| self.size(Place::Function(*name, at)));
        let all = sizes.into_iter().try_fold(1usize, |all, size| all.checked_mul(size?));
        if terms.is_empty() || all == Some(tuples.len()) {
            return "true".to_owned();
        }
        let tuples: Vec<String> = match terms {
            [_] => tuples.into_iter().flatten().collect(),
            _ => tuples.iter().map(|tuple| format!("({})", tuple.join(", "))).collect(),
        };
        let term = if let [only] = terms { only.clone() } else { format!("({})", terms.join(", ")) };
        format!("{term} in {{ {} }}", tuples.join(", "))
    }

    /// The condition that a number is the sum of another one and a step; it may determine a number.
    pub(super) fn sum_part(
        &self,
        sentence: &Sentence,
        range: (i64, i64),
        terms: &[Option<String>],
        among: &[&Literal],
        scope: &mut Scope,
    ) -> Option<Vec<String>> {
        let (least, most) = range;
        let step = self.step(sentence, terms[1].as_ref()?);
        let (term, var) = match (&terms[0], &terms[2]) {
            (Some(a), Some(b)) => return Some(vec![format!("{b} = {a} + {step}")]),
            (Some(a), None) => (format!("{a} + {step}"), &sentence.args[2]),
            (None, Some(b)) => (format!("{b} - {step}"), &sentence.args[0]),
            (None, None) => return None,
        };
        let Pattern::Var(var) = var else { return None };
        scope.terms.insert(*var, term.clone());
        // A cell with this key exists only within its range.
        let is_key = among.iter().any(|literal| self.key_range(literal, *var).is_some());
        Some(if is_key { Vec::new() } else { vec![in_range(&term, (least, most))] })
    }

    /// The conditions that a number is the successor of another one: the second is greater by one, and where the numbers
    /// go on beyond the facts, it is among these.
    pub(super) fn successor(&self, relation: Symbol, a: &str, b: &str) -> Vec<String> {
        let mut parts = vec![format!("{b} = {}", sum(a, 1))];
        let kind = |at: usize| self.types.kind(Place::Relation(relation, at));
        if let Some(Static::Successor { most, count }) = self.statics.get(&relation) {
            if matches!(kind(1), Some(Kind::Numbers(_, last)) if *last > *most) {
                parts.push(format!("{b} <= {most}"));
            }
            if matches!(kind(0), Some(Kind::Numbers(first, _)) if *first < most - count) {
                parts.push(format!("{a} >= {}", most - count));
            }
        }
        parts
    }

    /// A condition on facts that never change.
    pub(super) fn static_part(&self, of: &Static, sentence: &Sentence, terms: &[String]) -> String {
        match of {
            Static::Everything => "true".to_owned(),
            Static::Comparison(sign) => format!("{} {sign} {}", terms[0], terms[1]),
            Static::Predecessor { least, count } => {
                let kind = |at: usize| self.types.kind(Place::Relation(sentence.relation, at));
                let mut part = format!("{} = {}", terms[1], sum(&terms[0], -1));
                if matches!(kind(1), Some(Kind::Numbers(first, _)) if first < least) {
                    part += &format!(" and {} >= {least}", terms[1]);
                }
                if matches!(kind(0), Some(Kind::Numbers(_, last)) if *last > least + count) {
                    part += &format!(" and {} <= {}", terms[0], least + count);
                }
                part
            }
            Static::Same(None) => format!("{} = {}", terms[0], terms[1]),
            Static::Same(Some((least, most))) => {
                format!("{} = {} and {}", terms[0], terms[1], in_range(&terms[0], (*least, *most)))
            }
            Static::Range(least, most) => match terms[0].parse::<i64>() {
                Ok(number) => (*least..=*most).contains(&number).to_string(),
                Err(_) => in_range(&terms[0], (*least, *most)),
            },
            Static::Facts if self.tuples(sentence.relation).is_empty() => "false".to_owned(),
            Static::Sum { .. } => {
                format!("{} = {} + {}", terms[2], terms[0], self.step(sentence, &terms[1]))
            }
            Static::Arithmetic(of) => of.conditions(terms, &self.ranges(sentence.relation)).join(" and "),
            Static::Functions => {
                let values = self.values_of(sentence.relation, &terms[0]).into_iter().zip(&terms[1..]);
                values.map(|(value, term)| format!("{value} = {term}")).collect::<Vec<_>>().join(" and ")
            }
            // The same term twice, where no fact has the same value twice, as in the opponent of oneself.
            Static::Facts if self.has_no_pair(sentence.relation, terms) => "false".to_owned(),
            Static::Successor { .. } | Static::Facts => self.call(sentence, terms),
        }
    }

    /// Returns true if two arguments are the same term, and no fact has equal values there.
    fn has_no_pair(&self, relation: Symbol, terms: &[String]) -> bool {
        let pairs = (0..terms.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let mut alike = pairs.filter(|&(a, b)| terms[a] == terms[b]).peekable();
        alike.peek().is_some() && {
            let tuples = self.tuples(relation);
            alike.any(|(a, b)| tuples.iter().all(|tuple| tuple.get(a) != tuple.get(b)))
        }
    }
}

/// A term with a number added: `x + 1`, and `x + 2` for `x + 1`.
pub(super) fn sum(term: &str, number: i64) -> String {
    let (base, old) = match term.rsplit_once(" + ") {
        Some((base, old)) => (base, old.parse::<i64>().ok()),
        None => match term.rsplit_once(" - ") {
            Some((base, old)) => (base, old.parse::<i64>().ok().map(|old| -old)),
            None => (term, Some(0)),
        },
    };
    let (base, total) = match old {
        Some(old) => (base, old + number),
        None => (term, number),
    };
    match (base.parse::<i64>(), total) {
        (Ok(known), _) => (known + total).to_string(),
        (Err(_), 0) => base.to_owned(),
        (Err(_), total) if total > 0 => format!("{base} + {total}"),
        (Err(_), total) => format!("{base} - {}", -total),
    }
}
