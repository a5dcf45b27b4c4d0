//! `bouton report`: solves a game, proves the result as far as possible, and collects all that the report shows.

use std::path::Path;
use std::time::Duration;

use super::budget::Budget;
use super::check::with_deadline;
use super::load::{DriverError, GameSource, shell_quote};
use super::planner::{Goal, Plan, Question};
use super::position::StartPosition;
use super::proof::{self, ProofOptions};
use super::strategy::AcceptedStrategy;
use super::{faults, table_file};
use bouton_base::limits::Progress;
use bouton_base::rational::Rational;
use bouton_certificates::{Lemma, Tier};
use bouton_report::page::{
    BoardView, FirstMove, HistogramBar, MoveOutcome, Overlay, Page, PayoffMatrix, ResultStatus, SURE_PLAN,
    Strategy, StrategySummary, svg,
};
use bouton_report::proof::{AcceptedProof, Proof};
use bouton_report::verdict::{headline, value_words};
use bouton_report::words::{count_with_noun, group_digits, move_sequence};
use bouton_report::{mixed, numbers, policy};
use bouton_rules::Rules;
use bouton_search::game::explore::FaultyPosition;
use bouton_search::game::picture::picture;
use bouton_search::game::{ToMove, draw};
use bouton_search::solve::histogram::ValueHistogram;
use bouton_search::solve::several_players::MaxN;
use bouton_search::solve::solved_graph::SolvedGraph;
use bouton_search::solve::{MoveValue, Solution, SolveOptions, Solver, Status, Value, ValueKind};

mod figures;
mod playable;
mod sample_plays;
mod variants;

/// The default time limit of a report.
pub const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The maximal number of values that the numbers of positions are listed by; more are put together by ranges.
const MAX_BARS: usize = 24;
/// The number of ranges of values.
const RANGES: i64 = 10;
/// The digits after the point of the ends of a range.
const RANGE_PLACES: u32 = 4;

/// The time limit of the figures of play of a position that is not solved.
const FIGURES_TIME: Duration = Duration::from_secs(20);
/// The time limit of those of a solved position.
const SOLVED_FIGURES_TIME: Duration = Duration::from_secs(5);
/// One part in this number of the user's time limit is left to them.
const FIGURES_TIME_DIVISOR: u32 = 3;

/// The request for a report.
pub struct ReportRequest<'a> {
    /// The resources of the report.
    pub budget: &'a Budget,
    /// The flags that name the position and the table, as typed.
    pub position: Vec<String>,
    /// A table file to use instead of solving.
    pub table: Option<&'a table_file::TableFile>,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

/// A report with the status of the solution.
pub struct ReportOutcome {
    pub page: Page,
    /// True if the position is solved.
    pub solved: bool,
}

