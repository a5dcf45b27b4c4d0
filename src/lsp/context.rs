//! The lexical context of a place: its item, its clause, its open brackets, and the variables in scope. It is read off
//! the tokens before the place, so that it is known in any text, however damaged.

use bouton_syntax::keywords::{ITEM_KEYWORDS, is_reserved};
use bouton_syntax::lex::{Token, TokenKind};

/// The items whose braces are a block, after which the item ends.
const BLOCK_ITEMS: [&str; 14] = [
    "preset",
    "enum",
    "phases",
    "state",
    "move",
    "mandatory",
    "private",
    "forcing",
    "chance",
    "effect",
    "every",
    "end",
    "display",
    "test",
];
/// The items with moves' statements in their block.
const MOVE_ITEMS: [&str; 7] = ["move", "mandatory", "private", "forcing", "chance", "effect", "every"];
/// The words after which a variable is declared.
const BINDER_WORDS: [&str; 10] = ["some", "all", "no", "one", "count", "sum", "min", "max", "union", "for"];
/// The words after which a declared name follows.
const NAMING_WORDS: [&str; 13] = [
    "game",
    "param",
    "preset",
    "const",
    "players",
    "player",
    "enum",
    "record",
    "type",
    "board",
    "def",
    "inductive",
    "effect",
];

/// The number of tokens after a place in which a comprehension's variables are looked for.
const MAX_FOLLOWING: usize = 100;

/// The kind of a place, which decides the words that fit it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The beginning of an item.
    Item,
    /// The beginning of a statement of a move.
    Statement,
    /// The beginning of an effect of a test's position.
    Effect,
    EndRule,
    Outcome,
    /// The beginning of a field.
    Field,
    Phase,
    TestStep,
    /// The name of a parameter that gets a value.
    Parameter,
    Type,
    /// After a dot.
    Part,
    /// The name of a phase.
    PhaseName,
    Actor,
    Claim,
    /// A move to play, or one that is legal or not.
    Move,
    /// The name of a library.
    Library,
    /// A board of `symmetry`.
    Symmetry,
    Words(&'static [&'static str]),
    Expression,
    /// A new name, which nobody can guess.
    NewName,
}

/// An open bracket.
#[derive(Clone, Copy, Debug)]
struct OpenBracket {
    /// The index of its token.
    at: usize,
    /// True for the braces of a block of clauses.
    is_block: bool,
    /// The index of the first token of the current clause in it.
    clause: usize,
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(crate) struct ScopedVariable<'t> {
    pub name: &'t str,
    /// The type or domain as written.
    pub ty: Option<String>,
}

/// The context of a place.
pub(crate) struct Context<'t> {
    text: &'t str,
    /// The tokens before the place without comments and without the word that is being typed.
    tokens: Vec<Token>,
    /// The tokens after the place.
    following: Vec<Token>,
    /// The bytes of the word that is being typed, up to the place.
    pub typed: std::ops::Range<usize>,
    /// The index of the first token of the item.
    item: usize,
    brackets: Vec<OpenBracket>,
    /// The first token of the clause outside of all brackets.
    clause: usize,
}

