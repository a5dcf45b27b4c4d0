//! Decides one claim about one position.

use bouton_base::rational::Rational;

use super::ClaimVerdict;
use super::answers::{Answer, AnswerCache};
use super::compare::compare_bounds;
use super::deciding_rule::mark_deciding_rule;
use crate::load::GameSource;
use crate::planner::{Goal, Plan, Question};
use crate::position::find_move;
use crate::{faults, rendering};
use bouton_base::limits::{Limits, Progress};
use bouton_certificates::Convention;
use bouton_report::numbers;
use bouton_report::verdict::value_words;
use bouton_report::words::{group_digits, move_sequence, truncated_list};
use bouton_rules::{Claim, Comparison, Expectation, Expr, ExprKind, MoveRef, Value};
use bouton_search::game::explore::{FaultyPosition, count_positions};
use bouton_search::game::names::NameError;
use bouton_search::game::perft::{self, PerftError, PlyUnit};
use bouton_search::game::{Game, MachineError, State};
use bouton_search::solve::bounded_win::BoundedWin;
use bouton_search::solve::partizan::{self, ValueComparison};
use bouton_search::solve::{PlanBounds, SolveOptions, ValueKind};
use bouton_syntax::diag::{Code, Diagnostic, Label};

/// The maximal number of false parts of a claim that are marked.
const MAX_MARKED_PARTS: usize = 3;

/// A claim with all that deciding it needs.
pub struct ClaimContext<'a> {
    pub text: &'a GameSource,
    pub game: &'a Game,
    pub expectation: &'a Expectation,
    /// The position that the claim is about.
    pub state: &'a State,
    /// The limits of deciding the claim.
    pub limits: &'a Limits,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

/// Decides a claim; `answers` caches the solutions.
pub fn decide(asked: &ClaimContext<'_>, answers: &mut AnswerCache) -> ClaimVerdict {
    match &asked.expectation.claim {
        Claim::Perft { depth, by_turn, count } => asked.perft(*depth, *by_turn, *count),
        Claim::Positions(comparison, value) => asked.positions(*comparison, value),
        Claim::Nimber(comparison, value) => asked.nimber(*comparison, value),
        Claim::Moves(moves) => asked.moves(moves),
        Claim::Legal(made) => asked.legal(made, true),
        Claim::Illegal(made) => asked.legal(made, false),
        Claim::Holds(expr) => asked.holds(expr),
        Claim::Value(comparison, Value::Text(name)) => asked.partizan(*comparison, name),
        &Claim::Player { player, wins, plies: Some(plies) } if asked.game.rules.players().len() == 2 => {
            let winner = if wins { player } else { 1 - player.min(1) };
            let verdict = asked.wins_in(winner, plies).unwrap_or_else(|| decide_value(asked, answers));
            match verdict {
                ClaimVerdict::Unknown(reason) => asked.with_plies().unwrap_or(ClaimVerdict::Unknown(reason)),
                verdict => verdict,
            }
        }
        Claim::Value(..) | Claim::Draw | Claim::Player { .. } | Claim::SolvedIn(_) => {
            decide_value(asked, answers)
        }
    }
}

fn decide_value(asked: &ClaimContext<'_>, answers: &mut AnswerCache) -> ClaimVerdict {
    match answers.get_or_solve(asked.game, asked.state, asked.limits, asked.progress) {
        Ok(answer) => asked.value(&answer),
        Err(met) => asked.broken(&met),
    }
}

