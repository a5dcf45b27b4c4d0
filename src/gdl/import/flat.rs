//! Flat sheets: sheets without terms in terms, and without variables for whole fluents and moves, that mean the same.
//!
//! Places that share a variable hold terms of the same functions. Where that is one function, its arguments take the
//! place of the term: `(stands (piece red king) (place 1 2))` becomes `(stands red king 1 2)`. Where there are several,
//! each function has a relation of its own, and a rule with a variable for such a term is copied for each of them. So
//! `(<= (legal ?p ?m) (allowed ?p ?m))` becomes a rule for each function of moves. Conditions on `legal`, `goal` and
//! `terminal` become conditions on relations with the same rules.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;

use super::ImportError;
use super::unfold::{Substitution, literal_with, sentence_with};
use crate::sheet::{Clause, Literal, Pattern, Sentence, Sheet};
use crate::terms::Symbol;

/// The maximal number of copies of one rule.
const MAX_COPIES: usize = 512;

/// A place of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// The fluents and the moves themselves.
    Fluent,
    Move,
    /// An argument of a relation.
    Relation(Symbol, usize),
    /// An argument of a function.
    Function(Symbol, usize),
    /// A variable of the clause with this number.
    Var(usize, u32),
}

/// The form of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shape {
    /// A name, as a value.
    Name,
    /// A function of so many terms; a fluent or a move of this name, if there are none.
    Function(Symbol, usize),
}

/// The shapes of the terms at all places.
#[derive(Debug, Default)]
struct Shapes {
    numbers: BTreeMap<Place, usize>,
    parents: Vec<usize>,
    shapes: BTreeMap<usize, BTreeSet<Shape>>,
    /// The names at all places but those of whole fluents and moves.
    names: Vec<(Place, Symbol)>,
}

/// The form that terms have in a flat sheet.
#[derive(Debug)]
pub struct Flat {
    shapes: Shapes,
    /// The symbols of flat sentences and terms, by those of the sheet and the functions inside.
    symbols: BTreeMap<(Symbol, Vec<Symbol>), Symbol>,
    /// The terms of the sheet for those of the flat one: their variables are the arguments.
    originals: BTreeMap<Symbol, Pattern>,
    /// The names of the functions of moves whose names fluents have as well.
    moves: BTreeMap<Symbol, Symbol>,
}

