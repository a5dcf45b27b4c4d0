//! The moves of a position and their effects, by sections 9 to 15 of the language's reference.

use crate::eval::{Bindings, EvalContext, FaultCodes, GameModel, Pos};
use crate::game::*;
use crate::print::val;
use std::collections::{BTreeMap, BTreeSet};

/// One successor of a position, with its weight where chance acts.
#[derive(Clone, Debug)]
pub struct Edge {
    pub name: String,
    pub weight: i64,
    pub to: Result<Pos, FaultCodes>,
}

/// The status of a position.
#[derive(Clone, Debug)]
pub enum View {
    /// The end, with the payoff of each player.
    End(Vec<i64>),
    /// A mistake in the rules.
    Fault(FaultCodes),
    Turn(u8, Vec<Edge>),
    Chance(Vec<Edge>),
    /// Simultaneous moves: the players who choose, the number of moves of each, and the successor for each combination
    /// of choices; the last player's choice varies fastest.
    Each(Vec<u8>, Vec<usize>, Vec<Edge>),
}

/// The result of one move alone.
enum MoveResult {
    Illegal,
    Fault(FaultCodes),
    To(Pos),
}

/// One legal instance of a move, perhaps at fault.
struct Inst {
    index: usize,
    env: Bindings,
    to: Result<Pos, FaultCodes>,
}

/// A move in progress: the player who makes it, and its remaining stages, the next one last.
struct ActiveMove<'a> {
    me: Option<u8>,
    todo: Vec<(&'a [St], Bindings)>,
    every: bool,
}

enum CellEffect {
    Set(Val),
    Part(u8, Val),
    Add(i64),
    Put(BTreeSet<Val>),
    Take(BTreeSet<Val>),
}

/// A statement of a move about the next turn.
#[derive(Clone, Debug, PartialEq)]
enum TurnStatement {
    Again,
    Continue(usize),
    Next(u8),
}

/// The effects of one stage, each with the index of the run that makes it.
#[derive(Default)]
struct StageResult<'a> {
    writes: Vec<(usize, usize, CellEffect)>,
    turn_statements: Vec<(usize, TurnStatement)>,
    thens: Vec<(&'a [St], Bindings)>,
    codes: FaultCodes,
    illegal: bool,
}

impl<'a> GameModel<'a> {
    /// Returns the status of a position: the end, a fault, or the moves.
    pub fn view(&self, pos: &Pos) -> View {
        // `play normal` is an end rule like others, and precedes them.
        if let Some(play) = self.g.play
            && self.stuck(pos, None)
        {
            let sign = if play == PlayConvention::Normal { -1 } else { 1 };
            let mover = pos.mover as usize;
            return View::End((0..self.g.players).map(|p| if p == mover { sign } else { -sign }).collect());
        }
        for e in &self.g.ends {
            if let End::When(bind, cond, out) = e {
                let choices: Vec<Option<Val>> = match bind {
                    None => vec![None],
                    Some((_, d)) => match self.domain(d, &mut EvalContext { pos, me: None, env: vec![] }) {
                        Some(all) => all.into_iter().map(Some).collect(),
                        None => vec![],
                    },
                };
                for x in choices {
                    let env = match (bind, x) {
                        (Some((v, _)), Some(x)) => vec![(v.clone(), x)],
                        _ => vec![],
                    };
                    let mut at = EvalContext { pos, me: None, env };
                    if self.cond(cond, &mut at) {
                        return match self.outcome(out, &mut at) {
                            Some(v) => View::End(v),
                            None => View::Fault(FaultCodes::from(["E0502"])),
                        };
                    }
                }
            }
        }
        if self.has_no_actor(pos) {
            return View::Fault(FaultCodes::from(["E0330"]));
        }
        self.moves(pos)
    }

    /// Returns true if the player who acts in this phase is undefined.
    fn has_no_actor(&self, pos: &Pos) -> bool {
        match self.g.actor(pos.phase as usize) {
            Actor::By(e) => {
                !matches!(self.term(e, &mut EvalContext { pos, me: None, env: vec![] }), Some(Val::Player(_)))
            }
            _ => false,
        }
    }

