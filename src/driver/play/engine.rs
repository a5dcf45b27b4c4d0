//! The engine that plays against the user: perfectly if the game can be solved; otherwise by the evaluation of the
//! rules with a lookahead, or by Monte-Carlo tree search, which has a form for what players do not know; or by a
//! lookahead of a given depth, where the seed decides between moves of equal value. Both are play, not
//! analysis: nothing they say is a claim.

use std::sync::Arc;
use std::time::Duration;

use super::Session;
use super::explanation::Explainer;
use super::guesses;
use super::mixed_player::MixedPlayer;
use crate::budget::Budget;
use crate::faults;
use crate::planner::{Plan, Question, Route};
use crate::strategy::AcceptedStrategy;
use crate::strategy::strategy_player::{LastMove, StrategyPlayer};
use bouton_base::limits::{Limits, NoProgress, Progress};
use bouton_base::rational::Rational;
use bouton_certificates::Convention;
use bouton_report::verdict::value_words;
use bouton_report::words::{count_with_noun, move_sequence};
use bouton_rules::{Actor, OutcomeExpr, Rules};
use bouton_search::game::{Game, State, Successor, ToMove};
use bouton_search::solve::depth_limited::{DepthLimitedOptions, is_two_player_fixed_sum};
use bouton_search::solve::several_players::MaxN;
use bouton_search::solve::strong::StrongSolution;
use bouton_search::solve::{Solution, SolveOptions, SolveRequest, Solver, Value, ValueKind};
use bouton_syntax::diag::nearest;

/// The default time limit of solving the starting position.
const DEFAULT_SOLVE_TIME: Duration = Duration::from_secs(5);
/// The default time limit of solving a later position.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(2);
/// The default time limit of a guess: the number of positions ends it earlier, except in games that run very slowly.
const DEFAULT_GUESS_TIME: Duration = Duration::from_secs(10);
/// The part of the time of a move in which a position is solved; the rest is for a guess.
const PERFECT_SHARE: u32 = 2;
/// The part of it in which a position is solved where a strategy has a move already.
const QUICK_SHARE: u32 = 8;
/// The maximal number of positions of an equilibrium by which the engine plays.
const MAX_EQUILIBRIUM_POSITIONS: usize = 10_000;
/// The maximal number of moves of a line that a reason shows.
const MAX_REASON_PLIES: usize = 8;

/// The strength of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineLevel {
    /// Perfect play, as far as possible.
    Perfect,
    /// Lookahead of this depth; 0 plays at random.
    Lookahead(DepthLimitedOptions),
}

/// Suggests `perfect` for a word that resembles it.
fn suggest_level(word: &str) -> &'static str {
    if nearest(word, ["perfect"]).is_some() { "; did you mean `perfect`?" } else { "" }
}

/// The reason why a level could not be parsed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineLevelError {
    /// The string, which begins with neither `perfect` nor a number.
    #[error("`{0}` is not a level{near}: write `perfect` or the number of moves to look ahead", near = suggest_level(.0))]
    NotALevel(String),
    /// An option of the lookahead is wrong.
    #[error("{0}")]
    WrongOption(String),
}

impl EngineLevel {
    /// Parses `perfect`, or a depth with options: `4,quiescence,width=6`.
    pub fn parse(text: &str) -> Result<EngineLevel, EngineLevelError> {
        let (number, words) = text.split_once(',').unwrap_or((text, ""));
        match number.trim() {
            "perfect" if words.is_empty() => Ok(EngineLevel::Perfect),
            number => {
                let depth = number.parse().map_err(|_| EngineLevelError::NotALevel(text.to_owned()))?;
                let options = DepthLimitedOptions::with_depth(depth).with_options(words);
                options
                    .map(EngineLevel::Lookahead)
                    .map_err(|why| EngineLevelError::WrongOption(why.to_string()))
            }
        }
    }
}

/// A table from a file.
pub struct NamedTable {
    pub values: Arc<StrongSolution>,
    /// The path of the file.
    pub name: String,
}

/// The options of an engine.
pub struct EngineOptions {
    pub level: EngineLevel,
    /// The table to play by, as far as it has the positions.
    pub table: Option<NamedTable>,
    /// The resources of solving a position, and of a move.
    pub budget: Budget,
}

