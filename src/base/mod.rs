//! Floor 0: ids, maps keyed by ids, limits of long work. Knows nothing of games or languages.

pub mod bits;
pub mod id;
pub mod limits;
