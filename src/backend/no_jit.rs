//! The JIT compiler of machines that cannot run code they make, such as WebAssembly: every circuit is refused, and the
//! interpreter runs it.

use std::convert::Infallible;
use std::sync::Arc;

use super::compilation::{CodeListing, CompileStats};
use super::lookahead::Lookahead;
use super::threats::WinningEnds;
use super::undecided_children::UndecidedChildren;
use super::{Child, Playouts, RulesFault, Runner, Status};
use bouton_base::limits::CancelToken;
use bouton_circuit::{Circuit, Position};

/// The options of a compilation.
#[derive(Clone, Debug, Default)]
pub struct JitOptions {
    /// True to keep the functions as readable text.
    pub listing: bool,
}

/// The error of a compilation: there is none on this machine.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("this machine runs no machine code that it makes itself")]
pub struct JitError;

/// The runner that compiles a circuit to machine code. None is ever made.
#[derive(Debug)]
pub struct Jit(Infallible);

impl Jit {
    /// Returns the number of words of values of a circuit that are compiled: none.
    pub fn work(_circuit: &Circuit) -> usize {
        0
    }

    /// Refuses the circuit.
    pub fn new(_circuit: Arc<Circuit>, _options: JitOptions) -> Result<Jit, JitError> {
        Err(JitError)
    }

    /// Returns the cost of compilation so far.
    pub fn compile_stats(&self) -> CompileStats {
        match self.0 {}
    }

    /// Returns the functions compiled so far.
    pub fn listing(&self) -> CodeListing {
        match self.0 {}
    }
}

impl Runner for Jit {
    fn circuit(&self) -> &Circuit {
        match self.0 {}
    }

    fn expand(&self, _at: &Position, _children: &mut Vec<Child>) -> Result<Status, RulesFault> {
        match self.0 {}
    }

    fn lookahead(&self, _best: &WinningEnds) -> Arc<dyn Lookahead + '_> {
        match self.0 {}
    }

    fn undecided_children(&self, _wins: &WinningEnds) -> Arc<dyn UndecidedChildren + '_> {
        match self.0 {}
    }

    fn playouts(
        &self,
        _at: &Position,
        _games: u64,
        _seed: u64,
        _longest: u32,
        _stop: &CancelToken,
    ) -> Result<Option<Playouts>, RulesFault> {
        match self.0 {}
    }
}
