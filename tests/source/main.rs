//! Properties of the source that the compiler does not check: the words it uses, the places of unsafe code, the use of
//! the environment, the imports of the checker and its size, the public items of the library.

mod facade;
mod files;
mod permissions;
mod trusted_lines;
mod words;
