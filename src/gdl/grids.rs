//! Grids: sentences about places of a board, such as `(cell 3 4 x)`, get a number for the place.
//!
//! The arguments of relations and functions that share a variable in some rule have one *axis*. Its values are ordered:
//! numbers as numbers, others by a relation of successors or by their names (`a1`, `a2`). A grid has one axis or two, and
//! the place of a sentence in its grid is its *lane*. Sentences that differ in their lanes alone form a *family*; further
//! arguments on an axis of the grid, as in `(move 1 2 1 3)`, count by their distance from the lane. So a rule has the
//! same form in all lanes of a family, and steps on the board are differences of lanes.
//!
//! *Invariant:* grids say nothing about the meaning of sentences. Where they are badly chosen, rules have more forms.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::atom_map::AtomMap;
use crate::ground::AtomId;
use crate::program::{Condition, Rule};
use crate::sheet::{Keywords, Pattern, Sentence, Sheet};
use crate::simplify::Propositions;
use crate::terms::{Symbol, TermId};

/// A family of sentences.
#[derive(Debug)]
pub struct Family {
    pub grid: u32,
    /// The number of the relation or function in this grid: its families differ in further arguments alone.
    pub relation: u32,
    /// The relation in another grid that is preferred to this one.
    pub after: Option<u32>,
    /// The number of places of the grid.
    pub width: u32,
    /// The sentences with their lanes, in the order of the lanes.
    pub lanes: Vec<(u32, AtomId)>,
}

/// The place of a sentence: its family, and its lane there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridPlace {
    pub family: u32,
    pub lane: u32,
}

/// The families of a game.
#[derive(Debug, Default)]
pub struct Grids {
    pub families: Vec<Family>,
    /// The places of each sentence, the preferred one first.
    places: AtomMap<Vec<GridPlace>>,
}

/// The minimal number of values of an axis, and of sentences of a family.
const MIN_LANES: usize = 3;
/// The maximal number of places of a grid.
const MAX_WIDTH: u32 = 1024;

impl Grids {
    /// The places of a sentence in the families that it belongs to, the preferred one first.
    pub fn places(&self, atom: AtomId) -> &[GridPlace] {
        self.places.get(atom).map_or(&[], Vec::as_slice)
    }

    /// Finds the families of a game.
    pub fn of(sheet: &Sheet, game: &Propositions) -> Grids {
        let of = &sheet.keywords;
        let open: Vec<AtomId> = game
            .facts
            .derived()
            .iter()
            .copied()
            .filter(|&atom| game.certain(atom).is_none() && has_places(of, game.facts.relation(atom)))
            .collect();
        let mut axes = Axes::of(of, game);
        axes.number(sheet, game, &open);
        let grids = axes.grids(game, &open);
        let mut found = Grids::default();
        // The sentences of one relation or function.
        let mut groups: BTreeMap<Functor, (Vec<Slot>, Vec<AtomId>)> = BTreeMap::new();
        for atom in open {
            let (functor, flat) = flat(of, game, atom);
            groups.entry(functor).or_insert((flat.slots, Vec::new())).1.push(atom);
        }
        for (functor, (slots, atoms)) in groups {
            let args = axes.args(&slots);
            let score = |grid: &Grid| grid.axes.iter().filter(|axis| args.contains(axis)).count();
            let board = (0..grids.len()).rev().max_by_key(|&at| score(&grids[at]));
            let board = board.filter(|&at| score(&grids[at]) > 0);
            let first = found.families.len();
            if let Some(at) = board {
                found.add_families(&axes, game, &args, &atoms, &grids[at]);
            }
            let preferred = found.families.get(first).map(|family| family.relation);
            // Counts along a board, such as `(count 3 4 17)`: a line of numbers for each place.
            let is_derived = ![of.true_, of.does, of.legal].contains(&functor.relation);
            let line = axes.line(&args).filter(|axis| board.is_none_or(|at| !grids[at].axes.contains(axis)));
            if let Some(axis) = line.filter(|_| is_derived) {
                let size = axes.values[&axis].size;
                // Lines come after the boards.
                let number = (grids.len() + axis) as u32;
                let line = Grid { number, axes: vec![axis], sizes: vec![size], width: size };
                let first = found.families.len();
                found.add_families(&axes, game, &args, &atoms, &line);
                found.families[first..].iter_mut().for_each(|family| family.after = preferred);
            }
        }
        found
    }

