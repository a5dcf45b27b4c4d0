//! Properties of the source that the compiler does not check: the words it uses, the places of unsafe code, the use of
//! the environment, the imports of the checker, its size, and the tests of its conditions.

mod files;
mod permissions;
mod reasons;
mod trusted_lines;
mod words;
