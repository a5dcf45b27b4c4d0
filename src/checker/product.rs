//! The check of PRODUCT: on the grounded rules, and on the positions of each component alone.
//!
//! The certificate lists the components as sets of fluents. The check splits the moves by them ([`super::factor`]),
//! enumerates the positions of each component alone, and evaluates the ends and the fault condition in all combinations
//! of them: a class of positions for each truth of the formulas that these conditions consist of. The game must be over
//! exactly where all components are, and each payoff must be a sum of shares. Then the value is the sum of the values
//! of the components, by induction on the longest play: nothing that a player does in one of them changes another.

use bouton_base::rational::Rational;
use rustc_hash::FxHashMap;

use super::factor::{Factor, FactorGraph, FactorMove, Partition};
use super::grounded::{FAULT_NOT_EXCLUDED, TurnlessMove, turnless_moves};
use super::{Checked, Checker, Fact, reject, reject_if};
use bouton_base::id::Id;
use bouton_certificates as cert;
use bouton_grounding::{DeleteRelaxation, FluentId, Formula, FormulaEvaluator, Ground};
use bouton_reference::State;

/// The maximal number of positions of all components.
const MAX_POSITIONS: usize = 200_000;

/// The maximal number of combinations of classes.
const MAX_COMBINATIONS: usize = 100_000;

/// The payoffs of the first player where all components are over, by the class of each.
type Payoffs = FxHashMap<Vec<usize>, Rational>;

impl Checker<'_> {
    /// Proves that the value of the position is the sum of the values of its components.
    pub(super) fn product(&mut self, start: &State, product: &cert::ProductLemma) -> Checked<Fact> {
        let mut ground = self.grounded()?;
        reject_if(self.rules.players().len() != 2, "it is for two players")?;
        let position = self.fluent_position(&ground, start)?;
        let possible = ground.delete_relaxation(&position);
        let turn = ground.fluents.turn();
        // The players must alternate.
        self.checked_board_moves(&mut ground, &possible, turn)?;
        let owner = owners(&ground, &possible, product)?;
        let moves = turnless_moves(&mut ground, &possible)?;
        let factored = |(player, of): (usize, TurnlessMove)| {
            (player, FactorMove { legal: ground.formulas.conjuncts(of.legal), effects: of.effects })
        };
        let moves: Vec<_> = moves.into_iter().map(factored).collect();
        let faults = faults(&mut ground)?;
        let ground = &ground;
        let partition = Partition { formulas: &ground.formulas, start: &position, owner };
        let mut factors = partition.split(product.components.len(), &moves)?;
        for &condition in ground.ends.iter().map(|end| &end.when).chain(&faults) {
            reject_if(ground.support(condition, &[]).contains(&turn), "an end depends on the turn")?;
            partition.observe(condition, &mut factors)?;
        }
        let graphs = self.factor_graphs(ground, &factors, &position)?;
        let payoffs = self.joint_payoffs(ground, &partition, &graphs, &faults)?;
        let values = component_values(&graphs, &payoffs, turn)?;
        for (value, listed) in values.iter().zip(&product.components) {
            if *value != listed.value {
                return reject(format!("a component is worth {value} to the first player"));
            }
        }
        let total: Rational = values.iter().sum();
        Ok(Fact::Values(vec![total.clone(), -total]))
    }

    /// Enumerates the positions of each component alone.
    fn factor_graphs(
        &self,
        ground: &Ground,
        factors: &[Factor],
        position: &[u8],
    ) -> Checked<Vec<FactorGraph>> {
        let turn = ground.fluents.turn();
        let mut graphs = Vec::new();
        let mut left = MAX_POSITIONS;
        for factor in factors {
            let mut graph = FactorGraph::of(position);
            while graph.edges.len() < graph.positions.len() {
                self.tick()?;
                reject_if(graph.positions.len() > left, "the components have too many positions")?;
                factor.expand(&ground.formulas, turn, &mut graph)?;
            }
            left -= graph.positions.len();
            graphs.push(graph);
        }
        Ok(graphs)
    }

    /// Returns the payoffs of the ends, after a check of all combinations of positions: no fault, and an end exactly
    /// where all components are over.
    fn joint_payoffs(
        &self,
        ground: &Ground,
        partition: &Partition<'_>,
        graphs: &[FactorGraph],
        faults: &[Formula; 2],
    ) -> Checked<Payoffs> {
        let sizes: Vec<usize> = graphs.iter().map(|graph| graph.classes.len()).collect();
        let count = sizes.iter().fold(1usize, |all, &size| all.saturating_mul(size));
        reject_if(count > MAX_COMBINATIONS, "the components have too many combinations")?;
        let mut payoffs = Payoffs::default();
        for number in 0..count {
            self.tick()?;
            let mut rest = number;
            let mut classes = Vec::with_capacity(sizes.len());
            for size in &sizes {
                classes.push(rest % size);
                rest /= size;
            }
            let joint = joint_position(partition, graphs, &classes);
            let mut reading = FormulaEvaluator::new(&ground.formulas, &joint);
            reject_if(faults.iter().any(|&fault| reading.holds(fault)), FAULT_NOT_EXCLUDED)?;
            let is_over = |(graph, &class): (&FactorGraph, &usize)| graph.over_classes().contains(&class);
            let over = graphs.iter().zip(&classes).all(is_over);
            let mut ends = ground.ends.iter().filter(|end| reading.holds(end.when));
            match (over, ends.next(), ends.next()) {
                (true, Some(end), None) => {
                    if !(&end.payoffs[0] + &end.payoffs[1]).is_zero() {
                        return reject("the payoffs of an end do not add up to 0");
                    }
                    payoffs.insert(classes, end.payoffs[0].clone());
                }
                (false, None, _) => {}
                _ => return reject("the game is not over just where all its components are"),
            }
        }
        Ok(payoffs)
    }
}

