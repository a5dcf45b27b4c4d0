//! The declarations of a file, told from its words alone: a name may be declared behind the mistake.

use super::edits::FixFinder;
use crate::keywords;
use crate::lex::{Token, TokenKind, lex};

/// The maximal number of bytes at the start of a file in which declarations are looked for.
const MAX_OUTLINE_BYTES: usize = 1 << 16;

/// A field of the state.
pub(super) struct FieldOutline<'a> {
    /// The names of its keys with the words of their types.
    pub keys: Vec<(&'a str, Vec<&'a str>)>,
    /// The words of its type.
    pub ty: Vec<&'a str>,
}

impl FieldOutline<'_> {
    /// Returns true for a type with `none`.
    pub fn is_optional(&self) -> bool {
        self.ty.last() == Some(&"?")
    }

    /// The name of the type, without its question mark; empty for a type of several words.
    pub fn type_name(&self) -> &str {
        match self.ty[..] {
            [name] | [name, "?"] => name,
            _ => "",
        }
    }
}

/// The text of a term with these words.
pub(super) fn term_of_words(words: &[&str]) -> String {
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        let touches = matches!(*word, "," | ")" | "]" | "." | ".." | "?" | ";")
            || matches!(before, "" | "(" | "[" | "." | ".." | "#")
            || matches!(*word, "(" | "[")
                && before.ends_with(|c: char| c == '_' || c.is_ascii_alphanumeric());
        if !touches {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// The words of a file without comments and documentation.
pub(super) struct Outline<'a> {
    words: Vec<&'a str>,
    /// The enumerations with their members.
    enums: Vec<(&'a str, Vec<&'a str>)>,
}

/// The maximal number of words of an enumeration that are read.
const MAX_ENUM_WORDS: usize = 2000;

/// Returns the enumerations of a file by its words.
fn enums<'a>(words: &[&'a str]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 < words.len() {
        if words[at] == "enum" && words[at + 2] == "{" {
            let inside = words[at + 3..].iter().take(MAX_ENUM_WORDS).take_while(|word| **word != "}");
            let names: Vec<&str> = inside.copied().filter(|word| *word != ",").collect();
            at += 2 + names.len();
            found.push((words[at - names.len() - 1], names));
        }
        at += 1;
    }
    found
}

impl<'a> FixFinder<'a> {
    /// The declarations of the file.
    pub(super) fn outline(&self) -> &Outline<'a> {
        self.outline.get_or_init(|| Outline::of(self.layout.whole))
    }
}

impl<'a> Outline<'a> {
    /// The declarations of a text.
    pub fn of(whole: &'a str) -> Self {
        let end = (0..=whole.len().min(MAX_OUTLINE_BYTES)).rev().find(|&end| whole.is_char_boundary(end));
        let text = &whole[..end.unwrap_or_default()];
        let is_word = |token: &&Token| !token.is_comment() && token.kind != TokenKind::Doc;
        let words: Vec<&str> = lex(text).iter().filter(is_word).map(|t| t.text(text)).collect();
        let enums = enums(&words);
        Outline { words, enums }
    }

    fn text(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// The index after the first word that is this keyword with a name behind it.
    fn after(&self, keyword: &str) -> Option<usize> {
        let is_item =
            |&at: &usize| self.text(at) == keyword && keywords::starts_with_letter(self.text(at + 1));
        (0..self.words.len()).find(is_item).map(|at| at + 1)
    }

    /// The names of the players.
    pub fn players(&self) -> Vec<&'a str> {
        let Some(first) = self.after("players").or_else(|| self.after("player")) else { return Vec::new() };
        let names = self.words[first..].iter().take_while(|word| !matches!(**word, ";" | "{" | "}"));
        names.copied().filter(|word| *word != ",").collect()
    }

