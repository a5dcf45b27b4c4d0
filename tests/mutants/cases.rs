//! The games that mutants solve, and the truth about them.

use serde_json::Value;

/// A file, a method, settings. Each method and each kind of certificate is among them.
pub const CASES: &[&str] = &[
    "games/tictactoe.bou auto",
    "games/tictactoe.bou alphabeta",
    "games/tictactoe.bou mtd-f",
    "games/tictactoe.bou retrograde",
    "games/nim.bou auto",
    "games/nim.bou nim",
    "games/nim.bou grundy",
    "games/chomp.bou auto",
    "games/chomp.bou and-or",
    "games/chomp.bou dfpn",
    "games/chomp.bou steal",
    "games/wythoff.bou auto",
    "games/wythoff.bou grundy",
    "games/subtraction.bou auto",
    "games/subtraction.bou alphabeta",
    "games/subtraction.bou pairing",
    "games/kayles.bou auto",
    "games/kayles.bou grundy",
    "games/kayles.bou nim",
    "games/kayles.bou symmetry",
    "games/dawsons_kayles.bou nim",
    "games/treblecross.bou auto",
    "games/treblecross.bou nim",
    "games/cram.bou auto",
    "games/cram.bou symmetry",
    "games/cram.bou nim",
    "games/domineering.bou auto cols=4 rows=3",
    "games/domineering.bou partizan cols=3 rows=3",
    "games/domineering.bou symmetry cols=4 rows=4",
    "games/toads_and_frogs.bou auto",
    "games/toads_and_frogs.bou partizan",
    "games/hatch.bou auto",
    "games/hatch.bou dfpn-plus",
    "games/two_plies.bou auto",
    "games/matching_pennies.bou matrix",
    "games/goofspiel.bou auto n=3",
    "games/kuhn_poker.bou auto",
    "games/liars_dice.bou sequence-form faces=2",
    "games/maze.bou breadth-first",
    "games/maze.bou auto",
    "games/blocks_world.bou auto n=3",
    "games/row_of_cells.bou auto",
    "games/row_of_cells.bou automaton",
    "games/hex.bou auto n=3",
    "games/hex.bou pns n=3",
    "games/hex.bou pn2 n=3",
    "games/hex.bou lambda n=3",
    "games/hex.bou steal n=3",
    "games/hex.bou auto n=2 swap=true",
    "games/gomoku.bou auto m=3 n=3 k=3",
    "games/gomoku.bou pairing m=4 n=4 k=4",
    "games/gomoku.bou lambda m=4 n=3 k=3",
    "games/connect_four.bou auto cols=3 rows=3 k=3",
    "games/connect_four.bou pds cols=3 rows=3 k=3",
    "games/connect_four.bou pn-star cols=3 rows=3 k=3",
    "games/connect_four.bou alphabeta cols=4 rows=3",
    "games/connect_four.bou symmetry cols=4 rows=4",
    "games/breakthrough.bou auto cols=2 rows=5",
    "games/breakthrough.bou widening cols=3 rows=4",
    "games/breakthrough.bou focused cols=2 rows=5",
    "games/dodgem.bou auto n=2",
    "games/dodgem.bou retrograde n=2",
    "games/three_mens_morris.bou retrograde",
    "games/hare_and_hounds.bou retrograde",
    "games/kalah.bou scores m=2 s=2",
    "games/kalah.bou auto m=2 s=2",
    "games/dots_and_boxes.bou auto",
    "games/dots_and_boxes.bou scores",
    "games/isola.bou auto cols=3 rows=3",
    "games/isola.bou dual-lambda cols=3 rows=3",
    "games/amazons.bou auto n=3",
    "games/chocolate.bou auto",
    "games/chocolate.bou nim",
    "games/double_tictactoe.bou product",
    "games/fox_and_geese.bou parity",
    "games/dice_race.bou interval length=3",
    "games/dice_race.bou auto length=3",
    "games/pig.bou auto goal=4",
    "games/coin_toss.bou auto",
    "games/kuhn_poker.bou auto",
    "games/rock_paper_scissors.bou auto",
    "games/goofspiel.bou auto n=3",
    "games/tic_tic_toe.bou symmetry",
    "games/sliding_puzzle.bou breadth-first",
    "games/sliding_puzzle.bou permutation n=2 start=[3,2,1,0]",
    "games/lights_out.bou parity n=4 dark={1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}",
    "games/hanoi.bou astar n=3",
    "games/hanoi.bou breadth-first n=3",
    "games/pancakes.bou astar",
    "games/monty_hall.bou auto",
    "games/monty_hall.bou cfr",
    "games/grundy.bou auto",
    "games/incredible.bou auto",
];

