//! df-pn: depth-first proof-number search with a transposition table.
//!
//! Technique: the search stays below a position until one of its numbers reaches a threshold, beyond which the
//! best-first search of [PNS](super::pns) would turn elsewhere; so memory holds only the path to the current position,
//! never the tree. Both sides are one case: phi is the cost for the mover to prove his goal, delta the cost to stop
//! him. With other [thresholds](super::deepening) the same search is PDS or PN*.
//! Source: Nagai, "Df-pn algorithm for searching AND/OR trees and its applications" (2002); thresholds of 1 + epsilon
//! times the second best: Pawlewicz and Lew, "Improving depth-first PN-search: 1 + epsilon trick" (2007); initial
//! numbers by mobility: Allis (1994); by evaluation, as df-pn+: Nagai (2002); weak numbers: Ueda and others (2008).
//! Focused df-pn considers, of the unrefuted moves, a few that seem best until these are refuted: Henderson, Arneson,
//! Hayward, "Solving 8x8 Hex" (2009). A move outside the focus gives no answer: a position is refuted only if all of
//! its moves are.
//! Cost: as many expansions as best-first search, plus repeated ones of positions that the table dropped or that the
//! search left too early.
//! Invariant: proved entries of the table rest on terminals, whatever the table dropped. Each search of a move returns
//! its numbers at the threshold or beyond, so the search ends if play does; a [ranking
//! function](super::super::ranking_function) guarantees that.
//! If positions repeat, a question becomes a reachability question: the player who reaches his goal only if play ends
//! must force a terminal, and a move back to a position on the [path](super::way) is an answer against him. Answers for
//! him never depend on the path: they are finite trees with terminals as leaves, true whatever the history, and the
//! table stores them as usual. An answer against him is true of its position if it depends on nothing before that
//! position: if he could force a terminal from there, he could do it without repeating a position, and no leaf of the
//! tree would refute that. Otherwise the table stores the answer as a twin, which holds only while all that it depends
//! on is on the path again. The root of the question is first on the path, so its answer is true. (The graph-history
//! interaction problem: Kishimoto and Mueller 2004.) A path contains each position at most once, so it is finite; and
//! each search of a move raises a number, whatever twins the table dropped, so the search ends.
//! Not taken: recursion, since play may be longer than the stack is deep; the least distance of df-pn(r) (Kishimoto and
//! Mueller 2003), which chooses better numbers where moves lead back, but changes no proof.

use std::cmp::Reverse;

use smallvec::SmallVec;

use super::deepening::OpenNode;
use super::numbers::{INFINITE, PhiDelta, ProofNumbers};
use super::path::{PathDependency, PathPrefixes, SearchPath};
use super::question::{ExpansionResult, PositionExpander, from_words, to_words};
use super::table::{CONTROL_BITS, DfpnEntry, DfpnKey, DfpnTable, MAX_QUESTIONS};
use super::threats::{MAX_THREAT_ORDER, ThreatAttack};
use super::widening::EvaluationBounds;
use super::{InitialNumbers, PnSearchOptions, QuestionSolver};
use crate::solve::extract::{MAY_REPEAT_REASON, SearchInterrupted};
use crate::solve::transpositions::{SCORE_MAX, SCORE_MIN};
use bouton_circuit::Position;

/// The initial cost for the mover of a move that is not known to threaten anything; a threat costs 1.
const QUIET_MOVE_COST: u32 = 2;
/// The initial extra cost of the move with the worst evaluation relative to the move with the best.
const WORST_MOVE_PENALTY: f64 = 3.0;

/// A move of a position on the search path.
#[derive(Clone, Copy)]
struct DfpnMove {
    /// The index of the words of the position it leads to.
    at: usize,
    found: DfpnResult,
    /// The edge cost for its mover: added to the cost of his goal after the move.
    cost: u32,
}

impl DfpnMove {
    /// Returns phi and delta as the mover sees them, with the edge cost.
    fn seen(&self, proves: bool) -> PhiDelta {
        let PhiDelta { phi, delta } = self.found.numbers.phi_delta(proves);
        let decided = phi == 0 || phi == INFINITE;
        PhiDelta { phi: if decided { phi } else { (phi + self.cost).min(INFINITE - 1) }, delta }
    }
}

