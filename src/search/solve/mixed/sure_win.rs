//! Sure wins where something is hidden: a plan by which a player wins in every play, whatever the others do and chance
//! brings.
//!
//! Technique: the player holds a set of positions possible, those in which he would have seen the same. His move leads to
//! several such sets, one for each way in which he may see the game go on, and he must win from all of them: an And-Or
//! search over sets with a table of sets, depth-first, then by iterative deepening in plies for a plan with fewer of them.
//! A set is lost within some plies if one of its positions alone is. Of his moves, those after which his largest set is
//! small are tried first. Where that takes long, as where play may go to and fro, all sets are listed, and the wins among
//! them are found from the ends backwards (retrograde analysis).
//! Source: Bertsekas and Rhodes (1971) for sets of possible positions; Korf (1985) for iterative deepening.
//! Cost: the number of sets, exponential in the positions at worst; histories and the others' information do not count.
//! Invariant: sets are formed, and numbered in a plan, as the checker does it.
//! Not taken: looking up whether a set contains a lost one or lies in a won one.

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::game::information::{SeenPart, own_choice, own_choices, seen_parts};
use crate::game::{Game, MachineError, MoveInstance, Outcome, State, ToMove};
use bouton_base::limits::{LimitHit, Limits};
use bouton_base::rational::Rational;
use bouton_rules::Value;

/// A plan by which a player wins in every play.
pub struct SurePlan {
    pub player: u32,
    /// The payoffs of all players.
    pub payoffs: Vec<Rational>,
    /// The number of the player's choice in each set in which he chooses, in the order of a certificate.
    pub choices: Vec<u32>,
    /// The positions that were visited, and the approximate bytes held.
    pub visited: u64,
    pub bytes: u64,
    /// The visited positions, by number.
    positions: FxIndexSet<State>,
    /// The number of the choice in each set, which is sorted.
    chosen: FxHashMap<Box<[u32]>, u32>,
}

impl SurePlan {
    /// Returns the number of the player's choice where he holds these positions possible; `None` if the plan never leads
    /// there.
    pub fn choice(&self, possible: &[&State]) -> Option<u32> {
        let numbers = possible.iter().map(|state| Some(self.positions.get_index_of(*state)? as u32));
        self.chosen.get(&sorted(numbers.collect::<Option<_>>()?)).copied()
    }
}

/// The reason why there is no plan.
pub enum NoPlan {
    /// The player has no sure win.
    None,
    /// The search has no answer: it became too long, or the rules have no meaning somewhere.
    Open,
    /// The player has different moves in positions that he cannot tell apart.
    OtherMoves,
    Limit(LimitHit),
}

/// The maximal number of plies of a plan: the search recurses once for each.
const MAX_PLIES: u32 = 300;
/// The plies within which a plan is searched first, depth-first.
const FIRST_PLIES: [u32; 4] = [12, 36, 108, MAX_PLIES];
/// The maximal number of steps of the search for a shorter plan than the first one.
const MAX_SHORTENING_STEPS: u64 = 1_000_000;
/// The maximal number of steps in which all sets are listed.
const MAX_LISTING_STEPS: u64 = 20_000_000;
/// The number of steps between two checks of the limits.
const POLL_INTERVAL: u64 = 1024;
/// The approximate memory in bytes of a position, of a move, and of a set besides its members.
const POSITION_BYTES: u64 = 160;
const MOVE_BYTES: u64 = 12;
const SET_BYTES: u64 = 120;
/// The approximate memory in bytes of a choice, or of a set after one, in the list of all sets.
const LISTED_BYTES: usize = 40;

impl From<LimitHit> for NoPlan {
    fn from(hit: LimitHit) -> NoPlan {
        NoPlan::Limit(hit)
    }
}

impl From<MachineError> for NoPlan {
    fn from(error: MachineError) -> NoPlan {
        match error {
            MachineError::Fault(_) => NoPlan::Open,
            MachineError::Limit(hit) => NoPlan::Limit(hit),
        }
    }
}

