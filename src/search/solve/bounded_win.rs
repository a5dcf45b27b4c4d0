//! Wins within a number of plies.
//!
//! Technique: iterative deepening. For each number of plies in turn, a depth-first search of the And-Or tree answers
//! whether a player can force a win within them; a transposition table stores for each position within how many plies
//! the win is proved, and within how many it is refuted. The first number with a win is exact.
//! In a long search, the table stores each position under its canonical form by the symmetries of the rules.
//! Source: Korf, "Depth-first iterative-deepening" (1985); Slate and Atkin, "CHESS 4.5" (1977) for the table.
//! Cost: the tree of the win's depth, with one move of the winner where the order of moves is good.
//! Invariant: a proved win is a finite tree with terminals as leaves, whatever the history: the plies to the win fall
//! along each play by it, so no position comes back.
//! Not taken: proof numbers, which decide best where few moves force matters; [df-pn](super::proof_number) does so
//! without a bound of the plies.

use bouton_base::rational::Rational;
use rustc_hash::FxHashMap;

use super::alphabeta::{value_search_input, wins_are_own};
use super::extract::SearchInterrupted;
use super::leaf_value::{SearchObjective, is_win_loss_draw};
use super::proof_number::question::{ExpansionResult, PositionExpander, to_words};
use super::solver::SolveRequest;
use super::symmetry_state::{SYMMETRY_AFTER_NODES, SymmetryState};
use super::transpositions::{TranspositionEntry, TranspositionTable, hash};
use super::value::{Inapplicable, StrategyAnswer, StrategyReplies};
use super::{Solution, Status, Value, ValueKind, WrittenMove};
use crate::game::{CompiledMachine, MoveInstance};
use bouton_base::limits::LimitHit;
use bouton_circuit::Position;

/// The name of the method in reports.
const NAME: &str = "within";
/// The greatest number of plies: the search recurses once for each.
pub const MAX_PLIES: u32 = 1000;
/// The memory budget of the table in bytes if no limit is set.
const DEFAULT_MEMORY_BYTES: u64 = 1 << 30;
/// The factor by which the positions for line and strategy may exceed those for the value.
const EXTRACTION_FACTOR: u64 = 20;
/// The upper bound of a position in which the player never wins.
const NEVER: i32 = -30_000;

/// The result of a search for a win within some plies.
#[derive(Clone, Debug)]
pub enum BoundedWin {
    /// A player wins; the solution has the exact number of plies.
    Wins(Box<Solution>),
    /// None of the players can force a win within the plies.
    NoWin(Box<Solution>),
    /// The search has no answer: its solution has the reason.
    Unknown(Box<Solution>),
}

/// Searches for a win of one of these players within `plies` plies, the shortest one; the search visits at most
/// `positions` positions for each player.
pub fn search(request: &SolveRequest<'_>, players: &[u32], plies: u32, positions: u64) -> BoundedWin {
    let mut searches = Vec::new();
    for &player in players {
        match WinSearch::new(request, player) {
            Ok(mut search) => {
                search.eyes.max_nodes = positions;
                searches.push(search);
            }
            Err(reason) => {
                return BoundedWin::Unknown(Box::new(Solution::inapplicable(NAME, "", reason)));
            }
        }
    }
    request.progress.phase("searching");
    let root = request.game.compiled().and_then(|machine| machine.position(request.state));
    let Some(root) = root else {
        let reason = "the compiled rules cannot hold this position";
        return BoundedWin::Unknown(Box::new(Solution::unknown(NAME, "", reason)));
    };
    let mut found = Ok(None);
    'plies: for plies in 0..=plies.min(MAX_PLIES) {
        for (number, search) in searches.iter_mut().enumerate() {
            match search.wins_from(&root, plies) {
                Ok(false) => {}
                Ok(true) => {
                    found = Ok(Some((number, plies)));
                    break 'plies;
                }
                Err(why) => {
                    found = Err(why);
                    break 'plies;
                }
            }
        }
    }
    let positions = searches.iter().map(|search| search.eyes.nodes).sum();
    let memory_bytes = searches.iter().map(|search| search.table.held_bytes()).sum();
    let of_costs = |solution: Solution| Box::new(Solution { positions, memory_bytes, ..solution });
    match found {
        Ok(Some((number, plies))) => {
            let most = positions.saturating_mul(EXTRACTION_FACTOR);
            searches[number].eyes.max_nodes = most.saturating_add(searches[number].eyes.nodes);
            let solution = searches[number].solution(request, &root, plies);
            BoundedWin::Wins(of_costs(solution))
        }
        Ok(None) => {
            let names =
                players.iter().filter_map(|&player| request.game.rules.players().get(player as usize));
            let names: Vec<&str> = names.map(String::as_str).collect();
            let reason = match names[..] {
                [only] => format!("{only} cannot force a win within {plies} plies"),
                _ => format!("nobody can force a win within {plies} plies"),
            };
            let nobody = names.len() == request.game.rules.players().len();
            let no_win_within = nobody.then_some(plies);
            BoundedWin::NoWin(of_costs(Solution { no_win_within, ..Solution::unknown(NAME, "", reason) }))
        }
        Err(SearchInterrupted::Limit(hit)) => {
            BoundedWin::Unknown(of_costs(Solution::inapplicable(NAME, "", hit.into())))
        }
        Err(SearchInterrupted::NotApplicable(reason)) => {
            BoundedWin::Unknown(of_costs(Solution::unknown(NAME, "", reason)))
        }
        Err(SearchInterrupted::RulesFault(_)) => {
            let reason = "the rules have no meaning in a position that the search reached";
            BoundedWin::Unknown(of_costs(Solution::unknown(NAME, "", reason)))
        }
        Err(_) => BoundedWin::Unknown(of_costs(Solution::unknown(NAME, "", "the search was suspended"))),
    }
}

