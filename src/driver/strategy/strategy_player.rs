//! Plays by a remembered strategy: chooses the move that restores its invariant, and gives the reason.

use super::automaton::leaves_lost_row;
use bouton_base::automaton::Automaton;
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_detect::pairing::claimed_values;
use bouton_detect::sums::sums;
use bouton_grounding::{FluentId, Ground, Renaming};
use bouton_report::words::truncated_list;
use bouton_search::game::{Game, MoveInstance, State, Successor, ToMove};
use bouton_search::solve::{Value, ValueKind};

/// The invariant that the holder's moves restore.
#[derive(Clone, Debug, Default)]
pub enum StrategyInvariant {
    /// No invariant that a position shows.
    #[default]
    Unspecified,
    /// The position is its own image under this renaming.
    Image(Renaming),
    /// The nim sum of the components is 0.
    NimSum,
    /// No pair has one cell that the other player took and one that is free. By player: his pairs.
    Pairs(Vec<Vec<(FluentId, FluentId)>>),
    /// The automaton says that the row is lost for the player to move.
    LostRow(Automaton),
    /// Each of these moves has a fixed answer.
    Answers(Vec<(MoveInstance, MoveInstance)>),
}

/// The maximal number of parts whose Grundy values a reason lists.
const MAX_LISTED_PARTS: usize = 8;

/// A player that follows a strategy.
#[derive(Clone, Debug)]
pub struct StrategyPlayer {
    ground: Ground,
    invariant: StrategyInvariant,
    /// The player who has the strategy; `None` if each player has one.
    holder: Option<u32>,
    opening: Option<MoveInstance>,
}

/// The last move, with the position before it and its name.
pub struct LastMove<'a> {
    /// The position before it.
    pub before: &'a State,
    pub play: &'a MoveInstance,
    /// The move as written.
    pub words: &'a str,
    /// The first move of the game.
    pub first: &'a MoveInstance,
}

impl StrategyPlayer {
    /// A player that follows a strategy, if the strategy has an invariant.
    pub(super) fn new(
        ground: &Ground,
        kept: StrategyInvariant,
        value: &Value,
        opening: Option<MoveInstance>,
    ) -> Option<StrategyPlayer> {
        let holder = match value.kind {
            ValueKind::Win(holder) => Some(holder),
            _ => None,
        };
        let plays = !matches!(kept, StrategyInvariant::Unspecified);
        plays.then(|| StrategyPlayer { ground: ground.clone(), invariant: kept, holder, opening })
    }

    /// The index of the move that the strategy makes for `player` in a position, with the reason; `None` if it does not
    /// apply.
    pub fn choose(
        &self,
        game: &Game,
        state: &State,
        player: u32,
        last: Option<&LastMove<'_>>,
        successors: &[Successor],
    ) -> Option<(usize, String)> {
        if self.holder.is_some_and(|holder| holder != player) {
            return None;
        }
        let holds = |state: &State| {
            self.ground.fluents.position(&game.cells(state)).is_some_and(|here| self.holds(&here, player))
        };
        let kept = || successors.iter().position(|to| holds(&to.state));
        let is = |play: &MoveInstance| successors.iter().position(|to| to.play == *play);
        match (&self.invariant, last) {
            (StrategyInvariant::Unspecified, _) => None,
            (StrategyInvariant::NimSum, _) => {
                let (even, parts) = self.makes_even(game, state, successors)?;
                let why = match &parts[..] {
                    [] | [_] => "it leaves a position that is worth 0".to_owned(),
                    parts => {
                        let worths: Vec<String> = parts.iter().map(u32::to_string).collect();
                        let worths = truncated_list(&worths, MAX_LISTED_PARTS);
                        format!(
                            "it leaves parts worth {worths}: every binary column has an even number of ones"
                        )
                    }
                };
                Some((even, why))
            }
            (StrategyInvariant::LostRow(_), _) => {
                Some((kept()?, "it leaves a row that is lost for the player to move".into()))
            }
            (StrategyInvariant::Pairs(_), Some(last)) if !holds(state) => {
                Some((kept()?, format!("it is the other cell of the pair of {}", last.words)))
            }
            (StrategyInvariant::Pairs(_), _) => None,
            (_, None) => {
                let first = is(self.opening.as_ref()?)?;
                let is_over = matches!(game.machine.turn(&successors[first].state), Ok(ToMove::Terminal(_)));
                let why = if is_over { "it ends the game" } else { "from now on every move has its answer" };
                Some((first, why.into()))
            }
            // The proof covers only positions that the strategy reaches.
            (_, Some(last)) if self.opening.as_ref().is_some_and(|opening| opening != last.first) => None,
            (_, Some(last)) if !holds(last.before) => None,
            (StrategyInvariant::Image(_), Some(last)) => {
                Some((kept()?, format!("it is the mirror image of the move {}", last.words)))
            }
            (StrategyInvariant::Answers(pairs), Some(last)) => {
                let (_, answer) = pairs.iter().find(|(made, _)| made == last.play)?;
                Some((is(answer)?, format!("it is the answer that goes with the move {}", last.words)))
            }
        }
    }

    /// The index of a move after which the components add up to 0, and their Grundy values then.
    fn makes_even(&self, game: &Game, state: &State, successors: &[Successor]) -> Option<(usize, Vec<u32>)> {
        let mut ground = self.ground.clone();
        let position = self.ground.fluents.position(&game.cells(state))?;
        let mut sums = sums(&mut ground, &position, &Limits::default()).ok()?;
        successors.iter().enumerate().find_map(|(index, to)| {
            let after = self.ground.fluents.position(&game.cells(&to.state))?;
            let types = sums.types_in(&after).filter(|_| sums.nim_sum_of(&after) == Some(0))?;
            Some((index, types.iter().map(|of| sums.nimbers[*of as usize]).collect()))
        })
    }

    /// Returns true if the invariant of `player` holds in a position where the other player is to move.
    fn holds(&self, position: &[u8], player: u32) -> bool {
        match &self.invariant {
            StrategyInvariant::Unspecified | StrategyInvariant::Answers(_) | StrategyInvariant::NimSum => {
                true
            }
            StrategyInvariant::LostRow(lost) => leaves_lost_row(lost, &self.ground.fluents, position, player),
            StrategyInvariant::Image(renaming) => renaming.image(position) == position,
            StrategyInvariant::Pairs(pairs) => {
                let claimed = claimed_values(&self.ground, 1 - player.min(1));
                let his = |cell: FluentId| claimed.get(&cell) == Some(&position[cell.index()]);
                let free = |cell: FluentId| position[cell.index()] == self.ground.initial[cell.index()];
                let own = pairs.get(player as usize).map_or(&[][..], Vec::as_slice);
                !own.iter().any(|&(a, b)| his(a) && free(b) || his(b) && free(a))
            }
        }
    }
}
