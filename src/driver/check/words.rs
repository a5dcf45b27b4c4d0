//! Renders the findings of exploring as diagnostics, each with the shortest play, the position, and the extent of the
//! search.

use num_rational::Rational64;

use super::sight::Confused;
use super::symmetry::Refuted;
use super::watch::{Found, Watch, What};
use crate::base::limits::LimitHit;
use crate::diag::{Code, Diagnostic};
use crate::driver::faults::{fault_found, stuck, whole, with_witness};
use crate::driver::lines;
use crate::driver::load::Text;
use crate::game::explore::Explored;
use crate::game::names::call_form;
use crate::game::{Game, Play, State};
use crate::report::words::grouped;
use crate::rules::{EndRule, Expr, ExprKind, Outcome};

/// Describes the extent of the exploration, and never claims more.
pub fn how_far(seen: &Explored, complete: bool, limit: Option<LimitHit>) -> String {
    let count = grouped(u64::from(seen.visited));
    match (complete, limit) {
        (true, _) if seen.visited == 1 => "the only position".into(),
        (true, _) => format!("all {count} positions"),
        (false, Some(hit)) => format!("the first {count} positions ({hit})"),
        (false, None) => format!("the first {count} positions"),
    }
}

/// Adds the diagnostics of the visitor's findings.
pub fn found(
    text: &Text,
    game: &Game,
    watch: &Watch<'_>,
    seen: &Explored,
    how_far: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for found in watch.found.iter().filter(|found| !watch.is_meant(found)) {
        diagnostics.push(finding(text, game, found, seen, how_far));
    }
    if let Some(ring) = watch.graph.as_ref().and_then(|graph| graph.endless()) {
        diagnostics.push(endless(text, game, seen, &ring));
    }
}

fn finding(text: &Text, game: &Game, found: &Found, seen: &Explored, how_far: &str) -> Diagnostic {
    let state = seen.arena.state(found.at);
    let mut then = None;
    let diagnostic = match &found.what {
        What::Fault(fault) => {
            then = fault.play.as_deref();
            fault_found(game, fault)
        }
        What::Stuck => stuck(text, game),
        What::Invariant(place) => invariant(game, *place, &state),
        What::OddSum(sum, payoffs) => odd_sum(text, game, *sum, payoffs),
        What::TwoAnswers { first, other, taken, passed_over } => {
            two_answers(game, (*first, *other), (taken, passed_over))
        }
        What::Twins(name, one, two) => twins(text, game, name, (one, two)),
    };
    let diagnostic =
        with_witness(text, game, diagnostic, &game.machine.initial(), &seen.shortest_play(found.at), then);
    let like = match found.count {
        1 => ", of which this one is like this".to_string(),
        n => format!(", of which {} are like this", grouped(n)),
    };
    diagnostic.note(format!("explored: {how_far}{like}"))
}

/// W0340: payoffs that do not sum to 0.
fn odd_sum(text: &Text, game: &Game, sum: Rational64, payoffs: &[Rational64]) -> Diagnostic {
    let each: Vec<String> = payoffs.iter().map(ToString::to_string).collect();
    let pays = |rule: &&EndRule| matches!(rule.outcome, Outcome::Payoff(_));
    let span = game.rules.ends.iter().find(pays).map_or(whole(text, game), |rule| rule.span);
    let label = format!("({}) here", each.join(", "));
    Diagnostic::new(Code::W0340, format!("payoffs sum to {sum}, not 0"), span, label)
        .help("methods for zero-sum games do not apply; `payoff p: e[p] - e[other(p)]` would be zero-sum")
}

/// W0530: two end rules, with the result of each.
fn two_answers(
    game: &Game,
    (first, other): (usize, usize),
    (taken, passed_over): (&str, &str),
) -> Diagnostic {
    let ends = &game.rules.ends;
    let title = format!("both `{taken}` and `{passed_over}` apply here; the first is taken");
    let found = if first == other {
        Diagnostic::new(Code::W0530, title, ends[first].span, "this rule holds for both")
    } else {
        Diagnostic::new(Code::W0530, title, ends[other].span, "this rule holds as well ...")
            .label(ends[first].span, "... and this one decides")
    };
    found.help("say in the later rule when it does not apply, or `// allow(W0530): reason`")
}

