//! The names that a file declares, as far as the forms of terms depend on them, and the variables of an item.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{BoardForm, Expr, ExprKind, Item, ItemKind, Type, TypeKind};
use crate::visit_mut::TermVisitor;

/// The declarations of a file, as far as the forms of terms depend on them.
#[derive(Default)]
pub(super) struct Declared {
    /// The fields, constants and parameters without keys, each with its word and type.
    pub(super) values: BTreeMap<String, (&'static str, Option<Type>)>,
    /// The names that are lists.
    pub(super) lists: BTreeSet<String>,
    /// The names of types and sets.
    pub(super) sets: BTreeSet<String>,
    /// The fields with one key whose type has a name, each with that name.
    pub(super) key_types: BTreeMap<String, String>,
    /// The parts of the records, and the parameters of the definitions.
    pub(super) parts: BTreeMap<String, Vec<String>>,
    /// The names of the definitions with parameters.
    pub(super) definitions: BTreeSet<String>,
    /// The names of the parts of records.
    pub(super) part_names: BTreeSet<String>,
    /// The edges of graphs by their two ends, each with its name.
    pub(super) edges: BTreeMap<(String, String), String>,
    /// The members of the enumerations, by the name of their type; the players are those of `Player`.
    pub(super) members: BTreeMap<String, Vec<String>>,
    /// The boards whose cells have a column and a row.
    pub(super) flat_boards: BTreeSet<String>,
    /// Every other name.
    pub(super) others: BTreeSet<String>,
}

impl Declared {
    pub(super) fn of(items: &[Item]) -> Self {
        let mut declared = Declared::default();
        items.iter().for_each(|item| declared.add(&item.kind));
        declared
    }

    fn add(&mut self, item: &ItemKind) {
        match item {
            ItemKind::Param { name, ty, .. } => self.add_value(&name.text, "a parameter", Some(ty)),
            ItemKind::Const { name, keys, ty, value } if keys.is_empty() => {
                self.add_value(&name.text, "a constant", ty.as_ref());
                match &*value.bare().kind {
                    ExprKind::List(_) => self.lists.insert(name.text.clone()),
                    kind if is_set(kind) => self.sets.insert(name.text.clone()),
                    _ => false,
                };
            }
            ItemKind::Players(names) => {
                let names = names.iter().map(|name| name.text.clone()).collect();
                self.members.insert("Player".to_owned(), names);
                self.sets.insert("Player".to_owned());
            }
            ItemKind::Enum { name, members } => {
                let members = members.iter().map(|member| member.text.clone()).collect();
                self.members.insert(name.text.clone(), members);
                self.sets.insert(name.text.clone());
            }
            ItemKind::Record { name, parts } => {
                let parts: Vec<String> = parts.iter().map(|part| part.name.text.clone()).collect();
                self.part_names.extend(parts.iter().cloned());
                self.parts.insert(name.text.clone(), parts);
            }
            ItemKind::TypeAlias { name, .. } => {
                self.sets.insert(name.text.clone());
            }
            ItemKind::Board { name, form, .. } => {
                self.sets.insert(name.text.clone());
                self.add_board(&name.text, form);
            }
            ItemKind::State(fields) => {
                for field in fields {
                    match &field.keys[..] {
                        [] => self.add_value(&field.name.text, "a field", Some(&field.ty)),
                        [key] => {
                            if let TypeKind::Expr(set) = &key.ty.kind
                                && let Some(set) = set.as_name()
                            {
                                self.key_types.insert(field.name.text.clone(), set.to_owned());
                            }
                            self.others.insert(field.name.text.clone());
                        }
                        _ => {
                            self.others.insert(field.name.text.clone());
                        }
                    }
                }
            }
            ItemKind::Def { name, formals: Some(formals), .. }
            | ItemKind::Inductive { name, formals, .. } => {
                let formals = formals.iter().map(|formal| formal.name.text.clone()).collect();
                self.definitions.insert(name.text.clone());
                self.parts.insert(name.text.clone(), formals);
            }
            ItemKind::Move(item) => {
                let params = item.params.iter().map(|param| param.name.text.clone()).collect();
                self.parts.insert(item.name.text.clone(), params);
            }
            ItemKind::Const { name, .. } | ItemKind::Def { name, .. } => {
                self.others.insert(name.text.clone());
            }
            _ => {}
        }
    }

    fn add_value(&mut self, name: &str, word: &'static str, ty: Option<&Type>) {
        match ty.map(|ty| &ty.kind) {
            Some(TypeKind::List(_)) => self.lists.insert(name.to_owned()),
            Some(TypeKind::Set(_)) => self.sets.insert(name.to_owned()),
            _ => false,
        };
        self.values.insert(name.to_owned(), (word, ty.cloned()));
    }

    fn add_board(&mut self, name: &str, form: &BoardForm) {
        let lines = match form {
            BoardForm::Expr(form) => {
                let is_flat = matches!(&*form.kind, ExprKind::Call(form, _)
                    if matches!(form.as_name(), Some("grid" | "torus" | "hex")));
                if is_flat {
                    self.flat_boards.insert(name.to_owned());
                }
                return;
            }
            BoardForm::Graph(lines) => lines,
        };
        let mut points: Vec<&str> = Vec::new();
        for line in lines {
            let names = [&line.first].into_iter().chain(line.rest.iter().map(|(_, name)| name));
            for name in names {
                if !points.contains(&name.text.as_str()) {
                    points.push(&name.text);
                }
            }
        }
        let rank = |name: &str| points.iter().position(|point| *point == name);
        for line in lines {
            let mut last = &line.first.text;
            for (is_one_way, next) in &line.rest {
                let next = &next.text;
                let (low, high) = if rank(last) < rank(next) { (last, next) } else { (next, last) };
                if !is_one_way {
                    let name = format!("{low}_{high}");
                    self.edges.insert((last.clone(), next.clone()), name.clone());
                    self.edges.insert((next.clone(), last.clone()), name);
                }
                last = next;
            }
        }
    }

    /// Returns true if a declaration of the file has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
            || self.parts.contains_key(name)
            || self.sets.contains(name)
            || self.others.contains(name)
            || self.members.values().any(|members| members.iter().any(|member| member == name))
    }
}

/// Returns true for a term that is a set, whatever it is made of.
pub(super) fn is_set(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Set(_) | ExprKind::Filter(_) | ExprKind::Comprehension(..) | ExprKind::Range(..))
}

/// The variables of an item.
#[derive(Default)]
pub(super) struct Variables {
    /// Each variable with the name of its set, if that has one.
    pub(super) sets: BTreeMap<String, Option<String>>,
    /// True if the item speaks of edges.
    pub(super) has_edges: bool,
}

impl TermVisitor for Variables {
    fn variable(&mut self, name: &str, set: Option<&Expr>) {
        let set = set.and_then(Expr::as_name).map(str::to_owned);
        self.sets.insert(name.to_owned(), set);
    }

    fn term(&mut self, term: &mut Expr) {
        self.has_edges |= match &*term.kind {
            ExprKind::Name(name) => name == "edges",
            ExprKind::Part(_, part) => matches!(part.text.as_str(), "edges" | "ends"),
            _ => false,
        };
    }
}
