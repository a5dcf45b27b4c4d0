//! Names that other languages, and people, use for something that this language calls otherwise.

use bouton_syntax::ast;

/// Returns true if a part of a list, in other languages, is one of its elements.
pub(super) fn is_element(part: &str) -> bool {
    matches!(plain(part).as_str(), "get" | "at" | "nth" | "item" | "elem" | "element" | "elementat" | "elt")
}

/// Returns true if a name stands for the player to move.
pub(super) fn is_player_to_move(name: &str) -> bool {
    matches!(
        plain(name).as_str(),
        "turn" | "player" | "currentplayer" | "activeplayer" | "toplay" | "nextplayer"
    )
}

/// A name in small letters without `_`.
fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase()
}

/// Advice on the name of a result where a number of points is needed.
pub(super) fn result_help(name: &str) -> Option<&'static str> {
    let is_result = matches!(
        name.to_ascii_lowercase().as_str(),
        "win" | "wins" | "won" | "victory" | "lose" | "loses" | "lost" | "loss" | "defeat" | "draw" | "tie"
    );
    is_result.then_some(
        "a payoff is a number, such as `1` for a win, `0` for a draw and `-1` for a loss; where one player wins, \
         `=> p wins` says so",
    )
}

/// The help for an unknown name where a value is needed.
pub(super) fn value_help(name: &str) -> Option<&'static str> {
    Some(match plain(name).as_str() {
        "nextplayer" => PASSING_THE_TURN,
        "self" | "this" | "mine" => THE_MOVER,
        name if is_player_to_move(name) => THE_MOVER,
        "you" | "yours" | "them" | "enemy" | "enemies" | "foe" | "foes" | "hostile" | "other"
        | "otherplayer" | "adversary" | "rival" | "theirs" => {
            "in a move, `opponent` is the other of two players; elsewhere it is `other(mover)`"
        }
        "own" | "ours" | "friend" | "friends" | "friendly" | "ally" | "allied" => OWN_PIECES,
        "next" | "nextmover" | "nexttomove" => {
            "after a move the turn has passed: the player to move next is `mover`"
        }
        "everyone" | "everybody" | "both" | "simultaneous" | "simultaneously" => {
            "all players choose at once in a phase `by each`: `phases { bid by each; }`"
        }
        "last" | "lastplayer" | "lastmover" | "lasttomove" | "previous" | "previousplayer"
        | "previousmover" | "prev" | "prevplayer" => {
            "after a move the turn has passed: of two players `other(mover)` made the last move"
        }
        "draw" | "tie" => "a draw is an outcome: `end { when ... => draw; }`",
        "win" | "winner" => {
            "a win is an outcome, `end { when ... => X wins; }`, and claims name the player, `expect X wins;`; how many \
             moves a puzzle takes is `expect solved in 7;`"
        }
        "solvable" | "solve" | "solution" | "shortest" | "length" | "solutionlength" | "fewest"
        | "optimal" => {
            "the fewest moves of a puzzle are claimed by `expect solved in 7;`, and that there is no way by `expect P loses;`"
        }
        "first" | "second" => {
            "`first` and `second` stand in claims; elsewhere the player is named as in `players`"
        }
        "old" => {
            "rules and invariants speak of one position: a field keeps an earlier value, `last := n;` in the moves"
        }
        "odd" => "write `n mod 2 = 1`",
        "even" => "write `n mod 2 = 0`",
        "full" => "write `all c in Cell: at[c] != none`",
        "random" | "rand" | "rnd" | "dice" | "die" | "roll" | "coin" => CHANCE,
        die if die
            .strip_prefix('d')
            .is_some_and(|sides| !sides.is_empty() && sides.bytes().all(|b| b.is_ascii_digit())) =>
        {
            CHANCE
        }
        "forward" | "ahead" | "onward" | "backward" | "backwards" => {
            "directions do not depend on the player: `const ahead[p: Player]: Dir = match p { White => N, Black => S };`, \
             with the names of the players, and `c + ahead[me]`"
        }
        "set" | "hashset" => "the type of sets is `set of T`",
        "direction" | "directions" | "dirs" | "orientation" => {
            "the directions of a board are `Dir`, the straight ones `Orthogonal`, the others `Diagonal`"
        }
        "lastmove" | "previousmove" | "history" | "movehistory" | "prevmove" | "lastmoved" => {
            "the past is no part of a position: a field keeps what is needed of it, as in `state { last: 0..9 = 0; }` and \
             `last := k;`"
        }
        "time" | "clock" | "round" | "rounds" | "turns" | "moves" | "movecount" | "turnnumber" | "plies"
        | "ply" | "movenumber" | "nmoves" | "turncount" | "moveno" => {
            "moves are not counted: a field counts them, `state { turns: 0..20 = 0; }` and `every move { turns += 1; }`"
        }
        "infinity" | "inf" | "maxint" => {
            "numbers have no bound of their own: name the largest one that the rules need"
        }
        _ => return None,
    })
}

