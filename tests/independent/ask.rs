//! Asks the program about a game and compares its answers with the truth.

use crate::game::Game;
use crate::print;
use crate::rat::Rat;
use crate::solve::{ChoiceOrder, PositionGraph, PositionNode};
use crate::terms::Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Methods that search positions.
const SEARCHES: [&str; 20] = [
    "retrograde",
    "dp",
    "and-or",
    "breadth-first",
    "interval",
    "grundy",
    "partizan",
    "scores",
    "alphabeta",
    "dfpn",
    "dfpn-plus",
    "widening",
    "pds",
    "pn-star",
    "pns",
    "pn2",
    "focused",
    "lambda",
    "dual-lambda",
    "auto",
];

/// Methods that find a strategy in closed form.
const STRATEGIES: [&str; 10] = [
    "symmetry",
    "pairing",
    "nim",
    "product",
    "parity",
    "automaton",
    "steal",
    "astar",
    "ida-star",
    "permutation",
];

/// The methods that count plies with `--distance`.
const COUNTS_PLIES: [&str; 6] = ["retrograde", "dp", "and-or", "breadth-first", "alphabeta", "auto"];

/// One question to the program.
#[derive(Clone, Debug)]
pub enum Query {
    Positions(Vec<String>),
    Perft(usize, Vec<String>),
    /// `solve` with flags; true if a certificate is to be written and verified.
    Solve(Vec<String>, bool),
    /// The same for a position after some moves, which these numbers choose.
    After(Vec<usize>, Vec<String>, bool),
}

/// A difference between the program's answer and the truth.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The kind of difference: equal for differences that have the same cause.
    pub kind: String,
    pub commands: Vec<String>,
    pub detail: String,
}

/// Counters of questions and answers.
#[derive(Clone, Default)]
pub struct Stats {
    pub counts: BTreeMap<String, u64>,
}

impl Stats {
    pub fn add(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    pub fn join(&mut self, o: &Stats) {
        for (k, n) in &o.counts {
            *self.counts.entry(k.clone()).or_default() += n;
        }
    }
}

/// The result of one run of the program.
pub struct Reply {
    /// `None` if a signal ended the program.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
    pub hung: bool,
    pub command: String,
}

/// Runs the program in a folder of its own.
pub struct ProgramRunner {
    bin: PathBuf,
    pub dir: PathBuf,
}

impl ProgramRunner {
    pub fn new(bin: PathBuf, dir: PathBuf) -> ProgramRunner {
        fs::create_dir_all(&dir).unwrap();
        ProgramRunner { bin, dir }
    }

