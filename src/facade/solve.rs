//! Solves positions as the command `bouton solve` does.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use bouton_base::clock::Instant;
use bouton_base::limits::{LimitHit, NoProgress, Progress as Listener};
use bouton_driver::budget::UserLimits;
use bouton_driver::faults::rules_fault_diagnostic;
use bouton_driver::planner::{Goal, Plan, Question};
use bouton_driver::position::StartPosition;
use bouton_driver::proof::{self, MAX_UNREQUESTED_POSITIONS, ProofOptions};
use bouton_driver::solvers;
use bouton_driver::strategy::AcceptedStrategy;
use bouton_report::proof::Proof;
use bouton_report::solve::SolvedPosition;
use bouton_search::solve::{self, Auto, Solver, SymmetryMode};

use crate::limits::ProgressListener;
use crate::project::STACK_BYTES;
use crate::{Error, Limits, Position, Progress, Solution};

/// The options of a solution. By default the value and the best moves of one position are computed, by the method that
/// fits the game, on all processors.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::time::Duration;
///
/// use bouton::{Limits, Progress, Project, SolveOptions};
///
/// let searched = Arc::new(AtomicU64::new(0));
/// let count = searched.clone();
/// let options = SolveOptions {
///     limits: Limits { time: Some(Duration::from_secs(60)), ..Limits::default() },
///     progress: Some(Arc::new(move |now: &Progress| count.store(now.positions, Ordering::Relaxed))),
///     ..SolveOptions::default()
/// };
/// Project::open("games/tictactoe.bou")?.load()?.solve(&options)?;
/// assert_eq!(searched.load(Ordering::Relaxed), 5478);
/// # Ok::<(), bouton::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct SolveOptions {
    /// The name of the method, as `bouton solve --method` takes it; `None` for the one that fits the game.
    pub method: Option<String>,
    /// True to compute the value of every reachable position.
    pub strong: bool,
    /// True to compute the value of every legal move.
    pub all_moves: bool,
    /// True to count the plies to the end, also by a method that does not need them.
    pub count_plies: bool,
    /// True if the players play for the difference of the scores.
    pub margin: bool,
    /// True to make a certificate of any size; otherwise only small ones are made and checked.
    pub certificate: bool,
    /// The number of threads; `None` for all processors. Results do not depend on it.
    pub threads: Option<usize>,
    /// The limits of the solution and its proof. Without any, a game that is too large is refused.
    pub limits: Limits,
    /// The receiver of progress reports: it is called now and then, from any thread.
    pub progress: Option<Arc<ProgressReceiver>>,
}

/// A receiver of progress reports.
type ProgressReceiver = dyn Fn(&Progress) + Send + Sync;

impl Debug for SolveOptions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SolveOptions");
        shown.field("method", &self.method).field("strong", &self.strong).field("all_moves", &self.all_moves);
        shown.field("count_plies", &self.count_plies).field("margin", &self.margin);
        shown.field("certificate", &self.certificate).field("threads", &self.threads);
        shown.field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Solves a position on threads of its own, whose stacks suffice for deep searches. Machines without threads run it on
/// this one.
pub(crate) fn solve(position: &Position, options: &SolveOptions) -> Result<Solution, Error> {
    let method = options.method.as_deref().map_or(Ok(&Auto as &dyn Solver), solvers::named);
    let method = method.map_err(|why| Error::Usage(why.to_string()))?;
    if options.count_plies && !method.counts_plies() {
        return Err(Error::Usage(format!("the method `{}` does not count plies", method.name())));
    }
    if cfg!(target_family = "wasm") {
        return solve_with(method, position, options);
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0));
    let pool = threads.stack_size(STACK_BYTES).build().map_err(|_| Error::of_limit(LimitHit::Memory))?;
    pool.install(|| solve_with(method, position, options))
}

fn solve_with(
    method: &'static dyn Solver,
    position: &Position,
    options: &SolveOptions,
) -> Result<Solution, Error> {
    let limits = &options.limits.begin();
    let loaded = position.game.parts();
    let source = position.game.source(limits);
    let begin = StartPosition::new(loaded.game.clone(), position.state.clone());
    let listener = options.progress.clone().map(ProgressListener::new);
    let progress = listener.as_ref().map_or(&NoProgress as &dyn Listener, |listener| listener);
    let search = search_options(options);
    let clock = Instant::now();
    let plan = Plan::new(Question {
        method,
        goal: Goal::Play,
        certificate: options.certificate,
        user_limits: user_limits(&options.limits),
        ..Question::new(&begin.game, &begin.state, &search, limits)
    });
    let answer = plan.run(progress).map_err(|met| {
        let found = rules_fault_diagnostic(&source, &begin.game, &begin.state, &met);
        Error::of_fault(&found, &source.sources)
    })?;
    let time = clock.elapsed();
    let solution = &answer.solution;
    let proof = if solution.is_answered() || !solution.strategy.is_empty() {
        let wanted = ProofOptions { requested: options.certificate, strong: options.strong, limits };
        proof::prove_in_memory(&source, &begin, &answer, &wanted)
    } else {
        Proof::unproved("it is not solved")
    };
    Ok(Solution::new(
        position,
        options,
        &SolvedPosition {
            game: &begin.game,
            file: &source.path,
            state: &begin.state,
            solution,
            strategy: answer.strategy.as_ref().map(AcceptedStrategy::statement),
            proof: &proof,
            all_moves: options.all_moves,
            time,
            compile_time: loaded.compile_time,
            runs_on: source.runs_on(&begin.game).sentence,
        },
    ))
}

/// The limits that the program set, as opposed to defaults.
fn user_limits(limits: &Limits) -> UserLimits {
    match (limits.time, limits.memory) {
        (Some(_), _) => UserLimits::Time,
        (None, Some(_)) => UserLimits::Memory,
        (None, None) => UserLimits::None,
    }
}

fn search_options(options: &SolveOptions) -> solve::SolveOptions {
    let &SolveOptions { strong, all_moves, margin, count_plies, certificate, .. } = options;
    solve::SolveOptions {
        strong,
        all_moves,
        margin,
        count_plies,
        // All listed replies are checked; without a certificate only as many as can be checked in passing.
        max_strategy_positions: if certificate { usize::MAX } else { MAX_UNREQUESTED_POSITIONS },
        symmetry: if certificate { SymmetryMode::Off } else { SymmetryMode::Auto },
        ..solve::SolveOptions::default()
    }
}
