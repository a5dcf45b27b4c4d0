use super::*;
use crate::base::bits::BitSet;
use crate::base::id::IdVec;
use crate::circuit::build::Builder;
use crate::circuit::{Block, Control, Group, Layout, Over, Slot, SlotId, Stmt, Yield};

/// Two players take one or two from a pile of `pile` in turn; who cannot has lost. The pile is the place of a bit.
fn take_away(pile: u32) -> Circuit {
    let mut layout = Layout { words: pile / 64 + 1, ..Layout::default() };
    let maybe = BitSet::full(pile + 1);
    let pile_slot = layout.slots.push(Slot { name: "pile".into(), word: 0, bit: 0, maybe: maybe.clone() });
    let mut b = Builder::new(layout);
    let here = b.slot(SlotId(0));
    let always = b.truth(true);
    let mut groups = IdVec::new();
    let mut controls = IdVec::new();
    for mover in 0..2 {
        let mut own = Vec::new();
        for taken in 1..=2 {
            let set = b.shift(here, -taken);
            let bit = b.param(maybe.clone());
            let after = Yield { slots: vec![(pile_slot, bit)], to: ControlId(1 - mover) };
            own.push(groups.push(Group {
                lets: Block { stmts: vec![Stmt::Let(here), Stmt::Let(set)] },
                set,
                bit,
                pass: false,
                setup: Block::default(),
                body: Block { stmts: vec![Stmt::Yield(after)] },
            }));
        }
        let loser = b.int(i64::from(mover));
        let over = Over { when: always, unless_stuck: false, ending: 7, scores: vec![loser] };
        controls.push(Control {
            name: format!("{mover}"),
            mover,
            before: Block::default(),
            groups: own,
            stuck: Block { stmts: vec![Stmt::Over(over)] },
        });
    }
    let first = BitSet::of(pile + 1, [pile]);
    let initial = Position { control: ControlId(0), words: first.words().into() };
    Circuit { layout: b.layout, values: b.values, fixes: b.fixes, controls, groups, initial }
}

#[test]
fn a_pile_is_taken_away() {
    let game = Interpreter::new(Arc::new(take_away(70)));
    let mut children = Vec::new();
    assert_eq!(game.expand(&game.circuit.initial, &mut children), Ok(Status::Open));
    let told: Vec<_> = children.iter().map(|c| (c.group.0, c.lane, c.position.words.to_vec())).collect();
    assert_eq!(told, [(0, 69, vec![0, 1 << 5]), (1, 68, vec![0, 1 << 4])]);
    let end = Position { control: ControlId(1), words: vec![1, 0].into() };
    let over = Ending { ending: 7, scores: vec![1] };
    assert_eq!(game.expand(&end, &mut children), Ok(Status::Over(over)));
    assert_eq!(children.len(), 2, "nothing is added, nothing is lost");
}

#[test]
fn sequences_are_counted() {
    let game = Interpreter::new(Arc::new(take_away(5)));
    let count = |depth| game.perft(&game.circuit.initial, depth, false, &Stop::default()).unwrap().unwrap();
    // The ways to write up to 5 as sums of ones and twos of so many parts.
    let leaves: Vec<u64> = (0..=6).map(|depth| count(depth).leaves).collect();
    assert_eq!(leaves, [1, 2, 4, 7, 5, 1, 0]);
    assert_eq!(count(1).checksum, (1 << 4) + (1 << 3));
    let stop = Stop::default();
    stop.request();
    assert_eq!(game.perft(&game.circuit.initial, 3, false, &stop), Ok(None));
}

#[test]
fn random_games_end_and_are_the_same_for_the_same_seed() {
    let game = Interpreter::new(Arc::new(take_away(70)));
    let play = |seed, longest| {
        game.playouts(&game.circuit.initial, 100, seed, longest, &Stop::default()).unwrap().unwrap()
    };
    let met = play(3, 1000);
    assert_eq!(met, play(3, 1000));
    assert_ne!(met, play(4, 1000));
    assert_eq!((met.checksum, met.unfinished), (100, 0), "each game ends with the empty pile");
    // Steps of 1.5 on the average.
    assert!((4500..4900).contains(&met.states), "{}", met.states);
    assert_eq!((play(3, 30).unfinished, play(3, 30).states), (100, 3000));
}
