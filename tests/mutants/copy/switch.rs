//! The switch of mutants: `BOUTON_MUTANT` names the one that is on. With `BOUTON_REACHED`, the mutants that were
//! reached are listed in that file by [`write_reached`].

use std::collections::BTreeSet;
use std::ops::{Add, Not, Sub};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};

static ON: LazyLock<u32> =
    LazyLock::new(|| std::env::var("BOUTON_MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(u32::MAX));
static TRACED: LazyLock<Option<Vec<AtomicBool>>> = LazyLock::new(|| {
    std::env::var_os("BOUTON_REACHED").map(|_| (0..1 << 17).map(|_| AtomicBool::new(false)).collect())
});
static WRITING: Mutex<()> = Mutex::new(());

/// Returns true if this mutant is on.
pub fn on(id: u32) -> bool {
    if let Some(reached) = &*TRACED {
        reached[id as usize].store(true, Relaxed);
    }
    *ON == id
}

/// Adds the mutants that were reached since the last call to the file, in one line.
pub fn write_reached() {
    let (Some(path), Some(reached)) = (std::env::var_os("BOUTON_REACHED"), &*TRACED) else { return };
    let _writing = WRITING.lock();
    let ids: BTreeSet<usize> = (0..reached.len()).filter(|&id| reached[id].swap(false, Relaxed)).collect();
    let line: Vec<String> = ids.iter().map(usize::to_string).collect();
    let mut text = std::fs::read_to_string(&path).unwrap_or_default();
    text += &(line.join(" ") + "\n");
    std::fs::write(&path, text).expect("a writable file");
}

pub fn lt<T: PartialOrd + ?Sized>(id: u32, a: &T, b: &T) -> bool {
    if on(id) { a <= b } else { a < b }
}

pub fn le<T: PartialOrd + ?Sized>(id: u32, a: &T, b: &T) -> bool {
    if on(id) { a < b } else { a <= b }
}

pub fn gt<T: PartialOrd + ?Sized>(id: u32, a: &T, b: &T) -> bool {
    if on(id) { a >= b } else { a > b }
}

pub fn ge<T: PartialOrd + ?Sized>(id: u32, a: &T, b: &T) -> bool {
    if on(id) { a > b } else { a >= b }
}

pub fn min<T: Ord>(id: u32, a: T, b: T) -> T {
    if on(id) { a.max(b) } else { a.min(b) }
}

pub fn max<T: Ord>(id: u32, a: T, b: T) -> T {
    if on(id) { a.min(b) } else { a.max(b) }
}

pub fn least<T: Ord>(id: u32, all: impl Iterator<Item = T>) -> Option<T> {
    if on(id) { all.max() } else { all.min() }
}

pub fn greatest<T: Ord>(id: u32, all: impl Iterator<Item = T>) -> Option<T> {
    if on(id) { all.min() } else { all.max() }
}

pub fn any<I: Iterator>(id: u32, mut all: I, holds: impl FnMut(I::Item) -> bool) -> bool {
    if on(id) { all.all(holds) } else { all.any(holds) }
}

pub fn all<I: Iterator>(id: u32, mut all: I, holds: impl FnMut(I::Item) -> bool) -> bool {
    if on(id) { all.any(holds) } else { all.all(holds) }
}

pub fn plus<T: Add<Output = T> + Sub<Output = T>>(id: u32, a: T, b: T) -> T {
    if on(id) { a - b } else { a + b }
}

pub fn minus<T: Add<Output = T> + Sub<Output = T>>(id: u32, a: T, b: T) -> T {
    if on(id) { a + b } else { a - b }
}

pub fn not<T: Not<Output = T>>(id: u32, a: T) -> T {
    if on(id) { a } else { !a }
}