/// W0540: two moves with the same name.
fn twins(text: &Text, game: &Game, name: &str, (one, two): (&Play, &Play)) -> Diagnostic {
    let span = match one {
        Play::Move(id, _) => game.rules.moves[*id].span,
        _ => whole(text, game),
    };
    let label = format!("`{}` and `{}`", call_form(&game.rules, one), call_form(&game.rules, two));
    Diagnostic::new(Code::W0540, format!("two moves are both called `{name}` here"), span, label)
        .help("put into the `as` template what tells them apart")
}

/// E0504: an invariant that fails, with the values of both sides if it is a comparison.
fn invariant(game: &Game, place: usize, state: &State) -> Diagnostic {
    let invariant = &game.rules.invariants[place];
    let title = match &invariant.name {
        Some(name) => format!("the invariant `{name}` fails"),
        None => "this invariant fails".into(),
    };
    let value = |e: &Expr| lines::value(game, state, e);
    let sides = match &*invariant.value.kind {
        ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
        ExprKind::Not(inner) => match &*inner.kind {
            ExprKind::Equal(a, b) | ExprKind::Less(a, b) | ExprKind::LessEqual(a, b) => Some((a, b)),
            _ => None,
        },
        ExprKind::In(a, b) | ExprKind::Subset(a, b) => Some((a, b)),
        _ => None,
    };
    let label = match sides {
        Some((a, b)) => format!("here: {} on the left, {} on the right", value(a), value(b)),
        None => "false here".into(),
    };
    Diagnostic::new(Code::E0504, title, invariant.span, label)
        .help("mend the move that breaks it, or the invariant if it claims too much")
}

/// E0507: a refuted symmetry, with a position and its image that differ.
pub fn no_symmetry(text: &Text, game: &Game, seen: &Explored, refuted: &Refuted) -> Diagnostic {
    let title =
        format!("the declared symmetry is none: no exchange of cells of `{}` keeps the game", refuted.board);
    let image = crate::game::draw::draw(game, &refuted.image);
    let image: Vec<String> = image.lines().map(|line| format!("    {line}")).collect();
    let found = Diagnostic::new(Code::E0507, title, refuted.span, "refuted by a position")
        .note(format!("its image, which differs in its result or its moves:\n{}", image.join("\n")))
        .help("remove it, or write `symmetry auto;`");
    with_witness(text, game, found, &game.machine.initial(), &seen.shortest_play(refuted.at), None)
}

/// E0505: endless play without a rule for it, with the moves of the loop.
fn endless(text: &Text, game: &Game, seen: &Explored, ring: &[u32]) -> Diagnostic {
    let mut moves = Vec::new();
    for (i, &at) in ring.iter().enumerate() {
        let state = seen.arena.state(at);
        let next = seen.arena.state(ring[(i + 1) % ring.len()]);
        let successors = game.machine.successors(&state).unwrap_or_default();
        if let Some(made) = successors.iter().find(|s| s.state == next) {
            moves.push(game.written(&state, &made.play));
        }
    }
    let span = game.rules.ends.last().map_or(whole(text, game), |rule| rule.span);
    let plies = if ring.len() == 1 { "1 ply".to_string() } else { format!("{} plies", ring.len()) };
    let found = Diagnostic::new(
        Code::E0505,
        format!("the play can go on for ever (a loop of {plies}) and no `repeat` rule says what it is worth"),
        span,
        "no rule for endless play",
    )
    .help("add `repeat => draw;` (or another outcome) to `end`, or `forbid repeat of ...;`")
    .note(format!("the loop: {}, and so on", moves.join(" ")));
    with_witness(text, game, found, &game.machine.initial(), &seen.shortest_play(ring[0]), None)
}

/// E0520: legal moves that depend on hidden state, with both plays.
pub fn confused(text: &Text, game: &Game, confused: &Confused) -> Diagnostic {
    let player = &game.rules.players()[confused.player as usize];
    let (state, play) = &confused.only;
    let name = game.written(state, play);
    let span = match play {
        Play::Move(id, _) => game.rules.moves[*id].span,
        _ => whole(text, game),
    };
    let initial = game.machine.initial();
    let tell = |line| lines::tell(game, &initial, line).words.join(" ");
    Diagnostic::new(
        Code::E0520,
        format!("{player} cannot tell two positions apart, but may `{name}` only in one"),
        span,
        format!("legal after one of the plays only, though both look the same to {player}"),
    )
    .note(format!("one play: {}", tell(&confused.first)))
    .note(format!("the other: {}", tell(&confused.second)))
    .help(format!(
        "show {player} what the move depends on (`visible to {player}`), or make it depend on what is seen"
    ))
}
