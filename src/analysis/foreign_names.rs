//! Names that other languages, and people, use for something that this language calls otherwise.

/// Returns true if a name stands for the player to move.
fn is_player_to_move(plain: &str) -> bool {
    matches!(plain, "turn" | "player" | "currentplayer" | "activeplayer" | "toplay" | "nextplayer")
}

/// A name in small letters without `_`.
fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase()
}

/// The help for an unknown name where a value is needed.
pub(super) fn value_help(name: &str) -> Option<&'static str> {
    Some(match plain(name).as_str() {
        "nextplayer" => PASSING_THE_TURN,
        "self" | "this" | "mine" => THE_MOVER,
        name if is_player_to_move(name) => THE_MOVER,
        "enemy" | "otherplayer" | "adversary" | "rival" | "theirs" => {
            "in a move, `opponent` is the other of two players; elsewhere it is `other(mover)`"
        }
        "draw" | "tie" => "a draw is an outcome: `end { when ... => draw; }`",
        "win" | "winner" => {
            "a win is an outcome, `end { when ... => X wins; }`, and claims name the player, `expect X wins;`; how many \
             moves a puzzle takes is `expect solved in 7;`"
        }
        "infinity" | "inf" | "maxint" => {
            "numbers have no bound of their own: name the largest one that the rules need"
        }
        _ => return None,
    })
}

/// The help for an unknown name that an effect changes.
pub(super) fn field_help(name: &str) -> Option<&'static str> {
    is_player_to_move(&plain(name)).then_some(PASSING_THE_TURN)
}

/// The help for a function of other languages that this one lacks.
pub(super) fn function_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "size" | "len" | "length" | "card" => "`#S` says how many elements a set has",
        "abs" => "write `max(x, -x)`",
        "rand" | "random" => "chance moves in a phase of its own: `phases { roll by chance; }`",
        "floor" => "`/` gives a whole number: the greatest that is not above the quotient",
        "opposite" | "opponent" => "the other of two players is `opponent`, or `other(p)`",
        _ => return None,
    })
}

/// The help for an unknown effect.
pub(super) fn effect_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "print" | "println" | "printf" | "log" | "echo" | "write" | "writeln" | "puts" | "alert"
        | "message" => {
            "delete it: a move shows nothing; `as \"...\"` gives it a name, and `display { }` draws the position"
        }
        "win" | "wins" | "lose" | "draw" | "gameover" | "game_over" | "end_game" | "finish" => {
            "the game ends by a rule of `end { when ... => ...; }`, not by an effect"
        }
        "add" | "insert" | "append" | "push" => "an element is put into a set by `s |= { x };`",
        "remove" | "delete" | "discard" | "pop" => "an element is taken out of a set by `s -= { x };`",
        "swap" => "all effects read the position before them: `x := y; y := x;` exchanges two values",
        _ => return None,
    })
}

const THE_MOVER: &str = "in a move, `me` is the player who makes it; elsewhere `mover` is the player to move";
const PASSING_THE_TURN: &str =
    "players take turns by themselves; `again;` keeps the turn, `next p;` gives it to `p`";
