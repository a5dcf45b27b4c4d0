//! Describes a solution: the winner, the best moves, the method, and the status of the result.
//!
//! *Invariant:* the word "proved" is used only for a result that the independent checker accepted, together with the
//! claim that it accepted; all else is computed.

use std::fmt::Write as _;

use bouton_base::rational::Rational;

use super::mixed;
use super::numbers;
use super::proof::{AcceptedProof, Proof};
use super::solve::{SolvedPosition, equilibrium};
use super::words::{count_with_noun, format_bytes, group_digits, move_sequence, truncated_list};
use bouton_certificates::Tier;
use bouton_rules::Rules;
use bouton_search::game::{Game, State, ToMove};
use bouton_search::solve::histogram::ValueHistogram;
use bouton_search::solve::{
    Bounds, ComparedEquilibria, MoveValue, REQUESTED_REASON, Solution, Status, Value, ValueKind, WrittenMove,
};

/// The maximal number of best moves, and of moves of a line, to list.
const MAX_LISTED_MOVES: usize = 24;

/// The whole output of `solve`.
pub fn render(solved: &SolvedPosition<'_>) -> String {
    let SolvedPosition { game, solution, .. } = solved;
    let mut out = headline(game, solved.state, solution);
    out.push('\n');
    let mut line = |head: &str, words: &str| {
        let _ = writeln!(out, "  {head:<12}{words}");
    };
    if let Some(nimber) = solution.nimber {
        line("nimber", &nimber.to_string());
    }
    if let Some(length) = &solution.expected_length {
        line("length", &format!("{} plies on average", numbers::detailed(length)));
    }
    if let Some(margin) = &solution.margin {
        line("margin", &margin_words(&game.rules, solution, margin));
    }
    // Where a puzzle cannot be solved, every move is as good as the others.
    let is_hopeless = solution.value.as_ref().is_some_and(|value| value.kind == ValueKind::Unsolvable);
    if solution.is_answered() && !solution.best_moves.is_empty() && !is_hopeless {
        let (head, words) = best_moves(solved);
        line(head, &words);
    }
    // An equilibrium without a value is told by its play, though that may be one move of all players.
    let is_told_by_play = solution.value.is_none() && !solution.line.is_empty();
    if (solution.line.len() > 1 || is_told_by_play) && !is_hopeless {
        line("line", &play(solution));
    }
    mixed::lines(game, solution).iter().for_each(|(head, words)| line(head, words));
    for policy in solved.policies() {
        let lines = policy.lines(game.rules.players().len() == 1);
        for (place, words) in lines.iter().enumerate() {
            line(if place == 0 { "policy" } else { "" }, words);
        }
    }
    if let Some(strategy) = &solved.strategy {
        line("strategy", &strategy.statement);
    }
    // The reason for a strategy is the strategy.
    if solved.strategy.is_some() && !solution.strategy.is_empty() {
        line("method", solution.method);
    } else if !solution.why.is_empty() {
        line("method", &format!("{}: {}", solution.method, solution.why));
    }
    // A plan of which nobody knows that it is a shortest one.
    if let (Some(ValueKind::Solved), None, Some(reason)) =
        (solution.value.as_ref().map(|value| value.kind), solution.remoteness, &solution.reason)
    {
        line("moves", reason);
    }
    let seconds = solved.time.as_secs_f64();
    line(
        "searched",
        &format!(
            "{}{} in {seconds:.3} s, {}",
            count_with_noun(solution.positions, "position", "positions"),
            if solution.folded { ", one per symmetry class," } else { "" },
            format_bytes(solution.memory_bytes)
        ),
    );
    if solution.is_answered() || solved.proof.result.is_ok() {
        line("status", &standing(solved.proof));
        if let Some(certificate) = &solved.proof.certificate {
            line("certificate", certificate);
        }
    }
    if solved.all_moves && solution.moves.is_empty() && !solved.is_over() {
        line("moves", why_no_values(solved));
    }
    for value in &solution.moves {
        let _ = writeln!(out, "    {}", move_line(&game.rules, value));
    }
    out
}