/// Makes the report of a position.
pub fn report(
    text: &mut GameSource,
    start: &StartPosition,
    asked: &ReportRequest<'_>,
) -> Result<ReportOutcome, DriverError> {
    // A time limit of the user is for the whole report.
    let whole = asked.budget.limits(None);
    let limits = match whole.deadline {
        Some(_) => whole.without_time_share(FIGURES_TIME_DIVISOR),
        None => asked.budget.limits(Some(DEFAULT_TIME)),
    };
    let options = SolveOptions {
        all_moves: true,
        max_strategy_positions: proof::MAX_UNREQUESTED_POSITIONS,
        ..SolveOptions::default()
    };
    let question = Question::new(&start.game, &start.state, &options, &limits);
    let user_limits = asked.budget.user_limits();
    let plan = Plan::new(Question { user_limits, goal: Goal::Play, ..question });
    let remembered = plan.strategy(&limits);
    let answer = match asked.table {
        Some(table) => table.solution(&start.game, &start.state, &limits, asked.progress)?.into(),
        None => plan.run(asked.progress).map_err(|met| rules_fault(text, start, &met))?,
    };
    let solution = &answer.solution;
    // A strategy without moves is better than none, and worse than a table.
    let tells = |found: &&AcceptedStrategy| found.names_moves && found.is_rule || solution.table.is_none();
    let remembered = remembered.filter(|found| found.solution.value == solution.value).filter(tells);
    let proof = match solution.status {
        _ if !solution.strategy.is_empty() => {
            proof::prove_in_memory(text, start, &answer, &ProofOptions::in_passing(&limits))
        }
        Status::Solved => proof::prove_in_memory(text, start, &answer, &ProofOptions::in_passing(&limits)),
        _ => Proof::unproved("it is not solved"),
    };
    let mover = match start.game.machine.turn(&start.state) {
        Ok(ToMove::Player(player)) => Some(player),
        _ => None,
    };
    // The strategy shown may be proved for every size, besides the proof for this size.
    let told = remembered.filter(|_| solution.strategy.is_empty());
    let always = match told.filter(|_| proof.result.as_ref().is_ok_and(|of| of.tier != Tier::Parametric)) {
        Some(found) => proof::prove_for_all(text, start, &found.solution, &ProofOptions::in_passing(&limits)),
        None => None,
    };
    let always = always.and_then(|proof| proof.result.ok());
    let teller = PageBuilder { start, solution, proof: &proof, always: always.as_ref(), mover };
    let mut strategy = match remembered {
        Some(found) => Strategy::rule(&found.how, &found.why, found.overlay.clone()),
        None => teller.strategy(),
    };
    let moves = teller.moves();
    let (plays, tree) = match (teller.table(), &solution.value) {
        (Some(table), Some(value)) => {
            let walk = sample_plays::PlayExtractor::new(start, table, value, mover);
            (walk.plays(), walk.tree())
        }
        _ => (Vec::new(), None),
    };
    let wins = matches!(solution.value.as_ref().map(|value| value.kind), Some(ValueKind::Win(_)));
    if remembered.is_some() && wins && plays.iter().any(|play| play.plies.len() > 1) {
        let quickest =
            "The plays and the tree below take the quickest win, also where this rule plays otherwise.";
        strategy.sentences.push(quickest.into());
    }
    if let Some(tree) = tree.as_ref().filter(|_| remembered.is_none()) {
        strategy.add_first_answers(tree, mover.map_or("", |mover| teller.player(mover)));
    }
    let mut otherwise = teller.first_mistakes(&moves);
    otherwise.extend(variants::variants(text, start, solution, &limits));
    let rules = &start.game.rules;
    let page = Page {
        schema: "bouton-report/1",
        game: rules.name.clone(),
        file: text.path.clone(),
        about: rules.doc.clone(),
        params: numbers::params(rules),
        verdict: headline(&start.game, &start.state, solution),
        standing: teller.standing(),
        board: board(start, &strategy.overlay, &moves),
        matrix: teller.matrix(),
        strategy,
        moves,
        plays,
        tree,
        histogram: teller.histogram(),
        figures: match solution.is_answered() {
            true if rules.players().len() == 1 => Vec::new(),
            is_solved => {
                let time = if is_solved { SOLVED_FIGURES_TIME } else { FIGURES_TIME };
                figures::figures(start, is_solved, &with_deadline(&whole, time))
            }
        },
        otherwise,
        checked: teller.checked(),
        unchecked: teller.unchecked(),
        certificate: proof.result.as_ref().ok().map(|proved| proved.root.clone()),
        commands: commands(text, asked, solution.status == Status::Solved || proof.text.is_some()),
        playable: teller
            .table()
            .zip(solution.value.as_ref())
            .and_then(|(table, value)| playable::playable(start, table, value)),
    };
    Ok(ReportOutcome { page, solved: solution.is_answered() || solution.has_all_equilibria() })
}

fn rules_fault(text: &GameSource, start: &StartPosition, met: &FaultyPosition) -> DriverError {
    DriverError::RulesFault(Box::new(faults::rules_fault_diagnostic(text, &start.game, &start.state, met)))
}

/// The position, coloured by the values of the first moves if the strategy draws nothing and each move is named by a
/// cell.
fn board(start: &StartPosition, overlay: &Overlay, moves: &[FirstMove]) -> BoardView {
    let picture = picture(&start.game, &start.state);
    let mut values = Vec::new();
    if let Some(panel) = picture.panels.first() {
        let at = |first: &FirstMove| panel.cells.iter().position(|cell| cell.name == first.name);
        values = moves.iter().filter_map(|first| Some((at(first)? as u32, first.worth))).collect();
    }
    let by_cells = *overlay == Overlay::None && !values.is_empty() && values.len() == moves.len();
    let overlay = if by_cells { Overlay::Values(values) } else { overlay.clone() };
    let mut legend = overlay.legend();
    let meanings: Vec<String> = picture.symbols.iter().map(|(sign, word)| format!("{sign} {word}")).collect();
    legend.extend((!meanings.is_empty()).then(|| meanings.join(" · ")));
    legend.extend(picture.facts.iter().cloned());
    legend.push(picture.status.clone());
    BoardView {
        text: draw::draw(&start.game, &start.state),
        svg: svg(&picture, &overlay).map_or(String::new(), maud::Markup::into_string),
        legend,
    }
}

