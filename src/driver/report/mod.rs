//! `bouton report`: solves a game, proves the result as far as possible, and collects all that the report shows.

use std::path::Path;
use std::time::Duration;

use super::budget::Budget;
use super::load::{Refused, Text, quoted};
use super::position::Start;
use super::proof::{self, Request};
use super::solve as driver;
use super::strategy::{self, Remembered};
use super::{faults, kept, size};
use crate::base::limits::{Limits, Progress};
use crate::cert::Tier;
use crate::game::picture::picture;
use crate::game::{Turn, draw};
use crate::report::numbers;
use crate::report::page::{Bar, Board, FirstMove, Listed, Overlay, Page, Standing, Strategy, Worth, svg};
use crate::report::proof::{Proof, Proved};
use crate::report::verdict::{headline, value_words};
use crate::report::words::{counted, grouped};
use crate::solve::table::Table;
use crate::solve::tally::Tally;
use crate::solve::{Method, MoveValue, Options, Solution, Status, Value, ValueKind};

mod otherwise;
mod plays;

/// The default time limit of a report.
pub const TIME: Duration = Duration::from_secs(60);

/// The request for a report.
pub struct Asked<'a> {
    /// The resources of the report.
    pub budget: &'a Budget,
    /// The flags that name the position and the table, as typed.
    pub position: Vec<String>,
    /// A table file to use instead of solving.
    pub table: Option<&'a kept::Asked>,
    /// The receiver of progress reports.
    pub progress: &'a dyn Progress,
}

/// A report with the status of the solution.
pub struct Made {
    pub page: Page,
    /// True if the position is solved.
    pub solved: bool,
}

/// Makes the report of a position.
pub fn report(text: &mut Text, start: &Start, asked: &Asked<'_>) -> Result<Made, Refused> {
    let limits = asked.budget.limits(Some(TIME));
    let remembered = strategy::any(&start.game, &start.state, &limits);
    let solution = solve(text, start, asked, remembered.as_ref(), &limits)?;
    // A strategy without moves is better than none, and worse than a table.
    let tells = |found: &Remembered| found.tells_moves || solution.table.is_none();
    let remembered = remembered.filter(|found| found.solution.value == solution.value && tells(found));
    let proof = prove(text, start, &solution, &limits)?;
    let mover = match start.game.machine.turn(&start.state) {
        Ok(Turn::Player(player)) => Some(player),
        _ => None,
    };
    // The strategy shown may be proved for every size, besides the proof for this size.
    let told =
        remembered.as_ref().filter(|_| proof.result.as_ref().is_ok_and(|of| of.tier != Tier::Parametric));
    let always = told.map(|found| prove(text, start, &found.solution, &limits)).transpose()?;
    let always = always.and_then(|proof| proof.result.ok()).filter(|of| of.tier == Tier::Parametric);
    let teller = Teller { start, solution: &solution, proof: &proof, always: always.as_ref(), mover };
    let mut strategy = match &remembered {
        Some(found) => Strategy::rule(&found.how, &found.why, found.drawn.clone()),
        None => teller.strategy(),
    };
    let moves = teller.moves();
    let (plays, tree) = match (teller.table(), &solution.value) {
        (Some(table), Some(value)) => {
            let walk = plays::Walk::new(start, table, value, mover);
            (walk.plays(), walk.tree())
        }
        _ => (Vec::new(), None),
    };
    if let Some(tree) = tree.as_ref().filter(|_| remembered.is_none()) {
        strategy.tell_replies(tree, mover.map_or("", |mover| teller.player(mover)));
    }
    let mut otherwise = teller.first_mistakes(&moves);
    otherwise.extend(otherwise::variants(text, start, &solution, &limits));
    let rules = &start.game.rules;
    let page = Page {
        schema: "bouton-report/1",
        game: rules.name.clone(),
        file: text.path.clone(),
        about: rules.doc.clone(),
        params: numbers::params(rules),
        verdict: headline(&start.game, &start.state, &solution),
        standing: teller.standing(),
        board: board(start, &strategy.overlay, &moves),
        strategy,
        moves,
        plays,
        tree,
        histogram: teller.histogram(),
        otherwise,
        checked: teller.checked(),
        unchecked: teller.unchecked(),
        certificate: proof.result.as_ref().ok().map(|proved| proved.root.clone()),
        commands: commands(text, asked, solution.status == Status::Solved),
    };
    Ok(Made { page, solved: solution.status == Status::Solved })
}