/// An engine with its solution, strategy or table.
pub struct Engine {
    level: EngineLevel,
    budget: Budget,
    solved: Option<Solution>,
    /// A strategy that a person can remember, from the position that play began with.
    strategy_player: Option<StrategyPlayer>,
    /// The accepted strategy of the position that play began with, which may show a value and no moves.
    opening: Option<OpeningStrategy>,
    /// The mixed strategies, if something is hidden or players choose simultaneously.
    mixed: Option<MixedPlayer>,
    table: Option<NamedTable>,
    /// True if the engine searches over information sets: something is hidden or players choose simultaneously, and no
    /// mixed strategies are known.
    is_informed: bool,
}

/// A strategy in words, with the value that it gives to the position that play began with.
struct OpeningStrategy {
    start: State,
    value: Value,
    /// The strategy in a sentence, if there is one.
    statement: Option<String>,
}

/// A known value of a position.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct KnownValue {
    pub value: Value,
    /// The plies to the end, if they are counted.
    pub plies: Option<u32>,
}

/// A move with the reason for it.
pub struct EngineMove {
    pub successor: Successor,
    /// The reason, in one sentence.
    pub why: String,
}

impl Engine {
    /// Returns an engine for games from this position, and a sentence on how well it will play.
    pub fn new(
        game: &Game,
        start: &State,
        options: EngineOptions,
        progress: &dyn Progress,
    ) -> (Engine, String) {
        let EngineOptions { level, table, budget } = options;
        let hides = game.rules.has_hidden_information();
        let each = game.rules.phases.iter().any(|phase| matches!(phase.actor, Actor::Each));
        let mixed = match level {
            EngineLevel::Perfect if hides || each => mixed_player(game, start, &budget, progress),
            _ => None,
        };
        let is_random = matches!(level, EngineLevel::Lookahead(DepthLimitedOptions { depth: 0, .. }));
        // Where something is hidden, no other method models a player's knowledge, and to read hidden state would be to
        // cheat.
        let is_informed = mixed.is_none() && !is_random && (hides || each && level == EngineLevel::Perfect);
        let mut engine = Engine {
            level,
            budget,
            solved: None,
            strategy_player: None,
            opening: None,
            mixed,
            table,
            is_informed,
        };
        if let Some(mixed) = &engine.mixed {
            let told = mixed.introduction();
            engine.opening = mixed.value().map(|value| OpeningStrategy {
                start: start.clone(),
                value: value.clone(),
                statement: None,
            });
            return (engine, told);
        }
        let known = engine.table.as_ref().filter(|table| table.values.value(start).is_some());
        let told = match level {
            EngineLevel::Lookahead(DepthLimitedOptions { depth: 0, .. }) => {
                "the engine plays at random".into()
            }
            _ if is_informed => guesses::informed_introduction(hides).into(),
            EngineLevel::Lookahead(plan) => format!("the engine looks {} ahead", guesses::plies(plan.depth)),
            EngineLevel::Perfect if let Some(table) = known => {
                format!("the engine plays perfectly, by the table {}", table.name)
            }
            EngineLevel::Perfect => {
                let budget = &engine.budget;
                let (soon, limits) =
                    (budget.limits(Some(DEFAULT_MOVE_TIME)), budget.limits(Some(DEFAULT_SOLVE_TIME)));
                let options = SolveOptions { max_line_moves: 0, ..SolveOptions::default() };
                let plan = Plan::new(every_position(game, start, &options, &limits));
                let found = plan.strategy(&soon).cloned();
                engine.prepared(game, start, found, solve(game, &plan, progress))
            }
        };
        (engine, told)
    }

