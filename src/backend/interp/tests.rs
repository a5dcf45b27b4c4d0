use std::collections::HashSet;

use super::*;
use bouton_base::bits::BitSet;
use bouton_circuit::parse::parse;
use bouton_circuit::{SlotId, verify};

fn runner(text: &str) -> Interpreter {
    let circuit = parse(text).unwrap();
    verify::verify(&circuit, verify::CircuitForm::Scheduled).unwrap();
    Interpreter::new(Arc::new(circuit))
}

fn tic_tac_toe() -> Interpreter {
    runner(include_str!("../../../tests/circuits/tic_tac_toe.circuit"))
}

fn crossing() -> Interpreter {
    runner(include_str!("../../../tests/circuits/crossing.circuit"))
}

fn track() -> Interpreter {
    runner(include_str!("../../../tests/circuits/track.circuit"))
}

fn perft(game: &Interpreter, depth: u32, by_turn: bool) -> Perft {
    let ply = if by_turn { CountUnit::Turn(0) } else { CountUnit::Move };
    game.perft(&game.circuit.initial, depth, ply, &CancelToken::default()).unwrap().unwrap()
}

/// Two players alternately take one or two from a pile of 70; a player who cannot has lost. The pile is the index of a
/// bit.
const TAKE_AWAY: &str = r#"
words 2
slot s0 "pile" 0:0 bits<71> 0x7f_ffffffffffffffff
v0: bits<71> = slot s0
v1: bits<71> = shift v0, -1
v2: bits<71> = shift v0, -2
v3: bits<71> = param 0
v4: bits<71> = param 1
v5: bits<71> = param 2
v6: bits<71> = param 3
v7: bits<1> = bits 0x1
v8: int = int 0
v9: int = int 1
control k0 "first" mover 0 {
  before { let v0 }
  group g0 { lets { let v1 } set v1 bit v3 body { yield k1 with s0 = v3 } }
  group g1 { lets { let v2 } set v2 bit v4 body { yield k1 with s0 = v4 } }
  stuck { over v7 ending 7 scores v8 }
}
control k1 "second" mover 1 {
  before { let v0 }
  group g2 { lets { let v1 } set v1 bit v5 body { yield k0 with s0 = v5 } }
  group g3 { lets { let v2 } set v2 bit v6 body { yield k0 with s0 = v6 } }
  stuck { over v7 ending 7 scores v9 }
}
initial k0 0x0, 0x40
"#;

#[test]
fn a_pile_is_taken_away() {
    let game = runner(TAKE_AWAY);
    let mut children = Vec::new();
    assert_eq!(game.expand(&game.circuit.initial, &mut children), Ok(Status::Open));
    let told: Vec<_> = children.iter().map(|c| (c.group.0, c.lane, c.position.words.to_vec())).collect();
    assert_eq!(told, [(0, 69, vec![0, 1 << 5]), (1, 68, vec![0, 1 << 4])]);
    let end = Position { control: ControlId(1), words: vec![1, 0].into() };
    let over = CircuitEnding { ending: 7, scores: vec![1] };
    assert_eq!(game.expand(&end, &mut children), Ok(Status::Over(over)));
    assert_eq!(children.len(), 2, "nothing is added, nothing is lost");
}

#[test]
fn sequences_are_counted() {
    let game = runner(TAKE_AWAY);
    let five = Position { control: ControlId(0), words: vec![1 << 5, 0].into() };
    let count = |depth| game.perft(&five, depth, CountUnit::Move, &CancelToken::default()).unwrap().unwrap();
    // The number of ways to write numbers up to 5 as sums of ones and twos with this number of parts.
    let leaves: Vec<u64> = (0..=6).map(|depth| count(depth).leaves).collect();
    assert_eq!(leaves, [1, 2, 4, 7, 5, 1, 0]);
    assert_eq!(count(1).checksum, (1 << 4) + (1 << 3));
    let stop = CancelToken::default();
    stop.cancel();
    assert_eq!(game.perft(&five, 3, CountUnit::Move, &stop), Ok(None));
    assert_eq!(game.playouts(&five, 3, 0, 9, &stop), Ok(None));
}

