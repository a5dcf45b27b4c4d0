//! Describes how to play and why that works; the explanation depends on the origin of the strategy.

use serde::Serialize;

use super::drawing::Overlay;
use super::{CHANCE, StrategyBranch};
use crate::decision_tree::PolicyRule;
use crate::policy::Policy;
use crate::proof::Proof;
use crate::words::{count_with_noun, truncated_list};

/// The maximal number of answers listed in a sentence.
const MAX_LISTED_ANSWERS: usize = 8;

/// The kinds of certificates that show an equilibrium: a player is sure of his payoff only if the others keep to it.
const EQUILIBRIUM_KINDS: [&str; 2] = ["equilibrium", "profile"];

/// The maximal number of moves of a plan in a sentence.
const MAX_LISTED_PLAN: usize = 24;

/// A strategy in sentences.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    /// The origin of the strategy.
    pub from: StrategyOrigin,
    /// The strategy in one to five sentences, or a sentence for each choice if `is_list`.
    pub sentences: Vec<String>,
    /// True if the sentences are a list, one for each choice of a player.
    #[serde(skip)]
    pub is_list: bool,
    /// The reasons why it works, a sentence each.
    pub why: Vec<String>,
    /// The drawing over the board; the picture contains it.
    #[serde(skip)]
    pub overlay: Overlay,
}

/// The origin of a strategy.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyOrigin {
    /// A rule that a person can remember, found by a detector, with its own sentences and overlay.
    Rule,
    /// A list of all positions that matter, which the checker accepted.
    Certificate,
    /// The values of all positions, which nobody checked.
    Table,
    /// A search that gives first moves alone.
    Search,
    /// No strategy is known.
    Unknown,
}

/// The properties by which a strategy that is a list is described.
#[derive(Clone, Debug)]
pub struct StrategySummary<'a> {
    /// The player who has the strategy; `None` if each player has one.
    pub holder: Option<&'a str>,
    pub players: &'a [String],
    /// True if the holder begins.
    pub begins: bool,
    /// The holder's result, after "makes sure of": `a win`.
    pub gets: &'a str,
    /// The best first moves.
    pub best: &'a [String],
    /// Plies to the end, if they are counted.
    pub plies: Option<u32>,
    /// True if chance acts in the game, so that payoffs are means.
    pub has_chance: bool,
    /// True if the values of all positions are known.
    pub table: bool,
    /// Rules that give players a best move, where few suffice.
    pub policies: Vec<Policy>,
    /// True if each player wants the most for himself and the interests of two players need not be opposed.
    pub each_for_himself: bool,
    /// The outcome of the proof.
    pub proof: &'a Proof,
}

/// The kind of certificates of plans that win in every play.
pub const SURE_PLAN: &str = "sure-plan";
const SURE_PLAN_WHY: &str = "A checker made sure of it: it followed what the player holds possible through every play by \
                             the plan, and each of them is won.";

impl Strategy {
    /// No strategy, for this reason.
    pub fn unknown(reason: &str) -> Strategy {
        let sentences = vec![format!("No strategy is known: {reason}.")];
        let from = StrategyOrigin::Unknown;
        Strategy { from, sentences, is_list: false, why: Vec::new(), overlay: Overlay::None }
    }

    /// Mixed strategies, in lines with a heading each; lines without one go on with the heading before.
    pub fn mixed(lines: &[(String, String)], players: usize, proof: &Proof) -> Strategy {
        let mut head = String::new();
        let mut sentences = Vec::new();
        for (name, words) in lines {
            if !name.is_empty() {
                head.clone_from(name);
            }
            let sign = if words.starts_with("with ") { "," } else { ":" };
            sentences.push(format!("{head}{sign} {words}."));
        }
        if sentences.is_empty() {
            sentences.push("No player ever has a choice: what happens is up to chance.".into());
        }
        let (from, why) = match &proof.result {
            Ok(proved) if EQUILIBRIUM_KINDS.contains(&proved.kinds.as_str()) => (
                StrategyOrigin::Certificate,
                "A checker made sure of it: nobody gains by changing only his own strategy.",
            ),
            Ok(proved) if proved.kinds == SURE_PLAN => (StrategyOrigin::Certificate, SURE_PLAN_WHY),
            Ok(_) if players == 1 => (
                StrategyOrigin::Certificate,
                "A checker made sure of it: the strategy gives at least the payoff that the certificate claims.",
            ),
            Ok(_) => (
                StrategyOrigin::Certificate,
                "A checker made sure of it: against every strategy of the other player, each of these gives its player at \
                 least the payoff that the certificate claims.",
            ),
            Err(_) => (StrategyOrigin::Search, "No checker has examined these strategies."),
        };
        Strategy { from, sentences, is_list: true, why: vec![why.into()], overlay: Overlay::None }
    }