/// The help for an unknown name that an effect changes.
pub(super) fn field_help(name: &str) -> Option<&'static str> {
    is_player_to_move(name).then_some(PASSING_THE_TURN)
}

/// The help for a function of other languages that this one lacks.
pub(super) fn function_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "size" | "len" | "length" | "card" => "`#S` says how many elements a set has",
        "abs" => "write `max(x, -x)`",
        "rand" | "random" | "randint" | "choice" | "shuffle" | "roll" | "dice" => CHANCE,
        "adjacent" | "isAdjacent" | "is_adjacent" | "neighbor" | "neighbour" | "neighbors" | "neighbours"
        | "next_to" | "nextTo" | "touching" | "connected" => {
            "`b in a.neighbors` holds for cells one straight step apart, `b in a.around` diagonally as well"
        }
        "line_of_sight" | "lineofsight" | "lineOfSight" | "in_line" | "inLine" | "on_line" | "onLine"
        | "same_line" | "sameLine" | "collinear" | "is_aligned" | "isAligned" | "sees" | "visible"
        | "is_visible" | "isVisible" | "can_see" | "canSee" => {
            "`aligned(a, b)` holds for two cells on a straight line, and `between(a, b)` are the cells strictly between them"
        }
        "distance" | "dist" | "manhattan" | "steps" => {
            "cells have no distance: `b in a.neighbors` is one step, `a.leap(1, 2)` a knight's, and coordinates are `a.col`, \
             `a.row`"
        }
        "enumerate" | "zip" | "indices" => {
            "sets have no order and no places: `some x in S: f`, `all x in S: f` go through the elements"
        }
        "map" | "select" => "write `{ e for x in S }` for the values of `e`",
        "filter" => "write `{ x in S where f }` for the elements that satisfy `f`",
        "perft" => "write `expect perft 2 = 9;`",
        "nimber" | "grundy" => "write `expect nimber = 3;`",
        "odd" | "isOdd" | "is_odd" => "write `n mod 2 = 1`",
        "even" | "isEven" | "is_even" => "write `n mod 2 = 0`",
        "full" | "board_full" | "isFull" | "is_full" => "write `all c in Cell: at[c] != none`",
        "line" | "has_line" | "three" => "write `some l in lines(Cell, 3): all c in l: at[c] = p`",
        name if name.contains("in_a_row") || name.contains("InARow") || name.contains("inarow") => {
            "write `some l in lines(Cell, 3): all c in l: at[c] = p`"
        }
        "has_won" | "hasWon" | "check_win" | "checkWin" | "is_winner" | "wins" => {
            "say when a player wins: `def line(p: Player) = some l in lines(Cell, 3): all c in l: at[c] = p;`"
        }
        "sorted" | "sort" | "reverse" | "reversed" => {
            "sets have no order: `min(S)` and `max(S)` give the ends"
        }
        "exists" | "any" => "write `some x in S: f`",
        "forall" | "every" => "write `all x in S: f`",
        "contains" | "includes" | "has" | "member" | "elem" => "write `x in S`",
        "empty" | "isEmpty" | "is_empty" | "isempty" => {
            "a set without elements is `S = {}`, a cell without a value `at[c] = none`"
        }
        "on_board" | "onBoard" | "in_bounds" | "inBounds" | "is_valid" | "isValid" | "valid" | "defined"
        | "is_defined" | "isDefined" | "undefined" => {
            "a step off the board has no value: `c + N in Cell` asks whether it stays on the board"
        }
        "legal" | "can_move" | "canMove" | "has_moves" | "hasMoves" => {
            "`stuck` holds if the player to move cannot"
        }
        "knight" | "knightMoves" | "knight_moves" | "knights" => {
            "`c.leap(1, 2)` are the cells a knight's move away"
        }
        "king" | "kingMoves" | "king_moves" => "`c.around` are the cells one step away, straight or diagonal",
        "rook" | "bishop" | "queen" | "slide" | "slides" => {
            "`ray(c, N)` are the cells in one direction; `between(a, b)` those strictly between two on a line"
        }
        "sqrt" | "pow" => "whole numbers have `+`, `-`, `*`, `/` and `mod`; a table holds other values",
        "distinct" | "different" | "unequal" | "all_different" | "allDifferent" | "alldifferent"
        | "all_distinct" | "allDistinct" => {
            "two values differ if `a != b`; those of a field all differ if there are as many values as keys: \
             `#{ at[c] for c in S } = #S`"
        }
        "own" | "is_own" | "isOwn" | "friend" | "is_friend" | "isFriend" | "friendly" | "is_friendly"
        | "ally" | "is_ally" | "isAlly" | "enemy" | "is_enemy" | "isEnemy" | "foe" | "is_foe" | "isFoe"
        | "hostile" | "is_opponent" | "isOpponent" => OWN_PIECES,
        "int" | "round" | "ceil" | "float" | "double" | "number" | "to_int" | "toInt" | "parseInt" => {
            "numbers are whole, and `/` gives the greatest that is not above the quotient"
        }
        "str" | "string" | "format" | "toString" | "to_string" => {
            "a name of a move is a string with braces: `as \"{from}-{to}\"`"
        }
        "floor" => "`/` gives a whole number: the greatest that is not above the quotient",
        "opposite" | "reverse_dir" | "opponent" => {
            "the other of two players is `opponent`, or `other(p)`; directions turn by a table: `const back[d: Dir]: Dir = \
             match d { N => S, S => N, E => W, W => E };`"
        }
        _ => return None,
    })
}