    /// Stores the strategy and the solution; returns a sentence on how well the engine will play.
    fn prepared(
        &mut self,
        game: &Game,
        start: &State,
        found: Option<AcceptedStrategy>,
        solved: Result<Solution, String>,
    ) -> String {
        let how =
            found.as_ref().filter(|found| found.strategy_player.is_some()).map(|found| found.how.clone());
        self.opening = found.as_ref().and_then(|found| {
            let (value, statement) = (found.solution.value.clone()?, Some(found.statement().statement));
            Some(OpeningStrategy { start: start.clone(), value, statement })
        });
        self.strategy_player = found.and_then(|found| found.strategy_player);
        match (solved, how) {
            (Ok(solution), _) => {
                let is_complete = solution.table.as_ref().is_some_and(|table| table.is_complete());
                self.solved = Some(solution);
                match is_complete {
                    true => "the engine plays perfectly: every position was solved".into(),
                    false => "the engine knows the value and how to get it; not all positions were searched".into(),
                }
            }
            (Err(_), Some(how)) => format!("the engine knows a strategy: {how}"),
            (Err(_), None) if is_inductive(game) => {
                "the engine plays as if each player wants the most for himself, as far as it can search to the end"
                    .into()
            }
            (Err(why), None) => {
                let known = self.opening.as_ref().map(|opening| {
                    format!("the value is known ({}), but ", value_words(&game.rules, &opening.value, None))
                });
                let reason = why.split(';').next().unwrap_or_default();
                let how = match guesses::looks_ahead(game) {
                    true => "looks ahead by the evaluation of the rules",
                    false => "plays by the results of random games",
                };
                format!(
                    "{}the engine {how}, and plays perfectly once it can solve the rest ({reason})",
                    known.unwrap_or_default()
                )
            }
        }
    }

    /// The move of the remembered strategy, if it has one; a win at once comes first. `None` also if the value of the
    /// position is known, and the move gives some of it away: the strategy keeps what it was sure of when play began, and
    /// a mistake of the other may have given more.
    fn remembers(&self, session: &Session, successors: &[Successor]) -> Option<EngineMove> {
        let Ok(ToMove::Player(player)) = session.turn() else { return None };
        let (game, state) = (&session.game, session.state());
        let made = session.made();
        let last = made.last().zip(made.first()).map(|(last, first)| LastMove {
            before: &last.before,
            play: &last.play,
            words: &last.words,
            first: &first.play,
        });
        let keeper = self.strategy_player.as_ref()?;
        let (place, why) = keeper.choose(game, state, player, last.as_ref(), successors)?;
        let is_win_or_loss = Convention::of(&game.rules) != Convention::Payoff;
        let wins = |to: &&Successor| {
            matches!(game.machine.turn(&to.state), Ok(ToMove::Terminal(end))
                if is_win_or_loss && end.payoffs.get(player as usize) == Some(&Rational::ONE))
        };
        let chosen = &successors[place];
        if let Some(win) = successors.iter().find(wins).filter(|_| !wins(&chosen)) {
            return Some(EngineMove { successor: win.clone(), why: "it wins at once".into() });
        }
        let worth = |state: &State| self.known_value(state).map(|known| known.value.payoffs);
        let gives_away =
            worth(state).zip(worth(&chosen.state)).is_some_and(|(before, after)| before != after);
        (!gives_away).then(|| EngineMove { successor: chosen.clone(), why })
    }

    /// The move of the remembered strategy if it wins; otherwise a best move of the position, which may be worth more
    /// than what the strategy is sure of, if it is found soon.
    fn best_or_remembered(&mut self, session: &mut Session, successors: &[Successor]) -> Option<EngineMove> {
        let remembered = self.remembers(session, successors);
        let player = match session.turn() {
            Ok(ToMove::Player(player)) => player,
            _ => return None,
        };
        let wins = |opening: &OpeningStrategy| opening.value.kind == ValueKind::Win(player);
        match remembered {
            Some(choice) if self.opening.as_ref().is_some_and(wins) => Some(choice),
            Some(choice) => self
                .perfect(session, successors, QUICK_SHARE)
                .filter(|best| {
                    let worth = |to: &Successor| self.known_value(&to.state).map(|known| known.value.payoffs);
                    worth(&choice.successor) != worth(&best.successor)
                })
                .or(Some(choice)),
            None => self.perfect(session, successors, PERFECT_SHARE),
        }
    }

