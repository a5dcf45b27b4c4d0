//! Component types: every component reachable from a position, each type once, with the results of the moves on it. It
//! is the position as a sum, for any theory of sums.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::NotApplicable;
use super::decomposer::{Component, Decomposer};
use bouton_base::limits::Limits;

/// A component type.
#[derive(Clone, Debug)]
pub struct ComponentType {
    /// The first component found of this type.
    pub component: Component,
    /// The results of its moves: types by number, sorted, with multiplicity. Each option once, in order.
    pub options: Vec<Vec<u32>>,
}

/// The component types reachable from a position.
#[derive(Clone, Debug)]
pub struct ComponentTypes {
    /// The types in postorder: each after its options.
    pub list: Vec<ComponentType>,
    /// The numbers of the position's own types, in the order of their fluents.
    pub start: Vec<u32>,
    known: FxHashMap<Rc<[u32]>, u32>,
}

/// A component on the search path, with options to visit.
struct PendingComponent {
    key: Rc<[u32]>,
    component: Component,
    options: Vec<Vec<Component>>,
    /// The index of the next option and of its next component; all earlier ones are known.
    at: (usize, usize),
}

impl ComponentTypes {
    /// Returns the component types of a position, at most `most`; depth first, in the order of the moves.
    pub fn of(
        apart: &mut Decomposer<'_>,
        position: &[u8],
        most: usize,
        limits: &Limits,
    ) -> Result<ComponentTypes, NotApplicable> {
        let start = apart.components(position)?;
        let mut types = ComponentTypes { list: Vec::new(), start: Vec::new(), known: FxHashMap::default() };
        for component in &start {
            let number = match types.known.get(&component.key()) {
                Some(&known) => known,
                None => types.add(apart, component.clone(), most, limits)?,
            };
            types.start.push(number);
        }
        Ok(types)
    }

    fn add(
        &mut self,
        apart: &mut Decomposer<'_>,
        component: Component,
        most: usize,
        limits: &Limits,
    ) -> Result<u32, NotApplicable> {
        let mut open: FxHashSet<Rc<[u32]>> = FxHashSet::default();
        let mut path = vec![PendingComponent::new(apart, component)?];
        open.insert(path[0].key.clone());
        while let Some(last) = path.last_mut() {
            if let Some(hit) = limits.check() {
                return Err(NotApplicable::Limit(hit));
            }
            if let Some(next) = last.unknown(&self.known) {
                let next = PendingComponent::new(apart, next)?;
                if !open.insert(next.key.clone()) {
                    return Err(NotApplicable::Reason("positions of a component come back".into()));
                }
                if path.len() + self.list.len() >= most {
                    return Err(NotApplicable::Reason(format!(
                        "there are more than {most} different components"
                    )));
                }
                path.push(next);
                continue;
            }
            let Some(done) = path.pop() else { break };
            let number = |component: &Component| self.known[&component.key()];
            let option = |of: &Vec<Component>| {
                let mut types: Vec<u32> = of.iter().map(number).collect();
                types.sort_unstable();
                types
            };
            let mut options: Vec<Vec<u32>> = done.options.iter().map(option).collect();
            options.sort_unstable();
            options.dedup();
            open.remove(&done.key);
            self.known.insert(done.key, self.list.len() as u32);
            self.list.push(ComponentType { component: done.component, options });
        }
        Ok(self.list.len() as u32 - 1)
    }

    /// Returns the types of the components of another position; `None` if one has an unknown type.
    pub fn in_position(&self, apart: &mut Decomposer<'_>, position: &[u8]) -> Option<Vec<u32>> {
        let components = apart.components(position).ok()?;
        components.iter().map(|component| self.known.get(&component.key()).copied()).collect()
    }

    /// Returns true if the position, or one reachable from it, has several components.
    pub fn is_decomposable(&self) -> bool {
        self.start.len() > 1 || self.list.iter().any(|of| of.options.iter().any(|option| option.len() > 1))
    }
}

impl PendingComponent {
    fn new(apart: &mut Decomposer<'_>, component: Component) -> Result<PendingComponent, NotApplicable> {
        let options = apart.options(&component)?;
        Ok(PendingComponent { key: component.key(), component, options, at: (0, 0) })
    }

    /// Returns the next component of an option with an unknown type.
    fn unknown(&mut self, known: &FxHashMap<Rc<[u32]>, u32>) -> Option<Component> {
        while let Some(option) = self.options.get(self.at.0) {
            match option.get(self.at.1) {
                None => self.at = (self.at.0 + 1, 0),
                Some(component) if known.contains_key(&component.key()) => self.at.1 += 1,
                Some(component) => return Some(component.clone()),
            }
        }
        None
    }
}
