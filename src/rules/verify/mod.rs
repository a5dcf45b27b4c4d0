//! Tests that rules are well-formed, whichever front end made them. The checklist, an item for each [`Requirement`]:
//!
//! * *ids*: every id is in the range of its list, in types, values and expressions; records do not contain themselves;
//! * *enumerations*: the players come first and are at least one, the directions second, no name occurs twice;
//! * *boards*: the members of the enumerations of a board are its cells, sides and edges; the directions of the rules
//!   are the members of their enumeration;
//! * *values*: constants, parameters, keys, initial values and entries belong to their types;
//! * *fields*: the first two are the mover and the phase; keys ascend; each cell has an initial value and, where players
//!   see single cells, a list of them;
//! * *tables*: keys ascend; each cell has an entry;
//! * *variables*: each use of a variable is in the scope of a parameter, a binder or a `let` of the same item;
//! * *arguments*: fields, tables, definitions, records and functions of boards have their number of arguments, and a
//!   counted value has a number to count up to;
//! * *types*: each expression has a type, which agrees with those of its parts, and the type that its place needs;
//! * *maker*: `me` occurs only in moves, and in definitions that say so;
//! * *legal moves*: `stuck` occurs only in ends, passes, invariants and claims, which are not part of the legal moves;
//! * *definitions*: they are circular only within an inductive group, whose uses are positive;
//! * *effects*: the value of an effect fits the part of the field that it changes;
//! * *players*: lists with an expression for each player have as many, and `SinglePlayer` ends a game of one player;
//! * *moves*: their names do not begin with a digit, so that numbers and moves are told apart where both are listed;
//! * *phases*: there is one; those of a move exist; chance events belong to phases by chance and moves to others;
//! * *claims*: drawn fields have the cells of a board as their key; moves that claims name exist, with their arguments.
//!
//! [`verify`] runs after each analysis in builds with debug assertions, and on all rules that are not read from a file.

use std::fmt;

use bouton_base::id::Id;

use crate::typing::Typing;
use crate::uses::{DefUse, Polarity, def_uses};
use crate::{
    Actor, Claim, DIR, DisplaySource, EnumId, EnumKind, Expectation, KeyDomain, MOVER, MoveRef, OutcomeExpr,
    PHASE, PLAYER, PerPlayer, RecordId, Rules, SymmetryClaim, TemplatePart, TestStep, Type, Value, Vars,
    Visibility,
};

mod scope;
#[cfg(test)]
mod tests;

use scope::{Place, Scope};

/// An item of the checklist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Requirement {
    Ids,
    Enumerations,
    Boards,
    Values,
    Fields,
    Tables,
    Variables,
    Arguments,
    Types,
    Maker,
    LegalMoves,
    Definitions,
    Effects,
    Players,
    Moves,
    Phases,
    Claims,
}

/// A part of rules that is not well-formed. As text, it is a sentence without its full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub requirement: Requirement,
    /// The item of the rules: "move `mark`".
    pub item: String,
    /// The reason: a sentence without its full stop.
    pub reason: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.item, self.reason)
    }
}

/// Returns all parts of rules that are not well-formed. If ids or the shapes of types are wrong, only those.
pub fn verify(rules: &Rules) -> Vec<Violation> {
    let mut verifier = Verifier::of_declarations(rules);
    for of in &rules.moves {
        verifier.enter("move", &of.name);
        verifier.vars(&of.vars);
    }
    // Later checks read types and look ids up.
    if verifier.found.is_empty() {
        verifier.boards();
        verifier.tables();
        verifier.defs();
        verifier.phases();
        verifier.moves();
        verifier.ends();
        verifier.claims();
    }
    verifier.found
}

/// Returns the violations that would make types meaningless; expressions need no types yet.
pub(crate) fn verify_declarations(rules: &Rules) -> Vec<Violation> {
    Verifier::of_declarations(rules).found
}

/// The state of a verification.
struct Verifier<'r> {
    rules: &'r Rules,
    /// The item that is being verified.
    item: String,
    found: Vec<Violation>,
}