    pub fn run(&self, args: &[&str]) -> Reply {
        let (o, e) = (self.dir.join("stdout"), self.dir.join("stderr"));
        let mut child = Command::new(&self.bin)
            .args(args)
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .stdout(File::create(&o).unwrap())
            .stderr(File::create(&e).unwrap())
            .spawn()
            .unwrap_or_else(|e| panic!("{}: {e}", self.bin.display()));
        let start = Instant::now();
        let mut wait = 400;
        let (mut hung, mut code) = (false, None);
        loop {
            if let Some(s) = child.try_wait().unwrap() {
                code = s.code();
                break;
            }
            if start.elapsed() > Duration::from_secs(10) {
                hung = true;
                child.kill().ok();
                child.wait().ok();
                break;
            }
            std::thread::sleep(Duration::from_micros(wait));
            wait = (wait * 5 / 4).min(5000);
        }
        let read = |p: &PathBuf| String::from_utf8_lossy(&fs::read(p).unwrap()).into_owned();
        Reply { code, out: read(&o), err: read(&e), hung, command: format!("bouton {}", args.join(" ")) }
    }
}

/// Returns the questions for a seed.
pub fn queries(seed: u64) -> Vec<Query> {
    let mut r = Rng(seed ^ 0xa5c);
    let flags = |r: &mut Rng| {
        let mut v = vec![];
        match r.below(5) {
            0 => v.extend(["--backend".to_string(), "interp".to_string()]),
            1 => v.extend(["--backend".to_string(), "reference".to_string()]),
            _ => {}
        }
        if r.chance(25) {
            v.push("--no-symmetry".into());
        }
        v
    };
    let mut q = vec![Query::Positions(flags(&mut r)), Query::Perft(2 + r.below(4), flags(&mut r))];
    q.push(Query::Solve(vec![], true));
    let mut f = flags(&mut r);
    f.push("--distance".into());
    q.push(Query::Solve(f, r.chance(50)));
    let mut f = flags(&mut r);
    f.push("--strong".into());
    q.push(Query::Solve(f, r.chance(50)));
    let mut f = flags(&mut r);
    f.push("--all-moves".into());
    let path = (0..1 + r.below(2)).map(|_| r.below(100)).collect();
    q.push(Query::After(path, f, r.chance(60)));
    let (first, then) = (r.below(SEARCHES.len()), r.below(STRATEGIES.len()));
    for i in 0..7 {
        let mut f = flags(&mut r);
        let m = if i < 4 {
            STRATEGIES[(then + 2 * i) % STRATEGIES.len()]
        } else {
            SEARCHES[(first + 7 * i) % SEARCHES.len()]
        };
        f.extend(["--method".to_string(), m.to_string()]);
        if r.chance(20) && COUNTS_PLIES.contains(&m) {
            f.push("--distance".into());
        }
        q.push(Query::Solve(f, r.chance(60)));
    }
    q
}

/// The true facts about a game, computed once.
pub struct Truth<'a> {
    pub g: &'a Game,
    pub gr: &'a PositionGraph,
    /// For each player, an upper bound on the payoff that he can force from each position; a fault counts as the worst
    /// payoff.
    pub security_levels: Vec<Option<Vec<Rat>>>,
    pub plies: Vec<Vec<Option<usize>>>,
    pub faulty: bool,
    /// The position that the questions are about.
    pub root: usize,
}

impl<'a> Truth<'a> {
    pub fn new(g: &'a Game, gr: &'a PositionGraph) -> Truth<'a> {
        let sure = (0..g.players as u8).map(|p| gr.security_level(p, ChoiceOrder::Last)).collect();
        let plies = (0..g.players as u8).map(|p| gr.plies(p, 1)).collect();
        Truth { g, gr, security_levels: sure, plies, faulty: !gr.faults().0.is_empty(), root: 0 }
    }

    /// Returns true if the player cannot force this payoff.
    fn exceeds_value(&self, p: usize, v: Rat) -> bool {
        self.security_levels[p].as_ref().is_some_and(|s| s[self.root] < v)
    }

    /// Returns true if the claim of a certificate is false; `None` if this cannot be decided.
    pub fn is_false(&self, claim: &str) -> Option<bool> {
        let w: Vec<&str> = claim.split([' ', ',']).filter(|s| !s.is_empty()).collect();
        let who = |s: &str| print::PLAYERS[..self.g.players].iter().position(|p| *p == s);
        match w.as_slice() {
            [p, "wins"] => {
                let p = who(p)?;
                if self.security_levels[p].is_none() {
                    return (!self.gr.has_chance()).then(|| self.plies[p][self.root].is_none());
                }
                Some(self.exceeds_value(p, Rat::int(1)))
            }
            [p, "wins", "within", n] => {
                let n: usize = n.parse().ok()?;
                Some(self.plies[who(p)?][self.root].is_none_or(|k| k > n))
            }
            [p, "gets", "at-least", v] => Some(self.exceeds_value(who(p)?, Rat::parse(v)?)),
            ["value", rest @ ..] => {
                let mut bad = false;
                for pair in rest.chunks(2) {
                    bad |= self.exceeds_value(who(pair[0])?, Rat::parse(pair.get(1)?)?);
                }
                Some(bad)
            }
            ["solved-in", n] => Some(self.plies[0][self.root] != n.parse().ok()),
            ["unsolvable"] if self.security_levels[0].as_ref()?[self.root] > Rat::int(0) => Some(true),
            ["unsolvable"] if self.faulty && self.root > 0 => None,
            ["unsolvable"] => Some(self.faulty),
            _ => None,
        }
    }
}

