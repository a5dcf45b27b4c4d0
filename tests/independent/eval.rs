//! The evaluator of terms and conditions in a position, by sections 5 to 8 of the language's reference.

use crate::game::*;
use std::cell::Cell;
use std::collections::BTreeSet;

/// A position: the cells of all fields in order, the player to move, and the phase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pos {
    pub cells: Vec<Val>,
    pub mover: u8,
    pub phase: u8,
}

/// The values of variables, the innermost last.
pub type Bindings = Vec<(String, Val)>;

/// The codes of all mistakes that deprive a rule of its meaning in a position.
pub type FaultCodes = BTreeSet<&'static str>;

/// The game with precomputed data.
pub struct GameModel<'a> {
    pub g: &'a Game,
    /// The first cell of each field.
    pub base: Vec<usize>,
    /// The field of each cell.
    pub owner: Vec<usize>,
    /// The initial value of each cell.
    pub start: Vec<Val>,
    /// The reason if the reference leaves the meaning open; nothing is compared then.
    pub unclear: Cell<Option<&'static str>>,
}

/// The context of a term: the position, the player who moves, and the variables.
pub struct EvalContext<'p> {
    pub pos: &'p Pos,
    pub me: Option<u8>,
    pub env: Bindings,
}

impl<'a> GameModel<'a> {
    /// Returns `None` if an initial value is undefined or outside its type.
    pub fn new(g: &'a Game) -> Option<GameModel<'a>> {
        let mut w = GameModel { g, base: vec![], owner: vec![], start: vec![], unclear: Cell::new(None) };
        let nowhere = Pos { cells: vec![], mover: 0, phase: 0 };
        for (i, f) in g.fields.iter().enumerate() {
            w.base.push(w.start.len());
            for env in w.tuples(&f.keys) {
                let v = w.term(&f.init, &mut EvalContext { pos: &nowhere, me: None, env })?;
                if !g.has(&f.ty, &v) {
                    return None;
                }
                w.start.push(v);
                w.owner.push(i);
            }
        }
        Some(w)
    }

    /// Returns the first position.
    pub fn first(&self) -> Pos {
        let phase = self.g.phases.iter().position(|p| p.setup).unwrap_or(0) as u8;
        Pos { cells: self.start.clone(), mover: 0, phase }
    }

    pub fn mark_unclear(&self, why: &'static str) {
        self.unclear.set(Some(why));
    }

    /// Returns all assignments of values to some variables, in order.
    pub fn tuples(&self, vars: &[(String, Ty)]) -> Vec<Bindings> {
        let mut all: Vec<Bindings> = vec![vec![]];
        for (n, t) in vars {
            let vs = self.g.values(t);
            let with = |e: &Bindings, v: &Val| e.iter().cloned().chain([(n.clone(), v.clone())]).collect();
            all = all
                .iter()
                .flat_map(|e| vs.iter().map(move |v| with(e, v)).collect::<Vec<Bindings>>())
                .collect();
        }
        all
    }

    /// Returns the cell of a field; `None` unless the keys are values of their types.
    pub fn cell(&self, field: usize, keys: &[Ex], at: &mut EvalContext) -> Option<usize> {
        let f = &self.g.fields[field];
        let mut n = 0;
        for ((_, t), k) in f.keys.iter().zip(keys) {
            let v = self.term(k, at)?;
            let vs = self.g.values(t);
            n = n * vs.len() + vs.iter().position(|x| *x == v)?;
        }
        Some(self.base[field] + n)
    }

    /// Returns the value of a term, if it has one.
    pub fn term(&self, e: &Ex, at: &mut EvalContext) -> Option<Val> {
        Some(match e {
            Ex::Lit(v) => v.clone(),
            Ex::Var(s) => match at.env.iter().rev().find(|(n, _)| n == s) {
                Some((_, v)) => v.clone(),
                None => {
                    self.mark_unclear("a variable that is nowhere bound");
                    return None;
                }
            },
            Ex::Field(f, k) => at.pos.cells[self.cell(*f, k, at)?].clone(),
            Ex::Part(e, p) => match self.term(e, at)? {
                Val::Piece(o, k) => {
                    if *p == 0 {
                        Val::Player(o)
                    } else {
                        Val::Kind(k)
                    }
                }
                _ => return None,
            },
            Ex::Step(e, dx, dy) => match self.term(e, at)? {
                Val::Cell(c) => self.step(c, *dx, *dy)?,
                _ => return None,
            },
            Ex::Near(e) => match self.term(e, at)? {
                Val::Cell(c) => {
                    let four = [(0, 1), (1, 0), (0, -1), (-1, 0)];
                    Val::Set(four.iter().filter_map(|d| self.step(c, d.0, d.1)).collect())
                }
                _ => return None,
            },
            Ex::Bin(op, a, b) => {
                let (a, b) = (self.term(a, at), self.term(b, at));
                self.bin(*op, a?, b?)?
            }
            Ex::Card(e) => Val::Int(self.set(e, at)?.len() as i64),
            Ex::SetLit(v) => {
                let all: Option<BTreeSet<Val>> = v.iter().map(|e| self.term(e, at)).collect();
                let all = all?;
                if all.contains(&Val::None) {
                    self.mark_unclear("none in a set that is written out");
                }
                Val::Set(all)
            }
            Ex::Filter(v, d, f) => {
                let all = self.domain(d, at)?;
                Val::Set(all.into_iter().filter(|x| self.with(at, v, x, |w, at| w.cond(f, at))).collect())
            }
            Ex::Fold(Fold::Count, v, d, f) => {
                let all = self.domain(d, at)?;
                Val::Int(all.iter().filter(|x| self.with(at, v, x, |w, at| w.cond(f, at))).count() as i64)
            }
            Ex::Fold(fold, v, d, e) => {
                let mut all = vec![];
                for x in self.domain(d, at)? {
                    match self.with(at, v, &x, |w, at| w.term(e, at)) {
                        Some(Val::Int(n)) => all.push(n),
                        Some(Val::None) | None => {}
                        _ => panic!("a number is needed"),
                    }
                }
                Val::Int(match fold {
                    Fold::Sum => all.iter().sum(),
                    Fold::Min => *all.iter().min()?,
                    _ => *all.iter().max()?,
                })
            }
            Ex::If(c, a, b) => return if self.cond(c, at) { self.term(a, at) } else { self.term(b, at) },
            Ex::Call(i, args) => {
                let env = self.arguments(*i, args, at)?;
                let d = &self.g.defs[*i];
                let v = self.term(&d.body, &mut EvalContext { pos: at.pos, me: at.me, env })?;
                return if d.result.as_ref().is_none_or(|t| self.g.has(t, &v)) { Some(v) } else { None };
            }
            Ex::Me => Val::Player(at.me.expect("a move")),
            Ex::Opponent => Val::Player(1 - at.me.expect("a move")),
            Ex::Mover => Val::Player(at.pos.mover),
            Ex::Other(e) => match self.term(e, at)? {
                Val::Player(p) => Val::Player(1 - p),
                _ => return None,
            },
            _ => Val::Bool(self.cond(e, at)),
        })
    }

    /// Returns true if a condition holds.
    pub fn cond(&self, e: &Ex, at: &mut EvalContext) -> bool {
        match e {
            Ex::Cmp(rel, a, b) => {
                let (a, b) = (self.term(a, at), self.term(b, at));
                let same = matches!((&a, &b), (Some(a), Some(b)) if a == b);
                let both = match (&a, &b) {
                    (Some(Val::None), _) | (_, Some(Val::None)) => None,
                    (Some(a), Some(b)) => Some(a.cmp(b)),
                    _ => None,
                };
                match rel {
                    Rel::Eq => same,
                    Rel::Ne => !same,
                    Rel::Lt => both.is_some_and(|o| o.is_lt()),
                    Rel::Le => both.is_some_and(|o| o.is_le()),
                }
            }
            Ex::In(yes, a, b) => {
                let inside = match (self.term(a, at), self.set(b, at)) {
                    (Some(Val::Set(a)), Some(b)) => a.is_subset(&b),
                    (Some(a), Some(b)) => b.contains(&a),
                    _ => false,
                };
                inside == *yes
            }
            Ex::Not(a) => !self.cond(a, at),
            Ex::And(v) => v.iter().all(|a| self.cond(a, at)),
            Ex::Or(v) => v.iter().any(|a| self.cond(a, at)),
            Ex::Implies(a, b) => !self.cond(a, at) || self.cond(b, at),
            Ex::Quant(q, v, d, f) => {
                let Some(all) = self.domain(d, at) else { return false };
                let some = |yes: bool, at: &mut EvalContext| {
                    all.iter().any(|x| self.with(at, v, x, |w, at| w.cond(f, at)) == yes)
                };
                match q {
                    Quant::Some => some(true, at),
                    Quant::All => !some(false, at),
                    Quant::No => !some(true, at),
                }
            }
            Ex::Phase(i) => at.pos.phase as usize == *i,
            Ex::If(c, a, b) => {
                if self.cond(c, at) {
                    self.cond(a, at)
                } else {
                    self.cond(b, at)
                }
            }
            Ex::Call(i, args) => {
                let Some(env) = self.arguments(*i, args, at) else { return false };
                self.cond(&self.g.defs[*i].body, &mut EvalContext { pos: at.pos, me: at.me, env })
            }
            Ex::Stuck => self.stuck(at.pos, None),
            Ex::StuckOf(p) => match self.term(p, at) {
                Some(Val::Player(p)) => self.stuck(at.pos, Some(p)),
                _ => {
                    self.mark_unclear("`stuck` of nobody");
                    false
                }
            },
            _ => self.term(e, at) == Some(Val::Bool(true)),
        }
    }

    fn bin(&self, op: Op, a: Val, b: Val) -> Option<Val> {
        Some(match (op, a, b) {
            (Op::Add, Val::Int(a), Val::Int(b)) => Val::Int(a + b),
            (Op::Sub, Val::Int(a), Val::Int(b)) => Val::Int(a - b),
            (Op::Mul, Val::Int(a), Val::Int(b)) => Val::Int(a * b),
            (Op::Mod, Val::Int(a), Val::Int(b)) => Val::Int(a.rem_euclid(b)),
            (Op::Range, Val::Int(a), Val::Int(b)) => Val::Set((a..=b).map(Val::Int).collect()),
            (Op::Min, Val::Int(a), Val::Int(b)) => Val::Int(a.min(b)),
            (Op::Max, Val::Int(a), Val::Int(b)) => Val::Int(a.max(b)),
            (Op::Union, Val::Set(a), Val::Set(b)) => Val::Set(&a | &b),
            (Op::Diff, Val::Set(a), Val::Set(b)) => Val::Set(&a - &b),
            (Op::Inter, Val::Set(a), Val::Set(b)) => Val::Set(&a & &b),
            (_, Val::None, _) | (_, _, Val::None) => return None,
            (op, a, b) => panic!("{op:?} of {a:?} and {b:?}"),
        })
    }

    /// Returns the elements of a set.
    pub fn set(&self, e: &Ex, at: &mut EvalContext) -> Option<BTreeSet<Val>> {
        match self.term(e, at)? {
            Val::Set(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the values that a variable ranges over, in order.
    pub fn domain(&self, d: &Dom, at: &mut EvalContext) -> Option<Vec<Val>> {
        match d {
            Dom::Ty(t) => Some(self.g.values(t)),
            Dom::Set(e) => Some(self.set(e, at)?.into_iter().collect()),
        }
    }

    fn with<T>(&self, at: &mut EvalContext, v: &str, x: &Val, f: impl Fn(&Self, &mut EvalContext) -> T) -> T {
        at.env.push((v.to_string(), x.clone()));
        let r = f(self, at);
        at.env.pop();
        r
    }

    /// Returns the arguments of a definition as variables; `None` unless all are values of their types.
    fn arguments(&self, def: usize, args: &[Ex], at: &mut EvalContext) -> Option<Bindings> {
        let mut env = vec![];
        for ((n, t), e) in self.g.defs[def].params.iter().zip(args) {
            let v = self.term(e, at)?;
            if !self.g.has(t, &v) {
                return None;
            }
            env.push((n.clone(), v));
        }
        Some(env)
    }

    fn step(&self, c: u8, dx: i64, dy: i64) -> Option<Val> {
        let (w, h) = self.g.board.expect("a board");
        let (x, y) = (c as i64 % w + dx, c as i64 / w + dy);
        (0 <= x && x < w && 0 <= y && y < h).then_some(Val::Cell((y * w + x) as u8))
    }
}