/// Searches for a plan by which the player wins in every play, in at most this number of steps.
pub fn search(game: &Game, start: &State, of: PlanQuestion<'_>) -> Result<SurePlan, NoPlan> {
    let bounded = game.with_limits(of.limits);
    let mut search = SetSearch {
        game: &bounded,
        of,
        steps: 0,
        max_steps: 0,
        bytes: 0,
        payoffs: None,
        positions: FxIndexSet::default(),
        expanded: FxHashMap::default(),
        views: FxHashMap::default(),
        set_numbers: FxHashMap::default(),
        sets: Vec::new(),
    };
    let first = search.number(start.clone());
    let root = search.set(vec![first]);
    match search.first_plan(root)? {
        true => search.plan(first),
        false => Err(NoPlan::None),
    }
}

/// The player who may have a plan, and the bounds of the search.
#[derive(Clone, Copy)]
pub struct PlanQuestion<'l> {
    pub player: u32,
    pub max_steps: u64,
    pub limits: &'l Limits,
}

type FxIndexSet<T> = IndexSet<T, FxBuildHasher>;
type FxIndexMap<K, V> = IndexMap<K, V, FxBuildHasher>;

/// Returns numbers in order, each once.
fn sorted(mut numbers: Vec<u32>) -> Box<[u32]> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into()
}

/// A position with all that may follow.
struct Expanded {
    /// At an end, true if the player wins.
    end: Option<bool>,
    /// The player's choices; empty if he does not choose.
    choices: Vec<MoveInstance>,
    moves: Vec<PossibleMove>,
}

#[derive(Clone, Copy)]
struct PossibleMove {
    /// The number of the player's choice; 0 if he does not choose.
    choice: u32,
    /// The number of what he sees of the move and after it.
    view: u32,
    to: u32,
}

/// A set of positions that the player holds possible.
struct PossibleSet {
    /// The positions, sorted.
    members: Box<[u32]>,
    /// The player's choices with the sets after them, once they are known.
    branches: Option<Rc<[Branch]>>,
    /// An upper bound of the plies within which he wins from here, and the number of his choice.
    won: Option<(u32, u32)>,
    /// The plies within which he does not; [`NEVER`] if he never does.
    lost_within: Option<u32>,
}

/// More plies than there are.
const NEVER: u32 = u32::MAX;

/// A choice with the sets to which it may lead.
struct Branch {
    choice: u32,
    sets: Vec<u32>,
}

/// The answer to a search within some plies.
enum Answer {
    Won,
    /// He does not win within the plies; `deeper` if he may win within more.
    Lost {
        deeper: bool,
    },
}

struct SetSearch<'a> {
    game: &'a Game,
    of: PlanQuestion<'a>,
    steps: u64,
    max_steps: u64,
    bytes: u64,
    /// The payoffs of all players at the ends that are won.
    payoffs: Option<Vec<Rational>>,
    /// The visited positions, by number.
    positions: FxIndexSet<State>,
    /// The positions that were expanded, by number.
    expanded: FxHashMap<u32, Rc<Expanded>>,
    /// The number of each way to see a move and the position after it.
    views: FxHashMap<(Vec<SeenPart>, Value), u32>,
    set_numbers: FxHashMap<Box<[u32]>, u32>,
    sets: Vec<PossibleSet>,
}

