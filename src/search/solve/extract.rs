//! Solution extraction from a search without a full table: the value or bounds, best moves and the principal variation;
//! or the reason why the search ended early.
//!
//! Technique: extraction repeats searches whose results were dropped, with the table still in place.
//! Cost: best moves and principal variation get a budget of about the cost of the value.
//! Invariant: the value holds, whatever part of the rest is missing.

use bouton_base::rational::Rational;
use rustc_hash::FxHashSet;

use super::leaf_value::{self, WIN_SCORE};
use super::payoffs::PayoffModel;
use super::ranking_function::RankViolation;
use super::transpositions::{SCORE_MAX, SCORE_MIN};
use super::value::{Inapplicable, StrategyAnswer};
use super::{Bounds, MoveValue, Solution, SolveOptions, Status, StrategyReplies, ValueKind, WrittenMove};
use crate::game::explore::{FaultyPosition, PositionFault};
use crate::game::{CompiledMachine, Game, MachineError, MoveInstance, ToMove};
use bouton_backend::{self as exec, Children};
use bouton_base::limits::{LimitHit, Limits};
use bouton_certificates::InfinitePlay;
use bouton_circuit::Position;

mod ranked_strategy;

/// The number of positions, beyond that for the value, for best moves and principal variation.
const EXTRACTION_NODES: u64 = 100_000;

/// The number of positions, beyond an eighth of those for the value, for listing a strategy that nobody asked for.
const LISTING_NODES: u64 = 500_000;

/// The approximate overhead of a position in a set in bytes, without its words.
const POSITION_OVERHEAD_BYTES: usize = 48;

/// The factor by which the positions gathered for a strategy may exceed the positions of the strategy.
const MAX_GATHERED_FACTOR: usize = 20;

const TOO_LONG: &str = "the strategy is too long to be checked in passing; `--certificate OUT` lists it";

/// Returns the reason why a strategy was not listed, for a search that ended early.
fn unlisted(halted: SearchInterrupted) -> String {
    match halted {
        SearchInterrupted::Limit(hit) => format!("{hit} before the strategy was listed"),
        _ => "listing the strategy would take longer than finding it".into(),
    }
}

/// The reason why there is no value if positions may repeat.
pub(super) const MAY_REPEAT_REASON: &str = "the solver found no ranking function that increases along every \
    play, so positions may come back: this method needs a finite game";

/// The reason why there is no value if the compiled rules report a fault and the interpreter does not.
const BACKEND_DISAGREES: &str =
    "a bug of bouton: the compiled rules report a fault that the definition does not have";

/// The reason why a search ended early.
pub(super) enum SearchInterrupted {
    Limit(LimitHit),
    /// The budget of positions for extraction is exhausted.
    BudgetExhausted,
    /// The rules have a fault in this position.
    RulesFault(Position),
    /// The method does not apply, for this reason, in one sentence.
    NotApplicable(String),
    /// A local budget is exhausted: an attack is given up.
    LocalBudgetExhausted,
    /// A move did not increase the ranking function. It is adjusted now, and the search must restart.
    Restart,
}

impl From<RankViolation> for SearchInterrupted {
    fn from(strayed: RankViolation) -> SearchInterrupted {
        match strayed {
            RankViolation::Learned => SearchInterrupted::Restart,
            RankViolation::NoRankingFunction => SearchInterrupted::NotApplicable(MAY_REPEAT_REASON.into()),
        }
    }
}

impl From<Inapplicable> for SearchInterrupted {
    fn from(why: Inapplicable) -> SearchInterrupted {
        SearchInterrupted::NotApplicable(why.to_string())
    }
}

/// A search engine, as solution extraction uses it.
pub(super) trait SearchEngine {
    /// The compiled game.
    fn machine(&self) -> &CompiledMachine;

    /// The limits of the work.
    fn limits(&self) -> &Limits;

    /// The total number of visited positions.
    fn nodes(&self) -> u64;

    /// Limits the total number of visited positions.
    fn set_node_limit(&mut self, nodes: u64);

    /// The peak memory in bytes.
    fn held_bytes(&self) -> u64;

    /// With margins: 1 if the higher score is better, -1 if the lower is.
    fn score_sign(&self) -> Option<i64>;

    /// The minimal and the maximal value to the first player.
    fn range(&self) -> (i32, i32);

    /// Narrows the bounds of a position's value, as far as the limits allow.
    fn value(&mut self, at: &Position, bounds: &mut (i32, i32)) -> Result<(), SearchInterrupted>;

