//! Translation of a simplified game to rules.
//!
//! Each fluent is a cell of a field of truth values, each derived sentence a definition, each move an instance of a
//! move whose only parameter is its place in a block. Sentences of one family (`grids`) are cells of one field or
//! instances of one definition with the place as its parameter, and the places of a family of moves are those of their
//! block. In a game played in turns the conditions on `does` become conditions on that parameter, and fluents that a
//! block of moves leaves alone have no effect there (inertia). Otherwise the moves are stored as choices in a first
//! stage, and a second stage computes the next position.

use bouton_base::cancel;
use bouton_base::source::Span;
use bouton_rules::builder::{RulesBuilder, at, e, eq, get, int, not, truth, val};
use bouton_rules::{
    Actor, ConstTable, Def, DefId, Enum, EnumKind, Expr, ExprKind, Field, FieldId, KeyDomain, MOVER, PHASE,
    PhaseId, Rules, TableId, Type, Value, Vars, Visibility,
};
use bouton_syntax::diag::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::atom_map::AtomMap;
use crate::grids::{GridPlace, Grids};
use crate::ground::{AtomId, GroundLiteral};
use crate::names::{FluentName, Names};
use crate::sheet::{Pattern, Sheet};
use crate::simplify::Propositions;
use crate::terms::{Symbol, TermId};
use crate::turns::{self, RoleMoves, Turns};

mod cases;
mod counters;
mod definitions;
mod effects;
mod ends;
mod fluent_view;
mod moves;
mod of_move;
mod percepts;
mod stuck;

/// Rules with the names of the sheet for their parts.
#[derive(Clone, Debug)]
pub struct Translation {
    pub rules: Rules,
    pub names: Names,
}

/// The maximal number of expressions of the rules.
const MAX_EXPRESSIONS: usize = 6_000_000;

/// Translates a game.
pub fn translate(sheet: &Sheet, game: &Propositions) -> Result<Translation, Box<Diagnostic>> {
    let of = &sheet.keywords;
    let mut roles: Vec<TermId> = game
        .facts
        .derived()
        .iter()
        .filter(|&&atom| game.facts.relation(atom) == of.role)
        .map(|&atom| game.facts.args(atom)[0])
        .collect();
    let in_sheet = roles.clone();
    // Chance comes after the players.
    roles.sort_by_key(|&role| game.terms.get(role).name == of.random);
    let moves = role_moves(sheet, game, &roles);
    for (role, of_role) in roles.iter().zip(&moves) {
        if of_role.does.is_empty() {
            return Err(Box::new(stuck::without_moves(sheet, game, *role)));
        }
    }
    let turns = turns::turns(game, of, &moves);
    let made = |stores_choices: bool| {
        let mut translator =
            Translator::new(sheet, game, roles.clone(), moves.clone(), turns.clone(), stores_choices);
        let number = |role: &TermId| translator.roles.iter().position(|other| other == role);
        translator.names.sheet_order = in_sheet.iter().filter_map(number).collect();
        translator.fields();
        translator.percepts();
        translator.definitions()?;
        translator.moves()?;
        translator.ends()?;
        Ok::<_, Box<Diagnostic>>((translator.builder, translator.names))
    };
    let simultaneous = matches!(turns, Turns::Simultaneous);
    let made = match made(simultaneous) {
        // The rules for the next position stand once, instead of in each block of moves.
        Err(found) if !simultaneous && found.code == Code::E0712 => made(true),
        result => result,
    };
    let (builder, names) = made?;
    match builder.finish() {
        Ok(rules) => Ok(Translation { rules, names }),
        Err(violations) => {
            let why = violations.first().map(ToString::to_string).unwrap_or_default();
            let title = format!("this game has no translation: {why}");
            let help = "this is a mistake of Bouton: please report it with the file";
            Err(Box::new(Diagnostic::new(Code::E0713, title, place(sheet, of.role), "").help(help)))
        }
    }
}

/// The place of the first clause with a relation.
fn place(sheet: &Sheet, relation: Symbol) -> Span {
    let clause = sheet.clauses.iter().find(|clause| clause.head.relation == relation);
    clause.map_or(Span::unplaced(0), |clause| clause.span)
}