    /// The name of the first board.
    pub fn board(&self) -> Option<&'a str> {
        self.after("board").map(|at| self.text(at))
    }

    /// The names of the phases, each with true if it is for the setup.
    pub fn phases(&self) -> Vec<(&'a str, bool)> {
        let Some(start) = self.words.iter().position(|word| *word == "phases") else { return Vec::new() };
        let phases = &self.words[start..];
        let phases = &phases[..phases.iter().position(|word| *word == "}").unwrap_or(phases.len())];
        let is_begin = |word: &str| matches!(word, "{" | ";" | "," | "setup");
        phases
            .windows(2)
            .filter(|pair| is_begin(pair[0]) && keywords::starts_with_letter(pair[1]) && pair[1] != "setup")
            .map(|pair| (pair[1], pair[0] == "setup"))
            .collect()
    }

    /// The phases that stand as items of their own, `phase throw by chance;`, without their first word.
    pub fn lone_phases(&self) -> Vec<String> {
        let begins = |at: usize| at == 0 || matches!(self.text(at - 1), ";" | "}");
        let starts = (0..self.words.len()).filter(|&at| self.text(at) == "phase" && begins(at));
        let phase = |at: usize| {
            let rest = self.words.get(at + 1..)?;
            let end = rest
                .iter()
                .position(|word| matches!(*word, ";" | "{" | "="))
                .filter(|end| rest[*end] == ";")?;
            Some(rest[..end].join(" "))
        };
        starts.filter_map(phase).collect()
    }

    /// The field of this name in a `state`.
    pub fn field(&self, name: &str) -> Option<FieldOutline<'a>> {
        let begins = |word: &str| matches!(word, "{" | ";" | "transient");
        let at = (1..self.words.len()).find(|&at| {
            self.text(at) == name && begins(self.text(at - 1)) && matches!(self.text(at + 1), "[" | ":")
        })?;
        let mut keys = Vec::new();
        let mut next = at + 1;
        if self.text(next) == "[" {
            while !matches!(self.text(next), "]" | "") {
                if self.text(next + 2) != ":" {
                    return None;
                }
                let ty = self.words[next + 3..].iter().take_while(|word| !matches!(**word, "," | "]"));
                let ty: Vec<&str> = ty.copied().collect();
                let length = ty.len();
                keys.push((self.text(next + 1), ty));
                next += 3 + length;
            }
            next += 1;
        }
        if self.text(next) != ":" {
            return None;
        }
        let ends = |word: &str| matches!(word, "=" | ";" | "hidden" | "visible" | "}");
        let ty = self.words[next + 1..].iter().take_while(|word| !ends(word)).copied().collect();
        Some(FieldOutline { keys, ty })
    }

    /// The names of the fields.
    pub fn fields(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            if self.text(at) == "state" && self.text(at + 1) == "{" {
                let mut depth = 0;
                while at < self.words.len() {
                    match self.text(at) {
                        "{" | "[" | "(" => depth += 1,
                        "}" | "]" | ")" => depth -= 1,
                        word if depth == 1
                            && keywords::starts_with_letter(word)
                            && matches!(self.text(at + 1), "[" | ":")
                            && matches!(self.text(at - 1), "{" | ";" | "transient") =>
                        {
                            names.push(word);
                        }
                        _ => {}
                    }
                    at += 1;
                    if depth == 0 && self.text(at - 1) == "}" {
                        break;
                    }
                }
            } else {
                at += 1;
            }
        }
        names
    }

    /// The names of the parts of a record, in their order.
    pub fn parts_of(&self, record: &str) -> Vec<&'a str> {
        let is_head = |&at: &usize| self.text(at) == "record" && self.text(at + 1) == record;
        let Some(at) = (0..self.words.len()).find(is_head) else { return Vec::new() };
        self.names_between(at + 2)
    }

    /// The parts of a record with the first words of their types, in their order.
    pub fn typed_parts_of(&self, record: &str) -> Vec<(&'a str, &'a str)> {
        let is_head = |&at: &usize| self.text(at) == "record" && self.text(at + 1) == record;
        let Some(head) = (0..self.words.len()).find(is_head) else { return Vec::new() };
        let inside = self.words[head..].iter().take_while(|word| !matches!(**word, ")" | ";"));
        let words: Vec<&str> = inside.copied().collect();
        words
            .windows(4)
            .filter(|four| matches!(four[0], "(" | ",") && four[2] == ":")
            .map(|four| (four[1], four[3]))
            .collect()
    }

    /// The name of the first inductive definition.
    pub fn relation(&self) -> Option<&'a str> {
        self.after("inductive").map(|at| self.text(at))
    }

    /// Returns true if a record of the file has a part of this name.
    pub fn is_part(&self, name: &str) -> bool {
        let records = self.words.windows(2).filter(|pair| pair[0] == "record").map(|pair| pair[1]);
        records.into_iter().any(|record| self.parts_of(record).contains(&name))
    }

    /// Returns true if a parameter or constant of this name is a list.
    pub fn is_list(&self, name: &str) -> bool {
        self.words.windows(4).any(|w| {
            matches!(w[0], "param" | "const")
                && w[1] == name
                && (w[2] == ":" && w[3] == "list" || w[2] == "=" && w[3] == "[")
        })
    }

    /// Returns true if this is a field without keys that holds a set, or a constant that is one.
    pub fn is_set(&self, name: &str) -> bool {
        let is_constant = |w: &[&str]| w[0] == "const" && w[1] == name && w[2] == "=" && w[3] == "{";
        self.field(name).is_some_and(|field| field.keys.is_empty() && field.ty.first() == Some(&"set"))
            || self.words.windows(4).any(is_constant)
    }

    /// Returns true if a move of the file names this phase.
    pub fn is_phase_of_a_move(&self, name: &str) -> bool {
        self.words.windows(2).any(|pair| matches!(pair[0], "in" | "continue") && pair[1] == name)
    }

    /// The name of the record, if the file has one record.
    pub fn only_record(&self) -> Option<&'a str> {
        let mut records = self.words.windows(3).filter(|w| w[0] == "record" && w[2] == "(").map(|w| w[1]);
        let first = records.next()?;
        records.next().is_none().then_some(first)
    }

    /// The names of the parameters of a definition or effect of this name, or of a move.
    pub fn parameter_names(&self, name: &str) -> Vec<&'a str> {
        let is_head = |&at: &usize| {
            matches!(self.text(at), "def" | "inductive" | "move" | "chance" | "effect")
                && self.text(at + 1) == name
        };
        let Some(at) = (0..self.words.len()).find(is_head) else { return Vec::new() };
        self.names_between(at + 2)
    }

    /// The names before the colons in the bracket at this word.
    fn names_between(&self, open: usize) -> Vec<&'a str> {
        let end = self.words[open.min(self.words.len())..].iter().position(|word| *word == ")");
        let words = &self.words[open.min(self.words.len())..];
        let words = &words[..end.unwrap_or_default()];
        words
            .windows(3)
            .filter(|three| matches!(three[0], "(" | ",") && three[2] == ":")
            .map(|three| three[1])
            .collect()
    }

    /// The keys and values of `const name[key] = value;`, each an item of its own.
    pub fn constants_of_keys(&self, name: &str) -> Vec<(String, String)> {
        let mut values = Vec::new();
        for at in 0..self.words.len() {
            let is_constant = self.text(at) == "const"
                && self.text(at + 1) == name
                && self.text(at + 2) == "["
                && self.text(at + 4) == "]"
                && self.text(at + 5) == "=";
            if is_constant {
                let value = self.words[at + 6..].iter().take_while(|word| **word != ";");
                let value: Vec<&str> = value.copied().collect();
                values.push((self.text(at + 3).to_owned(), term_of_words(&value)));
            }
        }
        values
    }

    /// The arguments and values of `def name(value) = term;`, each an item of its own.
    pub fn cases_of(&self, name: &str) -> Vec<(String, String)> {
        let is_case = |&at: &usize| {
            self.text(at) == "def"
                && self.text(at + 1) == name
                && self.text(at + 2) == "("
                && self.text(at + 4) == ")"
                && self.text(at + 5) == "="
        };
        let case = |at: usize| {
            let term: Vec<&str> =
                self.words[at + 6..].iter().copied().take_while(|word| *word != ";").collect();
            (self.text(at + 3).to_owned(), term_of_words(&term))
        };
        (0..self.words.len()).filter(is_case).map(case).collect()
    }

    /// The words that follow these words of the file.
    pub fn strings_after(&self, words: &[&str]) -> Vec<&'a str> {
        let windows = self.words.windows(words.len() + 1);
        windows.filter(|window| window.starts_with(words)).map(|window| window[words.len()]).collect()
    }

    /// The type that a name has as a parameter or key elsewhere, or that of a field that gets it as its value.
    pub fn type_of_name(&self, name: &str) -> Option<String> {
        let is_bound = |at: &usize| {
            let [before, word, colon] = [self.text(at - 1), self.text(*at), self.text(at + 1)];
            word == name && colon == ":" && matches!(before, "(" | "[" | ",")
        };
        if let Some(at) = (1..self.words.len()).find(is_bound) {
            let rest = self.words.get(at + 2..)?;
            let ty: Vec<&str> =
                rest.iter().copied().take_while(|w| !matches!(*w, "," | ")" | "]" | ";")).collect();
            let is_plain = ty.iter().all(|word| !matches!(*word, "(" | "[" | "{" | "="));
            return (is_plain && !ty.is_empty()).then(|| term_of_words(&ty));
        }
        let is_value =
            |at: &usize| self.text(*at) == ":=" && self.text(at + 1) == name && self.text(at + 2) == ";";
        let sign = (1..self.words.len()).find(is_value)?;
        let mut target = sign - 1;
        if self.text(target) == "]" {
            target =
                (0..target).rev().take_while(|&at| self.text(at) != ";").find(|&at| self.text(at) == "[")?
                    - 1;
        }
        let ty = self.field(self.text(target))?.ty;
        let ty = ty.strip_suffix(&["?"]).unwrap_or(&ty);
        (!ty.is_empty()).then(|| term_of_words(ty))
    }

    /// The words of the items that begin with this word, without the names that they declare.
    pub fn words_of_items(&self, keyword: &'a str) -> impl Iterator<Item = &'a str> {
        let starts = (1..self.words.len())
            .filter(move |&at| self.words[at] == keyword && matches!(self.words[at - 1], ";" | "}"));
        starts.flat_map(|at| {
            let rest = self.words.get(at + 2..).unwrap_or_default();
            rest.iter().copied().take_while(|word| *word != ";")
        })
    }

    /// Returns true if these words stand in the file one after the other.
    pub fn has_words(&self, words: &[&str]) -> bool {
        self.words.windows(words.len()).any(|window| window == words)
    }

    /// The members of the enumeration that has all of these, with its name.
    pub fn enum_of(&self, members: &[&str]) -> Option<(&'a str, Vec<&'a str>)> {
        let has_all = |(_, names): &&(&str, Vec<&str>)| members.iter().all(|member| names.contains(member));
        self.enums.iter().find(has_all).cloned()
    }

    /// Returns true if an item other than a state declares this name.
    pub fn declares(&self, name: &str) -> bool {
        let is_item = |word: &str| {
            matches!(
                word,
                "const" | "param" | "def" | "inductive" | "move" | "chance" | "effect" | "board" | "type"
            )
        };
        self.players().contains(&name)
            || self.words.windows(2).any(|pair| pair[1] == name && is_item(pair[0]))
    }

    /// The number of events of chance of the file.
    pub fn events(&self) -> usize {
        let is_event = |w: &[&str]| w[0] == "chance" && w[2] == "(" && !matches!(w[1], ";" | ":" | "=");
        self.words.windows(3).filter(|w| is_event(w)).count()
    }

    /// Returns true if an item declares a type of this name.
    pub fn declares_type(&self, name: &str) -> bool {
        let is_item = |word: &str| matches!(word, "enum" | "record" | "board" | "type");
        self.words.windows(2).any(|pair| pair[1] == name && is_item(pair[0]))
    }

    /// The names of the file that become this word if they lose one letter.
    pub fn names_with_one_letter_more(&self, word: &str) -> Vec<&'a str> {
        let is_near = |name: &str| {
            name.is_ascii()
                && name.len() == word.len() + 1
                && keywords::starts_with_letter(name)
                && !keywords::is_reserved(name)
                && (0..name.len()).any(|at| format!("{}{}", &name[..at], &name[at + 1..]) == word)
        };
        let mut names: Vec<&str> = self.words.iter().copied().filter(|name| is_near(name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns true if this word occurs in the file.
    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// The number of times that this word occurs in the file.
    pub fn count_of(&self, word: &str) -> usize {
        self.words.iter().filter(|own| **own == word).count()
    }

    /// Returns true if the file uses other files, whose declarations are unknown here.
    pub fn uses_files(&self) -> bool {
        self.after("use").is_some() || self.words.windows(2).any(|w| w[0] == "use" && w[1].starts_with('"'))
    }

    /// Returns true if the file declares a phase of this name.
    pub fn has_phase(&self, name: &str) -> bool {
        let Some(start) = self.words.iter().position(|word| *word == "phases") else { return false };
        let phases = &self.words[start..];
        let phases = &phases[..phases.iter().position(|word| *word == "}").unwrap_or(phases.len())];
        phases.windows(2).any(|pair| pair[1] == name && matches!(pair[0], "{" | ";" | "," | "setup"))
    }

    /// The name of the first parameter of the game.
    pub fn parameter(&self) -> Option<&'a str> {
        self.after("param").map(|at| self.text(at))
    }

    /// Returns true if the file has the rules of an `end`.
    pub fn has_end(&self) -> bool {
        self.words.windows(2).any(|pair| pair == ["end", "{"])
    }

    /// Returns true if the file declares an effect of this name.
    pub fn is_effect(&self, name: &str) -> bool {
        self.words.windows(2).any(|pair| pair[0] == "effect" && pair[1] == name)
    }

    /// The number of parameters of the definition of this name.
    pub fn parameters_of(&self, name: &str) -> Option<usize> {
        self.parameters_of_item(&["def", "inductive"], name)
    }

    /// The number of parameters of the effect of this name.
    pub fn parameters_of_effect(&self, name: &str) -> Option<usize> {
        self.parameters_of_item(&["effect"], name)
    }

    /// The number of parameters of the item that begins with one of these words and has this name.
    fn parameters_of_item(&self, keywords: &[&str], name: &str) -> Option<usize> {
        let is_head = |&at: &usize| {
            keywords.contains(&self.text(at)) && self.text(at + 1) == name && self.text(at + 2) == "("
        };
        let open = (0..self.words.len()).find(is_head)? + 2;
        let (mut depth, mut commas) = (0, 0);
        for word in &self.words[open..] {
            match *word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 1 => break,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => commas += 1,
                _ => {}
            }
        }
        Some(if self.text(open + 1) == ")" { 0 } else { commas + 1 })
    }

    /// The name of the first field whose only key has this type.
    pub fn field_over(&self, ty: &str) -> Option<&'a str> {
        let is_key = |&at: &usize| {
            self.text(at + 1) == "["
                && self.text(at + 3) == ":"
                && self.text(at + 4) == ty
                && self.text(at + 5) == "]"
                && self.text(at + 6) == ":"
        };
        (0..self.words.len()).find(is_key).map(|at| self.text(at))
    }

    /// Returns true if a clause of a move calls this name.
    pub fn is_called_as_effect(&self, name: &str) -> bool {
        let begins = |at: usize| matches!(self.text(at), "{" | "}" | ";");
        (1..self.words.len()).any(|at| {
            self.text(at) == name && self.text(at + 1) == "(" && begins(at - 1) && self.closes_clause(at + 1)
        })
    }

    /// Returns true if a `;` follows the partner of the bracket at this word.
    fn closes_clause(&self, open: usize) -> bool {
        let mut depth = 0;
        for at in open..self.words.len() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 1 => return self.text(at + 1) == ";",
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
        }
        false
    }

    /// Returns true if the file declares a constant table of this name with one key.
    pub fn is_constant_table(&self, name: &str) -> bool {
        (0..self.words.len()).any(|at| {
            let is_table = self.text(at) == "const" && self.text(at + 1) == name && self.text(at + 2) == "[";
            let close = (at + 3..at + 12).find(|&close| matches!(self.text(close), "]" | ","));
            is_table && close.is_some_and(|close| self.text(close) == "]")
        })
    }

    /// Returns true if the file declares a field, table or definition of this name with one key or parameter.
    pub fn has_table(&self, name: &str) -> bool {
        self.parameters_of(name) == Some(1)
            || (0..self.words.len())
                .any(|at| self.text(at) == name && self.text(at + 1) == "[" && self.text(at + 3) == ":")
    }
}
