//! Layer 0: ids, maps keyed by ids, limits of long work, hash tables of keys, random numbers. Knows nothing of games or
//! languages.

pub mod automaton;
pub mod bits;
pub mod cancel;
#[allow(unsafe_code)]
pub mod heap;
pub mod id;
pub mod limits;
pub mod linear;
#[allow(unsafe_code)]
pub mod mem;
pub mod random;
