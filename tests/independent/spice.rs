//! Random changes of a game: conditions, effects, turns, ends and mistakes that a detector may miss.

use crate::game::*;
use crate::terms::{Rng, Scope, TermGenerator};

/// Applies one random change.
pub fn change(g: &mut Game, r: &mut Rng) {
    match r.below(27) {
        0 | 1 => add_condition(g, r),
        2..=4 => add_effect(g, r),
        5 => add_field(g, r),
        6 | 7 => turn(g, r),
        8 => head(g, r),
        9 => every(g, r),
        10 => pass(g, r),
        11 | 12 => add_end(g, r),
        13 => swap_ends(g, r),
        14 => transient(g, r),
        15 => wrap(g, r),
        16 => another_move(g, r),
        17 => count_of_constants(g, r),
        18 => record(g, r),
        19 => optional(g, r),
        20 | 21 => number(g, r),
        22 => stage(g, r),
        23..=25 => fault(g, r),
        _ => split(g, r),
    }
}

/// Returns the names in scope in a move.
fn scope(m: &GameMove) -> Scope {
    Scope { vars: m.params.clone(), me: !m.chance, end: false }
}

fn some_move(g: &Game, r: &mut Rng) -> usize {
    r.below(g.moves.len())
}

/// Returns true if a move may be made in a phase with simultaneous moves.
fn at_once(g: &Game, i: usize) -> bool {
    (0..g.phases.len()).any(|p| g.phases[p].actor == Actor::Each && g.belongs(&g.moves[i], p))
}

fn add_condition(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let c = TermGenerator::new(g, r).cond(&s, 2);
    let c = if r.chance(15) { St::Then(vec![St::Ensure(c)]) } else { St::When(c) };
    let at = r.below(g.moves[i].body.len() + 1);
    // A name of a later `let` is not bound here; the condition mentions none.
    g.moves[i].body.insert(at, c);
}

fn add_effect(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let Some(st) = effect(g, r, &s) else { return };
    let c = TermGenerator::new(g, r).cond(&s, 1);
    let st = match r.below(6) {
        0 | 1 => st,
        2 => St::If(c, vec![st], vec![]),
        3 => St::Then(vec![st]),
        4 => St::If(c, vec![St::Then(vec![st])], vec![]),
        _ => {
            let (v, d) = ("z".to_string(), Dom::Ty(Ty::Int(1, 2)));
            let s = s.with(&v, Ty::Int(1, 2));
            match effect(g, r, &s) {
                Some(st) => St::For(v, d, r.chance(30).then_some(c), vec![st]),
                None => return,
            }
        }
    };
    g.moves[i].body.push(st);
}

/// Returns an effect on any field; it may be at fault.
fn effect(g: &Game, r: &mut Rng, s: &Scope) -> Option<St> {
    if g.fields.is_empty() {
        return None;
    }
    let f = r.below(g.fields.len());
    let mut t = TermGenerator::new(g, r);
    let place = Tgt { field: f, keys: t.keys(f, s), part: None };
    Some(match g.fields[f].ty.clone() {
        Ty::Int(a, b) => match t.r.below(6) {
            0 | 1 => St::Add(place, int(1)),
            2 => St::Sub(place, int(1)),
            3 => St::Set(place, int(t.r.range(a, b))),
            4 => St::Set(place, bin(Op::Mod, t.int(s, 1), int((b + 1).max(1)))),
            _ => St::Set(place, t.int(s, 1)),
        },
        Ty::Set(e) if *e == Ty::Cell => {
            let v = t.cells(s, 1);
            match t.r.below(3) {
                0 => St::Put(place, v),
                1 => St::Take(place, v),
                _ => St::Set(place, v),
            }
        }
        Ty::Set(e) => {
            let v = Ex::SetLit(vec![t.of(&e, s, 0)]);
            if t.r.chance(50) { St::Put(place, v) } else { St::Take(place, v) }
        }
        Ty::Opt(e) if *e == Ty::Piece && t.r.chance(40) => {
            let v = t.kind(s);
            St::Set(Tgt { part: Some(1), ..place }, v)
        }
        Ty::Piece if t.r.chance(50) => {
            if t.r.chance(50) {
                let v = t.kind(s);
                St::Set(Tgt { part: Some(1), ..place }, v)
            } else {
                let v = t.player(s, 1);
                St::Set(Tgt { part: Some(0), ..place }, v)
            }
        }
        Ty::Opt(_) if t.r.chance(20) => St::Shift(place, Tgt { field: f, keys: t.keys(f, s), part: None }),
        ty => {
            let v = t.of(&ty, s, 1);
            St::Set(place, v)
        }
    })
}

