//! Makes random games: one of the families below, which match detectors and strategies, followed by random changes
//! meant to mislead them.

use crate::game::*;
use crate::spice;
use crate::terms::{Rng, Scope, TermGenerator, cells};
use phases::{among, dice, each, phases, pieces, single};

mod phases;

pub const FAMILIES: [&str; 17] = [
    "heaps", "fill", "claim", "product", "counter", "row", "walk", "each", "dice", "pieces", "single",
    "phases", "among", "mirror", "parts", "trail", "chomp",
];

/// Makes a game for a seed, of the given family or of any.
pub fn game(seed: u64, family: Option<&str>) -> (String, Game) {
    let mut r = Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
    for _ in 0..3 {
        r.next();
    }
    let name = family.map_or_else(|| r.pick(&FAMILIES).to_string(), str::to_string);
    let mut g = match name.as_str() {
        "heaps" => heaps(&mut r),
        "fill" => fill(&mut r),
        "claim" => claim(&mut r),
        "product" => product(&mut r),
        "counter" => counter(&mut r),
        "row" => row(&mut r),
        "walk" => walk(&mut r),
        "each" => each(&mut r),
        "dice" => dice(&mut r),
        "pieces" => pieces(&mut r),
        "single" => single(&mut r),
        "phases" => phases(&mut r),
        "among" => among(&mut r),
        "parts" => parts(&mut r),
        "trail" => trail(&mut r),
        "chomp" => chomp(&mut r),
        _ => mirror(&mut r),
    };
    let changes = *r.pick(&[0, 0, 1, 1, 1, 2, 2, 3, 4]);
    for _ in 0..changes {
        spice::change(&mut g, &mut r);
    }
    (name, g)
}

fn last(r: &mut Rng, g: &mut Game, over: Ex) {
    match r.below(6) {
        0 | 1 => g.play = Some(PlayConvention::Normal),
        2 => g.play = Some(PlayConvention::Misere),
        3 => g.ends.push(when(Ex::Stuck, EndOutcome::Loses(Ex::Mover))),
        4 => g.ends.push(when(over, EndOutcome::Loses(Ex::Mover))),
        _ => {
            let p = player(r.below(g.players) as u8);
            g.ends.push(when(Ex::Stuck, EndOutcome::Wins(p)));
        }
    }
}

/// Returns the number of players: mostly two.
fn many(r: &mut Rng) -> usize {
    if r.chance(8) { 3 } else { 2 }
}

/// Some heaps; a move takes from one.
fn heaps(r: &mut Rng) -> Game {
    let mut g = Game::new(many(r));
    let k = r.range(1, 4);
    let m = r.range(1, if k > 2 { 3 } else { 5 });
    let key = Ty::Int(1, k);
    let sizes: Vec<i64> = (0..k).map(|_| r.range(0, m)).collect();
    let mut init = int(sizes[0]);
    for (i, s) in sizes.iter().enumerate().skip(1) {
        init = Ex::If(Box::new(eq(var("h"), int(i as i64 + 1))), Box::new(int(*s)), Box::new(init));
    }
    g.fields.push(field("heap", vec![("h", key.clone())], Ty::Int(0, m), init));
    let own = r.chance(20);
    let heap = |e: Ex| at(0, e);
    let mut body = vec![St::When(cmp(Rel::Le, var("n"), heap(var("h"))))];
    if own {
        body.push(St::When(Ex::Or(vec![eq(Ex::Me, player(0)), not(eq(var("n"), int(1)))])));
    }
    if r.chance(15) && k > 1 {
        // Moves take from one heap and put onto the next.
        body.push(St::If(
            cmp(Rel::Lt, heap(bin(Op::Add, var("h"), int(1))), int(m)),
            vec![St::Add(tgt(0, vec![bin(Op::Add, var("h"), int(1))]), int(1))],
            vec![],
        ));
        let most = 1;
        body.push(St::Sub(tgt(0, vec![var("h")]), var("n")));
        g.moves.push(mv("take", vec![("h", key.clone()), ("n", Ty::Int(1, most))], body));
    } else {
        body.push(St::Sub(tgt(0, vec![var("h")]), var("n")));
        let most = r.range(1, m);
        g.moves.push(mv("take", vec![("h", key.clone()), ("n", Ty::Int(1, most))], body));
    }
    let over = Ex::Quant(Quant::All, "h".into(), Dom::Ty(key), Box::new(eq(heap(var("h")), int(0))));
    last(r, &mut g, over);
    g
}

