//! Inductive definitions: mutually recursive definitions form one least fixpoint, which has a meaning only if none of
//! them depends on its own negation (stratification).

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::analyzer::Analyzer;
use bouton_base::id::Id;
use bouton_rules::DefId;
use bouton_rules::uses::{DefUse, Polarity, def_uses};
use bouton_syntax::diag::{Code, Diagnostic};

impl<'a> Analyzer<'a> {
    /// Finds the groups and reports cycles through a negation (E0303) or a count (E0304).
    pub fn inductive_groups(&mut self) {
        let uses = def_uses(&self.rules);
        let mut graph: DiGraph<DefId, usize> = DiGraph::new();
        for id in self.def_ids() {
            graph.add_node(id);
        }
        let node = |id: DefId| NodeIndex::new(id.index());
        for (index, used) in uses.iter().enumerate() {
            graph.add_edge(node(used.from), node(used.to), index);
        }
        let mut next = 0;
        for component in tarjan_scc(&graph) {
            let members: Vec<DefId> = component.iter().map(|n| graph[*n]).collect();
            let inductive = members.iter().any(|d| self.rules.defs[*d].group.is_some());
            if !inductive {
                continue;
            }
            for &member in &members {
                self.rules.defs[member].group = Some(next);
            }
            next += 1;
            self.stratified(&members, &uses);
            let is_inside = |u: &&DefUse| members.contains(&u.from) && members.contains(&u.to);
            if uses.iter().filter(is_inside).all(|u| u.sign == Polarity::Positive) {
                let inside: Vec<_> = uses.iter().filter(is_inside).map(|u| (u.from, u.span)).collect();
                self.without_a_base(&members, &inside);
            }
        }
        self.share_me();
    }

    /// Checks that a group is monotone: all uses within it are positive.
    fn stratified(&mut self, members: &[DefId], uses: &[DefUse]) {
        let inside = |u: &&DefUse| members.contains(&u.from) && members.contains(&u.to);
        let Some(bad) = uses.iter().filter(inside).find(|u| u.sign != Polarity::Positive) else { return };
        let round = shortest_cycle(bad, members, uses);
        let name = |id: DefId| self.rules.defs[id].name.clone();
        let names: Vec<String> = round.iter().map(|u| format!("`{}`", name(u.from))).collect();
        let (code, title) = match bad.sign {
            Polarity::Counted => (
                Code::E0304,
                format!("`{}` is counted while it is being defined, so it has no meaning", name(bad.to)),
            ),
            _ => (
                Code::E0303,
                format!("`{}` is defined by its own negation, so it has no meaning", name(bad.from)),
            ),
        };
        let verb = if bad.sign == Polarity::Counted { "counts" } else { "needs that it does NOT hold:" };
        let mut found =
            Diagnostic::new(code, title, bad.span, format!("`{}` {verb} `{}`", name(bad.from), name(bad.to)));
        for step in round.iter().skip(1) {
            found = found.label(step.span, format!("and `{}` needs `{}`", name(step.from), name(step.to)));
        }
        if round.len() > 1 {
            found = found.note(format!("the round: {}, and again", names.join(", ")));
        }
        self.report(found.help(
            "a definition may use itself, but not under `not`, `no`, `count`, or on the left of `implies`; \
             define what is negated from the state alone",
        ));
    }

    /// Makes all definitions of a group depend on `me` if one does.
    fn share_me(&mut self) {
        for id in self.def_ids() {
            let Some(group) = self.rules.defs[id].group else { continue };
            let same = |d: &&bouton_rules::Def| d.group == Some(group);
            let uses_me = self.rules.defs.iter().filter(same).any(|d| d.uses_me);
            self.rules.defs[id].uses_me = uses_me;
        }
    }
}

/// The shortest cycle of uses within the group that begins with `bad`.
fn shortest_cycle<'u>(bad: &'u DefUse, members: &[DefId], uses: &'u [DefUse]) -> Vec<&'u DefUse> {
    let mut paths: Vec<Vec<&DefUse>> = vec![vec![bad]];
    let mut seen = vec![bad.to];
    while let Some(path) = (!paths.is_empty()).then(|| paths.remove(0)) {
        let end = path.last().map_or(bad.to, |u| u.to);
        if end == bad.from {
            return path;
        }
        for next in uses.iter().filter(|u| u.from == end && members.contains(&u.to)) {
            if next.to == bad.from || !seen.contains(&next.to) {
                seen.push(next.to);
                paths.push(path.iter().copied().chain([next]).collect());
            }
        }
    }
    vec![bad]
}
