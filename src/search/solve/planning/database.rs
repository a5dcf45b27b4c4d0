//! Pattern databases: the distances to a win in abstractions, as a lower bound of the moves to a win.
//!
//! Technique: the reachable positions of an abstraction are listed forwards, then a breadth-first search with costs 0
//! and 1 goes backwards from the positions that may be won.
//! Source: Culberson and Schaeffer (1998); Dial (1969) for distances by buckets.
//! Cost: for each position of an abstraction, its moves.
//! Invariant: the bound is consistent: no move lowers it by more than one.

use super::super::Inapplicable;
use super::abstraction::{Layout, Partition, Projection};
use super::batch::{AbstractGame, BATCH, Charge, Expansion, ones};
use super::pattern::{Structure, Thing};
use super::task::PlanningTask;
use crate::game::arena::{PositionArena, hash};
use bouton_base::limits::{LimitHit, Limits};

/// The distance of a position from which no win can be reached.
const UNREACHABLE: u16 = u16::MAX;
/// The maximal number of moves of an abstraction for each position that it may have.
const MAX_MEAN_MOVES: usize = 32;
/// The bit of an edge that costs one.
const COST_BIT: u32 = 1 << 31;

/// The distances to a win in one abstraction.
pub struct PatternDatabase {
    positions: PositionArena,
    /// The fewest charged moves to a win, by position.
    distances: Vec<u16>,
    /// The number of moves between its positions.
    moves: usize,
    projection: Projection,
    pub layout: Layout,
    pub partition: Partition,
    /// The cost of each move of the task.
    pub charges: Vec<Charge>,
}

/// The reason why a database was not made.
pub enum NoDatabase {
    /// The abstraction has more positions than it may have, or moves with too many results.
    TooLarge,
    Limit(LimitHit),
}

/// An abstraction to make a database of.
pub struct PatternTask<'t> {
    pub task: &'t PlanningTask,
    /// The layout of the positions of the game.
    pub layout: &'t Layout,
    pub partition: &'t Partition,
    pub charges: &'t [Charge],
    /// The maximal number of positions of the abstraction.
    pub most: usize,
}

impl PatternDatabase {
    /// Computes the distances in an abstraction.
    pub fn new(of: &PatternTask<'_>, limits: &Limits) -> Result<PatternDatabase, NoDatabase> {
        let mut game = AbstractGame::new(of.task, of.partition, of.charges);
        let width = game.layout.width();
        let mut positions = PositionArena::default();
        let start = game.layout.key_of_values(&of.task.start);
        positions.intern_words(hash(&start), &start);
        let (mut sources, mut targets) = (Vec::<u32>::new(), Vec::<u32>::new());
        let mut won = Vec::new();
        let mut expansion = Expansion::default();
        let mut batch = Vec::new();
        let mut at = 0;
        while at < positions.len() {
            let held = positions.held_bytes(0) + 8 * 2 * targets.len() as u64;
            if let Some(hit) = limits.check_held(held) {
                return Err(NoDatabase::Limit(hit));
            }
            let end = positions.len().min(at + BATCH);
            batch.clear();
            (at..end).for_each(|number| batch.extend_from_slice(positions.words(number as u32)));
            game.expand(&batch, &mut expansion).map_err(|_| NoDatabase::TooLarge)?;
            won.extend(ones(expansion.won).map(|lane| (at + lane) as u32));
            for (successor, key) in expansion.successors.iter().zip(expansion.keys.chunks_exact(width)) {
                let to = positions.intern_words(hash(key), key).ok_or(NoDatabase::TooLarge)?;
                sources.push(at as u32 + successor.lane);
                targets.push(to | if successor.cost == 1 { COST_BIT } else { 0 });
            }
            if positions.len() > of.most || targets.len() > of.most.saturating_mul(MAX_MEAN_MOVES) {
                return Err(NoDatabase::TooLarge);
            }
            at = end;
        }
        let distances = distances(positions.len(), &sources, &targets, &won);
        Ok(PatternDatabase {
            positions,
            distances,
            moves: targets.len(),
            projection: Projection::new(of.layout, &game.layout),
            layout: game.layout,
            partition: of.partition.clone(),
            charges: of.charges.to_vec(),
        })
    }

