//! Advice on `pieces(White)`, by which other languages count what belongs to a player on the board.

use crate::analyzer::Analyzer;
use crate::locals::Locals;
use bouton_base::source::Span;
use bouton_rules::{PLAYER, Type};
use bouton_syntax::ast;
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::print_expr;

/// Returns true for a word that other languages count pieces by.
fn counts_pieces(word: &str) -> bool {
    let plain: String = word.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let of = ["numberof", "countof", "count", "number", "num", "n"]
        .iter()
        .find_map(|start| plain.strip_prefix(start).filter(|rest| !rest.is_empty()));
    matches!(
        of.unwrap_or(&plain),
        "pieces"
            | "men"
            | "stones"
            | "discs"
            | "disks"
            | "tokens"
            | "checkers"
            | "pawns"
            | "marbles"
            | "counters"
            | "cells"
    )
}

impl Analyzer<'_> {
    /// Reports `pieces(White)`, if exactly one field says which player has each cell of a board; returns true if it is
    /// that.
    pub(super) fn pieces_by_a_call(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        [callee, span]: [Span; 2],
        locals: &mut Locals,
    ) -> bool {
        let [of] = args else { return false };
        if !counts_pieces(name)
            || self.quiet_type(of, locals).is_none_or(|ty| *ty.present().base() != Type::Sym(PLAYER))
        {
            return false;
        }
        let mut fields = self.rules.fields.iter().filter(|field| {
            *field.ty.present() == Type::Sym(PLAYER)
                && matches!(&field.keys[..], [key] if self.board_of(&key.ty).is_some())
        });
        let Some(field) = fields.next().filter(|_| fields.next().is_none()) else { return false };
        let (key, board) = (&field.keys[0].name, self.rules.show_type(&field.keys[0].ty));
        // The variable hides no name that the argument uses.
        let key = if super::super::shared_payoffs::names(of, key) { "x" } else { key };
        let new = format!("(count {key} in {board}: {}[{key}] = {})", field.name, print_expr(of));
        let found = Diagnostic::new(Code::E0101, format!("there is no `{name}` here"), callee, "");
        self.report(found.help(format!("write `{new}`")).edit(span, new));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, found};
    use bouton_syntax::diag::Code;

    #[test]
    fn pieces_are_counted() {
        let text = |term: &str| {
            format!(
                "game \"Men\"; players A, B; board C = grid(3, 3);
                 state {{ on[c: C]: Player? = if c.row = 1 then A else if c.row = 3 then B else none; }}
                 move take(c: C) as \"{{c}}\" {{ when on[c] = opponent; on[c] := none; }}
                 end {{ for p in Player when {term} = 0 => p loses; }}"
            )
        };
        for call in ["pieces(p)", "count_pieces(p)", "stones(p)"] {
            let found = found(&text(call), Code::E0101);
            assert_eq!(found[0].edits[0].text, "(count c in C: on[c] = p)", "{call}");
        }
        assert_eq!(codes(&text("(count c in C: on[c] = p)")), []);
        assert!(found(&text("luck(p)"), Code::E0101)[0].edits.is_empty());
    }
}
