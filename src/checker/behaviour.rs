//! The checks of BEHAVIOUR and PROFILE: exact best responses to strategies, over the histories that the definition makes.

use std::array::from_fn;
use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::visit::PositionVisit;
use super::{CheckError, Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::limits::LimitHit;
use bouton_base::rational::Rational;
use bouton_certificates::{BehaviourLemma, ProfileLemma};
use bouton_reference::State;
use bouton_rules::{MoveInstance, ToMove, Value};

/// The number of players of a behaviour strategy; a single player has a second one beside him who never chooses.
const PLAYERS: usize = 2;

/// A history: a position with the information of all players. Histories that agree in these are one.
struct History<const N: usize> {
    /// The information set of each player who chooses.
    sets: [Option<usize>; N],
    /// The payoffs at an end.
    payoffs: [Rational; N],
    moves: Vec<HistoryMove<N>>,
}

struct HistoryMove<const N: usize> {
    /// The probability, if chance acts; otherwise 1.
    chance: Rational,
    /// The number of the choice of each player who chooses.
    choices: [usize; N],
    to: usize,
}

/// The histories of one ply that a player cannot tell apart, with his choices.
struct InformationSet {
    choices: Vec<MoveInstance>,
    histories: Vec<usize>,
}

/// All histories of a game of `N` players, each before those that it leads to.
struct HistoryTree<const N: usize> {
    histories: Vec<History<N>>,
    sets: [Vec<InformationSet>; N],
    sum: PayoffSum,
}

/// For each player the probabilities of the choices of each of his information sets.
type Strategies<'l, const N: usize> = [Vec<&'l [Rational]>; N];

/// The information of a player after a move: that before, the parts of the move that he saw, his observation. Without
/// hidden information there is none, since players then need no memory.
type Information = Option<(usize, Vec<SeenPart>, Value)>;

/// A part of a move that a player sees, with the player who made it; `None` for an event of chance.
pub(super) type SeenPart = (Option<u32>, MoveInstance);

/// The histories of the next ply: positions with the numbers of the players' information, each with the probability that
/// chance leads there by the players' choices.
type NextPly<const N: usize> = IndexMap<(Box<[u64]>, [usize; N]), (State, Rational), FxBuildHasher>;

/// The approximate memory in bytes of a history.
const HISTORY_BYTES: u64 = 400;