/// Solves the position. A game that is too large to enumerate is solved by its remembered strategy, if there is one;
/// otherwise it is not tried unless the user set a time limit.
fn solve(
    text: &mut Text,
    start: &Start,
    asked: &Asked<'_>,
    remembered: Option<&Remembered>,
    limits: &Limits,
) -> Result<Solution, Refused> {
    let (game, state) = (&start.game, &start.state);
    if let Some(table) = asked.table {
        return table.solution(game, state, limits, asked.progress).map_err(Refused::Usage);
    }
    let options = Options { all_moves: true, ..Options::default() };
    let way = driver::pick(game, state, &options, limits);
    if let Some(found) = remembered.filter(|_| way.forgets()) {
        return Ok(found.solution.clone());
    }
    if asked.budget.time.is_none() && !way.forgets() {
        let price = size::price(text, start, limits);
        if let (Some(_), Some(found)) = (&price, remembered) {
            return Ok(found.solution.clone());
        }
        if price.is_some_and(|found| size::refuses(&found, start)) {
            return Ok(driver::refused(game, state, Method::Auto, limits));
        }
    }
    let solved = driver::solve(game, state, (Method::Auto, way), &options, limits, asked.progress);
    let or_remembered = |solution: Solution| match remembered {
        Some(found) if solution.status == Status::Unknown => found.solution.clone(),
        _ => solution,
    };
    solved
        .map(or_remembered)
        .map_err(|met| Refused::Broken(Box::new(faults::broken(text, game, state, &met))))
}

fn prove(text: &Text, start: &Start, solution: &Solution, limits: &Limits) -> Result<Proof, Refused> {
    if solution.status != Status::Solved {
        return Ok(Proof::none("it is not solved"));
    }
    let request = Request { out: None, strong: false, limits };
    proof::prove(text, start, solution, &request).map_err(Refused::Usage)
}

/// The position, coloured by the values of the first moves if the strategy draws nothing and each move is named by a
/// cell.
fn board(start: &Start, overlay: &Overlay, moves: &[FirstMove]) -> Board {
    let picture = picture(&start.game, &start.state);
    let mut values = Vec::new();
    if let Some(panel) = picture.panels.first() {
        let at = |first: &FirstMove| panel.cells.iter().position(|cell| cell.name == first.name);
        values = moves.iter().filter_map(|first| Some((at(first)? as u32, first.worth))).collect();
    }
    let by_cells = *overlay == Overlay::None && !values.is_empty() && values.len() == moves.len();
    let overlay = if by_cells { Overlay::Values(values) } else { overlay.clone() };
    let mut legend = overlay.legend();
    legend.extend(picture.facts.iter().cloned());
    legend.push(picture.standing.clone());
    Board {
        text: draw::draw(&start.game, &start.state),
        svg: svg(&picture, &overlay).map_or(String::new(), maud::Markup::into_string),
        legend,
    }
}

/// The commands that reproduce the report.
fn commands(text: &Text, asked: &Asked<'_>, solved: bool) -> Vec<String> {
    let words: Vec<String> = [quoted(&text.path)].into_iter().chain(text.flags.iter().cloned()).collect();
    let position: String = asked.position.iter().map(|word| format!(" {word}")).collect();
    let file = words.join(" ");
    let stem =
        Path::new(&text.path).file_stem().map_or("game".into(), |stem| stem.to_string_lossy().to_string());
    let certificate = quoted(&format!("{stem}.cert"));
    let page = quoted(&format!("{stem}.html"));
    let mut commands = vec![format!("bouton report {file}{position} --format html -o {page}")];
    if let Some(table) = asked.table {
        let universe = table.universe().map(|words| format!(" --universe {}", quoted(words)));
        let universe = universe.unwrap_or_default();
        commands.push(format!("bouton solve {file} --strong{universe} --table {}", quoted(table.path())));
    } else if solved {
        commands.push(format!("bouton solve {file}{position} --certificate {certificate}"));
        commands.push(format!("bouton verify {certificate} {file}"));
    }
    commands
}

