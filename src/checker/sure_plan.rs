//! The check of SURE-PLAN: a plan by which its player gets a payoff in every play, followed by what he knows.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::behaviour::{SeenPart, choices_of, own_part};
use super::visit::PositionVisit;
use super::{CheckError, Checked, Checker, Fact, PayoffSum, reject, reject_if};
use bouton_base::rational::Rational;
use bouton_certificates::{PayoffBound, SurePlanLemma};
use bouton_reference::{LegalSuccessor, State};
use bouton_rules::{MoveInstance, ToMove, Value};

/// The positions that the player holds possible, in the order of their discovery.
type Possible = IndexMap<Box<[u64]>, State, FxBuildHasher>;

/// The sets of possible positions of a ply by their positions.
type Ply = IndexMap<Vec<Box<[u64]>>, Possible, FxBuildHasher>;

/// The player of a plan, and the payoff that he must get.
struct Holder<'l> {
    player: usize,
    payoff: &'l Rational,
    /// The numbers of his choices that are still to be read.
    choices: std::slice::Iter<'l, u32>,
    /// The sum of payoffs over the visited ends.
    sum: PayoffSum,
}

/// The approximate memory in bytes of a possible position.
const POSITION_BYTES: u64 = 200;

impl Checker<'_> {
    /// Proves the bound of a plan that is followed by what its player knows.
    pub(super) fn sure_plan(&mut self, start: &State, lemma: &SurePlanLemma) -> Checked<Fact> {
        let PayoffBound { holder: Some(player), payoff } = &lemma.bound else {
            return reject("a sure plan is one of a player");
        };
        let player = *player as usize;
        reject_if(player >= self.rules.players().len(), "there is no such player")?;
        let mut holder = Holder { player, payoff, choices: lemma.choices.iter(), sum: PayoffSum::default() };
        let mut first = Possible::default();
        first.insert(self.interpreter.key(start).into(), start.clone());
        let mut ply = vec![first];
        while !ply.is_empty() {
            let mut next = Ply::default();
            let mut count = 0;
            for possible in ply {
                for after in self.possible_after(&possible, &mut holder)? {
                    count += after.len() as u64;
                    if let Some(hit) = self.limits.check_held(POSITION_BYTES * count) {
                        return Err(CheckError::Limit(hit));
                    }
                    let mut keys: Vec<Box<[u64]>> = after.keys().cloned().collect();
                    keys.sort_unstable();
                    next.entry(keys).or_insert(after);
                }
            }
            ply = next.into_values().collect();
        }
        reject_if(holder.choices.next().is_some(), "it lists more choices than its player has")?;
        Ok(Fact::Bound { bound: lemma.bound.clone(), plies: None, sum: holder.sum })
    }

    /// Returns what the holder holds possible after his next choice, for each way in which he sees the game go on.
    /// Rejects an end that gives him less.
    fn possible_after(&mut self, possible: &Possible, holder: &mut Holder<'_>) -> Checked<Vec<Possible>> {
        let mut expanded: Vec<(ToMove, Vec<LegalSuccessor>)> = Vec::with_capacity(possible.len());
        let mut own: Vec<MoveInstance> = Vec::new();
        for state in possible.values() {
            let (turn, moves) = self.expand(state)?;
            if let ToMove::Terminal(outcome) = &turn {
                holder.sum.record(&outcome.payoffs);
                if outcome.payoffs.get(holder.player).is_none_or(|payoff| payoff < holder.payoff) {
                    return self.reject_at(state, "the game ends here, and its player gets less");
                }
                continue;
            }
            let choices =
                choices_of(&PositionVisit { state, key: &[], turn: &turn, moves: &moves }, holder.player);
            if !choices.is_empty() && !own.is_empty() && choices != own {
                return self.reject_at(state, "its player has other moves here than where he sees the same");
            }
            if !choices.is_empty() {
                own = choices;
            }
            expanded.push((turn, moves));
        }
        let mut choice = None;
        if !own.is_empty() {
            let Some(&number) = holder.choices.next() else { return reject("it lists too few choices") };
            choice = own.get(number as usize);
            reject_if(choice.is_none(), format!("its player has no move with number {number} there"))?;
        }
        let mut views: IndexMap<(Vec<SeenPart>, Value), Possible, FxBuildHasher> = IndexMap::default();
        for (turn, moves) in &expanded {
            for (play, to, _) in moves {
                if own_part(turn, play, holder.player).is_some_and(|part| choice != Some(part)) {
                    continue;
                }
                let seen = self.seen_parts(turn, play, holder.player);
                let view = (seen, self.interpreter.observation(to, holder.player as u32));
                self.interpreter.unless_limited(()).map_err(CheckError::Limit)?;
                views.entry(view).or_default().insert(self.interpreter.key(to).into(), to.clone());
            }
        }
        Ok(views.into_values().collect())
    }
}
