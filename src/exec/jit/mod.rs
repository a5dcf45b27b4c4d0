//! Machine code for circuits, made by Cranelift.
//!
//! The words of a state are values in registers. A function for each control gives the children of a position; whole
//! kernels for perft and random games never leave machine code. The code belongs to the machine value and is freed with
//! it, and is never writable and executable at once.
//!
//! *Invariant:* this and `base::mem` are the only modules with unsafe code. What it generates never traps, loops only
//! where the circuit does, and touches nothing but the buffers it is given.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use self::code::{Assembler, Code};
use self::expand::Sites;
use self::parts::Parts;
use self::perft::{Counted, Kind};
use super::interp::Interpreter;
use super::scout::{self as scouting, Scout};
use super::sieve::{self as sifting, Sieve};
use super::threats::{Best, Hints};
use super::walk::{self, Xorshift};
use super::{Child, Children, Ending, Faulted, Perft, Playouts, Ply, Runner, Status};
use crate::base::id::IdVec;
use crate::base::limits::Stop;
use crate::circuit::{Circuit, ControlId, GroupId, Position};

mod code;
mod control;
mod expand;
mod gates;
mod hinted;
mod lanes;
mod numbers;
mod parts;
mod perft;
mod playouts;
mod scout;
mod select;
mod sieve;
mod values;

/// A control whose values have more words than this is left to the interpreter.
const LARGEST: usize = 300_000;

/// How circuits are compiled.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether Cranelift shall optimise. It is no gain for every circuit.
    pub optimise: bool,
    /// Whether to keep the functions in words, for people to read.
    pub listing: bool,
    /// Which controls are split into functions.
    pub split: Split,
}

/// Which parts of controls are functions of their own.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Those of controls whose values have more words than this.
    pub above: usize,
    /// A part computes at least so many words in one go,
    pub least: usize,
    /// and at least so many times the words that it takes and gives.
    pub worth: usize,
}

impl Default for Split {
    /// Measured on chess (14,500 words, parts of 130 that take and give 16) and on grounded nets, of which parts take
    /// and give half of what they compute and gain nothing. Fox and Geese (2,700 words) is faster in one piece.
    fn default() -> Split {
        Split { above: code::LONG, least: 64, worth: 4 }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options { optimise: true, listing: false, split: Split::default() }
    }
}

/// Why there is no machine code.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JitError {
    /// The circuit would take too long to compile. Interpret it.
    #[error("a circuit of {size} words in one control is interpreted; compiled are up to {LARGEST}")]
    TooLarge {
        /// How many words the values of the largest control have.
        size: usize,
    },
    /// There is no code for this processor.
    #[error("no machine code for this processor: {0}")]
    Machine(String),
    /// The system gives no memory for code.
    #[error("no memory for machine code: {0}")]
    Memory(String),
    /// Cranelift rejects a function: a fault of this program.
    #[error("a function was not compiled, which is a fault of Bouton: {0}")]
    Compile(String),
}

/// Functions in words, for people to read.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// In Cranelift's.
    pub clif: String,
    /// In the processor's.
    pub asm: String,
}

/// What compilation took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// Time, in sum.
    pub time: Duration,
    /// Bytes of machine code.
    pub bytes: usize,
}

/// Runs a circuit by machine code.
pub struct Jit {
    circuit: Arc<Circuit>,
    options: Options,
    expand: Expand,
    /// Compiled when first asked for. Where that fails, the interpreter does the work.
    perft: [OnceLock<Result<perft::Kernel, JitError>>; 4],
    playouts: OnceLock<Result<playouts::Kernel, JitError>>,
    scouts: ByBest<scout::Kernel>,
    sieves: ByBest<sieve::Kernel>,
}

/// Kernels by what was said to be best.
struct ByBest<K>(Mutex<Vec<MadeFor<K>>>);

/// What was said to be best, and the kernel for that, if there is one.
type MadeFor<K> = (Vec<Vec<bool>>, Option<Arc<K>>);

