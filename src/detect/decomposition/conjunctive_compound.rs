//! Conjunctive compounds: the value of games in which every move plays each unfinished component as if it were alone.
//!
//! Conditions: a move leaves a component alone exactly where that component is over, which does not depend on the
//! others; each choice of a move for every other component is one move; the game is over exactly where all components
//! are; and the payoffs of the ends are a sum of numbers that depend on one component each. Then optimal play in each
//! component is optimal play, and in a zero-sum game the value is the sum of the components' values. The caller has to
//! check that the players alternate.

use bouton_base::rational::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

use super::NotApplicable;
use super::factorization::{ComponentAction, Factorization, mutually_exclusive, with_mover};
use bouton_base::id::Id;
use bouton_base::limits::Limits;
use bouton_grounding::{DeleteRelaxation, FluentId, Formula, FormulaEvaluator, FormulaNode, Ground, Subject};

/// The maximal number of positions of all components, and of combinations of their kinds.
const MAX_COMPONENT_POSITIONS: usize = 200_000;
const MAX_COMBINATIONS: usize = 100_000;

/// A component as a game of its own.
struct ComponentGame {
    fluents: Vec<FluentId>,
    /// Holds where it is over.
    done: Formula,
    /// The moves on it, by player.
    moves: [Vec<ComponentAction>; 2],
    /// The formulas about it alone that the ends and the fault condition consist of.
    formulas: Vec<Formula>,
}

/// The reachable positions of a component in postorder: each after its successors.
struct ReachedPositions {
    list: Vec<ComponentPosition>,
    /// The distinct truth assignments of its formulas, each with a flag that is true if the component is over.
    kinds: Vec<(bool, Vec<bool>)>,
}

struct ComponentPosition {
    mover: usize,
    /// The index into [`ReachedPositions::kinds`].
    kind: usize,
    after: Vec<usize>,
}

/// The payoff share of the first player from a component, by kind; `None` for kinds in which it is not over.
type PayoffShares = Vec<Option<Rational>>;

/// A position on the search path, with successors to visit.
struct PendingPosition {
    position: Vec<u8>,
    kind: usize,
    /// The remaining successors; `after` holds the numbers of the visited ones.
    left: Vec<Vec<u8>>,
    after: Vec<usize>,
}

fn reason<T>(why: &str) -> Result<T, NotApplicable> {
    Err(NotApplicable::Reason(why.into()))
}

impl Factorization {
    /// Returns the value of each component to the first player, in the order of the components; or the reason why they
    /// do not form a conjunctive compound.
    pub fn component_values(
        &self,
        ground: &mut Ground,
        position: &[u8],
        limits: &Limits,
    ) -> Result<Vec<Rational>, NotApplicable> {
        let possible = ground.delete_relaxation(position);
        let mut games = self.games(ground, &possible)?;
        for end in &ground.ends {
            self.split_formula(ground, end.when, &mut games)?;
        }
        let fault = ground.fault;
        let faults = [with_mover(ground, fault, 0)?, with_mover(ground, fault, 1)?];
        for fault in faults {
            self.split_formula(ground, fault, &mut games)?;
        }
        let mut reached = Vec::new();
        let mut left = MAX_COMPONENT_POSITIONS;
        for game in &games {
            let found = game.reached(ground, position, left, limits)?;
            left -= found.list.len();
            reached.push(found);
        }
        let shares = shares(ground, position, &games, &reached, faults)?;
        reached.iter().zip(&shares).map(|(reached, shares)| reached.start_value(shares)).collect()
    }

    /// Returns the components as games in which a move is any choice of a move for each unfinished component.
    fn games(
        &self,
        ground: &mut Ground,
        possible: &DeleteRelaxation,
    ) -> Result<Vec<ComponentGame>, NotApplicable> {
        let mut games = Vec::new();
        for (number, fluents) in self.components.iter().enumerate() {
            let parts = || self.moves.iter().map(|of| (of.player, &of.parts[number]));
            let mut idle = parts().filter(|(_, part)| part.is_idle()).map(|(_, part)| part.legal);
            let Some(done) = idle.next() else {
                return reason("no move leaves a component alone when it is over");
            };
            if idle.any(|other| other != done) {
                return reason("components are left alone also before they are over");
            }
            let mut moves: [Vec<ComponentAction>; 2] = Default::default();
            let mut known = FxHashSet::default();
            for (player, part) in parts().filter(|(_, part)| !part.is_idle()) {
                if player > 1 || !mutually_exclusive(ground, possible, part.legal, done) {
                    return reason("components are left alone also before they are over");
                }
                if known.insert((player, part)) {
                    moves[player as usize].push(part.clone());
                }
            }
            games.push(ComponentGame { fluents: fluents.clone(), done, moves, formulas: Vec::new() });
        }
        for player in 0..2 {
            let own = self.moves.iter().filter(|of| of.player == player as u32);
            let different: FxHashSet<&Vec<ComponentAction>> = own.map(|of| &of.parts).collect();
            let ways = |game: &ComponentGame| game.moves[player].len() + 1;
            let all = games.iter().try_fold(1usize, |all, game| all.checked_mul(ways(game)));
            if all != Some(different.len() + 1) {
                return reason("the moves on one component depend on the moves on another");
            }
        }
        Ok(games)
    }