/// The search result for a position.
#[derive(Clone, Copy)]
struct DfpnResult {
    numbers: ProofNumbers,
    /// The path dependency of an answer; `None` if it is true of the position whatever the history.
    depends_on: Option<PathDependency>,
    /// True if it rests on an [evaluation](super::widening) instead of a proof.
    guessed: bool,
}

impl DfpnResult {
    fn of(numbers: ProofNumbers) -> DfpnResult {
        DfpnResult { numbers, depends_on: None, guessed: false }
    }
}

/// A position on the search path.
struct DfpnFrame {
    /// The index of its words.
    at: usize,
    /// The index of its first move; then the index of the first words of its moves.
    moves: usize,
    words: usize,
    /// True if its mover wants the answer yes.
    proves: bool,
    /// The thresholds of its numbers, as its mover sees them.
    thresholds: PhiDelta,
    /// The index of the move that the search is in.
    current: usize,
    /// The number of expansions before this position.
    began: u64,
    /// The controls of the positions before it since the ranking function last rose, as bits.
    turns: u64,
}

/// The explicit stack of a search: the path to the current position, with the moves along it.
#[derive(Default)]
struct DfpnStack {
    frames: Vec<DfpnFrame>,
    moves: Vec<DfpnMove>,
    words: Vec<u64>,
    /// The positions of the frames, if positions may repeat.
    way: SearchPath,
}

/// The tree that a search works in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TreeKind {
    /// The tree of all moves.
    AllMoves,
    /// The tree of a [threat attack](super::threats).
    Threats(ThreatAttack),
    /// The tree of all moves in which [evaluations](super::widening) count as answers: the number of the pass.
    PseudoProof(u32),
}

impl PnSearchOptions {
    /// Returns the numbers of the moves that the search considers at a position, as its mover sees them, each with its
    /// index.
    fn seen<'m>(
        &self,
        moves: &'m [DfpnMove],
        proves: bool,
    ) -> impl Iterator<Item = (usize, PhiDelta)> + Clone + use<'m> {
        let seen = move |one: &DfpnMove| one.seen(proves);
        let focused = self.focus.is_some();
        let width = self.focus.map_or(usize::MAX, |(part, whole)| {
            let left = moves.iter().filter(|&one| seen(one) != PhiDelta::REFUTED).count();
            1 + left.saturating_sub(1) * part as usize / whole.max(1) as usize
        });
        let all = moves.iter().map(seen).enumerate();
        all.filter(move |one| !focused || one.1 != PhiDelta::REFUTED).take(width)
    }
}

/// A question, with the number that identifies it in table entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub t: i32,
    pub kind: TreeKind,
    number: u32,
}

/// A df-pn search.
pub struct Dfpn<'a> {
    pub(super) eyes: PositionExpander<'a>,
    pub(super) table: DfpnTable,
    pub(super) tuning: PnSearchOptions,
    /// All questions so far. The numbers in a table entry belong to one of them.
    pub(super) questions: Vec<(i32, TreeKind)>,
    /// A stack: a search of threats may begin in the middle of another search.
    stacks: Vec<DfpnStack>,
    prefixes: PathPrefixes,
    pub(super) depth: usize,
    /// The number of expansions after which a search of threats gives up.
    pub(super) attack_limit: u64,
    /// True if the search must expand its root although its answer is known.
    force_root: bool,
    /// The parameters of pseudo-proof passes, once the first one began.
    pub(super) widening: Option<EvaluationBounds>,
    /// The number of evaluations that counted as answers in the last pass.
    pub(super) guesses: u64,
}

