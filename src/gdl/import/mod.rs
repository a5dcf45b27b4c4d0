//! Sheets as texts in the language of Bouton, as far as their rules have a form there.
//!
//! Fluents with one value for each key become fields, the fluent of the turn becomes the turn, rules for `next` become
//! effects, and frame axioms disappear. The translation keeps variables; as a whole it is not proved.
//! Whoever uses it compares the text with the sheet on plays. Samples of positions guide the form of the
//! text, but what it relies on is proved: that a field has one value at most for each key, that it always
//! has one, that turns go round, and that each role has one goal at an end. Otherwise a field may be empty,
//! moves say whose turn it is, and the highest goal counts, or 0.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use bouton_base::source::{FileId, Span};
use bouton_syntax::diag::Diagnostic;

use crate::ground::AtomId;
use crate::names::Names;
use crate::sheet::{Clause, Literal, Pattern, Sheet};
use crate::simplify::Propositions;
use crate::terms::Symbol;
use crate::{check, clauses, exclusive, ground, has_errors, simplify, translate};

mod bounds;
mod choices;
mod choosers;
mod comments;
mod counts;
mod effects;
mod ends;
mod first_values;
mod flat;
mod forms;
mod formulas;
mod functions;
mod items;
mod loose_goals;
mod order;
mod other_value;
mod removals;
mod rotation;
mod static_facts;
mod strata;
#[cfg(test)]
mod tests;
mod types;
mod unfold;

use functions::Arithmetic;
use types::{Place, Types};

/// A sheet as a text.
#[derive(Debug)]
pub struct Imported {
    pub text: String,
    /// The role of each player of the text, as a number in the sheet.
    pub roles: Vec<usize>,
    /// The terms of moves, by the names of moves in the text; `{0}`, `{1}`, ... stand for the arguments.
    moves: BTreeMap<String, String>,
    /// The names in the sheet, by those in the text.
    names: BTreeMap<String, String>,
}

impl Imported {
    /// The move of the sheet, as a term, for a move of the text with these arguments as written.
    pub fn term(&self, name: &str, args: &[String]) -> Option<String> {
        let mut term = self.moves.get(name)?.clone();
        for (at, arg) in args.iter().enumerate() {
            term = term.replace(&format!("{{{at}}}"), self.names.get(arg)?);
        }
        Some(term)
    }
}

/// The reason why a sheet has no text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct ImportError {
    /// A sentence without a full stop.
    pub reason: String,
    /// The place of the clause or the condition, if it is one.
    pub span: Option<Span>,
}

impl ImportError {
    fn new(reason: &str, span: Option<Span>) -> ImportError {
        ImportError { reason: reason.to_owned(), span }
    }
}

/// The form of a fluent.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Fluent {
    /// Those that ever hold always do.
    Constant,
    /// It says whose turn it is.
    Control,
    /// A field of truth values.
    Truth(String),
    /// A field whose keys are all arguments but the last, which is its value; `total` if each cell always has one.
    Value { field: String, total: bool },
}

