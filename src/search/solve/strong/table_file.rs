//! Table files: the checkpoint of a strong solution, to resume from or to query.
//!
//! Form: a first line with the version; then blocks, each with its length, the SHA-256 of its bytes, and the bytes. The
//! first block is the header as JSON; one block for each part of the set follows, compressed by DEFLATE. A part has its
//! keys in ascending order, word by word, each word XORed with that of the key before; then the marks. With a dense
//! index, there are blocks for each ply instead: a byte for each index of a labelled ply, a bit for each index of
//! another one.
//! Invariant: the bytes depend on the positions and their states alone, not on the order in which they were found. A
//! file is accepted only if it was written for the same rules and positions.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::indexed_table::{self, IndexedTable};
use super::{MAX_STAMP, PackedValue, StrongStore};
use crate::game::bitmap_search::ReachableBitmap;
use crate::game::dense_index::DenseIndex;
use crate::game::keys::{KeyEncoding, KeyShape};
use crate::game::reachable_set::{ReachableSet, SearchProgress};
use crate::solve::state_enumeration::EnumerationProgress;
use bouton_base::key_table::KeyTable;
use bouton_base::limits::Limits;
use bouton_certificates::Digest;
use bouton_circuit::{Circuit, ControlId, Position};

/// The first line; it changes with the format.
const VERSION: &str = "bouton-table 6\n";
/// The maximal size of a part in bytes, if no limit is set.
const MAX_PART_BYTES: u64 = 1 << 36;
/// The number of bytes per read.
const READ_CHUNK_BYTES: u64 = 1 << 20;
/// The number of parts compressed together, small so that the buffers are small beside the table.
const PARALLEL_PARTS: usize = 4;
/// The number of bytes of an indexed ply compressed together.
const PIECE_BYTES: usize = 1 << 22;
/// The DEFLATE level: the fastest one.
const DEFLATE_LEVEL: u8 = 1;

/// The reason why bytes cannot be written or read, as a sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ByteError(pub String);

/// Writes the next bytes.
pub type ByteSink<'p> = dyn FnMut(&[u8]) -> Result<(), ByteError> + 'p;
/// Reads the next bytes; returns their number, smaller than the buffer only at the end.
pub type ByteSource<'t> = dyn FnMut(&mut [u8]) -> Result<usize, ByteError> + 't;

/// The identity of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableIdentity {
    /// The hash of the rules in canonical form, with their parameters substituted.
    pub rules: String,
    /// The description of the set of positions.
    pub of: String,
    /// The hash of the layout of positions in words.
    pub layout: String,
}

impl TableIdentity {
    /// The identity of the table of these positions, for rules with this hash and circuit.
    pub fn new(rules: Digest, of: String, circuit: &Circuit) -> TableIdentity {
        let names: Vec<&str> = circuit.controls.iter().map(|control| &*control.name).collect();
        let layout = format!("{:?} {names:?}", circuit.layout);
        TableIdentity { rules: rules.to_string(), of, layout: Digest::of(layout.as_bytes()).to_string() }
    }
}

/// The stage of the computation of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableStage {
    /// The enumeration of a universe.
    Listing(EnumerationProgress),
    /// The gathering of positions; marks hold the first ply.
    Gathering(SearchProgress),
    /// The labelling; all positions are gathered.
    Labelling(LabellingStage),
}

/// The stage of labelling.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabellingStage {
    /// All plies from this one on are labelled.
    Plies(u32),
    /// Passes up to the one before `next` are complete.
    Passes {
        /// The number of the next pass.
        next: u16,
        /// True for each control that the next pass must visit.
        controls: Vec<bool>,
    },
    /// All values are known.
    Done {
        /// The number of passes, if labelling was by passes.
        passes: Option<u32>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    #[serde(flatten)]
    identity: TableIdentity,
    /// The common bits of the positions, if their keys are packed.
    shape: Option<KeyShape>,
    /// The number of plies, if each ply has parts of its own.
    plies: Option<u32>,
    /// The root of a dense index: its control and its words.
    begin: Option<(u32, Vec<u64>)>,
    /// The order of the symmetry group of the reduction; 1 for none.
    symmetries: usize,
    positions: u64,
    stage: TableStage,
}

/// The store of checkpoints during a computation.
pub trait CheckpointStore {
    /// Returns true if a checkpoint is due, for a table of this size in bytes.
    fn is_due(&mut self, held_bytes: u64) -> bool;