/// Adds a new field with effects and an end rule that reads it.
fn add_field(g: &mut Game, r: &mut Rng) {
    let name = format!("f{}", g.fields.len());
    let m = r.range(1, 3);
    match r.below(5) {
        0 => g.fields.push(field(&name, vec![], Ty::Bool, Ex::Lit(Val::Bool(r.chance(50))))),
        1 if g.players > 1 => g.fields.push(field(&name, vec![("p", Ty::Player)], Ty::Int(0, m), int(0))),
        2 => g.fields.push(field(&name, vec![], Ty::Opt(Box::new(Ty::Player)), Ex::Lit(Val::None))),
        3 if r.chance(50) => {
            g.fields.push(field(&name, vec![("p", Ty::Player)], Ty::Kind, Ex::Lit(Val::Kind(0))))
        }
        3 => g.fields.push(field(&name, vec![], Ty::Player, player(0))),
        _ => g.fields.push(field(&name, vec![], Ty::Int(0, m), int(r.range(0, m)))),
    }
    add_effect(g, r);
    if r.chance(60) {
        add_end(g, r);
    } else {
        add_condition(g, r);
    }
}

fn turn(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let each = at_once(g, i);
    let mut t = TermGenerator::new(g, r);
    let c = t.cond(&s, 1);
    let say = |t: &mut TermGenerator| match t.r.below(4) {
        0 if !each => St::Again,
        1 if !g.phases.is_empty() => St::Continue(t.r.below(g.phases.len())),
        _ => St::Next(t.player(&s, 1)),
    };
    let one = say(&mut t);
    let st = match t.r.below(5) {
        0 => one,
        1 => {
            let two = say(&mut t);
            let d = t.cond(&s, 1);
            g.moves[i].body.push(St::If(d, vec![two], vec![]));
            St::If(c, vec![one], vec![])
        }
        2 => St::If(c, vec![St::Then(vec![one])], vec![]),
        _ => St::If(c, vec![one], vec![]),
    };
    g.moves[i].body.push(st);
}

fn head(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    if g.moves[i].chance {
        return;
    }
    let preferred = g.moves.iter().any(|m| m.prefer.is_some());
    let must = g.moves.iter().any(|m| m.mandatory);
    match r.below(3) {
        0 => {
            let s = Scope::default();
            let p = TermGenerator::new(g, r).player(&s, 1);
            g.moves[i].by = Some(p);
        }
        1 if !preferred => g.moves[i].mandatory = true,
        _ if !must => {
            let s = scope(&g.moves[i]);
            let e = TermGenerator::new(g, r).int(&s, 1);
            g.moves[i].prefer = Some(e);
        }
        _ => {}
    }
}

fn every(g: &mut Game, r: &mut Rng) {
    let s = Scope { vars: vec![], me: true, end: false };
    let c = TermGenerator::new(g, r).cond(&s, 1);
    let st = match r.below(3) {
        0 => St::When(c),
        1 => {
            let Some(e) = effect(g, r, &s) else { return };
            St::Then(vec![St::If(c, vec![e], vec![])])
        }
        _ => {
            let Some(e) = effect(g, r, &s) else { return };
            e
        }
    };
    g.every.push(st);
}

fn pass(g: &mut Game, r: &mut Rng) {
    if g.players == 1 {
        return;
    }
    g.pass = Some(match r.below(3) {
        0 => PassMode::Always,
        1 => PassMode::Stuck,
        _ => PassMode::When(TermGenerator::new(g, r).cond(&Scope::default(), 1)),
    });
}

fn outcome(g: &Game, r: &mut Rng, s: &Scope) -> EndOutcome {
    if g.players == 1 {
        return if r.chance(50) { EndOutcome::Win } else { EndOutcome::Lose };
    }
    let mut t = TermGenerator::new(g, r);
    match t.r.below(8) {
        0 | 1 => EndOutcome::Draw,
        2 | 3 => EndOutcome::Wins(t.player(s, 1)),
        4 => EndOutcome::Loses(t.player(s, 1)),
        5 => {
            let n = t.int(&Scope { end: true, ..Scope::default() }, 1);
            let sign = Ex::If(Box::new(eq(var("p"), player(0))), Box::new(int(1)), Box::new(int(-1)));
            EndOutcome::Payoff("p".into(), if g.players == 2 { bin(Op::Mul, sign, n) } else { n })
        }
        _ => EndOutcome::Wins(Ex::Mover),
    }
}