impl Checker<'_> {
    /// Proves the bound of a behaviour strategy.
    pub(super) fn behaviour(&mut self, start: &State, lemma: &BehaviourLemma) -> Checked<Fact> {
        let players = self.rules.players().len();
        reject_if(
            !(1..=PLAYERS).contains(&players),
            "behaviour strategies are checked for one player or two",
        )?;
        let holder = match lemma.bound.holder {
            Some(holder) if holder as usize >= players => return reject("there is no such player"),
            Some(holder) => holder as usize,
            None if players == 1 => 1,
            None => return reject("the claim that no play gives more is for one player only"),
        };
        let tree = self.histories::<PLAYERS>(start)?;
        let mut strategies: Strategies<'_, PLAYERS> = Default::default();
        strategies[holder] = lemma.choices.iter().map(Vec::as_slice).collect();
        check_strategy(&tree.sets[holder], &strategies[holder])?;
        let payoff = self.worst_payoff(&tree, 1 - holder, &strategies, &|payoffs| payoffs[holder].clone())?;
        // The second one beside a single player gets the opposite payoff.
        let wanted =
            if lemma.bound.holder.is_none() { -&lemma.bound.payoff } else { lemma.bound.payoff.clone() };
        reject_if(payoff < wanted, format!("against a best response it gives {payoff}"))?;
        Ok(Fact::Bound { bound: lemma.bound.clone(), plies: None, sum: tree.sum })
    }

    /// Proves that behaviour strategies of all players are an equilibrium with these payoffs.
    pub(super) fn profile(&mut self, start: &State, lemma: &ProfileLemma) -> Checked<Fact> {
        match self.rules.players().len() {
            2 => self.profile_of::<2>(start, lemma),
            3 => self.profile_of::<3>(start, lemma),
            4 => self.profile_of::<4>(start, lemma),
            5 => self.profile_of::<5>(start, lemma),
            6 => self.profile_of::<6>(start, lemma),
            _ => reject("a profile is one of two to six players"),
        }
    }

    fn profile_of<const N: usize>(&mut self, start: &State, lemma: &ProfileLemma) -> Checked<Fact> {
        let tree = self.histories::<N>(start)?;
        let strategies: Strategies<'_, N> = from_fn(|player| {
            let own = lemma.sets.iter().filter(|set| set.player as usize == player);
            own.map(|set| set.choices.0.as_slice()).collect()
        });
        for (sets, strategy) in tree.sets.iter().zip(&strategies) {
            check_strategy(sets, strategy)?;
        }
        let payoffs = self.payoffs(&tree, &strategies)?;
        if lemma.payoffs != payoffs {
            let given: Vec<String> = payoffs.iter().map(Rational::to_string).collect();
            return reject(format!("the strategies give {}", given.join(", ")));
        }
        for (player, payoff) in payoffs.iter().enumerate() {
            // His best response is the worst one for the opposite payoff.
            let opposite = |payoffs: &[Rational; N]| -&payoffs[player];
            let most = -self.worst_payoff(&tree, player, &strategies, &opposite)?;
            if most > *payoff {
                return reject(format!("against the others' strategies, a best response gives {most}"));
            }
        }
        Ok(Fact::Equilibrium(lemma.payoffs.clone()))
    }

    /// Returns the expected payoffs of the strategies.
    fn payoffs<const N: usize>(
        &self,
        tree: &HistoryTree<N>,
        strategies: &Strategies<'_, N>,
    ) -> Checked<[Rational; N]> {
        let mut sums: [Rational; N] = from_fn(|_| Rational::ZERO);
        // The probability of each history.
        let mut reach = vec![Rational::ZERO; tree.histories.len()];
        reach[0] = Rational::ONE;
        for (at, history) in tree.histories.iter().enumerate() {
            self.tick()?;
            let here = std::mem::take(&mut reach[at]);
            sums.iter_mut().zip(&history.payoffs).for_each(|(sum, payoff)| *sum += &here * payoff);
            for made in &history.moves {
                let mut share = &here * &made.chance;
                for player in 0..N {
                    if let Some(set) = history.sets[player] {
                        share = &share * &strategies[player][set][made.choices[player]];
                    }
                }
                reach[made.to] += share;
            }
        }
        Ok(sums)
    }

    /// Enumerates the histories, ply by ply.
    fn histories<const N: usize>(&mut self, start: &State) -> Checked<HistoryTree<N>> {
        let hidden = self.rules.has_hidden_information();
        let mut tree: HistoryTree<N> =
            HistoryTree { histories: Vec::new(), sets: from_fn(|_| Vec::new()), sum: PayoffSum::default() };
        let mut ply = NextPly::<N>::default();
        ply.insert((self.interpreter.key(start).into(), [0; N]), (start.clone(), Rational::ONE));
        while !ply.is_empty() {
            let mut next = NextPly::<N>::default();
            let mut known: [FxHashMap<Information, usize>; N] = from_fn(|_| FxHashMap::default());
            let mut numbers: [FxHashMap<usize, usize>; N] = from_fn(|_| FxHashMap::default());
            let after = tree.histories.len() + ply.len();
            for ((_, information), (state, weight)) in &ply {
                if let Some(hit) = self.limits.check_held(HISTORY_BYTES * (after + next.len()) as u64) {
                    return Err(CheckError::Limit(hit));
                }
                let (turn, moves) = self.expand(state)?;
                let number = tree.histories.len();
                let own = if hidden { *information } else { [number; N] };
                let here = PositionVisit { state, key: &[], turn: &turn, moves: &moves };
                let sets = self.enter_sets(&mut tree, &mut numbers, own, &here)?;
                let payoffs = match &turn {
                    ToMove::Terminal(outcome) => {
                        tree.sum.record(&outcome.payoffs);
                        match &outcome.payoffs[..] {
                            [only] => from_fn(|player| if player == 0 { only.clone() } else { -only }),
                            all if all.len() == N => from_fn(|player| all[player].clone()),
                            _ => return self.reject_at(state, "the end gives no payoff"),
                        }
                    }
                    _ => from_fn(|_| Rational::ZERO),
                };
                let mut made = Vec::with_capacity(moves.len());
                for (play, to, share) in &moves {
                    let mut classes = [0; N];
                    let mut choices = [0; N];
                    for player in 0..N {
                        if let Some(set) = sets[player] {
                            let own = own_part(&turn, play, player);
                            let all = &tree.sets[player][set].choices;
                            choices[player] = all.iter().position(|of| Some(of) == own).unwrap_or(0);
                        }
                        let view = hidden && player < self.rules.players().len();
                        let view = view.then(|| {
                            let seen = self.seen_parts(&turn, play, player);
                            (information[player], seen, self.interpreter.observation(to, player as u32))
                        });
                        let new = known[player].len();
                        classes[player] = *known[player].entry(view).or_insert(new);
                    }
                    self.interpreter.unless_limited(()).map_err(CheckError::Limit)?;
                    let key = (self.interpreter.key(to).into(), classes);
                    let entry = next.entry(key);
                    let to_number = after + entry.index();
                    let chance = if turn == ToMove::Chance { share.clone() } else { Rational::ONE };
                    entry.or_insert_with(|| (to.clone(), Rational::ZERO)).1 += weight * &chance;
                    made.push(HistoryMove { chance, choices, to: to_number });
                }
                tree.histories.push(History { sets, payoffs, moves: made });
            }
            if hidden && self.rules.players().len() == 1 {
                let places;
                (next, places) = with_equal_beliefs(next);
                for made in tree.histories[after - ply.len()..].iter_mut().flat_map(|of| &mut of.moves) {
                    made.to = after + places[made.to - after];
                }
            }
            ply = next;
        }
        Ok(tree)
    }

    /// Adds a history to the information sets of the players who choose; rejects sets with different moves.
    fn enter_sets<const N: usize>(
        &self,
        tree: &mut HistoryTree<N>,
        numbers: &mut [FxHashMap<usize, usize>; N],
        information: [usize; N],
        here: &PositionVisit<'_>,
    ) -> Checked<[Option<usize>; N]> {
        let mut sets = [None; N];
        for player in 0..N {
            let choices = choices_of(here, player);
            if choices.is_empty() {
                continue;
            }
            let all = &mut tree.sets[player];
            let set = *numbers[player].entry(information[player]).or_insert_with(|| {
                all.push(InformationSet { choices: choices.clone(), histories: Vec::new() });
                all.len() - 1
            });
            if all[set].choices != choices {
                return self
                    .reject_at(here.state, "a player has other moves here than where he sees the same");
            }
            all[set].histories.push(tree.histories.len());
            sets[player] = Some(set);
        }
        Ok(sets)
    }

    /// The parts of a move that a player sees, with their makers: his own, and those that are not private.
    pub(super) fn seen_parts(&self, turn: &ToMove, play: &MoveInstance, player: usize) -> Vec<SeenPart> {
        let private =
            |part: &MoveInstance| matches!(part, MoveInstance::Move(id, _) if self.rules.moves[*id].private);
        let seen = |who: Option<u32>, part: &MoveInstance| who == Some(player as u32) || !private(part);
        match play {
            MoveInstance::Joint(parts) => {
                let seen = parts.iter().filter(|(who, part)| seen(Some(*who), part));
                seen.map(|(who, part)| (Some(*who), part.clone())).collect()
            }
            play => {
                let who = if let ToMove::Player(mover) = turn { Some(*mover) } else { None };
                if seen(who, play) { vec![(who, play.clone())] } else { Vec::new() }
            }
        }
    }

    /// Returns the mean of what `payoff_of` makes of the payoffs, by the strategies of all but one player against the
    /// response of that player that makes it least.
    fn worst_payoff<const N: usize>(
        &self,
        tree: &HistoryTree<N>,
        responder: usize,
        strategies: &Strategies<'_, N>,
        payoff_of: &dyn Fn(&[Rational; N]) -> Rational,
    ) -> Checked<Rational> {
        let share = |at: usize, made: &HistoryMove<N>| {
            let others = (0..N).filter(|&player| player != responder);
            let chosen = others.filter_map(|player| Some((player, tree.histories[at].sets[player]?)));
            chosen.fold(made.chance.clone(), |share, (player, set)| {
                &strategies[player][set][made.choices[player]] * &share
            })
        };
        // The probability that chance and the strategies lead to a history, if the responder does.
        let mut reach = vec![Rational::ZERO; tree.histories.len()];
        reach[0] = Rational::ONE;
        for (at, history) in tree.histories.iter().enumerate() {
            self.tick()?;
            for made in history.moves.iter().filter(|_| !reach[at].is_zero()).collect::<Vec<_>>() {
                let part = &reach[at] * share(at, made);
                reach[made.to] += part;
            }
        }
        // The payoff of a history if the responder makes this choice there.
        let payoff = |worth: &[Rational], at: usize, choice: Option<usize>| -> Rational {
            let history = &tree.histories[at];
            let follows =
                |made: &&HistoryMove<N>| choice.is_none_or(|choice| made.choices[responder] == choice);
            let sum = history.moves.iter().filter(follows).map(|made| share(at, made) * &worth[made.to]);
            sum.sum::<Rational>() + payoff_of(&history.payoffs)
        };
        let mut worth = vec![Rational::ZERO; tree.histories.len()];
        for at in (0..tree.histories.len()).rev() {
            self.tick()?;
            let Some(set) = tree.histories[at].sets[responder].map(|set| &tree.sets[responder][set]) else {
                if !reach[at].is_zero() {
                    worth[at] = payoff(&worth, at, None);
                }
                continue;
            };
            // Moves lead to later plies, and a set lies in one: all that its choice needs is known at its last history.
            if set.histories.last() == Some(&at) {
                let reached = || set.histories.iter().copied().filter(|&at| !reach[at].is_zero());
                let total = |choice: usize| -> Rational {
                    reached().map(|at| &reach[at] * payoff(&worth, at, Some(choice))).sum()
                };
                let worst = (0..set.choices.len()).min_by_key(|&choice| total(choice));
                let each: Vec<_> = reached().map(|at| (at, payoff(&worth, at, worst))).collect();
                each.into_iter().for_each(|(at, payoff)| worth[at] = payoff);
            }
        }
        worth.into_iter().next().ok_or(CheckError::Limit(LimitHit::Memory))
    }
}