impl<'r> Verifier<'r> {
    /// Tests what expressions rely on: enumerations, records, fields, and the types of tables and definitions.
    fn of_declarations(rules: &'r Rules) -> Verifier<'r> {
        let mut verifier = Verifier { rules, item: String::new(), found: Vec::new() };
        verifier.enums();
        verifier.records();
        verifier.fields();
        verifier.signatures();
        verifier
    }

    fn report(&mut self, requirement: Requirement, reason: impl Into<String>) {
        self.found.push(Violation { requirement, item: self.item.clone(), reason: reason.into() });
    }

    /// Reports a violation if `holds` is false.
    fn require(&mut self, requirement: Requirement, holds: bool, reason: &str) {
        if !holds {
            self.report(requirement, reason);
        }
    }

    fn enter(&mut self, kind: &str, name: &str) {
        self.item = if name.is_empty() { format!("a {kind}") } else { format!("{kind} `{name}`") };
    }

    fn enums(&mut self) {
        let kind = |id: EnumId| self.rules.enums.get(id).map(|of| of.kind.clone());
        let first = kind(PLAYER) == Some(EnumKind::Player) && kind(DIR) == Some(EnumKind::Dir);
        let players = self.rules.enums.get(PLAYER).is_some_and(|players| !players.members.is_empty());
        self.enter("game", &self.rules.name);
        self.require(
            Requirement::Enumerations,
            first,
            "the players and the directions are not the first enums",
        );
        self.require(Requirement::Enumerations, players, "there are no players");
        for (id, of) in self.rules.enums.entries() {
            self.enter("enum", &of.name);
            let mut names: Vec<&String> = of.members.iter().collect();
            names.sort_unstable();
            let distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
            self.require(Requirement::Enumerations, distinct, "two members have one name");
            if let EnumKind::Cells(board) | EnumKind::Sides(board) | EnumKind::Edges(board) = of.kind {
                let known = self.rules.boards.get(board).is_some();
                self.require(Requirement::Ids, known, "its board does not exist");
            }
            let once = matches!(of.kind, EnumKind::Player) == (id == PLAYER)
                && matches!(of.kind, EnumKind::Dir) == (id == DIR);
            self.require(Requirement::Enumerations, once, "there are other players or directions");
        }
        for board in &self.rules.boards {
            self.enter("board", &board.name);
            let mut enums = [Some(board.cells), board.sides, board.edges].into_iter().flatten();
            let known = enums.all(|id| id.index() < self.rules.enums.len());
            self.require(Requirement::Ids, known, "one of its enumerations does not exist");
        }
    }

    fn records(&mut self) {
        for (id, record) in self.rules.records.entries() {
            self.enter("record", &record.name);
            for (_, ty) in &record.parts {
                self.ty(ty);
            }
            if self.found.is_empty() && self.is_recursive(id) {
                self.report(Requirement::Ids, "it contains itself");
            }
        }
    }

    /// Returns true if a record mentions itself, directly or through other records.
    fn is_recursive(&self, record: RecordId) -> bool {
        let mut inner = Vec::new();
        let mut next = Some(record);
        let mut seen = 0;
        while let Some(at) = next {
            for (_, ty) in &self.rules.records[at].parts {
                records_in(ty, &mut inner);
            }
            next = inner.get(seen).copied();
            seen += 1;
        }
        inner.contains(&record)
    }

    /// Reports a type that mentions what does not exist, or that is no type.
    fn ty(&mut self, ty: &Type) {
        match self.type_fault(ty) {
            Some(Type::Error) => self.report(Requirement::Types, "a part of it has no type"),
            Some(_) => self.report(Requirement::Ids, "a type mentions what does not exist"),
            None => {}
        }
    }

    /// The part of a type that is no type.
    fn type_fault<'t>(&self, ty: &'t Type) -> Option<&'t Type> {
        let fault = match ty {
            Type::Error => true,
            Type::Sym(id) => id.index() >= self.rules.enums.len(),
            Type::Record(id) => id.index() >= self.rules.records.len(),
            Type::Tuple(parts) => return parts.iter().find_map(|part| self.type_fault(part)),
            Type::Option(inner) | Type::Set(inner) | Type::List(inner) => return self.type_fault(inner),
            Type::Subset(among) => {
                return match self.type_fault(&among.base) {
                    None if !among.values.iter().all(|value| self.rules.knows(value)) => Some(ty),
                    fault => fault,
                };
            }
            Type::Never | Type::Bool | Type::Int(..) | Type::Ratio | Type::Text => false,
        };
        fault.then_some(ty)
    }

    /// Reports a value that mentions what does not exist, or that does not belong to its type.
    fn value(&mut self, value: &Value, ty: &Type) {
        if !self.rules.knows(value) {
            self.report(Requirement::Ids, "a value mentions what does not exist");
        } else if !self.rules.has_value(ty, value) {
            let (value, ty) = (self.rules.show(value), self.rules.show_type(ty));
            self.report(Requirement::Values, format!("`{value}` is not in `{ty}`"));
        }
    }

    /// Tests the types of keys, and that their values ascend; returns the number of cells.
    fn keys(&mut self, keys: &[KeyDomain], requirement: Requirement) -> usize {
        for key in keys {
            self.ty(&key.ty);
            if self.type_fault(&key.ty).is_none() {
                key.values.iter().for_each(|value| self.value(value, &key.ty));
            }
            let ascend = key.values.windows(2).all(|pair| pair[0] < pair[1]);
            self.require(requirement, ascend, "the values of a key do not ascend");
        }
        keys.iter().map(|key| key.values.len()).product()
    }

    fn fields(&mut self) {
        let rules = self.rules;
        self.enter("game", &rules.name);
        let is = |id, ty: &Type| {
            rules.fields.get(id).is_some_and(|field| field.keys.is_empty() && field.ty == *ty)
        };
        let phases = rules.phases.len() as i64 - 1;
        let built_in = is(MOVER, &Type::Sym(PLAYER)) && is(PHASE, &Type::Int(0, phases));
        self.require(Requirement::Fields, built_in, "the first fields are not the mover and the phase");
        for field in &rules.fields {
            self.enter("field", &field.name);
            let cells = self.keys(&field.keys, Requirement::Fields);
            self.require(
                Requirement::Fields,
                field.init.len() == cells,
                "not every cell has an initial value",
            );
            if let Visibility::To(lists) = &field.visibility {
                let one_each = lists.len() == cells;
                self.require(
                    Requirement::Fields,
                    one_each,
                    "not every cell has a list of players who see it",
                );
                let players = rules.enums.get(PLAYER).map_or(0, |players| players.members.len());
                let known = lists.iter().flatten().all(|&player| (player as usize) < players);
                self.require(Requirement::Ids, known, "a player who sees it does not exist");
            }
            self.ty(&field.ty);
            if self.type_fault(&field.ty).is_none() {
                field.init.iter().for_each(|value| self.value(value, &field.ty));
            }
        }
        for (name, value) in &rules.params {
            self.enter("parameter", name);
            self.require(Requirement::Ids, self.rules.knows(value), "its value mentions what does not exist");
        }
    }

    /// Tests the types that expressions rely on: those of variables, parameters, results and entries.
    fn signatures(&mut self) {
        for table in &self.rules.tables {
            self.enter("table", &table.name);
            table.keys.iter().for_each(|key| self.ty(&key.ty));
            self.ty(&table.ty);
        }
        for def in &self.rules.defs {
            self.enter("definition", &def.name);
            self.ty(&def.ty);
            self.vars(&def.vars);
            let known = def.params.iter().all(|param| param.index() < def.vars.len());
            self.require(Requirement::Ids, known, "a parameter is no variable of it");
        }
        for of in &self.rules.moves {
            self.enter("move", &of.name);
            let known = of.params.iter().all(|param| param.var.index() < of.vars.len());
            self.require(Requirement::Ids, known, "a parameter is no variable of it");
        }
    }

    fn vars(&mut self, vars: &Vars) {
        vars.iter().for_each(|var| self.ty(&var.ty));
    }

    fn boards(&mut self) {
        let rules = self.rules;
        for (id, board) in rules.boards.entries() {
            self.enter("board", &board.name);
            let has = |of: EnumId, kind: EnumKind| rules.enums[of].kind == kind;
            let own = has(board.cells, EnumKind::Cells(id))
                && board.sides.is_none_or(|sides| has(sides, EnumKind::Sides(id)))
                && board.edges.is_none_or(|edges| has(edges, EnumKind::Edges(id)))
                && rules.enums[board.cells].members == board.cell_names();
            self.require(
                Requirement::Boards,
                own,
                "its enumerations are not those of its cells, sides and edges",
            );
            let known = board.directions().iter().all(|dir| rules.dirs.contains(dir));
            self.require(Requirement::Boards, known, "the rules lack one of its directions");
        }
        self.enter("game", &rules.name);
        let names: Vec<&str> = rules.dirs.iter().map(|dir| dir.name()).collect();
        let listed = rules.enums[DIR].members.iter().map(String::as_str).eq(names);
        self.require(Requirement::Boards, listed, "the directions are not the members of their enumeration");
    }

    fn tables(&mut self) {
        for table in &self.rules.tables {
            self.enter("table", &table.name);
            let cells = self.keys(&table.keys, Requirement::Tables);
            self.require(Requirement::Tables, table.values.len() == cells, "not every cell has an entry");
            table.values.iter().flatten().for_each(|value| self.value(value, &table.ty));
        }
    }

    fn defs(&mut self) {
        for def in &self.rules.defs {
            self.enter("definition", &def.name);
            let mut scope = Scope::new(&def.vars, Place::Def { uses_me: def.uses_me });
            def.params.iter().for_each(|&param| scope.bind(param));
            self.typed(&mut scope, &def.body, &def.ty);
        }
        let uses = def_uses(self.rules);
        let circles = circles(self.rules.defs.len(), &uses);
        for used in &uses {
            if circles.get(used.from.index()) != circles.get(used.to.index()) {
                continue;
            }
            let (from, to) = (&self.rules.defs[used.from], &self.rules.defs[used.to]);
            self.enter("definition", &from.name);
            let group = from.group.is_some() && from.group == to.group && from.ty == Type::Bool;
            self.require(Requirement::Definitions, group, "it is circular and not inductive");
            let positive = used.sign == Polarity::Positive;
            self.require(Requirement::Definitions, positive || !group, "it depends on its own negation");
        }
    }

    fn phases(&mut self) {
        self.enter("game", &self.rules.name);
        self.require(Requirement::Phases, !self.rules.phases.is_empty(), "there is no phase");
        for phase in &self.rules.phases {
            self.enter("phase", &phase.name);
            if let Actor::Player(player) = &phase.actor {
                self.players(&mut Scope::without_vars(Place::Rule), player);
            }
        }
    }

    fn moves(&mut self) {
        for of in &self.rules.moves {
            self.enter("move", &of.name);
            let is_name = !of.name.starts_with(|c: char| c.is_ascii_digit());
            self.require(Requirement::Moves, is_name, "its name begins with a digit");
            let by_chance = |&id| self.rules.phases.get(id).map(|phase| matches!(phase.actor, Actor::Chance));
            let fits = of.phases.iter().map(by_chance).collect::<Vec<_>>();
            self.require(Requirement::Ids, !fits.contains(&None), "one of its phases does not exist");
            let other = fits.contains(&Some(!of.chance));
            let reason = "chance acts in one of its phases and not in it, or the reverse";
            self.require(Requirement::Phases, !other, reason);
            let mut scope = Scope::new(&of.vars, Place::Move);
            if let Some(by) = &of.by {
                self.players(&mut scope, by);
            }
            for param in &of.params {
                scope.bind(param.var);
                let ty = &of.vars[param.var].ty;
                param.values.iter().for_each(|value| self.value(value, ty));
            }
            self.stmts(&mut scope, &of.body);
            let placeholders = of.template.iter().filter_map(|part| match part {
                TemplatePart::Text(_) => None,
                TemplatePart::Placeholder(value) => Some(value),
            });
            placeholders.for_each(|value| self.expr(&mut scope, value));
            of.weight.iter().chain(&of.prefer).for_each(|value| self.number(&mut scope, value));
        }
        if let Some(condition) = self.rules.pass.as_ref().and_then(|pass| pass.condition.as_ref()) {
            self.enter("pass", "");
            self.typed(&mut Scope::without_vars(Place::Rule), condition, &Type::Bool);
        }
    }

    fn ends(&mut self) {
        for rule in &self.rules.ends {
            self.enter("end rule", "");
            let mut scope = Scope::new(&rule.vars, Place::Rule);
            rule.binder.iter().for_each(|binder| self.binder(&mut scope, binder));
            self.typed(&mut scope, &rule.condition, &Type::Bool);
            self.outcome(&mut scope, &rule.outcome);
        }
        for repeat in &self.rules.repeats {
            self.enter("end by repetition", "");
            if let Some((of, vars)) = &repeat.of {
                self.expr(&mut Scope::new(vars, Place::Rule), of);
                if repeat.count.is_none() {
                    self.report(Requirement::Arguments, "a value is counted up to no number");
                }
            }
            self.outcome(&mut Scope::without_vars(Place::Rule), &repeat.outcome);
        }
        for forbid in &self.rules.forbids {
            self.enter("forbidden repetition", "");
            let mut scope = Scope::new(&forbid.vars, Place::Rule);
            forbid.of.iter().for_each(|value| self.expr(&mut scope, value));
        }
        for invariant in &self.rules.invariants {
            self.enter("invariant", invariant.name.as_deref().unwrap_or_default());
            self.typed(&mut Scope::new(&invariant.vars, Place::Rule), &invariant.value, &Type::Bool);
        }
        for sees in &self.rules.sees {
            self.enter("observation", "");
            let mut scope = Scope::new(&sees.vars, Place::Rule);
            self.players(&mut scope, &sees.players);
            self.expr(&mut scope, &sees.value);
            sees.condition.iter().for_each(|condition| self.typed(&mut scope, condition, &Type::Bool));
        }
        if let Some(evaluate) = &self.rules.evaluate {
            self.enter("evaluation", "");
            self.per_player(evaluate);
        }
    }

    fn outcome(&mut self, scope: &mut Scope, outcome: &OutcomeExpr) {
        match outcome {
            OutcomeExpr::Draw => {}
            OutcomeExpr::SinglePlayer(_) => {
                let alone = self.rules.players().len() == 1;
                self.require(Requirement::Players, alone, "it does not name the player who wins or loses");
            }
            OutcomeExpr::Player(player, _) => self.typed(scope, player, &Type::Sym(PLAYER)),
            OutcomeExpr::ByScore(values, _) | OutcomeExpr::Payoff(values) => self.per_player(values),
        }
    }

    fn per_player(&mut self, of: &PerPlayer) {
        let each = of.values.len() == self.rules.players().len();
        self.require(Requirement::Players, each, "not every player has an expression");
        let mut scope = Scope::new(&of.vars, Place::Rule);
        of.values.iter().for_each(|value| self.number(&mut scope, value));
    }

    fn claims(&mut self) {
        for display in &self.rules.display {
            self.enter("display", "");
            let is_cell = |ty: &Type| matches!(ty, Type::Sym(id) if matches!(self.rules.enums[*id].kind, EnumKind::Cells(_)));
            let source =
                match display.source {
                    DisplaySource::Field(id) => self.rules.fields.get(id).map(|field| {
                        (matches!(&field.keys[..], [key] if is_cell(&key.ty)), field.ty.clone())
                    }),
                    DisplaySource::Def(id) => self.rules.defs.get(id).map(|def| {
                        let is_drawn = matches!(def.params[..], [cell] if is_cell(&def.vars[cell].ty));
                        (is_drawn && !def.uses_me, def.ty.clone())
                    }),
                };
            let Some((is_drawn, ty)) = source else {
                self.report(Requirement::Ids, "its field or definition does not exist");
                continue;
            };
            self.require(Requirement::Claims, is_drawn, "the cells of a board are not the key of its field");
            display.signs.iter().for_each(|(value, _)| self.value(value, &ty));
            display.looks.iter().for_each(|(value, _)| self.value(value, &ty));
        }
        if let SymmetryClaim::Of(boards, _) = &self.rules.symmetry {
            self.enter("symmetry", "");
            let known = boards.iter().all(|board| board.index() < self.rules.boards.len());
            self.require(Requirement::Ids, known, "a board does not exist");
        }
        for expectation in &self.rules.expectations {
            self.expectation(expectation);
        }
        for test in &self.rules.tests {
            self.enter("test", &test.name);
            for step in &test.steps {
                match step {
                    TestStep::Position(block, vars, _) => {
                        self.stmts(&mut Scope::new(vars, Place::Rule), block);
                    }
                    TestStep::Play(moves) => moves.iter().for_each(|(made, _)| self.move_ref(made)),
                    TestStep::Expect(expectation) => self.expectation(expectation),
                }
            }
        }
    }

    fn expectation(&mut self, expectation: &Expectation) {
        self.enter("claim", &expectation.text);
        match &expectation.claim {
            Claim::Holds(value) => {
                self.typed(&mut Scope::new(&expectation.vars, Place::Rule), value, &Type::Bool);
            }
            Claim::Moves(moves) => moves.iter().for_each(|made| self.move_ref(made)),
            Claim::Legal(made) | Claim::Illegal(made) => self.move_ref(made),
            Claim::Player { player, .. } => {
                let known = (*player as usize) < self.rules.players().len();
                self.require(Requirement::Ids, known, "its player does not exist");
            }
            Claim::Perft { .. }
            | Claim::Positions(..)
            | Claim::Nimber(..)
            | Claim::Value(..)
            | Claim::Draw
            | Claim::SolvedIn(_) => {}
        }
    }

    fn move_ref(&mut self, made: &MoveRef) {
        let MoveRef::Applied(id, args) = made else { return };
        let Some(of) = self.rules.moves.get(*id) else {
            self.report(Requirement::Claims, "a move that it names does not exist");
            return;
        };
        let count = args.len() == of.params.len();
        self.require(Requirement::Claims, count, "a move that it names has other arguments");
        args.iter().zip(&of.params).for_each(|(value, param)| self.value(value, &of.vars[param.var].ty));
    }

    fn typing<'s>(&'s self, vars: &'s Vars) -> Typing<'s> {
        Typing { rules: self.rules, vars }
    }
}

