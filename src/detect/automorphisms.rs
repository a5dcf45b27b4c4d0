//! Automorphisms of coloured directed graphs, by colour refinement and individualization (Brendan McKay 1981).
//!
//! Cost: each refinement is a few rounds over all arcs; there are about (length of the base) x (size of its cells)
//! refinements. Invariant: every returned permutation has been checked arc by arc, so a collision of the hashed
//! colours can lose symmetries but never produce a false one.
//!
//! A library of the nauty family would do the same; those for Rust are dense (a bit for each pair of vertices, whereas
//! these graphs have tens of thousands of vertices) or C, and their results depend on a random generator of their own.
//! This implementation returns the same generators on every machine.

use rustc_hash::FxHashMap;

use bouton_base::cancel;

#[derive(Clone, Debug, Default)]
pub(super) struct ColoredGraph {
    colors: Vec<u64>,
    out: Vec<Vec<u32>>,
    into: Vec<Vec<u32>>,
}

/// A permutation of the vertices, as the image of each.
pub(super) type Permutation = Vec<u32>;

/// The result of a search.
pub(super) struct Automorphisms {
    /// The generators of the group, or of the subgroup that was found.
    pub generators: Vec<Permutation>,
    /// The order of the generated group; `None` if it exceeds `u128`.
    pub order: Option<u128>,
    /// True if this is the whole group; false if the search was cut short.
    pub complete: bool,
}

impl ColoredGraph {
    pub fn vertex(&mut self, color: u64) -> u32 {
        self.colors.push(mix(color));
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        (self.colors.len() - 1) as u32
    }

    pub fn arc(&mut self, from: u32, to: u32) {
        self.out[from as usize].push(to);
        self.into[to as usize].push(from);
    }

    /// Computes the automorphisms, with at most this many refinement rounds over all arcs.
    pub fn automorphisms(mut self, rounds: u64) -> Automorphisms {
        for list in self.out.iter_mut().chain(&mut self.into) {
            list.sort_unstable();
        }
        let mut search = AutomorphismSearch { graph: &self, rounds };
        search.run()
    }

    pub fn len(&self) -> usize {
        self.colors.len()
    }

    fn is_automorphism(&self, image: &[u32]) -> bool {
        (0..self.len()).all(|v| {
            let to = image[v] as usize;
            let mut out: Vec<u32> = self.out[v].iter().map(|&w| image[w as usize]).collect();
            out.sort_unstable();
            self.colors[v] == self.colors[to] && out == self.out[to]
        })
    }
}

/// A refined colouring, with invariants that do not depend on the numbering of the vertices.
#[derive(Clone)]
struct Coloring {
    colors: Vec<u64>,
    /// A hash of the multiset of colours.
    shape: u64,
    /// The colour of the target cell: the smallest one with several vertices, ties broken by colour. `None` for a
    /// discrete colouring.
    target: Option<u64>,
}

struct AutomorphismSearch<'g> {
    graph: &'g ColoredGraph,
    rounds: u64,
}

