//! Lowering of end rules: the conditions under which the game is over, and the outcomes.

use bouton_base::rational::Rational;

use super::cx::{Cx, Static, Term};
use super::fractions::lcm;
use super::{Lower, Result, unsupported};
use bouton_circuit::{Stmt, TerminalTest, ValueId};
use bouton_rules::{Domain as Range, EndRule, Expr, ExprKind, OutcomeExpr, OutcomeKind, Pattern, PerPlayer};

/// An ending of the game, to which a circuit refers by index.
#[derive(Clone, PartialEq, Debug)]
pub struct CircuitEnding {
    /// The index of the end rule.
    pub rule: usize,
    pub verdict: EndingOutcome,
}

/// The outcome of an ending.
#[derive(Clone, PartialEq, Debug)]
pub enum EndingOutcome {
    /// These payoffs.
    Payoffs(Vec<Rational>, OutcomeKind),
    /// The scores decide: the best is the highest (true) or the lowest.
    Best(bool),
    /// The scores, divided by this number, are the payoffs.
    Scores(i64),
}

/// An end rule, for positions of one kind.
#[derive(Clone, Copy)]
struct EndRuleCase<'e> {
    /// The index of the rule.
    place: usize,
    rule: &'e EndRule,
    /// True if the rule does not apply to positions without moves.
    unless_stuck: bool,
}

/// The number of values above which a binder is not unrolled unless the outcome depends on it.
const MAX_UNROLLED_VALUES: usize = 8;

/// Returns true if a condition of a rule is of a kind.
fn has_condition(rule: &EndRule, is_of_kind: &dyn Fn(&Expr) -> bool) -> bool {
    let of_binder = rule.binder.as_ref().and_then(|binder| binder.condition.as_ref());
    is_of_kind(&rule.condition) || of_binder.is_some_and(is_of_kind)
}

/// Returns true if a condition mentions `stuck`.
pub(super) fn mentions_stuck(expr: &Expr) -> bool {
    let mut found = matches!(&*expr.kind, ExprKind::Stuck);
    expr.each_part(&mut |part| found |= mentions_stuck(part));
    found
}

/// Returns true if a condition that holds for a player who can move holds as well for one who cannot.
fn grows_with_stuck(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Stuck => true,
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().all(grows_with_stuck),
        _ => !mentions_stuck(expr),
    }
}

impl<'r> Lower<'r> {
    /// Returns the statements before the moves, and those for positions without moves.
    pub(super) fn ends(&mut self, cx: &Cx) -> Result<(Vec<Stmt>, Vec<Stmt>)> {
        let rules = self.rules;
        let (mut before, mut stuck) = (Vec::new(), Vec::new());
        let mut unless_stuck = false;
        for (place, rule) in rules.ends.iter().enumerate() {
            let about_stuck = has_condition(rule, &mentions_stuck);
            // A rule that needs a move, `z = 3 and not stuck`, does not apply to positions without moves.
            unless_stuck |= has_condition(rule, &|condition| !grows_with_stuck(condition));
            self.stuck = about_stuck.then_some(false);
            self.end(EndRuleCase { place, rule, unless_stuck }, cx, &mut before)?;
            unless_stuck |= about_stuck;
            if unless_stuck {
                self.stuck = Some(true);
                self.end(EndRuleCase { place, rule, unless_stuck: false }, cx, &mut stuck)?;
            }
            self.stuck = None;
        }
        Ok((before, stuck))
    }

    fn end(&mut self, case: EndRuleCase<'r>, cx: &Cx, out: &mut Vec<Stmt>) -> Result<()> {
        let rule = case.rule;
        let cx = Cx { env: vec![None; rule.vars.len()], ..cx.clone() };
        let Some(binder) = &rule.binder else {
            let when = self.formula(&rule.condition, &cx)?;
            return self.outcome(case, when, &cx, out);
        };
        let values = match &binder.domain {
            Range::Fixed(values) => values.to_vec(),
            Range::Set(set) => self.elements(set)?,
        };
        let Pattern::Var(var) = binder.pattern else {
            return unsupported("an end rule over tuples", rule.span);
        };
        if values.len() > MAX_UNROLLED_VALUES && !self.uses(&rule.outcome, var) {
            let when = self.exists(std::slice::from_ref(binder), &[(&rule.condition, true)], &cx)?;
            return self.outcome(case, when, &cx, out);
        }
        for value in values {
            let term = Term::Static(Static::One(Some(value)));
            let cx = cx.with(var, term.clone());
            let mut when = self.formula(&rule.condition, &cx)?;
            if let Range::Set(set) = &binder.domain {
                let inside = self.member(&term, set, &cx)?;
                when = self.both(when, inside);
            }
            if let Some(condition) = &binder.condition {
                let kept = self.formula(condition, &cx)?;
                when = self.both(when, kept);
            }
            self.outcome(case, when, &cx, out)?;
        }
        Ok(())
    }

    fn uses(&self, outcome: &'r OutcomeExpr, var: bouton_rules::VarId) -> bool {
        match outcome {
            OutcomeExpr::Player(player, _) => self.info(player).vars.contains(&var),
            _ => false,
        }
    }

