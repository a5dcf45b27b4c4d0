//! Corrupts certificates, with recomputed counts and hashes, and looks for a false claim that the checker accepts.

use crate::ask::{Difference, ProgramRunner, Stats, Truth};
use crate::print::PLAYERS;
use crate::terms::Rng;
use sha2::{Digest, Sha256};
use std::fs;

/// A certificate in parts.
#[derive(Clone)]
pub struct Cert {
    /// The lines before the first chunk.
    head: Vec<String>,
    /// The owner of each chunk (`lemma 1`, `text`), and its lines.
    chunks: Vec<(String, Vec<String>)>,
}

fn hash(lines: &[String]) -> String {
    let mut h = Sha256::new();
    for l in lines {
        h.update(l.as_bytes());
        h.update(b"\n");
    }
    h.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

impl Cert {
    pub fn parse(text: &str) -> Option<Cert> {
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.iter().position(|l| l.starts_with("chunk "))?;
        let mut c = Cert { head: lines[..first].iter().map(|s| s.to_string()).collect(), chunks: vec![] };
        let mut i = first;
        while let Some(rest) = lines.get(i)?.strip_prefix("chunk ") {
            let (of, n) = rest.split_once(" lines ")?;
            let n: usize = n.split(' ').next()?.parse().ok()?;
            c.chunks
                .push((of.to_string(), lines.get(i + 1..i + 1 + n)?.iter().map(|s| s.to_string()).collect()));
            i += 1 + n;
        }
        Some(c)
    }

    /// Returns the certificate as a string, with the right counts and hashes.
    pub fn text(&self) -> String {
        let count = |of: &str| self.chunks.iter().filter(|c| c.0 == of).map(|c| c.1.len()).sum::<usize>();
        let mut head = self.head.clone();
        for l in &mut head {
            let of = match l.split(' ').collect::<Vec<_>>().as_slice() {
                ["text", "lines", _] => "text".to_string(),
                ["lemma", n, ..] => format!("lemma {n}"),
                _ => continue,
            };
            if let Some(i) = l.rfind("lines ") {
                l.replace_range(i.., &format!("lines {}", count(&of)));
            }
        }
        let mut out = head.clone();
        for (of, lines) in &self.chunks {
            let line = format!("chunk {of} lines {} {}", lines.len(), hash(lines));
            head.push(line.clone());
            out.push(line);
            out.extend(lines.iter().cloned());
        }
        out.push(format!("root {}", hash(&head)));
        out.join("\n") + "\n"
    }

    fn claim(&self) -> &str {
        self.head.iter().find_map(|l| l.strip_prefix("claim ")).unwrap_or("")
    }

    fn set_claim(&mut self, claim: &str) {
        for l in &mut self.head {
            if l.starts_with("claim ") {
                *l = format!("claim {claim}");
            }
        }
    }
}

/// Returns the kinds of the lemmas of a certificate.
pub fn kinds(text: &str) -> Vec<String> {
    let head = text.lines().take_while(|l| !l.starts_with("chunk "));
    head.filter_map(|l| l.strip_prefix("lemma "))
        .map(|l| {
            let w: Vec<&str> = l.split(' ').skip(1).collect();
            let two = w[0] == "loopy" && w.len() > 1;
            w[..if two { 2 } else { 1 }].join(" ")
        })
        .collect()
}

/// Returns claims that are false.
fn claims(t: &Truth, r: &mut Rng) -> Vec<String> {
    let n = t.g.players;
    let mut all = vec![];
    for (p, name) in PLAYERS[..n].iter().enumerate() {
        all.push(format!("{name} wins"));
        all.push(format!("{name} gets at-least 1"));
        all.push(format!("{name} gets at-least 0"));
        if let Some(k) = t.plies[p][t.root] {
            all.push(format!("{name} wins within {}", k.saturating_sub(1)));
        }
        all.push(format!("{name} wins within {}", r.below(6)));
    }
    if n == 2 {
        for v in [-1, 0, 1, 2] {
            all.push(format!("value A {v}, B {}", -v));
        }
    }
    if n == 1 {
        all.push("unsolvable".into());
        if let Some(k) = t.plies[0][t.root] {
            all.extend([k + 1, k + 2, k.saturating_sub(1)].map(|k| format!("solved-in {k}")));
        }
    }
    all.into_iter().filter(|c| t.is_false(c) == Some(true)).collect()
}

/// Changes one token of a line: a number by one, a player into another.
fn token(line: &str, r: &mut Rng) -> String {
    let mut w: Vec<String> = line.split(' ').map(str::to_string).collect();
    let i = r.below(w.len());
    let t = &w[i];
    let new = if let Ok(n) = t.parse::<i64>() {
        (n + if r.chance(50) { 1 } else { -1 }).to_string()
    } else if t == "A" {
        "B".into()
    } else if t == "B" {
        "A".into()
    } else {
        let swap = |a: &str, b: &str| t.replace(a, "#").replace(b, a).replace('#', b);
        match r.below(5) {
            0 => swap("A", "B"),
            1 => swap("0", "1"),
            2 => swap("1", "2"),
            3 => swap("lost", "won"),
            _ => swap("a1", "b1"),
        }
    };
    w[i] = new;
    w.join(" ")
}

fn spoil(c: &mut Cert, r: &mut Rng) {
    let lemmas: Vec<usize> = (0..c.chunks.len())
        .filter(|i| c.chunks[*i].0.starts_with("lemma") && !c.chunks[*i].1.is_empty())
        .collect();
    if lemmas.is_empty() || r.chance(20) {
        for l in c.head.iter_mut().filter(|l| l.starts_with("lemma ")) {
            if r.chance(70) {
                let (a, b) = l
                    .split_once(" lines ")
                    .map(|(a, b)| (a.to_string(), b.to_string()))
                    .unwrap_or((l.clone(), "0".into()));
                *l = format!(
                    "{} lines {b}",
                    match r.below(6) {
                        0 => a.replace("ranked", "safe"),
                        1 => a.replace(" reply", " loopy safe"),
                        2 => a.replace(" loopy ranked", " reply").replace(" loopy safe", " reply"),
                        _ => token(&a, r),
                    }
                );
            }
        }
        return;
    }
    let i = *r.pick(&lemmas);
    let lines = &mut c.chunks[i].1;
    let (k, j) = (r.below(lines.len()), r.below(lines.len()));
    match r.below(9) {
        0 => {
            lines.remove(k);
        }
        1 => {
            let l = lines[k].clone();
            lines.insert(k, l);
        }
        2 => lines.swap(k, j),
        3 => {
            // Exchanges the answers of two lines.
            let halves = |s: &str| s.split_once(' ').map(|(a, b)| (a.to_string(), b.to_string()));
            if let (Some((a, x)), Some((b, y))) = (halves(&lines[k]), halves(&lines[j])) {
                lines[k] = format!("{a} {y}");
                lines[j] = format!("{b} {x}");
            }
        }
        _ => lines[k] = token(&lines[k], r),
    }
}

/// Corrupts a certificate in `count` ways and verifies each.
pub fn mutate(
    a: &ProgramRunner,
    t: &Truth,
    seed: u64,
    count: usize,
    stats: &mut Stats,
) -> Option<Difference> {
    let mut r = Rng(seed ^ 0x0bad);
    let text = fs::read_to_string(a.dir.join("g.cert")).ok()?;
    let cert = Cert::parse(&text)?;
    if cert.text() != text {
        stats.add("certificates that are read otherwise than written");
        return None;
    }
    let name = kinds(&text).join(", ");
    let wrong = claims(t, &mut r);
    for n in 0..count {
        let mut c = cert.clone();
        if !wrong.is_empty() && r.chance(75) {
            c.set_claim(&wrong[r.below(wrong.len())]);
            // The lemma changes with the claim, mostly.
            if r.chance(60) {
                for l in c.head.iter_mut().filter(|l| l.starts_with("lemma ")) {
                    if r.chance(60) {
                        *l = l.replace(" A ", " # ").replace(" B ", " A ").replace(" # ", " B ");
                    }
                    if r.chance(20) {
                        *l = l.replace("at-least 0", "at-least 1");
                    }
                }
            }
        }
        if n > 0 {
            for _ in 0..r.range(0, 2) {
                spoil(&mut c, &mut r);
            }
        }
        let new = c.text();
        if new == text {
            continue;
        }
        fs::write(a.dir.join("m.cert"), &new).unwrap();
        let reply = a.run(&["verify", "m.cert", "g.bou", "--json"]);
        if reply.code == Some(101) || reply.code.is_none() {
            return Some(Difference {
                kind: "verify: breaks on a spoilt certificate".into(),
                commands: vec![reply.command],
                detail: format!("{}\n{new}", reply.err),
            });
        }
        let accepted = reply.code == Some(0);
        let falsehood = t.is_false(c.claim());
        stats.add(format!(
            "  mutants of {name}: {}",
            match (accepted, c.claim() == cert.claim()) {
                (false, _) => "refused",
                (true, true) => "accepted, same claim",
                (true, false) => "accepted, another claim",
            }
        ));
        stats.add("mutants");
        if accepted && falsehood == Some(true) {
            return Some(Difference {
                kind: format!("verify {name}: a spoilt certificate of a falsehood is accepted"),
                commands: vec![reply.command],
                detail: new,
            });
        }
    }
    None
}