fn add_end(g: &mut Game, r: &mut Rng) {
    let s = Scope { vars: vec![], me: false, end: true };
    if let Some(p) = g.play.take() {
        let mover = Ex::Mover;
        g.ends.push(when(
            Ex::Stuck,
            if p == PlayConvention::Normal { EndOutcome::Loses(mover) } else { EndOutcome::Wins(mover) },
        ));
    }
    let e = if r.chance(25) && g.players > 1 {
        let s = s.with("p", Ty::Player);
        let c = TermGenerator::new(g, r).cond(&s, 1);
        let c = if r.chance(30) && !g.has_each() && !g.has_chance() {
            Ex::And(vec![c, Ex::StuckOf(Box::new(var("p")))])
        } else {
            c
        };
        let out = outcome(g, r, &s);
        End::When(Some(("p".into(), Dom::Ty(Ty::Player))), c, out)
    } else {
        let c = TermGenerator::new(g, r).cond(&s, 1);
        let c = match r.below(6) {
            0 => Ex::Stuck,
            1 => Ex::And(vec![Ex::Stuck, c]),
            _ => c,
        };
        when(c, outcome(g, r, &s))
    };
    let at = r.below(g.ends.len() + 1);
    g.ends.insert(at, e);
}

fn swap_ends(g: &mut Game, r: &mut Rng) {
    if g.ends.len() > 1 {
        let (i, j) = (r.below(g.ends.len()), r.below(g.ends.len()));
        g.ends.swap(i, j);
    }
}

fn transient(g: &mut Game, r: &mut Rng) {
    if g.has_chance() {
        return;
    }
    let f = g.fields.len();
    let mut new = field(&format!("t{f}"), vec![], Ty::Int(0, 2), int(0));
    new.transient = true;
    g.fields.push(new);
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let c = TermGenerator::new(g, r).cond(&s, 1);
    g.moves[i].body.push(St::If(c, vec![St::Set(tgt(f, vec![]), int(r.range(0, 2)))], vec![]));
    let asks = cmp(Rel::Ne, fld(f), int(r.range(0, 2)));
    let j = some_move(g, r);
    if r.chance(50) {
        g.moves[j].body.insert(0, St::When(asks));
    } else {
        let out = if g.players == 1 { EndOutcome::Win } else { EndOutcome::Wins(Ex::Mover) };
        g.ends.insert(0, when(not(asks), out));
    }
}

/// Turns a condition of a move into a definition.
fn wrap(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let params = g.moves[i].params.clone();
    for k in 0..g.moves[i].body.len() {
        if let St::When(c) = &g.moves[i].body[k] {
            let known = params.iter().map(|p| p.0.as_str());
            if !bound(c, &known.collect::<Vec<_>>()) {
                continue;
            }
            let name = format!("d{}", g.defs.len());
            let body = c.clone();
            g.defs.push(Def { name, params: params.clone(), result: None, body });
            let args = params.iter().map(|p| var(&p.0)).collect();
            g.moves[i].body[k] = St::When(Ex::Call(g.defs.len() - 1, args));
            return;
        }
    }
}

/// Returns true if a condition is a simple one over these variables and does not depend on the player who moves.
fn bound(e: &Ex, known: &[&str]) -> bool {
    match e {
        Ex::Var(v) => known.contains(&v.as_str()),
        Ex::Me
        | Ex::Opponent
        | Ex::Stuck
        | Ex::StuckOf(_)
        | Ex::Fold(..)
        | Ex::Quant(..)
        | Ex::Filter(..) => false,
        Ex::Cmp(_, a, b) | Ex::In(_, a, b) | Ex::Bin(_, a, b) | Ex::Implies(a, b) => {
            bound(a, known) && bound(b, known)
        }
        Ex::Not(a) | Ex::Near(a) | Ex::Card(a) | Ex::Step(a, ..) | Ex::Part(a, _) | Ex::Other(a) => {
            bound(a, known)
        }
        Ex::And(v) | Ex::Or(v) | Ex::SetLit(v) | Ex::Field(_, v) | Ex::Call(_, v) => {
            v.iter().all(|a| bound(a, known))
        }
        Ex::If(a, b, c) => bound(a, known) && bound(b, known) && bound(c, known),
        _ => true,
    }
}

fn another_move(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let mut m = g.moves[i].clone();
    m.name = format!("m{}", g.moves.len());
    if r.chance(50) && m.body.len() > 1 {
        let k = r.below(m.body.len());
        if !matches!(m.body[k], St::Let(..)) {
            m.body.remove(k);
        }
    }
    g.moves.push(m);
    add_condition(g, r);
}