/// Cells that blocks fill, for both players alike or not.
fn fill(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    g.board = Some(*r.pick(&[(3, 1), (4, 1), (5, 1), (6, 1), (2, 2), (3, 2), (2, 3)]));
    let flat = g.board.unwrap().1 == 1;
    g.fields.push(field("full", vec![], Ty::Set(Box::new(Ty::Cell)), Ex::SetLit(vec![])));
    let mut body = vec![];
    let step = |dx, dy| Ex::Step(Box::new(var("c")), dx, dy);
    let mut list = vec![var("c")];
    match r.below(4) {
        0 => {}
        1 => {
            body.push(St::Let("d".into(), step(1, 0)));
            list.push(var("d"));
        }
        2 if !flat => {
            let way = Ex::If(Box::new(eq(Ex::Me, player(0))), Box::new(step(0, 1)), Box::new(step(1, 0)));
            body.push(St::Let("d".into(), way));
            list.push(var("d"));
        }
        _ => {
            let near = Ex::In(true, Box::new(var("x")), Box::new(Ex::Near(Box::new(var("c")))));
            let free = Ex::Quant(
                Quant::No,
                "x".into(),
                Dom::Ty(Ty::Cell),
                Box::new(Ex::And(vec![near, isin(var("x"), fld(0))])),
            );
            body.push(St::When(free));
        }
    }
    for e in &list {
        body.push(St::When(Ex::In(false, Box::new(e.clone()), Box::new(fld(0)))));
    }
    body.push(St::Put(tgt(0, vec![]), Ex::SetLit(list)));
    g.moves.push(mv("put", vec![("c", Ty::Cell)], body));
    let over = eq(Ex::Card(Box::new(fld(0))), int(g.cells()));
    last(r, &mut g, over);
    g
}

/// Cells that players claim; the owner of a whole line wins, or only one player can.
fn claim(r: &mut Rng) -> Game {
    let mut g = Game::new(many(r));
    g.board = Some(*r.pick(&[(2, 2), (3, 2), (4, 1), (5, 1), (2, 3)]));
    let n = g.cells() as usize;
    g.fields.push(field("own", vec![("c", Ty::Cell)], Ty::Opt(Box::new(Ty::Player)), Ex::Lit(Val::None)));
    let none = |e: Ex| eq(e, Ex::Lit(Val::None));
    g.moves.push(mv(
        "mark",
        vec![("c", Ty::Cell)],
        vec![St::When(none(at(0, var("c")))), St::Set(tgt(0, vec![var("c")]), Ex::Me)],
    ));
    let count = r.range(1, 4);
    let line = |r: &mut Rng| {
        let len = r.range(1, 3) as usize;
        let v: Vec<u8> = (0..len.max(2)).map(|_| r.below(n) as u8).collect();
        Ex::Quant(
            Quant::All,
            "x".into(),
            Dom::Set(Box::new(Ex::Lit(cells(&v)))),
            Box::new(eq(at(0, var("x")), var("p"))),
        )
    };
    let has = Ex::Or((0..count).map(|_| line(r)).collect());
    let full = Ex::Quant(Quant::All, "y".into(), Dom::Ty(Ty::Cell), Box::new(not(none(at(0, var("y"))))));
    g.defs.push(Def {
        name: "holds".into(),
        params: vec![("p".into(), Ty::Player)],
        result: None,
        body: has,
    });
    g.defs.push(Def { name: "filled".into(), params: vec![], result: None, body: full });
    let holds = |e| Ex::Call(0, vec![e]);
    match r.below(4) {
        0 => g.ends.push(when(holds(player(0)), EndOutcome::Wins(player(0)))),
        1 => g.ends.push(End::When(
            Some(("p".into(), Dom::Ty(Ty::Player))),
            holds(var("p")),
            EndOutcome::Loses(var("p")),
        )),
        _ => g.ends.push(End::When(
            Some(("p".into(), Dom::Ty(Ty::Player))),
            holds(var("p")),
            EndOutcome::Wins(var("p")),
        )),
    }
    let out = if r.chance(50) { EndOutcome::Draw } else { EndOutcome::Wins(player(1)) };
    let full = if r.chance(50) { Ex::Call(1, vec![]) } else { Ex::Stuck };
    let place = if r.chance(20) { 0 } else { 1 };
    g.ends.insert(place, when(full, out));
    g
}