    fn outcome(&self, out: &EndOutcome, at: &mut EvalContext) -> Option<Vec<i64>> {
        let n = self.g.players;
        let one = |p: usize, a: i64| (0..n).map(|q| if p == q { a } else { -a }).collect();
        Some(match out {
            EndOutcome::Draw => vec![0; n],
            EndOutcome::Win => vec![1],
            EndOutcome::Lose => vec![-1],
            EndOutcome::Wins(e) | EndOutcome::Loses(e) => match self.term(e, at)? {
                Val::Player(p) => one(p as usize, if matches!(out, EndOutcome::Wins(_)) { 1 } else { -1 }),
                _ => return None,
            },
            EndOutcome::Payoff(v, e) => {
                let mut all = vec![];
                for p in 0..n as u8 {
                    at.env.push((v.clone(), Val::Player(p)));
                    let x = self.term(e, at);
                    at.env.pop();
                    match x? {
                        Val::Int(n) => all.push(n),
                        _ => return None,
                    }
                }
                all
            }
            EndOutcome::Best(high, f) => {
                let score = |p: usize| match &at.pos.cells[self.base[*f] + p] {
                    Val::Int(n) => {
                        if *high {
                            *n
                        } else {
                            -*n
                        }
                    }
                    v => panic!("no score: {v:?}"),
                };
                let best = (0..n).map(score).max()?;
                let who: Vec<usize> = (0..n).filter(|p| score(*p) == best).collect();
                if who.len() == 1 { one(who[0], 1) } else { vec![0; n] }
            }
        })
    }

    /// Returns true if the player who acts, or the given player, has no legal move but passing.
    pub fn stuck(&self, pos: &Pos, who: Option<u8>) -> bool {
        let phase = pos.phase as usize;
        match (self.g.actor(phase), who) {
            (_, Some(p)) => self.legal(pos, p).is_empty(),
            (Actor::Mover, None) => self.legal(pos, pos.mover).is_empty(),
            (Actor::By(e), None) => match self.term(e, &mut EvalContext { pos, me: None, env: vec![] }) {
                Some(Val::Player(p)) => self.legal(pos, p).is_empty(),
                // The phase is of no player, so nobody is stuck.
                _ => false,
            },
            (Actor::Each, None) => (0..self.g.players as u8).all(|p| self.legal(pos, p).is_empty()),
            (Actor::Chance, None) => self.events(pos).is_empty(),
        }
    }

    /// Returns the moves of a position in which the game is not over.
    fn moves(&self, pos: &Pos) -> View {
        let phase = pos.phase as usize;
        let view = match self.g.actor(phase) {
            Actor::Chance => return self.chance(pos),
            Actor::Each => self.each(pos),
            Actor::Mover => self.turn(pos, pos.mover),
            Actor::By(e) => match self.term(e, &mut EvalContext { pos, me: None, env: vec![] }) {
                Some(Val::Player(p)) => self.turn(pos, p),
                _ => return View::Fault(FaultCodes::from(["E0330"])),
            },
        };
        match &view {
            View::Turn(_, e) | View::Each(_, _, e) if e.is_empty() => {
                View::Fault(FaultCodes::from(["E0501"]))
            }
            _ => view,
        }
    }

    fn turn(&self, pos: &Pos, p: u8) -> View {
        let legal = self.legal(pos, p);
        let must = legal.iter().any(|i| self.g.moves[i.index].mandatory);
        let pass = match &self.g.pass {
            _ if must => false,
            None => false,
            Some(PassMode::Always) => true,
            Some(PassMode::Stuck) => legal.is_empty(),
            Some(PassMode::When(c)) => self.cond(c, &mut EvalContext { pos, me: None, env: vec![] }),
        };
        let mut edges: Vec<Edge> =
            legal.iter().map(|i| Edge { name: self.name(i), weight: 1, to: i.to.clone() }).collect();
        if pass {
            let mut to = pos.clone();
            self.reset_transient(&mut to, &BTreeSet::new());
            to.mover = (p + 1) % self.g.players as u8;
            to.phase = self.g.usual() as u8;
            edges.push(Edge { name: "pass".into(), weight: 1, to: Ok(to) });
        }
        View::Turn(p, edges)
    }

