//! Misere play: the components stand for elements of a tame misere quotient.

use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch};
use bouton_certificates::quotient::ComponentElement;
use bouton_certificates::{Claim, Lemma, QuotientLemma};
use bouton_detect::quotients::{Quotient, general, tame};
use bouton_detect::sums::{SumDecomposition, sums};
use bouton_report::words::truncated_list;

/// The exponents of the tests by which elements of a quotient are told apart, in the order of the attempts.
const TEST_EXPONENTS: [u8; 3] = [2, 3, 4];

impl StrategySearch<'_> {
    pub(super) fn by_quotient(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let mut ground = self.ground.clone();
        let mut sums = sums(&mut ground, &self.position, self.limits)?;
        if let Some(quotient) = tame(&sums.types, self.limits) {
            return self.accept_quotient(&mut sums, &quotient, true);
        }
        // Sums that the tests do not tell apart may still differ, which the checker notices.
        let mut refused = "in misere play no quotient of its parts was found, as far as was searched".into();
        for exponent in TEST_EXPONENTS {
            let Some(quotient) = general(&sums.types, exponent, self.limits) else { continue };
            match self.accept_quotient(&mut sums, &quotient, false) {
                Err(Inapplicable::Reason(why)) => refused = Inapplicable::Reason(why),
                found => return found,
            }
        }
        Err(refused)
    }

    /// Checks a quotient and describes the strategy.
    fn accept_quotient(
        &self,
        sums: &mut SumDecomposition<'_>,
        quotient: &Quotient,
        is_tame: bool,
    ) -> Result<AcceptedStrategy, Inapplicable> {
        let players = self.game.rules.players();
        let mover = self.mover();
        let lost = quotient.is_lost(&sums.types.start);
        let holder = if lost { 1 - mover.min(1) } else { mover };
        let components = sums.types.list.iter().zip(&quotient.elements);
        let components = components
            .map(|(of, &element)| ComponentElement { component: self.listed_component(of), element });
        let lemmas = vec![Lemma::Quotient(QuotientLemma {
            bound: Self::win(holder),
            products: quotient.products.clone(),
            lost: quotient.lost.clone(),
            components: components.collect(),
        })];
        let proof = self.check(Claim::Wins { player: holder, plies: None }, lemmas)?;
        let best = if lost {
            Vec::new()
        } else {
            self.moves_to(mover, |after| sums.types_in(after).is_some_and(|types| quotient.is_lost(&types)))
        };
        let name = &players[holder as usize];
        let begins = match &best[..] {
            [] => String::new(),
            best => {
                let written: Vec<String> = best.iter().map(|made| made.written.clone()).collect();
                format!(", first by {}", truncated_list(&written, 3))
            }
        };
        let how = match is_tame {
            true => format!(
                "the parts count as heaps of Nim; while one counts as two or more, {name} leaves a nim sum of 0, \
                 and after that an odd number of parts that count as one{begins}"
            ),
            false => format!(
                "the parts stand for elements of a misere quotient, a commutative monoid of {} elements; {name} leaves \
                 one of the {} products that are lost{begins}",
                quotient.products.len(),
                quotient.lost.len()
            ),
        };
        let why = "from such a position no move leads to another, and from every other position one does";
        let told = StrategyDescription::without_moves(self.won(holder), how, why, proof);
        let mut accepted = self.accept_without_line(StrategyDescription { best, ..told });
        // Nobody remembers a table of products.
        accepted.is_rule = is_tame;
        Ok(accepted)
    }
}