    /// The move of the engine; `None` if there is no legal move.
    pub fn choose(&mut self, session: &mut Session) -> Option<EngineMove> {
        let successors = session.successors().ok()?;
        if successors.len() <= 1 {
            let successor = successors.into_iter().next()?;
            return Some(EngineMove { successor, why: "it is the only legal move".into() });
        }
        let limits = self.budget.limits(Some(DEFAULT_GUESS_TIME));
        if let Some(mixed) = &self.mixed {
            let drawn = mixed.choose(session, &successors);
            return drawn.or_else(|| guesses::informed(session, &successors, &limits));
        }
        if self.is_informed {
            return guesses::informed(session, &successors, &limits);
        }
        if self.level == EngineLevel::Perfect
            && let Some(choice) = self
                .by_table(session, &successors)
                .or_else(|| self.best_or_remembered(session, &successors))
                .or_else(|| self.by_induction(session, &successors))
        {
            return Some(choice);
        }
        match self.level {
            EngineLevel::Perfect => guesses::best_guess(session, &successors, &limits),
            EngineLevel::Lookahead(plan) => guesses::ahead(session, &successors, &plan, &limits),
        }
    }

    /// Completes a simultaneous choice: one of these moves, which have the user's own choices.
    pub fn complete(&mut self, session: &mut Session, fitting: &[Successor]) -> Option<Successor> {
        if let Some(drawn) = self.mixed.as_ref().and_then(|mixed| mixed.choose(session, fitting)) {
            return Some(drawn.successor);
        }
        if self.is_informed {
            let limits = self.budget.limits(Some(DEFAULT_GUESS_TIME));
            return guesses::informed(session, fitting, &limits).map(|choice| choice.successor);
        }
        let place = session.random_below(fitting.len().max(1));
        fitting.get(place).cloned()
    }

    /// Describes the choice of a player in the current position by what he knows, if the engine searches over
    /// information sets.
    pub fn guess(&self, session: &mut Session, player: u32) -> Option<String> {
        if !self.is_informed {
            return None;
        }
        guesses::informed_advice(session, player, &self.budget.limits(Some(DEFAULT_GUESS_TIME)))
    }

    /// The move by the table, if the table has the position: the soonest win, the latest loss.
    fn by_table(&self, session: &mut Session, successors: &[Successor]) -> Option<EngineMove> {
        let NamedTable { values, name } = self.table.as_ref()?;
        let Ok(ToMove::Player(player)) = session.turn() else { return None };
        let (value, plies) = values.value(session.state())?;
        let after = successors.iter().map(|to| values.value(&to.state)).collect::<Option<Vec<_>>>()?;
        let mut keeps: Vec<usize> = (0..successors.len()).filter(|&i| after[i].0 == value).collect();
        let plies_of = |i: &usize| after[*i].1;
        let best = match value.kind {
            ValueKind::Win(winner) if winner == player => keeps.iter().map(plies_of).min(),
            _ => keeps.iter().map(plies_of).max(),
        };
        keeps.retain(|i| Some(plies_of(i)) == best);
        let successor = successors[*keeps.get(session.random_below(keeps.len().max(1)))?].clone();
        let known = KnownValue { value, plies };
        let why = reason(&session.game.rules, &known, player, keeps.len(), successors.len());
        Some(EngineMove { successor, why: format!("by the table {name}: {why}") })
    }

    /// The move by a solution of the position; of equal moves, one at random.
    /// Solving it may take one part in `share` of the time of a move.
    fn perfect(&mut self, session: &mut Session, successors: &[Successor], share: u32) -> Option<EngineMove> {
        let draw = session.random_below(successors.len().max(1) * 64);
        let (game, state) = (&session.game, session.state());
        let known = |s: &Solution| s.table.as_ref().is_some_and(|t| t.value(state).is_some());
        if !self.solved.as_ref().is_some_and(known) {
            let limits = self.budget.limits(Some(2 * DEFAULT_MOVE_TIME)).with_time_share(share);
            let options = SolveOptions { max_line_moves: 0, ..SolveOptions::default() };
            let plan = Plan::new(every_position(game, state, &options, &limits));
            self.solved = Some(solve(game, &plan, &NoProgress).ok()?);
        }
        let table = self.solved.as_ref()?.table.as_ref()?;
        let best = table.best_moves(state);
        let chosen = best.get(draw % best.len().max(1))?;
        let successor = successors.iter().find(|s| chosen.play == s.play)?;
        let known = KnownValue { value: table.value(state)?, plies: table.remoteness(state) };
        let Ok(ToMove::Player(player)) = game.machine.turn(state) else { return None };
        // Where positions come back, the best moves come nearer to an end, and others may keep the value as well. Moves to
        // positions that were not searched may be as good.
        let is_as_good = |value: &Value| value.payoffs == known.value.payoffs;
        let counted = match known.plies {
            Some(_) => best.len(),
            None => {
                let values = table.moves(state).into_iter().filter_map(|of| of.value);
                values.filter(is_as_good).count().max(best.len())
            }
        };
        let count = if table.is_complete() { counted } else { counted.max(2) };
        let why = reason(&game.rules, &known, player, count, successors.len());
        Some(EngineMove { successor: successor.clone(), why })
    }