    fn each(&self, pos: &Pos) -> View {
        let all: Vec<(u8, Vec<Inst>)> = (0..self.g.players as u8)
            .map(|p| (p, self.legal(pos, p)))
            .filter(|(_, l)| !l.is_empty())
            .collect();
        let counts: Vec<usize> = all.iter().map(|a| a.1.len()).collect();
        let mut edges = vec![];
        if !all.is_empty() {
            for n in 0..counts.iter().product() {
                let mut left = n;
                let mut chosen: Vec<&Inst> = vec![];
                for (_, l) in all.iter().rev() {
                    chosen.push(&l[left % l.len()]);
                    left /= l.len();
                }
                chosen.reverse();
                let runs = chosen
                    .iter()
                    .zip(&all)
                    .map(|(i, (p, _))| self.run_of(&self.g.moves[i.index], &i.env, Some(*p)));
                let mut to = match self.make(pos, runs.collect(), true) {
                    MoveResult::To(p) => Ok(p),
                    MoveResult::Fault(c) => Err(c),
                    MoveResult::Illegal => unreachable!(),
                };
                let alone: FaultCodes =
                    chosen.iter().filter_map(|i| i.to.as_ref().err()).flatten().copied().collect();
                if !alone.is_empty() {
                    match &mut to {
                        Ok(_) => self.mark_unclear("a move that is at fault alone, but not with the others"),
                        Err(c) => c.extend(alone),
                    }
                }
                let names: Vec<String> = chosen.iter().map(|i| self.name(i)).collect();
                edges.push(Edge { name: format!("({})", names.join(", ")), weight: 1, to });
            }
        }
        View::Each(all.iter().map(|a| a.0).collect(), counts, edges)
    }

    fn chance(&self, pos: &Pos) -> View {
        let all = self.events(pos);
        let mut edges = vec![];
        for i in &all {
            let weight = match &self.g.moves[i.index].weight {
                None => 1,
                Some(w) => match self.term(w, &mut EvalContext { pos, me: None, env: i.env.clone() }) {
                    Some(Val::Int(n)) => n,
                    _ => {
                        self.mark_unclear("a weight without a value");
                        1
                    }
                },
            };
            if weight < 0 {
                return View::Fault(FaultCodes::from(["E0324"]));
            }
            if weight == 0 && i.to.is_err() {
                self.mark_unclear("an event of weight 0 that is at fault");
            }
            if weight > 0 {
                edges.push(Edge { name: self.name(i), weight, to: i.to.clone() });
            }
        }
        match (all.is_empty(), edges.is_empty()) {
            (true, _) => View::Fault(FaultCodes::from(["E0324", "E0501"])),
            (_, true) => View::Fault(FaultCodes::from(["E0324"])),
            _ => View::Chance(edges),
        }
    }

    /// Returns the events of chance of this phase whose conditions hold.
    fn events(&self, pos: &Pos) -> Vec<Inst> {
        self.instances(pos, None, true)
    }

    /// Returns the legal moves of a player in this phase, after `mandatory` and `prefer`.
    fn legal(&self, pos: &Pos, p: u8) -> Vec<Inst> {
        let mut all = self.instances(pos, Some(p), false);
        if all.iter().any(|i| self.g.moves[i.index].mandatory) {
            all.retain(|i| self.g.moves[i.index].mandatory);
        }
        let worth = |i: &Inst| match &self.g.moves[i.index].prefer {
            None => None,
            Some(e) => match self.term(e, &mut EvalContext { pos, me: Some(p), env: i.env.clone() }) {
                Some(Val::Int(n)) => Some(n),
                _ => {
                    self.mark_unclear("`prefer max` of a term without a value");
                    None
                }
            },
        };
        if let Some(best) = all.iter().filter_map(&worth).max() {
            all.retain(|i| worth(i).is_none_or(|n| n == best));
        }
        all
    }

