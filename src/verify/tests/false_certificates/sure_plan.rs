//! SURE-PLAN: plans that are too short or too long, that name no move or lose, and a player who learns from his moves.

use bouton_base::rational::Rational;
use bouton_certificates::{Claim, Lemma, PayoffBound, SurePlanLemma};

use super::{Mismatches, certificate, rules};

/// A hides something in one of three places, and B looks into three, one after the other.
const PLACES: &str = "game \"Places\"; players A, B; phases { hide by A; look by B; }\n\
    state { at: 1..3? = none visible to A; found: bool = false; looks: 0..3 = 0; }\n\
    private move hide(k: 1..3) in hide { at := k; continue look; }\n\
    move look(k: 1..3) in look { looks += 1; if k = at { found := true; } continue look; }\n\
    end { when found => B wins; when looks = 3 => A wins; }\n";

/// B may only say what is at least as much as the hidden number, so that his moves tell him of it.
const LEAK: &str = "game \"Leak\"; players A, B; phases { hide by A; say by B; }\n\
    state { at: 1..2? = none visible to A; said: 1..2? = none; }\n\
    private move hide(k: 1..2) in hide { at := k; continue say; }\n\
    move say(k: 1..2) in say { when k >= at; said := k; }\n\
    end { when said != none => B wins; }\n";

fn plan(holder: Option<u32>, choices: &[u32]) -> Vec<Lemma> {
    let bound = PayoffBound { holder, payoff: Rational::ONE };
    vec![Lemma::SurePlan(SurePlanLemma { bound, choices: choices.to_vec() })]
}

#[test]
fn false_sure_plans() {
    let mut wrong = Mismatches::default();
    let game = rules(PLACES);
    let wins = Claim::Wins { player: 1, plies: None };
    for order in [[0, 1, 2], [2, 0, 1]] {
        wrong.certificate("accepted: {}", &game, &certificate(&game, wins.clone(), plan(Some(1), &order)));
    }
    for (expected, choices) in [
        ("the game ends here, and its player gets less", &[0, 1, 1][..]),
        ("it lists too few choices", &[0, 1]),
        ("it lists more choices than its player has", &[0, 1, 2, 0]),
        ("its player has no move with number {number} there", &[0, 1, 3]),
    ] {
        wrong.lemma(expected, &game, plan(Some(1), choices));
    }
    wrong.lemma("a sure plan is one of a player", &game, plan(None, &[0, 1, 2]));
    wrong.lemma("there is no such player", &game, plan(Some(2), &[0, 1, 2]));
    // A knows where it is, and loses nevertheless.
    wrong.lemma("the game ends here, and its player gets less", &game, plan(Some(0), &[0]));
    let other = "its player has other moves here than where he sees the same";
    wrong.lemma(other, &rules(LEAK), plan(Some(1), &[0]));
}
