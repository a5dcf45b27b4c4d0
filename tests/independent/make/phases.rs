//! Families of games with phases, simultaneous moves, chance, pieces, and fields whose types list their values.

use super::*;

/// Players who choose simultaneously.
pub(super) fn each(r: &mut Rng) -> Game {
    let mut g = Game::new(many(r));
    g.phases.push(GamePhase { name: "choose".into(), setup: false, actor: Actor::Each });
    let m = r.range(1, 2);
    let rounds = r.range(1, 2);
    g.fields.push(field("n", vec![], Ty::Int(0, rounds), int(0)));
    g.fields.push(field("pick", vec![("p", Ty::Player)], Ty::Int(0, m), int(0)));
    let mut body = vec![St::When(cmp(Rel::Lt, fld(0), int(rounds)))];
    body.push(St::Set(tgt(0, vec![]), bin(Op::Add, fld(0), int(1))));
    body.push(St::Set(tgt(1, vec![Ex::Me]), var("k")));
    if r.chance(30) {
        let mut t = TermGenerator::new(&g, r);
        let s = Scope { vars: vec![], me: true, end: false };
        let c = t.cond(&s, 1);
        let st = if t.r.chance(60) {
            St::Ensure(c)
        } else {
            St::If(c, vec![St::Set(tgt(1, vec![Ex::Me]), int(0))], vec![])
        };
        body.push(St::Then(vec![st]));
    } else if r.chance(25) && g.players == 2 {
        // An effect of both choices together, which no move alone has, and optionally a condition that forbids it.
        let k = r.range(1, m);
        let both = Ex::And((0..2).map(|p| eq(at(1, player(p)), int(k))).collect());
        let mut late = vec![St::If(
            both.clone(),
            vec![St::Set(tgt(1, vec![player(r.below(2) as u8)]), int(r.range(0, k - 1)))],
            vec![],
        )];
        if r.chance(60) {
            late.insert(0, St::Ensure(not(both)));
        }
        body.push(St::Then(late));
    }
    let mut m1 = mv("show", vec![("k", Ty::Int(0, m))], body);
    m1.phases = vec![0];
    g.moves.push(m1);
    if r.chance(40) {
        // A move of one player alone, perhaps mandatory, perhaps possible only after the others are done.
        let p = r.below(g.players) as u8;
        let late = r.chance(40);
        let asks = if late { eq(fld(0), int(rounds)) } else { cmp(Rel::Lt, fld(0), int(rounds)) };
        let mut body = vec![St::When(asks)];
        if late {
            g.fields[0].ty = Ty::Int(0, rounds + 1);
        }
        body.push(St::Set(tgt(0, vec![]), bin(Op::Add, fld(0), int(1))));
        body.push(St::Set(tgt(1, vec![player(r.below(g.players) as u8)]), int(r.range(0, m))));
        let mut grab = mv("grab", vec![], body);
        grab.phases = vec![0];
        grab.by = Some(player(p));
        grab.mandatory = r.chance(40);
        g.moves.push(grab.clone());
        if r.chance(50) && g.players == 2 {
            // The same move for the other player, perhaps without `mandatory`.
            let own = r.chance(70);
            if own && let St::Set(t, _) = &mut g.moves[1].body[2] {
                t.keys = vec![Ex::Me];
            }
            grab = g.moves[1].clone();
            grab.name = "snatch".into();
            grab.by = Some(player(1 - p));
            grab.mandatory ^= r.chance(50);
            g.moves.push(grab);
        }
    }
    let done = eq(fld(0), int(rounds));
    let pick = |p: Ex| at(1, p);
    if g.players == 2 && r.chance(70) {
        let rel = if r.chance(70) { Rel::Lt } else { Rel::Eq };
        let w = r.below(2) as u8;
        g.ends.push(when(
            Ex::And(vec![done.clone(), cmp(rel, pick(player(1)), pick(player(0)))]),
            EndOutcome::Wins(player(w)),
        ));
        g.ends.push(when(
            Ex::And(vec![done.clone(), cmp(rel, pick(player(0)), pick(player(1)))]),
            EndOutcome::Wins(player(1 - w)),
        ));
        g.ends.push(when(if r.chance(50) { done } else { Ex::Stuck }, EndOutcome::Draw));
    } else {
        g.ends.push(when(done, EndOutcome::Best(r.chance(50), 1)));
    }
    g
}