    /// Adds the families of the sentences of one relation or function in a grid.
    fn add_families(
        &mut self,
        axes: &Axes<'_>,
        game: &Propositions,
        args: &[usize],
        atoms: &[AtomId],
        grid: &Grid,
    ) {
        // Further arguments count by distance, or are as they are, whichever gives fewer families.
        let layers = |relative: bool| {
            let mut layers: BTreeMap<Vec<i64>, Vec<(u32, AtomId)>> = BTreeMap::new();
            for &atom in atoms {
                if let Some((layer, lane)) =
                    axes.place(args, &flat(axes.of, game, atom).1.terms, grid, relative)
                {
                    layers.entry(layer).or_default().push((lane, atom));
                }
            }
            layers
        };
        let relation = self.families.last().map_or(0, |family| family.relation + 1);
        let (by_distance, absolute) = (layers(true), layers(false));
        let layers = if by_distance.len() <= absolute.len() { by_distance } else { absolute };
        for mut lanes in layers.into_values().filter(|lanes| lanes.len() >= MIN_LANES) {
            lanes.sort_unstable();
            let family = self.families.len() as u32;
            for &(lane, atom) in &lanes {
                self.places.or_default(atom).push(GridPlace { family, lane });
            }
            self.families.push(Family { grid: grid.number, relation, after: None, width: grid.width, lanes });
        }
    }
}

/// Returns true for relations whose sentences may have places: those that have effects or results have none.
fn has_places(of: &Keywords, relation: Symbol) -> bool {
    ![of.role, of.init, of.next, of.goal, of.terminal, of.sees, of.base, of.input].contains(&relation)
}

/// The relation of a sentence, with the role that makes a move and the functions of its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Functor {
    relation: Symbol,
    role: Option<TermId>,
    /// Each argument that is no constant, with its function and the number of arguments of that.
    functions: Vec<(usize, Symbol, usize)>,
}

/// The constants of a sentence and of the terms in it, with their places.
#[derive(Default)]
struct Flat {
    slots: Vec<Slot>,
    terms: Vec<TermId>,
}

/// The functor and the constants of a sentence.
fn flat(of: &Keywords, game: &Propositions, atom: AtomId) -> (Functor, Flat) {
    let (relation, args) = (game.facts.relation(atom), game.facts.args(atom));
    let makes_move = [of.does, of.legal].contains(&relation);
    let role = makes_move.then(|| args[0]);
    let mut functor = Functor { relation, role, functions: Vec::new() };
    let mut found = Flat::default();
    for (arg, &term) in args.iter().enumerate().skip(usize::from(makes_move)) {
        let inner = game.terms.get(term);
        if inner.args.is_empty() && !(is_function_argument(of, relation, arg)) {
            found.slots.push(Slot::Relation(relation, arg));
            found.terms.push(term);
            continue;
        }
        functor.functions.push((arg, inner.name, inner.args.len()));
        for (at, &term) in inner.args.iter().enumerate() {
            found.slots.push(Slot::of_function(of, relation, inner.name, inner.args.len(), at));
            found.terms.push(term);
        }
    }
    (functor, found)
}

/// Returns true for the argument of a relation that is a fluent or a move.
fn is_function_argument(of: &Keywords, relation: Symbol, arg: usize) -> bool {
    [of.true_, of.next, of.init].contains(&relation) && arg == 0
        || [of.does, of.legal].contains(&relation) && arg == 1
}

/// The place of a term in the rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Slot {
    Relation(Symbol, usize),
    /// An argument of the function of a fluent with this number of arguments.
    Fluent(Symbol, usize, usize),
    /// An argument of another function, such as a move.
    Function(Symbol, usize, usize),
    /// A variable of a rule.
    Var(usize, u32),
}

impl Slot {
    fn of_function(of: &Keywords, relation: Symbol, name: Symbol, args: usize, at: usize) -> Slot {
        match [of.true_, of.next, of.init].contains(&relation) {
            true => Slot::Fluent(name, args, at),
            false => Slot::Function(name, args, at),
        }
    }
}

/// A board, or a line of places.
#[derive(Clone, Debug)]
struct Grid {
    number: u32,
    /// One axis or two, which may be the same.
    axes: Vec<usize>,
    sizes: Vec<u32>,
    width: u32,
}

