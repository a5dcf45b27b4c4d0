//! Rules in the one form that is hashed, and how their games end.

use super::Digest;
use crate::rules::{ExprKind, MOVER, Outcome, Rules, Symmetry, print};

/// The text of all that play depends on: rules as data, printed, without what only claims, explains or draws.
///
/// Two texts that differ in spelling, order of clauses that is not looked at, comments or claims have the same hash.
pub fn canonical(rules: &Rules) -> String {
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
    bare.symmetry = Symmetry::Auto;
    bare.evaluate = None;
    bare.display.clear();
    bare.expectations.clear();
    bare.tests.clear();
    print::print(&bare)
}

impl Digest {
    /// The hash of rules.
    pub fn of_rules(rules: &Rules) -> Digest {
        Digest::of(canonical(rules).as_bytes())
    }
}

/// A name as it stands in one line of a text.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// How the games of these rules end; each proof says which it speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Only by having no move, and that loses.
    Normal,
    /// Only by having no move, and that wins.
    Misere,
    /// By conditions, with a win, a loss or a draw.
    Goal,
    /// By comparing scores, somewhere.
    Score,
    /// By payoffs, somewhere.
    Payoff,
}

impl Convention {
    /// All of them.
    pub(super) const ALL: [Convention; 5] =
        [Convention::Normal, Convention::Misere, Convention::Goal, Convention::Score, Convention::Payoff];

    /// The convention of these rules.
    pub fn of(rules: &Rules) -> Convention {
        let mut outcomes =
            rules.ends.iter().map(|e| &e.outcome).chain(rules.repeats.iter().map(|r| &r.outcome));
        if outcomes.clone().any(|o| matches!(o, Outcome::Payoff(_))) {
            return Convention::Payoff;
        }
        if outcomes.any(|o| matches!(o, Outcome::Best(..))) {
            return Convention::Score;
        }
        match rules.ends.as_slice() {
            [end] if rules.repeats.is_empty() && matches!(*end.condition.kind, ExprKind::Stuck) => {
                match &end.outcome {
                    Outcome::Player(who, wins) if matches!(*who.kind, ExprKind::Field(MOVER, _)) => {
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

    /// Its name in certificates.
    pub fn name(self) -> &'static str {
        match self {
            Convention::Normal => "normal",
            Convention::Misere => "misere",
            Convention::Goal => "goal",
            Convention::Score => "score",
            Convention::Payoff => "payoff",
        }
    }
}