impl AutomorphismSearch<'_> {
    fn run(&mut self) -> Automorphisms {
        let mut found = Automorphisms { generators: Vec::new(), order: Some(1), complete: true };
        // The path to the first discrete colouring; its individualized vertices are the base.
        let Some(first) = self.refine(self.graph.colors.clone()) else {
            return Automorphisms { complete: false, ..found };
        };
        let mut path = vec![first];
        let mut base: Vec<u32> = Vec::new();
        while let Some(target) = path[path.len() - 1].target {
            let last = &path[path.len() - 1];
            let Some(vertex) = last.colors.iter().position(|&color| color == target) else { break };
            let Some(next) = self.individualise(last, vertex as u32) else {
                return Automorphisms { complete: false, ..found };
            };
            base.push(vertex as u32);
            path.push(next);
        }
        for level in (0..base.len()).rev() {
            let above = path[level].clone();
            let cell: Vec<u32> = (0..self.graph.len() as u32)
                .filter(|&v| above.colors[v as usize] == above.target.unwrap_or_default())
                .collect();
            // All generators so far fix the base above this level.
            let mut orbit = orbit_of(base[level], &found.generators);
            let mut tried: Vec<u32> = Vec::new();
            for &candidate in &cell {
                if orbit.contains(&candidate)
                    || tried.iter().any(|&t| orbit_of(t, &found.generators).contains(&candidate))
                {
                    continue;
                }
                match self.extend(
                    &above,
                    candidate,
                    &path[level + 1..],
                    &base[level + 1..],
                    &path[path.len() - 1],
                ) {
                    Extension::Automorphism(permutation) => {
                        found.generators.push(permutation);
                        orbit = orbit_of(base[level], &found.generators);
                    }
                    Extension::Impossible => tried.push(candidate),
                    Extension::LimitReached => {
                        found.complete = false;
                        // The contribution of the levels above is unknown; the generators so far generate a subgroup.
                        found.order = found.order.and_then(|order| order.checked_mul(orbit.len() as u128));
                        return found;
                    }
                }
            }
            found.order = found.order.and_then(|order| order.checked_mul(orbit.len() as u128));
        }
        found
    }

    /// Searches for an automorphism that maps the base point at this level to the candidate and fixes the base above.
    fn extend(
        &mut self,
        above: &Coloring,
        candidate: u32,
        path: &[Coloring],
        base: &[u32],
        discrete: &Coloring,
    ) -> Extension {
        let Some(here) = self.individualise(above, candidate) else { return Extension::LimitReached };
        let Some((next, rest)) = path.split_first() else { return Extension::Impossible };
        if here.shape != next.shape || here.target != next.target {
            return Extension::Impossible;
        }
        let Some(target) = here.target else {
            let by_color: FxHashMap<u64, u32> =
                here.colors.iter().enumerate().map(|(v, &color)| (color, v as u32)).collect();
            let image: Option<Permutation> =
                discrete.colors.iter().map(|color| by_color.get(color).copied()).collect();
            return match image {
                Some(image) if self.graph.is_automorphism(&image) => Extension::Automorphism(image),
                _ => Extension::Impossible,
            };
        };
        for vertex in 0..self.graph.len() as u32 {
            if here.colors[vertex as usize] != target {
                continue;
            }
            match self.extend(&here, vertex, rest, base.get(1..).unwrap_or_default(), discrete) {
                Extension::Impossible => {}
                found => return found,
            }
        }
        Extension::Impossible
    }

    fn individualise(&mut self, coloring: &Coloring, vertex: u32) -> Option<Coloring> {
        let mut colors = coloring.colors.clone();
        colors[vertex as usize] = mix(colors[vertex as usize] ^ 0x5bd1_e995_9e37_79b9);
        self.refine(colors)
    }

    /// Refines the colouring by the colours of neighbours until the number of colours is stable.
    fn refine(&mut self, mut colors: Vec<u64>) -> Option<Coloring> {
        let mut cells = distinct(&colors);
        loop {
            self.rounds = self.rounds.checked_sub(1)?;
            let around = |list: &[u32], colors: &[u64], salt: u64| {
                list.iter().fold(0u64, |sum, &v| sum.wrapping_add(mix(colors[v as usize] ^ salt)))
            };
            let next: Vec<u64> = (0..self.graph.len())
                .map(|v| {
                    cancel::step();
                    let out = around(&self.graph.out[v], &colors, 0x9ae1_6a3b_2f90_404f);
                    let into = around(&self.graph.into[v], &colors, 0xc3a5_c85c_97cb_3127);
                    mix(colors[v] ^ mix(out).rotate_left(17) ^ mix(into ^ 0xb492_b66f_be98_f273))
                })
                .collect();
            let now = distinct(&next);
            colors = next;
            if now == cells {
                break;
            }
            cells = now;
        }
        let mut sizes: FxHashMap<u64, u32> = FxHashMap::default();
        colors.iter().for_each(|&color| *sizes.entry(color).or_default() += 1);
        let shape = colors.iter().fold(0u64, |sum, &color| sum.wrapping_add(mix(color)));
        let target = sizes.iter().filter(|(_, size)| **size > 1).map(|(&color, &size)| (size, color)).min();
        Some(Coloring { colors, shape, target: target.map(|(_, color)| color) })
    }
}

enum Extension {
    Automorphism(Permutation),
    Impossible,
    /// The round limit is reached.
    LimitReached,
}

fn orbit_of(vertex: u32, generators: &[Permutation]) -> Vec<u32> {
    let mut orbit = vec![vertex];
    let mut at = 0;
    while at < orbit.len() {
        for generator in generators {
            let image = generator[orbit[at] as usize];
            if !orbit.contains(&image) {
                orbit.push(image);
            }
        }
        at += 1;
    }
    orbit
}

fn distinct(colors: &[u64]) -> usize {
    let mut sorted = colors.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// A bijection that spreads its argument over all bits (the finaliser of MurmurHash3, Austin Appleby 2011).
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(vertices: usize, arcs: &[(u32, u32)]) -> u128 {
        let mut graph = ColoredGraph::default();
        (0..vertices).for_each(|_| {
            graph.vertex(0);
        });
        arcs.iter().for_each(|&(from, to)| graph.arc(from, to));
        let found = graph.automorphisms(100_000);
        assert!(found.complete);
        found.order.expect("small")
    }

    #[test]
    fn groups_of_known_graphs() {
        assert_eq!(order(5, &[]), 120);
        let cycle: Vec<(u32, u32)> = (0..7).map(|i| (i, (i + 1) % 7)).collect();
        assert_eq!(order(7, &cycle), 7, "a directed cycle turns");
        let both: Vec<(u32, u32)> = cycle.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        assert_eq!(order(7, &both), 14, "and is turned over");
        // The Petersen graph: pairs out of five elements, adjacent if disjoint.
        let pairs: Vec<(u32, u32)> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
        let apart = |(a, b): (u32, u32), (c, d): (u32, u32)| a != c && a != d && b != c && b != d;
        let arcs: Vec<(u32, u32)> = (0..10u32)
            .flat_map(|i| (0..10u32).map(move |j| (i, j)))
            .filter(|&(i, j)| apart(pairs[i as usize], pairs[j as usize]))
            .collect();
        assert_eq!(order(10, &arcs), 120);
        // A tree whose two branches differ.
        assert_eq!(order(4, &[(0, 1), (0, 2), (2, 3)]), 1);
    }
}