    /// The move by backward induction, where players' interests are not opposed; of equal moves, one at random.
    fn by_induction(&self, session: &mut Session, successors: &[Successor]) -> Option<EngineMove> {
        if !is_inductive(&session.game) {
            return None;
        }
        let draw = session.random_below(successors.len().max(1) * 64);
        let (game, state) = (&session.game, session.state());
        let solution = self.induction(game, state)?;
        let best = &solution.best_moves;
        let chosen = best.get(draw % best.len().max(1))?;
        let successor = successors.iter().find(|s| chosen.play == s.play)?;
        let others = if best.len() == 1 { "no other move is as good" } else { "other moves may be as good" };
        let why = match &solution.value {
            Some(value) => format!("with best play: {}; {others}", value_words(&game.rules, value, None)),
            None => format!("if each player wants the most for himself; {others}"),
        };
        Some(EngineMove { successor: successor.clone(), why })
    }

    /// The solution by backward induction, where players' interests are not opposed.
    fn induction(&self, game: &Game, state: &State) -> Option<Solution> {
        let limits = self.budget.limits(Some(DEFAULT_MOVE_TIME));
        let options = SolveOptions { max_line_moves: 0, ..SolveOptions::default() };
        let request = SolveRequest::new(game, state, &options, &limits, &NoProgress);
        is_inductive(game).then(|| MaxN.solve(&request).ok())?
    }

    /// Describes the payoffs of a position if each player wants the most for himself; `None` if they are not known.
    pub fn describe_induction(&self, game: &Game, state: &State) -> Option<String> {
        let value = self.induction(game, state)?.value?;
        Some(value_words(&game.rules, &value, None))
    }

    /// Describes how a player chooses in the current position by the mixed strategy, if there is one.
    pub fn advice(&self, session: &Session, player: u32) -> Option<String> {
        self.mixed.as_ref()?.advice(session, player)
    }

    /// Describes the value of the position that play began with, if it is known.
    pub fn describe_opening(&self, game: &Game) -> Option<String> {
        Some(value_words(&game.rules, &self.opening.as_ref()?.value, None))
    }

    /// The known value of a position.
    fn known_value(&self, state: &State) -> Option<KnownValue> {
        if let Some(NamedTable { values, .. }) = &self.table
            && let Some((value, plies)) = values.value(state)
        {
            return Some(KnownValue { value, plies });
        }
        let solved = || {
            let table = self.solved.as_ref()?.table.as_ref()?;
            Some(KnownValue { value: table.value(state)?, plies: table.remoteness(state) })
        };
        let opening = || {
            let opening = self.opening.as_ref().filter(|opening| opening.start == *state)?;
            Some(KnownValue { value: opening.value.clone(), plies: None })
        };
        solved().or_else(opening)
    }

    /// Describes the known value of a position.
    pub fn describe_value(&self, game: &Game, state: &State) -> Option<String> {
        let KnownValue { value, plies } = self.known_value(state)?;
        let words = value_words(&game.rules, &value, plies);
        let named = self.table.as_ref().filter(|table| table.values.value(state).is_some());
        Some(named.map_or(words.clone(), |table| format!("{words} (table {})", table.name)))
    }

