//! Changes of certificates, of which none may prove what is false.

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_certificates::{Certificate, Claim, Digest, Lemma, PayoffBound, PositionKey};
use bouton_driver::load::GameSource;
use bouton_search::game::Game;
use bouton_search::solve::SolveOptions;
use bouton_search::solve::certify::{CertificateOptions, certificate};

use super::maker::Choices;
use super::{Known, Truth};
use crate::accepts;

/// The number of changes of a certificate.
const CHANGES: usize = 12;

/// Returns the reason why a claim is false; `None` if it is true, or not known to be false.
pub fn false_claim(truth: &Truth, claim: &Claim) -> Option<String> {
    let is_false = |player: u32, payoff: &Rational| truth.exceeds(player, payoff) == Some(true);
    let found = match claim {
        Claim::Wins { player, plies: None } => is_false(*player, &Rational::ONE),
        Claim::Wins { player, plies: Some(plies) } if truth.graph.players == 1 && !has_chance(truth) => {
            *player != 0 || truth.graph.fewest_moves().is_none_or(|moves| u64::from(moves) > *plies)
        }
        Claim::Wins { player, .. } => is_false(*player, &Rational::ONE),
        Claim::AtLeast { player, payoff } => is_false(*player, payoff),
        Claim::Between { low, high } => {
            let sum = truth.graph.constant_sum()?;
            is_false(0, low) || is_false(1, &(sum - high))
        }
        Claim::Value(payoffs) if payoffs.len() == 1 => match &truth.value {
            super::Known::Value { payoffs: value, .. } => value != payoffs,
            _ => false,
        },
        Claim::Value(payoffs) => (0..).zip(payoffs).any(|(player, payoff)| is_false(player, payoff)),
        Claim::Equilibria(all) => all.iter().any(|payoffs| is_no_equilibrium(truth, payoffs)),
        Claim::SolvedIn(moves) => truth.graph.fewest_moves().map(u64::from) != Some(*moves),
        Claim::Unsolvable => match &truth.value {
            super::Known::Value { payoffs, .. } => payoffs[0] != Rational::from_integer(-1),
            _ => false,
        },
        Claim::Period { .. } | Claim::Always { .. } => false,
    };
    found.then(|| format!("{claim:?}"))
}

/// Returns true if no equilibrium has these payoffs, as far as it is known: all have the only value, and give no player
/// less than he is sure of.
fn is_no_equilibrium(truth: &Truth, payoffs: &[Rational]) -> bool {
    match &truth.value {
        Known::Value { payoffs: value, .. } => value != payoffs,
        Known::Equilibria(all) if all[0].len() == 1 => all[0][0] != payoffs,
        Known::Equilibria(_) => (0..).zip(payoffs).any(|(player, payoff)| {
            truth.exceeds(player, payoff).is_some() && truth.graph.security(player) > *payoff
        }),
        _ => false,
    }
}

/// Moves a certificate to other positions of the game; the error is a false claim that the checker accepted.
pub fn move_to_other_positions(game: &Game, truth: &Truth, made: &Certificate) -> Result<(), String> {
    let Known::Value { positions: Some(values), .. } = &truth.value else { return Ok(()) };
    let (Claim::Value(payoffs), graph) = (&made.header.claim, &truth.graph) else { return Ok(()) };
    for (node, value) in graph.nodes.iter().zip(values).take(20) {
        let mut changed = made.clone();
        changed.header.position = Some(PositionKey(graph.interpreter.pack(&node.state)));
        if accepts(game, &changed).is_ok() && payoffs[0] != *value {
            return Err(format!("a certificate of another position proves what is false: {changed:#?}"));
        }
    }
    Ok(())
}

/// Forges proofs for a game in which something is hidden from those of the same game in the open; the error is a false
/// claim that the checker accepted.
pub fn forge_from_open_play(game: &Game, truth: &Truth, text: &str) -> Result<(), String> {
    let open = text.replace(" visible to p", "").replace(" hidden", "").replace("private ", "");
    let open = crate::of(GameSource::from_string("an open game", &open), &[]);
    if !game.rules.has_hidden_information() || open.rules.has_hidden_information() {
        return Ok(());
    }
    for name in ["auto", "dp", "alphabeta", "retrograde", "matrix"] {
        let options = SolveOptions { max_strategy_positions: 10_000, ..SolveOptions::default() };
        let (start, limits) = (open.machine.initial(), Limits::default());
        let solution = crate::solved(&open, &start, crate::method(name), &options, &limits);
        let wanted = CertificateOptions { strong: false, positions: None, limits: &limits };
        let Ok(mut made) = certificate(&open, &start, &solution, &wanted) else { continue };
        made.header.rules = Digest::of_rules(&game.rules);
        if let (Some(why), Ok(())) = (false_claim(truth, &made.header.claim), accepts(game, &made)) {
            return Err(format!("a proof of the open game by {name} proves what is false: {why}"));
        }
    }
    Ok(())
}

