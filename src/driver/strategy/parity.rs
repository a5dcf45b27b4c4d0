//! Games in which the choices of the players do not matter.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::rational::Rational;

use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_certificates::parity::Modulus;
use bouton_certificates::{Claim, Lemma, ParityLemma, PayoffBound};
use bouton_detect::parity::{ConservedSum, MODULI, conserved_sum};
use bouton_detect::sums::is_alternating;
use bouton_grounding::Fluent;
use bouton_report::words::truncated_list;
use bouton_rules::{Value, keys_of};

/// Arguments by parity, and by sums modulo other primes.
pub const PARITY: StrategySolver = StrategySolver {
    name: "parity",
    description: "a sum that stays the same modulo a prime whatever is played: even or odd, for instance",
    search: |search| search.by_parity(),
};

impl StrategySearch<'_> {
    /// Finds a sum that stays the same modulo a prime and decides how the game ends.
    pub(super) fn by_parity(&self) -> Result<AcceptedStrategy, Inapplicable> {
        match self.game.rules.players().len() {
            1 => return self.unsolvable_by_parity(),
            2 => {}
            _ => return Err("parity is for one player or two".into()),
        }
        let one = Rational::from_integer(1);
        let mut none = String::new();
        let mut proposed = Vec::new();
        for holder in 0..2 {
            let mut ground = self.ground.clone();
            let worse = ground.ends.iter().filter(|end| end.payoffs[holder as usize] < one);
            let worse: Vec<_> = worse.map(|end| end.when).collect();
            let worse = ground.formulas.or(worse);
            match conserved_sum(&ground, &self.position, worse, &MODULI) {
                Ok(sum) => proposed.push((holder, sum)),
                Err(reason) => none = reason.to_string(),
            }
        }
        let ((holder, sum), proof) = self.first(proposed, &none, |(holder, sum)| {
            (Claim::Wins { player: *holder, plies: None }, vec![lemma(Self::win(*holder), sum)])
        })?;
        let how = format!("{} wins, whatever the players do: nobody's choices matter", self.player(holder));
        let why = self.counted(&sum);
        let value = self.won(holder);
        Ok(self.accept(StrategyDescription::without_moves(value, how, why, proof)))
    }

    /// Finds a sum that stays the same modulo a prime and that no win has.
    fn unsolvable_by_parity(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let (ground, win) = self.ground_with_win();
        let sum =
            conserved_sum(&ground, &self.position, win, &MODULI).map_err(|reason| reason.to_string())?;
        let proof = self.check(Claim::Unsolvable, vec![lemma(Self::lost(), &sum)])?;
        let why = match (sum.weights.is_empty(), sum.modulus) {
            (true, _) => "no move makes the values that a win needs".to_owned(),
            (false, 2) => format!("{}: no win has the parity of this position", self.counted(&sum)),
            (false, _) => format!("{}: every win has another sum", self.counted(&sum)),
        };
        Ok(self.unsolvable(why, proof))
    }

    /// Describes a sum that stays the same.
    fn counted(&self, sum: &ConservedSum) -> String {
        let ConservedSum { modulus, weights } = sum;
        let turn = self.ground.fluents.turn();
        let mut fields: Vec<&str> = Vec::new();
        for (fluent, _) in weights.iter().filter(|(fluent, _)| *fluent != turn) {
            let name = &self.game.rules.fields[self.ground.fluents.get(*fluent).field].name;
            if !fields.contains(&name.as_str()) {
                fields.push(name);
            }
        }
        let fields: Vec<String> = fields.into_iter().map(|name| format!("`{name}`")).collect();
        let turns = weights.iter().any(|(fluent, _)| *fluent == turn);
        if fields.is_empty() {
            let counted =
                if turns { "the player to move determines the end" } else { "every end is the same" };
            return format!("{counted}, whatever is played");
        }
        let fields = format!("{}{}", truncated_list(&fields, 3), self.weights_in_words(sum));
        match turns {
            _ if *modulus != 2 => {
                let turn = if turns { " and the player to move" } else { "" };
                format!("a sum over {fields}{turn} modulo {modulus} never changes, and determines the end")
            }
            true if !is_alternating(&self.ground) => format!(
                "the parity of a sum over {fields}, and one more for one of the players to move, never changes, and \
                 determines the end"
            ),
            true => format!(
                "a sum over {fields} alternates between even and odd, and the end fixes its parity: so all plays take \
                 an even number of moves, or all an odd number"
            ),
            false => format!("the parity of a sum over {fields} never changes, and determines the end"),
        }
    }

    /// The weights of a sum in brackets: ` (1 for a1, c1 and 30 more; -1 for b1, d1 and 30 more)`. Empty if the sum
    /// counts each cell of its fields alike, or if the weights of a cell are no multiples of its values.
    fn weights_in_words(&self, sum: &ConservedSum) -> String {
        let fluents = &self.ground.fluents;
        let weights = sum.weights.iter().filter(|(fluent, _)| *fluent != fluents.turn());
        let mut groups: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        let mut fields = BTreeSet::new();
        for (fluent, weighty) in weights {
            let of = fluents.get(*fluent);
            let weight =
                |value: usize| weighty.iter().filter(|other| usize::from(**other) == value).count() as u8;
            let weights: Vec<u8> = (0..of.values.len()).map(weight).collect();
            let Some(factor) = factor(&of.values, &weights, sum.modulus) else { return String::new() };
            if factor != 0 {
                fields.insert(of.field);
                groups.entry(factor).or_default().push(self.cell_in_words(of));
            }
        }
        let cells = fluents.iter().filter(|(_, fluent)| fields.contains(&fluent.field)).count();
        if groups.len() == 1 && groups.values().all(|group| group.len() == cells) {
            return String::new();
        }
        let listed = groups.iter().map(|(&factor, cells)| {
            let signed = if factor > sum.modulus / 2 {
                i16::from(factor) - i16::from(sum.modulus)
            } else {
                factor.into()
            };
            let cells = truncated_list(cells, 6);
            if sum.modulus == 2 { format!("of {cells}") } else { format!("{signed} for {cells}") }
        });
        format!(" ({})", listed.collect::<Vec<_>>().join("; "))
    }

    /// The element or the keys of a cell; the field, if it has none.
    fn cell_in_words(&self, of: &Fluent) -> String {
        let rules = &self.game.rules;
        let field = &rules.fields[of.field];
        let keys = keys_of(&field.keys, of.cell);
        let words: Vec<String> = of.element.iter().chain(&keys).map(|value| rules.show(value)).collect();
        if words.is_empty() { field.name.clone() } else { words.join(" ") }
    }
}

