//! Conditions of rules as conditions of the language.
//!
//! Conditions are taken in the order in which their variables become known. A variable that a cell or a neighbour in the
//! order of numbers determines becomes that term; any other one becomes the variable of a `some`.

use std::collections::{BTreeMap, BTreeSet};

use bouton_base::cancel;

use super::bounds::{Range, in_range, is_within};
use super::effects::negated;
use super::removals::substitute;
use super::static_facts::sum;
use super::types::{Kind, Place, places};
use super::{Fluent, ImportError, Importer, Static};
use crate::sheet::{Literal, Pattern, Sentence};
use crate::terms::Symbol;

/// The meaning of `me` and `mover` where a condition stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Context {
    /// A definition, or an end: the player to move is `mover`.
    Position,
    /// A move of the player `me`.
    Move,
}

/// The terms that stand for the variables of a clause.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The number of the clause.
    pub clause: usize,
    pub context: Context,
    pub terms: BTreeMap<u32, String>,
    /// The names of the variables of the clause, with the question mark.
    pub vars: Vec<String>,
    /// The written variables in scope.
    pub names: BTreeSet<String>,
    /// The ranges of terms that are numbers, as far as they are known.
    pub ranges: BTreeMap<String, Range>,
    /// The parameters that may be `none`.
    pub optional: BTreeSet<String>,
    /// The move that is being made, with its parameters, where conditions may name it.
    pub moved: Option<(Symbol, Vec<String>)>,
}

impl Scope {
    /// Notes the variables that a condition binds itself, so that others get other names.
    pub fn note_bound(&mut self, condition: &str) {
        let words: Vec<&str> = condition.split([' ', '(', ',']).collect();
        let bound = words.windows(2).filter(|pair| pair[1] == "in").map(|pair| pair[0]);
        let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        self.names.extend(bound.filter(is_name).map(str::to_owned));
    }
}

/// A condition with the variables that it needs besides those in scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The variables of the head that nothing determines, with their types.
    pub binders: Vec<String>,
    /// The conditions, all of which hold; each may stand beside `and`.
    pub parts: Vec<String>,
}

impl Formula {
    /// All conditions in one, or `true`; `false` if one of them is.
    pub fn written(&self) -> String {
        match &self.parts[..] {
            [] => "true".to_owned(),
            parts if parts.iter().any(|part| part == "false") => "false".to_owned(),
            parts => parts.join(" and "),
        }
    }
}

/// The disjunction of conditions.
pub fn any_of(conditions: &[String]) -> String {
    let conditions: Vec<String> = conditions.iter().filter(|one| *one != "false").cloned().collect();
    match &conditions[..] {
        [] => "false".to_owned(),
        [only] => only.clone(),
        _ if conditions.iter().any(|one| one == "true") => "true".to_owned(),
        _ if conditions.iter().any(|one| opposite(one).is_some_and(|of| conditions.contains(&of))) => {
            "true".to_owned()
        }
        _ => {
            let is_loose = |c: &str| c.contains(" and ") && !is_wrapped(c);
            let parts: Vec<String> =
                conditions.iter().map(|c| if is_loose(c) { format!("({c})") } else { c.clone() }).collect();
            parts.join(" or ")
        }
    }
}

/// Puts numbers for the variables of binders that a condition says are this number: `x in 0..5` with `x = 3`.
pub(super) fn put_numbers(binders: &mut Vec<String>, parts: &mut Vec<String>, terms: &mut [String]) {
    let value = |binder: &String, parts: &[String]| -> Option<(String, String)> {
        let (name, range) = binder.split_once(" in ")?;
        let (least, most) = range.split_once("..")?;
        let number = parts.iter().find_map(|part| part.strip_prefix(name)?.strip_prefix(" = "))?;
        let known: i64 = number.parse().ok()?;
        let is_inside = (least.parse().ok()?..=most.parse().ok()?).contains(&known);
        is_inside.then(|| (name.to_owned(), number.to_owned()))
    };
    while let Some((at, (name, number))) =
        binders.iter().enumerate().find_map(|(at, binder)| Some((at, value(binder, parts)?)))
    {
        binders.remove(at);
        parts.retain(|part| *part != format!("{name} = {number}"));
        let names = BTreeMap::from([(name.as_str(), number.as_str())]);
        parts.iter_mut().chain(terms.iter_mut()).for_each(|text| *text = substitute(text, &names));
        binders.iter_mut().for_each(|text| *text = substitute(text, &names));
    }
}

