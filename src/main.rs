//! The binary `bouton`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use bouton_base::heap::CountingAllocator;

mod cli;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    cli::main()
}
