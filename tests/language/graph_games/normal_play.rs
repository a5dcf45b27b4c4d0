//! Nimbers and values of positions of normal play, from the definitions alone.

use std::collections::{HashMap, HashSet};

use bouton_rules::{MOVER, ToMove};
use bouton_search::game::{Machine, ReferenceMachine, State};

use super::Truth;
use super::claims::JudgedClaim;

/// The maximal number of positions, with either player to move.
const MAX_POSITIONS: usize = 1500;

/// Returns claims about a game of normal play in which the players take turns; none for any other game.
pub fn claims(truth: &Truth, text: &str) -> Vec<JudgedClaim> {
    let other = ["repeat", "pass ", "phases", "again", "next ", "every move", "prefer", "mandatory"];
    if !text.contains("play normal;") || other.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let machine = ReferenceMachine::new(truth.graph.interpreter.rules().clone());
    let mut play = NormalPlay { machine: &machine, options: HashMap::new(), wins: HashMap::new() };
    let start = play.machine.initial();
    if play.enumerate(&start).is_none() {
        return Vec::new();
    }
    let mut claims = Vec::new();
    if play.is_impartial() {
        let nimber = play.nimber(&start, &mut HashMap::new());
        claims.extend((0..5).map(|number| (format!("nimber = {number}"), Some(number == nimber))));
        claims.extend(
            (0..3).map(|number| (format!("value = \"*{}\"", number + 2), Some(number + 2 == nimber))),
        );
    }
    for number in -2..=2 {
        // The difference from a number of moves of Left, of which Right has as many more.
        let at_least = !play.wins(&start, 1, -number);
        let at_most = !play.wins(&start, 0, -number);
        claims.push((format!("value >= \"{number}\""), Some(at_least)));
        claims.push((format!("value <= \"{number}\""), Some(at_most)));
        claims.push((format!("value = \"{number}\""), Some(at_least && at_most)));
        claims.push((format!("value > \"{number}\""), Some(at_least && !at_most)));
    }
    claims
}

struct NormalPlay<'m> {
    machine: &'m dyn Machine,
    /// The positions after the moves of a player, by position and player.
    options: HashMap<(State, u32), Vec<State>>,
    wins: HashMap<(State, u32, i64), bool>,
}

impl NormalPlay<'_> {
    /// Enumerates all positions with either player to move; `None` if players do not take turns, a position is at fault,
    /// play may come back, or there are too many.
    fn enumerate(&mut self, state: &State) -> Option<()> {
        let state = self.machine.with_mover(state, 0)?;
        if self.options.contains_key(&(state.clone(), 0)) {
            // A position in progress has no options for the second player yet.
            return self.options.contains_key(&(state, 2)).then_some(());
        }
        if self.options.len() > 3 * MAX_POSITIONS {
            return None;
        }
        let mut all = Vec::new();
        for player in 0..2 {
            let here = self.machine.with_mover(&state, player)?;
            let (turn, next) = self.machine.expand(&here).ok()?;
            if matches!(turn, ToMove::Terminal(_)) != next.is_empty() {
                return None;
            }
            let mut options = Vec::new();
            for successor in next {
                let mover = self.machine.read(&successor.state, MOVER, 0).as_sym()?;
                if mover == player {
                    return None;
                }
                options.push(self.machine.with_mover(&successor.state, 0)?);
            }
            all.extend(options.iter().cloned());
            self.options.insert((state.clone(), player), options);
        }
        for next in all {
            self.enumerate(&next)?;
        }
        self.options.insert((state, 2), Vec::new());
        Some(())
    }

    fn is_impartial(&self) -> bool {
        let set = |state: &State, player| {
            self.options[&(state.clone(), player)].iter().cloned().collect::<HashSet<_>>()
        };
        self.options.keys().all(|(state, _)| set(state, 0) == set(state, 1))
    }

    fn nimber(&self, state: &State, known: &mut HashMap<State, i64>) -> i64 {
        let state = self.machine.with_mover(state, 0).expect("a player");
        if let Some(nimber) = known.get(&state) {
            return *nimber;
        }
        let next: Vec<i64> =
            self.options[&(state.clone(), 0)].iter().map(|next| self.nimber(next, known)).collect();
        let nimber = (0..).find(|number| !next.contains(number)).expect("a number");
        known.insert(state, nimber);
        nimber
    }

    /// Returns true if the player to move wins the sum of a position and `spare` free moves of the first player, or of the
    /// second if it is negative.
    fn wins(&mut self, state: &State, player: u32, spare: i64) -> bool {
        let state = self.machine.with_mover(state, 0).expect("a player");
        let key = (state.clone(), player, spare);
        if let Some(known) = self.wins.get(&key) {
            return *known;
        }
        let own = if player == 0 { spare > 0 } else { spare < 0 };
        let options = self.options[&(state.clone(), player)].clone();
        let wins = options.iter().any(|next| !self.wins(next, 1 - player, spare))
            || own && !self.wins(&state, 1 - player, spare - spare.signum());
        self.wins.insert(key, wins);
        wins
    }
}
