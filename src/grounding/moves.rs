//! Moves: each instance with its precondition and its effect on each fluent.

use rustc_hash::FxHashMap;

use super::eval::{Grounder, Result, SymbolicEnv};
use super::formula::{FALSE, Formula, TRUE};
use super::term::{SymbolicTerm, merge_cases};
use super::{Action, ActionMaker, FluentUpdate, GroundingError};
use ConditionTreatment::{Decide, Settled};
use bouton_base::id::Id;
use bouton_rules::{
    Actor, Binder, Block, Effect, Expr, MOVER, Move, MoveId, MoveInstance, PHASE, PLAYER, Param, PhaseId,
    StmtKind, Value,
};
use changes::CellChange;
use simultaneous::Choices;

mod changes;
mod simultaneous;

/// The maximal number of ground actions.
const MAX_ACTIONS: usize = 20_000;

/// A move whose stages are being grounded.
struct MoveInProgress<'r> {
    env: SymbolicEnv,
    /// The remaining stages, the next one last, each with its path condition.
    waiting: Vec<(Formula, &'r Block, SymbolicEnv)>,
}

/// The treatment of `when`, `ensure` and of a `let` without a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConditionTreatment {
    /// They are preconditions of the move.
    Decide,
    /// They were decided for each move alone: conditions are skipped, and a `let` without a value is a fault.
    Settled,
}

/// The effects of one stage.
#[derive(Default)]
struct StageEffects<'r> {
    changes: Vec<CellChange<'r>>,
    mover: Vec<(Value, Formula)>,
    phase: Vec<(Value, Formula)>,
    thens: Vec<(Formula, &'r Block, SymbolicEnv)>,
}

/// The combined effects of the stages of a move so far.
struct MoveProgress {
    conditions: ConditionTreatment,
    /// Holds where all conditions so far hold.
    legal: Formula,
    /// Holds where a stage has a fault and its conditions, and those of all earlier stages, hold. Later conditions do
    /// not matter then: the fault came first.
    fault: Formula,
    /// The faults that a later condition may have excluded from `legal`.
    early: Formula,
    /// Holds where the current stage has a fault, provided that its conditions hold.
    mistake: Formula,
    mover: Vec<(Value, Formula)>,
    phase: Vec<(Value, Formula)>,
    /// The condition under which each cell was assigned, by cell.
    assigned: FxHashMap<usize, Formula>,
}

/// The positions in which each player, all, or nobody acts.
pub(super) struct ActorConditions {
    /// By player: holds where the player moves alone.
    pub own: Vec<Formula>,
    /// Holds where all players choose at once.
    pub each: Formula,
    /// Holds where the phase names no player or several, which is a fault.
    pub nobody: Formula,
}

impl<'r> Grounder<'r> {
    /// Returns the positions in which each player acts, those in which all choose at once, and those with a fault
    /// because the phase names no player or several.
    pub(super) fn acting(&mut self) -> Result<ActorConditions> {
        let rules = self.rules;
        let players = rules.players().len();
        let (mut own, mut each, mut nobody) = (vec![Vec::new(); players], Vec::new(), Vec::new());
        for (id, phase) in rules.phases.entries() {
            let here = self.is(PHASE, &Value::Int(id.index() as i64));
            if here == FALSE {
                continue;
            }
            let named: Vec<Formula> = match &phase.actor {
                Actor::Mover => (0..players).map(|p| self.is(MOVER, &Value::Sym(PLAYER, p as u32))).collect(),
                Actor::Each => {
                    each.push(here);
                    continue;
                }
                Actor::Chance => {
                    return Err(GroundingError::new("grounding does not support chance", Some(phase.span)));
                }
                Actor::Player(player) => {
                    let (named, undefined) = self.one_player(&mut SymbolicEnv::of(None), player)?;
                    nobody.push(self.formulas.and([here, undefined]));
                    named
                }
            };
            for (own, named) in own.iter_mut().zip(named) {
                own.push(self.formulas.and([here, named]));
            }
        }
        let own = own.into_iter().map(|own| self.formulas.or(own)).collect();
        Ok(ActorConditions { own, each: self.formulas.or(each), nobody: self.formulas.or(nobody) })
    }