    /// Explains the value of the current position, a line for each reason: the move of the remembered strategy, the
    /// threats or refutations that decide, or else a line of best play.
    pub fn explain(&self, session: &mut Session) -> Vec<String> {
        let mut lines = Vec::new();
        let state = session.state().clone();
        let successors = session.successors().unwrap_or_default();
        if let Some(choice) = self.remembers(session, &successors) {
            let words = session.game.notation(&state, &choice.successor.play);
            lines.push(format!("{words}: {}", choice.why));
        }
        let value = |state: &State| self.known_value(state);
        match (Explainer { game: &session.game, value: &value }).explain(&state) {
            Some(why) => lines.push(why),
            None => {
                let line = self.best_line(&session.game, &state);
                if line.len() > 1 {
                    lines.push(format!("a line of best play: {}", move_sequence(&line)));
                }
            }
        }
        lines.extend(
            self.opening
                .as_ref()
                .filter(|opening| opening.start == state)
                .and_then(|opening| Some(format!("the strategy: {}", opening.statement.as_ref()?))),
        );
        lines
    }
}

/// Returns true if backward induction may tell what players do, since their interests are not opposed.
fn is_inductive(game: &Game) -> bool {
    let rules = &game.rules;
    let payoffs = rules.ends.iter().any(|end| matches!(end.outcome, OutcomeExpr::Payoff(_)));
    rules.players().len() > 2 || rules.players().len() == 2 && payoffs && !is_two_player_fixed_sum(game)
}

/// The reason for a move that is best by known values: `best` of `legal` moves are.
fn reason(rules: &Rules, known: &KnownValue, player: u32, best: usize, legal: usize) -> String {
    let KnownValue { value, plies } = known;
    let worth = value_words(rules, value, *plies);
    let moves = plies.map(|plies| count_with_noun(u64::from(plies), "ply", "plies"));
    match value.kind {
        ValueKind::Win(winner) if winner == player => {
            let others = if best == 1 { "; no other move is as good" } else { "" };
            let within = moves.map_or(String::new(), |moves| format!(" in {moves}"));
            format!("it wins{within}{others}")
        }
        ValueKind::Win(_) if best < legal => format!("every move loses, and this one takes longest: {worth}"),
        ValueKind::Win(_) => format!("every move loses: {worth}"),
        ValueKind::Draw if best == 1 => "only this move keeps the draw".into(),
        ValueKind::Draw => "it keeps the draw".into(),
        ValueKind::Payoff | ValueKind::Solved | ValueKind::Unsolvable => {
            let others = if best == 1 { "no other move is as good" } else { "it keeps that" };
            format!("with best play: {worth}; {others}")
        }
    }
}

/// A move that gave away value.
pub struct Mistake {
    /// The number of the move in the play, from 0.
    pub ply: usize,
    /// The player who made it.
    pub player: u32,
    /// True if the user chose it.
    pub by_user: bool,
    /// True if it turned a position that was not lost into a loss.
    pub loses: bool,
    /// The value before it, in words.
    pub before: String,
    /// The value after it, in words.
    pub after: String,
    /// The moves that would have kept the value.
    pub better: Vec<String>,
}

impl Engine {
    /// True if the engine has no advice, since it would read what the rules hide from the player to move.
    pub fn is_blind(&self, game: &Game) -> bool {
        game.rules.has_hidden_information()
    }

    /// A line of best play from a position, as far as its values are known: each move with the answer to it.
    fn best_line(&self, game: &Game, state: &State) -> Vec<String> {
        let Some(table) = self.solved.as_ref().and_then(|solved| solved.table.as_ref()) else {
            return Vec::new();
        };
        let mut line = Vec::new();
        let mut state = state.clone();
        while line.len() < MAX_REASON_PLIES {
            let best = table.best_moves(&state);
            let Some(made) = best.first() else { break };
            line.push(made.written.clone());
            let Ok(successors) = game.machine.successors(&state) else { break };
            let Some(next) = successors.into_iter().find(|next| next.play == made.play) else { break };
            state = next.state;
        }
        line
    }

    /// The value of a position to a player: less is worse; `None` if it is not known.
    fn worth(&self, state: &State, player: u32) -> Option<Rational> {
        self.known_value(state)?.value.payoffs.get(player as usize).cloned()
    }

