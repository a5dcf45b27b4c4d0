//! The proof-number search family: PNS, PN², df-pn, df-pn+, PDS, PN*, lambda search. It answers the question "does the
//! first player get at least t?" by expanding the positions that need the fewest further proofs, until the lower and
//! the upper bound meet.
//!
//! Technique: PNS and PN² (`pns`) hold the tree in memory; df-pn, PDS and PN* (`dfpn`) search depth first with a
//! transposition table. A series of such questions narrows the bounds of the first player's payoff; the table keeps
//! proved bounds between questions.
//! Source: Allis, van der Meulen, van den Herik (1994); Kishimoto, Winands, Mueller, Saito, "Game-tree search using
//! proof numbers: the first twenty years" (2012).
//! Cost: small where one side can force matters, so that the branching factor is low.
//! Invariant: an answer rests on terminals and, where positions repeat, on the payoff that the rules give to infinite
//! play; a limit gives bounds or nothing.

use bouton_base::rational::Rational;

use self::deepening::ThresholdRule;
use self::dfpn::Dfpn;
use self::numbers::Aggregation;
use self::pns::Pns;
use self::question::PositionExpander;
use super::alphabeta::value_search_input;
use super::extract::{SearchEngine, SearchInterrupted, SearchProgress, SolutionBuilder};
use super::graph_labelling::REQUESTED_REASON;
use super::leaf_value::SearchObjective;
use super::payoffs;
use super::ranking_function::RankingFunction;
use super::solver::{ResumableSearch, SolveRequest, Solver};
use super::transpositions::{SCORE_MAX, SCORE_MIN};
use super::{Inapplicable, Solution, SolveOptions};
use crate::game::explore::FaultyPosition;
use crate::game::{CompiledMachine, Game};
use bouton_base::limits::{LimitHit, Limits};
use bouton_circuit::Position;

pub mod deepening;
mod dfpn;
pub mod numbers;
mod path;
mod pns;
pub(super) mod question;
mod table;
mod threats;
pub mod tree;
mod widening;

/// The memory budget of a search in bytes if no limit is set.
const DEFAULT_MEMORY_BYTES: u64 = 1 << 30;

/// The initial proof and disproof numbers of a position that is not expanded yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InitialNumbers {
    /// 1 and 1.
    #[default]
    Unit,
    /// For df-pn: 1 and 1 after a move that threatens to win at once, where the rules show such moves; any other move
    /// costs its mover more.
    Threats,
    /// As [`Threats`](Self::Threats), and the worse the rules' `evaluate` rates the position after a move for its
    /// mover, the more the move costs.
    Evaluation,
    /// 1 for the mover to prove his goal, and the number of moves for the other side. The search expands the position
    /// for that, so a position that one move decides is answered at once.
    Mobility,
}

/// The reason why df-pn+ does not apply: it needs an evaluation.
const NO_GUESSES: &str = "the rules have no `evaluate` that estimates the value of positions";

/// The parameters of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PnSearchOptions {
    /// The rule that combines the numbers of moves.
    pub aggregation: Aggregation,
    /// The initial numbers of positions.
    pub initial: InitialNumbers,
    /// For depth-first searches: the thresholds that end the search of a move.
    pub deepening: ThresholdRule,
    /// The fraction by which thresholds rise there (1 + epsilon).
    pub epsilon: (u32, u32),
    /// For PNS, delayed evaluation: true if the search detects a terminal only when it expands the terminal itself, not
    /// when it expands the position before.
    pub delayed_evaluation: bool,
    /// For df-pn: the highest order of the threat attacks (lambda search) below the root, where one more order is
    /// tried; 0 for none.
    pub threat_order: usize,
    /// For attacks: true if the attacker may answer a threat of the other side by a move that threatens nothing (dual
    /// lambda search).
    pub dual_threats: bool,
    /// For df-pn: the search considers one unrefuted move plus this fraction of the others (focused df-pn); `None` for
    /// all.
    pub focus: Option<(u32, u32)>,
    /// For df-pn with initial numbers by evaluation (df-pn+): true if the penalty of a move is an edge cost that
    /// applies at each visit, not only part of the initial numbers.
    pub evaluation_costs: bool,
    /// For df-pn: true if passes before the search take a decisive evaluation for an answer (pseudo-proof iteration).
    pub pseudo_proofs: bool,
}

/// The order in which a search visits positions, and its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchOrder {
    /// Depth first, with a table.
    DepthFirst,
    /// Best first, with the tree in memory.
    BestFirst,
    /// Best first, with the numbers of each new node by a second search.
    TwoLevels,
}

/// A solver of this family.
#[derive(Clone, Copy, Debug)]
pub struct ProofNumberSolver {
    name: &'static str,
    description: &'static str,
    order: SearchOrder,
    /// The parameters of the search.
    pub tuning: PnSearchOptions,
}

