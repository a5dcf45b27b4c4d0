//! Going through a table: positions with what their moves lead to.

use std::ops::Range;

use super::{Failed, Worth};
use crate::base::mem::hash;
use crate::circuit::ControlId;
use crate::exec::Ending;
use crate::game::closure::{Closure, Expander, Room, Strange};

/// The moves of so many positions are fetched together.
const TOGETHER: usize = 32;
/// So many marks are looked at together.
const STRETCH: usize = 64;

/// Who goes through a table.
pub(super) trait Look {
    /// Whether a position is looked at, by its mark alone.
    fn marked(&self, mark: Worth) -> bool;
    /// The same by its control. Whether its moves are asked for, too, where the game is not over.
    fn looks(&mut self, control: ControlId) -> (bool, bool);
    /// The game is over in the position of a slot.
    fn over(&mut self, slot: usize, control: ControlId, ending: &Ending);
    /// Where each move from the position of a slot leads: the part and the slot.
    fn moves(&mut self, slot: usize, control: ControlId, to: &[(usize, usize)]) -> Result<(), Failed>;
}

/// What is needed on the way.
pub(super) struct Walk<'a> {
    expander: &'a Expander,
    closure: &'a Closure<Worth>,
    room: Room,
    /// Slots whose keys are being fetched.
    found: Vec<usize>,
    /// Positions that wait for what their moves lead to: the slot, the control, where the keys of the moves end.
    waiting: Vec<(usize, ControlId, usize)>,
    /// Those keys, and their hashes.
    keys: Vec<u64>,
    hashes: Vec<u64>,
    to: Vec<(usize, usize)>,
}

impl<'a> Walk<'a> {
    pub fn new(expander: &'a Expander, closure: &'a Closure<Worth>) -> Walk<'a> {
        let (found, waiting, keys, hashes, to) = Default::default();
        Walk { expander, closure, room: Room::default(), found, waiting, keys, hashes, to }
    }

    /// Goes through some slots of a part.
    pub fn run(&mut self, part: usize, slots: Range<usize>, look: &mut impl Look) -> Result<(), Failed> {
        let table = &self.closure.parts[part];
        for from in slots.clone().step_by(STRETCH) {
            let marks = &table.values()[from..slots.end.min(from + STRETCH)];
            // Asked of all at once, as processors like it: mostly there is none.
            if !marks.iter().fold(false, |any, &mark| any | look.marked(mark)) {
                continue;
            }
            for (i, &mark) in marks.iter().enumerate() {
                if look.marked(mark) {
                    table.prefetch_key(from + i);
                    self.found.push(from + i);
                }
            }
            if self.found.len() >= TOGETHER {
                self.look_at_all(part, look)?;
            }
        }
        self.look_at_all(part, look)?;
        self.settle(look)
    }

    fn look_at_all(&mut self, part: usize, look: &mut impl Look) -> Result<(), Failed> {
        let found = std::mem::take(&mut self.found);
        found.iter().try_for_each(|&slot| self.look_at(part, slot, look))?;
        self.found = found;
        self.found.clear();
        Ok(())
    }

    fn look_at(&mut self, part: usize, slot: usize, look: &mut impl Look) -> Result<(), Failed> {
        let (table, keys_of) = (&self.closure.parts[part], &self.closure.keys);
        let control = self.expander.control(keys_of, table.taken(slot), &mut self.room);
        let (looks, moves) = look.looks(control);
        if !looks {
            return Ok(());
        }
        let Walk { room, keys, hashes, closure, .. } = self;
        let over = self.expander.children_there(keys_of, control, room, |key| {
            if moves {
                let hash = hash(key);
                closure.prefetch(hash);
                hashes.push(hash);
                keys.extend_from_slice(key);
            }
        });
        match over {
            Err(Strange::Odd | Strange::Outside) => return Err(Failed::Odd),
            Ok(Some(ending)) => look.over(slot, control, &ending),
            Ok(None) if moves => self.waiting.push((slot, control, self.hashes.len())),
            Ok(None) => {}
        }
        if self.waiting.len() == TOGETHER { self.settle(look) } else { Ok(()) }
    }

    /// Finds where the moves lead of the positions that wait.
    fn settle(&mut self, look: &mut impl Look) -> Result<(), Failed> {
        let width = self.closure.keys.width();
        self.hashes.iter().for_each(|&hash| self.closure.prefetch_slot(hash));
        let mut from = 0;
        for (slot, control, end) in self.waiting.drain(..) {
            self.to.clear();
            let keys = self.keys[from * width..end * width].chunks_exact(width);
            for (key, &hash) in keys.zip(&self.hashes[from..end]) {
                self.to.push(self.closure.find(hash, key).ok_or(Failed::Odd)?);
            }
            from = end;
            look.moves(slot, control, &self.to)?;
        }
        self.keys.clear();
        self.hashes.clear();
        Ok(())
    }
}