/// The commands that reproduce the report, with those of a certificate if there can be one.
fn commands(text: &GameSource, asked: &ReportRequest<'_>, has_certificate: bool) -> Vec<String> {
    let words: Vec<String> =
        [shell_quote(&text.path)].into_iter().chain(text.flags.iter().cloned()).collect();
    let position: String = asked.position.iter().map(|word| format!(" {word}")).collect();
    let file = words.join(" ");
    let stem =
        Path::new(&text.path).file_stem().map_or("game".into(), |stem| stem.to_string_lossy().to_string());
    let certificate = shell_quote(&format!("{stem}.cert"));
    let page = shell_quote(&format!("{stem}.html"));
    let mut commands = vec![format!("bouton report {file}{position} --format html -o {page}")];
    if let Some(table) = asked.table {
        let universe = table.universe().map(|words| format!(" --universe {}", shell_quote(words)));
        let universe = universe.unwrap_or_default();
        commands
            .push(format!("bouton solve {file} --strong{universe} --table {}", shell_quote(table.path())));
    } else if has_certificate {
        commands.push(format!("bouton solve {file}{position} --certificate {certificate}"));
        commands.push(format!("bouton verify {certificate} {file}"));
    }
    commands
}

/// The results, from which the sections of the page are built.
struct PageBuilder<'a> {
    start: &'a StartPosition,
    solution: &'a Solution,
    proof: &'a Proof,
    /// The additional proof for every size.
    always: Option<&'a AcceptedProof>,
    mover: Option<u32>,
}