impl<'a> Dfpn<'a> {
    /// Creates a search with an empty table within a budget of `most` bytes; `None` if the budget is too small.
    pub fn new(eyes: PositionExpander<'a>, tuning: PnSearchOptions, most: u64) -> Option<Dfpn<'a>> {
        let table = DfpnTable::new(eyes.size(), most)?;
        let (questions, stacks) = (Vec::new(), Vec::new());
        let beginnings = PathPrefixes::new(eyes.size() + 1, most / 32);
        let (depth, until, anew) = (0, u64::MAX, false);
        let (widening, guesses) = (None, 0);
        Some(Dfpn {
            eyes,
            table,
            tuning,
            questions,
            stacks,
            prefixes: beginnings,
            depth,
            attack_limit: until,
            force_root: anew,
            widening,
            guesses,
        })
    }

    pub(super) fn question(&mut self, t: i32, kind: TreeKind) -> Result<Question, SearchInterrupted> {
        let known = self.questions.iter().position(|&asked| asked == (t, kind));
        let number = known.unwrap_or_else(|| {
            self.questions.push((t, kind));
            self.questions.len() - 1
        });
        let number = u32::try_from(number).ok().filter(|&number| number < MAX_QUESTIONS);
        let most = "there are too many different results for this method";
        Ok(Question { t, kind, number: number.ok_or_else(|| SearchInterrupted::NotApplicable(most.into()))? })
    }

    /// Runs a search, and restarts it each time the ranking function is adjusted or given up.
    fn with_restarts<T>(
        &mut self,
        mut search: impl FnMut(&mut Self) -> Result<T, SearchInterrupted>,
    ) -> Result<T, SearchInterrupted> {
        loop {
            (self.depth, self.attack_limit) = (0, u64::MAX);
            match search(self) {
                Err(SearchInterrupted::Restart) => {}
                done => return done,
            }
        }
    }

    /// Answers a question about a position, given by its words with its control behind them.
    pub(super) fn run(&mut self, root: &[u64], question: Question) -> Result<bool, SearchInterrupted> {
        if self.stacks.len() == self.depth {
            self.stacks.push(DfpnStack::default());
        }
        let mut stack = std::mem::take(&mut self.stacks[self.depth]);
        stack.frames.clear();
        stack.moves.clear();
        stack.words.clear();
        stack.way.clear();
        stack.words.extend_from_slice(root);
        self.depth += 1;
        let result = self.search(&mut stack, question);
        let resumed = |why: &_| {
            matches!(why, SearchInterrupted::LocalBudgetExhausted | SearchInterrupted::BudgetExhausted)
        };
        if result.as_ref().is_err_and(resumed) {
            // The results so far help a later search.
            while !stack.frames.is_empty() {
                self.leave(&mut stack, question);
            }
        }
        // If the search failed, the caller reads the path of the failure from the stack.
        self.stacks[self.depth - 1] = stack;
        let numbers = result?;
        self.depth -= 1;
        Ok(numbers.answer() == Some(true))
    }

    fn search(
        &mut self,
        stack: &mut DfpnStack,
        question: Question,
    ) -> Result<ProofNumbers, SearchInterrupted> {
        let size = self.eyes.size();
        let mut done = self.enter(stack, 0, question, PhiDelta::INFINITE, 0)?;
        loop {
            let Some(frame) = stack.frames.last_mut() else {
                return Ok(done.map_or(ProofNumbers::answered(false), |found| found.numbers));
            };
            if let Some(found) = done.take() {
                stack.moves[frame.current].found = found;
            }
            if self.eyes.nodes >= self.attack_limit {
                return Err(SearchInterrupted::LocalBudgetExhausted);
            }
            let moves = &stack.moves[frame.moves..];
            let seen = self.tuning.seen(moves, frame.proves);
            let PnSearchOptions { deepening, epsilon, aggregation: together, .. } = self.tuning;
            let total = together.aggregate(seen.clone().map(|(_, seen)| seen));
            let leaves = deepening.leaves(total.saturated(), frame.thresholds);
            let node = OpenNode { proves: frame.proves, total, thresholds: frame.thresholds };
            let next = (!leaves).then(|| deepening.select_move(seen, node, together, epsilon));
            let Some(next) = next else {
                done = Some(self.leave(stack, question));
                continue;
            };
            let Some((next, PhiDelta { phi, delta })) = next else {
                return Err(SearchInterrupted::NotApplicable(MAY_REPEAT_REASON.into()));
            };
            let chosen = moves[next];
            // The edge cost of the move is already spent.
            let phi = if phi == INFINITE { phi } else { phi - chosen.cost };
            let thresholds = PhiDelta { phi, delta };
            frame.current = frame.moves + next;
            let proves = self.eyes.is_first(stack.words[chosen.at + size] as u32);
            let thresholds = if proves == frame.proves { thresholds } else { thresholds.exchanged() };
            let (from, turns) = (frame.at, frame.turns);
            let turns = self.eyes.check_rank(&stack.words[from..], &stack.words[chosen.at..], turns)?;
            done = self.enter(stack, chosen.at, question, thresholds, turns)?;
        }
    }

    /// Pushes a position, given by the index of its words; or returns its numbers if it needs no search.
    fn enter(
        &mut self,
        stack: &mut DfpnStack,
        at: usize,
        question: Question,
        thresholds: PhiDelta,
        turns: u64,
    ) -> Result<Option<DfpnResult>, SearchInterrupted> {
        let size = self.eyes.size();
        let proves = self.eyes.is_first(stack.words[at + size] as u32);
        let known = self.recall(stack, at, question);
        let anew = std::mem::take(&mut self.force_root);
        if let Some(found) = known.filter(|_| !anew)
            && self.tuning.deepening.leaves(found.numbers.phi_delta(proves), thresholds)
        {
            return Ok(Some(found));
        }
        let (began, first) = (self.eyes.nodes, stack.words.len());
        let held_bytes = self.held_bytes() + stack.held_bytes();
        let mut answer = None;
        let mut open = match self.eyes.expand(&mut stack.words, at, question.t, held_bytes)? {
            ExpansionResult::Open(open) => open,
            ExpansionResult::Answered(yes) => {
                answer = Some(yes);
                0
            }
        };
        // An attack expands other positions meanwhile and overwrites the hints.
        let hints = match question.kind {
            TreeKind::AllMoves | TreeKind::PseudoProof(_) => std::mem::take(&mut self.eyes.hints),
            TreeKind::Threats(..) => Vec::new(),
        };
        let mut guessed = false;
        match question.kind {
            _ if answer.is_some() => {}
            TreeKind::AllMoves if self.tuning.threat_order > 0 => {
                answer = self.attack_answer(&stack.words[at..=at + size], question.t)?;
            }
            TreeKind::AllMoves => {}
            TreeKind::Threats(attack) if attack.attacker == proves => {
                let (before, moves) = stack.words.split_at_mut(first);
                let kept = self.partition_threats(&before[at..=at + size], moves, question.t, attack)?;
                match kept {
                    // No threat is left: the attack has failed.
                    Some(0) => answer = Some(!attack.attacker),
                    Some(kept) => open = kept,
                    None => answer = Some(attack.attacker),
                }
            }
            TreeKind::Threats(..) => {}
            TreeKind::PseudoProof(pass) => {
                answer = self.answer_by_evaluation(&stack.words[at..=at + size], pass);
                guessed = answer.is_some();
            }
        }
        if let Some(yes) = answer {
            stack.words.truncate(first);
            let positions = self.eyes.nodes - began;
            let found = DfpnResult { guessed, ..DfpnResult::of(ProofNumbers::answered(yes)) };
            self.keep(&stack.words[at..=at + size], found, question, positions);
            return Ok(Some(found));
        }
        stack.words.truncate(first + open * (size + 1));
        if self.eyes.infinite_payoff().is_some() {
            stack.way.push(&stack.words[at..=at + size]);
        }
        // Of moves with equal numbers, those with the most threats come first.
        let mut order: SmallVec<[usize; 64]> = (0..open).collect();
        order.sort_by_key(|&child| Reverse(hints.get(child)));
        let (moves, current) = (stack.moves.len(), stack.moves.len());
        for &child in &order {
            let at = first + child * (size + 1);
            self.table.prefetch(key(&stack.words[at..=at + size], TreeKind::AllMoves));
        }
        let by_mobility =
            self.tuning.initial == InitialNumbers::Mobility && question.kind == TreeKind::AllMoves;
        let guesses =
            self.tuning.initial == InitialNumbers::Evaluation && question.kind == TreeKind::AllMoves;
        let worse = |of: &Self, words: &[u64]| of.worse(words[first..].chunks_exact(size + 1), proves);
        let costs = (guesses && self.tuning.evaluation_costs).then(|| worse(self, &stack.words));
        let mut counted = None;
        for child in order {
            let at = first + child * (size + 1);
            let found = match self.recall(stack, at, question) {
                Some(found) => found,
                None if let Some(numbers) =
                    self.numbers_of_earlier_pass(&stack.words[at..=at + size], question.t) =>
                {
                    DfpnResult::of(numbers)
                }
                None => {
                    let mut count = self.quiet(&hints, child);
                    if guesses && costs.is_none() {
                        count += counted.get_or_insert_with(|| worse(self, &stack.words))[child];
                    }
                    let numbers = if by_mobility {
                        self.numbers_by_mobility(&mut stack.words, at, question, held_bytes)?
                    } else {
                        ProofNumbers::from_phi_delta(PhiDelta { phi: count, delta: 1 }, proves)
                    };
                    DfpnResult::of(numbers)
                }
            };
            let cost = costs.as_ref().map_or(0, |costs| costs[child]);
            stack.moves.push(DfpnMove { at, found, cost });
        }
        if !matches!(question.kind, TreeKind::Threats(..)) {
            self.eyes.hints = hints;
        }
        stack.frames.push(DfpnFrame { at, moves, words: first, proves, thresholds, current, began, turns });
        Ok(None)
    }

    /// Returns the known result of a position that a move leads to, including results that depend on the current path.
    fn recall(&self, stack: &DfpnStack, at: usize, question: Question) -> Option<DfpnResult> {
        let here = &stack.words[at..=at + self.eyes.size()];
        let known = self.known(here, question);
        let Some(endless) = self.eyes.infinite_payoff() else { return known };
        if known.is_some_and(|found| found.numbers.answer().is_some()) {
            return known;
        }
        let round = |rests, guessed| DfpnResult {
            numbers: ProofNumbers::answered(endless >= question.t),
            depends_on: Some(rests),
            guessed,
        };
        if let Some(place) = stack.way.place(here) {
            return Some(round(PathDependency::on(place), false));
        }
        // It is unknown whether a twin rests on evaluations, so in a pass it counts as guessed.
        let guessed = matches!(question.kind, TreeKind::PseudoProof(_));
        self.twin(here, question, &stack.way).map(|rests| round(rests, guessed)).or(known)
    }

    /// Returns the path dependency of an answer by infinite play, if a twin matches the current path.
    fn twin(&self, at: &[u64], question: Question, way: &SearchPath) -> Option<PathDependency> {
        let twin = self.table.get(twin(at, question.kind)).filter(|twin| twin.question == question.number)?;
        let last = way.ends_at(twin.numbers.proof)?;
        Some(PathDependency { first: twin.numbers.disproof, last })
    }

    /// Returns the result in the table for a position.
    fn known(&self, at: &[u64], question: Question) -> Option<DfpnResult> {
        let known = self.table.get(key(at, TreeKind::AllMoves));
        if known.is_some_and(|known| known.low >= question.t) {
            return Some(DfpnResult::of(ProofNumbers::answered(true)));
        }
        if known.is_some_and(|known| known.high < question.t) {
            return Some(DfpnResult::of(ProofNumbers::answered(false)));
        }
        let known = match question.kind {
            TreeKind::AllMoves => known,
            kind => self.table.get(key(at, kind)),
        };
        let numbers = known.filter(|known| known.question == question.number)?.numbers;
        // The lookup above already found answers that a pass proved.
        let guessed = matches!(question.kind, TreeKind::PseudoProof(_)) && numbers.answer().is_some();
        Some(DfpnResult { guessed, ..DfpnResult::of(numbers) })
    }

    /// Returns the initial cost of a move for its mover, by the threat hints.
    fn quiet(&self, hints: &[u32], child: usize) -> u32 {
        let by_threats = matches!(self.tuning.initial, InitialNumbers::Threats | InitialNumbers::Evaluation);
        if by_threats && hints.get(child) == Some(&0) { QUIET_MOVE_COST } else { 1 }
    }

    /// Returns the evaluation penalty of each move relative to the best one, for its mover.
    fn worse<'w>(&self, after: impl Iterator<Item = &'w [u64]>, proves: bool) -> SmallVec<[u32; 64]> {
        let guesses: SmallVec<[_; 64]> = after.map(|at| self.eyes.evaluate(at, proves)).collect();
        let known = || guesses.iter().flatten().copied();
        let (most, least) = (known().fold(f64::MIN, f64::max), known().fold(f64::MAX, f64::min));
        let worse = |guess: &Option<f64>| {
            if most > least {
                (WORST_MOVE_PENALTY * (most - guess.unwrap_or(least)) / (most - least)).round() as u32
            } else {
                0
            }
        };
        guesses.iter().map(worse).collect()
    }

