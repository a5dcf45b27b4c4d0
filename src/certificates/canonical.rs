//! The canonical form of rules for hashing, and the convention by which their games end.

use super::Digest;
use super::codec::named_words;
use bouton_rules::{ExprKind, MOVER, OutcomeExpr, Rules, SymmetryClaim, print};

/// Returns the text of everything that play depends on: the rules as data, printed, without claims, explanations and
/// display.
///
/// Two sources that differ in spelling, in the order of clauses whose order does not matter, in comments or in claims
/// have the same hash.
pub fn canonical_form(rules: &Rules) -> String {
    let mut bare = rules.clone();
    bare.doc.clear();
    for id in bare.fields.ids() {
        bare.fields[id].doc.clear();
    }
    for id in bare.defs.ids() {
        bare.defs[id].doc.clear();
    }
    for id in bare.moves.ids() {
        bare.moves[id].doc.clear();
        bare.moves[id].forcing = false;
    }
    bare.invariants.clear();
    bare.symmetry = SymmetryClaim::Auto;
    bare.evaluate = None;
    bare.display.clear();
    bare.expectations.clear();
    bare.tests.clear();
    print::print(&bare)
}

impl Digest {
    /// Returns the hash of the canonical form of rules.
    pub fn of_rules(rules: &Rules) -> Digest {
        Digest::of(canonical_form(rules).as_bytes())
    }
}

/// Replaces control characters in a name by spaces, so that it fits on a line.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The way in which games of these rules end; each proof is for one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Only by lack of a move, and the player to move loses.
    Normal,
    /// Only by lack of a move, and the player to move wins.
    Misere,
    /// By conditions, with a win, a loss or a draw.
    Goal,
    /// By comparison of scores, in at least one rule.
    Score,
    /// By payoffs, in at least one rule.
    Payoff,
}

impl Convention {
    /// Returns the convention of these rules.
    pub fn of(rules: &Rules) -> Convention {
        let mut outcomes =
            rules.ends.iter().map(|e| &e.outcome).chain(rules.repeats.iter().map(|r| &r.outcome));
        if outcomes.clone().any(|o| matches!(o, OutcomeExpr::Payoff(_))) {
            return Convention::Payoff;
        }
        if outcomes.any(|o| matches!(o, OutcomeExpr::ByScore(..))) {
            return Convention::Score;
        }
        match rules.ends.as_slice() {
            [end] if rules.repeats.is_empty() && matches!(*end.condition.kind, ExprKind::Stuck) => {
                match &end.outcome {
                    OutcomeExpr::Player(who, wins) if matches!(*who.kind, ExprKind::Field(MOVER, _)) => {
                        if *wins {
                            Convention::Misere
                        } else {
                            Convention::Normal
                        }
                    }
                    _ => Convention::Goal,
                }
            }
            _ => Convention::Goal,
        }
    }
}

named_words!(Convention {
    Normal "normal",
    Misere "misere",
    Goal "goal",
    Score "score",
    Payoff "payoff"
});
