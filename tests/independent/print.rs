//! Writes a game as a `.bou` file, with parentheses around everything that is not a single word.

use crate::game::*;
use std::fmt::Write;

pub const PLAYERS: [&str; 3] = ["A", "B", "C"];
pub const KINDS: [&str; 2] = ["man", "king"];

/// Returns the source of the game.
pub fn text(g: &Game) -> String {
    let mut o = String::from("game \"G\";\n");
    match g.players {
        1 => o.push_str("player A;\n"),
        n => writeln!(o, "players {};", PLAYERS[..n].join(", ")).unwrap(),
    }
    match g.board {
        Some((w, 1)) => writeln!(o, "board Cell = strip({w});").unwrap(),
        Some((w, h)) => writeln!(o, "board Cell = grid({w}, {h});").unwrap(),
        None => {}
    }
    let mut rest = String::new();
    body(g, &mut rest);
    if rest.contains("Kind") || rest.contains("Piece") || KINDS.iter().any(|k| rest.contains(k)) {
        o.push_str("enum Kind { man, king }\n");
    }
    if rest.contains("Piece") {
        o.push_str("record Piece(owner: Player, kind: Kind);\n");
    }
    o + &rest
}

fn body(g: &Game, o: &mut String) {
    for (i, f) in g.families.iter().enumerate() {
        let all: Vec<String> = f.iter().map(|v| val(g, v)).collect();
        writeln!(o, "const fam{i} = {{ {} }};", all.join(", ")).unwrap();
    }
    if !g.phases.is_empty() {
        let all: Vec<String> = g.phases.iter().map(|p| phase(g, p)).collect();
        writeln!(o, "phases {{ {} }}", all.join(" ")).unwrap();
    }
    o.push_str("state {\n");
    for f in g.fields.iter().filter(|f| !f.omitted) {
        let t = if f.transient { "transient " } else { "" };
        let k = if f.keys.is_empty() { String::new() } else { format!("[{}]", params(&f.keys)) };
        writeln!(o, "  {t}{}{k}: {} = {};", f.name, ty(&f.ty), ex(g, &f.init)).unwrap();
    }
    o.push_str("}\n");
    for d in &g.defs {
        let p = if d.params.is_empty() { String::new() } else { format!("({})", params(&d.params)) };
        let r = d.result.as_ref().map_or(String::new(), |t| format!(": {}", ty(t)));
        writeln!(o, "def {}{p}{r} = {};", d.name, ex(g, &d.body)).unwrap();
    }
    for m in &g.moves {
        writeln!(o, "{} {{", head(g, m)).unwrap();
        if let Some(w) = &m.weight {
            writeln!(o, "  weight {};", ex(g, w)).unwrap();
        }
        stmts(g, &m.body, 1, o);
        o.push_str("}\n");
    }
    if !g.every.is_empty() {
        o.push_str("every move {\n");
        stmts(g, &g.every, 1, o);
        o.push_str("}\n");
    }
    match &g.pass {
        Some(PassMode::When(c)) => writeln!(o, "pass when {};", ex(g, c)).unwrap(),
        Some(PassMode::Always) => o.push_str("pass always;\n"),
        Some(PassMode::Stuck) => o.push_str("pass when stuck;\n"),
        None => {}
    }
    match g.play {
        Some(PlayConvention::Normal) => o.push_str("play normal;\n"),
        Some(PlayConvention::Misere) => o.push_str("play misere;\n"),
        None => {}
    }
    if !g.ends.is_empty() {
        o.push_str("end {\n");
        for e in &g.ends {
            writeln!(o, "  {};", end(g, e)).unwrap();
        }
        o.push_str("}\n");
    }
}

fn phase(g: &Game, p: &GamePhase) -> String {
    let s = if p.setup { "setup " } else { "" };
    let by = match &p.actor {
        Actor::Mover => String::new(),
        Actor::Each => " by each".into(),
        Actor::Chance => " by chance".into(),
        Actor::By(e) => format!(" by {}", ex(g, e)),
    };
    format!("{s}{}{by};", p.name)
}

fn head(g: &Game, m: &GameMove) -> String {
    let mut o = String::new();
    if m.mandatory {
        o.push_str("mandatory ");
    }
    write!(o, "{} {}({})", if m.chance { "chance" } else { "move" }, m.name, params(&m.params)).unwrap();
    if !m.phases.is_empty() {
        let all: Vec<&str> = m.phases.iter().map(|p| g.phases[*p].name.as_str()).collect();
        write!(o, " in {}", all.join(", ")).unwrap();
    }
    if let Some(e) = &m.by {
        write!(o, " by {}", ex(g, e)).unwrap();
    }
    if let Some(e) = &m.prefer {
        write!(o, " prefer max {}", ex(g, e)).unwrap();
    }
    o
}

fn params(p: &[(String, Ty)]) -> String {
    p.iter().map(|(n, t)| format!("{n}: {}", ty(t))).collect::<Vec<_>>().join(", ")
}

