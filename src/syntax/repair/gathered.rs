//! Mistakes that only a whole file shows: many lines without a semicolon, and `max(score) wins`.

use super::RepairSession;
use crate::ast::{Expr, ExprKind, ItemKind, OutcomeKind};
use crate::diag::{Code, Diagnostic};

/// The title of the message about a line without its semicolon.
pub(super) const MISSING_AT_LINE_END: &str = "a `;` is missing at the end of this line";
/// The number of lines without a semicolon up to which each has a message of its own.
const MAX_SINGLE_LINES: usize = 3;
/// The number of lines that the common message shows.
const SHOWN_LINES: usize = 3;

impl RepairSession {
    /// Makes one message of those about lines without a semicolon, if there are many.
    pub fn gather_missing_semicolons(&mut self) {
        let is_line = |found: &Diagnostic| {
            found.code == Code::E0001 && found.title == MISSING_AT_LINE_END && !found.edits.is_empty()
        };
        let (lines, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.diagnostics).into_iter().partition(is_line);
        self.diagnostics = others;
        let Some(first) = lines.first().filter(|_| lines.len() > MAX_SINGLE_LINES) else {
            self.diagnostics.extend(lines);
            return;
        };
        let title = format!("{} lines lack their `;`", lines.len());
        let mut found = Diagnostic::new(Code::E0001, title, first.span(), "a `;` is missing here");
        for line in lines.iter().take(SHOWN_LINES).skip(1) {
            found = found.label(line.span(), "here");
        }
        for edit in lines.iter().flat_map(|line| &line.edits) {
            found = found.edit(edit.span, edit.text.clone());
        }
        self.diagnostics.push(found.help("each item without braces and each clause ends with `;`"));
    }

    /// Reads `max(score) wins` as `highest score`, and reports it: a number is no player.
    pub fn mend_extremes(&mut self) {
        // Another file or this one may define a `max` of its own.
        let may_define = self.items.iter().any(|item| match &item.kind {
            ItemKind::Use { .. } => true,
            ItemKind::Def { name, .. } => matches!(name.text.as_str(), "max" | "min"),
            _ => false,
        });
        if may_define {
            return;
        }
        for item in &mut self.items {
            let ItemKind::End(rules) = &mut item.kind else { continue };
            for outcome in rules.iter_mut().map(|rule| &mut rule.outcome) {
                let OutcomeKind::Wins(player) = &outcome.kind else { continue };
                let Some((best, name, field)) = extreme_of(player) else { continue };
                let new = format!("{best} {name}");
                let title = "who has the most is an outcome of its own";
                let help =
                    format!("write `when ... => {new};`, with a field, table or definition of one player");
                let found = Diagnostic::new(Code::E0005, title, outcome.span, "").help(help);
                self.diagnostics.push(found.edit(outcome.span, new));
                outcome.kind = match best {
                    "highest" => OutcomeKind::Highest(field),
                    _ => OutcomeKind::Lowest(field),
                };
            }
        }
    }
}

/// The word of the outcome that `max(score)` or `min(score)` stands for, and what is compared.
fn extreme_of(player: &Expr) -> Option<(&'static str, String, Expr)> {
    let ExprKind::Call(function, arguments) = &*player.kind else { return None };
    let best = match &*function.kind {
        ExprKind::Name(name) if name == "max" => "highest",
        ExprKind::Name(name) if name == "min" => "lowest",
        _ => return None,
    };
    let [argument] = &arguments[..] else { return None };
    match &*argument.kind {
        ExprKind::Name(name) => Some((best, name.clone(), argument.clone())),
        _ => None,
    }
}