/// The reason why no move has a value, and what to look at instead.
fn why_no_values(solved: &SolvedPosition<'_>) -> &'static str {
    let game = solved.game;
    if game.rules.has_hidden_information() {
        "a single move has no value of its own where something is hidden"
    } else if matches!(game.machine.turn(solved.state), Ok(ToMove::Simultaneous)) {
        "a single move has no value of its own where players choose at once"
    } else if solved.solution.why == REQUESTED_REASON {
        "their values are not available: leave out `--method`"
    } else {
        "this method gives no values of single moves"
    }
}

/// The status of the result.
fn standing(proof: &Proof) -> String {
    match &proof.result {
        Ok(proved) => {
            let looked = match proved.tier {
                Tier::Explicit if proved.listed == 0 => {
                    format!("after visiting {}", count_with_noun(proved.steps, "position", "positions"))
                }
                Tier::Explicit => format!("of {}", count_with_noun(proved.listed, "position", "positions")),
                Tier::Ground => format!("that covers {}", count_with_noun(proved.steps, "move", "moves")),
                Tier::Parametric => "for every size".into(),
            };
            let AcceptedProof { claim, kinds, .. } = proved;
            let computed =
                proved.computed.map_or(String::new(), |what| format!("; {what} is computed by search"));
            format!("proved: {claim}; the checker accepted a certificate {looked} ({kinds}){computed}")
        }
        Err(reason) => format!("computed by search, not checked independently: {reason}"),
    }
}

/// The verdict in one sentence.
pub fn headline(game: &Game, state: &State, solution: &Solution) -> String {
    let rules = &game.rules;
    let scope = numbers::scope(rules);
    let scope = if scope.is_empty() { String::new() } else { format!(" ({scope})") };
    let start = *state == game.machine.initial();
    let verdict = match (&solution.value, solution.status) {
        (Some(value), Status::Solved) => solved(game, state, value, solution, start),
        (None, Status::Solved) => "every requested position is solved".into(),
        (_, Status::Enclosed) => enclosed_sentence(rules, solution),
        (_, Status::Bounded) => bounded(rules, solution),
        _ if let Some(plies) = solution.no_win_within => {
            format!("nobody can force a win within {plies} {}", if plies == 1 { "ply" } else { "plies" })
        }
        _ => {
            let reason = solution.reason.as_deref().unwrap_or("a limit was reached");
            match (solution.has_all_equilibria(), equilibrium(solution)) {
                (true, _) => reason.into(),
                (false, Some(_)) => format!("no single value is known: {reason}"),
                (false, None) => format!("the answer is not known: {reason}"),
            }
        }
    };
    format!("{}{scope}: {verdict}.", rules.name)
}

fn solved(game: &Game, state: &State, value: &Value, solution: &Solution, start: bool) -> String {
    let remoteness = solution.remoteness;
    let turn = game.machine.turn(state);
    if let Ok(ToMove::Terminal(outcome)) = &turn {
        return format!(
            "the game is over: {}",
            bouton_search::game::draw::describe_outcome(&game.rules, outcome)
        );
    }
    let rules = &game.rules;
    let plies =
        |word: &str| remoteness.map(|r| format!(" {word} {}", count_with_noun(u64::from(r), "ply", "plies")));
    match value.kind {
        ValueKind::Win(winner) => {
            let mover = match turn {
                Ok(ToMove::Player(player)) => Some(player),
                _ => None,
            };
            let who = role(rules, winner, mover, start);
            let surely = if has_chance(rules) { " with probability 1" } else { " with best play" };
            format!("{who} wins{}", plies("in").unwrap_or(surely.into()))
        }
        ValueKind::Draw if rules.players().len() == 2 => "neither player can force a win: a draw".into(),
        ValueKind::Draw => "a draw with best play".into(),
        ValueKind::Payoff => {
            let wins = value.payoffs.first().and_then(|first| numbers::wins_exactly(rules, first));
            let wins = wins.map_or(String::new(), |wins| format!(": {wins}"));
            let play = match solution.compared {
                // Other equilibria may have other payoffs.
                ComparedEquilibria::PureStationary => "if each choice depends on the position alone,",
                ComparedEquilibria::NoChoice => "nobody ever has a choice, and",
                ComparedEquilibria::Pure | ComparedEquilibria::All => "with best play",
            };
            format!("{play} {}{wins}", payoff_list(rules, &value.payoffs, numbers::detailed))
        }
        ValueKind::Solved => match remoteness {
            Some(0) => "it is solved already".into(),
            Some(n) => {
                format!("it is solved in {} and no fewer", count_with_noun(u64::from(n), "move", "moves"))
            }
            None if has_chance(rules) => "it is solved with probability 1".into(),
            None => "it can be solved".into(),
        },
        ValueKind::Unsolvable => "it cannot be solved, however long one plays".into(),
    }
}

/// The winner's role: `the first player, X,` in the first position; `X, who is to move,` in another.
fn role(rules: &Rules, winner: u32, mover: Option<u32>, start: bool) -> String {
    let name = rules.players().get(winner as usize).map_or("?", String::as_str);
    match (mover, start, rules.players().len()) {
        (Some(mover), true, 2) if mover == winner => format!("the first player, {name},"),
        (Some(_), true, 2) => format!("the second player, {name},"),
        (Some(mover), false, _) if mover == winner => format!("{name}, who is to move,"),
        _ => name.to_string(),
    }
}

fn has_chance(rules: &Rules) -> bool {
    rules.moves.iter().any(|of| of.chance)
}

/// A value between bounds that are very close, as an entry of a list.
pub fn enclosed(rules: &Rules, low: &Rational, high: &Rational) -> String {
    numbers::wins(rules, low).unwrap_or_else(|| enclosed_payoff(rules, low, high))
}

/// A payoff of the first player between bounds that are very close, with the digits that are sure.
fn enclosed_payoff(rules: &Rules, low: &Rational, high: &Rational) -> String {
    let first = rules.players().first().map_or("the player", String::as_str);
    format!("{first} gets about {}", numbers::enclosed(low, high))
}

/// A value between bounds that are very close, as a sentence.
fn enclosed_sentence(rules: &Rules, solution: &Solution) -> String {
    let first = rules.players().first().map_or("the player", String::as_str);
    let Some(Bounds { low: Some(low), high: Some(high) }) = &solution.bounds else {
        return "the value is known to within 1e-9".into();
    };
    let wins = numbers::wins(rules, low).map_or(String::new(), |wins| format!(": {wins}"));
    format!("with best play {first} gets {} to within 1e-9{wins}", numbers::enclosed(low, high))
}

/// The bounds on the value of a game that is not solved, with the reason.
pub fn bounded(rules: &Rules, solution: &Solution) -> String {
    let first = rules.players().first().map_or("the player", String::as_str);
    let bounds = solution.bounds.as_ref();
    let low = bounds.and_then(|b| b.low.as_ref());
    let high = bounds.and_then(|b| b.high.as_ref());
    let both: Vec<String> = match low {
        // What the others get may still be open.
        Some(low) if Some(low) == high => vec![numbers::lower_bound(low)],
        _ => {
            let low = low.map(|bound| format!("at least {}", numbers::lower_bound(bound)));
            let high = high.map(|bound| format!("at most {}", numbers::upper_bound(bound)));
            low.into_iter().chain(high).collect()
        }
    };
    let reason = solution.reason.as_deref().unwrap_or("a limit was reached");
    let what = match rules.players() {
        [first, second] if solution.by_margin => format!("{first}'s score less {second}'s is"),
        _ => format!("{first} gets"),
    };
    format!("not solved, but {what} {} ({reason})", both.join(" and "))
}

fn payoff_list(rules: &Rules, payoffs: &[Rational], show: fn(&Rational) -> String) -> String {
    let each = rules.players().iter().zip(payoffs);
    each.map(|(name, payoff)| format!("{name} gets {}", show(payoff))).collect::<Vec<_>>().join(", ")
}

/// The winner and the margin; the rules decide whether the higher or the lower score wins.
fn margin_words(rules: &Rules, solution: &Solution, margin: &Rational) -> String {
    let by = margin.abs();
    let winner = match solution.value.as_ref().map(|value| value.kind) {
        Some(ValueKind::Win(winner)) => rules.players().get(winner as usize),
        _ => None,
    };
    winner.map_or(by.to_string(), |name| format!("{name} by {by}"))
}

fn names(moves: &[WrittenMove]) -> String {
    truncated_list(&moves.iter().map(|m| m.written.clone()).collect::<Vec<_>>(), MAX_LISTED_MOVES)
}

/// The best moves, with the head of their line; if others may be as good, the words say so.
fn best_moves(solved: &SolvedPosition<'_>) -> (&'static str, String) {
    let SolvedPosition { game, state, solution, all_moves, .. } = solved;
    let (names, one) = (names(&solution.best_moves), solution.best_moves.len() == 1);
    if solution.best_moves_complete {
        return (if one { "best move" } else { "best moves" }, names);
    }
    let mover = match game.machine.turn(state) {
        Ok(ToMove::Player(player)) => Some(player),
        _ => None,
    };
    let wins = match solution.value.as_ref().map(|value| value.kind) {
        Some(ValueKind::Win(winner)) => mover == Some(winner),
        Some(ValueKind::Solved) => true,
        _ => false,
    };
    let kind = match (wins, one) {
        (true, true) => "a winning move",
        (true, false) => "winning moves",
        (false, true) => "a best move",
        (false, false) => "best moves",
    };
    // Moves that keep the value may only put off the end.
    let knows_moves = solution.table.as_ref().is_some_and(|table| table.knows_moves(state));
    let others = match *all_moves || knows_moves {
        true if solution.limit.is_some() => "others not searched: a limit was reached first",
        true => "others may be as good",
        false => "others not searched: `--all-moves`",
    };
    ("moves", format!("{kind}: {names} ({others})"))
}

/// A line of play; its length is told where it is known.
fn play(solution: &Solution) -> String {
    let line = &solution.line;
    let words: Vec<&str> = line.iter().take(MAX_LISTED_MOVES).map(|m| m.written.as_str()).collect();
    let length = match solution.remoteness {
        Some(plies) => Some(plies as usize),
        None => solution.line_complete.then_some(line.len()),
    };
    match length {
        Some(length) if length > words.len() => {
            format!("{} ... ({} in all)", move_sequence(&words), group_digits(length as u64))
        }
        Some(_) => move_sequence(&words),
        None => format!("{} ... (cut short)", move_sequence(&words)),
    }
}

/// A move with its value: `a1  X wins in 5 plies`.
fn move_line(rules: &Rules, value: &MoveValue) -> String {
    let worth = match (&value.value, &value.bounds) {
        (Some(known), _) => value_words(rules, known, value.remoteness),
        (None, Some(Bounds { low: Some(low), high: Some(high) })) => enclosed_payoff(rules, low, high),
        _ => "not known".into(),
    };
    let nimber = value.nimber.map_or(String::new(), |nimber| format!(", nimber {nimber}"));
    format!("{:<12} {worth}{nimber}", value.made.written)
}

/// The value of a position, in a few words.
pub fn value_words(rules: &Rules, value: &Value, remoteness: Option<u32>) -> String {
    let name = |p: u32| rules.players().get(p as usize).map_or("?", String::as_str);
    let plies = |one, many| {
        remoteness.map_or(String::new(), |r| format!(" in {}", count_with_noun(u64::from(r), one, many)))
    };
    match value.kind {
        ValueKind::Win(winner) => format!("{} wins{}", name(winner), plies("ply", "plies")),
        ValueKind::Draw => "draw".into(),
        ValueKind::Payoff => value
            .payoffs
            .first()
            .and_then(|first| numbers::wins(rules, first))
            .unwrap_or_else(|| payoff_list(rules, &value.payoffs, numbers::brief)),
        ValueKind::Solved => format!("solved{}", plies("move", "moves")),
        ValueKind::Unsolvable => "cannot be solved".into(),
    }
}

/// The counts of all positions by value, for `--strong`, and by the player to move.
pub fn histogram(rules: &Rules, tally: &ValueHistogram) -> String {
    let mut out = String::new();
    for (value, count) in tally.by_value() {
        let _ = writeln!(out, "    {}: {}", value_words(rules, value, None), group_digits(count));
    }
    let movers = tally.groups.iter().filter(|kind| kind.mover.is_some());
    if rules.players().len() < 2 || movers.clone().count() == 0 {
        return out;
    }
    let counts_plies = movers.clone().any(|kind| kind.longest().is_some());
    let brackets = if counts_plies { ", the longest play in brackets" } else { "" };
    let _ = writeln!(out, "  by the player to move{brackets}:");
    for kind in movers {
        let name =
            kind.mover.and_then(|mover| rules.players().get(mover as usize)).map_or("?", String::as_str);
        let longest = kind.longest().map_or(String::new(), |plies| {
            format!(" ({})", count_with_noun(u64::from(plies), "ply", "plies"))
        });
        let worth = value_words(rules, &kind.value, None);
        let _ = writeln!(out, "    {name}: {worth}: {}{longest}", group_digits(kind.positions));
    }
    out
}
