//! Patterns: the parts of a puzzle that an abstraction keeps apart, found from the grounded rules.
//!
//! Technique: the conditions of moves divide the values of a field into classes that they tell apart; an abstraction
//! keeps these classes always. What it may forget are *things*: of a field whose cells exchange contents (tiles,
//! pancakes, corners), the values that no condition tells apart; of any other field, its cells (discs, lamps).
//! A pattern is a set of things that an abstraction keeps apart. Patterns of different things are additive if each move
//! is charged to at most one of them: by the thing in a cell that the move empties, or by the cells that it writes. The
//! sum of such distances is then a lower bound by construction, whichever cell is chosen.
//! Source: Korf and Felner (2002) for disjoint patterns; Katz and Domshlak (2008) for the partition of costs.
//! Not taken: patterns chosen by trial (Haslum et al. 2007), which cost more than they save on the puzzles at hand.

use rustc_hash::{FxHashMap, FxHashSet};

use super::abstraction::Partition;
use super::batch::{AbstractGame, BATCH, Charge, Expansion, collect_parts};
use super::task::PlanningTask;
use bouton_base::id::Id;
use bouton_base::random::SplitMix;
use bouton_grounding::{Action, Formula, FormulaNode, Formulas, Subject, Values, value_numbers};

/// A part of a puzzle that an abstraction may forget.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Thing {
    /// A value of a field whose cells exchange their contents, by the field's index and the value's number.
    Value { field: usize, value: u8 },
    /// A fluent.
    Fluent(usize),
}

/// The conditions of a move that show to which pattern it is charged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Selector {
    /// The move moves no thing.
    None,
    /// The move moves the thing in this fluent.
    Content(usize),
    /// The move writes this fluent, among others.
    Writes(usize),
}

/// The structure of a task that patterns are made from.
pub struct Structure {
    /// The things, by neighbourhood, and in the order of the state if this is another one.
    pub orders: Vec<Vec<Thing>>,
    /// The classes of values that conditions tell apart, by fluent.
    base: Vec<Vec<Values>>,
    /// True if the fluent is kept by every abstraction.
    core: Vec<bool>,
    /// True if the cells of the fluent's field exchange their contents.
    exchanged: Vec<bool>,
    selectors: Vec<Selector>,
    additive: bool,
}

/// The number of moves of the random plays that show which things a move moves.
const SAMPLED_MOVES: usize = 40;

/// A fluent is kept by every abstraction if the conditions of at least this share of the moves, in percent, depend on
/// it.
const CORE_PERCENT: usize = 90;

impl Structure {
    /// Finds the things of a task.
    pub fn of(task: &PlanningTask) -> Structure {
        let fluents = task.fluents();
        let base = base_classes(task);
        let exchanged = exchanged_fields(task, &base);
        let core = core_fluents(task, &exchanged);
        let mut things = Vec::new();
        let mut seen: FxHashSet<Thing> = FxHashSet::default();
        for fluent in 0..fluents {
            if !task.changes(fluent) || core[fluent] {
                continue;
            }
            let field = task.field(fluent);
            let found: Vec<Thing> = match exchanged[fluent] {
                true => {
                    let open = base[fluent].iter().filter(|class| class.count_ones() > 1);
                    let values = open.flat_map(|class| value_numbers(*class));
                    values.map(|value| Thing::Value { field, value: value as u8 }).collect()
                }
                false => vec![Thing::Fluent(fluent)],
            };
            things.extend(found.into_iter().filter(|thing| seen.insert(*thing)));
        }
        let mut orders = vec![by_neighbourhood(task, things.clone()), things];
        orders.dedup();
        let mut structure =
            Structure { orders, base, core, exchanged, selectors: Vec::new(), additive: false };
        structure.select(task);
        structure
    }

    /// Finds the condition by which each move is charged, from the moves of some random plays: of the fluents whose
    /// things it moves, the one in which it moves one most often. Any choice gives lower bounds.
    fn select(&mut self, task: &PlanningTask) {
        let written = |action: &Action| -> Vec<usize> {
            let all = action.updates.iter().map(|update| update.fluent.index());
            all.filter(|fluent| task.changes(*fluent) && !self.core[*fluent]).collect()
        };
        let written: Vec<Vec<usize>> = task.actions.iter().map(written).collect();
        let mut moved: Vec<Vec<u32>> = written.iter().map(|fluents| vec![0; fluents.len()]).collect();
        let (mut single, mut several) = (0, 0);
        random_moves(task, &mut |action, before, after| {
            let mut things = 0;
            for (place, &fluent) in written[action].iter().enumerate() {
                if before[fluent] != after[fluent] && self.holds_thing(fluent, before[fluent]) {
                    moved[action][place] += 1;
                    things += 1;
                }
            }
            if things == 1 { single += 1 } else { several += 1 }
        });
        self.additive = single > 0 && several == 0;
        let best = |(fluents, counts): (&Vec<usize>, &Vec<u32>)| {
            let most = fluents.iter().zip(counts).rev().max_by_key(|(_, count)| **count);
            match most {
                Some((fluent, _)) if self.exchanged[*fluent] => Selector::Content(*fluent),
                Some((fluent, _)) => Selector::Writes(*fluent),
                None => Selector::None,
            }
        };
        self.selectors = written.iter().zip(&moved).map(best).collect();
    }

