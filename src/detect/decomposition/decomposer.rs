//! Decomposition: splits a position into independent components that no future move has in common, and identifies
//! components that are the same game.
//!
//! A component consists of fluents that can still change. Two fluents are in one component if a move that may still be
//! legal reads or changes both, judged with the values that each fluent may yet take (the delete relaxation, as in
//! [`Ground::delete_relaxation`]). So rows and regions split in the course of play (Guy and Smith 1956 for
//! rows; Cox, Schkufza, Madsen and Genesereth 2009 for rules of games). Two components with the same
//! [key](Region::key) are the same game up to a renaming of fluents.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::NotApplicable;
use super::heaps::{Heaps, TouchingMove};
use bouton_base::id::Id;
use bouton_grounding::{
    ActionMaker, FALSE, FluentId, Formula, FormulaNode, Formulas, Ground, Subject, ThreeValued,
    ThreeValuedEvaluator, all_values,
};

/// A move on the board alone, with the player to move substituted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BoardMove {
    /// Holds where the move is legal.
    pub legal: Formula,
    /// The effects: a fluent, its new value, and the condition for it, provided that the move is legal; all other
    /// fluents stay.
    pub updates: Vec<(FluentId, u8, Formula)>,
}

/// A component of a position.
#[derive(Clone, Debug)]
pub enum Component {
    /// A set of fluents with the moves on them.
    Region(Region),
    /// One of the heaps that this fluent counts.
    Heap(FluentId),
}

/// A set of fluents with the moves on them.
#[derive(Clone, Debug)]
pub struct Region {
    /// The fluents, in order.
    pub fluents: Vec<FluentId>,
    /// The whole position that contains the region.
    pub position: Rc<[u8]>,
    /// The numbers of the moves that may still be legal on it.
    moves: Rc<[u32]>,
    key: Rc<[u32]>,
}

impl Component {
    /// Returns the canonical key, which does not depend on the names of fluents: components with equal keys are the
    /// same game.
    pub fn key(&self) -> Rc<[u32]> {
        match self {
            Component::Region(region) => region.key.clone(),
            Component::Heap(fluent) => Rc::from([u32::MAX, fluent.0]),
        }
    }

    /// Returns the fluents, in order; for a heap, the one that counts it.
    pub fn fluents(&self) -> &[FluentId] {
        match self {
            Component::Region(region) => &region.fluents,
            Component::Heap(fluent) => std::slice::from_ref(fluent),
        }
    }
}

/// Splits positions into components.
pub struct Decomposer<'g> {
    ground: &'g Ground,
    moves: Vec<BoardMove>,
    /// The number of the first move of the second player; `None` if both players share all moves.
    second: Option<usize>,
    heaps: Heaps,
    judge: ThreeValuedEvaluator<'g>,
    /// A union-find forest over fluents: the parent of each.
    above: Vec<u32>,
}

