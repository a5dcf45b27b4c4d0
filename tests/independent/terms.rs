//! Random terms and conditions of given types.

use crate::game::*;
use std::collections::BTreeSet;

/// A random number generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a number from 0 to `n` - 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Returns a number from `a` to `b`.
    pub fn range(&mut self, a: i64, b: i64) -> i64 {
        a + self.below((b - a + 1) as usize) as i64
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, v: &'a [T]) -> &'a T {
        &v[self.below(v.len())]
    }
}

/// The names that a term may use at its place.
#[derive(Clone, Default)]
pub struct Scope {
    pub vars: Vec<(String, Ty)>,
    /// True if a player makes a move here.
    pub me: bool,
    /// True if `mover` and `stuck` may be used.
    pub end: bool,
}

impl Scope {
    pub fn with(&self, v: &str, t: Ty) -> Scope {
        let mut s = self.clone();
        s.vars.push((v.to_string(), t));
        s
    }
}

/// Makes terms for one game.
pub struct TermGenerator<'a> {
    pub g: &'a Game,
    pub r: &'a mut Rng,
    fresh: usize,
}

impl<'a> TermGenerator<'a> {
    pub fn new(g: &'a Game, r: &'a mut Rng) -> TermGenerator<'a> {
        TermGenerator { g, r, fresh: 0 }
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    /// Returns the fields whose type satisfies `want`.
    fn fields(&self, want: impl Fn(&Ty) -> bool) -> Vec<usize> {
        (0..self.g.fields.len()).filter(|i| want(&self.g.fields[*i].ty)).collect()
    }

    fn vars(&self, s: &Scope, want: impl Fn(&Ty) -> bool) -> Vec<Ex> {
        s.vars.iter().filter(|(_, t)| want(t)).map(|(n, _)| var(n)).collect()
    }

    /// Returns a read of a field at random keys.
    pub fn read(&mut self, f: usize, s: &Scope) -> Ex {
        Ex::Field(f, self.keys(f, s))
    }

    pub fn keys(&mut self, f: usize, s: &Scope) -> Vec<Ex> {
        let tys: Vec<Ty> = self.g.fields[f].keys.iter().map(|k| k.1.clone()).collect();
        tys.iter().map(|t| self.of(t, s, 1)).collect()
    }

    /// Returns a term of a type; now and then one without a value.
    pub fn of(&mut self, t: &Ty, s: &Scope, depth: usize) -> Ex {
        match t {
            Ty::Int(a, b) => {
                let same: Vec<Ex> = self.vars(s, |u| u == t);
                if !same.is_empty() && self.r.chance(60) {
                    return self.r.pick(&same).clone();
                }
                if self.r.chance(if depth > 0 { 75 } else { 90 }) {
                    int(self.r.range(*a, *b))
                } else {
                    self.int(s, depth.min(1))
                }
            }
            Ty::Player => self.player(s, depth),
            Ty::Cell => self.cell(s, depth),
            Ty::Kind => self.kind(s),
            Ty::Bool => Ex::Lit(Val::Bool(self.r.chance(50))),
            Ty::Piece => Ex::Lit(Val::Piece(self.r.below(self.g.players) as u8, self.r.below(2) as u8)),
            Ty::Opt(t) => {
                if self.r.chance(25) {
                    Ex::Lit(Val::None)
                } else {
                    self.of(t, s, depth)
                }
            }
            Ty::Set(t) if **t == Ty::Cell => self.cells(s, depth),
            Ty::Set(t) => Ex::SetLit(vec![self.of(&t.clone(), s, 0)]),
            Ty::Among(i) => Ex::Lit(self.r.pick(&self.g.families[*i]).clone()),
        }
    }

    pub fn int(&mut self, s: &Scope, depth: usize) -> Ex {
        let is = |t: &Ty| matches!(t, Ty::Int(..));
        let opt = |t: &Ty| matches!(t, Ty::Opt(t) if matches!(**t, Ty::Int(..)));
        let leaf = depth == 0;
        for _ in 0..20 {
            match self.r.below(if leaf { 4 } else { 12 }) {
                0 => return int(self.r.range(0, 3)),
                1 => {
                    let v = self.vars(s, is);
                    if !v.is_empty() {
                        return self.r.pick(&v).clone();
                    }
                }
                2..=4 => {
                    let f = self.fields(|t| is(t) || opt(t) && depth > 0);
                    if !f.is_empty() {
                        let f = *self.r.pick(&f);
                        return self.read(f, s);
                    }
                }
                5 | 6 => {
                    let op = *self.r.pick(&[Op::Add, Op::Add, Op::Sub, Op::Min, Op::Max, Op::Mul]);
                    return bin(op, self.int(s, depth - 1), self.int(s, depth - 1));
                }
                7 => {
                    let by = self.r.range(2, 3);
                    return bin(Op::Mod, self.int(s, depth - 1), int(by));
                }
                8 => {
                    let (v, t) = (self.name(), self.small());
                    let f = self.cond(&s.with(&v, t.clone()), depth - 1);
                    return Ex::Fold(Fold::Count, v, Dom::Ty(t), Box::new(f));
                }
                9 => {
                    let (v, t) = (self.name(), self.small());
                    let f = self.int(&s.with(&v, t.clone()), depth - 1);
                    let fold = *self.r.pick(&[Fold::Sum, Fold::Sum, Fold::Min, Fold::Max]);
                    return Ex::Fold(fold, v, Dom::Ty(t), Box::new(f));
                }
                10 => {
                    let f = self.fields(|t| matches!(t, Ty::Set(_)));
                    if !f.is_empty() {
                        let f = *self.r.pick(&f);
                        return Ex::Card(Box::new(self.read(f, s)));
                    }
                }
                _ => {
                    let c = self.cond(s, depth - 1);
                    return Ex::If(
                        Box::new(c),
                        Box::new(self.int(s, depth - 1)),
                        Box::new(self.int(s, depth - 1)),
                    );
                }
            }
        }
        int(1)
    }