/// Df-pn: depth-first proof-number search.
pub const DFPN: ProofNumberSolver = ProofNumberSolver {
    name: "dfpn",
    description: "df-pn: depth-first proof-number search, with a transposition table",
    order: SearchOrder::DepthFirst,
    tuning: PnSearchOptions {
        aggregation: Aggregation::Weak,
        initial: InitialNumbers::Threats,
        deepening: ThresholdRule::NextBest,
        epsilon: (1, 4),
        delayed_evaluation: false,
        threat_order: 0,
        dual_threats: false,
        focus: None,
        evaluation_costs: false,
        pseudo_proofs: false,
    },
};

/// Df-pn+: initial numbers from the evaluation of the rules.
pub const DFPN_PLUS: ProofNumberSolver = ProofNumberSolver {
    name: "dfpn-plus",
    description: "df-pn+: df-pn with initial numbers from the rules' `evaluate`",
    tuning: PnSearchOptions { initial: InitialNumbers::Evaluation, ..DFPN.tuning },
    ..DFPN
};

/// Pseudo-proof iteration: passes that rest less and less on the evaluation of the rules.
pub const WIDENING: ProofNumberSolver = ProofNumberSolver {
    name: "widening",
    description: "df-pn in passes that rest less and less on the rules' `evaluate`",
    tuning: PnSearchOptions { pseudo_proofs: true, ..DFPN.tuning },
    ..DFPN
};

/// PDS: thresholds for both numbers.
pub const PDS: ProofNumberSolver = ProofNumberSolver {
    name: "pds",
    description: "PDS: df-pn with thresholds for both numbers",
    tuning: PnSearchOptions { deepening: ThresholdRule::Both, ..DFPN.tuning },
    ..DFPN
};

/// PN*: a threshold for the proof number.
pub const PN_STAR: ProofNumberSolver = ProofNumberSolver {
    name: "pn-star",
    description: "PN*: df-pn with a threshold for the proof number alone",
    tuning: PnSearchOptions { deepening: ThresholdRule::Proof, ..DFPN.tuning },
    ..DFPN
};

/// PNS: best-first proof-number search.
pub const PNS: ProofNumberSolver = ProofNumberSolver {
    name: "pns",
    description: "PNS: best-first proof-number search, with the tree in memory",
    order: SearchOrder::BestFirst,
    tuning: PnSearchOptions { aggregation: Aggregation::Sum, initial: InitialNumbers::Unit, ..DFPN.tuning },
};

/// PN2: best-first proof-number search on two levels.
pub const PN2: ProofNumberSolver = ProofNumberSolver {
    name: "pn2",
    description: "PN2: best-first proof-number search on two levels",
    order: SearchOrder::TwoLevels,
    ..PNS
};

/// Focused df-pn: the first few moves that are not refuted.
pub const FOCUSED: ProofNumberSolver = ProofNumberSolver {
    name: "focused",
    description: "df-pn on the first few moves that are not refuted",
    tuning: PnSearchOptions { focus: Some((1, 4)), ..DFPN.tuning },
    ..DFPN
};

/// Lambda search: attacks by threats.
pub const LAMBDA: ProofNumberSolver = ProofNumberSolver {
    name: "lambda",
    description: "lambda search: df-pn with attacks by threats",
    tuning: PnSearchOptions { threat_order: 2, ..DFPN.tuning },
    ..DFPN
};

/// Dual lambda search: the attacker also answers threats.
pub const DUAL_LAMBDA: ProofNumberSolver = ProofNumberSolver {
    name: "dual-lambda",
    description: "lambda search in which the attacker also answers threats",
    tuning: PnSearchOptions { dual_threats: true, ..LAMBDA.tuning },
    ..DFPN
};

impl Solver for ProofNumberSolver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn counts_plies(&self) -> bool {
        false
    }

    fn applies(&self, request: &SolveRequest<'_>) -> Result<(), Inapplicable> {
        if self.needs_evaluation() && request.game.rules.evaluate.is_none() {
            return Err(NO_GUESSES.into());
        }
        PnProblem::of(request).map(|_| ())
    }

    fn picked_reason(&self) -> Option<&'static str> {
        Some("the positions are too many to list first, so a proof-number search looks for the value")
    }

    fn resumable<'a>(&self, request: &SolveRequest<'a>) -> Option<Box<dyn ResumableSearch + 'a>> {
        Some(Box::new(self.begin(request).ok()?))
    }

    fn solve(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        self.search(request, true)
    }
}