/// Two small games in step.
fn product(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    let half = Ty::Int(1, 2);
    let m = r.range(1, 3);
    g.fields.push(field("v", vec![("h", half.clone())], Ty::Int(0, m), int(0)));
    g.fields.push(field("cold", vec![("k", Ty::Int(1, 3))], Ty::Bool, Ex::Lit(Val::Bool(r.chance(30)))));
    let over = |e: Ex| Ex::Call(0, vec![e]);
    let limit =
        if r.chance(60) { cmp(Rel::Ne, at(0, var("h")), int(0)) } else { eq(at(0, var("h")), int(m)) };
    g.defs.push(Def {
        name: "over".into(),
        params: vec![("h".into(), half.clone())],
        result: None,
        body: limit,
    });
    let count = Ex::Fold(Fold::Count, "k".into(), Dom::Ty(Ty::Int(1, 3)), Box::new(at(1, var("k"))));
    let may = match r.below(3) {
        0 => Ex::Or(vec![eq(var("i"), int(1)), eq(count, int(r.range(0, 3)))]),
        1 => cmp(Rel::Lt, int(0), var("i")),
        _ => Ex::Or(vec![eq(Ex::Me, player(0)), cmp(Rel::Le, var("i"), int(2))]),
    };
    let inp = Ty::Int(1, m);
    let go = |h: i64, v: &str| {
        vec![
            St::When(not(over(int(h)))),
            St::When(rename(&may, "i", v)),
            St::When(cmp(Rel::Lt, at(0, int(h)), var(v))),
            St::Set(tgt(0, vec![int(h)]), var(v)),
        ]
    };
    let mut both = go(1, "i");
    both.extend(go(2, "j"));
    g.moves.push(mv("both", vec![("i", inp.clone()), ("j", inp.clone())], both));
    for (h, o, name) in [(1, 2, "left"), (2, 1, "right")] {
        let mut one = vec![St::When(over(int(o)))];
        one.extend(go(h, "i"));
        g.moves.push(mv(name, vec![("i", inp.clone())], one));
    }
    let score = |h: i64, r: &mut Rng| {
        let a = r.range(0, m);
        let pay = Ex::If(Box::new(eq(var("p"), player(0))), Box::new(int(1)), Box::new(int(-1)));
        Ex::If(
            Box::new(eq(at(0, int(h)), int(a))),
            Box::new(pay.clone()),
            Box::new(bin(Op::Sub, int(0), pay)),
        )
    };
    let done = Ex::And(vec![over(int(1)), over(int(2))]);
    g.ends.push(when(done, EndOutcome::Payoff("p".into(), bin(Op::Add, score(1, r), score(2, r)))));
    g
}

/// A number that rises or falls, and an outcome that depends on its last value.
fn counter(r: &mut Rng) -> Game {
    let mut g = Game::new(if r.chance(10) { 1 } else { many(r) });
    let m = r.range(2, 8);
    g.fields.push(field("n", vec![], Ty::Int(0, m), int(0)));
    let most = *r.pick(&[1, 1, 2, 3]);
    let n = || fld(0);
    let sum = bin(Op::Add, n(), var("k"));
    g.moves.push(mv(
        "go",
        vec![("k", Ty::Int(1, most))],
        vec![St::When(cmp(Rel::Le, sum, int(m))), St::Add(tgt(0, vec![]), var("k"))],
    ));
    if r.chance(40) {
        g.fields.push(field("b", vec![], Ty::Bool, Ex::Lit(Val::Bool(false))));
        let body = vec![St::When(not(fld(1))), St::Set(tgt(1, vec![]), Ex::Lit(Val::Bool(true)))];
        g.moves.push(mv("flip", vec![], body));
    }
    let p = |r: &mut Rng, g: &Game| {
        if g.players == 1 {
            if r.chance(50) { EndOutcome::Win } else { EndOutcome::Lose }
        } else {
            match r.below(4) {
                0 => EndOutcome::Draw,
                1 => EndOutcome::Wins(player(r.below(g.players) as u8)),
                2 => EndOutcome::Wins(Ex::Mover),
                _ => EndOutcome::Loses(Ex::Mover),
            }
        }
    };
    let o = p(r, &g);
    g.ends.push(when(eq(n(), int(m)), o));
    let o = p(r, &g);
    g.ends.push(when(if g.fields.len() > 1 { fld(1) } else { eq(n(), int(m - 1)) }, o));
    let o = p(r, &g);
    g.ends.push(when(Ex::Stuck, o));
    let i = r.below(3);
    g.ends.swap(0, i);
    g
}