impl Rules {
    /// Returns true if everything that a value mentions exists.
    pub(crate) fn knows(&self, value: &Value) -> bool {
        let all = |parts: &[Value]| parts.iter().all(|part| self.knows(part));
        match value {
            Value::Sym(id, index) => {
                self.enums.get(*id).is_some_and(|of| (*index as usize) < of.members.len())
            }
            Value::Tuple(tuple) => {
                let records = tuple.record.is_none_or(|record| {
                    self.records.get(record).is_some_and(|of| of.parts.len() == tuple.parts.len())
                });
                records && all(&tuple.parts)
            }
            Value::Set(items) | Value::List(items) => all(items),
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Ratio(_) | Value::Text(_) => true,
        }
    }
}

/// For each definition, the number of its strongly connected component: two definitions have one number if each uses the
/// other, directly or not. Algorithm: Kosaraju and Sharir (1981), in linear time and without recursion.
fn circles(defs: usize, uses: &[DefUse]) -> Vec<usize> {
    let mut forth: Vec<Vec<usize>> = vec![Vec::new(); defs];
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); defs];
    for used in uses {
        // A use of a definition that does not exist is reported elsewhere.
        if used.to.index() < defs {
            forth[used.from.index()].push(used.to.index());
            back[used.to.index()].push(used.from.index());
        }
    }
    // The definitions by the time when the search leaves them.
    let (mut left, mut seen) = (Vec::new(), vec![false; defs]);
    for root in 0..defs {
        let mut path = vec![(root, 0)];
        while let Some((at, next)) = path.pop() {
            if next == 0 && std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match forth[at].get(next) {
                Some(&used) => path.extend([(at, next + 1), (used, 0)]),
                None => left.push(at),
            }
        }
    }
    let mut component = vec![usize::MAX; defs];
    for (number, &root) in left.iter().rev().enumerate() {
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            if component[at] == usize::MAX {
                component[at] = number;
                todo.extend(&back[at]);
            }
        }
    }
    component
}

/// Collects the records that a type mentions outside of other records.
fn records_in(ty: &Type, out: &mut Vec<RecordId>) {
    match ty {
        Type::Record(id) if !out.contains(id) => out.push(*id),
        Type::Tuple(parts) => parts.iter().for_each(|part| records_in(part, out)),
        Type::Option(inner) | Type::Set(inner) | Type::List(inner) => records_in(inner, out),
        Type::Subset(among) => records_in(&among.base, out),
        _ => {}
    }
}