/// Returns the component of each fluent that may change; they must be those of the certificate, in order.
fn owners(
    ground: &Ground,
    possible: &DeleteRelaxation,
    product: &cert::ProductLemma,
) -> Checked<FxHashMap<FluentId, usize>> {
    let turn = ground.fluents.turn();
    let changes = |fluent: FluentId| fluent != turn && possible.values[fluent.index()].count_ones() > 1;
    let mut owner = FxHashMap::default();
    for (number, component) in product.components.iter().enumerate() {
        let listed = component.fluents.iter().map(|&fluent| (FluentId(fluent), number));
        owner.extend(listed);
    }
    let count: usize = product.components.iter().map(|component| component.fluents.len()).sum();
    let changing: Vec<FluentId> = ground.fluents.iter().map(|(id, _)| id).filter(|&id| changes(id)).collect();
    let covered = changing.iter().all(|fluent| owner.contains_key(fluent)) && owner.len() == changing.len();
    let ordered = product.components.iter().all(|of| of.fluents.is_sorted_by(|a, b| a < b))
        && product.components.is_sorted_by(|a, b| a.fluents.first() < b.fluents.first());
    if product.components.len() < 2 || !ordered || !covered || count != owner.len() {
        return reject("its components are not those of the position");
    }
    Ok(owner)
}

/// Returns the fault condition by player to move.
fn faults(ground: &mut Ground) -> Checked<[Formula; 2]> {
    let (turn, fault) = (ground.fluents.turn(), ground.fault);
    let mut of = |player| {
        ground.formulas.substitute(fault, turn, player).ok_or("a fault depends on a recursive definition")
    };
    Ok([of(0)?, of(1)?])
}

