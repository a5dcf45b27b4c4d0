//! A player of matches by the protocol of general game playing (Genesereth, Love, Pell: "General game playing:
//! overview of the AAAI competition", 2005): it reads the rules of a match, prepares within the start clock, and
//! answers each request for a move within the play clock.
//!
//! *Invariants:* an answer never waits for a search: a legal move is ready before the search begins, and is the answer
//! if the search does not end in time. There is one match at a time.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use bouton_base::cancel;
use bouton_base::clock::Instant;
use bouton_base::limits::{CancelToken, Limits};
use bouton_gdl::Names;
use bouton_search::game::{Game, State, Successor};
use bouton_syntax::diag::Severity;

use crate::budget::Budget;
use crate::load::GameSource;
use crate::play::Session;

mod choice;
mod hidden;
mod message;

use choice::{Knowledge, STACK_BYTES};
use hidden::PossiblePlays;
pub use message::{Message, MessageError, News, Percepts};

/// A receiver of sentences about the match, for the user.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// A player, with its match if there is one.
pub struct MatchPlayer {
    name: String,
    budget: Budget,
    log: Log,
    current: Mutex<Option<Arc<Match>>>,
}

/// A match.
struct Match {
    id: String,
    play_clock: Duration,
    /// Cancels all work for the match.
    stop: CancelToken,
    /// The time of the last message.
    touched: Mutex<Instant>,
    /// The play; `None` until the rules are translated.
    play: Mutex<MatchPlay>,
    translated: Condvar,
    /// The last answer to a request for a move.
    answered: Mutex<String>,
}

/// The state of a match that the messages change.
#[derive(Default)]
struct MatchPlay {
    /// The news of each move of all roles, as told.
    told: Vec<News>,
    translation: Translated,
    knowledge: Arc<Mutex<Knowledge>>,
}

/// The state of the translation.
#[derive(Default)]
enum Translated {
    #[default]
    Waiting,
    Failed,
    Done(Box<Board>),
}

/// A translated match.
#[derive(Clone)]
struct Board {
    session: Session,
    names: Arc<Names>,
    role: u32,
    /// The number of messages whose moves are made.
    heard: usize,
    /// The plays that agree with what the player saw, where moves are hidden.
    possible: PossiblePlays,
}

/// A part of each clock that is kept back for the way of the answer.
fn margin(clock: Duration) -> Duration {
    (clock / 4).clamp(Duration::from_millis(150), Duration::from_secs(2))
}

/// The time between the end of a search and the answer, as a part of the margin.
const REPLY_DIVISOR: u32 = 4;

/// A match without messages for this time, besides two play clocks, is given up for a new one.
const IDLE_TIME: Duration = Duration::from_secs(60);

/// Locks a mutex; a panic of another thread does not end the player.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex if it becomes free in time.
fn lock_until<T>(mutex: &Mutex<T>, deadline: Instant) -> Option<MutexGuard<'_, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_INTERVAL),
        }
    }
}

/// The time between two tries to lock.
const LOCK_INTERVAL: Duration = Duration::from_millis(2);

impl MatchPlayer {
    /// Makes a player without a match. Only the memory limit, the back end and the stop flag of the budget count.
    pub fn new(name: &str, budget: Budget, log: Log) -> MatchPlayer {
        MatchPlayer { name: name.to_owned(), budget, log, current: Mutex::new(None) }
    }

    /// Answers a message that was received at this time.
    pub fn answer(&self, text: &str, received: Instant) -> Result<String, MessageError> {
        Ok(match Message::parse(text)? {
            Message::Info => {
                let is_free = lock(&self.current).as_ref().is_none_or(|of| of.is_left());
                let state = if is_free { "available" } else { "busy" };
                format!("( ( name {} ) ( status {state} ) ( species alien ) )", self.name)
            }
            Message::Start { id, role, rules, start_clock, play_clock } => {
                let clock = Duration::from_secs(start_clock);
                let play_clock = Duration::from_secs(play_clock);
                let Some(of) = self.begin(id, play_clock) else { return Ok("busy".to_owned()) };
                self.start(&of, role, rules, received + clock - margin(clock).min(clock));
                "ready".to_owned()
            }
            Message::Play { id, news } => match self.find(&id) {
                Some(of) => self.play(&of, news, received),
                None => "busy".to_owned(),
            },
            Message::Stop { id } => self.end(&id, "done"),
            Message::Abort { id } => self.end(&id, "aborted"),
        })
    }

