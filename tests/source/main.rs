//! Properties of the source that the compiler does not check: the words it uses, the places of unsafe code, the use of
//! the environment, the imports of the checker, its size, the tests of its conditions, the public items of the library.

mod facade;
mod files;
mod permissions;
mod reasons;
mod trusted_lines;
mod words;