impl<'g> Decomposer<'g> {
    /// Makes a decomposer for the positions that these moves reach from `start`. The error is a reason, as a sentence
    /// without a full stop.
    pub fn new(
        ground: &'g Ground,
        moves: Vec<BoardMove>,
        start: &[u8],
    ) -> Result<Decomposer<'g>, NotApplicable> {
        Decomposer::with(ground, moves, None, start)
    }

    /// Makes a decomposer for a partizan game: components are the same game only if the moves of each player agree.
    pub fn partizan(
        ground: &'g Ground,
        [first, second]: [Vec<BoardMove>; 2],
        start: &[u8],
    ) -> Result<Decomposer<'g>, NotApplicable> {
        let from = first.len();
        Decomposer::with(ground, first.into_iter().chain(second).collect(), Some(from), start)
    }

    fn with(
        ground: &'g Ground,
        moves: Vec<BoardMove>,
        second: Option<usize>,
        start: &[u8],
    ) -> Result<Decomposer<'g>, NotApplicable> {
        let formulas = &ground.formulas;
        let mut judge = ThreeValuedEvaluator::new(formulas, Vec::new());
        judge.set_position(start);
        let about_itself = moves
            .iter()
            .flat_map(|of| std::iter::once(of.legal).chain(of.updates.iter().map(|(_, _, when)| *when)))
            .any(|formula| uses_names(formulas, formula));
        if about_itself {
            return Err("moves depend on a recursive definition".into());
        }
        let above = (0..ground.fluents.len() as u32).collect();
        let all: Vec<u32> = (0..moves.len() as u32).collect();
        let mut apart = Decomposer { ground, moves, second, heaps: Heaps::default(), judge, above };
        if second.is_none() {
            let live: Vec<TouchingMove> =
                apart.future(&all).into_iter().map(|of| apart.touching(of)).collect();
            apart.heaps = Heaps::of(ground, &apart.moves, &live, &mut apart.judge, start);
        }
        Ok(apart)
    }

    /// Returns true if a formula holds in no position reachable from the first one, whichever player is to move.
    pub fn never_reached(&mut self, start: &[u8], formula: Formula) -> bool {
        self.judge.set_position(start);
        // Moves on the board do not determine the player to move.
        let turn = self.ground.fluents.turn();
        self.judge.set_values(turn, all_values(self.ground.fluents.get(turn).values.len() as u32));
        let all: Vec<u32> = (0..self.moves.len() as u32).collect();
        self.future(&all);
        self.judge.evaluate(formula) == ThreeValued::Never
    }

    /// Returns the components of a position that may still have a move.
    pub fn components(&mut self, position: &[u8]) -> Result<Vec<Component>, NotApplicable> {
        let all: Vec<u32> = (0..self.moves.len() as u32).collect();
        self.among(position, &all)
    }

    /// Returns the components that result from each move on a component.
    pub fn options(&mut self, of: &Component) -> Result<Vec<Vec<Component>>, NotApplicable> {
        let [first, second] = self.options_of_each(of)?;
        Ok(first.into_iter().chain(second).collect())
    }

    /// Returns by player the components that result from each move on a component. Shared moves are the first
    /// player's.
    pub fn options_of_each(&mut self, of: &Component) -> Result<[Vec<Vec<Component>>; 2], NotApplicable> {
        let region = match of {
            Component::Region(region) => region,
            Component::Heap(fluent) => {
                let heaps = |given: &Vec<FluentId>| given.iter().copied().map(Component::Heap).collect();
                return Ok([self.heaps.options(*fluent).iter().map(heaps).collect(), Vec::new()]);
            }
        };
        let mut after = Vec::new();
        self.judge.set_position(&region.position);
        for &number in region.moves.iter() {
            let of = &self.moves[number as usize];
            if self.judge.evaluate(of.legal) != ThreeValued::Always {
                continue;
            }
            let mut position = region.position.to_vec();
            for (fluent, value, when) in &of.updates {
                if self.judge.evaluate(*when) == ThreeValued::Always {
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

    /// Returns true if a move belongs to the second player alone.
    fn is_second(&self, number: u32) -> bool {
        self.second.is_some_and(|from| number as usize >= from)
    }

    /// Returns the components of a position under these moves.
    fn among(&mut self, position: &[u8], moves: &[u32]) -> Result<Vec<Component>, NotApplicable> {
        self.judge.set_position(position);
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
                    components.extend(std::iter::repeat_n(Component::Heap(fluent), many));
                }
                continue;
            }
            let key = self.key(&fluents, &moves, &position)?.into();
            let region = Region { fluents, position: position.clone(), moves: moves.into(), key };
            components.push(Component::Region(region));
        }
        Ok(components)
    }

    /// Returns the moves that may still be legal. The three-valued evaluator then holds the values that fluents may
    /// still take.
    fn future(&mut self, moves: &[u32]) -> Vec<u32> {
        let mut live = vec![false; moves.len()];
        loop {
            let mut more = Vec::new();
            for (&number, live) in moves.iter().zip(&mut live) {
                let of = &self.moves[number as usize];
                *live = *live || self.judge.evaluate(of.legal) != ThreeValued::Never;
                if !*live {
                    continue;
                }
                for &(fluent, value, when) in &of.updates {
                    let there = self.judge.possible(fluent) >> value & 1 == 1;
                    if !there && self.judge.evaluate(when) != ThreeValued::Never {
                        more.push((fluent, value));
                    }
                }
            }
            if more.is_empty() {
                return moves.iter().zip(live).filter(|(_, live)| *live).map(|(of, _)| *of).collect();
            }
            self.judge.add_values(&more);
        }
    }

    fn root(&self, mut fluent: u32) -> u32 {
        while self.above[fluent as usize] != fluent {
            fluent = self.above[fluent as usize];
        }
        fluent
    }

    fn touching(&mut self, number: u32) -> TouchingMove {
        let mut touched = Vec::new();
        self.support(number, &mut touched);
        TouchingMove { number, touched }
    }

    /// Collects the fluents that can still change and that a move reads or changes.
    fn support(&mut self, number: u32, found: &mut Vec<FluentId>) {
        let of = &self.moves[number as usize];
        let mut waiting = vec![of.legal];
        for &(fluent, _, when) in &of.updates {
            if self.judge.may_change(fluent) && self.judge.evaluate(when) != ThreeValued::Never {
                found.push(fluent);
                waiting.push(when);
            }
        }
        let formulas = &self.ground.formulas;
        while let Some(formula) = waiting.pop() {
            if self.judge.evaluate(formula) != ThreeValued::Open {
                continue;
            }
            match formulas.node(formula) {
                FormulaNode::And(parts) | FormulaNode::Or(parts) => waiting.extend(parts.iter().copied()),
                FormulaNode::Lit(subject, _) => match formulas.subject(*subject).0 {
                    Subject::Fluent(fluent) => found.push(*fluent),
                    Subject::Count(of) => waiting.extend(of.iter().copied()),
                },
                FormulaNode::False | FormulaNode::True | FormulaNode::Name(..) => {}
            }
        }
        found.sort_unstable();
        found.dedup();
    }

    /// Returns the canonical key of a component: the lesser of two encodings, with fluents numbered forwards and
    /// backwards. Parts of formulas that are already decided are left out.
    fn key(
        &mut self,
        fluents: &[FluentId],
        moves: &[u32],
        position: &[u8],
    ) -> Result<Vec<u32>, NotApplicable> {
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
    ) -> Result<Vec<u32>, NotApplicable> {
        let mut key = vec![rank.len() as u32];
        for fluent in fluents {
            key.push(self.ground.fluents.get(*fluent).values.len() as u32);
            key.push(u32::from(position[fluent.index()]));
            encode_values(self.judge.possible(*fluent), &mut key);
        }
        let mut all = Vec::with_capacity(moves.len());
        for &number in moves {
            let of = &self.moves[number as usize];
            let mut words = vec![u32::from(self.is_second(number))];
            let formulas = &self.ground.formulas;
            FormulaEncoder { formulas, judge: &mut self.judge, rank }.encode(of.legal, &mut words)?;
            let mut becomes = Vec::new();
            for &(fluent, value, when) in &of.updates {
                if !self.judge.may_change(fluent) || self.judge.evaluate(when) == ThreeValued::Never {
                    continue;
                }
                let mut change = vec![rank[&fluent], u32::from(value)];
                FormulaEncoder { formulas, judge: &mut self.judge, rank }.encode(when, &mut change)?;
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

/// An encoder of formulas as words, with fluents numbered by rank.
struct FormulaEncoder<'a, 'g> {
    formulas: &'a Formulas,
    judge: &'a mut ThreeValuedEvaluator<'g>,
    rank: &'a FxHashMap<FluentId, u32>,
}

impl FormulaEncoder<'_, '_> {
    /// Encodes a formula. Each encoding determines its own end.
    fn encode(&mut self, formula: Formula, to: &mut Vec<u32>) -> Result<(), NotApplicable> {
        let formulas = self.formulas;
        match self.judge.evaluate(formula) {
            ThreeValued::Never => to.push(0),
            ThreeValued::Always => to.push(1),
            ThreeValued::Open => match formulas.node(formula) {
                FormulaNode::Lit(subject, values) => match formulas.subject(*subject) {
                    (Subject::Fluent(fluent), _) => {
                        to.extend([2, self.rank[fluent]]);
                        encode_values(values & self.judge.possible(*fluent), to);
                    }
                    (Subject::Count(of), _) => {
                        to.push(3);
                        encode_values(*values, to);
                        self.encode_parts(of, true, to)?;
                    }
                },
                FormulaNode::And(parts) => {
                    to.push(4);
                    self.encode_parts(parts, false, to)?;
                }
                FormulaNode::Or(parts) => {
                    to.push(5);
                    self.encode_parts(parts, false, to)?;
                }
                FormulaNode::False | FormulaNode::True | FormulaNode::Name(..) => {
                    return Err("a formula is recursive".into());
                }
            },
        }
        if to.len() > MAX_KEY_WORDS { Err("the formulas of a move are too long".into()) } else { Ok(()) }
    }

    /// Encodes formulas in the order of their encodings. Decided parts matter only in counts: the open rest of an "and"
    /// or "or" does not depend on them.
    fn encode_parts(
        &mut self,
        parts: &[Formula],
        counted: bool,
        to: &mut Vec<u32>,
    ) -> Result<(), NotApplicable> {
        let mut written = Vec::with_capacity(parts.len());
        for &part in parts {
            if !counted && self.judge.evaluate(part) != ThreeValued::Open {
                continue;
            }
            let mut words = Vec::new();
            self.encode(part, &mut words)?;
            written.push(words);
        }
        written.sort_unstable();
        to.push(written.len() as u32);
        to.extend(written.into_iter().flatten());
        Ok(())
    }
}

/// Encodes a set of values as words, preceded by their number.
fn encode_values(values: u128, to: &mut Vec<u32>) {
    let place = to.len();
    to.push(0);
    let mut rest = values;
    while rest != 0 {
        to.push(rest as u32);
        rest >>= 32;
    }
    to[place] = (to.len() - place - 1) as u32;
}

/// The maximal number of words in the encoding of a move.
const MAX_KEY_WORDS: usize = 1 << 16;

/// Returns the moves of a player as moves on the board. `None` if one of them is self-referential.
pub fn board_moves(ground: &mut Ground, player: u32) -> Option<Vec<BoardMove>> {
    let turn = ground.fluents.turn();
    let mut moves = Vec::new();
    for number in 0..ground.actions.len() {
        let action = ground.actions[number].clone();
        if action.maker != ActionMaker::Player(player) {
            continue;
        }
        let legal = ground.formulas.substitute(action.legal, turn, player as u8)?;
        if legal == FALSE {
            continue;
        }
        let mut becomes = Vec::new();
        for change in action.updates.iter().filter(|change| change.fluent != turn) {
            for (value, when) in &change.values {
                let when = ground.formulas.substitute(*when, turn, player as u8)?;
                becomes.push((change.fluent, *value, when));
            }
        }
        moves.push(BoardMove { legal, updates: becomes });
    }
    Some(moves)
}

/// Returns true if a formula refers to names.
fn uses_names(formulas: &Formulas, formula: Formula) -> bool {
    let mut seen = FxHashSet::default();
    let mut waiting = vec![formula];
    while let Some(formula) = waiting.pop() {
        if !seen.insert(formula) {
            continue;
        }
        match formulas.node(formula) {
            FormulaNode::Name(..) => return true,
            FormulaNode::And(parts) | FormulaNode::Or(parts) => waiting.extend(parts.iter().copied()),
            FormulaNode::Lit(subject, _) => {
                if let Subject::Count(of) = formulas.subject(*subject).0 {
                    waiting.extend(of.iter().copied());
                }
            }
            FormulaNode::False | FormulaNode::True => {}
        }
    }
    false
}