    /// Writes a table atomically.
    fn keep(
        &mut self,
        write: &mut dyn FnMut(&mut ByteSink) -> Result<(), ByteError>,
    ) -> Result<(), ByteError>;
}

/// The checkpointing of a computation.
pub struct Checkpointing<'k> {
    /// The identity of the table.
    pub identity: TableIdentity,
    /// The table that was read, to resume from.
    pub loaded: Option<LoadedTable>,
    /// The store.
    pub store: &'k mut dyn CheckpointStore,
}

impl Checkpointing<'_> {
    /// Writes a checkpoint now.
    pub(super) fn keep(
        &mut self,
        symmetries: usize,
        held: StoreView<'_>,
        stage: TableStage,
    ) -> Result<(), CheckpointError> {
        let identity = &self.identity;
        self.store
            .keep(&mut |put| write(put, identity, symmetries, held, &stage))
            .map_err(CheckpointError::Store)
    }
}

/// The reason why a checkpoint cannot be written or resumed from, in one sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The store could not write it, for this reason.
    #[error(transparent)]
    Store(ByteError),
    /// It was written with another number of symmetries.
    #[error("the table has positions by {wanted} symmetries, and {found} are found")]
    Symmetries {
        /// The number of symmetries of the table.
        wanted: usize,
        /// The number of symmetries that the rules have.
        found: usize,
    },
}

/// A view of the positions and their states, for a checkpoint.
#[derive(Clone, Copy)]
pub(super) enum StoreView<'a> {
    Hashed(&'a ReachableSet<PackedValue>),
    /// By dense indices: the gathered sets, and the values of the labelled plies.
    Indexed(&'a ReachableBitmap, &'a [Vec<u8>]),
}

impl StoreView<'_> {
    /// The size in memory in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            StoreView::Hashed(closure) => closure.held_bytes(),
            StoreView::Indexed(ranked, values) => {
                ranked.held_bytes() + values.iter().map(|ply| ply.len() as u64).sum::<u64>()
            }
        }
    }
}

/// A table as it was read.
#[derive(Debug)]
pub struct LoadedTable {
    pub(super) set: StrongStore,
    pub(super) stage: TableStage,
    pub(super) symmetries: usize,
}

