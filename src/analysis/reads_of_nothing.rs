//! W0313 for an effect that reads a cell which a condition of the move says is empty, and which another
//! effect of the stage fills: `when tile[s] = none; tile[s] := l; bag[tile[s]] -= 1;`. All effects of a stage
//! read the position before it, so the order of the text does not count.
//!
//! A read counts only where `none` has no sense: as a key, in a sum, beside `<`, or before `.`.

use super::analyzer::Analyzer;
use super::guards::is_occupied;
use bouton_base::source::Span;
use bouton_syntax::ast::{
    Access, BinaryOp, CmpOp, Effect, EffectOp, Expr, ExprKind, ItemKind, StmtBlock, StmtKind, UnaryOp,
};
use bouton_syntax::diag::{Code, Diagnostic};
use bouton_syntax::{print_effect, print_expr};

/// An effect of the first stage that fills a cell.
struct Filled<'e> {
    effect: &'e Effect,
    span: Span,
    /// The cell and its new value, as printed.
    cell: String,
    value: String,
    /// The condition that says that the cell is empty before.
    condition: Span,
}

/// A read of a cell that is empty, in an effect.
struct EmptyRead<'e> {
    read: Span,
    reader: &'e Effect,
    of: usize,
}

impl Analyzer<'_> {
    /// Runs the lint.
    pub(super) fn reads_of_nothing(&mut self) {
        let mut found = Vec::new();
        for (item, own) in self.items() {
            let ItemKind::Move(of) = &item.kind else { continue };
            if !own || self.options.damaged {
                continue;
            }
            let fills: Vec<Filled<'_>> = of
                .body
                .stmts
                .iter()
                .filter_map(|stmt| self.filled(&of.body, &stmt.kind, stmt.span))
                .collect();
            let mut reads = Vec::new();
            effects_that_read(&of.body, &fills, &mut reads);
            for read in reads {
                found.push(told(&fills[read.of], &read));
            }
        }
        for found in found {
            // That the effect reads too early is said of the term alone.
            self.diagnostics.retain(|known| {
                let is_of_both = known.labels.iter().skip(1).any(|label| label.span == found.labels[1].span);
                !(known.code == Code::W0313 && known.span().covers(found.span()) && is_of_both)
            });
            self.report(found);
        }
    }

    /// The cell that a statement fills, if a condition of the move says that it is empty before.
    fn filled<'e>(&self, body: &'e StmtBlock, stmt: &'e StmtKind, span: Span) -> Option<Filled<'e>> {
        let StmtKind::Effect(effect) = stmt else { return None };
        if effect.op != EffectOp::Set || matches!(&*effect.value.bare().kind, ExprKind::None) {
            return None;
        }
        let text = print_effect(effect);
        let (cell, value) = text.split_once(" := ")?;
        let condition = self.known_to_be_empty(span, cell)?;
        (!is_occupied(body, cell)).then(|| Filled {
            effect,
            span,
            cell: cell.to_owned(),
            value: value.to_owned(),
            condition,
        })
    }
}

/// The report of a read.
fn told(of: &Filled<'_>, read: &EmptyRead<'_>) -> Diagnostic {
    let Filled { effect, span, cell, value, condition } = of;
    let title = format!("this reads `{cell}` before the effect that sets it to `{value}`");
    let found = Diagnostic::new(Code::W0313, title, read.read, format!("`{cell}` is `none` here"))
        .label(*span, "all effects of a stage read the position before it")
        .label(*condition, "it is empty by this condition");
    let then = format!("`then {{ {}; }}`", print_effect(read.reader));
    match &*effect.value.bare().kind {
        ExprKind::Name(_) | ExprKind::Number(_) => found
            .help(format!("write `{value}`, the value that is set, in place of `{cell}`; or {then}"))
            .edit(read.read, value.as_str()),
        _ => found.help(format!("to read it after that effect, write {then}")),
    }
}

/// Collects the reads of the first stage; an `if` that speaks of the cell is left out.
fn effects_that_read<'e>(block: &'e StmtBlock, fills: &[Filled<'e>], found: &mut Vec<EmptyRead<'e>>) {
    if fills.is_empty() {
        return;
    }
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Effect(reader) => {
                let mut note = |term: &Expr, has_no_sense: bool| {
                    let mut reads = Vec::new();
                    empty_terms(term, has_no_sense, fills, &mut reads);
                    found.extend(reads.into_iter().map(|(read, of)| EmptyRead { read, reader, of }));
                };
                for access in &reader.target.path {
                    if let Access::Index(keys) = access {
                        keys.iter().for_each(|key| note(key, true));
                    }
                }
                note(&reader.value, matches!(reader.op, EffectOp::Add | EffectOp::Subtract));
            }
            StmtKind::If(condition, yes, no) => {
                let words = print_expr(condition);
                if !fills.iter().any(|of| words.contains(&of.cell)) {
                    effects_that_read(yes, fills, found);
                    no.iter().for_each(|no| effects_that_read(no, fills, found));
                }
            }
            _ => {}
        }
    }
}