    /// Splits a formula into parts that are about one component each, and adds them to the components.
    fn split_formula(
        &self,
        ground: &Ground,
        formula: Formula,
        games: &mut [ComponentGame],
    ) -> Result<(), NotApplicable> {
        let mut waiting = vec![formula];
        let mut seen = FxHashSet::default();
        while let Some(formula) = waiting.pop() {
            if !seen.insert(formula) {
                continue;
            }
            let mut about = FxHashSet::default();
            ground.formulas.collect_fluents(formula, &mut about);
            if about.contains(&ground.fluents.turn()) {
                return reason("an end depends on the turn");
            }
            let speaks = |game: &&mut ComponentGame| game.fluents.iter().any(|fluent| about.contains(fluent));
            let mut of: Vec<&mut ComponentGame> = games.iter_mut().filter(speaks).collect();
            if let [only] = &mut of[..] {
                if !only.formulas.contains(&formula) {
                    only.formulas.push(formula);
                }
                continue;
            }
            match ground.formulas.node(formula) {
                FormulaNode::And(parts) | FormulaNode::Or(parts) => waiting.extend(parts.iter().copied()),
                FormulaNode::Lit(subject, _) => {
                    if let Subject::Count(of) = ground.formulas.subject(*subject).0 {
                        waiting.extend(of.iter().copied());
                    }
                }
                FormulaNode::Name(..) => return reason("an end depends on a recursive definition"),
                FormulaNode::False | FormulaNode::True => {}
            }
        }
        Ok(())
    }
}

impl ComponentGame {
    /// Searches the reachable positions of the component depth first.
    fn reached(
        &self,
        ground: &Ground,
        start: &[u8],
        most: usize,
        limits: &Limits,
    ) -> Result<ReachedPositions, NotApplicable> {
        let turn = ground.fluents.turn().index();
        let mut known: FxHashMap<Vec<u8>, Option<usize>> = FxHashMap::default();
        let mut kinds: FxHashMap<(bool, Vec<bool>), usize> = FxHashMap::default();
        let mut reached = ReachedPositions { list: Vec::new(), kinds: Vec::new() };
        let mut path: Vec<PendingPosition> = Vec::new();
        let mut next = Some(start.to_vec());
        loop {
            if let Some(position) = next.take() {
                if let Some(hit) = limits.check() {
                    return Err(NotApplicable::Limit(hit));
                }
                if known.len() >= most {
                    return reason("the components have too many positions");
                }
                let mut reading = FormulaEvaluator::new(&ground.formulas, &position);
                let done = reading.holds(self.done);
                let said: Vec<bool> = self.formulas.iter().map(|of| reading.holds(*of)).collect();
                let after = if done { Vec::new() } else { self.after(&mut reading, &position, turn) };
                if !done && after.is_empty() {
                    return reason(
                        "a component may reach a position that is not over and where nobody can move",
                    );
                }
                let kind = *kinds.entry((done, said)).or_insert_with_key(|kind| {
                    reached.kinds.push(kind.clone());
                    reached.kinds.len() - 1
                });
                known.insert(position.clone(), None);
                path.push(PendingPosition { position, kind, left: after, after: Vec::new() });
            }
            let Some(open) = path.last_mut() else { return Ok(reached) };
            match open.left.pop() {
                Some(after) => match known.get(&after) {
                    Some(Some(number)) => open.after.push(*number),
                    Some(None) => return reason("positions of a component come back"),
                    None => {
                        // It is visited again once its number is known.
                        open.left.push(after.clone());
                        next = Some(after);
                    }
                },
                None => {
                    let Some(PendingPosition { position, kind, after, .. }) = path.pop() else { continue };
                    let mover = usize::from(position[turn]);
                    known.insert(position, Some(reached.list.len()));
                    reached.list.push(ComponentPosition { mover, kind, after });
                }
            }
        }
    }

    fn after(&self, reading: &mut FormulaEvaluator<'_>, position: &[u8], turn: usize) -> Vec<Vec<u8>> {
        let mover = usize::from(position[turn]);
        let mut after = Vec::new();
        for part in self.moves.get(mover).into_iter().flatten() {
            if !reading.holds(part.legal) {
                continue;
            }
            let mut next = position.to_vec();
            for (fluent, value, when) in &part.becomes {
                if reading.holds(*when) {
                    next[fluent.index()] = *value;
                }
            }
            next[turn] = 1 - mover as u8;
            after.push(next);
        }
        after
    }
}