/// The reason why a table was refused.
#[derive(Debug, thiserror::Error)]
pub enum TableFileError {
    /// It is no table, or one of another version.
    #[error("it is no table of this version of Bouton (its first line is not `{}`)", VERSION.trim_end())]
    Version,
    /// It is a table of other rules, positions or layout: the noun phrase says which.
    #[error("it is a table of {0}: give another file, or remove this one")]
    Foreign(&'static str),
    #[error("it is damaged: {0}; remove it and solve anew")]
    Damaged(String),
    #[error(transparent)]
    Read(ByteError),
    #[error("it does not fit into the memory limit")]
    Memory,
}

fn write(
    put: &mut ByteSink,
    identity: &TableIdentity,
    symmetries: usize,
    held: StoreView<'_>,
    stage: &TableStage,
) -> Result<(), ByteError> {
    put(VERSION.as_bytes())?;
    let (shape, plies, begin, positions) = match held {
        StoreView::Hashed(closure) => {
            (closure.keys.shape().cloned(), closure.plies_apart(), None, closure.len())
        }
        StoreView::Indexed(ranked, values) => {
            let begin = ranked.ranking.begin();
            let plies = ranked.plies.len() as u32;
            (
                None,
                Some(plies),
                Some((begin.control.0, begin.words.to_vec())),
                indexed_table::len(ranked, values),
            )
        }
    };
    let (identity, stage) = (identity.clone(), stage.clone());
    let header = Header { identity, shape, plies, begin, symmetries, positions, stage };
    block(put, &serde_json::to_vec(&header).map_err(|error| ByteError(error.to_string()))?)?;
    match held {
        StoreView::Hashed(closure) => blocks(put, &closure.parts, columns),
        StoreView::Indexed(ranked, values) => (0..ranked.plies.len()).try_for_each(|ply| {
            match values.get(ply).filter(|values| !values.is_empty()) {
                Some(values) => {
                    let pieces: Vec<&[u8]> = values.chunks(PIECE_BYTES).collect();
                    blocks(put, &pieces, |piece| piece.to_vec())
                }
                None => {
                    let pieces: Vec<&[u64]> = ranked.plies[ply].chunks(PIECE_BYTES / 8).collect();
                    blocks(put, &pieces, |piece| piece.iter().flat_map(|word| word.to_le_bytes()).collect())
                }
            }
        }),
    }
}

/// Writes parts, each compressed in a block.
fn blocks<T: Sync>(
    put: &mut ByteSink,
    parts: &[T],
    bytes: impl Fn(&T) -> Vec<u8> + Sync,
) -> Result<(), ByteError> {
    parts.chunks(PARALLEL_PARTS).try_for_each(|parts| {
        let packed: Vec<Vec<u8>> =
            parts.par_iter().map(|part| compress_to_vec(&bytes(part), DEFLATE_LEVEL)).collect();
        packed.iter().try_for_each(|bytes| block(put, bytes))
    })
}

fn block(put: &mut ByteSink, bytes: &[u8]) -> Result<(), ByteError> {
    put(&(bytes.len() as u64).to_le_bytes())?;
    put(Digest::of(bytes).bytes())?;
    put(bytes)
}

/// Encodes the keys and marks of a part in columns, in key order.
fn columns(part: &KeyTable<PackedValue>) -> Vec<u8> {
    let slots = (0..part.capacity()).filter_map(|slot| Some((part.key(slot)?, part.values()[slot])));
    let mut all: Vec<(&[u64], PackedValue)> = slots.collect();
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

/// Reads a table with this identity and circuit.
pub fn read(
    take: &mut ByteSource,
    identity: &TableIdentity,
    circuit: &Circuit,
    limits: &Limits,
) -> Result<LoadedTable, TableFileError> {
    let mut version = [0; VERSION.len()];
    if take(&mut version).map_err(TableFileError::Read)? < version.len() || version != VERSION.as_bytes() {
        return Err(TableFileError::Version);
    }
    let mut header: Header = serde_json::from_slice(&next(take, "its header")?)
        .map_err(|_| TableFileError::Damaged("its header has another form".into()))?;
    let TableIdentity { rules, of, layout } = &header.identity;
    let foreign = [
        (*rules != identity.rules, "other rules, or of other parameters"),
        (*of != identity.of, "other positions of these rules"),
        (*layout != identity.layout, "another version of Bouton"),
    ];
    if let Some((_, what)) = foreign.into_iter().find(|(differs, _)| *differs) {
        return Err(TableFileError::Foreign(what));
    }
    let ply = match header.stage {
        TableStage::Gathering(reached) => reached.ply,
        TableStage::Labelling(LabellingStage::Plies(plies)) => plies,
        _ => 0,
    };
    if ply.max(header.plies.unwrap_or(0)) > u32::from(MAX_STAMP) {
        return Err(TableFileError::Damaged("it has more plies than possible".into()));
    }
    let set = match header.begin.take() {
        Some((control, words)) => {
            let begin = Position { control: ControlId(control), words: words.into() };
            StrongStore::Indexed(read_numbered(take, &header, begin, circuit, limits)?)
        }
        None => StrongStore::Hashed(read_hashed(take, &header, circuit, limits)?),
    };
    let positions = match &set {
        StrongStore::Hashed(closure) => closure.len(),
        StrongStore::Indexed(numbered) => numbered.len(),
    };
    if positions != header.positions || take(&mut [0]).map_err(TableFileError::Read)? != 0 {
        return Err(TableFileError::Damaged("it does not have as many positions as its header says".into()));
    }
    Ok(LoadedTable { set, stage: header.stage, symmetries: header.symmetries })
}

/// Reads an indexed table.
fn read_numbered(
    take: &mut ByteSource,
    header: &Header,
    begin: Position,
    circuit: &Circuit,
    limits: &Limits,
) -> Result<IndexedTable, TableFileError> {
    let damaged =
        |what: &str| TableFileError::Damaged(format!("{what} does not hold positions by their numbers"));
    let known = circuit.controls.ids().any(|control| control == begin.control)
        && begin.words.len() == circuit.layout.words as usize;
    let ranking =
        known.then(|| DenseIndex::of(circuit, &begin)).flatten().ok_or_else(|| damaged("its header"))?;
    let plies = header.plies.unwrap_or(0) as usize;
    let labelled = match header.stage {
        TableStage::Labelling(LabellingStage::Plies(from)) if from as usize <= plies => from as usize,
        TableStage::Labelling(LabellingStage::Done { .. }) => 0,
        TableStage::Gathering(_) => plies,
        _ => return Err(damaged("its header")),
    };
    if plies == 0 || plies > ranking.plies() {
        return Err(damaged("its header"));
    }
    let mut gathered = ReachableBitmap { ranking, plies: vec![Vec::new(); plies] };
    let mut values = vec![Vec::new(); if labelled < plies { plies } else { 0 }];
    for ply in 0..plies {
        let what = format!("ply {ply}");
        let size = gathered.ranking.size(ply).ok_or_else(|| damaged(&what))?;
        let words = size.div_ceil(u64::from(u64::BITS));
        let bytes = if ply < labelled { 8 * words } else { u64::from(u64::BITS) * words };
        if limits.check_held(StoreView::Indexed(&gathered, &values).bytes() + bytes).is_some() {
            return Err(TableFileError::Memory);
        }
        let mut all = Vec::with_capacity(bytes as usize);
        while (all.len() as u64) < bytes {
            let piece = (bytes as usize - all.len()).min(PIECE_BYTES);
            let unpacked = unpacked(&next(take, &what)?, piece as u64).map_err(|_| damaged(&what))?;
            if unpacked.len() != piece {
                return Err(damaged(&what));
            }
            all.extend_from_slice(&unpacked);
        }
        if ply < labelled {
            let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            gathered.plies[ply] = all.chunks_exact(8).map(word).collect();
        } else {
            values[ply] = all;
        }
    }
    let numbered = IndexedTable { gathered, values };
    if numbered.is_sound() { Ok(numbered) } else { Err(damaged("a ply")) }
}

/// Decompresses a block to at most `most` bytes; the error is true if there would be more.
fn unpacked(packed: &[u8], most: u64) -> Result<Vec<u8>, bool> {
    decompress_to_vec_with_limit(packed, most as usize)
        .map_err(|error| error.status == miniz_oxide::inflate::TINFLStatus::HasMoreOutput)
}

/// Reads a table by keys.
fn read_hashed(
    take: &mut ByteSource,
    header: &Header,
    circuit: &Circuit,
    limits: &Limits,
) -> Result<ReachableSet<PackedValue>, TableFileError> {
    let keys = match &header.shape {
        None => KeyEncoding::of(circuit),
        Some(shape) if shape.fits(circuit) => KeyEncoding::packed(circuit, shape),
        Some(_) => return Err(TableFileError::Damaged("its positions have another shape".into())),
    };
    let width = keys.width();
    let mut closure = ReachableSet::empty(keys, header.plies);
    for i in 0..closure.parts.len() {
        let what = format!("part {i}");
        let damaged = || TableFileError::Damaged(format!("{what} does not hold keys and marks"));
        let packed = next(take, &what)?;
        let room =
            limits.memory_bytes.map_or(MAX_PART_BYTES, |most| most.saturating_sub(closure.held_bytes()));
        let bytes =
            unpacked(&packed, room).map_err(|more| if more { TableFileError::Memory } else { damaged() })?;
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
            .check_held(closure.parts.iter().map(KeyTable::held_bytes).sum::<u64>() + held + beside)
            .is_some()
        {
            return Err(TableFileError::Memory);
        }
        let part = &mut closure.parts[i];
        let mut marks = marks.chunks_exact(2);
        part.insert_all(0..=u64::MAX, [&keys[..]].into_iter(), |_, worth, _| {
            let mark = marks.next().expect("a mark for each key");
            *worth = PackedValue(u16::from_le_bytes([mark[0], mark[1]]));
        });
    }
    Ok(closure)
}

/// Reads the bytes of the next block.
fn next(take: &mut ByteSource, what: &str) -> Result<Vec<u8>, TableFileError> {
    let mut whole = |to: &mut [u8]| match take(to) {
        Ok(given) if given == to.len() => Ok(()),
        Ok(_) => Err(TableFileError::Damaged(format!("it ends before the end of {what}"))),
        Err(error) => Err(TableFileError::Read(error)),
    };
    let (mut length, mut hash) = ([0; 8], [0; 32]);
    whole(&mut length)?;
    whole(&mut hash)?;
    let length = u64::from_le_bytes(length);
    // A corrupt length must not allocate memory beyond the bytes of the file.
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < length {
        let more = (length - bytes.len() as u64).min(READ_CHUNK_BYTES) as usize;
        let from = bytes.len();
        bytes.resize(from + more, 0);
        whole(&mut bytes[from..])?;
    }
    if *Digest::of(&bytes).bytes() != hash {
        return Err(TableFileError::Damaged(format!("the hash of {what} is wrong")));
    }
    Ok(bytes)
}
