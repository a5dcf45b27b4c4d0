//! The one-ply lookahead and the pruning of decided children, against the definition of the language: on random plays
//! of every game of two.

use std::sync::Arc;

use bouton_backend::interp::Interpreter;
use bouton_backend::jit::{Jit, JitOptions};
use bouton_backend::lookahead::{POSITION_WORD, ReplyHint};
use bouton_backend::{
    LookaheadRecord, LookaheadResult, PositionRef, Runner, UndecidedChildren, UndecidedExpansion,
};
use bouton_base::limits::Limits;
use bouton_circuit::{ControlId, Position};
use bouton_lower::{Acting, EndingOutcome, Lowered};
use bouton_search::game::random::Random;
use bouton_search::game::{
    CompiledMachine, Machine, ReferenceMachine, State, ToMove, circuit_of, needs_history,
};

use super::{game, slow};

/// Returns, by control and end, whether the player who acts there wins by it.
fn best(lowered: &Lowered) -> Vec<Vec<bool>> {
    let wins = |acting: Acting, verdict: &EndingOutcome| match (acting, verdict) {
        (Acting::Player(player), EndingOutcome::Payoffs(payoffs, _)) => payoffs[player as usize] == 1.into(),
        _ => false,
    };
    let of = |&acting: &Acting| lowered.endings.iter().map(|end| wins(acting, &end.verdict)).collect();
    lowered.acting.iter().map(of).collect()
}

/// Returns true if the player to move in a position of the definition has a move that wins at once.
fn can_win(reference: &ReferenceMachine, state: &State) -> bool {
    let Ok((ToMove::Player(player), moves)) = reference.expand(state) else { return false };
    moves.iter().any(|child| wins(reference, &child.state, player))
}

/// Returns true if the game is over, and won by this player.
fn wins(reference: &ReferenceMachine, state: &State, player: u32) -> bool {
    match reference.turn(state) {
        Ok(ToMove::Terminal(outcome)) => outcome.payoffs[player as usize] == 1.into(),
        _ => false,
    }
}

/// Counts of the children in which the game goes on.
#[derive(Default, Debug)]
struct LookaheadCounts {
    all: u32,
    /// Children in which the next player wins at once by the definition; `said` counts those for which the lookahead
    /// found it.
    fell: u32,
    said: u32,
    /// Children for which the lookahead ruled such a win out.
    safe: u32,
    /// Positions in which the player to move wins at once by the definition; `sifted_won` counts those for which the
    /// pruning found it.
    won: u32,
    sifted_won: u32,
    /// In the other positions: children in which the next player wins at once; `left_out` counts those that were
    /// pruned.
    lost: u32,
    left_out: u32,
}

/// A child by the definition: the words of the position followed by its control; whether its mover wins by it, and
/// whether the game goes on and the next player wins at once.
struct ChildVerdict {
    to: State,
    wins: bool,
    falls: bool,
}

/// Asserts that the pruned children of a position are right, and counts them.
fn check_pruning(
    name: &str,
    sieve: &dyn UndecidedChildren,
    at: &Position,
    children: &[ChildVerdict],
    seen: &mut LookaheadCounts,
) {
    let mut records = vec![7];
    let sifted = sieve.expand_undecided(PositionRef::of(at), &mut records);
    let wins = children.iter().any(|child| child.wins);
    seen.won += u32::from(wins);
    let falls = match sifted {
        Ok(UndecidedExpansion::Wins) => {
            assert!(wins, "{name}: no such win in {at:?}");
            seen.sifted_won += 1;
            return;
        }
        Ok(UndecidedExpansion::Open { losing_moves: falls }) => falls,
        other => panic!("{name}: {other:?} in {at:?}"),
    };
    assert_eq!(records.remove(0), 7, "what was there stays");
    // The control comes first.
    let mut given = records.chunks_exact(at.words.len() + 1).peekable();
    let mut left_out = 0;
    for child in children {
        let (control, words) = child.to.0.split_last().expect("a control is there");
        match given.next_if(|record| (record[0], &record[1..]) == (*control, words)) {
            Some(_) => {}
            None => {
                assert!(child.falls, "{name}: left out without a reason in {at:?}");
                left_out += 1;
            }
        }
    }
    assert!(given.next().is_none() && falls == (left_out > 0), "{name}: {at:?}");
    if !wins {
        seen.lost += children.iter().filter(|child| child.falls).count() as u32;
        seen.left_out += left_out;
    }
}

