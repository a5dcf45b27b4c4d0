//! The commands that the server runs behind: solve a position, decide claims. Their results are messages for the user
//! and data for the client.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bouton_base::limits::{CancelToken, NoProgress};
use bouton_base::source::Span;
use bouton_driver::budget::{Budget, UserLimits};
use bouton_driver::faults;
use bouton_driver::load::{DriverError, GameSource};
use bouton_driver::planner::{Goal, Plan, Question};
use bouton_driver::position::resolve_start;
use bouton_driver::proof::{self, MAX_UNREQUESTED_POSITIONS, ProofOptions};
use bouton_driver::strategy::AcceptedStrategy;
use bouton_driver::test::{self, TestOptions};
use bouton_project::RuleFiles;
use bouton_report::proof::Proof;
use bouton_report::solve::SolvedPosition;
use bouton_report::verdict;
use bouton_search::game::Backend;
use bouton_search::solve::{SolveOptions, Status};
use lsp_server::{ErrorCode, RequestId, Response};
use lsp_types::{ExecuteCommandParams, MessageType};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::requests::RequestError;
use crate::server::Server;
use crate::snapshot::Snapshot;
use crate::tasks::{TaskResult, spawn};

/// Solves a position.
pub(crate) const SOLVE: &str = "bouton.solve";
/// Decides the claims of a file, or one of them.
pub(crate) const TEST: &str = "bouton.test";
/// Plays in a terminal, which is the client's business.
pub(crate) const PLAY: &str = "bouton.play";
/// Opens a report, which is the client's business.
pub(crate) const REPORT: &str = "bouton.report";
/// The commands of the server.
pub(crate) const NAMES: [&str; 2] = [SOLVE, TEST];

/// The default time limit of a command, in seconds.
const DEFAULT_SECONDS: u64 = 60;
/// The greatest time limit of a command, in seconds.
const MAX_SECONDS: u64 = 24 * 3600;

/// A command that runs behind.
pub(crate) struct RunningCommand {
    pub cancel: CancelToken,
}

/// The argument of a command.
#[derive(Debug, Deserialize)]
struct CommandArgument {
    /// The document.
    uri: String,
    /// The name of the test whose position is solved; without it, the first position.
    test: Option<String>,
    /// A line of the claim to decide, from 0; without it, all claims.
    line: Option<u32>,
    /// The time limit in seconds.
    seconds: Option<u64>,
}

/// The result of a command: a message of a kind, and data.
struct Outcome {
    kind: MessageType,
    message: String,
    data: Value,
}

/// Starts a command; its answer comes later.
pub(crate) fn start(
    server: &mut Server,
    id: RequestId,
    params: ExecuteCommandParams,
) -> Result<(), RequestError> {
    let command = NAMES.into_iter().find(|name| *name == params.command);
    let command = command
        .ok_or_else(|| RequestError::invalid(format!("the server has no command `{}`", params.command)))?;
    let argument = params.arguments.into_iter().next().unwrap_or_default();
    let argument: CommandArgument = serde_json::from_value(argument)
        .map_err(|error| RequestError::invalid(format!("the argument of `{command}`: {error}")))?;
    let snapshot = server.document(&argument.uri)?;
    if !snapshot.is_playable() {
        let why = if snapshot.files.outline.is_game {
            "the file has errors"
        } else {
            "the file is a library, not a game"
        };
        return Err(RequestError::failed(why));
    }
    let claim = argument.line.map(|line| claim_at(&snapshot, line)).transpose()?;
    let cancel = CancelToken::default();
    let time = Duration::from_secs(argument.seconds.unwrap_or(DEFAULT_SECONDS).min(MAX_SECONDS));
    let work = Work {
        files: snapshot.files.clone(),
        test: argument.test,
        claim,
        budget: Budget {
            time: Some(time),
            started: Some(Instant::now()),
            memory: bouton_driver::budget::half_of_memory(),
            default_memory: true,
            stop: cancel.clone(),
            backend: Backend::Jit,
        },
    };
    let (results, of) = (server.results.clone(), id.clone());
    let is_running = spawn(move || {
        let done =
            catch_unwind(AssertUnwindSafe(|| if command == SOLVE { work.solve() } else { work.test() }));
        let (response, message) = match done {
            Ok(Ok(outcome)) => {
                (Response::new_ok(of.clone(), outcome.data), Some((outcome.kind, outcome.message)))
            }
            Ok(Err(why)) => (Response::new_err(of.clone(), ErrorCode::RequestFailed as i32, why), None),
            Err(_) => {
                let why = "bouton has a bug; its standard error has the place".to_owned();
                (Response::new_err(of.clone(), ErrorCode::InternalError as i32, why), None)
            }
        };
        // The session may be over.
        let _ = results.send(TaskResult::Commanded { id: of, response, message });
    });
    if !is_running {
        return Err(RequestError::failed("no thread could be started"));
    }
    server.running.insert(id, RunningCommand { cancel });
    Ok(())
}