/// The values of an axis.
#[derive(Clone, Debug, Default)]
struct Values {
    numbers: FxHashMap<TermId, u32>,
    /// The greatest number, and one more.
    size: u32,
    /// True if the numbers follow from the values, not from the order in which they occurred.
    ordered: bool,
}

/// The axes of all places of terms: classes of a union-find.
struct Axes<'g> {
    of: &'g Keywords,
    numbers: FxHashMap<Slot, usize>,
    parents: Vec<usize>,
    values: FxHashMap<usize, Values>,
}

impl<'g> Axes<'g> {
    fn of(of: &'g Keywords, game: &Propositions) -> Axes<'g> {
        let mut axes =
            Axes { of, numbers: FxHashMap::default(), parents: Vec::new(), values: FxHashMap::default() };
        let heads: FxHashSet<Symbol> = game.rules.iter().map(|rule| rule.head.relation).collect();
        for (number, rule) in game.rules.iter().enumerate() {
            axes.join_all(rule, number, &heads);
        }
        axes
    }

    /// Joins the places of the variables of a rule. Relations that never change join nothing: `succ` leads from columns
    /// to columns and from rows to rows.
    fn join_all(&mut self, rule: &Rule, number: usize, heads: &FxHashSet<Symbol>) {
        let changes = |sentence: &&Sentence| {
            heads.contains(&sentence.relation) || [self.of.true_, self.of.does].contains(&sentence.relation)
        };
        let of_body = rule.body.iter().filter_map(|condition| match condition {
            Condition::Positive(sentence) | Condition::Negative(sentence) => Some(sentence),
            Condition::Compare(..) => None,
        });
        let sentences: Vec<&Sentence> = of_body.filter(changes).chain([&rule.head]).collect();
        for sentence in sentences {
            for (slot, arg) in self.slots(sentence) {
                if let Pattern::Var(var) = arg {
                    let (a, b) = (self.class(slot), self.class(Slot::Var(number, *var)));
                    self.parents[a] = b;
                }
            }
        }
    }

    /// The places of the arguments of a sentence, and of the terms in it.
    fn slots<'s>(&self, sentence: &'s Sentence) -> Vec<(Slot, &'s Pattern)> {
        let (relation, mut found) = (sentence.relation, Vec::new());
        for (arg, pattern) in sentence.args.iter().enumerate() {
            match pattern {
                Pattern::Compound(name, args) => {
                    let slot = |at| Slot::of_function(self.of, relation, *name, args.len(), at);
                    found.extend(args.iter().enumerate().map(|(at, inner)| (slot(at), inner)));
                }
                _ if is_function_argument(self.of, relation, arg) => {}
                _ => found.push((Slot::Relation(relation, arg), pattern)),
            }
        }
        found
    }

