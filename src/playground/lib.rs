//! The explorer as a module of WebAssembly: the playground's page asks it instead of a server.
//!
//! The page and the module exchange JSON as bytes. The page writes a message into the `input`, then calls `start`
//! once with the games, and `request` for each request. The module calls the functions of `host`: `event` for the
//! values of a position as they become known, `answer` once at the end of each request. If the stack or the memory is
//! used up, the module ends without an answer, and the page begins a new one.
//!
//! *Invariant:* nothing here decides about games; requests mean what they mean to `bouton serve`.

// Exported and imported functions have fixed names, which the compiler cannot check. Memory is not touched through
// pointers here: the host writes into a buffer that this module owns, and reads slices while it is called.
#![cfg_attr(target_family = "wasm", allow(unsafe_code))]
#![cfg(target_family = "wasm")]

use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bouton::CancelToken;
use bouton::explorer::catalogue::Catalogue;
use bouton::explorer::refusal::Refusal;
use bouton::explorer::{Answer, Event, EventReceiver, Explorer};
use bouton_base::clock;
use bouton_base::heap::CountingAllocator;
use serde::Deserialize;
use serde_json::json;

/// Reading rules is held to its limit of memory.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The functions of the page.
mod host {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Returns the milliseconds since some fixed moment.
        pub safe fn now() -> f64;
        /// Takes the answer to a request.
        pub safe fn answer(text: *const u8, length: usize);
        /// Takes an event of a request.
        pub safe fn event(text: *const u8, length: usize);
    }
}

/// The games; set by [`start`].
static EXPLORER: OnceLock<Explorer> = OnceLock::new();

/// The last message of the page.
static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the address of a buffer for a message of this many bytes, which lasts until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    *input = vec![0; length];
    input.as_mut_ptr()
}

/// Begins with the games of the message, as `bouton playground` exports them. Returns false if it is none of them.
#[unsafe(no_mangle)]
pub extern "C" fn start() -> bool {
    clock::set(|| Duration::from_secs_f64(host::now().max(0.0) / 1000.0));
    panic::set_hook(Box::new(|panic: &PanicHookInfo<'_>| *lock(&PANIC) = panic.to_string()));
    match Catalogue::from_export(&std::mem::take(&mut *lock(&INPUT))) {
        Ok(catalogue) => EXPLORER.set(Explorer::new(catalogue, None)).is_ok(),
        Err(_) => false,
    }
}

/// A request of the page.
#[derive(Deserialize)]
struct PageRequest {
    /// The path below `api/`, decoded.
    path: String,
    query: String,
    /// The body of a check; else empty.
    body: String,
}

/// Answers the request of the message.
#[unsafe(no_mangle)]
pub extern "C" fn request() {
    let text = std::mem::take(&mut *lock(&INPUT));
    let answer = catch_unwind(AssertUnwindSafe(|| run(&text)));
    let bug = |_| Err(Refusal::new(500, format!("bouton has a bug: {}", lock(&PANIC))));
    let message = match answer.unwrap_or_else(bug) {
        Ok(Answer::Json(answer)) => json!({ "status": 200, "json": answer }),
        Ok(Answer::Text(text) | Answer::Certificate(text)) => json!({ "status": 200, "text": text }),
        Ok(Answer::Events) => json!({ "status": 200 }),
        Err(refusal) => json!({ "status": refusal.status, "json": refusal.body() }),
    };
    let message = message.to_string();
    host::answer(message.as_ptr(), message.len());
}

fn run(text: &[u8]) -> Result<Answer, Refusal> {
    let request: PageRequest = serde_json::from_slice(text)
        .map_err(|why| Refusal::bad(format!("the request is not as described: {why}")))?;
    let explorer = EXPLORER.get().ok_or_else(|| Refusal::unavailable("there are no games yet"))?;
    let task = explorer.task(&request.path, Some(&request.query), request.body.as_bytes())?;
    let events: Arc<EventReceiver> = Arc::new(|Event { name, data, .. }| {
        let message = json!({ "name": name, "data": data }).to_string();
        host::event(message.as_ptr(), message.len());
    });
    explorer.run(&task, &CancelToken::default(), &events)
}