/// A relation that depends on neither the position nor moves.
#[derive(Clone, Debug)]
enum Static {
    /// It holds for all values of the types of its arguments.
    Everything,
    /// `(succ a b)`: b is a + 1, up to this number.
    Successor { most: i64, count: i64 },
    /// `(pred a b)`: b is a - 1, down to this number.
    Predecessor { least: i64, count: i64 },
    /// The first argument has this relation to the second: `<`, `<=`, `>`, `>=` or `!=`.
    Comparison(&'static str),
    /// The arguments are the same, in this range of numbers if there is one.
    Same(Option<(i64, i64)>),
    /// The only argument is a number from the first to the second.
    Range(i64, i64),
    /// The third argument is the sum of the first and a number for the second, if it is in this range.
    Sum { least: i64, most: i64 },
    /// The third argument is the sum or the difference of the first two, as in `(plus 3 4 7)`.
    Arithmetic(Arithmetic),
    /// All other arguments are functions of the first.
    Functions,
    /// Any other facts.
    Facts,
}

/// The state of an import.
struct Importer<'s> {
    sheet: &'s Sheet,
    game: &'s Propositions,
    names: &'s Names,
    text: &'s str,
    samples: &'s [Vec<String>],
    types: Types,
    /// The clauses that the game needs, with their numbers.
    clauses: Vec<(usize, &'s Clause)>,
    fluents: BTreeMap<Symbol, Fluent>,
    statics: BTreeMap<Symbol, Static>,
    /// The relations that depend on the moves that are made.
    of_moves: BTreeSet<Symbol>,
    /// The places of which all values are roles.
    role_places: BTreeSet<Place>,
    /// The relations that depend on themselves.
    recursive: BTreeSet<Symbol>,
    /// The relations that count the fluents that hold, one after the other.
    counts: BTreeMap<Symbol, counts::Count>,
    /// The functions of relations that are functions.
    functions: BTreeMap<Symbol, Vec<functions::Function>>,
    /// The names of the definitions of relations.
    definitions: BTreeMap<Symbol, String>,
    /// The names of moves.
    moves: BTreeMap<Symbol, String>,
    /// The fields for stored choices: if players choose at once, and where what a move changes depends on itself.
    choices: Option<BTreeMap<Symbol, choices::Choice>>,
    /// True if moves say whose turn it is next.
    states_turns: bool,
    /// The moves after which the same player moves again, if turns rotate otherwise, as fluents of turns show.
    rotation: Option<BTreeSet<Symbol>>,
    /// The fields with holes where all other cells always have a value.
    full: BTreeSet<String>,
    /// The definitions of the cells that exist, by the fields whose empty value is no hole.
    holes: BTreeMap<String, String>,
    /// The functions of fluents that have at most one value for each key.
    exclusive: BTreeSet<Symbol>,
    /// Those of them for which only samples show it.
    observed: BTreeSet<Symbol>,
    /// Those of them for which it is proved.
    alone: BTreeSet<Symbol>,
    /// Those that always have a value for each key, by a proof.
    remaining: BTreeSet<Symbol>,
    /// True if roles end without exactly one goal in plays of the sheet.
    has_loose_ends: bool,
    out: String,
}

/// A sheet that is being written as a text.
#[derive(Debug)]
pub struct Import {
    text: String,
    title: String,
    prepared: Prepared,
    /// The sheet with rules unfolded, once it was needed.
    unfolded: Option<Prepared>,
}

/// Observations of plays of a sheet.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Positions as lists of fluents, the initial one first.
    pub positions: Vec<Vec<String>>,
    /// True if a role had no goal or several at an end.
    pub has_loose_ends: bool,
}

/// The form of a text, as the user of an import selects it.
#[derive(Clone, Copy, Default, Debug)]
pub struct TextForm {
    /// True if moves say whose turn it is next; otherwise turns rotate.
    pub states_turns: bool,
    /// True if a field may have one value for each key because samples show no more than one, without a proof.
    pub trusts_samples: bool,
}

/// The form of a text.
#[derive(Clone, Copy)]
struct Form {
    of: TextForm,
    /// True if each move is stored, and a second stage has its effects, although players take turns.
    stores_moves: bool,
    /// True if roles may end without exactly one goal: the highest counts, or 0.
    has_loose_ends: bool,
}

/// A sheet in the form in which it is written.
#[derive(Debug)]
struct Prepared {
    sheet: Sheet,
    game: Propositions,
    names: Names,
    /// The form of terms, if it is another one than that of the sheet.
    flat: Option<flat::Flat>,
    /// The last proof about its fluents: other forms of the text need the same.
    last_proof: RefCell<Option<ExclusivityProof>>,
    /// The last proof about those that always have a value: the functions that were tried, those of which
    /// at most one fluent holds, and those that were proved.
    last_remaining: RefCell<Option<[BTreeSet<Symbol>; 3]>>,
}

/// A proof of which fluents exclude each other.
#[derive(Debug)]
struct ExclusivityProof {
    /// The functions of fluents that were tried, and the positions that they were tried in.
    functions: BTreeSet<Symbol>,
    positions: Vec<Vec<AtomId>>,
    /// The functions with at most one fluent for each key.
    proved: BTreeSet<Symbol>,
}

impl Import {
    /// Reads a sheet, of which the game has this title.
    pub fn new(text: &str, title: &str) -> Result<Import, ImportError> {
        let prepared = prepare(text, title, false)?;
        Ok(Import { text: text.to_owned(), title: title.to_owned(), prepared, unfolded: None })
    }

