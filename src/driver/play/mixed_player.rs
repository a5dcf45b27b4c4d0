//! Plays by mixed strategies and by equilibria: draws a move with the probabilities of a solution.
//!
//! *Invariant:* the probabilities depend on what the player knows alone, so drawing by them reveals nothing else.

use super::Session;
use super::engine::EngineMove;
use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_certificates::{Certificate, ChoiceProbabilities, Claim, EquilibriumLemma, Lemma};
use bouton_checker::{Verdict, verify};
use bouton_reference::Interpreter;
use bouton_search::game::information::{own_choice, own_choices};
use bouton_search::game::{Game, MoveInstance, State, Successor, ToMove};
use bouton_search::solve::certify::{CertificateOptions, certificate, key};
use bouton_search::solve::mixed::bimatrix::Equilibrium;
use bouton_search::solve::mixed::game_tree::PLAYERS;
use bouton_search::solve::mixed::play::{MixedPlay, with_odds};
use bouton_search::solve::{Solution, Status, Value};

/// A solution by mixed strategies, with its status.
pub struct MixedPlayer {
    solution: Solution,
    /// The claim about the strategies that the checker accepted.
    proved: Option<Claim>,
    /// The equilibrium to play, if there is no single answer to how to play.
    equilibrium: Option<ChosenEquilibrium>,
}

/// An equilibrium by which the engine plays.
enum ChosenEquilibrium {
    /// One of those of a single simultaneous choice.
    OfMatrix(MatrixEquilibrium),
    /// Strategies listed by positions.
    Listed(ListedEquilibrium),
}

/// One of the equilibria of a matrix.
struct MatrixEquilibrium {
    /// The probabilities of each player's choices.
    shares: [Vec<Rational>; PLAYERS],
    /// The number of equilibria from which it was chosen; `None` if there are infinitely many.
    count: Option<usize>,
}

impl MatrixEquilibrium {
    /// Chooses the equilibrium with the greatest sum of payoffs, the first of several; `None` if play goes on after the
    /// choice, or no equilibria are known.
    fn of(play: &MixedPlay) -> Option<MatrixEquilibrium> {
        let nodes = 1..play.tree.nodes.len() as u32;
        let ends = nodes.into_iter().all(|node| play.tree.payoffs_at(node).is_some());
        let found = play.matrix.as_ref().filter(|_| ends)?.equilibria.as_ref()?;
        let all = &found.extreme;
        let sum = |of: &Equilibrium| &of.payoffs[0] + &of.payoffs[1];
        let mut best = all.first()?;
        for other in all {
            if sum(other) > sum(best) {
                best = other;
            }
        }
        let shares = [&best.rows, &best.columns];
        let shares = shares.map(|shares| shares.iter().cloned().map(Rational::from).collect());
        // Between the extreme ones of a component all mixtures are equilibria.
        let count = (found.components.len() == all.len()).then_some(all.len());
        Some(MatrixEquilibrium { shares, count })
    }
}

/// An equilibrium of the positions that a certificate would list.
struct ListedEquilibrium {
    lemma: EquilibriumLemma,
    interpreter: Interpreter,
}

impl ListedEquilibrium {
    /// The equilibrium of a solution; `None` if it lists none.
    fn of(game: &Game, solution: &Solution) -> Option<ListedEquilibrium> {
        let Lemma::Equilibrium(lemma) = solution.strategy.first()? else { return None };
        Some(ListedEquilibrium { lemma: lemma.clone(), interpreter: Interpreter::new(game.rules.clone()) })
    }

    /// The choices of a player in the current position with their probabilities; `None` if it is not listed.
    fn choices(&self, session: &Session, player: u32) -> Option<Vec<(MoveInstance, Rational)>> {
        let state = session.state();
        let key = key(&session.game, &self.interpreter, state).ok()?;
        let position = self.lemma.positions.iter().find(|position| position.key == key)?;
        let (turn, moves) = session.game.machine.expand(state).ok()?;
        let own = |player: u32| own_choices(&turn, &moves, player);
        let choices = Some(own(player)).filter(|choices| !choices.is_empty())?;
        // The lists are in the order of the players who choose here.
        let place = (0..player).filter(|&before| !own(before).is_empty()).count();
        let ChoiceProbabilities(shares) = position.choices.get(place)?;
        Some(choices.into_iter().zip(shares.iter().cloned()).collect())
    }
}

/// The number of equal parts from which a draw selects.
const DRAW_PARTS: usize = 1 << 30;

impl MixedPlayer {
    /// Makes a player by a solution; `None` if it has no strategies. The checker examines mixed strategies within the
    /// limits.
    pub fn new(game: &Game, start: &State, solution: Solution, limits: &Limits) -> Option<MixedPlayer> {
        if solution.profile().is_none() {
            let equilibrium = match &solution.mixed {
                None => ChosenEquilibrium::Listed(ListedEquilibrium::of(game, &solution)?),
                Some(mixed) => ChosenEquilibrium::OfMatrix(MatrixEquilibrium::of(mixed)?),
            };
            return Some(MixedPlayer { solution, proved: None, equilibrium: Some(equilibrium) });
        }
        let wanted = CertificateOptions { strong: false, positions: None, limits };
        let made = certificate(game, start, &solution, &wanted);
        let is_accepted =
            |made: &Certificate| matches!(verify(&game.rules, made, limits, None), Verdict::Accepted(_));
        let proved = made.ok().filter(is_accepted).map(|made| made.header.claim);
        Some(MixedPlayer { solution, proved, equilibrium: None })
    }

