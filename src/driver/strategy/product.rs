//! Conjunctive compounds: games played in step, whose values add up to the value of the whole.

use num_rational::Rational64;
use num_traits::CheckedAdd;

use super::{Nothing, Remembered, Told, Trial};
use crate::base::id::Id;
use crate::cert::sum::Component;
use crate::cert::{Claim, Convention, Lemma, Product};
use crate::ground::FluentId;
use crate::solve::{Method, Value, ValueKind};

impl Trial<'_> {
    /// Adds the values of the components, if every move plays in each component that is not over.
    pub(super) fn by_product(&self) -> Result<Remembered, Nothing> {
        let mut ground = self.ground.clone();
        let found = ground.side_by_side(&self.position).map_err(Nothing::Reason)?;
        let worths = found.worths(&mut ground, &self.position, self.limits)?;
        let component = |fluents: &Vec<FluentId>| Component {
            fluents: fluents.iter().map(|fluent| fluent.0).collect(),
            values: fluents.iter().map(|fluent| self.position[fluent.index()]).collect(),
        };
        let listed = found.components.iter().map(component).zip(worths.iter().copied()).collect();
        let lemmas = vec![Lemma::Product(Product { components: listed })];
        let add = |all: Rational64, worth: &Rational64| all.checked_add(worth);
        let total = worths.iter().try_fold(Rational64::default(), add);
        let total = total.ok_or_else(|| Nothing::Reason("the values are too large to be added".into()))?;
        let payoffs = vec![total, -total];
        self.check(Claim::Value(payoffs.clone()), &lemmas)?;
        let zero = Rational64::default();
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
            |(fluents, worth): (&Vec<FluentId>, &Rational64)| format!("{} is worth {worth}", name(fluents));
        let told: Vec<String> = found.components.iter().zip(&worths).map(of).collect();
        let first = self.player(0);
        let how = format!(
            "{} games are played side by side, and whoever moves moves in each that is not over; to {first} {}",
            told.len(),
            told.join(" and ")
        );
        let why = "what happens in one changes nothing in the others, so who plays best in each plays best, and what \
                   they are worth adds up";
        Ok(self.solved(Told::without_moves(Method::Product, Value { payoffs, kind }, (how, why), lemmas)))
    }
}