    /// Writes the text.
    pub fn write(&mut self, samples: &Samples, of: TextForm) -> Result<Imported, ImportError> {
        let form = Form { of, stores_moves: false, has_loose_ends: samples.has_loose_ends };
        let samples = &samples.positions;
        match self.prepared.write(&self.text, samples, form) {
            Err(error) if error.span.is_some() => {
                if self.unfolded.is_none() {
                    self.unfolded = prepare(&self.text, &self.title, true).ok();
                }
                // The first message is about a rule as it stands in the sheet.
                let Some(unfolded) = &self.unfolded else { return Err(error) };
                let stored = Form { stores_moves: true, ..form };
                unfolded
                    .write(&self.text, samples, form)
                    .or_else(|_| self.prepared.write(&self.text, samples, stored))
                    .map_err(|_| error)
            }
            result => result,
        }
    }
}

/// Reads a sheet and makes it flat, with rules unfolded if that is asked for.
fn prepare(text: &str, title: &str, unfolds: bool) -> Result<Prepared, ImportError> {
    let invalid = || ImportError::new("the sheet has errors", None);
    let file = FileId(0);
    let mut parsed = clauses::parse(file, text);
    parsed.diagnostics.extend(check::check(&parsed.sheet, file));
    if has_errors(&parsed.diagnostics) {
        return Err(invalid());
    }
    let mut sheet = Sheet { title: title.to_owned(), ..parsed.sheet };
    if let Some(what) = of_second_version(&sheet).map_err(|_| invalid())? {
        let reason = format!("the sheet is in GDL-II, for which there is no translation: {what}");
        return Err(ImportError { reason, span: None });
    }
    // Percepts that hide nothing say nothing more than the moves.
    let sees = sheet.keywords.sees;
    sheet.clauses.retain(|clause| clause.head.relation != sees);
    unfold::split_moves(&mut sheet);
    let flat = flat::flatten(&mut sheet)?;
    strata::split_by_constants(&mut sheet);
    unfold::unfold_steps(&mut sheet);
    if unfolds {
        unfold::unfold(&mut sheet);
    }
    let grounding = ground::ground(&mut sheet).map_err(|_| invalid())?;
    let game = simplify::Propositions::new(grounding, &sheet.keywords);
    let names = translate::translate(&sheet, &game).map_err(|_| invalid())?.names;
    Ok(Prepared {
        sheet,
        game,
        names,
        flat,
        last_proof: RefCell::new(None),
        last_remaining: RefCell::new(None),
    })
}

/// The reason why a sheet is one of the second version of the language, if it is one.
fn of_second_version(sheet: &Sheet) -> Result<Option<&'static str>, Box<Diagnostic>> {
    let of = &sheet.keywords;
    let is_random = |clause: &Clause| clause.head.args.first() == Some(&Pattern::Const(of.random));
    let second = |clause: &Clause| {
        clause.head.relation == of.sees || clause.head.relation == of.role && is_random(clause)
    };
    if !sheet.clauses.iter().any(second) {
        return Ok(None);
    }
    let mut sheet = sheet.clone();
    let game = simplify::Propositions::new(ground::ground(&mut sheet)?, &sheet.keywords);
    let names = translate::translate(&sheet, &game)?.names;
    Ok(match (names.chance, names.hidden) {
        (true, _) => Some("the role `random` is chance"),
        (_, true) => Some("`sees` hides moves from players"),
        _ => None,
    })
}

impl Prepared {
    /// The positions of samples with the fluents of this form.
    fn samples(&self, samples: &[Vec<String>]) -> Vec<Vec<String>> {
        let Some(flat) = &self.flat else { return samples.to_vec() };
        let known = self.names.fluents.iter().map(|of| &of.term).chain(&self.names.constants);
        let known: BTreeSet<&String> =
            known.chain(self.names.controls.iter().map(|(term, _)| term)).collect();
        let written = |term: &String| flat.fluent(&self.sheet, term).filter(|term| known.contains(term));
        samples.iter().map(|sample| sample.iter().filter_map(written).collect()).collect()
    }