/// The help for a function of another language for games, whose name resembles names of this one.
pub(super) fn game_language_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "isLine" | "is_line" | "isRow" | "threeInARow" => {
            "write `some l in lines(Cell, 3): all c in l: at[c] = p`, in a `def line(p: Player) = ...;`"
        }
        "sites" | "cells" | "squares" => {
            "all cells are the board itself, `c in Cell`; the free ones are `{ c in Cell where at[c] = none }`"
        }
        "does" => {
            "what a move needs and does stands in its own braces: `move take(k: 1..3) { when k <= n; n -= k; }`"
        }
        "control" | "isMover" => "the player to move is `mover`, in a move `me`",
        _ => return None,
    })
}

/// The help for a call of a term that is no name: `true(f)`, `forall(x)(f)`.
pub(super) fn called_term_help(callee: &ast::Expr) -> Option<&'static str> {
    match &*callee.kind {
        ast::ExprKind::Bool(true) => Some("a condition stands alone, without `true`"),
        ast::ExprKind::Call(function, _) => match function.as_name()? {
            "forall" | "all" | "every" => Some("write `all x in S: f`"),
            "exists" | "some" | "any" => Some("write `some x in S: f`"),
            _ => None,
        },
        _ => None,
    }
}

/// The help for an unknown part of a set, of a cell, or of another value.
pub(super) fn part_help(name: &str, is_set: bool, is_cell: bool) -> Option<&'static str> {
    Some(match name {
        "contains" | "includes" | "has" | "include" if is_set => "write `x in S`",
        "is_none" | "isNone" | "isNull" | "is_null" if !is_set => "write `... = none`",
        "is_some" | "isSome" | "is_present" | "isPresent" | "HasValue" if !is_set => "write `... != none`",
        "unwrap" | "get" | "expect" | "Value" if !is_set => {
            "leave it out: a value that may be `none` is used as it is, and a comparison with `none` in it is false"
        }
        "filter" | "Where" | "select" if is_set => {
            "write `{ x in S where f }` for the elements that satisfy `f`"
        }
        "map" | "Select" if is_set => "write `{ e for x in S }` for the values of `e`",
        "some" | "any" | "Any" | "exists" if is_set => "write `some x in S: f`",
        "every" | "all" | "All" if is_set => "write `all x in S: f`",
        "sum" | "Sum" if is_set => "write `sum x in S: e`",
        "size" | "length" | "count" | "len" => "`#S` says how many elements a set has",
        "empty" | "isEmpty" | "is_empty" if is_set => "write `S = {}`",
        "first" | "last" | "pop" if is_set => "a set has no order: `min(S)` and `max(S)` give its ends",
        "union" | "concat" if is_set => "write `A | B`",
        "intersection" | "intersect" if is_set => "write `A & B`",
        "difference" | "without" if is_set => "write `A - B`",
        "x" | "column" | "file" | "c" if is_cell => "the column of a cell is `.col`, counted from 1",
        "y" | "rank" | "r" | "line" if is_cell => "the row of a cell is `.row`, counted from 1 at the bottom",
        "adjacent" | "neighbourhood" | "adj" | "is_adjacent" | "isAdjacent" | "adjacent_to"
        | "adjacentTo" | "touches" | "next_to" | "nextTo" | "isNeighbor" | "is_neighbor" | "near"
        | "orthogonal" | "orthogonals" | "orthogonally" | "orth" | "ortho" | "straight" | "nbrs"
        | "adjacents" | "adjacency" | "neigh"
            if is_cell =>
        {
            "`.neighbors` are the cells one straight step away, `.around` the diagonal ones as well"
        }
        "surrounding" | "surroundings" | "nearby" | "all_neighbors" | "king" | "moore" if is_cell => {
            "`.around` are the cells one step away, straight or diagonal, and `.neighbors` the straight ones alone"
        }
        "owner" | "color" | "colour" | "player" | "piece" | "value" | "content" | "occupied" | "empty"
            if is_cell =>
        {
            "a cell is only a place: what stands on it is in a field, `at[c]`"
        }
        _ => return None,
    })
}

