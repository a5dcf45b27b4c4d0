//! Floor 0: ids, maps keyed by ids. Knows nothing of games or languages.

pub mod id;
