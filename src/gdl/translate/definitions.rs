//! Definitions of derived sentences: one for each family whose sentences are alike, one for each other sentence.
//!
//! Families that depend on themselves, such as lines of sight, are computed in stages: after as many stages as the
//! longest chain of sentences has, all of them are known, since each stage reads the one before.

use bouton_base::cancel;
use bouton_base::source::Span;
use bouton_rules::builder::truth;
use bouton_rules::{Type, Var, Vars};
use bouton_syntax::diag::{Code, Diagnostic};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cases::{Cases, Origin};
use super::{Derived, Translator, place};
use crate::atom_map::AtomMap;
use crate::ground::AtomId;
use crate::terms::Symbol;

/// A sentence, or a family of sentences, that becomes a definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Unit {
    Atom(AtomId),
    Family(u32),
}

/// The maximal number of stages of families that depend on themselves.
const MAX_STAGES: usize = 32;

/// The dependencies between sentences.
struct Dependencies {
    /// The sentences that become definitions, those that others need first.
    order: Vec<AtomId>,
    /// The place of each sentence in this order.
    places: AtomMap<usize>,
    /// The sentences that depend on themselves.
    circular: FxHashSet<AtomId>,
}

/// Definitions that depend on each other.
struct Component {
    units: Vec<Unit>,
    /// The number of stages after which their sentences are known; `None` if they do not depend on each other.
    stages: Option<usize>,
}

/// A stage of definitions: its number from 0, and the number of stages.
#[derive(Clone, Copy)]
struct Stage {
    number: usize,
    of: usize,
}