    /// Returns true if a move to this position keeps a value for the player who makes it.
    fn keeps_value(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, SearchInterrupted>;

    /// Searches a position with a known value again, so that the moves that achieve the value are known.
    fn re_search(&mut self, at: &Position, maximises: bool, value: i32) -> Result<(), SearchInterrupted>;

    /// Returns the approximate number of visits after which it was known that a move to this position keeps a value for
    /// the player who makes it; `None` if that is unknown without a search.
    fn known_to_keep_value(&self, to: &Position, maximises: bool, value: i32) -> Option<u64>;

    /// Converts the value after a move to the value before it.
    fn value_before(&self, value: i32) -> i32 {
        value
    }

    /// Returns the payoff of infinite play to the first player, if positions may repeat.
    fn infinite_payoff(&self) -> Option<i32> {
        None
    }

    /// Returns the path of a search that ended early, from its root.
    fn path(&self) -> Vec<Position>;
}

/// A request for a strategy.
#[derive(Clone, Copy)]
struct StrategyRequest<'p> {
    from: &'p Position,
    /// The value that it guarantees to the first player, and the player whose strategy it is.
    value: i32,
    player: u32,
    /// The maximal number of its positions.
    most: usize,
}

impl StrategyRequest<'_> {
    /// Returns true if the player maximizes the value.
    fn maximises(self) -> bool {
        self.player == 0
    }
}

/// Builds a solution from the results of a search engine.
pub(super) struct SolutionBuilder<'a, S> {
    pub game: &'a Game,
    pub search: S,
    /// The constant sum of the players' payoffs.
    pub sum: Rational,
    /// True if the objective is the score margin.
    pub margin: bool,
    /// True if values count plies.
    pub plies: bool,
    /// The positions before the root of the current search.
    pub before: Vec<Position>,
    /// The number of positions that the search of the value may visit before it is suspended.
    pub value_nodes: u64,
}

/// The state of the search of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchProgress {
    /// The search has ended, with the value or with the reason why there is none.
    Ended,
    /// The budget of positions is exhausted; the search can be resumed.
    Suspended,
}

