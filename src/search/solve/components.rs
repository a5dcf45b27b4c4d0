//! Strongly connected components of a graph of positions.
//!
//! Technique: depth-first search with a stack of open positions, without recursion.
//! Source: Tarjan (1972), Pearce (2016).
//! Cost: linear in moves; 12 bytes a position besides the graph.

use super::graph::GameGraph;
use super::labels::NO_LABEL;

/// The strongly connected components, each after all those that it leads to.
pub(super) struct Components {
    /// The positions by component.
    positions: Vec<u32>,
    /// The first place of each component in `positions`, and their number.
    starts: Vec<u32>,
    /// By position: its component.
    component: Vec<u32>,
    /// By position: its place in `positions`.
    places: Vec<u32>,
}

impl Components {
    pub(super) fn of(graph: &GameGraph) -> Components {
        let size = graph.len();
        let mut components = Components {
            positions: Vec::with_capacity(size),
            starts: vec![0],
            component: vec![NO_LABEL; size],
            places: vec![NO_LABEL; size],
        };
        // By position: when it was discovered, or the earliest open position that it leads to.
        let mut low = vec![NO_LABEL; size];
        let mut discovered = 0;
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, u32, u32)> = Vec::new();
        for root in 0..size as u32 {
            if low[root as usize] != NO_LABEL {
                continue;
            }
            path.push((root, 0, discovered));
            low[root as usize] = discovered;
            discovered += 1;
            open.push(root);
            while let Some(&mut (position, ref mut done, own)) = path.last_mut() {
                if let Some(&to) = graph.successors(position).get(*done as usize) {
                    *done += 1;
                    if low[to as usize] == NO_LABEL {
                        path.push((to, 0, discovered));
                        low[to as usize] = discovered;
                        discovered += 1;
                        open.push(to);
                    } else if components.component[to as usize] == NO_LABEL {
                        low[position as usize] = low[position as usize].min(low[to as usize]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, ..)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(low[position as usize]);
                }
                if low[position as usize] == own {
                    components.close(&mut open, position);
                }
            }
        }
        components
    }

    /// Makes a component of the open positions from `first` on.
    fn close(&mut self, open: &mut Vec<u32>, first: u32) {
        let number = self.starts.len() as u32 - 1;
        while let Some(position) = open.pop() {
            self.component[position as usize] = number;
            self.places[position as usize] = self.positions.len() as u32;
            self.positions.push(position);
            if position == first {
                break;
            }
        }
        self.starts.push(self.positions.len() as u32);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.positions[ends[0] as usize..ends[1] as usize])
    }

    /// Returns true if two positions are in one component.
    pub(super) fn same(&self, a: u32, b: u32) -> bool {
        self.component[a as usize] == self.component[b as usize]
    }

    /// Returns the place of `to` in the component of `from`; `None` if it is in another.
    pub(super) fn place(&self, from: u32, to: u32) -> Option<usize> {
        let start = self.starts[self.component[from as usize] as usize];
        self.same(from, to).then(|| (self.places[to as usize] - start) as usize)
    }
}
