//! Blocks in brackets of another form: `state ( n: 0..3 = 0; )`, `graph [ a - b; b - c; ]`.

use super::lexical::LexicalRepair;
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};
use bouton_base::source::{FileId, Span};

/// The maximal number of blocks that are rewritten, since each one lexes the whole text again.
const MAX_BLOCKS: usize = 20;

/// A block in other brackets: the indices of its two brackets, and the words before it that the message quotes.
struct Block {
    open: usize,
    close: usize,
    head: String,
}

/// Writes braces for the brackets of blocks.
pub(super) fn exchange(file: FileId, sound: &mut LexicalRepair) {
    for _ in 0..MAX_BLOCKS {
        let words: Vec<Token> = sound.tokens.iter().filter(|token| !token.is_comment()).copied().collect();
        let Some(block) = first_block(&sound.text, &words) else { return };
        let [open, close] = [words[block.open], words[block.close]];
        let span = |word: Token| {
            let from = sound.offsets.start(word.start);
            Span::new(file, from, sound.offsets.end(word.end).max(from))
        };
        let (sign, other) = (open.text(&sound.text), close.text(&sound.text));
        let title = format!("what belongs to `{}` stands in braces, not in `{sign} {other}`", block.head);
        let touches = block.open.checked_sub(1).is_some_and(|last| words[last].end == open.start);
        let new = if touches { " {" } else { "{" };
        let found = Diagnostic::new(Code::E0013, title, span(open), "")
            .help(format!("write `{} {{ ... }}`", block.head))
            .edit(span(open), new);
        // The last clause may lack its `;`.
        let last = words[block.close - 1];
        let is_ended = matches!(last.text(&sound.text), ";" | "}" | "(" | "[" | "{");
        let gap = if is_ended { "" } else { ";" };
        let found = match is_ended {
            true => found,
            false => {
                let help =
                    format!("write `{} {{ ... ; }}`, with `;` after the last clause as well", block.head);
                found.help(help).edit(span(last).at_end(), ";")
            }
        };
        sound.diagnostics.push(found.edit(span(close), "}"));
        sound.replace(close.start..close.end, "}");
        sound.replace(last.end..last.end, gap);
        sound.replace(open.start..open.end, new);
    }
}

/// The first block in other brackets.
fn first_block(text: &str, words: &[Token]) -> Option<Block> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text(text));
    (1..words.len()).filter(|&at| matches!(word(at), "(" | "[")).find_map(|open| {
        let head = head_of_block(text, words, open)?;
        let close = partner(text, words, open)?;
        let is_edge = |at: usize| head == "graph" && matches!(word(at), "-" | "->");
        let has_clauses = outside_brackets(words, open, close).any(|at| word(at) == ";" || is_edge(at));
        let is_block = has_clauses || matches!(head.as_str(), "state" | "end" | "display");
        is_block.then_some(Block { open, close, head })
    })
}

/// The words that a block follows, if they stand before this bracket.
fn head_of_block(text: &str, words: &[Token], open: usize) -> Option<String> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text(text));
    let last = word(open - 1);
    let before = open.checked_sub(2).map_or("", word);
    let begins = open == 1 || matches!(before, ";" | "}") || before.starts_with("///");
    let is_block = match last {
        "state" | "end" | "display" => begins,
        "then" => matches!(before, ";" | "}"),
        "graph" => before == "=" && open > 3 && word(open - 4) == "board",
        _ => false,
    };
    if is_block {
        return Some(last.to_owned());
    }
    // `move go(c: Cell) as "{c}" ( ... )`
    let is_template = words[open - 1].kind == TokenKind::Str && before == "as";
    let is_start = |&at: &usize| matches!(word(at), "move" | "chance" | ";" | "{" | "}");
    let first = (0..open).rev().take(MAX_HEAD_WORDS).find(is_start).filter(|_| is_template)?;
    matches!(word(first), "move" | "chance").then(|| format!("{} {}", word(first), word(first + 1)))
}

/// The maximal number of words in the head of a move.
const MAX_HEAD_WORDS: usize = 60;

/// The partner of an opening bracket, if all brackets between them have theirs.
fn partner(text: &str, words: &[Token], open: usize) -> Option<usize> {
    let mut expected = Vec::new();
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.kind {
            TokenKind::Open => expected.push(match word.text(text) {
                "(" => ")",
                "[" => "]",
                _ => "}",
            }),
            TokenKind::Close if expected.pop() != Some(word.text(text)) => return None,
            TokenKind::Close if expected.is_empty() => return Some(at),
            _ => {}
        }
    }
    None
}

/// The words between two brackets that no brackets between them enclose.
fn outside_brackets(words: &[Token], open: usize, close: usize) -> impl Iterator<Item = usize> + '_ {
    let mut depth = 0_usize;
    (open + 1..close).filter(move |&at| match words[at].kind {
        TokenKind::Open => {
            depth += 1;
            false
        }
        TokenKind::Close => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mended, titles};

    #[test]
    fn the_lines_of_a_graph_stand_in_braces() {
        let new = "board Den = graph { line a - b - c; a - d; }\n";
        assert_eq!(mended("board Den = graph ( line a - b - c; a - d; )\n"), new);
        assert_eq!(mended("board Den = graph[ line a - b - c; a - d; ]\n"), new);
        let open = "board Den = graph( line a - b - c; a - d )\n";
        let titles = titles(open);
        assert!(titles.len() == 1 && titles[0].contains("not in `( )`"), "{titles:?}");
        assert_eq!(mended(open), "board Den = graph { line a - b - c; a - d; }\n");
    }

    #[test]
    fn blocks_stand_in_braces() {
        let text = |[a, b]: [&str; 2], [c, d]: [&str; 2], [e, f]: [&str; 2]| {
            format!(
                "state {a} n: 0..2 = 0; {b}\nmove go(k: 1..2) as \"{{k}}\" {c} when n < 2; n += 1; {d}\nend {e} when stuck => draw; {f}\n"
            )
        };
        let (braces, round, square) = (["{", "}"], ["(", ")"], ["[", "]"]);
        let new = text(braces, braces, braces);
        assert_eq!(mended(&new), new);
        assert_eq!(titles(&new), Vec::<String>::new());
        assert_eq!(mended(&text(round, square, round)), new);
        assert_eq!(titles(&text(square, round, square)).len(), 3);
        assert_eq!(mended("end ( when stuck => draw )\n"), "end { when stuck => draw; }\n");
    }
}