/// The help for an unknown effect.
pub(super) fn effect_help(name: &str) -> Option<&'static str> {
    Some(match name.rsplit('.').next().unwrap_or(name) {
        "return" | "exit" => {
            "a move has no `return`: what must hold for it to be legal is `when ...;`, and all its effects are made"
        }
        "require" | "assert" | "ensure" | "check" | "assume" | "guard" => {
            "a condition of a move is `when ...;`, without a message: a move is legal if all of them hold"
        }
        "set" | "put" | "place" => "a cell of a field is set by `at[c] := me;`",
        "print" | "println" | "printf" | "log" | "echo" | "write" | "writeln" | "puts" | "alert"
        | "message" => {
            "delete it: a move shows nothing; `as \"...\"` gives it a name, and `display { }` draws the position"
        }
        "win" | "wins" | "lose" | "draw" | "gameover" | "game_over" | "end_game" | "finish" => {
            "the game ends by a rule of `end { when ... => ...; }`, not by an effect"
        }
        "add" | "insert" | "append" | "push" => "an element is put into a set by `s |= { x };`",
        "remove" | "delete" | "discard" | "pop" => "an element is taken out of a set by `s -= { x };`",
        "capture" | "captures" | "kill" | "eat" | "take" => {
            "a man is taken from the board by `at[c] := none;`, and `me` or `opponent` owns a cell by `at[c] = me`"
        }
        "swap" => "all effects read the position before them: `x := y; y := x;` exchanges two values",
        _ => return None,
    })
}

/// The advice about chance.
pub(super) const CHANCE: &str = "chance moves in a phase of its own: `phases { roll by chance; act; }`, and `chance throw(d: 1..6) in roll { die := d; \
     continue act; }`";
const OWN_PIECES: &str = "who owns a piece is a comparison: `at[c] = me` for those of the player who moves, `at[c] = opponent` for the other's; \
     outside of moves `mover` and `other(mover)`";
const THE_MOVER: &str = "in a move, `me` is the player who makes it; elsewhere `mover` is the player to move";
const PASSING_THE_TURN: &str =
    "players take turns by themselves; `again;` keeps the turn, `next p;` gives it to `p`";
