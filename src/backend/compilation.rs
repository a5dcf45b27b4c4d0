//! The products of the JIT compiler, on all machines: readable text, and the cost.

use std::time::Duration;

/// Compiled functions as readable text.
#[derive(Clone, Debug, Default)]
pub struct CodeListing {
    /// The functions in Cranelift's intermediate language.
    pub clif: String,
    /// The functions in the processor's assembly language.
    pub asm: String,
}

/// The cost of compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CompileStats {
    /// The total time.
    pub time: Duration,
    /// The bytes of machine code.
    pub bytes: usize,
}
