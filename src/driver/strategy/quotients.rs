//! Misere play: the components stand for elements of a tame misere quotient.

use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch};
use bouton_certificates::quotient::ComponentElement;
use bouton_certificates::{Claim, Lemma, QuotientLemma};
use bouton_detect::quotients::tame;
use bouton_detect::sums::sums;
use bouton_report::words::truncated_list;

impl StrategySearch<'_> {
    pub(super) fn by_quotient(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let players = self.game.rules.players();
        let mut ground = self.ground.clone();
        let mut sums = sums(&mut ground, &self.position, self.limits)?;
        let Some(quotient) = tame(&sums.types, self.limits) else {
            let why = "in misere play its parts do not count as heaps of Nim, as far as was searched";
            return Err(why.into());
        };
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
        let how = format!(
            "the parts count as heaps of Nim; while one counts as two or more, {name} leaves a nim sum of 0, \
             and after that an odd number of parts that count as one{begins}"
        );
        let why = "from such a position no move leads to another, and from every other position one does";
        let told = StrategyDescription::without_moves(self.won(holder), how, why, proof);
        Ok(self.accept_without_line(StrategyDescription { best, ..told }))
    }
}