    /// Returns the number of positions of the abstraction.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns the number of positions, or that of moves in units of the most moves that a position has on average.
    fn size(&self) -> f64 {
        self.len().max(self.moves / MAX_MEAN_MOVES) as f64
    }

    /// Returns the bound of a position of the game; `None` if no win can be reached from it. `coarse` is scratch space.
    fn bound(&self, key: &[u64], coarse: &mut Vec<u64>) -> Option<u16> {
        self.projection.apply(key, coarse);
        // Every reachable position of the game has a reachable one in the abstraction.
        let found = self.positions.find_words(hash(coarse), coarse);
        found.map_or(Some(0), |number| Some(self.distances[number as usize]).filter(|d| *d != UNREACHABLE))
    }

    /// Iterates over the positions of the abstraction with their distances.
    pub fn distances(&self) -> impl Iterator<Item = (&[u64], u16)> {
        (0..).zip(&self.distances).map(|(number, distance)| (self.positions.words(number), *distance))
    }

    fn held_bytes(&self) -> u64 {
        self.positions.held_bytes(0) + 2 * self.distances.len() as u64
    }
}

/// Returns the cost of the cheapest path of each position to a won one, along edges that cost 0 or 1.
fn distances(positions: usize, sources: &[u32], targets: &[u32], won: &[u32]) -> Vec<u16> {
    let mut first = vec![0u32; positions + 1];
    targets.iter().for_each(|target| first[(target & !COST_BIT) as usize + 1] += 1);
    for number in 0..positions {
        first[number + 1] += first[number];
    }
    let mut next = first.clone();
    let mut before = vec![0u32; targets.len()];
    for (source, target) in sources.iter().zip(targets) {
        let place = &mut next[(target & !COST_BIT) as usize];
        before[*place as usize] = source | target & COST_BIT;
        *place += 1;
    }
    let mut distances = vec![UNREACHABLE; positions];
    let mut level = Vec::new();
    for &number in won {
        distances[number as usize] = 0;
        level.push(number);
    }
    for distance in 0..UNREACHABLE - 1 {
        let mut further = Vec::new();
        while let Some(number) = level.pop() {
            if distances[number as usize] != distance {
                continue;
            }
            for &edge in &before[first[number as usize] as usize..first[number as usize + 1] as usize] {
                let (source, cost) = ((edge & !COST_BIT) as usize, u16::from(edge & COST_BIT != 0));
                if distances[source] > distance + cost {
                    distances[source] = distance + cost;
                    if cost == 0 { level.push(source as u32) } else { further.push(source as u32) }
                }
            }
        }
        if further.is_empty() {
            break;
        }
        level = further;
    }
    distances
}

/// Databases of several patterns. The bound is the largest of the distances of collections of additive ones, summed, and
/// of all others.
#[derive(Default)]
pub struct Databases {
    additive: Vec<Vec<PatternDatabase>>,
    single: Vec<PatternDatabase>,
}

impl Databases {
    /// Makes databases of patterns as large as fit `most` positions each.
    pub fn new(
        task: &PlanningTask,
        structure: &Structure,
        layout: &Layout,
        most: usize,
        limits: &Limits,
    ) -> Result<Databases, Inapplicable> {
        let mut made = Databases::default();
        let builder = Builder { task, structure, layout, most, limits };
        if structure.is_additive() {
            for things in &structure.orders {
                let mut collection = Vec::new();
                let mut rest = &things[..];
                while !rest.is_empty() {
                    let largest = builder.largest(rest, true)?;
                    let taken = largest.as_ref().map_or(1, |(_, taken)| *taken);
                    collection.extend(largest.map(|(database, _)| database));
                    rest = &rest[taken..];
                }
                made.additive.extend(Some(collection).filter(|collection| !collection.is_empty()));
            }
        }
        if made.additive.is_empty() {
            let things = &structure.orders[0];
            for things in [&things[..], &things[things.len() / 2..]] {
                made.single.extend(builder.largest(things, false)?.map(|(database, _)| database));
            }
        }
        Ok(made)
    }

