//! `bouton trace FILE --method M`: draws the tree of a search.

use clap::{Args, ValueEnum};

use super::Global;
use super::common::{PositionArgs, begin, budget, load, stop};
use super::stop::{Exit, Stop};
use super::terminal::Terminal;
use crate::driver::faults::fault_found;
use crate::driver::load::Refused;
use crate::game::Halt;
use crate::report::trace::Drawing;
use crate::solve::ahead::Plan;
use crate::solve::trace::{self, Extent, NoTree};

/// Draw the tree of a search as a textbook does
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  bouton trace two_plies.bou --method alphabeta\n  bouton trace tictactoe.bou --moves \"a1 b1 a2 b2\" --method minimax --format svg > tree.svg"
)]
pub struct TraceArgs {
    /// The file, or - for standard input
    file: String,
    /// Which search
    #[arg(long, value_enum, value_name = "METHOD")]
    method: Method,
    /// How many moves deep [default: to the end]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// What to add to a look to that depth: `quiescence=N`, `extend`, `width=N`, `average=M/N`, `games=N`, with commas
    #[arg(long, value_name = "OPTIONS", requires = "depth")]
    with: Option<String>,
    /// How to write it
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    at: PositionArgs,
}

/// The searches that can be drawn.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    /// Every node; means where chance acts.
    #[value(alias = "expectimax", alias = "expectiminimax")]
    Minimax,
    /// With what is cut off.
    Alphabeta,
    /// Won or not won.
    AndOr,
    /// Proof and disproof numbers, and the order in which nodes are expanded.
    Pns,
}

/// The output format of a tree.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
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
const NODES: usize = 2000;

/// Draws the tree.
pub fn run(args: &TraceArgs, global: &Global, terminal: &Terminal) -> Result<Exit, Stop> {
    if global.json {
        return Err(Stop::Usage("trees are not given as JSON; --format has text, dot, svg and html".into()));
    }
    let added = args.with.as_deref().unwrap_or_default();
    let depth = args.depth.map_or(0, |depth| u32::try_from(depth).unwrap_or(u32::MAX));
    let plan = Plan::to(depth).with(added).map_err(|why| Stop::Usage(format!("--with: {why}")))?;
    let extent = Extent { depth: args.depth, plan, nodes: NODES };
    let budget = budget(global, terminal)?;
    let mut text = load(&args.file, global, &budget.whole(None))?;
    let begin = begin(&mut text, &args.at, &budget, terminal)?;
    let method = match args.method {
        Method::Minimax => trace::Method::Minimax,
        Method::Alphabeta => trace::Method::AlphaBeta,
        Method::AndOr => trace::Method::AndOr,
        Method::Pns => trace::Method::Pns,
    };
    let limits = budget.whole(None);
    let tree = trace::trace(&begin.game.within(&limits), &begin.state, method, &extent, &limits);
    let root = match tree {
        Ok(root) => root,
        Err(NoTree::Limit(hit) | NoTree::Halt(Halt::Limit(hit))) => {
            return Err(Stop::Unknown(format!("no tree: {hit}")));
        }
        Err(NoTree::Halt(Halt::Fault(fault))) => {
            let found = fault_found(&begin.game, &fault);
            return Err(stop(&mut text, Refused::Broken(Box::new(found))));
        }
        Err(why) => return Err(Stop::Usage(format!("no tree: {why}"))),
    };
    let drawing = Drawing { root: &root, method, rules: &begin.game.rules };
    terminal.print(&match args.format {
        Format::Text => drawing.text(),
        Format::Dot => drawing.dot(),
        Format::Svg => drawing.svg(),
        Format::Html => drawing.html(),
    });
    Ok(Exit::Done)
}