    /// Returns a small type to iterate over.
    fn small(&mut self) -> Ty {
        match self.r.below(3) {
            0 if self.g.board.is_some() => Ty::Cell,
            1 if self.g.players > 1 => Ty::Player,
            _ => Ty::Int(1, self.r.range(2, 3)),
        }
    }

    pub fn player(&mut self, s: &Scope, depth: usize) -> Ex {
        for _ in 0..20 {
            match self.r.below(9) {
                0 | 1 => return player(self.r.below(self.g.players) as u8),
                2 | 3 if s.me => return Ex::Me,
                4 if s.me && self.g.players == 2 => return Ex::Opponent,
                5 => {
                    let v = self.vars(s, |t| *t == Ty::Player);
                    if !v.is_empty() {
                        return self.r.pick(&v).clone();
                    }
                }
                6 => {
                    let f = self.fields(|t| *t == Ty::Player || *t == Ty::Opt(Box::new(Ty::Player)));
                    if !f.is_empty() && depth > 0 {
                        let f = *self.r.pick(&f);
                        return self.read(f, &Scope { vars: s.vars.clone(), ..s.clone() });
                    }
                }
                7 if self.g.players == 2 && depth > 0 => {
                    return Ex::Other(Box::new(self.player(s, depth - 1)));
                }
                8 if s.end => return Ex::Mover,
                _ => {}
            }
        }
        player(0)
    }

    pub fn cell(&mut self, s: &Scope, depth: usize) -> Ex {
        for _ in 0..10 {
            match self.r.below(6) {
                0 => break,
                1 | 2 => {
                    let v = self.vars(s, |t| *t == Ty::Cell);
                    if !v.is_empty() {
                        return self.r.pick(&v).clone();
                    }
                }
                3 => {
                    let f = self.fields(|t| *t == Ty::Cell || *t == Ty::Opt(Box::new(Ty::Cell)));
                    if !f.is_empty() && depth > 0 {
                        let f = *self.r.pick(&f);
                        return self.read(f, s);
                    }
                }
                _ if depth > 0 => return self.step(s, depth),
                _ => {}
            }
        }
        Ex::Lit(Val::Cell(self.r.below(self.g.cells() as usize) as u8))
    }

    /// Returns a step from a cell, in a direction that the board has.
    pub fn step(&mut self, s: &Scope, depth: usize) -> Ex {
        let e = Box::new(self.cell(s, depth - 1));
        let flat = self.g.board.is_some_and(|b| b.1 == 1);
        let d = if flat { [(1, 0), (-1, 0), (1, 0), (-1, 0)] } else { [(1, 0), (-1, 0), (0, 1), (0, -1)] };
        let d = *self.r.pick(&d);
        Ex::Step(e, d.0, d.1)
    }

    pub fn cells(&mut self, s: &Scope, depth: usize) -> Ex {
        match self.r.below(if depth == 0 { 3 } else { 6 }) {
            0 | 1 => {
                let f = self.fields(|t| *t == Ty::Set(Box::new(Ty::Cell)));
                if !f.is_empty() {
                    let f = *self.r.pick(&f);
                    return self.read(f, s);
                }
                Ex::SetLit(vec![self.cell(s, 0)])
            }
            2 => Ex::SetLit((0..self.r.range(1, 2)).map(|_| self.cell(s, depth.min(1))).collect()),
            3 => Ex::Near(Box::new(self.cell(s, 1))),
            4 => {
                let v = self.name();
                let f = self.cond(&s.with(&v, Ty::Cell), depth - 1);
                Ex::Filter(v, Dom::Ty(Ty::Cell), Box::new(f))
            }
            _ => {
                let op = *self.r.pick(&[Op::Union, Op::Diff, Op::Inter]);
                bin(op, self.cells(s, depth - 1), self.cells(s, depth - 1))
            }
        }
    }

    pub fn kind(&mut self, s: &Scope) -> Ex {
        let f = self.fields(|t| *t == Ty::Piece || *t == Ty::Opt(Box::new(Ty::Piece)));
        if !f.is_empty() && self.r.chance(40) {
            let f = *self.r.pick(&f);
            return Ex::Part(Box::new(self.read(f, s)), 1);
        }
        Ex::Lit(Val::Kind(self.r.below(2) as u8))
    }

