//! Pairing strategies: answers within pairs of cells, or of moves.

use bouton_base::rational::Rational;

use super::strategy_player::StrategyInvariant;
use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver};
use bouton_base::id::Id;
use bouton_certificates::{AnswersLemma, Claim, Convention, Lemma, PairingLemma, PayoffBound, pairing};
use bouton_detect::answers::{AnswerProposal, proposals};
use bouton_detect::pairing::{ProposedOpening, find_openings};
use bouton_grounding::{Action, ActionMaker, FluentId, FormulaEvaluator};
use bouton_report::page::Overlay;
use bouton_report::words::truncated_list;
use bouton_rules::MoveInstance;
use bouton_search::solve::{Value, ValueKind};

/// The maximal number of answers to list.
const MAX_LISTED_ANSWERS: usize = 8;

/// Pairing strategies.
pub const PAIRING: StrategySolver = StrategySolver {
    name: "pairing",
    description: "answers within pairs of cells or of moves",
    search: |search| search.by_pairing(),
};

impl StrategySearch<'_> {
    /// Finds answers within pairs.
    pub(super) fn by_pairing(&self) -> Result<AcceptedStrategy, Inapplicable> {
        if self.game.rules.players().len() != 2 {
            return Err("pairing is for two players".into());
        }
        match Convention::of(&self.game.rules) {
            Convention::Normal => self.by_answers(),
            // In misere play, or where the rules say in other words that who cannot move loses, both are tried.
            _ => self.by_pairs_of_cells().or_else(|why| self.by_answers().map_err(|_| why)),
        }
    }

    /// Finds pairs of cells by which either player keeps the other from winning.
    fn by_pairs_of_cells(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let zero = Rational::default();
        if self.ground.ends.iter().all(|end| end.payoffs.iter().all(|payoff| *payoff != zero)) {
            return self.by_pairs_of_one();
        }
        let mut lemmas = Vec::new();
        let mut all = Vec::new();
        for holder in 0..2 {
            let found = find_openings(&self.ground, &self.position, holder).ok_or_else(|| {
                let name = self.player(1 - holder);
                format!("no pairs of cells were found that stop all lines of {name}")
            })?;
            let bound = PayoffBound { holder: Some(holder), payoff: Rational::default() };
            lemmas.push(Lemma::Pairing(PairingLemma::new(
                bound,
                found.iter().map(|of| self.listed_opening(of)).collect(),
            )));
            all.push(found);
        }
        let value = Value { payoffs: vec![Rational::default(); 2], kind: ValueKind::Draw };
        let proof = self.check(Claim::Value(value.payoffs.clone()), lemmas)?;
        let is_without_lines =
            all.iter().flatten().all(|found| found.pairs.is_empty() && found.moves.is_empty());
        let why = match is_without_lines {
            true => "there is no line that a player could complete",
            false => "every line has a pair, so nobody completes one",
        };
        let (how, drawn, kept) = match all.iter().flatten().find(|beginning| !beginning.moves.is_empty()) {
            _ if is_without_lines => {
                ("both may play as they like".to_owned(), Overlay::None, StrategyInvariant::Unspecified)
            }
            None => {
                let pairs = &all[1][0].pairs;
                let how = format!(
                    "each player takes the other cell of a pair that the opponent begins ({})",
                    self.list_pairs(pairs)
                );
                let kept = all.iter().map(|found| found[0].pairs.clone()).collect();
                (how, Overlay::Pairs(self.cells(pairs)), StrategyInvariant::Pairs(kept))
            }
            Some(_) => {
                let told: Vec<String> =
                    (0..).zip(&all).map(|(holder, found)| self.begun(holder, found)).collect();
                (
                    format!("{}; each beginning has its pairs of cells", told.join("; ")),
                    Overlay::None,
                    StrategyInvariant::Unspecified,
                )
            }
        };
        Ok(self.accept(StrategyDescription {
            value,
            how,
            why: why.into(),
            best: Vec::new(),
            proof,
            overlay: drawn,
            invariant: kept,
        }))
    }

    /// Same without draws: the player who keeps the other from winning wins.
    fn by_pairs_of_one(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let found =
            (0..2).filter_map(|holder| Some((holder, find_openings(&self.ground, &self.position, holder)?)));
        let none = "no pairs of cells were found by which a player stops all lines of the other";
        let ((holder, found), proof) = self.first(found, none, |(holder, found)| {
            let listed = found.iter().map(|of| self.listed_opening(of)).collect();
            let lemma = Lemma::Pairing(PairingLemma::new(Self::win(*holder), listed));
            (Claim::Wins { player: *holder, plies: None }, vec![lemma])
        })?;
        let [name, other] = [holder, 1 - holder].map(|player| self.player(player));
        let (how, drawn, kept) = match &found[..] {
            [only] if only.moves.is_empty() => {
                let how = format!(
                    "{name} takes the other cell of a pair that {other} begins ({})",
                    self.list_pairs(&only.pairs)
                );
                let mut kept = vec![Vec::new(); 2];
                kept[holder as usize].clone_from(&only.pairs);
                (how, Overlay::Pairs(self.cells(&only.pairs)), StrategyInvariant::Pairs(kept))
            }
            _ => {
                let how = format!("{}; each beginning has its pairs of cells", self.begun(holder, &found));
                (how, Overlay::None, StrategyInvariant::Unspecified)
            }
        };
        Ok(self.accept(StrategyDescription {
            value: self.won(holder),
            how,
            why: format!("every line of {other} has a pair, so {other} never completes one"),
            best: Vec::new(),
            proof,
            overlay: drawn,
            invariant: kept,
        }))
    }

    fn listed_opening(&self, beginning: &ProposedOpening) -> pairing::PairingOpening {
        pairing::PairingOpening {
            moves: beginning.moves.iter().map(|play| self.interpreter.call_form(play)).collect(),
            pairs: beginning.pairs.iter().map(|(one, other)| (one.0, other.0)).collect(),
        }
    }

    /// Describes how a player begins, before the answers within pairs.
    fn begun(&self, holder: u32, found: &[ProposedOpening]) -> String {
        let name = self.player(holder);
        let written = |play: &MoveInstance| self.made(play).written;
        let then = "takes the other cell of a pair that the opponent begins";
        match &found[0].moves[..] {
            [] => format!("{name} {then}"),
            [own] => format!("{name} begins with {} and then {then}", written(own)),
            [..] if holder == self.mover() => {
                let own = written(&found[0].moves[0]);
                format!("{name} begins with {own}, answers once more and then {then}")
            }
            _ => {
                let answer = |of: &ProposedOpening| {
                    Some(format!("{} by {}", written(of.moves.first()?), written(of.moves.get(1)?)))
                };
                let answers: Vec<String> = found.iter().filter_map(answer).collect();
                format!("{name} answers {} and then {then}", truncated_list(&answers, MAX_LISTED_ANSWERS))
            }
        }
    }

    /// Finds pairs of moves by which a player always has an answer.
    fn by_answers(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let none = "no answers were found that depend on the move alone and are always legal";
        let proposed = proposals(&self.ground, &self.position);
        let (proposal, proof) = self.first(proposed, none, |proposal: &AnswerProposal| {
            let name = |play| self.interpreter.call_form(play);
            let pairs = proposal.pairs.iter().map(|(made, answer)| (name(made), name(answer))).collect();
            let opening = proposal.opening.as_ref().map(name);
            let lemma = Lemma::Answers(AnswersLemma::new(Self::win(proposal.holder), opening, pairs));
            (Claim::Wins { player: proposal.holder, plies: None }, vec![lemma])
        })?;
        let [holder, other] = [proposal.holder, 1 - proposal.holder].map(|player| self.player(player));
        let written = |play| self.made(play).written;
        let answers: Vec<String> = proposal
            .pairs
            .iter()
            .map(|(made, answer)| format!("{} by {}", written(made), written(answer)))
            .collect();
        let answers = truncated_list(&answers, MAX_LISTED_ANSWERS);
        let does = match self.brought_to(&proposal) {
            Some(number) => format!("brings {number}, answering {answers}"),
            None => format!("answers {answers}"),
        };
        let has_answers = !proposal.pairs.is_empty();
        let how = match &proposal.opening {
            Some(opening) if !has_answers => format!("{holder} plays {}", written(opening)),
            None if !has_answers => format!("{holder} waits"),
            Some(opening) => format!("{holder} begins with {} and from then on {does}", written(opening)),
            None => format!("{holder} {does}"),
        };
        let cell = |play| self.picture_cell(&written(play));
        let drawn = proposal.pairs.iter().filter_map(|(made, answer)| Some((cell(made)?, cell(answer)?)));
        Ok(self.accept(StrategyDescription {
            value: self.won(proposal.holder),
            how,
            why: match Convention::of(&self.game.rules) {
                _ if !has_answers && proposal.opening.is_some() => format!("{other} has no move then"),
                _ if !has_answers => format!("{other} has no move"),
                Convention::Misere => format!(
                    "wherever {other} makes another move, its answer is legal and does not end the game, so {other} \
                     moves last"
                ),
                _ => format!("wherever {other} can make a move, its answer is legal, so {holder} moves last"),
            },
            best: proposal.opening.iter().map(|play| self.made(play)).collect(),
            proof,
            overlay: Overlay::Pairs(drawn.collect()),
            invariant: StrategyInvariant::Answers(proposal.pairs.clone()),
        }))
    }

    /// Describes the residue to which the answers bring a number, if each move and its answer together take the same
    /// amount from it and do nothing else.
    fn brought_to(&self, proposal: &AnswerProposal) -> Option<String> {
        let mut all = None;
        for (made, answer) in &proposal.pairs {
            let (number, first) = self.taken(1 - proposal.holder, made)?;
            let (same, second) = self.taken(proposal.holder, answer)?;
            let together = (number, first + second);
            if same != number || all.is_some_and(|before| before != together) {
                return None;
            }
            all = Some(together);
        }
        let (number, together) = all.filter(|(_, together)| *together > 1)?;
        let values = &self.ground.fluents.get(number).values;
        let before = values[usize::from(self.position[number.index()])].as_int()?;
        let left = match &proposal.opening {
            Some(opening) => before - self.taken(proposal.holder, opening).filter(|of| of.0 == number)?.1,
            None => before,
        };
        let name = self.name(number);
        Some(match left.rem_euclid(together) {
            0 => format!("{name} to a multiple of {together}"),
            more => format!("{name} to {more} more than a multiple of {together}"),
        })
    }

    /// The number that a move takes from and the amount, if it does nothing else and always takes the same amount.
    fn taken(&self, player: u32, play: &MoveInstance) -> Option<(FluentId, i64)> {
        let ground = &self.ground;
        let turn = ground.fluents.turn();
        let is_it = |action: &&Action| action.maker == ActionMaker::Player(player) && action.play == *play;
        let action = ground.actions.iter().find(is_it)?;
        let changed: Vec<FluentId> =
            action.updates.iter().map(|becomes| becomes.fluent).filter(|fluent| *fluent != turn).collect();
        let [number] = changed[..] else { return None };
        let values = &ground.fluents.get(number).values;
        let mut taken = None;
        for value in 0..values.len() {
            let mut position = self.position.clone();
            position[turn.index()] = player as u8;
            position[number.index()] = value as u8;
            let mut reading = FormulaEvaluator::new(&ground.formulas, &position);
            if !reading.holds(action.legal) {
                continue;
            }
            let after = ground.successor(&mut reading, &position, action)[number.index()];
            let less = values[value].as_int()? - values[usize::from(after)].as_int()?;
            if taken.is_some_and(|before| before != less) {
                return None;
            }
            taken = Some(less);
        }
        Some((number, taken?))
    }

    /// The index of the cell of that name in the first panel of the picture.
    fn picture_cell(&self, name: &str) -> Option<u32> {
        let picture = bouton_search::game::picture::picture(self.game, self.state);
        let place = picture.panels.first()?.cells.iter().position(|cell| cell.name == name)?;
        Some(place as u32)
    }
}
