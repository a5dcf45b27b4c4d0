//! Tables in files: what was broken off and gone on with gives the same bytes, and what is not the same table is refused.

use std::sync::Mutex;

use bouton::base::limits::{Limits, Progress, Silent};
use bouton::cert::Digest;
use bouton::game::{Backend, Game};
use bouton::solve::Symmetry;
use bouton::solve::strong::kept::{Identity, Keeper, Kept, Known, Put, Refused, read};
use bouton::solve::strong::{Failed, Of, Strong};

use super::{game, set};

/// Keeps in memory, and has no room after some times.
#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    left: Option<u32>,
    times: u32,
    /// Only what must be is kept.
    seldom: bool,
}

impl Keeper for Memory {
    fn is_due(&mut self) -> bool {
        !self.seldom
    }

    fn keep(&mut self, write: &mut dyn FnMut(&mut Put) -> Result<(), String>) -> Result<(), String> {
        if self.left == Some(self.times) {
            return Err("no room".into());
        }
        self.bytes.clear();
        self.times += 1;
        write(&mut |bytes| {
            self.bytes.extend_from_slice(bytes);
            Ok(())
        })
    }
}

fn identity(game: &Game, of: &str) -> Identity {
    let circuit = game.compiled().expect("machine code").runner().circuit();
    Identity::new(Digest::of_rules(&game.rules), of.into(), circuit)
}

fn run(game: &Game, known: Option<Known>, keeper: &mut Memory) -> Result<Strong, Failed> {
    run_within(&Limits::default(), &Silent, game, known, keeper)
}

fn run_within(
    limits: &Limits,
    progress: &dyn Progress,
    game: &Game,
    known: Option<Known>,
    keeper: &mut Memory,
) -> Result<Strong, Failed> {
    let kept = Kept { identity: identity(game, "start"), known, keeper };
    let start = game.machine.initial();
    Strong::of(game, (Of::Position(&start), Symmetry::Off), Some(kept), limits, progress)
}

fn known(game: &Game, of: &str, bytes: &[u8]) -> Result<Known, Refused> {
    known_within(&Limits::default(), game, of, bytes)
}

fn known_within(limits: &Limits, game: &Game, of: &str, mut bytes: &[u8]) -> Result<Known, Refused> {
    let circuit = game.compiled().expect("machine code").runner().circuit();
    let mut take = |to: &mut [u8]| {
        let (now, later) = bytes.split_at(bytes.len().min(to.len()));
        to[..now.len()].copy_from_slice(now);
        bytes = later;
        Ok(now.len())
    };
    read(&mut take, &identity(game, of), circuit, limits)
}

#[test]
fn what_is_broken_off_and_gone_on_with_gives_the_same_bytes() {
    for (name, settings) in [("tictactoe", &[][..]), ("dodgem", &[]), ("connect_four", &["cols=4", "rows=3"])]
    {
        let game = set(name, settings, Backend::Jit);
        let mut whole = Memory::default();
        let tally = run(&game, None, &mut whole).expect("sound rules").tally;
        assert!(whole.times > 5, "{name}: {}", whole.times);
        for left in 0..whole.times {
            let mut broken = Memory { left: Some(left), ..Memory::default() };
            assert!(matches!(run(&game, None, &mut broken), Err(Failed::File(_))), "{name}");
            let kept = (left > 0).then(|| known(&game, "start", &broken.bytes).expect("a table"));
            let mut resumed = Memory::default();
            let strong = run(&game, kept, &mut resumed).expect("sound rules");
            assert_eq!(strong.tally, tally, "{name} broken off after {left}");
            assert!(resumed.bytes == whole.bytes, "{name} broken off after {left}");
            assert_eq!(resumed.times, whole.times - left.saturating_sub(1) - u32::from(left > 0), "{name}");
        }
        // What is done is only read.
        let mut read = Memory::default();
        let strong = run(&game, Some(known(&game, "start", &whole.bytes).expect("a table")), &mut read);
        assert_eq!((strong.expect("a table").tally, read.times), (tally, 0), "{name}");
    }
}

/// The phases that there were.
#[derive(Default)]
struct Phases(Mutex<Vec<String>>);

impl Progress for Phases {
    fn phase(&self, name: &str) {
        self.0.lock().expect("no panic").push(name.into());
    }
}

impl Phases {
    fn had(&self, name: &str) -> bool {
        self.0.lock().expect("no panic").iter().any(|phase| phase == name)
    }
}