impl Translator<'_> {
    /// Makes the definitions of derived sentences, those that others need first.
    pub(super) fn definitions(&mut self) -> Result<(), Box<Diagnostic>> {
        let dependencies = self.dependencies()?;
        if self.stores_choices {
            self.choice_fields();
        } else {
            self.number_moves(true);
        }
        // Other sentences depend on the move: each block of moves has definitions of its own for them.
        let is_plain = |atom: &AtomId| self.stores_choices || !self.changing.contains(*atom);
        let atoms: Vec<AtomId> = dependencies.order.iter().copied().filter(is_plain).collect();
        let components = self.components(&atoms, &dependencies);
        let mut members: FxHashMap<Unit, Vec<AtomId>> = FxHashMap::default();
        for &atom in &atoms {
            members.entry(self.unit(atom)).or_default().push(atom);
        }
        let mut groups = 0;
        for component in components {
            let all = component.units.iter().flat_map(|unit| &members[unit]);
            if all.clone().any(|atom| dependencies.circular.contains(atom)) {
                let mut atoms: Vec<AtomId> = all.copied().collect();
                atoms.sort_unstable();
                self.inductive(&component.units, &atoms, groups)?;
                groups += 1;
                continue;
            }
            let stages = component.stages.unwrap_or(1);
            for number in 0..stages {
                let mut made = Vec::new();
                for &unit in &component.units {
                    made.push((unit, self.unit_def(unit, &members[&unit], Stage { number, of: stages })?));
                }
                for (unit, derived) in made {
                    self.define(unit, derived);
                }
            }
        }
        Ok(())
    }

    /// Finds the sentences that become definitions, and those that depend on moves.
    fn dependencies(&mut self) -> Result<Dependencies, Box<Diagnostic>> {
        let of = &self.sheet.keywords;
        let roots = [of.next, of.legal, of.terminal, of.sees];
        let mut graph: DiGraph<AtomId, ()> = DiGraph::new();
        let mut nodes: AtomMap<NodeIndex> = AtomMap::default();
        let game = self.game;
        let heads = game.heads();
        let literals = |head| game.bodies(head).iter().flat_map(|body| body.iter());
        let mut used: AtomMap<()> = AtomMap::default();
        for literal in heads.iter().flat_map(|&head| literals(head)) {
            used.insert(literal.atom(), ());
        }
        for &head in &heads {
            if used.contains(head) || !roots.contains(&game.facts.relation(head)) {
                nodes.insert(head, graph.add_node(head));
            }
        }
        // The last head with an edge to a sentence.
        let mut edges: AtomMap<AtomId> = AtomMap::default();
        for &head in &heads {
            let Some(&from) = nodes.get(head) else { continue };
            for literal in literals(head) {
                if let Some(&to) = nodes.get(literal.atom())
                    && edges.insert(literal.atom(), head) != Some(head)
                {
                    graph.add_edge(from, to, ());
                }
            }
        }
        let (mut order, mut circular) = (Vec::new(), FxHashSet::default());
        for component in kosaraju_scc(&graph) {
            let mut members: Vec<AtomId> = component.iter().map(|&node| graph[node]).collect();
            members.sort_unstable();
            let is_circular = members.len() > 1 || graph.contains_edge(component[0], component[0]);
            let changes = members.iter().any(|&atom| {
                self.game.bodies(atom).iter().flat_map(|body| body.iter()).any(|literal| {
                    self.moves.contains(literal.atom()) || self.changing.contains(literal.atom())
                })
            });
            if changes {
                let below =
                    members.iter().flat_map(|&atom| self.game.bodies(atom)).flat_map(|body| body.iter());
                let below = below.filter_map(|literal| self.changing.get(literal.atom())).max();
                let depth = below.map_or(0, |depth| depth + 1);
                members.iter().for_each(|&atom| _ = self.changing.insert(atom, depth));
                self.stores_choices |= is_circular;
            }
            if is_circular {
                self.stratified(&members)?;
                circular.extend(&members);
            }
            order.extend(members);
        }
        let places = order.iter().copied().zip(0..).collect();
        Ok(Dependencies { order, places, circular })
    }

    /// Reports sentences that depend on their own negation.
    fn stratified(&self, members: &[AtomId]) -> Result<(), Box<Diagnostic>> {
        let inside: FxHashSet<AtomId> = members.iter().copied().collect();
        for &atom in members {
            for literal in self.game.bodies(atom).iter().flat_map(|body| body.iter()) {
                if !literal.holds() && inside.contains(&literal.atom()) {
                    let relation = self.game.facts.relation(atom);
                    let negated = self.game.facts.relation(literal.atom());
                    let name = self.sheet.symbols.name(relation);
                    let title = format!("`{name}` depends on its own negation");
                    let span = self.negation_of(relation, negated);
                    let help = "define one of the sentences of the circle without the others";
                    return Err(Box::new(Diagnostic::new(Code::E0707, title, span, "").help(help)));
                }
            }
        }
        Ok(())
    }

    /// The place of a rule for a relation in which another one is negated.
    fn negation_of(&self, relation: Symbol, negated: Symbol) -> Span {
        let mut rules = self.sheet.clauses.iter().filter(|clause| clause.head.relation == relation);
        let negates = rules.find(|clause| {
            let mut found = false;
            clause.body.iter().for_each(|literal| {
                literal.each_sentence(&mut |sentence, positive| {
                    found |= !positive && sentence.relation == negated;
                });
            });
            found
        });
        negates.map_or_else(|| place(self.sheet, relation), |clause| clause.span)
    }

    fn unit(&self, atom: AtomId) -> Unit {
        match self.place(atom) {
            Some(place) => Unit::Family(place.family),
            None => Unit::Atom(atom),
        }
    }

    /// Divides sentences into definitions, those that others need first. Families that would not make the rules
    /// shorter are given up: then each of their sentences has a definition of its own.
    fn components(&mut self, atoms: &[AtomId], dependencies: &Dependencies) -> Vec<Component> {
        loop {
            cancel::step();
            while self.give_up_unlike(atoms) {}
            let mut graph: DiGraph<Unit, ()> = DiGraph::new();
            let mut nodes: FxHashMap<Unit, NodeIndex> = FxHashMap::default();
            let mut members: FxHashMap<Unit, Vec<AtomId>> = FxHashMap::default();
            for &atom in atoms {
                let unit = self.unit(atom);
                nodes.entry(unit).or_insert_with(|| graph.add_node(unit));
                members.entry(unit).or_default().push(atom);
            }
            let mut edges = FxHashSet::default();
            for &atom in atoms {
                let from = nodes[&self.unit(atom)];
                for literal in self.game.bodies(atom).iter().flat_map(|body| body.iter()) {
                    if let Some(&to) = nodes.get(&self.unit(literal.atom()))
                        && edges.insert((from, to))
                    {
                        graph.add_edge(from, to, ());
                    }
                }
            }
            let (mut found, mut given_up) = (Vec::new(), Vec::new());
            for component in kosaraju_scc(&graph) {
                let mut units: Vec<Unit> = component.iter().map(|&node| graph[node]).collect();
                units.sort_unstable();
                let recursive = units.len() > 1 || graph.contains_edge(component[0], component[0]);
                let stages = match recursive {
                    true => self.stages(&units, &members, dependencies),
                    false => Some(1),
                };
                if stages.is_none() {
                    given_up.extend(units.iter().filter_map(|unit| match unit {
                        Unit::Family(family) => Some(self.grids.families[*family as usize].relation),
                        Unit::Atom(_) => None,
                    }));
                }
                found.push(Component { units, stages });
            }
            if given_up.is_empty() {
                return found;
            }
            self.given_up.extend(given_up);
        }
    }

    /// Gives up the families of relations whose rules are not alike; returns true if there are any.
    fn give_up_unlike(&mut self, atoms: &[AtomId]) -> bool {
        let mut families: FxHashMap<u32, (Cases, usize)> = FxHashMap::default();
        for &atom in atoms {
            let Some(at) = self.place(atom) else { continue };
            let origin = Origin { grid: Some(self.grids.families[at.family as usize].grid), lane: at.lane };
            for body in self.game.bodies(atom) {
                cancel::step();
                let parts = self.parts(body, origin);
                let (cases, bodies) = families.entry(at.family).or_default();
                cases.add(parts, at.lane);
                *bodies += 1;
            }
        }
        let mut relations: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
        for (family, (cases, bodies)) in families {
            let of_relation = relations.entry(self.grids.families[family as usize].relation).or_default();
            *of_relation = (of_relation.0 + cases.len(), of_relation.1 + bodies);
        }
        let before = self.given_up.len();
        let unlike = relations.iter().filter(|(_, (cases, bodies))| cases * 2 > *bodies);
        self.given_up.extend(unlike.map(|(relation, _)| *relation));
        self.given_up.len() > before
    }

    /// The number of stages after which the sentences of units that depend on each other are known; `None` if the
    /// families among them should be given up.
    fn stages(
        &self,
        units: &[Unit],
        members: &FxHashMap<Unit, Vec<AtomId>>,
        dependencies: &Dependencies,
    ) -> Option<usize> {
        if units.iter().all(|unit| matches!(unit, Unit::Atom(_))) {
            return Some(1);
        }
        let inside: FxHashSet<AtomId> = units.iter().flat_map(|unit| &members[unit]).copied().collect();
        if inside.iter().any(|atom| dependencies.circular.contains(atom)) {
            // A least fixpoint of one family without negation.
            let negates = inside.iter().any(|&atom| {
                let literals = self.game.bodies(atom).iter().flat_map(|body| body.iter());
                literals.into_iter().any(|literal| !literal.holds() && inside.contains(&literal.atom()))
            });
            return (units.len() == 1 && !negates).then_some(1);
        }
        let mut depths: FxHashMap<AtomId, usize> = FxHashMap::default();
        let (mut deepest, mut bodies) = (0, 0);
        let mut ordered: Vec<(usize, AtomId)> =
            inside.iter().filter_map(|atom| Some((*dependencies.places.get(*atom)?, *atom))).collect();
        ordered.sort_unstable();
        for (_, atom) in ordered {
            let literals = self.game.bodies(atom).iter().flat_map(|body| body.iter());
            let below = literals.filter_map(|literal| depths.get(&literal.atom())).max();
            let depth = below.map_or(0, |depth| depth + 1);
            depths.insert(atom, depth);
            deepest = deepest.max(depth);
            bodies += self.game.bodies(atom).len();
        }
        let mut forms = 0;
        for unit in units {
            match unit {
                Unit::Atom(atom) => forms += self.game.bodies(*atom).len(),
                Unit::Family(_) => forms += self.unit_cases(&members[unit]).len(),
            }
        }
        let stages = deepest + 1;
        (stages <= MAX_STAGES && stages * forms * 2 <= bodies).then_some(stages)
    }

    /// The cases of the sentences of a family.
    fn unit_cases(&self, atoms: &[AtomId]) -> Cases {
        let mut cases = Cases::default();
        let mut atoms: Vec<(u32, AtomId)> =
            atoms.iter().filter_map(|&atom| Some((self.place(atom)?.lane, atom))).collect();
        atoms.sort_unstable();
        for (lane, atom) in atoms {
            let grid = self.place(atom).map(|place| self.grids.families[place.family as usize].grid);
            for body in self.game.bodies(atom) {
                cases.add(self.parts(body, Origin { grid, lane }), lane);
            }
        }
        cases
    }

    /// Makes a definition.
    fn unit_def(&mut self, unit: Unit, atoms: &[AtomId], stage: Stage) -> Result<Derived, Box<Diagnostic>> {
        let game = self.game;
        match unit {
            Unit::Atom(atom) => {
                if let [body] = game.bodies(atom)
                    && let [literal] = body[..]
                    && stage.of == 1
                {
                    return Ok(Derived::Alias(literal));
                }
                let body = self.disjunction(game.bodies(atom))?;
                Ok(Derived::Def(self.add_def(atom, body, None)))
            }
            Unit::Family(family) => {
                let (name, vars) = self.family_def(family, stage.number);
                let cases = self.unit_cases(atoms);
                let mut present: Vec<u32> =
                    atoms.iter().filter_map(|&atom| Some(self.place(atom)?.lane)).collect();
                present.sort_unstable();
                let body = self.cases_formula(&cases, &present, &FxHashMap::default())?;
                Ok(Derived::Def(self.truth_def(name, vars, body, None)))
            }
        }
    }

    fn define(&mut self, unit: Unit, derived: Derived) {
        match (unit, derived) {
            (Unit::Atom(atom), derived) => {
                self.derived.insert(atom, derived);
            }
            (Unit::Family(family), Derived::Def(def)) => {
                self.family_defs.insert(family, def);
            }
            (Unit::Family(_), Derived::Alias(_)) => {}
        }
    }

    /// The name and the parameter of the definition of a family.
    fn family_def(&self, family: u32, stage: usize) -> (String, Vars) {
        let of = &self.grids.families[family as usize];
        let relation = self.game.facts.relation(of.lanes[0].1);
        let mut name = format!("{} {family}", self.sheet.symbols.name(relation));
        if stage > 0 {
            name.push_str(&format!(" stage {}", stage + 1));
        }
        let mut vars = Vars::new();
        vars.push(Var { name: "k".into(), ty: Type::Int(0, i64::from(of.width) - 1) });
        (name, vars)
    }

    /// Makes definitions that depend on each other: a least fixpoint.
    fn inductive(&mut self, units: &[Unit], atoms: &[AtomId], group: u32) -> Result<(), Box<Diagnostic>> {
        let game = self.game;
        for &unit in units {
            let def = match unit {
                Unit::Atom(atom) => self.add_def(atom, truth(false), Some(group)),
                Unit::Family(family) => {
                    let (name, vars) = self.family_def(family, 0);
                    self.truth_def(name, vars, truth(false), Some(group))
                }
            };
            self.define(unit, Derived::Def(def));
        }
        for &unit in units {
            let (def, body) = match unit {
                Unit::Atom(atom) => (self.derived.get(atom).copied(), {
                    let parts: Result<Vec<_>, _> =
                        game.bodies(atom).iter().map(|body| self.plain_conjunction(body)).collect();
                    super::any_of(parts?)
                }),
                Unit::Family(family) => {
                    let cases = self.unit_cases(atoms);
                    let mut present: Vec<u32> =
                        atoms.iter().filter_map(|&atom| Some(self.place(atom)?.lane)).collect();
                    present.sort_unstable();
                    let def = self.family_defs.get(&family).map(|&def| Derived::Def(def));
                    (def, self.cases_formula(&cases, &present, &FxHashMap::default())?)
                }
            };
            if let Some(Derived::Def(def)) = def {
                self.builder.rules.defs[def].body = body;
            }
        }
        Ok(())
    }
}
