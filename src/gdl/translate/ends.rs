//! The end of a game: goals become payoffs.
//!
//! Where the goals of two players are 100 and 0, or 50 and 50, and no rule could give them others, a payoff is a win, a
//! draw or a loss, so that every method applies.
//! In a terminal position a role has exactly one goal. Real sheets are loose there: of several goals the highest counts,
//! and a role without a goal gets 0, by end rules that stand after all others ([`LooseEnds`]). Only if two roles
//! have one sum of goals in all other positions, and are not a win, a draw or a loss, such a position has no result.

use bouton_base::source::Span;
use bouton_rules::builder::{add, at, e, eq, int, truth, val};
use bouton_rules::{EndRule, Expr, ExprKind, OutcomeExpr, PerPlayer, Value, Vars};
use bouton_syntax::diag::{Code, Diagnostic};

use super::{Translator, all_of, any_of, negation, place};
use crate::exclusive::contradict_each_other;
use crate::ground::{AtomId, GroundLiteral};
use crate::names::{GoalName, LooseEnds, Scale};
use crate::sheet::{Clause, Pattern};

/// The values of a role's goal, with the atoms that state them, the highest value first.
type Goals = Vec<(i64, AtomId)>;

/// The maximal number of combinations of goals that become end rules of their own.
const MAX_COMBINATIONS: usize = 64;

