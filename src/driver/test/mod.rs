//! Decides the expectations and tests of a file: each within its own limits, or left unknown with the reason.

use std::time::Duration;

use super::budget::Budget;
use super::load::{DriverError, GameSource, RunsOn};
use super::position::{PositionError, apply_test_step};
use bouton_base::limits::{Limits, NoProgress, Progress};
use bouton_base::source::Span;
use bouton_report::numbers;
use bouton_rules::{Expectation, Test, TestStep, Value};
use bouton_search::game::explore::{
    ExplorationRequest, ExploreEnd, Explored, IndexVisitor, IndexedPosition, explore_indices,
};
use bouton_search::game::{Game, State};
use bouton_syntax::diag::{self, Code, Diagnostic, Severity};

mod answers;
mod claims;
mod compare;
mod deciding_rule;
mod forbidden_moves;

use answers::AnswerCache;

/// The default time limit of an expectation.
pub const DEFAULT_EXPECTATION_TIME: Duration = Duration::from_secs(10);

/// The maximal number of reachable positions among which a test's position is searched for.
const MAX_REACHABLE_POSITIONS: u64 = 20_000;

/// The options of a test run.
pub struct TestOptions<'a> {
    /// True if expectations that only cite a source are decided as well.
    pub all: bool,
    /// The resources of each expectation.
    pub budget: &'a Budget,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

/// The result of an expectation.
#[derive(Debug)]
pub enum ClaimVerdict {
    /// The expectation holds.
    Passed,
    /// The expectation does not hold; the diagnostic states the true value.
    Failed(Box<Diagnostic>),
    /// The expectation was not decided, for this reason.
    Unknown(String),
}

/// An expectation that was not decided.
#[derive(Debug)]
pub struct Undecided {
    /// The expectation as written.
    pub text: String,
    /// The location of the expectation.
    pub span: Span,
    pub reason: String,
}

/// The results of the expectations of a file.
#[derive(Debug, Default)]
pub struct TestRunReport {
    /// The number of expectations that hold.
    pub passed: u64,
    /// The number of expectations that do not hold.
    pub failed: u64,
    /// The diagnostics of expectations that do not hold.
    pub failures: Vec<Diagnostic>,
    /// The expectations that were not decided.
    pub unknown: Vec<Undecided>,
    /// Notes, such as on test positions that play never reaches.
    pub notes: Vec<Diagnostic>,
    /// The back end of the game of each group of claims.
    pub runs_on: Vec<RunsOn>,
    /// The errors of the source; if there are any, nothing was decided.
    pub errors: Vec<Diagnostic>,
}

/// Decides all expectations and tests of a file.
pub fn test(text: &mut GameSource, options: &TestOptions<'_>) -> TestRunReport {
    test_within(text, options, None)
}

/// Same as [`test()`] for the expectations in a span of the file, or for all.
pub fn test_within(text: &mut GameSource, options: &TestOptions<'_>, within: Option<Span>) -> TestRunReport {
    let mut report = TestRunReport::default();
    let mut games = Vec::new();
    for group in 0..text.outline.groups {
        if options.budget.stop.is_cancelled() {
            break;
        }
        text.set_backend(options.budget, Some(DEFAULT_EXPECTATION_TIME));
        match text.game(Some(group)) {
            Ok(game) => {
                report.runs_on.push(text.runs_on(&game));
                games.push(game);
            }
            Err(DriverError::Errors(found)) => report.errors.extend(found),
            Err(DriverError::Limit(reason)) => {
                let span = text.outline.first_item.unwrap_or(Span::new(text.file, 0, 0));
                let words = format!("the claims of {}", text.path);
                report.unknown.push(Undecided { text: words, span, reason });
            }
            Err(_) => {}
        }
    }
    diag::sort(&mut report.errors);
    if !report.errors.is_empty() {
        return report;
    }
    for game in &games {
        let mut run = ClaimGroupRun {
            text,
            game,
            options,
            report: &mut report,
            answers: AnswerCache::default(),
            reached: None,
            within,
        };
        run.group();
    }
    report
}

/// A run of the claims of one group, which share the values of the parameters.
struct ClaimGroupRun<'a> {
    text: &'a GameSource,
    game: &'a Game,
    options: &'a TestOptions<'a>,
    report: &'a mut TestRunReport,
    answers: AnswerCache,
    /// The reachable positions, if they are few; computed at most once.
    reached: Option<Option<Explored>>,
    /// The span of the expectations to decide; `None` for all.
    within: Option<Span>,
}