impl<'t> Context<'t> {
    /// The context of a byte of a text; `None` inside a comment or a string.
    pub fn at(text: &'t str, all: &[Token], offset: usize) -> Option<Context<'t>> {
        let before = &all[..all.partition_point(|token| token.start < offset)];
        if let Some(last) = before.last()
            && is_inside(text, *last, offset)
        {
            return None;
        }
        let typed = before.last().filter(|token| token.kind == TokenKind::Word && token.end >= offset);
        let start = typed.map_or(offset, |token| token.start);
        let is_code =
            |token: &&Token| !token.is_comment() && token.kind != TokenKind::Doc && token.start < start;
        let tokens: Vec<Token> = before.iter().filter(is_code).copied().collect();
        let after = &all[all.partition_point(|token| token.start < offset)..];
        let following =
            after.iter().filter(|token| !token.is_comment()).take(MAX_FOLLOWING).copied().collect();
        let (typed, brackets) = (start..offset, Vec::new());
        let mut context = Context { text, tokens, following, typed, item: 0, brackets, clause: 0 };
        context.scan();
        Some(context)
    }

    /// Finds the item, the brackets and the clause.
    fn scan(&mut self) {
        let mut begins_item = true;
        let mut pending_matches = 0;
        for at in 0..self.tokens.len() {
            let word = self.word(at);
            let start = self.tokens[at].start;
            // In a damaged file, an item keyword at the beginning of a line begins an item all the same.
            let at_margin = start == 0 || self.text.as_bytes()[start - 1] == b'\n';
            if begins_item || at_margin && ITEM_KEYWORDS.contains(&word) && !self.is_block_of("test") {
                self.brackets.clear();
                (self.item, self.clause, begins_item, pending_matches) = (at, at, false, 0);
            }
            match word {
                "match" | "diagram" => pending_matches += 1,
                "(" | "[" => self.brackets.push(OpenBracket { at, is_block: false, clause: at + 1 }),
                "{" => {
                    let ends_operand = at > 0 && self.ends_operand(at - 1);
                    let is_match = pending_matches > 0 && ends_operand;
                    pending_matches -= i32::from(is_match);
                    let is_block = !is_match && self.opens_block(at, ends_operand);
                    self.brackets.push(OpenBracket { at, is_block, clause: at + 1 });
                }
                ")" | "]" | "}" => {
                    let closed = self.brackets.pop();
                    if closed.is_some_and(|open| open.is_block) {
                        self.begin_clause(at + 1);
                        begins_item = self.brackets.is_empty();
                    }
                }
                ";" => {
                    self.begin_clause(at + 1);
                    pending_matches = 0;
                    begins_item = self.brackets.is_empty();
                }
                _ => {}
            }
        }
        if begins_item {
            (self.item, self.clause) = (self.tokens.len(), self.tokens.len());
        }
    }

    fn begin_clause(&mut self, at: usize) {
        match self.brackets.last_mut() {
            Some(open) => open.clause = at,
            None => self.clause = at,
        }
    }

    /// True if a brace opens a block of clauses and not a set.
    fn opens_block(&self, at: usize, ends_operand: bool) -> bool {
        let before = if at > 0 { self.word(at - 1) } else { "" };
        let Some(outer) = self.brackets.last() else {
            let is_block_item = BLOCK_ITEMS.contains(&self.item_word());
            // A test has an equals sign in its settings.
            let has_value =
                self.item_word() != "test" && (self.item..at).any(|token| self.word(token) == "=");
            return is_block_item && !has_value && (ends_operand || at == self.item + 1 || before == "move");
        };
        if !outer.is_block {
            return false;
        }
        match before {
            "then" | "else" | "position" => true,
            _ => ends_operand && ["if", "for", "else"].contains(&self.word(outer.clause)),
        }
    }

    /// True if an operand may end with this token.
    fn ends_operand(&self, at: usize) -> bool {
        let token = self.tokens[at];
        match token.kind {
            TokenKind::Word => {
                !is_reserved(self.word(at)) || ["true", "false", "none"].contains(&self.word(at))
            }
            TokenKind::Number | TokenKind::Str | TokenKind::Text | TokenKind::Close => true,
            _ => false,
        }
    }

    /// The characters of a token; empty past the last.
    fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.text(self.text))
    }

    /// The keyword of the item; empty at the beginning of one.
    pub fn item_word(&self) -> &'t str {
        self.word(self.item)
    }

    /// The tokens before the place as words, the last first.
    pub fn words_before(&self) -> impl Iterator<Item = &'t str> {
        (self.item..self.tokens.len()).rev().map(|at| self.word(at))
    }

    fn is_block_of(&self, item: &str) -> bool {
        self.item_word() == item && self.brackets.first().is_some_and(|open| open.is_block)
    }

    /// The index of the first token of the clause around the place.
    fn clause_start(&self) -> usize {
        let block = self.brackets.iter().rev().find(|open| open.is_block);
        block.map_or(self.clause, |open| open.clause)
    }

    /// The kind of the place.
    pub fn place(&self) -> Place {
        let end = self.tokens.len();
        let before = if end > self.item { self.word(end - 1) } else { "" };
        let inner = self.brackets.last();
        let clause = self.clause_start();
        let first = self.word(clause);
        let begins_clause = clause == end && inner.is_none_or(|open| open.is_block);
        match before {
            "" if end == self.item => return Place::Item,
            "." => return Place::Part,
            "use" => return Place::Library,
            "by" => return Place::Actor,
            "continue" => return Place::PhaseName,
            "of" if end > 1 && ["set", "list"].contains(&self.word(end - 2)) => return Place::Type,
            "let" | "as" | "move" | "chance" if !begins_clause => return Place::NewName,
            _ if end == self.item + 1 && NAMING_WORDS.contains(&before) => return Place::NewName,
            _ if BINDER_WORDS.contains(&before) => return Place::NewName,
            _ => {}
        }
        if begins_clause {
            return self.block_place();
        }
        if self.is_type_place() {
            return Place::Type;
        }
        let is_first_word = end == clause + 1;
        match first {
            "expect" => return self.claim_place(clause),
            "play" if self.item_word() == "test" => return Place::Move,
            "play" => return Place::Words(&["normal", "misere"]),
            "pass" if is_first_word => return Place::Words(&["when", "always"]),
            "symmetry" => return Place::Symmetry,
            "mandatory" | "private" | "forcing" if is_first_word => return Place::Words(&["move", "chance"]),
            _ => {}
        }
        let is_head = inner.is_none() && MOVE_ITEMS.contains(&self.item_word());
        if is_head && (before == "in" || before == "," && self.head_clause() == "in") {
            return Place::PhaseName;
        }
        if self.item_word() == "end" && before == "=>" && inner.is_some_and(|open| open.is_block) {
            return Place::Outcome;
        }
        Place::Expression
    }

    /// The last word of a move's head that begins a clause of it.
    fn head_clause(&self) -> &'t str {
        let mut words = self.words_before();
        words.find(|word| ["in", "by", "as", "prefer"].contains(word)).unwrap_or("")
    }

    /// The kind of the beginning of a clause in a block.
    fn block_place(&self) -> Place {
        let depth = self.brackets.iter().filter(|open| open.is_block).count();
        match self.item_word() {
            "state" => Place::Field,
            "end" => Place::EndRule,
            "phases" => Place::Phase,
            "test" if depth > 1 => Place::Effect,
            "test" => Place::TestStep,
            "preset" => Place::Parameter,
            "display" | "enum" => Place::NewName,
            word if MOVE_ITEMS.contains(&word) => Place::Statement,
            _ => Place::Item,
        }
    }

    /// The kind of a place in an expectation.
    fn claim_place(&self, clause: usize) -> Place {
        let end = self.tokens.len();
        let words: Vec<&str> = (clause..end).map(|at| self.word(at)).collect();
        let before = words.last().copied().unwrap_or("");
        let has_settings = words.contains(&"with");
        match before {
            "expect" => Place::Claim,
            "legal" | "illegal" => Place::Move,
            "with" => Place::Parameter,
            "," if has_settings && self.brackets.iter().all(|open| open.is_block) => Place::Parameter,
            "{" | "," if words.get(1) == Some(&"moves") => Place::Move,
            "wins" | "loses" => Place::Words(&["in", "with", "cite"]),
            _ => Place::Expression,
        }
    }

    /// True where a type is written: after the colon of a parameter, key, field or definition, or after `type X =`.
    fn is_type_place(&self) -> bool {
        let end = self.tokens.len();
        let item = self.item_word();
        if item == "type" {
            return self.brackets.is_empty() && self.word(end - 1) == "=";
        }
        let bracket = self.brackets.last().filter(|open| !open.is_block);
        let clause = self.clause_start();
        let outer = bracket.map_or(clause, |open| open.at);
        // A bracket after `=` is part of an expression.
        let is_head = (clause..outer).all(|at| self.word(at) != "=");
        let begins = bracket.map_or(clause, |open| open.clause);
        let segment = self.segment(begins);
        let colon = segment.iter().copied().find(|&at| self.word(at) == ":");
        let has_value = segment.iter().any(|&at| ["=", "in"].contains(&self.word(at)));
        let typed_items = ["param", "const", "def", "inductive", "record"];
        let is_typed = typed_items.contains(&item)
            || item == "state" && self.brackets.first().is_some_and(|open| open.is_block)
            || MOVE_ITEMS.contains(&item) && self.brackets.iter().all(|open| !open.is_block);
        is_typed && is_head && !has_value && colon == Some(end - 1)
    }

    /// The indices of the tokens after the last comma, outside of closed brackets, in order.
    fn segment(&self, begins: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut depth = 0;
        for at in (begins..self.tokens.len()).rev() {
            match self.word(at) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                "," if depth == 0 => break,
                _ if depth == 0 => found.push(at),
                _ => {}
            }
        }
        found.reverse();
        found
    }

    /// The words of the operand before the place, in order: `at [ c ] . owner`; empty if there is none.
    pub fn operand_before(&self, skip: usize) -> Vec<&'t str> {
        let mut at = self.tokens.len().saturating_sub(skip);
        let end = at;
        loop {
            let mut depth = 0;
            // Brackets, then the name before them.
            while at > self.item {
                match self.word(at - 1) {
                    ")" | "]" => depth += 1,
                    "(" | "[" if depth > 0 => depth -= 1,
                    _ if depth > 0 => {}
                    _ => break,
                }
                at -= 1;
            }
            if at == self.item || self.tokens[at - 1].kind != TokenKind::Word {
                break;
            }
            at -= 1;
            if at <= self.item || self.word(at - 1) != "." {
                break;
            }
            at -= 1;
        }
        (at..end).map(|index| self.word(index)).collect()
    }

    /// The innermost open bracket with a name before it: the name with its prefix, the bracket, and the index of the
    /// argument at the place.
    pub fn call(&self) -> Option<(Vec<&'t str>, char, usize)> {
        let open = self.brackets.iter().rev().take_while(|open| !open.is_block).find(|open| {
            let is_call = self.word(open.at) != "{";
            is_call && open.at > self.item && self.tokens[open.at - 1].kind == TokenKind::Word
        })?;
        let mut name = vec![self.word(open.at - 1)];
        if open.at >= self.item + 3 && self.word(open.at - 2) == "." {
            name.insert(0, self.word(open.at - 3));
        }
        let mut depth = 0;
        let mut commas = 0;
        for at in open.at + 1..self.tokens.len() {
            match self.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 => commas += 1,
                _ => {}
            }
        }
        Some((name, self.word(open.at).chars().next().unwrap_or('('), commas))
    }

    /// The variables in scope, the innermost last.
    pub fn variables(&self) -> Vec<ScopedVariable<'t>> {
        let mut found = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for at in self.item..self.tokens.len() {
            match self.word(at) {
                "(" | "[" | "{" => open.push(at),
                ")" | "]" | "}" => {
                    open.pop();
                }
                _ => {}
            }
            if self.tokens[at].kind != TokenKind::Word || is_reserved(self.word(at)) || at == self.item {
                continue;
            }
            // Parameters of the head are in scope of the whole item, others until their bracket closes.
            let is_open = open.iter().all(|bracket| self.brackets.iter().any(|known| known.at == *bracket));
            let (before, after) = (self.word(at - 1), self.word(at + 1));
            let declares = match after {
                ":" if ["(", ",", "["].contains(&before) => Some(self.type_after(at + 2)),
                ":" if ["payoff", "evaluate"].contains(&before) => Some(Some("Player".to_owned())),
                "in" if is_open && (BINDER_WORDS.contains(&before) || [",", "{"].contains(&before)) => {
                    Some(Some(self.word(at + 2).to_owned()))
                }
                "=" if is_open && before == "let" => Some(None),
                "," | ")" if is_open && self.is_in_pattern(at) => Some(None),
                _ => None,
            };
            found.extend(declares.map(|ty| ScopedVariable { name: self.word(at), ty }));
        }
        found.extend(self.comprehension_variables());
        found
    }

    /// The variables of a comprehension `{ e for x in S }`, which are declared after the place.
    fn comprehension_variables(&self) -> Vec<ScopedVariable<'t>> {
        let is_set = |open: &OpenBracket| self.word(open.at) == "{" && !open.is_block;
        if !self.brackets.iter().any(is_set) {
            return Vec::new();
        }
        let words: Vec<&'t str> = self.following.iter().map(|token| token.text(self.text)).collect();
        let end = words.iter().position(|word| *word == ";").unwrap_or(words.len());
        let mut found = Vec::new();
        for (at, three) in words[..end].windows(3).enumerate() {
            let begins = three[0] == "for" || three[0] == "," && words[..at].contains(&"for");
            if begins && three[2] == "in" {
                found.push(ScopedVariable { name: three[1], ty: None });
            }
        }
        found
    }

    /// True for a variable of a pattern `(x, y)` after `let` or a quantifier.
    fn is_in_pattern(&self, at: usize) -> bool {
        let mut words = (self.item..at).rev().map(|before| self.word(before));
        let opening =
            words.find(|word| !(*word == "," || word.starts_with(|c: char| c.is_ascii_lowercase())));
        opening == Some("(") && words.next().is_some_and(|word| word == "let" || BINDER_WORDS.contains(&word))
    }

    /// The words of a type from a token on, up to the end of the declaration.
    fn type_after(&self, from: usize) -> Option<String> {
        let mut depth = 0;
        let ends = |at: &usize| {
            match self.word(*at) {
                "(" => depth += 1,
                ")" if depth > 0 => depth -= 1,
                "," | ")" | "]" => return depth == 0,
                _ => {}
            }
            false
        };
        let end = (from..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
        let (first, last) = (self.tokens.get(from)?, self.tokens.get(end.checked_sub(1)?)?);
        self.text.get(first.start..last.end).map(str::to_owned)
    }

    /// The operator before the place and the words of its left operand, if the place is the right one.
    pub fn comparison(&self) -> Option<Vec<&'t str>> {
        let before = self.words_before().next()?;
        let fits = ["=", "!=", "<", "<=", ">", ">=", ":=", "+=", "-=", "|=", "==", "is"].contains(&before);
        fits.then(|| self.operand_before(1)).filter(|words| !words.is_empty())
    }
}

/// True for a place inside a comment or a string.
fn is_inside(text: &str, token: Token, offset: usize) -> bool {
    match token.kind {
        TokenKind::LineComment | TokenKind::Doc => {
            offset <= token.end && !text[token.start..offset].contains('\n')
        }
        TokenKind::UnclosedStr | TokenKind::UnclosedText | TokenKind::UnclosedComment => offset <= token.end,
        TokenKind::Str | TokenKind::Text | TokenKind::BlockComment => offset < token.end,
        _ => false,
    }
}
