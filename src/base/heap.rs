//! A memory allocator that counts what each thread holds.
//!
//! It is the system's allocator with a counter for each thread. Work that takes its memory in many small pieces, such as
//! compiling rules, is bounded by it without counting for itself.
//! *Invariant:* the count depends on what a thread allocates and frees and on nothing else, so it is the same everywhere.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// The bytes that this thread allocated, less those that it freed. Negative where it frees what others allocated.
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// Returns the bytes that the current thread allocated, less those that it freed.
pub fn held() -> i64 {
    HELD.get()
}

/// Counts bytes for the current thread. A thread that is ending has no counter any more.
fn count(bytes: i64) {
    let _ = HELD.try_with(|held| held.set(held.get().wrapping_add(bytes)));
}

/// The system's allocator, with a count of bytes for each thread.
#[derive(Debug)]
pub struct Counting;

#[global_allocator]
static HEAP: Counting = Counting;

// SAFETY: every call is passed on to the system's allocator as it came. Counting neither allocates nor unwinds: the
// counter is a constant that needs no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promises are those that the system asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_holds_is_counted() {
        let before = held();
        let mut bytes: Vec<u8> = Vec::with_capacity(1000);
        assert_eq!(held() - before, 1000);
        bytes.reserve_exact(5000);
        assert_eq!(held() - before, 5000);
        drop(bytes);
        assert_eq!(held(), before);
    }
}