/// A search that answers questions about positions.
trait QuestionSolver<'a> {
    /// Returns true if the first player gets at least `t`.
    fn answer(&mut self, at: &Position, t: i32) -> Result<bool, SearchInterrupted>;

    /// Searches a position although its answer is known, so that the answers of the moves that it rests on become
    /// known.
    fn re_search(&mut self, _at: &Position, _t: i32) -> Result<(), SearchInterrupted> {
        Ok(())
    }

    /// Returns the answer if it is known without a search.
    fn known_answer(&self, _at: &Position, _t: i32) -> Option<bool> {
        None
    }

    /// Returns the approximate number of positions that the search expanded for its knowledge of this one; 0 if it
    /// keeps no count.
    fn effort(&self, _at: &Position) -> u64 {
        0
    }

    /// The expander of positions.
    fn expander(&self) -> &PositionExpander<'a>;

    /// The expander of positions, mutable.
    fn expander_mut(&mut self) -> &mut PositionExpander<'a>;

    /// The peak memory in bytes.
    fn held_bytes(&self) -> u64;

    /// The path of a search that ended early, from its root.
    fn path(&self) -> Vec<Position>;
}

impl<'a> SearchEngine for Box<dyn QuestionSolver<'a> + 'a> {
    fn machine(&self) -> &CompiledMachine {
        self.expander().worth.asked.machine
    }

    fn limits(&self) -> &Limits {
        self.expander().limits
    }

    fn nodes(&self) -> u64 {
        self.expander().nodes
    }

    fn set_node_limit(&mut self, nodes: u64) {
        self.expander_mut().max_nodes = nodes;
    }

    fn held_bytes(&self) -> u64 {
        self.as_ref().held_bytes()
    }

    fn score_sign(&self) -> Option<i64> {
        self.expander().worth.score_sign
    }

    fn range(&self) -> (i32, i32) {
        self.expander().worth.asked.range
    }

    fn infinite_payoff(&self) -> Option<i32> {
        self.expander().infinite_payoff()
    }

    fn path(&self) -> Vec<Position> {
        self.as_ref().path()
    }

    fn value(&mut self, at: &Position, bounds: &mut (i32, i32)) -> Result<(), SearchInterrupted> {
        let (low, high) = bounds;
        let mut step = 1;
        while low < high {
            // While one bound is unknown, the distance to the known one doubles with each question.
            let t = match (*low == SCORE_MIN, *high == SCORE_MAX) {
                (true, true) => 0,
                (true, false) => high.saturating_sub(step - 1).max(SCORE_MIN + 1),
                (false, true) => low.saturating_add(step).min(SCORE_MAX),
                (false, false) => *low + (*high - *low + 1) / 2,
            };
            step = step.saturating_mul(2);
            if self.answer(at, t)? {
                *low = t;
            } else {
                *high = t - 1;
            }
        }
        Ok(())
    }

    fn re_search(&mut self, at: &Position, maximises: bool, value: i32) -> Result<(), SearchInterrupted> {
        let t = if maximises { value } else { value + 1 };
        let (least, greatest) = self.range();
        if t > least && t <= greatest { self.as_mut().re_search(at, t) } else { Ok(()) }
    }

    fn known_to_keep_value(&self, to: &Position, maximises: bool, value: i32) -> Option<u64> {
        let known = self.known_answer(to, if maximises { value } else { value + 1 })?;
        (known == maximises).then(|| self.effort(to))
    }

    fn keeps_value(&mut self, to: &Position, maximises: bool, value: i32) -> Result<bool, SearchInterrupted> {
        let t = if maximises { value } else { value + 1 };
        let (least, greatest) = self.range();
        // A value beyond the range of all terminals needs no search.
        let yes = if t <= least { true } else { t <= greatest && self.answer(to, t)? };
        Ok(yes == maximises)
    }
}

/// Returns the payoff of infinite play to the first player; or the reason why it is unknown, in one sentence.
fn endless(game: &Game, options: &SolveOptions, sum: Rational) -> Result<i32, Inapplicable> {
    let payoffs = match payoffs::constant_infinite_payoffs(&game.rules) {
        _ if options.margin => None,
        Ok(payoffs) => payoffs.filter(|payoffs| payoffs.iter().sum::<Rational>() == sum),
        Err(Inapplicable::Reason(reason)) => return Err(format!("{MAY_REPEAT}, and {reason}").into()),
        Err(Inapplicable::Limit(hit)) => return Err(hit.into()),
    };
    let first = payoffs.and_then(|payoffs| payoffs.first()?.as_i64());
    let first = first.and_then(|first| i32::try_from(first).ok());
    let first = first.filter(|first| (SCORE_MIN + 1..SCORE_MAX).contains(first));
    first.ok_or_else(|| {
        format!("{MAY_REPEAT}, and no `repeat` rule gives infinite play a value in whole numbers").into()
    })
}

/// The reason why infinite play needs a payoff.
const MAY_REPEAT: &str = "the solver found no ranking function that increases along every play, so positions \
    may come back";