impl<K> ByBest<K> {
    /// The kernel, which is made when it is first asked for.
    fn get(&self, best: &Best, make: impl FnOnce() -> Result<K, JitError>) -> Option<Arc<K>> {
        let mut made = self.0.lock().expect("nothing panics with the lock");
        let known = made.iter().position(|(of, _)| of == best).unwrap_or_else(|| {
            made.push((best.to_vec(), must_compile(make()).ok().map(Arc::new)));
            made.len() - 1
        });
        made[known].1.clone()
    }
}

impl<K> Default for ByBest<K> {
    fn default() -> ByBest<K> {
        ByBest(Mutex::default())
    }
}

/// The functions that give children.
struct Expand {
    code: Code,
    sites: Sites,
    functions: IdVec<ControlId, Function>,
}

/// The one of a control.
struct Function {
    call: ExpandFn,
    /// How many words of records it may write.
    room: usize,
    /// Its places in [`Sites::yields`].
    yields: Range<usize>,
}

/// Words of the state, room for records: how many bytes of records there are, or a code below 0.
type ExpandFn = unsafe extern "C" fn(*const u64, *mut u64) -> i64;

thread_local! {
    /// Room for records, kept between calls.
    static RECORDS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl Jit {
    /// Compiles what gives the children of positions. The circuit has to be valid and scheduled.
    pub fn new(circuit: Arc<Circuit>, options: Options) -> Result<Jit, JitError> {
        let sizes = circuit.controls.ids().map(|id| expand::control_size(&circuit, id));
        let size = sizes.max().unwrap_or(0);
        if size > LARGEST {
            return Err(JitError::TooLarge { size });
        }
        let expand = Expand::new(&circuit, &options)?;
        let perft = [const { OnceLock::new() }; 4];
        let playouts = OnceLock::new();
        let (scouts, sieves) = (ByBest::default(), ByBest::default());
        Ok(Jit { circuit, options, expand, perft, playouts, scouts, sieves })
    }

    /// What compilation took so far. Kernels are compiled when they are first used.
    pub fn compiled(&self) -> Compiled {
        self.code().fold(Compiled::default(), |sum, code| Compiled {
            time: sum.time + code.time,
            bytes: sum.bytes + code.bytes,
        })
    }

    /// The functions compiled so far, if [`Options::listing`] asked for them.
    pub fn listing(&self) -> Listing {
        let mut all = Listing::default();
        for listing in self.code().filter_map(|code| code.listing.as_ref()) {
            all.clif += &listing.clif;
            all.asm += &listing.asm;
        }
        all
    }

    fn code(&self) -> impl Iterator<Item = &Code> {
        let perft = self.perft.iter().filter_map(|kernel| Some(&kernel.get()?.as_ref().ok()?.code));
        let playouts = self.playouts.get().and_then(|kernel| Some(&kernel.as_ref().ok()?.code));
        [&self.expand.code].into_iter().chain(perft).chain(playouts)
    }

    /// Whether the kernels may begin here: they take it that a move has led to a position.
    fn goes_on(&self, at: &Position) -> bool {
        matches!(self.expand(at, &mut Vec::new()), Ok(Status::Open))
    }

    /// Whether this is a position of the game, as far as it concerns memory.
    fn check(&self, at: &Position) {
        self.check_words(&at.words);
    }

    fn check_words(&self, words: &[u64]) {
        assert_eq!(words.len(), self.circuit.layout.words as usize, "a position of another game");
    }

    /// Runs the function of a control, and gives the records it wrote to `each`: the group, the lane, who moves then, the
    /// words with the weight.
    fn run(
        &self,
        at: &Position,
        mut each: impl FnMut(GroupId, u32, ControlId, (&[u64], u64)),
    ) -> Result<Status, Faulted> {
        self.check(at);
        let words = at.words.len();
        let Function { call, room, .. } = self.expand.functions[at.control];
        RECORDS.with_borrow_mut(|records| {
            records.resize(room.max(records.len()), 0);
            // SAFETY: the code lives as long as `self`; it reads as many words as the layout has, and writes no more
            // than `room` words: a record for each bit that the sets of the control have, and one for a pass.
            let given = unsafe { call(at.words.as_ptr(), records.as_mut_ptr()) };
            if given < 0 {
                return self.no_children(given, |scores| &records[..scores]);
            }
            let width = expand::record_of(&self.circuit, &self.circuit.controls[at.control]);
            for record in records[..given as usize / 8].chunks_exact(width) {
                let (group, control) = self.expand.sites.yields[record[0] as u32 as usize];
                let weight = record.get(words + 1).copied().unwrap_or(1);
                each(group, (record[0] >> 32) as u32, control, (&record[1..=words], weight));
            }
            Ok(Status::Open)
        })
    }

    /// How many scores lie at the front of the records with this code.
    fn scores_of(&self, code: i64) -> usize {
        if code == expand::FAULT { 0 } else { self.expand.sites.ends[(expand::OVER - code) as usize].1 }
    }

    /// What a code below 0 says. The scores of an end lie at the front of the records.
    fn no_children<'r>(&self, code: i64, front: impl FnOnce(usize) -> &'r [u64]) -> Result<Status, Faulted> {
        if code == expand::FAULT {
            return Err(Faulted);
        }
        let (ending, scores) = self.expand.sites.ends[(expand::OVER - code) as usize];
        let scores = front(scores).iter().map(|&score| score as i64).collect();
        Ok(Status::Over(Ending { ending, scores }))
    }

    fn walk(
        &self,
        at: &Position,
        (depth, ply, checksum): (u32, Ply, bool),
        stop: &Stop,
    ) -> Result<Option<Perft>, Faulted> {
        self.check(at);
        let kind = Kind { by_turn: ply.by_turn(), checksum };
        let kernel = &self.perft[usize::from(kind.by_turn) + 2 * usize::from(kind.checksum)];
        let compile = || must_compile(perft::Kernel::new(&self.circuit, &self.options, kind));
        if depth > 0
            && self.goes_on(at)
            && let Ok(kernel) = kernel.get_or_init(compile)
        {
            if stop.requested() {
                return Ok(None);
            }
            match kernel.run(at, depth, ply.begun(), stop)? {
                Counted::All(perft) => return Ok(Some(perft)),
                Counted::Stopped => return Ok(None),
                Counted::TooDeep => {}
            }
        }
        walk::perft(&self.circuit, (at, depth, ply), stop, |at, children| self.expand(at, children))
    }
}