    fn outcome(&mut self, case: EndRuleCase<'r>, when: ValueId, cx: &Cx, out: &mut Vec<Stmt>) -> Result<()> {
        let EndRuleCase { place: rule, rule: of, unless_stuck } = case;
        if self.build.maybe(when).is_empty() {
            return Ok(());
        }
        let players = self.rules.players().len() as u32;
        let all =
            |payoff: &dyn Fn(u32) -> i64| (0..players).map(|p| Rational::from_integer(payoff(p))).collect();
        let sign = |won: bool| if won { 1 } else { -1 };
        let fixed = |payoffs, kind| CircuitEnding { rule, verdict: EndingOutcome::Payoffs(payoffs, kind) };
        match &of.outcome {
            OutcomeExpr::Draw => {
                self.ended(when, unless_stuck, fixed(all(&|_| 0), OutcomeKind::Draw), Vec::new(), out)
            }
            OutcomeExpr::SinglePlayer(wins) => {
                self.ended(
                    when,
                    unless_stuck,
                    fixed(all(&|_| sign(*wins)), OutcomeKind::Win),
                    Vec::new(),
                    out,
                );
            }
            OutcomeExpr::Player(player, wins) => {
                let player = self.term(player, cx)?;
                let defined = self.defined(&player, cx);
                self.no_result(when, defined, out);
                for (value, condition) in self.case_list(&player, cx)? {
                    let Static::One(Some(value)) = value else { continue };
                    let Some(player) = value.as_sym() else { continue };
                    let here = self.both(when, condition);
                    let ending = fixed(all(&|p| sign((p == player) == *wins)), OutcomeKind::Win);
                    self.ended(here, unless_stuck, ending, Vec::new(), out);
                }
            }
            OutcomeExpr::ByScore(scores, highest) => {
                let (scores, _) = self.scores(scores, when, cx, out)?;
                self.ended(
                    when,
                    unless_stuck,
                    CircuitEnding { rule, verdict: EndingOutcome::Best(*highest) },
                    scores,
                    out,
                );
            }
            OutcomeExpr::Payoff(payoffs) => {
                if let Some(payoffs) = payoffs.values.iter().map(|e| e.constant()?.as_ratio()).collect() {
                    self.ended(when, unless_stuck, fixed(payoffs, OutcomeKind::Payoff), Vec::new(), out);
                } else {
                    let (scores, denominator) = self.scores(payoffs, when, cx, out)?;
                    let verdict = EndingOutcome::Scores(denominator);
                    self.ended(when, unless_stuck, CircuitEnding { rule, verdict }, scores, out);
                }
            }
        }
        Ok(())
    }

    /// Lowers the numbers of the players, as integers over the denominator that is the second result.
    fn scores(
        &mut self,
        of: &'r PerPlayer,
        when: ValueId,
        cx: &Cx,
        out: &mut Vec<Stmt>,
    ) -> Result<(Vec<ValueId>, i64)> {
        let cx = Cx { env: vec![None; of.vars.len()], ..cx.clone() };
        let mut scaled = Vec::new();
        let mut common = 1;
        for value in &of.values {
            let one = self.ratio(value, &cx)?;
            common = lcm(common, one.denominator, value.span)?;
            scaled.push((one, value.span));
        }
        let mut scores = Vec::new();
        for (one, span) in scaled {
            let term = self.scaled(&one, common, &cx, span)?;
            let number = self.number(&term, &cx, span)?;
            self.no_result(when, number.defined, out);
            scores.push(number.value);
        }
        Ok((scores, common))
    }

    /// Adds a fault: a rule that holds without a result is a mistake in the rules.
    fn no_result(&mut self, when: ValueId, defined: ValueId, out: &mut Vec<Stmt>) {
        let fault = self.unless(when, defined);
        if !self.build.maybe(fault).is_empty() {
            out.push(Stmt::Fault(fault));
        }
    }

    fn ended(
        &mut self,
        when: ValueId,
        unless_stuck: bool,
        ending: CircuitEnding,
        scores: Vec<ValueId>,
        out: &mut Vec<Stmt>,
    ) {
        if self.build.maybe(when).is_empty() {
            return;
        }
        let place = self.endings.iter().position(|e| *e == ending).unwrap_or_else(|| {
            self.endings.push(ending);
            self.endings.len() - 1
        });
        out.push(Stmt::Over(TerminalTest {
            when,
            unless_stuck,
            dead_after_move: false,
            ending: place as u32,
            scores,
        }));
    }
}

impl CircuitEnding {
    /// Returns true if the outcome compares scores.
    pub fn compares(&self) -> bool {
        matches!(self.verdict, EndingOutcome::Best(_))
    }

    /// Returns the players' payoffs.
    pub fn payoffs(&self, scores: &[i64]) -> (Vec<Rational>, OutcomeKind) {
        let whole = |n: i64| Rational::from_integer(n);
        match &self.verdict {
            EndingOutcome::Payoffs(payoffs, kind) => (payoffs.clone(), *kind),
            EndingOutcome::Scores(denominator) => {
                let share = |&n: &i64| &whole(n) / &whole(*denominator);
                (scores.iter().map(share).collect(), OutcomeKind::Payoff)
            }
            EndingOutcome::Best(highest) => {
                let best = if *highest { scores.iter().max() } else { scores.iter().min() };
                let winners = scores.iter().filter(|s| Some(*s) == best).count();
                let payoff = |s: &i64| {
                    whole(if winners > 1 {
                        0
                    } else if Some(s) == best {
                        1
                    } else {
                        -1
                    })
                };
                let kind = if winners == 1 { OutcomeKind::Win } else { OutcomeKind::Draw };
                (scores.iter().map(payoff).collect(), kind)
            }
        }
    }
}
