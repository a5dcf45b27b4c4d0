//! Tables kept in files: what is known of a set of positions so far, to be gone on with or to be read again.
//!
//! Form: a first line with the version; then blocks, each with its length, the SHA-256 of what follows, and that many
//! bytes. The first block is the header as JSON; one block for each part of the set follows, packed by DEFLATE. A part
//! has its keys in ascending order, word by word, each word as the bits in which it differs from the word of the key
//! before; then the marks.
//! Invariant: the bytes depend on the positions and on what is known of them alone, not on the order in which that was
//! found out. What is read is what was written for the same rules and positions, or it is refused.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{FARTHEST, Worth};
use crate::base::limits::Limits;
use crate::base::mem::Table;
use crate::cert::Digest;
use crate::circuit::Circuit;
use crate::game::closure::{Closure, Reached};
use crate::game::keys::{Keys, Shape};
use crate::solve::universe::Listed;

/// The first line. Another version has another one.
const VERSION: &str = "bouton-table 5\n";
/// A part has no more bytes than this, where no limit says so.
const LARGEST: u64 = 1 << 36;
/// So many bytes are read at once.
const AT_ONCE: u64 = 1 << 20;
/// So many parts are packed at once: what that takes besides shall be little beside the table.
const PACKED_AT_ONCE: usize = 4;
/// DEFLATE's level: the fastest one.
const LEVEL: u8 = 1;

/// Takes the next bytes that are written. The error is a sentence.
pub type Put<'p> = dyn FnMut(&[u8]) -> Result<(), String> + 'p;
/// Gives the next bytes: how many there were, fewer than asked for at the end. The error is a sentence.
pub type Take<'t> = dyn FnMut(&mut [u8]) -> Result<usize, String> + 't;

/// Which table it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The hash of the rules in canonical form, parameters in their place.
    pub rules: String,
    /// Of which positions it is, in words.
    pub of: String,
    /// The hash of how positions lie in words.
    pub layout: String,
}

impl Identity {
    /// The table of these positions of rules with this hash and circuit.
    pub fn new(rules: Digest, of: String, circuit: &Circuit) -> Identity {
        let names: Vec<&str> = circuit.controls.iter().map(|control| &*control.name).collect();
        let layout = format!("{:?} {names:?}", circuit.layout);
        Identity { rules: rules.to_string(), of, layout: Digest::of(layout.as_bytes()).to_string() }
    }
}

/// How far a table is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A universe is being listed.
    Listing(Listed),
    /// Positions are being gathered; marks tell at which ply they come first.
    Gathering(Reached),
    /// All positions are there.
    Labelling(Labelled),
}

/// How far labelling got.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Labelled {
    /// All plies from this one on are labelled.
    Plies(u32),
    /// So many passes were made, and the last one decided positions of these controls.
    Passes {
        /// The number of the next pass.
        next: u16,
        /// The controls that it has to look at.
        controls: Vec<bool>,
    },
    /// All is known, after so many passes if it was by passes.
    Done {
        /// How many passes.
        passes: Option<u32>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    #[serde(flatten)]
    identity: Identity,
    /// What the positions have in common, where their keys are packed.
    shape: Option<Shape>,
    /// For how many plies there are parts, where plies are apart.
    plies: Option<u32>,
    /// How many symmetries positions were taken together by, 1 where none were.
    symmetries: usize,
    positions: u64,
    stage: Stage,
}

/// Where a table is kept while it is made.
pub trait Keeper {
    /// Whether it is time to keep what is known, in a table that holds so many bytes.
    fn is_due(&mut self, held_bytes: u64) -> bool;

    /// Has the table written, whole or not at all. The error is a sentence.
    fn keep(&mut self, write: &mut dyn FnMut(&mut Put) -> Result<(), String>) -> Result<(), String>;
}

/// A keeper, with what is to be kept.
pub struct Kept<'k> {
    /// Which table it is.
    pub identity: Identity,
    /// What was read of it.
    pub known: Option<Known>,
    /// Where it is kept.
    pub keeper: &'k mut dyn Keeper,
}