/// Collects the terms that are an empty cell, each with the effect that fills it. Conditions, and parts that
/// bind names, are left out: the cell may have a value there, or be another one.
fn empty_terms(term: &Expr, has_no_sense: bool, fills: &[Filled<'_>], found: &mut Vec<(Span, usize)>) {
    let words = has_no_sense.then(|| print_expr(term.bare()));
    if let Some(of) = words.and_then(|words| fills.iter().position(|of| of.cell == words)) {
        found.push((term.bare().span, of));
        return;
    }
    match &*term.bare().kind {
        ExprKind::Index(_, keys) => keys.iter().for_each(|key| empty_terms(key, true, fills, found)),
        ExprKind::Part(of, _) => empty_terms(of, true, fills, found),
        ExprKind::Unary(op, of) => empty_terms(of, *op == UnaryOp::Negate, fills, found),
        ExprKind::Binary(op, a, b) => {
            let is_condition = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff);
            let sides = [a, b].into_iter().filter(|_| !is_condition);
            sides.for_each(|side| empty_terms(side, true, fills, found));
        }
        ExprKind::Compare(first, rest) => {
            let is_order = |op: &CmpOp| {
                matches!(op, CmpOp::Less | CmpOp::LessEqual | CmpOp::Greater | CmpOp::GreaterEqual)
            };
            let has_no_sense = rest.iter().all(|(op, _)| is_order(op));
            let sides = [first].into_iter().chain(rest.iter().map(|(_, side)| side));
            sides.for_each(|side| empty_terms(side, has_no_sense, fills, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use bouton_syntax::diag::{Code, apply_edits};

    fn text(body: &str) -> String {
        format!(
            "game \"Lay\"; players A, B; enum L {{ P, Q }}
             const worth[l: L]: 1..2 = match l {{ P => 1, Q => 2 }};
             state {{ tile[s: 1..3]: L? = none; bag[l: L]: 0..2 = 2; got: 0..9 = 0; at: (1..3)? = none; }}
             move lay(l: L, s: 1..3) as \"{{l}}{{s}}\" {{ {body} }} play normal;"
        )
    }

    /// The help, and the text of the body after the edit.
    fn told(body: &str) -> Vec<(String, String)> {
        let text = text(body);
        let all = found(&text, Code::W0313);
        let mended = apply_edits(&text, bouton_base::source::FileId(0), &all).0;
        all.into_iter().map(|found| (found.help.unwrap_or_default(), mended.clone())).collect()
    }

    #[test]
    fn cells_that_are_filled_are_read_empty() {
        for (body, mended) in [
            ("tile[s] := l; bag[tile[s]] -= 1;", "tile[s] := l; bag[l] -= 1;"),
            ("bag[tile[s]] -= 1; tile[s] := l;", "bag[l] -= 1; tile[s] := l;"),
            ("tile[s] := l; got += worth[tile[s]];", "tile[s] := l; got += worth[l];"),
            ("tile[s] := l; if got < 3 { bag[tile[s]] -= 1; }", "if got < 3 { bag[l] -= 1; }"),
        ] {
            let told = told(&format!("when tile[s] = none and bag[l] > 0 and got < 7; {body}"));
            let [(help, text)] = &told[..] else { panic!("{body} {told:?}") };
            assert!(help.starts_with("write `l`, the value that is set, in place of `tile[s]`; or `then {"));
            assert!(text.contains(mended), "{text}");
            assert!(found(text, Code::W0313).is_empty());
        }
        let sum = told("when at = none; at := s; got += at;");
        assert!(sum.len() == 1 && sum[0].0.ends_with("or `then { got += at; }`"), "{sum:?}");
    }

    #[test]
    fn other_reads_have_sense() {
        for body in [
            "when tile[s] = none and bag[l] > 0; tile[s] := l; bag[l] -= 1;",
            "when tile[s] = none; tile[s] := l; then { bag[tile[s]] -= 1; }",
            "when tile[s] = none; tile[s] := l; if tile[s] != none { bag[tile[s]] -= 1; }",
            "when tile[s] != l; tile[s] := l; bag[tile[s]] -= 1;",
            "when tile[s] = none; tile[s] := l; got += if tile[s] = none then 1 else 2;",
            "when tile[s] = none or got = 2; tile[s] := l; if got = 2 { bag[tile[s]] -= 1; }",
            "when tile[s] = none; got += 1; tile[1] := tile[s];",
        ] {
            let told = told(body);
            assert!(told.is_empty(), "{body} {told:?}");
        }
    }
}