/// A die, and moves that depend on its value.
pub(super) fn dice(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    let setup = r.chance(20);
    g.phases.push(GamePhase { name: "roll".into(), setup, actor: Actor::Chance });
    g.phases.push(GamePhase { name: "act".into(), setup: false, actor: Actor::Mover });
    let m = r.range(2, 3);
    let goal = r.range(2, 5);
    g.fields.push(field("die", vec![], Ty::Int(0, m), int(0)));
    g.fields.push(field("score", vec![("p", Ty::Player)], Ty::Int(0, goal), int(0)));
    let mut throw =
        mv("throw", vec![("d", Ty::Int(1, m))], vec![St::Set(tgt(0, vec![]), var("d")), St::Continue(1)]);
    throw.phases = vec![0];
    throw.chance = true;
    if r.chance(50) {
        let from = r.range(-1, 1);
        throw.weight =
            Some(if from == 0 { var("d") } else { bin(Op::Max, int(0), bin(Op::Add, var("d"), int(from))) });
    }
    g.moves.push(throw);
    let gain = bin(Op::Min, int(goal), bin(Op::Add, at(1, Ex::Me), fld(0)));
    let mut keep = mv("keep", vec![], vec![St::Set(tgt(1, vec![Ex::Me]), gain)]);
    keep.phases = vec![1];
    g.moves.push(keep);
    let small = bin(Op::Min, int(goal), bin(Op::Add, at(1, Ex::Me), int(1)));
    let mut one = mv("single", vec![], vec![St::Set(tgt(1, vec![Ex::Me]), small)]);
    one.phases = vec![1];
    g.moves.push(one);
    for m in &mut g.moves[1..] {
        m.body.push(St::Next(Ex::Opponent));
    }
    let c = eq(at(1, var("p")), int(goal));
    g.ends.push(End::When(Some(("p".into(), Dom::Ty(Ty::Player))), c, EndOutcome::Wins(var("p"))));
    g
}

/// Pieces of two kinds that step and capture.
pub(super) fn pieces(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    g.board = Some(*r.pick(&[(3, 1), (4, 1), (2, 2), (5, 1), (2, 3)]));
    let n = g.cells() as u8;
    let two = Ex::If(
        Box::new(eq(var("c"), Ex::Lit(Val::Cell(0)))),
        Box::new(Ex::Lit(Val::Piece(0, r.below(2) as u8))),
        Box::new(Ex::If(
            Box::new(eq(var("c"), Ex::Lit(Val::Cell(n - 1)))),
            Box::new(Ex::Lit(Val::Piece(1, r.below(2) as u8))),
            Box::new(Ex::Lit(Val::None)),
        )),
    );
    g.fields.push(field("at", vec![("c", Ty::Cell)], Ty::Opt(Box::new(Ty::Piece)), two));
    let own = |e: &str| Ex::Part(Box::new(at(0, var(e))), 0);
    let mut body = vec![
        St::When(eq(own("x"), Ex::Me)),
        St::When(isin(var("y"), Ex::Near(Box::new(var("x"))))),
        St::When(not(eq(own("y"), Ex::Me))),
        St::Shift(tgt(0, vec![var("y")]), tgt(0, vec![var("x")])),
    ];
    if r.chance(40) {
        let to = Tgt { field: 0, keys: vec![var("y")], part: Some(1) };
        body.push(St::Then(vec![St::Set(to, Ex::Lit(Val::Kind(1)))]));
    }
    if r.chance(30) {
        body.insert(
            2,
            St::When(Ex::Or(vec![
                eq(Ex::Part(Box::new(at(0, var("x"))), 1), Ex::Lit(Val::Kind(1))),
                not(eq(own("y"), Ex::Opponent)),
            ])),
        );
    }
    g.moves.push(mv("step", vec![("x", Ty::Cell), ("y", Ty::Cell)], body));
    let none = Ex::Quant(Quant::No, "c".into(), Dom::Ty(Ty::Cell), Box::new(eq(own("c"), var("p"))));
    g.ends.push(End::When(Some(("p".into(), Dom::Ty(Ty::Player))), none, EndOutcome::Loses(var("p"))));
    if r.chance(40) {
        let far = eq(own("c").clone(), player(0));
        g.ends.push(when(
            Ex::Quant(Quant::Some, "c".into(), Dom::Set(Box::new(Ex::Lit(cells(&[n - 1])))), Box::new(far)),
            EndOutcome::Wins(player(0)),
        ));
    }
    g.ends.push(when(Ex::Stuck, if r.chance(50) { EndOutcome::Draw } else { EndOutcome::Loses(Ex::Mover) }));
    g.ends.push(End::RepeatDraw);
    g
}