    /// A plan of a player that wins in every play, where his moves are not told.
    pub fn untold_plan(player: &str) -> Strategy {
        let sentence = format!(
            "{player} has a plan that wins in every play, by what {player} knows: a certificate lists its moves."
        );
        let (from, why) = (StrategyOrigin::Certificate, vec![SURE_PLAN_WHY.into()]);
        Strategy { from, sentences: vec![sentence], is_list: false, why, overlay: Overlay::None }
    }

    /// The equilibria of a choice whose players have interests of their own, each in words.
    pub fn equilibria(lines: &[String], proof: &Proof) -> Strategy {
        let sentences = lines.iter().map(|words| format!("{words}.")).collect();
        let (from, why) = match proof.result.is_ok() {
            true => (
                StrategyOrigin::Certificate,
                "Nobody gains by changing only his own part of one of these equilibria: a checker computed the best responses. Which of \
                 them is played the rules do not decide.",
            ),
            false => (
                StrategyOrigin::Search,
                "Nobody gains by changing only his own part of one of these equilibria. No checker has examined them, and which of them is \
                 played the rules do not decide.",
            ),
        };
        Strategy { from, sentences, is_list: true, why: vec![why.into()], overlay: Overlay::None }
    }

    /// A strategy that a person can remember: how to play and why that works, without their full stops, and the
    /// drawing.
    pub fn rule(how: &str, why: &str, overlay: Overlay) -> Strategy {
        let sentence = |words: &str| {
            let mut letters = words.chars();
            letters
                .next()
                .map_or(String::new(), |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
        };
        Strategy {
            from: StrategyOrigin::Rule,
            sentences: vec![sentence(how)],
            is_list: false,
            why: vec![sentence(why)],
            overlay,
        }
    }

    /// A plan of a single player, by its moves.
    pub fn plan(told: &StrategySummary<'_>, moves: &[String]) -> Strategy {
        let count = count_with_noun(moves.len() as u64, "move", "moves");
        let shortest = if told.plies.is_some() { ", and no plan is shorter" } else { "" };
        let sentence = match moves.len() {
            0..=MAX_LISTED_PLAN => format!("Play {}: {count}{shortest}.", moves.join(", ")),
            _ => format!("Play the {count} below{shortest}."),
        };
        let mut why = Vec::new();
        let from = match &told.proof.result {
            Ok(proved) => {
                why.push(
                    "A checker that shares no code with the solver made these moves by the definition of the language: \
                     they reach the goal."
                        .to_owned(),
                );
                why.extend(proved.computed.map(|computed| format!("What it did not check: {computed}.")));
                StrategyOrigin::Certificate
            }
            Err(_) => {
                why.push("The moves were found by search, and no checker has examined them.".to_owned());
                if told.table { StrategyOrigin::Table } else { StrategyOrigin::Search }
            }
        };
        Strategy { from, sentences: vec![sentence], is_list: false, why, overlay: Overlay::None }
    }

    /// There is nothing to play for: the goal cannot be reached.
    pub fn hopeless(told: &StrategySummary<'_>) -> Strategy {
        let sentences = vec!["It cannot be solved, whatever is played.".to_owned()];
        let (from, why) = match &told.proof.result {
            Ok(proved) => (
                StrategyOrigin::Certificate,
                format!(
                    "A checker that shares no code with the solver made sure of it by the definition of the language; it \
                     visited {}.",
                    count_with_noun(proved.steps, "position", "positions")
                ),
            ),
            Err(_) => (
                if told.table { StrategyOrigin::Table } else { StrategyOrigin::Search },
                "A search came to the end of all plays; no checker has examined it.".to_owned(),
            ),
        };
        Strategy { from, sentences, is_list: false, why: vec![why], overlay: Overlay::None }
    }

    /// A strategy that is a list of positions and answers.
    pub fn listed(told: &StrategySummary<'_>) -> Strategy {
        let mut sentences = Vec::new();
        let begin = match told.best {
            [] => String::new(),
            [only] => format!("begin with {only}"),
            best => format!("begin with one of {}", truncated_list(best, 8)),
        };
        match (told.holder, told.players.len()) {
            (Some(_), 1) => sentences.push(format!("You can guarantee {}: {begin}.", told.gets)),
            (None, 1) => {
                let result = match told.gets_is_clause() {
                    true => told.gets.to_owned(),
                    false => format!("it is {}", told.gets),
                };
                sentences.push(format!("With best play {result}{}: {begin}.", told.on_average()))
            }
            (holder, _) if told.is_equilibrium() => {
                let result = match holder {
                    Some(holder) => format!("{holder} wins"),
                    None if told.gets_is_clause() => told.gets.to_owned(),
                    None => format!("it is {}", told.gets),
                };
                sentences.push(format!(
                    "If each player wants the most for himself, {result}: nobody gains by playing otherwise alone. Others \
                     who play otherwise together may change that."
                ));
                if !begin.is_empty() && told.begins {
                    sentences.push(format!("To keep it, {begin}."));
                }
            }
            (Some(holder), _) if told.begins => {
                sentences
                    .push(format!("{holder} guarantees {}, whatever the others do: {begin}.", told.gets));
            }
            (Some(holder), _) => sentences.push(format!(
                "{holder} guarantees {}, whatever the others do: each first move has an answer.",
                told.gets
            )),
            (None, _) => {
                sentences.push(match told.gets_is_clause() {
                    true => format!(
                        "With best play {}{}: each player can make sure of his part, and of no more.",
                        told.gets,
                        told.on_average()
                    ),
                    false => {
                        format!("Every player can guarantee {}, and none can guarantee more.", told.gets)
                    }
                });
                if !begin.is_empty() {
                    sentences.push(format!("To keep it, {begin}."));
                }
            }
        }
        if let (Some(plies), false) = (told.plies, told.players.len() == 1) {
            let plies = count_with_noun(u64::from(plies), "ply", "plies");
            sentences.push(format!("Against the longest defence that takes {plies}."));
        }
        let listed = || {
            match told.table {
            true => "No shorter rule was found: the strategy is the list of all positions with their values, of which \
                     the tree below shows the beginning."
                .into(),
            false => "Later moves were not stored: solve again from the position reached.".into(),
        }
        };
        let by_rules = told.policy_sentences();
        sentences.extend(if by_rules.is_empty() { vec![listed()] } else { by_rules });
        let from = match (&told.proof.result, told.table) {
            (Ok(_), _) => StrategyOrigin::Certificate,
            (_, true) => StrategyOrigin::Table,
            _ => StrategyOrigin::Search,
        };
        Strategy { from, sentences, is_list: false, why: why(told), overlay: Overlay::None }
    }
}

impl StrategySummary<'_> {
    /// Returns true if the values are those of an equilibrium, of which no player is sure by himself.
    fn is_equilibrium(&self) -> bool {
        match &self.proof.result {
            Ok(proved) => EQUILIBRIUM_KINDS.contains(&proved.kinds.as_str()),
            Err(_) => self.each_for_himself,
        }
    }