/// The span of the claim in a line.
fn claim_at(snapshot: &Arc<Snapshot>, line: u32) -> Result<Span, RequestError> {
    let lines = |span: &Span| snapshot.lines.line(span.range().start)..=snapshot.lines.line(span.range().end);
    let claim = snapshot.files.outline.claims.iter().find(|span| lines(span).contains(&line));
    claim.copied().ok_or_else(|| RequestError::invalid(format!("line {line} has no expectation and no test")))
}

/// The work of a command.
struct Work {
    files: RuleFiles,
    test: Option<String>,
    claim: Option<Span>,
    budget: Budget,
}

impl Work {
    /// Solves the position; the error is a sentence.
    fn solve(self) -> Result<Outcome, String> {
        let limits = self.budget.command_limits(None);
        let mut source = GameSource::from(self.files);
        source.set_backend(&self.budget, None);
        let start = resolve_start(&mut source, self.test.as_deref(), None, &limits).map_err(describe)?;
        let options =
            SolveOptions { max_strategy_positions: MAX_UNREQUESTED_POSITIONS, ..SolveOptions::default() };
        let plan = Plan::new(Question {
            goal: Goal::Play,
            user_limits: UserLimits::Time,
            ..Question::new(&start.game, &start.state, &options, &limits)
        });
        let clock = Instant::now();
        let answer = plan
            .run(&NoProgress)
            .map_err(|met| faults::rules_fault_diagnostic(&source, &start.game, &start.state, &met).title)?;
        let time = clock.elapsed();
        let solution = &answer.solution;
        let proof = if solution.status == Status::Solved || !solution.strategy.is_empty() {
            proof::prove_in_memory(&source, &start, &answer, &ProofOptions::in_passing(&limits))
        } else {
            Proof::unproved("it is not solved")
        };
        let text = verdict::render(&SolvedPosition {
            game: &start.game,
            file: &source.path,
            state: &start.state,
            solution,
            strategy: answer.strategy.as_ref().map(AcceptedStrategy::statement),
            proof: &proof,
            all_moves: false,
            time,
            compile_time: source.compile_time.get(),
            runs_on: source.runs_on(&start.game).sentence,
        });
        let message = verdict::headline(&start.game, &start.state, solution);
        let data = json!({ "answered": solution.is_answered(), "text": text });
        Ok(Outcome { kind: MessageType::INFO, message, data })
    }

    /// Decides the claims; the error is a sentence.
    fn test(self) -> Result<Outcome, String> {
        let mut source = GameSource::from(self.files);
        let options = TestOptions { all: false, budget: &self.budget, progress: &NoProgress };
        let mut report = test::test_within(&mut source, &options, self.claim);
        report.silence(&source);
        if let Some(error) = report.errors.first() {
            return Err(error.title.clone());
        }
        let failures: Vec<Value> = report
            .failures
            .iter()
            .map(|found| json!({ "title": found.title, "place": source.sources.location(found.span()) }))
            .collect();
        let unknown: Vec<Value> =
            report.unknown.iter().map(|of| json!({ "claim": of.text, "reason": of.reason })).collect();
        let mut message =
            format!("{} passed, {} failed, {} unknown", report.passed, report.failed, report.unknown.len());
        let reasons = report.failures.iter().map(|found| found.title.clone());
        let reasons = reasons.chain(report.unknown.iter().map(|of| format!("`{}`: {}", of.text, of.reason)));
        reasons.take(MAX_REASONS).for_each(|reason| message += &format!("\n{reason}"));
        let kind = if report.failed > 0 { MessageType::ERROR } else { MessageType::INFO };
        let data = json!({
            "passed": report.passed, "failed": report.failed, "failures": failures, "unknown": unknown,
        });
        Ok(Outcome { kind, message, data })
    }
}

/// The maximal number of claims that a message names.
const MAX_REASONS: usize = 5;

/// The reason why a position was not set up, as a sentence.
fn describe(why: DriverError) -> String {
    match why {
        DriverError::Usage(why) | DriverError::Limit(why) => why,
        DriverError::Errors(found) => {
            found.first().map_or("the file has errors".into(), |of| of.title.clone())
        }
        DriverError::RulesFault(found) => found.title.clone(),
    }
}