/// A kernel that does not compile only makes the work slow; where this program is tested it shall be seen.
fn must_compile<K>(kernel: Result<K, JitError>) -> Result<K, JitError> {
    if let Err(error @ JitError::Compile(_)) = &kernel {
        debug_assert!(false, "{error}");
    }
    kernel
}

impl Expand {
    fn new(circuit: &Circuit, options: &Options) -> Result<Expand, JitError> {
        let parts = Parts::of(circuit, options);
        // What is large is waited for before anything can begin; kernels are asked for where there is much to do.
        let optimise = options.optimise && parts.is_empty();
        let options = &Options { optimise, ..options.clone() };
        let mut assembler = Assembler::new(options, parts.largest())?;
        let parts = parts.define(&mut assembler, circuit)?;
        let mut sites = Sites::default();
        let declared = expand::each(circuit, |id| {
            let first = sites.yields.len();
            let function = assembler.declare(&expand::name("expand", id), 2, 1)?;
            assembler.define(function, |b, calls| {
                let parts = parts.called(b, circuit, calls, Some(id));
                expand::build(b, (circuit, parts), id, &mut sites);
            })?;
            Ok::<_, JitError>((function, first..sites.yields.len()))
        })?;
        let code = assembler.finish()?;
        let functions = expand::each(circuit, |id| {
            let (function, yields) = declared[id].clone();
            // SAFETY: the function was declared with two words as parameters and one as its result.
            let call = unsafe { std::mem::transmute::<*const u8, ExpandFn>(code.address(function)) };
            Ok::<_, JitError>(Function { call, room: expand::room(circuit, &circuit.controls[id]), yields })
        })?;
        Ok(Expand { code, sites, functions })
    }
}