/// The place of the fact for a role, or of the first rule for roles.
fn role_place(sheet: &Sheet, game: &Propositions, role: TermId) -> Span {
    let relation = sheet.keywords.role;
    let name = Pattern::Const(game.terms.get(role).name);
    let mut facts = sheet.clauses.iter().filter(|clause| clause.head.relation == relation);
    let fact = facts.find(|clause| clause.head.args.first() == Some(&name));
    fact.map_or_else(|| place(sheet, relation), |clause| clause.head.span)
}

/// The moves of each role, by their terms: those of one function together, in the order in which they were derived.
fn role_moves(sheet: &Sheet, game: &Propositions, roles: &[TermId]) -> Vec<RoleMoves> {
    let of = &sheet.keywords;
    let mut moves: Vec<RoleMoves> = roles.iter().map(|_| RoleMoves::default()).collect();
    let all = game.possible(of.does);
    for (&role, of_role) in roles.iter().zip(&mut moves) {
        let own: Vec<AtomId> = all.iter().copied().filter(|&atom| game.facts.args(atom)[0] == role).collect();
        let mut functions: Vec<Symbol> = Vec::new();
        for &atom in &own {
            let function = game.terms.get(game.facts.args(atom)[1]).name;
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        for function in functions {
            let of_function = |&&atom: &&AtomId| game.terms.get(game.facts.args(atom)[1]).name == function;
            of_role.does.extend(own.iter().filter(of_function));
        }
        let legal = |&atom: &AtomId| game.find(of.legal, game.facts.args(atom));
        of_role.legal = of_role.does.iter().filter_map(legal).collect();
    }
    moves
}

/// The representation of a fluent.
#[derive(Clone, Copy, Debug)]
enum FluentPlace {
    /// A cell of a field; the key is the index of a member of the field's enumeration.
    Cell(FieldId, Option<(bouton_rules::EnumId, u32)>),
    /// The player is the mover.
    Mover(u32),
    /// A number of a counter: its family, and its lane there.
    Counter(u32, u32),
}

/// The reading of a derived sentence.
#[derive(Clone, Copy, Debug)]
enum Derived {
    Def(DefId),
    /// It is the same as a condition.
    Alias(GroundLiteral),
}

/// A block of moves of one role and one function.
#[derive(Clone, Debug)]
struct MoveBlock {
    role: usize,
    /// The grid whose places are those of the moves, if there is one.
    grid: Option<u32>,
    /// The number of places.
    width: u32,
    /// The moves with their places, in order.
    moves: Vec<(u32, AtomId)>,
    /// The index in the role of the move at the first place.
    first: usize,
}

/// The place of a move: its role, its block, and its index in the role and in the block.
#[derive(Clone, Copy, Debug)]
struct MovePlace {
    role: usize,
    block: usize,
    index: usize,
    lane: u32,
}

/// The state of a translation.
struct Translator<'g> {
    sheet: &'g Sheet,
    game: &'g Propositions,
    roles: Vec<TermId>,
    role_moves: Vec<RoleMoves>,
    /// The role of chance, if it ever chooses; it is the last one.
    chance: Option<usize>,
    /// The sentences about what players see, with the fields that hold them.
    percepts: Vec<AtomId>,
    turns: Turns,
    /// True if one of the fluents that tell whose turn it is holds in each position.
    one_always_chooses: bool,
    builder: RulesBuilder,
    names: Names,
    fluents: AtomMap<FluentPlace>,
    derived: AtomMap<Derived>,
    /// The derived sentences that depend on the moves that are being made, with the length of the longest chain of
    /// such sentences that each depends on.
    changing: AtomMap<u32>,
    /// True if the next position is computed in a second stage, from stored choices: if all roles choose at once, if
    /// recursion goes through moves, and if the effects of all blocks of moves would be too long.
    stores_choices: bool,
    /// The field with the choice of each role, if choices are stored.
    choices: Vec<Option<FieldId>>,
    moves: AtomMap<MovePlace>,
    blocks: Vec<MoveBlock>,
    grids: Grids,
    /// The relations in grids ([`Family::relation`](crate::grids::Family)) whose families are not used.
    given_up: FxHashSet<u32>,
    /// The fields of families of fluents, with tables of their cells by lane.
    family_fields: FxHashMap<u32, (FieldId, TableId)>,
    /// The fields of families of fluents of which at most one holds.
    counters: FxHashMap<u32, counters::Counter>,
    /// The definitions of families of derived sentences; their parameter is the lane.
    family_defs: FxHashMap<u32, DefId>,
    /// For roles, the condition that they have a legal move, where they need one beside the moves of others.
    can_move: FxHashMap<usize, Expr>,
    /// The number of definitions of quantified formulas.
    quantifiers: usize,
    /// The number of expressions made so far.
    expressions: usize,
}

