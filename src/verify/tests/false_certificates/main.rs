//! False and ill-formed certificates: for each condition of the reader and of the checker one that it refuses, with the
//! reason. `tests/source/reasons.rs` compares the reasons expected here with those of the source.
//!
//! A reason is expected as the source has it, with `{}` for each part that depends on the certificate.

mod alone;
mod behaviour;
mod bounds;
mod components;
mod distance;
mod equilibrium;
mod explicit;
mod forged;
mod forged_bodies;
mod form;
mod ground;
mod parametric;
mod permutation;
mod sure_plan;
mod values;

use std::sync::Arc;

use bouton_base::limits::Limits;
use bouton_base::rational::Rational;
use bouton_certificates::{
    Certificate, Claim, Convention, Digest, Header, Lemma, PayoffBound, PositionKey, StrategyReply, Tier,
    one_line,
};
use bouton_checker::{RulesFamily, Verdict, Verifier};
use bouton_project::RuleFiles;
use bouton_reference::{Interpreter, State};
use bouton_rules::{Rules, ToMove};

/// Returns the rules of a source.
fn rules(text: &str) -> Arc<Rules> {
    let mut files = RuleFiles::from_string("a game", text);
    let analysis = files.analyze(None);
    Arc::new(
        analysis
            .rules
            .unwrap_or_else(|| panic!("{text}\n{:?} {:?}", files.diagnostics, analysis.diagnostics)),
    )
}

/// Returns a certificate about the first position of a game.
fn certificate(rules: &Rules, claim: Claim, lemmas: Vec<Lemma>) -> Certificate {
    let header = Header {
        game: one_line(&rules.name),
        players: rules.players().to_vec(),
        rules: Digest::of_rules(rules),
        params: rules.params.iter().map(|(name, value)| (name.clone(), rules.show(value))).collect(),
        convention: Convention::of(rules),
        position: None,
        claim,
        tier: lemmas.iter().map(Lemma::tier).max().unwrap_or(Tier::Explicit),
    };
    Certificate { header, lemmas, text: None }
}

fn wins(player: u32) -> Claim {
    Claim::Wins { player, plies: None }
}

/// Returns the bound of a win.
fn win(player: u32) -> PayoffBound {
    PayoffBound { holder: Some(player), payoff: 1.into() }
}

/// Returns the claim that the last of these lemmas would prove.
fn statement(rules: &Rules, lemmas: &[Lemma]) -> Claim {
    let bound = match lemmas.last().cloned() {
        Some(Lemma::Reply(lemma)) => lemma.bound,
        Some(Lemma::Loopy(lemma)) => lemma.bound,
        Some(Lemma::Automaton(lemma)) => lemma.bound,
        Some(Lemma::Mirror(lemma)) => lemma.bound,
        Some(Lemma::Pairing(lemma)) => lemma.bound,
        Some(Lemma::Parity(lemma)) => lemma.bound,
        Some(Lemma::Permutation(lemma)) => lemma.bound,
        Some(Lemma::Answers(lemma)) => lemma.bound,
        Some(Lemma::Steal(lemma)) => lemma.bound,
        Some(Lemma::Sum(lemma)) => lemma.bound,
        Some(Lemma::Quotient(lemma)) => lemma.bound,
        Some(Lemma::Exchange(_)) => return Claim::Value(vec![0.into(); 2]),
        Some(Lemma::Product(lemma)) => {
            let total: Rational = lemma.components.iter().map(|of| of.value.clone()).sum();
            return Claim::Value(vec![total.clone(), -total]);
        }
        _ => win(0),
    };
    let Some(player) = bound.holder else { return Claim::Unsolvable };
    if Convention::of(rules) != Convention::Payoff && bound.payoff == 1.into() {
        return wins(player);
    }
    Claim::AtLeast { player, payoff: bound.payoff }
}

/// Returns the reason why the checker refuses a certificate.
fn reason(rules: &Arc<Rules>, family: Option<&dyn RulesFamily>, certificate: &Certificate) -> String {
    let verifier = match family {
        Some(family) => Verifier::of_family(rules, family),
        None => Verifier::new(rules),
    };
    match verifier.verify(certificate, &Limits::default(), None) {
        Verdict::Rejected(rejection) => rejection.reason,
        Verdict::Accepted(accepted) => format!("accepted: {}", accepted.claim),
        Verdict::Limit(hit) => hit.to_string(),
    }
}