fn has_chance(truth: &Truth) -> bool {
    truth.graph.has(&bouton_search::game::ToMove::Chance)
}

/// Changes a certificate in several ways; the error is a false claim that the checker accepted.
pub fn mutate(game: &Game, truth: &Truth, made: &Certificate, seed: u64) -> Result<(), String> {
    let mut choices = Choices::new(seed ^ 0x5eed);
    for _ in 0..CHANGES {
        let mut changed = made.clone();
        for _ in 0..=choices.below(2) {
            change(&mut changed, &mut choices);
        }
        if choices.percent(50) {
            change_claim(&mut changed, &mut choices);
        }
        if let Some(why) = false_claim(truth, &changed.header.claim)
            && accepts(game, &changed).is_ok()
        {
            return Err(format!("a changed certificate proves what is false: {why}\n{changed:#?}"));
        }
    }
    Ok(())
}

/// Returns a number near another.
fn near(number: &Rational, choices: &mut Choices) -> Rational {
    let step = Rational::new(choices.between(-2, 2), [1, 1, 2, 6][choices.below(4) as usize]);
    if choices.percent(15) { -number } else { number + step }
}

/// Adds a number to all numbers of a bound and its proof.
fn shift(lemma: &mut Lemma, by: &Rational) {
    match lemma {
        Lemma::Values(lemma) => {
            lemma.bound.payoff = &lemma.bound.payoff + by;
            lemma.values.iter_mut().for_each(|value| value.value = &value.value + by);
        }
        Lemma::Table(lemma) => lemma.values.iter_mut().for_each(|value| value.value = &value.value + by),
        Lemma::Reply(lemma) => lemma.bound.payoff = &lemma.bound.payoff + by,
        Lemma::Loopy(lemma) => lemma.bound.payoff = &lemma.bound.payoff + by,
        Lemma::Behaviour(lemma) => lemma.bound.payoff = &lemma.bound.payoff + by,
        Lemma::Equilibrium(lemma) => {
            lemma.payoffs[0] = &lemma.payoffs[0] + by;
            lemma.positions.iter_mut().for_each(|position| position.payoffs[0] = &position.payoffs[0] + by);
        }
        _ => {}
    }
}

fn bound(lemma: &mut Lemma) -> Option<&mut PayoffBound> {
    match lemma {
        Lemma::Values(lemma) => Some(&mut lemma.bound),
        Lemma::Reply(lemma) => Some(&mut lemma.bound),
        Lemma::Loopy(lemma) => Some(&mut lemma.bound),
        Lemma::Behaviour(lemma) => Some(&mut lemma.bound),
        _ => None,
    }
}

