//! The visitor that records findings while the positions are explored; they are rendered afterwards.
//!
//! A finding is recorded once for each source location, at the nearest position that shows it; the others are counted.

use std::ops::ControlFlow;

use bouton_base::rational::Rational;
use rustc_hash::FxHashMap;

use super::always_true::AlwaysTrueConditions;
use super::early_reads::EarlyReads;
use super::empty_moves::{EmptyMove, EmptyMoves};
use super::endless_play::PlayGraph;
use super::ends;
use super::equal_ends::EqualEnds;
use super::idle_effects::{RepeatedDeal, UnchangedFields, idle_move};
use super::idle_marks::{IdleMark, IdleMarks};
use super::last_rules::LastRule;
use super::lasting_phases;
use super::late_rules::{LateRule, LateRules};
use bouton_base::limits::{Fuel, LimitHit, Limits};
use bouton_base::source::Span;
use bouton_rules::{ForbidRepeat, OutcomeExpr, PHASE, PhaseId, Repeat, Value};
use bouton_search::game::explore::{PositionFault, VisitedPosition, Visitor};
use bouton_search::game::{Fault, Game, MoveInstance, State, ToMove};

/// The kind of a finding about a position.
#[derive(Clone, Debug)]
pub enum FindingKind {
    /// The rules have a fault there.
    Fault(Fault),
    /// Nobody can move and the game is not over.
    Stuck,
    /// The invariant with this index does not hold.
    Invariant(usize),
    /// The payoffs do not have the same sum as at another end.
    VaryingSum(PayoffSums),
    /// Two end rules hold with different results.
    ConflictingResults(ConflictingResults),
    /// Two moves have the same name.
    DuplicateNames(DuplicateNames),
    /// An end rule is noticed a ply late.
    LateRule(LateRule),
    /// A role of a sheet has no goal or several at the end.
    LooseGoals,
    /// A move of a puzzle leads back to the position.
    IdleMove(MoveInstance),
    /// Chance deals again what is dealt.
    RepeatedDeal,
    /// A move sets a mark where it is already.
    IdleMark(IdleMark),
    /// A move from an empty cell changes no cell.
    EmptyMove(EmptyMove),
    /// A verdict of a puzzle is no extreme, beside the payoffs of other ends.
    VerdictAmongPayoffs(VerdictAmongPayoffs),
}

/// Two ends whose payoffs have different sums.
#[derive(Clone, Debug)]
pub struct PayoffSums {
    /// The end that is shown.
    pub here: PaidEnd,
    /// The other end.
    pub elsewhere: PaidEnd,
    /// The sum at the end that was found first, which the others are compared with.
    pub first: Rational,
}

/// The payoffs of a finished position.
#[derive(Clone, Debug)]
pub struct PaidEnd {
    /// The index of the position.
    pub position: u32,
    /// The index of the rule that decides it.
    pub rule: usize,
    pub payoffs: Vec<Rational>,
    pub sum: Rational,
}

/// A verdict of a puzzle, and a payoff below a loss or above a win.
#[derive(Clone, Debug)]
pub struct VerdictAmongPayoffs {
    /// The index of the rule with the verdict.
    pub rule: usize,
    /// True for a win.
    pub wins: bool,
    /// The payoff of another end.
    pub payoff: Rational,
}

/// Two end rules that hold in one position with different results.
#[derive(Clone, Debug)]
pub struct ConflictingResults {
    /// The index of the rule that decides.
    pub first: usize,
    /// The index of the later rule.
    pub other: usize,
    /// The result of the first rule, in words.
    pub taken: String,
    /// The result of the other, in words.
    pub passed_over: String,
}

/// Two moves of one position with the same name.
#[derive(Clone, Debug)]
pub struct DuplicateNames {
    pub name: String,
    pub one: MoveInstance,
    pub two: MoveInstance,
}

/// A finding with the nearest position that shows it.
#[derive(Clone, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    /// The index of the position.
    pub position: u32,
    /// The number of positions that show it.
    pub count: u64,
    /// True if further positions that may show it were not tested.
    pub is_partial_count: bool,
}