    /// Returns true if the result is a whole clause, such as "Ann wins 50% of the games", and not "a draw".
    fn gets_is_clause(&self) -> bool {
        self.gets.contains(" gets ") || self.gets.contains(" wins ")
    }

    /// The rules that give players a best move, where there are few; empty otherwise.
    fn policy_sentences(&self) -> Vec<String> {
        let sentence = |policy: &Policy| {
            let positions = count_with_noun(policy.positions as u64, "position", "positions");
            let begin = match self.players.len() {
                1 => format!("Play by best moves reaches {positions} with a choice; a best move there is:"),
                _ => format!(
                    "If {} always makes {}, {positions} with a choice can be reached; such a move there is:",
                    policy.player,
                    policy.moves.one()
                ),
            };
            let rules: Vec<String> = policy.rules.iter().map(PolicyRule::words).collect();
            format!("{begin} {}.", rules.join("; "))
        };
        self.policies.iter().map(sentence).collect()
    }

    /// The result as a clause: `Ann makes sure of a win`, `the result is a draw`.
    fn result(&self) -> String {
        match self.holder {
            Some(holder) => format!("{holder} makes sure of {}", self.gets),
            None if self.gets_is_clause() => self.gets.to_owned(),
            None => format!("the result is {}", self.gets),
        }
    }

    /// Says that a payoff is a mean.
    fn on_average(&self) -> &'static str {
        if self.has_chance && self.gets.contains(" gets ") { " on average" } else { "" }
    }
}