/// Adds a condition that counts in a constant table.
fn count_of_constants(g: &mut Game, r: &mut Rng) {
    let f = g.fields.len();
    g.fields.push(field(
        &format!("k{f}"),
        vec![("k", Ty::Int(1, 3))],
        Ty::Bool,
        Ex::Lit(Val::Bool(r.chance(40))),
    ));
    let count = Ex::Fold(Fold::Count, "w".into(), Dom::Ty(Ty::Int(1, 3)), Box::new(at(f, var("w"))));
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let c = TermGenerator::new(g, r).cond(&s, 1);
    let rel = *r.pick(&[Rel::Eq, Rel::Ne, Rel::Lt]);
    let asks = cmp(rel, count, int(r.range(0, 3)));
    g.moves[i].body.insert(0, St::When(Ex::Or(vec![c, asks])));
}

fn record(g: &mut Game, r: &mut Rng) {
    let f = g.fields.len();
    g.fields.push(field(&format!("r{f}"), vec![], Ty::Piece, Ex::Lit(Val::Piece(0, 0))));
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let mut t = TermGenerator::new(g, r);
    let kind = t.kind(&s);
    let whole = St::Set(tgt(f, vec![]), t.of(&Ty::Piece, &s, 0));
    let part = St::Set(Tgt { field: f, keys: vec![], part: Some(1) }, kind);
    let c = t.cond(&s, 1);
    match t.r.below(4) {
        0 => g.moves[i].body.extend([whole, part]),
        1 => g.moves[i].body.extend([whole, St::Then(vec![part])]),
        2 => g.moves[i].body.push(St::If(c, vec![whole], vec![part])),
        _ => g.moves[i].body.push(part),
    }
    if r.chance(60) {
        let asks = eq(Ex::Part(Box::new(fld(f)), 1), Ex::Lit(Val::Kind(1)));
        let s = Scope { end: true, ..Scope::default() };
        let out = outcome(g, r, &s);
        if g.play.is_none() {
            let n = r.below(g.ends.len() + 1);
            g.ends.insert(n, when(asks, out));
        }
    }
}

/// Adds an optional player, and a turn, an actor or an outcome that names him.
fn optional(g: &mut Game, r: &mut Rng) {
    if g.players == 1 {
        return;
    }
    let f = g.fields.len();
    g.fields.push(field(
        &format!("o{f}"),
        vec![],
        Ty::Opt(Box::new(Ty::Player)),
        if r.chance(50) { player(0) } else { Ex::Lit(Val::None) },
    ));
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let mut t = TermGenerator::new(g, r);
    let c = t.cond(&s, 1);
    let v = if t.r.chance(40) { Ex::Lit(Val::None) } else { t.player(&s, 0) };
    g.moves[i].body.push(St::If(c, vec![St::Set(tgt(f, vec![]), v)], vec![]));
    let j = some_move(g, r);
    match r.below(3) {
        0 => g.moves[j].body.push(St::Next(fld(f))),
        1 => {
            let s = Scope { end: true, ..Scope::default() };
            let c = TermGenerator::new(g, r).cond(&s, 1);
            if g.play.is_none() {
                g.ends.insert(0, when(c, EndOutcome::Wins(fld(f))));
            }
        }
        _ => g.moves[j].by = Some(fld(f)),
    }
}

/// Changes one number of the rules by one.
fn number(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let n = r.below(6);
    let mut left = n;
    let by = if r.chance(50) { 1 } else { -1 };
    for s in &mut g.moves[i].body {
        if let St::When(e) = s
            && shift(e, &mut left, by)
        {
            return;
        }
    }
    for e in &mut g.ends {
        if let End::When(_, c, _) = e
            && shift(c, &mut left, by)
        {
            return;
        }
    }
}

fn shift(e: &mut Ex, left: &mut usize, by: i64) -> bool {
    match e {
        Ex::Lit(Val::Int(n)) => {
            if *left > 0 {
                *left -= 1;
                return false;
            }
            *n = (*n + by).max(0);
            true
        }
        Ex::Cmp(_, a, b) => shift(a, left, by) || shift(b, left, by),
        Ex::Bin(op, a, b) if *op != Op::Mod => shift(a, left, by) || shift(b, left, by),
        Ex::And(v) | Ex::Or(v) => v.iter_mut().any(|a| shift(a, left, by)),
        Ex::Not(a) => shift(a, left, by),
        _ => false,
    }
}