/// Returns a position of the whole game with a position of each of these classes.
fn joint_position(partition: &Partition<'_>, graphs: &[FactorGraph], classes: &[usize]) -> Vec<u8> {
    let mut joint = partition.start.to_vec();
    for (&fluent, &owner) in &partition.owner {
        let graph = &graphs[owner];
        let place = graph.classes[classes[owner]];
        joint[fluent.index()] = graph.positions[place][fluent.index()];
    }
    joint
}

/// Returns the values of the components to the first player, where the payoffs must be sums of shares. The share of a
/// class is the payoff with it instead of the first class, which others have, less the payoff of first classes alone.
fn component_values(graphs: &[FactorGraph], payoffs: &Payoffs, turn: FluentId) -> Checked<Vec<Rational>> {
    let over: Vec<Vec<usize>> = graphs.iter().map(FactorGraph::over_classes).collect();
    let shares = payoff_shares(&over, payoffs)?;
    let first: Vec<usize> = over.iter().map(|classes| classes[0]).collect();
    let mut rest = payoffs[&first].clone();
    let mut values = Vec::new();
    for (graph, shares) in graphs.iter().zip(&shares) {
        let value = graph
            .value(shares, turn)
            .ok_or("positions of a component come back, or nobody can move where it is not over")?;
        // Shares are centred: the best and the worst are at equal distances from 0.
        let (least, most) = (shares.values().min(), shares.values().max());
        let (least, most) = least.zip(most).ok_or("a component is never over")?;
        let middle = (least + most) / Rational::from_integer(2);
        values.push(value - &middle);
        rest += middle;
    }
    values[0] = &values[0] + &rest;
    Ok(values)
}

/// Returns the share of each class in which a component is over, by component, if every payoff is the sum of the shares
/// and of the payoff of the first classes.
fn payoff_shares(over: &[Vec<usize>], payoffs: &Payoffs) -> Checked<Vec<FxHashMap<usize, Rational>>> {
    let first: Option<Vec<usize>> = over.iter().map(|classes| classes.first().copied()).collect();
    let first = first.ok_or("a component is never over")?;
    let base = &payoffs[&first];
    let mut shares = Vec::new();
    for (place, classes) in over.iter().enumerate() {
        let mut own = FxHashMap::default();
        for &class in classes {
            let mut other = first.clone();
            other[place] = class;
            own.insert(class, &payoffs[&other] - base);
        }
        shares.push(own);
    }
    for (classes, payoff) in payoffs {
        let own = classes.iter().zip(&shares).map(|(class, shares)| &shares[class]);
        let sum = own.fold(base.clone(), |sum, share| sum + share);
        reject_if(sum != *payoff, "the payoff at the ends is no sum over the components")?;
    }
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns payoffs of two components with the classes 1 and 2 in which they are over.
    fn payoffs(of: [i64; 4]) -> Payoffs {
        let classes = [[1, 1], [1, 2], [2, 1], [2, 2]].map(|pair| pair.to_vec());
        classes.into_iter().zip(of.map(Rational::from_integer)).collect()
    }

    #[test]
    fn payoffs_that_are_sums_have_shares() {
        let over = [vec![1, 2], vec![1, 2]];
        let shares = payoff_shares(&over, &payoffs([1, 3, 6, 8])).expect("sums");
        assert_eq!(&shares[0][&2] - &shares[0][&1], Rational::from_integer(5));
        assert_eq!(&shares[1][&2] - &shares[1][&1], Rational::from_integer(2));
    }

    #[test]
    fn payoffs_that_are_no_sums_are_refused() {
        let over = [vec![1, 2], vec![1, 2]];
        for changed in 0..4 {
            let mut of = [1, 3, 6, 8];
            of[changed] += 1;
            let refusal = payoff_shares(&over, &payoffs(of)).err();
            assert_eq!(refusal, Some("the payoff at the ends is no sum over the components".into()));
        }
        let never = payoff_shares(&[vec![1, 2], Vec::new()], &Payoffs::default()).err();
        assert_eq!(never, Some("a component is never over".into()));
    }
}