/// Makes one of all information of a single player by which he believes the same: the same positions with the same
/// probabilities. What follows is the same, so that the best he can do needs to know no more. Returns the histories, and
/// the new place of each.
fn with_equal_beliefs<const N: usize>(ply: NextPly<N>) -> (NextPly<N>, Vec<usize>) {
    let mut beliefs: BTreeMap<usize, Vec<(&[u64], Rational)>> = BTreeMap::new();
    for ((key, information), (_, weight)) in &ply {
        beliefs.entry(information[0]).or_default().push((key, weight.clone()));
    }
    let mut first: FxHashMap<Vec<(&[u64], Rational)>, usize> = FxHashMap::default();
    let mut alike: FxHashMap<usize, usize> = FxHashMap::default();
    for (information, mut belief) in beliefs {
        let total: Rational = belief.iter().map(|(_, weight)| weight).sum();
        belief.iter_mut().for_each(|(_, weight)| *weight = weight.checked_div(&total).unwrap_or_default());
        belief.sort();
        alike.insert(information, *first.entry(belief).or_insert(information));
    }
    let mut merged = NextPly::<N>::default();
    let mut places = Vec::with_capacity(ply.len());
    for ((key, information), (state, weight)) in ply {
        let mut believed = information;
        believed[0] = alike[&information[0]];
        let entry = merged.entry((key, believed));
        places.push(entry.index());
        entry.or_insert((state, Rational::ZERO)).1 += weight;
    }
    (merged, places)
}