/// A puzzle for one player.
pub(super) fn single(r: &mut Rng) -> Game {
    let mut g = Game::new(1);
    let m = r.range(2, 5);
    g.fields.push(field("n", vec![], Ty::Int(0, m), int(0)));
    g.fields.push(field("m", vec![], Ty::Int(0, 3), int(r.range(0, 3))));
    let k = Ty::Int(1, r.range(1, 2));
    let up = vec![
        St::When(cmp(Rel::Le, bin(Op::Add, fld(0), var("k")), int(m))),
        St::Add(tgt(0, vec![]), var("k")),
    ];
    g.moves.push(mv("up", vec![("k", k)], up));
    let swap = vec![
        St::When(cmp(Rel::Lt, fld(0), int(4))),
        St::Set(tgt(1, vec![]), fld(0)),
        St::Set(tgt(0, vec![]), fld(1)),
    ];
    if m > 3 {
        g.moves.push(mv("swap", vec![], swap));
    }
    let down = vec![St::When(cmp(Rel::Lt, int(0), fld(1))), St::Sub(tgt(1, vec![]), int(1))];
    g.moves.push(mv("down", vec![], down));
    let goal = Ex::And(vec![eq(fld(0), int(r.range(0, m))), eq(fld(1), int(r.range(0, 3)))]);
    g.ends.push(when(goal, EndOutcome::Win));
    let out = if r.chance(70) { EndOutcome::Lose } else { EndOutcome::Payoff("p".into(), fld(0)) };
    g.ends.push(when(Ex::Stuck, out));
    g
}

