//! Turns that need a longer proof: a move that names no fluent of the turn, such as a swap in step 2, where step 2 is
//! proved to be the turn of its role; chance between the moves of players, whose fluents stay true meanwhile; and a role
//! whose turn it is while the fluent of the other one does not hold.

use std::collections::BTreeMap;

use super::{Candidate, Implied, MAX_CHOICES, RoleMoves, Turn, function, is_initial};
use crate::exclusive::{Holding, contradict_each_other, exclude_pairs, holding};
use crate::ground::{AtomId, GroundLiteral};

/// The maximal number of candidates of a role that are tried.
const MAX_CANDIDATES: usize = 6;

/// The maximal number of moves of a role that do not need the fluent.
const MAX_OTHERS: usize = 8;

/// The maximal number of moves of roles of which one has its turn while a fluent does not hold.
const MAX_MOVES: usize = 100;

/// The maximal number of sets of fluents about which a proof is tried.
const MAX_PROOFS: usize = 4;

/// A fluent that most moves of a role need.
#[derive(Clone, Debug)]
struct Loose {
    control: AtomId,
    waits: AtomId,
    /// The sentences that the moves are legal which need the fluent.
    needing: Vec<AtomId>,
    /// Those of all other moves but the one of waiting.
    others: Vec<AtomId>,
}

/// Finds the turns of the roles that choose, in their order. `chance`: the place of chance among them.
pub(super) fn find(
    implied: &mut Implied<'_>,
    roles: &[&RoleMoves],
    chance: Option<usize>,
) -> Option<Vec<Turn>> {
    let found: Vec<Vec<Loose>> = roles.iter().map(|moves| loose_candidates(moves, implied)).collect();
    let mut chosen: Vec<Vec<&Loose>> = vec![Vec::new()];
    for of_role in &found {
        let is_new = |taken: &[&Loose], of: &Loose| taken.iter().all(|one| one.control != of.control);
        let extended = chosen.iter().flat_map(|taken| {
            let more = of_role.iter().filter(|of| is_new(taken, of));
            more.map(|of| taken.iter().copied().chain([of]).collect::<Vec<&Loose>>())
        });
        chosen = extended.take(MAX_CHOICES).collect();
    }
    let mut known = BTreeMap::new();
    let works = chosen.into_iter().find(|of| is_proved(implied, of, chance, &mut known));
    if let Some(works) = works {
        let turn = |(at, of): (usize, &Loose)| Turn {
            controls: vec![of.control],
            waits: Some(of.waits),
            chooses: true,
            yields: chance.is_some_and(|chance| at != chance),
        };
        return Some(works.into_iter().enumerate().map(turn).collect());
    }
    otherwise(implied, roles).filter(|_| chance.is_none())
}

/// The fluents that most moves of a role need; those that all moves but one need come first.
fn loose_candidates(moves: &RoleMoves, implied: &mut Implied<'_>) -> Vec<Loose> {
    let needs: Vec<Vec<AtomId>> = moves.legal.iter().map(|&legal| implied.by(legal).to_vec()).collect();
    let mut fluents: Vec<AtomId> = needs.iter().flatten().copied().collect();
    fluents.sort_unstable();
    fluents.dedup();
    let mut found = Vec::new();
    for control in fluents {
        let (with, without): (Vec<usize>, Vec<usize>) =
            (0..needs.len()).partition(|&at| needs[at].contains(&control));
        if with.len() < without.len() || without.len() > MAX_OTHERS {
            continue;
        }
        for &waits in &without {
            let of = |at: &usize| moves.legal[*at];
            let others = without.iter().filter(|&&at| at != waits).map(of).collect();
            let needing = with.iter().map(of).collect();
            found.push(Loose { control, waits: moves.does[waits], needing, others });
        }
    }
    found.sort_by_key(|of| (of.others.len(), of.control, of.waits));
    found.truncate(MAX_CANDIDATES);
    found
}

/// Proves that at most one role has a choice in each position: the one whose fluent holds, or chance where its own does.
/// `known`: proofs about sets of fluents.
fn is_proved(
    implied: &Implied<'_>,
    chosen: &[&Loose],
    chance: Option<usize>,
    known: &mut BTreeMap<Vec<AtomId>, Holding>,
) -> bool {
    let (game, keywords) = (implied.game, implied.keywords);
    let of_players = chosen.iter().enumerate().filter(|(at, _)| Some(*at) != chance);
    let controls: Vec<AtomId> = of_players.map(|(_, of)| of.control).collect();
    let has_others = chosen.iter().any(|of| !of.others.is_empty());
    let holding = match controls.len() {
        1 => Holding::AtMostOne,
        // Others are tried where no longer proof is needed.
        _ if !are_of_one_function(implied, &controls) => return false,
        _ if known.len() == MAX_PROOFS && !known.contains_key(&controls) => return false,
        _ => *known.entry(controls.clone()).or_insert_with(|| holding(game, keywords, &controls)),
    };
    if holding == Holding::Unknown || has_others && holding != Holding::ExactlyOne {
        return false;
    }
    let mut pairs = Vec::new();
    for (at, of) in chosen.iter().enumerate() {
        if Some(at) == chance {
            // Chance goes first, so all its moves have to name its fluent.
            if !of.others.is_empty() {
                return false;
            }
            continue;
        }
        for (other_at, other) in chosen.iter().enumerate().filter(|(other, _)| *other != at) {
            let needing = of.needing.iter().filter(|_| Some(other_at) == chance);
            pairs.extend(needing.chain(&of.others).map(|&legal| (legal, other.control)));
        }
    }
    exclude_pairs(game, keywords, &controls, &pairs)
}

/// Returns true if fluents have one function, and one of them holds at first.
fn are_of_one_function(implied: &Implied<'_>, fluents: &[AtomId]) -> bool {
    let (game, keywords) = (implied.game, implied.keywords);
    let first = fluents.first().map(|&of| function(game, of));
    let initial = fluents.iter().filter(|&&of| is_initial(game, keywords, of));
    fluents.iter().all(|&of| Some(function(game, of)) == first) && initial.count() == 1
}

/// The turns of two roles, of which one has its turn while a fluent holds, and the other one otherwise.
fn otherwise(implied: &mut Implied<'_>, roles: &[&RoleMoves]) -> Option<Vec<Turn>> {
    let [_, _] = roles else { return None };
    if roles.iter().any(|of| of.legal.len() > MAX_MOVES) {
        return None;
    }
    let (game, keywords) = (implied.game, implied.keywords);
    for (own, rest) in [(0, 1), (1, 0)] {
        for Candidate { controls, waits } in super::candidates(roles[own], implied) {
            let [control] = controls[..] else { continue };
            let held = GroundLiteral::new(control, true);
            let may_hold = |&at: &usize| {
                let legal = GroundLiteral::new(roles[rest].legal[at], true);
                !contradict_each_other(game, keywords, &[], &[legal, held])
            };
            let possible: Vec<usize> = (0..roles[rest].legal.len()).filter(may_hold).take(2).collect();
            let [other] = possible[..] else { continue };
            let first = Turn { controls: vec![control], waits: Some(waits), chooses: true, yields: false };
            let waits = Some(roles[rest].does[other]);
            let second = Turn { controls: Vec::new(), waits, chooses: true, yields: false };
            return Some(if own == 0 { vec![first, second] } else { vec![second, first] });
        }
    }
    None
}