    /// Begins a match, if there is none.
    fn begin(&self, id: String, play_clock: Duration) -> Option<Arc<Match>> {
        let mut current = lock(&self.current);
        if let Some(old) = &*current {
            if !old.is_left() {
                return None;
            }
            old.stop.cancel();
        }
        let of = Arc::new(Match {
            id,
            play_clock,
            stop: CancelToken::default(),
            touched: Mutex::new(Instant::now()),
            play: Mutex::default(),
            translated: Condvar::new(),
            answered: Mutex::default(),
        });
        *current = Some(of.clone());
        Some(of)
    }

    /// The match with this id.
    fn find(&self, id: &str) -> Option<Arc<Match>> {
        let current = lock(&self.current);
        let of = current.as_ref().filter(|of| of.id.eq_ignore_ascii_case(id))?;
        *lock(&of.touched) = Instant::now();
        Some(of.clone())
    }

    /// Ends a match.
    fn end(&self, id: &str, answer: &str) -> String {
        let mut current = lock(&self.current);
        match current.take_if(|of| of.id.eq_ignore_ascii_case(id)) {
            Some(of) => {
                of.stop.cancel();
                (self.log)(&format!("match {id}: {answer}"));
                answer.to_owned()
            }
            None => "busy".to_owned(),
        }
    }

    fn limits(&self, of: &Match, deadline: Instant) -> Limits {
        let memory_bytes = self.budget.memory;
        Limits { deadline: Some(deadline), memory_bytes, positions: None, cancel: of.stop.clone() }
    }

    /// Translates the rules and prepares on a thread of its own; returns when that is done, or at the deadline. The
    /// translation may take longer: it is given up after ten play clocks.
    fn start(&self, of: &Arc<Match>, role: String, rules: String, deadline: Instant) {
        let until = deadline + of.play_clock * 10;
        let (translating, preparing) = (self.limits(of, until), self.limits(of, deadline));
        let (own, log, backend) = (of.clone(), self.log.clone(), self.budget.backend);
        let (done, wait) = mpsc::channel::<()>();
        let work = move || {
            let board = cancel::run_within(&translating, || translate(&rules, &role, backend, &translating));
            let board = board.unwrap_or_else(|hit| Err(format!("the rules were not translated: {hit}")));
            let (begun, translation) = match board {
                Ok(board) => {
                    let start = (board.session.game.clone(), board.session.start.clone());
                    (Some(start), Translated::Done(Box::new(board)))
                }
                Err(why) => {
                    log(&format!("match {}: {why}", own.id));
                    (None, Translated::Failed)
                }
            };
            let knowledge = {
                let mut play = lock(&own.play);
                play.translation = translation;
                play.knowledge.clone()
            };
            own.translated.notify_all();
            if let Some((game, start)) = begun {
                let mut knowledge = lock(&knowledge);
                knowledge.prepare(&game.with_limits(&preparing), &start, &preparing);
                log(&format!("match {}: {role} in {}; {}", own.id, game.rules.name, knowledge.describe()));
            }
            drop(done);
        };
        if thread::Builder::new().stack_size(STACK_BYTES).spawn(work).is_ok() {
            let left = deadline.saturating_duration_since(Instant::now());
            let _: Result<(), RecvTimeoutError> = wait.recv_timeout(left);
        }
    }