    fn class(&mut self, slot: Slot) -> usize {
        let next = self.parents.len();
        let mut at = *self.numbers.entry(slot).or_insert(next);
        if at == next {
            self.parents.push(next);
        }
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// The axes of places.
    fn args(&mut self, slots: &[Slot]) -> Vec<usize> {
        slots.iter().map(|&slot| self.class(slot)).collect()
    }

    /// Numbers the values of all axes.
    fn number(&mut self, sheet: &Sheet, game: &Propositions, open: &[AtomId]) {
        let mut found: BTreeMap<usize, Vec<TermId>> = BTreeMap::new();
        let mut seen: FxHashSet<(usize, TermId)> = FxHashSet::default();
        for &atom in open {
            let (_, flat) = flat(self.of, game, atom);
            for (slot, term) in flat.slots.into_iter().zip(flat.terms) {
                let class = self.class(slot);
                if seen.insert((class, term)) {
                    found.entry(class).or_default().push(term);
                }
            }
        }
        let chains = successors(self.of, game);
        for (class, values) in found {
            self.values.insert(class, numbered(sheet, game, values, &chains));
        }
    }

    /// The grids: each function of fluents, those with the most fluents first, takes a grid that exists or a new one.
    fn grids(&mut self, game: &Propositions, open: &[AtomId]) -> Vec<Grid> {
        let mut counts: BTreeMap<Functor, (usize, Vec<Slot>)> = BTreeMap::new();
        let is_part = |relation: Symbol| [self.of.true_, self.of.does].contains(&relation);
        for &atom in open.iter().filter(|&&atom| is_part(game.facts.relation(atom))) {
            let (functor, flat) = flat(self.of, game, atom);
            counts.entry(functor).or_insert((0, flat.slots)).0 += 1;
        }
        // The axes that occur together, in fluents and moves.
        let together: Vec<Vec<usize>> = counts.values().map(|(_, slots)| self.args(slots)).collect();
        let fluents = counts.into_iter().filter(|(functor, _)| functor.relation == self.of.true_);
        let mut functors: Vec<(usize, Vec<Slot>)> = fluents.map(|(_, of)| of).collect();
        functors.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let mut grids: Vec<Grid> = Vec::new();
        for (_, slots) in functors {
            let args = self.args(&slots);
            if args.iter().any(|axis| grids.iter().any(|grid| grid.axes.contains(axis))) {
                continue;
            }
            let size = |axis: &usize| self.values.get(axis).map_or(0, |values| values.size);
            let long: Vec<usize> =
                (0..args.len()).filter(|&arg| size(&args[arg]) >= MIN_LANES as u32).collect();
            let is_ordered = |arg: &&usize| self.values[&args[**arg]].ordered;
            let ordered: Vec<usize> = long.iter().filter(is_ordered).copied().collect();
            // Two axes in order make a board, those that occur together most.
            let pairs = ordered.iter().flat_map(|&a| ordered.iter().map(move |&b| (a, b)));
            let pairs =
                pairs.filter(|&(a, b)| a < b && size(&args[a]).saturating_mul(size(&args[b])) <= MAX_WIDTH);
            let pair = pairs.max_by_key(|&(a, b)| {
                let has = |of: &&Vec<usize>| {
                    let count = |axis: usize| of.iter().filter(|other| **other == axis).count();
                    match args[a] == args[b] {
                        true => count(args[a]) > 1,
                        false => count(args[a]) > 0 && count(args[b]) > 0,
                    }
                };
                let width = size(&args[a]) * size(&args[b]);
                (together.iter().filter(has).count(), width, std::cmp::Reverse((a, b)))
            });
            let longest = |of: &[usize]| {
                of.iter().copied().max_by_key(|&arg| (size(&args[arg]), std::cmp::Reverse(arg)))
            };
            let best: Vec<usize> = match pair {
                Some((a, b)) => vec![a, b],
                None => longest(&ordered).or_else(|| longest(&long)).into_iter().collect(),
            };
            let axes: Vec<usize> = best.into_iter().map(|arg| args[arg]).collect();
            let sizes: Vec<u32> = axes.iter().map(size).collect();
            let width = sizes.iter().fold(1u32, |all, size| all.saturating_mul(*size));
            if !axes.is_empty() && width <= MAX_WIDTH {
                let number = grids.len() as u32;
                grids.push(Grid { number, axes, sizes, width });
            }
        }
        grids
    }

    /// The longest axis of these arguments whose values are in order.
    fn line(&self, args: &[usize]) -> Option<usize> {
        let size =
            |axis: usize| self.values.get(&axis).filter(|values| values.ordered).map_or(0, |of| of.size);
        let longest = args.iter().copied().max_by_key(|&axis| (size(axis), std::cmp::Reverse(axis)))?;
        (size(longest) >= MIN_LANES as u32 && size(longest) <= MAX_WIDTH).then_some(longest)
    }

    /// The lane of a sentence with these arguments in a grid, and what tells its family from others.
    fn place(
        &self,
        args: &[usize],
        terms: &[TermId],
        grid: &Grid,
        relative: bool,
    ) -> Option<(Vec<i64>, u32)> {
        let number = |arg: usize| self.values.get(&args[arg])?.numbers.get(&terms[arg]).copied();
        let mut coordinates: Vec<Option<u32>> = vec![None; grid.axes.len()];
        let mut lane = 0;
        let mut taken = vec![false; args.len()];
        for (at, axis) in grid.axes.iter().enumerate() {
            let arg = (0..args.len()).find(|&arg| args[arg] == *axis && !taken[arg]);
            if let Some(arg) = arg {
                taken[arg] = true;
                coordinates[at] = Some(number(arg)?);
            }
            lane = lane * grid.sizes[at] + coordinates[at].unwrap_or(0);
        }
        let mut layer = Vec::new();
        for arg in (0..args.len()).filter(|&arg| !taken[arg]) {
            let same: Vec<usize> = (0..grid.axes.len()).filter(|&at| grid.axes[at] == args[arg]).collect();
            let of_axis = (0..arg).filter(|&other| !taken[other] && args[other] == args[arg]).count();
            let from = same.get(of_axis % same.len().max(1)).and_then(|&at| coordinates[at]);
            layer.push(match (relative, from, number(arg)) {
                (true, Some(from), Some(to)) => i64::from(to) - i64::from(from),
                _ => i64::from(terms[arg].0),
            });
        }
        Some((layer, lane))
    }
}

/// The relations of two constants that never change in which each constant has at most one successor and one
/// predecessor: the successor of each.
fn successors(of: &Keywords, game: &Propositions) -> Vec<FxHashMap<TermId, TermId>> {
    let changing: FxHashSet<Symbol> = game.rules.iter().map(|rule| rule.head.relation).collect();
    let mut pairs: BTreeMap<Symbol, Vec<(TermId, TermId)>> = BTreeMap::new();
    for &atom in game.facts.derived() {
        let relation = game.facts.relation(atom);
        if let &[from, to] = game.facts.args(atom)
            && !changing.contains(&relation)
            && has_places(of, relation)
            && ![of.true_, of.does].contains(&relation)
        {
            pairs.entry(relation).or_default().push((from, to));
        }
    }
    let mut found = Vec::new();
    for pairs in pairs.into_values() {
        let next: FxHashMap<TermId, TermId> = pairs.iter().copied().collect();
        let targets: FxHashSet<TermId> = pairs.iter().map(|&(_, to)| to).collect();
        if next.len() == pairs.len() && targets.len() == pairs.len() {
            found.push(next);
        }
    }
    found
}

/// Numbers values: as numbers, by successors, or by the numbers in their names.
fn numbered(
    sheet: &Sheet,
    game: &Propositions,
    values: Vec<TermId>,
    chains: &[FxHashMap<TermId, TermId>],
) -> Values {
    let name = |term: TermId| game.terms.render(&sheet.symbols, term);
    let integers: Option<Vec<i64>> = values.iter().map(|&term| name(term).parse::<i64>().ok()).collect();
    if let Some(integers) = integers
        && let (Some(&low), Some(&high)) = (integers.iter().min(), integers.iter().max())
        && high - low < 2 * values.len() as i64 + 2
    {
        let numbers = values.iter().zip(&integers).map(|(&term, n)| (term, (n - low) as u32)).collect();
        return Values { numbers, size: (high - low + 1) as u32, ordered: true };
    }
    let members: FxHashSet<TermId> = values.iter().copied().collect();
    for chain in chains {
        let targets: FxHashSet<TermId> = chain.values().copied().collect();
        let mut starts: Vec<TermId> = chain.keys().copied().filter(|from| !targets.contains(from)).collect();
        starts.sort_unstable();
        let mut numbers = FxHashMap::default();
        for start in starts {
            let mut at = Some(start);
            while let Some(term) = at {
                if members.contains(&term) {
                    let next = numbers.len() as u32;
                    numbers.insert(term, next);
                }
                at = chain.get(&term).copied();
            }
        }
        if numbers.len() == values.len() {
            return Values { size: values.len() as u32, numbers, ordered: true };
        }
    }
    // Names such as `c7`: by their letters, then by their numbers.
    let split = |term: TermId| {
        let name = name(term);
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (letters, number) = name.split_at(name.len() - digits);
        (letters.to_owned(), number.parse::<u64>().unwrap_or(0))
    };
    let keys: FxHashMap<TermId, (String, u64)> = values.iter().map(|&term| (term, split(term))).collect();
    let short = keys.values().all(|(letters, _)| letters.len() <= 1);
    let one_prefix = keys.values().all(|key| key.0 == keys[&values[0]].0);
    let ordered = short || one_prefix;
    let mut values = values;
    if ordered {
        values.sort_by(|a, b| keys[a].cmp(&keys[b]));
    }
    let numbers = values.iter().copied().zip(0..).collect();
    Values { numbers, size: values.len() as u32, ordered }
}
