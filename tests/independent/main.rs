//! Random games against a second reading of the language, written from `docs/language.md` alone: it shares no line with
//! `src`, and only runs the program, as its users do.
//!
//! One of the families of `make` makes a game, each aimed at one approach of the solver; `spice` adds constructs of the
//! whole language, and `meaning` interprets it; `solve` computes its positions, values, plies and faults. `ask`
//! compares positions, perft and values by every method and machine, and verifies certificates; `mutate` changes
//! certificates, recomputes their hashes and checks that no false claim is accepted. Games on whose meaning the
//! document is silent are left out.
//!
//! `BOUTON_SLOW=1` runs 10,000 games, with another seed each day; `BOUTON_GAMES`, `BOUTON_SEED`, `BOUTON_SECONDS` and
//! `BOUTON_FAMILY` override this. Differences are written to the folder `target/differences`, one file per seed.

mod ask;
mod eval;
mod game;
mod make;
mod meaning;
mod mutate;
mod print;
mod rat;
mod shrink;
mod solve;
mod spice;
mod terms;

use ask::{Difference, ProgramRunner, Query, Stats, Truth};
use game::{End, EndOutcome, Ex, Game, when};
use solve::PositionGraph;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The maximal number of positions of a game.
const MAX_POSITIONS: usize = 3000;

/// The number of games without `BOUTON_SLOW`, and with it (`SLOW_GAMES`).
const QUICK_GAMES: u64 = 60;
const SLOW_GAMES: u64 = 10_000;

/// The games to run.
struct RunOptions {
    games: u64,
    seed: u64,
    seconds: Option<u64>,
    family: Option<String>,
}

/// Returns a number from the environment.
fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|n| n.parse().unwrap_or_else(|_| panic!("{name} is a number, not {n}")))
}

fn options() -> RunOptions {
    let slow = std::env::var_os("BOUTON_SLOW").is_some();
    let today = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    RunOptions {
        games: given("BOUTON_GAMES").unwrap_or(if slow { SLOW_GAMES } else { QUICK_GAMES }),
        seed: given("BOUTON_SEED").unwrap_or_else(|| if slow { today() * 1_000_000 } else { 1 }),
        seconds: given("BOUTON_SECONDS"),
        family: std::env::var("BOUTON_FAMILY").ok(),
    }
}

/// Returns the graph of a game, or the reason why there is none.
fn graph(g: &Game) -> Result<PositionGraph, &'static str> {
    let w = eval::GameModel::new(g).ok_or("no first position")?;
    PositionGraph::of(g, &w, MAX_POSITIONS)
}

/// Makes the game of a seed with small repairs: infinite play is a draw, and mostly a player who cannot move ends the
/// game.
fn prepare(seed: u64, family: Option<&str>) -> (String, Game, Result<PositionGraph, &'static str>) {
    let (name, mut g) = make::game(seed, family);
    let mut gr = graph(&g);
    for _ in 0..2 {
        let Ok(x) = &gr else { break };
        if x.cyclic && !x.repeat_draw && g.players > 1 {
            g.ends.push(if seed.is_multiple_of(7) { End::RepeatThird } else { End::RepeatDraw });
        } else if x.faults().0.contains("E0501") && !seed.is_multiple_of(4) && g.play.is_none() {
            let out = match seed % 3 {
                _ if g.players == 1 => EndOutcome::Lose,
                0 => EndOutcome::Draw,
                1 => EndOutcome::Loses(Ex::Mover),
                _ => EndOutcome::Wins(game::player(0)),
            };
            g.ends.push(when(Ex::Stuck, out));
        } else {
            break;
        }
        gr = graph(&g);
    }
    (name, g, gr)
}

/// Asks all questions about a game.
fn examine(
    a: &ProgramRunner,
    g: &Game,
    gr: &PositionGraph,
    seed: u64,
    stats: &mut Stats,
) -> Vec<(Option<Query>, Difference)> {
    fs::write(a.dir.join("g.bou"), print::text(g)).unwrap();
    let t = Truth::new(g, gr);
    let mut all = vec![];
    for q in ask::queries(seed) {
        let cert = matches!(q, Query::Solve(_, true));
        if let Some(d) = ask::ask(a, &t, &q, stats) {
            if d.kind == "refused" {
                return vec![];
            }
            all.push((Some(q), d));
        } else if cert && let Some(d) = mutate::mutate(a, &t, seed, 4, stats) {
            all.push((None, d));
        }
    }
    stats.add(format!("games with faults: {}", t.faulty));
    stats.add(format!("games that come back: {}", gr.cyclic));
    stats.add(format!("games with moves at once: {}", gr.has_each()));
    all
}

