//! Claims in other forms: `expect mark(a1) legal;`, `expect X draws;`, `expect X wins with mark(b2);`,
//! `expect value of Ann = 4;`, `invariant never f;`, and the steps of tests.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;

/// The maximal number of claims that a message makes of one.
const MAX_CLAIMS: usize = 6;

/// Words for the end of a game without a winner, behind a player.
const DRAWS: [&str; 6] = ["draw", "draws", "drawn", "tie", "ties", "tied"];

/// Words that take a move back or begin again.
const UNDONE: [&str; 9] =
    ["undo", "unplay", "takeback", "unmake", "revert", "rollback", "reset", "restart", "back"];

/// The maximal length in bytes of a claim that a message quotes.
const MAX_QUOTED_CLAIM: usize = 60;

/// The help for the item `invariant f;` in the body of a move.
pub(super) fn claim_in_a_move(clause: &str) -> String {
    let claim = clause.trim_start_matches("invariant").trim().trim_end_matches(';');
    let claim = if claim.len() <= MAX_QUOTED_CLAIM { claim } else { "..." };
    format!(
        "write `invariant {claim};` outside of the move if it is to be proved of all positions, `ensure {claim};` if a move \
         that breaks it is illegal"
    )
}

impl FixFinder<'_> {
    /// Fixes and explanations of claims and of tests.
    pub fn claims(&self, fixes: &mut Vec<Fix>) {
        fixes.extend(self.settings_in_braces());
        if self.layout.text(self.bounds.clause) == "expect" {
            fixes.extend(self.payoff_of_a_player());
            fixes.extend(self.length_of_a_solution());
        }
        let all = match self.layout.text(self.bounds.clause) {
            "expect" => [
                self.legality_behind_the_move(),
                self.several_legal_moves(),
                self.player_who_draws(),
                self.claim_after_moves(),
                self.value_of_one_player(),
                self.claim_of_no_solution(),
                self.depths_in_a_range().or_else(|| self.depths_in_a_list()),
                self.value_behind_the_player(),
                self.verdict_with_an_adverb(),
                self.verdict_of_all(),
                self.draw_behind_a_word(),
            ],
            _ => [
                self.invariant_with_a_title(),
                self.invariant_with_an_adverb(),
                self.parameters_in_a_test(),
                self.parameters_by_another_word(),
                self.move_taken_back(),
                self.position_with_a_sign(),
                self.player_before_a_move(),
                self.invariant_with_an_adverb_inside(),
                self.invariant_by_when(),
                None,
                None,
            ],
        };
        fixes.extend(all.into_iter().flatten());
    }

    /// The index of the `;` of a claim that the mistake is in.
    fn claim_end(&self) -> Option<usize> {
        self.outside_brackets(self.bounds.clause, &[";"]).filter(|&end| end >= self.bounds.at)
    }

    /// Returns true if the words from `from` up to `to` are a claim.
    fn is_claim_between(&self, from: usize, to: usize) -> bool {
        let claim = format!("expect {};", self.text(from, to));
        from < to && trial_parse(Rule::expect_decl, &claim).is_ok_and(|length| length == claim.len())
    }

    /// Rewrites `expect mark(a1) legal;` and `expect mark(a1) is illegal;`.
    fn legality_behind_the_move(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.claim_end()?;
        let word = end - 1;
        let ours = match self.layout.text(word) {
            "legal" | "possible" | "allowed" | "available" | "permitted" => "legal",
            "illegal" | "impossible" | "forbidden" | "disallowed" => "illegal",
            _ => return None,
        };
        let close = self.end_of_operand(clause + 1)?;
        let between = self.text(close, word);
        let negated = match between {
            _ if close == word => false,
            "is" | "be" | "to be" => false,
            "not" | "is not" => true,
            _ => return None,
        };
        let ours = match (ours, negated) {
            ("legal", true) => "illegal",
            ("illegal", true) => "legal",
            _ => ours,
        };
        let new = format!("{ours} {}", self.text(clause + 1, close));
        let range = (self.range(clause + 1).0, self.range(word).1);
        let title = format!("`{ours}` stands before the move");
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.range(close).0, range.1));
        Some(fix.help(format!("write `expect {new};`")))
    }

    /// Rewrites `expect X wins with { n = 8; m = 4; };` and `test "T" with (n = 8) { ... }` to `with n = 8, m = 4`.
    fn settings_in_braces(&self) -> Option<Fix> {
        let (open, with) = (self.bounds.at, self.bounds.at.checked_sub(1)?);
        let is_claim = matches!(self.layout.text(self.bounds.first), "expect" | "test");
        let is_open = matches!(self.word, "{" | "(") && self.layout.text(with) == "with";
        let close = self.layout.partner(open).filter(|_| is_claim && is_open)?;
        let mut settings = Vec::new();
        let mut start = open + 1;
        while start < close {
            let next = self
                .outside_brackets(start, &[",", ";", "and"])
                .filter(|&next| next < close)
                .unwrap_or(close);
            let is_sign = matches!(self.layout.text(start + 1), "=" | ":" | ":=");
            if !self.is_name(start) || !is_sign || start + 2 >= next {
                return None;
            }
            settings.push(format!("{} = {}", self.layout.text(start), self.text(start + 2, next)));
            start = next + 1;
        }
        let new = settings.join(", ");
        let range = (self.range(open).0, self.range(close).1);
        let title = "the parameters of a claim stand without brackets";
        (!settings.is_empty()).then(|| {
            Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `with {new}`"))
        })
    }

    /// Rewrites `expect legal a, b;` to a claim for each move.
    fn several_legal_moves(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let word = self.layout.text(clause + 1);
        let end = self.claim_end().filter(|_| self.word == "," && matches!(word, "legal" | "illegal"))?;
        let mut claims = Vec::new();
        let mut from = clause + 2;
        while from < end && claims.len() < MAX_CLAIMS {
            let next = self.outside_brackets(from, &[","]).filter(|&next| next < end).unwrap_or(end);
            let start = from + usize::from(matches!(self.layout.text(from), "legal" | "illegal"));
            let claimed = if start > from { self.layout.text(from) } else { word };
            claims.push(format!("expect {claimed} {};", self.text(start, next)));
            from = next + 1;
        }
        let new = claims.join(" ");
        let range = (self.range(clause).0, self.range(end).1);
        let title = "each claim has its own `expect`";
        (from > end)
            .then(|| Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `expect X draws;` to `expect draw;`.
    fn player_who_draws(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let player = self.layout.text(clause + 1);
        let is_player = matches!(player, "first" | "second" | "mover" | "opponent")
            || self.outline().players().contains(&player);
        let ends = matches!(self.layout.text(at + 1), ";" | "with" | "cite");
        (is_player && ends && at == clause + 2 && DRAWS.contains(&self.word)).then(|| {
            let range = (self.range(clause + 1).0, self.here().1);
            let title = "a draw is the result of the game, not of one player";
            Fix::new(range, "draw", Code::E0013, title).help("write `expect draw;`")
        })
    }

    /// Rewrites `expect X wins with mark(b2);` and `expect draw after a, b;` to a test that plays the moves.
    fn claim_after_moves(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.claim_end()?;
        let words = ["with", "after", "once", "by", "if", "when", "playing"];
        let word = self.outside_brackets(clause + 1, &words).filter(|&word| word < end)?;
        let extra = usize::from(matches!(self.layout.text(word + 1), "playing" | "play" | "the"));
        let start = word + 1 + extra;
        let play = format!("play {};", self.text(start, end));
        let is_play = trial_parse(Rule::test_play, &play).is_ok_and(|length| length == play.len())
            && self.end_of_operand(start).is_some_and(|close| close <= end && close > start + 1);
        if !is_play || !self.is_claim_between(clause + 1, word) {
            return None;
        }
        let claim = self.text(clause, word);
        let range = (self.range(clause).0, self.range(end).1);
        let label = (self.range(word).0, self.range(end - 1).1);
        let title = "a claim about a later position stands behind `play` in a test";
        if self.bounds.place == ClauseContext::Top {
            let new =
                format!("test \"after {}\" {{ {play} {claim}; }}", self.text(start, end).replace('"', ""));
            return Some(Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`")));
        }
        let help = format!("write `{play} {claim};`: the moves of a test are made one after the other");
        Some(explained(range, "", title, help).at(label))
    }

    /// Rewrites `expect value of Ann = 4;` for the first player; explains it for another one.
    fn value_of_one_player(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_value = self.layout.text(clause + 1) == "value" && at == clause + 2;
        let name = at + 1;
        let is_of = matches!(self.word, "of" | "for" | "to")
            && self.outline().players().contains(&self.layout.text(name));
        let end = self.claim_end().filter(|_| is_value && is_of)?;
        let title = "`value` is the value of the game for the first player";
        self.value_for(title, name, end)
    }

    /// The fix of a claim about the value for the player at `name`.
    fn value_for(&self, title: &str, name: usize, end: usize) -> Option<Fix> {
        let clause = self.bounds.clause;
        let players = self.outline().players();
        let label = (self.range(clause + 2).0, self.range(name).1);
        let rest = self.text(name + 1, end);
        if players.first() == Some(&self.layout.text(name)) {
            let range = (self.range(clause + 1).1, self.range(name).1);
            let help = format!("write `expect value {rest};`");
            return Some(Fix::new(range, "", Code::E0013, title).at(label).help(help));
        }
        let values: Vec<String> = players.iter().map(|player| format!("of {player}")).collect();
        let help = format!(
            "write `expect value = [...];` with the values {}; in a game of two where one wins what the other \
             loses, `value` is the opposite of the second player's",
            values.join(", ")
        );
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", title, help).at(label))
    }

    /// Rewrites `expect Ann value = 3;` as [`Self::value_of_one_player`] does.
    fn value_behind_the_player(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let players = self.outline().players();
        let name = self.layout.text(clause + 1);
        let is_value = at == clause + 2 && self.word == "value" && players.contains(&name);
        let end = self.claim_end().filter(|_| is_value)?;
        let title = "`value` is the value of the game for the first player";
        let label = (self.range(clause + 1).0, self.here().1);
        if players.first() == Some(&name) {
            let range = (self.range(clause + 1).0, self.here().0);
            let help = format!("write `expect {};`", self.text(at, end));
            return Some(Fix::new(range, "", Code::E0013, title).at(label).help(help));
        }
        let range = (self.range(clause).0, self.range(end).1);
        let help = format!("write `expect value = ...;` with the value for {}", players[0]);
        Some(explained(range, "", title, help).at(label))
    }

    /// Explains `expect Ann gets 1;` and `expect Ann: 1, Bob: 2;`.
    fn payoff_of_a_player(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let players = self.outline().players();
        let is_player = at == clause + 2 && players.contains(&self.layout.text(clause + 1));
        let is_verb = matches!(self.word, "gets" | "scores" | "earns" | "receives" | "gains" | "has" | ":");
        let end = self.claim_end().filter(|_| is_player && is_verb)?;
        let title = "the payoffs of all players are claimed together";
        let payoff = (at + 1..end).find(|&at| !self.is_name(at)).map_or("1", |at| self.layout.text(at));
        let help = match players.first() == Some(&self.layout.text(clause + 1)) {
            true => format!(
                "write `expect value = {payoff};` for the first player alone, or `expect value = [...];` with a number for each \
                 of {}",
                players.join(", ")
            ),
            false => {
                format!("write `expect value = [...];` with a number for each of {}", players.join(", "))
            }
        };
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", title, help).at((self.range(clause + 1).0, self.here().1)))
    }

    /// Rewrites `expect solution length = 7;` and `expect shortest = 7;` to `expect solved in 7;`.
    fn length_of_a_solution(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_said = |word: &str| {
            matches!(
                word,
                "shortest"
                    | "solution"
                    | "length"
                    | "optimal"
                    | "minimal"
                    | "minimum"
                    | "fewest"
                    | "best"
                    | "path"
                    | "moves"
                    | "steps"
                    | "plies"
                    | "needed"
                    | "number"
                    | "of"
                    | "the"
                    | "to"
                    | "solve"
                    | "in"
            )
        };
        let end = self.claim_end()?;
        let sign = (clause + 1..end).find(|&at| matches!(self.layout.text(at), "=" | "==" | "is" | ":"))?;
        let words: Vec<&str> = (clause + 1..sign).map(|at| self.layout.text(at)).collect();
        let number = self.layout.text(sign + 1);
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && end == sign + 2;
        let names_it =
            words.iter().any(|word| matches!(*word, "shortest" | "solution" | "fewest" | "solve" | "length"));
        (is_number && names_it && words.len() > 1 && words.iter().all(|word| is_said(word))).then(|| {
            let new = format!("solved in {number}");
            let range = (self.range(clause + 1).0, self.range(sign + 1).1);
            let title = "the fewest moves of a puzzle are claimed by `solved in`";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `expect {new};`"))
        })
    }

    /// Rewrites `expect Ann always wins;` to `expect Ann wins;`; explains `expect Ann never loses;`.
    fn verdict_with_an_adverb(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let end = self.claim_end()?;
        let verdict = (at + 1..end).find(|&at| {
            matches!(self.layout.text(at), "wins" | "loses" | "win" | "lose" | "draws" | "draw")
        })?;
        let is_player = at == clause + 2 && self.is_name(clause + 1);
        let said = self.text(at, verdict);
        let label = (self.here().0, self.range(verdict).1);
        match said {
            "always" | "surely" | "certainly" | "definitely" | "really" | "must" if is_player => {
                let ours = if self.layout.text(verdict).starts_with('w') { "wins" } else { "loses" };
                let is_draw = self.layout.text(verdict).starts_with('d');
                let range = (self.here().0, self.range(verdict).1);
                let title = "a claim is about best play by all, without a word for it";
                let fix = Fix::new(range, ours, Code::E0013, title).at(label);
                (!is_draw)
                    .then(|| fix.help(format!("write `expect {} {ours};`", self.layout.text(clause + 1))))
            }
            "never" | "does not" | "cannot" | "can not" | "does never" | "not" if is_player => {
                let range = (self.range(clause).0, self.range(end).1);
                let title = "a claim says what the result is, not what it is not";
                let help = "write `expect value >= 0;` if the first player does not lose, `expect value <= \
                            0;` if the first player does not win";
                Some(explained(range, "", title, help).at(label))
            }
            _ => None,
        }
    }

    /// Explains `expect both lose;`.
    fn verdict_of_all(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let who = self.layout.text(clause + 1);
        let is_all = matches!(who, "both" | "all" | "everyone" | "everybody" | "each")
            && matches!(self.layout.text(clause + 2), "lose" | "loses" | "win" | "wins");
        let end = self.claim_end().filter(|_| is_all)?;
        let count = self.outline().players().len().max(2);
        let worth = if self.layout.text(clause + 2).starts_with('w') { "1" } else { "-1" };
        let title = "what all players get is a claim about values";
        let help =
            format!("write `expect value = [{}];`, with the payoff of each", vec![worth; count].join(", "));
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, "", title, help).at((self.range(clause + 1).0, self.range(end - 1).1)))
    }

    /// Rewrites `expect result draw;` to `expect draw;`.
    fn draw_behind_a_word(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = matches!(self.layout.text(clause + 1), "result" | "outcome" | "game");
        let end = self.claim_end().filter(|&end| is_word && end > clause + 2)?;
        let is_draw = DRAWS.contains(&self.layout.text(end - 1)) && end <= clause + 6;
        is_draw.then(|| {
            let range = (self.range(clause + 1).0, self.range(end - 1).1);
            let title = "a claim about a draw is one word";
            Fix::new(range, "draw", Code::E0013, title).help("write `expect draw;`")
        })
    }

    /// Rewrites `invariant n never > 9;` to `invariant not (n > 9);`.
    fn invariant_with_an_adverb_inside(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_never = match self.word {
            "never" => true,
            "always" | "forever" => false,
            _ => return None,
        };
        let named = self.layout.text(first + 2) == ":" && self.is_name(first + 1);
        let start = first + 1 + if named { 2 } else { 0 };
        let is_inside = self.layout.text(first) == "invariant" && at > start;
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_inside)?;
        let claim = format!("{} {}", self.text(start, at), self.text(at + 1, end));
        let new = if is_never { format!("not ({claim})") } else { claim };
        let text = format!("invariant {new};");
        let is_read = trial_parse(Rule::invariant_decl, &text).is_ok_and(|length| length == text.len());
        is_read.then(|| {
            let range = (self.range(start).0, self.range(end - 1).1);
            let title = "an invariant is a condition that holds in each position";
            Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{text}`"))
        })
    }

    /// Explains `expect no solution;`.
    fn claim_of_no_solution(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.claim_end()?;
        let said = self.text(clause + 1, end);
        let is_said = matches!(
            said,
            "no solution"
                | "no solutions"
                | "not solvable"
                | "no way"
                | "not solved"
                | "never solved"
                | "has no solution"
        );
        let player = self.outline().players().first().copied().unwrap_or("mover");
        let range = (self.range(clause + 1).0, self.range(end - 1).1);
        let new = format!("{player} loses");
        is_said.then(|| {
            let title = "a puzzle without a solution is one that its player loses";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `expect {new};`"))
        })
    }

    /// Rewrites `expect perft 1..3 = [9, 72, 504];` to a claim for each depth.
    fn depths_in_a_range(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_depths = self.layout.text(clause + 1) == "perft" && self.layout.text(clause + 3) == "..";
        let end = self.claim_end().filter(|_| is_depths)?;
        let number = |at: usize| self.layout.text(at).parse::<usize>().ok();
        let (from, to) = (number(clause + 2)?, number(clause + 4)?);
        let range = (self.range(clause).0, self.range(end).1);
        let label = (self.range(clause + 2).0, self.range(clause + 4).1);
        let title = "a claim about the number of plays is for one depth";
        let open = clause + 6;
        let values: Vec<&str> = match self.layout.partner(open) {
            Some(close) if close + 1 == end => {
                (open + 1..close).step_by(2).map(|at| self.layout.text(at)).collect()
            }
            _ => Vec::new(),
        };
        let is_listed = from <= to && values.len() == to - from + 1 && values.len() <= MAX_CLAIMS;
        if !is_listed {
            let help = format!("write `expect perft {from} = ...;`, a claim for each depth");
            return Some(explained(range, "", title, help).at(label));
        }
        let claims: Vec<String> = (from..=to)
            .zip(&values)
            .map(|(depth, value)| format!("expect perft {depth} = {value};"))
            .collect();
        let new = claims.join(" ");
        Some(Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`")))
    }

    /// Rewrites `expect perft 1, 2 = 3, 9;` and `expect perft 1 = 3, 2 = 9;` to a claim for each depth.
    fn depths_in_a_list(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_depths = self.layout.text(clause + 1) == "perft" && self.word == ",";
        let end = self.claim_end().filter(|_| is_depths)?;
        let words: Vec<&str> = (clause + 2..end)
            .map(|at| self.layout.text(at))
            .filter(|word| !matches!(*word, "," | "[" | "]" | "(" | ")" | "perft" | "and"))
            .collect();
        let sign = words.iter().position(|word| *word == "=")?;
        let is_number = |word: &&&str| word.bytes().all(|b| b.is_ascii_digit());
        let pairs: Vec<(&str, &str)> = if sign == 1 {
            let is_triple = |words: &[&str]| matches!(words, [_, "=", _]);
            words.chunks(3).take_while(|words| is_triple(words)).map(|words| (words[0], words[2])).collect()
        } else {
            words[..sign].iter().copied().zip(words[sign + 1..].iter().copied()).collect()
        };
        let count = words.iter().filter(is_number).count();
        let is_complete = count == 2 * pairs.len() && pairs.len() <= MAX_CLAIMS && pairs.len() > 1;
        let title = "a claim about the number of plays is for one depth";
        let range = (self.range(clause).0, self.range(end).1);
        if !is_complete {
            let help = format!("write `expect perft {} = ...;`, a claim for each depth", words[0]);
            return Some(explained(range, "", title, help).at((self.range(clause + 2).0, range.1)));
        }
        let claims: Vec<String> =
            pairs.iter().map(|(depth, value)| format!("expect perft {depth} = {value};")).collect();
        let new = claims.join(" ");
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }

    /// Rewrites `invariant "sum of scores": f;` to `invariant sum_of_scores: f;`.
    fn invariant_with_a_title(&self) -> Option<Fix> {
        let title = self.bounds.first + 1;
        let is_title = self.layout.text(self.bounds.first) == "invariant" && self.bounds.at <= title + 1;
        let inner = self.layout.text(title).strip_prefix('"').filter(|_| is_title)?.strip_suffix('"')?;
        let words: Vec<String> = inner
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let mut new = words.join("_");
        if keywords::is_reserved(&new) {
            new.push('_');
        }
        let colon = if self.layout.text(title + 1) == ":" { "" } else { ":" };
        let is_name = keywords::starts_with_letter(&new);
        is_name.then(|| {
            let said = "an invariant has a name, not a title";
            let help = format!("write `invariant {new}: ...;`");
            Fix::new(self.range(title), &format!("{new}{colon}"), Code::E0013, said).help(help)
        })
    }

    /// Rewrites `invariant never f;` to `invariant not (f);`, and `invariant always f;` to `invariant f;`.
    fn invariant_with_an_adverb(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let named = self.layout.text(first + 2) == ":" && self.is_name(first + 1);
        let word = first + 1 + if named { 2 } else { 0 };
        let adverb = self.layout.text(word);
        let is_sometimes =
            matches!(adverb, "eventually" | "sometimes" | "finally" | "possibly" | "once" | "F");
        let is_never = match adverb {
            "never" | "nowhere" => true,
            "always" | "globally" | "forever" | "that" | "everywhere" | "G" => false,
            _ if is_sometimes => false,
            _ => return None,
        };
        let is_invariant = self.layout.text(first) == "invariant" && self.bounds.at == word + 1;
        let is_word = !matches!(self.word, ":" | "(" | "[" | "." | ",")
            && !self.outline().declares(self.layout.text(word));
        let end = self.outside_brackets(word, &[";"]).filter(|_| is_invariant && is_word)?;
        let title = "an invariant is a condition that holds in each position";
        if is_sometimes {
            let help = "there are no claims about some later position; a test shows one: `test \"...\" { play \
                        ...; expect f; }`";
            let range = (self.range(first).0, self.range(end).1);
            return Some(explained(range, "", title, help).at(self.range(word)));
        }
        let claim = self.text(word + 1, end);
        let new = match is_never {
            true => format!("not ({claim})"),
            false => claim.to_owned(),
        };
        let range = (self.range(word).0, self.range(end - 1).1);
        let help = format!("write `invariant {new};`");
        Some(Fix::new(range, &new, Code::E0013, title).at(self.range(word)).help(help))
    }

    /// Rewrites `test "t" { with n = 2; ... }` to `test "t" with n = 2 { ... }`.
    fn parameters_in_a_test(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_first = self.layout.text(first) == "test" && at == first + 3 && self.last == "{";
        let end = self.outside_brackets(at, &[";"]).filter(|_| is_first && self.word == "with")?;
        let with = self.text(at, end);
        let range = (self.range(first + 1).1, self.range(end).1);
        let title = "the parameters of a test stand before its brace";
        let fix = Fix::new(range, &format!(" {with} {{"), Code::E0013, title).at(self.here());
        Some(Fix {
            accepts_partial: true,
            ..fix.help(format!("write `test {} {with} {{ ... }}`", self.layout.text(first + 1)))
        })
    }

    /// Rewrites `test "t" where n = 2 { ... }` to `test "t" with n = 2 { ... }`.
    fn parameters_by_another_word(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word =
            matches!(self.word, "where" | "if" | "when" | "for" | "using" | "given" | "at" | ":" | ",");
        let is_setting = self.layout.text(first) == "test"
            && self.bounds.at == first + 2
            && self.is_name(first + 3)
            && self.layout.text(first + 4) == "=";
        let open = self.outside_brackets(first + 3, &["{", ";"]).filter(|_| is_word && is_setting)?;
        (self.layout.text(open) == "{").then(|| {
            let title = "the parameters of a test follow `with`";
            let help = format!("write `with {}`", self.text(first + 3, open));
            let fix = Fix::new((self.gap().0, self.here().1), " with", Code::E0013, title)
                .at(self.here())
                .help(help);
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Explains `undo;` in a test.
    fn move_taken_back(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_word = self.bounds.place == ClauseContext::Test && UNDONE.contains(&self.layout.text(clause));
        let end = self.outside_brackets(clause, &[";"]).filter(|_| is_word)?;
        let range = (self.range(clause).0, self.range(end).1);
        let title = "a test makes moves and takes none back";
        let help = "write a second `test \"...\" { ... }`, which begins with the initial position";
        Some(explained(range, "", title, help).at(self.range(clause)))
    }

    /// Rewrites `play A put(a1);` to `play put(a1);`.
    fn player_before_a_move(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_step =
            self.layout.text(self.bounds.clause) == "play" && self.bounds.place == ClauseContext::Test;
        let is_player = is_step
            && self.is_name(at)
            && self.layout.text(at + 1) == "("
            && self.outline().players().contains(&self.last);
        is_player.then(|| {
            let range = (self.range(at - 1).0, self.here().0);
            let title = "the moves of a test stand without their players, who follow from the position";
            let fix =
                Fix::new(range, "", Code::E0013, title).at(self.range(at - 1)).help("leave the player out");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `position = { ... };` to `position { ... }`.
    fn position_with_a_sign(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_signed = self.last == "position" && matches!(self.word, "=" | ":" | ":=");
        let close = self.layout.partner(at + 1).filter(|_| is_signed && self.layout.text(at + 1) == "{")?;
        let end = close + usize::from(self.layout.text(close + 1) == ";");
        let inner = self.text(at + 1, close + 1);
        let range = (self.range(at - 1).1, self.range(end).1);
        let title = format!("the effects of a `position` follow without `{}`", self.word);
        let help = "write `position { ... }`";
        Some(Fix::new(range, &format!(" {inner}"), Code::E0013, title).at(self.here()).help(help))
    }
}

impl FixFinder<'_> {
    /// Rewrites `invariant when f;` to `invariant f;`, and explains `invariant when f: g;`.
    fn invariant_by_when(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let word =
            (first + 1..first + 4).find(|&at| matches!(self.layout.text(at), "when" | "if" | "where"))?;
        let is_named = word == first + 3 && self.is_name(first + 1) && self.layout.text(first + 2) == ":";
        let is_claim = self.layout.text(first) == "invariant"
            && (word == first + 1 || is_named)
            && self.bounds.at <= word + 1;
        let end = self.outside_brackets(word + 1, &[";"]).filter(|&end| is_claim && end > word + 1)?;
        let title = "an invariant is a condition that holds in each position, without a word before it";
        let joint = self.outside_brackets(word + 1, &["=>", "then", ",", ";"])?;
        if joint < end {
            let (when, then) = (self.text(word + 1, joint), self.text(joint + 1, end));
            let range = (self.range(first).0, self.range(end).1);
            let help = format!(
                "write `invariant {when} implies {then};` if the first condition asks for the second"
            );
            return Some(explained(range, "", title, help).at(self.range(word)));
        }
        let range = (self.range(word).0, self.range(word + 1).0);
        let fix = Fix::new(range, "", Code::E0013, title).at(self.range(word));
        Some(fix.help(format!("write `invariant {};`", self.text(word + 1, end))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn legality_stands_before_the_move() {
        assert_eq!(mended("expect mark(a1) legal;\n"), "expect legal mark(a1);\n");
        assert_eq!(mended("expect mark(a1) is not legal;\n"), "expect illegal mark(a1);\n");
        assert_eq!(mended("expect legal m(a1), m(b1);\n"), "expect legal m(a1); expect legal m(b1);\n");
    }

    #[test]
    fn results_are_of_all_players() {
        let text = |claim: &str| format!("players X, O;\nexpect {claim};\n");
        assert_eq!(mended(&text("X draws")), text("draw"));
        assert_eq!(mended(&text("value of X = 4")), text("value = 4"));
        let other = helps(&text("value of O = 4"));
        assert!(other.len() == 1 && other[0].contains("of X, of O"), "{other:?}");
        assert_eq!(mended(&text("X value = 4")), text("value = 4"));
        assert_eq!(mended(&text("X always wins")), text("X wins"));
        assert_eq!(mended(&text("result draw")), text("draw"));
        for claim in ["O value = 4", "X never loses", "both lose"] {
            assert!(helps(&text(claim)).iter().all(|help| help.contains("value")), "{claim}");
            assert_eq!(mended(&text(claim)), text(claim));
        }
        assert_eq!(mended(&text("no solution")), text("X loses"));
    }

    #[test]
    fn claims_about_later_positions_are_tests() {
        let new = "test \"after mark(b2)\" { play mark(b2); expect X wins; }\n";
        assert_eq!(mended("expect X wins with mark(b2);\n"), new);
        assert_eq!(mended("expect X wins after playing mark(b2);\n"), new);
        let inside = helps("test \"t\" { expect draw after mark(b2); }\n");
        assert!(inside.len() == 1 && inside[0].contains("`play mark(b2); expect draw;`"), "{inside:?}");
    }

    #[test]
    fn each_depth_has_its_claim() {
        for claim in ["perft 1, 2 = 3, 9", "perft 1 = 3, 2 = 9", "perft 1 = 3, perft 2 = 9"] {
            let text = super::super::testing::mended(&format!("expect {claim};"));
            assert_eq!(text, "expect perft 1 = 3; expect perft 2 = 9;", "{claim}");
        }
    }

    #[test]
    fn plays_are_counted_for_one_depth() {
        assert_eq!(mended("expect perft 1..2 = [9, 72];\n"), "expect perft 1 = 9; expect perft 2 = 72;\n");
    }

    #[test]
    fn invariants_are_conditions() {
        assert_eq!(mended("invariant never pot > n;\n"), "invariant not (pot > n);\n");
        assert_eq!(mended("invariant pot never > n;\n"), "invariant not (pot > n);\n");
        assert_eq!(mended("invariant cap: always pot <= n;\n"), "invariant cap: pot <= n;\n");
        assert_eq!(mended("invariant \"Sum of n\": n = 3;\n"), "invariant sum_of_n: n = 3;\n");
    }

    #[test]
    fn tests_have_their_own_forms() {
        let new = "test \"t\" with n = 2 { expect draw; }\n";
        assert_eq!(mended("test \"t\" { with n = 2; expect draw; }\n"), new);
        assert_eq!(mended("test \"t\" where n = 2 { expect draw; }\n"), new);
        assert_eq!(
            mended("test \"t\" { position = { n := 1; }; }\n"),
            "test \"t\" { position { n := 1; } }\n"
        );
        let play = |moves: &str| format!("players X, O;\ntest \"t\" {{ play {moves}; }}\n");
        assert_eq!(mended(&play("X m(1), O m(2)")), play("m(1), m(2)"));
        assert_eq!(
            titles("invariant eventually n = 3;\n"),
            ["an invariant is a condition that holds in each position"]
        );
        assert_eq!(titles("test \"t\" { play m(1); undo; expect draw; }\n").len(), 1);
    }
}
