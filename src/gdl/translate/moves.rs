//! The moves of the rules: their conditions, their effects on fluents, and the next turn.

use bouton_base::source::Span;
use bouton_rules::builder::{at, e, int, set, stmt, then, truth, val, var, when};
use bouton_rules::{
    Block, ConstTable, Enum, EnumKind, Expr, ExprKind, KeyDomain, Move, MoveId, Param, PhaseId, Stmt,
    StmtKind, TemplatePart, Type, Value, VarId, Vars,
};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::FxHashMap;

use super::lanes::{BlockContext, Part};
use super::{CHANCE_PHASE, FluentPlace, Translator, lane_vars, place};
use crate::ground::{AtomId, GroundLiteral};
use crate::names::MoveName;
use crate::simplify::Body;
use crate::turns::{self, Turns};

/// The fluents that can change, with the sentence that they are true next.
type Nexts = Vec<(AtomId, Option<AtomId>)>;

/// The bodies of sentences that are true next, by the block of the move that they need.
#[derive(Default)]
struct NextBodies<'g> {
    /// The bodies that need no move of a block.
    general: FxHashMap<AtomId, Vec<&'g Body>>,
    of_block: FxHashMap<(usize, AtomId), Vec<&'g Body>>,
}

impl<'g> Translator<'g> {
    /// Makes the moves of all blocks.
    pub(super) fn moves(&mut self) -> Result<(), Box<Diagnostic>> {
        let of = &self.sheet.keywords;
        let nexts: Nexts = self
            .game
            .possible(of.true_)
            .into_iter()
            .filter(|atom| matches!(self.fluents.get(atom), Some(FluentPlace::Cell(..))))
            .map(|atom| (atom, turns::next_of(self.game, of, atom)))
            .chain(self.percepts.iter().map(|&atom| (atom, Some(atom))))
            .collect();
        self.names.simultaneous = matches!(self.turns, Turns::Simultaneous);
        self.names.waits = (0..self.roles.len()).map(|role| self.waiting_move(role)).collect();
        let second = if self.stores_choices { self.second_stage(&nexts)? } else { Vec::new() };
        let bodies = self.next_bodies(&nexts);
        // Each block has the bodies that need none of the moves.
        self.count_ahead(self.blocks.len() * bodies.general.values().map(Vec::len).sum::<usize>())?;
        let driver = (0..self.roles.len()).find(|&role| self.chooses(role)).unwrap_or(0);
        for block in 0..self.blocks.len() {
            let (role, moves) = self.blocks[block].clone();
            let alone = role == driver && self.role_moves.iter().all(|of| of.does.len() < 2);
            if !(self.chooses(role) || alone) {
                continue;
            }
            let mut context = BlockContext::new(role, block, moves.len());
            let mut stmts = self.legality(&moves, &mut context)?;
            let never = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Require(e) if e.constant() == Some(&Value::Bool(false)));
            if stmts.iter().any(never) {
                continue;
            }
            if self.stores_choices {
                stmts.extend(self.choices(role, block, moves.len()));
                let completes = match self.chance {
                    _ if !self.names.simultaneous => true,
                    Some(chance) => role == chance,
                    None => role == driver,
                };
                if completes {
                    stmts.push(then(second.clone()));
                } else if self.chance.is_some() && role == driver {
                    stmts.push(stmt(StmtKind::Stay(Some(CHANCE_PHASE))));
                }
            } else {
                stmts.extend(self.effects(&nexts, &bodies, &mut context)?);
                stmts.extend(self.next_turn(&mut context)?);
            }
            self.add_move(block, &moves, stmts);
        }
        Ok(())
    }

    /// Returns true if a role may have a choice.
    fn chooses(&self, role: usize) -> bool {
        match &self.turns {
            Turns::Alternating(turns) => turns[role].chooses,
            Turns::Simultaneous => self.role_moves[role].does.len() > 1,
        }
    }

    /// The move of a role that is not asked.
    fn waiting_move(&self, role: usize) -> Option<String> {
        let waits = match &self.turns {
            Turns::Alternating(turns) => turns[role].waits,
            Turns::Simultaneous if self.chooses(role) => None,
            Turns::Simultaneous => self.role_moves[role].does.first().copied(),
        };
        waits.map(|atom| self.render(self.game.facts.args(atom)[1]))
    }

    /// The condition that a move of a block is legal.
    fn legality(&mut self, moves: &[AtomId], of: &mut BlockContext) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let legal = self.sheet.keywords.legal;
        let mut merged: FxHashMap<Vec<Part>, u64> = FxHashMap::default();
        let mut order: Vec<Vec<Part>> = Vec::new();
        for (lane, &atom) in moves.iter().enumerate() {
            let Some(legal) = self.game.find(legal, self.game.facts.args(atom)) else { continue };
            let cases = match self.game.certain(legal) {
                Some(true) => vec![(of.full(), Vec::new())],
                Some(false) => Vec::new(),
                None => {
                    let game = self.game;
                    match self.stores_choices {
                        // Legality does not depend on moves: only the known turn matters here.
                        true => game
                            .bodies(legal)
                            .iter()
                            .map(|body| {
                                (of.full(), body.iter().map(|&literal| Part::Fixed(literal)).collect())
                            })
                            .collect(),
                        false => self.cases(game.bodies(legal).iter(), of)?.0,
                    }
                }
            };
            for (_, rest) in cases {
                let known = merged.entry(rest.clone()).or_insert_with(|| {
                    order.push(rest);
                    0
                });
                *known |= 1 << lane;
            }
        }
        let cases = super::lanes::Cases(order.into_iter().map(|rest| (merged[&rest], rest)).collect());
        let formula = self.formula(&cases, of)?;
        Ok(match formula.constant() {
            Some(Value::Bool(true)) => Vec::new(),
            _ => vec![when(formula)],
        })
    }

    /// The effects that store the choice of a move of a block: the place of the move in its role, from 1.
    fn choices(&self, role: usize, block: usize, moves: usize) -> Vec<Stmt> {
        let first =
            self.blocks[..block].iter().filter(|(other, _)| *other == role).map(|(_, moves)| moves.len());
        let first = first.sum::<usize>() as i64 + 1;
        let chosen = if moves > 1 { bouton_rules::builder::add(var(0), int(first)) } else { int(first) };
        let own = self.choices[role].map(|field| set(field, &[], chosen));
        let Turns::Alternating(turns) = &self.turns else { return own.into_iter().collect() };
        // The others wait.
        let others = (0..turns.len()).filter(|&other| other != role).filter_map(|other| {
            let waits = self.moves.get(&turns[other].waits?)?;
            Some(set(self.choices[other]?, &[], int(waits.index as i64 + 1)))
        });
        own.into_iter().chain(others).collect()
    }

    /// The effects of all choices together, and the next turn: the same after each move.
    fn second_stage(&mut self, nexts: &Nexts) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut stmts: Vec<Stmt> =
            self.choices.iter().flatten().map(|&field| set(field, &[], int(0))).collect();
        for &(fluent, next) in nexts {
            let itself = GroundLiteral::new(fluent, true);
            let game = self.game;
            let bodies = next.map_or(&[][..], |next| game.bodies(next));
            let certain = next.map_or(Some(false), |next| game.certain(next));
            let formula = match certain {
                Some(value) => truth(value),
                None if bodies.iter().all(|body| body.contains(&itself))
                    && bodies.iter().any(|body| body.len() == 1) =>
                {
                    continue;
                }
                None => {
                    let formula = self.disjunction(bodies)?;
                    let short = bodies.len() == 1 && bodies[0].len() <= 2;
                    // Each block of moves has a copy of this stage.
                    if short { formula } else { self.next_def(fluent, formula) }
                }
            };
            stmts.push(self.assign(fluent, formula));
        }
        let turn = self.turn_stmts(|this, next| {
            let game = this.game;
            this.disjunction(game.bodies(next))
        })?;
        stmts.extend(turn);
        Ok(stmts)
    }

    /// A definition of what makes a fluent true next, as a call.
    fn next_def(&mut self, fluent: AtomId, formula: Expr) -> Expr {
        let name = format!("next {}", self.render(self.game.facts.args(fluent)[0]));
        let def = self.truth_def(name, Vars::new(), formula, None);
        e(ExprKind::Call(def, Vec::new()))
    }

    /// The bodies of what is true next, each under the blocks of moves that it needs.
    fn next_bodies(&self, nexts: &Nexts) -> NextBodies<'g> {
        let mut found = NextBodies::default();
        if self.stores_choices {
            return found;
        }
        let controls = self.controls();
        let keywords = &self.sheet.keywords;
        let control_nexts =
            controls.iter().filter_map(|&(atom, _)| turns::next_of(self.game, keywords, atom));
        let heads = nexts.iter().filter_map(|&(_, next)| next).chain(control_nexts);
        let waits: Vec<AtomId> = match &self.turns {
            Turns::Alternating(turns) => turns.iter().filter_map(|turn| turn.waits).collect(),
            Turns::Simultaneous => Vec::new(),
        };
        let mut heads: Vec<AtomId> = heads.collect();
        heads.sort_unstable();
        heads.dedup();
        for next in heads {
            let game = self.game;
            for body in game.bodies(next) {
                let needs = |literal: &&GroundLiteral| {
                    literal.holds()
                        && self.moves.contains_key(&literal.atom())
                        && !waits.contains(&literal.atom())
                };
                match body.iter().find(needs).and_then(|literal| self.moves.get(&literal.atom())) {
                    Some(place) => found.of_block.entry((place.block, next)).or_default().push(body),
                    None => found.general.entry(next).or_default().push(body),
                }
            }
        }
        found
    }

    /// The effects of the moves of a block on the fluents.
    fn effects(
        &mut self,
        nexts: &Nexts,
        bodies: &NextBodies<'_>,
        of: &mut BlockContext,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut stmts = Vec::new();
        for &(fluent, next) in nexts {
            let certain = next.map_or(Some(false), |next| self.game.certain(next));
            let formula = match (certain, next) {
                (Some(value), _) => truth(value),
                (None, None) => truth(false),
                (None, Some(next)) => {
                    let cases = self.next_cases(next, bodies, of)?;
                    if cases.is_just(Part::Fixed(GroundLiteral::new(fluent, true)), of.full()) {
                        continue;
                    }
                    self.formula(&cases, of)?
                }
            };
            stmts.push(self.assign(fluent, formula));
        }
        Ok(stmts)
    }

    fn next_cases(
        &mut self,
        next: AtomId,
        bodies: &NextBodies<'_>,
        of: &mut BlockContext,
    ) -> Result<super::lanes::Cases, Box<Diagnostic>> {
        let general = bodies.general.get(&next).into_iter().flatten();
        let own = bodies.of_block.get(&(of.block, next)).into_iter().flatten();
        self.cases(general.chain(own).copied(), of)
    }

    fn assign(&self, fluent: AtomId, value: Expr) -> Stmt {
        match self.fluents.get(&fluent) {
            Some(FluentPlace::Cell(field, key)) => set(*field, &Self::keys(*key), value),
            _ => when(truth(true)),
        }
    }

    /// The statements that give the turn to the next player, in a block of moves.
    fn next_turn(&mut self, of: &mut BlockContext) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        self.turn_stmts(|this, next| {
            let game = this.game;
            let cases = this.cases(game.bodies(next).iter(), of)?;
            this.formula(&cases, of)
        })
    }

    /// The statements that give the turn to the next player; `formula` makes the condition of a sentence about the next
    /// position.
    fn turn_stmts(
        &mut self,
        mut formula: impl FnMut(&mut Self, AtomId) -> Result<Expr, Box<Diagnostic>>,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let Turns::Alternating(turns) = &self.turns else { return Ok(Vec::new()) };
        let turns = turns.clone();
        let mut formulas = Vec::new();
        for (role, turn) in (0u32..).zip(&turns) {
            let next =
                turn.control.and_then(|control| turns::next_of(self.game, &self.sheet.keywords, control));
            let Some(next) = next else { continue };
            let formula = match self.game.certain(next) {
                Some(value) => truth(value),
                None => formula(self, next)?,
            };
            formulas.push((role, formula));
        }
        Ok(self.turn_stmt(formulas))
    }

    /// Gives the turn to the first player whose condition holds, else to the first who ever chooses.
    fn turn_stmt(&self, formulas: Vec<(u32, Expr)>) -> Vec<Stmt> {
        let next = |role: u32| match self.chance {
            Some(chance) if chance == role as usize => stmt(StmtKind::Stay(Some(CHANCE_PHASE))),
            _ => stmt(StmtKind::Next(val(self.builder.rules.player(role)))),
        };
        let default = (0..self.roles.len()).find(|&role| self.chooses(role)).unwrap_or(0) as u32;
        let is_true = |formula: &Expr| formula.constant() == Some(&Value::Bool(true));
        let mut made = match formulas.iter().find(|(_, formula)| is_true(formula)) {
            Some((role, _)) => next(*role),
            None => next(default),
        };
        if formulas.iter().any(|(_, formula)| is_true(formula)) {
            return vec![made];
        }
        for (role, formula) in formulas.into_iter().rev() {
            if formula.constant() == Some(&Value::Bool(false)) {
                continue;
            }
            let (yes, no) = (Block { stmts: vec![next(role)] }, Block { stmts: vec![made] });
            made = stmt(StmtKind::If(formula, yes, no));
        }
        vec![made]
    }

    /// Adds the move of a block to the rules, with its names.
    fn add_move(&mut self, block: usize, moves: &[AtomId], stmts: Vec<Stmt>) {
        let role = self.blocks[block].0;
        let terms: Vec<String> =
            moves.iter().map(|&atom| self.render(self.game.facts.args(atom)[1])).collect();
        let bare: Vec<String> = moves
            .iter()
            .map(|&atom| self.game.terms.render_bare(&self.sheet.symbols, self.game.facts.args(atom)[1]))
            .collect();
        let function = self.game.terms.get(self.game.facts.args(moves[0])[1]).name;
        let name = format!("{} {} {}", self.sheet.symbols.name(function), self.names.roles[role], block + 1);
        let vars = lane_vars(moves.len());
        let values: Vec<Value> = (0..moves.len() as i64).map(Value::Int).collect();
        let (params, template) = match moves.len() {
            1 => (Vec::new(), vec![TemplatePart::Text(bare[0].clone())]),
            _ => {
                let table = self.name_table(&name, &values, bare);
                let param = Param { var: VarId(0), values: values.into() };
                (vec![param], vec![TemplatePart::Placeholder(table)])
            }
        };
        let chance = self.chance == Some(role);
        let by = (!chance).then(|| val(self.builder.rules.player(role as u32)));
        let phase = if chance { CHANCE_PHASE } else { PhaseId(0) };
        let span = self.move_span(moves[0]);
        let id: MoveId = self.builder.rules.moves.push(Move {
            name,
            chance,
            mandatory: false,
            private: self.names.hidden,
            forcing: false,
            params,
            vars,
            by,
            phases: vec![phase],
            weight: None,
            prefer: None,
            template,
            body: Block { stmts },
            doc: Vec::new(),
            span,
        });
        for (lane, term) in terms.into_iter().enumerate() {
            let args = if moves.len() > 1 { vec![Value::Int(lane as i64)] } else { Vec::new() };
            self.names.add_move(MoveName { role: role as u32, term, id, args });
        }
    }

    /// The place of the rule that makes moves of this function legal.
    fn move_span(&self, atom: AtomId) -> Span {
        let function = self.game.terms.get(self.game.facts.args(atom)[1]).name;
        let legal = self.sheet.keywords.legal;
        let of_function = self.sheet.clauses.iter().find(|clause| {
            clause.head.relation == legal
                && match clause.head.args.get(1) {
                    Some(crate::sheet::Pattern::Const(name) | crate::sheet::Pattern::Compound(name, _)) => {
                        *name == function
                    }
                    _ => false,
                }
        });
        of_function.map_or_else(|| place(self.sheet, legal), |clause| clause.span)
    }

    /// A table of the written forms of the moves of a block, looked up at the place of the move.
    fn name_table(&mut self, name: &str, values: &[Value], names: Vec<String>) -> Expr {
        let rules = &mut self.builder.rules;
        let of = Enum { name: format!("{name} moves"), kind: EnumKind::User, members: names };
        let of = rules.enums.push(of);
        let ty = Type::Int(0, values.len() as i64 - 1);
        let keys = vec![KeyDomain { name: "k".into(), ty, values: values.to_vec().into() }];
        let entries = (0..values.len() as u32).map(|index| Some(Value::Sym(of, index))).collect();
        let table =
            ConstTable { name: name.to_owned(), keys, ty: Type::Sym(of), values: entries, span: at(0) };
        let table = rules.tables.push(table);
        e(ExprKind::Table(table, vec![var(0)]))
    }
}
