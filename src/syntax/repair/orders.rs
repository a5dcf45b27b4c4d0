//! Orders to the game in the place of effects: `toggle lit[c];`, `remove at[c];`, `go again;`, `next = opponent;`.

use super::edits::{Fix, FixFinder};
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::{Code, nearest};

/// Ways to say that the same player moves again.
const AGAIN: [&str; 17] = [
    "go again",
    "move again",
    "play again",
    "turn again",
    "go once more",
    "move once more",
    "extra turn",
    "extra move",
    "another turn",
    "another move",
    "take another turn",
    "one more turn",
    "one more move",
    "bonus turn",
    "keep turn",
    "keep the turn",
    "same player again",
];

/// Ways to say that the game is over.
const STOP: [&str; 13] = [
    "stop",
    "halt",
    "finish",
    "terminate",
    "gameover",
    "game_over",
    "endgame",
    "game over",
    "end game",
    "end the game",
    "stop game",
    "stop the game",
    "finish game",
];

impl FixFinder<'_> {
    /// Fixes and explanations of orders.
    pub fn orders(&self, fixes: &mut Vec<Fix>) {
        if self.bounds.place != ClauseContext::Move || self.in_definition() {
            return;
        }
        let all = [
            self.phase_left_out(),
            self.next_with_a_sign(),
            self.chained_effects(),
            self.turn_kept_in_words(),
            self.value_taken_away(),
            self.value_turned_round(),
            self.game_stopped(),
            self.piece_placed(),
            self.piece_moved(),
            self.number_with_a_plus(),
            self.name_without_let(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The end of the clause: its semicolon.
    fn end_of_order(&self) -> Option<usize> {
        self.outside_brackets(self.bounds.clause, &[";"]).filter(|&end| end > self.bounds.clause)
    }

    /// The phases of the move or event around the mistake.
    fn phases_of_head(&self) -> Vec<&str> {
        let Some(word) = self.outside_brackets(self.bounds.first, &["in"]) else {
            let first = self.outline().phases().into_iter().find(|(_, is_setup)| !is_setup);
            return first.map(|(name, _)| name).into_iter().collect();
        };
        let mut names = vec![self.layout.text(word + 1)];
        let mut at = word + 2;
        while self.layout.text(at) == "," {
            names.push(self.layout.text(at + 1));
            at += 2;
        }
        names
    }

    /// Completes `continue;` in a game with phases.
    fn phase_left_out(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_bare = self.layout.text(clause) == "continue" && self.layout.text(clause + 1) == ";";
        if !is_bare {
            return None;
        }
        let (phases, here) = (self.outline().phases(), self.phases_of_head());
        if phases.is_empty() {
            return None;
        }
        let names: Vec<&str> =
            phases.iter().filter(|(_, is_setup)| !is_setup).map(|(name, _)| *name).collect();
        let last = phases.iter().rposition(|(name, _)| here.contains(name));
        let following: Vec<&str> = phases
            .iter()
            .skip(last.map_or(0, |last| last + 1))
            .filter(|(_, is_setup)| !is_setup)
            .map(|(name, _)| *name)
            .collect();
        let range = self.range(clause);
        let title = "`continue` names the phase that follows";
        match (&following[..], &names[..]) {
            (_, [] | [_]) if names.iter().all(|name| here.contains(name)) => {
                let help = "write `again;` for the same player to move again; to end the move, leave it out";
                Some(explained(range, "again", title, help))
            }
            ([only], _) => {
                let new = format!("continue {only}");
                Some(Fix::new(range, &new, Code::E0013, title).help(format!("write `{new};`")))
            }
            _ => {
                let forms: Vec<String> = names.iter().map(|name| format!("`continue {name};`")).collect();
                let help = format!("write {}", forms.join(" or "));
                Some(explained(range, &format!("continue {}", names[0]), title, help))
            }
        }
    }

    /// Rewrites `next = opponent;` to `next opponent;`.
    fn next_with_a_sign(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_signed = self.layout.text(clause) == "next"
            && matches!(self.layout.text(clause + 1), "=" | "==" | ":" | "->" | "=>" | "<-");
        let end = self.end_of_order().filter(|&end| is_signed && end > clause + 2)?;
        let value = self.text(clause + 2, end);
        let is_other = matches!(value, "opponent" | "other(me)");
        let new = match value {
            "me" => "again".to_owned(),
            // After an event of chance the turn stays.
            _ if is_other && self.is_event() => "next other(mover)".to_owned(),
            _ => format!("next {value}"),
        };
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "who moves next stands after `next`, without a sign";
        let fix = Fix::new(range, &new, Code::E0013, title).at((range.0, self.range(clause + 1).1));
        Some(match value {
            _ if is_other && !self.is_event() => fix.help(format!(
                "write `{new};`, or leave it out: after a move of one of two players the turn passes by itself"
            )),
            _ => fix.help(format!("write `{new};`")),
        })
    }

    /// Rewrites `a := b := 0;` to `a := 0; b := 0;`, and explains it where the writer may have meant `a <- b;`.
    fn chained_effects(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.end_of_order()?;
        let is_sign = |at: usize| matches!(self.layout.text(at), ":=" | "=");
        let mut targets = Vec::new();
        let mut at = clause;
        let mut value = clause;
        while let Some(sign) = self.end_of_operand(at).filter(|&sign| sign < end && is_sign(sign)) {
            targets.push(self.text(at, sign));
            at = sign + 1;
            value = at;
        }
        let first = self.outside_brackets(clause, &[":=", "="])?;
        let signs: Vec<&str> = (first..value)
            .map(|at| self.layout.text(at))
            .filter(|word| matches!(*word, ":=" | "="))
            .collect();
        let [one, other, ..] = targets[..] else { return None };
        let is_assigned = self.layout.text(first) == ":=";
        if value >= end || is_assigned && signs.get(1) != Some(&":=") {
            return None;
        }
        let name = |target: &str| target.split(['[', '.', '(']).next().unwrap_or_default().to_owned();
        let outline = self.outline();
        let field = outline.field(&name(one));
        // `lit = n = 0` may set `lit` to a condition.
        if !is_assigned && field.as_ref().is_none_or(|field| field.type_name() == "bool") {
            return None;
        }
        let last = self.text(value, end);
        let new: Vec<String> = targets.iter().map(|target| format!("{target} := {last}")).collect();
        let new = new.join("; ");
        let title = "each effect has one target";
        let range = (self.range(clause).0, self.range(end - 1).1);
        let label = self.here();
        let moves = is_assigned && last == "none" && name(one) == name(other);
        Some(match moves {
            true => {
                let help = format!(
                    "write `{new};` to empty both, `{one} <- {other};` to move the contents of `{other}`"
                );
                explained(range, &new, title, help).at(label)
            }
            false => Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new};`")),
        })
    }

    /// Rewrites `go again;` to `again;`.
    fn turn_kept_in_words(&self) -> Option<Fix> {
        let end = self.end_of_order()?;
        let words = self.plain_words(self.bounds.clause, end);
        AGAIN.contains(&words.as_str()).then(|| {
            let range = (self.range(self.bounds.clause).0, self.range(end - 1).1);
            let title = "the same player moves again by `again`";
            Fix::new(range, "again", Code::E0013, title).help("write `again;`")
        })
    }

    /// The one word of the type of a parameter of the item.
    fn type_of_parameter(&self, name: &str) -> Option<&str> {
        let open = (self.bounds.first..self.bounds.at).find(|&at| self.layout.text(at) == "(")?;
        let close = self.layout.partner(open)?;
        let is_parameter = |&at: &usize| {
            self.layout.text(at) == name
                && matches!(self.layout.text(at - 1), "(" | ",")
                && self.layout.text(at + 1) == ":"
                && matches!(self.layout.text(at + 3), "," | ")")
        };
        (open + 1..close).find(is_parameter).map(|at| self.layout.text(at + 2))
    }

    /// The place of a value that an order is about, with its field: `at[c]` itself, or `at[c]` for the cell `c` alone.
    fn target_of_order(&self, start: usize, end: usize) -> Option<(String, String)> {
        if self.end_of_operand(start) != Some(end) {
            return None;
        }
        let name = self.layout.text(start);
        let outline = self.outline();
        if let Some(field) = outline.field(name) {
            let is_indexed = matches!(self.layout.text(start + 1), "[" | "(");
            return (is_indexed != field.keys.is_empty()).then(|| {
                let target = self.text(start, end).to_owned();
                let is_call =
                    self.layout.text(start + 1) == "(" && self.layout.partner(start + 1) == Some(end - 1);
                let target = match is_call {
                    true => format!("{name}[{}]", self.text(start + 2, end - 1)),
                    false => target,
                };
                (target, name.to_owned())
            });
        }
        let ty = self.type_of_parameter(name).filter(|_| end == start + 1)?;
        let field = outline.field_over(ty)?;
        Some((format!("{field}[{name}]"), field.to_owned()))
    }

    /// Rewrites `remove at[c];` to `at[c] := none;`.
    fn value_taken_away(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let verb = self.layout.text(clause);
        let is_verb = matches!(
            verb,
            "remove"
                | "clear"
                | "delete"
                | "capture"
                | "kill"
                | "erase"
                | "empty"
                | "take"
                | "destroy"
                | "discard"
                | "unset"
        );
        let end = self.end_of_order().filter(|_| is_verb)?;
        let (target, name) = self.target_of_order(clause + 1, end)?;
        let outline = self.outline();
        let field = outline.field(&name)?;
        let is_set = field.ty.first() == Some(&"set") && matches!(verb, "clear" | "empty");
        if !field.is_optional() && !is_set {
            return None;
        }
        let empty = if is_set { "{}" } else { "none" };
        let new = format!("{target} := {empty}");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = format!("what is taken away becomes `{empty}`");
        Some(Fix::new(range, &new, Code::E0013, title).at(self.range(clause)).help(format!("write `{new};`")))
    }

    /// Rewrites `toggle lit[c];` to `lit[c] := not lit[c];`, and `flip at[c];` to `at[c] := other(at[c]);`.
    fn value_turned_round(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_verb = matches!(
            self.layout.text(clause),
            "toggle" | "flip" | "invert" | "negate" | "switch" | "reverse" | "turn" | "not"
        );
        let end = self.end_of_order().filter(|_| is_verb)?;
        let (target, name) = self.target_of_order(clause + 1, end)?;
        let outline = self.outline();
        let (new, title) = match outline.field(&name)?.type_name() {
            "bool" => (format!("{target} := not {target}"), "the opposite of a truth value is `not`"),
            "Player" if outline.players().len() == 2 => {
                (format!("{target} := other({target})"), "the other of two players is `other`")
            }
            _ => return None,
        };
        let range = (self.range(clause).0, self.range(end - 1).1);
        Some(Fix::new(range, &new, Code::E0013, title).at(self.range(clause)).help(format!("write `{new};`")))
    }

    /// Leaves out `stop;` and `game over;`.
    fn game_stopped(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let end = self.end_of_order()?;
        let words = self.plain_words(clause, end).to_lowercase();
        STOP.contains(&words.as_str()).then(|| {
            let title = "a move does not end the game: the rules of `end` are tested after each move";
            let help =
                "leave it out, and say in `end { when ... => ...; }` when the game is over, and who wins";
            explained((self.range(clause).0, self.range(end).1), "", title, help)
                .at((self.range(clause).0, self.range(end - 1).1))
        })
    }

    /// Rewrites `place me at c;` to `at[c] := me;`, where a field says which player has the cell.
    fn piece_placed(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_verb = matches!(self.layout.text(clause), "place" | "put" | "drop" | "set" | "add" | "insert");
        let is_place =
            matches!(self.layout.text(clause + 2), "at" | "on" | "in" | "to" | "into" | "onto" | "upon");
        let end = self.end_of_order().filter(|_| is_verb && is_place)?;
        let who = self.layout.text(clause + 1);
        let outline = self.outline();
        let is_player = matches!(who, "me" | "opponent" | "mover") || outline.players().contains(&who);
        let (target, name) = self.target_of_order(clause + 3, end).filter(|_| is_player)?;
        let field = outline.field(&name).filter(|field| field.type_name() == "Player")?;
        let new = format!("{target} := {who}");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = format!("who has a cell is a value of the field `{name}`");
        (!field.keys.is_empty()).then(|| {
            Fix::new(range, &new, Code::E0013, title).at(self.range(clause)).help(format!("write `{new};`"))
        })
    }

    /// Rewrites `move a to b;` to `at[b] <- at[a];`, where `a` and `b` are cells.
    fn piece_moved(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_verb = matches!(self.layout.text(clause), "move" | "step" | "shift" | "slide" | "jump");
        let start = clause
            + 1
            + usize::from(self.layout.text(clause + 1) == "from" && self.layout.text(clause + 3) == "to");
        let is_pair = self.layout.text(start + 1) == "to" && self.is_name(start) && self.is_name(start + 2);
        let end = self.end_of_order().filter(|&end| is_verb && is_pair && end == start + 3)?;
        let (from, to) = (self.layout.text(start), self.layout.text(start + 2));
        let outline = self.outline();
        let board = outline.board()?;
        let is_let = |name: &str| {
            (self.bounds.first..clause)
                .any(|at| self.layout.text(at) == "let" && self.layout.text(at + 1) == name)
        };
        let is_cell = |name: &str| self.type_of_parameter(name) == Some(board) || is_let(name);
        let field = outline.field_over(board).filter(|_| is_cell(from) && is_cell(to))?;
        let new = format!("{field}[{to}] <- {field}[{from}]");
        let range = (self.range(clause).0, self.range(end - 1).1);
        let title = "`<-` moves what a cell has, and leaves that cell empty";
        let is_optional = outline.field(field).is_some_and(|field| field.is_optional());
        is_optional.then(|| {
            Fix::new(range, &new, Code::E0013, title).at(self.range(clause)).help(format!("write `{new};`"))
        })
    }

    /// Explains `n := +k;`.
    fn number_with_a_plus(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_plus = self.word == "+" && self.last == ":=";
        let end = self.end_of_order().filter(|&end| is_plus && end > self.bounds.at + 1)?;
        let (target, value) = (self.text(clause, self.bounds.at - 1), self.text(self.bounds.at + 1, end));
        let help = format!("write `{target} += {value};` to add to it, `{target} := {value};` to set it");
        let range = (self.range(self.bounds.at - 1).0, self.here().1);
        Some(explained(range, "+=", "`:= +` has two readings", help))
    }

    /// Rewrites `to = from + d;` to `let to = from + d;`, if the name is used below and is none of a field.
    fn name_without_let(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let name = self.layout.text(clause);
        let is_named = self.bounds.at == clause + 1 && self.word == "=" && self.is_name(clause);
        let of_the_turn = matches!(name, "next" | "turn" | "phase" | "mover" | "winner" | "me" | "opponent");
        let end = self.end_of_order().filter(|&end| is_named && !of_the_turn && end > clause + 2)?;
        let outline = self.outline();
        let fields = outline.fields();
        let is_known = fields.contains(&name) || nearest(name, fields.iter().copied()).is_some();
        let is_used = (end..self.layout.words.len()).any(|at| self.layout.text(at) == name);
        let is_bound = (self.bounds.first..clause).any(|at| self.layout.text(at) == name);
        if is_known || is_bound || !is_used || outline.uses_files() || outline.declares(name) {
            return None;
        }
        let start = self.range(clause).0;
        let title = format!("`{name}` is no field: a name for a value is made by `let`");
        let help = format!("write `let {};`", self.text(clause, end));
        Some(Fix::new((start, start), "let ", Code::E0013, title).at(self.range(clause)).help(help))
    }
}