    /// Solves the positions of a play whose values are not known, as far as the time allows: from the last one back,
    /// since earlier ones are larger.
    fn solve_play(&mut self, session: &Session) {
        let game = &session.game;
        let limits = self.budget.limits(Some(DEFAULT_SOLVE_TIME));
        let options = SolveOptions { max_line_moves: 0, ..SolveOptions::default() };
        for made in session.made().iter().rev() {
            let known = |state: &State| self.known_value(state).is_some();
            let decides = matches!(game.machine.turn(&made.before), Ok(ToMove::Player(_)));
            if !decides || known(&made.before) && known(&made.after) {
                continue;
            }
            let plan = Plan::new(every_position(game, &made.before, &options, &limits));
            match solve(game, &plan, &NoProgress) {
                Ok(solution) => self.solved = Some(solution),
                Err(_) => return,
            }
        }
    }

    /// The moves that gave away value, and true if the value of every position of the play in which somebody chooses
    /// is known. Positions that were not solved yet are solved as far as the time allows, unless information is hidden.
    pub fn review(&mut self, session: &Session) -> (Vec<Mistake>, bool) {
        let game = &session.game;
        if !self.is_blind(game) {
            self.solve_play(session);
        }
        let mut mistakes = Vec::new();
        let mut is_complete = true;
        for (ply, made) in session.made().iter().enumerate() {
            let Ok(ToMove::Player(player)) = game.machine.turn(&made.before) else { continue };
            let known = self.worth(&made.before, player).zip(self.worth(&made.after, player));
            let Some((before, after)) = known else {
                is_complete = false;
                continue;
            };
            // A single player who is as far from the end as before has wasted a move.
            let plies = |state: &State| self.known_value(state).and_then(|known| known.plies);
            let alone = game.rules.players().len() == 1;
            let is_wasted = |left: &State| {
                alone && plies(left).zip(plies(&made.before)).is_some_and(|(left, before)| left >= before)
            };
            if after >= before && !is_wasted(&made.after) {
                continue;
            }
            let successors = game.machine.successors(&made.before).unwrap_or_default();
            let keeps = |next: &&Successor| {
                self.worth(&next.state, player).is_some_and(|worth| worth >= before)
                    && !is_wasted(&next.state)
            };
            let better = successors.iter().filter(keeps).map(|next| game.notation(&made.before, &next.play));
            let words = |state: &State| self.describe_value(game, state).unwrap_or_default();
            let kind = self.known_value(&made.after).map(|known| known.value.kind);
            mistakes.push(Mistake {
                ply,
                player,
                by_user: made.by_user,
                loses: matches!(kind, Some(ValueKind::Win(winner)) if winner != player),
                before: words(&made.before),
                after: words(&made.after),
                better: better.collect(),
            });
        }
        (mistakes, is_complete)
    }
}

/// The question for the values of all positions.
fn every_position<'a>(
    game: &'a Game,
    state: &'a State,
    options: &'a SolveOptions,
    limits: &'a Limits,
) -> Question<'a> {
    Question { route: Route::GraphOnly, ..Question::new(game, state, options, limits) }
}

/// A player by mixed strategies or an equilibrium, if they are found in time.
fn mixed_player(game: &Game, start: &State, budget: &Budget, progress: &dyn Progress) -> Option<MixedPlayer> {
    let options = SolveOptions {
        max_line_moves: 0,
        max_strategy_positions: MAX_EQUILIBRIUM_POSITIONS,
        ..SolveOptions::default()
    };
    let limits = budget.limits(Some(DEFAULT_SOLVE_TIME));
    let solution = Plan::new(Question::new(game, start, &options, &limits)).run(progress).ok()?.solution;
    MixedPlayer::new(game, start, solution, &limits)
}

/// A solution with a table, or the reason in words why there is none.
fn solve(game: &Game, plan: &Plan<'_>, progress: &dyn Progress) -> Result<Solution, String> {
    let answer = plan.run(progress).map_err(|met| faults::describe(game, &met.kind))?;
    let solution = answer.solution;
    if solution.is_answered() && solution.table.is_some() {
        Ok(solution)
    } else {
        Err(solution.reason.unwrap_or_else(|| "it was not solved".into()))
    }
}
