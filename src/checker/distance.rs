//! The check of DISTANCE: the numbers of each pattern on the grounded rules, one combination of classes at a time; then
//! the positions whose number does not exclude a shorter win, by the definition.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grounded::FAULT_NOT_EXCLUDED;
use super::{CheckError, Checked, Checker, Fact, reject, reject_if};
use bouton_base::id::Id;
use bouton_base::rational::Rational;
use bouton_certificates::DistanceLemma;
use bouton_certificates::distance::{PatternCost, PatternDistance};
use bouton_grounding::{FluentId, Formula, Ground, ThreeValued, ThreeValuedEvaluator, Values};
use bouton_reference::State;
use bouton_rules::ToMove;

/// The maximal number of combinations of classes after a move.
const MAX_COMBINATIONS: usize = 64;
/// The approximate memory in bytes of a visited position besides its words.
const VISIT_BYTES: u64 = 64;

/// A pattern.
#[derive(Default)]
struct Pattern<'c> {
    /// The fluents that it divides, each with the values of each class.
    fluents: Vec<(FluentId, Vec<Values>)>,
    /// By move: the positions in which it costs one.
    costs: FxHashMap<usize, (FluentId, Values)>,
    distances: FxHashMap<&'c [u8], u64>,
}

impl Checker<'_> {
    /// Proves that no play from the position wins in fewer moves.
    pub(super) fn distance(&mut self, start: &State, lemma: &DistanceLemma) -> Checked<Fact> {
        reject_if(self.rules.players().len() != 1, "a number of moves is for one player only")?;
        let patterns = match lemma.classes.is_empty() && lemma.costs.is_empty() && lemma.distances.is_empty()
        {
            true => None,
            false => Some(self.patterns(lemma)?),
        };
        if let Some((ground, patterns)) = &patterns {
            let mut ground = ground.clone();
            let one = Rational::from_integer(1);
            let wins =
                ground.ends.iter().filter(|end| end.payoffs.first().is_none_or(|payoff| *payoff >= one));
            let wins: Vec<Formula> = wins.map(|end| end.when).collect();
            let win = ground.formulas.or(wins);
            for pattern in patterns {
                self.check_pattern(&ground, pattern, win)?;
            }
        }
        self.no_win_before(start, lemma.least, patterns.as_ref())?;
        Ok(Fact::Distance(lemma.least))
    }

    /// Reads the patterns, with the grounded rules; a move costs one in one of them at most.
    fn patterns<'c>(&self, lemma: &'c DistanceLemma) -> Checked<(Ground, Vec<Pattern<'c>>)> {
        let ground = self.grounded()?;
        let mut patterns: Vec<Pattern<'c>> = Vec::new();
        for of in &lemma.classes {
            let fluent = FluentId(of.fluent);
            reject_if(fluent.index() >= ground.fluents.len(), "a class is of a fluent that does not exist")?;
            let size = ground.fluents.get(fluent).values.len();
            reject_if(of.classes.len() != size, "a fluent has another number of values")?;
            let mut sets = vec![0; usize::from(of.classes.iter().copied().max().unwrap_or(0)) + 1];
            of.classes.iter().enumerate().for_each(|(value, class)| sets[usize::from(*class)] |= 1 << value);
            let number = of.pattern as usize;
            if number == patterns.len() {
                patterns.push(Pattern::default());
            }
            reject_if(number + 1 != patterns.len(), "the patterns are not numbered in order")?;
            // A move changes the class of a fluent in one place alone.
            let twice = patterns[number].fluents.iter().any(|(other, _)| *other == fluent);
            reject_if(twice, "a pattern divides a fluent twice")?;
            patterns[number].fluents.push((fluent, sets));
        }
        // By move: the fluent whose value decides in which pattern it costs one, and the values so far.
        let mut charged: FxHashMap<u32, (u32, Values)> = FxHashMap::default();
        for PatternCost { pattern, action, fluent, values } in &lemma.costs {
            let of =
                patterns.get_mut(*pattern as usize).ok_or("a cost is of a pattern that does not exist")?;
            reject_if(*action as usize >= ground.actions.len(), "a cost is of a move that does not exist")?;
            reject_if(
                *fluent as usize >= ground.fluents.len(),
                "a cost depends on a fluent that does not exist",
            )?;
            reject_if(
                values.iter().any(|value| u32::from(*value) >= Values::BITS),
                "a cost depends on a value that does not exist",
            )?;
            let values = values.iter().fold(0, |all, value| all | 1 << value);
            let so_far = charged.entry(*action).or_insert((*fluent, 0));
            reject_if(so_far.0 != *fluent || so_far.1 & values != 0, "a move costs one in two patterns")?;
            so_far.1 |= values;
            of.costs.insert(*action as usize, (FluentId(*fluent), values));
        }
        for PatternDistance { pattern, classes, least } in &lemma.distances {
            let of = patterns
                .get_mut(*pattern as usize)
                .ok_or("a distance is of a pattern that does not exist")?;
            let fits = classes.len() == of.fluents.len()
                && classes.iter().zip(&of.fluents).all(|(class, (_, sets))| usize::from(*class) < sets.len());
            reject_if(!fits, "a distance is of classes that do not exist")?;
            of.distances.insert(classes, *least);
        }
        Ok((ground, patterns))
    }

    /// Checks that no move lowers the distance of a listed combination by more than its cost, and that it is 0 where the
    /// game may be won.
    fn check_pattern(&mut self, ground: &Ground, pattern: &Pattern<'_>, win: Formula) -> Checked<()> {
        let all = ground.fluents.iter().map(|(_, fluent)| low_bits(fluent.values.len()));
        let mut reading = ThreeValuedEvaluator::new(&ground.formulas, all.collect());
        let mut after = Vec::new();
        for (&classes, &distance) in &pattern.distances {
            self.step_done()?;
            for (class, (fluent, sets)) in classes.iter().zip(&pattern.fluents) {
                reading.set_values(*fluent, sets[usize::from(*class)]);
            }
            reject_if(reading.may_hold(ground.fault), FAULT_NOT_EXCLUDED)?;
            if reading.may_hold(win) && distance > 0 {
                return reject("the game may be won where a pattern has a distance");
            }
            if reading.evaluate(ground.over) == ThreeValued::Always {
                continue;
            }
            for (number, action) in ground.actions.iter().enumerate() {
                if !reading.may_hold(action.legal) {
                    continue;
                }
                let costs = pattern.costs.get(&number);
                let cost = costs.is_some_and(|(fluent, values)| reading.possible(*fluent) & !values == 0);
                after.clear();
                after.push(classes.to_vec());
                for update in &action.updates {
                    let Some(place) = pattern.fluents.iter().position(|(of, _)| *of == update.fluent) else {
                        continue;
                    };
                    let values = update.values.iter().filter(|(_, when)| reading.may_hold(*when));
                    let values = values.fold(0, |all: Values, (value, _)| all | 1 << value);
                    let sets = pattern.fluents[place].1.iter().enumerate();
                    let next: Vec<u8> =
                        sets.filter(|(_, set)| *set & values != 0).map(|(class, _)| class as u8).collect();
                    let with = |before: &Vec<u8>, class: &u8| {
                        let mut changed = before.clone();
                        changed[place] = *class;
                        changed
                    };
                    after = after
                        .iter()
                        .flat_map(|before| next.iter().map(move |class| with(before, class)))
                        .collect();
                    reject_if(after.len() > MAX_COMBINATIONS, "a move has too many results in a pattern")?;
                }
                for classes in &after {
                    let Some(next) = pattern.distances.get(&classes[..]) else {
                        return reject("a pattern does not list where a move leads");
                    };
                    if distance > next.saturating_add(u64::from(cost)) {
                        return reject("a move lowers a distance by more than it costs");
                    }
                }
            }
        }
        Ok(())
    }

    /// Visits the positions in which a win in fewer moves is not excluded; rejects such a win.
    fn no_win_before(
        &mut self,
        start: &State,
        least: u64,
        patterns: Option<&(Ground, Vec<Pattern<'_>>)>,
    ) -> Checked<()> {
        let one = Rational::from_integer(1);
        let mut seen: FxHashSet<Box<[u64]>> = FxHashSet::default();
        let mut layer = vec![start.clone()];
        seen.insert(self.interpreter.key(start).into());
        for moves in 0..least {
            if layer.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for state in std::mem::take(&mut layer) {
                if let Some((ground, patterns)) = patterns {
                    let position = self.fluent_position(ground, &state)?;
                    let mut sum = moves;
                    for pattern in patterns {
                        let distance =
                            pattern.distance(&position).ok_or("a pattern does not list a position")?;
                        sum = sum.saturating_add(distance);
                    }
                    if sum >= least {
                        continue;
                    }
                }
                let (turn, successors) = self.expand(&state)?;
                if let ToMove::Terminal(outcome) = &turn
                    && outcome.payoffs.first().is_none_or(|payoff| *payoff >= one)
                {
                    return self.reject_at(&state, format!("the game is won after {moves} moves"));
                }
                let held = seen.len() as u64 * (VISIT_BYTES + 8 * self.interpreter.key(&state).len() as u64);
                if let Some(hit) = self.limits.check_held(held) {
                    return Err(CheckError::Limit(hit));
                }
                for (_, after, _) in successors {
                    if seen.insert(self.interpreter.key(&after).into()) {
                        next.push(after);
                    }
                }
            }
            layer = next;
        }
        Ok(())
    }
}

impl Pattern<'_> {
    /// Returns the distance of a position, if it is listed.
    fn distance(&self, position: &[u8]) -> Option<u64> {
        let class = |(fluent, sets): &(FluentId, Vec<Values>)| {
            let value = position[fluent.index()];
            sets.iter().position(|set| set >> value & 1 == 1).map(|class| class as u8)
        };
        let classes: Option<Vec<u8>> = self.fluents.iter().map(class).collect();
        self.distances.get(&classes?[..]).copied()
    }
}

fn low_bits(count: usize) -> Values {
    if count >= Values::BITS as usize { Values::MAX } else { (1 << count) - 1 }
}
