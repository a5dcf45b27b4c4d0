//! Stack space for long chains of definitions.
//!
//! The parser bounds the nesting of one expression; only the size of the source file bounds the length of a chain of
//! definitions that call each other. Evaluation is recursive. If a thread's stack runs low, it continues on a thread
//! with a new stack, so that no file, however long, overflows the stack.

/// The number of stack bytes that may be used before a new stack is taken. The smallest stack that Rust gives a thread
/// is 2 MiB; the rest of it is enough for one definition of the deepest nesting.
const STACK_BUDGET_BYTES: usize = 768 << 10;

/// The size of a new stack, in bytes.
const STACK_BYTES: usize = 2 << 20;

/// The address of the top of the stack, for measuring distances.
pub fn stack_address() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(&marker).addr()
}

/// Runs `work` with enough stack: on this thread, or on a new one if more than the budget is used since `base`. Passes
/// `work` the base to count from. `None` if the system gives no further thread.
pub fn with_stack<R: Send>(base: usize, work: impl FnOnce(usize) -> Option<R> + Send) -> Option<R> {
    if base.abs_diff(stack_address()) < STACK_BUDGET_BYTES {
        return work(base);
    }
    std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || work(stack_address()));
        match thread.ok()?.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