/// Turns the last effect of a move into a stage of its own, or merges two stages.
fn stage(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let body = &mut g.moves[i].body;
    match body.pop() {
        Some(St::Then(b)) => body.extend(b),
        Some(s @ (St::Let(..) | St::When(_))) => body.push(s),
        Some(s) => body.push(St::Then(vec![s])),
        None => {}
    }
}

/// Splits one move into two, each for one of the players.
fn split(g: &mut Game, r: &mut Rng) {
    if g.players == 1 {
        return;
    }
    let i = some_move(g, r);
    if g.moves[i].chance || g.moves[i].by.is_some() {
        return;
    }
    g.moves[i].by = Some(player(0));
    let mut m = g.moves[i].clone();
    m.name = format!("m{}", g.moves.len());
    m.by = Some(player(1));
    g.moves.push(m);
    number(g, r);
}

/// Adds a mistake in the rules that occurs under a condition, such as that one player moves.
fn fault(g: &mut Game, r: &mut Rng) {
    let i = some_move(g, r);
    let s = scope(&g.moves[i]);
    let mut t = TermGenerator::new(g, r);
    let c = match t.r.below(4) {
        0 | 1 if s.me && g.players > 1 => eq(Ex::Me, player(t.r.below(g.players) as u8)),
        2 => Ex::Lit(Val::Bool(true)),
        _ => t.cond(&s, 1),
    };
    let ints: Vec<usize> = (0..g.fields.len()).filter(|f| matches!(g.fields[*f].ty, Ty::Int(..))).collect();
    let tables: Vec<usize> =
        (0..g.fields.len()).filter(|f| matches!(g.fields[*f].keys.as_slice(), [(_, Ty::Int(..))])).collect();
    let sets: Vec<usize> =
        (0..g.fields.len()).filter(|f| g.fields[*f].ty == Ty::Set(Box::new(Ty::Cell))).collect();
    let name = format!("z{}", g.fields.len());
    let body = match t.r.below(8) {
        0 | 1 if !ints.is_empty() => {
            let f = *t.r.pick(&ints);
            let Ty::Int(a, b) = g.fields[f].ty else { return };
            let k = Tgt { field: f, keys: t.keys(f, &s), part: None };
            let by = int(t.r.range(1, (b - a).max(1)));
            vec![if t.r.chance(50) { St::Add(k, by) } else { St::Sub(k, by) }]
        }
        2 if !tables.is_empty() => {
            let f = *t.r.pick(&tables);
            let Ty::Int(_, b) = g.fields[f].keys[0].1 else { return };
            let key = match s.vars.iter().find(|v| matches!(v.1, Ty::Int(..))) {
                Some((v, _)) => bin(Op::Add, var(v), int(t.r.range(1, b))),
                None => bin(Op::Add, t.int(&s, 0), int(1)),
            };
            let ty = g.fields[f].ty.clone();
            vec![St::Set(tgt(f, vec![key]), t.of(&ty, &s, 0))]
        }
        3 if !sets.is_empty() => {
            let f = *t.r.pick(&sets);
            vec![St::Put(tgt(f, vec![]), t.cells(&s, 1)), St::Take(tgt(f, vec![]), t.cells(&s, 1))]
        }
        4 if g.players > 1 && !at_once(g, i) => vec![St::Next(player(0)), St::Next(t.player(&s, 0))],
        5 if g.board.is_some() => {
            let d = Dom::Set(Box::new(Ex::Near(Box::new(t.step(&s, 1)))));
            let w = t.cond(&s, 0);
            vec![St::For("q_".into(), d, None, vec![St::If(w, vec![], vec![])])]
        }
        6 => {
            let f = g.fields.len();
            g.fields.push(field(&name, vec![], Ty::Int(0, 2), int(0)));
            vec![St::Add(tgt(f, vec![]), int(1))]
        }
        _ => {
            let (v, f) = (t.int(&s, 1), g.fields.len());
            g.fields.push(field(&name, vec![], Ty::Int(0, 2), int(0)));
            vec![
                St::Set(tgt(f, vec![]), int(r.range(0, 2))),
                St::Set(tgt(f, vec![]), bin(Op::Mod, v, int(3))),
            ]
        }
    };
    let body = if r.chance(25) { vec![St::Then(body)] } else { body };
    if c == Ex::Lit(Val::Bool(true)) {
        g.moves[i].body.extend(body);
    } else {
        g.moves[i].body.push(St::If(c, body, vec![]));
    }
}
