//! Types for the terms of a sheet: places that share a variable have one type, whose values are the constants there.

use std::collections::{BTreeMap, BTreeSet};

use bouton_syntax::keywords::is_reserved;

use super::ImportError;
use crate::sheet::{Clause, Keywords, Literal, Pattern, Sentence, Sheet};
use crate::simplify::Propositions;
use crate::terms::Symbol;

/// A place of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    Role,
    /// The value of a goal.
    Goal,
    /// An argument of a relation.
    Relation(Symbol, usize),
    /// An argument of the function of a fluent or a move.
    Function(Symbol, usize),
    /// A variable of the clause with this number.
    Var(usize, u32),
}

/// A type of a Bouton text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Player,
    /// `Player?`: this constant is `none`.
    OptionalPlayer(Symbol),
    Numbers(i64, i64),
    /// An enumeration with this name.
    Enum(String),
}

/// The types of all places, and the names of all constants.
#[derive(Debug)]
pub struct Types {
    numbers: BTreeMap<Place, usize>,
    parents: Vec<usize>,
    constants: BTreeMap<usize, BTreeSet<Symbol>>,
    kinds: BTreeMap<usize, Kind>,
    values: BTreeMap<(usize, Symbol), String>,
    /// The members of each enumeration.
    pub enums: Vec<(String, Vec<String>)>,
    /// The names that are in use.
    used: BTreeSet<String>,
    /// Each written name with that of the sheet.
    pub originals: BTreeMap<String, String>,
}

/// The maximal number of constants that a message names.
const MAX_NAMED: usize = 3;

/// Names that mean something in every text.
const PREDEFINED: &[&str] = &[
    "me",
    "opponent",
    "mover",
    "other",
    "stuck",
    "phase",
    "pass",
    "win",
    "lose",
    "p",
    "min",
    "max",
    "union",
    "lines",
    "Player",
    "Dir",
    "N",
    "S",
    "E",
    "W",
    "NE",
    "NW",
    "SE",
    "SW",
    "Diagonal",
    "Orthogonal",
];

impl Types {
    /// Finds the types of these clauses, by their numbers in the sheet. `controls`: the functions of the fluents that say
    /// whose turn it is.
    pub fn of(
        sheet: &Sheet,
        clauses: &[(usize, &Clause)],
        controls: &[Symbol],
    ) -> Result<Types, ImportError> {
        let mut types = Types {
            numbers: BTreeMap::new(),
            parents: Vec::new(),
            constants: BTreeMap::new(),
            kinds: BTreeMap::new(),
            values: BTreeMap::new(),
            enums: Vec::new(),
            used: PREDEFINED.iter().map(|word| (*word).to_owned()).collect(),
            originals: BTreeMap::new(),
        };
        let mut found: Vec<(Place, Symbol)> = Vec::new();
        for &(number, clause) in clauses {
            types.sentence(sheet, &clause.head, number, &mut found)?;
            let mut inner = Ok(());
            for literal in &clause.body {
                literal.each_sentence(&mut |sentence, _| {
                    let made = types.sentence(sheet, sentence, number, &mut found);
                    if inner.is_ok() {
                        inner = made;
                    }
                });
                types.distinct(literal, number);
            }
            inner?;
        }
        controls.iter().for_each(|&control| types.join(Place::Function(control, 0), Place::Role));
        types.join_roles(sheet, &found);
        for (place, symbol) in found {
            let class = types.class(place);
            types.constants.entry(class).or_default().insert(symbol);
        }
        types.name_values(sheet)?;
        Ok(types)
    }

    /// Joins the places where all constants are roles with the place of roles.
    fn join_roles(&mut self, sheet: &Sheet, found: &[(Place, Symbol)]) {
        let roles = players(sheet);
        let mut only_roles: BTreeMap<usize, (Place, bool)> = BTreeMap::new();
        for &(place, symbol) in found {
            let class = self.class(place);
            only_roles.entry(class).or_insert((place, true)).1 &= roles.contains(&symbol);
        }
        for (place, all) in only_roles.into_values() {
            if all {
                self.join(place, Place::Role);
            }
        }
    }