/// A search for wins of one player.
struct WinSearch<'a> {
    machine: &'a CompiledMachine,
    eyes: PositionExpander<'a>,
    /// The player who is to win.
    player: u32,
    /// The payoff to the first player that decides: at least this if he is to win, less if the other one is.
    t: i32,
    /// True if players take turns and win by their own moves only.
    wins_are_own: bool,
    /// By position: minus the plies within which the win is proved as the lower bound, and minus the plies within which
    /// it is refuted, less 1, as the upper bound.
    table: TranspositionTable,
    symmetries: SymmetryState<'a>,
    /// The words of the positions on the path, of their keys in the table, and of their successors.
    words: Vec<u64>,
}

impl<'a> WinSearch<'a> {
    fn new(request: &SolveRequest<'a>, player: u32) -> Result<WinSearch<'a>, Inapplicable> {
        let &SolveRequest { game, state, options, limits, progress } = request;
        if !is_win_loss_draw(&game.rules, options.margin) {
            return Err("only games that are won, lost or drawn have wins within a number of plies".into());
        }
        let (machine, from, _) = value_search_input(game, state, options)?;
        let asked = SearchObjective::of(machine, game, options, false);
        let endless = Err(Inapplicable::Reason("the number of plies bounds the search".into()));
        let most = limits.memory_bytes.map_or(DEFAULT_MEMORY_BYTES, |bytes| bytes - bytes / 16);
        let table = TranspositionTable::new(from.words.len(), most).ok_or(LimitHit::Memory)?;
        Ok(WinSearch {
            machine,
            eyes: PositionExpander::new(asked, None, endless, limits, progress),
            player,
            t: i32::from(player == 0),
            wins_are_own: wins_are_own(machine),
            table,
            symmetries: SymmetryState::new(game, options, limits),
            words: Vec::new(),
        })
    }

    /// Returns true if the player forces a win within this number of plies from a position.
    fn wins_from(&mut self, at: &Position, plies: u32) -> Result<bool, SearchInterrupted> {
        if self.eyes.nodes >= SYMMETRY_AFTER_NODES {
            self.symmetries.seek(self.eyes.limits);
            self.symmetries.activate_for(&at.words);
        }
        self.words.clear();
        self.words.extend(to_words(at));
        self.wins(0, plies)
    }

    /// Returns the least number of plies within which the player forces a win, at most `plies`.
    fn least(&mut self, at: &Position, plies: u32) -> Result<Option<u32>, SearchInterrupted> {
        for less in 0..=plies {
            if self.wins_from(at, less)? {
                return Ok(Some(less));
            }
        }
        Ok(None)
    }

    /// Returns true if the player forces a win within this number of plies from the position whose words, with its
    /// control behind them, begin at index `at`.
    fn wins(&mut self, at: usize, plies: u32) -> Result<bool, SearchInterrupted> {
        let size = self.eyes.size();
        let control = self.words[at + size] as u32;
        let attacks = self.eyes.is_first(control) == (self.player == 0);
        if self.wins_are_own && (plies + u32::from(attacks)) % 2 == 1 {
            // The last ply of a win is the player's own.
            return if plies == 0 { self.is_won(at) } else { self.wins(at, plies - 1) };
        }
        if plies == 0 {
            return self.is_won(at);
        }
        let bottom = self.words.len();
        let key = self.key(at);
        let words = &self.words[key..key + size];
        let known = self.table.get(hash(words, control), words, control);
        // Moves have the same indices only where the key is the position itself.
        let is_key = words == &self.words[at..at + size];
        let reached = -(plies as i32);
        match known {
            Some(known) if known.low >= reached => {
                self.words.truncate(bottom);
                return Ok(true);
            }
            Some(known) if known.high < reached => {
                self.words.truncate(bottom);
                return Ok(false);
            }
            _ => {}
        }
        if self.table.is_crowded() {
            self.table.grow();
        }
        let (first, before) = (self.words.len(), self.eyes.nodes);
        // The lookahead sees two plies ahead, or one if only the player himself can win by his moves.
        self.eyes.one_ply_lookahead = plies >= 2 || self.wins_are_own;
        let (low, high) = match self.eyes.expand(&mut self.words, at, self.t, self.table.held_bytes())? {
            ExpansionResult::Answered(yes) => match yes == (self.player == 0) {
                true => (-(plies.min(2) as i32), i32::from(i16::MAX)),
                false => (i32::from(i16::MIN), NEVER),
            },
            ExpansionResult::Open(open) => {
                let best =
                    known.and_then(|known| known.best).filter(|&best| is_key && (best as usize) < open);
                let order = self.order(open, best, attacks);
                let mut wins = !attacks;
                let mut decisive = None;
                for index in order {
                    let child = first + index as usize * (size + 1);
                    if self.wins(child, plies - 1)? == attacks {
                        (wins, decisive) = (attacks, Some(index));
                        break;
                    }
                }
                let (low, high) = match wins {
                    true => (reached, i32::from(i16::MAX)),
                    false => (i32::from(i16::MIN), reached - 1),
                };
                let best = decisive.filter(|_| is_key);
                self.store(key, control, TranspositionEntry { low, high, best }, before);
                self.words.truncate(bottom);
                return Ok(wins);
            }
        };
        self.store(key, control, TranspositionEntry { low, high, best: None }, before);
        self.words.truncate(bottom);
        Ok(low >= reached)
    }

    /// Returns the index of the words that are the key of a position in the table: its own, or those of its canonical
    /// form, which are then added behind the others.
    fn key(&mut self, at: usize) -> usize {
        let Some(symmetries) = self.symmetries.active() else { return at };
        let (key, size) = (self.words.len(), self.eyes.size());
        self.words.extend_from_within(at..at + size);
        symmetries.canonicalize_words(&mut self.words[key..]);
        key
    }

    /// Returns true if the game is over in a position and the player has won it.
    fn is_won(&mut self, at: usize) -> Result<bool, SearchInterrupted> {
        let first = self.words.len();
        self.eyes.one_ply_lookahead = false;
        let result = self.eyes.expand(&mut self.words, at, self.t, self.table.held_bytes())?;
        self.words.truncate(first);
        Ok(matches!(result, ExpansionResult::Answered(yes) if yes == (self.player == 0)))
    }

    /// Returns the indices of the open moves in the order to search them: the best one of the last search first, then
    /// those with the most threats.
    fn order(&self, open: usize, best: Option<u32>, attacks: bool) -> Vec<u32> {
        let mut order: Vec<u32> = (0..open as u32).collect();
        let hint = |index: u32| self.eyes.hints.get(index as usize).copied().unwrap_or(0);
        // The hints count the ways to win of the player who has moved.
        if self.eyes.has_hints {
            order.sort_by_key(|&index| {
                std::cmp::Reverse(if attacks { hint(index) } else { hint(index).min(1) })
            });
        }
        if let Some(place) = order.iter().position(|&index| Some(index) == best) {
            order[..=place].rotate_right(1);
        }
        order
    }

    /// Stores the entry of the position whose key has this index.
    fn store(&mut self, key: usize, control: u32, entry: TranspositionEntry, before: u64) {
        let words = &self.words[key..key + self.eyes.size()];
        self.table.put(hash(words, control), words, control, entry, self.eyes.nodes - before);
    }

    /// Builds the solution of a win that takes exactly `plies` plies.
    fn solution(&mut self, request: &SolveRequest<'_>, root: &Position, plies: u32) -> Solution {
        let one = Rational::from_integer(1);
        let payoffs = (0..2).map(|player| if player == self.player { one.clone() } else { -&one }).collect();
        let why = "each number of plies was searched in turn, until one was enough for a win";
        let mut solution = Solution {
            status: Status::Solved,
            value: Some(Value { payoffs, kind: ValueKind::Win(self.player) }),
            remoteness: Some(plies),
            reason: None,
            ..Solution::unknown(NAME, why, "")
        };
        if let Ok(line) = self.line(root, plies, request.options.max_line_moves) {
            let made = |(at, play): (Position, MoveInstance)| {
                let written = request.game.notation(&self.machine.state(&at), &play);
                WrittenMove { play, written }
            };
            solution.line = line.into_iter().map(made).collect();
            solution.line_complete = solution.line.len() as u32 == plies;
        }
        let moves = self.machine.actor(root.control) == self.player;
        solution.best_moves.extend(solution.line.first().filter(|_| moves).cloned());
        let most = request.options.max_strategy_positions;
        if most > 0 {
            solution.replies = Some(self.replies(root, plies, most).map(|replies| vec![replies]));
        }
        solution
    }

    /// Returns the successors of a position, with the plies to the win for those from which it is forced within
    /// `plies`.
    fn moves(
        &mut self,
        at: &Position,
        plies: u32,
    ) -> Result<Vec<(MoveInstance, Position, Option<u32>)>, SearchInterrupted> {
        let mut moves = Vec::new();
        for (play, to) in self.machine.children(at).unwrap_or_default() {
            let least = self.least(&to, plies)?;
            moves.push((play, to, least));
        }
        Ok(moves)
    }

    /// Returns the line by which the win comes soonest for the player, and latest for the other.
    fn line(
        &mut self,
        root: &Position,
        plies: u32,
        most: usize,
    ) -> Result<Vec<(Position, MoveInstance)>, SearchInterrupted> {
        let (mut line, mut at, mut left) = (Vec::new(), root.clone(), plies);
        while left > 0 && line.len() < most {
            let own = self.machine.actor(at.control) == self.player;
            let moves = self
                .moves(&at, left - 1)?
                .into_iter()
                .filter_map(|(play, to, least)| Some((play, to, least?)));
            let next = if own { moves.min_by_key(|of| of.2) } else { moves.rev().max_by_key(|of| of.2) };
            let Some((play, to, least)) = next else { break };
            line.push((at, play));
            (at, left) = (to, least);
        }
        Ok(line)
    }

    /// Returns the strategy of the win: the soonest win in every position that it reaches; or the reason why there is
    /// none.
    fn replies(&mut self, root: &Position, plies: u32, most: usize) -> Result<StrategyReplies, String> {
        let unlisted = |halted: SearchInterrupted| match halted {
            SearchInterrupted::Limit(hit) => format!("{hit} before the strategy was listed"),
            _ => "the strategy could not be listed".to_owned(),
        };
        let mut answers = Vec::new();
        let mut met: FxHashMap<Position, ()> = FxHashMap::default();
        let mut ahead = vec![(root.clone(), plies)];
        met.insert(root.clone(), ());
        while let Some((at, left)) = ahead.pop() {
            if left == 0 {
                continue;
            }
            let own = self.machine.actor(at.control) == self.player;
            let moves = self.moves(&at, left - 1).map_err(unlisted)?;
            let kept = moves.into_iter().filter_map(|(play, to, least)| Some((play, to, least?)));
            let next: Vec<(Position, u32)> = match own {
                true => {
                    let Some((play, to, least)) = kept.min_by_key(|of| of.2) else { continue };
                    answers.push(StrategyAnswer { at: self.machine.state(&at), play, rank: None });
                    vec![(to, least)]
                }
                false => kept.map(|(_, to, least)| (to, least)).collect(),
            };
            if answers.len() > most {
                return Err(
                    "the strategy is too long to be checked in passing; `--certificate OUT` lists it".into(),
                );
            }
            ahead.extend(next.into_iter().filter(|(to, _)| met.insert(to.clone(), ()).is_none()));
        }
        let payoff = Rational::from_integer(1);
        Ok(StrategyReplies {
            player: self.player,
            payoff,
            infinite_play: None,
            plies: Some(u64::from(plies)),
            answers,
        })
    }
}