    /// Returns the lower bound of the moves to a win; `None` if there is no win.
    pub fn bound(&self, key: &[u64], coarse: &mut Vec<u64>) -> Option<u16> {
        let mut most = 0u16;
        for collection in &self.additive {
            let mut sum = 0u16;
            for database in collection {
                sum = sum.saturating_add(database.bound(key, coarse)?);
            }
            most = most.max(sum);
        }
        for database in &self.single {
            most = most.max(database.bound(key, coarse)?);
        }
        Some(most)
    }

    /// Returns the databases whose distances add up to the largest bound of the first position.
    pub fn summands(&self, task: &PlanningTask) -> Vec<&PatternDatabase> {
        let bound = |collection: &Vec<&PatternDatabase>| -> u32 {
            let of = |database: &&PatternDatabase| {
                let key = database.layout.key_of_values(&task.start);
                let found = database.positions.find_words(hash(&key), &key);
                found.map_or(0, |number| u32::from(database.distances[number as usize]))
            };
            collection.iter().map(of).sum()
        };
        let collections = self.additive.iter().map(|collection| collection.iter().collect());
        let all = collections.chain(self.single.iter().map(|database| vec![database]));
        // The first of equally good ones.
        all.collect::<Vec<_>>().into_iter().rev().max_by_key(bound).unwrap_or_default()
    }

    fn all(&self) -> impl Iterator<Item = &PatternDatabase> {
        self.additive.iter().flatten().chain(&self.single)
    }

    /// Returns the number of positions of all abstractions.
    pub fn len(&self) -> usize {
        self.all().map(PatternDatabase::len).sum()
    }

    /// Returns the number of databases.
    pub fn count(&self) -> usize {
        self.all().count()
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> u64 {
        self.all().map(PatternDatabase::held_bytes).sum()
    }
}

/// The construction of databases.
struct Builder<'t> {
    task: &'t PlanningTask,
    structure: &'t Structure,
    layout: &'t Layout,
    most: usize,
    limits: &'t Limits,
}

impl Builder<'_> {
    fn database(&self, things: &[Thing], additive: bool) -> Result<Option<PatternDatabase>, Inapplicable> {
        let partition = self.structure.partition(self.task, things);
        let charges = match additive {
            true => self.structure.charges(self.task, things),
            false => vec![Charge::Always; self.task.actions.len()],
        };
        let of = PatternTask {
            task: self.task,
            layout: self.layout,
            partition: &partition,
            charges: &charges,
            most: self.most,
        };
        match PatternDatabase::new(&of, self.limits) {
            Ok(database) => Ok(Some(database)),
            Err(NoDatabase::TooLarge) => Ok(None),
            Err(NoDatabase::Limit(hit)) => Err(hit.into()),
        }
    }

    /// Makes the database of the longest prefix of these things that fits, with its length.
    fn largest(
        &self,
        things: &[Thing],
        additive: bool,
    ) -> Result<Option<(PatternDatabase, usize)>, Inapplicable> {
        let mut best = None;
        let (mut before, mut taken, mut step) = (1.0, 1, 1);
        while taken <= things.len() {
            let Some(database) = self.database(&things[..taken], additive)? else { break };
            let size = database.size();
            // The next thing multiplies the positions by about as much as the last one.
            let growth = (size / before).max(1.0).powf(1.0 / step as f64);
            before = size;
            best = Some((database, taken));
            let fits = |things: usize| size * growth.powf(things as f64) * GROWTH_MARGIN <= self.most as f64;
            if !fits(1) {
                break;
            }
            // Where a thing multiplies them by little, databases in between would cost more than the last one.
            let is_small = |things: usize| growth.powf(things as f64) < LEAST_GROWTH;
            step = 1;
            while taken + step < things.len() && is_small(step) && fits(step + 1) {
                step += 1;
            }
            taken += step;
        }
        Ok(best)
    }
}

/// The growth of a database from one that is tried to the next.
const LEAST_GROWTH: f64 = 1.5;
/// The share of the predicted size of a database above which it is not tried: the growth falls from thing to thing.
const GROWTH_MARGIN: f64 = 0.75;