/// The truth about a game, from the answers of all methods without a mutant.
#[derive(Clone, Default, Debug)]
pub struct Truth {
    value: Option<Value>,
    /// The least number of plies within which a method proved a win.
    plies: Option<u64>,
    /// The claims that were accepted without a mutant.
    claims: Vec<String>,
}

impl Truth {
    /// Returns the truth for each case.
    pub fn of_cases(answers: &[Value]) -> Vec<Truth> {
        let game = |case: &str| {
            let mut words: Vec<&str> = case.split_whitespace().collect();
            words.remove(1);
            words.join(" ")
        };
        let of_game = |name: &str| {
            let mut truth = Truth::default();
            for (case, answer) in super::CASES.iter().zip(answers).filter(|(case, _)| game(case) == name) {
                if answer["status"] == "solved" && !answer["value"].is_null() {
                    let value = Some(answer["value"].clone());
                    assert!(truth.value.is_none() || truth.value == value, "{case}: {answer}");
                    truth.value = value;
                }
                let claim = answer["accepted"].as_str().map(str::to_owned);
                let plies = [answer["remoteness"].as_u64(), claim.as_deref().and_then(plies)];
                truth.plies = plies.into_iter().flatten().chain(truth.plies).min();
                truth.claims.extend(claim);
            }
            truth
        };
        super::CASES.iter().map(|case| of_game(&game(case))).collect()
    }

    /// Returns true if the answer states another value as solved.
    pub fn denies_value(&self, answer: &Value) -> bool {
        answer["status"] == "solved"
            && !answer["value"].is_null()
            && self.value.as_ref().is_some_and(|value| *value != answer["value"])
    }

    /// Returns a claim that was accepted, or called proved, and is false.
    pub fn falsehood(&self, answer: &Value) -> Option<String> {
        let claims = [answer["accepted"].as_str(), answer["called_proved"].as_str()];
        let wrong = |claim: &&str| {
            !self.encloses(claim)
                && !self.gives(claim)
                && !self.claims.iter().any(|known| follows(claim, known, self.plies))
        };
        claims.into_iter().flatten().find(wrong).map(str::to_owned)
    }

    /// Returns true if a claim is like `Ann gets between -1/2 and 1` and the value lies there.
    fn encloses(&self, claim: &str) -> bool {
        let parts = || {
            let (player, bounds) = claim.split_once(" gets between ")?;
            let (low, high) = bounds.split_once(" and ")?;
            Some((number(low)?, self.payoff(player)?, number(high)?))
        };
        parts().is_some_and(|(low, value, high)| low <= value && value <= high)
    }

    /// Returns true if a claim is like `there is an equilibrium in which Ann gets 1, Bob gets -1 (...)` and these payoffs
    /// are the value: in a game of two players with a constant sum all equilibria have it.
    fn gives(&self, claim: &str) -> bool {
        let has = |words: &str| {
            let (player, payoff) = words.split_once(" gets ")?;
            Some(number(payoff)? == self.payoff(player)?)
        };
        let payoffs =
            claim.strip_prefix("there is an equilibrium in which ").and_then(|rest| rest.split_once(" ("));
        payoffs.is_some_and(|(payoffs, _)| payoffs.split(", ").all(|words| has(words) == Some(true)))
    }

    /// The value of this player.
    fn payoff(&self, player: &str) -> Option<f64> {
        let value = &self.value.as_ref()?[player];
        value.as_f64().or_else(|| number(value.as_str()?))
    }
}

/// Reads a number like `-1/2`.
fn number(text: &str) -> Option<f64> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?)
}

/// The number of plies of a claim like `X wins within 9 plies`.
fn plies(claim: &str) -> Option<u64> {
    claim.split_once(" within ")?.1.split_whitespace().next()?.parse().ok()
}

/// Returns true if a claim follows from a known one and the least number of plies of a win.
fn follows(claim: &str, known: &str, least: Option<u64>) -> bool {
    // The cases of a claim for all values of a parameter may come in any order.
    let cases = |claim: &str| {
        let (scope, cases) = claim.rsplit_once(": ")?;
        let mut cases: Vec<String> = cases.split("; ").map(str::to_owned).collect();
        cases.sort();
        Some((scope.to_owned(), cases))
    };
    let winner = |claim: &str| claim.split_once(" wins").map(|(player, _)| player.to_owned());
    if claim == known || cases(claim).is_some() && cases(claim) == cases(known) {
        return true;
    }
    let same_winner = winner(claim).is_some() && winner(claim) == winner(known);
    same_winner && plies(claim).is_none_or(|claimed| least.is_none_or(|least| claimed >= least))
}