impl ClaimGroupRun<'_> {
    fn group(&mut self) {
        let game = self.game;
        let initial = game.machine.initial();
        let within = self.within;
        let is_within = |of: &Expectation| within.is_none_or(|within| within.covers(of.span));
        for expectation in game.rules.expectations.iter().filter(|of| is_within(of)) {
            self.expectation(expectation, &initial);
        }
        for test in &game.rules.tests {
            let has_one = |step: &TestStep| matches!(step, TestStep::Expect(of) if is_within(of));
            if within.is_none() || test.steps.iter().any(has_one) {
                self.test(test, &initial);
            }
        }
    }

    fn test(&mut self, test: &Test, initial: &State) {
        let mut state = initial.clone();
        let mut lost: Option<String> = None;
        for step in &test.steps {
            match step {
                TestStep::Expect(expectation) => match &lost {
                    Some(why) => self.unknown(expectation, why.clone()),
                    None => self.expectation(expectation, &state),
                },
                // The moves after a step that failed would be made in a position that the test does not mean; a
                // `position` begins again.
                TestStep::Play(..) if lost.is_some() => {}
                step => match apply_test_step(&self.bounded(DEFAULT_EXPECTATION_TIME), &state, step) {
                    Ok(next) => {
                        lost = None;
                        state = next;
                        if let TestStep::Position(_, _, span) = step {
                            self.position(&state, *span);
                        }
                    }
                    Err(why) => {
                        let told = "an earlier step of the test failed";
                        lost = Some(match why {
                            PositionError::Invalid(found) => {
                                let found = match step {
                                    TestStep::Play(moves) => {
                                        forbidden_moves::explain(self.text, self.game, &state, moves, *found)
                                    }
                                    _ => *found,
                                };
                                self.failed(found, &state);
                                told.into()
                            }
                            PositionError::Limit(hit) => format!("{told}: {hit}"),
                        });
                    }
                },
            }
        }
    }

    /// The game on a machine that stops after the time limit of an answer.
    fn bounded(&self, time: Duration) -> Game {
        self.game.with_limits(&self.options.budget.limits(Some(time)))
    }

    fn expectation(&mut self, expectation: &Expectation, state: &State) {
        if let Some(source) = expectation.cite.as_ref().filter(|_| !self.options.all) {
            self.unknown(expectation, format!("cited from {source}; decided by --all"));
            return;
        }
        let limits = self.options.budget.limits(Some(DEFAULT_EXPECTATION_TIME));
        let asked = claims::ClaimContext {
            text: self.text,
            game: self.game,
            expectation,
            state,
            limits: &limits,
            progress: self.options.progress,
        };
        match claims::decide(&asked, &mut self.answers) {
            ClaimVerdict::Passed => self.report.passed += 1,
            ClaimVerdict::Failed(found) => self.failed(*found, state),
            ClaimVerdict::Unknown(reason) => self.unknown(expectation, reason),
        }
    }

    fn unknown(&mut self, expectation: &Expectation, reason: String) {
        let text = expectation.text.clone();
        self.report.unknown.push(Undecided { text, span: expectation.span, reason });
    }

    fn failed(&mut self, found: Diagnostic, state: &State) {
        let mut found = found;
        let scope = numbers::scope(&self.game.rules);
        if !scope.is_empty() {
            found = found.note(format!("with {scope}"));
        }
        if *state != self.game.machine.initial() {
            found = found.note(super::faults::render_position(self.text, self.game, state));
        }
        self.report.failed += 1;
        self.report.failures.push(found);
    }

    /// Checks a position that a test sets up: reports a broken invariant, or that play never reaches the position.
    fn position(&mut self, state: &State, span: Span) {
        let game = self.game;
        // An invariant that takes too long does not count as broken.
        let bounded = self.bounded(DEFAULT_EXPECTATION_TIME);
        let broken = |e| matches!(bounded.machine.eval(state, e), Ok(v) if v != Some(Value::Bool(true)));
        if let Some(invariant) = game.rules.invariants.iter().find(|i| broken(&i.value)) {
            let name =
                invariant.name.as_ref().map_or("an invariant".into(), |n| format!("the invariant `{n}`"));
            let found = Diagnostic::new(Code::E0603, format!("this test's position breaks {name}"), span, "")
                .label(invariant.span, "false there");
            self.failed(found, state);
            return;
        }
        if self.reached.is_none() {
            self.reached = Some(self.reachable());
        }
        if let Some(Some(reached)) = &self.reached
            && reached.arena.find(state).is_none()
        {
            let title = "this test's position cannot arise in play";
            let found =
                Diagnostic::new(Code::N0604, title, span, "it is not reached from the first position");
            if !self.report.notes.contains(&found) {
                self.report.notes.push(found);
            }
        }
    }

    /// All reachable positions, if they are few.
    fn reachable(&self) -> Option<Explored> {
        struct Nothing;
        impl IndexVisitor for Nothing {
            fn mark(&mut self, _: &IndexedPosition<'_>) -> std::ops::ControlFlow<()> {
                std::ops::ControlFlow::Continue(())
            }
        }
        let limits = self.options.budget.limits(Some(Duration::from_secs(2)));
        let limits = Limits { positions: Some(MAX_REACHABLE_POSITIONS), ..limits };
        let from = &[self.game.machine.initial()];
        let request = ExplorationRequest { game: self.game, from, limits: &limits, progress: &NoProgress };
        let reached = explore_indices(request, None, &mut Nothing);
        matches!(reached.ended, ExploreEnd::Complete).then_some(reached)
    }
}

impl TestRunReport {
    /// The number of all expectations.
    pub fn expectations(&self) -> u64 {
        self.passed + self.failed + self.unknown.len() as u64
    }

    /// Removes the notes that comments of the file allow.
    pub fn silence(&mut self, text: &GameSource) {
        super::check::allow::silence(&text.sources, &mut self.notes);
        self.notes.retain(|d| d.severity() < Severity::Error);
    }
}