    /// Returns the initial numbers of a position by its number of moves.
    fn numbers_by_mobility(
        &mut self,
        words: &mut Vec<u64>,
        at: usize,
        question: Question,
        held_bytes: u64,
    ) -> Result<ProofNumbers, SearchInterrupted> {
        let (top, size) = (words.len(), self.eyes.size());
        let seen = self.eyes.expand(words, at, question.t, held_bytes)?;
        words.truncate(top);
        match seen {
            ExpansionResult::Open(moves) => {
                let proves = self.eyes.is_first(words[at + size] as u32);
                Ok(ProofNumbers::from_phi_delta(PhiDelta { phi: 1, delta: moves as u32 }, proves))
            }
            ExpansionResult::Answered(yes) => {
                self.keep(&words[at..=at + size], DfpnResult::of(ProofNumbers::answered(yes)), question, 1);
                Ok(ProofNumbers::answered(yes))
            }
        }
    }

    /// Pops the last position and stores its result, which it returns.
    fn leave(&mut self, stack: &mut DfpnStack, question: Question) -> DfpnResult {
        let Some(frame) = stack.frames.pop() else { return DfpnResult::of(ProofNumbers::answered(false)) };
        let moves = &stack.moves[frame.moves..];
        let seen = self.tuning.seen(moves, frame.proves).map(|(_, seen)| seen);
        let numbers =
            ProofNumbers::from_phi_delta(self.tuning.aggregation.aggregate(seen).saturated(), frame.proves);
        // Otherwise no answer depends on the path or on evaluations.
        let rests =
            self.eyes.infinite_payoff().is_some() || matches!(question.kind, TreeKind::PseudoProof(_));
        let answer = numbers.answer().filter(|_| rests);
        let support = answer.map(|answer| support(moves, frame.proves == answer, answer));
        let (rests, guessed) = support.unwrap_or((None, false));
        let place = stack.frames.len() as u32;
        let found = DfpnResult { numbers, depends_on: rests.and_then(|rests| rests.before(place)), guessed };
        stack.way.pop();
        let here = frame.at..=frame.at + self.eyes.size();
        let positions = self.eyes.nodes - frame.began;
        match found.depends_on {
            None => self.keep(&stack.words[here], found, question, positions),
            Some(rests) => {
                self.keep_twin(&stack.words[here], &mut stack.way, rests, question, positions);
            }
        }
        stack.moves.truncate(frame.moves);
        stack.words.truncate(frame.words);
        found
    }