impl Kept<'_> {
    /// Keeps what is known now.
    pub(super) fn keep(
        &mut self,
        symmetries: usize,
        closure: &Closure<Worth>,
        stage: Stage,
    ) -> Result<(), String> {
        let of = (&self.identity, symmetries);
        self.keeper.keep(&mut |put| write(put, of, closure, &stage))
    }
}

/// A table as it was kept.
#[derive(Debug)]
pub struct Known {
    pub(super) closure: Closure<Worth>,
    pub(super) stage: Stage,
    pub(super) symmetries: usize,
}

/// Why a table was not read.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is no table, or one of another version.
    #[error("it is no table of this version of Bouton (its first line is not `{}`)", VERSION.trim_end())]
    Version,
    /// It is another table.
    #[error("it is a table of {0}: give another file, or remove this one")]
    Foreign(&'static str),
    /// It is damaged.
    #[error("it is damaged: {0}; remove it and solve anew")]
    Damaged(String),
    /// It cannot be read.
    #[error("{0}")]
    Read(String),
    /// There is no room for it.
    #[error("there is no room for it in the memory allowed")]
    Memory,
}

fn write(
    put: &mut Put,
    (identity, symmetries): (&Identity, usize),
    closure: &Closure<Worth>,
    stage: &Stage,
) -> Result<(), String> {
    put(VERSION.as_bytes())?;
    let header = Header {
        identity: identity.clone(),
        shape: closure.keys.shape().cloned(),
        plies: closure.plies_apart(),
        symmetries,
        positions: closure.len(),
        stage: stage.clone(),
    };
    block(put, &serde_json::to_vec(&header).map_err(|error| error.to_string())?)?;
    closure.parts.chunks(PACKED_AT_ONCE).try_for_each(|parts| {
        let packed: Vec<Vec<u8>> =
            parts.par_iter().map(|part| compress_to_vec(&columns(part), LEVEL)).collect();
        packed.iter().try_for_each(|bytes| block(put, bytes))
    })
}

fn block(put: &mut Put, bytes: &[u8]) -> Result<(), String> {
    put(&(bytes.len() as u64).to_le_bytes())?;
    put(Digest::of(bytes).bytes())?;
    put(bytes)
}

/// The keys and marks of a part, in order.
fn columns(part: &Table<Worth>) -> Vec<u8> {
    let slots = (0..part.capacity()).filter_map(|slot| Some((part.key(slot)?, part.values()[slot])));
    let mut all: Vec<(&[u64], Worth)> = slots.collect();
    all.sort_unstable_by_key(|&(key, _)| key);
    let width = all.first().map_or(0, |(key, _)| key.len());
    let mut bytes = Vec::with_capacity(all.len() * (8 * width + 2));
    for word in 0..width {
        let mut before = 0;
        for (key, _) in &all {
            bytes.extend_from_slice(&(key[word] ^ before).to_le_bytes());
            before = key[word];
        }
    }
    all.iter().for_each(|(_, worth)| bytes.extend_from_slice(&worth.0.to_le_bytes()));
    bytes
}

