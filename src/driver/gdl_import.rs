//! `bouton import`: a sheet as a text in the language, compared with the sheet before it is given away.

use std::collections::VecDeque;

use bouton_base::cancel;
use bouton_base::limits::{LimitHit, Limits};
use bouton_gdl::{Import, ImportError, Imported, Names, Samples, TextForm};
use bouton_rules::{MOVER, MoveInstance, Rules, ToMove};
use bouton_search::game::random::Random;
use bouton_search::game::{CompiledGames, Game, MachineError, Outcome, State, Successor};
use bouton_syntax::diag::Severity;
use rustc_hash::FxHashSet;

use crate::load::GameSource;

/// The reason why a sheet is not imported.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NotImported {
    #[error("it is no sheet in the Game Description Language")]
    NoSheet,
    /// A part of the sheet has no form in the language.
    #[error("{}{reason}", .place.as_deref().map(|place| format!("{place}: ")).unwrap_or_default())]
    NoForm { place: Option<String>, reason: String },
    /// The text has an error: the translation does not fit the sheet.
    #[error("the text would have an error: {title} in `{line}`")]
    Errors { title: String, line: String },
    /// The text plays in another way.
    #[error("the text would not play as the sheet does: {difference}")]
    Differs {
        difference: String,
        /// True if the first difference is whose turn it is.
        is_turn: bool,
    },
    #[error("{0}")]
    Limit(LimitHit),
}

/// The number of random plays from which positions are taken, and of those by which the text is compared.
const PLAYS: u64 = 40;
/// The maximal number of moves of a play.
const MAX_MOVES: usize = 100;

/// The maximal number of positions that are compared breadth first.
const MAX_COMPARED_POSITIONS: usize = 1_000;

/// Translates a sheet, and compares the text with it on the first positions and on random plays. The text is not
/// formatted.
pub fn import(source: &mut GameSource, limits: &Limits) -> Result<String, NotImported> {
    let names = source.gdl_names().cloned().ok_or(NotImported::NoSheet)?;
    let rules = source.analyze(None).rules.ok_or(NotImported::NoSheet)?;
    let game = on_backend(rules, source, limits);
    let text = source.sources.get(source.file).text.clone();
    let read = cancel::run_within(limits, || Import::new(&text, &game.rules.name));
    let mut import = read.map_err(NotImported::Limit)?.map_err(|why| no_form(source, why))?;
    let mut write = |plays: u64, form: TextForm| {
        let samples = samples(&game, &names, plays, limits)?;
        let made = cancel::run_within(limits, || import.write(&samples, form));
        made.map_err(NotImported::Limit)?.map_err(|why| no_form(source, why))
    };
    let mut text = |plain: TextForm| {
        // A rule without a form shows with few samples.
        write(1, plain)?;
        let imported = write(PLAYS, plain)?;
        match compared(&imported, (&game, &names), source, limits) {
            Err(NotImported::Differs { difference, is_turn }) => {
                let differs = || NotImported::Differs { difference: difference.clone(), is_turn };
                // Another turn shows late where the goals alone depend on it.
                let imported =
                    write(PLAYS, TextForm { states_turns: true, ..plain }).map_err(|_| differs())?;
                match compared(&imported, (&game, &names), source, limits) {
                    // The first difference is that of the plainer text.
                    Err(NotImported::Differs { .. } | NotImported::Errors { .. }) if !is_turn => {
                        Err(differs())
                    }
                    result => result,
                }
            }
            result => result,
        }
    };
    match text(TextForm::default()) {
        Err(NotImported::NoForm { .. } | NotImported::Errors { .. } | NotImported::Differs { .. }) => {
            text(TextForm { trusts_samples: true, ..TextForm::default() })
        }
        result => result,
    }
}

/// The text, after positions and plays that show no difference to the sheet.
fn compared(
    imported: &Imported,
    sheet: (&Game, &Names),
    source: &GameSource,
    limits: &Limits,
) -> Result<String, NotImported> {
    let written = imported.text.clone();
    let mut other = GameSource::from_string("imported.bou", &written);
    let analysis = other.analyze(None);
    let mut found = other.diagnostics.iter().chain(&analysis.diagnostics);
    if let Some(error) = found.find(|found| found.severity() == Severity::Error) {
        let line = other.sources.get(other.file).line_column(error.span().start).line;
        let line = written.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        return Err(NotImported::Errors { title: error.title.clone(), line: line.to_owned() });
    }
    let Some(rules) = analysis.rules else { return Err(NotImported::NoSheet) };
    let made = on_backend(rules, source, limits);
    let comparison = Comparison { sheet: sheet.0, names: sheet.1, made: &made, imported };
    for play in 0..PLAYS {
        comparison.play(play, limits)?;
    }
    comparison.explore(limits)?;
    Ok(written)
}