/// Returns the source of a type.
pub fn ty(t: &Ty) -> String {
    match t {
        Ty::Bool => "bool".into(),
        Ty::Int(a, b) => format!("{a}..{b}"),
        Ty::Player => "Player".into(),
        Ty::Kind => "Kind".into(),
        Ty::Cell => "Cell".into(),
        Ty::Piece => "Piece".into(),
        Ty::Opt(t) => match **t {
            Ty::Int(a, b) => format!("({a}..{b})?"),
            _ => format!("{}?", ty(t)),
        },
        Ty::Set(t) => format!("set of {}", ty(t)),
        Ty::Among(i) => format!("fam{i}"),
    }
}

/// Returns the source of a value, which is also its form in the names of moves.
pub fn val(g: &Game, v: &Val) -> String {
    match v {
        Val::None => "none".into(),
        Val::Bool(b) => b.to_string(),
        Val::Int(n) => n.to_string(),
        Val::Player(p) => PLAYERS[*p as usize].into(),
        Val::Kind(k) => KINDS[*k as usize].into(),
        Val::Cell(c) => {
            let w = g.board.map_or(1, |b| b.0) as u8;
            format!("{}{}", (b'a' + c % w) as char, c / w + 1)
        }
        Val::Piece(p, k) => format!("Piece({}, {})", PLAYERS[*p as usize], KINDS[*k as usize]),
        Val::Set(s) if s.is_empty() => "{}".into(),
        Val::Set(s) => format!("{{ {} }}", s.iter().map(|x| val(g, x)).collect::<Vec<_>>().join(", ")),
    }
}

fn dom(g: &Game, d: &Dom) -> String {
    match d {
        Dom::Ty(t) => match t {
            Ty::Int(..) => format!("({})", ty(t)),
            _ => ty(t),
        },
        Dom::Set(e) => ex(g, e),
    }
}

fn step(dx: i64, dy: i64) -> &'static str {
    match (dx, dy) {
        (0, 1) => "N",
        (1, 1) => "NE",
        (1, 0) => "E",
        (1, -1) => "SE",
        (0, -1) => "S",
        (-1, -1) => "SW",
        (-1, 0) => "W",
        _ => "NW",
    }
}

fn keys(g: &Game, k: &[Ex]) -> String {
    if k.is_empty() { String::new() } else { format!("[{}]", list(g, k)) }
}

fn list(g: &Game, k: &[Ex]) -> String {
    k.iter().map(|e| bare(g, e)).collect::<Vec<_>>().join(", ")
}

/// Returns a term without its outer parentheses.
fn bare(g: &Game, e: &Ex) -> String {
    let s = ex(g, e);
    let outer = matches!(e, Ex::Bin(op, ..) if !matches!(op, Op::Min | Op::Max)) || matches!(e, Ex::Step(..));
    if outer { s[1..s.len() - 1].to_string() } else { s }
}

/// Returns the source of a term or a condition.
pub fn ex(g: &Game, e: &Ex) -> String {
    let x = |e: &Ex| ex(g, e);
    match e {
        Ex::Lit(Val::Int(n)) if *n < 0 => format!("({n})"),
        Ex::Lit(v) => val(g, v),
        Ex::Var(s) => s.clone(),
        Ex::Field(i, k) => format!("{}{}", g.fields[*i].name, keys(g, k)),
        Ex::Part(e, p) => format!("{}.{}", x(e), ["owner", "kind"][*p as usize]),
        Ex::Step(e, dx, dy) => format!("({} + {})", x(e), step(*dx, *dy)),
        Ex::Near(e) => format!("{}.neighbors", x(e)),
        Ex::Bin(op, a, b) => {
            let s = match op {
                Op::Add => "+",
                Op::Sub | Op::Diff => "-",
                Op::Mul => "*",
                Op::Mod => "mod",
                Op::Union => "|",
                Op::Inter => "&",
                Op::Range => "..",
                Op::Min => return format!("min({}, {})", bare(g, a), bare(g, b)),
                Op::Max => return format!("max({}, {})", bare(g, a), bare(g, b)),
            };
            format!("({} {s} {})", x(a), x(b))
        }
        Ex::Card(e) => format!("(#{})", x(e)),
        Ex::SetLit(v) if v.is_empty() => "{}".into(),
        Ex::SetLit(v) => format!("{{ {} }}", list(g, v)),
        Ex::Filter(v, d, f) => format!("{{ {v} in {} where {} }}", dom(g, d), x(f)),
        Ex::Fold(f, v, d, e) => {
            let w = match f {
                Fold::Count => "count",
                Fold::Sum => "sum",
                Fold::Min => "min",
                Fold::Max => "max",
            };
            format!("({w} {v} in {}: {})", dom(g, d), x(e))
        }
        Ex::If(c, a, b) => format!("(if {} then {} else {})", x(c), x(a), x(b)),
        Ex::Call(i, a) if a.is_empty() => g.defs[*i].name.clone(),
        Ex::Call(i, a) => format!("{}({})", g.defs[*i].name, list(g, a)),
        Ex::Me => "me".into(),
        Ex::Opponent => "opponent".into(),
        Ex::Mover => "mover".into(),
        Ex::Other(e) => format!("other({})", x(e)),
        Ex::Cmp(r, a, b) => {
            let s = match r {
                Rel::Eq => "=",
                Rel::Ne => "!=",
                Rel::Lt => "<",
                Rel::Le => "<=",
            };
            format!("({} {s} {})", x(a), x(b))
        }
        Ex::In(yes, a, b) => format!("({} {} {})", x(a), if *yes { "in" } else { "not in" }, x(b)),
        Ex::Not(a) => format!("(not {})", x(a)),
        Ex::And(v) => joined(g, v, " and ", "true"),
        Ex::Or(v) => joined(g, v, " or ", "false"),
        Ex::Implies(a, b) => format!("({} implies {})", x(a), x(b)),
        Ex::Quant(q, v, d, f) => {
            let w = match q {
                Quant::Some => "some",
                Quant::All => "all",
                Quant::No => "no",
            };
            format!("({w} {v} in {}: {})", dom(g, d), x(f))
        }
        Ex::Phase(i) => format!("(phase = {})", g.phases[*i].name),
        Ex::Stuck => "stuck".into(),
        Ex::StuckOf(e) => format!("stuck({})", x(e)),
    }
}