    /// Returns the functions of these of whose fluents at most one holds for each key, by a proof.
    fn exclusive(&self, functions: &BTreeSet<Symbol>, positions: Vec<Vec<AtomId>>) -> BTreeSet<Symbol> {
        let mut last = self.last_proof.borrow_mut();
        if let Some(known) = &*last
            && known.functions == *functions
            && known.positions == positions
        {
            return known.proved.clone();
        }
        let proved = exclusive::exclusive(&self.game, &self.sheet.keywords, functions, &positions);
        let functions = functions.clone();
        last.insert(ExclusivityProof { functions, positions, proved }).proved.clone()
    }

    /// Returns the functions of these that always have a value for each key, by a proof; no sample may lack
    /// one.
    fn remaining(
        &self,
        functions: &BTreeSet<Symbol>,
        alone: &BTreeSet<Symbol>,
        samples: &[Vec<String>],
    ) -> BTreeSet<Symbol> {
        let tried = first_values::total_in(functions, samples, &self.sheet, &self.game);
        let mut last = self.last_remaining.borrow_mut();
        if let Some([functions, of, proved]) = &*last
            && (functions, of) == (&tried, alone)
        {
            return proved.clone();
        }
        let proved = exclusive::remaining(&self.game, &self.sheet.keywords, &tried, alone);
        last.insert([tried, alone.clone(), proved])[2].clone()
    }

    fn write(&self, text: &str, samples: &[Vec<String>], form: Form) -> Result<Imported, ImportError> {
        let samples = &self.samples(samples);
        let Prepared { sheet, game, names, flat, .. } = self;
        let needed = needed(sheet);
        let clauses: Vec<(usize, &Clause)> = sheet
            .clauses
            .iter()
            .enumerate()
            .filter(|(_, clause)| needed.contains(&clause.head.relation))
            .collect();
        let mut importer = Importer {
            sheet,
            game,
            names,
            text,
            samples,
            types: Types::of(sheet, &clauses, &controls(sheet, names)?)?,
            clauses,
            fluents: BTreeMap::new(),
            statics: BTreeMap::new(),
            recursive: BTreeSet::new(),
            role_places: types::role_places(sheet, game),
            of_moves: depending(sheet, &[sheet.keywords.does]),
            counts: BTreeMap::new(),
            functions: BTreeMap::new(),
            definitions: BTreeMap::new(),
            moves: BTreeMap::new(),
            choices: None,
            states_turns: form.of.states_turns,
            rotation: None,
            full: BTreeSet::new(),
            holes: BTreeMap::new(),
            exclusive: first_values::exclusive_in(samples, sheet, game),
            observed: BTreeSet::new(),
            alone: BTreeSet::new(),
            remaining: BTreeSet::new(),
            has_loose_ends: form.has_loose_ends,
            out: String::new(),
        };
        let proved = self.exclusive(&importer.exclusive, fluents_in(samples, sheet, game));
        importer.remaining = self.remaining(&importer.exclusive, &proved, samples);
        importer.alone = proved.clone();
        match form.of.trusts_samples {
            true => importer.observed = importer.exclusive.difference(&proved).copied().collect(),
            false => importer.exclusive = proved,
        }
        importer.recursive = importer.find_recursive();
        importer.name_parts()?;
        // Plays that show no other turn prove nothing.
        importer.states_turns |= !importer.names.controls.is_empty() && !importer.turns_go_round();
        importer.rotation = if importer.states_turns { None } else { importer.find_rotation() };
        importer.name_functions();
        importer.counts = importer.find_counts();
        if importer.at_once() || form.stores_moves {
            importer.name_choices()?;
        }
        let roles = importer.role_order();
        importer.write(&roles)?;
        let Importer { types, moves, out, .. } = importer;
        let term = |symbol: Symbol| match flat.as_ref().and_then(|flat| flat.original(sheet, symbol)) {
            Some(term) => term,
            None => {
                let places: Vec<String> = (0..types.arity(symbol)).map(|at| format!("{{{at}}}")).collect();
                let name = sheet.symbols.name(symbol);
                if places.is_empty() { name.to_owned() } else { format!("({name} {})", places.join(" ")) }
            }
        };
        let moves = moves.into_iter().map(|(symbol, name)| (name, term(symbol))).collect();
        Ok(Imported { text: out, roles, moves, names: types.originals })
    }
}