/// Changes one thing in a certificate.
fn change(certificate: &mut Certificate, choices: &mut Choices) {
    let lemmas = certificate.lemmas.len() as u64;
    if lemmas == 0 {
        return;
    }
    if choices.percent(10) {
        certificate.lemmas.remove(choices.below(lemmas) as usize);
        return;
    }
    let lemma = &mut certificate.lemmas[choices.below(lemmas) as usize];
    match choices.below(8) {
        0 => return shift(lemma, &Rational::new(choices.between(-2, 2), 2)),
        1 => {
            if let Some(bound) = bound(lemma) {
                bound.holder = match bound.holder {
                    Some(0) if choices.percent(50) => Some(1),
                    Some(_) if choices.percent(50) => None,
                    _ => Some(0),
                };
            }
            return;
        }
        _ => {}
    }
    let one = |count: usize, choices: &mut Choices| choices.below(count as u64) as usize;
    match lemma {
        Lemma::Values(lemma) if !lemma.values.is_empty() => {
            let at = one(lemma.values.len(), choices);
            let other = lemma.values[one(lemma.values.len(), choices)].clone();
            match choices.below(5) {
                0 => lemma.values[at].value = near(&lemma.values[at].value, choices),
                1 => lemma.values[at].rank = choices.percent(70).then(|| choices.below(4)),
                2 => lemma.values[at].reply = other.reply,
                3 => lemma.values[at].value = other.value,
                _ => drop(lemma.values.remove(at)),
            }
            if choices.percent(30) {
                lemma.bound.payoff = near(&lemma.bound.payoff, choices);
                let first = lemma.values.first_mut();
                first.into_iter().for_each(|value| value.value = lemma.bound.payoff.clone());
            }
        }
        Lemma::Table(lemma) if !lemma.values.is_empty() => {
            let at = one(lemma.values.len(), choices);
            if choices.percent(80) {
                lemma.values[at].value = near(&lemma.values[at].value, choices);
            } else {
                lemma.values.remove(at);
            }
        }
        Lemma::Reply(lemma) if !lemma.answers.is_empty() => {
            let at = one(lemma.answers.len(), choices);
            let other = lemma.answers[one(lemma.answers.len(), choices)].reply.clone();
            match choices.below(3) {
                0 => lemma.answers[at].reply = other,
                1 => lemma.bound.payoff = near(&lemma.bound.payoff, choices),
                _ => drop(lemma.answers.remove(at)),
            }
        }
        Lemma::Loopy(lemma) => {
            if !lemma.answers.is_empty() {
                let at = one(lemma.answers.len(), choices);
                let other = lemma.answers[one(lemma.answers.len(), choices)].reply.clone();
                match choices.below(3) {
                    0 => lemma.answers[at].reply = other,
                    1 => lemma.answers[at].rank = choices.percent(60).then(|| choices.below(4)),
                    _ => drop(lemma.answers.remove(at)),
                }
            }
            if choices.percent(40) {
                lemma.bound.payoff = near(&lemma.bound.payoff, choices);
            }
        }
        Lemma::Equilibrium(lemma) if !lemma.positions.is_empty() => {
            let at = one(lemma.positions.len(), choices);
            let other = lemma.positions[one(lemma.positions.len(), choices)].clone();
            let position = &mut lemma.positions[at];
            match choices.below(6) {
                0 => position.rank = choices.below(4),
                1 => position.payoffs = other.payoffs,
                2 => position.choices = other.choices,
                3 => {
                    let player = one(position.payoffs.len(), choices);
                    position.payoffs[player] = near(&position.payoffs[player], choices);
                }
                4 if !position.choices.is_empty() => {
                    let player = one(position.choices.len(), choices);
                    let shares = &mut position.choices[player].0;
                    let (from, to) = (one(shares.len(), choices), one(shares.len(), choices));
                    shares.swap(from, to);
                }
                _ => drop(lemma.positions.remove(at)),
            }
            let player = one(lemma.payoffs.len(), choices);
            if choices.percent(50) {
                lemma.payoffs[player] = near(&lemma.payoffs[player], choices);
            }
        }
        Lemma::Behaviour(lemma) => {
            if !lemma.choices.is_empty() {
                let at = one(lemma.choices.len(), choices);
                let shares = &mut lemma.choices[at];
                let (from, to) = (one(shares.len(), choices), one(shares.len(), choices));
                let moved = Rational::new(choices.between(-2, 3), 3);
                shares[from] = &shares[from] - &moved;
                if choices.percent(80) {
                    shares[to] = &shares[to] + &moved;
                }
            }
            if choices.percent(60) {
                lemma.bound.payoff = near(&lemma.bound.payoff, choices);
            }
        }
        _ => {}
    }
}

/// Changes the claim, and often the bounds that prove it.
fn change_claim(certificate: &mut Certificate, choices: &mut Choices) {
    let players = certificate.header.players.len() as u64;
    let player = choices.below(players) as u32;
    certificate.header.claim = match (&certificate.header.claim, choices.below(5)) {
        (_, 0) => Claim::Wins { player, plies: choices.percent(30).then(|| choices.below(6)) },
        (_, 1) => Claim::AtLeast { player, payoff: Rational::new(choices.between(-3, 6), 2) },
        (_, 2) if players == 1 => {
            [Claim::Unsolvable, Claim::SolvedIn(choices.below(5))][choices.below(2) as usize].clone()
        }
        (Claim::Value(payoffs), _) => {
            let by = Rational::new(choices.between(-3, 3), 2);
            let bounds = certificate.lemmas.iter_mut().filter_map(bound);
            if choices.percent(60) {
                for bound in bounds {
                    bound.payoff =
                        if bound.holder == Some(1) { &bound.payoff - &by } else { &bound.payoff + &by };
                }
            }
            let of = |(at, payoff): (usize, &Rational)| if at == 0 { payoff + &by } else { payoff - &by };
            Claim::Value(payoffs.iter().enumerate().map(of).collect())
        }
        (Claim::Equilibria(_), _) => {
            let payoffs = |lemma: &Lemma| match lemma {
                Lemma::Equilibrium(lemma) => Some(lemma.payoffs.clone()),
                _ => None,
            };
            Claim::Equilibria(certificate.lemmas.iter().filter_map(payoffs).collect())
        }
        (Claim::Between { low, high }, _) => {
            Claim::Between { low: near(low, choices), high: near(high, choices) }
        }
        (claim, _) => claim.clone(),
    };
}
