//! Claims about random games, of which `test` may pass none that is false and fail none that is true.

use std::time::Duration;

use bouton_base::rational::Rational;
use bouton_driver::load::GameSource;
use bouton_search::game::ToMove;

use super::maker::Choices;
use super::oracle::Payoffs;
use super::{Known, Truth, normal_play};
use crate::tested;

/// A claim with its truth; `None` if that is not known.
pub type JudgedClaim = (String, Option<bool>);

/// Tests claims about a game; the error is a false verdict.
pub fn compare(text: &str, truth: &Truth, seed: u64) -> Result<(), String> {
    let mut claims = claims(truth, &mut Choices::new(seed ^ 0xc1a1));
    claims.extend(claims_of_wins(truth));
    claims.extend(normal_play::claims(truth, text));
    let lines: Vec<String> = claims.iter().map(|(claim, _)| format!("expect {claim};")).collect();
    let whole = format!("{text}{}\n", lines.join("\n"));
    let report = tested(&mut GameSource::from_string("a game", &whole), Duration::from_secs(20));
    if !report.errors.is_empty() {
        return Err(format!("the claims are refused: {:?}", report.errors));
    }
    let mut start = text.len();
    for ((claim, truth), line) in claims.iter().zip(&lines) {
        let place = start..start + line.len();
        start += line.len() + 1;
        let within = |span: bouton_base::source::Span| place.contains(&(span.start as usize));
        let failed = report.failures.iter().any(|of| of.labels.iter().any(|label| within(label.span)));
        let unknown = report.unknown.iter().any(|of| within(of.span));
        let verdict = if failed { Some(false) } else { (!unknown).then_some(true) };
        if let (Some(verdict), Some(truth)) = (verdict, truth)
            && verdict != *truth
        {
            return Err(format!("`{claim}` is {truth}, and the verdict is {verdict}: {report:#?}"));
        }
    }
    Ok(())
}

/// Returns claims about a game.
fn claims(truth: &Truth, choices: &mut Choices) -> Vec<JudgedClaim> {
    let results: Option<Vec<Payoffs>> = match &truth.value {
        Known::Value { payoffs, .. } => Some(vec![payoffs.clone()]),
        Known::Equilibria(all) => Some(all[0].clone()),
        Known::Stationary(all) => Some(all.clone()),
        _ => None,
    };
    // A claim is true if all results satisfy it, and false if none does.
    let judge = |holds: &dyn Fn(&Payoffs) -> bool| {
        let results = results.as_ref()?;
        let held = results.iter().filter(|payoffs| holds(payoffs)).count();
        if held == 0 { Some(false) } else { (held == results.len()).then_some(true) }
    };
    let names = &["A", "B", "C"][..truth.graph.players];
    let mut claims = Vec::new();
    let one = Rational::ONE;
    for (player, name) in names.iter().enumerate() {
        claims.push((format!("{name} wins"), judge(&|payoffs| payoffs[player] == one)));
        claims.push((format!("{name} loses"), judge(&|payoffs| payoffs[player] == -&one)));
    }
    claims.push(("draw".into(), judge(&|payoffs| payoffs.iter().all(Rational::is_zero))));
    let base = results.as_ref().and_then(|all| all.first()).map_or(Rational::default(), |of| of[0].clone());
    for step in [Rational::default(), Rational::new(choices.between(-4, 4), 3)] {
        let number = &base + &step;
        let written = number.to_string();
        claims.push((format!("value = {written}"), judge(&|payoffs| payoffs[0] == number)));
        claims.push((format!("value < {written}"), judge(&|payoffs| payoffs[0] < number)));
        claims.push((format!("value >= {written}"), judge(&|payoffs| payoffs[0] >= number)));
        claims.push((format!("value != {written}"), judge(&|payoffs| payoffs[0] != number)));
    }
    if let Some(payoffs) = results.as_ref().and_then(|all| all.first()) {
        let list: Vec<String> = payoffs.iter().map(ToString::to_string).collect();
        claims.push((format!("value = [{}]", list.join(", ")), judge(&|of| of == payoffs)));
    }
    let (alone, chance) = (truth.graph.players == 1, truth.graph.has(&ToMove::Chance));
    if alone && !chance && !matches!(truth.value, Known::Nothing(_)) {
        let moves = truth.graph.fewest_moves();
        for number in 0..4 {
            claims.push((format!("solved in {number}"), truth.wins_matter().then(|| moves == Some(number))));
        }
    }
    claims
}

/// Returns claims about the length of wins of two players who take turns.
fn claims_of_wins(truth: &Truth) -> Vec<JudgedClaim> {
    let graph = &truth.graph;
    let by_chance = graph.has(&ToMove::Chance) || graph.has(&ToMove::Simultaneous);
    let known = matches!(truth.value, Known::Value { positions: Some(_), .. });
    if graph.players != 2 || by_chance || !truth.wins_matter() || !known {
        return Vec::new();
    }
    let mut claims = Vec::new();
    for (player, name) in (0..).zip(["A", "B"]) {
        let plies = graph.plies_to_win(player);
        for number in (0..3).chain(plies).chain(plies.map(|plies| plies + 1)) {
            claims.push((format!("{name} wins in {number}"), Some(plies == Some(number))));
        }
    }
    claims
}