impl Strategy {
    /// The strategy of a position in which chance acts first; by rules, if players have them.
    pub fn after_chance(told: &StrategySummary<'_>) -> Strategy {
        let mut sentences =
            vec![format!("Chance acts first. With best play {}{}.", told.result(), told.on_average())];
        sentences.extend(told.policy_sentences());
        if told.policies.is_empty() {
            sentences.push(
                "A best move of a position is one that keeps its value: solve again from the position reached."
                    .into(),
            );
        }
        let from =
            if told.proof.result.is_ok() { StrategyOrigin::Certificate } else { StrategyOrigin::Search };
        Strategy { from, sentences, is_list: false, why: why(told), overlay: Overlay::None }
    }

    /// The first moves where a value is enclosed between two numbers: these are better than all others.
    pub fn enclosed(best: &[String]) -> Strategy {
        let moves = truncated_list(best, MAX_LISTED_ANSWERS);
        let first = match best.len() {
            1 => format!("A best move is {moves}."),
            _ => format!("Each of these moves may be best: {moves}."),
        };
        let later = "The value is known to within 1e-9 and not exactly, so later moves are not told: solve again from the \
                     position reached.";
        let sentences = vec![first, later.into()];
        let from = StrategyOrigin::Search;
        Strategy { from, sentences, is_list: false, why: Vec::new(), overlay: Overlay::None }
    }

    /// Adds the first answers if they are few: those that the tree gives to each move of the other side.
    pub fn add_first_answers(&mut self, tree: &StrategyBranch, begins: &str) {
        match tree.then.as_slice() {
            [own] if own.player == begins => self.add_replies(&own.then, Some(&own.name)),
            tries => self.add_replies(tries, None),
        }
    }

    fn add_replies(&mut self, tries: &[StrategyBranch], opening: Option<&str>) {
        let answer = |tried: &StrategyBranch| match tried.then.as_slice() {
            [answer] if answer.player != tried.player && tried.player != CHANCE => {
                Some(format!("{} with {}", tried.name, answer.name))
            }
            _ => None,
        };
        let answers: Option<Vec<String>> = tries.iter().map(answer).collect();
        if let Some(answers) = answers.filter(|answers| (1..=MAX_LISTED_ANSWERS).contains(&answers.len())) {
            let head = opening.map_or("Answer".into(), |opening| format!("After {opening}, answer"));
            let at = self.sentences.len().saturating_sub(1);
            self.sentences.insert(at, format!("{head} {}.", answers.join(", ")));
        }
    }
}

/// The reasons why it works: the work of the checker, or the lack of a check.
fn why(told: &StrategySummary<'_>) -> Vec<String> {
    let proved = match &told.proof.result {
        Ok(proved) => proved,
        Err(_) if told.table => {
            return vec![
                "The value of each position follows from the values of its successors, from the ends backwards."
                    .into(),
                "This was computed, not checked independently.".into(),
            ];
        }
        Err(_) => {
            return vec![
                "A search visited enough positions to determine the value; it is not checked.".into(),
            ];
        }
    };
    let listed = count_with_noun(proved.listed, "position", "positions");
    let steps = count_with_noun(proved.steps, "position", "positions");
    let mut why = vec![format!(
        "A certificate lists {listed}. A checker that shares no code with the solver read it, made every legal move by \
         the definition of the language, and visited {steps}."
    )];
    // The lower bound of a plan is told with the claim.
    why.push(match proved.kinds.strip_suffix(" and distance").unwrap_or(&proved.kinds) {
        "table" => "In each of them the listed value is the best among those of its successors, and at the ends it is \
                    the result that the rules give."
            .into(),
        "loopy" => "Where the strategy has to answer, the listed answer is legal; each answer keeps the claimed \
                    value, and an infinite play is worth no less, or is impossible because each answer comes \
                    nearer to the end."
            .into(),
        "values" => "In each of them neither the listed answer of the player, nor a move of the others, nor chance in \
                     the mean leads to a smaller value for him; where play without end would give him less, there is \
                     always a chance that play ends or comes to another value within a certain number of moves, so \
                     sooner or later it does."
            .into(),
        "equilibrium" => "In each of them no move gives the player who makes it more than the listed one; play ends, or it is \
                          certain that nobody gains if it does not."
            .into(),
        _ => "Where the strategy has to answer, the listed answer is legal; every play ends, and every end has the \
              claimed value."
            .into(),
    });
    why
}
