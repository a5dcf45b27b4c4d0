//! Factors: the components of a conjunctive compound, each as a game of its own.
//!
//! Every condition of a move and every effect with its conditions is about one component, so a move has a part in each.
//! A part without effects leaves its component alone; its condition is that the component is over, the same for all
//! moves. The moves of a player are all tuples of one part for each component, except for the tuple that leaves all
//! alone. So a player chooses his part in each unfinished component as if it were alone.

use bouton_base::rational::Rational;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checked, reject, reject_if};
use bouton_base::id::Id;
use bouton_grounding::{FluentId, Formula, FormulaEvaluator, FormulaNode, Formulas, Subject};

/// A move, or a part of it, with the player to move substituted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FactorMove {
    /// The conditions, all of which must hold.
    pub legal: Vec<Formula>,
    /// A fluent, its new value, and the condition for it; all other fluents stay.
    pub effects: Vec<(FluentId, u8, Formula)>,
}

/// A component as a game of its own.
#[derive(Default)]
pub(super) struct Factor {
    /// The conditions of parts without effects: the component is over where they hold.
    pub over: Option<Vec<Formula>>,
    /// By player, the parts with effects.
    pub parts: [IndexSet<FactorMove>; 2],
    /// The largest formulas about this component alone that the ends and the fault condition consist of.
    pub observed: IndexSet<Formula>,
}

/// The assignment of fluents to components.
pub(super) struct Partition<'g> {
    pub formulas: &'g Formulas,
    /// The position to solve, which has the values of the constant fluents.
    pub start: &'g [u8],
    /// The component of each fluent that may change, by number. All other fluents are constant.
    pub owner: FxHashMap<FluentId, usize>,
}

/// The reachable positions of a component alone.
pub(super) struct FactorGraph {
    /// The positions of the whole game in which only the component and the turn change, the first one first.
    pub positions: IndexSet<Vec<u8>>,
    /// By position: the class, and the positions that moves lead to.
    pub edges: Vec<(usize, Vec<usize>)>,
    /// The classes: true if the component is over, and the truth of the observed formulas; each with the number of a
    /// position.
    pub classes: IndexMap<(bool, Vec<bool>), usize>,
}

impl Partition<'_> {
    /// Returns the components that a formula is about.
    fn owners(&self, formula: Formula) -> FxHashSet<usize> {
        let mut fluents = FxHashSet::default();
        self.formulas.collect_fluents(formula, &mut fluents);
        fluents.iter().filter_map(|fluent| self.owner.get(fluent).copied()).collect()
    }

    /// Returns the only component that a formula is about; `None` if the formula is constant.
    fn only_owner(&self, formula: Formula) -> Checked<Option<usize>> {
        let owners = self.owners(formula);
        reject_if(owners.len() > 1, "a condition of a move is about several components")?;
        Ok(owners.into_iter().next())
    }

    /// Splits moves, each with its player, into parts of `count` components.
    pub(super) fn split(&self, count: usize, moves: &[(usize, FactorMove)]) -> Checked<Vec<Factor>> {
        let mut factors: Vec<Factor> = (0..count).map(|_| Factor::default()).collect();
        // By player, the tuples of parts: their places among the parts of each component, `None` for one left alone.
        let mut tuples: [FxHashSet<Vec<Option<usize>>>; 2] = Default::default();
        for (player, made) in moves {
            let Some(parts) = self.parts(count, made)? else { continue };
            let mut tuple = Vec::with_capacity(count);
            for (factor, part) in factors.iter_mut().zip(parts) {
                if !part.effects.is_empty() {
                    tuple.push(Some(factor.parts[*player].insert_full(part).0));
                    continue;
                }
                if factor.over.as_ref().is_some_and(|over| *over != part.legal) {
                    return reject("components are left alone also before they are over");
                }
                factor.over = Some(part.legal);
                tuple.push(None);
            }
            reject_if(tuple.iter().all(Option::is_none), "a move changes no component")?;
            tuples[*player].insert(tuple);
        }
        for (player, tuples) in tuples.iter().enumerate() {
            let sizes = factors.iter().map(|factor| factor.parts[player].len() + 1);
            let all = sizes.fold(1usize, usize::saturating_mul);
            reject_if(tuples.len() + 1 != all, "the moves on one component depend on the moves on another")?;
        }
        Ok(factors)
    }

    /// Returns the parts of a move by component; `None` if a constant condition fails.
    fn parts(&self, count: usize, made: &FactorMove) -> Checked<Option<Vec<FactorMove>>> {
        let mut parts = vec![FactorMove { legal: Vec::new(), effects: Vec::new() }; count];
        for &condition in &made.legal {
            match self.only_owner(condition)? {
                Some(owner) => parts[owner].legal.push(condition),
                None if FormulaEvaluator::new(self.formulas, self.start).holds(condition) => {}
                None => return Ok(None),
            }
        }
        for &(fluent, value, when) in &made.effects {
            let Some(&owner) = self.owner.get(&fluent) else { continue };
            if self.only_owner(when)?.is_some_and(|other| other != owner) {
                return reject("an effect of a move on one component depends on another");
            }
            parts[owner].effects.push((fluent, value, when));
        }
        Ok(Some(parts))
    }

    /// Adds the largest parts of a formula that are about a single component to the observed ones of that component.
    pub(super) fn observe(&self, formula: Formula, factors: &mut [Factor]) -> Checked<()> {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![formula];
        while let Some(formula) = waiting.pop() {
            if !seen.insert(formula) {
                continue;
            }
            let mut owners = self.owners(formula).into_iter();
            match (owners.next(), owners.next(), self.formulas.node(formula)) {
                (None, ..) => {}
                (Some(owner), None, _) => {
                    factors[owner].observed.insert(formula);
                }
                (_, _, FormulaNode::And(parts) | FormulaNode::Or(parts)) => {
                    waiting.extend(parts.iter().copied())
                }
                (_, _, FormulaNode::Lit(subject, _)) => {
                    if let Subject::Count(parts) = self.formulas.subject(*subject).0 {
                        waiting.extend(parts.iter().copied());
                    }
                }
                _ => return reject("an end depends on a recursive definition"),
            }
        }
        Ok(())
    }
}

