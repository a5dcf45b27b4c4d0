//! The moves of the rules: their conditions, their effects on fluents, and the next turn.

use bouton_base::source::Span;
use bouton_rules::builder::{at, e, int, set, stmt, then, truth, val, var, when};
use bouton_rules::{
    Block, ConstTable, Enum, EnumKind, Expr, ExprKind, KeyDomain, Move, MoveId, Param, PhaseId, Stmt,
    StmtKind, TemplatePart, Type, Value, Var, VarId, Vars,
};
use bouton_syntax::diag::Diagnostic;
use rustc_hash::FxHashMap;

use super::cases::{Cases, Origin, in_lanes};
use super::of_move::BlockContext;
use super::{CHANCE_PHASE, FluentPlace, MoveBlock, Translator, any_of, place};
use crate::exclusive::contradict_each_other;
use crate::ground::{AtomId, GroundLiteral};
use crate::names::MoveName;
use crate::turns::{self, Turns};

/// The fluents that can change, with the sentence that they are true next.
pub(super) type Nexts = Vec<(AtomId, Option<AtomId>)>;

impl<'g> Translator<'g> {
    /// Makes the moves of all blocks.
    pub(super) fn moves(&mut self) -> Result<(), Box<Diagnostic>> {
        let of = &self.sheet.keywords;
        let nexts: Nexts = self
            .game
            .possible(of.true_)
            .into_iter()
            .filter(|atom| {
                matches!(self.fluents.get(*atom), Some(FluentPlace::Cell(..) | FluentPlace::Counter(..)))
            })
            .map(|atom| (atom, turns::next_of(self.game, of, atom)))
            .chain(self.percepts.iter().map(|&atom| (atom, Some(atom))))
            .collect();
        self.names.simultaneous = matches!(self.turns, Turns::Simultaneous);
        self.names.waits = (0..self.roles.len()).map(|role| self.waiting_move(role)).collect();
        let second = if self.stores_choices { self.second_stage(&nexts)? } else { Vec::new() };
        let bodies = self.bodies_by_move();
        let driver = (0..self.roles.len()).find(|&role| self.chooses(role)).unwrap_or(0);
        for block in 0..self.blocks.len() {
            let of = self.blocks[block].clone();
            let role = of.role;
            let alone = role == driver && self.role_moves.iter().all(|of| of.does.len() < 2);
            if !(self.chooses(role) || alone) || self.only_waits(&of) {
                continue;
            }
            let mut stmts = Vec::new();
            if of.moves.len() > 1 && of.moves.len() < of.width as usize {
                let lanes: Vec<u32> = of.moves.iter().map(|&(lane, _)| lane).collect();
                stmts.push(when(in_lanes(var(0), &lanes, &[])));
            }
            stmts.extend(self.others_can_move(&of)?);
            if self.stores_choices {
                stmts.extend(self.legality(&of)?);
                stmts.extend(self.choices(&of));
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
                stmts.extend(self.block(block, &nexts, &bodies)?);
            }
            let never = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Require(e) if e.constant() == Some(&Value::Bool(false)));
            if !stmts.iter().any(never) {
                self.add_move(block, stmts);
            }
        }
        Ok(())
    }

    /// The condition and the effects of the moves of a block, in turns.
    fn block(
        &mut self,
        block: usize,
        nexts: &Nexts,
        bodies: &super::of_move::BodiesByMove<'g>,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        // Seen from the move, families may depend on each other in a circle where single sentences do not.
        for by_family in [true, false] {
            let mut context = BlockContext::new(block, &self.blocks[block], by_family);
            let legal = self.legal_cases(&mut context, bodies)?;
            let effects = self.effects(nexts, bodies, &mut context)?;
            let turns = self.next_turns(bodies, &mut context)?;
            let Some(made) = self.move_defs(&context)? else { continue };
            let present = context.present();
            let legal = self.cases_formula(&legal, &present, &made.defs)?;
            let mut stmts = match legal.constant() {
                Some(Value::Bool(true)) => Vec::new(),
                _ => vec![when(legal)],
            };
            stmts.extend(self.effect_stmts(effects, &context, &made)?);
            let mut formulas = Vec::new();
            for (role, cases) in turns {
                formulas.push((role, self.cases_formula(&cases, &present, &made.defs)?));
            }
            if matches!(self.turns, Turns::Alternating(_)) {
                stmts.extend(self.turn_stmt(formulas));
            }
            return Ok(stmts);
        }
        let title = "the conditions of moves depend on each other in a circle";
        let span = place(self.sheet, self.sheet.keywords.next);
        Err(Box::new(Diagnostic::new(bouton_syntax::diag::Code::E0713, title, span, "")))
    }

    /// Returns true if a block is the move by which a role waits, and a proof shows that the role never makes it in its
    /// turn.
    fn only_waits(&self, of: &MoveBlock) -> bool {
        let Turns::Alternating(turns) = &self.turns else { return false };
        let (turn, keywords) = (&turns[of.role], &self.sheet.keywords);
        let [(_, only)] = of.moves[..] else { return false };
        if turn.waits != Some(only) {
            return false;
        }
        let Some(legal) = self.game.find(keywords.legal, self.game.facts.args(only)) else { return false };
        let legal = GroundLiteral::new(legal, true);
        let is_excluded = |rest: &[GroundLiteral]| {
            let all: Vec<GroundLiteral> = rest.iter().copied().chain([legal]).collect();
            contradict_each_other(self.game, keywords, &[], &all)
        };
        match &turn.controls[..] {
            // It is the turn of the role where no fluent of another one holds.
            [] => {
                let none = self.controls().into_iter().map(|(control, _)| GroundLiteral::new(control, false));
                let none: Vec<GroundLiteral> = none.collect();
                self.otherwise() == Some(of.role) && !none.is_empty() && is_excluded(&none)
            }
            own => {
                own.iter().all(|&control| is_excluded(&[GroundLiteral::new(control, true)]))
                    && !self.waits_by_itself(of.role, is_excluded)
            }
        }
    }

    /// Returns true if a role may have the turn where no fluent of a turn holds, and then make the move by
    /// which it waits: nobody has another one.
    fn waits_by_itself(&self, role: usize, is_excluded: impl Fn(&[GroundLiteral]) -> bool) -> bool {
        if self.one_always_chooses || self.has_yielding_turns() || self.first_otherwise() != Some(role) {
            return false;
        }
        let none = self.controls().into_iter().map(|(control, _)| GroundLiteral::new(control, false));
        !is_excluded(&none.collect::<Vec<_>>())
    }

    /// Returns true if a role may have a choice.
    fn chooses(&self, role: usize) -> bool {
        match &self.turns {
            Turns::Alternating(turns) => turns[role].chooses,
            Turns::Simultaneous => self.role_moves[role].does.len() > 1,
        }
    }

    /// Returns true if the fluents of turns may hold while chance moves.
    pub(super) fn has_yielding_turns(&self) -> bool {
        matches!(&self.turns, Turns::Alternating(turns) if turns.iter().any(|of| of.yields))
    }

    /// The role that chooses where no fluent of a turn holds, or the first that ever chooses.
    pub(super) fn first_otherwise(&self) -> Option<usize> {
        let mut choosing = (0..self.roles.len()).filter(|&role| self.chooses(role));
        self.otherwise().or_else(|| choosing.next())
    }

    /// The role whose turn it is where no fluent of another role holds.
    pub(super) fn otherwise(&self) -> Option<usize> {
        let Turns::Alternating(turns) = &self.turns else { return None };
        let mut choosing = (0..turns.len()).filter(|&role| turns[role].chooses);
        choosing.find(|&role| turns[role].controls.is_empty())
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

    /// The condition that a move of a block is legal, where the turn is part of the position.
    fn legality(&mut self, of: &MoveBlock) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let legal = self.sheet.keywords.legal;
        let mut cases = Cases::default();
        for &(lane, atom) in &of.moves {
            let Some(legal) = self.game.find(legal, self.game.facts.args(atom)) else { continue };
            let origin = Origin { grid: of.grid, lane };
            match self.game.certain(legal) {
                Some(true) => cases.add(Vec::new(), lane),
                Some(false) => {}
                None => {
                    for body in self.game.bodies(legal) {
                        cases.add(self.parts(body, origin), lane);
                    }
                }
            }
        }
        let present: Vec<u32> = of.moves.iter().map(|&(lane, _)| lane).collect();
        let formula = self.cases_formula(&cases, &present, &FxHashMap::default())?;
        Ok(match formula.constant() {
            Some(Value::Bool(true)) => Vec::new(),
            _ => vec![when(formula)],
        })
    }

    /// The effects that store the choice of a move of a block: the place of the move in its role, from 1.
    fn choices(&self, of: &MoveBlock) -> Vec<Stmt> {
        let (role, first) = (of.role, of.first as i64 + 1);
        let chosen =
            if of.moves.len() > 1 { bouton_rules::builder::add(var(0), int(first)) } else { int(first) };
        let own = self.choices[role].map(|field| set(field, &[], chosen));
        let Turns::Alternating(turns) = &self.turns else { return own.into_iter().collect() };
        // The others wait.
        let others = (0..turns.len()).filter(|&other| other != role).filter_map(|other| {
            let waits = self.moves.get(turns[other].waits?)?;
            Some(set(self.choices[other]?, &[], int(waits.index as i64 + 1)))
        });
        own.into_iter().chain(others).collect()
    }

    /// The effects of all choices together, and the next turn: the same after each move.
    fn second_stage(&mut self, nexts: &Nexts) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let mut stmts: Vec<Stmt> =
            self.choices.iter().flatten().map(|&field| set(field, &[], int(0))).collect();
        stmts.extend(self.joint_counter_stmts()?);
        for &(fluent, next) in nexts {
            if self.counter_of(fluent).is_some() {
                continue;
            }
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

    pub(super) fn assign(&self, fluent: AtomId, value: Expr) -> Stmt {
        match self.fluents.get(fluent) {
            Some(FluentPlace::Cell(field, key)) => set(*field, &Self::keys(*key), value),
            _ => when(truth(true)),
        }
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
            let nexts = turns::nexts_of(self.game, &self.sheet.keywords, &turn.controls);
            let mut any = Vec::new();
            for &next in &nexts {
                any.push(match self.game.certain(next) {
                    Some(value) => truth(value),
                    None => formula(self, next)?,
                });
            }
            if !nexts.is_empty() {
                formulas.push((role, any_of(any)));
            }
        }
        Ok(self.turn_stmt(formulas))
    }

    /// Gives the turn to the first player whose condition holds, else to whoever chooses then, or to the first who ever
    /// chooses. Chance comes before players who yield to it.
    fn turn_stmt(&self, mut formulas: Vec<(u32, Expr)>) -> Vec<Stmt> {
        if self.has_yielding_turns() {
            formulas.sort_by_key(|&(role, _)| (Some(role as usize) != self.chance, role));
        }
        let next = |role: u32| match self.chance {
            Some(chance) if chance == role as usize => stmt(StmtKind::Stay(Some(CHANCE_PHASE))),
            _ => stmt(StmtKind::Next(val(self.builder.rules.player(role)))),
        };
        let default = self.first_otherwise().unwrap_or(0) as u32;
        let is_true = |formula: &Expr| formula.constant() == Some(&Value::Bool(true));
        // Whoever certainly has the turn has it where no condition before holds.
        let certain = formulas.iter().position(|(_, formula)| is_true(formula));
        let mut made = match certain {
            Some(at) => next(formulas[at].0),
            None => next(default),
        };
        if let Some(at) = certain {
            match self.has_yielding_turns() {
                true => formulas.truncate(at),
                false => return vec![made],
            }
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
    fn add_move(&mut self, block: usize, stmts: Vec<Stmt>) {
        let MoveBlock { role, width, moves, .. } = self.blocks[block].clone();
        let term = |atom: AtomId| self.game.facts.args(atom)[1];
        let terms: Vec<String> = moves.iter().map(|&(_, atom)| self.render(term(atom))).collect();
        let bare: Vec<String> = moves
            .iter()
            .map(|&(_, atom)| self.game.terms.render_bare(&self.sheet.symbols, term(atom)))
            .collect();
        let function = self.game.terms.get(term(moves[0].1)).name;
        let mut name =
            format!("{} {} {}", self.sheet.symbols.name(function), self.names.roles[role], block + 1);
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            // A number at the beginning would be no name of a move (`rules::verify`).
            name.insert_str(0, "does ");
        }
        let mut vars = Vars::new();
        let ty = Type::Int(0, i64::from(width) - 1);
        // The place of the move, that of a fluent, and what depends on the move.
        for name in ["k", "t"] {
            vars.push(Var { name: name.into(), ty: if moves.len() > 1 { ty.clone() } else { Type::Error } });
        }
        for number in 1..=stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Let(..))).count() {
            vars.push(Var { name: format!("b{number}"), ty: Type::Bool });
        }
        let values: Vec<Value> = (0..i64::from(width)).map(Value::Int).collect();
        let (params, template) = match moves.len() {
            1 => (Vec::new(), vec![TemplatePart::Text(bare[0].clone())]),
            _ => {
                let lanes: Vec<u32> = moves.iter().map(|&(lane, _)| lane).collect();
                let table = self.name_table(&name, &values, &lanes, bare);
                let param = Param { var: VarId(0), values: values.into() };
                (vec![param], vec![TemplatePart::Placeholder(table)])
            }
        };
        let chance = self.chance == Some(role);
        let by = (!chance).then(|| val(self.builder.rules.player(role as u32)));
        let phase = if chance { CHANCE_PHASE } else { PhaseId(0) };
        let span = self.move_span(moves[0].1);
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
        for (&(lane, _), term) in moves.iter().zip(terms) {
            let args = if moves.len() > 1 { vec![Value::Int(i64::from(lane))] } else { Vec::new() };
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
    fn name_table(&mut self, name: &str, values: &[Value], lanes: &[u32], names: Vec<String>) -> Expr {
        let rules = &mut self.builder.rules;
        let of = Enum { name: format!("{name} moves"), kind: EnumKind::User, members: names };
        let of = rules.enums.push(of);
        let ty = Type::Int(0, values.len() as i64 - 1);
        let keys = vec![KeyDomain { name: "k".into(), ty, values: values.to_vec().into() }];
        let mut entries = vec![None; values.len()];
        for (index, &lane) in (0u32..).zip(lanes) {
            entries[lane as usize] = Some(Value::Sym(of, index));
        }
        let table =
            ConstTable { name: name.to_owned(), keys, ty: Type::Sym(of), values: entries, span: at(0) };
        let table = rules.tables.push(table);
        e(ExprKind::Table(table, vec![var(0)]))
    }
}