    /// The choices of a player in the current position with their probabilities.
    fn choices(&self, session: &Session, player: u32) -> Option<Vec<(MoveInstance, Rational)>> {
        if let Some(ChosenEquilibrium::Listed(listed)) = &self.equilibrium {
            return listed.choices(session, player);
        }
        match &self.equilibrium {
            None => {
                let play = self.solution.profile()?;
                play.choices_at(play.node_after(&numbers(session)?)?, player as usize)
            }
            Some(ChosenEquilibrium::OfMatrix(of)) if session.made().is_empty() => {
                let player = player as usize;
                let matrix = self.solution.mixed.as_ref()?.matrix.as_ref()?;
                let choices = matrix.choices[player].iter().map(|made| made.play.clone());
                Some(choices.zip(of.shares[player].iter().cloned()).collect())
            }
            Some(_) => None,
        }
    }

    /// A sentence on how well the player plays.
    pub fn introduction(&self) -> String {
        match &self.equilibrium {
            Some(ChosenEquilibrium::OfMatrix(MatrixEquilibrium { count: Some(1), .. })) => {
                return "the engine plays by the only equilibrium".into();
            }
            Some(ChosenEquilibrium::OfMatrix(MatrixEquilibrium { count, .. })) => {
                let all = count.map_or("infinitely many".to_owned(), |count| count.to_string());
                return format!(
                    "the engine plays by one of {all} equilibria, that with the greatest sum of payoffs"
                );
            }
            Some(ChosenEquilibrium::Listed(_)) => {
                return "the engine plays by an equilibrium, from which nobody gains by changing only his own strategy".into();
            }
            None => {}
        }
        let how = match (&self.proved, self.solution.status) {
            (Some(Claim::Equilibria(_)), _) => {
                "the engine draws its moves by a proved equilibrium: nobody gains by changing only his own strategy"
            }
            (Some(_), Status::Solved) => {
                "the engine draws its moves by a strategy that is proved to be optimal"
            }
            (Some(_), _) => "the engine draws its moves by a strategy that is proved to be nearly optimal",
            (None, _) => "the engine draws its moves by a mixed strategy that was computed, not proved",
        };
        how.into()
    }

    /// The value of the position that play began with, if it is known.
    pub fn value(&self) -> Option<&Value> {
        self.solution.value.as_ref()
    }

    /// Describes how the strategy of a player chooses in the current position, by what he knows alone: `bet one time in
    /// three, check two times in three`.
    pub fn advice(&self, session: &Session, player: u32) -> Option<String> {
        let choices = self.choices(session, player)?;
        let made = choices.iter().filter(|(_, share)| share.is_positive()).map(|(choice, share)| {
            (session.game.choice_notation(session.state(), player, choice), share.to_big())
        });
        let made: Vec<_> = made.collect();
        Some(with_odds(made.iter().map(|(words, share)| (words.as_str(), share))).join(", "))
    }

    /// Draws a move of the players whom the user does not move, among these.
    pub fn choose(&self, session: &mut Session, successors: &[Successor]) -> Option<EngineMove> {
        let turn = session.turn().ok()?;
        let mut fitting: Vec<&Successor> = successors.iter().collect();
        let mut is_known = false;
        let players = session.game.rules.players().len() as u32;
        for player in 0..players {
            if session.is_human(player) && turn != ToMove::Player(player) {
                continue;
            }
            let Some(choices) = self.choices(session, player) else { continue };
            is_known = true;
            let drawn = draw(&choices, session.random_below(DRAW_PARTS))?;
            fitting.retain(|made| own_choice(&turn, &made.play, player) == Some(drawn));
        }
        let why = match self.proved.is_some() {
            _ if self.equilibrium.is_some() => "it was drawn by an equilibrium",
            true => "it was drawn by a proved strategy",
            false => "it was drawn by a mixed strategy that is a guess",
        };
        let successor = fitting.into_iter().next().filter(|_| is_known)?;
        Some(EngineMove { successor: successor.clone(), why: why.into() })
    }
}

/// The moves of a session as numbers among the legal ones.
fn numbers(session: &Session) -> Option<Vec<usize>> {
    let number = |before: &State, play: &MoveInstance| {
        let moves = session.game.machine.successors(before).ok()?;
        moves.iter().position(|made| made.play == *play)
    };
    session.made().iter().map(|made| number(&made.before, &made.play)).collect()
}

/// Selects the choice in which this part of all probability lies.
fn draw(choices: &[(MoveInstance, Rational)], part: usize) -> Option<&MoveInstance> {
    let mut left = (part as f64 + 0.5) / DRAW_PARTS as f64;
    for (choice, share) in choices {
        left -= share.to_f64();
        if left < 0.0 {
            return Some(choice);
        }
    }
    choices.iter().rev().find(|(_, share)| share.is_positive()).map(|(choice, _)| choice)
}
