//! The beginnings of items in the form of other languages, and boards in other forms.

use super::edits::{Fix, FixFinder};
use super::fallback::DAMAGE_MARKER;
use super::phrases::explained;
use crate::diag::Code;
use crate::keywords;
use crate::lex::TokenKind;

/// The forms of boards.
pub(super) const SHAPES: [&str; 6] = ["grid", "hex", "torus", "strip", "ring", "cube"];

/// The message about an item that says who sees a field.
pub(super) const WHO_SEES: (&str, &str) = (
    "who sees a field is said at the field",
    "write `hand[p: Player]: Card = ... visible to p;` in `state`, or `... hidden;` if nobody sees it; a term that a player \
     sees besides is an item: `sees Ann: e;`",
);

/// The message about a word that begins an item of another language.
pub(super) fn foreign_head(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "first" | "starts" | "starting" | "begins" => (
            "the player who is named first in `players` begins",
            "write `players B, A;` for B to begin; a move passes the turn to others by `next p;`",
        ),
        "import" | "from" | "include" | "using" | "require" | "load" => (
            "another file is brought in by `use`",
            "write `use \"std/lines\";` for a library of the language, `use \"pieces\";` for the file `pieces.bou`",
        ),
        "class" | "struct" | "interface" | "object" | "trait" => (
            "there are no classes: a game is its state and its moves",
            "values with parts are a `record Piece(owner: Player, kind: Kind);`, what changes is `state { ... }`, what players \
             do is `move name() { ... }`",
        ),
        "author" | "authors" | "version" | "date" | "license" | "description" | "title" | "year" => (
            "what is told about a game stands in comments",
            "write `//! ...` at the top of the file, with the author or the version after it",
        ),
        "LEGEND" | "Legend" | "legend" => (
            "the signs of a picture are explained where the picture is",
            "write `diagram \"\"\"...\"\"\" { \"P\" => player, \".\" => none }` as the initial value of a field",
        ),
        "OBJECTS" | "Objects" | "SOUNDS" | "COLLISIONLAYERS" => (
            "objects are the members of a type",
            "write `enum Thing { wall, crate }`, and a field `at[c: Cell]: Thing?`",
        ),
        "RULES" | "Rules" | "rules" => (
            "there is no list of rules: each kind of move is an item of its own",
            "write `move name(d: Dir) { when ...; field := ...; }`: its conditions, and then what changes",
        ),
        "WINCONDITIONS" | "WinConditions" | "goal" | "goals" => {
            ("how a game ends stands in `end`", "write `end { when ... => win; }`")
        }
        "LEVELS" | "Levels" | "levels" => (
            "a level is a diagram",
            "write `param level: text = \"\"\"...\"\"\";`, and `diagram level { \"#\" => wall, \".\" => none }`",
        ),
        "equipment" | "pieces" | "piece" => (
            "pieces are the members of a type",
            "write `enum Kind { man, king }`, and a field `at[c: Cell]: Kind?`",
        ),
        "turn" | "order" => (
            "players take turns in the order in which `players` names them",
            "write `players X, O;`; a move may say `again;` or `next p;`",
        ),
        "public" | "static" | "void" | "function" | "protected" | "async" | "int" | "char" | "float"
        | "double" | "boolean" | "string" => (
            "what a player may do begins with `move`, a name for a condition with `def`",
            "write `move name(c: Cell) { when ...; field := ...; }` or `def name(c: Cell) = ...;`",
        ),
        "event" | "random" => (
            "what happens by chance begins with `chance`",
            "write `chance toss(s: Side) in throw { weight 1; ... }`, in a phase that `phases { ...; throw by chance; }` declares",
        ),
        "as" => (
            "the notation of a move stands before its braces",
            "write `move mark(c: Cell) as \"{c}\" { ... }`, with the name and the parameters of the move",
        ),
        "by" => (
            "the name of a move, and who may make it, stand before its braces",
            "write `move mark(c: Cell) as \"{c}\" by X { ... }`",
        ),
        "set" => (
            "a parameter is set from outside, or by its own item",
            "write `param n: 1..9 = 5;`, or `bouton solve FILE --set n=5`",
        ),
        "data" | "newtype" | "deriving" => (
            "a type by its members is an `enum`",
            "write `enum Piece { man, king }`; values with parts are a `record Piece(owner: Player, kind: Kind);`",
        ),
        "payoffs" | "payoff" | "matrix" | "strategies" => (
            "what the players get is the outcome of an end rule",
            "choices at the same time are moves in a phase `by each`, and `end { when ... => payoff p: if p = A then 3 else 1; }` \
             gives what each player gets for them: see `games/prisoners_dilemma.bou`",
        ),
        "hidden" | "secret" | "visible" | "reveal" | "reveals" | "show" | "shows" | "knows" => {
            (WHO_SEES.0, WHO_SEES.1)
        }
        "alternate" | "alternating" | "taking" => {
            ("players take turns by themselves", "delete it; a move may say `again;` or `next p;`")
        }
        "rule" | "action" | "proc" | "procedure" | "method" => (
            "what a player may do is a move, and a name for a condition is a definition",
            "write `move name(c: Cell) { when ...; field := ...; }` or `def name(c: Cell) = ...;`",
        ),
        _ => return None,
    })
}

