//! Memberships, bounds and single effects in other words: `S contains x`, `x is one of S`, `0 <= n <= 9`, `n -> 3`.

use std::ops::Range;

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::layout::ClauseContext;
use super::phrases::explained;
use crate::diag::Code;

/// Words that lead from a set to an element.
const CONTAINS: [&str; 10] =
    ["contains", "contain", "includes", "include", "contained", "has", "have", "having", "holds", "hold"];

/// Words that lead from an element to a set, with the word that follows some of them.
const MEMBER: [(&str, &[&str]); 21] = [
    ("in", &[]),
    ("inside", &["of"]),
    ("among", &[]),
    ("amongst", &[]),
    ("within", &[]),
    ("elem", &[]),
    ("isin", &[]),
    ("isIn", &[]),
    ("isa", &[]),
    ("element", &["of"]),
    ("member", &["of"]),
    ("part", &["of"]),
    ("one", &["of"]),
    ("any", &["of"]),
    ("contained", &["in"]),
    ("belongs", &["to"]),
    ("exists", &["in"]),
    ("included", &["in"]),
    ("notin", &[]),
    ("not_in", &[]),
    ("nin", &[]),
];

/// Words that may stand before a word of `MEMBER`.
const BEFORE_MEMBER: [&str; 8] = ["is", "are", "lies", "not", "a", "an", "some", "the"];