    /// Makes the moves that were told, and chooses the next one: always before the play clock ends.
    fn play(&self, of: &Arc<Match>, news: News, received: Instant) -> String {
        const NO_MOVE: &str = "nil";
        let kept = margin(of.play_clock).min(of.play_clock);
        let search_until = received + (of.play_clock - kept);
        let reply_until = search_until + kept / REPLY_DIVISOR;
        let limits = self.limits(of, search_until);
        let (send, receive) = mpsc::channel::<String>();
        let (own, log) = (of.clone(), self.log.clone());
        let work = move || {
            let mut play = lock(&own.play);
            play.told.extend(Some(news).filter(|news| *news != News::Nothing));
            while matches!(play.translation, Translated::Waiting) {
                let left = reply_until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                let waited = own.translated.wait_timeout(play, left);
                play = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let MatchPlay { told, translation, knowledge } = &mut *play;
            let Translated::Done(board) = translation else { return };
            let answered = lock(&own.answered).clone();
            let half = search_until.saturating_duration_since(Instant::now()) / 2;
            if let Err(why) = board.catch_up(told, &answered, Instant::now() + half) {
                log(&format!("match {}: {why}", own.id));
                return;
            }
            let Some(first) = board.first_move() else { return };
            let _ = send.send(first);
            // A search that takes longer than it may must not hold up the next message.
            let mut board = (**board).clone();
            let knowledge = knowledge.clone();
            drop(play);
            let Some(mut knowledge) = lock_until(&knowledge, search_until) else { return };
            let Some((chosen, how)) = knowledge.choose(&mut board.session, board.role, &limits) else {
                return;
            };
            if let Some(term) = board.own_part(&chosen) {
                log(&format!("match {}: {term}, {how}", own.id));
                let _ = send.send(term);
            }
        };
        if thread::Builder::new().stack_size(STACK_BYTES).spawn(work).is_err() {
            return NO_MOVE.to_owned();
        }
        // The last move that came in time: the first legal one, then the chosen one.
        let mut answer = NO_MOVE.to_owned();
        while let Ok(better) = receive.recv_timeout(reply_until.saturating_duration_since(Instant::now())) {
            answer = better;
        }
        answer.clone_into(&mut lock(&of.answered));
        answer
    }
}

impl Match {
    /// Returns true if no message has come for so long that none will.
    fn is_left(&self) -> bool {
        lock(&self.touched).elapsed() > self.play_clock * 2 + IDLE_TIME
    }
}

/// Reads the rules of a match; the error is a sentence for the user.
fn translate(
    rules: &str,
    role: &str,
    backend: bouton_search::game::Backend,
    limits: &Limits,
) -> Result<Board, String> {
    let mut source = GameSource::from_string("match.kif", rules);
    let error = source.diagnostics.iter().find(|found| found.severity() == Severity::Error);
    if let Some(found) = error {
        return Err(format!("{} {}", found.code, found.title));
    }
    let names = source.gdl_names().cloned().ok_or("the rules are no sheet")?;
    let place = names.roles.iter().position(|other| other == role);
    let place = place.or_else(|| names.roles.iter().position(|other| other.eq_ignore_ascii_case(role)));
    let place = place.filter(|&place| place < source_players(&names));
    let role = place.ok_or_else(|| format!("the rules have no player `{role}`"))? as u32;
    source.backend = backend;
    source.limits = limits.clone();
    let game = source.game(None).map_err(|_| "the rules have errors".to_owned())?;
    let start = game.machine.initial();
    let human = (0..game.rules.players().len() as u32).filter(|&other| other != role).collect();
    let session = Session::new(game, start, human, u64::from(role));
    Ok(Board { session, names, role, heard: 0, possible: PossiblePlays::default() })
}

/// The number of roles but chance.
fn source_players(names: &Names) -> usize {
    names.roles.iter().filter(|role| *role != "random").count()
}

/// The reason why the moves that were told cannot be made.
#[derive(Debug, thiserror::Error)]
enum LostTrack {
    /// Neither these moves are legal, nor after one that was not told.
    #[error("after {made} moves, ({moves}) is not legal")]
    Illegal { made: usize, moves: String },
    #[error("no play was found that agrees with what the player saw")]
    NoPlay,
}

/// A move of all roles: their terms, and the moves of the rules that make it up, of which the last is chance's if chance
/// acts after the players.
type Step = (Vec<String>, Vec<Successor>);

impl Board {
    fn game(&self) -> &Game {
        &self.session.game
    }