/// Asks one question and returns the difference, if there is one.
pub fn ask(a: &ProgramRunner, t: &Truth, q: &Query, stats: &mut Stats) -> Option<Difference> {
    match q {
        Query::Positions(f) => {
            let mut args = vec!["positions", "g.bou", "--json", "--threads", "1"];
            args.extend(f.iter().map(String::as_str));
            let r = a.run(&args);
            crash_or_hang(&r, "positions").or_else(|| positions(t, &r, stats))
        }
        Query::Perft(d, f) => {
            let depth = d.to_string();
            let mut args = vec!["perft", "g.bou", "--json", "--threads", "1", "-d", &depth];
            args.extend(f.iter().map(String::as_str));
            let r = a.run(&args);
            crash_or_hang(&r, "perft").or_else(|| perft(t, *d, &r))
        }
        Query::Solve(f, cert) => {
            solved(a, t, &SolveCommand { flags: f, certificate: *cert, moves: None }, stats)
        }
        Query::After(path, f, cert) => {
            let (root, moves) = follow(t.gr, path);
            let t = Truth { security_levels: t.security_levels.clone(), plies: t.plies.clone(), root, ..*t };
            solved(a, &t, &SolveCommand { flags: f, certificate: *cert, moves: Some(moves) }, stats)
        }
    }
}

/// A call of `solve`.
struct SolveCommand<'a> {
    flags: &'a [String],
    /// True if it is to write a certificate.
    certificate: bool,
    /// The moves that lead to the position.
    moves: Option<String>,
}

/// Runs `solve` and compares its answer, and verifies the certificate if one is written.
fn solved(a: &ProgramRunner, t: &Truth, command: &SolveCommand, stats: &mut Stats) -> Option<Difference> {
    let &SolveCommand { flags: f, certificate: cert, ref moves } = command;
    let mut args = vec!["solve", "g.bou", "--json", "--threads", "1", "--memory", "300M", "--time", "4s"];
    args.extend(f.iter().map(String::as_str));
    if let Some(m) = moves {
        args.extend(["--moves", m]);
    }
    if cert {
        fs::remove_file(a.dir.join("g.cert")).ok();
        args.extend(["--certificate", "g.cert"]);
    }
    let r = a.run(&args);
    let name = f.iter().position(|x| x == "--method").map_or("auto", |i| f[i + 1].as_str());
    let strong = if f.iter().any(|x| x == "--strong") { " --strong" } else { "" };
    let name = format!("solve {name}{strong}{}", if moves.is_some() { " --moves" } else { "" });
    let found = crash_or_hang(&r, &name).or_else(|| solve(t, f, &name, &r, stats));
    found.or_else(|| if cert { verify(a, t, &name, &r, stats) } else { None })
}

/// Follows moves that have short names; returns the position and the names.
fn follow(gr: &PositionGraph, path: &[usize]) -> (usize, String) {
    let (mut n, mut names) = (0, vec![]);
    for c in path {
        let PositionNode::Turn(_, edges) = &gr.nodes[n] else { break };
        let (name, Ok(to)) = &edges[c % edges.len()] else { break };
        if name.contains(' ') || edges.iter().any(|e| e.1.is_err()) {
            break;
        }
        names.push(name.clone());
        n = *to;
    }
    (n, names.join(" "))
}

fn diff(kind: String, r: &Reply, detail: String) -> Option<Difference> {
    Some(Difference { kind, commands: vec![r.command.clone()], detail })
}