    /// Returns true if a fluent with this value holds a thing, or is one.
    fn holds_thing(&self, fluent: usize, value: u8) -> bool {
        let open = |class: &Values| class >> value & 1 == 1 && class.count_ones() > 1;
        !self.exchanged[fluent] || self.base[fluent].iter().any(open)
    }

    /// Returns true if moves move one thing each, as far as random plays show, so that the distances of patterns add up
    /// to good bounds.
    pub fn is_additive(&self) -> bool {
        self.additive
    }

    /// Makes the abstraction that keeps these things apart.
    pub fn partition(&self, task: &PlanningTask, kept: &[Thing]) -> Partition {
        let kept: FxHashSet<Thing> = kept.iter().copied().collect();
        let sets = (0..task.fluents()).map(|fluent| {
            let possible = task.possible[fluent];
            let singletons = || value_numbers(possible).map(|value| 1 << value).collect();
            if !self.exchanged[fluent] {
                let keeps = self.core[fluent] || kept.contains(&Thing::Fluent(fluent));
                return if keeps { singletons() } else { vec![possible] };
            }
            let field = task.field(fluent);
            let mut sets: Vec<Values> = Vec::new();
            for class in &self.base[fluent] {
                let own: Vec<u32> = value_numbers(*class)
                    .filter(|value| kept.contains(&Thing::Value { field, value: *value as u8 }))
                    .collect();
                let rest = own.iter().fold(*class, |rest, value| rest & !(1 << value));
                sets.extend(own.iter().map(|value| 1 << value).chain((rest != 0).then_some(rest)));
            }
            sets
        });
        Partition { sets: sets.collect() }
    }

    /// Returns the cost of each move in a pattern of these things, such that no move costs more than one in patterns of
    /// different things together.
    pub fn charges(&self, task: &PlanningTask, kept: &[Thing]) -> Vec<Charge> {
        let of = |selector: &Selector| match *selector {
            Selector::None => Charge::Never,
            Selector::Writes(fluent) if kept.contains(&Thing::Fluent(fluent)) => Charge::Always,
            Selector::Writes(_) => Charge::Never,
            Selector::Content(fluent) => {
                let field = task.field(fluent);
                let own = kept.iter().filter_map(|thing| match thing {
                    Thing::Value { field: of, value } if *of == field => Some(*value),
                    _ => None,
                });
                Charge::Where { fluent: fluent as u32, values: own.fold(0, |all, value| all | 1 << value) }
            }
        };
        self.selectors.iter().map(of).collect()
    }
}

/// Visits the literals of formulas.
fn each_literal(
    formulas: &Formulas,
    of: impl Iterator<Item = Formula>,
    visit: &mut dyn FnMut(usize, Values),
) {
    let mut parts = FxHashSet::default();
    of.for_each(|formula| collect_parts(formulas, formula, &mut parts));
    let mut parts: Vec<Formula> = parts.into_iter().collect();
    parts.sort_unstable();
    for part in parts {
        if let FormulaNode::Lit(subject, values) = formulas.node(part)
            && let Subject::Fluent(fluent) = formulas.subject(*subject).0
        {
            visit(fluent.index(), *values);
        }
    }
}

/// Returns the classes of the values of each fluent that the conditions of moves on cells of its field tell apart.
fn base_classes(task: &PlanningTask) -> Vec<Vec<Values>> {
    let fields = (0..task.fluents()).map(|fluent| task.field(fluent)).max().map_or(0, |most| most + 1);
    let mut tests: Vec<Vec<Values>> = vec![Vec::new(); fields];
    each_literal(
        &task.ground.formulas,
        task.actions.iter().map(|action| action.legal),
        &mut |fluent, values| {
            tests[task.field(fluent)].push(values);
        },
    );
    tests.iter_mut().for_each(|tests| {
        tests.sort_unstable();
        tests.dedup();
    });
    let classes = |fluent: usize| {
        let mut classes = vec![task.possible[fluent]];
        for test in &tests[task.field(fluent)] {
            let split = classes.iter().flat_map(|class| [class & test, class & !test]);
            classes = split.filter(|class| *class != 0).collect();
        }
        classes.sort_unstable_by_key(|class| class.trailing_zeros());
        classes
    };
    (0..task.fluents()).map(classes).collect()
}

/// Returns by fluent true if the cells of its field exchange their contents: the new value of one depends on another
/// one's value beyond its class.
fn exchanged_fields(task: &PlanningTask, base: &[Vec<Values>]) -> Vec<bool> {
    let mut exchanged = FxHashSet::default();
    for update in task.actions.iter().flat_map(|action| &action.updates) {
        let field = task.field(update.fluent.index());
        let whens = update.values.iter().map(|(_, when)| *when);
        each_literal(&task.ground.formulas, whens, &mut |fluent, values| {
            let splits = |class: &Values| class & values != 0 && class & !values != 0;
            if fluent != update.fluent.index()
                && task.field(fluent) == field
                && base[fluent].iter().any(splits)
            {
                exchanged.insert(field);
            }
        });
    }
    (0..task.fluents()).map(|fluent| exchanged.contains(&task.field(fluent))).collect()
}

