//! Games in which the choices of the players do not matter.

use bouton_base::rational::Rational;

use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_certificates::{Claim, Lemma, ParityLemma};
use bouton_detect::parity::{WeightList, weights};
use bouton_report::words::truncated_list;

/// Parity arguments.
pub const PARITY: StrategySolver = StrategySolver {
    name: "parity",
    description: "a sum that stays even or odd whatever is played",
    search: |search| search.by_parity(),
};

impl StrategySearch<'_> {
    /// Finds a sum that stays even or odd and decides how the game ends.
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
            match weights(&ground, &self.position, worse) {
                Ok(weights) => proposed.push((holder, weights)),
                Err(reason) => none = reason.to_string(),
            }
        }
        let ((holder, weights), proof) = self.first(proposed, &none, |(holder, weights)| {
            let odd = weights.iter().map(|(fluent, values)| (fluent.0, values.clone())).collect();
            let lemma = Lemma::Parity(ParityLemma { bound: Self::win(*holder), weights: odd });
            (Claim::Wins { player: *holder, plies: None }, vec![lemma])
        })?;
        let how = format!("{} wins, whatever the players do: nobody's choices matter", self.player(holder));
        let why = self.counted(&weights);
        let value = self.won(holder);
        Ok(self.accept(StrategyDescription::without_moves(value, how, why, proof)))
    }

    /// Finds a sum that stays even or odd and that no win has.
    fn unsolvable_by_parity(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let win = self.win_formula();
        let weights = weights(&self.ground, &self.position, win).map_err(|reason| reason.to_string())?;
        let odd = weights.iter().map(|(fluent, values)| (fluent.0, values.clone())).collect();
        let lemma = Lemma::Parity(ParityLemma { bound: Self::lost(), weights: odd });
        let proof = self.check(Claim::Unsolvable, vec![lemma])?;
        let why = self.counted(&weights);
        Ok(self.unsolvable(format!("{why}: no win has the parity of this position"), proof))
    }

    /// Describes the sum and the invariant of its parity.
    fn counted(&self, weights: &WeightList) -> String {
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
            true => format!(
                "a sum over {fields} alternates between even and odd, and the end fixes its parity: so all plays take \
                 an even number of moves, or all an odd number"
            ),
            false => format!("the parity of a sum over {fields} never changes, and determines the end"),
        }
    }
}