/// Returns a difference if the program crashed or hung.
fn crash_or_hang(r: &Reply, what: &str) -> Option<Difference> {
    let tail: String = r.err.lines().take(6).collect::<Vec<_>>().join("\n");
    match r.code {
        _ if r.hung => diff(format!("{what}: more than 10 s"), r, tail),
        None => diff(format!("{what}: ended by a signal"), r, tail),
        Some(101) => diff(format!("{what}: exit code 101"), r, tail),
        Some(2) => diff(format!("{what}: exit code 2"), r, tail),
        _ => None,
    }
}

/// Returns the code of the first message.
pub fn code_of(err: &str) -> Option<&str> {
    let at = err
        .find(": ")
        .map(|_| err)?
        .match_indices("E0")
        .map(|m| m.0)
        .find(|i| err.get(*i..*i + 5).is_some_and(|c| c[1..].chars().all(|d| d.is_ascii_digit())))?;
    err.get(at..at + 5)
}

/// Returns a difference if a message about a fault is wrong.
fn fault(r: &Reply, what: &str, codes: &crate::eval::FaultCodes) -> Option<Difference> {
    match code_of(&r.err) {
        Some(c) if codes.contains(c) => None,
        Some(c) => {
            let kind = if codes.is_empty() { "a fault that is none" } else { "another fault than any" };
            diff(format!("{what}: {kind} ({c})"), r, format!("expected {codes:?}, got\n{}", r.err))
        }
        None => diff(format!("{what}: exit code 3 without a code"), r, format!("{}\n{}", r.err, r.out)),
    }
}

fn positions(t: &Truth, r: &Reply, stats: &mut Stats) -> Option<Difference> {
    let codes = t.gr.faults().0;
    match r.code {
        Some(1) => {
            stats.add("refused by the type checker");
            stats.add(format!("  refused with {}", code_of(&r.err).unwrap_or("?")));
            diff("refused".into(), r, r.err.clone())
        }
        Some(3) => fault(r, "positions", &codes),
        Some(0) if !codes.is_empty() => {
            diff("positions: a fault is missed".into(), r, format!("expected {codes:?}, got {}", r.out))
        }
        Some(0) => {
            let v: Value = serde_json::from_str(&r.out).ok()?;
            let ends = t.gr.ends().len();
            let deep = t.gr.depth.iter().max().unwrap();
            let want = (t.gr.nodes.len() as u64, ends as u64, *deep as u64);
            let got = |k: &str| v[k].as_u64().unwrap_or(u64::MAX);
            let got = (got("positions"), got("terminal"), got("max_ply"));
            if want == got || t.gr.counts_repetitions {
                None
            } else {
                diff("positions: another count".into(), r, format!("expected {want:?}, got {got:?}"))
            }
        }
        _ => None,
    }
}

fn perft(t: &Truth, depth: usize, r: &Reply) -> Option<Difference> {
    let (codes, _) = t.gr.faults_within(depth);
    let (sure, _) = t.gr.faults_within(depth - 1);
    let made =
        (0..t.gr.nodes.len()).any(|n| t.gr.depth[n] < depth && t.gr.next(n).iter().any(|x| x.is_err()));
    match r.code {
        Some(3) => fault(r, "perft", &codes),
        Some(0) if made || !sure.is_empty() => {
            diff("perft: a fault is missed".into(), r, format!("expected {codes:?}, got {}", r.out))
        }
        Some(0) => {
            let v: Value = serde_json::from_str(&r.out).ok()?;
            let got: Vec<u128> =
                v["by_depth"].as_array()?.iter().map(|x| x.as_u64().unwrap_or(0) as u128).collect();
            let want = t.gr.perft(depth);
            if got == want {
                None
            } else {
                diff("perft: another count".into(), r, format!("expected {want:?}, got {got:?}"))
            }
        }
        _ => None,
    }
}