    fn instances(&self, pos: &Pos, me: Option<u8>, chance: bool) -> Vec<Inst> {
        let mut all = vec![];
        for (index, m) in self.g.moves.iter().enumerate() {
            if m.chance != chance || !self.g.belongs(m, pos.phase as usize) {
                continue;
            }
            if let (Some(by), Some(p)) = (&m.by, me) {
                let allowed = match self.term(by, &mut EvalContext { pos, me: None, env: vec![] }) {
                    Some(Val::Player(q)) => p == q,
                    Some(Val::Set(s)) => s.contains(&Val::Player(p)),
                    _ => false,
                };
                if !allowed {
                    continue;
                }
            }
            for env in self.tuples(&m.params) {
                let to = match self.make(pos, vec![self.run_of(m, &env, me)], false) {
                    MoveResult::Illegal => continue,
                    MoveResult::Fault(c) => Err(c),
                    MoveResult::To(p) => Ok(p),
                };
                all.push(Inst { index, env, to });
            }
        }
        all
    }

    fn run_of(&self, m: &'a GameMove, env: &Bindings, me: Option<u8>) -> ActiveMove<'a> {
        ActiveMove { me, todo: vec![(&m.body, env.clone())], every: me.is_some() && !self.g.every.is_empty() }
    }

    fn name(&self, i: &Inst) -> String {
        let m = &self.g.moves[i.index];
        let args: Vec<String> = i.env.iter().map(|(_, v)| val(self.g, v)).collect();
        if args.is_empty() { m.name.clone() } else { format!("{}({})", m.name, args.join(", ")) }
    }

    /// Makes moves in step, stage by stage. Conditions apply only to a move alone.
    fn make(&self, pos: &Pos, mut runs: Vec<ActiveMove<'a>>, joint: bool) -> MoveResult {
        let mut now = pos.clone();
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut said: Vec<TurnStatement> = vec![];
        while runs.iter().any(|r| !r.todo.is_empty()) {
            let mut stage = StageResult::default();
            for (who, run) in runs.iter_mut().enumerate() {
                let Some((body, env)) = run.todo.pop() else { continue };
                let mut at = EvalContext { pos: &now, me: run.me, env };
                self.run(body, &mut at, who, joint, &mut stage);
                if std::mem::take(&mut run.every) {
                    let mut at = EvalContext { pos: &now, me: run.me, env: vec![] };
                    self.run(&self.g.every, &mut at, who, joint, &mut stage);
                }
                run.todo.extend(std::mem::take(&mut stage.thens).into_iter().rev());
            }
            if stage.illegal {
                return MoveResult::Illegal;
            }
            let next = self.apply(&now, &mut stage, &mut kept);
            self.turns(&mut stage, &mut said);
            match next {
                Some(p) if stage.codes.is_empty() => now = p,
                _ => return MoveResult::Fault(stage.codes),
            }
        }
        self.reset_transient(&mut now, &kept);
        let usual = self.g.usual() as u8;
        match runs[0].me {
            Some(p) if !joint => (now.mover, now.phase) = ((p + 1) % self.g.players as u8, usual),
            _ => now.phase = usual,
        }
        for s in &said {
            match s {
                TurnStatement::Next(p) => now.mover = *p,
                _ if said.iter().any(|s| matches!(s, TurnStatement::Next(_))) => {}
                _ => now.mover = pos.mover,
            }
            match s {
                TurnStatement::Again => now.phase = pos.phase,
                TurnStatement::Continue(p) => now.phase = *p as u8,
                TurnStatement::Next(_) => {}
            }
        }
        MoveResult::To(now)
    }

    /// Resets the transient fields that were not set.
    fn reset_transient(&self, pos: &mut Pos, kept: &BTreeSet<usize>) {
        for (c, f) in self.owner.iter().enumerate() {
            if self.g.fields[*f].transient && !kept.contains(&c) {
                pos.cells[c] = self.start[c].clone();
            }
        }
    }

    /// Collects the statements of a stage about the turn: they must agree, and override those of earlier stages.
    fn turns(&self, stage: &mut StageResult, said: &mut Vec<TurnStatement>) {
        if stage.turn_statements.is_empty() {
            return;
        }
        let kind = |s: &TurnStatement| std::mem::discriminant(s);
        for (i, (p, a)) in stage.turn_statements.iter().enumerate() {
            for (q, b) in &stage.turn_statements[..i] {
                if kind(a) == kind(b) && a != b {
                    stage.codes.insert(if p == q { "E0310" } else { "E0506" });
                }
                if matches!(
                    (a, b),
                    (TurnStatement::Again, TurnStatement::Continue(_))
                        | (TurnStatement::Continue(_), TurnStatement::Again)
                ) {
                    self.mark_unclear("`again` and `continue` in one stage");
                }
            }
        }
        let new: Vec<TurnStatement> = stage.turn_statements.drain(..).map(|s| s.1).collect();
        let kinds = |v: &[TurnStatement]| {
            (0..3)
                .map(|k| {
                    v.iter().any(|s| {
                        k == match s {
                            TurnStatement::Again => 0,
                            TurnStatement::Continue(_) => 1,
                            TurnStatement::Next(_) => 2,
                        }
                    })
                })
                .collect::<Vec<bool>>()
        };
        if !said.is_empty() && kinds(said) != kinds(&new) {
            self.mark_unclear("stages that speak of the turn in different ways");
        }
        *said = new;
    }

    /// Runs the statements of a stage, all of which read one position.
    fn run(
        &self,
        body: &'a [St],
        at: &mut EvalContext,
        who: usize,
        joint: bool,
        stage: &mut StageResult<'a>,
    ) {
        let depth = at.env.len();
        for s in body {
            match s {
                St::When(c) | St::Ensure(c) => {
                    if !joint && !self.cond(c, at) {
                        stage.illegal = true;
                        return;
                    }
                }
                St::Let(v, e) => match self.term(e, at) {
                    Some(x) => at.env.push((v.clone(), x)),
                    None => {
                        if joint {
                            self.mark_unclear("a `let` without a value after moves made at once");
                            stage.codes.insert("E0330");
                        }
                        stage.illegal = !joint;
                        return;
                    }
                },
                St::Set(t, e) | St::Add(t, e) | St::Sub(t, e) | St::Put(t, e) | St::Take(t, e) => {
                    let place = self.cell(t.field, &t.keys, at);
                    let value = self.term(e, at);
                    let (Some(cell), Some(v)) = (place, value) else {
                        stage.codes.insert("E0330");
                        continue;
                    };
                    let what = match (s, v) {
                        (St::Set(..), v) => self.to_set(t, v),
                        (St::Add(..), Val::Int(n)) => Some(CellEffect::Add(n)),
                        (St::Sub(..), Val::Int(n)) => Some(CellEffect::Add(-n)),
                        (St::Put(..), Val::Set(s)) => Some(CellEffect::Put(s)),
                        (St::Take(..), Val::Set(s)) => Some(CellEffect::Take(s)),
                        (_, Val::None) => None,
                        (s, v) => panic!("{s:?} with {v:?}"),
                    };
                    match what {
                        Some(w) => stage.writes.push((who, cell, w)),
                        None => {
                            stage.codes.insert("E0330");
                        }
                    }
                }
                St::Shift(a, b) => {
                    let (Some(to), Some(from)) =
                        (self.cell(a.field, &a.keys, at), self.cell(b.field, &b.keys, at))
                    else {
                        stage.codes.insert("E0330");
                        continue;
                    };
                    stage.writes.push((who, to, CellEffect::Set(at.pos.cells[from].clone())));
                    let left = self.g.empty(&self.g.fields[b.field].ty).expect("an empty value");
                    stage.writes.push((who, from, CellEffect::Set(left)));
                }
                St::If(c, a, b) => {
                    let b = if self.cond(c, at) { a } else { b };
                    self.run(b, at, who, joint, stage);
                }
                St::For(v, d, c, b) => match self.domain(d, at) {
                    None => {
                        stage.codes.insert("E0330");
                    }
                    Some(all) => {
                        for x in all {
                            at.env.push((v.clone(), x));
                            if c.as_ref().is_none_or(|c| self.cond(c, at)) {
                                self.run(b, at, who, joint, stage);
                            }
                            at.env.pop();
                        }
                    }
                },
                St::Then(b) => stage.thens.push((b, at.env.clone())),
                St::Again => stage.turn_statements.push((who, TurnStatement::Again)),
                St::Continue(p) => stage.turn_statements.push((who, TurnStatement::Continue(*p))),
                St::Next(e) => match self.term(e, at) {
                    Some(Val::Player(p)) => stage.turn_statements.push((who, TurnStatement::Next(p))),
                    _ => {
                        stage.codes.insert("E0330");
                    }
                },
            }
            if stage.illegal {
                return;
            }
        }
        at.env.truncate(depth);
    }

    /// Returns the effect of `:=`; `None` if the value is `none` and the field cannot hold it.
    fn to_set(&self, t: &Tgt, v: Val) -> Option<CellEffect> {
        if let Some(p) = t.part {
            return if v == Val::None { None } else { Some(CellEffect::Part(p, v)) };
        }
        if v == Val::None && !matches!(self.g.fields[t.field].ty, Ty::Opt(_)) {
            None
        } else {
            Some(CellEffect::Set(v))
        }
    }

    /// Applies the effects of a stage simultaneously; adds faults to the stage.
    fn apply(&self, pos: &Pos, stage: &mut StageResult, kept: &mut BTreeSet<usize>) -> Option<Pos> {
        let mut out = pos.clone();
        let mut by_cell: BTreeMap<usize, Vec<(usize, &CellEffect)>> = BTreeMap::new();
        for (who, cell, w) in &stage.writes {
            by_cell.entry(*cell).or_default().push((*who, w));
        }
        let mut codes = FaultCodes::new();
        for (cell, all) in by_cell {
            kept.insert(cell);
            let clash = |a: usize, b: usize| if a == b { "E0310" } else { "E0506" };
            let mut old = pos.cells[cell].clone();
            let mut wide = false;
            let ty = &self.g.fields[self.owner[cell]].ty;
            for (i, (p, a)) in all.iter().enumerate() {
                for (q, b) in &all[..i] {
                    let meets = match (a, b) {
                        (CellEffect::Set(a), CellEffect::Set(b)) => a != b,
                        (CellEffect::Part(x, a), CellEffect::Part(y, b)) => x == y && a != b,
                        (CellEffect::Set(s), CellEffect::Part(x, a))
                        | (CellEffect::Part(x, a), CellEffect::Set(s)) => {
                            if pos.cells[cell] == Val::None {
                                self.mark_unclear("a piece and its part, set where there was none");
                            }
                            part(s, *x) != Some(a.clone())
                        }
                        (CellEffect::Put(a), CellEffect::Take(b))
                        | (CellEffect::Take(a), CellEffect::Put(b)) => !a.is_disjoint(b),
                        _ => false,
                    };
                    if meets {
                        codes.insert(clash(*p, *q));
                    }
                }
            }
            for (_, w) in &all {
                if let CellEffect::Set(v) = w {
                    old = v.clone();
                    wide = !self.g.has(ty, v);
                }
            }
            for (_, w) in &all {
                match (w, &mut old) {
                    (CellEffect::Set(_), _) => {}
                    (CellEffect::Part(0, Val::Player(p)), Val::Piece(o, _)) => *o = *p,
                    (CellEffect::Part(1, Val::Kind(x)), Val::Piece(_, k)) => *k = *x,
                    (CellEffect::Add(n), Val::Int(m)) => *m += n,
                    (CellEffect::Put(s), Val::Set(t)) => t.extend(s.iter().cloned()),
                    (CellEffect::Take(s), Val::Set(t)) => t.retain(|x| !s.contains(x)),
                    _ => {
                        codes.insert("E0330");
                    }
                }
            }
            let fits = self.g.has(ty, &old);
            if !fits {
                codes.insert("E0503");
            }
            if wide && fits {
                self.mark_unclear("`:=` outside the range, and `+=` back into it");
            }
            out.cells[cell] = old;
        }
        stage.codes.extend(codes);
        Some(out)
    }
}

fn part(v: &Val, p: u8) -> Option<Val> {
    match v {
        Val::Piece(o, k) => Some(if p == 0 { Val::Player(*o) } else { Val::Kind(*k) }),
        _ => None,
    }
}