/// The fuel that rendering the name of a move costs.
const NAME_FUEL: u64 = 16;

/// The number of finished positions in which rules after the deciding one are tested.
pub const MAX_COVER_TESTS: u64 = 1_000;

/// The visitor of a check.
pub struct CheckVisitor<'a> {
    game: &'a Game,
    /// The fuel, spent for each move since a position may have very many.
    fuel: Fuel,
    /// The findings, in order of discovery.
    pub found: Vec<Finding>,
    /// The graph of the positions, for loops; `None` if endless play needs no rule and has none.
    pub graph: Option<PlayGraph>,
    /// True if endless play needs a rule for its result, and none is there.
    pub needs_repeat: bool,
    /// The fields that no effect has changed so far.
    pub unchanged: UnchangedFields,
    /// The hidden deal to which play comes back after each move.
    pub deal: Option<RepeatedDeal>,
    /// True for each move that was legal in some position.
    pub legal: Vec<bool>,
    /// For each move a bit for each player to whom it was legal.
    pub makers: Vec<u64>,
    /// True if a pass was legal in some position.
    pub passed: bool,
    /// True for each end rule that decided some position.
    pub ended: Vec<bool>,
    /// For each end rule a rule before it that decided a position where both hold; of the first finished positions only.
    pub covered: Vec<Option<usize>>,
    /// The maximal number of moves of each player in one position.
    pub choices: Vec<usize>,
    /// The phases that are never left once they are entered.
    pub closed: Vec<PhaseId>,
    /// True for each player who moves in one of these.
    pub acts_in_closed: Vec<bool>,
    /// The conditions that have held in every position so far.
    pub always: AlwaysTrueConditions,
    /// The reads of simultaneous moves that have met no choice so far.
    pub early: EarlyReads,
    /// The limit that was reached while a position was checked.
    pub limit: Option<LimitHit>,
    /// The number of finished positions.
    pub terminal: u64,
    /// The result of the finished positions, if there is one alone.
    pub equal_ends: EqualEnds,
    late: LateRules,
    marks: IdleMarks,
    empty: EmptyMoves,
    /// The index of the first end rule that decides positions in which a role of a sheet has no goal or several.
    pub loose_ends: usize,
    keys: FxHashMap<FindingKey, usize>,
    payoffs: bool,
    /// The end with payoffs that was found first.
    first_paid: Option<PaidEnd>,
    /// The first position that a verdict of a puzzle loses and wins, with the rule.
    verdicts: [Option<(u32, usize)>; 2],
    /// The least and the greatest payoff of a puzzle's ends that have one.
    extremes: Option<(Rational, Rational)>,
    /// True for each end rule that decided a position where no other rule gave another result. A rule that never did is
    /// a special case of a later one, which is then meant as the default.
    decided_alone: Vec<bool>,
    last_rule: LastRule,
}

/// The identity of a finding: its kind, its source location and an index.
type FindingKey = (u8, Option<Span>, usize);

