//! Properties of the source that the compiler does not check: the words it uses, the places of unsafe code, the use of
//! the environment, the imports of the checker.

mod files;
mod permissions;
mod words;
