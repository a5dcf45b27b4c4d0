//! `bouton serve` under load: two hundred clients at once, none is refused, and memory does not grow with what was asked.

use std::thread;
use std::time::{Duration, Instant};

use crate::server::Server;

const CLIENTS: usize = 200;
/// The requests of a client in a run of all tests.
const REQUESTS: usize = 6;
/// The duration with `BOUTON_SLOW=1`.
const SLOW_RUN: Duration = Duration::from_secs(60);
/// The growth of memory that the second half of the requests may bring.
const MAX_GROWTH: u64 = 64 << 20;
const PATHS: [&str; 6] = [
    "/",
    "/api/games",
    "/api/games/tictactoe/position?p=b2",
    "/api/games/hex/rules",
    "/api/games/nim/position",
    "/api/games/tictactoe/position?p=a1&p=b1",
];

/// Lets all clients ask until each has done so many requests and the time is over; the number of requests.
fn ask(server: &Server, requests: usize, time: Duration) -> usize {
    let begun = Instant::now();
    let client = |number: usize| {
        let mut done = 0;
        while done < requests || begun.elapsed() < time {
            let path = PATHS[(number + done) % PATHS.len()];
            let answer = server.get(path);
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
            done += 1;
        }
        done
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(move || client(number))).collect();
        clients.into_iter().map(|client| client.join().expect("a client whose requests are answered")).sum()
    })
}

#[test]
fn two_hundred_clients_are_answered_and_memory_stays() {
    let server = Server::start("games");
    let is_slow = std::env::var_os("BOUTON_SLOW").is_some();
    let time = if is_slow { SLOW_RUN } else { Duration::ZERO };
    ask(&server, REQUESTS, time / 2);
    let before = server.resident_memory();
    let asked = ask(&server, REQUESTS, time / 2);
    if let (Some(before), Some(after)) = (before, server.resident_memory()) {
        println!("{asked} requests; {before} bytes of memory before, {after} after");
        assert!(after < before + MAX_GROWTH, "{before} bytes before, {after} after {asked} requests");
    }
}