impl ClaimContext<'_> {
    /// The diagnostic of a false claim; `instead` states the truth.
    fn failed(&self, code: Code, instead: &str) -> Diagnostic {
        let title = format!("expected `{}`; {instead}", self.expectation.text);
        Diagnostic::new(code, title, self.expectation.span, "this does not hold")
    }

    fn verdict(&self, holds: bool, instead: impl FnOnce() -> String) -> ClaimVerdict {
        if holds {
            ClaimVerdict::Passed
        } else {
            ClaimVerdict::Failed(Box::new(self.failed(Code::E0601, &instead())))
        }
    }

    fn broken(&self, met: &FaultyPosition) -> ClaimVerdict {
        let found = faults::rules_fault_diagnostic(self.text, self.game, self.state, met);
        ClaimVerdict::Failed(Box::new(found.label(self.expectation.span, "found while deciding this")))
    }

    fn perft(&self, depth: u32, by_turn: bool, count: u64) -> ClaimVerdict {
        let by = if by_turn { PlyUnit::Turn } else { PlyUnit::Move };
        let counted = match perft::count(self.game, self.state, depth, by, self.limits) {
            Ok(counted) => counted,
            Err(PerftError::Broken(met)) => return self.broken(&met),
            Err(other) => return ClaimVerdict::Unknown(other.to_string()),
        };
        let found = counted.by_depth.last().copied().unwrap_or(0);
        if found == count {
            return ClaimVerdict::Passed;
        }
        let turn = if by_turn { " by turn" } else { "" };
        let title = format!(
            "expected perft {depth}{turn} = {}, counted {}",
            group_digits(count),
            group_digits(found)
        );
        let each: Vec<String> =
            counted.divide.iter().map(|(name, n)| format!("{name}: {}", group_digits(*n))).collect();
        let mut failed = Diagnostic::new(Code::E0602, title, self.expectation.span, "")
            .note(format!("by first move: {}", truncated_list(&each, 40)));
        if found > count {
            failed = failed
                .help(
                    "if the number of the claim is right, a move too many is legal somewhere: `bouton perft FILE -d N \
                     --divide` finds where",
                );
        }
        ClaimVerdict::Failed(Box::new(failed))
    }

    fn positions(&self, comparison: Comparison, claimed: &Value) -> ClaimVerdict {
        let Some(claimed) = claimed.as_ratio() else {
            return ClaimVerdict::Unknown("the claim is not a number".into());
        };
        let count = match count_positions(self.game, self.state, self.limits, self.progress) {
            Ok(count) => count,
            Err(met) => return self.broken(&met),
        };
        let found = Rational::from_integer(i64::try_from(count.positions).unwrap_or(i64::MAX));
        let high = count.complete.then(|| found.clone());
        let at_least = if count.complete { "" } else { "at least " };
        match compare_bounds(Some(&found), high.as_ref(), comparison, &claimed) {
            Some(holds) => {
                self.verdict(holds, || format!("there are {at_least}{}", group_digits(count.positions)))
            }
            None => {
                let why = count.limit.map_or("a limit was reached".into(), |hit| hit.to_string());
                ClaimVerdict::Unknown(format!("{why} after {} positions", group_digits(count.positions)))
            }
        }
    }

    fn nimber(&self, comparison: Comparison, claimed: &Value) -> ClaimVerdict {
        let options = SolveOptions::default();
        let asked = Question::new(self.game, self.state, &options, self.limits);
        let solution = match Plan::new(Question { goal: Goal::Nimber, ..asked }).run(self.progress) {
            Ok(answer) => answer.solution,
            Err(met) => return self.broken(&met),
        };
        match (solution.nimber, claimed.as_int()) {
            (Some(nimber), Some(claimed)) => {
                self.verdict(comparison.holds(i64::from(nimber).cmp(&claimed)), || format!("it is {nimber}"))
            }
            (Some(_), None) => ClaimVerdict::Unknown("the claim is not a whole number".into()),
            (None, _) => {
                ClaimVerdict::Unknown(solution.reason.unwrap_or_else(|| "a limit was reached".into()))
            }
        }
    }

    /// Decides the claims about the value of a position as a partizan game.
    fn partizan(&self, comparison: Comparison, claimed: &str) -> ClaimVerdict {
        match partizan::compare(self.game, self.state, claimed, self.limits) {
            Ok(Ok(ValueComparison { name, at_most, at_least })) => {
                let holds = match comparison {
                    Comparison::Equal => at_most && at_least,
                    Comparison::NotEqual => !(at_most && at_least),
                    Comparison::LessEqual => at_most,
                    Comparison::Less => at_most && !at_least,
                    Comparison::GreaterEqual => at_least,
                    Comparison::Greater => at_least && !at_most,
                };
                self.verdict(holds, || format!("it is {name}"))
            }
            Ok(Err(misread)) => self.verdict(false, || misread),
            Err(why) => ClaimVerdict::Unknown(why.to_string()),
        }
    }

    fn moves(&self, claimed: &[MoveRef]) -> ClaimVerdict {
        let bounded = self.game.with_limits(self.limits);
        let legal = match bounded.machine.successors(self.state) {
            Ok(legal) => legal,
            Err(halt) => return self.halted(halt),
        };
        let mut missing = Vec::new();
        let mut named = Vec::new();
        for made in claimed {
            match find_move(&bounded, self.state, made) {
                Ok(successor) => named.push(successor.play),
                Err(error) => match *error {
                    NameError::Fault(fault) => return self.halted(fault.into()),
                    NameError::Limit(hit) => return self.halted(hit.into()),
                    ref ambiguous @ NameError::Ambiguous { .. } => {
                        return self.verdict(false, || ambiguous.to_string());
                    }
                    _ => missing.push(self.name(made)),
                },
            }
        }
        let unnamed = legal.iter().filter(|s| !named.contains(&s.play));
        let more: Vec<String> = unnamed.map(|s| self.game.notation(self.state, &s.play)).collect();
        let mut parts = Vec::new();
        if !missing.is_empty() {
            parts.push(format!("not legal: {}", truncated_list(&missing, 20)));
        }
        if !more.is_empty() {
            parts.push(format!("also legal: {}", truncated_list(&more, 20)));
        }
        self.verdict(parts.is_empty(), || parts.join("; "))
    }

    fn name(&self, made: &MoveRef) -> String {
        match made {
            MoveRef::Notation(name) => name.clone(),
            MoveRef::Applied(id, args) => bouton_search::game::names::call_form(
                &self.game.rules,
                &bouton_search::game::MoveInstance::Move(*id, args.clone()),
            ),
        }
    }

    fn halted(&self, halt: MachineError) -> ClaimVerdict {
        let fault = match halt {
            MachineError::Fault(fault) => fault,
            MachineError::Limit(hit) => return ClaimVerdict::Unknown(hit.to_string()),
        };
        let found = faults::fault_diagnostic(self.game, &fault);
        ClaimVerdict::Failed(Box::new(found.label(self.expectation.span, "found while deciding this")))
    }

    fn legal(&self, made: &MoveRef, wanted: bool) -> ClaimVerdict {
        let is_legal = || self.verdict(wanted, || format!("`{}` is legal here", self.name(made)));
        let nearest =
            match find_move(&self.game.with_limits(self.limits), self.state, made).map_err(|error| *error) {
                Ok(_) | Err(NameError::Ambiguous { .. }) => return is_legal(),
                Err(NameError::Fault(fault)) => return self.halted(fault.into()),
                Err(NameError::Limit(hit)) => return self.halted(hit.into()),
                Err(NameError::Unknown { nearest, .. }) => nearest,
                Err(NameError::NoMoves { .. }) => Vec::new(),
            };
        let legal = || {
            let near = truncated_list(&nearest, 5);
            if near.is_empty() { String::new() } else { format!("; legal are {near}") }
        };
        self.verdict(!wanted, || format!("`{}` is not legal here{}", self.name(made), legal()))
    }

    fn holds(&self, expr: &Expr) -> ClaimVerdict {
        let bounded = self.game.with_limits(self.limits);
        let holds = match bounded.machine.eval(self.state, expr) {
            Ok(value) => value == Some(Value::Bool(true)),
            Err(hit) => return ClaimVerdict::Unknown(hit.to_string()),
        };
        if holds {
            return ClaimVerdict::Passed;
        }
        let value = |e: &Expr| rendering::render_value(&bounded, self.state, e);
        let instead = |expr: &Expr| match &*expr.kind {
            ExprKind::Equal(a, b)
            | ExprKind::Less(a, b)
            | ExprKind::LessEqual(a, b)
            | ExprKind::In(a, b)
            | ExprKind::Subset(a, b) => format!("the left side is {}, the right side {}", value(a), value(b)),
            _ => "it is false".into(),
        };
        let ExprKind::And(parts) = &*expr.kind else {
            return ClaimVerdict::Failed(Box::new(self.failed(Code::E0601, &instead(expr))));
        };
        let is_true = |part: &Expr| bounded.machine.eval(self.state, part) == Ok(Some(Value::Bool(true)));
        let wrong: Vec<&Expr> = parts.iter().filter(|part| part.span.is_placed() && !is_true(part)).collect();
        let all = if wrong.len() == parts.len() { "no part of it is true" } else { "it is false" };
        let mut found = self.failed(Code::E0601, all);
        if !wrong.is_empty() {
            let label = |part: &&Expr| Label { span: part.span, text: instead(part) };
            found.labels = wrong.iter().take(MAX_MARKED_PARTS).map(label).collect();
        }
        ClaimVerdict::Failed(Box::new(found))
    }

    /// Decides a claim of a win in a number of plies by a search that goes no farther; `None` if the search has no answer
    /// in half of the time.
    fn wins_in(&self, winner: u32, plies: u32) -> Option<ClaimVerdict> {
        let options = SolveOptions { max_line_moves: 12, ..SolveOptions::default() };
        let limits = self.limits.with_time_share(2);
        let asked = Question::new(self.game, self.state, &options, &limits);
        let found = match Plan::new(asked).win_within(&[winner], plies, self.progress) {
            Ok(Ok(found)) => found,
            // The graph has the answer, or the rules have a fault.
            Ok(Err(_)) | Err(_) => return None,
        };
        Some(match found {
            BoundedWin::Wins(solution) => self.value(&Answer::of(self.game, &solution)),
            BoundedWin::NoWin(solution) => self.verdict(false, || solution.reason.unwrap_or_default()),
            BoundedWin::Unknown(_) => return None,
        })
    }

    /// Decides a claim about plies by methods that count them; `None` if they have no answer.
    fn with_plies(&self) -> Option<ClaimVerdict> {
        let options = SolveOptions { count_plies: true, ..SolveOptions::default() };
        let asked = Question::new(self.game, self.state, &options, self.limits);
        let solution = Plan::new(asked).run(self.progress).ok()?.solution;
        solution.remoteness.map(|_| self.value(&Answer::of(self.game, &solution)))
    }

    /// Decides a claim that a puzzle takes a number of moves where a plan is known and the fewest moves are not.
    fn solved_in(&self, claimed: u32, answer: &Answer) -> ClaimVerdict {
        let Some(bounds) = answer.plan_bounds else {
            return ClaimVerdict::Unknown(match answer.value {
                Some(_) => "this method does not count the plies".into(),
                None => answer.reason.clone(),
            });
        };
        match refuted_by(bounds, claimed) {
            Some(instead) => self.verdict(false, || instead),
            None => ClaimVerdict::Unknown(answer.reason.clone()),
        }
    }

    /// Decides the claims about perfect play.
    fn value(&self, answer: &Answer) -> ClaimVerdict {
        let is_open = answer.remoteness.is_none()
            && answer.value.as_ref().is_none_or(|value| value.kind == ValueKind::Solved);
        if let Claim::SolvedIn(moves) = &self.expectation.claim
            && is_open
        {
            return self.solved_in(*moves, answer);
        }
        let Some(value) = &answer.value else { return self.bounded(answer) };
        let first = value.payoffs.first().cloned().unwrap_or_default();
        let one = Rational::from_integer(1);
        let undecided = || ClaimVerdict::Unknown("this method does not count the plies".into());
        let in_plies = |plies: &Option<u32>| plies.is_none_or(|n| answer.remoteness == Some(n));
        let holds = match &self.expectation.claim {
            Claim::Draw => value.kind == ValueKind::Draw || value.payoffs.iter().all(Rational::is_zero),
            Claim::SolvedIn(plies) => value.kind == ValueKind::Solved && answer.remoteness == Some(*plies),
            Claim::Player { player, wins, plies } => {
                let own = value.payoffs.get(*player as usize).cloned().unwrap_or_default();
                let is_so = own == if *wins { one } else { -one };
                if is_so && plies.is_some() && answer.remoteness.is_none() {
                    return undecided();
                }
                is_so && in_plies(plies)
            }
            Claim::Value(comparison, Value::List(claimed)) => {
                let claimed: Vec<Option<Rational>> = claimed.iter().map(Value::as_ratio).collect();
                let found: Vec<Option<Rational>> = value.payoffs.iter().cloned().map(Some).collect();
                comparison.holds(found.cmp(&claimed))
            }
            Claim::Value(comparison, claimed) => match claimed.as_ratio() {
                Some(claimed) => comparison.holds(first.cmp(&claimed)),
                None => return ClaimVerdict::Unknown("the claim is not a number".into()),
            },
            _ => return ClaimVerdict::Unknown("this claim is not about perfect play".into()),
        };
        if holds { ClaimVerdict::Passed } else { ClaimVerdict::Failed(Box::new(self.instead(answer, value))) }
    }

    fn instead(&self, answer: &Answer, value: &bouton_search::solve::Value) -> Diagnostic {
        let mut found = self.failed(Code::E0601, &value_words(&self.game.rules, value, answer.remoteness));
        if let (Claim::Value(_, claimed), Some(first)) = (&self.expectation.claim, value.payoffs.first())
            && let Some(wins) = numbers::wins(&self.game.rules, first)
            && claimed.as_ratio().is_some_and(|claimed| &claimed + &claimed - Rational::ONE == *first)
        {
            found = found.help(format!(
                "the value counts a win as 1 and a loss as -1: {wins} where the value is {first}, twice the probability less 1"
            ));
        }
        let is_result = |number: &Rational| number.is_zero() || number.abs() == Rational::ONE;
        if let Claim::Value(_, claimed) = &self.expectation.claim
            && let Some(number) = claimed.as_ratio().filter(|number| !is_result(number))
            && Convention::of(&self.game.rules) != Convention::Payoff
            && !numbers::is_share_of_wins(&self.game.rules)
        {
            found = found.help(format!(
                "a win counts 1 and a loss -1; in normal play the value of a position as a game stands in quotes: \
                 `value = \"{}\"`",
                number.to_string().replace(' ', "")
            ));
        }
        if answer.line.is_empty() {
            return found;
        }
        let words: Vec<&str> = answer.line.iter().map(|m| m.written.as_str()).collect();
        let more = if answer.remoteness.is_some_and(|r| r as usize > words.len()) { " ..." } else { "" };
        let found = mark_deciding_rule(self.game, self.state, &answer.line, found);
        found.note(format!("best play: {}{more}", move_sequence(&words)))
    }

    /// Decides the claims that bounds of the first player's payoff can decide; the others are unknown.
    fn bounded(&self, answer: &Answer) -> ClaimVerdict {
        let (low, high) = (answer.bounds.0.as_ref(), answer.bounds.1.as_ref());
        let one = Rational::from_integer(1);
        let zero = Rational::from_integer(0);
        let rules = &self.game.rules;
        // Where ends have payoffs, or there are more players, one payoff does not show the others.
        let opposed = rules.players().len() <= 2 && Convention::of(rules) != Convention::Payoff;
        let decided = match &self.expectation.claim {
            Claim::Draw => {
                compare_bounds(low, high, Comparison::Equal, &zero).filter(|holds| opposed || !holds)
            }
            Claim::Value(comparison, claimed) => {
                claimed.as_ratio().and_then(|c| compare_bounds(low, high, *comparison, &c))
            }
            Claim::Player { player, wins, plies } if *player == 0 || opposed => {
                let best = if (*player == 0) == *wins { one } else { -one };
                // Bounds do not count plies, so they can only refute.
                compare_bounds(low, high, Comparison::Equal, &best).filter(|holds| plies.is_none() || !holds)
            }
            _ => None,
        };
        let player = self.game.rules.players().first().map_or("the player", String::as_str);
        match decided {
            Some(holds) => self.verdict(holds, || bounds_words(player, low, high)),
            None => ClaimVerdict::Unknown(answer.reason.clone()),
        }
    }
}

fn bounds_words(player: &str, low: Option<&Rational>, high: Option<&Rational>) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{player} gets between {low} and {high}"),
        (Some(low), None) => format!("{player} gets at least {low}"),
        (None, Some(high)) => format!("{player} gets at most {high}"),
        (None, None) => "nothing is known".into(),
    }
}

/// The truth where bounds exclude that the fewest moves of a plan are the claimed ones.
fn refuted_by(bounds: PlanBounds, claimed: u32) -> Option<String> {
    match bounds {
        PlanBounds { least, .. } if claimed < least => Some(format!("no plan has fewer than {least} moves")),
        PlanBounds { most: Some(most), .. } if claimed > most => Some(format!("a plan has {most} moves")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_plans_refute_only_what_they_exclude() {
        let open = PlanBounds { least: 14, most: Some(17) };
        assert_eq!(refuted_by(open, 13).as_deref(), Some("no plan has fewer than 14 moves"));
        assert_eq!([14, 15, 17].map(|claimed| refuted_by(open, claimed)), [None, None, None]);
        assert_eq!(refuted_by(open, 18).as_deref(), Some("a plan has 17 moves"));
        assert_eq!(refuted_by(PlanBounds { least: 14, most: None }, 99), None);
    }
}