/// A row of cells that change once, for automata.
fn row(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    let n = r.range(3, 7);
    let key = Ty::Int(1, n);
    let len = *r.pick(&[1, 1, 2, 2, 3]);
    let set = r.chance(50);
    if set {
        g.fields.push(field("full", vec![], Ty::Set(Box::new(key.clone())), Ex::SetLit(vec![])));
    } else {
        g.fields.push(field("full", vec![("c", key.clone())], Ty::Bool, Ex::Lit(Val::Bool(false))));
    }
    let place = |i: i64| if i == 0 { var("c") } else { bin(Op::Add, var("c"), int(i)) };
    let free = |i: i64| {
        if set {
            Ex::In(false, Box::new(place(i)), Box::new(fld(0)))
        } else {
            eq(at(0, place(i)), Ex::Lit(Val::Bool(false)))
        }
    };
    let mut body = vec![St::When(cmp(Rel::Le, place(len - 1), int(n)))];
    for i in 0..len {
        body.push(St::When(free(i)));
        body.push(if set {
            St::Put(tgt(0, vec![]), Ex::SetLit(vec![place(i)]))
        } else {
            St::Set(tgt(0, vec![place(i)]), Ex::Lit(Val::Bool(true)))
        });
    }
    if r.chance(40) {
        body.push(St::When(free(-1)));
        if r.chance(50) {
            body.push(St::When(Ex::Or(vec![eq(var("c"), int(n)), free(len)])));
        }
    }
    g.moves.push(mv("put", vec![("c", key)], body));
    g.play = Some(if r.chance(70) { PlayConvention::Normal } else { PlayConvention::Misere });
    g
}

/// Pieces that walk, and may return.
fn walk(r: &mut Rng) -> Game {
    let mut g = Game::new(if r.chance(15) { 1 } else { 2 });
    g.board = Some(*r.pick(&[(2, 2), (3, 2), (4, 1), (3, 3), (5, 1)]));
    let n = g.cells() as usize;
    let goal = Ex::Lit(Val::Cell(r.below(n) as u8));
    if r.chance(50) || g.players == 1 {
        g.fields.push(field("here", vec![], Ty::Cell, Ex::Lit(Val::Cell(r.below(n) as u8))));
        let body =
            vec![St::When(isin(var("c"), Ex::Near(Box::new(fld(0))))), St::Set(tgt(0, vec![]), var("c"))];
        g.moves.push(mv("walk", vec![("c", Ty::Cell)], body));
        let out = if g.players == 1 {
            EndOutcome::Win
        } else if r.chance(50) {
            EndOutcome::Wins(Ex::Mover)
        } else {
            EndOutcome::Loses(Ex::Mover)
        };
        g.ends.push(when(eq(fld(0), goal), out));
    } else {
        let (a, b) = (r.below(n) as u8, r.below(n) as u8);
        let start = Ex::If(
            Box::new(eq(var("p"), player(0))),
            Box::new(Ex::Lit(Val::Cell(a))),
            Box::new(Ex::Lit(Val::Cell(b))),
        );
        g.fields.push(field("here", vec![("p", Ty::Player)], Ty::Cell, start));
        let mut body = vec![St::When(isin(var("c"), Ex::Near(Box::new(at(0, Ex::Me)))))];
        if r.chance(60) {
            body.push(St::When(cmp(Rel::Ne, var("c"), at(0, Ex::Opponent))));
        }
        body.push(St::Set(tgt(0, vec![Ex::Me]), var("c")));
        g.moves.push(mv("walk", vec![("c", Ty::Cell)], body));
        match r.below(3) {
            0 => g.ends.push(when(eq(at(0, player(0)), goal), EndOutcome::Wins(player(0)))),
            1 => g.ends.push(when(eq(at(0, player(0)), at(0, player(1))), EndOutcome::Wins(player(1)))),
            _ => {
                let c = eq(at(0, var("p")), goal);
                g.ends.push(End::When(
                    Some(("p".into(), Dom::Ty(Ty::Player))),
                    c,
                    EndOutcome::Wins(var("p")),
                ));
            }
        }
        g.ends.push(when(Ex::Stuck, EndOutcome::Loses(Ex::Mover)));
    }
    if g.players > 1 {
        g.ends.push(End::RepeatDraw);
    }
    g
}

/// Places of both players that are mirror images.
fn mirror(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    let m = r.range(1, 4);
    let key = vec![("p", Ty::Player)];
    g.fields.push(field("left", key.clone(), Ty::Int(0, m), int(m)));
    let most = r.range(1, m);
    let shared = r.chance(40);
    let k = if shared { var("q") } else { Ex::Me };
    let body = vec![St::When(cmp(Rel::Le, var("k"), at(0, k.clone()))), St::Sub(tgt(0, vec![k]), var("k"))];
    let mut params = vec![("k", Ty::Int(1, most))];
    if shared {
        params.push(("q", Ty::Player));
    }
    g.moves.push(mv("take", params, body));
    if r.chance(40) {
        g.fields.push(field("got", key, Ty::Int(0, 3), int(0)));
        let sum = bin(Op::Add, at(1, Ex::Me), int(1));
        g.moves[0].body.push(St::Set(tgt(1, vec![Ex::Me]), bin(Op::Min, int(3), sum)));
        g.ends.push(when(Ex::Stuck, EndOutcome::Best(r.chance(50), 1)));
        return g;
    }
    let over = eq(at(0, player(0)), int(0));
    last(r, &mut g, over);
    g
}

