//! The keywords by their place, with a snippet and a meaning for each.

/// A keyword as it is proposed and explained.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyword {
    pub word: &'static str,
    /// The text to insert, with the placeholders of the protocol's snippets.
    pub snippet: &'static str,
    pub meaning: &'static str,
}

const fn keyword(word: &'static str, snippet: &'static str, meaning: &'static str) -> Keyword {
    Keyword { word, snippet, meaning }
}

/// The keywords that begin an item.
pub(crate) const ITEMS: &[Keyword] = &[
    keyword("game", "game \"${1:Name}\";", "The name of the game; a library has none."),
    keyword(
        "use",
        "use \"${1:std/lines}\";",
        "Another file, from the folder of this one, or a library of the language.",
    ),
    keyword("param", "param ${1:n}: ${2:1..9} = ${3:3};", "A value that `--set` changes."),
    keyword(
        "preset",
        "preset ${1:small} \"${2:Small}\" {\n  ${3:n} = ${4:3};\n}",
        "A named choice of parameters.",
    ),
    keyword("const", "const ${1:name} = ${2:1};", "A value, or a table, known before play."),
    keyword(
        "players",
        "players ${1:First}, ${2:Second};",
        "The players; the first moves first, turns rotate.",
    ),
    keyword("player", "player ${1:Solver};", "The only player of a puzzle."),
    keyword("enum", "enum ${1:Kind} { ${2:man, king} }", "A type by its members, in order."),
    keyword("record", "record ${1:Piece}(${2:owner: Player});", "A product with named parts."),
    keyword("type", "type ${1:Pit} = ${2:0..13};", "Another name of a type."),
    keyword(
        "board",
        "board ${1:Cell} = grid(${2:3}, ${3:3});",
        "A set of cells with steps from one to another.",
    ),
    keyword("phases", "phases {\n  ${1:move};\n}", "The phases of a turn."),
    keyword("state", "state {\n  ${1:at[c: Cell]: Player? = none;}\n}", "The fields of a position."),
    keyword("def", "def ${1:name}(${2:p: Player}) = ${3:true};", "A name for an expression of the position."),
    keyword(
        "inductive",
        "inductive ${1:name}(${2:a: Cell, b: Cell}) = ${3:a = b};",
        "The least relation that satisfies the equation.",
    ),
    keyword(
        "move",
        "move ${1:name}(${2:c: Cell}) as \"${3:{c\\}}\" {\n  when ${4:true};\n  $0\n}",
        "A move of a player.",
    ),
    keyword(
        "mandatory",
        "mandatory move ${1:name}(${2:c: Cell}) {\n  $0\n}",
        "While a mandatory move is legal, only such moves are.",
    ),
    keyword(
        "private",
        "private move ${1:name}(${2:c: Cell}) {\n  $0\n}",
        "Only the mover sees which move was made.",
    ),
    keyword(
        "forcing",
        "forcing move ${1:name}(${2:c: Cell}) {\n  $0\n}",
        "A lookahead does not stop after such a move; the rules of play do not depend on it.",
    ),
    keyword(
        "chance",
        "chance ${1:roll}(${2:n: 1..6}) in ${3:phase} {\n  weight ${4:1};\n  $0\n}",
        "An event of chance.",
    ),
    keyword(
        "effect",
        "effect ${1:name}(${2:c: Cell}) {\n  $0\n}",
        "A group of effects, written out where it is called.",
    ),
    keyword(
        "evaluate",
        "evaluate ${1:p}: ${2:0};",
        "A guess of the value of a position; no part of a claim.",
    ),
    keyword("pass", "pass when ${1:stuck};", "The condition for passing."),
    keyword("every", "every move {\n  $0\n}", "Statements that belong to every move."),
    keyword("forbid", "forbid repeat;", "The positions that must not recur."),
    keyword(
        "end",
        "end {\n  when ${1:true} => ${2:draw};\n}",
        "The end rules; the first that holds decides.",
    ),
    keyword("play", "play ${1:normal};", "`normal`: a player who cannot move loses; `misere`: wins."),
    keyword(
        "invariant",
        "invariant ${1:name}: ${2:true};",
        "A condition that holds in every position of play; `check` tests it.",
    ),
    keyword("symmetry", "symmetry ${1:auto};", "The symmetries to use."),
    keyword("sees", "sees ${1:player}: ${2:value};", "The observation of a player after each move."),
    keyword(
        "display",
        "display { cell ${1:at} { ${2:none => \".\"} }; }",
        "The characters that draw positions.",
    ),
    keyword("expect", "expect ${1:first wins};", "A claim to test."),
    keyword(
        "test",
        "test \"${1:name}\" {\n  play ${2:move};\n  expect ${3:true};\n}",
        "Claims about positions other than the first.",
    ),
];

