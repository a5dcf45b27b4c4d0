//! Floor 5: the reference interpreter. It *is* the definition of the language: naive, and the same as the text of
//! LANGUAGE.md, rule by rule.
//!
//! *Invariant:* nothing here knows bits, circuits or search, and nothing of this room is shared with lowering.

mod bind;
mod board_fn;
mod env;
mod eval;
mod group;
mod number;
mod stack;

pub use env::Env;
pub use eval::{Context, Position, eval_const, eval_known};