    /// Returns, for each player, the condition under which a term names exactly this player, alone or as the only
    /// element of a set; and the condition under which it names none or several.
    fn one_player(&mut self, env: &mut SymbolicEnv, expr: &'r Expr) -> Result<(Vec<Formula>, Formula)> {
        let term = self.value(env, expr)?;
        let cases = self.cases(term, expr)?;
        let mut named = vec![Vec::new(); self.rules.players().len()];
        for (value, when) in cases {
            let player = match &value {
                Value::Set(players) if players.len() == 1 => &players[0],
                value => value,
            };
            if let Value::Sym(PLAYER, player) = player {
                named[*player as usize].push(when);
            }
        }
        let named: Vec<Formula> = named.into_iter().map(|when| self.formulas.or(when)).collect();
        let some = self.formulas.or(named.iter().copied());
        Ok((named, self.formulas.not(some)))
    }

    /// Returns the condition that a field without keys has this value before the move.
    fn is(&self, field: bouton_rules::FieldId, value: &Value) -> Formula {
        match self.before(self.fluents.cell(field, 0)) {
            SymbolicTerm::Cases(cases) => {
                cases.iter().find(|(here, _)| here == value).map_or(FALSE, |(_, when)| *when)
            }
            SymbolicTerm::Set(_) => FALSE,
        }
    }

    /// Returns all moves of players who move in turn, in the order of the definition; then the simultaneous ones.
    pub(super) fn actions(&mut self, acting: &ActorConditions) -> Result<Vec<Action>> {
        let rules = self.rules;
        let mut actions = Vec::new();
        let mut choices: Choices = vec![Vec::new(); acting.own.len()];
        for (player, &turn) in acting.own.iter().enumerate() {
            let me = player as u32;
            for (id, of) in rules.moves.entries().filter(|(_, of)| !of.chance) {
                if of.prefer.is_some() {
                    return Err(GroundingError::new("grounding does not support `prefer`", Some(of.span)));
                }
                let belongs = self.belongs(of, me)?;
                let turn = self.formulas.and([turn, belongs]);
                let choosing = self.formulas.and([acting.each, belongs]);
                for args in instances(&of.params) {
                    let made = [(me, id, &args[..])];
                    let play = || MoveInstance::Move(id, args.clone());
                    if turn != FALSE {
                        let maker = ActionMaker::Player(me);
                        actions.extend(self.action(&made, maker, turn, Decide, play())?);
                    }
                    if choosing != FALSE {
                        let alone = self.action(&made, ActionMaker::All, choosing, Decide, play())?;
                        choices[player].extend(alone);
                    }
                    if actions.len() > MAX_ACTIONS {
                        return Err(GroundingError::new(
                            "it has too many moves to be grounded",
                            Some(of.span),
                        ));
                    }
                }
            }
        }
        self.mandatory(&mut actions);
        if acting.each != FALSE {
            self.simultaneous(acting.each, choices, &mut actions)?;
        }
        Ok(actions)
    }

    fn belongs(&mut self, of: &'r Move, me: u32) -> Result<Formula> {
        let phases: Vec<Formula> =
            of.phases.iter().map(|phase| self.is(PHASE, &Value::Int(phase.index() as i64))).collect();
        let phase = self.formulas.or(phases);
        let Some(by) = &of.by else { return Ok(phase) };
        let named = self.players_of(&mut SymbolicEnv::of(Some(me)), by)?;
        Ok(self.formulas.and([phase, named[me as usize]]))
    }

    fn is_mandatory(&self, action: &Action) -> bool {
        matches!(action.play, MoveInstance::Move(id, _) if self.rules.moves[id].mandatory)
    }