fn solve(t: &Truth, flags: &[String], name: &str, r: &Reply, stats: &mut Stats) -> Option<Difference> {
    let gr = t.gr;
    let mut codes = gr.faults().0;
    let json = serde_json::from_str::<Value>(&r.out);
    let v = match (r.code, json) {
        (Some(1), _) => return diff(format!("{name}: exit code 1"), r, r.err.clone()),
        (Some(3), Err(_)) => {
            if gr.cyclic && !gr.repeat_draw {
                codes.insert("E0505");
            }
            if !gr.zero_sum() {
                codes.insert("E0340");
            }
            return fault(r, name, &codes);
        }
        (_, Ok(v)) => v,
        _ => return None,
    };
    let text = |k: &str| v[k].as_str().unwrap_or("");
    if text("status") != "solved" {
        stats.add(format!("  {name}: no answer"));
        return bounds(t, &v, name, r);
    }
    let proved = v["proof"]["checked"] == Value::Bool(true) && text("tier") != "none";
    stats.add(format!("  {name}: {}", if proved { "proved" } else { "computed" }));
    let word = if proved { "proved" } else { "computed" };
    let method = format!("{name} ({})", text("method"));
    if !codes.is_empty() && flags.iter().any(|f| f == "--strong") {
        return diff(
            format!("{method}: a fault is missed, {word}"),
            r,
            format!("expected {codes:?}, got {}", r.out),
        );
    }
    let mut value = vec![];
    for p in &print::PLAYERS[..t.g.players] {
        let x = &v["value"][*p];
        value.push(x.as_i64().map(Rat::int).or_else(|| x.as_str().and_then(Rat::parse)));
    }
    let winner = print::PLAYERS.iter().position(|p| text("winner") == *p);
    for (p, x) in value.iter().enumerate() {
        let Some(x) = x else { continue };
        let asked = match winner {
            Some(w) if t.faulty || !gr.zero_sum() || t.g.players > 2 => w == p && (proved || t.g.players < 3),
            _ => t.g.players < 3 && gr.zero_sum(),
        };
        if asked && t.exceeds_value(p, *x) {
            let f = if t.faulty { ", with a fault" } else { "" };
            let sure = t.security_levels[p].as_ref().unwrap()[t.root];
            let who = print::PLAYERS[p];
            return diff(
                format!("{method}: {word}, but false{f}"),
                r,
                format!("{who} is sure of {sure} at most, claimed {x}: {}", r.out),
            );
        }
    }
    if t.g.players == 1 && !t.faulty {
        let best = t.security_levels[0].as_ref().map(|s| s[t.root]);
        let plain = gr.ends().iter().all(|v| v[0].abs() == 1);
        if plain
            && (best == Some(Rat::int(1))) != (text("outcome") == "solved_in")
            && text("outcome") != "payoff"
        {
            return diff(
                format!("{method}: another outcome, {word}"),
                r,
                format!("best {best:?}, got {}", r.out),
            );
        }
    }
    compare_plies(t, &v, &method, r, &ClaimedValue { value, winner })
}

/// The value of a game as the program claims it.
struct ClaimedValue {
    /// The payoff of each player, where it is claimed.
    value: Vec<Option<Rat>>,
    winner: Option<usize>,
}