#[test]
fn random_games_end_and_are_the_same_for_the_same_seed() {
    let game = runner(TAKE_AWAY);
    let play = |seed, longest| {
        game.playouts(&game.circuit.initial, 100, seed, longest, &CancelToken::default()).unwrap().unwrap()
    };
    let met = play(3, 1000);
    assert_eq!(met, play(3, 1000));
    assert_ne!(met, play(4, 1000));
    assert_eq!((met.checksum, met.unfinished), (100, 0), "each game ends with the empty pile");
    // The average step is 1.5.
    assert!((4500..4900).contains(&met.states), "{}", met.states);
    assert_eq!((play(3, 30).unfinished, play(3, 30).states), (100, 3000));
}

/// The known counts: 255168 games in all, of 5 to 9 moves.
#[test]
fn three_in_a_row() {
    let game = tic_tac_toe();
    let leaves: Vec<u64> = (1..=7).map(|depth| perft(&game, depth, false).leaves).collect();
    assert_eq!(leaves, [9, 72, 504, 3024, 15120, 54720, 148_176]);
    assert_eq!(perft(&game, 4, true), perft(&game, 4, false), "each turn is one move");
    let mut ends = [0; 3];
    walk_games(&game, &game.circuit.initial, &mut |ending| ends[ending.ending as usize] += 1);
    assert_eq!(ends, [131_184, 77_904, 46_080]);
}

fn walk_games(game: &Interpreter, at: &Position, end: &mut impl FnMut(&CircuitEnding)) {
    let mut children = Vec::new();
    match game.expand(at, &mut children).unwrap() {
        Status::Over(ending) => end(&ending),
        Status::Open => children.iter().for_each(|child| walk_games(game, &child.position, end)),
    }
}

/// Returns the stones connected to these, on three rows of three.
fn flooded(stones: &BitSet, start: &[u32]) -> BitSet {
    let mut found = BitSet::empty(9);
    let mut open: Vec<u32> = start.iter().copied().filter(|&cell| stones.contains(cell)).collect();
    while let Some(cell) = open.pop() {
        if found.contains(cell) {
            continue;
        }
        found.insert(cell);
        let (row, column) = (cell / 3, cell % 3);
        let near = (0..9u32).filter(|c| (c / 3).abs_diff(row) + (c % 3).abs_diff(column) == 1);
        open.extend(near.filter(|&c| stones.contains(c)));
    }
    found
}

#[test]
fn floods_cross_a_board() {
    let game = crossing();
    let mut seen = HashSet::new();
    let mut open = vec![game.circuit.initial.clone()];
    let mut ends = [0; 3];
    while let Some(at) = open.pop() {
        let held = |slot| game.circuit.layout.get(SlotId(slot), &at.words);
        let first = held(0).resize(9).or(&held(2).resize(9).shift(4));
        let second = held(1);
        let (one, two) = (flooded(&first, &[0, 3, 6]), flooded(&second, &[0, 1, 2]));
        let crossed = if at.control.0 == 0 {
            [6, 7, 8].map(|c| two.contains(c))
        } else {
            [2, 5, 8].map(|c| one.contains(c))
        };
        let empty = first.or(&second).not();
        let ending = match crossed.contains(&true) {
            true => Some(1 - at.control.0),
            false if empty.is_empty() => Some(2),
            false => None,
        };
        let mut children = Vec::new();
        match (game.expand(&at, &mut children).unwrap(), ending) {
            (Status::Over(told), Some(ending)) => {
                let scores = vec![i64::from(one.count()), i64::from(two.count())];
                assert_eq!(told, CircuitEnding { ending, scores }, "{at:?}");
                ends[ending as usize] += 1;
            }
            (Status::Open, None) => {
                let lanes: Vec<u32> = children.iter().map(|child| child.lane).collect();
                assert_eq!(lanes, empty.iter().collect::<Vec<_>>());
            }
            (status, ending) => panic!("{at:?}: {status:?} instead of {ending:?}"),
        }
        open.extend(children.into_iter().map(|c| c.position).filter(|p| seen.insert(p.clone())));
    }
    assert!(ends.iter().all(|&n| n > 40), "{ends:?}");
}

/// A position of the track in plain numbers.
#[derive(Clone, Copy, Default, Debug)]
struct TrackPosition {
    control: u32,
    /// The cell of the token.
    token: u32,
    tired: i64,
    luck: i64,
}

/// The children in order, by group and lane; or the end of the game.
type TrackOutcome = Result<Result<Vec<(u32, u32, TrackPosition)>, CircuitEnding>, RulesFault>;

