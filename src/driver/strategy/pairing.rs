//! Strategies that answer within pairs: of cells, or of moves.

use num_rational::Rational64;

use super::kept::Kept;
use super::{Nothing, Remembered, Told, Trial};
use crate::cert::{Answers, Bound, Claim, Convention, Lemma, Pairing, pairing};
use crate::detect::answers::{Proposal, proposals};
use crate::detect::pairing::{Beginning, beginnings};
use crate::report::page::Overlay;
use crate::report::words::some_of;
use crate::rules::Play;
use crate::solve::{Method, Value, ValueKind};

/// How many answers are told.
const TOLD: usize = 8;

impl Trial<'_> {
    /// Answers within pairs.
    pub(super) fn by_pairing(&self) -> Result<Remembered, Nothing> {
        if self.game.rules.players().len() != 2 {
            return Err(Nothing::Reason("pairing is for two players".into()));
        }
        match Convention::of(&self.game.rules) {
            Convention::Normal => self.by_answers(),
            _ => self.by_pairs_of_cells(),
        }
    }

    /// Pairs of cells, by which either player keeps the other from winning.
    fn by_pairs_of_cells(&self) -> Result<Remembered, Nothing> {
        let mut lemmas = Vec::new();
        let mut all = Vec::new();
        for holder in 0..2 {
            let found = beginnings(&self.ground, &self.position, holder).ok_or_else(|| {
                let name = self.player(1 - holder);
                Nothing::Reason(format!("no pairs of cells were found that stop all lines of {name}"))
            })?;
            let bound = Bound { holder: Some(holder), payoff: Rational64::default() };
            lemmas
                .push(Lemma::Pairing(Pairing::new(bound, found.iter().map(|of| self.listed(of)).collect())));
            all.push(found);
        }
        let value = Value { payoffs: vec![Rational64::default(); 2], kind: ValueKind::Draw };
        self.check(Claim::Value(value.payoffs.clone()), &lemmas)?;
        let (how, drawn, kept) = match all.iter().flatten().find(|beginning| !beginning.moves.is_empty()) {
            None => {
                let pairs = &all[1][0].pairs;
                let how = format!("who is given one cell of a pair takes the other ({})", self.told(pairs));
                let kept = all.iter().map(|found| found[0].pairs.clone()).collect();
                (how, Overlay::Pairs(self.cells(pairs)), Kept::Pairs(kept))
            }
            Some(_) => {
                let told: Vec<String> =
                    (0..).zip(&all).map(|(holder, found)| self.begun(holder, found)).collect();
                (
                    format!("{}; each beginning has its pairs of cells", told.join("; ")),
                    Overlay::None,
                    Kept::Nothing,
                )
            }
        };
        Ok(self.solved(Told {
            method: Method::Pairing,
            value,
            how,
            why: "every line has a pair, so nobody completes one".into(),
            best: Vec::new(),
            lemmas,
            drawn,
            kept,
        }))
    }

    fn listed(&self, beginning: &Beginning) -> pairing::Beginning {
        pairing::Beginning {
            moves: beginning.moves.iter().map(|play| self.interpreter.call_form(play)).collect(),
            pairs: beginning.pairs.iter().map(|(one, other)| (one.0, other.0)).collect(),
        }
    }

    /// How a player begins, who then answers within pairs.
    fn begun(&self, holder: u32, found: &[Beginning]) -> String {
        let name = self.player(holder);
        let written = |play: &Play| self.made(play).written;
        let then = "who is given one cell of a pair takes the other";
        match &found[0].moves[..] {
            [] => format!("{name}, {then}"),
            [own] => format!("{name} begins with {} and then, {then}", written(own)),
            [..] if holder == self.mover() => {
                let own = written(&found[0].moves[0]);
                format!("{name} begins with {own}, answers once more and then, {then}")
            }
            _ => {
                let answer = |of: &Beginning| {
                    Some(format!("{} by {}", written(of.moves.first()?), written(of.moves.get(1)?)))
                };
                let answers: Vec<String> = found.iter().filter_map(answer).collect();
                format!("{name} answers {} and then, {then}", some_of(&answers, TOLD))
            }
        }
    }

    /// Pairs of moves, by which a player always has an answer.
    fn by_answers(&self) -> Result<Remembered, Nothing> {
        let none = "no answers that depend on the move alone were found by which a player always has one";
        let proposed = proposals(&self.ground, &self.position);
        let (proposal, lemmas) = self.first(proposed, none, |proposal: &Proposal| {
            let name = |play| self.interpreter.call_form(play);
            let pairs = proposal.pairs.iter().map(|(made, answer)| (name(made), name(answer))).collect();
            let opening = proposal.opening.as_ref().map(name);
            let lemma = Lemma::Answers(Answers::new(Self::win(proposal.holder), opening, pairs));
            (Claim::Wins { player: proposal.holder, plies: None }, vec![lemma])
        })?;
        let [holder, other] = [proposal.holder, 1 - proposal.holder].map(|player| self.player(player));
        let written = |play| self.made(play).written;
        let answers: Vec<String> = proposal
            .pairs
            .iter()
            .map(|(made, answer)| format!("{} by {}", written(made), written(answer)))
            .collect();
        let begins = match &proposal.opening {
            Some(opening) => format!("{holder} begins with {} and from then on answers", written(opening)),
            None => format!("{holder} answers"),
        };
        let cell = |play| self.picture_cell(&written(play));
        let drawn = proposal.pairs.iter().filter_map(|(made, answer)| Some((cell(made)?, cell(answer)?)));
        Ok(self.solved(Told {
            method: Method::Pairing,
            value: self.won(proposal.holder),
            how: format!("{begins} {}", some_of(&answers, TOLD)),
            why: format!("wherever {other} can make a move, its answer is legal, so {holder} moves last"),
            best: proposal.opening.iter().map(|play| self.made(play)).collect(),
            lemmas,
            drawn: Overlay::Pairs(drawn.collect()),
            kept: Kept::Answers(proposal.pairs.clone()),
        }))
    }

    /// The place of the cell of that name in the panel that is drawn first.
    fn picture_cell(&self, name: &str) -> Option<u32> {
        let picture = crate::game::picture::picture(self.game, self.state);
        let place = picture.panels.first()?.cells.iter().position(|cell| cell.name == name)?;
        Some(place as u32)
    }
}