/// Shrinks a game while a question still gives the same kind of difference.
fn shrunk(a: &ProgramRunner, g: &Game, q: &Query, kind: &str) -> (Game, Option<Difference>) {
    let (mut g, mut last) = (g.clone(), None);
    let start = Instant::now();
    'again: loop {
        for n in shrink::smaller(&g) {
            if start.elapsed() > Duration::from_secs(6) {
                break 'again;
            }
            let Ok(gr) = graph(&n) else { continue };
            fs::write(a.dir.join("g.bou"), print::text(&n)).unwrap();
            let t = Truth::new(&n, &gr);
            if let Some(d) = ask::ask(a, &t, q, &mut Stats::default())
                && d.kind == kind
            {
                (g, last) = (n, Some(d));
                continue 'again;
            }
        }
        break;
    }
    (g, last)
}

/// Renders a difference.
fn report(
    seed: u64,
    family: &str,
    g: &Game,
    d: &Difference,
    small: Option<(Game, Option<Difference>)>,
) -> String {
    let mut o = format!("seed {seed}, family {family}: {}\n", d.kind);
    let (g, d) = match &small {
        Some((s, Some(e))) => (s, e),
        _ => (g, d),
    };
    for c in &d.commands {
        o += &format!("  {c}\n");
    }
    format!("{o}{}\n\n{}\n", d.detail, print::text(g))
}

/// Returns the folder in which the program runs.
fn folder_of_runs() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("independent-{}", std::process::id()))
}

/// Takes games one after the other, concurrently with other threads.
fn work(o: &RunOptions, thread: usize, next: &AtomicU64, start: Instant, out: &Mutex<Findings>) {
    let bin = PathBuf::from(env!("CARGO_BIN_EXE_bouton"));
    let dir = folder_of_runs().join(thread.to_string());
    let a = ProgramRunner::new(bin, dir);
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= o.games || o.seconds.is_some_and(|s| start.elapsed().as_secs() >= s) {
            return;
        }
        let seed = o.seed + n;
        let (family, g, gr) = prepare(seed, o.family.as_deref());
        let mut stats = Stats::default();
        let gr = match gr {
            Ok(gr) => gr,
            Err(why) => {
                stats.add(format!("games left out: {why}"));
                out.lock().unwrap().stats.join(&stats);
                continue;
            }
        };
        stats.add(format!("family {family}"));
        stats.add("games");
        let found = examine(&a, &g, &gr, seed, &mut stats);
        let mut told = vec![];
        for (q, d) in &found {
            let seen = {
                let mut f = out.lock().unwrap();
                let c = f.kinds.entry(d.kind.clone()).or_default();
                c.push(seed);
                c.len()
            };
            let small = match q {
                Some(q) if seen == 1 => Some(shrunk(&a, &g, q, &d.kind)),
                _ => None,
            };
            told.push(report(seed, &family, &g, d, small));
        }
        let mut f = out.lock().unwrap();
        f.stats.join(&stats);
        if !found.is_empty() {
            f.reports.insert(seed, told.join("\n"));
        }
    }
}

#[derive(Default)]
struct Findings {
    stats: Stats,
    /// The seeds of each kind of difference.
    kinds: BTreeMap<String, Vec<u64>>,
    reports: BTreeMap<u64, String>,
}

#[test]
fn random_games_have_the_answers_of_a_second_reading() {
    let o = options();
    println!("games {}, from seed {}", o.games, o.seed);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let (next, out, start) = (AtomicU64::new(0), Mutex::new(Findings::default()), Instant::now());
    std::thread::scope(|s| {
        for t in 0..threads {
            let (o, next, out) = (&o, &next, &out);
            s.spawn(move || work(o, t, next, start, out));
        }
    });
    fs::remove_dir_all(folder_of_runs()).ok();
    let f = out.into_inner().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("differences");
    for (seed, text) in &f.reports {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{seed}.txt")), text).unwrap();
    }
    for (k, n) in &f.stats.counts {
        println!("{n:8} {k}");
    }
    for (k, seeds) in &f.kinds {
        println!("difference, {} times: {k}: seeds {:?}", seeds.len(), &seeds[..seeds.len().min(6)]);
    }
    let games = f.stats.counts.get("games").copied().unwrap_or(0);
    assert!(games > 0, "no game was looked at");
    let first = f.reports.values().next();
    assert!(
        f.reports.is_empty(),
        "{} of {games} games differ; the first:\n{}",
        f.reports.len(),
        first.unwrap()
    );
}