/// The data that these methods need about a position.
struct PnProblem<'g> {
    machine: &'g CompiledMachine,
    from: Position,
    sum: Rational,
    measure: Option<RankingFunction>,
    endless: Result<i32, Inapplicable>,
}

impl<'g> PnProblem<'g> {
    fn of(request: &SolveRequest<'g>) -> Result<PnProblem<'g>, Inapplicable> {
        let &SolveRequest { game, state, options, limits, .. } = request;
        let (machine, from, sum) = value_search_input(game, state, options)?;
        let measure = RankingFunction::find(machine.runner(), &from, limits);
        let endless = endless(game, options, sum.clone());
        match (&measure, &endless, limits.check()) {
            (None, _, Some(hit)) => Err(hit.into()),
            (None, Err(reason), None) => Err(reason.clone()),
            _ => Ok(PnProblem { machine, from, sum, measure, endless }),
        }
    }
}

impl ProofNumberSolver {
    /// The same solver with other parameters.
    pub fn with_tuning(self, tuning: PnSearchOptions) -> ProofNumberSolver {
        ProofNumberSolver { tuning, ..self }
    }

    /// Returns true if the search rests on the evaluation of the rules.
    fn needs_evaluation(&self) -> bool {
        self.tuning.pseudo_proofs || self.tuning.initial == InitialNumbers::Evaluation
    }

    /// Returns the value of a position without moves.
    pub fn value(&self, request: &SolveRequest<'_>) -> Result<Solution, Box<FaultyPosition>> {
        self.search(request, false)
    }

    /// Solves a position, with best moves and a principal variation if `best_moves` is true. If the solver does not
    /// apply, the solution holds the reason.
    fn search(&self, request: &SolveRequest<'_>, best_moves: bool) -> Result<Solution, Box<FaultyPosition>> {
        match self.begin(request) {
            Ok(mut begun) => {
                let mut solution = Solution::unknown(self.name, REQUESTED_REASON, "");
                begun.teller.solve(&begun.from, request.options, best_moves, &mut solution)?;
                Ok(solution)
            }
            Err(reason) => {
                let limit = request.limits.check();
                let solution = Solution::inapplicable(self.name, REQUESTED_REASON, reason);
                Ok(Solution { limit: limit.or(solution.limit), ..solution })
            }
        }
    }

    /// Prepares a search of a position; the error is the reason why the solver does not apply.
    fn begin<'a>(&self, request: &SolveRequest<'a>) -> Result<ProofNumberSearch<'a>, Inapplicable> {
        let &SolveRequest { game, options, limits, progress, .. } = request;
        let guesses = self.needs_evaluation();
        if guesses && game.rules.evaluate.is_none() {
            return Err(NO_GUESSES.into());
        }
        let PnProblem { machine, from, sum, measure, endless } = PnProblem::of(request)?;
        let most = limits.memory_bytes.map_or(DEFAULT_MEMORY_BYTES, |bytes| bytes - bytes / 16);
        let asked = SearchObjective::of(machine, game, options, false);
        let mut eyes = PositionExpander::new(asked, measure, endless, limits, progress);
        eyes.evaluating_game = guesses.then_some(game);
        let two_levels = self.order == SearchOrder::TwoLevels;
        let search: Box<dyn QuestionSolver<'a> + 'a> = match self.order {
            SearchOrder::DepthFirst => {
                let dfpn = Dfpn::new(eyes, self.tuning, most);
                Box::new(dfpn.ok_or(Inapplicable::Limit(LimitHit::Memory))?)
            }
            _ => Box::new(Pns::new(eyes, self.tuning, two_levels, most)),
        };
        progress.phase("searching");
        let teller = SolutionBuilder {
            game,
            search,
            sum,
            margin: options.margin,
            plies: false,
            before: Vec::new(),
            value_nodes: u64::MAX,
        };
        Ok(ProofNumberSearch { name: self.name, teller, from, options: *options })
    }
}

/// A search of one position that can be resumed.
struct ProofNumberSearch<'a> {
    name: &'static str,
    teller: SolutionBuilder<'a, Box<dyn QuestionSolver<'a> + 'a>>,
    from: Position,
    options: SolveOptions,
}

impl ResumableSearch for ProofNumberSearch<'_> {
    fn resume(&mut self, positions: u64) -> Result<Option<Solution>, Box<FaultyPosition>> {
        let mut solution = Solution::unknown(self.name, REQUESTED_REASON, "");
        self.teller.value_nodes = positions;
        let state = self.teller.solve(&self.from, &self.options, true, &mut solution)?;
        solution.positions = self.teller.search.nodes();
        Ok((state == SearchProgress::Ended).then_some(solution))
    }
}