/// The keywords that begin a statement of a move.
pub(crate) const STATEMENTS: &[Keyword] = &[
    keyword("when", "when ${1:true};", "A condition: the move is legal only if it holds."),
    keyword(
        "let",
        "let ${1:x} = ${2:e};",
        "A name for a value; if the value is undefined, the move is illegal.",
    ),
    keyword("ensure", "ensure ${1:true};", "A condition on the state that this stage reads."),
    keyword("weight", "weight ${1:1};", "The relative probability of a chance event."),
    keyword("then", "then {\n  $0\n}", "A stage that reads the state after this one."),
    keyword("if", "if ${1:true} {\n  $0\n}", "Effects under a condition."),
    keyword("for", "for ${1:x} in ${2:S} {\n  $0\n}", "Effects for each element, all at once."),
    keyword("again", "again;", "The same player continues in the same phase."),
    keyword("continue", "continue ${1:phase};", "The same player continues in another phase."),
    keyword("next", "next ${1:other(me)};", "The next player."),
];

/// The keywords of expressions.
pub(crate) const EXPRESSIONS: &[Keyword] = &[
    keyword("some", "some ${1:x} in ${2:S}: $0", "True if the condition holds for some x."),
    keyword("all", "all ${1:x} in ${2:S}: $0", "True if the condition holds for all x."),
    keyword("no", "no ${1:x} in ${2:S}: $0", "True if the condition holds for no x."),
    keyword("one", "one ${1:x} in ${2:S}: $0", "The only x for which the condition holds."),
    keyword("count", "count ${1:x} in ${2:S}: $0", "The number of x for which the condition holds."),
    keyword("sum", "sum ${1:x} in ${2:S}: $0", "The sum of the values."),
    keyword("union", "union ${1:x} in ${2:S}: $0", "The union of sets."),
    keyword("if", "if ${1:cond} then ${2:a} else ${3:b}", "A conditional."),
    keyword(
        "match",
        "match ${1:e} { ${2:v} => ${3:a}, _ => ${4:b} }",
        "A choice by the value of an expression.",
    ),
    keyword("let", "let ${1:x} = ${2:e}: $0", "A name for a value."),
    keyword(
        "diagram",
        "diagram \"\"\"\n  $1 \"\"\" { \"${2:.}\" => ${3:none} }",
        "A diagram of a board, rows from the top.",
    ),
    keyword("not", "not ", "Negation."),
    keyword("true", "true", "True."),
    keyword("false", "false", "False."),
    keyword("none", "none", "The value beside those of T in `T?`."),
];

/// The keywords of types.
pub(crate) const TYPES: &[Keyword] = &[
    keyword("bool", "bool", "Truth values."),
    keyword("set of", "set of $0", "The sets of values of a type."),
    keyword("list of", "list of $0", "The lists over a type; for parameters and constants only."),
];

/// The keywords that begin an end rule.
pub(crate) const END_RULES: &[Keyword] = &[
    keyword("when", "when ${1:true} => ${2:draw};", "A condition on the position."),
    keyword(
        "for",
        "for ${1:p} in ${2:Player} when ${3:true} => ${1:p} wins;",
        "A condition for each element.",
    ),
    keyword("repeat", "repeat => ${1:draw};", "Repetition of a position, or infinite play."),
];

/// The outcomes of an end rule.
pub(crate) const OUTCOMES: &[Keyword] = &[
    keyword("draw", "draw", "Nobody wins."),
    keyword("win", "win", "The single player wins."),
    keyword("lose", "lose", "The single player loses."),
    keyword("highest", "highest ${1:score}", "The player with the greatest value wins."),
    keyword("lowest", "lowest ${1:score}", "The player with the least value wins."),
    keyword("payoff", "payoff ${1:p}: ${2:score[p]}", "A payoff for each player."),
];