/// Returns by fluent true if the conditions of almost all moves depend on it.
fn core_fluents(task: &PlanningTask, exchanged: &[bool]) -> Vec<bool> {
    let mut uses = vec![0; task.fluents()];
    for action in &task.actions {
        let mut own = FxHashSet::default();
        each_literal(&task.ground.formulas, std::iter::once(action.legal), &mut |fluent, _| {
            own.insert(fluent);
        });
        own.into_iter().for_each(|fluent: usize| uses[fluent] += 1);
    }
    let changing = (0..task.fluents()).filter(|fluent| task.changes(*fluent)).count();
    let core = |fluent: usize| {
        let used: usize = uses[fluent];
        task.changes(fluent)
            && !exchanged[fluent]
            && changing > 1
            && 100 * used >= CORE_PERCENT * task.actions.len()
    };
    let core: Vec<bool> = (0..task.fluents()).map(core).collect();
    // If every fluent is one, none can be left out.
    let others = (0..task.fluents()).any(|fluent| task.changes(fluent) && !core[fluent]);
    if others { core } else { vec![false; task.fluents()] }
}

/// The number of things before a thing that count for its place.
const NEAR_THINGS: usize = 3;

/// The weight of two homes that a move changes together, against that of each home that lies beside both.
const DIRECT_WEIGHT: usize = 2;

/// Orders things such that each has its home near those before it, so that patterns of consecutive things interact: the
/// homes of two things are near if moves change both, or both together with a third.
fn by_neighbourhood(task: &PlanningTask, mut things: Vec<Thing>) -> Vec<Thing> {
    let mut homes: FxHashMap<Thing, usize> = FxHashMap::default();
    for part in task.ground.formulas.conjuncts(task.win) {
        if let FormulaNode::Lit(subject, values) = task.ground.formulas.node(part)
            && let Subject::Fluent(fluent) = task.ground.formulas.subject(*subject).0
            && values.is_power_of_two()
        {
            let (field, value) = (task.field(fluent.index()), values.trailing_zeros() as u8);
            homes.insert(Thing::Value { field, value }, fluent.index());
        }
    }
    let home = |thing: &Thing| match thing {
        Thing::Fluent(fluent) => Some(*fluent),
        Thing::Value { .. } => homes.get(thing).copied(),
    };
    // The fluents that some move of a random play changes together with each fluent.
    let mut beside: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); task.fluents()];
    random_moves(task, &mut |_, before, after| {
        let changed: Vec<usize> =
            (0..before.len()).filter(|fluent| before[*fluent] != after[*fluent]).collect();
        for &one in &changed {
            beside[one].extend(changed.iter().filter(|other| **other != one));
        }
    });
    let near = |one: &Thing, other: &Thing| match home(one).zip(home(other)) {
        Some((one, other)) => {
            let direct = if beside[one].contains(&other) { DIRECT_WEIGHT } else { 0 };
            direct + beside[one].intersection(&beside[other]).count()
        }
        None => 0,
    };
    let mut ordered: Vec<Thing> = Vec::with_capacity(things.len());
    while !things.is_empty() {
        let last = &ordered[ordered.len().saturating_sub(NEAR_THINGS)..];
        let weight = |place: &usize| last.iter().map(|one| near(one, &things[*place])).sum::<usize>();
        // The first of equally near ones.
        let next = (0..things.len()).rev().max_by_key(weight).unwrap_or(0);
        ordered.push(things.remove(next));
    }
    ordered
}

/// Receives the number of a move, with the values of all fluents before and after it.
type MoveVisitor<'v> = dyn FnMut(usize, &[u8], &[u8]) + 'v;

/// Visits the moves of a batch of random plays.
fn random_moves(task: &PlanningTask, visit: &mut MoveVisitor<'_>) {
    let partition = Partition::identity(&task.possible);
    let mut game = AbstractGame::new(task, &partition, &vec![Charge::Always; task.actions.len()]);
    let width = game.layout.width();
    let mut batch = game.layout.key_of_values(&task.start).repeat(BATCH);
    let mut random = SplitMix::new(1);
    let mut expansion = Expansion::default();
    for _ in 0..SAMPLED_MOVES {
        if game.expand(&batch, &mut expansion).is_err() {
            return;
        }
        let mut options: Vec<Vec<usize>> = vec![Vec::new(); BATCH];
        for (row, successor) in expansion.successors.iter().enumerate() {
            options[successor.lane as usize].push(row);
        }
        for (lane, rows) in options.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let row = rows[(random.word() % rows.len() as u64) as usize];
            let after = &expansion.keys[row * width..(row + 1) * width];
            let before = &mut batch[lane * width..(lane + 1) * width];
            let (old, new) = (game.layout.values(before), game.layout.values(after));
            visit(expansion.successors[row].action as usize, &old, &new);
            before.copy_from_slice(after);
        }
    }
}
