//! `bouton trace FILE --method M`: draws the tree of a search.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, refusal, whole_number};
use super::exit::{CommandError, Exit};
use super::terminal::Console;
use bouton_driver::faults::fault_diagnostic;
use bouton_driver::load::DriverError;
use bouton_report::trace::TreeDrawing;
use bouton_search::game::MachineError;
use bouton_search::solve::depth_limited::DepthLimitedOptions;
use bouton_search::solve::trace::{self, TraceError, TraceLimits, TracedSearch};

/// Draw the tree of a search, as in a textbook
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton trace two_plies.bou\n  bouton trace hanoi.bou --set n=2 --method breadth-first\n  bouton trace tictactoe.bou --moves \"a1 b1 a2 b2\" --method minimax --format svg > tree.svg"
)]
pub struct TraceArgs {
    /// The file, or - for standard input
    file: String,
    /// The search method [default: one that suits the rules]
    #[arg(long, value_enum, value_name = "METHOD")]
    method: Option<TraceMethod>,
    /// The maximal depth in moves [default: to the end]
    #[arg(long, value_name = "N", value_parser = whole_number::<usize>)]
    depth: Option<usize>,
    /// Options of the search to that depth, separated by commas: `quiescence=N`, `extend`, `width=N`, `average=M/N`,
    /// `games=N`
    #[arg(long, value_name = "OPTIONS", requires = "depth")]
    with: Option<String>,
    /// The output format
    #[arg(long, value_enum, value_name = "FORM", default_value_t = TreeFormat::Text)]
    format: TreeFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    #[command(flatten)]
    at: PositionArgs,
}

/// The searches that can be drawn.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum TraceMethod {
    /// Every node; averages at chance nodes.
    #[value(alias = "expectimax", alias = "expectiminimax")]
    Minimax,
    /// With the branches that are cut off.
    Alphabeta,
    /// Alpha-beta that first searches one move after each event of chance.
    Star2,
    /// Won or not won.
    AndOr,
    /// Proof and disproof numbers, and the order in which nodes are expanded.
    Pns,
    /// The best strategies, with information sets: where something is hidden or players choose at once.
    #[value(alias = "extensive", alias = "strategies")]
    Mixed,
    /// The payoffs of all players, each of whom wants the most for himself.
    #[value(alias = "max-n", alias = "maxn")]
    BackwardInduction,
    /// The fewest moves of a single player, ply by ply.
    #[value(alias = "bfs")]
    BreadthFirst,
    /// The fewest moves of a single player, with a bound of the moves to come.
    #[value(name = "astar", alias = "a-star", alias = "plan")]
    AStar,
}

/// The output format of a tree.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum TreeFormat {
    /// Indented lines.
    Text,
    /// For Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// A page with the picture and the steps.
    Html,
}

/// The maximal number of nodes in a drawing.
const MAX_DRAWN_NODES: usize = 2000;

/// Draws the tree.
pub fn run(args: &TraceArgs, global: &Global, terminal: &Console) -> Result<Exit, CommandError> {
    if global.json {
        return Err(CommandError::Usage(
            "a tree cannot be printed as JSON; --format has text, dot, svg and html".into(),
        ));
    }
    let added = args.with.as_deref().unwrap_or_default();
    let depth = args.depth.map_or(0, |depth| u32::try_from(depth).unwrap_or(u32::MAX));
    let plan = DepthLimitedOptions::with_depth(depth)
        .with_options(added)
        .map_err(|why| CommandError::Usage(format!("--with: {why}")))?;
    let probes = args.method == Some(TraceMethod::Star2);
    let extent = TraceLimits { depth: args.depth, plan, nodes: MAX_DRAWN_NODES, probes };
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.command_limits(None))?;
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let method = args.method.map(|method| match method {
        TraceMethod::Minimax => TracedSearch::Minimax,
        TraceMethod::Alphabeta | TraceMethod::Star2 => TracedSearch::AlphaBeta,
        TraceMethod::AndOr => TracedSearch::AndOr,
        TraceMethod::Pns => TracedSearch::Pns,
        TraceMethod::Mixed => TracedSearch::Mixed,
        TraceMethod::BackwardInduction => TracedSearch::BackwardInduction,
        TraceMethod::BreadthFirst => TracedSearch::BreadthFirst,
        TraceMethod::AStar => TracedSearch::AStar,
    });
    let limits = budget.command_limits(None);
    let game = begin.game.with_limits(&limits);
    let tree = match method {
        Some(method) => {
            trace::trace(&game, &begin.state, method, &extent, &limits).map(|root| (method, root))
        }
        None => trace::trace_suited(&game, &begin.state, &extent, &limits),
    };
    let (method, root) = match tree {
        Ok(tree) => tree,
        Err(TraceError::Limit(hit) | TraceError::Halt(MachineError::Limit(hit))) => {
            return Err(CommandError::LimitReached(format!("no tree: {hit}")));
        }
        Err(TraceError::Halt(MachineError::Fault(fault))) => {
            let found = fault_diagnostic(&begin.game, &fault);
            return Err(refusal(&mut text, DriverError::RulesFault(Box::new(found))));
        }
        Err(why) => return Err(CommandError::Usage(format!("no tree: {why}"))),
    };
    let drawing = TreeDrawing { root: &root, method, rules: &begin.game.rules };
    let written = match args.format {
        TreeFormat::Text => drawing.text(),
        TreeFormat::Dot => drawing.dot(),
        TreeFormat::Svg => drawing.svg(),
        TreeFormat::Html => drawing.html(),
    };
    terminal.write(args.output.as_deref(), &written)?;
    Ok(Exit::Done)
}
