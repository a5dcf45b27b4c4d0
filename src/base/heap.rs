//! A memory allocator that counts the bytes that each thread holds.
//!
//! It is the system's allocator with a counter for each thread. The count bounds work that allocates many small pieces,
//! such as compiling rules, without accounting in that work. A binary installs it with `#[global_allocator]`; in a
//! program that does not, the count stays 0 and limits of memory do not end such work.
//! *Invariant:* the count depends only on the allocations and deallocations of a thread, so it is the same on every
//! machine.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// The bytes that this thread allocated, less those that it freed. Negative if it frees bytes of other threads.
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// Returns the bytes that the current thread allocated, less those that it freed.
pub fn held() -> i64 {
    HELD.get()
}

/// Counts bytes for the current thread. A thread that is ending no longer has a counter.
fn count(bytes: i64) {
    let _ = HELD.try_with(|held| held.set(held.get().wrapping_add(bytes)));
}

/// The system's allocator, with a count of bytes for each thread.
#[derive(Debug)]
pub struct CountingAllocator;

// SAFETY: every call passes its arguments unchanged to the system's allocator. Counting neither allocates nor unwinds:
// the counter is a constant that needs no destructor.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promises are those that the system's allocator requires.
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

    #[global_allocator]
    static ALLOCATOR: CountingAllocator = CountingAllocator;

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