    /// The moves of all roles that are legal in a position.
    fn steps(&self, state: &State) -> Vec<Step> {
        let machine = &self.game().machine;
        let mut steps = Vec::new();
        for next in machine.successors(state).unwrap_or_default() {
            let Some(made) = self.names.parts(&next.play) else { continue };
            if made.iter().all(Option::is_some) {
                steps.push((made.into_iter().flatten().collect(), vec![next]));
                continue;
            }
            for event in machine.successors(&next.state).unwrap_or_default() {
                let Some(rest) = self.names.parts(&event.play) else { continue };
                let all = made.iter().zip(rest).map(|(first, second)| first.clone().or(second));
                if let Some(moves) = all.collect::<Option<Vec<String>>>() {
                    steps.push((moves, vec![next.clone(), event]));
                }
            }
        }
        steps
    }

    /// Makes the moves that were told and not yet made. Where they are not legal, a message was lost, and one move of
    /// all roles is guessed, which contains the last answer if possible. Where moves are hidden, plays are searched for
    /// until this time.
    fn catch_up(&mut self, told: &[News], answered: &str, until: Instant) -> Result<(), LostTrack> {
        let mut sees = false;
        while let Some(news) = told.get(self.heard) {
            self.heard += 1;
            let moves = match news {
                News::Nothing => continue,
                News::Moves(moves) => self.names.by_role(moves),
                News::Percepts(percepts) => {
                    self.hear(percepts.clone());
                    sees = true;
                    continue;
                }
            };
            let state = self.session.state().clone();
            let direct = self.find(&state, &moves);
            let Some(path) = direct.or_else(|| self.find_after_one(&state, &moves, answered)) else {
                self.heard -= 1;
                return Err(LostTrack::Illegal { made: self.session.made().len(), moves: moves.join(" ") });
            };
            path.into_iter().for_each(|next| {
                self.session.make(next, false);
            });
        }
        match !sees || self.follow(until) {
            true => Ok(()),
            false => Err(LostTrack::NoPlay),
        }
    }

    /// The moves of the rules by the moves of all roles.
    fn find(&self, state: &State, moves: &[String]) -> Option<Vec<Successor>> {
        let mut steps = self.steps(state);
        let loose = |a: &[String], b: &[String]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        let at = steps.iter().position(|(other, _)| other == moves);
        let at = at.or_else(|| steps.iter().position(|(other, _)| loose(other, moves)));
        at.map(|at| steps.swap_remove(at).1)
    }

    /// The moves of the rules by any moves of all roles, first by those that contain the last answer, and then by these.
    fn find_after_one(&self, state: &State, moves: &[String], answered: &str) -> Option<Vec<Successor>> {
        let role = self.role as usize;
        let mut between = self.steps(state);
        between.sort_by_key(|(step, _)| step[role] != answered);
        between.into_iter().take(MAX_GUESSES).find_map(|(_, mut path)| {
            let second = self.find(&path.last()?.state, moves)?;
            path.extend(second);
            Some(path)
        })
    }

    /// The move of this player's role within a move of the rules, as a term.
    fn own_part(&self, next: &Successor) -> Option<String> {
        self.names.parts(&next.play)?.into_iter().nth(self.role as usize)?
    }

    /// The first legal move of this player's role, as a term.
    fn first_move(&self) -> Option<String> {
        let successors = self.game().machine.successors(self.session.state()).ok()?;
        self.own_part(successors.first()?)
    }
}

/// The maximal number of moves that are tried for one that a lost message told.
const MAX_GUESSES: usize = 256;