impl<S: SearchEngine> SolutionBuilder<'_, S> {
    /// Decodes a value of the search to a payoff and, if plies are counted, their number.
    fn read(&self, value: i32) -> (Rational, Option<u32>) {
        let (worth, plies) = match self.plies {
            // Search values take an end to be one ply away; a root that is itself terminal is at its end.
            true => (value.signum(), (value != 0).then(|| (WIN_SCORE - value.abs()).max(0) as u32)),
            false => (value, None),
        };
        (Rational::from(i64::from(worth)), plies)
    }

    fn stakes(&self) -> PayoffModel {
        PayoffModel {
            ends: Vec::new(),
            sum: self.sum.clone(),
            infinite: None,
            range: None,
            win_loss: leaf_value::is_win_loss_draw(&self.game.rules, self.margin),
            players: 2,
            margin: self.margin.then(|| self.search.score_sign().unwrap_or(1)),
        }
    }

    fn made(&self, at: &Position, play: MoveInstance) -> WrittenMove {
        let written = self.game.notation(&self.search.machine().state(at), &play);
        WrittenMove { play, written }
    }

    /// Solves a position: its value, the requested moves, and best moves and principal variation if `moves` is true.
    /// The solution is unchanged if the search is suspended.
    pub fn solve(
        &mut self,
        from: &Position,
        options: &SolveOptions,
        moves: bool,
        solution: &mut Solution,
    ) -> Result<SearchProgress, Box<FaultyPosition>> {
        let began = self.search.nodes();
        self.search.set_node_limit(began.saturating_add(self.value_nodes));
        self.before.clear();
        let wide = self.search.range();
        let mut bounds = wide;
        let searched = self.search.value(from, &mut bounds);
        if matches!(searched, Err(SearchInterrupted::BudgetExhausted)) {
            return Ok(SearchProgress::Suspended);
        }
        solution.reason = None;
        let result = match searched {
            Ok(()) => {
                self.tell_value(bounds.0, solution);
                let told = if moves { self.tell(from, bounds.0, options, solution) } else { Ok(()) };
                if moves && told.is_ok() && options.max_strategy_positions > 0 {
                    solution.replies =
                        Some(self.replies(from, bounds.0, options.max_strategy_positions, solution));
                }
                told
            }
            Err(halted) => {
                let told = |bound: i32| if self.plies { bound.signum() } else { bound };
                if (told(bounds.0), told(bounds.1)) != (told(wide.0), told(wide.1)) {
                    solution.status = Status::Bounded;
                    let known = |bound: i32, none: i32| {
                        (bound != none).then(|| Rational::from(i64::from(told(bound))))
                    };
                    let told = Bounds { low: known(bounds.0, SCORE_MIN), high: known(bounds.1, SCORE_MAX) };
                    let lower_is_better = self.margin && self.search.score_sign() == Some(-1);
                    solution.bounds = Some(if lower_is_better { told.negated() } else { told });
                    solution.by_margin = self.margin;
                }
                Err(halted)
            }
        };
        if let Err(halted) = result {
            self.give_up(halted, solution)?;
        }
        solution.positions = self.search.nodes() - began;
        solution.memory_bytes = self.search.held_bytes();
        Ok(SearchProgress::Ended)
    }

    fn tell_value(&self, value: i32, solution: &mut Solution) {
        let stakes = self.stakes();
        let (number, remoteness) = self.read(value);
        solution.remoteness = remoteness;
        solution.status = Status::Solved;
        solution.value = Some(stakes.describe(number.clone(), false));
        solution.margin = stakes.margin.map(|way| number * Rational::from(way));
        solution.by_margin = self.margin;
    }

    /// Returns the strategies that prove a value, of at most `most` positions each; or the reason why there are none.
    fn replies(
        &mut self,
        from: &Position,
        value: i32,
        most: usize,
        solution: &Solution,
    ) -> Result<Vec<StrategyReplies>, String> {
        if self.margin {
            return Err("there is no kind of certificate for play for the margin yet".into());
        }
        if self.plies {
            return Err("no strategy is listed with --distance: leave it out".into());
        }
        let Some(worth) = &solution.value else { return Err("the value is not known".into()) };
        let players = match worth.kind {
            ValueKind::Win(player) => vec![player],
            _ => vec![0, 1],
        };
        // By default the strategy gets a fraction of the value's cost; if requested without a bound, an unlimited
        // budget.
        let nodes = self.search.nodes();
        let in_passing = nodes.saturating_add(nodes / 8).saturating_add(LISTING_NODES);
        self.search.set_node_limit(if most == usize::MAX { u64::MAX } else { in_passing });
        let mut all = Vec::new();
        for player in players {
            let payoff = worth.payoffs[player as usize].clone();
            let ranked = self.player_forcing_end(value) == Some(player);
            let ending = self
                .search
                .infinite_payoff()
                .map(|_| if ranked { InfinitePlay::Ranked } else { InfinitePlay::Safe });
            let wanted = StrategyRequest { from, value, player, most };
            let answers = if ranked { self.by_ranks(wanted)? } else { self.answers(wanted)? };
            all.push(StrategyReplies { player, payoff, infinite_play: ending, plies: None, answers });
        }
        Ok(all)
    }

    /// Returns a strategy: a move for each position of a player that is reachable under these moves, from a root where
    /// he can guarantee a value.
    fn answers(&mut self, wanted: StrategyRequest) -> Result<Vec<StrategyAnswer>, String> {
        let (mut answers, mut met, mut ahead) = (Vec::new(), FxHashSet::default(), vec![wanted.from.clone()]);
        met.insert(wanted.from.clone());
        while let Some(at) = ahead.pop() {
            // A position may be in the visited set, in the stack, and in the answers.
            let each = size_of::<Position>() + 8 * at.words.len() + POSITION_OVERHEAD_BYTES;
            let held = ((met.len() + ahead.len() + 2 * answers.len()) * each) as u64;
            if let Some(hit) = self.search.limits().check_held(held + self.search.held_bytes()) {
                return Err(format!("{hit} before the strategy was listed"));
            }
            let children = self.after(&at);
            if self.search.machine().actor(at.control) != wanted.player {
                ahead.extend(children.into_iter().filter(|to| met.insert(to.clone())));
                continue;
            }
            let kept = self.known_keeping_moves(&at, &children, wanted).map_err(unlisted)?;
            // A successor that is already visited costs nothing; a small search effort indicates a short strategy.
            let cost = |&(number, looked): &(usize, u64)| match met.contains(&children[number]) {
                true => (0, number),
                false => (looked + 1, number),
            };
            let chosen = kept.into_iter().min_by_key(cost);
            // A terminal has no moves.
            let Some(to) = chosen.map(|(number, _)| children[number].clone()) else { continue };
            let named = self.children(&at).into_iter().find(|(_, after)| *after == to);
            let Some((play, to)) = named else { continue };
            answers.push(StrategyAnswer { at: self.search.machine().state(&at), play, rank: None });
            if answers.len() > wanted.most {
                return Err(TOO_LONG.into());
            }
            if met.insert(to.clone()) {
                ahead.push(to);
            }
        }
        Ok(answers)
    }

    /// Returns a strategy with ranks for a player who must force an end: among all known good moves those that end
    /// soonest.
    fn by_ranks(&mut self, wanted: StrategyRequest) -> Result<Vec<StrategyAnswer>, String> {
        let most = wanted.most.saturating_mul(MAX_GATHERED_FACTOR);
        let found = self.gather(StrategyRequest { most, ..wanted }).map_err(unlisted)?;
        let answers =
            self.ranked_answers(&found).ok_or("the search did not store which moves bring the end nearer")?;
        if answers.len() > wanted.most {
            return Err(TOO_LONG.into());
        }
        let machine = self.search.machine();
        let answered = |(at, play, rank)| StrategyAnswer { at: machine.state(&at), play, rank: Some(rank) };
        Ok(answers.into_iter().map(answered).collect())
    }

    /// Returns the successors in the order of [`children`](Self::children), without the cost of move names.
    fn after(&self, at: &Position) -> Vec<Position> {
        let machine = self.search.machine();
        let mut children = Vec::new();
        if machine.runner().expand(at, &mut children).is_err() {
            return Vec::new();
        }
        children.sort_by_key(|child| machine.rank(child.group, child.lane));
        children.into_iter().map(|child| child.position).collect()
    }

    fn is_over(&self, at: &Position) -> bool {
        let mut children = Children::default();
        let status = self.search.machine().runner().children(at, &mut children);
        matches!(status, Ok(exec::Status::Over(_))) || children.moves.is_empty()
    }

    fn children(&self, at: &Position) -> Vec<(MoveInstance, Position)> {
        self.search.machine().children(at).unwrap_or_default()
    }

    /// Extracts best moves and the principal variation, within the budget of the value. Of a player who must force an end
    /// only moves that bring it nearer are best ones.
    fn tell(
        &mut self,
        from: &Position,
        value: i32,
        options: &SolveOptions,
        solution: &mut Solution,
    ) -> Result<(), SearchInterrupted> {
        let children = self.search.machine().children(from).unwrap_or_default();
        let listed = match options.all_moves {
            true => self.all_moves(from, value, &children, solution),
            false => Ok(()),
        };
        if let Err(halted @ SearchInterrupted::RulesFault(_)) = listed {
            return Err(halted);
        }
        self.search.set_node_limit(self.search.nodes().saturating_mul(2).saturating_add(EXTRACTION_NODES));
        // Also where the values of some moves are not known, those that are told bring the end nearer.
        let told = self.best_play(from, value, &children, options, solution);
        solution.best_moves_complete &= listed.is_ok();
        match told {
            Err(halted @ SearchInterrupted::RulesFault(_)) => Err(halted),
            // The value holds without the rest.
            _ => Ok(()),
        }
    }

    fn all_moves(
        &mut self,
        from: &Position,
        value: i32,
        children: &[(MoveInstance, Position)],
        solution: &mut Solution,
    ) -> Result<(), SearchInterrupted> {
        let moves = children.iter().map(|(play, _)| self.made(from, play.clone()));
        let moves =
            moves.map(|made| MoveValue { made, value: None, bounds: None, remoteness: None, nimber: None });
        solution.moves = moves.collect();
        self.before = vec![from.clone()];
        for ((_, to), told) in children.iter().zip(&mut solution.moves) {
            let mut bounds = self.search.range();
            self.search.value(to, &mut bounds)?;
            let worth = self.search.value_before(bounds.0);
            let (number, remoteness) = self.read(worth);
            told.value = Some(self.stakes().describe(number, false));
            told.remoteness = remoteness;
            if worth == value {
                solution.best_moves.push(told.made.clone());
            }
        }
        solution.best_moves_complete = true;
        Ok(())
    }

    fn best_play(
        &mut self,
        from: &Position,
        value: i32,
        children: &[(MoveInstance, Position)],
        options: &SolveOptions,
        solution: &mut Solution,
    ) -> Result<(), SearchInterrupted> {
        let mover = self.search.machine().actor(from.control);
        // Moves that keep the value may cycle.
        let mut nearer = None;
        match self.player_forcing_end(value) {
            Some(player) if options.max_line_moves > 0 || player == mover => {
                // Until it is known which moves bring the end nearer, none is told.
                let equal = std::mem::take(&mut solution.best_moves);
                solution.best_moves_complete = false;
                let wanted = StrategyRequest { from, value, player, most: EXTRACTION_NODES as usize };
                let found = self.gather(wanted)?;
                let line = self.forced_line(&found, wanted, options.max_line_moves)?;
                solution.line = line.into_iter().map(|(at, play)| self.made(&at, play)).collect();
                solution.best_moves = equal;
                nearer = (player == mover).then_some(found);
            }
            _ => self.kept_play(from, value, options, solution)?,
        }
        solution.line_complete = solution.line.len() < options.max_line_moves;
        let brings_nearer = |to: &Position| nearer.as_ref().is_none_or(|found| found.brings_nearer(to));
        let mut are_all = true;
        for (play, _) in children.iter().filter(|(_, to)| !brings_nearer(to)) {
            let before = solution.best_moves.len();
            solution.best_moves.retain(|made| made.play != *play);
            are_all &= solution.best_moves.len() == before;
        }
        if let Some(first) = solution.line.first().filter(|_| solution.best_moves.is_empty()) {
            solution.best_moves.push(first.clone());
        }
        // The rest of the budget is for the other moves of equal value.
        self.before = vec![from.clone()];
        for (play, to) in children {
            let known = solution.best_moves.iter().any(|made| made.play == *play);
            if !options.all_moves && !known && self.search.keeps_value(to, mover == 0, value)? {
                if !brings_nearer(to) {
                    are_all = false;
                    continue;
                }
                let made = self.made(from, play.clone());
                solution.best_moves.push(made);
            }
        }
        solution.best_moves_complete = are_all;
        Ok(())
    }

    /// Extracts the line of first moves that keep the value.
    fn kept_play(
        &mut self,
        from: &Position,
        value: i32,
        options: &SolveOptions,
        solution: &mut Solution,
    ) -> Result<(), SearchInterrupted> {
        let (mut at, mut left) = (from.clone(), value);
        let endless = self.search.infinite_payoff().is_some();
        self.before.clear();
        while solution.line.len() < options.max_line_moves {
            let maximises = self.search.machine().actor(at.control) == 0;
            let here = self.search.machine().children(&at).unwrap_or_default();
            self.before.push(at.clone());
            let mut best = None;
            for (play, to) in here {
                // A best line ends before a repetition.
                if endless && self.before.contains(&to) {
                    continue;
                }
                if self.search.keeps_value(&to, maximises, left)? {
                    best = Some((play, to));
                    break;
                }
            }
            let Some((play, to)) = best else { break };
            solution.line.push(self.made(&at, play));
            // If plies are counted, one less is left.
            left += if self.plies { left.signum() } else { 0 };
            at = to;
        }
        Ok(())
    }

    /// Records the reason why a search ended early.
    fn give_up(
        &mut self,
        halted: SearchInterrupted,
        solution: &mut Solution,
    ) -> Result<(), Box<FaultyPosition>> {
        let (limit, reason) = match halted {
            SearchInterrupted::Limit(hit) => (Some(hit), hit.to_string()),
            SearchInterrupted::NotApplicable(reason) => (None, reason),
            SearchInterrupted::RulesFault(at) => match self.broken(&at) {
                Ok(Some(broken)) => return Err(Box::new(broken)),
                Ok(None) => (None, BACKEND_DISAGREES.into()),
                Err(hit) => (Some(hit), hit.to_string()),
            },
            SearchInterrupted::BudgetExhausted
            | SearchInterrupted::Restart
            | SearchInterrupted::LocalBudgetExhausted => (None, MAY_REPEAT_REASON.into()),
        };
        if limit.is_none() {
            solution.status = Status::Unknown;
            solution.bounds = None;
        }
        solution.limit = limit;
        solution.reason = Some(reason);
        Ok(())
    }

    /// Returns a position with a fault, with the play that led to it; `None` if the interpreter finds no fault there.
    fn broken(&self, at: &Position) -> Result<Option<FaultyPosition>, LimitHit> {
        let search = &self.search;
        let state = search.machine().state(at);
        let kind = match self.game.with_limits(search.limits()).machine.expand(&state) {
            Err(MachineError::Fault(fault)) => PositionFault::Fault(fault),
            Err(MachineError::Limit(hit)) => return Err(hit),
            Ok((ToMove::Terminal(_), _)) => return Ok(None),
            Ok((_, moves)) if !moves.is_empty() => return Ok(None),
            Ok(_) => PositionFault::Stuck,
        };
        let path: Vec<Position> =
            self.before.iter().cloned().chain(search.path()).chain([at.clone()]).collect();
        let step = |pair: &[Position]| {
            let children = search.machine().children(&pair[0]).unwrap_or_default();
            children.into_iter().find(|(_, to)| *to == pair[1]).map(|(play, _)| play)
        };
        Ok(Some(FaultyPosition { line: path.windows(2).filter_map(step).collect(), state, kind }))
    }
}