impl<'a> CheckVisitor<'a> {
    /// A visitor without findings. The game runs on a machine that stops at the limits of the exploration.
    pub fn new(game: &'a Game, limits: &Limits) -> CheckVisitor<'a> {
        let rules = &game.rules;
        let players = rules.players().len();
        // Play may go on for ever without changing the value that a rule counts or forbids, and by a cycle that is longer
        // than the positions that a rule remembers.
        let is_value_counted = |repeat: &Repeat| repeat.of.is_some();
        let allows_cycles = |forbid: &ForbidRepeat| forbid.of.is_some() || forbid.within.is_some();
        let needs_repeat = players > 1
            && rules.repeats.iter().all(is_value_counted)
            && rules.forbids.iter().all(allows_cycles);
        let may_be_idle = |repeat: &Repeat| repeat.of.is_none() && repeat.count.is_none();
        let needs_graph = needs_repeat || rules.repeats.iter().any(may_be_idle);
        CheckVisitor {
            game,
            fuel: Fuel::within(limits),
            found: Vec::new(),
            graph: needs_graph.then(PlayGraph::default),
            needs_repeat,
            unchanged: UnchangedFields::new(rules),
            deal: RepeatedDeal::of(rules),
            legal: vec![false; rules.moves.len()],
            makers: vec![0; rules.moves.len()],
            passed: false,
            ended: vec![false; rules.ends.len()],
            covered: vec![None; rules.ends.len()],
            choices: vec![0; players],
            closed: lasting_phases::closed_phases(&game.rules),
            acts_in_closed: vec![false; players],
            always: AlwaysTrueConditions::new(rules),
            early: EarlyReads::new(game, &game.machine.initial()),
            limit: None,
            terminal: 0,
            equal_ends: EqualEnds::default(),
            late: LateRules::new(rules),
            marks: IdleMarks::new(rules),
            empty: EmptyMoves::new(rules),
            loose_ends: usize::MAX,
            keys: FxHashMap::default(),
            payoffs: ends::has_payoffs(rules),
            first_paid: None,
            verdicts: [None; 2],
            extremes: None,
            decided_alone: vec![false; rules.ends.len()],
            last_rule: LastRule::of(&game.rules),
        }
    }

    fn note(&mut self, key: FindingKey, at: u32, what: impl FnOnce() -> FindingKind) {
        match self.keys.get(&key) {
            Some(&known) => self.found[known].count += 1,
            None => {
                self.keys.insert(key, self.found.len());
                self.found.push(Finding { kind: what(), position: at, count: 1, is_partial_count: false });
            }
        }
    }

    fn look(&mut self, visit: &VisitedPosition<'_>) -> Result<(), LimitHit> {
        self.invariants(visit.index, visit.state)?;
        self.unchanged.evaluate(self.game, visit.state);
        if *visit.turn == ToMove::Chance
            && self.deal.as_ref().is_some_and(|deal| deal.is_dealt_again(self.game, visit.state))
        {
            self.note((8, None, 0), visit.index, || FindingKind::RepeatedDeal);
        }
        if let ToMove::Terminal(outcome) = visit.turn {
            self.over(visit.index, visit.state, outcome)?;
        } else {
            self.early.evaluate(self.game, visit.state);
            self.moves(visit)?;
            if let Some(mark) = self.marks.find(self.game, visit) {
                let (kind, position) = (FindingKind::IdleMark(mark), visit.index);
                self.found.push(Finding { kind, position, count: 1, is_partial_count: true });
            }
            if let Some(empty) = self.empty.find(self.game, visit) {
                let (kind, position) = (FindingKind::EmptyMove(empty), visit.index);
                self.found.push(Finding { kind, position, count: 1, is_partial_count: true });
            }
        }
        for late in self.late.evaluate(self.game, visit)? {
            self.found.push(Finding {
                kind: FindingKind::LateRule(late),
                position: visit.index,
                count: 1,
                is_partial_count: true,
            });
        }
        // Finished positions count as well: a condition that fails only there is the one that leaves the mover stuck.
        self.always.evaluate(self.game, visit.state, visit.turn)
    }

    fn invariants(&mut self, at: u32, state: &State) -> Result<(), LimitHit> {
        let game = self.game;
        for (place, invariant) in game.rules.invariants.iter().enumerate() {
            if game.machine.eval(state, &invariant.value)? != Some(Value::Bool(true)) {
                self.note((0, Some(invariant.span), place), at, || FindingKind::Invariant(place));
            }
        }
        Ok(())
    }

    fn over(
        &mut self,
        at: u32,
        state: &State,
        outcome: &bouton_search::game::Outcome,
    ) -> Result<(), LimitHit> {
        self.terminal += 1;
        self.equal_ends.add(outcome);
        self.last_rule.visit(self.game, state, outcome)?;
        if let Some(ended) = self.ended.get_mut(outcome.rule) {
            *ended = true;
        }
        if self.terminal <= MAX_COVER_TESTS {
            self.note_covered_rules(state, outcome.rule)?;
        }
        if outcome.rule >= self.loose_ends {
            self.note((6, None, 0), at, || FindingKind::LooseGoals);
        }
        if self.payoffs
            && let Some(sum) = ends::payoff_sum(outcome)
        {
            let payoffs = outcome.payoffs.clone();
            let end = PaidEnd { position: at, rule: outcome.rule, payoffs, sum };
            let first = self.first_paid.get_or_insert_with(|| end.clone());
            if end.sum != first.sum {
                // Where one sum is 0, the other end is the one to look at.
                let (first, sum) = (first.clone(), first.sum.clone());
                let (here, elsewhere) = if end.sum.is_zero() { (first, end) } else { (end, first) };
                let sums = PayoffSums { here, elsewhere, first: sum };
                let shown = sums.here.position;
                self.note((1, None, 0), shown, || FindingKind::VaryingSum(sums));
            }
        }
        if self.payoffs && outcome.payoffs.len() == 1 {
            self.verdict_among_payoffs(at, outcome);
        }
        // A rule that has a finding and also decided alone is not tested again: the test is expensive.
        let rule = outcome.rule;
        let known = self.keys.get(&(2, None, rule)).copied();
        if let Some(known) = known
            && self.decided_alone[rule]
        {
            self.found[known].is_partial_count = true;
            return Ok(());
        }
        match ends::conflicting_result(self.game, state, outcome)? {
            Some((other, taken, passed_over)) => self.note((2, None, rule), at, || {
                let results = ConflictingResults { first: rule, other, taken, passed_over };
                FindingKind::ConflictingResults(results)
            }),
            None => self.decided_alone.get_mut(rule).into_iter().for_each(|alone| *alone = true),
        }
        Ok(())
    }

    /// Notes the verdict of a puzzle that another end's payoff exceeds: a loss that is not the worst, a win that is not the
    /// best.
    fn verdict_among_payoffs(&mut self, at: u32, outcome: &bouton_search::game::Outcome) {
        let Some(rule) = self.game.rules.ends.get(outcome.rule) else { return };
        match (&rule.outcome, &outcome.payoffs[..]) {
            (OutcomeExpr::SinglePlayer(wins), _) => {
                self.verdicts[usize::from(*wins)].get_or_insert((at, outcome.rule));
            }
            (OutcomeExpr::Payoff(_), [payoff]) => {
                let (least, greatest) = self.extremes.get_or_insert_with(|| (payoff.clone(), payoff.clone()));
                if payoff < least {
                    *least = payoff.clone();
                }
                if payoff > greatest {
                    *greatest = payoff.clone();
                }
            }
            _ => {}
        }
        let Some((least, greatest)) = &self.extremes else { return };
        let one = Rational::from_integer(1);
        let exceeded = [(false, *least < -&one, least.clone()), (true, *greatest > one, greatest.clone())];
        for (wins, is_exceeded, payoff) in exceeded {
            if let Some((at, rule)) = self.verdicts[usize::from(wins)].filter(|_| is_exceeded) {
                let span = self.game.rules.ends[rule].span;
                let found = VerdictAmongPayoffs { rule, wins, payoff };
                self.note((7, Some(span), rule), at, || FindingKind::VerdictAmongPayoffs(found));
            }
        }
    }

    /// Notes the rules after the deciding one that hold as well and have decided nothing so far.
    fn note_covered_rules(&mut self, state: &State, deciding: usize) -> Result<(), LimitHit> {
        for (place, rule) in self.game.rules.ends.iter().enumerate().skip(deciding + 1) {
            let is_open = !self.ended[place] && self.covered[place].is_none();
            if is_open && !ends::answers(self.game, state, rule)?.is_empty() {
                self.covered[place] = Some(deciding);
            }
        }
        Ok(())
    }

    /// Returns true if two results are intended, since the first rule never decided alone or the second is that of all
    /// positions in which no move is left; such a finding is not reported.
    pub fn is_intended(&self, found: &Finding) -> bool {
        let FindingKind::ConflictingResults(results) = &found.kind else { return false };
        !self.decided_alone[results.first] || self.last_rule.is_of_no_moves(results.other)
    }

    fn moves(&mut self, visit: &VisitedPosition<'_>) -> Result<(), LimitHit> {
        let mut each: Vec<Vec<&MoveInstance>> = vec![Vec::new(); self.choices.len()];
        for successor in visit.successors {
            match &successor.play {
                MoveInstance::Joint(parts) => {
                    for (player, play) in parts {
                        each[*player as usize].push(play);
                        self.seen(play, Some(*player));
                    }
                }
                play => {
                    let player = match visit.turn {
                        ToMove::Player(player) => Some(*player),
                        _ => None,
                    };
                    if let Some(player) = player {
                        each[player as usize].push(play);
                    }
                    self.seen(play, player);
                }
            }
        }
        if self.choices.len() == 1 {
            let plays = visit.successors.iter().zip(visit.next).filter(|(_, next)| **next == visit.index);
            if let Some(idle) = idle_move(&self.game.rules, plays.map(|(successor, _)| &successor.play)) {
                self.note((9, None, kind(idle)), visit.index, || FindingKind::IdleMove(idle.clone()));
            }
        }
        if let ToMove::Player(player) = visit.turn
            && !self.closed.is_empty()
            && let Value::Int(phase) = self.game.machine.read(visit.state, PHASE, 0)
            && self.closed.iter().any(|closed| i64::from(closed.0) == phase)
        {
            self.acts_in_closed[*player as usize] = true;
        }
        for (player, mut plays) in each.into_iter().enumerate() {
            plays.sort_unstable();
            plays.dedup();
            self.choices[player] = self.choices[player].max(plays.len());
        }
        self.twins(visit)
    }

    fn seen(&mut self, play: &MoveInstance, player: Option<u32>) {
        match play {
            MoveInstance::Move(id, _) => {
                self.legal[id.0 as usize] = true;
                self.makers[id.0 as usize] |= player.and_then(|player| 1u64.checked_shl(player)).unwrap_or(0);
            }
            MoveInstance::Pass => self.passed = true,
            MoveInstance::Joint(_) => {}
        }
    }

    /// W0540: two moves of one position with the same name.
    fn twins(&mut self, visit: &VisitedPosition<'_>) -> Result<(), LimitHit> {
        let mut names: FxHashMap<String, &MoveInstance> = FxHashMap::default();
        for successor in visit.successors {
            if self.fuel.spend(NAME_FUEL) {
                return Err(self.fuel.hit().unwrap_or(LimitHit::Time));
            }
            let name = self.game.machine.notation(visit.state, &successor.play)?;
            if let Some(other) = names.insert(name.clone(), &successor.play) {
                let (one, two) = (other.clone(), successor.play.clone());
                let key = (3, None, kind(&one) * (self.legal.len() + 2) + kind(&two));
                let twins = DuplicateNames { name, one, two };
                self.note(key, visit.index, || FindingKind::DuplicateNames(twins));
                break;
            }
        }
        Ok(())
    }
}

/// A number for each kind of move, so that moves of the same kinds with one name are reported once.
fn kind(play: &MoveInstance) -> usize {
    match play {
        MoveInstance::Move(id, _) => id.0 as usize + 2,
        MoveInstance::Pass => 1,
        MoveInstance::Joint(_) => 0,
    }
}

impl Visitor for CheckVisitor<'_> {
    fn visit(&mut self, visit: &VisitedPosition<'_>) -> ControlFlow<()> {
        if let Some(graph) = &mut self.graph {
            graph.push(visit.next, *visit.turn == ToMove::Chance);
        }
        match self.look(visit) {
            Ok(()) => ControlFlow::Continue(()),
            Err(hit) => {
                self.limit = Some(hit);
                ControlFlow::Break(())
            }
        }
    }

    fn broken(&mut self, index: u32, broken: &PositionFault) -> ControlFlow<()> {
        match broken {
            PositionFault::Fault(fault) => {
                self.note((4, Some(fault.span), 0), index, || FindingKind::Fault(fault.clone()));
            }
            PositionFault::Stuck => self.note((5, None, 0), index, || FindingKind::Stuck),
        }
        if let Some(graph) = &mut self.graph {
            graph.push(&[], false);
        }
        ControlFlow::Continue(())
    }

    fn held_bytes(&self, extra: usize) -> u64 {
        self.graph.as_ref().map_or(0, |g| g.held_bytes() + extra as u64 * 64) + self.late.held_bytes()
    }
}
