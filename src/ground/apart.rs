//! Independent parts: how a position falls apart into components that no move from then on has in common, and which
//! components are the same game.
//!
//! A component is made of fluents that can still change. Two are in one where a move that may still be made reads or
//! changes both, judged with the values that each fluent may yet take (the delete relaxation, as in
//! [`possible`](super::Ground::possible)). So rows and regions fall apart in the course of play (Guy and Smith 1956 for
//! rows; Cox, Schkufza, Madsen and Genesereth 2009 for rules of games). Two components with one [key](Region::key) are
//! the same game with fluents renamed.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::heaps::Heaps;
use super::judge::{Judge, Truth};
use super::{FALSE, FluentId, Formula, Formulas, Ground, Maker, Node, Subject};
use crate::base::id::Id;

/// A move on the board alone: whose turn it is, is put in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BoardMove {
    /// When it is legal.
    pub legal: Formula,
    /// What it makes of fluents, each with when it does, given that it is legal; all others stay.
    pub becomes: Vec<(FluentId, u8, Formula)>,
}

/// A component of a position.
#[derive(Clone, Debug)]
pub enum Component {
    /// Some fluents with the moves on them.
    Region(Region),
    /// One of the heaps that this fluent counts, and which game it is.
    Heap(FluentId, u32),
}

/// Some fluents with the moves on them.
#[derive(Clone, Debug)]
pub struct Region {
    /// The fluents, in order.
    pub fluents: Vec<FluentId>,
    /// The whole position that it is a part of.
    pub position: Rc<[u8]>,
    /// The moves that may still be made on it.
    moves: Rc<[u32]>,
    key: Rc<[u32]>,
}

impl Component {
    /// What it is but for the names of its fluents: components with one key are the same game.
    pub fn key(&self) -> Rc<[u32]> {
        match self {
            Component::Region(region) => region.key.clone(),
            Component::Heap(_, class) => Rc::from([u32::MAX, *class]),
        }
    }

    /// Its fluents with the numbers of their values.
    pub fn local(&self) -> (Vec<FluentId>, Vec<u8>) {
        match self {
            Component::Region(region) => {
                let value = |fluent: &FluentId| region.position[fluent.index()];
                (region.fluents.clone(), region.fluents.iter().map(value).collect())
            }
            Component::Heap(fluent, _) => (vec![*fluent], vec![1]),
        }
    }
}

/// Takes positions apart.
pub struct Apart<'g> {
    ground: &'g Ground,
    moves: Vec<BoardMove>,
    /// From which move on they are the second player's alone; none where both players have all of them.
    second: Option<usize>,
    heaps: Heaps,
    judge: Judge<'g>,
    /// By fluent: the fluent above it in its component.
    above: Vec<u32>,
}

impl<'g> Apart<'g> {
    /// For positions that come of this one by these moves. The reason why not is a sentence without its stop.
    pub fn new(ground: &'g Ground, moves: Vec<BoardMove>, start: &[u8]) -> Result<Apart<'g>, String> {
        Apart::with(ground, moves, None, start)
    }

    /// The same where each player has moves of his own: components are then the same game only where the moves of each
    /// player are.
    pub fn partizan(
        ground: &'g Ground,
        [first, second]: [Vec<BoardMove>; 2],
        start: &[u8],
    ) -> Result<Apart<'g>, String> {
        let from = first.len();
        Apart::with(ground, first.into_iter().chain(second).collect(), Some(from), start)
    }