    /// Returns a condition.
    pub fn cond(&mut self, s: &Scope, depth: usize) -> Ex {
        let sub = depth.saturating_sub(1);
        for _ in 0..20 {
            match self.r.below(if depth == 0 { 9 } else { 15 }) {
                0 | 1 => {
                    let rel = *self.r.pick(&[Rel::Eq, Rel::Ne, Rel::Lt, Rel::Le]);
                    let f = self.fields(|t| matches!(t, Ty::Int(..)));
                    let left = match f.is_empty() {
                        true => continue,
                        false => {
                            let f = *self.r.pick(&f);
                            self.read(f, s)
                        }
                    };
                    return cmp(rel, left, self.int(s, sub));
                }
                2 => {
                    let f = self.fields(|t| matches!(t, Ty::Opt(_)));
                    if !f.is_empty() {
                        let f = *self.r.pick(&f);
                        let rel = if self.r.chance(50) { Rel::Eq } else { Rel::Ne };
                        return cmp(rel, self.read(f, s), Ex::Lit(Val::None));
                    }
                }
                3 => {
                    let f = self.fields(|t| *t == Ty::Bool);
                    if !f.is_empty() {
                        let f = *self.r.pick(&f);
                        return self.read(f, s);
                    }
                }
                4 => {
                    let f = self.fields(|t| {
                        matches!(t, Ty::Player | Ty::Cell | Ty::Kind)
                            || matches!(t, Ty::Opt(t) if **t == Ty::Player)
                    });
                    if !f.is_empty() {
                        let f = *self.r.pick(&f);
                        let t = match &self.g.fields[f].ty {
                            Ty::Opt(t) => (**t).clone(),
                            t => t.clone(),
                        };
                        let rel = if self.r.chance(70) { Rel::Eq } else { Rel::Ne };
                        return cmp(rel, self.read(f, s), self.of(&t, s, sub));
                    }
                }
                5 => {
                    let f = self.fields(|t| *t == Ty::Set(Box::new(Ty::Cell)));
                    if !f.is_empty() {
                        let f = *self.r.pick(&f);
                        return Ex::In(
                            self.r.chance(50),
                            Box::new(self.cell(s, sub)),
                            Box::new(self.read(f, s)),
                        );
                    }
                }
                6 if s.me => return cmp(Rel::Eq, Ex::Me, player(self.r.below(self.g.players) as u8)),
                7 if s.end && self.g.players > 1 && self.r.chance(60) => {
                    return eq(Ex::Mover, player(self.r.below(self.g.players) as u8));
                }
                8 => {
                    let f = self.fields(|t| *t == Ty::Piece || matches!(t, Ty::Opt(t) if **t == Ty::Piece));
                    if !f.is_empty() {
                        let f = *self.r.pick(&f);
                        let read = Box::new(self.read(f, s));
                        return if self.r.chance(50) {
                            eq(Ex::Part(read, 1), Ex::Lit(Val::Kind(self.r.below(2) as u8)))
                        } else {
                            eq(Ex::Part(read, 0), self.player(s, sub))
                        };
                    }
                }
                7 if s.end && !self.g.phases.is_empty() => {
                    return Ex::Phase(self.r.below(self.g.phases.len()));
                }
                9 => return not(self.cond(s, sub)),
                10 => return Ex::And(vec![self.cond(s, sub), self.cond(s, sub)]),
                11 => return Ex::Or(vec![self.cond(s, sub), self.cond(s, sub)]),
                12 => return Ex::Implies(Box::new(self.cond(s, sub)), Box::new(self.cond(s, sub))),
                13 | 14 => {
                    let v = self.name();
                    let q = *self.r.pick(&[Quant::Some, Quant::All, Quant::No]);
                    let ints = self.fields(|t| matches!(t, Ty::Int(0, 1..=4)));
                    let (d, t) = if !ints.is_empty() && self.r.chance(15) {
                        let f = *self.r.pick(&ints);
                        let Ty::Int(_, top) = self.g.fields[f].ty else { continue };
                        let to = self.read(f, s);
                        (Dom::Set(Box::new(bin(Op::Range, int(1), to))), Ty::Int(1, top))
                    } else if self.g.board.is_some() && self.r.chance(30) {
                        (Dom::Set(Box::new(self.cells(s, sub))), Ty::Cell)
                    } else {
                        let t = self.small();
                        (Dom::Ty(t.clone()), t)
                    };
                    let f = self.cond(&s.with(&v, t), sub);
                    return Ex::Quant(q, v, d, Box::new(f));
                }
                _ => {}
            }
        }
        Ex::Lit(Val::Bool(true))
    }
}

/// Returns a set of cells, as a value.
pub fn cells(v: &[u8]) -> Val {
    Val::Set(v.iter().map(|c| Val::Cell(*c)).collect::<BTreeSet<Val>>())
}
