//! Conjunctive compounds: games played in step, whose values add up to the value of the whole.

use bouton_base::rational::Rational;

use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_certificates::product::ProductComponent;
use bouton_certificates::{Claim, Convention, Lemma, ProductLemma};
use bouton_detect::decomposition::factorize;
use bouton_grounding::FluentId;
use bouton_search::solve::{Value, ValueKind};

/// Conjunctive compounds.
pub const PRODUCT: StrategySolver = StrategySolver {
    name: "product",
    description: "games that are played side by side, whose values add up",
    search: |search| search.by_product(),
};

impl StrategySearch<'_> {
    /// Adds the values of the components, if every move plays in each component that is not over.
    pub(super) fn by_product(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let mut ground = self.ground.clone();
        let found = factorize(&mut ground, &self.position)?;
        let worths = found.component_values(&mut ground, &self.position, self.limits)?;
        let component = |(fluents, value): (&Vec<FluentId>, &Rational)| ProductComponent {
            fluents: fluents.iter().map(|fluent| fluent.0).collect(),
            value: value.clone(),
        };
        let components = found.components.iter().zip(&worths).map(component).collect();
        let lemmas = vec![Lemma::Product(ProductLemma { components })];
        let total: Rational = worths.iter().sum();
        let payoffs = vec![total.clone(), -&total];
        let proof = self.check(Claim::Value(payoffs.clone()), lemmas)?;
        let zero = Rational::default();
        let kind = if Convention::of(&self.game.rules) == Convention::Payoff {
            ValueKind::Payoff
        } else if total == zero {
            ValueKind::Draw
        } else {
            ValueKind::Win(u32::from(total < zero))
        };
        let name = |fluents: &Vec<FluentId>| {
            let field = |fluent: &FluentId| self.ground.fluents.show(&self.game.rules, *fluent);
            match &fluents[..] {
                [only] => field(only),
                [first, .., last] => format!("{} to {}", field(first), field(last)),
                [] => String::new(),
            }
        };
        let of =
            |(fluents, worth): (&Vec<FluentId>, &Rational)| format!("{} is worth {worth}", name(fluents));
        let told: Vec<String> = found.components.iter().zip(&worths).map(of).collect();
        let first = self.player(0);
        let how = format!(
            "{} games are played side by side, and the player to move moves in each that is not over; to {first} {}",
            told.len(),
            told.join(" and ")
        );
        let why = "a move in one changes nothing in the others, so best play in each is best play in all, and the \
                   values add up";
        Ok(self.accept(StrategyDescription::without_moves(Value { payoffs, kind }, how, why, proof)))
    }
}