/// The results, from which the sections of the page are built.
struct Teller<'a> {
    start: &'a Start,
    solution: &'a Solution,
    proof: &'a Proof,
    /// The additional proof for every size.
    always: Option<&'a Proved>,
    mover: Option<u32>,
}

impl Teller<'_> {
    fn player(&self, player: u32) -> &str {
        self.start.game.rules.players().get(player as usize).map_or("?", String::as_str)
    }

    /// The values of all positions, if the table is complete.
    fn table(&self) -> Option<&Table> {
        self.solution.table.as_deref().filter(|table| table.is_complete())
    }

    fn standing(&self) -> Standing {
        let scope = self.proof.scope(&self.start.game.rules);
        let for_these = if scope.is_empty() {
            String::new()
        } else {
            format!(" It speaks of {scope} and of nothing else.")
        };
        let words = match (&self.proof.result, self.solution.status) {
            (Ok(proved), _) if proved.tier == Tier::Parametric => format!(
                "Proved: {}. An independent checker followed the proofs of a plan for all these values (tier {}).\
                 {for_these}",
                proved.claim,
                proved.tier.name()
            ),
            (Ok(proved), _) => format!(
                "Proved: {}. An independent checker accepted a certificate {} (tier {}).{for_these}",
                proved.claim,
                match (proved.tier, proved.listed) {
                    (Tier::Explicit, 0) => "and went through every position that can be reached",
                    (Tier::Explicit, _) => "in which every position that matters is listed",
                    _ => "and looked at every move of the rules written out",
                },
                proved.tier.name()
            ),
            (Err(reason), Status::Solved) => {
                format!("Computed by search, not checked independently: {reason}.{for_these}")
            }
            _ => format!("Not solved.{for_these}"),
        };
        let words = match self.always {
            Some(always) => format!("{words} Besides, this is proved {}.", always.claim),
            None => words,
        };
        Standing {
            tier: self.proof.result.as_ref().map_or("none", |proved| proved.tier.name()),
            scope,
            checked: self.proof.result.is_ok(),
            words,
        }
    }

    fn strategy(&self) -> Strategy {
        let Some(value) = &self.solution.value else {
            let reason = self.solution.reason.as_deref().unwrap_or("the position is not solved");
            return Strategy::unknown(reason);
        };
        if self.mover.is_none() {
            return Strategy::unknown("it is no player's turn");
        }
        if value.kind == ValueKind::Unsolvable {
            return Strategy::unknown("there is none, since it cannot be solved");
        }
        let players = self.start.game.rules.players();
        let (holder, gets) = match value.kind {
            ValueKind::Win(winner) => (Some(winner), "a win".to_string()),
            ValueKind::Draw => (None, "a draw".to_string()),
            ValueKind::Solved => (Some(0), "reaching the goal".to_string()),
            _ => (None, value_words(&self.start.game.rules, value, None)),
        };
        let best: Vec<String> = self.solution.best_moves.iter().map(|made| made.written.clone()).collect();
        Strategy::listed(&Listed {
            holder: holder.map(|h| self.player(h)),
            players,
            begins: holder.is_none() || holder == self.mover,
            gets: &gets,
            best: &best,
            plies: self.solution.remoteness,
            table: self.table().is_some(),
            proof: self.proof,
        })
    }

    fn moves(&self) -> Vec<FirstMove> {
        let rules = &self.start.game.rules;
        let mover = self.mover.unwrap_or(0);
        let payoffs =
            self.solution.moves.iter().filter_map(|m| m.value.as_ref()?.payoffs.get(mover as usize));
        let (least, most) = (payoffs.clone().min().copied(), payoffs.max().copied());
        let worth = |value: &Value| match value.kind {
            ValueKind::Win(winner) if winner == mover => Worth::Win,
            ValueKind::Win(_) | ValueKind::Unsolvable => Worth::Loss,
            ValueKind::Solved => Worth::Win,
            ValueKind::Draw => Worth::Draw,
            ValueKind::Payoff => match value.payoffs.get(mover as usize).copied() {
                _ if least == most => Worth::Draw,
                own if own == most => Worth::Win,
                own if own == least => Worth::Loss,
                _ => Worth::Draw,
            },
        };
        let first = |m: &MoveValue| FirstMove {
            name: m.made.written.clone(),
            words: m.value.as_ref().map_or("not known".into(), |v| value_words(rules, v, m.remoteness)),
            worth: m.value.as_ref().map_or(Worth::Unknown, worth),
            best: self.solution.best_moves.iter().any(|best| best.play == m.made.play),
        };
        let mut moves: Vec<FirstMove> = self.solution.moves.iter().map(first).collect();
        if moves.iter().all(|first| first.worth == Worth::Unknown) {
            moves.clear();
        }
        moves
    }

    fn histogram(&self) -> Vec<Bar> {
        let rules = &self.start.game.rules;
        let by_table = || self.solution.tally.as_ref().map_or(Vec::new(), Tally::histogram);
        let bars = self.table().map_or_else(by_table, Table::histogram);
        let bar = |(value, remoteness, positions)| Bar {
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
        if kept == all {
            return vec![format!("Not by the first move: all {all} are worth the same to {name}.")];
        }
        let lost = moves.iter().zip(&self.solution.moves).filter(|(_, m)| !keeps(m));
        let told: Vec<String> =
            lost.take(6).map(|(first, _)| format!("{} ({})", first.name, first.words)).collect();
        let more = (all - kept).saturating_sub(told.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        vec![format!(
            "{} of the {all} first moves {} what {name} can have. Others throw it away: {}{more}.",
            grouped(kept as u64),
            if kept == 1 { "keeps" } else { "keep" },
            told.join(", ")
        )]
    }

    fn checked(&self) -> Vec<String> {
        let mut checked = Vec::new();
        let own = self.proof.result.as_ref().ok().filter(|proved| proved.tier == Tier::Parametric);
        for proved in own.into_iter().chain(self.always) {
            checked.push(format!(
                "The claim \"{}\": the checker of bouton {} followed the proofs of a certificate ({}), and went through \
                 small games by the definition of the language ({}).",
                proved.claim,
                env!("CARGO_PKG_VERSION"),
                proved.kinds,
                counted(proved.steps, "step", "steps"),
            ));
        }
        if let Some(proved) = self.proof.result.as_ref().ok().filter(|_| own.is_none()) {
            let listed = match proved.listed {
                0 => String::new(),
                listed => format!(" of {}", counted(listed, "position", "positions")),
            };
            let looked = match proved.tier {
                Tier::Explicit => format!(
                    "going through {} by the definition of the language",
                    counted(proved.steps, "position", "positions")
                ),
                _ => format!("looking at the rules written out ({})", counted(proved.steps, "step", "steps")),
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
                "That the rules have a meaning in all {} that play can reach from here.",
                counted(table.len() as u64, "position", "positions")
            ));
        }
        checked
    }

    fn unchecked(&self) -> Vec<String> {
        let mut unchecked = Vec::new();
        match (&self.proof.result, self.solution.status) {
            (Err(reason), Status::Solved) => unchecked.push(format!("The verdict itself: {reason}.")),
            (Err(_), _) => unchecked.push("Anything: the position is not solved.".into()),
            (Ok(_), _) => {
                if self.solution.remoteness.is_some() {
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
            unchecked.push("Other parameters: nothing is claimed of them.".into());
        }
        unchecked
    }
}