/// Rejects a strategy that does not give probabilities for the choices of each information set.
fn check_strategy(sets: &[InformationSet], strategy: &[&[Rational]]) -> Checked<()> {
    if strategy.len() != sets.len() {
        return reject(format!(
            "it lists {} information sets, and the player has {}",
            strategy.len(),
            sets.len()
        ));
    }
    for (number, (set, choices)) in sets.iter().zip(strategy).enumerate() {
        let fits = set.choices.len() == choices.len();
        let sound = is_mixture(choices, choices.len());
        let which = number + 1;
        reject_if(!fits, format!("information set {which} has {} moves", set.choices.len()))?;
        reject_if(!sound, format!("the numbers of information set {which} are no probabilities"))?;
    }
    Ok(())
}

/// Returns true if these are the probabilities of this many choices.
pub(super) fn is_mixture(shares: &[Rational], choices: usize) -> bool {
    shares.len() == choices
        && shares.iter().sum::<Rational>() == Rational::ONE
        && !shares.iter().any(Rational::is_negative)
}

/// Returns the choices of a player in a position, in the order of the moves.
pub(super) fn choices_of(here: &PositionVisit<'_>, player: usize) -> Vec<MoveInstance> {
    let mut choices: Vec<MoveInstance> = Vec::new();
    for own in here.moves.iter().filter_map(|(play, _, _)| own_part(here.turn, play, player)) {
        if !choices.contains(own) {
            choices.push(own.clone());
        }
    }
    choices
}

/// Returns the choice of a player within a move; `None` if he does not choose.
pub(super) fn own_part<'m>(turn: &ToMove, play: &'m MoveInstance, player: usize) -> Option<&'m MoveInstance> {
    match (turn, play) {
        (ToMove::Simultaneous, MoveInstance::Joint(parts)) => {
            parts.iter().find(|(who, _)| *who as usize == player).map(|(_, part)| part)
        }
        (ToMove::Player(mover), play) if *mover as usize == player => Some(play),
        _ => None,
    }
}
