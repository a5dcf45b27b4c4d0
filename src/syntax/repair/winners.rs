//! Rules of the end with other words: `=> most points wins`, `=> A wins if f`, `for p when f => p wins`.

use super::edits::{Fix, FixFinder};
use super::phrases::explained;
use super::trial::trial_parse;
use crate::diag::Code;
use crate::grammar::Rule;

/// Words for the most and the least of a number that each player has.
const EXTREMES: [(&str, &str); 20] = [
    ("most", "highest"),
    ("highest", "highest"),
    ("more", "highest"),
    ("greatest", "highest"),
    ("largest", "highest"),
    ("biggest", "highest"),
    ("max", "highest"),
    ("maximum", "highest"),
    ("maximal", "highest"),
    ("least", "lowest"),
    ("fewest", "lowest"),
    ("fewer", "lowest"),
    ("lowest", "lowest"),
    ("smallest", "lowest"),
    ("min", "lowest"),
    ("minimum", "lowest"),
    ("argmax", "highest"),
    ("argmin", "lowest"),
    ("maxby", "highest"),
    ("minby", "lowest"),
];

impl FixFinder<'_> {
    /// Rewrites `last player loses` to `last loses` if a field holds who moved last, and explains it
    /// otherwise.
    pub(super) fn outcome_of_the_last_mover(&self, range: (usize, usize), word: &str, verdict: &str) -> Fix {
        let title = "there is no word for the player who moved last";
        let field =
            self.outline().field(word).filter(|field| field.keys.is_empty() && field.type_name() == "Player");
        if field.is_some() {
            let title = format!("the field `{word}` holds a player: its name alone is the player");
            let new = format!("{word} {verdict}");
            return Fix::new(range, &new, Code::E0005, title).help(format!("write `{new}`"));
        }
        let help = match self.outline().players().len() {
            0..=2 => {
                "after a move the turn has passed: of two players `other(mover)` made the last move; if the player who \
                 cannot move loses, write `play normal;`"
                    .to_owned()
            }
            _ => format!(
                "keep who moved: `last: Player? = none;` in the state, `last := me;` in each move; then write `last {verdict}`"
            ),
        };
        Fix { is_correction: false, ..Fix::new(range, "draw", Code::E0005, title).help(help) }
    }

    /// Fixes and explanations of rules of the end.
    pub fn winners(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.winner_by_a_number(),
            self.number_as_an_outcome(),
            self.highest_of(),
            self.best_of_two_numbers(),
            self.condition_after_the_outcome(),
            self.player_without_a_set(),
            self.condition_after_a_colon(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Rewrites `=> most score wins` to `=> highest score`; explains it where the file does not declare
    /// `score`.
    fn winner_by_a_number(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let end = self.rule_end(arrow);
        let is_person = |at: usize| matches!(self.layout.text(at), "player" | "winner" | "whoever");
        let wins = self.layout.text(end - 1) == "wins" || (arrow + 1..end).any(is_person);
        // A condition or another verdict is not part of such an outcome.
        let is_other = |at: usize| {
            matches!(
                self.layout.text(at),
                "loses"
                    | "lose"
                    | "lost"
                    | "if"
                    | "when"
                    | "unless"
                    | "else"
                    | "and"
                    | "or"
                    | ","
                    | "+"
                    | "-"
            )
        };
        let wins = wins && !(arrow + 1..end).any(is_other);
        if self.layout.text(arrow) != "=>" || self.bounds.at > end || !wins {
            return None;
        }
        let (at, best) = (arrow + 1..end).find_map(|at| {
            let word = self.layout.text(at);
            EXTREMES.iter().find(|(theirs, _)| *theirs == word).map(|(_, ours)| (at, *ours))
        })?;
        let is_article =
            |at: &usize| !matches!(self.layout.text(*at), "of" | "the" | "number" | "in" | "(" | "total");
        let name = (at + 1..end).find(is_article).filter(|&name| self.is_name(name))?;
        let name = self.layout.text(name);
        let new = format!("{best} {name}");
        let range = (self.range(arrow + 1).0, self.range(end - 1).1);
        let title = "who has the most is an outcome of its own";
        let outline = self.outline();
        if outline.has_table(name) {
            let help = format!("write `when ... => {new};`, with a field, table or definition of one player");
            return Some(Fix::new(range, &new, Code::E0005, title).help(help));
        }
        let board = outline.board().unwrap_or("Cell");
        let field = outline.field_over(board).unwrap_or("at");
        let help = format!(
            "write `when ... => {new};`, where `{name}` is a field or definition of each player, for instance `def \
             {name}(p: Player) = count c in {board}: {field}[c] = p;`"
        );
        Some(Fix { code: Code::E0005, ..explained(range, "draw", title, help) })
    }

    /// Rewrites `=> argmax(score)`, `=> most score` and `=> score highest` to `=> highest score`.
    fn number_as_an_outcome(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>", ";"])?;
        let is_outcome = self.layout.text(arrow) == "=>" && self.bounds.at > arrow;
        let end = self.rule_end(arrow);
        if !is_outcome || self.bounds.at > end {
            return None;
        }
        let words: Vec<&str> = (arrow + 1..end).map(|at| self.layout.text(at)).collect();
        let (word, name) = match words[..] {
            ["highest" | "lowest", _] => return None,
            [word, name] if self.is_name(arrow + 2) && EXTREMES.iter().any(|(theirs, _)| *theirs == word) => {
                (word, name)
            }
            [name, word] if self.is_name(arrow + 1) => (word, name),
            [word, "(", name, ")"] if self.is_name(arrow + 3) => (word, name),
            _ => return None,
        };
        let outline = self.outline();
        let is_best = matches!(word, "best" | "leader" | "top");
        let ours = EXTREMES.iter().find(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours);
        let ours = ours.or_else(|| is_best.then_some("highest"))?;
        if !outline.has_table(name) || outline.declares(word) {
            return None;
        }
        let new = format!("{ours} {name}");
        let range = (self.range(arrow + 1).0, self.range(end - 1).1);
        let fix = Fix::new(range, &new, Code::E0005, "who has the most is an outcome of its own");
        Some(match is_best {
            true => Fix {
                is_correction: false,
                ..fix.help(format!("write `{new}` if the most is best, `lowest {name}` if the least is"))
            },
            false => fix.help(format!("write `{new}`")),
        })
    }

    /// Rewrites `=> highest of score` to `=> highest score`.
    fn highest_of(&self) -> Option<Fix> {
        let of = self.bounds.at.checked_sub(1)?;
        let is_word = matches!(self.last, "of" | "in" | "the" | "by") && self.is_name(self.bounds.at);
        let best = self.layout.text(of.checked_sub(1)?);
        (is_word && matches!(best, "highest" | "lowest") && self.layout.text(of.checked_sub(2)?) == "=>")
            .then(|| {
                let range = (self.range(of).0, self.here().0);
                let title = format!("what is compared follows `{best}`");
                let fix = Fix::new(range, "", Code::E0005, title).at(self.range(of));
                fix.help(format!("write `{best} {}`", self.word))
            })
    }

    /// Explains `when f => highest gain, won;`.
    fn best_of_two_numbers(&self) -> Option<Fix> {
        let arrow = self.outside_brackets(self.bounds.clause, &["=>"])?;
        let best = self.layout.text(arrow + 1);
        let is_list = matches!(self.word, "," | "then" | "and") && self.bounds.at > arrow + 2;
        let end = self.outside_brackets(self.bounds.at, &[";"])?;
        (is_list && matches!(best, "highest" | "lowest") && self.is_name(arrow + 2)).then(|| {
            let title = format!("`{best}` compares one number of each player");
            let help = format!(
                "write a rule for the tie before this one, or one number made of both, \
                 `def score(p: Player) = ...;`, and `{best} score`"
            );
            let range = (self.gap().0, self.range(end - 1).1);
            let fix = explained(range, "", &title, help).at((self.here().0, range.1));
            Fix { code: Code::E0005, ..fix }
        })
    }

    /// The help for an outcome of all positions in which no other rule holds.
    pub(super) fn help_for_the_rest(&self, outcome: &str) -> String {
        let is_outcome = trial_parse(Rule::outcome, outcome).is_ok_and(|length| length == outcome.len());
        let outcome = if is_outcome { outcome } else { "draw" };
        let stuck = format!("say when the game is over: `when stuck => {outcome};` if nobody can move");
        let outline = self.outline();
        let field = |board: &&str| outline.field_over(board).and_then(|name| outline.field(name));
        match outline.board() {
            Some(board) if field(&board).is_some_and(|field| field.is_optional()) => format!(
                "{stuck}, `when all c in {board}: {}[c] != none => {outcome};` on a full board",
                outline.field_over(board).unwrap_or("at")
            ),
            _ => format!("{stuck}, or `when ... => {outcome};` with the condition of the end"),
        }
    }

    /// Rewrites `when f => A wins if g;` to `when f and g => A wins;`; explains it if no player of this name
    /// is known.
    fn condition_after_the_outcome(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self.outside_brackets(clause, &["=>", ";"]).filter(|&at| self.layout.text(at) == "=>")?;
        let end = self.rule_end(arrow);
        let sign = (arrow + 2..end)
            .find(|&at| matches!(self.layout.text(at), "if" | "when" | "where" | "unless"))?;
        let is_after = self.is_verdict(sign - 1) && (self.bounds.at == sign || self.bounds.at == arrow);
        let other =
            (sign..end).find(|&at| matches!(self.layout.text(at), "else" | "otherwise")).unwrap_or(end);
        let has_branch = (sign + 1..end).any(|at| matches!(self.layout.text(at), "if" | "then"));
        if !is_after || has_branch || sign + 1 >= other {
            return None;
        }
        let condition = match self.layout.text(sign) {
            "unless" => format!("not ({})", self.text(sign + 1, other)),
            _ => self.joined_term(sign + 1, other),
        };
        let when = self.outside_brackets(clause, &["when"]).filter(|&when| when < arrow);
        let (head, condition) = match when {
            Some(when) => (
                self.text(clause, when + 1),
                format!("{} and {condition}", self.joined_term(when + 1, arrow)),
            ),
            None if arrow == clause => ("when", condition),
            None => return None,
        };
        let is_bound = when.is_some_and(|when| when > clause);
        let player = self.layout.text(arrow + 1);
        let is_known =
            sign != arrow + 3 || is_bound || player == "mover" || self.outline().players().contains(&player);
        let head = if is_known { head.to_owned() } else { format!("for {player} in Player {head}") };
        let mut new = format!("{head} {condition} => {};", self.text(arrow + 1, sign));
        if other < end {
            let rest = when.filter(|_| !is_bound && self.is_verdict(end - 1))?;
            new += &format!(" {} => {};", self.text(rest, arrow), self.text(other + 1, end));
        }
        let last = end - usize::from(self.layout.text(end) != ";");
        let range = (self.range(clause).0, self.range(last).1);
        let fix = Fix::new(range, &new, Code::E0005, "conditions stand before `=>`").at(self.range(sign));
        Some(Fix { is_correction: is_known, ..fix.help(format!("write `{new}`")) })
    }

    /// Returns true for a word that ends an outcome.
    fn is_verdict(&self, at: usize) -> bool {
        matches!(self.layout.text(at), "wins" | "loses" | "draw" | "win" | "lose")
    }

    /// The words from one up to another, in brackets if `and` does not join them as a whole.
    pub(super) fn joined_term(&self, from: usize, to: usize) -> String {
        let is_loose = |at: usize| {
            matches!(
                self.layout.text(at),
                "or" | "implies" | "iff" | "some" | "all" | "no" | "one" | "if" | ":"
            )
        };
        let text = self.text(from, to);
        if (from..to).any(is_loose) { format!("({text})") } else { text.to_owned() }
    }

    /// Rewrites `for p when f => p wins;` and `for each p: f => p wins;` to `for p in Player when f => p
    /// wins;`.
    fn player_without_a_set(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let arrow = self.outside_brackets(clause, &["=>", ";"]).filter(|&at| self.layout.text(at) == "=>")?;
        let sign = self.outside_brackets(clause + 1, &["when", ":", "if", "in", "where", "=>"])?;
        let is_rule = self.layout.text(clause) == "for" && (clause + 1..=sign).contains(&self.bounds.at);
        if !is_rule || !matches!(self.layout.text(sign), "when" | ":" | "if") {
            return None;
        }
        let is_filler =
            |word: &str| matches!(word, "each" | "every" | "all" | "any" | "player" | "Player" | "players");
        let names: Vec<&str> =
            (clause + 1..sign).map(|at| self.layout.text(at)).filter(|word| !is_filler(word)).collect();
        let [name] = names[..] else { return None };
        let wins =
            self.layout.text(arrow + 1) == name && matches!(self.layout.text(arrow + 2), "wins" | "loses");
        let new = format!("for {name} in Player when");
        let range = (self.range(clause).0, self.range(sign).1);
        let title = "a rule for each player names the set of the players";
        let fix = Fix::new(range, &new, Code::E0005, title).help(format!("write `{new} ...`"));
        Some(Fix { is_correction: wins, ..fix })
    }

    /// Rewrites `for p in Player: f => p wins;` to `for p in Player when f => p wins;`.
    fn condition_after_a_colon(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_rule = self.layout.text(clause) == "for" && matches!(self.word, ":" | ",");
        let arrow = self.outside_brackets(self.bounds.at, &["=>", ";"]).filter(|_| is_rule)?;
        let has_when = (clause..arrow).any(|at| self.layout.text(at) == "when");
        let next = self.layout.text(self.bounds.at + 1);
        if self.layout.text(arrow) != "=>" || has_when || matches!(next, "if" | "for") {
            return None;
        }
        // `for p in Player, c in Cell when f` has a second variable.
        if self.word == "," && self.layout.text(self.bounds.at + 2) == "in" {
            return None;
        }
        let title = format!("`when` leads to the condition of a rule, not `{}`", self.word);
        let range = (self.gap().0, self.here().1);
        let fix = Fix::new(range, " when", Code::E0005, title).at(self.here());
        Some(fix.help("write `when` in its place"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn the_most_is_an_outcome() {
        let text = |outcome: &str| {
            format!("state {{ place[p: Player]: 0..9 = 0; }}\nend {{ when stuck => {outcome}; }}\n")
        };
        for (theirs, ours) in [
            ("argmax(place)", "highest place"),
            ("max(place)", "highest place"),
            ("most place", "highest place"),
            ("least place", "lowest place"),
            ("place highest", "highest place"),
        ] {
            assert_eq!(mended(&text(theirs)), text(ours));
            assert_eq!(titles(&text(theirs)), ["who has the most is an outcome of its own"], "{theirs}");
        }
        assert_eq!(mended(&text("best(place)")), text("best(place)"));
        assert!(helps(&text("best(place)"))[0].contains("`lowest place` if the least is"));
    }
}