impl Translator<'_> {
    /// Makes the end rules.
    pub(super) fn ends(&mut self) -> Result<(), Box<Diagnostic>> {
        let of = &self.sheet.keywords;
        let terminal = match self.game.find(of.terminal, &[]) {
            Some(atom) => match self.game.certain(atom) {
                Some(value) => bouton_rules::builder::truth(value),
                None => {
                    let game = self.game;
                    self.disjunction(game.bodies(atom))?
                }
            },
            None => bouton_rules::builder::truth(false),
        };
        let goals = self.goals()?;
        let span = place(self.sheet, of.terminal);
        let combinations = goals.iter().map(|of_role| of_role.len()).try_fold(1usize, usize::checked_mul);
        if combinations.is_none_or(|count| count > MAX_COMBINATIONS) {
            let each_has_one = goals.iter().map(|of_role| self.has_one(of_role));
            let condition = all_of(std::iter::once(terminal.clone()).chain(each_has_one).collect());
            let outcome = self.highest_goals(&goals);
            self.end(condition, outcome.clone(), span);
            self.begin_loose_ends(&goals);
            self.end(terminal, outcome, at(0));
            return Ok(());
        }
        let combinations = self.combinations(&goals);
        let values: Vec<Vec<i64>> = combinations.iter().map(|(values, _)| values.clone()).collect();
        let meaning = match values.is_empty() {
            // No role ever has its goal together with the others: those that are missing count as 0.
            true => scale(&each_alone(&goals)),
            false => scale(&values),
        };
        self.names.scale = match meaning {
            // A value is rarely that of one result.
            Scale::WinDrawLoss | Scale::WinLoss if self.names.has_mean_values() => Scale::Goals,
            meaning => meaning,
        };
        for (number, (values, parts)) in (0..).zip(&combinations) {
            let conditions = parts.iter().map(|&literal| self.literal(literal));
            let parts = std::iter::once(terminal.clone()).chain(conditions);
            let parts = parts.filter(|part| part.constant() != Some(&Value::Bool(true))).collect();
            let outcome = self.outcome(values);
            // No clause of the sheet states a combination.
            self.end(all_of(parts), outcome, at(number));
        }
        self.begin_loose_ends(&goals);
        let loose_ends = self.loose_ends(&goals, &combinations, meaning);
        for (number, (condition, outcome)) in (combinations.len() as u32..).zip(loose_ends) {
            // Most sheets have no such position: only a rule without a result, which is a fault there, has a place.
            let has_result = !matches!(&outcome, OutcomeExpr::Player(who, _) if who.constant().is_none());
            self.names.loose_ends.have_results &= has_result;
            let span = if has_result { at(number) } else { span };
            self.end(all_of(vec![terminal.clone(), condition]), outcome, span);
        }
        Ok(())
    }

    /// Keeps the index of the first end rule for positions without exactly one goal for each role, and the goals.
    fn begin_loose_ends(&mut self, goals: &[Goals]) {
        let named = |(role, of_role): (u32, &Goals)| -> Vec<GoalName> {
            let name = |&(value, atom): &(i64, AtomId)| {
                let condition = self.literal(GroundLiteral::new(atom, true));
                GoalName { role, value, condition }
            };
            of_role.iter().map(name).collect()
        };
        let goals = (0..).zip(goals).flat_map(named).collect();
        let of = &self.sheet.keywords;
        let spans = Some((place(self.sheet, of.goal), place(self.sheet, of.terminal)));
        self.names.loose_ends =
            LooseEnds { first: self.builder.rules.ends.len(), have_results: true, goals, spans };
    }

    /// The end rules of positions without exactly one goal for each role: conditions beside the end, with results. The
    /// first that holds decides. `meaning` is what the combinations mean.
    fn loose_ends(
        &self,
        goals: &[Goals],
        combinations: &[(Vec<i64>, Vec<GroundLiteral>)],
        meaning: Scale,
    ) -> Vec<(Expr, OutcomeExpr)> {
        let holds = |&(_, atom): &(i64, AtomId)| self.literal(GroundLiteral::new(atom, true));
        let sum = |values: &[i64]| values.iter().sum::<i64>();
        match (meaning, goals) {
            // Where values are means, goals are told as numbers, and have to be those of the sheet.
            (Scale::WinDrawLoss, [one, other]) if !self.names.has_mean_values() => {
                // Goals that are equal, or missing for both, are a draw.
                let higher = |one: &Goals, other: &Goals| {
                    let beats = |goal: &(i64, AtomId)| {
                        let as_high = other.iter().filter(|of| of.0 >= goal.0).map(holds).collect();
                        all_of(vec![holds(goal), negation(any_of(as_high))])
                    };
                    any_of(one.iter().filter(|goal| goal.0 > 0).map(beats).collect())
                };
                vec![
                    (higher(one, other), self.outcome(&[100, 0])),
                    (higher(other, one), self.outcome(&[0, 100])),
                    (truth(true), self.outcome(&[50, 50])),
                ]
            }
            (_, [goals]) => {
                let of_goal = |goal: &(i64, AtomId)| (holds(goal), self.outcome(&[goal.0]));
                goals.iter().map(of_goal).chain([(truth(true), self.outcome(&[0]))]).collect()
            }
            _ => {
                let first = combinations.first().map(|(values, _)| sum(values));
                let is_constant = combinations.iter().all(|(values, _)| Some(sum(values)) == first);
                let is_opposed = is_constant && goals.len() == 2 && first.is_some();
                let outcome = match is_opposed && meaning != Scale::WinDrawLoss {
                    // Another sum would make opposed interests different ones: such a position has no result.
                    true => OutcomeExpr::Player(e(ExprKind::Undefined), true),
                    false => self.highest_goals(goals),
                };
                vec![(truth(true), outcome)]
            }
        }
    }

    fn end(&mut self, condition: Expr, outcome: OutcomeExpr, span: Span) {
        self.builder.rules.ends.push(EndRule { vars: Vars::new(), binder: None, condition, outcome, span });
    }

    /// The possible goals of each role.
    fn goals(&self) -> Result<Vec<Goals>, Box<Diagnostic>> {
        let of = &self.sheet.keywords;
        // Chance has no goals.
        let players = self.builder.rules.players().len();
        let mut goals: Vec<Goals> = vec![Goals::new(); players];
        for atom in self.game.possible(of.goal) {
            let args = self.game.facts.args(atom);
            let role = self.roles[..players].iter().position(|&role| role == args[0]);
            let Some(role) = role else { continue };
            let written = self.render(args[1]);
            let Ok(value) = written.parse::<i64>() else {
                let title = format!("the goal `{written}` is not a number");
                let value = Pattern::Const(self.game.terms.get(args[1]).name);
                let states = |clause: &&Clause| {
                    clause.head.relation == of.goal && clause.head.args.get(1) == Some(&value)
                };
                let rule = self.sheet.clauses.iter().find(states);
                let span = rule.map_or_else(|| place(self.sheet, of.goal), |rule| rule.head.span);
                return Err(Box::new(
                    Diagnostic::new(Code::E0702, title, span, "")
                        .help("a goal is a whole number, usually from 0 to 100"),
                ));
            };
            goals[role].push((value, atom));
        }
        for of_role in &mut goals {
            // A goal of positions that are no end says nothing about the results.
            of_role.retain(|&(_, atom)| self.may_end_with(&[GroundLiteral::new(atom, true)]));
            of_role.sort_unstable_by_key(|&(value, atom)| (std::cmp::Reverse(value), atom));
        }
        Ok(goals)
    }

    /// The combinations of goals, each with the conditions that every role has its goal and no other; without those
    /// that contradict themselves.
    fn combinations(&self, goals: &[Goals]) -> Vec<(Vec<i64>, Vec<GroundLiteral>)> {
        let mut found: Vec<(Vec<i64>, Vec<GroundLiteral>)> = Vec::new();
        let mut chosen = vec![0; goals.len()];
        if goals.iter().any(Vec::is_empty) {
            return found;
        }
        loop {
            let literals = goals.iter().zip(&chosen).flat_map(|(of_role, &chosen)| {
                of_role.iter().enumerate().map(move |(at, &(_, atom))| GroundLiteral::new(atom, at == chosen))
            });
            if let Some(parts) = self.consistent(literals).filter(|parts| self.may_end_with(parts)) {
                let values = goals.iter().zip(&chosen).map(|(of_role, &at)| of_role[at].0).collect();
                found.push((values, parts));
            }
            let Some(next) = (0..chosen.len()).rev().find(|&role| chosen[role] + 1 < goals[role].len())
            else {
                return found;
            };
            chosen[next] += 1;
            chosen[next + 1..].fill(0);
        }
    }

    /// Returns false if a proof shows that these conditions never hold where the game is over.
    fn may_end_with(&self, conditions: &[GroundLiteral]) -> bool {
        let of = &self.sheet.keywords;
        let Some(end) = self.game.find(of.terminal, &[]) else { return true };
        // The fluents of turns are known to exclude each other, but where chance moves before players.
        let controls = if self.has_yielding_turns() { Vec::new() } else { self.controls() };
        let alone: Vec<AtomId> = controls.into_iter().map(|(atom, _)| atom).collect();
        let all: Vec<GroundLiteral> =
            conditions.iter().copied().chain([GroundLiteral::new(end, true)]).collect();
        !contradict_each_other(self.game, of, &alone, &all)
    }

    /// The conditions that are not certain; `None` if they contradict each other, as far as the conditions show that
    /// they follow from.
    fn consistent(&self, literals: impl Iterator<Item = GroundLiteral>) -> Option<Vec<GroundLiteral>> {
        let mut open: Vec<GroundLiteral> = Vec::new();
        for literal in literals {
            match self.game.certain(literal.atom()) {
                Some(value) if value != literal.holds() => return None,
                Some(_) => {}
                None => open.push(literal),
            }
        }
        let mut implied = open.clone();
        let mut next = 0;
        while let Some(&literal) = implied.get(next) {
            next += 1;
            // A sentence with one rule is the conjunction of its conditions.
            if let [body] = self.game.bodies(literal.atom()) {
                let more = match (literal.holds(), &body[..]) {
                    (true, body) => body.to_vec(),
                    (false, [only]) => vec![GroundLiteral::new(only.atom(), !only.holds())],
                    (false, _) => Vec::new(),
                };
                implied.extend(
                    more.into_iter().filter(|literal| !implied.contains(literal)).collect::<Vec<_>>(),
                );
            }
        }
        let opposite = |literal: &GroundLiteral| GroundLiteral::new(literal.atom(), !literal.holds());
        let contradicts = implied.iter().any(|literal| implied.contains(&opposite(literal)));
        // Of the fluents of turns never two hold, and one always does if that is proved.
        let controls = self.controls();
        let count = |holds: bool| {
            controls.iter().filter(|&&(atom, _)| implied.contains(&GroundLiteral::new(atom, holds))).count()
        };
        let yields = self.has_yielding_turns();
        let nobodys_turn = self.one_always_chooses && count(false) == controls.len();
        (!contradicts && (yields || count(true) < 2) && !nobodys_turn).then_some(open)
    }

    /// The outcome with these goals.
    fn outcome(&self, goals: &[i64]) -> OutcomeExpr {
        match (self.names.scale, goals) {
            (Scale::WinLoss, [goal]) => OutcomeExpr::SinglePlayer(*goal == 100),
            (Scale::WinDrawLoss, [50, 50]) => OutcomeExpr::Draw,
            (Scale::WinDrawLoss, [100, 0]) => OutcomeExpr::Player(val(self.builder.rules.player(0)), true),
            (Scale::WinDrawLoss, [0, 100]) => OutcomeExpr::Player(val(self.builder.rules.player(1)), true),
            (scale, _) => {
                debug_assert_eq!(scale, Scale::Goals);
                let values = goals.iter().map(|&goal| int(goal)).collect();
                OutcomeExpr::Payoff(PerPlayer { values, vars: Vars::new() })
            }
        }
    }

    /// Returns true if exactly one of a role's goals holds, as a condition.
    fn has_one(&self, goals: &Goals) -> Expr {
        let holds = |&(_, atom): &(i64, AtomId)| self.literal(GroundLiteral::new(atom, true));
        if let [only] = &goals[..] {
            return holds(only);
        }
        let count = |goal| e(ExprKind::If(holds(goal), int(1), int(0)));
        let count = goals.iter().map(count).reduce(add).unwrap_or_else(|| int(0));
        eq(count, int(1))
    }

    /// The payoffs by the highest goal of each role; 0 for a role without a goal.
    fn highest_goals(&self, goals: &[Goals]) -> OutcomeExpr {
        let highest = |of_role: &Goals| {
            of_role.iter().rev().fold(int(0), |rest, &(value, atom)| {
                let holds = self.literal(GroundLiteral::new(atom, true));
                match holds.constant() {
                    Some(Value::Bool(true)) => int(value),
                    Some(_) => rest,
                    None => e(ExprKind::If(holds, int(value), rest)),
                }
            })
        };
        let values = goals.iter().map(highest).collect();
        OutcomeExpr::Payoff(PerPlayer { values, vars: Vars::new() })
    }
}

/// The combinations in which one role has one of its goals, and all others have 0.
fn each_alone(goals: &[Goals]) -> Vec<Vec<i64>> {
    let alone = |(role, goal): (usize, i64)| {
        (0..goals.len()).map(|other| if other == role { goal } else { 0 }).collect()
    };
    let all = goals.iter().enumerate().flat_map(|(role, of)| of.iter().map(move |goal| (role, goal.0)));
    all.map(alone).collect()
}

/// The meaning of payoffs, by the combinations of goals that can occur.
fn scale(combinations: &[Vec<i64>]) -> Scale {
    let all = |allowed: &[&[i64]]| combinations.iter().all(|goals| allowed.contains(&goals.as_slice()));
    match () {
        () if combinations.is_empty() => Scale::Goals,
        () if all(&[&[100], &[0]]) => Scale::WinLoss,
        () if all(&[&[100, 0], &[50, 50], &[0, 100]]) => Scale::WinDrawLoss,
        () => Scale::Goals,
    }
}