/// Returns true if a reason has the form of a pattern with `{...}` for other parts.
fn fits(pattern: &str, reason: &str) -> bool {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some((piece, after)) = rest.split_once('{') {
        pieces.push(piece);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    let Some(mut left) = reason.strip_suffix(rest) else { return false };
    for (place, piece) in pieces.iter().enumerate() {
        match left.find(piece) {
            Some(at) if place > 0 || at == 0 => left = &left[at + piece.len()..],
            _ => return false,
        }
    }
    !pieces.is_empty() || left.is_empty()
}

/// The number of certificates that were refused, and the reasons that were not the expected ones.
#[derive(Default)]
struct Mismatches {
    refused: usize,
    wrong: Vec<String>,
}

impl Mismatches {
    /// Expects that these lemmas are refused for this reason, where all that they state is claimed.
    fn lemma(&mut self, expected: &str, rules: &Arc<Rules>, lemmas: impl Into<Vec<Lemma>>) {
        let lemmas = lemmas.into();
        self.certificate(expected, rules, &certificate(rules, statement(rules, &lemmas), lemmas));
    }

    fn certificate(&mut self, expected: &str, rules: &Arc<Rules>, certificate: &Certificate) {
        self.reason(expected, &reason(rules, None, certificate), &rules.name);
        if expected.starts_with("accepted") {
            forged::check_extremes(rules, None, certificate);
        }
    }

    fn reason(&mut self, expected: &str, reason: &str, name: &str) {
        self.refused += usize::from(!expected.starts_with("accepted"));
        if !fits(expected, reason) {
            self.wrong.push(format!("{name}\n  expected: {expected}\n  given:    {reason}"));
        }
    }
}

impl Drop for Mismatches {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            println!("{} certificates are refused", self.refused);
            assert!(self.wrong.is_empty(), "{} mismatches\n{}", self.wrong.len(), self.wrong.join("\n"));
        }
    }
}

/// Returns all positions that are not terminal, in the order of discovery.
fn positions(rules: &Arc<Rules>) -> Vec<State> {
    let of = Interpreter::new(rules.clone());
    let (mut seen, mut at) = (vec![of.initial()], 0);
    while at < seen.len() {
        for (_, after, _) in of.expand(&seen[at].clone()).expect("no fault").1 {
            if !seen.contains(&after) {
                seen.push(after);
            }
        }
        at += 1;
    }
    seen.retain(|state| !of.expand(state).expect("no fault").1.is_empty());
    seen
}

fn key(rules: &Arc<Rules>, state: &State) -> PositionKey {
    PositionKey(Interpreter::new(rules.clone()).pack(state))
}

/// Returns a strategy by which a player gets this much, for all positions that it reaches, if there is one.
fn strategy(rules: &Arc<Rules>, bound: PayoffBound) -> Vec<StrategyReply> {
    let interpreter = Interpreter::new(rules.clone());
    let mut replies = Vec::new();
    assert!(
        holds(&interpreter, bound, &interpreter.initial(), &mut replies),
        "{} has no strategy",
        rules.name
    );
    replies.sort_by(|a: &StrategyReply, b| a.key.cmp(&b.key));
    replies.dedup();
    replies
}

/// Returns true if the player can force the bound from a position, and adds the replies for it.
fn holds(
    interpreter: &Interpreter,
    bound: PayoffBound,
    state: &State,
    replies: &mut Vec<StrategyReply>,
) -> bool {
    let holder = bound.holder.expect("a holder");
    let (turn, moves) = interpreter.expand(state).expect("no fault");
    match turn {
        ToMove::Terminal(outcome) => outcome.payoffs[holder as usize] >= bound.payoff,
        ToMove::Player(player) if player == holder => moves.iter().any(|(play, after, _)| {
            let mut more = Vec::new();
            let good = holds(interpreter, bound.clone(), after, &mut more);
            if good {
                let key = PositionKey(interpreter.pack(state));
                replies.append(&mut more);
                replies.push(StrategyReply { key, rank: None, reply: interpreter.call_form(play) });
            }
            good
        }),
        _ => moves.iter().all(|(_, after, _)| holds(interpreter, bound.clone(), after, replies)),
    }
}

#[test]
fn patterns_fit_reasons() {
    assert!(fits("a {x} c", "a b c") && fits("{x} c", "a b c") && fits("a c", "a c"));
    assert!(!fits("a {x} c", "a b d") && !fits("a c", "a c d") && !fits("b {x}", "a b c"));
}
