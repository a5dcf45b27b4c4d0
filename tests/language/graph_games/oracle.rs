//! The values of small games by the reference interpreter alone, each by the plainest method.

use std::collections::HashMap;
use std::sync::Arc;

use bouton_base::rational::Rational;
use bouton_reference::{Interpreter, State};
use bouton_rules::{MoveInstance, OutcomeExpr, Rules, ToMove, Value};

use super::matrix;

/// The payoffs of all players.
pub type Payoffs = Vec<Rational>;

/// A position.
pub struct Node {
    pub state: State,
    pub turn: ToMove,
    pub edges: Vec<Edge>,
    /// The payoffs of endless play.
    pub endless: Option<Payoffs>,
}

/// A move.
pub struct Edge {
    pub play: MoveInstance,
    pub to: usize,
    pub share: Rational,
}

/// All positions, the first one first.
pub struct Graph {
    pub interpreter: Interpreter,
    pub players: usize,
    pub nodes: Vec<Node>,
    /// The positions, each before those that it leads to; `None` if a position can come back.
    pub order: Option<Vec<usize>>,
}

pub fn zero() -> Rational {
    Rational::default()
}

impl Graph {
    /// Returns true if from every position an end is reached with positive probability, whatever the players do.
    pub fn surely_ends(&self) -> bool {
        let mut ends: Vec<bool> =
            self.nodes.iter().map(|node| matches!(node.turn, ToMove::Terminal(_))).collect();
        for _ in 0..self.nodes.len() {
            for (at, node) in self.nodes.iter().enumerate() {
                let mut next = node.edges.iter().map(|edge| ends[edge.to]);
                ends[at] |= match node.turn {
                    ToMove::Chance => next.any(|ends| ends),
                    _ => !node.edges.is_empty() && next.all(|ends| ends),
                };
            }
        }
        ends.iter().all(|ends| *ends)
    }

    /// Enumerates the positions; `None` if there are more than `most`, or a position has a fault or no moves.
    pub fn of(rules: &Arc<Rules>, most: usize) -> Option<Graph> {
        let interpreter = Interpreter::new(rules.clone());
        let mut numbers: HashMap<Box<[u64]>, usize> = HashMap::new();
        let mut states = vec![interpreter.initial()];
        numbers.insert(interpreter.pack(&states[0]), 0);
        let mut nodes: Vec<Node> = Vec::new();
        while nodes.len() < states.len() {
            let state = states[nodes.len()].clone();
            let (turn, moves) = interpreter.expand(&state).ok()?;
            if moves.is_empty() && !matches!(turn, ToMove::Terminal(_)) {
                return None;
            }
            let mut edges = Vec::new();
            for (play, after, share) in moves {
                let to = *numbers.entry(interpreter.pack(&after)).or_insert(states.len());
                if to == states.len() {
                    states.push(after);
                }
                edges.push(Edge { play, to, share });
            }
            let endless = interpreter.infinite_outcome(&state).map(|outcome| outcome.payoffs);
            nodes.push(Node { state, turn, edges, endless });
            if states.len() > most {
                return None;
            }
        }
        let mut graph = Graph { interpreter, players: rules.players().len(), nodes, order: None };
        graph.order = graph.topological();
        Some(graph)
    }

    fn topological(&self) -> Option<Vec<usize>> {
        let mut before = vec![0; self.nodes.len()];
        self.nodes.iter().flat_map(|node| &node.edges).for_each(|edge| before[edge.to] += 1);
        let mut order: Vec<usize> = (0..self.nodes.len()).filter(|&at| before[at] == 0).collect();
        let mut done = 0;
        while done < order.len() {
            for edge in &self.nodes[order[done]].edges {
                before[edge.to] -= 1;
                if before[edge.to] == 0 {
                    order.push(edge.to);
                }
            }
            done += 1;
        }
        (order.len() == self.nodes.len()).then_some(order)
    }

    pub fn has(&self, turn: &ToMove) -> bool {
        self.nodes.iter().any(|node| node.turn == *turn)
    }