    /// Stores an answer that depends on the path as a twin.
    fn keep_twin(
        &mut self,
        at: &[u64],
        way: &mut SearchPath,
        rests: PathDependency,
        question: Question,
        positions: u64,
    ) {
        let Some(number) = self.prefixes.number(way, rests.last) else { return };
        if rests.first >= INFINITE {
            return;
        }
        let numbers = ProofNumbers { proof: number, disproof: rests.first };
        let known = DfpnEntry { low: SCORE_MIN, high: SCORE_MAX, question: question.number, numbers };
        self.table.put(twin(at, question.kind), known, positions);
    }

    fn keep(
        &mut self,
        at: &[u64],
        DfpnResult { numbers, guessed, .. }: DfpnResult,
        question: Question,
        positions: u64,
    ) {
        let answer = numbers.answer();
        let (low, high) = match answer {
            Some(true) => (question.t, SCORE_MAX),
            Some(false) => (SCORE_MIN, question.t - 1),
            None => (SCORE_MIN, SCORE_MAX),
        };
        let proved = match question.kind {
            TreeKind::AllMoves => true,
            // A successful attack is an answer; a failed one says nothing about other moves.
            TreeKind::Threats(attack) => answer == Some(attack.attacker),
            TreeKind::PseudoProof(_) => answer.is_some() && !guessed,
        };
        let (kind, known) = if proved {
            let number = if question.kind == TreeKind::AllMoves { question.number } else { MAX_QUESTIONS };
            (TreeKind::AllMoves, DfpnEntry { low, high, question: number, numbers })
        } else {
            (question.kind, DfpnEntry { low: SCORE_MIN, high: SCORE_MAX, question: question.number, numbers })
        };
        self.table.put(key(at, kind), known, positions);
    }
}

