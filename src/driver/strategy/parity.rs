//! Games in which the choices of the players do not matter.

use bouton_base::rational::Rational;

use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_certificates::parity::Modulus;
use bouton_certificates::{Claim, Lemma, ParityLemma, PayoffBound};
use bouton_detect::parity::{ConservedSum, MODULI, conserved_sum};
use bouton_detect::sums::is_alternating;
use bouton_report::words::truncated_list;

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
        let other = if sum.modulus == 2 {
            "no win has the parity of this position"
        } else {
            "every win has another sum"
        };
        Ok(self.unsolvable(format!("{}: {other}", self.counted(&sum)), proof))
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
        let fields = truncated_list(&fields, 3);
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
}

/// The lemma about a sum.
fn lemma(bound: PayoffBound, sum: &ConservedSum) -> Lemma {
    let weights = sum.weights.iter().map(|(fluent, values)| (fluent.0, values.clone())).collect();
    Lemma::Parity(ParityLemma { bound, modulus: Modulus(sum.modulus.into()), weights })
}
