//! Symmetry strategies: answers by mirror images, and games in which the players can be exchanged.

use bouton_base::rational::Rational;

use super::strategy_player::StrategyInvariant;
use super::{AcceptedStrategy, Inapplicable, StrategyDescription, StrategySearch, StrategySolver, listed};
use bouton_base::id::Id;
use bouton_certificates::mirror::FluentImage;
use bouton_certificates::{Claim, Convention, ExchangeLemma, Lemma, MirrorLemma};
use bouton_detect::exchange::exchanges;
use bouton_detect::mirror::{MirrorProposal, proposals};
use bouton_grounding::{FluentId, Renaming};
use bouton_report::page::Overlay;
use bouton_rules::MoveInstance;
use bouton_search::solve::{Value, ValueKind, WrittenMove};
use rustc_hash::FxHashMap;

/// Symmetry strategies.
pub const SYMMETRY: StrategySolver = StrategySolver {
    name: "symmetry",
    description: "answers by mirror images, and games in which the players can be exchanged",
    search: |search| search.by_symmetry(),
};

impl StrategySearch<'_> {
    /// Finds answers by mirror images, or an exchange of the players.
    pub(super) fn by_symmetry(&self) -> Result<AcceptedStrategy, Inapplicable> {
        self.by_mirroring().or_else(|why| self.by_exchange().map_err(|none| none.unwrap_or(why)))
    }

    /// Finds an exchange of the players; the error has a reason only if an exchange was tried.
    fn by_exchange(&self) -> Result<AcceptedStrategy, Option<Inapplicable>> {
        let zero = Rational::default();
        let found = exchanges(&self.ground, &self.position).into_iter().next().ok_or(None)?;
        let name = |play: &MoveInstance| self.interpreter.call_form(play);
        let moves = found.moves.each_ref().map(|moves| {
            let mut listed: Vec<(String, String)> =
                moves.iter().map(|(made, becomes)| (name(made), name(becomes))).collect();
            listed.sort_unstable();
            listed
        });
        let odd = found.odd.iter().map(|(fluent, values)| (fluent.0, values.clone())).collect();
        let lemmas = vec![Lemma::Exchange(ExchangeLemma { images: images(&found.renaming), moves, odd })];
        let proof = self.check(Claim::Value(vec![zero.clone(); 2]), lemmas).map_err(Some)?;
        let payoffs = Convention::of(&self.game.rules) == Convention::Payoff;
        let kind = if payoffs { ValueKind::Payoff } else { ValueKind::Draw };
        let (first, second) = (self.player(0), self.player(1));
        let how = format!("exchanging {first} and {second} changes nothing");
        let why = "so both can guarantee the same value, and one gains what the other loses";
        let value = Value { payoffs: vec![zero; 2], kind };
        Ok(self.accept(StrategyDescription::without_moves(value, how, why, proof)))
    }

    /// Finds answers by mirror images.
    fn by_mirroring(&self) -> Result<AcceptedStrategy, Inapplicable> {
        let none = "no symmetry of the board preserves this position, or one that a move leads to";
        let proposed = proposals(&self.ground, &self.position);
        let (proposal, proof) = self.first(proposed, none, |proposal: &MirrorProposal| {
            let opening = proposal.opening.as_ref().map(|play| self.interpreter.call_form(play));
            let (bound, images) = (Self::win(proposal.holder), images(&proposal.renaming));
            let mirror = MirrorLemma { bound, opening, images };
            (Claim::Wins { player: proposal.holder, plies: None }, vec![Lemma::Mirror(mirror)])
        })?;
        let best: Vec<WrittenMove> = proposal.opening.iter().map(|play| self.made(play)).collect();
        let name = self.player(proposal.holder);
        let begins = match best.first() {
            Some(opening) => format!("{name} begins with {} and from then on answers", opening.written),
            None => format!("{name} answers"),
        };
        let pairs: Vec<(FluentId, FluentId)> = (0..proposal.renaming.fluents.len())
            .map(|from| (FluentId::new(from), proposal.renaming.fluents[from]))
            .filter(|(from, to)| from < to)
            .collect();
        let image = match (&pairs[..], self.answers_of_other_names(&proposal)) {
            ([], _) => "its image".to_string(),
            (_, Some(answers)) => format!("its image ({})", listed(answers.into_iter())),
            (pairs, None) => format!("its image ({})", self.list_pairs(pairs)),
        };
        Ok(self.accept(StrategyDescription {
            value: self.won(proposal.holder),
            how: format!("{begins} each move by {image}"),
            why: "a move never hinders its image, so there is always an answer".into(),
            best,
            proof,
            overlay: Overlay::Mirror(self.cells(&pairs)),
            invariant: StrategyInvariant::Image(proposal.renaming),
        }))
    }

    /// Pairs of moves that answer each other, as they are written, if the names of the cells do not tell the answers:
    /// if the answer to `a1`, which takes `a1` and `b1`, is not named after the image of `a1`.
    fn answers_of_other_names(&self, proposal: &MirrorProposal) -> Option<Vec<(String, String)>> {
        let renaming = &proposal.renaming;
        let start = match &proposal.opening {
            Some(opening) => self.after(opening)?,
            None => self.position.clone(),
        };
        let name = |fluent: usize| self.name(FluentId::new(fluent));
        let names: FxHashMap<String, String> = (0..renaming.fluents.len())
            .map(|from| (name(from), name(renaming.fluents[from].index())))
            .collect();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let image_of_words = |written: &str| -> String {
            let words = written.split_inclusive(|c| !is_part(c)).map(|word| {
                let end = word.trim_end_matches(|c| !is_part(c)).len();
                names
                    .get(&word[..end])
                    .map_or_else(|| word.to_owned(), |image| format!("{image}{}", &word[end..]))
            });
            words.collect()
        };
        let mut answers: Vec<(String, String)> = Vec::new();
        let mut has_other_names = false;
        for (made, after) in self.moves_from(&start).take(MAX_MOVES_NAMED) {
            let made = self.made(made).written;
            if answers.iter().any(|(_, answer)| *answer == made) {
                continue;
            }
            let answer = self.moves_from(&after).find(|(_, after)| renaming.image(after) == *after);
            let answer = self.made(answer?.0).written;
            has_other_names |= image_of_words(&made) != answer;
            answers.push((made, answer));
        }
        has_other_names.then_some(answers)
    }
}

/// The maximal number of moves to look at for names.
const MAX_MOVES_NAMED: usize = 32;

/// The images of the fluents that the renaming changes.
pub(super) fn images(renaming: &Renaming) -> Vec<FluentImage> {
    let identity = Renaming::identity(renaming);
    let moved = |fluent: &usize| {
        renaming.fluents[*fluent] != identity.fluents[*fluent]
            || renaming.values[*fluent] != identity.values[*fluent]
    };
    let image = |fluent: usize| FluentImage {
        from: fluent as u32,
        to: renaming.fluents[fluent].0,
        values: renaming.values[fluent].clone(),
    };
    (0..renaming.fluents.len()).filter(moved).map(image).collect()
}