impl DfpnStack {
    fn held_bytes(&self) -> u64 {
        let (moves, frames) = (self.moves.capacity(), self.frames.capacity());
        let held =
            8 * self.words.capacity() + size_of::<DfpnMove>() * moves + size_of::<DfpnFrame>() * frames;
        held as u64 + self.way.held_bytes()
    }
}

/// Returns the path dependency of an answer by these moves, and true if it rests on an evaluation: if one move is
/// enough, of the one that is proved and depends on the shortest part of the path; else of all together.
fn support(moves: &[DfpnMove], one: bool, answer: bool) -> (Option<PathDependency>, bool) {
    let giving = moves.iter().map(|of| of.found).filter(|found| found.numbers.answer() == Some(answer));
    let of = |found: DfpnResult| (found.depends_on, found.guessed);
    if one {
        let last = |found: &DfpnResult| found.depends_on.map_or(u32::MAX, |rests| rests.first);
        return giving.max_by_key(|found| (!found.guessed, last(found))).map_or((None, false), of);
    }
    let both = |a: Option<PathDependency>, b: Option<PathDependency>| {
        a.map_or(b, |a| Some(b.map_or(a, |b| a.union(b))))
    };
    giving.map(of).fold((None, false), |all, one| (both(all.0, one.0), all.1 || one.1))
}

