//! Sample plays by a solved table, and the strategy as a tree.

use rustc_hash::FxHashSet;

use crate::position::StartPosition;
use bouton_report::page::{CHANCE, SamplePlay, SamplePly, StrategyBranch};
use bouton_report::verdict::value_words;
use bouton_search::game::{Game, State, Successor, ToMove, draw};
use bouton_search::solve::solved_graph::SolvedGraph;
use bouton_search::solve::{MoveValue, Value, ValueKind};

/// The maximal number of moves of a sample play.
const MAX_PLAY_PLIES: usize = 60;
/// The maximal number of positions that are drawn along a sample play.
const MAX_BOARDS: usize = 12;
/// The size of the largest position that is drawn there.
const MAX_BOARD_LINES: usize = 9;
const MAX_BOARD_WIDTH: usize = 24;
/// The maximal depth of the tree.
const MAX_TREE_DEPTH: usize = 8;
/// The maximal number of moves in the tree.
const MAX_TREE_MOVES: usize = 300;

/// A solved game from which sample plays and the tree are extracted.
pub struct PlayExtractor<'a> {
    game: &'a Game,
    table: &'a SolvedGraph,
    from: &'a State,
    /// The side whose strategy is shown; `None` if there is no play to show.
    hero: Option<u32>,
    /// The value that the strategy keeps.
    value: &'a Value,
}

/// The preference of the other side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opponent {
    /// The longest play.
    Longest,
    /// The smallest share of good answers.
    Trickiest,
}