/// Plays at random, asserts that no answer of the lookahead is wrong, and returns the counts.
fn compare(name: &str, settings: &[&str], jit: bool, plies: usize) -> Option<LookaheadCounts> {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let mut text = game(name).with_settings(&settings, None).unwrap_or_else(|e| panic!("{name}: {e}"));
    let rules = text.game(None).unwrap_or_else(|e| panic!("{name}: {e:?}")).rules.clone();
    // Searches require two players and positions that determine the rest of the play.
    let searched = rules.players().len() == 2 && !needs_history(&rules);
    let lowered = circuit_of(&rules, &[], &Limits::default()).ok().filter(|_| searched)?;
    let lowered = Arc::new(lowered);
    let circuit = Arc::new(lowered.circuit.clone());
    let runner: Arc<dyn Runner> = match jit {
        true => Arc::new(Jit::new(circuit.clone(), JitOptions::default()).expect("machine code")),
        false => Arc::new(Interpreter::new(circuit.clone())),
    };
    let compiled = CompiledMachine::new(rules.clone(), lowered.clone(), runner.clone());
    let reference = ReferenceMachine::new(rules.clone());
    let (scout, sieve) = (runner.lookahead(&best(&lowered)), runner.undecided_children(&best(&lowered)));
    let words = circuit.layout.words as usize;
    let mut seen = LookaheadCounts::default();
    for seed in 0..if slow() { 10 } else { 2 } {
        let mut random = Random::new(seed);
        let (mut a, mut b) = (reference.initial(), compiled.initial());
        for _ in 0..plies {
            let (Ok((ToMove::Player(player), moves)), Ok(others)) =
                (reference.expand(&a), compiled.successors(&b))
            else {
                break;
            };
            if moves.is_empty() {
                break;
            }
            let at = compiled.position(&b).expect("it was played");
            let mut out = vec![0; scout.max_output_words(at.control)];
            let looked = scout.look_ahead(PositionRef::of(&at), &mut out);
            assert_eq!(looked, Ok(LookaheadResult::Open(moves.len())), "{name}");
            let mut children = Vec::new();
            for record in out.chunks_exact(scout.record_words()).take(moves.len()) {
                let to = State(record[POSITION_WORD..=words + POSITION_WORD].into());
                assert!(ControlId(record[words + 1] as u32).0 < circuit.controls.len() as u32);
                let place = others.iter().position(|child| child.state == to).expect("a child");
                // Where the game is over, no player moves, and the lookahead has no answer.
                if LookaheadRecord(record).end(words).is_some() {
                    let wins = wins(&reference, &moves[place].state, player);
                    children.push(ChildVerdict { to, wins, falls: false });
                    continue;
                }
                let falls = can_win(&reference, &moves[place].state);
                let play = &moves[place].play;
                match LookaheadRecord(record).reply_hint(words) {
                    ReplyHint::Wins => {
                        assert!(falls, "{name}: no such win after {play:?} in {a:?}");
                        seen.said += 1;
                    }
                    ReplyHint::Plays { safe, .. } => {
                        assert!(!(safe && falls), "{name}: a win after {play:?} in {a:?}");
                        seen.safe += u32::from(safe);
                    }
                }
                seen.fell += u32::from(falls);
                seen.all += 1;
                children.push(ChildVerdict { to, wins: false, falls });
            }
            check_pruning(name, &*sieve, &at, &children, &mut seen);
            let choice = random.below(moves.len() as u64) as usize;
            (a, b) = (moves[choice].state.clone(), others[choice].state.clone());
        }
    }
    Some(seen)
}

#[test]
fn what_is_said_of_the_next_move_is_true() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    let files = std::fs::read_dir(folder).expect("the games");
    let files = files.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let names = files.filter_map(|file| file.strip_suffix(".bou").map(str::to_owned));
    let mut compared = 0;
    for name in names {
        // The definition visits every reply to every move, which takes long on large boards.
        let large =
            ["chess", "go", "gomoku", "amazons", "hex", "english_draughts", "breakthrough", "othello"];
        let plies = if large.contains(&&*name) { 2 } else { 20 };
        let smaller: &[&str] = if name == "gomoku" { &["m=7", "n=7"] } else { &[] };
        compared += u32::from(compare(&name, smaller, true, plies).is_some());
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn in_games_of_lines_all_such_moves_are_found() {
    let lines: &[(&str, &[&str])] = &[
        ("connect_four", &[]),
        ("connect_four", &["cols=5", "rows=4", "k=3"]),
        ("connect_four", &["cols=9", "rows=8"]),
        ("connect_four", &["cols=4", "rows=4", "k=3", "gravity=false"]),
        ("gomoku", &["m=5", "n=4", "k=3"]),
    ];
    for (name, settings) in lines {
        let seen = compare(name, settings, true, 60).expect("a circuit");
        assert!(seen.fell > 0 && seen.fell == seen.said, "{name} {settings:?}: {seen:?}");
        assert!(seen.fell + seen.safe == seen.all, "{name} {settings:?}: {seen:?}");
        assert!(seen.won > 0 && seen.won == seen.sifted_won, "{name} {settings:?}: {seen:?}");
        assert!(seen.lost > 0 && seen.lost == seen.left_out, "{name} {settings:?}: {seen:?}");
    }
    // Whichever player wins here, the end that the other wins by comes before or after his in the list of ends.
    let seen = compare("breakthrough", &["cols=4", "rows=4"], true, 60).expect("a circuit");
    assert!(seen.fell > 0 && seen.fell == seen.said, "{seen:?}");
    let seen = compare("connect_four", &[], false, 42).expect("a circuit");
    assert!(seen.fell > 0 && seen.said + seen.safe == 0, "the interpreter of circuits gives no hints");
}
