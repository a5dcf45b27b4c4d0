//! The ends of the text, with their results.

use std::collections::BTreeSet;

use super::formulas::{Context, Scope, any_of};
use super::items::lines;
use super::loose_goals::LooseGoals;
use super::types::Place;
use super::{ImportError, Importer, literals};
use crate::exclusive::contradict_each_other;
use crate::ground::{AtomId, GroundLiteral};
use crate::names::Scale;
use crate::sheet::Pattern;
use crate::turns::one_always_holds;

/// The reason for a goal whose value has no form.
const NO_VALUE: &str = "the value of this goal is no term";

impl Importer<'_> {
    /// Writes the ends with their results.
    pub(super) fn ends(&mut self) -> Result<(), ImportError> {
        let of = self.sheet.keywords;
        let mut over = Vec::new();
        for (number, clause) in self.clauses_of(of.terminal) {
            let mut scope = Scope::new(number, clause, Context::Position);
            let formula = self.formula(&literals(clause), &mut scope, &BTreeSet::new());
            over.push(formula.map_err(|why| why.at(clause.span))?.written());
        }
        let over = any_of(&over);
        let name = self.types.fresh("ended");
        // The rules for goals: the value, the role if it is one, the condition.
        let mut rules: Vec<GoalRule> = Vec::new();
        for (number, clause) in self.clauses_of(of.goal) {
            let mut scope = Scope::new(number, clause, Context::Position);
            let role = match &clause.head.args[0] {
                Pattern::Var(var) if self.names.roles.len() == 1 => {
                    let only = self.player(&self.names.roles[0]);
                    scope.terms.insert(*var, only);
                    None
                }
                Pattern::Var(var) => {
                    scope.terms.insert(*var, "p".to_owned());
                    scope.names.insert("p".to_owned());
                    None
                }
                Pattern::Const(role) => {
                    Some(self.types.value(Place::Role, *role).unwrap_or_default().to_owned())
                }
                Pattern::Compound(..) => None,
            };
            let computed: BTreeSet<u32> = match &clause.head.args[1] {
                Pattern::Var(var) => BTreeSet::from([*var]),
                _ => BTreeSet::new(),
            };
            let formula = self.formula(&literals(clause), &mut scope, &computed);
            let formula = formula.map_err(|why| why.at(clause.span))?;
            // A goal that conditions determine is a term; of others, the highest counts.
            let value = self.term(&scope, Place::Goal, &clause.head.args[1]);
            let value = value.ok_or_else(|| ImportError::new(NO_VALUE, Some(clause.span)))?;
            let condition = formula.written();
            let binders = formula.binders.join(", ");
            let (value, condition) = match binders.is_empty() {
                true => (value, condition),
                false => (
                    format!("(max {binders} where {condition}: {value})"),
                    format!("(some {binders}: {condition})"),
                ),
            };
            rules.push((value, role, condition));
        }
        let loose = self.loose_goals();
        let is_loose = loose != LooseGoals::default();
        if is_loose {
            // The highest goal counts, and none is 0.
            let number = |rule: &GoalRule| rule.0.parse::<i64>().ok();
            if rules.iter().all(|rule| number(rule).is_some()) {
                rules.sort_by_key(|rule| std::cmp::Reverse(number(rule)));
            } else if loose.several && rules.len() > 1 {
                rules = vec![(self.highest(&rules), None, "true".to_owned())];
            }
            rules.push(("0".to_owned(), None, "true".to_owned()));
        }
        self.line("");
        self.comments("", |clause| clause.head.relation == of.terminal);
        self.line(&format!("def {name} = {};", lines(&over, "  ")));
        self.comments("", |clause| clause.head.relation == of.goal);
        self.line("end {");
        let parenthesised = |condition: &str| {
            if condition.contains(" or ") { format!("({condition})") } else { condition.to_owned() }
        };
        match self.names.scale {
            Scale::WinDrawLoss if !self.wins_are_plain(loose) => {
                let points = self.types.fresh("points");
                self.line(&format!(
                    "  for p in Player when {name} and (no q in Player: q != p and {points}(q) >= {points}(p)) \
                     => p wins;"
                ));
                self.line(&format!("  when {name} => draw;"));
                self.line("}");
                let goal = self.goal_of_player(&mut rules);
                self.line("");
                self.line(&format!("def {points}(p: Player) = {goal};"));
                return Ok(());
            }
            Scale::WinDrawLoss | Scale::WinLoss => {
                let alone = self.names.roles.len() == 1;
                for (_, role, condition) in rules.iter().filter(|(value, ..)| value == "100") {
                    let condition = match condition.as_str() {
                        "true" => name.clone(),
                        condition if condition == over => name.clone(),
                        condition => format!("{name} and {}", parenthesised(condition)),
                    };
                    match role {
                        _ if alone => self.line(&format!("  when {condition} => win;")),
                        Some(role) => self.line(&format!("  when {condition} => {role} wins;")),
                        None => self.line(&format!("  for p in Player when {condition} => p wins;")),
                    }
                }
                // An end on the condition of the goal is a win.
                let always_wins = rules.iter().any(|(value, _, condition)| {
                    value == "100" && (condition == "true" || *condition == over)
                });
                if alone && !always_wins {
                    self.line(&format!("  when {name} => lose;"));
                } else if !alone
                    && (is_loose || rules.iter().any(|(value, ..)| value == "50"))
                    && self.may_be_drawn()
                {
                    self.line(&format!("  when {name} => draw;"));
                }
            }
            Scale::Goals
                if !is_loose
                    && self.has_turns()
                    && by_condition(&rules, self.names.roles.len()).is_some() =>
            {
                for (condition, values) in by_condition(&rules, self.names.roles.len()).into_iter().flatten()
                {
                    let condition = match condition.as_str() {
                        "true" => name.clone(),
                        condition => format!("{name} and {}", parenthesised(condition)),
                    };
                    self.line(&format!("  when {condition} => payoff p: {};", value_of_player(&values)));
                }
            }
            Scale::Goals => {
                let written = self.goal_of_player(&mut rules);
                self.line(&format!("  when {name} => payoff p: {written};"));
            }
        }
        self.line("}");
        Ok(())
    }

    /// Returns false if a proof shows that a role has the goal 100 at each end.
    fn may_be_drawn(&self) -> bool {
        let (game, of) = (self.game, &self.sheet.keywords);
        let is_won =
            |&atom: &AtomId| game.terms.render(&self.sheet.symbols, game.facts.args(atom)[1]) == "100";
        let ends = game.find(of.terminal, &[]).into_iter().map(|end| GroundLiteral::new(end, true));
        let wins = game.possible(of.goal).into_iter().filter(is_won);
        let drawn: Vec<GroundLiteral> = ends.chain(wins.map(|win| GroundLiteral::new(win, false))).collect();
        if drawn.iter().any(|literal| game.certain(literal.atom()).is_some()) {
            return true;
        }
        let own = self.names.controls.iter().chain(&self.names.chooses);
        let own: BTreeSet<&str> = own.map(|(term, _)| term.as_str()).collect();
        let is_control = |&atom: &AtomId| {
            own.contains(game.terms.render(&self.sheet.symbols, game.facts.args(atom)[0]).as_str())
        };
        let controls: Vec<AtomId> = game.possible(of.true_).into_iter().filter(is_control).collect();
        // In each position it is the turn of somebody, if a proof shows this.
        if controls.is_empty() || !one_always_holds(game, of, &controls) {
            return !contradict_each_other(game, of, &[], &drawn);
        }
        let is_excluded = |&control: &AtomId| {
            let all: Vec<GroundLiteral> =
                drawn.iter().copied().chain([GroundLiteral::new(control, true)]).collect();
            contradict_each_other(game, of, &controls, &all)
        };
        !controls.iter().all(is_excluded)
    }
}