impl Factor {
    /// Adds a position of the component to the graph: its class, and its successors by the moves of the player to move.
    pub(super) fn expand(&self, formulas: &Formulas, turn: FluentId, graph: &mut FactorGraph) -> Checked<()> {
        let at = graph.edges.len();
        let here = graph.positions[at].clone();
        let mut reading = FormulaEvaluator::new(formulas, &here);
        let Some(over) = &self.over else {
            return reject("no move leaves a component alone when it is over");
        };
        let over = over.iter().all(|&condition| reading.holds(condition));
        let truth: Vec<bool> = self.observed.iter().map(|&formula| reading.holds(formula)).collect();
        let mover = here[turn.index()];
        let mut next = Vec::new();
        for (player, parts) in (0u8..).zip(&self.parts) {
            for part in parts {
                if !part.legal.iter().all(|&condition| reading.holds(condition)) {
                    continue;
                }
                reject_if(over, "a move changes a component that is over")?;
                if player != mover {
                    continue;
                }
                let mut after = here.clone();
                after[turn.index()] = 1 - player;
                for &(fluent, value, when) in &part.effects {
                    if reading.holds(when) {
                        after[fluent.index()] = value;
                    }
                }
                next.push(graph.positions.insert_full(after).0);
            }
        }
        let key = (over, truth);
        let class = match graph.classes.get_index_of(&key) {
            Some(known) => known,
            None => graph.classes.insert_full(key, at).0,
        };
        graph.edges.push((class, next));
        Ok(())
    }
}

impl FactorGraph {
    /// Makes a graph with a first position that is to be expanded.
    pub(super) fn of(start: &[u8]) -> FactorGraph {
        let positions = IndexSet::from_iter([start.to_vec()]);
        FactorGraph { positions, edges: Vec::new(), classes: IndexMap::new() }
    }

    /// Returns the classes of positions in which the component is over.
    pub(super) fn over_classes(&self) -> Vec<usize> {
        self.classes.keys().enumerate().filter(|(_, (over, _))| *over).map(|(class, _)| class).collect()
    }