impl PageBuilder<'_> {
    fn player(&self, player: u32) -> &str {
        self.start.game.rules.players().get(player as usize).map_or("?", String::as_str)
    }

    /// The values of all positions, if the table is complete.
    fn table(&self) -> Option<&SolvedGraph> {
        self.solution.table.as_deref().filter(|table| table.is_complete())
    }

    fn standing(&self) -> ResultStatus {
        let scope = self.proof.scope(&self.start.game.rules);
        let for_these = if scope.is_empty() { String::new() } else { format!(" It holds for {scope} only.") };
        let words = match (&self.proof.result, self.solution.status) {
            (Ok(proved), _) if proved.tier == Tier::Parametric => format!(
                "Proved: {}. An independent checker verified the proofs of a plan for all these values (tier {}).\
                 {for_these}",
                proved.claim,
                proved.tier.name()
            ),
            (Ok(proved), _) => format!(
                "Proved: {}. An independent checker accepted a certificate {} (tier {}).{for_these}",
                proved.claim,
                match (proved.tier, proved.listed) {
                    (Tier::Explicit, 0) if proved.kinds == SURE_PLAN =>
                        "and visited every position that its plan allows",
                    (Tier::Explicit, 0) => "and visited every reachable position",
                    (Tier::Explicit, _) => "that lists every relevant position",
                    _ => "and checked every move of the rules written out",
                },
                proved.tier.name()
            ),
            (Err(reason), Status::Solved) => {
                format!("Computed by search, not checked independently: {reason}.{for_these}")
            }
            (Err(_), Status::Enclosed) => {
                format!("Computed to within 1e-9, not checked independently.{for_these}")
            }
            _ => "Not solved.".to_owned(),
        };
        let words = match self.always {
            Some(always) => format!("{words} Besides, this is proved {}.", always.claim),
            None => words,
        };
        let short = match (&self.proof.result, self.solution.status) {
            (Ok(proved), _) => format!("Proved: {}.", proved.claim),
            (Err(_), Status::Solved | Status::Enclosed) => "Computed, not proved.".into(),
            _ => String::new(),
        };
        ResultStatus {
            short,
            tier: self.proof.result.as_ref().map_or("none", |proved| proved.tier.name()),
            scope,
            checked: self.proof.result.is_ok(),
            words,
        }
    }

    fn matrix(&self) -> Option<PayoffMatrix> {
        let choice = self.solution.mixed.as_ref()?.matrix.as_ref()?;
        PayoffMatrix::of(self.start.game.rules.players(), choice)
    }

    fn strategy(&self) -> Strategy {
        if let Some(play) = self.solution.profile() {
            let players = self.start.game.rules.players().len();
            return Strategy::mixed(
                &mixed::strategy_lines(&self.start.game, play, mixed::MAX_REPORT_LINES),
                players,
                self.proof,
            );
        }
        if let [Lemma::SurePlan(plan)] = &self.solution.strategy[..] {
            return Strategy::untold_plan(self.player(plan.bound.holder.unwrap_or(0)));
        }
        let Some(value) = &self.solution.value else {
            let equilibria: Vec<String> =
                self.solution.mixed.iter().flat_map(|play| mixed::equilibria(play)).collect();
            if !equilibria.is_empty() {
                return Strategy::equilibria(&equilibria, self.proof);
            }
            let reason = self.solution.reason.as_deref().unwrap_or("the position is not solved");
            if self.solution.status == Status::Enclosed && !self.solution.best_moves.is_empty() {
                let best: Vec<String> =
                    self.solution.best_moves.iter().map(|made| made.written.clone()).collect();
                return Strategy::enclosed(&best);
            }
            let is_equilibrium = self.proof.result.as_ref().is_ok_and(|proved| proved.kinds == "equilibrium");
            let play: Vec<&str> = self.solution.line.iter().map(|made| made.written.as_str()).collect();
            if is_equilibrium && !play.is_empty() {
                return Strategy::equilibria(
                    &[format!("One equilibrium begins with {}", move_sequence(&play))],
                    self.proof,
                );
            }
            return Strategy::unknown(reason);
        };
        if self.mover.is_none() && !self.chance_acts() {
            return Strategy::unknown("it is no player's turn");
        }
        let players = self.start.game.rules.players();
        let (holder, gets) = match value.kind {
            ValueKind::Win(winner) => (Some(winner), "a win".to_string()),
            ValueKind::Draw => (None, "a draw".to_string()),
            ValueKind::Solved => (Some(0), "reaching the goal".to_string()),
            _ => (None, value_words(&self.start.game.rules, value, None)),
        };
        let best: Vec<String> = self.solution.best_moves.iter().map(|made| made.written.clone()).collect();
        let policies_of = |table| policy::policies(&self.start.game, &self.start.state, table);
        let policies = self.table().map_or_else(Vec::new, policies_of);
        let told = StrategySummary {
            holder: holder.map(|h| self.player(h)),
            players,
            begins: holder.is_none() || holder == self.mover,
            gets: &gets,
            best: &best,
            plies: self.solution.remoteness,
            has_chance: self.start.game.rules.moves.iter().any(|of| of.chance),
            table: self.table().is_some(),
            policies,
            each_for_himself: players.len() > 2 || self.solution.method == MaxN.name(),
            proof: self.proof,
        };
        let line = &self.solution.line;
        let plan: Vec<String> = line.iter().map(|made| made.written.clone()).collect();
        match value.kind {
            ValueKind::Unsolvable => Strategy::hopeless(&told),
            ValueKind::Solved if !plan.is_empty() && !told.has_chance && self.line_ends() => {
                Strategy::plan(&told, &plan)
            }
            _ if self.mover.is_none() => Strategy::after_chance(&told),
            _ => Strategy::listed(&told),
        }
    }

    /// Returns true if the line is complete and ends the game.
    fn line_ends(&self) -> bool {
        let machine = &self.start.game.machine;
        let mut at = self.start.state.clone();
        for made in &self.solution.line {
            let successors = machine.successors(&at).unwrap_or_default();
            let Some(next) = successors.into_iter().find(|next| next.play == made.play) else { return false };
            at = next.state;
        }
        self.solution.line_complete && matches!(machine.turn(&at), Ok(ToMove::Terminal(_)))
    }

    /// Returns true if chance acts first.
    fn chance_acts(&self) -> bool {
        matches!(self.start.game.machine.turn(&self.start.state), Ok(ToMove::Chance))
    }

    fn moves(&self) -> Vec<FirstMove> {
        let rules = &self.start.game.rules;
        let mover = self.mover.unwrap_or(0);
        let payoffs =
            self.solution.moves.iter().filter_map(|m| m.value.as_ref()?.payoffs.get(mover as usize));
        let (least, most) = (payoffs.clone().min().cloned(), payoffs.max().cloned());
        let worth = |value: &Value| match value.kind {
            ValueKind::Win(winner) if winner == mover => MoveOutcome::Win,
            ValueKind::Win(_) | ValueKind::Unsolvable => MoveOutcome::Loss,
            ValueKind::Solved => MoveOutcome::Win,
            ValueKind::Draw => MoveOutcome::Draw,
            ValueKind::Payoff => match value.payoffs.get(mover as usize).cloned() {
                _ if least == most => MoveOutcome::Draw,
                own if own == most => MoveOutcome::Win,
                own if own == least => MoveOutcome::Loss,
                _ => MoveOutcome::Draw,
            },
        };
        let first = |m: &MoveValue| FirstMove {
            name: m.made.written.clone(),
            words: m.value.as_ref().map_or("not known".into(), |v| value_words(rules, v, m.remoteness)),
            worth: m.value.as_ref().map_or(MoveOutcome::Unknown, worth),
            // Without a value, these are the moves of some equilibrium; of a puzzle without a way, no move is best.
            best: self.solution.value.as_ref().is_some_and(|value| value.kind != ValueKind::Unsolvable)
                && self.solution.best_moves.iter().any(|best| best.play == m.made.play),
        };
        let mut moves: Vec<FirstMove> = self.solution.moves.iter().map(first).collect();
        if moves.iter().all(|first| first.worth == MoveOutcome::Unknown) {
            moves.clear();
        }
        moves
    }

    fn histogram(&self) -> Vec<HistogramBar> {
        let rules = &self.start.game.rules;
        let by_table = || self.solution.tally.as_ref().map_or(Vec::new(), ValueHistogram::histogram);
        let bars = self.table().map_or_else(by_table, SolvedGraph::histogram);
        if let Some(by_value) = by_value(rules, &bars).filter(|_| bars.len() > MAX_BARS) {
            return by_value;
        }
        if bars.len() > MAX_BARS
            && let Some(binned) = binned(rules, &bars)
        {
            return binned;
        }
        let bar = |(value, remoteness, positions)| HistogramBar {
            value: value_words(rules, &value, None),
            remoteness,
            positions,
        };
        bars.into_iter().map(bar).collect()
    }

    /// Describes which first moves give value away.
    fn first_mistakes(&self, moves: &[FirstMove]) -> Vec<String> {
        let (Some(mover), Some(value)) = (self.mover, &self.solution.value) else { return Vec::new() };
        if moves.is_empty() {
            return Vec::new();
        }
        let own = value.payoffs.get(mover as usize);
        let keeps = |m: &&MoveValue| m.value.as_ref().is_some_and(|v| v.payoffs.get(mover as usize) >= own);
        let known = self.solution.moves.iter().all(|m| m.value.is_some());
        let kept = self.solution.moves.iter().filter(keeps).count();
        let (all, name) = (self.solution.moves.len(), self.player(mover));
        if !known || all < 2 {
            return Vec::new();
        }
        if kept == all && value.kind == ValueKind::Solved {
            return self.first_moves_of_plans();
        }
        if kept == all {
            let all = if all == 2 { "both".to_owned() } else { format!("all {all}") };
            return vec![format!("Not by the first move: {all} are worth the same to {name}.")];
        }
        let lost = moves.iter().zip(&self.solution.moves).filter(|(_, m)| !keeps(m));
        let told: Vec<String> =
            lost.take(6).map(|(first, _)| format!("{} ({})", first.name, first.words)).collect();
        let more = (all - kept).saturating_sub(told.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        vec![format!(
            "{} of the {all} first moves {} the best result for {name}. {} it: {}{more}.",
            group_digits(kept as u64),
            if kept == 1 { "keeps" } else { "keep" },
            if all - kept == 1 { "The other loses" } else { "Others lose" },
            told.join(", ")
        )]
    }

    /// Describes which first moves of a puzzle begin a shortest plan, if all of them can still lead to the goal.
    fn first_moves_of_plans(&self) -> Vec<String> {
        let lengths: Option<Vec<u32>> = self.solution.moves.iter().map(|m| m.remoteness).collect();
        let Some(lengths) = lengths else { return Vec::new() };
        let all = lengths.len();
        let shortest = lengths.iter().filter(|length| Some(*length) == lengths.iter().min()).count();
        vec![match shortest == all {
            true if all == 2 => "Not by the first move: both begin a shortest plan.".to_owned(),
            true => format!("Not by the first move: all {all} begin a shortest plan."),
            false => format!(
                "{} of the {all} first moves {} a shortest plan; after {} it takes more moves.",
                group_digits(shortest as u64),
                if shortest == 1 { "begins" } else { "begin" },
                if all - shortest == 1 { "the other" } else { "the others" },
            ),
        }]
    }

    fn checked(&self) -> Vec<String> {
        let mut checked = Vec::new();
        let own = self.proof.result.as_ref().ok().filter(|proved| proved.tier == Tier::Parametric);
        for proved in own.into_iter().chain(self.always) {
            checked.push(format!(
                "The claim \"{}\": the checker of bouton {} verified the proofs of a certificate ({}), and explored \
                 small games by the definition of the language ({}).",
                proved.claim,
                env!("CARGO_PKG_VERSION"),
                proved.kinds,
                count_with_noun(proved.steps, "step", "steps"),
            ));
        }
        if let Some(proved) = self.proof.result.as_ref().ok().filter(|_| own.is_none()) {
            let listed = match proved.listed {
                0 => String::new(),
                listed => format!(" of {}", count_with_noun(listed, "position", "positions")),
            };
            let looked = match proved.tier {
                Tier::Explicit => format!(
                    "visiting {} by the definition of the language",
                    count_with_noun(proved.steps, "position", "positions")
                ),
                _ => format!(
                    "checking the rules written out ({})",
                    count_with_noun(proved.steps, "step", "steps")
                ),
            };
            checked.push(format!(
                "The claim \"{}\": the checker of bouton {} accepted a certificate{listed} ({}) after {looked}.",
                proved.claim,
                env!("CARGO_PKG_VERSION"),
                proved.kinds,
            ));
        }
        if let Some(table) = self.table() {
            checked.push(format!(
                "The rules have a meaning in all {} reachable from here.",
                count_with_noun(table.len() as u64, "position", "positions")
            ));
        }
        checked
    }

    fn unchecked(&self) -> Vec<String> {
        let mut unchecked = Vec::new();
        match (&self.proof.result, self.solution.status) {
            (Err(reason), Status::Solved) => unchecked.push(format!("The verdict itself: {reason}.")),
            (Err(_), Status::Enclosed) => unchecked.push("The verdict itself: it is computed.".into()),
            (Err(_), _) => unchecked.push("Anything: the position is not solved.".into()),
            (Ok(proved), _) => {
                if self.solution.remoteness.is_some() && !proved.kinds.contains("distance") {
                    unchecked.push("That the end cannot come sooner: that is computed.".into());
                }
                unchecked.push(
                    "The values of the moves and positions shown besides the claim: they are computed."
                        .into(),
                );
            }
        }
        let scope = self.proof.result.as_ref().is_ok_and(|proved| proved.scope.is_some());
        if !scope && self.always.is_none() && !self.start.game.rules.params.is_empty() {
            unchecked.push("Other parameters: the claim does not cover them.".into());
        }
        unchecked
    }
}