/// The condition that two terms are the same, for one that they are not.
fn opposite(condition: &str) -> Option<String> {
    let (a, b) = condition.split_once(" != ")?;
    let is_term = |text: &str| !text.contains([' ', '(']);
    (is_term(a) && is_term(b)).then(|| format!("{a} = {b}"))
}

impl Importer<'_> {
    /// The term of a pattern at a place; `None` while its variable is not known.
    pub(super) fn term(&self, scope: &Scope, place: Place, pattern: &Pattern) -> Option<String> {
        match pattern {
            Pattern::Var(var) => scope.terms.get(var).cloned(),
            Pattern::Const(symbol) => Some(self.types.value(place, *symbol)?.to_owned()),
            Pattern::Compound(..) => None,
        }
    }

    /// Translates conditions that hold together. `head`: the variables that stay visible outside of them.
    pub(super) fn formula(
        &self,
        literals: &[&Literal],
        scope: &mut Scope,
        head: &BTreeSet<u32>,
    ) -> Result<Formula, ImportError> {
        let mut open: Vec<&Literal> = literals.to_vec();
        let (mut parts, mut inner, mut binders) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            cancel::step();
            let before = open.len();
            let mut rest = Vec::new();
            for literal in open {
                match self.literal(literal, literals, scope)? {
                    Some(part) => {
                        part.iter().for_each(|part| scope.note_bound(part));
                        parts.extend(part.into_iter().filter(|part| part != "true"));
                    }
                    None => rest.push(literal),
                }
            }
            open = rest;
            if open.len() < before {
                continue;
            }
            // Nothing determines the next variable: of a positive condition if there is one.
            let mut unknown: Vec<u32> = Vec::new();
            let mut note = |var: u32| {
                if !scope.terms.contains_key(&var) {
                    unknown.push(var);
                }
            };
            // Who moves comes first, since that tells what is moved.
            let does =
                |l: &&&Literal| matches!(l, Literal::Positive(of) if of.relation == self.sheet.keywords.does);
            open.iter().filter(does).for_each(|l| l.each_var(&mut note));
            open.iter().filter(|l| matches!(l, Literal::Positive(_))).for_each(|l| l.each_var(&mut note));
            open.iter().for_each(|literal| literal.each_var(&mut note));
            head.iter().for_each(|&var| note(var));
            let Some(&var) = unknown.first() else { break };
            if head.iter().all(|var| scope.terms.contains_key(var))
                && self.may_be_no_role(scope, literals, var)
            {
                parts.push(self.role_or_other(&open, scope, var)?);
                open.clear();
                break;
            }
            let binder = self.bind(scope, var, literals)?;
            if head.contains(&var) { binders.push(binder) } else { inner.push(binder) }
        }
        if let Some(literal) = open.first() {
            return Err(ImportError::new("this condition has no form", Some(literal.span())));
        }
        if self.clash(&parts) || parts.iter().any(|part| part == "false") {
            parts = vec!["false".to_owned()];
            inner.clear();
        }
        let mut once = Vec::new();
        for part in parts {
            if !once.contains(&part) {
                once.push(part);
            }
        }
        // A variable that a term of the head mentions is visible outside as well.
        let of_head = |binder: &String| {
            let name = binder.split(' ').next().unwrap_or_default();
            head.iter().filter_map(|var| scope.terms.get(var)).any(|term| mentions(term, name))
        };
        let (outer, mut inner): (Vec<String>, Vec<String>) = inner.into_iter().partition(of_head);
        binders.extend(outer);
        put_numbers(&mut inner, &mut once, &mut []);
        if !inner.is_empty() {
            // Conditions without the inner variables stand outside.
            let names: Vec<String> = inner
                .iter()
                .filter_map(|binder: &String| binder.split(' ').next().map(str::to_owned))
                .collect();
            let (bound, free): (Vec<String>, Vec<String>) =
                once.into_iter().partition(|part| names.iter().any(|name| mentions(part, name)));
            let condition = if bound.is_empty() { "true".to_owned() } else { bound.join(" and ") };
            once = free;
            once.push(format!("(some {}: {condition})", inner.join(", ")));
        }
        Ok(Formula { binders, parts: once })
    }

    /// Returns true if two of these conditions say that one term has two values.
    pub(super) fn clash(&self, parts: &[String]) -> bool {
        let is_constant = |value: &str| {
            value.parse::<i64>().is_ok()
                || self.types.enums.iter().any(|(_, members)| members.iter().any(|member| member == value))
                || self.names.roles.iter().any(|role| self.player(role) == value)
        };
        let equal = |part: &String| {
            let (term, value) = part.split_once(" = ")?;
            (is_constant(value) && !term.contains(' ')).then(|| (term.to_owned(), value.to_owned()))
        };
        let known: BTreeSet<(String, String)> = parts.iter().filter_map(equal).collect();
        let terms: BTreeSet<&String> = known.iter().map(|(term, _)| term).collect();
        terms.len() < known.len()
    }

    /// Makes a written variable for a variable; returns its binder.
    fn bind(&self, scope: &mut Scope, var: u32, literals: &[&Literal]) -> Result<String, ImportError> {
        let of = self.types.written(Place::Var(scope.clause, var))?;
        let is_mixed = self.may_be_no_role(scope, literals, var);
        let name = self.name_variable(scope, var);
        if is_mixed {
            let original = scope.vars[var as usize].trim_start_matches('?');
            return Err(ImportError::new(
                &format!("the variable `?{original}` stands for roles and for something else"),
                None,
            ));
        }
        let Some(Kind::Numbers(least, most)) = self.types.kind(Place::Var(scope.clause, var)) else {
            return Ok(format!("{name} in {}", of.trim_end_matches('?')));
        };
        let (least, most) = self.range_as_key(literals, var, (*least, *most));
        scope.ranges.insert(name.clone(), (least, most));
        Ok(format!("{name} in {least}..{most}"))
    }

    /// Names a variable, which is in scope from here on.
    fn name_variable(&self, scope: &mut Scope, var: u32) -> String {
        let original = scope.vars[var as usize].trim_start_matches('?').to_owned();
        let mut name = self.types.unused(&original);
        let mut number = 1;
        while scope.names.contains(&name) {
            number += 1;
            name = self.types.unused(&format!("{original}_{number}"));
        }
        scope.names.insert(name.clone());
        scope.terms.insert(var, name.clone());
        name
    }

    /// Returns true if a variable stands for roles and something else, and none of these conditions excludes the latter.
    fn may_be_no_role(&self, scope: &Scope, literals: &[&Literal], var: u32) -> bool {
        let kind = self.types.kind(Place::Var(scope.clause, var));
        matches!(kind, Some(Kind::OptionalPlayer(_)))
            && !literals.iter().any(|literal| self.names_role(scope, literal, var))
    }

    /// Translates conditions that hold for some role as the value of a variable, or for what is no role.
    fn role_or_other(&self, literals: &[&Literal], scope: &Scope, var: u32) -> Result<String, ImportError> {
        let mut of_roles = scope.clone();
        let name = self.name_variable(&mut of_roles, var);
        let some = self.formula(literals, &mut of_roles, &BTreeSet::new())?.written();
        let mut of_other = scope.clone();
        of_other.terms.insert(var, "none".to_owned());
        let other = self.formula(literals, &mut of_other, &BTreeSet::new())?.written();
        let either = any_of(&[format!("(some {name} in Player: {some})"), other]);
        Ok(if either == "true" { either } else { format!("({either})") })
    }

    /// Returns true if a condition holds for a role only, as the value of a variable.
    fn names_role(&self, scope: &Scope, literal: &Literal, var: u32) -> bool {
        let is_var = |pattern: &Pattern| *pattern == Pattern::Var(var);
        let is_empty = |pattern: &Pattern| match (pattern, self.types.kind(Place::Var(scope.clause, var))) {
            (Pattern::Const(name), Some(Kind::OptionalPlayer(empty))) => name == empty,
            _ => false,
        };
        let sentence = match literal {
            Literal::Positive(sentence) => sentence,
            Literal::Distinct(a, b, _) => return is_var(a) && is_empty(b) || is_var(b) && is_empty(a),
            _ => return false,
        };
        let of = &self.sheet.keywords;
        let args = places(of, sentence);
        let is_control = || matches!(self.fluent(&sentence.args[0]), Some(Fluent::Control));
        let has_roles =
            [of.role, of.does].contains(&sentence.relation) || sentence.relation == of.true_ && is_control();
        has_roles && args.first().is_some_and(|(_, pattern)| is_var(pattern))
            || args.iter().any(|(place, pattern)| is_var(pattern) && self.role_places.contains(place))
    }

    /// Translates a condition; `None` while its variables are not known. It may determine variables.
    fn literal(
        &self,
        literal: &Literal,
        among: &[&Literal],
        scope: &mut Scope,
    ) -> Result<Option<Vec<String>>, ImportError> {
        match literal {
            Literal::Positive(sentence) => self.positive(sentence, among, scope),
            Literal::Negative(sentence) => self.negative(sentence, scope),
            Literal::Distinct(a, b, _) => Ok(self.comparison((a, b), "!=", scope).map(|part| vec![part])),
            Literal::Same(a, b, _) => Ok(self.comparison((a, b), "=", scope).map(|part| vec![part])),
            Literal::Or(branches, _) => {
                // A variable that occurs elsewhere must be known.
                let mut known = true;
                literal.each_var(&mut |var| {
                    let elsewhere = among.iter().any(|other| {
                        let mut found = false;
                        if !std::ptr::eq(*other, literal) {
                            other.each_var(&mut |of| found |= of == var);
                        }
                        found
                    });
                    known &= scope.terms.contains_key(&var) || !elsewhere;
                });
                if !known {
                    return Ok(None);
                }
                let mut parts = Vec::new();
                for branch in branches {
                    let literals: Vec<&Literal> = branch.iter().collect();
                    let formula = self.formula(&literals, &mut scope.clone(), &BTreeSet::new())?;
                    parts.push(formula.written());
                }
                let written = any_of(&parts);
                Ok(Some(vec![if parts.len() > 1 && written != "true" {
                    format!("({written})")
                } else {
                    written
                }]))
            }
        }
    }

    /// The comparison of two terms.
    fn comparison(&self, pair: (&Pattern, &Pattern), sign: &str, scope: &Scope) -> Option<String> {
        let place = |pattern: &Pattern| match pattern {
            Pattern::Var(var) => Some(Place::Var(scope.clause, *var)),
            _ => None,
        };
        let (a, b) = pair;
        let Some(of) = place(a).or_else(|| place(b)) else {
            return Some(if (a == b) == (sign == "=") { "true" } else { "false" }.to_owned());
        };
        let is_other = |pattern: &Pattern| match pattern {
            Pattern::Const(symbol) => self.types.value(of, *symbol).is_none(),
            _ => false,
        };
        if is_other(a) || is_other(b) {
            return Some(if sign == "=" { "false" } else { "true" }.to_owned());
        }
        let (a, b) = (self.term(scope, of, a)?, self.term(scope, of, b)?);
        if a == b {
            return Some((sign == "=").to_string());
        }
        let is_player = |term: &String| scope.names.contains(term) && !scope.optional.contains(term);
        if a == "none" && is_player(&b) || b == "none" && is_player(&a) {
            return Some((sign != "=").to_string());
        }
        if let (Some(a), Some(b)) = (scope.range_of(&a), scope.range_of(&b))
            && (a.1 < b.0 || b.1 < a.0)
        {
            return Some((sign != "=").to_string());
        }
        Some(format!("{a} {sign} {b}"))
    }

    fn positive(
        &self,
        sentence: &Sentence,
        among: &[&Literal],
        scope: &mut Scope,
    ) -> Result<Option<Vec<String>>, ImportError> {
        let of = &self.sheet.keywords;
        let args = places(of, sentence);
        let terms: Vec<Option<String>> =
            args.iter().map(|(place, pattern)| self.term(scope, *place, pattern)).collect();
        let all: Option<Vec<String>> = terms.iter().cloned().collect();
        if sentence.relation == of.role {
            let is_role = |term: &String| !scope.optional.contains(term) && !term.contains('[');
            let part =
                |term: String| if is_role(&term) { Vec::new() } else { vec![format!("{term} != none")] };
            return Ok(all.map(|all| all.into_iter().flat_map(part).collect()));
        }
        if sentence.relation == of.does && self.choices.is_some() {
            return self.chosen(sentence, scope);
        }
        if sentence.relation == of.does {
            return Err(ImportError::new(
                "a move is a condition where none is being made",
                Some(sentence.span),
            ));
        }
        if self.of_moves.contains(&sentence.relation) && scope.moved.is_some() {
            // Other conditions give its variables.
            let holds = if all.is_some() { self.holds_later(sentence, scope)? } else { None };
            return Ok(holds.map(|part| vec![part]));
        }
        if sentence.relation == of.true_ {
            let Some(fluent) = self.fluent(&sentence.args[0]) else {
                return Ok(Some(vec!["false".to_owned()]));
            };
            return Ok(match fluent {
                Fluent::Constant => all.map(|all| vec![self.constant_part(&sentence.args[0], &all)]),
                Fluent::Control => {
                    let here = if scope.context == Context::Move { "me" } else { "mover" };
                    match &all {
                        Some(all) if all[0] == here => Some(Vec::new()),
                        Some(all) => Some(vec![format!("{here} = {}", all[0])]),
                        None => {
                            if let Pattern::Var(var) = args[0].1 {
                                scope.terms.insert(*var, here.to_owned());
                            }
                            Some(Vec::new())
                        }
                    }
                }
                Fluent::Truth(field) => all.map(|all| vec![cell(field, &all)]),
                Fluent::Value { field, total } => {
                    let Some((value, keys)) = terms.split_last() else { return Ok(None) };
                    let Some(keys) = keys.iter().cloned().collect::<Option<Vec<String>>>() else {
                        return Ok(None);
                    };
                    let read = cell(field, &keys);
                    match (value, args.last()) {
                        // The value of this cell, once more: only that there is one.
                        (Some(value), Some((place, _))) if *value == read => {
                            let mut parts = self.key_bounds(&sentence.args[0], &keys, among, scope);
                            parts.extend(self.no_hole(field, &keys));
                            if !total && !self.types.has_empty_value(*place) {
                                parts.push(format!("{read} != none"));
                            }
                            Some(parts)
                        }
                        (Some(value), pattern) => {
                            let is_role = matches!(pattern, Some((_, Pattern::Const(_)))) && value != "none";
                            let mut parts = vec![format!("{read} = {value}")];
                            if !is_role {
                                parts.extend(self.no_hole(field, &keys));
                            }
                            Some(parts)
                        }
                        (None, Some((place, Pattern::Var(var)))) => {
                            scope.terms.insert(*var, read.clone());
                            let mut parts = self.key_bounds(&sentence.args[0], &keys, among, scope);
                            parts.extend(self.no_hole(field, &keys));
                            if !total && !self.types.has_empty_value(*place) {
                                parts.push(format!("{read} != none"));
                            }
                            if let Place::Function(name, at) = *place
                                && let Some(mut range) = self.range_at(name, at)
                            {
                                // Whoever moves does so where the game is not over.
                                while scope.context == Context::Move
                                    && keys.is_empty()
                                    && range.0 < range.1
                                    && self.ends_with(name, range.1)
                                {
                                    range.1 -= 1;
                                }
                                scope.ranges.insert(read, range);
                            }
                            Some(parts)
                        }
                        _ => None,
                    }
                }
            });
        }
        match self.statics.get(&sentence.relation) {
            Some(Static::Successor { .. }) if all.is_some() => {
                Ok(all.map(|all| self.successor(sentence.relation, &all[0], &all[1])))
            }
            Some(form @ (Static::Successor { .. } | Static::Predecessor { .. })) if all.is_none() => {
                let ([Some(_), None] | [None, Some(_)]) = &terms[..] else { return Ok(None) };
                let open = usize::from(terms[0].is_some());
                let known = terms[1 - open].clone().unwrap_or_default();
                let is_up = matches!(form, Static::Successor { .. }) == (open == 1);
                let Pattern::Var(var) = args[open].1 else { return Ok(None) };
                let term = sum(&known, if is_up { 1 } else { -1 });
                scope.terms.insert(*var, term.clone());
                let bound = self.step_bound(sentence.relation, (open, args[open].1), &term, among, scope);
                Ok(Some(bound.into_iter().collect()))
            }
            Some(Static::Same(range)) => {
                let bound = |term: &String| range.map(|range| in_range(term, range)).into_iter().collect();
                match (&terms[0], &terms[1], args[0].1, args[1].1) {
                    (Some(a), Some(b), ..) if a == b => Ok(Some(bound(a))),
                    (Some(known), None, _, Pattern::Var(var)) | (None, Some(known), Pattern::Var(var), _) => {
                        scope.terms.insert(*var, known.clone());
                        Ok(Some(bound(known)))
                    }
                    _ => Ok(all.map(|all| vec![self.static_part(&Static::Same(*range), sentence, &all)])),
                }
            }
            Some(Static::Sum { least, most }) => {
                Ok(self.sum_part(sentence, (*least, *most), &terms, among, scope))
            }
            // The other one of two players.
            Some(Static::Comparison("!="))
                if self.names.roles.len() == 2
                    && self.types.kind(args[0].0) == Some(&Kind::Player)
                    && terms.iter().any(Option::is_none) =>
            {
                let ([Some(known), None] | [None, Some(known)]) = &terms[..] else { return Ok(None) };
                let open = usize::from(terms[0].is_some());
                let Pattern::Var(var) = args[open].1 else { return Ok(None) };
                let other = if known == "me" { "opponent".to_owned() } else { format!("other({known})") };
                scope.terms.insert(*var, other);
                Ok(Some(Vec::new()))
            }
            Some(Static::Range(only, most)) if only == most && terms == [None] => {
                let Pattern::Var(var) = args[0].1 else { return Ok(None) };
                scope.terms.insert(*var, only.to_string());
                Ok(Some(Vec::new()))
            }
            // The type of the term says so.
            Some(Static::Range(least, most))
                if terms[0]
                    .as_ref()
                    .and_then(|term| scope.range_of(term))
                    .is_some_and(|range| is_within(range, (*least, *most))) =>
            {
                Ok(Some(Vec::new()))
            }
            Some(Static::Arithmetic(of)) => {
                let Some((at, term)) = of.open_term(&terms) else {
                    return Ok(all.map(|all| of.conditions(&all, &self.ranges(sentence.relation))));
                };
                let Pattern::Var(var) = args[at].1 else { return Ok(None) };
                scope.terms.insert(*var, term.clone());
                let all: Vec<String> = terms.iter().map(|of| of.clone().unwrap_or(term.clone())).collect();
                // A cell with this key exists only within its range.
                let is_key = among.iter().any(|literal| self.key_range(literal, *var).is_some());
                Ok(Some(of.bounds(&all, &self.ranges(sentence.relation), Some((at, is_key)))))
            }
            Some(Static::Functions) => {
                let Some(Some(first)) = terms.first() else { return Ok(None) };
                let mut parts = Vec::new();
                let values = self.values_of(sentence.relation, first);
                for ((value, term), (_, pattern)) in values.into_iter().zip(&terms[1..]).zip(&args[1..]) {
                    match (term, pattern) {
                        (Some(term), _) => parts.push(format!("{value} = {term}")),
                        (None, Pattern::Var(var)) => match scope.terms.get(var) {
                            Some(other) => parts.push(format!("{value} = {other}")),
                            None => {
                                scope.terms.insert(*var, value);
                            }
                        },
                        (None, _) => parts.push("false".to_owned()),
                    }
                }
                Ok(Some(parts))
            }
            Some(of_static) => Ok(all.map(|all| vec![self.static_part(of_static, sentence, &all)])),
            None if !self.definitions.contains_key(&sentence.relation) => Err(no_definition(sentence)),
            None if self.counts.contains_key(&sentence.relation) => {
                let Some(count) = self.count(sentence, &terms) else {
                    return Ok(all.map(|all| vec![self.call(sentence, &all)]));
                };
                match (terms.last(), args.last()) {
                    (Some(Some(number)), _) => Ok(Some(vec![format!("{number} = {count}")])),
                    (Some(None), Some((_, Pattern::Var(var)))) => {
                        scope.terms.insert(*var, count);
                        Ok(Some(Vec::new()))
                    }
                    _ => Ok(None),
                }
            }
            None => Ok(all.map(|all| vec![self.call(sentence, &all)])),
        }
    }

    fn negative(&self, sentence: &Sentence, scope: &mut Scope) -> Result<Option<Vec<String>>, ImportError> {
        let of = &self.sheet.keywords;
        let args = places(of, sentence);
        let terms = args.iter().map(|(place, pattern)| self.term(scope, *place, pattern));
        let Some(terms) = terms.collect::<Option<Vec<String>>>() else { return Ok(None) };
        if sentence.relation == of.does && self.choices.is_some() {
            let made = self.chosen(sentence, scope)?.unwrap_or_else(|| vec!["false".to_owned()]);
            return Ok(Some(vec![match &made[..] {
                [] => "false".to_owned(),
                [only] if only == "false" => "true".to_owned(),
                [only] if !only.contains(' ') => format!("not {only}"),
                made => format!("not ({})", made.join(" and ")),
            }]));
        }
        if sentence.relation == of.does {
            let made = self.made_later(sentence, scope);
            return made.map(|part| Some(vec![part])).ok_or_else(|| {
                ImportError::new("a move is a condition where none is being made", Some(sentence.span))
            });
        }
        if let Some(holds) = self.holds_later(sentence, scope)? {
            return Ok(Some(vec![super::effects::negated(&holds)]));
        }
        let part = if sentence.relation == of.true_ {
            match self.fluent(&sentence.args[0]) {
                None => "true".to_owned(),
                Some(Fluent::Constant) => match self.constant_part(&sentence.args[0], &terms).as_str() {
                    "true" => "false".to_owned(),
                    part => negated(part),
                },
                Some(Fluent::Control) if scope.context == Context::Move => format!("me != {}", terms[0]),
                Some(Fluent::Control) => format!("mover != {}", terms[0]),
                Some(Fluent::Truth(field)) => format!("not {}", cell(field, &terms)),
                Some(Fluent::Value { field, .. }) => match terms.split_last() {
                    Some((value, keys)) => match self
                        .no_hole(field, keys)
                        .filter(|_| value == "none" || !matches!(args.last(), Some((_, Pattern::Const(_)))))
                    {
                        Some(exists) => format!("not ({} = {value} and {exists})", cell(field, keys)),
                        None => format!("{} != {value}", cell(field, keys)),
                    },
                    None => "true".to_owned(),
                },
            }
        } else {
            match self.statics.get(&sentence.relation) {
                Some(Static::Successor { .. }) => {
                    match &self.successor(sentence.relation, &terms[0], &terms[1])[..] {
                        [_] => format!("{} != {}", terms[1], sum(&terms[0], 1)),
                        parts => format!("not ({})", parts.join(" and ")),
                    }
                }
                Some(of_static) => match self.static_part(of_static, sentence, &terms).as_str() {
                    "true" => "false".to_owned(),
                    "false" => "true".to_owned(),
                    part => negated(part),
                },
                None if !self.definitions.contains_key(&sentence.relation) => {
                    return Err(no_definition(sentence));
                }
                None => format!("not {}", self.call(sentence, &terms)),
            }
        };
        Ok(Some(vec![part]))
    }

    /// A call of the definition of a relation.
    pub(super) fn call(&self, sentence: &Sentence, terms: &[String]) -> String {
        let name = self.definitions.get(&sentence.relation).cloned().unwrap_or_default();
        if terms.is_empty() { name } else { format!("{name}({})", terms.join(", ")) }
    }
}

/// The reason why a condition has no form: it is about legal moves, goals or the end, or nothing makes it true.
fn no_definition(sentence: &Sentence) -> ImportError {
    ImportError::new(
        "a condition on legal moves, on goals or on a relation without rules",
        Some(sentence.span),
    )
}

/// Returns true if a condition stands in parentheses as a whole.
pub(super) fn is_wrapped(condition: &str) -> bool {
    let mut depth = 0;
    for (at, c) in condition.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 && at + 1 < condition.len() {
            return false;
        }
    }
    condition.starts_with('(')
}

/// A cell of a field.
pub fn cell(field: &str, keys: &[String]) -> String {
    if keys.is_empty() { field.to_owned() } else { format!("{field}[{}]", keys.join(", ")) }
}

/// Returns true if a name occurs in a text as a word.
pub fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}
