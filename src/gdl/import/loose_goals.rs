//! Goals that are not exactly one for each role at each end: where no proof shows that they are, the text
//! says that the highest goal counts, and that none is 0.

use std::collections::BTreeMap;

use super::Importer;
use super::ends::GoalRule;
use crate::exclusive::Reached;
use crate::ground::{AtomId, GroundLiteral};

/// The goals that a role may have at an end, as far as no proof shows that it has exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct LooseGoals {
    /// True if a role may have none.
    missing: bool,
    /// True if a role may have several.
    pub several: bool,
}

impl Importer<'_> {
    /// The goals of each role, by the role as it is written.
    fn goals_by_role(&self) -> BTreeMap<String, Vec<(i64, AtomId)>> {
        let mut found: BTreeMap<String, Vec<(i64, AtomId)>> = BTreeMap::new();
        let written = |term| self.game.terms.render(&self.sheet.symbols, term);
        self.names.roles.iter().for_each(|role| {
            found.insert(role.clone(), Vec::new());
        });
        for atom in self.game.possible(self.sheet.keywords.goal) {
            let args = self.game.facts.args(atom);
            if let (Some(of_role), Ok(value)) = (found.get_mut(&written(args[0])), written(args[1]).parse()) {
                of_role.push((value, atom));
            }
        }
        found
    }

    /// The condition that the game is over, unless it certainly is.
    fn end(&self) -> Vec<GroundLiteral> {
        let end = self.game.find(self.sheet.keywords.terminal, &[]);
        end.into_iter().map(|end| GroundLiteral::new(end, true)).collect()
    }

    /// Finds whether roles may have no goal or several at an end, of those ends that have a result in the
    /// sheet.
    pub(super) fn loose_goals(&self) -> LooseGoals {
        if !self.names.loose_ends.have_results {
            return LooseGoals { missing: self.has_loose_ends, several: self.has_loose_ends };
        }
        let mut reached = Reached::new(self.game, &self.sheet.keywords, self.proved());
        let end = self.end();
        let mut excludes = |goals: &[(AtomId, bool)]| {
            let goals = goals.iter().map(|&(atom, holds)| GroundLiteral::new(atom, holds));
            reached.excludes(&end.iter().copied().chain(goals).collect::<Vec<_>>())
        };
        let mut found = LooseGoals::default();
        for goals in self.goals_by_role().into_values() {
            let none: Vec<(AtomId, bool)> = goals.iter().map(|&(_, atom)| (atom, false)).collect();
            found.missing |= !found.missing && !excludes(&none);
            for (at, &(value, one)) in goals.iter().enumerate() {
                for &(_, other) in goals[..at].iter().filter(|(other, _)| *other != value) {
                    found.several |= !found.several && !excludes(&[(one, true), (other, true)]);
                }
            }
        }
        found
    }

    /// Returns true if whoever has the goal 100 wins, and all else is a draw: never do both have it, and
    /// nobody who has 50 is above the other one.
    pub(super) fn wins_are_plain(&self, loose: LooseGoals) -> bool {
        let goals: Vec<Vec<(i64, AtomId)>> = self.goals_by_role().into_values().collect();
        let [one, other] = &goals[..] else { return true };
        if loose == LooseGoals::default() {
            return true;
        }
        let mut reached = Reached::new(self.game, &self.sheet.keywords, self.proved());
        let of = |goals: &[(i64, AtomId)], value: i64| -> Vec<AtomId> {
            goals.iter().filter(|goal| goal.0 == value).map(|goal| goal.1).collect()
        };
        let mut excludes = |hold: &[AtomId], fail: &[Vec<AtomId>]| {
            let holds = hold.iter().map(|&atom| GroundLiteral::new(atom, true));
            let fails = fail.iter().flatten().map(|&atom| GroundLiteral::new(atom, false));
            reached.excludes(&self.end().into_iter().chain(holds).chain(fails).collect::<Vec<_>>())
        };
        let wins = [of(one, 100), of(other, 100)];
        let alone = wins[0].iter().all(|&one| wins[1].iter().all(|&other| excludes(&[one, other], &[])));
        alone
            && [(one, other), (other, one)].into_iter().all(|(own, rest)| {
                let above = [of(own, 100), of(rest, 100), of(rest, 50)];
                of(own, 50).iter().all(|&half| excludes(&[half], &above))
            })
    }

    /// The greatest value of these rules whose condition holds for the player `p`, or 0.
    pub(super) fn highest(&self, rules: &[GoalRule]) -> String {
        let value = self.types.unused("goal");
        let part = |(of, role, condition): &GoalRule| {
            let own = role.as_ref().map(|role| format!("p = {role} and ")).unwrap_or_default();
            format!("({own}({condition}) and {value} = {of})")
        };
        let parts: Vec<String> = rules.iter().map(part).collect();
        format!("(max {value} in 0..100 where {value} = 0 or {}: {value})", parts.join(" or "))
    }

    /// The goal of the player `p`: the value of the first rule that holds, the last of which needs no
    /// condition.
    pub(super) fn goal_of_player(&self, rules: &mut Vec<GoalRule>) -> String {
        let parenthesised = |condition: &str| {
            if condition.contains(" or ") { format!("({condition})") } else { condition.to_owned() }
        };
        let mut written = String::new();
        // Rules with the value of the last one, which needs no condition, say nothing.
        while let [.., before, last] = &rules[..]
            && before.0 == last.0
        {
            rules.remove(rules.len() - 2);
        }
        let last = rules.len().saturating_sub(1);
        for (at, (value, role, condition)) in rules.iter().enumerate() {
            let condition = match role {
                Some(role) if self.has_turns() && condition == "true" => format!("p = {role}"),
                Some(role) if self.has_turns() => {
                    format!("p = {role} and {}", parenthesised(condition))
                }
                _ => condition.clone(),
            };
            written += &match at == last {
                true => value.clone(),
                false if condition == "true" => return written + value,
                false => format!("if {condition} then {value} else "),
            };
        }
        written
    }
}