/// Reads a table of this identity and circuit.
pub fn read(
    take: &mut Take,
    identity: &Identity,
    circuit: &Circuit,
    limits: &Limits,
) -> Result<Known, Refused> {
    let mut version = [0; VERSION.len()];
    if take(&mut version).map_err(Refused::Read)? < version.len() || version != VERSION.as_bytes() {
        return Err(Refused::Version);
    }
    let header: Header = serde_json::from_slice(&next(take, "its header")?)
        .map_err(|_| Refused::Damaged("its header has another form".into()))?;
    let Identity { rules, of, layout } = header.identity;
    let foreign = [
        (rules != identity.rules, "other rules, or of other parameters"),
        (of != identity.of, "other positions of these rules"),
        (layout != identity.layout, "another version of Bouton"),
    ];
    if let Some((_, what)) = foreign.into_iter().find(|(differs, _)| *differs) {
        return Err(Refused::Foreign(what));
    }
    let ply = match header.stage {
        Stage::Gathering(reached) => reached.ply,
        Stage::Labelling(Labelled::Plies(plies)) => plies,
        _ => 0,
    };
    if ply.max(header.plies.unwrap_or(0)) > u32::from(FARTHEST) {
        return Err(Refused::Damaged("it has more plies than there can be".into()));
    }
    let keys = match &header.shape {
        None => Keys::of(circuit),
        Some(shape) if shape.fits(circuit) => Keys::packed(circuit, shape),
        Some(_) => return Err(Refused::Damaged("its positions have another shape".into())),
    };
    let width = keys.width();
    let mut closure = Closure::empty(keys, header.plies);
    for i in 0..closure.parts.len() {
        let what = format!("part {i}");
        let damaged = || Refused::Damaged(format!("{what} does not hold keys and marks"));
        let packed = next(take, &what)?;
        let room = limits.memory_bytes.map_or(LARGEST, |most| most.saturating_sub(closure.held_bytes()));
        let bytes =
            decompress_to_vec_with_limit(&packed, room as usize).map_err(|error| match error.status {
                miniz_oxide::inflate::TINFLStatus::HasMoreOutput => Refused::Memory,
                _ => damaged(),
            })?;
        let size = 8 * width + 2;
        let count = bytes.len() / size;
        let (words, marks) = bytes.split_at(count * 8 * width);
        if bytes.len() % size != 0 {
            return Err(damaged());
        }
        let mut keys = vec![0; count * width];
        for (word, column) in words.chunks_exact((8 * count).max(1)).enumerate() {
            let mut before = 0;
            for (i, bits) in column.chunks_exact(8).enumerate() {
                before ^= u64::from_le_bytes(bits.try_into().expect("eight bytes"));
                keys[i * width + word] = before;
            }
        }
        if !closure.holds(i, &keys) {
            return Err(damaged());
        }
        let part = &mut closure.parts[i];
        let (held, beside) = part.held_with(count);
        if limits
            .check_held(closure.parts.iter().map(Table::held_bytes).sum::<u64>() + held + beside)
            .is_some()
        {
            return Err(Refused::Memory);
        }
        let part = &mut closure.parts[i];
        let mut marks = marks.chunks_exact(2);
        part.insert_all(0..=u64::MAX, [&keys[..]].into_iter(), |_, worth, _| {
            let mark = marks.next().expect("a mark for each key");
            *worth = Worth(u16::from_le_bytes([mark[0], mark[1]]));
        });
    }
    if closure.len() != header.positions || take(&mut [0]).map_err(Refused::Read)? != 0 {
        return Err(Refused::Damaged("it has not as many positions as it says".into()));
    }
    Ok(Known { closure, stage: header.stage, symmetries: header.symmetries })
}

/// The bytes of the next block.
fn next(take: &mut Take, what: &str) -> Result<Vec<u8>, Refused> {
    let mut whole = |to: &mut [u8]| match take(to) {
        Ok(given) if given == to.len() => Ok(()),
        Ok(_) => Err(Refused::Damaged(format!("it ends before the end of {what}"))),
        Err(error) => Err(Refused::Read(error)),
    };
    let (mut length, mut hash) = ([0; 8], [0; 32]);
    whole(&mut length)?;
    whole(&mut hash)?;
    let length = u64::from_le_bytes(length);
    // A length that is damaged shall not take memory that the file has no bytes for.
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < length {
        let more = (length - bytes.len() as u64).min(AT_ONCE) as usize;
        let from = bytes.len();
        bytes.resize(from + more, 0);
        whole(&mut bytes[from..])?;
    }
    if *Digest::of(&bytes).bytes() != hash {
        return Err(Refused::Damaged(format!("the hash of {what} is another one")));
    }
    Ok(bytes)
}