/// A rule for goals: the value, the role if it is one, and the condition.
pub(super) type GoalRule = (String, Option<String>, String);

/// A condition with the goals of roles on it.
type GoalsByRole = (String, Vec<(String, String)>);

/// The goals of all roles, by the condition; `None` if some condition does not give one goal to each of so many roles.
fn by_condition(rules: &[GoalRule], roles: usize) -> Option<Vec<GoalsByRole>> {
    let mut found: Vec<GoalsByRole> = Vec::new();
    for (value, role, condition) in rules {
        let goal = (role.clone()?, value.clone());
        match found.iter_mut().find(|(of, _)| of == condition) {
            Some((_, goals)) => goals.push(goal),
            None => found.push((condition.clone(), vec![goal])),
        }
    }
    let is_whole = |goals: &[(String, String)]| {
        goals.len() == roles && goals.iter().map(|(role, _)| role).collect::<BTreeSet<_>>().len() == roles
    };
    found.iter().all(|(_, goals)| is_whole(goals)).then_some(found)
}

/// The goal of the player `p` as a term.
fn value_of_player(goals: &[(String, String)]) -> String {
    let count = |value: &String| goals.iter().filter(|(_, other)| other == value).count();
    // Who loses stands last.
    let last = goals.iter().map(|(_, value)| value).max_by_key(|value| (count(value), *value == "0"));
    let rest = last.cloned().unwrap_or_default();
    let others = goals.iter().filter(|(_, value)| *value != rest);
    let others: String = others.map(|(role, value)| format!("if p = {role} then {value} else ")).collect();
    others + &rest
}