impl FixFinder<'_> {
    /// Fixes and explanations of the beginnings of items.
    pub fn heads(&self, fixes: &mut Vec<Fix>) {
        let all = [
            self.modifier(),
            self.hidden_state(),
            self.private_field(),
            self.function_in_a_constant(),
            self.sign_of_a_definition(),
            self.definition_as_a_program(),
            self.end_without_braces(),
            self.test_without_braces(),
            self.players_in_quotes(),
            self.board_without_a_name(),
            self.board_by_its_size(),
            self.graph_without_its_form(),
            self.end_by_if(),
            self.group_of_items(),
            self.string_as_a_comment(),
            self.board_as_an_array(),
            self.double_edge(),
            self.lists_of_neighbors(),
            self.graph_with_commas(),
            self.picture_in_plain_quotes(),
            self.weight_in_the_head(),
            self.display_without_a_field(),
            self.diagram_without_signs(),
            self.signs_after_values(),
        ];
        fixes.extend(all.into_iter().flatten());
    }

    /// Removes `public` and the like before an item.
    fn modifier(&self) -> Option<Fix> {
        let is_modifier = matches!(
            self.word,
            "public" | "static" | "void" | "protected" | "abstract" | "final" | "export" | "async"
        );
        (is_modifier && self.bounds.at == self.bounds.first).then(|| {
            let is_modifier =
                |word: &str| matches!(word, "public" | "static" | "void" | "final" | "async" | "override");
            let next =
                (self.bounds.at + 1..).find(|&at| !is_modifier(self.layout.text(at))).unwrap_or_default();
            let range = (self.here().0, self.range(next).0);
            let title = format!("`{}` has no meaning here", self.text(self.bounds.at, next));
            let fix = Fix::new(range, "", Code::E0013, title).at(self.here()).help("leave it out");
            Fix { accepts_partial: true, ..fix }
        })
    }

    /// Explains `hidden state { ... }`.
    fn hidden_state(&self) -> Option<Fix> {
        let is_state = matches!(self.word, "hidden" | "secret" | "private" | "visible" | "public")
            && self.layout.text(self.bounds.at + 1) == "state";
        // `private` may begin a move.
        let is_behind =
            self.word == "state" && self.last == "private" && self.bounds.at == self.bounds.first + 1;
        let word = self.bounds.first;
        (is_state && self.bounds.at == word || is_behind).then(|| {
            let range = (self.range(word).0, self.range(word + 1).0);
            let title = "who sees a field is said at the field, not for the whole state";
            let help = "write `hand[p: Player]: Card = ... visible to p;` for what a player sees alone, `... hidden;` for what \
                        nobody sees";
            let fix = Fix::new(range, "", Code::E0013, title).at(self.range(word)).help(help);
            Fix { is_correction: false, ..fix }
        })
    }

    /// Explains `private hand;` among the items.
    fn private_field(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_private = self.layout.text(first) == "private" && self.bounds.at == first + 1;
        let is_name = keywords::starts_with_letter(self.word)
            && !keywords::is_reserved(self.word)
            && matches!(self.layout.text(first + 2), ";" | ":" | "[" | "to");
        (is_private && is_name).then(|| {
            let end = self.range(self.layout.item_end(first) - 1).1;
            explained((self.range(first).0, end), "", WHO_SEES.0, WHO_SEES.1).at(self.range(first))
        })
    }

    /// Explains `const line = (p) => ...;`.
    fn function_in_a_constant(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_constant = matches!(self.layout.text(first), "const" | "let" | "var" | "def");
        let close = self.bounds.at.checked_sub(1).filter(|_| self.word == "=>" && is_constant)?;
        let open =
            self.layout.partner(close).filter(|&open| self.layout.text(open.wrapping_sub(1)) == "=")?;
        let name = self.layout.text(first + 1);
        let range = (self.range(first).0, self.range(self.layout.item_end(first) - 1).1);
        let title = "a function is a definition, and its parameters have types";
        let params: Vec<String> =
            self.text(open + 1, close).split(',').map(|name| format!("{}: TYPE", name.trim())).collect();
        let help = format!("write `def {name}({}) = ...;`", params.join(", "));
        let fix = Fix::new(range, "", Code::E0013, title).at(self.here()).help(help);
        Some(Fix { is_correction: false, ..fix })
    }

    /// Rewrites `def f(x: T) => e` to `def f(x: T) = e`, and `def f(x: T) -> bool = e` to `def f(x: T): bool = e`.
    fn sign_of_a_definition(&self) -> Option<Fix> {
        let is_definition =
            matches!(self.layout.text(self.bounds.first), "def" | "inductive") && self.last == ")";
        let is_head = self.layout.partner(self.bounds.at.checked_sub(1)?) == Some(self.bounds.first + 2);
        let has_type = self.layout.text(self.bounds.at + 2) == "=";
        let (sign, title) = match self.word {
            "->" | "returns" if has_type => (":", "the type of a definition stands after `:`"),
            "->" | "=>" | "is" | "iff" | "means" => ("=", "what a definition stands for follows `=`"),
            _ => return None,
        };
        (is_definition && is_head)
            .then(|| Fix::new(self.here(), sign, Code::E0013, title).help(format!("write `{sign}`")))
    }

    /// Explains `def line(p):` with statements of a program behind it.
    fn definition_as_a_program(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_definition = matches!(self.layout.text(first), "def" | "function" | "fn" | "func");
        let close = self.layout.partner(first + 2).filter(|_| is_definition)?;
        let brace = self.outside_brackets(close + 1, &["{", "=", ";"]);
        let brace = brace.filter(|&at| self.layout.text(at) == "{" && !self.layout.begins_line(at));
        let body = match (self.layout.text(close + 1), brace) {
            ("{", _) => close + 2,
            (":" | "->", Some(brace)) => brace + 1,
            (":", None) => close + 2,
            _ => return None,
        };
        let is_program = |word: &str| matches!(word, "for" | "while" | "if" | "let" | "var" | "return");
        let end = self.layout.item_end(first);
        // `def f(x): return e` is mended as a whole.
        let has_more = (body..end).skip(1).any(|at| matches!(self.layout.text(at), "return" | "for" | "if"));
        if !is_program(self.layout.text(body)) || !has_more || self.bounds.at > end {
            return None;
        }
        let range = (self.range(first).0, self.range(end - 1).1);
        let title = "a definition is one expression, not a program";
        let params = self.text(first + 2, close + 1);
        let params = if params.contains(':') { params } else { "(p: Player)" };
        let help = format!(
            "write one expression after `=`, as in `def {}{params} = some l in lines(Cell, 3): all c in l: at[c] = p;`: `some`, \
             `all`, `count` and `sum` take the place of loops",
            self.layout.text(first + 1)
        );
        // The name stays known, so that its uses are no further mistakes.
        let stub = format!("def {}{params} = {DAMAGE_MARKER};", self.layout.text(first + 1));
        let fix = Fix::new(range, &stub, Code::E0013, title).at((self.range(first).0, self.range(close).1));
        Some(Fix { is_correction: false, ..fix.help(help) })
    }

    /// Rewrites `end when c => X wins;` to `end { when c => X wins; }`.
    fn end_without_braces(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_rule = self.layout.text(first) == "end"
            && self.bounds.at == first + 1
            && matches!(self.word, "when" | "for" | "repeat");
        let end = self.outside_brackets(first + 1, &[";"]).filter(|_| is_rule)?;
        let new = format!("{{ {} }}", self.text(first + 1, end + 1));
        let range = (self.here().0, self.range(end).1);
        let fix = Fix::new(range, &new, Code::E0013, "the rules of the end stand in braces").at(self.here());
        Some(fix.help(format!("write `end {new}`")))
    }

    /// Explains `test "t": play ...; expect ...;`.
    fn test_without_braces(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_test = self.layout.text(first) == "test" && self.bounds.at == first + 2;
        (is_test && matches!(self.word, ":" | "=" | "=>" | "play" | "expect" | "position")).then(|| {
            let range = (self.range(first).0, self.range(self.layout.item_end(first) - 1).1);
            let fix = Fix::new(range, "", Code::E0013, "the steps of a test stand in braces").at(self.here());
            let help = "write `test \"name\" { play ...; expect ...; }`";
            Fix { is_correction: false, ..fix.help(help) }
        })
    }

    /// Rewrites `players "Ann", "Bob";` to `players Ann, Bob;`.
    fn players_in_quotes(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_list = matches!(self.layout.text(first), "players" | "player") && self.bounds.at == first + 1;
        let end = self.outside_brackets(first + 1, &[";"]).filter(|_| is_list)?;
        let mut names = Vec::new();
        for at in first + 1..end {
            let word = self.layout.words.get(at)?;
            match word.kind {
                TokenKind::Str => names.push(self.layout.text(at).trim_matches('"')),
                _ if self.layout.text(at) == "," => {}
                _ => return None,
            }
        }
        let is_name = |name: &&str| {
            keywords::starts_with_letter(name) && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        };
        if names.is_empty() || !names.iter().all(is_name) {
            return None;
        }
        let new = names.join(", ");
        let range = (self.here().0, self.range(end - 1).1);
        let fix = Fix::new(range, &new, Code::E0013, "the names of players stand without quotes");
        Some(fix.at(self.here()).help(format!("write `players {new};`")))
    }

    /// Rewrites `board grid(3, 3);` to `board Cell = grid(3, 3);`.
    fn board_without_a_name(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_board = self.layout.text(first) == "board" && self.bounds.at == first + 2 && self.word == "(";
        (is_board && SHAPES.contains(&self.last)).then(|| {
            let start = self.range(first + 1).0;
            let title = "a board has a name, which is the type of its cells";
            let fix = Fix::new((start, start), "Cell = ", Code::E0013, title).at(self.range(first + 1));
            fix.help(format!("write `board Cell = {}(...);`", self.last))
        })
    }

    /// Rewrites `board Room { a - b; }` to `board Room = graph { a - b; }`.
    fn graph_without_its_form(&self) -> Option<Fix> {
        let (first, at) = (self.bounds.first, self.bounds.at);
        let is_board = self.layout.text(first) == "board" && at == first + 2 && self.word == "{";
        let close = self.layout.partner(at).filter(|_| is_board && self.is_name(first + 1))?;
        let joins = |at: usize| matches!(self.layout.text(at), "-" | "->" | "<-" | "<" | "--" | "=");
        (at + 1..close).any(joins).then(|| {
            let start = self.here().0;
            let title = "a board of points and lines between them is a `graph`";
            let fix = Fix::new((start, start), "= graph ", Code::E0013, title).at(self.here());
            fix.help(format!("write `board {} = graph {{ ... }}`", self.last))
        })
    }

    /// Rewrites `board 8x8;` to `board Cell = grid(8, 8);`.
    fn board_by_its_size(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let second = self.layout.text(first + 2);
        let height = second.strip_prefix(['x', 'X']).unwrap_or_default();
        let (height, last) =
            if height.is_empty() { (self.layout.text(first + 3), first + 3) } else { (height, first + 2) };
        let is_size = self.layout.text(first) == "board"
            && self.bounds.at == first + 1
            && matches!(second.chars().next(), Some('x' | 'X' | '*' | '\u{d7}'))
            && is_number(self.word)
            && is_number(height);
        is_size.then(|| {
            let new = format!("Cell = grid({}, {height})", self.word);
            let range = (self.here().0, self.range(last).1);
            let title = "a board has a name, which is the type of its cells, and a form";
            Fix::new(range, &new, Code::E0013, title).help(format!("write `board {new};`"))
        })
    }

    /// Rewrites `end if f then X wins;` to `end { when f => X wins; }`.
    fn end_by_if(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_end = self.layout.text(first) == "end" && self.bounds.at == first + 1;
        let is_rule = is_end && matches!(self.word, "if" | "when");
        let arrow = self.outside_brackets(first + 2, &["then", "=>", ":", ";"]).filter(|_| is_rule)?;
        let end = self.outside_brackets(arrow + 1, &[";"]).filter(|_| self.layout.text(arrow) != ";")?;
        let (condition, outcome) = (self.text(first + 2, arrow), self.text(arrow + 1, end));
        let rule = format!("when {condition} => {outcome};");
        let range = (self.here().0, self.range(end).1);
        let title = "the rules of the end stand in braces";
        let fix = Fix::new(range, &format!("{{ {rule} }}"), Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `end {{ {rule} ... }}`")))
    }

    /// Rewrites `moves { mark(c: Cell) { ... } }` to `move mark(c: Cell) { ... }`.
    fn group_of_items(&self) -> Option<Fix> {
        let open = self.bounds.first + 1;
        let item = match self.word {
            "moves" | "actions" | "Moves" => "move",
            "rules" | "functions" | "definitions" | "constants" | "types" | "variables" | "parameters"
            | "tests" => "",
            _ => return None,
        };
        let is_group = self.bounds.at == self.bounds.first && self.layout.text(open) == "{";
        let close = self.layout.partner(open).filter(|_| is_group)?;
        let title = format!("`{}` groups nothing: each item stands by itself", self.word);
        let range = (self.here().0, self.range(close).1);
        let mut items = Vec::new();
        let mut start = open + 1;
        while let Some(body) = self.outside_brackets(start, &["{"]).filter(|&body| body < close) {
            let end = self.layout.partner(body)?;
            items.push(self.text(start, end + 1));
            start = end + 1;
        }
        let begins_plainly = |item: &&str| !item.starts_with("move") && item.starts_with(char::is_alphabetic);
        if item.is_empty() || items.is_empty() || start != close || !items.iter().all(begins_plainly) {
            let help =
                "write each with its own word: `move m(...) { ... }`, `def f(...) = ...;`, `const c = ...;`";
            return Some(explained(range, "", &title, help).at(self.here()));
        }
        let new = items.iter().map(|of| format!("{item} {of}")).collect::<Vec<_>>().join("\n");
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{item}` before each, without braces around them")))
    }

    /// Rewrites a string of several lines between the items to a comment.
    fn string_as_a_comment(&self) -> Option<Fix> {
        let inner = self.word.strip_prefix("\"\"\"")?.strip_suffix("\"\"\"")?;
        let is_item = self.bounds.at == self.bounds.first && !inner.contains("*/");
        is_item.then(|| {
            let title = "a comment stands between `/*` and `*/`";
            let start = self.here().0;
            let fix =
                Fix::new(self.here(), &format!("/*{inner}*/"), Code::E0013, title).at((start, start + 3));
            fix.help("write `/* ... */`, or `//!` before each line of a description of the game")
        })
    }

    /// Rewrites `board Cell[3][4];` to `board Cell = grid(3, 4);`.
    fn board_as_an_array(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_array = self.layout.text(first) == "board" && self.bounds.at == first + 2 && self.word == "[";
        let close = self.layout.partner(self.bounds.at).filter(|_| is_array)?;
        let mut sizes: Vec<&str> = self.text(self.bounds.at + 1, close).split(',').map(str::trim).collect();
        let mut last = close;
        if let Some(end) = self.layout.partner(close + 1).filter(|_| self.layout.text(close + 1) == "[") {
            sizes.push(self.text(close + 2, end));
            last = end;
        }
        let new = match sizes[..] {
            [width, height] => format!(" = grid({width}, {height})"),
            [length] => format!(" = strip({length})"),
            _ => return None,
        };
        // Rows may have been meant to come first, and only a square does not tell.
        let is_certain = sizes.iter().all(|size| *size == sizes[0]);
        let range = (self.gap().0, self.range(last).1);
        let title = "a board is given by its form and its size";
        let help = format!("write `board {}{new};`: columns first, then rows", self.last);
        let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, range.1)).help(help);
        Some(Fix { is_correction: is_certain, ..fix })
    }

    /// Rewrites `a -- b` and `a --> b` in a graph.
    fn double_edge(&self) -> Option<Fix> {
        let is_graph = self.layout.text(self.bounds.first) == "board";
        let is_double = |at: usize| {
            self.layout.text(at) == "-" && self.layout.text(at + 1).starts_with('-') && self.touches(at)
        };
        // The second sign may be unread, or the name behind it.
        let at = [self.bounds.at.checked_sub(1)?, self.bounds.at].into_iter().find(|&at| is_double(at))?;
        let close = self.layout.partner(self.bracket_around(at, at)?).filter(|_| is_graph)?;
        let (start, mut kept) = (self.range(at).0, self.range(at + 1).0);
        let (mut new, mut end) = (String::new(), self.range(at + 1).1);
        for next in (at + 2..close).filter(|&next| is_double(next)) {
            new += self.layout.source.get(kept..self.range(next).0)?;
            (kept, end) = (self.range(next + 1).0, self.range(next + 1).1);
        }
        new += self.layout.source.get(kept..end)?;
        let sign = self.layout.text(at + 1);
        let title = "`-` joins two points both ways, `->` one way";
        let fix = Fix::new((start, end), &new, Code::E0013, title).at((start, self.range(at + 1).1));
        let more = if new == sign { "" } else { ", here and below" };
        Some(Fix { accepts_partial: true, ..fix.help(format!("write `{sign}`{more}")) })
    }

    /// Explains `graph { a: b, c; }` and `graph { (a, b), (b, c) }`.
    fn lists_of_neighbors(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = (first..self.bounds.at).find(|&at| self.layout.text(at) == "{")?;
        let is_graph =
            self.layout.text(first) == "board" && self.layout.text(open.checked_sub(1)?) == "graph";
        let close = self.layout.partner(open).filter(|_| is_graph && matches!(self.word, ":" | "("))?;
        let is_name = |at: &usize| keywords::starts_with_letter(self.layout.text(*at));
        let mut joined = Vec::new();
        let mut from = None;
        for at in open + 1..close {
            match (self.word, self.layout.text(at), is_name(&at)) {
                (":", _, true) if self.layout.text(at + 1) == ":" => from = Some(self.layout.text(at)),
                ("(", "(", _) => from = Some(self.layout.text(at + 1)),
                (_, name, true) if from.is_some_and(|from| from != name) => {
                    joined.push(format!("{} - {name};", from.unwrap_or_default()));
                }
                _ => {}
            }
        }
        let new = format!(" {} ", joined.join(" "));
        let range = (self.range(open).1, self.range(close).0);
        let title = "the points of a graph are joined by `-`";
        let help = format!(
            "write `graph {{{}}}`; `->` joins one way only",
            if joined.len() <= 6 { new.as_str() } else { " a - b; b - c; " }
        );
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here()).help(help);
        (!joined.is_empty()).then_some(Fix { is_correction: false, ..fix })
    }

    /// Rewrites `graph { a - b, b - c }` to `graph { a - b; b - c; }`, and `graph { line a, b; }` and
    /// `graph { a, b; b, c; }` so that `-` joins the points.
    fn graph_with_commas(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at).filter(|_| self.word == ",")?;
        let close = self.layout.partner(open)?;
        let is_graph = self.layout.text(self.bounds.first) == "board"
            && self.layout.text(open.checked_sub(1)?) == "graph";
        if !is_graph {
            return None;
        }
        let start = (open..self.bounds.at).rev().find(|&at| matches!(self.layout.text(at), ";" | "{"))? + 1;
        let end = self.outside_brackets(start, &[";"]).unwrap_or(close);
        let is_marked = self.layout.text(start) == "line" && self.is_name(start + 1);
        let parts = self.parts_between(start + usize::from(is_marked), end);
        let is_point = |part: &&str| !part.contains(['-', '{', '[']);
        let has_edges = (open..close).any(|at| matches!(self.layout.text(at), "-" | "->"));
        let is_shared = |part: &&str| (open..close).filter(|&at| self.layout.text(at) == *part).count() > 1;
        if parts.iter().all(is_point) && (is_marked || !has_edges && parts.iter().any(is_shared)) {
            // Without a mark all lines are of this form.
            let (from, to) = if is_marked { (start + 1, end) } else { (open + 1, close) };
            let new = self.text(from, to).replace(" ,", ",").replace(',', " -");
            let line = self.text(start, end).replace(" ,", ",").replace(',', " -");
            let title = "the points of a graph are joined by `-`";
            let range = (self.range(from).0, self.range(to - 1).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
            return Some(Fix { accepts_partial: true, ..fix.help(format!("write `{line};`")) });
        }
        let lines = self.text(open + 1, close).trim_end_matches([',', ';']).replace(',', ";");
        let new = format!(" {lines}; ");
        let range = (self.range(open).1, self.range(close).0);
        let title = "each line of a graph ends with `;`";
        if parts.len() > 1 && parts.iter().all(is_point) {
            let title = "no comma stands between the points of a graph";
            let shown = if parts.len() <= 6 { &parts[..] } else { &parts[..2] };
            let help = format!(
                "write `{};` if these points are joined, `{};` if they are not",
                shown.join(" - "),
                shown.join("; ")
            );
            return Some(explained(range, &new, title, help).at(self.here()));
        }
        if parts.iter().any(is_point) {
            let help = "write `a - b;` for points that are joined, `a; b;` for points that are not";
            return Some(explained(range, &new, title, help).at(self.here()));
        }
        let fix = Fix::new(range, &new, Code::E0013, title).at(self.here());
        Some(fix.help("write `;` in place of the commas, and after the last line"))
    }

    /// Rewrites `diagram "..."` to `diagram """..."""`.
    fn picture_in_plain_quotes(&self) -> Option<Fix> {
        let picture = self.word.strip_prefix('"')?.strip_suffix('"')?;
        (self.last == "diagram" && !picture.starts_with('"')).then(|| {
            let new = format!("\"\"\"{picture}\"\"\"");
            let title = "the picture of a diagram stands between three quotes";
            Fix::new(self.here(), &new, Code::E0013, title).help(format!("write `{new}`"))
        })
    }

    /// Rewrites `chance throw(..) in roll weight 1 / 6 { ... }` to `chance throw(..) in roll { weight 1 / 6; ... }`.
    fn weight_in_the_head(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let is_event = (first..self.bounds.at).take(2).any(|at| self.layout.text(at) == "chance");
        let is_list =
            matches!(self.word, "weights" | "weight" | "probabilities" | "probability" | "with" | "odds");
        let list = (self.bounds.at + 1..self.bounds.at + 3).find(|&at| self.layout.text(at) == "[");
        if let Some(list) = list.filter(|_| is_event && is_list) {
            let close = self.layout.partner(list).filter(|&close| self.layout.text(close + 1) == "{")?;
            let open = (first..self.bounds.at).find(|&at| self.layout.text(at) == "(")?;
            let weights = self.text(list, close + 1);
            let new = format!("{{ weight {weights}[{}];", self.layout.text(open + 1));
            let title = "each event has its own weight, in its braces";
            let range = (self.here().0, self.range(close + 1).1);
            let fix = Fix::new(range, &new, Code::E0013, title).at((self.here().0, self.range(close).1));
            return Some(fix.help(format!("write `{new} ... }}`: the list is counted from 1")));
        }
        let open =
            self.outside_brackets(self.bounds.at, &["{"]).filter(|_| is_event && self.word == "weight")?;
        let weight = self.text(self.bounds.at, open);
        let new = format!("{{ {weight};");
        let title = "the weight of an event stands in its braces";
        let fix = Fix::new((self.here().0, self.range(open).1), &new, Code::E0013, title).at(self.here());
        Some(fix.help(format!("write `{new} ... }}`")))
    }

    /// Explains `display { X => "x" }`.
    fn display_without_a_field(&self) -> Option<Fix> {
        let first = self.bounds.first;
        let open = first + 1;
        let close = self.layout.partner(open).filter(|_| self.layout.text(first) == "display")?;
        let is_arm = matches!(self.word, "=>" | ":" | "=") && self.bounds.at == open + 2;
        (is_arm && self.layout.text(open) == "{").then(|| {
            let title = "a display says of which field it draws the values";
            let arms = self.text(open + 1, close).trim_end_matches(';').trim_end();
            let help = match arms.contains("=>") && arms.len() <= 60 {
                true => format!("write `display {{ cell at {{ {arms} }}; }}`, with the name of the field"),
                false => {
                    "write `display { cell at { X => \"x\", none => \".\" }; }`, with the name of the field"
                        .into()
                }
            };
            let last = close + usize::from(self.layout.text(close + 1) == ";");
            let range = (self.range(open).1, self.range(last).1);
            let fix = Fix::new(range, " }", Code::E0013, title).at(self.range(open + 1)).help(help);
            Fix { is_correction: false, ..fix }
        })
    }

    /// Explains a diagram without the meaning of its signs.
    fn diagram_without_signs(&self) -> Option<Fix> {
        let is_text = self.bounds.at >= 2
            && self.layout.text(self.bounds.at - 2) == "diagram"
            && self.last.starts_with("\"\"\"")
            && self.word != "{";
        is_text.then(|| {
            let mut signs: Vec<char> =
                self.last.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
            signs.sort_unstable();
            signs.dedup();
            let arms: Vec<String> = signs
                .iter()
                .take(4)
                .map(|sign| match sign {
                    '.' => "\".\" => none".to_owned(),
                    sign => format!("\"{sign}\" => ..."),
                })
                .collect();
            let end = self.range(self.bounds.at - 1).1;
            let title = "the signs of the diagram have no meaning yet";
            let help = format!("write `{{ {} }}` after the picture", arms.join(", "));
            let start = self.range(self.bounds.at - 2).0;
            let fix = Fix::new((start, end), super::fallback::DAMAGE_MARKER, Code::E0013, title).help(help);
            Fix { is_correction: false, ..fix.at(self.range(self.bounds.at - 2)) }
        })
    }

    /// Rewrites the signs of a diagram: `man => "m"` and `"m" = man` to `"m" => man`.
    fn signs_after_values(&self) -> Option<Fix> {
        let open = self.bracket_around(self.bounds.at, self.bounds.at)?;
        let close = self.layout.partner(open)?;
        if !self.layout.text(open.checked_sub(1)?).starts_with("\"\"\"") || self.layout.text(open) != "{" {
            return None;
        }
        let is_string = |at: usize| self.layout.words.get(at).is_some_and(|word| word.kind == TokenKind::Str);
        let mut arms = Vec::new();
        let mut at = open + 1;
        while at < close {
            let end = self.outside_brackets(at, &[",", "}", ";"]).unwrap_or(close).min(close);
            let sign = (at..end).find(|&at| matches!(self.layout.text(at), "=>" | "=" | ":" | "->"))?;
            arms.push(match () {
                () if is_string(at) => format!("{} => {}", self.text(at, sign), self.text(sign + 1, end)),
                () if is_string(sign + 1) => {
                    format!("{} => {}", self.text(sign + 1, end), self.text(at, sign))
                }
                () => return None,
            });
            at = end + 1;
        }
        let new = format!("{{ {} }}", arms.join(", "));
        let range = (self.range(open).0, self.range(close).1);
        let title = "in a diagram each sign leads to its value by `=>`";
        Some(Fix::new(range, &new, Code::E0013, title).at(self.here()).help(format!("write `{new}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{helps, mended, titles};

    #[test]
    fn points_have_no_commas() {
        let text = "board Spot = graph {\n  inn, well, forge;\n  inn - barn - forge;\n}\n";
        assert_eq!(titles(text), ["no comma stands between the points of a graph"]);
        let help =
            "write `inn - well - forge;` if these points are joined, `inn; well; forge;` if they are not";
        assert_eq!(helps(text), [help]);
        assert_eq!(mended(text), text);
    }

    #[test]
    fn points_of_a_graph_are_joined() {
        let text = |lines: &str| format!("board Node = graph {{ {lines} }};\n");
        for (lines, new) in [
            ("line p - q - r; line p, v;", "line p - q - r; line p - v;"),
            ("line p, q, r; s - p;", "line p - q - r; s - p;"),
            ("p, q; q, r;", "p - q; q - r;"),
            ("a - b, b - c", "a - b; b - c;"),
        ] {
            assert_eq!(titles(&text(lines)).len(), 1, "{lines}: {:?}", titles(&text(lines)));
            assert_eq!(mended(&text(lines)), text(new));
        }
        // Single points, or joined ones.
        for lines in ["a, b, c;", "a - b, c, d;"] {
            assert_eq!((titles(&text(lines)).len(), mended(&text(lines))), (1, text(lines)));
        }
    }
}