/// Independent fields, each with a move.
fn parts(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    let own = r.chance(25);
    for i in 0..r.range(2, 4) as usize {
        let (f, m) = (fld(i), r.range(1, 3));
        let name = format!("x{i}");
        let mut body = vec![];
        let mut params = vec![];
        match r.below(3) {
            0 => {
                g.fields.push(field(&name, vec![], Ty::Bool, Ex::Lit(Val::Bool(false))));
                body.push(St::When(not(f)));
                body.push(St::Set(tgt(i, vec![]), Ex::Lit(Val::Bool(true))));
            }
            1 => {
                g.fields.push(field(&name, vec![], Ty::Int(0, m), int(m)));
                params.push(("k", Ty::Int(1, r.range(1, m))));
                body.push(St::When(cmp(Rel::Le, var("k"), f)));
                body.push(St::Sub(tgt(i, vec![]), var("k")));
            }
            _ => {
                g.fields.push(field(&name, vec![], Ty::Int(0, m), int(0)));
                params.push(("k", Ty::Int(1, m)));
                body.push(St::When(cmp(Rel::Lt, f, var("k"))));
                body.push(St::Set(tgt(i, vec![]), var("k")));
            }
        }
        let mut m = mv(&format!("go{i}"), params, body);
        if own && r.chance(50) {
            m.by = Some(player(r.below(2) as u8));
        }
        g.moves.push(m);
    }
    g.play = Some(if r.chance(70) { PlayConvention::Normal } else { PlayConvention::Misere });
    g
}

/// A token that walks and never visits a cell twice.
fn trail(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    g.board = Some(*r.pick(&[(3, 1), (4, 1), (5, 1), (2, 2), (3, 2), (3, 3), (2, 3)]));
    let start = Ex::Lit(Val::Cell(r.below(g.cells() as usize) as u8));
    g.fields.push(field("here", vec![], Ty::Cell, start.clone()));
    let been = if r.chance(70) { Ex::SetLit(vec![start]) } else { Ex::SetLit(vec![]) };
    g.fields.push(field("been", vec![], Ty::Set(Box::new(Ty::Cell)), been));
    let mut body = vec![
        St::When(isin(var("c"), Ex::Near(Box::new(fld(0))))),
        St::When(Ex::In(false, Box::new(var("c")), Box::new(fld(1)))),
        St::Set(tgt(0, vec![]), var("c")),
        St::Put(tgt(1, vec![]), Ex::SetLit(vec![var("c")])),
    ];
    if r.chance(20) {
        body[3] = St::Put(tgt(1, vec![]), Ex::SetLit(vec![fld(0)]));
    }
    g.moves.push(mv("go", vec![("c", Ty::Cell)], body));
    g.play = Some(if r.chance(70) { PlayConvention::Normal } else { PlayConvention::Misere });
    g
}

/// Cells of which a bite takes a tail; the player who takes the last ones wins or loses.
fn chomp(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    let n = r.range(2, 5);
    let rows = r.range(1, 2);
    let key = vec![("q", Ty::Int(1, rows))];
    g.fields.push(field("left", key, Ty::Int(0, n), int(n)));
    let mut body = vec![St::When(cmp(Rel::Lt, var("k"), at(0, var("q"))))];
    let cut = vec![St::Set(tgt(0, vec![var("x")]), var("k"))];
    let longer = cmp(Rel::Lt, var("k"), at(0, var("x")));
    let below = cmp(Rel::Le, var("q"), var("x"));
    body.push(St::For("x".into(), Dom::Ty(Ty::Int(1, rows)), Some(Ex::And(vec![below, longer])), cut));
    if r.chance(60) {
        body.push(St::When(Ex::Or(vec![cmp(Rel::Lt, int(0), var("k")), cmp(Rel::Lt, int(1), var("q"))])));
    }
    g.moves.push(mv("bite", vec![("q", Ty::Int(1, rows)), ("k", Ty::Int(0, n - 1))], body));
    let over = eq(at(0, int(1)), int(0));
    last(r, &mut g, over);
    g
}