/// Several phases, one of them of a player that the position names.
pub(super) fn phases(r: &mut Rng) -> Game {
    let mut g = Game::new(many(r));
    let opt = r.chance(40);
    let who = if opt { Ty::Opt(Box::new(Ty::Player)) } else { Ty::Player };
    g.fields.push(field("who", vec![], who, player(r.below(g.players) as u8)));
    g.fields.push(field("n", vec![], Ty::Int(0, 5), int(5)));
    g.phases.push(GamePhase { name: "first_".into(), setup: r.chance(30), actor: Actor::Mover });
    let by = if r.chance(70) { Actor::By(fld(0)) } else { Actor::Each };
    g.phases.push(GamePhase { name: "then_".into(), setup: false, actor: by });
    let take = |k: i64| vec![St::When(cmp(Rel::Le, int(k), fld(1))), St::Sub(tgt(1, vec![]), int(k))];
    let mut a = mv("a", vec![("p", Ty::Player)], take(1));
    a.body.push(St::Set(tgt(0, vec![]), var("p")));
    a.body.push(St::Continue(1));
    a.phases = vec![0];
    g.moves.push(a);
    let mut b = mv(
        "b",
        vec![("k", Ty::Int(1, 2))],
        vec![St::When(cmp(Rel::Le, var("k"), fld(1))), St::Sub(tgt(1, vec![]), var("k"))],
    );
    b.phases = vec![1];
    if g.phases[1].actor == Actor::Each {
        b.body[0] = St::When(cmp(Rel::Le, bin(Op::Mul, var("k"), int(g.players as i64)), fld(1)));
    }
    if r.chance(50) || g.phases[0].setup {
        let s = Scope { vars: vec![], me: true, end: false };
        let mut t = TermGenerator::new(&g, r);
        let c = t.cond(&s, 1);
        let st = match t.r.below(3) {
            0 => St::Continue(1),
            1 => St::Next(if opt || t.r.chance(50) { fld(0) } else { t.player(&s, 1) }),
            _ => St::Continue(0),
        };
        b.body.push(St::If(c, vec![st], vec![]));
    }
    if r.chance(40) && opt && g.phases[1].actor != Actor::Each {
        b.body.push(St::If(eq(var("k"), int(2)), vec![St::Set(tgt(0, vec![]), Ex::Lit(Val::None))], vec![]));
    }
    g.moves.push(b);
    let p = player(r.below(g.players) as u8);
    g.ends.push(when(eq(fld(1), int(0)), EndOutcome::Wins(p)));
    let out = if opt && r.chance(30) { EndOutcome::Wins(fld(0)) } else { EndOutcome::Loses(Ex::Mover) };
    g.ends.push(when(if r.chance(70) { Ex::Stuck } else { eq(fld(1), int(1)) }, out));
    if r.chance(70) {
        g.ends.push(when(Ex::Stuck, EndOutcome::Draw));
    }
    g
}

/// A field with some, not all, of the sets as values.
pub(super) fn among(r: &mut Rng) -> Game {
    let mut g = Game::new(2);
    g.board = Some((r.range(2, 4), 1));
    let n = g.cells() as u8;
    let mut fam = vec![cells(&[0])];
    for _ in 0..r.range(1, 4) {
        let v = cells(&(0..n).filter(|_| r.chance(50)).collect::<Vec<u8>>());
        if !fam.contains(&v) && v != cells(&[]) {
            fam.push(v);
        }
    }
    if fam.len() == 1 {
        fam.push(cells(&[0, 1]));
    }
    g.families.push(fam.clone());
    g.fields.push(field("s", vec![], Ty::Among(0), Ex::Lit(fam[0].clone())));
    let m = r.range(1, 4);
    g.fields.push(field("n", vec![], Ty::Int(0, m), int(0)));
    let effect = match r.below(3) {
        0 => St::Set(tgt(0, vec![]), Ex::SetLit(vec![var("c")])),
        1 => St::Put(tgt(0, vec![]), Ex::SetLit(vec![var("c")])),
        _ => St::Set(tgt(0, vec![]), bin(Op::Diff, fld(0), Ex::SetLit(vec![var("c")]))),
    };
    let mut body = vec![St::When(cmp(Rel::Lt, fld(1), int(m))), St::Add(tgt(1, vec![]), int(1)), effect];
    if r.chance(50) {
        let mut t = TermGenerator::new(&g, r);
        let s = Scope { vars: vec![("c".into(), Ty::Cell)], me: true, end: false };
        let c = t.cond(&s, 1);
        body.insert(0, St::When(c));
    }
    if r.chance(40) {
        let all: Vec<u8> = (0..n).filter(|c| fam.contains(&cells(&[*c]))).collect();
        body.insert(0, St::When(isin(var("c"), Ex::Lit(cells(&all)))));
    }
    g.moves.push(mv("go", vec![("c", Ty::Cell)], body));
    let c = Ex::Lit(Val::Cell(r.below(n as usize) as u8));
    g.ends.push(when(Ex::And(vec![eq(fld(1), int(m)), isin(c, fld(0))]), EndOutcome::Wins(player(0))));
    g.ends.push(when(if r.chance(50) { Ex::Stuck } else { eq(fld(1), int(m)) }, EndOutcome::Wins(player(1))));
    g
}
