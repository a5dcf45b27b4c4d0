//! Shrinks a game that shows a difference, as long as it still shows it.

use crate::game::*;
use crate::print;

/// Returns all games that are one step smaller.
pub fn smaller(g: &Game) -> Vec<Game> {
    let mut all = vec![];
    let mut with = |f: &dyn Fn(&mut Game)| {
        let mut n = g.clone();
        f(&mut n);
        all.push(n);
    };
    for i in 0..g.moves.len() {
        if g.moves.len() > 1 {
            with(&|n| drop(n.moves.remove(i)));
        }
    }
    for i in 0..g.ends.len() {
        with(&|n| drop(n.ends.remove(i)));
    }
    if !g.every.is_empty() {
        with(&|n| n.every.clear());
    }
    if g.pass.is_some() {
        with(&|n| n.pass = None);
    }
    for i in 0..g.moves.len() {
        with(&|n| n.moves[i].by = None);
        with(&|n| n.moves[i].prefer = None);
        with(&|n| n.moves[i].mandatory = false);
        with(&|n| n.moves[i].weight = None);
        for b in bodies(&g.moves[i].body) {
            with(&|n| n.moves[i].body = b.clone());
        }
        for (k, (_, t)) in g.moves[i].params.iter().enumerate() {
            if let Ty::Int(a, b) = *t
                && a < b
            {
                with(&|n| n.moves[i].params[k].1 = Ty::Int(a, b - 1));
            }
        }
    }
    for b in bodies(&g.every) {
        with(&|n| n.every = b.clone());
    }
    for i in 0..g.ends.len() {
        if let End::When(b, c, o) = &g.ends[i] {
            for s in parts(c) {
                with(&|n| n.ends[i] = End::When(b.clone(), s.clone(), o.clone()));
            }
            if *o != EndOutcome::Draw && g.players > 1 {
                with(&|n| n.ends[i] = End::When(b.clone(), c.clone(), EndOutcome::Draw));
                with(&|n| n.ends[i] = End::When(b.clone(), c.clone(), EndOutcome::Wins(player(0))));
            }
        }
    }
    for i in 0..g.defs.len() {
        for s in parts(&g.defs[i].body) {
            with(&|n| n.defs[i].body = s.clone());
        }
    }
    let text = print::text(g);
    let spoken = |name: &str| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        text.match_indices(name)
            .filter(|(i, _)| !text[..*i].ends_with(word) && !text[i + name.len()..].starts_with(word))
            .count()
    };
    for i in 0..g.fields.len() {
        if !g.fields[i].omitted && spoken(&g.fields[i].name) == 1 {
            with(&|n| n.fields[i].omitted = true);
        }
        if let Ty::Int(a, b) = g.fields[i].ty
            && a < b
        {
            with(&|n| n.fields[i].ty = Ty::Int(a, b - 1));
        }
        if let Ex::Lit(Val::Int(k)) = g.fields[i].init
            && k > 0
        {
            with(&|n| n.fields[i].init = int(k - 1));
        }
    }
    if g.defs.last().is_some_and(|d| spoken(&d.name) == 1) {
        with(&|n| drop(n.defs.pop()));
    }
    all
}

/// Returns all lists of statements that are one step smaller.
fn bodies(b: &[St]) -> Vec<Vec<St>> {
    let mut all = vec![];
    for i in 0..b.len() {
        let mut put = |new: Vec<St>| {
            let mut v = b.to_vec();
            v.splice(i..i + 1, new);
            all.push(v);
        };
        put(vec![]);
        match &b[i] {
            St::When(c) => parts(c).into_iter().for_each(|c| put(vec![St::When(c)])),
            St::Ensure(c) => parts(c).into_iter().for_each(|c| put(vec![St::Ensure(c)])),
            St::If(c, x, y) => {
                put(x.clone());
                if !y.is_empty() {
                    put(y.clone());
                    put(vec![St::If(c.clone(), x.clone(), vec![])]);
                }
                bodies(x).into_iter().for_each(|x| put(vec![St::If(c.clone(), x, y.clone())]));
                bodies(y).into_iter().for_each(|y| put(vec![St::If(c.clone(), x.clone(), y)]));
                parts(c).into_iter().for_each(|c| put(vec![St::If(c, x.clone(), y.clone())]));
            }
            St::For(v, d, c, x) => {
                bodies(x).into_iter().for_each(|x| put(vec![St::For(v.clone(), d.clone(), c.clone(), x)]));
                if c.is_some() {
                    put(vec![St::For(v.clone(), d.clone(), None, x.clone())]);
                }
            }
            St::Then(x) => {
                put(x.clone());
                bodies(x).into_iter().for_each(|x| put(vec![St::Then(x)]));
            }
            St::Set(t, e) => parts(e).into_iter().for_each(|e| put(vec![St::Set(t.clone(), e)])),
            St::Next(e) => parts(e).into_iter().for_each(|e| put(vec![St::Next(e)])),
            _ => {}
        }
    }
    all
}

/// Returns smaller terms of the same type.
fn parts(e: &Ex) -> Vec<Ex> {
    match e {
        Ex::And(v) | Ex::Or(v) => v.clone(),
        Ex::Implies(a, b) => vec![(**a).clone(), (**b).clone()],
        Ex::Not(a) => vec![(**a).clone()],
        Ex::If(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Ex::Bin(Op::Range, ..) => vec![],
        Ex::Bin(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Ex::Other(a) => vec![(**a).clone()],
        Ex::Cmp(r, a, b) => {
            let left = parts(a).into_iter().map(|a| cmp(*r, a, (**b).clone()));
            let right = parts(b).into_iter().map(|b| cmp(*r, (**a).clone(), b));
            left.chain(right).collect()
        }
        Ex::Lit(Val::Int(n)) if *n > 0 => vec![int(n - 1)],
        _ => vec![],
    }
}