/// Returns the number by which weights multiply values, false and true counting 0 and 1, apart from a constant; `None` if
/// there is none.
fn factor(values: &[Value], weights: &[u8], modulus: u8) -> Option<u8> {
    let modulus = i64::from(modulus);
    let number = |value: &Value| match value {
        Value::Bool(truth) => Some(i64::from(*truth)),
        value => value.as_int(),
    };
    let numbers: Vec<i64> = values.iter().map(number).collect::<Option<_>>()?;
    let first = *numbers.first()?;
    let offset = i64::from(*weights.first()?);
    let fits = |factor: &i64| {
        let mut pairs = numbers.iter().zip(weights);
        pairs.all(|(number, weight)| {
            (offset + factor * (number - first) - i64::from(*weight)).rem_euclid(modulus) == 0
        })
    };
    (0..modulus).find(fits).and_then(|factor| u8::try_from(factor).ok())
}

/// The lemma about a sum.
fn lemma(bound: PayoffBound, sum: &ConservedSum) -> Lemma {
    let weights = sum.weights.iter().map(|(fluent, values)| (fluent.0, values.clone())).collect();
    Lemma::Parity(ParityLemma { bound, modulus: Modulus(sum.modulus.into()), weights })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_multiples_of_values() {
        let numbers: Vec<Value> = (0..4).map(Value::Int).collect();
        assert_eq!(factor(&numbers, &[0, 1, 2, 0], 3), Some(1));
        assert_eq!(factor(&numbers, &[1, 0, 2, 1], 3), Some(2));
        assert_eq!(factor(&numbers, &[1, 1, 1, 1], 3), Some(0));
        assert_eq!(factor(&numbers, &[0, 1, 1, 0], 3), None);
        assert_eq!(factor(&[Value::Bool(false), Value::Bool(true)], &[0, 2], 3), Some(2));
        assert_eq!(factor(&[Value::Text("a".into())], &[0], 2), None);
    }
}