/// The functions of the fluents that say whose turn it is: each fluent has a role as its only argument.
fn controls(sheet: &Sheet, names: &Names) -> Result<Vec<Symbol>, ImportError> {
    let mut found = Vec::new();
    for (term, player) in &names.controls {
        let function = sheet.symbols.find(head_of(term));
        let wanted = format!("({} {})", head_of(term), names.roles[*player as usize]);
        match function {
            Some(function) if *term == wanted => found.push(function),
            _ => {
                return Err(ImportError::new(
                    &format!("`{term}` says whose turn it is, and names no role"),
                    None,
                ));
            }
        }
    }
    Ok(found)
}

/// The relations that the game needs: those that play depends on.
fn needed(sheet: &Sheet) -> BTreeSet<Symbol> {
    let of = &sheet.keywords;
    let mut needed: BTreeSet<Symbol> = [of.role, of.init, of.next, of.legal, of.goal, of.terminal].into();
    loop {
        let before = needed.len();
        for clause in &sheet.clauses {
            if needed.contains(&clause.head.relation) {
                for literal in &clause.body {
                    literal.each_sentence(&mut |sentence, _| {
                        needed.insert(sentence.relation);
                    });
                }
            }
        }
        if needed.len() == before {
            return needed;
        }
    }
}

/// The relations with rules that depend on one of these relations.
fn depending(sheet: &Sheet, on: &[Symbol]) -> BTreeSet<Symbol> {
    let mut found: BTreeSet<Symbol> = on.iter().copied().collect();
    loop {
        let before = found.len();
        for clause in &sheet.clauses {
            let mut depends = false;
            clause.body.iter().for_each(|literal| {
                literal.each_sentence(&mut |sentence, _| depends |= found.contains(&sentence.relation));
            });
            if depends {
                found.insert(clause.head.relation);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// A fluent without its last argument.
fn key_of(term: &str) -> &str {
    term.rsplit_once(' ').map_or("", |(key, _)| key)
}

/// The fluents of samples.
fn fluents_in(samples: &[Vec<String>], sheet: &Sheet, game: &Propositions) -> Vec<Vec<AtomId>> {
    let fluents = game.possible(sheet.keywords.true_).into_iter();
    let written: BTreeMap<String, AtomId> =
        fluents.map(|of| (game.terms.render(&sheet.symbols, game.facts.args(of)[0]), of)).collect();
    samples
        .iter()
        .map(|sample| sample.iter().filter_map(|term| written.get(term).copied()).collect())
        .collect()
}

impl Importer<'_> {
    /// The functions about whose fluents something is proved.
    fn proved(&self) -> exclusive::Proved<'_> {
        exclusive::Proved { alone: &self.alone, remaining: &self.remaining }
    }

    fn symbol(&self, symbol: Symbol) -> &str {
        self.sheet.symbols.name(symbol)
    }

    /// The form of a fluent; `None` if nothing makes it true.
    fn fluent(&self, fluent: &Pattern) -> Option<&Fluent> {
        match fluent {
            Pattern::Const(name) | Pattern::Compound(name, _) => self.fluents.get(name),
            Pattern::Var(_) => None,
        }
    }

    /// Finds the forms of fluents and static relations, and names fields, definitions and moves.
    fn name_parts(&mut self) -> Result<(), ImportError> {
        let of = self.sheet.keywords;
        let mut functions: Vec<(Symbol, usize)> = Vec::new();
        let mut moves: Vec<Symbol> = Vec::new();
        for (_, clause) in &self.clauses {
            let mut note = |relation: Symbol, args: &[Pattern], span: Span| -> Result<(), ImportError> {
                let at = if relation == of.legal || relation == of.does { 1 } else { 0 };
                let (name, arity) = match args.get(at) {
                    Some(Pattern::Const(name)) => (*name, 0),
                    Some(Pattern::Compound(name, args)) => (*name, args.len()),
                    _ if relation == of.does => return Ok(()),
                    _ => {
                        return Err(ImportError::new(
                            "a variable stands for a whole fluent or move",
                            Some(span),
                        ));
                    }
                };
                if at == 1 {
                    if !moves.contains(&name) {
                        moves.push(name);
                    }
                } else if !functions.contains(&(name, arity)) {
                    functions.push((name, arity));
                }
                Ok(())
            };
            let mut made = Ok(());
            let mut visit = |relation: Symbol, args: &[Pattern], span: Span| {
                if [of.init, of.true_, of.next, of.legal, of.does].contains(&relation) && made.is_ok() {
                    made = note(relation, args, span);
                }
            };
            visit(clause.head.relation, &clause.head.args, clause.head.span);
            clause.body.iter().for_each(|l| l.each_sentence(&mut |s, _| visit(s.relation, &s.args, s.span)));
            made?;
        }
        for (name, arity) in functions {
            if let Some(form) = self.form(name, arity) {
                self.fluents.insert(name, form);
            }
        }
        // Waiting is no move of a game in turns.
        let has_move = |of: &Names, name: &str| of.moves.iter().any(|made| head_of(&made.term) == name);
        for name in moves {
            if has_move(self.names, self.symbol(name)) {
                let written = self.types.fresh(self.sheet.symbols.name(name));
                self.moves.insert(name, written);
            }
        }
        let relations: BTreeSet<Symbol> =
            self.clauses.iter().map(|(_, clause)| clause.head.relation).collect();
        let keywords = [of.role, of.init, of.next, of.legal, of.goal, of.terminal];
        let changing = depending(self.sheet, &[of.true_, of.does]);
        for relation in relations.into_iter().filter(|relation| !keywords.contains(relation)) {
            if !changing.contains(&relation) {
                self.statics.insert(relation, self.static_form(relation).unwrap_or(Static::Facts));
            }
            let written = self.types.fresh(self.sheet.symbols.name(relation));
            self.definitions.insert(relation, written);
        }
        Ok(())
    }

    /// The facts of a static relation, as written values, in order.
    fn tuples(&self, relation: Symbol) -> Vec<Vec<String>> {
        let value = |at: usize, term: crate::terms::TermId| {
            let name = self.game.terms.get(term).name;
            self.types.value(Place::Relation(relation, at), name).unwrap_or_default().to_owned()
        };
        let of_atom = |&atom: &crate::ground::AtomId| {
            self.game.facts.args(atom).iter().enumerate().map(|(at, &term)| value(at, term)).collect()
        };
        let facts = self.game.facts.derived().iter();
        facts.filter(|&&atom| self.game.facts.relation(atom) == relation).map(of_atom).collect()
    }

    /// The clauses with this head relation, with their numbers.
    fn clauses_of(&self, relation: Symbol) -> Vec<(usize, &Clause)> {
        self.clauses.iter().copied().filter(|(_, clause)| clause.head.relation == relation).collect()
    }

    /// The roles in the order of players: the one that moves first comes first.
    fn role_order(&self) -> Vec<usize> {
        let count = self.names.roles.len();
        let begins =
            |(term, player): &(String, u32)| self.samples.first()?.contains(term).then_some(*player as usize);
        let first = match self.only_mover() {
            _ if self.at_once() => 0,
            Some(role) => role,
            None if self.rotation.is_some() => self.names.chooses.iter().find_map(begins).unwrap_or(0),
            None => self.names.controls.iter().find_map(begins).unwrap_or(0),
        };
        (0..count).map(|at| (first + at) % count).collect()
    }

    /// The only role that ever chooses.
    fn only_mover(&self) -> Option<usize> {
        let first = self.names.moves.first()?.role;
        self.names.moves.iter().all(|of| of.role == first).then_some(first as usize)
    }

    /// True if several players choose at once.
    fn at_once(&self) -> bool {
        self.names.simultaneous && self.names.roles.len() > 1
    }

    /// True if the only player needs no turn, or players take turns by a fluent.
    fn has_turns(&self) -> bool {
        self.names.roles.len() > 1
    }
}

/// The name of the function of a term.
fn head_of(term: &str) -> &str {
    let inner = term.strip_prefix('(').unwrap_or(term);
    inner.split([' ', ')']).next().unwrap_or_default()
}

/// The arguments of a term without terms in it.
fn args_of(term: &str) -> impl Iterator<Item = &str> {
    term.trim_start_matches('(').trim_end_matches(')').split(' ').skip(1)
}

/// The literals of a clause.
fn literals(clause: &Clause) -> Vec<&Literal> {
    clause.body.iter().collect()
}
