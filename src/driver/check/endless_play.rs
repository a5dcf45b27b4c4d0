//! Finds endless play: a part of the graph of positions in which the players can stay forever, whatever chance does.
//!
//! These are the end components of a Markov decision process (de Alfaro 1997), found by the usual rounds: compute the
//! strongly connected components, drop the chance positions that may leave theirs, repeat. Without chance one round
//! suffices, and any cycle is an end component. Cost: rounds times edges.

/// The graph of the visited positions, in their order; edges may lead to positions beyond them.
#[derive(Clone, Debug, Default)]
pub struct PlayGraph {
    starts: Vec<usize>,
    ends: Vec<u32>,
    chance: Vec<bool>,
}

impl PlayGraph {
    /// Adds the next position with its successors; `chance` is true if chance moves in it.
    pub fn push(&mut self, next: &[u32], chance: bool) {
        self.starts.push(self.ends.len());
        let from = self.ends.len();
        self.ends.extend_from_slice(next);
        self.ends[from..].sort_unstable();
        self.chance.push(chance);
    }

    /// The memory in bytes.
    pub fn held_bytes(&self) -> u64 {
        (self.starts.capacity() * 8 + self.ends.capacity() * 4 + self.chance.capacity()) as u64
    }

    fn len(&self) -> usize {
        self.chance.len()
    }

    fn next(&self, v: usize) -> &[u32] {
        let end = self.starts.get(v + 1).copied().unwrap_or(self.ends.len());
        &self.ends[self.starts[v]..end]
    }

    /// Returns true if some visited position leads back to itself, whoever moves.
    pub fn has_cycle(&self) -> bool {
        let count = self.len();
        let inner = |v: usize| self.next(v).iter().map(|&w| w as usize).filter(move |&w| w < count);
        let mut entries = vec![0u32; count];
        (0..count).flat_map(inner).for_each(|w| entries[w] += 1);
        let mut ready: Vec<usize> = (0..count).filter(|&v| entries[v] == 0).collect();
        let mut removed = 0;
        while let Some(v) = ready.pop() {
            removed += 1;
            for w in inner(v) {
                entries[w] -= 1;
                if entries[w] == 0 {
                    ready.push(w);
                }
            }
        }
        removed < count
    }

    /// Returns a shortest loop that play can follow forever, from the position nearest to the start; `None` if there is
    /// none among the visited positions.
    pub fn shortest_endless_loop(&self) -> Option<Vec<u32>> {
        let count = self.len();
        let mut alive = vec![true; count];
        loop {
            let components = self.components(&alive);
            let stays = |v: usize, w: usize| w < count && alive[w] && components[w] == components[v];
            let leaves = |v: usize| self.chance[v] && self.next(v).iter().any(|&w| !stays(v, w as usize));
            let dropped: Vec<usize> = (0..count).filter(|&v| alive[v] && leaves(v)).collect();
            if dropped.is_empty() {
                return self.shortest_loop(&alive, &components);
            }
            for v in dropped {
                alive[v] = false;
            }
        }
    }