fn joined(g: &Game, v: &[Ex], word: &str, none: &str) -> String {
    match v {
        [] => none.into(),
        [e] => ex(g, e),
        _ => format!("({})", v.iter().map(|e| ex(g, e)).collect::<Vec<_>>().join(word)),
    }
}

fn target(g: &Game, t: &Tgt) -> String {
    let part = t.part.map_or("", |p| [".owner", ".kind"][p as usize]);
    format!("{}{}{part}", g.fields[t.field].name, keys(g, &t.keys))
}

fn stmts(g: &Game, body: &[St], depth: usize, o: &mut String) {
    let pad = "  ".repeat(depth);
    for s in body {
        o.push_str(&pad);
        match s {
            St::When(e) => writeln!(o, "when {};", ex(g, e)).unwrap(),
            St::Ensure(e) => writeln!(o, "ensure {};", ex(g, e)).unwrap(),
            St::Let(v, e) => writeln!(o, "let {v} = {};", ex(g, e)).unwrap(),
            St::Set(t, e) => writeln!(o, "{} := {};", target(g, t), ex(g, e)).unwrap(),
            St::Add(t, e) => writeln!(o, "{} += {};", target(g, t), ex(g, e)).unwrap(),
            St::Sub(t, e) | St::Take(t, e) => writeln!(o, "{} -= {};", target(g, t), ex(g, e)).unwrap(),
            St::Put(t, e) => writeln!(o, "{} |= {};", target(g, t), ex(g, e)).unwrap(),
            St::Shift(a, b) => writeln!(o, "{} <- {};", target(g, a), target(g, b)).unwrap(),
            St::If(c, a, b) => {
                writeln!(o, "if {} {{", ex(g, c)).unwrap();
                stmts(g, a, depth + 1, o);
                if b.is_empty() {
                    writeln!(o, "{pad}}}").unwrap();
                } else {
                    writeln!(o, "{pad}}} else {{").unwrap();
                    stmts(g, b, depth + 1, o);
                    writeln!(o, "{pad}}}").unwrap();
                }
            }
            St::For(v, d, c, b) => {
                let c = c.as_ref().map_or(String::new(), |c| format!(" where {}", ex(g, c)));
                writeln!(o, "for {v} in {}{c} {{", dom(g, d)).unwrap();
                stmts(g, b, depth + 1, o);
                writeln!(o, "{pad}}}").unwrap();
            }
            St::Then(b) => {
                o.push_str("then {\n");
                stmts(g, b, depth + 1, o);
                writeln!(o, "{pad}}}").unwrap();
            }
            St::Again => o.push_str("again;\n"),
            St::Continue(p) => writeln!(o, "continue {};", g.phases[*p].name).unwrap(),
            St::Next(e) => writeln!(o, "next {};", ex(g, e)).unwrap(),
        }
    }
}

fn end(g: &Game, e: &End) -> String {
    let (b, c, out) = match e {
        End::RepeatDraw => return "repeat => draw".into(),
        End::RepeatThird => return "repeat 3 => draw".into(),
        End::When(b, c, out) => (b, c, out),
    };
    let bind = b.as_ref().map_or(String::new(), |(v, d)| format!("for {v} in {} ", dom(g, d)));
    let out = match out {
        EndOutcome::Draw => "draw".into(),
        EndOutcome::Wins(e) => format!("{} wins", ex(g, e)),
        EndOutcome::Loses(e) => format!("{} loses", ex(g, e)),
        EndOutcome::Payoff(v, e) => format!("payoff {v}: {}", ex(g, e)),
        EndOutcome::Best(true, f) => format!("highest {}", g.fields[*f].name),
        EndOutcome::Best(false, f) => format!("lowest {}", g.fields[*f].name),
        EndOutcome::Win => "win".into(),
        EndOutcome::Lose => "lose".into(),
    };
    format!("{bind}when {} => {out}", ex(g, c))
}
