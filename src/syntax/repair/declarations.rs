//! Items in other forms: moves without braces, enumerations and records as in other languages, claims in words.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;
use crate::grammar::Rule;
use crate::keywords;

/// The message about the form of `sees`.
pub(super) const SEES: (&str, &str) = (
    "`sees` names a player, and after a `:` the term that this player sees",
    "write `sees Ann: e;`, with a player or a set of players; what each sees of his own is said at the field: \
     `hand[p: Player]: Card = ... visible to p;`",
);

/// Other words for the end of a game in which a player cannot move.
const CONVENTIONS: [&str; 12] = [
    "standard",
    "usual",
    "regular",
    "classic",
    "classical",
    "ordinary",
    "default",
    "reverse",
    "reversed",
    "inverse",
    "suicide",
    "losing",
];

impl FixFinder<'_> {
    /// Fixes and explanations of items.
    pub fn declarations(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.move_without_braces(),
            self.players_against_each_other(),
            self.players_with_more(),
            self.game_in_braces(),
            self.enumeration_in_another_form(),
            self.record_in_another_form(),
            self.phases_in_another_form(),
            self.all_players_at_once(),
            self.type_without_elements(),
            self.field_as_a_function(),
            self.field_with_round_brackets(),
            self.field_for_each_player(),
            self.claim_in_words(),
            self.move_in_a_test(),
            self.moves_without_commas(),
            self.parameter_in_words(),
            self.evaluation_without_a_player(),
            self.form_of_sees(),
            self.other_convention(),
            self.hidden_from(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Explains `move mark(c: Cell) when f => e;`.
    fn move_without_braces(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_move =
            matches!(self.layout.text(first), "move" | "chance") && self.bounds.place == ClauseContext::Top;
        let is_body = matches!(self.word, "when" | "if" | "then" | ":" | "=" | "=>" | ":=" | "do" | "begin");
        let is_effect = self.is_name(self.bounds.at)
            && matches!(self.layout.text(self.bounds.at + 1), ":=" | "+=" | "-=" | "|=" | "<-" | "[");
        let is_body = is_body || is_effect;
        let is_after_head = self.last == ")" || self.last.starts_with('"');
        if is_move
            && is_after_head
            && matches!(self.word, ":" | "=" | "=>")
            && self.layout.text(self.bounds.at + 1) == "{"
        {
            let title = format!("the braces of a move follow its head without `{}`", self.word);
            return Some(Fix::new(self.here(), "", Code::E0013, title).help("leave it out"));
        }
        (is_move && is_body && is_after_head).then(|| {
            let end = self.range(self.layout.item_end(first) - 1).1;
            let title = "the conditions and effects of a move stand in braces";
            let name = self.layout.text(first + 1);
            let help = format!("write `move {name}(...) {{ when ...; field := ...; }}`");
            explained((self.range(first).0, end), "", title, help).at(self.here())
        })
    }

    /// Explains `players X (first), O;` and `players X: red, O: blue;`.
    fn players_with_more(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let end = self.outside_brackets(first + 1, &[";"])?;
        if self.layout.text(first) != "players"
            || !matches!(self.word, "(" | ":" | "=" | "as")
            || self.bounds.at == first + 1
        {
            return None;
        }
        let names: Vec<&str> = (first + 1..end)
            .filter(|&at| at == first + 1 || self.layout.text(at - 1) == ",")
            .map(|at| self.layout.text(at))
            .collect();
        let names = names.join(", ");
        let range = (self.range(first + 1).0, self.range(end - 1).1);
        let title = "players are listed by their names alone, and the first one begins";
        let help = format!("write `players {names};`");
        Some(explained(range, &names, title, help).at(self.here()))
    }

    /// Rewrites `players X vs O;` to `players X, O;`.
    fn players_against_each_other(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_word = |at: usize| {
            let word = self.layout.text(at);
            matches!(
                word,
                "vs" | "v" | "versus" | "against" | "plus" | "then" | "or" | "/" | "|" | "&" | "+" | "-"
            )
        };
        let end = self.outside_brackets(first + 1, &[";"])?;
        let is_players = self.layout.text(first) == "players" && is_word(self.bounds.at);
        let mut names = Vec::new();
        let mut at = first + 1;
        while is_players && at < end && self.is_name(at) {
            names.push(self.layout.text(at));
            let is_joined = self.layout.text(at + 1) == "," || is_word(at + 1);
            let has_dot = matches!(self.layout.text(at + 1), "vs" | "v") && self.layout.text(at + 2) == ".";
            at += 1 + usize::from(is_joined) + usize::from(has_dot);
        }
        let range = (self.range(first + 1).0, self.range(end - 1).1);
        (at == end && names.len() > 1).then(|| {
            let new = names.join(", ");
            let title = "the players are a list with commas";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            fix.help(format!("write `players {new};`"))
        })
    }

    /// Explains `game "Trio" { ... }`.
    fn game_in_braces(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_game = self.layout.text(self.bounds.first) == "game" && self.word == "{";
        let close = self.layout.partner(at).filter(|_| is_game && at == self.bounds.first + 2)?;
        let new = format!("; {}", self.text(at + 1, close));
        let range = (self.here().0, self.range(close).1);
        let title = "the items of a game follow its name without braces around them";
        let help = "write `game \"Name\";`, and leave out the `}` at the end";
        Some(explained(range, &new, title, help).at(self.here()))
    }

    /// Rewrites `enum Kind = man, king;` and `enum Kind { "man", "king" }`, and explains `enum Kind { man = 1 }`.
    fn enumeration_in_another_form(&self) -> Option<Fix> {
        let first = self.bounds.first;
        if self.layout.text(first) != "enum" || self.bounds.at < first + 2 {
            return None;
        }
        let start = first + 2 + usize::from(matches!(self.layout.text(first + 2), "=" | ":"));
        let has_braces = matches!(self.layout.text(start), "{" | "[" | "(");
        let end =
            if has_braces { self.layout.partner(start)? } else { self.outside_brackets(start, &[";"])? };
        let mut names = Vec::new();
        let mut has_numbers = false;
        for at in start + usize::from(has_braces)..end {
            let word = self.layout.text(at);
            match word {
                "," | "|" | ";" | "<" | "->" => {}
                // The least member is the first.
                "=" | ":" | ">" => has_numbers = true,
                _ if word.bytes().all(|b| b.is_ascii_digit()) => {}
                _ => names.push(word.trim_matches('"')),
            }
        }
        let is_name = |name: &&str| keywords::starts_with_letter(name) && !name.contains(' ');
        if names.is_empty() || !names.iter().all(is_name) {
            return None;
        }
        if (start..end).any(|at| self.layout.text(at) == ">") {
            names.reverse();
        }
        let last = end + usize::from(has_braces && self.layout.text(end + 1) == ";");
        let new = format!("{{ {} }}", names.join(", "));
        let range = (self.range(first + 2).0, self.range(last).1);
        let kind = self.layout.text(first + 1);
        let title = "the members of a type are names in braces, ordered as written";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        let fix = fix.help(format!("write `enum {kind} {new}`"));
        Some(Fix { is_correction: !has_numbers, ..fix })
    }

    /// Rewrites `record Piece { owner: Player; king: bool; }` to `record Piece(owner: Player, king: bool);`.
    fn record_in_another_form(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = first + 2 + usize::from(self.layout.text(first + 2) == "=");
        let close = self.layout.partner(open)?;
        let is_record = self.layout.text(first) == "record" && self.bounds.at == first + 2;
        if !is_record || !matches!(self.layout.text(open), "{" | "(") {
            return None;
        }
        let parts = self.text(open + 1, close).trim_end_matches([';', ',']).replace(';', ",");
        let parts = parts.split(',').map(str::trim).collect::<Vec<_>>().join(", ");
        let last = close + usize::from(self.layout.text(close + 1) == ";");
        let range = (self.range(first + 1).1, self.range(last).1);
        let new = format!("({parts});");
        let title = "the parts of a record stand in round brackets, with commas between them";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `record {}{new}`", self.layout.text(first + 1))))
    }

    /// Rewrites `phases { deal by chance, bet }` and `phases a, b;` to `phases { deal by chance; bet; }`.
    fn phases_in_another_form(&self) -> Option<Fix> {
        let first = self.bounds.first;
        if self.layout.text(first) != "phases" || self.bounds.at == first {
            return None;
        }
        let start = first + 1 + usize::from(matches!(self.layout.text(first + 1), "=" | ":"));
        let has_brackets = matches!(self.layout.text(start), "{" | "[" | "(");
        let end =
            if has_brackets { self.layout.partner(start)? } else { self.outside_brackets(start, &[";"])? };
        let is_separator = |at: &usize| matches!(self.layout.text(*at), "," | ";" | "|" | "->");
        let mut phases = Vec::new();
        let mut from = start + usize::from(has_brackets);
        while from < end {
            let to = (from..end).find(is_separator).unwrap_or(end);
            phases.extend(self.phases_between(from, to));
            from = to + 1;
        }
        if !phases.iter().all(|phase| keywords::starts_with_letter(phase) && !phase.contains('{')) {
            return None;
        }
        let last = end + usize::from(has_brackets && self.layout.text(end + 1) == ";");
        let new = format!("{{ {}; }}", phases.join("; "));
        let range = (self.range(first + 1).0, self.range(last).1);
        let title = "phases stand in braces, each with `;` after it";
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `phases {new}`")))
    }

    /// The phases between two words, each a name with an actor, as in `hide by Ida lift by Otto`.
    fn phases_between(&self, from: usize, to: usize) -> Vec<&str> {
        let (mut phases, mut start) = (Vec::new(), from);
        for at in from + 1..to {
            let (last, word) = (self.layout.text(at - 1), self.layout.text(at));
            let goes_on = matches!(last, "by" | "setup" | ".") || matches!(word, "by" | "(" | ".");
            let is_phase = self.is_name(at) && self.outline().is_phase_of_a_move(word);
            if !goes_on && is_phase && (self.is_name(at - 1) || matches!(last, "chance" | "each" | ")")) {
                phases.push(self.text(start, at));
                start = at;
            }
        }
        if start < to {
            phases.push(self.text(start, to));
        }
        phases
    }

    /// Rewrites `phases { bid by all; }` to `phases { bid by each; }`.
    fn all_players_at_once(&self) -> Option<Fix> {
        let is_players = |at: usize| matches!(self.layout.text(at), "players" | "player" | "of");
        let is_word = |at: &usize| {
            let is_all = match self.layout.text(*at) {
                "all" | "every" => true,
                "each" | "both" => is_players(at + 1),
                _ => false,
            };
            is_all && self.layout.text(at.wrapping_sub(1)) == "by"
        };
        let at = (self.bounds.at.saturating_sub(2)..=self.bounds.at).find(is_word)?;
        let end = at + usize::from(is_players(at + 1));
        (self.layout.text(self.bounds.first) == "phases").then(|| {
            let range = (self.range(at).0, self.range(end).1);
            let title = "a phase in which all players choose at once is `by each`";
            Fix::new(range, "each", Code::E0013, title).help("write `by each`")
        })
    }

    /// Explains `param row: list = ...;` and `s: set = {};`.
    fn type_without_elements(&self) -> Option<Fix> {
        let at = [self.bounds.at.checked_sub(1)?, self.bounds.at].into_iter().find(|&at| {
            matches!(self.layout.text(at), "list" | "set") && self.layout.text(at.wrapping_sub(1)) == ":"
        })?;
        let word = self.layout.text(at);
        let end = self.range(at).1;
        if let Some((ty, close)) = self.type_in_brackets(at + 1) {
            let new = format!("{word} of {ty}");
            let title = format!("the type of the elements of a {word} stands after `of`");
            let range = (self.range(at).0, self.range(close).1);
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        (at > self.bounds.first && self.layout.text(at + 1) != "of").then(|| {
            if word == "list" && self.bounds.place == ClauseContext::State {
                let title = "a list cannot be part of the state";
                let help = format!(
                    "write `{}[i: 1..3]: 0..9` for a value of each number, or `set of 0..9` if their order does not count",
                    self.layout.text(at.saturating_sub(2))
                );
                return explained(self.range(at), DAMAGE_MARKER, title, help).at(self.range(at));
            }
            let title = format!("the type of the elements of this {word} is missing");
            let help = format!("write `{word} of 0..9`, or `{word} of Cell` with a type of the game");
            explained((end, end), &format!(" of {DAMAGE_MARKER}"), &title, help).at(self.range(at))
        })
    }

    /// The type between brackets after `list` or `set`, and the closing bracket; a number there may be a length.
    fn type_in_brackets(&self, open: usize) -> Option<(&str, usize)> {
        let close = self.layout.partner(open).filter(|&close| close > open + 1)?;
        let ty = self.text(open + 1, close);
        let outline = self.outline();
        let is_type = ty.contains("..") || matches!(ty, "Player" | "bool") || outline.declares_type(ty);
        let is_whole = super::trial_parse(Rule::one_type, ty).is_ok_and(|length| length == ty.len());
        let is_bracket = matches!(self.layout.text(open), "[" | "(");
        (is_bracket && is_type && is_whole).then_some((ty, close))
    }

    /// Rewrites `at: Cell -> Player?;` to `at[c: Cell]: Player?;`.
    fn field_as_a_function(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_function = self.bounds.place == ClauseContext::State
            && matches!(self.word, "->" | "=>")
            && self.layout.text(clause + 1) == ":"
            && at > clause + 2;
        if !is_function {
            return None;
        }
        let end =
            self.outside_brackets(at + 1, &["=", ";", "visible", "hidden"]).filter(|&end| end > at + 1)?;
        let (keys, value) = self.keys_of_a_function(clause + 2, at, end)?;
        let new = format!("[{keys}]: {value}");
        let range = (self.range(clause).1, self.range(end - 1).1);
        let title = "a field with a value for each key has the key in square brackets";
        let help = format!("write `{}{new};`", self.layout.text(clause));
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help))
    }

    /// The keys of `Cell -> T`, `(Player, Horse) -> T` and `Player -> Horse -> T`, each with a name, and the type `T`.
    fn keys_of_a_function(&self, from: usize, arrow: usize, end: usize) -> Option<(String, &str)> {
        let is_list = self.layout.text(from) == "(" && self.layout.partner(from) == Some(arrow - 1);
        let mut keys = match is_list {
            true => self.parts_between(from + 1, arrow - 1),
            false => vec![self.text(from, arrow)],
        };
        let mut start = arrow + 1;
        while let Some(next) = self.outside_brackets(start, &["->", "=>"]).filter(|&next| next < end) {
            keys.push(self.text(start, next));
            start = next + 1;
        }
        let is_type =
            |key: &&str| super::trial_parse(Rule::one_type, key).is_ok_and(|length| length == key.len());
        let is_known = keys.len() == 1 && !is_list || !keys.is_empty() && keys.iter().all(is_type);
        let mut names: Vec<String> = Vec::new();
        for key in keys.iter().filter(|_| is_known) {
            // A range has no letter of its own.
            let own = if key.starts_with(|c: char| c.is_ascii_alphabetic()) { *key } else { "" };
            let letters = own.chars().filter(char::is_ascii_alphabetic).chain("ijklmn".chars());
            let is_free =
                |name: &String| !names.contains(name) && !(from..end).any(|at| self.layout.text(at) == name);
            names.push(letters.map(|c| c.to_ascii_lowercase().to_string()).find(is_free)?);
        }
        let keys: Vec<String> = names.iter().zip(&keys).map(|(name, key)| format!("{name}: {key}")).collect();
        (is_known && end > start).then(|| (keys.join(", "), self.text(start, end)))
    }

    /// Rewrites `on(x: Block, y: Block): bool` in a state to `on[x: Block, y: Block]: bool`.
    fn field_with_round_brackets(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let close = self.layout.partner(self.bounds.at).filter(|_| self.word == "(")?;
        let is_field = self.bounds.place == ClauseContext::State
            && self.bounds.at == clause + 1
            && keywords::starts_with_letter(self.last)
            && matches!(self.layout.text(close + 1), ":" | ";" | "=");
        let keys = self.text(self.bounds.at + 1, close);
        let new = format!("[{keys}]");
        let range = (self.here().0, self.range(close).1);
        let title = "the keys of a field stand in square brackets";
        is_field.then(|| {
            let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{}{new}`", self.last));
            // The type after them may be missing as well.
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Explains `pos[A]: 0..9 = 0; pos[B]: 0..9 = 0;`, fields with the same name.
    fn field_for_each_player(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let begins_twin = |at: usize| {
            self.layout.text(at) == self.layout.text(clause)
                && self.layout.text(at + 1) == "["
                && self.layout.partner(at + 1) == Some(at + 3)
                && self.layout.text(at + 4) == ":"
        };
        if self.bounds.place != ClauseContext::State || !begins_twin(clause) {
            return None;
        }
        let end = |at: usize| self.outside_brackets(at, &[";"]);
        let mut last = end(clause)?;
        let mut count = 1;
        while begins_twin(last + 1) {
            last = end(last + 1)?;
            count += 1;
        }
        (count > 1).then(|| {
            let (name, rest) = (self.layout.text(clause), self.text(clause + 4, end(clause).unwrap_or(last)));
            let range = (self.range(clause).0, self.range(last).1);
            let title = format!("one field `{name}` has a value for each key");
            let help = format!("write `{name}[p: Player]{rest};`, if the keys are the players");
            let new = format!("{name}[k: {DAMAGE_MARKER}]{rest};");
            explained(range, &new, &title, help).at(range)
        })
    }

    /// Rewrites `expect first player wins;`, `... in 3 moves;`, `first = wins`, `with (n = 5)`; explains `... if f;`.
    fn claim_in_words(&self) -> Option<Fix> {
        if self.layout.text(self.bounds.first) != "expect" && self.layout.text(self.bounds.clause) != "expect"
        {
            return None;
        }
        let at = self.bounds.at;
        let draws = at.checked_sub(3).filter(|_| self.word == ";" && self.last == "draw");
        if let Some(subject) =
            draws.filter(|&subject| matches!(self.layout.text(subject), "result" | "value" | "outcome"))
            && self.layout.text(subject + 1) == "="
        {
            let range = (self.range(subject).0, self.range(subject + 2).1);
            let title = "a claim about a draw is one word";
            return Some(Fix::new(range, "draw", Code::E0013, title).help("write `expect draw;`"));
        }
        let certain = |range, title: &str| Some(Fix::new(range, "", Code::E0013, title).help("leave it out"));
        let before = at.saturating_sub(1);
        let player = [before, at].into_iter().find(|&at| {
            self.layout.text(at) == "player"
                && matches!(self.layout.text(at.saturating_sub(1)), "first" | "second")
        });
        if let Some(player) = player {
            return certain(self.range(player), "`first` and `second` are players without a further word");
        }
        if matches!(self.word, "moves" | "move" | "plies" | "ply" | "turns")
            && self.last.bytes().all(|b| b.is_ascii_digit())
        {
            return certain(self.here(), "plies are counted without a unit");
        }
        let equals = [before, before.saturating_sub(1)]
            .into_iter()
            .find(|&at| matches!(self.layout.text(at), "=" | "=="));
        if let Some(equals) = equals.filter(|&at| matches!(self.layout.text(at + 1), "wins" | "loses")) {
            return certain(self.range(equals), "a claim about the winner has no `=`");
        }
        let close = self.layout.partner(at);
        if let Some(close) = close.filter(|_| self.word == "(" && self.last == "with") {
            let new = self.text(at + 1, close);
            let range = (self.here().0, self.range(close).1);
            let title = "the parameters of a claim stand without brackets";
            return Some(
                Fix::new(range, new, Code::E0013, title).at(self.here()).help(format!("write `with {new}`")),
            );
        }
        matches!(self.word, "if" | "for" | "when" | "where" | "whenever").then(|| {
            let range = (self.here().0, self.range(self.bounds.end.saturating_sub(1)).0);
            let title = "a claim is about one choice of the parameters";
            let help = "write `expect ... with n = 4;`, one claim for each choice";
            explained(range, "", title, help).at(self.here())
        })
    }

    /// Rewrites `play roll() then die(1);` in a test to `play roll(), die(1);`.
    fn moves_without_commas(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_sign = matches!(self.word, "then" | "->" | "=>" | "&" | "+" | "|" | "and");
        let follows = self.is_name(at + 1) || self.layout.text(at + 1).starts_with('"');
        let is_play = self.bounds.place == ClauseContext::Test && self.layout.text(clause) == "play";
        if !is_play || !is_sign || !follows || at < clause + 2 {
            return None;
        }
        let ends = matches!(self.last, ")" | "]") || self.last.ends_with('"') || self.is_name(at - 1);
        ends.then(|| {
            let title = "commas stand between the moves of a test";
            let range = (self.gap().0, self.here().1);
            let fix = Fix::new(range, ",", Code::E0013, title).at(self.here());
            fix.help(format!("write `, {}`", self.layout.text(at + 1)))
        })
    }

    /// Rewrites `mark(a1);` in a test to `play mark(a1);`.
    fn move_in_a_test(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let close = self.layout.partner(clause + 1).filter(|_| self.layout.text(clause + 1) == "(")?;
        let is_move = self.bounds.place == ClauseContext::Test
            && self.layout.text(close + 1) == ";"
            && keywords::starts_with_letter(self.layout.text(clause))
            && !matches!(self.layout.text(clause), "assert" | "expect" | "play" | "position");
        let start = self.range(clause).0;
        let title = "the moves of a test stand after `play`";
        is_move.then(|| {
            let fix = Fix::new((start, start), "play ", Code::E0013, title).at(self.range(clause));
            fix.help(format!("write `play {}(...);`", self.layout.text(clause)))
        })
    }

    /// Rewrites `param n: 1..9 default 3;` and `param n in 1..9 = 3;`, and explains a parameter without a value.
    fn parameter_in_words(&self) -> Option<Fix> {
        let first = self.bounds.first;
        if self.layout.text(first) != "param" {
            return None;
        }
        let title = "a parameter is its name, its type and its value";
        match self.word {
            "default" | "is" | "defaults" | ":=" => {
                let range =
                    (self.here().0, self.range(self.bounds.at + usize::from(self.word == "defaults")).1);
                Some(Fix::new(range, "=", Code::E0013, title).help("write `= ...`"))
            }
            "in" if self.bounds.at == first + 2 => {
                let range = (self.gap().0, self.here().1);
                Some(
                    Fix::new(range, ":", Code::E0013, title)
                        .at(self.here())
                        .help("write `:` before the type"),
                )
            }
            // `param n: 4;`
            ";" if self.bounds.at == first + 4 && self.is_number(first + 3) => {
                let (name, number) = (self.layout.text(first + 1), self.last);
                let ty = if number == "0" { "0..9".to_owned() } else { format!("1..{number}") };
                let new = format!("{ty} = {number}");
                let help = format!("write `param {name}: {new};`, with the values that it may have");
                let title = "a parameter has the range of its values, and its value after `=`";
                let fix = explained(self.range(first + 3), &new, title, help);
                Some(fix.at(self.range(first + 3)))
            }
            ";" => {
                let name = self.layout.text(first + 1);
                let help = format!(
                    "write `{} = ...;` with the value that counts without `--set {name}=...`",
                    self.text(first, self.bounds.at)
                );
                Some(
                    explained(
                        self.gap(),
                        &format!(" = {DAMAGE_MARKER}"),
                        "this parameter has no value",
                        help,
                    )
                    .at(self.range(first + 1)),
                )
            }
            _ => None,
        }
    }

    /// Explains `evaluate: e;`.
    fn evaluation_without_a_player(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_evaluation =
            matches!(self.layout.text(first), "evaluate" | "sees") && self.bounds.at == first + 1;
        (is_evaluation && matches!(self.word, ":" | "=")).then(|| {
            let word = self.layout.text(first);
            let end = self.range(self.layout.item_end(first) - 1).1;
            let title = format!("`{word}` is about a player, who has a name in it");
            let help = match word {
                "sees" => "write `sees Ann: ...;`, with the name of the player".to_owned(),
                _ => format!("write `{word} p: ...;`, where `p` is the player"),
            };
            explained((self.range(first).0, end), "", &title, help).at(self.here())
        })
    }

    /// Explains `sees p { hand[p] }`, `sees hand;` and `sees for p in Player: hand[p];`.
    fn form_of_sees(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        if self.layout.text(first) != "sees" || at <= first {
            return None;
        }
        let (next, end) = (self.layout.text(first + 1), self.layout.item_end(first));
        let is_block =
            self.word == "{" || next == "{" && self.layout.partner(first + 1).is_some_and(|close| at < close);
        // `sees Ann hand[Ann];` lacks the sign alone.
        let is_player = next.starts_with(|c: char| c.is_ascii_uppercase());
        let lacks_sign = (first..end).all(|at| self.layout.text(at) != ":") && !is_player;
        (is_block || lacks_sign || matches!(next, "for" | "all" | "each")).then(|| {
            let range = (self.range(first).0, self.range(end - 1).1);
            explained(range, "", SEES.0, SEES.1).at(self.here())
        })
    }

    /// Explains `play last wins;`; one word alone is misspelt, or lacks its semicolon.
    fn other_convention(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let words = self.layout.item_end(first) - first;
        let is_play = self.layout.text(first) == "play" && self.bounds.at > first && words > 3;
        if is_play
            && matches!(self.word, ":" | "=")
            && matches!(self.layout.text(self.bounds.at + 1), "normal" | "misere")
        {
            let title = format!("this `{}` is one too many", self.word);
            return Some(Fix::new(self.here(), "", Code::E0013, title).help("take it away"));
        }
        let is_named = self.layout.text(first) == "play"
            && self.bounds.at == first + 1
            && CONVENTIONS.contains(&self.word);
        ((is_play || is_named) && self.bounds.place == ClauseContext::Top).then(|| {
            let end = self.range(self.layout.item_end(first) - 1).1;
            let title = "there are two conventions: `play normal;` and `play misere;`";
            let help = "in normal play the last move wins, since a player who cannot move loses; in misere play the last move loses";
            explained((self.range(first).0, end), "play normal;", title, help).at(self.here())
        })
    }

    /// Explains `... hidden from p;`.
    fn hidden_from(&self) -> Option<Fix> {
        let is_hidden = self.last == "hidden" && self.bounds.place == ClauseContext::State;
        let end =
            self.outside_brackets(self.bounds.at, &[";"]).filter(|_| is_hidden && self.word == "from")?;
        let range = (self.here().0, self.range(end - 1).1);
        let title = "a field says who sees it, not who does not";
        let help = "write `... visible to p;` with the players who see it; `... hidden;` if nobody does";
        Some(explained(range, "", title, help).at((self.range(self.bounds.at - 1).0, self.here().1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn there_are_two_conventions() {
        let title = "there are two conventions: `play normal;` and `play misere;`";
        assert_eq!(titles("play standard;\n"), [title]);
        assert_eq!(mended("play norml;\n"), "play normal;\n");
    }

    #[test]
    fn players_are_a_list() {
        for list in ["X vs O", "X vs. O", "X versus O", "X / O"] {
            assert_eq!(mended(&format!("players {list};\n")), "players X, O;\n", "{list}");
        }
    }

    #[test]
    fn a_parameter_has_a_range_and_a_value() {
        let found = helps("param n: 4;\nplayers X, O;\n");
        assert!(found.len() == 1 && found[0].contains("`param n: 1..4 = 4;`"), "{found:?}");
    }

    #[test]
    fn a_field_has_a_name_for_each_key() {
        for (old, new) in [
            ("at: (Player, Horse) -> 0..home = 0;", "at[p: Player, h: Horse]: 0..home = 0;"),
            ("at: (Player, Piece) -> 0..3 = 0;", "at[p: Player, i: Piece]: 0..3 = 0;"),
            ("at: Player -> Horse -> bool = false;", "at[p: Player, h: Horse]: bool = false;"),
            ("at: (Cell) -> Player? = none;", "at[c: Cell]: Player? = none;"),
            ("at: Cell -> Player? = none;", "at[c: Cell]: Player? = none;"),
            ("at: (1..3, 1..4) -> bool = false;", "at[i: 1..3, j: 1..4]: bool = false;"),
        ] {
            let text = |field: &str| format!("state {{ {field} }}\n");
            assert_eq!(mended(&text(old)), text(new));
            assert_eq!(titles(&text(old)).len(), 1, "{old}");
        }
    }
}