/// The rules of the track, implemented a second time.
fn track_rules(at: TrackPosition) -> TrackOutcome {
    let TrackPosition { control, token: t, tired: n, luck: h } = at;
    let pass = PASS_GROUP.0;
    let over = |ending, scores: &[i64]| Ok(Err(CircuitEnding { ending, scores: scores.to_vec() }));
    let trap = |cell: u32| cell.is_multiple_of(7) && cell > 0 || [22, 25, 69].contains(&cell);
    let tired = (n + 1).min(15);
    let mut children = Vec::new();
    match control {
        0 => {
            if n == 15 {
                return Err(RulesFault);
            }
            if t == 69 {
                return over(0, &[n]);
            }
            for to in [t + 1, t + 2, t + 5].into_iter().filter(|&to| to < 70 && !trap(to)) {
                if to % 5 == 0 {
                    let luck = (h + 1) % 8;
                    children.push((0, to, TrackPosition { control: 2, token: to, luck, ..at }));
                } else if to == 33 && n == 4 {
                    return Err(RulesFault);
                } else {
                    children.push((0, to, TrackPosition { control: 1, token: to, tired, ..at }));
                }
            }
            let stuck = children.is_empty();
            if n > 0 {
                let tired = (n - h / 2).max(0);
                children.push((1, 0, TrackPosition { control: 1, tired, ..at }));
            }
            if h % 2 == 1 {
                children.push((1, 1, TrackPosition { control: 1, luck: 0, ..at }));
            }
            if stuck {
                children.push((pass, 0, TrackPosition { control: 1, tired, ..at }));
            } else if n > 9 {
                return over(1, &[n, i64::from(t)]);
            } else if n > 7 {
                return over(2, &[]);
            }
        }
        1 => {
            let hot = u32::try_from(9 * n).unwrap();
            let back = if h % 2 == 1 { t.checked_sub(1) } else { t.checked_sub(66) };
            let mut cells = BitSet::empty(70);
            back.into_iter().for_each(|cell| cells.insert(cell));
            [t + 4, if h % 2 == 1 { hot } else { 70 }]
                .into_iter()
                .filter(|&cell| cell < 70 && cell != t)
                .for_each(|cell| cells.insert(cell));
            for to in cells.iter().filter(|&to| !trap(to)) {
                let tired = if to < 33 { (n + 2) % 16 } else { n };
                children.push((2, to, TrackPosition { control: 0, token: to, tired, ..at }));
            }
            if children.is_empty() {
                if h == 0 {
                    let score = [5, -3, 8, 0, 1, 9].get(n as usize).copied().unwrap_or(0);
                    return over(5, &[score]);
                }
                children.push((pass, 0, TrackPosition { control: 0, luck: h - 1, ..at }));
            }
        }
        _ => {
            let to = t + h as u32;
            if to >= 70 || n >= 8 {
                return over(6, &[i64::from(t), 1]);
            }
            children.push((3, to, TrackPosition { control: 1, token: to, ..at }));
        }
    }
    Ok(Ok(children))
}

fn track_position(at: TrackPosition) -> Position {
    let token = BitSet::of(70, [at.token]);
    let words = [token.words()[0], token.words()[1], (at.tired | at.luck << 4) as u64];
    Position { control: ControlId(at.control), words: words.into() }
}

/// Returns every position of the track.
fn track_spots() -> impl Iterator<Item = TrackPosition> {
    let each = |control| (0..70).flat_map(move |token| (0..16).map(move |tired| (control, token, tired)));
    (0..3).flat_map(each).flat_map(|(control, token, tired)| {
        (0..8).map(move |luck| TrackPosition { control, token, tired, luck })
    })
}

#[test]
fn the_track_keeps_its_rules() {
    let game = track();
    let mut met = [0; 3];
    for spot in track_spots() {
        let mut children = Vec::new();
        let told = game.expand(&track_position(spot), &mut children);
        let told = told.map(|status| match status {
            Status::Open => Ok(std::mem::take(&mut children)),
            Status::Over(ending) => Err(ending),
        });
        let wanted = track_rules(spot).map(|open| {
            open.map(|children| {
                let child = |(group, lane, spot)| Child {
                    group: GroupId(group),
                    lane,
                    position: track_position(spot),
                    weight: 1,
                };
                children.into_iter().map(child).collect()
            })
        });
        met[match &wanted {
            Err(RulesFault) => 0,
            Ok(Err(_)) => 1,
            Ok(Ok(_)) => 2,
        }] += 1;
        assert_eq!(told, wanted, "{spot:?}");
        assert!(children.is_empty(), "{spot:?}: no children of a game that is over");
    }
    assert!(met.iter().all(|&n| n > 500), "{met:?}");
}