impl Runner for Jit {
    fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    fn expand(&self, at: &Position, children: &mut Vec<Child>) -> Result<Status, Faulted> {
        self.run(at, |group, lane, control, (words, weight)| {
            let position = Position { control, words: words.into() };
            children.push(Child { group, lane, position, weight });
        })
    }

    fn children(&self, at: &Position, children: &mut Children) -> Result<Status, Faulted> {
        self.run(at, |group, lane, control, (words, _)| {
            children.moves.push((group, lane));
            children.words.extend_from_slice(words);
            children.words.push(u64::from(control.0));
        })
    }

    fn sites(&self) -> Vec<ControlId> {
        self.expand.sites.yields.iter().map(|&(_, to)| to).collect()
    }

    fn records(&self, at: (ControlId, &[u64]), records: &mut Vec<u64>) -> Result<Status, Faulted> {
        let (control, words) = at;
        self.check_words(words);
        let Function { call, room, .. } = self.expand.functions[control];
        let had = records.len();
        records.reserve(room);
        // SAFETY: as in `run`; the room is behind what the vector holds.
        let given = unsafe { call(words.as_ptr(), records.as_mut_ptr().add(had)) };
        let written = if given < 0 { self.scores_of(given) } else { given as usize / 8 };
        // SAFETY: so many words were reserved and have been written: the records, or the scores of an end.
        unsafe { records.set_len(had + written) };
        if given < 0 {
            let status = self.no_children(given, |scores| &records[had..had + scores]);
            records.truncate(had);
            return status;
        }
        let of = &self.circuit.controls[control];
        if of.chance {
            // The weights are nobody's business here.
            let (width, wanted) = (expand::record_of(&self.circuit, of), expand::record(&self.circuit));
            for record in 0..written / width {
                let from = had + record * width;
                records.copy_within(from..from + wanted, had + record * wanted);
            }
            records.truncate(had + written / width * wanted);
        }
        Ok(Status::Open)
    }

    fn scout(&self, best: &Best) -> Arc<dyn Scout + '_> {
        let make = || scout::Kernel::new(&self.circuit, &Hints::of(&self.circuit, best), &self.options);
        match self.scouts.get(best, make) {
            Some(kernel) => kernel,
            None => Arc::new(scouting::Plain::new(self)),
        }
    }

    fn sieve(&self, wins: &Best) -> Arc<dyn Sieve + '_> {
        let make = || sieve::Kernel::new(&self.circuit, &Hints::of(&self.circuit, wins), &self.options);
        match self.sieves.get(wins, make) {
            Some(kernel) => kernel,
            None => Arc::new(sifting::Plain::new(self)),
        }
    }

    fn perft(&self, at: &Position, depth: u32, ply: Ply, stop: &Stop) -> Result<Option<Perft>, Faulted> {
        self.walk(at, (depth, ply, true), stop)
    }

    /// The last moves are counted, not made, wherever none of them can turn out to be none.
    fn count(&self, at: &Position, depth: u32, ply: Ply, stop: &Stop) -> Result<Option<Perft>, Faulted> {
        let perft = self.walk(at, (depth, ply, false), stop)?;
        Ok(perft.map(|perft| Perft { checksum: 0, ..perft }))
    }

    fn playouts(
        &self,
        at: &Position,
        games: u64,
        seed: u64,
        longest: u32,
        stop: &Stop,
    ) -> Result<Option<Playouts>, Faulted> {
        self.check(at);
        let compile = || must_compile(playouts::Kernel::new(&self.circuit, &self.options, &self.expand));
        match self.playouts.get_or_init(compile) {
            Ok(kernel) if self.goes_on(at) => kernel.run(at, games, Xorshift::new(seed), longest, stop),
            _ => Interpreter::new(self.circuit.clone()).playouts(at, games, seed, longest, stop),
        }
    }
}

#[cfg(test)]
mod tests;