    /// Returns the payoffs of an end.
    pub fn payoffs(&self, at: usize) -> Option<&Payoffs> {
        match &self.nodes[at].turn {
            ToMove::Terminal(outcome) => Some(&outcome.payoffs),
            _ => None,
        }
    }

    /// Returns the sum of the payoffs of all ends, and of endless play where positions come back, if it is always the same.
    pub fn constant_sum(&self) -> Option<Rational> {
        let ends = (0..self.nodes.len()).filter_map(|at| self.payoffs(at));
        let endless = self.nodes.iter().filter_map(|node| node.endless.as_ref());
        let endless = endless.filter(|_| self.order.is_none());
        let mut sums: Vec<Rational> = ends.chain(endless).map(|payoffs| payoffs.iter().sum()).collect();
        sums.dedup();
        (sums.len() <= 1).then(|| sums.pop().unwrap_or_default())
    }

    /// Returns the matrix of a position in which both players choose: the values after each pair of choices.
    fn matrix_at(&self, at: usize, values: &[Rational]) -> Vec<Vec<Rational>> {
        let mut rows: Vec<(Option<MoveInstance>, Vec<Rational>)> = Vec::new();
        for edge in &self.nodes[at].edges {
            let MoveInstance::Joint(parts) = &edge.play else { panic!("a joint move") };
            let first = parts.iter().find(|(player, _)| *player == 0).map(|(_, part)| part.clone());
            match rows.iter_mut().find(|(play, _)| *play == first) {
                Some((_, row)) => row.push(values[edge.to].clone()),
                None => rows.push((first, vec![values[edge.to].clone()])),
            }
        }
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Returns the first player's value of each position of a finite game of one player or two with opposed interests.
    pub fn values(&self) -> Vec<Rational> {
        let mut values = vec![zero(); self.nodes.len()];
        for &at in self.order.as_ref().expect("a finite game").iter().rev() {
            values[at] = self.backed_up(at, &values);
        }
        values
    }

    /// Returns the value of a position by those of the positions after it.
    pub fn backed_up(&self, at: usize, values: &[Rational]) -> Rational {
        let node = &self.nodes[at];
        let next = || node.edges.iter().map(|edge| &values[edge.to]);
        match &node.turn {
            ToMove::Terminal(outcome) => outcome.payoffs[0].clone(),
            ToMove::Player(0) => next().max().expect("a move").clone(),
            ToMove::Player(_) => next().min().expect("a move").clone(),
            ToMove::Chance => node.edges.iter().map(|edge| &values[edge.to] * &edge.share).sum(),
            ToMove::Simultaneous => matrix::value(&self.matrix_at(at, values)),
        }
    }

    /// Returns bounds of the first player's value after so many rounds, where endless play and whatever comes later counts
    /// as `open`.
    pub fn iterated(&self, open: &Rational, rounds: usize) -> Vec<Rational> {
        let mut values = vec![open.clone(); self.nodes.len()];
        for _ in 0..rounds {
            values = (0..self.nodes.len()).map(|at| self.backed_up(at, &values)).collect();
        }
        values
    }

    /// Returns the first player's value of each position, where positions come back, from all pairs of strategies that depend
    /// on the position alone; `None` if there are more than `most` pairs. `endless` is the value of endless play.
    pub fn positional_values(&self, endless: &Rational, most: u64) -> Option<Vec<Rational>> {
        let own = |player: u32| -> Vec<usize> {
            let acts = |at: &usize| match self.nodes[*at].turn {
                ToMove::Player(of) => of.min(1) == player,
                _ => false,
            };
            (0..self.nodes.len()).filter(acts).collect()
        };
        let sides = [own(0), own(1)];
        let count =
            |side: &[usize]| side.iter().map(|&at| self.nodes[at].edges.len() as u64).product::<u64>();
        let counts = [count(&sides[0]), count(&sides[1])];
        if counts[0].checked_mul(counts[1])? > most {
            return None;
        }
        let mut choice = vec![0; self.nodes.len()];
        let select = |choice: &mut Vec<usize>, side: &[usize], mut number: u64| {
            for &at in side {
                let moves = self.nodes[at].edges.len() as u64;
                choice[at] = (number % moves) as usize;
                number /= moves;
            }
        };
        let mut best: Vec<Option<Rational>> = vec![None; self.nodes.len()];
        let mut worst: Vec<Option<Rational>> = vec![None; self.nodes.len()];
        let mut columns: Vec<Vec<Option<Rational>>> = vec![best.clone(); counts[1] as usize];
        for first in 0..counts[0] {
            select(&mut choice, &sides[0], first);
            let mut least: Vec<Option<Rational>> = vec![None; self.nodes.len()];
            for second in 0..counts[1] {
                select(&mut choice, &sides[1], second);
                let values = self.chain(&choice, 0, endless);
                for (at, value) in values.into_iter().enumerate() {
                    let column = &mut columns[second as usize][at];
                    *column = Some(column.take().map_or(value.clone(), |most| most.max(value.clone())));
                    least[at] = Some(least[at].take().map_or(value.clone(), |least| least.min(value)));
                }
            }
            for (best, least) in best.iter_mut().zip(least) {
                *best = best.take().max(least);
            }
        }
        for column in columns {
            for (worst, most) in worst.iter_mut().zip(column) {
                *worst = match (worst.take(), most) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        assert_eq!(best, worst, "strategies that depend on the position alone suffice");
        best.into_iter().collect()
    }

    /// Returns the first player's value of each position of a game of turns without chance, where positions may come back:
    /// for each payoff, the positions in which he can force it. `endless` is the value of endless play.
    pub fn values_of_turns(&self, endless: &Rational) -> Vec<Rational> {
        let mut payoffs: Vec<Rational> =
            (0..self.nodes.len()).filter_map(|at| Some(self.payoffs(at)?[0].clone())).collect();
        payoffs.push(endless.clone());
        payoffs.sort();
        payoffs.dedup();
        let mut values = vec![payoffs[0].clone(); self.nodes.len()];
        for payoff in &payoffs[1..] {
            // Whoever does not like endless play has to force an end.
            let forcer = u32::from(endless >= payoff);
            let mut forced: Vec<bool> = (0..self.nodes.len())
                .map(|at| self.payoffs(at).is_some_and(|of| (of[0] >= *payoff) == (forcer == 0)))
                .collect();
            loop {
                let more: Vec<usize> = (0..self.nodes.len())
                    .filter(|&at| {
                        let mut next = self.nodes[at].edges.iter().map(|edge| forced[edge.to]);
                        match self.nodes[at].turn {
                            ToMove::Player(player) if !forced[at] => match player == forcer {
                                true => next.any(|forced| forced),
                                false => next.all(|forced| forced),
                            },
                            _ => false,
                        }
                    })
                    .collect();
                if more.is_empty() {
                    break;
                }
                more.into_iter().for_each(|at| forced[at] = true);
            }
            for (value, forced) in values.iter_mut().zip(forced) {
                if forced == (forcer == 0) {
                    *value = payoff.clone();
                }
            }
        }
        values
    }

    /// Returns the payoffs of all equilibria in strategies that depend on the position alone, if no player gains from
    /// endless play; `None` if there are more than `most` strategies.
    pub fn stationary_equilibria(&self, endless: &Payoffs, most: u64) -> Option<Vec<Payoffs>> {
        let owner = |at: usize| match self.nodes[at].turn {
            ToMove::Player(player) => Some(player as usize),
            _ => None,
        };
        let owned: Vec<usize> = (0..self.nodes.len()).filter(|&at| owner(at).is_some()).collect();
        let all =
            owned.iter().try_fold(1u64, |all, &at| all.checked_mul(self.nodes[at].edges.len() as u64))?;
        if all > most {
            return None;
        }
        let mut found: Vec<Payoffs> = Vec::new();
        for mut number in 0..all {
            let mut choice = vec![0; self.nodes.len()];
            for &at in &owned {
                choice[at] = (number % self.nodes[at].edges.len() as u64) as usize;
                number /= self.nodes[at].edges.len() as u64;
            }
            let values: Vec<Vec<Rational>> =
                (0..self.players).map(|player| self.chain(&choice, player, &endless[player])).collect();
            let content = |&at: &usize| {
                let own = &values[owner(at).expect("a player")];
                self.nodes[at].edges.iter().all(|edge| own[edge.to] <= own[at])
            };
            if owned.iter().all(content) {
                found.push(values.iter().map(|of| of[0].clone()).collect());
            }
        }
        found.sort();
        found.dedup();
        Some(found)
    }

    /// Returns the least mean number of plies in which a single player gets the value, by all strategies that depend on the
    /// position alone and surely end; `None` if there is none, or more than `most` are to try.
    pub fn fewest_mean_plies(&self, value: &Rational, most: u64) -> Option<Rational> {
        let owned = |at: &usize| matches!(self.nodes[*at].turn, ToMove::Player(_));
        let owned: Vec<usize> = (0..self.nodes.len()).filter(owned).collect();
        let all =
            owned.iter().try_fold(1u64, |all, &at| all.checked_mul(self.nodes[at].edges.len() as u64))?;
        let strategies = (0..all).map(|mut number| {
            let mut choice = vec![0; self.nodes.len()];
            for &at in &owned {
                choice[at] = (number % self.nodes[at].edges.len() as u64) as usize;
                number /= self.nodes[at].edges.len() as u64;
            }
            choice
        });
        // Endless play counts more than any end, so that only plays that end have the value.
        let huge = Rational::from_integer(1 << 40);
        let gets = |choice: &Vec<usize>| self.chain(choice, 0, &huge)[0] == *value;
        strategies.take_while(|_| all <= most).filter(gets).map(|choice| self.mean_plies(&choice)).min()
    }

    /// Returns the mean number of plies from the first position if players choose so and play from there ends.
    fn mean_plies(&self, choice: &[usize]) -> Rational {
        let mut reached = vec![0];
        let mut done = 0;
        while done < reached.len() {
            for (to, _) in self.followed(choice, reached[done]) {
                if !reached.contains(&to) {
                    reached.push(to);
                }
            }
            done += 1;
        }
        let size = reached.len();
        let row = |(place, &at): (usize, &usize)| {
            let mut row = vec![zero(); size + 1];
            row[place] = Rational::ONE;
            if self.payoffs(at).is_none() {
                row[size] = Rational::ONE;
                for (to, share) in self.followed(choice, at) {
                    let place = reached.iter().position(|of| *of == to).expect("a reached position");
                    row[place] = &row[place] - &share;
                }
            }
            row
        };
        let rows = reached.iter().enumerate().map(row).collect();
        matrix::solve_equations(rows).expect("play ends").swap_remove(0)
    }

    /// Returns the positions after a position with their probabilities, if players choose so.
    fn followed(&self, choice: &[usize], at: usize) -> Vec<(usize, Rational)> {
        let node = &self.nodes[at];
        match node.turn {
            ToMove::Player(_) => vec![(node.edges[choice[at]].to, Rational::ONE)],
            _ => node.edges.iter().map(|edge| (edge.to, edge.share.clone())).collect(),
        }
    }

    /// Returns a player's mean from each position if players choose so.
    fn chain(&self, choice: &[usize], player: usize, endless: &Rational) -> Vec<Rational> {
        let followed = |at: usize| self.followed(choice, at);
        let mut ending: Vec<bool> = (0..self.nodes.len()).map(|at| self.payoffs(at).is_some()).collect();
        for _ in 0..self.nodes.len() {
            for at in 0..self.nodes.len() {
                ending[at] |= followed(at).iter().any(|(to, _)| ending[*to]);
            }
        }
        // One equation for each position: its value less those of the next ones.
        let size = self.nodes.len();
        let mut rows = vec![vec![zero(); size + 1]; size];
        for (at, row) in rows.iter_mut().enumerate() {
            row[at] = Rational::ONE;
            match self.payoffs(at) {
                Some(payoffs) => row[size] = payoffs[player].clone(),
                None if !ending[at] => row[size] = endless.clone(),
                None => {
                    for (to, share) in followed(at) {
                        row[to] = &row[to] - &share;
                    }
                }
            }
        }
        matrix::solve_equations(rows).expect("every play ends or does not")
    }

    /// Returns the payoffs of all subgame-perfect equilibria of each position of a finite game of turns.
    pub fn equilibria(&self, most: usize) -> Option<Vec<Vec<Payoffs>>> {
        let mut all: Vec<Vec<Payoffs>> = vec![Vec::new(); self.nodes.len()];
        for &at in self.order.as_ref()?.iter().rev() {
            let node = &self.nodes[at];
            // All ways to continue after each move, one combination after the other.
            let mut combinations: Vec<Vec<Payoffs>> = vec![Vec::new()];
            for edge in &node.edges {
                let longer = |before: &Vec<Payoffs>| -> Vec<Vec<Payoffs>> {
                    all[edge.to]
                        .iter()
                        .map(|next| [&before[..], std::slice::from_ref(next)].concat())
                        .collect()
                };
                combinations = combinations.iter().flat_map(longer).collect();
                if combinations.len() > most {
                    return None;
                }
            }
            let mut found: Vec<Payoffs> = Vec::new();
            for after in &combinations {
                match &node.turn {
                    ToMove::Terminal(outcome) => found.push(outcome.payoffs.clone()),
                    ToMove::Player(player) => {
                        let own = *player as usize;
                        let best = after.iter().map(|payoffs| &payoffs[own]).max()?;
                        found.extend(after.iter().filter(|payoffs| payoffs[own] == *best).cloned());
                    }
                    ToMove::Chance => {
                        let mean = |player: usize| -> Rational {
                            node.edges.iter().zip(after).map(|(edge, of)| &of[player] * &edge.share).sum()
                        };
                        found.push((0..self.players).map(mean).collect());
                    }
                    ToMove::Simultaneous => return None,
                }
            }
            found.sort();
            found.dedup();
            all[at] = found;
        }
        Some(all)
    }

    /// Returns the difference of the scores by best play of two players for it, in a finite game of turns and chance.
    pub fn margin(&self) -> Option<Rational> {
        let rules = self.interpreter.rules();
        let lowest = |rule: usize| matches!(rules.ends[rule].outcome, OutcomeExpr::ByScore(_, false));
        let mut values = vec![zero(); self.nodes.len()];
        let mut signs = Vec::new();
        for &at in self.order.as_ref()?.iter().rev() {
            values[at] = match &self.nodes[at].turn {
                ToMove::Terminal(outcome) => {
                    let [first, second] = outcome.scores.as_deref()? else { return None };
                    let sign = if lowest(outcome.rule) { -1 } else { 1 };
                    signs.push(sign);
                    Rational::from_integer((first - second) * sign)
                }
                ToMove::Simultaneous => return None,
                _ => self.backed_up(at, &values),
            };
        }
        signs.dedup();
        let [sign] = signs[..] else { return None };
        (self.players == 2).then(|| &values[0] * Rational::from_integer(sign))
    }

    /// Returns the payoffs of play in each position of a finite game of two players, if every position has one
    /// equilibrium.
    pub fn sole_equilibrium(&self) -> Option<Vec<Payoffs>> {
        let mut all: Vec<Payoffs> = vec![Vec::new(); self.nodes.len()];
        for &at in self.order.as_ref()?.iter().rev() {
            let node = &self.nodes[at];
            let next = || node.edges.iter().map(|edge| &all[edge.to]);
            all[at] = match &node.turn {
                ToMove::Terminal(outcome) => outcome.payoffs.clone(),
                ToMove::Player(player) => {
                    let own = *player as usize;
                    let most = next().map(|payoffs| payoffs[own].clone()).max()?;
                    let mut best: Vec<&Payoffs> = next().filter(|payoffs| payoffs[own] == most).collect();
                    best.dedup();
                    let [only] = best[..] else { return None };
                    only.clone()
                }
                ToMove::Chance => (0..2)
                    .map(|of| node.edges.iter().map(|edge| &all[edge.to][of] * &edge.share).sum())
                    .collect(),
                ToMove::Simultaneous => {
                    let side = |of: usize| -> Vec<Vec<Rational>> {
                        let values = all.iter().map(|payoffs| payoffs.get(of).cloned().unwrap_or_default());
                        self.matrix_at(at, &values.collect::<Vec<_>>())
                    };
                    let mut found = matrix::equilibria(&side(0), &side(1));
                    found.sort();
                    found.dedup();
                    let [only] = &found[..] else { return None };
                    only.clone()
                }
            };
        }
        Some(all)
    }

    /// Returns what a player is sure of against all others, in a finite game of turns.
    pub fn security(&self, holder: u32) -> Rational {
        let mut values = vec![zero(); self.nodes.len()];
        for &at in self.order.as_ref().expect("a finite game").iter().rev() {
            let node = &self.nodes[at];
            let next = node.edges.iter().map(|edge| &values[edge.to]);
            values[at] = match &node.turn {
                ToMove::Terminal(outcome) => outcome.payoffs[holder as usize].clone(),
                ToMove::Player(player) if *player == holder => next.max().expect("a move").clone(),
                ToMove::Chance => node.edges.iter().map(|edge| &values[edge.to] * &edge.share).sum(),
                _ => next.min().expect("a move").clone(),
            };
        }
        values[0].clone()
    }

    /// Returns the plies in which a player wins if he hurries and the others delay; `None` if he cannot force a win.
    pub fn plies_to_win(&self, winner: u32) -> Option<u32> {
        let mut plies: Vec<Option<u32>> = (0..self.nodes.len())
            .map(|at| (self.payoffs(at)?[winner as usize] == Rational::ONE).then_some(0))
            .collect();
        for round in 1..=self.nodes.len() as u32 {
            let won = |at: &usize| {
                let mut next = self.nodes[*at].edges.iter().map(|edge| plies[edge.to].is_some());
                match self.nodes[*at].turn {
                    ToMove::Player(player) if player == winner => next.any(|won| won),
                    ToMove::Player(_) => next.all(|won| won),
                    _ => false,
                }
            };
            let more: Vec<usize> =
                (0..self.nodes.len()).filter(|&at| plies[at].is_none()).filter(won).collect();
            more.into_iter().for_each(|at| plies[at] = Some(round));
        }
        plies[0]
    }

    /// Returns the fewest moves to a win of a single player, without chance; `None` if he cannot win.
    pub fn fewest_moves(&self) -> Option<u32> {
        let won = |at: usize| self.payoffs(at).is_some_and(|payoffs| payoffs[0] == Rational::ONE);
        let mut distance: Vec<Option<u32>> = (0..self.nodes.len()).map(|at| won(at).then_some(0)).collect();
        for _ in 0..self.nodes.len() {
            for at in 0..self.nodes.len() {
                let next = self.nodes[at].edges.iter().filter_map(|edge| distance[edge.to]).min();
                distance[at] = [distance[at], next.map(|moves| moves + 1)].into_iter().flatten().min();
            }
        }
        distance[0]
    }
}

/// The pure strategies of a player: a move for each information set.
type Strategy = Vec<usize>;

/// The play of a game in which something is hidden, as a tree.
struct Branch {
    /// The sets in which the players choose here, each with the number of moves.
    sets: Vec<(usize, usize, usize)>,
    payoffs: Option<Payoffs>,
    /// The share of chance, the choice of each chooser, and the branch after it.
    next: Vec<(Rational, Vec<usize>, Branch)>,
}

/// The information of a player: his observations and the moves that he saw, one after the other.
type Known = Vec<(Vec<MoveInstance>, Value)>;

/// All information sets, by player: what he knows, with his moves there.
type Sets = Vec<Vec<(Known, Vec<MoveInstance>)>>;

/// Returns the first player's value of a finite game of one player or two in which something may be hidden, by its normal
/// form; the error is the reason why there is none.
pub fn normal_form_value(graph: &Graph, rules: &Rules, most: usize) -> Result<Rational, &'static str> {
    let mut sets: Sets = vec![Vec::new(); 2];
    let tree = branch(graph, rules, 0, &vec![Vec::new(); 2], &mut sets)?;
    let strategies = |player: usize| -> Option<Vec<Strategy>> {
        let mut all: Vec<Strategy> = vec![Vec::new()];
        for (_, moves) in &sets[player] {
            let longer =
                |of: &Strategy| (0..moves.len()).map(|k| [&of[..], &[k]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(longer).collect();
            if all.len() > most {
                return None;
            }
        }
        Some(all)
    };
    let (first, second) = (strategies(0).ok_or("too large")?, strategies(1).ok_or("too large")?);
    let line = |a: &Strategy| second.iter().map(|b| mean(&tree, [a, b])).collect();
    let matrix: Vec<Vec<Rational>> = first.iter().map(line).collect();
    Ok(matrix::value(&matrix))
}

fn mean(branch: &Branch, strategies: [&Strategy; 2]) -> Rational {
    if let Some(payoffs) = &branch.payoffs {
        return payoffs[0].clone();
    }
    let follows = |choices: &Vec<usize>| {
        branch.sets.iter().zip(choices).all(|(&(player, set, _), choice)| strategies[player][set] == *choice)
    };
    let next = branch.next.iter().filter(|(_, choices, _)| follows(choices));
    next.map(|(share, _, after)| mean(after, strategies) * share).sum()
}

fn branch(
    graph: &Graph,
    rules: &Rules,
    at: usize,
    known: &[Known],
    sets: &mut Sets,
) -> Result<Branch, &'static str> {
    let node = &graph.nodes[at];
    let mut branch = Branch { sets: Vec::new(), payoffs: graph.payoffs(at).cloned(), next: Vec::new() };
    let part = |play: &MoveInstance, player: u32| -> Option<MoveInstance> {
        match (&node.turn, play) {
            (ToMove::Player(of), play) if *of == player => Some(play.clone()),
            (ToMove::Simultaneous, MoveInstance::Joint(parts)) => {
                parts.iter().find(|(of, _)| *of == player).map(|(_, part)| part.clone())
            }
            _ => None,
        }
    };
    for player in 0..graph.players {
        let mut moves: Vec<MoveInstance> = Vec::new();
        for own in node.edges.iter().filter_map(|edge| part(&edge.play, player as u32)) {
            if !moves.contains(&own) {
                moves.push(own);
            }
        }
        if moves.is_empty() {
            continue;
        }
        let set = match sets[player].iter().position(|(of, _)| *of == known[player]) {
            Some(set) if sets[player][set].1 != moves => return Err("other moves"),
            Some(set) => set,
            None => {
                sets[player].push((known[player].clone(), moves.clone()));
                sets[player].len() - 1
            }
        };
        branch.sets.push((player, set, moves.len()));
    }
    for edge in &node.edges {
        let choices = branch.sets.iter().map(|&(player, set, _)| {
            let own = part(&edge.play, player as u32);
            sets[player][set].1.iter().position(|of| Some(of) == own.as_ref()).expect("his move")
        });
        let choices: Vec<usize> = choices.collect();
        let mut next = known.to_vec();
        for (player, known) in next.iter_mut().enumerate().take(graph.players) {
            let private =
                |play: &MoveInstance| matches!(play, MoveInstance::Move(id, _) if rules.moves[*id].private);
            let parts: Vec<(Option<u32>, MoveInstance)> = match (&node.turn, &edge.play) {
                (_, MoveInstance::Joint(parts)) => {
                    parts.iter().map(|(of, part)| (Some(*of), part.clone())).collect()
                }
                (ToMove::Player(of), play) => vec![(Some(*of), play.clone())],
                (_, play) => vec![(None, play.clone())],
            };
            let seen = parts.into_iter().filter(|(of, part)| *of == Some(player as u32) || !private(part));
            let seen = seen.map(|(_, part)| part).collect();
            known.push((seen, graph.interpreter.observation(&graph.nodes[edge.to].state, player as u32)));
        }
        let after = self::branch(graph, rules, edge.to, &next, sets)?;
        let share = if node.turn == ToMove::Chance { edge.share.clone() } else { Rational::ONE };
        branch.next.push((share, choices, after));
    }
    Ok(branch)
}