#[test]
fn turns_of_more_than_one_move_count_once() {
    let game = track();
    // A recursion by the rules in plain numbers.
    fn turns(spot: TrackPosition, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mover = |control: u32| u32::from(control == 1);
        let children = track_rules(spot).unwrap().unwrap_or_default();
        let left = |to: TrackPosition| depth - u32::from(mover(to.control) != mover(spot.control));
        children.into_iter().map(|(_, _, to)| turns(to, left(to))).sum()
    }
    for depth in 0..9 {
        assert_eq!(perft(&game, depth, true).leaves, turns(TrackPosition::default(), depth), "depth {depth}");
    }
    assert_ne!(perft(&game, 3, true), perft(&game, 3, false));
}

/// Makes a random move as `Runner::playouts` defines it, by the plain rules: `lanes` gives the lanes in the sets, the
/// children give the legal moves.
fn track_play(spot: TrackPosition, lanes: Vec<(u32, u32)>, random: &mut Xorshift) -> Option<TrackPosition> {
    // Only in the first control can the game be over before a draw.
    let mut children = match track_rules(spot).unwrap() {
        Err(_) if spot.control == 0 => return None,
        children => children.unwrap_or_default(),
    };
    let stuck = children.iter().all(|&(group, ..)| group == 1 || group == PASS_GROUP.0);
    let mut lanes = lanes;
    while !lanes.is_empty() {
        let drawn = lanes.remove(random.below_u32(lanes.len() as u32) as usize);
        match children.iter().find(|&&(group, lane, _)| (group, lane) == drawn) {
            Some(_) if stuck => break,
            Some(&(_, _, to)) => return Some(to),
            None => {}
        }
    }
    if children.is_empty() {
        return None;
    }
    let drawn = random.below_u32(children.len() as u32) as usize;
    Some(children.swap_remove(drawn).2)
}

#[test]
fn random_games_on_the_track_are_drawn_as_told() {
    let game = track();
    let lanes = |at: TrackPosition| -> Vec<(u32, u32)> {
        let TrackPosition { control, token: t, tired: n, luck: h } = at;
        match control {
            // No lane is drawn if the game is over unless the mover is stuck.
            0 if n > 7 => Vec::new(),
            0 => {
                let ahead = [t + 1, t + 2, t + 5].into_iter().filter(|&to| to < 70).map(|to| (0, to));
                ahead.chain((0..1 + h as u32 % 2).map(|lane| (1, lane))).collect()
            }
            1 => {
                let hot = if h % 2 == 1 { 9 * n as u32 } else { 70 };
                let back = if h % 2 == 1 { t.checked_sub(1) } else { t.checked_sub(66) };
                let mut cells: Vec<u32> = back.into_iter().chain([t + 4, hot]).collect();
                cells.retain(|&cell| cell < 70 && cell != t);
                cells.sort_unstable();
                cells.dedup();
                cells.into_iter().map(|cell| (2, cell)).collect()
            }
            _ => Some(t + h as u32).filter(|&to| to < 70).map(|to| (3, to)).into_iter().collect(),
        }
    };
    let mut run = game.run();
    let mut random = Xorshift::new(5);
    let mut plain_random = random.clone();
    let mut made = 0;
    for spot in track_spots() {
        // A random game may miss a fault, so faulting positions are skipped.
        if track_rules(spot).is_err() {
            continue;
        }
        let mut at = track_position(spot);
        let moved = run.play(&mut at, &mut random).unwrap();
        let plain = track_play(spot, lanes(spot), &mut plain_random);
        assert_eq!(moved, plain.is_some(), "{spot:?}");
        assert_eq!(at, track_position(plain.unwrap_or(spot)), "{spot:?}");
        made += u32::from(moved);
    }
    assert!(made > 5000, "{made}");
    let met = game.playouts(&game.circuit.initial, 1000, 0, 50, &CancelToken::default()).unwrap().unwrap();
    assert_eq!(
        met,
        game.playouts(&game.circuit.initial, 1000, 0, 50, &CancelToken::default()).unwrap().unwrap()
    );
}