/// The numbers of positions by value, without the plies to the end; `None` if there are too many values, or one alone.
fn by_value(rules: &Rules, bars: &[(Value, Option<u32>, u64)]) -> Option<Vec<HistogramBar>> {
    let mut found: Vec<HistogramBar> = Vec::new();
    for (value, _, positions) in bars {
        let words = value_words(rules, value, None);
        match found.iter().position(|bar| bar.value == words) {
            Some(place) => found[place].positions += positions,
            None if found.len() == MAX_BARS => return None,
            None => found.push(HistogramBar { value: words, remoteness: None, positions: *positions }),
        }
    }
    (found.len() > 1).then_some(found)
}

/// The numbers of positions by ranges of the first player's payoff, the highest first; `None` if the values are not all
/// payoffs of two opposed players, or all the same.
fn binned(rules: &Rules, bars: &[(Value, Option<u32>, u64)]) -> Option<Vec<HistogramBar>> {
    let payoffs: Vec<Rational> =
        bars.iter().map(|(value, ..)| value.payoffs.first().cloned()).collect::<Option<_>>()?;
    let (least, most) = (payoffs.iter().min()?, payoffs.iter().max()?);
    let width = (most - least) / Rational::from_integer(RANGES);
    if rules.players().len() > 2 || !width.is_positive() {
        return None;
    }
    let mut counts = vec![0; RANGES as usize];
    for (payoff, (.., positions)) in payoffs.iter().zip(bars) {
        let place = ((payoff - least) / &width).floor().as_i64().unwrap_or(0).clamp(0, RANGES - 1);
        counts[place as usize] += positions;
    }
    let first = rules.players().first()?;
    let end = |place: i64| (least + &width * Rational::from_integer(place)).to_decimal(RANGE_PLACES);
    let bar = |(place, positions): (i64, u64)| HistogramBar {
        value: format!("{first} gets {} to {}", end(place), end(place + 1)),
        remoteness: None,
        positions,
    };
    let highest_first = (0..RANGES).rev().zip(counts.into_iter().rev());
    Some(highest_first.filter(|(_, positions)| *positions > 0).map(bar).collect())
}
