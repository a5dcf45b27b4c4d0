//! Factorization: games played side by side, of which every move tests and changes each component by itself.
//!
//! In [`decomposer`](super::decomposer) no move has two components in common. Here one move may touch several,
//! such as a turn at two boards: it is legal if each of its parts is, and its effect on a component depends on that
//! component alone. So two fluents are in one component if a single condition of a move reads both, and not if some
//! move merely touches both (Günther, Schiffel and Thielscher 2009 on rules of games, without the player to move).

use rustc_hash::FxHashSet;

use super::NotApplicable;
use bouton_base::id::Id;
use bouton_grounding::{
    ActionMaker, DeleteRelaxation, FALSE, FluentId, Formula, FormulaEvaluator, FormulaNode, Ground,
};

/// The reason if there is a single component.
pub const ONE_GAME: &str = "the game does not consist of several games side by side";

/// The maximal number of moves that are factored.
const MAX_FACTORED_MOVES: usize = 10_000;

/// A position as a product of two components or more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factorization {
    /// The fluents of each component, in order: all that may still change, the player to move excepted.
    pub components: Vec<Vec<FluentId>>,
    /// The moves that may still be legal.
    pub moves: Vec<FactoredMove>,
}

/// A move as its action on each component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactoredMove {
    /// The player who makes it.
    pub player: u32,
    /// The parts, by component.
    pub parts: Vec<ComponentAction>,
}

/// The precondition and effects of a move on one component.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ComponentAction {
    /// The part of the precondition that is about the component.
    pub legal: Formula,
    /// The effects: a fluent, its new value, and the condition for it.
    pub becomes: Vec<(FluentId, u8, Formula)>,
}

impl ComponentAction {
    /// Returns true if it leaves the component unchanged.
    pub fn is_idle(&self) -> bool {
        self.becomes.is_empty()
    }
}

impl FactoredMove {
    /// Returns the number of components that it changes.
    pub fn touches(&self) -> usize {
        self.parts.iter().filter(|part| !part.is_idle()).count()
    }
}

/// The conditions of a move, each with one of its fluents, and its effects.
struct MoveConditions {
    player: u32,
    legal: Vec<(Formula, FluentId)>,
    becomes: Vec<(FluentId, u8, Formula)>,
}

/// Factors a position into several components side by side. The error is a sentence without a full stop.
pub fn factorize(ground: &mut Ground, position: &[u8]) -> Result<Factorization, NotApplicable> {
    if ground.rules.players().len() != 2 {
        return Err("games side by side are for two players".into());
    }
    if ground.actions.len() > MAX_FACTORED_MOVES {
        return Err(format!("there are more than {MAX_FACTORED_MOVES} moves").into());
    }
    let turn = ground.fluents.turn();
    let possible = ground.delete_relaxation(position);
    let changes = |fluent: &FluentId| *fluent != turn && possible.values[fluent.index()].count_ones() > 1;
    let touched: Vec<FluentId> = ground.fluents.iter().map(|(id, _)| id).filter(changes).collect();
    let mut joined = FluentUnionFind((0..ground.fluents.len() as u32).collect());
    let mut legals = Vec::new();
    let mut all = Vec::new();
    for number in 0..ground.actions.len() {
        if !possible.actions[number] {
            continue;
        }
        let action = ground.actions[number].clone();
        let ActionMaker::Player(player) = action.maker else {
            return Err("players move simultaneously".into());
        };
        let legal = with_mover(ground, action.legal, player)?;
        if legal == FALSE {
            continue;
        }
        legals.push((player, legal));
        let mut of = MoveConditions { player, legal: Vec::new(), becomes: Vec::new() };
        let conditions = match ground.formulas.node(legal) {
            FormulaNode::And(parts) => parts.to_vec(),
            _ => vec![legal],
        };
        // A constant condition keeps its present truth: one that holds is left out, and one that fails excludes
        // the move.
        let (changing, constant): (Vec<Formula>, Vec<Formula>) = conditions
            .into_iter()
            .partition(|condition| !changing_fluents(ground, *condition, &changes).is_empty());
        let mut reading = FormulaEvaluator::new(&ground.formulas, position);
        if !constant.into_iter().all(|condition| reading.holds(condition)) {
            continue;
        }
        for condition in changing {
            if let Some(first) = joined.join(changing_fluents(ground, condition, &changes)) {
                of.legal.push((condition, first));
            }
        }
        for becomes in action.updates.iter().filter(|becomes| changes(&becomes.fluent)) {
            for (value, when) in &becomes.values {
                let when = with_mover(ground, *when, player)?;
                if when != FALSE {
                    let mut with = changing_fluents(ground, when, &changes);
                    with.push(becomes.fluent);
                    joined.join(with);
                    of.becomes.push((becomes.fluent, *value, when));
                }
            }
        }
        all.push(of);
        if joined.are_one(&touched) {
            return Err(ONE_GAME.into());
        }
    }
    if goes_on_besides_legal(ground, &possible, &legals)? {
        joined.join(changing_fluents(ground, ground.over, &changes));
        if joined.are_one(&touched) {
            return Err(ONE_GAME.into());
        }
    }
    let mut roots: Vec<FluentId> = Vec::new();
    let mut components: Vec<Vec<FluentId>> = Vec::new();
    for fluent in touched {
        let root = joined.root(fluent);
        let place = roots.iter().position(|of| *of == root).unwrap_or_else(|| {
            roots.push(root);
            components.push(Vec::new());
            roots.len() - 1
        });
        components[place].push(fluent);
    }
    if components.len() < 2 {
        return Err(ONE_GAME.into());
    }
    let moves = all.into_iter().map(|of| parted(ground, of, &roots, &joined)).collect();
    Ok(Factorization { components, moves })
}

