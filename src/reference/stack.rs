//! Room on the stack for long chains of definitions.
//!
//! The nesting of one expression is bounded by the parser, the length of a chain of definitions that call each other
//! only by the text. Evaluation is recursive; where a thread's stack runs low it goes on on a thread with a stack of
//! its own, so that no text, however long, overflows the stack.

/// How much stack may be used before a new one is taken. The smallest stack that Rust gives a thread is 2 MiB; what
/// is left is enough for one definition of the deepest nesting.
const BUDGET: usize = 768 << 10;

/// The size of a new stack.
const STACK: usize = 2 << 20;

/// The address of the stack's top, as a number to measure distances by.
pub fn here() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(&marker).addr()
}

/// Runs `work` with room on the stack: here, or on a new thread where more than the budget is used since `base`.
/// `work` is told the base to count from. None where the system gives no further thread.
pub fn with_room<R: Send>(base: usize, work: impl FnOnce(usize) -> Option<R> + Send) -> Option<R> {
    if base.abs_diff(here()) < BUDGET {
        return work(base);
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || work(here()));
        match thread.ok()?.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