    /// Restricts the other moves to positions without a legal mandatory move.
    fn mandatory(&mut self, actions: &mut [Action]) {
        let forced: Vec<bool> = actions.iter().map(|action| self.is_mandatory(action)).collect();
        let any = self.formulas.or(actions
            .iter()
            .zip(&forced)
            .filter(|(_, forced)| **forced)
            .map(|(action, _)| action.legal));
        for (action, _) in actions.iter_mut().zip(&forced).filter(|(_, forced)| !**forced) {
            action.legal = self.formulas.and_not(action.legal, any);
        }
    }

    /// Returns by player the condition that the player would have no move on his turn. It substitutes the player for
    /// the mover in the conditions of his moves, so it needs phases in which only the mover acts.
    pub(super) fn stuck_players(
        &mut self,
        actions: &[Action],
    ) -> std::result::Result<Vec<Formula>, &'static str> {
        if !self.rules.phases.iter().all(|phase| matches!(phase.actor, Actor::Mover)) {
            return Err("grounding supports `stuck(p)` only where the mover acts");
        }
        let turn = self.fluents.turn();
        let mut stuck = Vec::new();
        for player in 0..self.rules.players().len() as u32 {
            let own = actions.iter().filter(|action| action.maker == ActionMaker::Player(player));
            let free = self.formulas.or(own.map(|action| action.legal));
            let free = self
                .formulas
                .substitute(free, turn, player as u8)
                .ok_or("`stuck(p)` is too large when grounded")?;
            stuck.push(self.formulas.not(free));
        }
        Ok(stuck)
    }

    /// Adds the passes of players who move in turn. `stuck` holds where no other move is legal.
    pub(super) fn passes(
        &mut self,
        acting: &ActorConditions,
        actions: &mut Vec<Action>,
        stuck: Formula,
    ) -> Result<()> {
        let Some(pass) = &self.rules.pass else { return Ok(()) };
        let forced = actions.iter().filter(|action| self.is_mandatory(action)).map(|action| action.legal);
        let forced: Vec<Formula> = forced.collect();
        let forced = self.formulas.or(forced);
        for (player, &turn) in acting.own.iter().enumerate() {
            let me = player as u32;
            self.stuck = Some(stuck);
            let allowed = match &pass.condition {
                Some(condition) => self.truth(&mut SymbolicEnv::of(Some(me)), condition)?,
                None => TRUE,
            };
            self.stuck = None;
            let legal = self.formulas.and([turn, allowed]);
            let legal = self.formulas.and_not(legal, forced);
            if legal != FALSE {
                let pass = self.action(&[], ActionMaker::Player(me), legal, Decide, MoveInstance::Pass)?;
                actions.extend(pass);
            }
        }
        Ok(())
    }

    /// Grounds a move, or several simultaneous ones; `None` if it is never legal. Where it has a fault it counts as
    /// legal.
    fn action(
        &mut self,
        made: &[(u32, MoveId, &[Value])],
        maker: ActionMaker,
        acting: Formula,
        conditions: ConditionTreatment,
        play: MoveInstance,
    ) -> Result<Option<Action>> {
        self.check()?;
        let rules = self.rules;
        let mut runs = Vec::new();
        for (me, id, args) in made {
            let of = &rules.moves[*id];
            let mut env = SymbolicEnv::of(Some(*me));
            for (param, value) in of.params.iter().zip(*args) {
                env.set(param.var, SymbolicTerm::constant(value.clone()));
            }
            runs.push(MoveInProgress { env: env.clone(), waiting: vec![(TRUE, &of.body, env)] });
        }
        let mut progress = MoveProgress {
            conditions,
            legal: acting,
            fault: FALSE,
            early: FALSE,
            mistake: FALSE,
            mover: Vec::new(),
            phase: Vec::new(),
            assigned: FxHashMap::default(),
        };
        let before = self.switch_position(FxHashMap::default());
        // The first stage of every move reads the same position, so its terms are evaluated once.
        self.current.number = 0;
        let mut first = true;
        let result = loop {
            if progress.legal == FALSE || !runs.iter().any(|run| !run.waiting.is_empty()) {
                break Ok(());
            }
            if let Err(refusal) = self.stage(&mut runs, &mut progress, first) {
                break Err(refusal);
            }
            first = false;
        };
        let mut after = std::mem::replace(&mut self.current, before).cells;
        result?;
        let fault = progress.fault;
        // The faults of the last conditions are within `legal`, which so stays short.
        let legal = self.formulas.or([progress.legal, progress.early]);
        if legal == FALSE {
            return Ok(None);
        }
        self.finish(&mut after, &progress, maker);
        let becomes = self.fluent_updates(after);
        Ok(Some(Action { maker, play, legal, fault, updates: becomes }))
    }

    /// Grounds one stage of each run: first its reads, then its changes.
    fn stage(
        &mut self,
        runs: &mut [MoveInProgress<'r>],
        progress: &mut MoveProgress,
        first: bool,
    ) -> Result<()> {
        let mut stage = StageEffects::default();
        let several = runs.len() > 1;
        for run in runs {
            let Some((path, block, mut env)) = run.waiting.pop() else { continue };
            if several && path != TRUE {
                return Err(GroundingError::new("stages under conditions in simultaneous moves", None));
            }
            env.me = run.env.me;
            self.block(&mut env, block, path, &mut stage, progress)?;
            run.waiting.extend(stage.thens.drain(..).rev());
            if first && progress.legal == FALSE {
                return Ok(());
            }
        }
        let StageEffects { changes, mover, phase, .. } = stage;
        let clashes = [
            self.override_cases(mover, &mut progress.mover),
            self.override_cases(phase, &mut progress.phase),
        ];
        let cells = self.apply(changes, progress)?;
        let [one, other] = clashes;
        let mistake = std::mem::replace(&mut progress.mistake, FALSE);
        let mistake = self.formulas.or([mistake, one, other]);
        let fault = self.formulas.and([progress.legal, mistake]);
        progress.fault = self.formulas.or([progress.fault, fault]);
        let mut all = self.current.cells.clone();
        all.extend(cells);
        self.switch_position(all);
        Ok(())
    }

    /// Merges a stage's assignments of mover or phase, which override those of earlier stages. Returns the condition
    /// under which the stage contradicts itself.
    fn override_cases(&mut self, said: Vec<(Value, Formula)>, so_far: &mut Vec<(Value, Formula)>) -> Formula {
        if said.is_empty() {
            return FALSE;
        }
        let said = merge_cases(&mut self.formulas, said);
        let clash = self.clash(&said);
        let any = self.formulas.or(said.iter().map(|(_, when)| *when));
        let kept: Vec<(Value, Formula)> =
            so_far.drain(..).map(|(value, when)| (value, self.formulas.and_not(when, any))).collect();
        *so_far = merge_cases(&mut self.formulas, kept.into_iter().chain(said));
        clash
    }

    /// Returns the condition under which two of these different values hold at once.
    fn clash(&mut self, cases: &[(Value, Formula)]) -> Formula {
        let mut clashes = Vec::new();
        for (i, (_, a)) in cases.iter().enumerate() {
            for (_, b) in &cases[..i] {
                clashes.push(self.formulas.and([*a, *b]));
            }
        }
        self.formulas.or(clashes)
    }

    fn block(
        &mut self,
        env: &mut SymbolicEnv,
        block: &'r Block,
        path: Formula,
        stage: &mut StageEffects<'r>,
        progress: &mut MoveProgress,
    ) -> Result<()> {
        for stmt in &block.stmts {
            if progress.legal == FALSE {
                return Ok(());
            }
            match &stmt.kind {
                StmtKind::Require(condition) => {
                    if progress.conditions == Decide {
                        let holds = self.truth(env, condition)?;
                        self.require(path, holds, progress);
                    }
                }
                StmtKind::Let(pattern, bound) => {
                    let term = self.value(env, bound)?;
                    let defined = self.bind(env, pattern, term, bound)?;
                    match progress.conditions {
                        Decide => self.require(path, defined, progress),
                        Settled => self.must(path, defined, progress),
                    }
                }
                StmtKind::If(condition, then, otherwise) => {
                    let holds = self.truth(env, condition)?;
                    let yes = self.formulas.and([path, holds]);
                    let no = self.formulas.and_not(path, holds);
                    if yes != FALSE {
                        self.block(env, then, yes, stage, progress)?;
                    }
                    if no != FALSE {
                        self.block(env, otherwise, no, stage, progress)?;
                    }
                }
                StmtKind::For(binders, body) => {
                    let binders: &'r [Binder] = binders;
                    let undefined = self.each(env, binders, path, &mut |this, env, _, path| {
                        this.block(env, body, path, stage, progress)
                    })?;
                    progress.mistake = self.formulas.or([progress.mistake, undefined]);
                }
                StmtKind::Then(block) => stage.thens.push((path, block, env.clone())),
                StmtKind::Effect(effect) => self.effect(env, effect, path, stage, progress)?,
                StmtKind::Stay(phase) => {
                    let said: Vec<(Value, Formula)> = match phase {
                        Some(PhaseId(phase)) => vec![(Value::Int(i64::from(*phase)), path)],
                        None => {
                            let here = self.read(self.fluents.cell(PHASE, 0));
                            match here.when(&mut self.formulas, path) {
                                SymbolicTerm::Cases(cases) => cases,
                                SymbolicTerm::Set(_) => Vec::new(),
                            }
                        }
                    };
                    stage.phase.extend(said);
                }
                StmtKind::Next(player) => {
                    let term = self.value(env, player)?;
                    let mut cases = self.cases(term, player)?;
                    cases.retain(|(value, _)| matches!(value, Value::Sym(PLAYER, _)));
                    let defined = self.formulas.or(cases.iter().map(|(_, when)| *when));
                    self.must(path, defined, progress);
                    for (player, when) in cases {
                        stage.mover.push((player, self.formulas.and([path, when])));
                    }
                }
            }
        }
        Ok(())
    }

    fn require(&mut self, path: Formula, holds: Formula, progress: &mut MoveProgress) {
        let fits = self.formulas.implies(path, holds);
        let legal = self.formulas.and([progress.legal, fits]);
        if legal != progress.legal {
            progress.early = progress.fault;
            progress.legal = legal;
        }
    }

    /// Records a fault of the stage where the path is taken and this does not hold.
    fn must(&mut self, path: Formula, holds: Formula, progress: &mut MoveProgress) {
        let mistake = self.formulas.and_not(path, holds);
        progress.mistake = self.formulas.or([progress.mistake, mistake]);
    }

    fn effect(
        &mut self,
        env: &mut SymbolicEnv,
        effect: &'r Effect,
        path: Formula,
        stage: &mut StageEffects<'r>,
        progress: &mut MoveProgress,
    ) -> Result<()> {
        let field = &self.rules.fields[effect.field];
        let mut cells = Vec::new();
        let mut somewhere = Vec::new();
        for (keys, when) in self.rows(env, &effect.keys, &effect.value)? {
            let when = self.formulas.and([path, when]);
            if when == FALSE {
                continue;
            }
            if let Some(cell) = field.cell(&keys) {
                somewhere.push(when);
                cells.push((self.fluents.cell(effect.field, cell), when));
            }
        }
        let value = self.value(env, &effect.value)?;
        let defined = value.defined(&mut self.formulas);
        let somewhere = self.formulas.or(somewhere);
        let sound = self.formulas.and([somewhere, defined]);
        self.must(path, sound, progress);
        stage.changes.push(CellChange { cells, effect, value });
        Ok(())
    }

    /// Completes a move: transient cells return to their initial values, and the turn passes.
    fn finish(
        &mut self,
        after: &mut FxHashMap<usize, SymbolicTerm>,
        progress: &MoveProgress,
        maker: ActionMaker,
    ) {
        let rules = self.rules;
        for (id, field) in rules.fields.entries().filter(|(_, field)| field.transient) {
            for (number, init) in field.init.iter().enumerate() {
                let cell = self.fluents.cell(id, number);
                let assigned = progress.assigned.get(&cell).copied().unwrap_or(FALSE);
                let idle = self.formulas.not(assigned);
                let now = after.get(&cell).unwrap_or(self.before(cell)).clone();
                let now = now.when(&mut self.formulas, assigned);
                let back = SymbolicTerm::constant(init.clone()).when(&mut self.formulas, idle);
                let term = SymbolicTerm::either(&mut self.formulas, vec![now, back]);
                after.insert(cell, term);
            }
        }
        let (mover, phase) = (self.fluents.cell(MOVER, 0), self.fluents.cell(PHASE, 0));
        let said = self.formulas.or(progress.mover.iter().map(|(_, when)| *when));
        let stayed = self.formulas.or(progress.phase.iter().map(|(_, when)| *when));
        let mut next: Vec<(Value, Formula)> = progress.mover.clone();
        let silent = self.formulas.not(said);
        let stays = match maker {
            ActionMaker::Player(me) => {
                let players = rules.players().len().max(1) as u32;
                let passes = self.formulas.and_not(silent, stayed);
                next.push((rules.player((me + 1) % players), passes));
                self.formulas.and([silent, stayed])
            }
            ActionMaker::All => silent,
        };
        if let SymbolicTerm::Cases(kept) = self.before(mover).clone().when(&mut self.formulas, stays) {
            next.extend(kept);
        }
        after.insert(mover, SymbolicTerm::cases(&mut self.formulas, next));
        let begins = self.formulas.not(stayed);
        let turn = (Value::Int(rules.turn_phase().index() as i64), begins);
        let next = progress.phase.iter().cloned().chain([turn]);
        let next = SymbolicTerm::cases(&mut self.formulas, next);
        after.insert(phase, next);
    }

    /// Returns the effects of a move on each fluent that it may change.
    fn fluent_updates(&mut self, after: FxHashMap<usize, SymbolicTerm>) -> Vec<FluentUpdate> {
        let mut cells: Vec<(usize, SymbolicTerm)> = after.into_iter().collect();
        cells.sort_unstable_by_key(|(cell, _)| *cell);
        let mut becomes = Vec::new();
        for (cell, term) in cells {
            if term == *self.before(cell) {
                continue;
            }
            let ids: Vec<super::FluentId> = self.fluents.of_cell(cell).collect();
            match term {
                SymbolicTerm::Cases(cases) => {
                    for id in ids {
                        let values = &self.fluents.get(id).values;
                        let number = |value: &Value| values.binary_search(value).ok();
                        let cases = cases.iter().filter_map(|(v, when)| Some((number(v)? as u8, *when)));
                        becomes.push(FluentUpdate { fluent: id, values: cases.collect() });
                    }
                }
                SymbolicTerm::Set(set) => {
                    let SymbolicTerm::Set(old) = self.before(cell).clone() else { continue };
                    for id in ids {
                        let Some(element) = self.fluents.get(id).element.clone() else { continue };
                        let now = set.has(&element);
                        if now != old.has(&element) {
                            let not = self.formulas.not(now);
                            let values =
                                [(0, not), (1, now)].into_iter().filter(|(_, when)| *when != FALSE).collect();
                            becomes.push(FluentUpdate { fluent: id, values });
                        }
                    }
                }
            }
        }
        becomes
    }
}

/// Iterates over all combinations of arguments; the first varies slowest.
fn instances(params: &[Param]) -> impl Iterator<Item = Vec<Value>> + use<> {
    let values: Vec<std::sync::Arc<Vec<Value>>> = params.iter().map(|param| param.values.clone()).collect();
    let total: usize = values.iter().map(|values| values.len()).product();
    (0..total).map(move |mut number| {
        let mut row: Vec<Value> = Vec::with_capacity(values.len());
        for values in values.iter().rev() {
            row.push(values[number % values.len()].clone());
            number /= values.len();
        }
        row.reverse();
        row
    })
}