fn no_form(source: &GameSource, why: ImportError) -> NotImported {
    let place = why.span.and_then(|span| source.sources.location(span));
    NotImported::NoForm { place, reason: why.reason }
}

/// The reason why a play of the sheet cannot go on.
fn sheet_stopped(error: MachineError) -> NotImported {
    match error {
        MachineError::Limit(hit) => NotImported::Limit(hit),
        MachineError::Fault(_) => {
            let reason = "the sheet has a mistake in a position of play: `bouton check` shows it".to_owned();
            NotImported::NoForm { place: None, reason }
        }
    }
}

/// The reason why a play of the text cannot go on.
fn text_stopped(error: MachineError, ply: usize) -> NotImported {
    match error {
        MachineError::Limit(hit) => NotImported::Limit(hit),
        MachineError::Fault(_) => {
            let difference = format!("the text has a mistake after {ply} moves, where the sheet has none");
            NotImported::Differs { difference, is_turn: false }
        }
    }
}

/// The rules on the back end of the source; where a circuit takes long to make, the definition runs them.
fn on_backend(rules: Rules, source: &GameSource, limits: &Limits) -> Game {
    let (share, games) = (limits.with_time_share(3), CompiledGames::Large);
    Game::compiled_if(rules, source.backend, &[], &share, games).with_limits(limits)
}

/// The fluents of positions of random plays; the initial position is the first.
fn samples(game: &Game, names: &Names, plays: u64, limits: &Limits) -> Result<Samples, NotImported> {
    let mut samples = Samples::default();
    for play in 0..plays {
        let mut random = Random::new(play);
        let mut state = game.machine.initial();
        for _ in 0..MAX_MOVES {
            if let Some(hit) = limits.check() {
                return Err(NotImported::Limit(hit));
            }
            let mover = game.machine.read(&state, MOVER, 0).as_sym().unwrap_or(0);
            samples
                .positions
                .push(names.position(mover, &|field, cell| game.machine.read(&state, field, cell)));
            let (turn, successors) = game.machine.expand(&state).map_err(sheet_stopped)?;
            if let ToMove::Terminal(outcome) = &turn {
                samples.has_loose_ends |= outcome.rule >= names.loose_ends.first;
            }
            match random.choose(&turn, &successors) {
                Some(next) if !matches!(turn, ToMove::Terminal(_)) => state = next.state.clone(),
                _ => break,
            }
        }
    }
    Ok(samples)
}

/// A sheet and its text, side by side.
struct Comparison<'a> {
    sheet: &'a Game,
    names: &'a Names,
    made: &'a Game,
    imported: &'a Imported,
}

/// The positions of the sheet and of its text after the same moves.
type Pair = (State, State);