#[test]
fn without_room_for_the_moves_passes_find_the_same() {
    let game = set("dodgem", &[], Backend::Jit);
    let (mut whole, phases) = (Memory::default(), Phases::default());
    let strong = run_within(&Limits::default(), &phases, &game, None, &mut whole).expect("sound rules");
    assert!(phases.had("listing moves backwards") && phases.had("pass 7"));
    // What was gathered is gone on with where there is room for nothing more.
    let mut gathered = Memory { left: Some(1), ..Memory::default() };
    assert!(matches!(run(&game, None, &mut gathered), Err(Failed::File(_))));
    let known_so_far = known(&game, "start", &gathered.bytes).expect("a table");
    let few = Limits { memory_bytes: Some(1), ..Limits::default() };
    let (mut passes, phases) = (Memory::default(), Phases::default());
    let forwards = run_within(&few, &phases, &game, Some(known_so_far), &mut passes).expect("a table");
    assert!(!phases.had("listing moves backwards") && phases.had("pass 7"));
    assert_eq!(forwards.tally, strong.tally);
    assert!(forwards.held_bytes < strong.held_bytes);
    let kept = |bytes: &[u8]| format!("{:?}", known(&game, "start", bytes).expect("a table"));
    assert_eq!(kept(&passes.bytes), kept(&whole.bytes));
}

#[test]
fn a_table_of_packed_keys_is_gone_on_with() {
    let mut text = game("chess").given(&[], Some("endings")).expect("the preset");
    let pieces = "(count c in Cell: at[c] != none) = 3 and (some c in Cell: at[c] = Piece(White, queen))";
    let kings =
        "(some c in Cell: at[c] = Piece(White, king)) and (some c in Cell: at[c] = Piece(Black, king))";
    text.add_invariant("--universe", &format!("{pieces} and {kings}")).expect("a condition");
    text.backend = Backend::Jit;
    let game = text.game(None).expect("sound rules");
    let run = |known: Option<Known>, keeper: &mut Memory| {
        let kept = Kept { identity: identity(&game, "universe"), known, keeper };
        Strong::of(&game, (Of::Universe, Symmetry::Off), Some(kept), &Limits::default(), &Silent)
    };
    let mut whole = Memory { seldom: true, ..Memory::default() };
    let tally = run(None, &mut whole).expect("sound rules").tally;
    let mut broken = Memory { left: Some(1), seldom: true, ..Memory::default() };
    assert!(matches!(run(None, &mut broken), Err(Failed::File(_))));
    let read = known(&game, "universe", &broken.bytes).expect("a table");
    let mut resumed = Memory { seldom: true, ..Memory::default() };
    assert_eq!(run(Some(read), &mut resumed).expect("sound rules").tally, tally);
    assert!(resumed.bytes == whole.bytes);
    // Squares in place of boards: a key is one word.
    let per_position = whole.bytes.len() as u64 / tally.kinds.iter().map(|kind| kind.positions).sum::<u64>();
    assert!(per_position < 12, "{per_position}");
}

#[test]
fn what_is_damaged_or_another_table_is_refused() {
    let game = set("tictactoe", &[], Backend::Jit);
    let mut whole = Memory::default();
    run(&game, None, &mut whole).expect("sound rules");
    let bytes = whole.bytes;
    let step = bytes.len() / 400 + 1;
    for place in (0..bytes.len()).step_by(step).chain(0..64) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(known(&game, "start", &damaged).is_err(), "a bit of byte {place}");
        assert!(known(&game, "start", &bytes[..place]).is_err(), "{place} bytes of it");
    }
    assert!(matches!(known(&game, "start", &[&bytes[..], b"x"].concat()), Err(Refused::Damaged(_))));
    assert!(matches!(known(&game, "start", b"bouton-table 1\n"), Err(Refused::Version)));
    assert!(matches!(known(&game, "elsewhere", &bytes), Err(Refused::Foreign(_))));
    let other = set("tic_tic_toe", &[], Backend::Jit);
    assert!(matches!(known(&other, "start", &bytes), Err(Refused::Foreign(_))));
    let few = Limits { memory_bytes: Some(10_000), ..Limits::default() };
    let refused = known_within(&few, &game, "start", &bytes);
    assert!(matches!(refused, Err(Refused::Memory)), "{refused:?}");
}