impl<'a> PlayExtractor<'a> {
    /// Selects the side to show: the one that wins, or the one to move.
    pub fn new(
        start: &'a StartPosition,
        table: &'a SolvedGraph,
        value: &'a Value,
        mover: Option<u32>,
    ) -> PlayExtractor<'a> {
        let hero = match value.kind {
            ValueKind::Win(winner) => Some(winner),
            ValueKind::Unsolvable => None,
            _ => mover,
        };
        PlayExtractor {
            game: &start.game,
            table,
            from: &start.state,
            hero: hero.filter(|_| mover.is_some()),
            value,
        }
    }

    fn name(&self, player: u32) -> String {
        self.game.rules.players().get(player as usize).cloned().unwrap_or_default()
    }

    fn other(&self) -> String {
        self.hero.map_or(String::new(), |hero| self.name(1 - hero.min(1)))
    }

    /// The sample plays; a trap that is also the longest defence appears once.
    pub fn plays(&self) -> Vec<SamplePlay> {
        let (longest, trickiest) = (self.longest(), self.trickiest());
        let trickiest = trickiest.filter(|t| longest.as_ref().is_none_or(|l| l.plies != t.plies));
        longest.into_iter().chain(trickiest).collect()
    }

    /// Best play of both sides.
    fn longest(&self) -> Option<SamplePlay> {
        let title = match (self.game.rules.players().len(), self.value.kind) {
            (1, ValueKind::Solved | ValueKind::Unsolvable) => "A shortest solution".into(),
            (1, _) => "A line of best play".into(),
            (_, ValueKind::Win(_)) => format!("Against the longest defence of {}", self.other()),
            _ => "Best play of both sides".into(),
        };
        self.play(title, Opponent::Longest)
    }

    /// A play in which the losing side sets traps.
    fn trickiest(&self) -> Option<SamplePlay> {
        if self.game.rules.players().len() == 1 {
            return None;
        }
        self.play(format!("Against the trickiest try of {}", self.other()), Opponent::Trickiest)
    }

    fn play(&self, title: String, other: Opponent) -> Option<SamplePlay> {
        let hero = self.hero?;
        let mut at = self.from.clone();
        let mut seen = FxHashSet::default();
        let mut plies = Vec::new();
        let mut boards = Vec::new();
        let end = loop {
            let player = match self.game.machine.turn(&at) {
                Ok(ToMove::Player(player)) => player,
                Ok(ToMove::Terminal(outcome)) => {
                    break format!("The end: {}.", draw::describe_outcome(&self.game.rules, &outcome));
                }
                Ok(ToMove::Chance) => break "Here chance decides.".into(),
                Ok(ToMove::Simultaneous) => break "Here all choose at once.".into(),
                Err(halt) => break format!("The play stops here: {halt}."),
            };
            if !seen.insert(at.clone()) {
                break "The last position repeats: the play goes on forever.".into();
            }
            if plies.len() == MAX_PLAY_PLIES {
                break format!("... and so on; {MAX_PLAY_PLIES} moves are shown.");
            }
            let moves = self.moves(&at);
            let chosen = if player != hero && other == Opponent::Trickiest {
                self.trap(&moves)
            } else {
                let best = self.table.best_moves(&at);
                moves.iter().position(|(m, _)| best.first().is_some_and(|b| b.play == m.made.play))
            };
            let Some((made, next)) = chosen.and_then(|i| moves.get(i)) else {
                break "Here the values end.".into();
            };
            let remark = if player == hero { self.choice(&at) } else { String::new() };
            plies.push(SamplePly { player: self.name(player), name: made.made.written.clone(), remark });
            at = next.state.clone();
            if boards.len() < MAX_BOARDS && !self.game.rules.boards.is_empty() {
                boards.push(draw::draw_without_status(self.game, &at));
            }
        };
        let is_large = |board: &String| {
            board.lines().count() > MAX_BOARD_LINES
                || board.lines().any(|line| line.chars().count() > MAX_BOARD_WIDTH)
        };
        if boards.iter().any(is_large) {
            boards.clear();
        }
        let undrawn = if boards.is_empty() { 0 } else { plies.len() - boards.len() };
        let end = match undrawn {
            0 => end,
            1 => format!("The last board is not drawn. {end}"),
            _ => format!("The last {undrawn} boards are not drawn. {end}"),
        };
        (!plies.is_empty()).then_some(SamplePlay { title, plies, boards, end })
    }

    /// The moves with their successors, in the machine's order.
    fn moves(&self, at: &State) -> Vec<(MoveValue, Successor)> {
        let successors = self.game.machine.successors(at).unwrap_or_default();
        self.table.moves(at).into_iter().zip(successors).collect()
    }

    fn worth(&self, player: u32) -> Option<bouton_base::rational::Rational> {
        self.value.payoffs.get(player as usize).cloned()
    }

    /// Describes the number of moves that keep the value, if that is remarkable.
    fn choice(&self, at: &State) -> String {
        let counts = self.hero.and_then(|hero| self.table.keeping(at, hero, self.worth(hero)?));
        match counts {
            Some((_, 1)) => "forced".into(),
            Some((1, all)) => format!("the only good one of {all}"),
            Some((good, all)) if good < all => format!("{good} of {all} are good"),
            _ => String::new(),
        }
    }

    /// The move after which the smallest share of the answers is good; among equal ones the one that lasts longest.
    fn trap(&self, moves: &[(MoveValue, Successor)]) -> Option<usize> {
        let hero = self.hero?;
        let payoff = self.worth(hero)?;
        let mut best: Option<(usize, (usize, usize), u32)> = None;
        for (i, (made, next)) in moves.iter().enumerate() {
            // A move that gives the hero more than necessary is no try.
            if made.value.as_ref().and_then(|v| v.payoffs.get(hero as usize)) != Some(&payoff) {
                continue;
            }
            let answers = match self.game.machine.turn(&next.state) {
                Ok(ToMove::Player(player)) if player == hero => {
                    self.table.keeping(&next.state, hero, payoff.clone())
                }
                _ => None,
            };
            let (good, all) = answers.filter(|(_, all)| *all > 0).unwrap_or((1, 1));
            let plies = made.remoteness.unwrap_or(0);
            let better = best.is_none_or(|(_, (g, a), p)| match (good * a).cmp(&(g * all)) {
                std::cmp::Ordering::Equal => plies > p,
                order => order.is_lt(),
            });
            if better {
                best = Some((i, (good, all), plies));
            }
        }
        best.map(|(i, ..)| i)
    }

    /// The strategy as a tree, as deep as its limits allow.
    pub fn tree(&self) -> Option<StrategyBranch> {
        // Where chance acts first, the strategy of a single player is shown all the same.
        let is_alone = self.game.rules.players().len() == 1 && self.value.kind != ValueKind::Unsolvable;
        let hero = self.hero.or(is_alone.then_some(0))?;
        let mut shown = None;
        for depth in 1..=MAX_TREE_DEPTH {
            let mut left = MAX_TREE_MOVES;
            let Some((then, cut)) = self.grow(self.from, hero, depth, &mut left) else { break };
            let whole = !cut && !then.iter().any(is_cut);
            shown = Some(StrategyBranch { then, cut, ..StrategyBranch::default() });
            if whole {
                break;
            }
        }
        shown.filter(|tree| !tree.then.is_empty())
    }

    /// The branches after a position, and true if more moves follow; `None` if the tree becomes too large. Events of chance
    /// have their probability.
    fn grow(
        &self,
        at: &State,
        hero: u32,
        depth: usize,
        left: &mut usize,
    ) -> Option<(Vec<StrategyBranch>, bool)> {
        let player = match self.game.machine.turn(at) {
            Ok(ToMove::Player(player)) => Some(player),
            Ok(ToMove::Chance) => None,
            Ok(ToMove::Terminal(_)) => return Some((Vec::new(), false)),
            _ => return Some((Vec::new(), true)),
        };
        if depth == 0 {
            return Some((Vec::new(), true));
        }
        let mut moves = self.moves(at);
        if player == Some(hero) {
            let best = self.table.best_moves(at);
            moves.retain(|(m, _)| best.first().is_some_and(|b| b.play == m.made.play));
        }
        *left = left.checked_sub(moves.len())?;
        let mut branches = Vec::new();
        for (made, next) in moves {
            let (then, cut) = self.grow(&next.state, hero, depth - 1, left)?;
            let words = made.value.as_ref().map_or(String::new(), |v| {
                value_words(
                    &self.game.rules,
                    v,
                    made.remoteness.map(|r| r.saturating_sub(1)).filter(|&r| r > 0),
                )
            });
            let name = match player {
                Some(_) => made.made.written,
                None => format!("{} {}", made.made.written, next.probability),
            };
            branches.push(StrategyBranch {
                player: player.map_or_else(|| CHANCE.to_owned(), |player| self.name(player)),
                name,
                words,
                cut,
                then,
            });
        }
        Some((branches, false))
    }
}

fn is_cut(branch: &StrategyBranch) -> bool {
    branch.cut || branch.then.iter().any(is_cut)
}
