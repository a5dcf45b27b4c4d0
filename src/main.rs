//! The binary `bouton`.

use std::process::ExitCode;

fn main() -> ExitCode {
    bouton::cli::main()
}