/// The phase in which chance acts.
const CHANCE_PHASE: PhaseId = PhaseId(1);

/// The maximal number of moves in a block.
const BLOCK_MOVES: usize = 64;

impl<'g> Translator<'g> {
    fn new(
        sheet: &'g Sheet,
        game: &'g Propositions,
        roles: Vec<TermId>,
        role_moves: Vec<RoleMoves>,
        turns: Turns,
        stores_choices: bool,
    ) -> Translator<'g> {
        let written: Vec<String> =
            roles.iter().map(|&role| game.terms.render(&sheet.symbols, role)).collect();
        let is_random = |role: TermId| game.terms.get(role).name == sheet.keywords.random;
        let players = written.iter().zip(&roles).filter(|&(_, &role)| !is_random(role));
        let players: Vec<&str> = players.map(|(name, _)| name.as_str()).collect();
        let chance = (players.len()..roles.len()).find(|&role| role_moves[role].does.len() > 1);
        let mut builder = RulesBuilder::new(&players);
        builder.rules.name = sheet.title.clone();
        let mut names = Names::default();
        names.roles = written;
        names.role_spans = roles.iter().map(|&role| role_place(sheet, game, role)).collect();
        names.chance = chance.is_some();
        names.hidden = percepts::hide_something(sheet, game, &roles, &role_moves);
        let mut translator = Translator {
            sheet,
            game,
            choices: vec![None; roles.len()],
            roles,
            role_moves,
            stores_choices,
            chance,
            percepts: Vec::new(),
            turns,
            one_always_chooses: false,
            builder,
            names,
            fluents: AtomMap::default(),
            derived: AtomMap::default(),
            changing: AtomMap::default(),
            moves: AtomMap::default(),
            blocks: Vec::new(),
            grids: Grids::of(sheet, game),
            given_up: FxHashSet::default(),
            family_fields: FxHashMap::default(),
            counters: FxHashMap::default(),
            family_defs: FxHashMap::default(),
            can_move: FxHashMap::default(),
            quantifiers: 0,
            expressions: 0,
        };
        translator.number_moves(false);
        translator
    }

    /// The place of a sentence on a grid, if its family is translated as a whole.
    fn place(&self, atom: AtomId) -> Option<GridPlace> {
        let places = self.grids.places(atom).iter();
        let is_used = |place: &&GridPlace| {
            let of = &self.grids.families[place.family as usize];
            !self.given_up.contains(&of.relation)
                && of.after.is_none_or(|other| self.given_up.contains(&other))
        };
        let place = places.into_iter().find(is_used)?;
        let stands_alone =
            self.moves.contains(atom) || matches!(self.fluents.get(atom), Some(FluentPlace::Mover(_)));
        (!stands_alone).then_some(*place)
    }

    /// Divides the moves of each role into blocks of one function; with `on_grids`, those of a family are a block.
    fn number_moves(&mut self, on_grids: bool) {
        self.blocks.clear();
        for (role, moves) in self.role_moves.iter().enumerate() {
            let mut first = 0;
            let name = |atom: &AtomId| self.game.terms.get(self.game.facts.args(*atom)[1]).name;
            for of_function in moves.does.chunk_by(|a, b| name(a) == name(b)) {
                let family =
                    |&atom: &AtomId| self.grids.places(atom).first().filter(|_| on_grids).map(|of| of.family);
                let mut families: Vec<u32> = of_function.iter().filter_map(family).collect();
                families.sort_unstable();
                families.dedup();
                for family in families {
                    let of = &self.grids.families[family as usize];
                    let (grid, width, moves) = (Some(of.grid), of.width, of.lanes.clone());
                    self.blocks.push(MoveBlock { role, grid, width, moves, first });
                    first += width as usize;
                }
                let rest: Vec<AtomId> =
                    of_function.iter().copied().filter(|atom| family(atom).is_none()).collect();
                for block in rest.chunks(BLOCK_MOVES) {
                    let (moves, width) = ((0u32..).zip(block.iter().copied()).collect(), block.len() as u32);
                    self.blocks.push(MoveBlock { role, grid: None, width, moves, first });
                    first += block.len();
                }
            }
        }
        for (block, of) in self.blocks.iter().enumerate() {
            for &(lane, atom) in &of.moves {
                let index = of.first + lane as usize;
                self.moves.insert(atom, MovePlace { role: of.role, block, index, lane });
            }
        }
    }

    fn render(&self, term: TermId) -> String {
        self.game.terms.render(&self.sheet.symbols, term)
    }

    /// The fluents that say whose turn it is, with their players.
    fn controls(&self) -> Vec<(AtomId, u32)> {
        let Turns::Alternating(turns) = &self.turns else { return Vec::new() };
        let of_role = |(role, turn): (u32, &turns::Turn)| -> Vec<(AtomId, u32)> {
            turn.controls.iter().map(|&control| (control, role)).collect()
        };
        (0..).zip(turns).flat_map(of_role).collect()
    }

    /// Makes a field for the fluents of each function.
    fn fields(&mut self) {
        let of = &self.sheet.keywords;
        let unread = self.game.unread.iter().map(|&atom| self.render(self.game.facts.args(atom)[0]));
        self.names.unread = unread.collect();
        let controls = self.controls();
        let fluents: Vec<AtomId> = controls.iter().map(|&(atom, _)| atom).collect();
        // The turn of chance is a phase, in which the mover stays.
        let of_players = controls.iter().all(|&(_, role)| Some(role as usize) != self.chance);
        let one_each = controls.windows(2).all(|pair| pair[0].1 != pair[1].1);
        self.one_always_chooses = !fluents.is_empty() && turns::one_always_holds(self.game, of, &fluents);
        // A fluent such as `odd` says more than whose turn it is, so it stays a field.
        let names_role = |&(atom, role): &(AtomId, u32)| {
            self.game.terms.get(self.game.facts.args(atom)[0]).args[..] == [self.roles[role as usize]]
        };
        let mover_tells =
            of_players && one_each && self.one_always_chooses && controls.iter().all(names_role);
        for &(atom, player) in &controls {
            let term = self.render(self.game.facts.args(atom)[0]);
            if mover_tells {
                self.fluents.insert(atom, FluentPlace::Mover(player));
                self.names.controls.push((term, player));
            } else {
                self.names.chooses.push((term, player));
            }
        }
        // Where no proof shows that one of these fluents always holds, the first who chooses has the turn.
        let otherwise = if self.one_always_chooses { self.otherwise() } else { self.first_otherwise() };
        self.names.chooses_otherwise = otherwise.filter(|_| !controls.is_empty()).map(|role| role as u32);
        let mut functions: Vec<(Symbol, usize, Vec<AtomId>)> = Vec::new();
        let mut places: FxHashMap<(Symbol, usize), usize> = FxHashMap::default();
        for atom in self.game.possible(of.true_) {
            let term = self.game.terms.get(self.game.facts.args(atom)[0]);
            if self.game.certain(atom) == Some(true) {
                self.names.constants.push(self.render(self.game.facts.args(atom)[0]));
            } else if !self.fluents.contains(atom) {
                let key = (term.name, term.args.len());
                let place = *places.entry(key).or_insert_with(|| {
                    functions.push((key.0, key.1, Vec::new()));
                    functions.len() - 1
                });
                functions[place].2.push(atom);
            }
        }
        let counters = self.find_counters();
        for (name, arity, atoms) in functions {
            self.function_fields(self.sheet.symbols.name(name), arity, &atoms, &counters);
        }
        let chooses = |role: &usize| self.role_moves[*role].does.len() > 1;
        let first = match &self.turns {
            Turns::Alternating(turns) => {
                let is_first = |role: &usize| {
                    turns[*role].controls.iter().any(|&control| turns::is_initial(self.game, of, control))
                };
                let chance = self.chance.filter(is_first).filter(|_| self.has_yielding_turns());
                chance.or_else(|| (0..turns.len()).find(is_first)).or_else(|| self.first_otherwise())
            }
            Turns::Simultaneous => None,
        };
        let first = first.or_else(|| (0..self.roles.len()).find(chooses)).unwrap_or(0);
        let player = match self.chance {
            Some(chance) if first == chance => (0..chance).find(chooses).unwrap_or(0),
            _ => first,
        };
        self.phases(Some(first) == self.chance);
        self.builder.rules.fields[MOVER].init = vec![self.builder.rules.player(player as u32)];
    }

    /// Makes the phases: the players act, in turns or all at once, or chance does.
    fn phases(&mut self, chance_begins: bool) {
        let simultaneous = matches!(self.turns, Turns::Simultaneous);
        let players = self.chance.unwrap_or(self.roles.len());
        let several = (0..players).filter(|&role| self.role_moves[role].does.len() > 1).count() > 1;
        let players = match simultaneous && (several || self.chance.is_none()) {
            true => Actor::Each,
            false => Actor::Mover,
        };
        match self.chance {
            Some(_) => self.builder.phases(vec![("", false, players), ("chance", false, Actor::Chance)]),
            None => self.builder.phases(vec![("", false, players)]),
        }
        if chance_begins {
            self.builder.rules.fields[PHASE].init = vec![Value::Int(i64::from(CHANCE_PHASE.0))];
        }
    }

    /// Makes the fields of the fluents of one function: one for each family, and one for all others.
    fn function_fields(&mut self, name: &str, arity: usize, atoms: &[AtomId], counters: &FxHashSet<u32>) {
        let mut rest = Vec::new();
        let mut families: Vec<(u32, Vec<(u32, AtomId)>)> = Vec::new();
        for &atom in atoms {
            match self.place(atom) {
                Some(place) => match families.iter_mut().find(|(family, _)| *family == place.family) {
                    Some((_, lanes)) => lanes.push((place.lane, atom)),
                    None => families.push((place.family, vec![(place.lane, atom)])),
                },
                None => rest.push(atom),
            }
        }
        let several = families.len() + usize::from(!rest.is_empty()) > 1;
        let mut names: Vec<String> = Vec::new();
        for (number, (family, mut lanes)) in (1..).zip(families) {
            lanes.sort_unstable();
            let common = if several { self.common_args(&lanes) } else { Vec::new() };
            let own = [vec![name.to_owned()], common].concat().join("_");
            let own = if several && names.contains(&own) { format!("{name}_{number}") } else { own };
            names.push(own.clone());
            match counters.contains(&family) {
                true => self.counter_field(own, family, &lanes),
                false => self.family_field(own, family, &lanes),
            }
        }
        if !rest.is_empty() {
            let own = if several { format!("{name}_others") } else { name.to_owned() };
            self.field(own, arity, &rest);
        }
    }

    /// The arguments that the fluents of a family have in common: `x` of `(cell 1 1 x)`, `(cell 1 2 x)`, ...
    fn common_args(&self, lanes: &[(u32, AtomId)]) -> Vec<String> {
        let args = |atom: AtomId| &self.game.terms.get(self.game.facts.args(atom)[0]).args;
        let first = args(lanes[0].1);
        let is_common = |at: &usize| lanes.iter().all(|&(_, atom)| args(atom).get(*at) == first.get(*at));
        (0..first.len()).filter(is_common).map(|at| self.render(first[at])).collect()
    }

    /// Makes the field of a family of fluents: a cell for each place of the grid.
    fn family_field(&mut self, name: String, family: u32, lanes: &[(u32, AtomId)]) {
        let of = &self.sheet.keywords;
        let width = self.grids.families[family as usize].width;
        let mut members: Vec<String> = (0..width).map(|lane| format!("no place {lane}")).collect();
        let mut init = vec![Value::Bool(false); width as usize];
        for &(lane, atom) in lanes {
            let term = self.game.terms.get(self.game.facts.args(atom)[0]);
            let args: Vec<String> = term.args.iter().map(|&arg| self.render(arg)).collect();
            members[lane as usize] = args.join(" ");
            init[lane as usize] = Value::Bool(turns::is_initial(self.game, of, atom));
        }
        let places = Enum { name: format!("{name}_terms"), kind: EnumKind::User, members };
        let places = self.builder.rules.enums.push(places);
        let values: Vec<Value> = (0..width).map(|lane| Value::Sym(places, lane)).collect();
        let id = self.builder.rules.fields.push(Field {
            name: name.clone(),
            keys: vec![KeyDomain { name: "t".into(), ty: Type::Sym(places), values: values.clone().into() }],
            ty: Type::Bool,
            init,
            transient: false,
            visibility: self.visibility(),
            doc: Vec::new(),
            span: at(0),
        });
        let ty = Type::Int(0, i64::from(width) - 1);
        let numbers: Vec<Value> = (0..i64::from(width)).map(Value::Int).collect();
        let table = self.builder.rules.tables.push(ConstTable {
            name: format!("{name}_places"),
            keys: vec![KeyDomain { name: "k".into(), ty, values: numbers.into() }],
            ty: Type::Sym(places),
            values: values.into_iter().map(Some).collect(),
            span: at(0),
        });
        self.family_fields.insert(family, (id, table));
        for &(lane, atom) in lanes {
            self.fluents.insert(atom, FluentPlace::Cell(id, Some((places, lane))));
            let term = self.render(self.game.facts.args(atom)[0]);
            self.names.fluents.push(FluentName {
                term,
                field: id,
                cell: lane as usize,
                value: Value::Bool(true),
            });
        }
    }

    /// Makes the field of fluents of one function.
    fn field(&mut self, name: String, arity: usize, atoms: &[AtomId]) {
        let of = &self.sheet.keywords;
        let init = atoms.iter().map(|&atom| Value::Bool(turns::is_initial(self.game, of, atom))).collect();
        let written = |&atom: &AtomId| {
            let term = self.game.terms.get(self.game.facts.args(atom)[0]);
            let args: Vec<String> = term.args.iter().map(|&arg| self.render(arg)).collect();
            args.join(" ")
        };
        let written = (arity > 0).then(|| atoms.iter().map(written).collect());
        let id = self.truth_field(name, written, atoms, init, self.visibility());
        for (cell, &atom) in atoms.iter().enumerate() {
            let term = self.render(self.game.facts.args(atom)[0]);
            self.names.fluents.push(FluentName { term, field: id, cell, value: Value::Bool(true) });
        }
    }

    /// The visibility of fluents and choices.
    fn visibility(&self) -> Visibility {
        if self.names.hidden { Visibility::Hidden } else { Visibility::Public }
    }

    /// Makes a field with a cell for each of these sentences; their names are the keys, if it has several.
    fn truth_field(
        &mut self,
        name: String,
        written: Option<Vec<String>>,
        atoms: &[AtomId],
        init: Vec<Value>,
        visibility: Visibility,
    ) -> FieldId {
        let id = self.builder.rules.fields.next_id();
        let (mut keys, mut members) = (Vec::new(), None);
        if let Some(member_names) = written {
            let of_field =
                Enum { name: format!("{name}_terms"), kind: EnumKind::User, members: member_names };
            let of_field = self.builder.rules.enums.push(of_field);
            let values = (0..atoms.len() as u32).map(|index| Value::Sym(of_field, index)).collect::<Vec<_>>();
            keys.push(KeyDomain { name: "t".into(), ty: Type::Sym(of_field), values: values.into() });
            members = Some(of_field);
        }
        for (cell, &atom) in atoms.iter().enumerate() {
            let key = members.map(|members| (members, cell as u32));
            self.fluents.insert(atom, FluentPlace::Cell(id, key));
        }
        self.builder.rules.fields.push(Field {
            name,
            keys,
            ty: Type::Bool,
            init,
            transient: false,
            visibility,
            doc: Vec::new(),
            span: at(0),
        })
    }

    /// The key of a cell as an expression.
    fn keys(key: Option<(bouton_rules::EnumId, u32)>) -> Vec<Expr> {
        key.map(|(members, index)| val(Value::Sym(members, index))).into_iter().collect()
    }

    /// Makes the fields that hold the choices of the roles during a move.
    fn choice_fields(&mut self) {
        for role in 0..self.roles.len() {
            let moves: usize = self.blocks.iter().filter(|of| of.role == role).map(|of| of.moves.len()).sum();
            if moves > 1 {
                let name = format!("choice_{}", self.names.roles[role]);
                let field = self.builder.field(&name, &[], Type::Int(0, moves as i64), Value::Int(0));
                self.builder.rules.fields[field].visibility = self.visibility();
                self.choices[role] = Some(field);
            }
        }
    }

    fn add_def(&mut self, atom: AtomId, body: Expr, group: Option<u32>) -> DefId {
        let relation = self.sheet.symbols.name(self.game.facts.relation(atom));
        let args: Vec<String> = self.game.facts.args(atom).iter().map(|&arg| self.render(arg)).collect();
        let name =
            if args.is_empty() { relation.to_owned() } else { format!("{relation} {}", args.join(" ")) };
        self.truth_def(name, Vars::new(), body, group)
    }

    /// Makes a definition of a truth value; its variables are its parameters.
    fn truth_def(&mut self, name: String, vars: Vars, body: Expr, group: Option<u32>) -> DefId {
        let (params, ty, doc) = (vars.ids().collect(), Type::Bool, Vec::new());
        let span = at(0);
        self.builder.rules.defs.push(Def { name, params, vars, ty, body, group, uses_me: false, doc, span })
    }

    /// Counts expressions, so that rules do not grow without limit.
    fn count(&mut self, expressions: usize) -> Result<(), Box<Diagnostic>> {
        cancel::step();
        self.expressions += expressions;
        self.count_ahead(0)
    }

    /// Reports rules that are too large with these further expressions.
    fn count_ahead(&self, further: usize) -> Result<(), Box<Diagnostic>> {
        if self.expressions + further <= MAX_EXPRESSIONS {
            return Ok(());
        }
        let title =
            format!("the rules of this game have more than {MAX_EXPRESSIONS} parts without variables");
        let span = place(self.sheet, self.sheet.keywords.next);
        Err(Box::new(
            Diagnostic::new(Code::E0712, title, span, "")
                .help("make the game smaller, or give the rules with the most variables fewer of them"),
        ))
    }

    fn plain_conjunction(&mut self, body: &[GroundLiteral]) -> Result<Expr, Box<Diagnostic>> {
        self.count(body.len() + 1)?;
        let parts: Vec<Expr> = body.iter().map(|&literal| self.literal(literal)).collect();
        Ok(all_of(parts))
    }

    /// A condition as a formula.
    fn literal(&self, literal: GroundLiteral) -> Expr {
        let atom = literal.atom();
        let holds = match (self.game.certain(atom), self.fluents.get(atom), self.moves.get(atom)) {
            (Some(value), ..) => truth(value),
            (None, Some(FluentPlace::Cell(field, key)), _) => get(*field, &Self::keys(*key)),
            (None, Some(FluentPlace::Counter(family, lane)), _) => {
                self.in_family(*family, int(i64::from(*lane)))
            }
            (None, Some(FluentPlace::Mover(player)), _) => {
                eq(get(MOVER, &[]), val(self.builder.rules.player(*player)))
            }
            (None, None, Some(place)) => match self.choices[place.role] {
                Some(field) => eq(get(field, &[]), int(place.index as i64 + 1)),
                None => truth(true),
            },
            (None, None, None) => match (self.place(atom), self.derived.get(atom)) {
                (Some(place), _) => self.in_family(place.family, int(i64::from(place.lane))),
                (None, Some(Derived::Def(def))) => e(ExprKind::Call(*def, Vec::new())),
                (None, Some(Derived::Alias(other))) => self.literal(*other),
                (None, None) => truth(false),
            },
        };
        if literal.holds() { holds } else { negation(holds) }
    }
}

/// The conjunction, simplified where it is short.
fn all_of(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        0 => truth(true),
        1 => parts.remove(0),
        _ => e(ExprKind::And(parts)),
    }
}

/// The disjunction, simplified where it is short.
fn any_of(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        0 => truth(false),
        1 => parts.remove(0),
        _ => e(ExprKind::Or(parts)),
    }
}

/// The negation; that of a constant is a constant.
fn negation(formula: Expr) -> Expr {
    match formula.constant() {
        Some(Value::Bool(value)) => truth(!value),
        _ => not(formula),
    }
}