    fn number(&mut self, place: Place) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.parents.push(next);
        }
        number
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    /// The class of places that have the type of this one.
    fn class(&mut self, place: Place) -> usize {
        let number = self.number(place);
        self.root(number)
    }

    fn join(&mut self, a: Place, b: Place) {
        let (a, b) = (self.class(a), self.class(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// Joins the variables that `distinct` compares.
    fn distinct(&mut self, literal: &Literal, clause: usize) {
        match literal {
            Literal::Distinct(Pattern::Var(a), Pattern::Var(b), _)
            | Literal::Same(Pattern::Var(a), Pattern::Var(b), _) => {
                self.join(Place::Var(clause, *a), Place::Var(clause, *b));
            }
            Literal::Or(branches, _) => {
                branches.iter().flatten().for_each(|part| self.distinct(part, clause));
            }
            _ => {}
        }
    }

    fn sentence(
        &mut self,
        sheet: &Sheet,
        sentence: &Sentence,
        clause: usize,
        found: &mut Vec<(Place, Symbol)>,
    ) -> Result<(), ImportError> {
        for (place, pattern) in places(&sheet.keywords, sentence) {
            match pattern {
                Pattern::Var(var) => self.join(place, Place::Var(clause, *var)),
                Pattern::Const(symbol) => {
                    self.number(place);
                    found.push((place, *symbol));
                }
                Pattern::Compound(..) => {
                    return Err(ImportError::new("a term is nested in another one", Some(sentence.span)));
                }
            }
        }
        Ok(())
    }

    /// Finds the kind of each class, and the names of its values.
    fn name_values(&mut self, sheet: &Sheet) -> Result<(), ImportError> {
        let name = |symbol: Symbol| sheet.symbols.name(symbol);
        let roles = self.class(Place::Role);
        let players = players(sheet);
        let classes: Vec<(usize, BTreeSet<Symbol>)> =
            self.constants.iter().map(|(class, constants)| (*class, constants.clone())).collect();
        for &player in &players {
            let written = self.fresh_player(name(player), players.len() == 1);
            self.values.insert((roles, player), written);
        }
        let goals = self.class(Place::Goal);
        for (class, constants) in classes {
            let numbers: Option<Vec<i64>> = constants.iter().map(|&symbol| number(name(symbol))).collect();
            if class == roles {
                let others: Vec<Symbol> =
                    constants.iter().copied().filter(|c| !players.contains(c)).collect();
                let kind = match others[..] {
                    [] => Kind::Player,
                    [other] => {
                        self.values.insert((class, other), "none".to_owned());
                        self.originals.insert("none".to_owned(), name(other).to_owned());
                        Kind::OptionalPlayer(other)
                    }
                    _ => {
                        return Err(self.mixed_roles(sheet, &others));
                    }
                };
                self.kinds.insert(class, kind);
            } else if let Some(numbers) = numbers {
                let (least, most) = (numbers.iter().min(), numbers.iter().max());
                let kind = Kind::Numbers(*least.unwrap_or(&0), *most.unwrap_or(&0));
                self.kinds.insert(class, kind);
                for &symbol in &constants {
                    self.values.insert((class, symbol), name(symbol).to_owned());
                    self.originals.insert(name(symbol).to_owned(), name(symbol).to_owned());
                }
            } else {
                let of = self.enum_name(sheet, class);
                let mut members = Vec::new();
                // Names with a number, `c1`, `c2`, ..., are ordered by it; others as they occur.
                let mut constants: Vec<Symbol> = constants.into_iter().collect();
                let parts: Option<Vec<(&str, u64)>> =
                    constants.iter().map(|&symbol| numbered(name(symbol))).collect();
                if parts.is_some_and(|all| all.iter().all(|(prefix, _)| *prefix == all[0].0)) {
                    constants.sort_by_key(|&symbol| numbered(name(symbol)));
                }
                for &symbol in &constants {
                    let member = self.fresh(name(symbol));
                    members.push(member.clone());
                    self.values.insert((class, symbol), member);
                }
                self.enums.push((of.clone(), members));
                self.kinds.insert(class, Kind::Enum(of));
            }
        }
        self.kinds.entry(roles).or_insert(Kind::Player);
        self.kinds.entry(goals).or_insert(Kind::Numbers(0, 100));
        Ok(())
    }

    /// The reason why there is no type for the roles: these other things stand in the same places.
    fn mixed_roles(&self, sheet: &Sheet, others: &[Symbol]) -> ImportError {
        let named = |symbol: Symbol| format!("`{}`", sheet.symbols.name(symbol));
        let class = |place: &Place| self.numbers.get(place).map(|&number| self.root(number));
        let of_roles = |place: &&Place| class(place) == class(&Place::Role);
        let places = self.numbers.keys().filter(of_roles).filter_map(|place| match *place {
            Place::Relation(symbol, at) | Place::Function(symbol, at) => Some((symbol, at)),
            _ => None,
        });
        let place = places.min().map_or_else(String::new, |(symbol, at)| {
            format!(", such as argument {} of {}", at + 1, named(symbol))
        });
        let others: Vec<String> = others.iter().take(MAX_NAMED).map(|&symbol| named(symbol)).collect();
        let reason = format!("roles and other things ({}) are values of one place{place}", others.join(", "));
        ImportError { reason, span: None }
    }

    /// A name for the enumeration of a class: that of a relation over it, or of a function with it, in upper case.
    fn enum_name(&mut self, sheet: &Sheet, class: usize) -> String {
        let places: Vec<Place> = self.numbers.keys().copied().collect();
        let of_class = places
            .into_iter()
            .filter(|&place| self.numbers.get(&place).map(|&n| self.root(n)) == Some(class));
        let symbol = of_class.filter_map(|place| match place {
            Place::Relation(symbol, _) => Some((0, symbol)),
            Place::Function(symbol, at) => Some((1 + at, symbol)),
            _ => None,
        });
        let name = symbol.min().map_or("Thing", |(_, symbol)| sheet.symbols.name(symbol));
        self.fresh_type(name)
    }

    /// A name for a type, like this name in upper case.
    pub fn fresh_type(&mut self, name: &str) -> String {
        let mut letters = name.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase()).unwrap_or('T');
        let wanted: String = std::iter::once(first).chain(letters).collect();
        self.fresh(&wanted)
    }

    /// A name for a player: that of the role with a capital, if it is free. `Player` is the type of players.
    fn fresh_player(&mut self, role: &str, is_alone: bool) -> String {
        let capital = |name: &str| {
            let mut letters = name.chars();
            let first = letters.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        };
        let wanted = capital(role);
        let is_word = role.starts_with(|c: char| c.is_ascii_alphabetic()) && role.is_ascii();
        let written = match self.unused(&wanted) == wanted {
            true => wanted,
            false if is_alone => self.unused("Solver"),
            false if is_word => self.unused(&wanted),
            // A number as a role, or a name with letters that the language does not have.
            false if role.starts_with(|c: char| c.is_ascii_digit()) => self.unused(&format!("P{role}")),
            false => self.unused(&capital(&self.unused(role))),
        };
        self.used.insert(written.clone());
        self.originals.insert(written.clone(), role.to_owned());
        written
    }

    /// A name of the language that is not in use, like this one of the sheet.
    pub fn fresh(&mut self, original: &str) -> String {
        let written = self.unused(original);
        self.used.insert(written.clone());
        self.originals.insert(written.clone(), original.to_owned());
        written
    }

    /// A name that is not in use, without taking it: for variables.
    pub fn unused(&self, original: &str) -> String {
        let plain: String =
            original.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let plain = plain.trim_matches('_');
        let base = match plain.chars().next() {
            Some(c) if c.is_ascii_alphabetic() => plain.to_owned(),
            Some(_) => format!("v{plain}"),
            None => "v".to_owned(),
        };
        let is_free = |name: &str| !self.used.contains(name) && !is_reserved(name);
        if is_free(&base) {
            return base;
        }
        (2..).map(|number| format!("{base}{number}")).find(|name| is_free(name)).unwrap_or(base)
    }

    /// The kind of a place.
    pub fn kind(&self, place: Place) -> Option<&Kind> {
        let class = self.root(*self.numbers.get(&place)?);
        self.kinds.get(&class)
    }

    /// The number of arguments of a function.
    pub fn arity(&self, name: Symbol) -> usize {
        (0..).take_while(|&at| self.kind(Place::Function(name, at)).is_some()).count()
    }

    /// The type of a place, as written.
    pub fn written(&self, place: Place) -> Result<String, ImportError> {
        match self.kind(place) {
            Some(Kind::Player) => Ok("Player".to_owned()),
            Some(Kind::OptionalPlayer(_)) => Ok("Player?".to_owned()),
            Some(Kind::Numbers(least, most)) => Ok(format!("{least}..{most}")),
            Some(Kind::Enum(name)) => Ok(name.clone()),
            None => Err(ImportError::new("a variable has no values", None)),
        }
    }

    /// The constant of a place, as written; `None` if it is no value of the place.
    pub fn value(&self, place: Place, constant: Symbol) -> Option<&str> {
        let class = self.root(*self.numbers.get(&place)?);
        self.values.get(&(class, constant)).map(String::as_str)
    }

    /// The constant of a place that is the empty value of its type.
    pub fn has_empty_value(&self, place: Place) -> bool {
        matches!(self.kind(place), Some(Kind::OptionalPlayer(_)))
    }
}

/// The roles, in the order of the sheet.
pub fn players(sheet: &Sheet) -> Vec<Symbol> {
    let roles = sheet.clauses.iter().filter(|clause| clause.head.relation == sheet.keywords.role);
    roles
        .filter_map(|role| if let Pattern::Const(role) = role.head.args[0] { Some(role) } else { None })
        .collect()
}

/// The arguments of relations, fluents and moves of which all values that can occur are roles.
pub fn role_places(sheet: &Sheet, game: &Propositions) -> BTreeSet<Place> {
    let of = &sheet.keywords;
    let roles = players(sheet);
    let (mut found, mut others) = (BTreeSet::new(), BTreeSet::new());
    for &atom in game.facts.derived() {
        let (relation, args) = (game.facts.relation(atom), game.facts.args(atom));
        let whole = match relation {
            _ if [of.init, of.true_, of.next, of.base].contains(&relation) => Some(0),
            _ if [of.does, of.legal, of.input].contains(&relation) => Some(1),
            _ => None,
        };
        let values: Vec<(Place, Symbol)> = match whole {
            Some(at) => {
                let term = game.terms.get(args[at]);
                let args = term.args.iter().map(|&arg| game.terms.get(arg).name);
                args.enumerate().map(|(at, value)| (Place::Function(term.name, at), value)).collect()
            }
            None => {
                let args = args.iter().map(|&arg| game.terms.get(arg).name);
                args.enumerate().map(|(at, value)| (Place::Relation(relation, at), value)).collect()
            }
        };
        for (place, value) in values {
            if roles.contains(&value) {
                found.insert(place)
            } else {
                others.insert(place)
            };
        }
    }
    found.retain(|place| !others.contains(place));
    found
}

/// The whole number that a name is, if it is written in the usual way.
fn number(name: &str) -> Option<i64> {
    name.parse::<i64>().ok().filter(|number| number.to_string() == name && number.abs() < 1 << 30)
}

/// A name as a word and a number after it.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((word, name[word.len()..].parse().ok()?))
}

/// The places of the arguments of a sentence: those of the fluent or the move, where there is one.
pub fn places<'s>(of: &Keywords, sentence: &'s Sentence) -> Vec<(Place, &'s Pattern)> {
    let relation = sentence.relation;
    let args = &sentence.args;
    let of_function = |pattern: &'s Pattern| -> Vec<(Place, &'s Pattern)> {
        match pattern {
            Pattern::Compound(name, args) => {
                args.iter().enumerate().map(|(at, arg)| (Place::Function(*name, at), arg)).collect()
            }
            _ => Vec::new(),
        }
    };
    if relation == of.role {
        vec![(Place::Role, &args[0])]
    } else if [of.init, of.true_, of.next, of.base].contains(&relation) {
        of_function(&args[0])
    } else if [of.does, of.legal, of.input].contains(&relation) {
        std::iter::once((Place::Role, &args[0])).chain(of_function(&args[1])).collect()
    } else if relation == of.goal {
        vec![(Place::Role, &args[0]), (Place::Goal, &args[1])]
    } else {
        args.iter().enumerate().map(|(at, arg)| (Place::Relation(relation, at), arg)).collect()
    }
}