impl Shapes {
    fn class(&mut self, place: Place) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.parents.push(next);
        }
        self.root(number)
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    fn join(&mut self, a: Place, b: Place) {
        let (a, b) = (self.class(a), self.class(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// The shapes of the terms at a place.
    fn of(&self, place: Place) -> BTreeSet<Shape> {
        let class = self.numbers.get(&place).map(|&number| self.root(number));
        class.and_then(|class| self.shapes.get(&class)).cloned().unwrap_or_default()
    }

    /// Notes the terms of a sentence.
    fn sentence(
        &mut self,
        sheet: &Sheet,
        sentence: &Sentence,
        clause: usize,
        found: &mut Vec<(Place, Shape)>,
    ) {
        for (place, pattern) in places(sheet, sentence) {
            self.pattern(place, pattern, clause, found);
        }
    }

    fn pattern(&mut self, place: Place, pattern: &Pattern, clause: usize, found: &mut Vec<(Place, Shape)>) {
        self.class(place);
        match pattern {
            Pattern::Var(var) => self.join(place, Place::Var(clause, *var)),
            Pattern::Const(name) if matches!(place, Place::Fluent | Place::Move) => {
                found.push((place, Shape::Function(*name, 0)));
            }
            Pattern::Const(name) => {
                self.names.push((place, *name));
                found.push((place, Shape::Name));
            }
            Pattern::Compound(name, args) => {
                found.push((place, Shape::Function(*name, args.len())));
                for (at, arg) in args.iter().enumerate() {
                    self.pattern(Place::Function(*name, at), arg, clause, found);
                }
            }
        }
    }

    fn literal(&mut self, sheet: &Sheet, literal: &Literal, clause: usize, found: &mut Vec<(Place, Shape)>) {
        match literal {
            Literal::Positive(of) | Literal::Negative(of) => self.sentence(sheet, of, clause, found),
            Literal::Distinct(a, b, _) | Literal::Same(a, b, _) => {
                let var =
                    [a, b].into_iter().find_map(|p| if let Pattern::Var(v) = p { Some(*v) } else { None });
                if let Some(var) = var {
                    // What a variable is compared with adds no value to its place.
                    let mut ignored = Vec::new();
                    let place = Place::Var(clause, var);
                    [a, b].into_iter().for_each(|p| self.pattern(place, p, clause, &mut ignored));
                }
            }
            Literal::Or(branches, _) => {
                branches.iter().flatten().for_each(|part| self.literal(sheet, part, clause, found));
            }
        }
    }

    /// Returns true if a term at a place may contain another one of the same place.
    fn is_endless(&self, place: Place, above: &mut Vec<usize>) -> bool {
        let Some(class) = self.numbers.get(&place).map(|&number| self.root(number)) else { return false };
        if above.contains(&class) {
            return true;
        }
        above.push(class);
        let inside = self.of(place).into_iter().any(|shape| match shape {
            Shape::Name => false,
            Shape::Function(name, count) => {
                (0..count).any(|at| self.is_endless(Place::Function(name, at), above))
            }
        });
        above.pop();
        inside
    }
}

/// The arguments of a sentence with their places.
fn places<'s>(sheet: &Sheet, sentence: &'s Sentence) -> Vec<(Place, &'s Pattern)> {
    let of = &sheet.keywords;
    let relation = sentence.relation;
    let place = |at: usize| match at {
        0 if [of.init, of.true_, of.next, of.base].contains(&relation) => Place::Fluent,
        1 if [of.does, of.legal, of.input].contains(&relation) => Place::Move,
        _ => Place::Relation(relation, at),
    };
    sentence.args.iter().enumerate().map(|(at, arg)| (place(at), arg)).collect()
}

/// Flattens a sheet; `None` if it is flat already.
pub fn flatten(sheet: &mut Sheet) -> Result<Option<Flat>, ImportError> {
    let of = sheet.keywords;
    // The domains that a sheet declares say nothing that its rules do not say.
    sheet.clauses.retain(|clause| ![of.base, of.input].contains(&clause.head.relation));
    name_conditions(sheet);
    let mut shapes = Shapes::default();
    let mut found = Vec::new();
    for (number, clause) in sheet.clauses.iter().enumerate() {
        shapes.sentence(sheet, &clause.head, number, &mut found);
        clause.body.iter().for_each(|literal| shapes.literal(sheet, literal, number, &mut found));
    }
    for (place, shape) in found {
        let class = shapes.class(place);
        shapes.shapes.entry(class).or_default().insert(shape);
    }
    // A name beside fluents or moves is one of them.
    let wholes = [shapes.class(Place::Fluent), shapes.class(Place::Move)];
    for (place, name) in std::mem::take(&mut shapes.names) {
        let class = shapes.class(place);
        if wholes.contains(&class) {
            let of = shapes.shapes.entry(class).or_default();
            of.remove(&Shape::Name);
            of.insert(Shape::Function(name, 0));
        }
    }
    let is_nested = |place: &Place, number: &usize| {
        let class = shapes.root(*number);
        let has_functions = shapes.shapes.get(&class).is_some_and(|of| of.iter().any(|s| *s != Shape::Name));
        has_functions && !matches!(place, Place::Fluent | Place::Move)
    };
    let ambiguous = functions_at(&shapes, Place::Fluent);
    let ambiguous: Vec<Symbol> =
        functions_at(&shapes, Place::Move).intersection(&ambiguous).copied().collect();
    if ambiguous.is_empty() && !shapes.numbers.iter().any(|(place, number)| is_nested(place, number)) {
        prune(sheet);
        return Ok(None);
    }
    if let Some(place) =
        shapes.numbers.keys().copied().find(|&place| shapes.is_endless(place, &mut Vec::new()))
    {
        let of = match place {
            Place::Relation(symbol, at) | Place::Function(symbol, at) => {
                format!(" in argument {} of `{}`", at + 1, sheet.symbols.name(symbol))
            }
            _ => String::new(),
        };
        let reason = format!("a term is nested in another one of its kind{of}");
        return Err(ImportError { reason, span: None });
    }
    let of_move = |name: Symbol| (name, fresh(sheet, &format!("do_{}", sheet.symbols.name(name))));
    let moves = ambiguous.into_iter().map(of_move).collect();
    let mut flat = Flat { shapes, symbols: BTreeMap::new(), originals: BTreeMap::new(), moves };
    let clauses = std::mem::take(&mut sheet.clauses);
    for (number, clause) in clauses.iter().enumerate() {
        for copy in flat.copies(number, clause)? {
            let head = flat.sentence(sheet, &copy.head);
            let body: Option<Vec<Vec<Literal>>> =
                copy.body.iter().map(|literal| flat.literal(sheet, literal)).collect();
            if let Some(body) = body {
                let body = body.into_iter().flatten().collect();
                sheet.clauses.push(Clause { head, body, vars: copy.vars, span: copy.span });
            }
        }
    }
    prune(sheet);
    Ok(Some(flat))
}

/// The functions of the terms at a place.
fn functions_at(shapes: &Shapes, place: Place) -> BTreeSet<Symbol> {
    let function = |shape| if let Shape::Function(name, _) = shape { Some(name) } else { None };
    shapes.of(place).into_iter().filter_map(function).collect()
}

/// Gives the rules for `legal`, `goal` and `terminal` to relations of their own, where conditions ask for them. Each value
/// of goals has one, since a goal may depend on another one being missed.
fn name_conditions(sheet: &mut Sheet) {
    let of = sheet.keywords;
    for (keyword, name) in [(of.legal, "can"), (of.goal, "has_goal"), (of.terminal, "is_over")] {
        let mut asked: Vec<Sentence> = Vec::new();
        for literal in sheet.clauses.iter().flat_map(|clause| &clause.body) {
            literal.each_sentence(&mut |sentence, _| {
                asked.extend((sentence.relation == keyword).then(|| sentence.clone()));
            });
        }
        if asked.is_empty() {
            continue;
        }
        let value = |sentence: &Sentence| match sentence.args.get(1) {
            Some(Pattern::Const(value)) if keyword == of.goal => Some(*value),
            _ => None,
        };
        let heads = sheet.clauses.iter().map(|clause| &clause.head).filter(|head| head.relation == keyword);
        let values: Option<BTreeSet<Symbol>> = heads.chain(&asked).map(value).collect();
        let own: BTreeMap<Option<Symbol>, Symbol> = match values {
            Some(values) => {
                let names: Vec<(Symbol, String)> =
                    values.into_iter().map(|of| (of, format!("{name}_{}", sheet.symbols.name(of)))).collect();
                names.into_iter().map(|(of, name)| (Some(of), fresh(sheet, &name))).collect()
            }
            None => BTreeMap::from([(None, fresh(sheet, name))]),
        };
        let renamed = |sentence: &Sentence| {
            let mut made = sentence.clone();
            if sentence.relation == keyword {
                let value = value(sentence).filter(|value| own.contains_key(&Some(*value)));
                if value.is_some() {
                    made.args.pop();
                }
                made.relation = own.get(&value).copied().unwrap_or(keyword);
            }
            made
        };
        for clause in &mut sheet.clauses {
            clause.body.iter_mut().for_each(|literal| rename(literal, &renamed));
        }
        let copies: Vec<Clause> = sheet
            .clauses
            .iter()
            .filter(|clause| clause.head.relation == keyword)
            .map(|clause| Clause { head: renamed(&clause.head), ..clause.clone() })
            .collect();
        sheet.clauses.extend(copies);
    }
}

fn rename(literal: &mut Literal, renamed: &dyn Fn(&Sentence) -> Sentence) {
    match literal {
        Literal::Positive(sentence) | Literal::Negative(sentence) => *sentence = renamed(sentence),
        Literal::Distinct(..) | Literal::Same(..) => {}
        Literal::Or(branches, _) => branches.iter_mut().flatten().for_each(|part| rename(part, renamed)),
    }
}

/// A symbol that is not in use, like this name.
fn fresh(sheet: &mut Sheet, name: &str) -> Symbol {
    let free = |sheet: &Sheet, name: &str| sheet.symbols.find(name).is_none();
    let mut wanted = name.to_owned();
    let mut number = 1;
    while !free(sheet, &wanted) {
        number += 1;
        wanted = format!("{name}_{number}");
    }
    sheet.symbols.intern(&wanted)
}

/// Removes rules with conditions on relations that have none, and conditions that no such relation holds.
fn prune(sheet: &mut Sheet) {
    let of = sheet.keywords;
    loop {
        cancel::step();
        let mut heads: BTreeSet<Symbol> = sheet.clauses.iter().map(|clause| clause.head.relation).collect();
        heads.extend([of.true_, of.does, of.role]);
        let before = sheet.clauses.len();
        sheet.clauses.retain_mut(|clause| simplified(&mut clause.body, &heads));
        if sheet.clauses.len() == before {
            return;
        }
    }
}

/// Simplifies a conjunction by the relations that may hold; false if it cannot hold.
fn simplified(body: &mut Vec<Literal>, heads: &BTreeSet<Symbol>) -> bool {
    body.retain(|literal| !matches!(literal, Literal::Negative(of) if !heads.contains(&of.relation)));
    body.iter_mut().all(|literal| match literal {
        Literal::Positive(of) => heads.contains(&of.relation),
        Literal::Or(branches, _) => {
            branches.retain_mut(|branch| simplified(branch, heads));
            !branches.is_empty()
        }
        _ => true,
    })
}

impl Flat {
    /// The copies of a clause in which no variable stands for a function of terms.
    fn copies(&self, number: usize, clause: &Clause) -> Result<Vec<Clause>, ImportError> {
        let places: Vec<Place> = (0..clause.vars.len() as u32).map(|var| Place::Var(number, var)).collect();
        let (mut done, mut todo) = (Vec::new(), vec![(clause.clone(), places)]);
        while let Some((clause, places)) = todo.pop() {
            cancel::step();
            let has_functions = |place: &Place| self.shapes.of(*place).iter().any(|s| *s != Shape::Name);
            let mut open = None;
            let mut visit = |var: u32| {
                if open.is_none() && has_functions(&places[var as usize]) {
                    open = Some(var);
                }
            };
            clause.head.each_var(&mut visit);
            clause.body.iter().for_each(|literal| literal.each_var(&mut visit));
            let Some(var) = open else {
                done.push(clause);
                continue;
            };
            for shape in self.shapes.of(places[var as usize]).into_iter().rev() {
                let (mut copy, mut places) = (clause.clone(), places.clone());
                let value = match shape {
                    Shape::Name => {
                        places[var as usize] = Place::Var(usize::MAX, 0);
                        Pattern::Var(var)
                    }
                    Shape::Function(name, 0) => Pattern::Const(name),
                    Shape::Function(name, count) => {
                        let first = copy.vars.len() as u32;
                        let base = copy.vars[var as usize].clone();
                        for at in 0..count {
                            copy.vars.push(self.part_name(&base, name, at, count));
                            places.push(Place::Function(name, at));
                        }
                        let args = (0..count as u32).map(|at| Pattern::Var(first + at)).collect();
                        Pattern::Compound(name, args)
                    }
                };
                let values = Substitution::from([(var, value)]);
                copy.head = sentence_with(&copy.head, &values);
                copy.body.iter_mut().for_each(|literal| *literal = literal_with(literal, &values));
                todo.push((copy, places));
            }
            if done.len() + todo.len() > MAX_COPIES {
                return Err(ImportError::new(
                    "a variable stands for too many kinds of terms",
                    Some(clause.span),
                ));
            }
        }
        Ok(done)
    }

    /// A name for the variable of a part of a term.
    fn part_name(&self, base: &str, _of: Symbol, at: usize, count: usize) -> String {
        if count == 1 { base.to_owned() } else { format!("{base}_{}", at + 1) }
    }

    /// The parts of a term at a place, with the functions that tell it apart from others there.
    fn parts(&self, place: Place, pattern: &Pattern, parts: &mut Vec<Pattern>, functions: &mut Vec<Symbol>) {
        let shapes = self.shapes.of(place);
        let has_functions = shapes.iter().any(|shape| *shape != Shape::Name);
        match pattern {
            Pattern::Compound(name, args) => {
                if shapes.len() > 1 {
                    functions.push(*name);
                }
                for (at, arg) in args.iter().enumerate() {
                    self.parts(Place::Function(*name, at), arg, parts, functions);
                }
            }
            Pattern::Const(name) if has_functions && !shapes.contains(&Shape::Name) => {
                if shapes.len() > 1 {
                    functions.push(*name);
                }
            }
            _ => parts.push(pattern.clone()),
        }
    }

    /// The flat symbol for a relation or a function with terms of these functions inside.
    fn symbol(&mut self, sheet: &mut Sheet, of: Symbol, functions: Vec<Symbol>) -> Symbol {
        if functions.is_empty() {
            return of;
        }
        if let Some(&known) = self.symbols.get(&(of, functions.clone())) {
            return known;
        }
        let names: Vec<&str> =
            std::iter::once(&of).chain(&functions).map(|&name| sheet.symbols.name(name)).collect();
        let made = fresh(sheet, &names.join("_"));
        self.symbols.insert((of, functions), made);
        made
    }

    /// A fluent or a move without terms in it.
    fn whole(&mut self, sheet: &mut Sheet, pattern: &Pattern, place: Place) -> Pattern {
        let (name, args) = match pattern {
            Pattern::Var(_) => return pattern.clone(),
            Pattern::Const(name) => (name, &[][..]),
            Pattern::Compound(name, args) => (name, &args[..]),
        };
        let own = self.moves.get(name).filter(|_| place == Place::Move).copied();
        let (mut parts, mut functions) = (Vec::new(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            self.parts(Place::Function(*name, at), arg, &mut parts, &mut functions);
        }
        let made = self.symbol(sheet, own.unwrap_or(*name), functions);
        let mut next = 0;
        let original = numbered(self, pattern, None, &mut next);
        self.originals.insert(made, original);
        if parts.is_empty() { Pattern::Const(made) } else { Pattern::Compound(made, parts) }
    }

    fn sentence(&mut self, sheet: &mut Sheet, sentence: &Sentence) -> Sentence {
        let (mut args, mut functions) = (Vec::new(), Vec::new());
        for (place, pattern) in places(sheet, sentence) {
            match place {
                Place::Fluent | Place::Move => args.push(self.whole(sheet, pattern, place)),
                _ => self.parts(place, pattern, &mut args, &mut functions),
            }
        }
        let relation = self.symbol(sheet, sentence.relation, functions);
        Sentence { relation, args, span: sentence.span }
    }

    /// The literals that a literal becomes; `None` if it never holds.
    fn literal(&mut self, sheet: &mut Sheet, literal: &Literal) -> Option<Vec<Literal>> {
        Some(match literal {
            Literal::Positive(sentence) => vec![Literal::Positive(self.sentence(sheet, sentence))],
            Literal::Negative(sentence) => vec![Literal::Negative(self.sentence(sheet, sentence))],
            Literal::Distinct(a, b, span) => match differences(a, b) {
                None => Vec::new(),
                Some(pairs) => {
                    let mut parts: Vec<Vec<Literal>> =
                        pairs.into_iter().map(|(a, b)| vec![Literal::Distinct(a, b, *span)]).collect();
                    match parts.len() {
                        0 => return None,
                        1 => parts.remove(0),
                        _ => vec![Literal::Or(parts, *span)],
                    }
                }
            },
            Literal::Same(a, b, span) => {
                let pairs = differences(a, b)?;
                pairs.into_iter().map(|(a, b)| Literal::Same(a, b, *span)).collect()
            }
            Literal::Or(branches, span) => {
                let mut made = Vec::new();
                for branch in branches {
                    let parts: Option<Vec<Vec<Literal>>> =
                        branch.iter().map(|part| self.literal(sheet, part)).collect();
                    made.extend(parts.map(|parts| parts.into_iter().flatten().collect::<Vec<_>>()));
                }
                if made.is_empty() {
                    return None;
                }
                vec![Literal::Or(made, *span)]
            }
        })
    }

    /// A fluent of the sheet, as it is written there, as one of the flat sheet.
    pub fn fluent(&self, sheet: &Sheet, term: &str) -> Option<String> {
        let Pattern::Compound(name, args) = parse(sheet, &mut term.chars().peekable())? else {
            return Some(term.to_owned());
        };
        let (mut parts, mut functions) = (Vec::new(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            self.parts(Place::Function(name, at), arg, &mut parts, &mut functions);
        }
        let made = match functions.is_empty() {
            true => name,
            false => *self.symbols.get(&(name, functions))?,
        };
        let written = |part: &Pattern| match part {
            Pattern::Const(name) => sheet.symbols.name(*name).to_owned(),
            _ => String::new(),
        };
        let parts: Vec<String> =
            std::iter::once(sheet.symbols.name(made).to_owned()).chain(parts.iter().map(written)).collect();
        Some(if parts.len() > 1 { format!("({})", parts.join(" ")) } else { parts.concat() })
    }

    /// The term of the sheet for a flat move with these arguments.
    pub fn original(&self, sheet: &Sheet, name: Symbol) -> Option<String> {
        self.originals.get(&name).map(|pattern| template(sheet, pattern))
    }
}

/// A term with its values replaced by variables in their order.
fn numbered(flat: &Flat, pattern: &Pattern, place: Option<Place>, next: &mut u32) -> Pattern {
    match pattern {
        Pattern::Compound(name, args) => {
            let args = args.iter().enumerate();
            let part = |(at, arg)| numbered(flat, arg, Some(Place::Function(*name, at)), next);
            Pattern::Compound(*name, args.map(part).collect())
        }
        Pattern::Const(_) => {
            let shapes = place.map(|place| flat.shapes.of(place)).unwrap_or_default();
            let is_value = shapes.contains(&Shape::Name) || shapes.is_empty();
            if place.is_none() || !is_value {
                return pattern.clone();
            }
            *next += 1;
            Pattern::Var(*next - 1)
        }
        Pattern::Var(_) => {
            *next += 1;
            Pattern::Var(*next - 1)
        }
    }
}

/// A term in which `{0}`, `{1}`, ... stand for arguments.
fn template(sheet: &Sheet, pattern: &Pattern) -> String {
    match pattern {
        Pattern::Var(number) => format!("{{{number}}}"),
        Pattern::Const(name) => sheet.symbols.name(*name).to_owned(),
        Pattern::Compound(name, args) => {
            let args: Vec<String> = args.iter().map(|arg| template(sheet, arg)).collect();
            format!("({} {})", sheet.symbols.name(*name), args.join(" "))
        }
    }
}

/// The pairs of values in which two terms may differ; `None` if they do differ.
fn differences(a: &Pattern, b: &Pattern) -> Option<Vec<(Pattern, Pattern)>> {
    match (a, b) {
        (Pattern::Compound(f, a), Pattern::Compound(g, b)) if f == g && a.len() == b.len() => {
            let pairs: Option<Vec<_>> = a.iter().zip(b).map(|(a, b)| differences(a, b)).collect();
            Some(pairs?.into_iter().flatten().collect())
        }
        (Pattern::Compound(..), _) | (_, Pattern::Compound(..)) => None,
        (Pattern::Const(a), Pattern::Const(b)) => (a == b).then(Vec::new),
        (a, b) if a == b => Some(Vec::new()),
        (a, b) => Some(vec![(a.clone(), b.clone())]),
    }
}

/// Reads a term without variables; `None` if a name in it does not occur in the sheet.
fn parse(sheet: &Sheet, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Pattern> {
    while chars.next_if(|c| c.is_whitespace()).is_some() {}
    if chars.next_if_eq(&'(').is_none() {
        let name: String =
            std::iter::from_fn(|| chars.next_if(|c| !c.is_whitespace() && !"()".contains(*c))).collect();
        return sheet.symbols.find(&name).map(Pattern::Const);
    }
    let Some(Pattern::Const(name)) = parse(sheet, chars) else { return None };
    let mut args = Vec::new();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if chars.next_if_eq(&')').is_some() {
            return Some(Pattern::Compound(name, args));
        }
        args.push(parse(sheet, chars)?);
    }
}