/// Returns true if the precondition of some move does not imply that the game goes on, which is then one more condition.
fn goes_on_besides_legal(
    ground: &mut Ground,
    possible: &DeleteRelaxation,
    legals: &[(u32, Formula)],
) -> Result<bool, NotApplicable> {
    let mut ends: [Vec<Formula>; 2] = Default::default();
    for end in ground.ends.clone() {
        for (player, ends) in (0..).zip(&mut ends) {
            ends.push(with_mover(ground, end.when, player)?);
        }
    }
    let goes_on = |&(player, legal): &(u32, Formula)| {
        ends[usize::from(player > 0)].iter().all(|end| mutually_exclusive(ground, possible, legal, *end))
    };
    Ok(!legals.iter().all(goes_on))
}

/// Splits the conditions and effects of a move by component.
fn parted(
    ground: &mut Ground,
    of: MoveConditions,
    roots: &[FluentId],
    joined: &FluentUnionFind,
) -> FactoredMove {
    let part = |root: &FluentId| {
        let own = of.legal.iter().filter(|(_, fluent)| joined.root(*fluent) == *root);
        let becomes = of.becomes.iter().filter(|(fluent, ..)| joined.root(*fluent) == *root);
        ComponentAction {
            legal: ground.formulas.and(own.map(|(condition, _)| *condition)),
            becomes: becomes.copied().collect(),
        }
    };
    FactoredMove { player: of.player, parts: roots.iter().map(part).collect() }
}

/// Returns true if the relaxation shows that two formulas exclude each other.
pub(super) fn mutually_exclusive(
    ground: &mut Ground,
    possible: &DeleteRelaxation,
    one: Formula,
    other: Formula,
) -> bool {
    match ground.formulas.node(other).clone() {
        FormulaNode::Or(parts) => parts.iter().all(|part| mutually_exclusive(ground, possible, one, *part)),
        _ => {
            let both = ground.formulas.and([one, other]);
            both == FALSE || !ground.relaxed_evaluator(possible).may_hold(both)
        }
    }
}

/// Returns a formula with this player substituted as the player to move.
pub(super) fn with_mover(
    ground: &mut Ground,
    formula: Formula,
    player: u32,
) -> Result<Formula, NotApplicable> {
    let turn = ground.fluents.turn();
    ground
        .formulas
        .substitute(formula, turn, player as u8)
        .ok_or_else(|| "something depends on a recursive definition".into())
}

/// Returns the fluents of a formula that may change, in order.
fn changing_fluents(ground: &Ground, formula: Formula, changes: &dyn Fn(&FluentId) -> bool) -> Vec<FluentId> {
    let mut found = FxHashSet::default();
    ground.formulas.collect_fluents(formula, &mut found);
    let mut found: Vec<FluentId> = found.into_iter().filter(changes).collect();
    found.sort_unstable();
    found
}

/// A union-find forest: by fluent, an earlier one of its component, or itself.
struct FluentUnionFind(Vec<u32>);

impl FluentUnionFind {
    fn root(&self, fluent: FluentId) -> FluentId {
        let mut at = fluent.0;
        while self.0[at as usize] != at {
            at = self.0[at as usize];
        }
        FluentId(at)
    }

    /// Returns true if these fluents are in one component.
    fn are_one(&self, fluents: &[FluentId]) -> bool {
        fluents.windows(2).all(|pair| self.root(pair[0]) == self.root(pair[1]))
    }

    /// Unites fluents into one component; returns the first of them.
    fn join(&mut self, fluents: Vec<FluentId>) -> Option<FluentId> {
        let first = *fluents.first()?;
        for fluent in fluents {
            let (a, b) = (self.root(first).0, self.root(fluent).0);
            self.0[a.max(b) as usize] = a.min(b);
        }
        Some(first)
    }
}