    fn with(
        ground: &'g Ground,
        moves: Vec<BoardMove>,
        second: Option<usize>,
        start: &[u8],
    ) -> Result<Apart<'g>, String> {
        let formulas = &ground.formulas;
        let mut judge = Judge::new(formulas);
        judge.position(start);
        let about_itself = moves
            .iter()
            .flat_map(|of| std::iter::once(of.legal).chain(of.becomes.iter().map(|(_, _, when)| *when)))
            .any(|formula| formulas.speaks_of_names(formula));
        if about_itself {
            return Err("moves depend on what is defined by itself".into());
        }
        let above = (0..ground.fluents.len() as u32).collect();
        let all: Vec<u32> = (0..moves.len() as u32).collect();
        let mut apart = Apart { ground, moves, second, heaps: Heaps::default(), judge, above };
        let live = apart.future(&all);
        if second.is_none() {
            apart.heaps = Heaps::of(ground, &apart.moves, &live, &mut apart.judge, start);
        }
        Ok(apart)
    }

    /// Returns true if a formula holds in no position that may come of the first one, whoever is to move in it.
    pub fn never(&mut self, start: &[u8], formula: Formula) -> bool {
        self.judge.position(start);
        // Moves on the board do not say whose turn it is.
        let turn = self.ground.fluents.turn();
        self.judge.set(turn, super::formula::all(self.ground.fluents.get(turn).values.len() as u32));
        let all: Vec<u32> = (0..self.moves.len() as u32).collect();
        self.future(&all);
        self.heaps.limit(&mut self.judge);
        self.judge.of(formula) == Truth::Never
    }

    /// The components of a position on which a move may still be made.
    pub fn components(&mut self, position: &[u8]) -> Result<Vec<Component>, String> {
        let all: Vec<u32> = (0..self.moves.len() as u32).collect();
        self.among(position, &all)
    }

    /// What each move on a component makes of it.
    pub fn options(&mut self, of: &Component) -> Result<Vec<Vec<Component>>, String> {
        let [first, second] = self.options_of_each(of)?;
        Ok(first.into_iter().chain(second).collect())
    }

    /// By player: what each move on a component makes of it. Where both have all moves they are the first player's.
    pub fn options_of_each(&mut self, of: &Component) -> Result<[Vec<Vec<Component>>; 2], String> {
        let region = match of {
            Component::Region(region) => region,
            Component::Heap(fluent, _) => {
                let heap = |kind: &FluentId| Component::Heap(*kind, self.heaps.class(*kind));
                let heaps = |given: &Vec<FluentId>| given.iter().map(heap).collect();
                return Ok([self.heaps.options(*fluent).iter().map(heaps).collect(), Vec::new()]);
            }
        };
        let mut after = Vec::new();
        self.judge.position(&region.position);
        for &number in region.moves.iter() {
            let of = &self.moves[number as usize];
            if self.judge.of(of.legal) != Truth::Always {
                continue;
            }
            let mut position = region.position.to_vec();
            for (fluent, value, when) in &of.becomes {
                if self.judge.of(*when) == Truth::Always {
                    position[fluent.index()] = *value;
                }
            }
            after.push((self.is_second(number), position));
        }
        let mut options = [Vec::new(), Vec::new()];
        for (is_second, position) in after {
            options[usize::from(is_second)].push(self.among(&position, &region.moves)?);
        }
        Ok(options)
    }

    /// Whether a move is the second player's alone.
    fn is_second(&self, number: u32) -> bool {
        self.second.is_some_and(|from| number as usize >= from)
    }

    /// The components as far as these moves make them.
    fn among(&mut self, position: &[u8], moves: &[u32]) -> Result<Vec<Component>, String> {
        self.judge.position(position);
        let live = self.future(moves);
        let mut first = Vec::with_capacity(live.len());
        let mut touched = Vec::new();
        let mut support = Vec::new();
        for &number in &live {
            support.clear();
            self.support(number, &mut support);
            let Some(&one) = support.first() else { return Err("a move changes nothing".into()) };
            first.push(one);
            for &fluent in &support {
                touched.push(fluent);
                let (a, b) = (self.root(one.0), self.root(fluent.0));
                self.above[a.max(b) as usize] = a.min(b);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let mut parts: FxHashMap<u32, (Vec<FluentId>, Vec<u32>)> = FxHashMap::default();
        for &fluent in &touched {
            let root = self.root(fluent.0);
            parts.entry(root).or_default().0.push(fluent);
        }
        for (&number, one) in live.iter().zip(first) {
            let root = self.root(one.0);
            parts.entry(root).or_default().1.push(number);
        }
        touched.iter().for_each(|fluent| self.above[fluent.index()] = fluent.0);
        let mut parts: Vec<(Vec<FluentId>, Vec<u32>)> = parts.into_values().collect();
        parts.sort_unstable();
        let position: Rc<[u8]> = position.into();
        let mut components = Vec::new();
        for (fluents, moves) in parts {
            if self.heaps.are_heaps(&moves) {
                for fluent in fluents {
                    let many = usize::from(position[fluent.index()]);
                    let heap = Component::Heap(fluent, self.heaps.class(fluent));
                    components.extend(std::iter::repeat_n(heap, many));
                }
                continue;
            }
            let key = self.key(&fluents, &moves, &position)?.into();
            let region = Region { fluents, position: position.clone(), moves: moves.into(), key };
            components.push(Component::Region(region));
        }
        Ok(components)
    }

    /// The moves that may still be made; the judge then knows the values that fluents may still take.
    fn future(&mut self, moves: &[u32]) -> Vec<u32> {
        let mut live = vec![false; moves.len()];
        loop {
            let mut more = Vec::new();
            for (&number, live) in moves.iter().zip(&mut live) {
                let of = &self.moves[number as usize];
                *live = *live || self.judge.of(of.legal) != Truth::Never;
                if !*live {
                    continue;
                }
                for &(fluent, value, when) in &of.becomes {
                    let there = self.judge.possible(fluent) >> value & 1 == 1;
                    if !there && self.judge.of(when) != Truth::Never {
                        more.push((fluent, value));
                    }
                }
            }
            if more.is_empty() {
                return moves.iter().zip(live).filter(|(_, live)| *live).map(|(of, _)| *of).collect();
            }
            self.judge.allow(&more);
        }
    }

    fn root(&self, mut fluent: u32) -> u32 {
        while self.above[fluent as usize] != fluent {
            fluent = self.above[fluent as usize];
        }
        fluent
    }

    /// The fluents that can still change and that a move depends on or changes.
    fn support(&mut self, number: u32, found: &mut Vec<FluentId>) {
        let of = &self.moves[number as usize];
        let mut waiting = vec![of.legal];
        for &(fluent, _, when) in &of.becomes {
            if self.judge.may_change(fluent) && self.judge.of(when) != Truth::Never {
                found.push(fluent);
                waiting.push(when);
            }
        }
        let formulas = &self.ground.formulas;
        while let Some(formula) = waiting.pop() {
            if self.judge.of(formula) != Truth::Open {
                continue;
            }
            match formulas.node(formula) {
                Node::And(parts) | Node::Or(parts) => waiting.extend(parts.iter().copied()),
                Node::Lit(subject, _) => match formulas.subject(*subject).0 {
                    Subject::Fluent(fluent) => found.push(*fluent),
                    Subject::Count(of) => waiting.extend(of.iter().copied()),
                },
                Node::False | Node::True | Node::Name(..) => {}
            }
        }
        found.sort_unstable();
        found.dedup();
    }

    /// A component's fluents and moves, written with its fluents numbered from one end or from the other, whichever is
    /// less. What is left out by the judge is left out.
    fn key(&mut self, fluents: &[FluentId], moves: &[u32], position: &[u8]) -> Result<Vec<u32>, String> {
        let ahead = fluents.iter().copied().zip(0..).collect();
        let one = self.written(&mut fluents.iter(), &ahead, moves, position)?;
        let back = fluents.iter().copied().rev().zip(0..).collect();
        let other = self.written(&mut fluents.iter().rev(), &back, moves, position)?;
        Ok(one.min(other))
    }

    fn written(
        &mut self,
        fluents: &mut dyn Iterator<Item = &FluentId>,
        rank: &FxHashMap<FluentId, u32>,
        moves: &[u32],
        position: &[u8],
    ) -> Result<Vec<u32>, String> {
        let mut key = vec![rank.len() as u32];
        for fluent in fluents {
            key.push(self.ground.fluents.get(*fluent).values.len() as u32);
            key.push(u32::from(position[fluent.index()]));
            words(self.judge.possible(*fluent), &mut key);
        }
        let mut all = Vec::with_capacity(moves.len());
        for &number in moves {
            let of = &self.moves[number as usize];
            let mut words = vec![u32::from(self.is_second(number))];
            write(&self.ground.formulas, &mut self.judge, of.legal, rank, &mut words)?;
            let mut becomes = Vec::new();
            for &(fluent, value, when) in &of.becomes {
                if !self.judge.may_change(fluent) || self.judge.of(when) == Truth::Never {
                    continue;
                }
                let mut change = vec![rank[&fluent], u32::from(value)];
                write(&self.ground.formulas, &mut self.judge, when, rank, &mut change)?;
                becomes.push(change);
            }
            becomes.sort_unstable();
            words.push(becomes.len() as u32);
            words.extend(becomes.into_iter().flatten());
            all.push(words);
        }
        all.sort_unstable();
        all.dedup();
        key.push(all.len() as u32);
        key.extend(all.into_iter().flatten());
        Ok(key)
    }
}

/// A formula as words in which fluents have the numbers of their places. Each says where it ends.
fn write(
    formulas: &Formulas,
    judge: &mut Judge<'_>,
    formula: Formula,
    rank: &FxHashMap<FluentId, u32>,
    to: &mut Vec<u32>,
) -> Result<(), String> {
    match judge.of(formula) {
        Truth::Never => to.push(0),
        Truth::Always => to.push(1),
        Truth::Open => match formulas.node(formula) {
            Node::Lit(subject, values) => match formulas.subject(*subject) {
                (Subject::Fluent(fluent), _) => {
                    to.extend([2, rank[fluent]]);
                    words(values & judge.possible(*fluent), to);
                }
                (Subject::Count(of), _) => {
                    to.push(3);
                    words(*values, to);
                    several(formulas, judge, (of, true), rank, to)?;
                }
            },
            Node::And(parts) => {
                to.push(4);
                several(formulas, judge, (parts, false), rank, to)?;
            }
            Node::Or(parts) => {
                to.push(5);
                several(formulas, judge, (parts, false), rank, to)?;
            }
            Node::False | Node::True | Node::Name(..) => return Err("a formula is about itself".into()),
        },
    }
    if to.len() > MOST_WORDS { Err("the formulas of a move are too long".into()) } else { Ok(()) }
}

/// Formulas in the order of their words. Those that are not open are kept only where they are counted: what is left of an
/// open "and" or "or" does not depend on them.
fn several(
    formulas: &Formulas,
    judge: &mut Judge<'_>,
    (parts, counted): (&[Formula], bool),
    rank: &FxHashMap<FluentId, u32>,
    to: &mut Vec<u32>,
) -> Result<(), String> {
    let mut written = Vec::with_capacity(parts.len());
    for &part in parts {
        if !counted && judge.of(part) != Truth::Open {
            continue;
        }
        let mut words = Vec::new();
        write(formulas, judge, part, rank, &mut words)?;
        written.push(words);
    }
    written.sort_unstable();
    to.push(written.len() as u32);
    to.extend(written.into_iter().flatten());
    Ok(())
}

/// A set of values as words, the first with their number.
fn words(values: u128, to: &mut Vec<u32>) {
    let place = to.len();
    to.push(0);
    let mut rest = values;
    while rest != 0 {
        to.push(rest as u32);
        rest >>= 32;
    }
    to[place] = (to.len() - place - 1) as u32;
}

/// No move has more words in a key.
const MOST_WORDS: usize = 1 << 16;

impl Ground {
    /// The moves of a player as what they do to the board. None where one is about itself.
    pub fn board_moves(&mut self, player: u32) -> Option<Vec<BoardMove>> {
        let turn = self.fluents.turn();
        let mut moves = Vec::new();
        for number in 0..self.actions.len() {
            let action = self.actions[number].clone();
            if action.maker != Maker::Player(player) {
                continue;
            }
            let legal = self.formulas.assuming(action.legal, turn, player as u8)?;
            if legal == FALSE {
                continue;
            }
            let mut becomes = Vec::new();
            for change in action.becomes.iter().filter(|change| change.fluent != turn) {
                for (value, when) in &change.values {
                    becomes.push((change.fluent, *value, self.formulas.assuming(*when, turn, player as u8)?));
                }
            }
            moves.push(BoardMove { legal, becomes });
        }
        Some(moves)
    }
}

impl Formulas {
    /// Whether a formula speaks of names.
    fn speaks_of_names(&self, formula: Formula) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut waiting = vec![formula];
        while let Some(formula) = waiting.pop() {
            if !seen.insert(formula) {
                continue;
            }
            match self.node(formula) {
                Node::Name(..) => return true,
                Node::And(parts) | Node::Or(parts) => waiting.extend(parts.iter().copied()),
                Node::Lit(subject, _) => {
                    if let Subject::Count(of) = self.subject(*subject).0 {
                        waiting.extend(of.iter().copied());
                    }
                }
                Node::False | Node::True => {}
            }
        }
        false
    }
}