impl Comparison<'_> {
    fn initial(&self) -> Pair {
        (self.sheet.machine.initial(), self.made.machine.initial())
    }

    /// Plays once at random by both.
    fn play(&self, seed: u64, limits: &Limits) -> Result<(), NotImported> {
        let mut random = Random::new(seed + PLAYS);
        let mut here = self.initial();
        for ply in 0..MAX_MOVES {
            let mut next = self.compare(&here, ply, limits)?;
            if next.is_empty() {
                break;
            }
            here = next.swap_remove(random.below(next.len() as u64) as usize);
        }
        Ok(())
    }

    /// Compares the first positions, breadth first.
    fn explore(&self, limits: &Limits) -> Result<(), NotImported> {
        let mut seen: FxHashSet<Pair> = FxHashSet::default();
        let mut open = VecDeque::from([(self.initial(), 0)]);
        while let Some((here, ply)) = open.pop_front() {
            for next in self.compare(&here, ply, limits)? {
                if seen.len() < MAX_COMPARED_POSITIONS && seen.insert(next.clone()) {
                    open.push_back((next, ply + 1));
                }
            }
        }
        Ok(())
    }

    /// Compares legal moves, ends and goals, and returns the positions after each move, by the terms of the moves.
    fn compare(&self, here: &Pair, ply: usize, limits: &Limits) -> Result<Vec<Pair>, NotImported> {
        let (here, there) = here;
        let differs = |difference: String| Err(NotImported::Differs { difference, is_turn: false });
        if let Some(hit) = limits.check() {
            return Err(NotImported::Limit(hit));
        }
        let (turn, successors) = self.sheet.machine.expand(here).map_err(sheet_stopped)?;
        let (other_turn, others) = self.made.machine.expand(there).map_err(|why| text_stopped(why, ply))?;
        let role = |player: u32| self.imported.roles.get(player as usize).map_or(player, |&role| role as u32);
        let other_turn = match other_turn {
            ToMove::Player(player) => ToMove::Player(role(player)),
            turn => turn,
        };
        let has_payoffs = |a: &Outcome, b: &Outcome| {
            a.payoffs.len() == b.payoffs.len()
                && (0..)
                    .zip(&b.payoffs)
                    .all(|(player, payoff)| a.payoffs.get(role(player) as usize) == Some(payoff))
        };
        match (&turn, &other_turn) {
            (ToMove::Terminal(a), ToMove::Terminal(b)) if has_payoffs(a, b) => return Ok(Vec::new()),
            (ToMove::Terminal(_), _) | (_, ToMove::Terminal(_)) => {
                return differs(format!("the end after {ply} moves"));
            }
            (a, b) if a != b => {
                let difference = format!("the turn after {ply} moves");
                return Err(NotImported::Differs { difference, is_turn: true });
            }
            _ => {}
        }
        let mut wanted = self.moves_of_sheet(here, &turn, successors);
        let mut found = self.moves_of_text(others);
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        if let Some(name) = first_difference(&wanted, &found) {
            return differs(format!("the move {name} after {ply} moves"));
        }
        Ok(wanted.into_iter().zip(found).map(|((_, next), (_, other))| (next.state, other.state)).collect())
    }

    /// The moves of the sheet with the terms of the players who choose.
    fn moves_of_sheet(
        &self,
        state: &State,
        turn: &ToMove,
        successors: Vec<Successor>,
    ) -> Vec<(String, Successor)> {
        let mover = self.sheet.machine.read(state, MOVER, 0).as_sym().unwrap_or(0);
        let own = if let ToMove::Player(player) = turn { *player as usize } else { 0 };
        let named = |next: Successor| {
            let mut joint = self.names.joint_move(mover, &next.play)?;
            let name = match &next.play {
                MoveInstance::Joint(plays) => {
                    let terms: Vec<String> = plays
                        .iter()
                        .map(|(player, _)| std::mem::take(&mut joint[*player as usize]))
                        .collect();
                    terms.join(", ")
                }
                _ => joint.swap_remove(own),
            };
            Some((name, next))
        };
        successors.into_iter().filter_map(named).collect()
    }

    /// The moves of the text with the terms that they stand for.
    fn moves_of_text(&self, successors: Vec<Successor>) -> Vec<(String, Successor)> {
        let named = |next: Successor| {
            let terms: Option<Vec<String>> = match &next.play {
                MoveInstance::Joint(plays) => plays.iter().map(|(_, play)| self.term_of_text(play)).collect(),
                play => self.term_of_text(play).map(|term| vec![term]),
            };
            (terms.map_or_else(|| "without a name".to_owned(), |terms| terms.join(", ")), next)
        };
        successors.into_iter().map(named).collect()
    }

    /// The term of the sheet for a move of the text.
    fn term_of_text(&self, play: &MoveInstance) -> Option<String> {
        let rules: &Rules = &self.made.rules;
        let MoveInstance::Move(id, args) = play else { return None };
        let args: Vec<String> = args.iter().map(|arg| rules.show(arg)).collect();
        self.imported.term(&rules.moves[*id].name, &args)
    }
}

/// The first move that only one side has.
fn first_difference(a: &[(String, Successor)], b: &[(String, Successor)]) -> Option<String> {
    let has = |moves: &[(String, Successor)], name: &String| moves.iter().any(|(other, _)| other == name);
    let only = a.iter().find(|(name, _)| !has(b, name)).or_else(|| b.iter().find(|(name, _)| !has(a, name)));
    let twice = (a.len() != b.len()).then(|| a.first().or(b.first())).flatten();
    only.or(twice).map(|(name, _)| name.clone())
}
