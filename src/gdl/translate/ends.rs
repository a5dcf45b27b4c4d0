//! The end of a game: goals become payoffs.
//!
//! Where the goals of two players are 0, 50 and 100, a payoff is a win, a draw or a loss, so that every method applies.
//! In a terminal position without exactly one goal for each role, the rules have no result.

use bouton_base::rational::Rational;
use bouton_rules::builder::{e, int, val};
use bouton_rules::{EndRule, Expr, ExprKind, OutcomeExpr, PerPlayer, Value, Vars};
use bouton_syntax::diag::{Code, Diagnostic};

use super::{Translator, all_of, negation, place};
use crate::ground::{AtomId, GroundLiteral};
use crate::names::Scale;

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
        self.names.scale = scale(&goals);
        let combinations = goals.iter().map(|of_role| of_role.len().max(1)).try_fold(1usize, usize::checked_mul);
        if combinations.is_some_and(|count| count <= MAX_COMBINATIONS) {
            self.each_combination(&terminal, &goals);
        } else {
            let values = goals.iter().map(|of_role| self.value(of_role)).collect();
            self.end(terminal.clone(), OutcomeExpr::Payoff(PerPlayer { values, vars: Vars::new() }));
            return Ok(());
        }
        // A terminal position with none of these has no result.
        let nothing = (0..self.roles.len()).map(|_| e(ExprKind::Undefined)).collect();
        self.end(terminal, OutcomeExpr::Payoff(PerPlayer { values: nothing, vars: Vars::new() }));
        Ok(())
    }

    fn end(&mut self, condition: Expr, outcome: OutcomeExpr) {
        if condition.constant() == Some(&Value::Bool(false)) && !self.builder.rules.ends.is_empty() {
            return;
        }
        let span = place(self.sheet, self.sheet.keywords.terminal);
        self.builder.rules.ends.push(EndRule { vars: Vars::new(), binder: None, condition, outcome, span });
    }

    /// The possible goals of each role.
    fn goals(&self) -> Result<Vec<Goals>, Box<Diagnostic>> {
        let of = &self.sheet.keywords;
        let mut goals: Vec<Goals> = self.roles.iter().map(|_| Goals::new()).collect();
        for atom in self.game.possible(of.goal) {
            let args = self.game.facts.args(atom);
            let Some(role) = self.roles.iter().position(|&role| role == args[0]) else { continue };
            let written = self.render(args[1]);
            let Ok(value) = written.parse::<i64>() else {
                let title = format!("the goal `{written}` is not a number");
                return Err(Box::new(
                    Diagnostic::new(Code::E0702, title, place(self.sheet, of.goal), "")
                        .help("a goal is a whole number, usually from 0 to 100"),
                ));
            };
            goals[role].push((value, atom));
        }
        for of_role in &mut goals {
            of_role.sort_unstable_by_key(|&(value, atom)| (std::cmp::Reverse(value), atom));
            // `01` and `1` are different terms with one value: then two goals may hold, and agree.
        }
        Ok(goals)
    }

    /// The condition that a role has this goal and no other.
    fn has_goal(&self, goals: &Goals, at: usize) -> Expr {
        let holds = |place: usize| self.literal(GroundLiteral::new(goals[place].1, true));
        let others = (0..goals.len()).filter(|&other| other != at).map(|other| negation(holds(other)));
        let parts = std::iter::once(holds(at)).chain(others);
        let is = |part: &Expr, value: bool| part.constant() == Some(&Value::Bool(value));
        let parts: Vec<Expr> = parts.filter(|part| !is(part, true)).collect();
        match parts.iter().find(|part| is(part, false)) {
            Some(never) => never.clone(),
            None => all_of(parts),
        }
    }

    /// Makes an end rule for each combination of goals.
    fn each_combination(&mut self, terminal: &Expr, goals: &[Goals]) {
        let mut chosen = vec![0; goals.len()];
        if goals.iter().any(Vec::is_empty) {
            return;
        }
        loop {
            let mut parts = vec![terminal.clone()];
            parts.extend(goals.iter().zip(&chosen).map(|(of_role, &at)| self.has_goal(of_role, at)));
            let is = |part: &Expr, value: bool| part.constant() == Some(&Value::Bool(value));
            if !parts.iter().any(|part| is(part, false)) {
                parts.retain(|part| !is(part, true));
                let values: Vec<i64> = goals.iter().zip(&chosen).map(|(of_role, &at)| of_role[at].0).collect();
                let outcome = self.outcome(&values);
                self.end(all_of(parts), outcome);
            }
            let Some(next) = (0..chosen.len()).rev().find(|&role| chosen[role] + 1 < goals[role].len()) else {
                return;
            };
            chosen[next] += 1;
            chosen[next + 1..].fill(0);
        }
    }

    /// The outcome with these goals.
    fn outcome(&self, goals: &[i64]) -> OutcomeExpr {
        match (self.names.scale, goals) {
            (Scale::WinLoss, [goal]) => OutcomeExpr::SinglePlayer(*goal == 100),
            (Scale::WinDrawLoss, [50, 50]) => OutcomeExpr::Draw,
            (Scale::WinDrawLoss, [100, 0]) => OutcomeExpr::Player(val(self.builder.rules.player(0)), true),
            (Scale::WinDrawLoss, [0, 100]) => OutcomeExpr::Player(val(self.builder.rules.player(1)), true),
            (scale, _) => {
                let payoff = |&goal: &i64| match scale {
                    Scale::Goals => int(goal),
                    Scale::WinDrawLoss | Scale::WinLoss => val(Value::ratio(Rational::new(goal - 50, 50))),
                };
                OutcomeExpr::Payoff(PerPlayer { values: goals.iter().map(payoff).collect(), vars: Vars::new() })
            }
        }
    }

    /// The value of a role's goal as a term, undefined if it has none or several.
    fn value(&self, goals: &Goals) -> Expr {
        let one = |condition: Expr, yes: Expr, no: Expr| e(ExprKind::If(condition, yes, no));
        let holds = |atom: AtomId| self.literal(GroundLiteral::new(atom, true));
        let [first, rest @ ..] = &goals[..] else { return e(ExprKind::Undefined) };
        if rest.is_empty() && holds(first.1).constant() == Some(&Value::Bool(true)) {
            return int(first.0);
        }
        let numbers = |of: &dyn Fn(&(i64, AtomId)) -> Expr| {
            let mut parts = goals.iter().map(of);
            let start = parts.next().unwrap_or_else(|| int(0));
            parts.fold(start, bouton_rules::builder::add)
        };
        let count = numbers(&|&(_, atom)| one(holds(atom), int(1), int(0)));
        let sum = numbers(&|&(value, atom)| one(holds(atom), int(value), int(0)));
        one(bouton_rules::builder::eq(count, int(1)), sum, e(ExprKind::Undefined))
    }
}

/// The meaning of payoffs, by the goals that can occur.
fn scale(goals: &[Goals]) -> Scale {
    let all = |allowed: &[i64]| goals.iter().flatten().all(|(value, _)| allowed.contains(value));
    match goals.len() {
        1 if all(&[0, 100]) => Scale::WinLoss,
        2 if all(&[0, 50, 100]) => Scale::WinDrawLoss,
        _ => Scale::Goals,
    }
}