    /// Returns the value of the first position to the first player, where each class in which the component is over is
    /// worth its share; `None` if a position may come back, or nobody can move in one that is not over.
    pub(super) fn value(&self, shares: &FxHashMap<usize, Rational>, turn: FluentId) -> Option<Rational> {
        let mut values: Vec<Option<Rational>> = vec![None; self.edges.len()];
        loop {
            let mut changed = false;
            for (at, (class, next)) in self.edges.iter().enumerate().rev() {
                if values[at].is_some() {
                    continue;
                }
                let known: Option<Vec<Rational>> = next.iter().map(|&to| values[to].clone()).collect();
                let known = known.unwrap_or_default().into_iter();
                let first_moves = self.positions[at][turn.index()] == 0;
                values[at] = match next.is_empty() {
                    true => shares.get(class).cloned(),
                    false if first_moves => known.max(),
                    false => known.min(),
                };
                changed |= values[at].is_some();
            }
            if !changed {
                return values.first()?.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckError;
    use super::super::impartial_board::tests::literal;
    use super::*;
    use bouton_grounding::TRUE;

    type PlayerMoves = Vec<(usize, FactorMove)>;

    /// Makes a move on two counters, fluents 1 and 2 with 3 values each, of which it lowers these by 1; one that it
    /// leaves alone must be 0.
    fn lower(formulas: &mut Formulas, lowered: [bool; 2]) -> FactorMove {
        let mut made = FactorMove { legal: Vec::new(), effects: Vec::new() };
        for (fluent, lowered) in [1, 2].into_iter().zip(lowered) {
            made.legal.push(literal(formulas, fluent, 3, if lowered { 0b110 } else { 0b001 }));
            for value in (0..2).filter(|_| lowered) {
                made.effects.push((FluentId(fluent), value, literal(formulas, fluent, 3, 1 << (value + 1))));
            }
        }
        made
    }

    fn partition(formulas: &Formulas) -> Partition<'_> {
        Partition {
            formulas,
            start: &[0, 2, 1],
            owner: FxHashMap::from_iter([(FluentId(1), 0), (FluentId(2), 1)]),
        }
    }

    /// Returns the moves of both players in step: on each counter that is not 0.
    fn in_step(formulas: &mut Formulas) -> PlayerMoves {
        let ways = [[true, true], [true, false], [false, true]];
        let moves = ways.map(|lowered| lower(formulas, lowered));
        (0..2).flat_map(|player| moves.clone().map(|made| (player, made))).collect()
    }

    #[test]
    fn moves_in_step_split() {
        let mut formulas = Formulas::default();
        let moves = in_step(&mut formulas);
        let factors = partition(&formulas).split(2, &moves).expect("two factors");
        assert!(factors.iter().all(|factor| factor.parts.iter().all(|parts| parts.len() == 1)));
        let mut graph = FactorGraph::of(&[0, 2, 1]);
        while graph.edges.len() < graph.positions.len() {
            factors[0].expand(&formulas, FluentId(0), &mut graph).expect("sound positions");
        }
        let positions: Vec<Vec<u8>> = graph.positions.iter().cloned().collect();
        assert_eq!(positions, [vec![0, 2, 1], vec![1, 1, 1], vec![0, 0, 1]]);
        let [over] = graph.over_classes()[..] else { panic!("one class is over") };
        let share = Rational::from_integer(3);
        assert_eq!(graph.value(&FxHashMap::from_iter([(over, share.clone())]), FluentId(0)), Some(share));
    }

    #[test]
    fn moves_that_are_not_in_step_are_refused() {
        let mut formulas = Formulas::default();
        let whole = in_step(&mut formulas);
        let both = formulas.or([whole[1].1.legal[0], whole[2].1.legal[1]]);
        let refused = |change: &dyn Fn(&mut PlayerMoves)| {
            let mut moves = whole.clone();
            change(&mut moves);
            partition(&formulas).split(2, &moves).err()
        };
        let reason = |reason: &str| Some(CheckError::from(reason));
        assert_eq!(refused(&|_| {}), None);
        assert_eq!(
            refused(&|moves| drop(moves.remove(0))),
            reason("the moves on one component depend on the moves on another")
        );
        assert_eq!(
            refused(&|moves| moves[0].1.legal.push(both)),
            reason("a condition of a move is about several components")
        );
        assert_eq!(
            refused(&|moves| moves[1].1.legal.truncate(1)),
            reason("components are left alone also before they are over")
        );
        assert_eq!(refused(&|moves| moves[1].1.effects.clear()), reason("a move changes no component"));
        let other = whole[2].1.legal[1];
        assert_eq!(
            refused(&|moves| moves[0].1.effects[0].2 = other),
            reason("an effect of a move on one component depends on another")
        );
    }

    #[test]
    fn games_that_go_on_when_they_are_over_or_repeat_are_refused() {
        let mut formulas = Formulas::default();
        let zero = literal(&mut formulas, 1, 3, 0b001);
        let again = FactorMove { legal: Vec::new(), effects: vec![(FluentId(1), 1, TRUE)] };
        let parts = || [IndexSet::from_iter([again.clone()]), IndexSet::from_iter([again.clone()])];
        let expanded = |over: Vec<Formula>, start: &[u8]| -> Checked<FactorGraph> {
            let factor = Factor { over: Some(over), parts: parts(), observed: IndexSet::new() };
            let mut graph = FactorGraph::of(start);
            while graph.edges.len() < graph.positions.len() {
                factor.expand(&formulas, FluentId(0), &mut graph)?;
            }
            Ok(graph)
        };
        let refusal = expanded(vec![zero], &[0, 0, 1]).err();
        assert_eq!(refusal, Some(CheckError::from("a move changes a component that is over")));
        let graph = expanded(vec![zero], &[0, 2, 1]).expect("a game without end");
        assert_eq!(graph.value(&FxHashMap::default(), FluentId(0)), None);
    }
}