impl SetSearch<'_> {
    /// Returns true if the player wins from a set, with a choice noted in each set of a plan: one with the fewest plies, if
    /// it is found soon enough.
    fn first_plan(&mut self, root: u32) -> Result<bool, NoPlan> {
        // A search that is deep at once may find a plan that wanders; one that gives up soon may find none.
        let mut is_won = false;
        for plies in FIRST_PLIES {
            match self.within(self.of.max_steps / 8, |search| search.wins(root, plies))? {
                Some(Answer::Lost { deeper: false }) => return Ok(false),
                Some(Answer::Won) => is_won = true,
                Some(Answer::Lost { deeper: true }) | None => continue,
            }
            break;
        }
        if is_won {
            let steps = self.of.max_steps.min(MAX_SHORTENING_STEPS);
            if self.within(steps, |search| search.wins_soonest(root))?.is_some() {
                return Ok(true);
            }
        }
        let steps = self.of.max_steps.min(MAX_LISTING_STEPS);
        if let Some(wins) = self.within(steps, |search| search.wins_backwards(root))? {
            return Ok(wins);
        }
        if is_won {
            return Ok(true);
        }
        let steps = self.of.max_steps;
        self.within(steps, |search| search.wins_soonest(root))?.ok_or(NoPlan::Open)
    }

    /// Searches in at most so many steps; `None` if they do not suffice.
    fn within<T>(
        &mut self,
        steps: u64,
        search: impl FnOnce(&mut Self) -> Result<T, NoPlan>,
    ) -> Result<Option<T>, NoPlan> {
        self.max_steps = self.steps.saturating_add(steps);
        match search(self) {
            Ok(found) => Ok(Some(found)),
            Err(NoPlan::Open) => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Returns true if the player wins from a set, with the choices of a plan with the fewest plies noted.
    fn wins_soonest(&mut self, root: u32) -> Result<bool, NoPlan> {
        for plies in 0..=MAX_PLIES {
            match self.wins(root, plies)? {
                Answer::Won => return Ok(true),
                Answer::Lost { deeper: true } => {}
                Answer::Lost { deeper: false } => return Ok(false),
            }
        }
        Err(NoPlan::Open)
    }

    /// Returns whether the player wins from a set within some plies.
    fn wins(&mut self, set: u32, plies: u32) -> Result<Answer, NoPlan> {
        self.step()?;
        let known = &self.sets[set as usize];
        if known.won.is_some_and(|(within, _)| within <= plies) {
            return Ok(Answer::Won);
        }
        if let Some(within) = known.lost_within.filter(|&within| within >= plies) {
            return Ok(Answer::Lost { deeper: within != NEVER });
        }
        let answer = self.decide(set, plies)?;
        if let Answer::Lost { deeper } = answer {
            self.sets[set as usize].lost_within = Some(if deeper { plies } else { NEVER });
        }
        Ok(answer)
    }

    fn decide(&mut self, set: u32, plies: u32) -> Result<Answer, NoPlan> {
        let members = self.sets[set as usize].members.clone();
        let mut open = Vec::with_capacity(members.len());
        for &at in &members {
            match self.expand(at)?.end {
                Some(false) => return Ok(Answer::Lost { deeper: false }),
                Some(true) => {}
                None => open.push(at),
            }
        }
        if open.is_empty() {
            self.sets[set as usize].won = Some((0, 0));
            return Ok(Answer::Won);
        }
        if plies == 0 {
            return Ok(Answer::Lost { deeper: true });
        }
        if members.len() > 1 {
            for at in open {
                let alone = self.set(vec![at]);
                if let Answer::Lost { deeper } = self.wins(alone, plies)? {
                    return Ok(Answer::Lost { deeper });
                }
            }
        }
        let mut deeper_any = false;
        for &Branch { choice, ref sets } in &*self.branches(set)? {
            let mut is_won = true;
            for &next in sets {
                if let Answer::Lost { deeper } = self.wins(next, plies - 1)? {
                    deeper_any |= deeper;
                    is_won = false;
                    break;
                }
            }
            if is_won {
                // Where play comes back to the set, a win in fewer plies may be known by now, and the choice leads to it.
                let known = &mut self.sets[set as usize].won;
                if known.is_none_or(|(within, _)| within > plies) {
                    *known = Some((plies, choice));
                }
                return Ok(Answer::Won);
            }
        }
        Ok(Answer::Lost { deeper: deeper_any })
    }

    /// Returns true if the player wins from a set, by all sets that play may reach from it, from the ends backwards; notes
    /// the choice in each set that is won, which leads to a win in the fewest plies.
    fn wins_backwards(&mut self, root: u32) -> Result<bool, NoPlan> {
        // For each set the choices that lead to it, with the sets in which they are made.
        let mut made_before: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
        // The number of sets after a choice that are not known to be won.
        let mut left: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let (mut listed, mut at): (FxIndexSet<u32>, usize) = (FxIndexSet::from_iter([root]), 0);
        let mut won: FxIndexMap<u32, (u32, u32)> = FxIndexMap::default();
        while let Some(&set) = listed.get_index(at) {
            at += 1;
            self.step()?;
            let ends = self.sets[set as usize].members.clone();
            let ends = ends.iter().map(|&at| Ok(self.expand(at)?.end)).collect::<Result<Vec<_>, NoPlan>>()?;
            if ends.contains(&Some(false)) {
                continue;
            }
            if ends.iter().all(Option::is_some) {
                won.insert(set, (0, 0));
                continue;
            }
            for &Branch { choice, ref sets } in &*self.branches(set)? {
                left.insert((set, choice), sets.len());
                self.bytes += (LISTED_BYTES * (1 + sets.len())) as u64;
                for &next in sets {
                    made_before.entry(next).or_default().push((set, choice));
                    listed.insert(next);
                }
            }
        }
        // The sets are won in the order of the plies that it takes.
        let mut at = 0;
        while let Some((&set, &(plies, _))) = won.get_index(at) {
            at += 1;
            for &(before, choice) in made_before.get(&set).into_iter().flatten() {
                self.step()?;
                let Some(left) = left.get_mut(&(before, choice)) else { continue };
                *left -= 1;
                if *left == 0 {
                    won.entry(before).or_insert((plies + 1, choice));
                }
            }
        }
        let is_won = won.contains_key(&root);
        won.into_iter().for_each(|(set, known)| self.sets[set as usize].won = Some(known));
        Ok(is_won)
    }

    /// Returns the number of a set.
    fn set(&mut self, members: Vec<u32>) -> u32 {
        let members = sorted(members);
        if let Some(&known) = self.set_numbers.get(&members) {
            return known;
        }
        let new = self.sets.len() as u32;
        self.bytes += SET_BYTES + 8 * members.len() as u64;
        self.set_numbers.insert(members.clone(), new);
        self.sets.push(PossibleSet { members, branches: None, won: None, lost_within: None });
        new
    }

    /// Returns the player's choices in a set with the sets after each, the largest first; the choice after which the
    /// largest set is smallest comes first.
    fn branches(&mut self, set: u32) -> Result<Rc<[Branch]>, NoPlan> {
        if let Some(known) = &self.sets[set as usize].branches {
            return Ok(known.clone());
        }
        let members = self.sets[set as usize].members.clone();
        let mut branches = Vec::new();
        for choice in 0..self.choices(&members)?.max(1) {
            let mut groups = self.after(&members, choice)?;
            groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
            let largest = groups.first().map_or(0, Vec::len);
            let sets = groups.into_iter().map(|group| self.set(group)).collect();
            branches.push((largest, Branch { choice, sets }));
        }
        branches.sort_by_key(|(largest, _)| *largest);
        let branches: Rc<[Branch]> = branches.into_iter().map(|(_, branch)| branch).collect();
        self.bytes += branches.iter().map(|branch| SET_BYTES + 4 * branch.sets.len() as u64).sum::<u64>();
        self.sets[set as usize].branches = Some(branches.clone());
        Ok(branches)
    }

    /// Returns the number of the player's choices in a set; 0 if he chooses in none of its positions.
    fn choices(&mut self, members: &[u32]) -> Result<u32, NoPlan> {
        let mut own: Option<Rc<Expanded>> = None;
        for &at in members {
            let here = self.expand(at)?;
            match &own {
                _ if here.choices.is_empty() => {}
                None => own = Some(here),
                Some(own) if own.choices == here.choices => {}
                Some(_) => return Err(NoPlan::OtherMoves),
            }
        }
        Ok(own.map_or(0, |own| own.choices.len() as u32))
    }

    /// Returns the positions after a choice, a group for each way to see them, in the order of their discovery.
    fn after(&mut self, members: &[u32], choice: u32) -> Result<Vec<Vec<u32>>, NoPlan> {
        let mut groups: FxIndexMap<u32, FxIndexSet<u32>> = IndexMap::default();
        for &at in members {
            let here = self.expand(at)?;
            let fits = |made: &&PossibleMove| here.choices.is_empty() || made.choice == choice;
            for made in here.moves.iter().filter(fits) {
                self.step()?;
                groups.entry(made.view).or_default().insert(made.to);
            }
        }
        Ok(groups.into_values().map(|group| group.into_iter().collect()).collect())
    }

    /// Returns a position with all that may follow.
    fn expand(&mut self, at: u32) -> Result<Rc<Expanded>, NoPlan> {
        if let Some(known) = self.expanded.get(&at) {
            return Ok(known.clone());
        }
        let Some(state) = self.positions.get_index(at as usize).cloned() else { return Err(NoPlan::Open) };
        let (turn, moves) = self.game.machine.expand(&state)?;
        let mut made =
            Expanded { end: None, choices: own_choices(&turn, &moves, self.of.player), moves: Vec::new() };
        if let ToMove::Terminal(outcome) = &turn {
            made.end = Some(self.is_won(outcome)?);
        } else if moves.is_empty() {
            return Err(NoPlan::Open);
        }
        for successor in moves {
            let own = own_choice(&turn, &successor.play, self.of.player);
            let choice = made.choices.iter().position(|choice| Some(choice) == own).unwrap_or(0) as u32;
            let seen = seen_parts(self.game, &turn, &successor.play, self.of.player);
            let observed = self.game.machine.observation(&successor.state, self.of.player)?;
            let new = self.views.len() as u32;
            let view = *self.views.entry((seen, observed)).or_insert(new);
            made.moves.push(PossibleMove { choice, view, to: self.number(successor.state) });
        }
        self.bytes += POSITION_BYTES + MOVE_BYTES * made.moves.len() as u64;
        let made = Rc::new(made);
        self.expanded.insert(at, made.clone());
        Ok(made)
    }

    /// Returns whether the player wins at an end. All his wins must give the players the same.
    fn is_won(&mut self, outcome: &Outcome) -> Result<bool, NoPlan> {
        let won = outcome.payoffs.get(self.of.player as usize) == Some(&Rational::ONE);
        if won && *self.payoffs.get_or_insert_with(|| outcome.payoffs.clone()) != outcome.payoffs {
            return Err(NoPlan::Open);
        }
        Ok(won)
    }

    fn number(&mut self, state: State) -> u32 {
        self.positions.insert_full(state).0 as u32
    }

    /// Counts a step; the error is a limit.
    fn step(&mut self) -> Result<(), NoPlan> {
        self.steps += 1;
        if self.steps > self.max_steps {
            return Err(NoPlan::Open);
        }
        match self.steps.is_multiple_of(POLL_INTERVAL).then(|| self.of.limits.check_held(self.bytes)) {
            Some(Some(hit)) => Err(NoPlan::Limit(hit)),
            _ => Ok(()),
        }
    }

    /// Returns the plan of a won position: its sets ply by ply, as the checker finds them.
    fn plan(mut self, first: u32) -> Result<SurePlan, NoPlan> {
        self.max_steps = u64::MAX;
        let mut choices = Vec::new();
        let mut chosen = FxHashMap::default();
        let mut ply = vec![vec![first]];
        while !ply.is_empty() {
            let mut next: FxIndexMap<Box<[u32]>, Vec<u32>> = FxIndexMap::default();
            for members in ply {
                let set = self.set(members.clone());
                let choice = self.sets[set as usize].won.map_or(0, |(_, choice)| choice);
                if self.choices(&members)? > 0 {
                    choices.push(choice);
                    chosen.insert(sorted(members.clone()), choice);
                }
                for after in self.after(&members, choice)? {
                    next.entry(sorted(after.clone())).or_insert(after);
                }
            }
            ply = next.into_values().collect();
        }
        Ok(SurePlan {
            player: self.of.player,
            payoffs: self.payoffs.unwrap_or_default(),
            choices,
            visited: self.expanded.len() as u64,
            bytes: self.bytes,
            positions: self.positions,
            chosen,
        })
    }
}