/// The keywords that begin a claim.
pub(crate) const CLAIMS: &[Keyword] = &[
    keyword("first", "first wins", "The player who begins the game wins."),
    keyword("second", "second wins", "The second player wins."),
    keyword("draw", "draw", "Every player gets 0 with best play."),
    keyword("value", "value = ${1:0}", "The value, as the payoff of the first player."),
    keyword("nimber", "nimber = ${1:0}", "The nimber (Grundy value) of an impartial game."),
    keyword("solved", "solved in ${1:10}", "The least number of moves that solve a puzzle."),
    keyword("perft", "perft ${1:2} = ${2:0}", "The number of sequences of moves of a length."),
    keyword("positions", "positions = ${1:0}", "The number of reachable positions."),
    keyword("moves", "moves = { $0 }", "These moves are legal, and no others."),
    keyword("legal", "legal ${1:move}", "This move is legal."),
    keyword("illegal", "illegal ${1:move}", "This move is not legal."),
];

/// The steps of a test.
pub(crate) const TEST_STEPS: &[Keyword] = &[
    keyword("position", "position { $0 }", "Effects on the first position."),
    keyword("play", "play ${1:move};", "Moves to make, in order."),
    keyword("expect", "expect ${1:first wins};", "A claim about the position that is reached."),
];

/// Other words, each at few places.
pub(crate) const OTHERS: &[Keyword] = &[
    keyword("each", "each", "All players at once."),
    keyword(
        "transient",
        "transient ${1:name}: ${2:bool} = ${3:false};",
        "The field returns to its first value after every move that does not set it.",
    ),
    keyword("hidden", "hidden", "No player sees the field."),
    keyword("visible", "visible to ${1:p}", "These players alone see the field."),
    keyword("setup", "setup ${1:name};", "A phase that occurs once, before play."),
    keyword("normal", "normal", "A player who cannot move loses."),
    keyword("misere", "misere", "A player who cannot move wins."),
    keyword("auto", "auto", "The solver finds the symmetries."),
    keyword("always", "always", "Every player may pass."),
    keyword("with", "with ${1:n = 3}", "The parameter values that a claim is about."),
    keyword("cite", "cite \"${1:Author year}\"", "The publication of a claim that is only cited."),
    keyword("and", "and ", "Conjunction."),
    keyword("or", "or ", "Disjunction."),
    keyword("implies", "implies ", "Implication; to the right."),
    keyword("iff", "iff ", "Equivalence."),
    keyword("in", "in ", "Membership, or the domain of a variable."),
    keyword("is", "is ", "The same as `=`."),
    keyword("mod", "mod ", "The remainder."),
    keyword("else", "else ", "The other case."),
    keyword("where", "where ", "The condition of a domain, a board or a parameter."),
    keyword("wins", "wins", "The player wins."),
    keyword("loses", "loses", "The player loses."),
    keyword(
        "as",
        "as \"${1:name}\"",
        "The notation of a move, the prefix of a library, or the look of a piece.",
    ),
    keyword("by", "by ", "The actor of a move or phase."),
    keyword("set", "set of ", "The sets of values of a type."),
    keyword("list", "list of ", "The lists over a type."),
];

/// The keyword with this name; the meaning of the first place that has it counts.
pub(crate) fn find(word: &str) -> Option<&'static Keyword> {
    let places = [ITEMS, STATEMENTS, EXPRESSIONS, END_RULES, OUTCOMES, CLAIMS, TEST_STEPS, TYPES, OTHERS];
    places.into_iter().flatten().find(|known| known.word == word)
}

/// The keywords of these words, which all have an entry.
pub(crate) fn of_words(words: &[&str]) -> Vec<Keyword> {
    words.iter().filter_map(|word| find(word)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouton_syntax::keywords::{ITEM_KEYWORDS, RESERVED_WORDS, STATEMENT_KEYWORDS};

    #[test]
    fn every_keyword_of_the_language_has_an_entry() {
        let words = |table: &[Keyword]| table.iter().map(|known| known.word).collect::<Vec<_>>();
        assert_eq!(words(ITEMS), ITEM_KEYWORDS);
        assert_eq!(words(STATEMENTS), STATEMENT_KEYWORDS);
        let missing: Vec<_> = RESERVED_WORDS.iter().filter(|word| find(word).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