/// Compares plies and best moves.
fn compare_plies(
    t: &Truth,
    v: &Value,
    method: &str,
    r: &Reply,
    claimed: &ClaimedValue,
) -> Option<Difference> {
    let gr = t.gr;
    let simple = gr.ends().iter().all(|v| v.iter().all(|x| x.abs() <= 1));
    if t.faulty
        || !simple
        || gr.has_chance()
        || gr.has_each()
        || t.g.players > 2
        || !gr.zero_sum() && t.g.players == 2
    {
        return None;
    }
    let w = match t.g.players {
        1 => (claimed.value[0] == Some(Rat::int(1))).then_some(0),
        _ => claimed.winner,
    };
    let plies = v["remoteness"].as_u64();
    if let (Some(w), Some(n)) = (w, plies) {
        let want = t.plies[w][t.root];
        if want != Some(n as usize) {
            return diff(
                format!("{method}: another number of plies"),
                r,
                format!("expected {want:?}, got {n}: {}", r.out),
            );
        }
    }
    let PositionNode::Turn(p, edges) = &gr.nodes[t.root] else { return None };
    let p = *p as usize;
    let sure = t.security_levels[p].as_ref()?;
    for m in v["moves"].as_array().into_iter().flatten() {
        let name = m["move"].as_str().unwrap_or("");
        let Some((_, Ok(k))) = edges.iter().find(|e| e.0 == name) else {
            return diff(format!("{method}: a move that is none"), r, format!("{name}: {}", r.out));
        };
        let x = &m["value"][print::PLAYERS[p]];
        if x.as_i64().is_some_and(|x| Rat::int(x) != sure[*k]) {
            return diff(
                format!("{method}: the value of a move is false"),
                r,
                format!("{name} is {}: {}", sure[*k], r.out),
            );
        }
    }
    if v["moves"].as_array().is_some_and(|m| m.len() != edges.len()) {
        return diff(format!("{method}: not all moves are listed"), r, r.out.clone());
    }
    for m in v["best_moves"].as_array().into_iter().flatten() {
        let name = m.as_str().unwrap_or("");
        let to = edges.iter().find(|e| e.0 == name);
        let Some((_, Ok(k))) = to else {
            return diff(format!("{method}: a best move that is none"), r, format!("{name}: {}", r.out));
        };
        let soon = match (w, plies) {
            (Some(w), Some(n)) => t.plies[w][*k].map(|x| x as u64 + 1) == Some(n),
            _ => true,
        };
        if sure[*k] != sure[t.root] || !soon {
            return diff(format!("{method}: a best move is not good"), r, format!("{name}: {}", r.out));
        }
    }
    None
}

/// Compares the bounds that are reported in place of a value.
fn bounds(t: &Truth, v: &Value, name: &str, r: &Reply) -> Option<Difference> {
    if t.g.players != 2 || !t.gr.zero_sum() || t.faulty {
        return None;
    }
    let of = |x: &Value| x.as_i64().map(Rat::int).or_else(|| x.as_str().and_then(Rat::parse));
    let b = v["bounds"].as_array()?;
    let (low, high) = (of(b.first()?)?, of(b.get(1)?)?);
    if t.exceeds_value(0, low) || t.exceeds_value(1, high.neg()) {
        return diff(format!("{name}: false bounds"), r, r.out.clone());
    }
    None
}

/// Verifies the certificate that `solve` wrote: the checker must accept it, and its claim must be true.
fn verify(a: &ProgramRunner, t: &Truth, name: &str, solved: &Reply, stats: &mut Stats) -> Option<Difference> {
    let cert = fs::read_to_string(a.dir.join("g.cert")).ok()?;
    let claim = cert.lines().find_map(|l| l.strip_prefix("claim "))?.to_string();
    let r = a.run(&["verify", "g.cert", "g.bou", "--json"]);
    let broken = crash_or_hang(&r, "verify");
    if broken.is_some() {
        return broken;
    }
    for k in crate::mutate::kinds(&cert) {
        stats.add(format!("  certificates: {k}"));
    }
    let both = |mut d: Difference| {
        d.commands.insert(0, solved.command.clone());
        d
    };
    if r.code == Some(0) && t.is_false(&claim) == Some(true) {
        let kinds = crate::mutate::kinds(&cert).join(", ");
        return diff(
            format!("verify {kinds}: a false claim is accepted ({name})"),
            &r,
            format!("{claim}\n{cert}"),
        )
        .map(both);
    }
    if r.code == Some(3) {
        return diff(format!("verify: refuses what solve wrote ({name})"), &r, format!("{}{}", r.out, r.err))
            .map(both);
    }
    None
}