impl ReachedPositions {
    /// Returns the value of the start position, the last of the list, to the first player.
    fn start_value(&self, shares: &[Option<Rational>]) -> Result<Rational, NotApplicable> {
        let mut worths: Vec<Rational> = Vec::with_capacity(self.list.len());
        for local in &self.list {
            let after = local.after.iter().map(|&number| worths[number].clone());
            let best = if local.mover == 0 { after.max() } else { after.min() };
            match best.or(shares[local.kind].clone()) {
                Some(worth) => worths.push(worth),
                None => return reason("an end gives nothing"),
            }
        }
        worths.last().cloned().map_or_else(|| reason("there is no position"), Ok)
    }
}

/// Decomposes the payoffs into a sum over the components.
fn shares(
    ground: &Ground,
    position: &[u8],
    games: &[ComponentGame],
    reached: &[ReachedPositions],
    faults: [Formula; 2],
) -> Result<Vec<PayoffShares>, NotApplicable> {
    let sizes: Vec<usize> = reached.iter().map(|of| of.kinds.len()).collect();
    let ways = sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size));
    let Some(ways) = ways.filter(|ways| *ways <= MAX_COMBINATIONS) else {
        return reason("the components have too many combinations");
    };
    let mut given: FxHashMap<Vec<usize>, Rational> = FxHashMap::default();
    for way in 0..ways {
        let mut rest = way;
        let kinds: Vec<usize> = sizes
            .iter()
            .map(|size| {
                let kind = rest % size;
                rest /= size;
                kind
            })
            .collect();
        let mut known: FxHashMap<Formula, bool> = FxHashMap::default();
        for ((game, reached), &kind) in games.iter().zip(reached).zip(&kinds) {
            known.extend(game.formulas.iter().copied().zip(reached.kinds[kind].1.iter().copied()));
        }
        if faults.iter().any(|fault| holds(ground, position, *fault, &known)) {
            return reason("the rules alone do not show that they have a meaning in every position");
        }
        let over = reached.iter().zip(&kinds).all(|(of, &kind)| of.kinds[kind].0);
        let mut ends = ground.ends.iter().filter(|end| holds(ground, position, end.when, &known));
        match (over, ends.next(), ends.next()) {
            (true, Some(end), None) => {
                if !(&end.payoffs[0] + &end.payoffs[1]).is_zero() {
                    return reason("the payoffs of an end do not add up to 0");
                }
                given.insert(kinds, end.payoffs[0].clone());
            }
            (false, None, _) => {}
            _ => return reason("the game is not over just where all its components are"),
        }
    }
    let over =
        |of: &ReachedPositions| (0..of.kinds.len()).filter(|&kind| of.kinds[kind].0).collect::<Vec<usize>>();
    let over: Vec<Vec<usize>> = reached.iter().map(over).collect();
    let Some(base) = over.iter().map(|kinds| kinds.first().copied()).collect::<Option<Vec<usize>>>() else {
        return reason("a component is never over");
    };
    let mut left = given[&base].clone();
    let mut shares: Vec<PayoffShares> = Vec::new();
    for (number, kinds) in over.iter().enumerate() {
        let mut own = vec![None; sizes[number]];
        for &kind in kinds {
            let mut way = base.clone();
            way[number] = kind;
            own[kind] = Some(&given[&way] - &given[&base]);
        }
        // Center the shares so that the best and the worst are at equal distances from 0: a board that may be won,
        // lost or drawn is then worth 1, -1 or 0.
        let (least, most) = (own.iter().flatten().min(), own.iter().flatten().max());
        let sum = least.zip(most).map(|(least, most)| least + most).unwrap_or_default();
        let middle = sum / Rational::from_integer(2);
        for share in own.iter_mut().flatten() {
            *share = &*share - &middle;
        }
        left += middle;
        shares.push(own);
    }
    for share in shares[0].iter_mut().flatten() {
        *share = &*share + &left;
    }
    for (kinds, payoff) in &given {
        let own = kinds.iter().zip(&shares).filter_map(|(&kind, shares)| shares[kind].as_ref());
        if own.sum::<Rational>() != *payoff {
            return reason("the payoff at the ends is no sum over the components");
        }
    }
    Ok(shares)
}

/// Evaluates a formula from the known truth of its parts.
fn holds(ground: &Ground, position: &[u8], formula: Formula, known: &FxHashMap<Formula, bool>) -> bool {
    if let Some(&known) = known.get(&formula) {
        return known;
    }
    match ground.formulas.node(formula) {
        FormulaNode::True => true,
        FormulaNode::And(parts) => parts.iter().all(|&part| holds(ground, position, part, known)),
        FormulaNode::Or(parts) => parts.iter().any(|&part| holds(ground, position, part, known)),
        FormulaNode::Lit(subject, values) => match ground.formulas.subject(*subject).0 {
            Subject::Count(of) => {
                let number = of.iter().filter(|&&part| holds(ground, position, part, known)).count();
                values >> number & 1 == 1
            }
            // A fluent outside all components never changes.
            Subject::Fluent(fluent) => values >> position[fluent.index()] & 1 == 1,
        },
        FormulaNode::False | FormulaNode::Name(..) => false,
    }
}