impl FixFinder<'_> {
    /// Fixes of memberships, bounds and effects in other words.
    pub fn memberships(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.set_with_its_element(),
            self.element_of_a_set(),
            self.aggregate_of_a_field(),
            self.aggregate_of_a_set(),
            self.field_between_bounds(),
            self.effect_by_an_arrow(),
            self.effects_with_commas(),
            self.guard_with_return(),
            self.exclusive_or(),
            self.definition_with_a_colon(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// The first word of the operand of a comparison that ends before this word.
    pub(super) fn start_of_operand(&self, end: usize) -> Option<usize> {
        let mut start = self.start_of_term(end);
        while start > self.bounds.clause + 1 && self.is_arithmetic(start - 1) && self.ends_term(start - 2) {
            start = self.start_of_term(start - 1);
        }
        (start >= self.bounds.clause && end > 0 && self.ends_term(end - 1)).then_some(start)
    }

    /// The word after the operand of a comparison that begins at this word.
    pub(super) fn end_of_comparand(&self, start: usize) -> Option<usize> {
        let mut end = self.end_of_operand(start)?;
        while self.is_arithmetic(end) {
            end = self.end_of_operand(end + 1)?;
        }
        self.ends_condition(end).then_some(end)
    }

    fn is_arithmetic(&self, at: usize) -> bool {
        matches!(self.layout.text(at), "+" | "-" | "*" | "/" | "mod" | "|" | "&")
    }

    /// Rewrites `S contains x` to `x in S`, and `S does not contain x` to `x not in S`.
    fn set_with_its_element(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let is_verb = |&at: &usize| CONTAINS.contains(&self.layout.text(at));
        let verb = (at..=at + 2).find(is_verb)?;
        let between: Vec<&str> = (at..verb).map(|at| self.layout.text(at)).collect();
        let is_behind = verb == at && self.last == "not";
        let (first, negation) = match between[..] {
            [] if is_behind => (at - 1, "not "),
            [] => (at, ""),
            ["does" | "do", "not"] | ["not"] => (at, "not "),
            _ => return None,
        };
        let start = self.start_of_operand(first).filter(|_| first > self.bounds.clause)?;
        let is_noun = matches!(self.layout.text(verb + 1), "key" | "element" | "member" | "value");
        let has_noun = is_noun && self.end_of_operand(verb + 2).is_some();
        let element = verb + 1 + usize::from(has_noun);
        let end = self.end_of_comparand(element)?;
        let (set, element) = (self.text(start, first), self.text(element, end));
        let name = self.layout.text(start);
        let outline = self.outline();
        let field = outline.field(name);
        // An empty field has `none` at the key.
        let is_table = field.as_ref().is_some_and(|field| {
            field.keys.len() == 1 && field.ty.last() == Some(&"?") && start + 1 == first
        });
        if is_table && has_noun && self.layout.text(verb + 1) == "key" {
            let sign = if negation.is_empty() { "!=" } else { "=" };
            let new = format!("{set}[{element}] {sign} none");
            let title = "a field has a place for each key: it is empty, or not";
            let range = (self.range(start).0, self.range(end - 1).1);
            let label = (self.range(first).0, self.range(verb + 1).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`"));
            return Some(Fix { accepts_partial: true, ..fix });
        }
        let is_set = field.as_ref().is_some_and(|field| field.ty.first() == Some(&"set"));
        let is_plain = field.is_none() && !outline.players().contains(&name);
        let is_path = set.contains('.');
        let is_sure = is_set || is_plain && (outline.declares(name) || is_path || set.contains('{'));
        let is_clear =
            self.layout.text(verb).starts_with("contain") || self.layout.text(verb).starts_with("include");
        if !is_sure && !(is_clear && (is_plain || field.is_some())) {
            return None;
        }
        let (new, title) = if field.is_some() && !is_set && !is_path {
            let sign = if negation.is_empty() { "=" } else { "!=" };
            (format!("{set} {sign} {element}"), "the value of a field is compared by `=`")
        } else {
            (format!("{element} {negation}in {set}"), "the element comes first, then `in` and the set")
        };
        let range = (self.range(start).0, self.range(end - 1).1);
        let label = (self.range(first).0, self.range(verb).1);
        let fix = Fix::new(range, &new, Code::E0013, title).at(label).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `man[c] belongs to me` to `man[c] = me` for a field of players, and explains it for other values.
    fn owner_of_a_value(&self, start: usize, first: usize, player: Range<usize>, is_negated: bool) -> Fix {
        let (player, end) = (player.start, player.end);
        let sign = if is_negated { "!=" } else { "=" };
        let (term, player_text) = (self.text(start, first), self.text(player, end));
        let new = format!("{sign} {player_text}");
        let range = (self.range(first).0, self.range(end - 1).1);
        let label = (range.0, self.range(player - 1).1);
        let title = "a player is no set: whose a value is says a field that holds a player";
        let outline = self.outline();
        let field = outline.field(self.layout.text(start));
        let has_keys = self.layout.text(start + 1) == "[";
        let is_owner = |field: super::outline::FieldOutline| {
            field.type_name() == "Player" && field.keys.is_empty() != has_keys
        };
        if field.is_some_and(is_owner) {
            let fix = Fix::new(range, &new, Code::E0013, title).at(label);
            return Fix { accepts_partial: true, ..fix.help(format!("write `{term} {new}`")) };
        }
        let mut owners = outline.fields().into_iter().filter(|name| {
            outline.field(name).is_some_and(|field| field.type_name() == "Player" && field.keys.len() == 1)
        });
        let help = match (owners.next(), owners.next()) {
            (Some(owner), None) if !has_keys => {
                format!("write `{owner}[{term}] {new}`, if the player stands in `{owner}`")
            }
            _ => format!("write `at[{term}] {new}`, with the field that holds the player"),
        };
        // The comparison of the value itself with a player would be a second mistake.
        let whole = (self.range(start).0, range.1);
        Fix { accepts_partial: true, ..explained(whole, DAMAGE_MARKER, title, help).at(label) }
    }

    /// Rewrites `x is one of S` and `x belongs to S` to `x in S`.
    fn element_of_a_set(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let (first, word, set) =
            (at.saturating_sub(3).max(self.bounds.clause + 1)..=at).find_map(|first| {
                let mut word = first;
                while word < first + 4 && BEFORE_MEMBER.contains(&self.layout.text(word)) {
                    word += 1;
                }
                let (_, after) = MEMBER.iter().find(|(member, _)| *member == self.layout.text(word))?;
                let follows = after.contains(&self.layout.text(word + 1));
                let is_complete = after.is_empty() || follows || self.layout.text(word) == "inside";
                (is_complete && word + 1 + usize::from(follows) >= at).then_some((
                    first,
                    word,
                    word + 1 + usize::from(follows),
                ))
            })?;
        let is_negated = (first..word).any(|at| self.layout.text(at) == "not")
            || matches!(self.layout.text(word), "notin" | "not_in" | "nin");
        let is_right = self.text(first, set) == "in" || self.text(first, set) == "not in";
        let end = self.end_of_comparand(set).filter(|_| !is_right && !self.is_number(set))?;
        let start = self.start_of_operand(first)?;
        let is_condition = !matches!(self.layout.text(self.bounds.first), "forbid" | "symmetry" | "sees");
        let is_mover = matches!(self.text(set, end), "me" | "mover" | "opponent");
        if is_condition && (is_mover || self.outline().players().contains(&self.text(set, end))) {
            return Some(self.owner_of_a_value(start, first, set..end, is_negated));
        }
        is_condition.then(|| {
            let sign = if is_negated { "not in" } else { "in" };
            let new = format!("{sign} {}", self.text(set, end));
            let range = (self.range(first).0, self.range(end - 1).1);
            let title = "that a value is an element of a set is said by `in`";
            let fix = Fix::new(range, &new, Code::E0013, title).at((range.0, self.range(set - 1).1));
            let fix = fix.help(format!("write `{} {new}`", self.text(start, first)));
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Rewrites `sum(seeds)` to `(sum h in Pit: seeds[h])`, for a field with one key.
    fn aggregate_of_a_field(&self) -> Option<Fix> {
        let close = self.bounds.at.checked_sub(1).filter(|_| self.last == ")")?;
        let open =
            self.layout.partner(close).filter(|&open| open + 2 == close && open > self.bounds.first)?;
        let (word, name) = (self.layout.text(open - 1), self.layout.text(open + 1));
        let is_word = matches!(word, "sum" | "min" | "max" | "all" | "some" | "no" | "union");
        let field = self.outline().field(name).filter(|_| is_word)?;
        let [(key, ty)] = &field.keys[..] else { return None };
        let new = format!("({word} {key} in {}: {name}[{key}])", super::outline::term_of_words(ty));
        let range = (self.range(open - 1).0, self.range(close).1);
        let title = format!("`{word}` goes through a set by a name for its elements");
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `sum(S)` to `(sum x in S: x)`, `count(S)` to `#S` and `some(S)` to `(S != {})`, for a set.
    fn aggregate_of_a_set(&self) -> Option<Fix> {
        let close = self.bounds.at.checked_sub(1).filter(|_| self.last == ")" && self.word != "in")?;
        let open =
            self.layout.partner(close).filter(|&open| open + 2 == close && open > self.bounds.first)?;
        let (word, name) = (self.layout.text(open - 1), self.layout.text(open + 1));
        let outline = self.outline();
        let element = ["x", "y", "element"].into_iter().find(|name| !outline.has_word(name))?;
        let (new, title) = match word {
            "sum" => (
                format!("(sum {element} in {name}: {element})"),
                "`sum` goes through a set, one element after the other",
            ),
            "count" => (format!("#{name}"), "`#S` says how many elements a set has"),
            "some" => (format!("({name} != {{}})"), "a set that has an element is not the empty one"),
            "no" => (format!("({name} = {{}})"), "a set without an element is the empty one"),
            _ => return None,
        };
        let range = (self.range(open - 1).0, self.range(close).1);
        let fix = Fix::new(range, &new, Code::E0013, title).help(format!("write `{new}`"));
        outline.is_set(name).then_some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites the field `0 <= pile <= 30 = n;` to `pile: 0..30 = n;`.
    fn field_between_bounds(&self) -> Option<Fix> {
        let clause = self.bounds.clause;
        let is_sign = |at: usize| matches!(self.layout.text(at), "<=" | "<");
        let low = self.end_of_operand(clause).filter(|_| self.bounds.place == ClauseContext::State)?;
        let high = low + 3;
        let end = self
            .end_of_operand(high)
            .filter(|_| is_sign(low) && is_sign(low + 2) && self.is_name(low + 1))?;
        let stop = self.outside_brackets(end, &[";"])?;
        let is_field = matches!(self.layout.text(end), "=" | ";")
            && self.layout.text(low + 2) == "<="
            && self.layout.text(low) == "<=";
        is_field.then(|| {
            let range_type = format!("{}..{}", self.text(clause, low), self.text(high, end));
            let value = if end < stop { format!(" {}", self.text(end, stop)) } else { String::new() };
            let new = format!("{}: {range_type}{value}", self.layout.text(low + 1));
            let range = (self.range(clause).0, self.range(stop - 1).1);
            let title = "a field has the range of its values behind its name";
            Fix::new(range, &new, Code::E0013, title)
                .at((range.0, self.range(end - 1).1))
                .help(format!("write `{new};`"))
        })
    }

    /// Rewrites the effect `rook -> to;` to `rook := to;` for a field `rook`.
    fn effect_by_an_arrow(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let name = self.layout.text(clause);
        let outline = self.outline();
        let field = outline.field(name).filter(|_| self.word == "->" && self.in_move())?;
        let is_target =
            self.end_of_operand(clause) == Some(at) && (at == clause + 1) == field.keys.is_empty();
        let end = self.outside_brackets(at + 1, &[";"]).filter(|&end| is_target && end > at + 1)?;
        let target = self.text(clause, at);
        let title = "an effect is written `field := value;`";
        let value = self.text(at + 1, end);
        // A piece that moves from a field to another has its own arrow.
        if outline.field(self.layout.text(at + 1)).is_some_and(|other| !other.keys.is_empty()) {
            return None;
        }
        Some(Fix::new(self.here(), ":=", Code::E0013, title).help(format!("write `{target} := {value};`")))
    }

    /// Rewrites `{ n := 1, m := 2 }` to `{ n := 1; m := 2; }`.
    fn effects_with_commas(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let places = [ClauseContext::Move, ClauseContext::Position];
        let is_place = places.contains(&self.bounds.place) && self.word == ",";
        let open = self.bracket_around(at, at).filter(|&open| is_place && self.layout.text(open) == "{")?;
        let close = self.layout.partner(open)?;
        let (mut new, mut kept, mut from) = (String::new(), self.here().0, at);
        let mut next = at;
        while let Some(comma) = self.outside_brackets(next, &[",", ";"]).filter(|&comma| comma < close) {
            let end =
                self.outside_brackets(comma + 1, &[",", ";"]).filter(|&end| end < close).unwrap_or(close);
            let is_effect = self
                .outside_brackets(comma + 1, &[":=", "+=", "-=", "|=", "<-", "="])
                .is_some_and(|sign| sign < end && sign > comma + 1);
            if !is_effect && comma + 1 < close {
                return None;
            }
            new += self.layout.source.get(kept..self.range(comma).0)?;
            new.push(';');
            (kept, from) = (self.range(comma).1, comma);
            next = comma + 1;
        }
        let is_sign = |at: usize| matches!(self.layout.text(at), ":=" | "+=" | "-=" | "|=" | "<-");
        if !(open + 1..at).any(is_sign) || from < at {
            return None;
        }
        if !matches!(self.layout.text(close - 1), "," | ";" | "}") {
            new += self.layout.source.get(kept..self.range(close - 1).1)?;
            new.push(';');
            kept = self.range(close - 1).1;
        }
        let title = "`,` stands where `;` is expected";
        let fix = Fix::new((self.here().0, kept), &new, Code::E0013, title).at(self.here());
        let fix = fix.help("write `;` behind each effect");
        Some(Fix { accepts_partial: true, ..fix })
    }

    /// Rewrites `a = 1 xor b = 2` to `(a = 1) != (b = 2)`.
    fn exclusive_or(&self) -> Option<Fix> {
        let at = self.bounds.at;
        let word = [at, at.checked_sub(1)?].into_iter().find(|&at| self.layout.text(at) == "xor")?;
        let is_end = |at: usize| {
            matches!(
                self.layout.text(at),
                "" | ";"
                    | "and"
                    | "or"
                    | ","
                    | "=>"
                    | "{"
                    | "then"
                    | "else"
                    | ":"
                    | "when"
                    | "if"
                    | "="
                    | "xor"
            )
        };
        let is_sign = |at: usize| {
            matches!(self.layout.text(at), "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not")
        };
        let mut start = word;
        while start > self.bounds.clause {
            let before = self.layout.partner(start - 1).filter(|&open| open < start).unwrap_or(start - 1);
            let opens = matches!(self.layout.text(start - 1), "(" | "[" | "{");
            if opens || before < self.bounds.clause || is_end(start - 1) && !is_sign(start - 1) {
                break;
            }
            start = before;
        }
        let mut end = word + 1;
        while !matches!(self.layout.text(end), ")" | "]" | "}") && (!is_end(end) || is_sign(end)) {
            end = self.layout.partner(end).filter(|&close| close > end).unwrap_or(end) + 1;
        }
        // `def f = a = 1 xor ...` begins behind its first sign.
        let has_head = matches!(self.layout.text(self.bounds.first), "def" | "const" | "inductive");
        let is_plain = start > self.bounds.clause || !has_head;
        let side = |from: usize, to: usize| match (from..to).any(is_sign) {
            true => format!("({})", self.text(from, to)),
            false => self.text(from, to).to_owned(),
        };
        (is_plain && start < word && word + 1 < end).then(|| {
            let new = format!("{} != {}", side(start, word), side(word + 1, end));
            let range = (self.range(start).0, self.range(end - 1).1);
            let title = "that one of two conditions holds, not both, is `!=` between them";
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.range(word));
            Fix { accepts_partial: true, ..fix.help(format!("write `{new}`")) }
        })
    }

    /// Rewrites `def f(p: Player): some c in S: g;` to `def f(p: Player) = some c in S: g;`.
    fn definition_with_a_colon(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_def = matches!(self.layout.text(first), "def" | "inductive") && self.is_name(first + 1);
        let colon = self.layout.partner(first + 2).map_or(first + 2, |close| close + 1);
        let end = self.outside_brackets(colon, &[";"]).filter(|_| is_def && self.bounds.at > colon)?;
        let is_value = self.layout.text(colon) == ":";
        let has_sign = self.outside_brackets(colon, &["="]).is_some_and(|sign| sign < end);
        let has_term = matches!(
            self.layout.text(colon + 1),
            "some" | "all" | "no" | "one" | "any" | "count" | "sum" | "not" | "if" | "match" | "return"
        );
        let is_call = !has_sign && self.is_name(colon + 1) && self.layout.text(colon + 2) == "(";
        (is_value && (has_term || is_call)).then(|| {
            let range = (self.range(colon - 1).1, self.range(colon).1);
            let title = "a definition is one expression after `=`";
            let fix = Fix::new(range, " =", Code::E0013, title).at(self.range(colon));
            Fix { accepts_partial: true, ..fix.help("write `=` in place of `:`") }
        })
    }

    /// Explains `if n = 4: return;` at the beginning of a move.
    fn guard_with_return(&self) -> Option<Fix> {
        let (clause, at) = (self.bounds.clause, self.bounds.at);
        let is_guard = self.in_move()
            && self.layout.text(clause) == "if"
            && matches!(self.word, ":" | "return" | "then");
        let word = at + usize::from(self.word != "return");
        let end = self.outside_brackets(word, &[";"]).filter(|&end| is_guard && end <= word + 2)?;
        if self.layout.text(word) != "return" || at <= clause + 1 {
            return None;
        }
        let (mut condition, mut sign) = (self.text(clause + 1, at), None);
        if self.layout.partner(clause + 1) == Some(at - 1) {
            condition = self.text(clause + 2, at - 1);
        }
        let opposites =
            [("==", "!="), ("=", "!="), ("!=", "="), ("<", ">="), (">=", "<"), (">", "<="), ("<=", ">")];
        let is_joined = (clause..at).any(|at| matches!(self.layout.text(at), "and" | "or" | "not" | "in"));
        for word in clause + 1..at {
            if let Some((theirs, ours)) =
                opposites.iter().find(|(theirs, _)| *theirs == self.layout.text(word))
            {
                sign = Some(condition.replacen(&format!(" {theirs} "), &format!(" {ours} "), 1))
                    .filter(|_| !is_joined);
                break;
            }
        }
        let new = match sign.filter(|sign| sign != condition) {
            Some(condition) => format!("when {condition};"),
            None => format!("when not ({condition});"),
        };
        let title = "a move has no `return`: what must hold for it to be legal stands after `when`";
        let range = (self.range(clause).0, self.range(end).1);
        Some(explained(range, &new, title, format!("write `{new}`")).at((range.0, self.range(end - 1).1)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended};

    const STATE: &str =
        "const takes = { 1, 3 };\nstate { n: 0..9 = 9; hand[p: Player]: set of 1..3 = {}; }\n";

    /// The text after the fix of a condition of a move.
    fn condition(text: &str) -> String {
        let whole = mended(&format!("{STATE}move take(k: 1..4) {{ when {text}; n -= k; }}"));
        let start = whole.find("when ").map_or(0, |at| at + 5);
        whole[start..].split(';').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn keys_have_a_value_or_none() {
        let text = |condition: &str| {
            format!(
                "state {{ at[c: Cell]: Player? = none; seen: set of Cell = {{}}; }}\n\
                 move put(c: Cell) as \"{{c}}\" {{ when {condition}; at[c] := me; }}\n"
            )
        };
        for (old, new) in [
            ("at has key c", "at[c] != none"),
            ("at does not have key c", "at[c] = none"),
            ("seen has element c", "c in seen"),
        ] {
            assert_eq!(super::super::testing::mended(&text(old)), text(new));
            assert_eq!(super::super::testing::titles(&text(old)).len(), 1, "{old}");
        }
    }

    #[test]
    fn players_are_no_sets() {
        let state = "players A, B;\nstate { man[c: Cell]: Player? = none; }\n";
        let text = |condition: &str| format!("{state}move go(c: Cell) {{ when {condition}; n := 1; }}\n");
        assert_eq!(mended(&text("man[c] belongs to me")), text("man[c] = me"));
        assert_eq!(mended(&text("c belongs to me")), text("c belongs to me"));
        assert!(helps(&text("c belongs to me"))[0].starts_with("write `man[c] = me`"));
        assert_eq!(helps(&text("not (c belongs to me)")).len(), 1);
    }

    #[test]
    fn sets_have_their_own_signs() {
        for (written, meant) in [
            ("sum(s) > 3", "(sum x in s: x) > 3"),
            ("count(s) > 3", "#s > 3"),
            ("some(s)", "(s != {})"),
            ("no(s) or k = 2", "(s = {}) or k = 2"),
            ("sum(T) = k", "(sum x in T: x) = k"),
        ] {
            let text = |condition: &str| {
                format!(
                    "const T = {{ 1, 2 }};\nstate {{ s: set of 1..4 = {{}}; }}\nmove go(k: 1..4) {{ when {condition}; s |= {{ k }}; }}\n"
                )
            };
            assert_eq!(mended(&text(written)), text(meant));
        }
    }

    #[test]
    fn absent_elements_are_not_in_a_set() {
        for word in ["notin", "not_in", "nin"] {
            assert_eq!(condition(&format!("k {word} takes")), "k not in takes", "{word}");
        }
    }

    #[test]
    fn elements_stand_before_their_set() {
        for words in
            ["takes contains k", "takes includes k", "takes has k", "k is in takes", "k belongs to takes"]
        {
            assert_eq!(condition(words), "k in takes", "{words}");
        }
        for words in ["k among takes", "k is one of takes", "k is a member of takes", "k elem takes"] {
            assert_eq!(condition(words), "k in takes", "{words}");
        }
        for words in ["takes does not contain k", "takes not contains k", "k is not in takes"] {
            assert_eq!(condition(words), "k not in takes", "{words}");
        }
        assert_eq!(condition("hand[me] has k and n > 0"), "k in hand[me] and n > 0");
        assert_eq!(condition("not takes contains k + 1"), "not k + 1 in takes");
        assert_eq!(condition("Ann has k"), "Ann has k");
    }

    #[test]
    fn exclusive_conditions_stand_in_brackets() {
        assert_eq!(condition("k = 1 xor n = 2"), "(k = 1) != (n = 2)");
        assert_eq!(condition("n > 4 and a xor n = 2 or b"), "n > 4 and a != (n = 2) or b");
    }

    #[test]
    fn definitions_have_an_equals_sign() {
        let text = "def full(p: Player): all c in Cell: at[c] = p;";
        assert_eq!(mended(text), text.replacen("): all", ") = all", 1));
    }

    #[test]
    fn bounds_are_a_range() {
        assert_eq!(mended("state { 0 <= pile <= 30 = n; }"), "state { pile: 0..30 = n; }");
    }

    #[test]
    fn effects_have_their_sign_and_their_end() {
        let text = format!("{STATE}move take(k: 1..4) {{ n -> k; }}");
        assert_eq!(mended(&text), text.replace("->", ":="));
        let text = format!("{STATE}test \"t\" {{ position {{ n := 1, mover := B }} expect n = 1; }}");
        assert_eq!(mended(&text), text.replace("1, mover := B", "1; mover := B;"));
        let text = format!("{STATE}move take(k: 1..4) {{ if n == 4: return; n -= k; }}");
        assert_eq!(helps(&text), ["write `when n != 4;`"]);
    }

    #[test]
    fn quantifiers_of_fields_name_their_keys() {
        let text = "state { seeds[h: Pit]: 0..9 = 3; }\ninvariant sum(seeds) + 1 = 9;";
        assert_eq!(mended(text), text.replace("sum(seeds)", "(sum h in Pit: seeds[h])"));
    }
}