/// Returns the table key of a position in a tree of this kind.
pub(super) fn key(at: &[u64], kind: TreeKind) -> DfpnKey<'_> {
    numbered(at, kind, 0)
}

/// Returns the table key of the twin of a position: see [`way`](super::way).
fn twin(at: &[u64], kind: TreeKind) -> DfpnKey<'_> {
    numbered(at, kind, FIRST_TWIN_TREE)
}

/// The first tree number of twins.
const FIRST_TWIN_TREE: u32 = 1 << 7;
/// The tree number of pseudo-proof passes, above those of threats.
const PSEUDO_PROOF_TREE: u32 = FIRST_TWIN_TREE - 1;
const _: () = assert!(2 * MAX_THREAT_ORDER as u32 + 1 < PSEUDO_PROOF_TREE, "trees share a number");

fn numbered(at: &[u64], kind: TreeKind, from: u32) -> DfpnKey<'_> {
    let (control, words) = at.split_last().expect("a control is there");
    let tree = from
        + match kind {
            TreeKind::AllMoves => 0,
            TreeKind::Threats(attack) => 2 * attack.order + u32::from(attack.attacker),
            TreeKind::PseudoProof(_) => PSEUDO_PROOF_TREE,
        };
    DfpnKey::of(words, *control as u32 | tree << CONTROL_BITS)
}

impl<'a> QuestionSolver<'a> for Dfpn<'a> {
    fn answer(&mut self, at: &Position, t: i32) -> Result<bool, SearchInterrupted> {
        if let Some(yes) = self.known_answer(at, t) {
            return Ok(yes);
        }
        let (root, question) = (to_words(at), self.question(t, TreeKind::AllMoves)?);
        self.with_restarts(|dfpn| {
            let answer = match dfpn.root_attack_answer(&root, t)? {
                None if dfpn.tuning.pseudo_proofs => dfpn.run_pseudo_proof_passes(&root, t)?,
                answer => answer,
            };
            answer.map_or_else(|| dfpn.run(&root, question), Ok)
        })
    }

    fn re_search(&mut self, at: &Position, t: i32) -> Result<(), SearchInterrupted> {
        let (root, question) = (to_words(at), self.question(t, TreeKind::AllMoves)?);
        self.with_restarts(|dfpn| {
            dfpn.force_root = true;
            let answer = dfpn.run(&root, question);
            dfpn.force_root = false;
            answer.map(|_| ())
        })
    }

    fn known_answer(&self, at: &Position, t: i32) -> Option<bool> {
        let known = self.table.get(key(&to_words(at), TreeKind::AllMoves))?;
        if known.low >= t { Some(true) } else { (known.high < t).then_some(false) }
    }

    fn effort(&self, at: &Position) -> u64 {
        self.table.effort(key(&to_words(at), TreeKind::AllMoves))
    }

    fn expander(&self) -> &PositionExpander<'a> {
        &self.eyes
    }

    fn expander_mut(&mut self) -> &mut PositionExpander<'a> {
        &mut self.eyes
    }

    fn held_bytes(&self) -> u64 {
        let stacks: u64 = self.stacks.iter().map(DfpnStack::held_bytes).sum();
        self.table.held_bytes() + self.prefixes.held_bytes() + stacks
    }

    fn path(&self) -> Vec<Position> {
        let size = self.eyes.size();
        let stacks = self.stacks.iter().take(self.depth);
        let at = |stack: &DfpnStack, frame: &DfpnFrame| from_words(&stack.words[frame.at..=frame.at + size]);
        stacks.flat_map(|stack| stack.frames.iter().map(move |frame| at(stack, frame))).collect()
    }
}