    /// The edges from `v` that stay within its component.
    fn inner<'a>(
        &'a self,
        alive: &'a [bool],
        components: &'a [u32],
        v: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let same = move |w: &usize| *w < alive.len() && alive[*w] && components[*w] == components[v];
        self.next(v).iter().map(|&w| w as usize).filter(same)
    }

    /// The shortest path from the first position that lies on a loop back to itself.
    fn shortest_loop(&self, alive: &[bool], components: &[u32]) -> Option<Vec<u32>> {
        let mut sizes = vec![0u32; alive.len()];
        for v in (0..alive.len()).filter(|&v| alive[v]) {
            sizes[components[v] as usize] += 1;
        }
        let on_loop = |v: usize| {
            alive[v]
                && (sizes[components[v] as usize] > 1 || self.inner(alive, components, v).any(|w| w == v))
        };
        let start = (0..alive.len()).find(|&v| on_loop(v))?;
        let mut from: Vec<Option<usize>> = vec![None; alive.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(v) = queue.pop_front() {
            for w in self.inner(alive, components, v) {
                if w == start {
                    return Some(path_back(&from, start, v));
                }
                if from[w].is_none() {
                    from[w] = Some(v);
                    queue.push_back(w);
                }
            }
        }
        None
    }

    /// The strongly connected component of each live position (Tarjan 1972), without recursion, since plays may be
    /// long.
    fn components(&self, alive: &[bool]) -> Vec<u32> {
        let count = alive.len();
        let mut search = TarjanSearch {
            order: vec![UNVISITED; count],
            low: vec![UNVISITED; count],
            component: vec![UNVISITED; count],
            open: Vec::new(),
            time: 0,
            found: 0,
        };
        for root in (0..count).filter(|&v| alive[v]) {
            if search.order[root] == UNVISITED {
                search.from(self, alive, root);
            }
        }
        search.component
    }
}

/// The path from `start` to `end`.
fn path_back(from: &[Option<usize>], start: usize, end: usize) -> Vec<u32> {
    let mut path = vec![end as u32];
    let mut at = end;
    while let Some(before) = from[at].filter(|_| at != start) {
        path.push(before as u32);
        at = before;
    }
    path.reverse();
    path
}

const UNVISITED: u32 = u32::MAX;

struct TarjanSearch {
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    open: Vec<usize>,
    time: u32,
    found: u32,
}

impl TarjanSearch {
    fn from(&mut self, graph: &PlayGraph, alive: &[bool], root: usize) {
        let mut calls = vec![(root, 0)];
        while let Some((v, next)) = calls.pop() {
            if next == 0 {
                self.order[v] = self.time;
                self.low[v] = self.time;
                self.time += 1;
                self.open.push(v);
            }
            let Some(w) = graph.next(v).get(next).map(|&w| w as usize) else {
                self.close(v);
                if let Some(&(parent, _)) = calls.last() {
                    self.low[parent] = self.low[parent].min(self.low[v]);
                }
                continue;
            };
            calls.push((v, next + 1));
            if w >= alive.len() || !alive[w] {
                continue;
            }
            if self.order[w] == UNVISITED {
                calls.push((w, 0));
            } else if self.component[w] == UNVISITED {
                self.low[v] = self.low[v].min(self.order[w]);
            }
        }
    }

    /// Completes a component if `v` is its root: it consists of the vertices opened since `v`.
    fn close(&mut self, v: usize) {
        if self.low[v] != self.order[v] {
            return;
        }
        while let Some(w) = self.open.pop() {
            self.component[w] = self.found;
            if w == v {
                break;
            }
        }
        self.found += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::PlayGraph;

    fn graph(edges: &[(&[u32], bool)]) -> PlayGraph {
        let mut graph = PlayGraph::default();
        for (next, chance) in edges {
            graph.push(next, *chance);
        }
        graph
    }

    #[test]
    fn the_nearest_loop_is_found() {
        let looped = graph(&[(&[1, 2], false), (&[3], false), (&[], false), (&[4], false), (&[3, 2], false)]);
        assert_eq!(looped.shortest_endless_loop(), Some(vec![3, 4]));
        assert_eq!(graph(&[(&[1], false), (&[2], false), (&[9], false)]).shortest_endless_loop(), None);
        assert_eq!(graph(&[(&[0], false)]).shortest_endless_loop(), Some(vec![0]));
    }

    #[test]
    fn chance_that_may_leave_ends_a_loop() {
        let may_leave = graph(&[(&[1], false), (&[0, 2], true), (&[], false)]);
        assert_eq!(may_leave.shortest_endless_loop(), None);
        let stays = graph(&[(&[1, 2], false), (&[0, 0], true), (&[], false)]);
        assert_eq!(stays.shortest_endless_loop(), Some(vec![0, 1]));
    }
}
